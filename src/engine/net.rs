//! The net under everything: one pass over the raw body that believes no structure.
//!
//! What programs show of a message depends on labels that each of them reads otherwise. Here none is
//! read. Behind `:` `//` `\\` `@` and `www.` stand hosts; one that holds a letter outside ASCII or
//! `xn--`, ends in a TLD, judges unsafe, and was met by no reading, is hidden: somebody may see it.
//!
//! | seen | how |
//! | --- | --- |
//! | the bytes as they are; NUL, soft hyphens, soft breaks out; `=D1`, `%D1`, `&#1088;`, `\u0440` decoded once | [`plain`] |
//! | base64, with whatever line ends | [`BASE64`]: what `://` becomes, in every alignment; the bytes round it are unwrapped |
//! | UTF-16, UTF-32, EBCDIC in base64 | the same; [`wide`], [`ebcdic`] |
//!
//! Linear: every place that calls for a look is looked at through a window of fixed size.

use std::collections::BTreeSet;

use super::budget::Budget;
use super::cost::Stage;
use super::finding::{Candidate, Found};
use super::host::Glue;
use super::judging::{Judge, Standing};
use super::mime::{Message, Tree};
use super::outcome::{Bypass, Done, Edit, Finding, Place, Reason, Verdict};

/// Bytes of a host with its escapes that are looked at.
pub const WINDOW: usize = 512;

/// Looks at base64 of one message. Honest mail has a few hundred of links in a part of base64.
pub const LOOKS: usize = 20_000;

/// `://` in base64 at each of its alignments, then in UTF-16 of both orders, UTF-32 and EBCDIC: the
/// characters that depend on nothing beside it.
const BASE64: [&[u8]; 12] = [
    b"Oi8v", b"ovL", b"6Ly", // ASCII
    b"OgAvAC8", b"oALwAv", b"6AC8ALw", // UTF-16, and 32 below
    b"OgAAAC8", b"oAAAAvA", b"6AAAALw", // UTF-32
    b"emFh", b"phY", b"6YW", // EBCDIC
];

/// Casts the net. Reports hosts that no reading has met.
pub fn cast(
    message: Message<'_>,
    tree: &Tree,
    judge: &mut Judge<'_>,
    budget: &mut Budget<'_>,
    found: &mut Found,
) {
    let body = message.body;
    if budget.spend(Stage::Net, body.len() as u64) {
        let mut net = Net {
            judge,
            budget: &mut *budget,
            found: &mut *found,
            tree,
            met: None,
            told: BTreeSet::new(),
        };
        net.plain(body);
        net.base64(body);
    }
    if let Some(why) = budget.over() {
        found.bypass("1", why);
    }
}

struct Net<'n, 'p, 'b> {
    judge: &'n mut Judge<'p>,
    budget: &'n mut Budget<'b>,
    found: &'n mut Found,
    tree: &'n Tree,
    /// Hosts that readings have met, and those above them, when somebody asked.
    met: Option<BTreeSet<String>>,
    told: BTreeSet<String>,
}

/// Where a host may begin.
fn triggers(bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let behind = |needle: &'static [u8]| {
        memchr::memmem::find_iter(bytes, needle).map(move |at| at + needle.len())
    };
    // Of a row of signs the last one counts: what stands behind it is what stands behind them all.
    let again = |at: &usize| !matches!(bytes.get(*at), Some(b':' | b'@' | b'\\'));
    let signs = memchr::memchr3_iter(b':', b'@', b'\\', bytes).map(|at| at + 1).filter(again);
    let escaped = memchr::memchr_iter(b'=', bytes)
        .filter(|at| is_escaped_sign(bytes.get(at + 1..at + 3).unwrap_or_default()))
        .map(|at| at + 3);
    signs.chain(behind(b"//")).chain(behind(b"www.")).chain(behind(b"WWW.")).chain(escaped)
}

/// Whether these are the digits of `/`, `@` or `:`.
fn is_escaped_sign(digits: &[u8]) -> bool {
    matches!(digits, [b'2', b'F' | b'f'] | [b'4', b'0'] | [b'3', b'A' | b'a'])
}

