//! The body of those to whom a header ends early: at a line that is no field, or at a blank one that others take
//! for a fold. What deceives there is told; a header is never edited.

use super::Case;
use super::budget::Budget;
use super::cost::Stage;
use super::finding::{Candidate, Findings};
use super::judging::Judge;
use super::outcome::{Done, Edit, Reason, Verdict};
use super::parts::PartContext;
use mailsplice::mime::{self, Message, Tree};

/// Reads what stands behind the end that some see, where programs do not agree on the header.
pub fn read(
    case: Case<'_>,
    tree: &Tree,
    judge: &mut Judge<'_>,
    budget: &mut Budget<'_>,
    found: &mut Findings,
) {
    if tree.head.is_some() {
        return;
    }
    let Some((head, body)) = mime::early_end(case.message.head) else { return };
    let message = Message { head, body };
    let inner = mime::parse_until(message, &case.policy.limits.structure(), case.stop);
    if !budget.spend(Stage::Structure, inner.steps) {
        return;
    }
    let (policy, tlds) = (case.policy, case.tlds);
    let mut inside = Findings::default();
    for part in 0..inner.parts.len() {
        let disjoint = inner.is_disjoint();
        let mut context =
            PartContext { message, tree: &inner, language: None, policy, tlds, disjoint };
        context.read(part, judge, budget, &mut inside);
        if budget.over().is_some() {
            return;
        }
    }
    let lies = inside.candidates.into_iter().filter(|lie| lie.finding.verdict == Verdict::Unsafe);
    for lie in lies {
        let mut finding = lie.finding;
        (finding.verdict, finding.edit, finding.done) =
            (Verdict::Suspect, Edit::Told, Done::Reported);
        finding.reasons.insert(Reason::HiddenHost);
        finding.span = 0..0;
        found.push(policy, Candidate::told(finding));
    }
}
