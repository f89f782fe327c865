//! Options that commands share: the configuration, and the event journal that it names.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::anyhow;

use crate::config::{self, Config, Errors, LastGood, Sources, Start};
use crate::daemon::journal;
use crate::engine::Policy;
use crate::engine::lists::Lists;
use crate::feed::refresh::load_stored;
use crate::feed::store::Store;
use crate::record::journal::JournalError;

/// Of every command that reads the configuration.
#[derive(Clone, Debug, clap::Args)]
pub struct ConfigFile {
    /// The configuration file [default: /etc/linkmilter/linkmilter.toml, if it is there]
    #[arg(id = "config", long = "config", value_name = "FILE", global = true)]
    pub file: Option<PathBuf>,
}

impl ConfigFile {
    pub fn sources(self) -> Sources {
        Sources::new(self.file)
    }

    /// # Errors
    /// When the configuration does not hold.
    pub fn load(self) -> Result<Config, Errors> {
        config::load(&self.sources())
    }

    /// The configuration that the filter here has in force: the last good one where the present one
    /// does not hold, which is complained of. For questions about what runs.
    ///
    /// # Errors
    /// When the present one does not hold and none is kept that this user may read.
    pub fn in_force(self) -> Result<Config, Errors> {
        Ok(match config::start(&self.sources(), config::load)? {
            Start::Present(config) => config,
            Start::LastGood(LastGood { loaded, since, errors }) => {
                super::complain(&errors);
                super::complain(&format!("the last good configuration of {since} counts"));
                loaded
            }
        })
    }
}

/// Of every command that reads the event journal.
#[derive(Clone, Debug, clap::Args)]
pub struct Events {
    /// Read the event journal in this directory instead of the configured one
    #[arg(long, value_name = "DIR")]
    journal: Option<PathBuf>,
    #[command(flatten)]
    config: ConfigFile,
}

impl Events {
    /// The configuration, and where the events are.
    ///
    /// # Errors
    /// When the configuration does not hold, and none is kept that did.
    pub fn open(self) -> Result<(Config, PathBuf), Errors> {
        let config = self.config.in_force()?;
        let directory = self.journal.unwrap_or_else(|| journal::directory(&config));
        Ok((config, directory))
    }
}

/// Where what a user recalled is kept who may not write to the journal: `linkmilter` in the state directory of
/// the XDG base directories. `None` without a home.
pub fn own_recalls() -> Option<PathBuf> {
    let absolute = |name: &str| {
        std::env::var_os(name).map(PathBuf::from).filter(|directory| directory.is_absolute())
    };
    let state = absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")));
    Some(state?.join("linkmilter"))
}

/// What to do about a file that the daemon keeps and this user may not read.
pub const PRIVATE: &str =
    "what the filter keeps is for its own user and root: say it again with sudo";

/// Why the journal was not read, and what to do about it.
pub fn unread(error: JournalError) -> anyhow::Error {
    match error.source.kind() {
        ErrorKind::PermissionDenied => anyhow!("{error}; {PRIVATE}"),
        _ => error.into(),
    }
}

/// The name that the operator gave this host: asking the system would tell strangers its name.
pub fn host_name(config: &Config) -> String {
    let named = config.server.host_name.as_ref();
    named.map_or_else(|| "localhost".to_owned(), |name| name.0.clone())
}

/// The settings with the lists of others as they are kept on this machine. What cannot be read is
/// complained of and left out.
pub fn with_feeds(config: &Config, policy: &Policy) -> Policy {
    let store = Store::new(config.feed_directory());
    let mut listings = Vec::new();
    for feed in config.feeds() {
        match load_stored(&feed, &store) {
            Ok(loaded) => listings.extend(loaded.map(|loaded| loaded.listing)),
            Err(error) => super::complain(&error),
        }
    }
    let lists = Lists { listings: Arc::new(listings), ..policy.lists.clone() };
    Policy { lists, ..policy.clone() }
}
