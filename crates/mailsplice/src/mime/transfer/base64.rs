//! Base64 (RFC 2045 §6.8), as lenient as mail clients.
//!
//! Decoding: bytes outside the alphabet are skipped; padding ends a stream, and the rest is another
//! stream whose bytes are appended; padding may be missing; a single last character is dropped.

mod lowering;

use std::borrow::Cow;

use super::{Decoded, LineEnd, line_end_after};
use crate::span::{Map, PieceKind, Track, Untracked};
pub(in crate::mime) use lowering::lower;

/// Most characters of a line that is written (RFC 2045 §6.8).
const LINE: usize = 76;

pub(in crate::mime) const ALPHABET: &[u8; 64] =
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Value of each byte; 64 if it is not in the alphabet.
const VALUES: [u8; 256] = values();

const fn values() -> [u8; 256] {
    let mut table = [64; 256];
    let mut value = 0;
    while value < 64 {
        #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
        {
            table[ALPHABET[value] as usize] = value as u8;
        }
        value += 1;
    }
    table
}

/// The bits of each byte in each place of a unit. Bits above 24 are set if the byte is not in the alphabet.
static PLACED: [[u32; 256]; 4] = [placed(18), placed(12), placed(6), placed(0)];

const fn placed(shift: u32) -> [u32; 256] {
    let mut table = [u32::MAX; 256];
    let mut value = 0;
    while value < 64 {
        #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
        {
            table[ALPHABET[value] as usize] = (value as u32) << shift;
        }
        value += 1;
    }
    table
}

/// The bytes of four characters, if all are in the alphabet.
fn unit(characters: [u8; 4]) -> Option<[u8; 3]> {
    match bits(characters).to_be_bytes() {
        [0, bytes @ ..] => Some(bytes),
        _ => None,
    }
}

/// The bits of four characters; above 24 bits if one is not in the alphabet.
fn bits([a, b, c, d]: [u8; 4]) -> u32 {
    let [first, second, third, fourth] = &PLACED;
    let at = |table: &[u32; 256], byte| table.get(usize::from(byte)).copied().unwrap_or(u32::MAX);
    at(first, a) | at(second, b) | at(third, c) | at(fourth, d)
}

/// The value of a byte; 64 if it is not in the alphabet.
#[inline]
pub(in crate::mime) fn value(byte: u8) -> u8 {
    VALUES.get(usize::from(byte)).copied().unwrap_or(64)
}

/// Decodes with a map.
pub(in crate::mime) fn decode(raw: &[u8], padding: Padding) -> Decoded<'_> {
    let mut map = Map::new();
    let mut bytes = Vec::new();
    let mut restarts = vec![0];
    unwrap_onto(&mut bytes, raw, padding, &mut map, |restart| restarts.push(restart));
    map.close(bytes.len(), raw.len());
    Decoded { bytes: Cow::Owned(bytes), map: Some(map), restarts }
}

/// Decodes.
pub(in crate::mime) fn unwrap(raw: &[u8], padding: Padding, map: &mut impl Track) -> Vec<u8> {
    let mut bytes = Vec::new();
    unwrap_onto(&mut bytes, raw, padding, map, |_| ());
    bytes
}

/// Appends the decoded bytes; calls `restart` where the alignment of units restarts, except at the start.
pub(in crate::mime) fn unwrap_onto(
    bytes: &mut Vec<u8>,
    raw: &[u8],
    padding: Padding,
    map: &mut impl Track,
    restart: impl FnMut(usize),
) {
    bytes.reserve(raw.len() / 4 * 3 + 3);
    let mut reader = Base64Reader { bytes, map, restart, unit: Unit::default(), padding };
    let mut at = 0;
    while let Some(first) = raw.get(at) {
        // Most of what is no character is a line end.
        if *first <= b' ' {
            at += 1;
            continue;
        }
        if reader.unit.count == 0 && value(*first) < 64 {
            at += reader.whole_units(raw, at);
            let last = reader.padded_unit(raw, at);
            if last > 0 {
                at += last;
                continue;
            }
        }
        let Some(byte) = raw.get(at) else { break };
        reader.byte(*byte, at, raw.get(at + 1) == Some(&b'='));
        at += 1;
    }
    reader.flush();
}

