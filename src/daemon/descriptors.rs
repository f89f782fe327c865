//! How many files and connections the daemon may have open.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Descriptors beside those of the connections: queries to the DNS, files of the state, lists that are fetched.
const BESIDE_CONNECTIONS: u64 = 320;

/// Raises the limit to what this many connections need, if the system permits it; else warns.
pub fn raise_limit(connections: usize) {
    let limit = getrlimit(Resource::Nofile);
    let needed = BESIDE_CONNECTIONS.saturating_add(connections as u64);
    let soft = limit.current.unwrap_or(u64::MAX);
    let wanted = needed.min(limit.maximum.unwrap_or(u64::MAX)).max(soft);
    // No more than that: programs that the daemon starts may go through all that they could have open.
    let raised = soft == wanted
        || setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), ..limit }).is_ok();
    let granted = if raised { wanted } else { soft };
    if granted < needed {
        tracing::warn!(
            "expected a limit of {needed} open files for server.max_connections = {connections}, found \
             {granted}: connections beyond it will not be accepted; raise LimitNOFILE= of the unit \
             (ulimit -n), or lower server.max_connections"
        );
    }
}
