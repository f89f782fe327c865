//! Lowers edits of the text of parts to edits of the raw body: through charset, transfer encoding, and
//! the encodings of enclosing messages.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Range;

use super::lines::{self, Fit, LabelPlace};
use super::structure::UnwrappedLayer;
use super::transfer::{LineEnd, Transfer};
use super::{Lowered, Message, Reading, TextEdit, Tree};
use crate::edit::RawEdit;

/// Collects the edits of all parts of a message and lowers them together, since parts inside one encoded
/// message share its encoded bytes.
#[derive(Debug)]
pub struct Lowering<'m> {
    message: Message<'m>,
    tree: &'m Tree,
    /// Edits of unwrapped bytes, by part and transfer encoding, in the order in which they were added.
    pending: Vec<Pending>,
    /// Index in `pending` by part and transfer encoding.
    indices: BTreeMap<(usize, Transfer), usize>,
    /// Edits of the raw body.
    plain: Vec<RawEdit>,
    /// Byte ranges in the body of all parts and layers, sorted; computed on demand.
    ranges: OnceCell<Vec<Range<usize>>>,
}

#[derive(Debug)]
struct Pending {
    part: usize,
    transfer: Transfer,
    edits: DisjointEdits,
}

impl<'m> Lowering<'m> {
    /// Starts to collect edits of this message.
    pub fn new(message: Message<'m>, tree: &'m Tree) -> Lowering<'m> {
        Lowering {
            message,
            tree,
            pending: Vec::new(),
            indices: BTreeMap::new(),
            plain: Vec::new(),
            ranges: OnceCell::new(),
        }
    }

    /// Adds edits (in order, disjoint) of one reading of one part. If readings of the same bytes
    /// edit the same place, the edit that was added first is used. An edit of what is no stretch of the reading's text is
    /// left out.
    pub fn add(&mut self, part: usize, reading: &Reading<'_>, mut edits: Vec<TextEdit>) {
        edits.retain(|edit| reading.text.as_str().get(edit.range.clone()).is_some());
        if edits.is_empty() {
            return;
        }
        let transfer = reading.transfer;
        let unwrapped = || transfer.bytes(self.raw(part));
        let lowered = reading.charset.lower(unwrapped, &reading.text, edits);
        let index = *self.indices.entry((part, transfer)).or_insert(self.pending.len());
        match self.pending.get_mut(index) {
            Some(pending) => pending.edits.extend(lowered),
            None => {
                let edits = DisjointEdits::of(lowered);
                self.pending.push(Pending { part, transfer, edits });
            }
        }
    }

    /// Adds edits of the raw body. Edits of readings have precedence.
    pub fn plain(&mut self, edits: Vec<RawEdit>) {
        self.plain.extend(edits);
    }

    /// The edits of the raw body, in order and disjoint, and those of the header.
    pub fn finish(mut self) -> Lowered {
        let mut lowered = Lowered::default();
        if self.pending.is_empty() && self.plain.is_empty() {
            return lowered;
        }
        let mut layers: Vec<DisjointEdits> =
            vec![DisjointEdits::default(); self.tree.layers.len() + 1];
        for pending in std::mem::take(&mut self.pending) {
            self.lower_part(pending, &mut layers, &mut lowered);
        }
        for (index, layer) in self.tree.layers.iter().enumerate().rev() {
            let Some(edits) = layers.get_mut(index + 1).map(DisjointEdits::take) else { continue };
            if edits.is_empty() {
                continue;
            }
            let edits = self.lower_layer(layer, edits);
            if let Some(below) = layers.get_mut(layer.below) {
                below.extend(shift(edits, layer.range.start));
            }
        }
        if let Some(body) = layers.first_mut() {
            body.extend(std::mem::take(&mut self.plain));
        }
        lowered.refused |= layers.iter().any(|layer| layer.refused);
        lowered.edits = layers.first_mut().map(DisjointEdits::take).unwrap_or_default();
        lowered
    }

    /// Lowers the edits of one part to its layer.
    fn lower_part(
        &self,
        mut pending: Pending,
        layers: &mut [DisjointEdits],
        lowered: &mut Lowered,
    ) {
        let Some(part) = self.tree.parts.get(pending.part) else { return };
        let site = &part.site;
        let Some(layer) = layers.get_mut(site.layer) else { return };
        let raw = self.raw(pending.part);
        let line_end = self.line_end(raw, site.layer);
        lowered.refused |= pending.edits.refused;
        let edits = pending.transfer.lower(raw, pending.edits.take(), line_end);
        let at = site.body.start;
        // Inside an encoded message the outer encoding limits the lines.
        if pending.transfer != Transfer::Identity || site.layer > 0 {
            return layer.extend(shift(edits, at));
        }
        match lines::fit(raw, edits, part.media, line_end) {
            Fit::Fits(edits) => layer.extend(shift(edits, at)),
            // All or nothing: a transfer encoding applies to every byte of the part.
            Fit::TooLong(edits) => {
                let bytes = self.tree.layer_bytes(self.message, site.layer);
                if self.holds_others(&site.body)
                    || lines::is_labelled_twice(self.message, bytes, site)
                {
                    // A line that is too long harms less.
                    return layer.extend(shift(edits, at));
                }
                let recoded = lines::recoded(raw, &edits, line_end);
                let label = lines::label(self.message, bytes, site, recoded.transfer, line_end);
                if !layer.can_recode(&label, &site.body) {
                    lowered.refused = true;
                    return;
                }
                let mut edits: Vec<RawEdit> = shift(recoded.edits, at).collect();
                match label {
                    LabelPlace::Head(edit) => lowered.head.push(edit),
                    LabelPlace::Layer(label) => add_label(label, &mut edits),
                }
                lowered.recoded.push(part.path.clone());
                layer.extend(edits);
                layer.claim(site.body.clone());
            }
        }
    }

    /// Whether some reading has other parts inside these bytes of the body: what is text to some clients is a
    /// multipart to others, which must not be encoded (RFC 2045 §6.4).
    fn holds_others(&self, body: &Range<usize>) -> bool {
        let parts = self.tree.parts.iter().filter(|part| part.site.layer == 0);
        let layers = self.tree.layers.iter().filter(|layer| layer.below == 0);
        let inside = |other: &Range<usize>| {
            other != body && body.start <= other.start && other.end <= body.end
        };
        let ranges = self.ranges.get_or_init(|| {
            let parts = parts.map(|part| part.site.body.clone());
            let mut ranges: Vec<_> = parts.chain(layers.map(|layer| layer.range.clone())).collect();
            ranges.sort_unstable_by_key(|range| (range.start, range.end));
            ranges
        });
        let first = ranges.partition_point(|other| other.start < body.start);
        let others = ranges.get(first..).unwrap_or_default();
        others.iter().take_while(|other| other.start < body.end).any(inside)
    }

    /// Lowers edits of a layer to edits of the bytes that it was unwrapped from.
    fn lower_layer(&self, layer: &UnwrappedLayer, edits: Vec<RawEdit>) -> Vec<RawEdit> {
        let below = self.tree.layer_bytes(self.message, layer.below);
        let raw = below.get(layer.range.clone()).unwrap_or_default();
        layer.transfer.lower(raw, edits, self.line_end(raw, layer.below))
    }

    fn raw(&self, part: usize) -> &'m [u8] {
        self.tree.content(self.message, part)
    }

    /// The line end of these bytes, or of those around them: a body of one line may have none.
    fn line_end(&self, raw: &[u8], layer: usize) -> LineEnd {
        LineEnd::of_first([raw, self.tree.layer_bytes(self.message, layer), self.message.head])
    }
}

