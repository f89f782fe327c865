//! The hosts of one message in its event.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::super::printable;
use super::verdict_word;
use crate::engine::outcome::{Done, Finding, Reason, Reasons, Verdict};

/// Hosts recorded of one message, worst first: enough to explain it.
pub const MAX_HOSTS: usize = 32;

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
