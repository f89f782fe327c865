//! Edits until nothing is left to edit.
//!
//! A part that clients read in several ways is edited in each of them. Where the edits of two readings
//! meet on the same bytes only one can be made, and an edit for one reading may change what another one
//! shows. So the edited message is read again, and what still lives in it is edited as well, until every
//! reading is inert. A message whose parts are read in one way needs no second look.

use std::collections::BTreeMap;

use super::budget::Budget;
use super::cost::Stage;
use super::finding::{Candidate, Findings};
use super::outcome::Bypass;
use super::{Answers, Case, resolve, search, split};
use mailsplice::mime::{self, Lowered, Lowering, Message, Tree, View};
use mailsplice::span::TextEdit;
use mailsplice::splice::{apply, apply_head, compose};

/// Times that an edited message is read again. Real mail needs one; each costs what the first reading
/// did.
pub(super) const ROUNDS: usize = 4;

/// The raw edits of what was found, such that a second run finds nothing to edit. Where that takes more
/// than [`ROUNDS`] the edits so far stay, and the outcome says `limit:rounds`.
pub fn settle(
    case: Case<'_>,
    tree: &Tree,
    found: &mut Findings,
    answers: &Answers,
    budget: &mut Budget<'_>,
) -> Lowered {
    settle_within(ROUNDS, (case, tree), found, answers, budget)
}

fn settle_within(
    rounds: usize,
    (case, tree): (Case<'_>, &Tree),
    found: &mut Findings,
    answers: &Answers,
    budget: &mut Budget<'_>,
) -> Lowered {
    let (mut lowered, readings) = lower(case.message, tree, found, budget);
    if lowered.edits.is_empty() || readings == Readings::One {
        return lowered;
    }
    if let Some(why) = budget.over() {
        found.bypass("0", why);
        return lowered;
    }
    for _ in 0..rounds {
        let next = again(case, &lowered, answers, budget);
        if let Some(why) = budget.over() {
            found.bypass("0", why);
            return lowered;
        }
        match (next.edits.is_empty(), next.refused) {
            (true, false) => return lowered,
            (true, true) => break,
            (false, _) => {}
        }
        let Some(both) = joined(&lowered, next, case.message.body.len()) else { break };
        lowered = both;
    }
    found.bypasses.push(("0".to_owned(), Bypass::Limit("rounds")));
    lowered
}

/// In how many ways the edited parts are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Readings {
    One,
    Several,
}

fn lower(
    message: Message<'_>,
    tree: &Tree,
    found: &mut Findings,
    budget: &mut Budget<'_>,
) -> (Lowered, Readings) {
    let mut lowering = Lowering::new(message, tree);
    let mut several = tree.parts.iter().any(|part| part.view != View::Usual);
    several |= !found.plain_edits.is_empty();
    lowering.plain(std::mem::take(&mut found.plain_edits));
    let mut tops = std::mem::take(&mut found.tops);
    // A part in which nothing can be a link has no reading of its own here.
    tops.retain(|(part, edit)| {
        let Some(first) = mime::all_readings(message, tree, *part).next() else { return false };
        let shared = mime::readings(message, tree, *part).next().is_some_and(|reading| {
            (reading.transfer, reading.charset) == (first.transfer, first.charset)
        });
        if !shared {
            lowering.add(*part, &first, std::slice::from_ref(edit));
        }
        shared
    });
    let bare = std::mem::take(&mut found.bare);
    let (edits, overlap) = by_reading(&mut found.candidates, bare, tops);
    for (part, edits) in edits {
        for (index, reading) in mime::readings(message, tree, part).enumerate() {
            several |= index > 0;
            if let Some(edits) = edits.get(&index) {
                let bytes = reading.text.as_str().len() + EDIT * edits.len();
                // What was found is edited, whatever is left: there are only so many findings.
                let _ = budget.spend(Stage::Edits, bytes as u64);
                several |= edits.iter().any(|edit| is_of_markup(reading.text.as_str(), edit));
                lowering.add(part, &reading, edits);
            }
        }
    }
    let mut lowered = lowering.finish();
    lowered.refused |= overlap;
    let readings = if several || lowered.refused { Readings::Several } else { Readings::One };
    (lowered, readings)
}

/// Whether an edit takes away a sign that holds markup together: a tag inside a value is read by loose
/// clients only, and for others its quotes end elsewhere then.
fn is_of_markup(text: &str, edit: &TextEdit) -> bool {
    let signs = |text: &str| -> Vec<char> {
        text.chars().filter(|c| matches!(c, '<' | '>' | '"' | '\'' | '`')).collect()
    };
    text.get(edit.range.clone()).is_some_and(|old| signs(old) != signs(&edit.replacement))
}