/// Units that are tested together.
const TOGETHER: usize = 16;

/// Whether these characters may decode to one of two bytes, neither of them NUL. Also `true` if some are not in the
/// alphabet, except for padding at the end.
pub(in crate::mime) fn may_say(raw: &[u8], signs: [u8; 2]) -> bool {
    let [first, second] = signs;
    let digits = raw.strip_suffix(b"=").map_or(raw, |raw| raw.strip_suffix(b"=").unwrap_or(raw));
    let (units, rest) = digits.as_chunks::<4>();
    let mut last = *b"AAAA";
    last.iter_mut().zip(rest).for_each(|(last, byte)| *last = *byte);
    let last = (!rest.is_empty()).then_some([last]);
    units.chunks(TOGETHER).chain(last.as_ref().map(|unit| &unit[..])).any(|units| {
        let mut written = [0; TOGETHER];
        let mut all = 0;
        for (written, unit) in written.iter_mut().zip(units) {
            *written = bits(*unit);
            all |= *written;
        }
        let written = written.map(u32::to_ne_bytes);
        let written = written.as_flattened().iter();
        all > 0xFF_FFFF
            || written.fold(false, |any, byte| any | (*byte == first) | (*byte == second))
    })
}

struct Base64Reader<'t, T, R> {
    bytes: &'t mut Vec<u8>,
    map: &'t mut T,
    /// Called where the alignment of units restarts.
    restart: R,
    unit: Unit,
    padding: Padding,
}

/// The meaning of `=` before more characters: programs differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mime) enum Padding {
    /// It ends a unit, and a stream.
    Ends,
    /// It is one character of four (Thunderbird).
    Counts,
    /// It is ignored, unless it completes a unit (Python).
    Skipped,
    /// It is always ignored (PHP, MIME::Tools, postal-mime).
    Nothing,
}

/// Whether more characters follow padding: the stream continues, or another one begins.
pub(in crate::mime) fn goes_on_behind_padding(raw: &[u8]) -> bool {
    let first = memchr::memchr(b'=', raw);
    let behind = first.and_then(|first| raw.get(first..)).unwrap_or_default();
    behind.iter().any(|byte| value(*byte) < 64)
}

/// Whether padding is where most variants of [`Padding`] differ: before more characters, and not at the end of a
/// unit.
pub(in crate::mime) fn has_odd_padding(raw: &[u8]) -> bool {
    if !goes_on_behind_padding(raw) {
        return false;
    }
    // Characters of the current unit, and padding in it.
    let (mut count, mut pads) = (0, 0);
    for byte in raw {
        match (*byte, value(*byte) < 64) {
            (b'=', _) if count < 2 => return true,
            (b'=', _) => pads += 1,
            (_, true) if pads > 0 => return true,
            (_, true) => count += 1,
            _ => {}
        }
        if count + pads == 4 {
            (count, pads) = (0, 0);
        }
    }
    false
}

/// Characters in a row that make a text: in what other bytes decode to, as the footer that a list appends, there are never
/// so many.
const TEXT: usize = 16;

/// Whether a text stands before padding, and another one behind it that may hold a link: some programs end there.
pub(in crate::mime) fn has_text_behind_padding(raw: &[u8]) -> bool {
    if !goes_on_behind_padding(raw) {
        return false;
    }
    let first = memchr::memchr(b'=', raw).unwrap_or_default();
    let (before, behind) = raw.split_at_checked(first).unwrap_or((raw, &[]));
    let behind = decoded_letters(behind);
    may_hold_link(&behind) && is_text(&behind) && is_text(&decoded_letters(before))
}

/// What these characters decode to, of whatever width its letters are.
fn decoded_letters(raw: &[u8]) -> Vec<u8> {
    let mut bytes = unwrap(raw, Padding::Ends, &mut Untracked);
    bytes.retain(|byte| *byte != 0);
    bytes
}

