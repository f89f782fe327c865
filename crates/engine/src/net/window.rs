//! The window of bytes after a trigger, and the characters that they encode.

use std::ops::Range;

use super::WINDOW;
use super::triggers::{Trigger, is_escaped_sign};
use maillinks::script;
use mailsplice::mime::{Charset, soft_break};
use uts58::unicode::Class;
use uts58::unicode::a_label::has_a_label;

/// The bytes after a trigger, to the end of what can be a host.
pub fn window(bytes: &[u8], at: usize) -> &[u8] {
    let rest = bytes.get(at..).unwrap_or_default();
    let rest = rest.get(..WINDOW).unwrap_or(rest);
    // Most windows hold nothing encoded before their end.
    let Some(plain) = rest.iter().position(|byte| signs_of(*byte) & (END | CODED) != 0) else {
        return rest;
    };
    let mut end = plain;
    // Inside a two-byte set any sign may be half a letter.
    let mut shifted = false;
    loop {
        let after = rest.get(end..).unwrap_or_default();
        end +=
            after.iter().take_while(|byte| signs_of(**byte) & (END | CODED | BRACE) == 0).count();
        let Some(byte) = rest.get(end) else { break };
        match (rest.get(end.wrapping_sub(1)), byte) {
            (_, 0x1B) => shifted = rest.get(end + 1) == Some(&b'$'),
            (Some(b'~'), b'{') => shifted = true,
            (Some(b'~'), b'}') => shifted = false,
            _ => {}
        }
        let goes_on = match byte {
            // `&#1088;`
            b'#' => shifted || rest.get(..end).is_some_and(|before| before.ends_with(b"&")),
            b'/' | b'?' | b'"' | b'\'' | b'<' | b'>' | b' ' | b'\t' | b')' | b']' | b'|' | b'@'
            | b':' => shifted,
            // The sign after it begins another window, except in `\u0440`.
            b'\\' => shifted || rest.get(end + 1) == Some(&b'u'),
            b'=' => shifted || !is_escaped_sign(rest.get(end + 1..end + 3).unwrap_or_default()),
            b'\r' | b'\n' => is_in_break(rest.get(..end).unwrap_or_default()),
            _ => true,
        };
        if !goes_on {
            break;
        }
        end += 1;
    }
    rest.get(..end).unwrap_or_default()
}

/// Whether the window at the start of these bytes ends before their end, with nothing coded in it.
pub fn ends_within(bytes: &[u8]) -> bool {
    let first = bytes.iter().map(|byte| signs_of(*byte)).find(|signs| signs & (END | CODED) != 0);
    first == Some(END)
}

/// Windows of one trigger that begin inside one another.
#[derive(Debug, Default)]
pub struct NestedWindows {
    /// The last one.
    last: Range<usize>,
    /// How many are around it.
    depth: usize,
    /// Bytes that were seen, from the start of a window: none ends one, and none matters to whether one is read.
    plain: Range<usize>,
}

/// Windows inside one another that are read to their ends. Behind `www.` without an end, and inside a two-byte set, where no
/// slash ends a host, hundreds may begin in each other: further ones end where the next begins.
pub const NESTED: usize = 8;

