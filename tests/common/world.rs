//! Judging hosts beside a list of protected names and a table, with nothing else set.

use linkmilter::engine::host::{Context, HostBounds, Judgement, Names, judge};
use linkmilter::engine::policy::RestrictionLevel;
use linkmilter::engine::tlds::TldTable;
use linkmilter::tld;

pub struct World {
    pub protected: Names,
    none: Names,
    pub tlds: TldTable,
}

impl World {
    /// With the list and the table that are built in.
    pub fn builtin() -> World {
        World::new(Names::builtin(), tld::builtin())
    }

    pub fn new(protected: Names, tlds: TldTable) -> World {
        World { protected, none: Names::default(), tlds }
    }

    /// As the bounds of the host were certain: no prose is glued to it.
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

    pub fn judge(&self, host: &str) -> Judgement {
        judge(host, &self.context())
    }
}
