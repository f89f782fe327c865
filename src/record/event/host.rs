//! The hosts of one message in its event.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::super::printable;
use super::verdict_word;
use crate::engine::outcome::{Done, Finding, Reason, Reasons, Verdict};

/// Hosts recorded of one message, worst first: enough to explain it.
pub const MAX_HOSTS: usize = 32;

/// Lists recorded of one host: more say nothing further of it.
const MAX_LISTS: usize = 4;

/// One host of a message, with all its places together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostEntry {
    /// A-labels; empty if a link has no host (`javascript:`).
    pub host: String,
    #[serde(with = "verdict_word")]
    pub verdict: Verdict,
    /// Reason codes; unknown ones are kept as they are.
    pub reasons: Vec<String>,
    /// The protected name it reads as.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The lists that name it, as keys of the configuration.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lists: Vec<String>,
    pub done: HostDone,
    /// Places in the message.
    pub count: u64,
}

word_enum! {
    /// [`Done`] in JSON: the strongest action on a host in any of its places.
    #[derive(Default, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum HostDone {
        #[default]
        Reported = "reported",
        Exempted = "exempted",
        Edited = "edited",
    }
}

impl From<Done> for HostDone {
    fn from(done: Done) -> HostDone {
        match done {
            Done::Reported => HostDone::Reported,
            Done::Exempt => HostDone::Exempted,
            Done::Edited => HostDone::Edited,
        }
    }
}

impl HostEntry {
    /// A reason code for people: `listed` with the lists, `listed: feeds.malware`.
    pub fn code_with_lists(&self, code: &str) -> String {
        let code = printable::label(code);
        if code != Reason::Listed.code() || self.lists.is_empty() {
            return code;
        }
        let lists: Vec<String> = self.lists.iter().map(|list| printable::label(list)).collect();
        format!("{code}: {}", lists.join(", "))
    }
}

/// Findings by host, worst first, and the number of hosts beyond the limit. Those of a message that is not
/// delivered are reported only.
pub(super) fn hosts<'a>(
    findings: impl Iterator<Item = &'a Finding>,
    delivered: bool,
) -> (Vec<HostEntry>, u64) {
    let done = |finding: &Finding| match delivered {
        true => HostDone::from(finding.done),
        false => HostDone::Reported,
    };
    let mut by_host: BTreeMap<&str, (HostEntry, Reasons)> = BTreeMap::new();
    for finding in findings {
        let (entry, reasons) = by_host.entry(&finding.ascii).or_default();
        entry.verdict = entry.verdict.max(finding.verdict);
        entry.done = entry.done.max(done(finding));
        entry.count += 1;
        if entry.target.is_none() {
            entry.target = finding.target.as_deref().map(printable::host);
        }
        for list in finding.lists.iter().map(|list| printable::label(list)) {
            if entry.lists.len() < MAX_LISTS && !entry.lists.contains(&list) {
                entry.lists.push(list);
            }
        }
        *reasons = reasons.union(finding.reasons);
    }
    let mut hosts: Vec<HostEntry> = by_host
        .into_iter()
        .map(|(ascii, (entry, reasons))| HostEntry {
            host: printable::host(ascii),
            reasons: reasons.iter().map(|reason: Reason| reason.code().to_owned()).collect(),
            ..entry
        })
        .collect();
    hosts.sort_by(|a, b| b.verdict.cmp(&a.verdict).then(b.count.cmp(&a.count)));
    let omitted = hosts.len().saturating_sub(MAX_HOSTS);
    hosts.truncate(MAX_HOSTS);
    (hosts, omitted as u64)
}

#[cfg(test)]
mod tests {
    use super::super::super::finding::tests::finding;
    use super::*;

    #[test]
    fn the_lists_of_a_host_are_few() {
        let found: Vec<Finding> = (0..10)
            .map(|number| Finding {
                lists: vec![format!("feeds.f{number}"), "lists.blocked".to_owned()],
                reasons: [Reason::Listed].into_iter().collect(),
                ..finding()
            })
            .collect();
        let (hosts, _) = hosts(found.iter(), true);
        let lists = ["feeds.f0", "lists.blocked", "feeds.f1", "feeds.f2"];
        assert_eq!(
            hosts.first().map(|host| host.lists.as_slice()),
            Some(&lists.map(String::from)[..])
        );
        let codes = hosts.first().map(|host| host.code_with_lists("listed"));
        assert_eq!(codes.as_deref(), Some("listed: feeds.f0, lists.blocked, feeds.f1, feeds.f2"));
    }
}