impl NestedWindows {
    /// As much of the window at an offset behind this trigger as is read, and whether it needs reading.
    pub fn next<'w>(&mut self, bytes: &'w [u8], trigger: Trigger, at: usize) -> (&'w [u8], bool) {
        let depth = if self.last.contains(&at) { self.depth + 1 } else { 0 };
        let bytes = match depth < NESTED {
            true => bytes,
            false => up_to_next(bytes, trigger, at),
        };
        if let Some(window) = self.beyond_plain(bytes, at) {
            return (window, false);
        }
        let (window, signs) = window_with_signs(bytes, at);
        if signs & (CODED | PERCENT | HYPHEN) == 0 {
            self.plain = at..at + window.len();
        }
        let needs_reading = holds_coded(window, signs);
        if needs_reading {
            // What was cut goes on behind the sign that it was cut at.
            let beyond = if depth < NESTED { 0 } else { CUT_AT.len() + 1 };
            self.last = at..at + window.len() + beyond;
            self.depth = depth;
        }
        (window, needs_reading)
    }

    /// The window at an offset among plain bytes, if it is plain to its end: only what is behind them is looked at.
    fn beyond_plain<'w>(&mut self, bytes: &'w [u8], at: usize) -> Option<&'w [u8]> {
        let limit = bytes.len().min(at + WINDOW);
        if !self.plain.contains(&at) || self.plain.end > limit {
            return None;
        }
        let beyond = bytes.get(self.plain.end..limit)?;
        let matters = |byte: &u8| signs_of(*byte) & !(DOT | BRACE) != 0;
        let length = match beyond.iter().position(matters) {
            Some(length) if beyond.get(length).is_some_and(|byte| ends_at_once(*byte)) => length,
            Some(_) => return None,
            None => beyond.len(),
        };
        self.plain.end += length;
        bytes.get(at..self.plain.end)
    }
}

/// What further windows are cut at.
const CUT_AT: &[u8; 4] = b"www.";

/// The bytes up to the next `www.` behind an offset, or behind slashes up to the next slashes, as far as a window may
/// reach. No character of a two-byte set has two slashes in its bytes, nor do two beside each other.
fn up_to_next(bytes: &[u8], trigger: Trigger, at: usize) -> &[u8] {
    let rest = bytes.get(at..).unwrap_or_default();
    let rest = rest.get(..WINDOW).unwrap_or(rest);
    let next = |four: &[u8; 4]| four.eq_ignore_ascii_case(CUT_AT);
    let length = match trigger {
        Trigger::Slashes => memchr::memmem::find(rest, b"//"),
        _ => rest.array_windows().position(next),
    };
    bytes.get(..at + length.unwrap_or(rest.len())).unwrap_or(bytes)
}

/// Maximum bytes between the sign of a soft line break and its line end that are skipped.
const GAP: usize = 8;

/// Whether a line end after these bytes is that of a soft line break.
fn is_in_break(before: &[u8]) -> bool {
    let gap = before.iter().rev().take(GAP).take_while(|byte| byte.is_ascii_control()).count();
    before.get(..before.len() - gap).is_some_and(|before| before.ends_with(b"="))
}

/// What a byte of a window may be part of: flags for [`SIGNS`].
const DOT: u8 = 1;
const HYPHEN: u8 = 2;

/// A byte that encodes a character together with others, or may do so.
const CODED: u8 = 4;

/// The sign of a percent-escape: it encodes something only with digits after it (`width:100%` has none).
const PERCENT: u8 = 16;

/// A byte that ends a host, if nothing encoded is before it.
const END: u8 = 8;

/// The second sign of a shift of HZ: `~{`, `~}`.
const BRACE: u8 = 32;

/// The flags of each byte.
static SIGNS: [u8; 256] = {
    let mut signs = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
        {
            signs[byte] = match byte as u8 {
                b'.' => DOT,
                b'%' => PERCENT,
                b'-' => HYPHEN,
                b'{' | b'}' => BRACE,
                0x80.. | b'=' | b'&' | b'\\' | b'+' | b'~' | 0 | 0x0E | 0x1B => CODED,
                b'/' | b'?' | b'"' | b'\'' | b'<' | b'>' | b' ' | b'\t' | b')' | b']' | b'|' => END,
                b'@' | b':' | b'#' | b'\r' | b'\n' => END,
                _ => 0,
            };
        }
        byte += 1;
    }
    signs
};

/// Whether a byte may be part of a character that is encoded in several bytes.
pub fn is_coded(byte: u8) -> bool {
    signs_of(byte) & (CODED | PERCENT) != 0
}