fn shift(edits: Vec<RawEdit>, by: usize) -> impl Iterator<Item = RawEdit> {
    edits
        .into_iter()
        .map(move |edit| RawEdit { range: edit.range.start + by..edit.range.end + by, ..edit })
}

/// Adds the label of a part before the edits of its body; in a part without a header they start at the same offset.
fn add_label(label: RawEdit, body: &mut Vec<RawEdit>) {
    match body.first_mut() {
        Some(first) if first.range.start == label.range.end => {
            let text = std::mem::take(&mut first.replacement);
            first.range.start = label.range.start;
            first.replacement = [label.replacement, text].concat().into();
        }
        _ => body.insert(0, label),
    }
}

impl RawEdit {
    /// Whether it begins and ends before this range.
    fn is_before(&self, range: &Range<usize>) -> bool {
        self.range.end <= range.start && self.range.start < range.start
    }
}

/// Edits that do not overlap; of overlapping ones the first is kept.
#[derive(Clone, Debug, Default)]
struct DisjointEdits {
    /// The edits, as long as each comes after the previous one. Nearly always this holds for all.
    in_order: Vec<RawEdit>,
    /// All edits by their start, from the first one that was not in order.
    edits: BTreeMap<usize, RawEdit>,
    /// Byte ranges of parts that were re-encoded as a whole: start to end, disjoint.
    claimed: BTreeMap<usize, usize>,
    /// Whether an edit was left out, and no equal edit was kept.
    refused: bool,
}

impl DisjointEdits {
    fn of(edits: Vec<RawEdit>) -> DisjointEdits {
        let is_in_order = |[one, next]: &[RawEdit; 2]| one.is_before(&next.range);
        if edits.array_windows().all(is_in_order) {
            return DisjointEdits { in_order: edits, ..DisjointEdits::default() };
        }
        let mut disjoint = DisjointEdits::default();
        disjoint.extend(edits);
        disjoint
    }

