//! From edits in the text of parts to edits of the raw body: through charset, transfer encoding, and
//! the encodings of the messages around.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::lines::{self, Fit, Label};
use super::structure::Layer;
use super::transfer::{LineEnd, Transfer};
use super::{Lowered, Message, Reading, TextEdit, Tree};
use crate::edit::RawEdit;

/// Collects the edits of all parts of a message, then lowers them together: parts inside one encoded
/// message share its encoded bytes.
#[derive(Debug)]
pub struct Lowering<'m> {
    message: Message<'m>,
    tree: &'m Tree,
    /// Edits of unwrapped bytes, by part and transfer encoding, in the order of their arrival.
    pending: Vec<Pending>,
    /// Where each of them stands there.
    places: HashMap<(usize, Transfer), usize>,
    /// Of the raw body as it stands.
    plain: Vec<RawEdit>,
    /// Where parts of the body stand, whoever sees them, when somebody asked.
    starts: OnceCell<Vec<Range<usize>>>,
}

#[derive(Debug)]
struct Pending {
    part: usize,
    transfer: Transfer,
    edits: Disjoint,
}

impl<'m> Lowering<'m> {
    /// Gathers edits of this message; nothing is changed before they are lowered.
    pub fn new(message: Message<'m>, tree: &'m Tree) -> Lowering<'m> {
        Lowering {
            message,
            tree,
            pending: Vec::new(),
            places: HashMap::new(),
            plain: Vec::new(),
            starts: OnceCell::new(),
        }
    }

    /// Adds edits (in order, disjoint) of one reading of one part. Where readings of the same bytes
    /// edit the same place, the edit that was added first stays.
    pub fn add(&mut self, part: usize, reading: &Reading<'_>, edits: Vec<TextEdit>) {
        if edits.is_empty() {
            return;
        }
        let transfer = reading.transfer;
        let unwrapped = || transfer.bytes(self.raw(part));
        let lowered = reading.charset.lower(unwrapped, &reading.text, edits);
        let place = *self.places.entry((part, transfer)).or_insert(self.pending.len());
        match self.pending.get_mut(place) {
            Some(pending) => pending.edits.extend(lowered),
            None => {
                let mut edits = Disjoint::default();
                edits.extend(lowered);
                self.pending.push(Pending { part, transfer, edits });
            }
        }
    }

    /// Adds edits of the raw body as it stands. Those of readings come first.
    pub fn plain(&mut self, edits: Vec<RawEdit>) {
        self.plain.extend(edits);
    }

    /// The edits of the raw body, in order and disjoint, and those of the header.
    pub fn finish(mut self) -> Lowered {
        let mut lowered = Lowered::default();
        let mut layers: Vec<Disjoint> = vec![Disjoint::default(); self.tree.layers.len() + 1];
        for pending in std::mem::take(&mut self.pending) {
            self.part(pending, &mut layers, &mut lowered);
        }
        for (index, layer) in self.tree.layers.iter().enumerate().rev() {
            let Some(edits) = layers.get_mut(index + 1).map(Disjoint::take) else { continue };
            if edits.is_empty() {
                continue;
            }
            let edits = self.through(layer, edits);
            if let Some(below) = layers.get_mut(layer.below) {
                below.extend(shifted(edits, layer.range.start));
            }
        }
        if let Some(body) = layers.first_mut() {
            body.extend(std::mem::take(&mut self.plain));
        }
        lowered.refused |= layers.iter().any(|layer| layer.refused);
        lowered.edits = layers.first_mut().map(Disjoint::take).unwrap_or_default();
        lowered
    }

    /// Lowers the edits of one part to its layer.
    fn part(&self, mut pending: Pending, layers: &mut [Disjoint], lowered: &mut Lowered) {
        let Some(part) = self.tree.parts.get(pending.part) else { return };
        let site = &part.site;
        let Some(layer) = layers.get_mut(site.layer) else { return };
        let raw = self.raw(pending.part);
        let line_end = self.line_end(site.layer);
        lowered.refused |= pending.edits.refused;
        let edits = pending.transfer.lower(raw, pending.edits.take(), line_end);
        let at = site.body.start;
        // Inside an encoded message the encoding around sees to the lines.
        if pending.transfer != Transfer::Identity || site.layer > 0 {
            return layer.extend(shifted(edits, at));
        }
        match lines::fit(raw, edits, part.media, line_end) {
            Fit::Fits(edits) => layer.extend(shifted(edits, at)),
            // All or nothing: an encoding holds for every byte of the part.
            Fit::TooLong(edits) => {
                if self.holds_others(&site.body) {
                    // A line too long, as it most often was before, harms less.
                    return layer.extend(shifted(edits, at));
                }
                let recoded = lines::recoded(raw, &edits, line_end);
                let bytes = self.tree.layer_bytes(self.message, site.layer);
                let label = lines::label(self.message, bytes, site, recoded.transfer, line_end);
                if !layer.takes(&label, &site.body) {
                    lowered.refused = true;
                    return;
                }
                let mut edits: Vec<RawEdit> = shifted(recoded.edits, at).collect();
                match label {
                    Label::Head(edit) => lowered.head.push(edit),
                    Label::Layer(label) => put_before(label, &mut edits),
                }
                lowered.recoded.push(part.path.clone());
                layer.extend(edits);
                layer.claim(site.body.clone());
            }
        }
    }

    /// Whether other parts stand inside these bytes of the body, as somebody reads it: a text to some is a multipart
    /// to others, which no encoding may wrap (RFC 2045 §6.4).
    fn holds_others(&self, body: &Range<usize>) -> bool {
        let parts = self.tree.parts.iter().filter(|part| part.site.layer == 0);
        let layers = self.tree.layers.iter().filter(|layer| layer.below == 0);
        let inside = |other: &Range<usize>| {
            other != body && body.start <= other.start && other.end <= body.end
        };
        let starts = self.starts.get_or_init(|| {
            let parts = parts.map(|part| part.site.body.clone());
            let mut starts: Vec<_> = parts.chain(layers.map(|layer| layer.range.clone())).collect();
            starts.sort_unstable_by_key(|range| (range.start, range.end));
            starts
        });
        let first = starts.partition_point(|other| other.start < body.start);
        let others = starts.get(first..).unwrap_or_default();
        others.iter().take_while(|other| other.start < body.end).any(inside)
    }

    /// Lowers edits of a layer to edits of the bytes that it was unwrapped from.
    fn through(&self, layer: &Layer, edits: Vec<RawEdit>) -> Vec<RawEdit> {
        let below = self.tree.layer_bytes(self.message, layer.below);
        let raw = below.get(layer.range.clone()).unwrap_or_default();
        layer.transfer.lower(raw, edits, self.line_end(layer.below))
    }

    fn raw(&self, part: usize) -> &'m [u8] {
        self.tree.content(self.message, part)
    }

    fn line_end(&self, layer: usize) -> LineEnd {
        let bytes = self.tree.layer_bytes(self.message, layer);
        // A body of one line may have no end at all.
        let none = layer == 0 && memchr::memchr(b'\n', bytes).is_none();
        LineEnd::of(if none { self.message.head } else { bytes })
    }
}