/// Whether a window may hold an escape or a shift: something else than the bytes of its characters.
pub fn is_escaped(window: &[u8]) -> bool {
    window.iter().any(|byte| byte.is_ascii() && is_coded(*byte))
}

/// Whether a byte may be part of a character that is encoded, or of the sign of an A-label.
pub fn matters(byte: u8) -> bool {
    signs_of(byte) & (CODED | PERCENT | HYPHEN) != 0
}

/// Whether no host begins with this byte.
pub fn ends_at_once(byte: u8) -> bool {
    signs_of(byte) == END
}

fn signs_of(byte: u8) -> u8 {
    SIGNS.get(usize::from(byte)).copied().unwrap_or_default()
}

/// Whether a window holds anything but a plain ASCII host.
pub fn needs_reading(window: &[u8]) -> bool {
    holds_coded(window, window.iter().fold(0, |signs, byte| signs | signs_of(*byte)))
}

/// The same for a window with these flags.
fn holds_coded(window: &[u8], signs: u8) -> bool {
    window.len() > 3
        && (signs & CODED != 0
            || signs & PERCENT != 0 && window.array_windows().any(is_percent_escape)
            || signs & (DOT | HYPHEN) == DOT | HYPHEN && has_a_label(window))
}

/// The window after a trigger, and the flags of its bytes; in one pass if nothing in it may be encoded.
fn window_with_signs(bytes: &[u8], at: usize) -> (&[u8], u8) {
    let rest = bytes.get(at..).unwrap_or_default();
    let rest = rest.get(..WINDOW).unwrap_or(rest);
    let mut signs = 0;
    let end = rest.iter().position(|byte| {
        signs |= signs_of(*byte);
        signs & (END | CODED) != 0
    });
    let Some(end) = end else { return (rest, signs) };
    if signs & CODED == 0 {
        return (rest.get(..end).unwrap_or_default(), signs);
    }
    let window = window(bytes, at);
    // The first such byte may be the sign that ends the window.
    (window, if window.len() > end { signs } else { signs & !CODED })
}

fn is_percent_escape([sign, high, low]: &[u8; 3]) -> bool {
    *sign == b'%' && high.is_ascii_hexdigit() && low.is_ascii_hexdigit()
}

/// A character, and its bytes in the window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    pub c: char,
    pub raw: Range<usize>,
}

/// A window as text, its escapes decoded once, without NUL, soft line breaks and characters that mapping removes from
/// hosts.
pub fn letters(window: &[u8]) -> Vec<Letter> {
    let is_written_in_several = |byte: &u8| matches!(byte, b'=' | b'%' | b'&' | b'\\' | 0);
    match window.iter().any(is_written_in_several) {
        true => referenced(&characters(&octets(window))),
        false => as_written(window),
    }
}

/// The same of a window in which nothing is escaped.
fn as_written(window: &[u8]) -> Vec<Letter> {
    let mut found = Vec::with_capacity(window.len());
    let mut at = 0;
    for chunk in window.utf8_chunks() {
        for c in chunk.valid().chars() {
            let start = at;
            at += c.len_utf8();
            if !Class::of(c).is_ignored() {
                found.push(Letter { c, raw: start..at });
            }
        }
        if !chunk.invalid().is_empty() {
            let start = at;
            at += chunk.invalid().len();
            found.push(Letter { c: char::REPLACEMENT_CHARACTER, raw: start..at });
        }
    }
    found
}

pub fn text(letters: &[Letter]) -> String {
    letters.iter().map(|letter| letter.c).collect()
}

