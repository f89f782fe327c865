//! Percent-decoding (RFC 3986 §2.1), leniently: a `%` without two digits stands for itself.

/// Bytes after one round of decoding.
pub(super) struct Decoded {
    pub bytes: Vec<u8>,
    /// Whether an escape stood for an ASCII letter, digit, dot or hyphen, which need none.
    pub escaped_ascii: bool,
}

/// Decodes every escape once.
pub(super) fn decode(text: &str) -> Decoded {
    let mut out = Decoded { bytes: Vec::with_capacity(text.len()), escaped_ascii: false };
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        match (byte, after) {
            (b'%', [high, low, tail @ ..]) if let Some(value) = hex_pair(*high, *low) => {
                out.escaped_ascii |= value.is_ascii_alphanumeric() || matches!(value, b'.' | b'-');
                out.bytes.push(value);
                rest = tail;
            }
            _ => {
                out.bytes.push(byte);
                rest = after;
            }
        }
    }
    out
}

/// The text after one round of decoding; what is not UTF-8 becomes U+FFFD.
pub(super) fn decode_text(text: &str) -> String {
    String::from_utf8_lossy(&decode(text).bytes).into_owned()
}

fn hex_pair(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|value| u8::try_from(value).ok());
    Some(digit(high)? << 4 | digit(low)?)
}