    fn extend(&mut self, edits: impl IntoIterator<Item = RawEdit>) {
        let edits = edits.into_iter();
        if self.edits.is_empty() {
            self.in_order.reserve(edits.size_hint().0);
        }
        for edit in edits {
            let range = &edit.range;
            if self.is_behind_all(range) {
                self.in_order.push(edit);
            } else if self.is_free(range) && !self.is_claimed(range) {
                self.insert(edit);
            } else if self.at(range.start) != Some(&edit) {
                self.refused = true;
            }
        }
    }

    /// Whether these bytes are behind every edit, as nearly always.
    fn is_behind_all(&self, range: &Range<usize>) -> bool {
        self.edits.is_empty()
            && self.claimed.is_empty()
            && self.in_order.last().is_none_or(|last| last.is_before(range))
    }

    /// Adds an edit of bytes that are free.
    fn insert(&mut self, edit: RawEdit) {
        let is_last = self.in_order.last().is_none_or(|last| last.range.start < edit.range.start);
        if is_last && self.edits.is_empty() {
            self.in_order.push(edit);
            return;
        }
        let in_order = std::mem::take(&mut self.in_order);
        self.edits.extend(in_order.into_iter().map(|edit| (edit.range.start, edit)));
        self.edits.insert(edit.range.start, edit);
    }

    /// The edit that begins here.
    fn at(&self, start: usize) -> Option<&RawEdit> {
        let find_in_order =
            || self.in_order.binary_search_by_key(&start, |edit| edit.range.start).ok();
        self.edits.get(&start).or_else(|| self.in_order.get(find_in_order()?))
    }

    /// Whether a part can be re-encoded as a whole. Its label and its body must change together, or else the
    /// text would be another one.
    fn can_recode(&self, label: &LabelPlace, body: &Range<usize>) -> bool {
        let free = self.is_free(body) && !self.is_claimed(body);
        match label {
            LabelPlace::Head(_) => free,
            LabelPlace::Layer(edit) => free && self.is_free(&edit.range),
        }
    }

    fn is_claimed(&self, range: &Range<usize>) -> bool {
        let before = self.claimed.range(..range.end.max(range.start + 1)).next_back();
        before.is_some_and(|(_, end)| range.start < *end)
    }

    /// Whether no edit touches these bytes.
    fn is_free(&self, range: &Range<usize>) -> bool {
        let (before, after) = self.around(range.start);
        before.is_none_or(|old| old.is_before(range))
            && after.is_none_or(|old| range.end <= old.range.start)
    }

    /// The last edit that begins at or before an offset, and the next one.
    fn around(&self, at: usize) -> (Option<&RawEdit>, Option<&RawEdit>) {
        if !self.edits.is_empty() {
            let before = self.edits.range(..=at).next_back();
            let after = self.edits.range(at + 1..).next();
            return (before.map(|(_, edit)| edit), after.map(|(_, edit)| edit));
        }
        if let Some(last) = self.in_order.last().filter(|last| last.range.start <= at) {
            return (Some(last), None);
        }
        let after = self.in_order.partition_point(|edit| edit.range.start <= at);
        (
            after.checked_sub(1).and_then(|before| self.in_order.get(before)),
            self.in_order.get(after),
        )
    }

    /// Refuses further edits of these bytes.
    fn claim(&mut self, range: Range<usize>) {
        if !range.is_empty() {
            self.claimed.insert(range.start, range.end);
        }
    }

    /// Removes and returns all edits, in order.
    fn take(&mut self) -> Vec<RawEdit> {
        let mut in_order = std::mem::take(&mut self.in_order);
        in_order.extend(std::mem::take(&mut self.edits).into_values());
        in_order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_edits_that_meet_the_first_stays() {
        let edit = |range: Range<usize>| RawEdit { range, replacement: b"x".as_slice().into() };
        let starts = |edits: &[Range<usize>]| -> (Vec<usize>, bool) {
            let mut disjoint = DisjointEdits::default();
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

    #[test]
    fn an_edit_of_what_is_no_stretch_of_the_text_is_left_out() {
        let message = Message::split("\r\ncafé at eight\r\n".as_bytes());
        let tree = super::super::parse(message, &crate::limits::SplitLimits::default());
        let reading = super::super::all_readings(message, &tree, 0).next().unwrap();
        // Inside a character, beyond the end, backwards.
        for range in [4..5, 99..99, 9..100, Range { start: 8, end: 6 }] {
            let edit = TextEdit { range, replacement: "x".into() };
            let lowered = super::super::lower(message, &tree, 0, &reading, &[edit]);
            assert_eq!(lowered.edits, []);
        }
    }
}
