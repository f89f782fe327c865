//! Judging by the names that are built in and the machine's top-level domains, for commands that know
//! no message.

use crate::engine::host::{Context, HostBounds, Names};
use crate::engine::policy::RestrictionLevel;
use crate::engine::tlds::TldTable;

use super::shared::ConfigFile;

/// The built-in names to protect, and the table of top-level domains that the configuration names.
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

    /// For a host whose bounds are certain.
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