/// Whether a text has a sign without which nothing is a link: a dot, a colon, an at sign, or an escape of one. Beyond
/// ASCII any sign may be a dot to somebody.
fn may_hold_link(text: &[u8]) -> bool {
    let is_sign = |byte: &u8| matches!(byte, b'.' | b':' | b'@' | b'&' | b'%');
    let is_other = |c: char| !c.is_ascii() && !c.is_alphanumeric() && !c.is_whitespace();
    text.iter().any(is_sign) || text.utf8_chunks().any(|chunk| chunk.valid().contains(is_other))
}

fn is_text(bytes: &[u8]) -> bool {
    let is_shown = |c: char| !c.is_control() || matches!(c, '\r' | '\n' | '\t');
    bytes.utf8_chunks().any(|chunk| {
        let mut row = 0;
        chunk.valid().chars().any(|c| {
            row = if is_shown(c) { row + 1 } else { 0 };
            row == TEXT
        })
    })
}

/// Whether bytes are base64 and nothing else, but for line ends and padding.
pub(in crate::mime) fn is_pure(raw: &[u8]) -> bool {
    raw.iter().all(|byte| value(*byte) < 64 || *byte == b'=' || byte.is_ascii_whitespace())
}

/// An incomplete unit.
#[derive(Default)]
struct Unit {
    bits: u32,
    count: u8,
    /// Padding characters that were counted as characters.
    padding: u8,
    /// Offset of its first character.
    start: usize,
    /// Offset after its last character.
    end: usize,
}

/// Units that are decoded at once: those of a line.
const UNITS: usize = LINE / 4;

impl<T: Track, R: FnMut(usize)> Base64Reader<'_, T, R> {
    /// Decodes units of four adjacent characters; returns the number of raw bytes.
    fn whole_units(&mut self, raw: &[u8], at: usize) -> usize {
        let rest = raw.get(at..).unwrap_or_default();
        let (units, _) = rest.as_chunks::<4>();
        let before = self.bytes.len();
        let mut taken = 0;
        for several in units.chunks(UNITS) {
            let mut bytes = [[0; 3]; UNITS];
            let mut count = 0;
            for (three, four) in bytes.iter_mut().zip(several) {
                let Some(unwrapped) = unit(*four) else { break };
                *three = unwrapped;
                count += 1;
            }
            match &bytes {
                [unwrapped, ..] if count == 1 => self.bytes.extend_from_slice(unwrapped),
                _ => {
                    let unwrapped = bytes.get(..count).unwrap_or_default();
                    self.bytes.extend_from_slice(unwrapped.as_flattened());
                }
            }
            taken += 4 * count;
            if count < several.len() {
                break;
            }
        }
        if taken > 0 {
            self.map.push(before, at, PieceKind::Units { text: 3, source: 4 });
        }
        taken
    }

    /// Decodes a unit of two or three characters with its padding, as [`Base64Reader::byte`] does; returns the number of raw
    /// bytes.
    fn padded_unit(&mut self, raw: &[u8], at: usize) -> usize {
        let four = raw.get(at..).and_then(|rest| rest.first_chunk());
        let (digits, is_short) = match four {
            Some([a, b, b'=', b'=']) => ([*a, *b, b'A', b'A'], true),
            Some([a, b, c, b'=']) => ([*a, *b, *c, b'A'], false),
            _ => return 0,
        };
        let Some([first, second, _]) = unit(digits) else { return 0 };
        if !matches!(self.padding, Padding::Ends | Padding::Skipped) {
            return 0;
        }
        self.map.push(self.bytes.len(), at, PieceKind::Atomic);
        self.bytes.push(first);
        if !is_short {
            self.bytes.push(second);
        }
        self.map.push(self.bytes.len(), at + 4, PieceKind::Atomic);
        (self.restart)(self.bytes.len());
        4
    }

    fn byte(&mut self, byte: u8, at: usize, more_padding: bool) {
        if byte == b'=' && self.padding == Padding::Counts {
            return self.counted(at);
        }
        if byte == b'=' && self.padding == Padding::Nothing {
            return;
        }
        if byte == b'=' {
            let completes = self.unit.count == 3 || self.unit.count == 2 && more_padding;
            let ends = self.padding == Padding::Ends && self.unit.count > 0;
            if ends || completes {
                self.padding(at, more_padding);
            }
            return;
        }
        let value = value(byte);
        if value == 64 {
            return;
        }
        self.push(value, at);
    }

    /// Counts padding as one character of four: no bits, and no bytes at the end of a unit.
    fn counted(&mut self, at: usize) {
        self.unit.padding += 1;
        self.push(0, at);
    }

    fn push(&mut self, value: u8, at: usize) {
        if self.unit.count == 0 {
            self.unit.start = at;
        }
        self.unit.bits = self.unit.bits << 6 | u32::from(value);
        self.unit.count += 1;
        self.unit.end = at + 1;
        if self.unit.count == 4 {
            self.flush();
        }
    }

    /// Ends a stream at its first `=`. One or two characters of padding belong to the unit.
    fn padding(&mut self, at: usize, more: bool) {
        self.unit.end = if more && self.unit.count == 2 { at + 2 } else { at + 1 };
        self.flush();
        (self.restart)(self.bytes.len());
    }

    /// Writes the bytes of the unit, complete or not, and begins the next one.
    fn flush(&mut self) {
        let unit = std::mem::take(&mut self.unit);
        let kept = usize::from(unit.count).saturating_sub(1 + usize::from(unit.padding));
        if kept == 0 {
            return;
        }
        let bits = unit.bits << (6 * (4 - u32::from(unit.count)));
        let [_, a, b, c] = bits.to_be_bytes();
        self.map.push(self.bytes.len(), unit.start, PieceKind::Atomic);
        self.bytes.extend_from_slice([a, b, c].get(..kept).unwrap_or_default());
        self.map.push(self.bytes.len(), unit.end, PieceKind::Atomic);
        if unit.padding > 0 {
            (self.restart)(self.bytes.len());
        }
    }
}

