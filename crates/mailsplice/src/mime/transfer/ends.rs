//! Exchanges LF and CRLF: text that is stored with LF was sent with CRLF. If a character has several bytes, that
//! changes the text, since all characters after a line end are shifted.

use super::{Decoded, LineEnd};
use crate::edit::RawEdit;
use crate::span::{PieceKind, Track};

/// How line ends are written when a text is decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    /// Unchanged.
    Kept,
    /// All as LF.
    Feeds,
    /// All as CRLF.
    Pairs,
}

impl Ends {
    /// The kind that the first line end of these bytes is not.
    pub fn swapped(raw: &[u8]) -> Ends {
        match LineEnd::of(raw) {
            LineEnd::Crlf => Ends::Feeds,
            LineEnd::Lf => Ends::Pairs,
        }
    }

    /// Writes the line end at `feed`; `carriage`: whether a CR precedes it.
    pub fn write(self, feed: usize, carriage: bool, bytes: &mut Vec<u8>, map: &mut impl Track) {
        match (self, carriage) {
            (Ends::Feeds, true) => {
                map.push(bytes.len(), feed, PieceKind::Linear);
                bytes.push(b'\n');
            }
            (Ends::Pairs, false) => {
                map.push(bytes.len(), feed, PieceKind::Atomic);
                bytes.extend_from_slice(b"\r\n");
                map.push(bytes.len(), feed + 1, PieceKind::Linear);
            }
            (_, true) => bytes.extend_from_slice(b"\r\n"),
            (_, false) => bytes.push(b'\n'),
        }
    }
}

/// Whether the kind of line ends changes the text: it contains NUL (spelled `nul`), which text with one byte per
/// character does not.
pub(in crate::mime) fn matter(raw: &[u8], nul: &[u8]) -> bool {
    memchr::memmem::find(raw, nul).is_some() && memchr::memchr(b'\n', raw).is_some()
}

/// Decodes unencoded text with a map.
pub(super) fn decode(raw: &[u8]) -> Decoded<'static> {
    Decoded::with_map(raw, |map| unwrap(raw, map))
}

pub(super) fn unwrap(raw: &[u8], map: &mut impl Track) -> Vec<u8> {
    let ends = Ends::swapped(raw);
    let mut bytes = Vec::with_capacity(raw.len());
    let mut start = 0;
    for feed in memchr::memchr_iter(b'\n', raw).chain([raw.len()]) {
        let line = raw.get(start..feed).unwrap_or_default();
        let content = line.strip_suffix(b"\r").filter(|_| feed < raw.len());
        map.push(bytes.len(), start, PieceKind::Linear);
        bytes.extend_from_slice(content.unwrap_or(line));
        if feed < raw.len() {
            ends.write(feed, content.is_some(), &mut bytes, map);
        }
        start = feed + 1;
    }
    bytes
}

pub(super) fn lower(raw: &[u8], edits: &[RawEdit]) -> Vec<RawEdit> {
    let decoded = decode(raw);
    let source = |edit: &RawEdit| RawEdit {
        range: decoded.source(edit.range.clone()),
        replacement: edit.replacement.clone(),
    };
    edits.iter().map(source).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_are_turned_and_lead_back() {
        for (raw, swapped) in [
            (&b"a\0\r\nb\0\r\n\r\nc"[..], &b"a\0\nb\0\n\nc"[..]),
            (b"a\0\nb\0\n\nc", b"a\0\r\nb\0\r\n\r\nc"),
            (b"a\r\nb\nc\r", b"a\nb\nc\r"),
            (b"\n", b"\r\n"),
            (b"", b""),
        ] {
            let decoded = decode(raw);
            assert_eq!(decoded.bytes, swapped);
            for letter in b"abc" {
                let at = |bytes: &[u8]| memchr::memchr(*letter, bytes);
                if let (Some(from), Some(to)) = (at(raw), at(swapped)) {
                    assert_eq!(decoded.source(to..to + 1), from..from + 1, "{raw:?}");
                }
            }
        }
        assert!(matter(b"a\0\r\n", b"\0") && matter(b"a=00\n", b"=00"));
        assert!(!matter(b"a=00\n", b"\0") && !matter(b"a\0", b"\0"));
    }
}
