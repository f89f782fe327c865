//! UTF-32 (Unicode §3.10); recognizing UTF-16 and UTF-32 by their NULs.

use super::builder::Builder;
use super::{Charset, Endian};
use crate::span::Text;

/// Decodes. A byte order mark overrides `endian`; values that are not scalar values become U+FFFD.
pub(super) fn decode(bytes: &[u8], endian: Endian) -> Text<'static> {
    let mut out = Builder::new(bytes.len());
    let (endian, mut at) = match bytes {
        [0, 0, 0xFE, 0xFF, ..] => (Endian::Big, 4),
        [0xFF, 0xFE, 0, 0, ..] => (Endian::Little, 4),
        _ => (endian, 0),
    };
    let (units, tail) = bytes.get(at..).unwrap_or_default().as_chunks::<4>();
    for unit in units {
        let value = match endian {
            Endian::Big => u32::from_be_bytes(*unit),
            Endian::Little => u32::from_le_bytes(*unit),
        };
        let character = char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER);
        out.character(character, at..at + 4);
        at += 4;
    }
    if !tail.is_empty() {
        out.character(char::REPLACEMENT_CHARACTER, at..bytes.len());
    }
    out.close(bytes.len())
}

pub(super) fn encode(text: &str, endian: Endian) -> Vec<u8> {
    let units = text.chars().map(|character| match endian {
        Endian::Big => u32::from(character).to_be_bytes(),
        Endian::Little => u32::from(character).to_le_bytes(),
    });
    units.flatten().collect()
}

/// The charset that programs guess by the NULs in the first four bytes (Roundcube).
pub(in crate::mime) fn by_nuls(bytes: &[u8]) -> Option<Charset> {
    let opening = bytes.first_chunk::<4>()?.map(|byte| byte == 0);
    match opening {
        [true, true, true, false] => Some(Charset::Utf32(Endian::Big)),
        [false, true, true, true] => Some(Charset::Utf32(Endian::Little)),
        [true, false, true, false] => Some(Charset::Utf16(Endian::Big)),
        [false, true, false, true] => Some(Charset::Utf16(Endian::Little)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_orders_and_what_is_cut() {
        for endian in [Endian::Big, Endian::Little] {
            let bytes = encode("aр😀", endian);
            let text = decode(&bytes, endian);
            assert_eq!(text.as_str(), "aр😀");
            assert_eq!(text.source(1..3), 4..8);
            assert_eq!(decode(&bytes[..6], endian).as_str(), "a\u{FFFD}");
        }
        assert_eq!(decode(b"\xFF\xFE\0\0a\0\0\0", Endian::Big).as_str(), "a");
    }
}