fn shifted(edits: Vec<RawEdit>, by: usize) -> impl Iterator<Item = RawEdit> {
    edits
        .into_iter()
        .map(move |edit| RawEdit { range: edit.range.start + by..edit.range.end + by, ..edit })
}

/// Adds the label of a part to the edits of its body, which a part without a header begins with.
fn put_before(label: RawEdit, body: &mut Vec<RawEdit>) {
    match body.first_mut() {
        Some(first) if first.range.start == label.range.end => {
            let text = std::mem::take(&mut first.replacement);
            first.range.start = label.range.start;
            first.replacement = [label.replacement, text].concat();
        }
        _ => body.insert(0, label),
    }
}

/// Edits that do not overlap; of those that would, the first stays.
#[derive(Clone, Debug, Default)]
struct Disjoint {
    /// Those that came in order, as nearly all do: each behind the one before it.
    row: Vec<RawEdit>,
    /// All of them, by where they begin, from the first one on that did not.
    edits: BTreeMap<usize, RawEdit>,
    /// Bytes of parts that were encoded anew as a whole: start to end, disjoint.
    claimed: BTreeMap<usize, usize>,
    /// Whether an edit was left out that is not made by another one.
    refused: bool,
}

impl Disjoint {
    fn extend(&mut self, edits: impl IntoIterator<Item = RawEdit>) {
        let edits = edits.into_iter();
        if self.edits.is_empty() {
            self.row.reserve(edits.size_hint().0);
        }
        for edit in edits {
            let range = &edit.range;
            if self.is_free(range) && !self.is_claimed(range) {
                self.insert(edit);
            } else if self.at(range.start) != Some(&edit) {
                self.refused = true;
            }
        }
    }