/// The octets of a window with their ranges, quoted-printable and percent-escapes decoded.
pub fn octets(window: &[u8]) -> Vec<(u8, Range<usize>)> {
    let mut found = Vec::with_capacity(window.len());
    let mut at = 0;
    while let Some(rest) = window.get(at..).filter(|rest| !rest.is_empty()) {
        if let [b'=', after @ ..] = rest
            && let Some(gap) = soft_break(after)
        {
            at += 1 + gap;
            continue;
        }
        let (byte, length) = match rest {
            // Some programs drop a sign that escapes nothing.
            [b'=', b'=', ..] => (None, 1),
            [sign @ (b'=' | b'%'), high, low, ..] => match (digit(*high), digit(*low)) {
                (Some(high), Some(low)) => (u8::try_from(high << 4 | low).ok(), 3),
                _ => (Some(*sign), 1),
            },
            [0, ..] => (None, 1),
            [byte, ..] => (Some(*byte), 1),
            [] => break,
        };
        found.extend(byte.map(|byte| (byte, at..at + length)));
        at += length;
    }
    found
}

/// Decodes UTF-8; invalid bytes become U+FFFD.
fn characters(octets: &[(u8, Range<usize>)]) -> Vec<Letter> {
    let bytes: Vec<u8> = octets.iter().map(|(byte, _)| *byte).collect();
    let mut found = Vec::with_capacity(bytes.len());
    let mut at = 0;
    let hull = |at: usize, length: usize| {
        let first = octets.get(at).map_or(0, |(_, range)| range.start);
        let last = octets.get(at + length - 1).map_or(first, |(_, range)| range.end);
        first..last
    };
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            found.push(Letter { c, raw: hull(at, c.len_utf8()) });
            at += c.len_utf8();
        }
        if !chunk.invalid().is_empty() {
            let length = chunk.invalid().len();
            found.push(Letter { c: char::REPLACEMENT_CHARACTER, raw: hull(at, length) });
            at += length;
        }
    }
    found
}

/// Decodes references of HTML, XML and script, and removes characters that mapping removes from hosts.
fn referenced(letters: &[Letter]) -> Vec<Letter> {
    let mut found = Vec::with_capacity(letters.len());
    let mut at = 0;
    while let Some(first) = letters.get(at) {
        let ahead = letters.get(at..letters.len().min(at + REFERENCE)).unwrap_or_default();
        let decoded = matches!(first.c, '&' | '\\').then(|| reference(&text(ahead))).flatten();
        let (c, length) = decoded.unwrap_or((first.c, 1));
        let last = letters.get(at + length - 1).unwrap_or(first);
        if !Class::of(c).is_ignored() {
            found.push(Letter { c, raw: first.raw.start..last.raw.end });
        }
        at += length;
    }
    found
}

fn digit(byte: u8) -> Option<u32> {
    char::from(byte).to_digit(16)
}

/// Maximum number of characters of a numeric reference, with leading zeros.
const REFERENCE: usize = 12;

/// The reference `&#1088;`, `&#x440;` or `\u0440` at the start: the character and its length.
fn reference(text: &str) -> Option<(char, usize)> {
    let number = |digits: &str, radix, before: usize| {
        let length = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
        let number = u32::from_str_radix(digits.get(..length.min(8))?, radix).ok()?;
        let end = usize::from(digits.get(length..)?.starts_with(';'));
        Some((char::from_u32(number)?, before + length + end))
    };
    if let Some(hex) = text.strip_prefix("&#x").or_else(|| text.strip_prefix("&#X")) {
        return number(hex, 16, 3);
    }
    if let Some(decimal) = text.strip_prefix("&#") {
        return number(decimal, 10, 2);
    }
    text.strip_prefix("\\u").and_then(|_| script::escape(text))
}

