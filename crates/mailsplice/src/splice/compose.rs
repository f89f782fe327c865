//! Combines two lists of edits that are applied one after the other.

use std::ops::Range;

use crate::edit::RawEdit;

/// Combines two lists of edits (in order, disjoint) into one. `first` edits a body of this length, `then` the
/// result. Linear time.
pub fn compose(first: &[RawEdit], then: &[RawEdit], length: usize) -> Vec<RawEdit> {
    let mut out = Composed::default();
    let mut pieces = BodyPieces::new(first, length);
    let mut at = 0;
    for edit in then {
        pieces.take(edit.range.start.saturating_sub(at), |piece| out.add(piece));
        out.new_bytes(&edit.replacement);
        pieces.take(edit.range.len(), |_| {});
        at = edit.range.end;
    }
    pieces.take(usize::MAX, |piece| out.add(piece));
    out.finish(length)
}

/// A stretch of the edited body.
enum BodyPiece<'a> {
    /// Bytes of the original.
    Kept(Range<usize>),
    New(&'a [u8]),
}

/// Reads the edited body from the front, in stretches of a requested length.
struct BodyPieces<'a> {
    edits: std::slice::Iter<'a, RawEdit>,
    /// Original bytes before the next edit.
    kept: Range<usize>,
    /// The rest of a replacement; it comes before `kept`.
    new: &'a [u8],
    next: Option<&'a RawEdit>,
    length: usize,
}

impl<'a> BodyPieces<'a> {
    fn new(edits: &'a [RawEdit], length: usize) -> BodyPieces<'a> {
        let mut edits = edits.iter();
        let next = edits.next();
        let end = next.map_or(length, |edit| edit.range.start);
        BodyPieces { edits, kept: 0..end, new: &[], next, length }
    }

    fn take(&mut self, mut bytes: usize, mut each: impl FnMut(BodyPiece<'a>)) {
        loop {
            let (taken, rest) = self.new.split_at(self.new.len().min(bytes));
            if !taken.is_empty() {
                each(BodyPiece::New(taken));
            }
            self.new = rest;
            bytes -= taken.len();
            let end = self.kept.start + self.kept.len().min(bytes);
            let taken = self.kept.start..end;
            bytes -= taken.len();
            self.kept.start = end;
            if !taken.is_empty() {
                each(BodyPiece::Kept(taken));
            }
            // A replacement belongs to the bytes after it: it is taken only if more is requested.
            if bytes == 0 || !self.advance() {
                return;
            }
        }
    }

    /// Moves to the next edit; false if there is none.
    fn advance(&mut self) -> bool {
        let Some(edit) = self.next else { return false };
        self.new = &edit.replacement;
        self.next = self.edits.next();
        let end = self.next.map_or(self.length, |next| next.range.start);
        self.kept = edit.range.end..end;
        true
    }
}

/// Builds edits from stretches.
#[derive(Default)]
struct Composed {
    edits: Vec<RawEdit>,
    /// Offset in the original up to which edits are complete.
    at: usize,
    /// New bytes after that offset.
    new: Vec<u8>,
}

impl Composed {
    fn add(&mut self, piece: BodyPiece<'_>) {
        match piece {
            BodyPiece::New(bytes) => self.new_bytes(bytes),
            BodyPiece::Kept(range) => {
                self.close(range.start);
                self.at = range.end;
            }
        }
    }

    fn new_bytes(&mut self, bytes: &[u8]) {
        self.new.extend_from_slice(bytes);
    }

    fn close(&mut self, next: usize) {
        if next > self.at || !self.new.is_empty() {
            let replacement = std::mem::take(&mut self.new).into();
            self.edits.push(RawEdit { range: self.at..next, replacement });
        }
    }

    fn finish(mut self, length: usize) -> Vec<RawEdit> {
        self.close(length);
        self.edits
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::splice::apply;

    fn edits(length: usize, cuts: &[(usize, usize, String)]) -> Vec<RawEdit> {
        let mut at = 0;
        let mut found = Vec::new();
        for (skip, take, new) in cuts {
            let start = at + skip;
            let end = start + take;
            if end > length {
                break;
            }
            found.push(RawEdit { range: start..end, replacement: new.as_bytes().to_vec().into() });
            at = end;
        }
        found
    }

    fn cuts() -> impl Strategy<Value = Vec<(usize, usize, String)>> {
        prop::collection::vec((0_usize..6, 0_usize..5, "[A-Z]{0,5}"), 0..8)
    }

    proptest! {
        #[test]
        fn both_at_once_is_one_after_the_other(
            body in "[a-z]{0,40}", first in cuts(), then in cuts(),
        ) {
            let first = edits(body.len(), &first);
            let once = apply(body.as_bytes(), &first).to_vec();
            let then = edits(once.len(), &then);
            let twice = apply(&once, &then).to_vec();
            let both = compose(&first, &then, body.len());
            let mut at = 0;
            for edit in &both {
                prop_assert!(at <= edit.range.start && edit.range.start <= edit.range.end);
                at = edit.range.end;
            }
            prop_assert!(at <= body.len());
            prop_assert_eq!(apply(body.as_bytes(), &both).to_vec(), twice);
        }
    }

    #[test]
    fn nothing_on_top_changes_nothing() {
        let first = [RawEdit { range: 2..4, replacement: b"xyz".to_vec().into() }];
        assert_eq!(compose(&first, &[], 10), first);
        assert_eq!(compose(&[], &first, 10), first);
    }
}
