//! How much memory the system lets the daemon map.

use rustix::process::{Resource, getrlimit};

use crate::config::Config;

const MIB: u64 = 1 << 20;

/// What is mapped beside mail: stacks of threads, what the allocator sets aside for each of them, tables. Most of it
/// is never used, and counts all the same.
const BESIDE_MAIL: u64 = 768 * MIB;

/// Warns if the system permits less than mail may take. A program whose memory is refused ends at once: no mail is lost,
/// but all that is under way is put off, each time.
pub fn check(config: &Config) {
    let server = &config.server;
    let largest = server.max_message.0.saturating_add(server.max_message.0 / 15);
    let mail = server.max_memory.0.max(largest);
    let needed = mail.saturating_add(mail / 2).saturating_add(BESIDE_MAIL);
    let permitted = getrlimit(Resource::As).current;
    if let Some(permitted) = permitted.filter(|permitted| *permitted < needed) {
        tracing::warn!(
            "expected a limit of {} MiB of address space for server.max_memory = {} MiB, found {} MiB: the \
             filter ends where it has too little; raise LimitAS= of the unit (ulimit -v), or lower \
             server.max_memory",
            needed / MIB,
            server.max_memory.0 / MIB,
            permitted / MIB
        );
    }
}
