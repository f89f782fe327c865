//! Charsets: decodes bytes to text with a map, and encodes replacements.
//!
//! Replacements are ASCII, except for a notice in the reader's language ([`Charset::encode`]).
//!
//! | charset | decoded by | an edit in it |
//! | --- | --- | --- |
//! | UTF-8, and every superset of ASCII | std, `encoding_rs` | its bytes unchanged |
//! | UTF-16 | here | two bytes a character |
//! | UTF-7 (RFC 2152), and forms that libraries take for charsets: mailbox names, encoded words | [`utf7`] | a run that it cuts is encoded again |
//! | escapes (`\u0440`), which libraries take for a charset too | [`codec`] | its bytes unchanged |
//! | ISO-2022-JP (RFC 1468) | `encoding_rs` | an escape to ASCII before it and one back after it |
//! | ISO-2022-JP-1, -2 (RFC 1554), -3, -2004 | [`japanese`] | the same |
//! | ISO-2022-KR (RFC 1557), -CN, HZ (RFC 1843) | [`shifted`] | the same with their shifts |
//! | UTF-32 | [`wide`](mod@wide) | four bytes a character |
//! | code pages that WHATWG lacks, EBCDIC among them | [`pages`] | its characters in the page |
//! | Johab, EBCDIC with two-byte sets, Python's Big5 | [`rows`] | the same, with SI before it and SO after it |
//!
//! Labels are those of WHATWG Encoding, then those of `aliases.tsv`.

mod builder;
mod codec;
mod japanese;
mod multi;
mod names;
mod pages;
mod pairs;
mod rows;
mod shifted;
mod single;
mod utf7;
mod wide;

use std::borrow::Cow;

use encoding_rs::Encoding;

use super::TextEdit;
use crate::edit::RawEdit;
use crate::span::Text;
use builder::Builder;
pub(super) use codec::Codec;
use pages::Page;
use rows::Rows;
use utf7::Utf7Variant;
pub(super) use wide::by_nuls;

