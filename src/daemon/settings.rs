//! One generation of the configuration, with everything that the daemon derives from it.

use std::sync::Arc;
use std::time::SystemTime;

use super::host_name;
use super::seal::{self, KeyError, Seal};
use super::state_dir;
use crate::config::{self, Config, Errors, Settings, Snapshot, SnapshotError, Sources};
use crate::engine::outcome::Because;
use crate::milter::server::ServerLimits;
use crate::milter::session::Bounds;
use crate::record::time::Timestamp;

/// A configuration with everything that was read or derived from it.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub config: Config,
    pub settings: Settings,
    /// This host's name, for `by=` in our header field and for our own mail.
    pub host_name: String,
    /// The seal for our own mail; an error if there is no place for the key.
    pub seal: Result<Seal, Arc<KeyError>>,
}

/// Reads all layers of the configuration, the lists and the keys.
///
/// # Errors
/// Everything that is wrong, at once.
pub fn load(sources: &Sources) -> Result<Loaded, Errors> {
    derive(config::load(sources)?)
}

/// As [`load`], for a daemon that was started with another configuration: its state stays where it is.
///
/// # Errors
/// Everything that is wrong, at once.
pub fn reload(sources: &Sources, started: &Config) -> Result<Loaded, Errors> {
    let mut config = config::load(sources)?;
    config.server.state_dir.clone_from(&started.server.state_dir);
    derive(config)
}

fn derive(config: Config) -> Result<Loaded, Errors> {
    let seal = || {
        // The key is the first file of a new state directory. Without one, the error of the key is told.
        let _ = state_dir::create(&config.server.state_dir);
        Seal::load_or_create(&seal::path(&config)).map_err(Arc::new)
    };
    // If the operator names a key file, it must exist. Only our own key is created.
    let own = config.policy.seal_key_file.is_none().then(seal);
    let key = own.as_ref().and_then(|own| own.as_ref().ok()).map(Seal::key);
    let settings = config.daemon_settings(key)?;
    let seal = own.unwrap_or_else(seal);
    Ok(Loaded { settings, host_name: host_name::of(&config), seal, config })
}

/// The configuration that was just loaded, to be kept as the last good one for a start at which the present one is
/// invalid. The copy is loaded once, to be sure that it is good.
///
/// # Errors
/// A file changed meanwhile, or cannot be read any more.
pub fn snapshot(sources: &Sources, config: &Config) -> Result<Snapshot, SaveError> {
    let time = Timestamp::of(SystemTime::now()).to_string();
    let snapshot = sources.snapshot(config, time)?;
    config::load(&sources.with_snapshot(snapshot.clone())).and_then(|config| config.settings())?;
    Ok(snapshot)
}

/// Why the configuration in force is not saved.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    #[error(transparent)]
    File(#[from] SnapshotError),
    #[error("it changed while it was read: {0}")]
    Changed(#[from] Errors),
}

impl Loaded {
    /// What the daemon cannot do without a key, if outbound mail is to be restored.
    pub fn missing_seal(&self) -> Option<String> {
        let sealed = self.settings.policies.default_policy().seal_key.is_some();
        let error =
            self.seal.as_ref().err().filter(|_| self.config.restores_outbound() && !sealed)?;
        let unmarked = match self.config.banner.external {
            true => ", and mail from outside is not marked",
            false => "",
        };
        Some(format!(
            "no seal: mail that leaves stays as it is{unmarked}: {error}; mend it and reload"
        ))
    }

    /// The SMTP reply for a message that is rejected because of this. The text of the configuration is about links.
    pub fn refusal(&self, because: Option<&Because>) -> String {
        let policy = &self.config.policy;
        let code = &policy.reject_code.0;
        match because {
            Some(unread @ Because::Unread(_)) => format!("550 {code} Message refused: {unread}"),
            _ => format!("550 {code} {}", policy.reject_text),
        }
    }

    /// The limits of the milter server.
    pub fn limits(&self) -> ServerLimits {
        let server = &self.config.server;
        let bytes = |size: config::Size| usize::try_from(size.0).unwrap_or(usize::MAX);
        ServerLimits {
            connections: server.max_connections,
            memory_bytes: bytes(server.max_memory),
            idle: server.idle_timeout,
            reply: server.write_timeout,
            drain: server.drain,
            session: Bounds { message_bytes: bytes(server.max_message), ..Bounds::default() },
            ..ServerLimits::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_key_mail_from_outside_is_not_marked() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("linkmilter.toml");
        let loaded = |state: &str, more: &str| {
            let text = format!(
                "server.state_dir = {:?}\nbanner.external = true\n\
                 outbound.local_domains = [\"example.org\"]\n{more}\n",
                dir.path().join(state)
            );
            std::fs::write(&file, text).unwrap();
            let loaded = load(&Sources::new(Some(file.clone()))).unwrap();
            let marks = loaded.settings.policies.default_policy().banner.external.is_some();
            (marks, loaded.missing_seal())
        };
        std::fs::create_dir(dir.path().join("state")).unwrap();
        assert_eq!(loaded("state", ""), (true, None));
        // A file where the state directory should be: no key can be made in it.
        let (marks, problem) = loaded("linkmilter.toml", "");
        assert!(!marks);
        assert!(problem.unwrap().contains("mail from outside is not marked"));
        let key = dir.path().join("state/seal.key");
        let named = format!("policy.seal_key_file = {key:?}");
        assert_eq!(loaded("linkmilter.toml", &named), (true, None));
    }
}
