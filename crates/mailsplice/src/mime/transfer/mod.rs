//! Transfer encodings: decodes them like mail clients, and lowers edits of the decoded bytes.
//!
//! | clause | item |
//! | --- | --- |
//! | RFC 2045 §6.1, labels | [`Transfer::from_label`] |
//! | RFC 2045 §6.7, quoted-printable | [`qp`] |
//! | RFC 2045 §6.8, base64 | [`base64`] |
//! | POSIX `uuencode` | [`uu`] |
//! | RFC 5322 §2.3, line ends | [`ends`] |

pub(super) mod base64;
pub(super) mod ends;
pub(super) mod qp;
pub(super) mod uu;

use std::borrow::Cow;
use std::ops::Range;

use base64::Padding;
use qp::Breaks;
use uu::Data;

pub(super) use crate::edit::LineEnd;
use crate::edit::RawEdit;
use crate::span::{Map, Track, Untracked};

/// A transfer encoding, in one of the ways in which programs decode it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Transfer {
    /// 7bit, 8bit, binary, and all unknown labels.
    #[default]
    Identity,
    /// Like [`Transfer::Identity`], with LF and CRLF exchanged, which matters to text with several bytes per character.
    IdentitySwapped,
    /// Escapes of three characters, lines of 76 (RFC 2045 §6.7).
    QuotedPrintable,
    /// Quoted-printable, as decoded by programs that join lines before they decode escapes.
    QuotedPrintableJoined,
    /// Quoted-printable, with LF and CRLF exchanged.
    QuotedPrintableSwapped,
    /// Quoted-printable, as decoded by programs to which all between a lone CR behind `=` and the next LF is nothing.
    QuotedPrintableCut,
    /// Base64, as most programs decode it: four characters for three bytes (RFC 2045 §6.8).
    Base64,
    /// Base64, as decoded by programs that take four characters at a time, including padding.
    Base64Quanta,
    /// Base64, as decoded by programs that skip padding unless it completes a unit.
    Base64Skipping,
    /// Base64, as decoded by programs that skip all padding.
    Base64Unpadded,
    /// `x-uuencode` and its other spellings; also blocks inside text.
    Uuencode,
    /// Uuencode, as decoded by programs that skip lines whose length byte does not match.
    UuencodeWhole,
}

/// Decoded bytes with their map.
#[derive(Debug)]
pub(super) struct Decoded<'a> {
    pub bytes: Cow<'a, [u8]>,
    /// Map to the encoded bytes; `None` if both are the same.
    pub map: Option<Map>,
    /// Offsets in `bytes` at which the alignment of base64 units restarts, the first at 0.
    pub restarts: Vec<usize>,
}

/// How to decode, with a variant where programs differ.
#[derive(Clone, Copy)]
enum Coding {
    Identity,
    Ends,
    QuotedPrintable(Breaks),
    Base64(Padding),
    Uuencode(Data),
}

