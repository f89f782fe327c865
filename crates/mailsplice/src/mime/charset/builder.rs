//! Decoded text and its map, built unit by unit.

use std::borrow::Cow;
use std::ops::Range;

use encoding_rs::Encoding;

use crate::span::{Map, PieceKind, Text};

/// Bytes of valid UTF-8 below which the next stretch is read character by character.
const SHORT: usize = 32;

/// Builds text and map, unit by unit.
pub(super) struct Builder {
    pub(super) text: String,
    map: Map,
    row: Row,
}

/// The last piece of the map, if it consists of equal units: another such unit after it needs no new piece.
#[derive(Default)]
struct Row {
    text: usize,
    source: usize,
    unit: (usize, usize),
}

impl Builder {
    pub(super) fn new(capacity: usize) -> Builder {
        Builder { text: String::with_capacity(capacity), map: Map::new(), row: Row::default() }
    }

    /// Adds text that is identical to its source.
    pub(super) fn linear(&mut self, text: &str, source: usize) {
        if !text.is_empty() {
            self.map.push(self.text.len(), source, PieceKind::Linear);
            self.text.push_str(text);
            self.row = Row::default();
        }
    }

    /// Adds UTF-8 that is at `at` in the source; invalid sequences become U+FFFD.
    pub(super) fn utf8(&mut self, bytes: &[u8], mut at: usize) {
        let mut rest = bytes;
        let mut before = usize::MAX;
        while !rest.is_empty() {
            // Checks many bytes at once, which is worth it for long stretches.
            let length = match before < SHORT {
                true => None,
                false => Some(std::str::from_utf8(rest).map_or_else(|e| e.valid_up_to(), str::len)),
            };
            let (valid, invalid) = match length.and_then(|length| rest.split_at_checked(length)) {
                Some((valid, [])) => (std::str::from_utf8(valid).unwrap_or_default(), 0),
                Some((valid, after)) => {
                    let first = after.utf8_chunks().next().map_or(0, |chunk| chunk.invalid().len());
                    (std::str::from_utf8(valid).unwrap_or_default(), first)
                }
                None => match rest.utf8_chunks().next() {
                    Some(chunk) => (chunk.valid(), chunk.invalid().len()),
                    None => return,
                },
            };
            self.linear(valid, at);
            at += valid.len();
            if invalid > 0 {
                self.character(char::REPLACEMENT_CHARACTER, at..at + invalid);
                at += invalid;
            }
            before = valid.len();
            rest = rest.get(valid.len() + invalid..).unwrap_or_default();
        }
    }

    /// Adds one unit of text from `source`.
    pub(super) fn unit(&mut self, text: &str, source: Range<usize>) {
        let unit = (text.len(), source.len());
        if self.row.unit != unit
            || self.row.source != source.start
            || self.row.text != self.text.len()
        {
            let kind = match (u8::try_from(unit.0), u8::try_from(unit.1)) {
                (Ok(text @ 1..), Ok(source @ 1..)) => PieceKind::Units { text, source },
                _ => PieceKind::Atomic,
            };
            self.map.push(self.text.len(), source.start, kind);
            if kind == PieceKind::Atomic {
                self.text.push_str(text);
                self.map.push(self.text.len(), source.end, PieceKind::Atomic);
                self.row = Row::default();
                return;
            }
        }
        self.text.push_str(text);
        self.row = Row { text: self.text.len(), source: source.end, unit };
    }

    #[inline]
    pub(super) fn character(&mut self, character: char, source: Range<usize>) {
        let unit = (character.len_utf8(), source.len());
        let row = &mut self.row;
        if row.unit == unit && row.source == source.start && row.text == self.text.len() {
            // Most characters continue a row.
            self.text.push(character);
            (row.text, row.source) = (row.text + unit.0, source.end);
        } else {
            self.unit(character.encode_utf8(&mut [0; 4]), source);
        }
    }

    /// Adds units of equal length, in bytes of text and of `source`.
    pub(super) fn units(&mut self, text: &str, source: Range<usize>, (one, of): (u8, u8)) {
        let unit = (usize::from(one), usize::from(of));
        let row = &self.row;
        if row.unit != unit || row.source != source.start || row.text != self.text.len() {
            let kind = PieceKind::Units { text: one, source: of };
            self.map.push(self.text.len(), source.start, kind);
        }
        self.text.push_str(text);
        self.row = Row { text: self.text.len(), source: source.end, unit };
    }

    pub(super) fn close(mut self, source_len: usize) -> Text<'static> {
        self.map.close(self.text.len(), source_len);
        Text { text: Cow::Owned(self.text), map: Some(self.map) }
    }

    /// Adds the ASCII bytes at the start of `rest`, which is at `at` in the source; returns their number.
    pub(super) fn ascii_run(&mut self, rest: &[u8], at: usize) -> usize {
        let length = Encoding::ascii_valid_up_to(rest);
        let run = rest.get(..length).unwrap_or_default();
        self.linear(std::str::from_utf8(run).unwrap_or_default(), at);
        length
    }
}
