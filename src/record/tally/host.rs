//! A host with findings over an archive, and whether its name deceives.

use serde::{Deserialize, Serialize};

use crate::engine::Finding;
use crate::engine::outcome::{Reason, Verdict};
use crate::engine::unicode::a_label::is_a_label;

use super::super::names::bounded;
use super::{codes, reasons, verdict};

/// A host with findings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TalliedHost {
    pub unicode: String,
    pub verdict: String,
    /// Reason codes, in the order of the documentation.
    pub reasons: Vec<String>,
    pub target: Option<String>,
    /// Whether the name itself deceives, or is listed. Else the way in which a link was written deceives.
    pub deceives: bool,
    pub findings: u64,
    pub messages: u64,
    /// Earliest and latest date of its messages, RFC 3339.
    pub first: Option<String>,
    pub last: Option<String>,
}

impl TalliedHost {
    /// What a finding says of its host. It is not counted yet.
    pub(super) fn of(finding: &Finding) -> TalliedHost {
        TalliedHost {
            unicode: bounded(&finding.unicode).into_owned(),
            verdict: finding.verdict.as_str().to_owned(),
            reasons: codes(finding.reasons),
            target: finding.target.clone(),
            deceives: deceives(finding),
            findings: 0,
            messages: 0,
            first: None,
            last: None,
        }
    }

    pub(super) fn add_date(&mut self, date: Option<&str>) {
        let Some(date) = date else { return };
        if self.first.as_deref().is_none_or(|first| date < first) {
            self.first = Some(date.to_owned());
        }
        if self.last.as_deref().is_none_or(|last| date > last) {
            self.last = Some(date.to_owned());
        }
    }

    pub(super) fn merge(&mut self, later: TalliedHost) {
        self.findings += later.findings;
        self.messages += later.messages;
        if verdict(&later.verdict) > verdict(&self.verdict) {
            self.verdict = later.verdict;
        }
        self.reasons = codes(reasons(&self.reasons).union(reasons(&later.reasons)));
        self.target = self.target.take().or(later.target);
        self.deceives |= later.deceives;
        self.add_date(later.first.as_deref());
        self.add_date(later.last.as_deref());
    }
}

/// Reasons for which the host name itself deceives.
const NAME_REASONS: [Reason; 9] = [
    Reason::IdnaInvalid,
    Reason::BidiControl,
    Reason::MixedScript,
    Reason::StatusRestricted,
    Reason::NumberMix,
    Reason::MarkAbuse,
    Reason::SeparatorLookalike,
    Reason::WholeScript,
    Reason::TargetLookalike,
];

/// Whether the host name of a finding deceives. A genuine name does not deceive because it is written in styled
/// letters, follows a false userinfo, or is a redirector that wraps another link. Else a block list made from
/// deceptive names would block `amazon.de`.
fn deceives(finding: &Finding) -> bool {
    let has = |reason| finding.reasons.contains(reason);
    let in_ascii_letters = || finding.ascii.is_ascii() && !finding.ascii.split('.').any(is_a_label);
    finding.verdict >= Verdict::Unsafe
        && !has(Reason::EmbeddedUrl)
        && (has(Reason::Listed) || (NAME_REASONS.into_iter().any(has) && !in_ascii_letters()))
}

#[cfg(test)]
mod tests {
    use super::super::super::finding::tests::finding;
    use super::*;

    #[test]
    fn a_genuine_name_in_a_deceptive_link_does_not_deceive() {
        let found = |ascii: &str, verdict, reasons: &[Reason]| {
            let reasons = reasons.iter().copied().collect();
            deceives(&Finding { ascii: ascii.to_owned(), verdict, reasons, ..finding() })
        };
        use Reason::{CompatForm, EmbeddedUrl, IdnaInvalid, Listed, MixedScript, Userinfo};
        assert!(found("xn--ypal-43d9g.com", Verdict::Unsafe, &[MixedScript]));
        assert!(found("www.XN--ypal-43d9g.com", Verdict::Invalid, &[IdnaInvalid, Userinfo]));
        assert!(found("evil.example", Verdict::Unsafe, &[Listed]));
        assert!(!found("xn--ypal-43d9g.com", Verdict::Notice, &[MixedScript]));
        assert!(!found("xn--mnchen-3ya.de", Verdict::Unsafe, &[CompatForm]));
        assert!(!found("amazon.de", Verdict::Unsafe, &[CompatForm]));
        assert!(!found("safelinks.example", Verdict::Unsafe, &[MixedScript, EmbeddedUrl]));
        assert!(!found("example.com", Verdict::Unsafe, &[Userinfo, MixedScript]));
    }
}
