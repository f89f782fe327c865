//! Options that commands share: the configuration, and the event journal that it names.

use std::path::PathBuf;

use crate::config::{self, Config, Errors, Sources};
use crate::daemon::journal;

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
    /// When the configuration does not hold.
    pub fn open(self) -> Result<(Config, PathBuf), Errors> {
        let config = self.config.load()?;
        let directory = self.journal.unwrap_or_else(|| journal::directory(&config));
        Ok((config, directory))
    }
}
