//! What one generation of the configuration means to the daemon.

use std::sync::Arc;

use super::host_name;
use super::seal::{self, KeyError, Seal};
use crate::config::{self, Config, Errors, Settings, Sources};
use crate::milter::server::Limits;
use crate::milter::session::Bounds;

/// A configuration with everything that was read or derived from it.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub config: Config,
    pub settings: Settings,
    /// This host's name, for `by=` in our header field and for mail of our own.
    pub host_name: String,
    /// What marks mail of our own; none without a place for the key.
    pub seal: Result<Seal, Arc<KeyError>>,
}

/// Reads all layers, the lists and the keys.
///
/// # Errors
/// Everything that is wrong, at once.
pub fn load(sources: &Sources) -> Result<Loaded, Errors> {
    let config = config::load(sources)?;
    let settings = config.settings()?;
    let seal = Seal::load_or_create(&seal::path(&config)).map_err(Arc::new);
    Ok(Loaded { settings, host_name: host_name::of(&config), seal, config })
}

impl Loaded {
    /// The SMTP reply of a refused message.
    pub fn refusal(&self) -> String {
        let policy = &self.config.policy;
        format!("550 {} {}", policy.reject_code.0, policy.reject_text)
    }

    /// The bounds of the milter server.
    pub fn limits(&self) -> Limits {
        let server = &self.config.server;
        let bytes = |size: config::Size| usize::try_from(size.0).unwrap_or(usize::MAX);
        Limits {
            connections: server.max_connections,
            memory_bytes: bytes(server.max_memory),
            idle: server.idle_timeout,
            reply: server.write_timeout,
            drain: server.drain,
            session: Bounds { message_bytes: bytes(server.max_message), ..Bounds::default() },
            ..Limits::default()
        }
    }
}