/// A window decoded in the seven-bit charsets whose shift signs are in it, with each charset.
pub fn shifted(window: &[u8]) -> Vec<(Charset, String)> {
    if !window.iter().any(|byte| matches!(byte, 0x1B | 0x0E | b'~' | b'+')) {
        return Vec::new();
    }
    let has = |needle: &[u8]| memchr::memmem::find(window, needle).is_some();
    let charsets = [
        (has(b"\x1B$") || has(b"\x1B."), Charset::Iso2022Jp2),
        (has(b"\x0E"), Charset::Iso2022Shift),
        (has(b"~{"), Charset::Hz),
        (window.array_windows().any(is_shift_of_utf7), Charset::Utf7),
    ];
    let decoded = |charset: Charset| charset.decode(window.into()).as_str().to_owned();
    charsets
        .into_iter()
        .filter(|(has_sign, _)| *has_sign)
        .map(|(_, charset)| (charset, decoded(charset)))
        .collect()
}

/// A plus with the three digits that a character of UTF-7 takes at least: behind that of a telephone number is a blank.
fn is_shift_of_utf7([sign, digits @ ..]: &[u8; 4]) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    *sign == b'+' && digits.iter().all(is_digit)
}

#[cfg(test)]
mod tests {
    use super::super::triggers::triggers;
    use super::*;
    use std::ops::ControlFlow;

    fn decoded(window: &[u8]) -> String {
        text(&letters(window))
    }

    /// Where hosts may begin, in order, with what stands before each.
    fn places(bytes: &[u8]) -> Vec<(Trigger, usize)> {
        let mut places = Vec::new();
        let _ = triggers(bytes, |trigger, at| {
            places.push((trigger, at));
            ControlFlow::Continue(())
        });
        places
    }

    #[test]
    fn windows_end_where_hosts_do() {
        let end = |text: &str| String::from_utf8_lossy(window(text.as_bytes(), 0)).into_owned();
        assert_eq!(end("xn--a.com/x"), "xn--a.com");
        assert_eq!(end("xn--=\r\na.com\r\nb"), "xn--=\r\na.com");
        assert_eq!(end("xn--=\u{b}\u{1}\r\na.com\r\nb"), "xn--=\u{b}\u{1}\r\na.com");
        assert_eq!(end("xn--=\n\ra.com\n"), "xn--=\n\ra.com");
        assert_eq!(decoded(b"xn=\x0b\x01\r\n--=\n\ra.com"), "xn--a.com");
        assert_eq!(end("&#1088;&#x430;ypal.com#x"), "&#1088;&#x430;ypal.com");
        assert_eq!(end("a.com#&#1088;"), "a.com");
        assert_eq!(end(&"a".repeat(2 * WINDOW)).len(), WINDOW);
        assert_eq!(end("\x1B$B'b'/\x1B(Bypal.com/x"), "\x1B$B'b'/\x1B(Bypal.com");
        assert_eq!(end("~{'b'Q~}ypal.com/x"), "~{'b'Q~}ypal.com");
    }

    #[test]
    fn escapes_are_decoded_once() {
        for written in [
            "раypal.com", "=D1=80=D0=B0ypal.com", "%D1%80%d0%b0ypal.com", "&#1088;&#x430;ypal.com",
            "\\u0440\\u0430ypal.com", "р\0а\u{AD}ypal.com", "р=\r\nаypal=\n.com",
        ] {
            assert!(needs_reading(written.as_bytes()), "{written}");
            assert_eq!(
                NestedWindows::default().next(written.as_bytes(), Trigger::Sign, 0),
                (written.as_bytes(), true),
                "{written}"
            );
            assert_eq!(decoded(written.as_bytes()), "раypal.com", "{written}");
            let letters = letters(written.as_bytes());
            let dot = letters.iter().find(|letter| letter.c == '.').unwrap();
            assert_eq!(&written[dot.raw.clone()], ".", "{written}");
        }
        assert!(!needs_reading(b"www.example.com"));
        assert!(needs_reading(b"XN--ypal-43d9g.com"));
        assert_eq!(decoded(b"a\xFF.com"), "a\u{FFFD}.com");
    }

