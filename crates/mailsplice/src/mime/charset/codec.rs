//! Codecs that libraries accept as charset names, although they are not charsets.
//!
//! Python 3.14 (`codecs`), Perl (Encode 3.21), PHP 8.4 (mbstring), iconv-lite 0.7, libiconv 1.18 and Mozilla
//! accept these names.

use super::super::transfer::Transfer;
use super::Charset;
use super::builder::Builder;
use crate::span::Text;

/// A codec, by how it is decoded here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mime) enum Codec {
    Charset(Charset),
    /// As a transfer encoding inside the declared one.
    Transfer(Transfer),
    /// As HTML, for character references in any text.
    References,
    /// Not decoded.
    Unread,
}

/// Names in lower case, without hyphens and underscores.
const CODECS: [(&str, Codec); 19] = [
    ("unicodeescape", Codec::Charset(Charset::Escapes)),
    ("rawunicodeescape", Codec::Charset(Charset::Escapes)),
    ("c99", Codec::Charset(Charset::Escapes)),
    ("mimeheader", Codec::Charset(Charset::Words)),
    ("mimeb", Codec::Charset(Charset::Words)),
    ("mimeq", Codec::Charset(Charset::Words)),
    ("mimeheaderiso2022jp", Codec::Charset(Charset::Words)),
    ("imaputf7", Codec::Charset(Charset::Mailbox)),
    ("utf7imap", Codec::Charset(Charset::Mailbox)),
    ("imap4modifiedutf7", Codec::Charset(Charset::Mailbox)),
    ("ximap4modifiedutf7", Codec::Charset(Charset::Mailbox)),
    ("base64", Codec::Transfer(Transfer::Base64)),
    ("quotedprintable", Codec::Transfer(Transfer::QuotedPrintable)),
    ("qprint", Codec::Transfer(Transfer::QuotedPrintable)),
    ("uuencode", Codec::Transfer(Transfer::Uuencode)),
    ("htmlentities", Codec::References),
    ("punycode", Codec::Unread),
    ("idna", Codec::Unread),
    ("hex", Codec::Unread),
];

impl Codec {
    /// The codec that a label names.
    pub fn from_label(label: &str) -> Option<Codec> {
        let letters = label.trim().bytes().filter(|byte| !matches!(byte, b'-' | b'_'));
        let key = letters.map(|byte| byte.to_ascii_lowercase());
        let is_key = |(name, _): &&(&str, Codec)| name.bytes().eq(key.clone());
        CODECS.iter().find(is_key).map(|(_, codec)| *codec)
    }
}

/// Decodes escapes of Python and C99, also used in Java and JavaScript: `\u0440`, `\U00000440`, `\x2e`, `\56`. Bytes
/// above ASCII are read as UTF-8, since nothing better is known.
pub(super) fn escapes(bytes: &[u8]) -> Text<'static> {
    let mut out = Builder::new(bytes.len());
    let mut at = 0;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let plain = memchr::memchr(b'\\', rest).unwrap_or(rest.len());
        out.utf8(rest.get(..plain).unwrap_or_default(), at);
        at += plain;
        let rest = rest.get(plain..).unwrap_or_default();
        if rest.is_empty() {
            break;
        }
        let (character, length) = escape(rest).unwrap_or(('\\', 1));
        out.character(character, at..at + length);
        at += length;
    }
    out.close(bytes.len())
}

/// The first escape: its character and its length.
fn escape(bytes: &[u8]) -> Option<(char, usize)> {
    let [b'\\', kind, after @ ..] = bytes else { return None };
    let number = |digits: &[u8], max_digits: usize, radix: u32| -> (u32, usize) {
        let values =
            digits.iter().take(max_digits).map_while(|digit| char::from(*digit).to_digit(radix));
        values.fold((0, 0), |(sum, count), value| (sum * radix + value, count + 1))
    };
    let exactly = |width: usize| {
        let (value, count) = number(after, width, 16);
        (count == width).then(|| char::from_u32(value)).flatten().map(|c| (c, 2 + width))
    };
    match kind {
        b'u' => exactly(4),
        // The largest value has eight digits, which fit in 32 bits.
        b'U' => exactly(8),
        b'x' => exactly(2),
        b'0'..=b'7' => {
            let (value, count) = number(bytes.get(1..)?, 3, 8);
            Some((char::from_u32(value)?, 1 + count))
        }
        b'n' => Some(('\n', 2)),
        b'r' => Some(('\r', 2)),
        b't' => Some(('\t', 2)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_lead_back_to_their_bytes() {
        let bytes = b"https:\\57\\57\\u0440\\U00000430ypal\\x2ecom\\q\\";
        let text = escapes(bytes);
        assert_eq!(text.as_str(), "https://раypal.com\\q\\");
        assert_eq!(text.source(8..10), 12..18);
        assert_eq!(escapes(b"\\uD800\\UFFFFFFFF\\x4").as_str(), "\\uD800\\UFFFFFFFF\\x4");
    }

    #[test]
    fn names_of_codecs() {
        assert_eq!(Codec::from_label("MIME-Header"), Some(Codec::Charset(Charset::Words)));
        assert_eq!(
            Codec::from_label("Quoted-Printable"),
            Some(Codec::Transfer(Transfer::QuotedPrintable))
        );
        assert_eq!(Codec::from_label("utf-8"), None);
    }
}
