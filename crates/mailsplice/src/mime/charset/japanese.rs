//! ISO-2022-JP-1 (RFC 2237), -2 (RFC 1554), -3 and -2004 (JIS X 0213), read leniently: all sets that
//! one of them can designate, whatever the label is.
//!
//! | escape | set |
//! | --- | --- |
//! | `ESC ( B`, `ESC ( J`, `ESC ( H` | ASCII; JIS X 0201 |
//! | `ESC $ @`, `ESC $ B`, `ESC $ ( O`, `P`, `Q` | JIS X 0208; JIS X 0213, which has the same characters where 0208 has any |
//! | `ESC $ ( D` | JIS X 0212 |
//! | `ESC $ A`, `ESC $ ( A` | GB 2312 |
//! | `ESC $ ( C` | KS X 1001 |
//! | `ESC . A`, `ESC . F`, then `ESC N` | one character of ISO-8859-1, ISO-8859-7 |

use encoding_rs::Encoding;

use super::builder::Builder;
use super::shifted::{self, ShiftStep};
use crate::edit::RawEdit;
use crate::span::Text;

/// The set in which bytes are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Set {
    Ascii,
    Pairs { encoding: &'static Encoding, lead: &'static [u8] },
}

const TO_ASCII: &[u8] = b"\x1B(B";

/// The first escape: its length and the set that it designates.
fn escape(rest: &[u8]) -> Option<(usize, Set)> {
    let pairs = |encoding| Set::Pairs { encoding, lead: b"" };
    match rest {
        [0x1B, b'(', b'A'..=b'Z', ..] => Some((3, Set::Ascii)),
        [0x1B, b'$', b'@' | b'B', ..] => Some((3, pairs(encoding_rs::EUC_JP))),
        [0x1B, b'$', b'A', ..] => Some((3, pairs(encoding_rs::GBK))),
        [0x1B, b'$', b'(', last, ..] => match last {
            b'A' => Some((4, pairs(encoding_rs::GBK))),
            b'C' => Some((4, pairs(encoding_rs::EUC_KR))),
            b'D' => Some((4, Set::Pairs { encoding: encoding_rs::EUC_JP, lead: b"\x8F" })),
            b'@' | b'B' | b'O' | b'P' | b'Q' => Some((4, pairs(encoding_rs::EUC_JP))),
            _ => None,
        },
        _ => None,
    }
}

/// Whether there are escapes that RFC 1468 lacks, or two consecutive ones, which the WHATWG decoder rejects.
pub(super) fn is_odd(bytes: &[u8]) -> bool {
    memchr::memchr_iter(0x1B, bytes).any(|at| {
        let rest = bytes.get(at..).unwrap_or_default();
        let known = matches!(rest, [_, b'(', b'B' | b'J' | b'I', ..] | [_, b'$', b'@' | b'B', ..]);
        !known || rest.get(3) == Some(&0x1B)
    })
}

pub(super) fn decode(bytes: &[u8]) -> Text<'static> {
    let mut out = Builder::new(bytes.len());
    let mut set = Set::Ascii;
    let mut high = encoding_rs::WINDOWS_1252;
    let mut at = 0;
    while let Some(rest) = bytes.get(at..)
        && let Some(byte) = rest.first()
    {
        if let Some((length, designated)) = escape(rest) {
            set = designated;
            at += length;
            continue;
        }
        at += match (rest, set) {
            ([0x1B, b'.', last @ (b'A' | b'F'), ..], _) => {
                let greek = *last == b'F';
                high = if greek { encoding_rs::ISO_8859_7 } else { encoding_rs::WINDOWS_1252 };
                3
            }
            ([0x1B, b'N', character, ..], _) => {
                let text = high.decode_without_bom_handling(&[character | 0x80]).0.into_owned();
                out.unit(&text, at..at + 3);
                3
            }
            ([0x21..=0x7E, 0x21..=0x7E, ..], Set::Pairs { encoding, lead: b"" }) => {
                shifted::pairs(&mut out, rest, 0x7E, encoding, at)
            }
            ([0x20..=0x7E, ..], Set::Ascii) => {
                shifted::plain(&mut out, rest, |byte| matches!(byte, 0x20..=0x7E), at)
            }
            ([first @ 0x21..=0x7E, second @ 0x21..=0x7E, ..], Set::Pairs { encoding, lead }) => {
                let pair = [lead, &[first | 0x80, second | 0x80]].concat();
                let text = encoding.decode_without_bom_handling(&pair).0.into_owned();
                out.unit(&text, at..at + 2);
                2
            }
            _ => {
                // Each line begins in ASCII.
                if *byte == b'\n' {
                    set = Set::Ascii;
                }
                shifted::single(&mut out, *byte, at);
                1
            }
        };
    }
    out.close(bytes.len())
}

/// Adds an escape to ASCII before a replacement, and one back to the set after it.
pub(super) fn lower(bytes: &[u8], edits: Vec<RawEdit>) -> Vec<RawEdit> {
    // A state is represented by the escape that leads to it.
    let step = |now: &'static [u8], rest: &[u8]| match escape(rest) {
        Some((length, Set::Ascii)) => ShiftStep::Switch(TO_ASCII, length),
        Some((length, _)) => {
            let known = ESCAPES.iter().find(|escape| rest.starts_with(escape));
            ShiftStep::Switch(known.copied().unwrap_or(TO_ASCII), length)
        }
        None => match rest {
            [b'\n', ..] => ShiftStep::Text(TO_ASCII, 1),
            [0x1B, b'N', _, ..] | [0x1B, b'.', _, ..] => ShiftStep::Text(now, 3),
            _ => ShiftStep::Text(now, 1),
        },
    };
    shifted::with_switches(bytes, edits, TO_ASCII, step, |state| state)
}

/// The escapes that designate two-byte sets.
const ESCAPES: [&[u8]; 11] = [
    b"\x1B$@", b"\x1B$B", b"\x1B$A", b"\x1B$(A", b"\x1B$(C", b"\x1B$(D", b"\x1B$(@", b"\x1B$(B",
    b"\x1B$(O", b"\x1B$(P", b"\x1B$(Q",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_that_can_be_called() {
        for (bytes, wanted) in [
            (&b"a\x1B$B'b'Q\x1B(Bb"[..], "aраb"),
            (b"\x1B$A'Q\x1B(Bx", "аx"),
            (b"\x1B$(C,Q\x1B(B", "а"),
            (b"\x1B.F\x1BNax", "αx"),
            (b"\x1B$B'b\nab", "р\nab"),
        ] {
            assert_eq!(decode(bytes).as_str(), wanted, "{:?}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn an_edit_stands_in_ascii() {
        let bytes = b"x\x1B$A'Q'Q\x1B(By";
        let edits = vec![RawEdit { range: 4..6, replacement: b"ab".as_slice().into() }];
        let mut out = bytes.to_vec();
        for edit in lower(bytes, edits).iter().rev() {
            out.splice(edit.range.clone(), edit.replacement.iter().copied());
        }
        assert_eq!(decode(&out).as_str(), "xabаy");
    }
}
