//! Percent-escapes (RFC 3986 §2.1), read leniently: a `%` without two hexadecimal digits is a
//! literal.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

/// Bytes after one round of decoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The raw bytes, which may not be UTF-8.
    pub bytes: Vec<u8>,
    /// Whether an ASCII letter, digit, dot or hyphen was escaped, which is never needed.
    pub escaped_ascii: bool,
}

/// Decodes every escape once.
pub fn decode(text: &str) -> Decoded {
    let mut out = Decoded { bytes: Vec::with_capacity(text.len()), escaped_ascii: false };
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let escaped = escape_at(rest);
        if let Some(value) = escaped {
            out.escaped_ascii |= value.is_ascii_alphanumeric() || matches!(value, b'.' | b'-');
        }
        out.bytes.push(escaped.unwrap_or(byte));
        rest = if escaped.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    out
}

/// The text after one round of decoding; what is not UTF-8 becomes U+FFFD.
pub fn decode_text(text: &str) -> String {
    String::from_utf8_lossy(&decode(text).bytes).into_owned()
}

/// The byte of the escape at the start of these bytes.
pub fn escape_at(bytes: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = bytes else { return None };
    byte_of(*high, *low)
}

/// The byte of two hexadecimal digits, in upper or lower case.
pub fn byte_of(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|value| u8::try_from(value).ok());
    Some(digit(high)? << 4 | digit(low)?)
}

/// Where the letters begin that seem to begin at `at`: behind the digits there, if they are those of an escaped sign
/// (`%2Fexample.com`, `%252Fexample.com`) whose percent sign stands before.
pub fn behind_sign(text: &str, mut at: usize) -> usize {
    if !text.get(..at).is_some_and(|before| before.ends_with('%')) {
        return at;
    }
    while let Some([high, low, ..]) = text.as_bytes().get(at..)
        && let Some(sign) = byte_of(*high, *low)
        && sign.is_ascii()
        && !sign.is_ascii_alphanumeric()
        && !matches!(sign, b'-' | b'_')
    {
        at += 2;
        if sign != b'%' {
            break;
        }
    }
    at
}

/// Writes the escape of a byte.
pub(super) fn push(out: &mut String, byte: u8) {
    // Writing to a String cannot fail.
    let _ = write!(out, "%{byte:02X}");
}

/// Everything beyond ASCII, and what RFC 3986 has no place for, escaped; escapes stay.
pub fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte) {
            out.push(char::from(byte));
        } else {
            push(&mut out, byte);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_begin_behind_an_escaped_sign() {
        for (before, behind) in [
            ("%", "2Fexample.com"),
            ("u=http%3A%", "2fexample.com"),
            ("%", "252Fexample.com"),
            ("%", "25252Fexample.com"),
            ("%", "3Dexample.com"),
            ("%", "2Eexample.com"),
        ] {
            let text = [before, behind].concat();
            let at = behind_sign(&text, before.len());
            assert_eq!(text.get(at..), Some("example.com"), "{text}");
        }
        // Letters, digits, bytes of UTF-8 and what is no escape.
        for text in ["%70aypal.com", "%31a.com", "%D0%B0.com", "%2Da.com", "%2", "%", "%zz.com"] {
            assert_eq!(behind_sign(text, 1), 1, "{text}");
        }
        assert_eq!(behind_sign("2Fexample.com", 0), 0);
        assert_eq!(behind_sign("a2Fexample.com", 1), 1);
    }
}
