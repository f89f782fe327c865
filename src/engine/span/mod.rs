//! Text that remembers where its bytes came from.

use std::borrow::Cow;
use std::ops::Range;

/// A stretch of decoded text and the source bytes that it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// First byte in the text.
    pub text: usize,
    /// First byte in the source.
    pub source: usize,
    pub kind: PieceKind,
}

/// How a piece maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// Byte for byte: offsets inside map one to one.
    Linear,
    /// A unit (an entity, an escape, a recoded character): only its ends map.
    Atomic,
}

/// A piecewise map from text offsets to source offsets, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Map {
    /// Starts of pieces. A piece ends where the next begins, in text and in source.
    pieces: Vec<Piece>,
    text_len: usize,
    source_len: usize,
}

/// Decoded text with its map back to the source.
#[derive(Clone, Debug)]
pub struct Text<'a> {
    pub text: Cow<'a, str>,
    /// `None`: byte for byte.
    pub map: Option<Map>,
}

impl Map {
    /// A map that is extended piece by piece with [`Map::push`], then closed.
    pub fn new() -> Map {
        Map::default()
    }

    /// Adds a piece that begins at these offsets and runs until the next piece or the close.
    pub fn push(&mut self, text: usize, source: usize, kind: PieceKind) {
        if let Some(last) = self.pieces.last()
            && last.kind == PieceKind::Linear
            && kind == PieceKind::Linear
            && text - last.text == source - last.source
        {
            return;
        }
        self.pieces.push(Piece { text, source, kind });
    }

    /// Ends the last piece.
    pub fn close(&mut self, text_len: usize, source_len: usize) {
        self.text_len = text_len;
        self.source_len = source_len;
    }

    /// The smallest source range whose bytes produce this range of the text.
    pub fn source(&self, range: Range<usize>) -> Range<usize> {
        let start = self.start(range.start);
        if range.is_empty() {
            return start..start;
        }
        start..self.end(range.end)
    }

    fn start(&self, offset: usize) -> usize {
        let index = self.pieces.partition_point(|piece| piece.text <= offset);
        match index.checked_sub(1).and_then(|index| self.pieces.get(index)) {
            None => 0,
            Some(piece) => match piece.kind {
                PieceKind::Linear => piece.source + (offset - piece.text),
                PieceKind::Atomic => piece.source,
            },
        }
    }

    fn end(&self, offset: usize) -> usize {
        let index = self.pieces.partition_point(|piece| piece.text < offset);
        match index.checked_sub(1).and_then(|index| self.pieces.get(index)) {
            None => 0,
            Some(piece) => match piece.kind {
                PieceKind::Linear => piece.source + (offset - piece.text),
                PieceKind::Atomic => {
                    self.pieces.get(index).map_or(self.source_len, |next| next.source)
                }
            },
        }
    }
}

/// A change in the decoded text of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit {
    /// Byte range in the text of the reading.
    pub range: Range<usize>,
    /// ASCII.
    pub replacement: String,
}

impl<'a> Text<'a> {
    /// Text that is its own source.
    pub fn plain(text: &'a str) -> Text<'a> {
        Text { text: Cow::Borrowed(text), map: None }
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The source bytes of this range of the text.
    pub fn source(&self, range: Range<usize>) -> Range<usize> {
        match &self.map {
            None => range,
            Some(map) => map.source(range),
        }
    }
}
