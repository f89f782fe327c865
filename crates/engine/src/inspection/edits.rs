//! Turns what was decided into raw edits of the message.

use std::collections::BTreeMap;

use crate::budget::Budget;
use crate::cost::Stage;
use crate::finding::{Candidate, Findings};
use homograph::verdict::Reason;
use mailsplice::mime::{self, ClientView, Lowered, Lowering, Message, Tree};
use mailsplice::span::TextEdit;
use mailsplice::splice::compose;

/// Whether clients read the edited parts in one way or in several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readings {
    One,
    Several,
}

/// The raw edits of what was decided, and in how many ways the changed parts are read.
pub fn edit(
    message: Message<'_>,
    tree: &Tree,
    found: &mut Findings,
    budget: &mut Budget<'_>,
) -> (Lowered, Readings) {
    let mut lowering = Lowering::new(message, tree);
    let mut several = tree.parts.iter().any(|part| part.view != ClientView::Usual);
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
    let mut overlap = false;
    let mut planned = by_reading(&mut found.candidates, bare_edits, banners).into_iter().peekable();
    while let Some(((part, _), _)) = planned.peek() {
        let part = *part;
        let mut readings = mime::readings(message, tree, part);
        let mut passed = 0;
        while let Some(((_, index), Planned { edits, left_out })) =
            planned.next_if(|((other, _), _)| *other == part)
        {
            // A reading without an edit is not decoded again.
            while passed < index && readings.skip_one() {
                passed += 1;
            }
            let Some(reading) = readings.next() else { break };
            passed += 1;
            let text = reading.text.as_str();
            // What was found is edited even if no steps are left: the number of findings is bounded.
            let _ = budget.spend(Stage::Edits, text.len() as u64);
            overlap |= left_out.iter().any(|edit| !is_made(text, edit, &edits));
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

/// Whether these edits (in order, disjoint) make what another one would. A link that two layers find may be edited dot
/// by dot for one, and as a whole for the other.
fn is_made(text: &str, edit: &TextEdit, edits: &[TextEdit]) -> bool {
    let first = edits.partition_point(|other| other.range.end <= edit.range.start);
    let mut at = edit.range.start;
    let mut rest = &*edit.replacement;
    let mut strip = |piece: Option<&str>| {
        let stripped = piece.and_then(|piece| rest.strip_prefix(piece));
        rest = stripped.unwrap_or(rest);
        stripped.is_some()
    };
    let others = edits.get(first..).unwrap_or_default().iter();
    for other in others.take_while(|other| other.range.start < edit.range.end) {
        if other.range.end > edit.range.end
            || !strip(text.get(at..other.range.start))
            || !strip(Some(&other.replacement))
        {
            return false;
        }
        at = other.range.end;
    }
    strip(text.get(at..edit.range.end)) && rest.is_empty()
}

/// The edits of a reading.
#[derive(Default)]
struct Planned {
    /// In order and disjoint.
    edits: Vec<TextEdit>,
    /// Those that overlap an edit before them, and are no repetition of it.
    left_out: Vec<TextEdit>,
}

/// Edits by part and reading; of two that overlap the first stays.
fn by_reading(
    candidates: &mut [Candidate],
    bare_edits: BTreeMap<(usize, usize), Vec<TextEdit>>,
    banners: Vec<(usize, TextEdit)>,
) -> BTreeMap<(usize, usize), Planned> {
    let planned = |edits| Planned { edits, left_out: Vec::new() };
    let bare_edits = bare_edits.into_iter().map(|(reading, edits)| (reading, planned(edits)));
    let mut edits: BTreeMap<_, _> = bare_edits.collect();
    for (part, edit) in banners {
        edits.entry((part, 0)).or_default().edits.push(edit);
    }
    for candidate in candidates {
        if let Some(reading) = candidate.reading.filter(|_| !candidate.edits.is_empty()) {
            let planned: &mut Planned = edits.entry(reading).or_default();
            match planned.edits.is_empty() {
                true => planned.edits = std::mem::take(&mut candidate.edits),
                // Their own memory is given back at once.
                false => planned.edits.extend(std::mem::take(&mut candidate.edits)),
            }
        }
    }
    for Planned { edits, left_out } in edits.values_mut() {
        edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
        edits.dedup();
        join(edits);
        let mut end = 0;
        edits.retain(|edit| {
            let fits = edit.range.start >= end;
            if fits {
                end = edit.range.end;
            } else {
                left_out.push(edit.clone());
            }
            fits
        });
    }
    edits
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
pub fn combined(first: &Lowered, then: Lowered, length: usize) -> Option<Lowered> {
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

    #[test]
    fn an_edit_of_a_whole_link_may_be_made_dot_by_dot() {
        let edit = |range, new: &'static str| TextEdit { range, replacement: new.into() };
        let text = "mailto:a@b.co, c.co";
        let dots = [edit(8..9, "[@]"), edit(10..11, "[.]"), edit(16..17, "[.]")];
        for (range, new, made) in [
            (8..11, "[@]b[.]", true),
            (7..12, "a[@]b[.]c", true),
            (8..17, "[@]b[.]co, c[.]", true),
            (10..11, "[.]", true),
            (8..11, "[@]c[.]", false),
            (8..11, "[@]b[.]c", false),
            (8..11, "[@]b.", false),
            (9..11, "b.", false),
            (0..8, "mailto:b", false),
        ] {
            assert_eq!(is_made(text, &edit(range.clone(), new), &dots), made, "{range:?} {new}");
        }
        let straddling = [edit(7..10, "x"), edit(10..11, "[.]")];
        assert!(!is_made(text, &edit(8..11, "b[.]"), &straddling));
    }
}