/// The bytes behind a trigger, to the end of what can be a host.
fn window(bytes: &[u8], at: usize) -> &[u8] {
    let rest = bytes.get(at..).unwrap_or_default();
    let rest = rest.get(..WINDOW).unwrap_or(rest);
    let mut end = 0;
    while let Some(byte) = rest.get(end) {
        let goes_on = match byte {
            b'/' | b'?' | b'#' | b'"' | b'\'' | b'<' | b'>' | b' ' | b'\t' | b')' | b']' | b'|'
            | b'@' | b':' => false,
            // The sign behind it begins a window of its own, but for `\u0440`.
            b'\\' => rest.get(end + 1) == Some(&b'u'),
            b'=' => !is_escaped_sign(rest.get(end + 1..end + 3).unwrap_or_default()),
            // A soft break.
            b'\r' | b'\n' => {
                matches!(rest.get(..end), Some([.., b'=']) | Some([.., b'=', b'\r']))
            }
            _ => true,
        };
        if !goes_on {
            break;
        }
        end += 1;
    }
    rest.get(..end).unwrap_or_default()
}

/// Whether a window holds anything but a plain ASCII host.
fn calls_for_a_look(window: &[u8]) -> bool {
    let odd = |byte: &u8| matches!(byte, 0x80..|b'='| b'%' | b'&' | b'\\' | 0 | 0x1B);
    window.len() > 3
        && memchr::memchr(b'.', window).or(window.iter().position(odd)).is_some()
        && (window.iter().any(odd) || has_prefix(window))
}

/// `xn--` in either case.
fn has_prefix(window: &[u8]) -> bool {
    memchr::memmem::find_iter(window, b"--").any(|at| {
        let before = at.checked_sub(2).and_then(|start| window.get(start..at));
        before.is_some_and(|before| before.eq_ignore_ascii_case(b"xn"))
    })
}

