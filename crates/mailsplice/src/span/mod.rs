//! Text with a map back to the bytes that it was decoded from.
//!
//! A layer (transfer encoding, charset, entities) turns a source into a text. Its [`Map`] finds for a byte
//! range of the text the smallest byte range of the source that produces it. Maps of several layers are
//! applied one after the other.

mod pieces;

use std::borrow::Cow;
use std::ops::Range;

use pieces::{MapPiece, Pieces};

/// How the offsets in a piece map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// Byte for byte: offsets inside map one to one.
    Linear,
    /// Consecutive equal units: `text` bytes of text for every `source` bytes of source (quoted-printable
    /// escapes are 1 and 3, base64 is 3 and 4). Only the ends of units map. Neither may be zero.
    Units {
        /// Bytes of text in each unit.
        text: u8,
        /// Bytes of source in each unit.
        source: u8,
    },
    /// One unit (an entity, a recoded character, or source bytes that yield nothing): only its ends map.
    Atomic,
}

/// Receives the pieces while a text is decoded: a map, or [`Untracked`] if only the text is needed.
pub(crate) trait Track {
    /// A piece begins at these offsets and ends at the next one.
    fn push(&mut self, text: usize, source: usize, kind: PieceKind);
}

/// Ignores the pieces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Untracked;

impl Track for Untracked {
    fn push(&mut self, _: usize, _: usize, _: PieceKind) {}
}

impl Track for Map {
    fn push(&mut self, text: usize, source: usize, kind: PieceKind) {
        Map::push(self, text, source, kind);
    }
}

/// A piecewise monotonic map from text offsets to source offsets.
///
/// Offsets are stored in 32 bits: a text is shorter than 4 GiB.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Map {
    pieces: Pieces,
    text_len: usize,
    source_len: usize,
}

/// Decoded text with its map back to the source.
#[derive(Clone, Debug)]
pub struct Text<'a> {
    /// The decoded text; borrowed if nothing had to be decoded.
    pub text: Cow<'a, str>,
    /// `None` if text and source are the same bytes.
    pub map: Option<Map>,
}

impl Map {
    /// An empty map, to be filled with [`Map::push`] and ended with [`Map::close`].
    pub fn new() -> Map {
        Map::default()
    }

    /// Adds a piece that begins at these offsets and ends at the next piece or at the close.
    /// A piece that continues the units of the last one is merged into it.
    pub fn push(&mut self, text: usize, source: usize, kind: PieceKind) {
        let (unit_text, unit_source) = match kind {
            PieceKind::Linear => (1, 1),
            PieceKind::Units { text, source } => (text, source),
            PieceKind::Atomic => (0, 0),
        };
        let piece = MapPiece { text: narrow(text), source: narrow(source), unit_text, unit_source };
        if !self.pieces.last().is_some_and(|last| last.is_continued_by(piece)) {
            self.pieces.push(piece);
        }
    }

    /// Ends the last piece.
    pub fn close(&mut self, text_len: usize, source_len: usize) {
        self.text_len = text_len;
        self.source_len = source_len;
        self.pieces.shrink();
    }

    /// The smallest source range whose bytes produce this range of the text. An empty range
    /// gives an empty range.
    pub fn source(&self, range: Range<usize>) -> Range<usize> {
        if range.is_empty() {
            let start =
                self.start(range.start, self.pieces.last_while(|text| text <= range.start).0);
            return start..start;
        }
        let (first, last) = self.pieces.around(&range);
        let start = self.start(range.start, first);
        start..self.end(range.end, last).max(start)
    }

    /// The source offset of this offset in the text, given the piece that contains it.
    fn start(&self, offset: usize, piece: Option<MapPiece>) -> usize {
        match piece {
            None => 0,
            Some(piece) => match (offset - piece.text as usize).checked_div(piece.unit_text.into())
            {
                Some(units) => piece.source as usize + units * usize::from(piece.unit_source),
                // Inside an atomic unit: its start; at the very end of the text: its end.
                None if offset >= self.text_len && offset > piece.text as usize => self.source_len,
                None => piece.source as usize,
            },
        }
    }

    /// The source offset at which the text before this offset ends, given the last piece before it and the next one.
    fn end(&self, offset: usize, pieces: (Option<MapPiece>, Option<MapPiece>)) -> usize {
        match pieces {
            (None, _) => 0,
            (Some(piece), next) if piece.unit_text == 0 => {
                next.map_or(self.source_len, |next| next.source as usize)
            }
            (Some(piece), _) => {
                let units = (offset - piece.text as usize).div_ceil(piece.unit_text.into());
                piece.source as usize + units * usize::from(piece.unit_source)
            }
        }
    }
}

/// Offsets beyond 4 GiB do not occur: the splitter refuses such messages.
fn narrow(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

/// An edit of the decoded text of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit {
    /// Byte range in the text of the reading.
    pub range: Range<usize>,
    /// ASCII; a notice may contain any character of the part's charset. Most are constants.
    pub replacement: Cow<'static, str>,
}

impl<'a> Text<'a> {
    /// Text that is identical to its source.
    pub fn plain(text: &'a str) -> Text<'a> {
        Text { text: Cow::Borrowed(text), map: None }
    }

    /// The decoded text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The same text, owned.
    pub fn into_owned(self) -> Text<'static> {
        Text { text: Cow::Owned(self.text.into_owned()), map: self.map }
    }

    /// The source bytes of this range of the text.
    pub fn source(&self, range: Range<usize>) -> Range<usize> {
        match &self.map {
            None => range,
            Some(map) => map.source(range),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `a=\r\nb=41=42c`: a soft break, then two escapes.
    fn quoted() -> Map {
        let mut map = Map::new();
        map.push(0, 0, PieceKind::Linear);
        map.push(1, 4, PieceKind::Linear);
        map.push(2, 5, PieceKind::Units { text: 1, source: 3 });
        map.push(3, 8, PieceKind::Units { text: 1, source: 3 });
        map.push(4, 11, PieceKind::Linear);
        map.close(5, 12);
        map
    }

    #[test]
    fn source_ranges_are_the_smallest() {
        let map = quoted();
        assert_eq!(map.source(0..1), 0..1, "the soft break after it is not touched");
        assert_eq!(map.source(0..2), 0..5, "but it is covered when it lies inside");
        assert_eq!(map.source(2..3), 5..8);
        assert_eq!(map.source(3..4), 8..11);
        assert_eq!(map.source(2..5), 5..12);
        assert_eq!(map.source(1..1), 4..4);
        assert_eq!(map.source(5..5), 12..12);
    }

    #[test]
    fn rows_of_units_take_one_piece() {
        assert_eq!(quoted().pieces.iter().count(), 4);
    }

    #[test]
    fn a_unit_maps_by_its_ends_only() {
        // `x&amp;y`
        let mut map = Map::new();
        map.push(0, 0, PieceKind::Linear);
        map.push(1, 1, PieceKind::Atomic);
        map.push(2, 6, PieceKind::Linear);
        map.close(3, 7);
        assert_eq!(map.source(1..2), 1..6);
        assert_eq!(map.source(0..2), 0..6);
        assert_eq!(map.source(2..3), 6..7);
    }

    #[test]
    fn part_of_a_base64_unit_is_the_whole_unit() {
        let mut map = Map::new();
        map.push(0, 0, PieceKind::Units { text: 3, source: 4 });
        map.push(6, 10, PieceKind::Units { text: 3, source: 4 });
        map.close(9, 14);
        assert_eq!(map.source(1..2), 0..4);
        assert_eq!(map.source(2..4), 0..8);
        assert_eq!(map.source(5..7), 4..14);
    }
}