/// A charset in which a client might read a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Charset {
    /// UTF-8, and US-ASCII with it.
    Utf8,
    /// UTF-7 (RFC 2152).
    Utf7,
    /// Modified UTF-7, as in mailbox names (RFC 3501 §5.1.3).
    Mailbox,
    /// Encoded words (RFC 2047) in text.
    Words,
    /// Escapes such as `\u0440`.
    Escapes,
    /// UTF-16 (RFC 2781), of one byte order throughout.
    Utf16(Endian),
    /// ISO-2022-KR and ISO-2022-CN: SO and SI switch between ASCII and two-byte characters.
    Iso2022Shift,
    /// HZ-GB-2312 (RFC 1843).
    Hz,
    /// ISO-2022-JP-2 and its relatives.
    Iso2022Jp2,
    /// UTF-32, of one byte order throughout.
    Utf32(Endian),
    /// One byte per character, by a table.
    Page(&'static Page),
    /// Two bytes per character, by a table of rows.
    Rows(&'static Rows),
    /// Any encoding of the WHATWG Encoding Standard.
    Known(&'static Encoding),
}

/// Byte order of UTF-16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endian {
    /// The high byte first.
    Big,
    /// The low byte first.
    Little,
}

impl Charset {
    /// The charset of a label, as clients resolve labels (WHATWG Encoding, and labels that it rejects).
    pub fn from_label(label: &str) -> Option<Charset> {
        let label = label.trim_matches(|c: char| c.is_ascii_whitespace() || c == '"' || c == '\'');
        // Fast path for most labels.
        if label.eq_ignore_ascii_case("utf-8") {
            return Some(Charset::Utf8);
        }
        let is = |known: &str| label.eq_ignore_ascii_case(known);
        if ["iso-8859-1", "us-ascii", "windows-1252"].into_iter().any(is) {
            return Some(Charset::WINDOWS_1252);
        }
        let lower = label.to_ascii_lowercase();
        match lower.as_str() {
            "utf-7"
            | "utf7"
            | "unicode-1-1-utf-7"
            | "x-unicode-2-0-utf-7"
            | "unicode-2-0-utf-7"
            | "csunicode11utf7" => Some(Charset::Utf7),
            "utf-16be" => Some(Charset::Utf16(Endian::Big)),
            "utf-16" | "utf-16le" | "unicode" | "ucs-2" | "iso-10646-ucs-2" | "csunicode" => {
                Some(Charset::Utf16(Endian::Little))
            }
            "iso-2022-kr" | "csiso2022kr" | "iso-2022-cn" | "iso-2022-cn-ext" => {
                Some(Charset::Iso2022Shift)
            }
            "hz-gb-2312" | "hz" => Some(Charset::Hz),
            "cp1252" => Some(Charset::Known(encoding_rs::WINDOWS_1252)),
            "cp932" | "windows-932" => Some(Charset::Known(encoding_rs::SHIFT_JIS)),
            "cp936" => Some(Charset::Known(encoding_rs::GBK)),
            "cp949" | "uhc" => Some(Charset::Known(encoding_rs::EUC_KR)),
            "cp950" | "windows-950" => Some(Charset::Known(encoding_rs::BIG5)),
            _ => match Codec::from_label(&lower) {
                Some(Codec::Charset(charset)) => Some(charset),
                _ => names::find(&lower),
            },
        }
    }

    /// The variant of ISO-2022-JP or Big5 that other decoders than WHATWG's use, if it may read these bytes differently.
    pub(super) fn lenient(self, bytes: &[u8]) -> Option<Charset> {
        if self == Charset::Known(encoding_rs::BIG5) {
            // The row of Cyrillic in Python's table.
            return memchr::memchr(0xC7, bytes)
                .and_then(|_| Rows::named("big5-python"))
                .map(Charset::Rows);
        }
        let strict = self == Charset::Known(encoding_rs::ISO_2022_JP);
        (strict && japanese::is_odd(bytes)).then_some(Charset::Iso2022Jp2)
    }

    /// UTF-16 and UTF-32 in the other byte order: a label may mean both if there is no byte order mark.
    pub(super) fn swapped(self) -> Option<Charset> {
        let other = |endian| match endian {
            Endian::Big => Endian::Little,
            Endian::Little => Endian::Big,
        };
        match self {
            Charset::Utf16(endian) => Some(Charset::Utf16(other(endian))),
            Charset::Utf32(endian) => Some(Charset::Utf32(other(endian))),
            _ => None,
        }
    }

    /// UTF-16 and UTF-32 in the byte order that their mark at the start of the bytes says, whatever the label does: in
    /// it an edit has to be written.
    pub(super) fn marked(self, bytes: &[u8]) -> Option<Charset> {
        let is_kind = |marked: &Charset| match self {
            Charset::Utf16(_) => matches!(marked, Charset::Utf16(_)),
            Charset::Utf32(_) => matches!(marked, Charset::Utf32(_)),
            _ => false,
        };
        byte_order_marks(bytes).find(is_kind)
    }

    /// The charset of unlabelled text.
    pub const WINDOWS_1252: Charset = Charset::Known(encoding_rs::WINDOWS_1252);

    /// The charsets that systems default to and in which letters of Latin have twins of other scripts. Big5 has two
    /// tables of them; KOI8-U has the letters of KOI8-R.
    pub fn of_systems() -> impl Iterator<Item = Charset> {
        use encoding_rs::{BIG5, EUC_JP, EUC_KR, GBK, IBM866, ISO_8859_5, KOI8_U, SHIFT_JIS};
        use encoding_rs::{WINDOWS_1251, WINDOWS_1253, X_MAC_CYRILLIC};
        let single = [WINDOWS_1251, KOI8_U, ISO_8859_5, X_MAC_CYRILLIC, IBM866, WINDOWS_1253];
        let double = [GBK, BIG5, EUC_JP, EUC_KR, SHIFT_JIS];
        let pages = ["cp1125", "cp855", "cp737", "cp869", "mac-greek"];
        let known = single.into_iter().chain(double).map(Charset::Known);
        known
            .chain(Rows::named("big5-python").map(Charset::Rows))
            .chain(pages.into_iter().filter_map(Page::named).map(Charset::Page))
    }

    /// The charsets that systems default to where Latin is written with letters that windows-1252 lacks, or has at other
    /// bytes: of Central Europe, the Baltic, Turkey, DOS and the Mac.
    pub fn of_latin_systems() -> impl Iterator<Item = Charset> {
        use encoding_rs::{ISO_8859_2, ISO_8859_4, ISO_8859_10, MACINTOSH};
        use encoding_rs::{WINDOWS_1250, WINDOWS_1254, WINDOWS_1257};
        let latin = [WINDOWS_1250, WINDOWS_1254, WINDOWS_1257, ISO_8859_2, ISO_8859_4, ISO_8859_10];
        let pages = ["cp437", "cp850", "cp852", "cp857", "mac-latin2", "mac-turkish"];
        let known = latin.into_iter().chain([MACINTOSH]).map(Charset::Known);
        known.chain(pages.into_iter().filter_map(Page::named).map(Charset::Page))
    }

    /// The other charsets that systems default to: of Western Europe, and of scripts whose letters have no twins in Latin.
    pub fn of_other_systems() -> impl Iterator<Item = Charset> {
        use encoding_rs::{WINDOWS_874, WINDOWS_1252, WINDOWS_1255, WINDOWS_1256};
        [WINDOWS_1252, WINDOWS_1255, WINDOWS_1256, WINDOWS_874].into_iter().map(Charset::Known)
    }

    /// Whether bytes below 128 are always ASCII, in every state.
    pub fn keeps_ascii(self) -> bool {
        match self {
            Charset::Utf8 => true,
            Charset::Known(encoding) => encoding.is_ascii_compatible(),
            Charset::Page(page) => page.keeps_ascii,
            _ => false,
        }
    }

    /// Whether it keeps ASCII, and its other characters have several bytes that are not those of UTF-8: Big5, EUC, GBK.
    pub fn has_wide_characters(self) -> bool {
        matches!(self, Charset::Known(encoding) if encoding.is_ascii_compatible() && !encoding.is_single_byte())
    }

    /// Bytes of an ASCII character.
    pub fn ascii_bytes(self) -> usize {
        match self {
            Charset::Utf16(_) => 2,
            Charset::Utf32(_) => 4,
            _ => 1,
        }
    }

    /// The name in reports, in lower case.
    pub fn name(self) -> String {
        match self {
            Charset::Utf8 => "utf-8".to_owned(),
            Charset::Utf7 => "utf-7".to_owned(),
            Charset::Mailbox => "utf-7-imap".to_owned(),
            Charset::Words => "mime-header".to_owned(),
            Charset::Escapes => "unicode-escape".to_owned(),
            Charset::Utf16(Endian::Big) => "utf-16be".to_owned(),
            Charset::Utf16(Endian::Little) => "utf-16le".to_owned(),
            Charset::Iso2022Shift => "iso-2022-kr".to_owned(),
            Charset::Hz => "hz-gb-2312".to_owned(),
            Charset::Iso2022Jp2 => "iso-2022-jp-2".to_owned(),
            Charset::Utf32(Endian::Big) => "utf-32be".to_owned(),
            Charset::Utf32(Endian::Little) => "utf-32le".to_owned(),
            Charset::Page(page) => page.name.to_owned(),
            Charset::Rows(rows) => rows.name.to_owned(),
            Charset::Known(encoding) => encoding.name().to_ascii_lowercase(),
        }
    }

    /// Decodes. Malformed sequences become U+FFFD; a byte order mark is left out.
    pub fn decode(self, bytes: Cow<'_, [u8]>) -> Text<'_> {
        if self.keeps_ascii() && bytes.is_ascii()
            || self == Charset::Utf8 && !bytes.starts_with(UTF8_BOM)
        {
            return utf8(bytes);
        }
        match self {
            Charset::Utf8 => utf8_lossy(&bytes).into_owned(),
            Charset::Utf7 => utf7::decode(&bytes, Utf7Variant::Utf7),
            Charset::Mailbox => utf7::decode(&bytes, Utf7Variant::Mailbox),
            Charset::Words => utf7::decode(&bytes, Utf7Variant::Words),
            Charset::Escapes => codec::escapes(&bytes),
            Charset::Utf16(endian) => utf16(&bytes, endian),
            Charset::Iso2022Shift => shifted::decode_iso2022(&bytes),
            Charset::Hz => shifted::decode_hz(&bytes),
            Charset::Iso2022Jp2 => japanese::decode(&bytes),
            Charset::Utf32(endian) => wide::decode(&bytes, endian),
            Charset::Page(page) => single::paged(&bytes, page),
            Charset::Rows(rows) => rows.decode(&bytes),
            Charset::Known(encoding) if encoding.is_single_byte() => {
                single::single_byte(&bytes, encoding)
            }
            Charset::Known(encoding) => multi::multi_byte(&bytes, encoding),
        }
    }

    /// The text that [`decode`](Charset::decode) yields, without a map, which takes longer than the text.
    pub fn text_of(self, bytes: &[u8]) -> Cow<'_, str> {
        match self {
            Charset::Known(encoding) if encoding.is_single_byte() => {
                encoding.decode_without_bom_handling(bytes).0
            }
            Charset::Page(page) if page.keeps_ascii => single::paged_text(bytes, page).into(),
            _ => self.decode(bytes.into()).text,
        }
    }

    /// Lowers edits (in order, disjoint) of the decoded text to edits of the bytes. `bytes` is called only
    /// if the charset has a state.
    pub(super) fn lower<'b>(
        self,
        bytes: impl FnOnce() -> Cow<'b, [u8]>,
        text: &Text<'_>,
        edits: Vec<TextEdit>,
    ) -> Vec<RawEdit> {
        let form = match self {
            Charset::Utf7 => Some(Utf7Variant::Utf7),
            Charset::Mailbox => Some(Utf7Variant::Mailbox),
            Charset::Words => Some(Utf7Variant::Words),
            _ => None,
        };
        if let Some(form) = form {
            return utf7::lower(&bytes(), text, &edits, form);
        }
        let plain = edits.into_iter().map(|TextEdit { range, replacement }| RawEdit {
            range: text.source(range),
            replacement: self.replacement(replacement),
        });
        match self {
            Charset::Iso2022Shift => shifted::lower_iso2022(&bytes(), plain.collect()),
            Charset::Hz => shifted::lower_hz(&bytes(), plain.collect()),
            Charset::Rows(rows) => rows.lower(&bytes(), plain.collect()),
            Charset::Iso2022Jp2 => japanese::lower(&bytes(), plain.collect()),
            Charset::Known(encoding) if encoding == encoding_rs::ISO_2022_JP => {
                shifted::lower_iso2022_jp(&bytes(), plain.collect())
            }
            _ => plain.collect(),
        }
    }

    /// A replacement in this charset, with question marks for characters that it lacks.
    fn replacement(self, text: Cow<'static, str>) -> Cow<'static, [u8]> {
        let is_same = match self {
            Charset::Utf8 => true,
            Charset::Utf16(_) | Charset::Utf32(_) | Charset::Page(_) | Charset::Rows(_) => false,
            _ => text.is_ascii(),
        };
        match text {
            Cow::Borrowed(text) if is_same => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) if is_same => Cow::Owned(text.into_bytes()),
            text => Cow::Owned(self.encode(&text).unwrap_or_else(|| question_marks(&text))),
        }
    }

    /// Encodes a text in this charset, in its initial state. `None` if the charset lacks a character, and for
    /// non-ASCII text in legacy charsets that are only read.
    pub fn encode(self, text: &str) -> Option<Vec<u8>> {
        match self {
            Charset::Utf8 => Some(text.as_bytes().to_vec()),
            Charset::Utf16(endian) => Some(utf16_bytes(text, endian)),
            Charset::Utf32(endian) => Some(wide::encode(text, endian)),
            Charset::Page(page) => text.chars().map(|c| page.byte(c)).collect(),
            Charset::Rows(rows) => rows.encode(text),
            _ if text.is_ascii() => Some(text.as_bytes().to_vec()),
            Charset::Utf7
            | Charset::Mailbox
            | Charset::Words
            | Charset::Escapes
            | Charset::Iso2022Shift
            | Charset::Hz
            | Charset::Iso2022Jp2 => None,
            Charset::Known(encoding) => names::encode(encoding, text),
        }
    }
}