/// Steps of an edit beside the bytes that it stands in.
const EDIT: usize = 64;

/// Edits of the readings of a part.
type ByReading = BTreeMap<usize, Vec<TextEdit>>;

/// Edits by part and reading, in order and disjoint; of two on the same bytes the first found stays.
/// And whether one was left out that is not another one's twin.
fn by_reading(
    candidates: &mut [Candidate],
    bare: BTreeMap<(usize, usize), Vec<TextEdit>>,
    tops: Vec<(usize, TextEdit)>,
) -> (BTreeMap<usize, ByReading>, bool) {
    let mut edits: BTreeMap<usize, ByReading> = BTreeMap::new();
    for ((part, reading), list) in bare {
        edits.entry(part).or_default().insert(reading, list);
    }
    for (part, edit) in tops {
        edits.entry(part).or_default().entry(0).or_default().push(edit);
    }
    for candidate in candidates {
        if let Some((part, reading)) = candidate.reading.filter(|_| !candidate.edits.is_empty()) {
            let list = edits.entry(part).or_default().entry(reading).or_default();
            list.append(&mut candidate.edits);
        }
    }
    let mut overlap = false;
    for list in edits.values_mut().flat_map(BTreeMap::values_mut) {
        list.sort_by_key(|edit| (edit.range.start, edit.range.end));
        let before = list.len();
        list.dedup();
        join(list);
        let twins = before - list.len();
        let mut end = 0;
        list.retain(|edit| {
            let fits = edit.range.start >= end;
            if fits {
                end = edit.range.end;
            }
            fits
        });
        overlap |= list.len() + twins < before;
    }
    (edits, overlap)
}

/// Insertions at one place, and the edit that begins there, as one: raw edits that begin together would
/// keep one another out.
fn join(edits: &mut Vec<TextEdit>) {
    edits.dedup_by(|next, before| {
        let together = before.range.is_empty() && before.range.start == next.range.start;
        if together {
            before.range.end = next.range.end;
            before.replacement.push_str(&next.replacement);
        }
        together
    });
}

/// The edits that the edited message still needs.
fn again(case: Case<'_>, lowered: &Lowered, answers: &Answers, budget: &mut Budget<'_>) -> Lowered {
    let head = apply_head(case.message.head, &lowered.head);
    let body = apply(case.message.body, &lowered.edits).to_vec();
    let message = Message { head: &head, body: &body };
    let case = Case { message, ..case };
    let tree = split(case, budget);
    let (_, found) = search(case, &tree, budget);
    let mut found = resolve::answered(found, answers);
    lower(message, &tree, &mut found, budget).0
}

/// Edits, and edits of what they make, as edits of the original. `None` when both change the header.
fn joined(first: &Lowered, then: Lowered, length: usize) -> Option<Lowered> {
    let head = match (first.head.is_empty(), then.head.is_empty()) {
        (_, true) => first.head.clone(),
        (true, false) => then.head,
        (false, false) => return None,
    };
    let mut recoded = first.recoded.clone();
    recoded.extend(then.recoded.into_iter().filter(|path| !first.recoded.contains(path)));
    let edits = compose(&first.edits, &then.edits, length);
    Some(Lowered { edits, head, recoded, refused: first.refused || then.refused })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Defang;
    use crate::{Facts, Policy, TldTable};

    /// Plain text that a sniffing client reads as HTML: two readings, so an edited message is read again.
    const BODY: &[u8] = b"<p><a href='http://example.com/'>http://example.com/</a></p>\r\n";

    fn settled(rounds: usize) -> (Lowered, Vec<(String, Bypass)>) {
        let message = Message { head: b"Content-Type: text/plain\r\n", body: BODY };
        let policy = Policy { defang: Defang::All, ..Policy::default() };
        let tlds = TldTable::new(["com"], "");
        let facts = Facts::default();
        let case = Case::new(message, &facts, &policy, &tlds);
        let tree = mime::parse(message, &policy.limits.structure());
        let mut budget = Budget::of(&policy.limits, BODY.len(), None);
        let mut found = search(case, &tree, &mut budget).1;
        let answers = Answers::new();
        let lowered = settle_within(rounds, (case, &tree), &mut found, &answers, &mut budget);
        (lowered, found.bypasses)
    }

    #[test]
    fn rounds_are_bounded() {
        let (lowered, bypasses) = settled(ROUNDS);
        assert!(!lowered.edits.is_empty());
        assert_eq!(bypasses, []);
        let (cut, bypasses) = settled(0);
        assert!(!cut.edits.is_empty(), "the edits so far stay");
        assert_eq!(bypasses, [("0".to_owned(), Bypass::Limit("rounds"))]);
    }
}