    #[test]
    fn what_is_not_escaped_is_read_as_it_is_written() {
        for written in
            [&b"p\xD1\x80.com"[..], b"\xD1a\xFF\xFE.com", "a\u{ad}b\u{200b}.рф".as_bytes(), b""]
        {
            assert_eq!(as_written(written), referenced(&characters(&octets(written))));
        }
    }

    #[test]
    fn one_pass_finds_what_two_do() {
        for host in ["a.com", "xn--a.com", "a-b.com", "a%41.com", "a%.com", "a=41.com", "a", ""] {
            for end in ["", "/x", "\r\n=", "=\r\nb.com", "#&", "&#1088;.com", "\\x", "\\u0440"] {
                let text = format!("{host}{end}");
                let window = window(text.as_bytes(), 0);
                let both = (window, needs_reading(window));
                let found = NestedWindows::default().next(text.as_bytes(), Trigger::Sign, 0);
                assert_eq!(found, both, "{text}");
            }
        }
    }

    #[test]
    fn windows_inside_windows_end_where_the_next_begins() {
        for (unit, wanted) in [
            ("www.\u{430}", Trigger::Small),
            ("//~{\u{430}", Trigger::Slashes),
            ("//\x1B$B\u{430}", Trigger::Slashes),
        ] {
            let before = if wanted == Trigger::Small { "www." } else { "//" };
            let text = format!("{}{before}р\u{430}ypal.com", unit.repeat(100));
            let bytes = text.as_bytes();
            let mut windows = NestedWindows::default();
            let places = places(bytes).into_iter().filter(|(trigger, _)| *trigger == wanted);
            let read = places.map(|(trigger, at)| windows.next(bytes, trigger, at).0);
            let read: Vec<&[u8]> = read.collect();
            let all = read.iter().map(|window| window.len()).sum::<usize>();
            assert!(all < NESTED * WINDOW + text.len(), "{unit:?}");
            assert_eq!(read.last().copied(), Some("р\u{430}ypal.com".as_bytes()), "{unit:?}");
        }
    }

    #[test]
    fn windows_inside_plain_ones_are_as_any_other() {
        let end = ["", " ", "-", "xn--a", "%41", "\u{430}", "{x}", "\r\nwww.b", "=41", "~{", "@"];
        for count in [1, 3, 127, 128, 129, 300] {
            let text: String = end.iter().map(|end| "www.".repeat(count) + end).collect();
            let bytes = text.as_bytes();
            let mut windows = NestedWindows::default();
            for (trigger, at) in places(bytes).into_iter().filter(|(one, _)| *one == Trigger::Small)
            {
                let depth = windows.depth;
                let alone = NestedWindows::default().next(bytes, trigger, at);
                let found = windows.next(bytes, trigger, at);
                // Those inside windows that are read may be cut.
                if windows.depth == 0 && depth == 0 {
                    assert_eq!(found, alone, "{count} {at}");
                }
            }
        }
    }

    #[test]
    fn slashes_of_json_begin_a_host() {
        let windows = |text: &str| -> Vec<String> {
            let places = places(text.as_bytes()).into_iter();
            let windows = places.map(|(_, at)| window(text.as_bytes(), at));
            windows.map(|window| String::from_utf8_lossy(window).into_owned()).collect()
        };
        assert!(windows(r#""https:\/\/раypal.com\/x""#).contains(&"раypal.com".to_owned()));
    }

    #[test]
    fn charsets_of_seven_bits() {
        for written in [
            &b"\x1B$B'b'Q\x1B(Bypal.com"[..],
            b"~{'b'Q~}ypal.com",
            b"+BEAEMA-ypal.com",
            b"\x1B$A'b\x1B$B'Q\x1B(Bypal.com",
        ] {
            assert!(needs_reading(written));
            let texts: Vec<String> = shifted(written).into_iter().map(|(_, text)| text).collect();
            assert_eq!(texts, ["раypal.com"], "{written:?}");
        }
        assert!(shifted(b"xn--ypal-43d9g.com").is_empty());
    }
}