const UTF8_BOM: &[u8] = b"\xEF\xBB\xBF";

/// The charsets that a byte order mark indicates. The little-endian mark of UTF-32 begins with that of UTF-16, so
/// there may be two.
pub(super) fn byte_order_marks(bytes: &[u8]) -> impl Iterator<Item = Charset> {
    let wide = bytes.starts_with(b"\xFF\xFE\0\0").then_some(Charset::Utf32(Endian::Little));
    byte_order_mark(bytes).into_iter().chain(wide)
}

fn byte_order_mark(bytes: &[u8]) -> Option<Charset> {
    match bytes {
        [0xEF, 0xBB, 0xBF, ..] => Some(Charset::Utf8),
        [0, 0, 0xFE, 0xFF, ..] => Some(Charset::Utf32(Endian::Big)),
        [0xFE, 0xFF, ..] => Some(Charset::Utf16(Endian::Big)),
        [0xFF, 0xFE, ..] => Some(Charset::Utf16(Endian::Little)),
        _ => None,
    }
}

/// Decodes UTF-8 without a byte order mark.
pub(super) fn utf8(bytes: Cow<'_, [u8]>) -> Text<'_> {
    match bytes {
        Cow::Borrowed(bytes) => {
            std::str::from_utf8(bytes).map_or_else(|_| utf8_lossy(bytes), Text::plain)
        }
        Cow::Owned(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Text { text: Cow::Owned(text), map: None },
            Err(error) => utf8_lossy(error.as_bytes()).into_owned(),
        },
    }
}

fn utf8_lossy(bytes: &[u8]) -> Text<'static> {
    let mut out = Builder::new(bytes.len());
    let at = if bytes.starts_with(UTF8_BOM) { UTF8_BOM.len() } else { 0 };
    out.utf8(bytes.get(at..).unwrap_or_default(), at);
    out.close(bytes.len())
}

