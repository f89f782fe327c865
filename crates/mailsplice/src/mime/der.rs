//! Finds the content of PKCS#7 (CMS, RFC 5652) in BER or DER. Signed data and compressed data (RFC 3274) are
//! not encrypted.
//!
//! | clause | item |
//! | --- | --- |
//! | RFC 5652 §3, ContentInfo | [`content`] |
//! | RFC 5652 §5.1, SignedData | [`Content::Signed`] |
//! | RFC 3274 §1.1, CompressedData | [`Content::Compressed`] |
//! | X.690 §8.1.3, lengths, also indefinite; §8.7, octet strings in pieces | [`Element`] |

use std::ops::Range;

/// The content of a ContentInfo, as the byte ranges of its octet strings in order.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Content {
    Signed(Vec<Range<usize>>),
    /// To be inflated (zlib, RFC 1950).
    Compressed(Vec<Range<usize>>),
}

/// Nesting depth of the pieces of an octet string.
const MAX_NESTING: usize = 8;

const SEQUENCE: u8 = 0x30;
const OCTETS: u8 = 0x04;
const OCTETS_IN_PIECES: u8 = 0x24;
const EXPLICIT_0: u8 = 0xA0;

const SIGNED_DATA: &[u8] = b"\x06\x09\x2A\x86\x48\x86\xF7\x0D\x01\x07\x02";
const COMPRESSED_DATA: &[u8] = b"\x06\x0B\x2A\x86\x48\x86\xF7\x0D\x01\x09\x10\x01\x09";

/// The readable content; `None` if it is encrypted, detached, or not a ContentInfo.
pub(super) fn content(bytes: &[u8]) -> Option<Content> {
    let info = Element::at(bytes, 0..bytes.len()).filter(|info| info.tag == SEQUENCE)?;
    let kind = bytes.get(info.inside.clone())?;
    let (oid, compressed) = match kind {
        kind if kind.starts_with(SIGNED_DATA) => (SIGNED_DATA, false),
        kind if kind.starts_with(COMPRESSED_DATA) => (COMPRESSED_DATA, true),
        _ => return None,
    };
    let explicit = Element::at(bytes, info.inside.start + oid.len()..info.inside.end)?;
    let data = Element::at(bytes, explicit.inside).filter(|data| data.tag == SEQUENCE)?;
    // Version, then a SET of algorithms or one algorithm, then EncapsulatedContentInfo.
    let version = Element::at(bytes, data.inside.clone())?;
    let algorithms = Element::at(bytes, version.end..data.inside.end)?;
    let encapsulated = Element::at(bytes, algorithms.end..data.inside.end)?;
    let oid = Element::at(bytes, encapsulated.inside.clone())?;
    let explicit = Element::at(bytes, oid.end..encapsulated.inside.end)?;
    let octets = Some(explicit).filter(|explicit| explicit.tag == EXPLICIT_0)?;
    let octets = pieces(bytes, octets.inside)?;
    Some(if compressed { Content::Compressed(octets) } else { Content::Signed(octets) })
}

/// The byte ranges of an octet string, which may consist of pieces.
fn pieces(bytes: &[u8], range: Range<usize>) -> Option<Vec<Range<usize>>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut open = vec![range];
    while let Some(range) = open.pop() {
        let Some(element) = Element::at(bytes, range.clone()) else { continue };
        open.push(element.end..range.end);
        match element.tag {
            OCTETS => found.push(element.inside),
            OCTETS_IN_PIECES if open.len() < MAX_NESTING => open.push(element.inside),
            _ => {}
        }
    }
    (!found.is_empty()).then_some(found)
}

/// A BER element: its tag, the range of its content, and its end.
struct Element {
    tag: u8,
    inside: Range<usize>,
    end: usize,
}

impl Element {
    /// The element at the start of a range; `None` at its end, at end-of-contents, and if its length is unreadable.
    /// One of indefinite length is assumed to reach to the end of the range: the bytes after its
    /// end-of-contents belong to enclosing elements, which are not needed any more.
    fn at(bytes: &[u8], range: Range<usize>) -> Option<Element> {
        let [tag, length, rest @ ..] = bytes.get(range.clone())? else { return None };
        if *tag == 0 {
            return None;
        }
        let start = range.start + 2;
        let (start, length) = match length {
            0x80 => (start, range.end - start),
            0x81..=0x84 => {
                let count = usize::from(length & 0x7F);
                let digits = rest.get(..count)?;
                let length = digits.iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
                (start + count, length)
            }
            short @ 0..=0x7F => (start, usize::from(*short)),
            _ => return None,
        };
        let end = start.checked_add(length)?;
        // A truncated element is read as far as it goes.
        let end = end.min(range.end);
        Some(Element { tag: *tag, inside: start..end, end })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(tag: u8, inside: &[u8]) -> Vec<u8> {
        let mut out = vec![tag, 0x82];
        out.extend(u16::try_from(inside.len()).unwrap().to_be_bytes());
        out.extend(inside);
        out
    }

    fn indefinite(tag: u8, inside: &[u8]) -> Vec<u8> {
        [&[tag, 0x80], inside, &[0, 0]].concat()
    }

    fn signed(wrap: fn(u8, &[u8]) -> Vec<u8>, octets: &[u8]) -> Vec<u8> {
        let data = element(6, b"\x2A\x86\x48\x86\xF7\x0D\x01\x07\x01");
        let encapsulated = wrap(0x30, &[data, wrap(0xA0, octets)].concat());
        let fields = [element(2, b"\x01"), element(0x31, b""), encapsulated].concat();
        wrap(0x30, &[SIGNED_DATA, &wrap(0xA0, &wrap(0x30, &fields))].concat())
    }

    fn read(bytes: &[u8]) -> Vec<u8> {
        let Some(Content::Signed(ranges)) = content(bytes) else { panic!("nothing signed") };
        ranges.into_iter().flat_map(|range| bytes[range].to_vec()).collect()
    }

    #[test]
    fn signed_data_is_read() {
        assert_eq!(read(&signed(element, &element(4, b"hello"))), b"hello");
        let octets = [element(4, b"hel"), element(4, b"lo")].concat();
        assert_eq!(read(&signed(indefinite, &indefinite(0x24, &octets))), b"hello");
        assert_eq!(content(&element(0x30, b"\x06\x01\x2A")), None);
    }

    #[test]
    fn what_is_cut_anywhere_ends_quietly() {
        let whole = signed(indefinite, &indefinite(0x24, &element(4, b"hello")));
        for end in 0..whole.len() {
            let _ = content(&whole[..end]);
        }
        let deep = [0x24, 0x80].repeat(10_000);
        let _ = content(&signed(indefinite, &deep));
    }
}
