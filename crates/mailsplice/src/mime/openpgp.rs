//! OpenPGP messages (RFC 9580) that are compressed or signed but not encrypted: programs show their content
//! without a key. Of others it is known that they are messages.
//!
//! | clause | item |
//! | --- | --- |
//! | RFC 9580 §4.2, packets of both formats, lengths also partial | [`packet`] |
//! | RFC 9580 §5.6, §5.9, compressed and literal data | [`literal`] |
//! | RFC 9580 §10.3, what is an encrypted message | [`begins_secret`] |

use std::borrow::Cow;

use super::armor;
use super::inflate::{DeflateFormat, InflateBudget};

/// Packets that are read up to the data; signatures have two each.
const MAX_PACKETS: usize = 32;

/// Nesting depth of compressed data.
const MAX_NESTING: usize = 4;

/// Messages of one text that are opened.
const MAX_MESSAGES: usize = 8;

const SESSION_KEY: u8 = 1;
const SIGNATURE: u8 = 2;
const SESSION_KEY_BY_PASSWORD: u8 = 3;
const ONE_PASS: u8 = 4;
const COMPRESSED: u8 = 8;
const ENCRYPTED: u8 = 9;
const MARKER: u8 = 10;
const LITERAL: u8 = 11;
const ENCRYPTED_AND_PROTECTED: u8 = 18;
const ENCRYPTED_AEAD: u8 = 20;
const PADDING: u8 = 21;

/// The OpenPGP messages of a part.
#[derive(Debug, Default)]
pub(super) struct Messages {
    /// The content of each that is not encrypted.
    pub contents: Vec<Vec<u8>>,
    /// Whether there is one whose content is not read.
    pub rest: Rest,
}

/// Whether messages remain that nobody reads here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Rest {
    #[default]
    None,
    /// Encrypted, packed in a way that is not read, or beyond a bound.
    Secret,
}

/// Why a message has no content.
enum Unread {
    NoMessage,
    Secret,
}

/// The messages in these bytes, each in armor or all of them one; contents as far as `budget` suffices.
pub(super) fn messages(bytes: &[u8], budget: &mut InflateBudget) -> Messages {
    let mut found = Messages::default();
    let mut armors = armor::armors(bytes).peekable();
    if armors.peek().is_none() {
        found.add(Cow::Borrowed(bytes), Rest::Secret, budget);
    }
    for armor in armors.by_ref().take(MAX_MESSAGES) {
        // Prose about messages is none.
        let rest = if armor::is_block(armor) { Rest::Secret } else { Rest::None };
        found.add(Cow::Owned(armor::data(armor)), rest, budget);
    }
    if armors.next().is_some() {
        found.rest = Rest::Secret;
    }
    found
}

impl Messages {
    /// Whether there is no message.
    pub fn are_none(&self) -> bool {
        self.contents.is_empty() && self.rest == Rest::None
    }

    /// Adds a message; `rest` is what it leaves if it is encrypted.
    fn add(&mut self, packets: Cow<'_, [u8]>, rest: Rest, budget: &mut InflateBudget) {
        let before = budget.taken;
        match literal(packets, budget, MAX_NESTING) {
            // Compressed content has been taken from `budget` already.
            Ok(content) => {
                if budget.taken >= before + content.len() || budget.take(content.len()) {
                    self.contents.push(content);
                }
            }
            Err(Unread::Secret) if rest == Rest::Secret => self.rest = rest,
            Err(_) => {}
        }
    }
}

