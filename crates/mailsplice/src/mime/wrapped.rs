//! Where what a transfer encoding unwraps to came from: found out when somebody asks, and no further than asked.
//!
//! Most readings hold nothing that anybody hears of, and most others a link or two. While bytes are unwrapped only
//! places are noted at which that can begin anew; a map is made of the stretch behind one that somebody asks about.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::transfer::Transfer;
use crate::span::{Map, PieceKind, Track};

/// The raw bytes of what a transfer encoding unwraps to.
#[derive(Clone, Debug)]
pub(super) struct Wrapped<'m> {
    raw: &'m [u8],
    transfer: Transfer,
    /// In order; the first begins at the front. None where each byte stands for itself.
    stretches: Arc<Vec<Stretch>>,
}

/// What lies between two places at which unwrapping can begin anew.
#[derive(Debug)]
struct Stretch {
    /// Where it begins, in the unwrapped bytes and in the raw ones.
    text: usize,
    source: usize,
    /// The map of it, for the few that are asked about.
    map: OnceLock<Option<Box<Map>>>,
}

/// Unwrapped bytes of a stretch, at least.
const STRETCH: usize = 1 << 10;

/// Raw bytes beyond a stretch, and beyond white space there, which a line end would take with it: an escape or a
/// line end that begins there shows what stood before it.
const BEYOND: usize = 3;

impl<'m> Wrapped<'m> {
    /// Unwraps, and notes the way back.
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
            // What stands further on has a say in these.
            _ => {
                stretches.push(0, 0, PieceKind::Linear);
                transfer.bytes(raw)
            }
        };
        (bytes, Wrapped { raw, transfer, stretches: Arc::new(stretches.all) })
    }

    pub(super) fn transfer(&self) -> Transfer {
        self.transfer
    }

    /// The raw bytes of this range of the unwrapped ones, as [`Map::source`] has them.
    pub(super) fn source(&self, range: Range<usize>) -> Range<usize> {
        let first = self.behind(range.start);
        let last = range.end.max(range.start + 1) - 1;
        if range.is_empty() || self.stretches.get(first).is_none_or(|next| last < next.text) {
            return self.within(first, range);
        }
        let start = self.within(first, range.start..range.start + 1).start;
        start..self.within(self.behind(last), last..range.end).end.max(start)
    }

    /// How far to read beyond the front of a stretch: what stands there may say where the piece before it ends.
    fn read_on(&self, stretch: &Stretch) -> usize {
        let end = stretch.source + BEYOND;
        let space = |byte: &&u8| matches!(byte, 0..=b' ' | 127);
        let rest = self.raw.get(end..).unwrap_or_default();
        self.raw.len().min(end + rest.iter().take_while(space).count() + BEYOND)
    }

    /// The stretch behind the one that this byte stands in.
    fn behind(&self, at: usize) -> usize {
        self.stretches.partition_point(|stretch| stretch.text <= at)
    }

    /// The same of a range in the stretch before this one.
    fn within(&self, behind: usize, range: Range<usize>) -> Range<usize> {
        let Some(stretch) = behind.checked_sub(1).and_then(|at| self.stretches.get(at)) else {
            return range;
        };
        let map = stretch.map.get_or_init(|| {
            let end = self.stretches.get(behind).map_or(self.raw.len(), |next| self.read_on(next));
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

/// Told of every piece, it keeps one in so many bytes.
struct Stretches {
    all: Vec<Stretch>,
    /// Unwrapped bytes of each, at least.
    length: usize,
    /// Where the next one begins at the earliest.
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
                let told = wrapped.source(range.clone());
                prop_assert_eq!(told, whole.source(range.clone()), "{:?}", range);
            }
        }
        Ok(())
    }

    proptest! {
        /// However short the stretches are, they say what one map of all says.
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
