//! Options that commands share: the configuration, and the event journal that it names.

use std::fmt::Display;
use std::io::ErrorKind;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use anyhow::{anyhow, bail};

use crate::config::{self, Config, Errors, LastGood, Settings, Sources, Start};
use crate::daemon::journal;
use crate::daemon::seal::{self, Seal};
use crate::engine::Policy;
use crate::engine::lists::Lists;
use crate::feed::refresh::load_stored;
use crate::feed::store::FeedStore;
use crate::record::journal::{JournalError, is_journal};

/// A number as an argument.
///
/// # Errors
/// When it is none of the range.
pub fn number<N: FromStr + PartialOrd + Display>(
    text: &str,
    range: RangeInclusive<N>,
) -> Result<N, String> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    let (least, most) = (range.start(), range.end());
    number.ok_or_else(|| format!("expected a number from {least} to {most}, found {text:?}"))
}

/// Options of every command that reads the configuration.
#[derive(Clone, Debug, clap::Args)]
pub struct ConfigFile {
    /// The configuration file [default: /etc/linkmilter/linkmilter.toml, if it exists]
    #[arg(id = "config", long = "config", value_name = "FILE", global = true)]
    pub file: Option<PathBuf>,
}

impl ConfigFile {
    pub fn sources(self) -> Sources {
        Sources::new(self.file)
    }

    /// # Errors
    /// When the configuration is not valid.
    pub fn load(self) -> Result<Config, Errors> {
        config::load(&self.sources())
    }

    /// The configuration that the filter on this machine uses: the last good one if the present one
    /// is not valid, with a warning. For questions about what is running.
    ///
    /// # Errors
    /// When the present one is not valid, and this user can read no last good one.
    pub fn in_force(self) -> Result<Config, Errors> {
        Ok(match config::start(&self.sources(), config::load)? {
            Start::Present(config) => config,
            Start::LastGood(LastGood { loaded, since, errors }) => {
                super::warn(&errors);
                super::warn(&format!("the last good configuration of {since} is used"));
                loaded
            }
        })
    }
}

/// Options of every command that reads the event journal.
#[derive(Clone, Debug, clap::Args)]
pub struct Events {
    /// Read the event journal in this directory instead of the configured one
    #[arg(long, value_name = "DIR")]
    journal: Option<PathBuf>,
    #[command(flatten)]
    config: ConfigFile,
}

impl Events {
    /// The configuration, and the directory of the journal.
    ///
    /// # Errors
    /// When the configuration is not valid, and there is no last good one; when a journal is named where none is: a
    /// mistyped path must not say that nobody got a message.
    pub fn open(self) -> anyhow::Result<(Config, PathBuf)> {
        let config = self.config.in_force()?;
        let Some(directory) = self.journal else {
            let directory = journal::directory(&config);
            return Ok((config, directory));
        };
        require_journal(&directory)?;
        Ok((config, directory))
    }

    /// As [`Events::open`], for commands that have nothing else to read: a journal that does not exist is no quiet
    /// day.
    ///
    /// # Errors
    /// Likewise, and when there is no such directory.
    pub fn open_existing(self) -> anyhow::Result<(Config, PathBuf)> {
        let (config, directory) = self.open()?;
        require_directory(&directory)?;
        Ok((config, directory))
    }
}

/// Fails where there is no such directory. Whether it may be read is found when it is read.
///
/// # Errors
/// It does not exist.
pub fn require_directory(directory: &Path) -> anyhow::Result<()> {
    if directory.try_exists().is_ok_and(|exists| !exists) {
        bail!("the journal {} does not exist", directory.display());
    }
    Ok(())
}

/// Fails where there is no journal: neither events nor recalls.
fn require_journal(directory: &Path) -> anyhow::Result<()> {
    require_directory(directory)?;
    if is_journal(directory).is_ok_and(|is_journal| !is_journal) {
        bail!("expected a journal in {}, found no file of one", directory.display());
    }
    Ok(())
}

/// Where recalls are recorded for a user who may not write to the journal: `linkmilter` in the XDG
/// state directory. `None` without a home directory.
pub fn user_recall_directory() -> Option<PathBuf> {
    let absolute = |name: &str| {
        std::env::var_os(name).map(PathBuf::from).filter(|directory| directory.is_absolute())
    };
    let state = absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")));
    Some(state?.join("linkmilter"))
}

/// Appended to the error when this user may not read a file of the daemon.
pub const PERMISSION_HINT: &str =
    "the files of the filter are readable by its user and root only: try again with sudo";

/// The error of reading the journal, with a hint.
pub fn journal_error(error: JournalError) -> anyhow::Error {
    match error.source.kind() {
        ErrorKind::PermissionDenied => anyhow!("{error}; {PERMISSION_HINT}"),
        _ => error.into(),
    }
}

/// The host name of the configuration. The system is not asked: the result may be sent to
/// strangers.
pub fn host_name(config: &Config) -> String {
    let named = config.server.host_name.as_ref();
    named.map_or_else(|| "localhost".to_owned(), |name| name.0.clone())
}

/// The settings with the key of the daemon. A key that this user may not read is no error: then nothing has a seal.
///
/// # Errors
/// A list, or a key that the configuration names, cannot be read.
pub fn settings_with_key(config: &Config) -> Result<Settings, Errors> {
    match Seal::load(&seal::path(config)) {
        Ok(seal) => config.daemon_settings(Some(seal.key())),
        Err(_) => config.user_settings(),
    }
}

/// The policy of mail that no rule is for, with the lists of others as stored on this machine: what a command judges by
/// that has no message.
pub fn default_policy(config: &Config) -> anyhow::Result<Policy> {
    Ok(with_feeds(config, &config.user_settings()?.policies.default_policy()))
}

/// The policy with the lists of others as stored on this machine. Lists that cannot be read are
/// left out, with a warning.
pub fn with_feeds(config: &Config, policy: &Policy) -> Policy {
    let store = FeedStore::new(config.feed_directory());
    let mut listings = Vec::new();
    for feed in config.feeds() {
        match load_stored(&feed, &store) {
            Ok(loaded) => listings.extend(loaded.map(|loaded| loaded.listing)),
            Err(error) => super::warn(&error),
        }
    }
    let lists = Lists { listings: Arc::new(listings), ..policy.lists.clone() };
    Policy { lists, ..policy.clone() }
}
