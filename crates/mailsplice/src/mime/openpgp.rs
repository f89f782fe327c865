//! OpenPGP messages (RFC 9580) that are compressed or signed but not encrypted: programs show their content
//! without a key.
//!
//! | clause | item |
//! | --- | --- |
//! | RFC 9580 §4.2, packets of both formats, lengths also partial | [`packet`] |
//! | RFC 9580 §5.6, §5.9, compressed and literal data | [`literal`] |
//! | RFC 9580 §6.2, ASCII armor | [`binary`] |
//! | RFC 9580 §7, cleartext signatures | [`is_clear_signed`] |

use std::borrow::Cow;
use std::ops::Range;

use super::inflate::{Format, InflateBudget};
use super::transfer::Transfer;
use crate::byte_search;

const BEGIN: &[u8] = b"-----BEGIN PGP MESSAGE-----";

/// The part of the first line that quoted-printable has no reason to escape.
const BEGIN_SIGNED: &[u8] = b"-BEGIN PGP SIGNED MESSAGE-";

/// Likewise, of the last line.
const END_SIGNATURE: &[u8] = b"-END PGP SIGNATURE-";

/// Offset in each of the letter that is rarest in text: the G of PGP.
const RARE_LETTER: usize = 12;
const RARE_LETTER_SIGNED: usize = 8;

/// Bytes at the start of a part in which armor must begin: one or two lines may precede it.
const ARMOR_SEARCH: usize = 1024;

/// Packets that are read up to the data; signatures have two each.
const MAX_PACKETS: usize = 32;

/// Nesting depth of compressed data.
const MAX_NESTING: usize = 4;

const SIGNATURE: u8 = 2;
const ONE_PASS: u8 = 4;
const COMPRESSED: u8 = 8;
const MARKER: u8 = 10;
const LITERAL: u8 = 11;
const PADDING: u8 = 21;

/// Whether ASCII armor begins near the start.
pub(super) fn is_armored(bytes: &[u8]) -> bool {
    let front = bytes.get(..ARMOR_SEARCH.min(bytes.len())).unwrap_or_default();
    byte_search::find(front, BEGIN, RARE_LETTER).is_some()
}

/// Whether a cleartext signature begins near the start.
pub(super) fn is_clear_signed(raw: &[u8], transfer: Transfer) -> bool {
    let front = raw.get(..ARMOR_SEARCH.min(raw.len())).unwrap_or_default();
    let text = match transfer {
        Transfer::Base64 => transfer.bytes(front),
        _ => Cow::Borrowed(front),
    };
    byte_search::find(&text, BEGIN_SIGNED, RARE_LETTER_SIGNED).is_some()
}

/// The range of what is signed in a part that [`is_clear_signed`], with its armor: all of it if the armor is encoded.
pub(super) fn clear_signed(raw: &[u8]) -> Range<usize> {
    let begin = byte_search::find(raw, BEGIN_SIGNED, RARE_LETTER_SIGNED);
    let end = memchr::memmem::rfind(raw, END_SIGNATURE).map(|at| at + END_SIGNATURE.len());
    let (start, end) = (begin.unwrap_or(0), end.unwrap_or(raw.len()));
    if start < end { start..end } else { 0..raw.len() }
}

/// The content of a message, if it is not encrypted and `budget` suffices.
pub(super) fn content(bytes: &[u8], budget: &mut InflateBudget) -> Option<Vec<u8>> {
    let content = literal(binary(bytes), budget, MAX_NESTING)?;
    // Compressed content has been taken from `budget` already.
    (budget.taken >= content.len() || budget.take(content.len())).then_some(content)
}

/// The packets, decoded from their armor if they have one.
fn binary(bytes: &[u8]) -> Cow<'_, [u8]> {
    let Some(at) = memchr::memmem::find(bytes, BEGIN) else { return Cow::Borrowed(bytes) };
    let armor = bytes.get(at + BEGIN.len()..).unwrap_or_default();
    let mut data = Vec::with_capacity(armor.len());
    let blank = |line: &&[u8]| line.trim_ascii().is_empty();
    // Armor headers end with a blank line, the data with a checksum or the last line of the armor.
    let lines = armor.split_inclusive(|byte| *byte == b'\n').skip(1);
    let after = lines.skip_while(|line| !blank(line)).skip_while(blank);
    for line in after.take_while(|line| !matches!(line.first(), Some(b'=' | b'-'))) {
        data.extend_from_slice(line);
    }
    Cow::Owned(Transfer::Base64.bytes(&data).into_owned())
}

/// The content of the literal packet, also inside compressed ones.
fn literal(packets: Cow<'_, [u8]>, budget: &mut InflateBudget, depth: usize) -> Option<Vec<u8>> {
    let mut rest = &*packets;
    for _ in 0..MAX_PACKETS {
        let Packet { tag, body, after } = packet(rest)?;
        match tag {
            LITERAL => {
                // Format, length of the file name, file name, date.
                let name = usize::from(*body.get(1)?);
                return body.get(2 + name + 4..).map(<[u8]>::to_vec);
            }
            COMPRESSED => {
                let (algorithm, packed) = body.split_first()?;
                let depth = depth.checked_sub(1)?;
                let unpacked = match algorithm {
                    0 => Some(packed.to_vec()).filter(|packed| budget.take(packed.len()))?,
                    1 => budget.inflated(packed, Format::Deflate)?,
                    2 => budget.inflated(packed, Format::Zlib)?,
                    _ => return None,
                };
                return literal(Cow::Owned(unpacked), budget, depth);
            }
            SIGNATURE | ONE_PASS | MARKER | PADDING => rest = after,
            _ => return None,
        }
    }
    None
}

