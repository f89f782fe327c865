//! The name of this host, for `by=` in our header field and for our own mail.

use crate::config::Config;
use crate::record::printable;

/// The configured name, else the kernel's, else `localhost`.
pub fn of(config: &Config) -> String {
    let configured = config.server.host_name.as_ref().map(|domain| domain.0.clone());
    let kernel = || std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let name = configured.or_else(kernel).unwrap_or_default();
    match printable::host(name.trim()) {
        name if name.is_empty() || name.contains('{') => "localhost".to_owned(),
        name => name,
    }
}
