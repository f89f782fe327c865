//! ASCII armor of OpenPGP messages in a part, whatever its transfer encoding and its charset.
//!
//! | clause | item |
//! | --- | --- |
//! | RFC 9580 §6.2, ASCII armor | [`armors`], [`data`] |
//! | RFC 9580 §7, cleartext signatures | [`is_clear_signed`] |

use std::borrow::Cow;
use std::ops::Range;

use super::charset::Charset;
use super::transfer::Transfer;
use crate::byte_search;

const BEGIN: &[u8] = b"-----BEGIN PGP MESSAGE-----";

/// The part of the first line that quoted-printable has no reason to escape.
const BEGIN_SIGNED: &[u8] = b"-BEGIN PGP SIGNED MESSAGE-";

/// Likewise, of the last line.
const END_SIGNATURE: &[u8] = b"-END PGP SIGNATURE-";

/// Offset in the first lines of the letter that is rarest in text: the G of PGP.
const RARE_LETTER: usize = 12;
const RARE_LETTER_SIGNED: usize = 8;

/// Bytes at the start of a part in which armor must begin: one or two lines may precede it.
const ARMOR_SEARCH: usize = 1024;

/// Most bytes of an escape for one byte of quoted-printable, with its share of the soft breaks.
const ESCAPED: usize = 4;

/// Most bytes of a character in ASCII: those of UTF-32.
const WIDE: usize = 4;

/// Whether ASCII armor begins near the start of a part in this transfer encoding and one of these charsets.
pub(super) fn is_armored(raw: &[u8], transfer: Transfer, charsets: &[Charset]) -> bool {
    let front = front(raw, transfer);
    is_begun(&front)
        || in_ascii(&front, charsets).any(|text| {
            let text = text.get(..ARMOR_SEARCH).unwrap_or(&text);
            is_begun(text)
        })
}

fn is_begun(text: &[u8]) -> bool {
    byte_search::find(text, BEGIN, RARE_LETTER).is_some()
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

/// The first bytes of a part, decoded; of wide characters more.
fn front(raw: &[u8], transfer: Transfer) -> Cow<'_, [u8]> {
    let first = |bytes: usize| raw.get(..bytes).unwrap_or(raw);
    let (encoded, transfer) = match transfer {
        // Most parts have no escape that could be one of these letters.
        Transfer::QuotedPrintable => match may_escape_begin(first(ESCAPED * ARMOR_SEARCH)) {
            true => (ESCAPED * ARMOR_SEARCH, transfer),
            false => (ARMOR_SEARCH, Transfer::Identity),
        },
        Transfer::Identity => (ARMOR_SEARCH, transfer),
        // Four for three, and the line ends.
        _ => (ARMOR_SEARCH + ARMOR_SEARCH / 2, transfer),
    };
    let text = transfer.bytes(first(encoded));
    match memchr::memchr(0, &text) {
        None => text,
        Some(_) => transfer.bytes(first(WIDE * encoded)),
    }
}

/// Whether the first line of armor may be in quoted-printable in another way than as it is: a letter of it is escaped, or
/// a soft break is between two of them.
fn may_escape_begin(raw: &[u8]) -> bool {
    let is_sign = |byte: &u8| BEGIN.contains(byte);
    let is_between = |at: usize, rest: &[u8]| {
        let before = at.checked_sub(1).and_then(|before| raw.get(before));
        before.is_some_and(is_sign) && rest.first().is_some_and(is_sign)
    };
    memchr::memchr_iter(b'=', raw).any(|at| match raw.get(at + 1..) {
        Some([b'4' | b'5', ..] | [b'0', b'0', ..] | [b'2', b'D' | b'd', ..]) => true,
        Some([b'2', b'0', rest @ ..]) => is_between(at, rest),
        Some(rest @ [b' ' | b'\t' | b'\r' | b'\n', ..]) => is_between(at, rest.trim_ascii_start()),
        _ => false,
    })
}

/// A text in ASCII: without the NULs of UTF-16 and UTF-32, and by those of its charsets in which ASCII has other bytes.
pub(super) fn in_ascii<'t>(
    text: &'t [u8],
    charsets: &'t [Charset],
) -> impl Iterator<Item = Cow<'t, [u8]>> {
    let without_nul = || text.iter().filter(|byte| **byte != 0).copied().collect();
    let has_nul = memchr::memchr(0, text).is_some();
    let narrow = has_nul.then(|| Cow::Owned(without_nul()));
    let others = charsets.iter().filter(|charset| !charset.keeps_ascii());
    let decoded = others.map(|charset| {
        Cow::Owned(charset.decode(Cow::Borrowed(text)).as_str().as_bytes().to_vec())
    });
    narrow.into_iter().chain(decoded)
}

/// What stands behind the first line of each armor, up to the next one.
pub(super) fn armors(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let starts = memchr::memmem::find_iter(text, BEGIN).map(|at| at + BEGIN.len());
    let ends = memchr::memmem::find_iter(text, BEGIN).skip(1).chain([text.len()]);
    starts.zip(ends).map(|(start, end)| text.get(start..end).unwrap_or_default())
}