/// Encodes, starting at `column`, in lines of at most `width`. `tail` characters follow on the last line.
fn encode_lines(
    bytes: &[u8],
    column: usize,
    tail: usize,
    width: usize,
    line_end: LineEnd,
) -> (Vec<u8>, usize) {
    let lines = bytes.len() / 3 * 4 / width + 1;
    let mut out = Vec::with_capacity(bytes.len() / 3 * 4 + 4 + 2 * lines);
    let mut column = column;
    for unit in bytes.chunks(3) {
        if column > 0 && column + 4 > width {
            out.extend_from_slice(line_end.as_bytes());
            column = 0;
        }
        out.extend_from_slice(&encode_unit(unit));
        column += 4;
    }
    if tail > 0 && column > 0 && column + tail > width.max(LINE) && !out.is_empty() {
        out.extend_from_slice(line_end.as_bytes());
        column = 0;
    }
    (out, column)
}

fn encode_unit(unit: &[u8]) -> [u8; 4] {
    let byte = |index: usize| unit.get(index).copied().unwrap_or(0);
    let bits = u32::from_be_bytes([0, byte(0), byte(1), byte(2)]);
    let digit = |index: u32| {
        let value = (bits >> (18 - 6 * index)) & 63;
        if index as usize > unit.len() {
            b'='
        } else {
            ALPHABET.get(value as usize).copied().unwrap_or(b'=')
        }
    };
    [digit(0), digit(1), digit(2), digit(3)]
}

/// Bytes of [`encode`] for so many bytes.
pub(in crate::mime) fn encoded_len(bytes: usize, line_end: LineEnd) -> usize {
    let units = bytes.div_ceil(3);
    4 * units + units.saturating_sub(1) / UNITS * line_end.as_bytes().len()
}

/// Encodes a whole body.
pub(in crate::mime) fn encode(bytes: &[u8], line_end: LineEnd) -> Vec<u8> {
    encode_lines(bytes, 0, 0, LINE, line_end).0
}