impl Transfer {
    /// The encoding that a `Content-Transfer-Encoding` value names: its first word, ignoring case and the
    /// rest (`base64;`, `base64 (comment)`).
    pub fn from_label(value: &str) -> Option<Transfer> {
        let word: String = value
            .trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '"' || c == '\'')
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '-' || *c == '_')
            .collect::<String>()
            .to_ascii_lowercase();
        match word.as_str() {
            "7bit" | "8bit" | "7-bit" | "8-bit" | "binary" => Some(Transfer::Identity),
            "quoted-printable" | "quoted_printable" => Some(Transfer::QuotedPrintable),
            "base64" | "base-64" => Some(Transfer::Base64),
            "x-uuencode" | "uuencode" | "x-uue" | "uue" | "x-uu" | "uu" => Some(Transfer::Uuencode),
            _ => None,
        }
    }

    /// Whether it is base64, however programs decode it.
    pub fn is_base64(self) -> bool {
        matches!(self.scheme(), Coding::Base64(_))
    }

    fn scheme(self) -> Coding {
        match self {
            Transfer::Identity => Coding::Identity,
            Transfer::IdentitySwapped => Coding::Ends,
            Transfer::QuotedPrintable => Coding::QuotedPrintable(Breaks::InPlace),
            Transfer::QuotedPrintableJoined => Coding::QuotedPrintable(Breaks::First),
            Transfer::QuotedPrintableSwapped => Coding::QuotedPrintable(Breaks::Swapped),
            Transfer::QuotedPrintableCut => Coding::QuotedPrintable(Breaks::ToFeed),
            Transfer::Base64 => Coding::Base64(Padding::Ends),
            Transfer::Base64Quanta => Coding::Base64(Padding::Counts),
            Transfer::Base64Skipping => Coding::Base64(Padding::Skipped),
            Transfer::Base64Unpadded => Coding::Base64(Padding::Nothing),
            Transfer::Uuencode => Coding::Uuencode(Data::ByLength),
            Transfer::UuencodeWhole => Coding::Uuencode(Data::Whole),
        }
    }

    /// The name written into a header field.
    pub fn as_str(self) -> &'static str {
        match self.scheme() {
            Coding::Identity | Coding::Ends => "8bit",
            Coding::QuotedPrintable(_) => "quoted-printable",
            Coding::Base64(_) => "base64",
            Coding::Uuencode(_) => "x-uuencode",
        }
    }

    /// Decodes. Never fails: invalid bytes are kept or dropped like clients do.
    pub fn bytes(self, raw: &[u8]) -> Cow<'_, [u8]> {
        self.unwrap(raw, &mut Untracked)
    }

    /// Decodes, and reports each piece to `track`.
    pub(super) fn unwrap<'r>(self, raw: &'r [u8], track: &mut impl Track) -> Cow<'r, [u8]> {
        Cow::Owned(match self.scheme() {
            Coding::Identity => return Cow::Borrowed(raw),
            Coding::Ends => ends::unwrap(raw, track),
            Coding::QuotedPrintable(breaks) => qp::unwrap(raw, breaks, track),
            Coding::Base64(padding) => base64::unwrap(raw, padding, track),
            Coding::Uuencode(data) => uu::unwrap(raw, data, track),
        })
    }

    /// Decodes with a map.
    pub(super) fn decode(self, raw: &[u8]) -> Decoded<'_> {
        match self.scheme() {
            Coding::Identity => {
                Decoded { bytes: Cow::Borrowed(raw), map: None, restarts: Vec::new() }
            }
            Coding::Ends => ends::decode(raw),
            Coding::QuotedPrintable(breaks) => qp::decode(raw, breaks),
            Coding::Base64(padding) => base64::decode(raw, padding),
            Coding::Uuencode(data) => uu::decode(raw, data),
        }
    }

    /// Lowers `edits` (in order, disjoint) of the decoded bytes to edits of the encoded ones. Ranges are
    /// relative to `raw`.
    pub(super) fn lower(self, raw: &[u8], edits: Vec<RawEdit>, line_end: LineEnd) -> Vec<RawEdit> {
        match self.scheme() {
            Coding::Identity => edits,
            Coding::Ends => ends::lower(raw, &edits),
            Coding::QuotedPrintable(breaks) => qp::lower(raw, &edits, line_end, breaks),
            Coding::Base64(padding) => base64::lower(raw, &edits, line_end, padding),
            Coding::Uuencode(data) => uu::lower(raw, &edits, line_end, data),
        }
    }
}

impl Decoded<'_> {
    /// Decodes with a map; `unwrap` decodes and reports its pieces.
    fn with_map(raw: &[u8], unwrap: impl FnOnce(&mut Map) -> Vec<u8>) -> Decoded<'static> {
        let mut map = Map::new();
        let bytes = unwrap(&mut map);
        map.close(bytes.len(), raw.len());
        Decoded { bytes: Cow::Owned(bytes), map: Some(map), restarts: Vec::new() }
    }

    /// The range of encoded bytes for this range of decoded ones.
    pub(super) fn source(&self, range: Range<usize>) -> Range<usize> {
        match &self.map {
            None => range,
            Some(map) => map.source(range),
        }
    }
}

/// Number of bytes between the last LF before `at` and `at`.
pub(super) fn column(raw: &[u8], at: usize) -> usize {
    let before = raw.get(..at).unwrap_or(raw);
    match memchr::memrchr(b'\n', before) {
        Some(feed) => at - feed - 1,
        None => at,
    }
}

/// Offset of the end of the line that contains `at`, before its line end.
pub(super) fn line_end_after(raw: &[u8], at: usize) -> usize {
    let rest = raw.get(at..).unwrap_or_default();
    match memchr::memchr(b'\n', rest) {
        Some(feed) if feed > 0 && rest.get(feed - 1) == Some(&b'\r') => at + feed - 1,
        Some(feed) => at + feed,
        None => raw.len(),
    }
}

/// Finds the lines of edits in order. A line of any length is searched once, not once per edit.
pub(super) struct Lines<'r> {
    raw: &'r [u8],
    /// The line that was found last, without its line end.
    line: Option<Range<usize>>,
}

impl<'r> Lines<'r> {
    pub(super) fn of(raw: &'r [u8]) -> Lines<'r> {
        Lines { raw, line: None }
    }

    /// The line that contains this offset, without its line end.
    pub(super) fn at(&mut self, at: usize) -> Range<usize> {
        let known = self.line.take().filter(|line| (line.start..=line.end).contains(&at));
        let find = || at - column(self.raw, at)..line_end_after(self.raw, at);
        self.line.insert(known.unwrap_or_else(find)).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_offsets_in_order() {
        let raw = b"one\r\n\r\ntwo three\nfour";
        let mut lines = Lines::of(raw);
        for at in 0..=raw.len() {
            let line = lines.at(at);
            assert_eq!(line, at - column(raw, at)..line_end_after(raw, at), "{at}");
        }
    }
}