/// The lines of data in an armor: behind its headers, up to the checksum or the last line. A page breaks lines by
/// tags, an answer quotes them.
fn lines(armor: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_end = |byte: &u8| matches!(byte, b'\n' | b'<');
    let lines = armor.split(is_end).skip(1).map(|line| {
        let tag = line.iter().rposition(|byte| *byte == b'>');
        let line = tag.and_then(|tag| line.get(tag + 1..)).unwrap_or(line);
        line.trim_ascii()
    });
    let lines = lines.skip_while(|line| !line.is_empty());
    let lines = lines.skip_while(|line| line.is_empty() || line.contains(&b':'));
    lines.take_while(|line| !matches!(line.first(), Some(b'=' | b'-')))
}

/// Whether the first line of data is nothing but base64.
pub(super) fn is_block(armor: &[u8]) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    lines(armor).next().is_some_and(|line| line.iter().all(is_digit))
}

pub(super) fn data(armor: &[u8]) -> Vec<u8> {
    let mut digits = Vec::with_capacity(armor.len());
    lines(armor).for_each(|line| digits.extend_from_slice(line));
    Transfer::Base64.bytes(&digits).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARMOR: &str = "hi\r\n-----BEGIN PGP MESSAGE-----\r\nVersion: x\r\n\r\nywdiAAAA\r\nAABh\r\n=njUN\r\n-----END PGP MESSAGE-----\r\n";

    fn first_data(text: &[u8]) -> Vec<u8> {
        armors(text).next().map(data).unwrap_or_default()
    }

    #[test]
    fn data_is_found_however_its_lines_are_set() {
        let wanted = b"\xCB\x07b\0\0\0\0\0a";
        let pages = [
            ARMOR.replace("\r\n", "<br>"),
            ARMOR.replace("\r\n", "<br />\r\n"),
            ARMOR.replace("\r\n", "</p>\r\n<p>"),
            ARMOR.replace("\r\n", "\r\n> "),
            ARMOR.replace("\r\n", "\r\n>> "),
            ARMOR.replace("\r\n", "\n"),
            ARMOR.replace("Version: x", "no field"),
        ];
        for text in pages.iter().map(String::as_str).chain([ARMOR]) {
            assert_eq!(first_data(text.as_bytes()), wanted, "{text}");
        }
        assert!(armors(ARMOR.as_bytes()).all(is_block));
        let prose = ARMOR.replace("ywdiAAAA", "is how a message begins");
        assert!(!armors(prose.as_bytes()).any(is_block));
        assert_eq!(armors(ARMOR.repeat(3).as_bytes()).count(), 3);
    }

    #[test]
    fn armor_begins_near_the_start() {
        let is_armored = |text: &str| is_armored(text.as_bytes(), Transfer::Identity, &[]);
        assert!(is_armored(ARMOR));
        assert!(!is_armored("-----BEGIN PGP PUBLIC KEY BLOCK-----"));
        assert!(!is_armored(&(" ".repeat(ARMOR_SEARCH) + ARMOR)));
    }

    #[test]
    fn armor_is_seen_through_each_encoding() {
        let text = " ".repeat(ARMOR_SEARCH - 40) + ARMOR;
        let wide = |bytes: usize| -> Vec<u8> {
            text.bytes().flat_map(|byte| u32::from(byte).to_le_bytes()[..bytes].to_vec()).collect()
        };
        for bytes in [text.clone().into_bytes(), wide(2), wide(4)] {
            let base64 = super::super::transfer::base64::encode(&bytes, crate::edit::LineEnd::Crlf);
            assert!(is_armored(&base64, Transfer::Base64, &[]));
            assert!(is_armored(&bytes, Transfer::Identity, &[]));
            let escaped: String = bytes.iter().map(|byte| format!("={byte:02X}")).collect();
            assert!(is_armored(escaped.as_bytes(), Transfer::QuotedPrintable, &[]));
        }
        for (sign, escaped) in [
            ("BEGIN PGP", "BEGIN=20PGP"),
            ("-BEGIN", "=2DBEGIN"),
            ("PGP", "P=47P"),
            ("MESSAGE", "MESS=\r\nAGE"),
            ("MESSAGE", "MESS= \r\nAGE"),
            (" MESSAGE", " =\nMESSAGE"),
            ("xyz", "xyz"),
        ] {
            let text = ARMOR.replace(sign, escaped);
            assert!(is_armored(text.as_bytes(), Transfer::QuotedPrintable, &[]), "{escaped}");
        }
        assert!(!may_escape_begin("caf=C3=A9 =3D we =\r\nwrite, so=20\r\n".as_bytes()));
        let shifted = ARMOR.replace('-', "+AC0-");
        assert!(is_armored(shifted.as_bytes(), Transfer::Identity, &[Charset::Utf7]));
    }
}