/// Characters per line of the part: the length of its first line, between 4 and [`LINE`].
fn line_width(raw: &[u8]) -> usize {
    let start = raw.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(0);
    let first = line_end_after(raw, start) - start;
    match first {
        0..4 => LINE,
        4..=LINE => first,
        _ => LINE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_of_what_is_encoded_is_known() {
        for length in (0..200).chain([1_000, 57_000]) {
            for line_end in [LineEnd::Crlf, LineEnd::Lf] {
                let encoded = encode(&vec![b'x'; length], line_end);
                assert_eq!(encoded_len(length, line_end), encoded.len(), "{length}");
            }
        }
    }

    fn text(raw: &str) -> String {
        String::from_utf8_lossy(&decode(raw.as_bytes(), Padding::Ends).bytes).into_owned()
    }

    #[test]
    fn text_behind_padding_is_told_from_the_footer_of_a_list() {
        let of = |text: &str| String::from_utf8(encode(text.as_bytes(), LineEnd::Crlf)).unwrap();
        let front = of("Hello, Ann. It is ready.!");
        let wide: String = "https://www.example.com/".chars().flat_map(|c| [c, '\0']).collect();
        for text in ["see https://example.com/", "посмотрите на пример。com", &wide]
        {
            assert!(has_text_behind_padding(format!("{front}\r\n{}", of(text)).as_bytes()));
            assert!(has_text_behind_padding(format!("{front}!\r\n-- {}", of(text)).as_bytes()));
            assert!(!has_text_behind_padding(of(text).as_bytes()));
            let salutation = of("Hi Ann\r\n");
            assert!(!has_text_behind_padding(format!("{salutation}\r\n{}", of(text)).as_bytes()));
        }
        for text in ["Пожалуйста, подтвердите", "and bring the papers, Ann"] {
            assert!(!has_text_behind_padding(format!("{front}\r\n{}", of(text)).as_bytes()));
        }
        let footer = "_______________________________________________\r\nlist mailing list\r\n\
            list@lists.example.org\r\nhttps://lists.example.org/mailman/listinfo/list\r\n";
        for behind in [footer, "", "\r\n--\r\n", "AAAA"] {
            assert!(!has_text_behind_padding(format!("{front}\r\n{behind}").as_bytes()));
        }
    }

    #[test]
    fn reads_what_clients_read() {
        assert_eq!(text("aGVsbG8gd29ybGQ="), "hello world");
        assert_eq!(text("aGVsbG8gd29ybGQ"), "hello world", "missing padding");
        assert_eq!(text("aGVs\r\nbG8g!d29*ybGQ=\r\n"), "hello world", "junk");
        assert_eq!(text("aGVsbG8=IHdvcmxk"), "hello world", "streams in a row");
        assert_eq!(text("aGVsbA==\r\nbw=="), "hello", "padding in the middle");
        assert_eq!(text("a"), "", "six bits make no byte");
        assert_eq!(text("===="), "");
    }

    #[test]
    fn every_unit_maps_to_its_own_characters() {
        let decoded = decode(b"aGVs\r\nbG8g!d29*ybGQ=\r\n", Padding::Ends);
        assert_eq!(decoded.source(0..3), 0..4);
        assert_eq!(decoded.source(3..6), 6..10);
        assert_eq!(decoded.source(6..9), 11..16);
        assert_eq!(decoded.source(9..11), 16..20);
    }

    #[test]
    fn padding_inside_is_read_in_four_ways() {
        let read = |raw: &str, padding| {
            String::from_utf8_lossy(&decode(raw.as_bytes(), padding).bytes).into_owned()
        };
        let hello = "=ABCaGVsbG8gd29ybGQ=";
        assert!(has_odd_padding(hello.as_bytes()));
        assert!(read(hello, Padding::Counts).ends_with("hello world"));
        assert!(!read(hello, Padding::Skipped).contains("hello"));
        assert_eq!(read("aG=VsbG8=", Padding::Skipped), "hello");
        assert_eq!(read("a=GVsbG8=", Padding::Skipped), "hello");
        assert_eq!(read("aGV=sbG8=", Padding::Nothing), "hello");
        assert_eq!(read("aG==VsbG8=", Padding::Nothing), "hello");
        for more in [hello, "aGVsbG8=IHdvcmxk", "aA==\r\naGVs"] {
            assert!(goes_on_behind_padding(more.as_bytes()), "{more}");
        }
        assert!(!goes_on_behind_padding(b"aGVsbA==\r\n"));
        for plain in
            ["aGVsbG8=", "aGVsbG8=\r\n", "aGVsbG8=\r\nIHdvcmxk", "aA==aGVs", "aGVs", "===="]
        {
            assert!(!has_odd_padding(plain.as_bytes()), "{plain}");
        }
    }
}