struct Packet<'b> {
    tag: u8,
    body: Cow<'b, [u8]>,
    after: &'b [u8],
}

/// The first packet. A truncated body is read as far as it goes.
fn packet(bytes: &[u8]) -> Option<Packet<'_>> {
    let (first, rest) = bytes.split_first()?;
    let split = |rest: &'_ [u8], length: usize| rest.len().min(length);
    if first & 0x80 == 0 {
        return None;
    }
    if first & 0x40 == 0 {
        let octets = [1, 2, 4, 0].get(usize::from(first & 3)).copied()?;
        let (length, body) = rest.split_at_checked(octets)?;
        let length = if octets == 0 { body.len() } else { big_endian(length) };
        let (body, after) = body.split_at(split(body, length));
        return Some(Packet { tag: first >> 2 & 0xF, body: Cow::Borrowed(body), after });
    }
    let tag = first & 0x3F;
    let mut whole: Cow<'_, [u8]> = Cow::Borrowed(&[]);
    let mut rest = rest;
    loop {
        let (octet, after) = rest.split_first()?;
        let (length, after, is_last) = match octet {
            0..=191 => (usize::from(*octet), after, true),
            192..=223 => {
                let (low, after) = after.split_first()?;
                ((usize::from(*octet) - 192) * 256 + usize::from(*low) + 192, after, true)
            }
            224..=254 => (1 << (octet & 31), after, false),
            255 => {
                let (length, after) = after.split_at_checked(4)?;
                (big_endian(length), after, true)
            }
        };
        let (body, after) = after.split_at(split(after, length));
        match whole.is_empty() {
            true => whole = Cow::Borrowed(body),
            false => whole.to_mut().extend_from_slice(body),
        }
        if is_last || after.is_empty() {
            return Some(Packet { tag, body: whole, after });
        }
        rest = after;
    }
}

fn big_endian(octets: &[u8]) -> usize {
    octets.iter().fold(0, |number, octet| number << 8 | usize::from(*octet))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn within(most: usize, bytes: &[u8]) -> Option<Vec<u8>> {
        content(bytes, &mut InflateBudget::of(most))
    }

    /// A literal of the new format.
    fn literal_packet(text: &[u8]) -> Vec<u8> {
        let length = u8::try_from(text.len() + 6).unwrap();
        [&[0xC0 | LITERAL, length, b'b', 0, 0, 0, 0, 0], text].concat()
    }

    #[test]
    fn what_is_not_encrypted() {
        let text = b"see https://example.com/";
        let old = [&[0x80 | LITERAL << 2, 30, b'b', 0, 0, 0, 0, 0], text.as_slice()].concat();
        let endless = [&[0x83 | LITERAL << 2, b'b', 0, 0, 0, 0, 0], text.as_slice()].concat();
        let stored = [&[0xC0 | COMPRESSED, 33, 0], literal_packet(text).as_slice()].concat();
        let signed = [&[0xC0 | ONE_PASS, 2, 3, 0], stored.as_slice()].concat();
        let partial =
            [&[0xC0 | LITERAL, 0xE3, b'b', 0, 0, 0, 0, 0, b's', b'e', 22], &text[2..]].concat();
        for message in [literal_packet(text), old, endless, stored, signed, partial] {
            assert_eq!(within(1000, &message).as_deref(), Some(text.as_slice()), "{message:?}");
            let mut budget = InflateBudget::of(10);
            assert!(content(&message, &mut budget).is_none() && budget.is_over, "{message:?}");
        }
    }

    #[test]
    fn armor_is_taken_off() {
        let armored = "hi\r\n-----BEGIN PGP MESSAGE-----\r\nVersion: x\r\n\r\nywdiAAAAAABh\r\n=njUN\r\n-----END PGP MESSAGE-----\r\n";
        assert!(is_armored(armored.as_bytes()));
        assert_eq!(within(100, armored.as_bytes()).as_deref(), Some(b"a".as_slice()));
        assert!(!is_armored(b"-----BEGIN PGP PUBLIC KEY BLOCK-----"));
    }

    #[test]
    fn what_is_encrypted_or_broken_says_nothing() {
        let encrypted = [&[0xC1, 1, 3], [0xD2, 1, 1].as_slice()].concat();
        for bytes in
            [encrypted.as_slice(), b"", b"\xC8", b"\xC8\x02\x03\x00", b"\xCB\xFF\xFF", b"text"]
        {
            assert_eq!(within(1000, bytes), None, "{bytes:?}");
        }
        let deep = (0..20).fold(literal_packet(b"x"), |inside, _| {
            let length = u8::try_from(inside.len() + 1).unwrap();
            [&[0xC0 | COMPRESSED, length, 0], inside.as_slice()].concat()
        });
        let mut budget = InflateBudget::of(1000);
        assert_eq!(content(&deep, &mut budget), None);
        assert!(budget.taken > deep.len(), "what led nowhere counts");
    }
}
