//! The inspection of a message: survey, ask the DNS, decide, edit, and survey again until nothing is left to edit.
//!
//! A part that clients read in several ways is edited in each of its readings. Where edits of two readings overlap
//! only one of them can be made, and an edit for one reading may change what another one shows. So the edited message
//! is surveyed again and edited further until no reading has anything left to edit. A message whose parts have one
//! reading hardly ever needs this (a host that was attached to a defanged one may begin where that ends): it is read
//! again only up to a megabyte, and if plenty of the budget is left.

mod edits;

use super::budget::Budget;
use super::cost::Cost;
use super::decide::{build_outcome, decide};
use super::finding::Findings;
use super::judging::Queries;
use super::net;
use super::outcome::{Bypass, Limit, Outcome};
use super::{Answers, Case, Survey, banner, survey};
use edits::{Readings, combined, edit};
use maillinks::images::ImageBudget;
use mailsplice::mime::{Lowered, Message, Tree};
use mailsplice::splice::{apply, apply_head};

/// How often an edited message is read again. Real mail needs one round; each costs as much as the first reading.
pub(super) const ROUNDS: usize = 4;

/// Bytes of a body that is read again although all its parts have one reading. The edited copy of a larger one takes
/// memory, and hardly ever is anything found.
const SECOND_READING_BYTES: usize = 1 << 20;

/// A message that has been read and judged, and waits for the answers of the DNS.
#[derive(Debug)]
pub struct Inspection<'a> {
    /// TLDs to look up in the DNS, in lower-case ASCII form: those that the table lacks, or every one
    /// ([`super::policy::AskTlds`]); at most [`super::policy::limits::Limits::questions`].
    pub questions: Vec<String>,
    /// Registrable domains of links, in lower-case ASCII form, to look up in third-party lists
    /// ([`super::policy::AskDomains`]), without those that are protected, allowed or listed already. If one turns out
    /// to be listed, inspect the message anew with a further [`super::policy::lists::Listing`].
    pub domains: Vec<String>,
    case: Case<'a>,
    tree: Tree,
    found: Findings,
    /// The budget that is left for the rounds.
    budget: Budget<'a>,
}

