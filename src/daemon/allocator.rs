//! The allocator of the C library, told to give memory back.
//!
//! glibc takes large blocks from the system and returns them when they are freed; but each one that is freed raises the
//! size from which a block counts as large, up to 32 MiB. After a burst of large messages theirs come from the heaps
//! of the threads, and stay there. A size that is set stays as it is. glibc reads it as a process begins, from the
//! environment: so the program is begun again where nobody has set it. `systemd/linkmilter.service` sets it.

use std::ffi::OsStr;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// The variable of glibc (mallopt(3), `M_MMAP_THRESHOLD`). Other C libraries do not know it.
const VARIABLE: &str = "MALLOC_MMAP_THRESHOLD_";

/// Blocks of so many bytes are returned when they are freed: those for pieces of large messages. Each costs two calls
/// of the system, and pages that are new.
const LARGE_BYTES: &str = "1048576";

/// What the operator may say of the same in another way.
const TUNABLES: &str = "GLIBC_TUNABLES";

/// Begins this program again with the variable, in the same process, unless somebody has set it. Call it first of all:
/// whatever the process holds by then is lost, but for the descriptors that it began with. Where the system does not
/// let it begin again, all stays as it is.
pub fn give_memory_back() {
    if !cfg!(target_env = "gnu") {
        return;
    }
    let tunables = std::env::var_os(TUNABLES);
    if std::env::var_os(VARIABLE).is_some() || tunables.as_deref().is_some_and(sets_threshold) {
        return;
    }
    let mut arguments = std::env::args_os();
    let (Some(name), Ok(program)) = (arguments.next(), std::env::current_exe()) else { return };
    // Returns only if it fails.
    let _ = Command::new(program).arg0(name).args(arguments).env(VARIABLE, LARGE_BYTES).exec();
}

fn sets_threshold(tunables: &OsStr) -> bool {
    tunables.to_string_lossy().contains("glibc.malloc.mmap_threshold=")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_operator_set_is_found() {
        for (tunables, expected) in [
            ("glibc.malloc.mmap_threshold=65536", true),
            ("glibc.malloc.arena_max=2:glibc.malloc.mmap_threshold=65536", true),
            ("glibc.malloc.arena_max=2", false),
            ("", false),
        ] {
            assert_eq!(sets_threshold(OsStr::new(tunables)), expected, "{tunables}");
        }
    }
}
