//! Maps unwrapped bytes to raw ones, computed on demand.
//!
//! In most readings nothing is reported, in most others one or two links. So while bytes are unwrapped, only places
//! are recorded at which unwrapping can restart. The map of the stretch after such a place is built when it is
//! needed.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::transfer::Transfer;
use crate::span::{Map, PieceKind, Track};

/// Maps the unwrapped bytes of a transfer encoding to the raw ones.
#[derive(Clone, Debug)]
pub(super) struct Wrapped<'m> {
    raw: &'m [u8],
    transfer: Transfer,
    /// In order; the first begins at the start. `None` if unwrapped and raw bytes are the same.
    stretches: Option<Arc<[Stretch]>>,
}

/// The bytes between two places at which unwrapping can restart.
#[derive(Debug)]
struct Stretch {
    /// Its start in the unwrapped bytes and in the raw ones.
    text: usize,
    source: usize,
    /// Its map, built on demand.
    map: OnceLock<Option<Box<Map>>>,
}

/// Least number of unwrapped bytes of a stretch.
const STRETCH: usize = 1 << 10;

/// Raw bytes that are decoded after a stretch, and after white space there (which a line end would remove): an
/// escape or a line end there decides where the previous piece ends.
const LOOKAHEAD: usize = 3;

impl<'m> Wrapped<'m> {
    /// Unwraps, and records the stretches.
    pub(super) fn of(raw: &'m [u8], transfer: Transfer) -> (Cow<'m, [u8]>, Wrapped<'m>) {
        Wrapped::in_stretches(raw, transfer, STRETCH)
    }

    fn in_stretches(
        raw: &'m [u8],
        transfer: Transfer,
        length: usize,
    ) -> (Cow<'m, [u8]>, Wrapped<'m>) {
        let mut stretches = Stretches { all: Vec::new(), length, end: 0 };
        let bytes = match transfer {
            Transfer::Identity => Cow::Borrowed(raw),
            Transfer::QuotedPrintable | Transfer::Base64 => {
                stretches.push(0, 0, PieceKind::Linear);
                transfer.unwrap(raw, &mut stretches)
            }
            // In these the result depends on later bytes: one stretch.
            _ => {
                stretches.push(0, 0, PieceKind::Linear);
                transfer.bytes(raw)
            }
        };
        let stretches = (!stretches.all.is_empty()).then(|| stretches.all.into());
        (bytes, Wrapped { raw, transfer, stretches })
    }

    fn stretches(&self) -> &[Stretch] {
        self.stretches.as_deref().unwrap_or_default()
    }

    pub(super) fn transfer(&self) -> Transfer {
        self.transfer
    }

    /// The raw byte range of this range of the unwrapped bytes, like [`Map::source`]. One that ends before it begins is
    /// empty.
    pub(super) fn source(&self, range: Range<usize>) -> Range<usize> {
        let range = range.start..range.end.max(range.start);
        let first = self.next_stretch(range.start);
        let last = range.end.max(range.start + 1) - 1;
        if range.is_empty() || self.stretches().get(first).is_none_or(|next| last < next.text) {
            return self.within(first, range);
        }
        let start = self.within(first, range.start..range.start + 1).start;
        start..self.within(self.next_stretch(last), last..range.end).end.max(start)
    }

    /// Where to stop decoding the stretch before this one: some bytes after its end decide where its last piece ends.
    fn lookahead_end(&self, stretch: &Stretch) -> usize {
        let end = stretch.source + LOOKAHEAD;
        let space = |byte: &&u8| matches!(byte, 0..=b' ' | 127);
        let rest = self.raw.get(end..).unwrap_or_default();
        self.raw.len().min(end + rest.iter().take_while(space).count() + LOOKAHEAD)
    }

    /// Index of the stretch after the one that contains this byte.
    fn next_stretch(&self, at: usize) -> usize {
        self.stretches().partition_point(|stretch| stretch.text <= at)
    }

    /// Like [`Wrapped::source`], for a range in the stretch before the one with the index `next`.
    fn within(&self, next: usize, range: Range<usize>) -> Range<usize> {
        let Some(stretch) = next.checked_sub(1).and_then(|at| self.stretches().get(at)) else {
            return range;
        };
        let map = stretch.map.get_or_init(|| {
            let end =
                self.stretches().get(next).map_or(self.raw.len(), |next| self.lookahead_end(next));
            let raw = self.raw.get(stretch.source..end).unwrap_or_default();
            self.transfer.decode(raw).map.map(Box::new)
        });
        match map {
            None => range,
            Some(map) => {
                let source = map.source(range.start - stretch.text..range.end - stretch.text);
                source.start + stretch.source..source.end + stretch.source
            }
        }
    }
}

/// Receives every piece, and records one per `length` bytes.
struct Stretches {
    all: Vec<Stretch>,
    /// Least number of unwrapped bytes of each.
    length: usize,
    /// Earliest start of the next one.
    end: usize,
}

impl Track for Stretches {
    fn push(&mut self, text: usize, source: usize, _: PieceKind) {
        if text >= self.end {
            self.end = text + self.length;
            self.all.push(Stretch { text, source, map: OnceLock::new() });
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pieces(choice: &[&'static str]) -> impl Strategy<Value = String> {
        prop::collection::vec(prop::sample::select(choice.to_vec()), 0..120)
            .prop_map(|pieces| pieces.concat())
    }

    fn is_as_a_whole(raw: &str, transfer: Transfer, length: usize) -> Result<(), TestCaseError> {
        let (bytes, wrapped) = Wrapped::in_stretches(raw.as_bytes(), transfer, length);
        let whole = transfer.decode(raw.as_bytes());
        prop_assert_eq!(&bytes, &whole.bytes);
        for start in 0..=bytes.len() {
            for end in [start, start + 1, start + 2, start + 7, bytes.len()] {
                let range = start..end.clamp(start, bytes.len());
                let found = wrapped.source(range.clone());
                prop_assert_eq!(found, whole.source(range.clone()), "{:?}", range);
            }
        }
        Ok(())
    }

    proptest! {
        /// Stretches of any length map like one map of all bytes.
        #[test]
        fn stretches_of_quoted_printable_are_the_whole(
            raw in pieces(&["a", "bc", " ", "\t", "=41", "=c3=a9", "=", "=\r\n", "= \n", "\r\n", "\n", "\r", "\u{1}"]),
            length in 1_usize..20,
        ) {
            is_as_a_whole(&raw, Transfer::QuotedPrintable, length)?;
        }

        #[test]
        fn stretches_of_base64_are_the_whole(
            raw in pieces(&["QUJD", "YWJjZGVm", "A", "b", "=", "==", "\r\n", " ", "-", "YQ=="]),
            length in 1_usize..20,
        ) {
            is_as_a_whole(&raw, Transfer::Base64, length)?;
        }
    }
}
