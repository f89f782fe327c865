//! The one `catch_unwind`.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Calls into the engine: the one place where a panic is caught. `None` after a panic.
pub fn guarded<T>(call: impl FnOnce() -> T) -> Option<T> {
    // What the engine is given is immutable but for the memory, which takes whole judgements only:
    // nothing half done outlives a panic.
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