/// A window as text, its escapes decoded once; NUL, soft hyphens and soft breaks are nothing.
fn plain(window: &[u8]) -> String {
    let mut bytes = Vec::with_capacity(window.len());
    let mut rest = window;
    while let Some(first) = rest.first() {
        let (byte, length) = match rest {
            [b'=', b'\r', b'\n', ..] => (None, 3),
            [b'=', b'\r' | b'\n', ..] => (None, 2),
            [b'=' | b'%', high, low, ..] => match (digit(*high), digit(*low)) {
                (Some(high), Some(low)) => (u8::try_from(high << 4 | low).ok(), 3),
                _ => (Some(*first), 1),
            },
            [0, ..] => (None, 1),
            _ => (Some(*first), 1),
        };
        bytes.extend(byte);
        rest = rest.get(length..).unwrap_or_default();
    }
    let text = String::from_utf8_lossy(&bytes);
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_ref();
    while let Some(character) = rest.chars().next() {
        let (decoded, length) = reference(rest).unwrap_or((character, character.len_utf8()));
        if decoded != '\u{AD}' {
            out.push(decoded);
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    out
}

fn digit(byte: u8) -> Option<u32> {
    char::from(byte).to_digit(16)
}

/// `&#1088;`, `&#x440;`, `\u0440` at the front: the character and its length.
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
    let hex = text.strip_prefix("\\u")?.get(..4)?;
    Some((char::from_u32(u32::from_str_radix(hex, 16).ok()?)?, 6))
}

impl Net<'_, '_, '_> {
    /// Looks at the bytes as they are.
    fn plain(&mut self, body: &[u8]) {
        for at in triggers(body) {
            let window = window(body, at);
            let looks = calls_for_a_look(window);
            if looks {
                self.look(&plain(window), at);
            }
            let steps = if looks { 4 * window.len() } else { window.len() / 4 };
            if !self.budget.spend(Stage::Net, steps as u64 + self.judge.spent()) {
                return;
            }
        }
    }

    /// Judges the host at the front of a text.
    fn look(&mut self, text: &str, at: usize) {
        let text = text.trim_start_matches(['/', '\\', '.']);
        let stop = |c: char| {
            c.is_whitespace() || c.is_control() || "/\\?#\"'<>()[]{}|,;:&=!*^`~$%+@".contains(c)
        };
        let host = text.split(stop).next().unwrap_or_default().trim_end_matches('.');
        let lower = host.to_ascii_lowercase();
        let foreign = host.chars().any(|c| !c.is_ascii() && c.is_alphabetic());
        if !(foreign || lower.contains("xn--")) || host.contains('\u{FFFD}') {
            return;
        }
        let Some((_, tld)) = lower.rsplit_once('.') else { return };
        // Before this one is judged.
        let judge = &self.judge;
        self.met.get_or_insert_with(|| judge.met().iter().flat_map(|host| parents(host)).collect());
        let judgement = self.judge.host(host, Glue::None);
        let there = judgement.question.is_none() && !judgement.reasons.contains(Reason::TldSyntax);
        if tld.is_empty() || !there || judgement.verdict != Verdict::Unsafe {
            return;
        }
        let ascii = judgement.ascii.clone();
        let met = self.met.as_ref().is_some_and(|met| met.contains(&ascii));
        if met || !self.told.insert(ascii.clone()) {
            return;
        }
        let mut reasons = judgement.reasons;
        reasons.insert(Reason::HiddenHost);
        let part = self
            .tree
            .parts
            .iter()
            .find(|part| part.raw_range().is_some_and(|range| range.contains(&at)));
        let finding = Finding {
            part: part.map_or_else(|| "1".to_owned(), |part| part.path.clone()),
            place: Place::Text,
            span: at..at,
            spelling: host.to_owned(),
            ascii,
            unicode: judgement.unicode.clone(),
            verdict: Verdict::Suspect,
            reasons,
            edit: Edit::Told,
            target: judgement.target.clone(),
            done: Done::Reported,
        };
        self.found.candidates.push(Candidate {
            finding,
            standing: Standing::Link,
            reading: (usize::MAX, 0),
            edits: Vec::new(),
        });
    }

    /// Looks where `://` stands in base64.
    fn base64(&mut self, body: &[u8]) {
        let packed = Packed::of(body);
        let mut looks = 0;
        for (index, needle) in BASE64.iter().enumerate() {
            for at in memchr::memmem::find_iter(&packed.bytes, needle) {
                looks += 1;
                if looks > LOOKS {
                    self.found.bypass("1", Bypass::Limit("net"));
                    return;
                }
                // A unit of four digits begins with the needle, two digits behind, or one.
                if !self.budget.spend(Stage::Net, 4 * WINDOW as u64 + self.judge.spent()) {
                    return;
                }
                let unit = at + [0, 2, 1].get(index % 3).copied().unwrap_or(0);
                let rest = packed.bytes.get(unit..).unwrap_or_default();
                let digits = rest.get(..WINDOW).unwrap_or(rest);
                let bytes = unwrapped(digits);
                let texts = match index / 3 {
                    0 => vec![bytes],
                    form @ (1 | 2) => {
                        let width = 2 * form;
                        vec![wide(&bytes, width, Order::Little), wide(&bytes, width, Order::Big)]
                    }
                    _ => vec![ebcdic(&bytes)],
                };
                for text in texts {
                    let sign = |byte: &&u8| matches!(**byte, b'/' | b':');
                    let behind = window(&text, text.iter().take_while(sign).count());
                    if calls_for_a_look(behind) {
                        self.look(&plain(behind), packed.source(at));
                    }
                }
            }
        }
    }
}

/// The body without line ends.
struct Packed {
    bytes: Vec<u8>,
    /// Where lines begin: in `bytes`, in the body.
    lines: Vec<(usize, usize)>,
}

impl Packed {
    /// Lines of base64 alone: what holds blanks or markup is none.
    fn of(body: &[u8]) -> Packed {
        let mut packed = Packed { bytes: Vec::new(), lines: Vec::new() };
        let mut at = 0;
        let ends = memchr::memchr2_iter(b'\n', b'\r', body).chain([body.len()]);
        for end in ends {
            let content = body.get(at..end).unwrap_or_default().trim_ascii_end();
            let digits = content.first().is_some_and(|byte| is_digit(*byte))
                && content.last().is_some_and(|byte| is_digit(*byte) || *byte == b'=')
                && memchr::memchr3(b' ', b'<', b'.', content).is_none();
            if digits {
                packed.lines.push((packed.bytes.len(), at));
                packed.bytes.extend_from_slice(content);
            }
            at = end + 1;
        }
        packed
    }

