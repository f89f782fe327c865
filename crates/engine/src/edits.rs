//! Turns what was decided into raw edits of the message.

use std::collections::BTreeMap;

use super::budget::Budget;
use super::cost::Stage;
use super::finding::{Candidate, Findings};
use homograph::verdict::Reason;
use mailsplice::mime::{self, Lowered, Lowering, Message, Tree, View};
use mailsplice::span::TextEdit;
use mailsplice::splice::compose;

/// Whether clients read the edited parts in one way or in several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Readings {
    One,
    Several,
}

/// The raw edits of what was decided, and in how many ways the changed parts are read.
pub(super) fn edit(
    message: Message<'_>,
    tree: &Tree,
    found: &mut Findings,
    budget: &mut Budget<'_>,
) -> (Lowered, Readings) {
    let mut lowering = Lowering::new(message, tree);
    let mut several = tree.parts.iter().any(|part| part.view != View::Usual);
    several |= !found.raw_edits.is_empty();
    // Text with reversed direction is shown in another place, where an edit may join what is left of it.
    several |= found.has_reason(Reason::HtmlObfuscated);
    lowering.plain(std::mem::take(&mut found.raw_edits));
    let mut banners = std::mem::take(&mut found.banners);
    // A part in which nothing can be a link has none of the `readings`.
    banners.retain(|(part, edit)| {
        let Some(first) = mime::all_readings(message, tree, *part).next() else { return false };
        let shared = mime::readings(message, tree, *part).next().is_some_and(|reading| {
            (reading.transfer, reading.charset) == (first.transfer, first.charset)
        });
        if !shared {
            lowering.add(*part, &first, vec![edit.clone()]);
        }
        shared
    });
    let bare_edits = std::mem::take(&mut found.bare_edits);
    let (edits, overlap) = by_reading(&mut found.candidates, bare_edits, banners);
    for (part, edits) in edits {
        let mut readings = mime::readings(message, tree, part);
        let mut passed = 0;
        for (index, edits) in edits {
            // A reading without an edit is not decoded again.
            while passed < index && readings.skip_one() {
                passed += 1;
            }
            let Some(reading) = readings.next() else { break };
            passed += 1;
            let text = reading.text.as_str();
            // What was found is edited even if no steps are left: the number of findings is bounded.
            let _ = budget.spend(Stage::Edits, text.len() as u64);
            several = several || edits.iter().any(|edit| changes_markup(text, edit));
            lowering.add(part, &reading, edits);
        }
        several = several || passed > 1 || readings.skip_one();
    }
    let mut lowered = lowering.finish();
    lowered.refused |= overlap;
    let readings = if several || lowered.refused { Readings::Several } else { Readings::One };
    (lowered, readings)
}

/// Whether an edit removes or adds a delimiter of markup. Only lenient clients read a tag inside a value; for others
/// its quotes then end elsewhere.
fn changes_markup(text: &str, edit: &TextEdit) -> bool {
    let sign = |byte: &u8| matches!(byte, b'<' | b'>' | b'"' | b'\'' | b'`');
    text.get(edit.range.clone())
        .is_some_and(|old| !old.bytes().filter(sign).eq(edit.replacement.bytes().filter(sign)))
}

/// Edits by reading of a part.
type ByReading = BTreeMap<usize, Vec<TextEdit>>;

/// Edits by part and reading, in order and disjoint; of two that overlap the first stays. And whether one was left out
/// that is not the same as another one.
fn by_reading(
    candidates: &mut [Candidate],
    bare_edits: BTreeMap<(usize, usize), Vec<TextEdit>>,
    banners: Vec<(usize, TextEdit)>,
) -> (BTreeMap<usize, ByReading>, bool) {
    let mut edits: BTreeMap<usize, ByReading> = BTreeMap::new();
    for ((part, reading), list) in bare_edits {
        edits.entry(part).or_default().insert(reading, list);
    }
    for (part, edit) in banners {
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

/// Joins insertions at one place and the edit that begins there: of raw edits that begin together only one would be
/// made.
fn join(edits: &mut Vec<TextEdit>) {
    edits.dedup_by(|next, before| {
        let together = before.range.is_empty() && before.range.start == next.range.start;
        if together {
            before.range.end = next.range.end;
            before.replacement.to_mut().push_str(&next.replacement);
        }
        together
    });
}

/// Combines edits with edits of their result into edits of the original. `None` if both change the header.
pub(super) fn combined(first: &Lowered, then: Lowered, length: usize) -> Option<Lowered> {
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
