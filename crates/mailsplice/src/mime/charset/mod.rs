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
//! Labels are those of WHATWG Encoding, then those of [`aliases`].

mod aliases;
mod codec;
mod japanese;
mod names;
mod pages;
mod rows;
mod shifted;
mod single;
mod utf7;
mod wide;

use std::borrow::Cow;
use std::ops::Range;

use encoding_rs::Encoding;

use super::TextEdit;
use crate::edit::RawEdit;
use crate::span::{Map, PieceKind, Text};
pub(super) use codec::Codec;
use pages::Page;
use rows::Rows;
use single::{paged, single_byte};
use utf7::Form;
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
            "us-ascii" | "utf8mb4" => Encoding::for_label(lower.as_bytes()).map(Charset::Known),
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

    /// The charset of unlabelled text.
    pub const WINDOWS_1252: Charset = Charset::Known(encoding_rs::WINDOWS_1252);

    /// Whether bytes below 128 are always ASCII, in every state.
    pub fn keeps_ascii(self) -> bool {
        match self {
            Charset::Utf8 => true,
            Charset::Known(encoding) => encoding.is_ascii_compatible(),
            Charset::Page(page) => page.keeps_ascii(),
            _ => false,
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
        if self.keeps_ascii() && bytes.is_ascii() {
            return match bytes {
                Cow::Borrowed(bytes) => Text {
                    text: Cow::Borrowed(std::str::from_utf8(bytes).unwrap_or_default()),
                    map: None,
                },
                Cow::Owned(bytes) => owned_utf8(bytes),
            };
        }
        if self == Charset::Utf8 && !bytes.starts_with(UTF8_BOM) {
            match bytes {
                Cow::Borrowed(bytes) => {
                    if let Ok(text) = std::str::from_utf8(bytes) {
                        return Text::plain(text);
                    }
                    return utf8_lossy(bytes);
                }
                Cow::Owned(bytes) => {
                    return match String::from_utf8(bytes) {
                        Ok(text) => Text { text: Cow::Owned(text), map: None },
                        Err(error) => utf8_lossy(error.as_bytes()).into_owned(),
                    };
                }
            }
        }
        match self {
            Charset::Utf8 => utf8_lossy(&bytes).into_owned(),
            Charset::Utf7 => utf7::decode(&bytes, Form::Utf7),
            Charset::Mailbox => utf7::decode(&bytes, Form::Mailbox),
            Charset::Words => utf7::decode(&bytes, Form::Words),
            Charset::Escapes => codec::escapes(&bytes),
            Charset::Utf16(endian) => utf16(&bytes, endian),
            Charset::Iso2022Shift => shifted::decode_iso2022(&bytes),
            Charset::Hz => shifted::decode_hz(&bytes),
            Charset::Iso2022Jp2 => japanese::decode(&bytes),
            Charset::Utf32(endian) => wide::decode(&bytes, endian),
            Charset::Page(page) => paged(&bytes, page),
            Charset::Rows(rows) => rows.decode(&bytes),
            Charset::Known(encoding) if encoding.is_single_byte() => single_byte(&bytes, encoding),
            Charset::Known(encoding) => multi_byte(&bytes, encoding),
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
            Charset::Utf7 => Some(Form::Utf7),
            Charset::Mailbox => Some(Form::Mailbox),
            Charset::Words => Some(Form::Words),
            _ => None,
        };
        if let Some(form) = form {
            return utf7::lower(&bytes(), text, &edits, form);
        }
        let plain = edits.into_iter().map(|TextEdit { range, replacement }| RawEdit {
            range: text.source(range),
            replacement: match self {
                Charset::Utf8 => replacement.into_bytes(),
                _ => self.encode(&replacement).unwrap_or_else(|| question_marks(&replacement)),
            },
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

    /// Encodes a text in this charset, in its initial state. `None` if the charset lacks a character, and for
    /// non-ASCII text in legacy charsets that are only read.
    pub(super) fn encode(self, text: &str) -> Option<Vec<u8>> {
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

fn owned_utf8(bytes: Vec<u8>) -> Text<'static> {
    match String::from_utf8(bytes) {
        Ok(text) => Text { text: Cow::Owned(text), map: None },
        Err(error) => utf8_lossy(error.as_bytes()).into_owned(),
    }
}

/// Builds text and map, unit by unit.
struct Builder {
    text: String,
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
    fn new(capacity: usize) -> Builder {
        Builder { text: String::with_capacity(capacity), map: Map::new(), row: Row::default() }
    }

    /// Adds text that is identical to its source.
    fn linear(&mut self, text: &str, source: usize) {
        if !text.is_empty() {
            self.map.push(self.text.len(), source, PieceKind::Linear);
            self.text.push_str(text);
            self.row = Row::default();
        }
    }

    /// Adds UTF-8 that is at `at` in the source; invalid sequences become U+FFFD.
    fn utf8(&mut self, bytes: &[u8], mut at: usize) {
        for chunk in bytes.utf8_chunks() {
            self.linear(chunk.valid(), at);
            at += chunk.valid().len();
            if !chunk.invalid().is_empty() {
                let end = at + chunk.invalid().len();
                self.character(char::REPLACEMENT_CHARACTER, at..end);
                at = end;
            }
        }
    }

    /// Adds one unit of text from `source`.
    fn unit(&mut self, text: &str, source: Range<usize>) {
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
    fn character(&mut self, character: char, source: Range<usize>) {
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

    fn close(mut self, source_len: usize) -> Text<'static> {
        self.map.close(self.text.len(), source_len);
        Text { text: Cow::Owned(self.text), map: Some(self.map) }
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
    text.encode_utf16()
        .flat_map(|unit| match endian {
            Endian::Big => unit.to_be_bytes(),
            Endian::Little => unit.to_le_bytes(),
        })
        .collect()
}

/// ASCII for a text that the charset cannot encode.
fn question_marks(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(c).ok().filter(u8::is_ascii).unwrap_or(b'?')).collect()
}

/// Copies the ASCII bytes at the start of `rest`; returns their number.
fn ascii_run(out: &mut Builder, rest: &[u8], at: usize) -> usize {
    let length = Encoding::ascii_valid_up_to(rest);
    let run = rest.get(..length).unwrap_or_default();
    out.linear(std::str::from_utf8(run).unwrap_or_default(), at);
    length
}

/// Decodes run by run; byte by byte if the lead bytes of a run do not tell its lengths.
fn multi_byte(bytes: &[u8], encoding: &'static Encoding) -> Text<'static> {
    let mut out = Builder::new(bytes.len() + bytes.len() / 2);
    let mut at = 0;
    if encoding == encoding_rs::ISO_2022_JP {
        if let Some(text) = shifted::decode_iso2022_jp(bytes) {
            return text;
        }
        by_byte(&mut out, bytes, 0, encoding, Until::End);
        return out.close(bytes.len());
    }
    while let Some(rest) = bytes.get(at..)
        && let Some(byte) = rest.first()
    {
        at = if byte.is_ascii() {
            at + ascii_run(&mut out, rest, at)
        } else if let Some([digit, last]) = before_digit(rest, encoding) {
            // Such a byte is in no character.
            decoded_unit(&mut out, &format!("\u{fffd}{digit}{last}"), at..at + 3);
            at + 3
        } else {
            let run = wide_run(rest, encoding);
            match wide(&mut out, run, at, encoding) {
                Some(length) => at + length,
                None => by_byte(&mut out, bytes, at, encoding, Until::Ascii),
            }
        };
    }
    out.close(bytes.len())
}

/// The two characters of ASCII after a lead byte, if it is one of GB 18030, they cannot belong to it, and no other
/// character follows them: the decoder reads three bytes before it knows.
fn before_digit(rest: &[u8], encoding: &'static Encoding) -> Option<[char; 2]> {
    let [0x81..=0xFE, digit @ b'0'..=b'9', last @ ..0x80, rest @ ..] = rest else { return None };
    let known = encoding == encoding_rs::GBK || encoding == encoding_rs::GB18030;
    let ends = known && rest.first().is_none_or(u8::is_ascii);
    ends.then(|| [*digit, *last].map(char::from))
}

/// Bytes that are decoded at once.
const RUN: usize = 1024;

/// The multi-byte characters at the start of `rest`.
fn wide_run<'b>(rest: &'b [u8], encoding: &'static Encoding) -> &'b [u8] {
    let mut length = 0;
    while length < RUN
        && let Some(after) = rest.get(length..)
        && after.first().is_some_and(|byte| !byte.is_ascii())
    {
        length += width(after, encoding);
    }
    rest.get(..length).unwrap_or(rest)
}

/// Length of the first character, by its lead byte (WHATWG Encoding §10 to §13).
fn width(rest: &[u8], encoding: &'static Encoding) -> usize {
    match rest {
        [0xA1..=0xDF, ..] if encoding == encoding_rs::SHIFT_JIS => 1,
        [0x8F, ..] if encoding == encoding_rs::EUC_JP => 3,
        [_, b'0'..=b'9', ..]
            if encoding == encoding_rs::GBK || encoding == encoding_rs::GB18030 =>
        {
            4
        }
        [0x80, ..] => 1,
        _ => 2,
    }
}

/// Decodes a run and returns its length; `None` if the lead bytes do not tell the lengths of its characters.
fn wide(out: &mut Builder, run: &[u8], at: usize, encoding: &'static Encoding) -> Option<usize> {
    let text = encoding.decode_without_bom_handling_and_without_replacement(run)?;
    let mut length = 0;
    let mut characters = 0;
    while let Some(rest) = run.get(length..).filter(|rest| !rest.is_empty()) {
        length += width(rest, encoding);
        characters += 1;
    }
    if length != run.len() || text.chars().count() != characters {
        return None;
    }
    let mut length = 0;
    for character in text.chars() {
        let width = width(run.get(length..)?, encoding);
        out.character(character, at + length..at + length + width);
        length += width;
    }
    Some(length)
}

/// Where byte-by-byte decoding ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    End,
    /// The first ASCII byte that begins a character.
    Ascii,
}

/// Decodes byte by byte, to find the bytes of each character; returns the offset reached.
fn by_byte(
    out: &mut Builder,
    bytes: &[u8],
    from: usize,
    encoding: &'static Encoding,
    until: Until,
) -> usize {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut start = from;
    let mut at = from;
    while let Some(rest) = bytes.get(at..)
        && let Some(byte) = rest.first()
    {
        if until == Until::Ascii && start == at && byte.is_ascii() {
            break;
        }
        let escape = until == Until::End && rest.starts_with(b"\x1B");
        let step = if escape { rest.len().min(3) } else { 1 };
        let mut buffer = [0; 32];
        let source = rest.get(..step).unwrap_or(rest);
        let last = at + step == bytes.len();
        let (_, _, written, _) = decoder.decode_to_utf8(source, &mut buffer, last);
        at += step;
        let text = std::str::from_utf8(buffer.get(..written).unwrap_or_default());
        let text = text.unwrap_or("\u{FFFD}");
        if !text.is_empty() {
            decoded_unit(out, text, start..at);
            start = at;
        } else if step > 1 {
            start = at;
        }
    }
    at
}

/// Adds a character. If a truncated sequence precedes an ASCII character, adds them as two units.
fn decoded_unit(out: &mut Builder, text: &str, source: Range<usize>) {
    let mut characters = text.chars();
    match (characters.next_back(), characters.as_str()) {
        (Some(last), before) if !before.is_empty() && last.is_ascii() && source.len() > 1 => {
            out.unit(before, source.start..source.end - 1);
            out.character(last, source.end - 1..source.end);
        }
        _ => out.unit(text, source),
    }
}

#[cfg(test)]
mod tests;
