//! Judging with the built-in names and this machine's top-level domains, for commands without a
//! message.

use crate::engine::host::{Context, HostBounds, Names};
use crate::engine::policy::RestrictionLevel;
use crate::engine::tlds::TldTable;

use super::shared::ConfigFile;

/// The built-in protected names, and the table of top-level domains from the configuration.
pub struct Builtin {
    protected: Names,
    none: Names,
    tlds: TldTable,
}

impl Builtin {
    pub fn new(config: ConfigFile) -> anyhow::Result<Builtin> {
        let tlds = super::tld::table(&config.load()?);
        Ok(Builtin { protected: Names::builtin(), none: Names::default(), tlds })
    }

    /// For a host whose extent in the text is certain.
    pub fn context(&self) -> Context<'_> {
        Context {
            level: RestrictionLevel::default(),
            protected: &self.protected,
            own: &self.none,
            blocked: &self.none,
            tlds: &self.tlds,
            bounds: HostBounds::Certain,
        }
    }
}