    /// Adds an edit of bytes that are free.
    fn insert(&mut self, edit: RawEdit) {
        let behind = self.row.last().is_none_or(|last| last.range.start < edit.range.start);
        if behind && self.edits.is_empty() {
            self.row.push(edit);
            return;
        }
        let row = std::mem::take(&mut self.row);
        self.edits.extend(row.into_iter().map(|edit| (edit.range.start, edit)));
        self.edits.insert(edit.range.start, edit);
    }

    /// The edit that begins here.
    fn at(&self, start: usize) -> Option<&RawEdit> {
        let in_row = || self.row.binary_search_by_key(&start, |edit| edit.range.start).ok();
        self.edits.get(&start).or_else(|| self.row.get(in_row()?))
    }

    /// Whether a part can be encoded anew as a whole. Its label and its body go together: either one
    /// without the other would be another text.
    fn takes(&self, label: &Label, body: &Range<usize>) -> bool {
        let free = self.is_free(body) && !self.is_claimed(body);
        match label {
            Label::Head(_) => free,
            Label::Layer(edit) => free && self.is_free(&edit.range),
        }
    }

    fn is_claimed(&self, range: &Range<usize>) -> bool {
        let before = self.claimed.range(..range.end.max(range.start + 1)).next_back();
        before.is_some_and(|(_, end)| range.start < *end)
    }

    /// Whether no edit touches these bytes.
    fn is_free(&self, range: &Range<usize>) -> bool {
        let (before, after) = self.round(range.start);
        before.is_none_or(|old| old.range.end <= range.start && old.range.start < range.start)
            && after.is_none_or(|old| range.end <= old.range.start)
    }

    /// The last edit that begins at an offset or before it, and the first one behind.
    fn round(&self, at: usize) -> (Option<&RawEdit>, Option<&RawEdit>) {
        if !self.edits.is_empty() {
            let before = self.edits.range(..=at).next_back();
            let after = self.edits.range(at + 1..).next();
            return (before.map(|(_, edit)| edit), after.map(|(_, edit)| edit));
        }
        if let Some(last) = self.row.last().filter(|last| last.range.start <= at) {
            return (Some(last), None);
        }
        let behind = self.row.partition_point(|edit| edit.range.start <= at);
        (behind.checked_sub(1).and_then(|before| self.row.get(before)), self.row.get(behind))
    }

    /// Takes no more edits of these bytes.
    fn claim(&mut self, range: Range<usize>) {
        if !range.is_empty() {
            self.claimed.insert(range.start, range.end);
        }
    }

    /// The edits in order; none are left.
    fn take(&mut self) -> Vec<RawEdit> {
        let mut row = std::mem::take(&mut self.row);
        row.extend(std::mem::take(&mut self.edits).into_values());
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_edits_that_meet_the_first_stays() {
        let edit = |range: Range<usize>| RawEdit { range, replacement: b"x".to_vec() };
        let starts = |edits: &[Range<usize>]| -> (Vec<usize>, bool) {
            let mut disjoint = Disjoint::default();
            edits.iter().for_each(|range| disjoint.extend([edit(range.clone())]));
            let refused = disjoint.refused;
            (disjoint.take().iter().map(|edit| edit.range.start).collect(), refused)
        };
        assert_eq!(starts(&[0..2, 2..3, 5..5, 5..9]), (vec![0, 2, 5], true));
        assert_eq!(starts(&[4..6, 0..2, 2..4, 6..8]), (vec![0, 2, 4, 6], false));
        assert_eq!(starts(&[4..6, 4..6, 0..2, 4..6]), (vec![0, 4], false), "twins");
        for wrong in [3..5, 5..6, 4..5, 0..9, 4..4] {
            assert_eq!(starts(&[1..2, 4..6, wrong.clone()]), (vec![1, 4], true), "{wrong:?}");
            assert_eq!(starts(&[4..6, 1..2, wrong.clone()]), (vec![1, 4], true), "{wrong:?}");
        }
    }
}
