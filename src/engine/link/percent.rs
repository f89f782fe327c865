//! Percent-escapes (RFC 3986 §2.1).

use std::fmt::Write as _;

/// The bytes of a text with its escapes decoded; a `%` without two digits stands for itself.
pub(super) fn decoded(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let (byte, behind) =
            escape_at(rest).map_or((byte, after), |byte| (byte, after.split_at(2).1));
        out.push(byte);
        rest = behind;
    }
    out
}

/// The byte of the escape that these bytes begin with.
pub(super) fn escape_at(bytes: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = bytes else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|value| u8::try_from(value).ok());
    Some(digit(*high)? << 4 | digit(*low)?)
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
