//! The names to look up: top-level domains in the DNS, domains in block lists.

use super::{Judge, Judged, TldStatus};
use crate::outcome::Reason;
use crate::policy::AskTlds;
use homograph::{Judgement, Section, registrable};
use uts58::{Kind, Link};

/// Names to look up, each once, in the order of their first occurrence.
#[derive(Clone, Debug, Default)]
pub struct Queries {
    /// Top-level domains, to look up in the DNS.
    pub tlds: Vec<String>,
    /// Registrable domains, to look up in block lists.
    pub domains: Vec<String>,
}

impl Judge<'_> {
    /// Whether a host is a link, by its top-level domain; it is added to the queries if it must be looked up. `None` if
    /// the host is no link.
    pub(super) fn tld_status(&mut self, host: &Judgement, kind: Kind) -> Option<TldStatus> {
        if host.reasons.contains(Reason::TldSyntax) {
            return None;
        }
        let Some(tld) = &host.question else { return Some(self.in_table(host, kind)) };
        let is_asked = kind != Kind::Bare && self.ask(tld);
        is_asked.then(|| TldStatus::Asked(tld.clone()))
    }

    /// A TLD of the table is looked up only if every one is (S26).
    fn in_table(&mut self, host: &Judgement, kind: Kind) -> TldStatus {
        if self.policy.ask_tlds == AskTlds::Unknown || kind == Kind::Bare {
            return TldStatus::Link;
        }
        match host.ascii.rsplit('.').next().filter(|tld| self.tlds.exists(tld)) {
            Some(tld) if self.ask(tld) => TldStatus::Confirmed(tld.to_owned()),
            _ => TldStatus::Link,
        }
    }

    /// Adds the domains that a link leads to to the queries. Mail addresses, dotted words of prose and hosts whose TLD
    /// is unknown are left out.
    pub(super) fn ask_domains(&mut self, link: &Link, judged: &Judged) {
        let unknown = matches!(judged.tld_status, TldStatus::Asked(_));
        let word = link.kind == Kind::Bare && link.tail.is_empty();
        if unknown || word || link.kind == Kind::Email {
            return;
        }
        for host in judged.host.as_deref().into_iter().chain(&judged.inner) {
            if host.question.is_some()
                || host.reasons.contains(Reason::Listed)
                || self.is_above_listings(&host.ascii)
            {
                continue;
            }
            if let Some(domain) = registrable(&host.ascii, Section::Private) {
                add_unique(&mut self.queries.domains, domain, self.policy.limits.domains);
            }
        }
    }

    /// Adds a TLD to the queries. False if there is no space for it.
    fn ask(&mut self, tld: &str) -> bool {
        add_unique(&mut self.queries.tlds, tld, self.policy.limits.questions)
    }
}

/// Adds a name unless it is there already. False if there is no space for it.
fn add_unique(names: &mut Vec<String>, name: &str, max: usize) -> bool {
    if names.iter().any(|known| known == name) {
        return true;
    }
    let has_space = names.len() < max;
    if has_space {
        names.push(name.to_owned());
    }
    has_space
}