    fn source(&self, at: usize) -> usize {
        let line = self.lines.partition_point(|(start, _)| *start <= at);
        let line = line.checked_sub(1).and_then(|line| self.lines.get(line));
        line.map_or(0, |(start, source)| source + (at - start))
    }
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

/// What base64 digits unwrap to, to the first byte that is none.
fn unwrapped(digits: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(digits.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0_u32);
    for byte in digits {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => break,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push(u8::try_from(bits >> count & 0xFF).unwrap_or_default());
            bits &= (1 << count) - 1;
        }
    }
    out
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Little,
    Big,
}

/// UTF-16 or UTF-32 as UTF-8, from the first byte that is not NUL, which begins an ASCII character in the one
/// order and ends it in the other.
fn wide(bytes: &[u8], width: usize, order: Order) -> Vec<u8> {
    let start = bytes.iter().position(|byte| *byte != 0).unwrap_or(0);
    let mut aligned = vec![0; if order == Order::Big { width - 1 } else { 0 }];
    aligned.extend_from_slice(bytes.get(start..).unwrap_or_default());
    let units = aligned.chunks_exact(width).map_while(|unit| {
        let value = |sum: u32, byte: &u8| sum << 8 | u32::from(*byte);
        char::from_u32(match order {
            Order::Little => unit.iter().rev().fold(0, value),
            Order::Big => unit.iter().fold(0, value),
        })
    });
    units.collect::<String>().into_bytes()
}

/// EBCDIC as ASCII, as far as hosts go (code page 037; others agree in these).
fn ebcdic(bytes: &[u8]) -> Vec<u8> {
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

/// A host, and what it stands below: of `www.example.com` the net may see `example.com` alone.
fn parents(host: &str) -> impl Iterator<Item = String> + '_ {
    let dots = host.match_indices('.').map(|(at, _)| at + 1);
    std::iter::once(0).chain(dots).filter_map(|at| host.get(at..)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_end_where_hosts_do() {
        let end = |text: &str| String::from_utf8_lossy(window(text.as_bytes(), 0)).into_owned();
        assert_eq!(end("xn--a.com/x"), "xn--a.com");
        assert_eq!(end("xn--=\r\na.com\r\nb"), "xn--=\r\na.com");
        assert_eq!(end(&"a".repeat(2 * WINDOW)).len(), WINDOW);
    }

    #[test]
    fn escapes_are_decoded_once() {
        for written in [
            "раypal.com",
            "=D1=80=D0=B0ypal.com",
            "%D1%80%d0%b0ypal.com",
            "&#1088;&#x430;ypal.com",
            "\\u0440\\u0430ypal.com",
            "р\0а\u{AD}ypal.com",
            "р=\r\nаypal=\n.com",
        ] {
            assert!(calls_for_a_look(written.as_bytes()), "{written}");
            assert_eq!(plain(written.as_bytes()), "раypal.com", "{written}");
        }
        assert!(!calls_for_a_look(b"www.example.com"));
        assert!(calls_for_a_look(b"XN--ypal-43d9g.com"));
    }

    #[test]
    fn what_base64_makes_of_a_scheme() {
        const DIGITS: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let encode = |bytes: &[u8]| -> Vec<u8> {
            let bits: Vec<u8> =
                bytes.iter().flat_map(|b| (0..8).rev().map(move |n| b >> n & 1)).collect();
            let digit = |six: &[u8]| six.iter().fold(0, |sum, bit| sum << 1 | bit);
            bits.chunks(6).map(|six| DIGITS[usize::from(digit(six)) << (6 - six.len())]).collect()
        };
        let forms: [(usize, Vec<u8>); 4] = [
            (0, b"://".to_vec()),
            (1, b":\0/\0/\0".to_vec()),
            (2, b":\0\0\0/\0\0\0".to_vec()),
            (3, b"\x7A\x61\x61".to_vec()),
        ];
        for (form, bytes) in forms {
            for alignment in 0..3 {
                let encoded = encode(&[&b"xyz"[..alignment], &bytes, b"xyz"].concat());
                let needle = BASE64[3 * form + alignment];
                let at = memchr::memmem::find(&encoded, needle);
                assert!(at.is_some(), "{form} {alignment} {}", String::from_utf8_lossy(&encoded));
            }
        }
    }

    #[test]
    fn wide_characters_are_told_by_their_nuls() {
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