/// As [`super::inspect`], for a [`Case`] with memory, stop flag and step limit.
pub fn inspect_case(case: Case<'_>) -> Inspection<'_> {
    let bytes = case.message.head.len() + case.message.body.len();
    let mut budget = Budget::new(case.policy, bytes, case.stop).limited_to(case.steps);
    let Survey { tree, queries, found } = survey(case, &mut budget);
    let Queries { tlds: questions, domains } = queries;
    Inspection { questions, domains, case, tree, found, budget }
}

impl<'a> Inspection<'a> {
    /// The steps spent so far.
    pub fn cost(&self) -> Cost {
        self.budget.cost()
    }

    /// Finishes with the answers of the DNS. A question without an answer counts as unverified.
    pub fn resolve(self, answers: &Answers) -> Outcome {
        let Inspection { case, tree, found, mut budget, .. } = self;
        let mut decided = decide(found, answers);
        banner::add(case, &tree, &mut decided);
        let edits = until_settled(ROUNDS, (case, &tree), &mut decided, answers, &mut budget);
        let outcome = build_outcome(case, &tree, decided, edits);
        Outcome { cost: budget.cost(), ..outcome }
    }
}

/// The edits of what was decided, so that a survey of the edited message finds nothing to edit. If that takes more
/// than `rounds`, the edits so far stay and the outcome says `limit:rounds`.
fn until_settled(
    rounds: usize,
    (case, tree): (Case<'_>, &Tree),
    decided: &mut Findings,
    answers: &Answers,
    budget: &mut Budget<'_>,
) -> Lowered {
    let (mut edits, readings) = edited((case, tree), decided, answers, budget);
    let again = case.message.body.len() <= SECOND_READING_BYTES && budget.can_read_again();
    if edits.edits.is_empty() || readings == Readings::One && !again {
        return edits;
    }
    if let Some(why) = budget.limit_reached() {
        decided.bypass("0", why);
        return edits;
    }
    budget.images = ImageBudget::NONE;
    budget.archives.were_read = true;
    for _ in 0..rounds {
        let next = still_needed(case, &edits, answers, budget);
        if let Some(why) = budget.limit_reached() {
            decided.bypass("0", why);
            return edits;
        }
        match (next.edits.is_empty(), next.refused) {
            (true, false) => return edits,
            (true, true) => break,
            (false, _) => {}
        }
        let Some(both) = combined(&edits, next, case.message.body.len()) else { break };
        edits = both;
    }
    decided.bypasses.push(("0".to_owned(), Bypass::Limit(Limit::Rounds)));
    edits
}

/// The edits of what was decided, and of further places of the same hosts.
fn edited(
    (case, tree): (Case<'_>, &Tree),
    decided: &mut Findings,
    answers: &Answers,
    budget: &mut Budget<'_>,
) -> (Lowered, Readings) {
    let (mut edits, readings) = edit(case.message, tree, decided, budget);
    match net::defang_rest((case, tree), answers, decided, &mut edits, budget) {
        true => (edits, Readings::Several),
        false => (edits, readings),
    }
}

/// The edits that the message needs after these edits.
fn still_needed(
    case: Case<'_>,
    edits: &Lowered,
    answers: &Answers,
    budget: &mut Budget<'_>,
) -> Lowered {
    let head = apply_head(case.message.head, &edits.head);
    let body = apply(case.message.body, &edits.edits).to_vec();
    let message = Message { head: &head, body: &body };
    let case = Case { message, ..case };
    let Survey { tree, found, .. } = survey(case, budget);
    let mut decided = decide(found, answers);
    edited((case, &tree), &mut decided, answers, budget).0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Defang;
    use crate::{Facts, Policy, TldTable};

    /// Plain text that a sniffing client reads as HTML: it has two readings, so that the edited message is read again.
    const BODY: &[u8] = b"<p><a href='http://example.com/'>http://example.com/</a></p>\r\n";

    fn settled(rounds: usize) -> (Lowered, Vec<(String, Bypass)>) {
        let message = Message { head: b"Content-Type: text/plain\r\n", body: BODY };
        let policy = Policy { defang: Defang::All, ..Policy::default() };
        let tlds = TldTable::new(["com"], "");
        let facts = Facts::default();
        let case = Case::new(message, &facts, &policy, &tlds);
        let mut budget = Budget::new(&policy, BODY.len(), None);
        let Survey { tree, mut found, .. } = survey(case, &mut budget);
        let answers = Answers::new();
        let lowered = until_settled(rounds, (case, &tree), &mut found, &answers, &mut budget);
        (lowered, found.bypasses)
    }

    #[test]
    fn parts_with_one_reading_are_read_again_up_to_a_length() {
        let tlds = TldTable::new(["com"], "");
        let (facts, policy) = (Facts::default(), Policy::default());
        for (length, again) in [(1_000, true), (SECOND_READING_BYTES, false)] {
            let body = format!("{}\r\nhttp://p\u{430}ypal.com/\r\n", "word\r\n".repeat(length / 6));
            let message =
                Message { head: b"Content-Type: text/calendar\r\n", body: body.as_bytes() };
            let inspection = crate::inspect(message, &facts, &policy, &tlds);
            let alone = inspection.cost().all();
            let outcome = inspection.resolve(&Answers::new());
            assert!(!outcome.edits.is_empty());
            assert_eq!(outcome.cost.all() > alone * 3 / 2, again, "{length}");
        }
    }

    #[test]
    fn rounds_are_bounded() {
        let (lowered, bypasses) = settled(ROUNDS);
        assert!(!lowered.edits.is_empty());
        assert_eq!(bypasses, []);
        let (cut, bypasses) = settled(0);
        assert!(!cut.edits.is_empty(), "the edits so far stay");
        assert_eq!(bypasses, [("0".to_owned(), Bypass::Limit(Limit::Rounds))]);
    }
}
