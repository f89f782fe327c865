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
use super::{Case, Facts, Survey, TldSet, survey};
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
    let policy = Policy { report: Report::AllLinks, ..policy.clone() };
    let case = Case::new(message, facts, &policy, tlds);
    let bytes = message.head.len() + message.body.len();
    let mut budget = Budget::new(&policy, bytes, None);
    let Survey { tree, found, .. } = survey(case, &mut budget);
    let Findings { candidates, bypasses, .. } = found;
    let links = candidates
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
    Trace { tree, links, bypasses, cost: budget.cost() }
}

#[cfg(test)]
mod tests {
    use crate::{Facts, Message, Policy, TldTable, inspect, trace};

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
