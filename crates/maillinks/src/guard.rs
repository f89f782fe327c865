//! The only `catch_unwind`.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Calls what may panic: a decoder of pictures, or all that reads a message. Catches a panic and returns `None` then; no
/// other place catches one.
pub fn guarded<T>(call: impl FnOnce() -> T) -> Option<T> {
    // A picture is dropped with its decoder. The arguments of the engine are immutable except for the memory, which takes
    // whole judgements only. So nothing half done outlives a panic.
    catch_unwind(AssertUnwindSafe(call)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_caught() {
        assert_eq!(guarded(|| 1), Some(1));
        assert_eq!(guarded(|| -> u8 { panic!("late") }), None);
    }
}