/// The content of the literal packet, also inside compressed ones.
fn literal(
    packets: Cow<'_, [u8]>,
    budget: &mut InflateBudget,
    depth: usize,
) -> Result<Vec<u8>, Unread> {
    let mut rest = &*packets;
    for _ in 0..MAX_PACKETS {
        let Packet { tag, body, after } = packet(rest).ok_or(Unread::NoMessage)?;
        match tag {
            LITERAL => {
                // Format, length of the file name, file name, date.
                let name = body.get(1).map(|name| usize::from(*name));
                let content = name.and_then(|name| body.get(2 + name + 4..));
                return content.map(<[u8]>::to_vec).ok_or(Unread::NoMessage);
            }
            COMPRESSED => {
                let (algorithm, packed) = body.split_first().ok_or(Unread::NoMessage)?;
                let depth = depth.checked_sub(1).ok_or(Unread::Secret)?;
                let unpacked = match algorithm {
                    0 => Some(packed.to_vec()).filter(|packed| budget.take(packed.len())),
                    1 => budget.inflated(packed, DeflateFormat::Deflate),
                    2 => budget.inflated(packed, DeflateFormat::Zlib),
                    _ => None,
                };
                return literal(Cow::Owned(unpacked.ok_or(Unread::Secret)?), budget, depth);
            }
            SIGNATURE | ONE_PASS | MARKER | PADDING => rest = after,
            tag if begins_secret(tag) => return Err(Unread::Secret),
            _ => return Err(Unread::NoMessage),
        }
    }
    Err(Unread::Secret)
}

/// Whether a packet is encrypted data, or a key of such.
fn begins_secret(tag: u8) -> bool {
    matches!(
        tag,
        SESSION_KEY
            | SESSION_KEY_BY_PASSWORD
            | ENCRYPTED
            | ENCRYPTED_AND_PROTECTED
            | ENCRYPTED_AEAD
    )
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
        messages(bytes, &mut InflateBudget::of(most)).contents.pop()
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
            let found = messages(&message, &mut budget);
            assert!(found.contents.is_empty() && budget.is_over, "{message:?}");
        }
    }

    #[test]
    fn armor_is_taken_off() {
        let armored = "hi\r\n-----BEGIN PGP MESSAGE-----\r\nVersion: x\r\n\r\nywdiAAAAAABh\r\n=njUN\r\n-----END PGP MESSAGE-----\r\n";
        let found = |text: &str| messages(text.as_bytes(), &mut InflateBudget::of(100));
        let one = found(armored);
        assert_eq!((one.contents.as_slice(), one.rest), ([b"a".to_vec()].as_slice(), Rest::None));
        // What is encrypted hides nothing that stands behind it.
        let secret = armored.replace("ywdiAAAAAABh", "wQED0gEB");
        let both = found(&(secret + armored));
        assert_eq!((both.contents.len(), both.rest), (1, Rest::Secret));
        let many = found(&armored.repeat(MAX_MESSAGES + 1));
        assert_eq!((many.contents.len(), many.rest), (MAX_MESSAGES, Rest::Secret));
        let prose = armored.replace("ywdiAAAAAABh", "wQED0gEB is how one begins");
        assert_eq!(found(&prose).rest, Rest::None);
    }

    #[test]
    fn what_is_encrypted_or_broken_says_nothing() {
        let encrypted = [&[0xC1, 1, 3], [0xD2, 1, 1].as_slice()].concat();
        let by_password = [0x8C, 1, 4].as_slice();
        let bzip2 = [0xC8, 2, 3, b'B'].as_slice();
        let signatures = [0xC2, 1, 0].repeat(MAX_PACKETS + 1);
        let deep = (0..20).fold(literal_packet(b"x"), |inside, _| {
            let length = u8::try_from(inside.len() + 1).unwrap();
            [&[0xC0 | COMPRESSED, length, 0], inside.as_slice()].concat()
        });
        let secrets =
            [encrypted.as_slice(), by_password, bzip2, &signatures, &deep, b"\xC8\x02\x03\x00"];
        let broken = [b"".as_slice(), b"\xC8", b"\xCB\xFF\xFF", b"text", b"\xC6\x01\x04"];
        for (all, rest) in [(secrets.as_slice(), Rest::Secret), (broken.as_slice(), Rest::None)] {
            for bytes in all {
                let found = messages(bytes, &mut InflateBudget::of(1000));
                assert_eq!((found.contents.len(), found.rest), (0, rest), "{bytes:?}");
            }
        }
        let mut budget = InflateBudget::of(1000);
        messages(&deep, &mut budget);
        assert!(budget.taken > deep.len(), "what led nowhere counts");
    }
}
