//! What some programs see in place of this message: programs to which a header ends early, at a line that is no field
//! or at a blank one that others take for a fold; and programs in C that drop NUL. What is deceptive there is
//! reported, and not edited.

use std::collections::HashSet;

use super::Case;
use super::budget::Budget;
use super::cost::Stage;
use super::finding::{Candidate, Findings};
use super::judging::Judge;
use super::outcome::{Done, Edit, Reason, Verdict};
use super::part_context::PartContext;
use mailsplice::mime::{self, Message, Tree};

/// Reads what such programs see.
pub fn read(
    case: Case<'_>,
    tree: &Tree,
    judge: &mut Judge<'_>,
    budget: &mut Budget<'_>,
    found: &mut Findings,
) {
    let Message { head, body } = case.message;
    if tree.head.is_none()
        && let Some((head, body)) = mime::early_end(head)
    {
        report_deceptive(case, Message { head, body }, judge, budget, found);
    }
    // A header on which programs agree has no NUL.
    let header = if tree.head.is_some() { &[] } else { head };
    if [header, body].iter().any(|bytes| memchr::memchr(0, bytes).is_some()) {
        let without =
            |bytes: &[u8]| -> Vec<u8> { bytes.iter().copied().filter(|byte| *byte != 0).collect() };
        let (head, body) = (without(head), without(body));
        report_deceptive(case, Message { head: &head, body: &body }, judge, budget, found);
    }
}

/// Reports what is deceptive in this message and was not found in the usual one.
fn report_deceptive(
    case: Case<'_>,
    message: Message<'_>,
    judge: &mut Judge<'_>,
    budget: &mut Budget<'_>,
    found: &mut Findings,
) {
    let inner = mime::parse_until(message, &case.policy.limits.structure(), case.stop);
    if !budget.spend(Stage::Structure, inner.steps) {
        return;
    }
    let (policy, tlds) = (case.policy, case.tlds);
    let mut inside = Findings::default();
    let disjoint = inner.is_disjoint();
    for part in 0..inner.parts.len() {
        let mut context =
            PartContext { message, tree: &inner, language: None, policy, tlds, disjoint };
        context.read(part, judge, budget, &mut inside);
        if budget.limit_reached().is_some() {
            return;
        }
    }
    let known: HashSet<String> =
        found.candidates.iter().map(|candidate| candidate.finding.ascii.clone()).collect();
    let deceptive =
        inside.candidates.into_iter().filter(|found| found.finding.verdict == Verdict::Unsafe);
    for candidate in deceptive.filter(|found| !known.contains(&found.finding.ascii)) {
        let mut finding = candidate.finding;
        (finding.verdict, finding.edit, finding.done) =
            (Verdict::Suspect, Edit::Reported, Done::Reported);
        finding.reasons.insert(Reason::HiddenHost);
        finding.span = 0..0;
        found.push(policy, Candidate::report_only(finding));
    }
}
