//! The host at the start of a window.

use super::window::{Letter, is_coded, matters};
use uts58::percent;
use uts58::unicode::a_label::{has_a_label, is_a_label};
use uts58::unicode::is_dot_to_somebody;

/// Whether a character ends a host.
#[inline]
pub fn ends_host(c: char) -> bool {
    match c {
        // What most are.
        _ if c.is_ascii_alphanumeric() => false,
        '/' | '\\' | '?' | '#' | '"' | '\'' | '<' | '>' | '(' | ')' | '[' | ']' | '{' | '}' => true,
        '|' | ',' | ';' | ':' | '&' | '=' | '!' | '*' | '^' | '`' | '~' | '$' | '%' | '+' | '@' => {
            true
        }
        _ => c.is_whitespace() || c.is_control(),
    }
}

/// Bytes of `www.`.
pub const WWW: usize = 4;

/// Whether `www.` is before an offset.
pub fn is_behind_www(bytes: &[u8], at: usize) -> bool {
    let before = bytes.get(at.saturating_sub(WWW)..at).unwrap_or_default();
    before.eq_ignore_ascii_case(b"www.")
}

/// The letters of the host at the start, after slashes.
pub fn host_of(letters: &[Letter]) -> &[Letter] {
    let start = letters.iter().take_while(|letter| matches!(letter.c, '/' | '\\' | '.')).count();
    let rest = letters.get(start..).unwrap_or_default();
    let end = rest.iter().position(|letter| ends_host(letter.c)).unwrap_or(rest.len());
    let host = rest.get(..end).unwrap_or_default();
    let dots = host.iter().rev().take_while(|letter| is_dot_to_somebody(letter.c)).count();
    host.get(..end - dots).unwrap_or_default()
}

/// Bytes of the host at the start of a window, with the escapes in it.
pub fn host_length(window: &[u8]) -> usize {
    let ends = |byte: &u8| ends_host(char::from(*byte)) && !is_coded(*byte);
    window.iter().position(ends).unwrap_or(window.len())
}

/// Whether a host can be deceptive: it has other letters than ASCII, or an A-label.
pub fn can_deceive(host: &str) -> bool {
    !host.is_ascii() || host.split('.').any(is_a_label)
}

/// Whether the host at the start of a window, up to a sign that ends it, is in plain ASCII letters: whatever follows,
/// nothing in it is hidden. The sign may be escaped, as in URLs inside others: decoded or not, it ends the host.
pub fn starts_plain(window: &[u8]) -> bool {
    let start = window.iter().take_while(|byte| matches!(byte, b'/' | b'.')).count();
    let rest = window.get(start..).unwrap_or_default();
    let end = rest.iter().position(|byte| is_coded(*byte) || ends_host(char::from(*byte)));
    let ends = |end: &usize| match rest.get(*end..) {
        Some([b'%' | b'=', high, low, ..]) => is_escaped_end(*high, *low),
        Some([byte, ..]) => !is_coded(*byte),
        _ => false,
    };
    let host = end.filter(ends);
    host.and_then(|end| rest.get(..end)).is_some_and(|host| !has_a_label(host))
}

/// Whether these are the digits of a visible sign of ASCII that ends a host.
fn is_escaped_end(high: u8, low: u8) -> bool {
    let decoded = percent::byte_of(high, low).map(char::from);
    decoded.is_some_and(|c| c.is_ascii_graphic() && ends_host(c))
}

/// Whether all decoded forms of a window are ASCII without A-labels: most windows of quoted-printable hold line breaks
/// and escaped signs, and nothing else.
pub fn stays_plain(window: &[u8]) -> bool {
    let mut hyphens = 0;
    let mut is_plain = |at: usize, byte: u8| match byte {
        0x80.. | b'&' | b'\\' | b'~' | b'+' | 0x0E | 0x1B => false,
        b'=' | b'%' => window.get(at + 1..at + 3).is_none_or(is_plain_after_sign),
        // An A-label has two.
        b'-' => {
            hyphens += 1;
            hyphens < 2
        }
        _ => true,
    };
    let mut signs = window.iter().enumerate().filter(|(_, byte)| matters(**byte));
    signs.all(|(at, byte)| is_plain(at, *byte))
}

/// Whether two bytes after the sign of an escape are no digits, or those of a sign that neither begins a reference nor
/// is a hyphen.
fn is_plain_after_sign(digits: &[u8]) -> bool {
    let [high, low] = digits else { return true };
    if !high.is_ascii_hexdigit() || !low.is_ascii_hexdigit() {
        return true;
    }
    matches!(high, b'0'..=b'7')
        && !matches!([*high, low | 0x20], [b'2', b'd' | b'6'] | [b'5', b'c'])
}

#[cfg(test)]
mod tests {
    use super::super::window::{letters, shifted, text};
    use super::*;

    #[test]
    fn a_plain_host_is_not_deceptive_whatever_follows() {
        for plain in [
            "a.com,=D1=80", "//a.com;&#1088;", "red;x=y", "a.com!раypal.com", ".a(~{", "a$+BEA-",
            "a.com%2Fx%26%D1%80", "a.com=2F=D1=80", "a.com%3Ax", "a.com%253F+BEA-",
        ] {
            assert!(starts_plain(plain.as_bytes()), "{plain}");
            assert!(!can_deceive(&front(plain)), "{plain}");
        }
        for other in [
            "a.com", "a=2Ecom,", "раypal.com,", "xn--a.com,x=", "a%41,", "a&#46;com,", "a+BEA-,",
            "a%00.com,", "a=0D", "a%2", "a%D1%80.com%2F", "xn--a.com%2F", "a=", "a=\r\n",
        ] {
            assert!(!starts_plain(other.as_bytes()), "{other}");
        }
    }

    fn front(window: &str) -> String {
        text(host_of(&letters(window.as_bytes())))
    }

    /// Of all windows combined from pieces that matter, those that stay plain hold no deceptive host.
    #[test]
    fn a_window_that_stays_plain_is_not_deceptive() {
        const PIECES: [&str; 26] = [
            "a.", "xn", "--", "-", "=2D", "=2d", "%2D", "=78", "=\r\n", "=3D", "=D1", "%80", "=26",
            "=5C", "=5c", "&#1088;", "#1088;", "u0440", "\\u0440", "+BEA-", "~{", "=", "%", "р",
            "\0", "c",
        ];
        let mut plain = 0;
        for number in 0..PIECES.len().pow(4) {
            let pieces = (0..4).map(|at| PIECES[number / PIECES.len().pow(at) % PIECES.len()]);
            let window = pieces.collect::<String>();
            if stays_plain(window.as_bytes()) {
                plain += 1;
                assert!(!can_deceive(&text(&letters(window.as_bytes()))), "{window}");
                assert!(shifted(window.as_bytes()).is_empty(), "{window}");
            }
        }
        assert!(plain > 1_000);
    }
}
