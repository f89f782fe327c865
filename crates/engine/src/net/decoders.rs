//! Decoders for the net: lines of base64, UTF-16 and UTF-32, EBCDIC.

use std::cell::OnceCell;
use std::ops::{ControlFlow, Range};

use super::window::ends_within;
use mailsplice::byte_search::{HIGHEST, each, equal};
use uts58::base64;

/// `://` in base64 at each of its alignments, then in UTF-16 of both byte orders, UTF-32 and EBCDIC, and what browsers
/// and JSON accept in its place: the base64 characters that do not depend on other bytes.
pub const SCHEMES: [&[u8]; 21] = [
    b"Oi8v", b"ovL", b"6Ly", // ASCII
    b"OgAvAC8", b"oALwAv", b"6AC8ALw", // UTF-16, and 32 below
    b"OgAAAC8", b"oAAAAvA", b"6AAAALw", // UTF-32
    b"emFh", b"phY", b"6YW", // EBCDIC
    b"Olxc", b"pcX", b"6XF", // `:\\`
    b"Olwv", b"pcL", b"6XC", // `:\/`
    b"Oi9c", b"ovX", b"6L1", // `:/\`
];

/// The lines of base64 in a body, without line ends.
pub struct Base64Lines {
    pub bytes: Vec<u8>,
    /// Where lines begin: in `bytes`, and in the body.
    lines: Vec<(usize, usize)>,
}

impl Base64Lines {
    /// Collects lines of base64: a line with blanks or markup is none.
    pub fn of(body: &[u8]) -> Base64Lines {
        let mut found = Base64Lines { bytes: Vec::new(), lines: Vec::new() };
        let mut start = 0;
        while let Some(rest) = body.get(start..).filter(|rest| !rest.is_empty()) {
            let length = match rest {
                // An empty line.
                [b'\r' | b'\n', ..] => 0,
                _ => memchr::memchr2(b'\r', b'\n', rest).unwrap_or(rest.len()),
            };
            let end = start + length;
            if may_begin(rest.first()) {
                found.line(body, start..end);
            }
            // A few bodies have lines that end in a carriage return alone.
            let both = matches!(body.get(end..), Some([b'\r', b'\n', ..]));
            start = end + 1 + usize::from(both);
        }
        found
    }

    /// Adds a line if it is one of base64.
    fn line(&mut self, body: &[u8], line: Range<usize>) {
        let whole = body.get(line.clone()).unwrap_or_default().trim_ascii_end();
        let digit = |byte: u8| base64::digit(byte).is_some();
        // What most lines of markup fail on, which may be far to the right.
        if !whole.last().is_some_and(|last| digit(*last) || *last == b'=') {
            return;
        }
        let content = whole.trim_ascii_start();
        if !content.first().is_some_and(|first| digit(*first)) {
            return;
        }
        // Most prose has a blank early.
        let is_prose = content.first_chunk().is_some_and(begins_as_prose)
            || memchr::memchr3(b' ', b'<', b'.', content).is_some();
        let content = if is_prose { property_value(content) } else { content };
        if content.is_empty() {
            return;
        }
        let blanks = whole.len() - content.len();
        if self.bytes.is_empty() {
            self.bytes.reserve(CAPACITY);
        }
        self.lines.push((self.bytes.len(), line.start + blanks));
        match content.is_ascii() {
            true => self.bytes.extend_from_slice(content),
            // Decoders ignore what is no digit.
            false => self.bytes.extend(content.iter().filter(|byte| byte.is_ascii())),
        }
    }

