//! Finds where a host may begin, in one pass over the bytes.

use std::ops::ControlFlow;

use maillinks::script;
use mailsplice::byte_search::each;
use uts58::scheme;

/// What is before a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trigger {
    /// `:`, `@` or a backslash.
    Sign,
    Slashes,
    /// `www.`
    Small,
    /// `WWW.`
    Capital,
    /// A slash, `@` or `:` in quoted-printable.
    Escaped,
}

/// The number of triggers.
pub const TRIGGERS: usize = 5;

/// Visits the places where a host may begin, with the trigger before each, until `visit` breaks.
pub fn triggers(
    bytes: &[u8],
    mut visit: impl FnMut(Trigger, usize) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let begins = |byte: u8, next: u8| {
        matches!(byte, b':' | b'@' | b'\\')
            | ((next == byte) & ((byte == b'/') | (byte | 0x20 == b'w')))
            // Before a digit below eight: one comparison less than for those that matter.
            | ((byte == b'=') & (next & 0xF8 == b'0'))
    };
    // Slashes go in pairs.
    let mut behind_pair = 0;
    each(bytes, begins, |at| {
        let found = match bytes.get(at..).unwrap_or_default() {
            [b':' | b'@' | b'\\', ..] => sign(bytes, at).map(|host| (Trigger::Sign, host)),
            [b'=', high, low, ..] if is_escaped_sign(&[*high, *low]) => {
                Some((Trigger::Escaped, at + 3))
            }
            [b'/', b'/', rest @ ..] if at >= behind_pair => {
                behind_pair = at + 2;
                // A row of slashes continues after two of them.
                let last = matches!(rest, [b'/', next, ..] if *next != b'/');
                Some((Trigger::Slashes, behind_pair + usize::from(last)))
            }
            [b'w', b'w', b'w', b'.', ..] => Some((Trigger::Small, at + 4)),
            [b'W', b'W', b'W', b'.', ..] => Some((Trigger::Capital, at + 4)),
            _ => None,
        };
        match found {
            Some((trigger, host)) => visit(trigger, host),
            None => ControlFlow::Continue(()),
        }
    })
}

/// Where a host begins after the sign at this offset. Of a row of signs only the last one counts.
fn sign(bytes: &[u8], at: usize) -> Option<usize> {
    // In JSON a slash may be escaped: `https:\/\/`.
    let slash = matches!(bytes.get(at..), Some([b'\\', b'/', ..]));
    let host = at + 1 + usize::from(slash);
    let again = match bytes.get(host) {
        Some(b':' | b'@') => true,
        // `u@\u043f.com`: the host begins with an escaped letter.
        Some(b'\\') => !is_letter_escaped(bytes, host + 1),
        _ => false,
    };
    (!again && !is_letter_escaped(bytes, host)).then_some(host)
}

/// Whether a web scheme with its slashes is before an offset.
pub fn is_after_scheme(bytes: &[u8], at: usize) -> bool {
    let before = bytes.get(..at).unwrap_or_default();
    // Browsers skip any number of slashes and take `\\` for one. More than two are rare, and no reader trusts more
    // than eight.
    let slash = |byte: &&u8| matches!(**byte, b'/' | b'\\');
    let slashes = before.iter().rev().take(8).take_while(slash).count();
    let row = before.get(..before.len() - slashes).filter(|_| slashes > 1);
    let scheme = row.and_then(|before| before.strip_suffix(b":"));
    scheme.is_some_and(|scheme| {
        // More letters than any web scheme has.
        let before = scheme.iter().rev().take(8);
        let letters = before.take_while(|byte| byte.is_ascii_alphabetic()).count();
        let name = scheme.get(scheme.len() - letters..).unwrap_or_default();
        let known = str::from_utf8(name).ok().and_then(scheme::linked_at_end);
        known.is_some_and(|scheme| scheme::is_web(scheme.name))
    })
}

/// Whether the backslash before this offset is that of `\u0440` inside a text, which is a letter and no sign. Behind
/// another backslash it is a sign.
fn is_letter_escaped(bytes: &[u8], at: usize) -> bool {
    // The cheap test that most fail: `\n`, `\"`.
    if bytes.get(at) != Some(&b'u') {
        return false;
    }
    let before = |count: usize| at.checked_sub(count).and_then(|before| bytes.get(before));
    before(1) == Some(&b'\\')
        && before(2) != Some(&b'\\')
        && bytes
            .get(at..at + 5)
            .and_then(|five| str::from_utf8(five).ok())
            .is_some_and(|five| five.strip_prefix('u').and_then(script::unit).is_some())
}

/// Whether these are the hexadecimal digits of `/`, `@` or `:`.
pub fn is_escaped_sign(digits: &[u8]) -> bool {
    matches!(digits, [b'2', b'F' | b'f'] | [b'4', b'0'] | [b'3', b'A' | b'a'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: &str) -> Vec<(Trigger, usize)> {
        let mut places = Vec::new();
        let _ = triggers(text.as_bytes(), |trigger, at| {
            places.push((trigger, at));
            ControlFlow::Continue(())
        });
        places
    }

    #[test]
    fn what_begins_a_host() {
        use Trigger::{Capital, Escaped, Sign, Slashes, Small};
        assert_eq!(places("a@b"), [(Sign, 2)]);
        assert_eq!(places("a::@b"), [(Sign, 4)], "of a row the last");
        assert_eq!(places("x://www.a"), [(Sign, 2), (Slashes, 4), (Small, 8)]);
        assert_eq!(places("////a"), [(Slashes, 2), (Slashes, 4)]);
        assert_eq!(places("///a"), [(Slashes, 3)]);
        assert_eq!(places("wwww.WWW.a"), [(Small, 5), (Capital, 9)]);
        assert_eq!(places("=2F=3a=40=3D=2"), [(Escaped, 3), (Escaped, 6), (Escaped, 9)]);
        assert_eq!(places(r":\/a:\/\/b"), [(Sign, 3), (Sign, 9)]);
    }

    #[test]
    fn letters_of_script_begin_no_host() {
        let starts = |text: &str| places(text).len();
        assert_eq!(starts(r#""\u043f\u0440\u0438""#), 0);
        assert_eq!(starts(r"http:\\u043f.com \u.com \upper.com"), 3);
        // The letter belongs to the host behind the sign.
        for text in [r"http://\u043f\u0440.com", r"u@\u043f\u0440.com", r"x:\u043f.com"] {
            let sign = text.find(r"\u").unwrap();
            assert_eq!(places(text).last().unwrap().1, sign, "{text}");
        }
    }
}