fn utf16(bytes: &[u8], endian: Endian) -> Text<'static> {
    let mut out = Builder::new(bytes.len());
    let (endian, mut at) = match byte_order_mark(bytes) {
        Some(Charset::Utf16(endian)) => (endian, 2),
        _ => (endian, 0),
    };
    let (pairs, tail) = bytes.get(at..).unwrap_or_default().as_chunks::<2>();
    let units = pairs.iter().map(|pair| match endian {
        Endian::Big => u16::from_be_bytes(*pair),
        Endian::Little => u16::from_le_bytes(*pair),
    });
    for decoded in char::decode_utf16(units) {
        let character = decoded.unwrap_or(char::REPLACEMENT_CHARACTER);
        let end = at + 2 * character.len_utf16();
        out.character(character, at..end);
        at = end;
    }
    if !tail.is_empty() {
        out.character(char::REPLACEMENT_CHARACTER, at..bytes.len());
    }
    out.close(bytes.len())
}

fn utf16_bytes(text: &str, endian: Endian) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(2 * text.encode_utf16().count());
    for unit in text.encode_utf16() {
        bytes.extend(match endian {
            Endian::Big => unit.to_be_bytes(),
            Endian::Little => unit.to_le_bytes(),
        });
    }
    bytes
}

/// ASCII for a text that the charset cannot encode.
fn question_marks(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(c).ok().filter(u8::is_ascii).unwrap_or(b'?')).collect()
}

#[cfg(test)]
mod tests;