    /// Calls `read` with the row and the offset of each of the strings of [`SCHEMES`], until it breaks.
    pub fn each_scheme(
        &self,
        mut read: impl FnMut(usize, usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        // The first two characters of each: few others are visited.
        let begins = |byte: u8, next: u8| {
            ((byte == b'O') & ((next == b'i') | (next == b'g') | (next == b'l')))
                | ((byte == b'o') & ((next == b'v') | (next == b'A')))
                | ((byte == b'6')
                    & ((next == b'L') | (next == b'A') | (next == b'Y') | (next == b'X')))
                | ((byte == b'p') & ((next == b'h') | (next == b'c')))
                | ((byte == b'e') & (next == b'm'))
        };
        each(&self.bytes, begins, |at| {
            let rest = self.bytes.get(at..).unwrap_or_default();
            match SCHEMES.iter().position(|scheme| rest.starts_with(scheme)) {
                Some(row) => read(row, at),
                None => ControlFlow::Continue(()),
            }
        })
    }

    pub fn source(&self, at: usize) -> usize {
        let line = self.lines.partition_point(|(start, _)| *start <= at);
        let line = line.checked_sub(1).and_then(|line| self.lines.get(line));
        line.map_or(0, |(start, source)| source + (at - start))
    }
}

/// The digits behind the parameters of a property (`ATTACH;ENCODING=BASE64;X-FILENAME=a.html:PGEg`), which hold dots and
/// blanks of their own; of other lines nothing.
fn property_value(line: &[u8]) -> &[u8] {
    let named = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    let name = line.iter().take_while(|byte| named(byte)).count();
    if line.get(name) != Some(&b';') {
        return &[];
    }
    let value = memchr::memrchr(b':', line).and_then(|colon| line.get(colon + 1..));
    value.filter(|value| memchr::memchr3(b' ', b'<', b'.', value).is_none()).unwrap_or_default()
}

/// Whether a line of base64 may begin with this byte: a digit, or a blank before it.
fn may_begin(byte: Option<&u8>) -> bool {
    byte.is_some_and(|byte| base64::digit(*byte).is_some()) || is_blank(byte)
}

fn is_blank(byte: Option<&u8>) -> bool {
    byte.is_some_and(u8::is_ascii_whitespace)
}

/// Bytes reserved with the first line.
const CAPACITY: usize = 1 << 10;

/// Whether these bytes hold a sign that no line of base64 has. Eight are tested together.
fn begins_as_prose(front: &[u8; 16]) -> bool {
    let marks = |word| equal(word, b' ') | equal(word, b'<') | equal(word, b'.');
    let words = front.as_chunks().0.iter().map(|eight| u64::from_le_bytes(*eight));
    words.fold(0, |all, word| all | marks(word)) & HIGHEST != 0
}

/// Digits that are decoded first: the window of most hosts ends in them.
const FIRST: usize = 96;

/// The texts that begin with these digits, by the row of [`SCHEMES`], as far as a window in them reaches: of wide
/// characters in both byte orders. With each the number of digits that were decoded.
pub fn texts_behind_scheme(digits: &[u8], row: usize) -> impl Iterator<Item = (Vec<u8>, usize)> {
    let first = digits.get(..FIRST).map(base64::decode);
    let all = OnceCell::new();
    orders(row).iter().map(move |order| {
        let text = first.as_deref().map(|bytes| text_of(bytes, row / 3, *order));
        let text = text.filter(|text| ends_within(behind_signs(text)));
        let whole = || text_of(all.get_or_init(|| base64::decode(digits)), row / 3, *order);
        text.map_or_else(|| (whole(), digits.len()), |text| (text, FIRST))
    })
}

fn orders(row: usize) -> &'static [Order] {
    match row / 3 {
        1 | 2 => &[Order::Little, Order::Big],
        _ => &[Order::Little],
    }
}

/// Decoded bytes as text, by the form of their characters.
fn text_of(bytes: &[u8], form: usize, order: Order) -> Vec<u8> {
    match form {
        1 | 2 => wide(bytes, 2 * form, order),
        3 => ebcdic(bytes),
        _ => bytes.to_vec(),
    }
}

/// A decoded text without the `://` at its start, or with backslashes in it.
pub fn behind_signs(text: &[u8]) -> &[u8] {
    let sign = |byte: &&u8| matches!(**byte, b'/' | b':' | b'\\');
    text.get(text.iter().take_while(sign).count()..).unwrap_or_default()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Little,
    Big,
}

/// UTF-16 or UTF-32 as UTF-8, from the first byte that is not NUL: it begins an ASCII character in the one byte order
/// and ends it in the other.
fn wide(bytes: &[u8], width: usize, order: Order) -> Vec<u8> {
    let start = bytes.iter().position(|byte| *byte != 0).unwrap_or(0);
    let bytes = bytes.get(start..).unwrap_or_default();
    match (width, order) {
        (2, Order::Little) => units(bytes, 0, |two| u16::from_le_bytes(two).into()),
        (2, Order::Big) => units(bytes, 1, |two| u16::from_be_bytes(two).into()),
        (_, Order::Little) => units(bytes, 0, u32::from_le_bytes),
        (_, Order::Big) => units(bytes, 3, u32::from_be_bytes),
    }
}

/// The characters of units, as UTF-8, up to the first unit that is none. `missing` bytes of the first one are NUL and
/// not there.
fn units<const WIDTH: usize>(
    bytes: &[u8],
    missing: usize,
    read: impl Fn([u8; WIDTH]) -> u32,
) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len() + missing);
    let mut first = [0; WIDTH];
    let (front, rest) = bytes.split_at(bytes.len().min(WIDTH - missing));
    first.iter_mut().skip(missing).zip(front).for_each(|(first, byte)| *first = *byte);
    let whole = front.len() + missing == WIDTH;
    let all = std::iter::once(first).filter(|_| whole).chain(rest.as_chunks().0.iter().copied());
    for unit in all.map(read) {
        match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii() => text.push(byte),
            _ => {
                let Some(character) = char::from_u32(unit) else { break };
                text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
    }
    text
}

