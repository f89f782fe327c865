//! A message as the engine sees it: the part tree, its readings, and every link with its edits.
//!
//! For `linkmilter explain`, and for tests that compare the edits of the text with their raw edits. The mail path does
//! not use it.

use super::budget::Budget;
use super::cost::Cost;
use super::finding::{Candidate, Findings};
use super::judging::TldStatus;
use super::outcome::{Bypass, Finding};
use super::policy::{Policy, Report};
use super::{Answers, Case, Facts, Survey, TldSet, inspect_case, survey};
use mailsplice::mime::{Message, Tree};
use mailsplice::span::TextEdit;

/// What [`trace`] found.
#[derive(Debug)]
pub struct Trace {
    /// Parts of the message, as it was split.
    pub tree: Tree,
    /// Every link, good ones included, in the order of the parts.
    pub links: Vec<Traced>,
    /// Paths of what was not read, and why.
    pub bypasses: Vec<(String, Bypass)>,
    /// The steps that it took to find them, by stage.
    pub cost: Cost,
}

/// A link, and its edits before they are lowered to raw bytes.
#[derive(Clone, Debug)]
pub struct Traced {
    /// The link and its judgement.
    pub finding: Finding,
    /// Index in [`Tree::parts`]; `None` for a header field.
    pub part: Option<usize>,
    /// Index in [`readings`](mailsplice::mime::readings) of that part.
    pub reading: usize,
    /// In the text of that reading; may overlap those of other links.
    pub edits: Vec<TextEdit>,
    /// The TLD to look up in the DNS.
    pub question: Option<String>,
}

/// Reads a message like [`super::inspect`], and returns every link.
pub fn trace(message: Message<'_>, facts: &Facts, policy: &Policy, tlds: &dyn TldSet) -> Trace {
    let given = Case::new(message, facts, policy, tlds);
    let policy = Policy { report: Report::AllLinks, ..policy.clone() };
    let case = Case::new(message, facts, &policy, tlds);
    let bytes = message.head.len() + message.body.len();
    let mut budget = Budget::new(&policy, bytes, None);
    let Survey { tree, found, .. } = survey(case, &mut budget);
    let Findings { candidates, bypasses, .. } = found;
    let mut links: Vec<Traced> = candidates
        .into_iter()
        .map(|Candidate { finding, tld_status, reading, edits }| Traced {
            finding,
            part: reading.map(|(part, _)| part),
            reading: reading.map_or(0, |(_, reading)| reading),
            edits,
            question: match tld_status {
                TldStatus::Link | TldStatus::Confirmed(_) => None,
                TldStatus::Asked(tld) => Some(tld),
            },
        })
        .collect();
    let later = found_later(given, &tree, &links);
    links.extend(later);
    Trace { tree, links, bypasses, cost: budget.cost() }
}

/// What only the edits of a message come upon: hosts in its bytes, below every structure, or in other charsets.
fn found_later(case: Case<'_>, tree: &Tree, links: &[Traced]) -> Vec<Traced> {
    let outcome = inspect_case(case).resolve(&Answers::new());
    let is_new = |finding: &Finding| {
        let is_told =
            |told: &Finding| told.ascii == finding.ascii && told.verdict >= finding.verdict;
        !finding.ascii.is_empty() && !links.iter().any(|link| is_told(&link.finding))
    };
    let part = |path: &str| tree.parts.iter().position(|part| part.path == path);
    let findings = outcome.findings.into_iter().filter(is_new);
    let traced = |finding: Finding| Traced {
        part: part(&finding.part),
        finding,
        reading: 0,
        edits: Vec::new(),
        question: None,
    };
    findings.map(traced).collect()
}

#[cfg(test)]
mod tests {
    use crate::{Facts, Message, Policy, TldTable, inspect, trace};

    #[test]
    fn a_trace_has_what_is_found_in_the_bytes() {
        let (name, _, _) = encoding_rs::WINDOWS_1251.encode("р\u{430}ypal");
        let body = [b"see http://www.", name.as_ref(), b".com/login now\r\n"].concat();
        let head = b"From: ann@example.com\r\nContent-Type: text/plain; charset=utf-8\r\n";
        let message = Message { head, body: &body };
        let tlds = TldTable::new(["com"], "");
        let shown = trace::trace(message, &Facts::default(), &Policy::default(), &tlds);
        let mut found = shown.links.iter().map(|link| (&*link.finding.ascii, link.part));
        assert!(found.any(|link| link == ("www.xn--ypal-43d9g.com", Some(0))), "{:?}", shown.links);
    }

    #[test]
    fn a_trace_costs_what_the_message_does() {
        let body = "http://example.com/ and www.пример.com, said bob@example.com\r\n".repeat(50);
        let head = b"From: ann@example.com\r\nContent-Type: text/plain; charset=utf-8\r\n";
        let message = Message { head, body: body.as_bytes() };
        let (facts, policy) = (Facts::default(), Policy::default());
        let tlds = TldTable::new(["com"], "");
        let shown = trace::trace(message, &facts, &policy, &tlds);
        assert_eq!(shown.links.len(), 151);
        assert_eq!(shown.cost, inspect(message, &facts, &policy, &tlds).cost());
    }
}