/// `://` in EBCDIC.
pub const EBCDIC: &[u8] = b"\x7A\x61\x61";

/// EBCDIC as ASCII, for the characters of hosts (code page 037; others have the same ones).
pub fn ebcdic(bytes: &[u8]) -> Vec<u8> {
    let ascii = |byte: &u8| match byte {
        0x81..=0x89 => byte - 0x81 + b'a',
        0x91..=0x99 => byte - 0x91 + b'j',
        0xA2..=0xA9 => byte - 0xA2 + b's',
        0xC1..=0xC9 => byte - 0xC1 + b'a',
        0xD1..=0xD9 => byte - 0xD1 + b'j',
        0xE2..=0xE9 => byte - 0xE2 + b's',
        0xF0..=0xF9 => byte - 0xF0 + b'0',
        0x4B => b'.',
        0x60 => b'-',
        0x61 => b'/',
        0x7A => b':',
        _ => b' ',
    };
    bytes.iter().map(ascii).collect()
}

#[cfg(test)]
mod tests {
    use ::base64::prelude::{BASE64_STANDARD_NO_PAD, Engine as _};

    use super::*;

    #[test]
    fn schemes_are_found_in_base64() {
        let forms: [(usize, Vec<u8>); 7] = [
            (0, b"://".to_vec()),
            (1, b":\0/\0/\0".to_vec()),
            (2, b":\0\0\0/\0\0\0".to_vec()),
            (3, b"\x7A\x61\x61".to_vec()),
            (4, b":\\\\".to_vec()),
            (5, b":\\/".to_vec()),
            (6, b":/\\".to_vec()),
        ];
        for (form, bytes) in forms {
            for alignment in 0..3 {
                let plain = [&b"xyz"[..alignment], &bytes, b"xyz"].concat();
                let encoded = BASE64_STANDARD_NO_PAD.encode(plain);
                let mut found = Vec::new();
                let _ = Base64Lines::of(encoded.as_bytes()).each_scheme(|row, _| {
                    found.push(row);
                    ControlFlow::Continue(())
                });
                let row = 3 * form + alignment;
                assert!(found.contains(&row), "{row} {encoded}");
            }
        }
    }
    #[test]
    fn only_lines_of_base64_are_collected() {
        let body = b"aGk= \r\nby e\r\n<b>\nx. y\n\n  aGk  \nabcdefghijklmnop q\nabcdefghijklmnop  ";
        let lines = Base64Lines::of(body);
        assert_eq!(lines.bytes, b"aGk=aGkabcdefghijklmnop");
        assert_eq!([0, 4, 7].map(|at| lines.source(at)), [0, 25, 50]);
        assert_eq!(Base64Lines::of(b"aG\rk\r\n").bytes, b"aGk");
        for head in ["ATTACH;X=a.html:", "item1.ATTACH;X=\"a: b\";Y=<z>:", "attach;x=.:"] {
            let lines = Base64Lines::of(format!("{head}aGk=\r\n aGk\r\n").as_bytes());
            assert_eq!(lines.bytes, b"aGk=aGk", "{head}");
            assert_eq!([0, 4].map(|at| lines.source(at)), [head.len(), head.len() + 7]);
        }
        for line in ["x. y;z:aGk", "A;B=c. d:e f", "A;B=c.d;aGk", "A:b c:aGk"] {
            assert_eq!(Base64Lines::of(line.as_bytes()).bytes, b"", "{line}");
        }
        assert_eq!(Base64Lines::of(b"a b\raGk\r\r\n\n\rzz\n\r").bytes, b"aGkzz");
        for blanks in 0..40 {
            let line = |front: &str, back: &str| [front, &" ".repeat(blanks), back].concat();
            let (trailing, leading) = (line("aGk", "\n"), line("", "aGk\n"));
            let prose = ["x", "<", ".", "\u{e9} x"].map(|sign| line("aGk ", &format!("{sign}\n")));
            let first = if blanks == 0 { &prose[3..] } else { &prose[..] };
            let all = [first.concat(), trailing, first.concat(), leading].concat();
            assert_eq!(Base64Lines::of(all.as_bytes()).bytes, b"aGkaGk", "{blanks}");
        }
    }

    #[test]
    fn wide_characters_are_recognized_by_their_nuls() {
        let text = "//раypal.com";
        for width in [2, 4] {
            let little: Vec<u8> =
                text.chars().flat_map(|c| u32::from(c).to_le_bytes()[..width].to_vec()).collect();
            assert_eq!(wide(&little, width, Order::Little), text.as_bytes());
            let big: Vec<u8> = text
                .chars()
                .flat_map(|c| u32::from(c).to_be_bytes()[4 - width..].to_vec())
                .collect();
            assert_eq!(wide(&big, width, Order::Big), text.as_bytes());
        }
    }
}
