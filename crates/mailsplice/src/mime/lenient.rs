//! Other ways in which programs read the value of a label.
//!
//! They exist only if the value has something that programs read differently: a comment (RFC 822 §3.1.4), a
//! control character (in C the end of the string), an encoded word (RFC 2047 §5 forbids it here), a comma,
//! quotes around the type, a backslash.

use mail_parser::{HeaderName, MessageParser};

use super::header::{self, BodyField};

/// A value as a program reads it.
type LenientReading = fn(&[u8]) -> Vec<u8>;

/// The other readings of a value; the first one removes all oddities.
pub(super) fn values(value: &[u8]) -> Vec<Vec<u8>> {
    let odd = |byte: &u8| is_control(byte) || matches!(byte, b'?' | b'(' | b',' | b'\\');
    if !value.iter().any(odd) && !quoted_type(value) {
        return Vec::new();
    }
    let mut found: Vec<Vec<u8>> = Vec::new();
    let mut all = value.to_vec();
    let odd: [(bool, LenientReading); 5] = [
        (memchr::memmem::find(value, b"=?").is_some(), decode_words),
        (memchr::memchr(b'(', value).is_some(), without_comments),
        (value.iter().any(is_control), without_controls),
        (memchr::memchr(b',', value).is_some(), commas),
        (quoted_type(value), without_quotes),
    ];
    for (_, reading) in odd.iter().filter(|(found, _)| *found) {
        found.push(reading(value));
        all = reading(&all);
    }
    if let Some(end) = value.iter().position(is_control) {
        found.push(value.get(..end).unwrap_or_default().to_vec());
    }
    if memchr::memchr(b'\\', value).is_some() {
        found.push(backslashes(value));
    }
    if found.len() > 1 {
        found.insert(0, all);
    }
    found.retain(|reading| reading != value);
    found
}

/// Byte order mark, which UTF-8 decoders skip at the start of a line.
const BOM: &[u8] = "\u{FEFF}".as_bytes();

fn without_boms(bytes: &[u8]) -> Vec<u8> {
    let mut rest = Vec::with_capacity(bytes.len());
    let mut at = 0;
    for bom in memchr::memmem::find_iter(bytes, BOM) {
        rest.extend_from_slice(bytes.get(at..bom).unwrap_or_default());
        at = bom + BOM.len();
    }
    rest.extend_from_slice(bytes.get(at..).unwrap_or_default());
    rest
}

/// The labels of a block as read by programs that see other line ends or fields in it: if it has a lone CR
/// (RFC 5322 §2.2 forbids it), NUL, vertical tab, form feed or a byte order mark. Else none.
pub(super) fn labels(block: &[u8]) -> Vec<(BodyField, Vec<u8>)> {
    let bare = |at: usize| at + 1 < block.len() && block.get(at + 1) != Some(&b'\n');
    let has_bom = memchr::memmem::find(block, BOM).is_some();
    if memchr::memchr3(0, 0x0B, 0x0C, block).is_none()
        && !memchr::memchr_iter(b'\r', block).any(bare)
        && !has_bom
    {
        return Vec::new();
    }
    let mut plain = Vec::with_capacity(block.len());
    let mut bytes = block.iter().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\r' if bytes.peek() != Some(&&b'\n') && bytes.peek().is_some() => {
                plain.push(b'\n');
            }
            0 => {}
            0x0B | 0x0C => plain.push(b' '),
            byte => plain.push(*byte),
        }
    }
    if has_bom {
        plain = without_boms(&plain);
    }
    header::labels(&plain).map(|(name, value)| (name, header::unfold(value).into_owned())).collect()
}

fn is_control(byte: &u8) -> bool {
    (*byte < b' ' && *byte != b'\t') || *byte == 0x7F
}

fn without_controls(value: &[u8]) -> Vec<u8> {
    value.iter().filter(|byte| !is_control(byte)).copied().collect()
}

fn commas(value: &[u8]) -> Vec<u8> {
    value.iter().map(|byte| if *byte == b',' { b';' } else { *byte }).collect()
}

/// Whether there are quotes before the parameters.
fn quoted_type(value: &[u8]) -> bool {
    let end = memchr::memchr(b';', value).unwrap_or(value.len());
    value.get(..end).is_some_and(|kind| memchr::memchr2(b'"', b'\'', kind).is_some())
}

fn without_quotes(value: &[u8]) -> Vec<u8> {
    value.iter().filter(|byte| !matches!(byte, b'"' | b'\'')).copied().collect()
}

/// Doubles backslashes, so that they are read literally.
fn backslashes(value: &[u8]) -> Vec<u8> {
    let doubled = value.iter().flat_map(|byte| match byte {
        b'\\' => &b"\\\\"[..],
        byte => std::slice::from_ref(byte),
    });
    doubled.copied().collect()
}

/// Removes comments. They nest, and do not occur in a quoted string (RFC 822 §3.1.4).
fn without_comments(value: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.len());
    let mut depth = 0_usize;
    let mut quoted = false;
    let mut bytes = value.iter();
    while let Some(byte) = bytes.next() {
        let inside = depth > 0;
        match byte {
            b'\\' if quoted || inside => {
                let escaped = bytes.next();
                if !inside {
                    out.push(*byte);
                    out.extend(escaped);
                }
                continue;
            }
            b'"' if !inside => quoted = !quoted,
            b'(' if !quoted => depth += 1,
            b')' if inside => {
                depth -= 1;
                continue;
            }
            _ => {}
        }
        if depth == 0 {
            out.push(*byte);
        }
    }
    out
}

/// Decodes encoded words (RFC 2047).
pub(super) fn decode_words(value: &[u8]) -> Vec<u8> {
    let mut field = b"Subject: ".to_vec();
    field.extend(value.iter().filter(|byte| !matches!(byte, b'\r' | b'\n')));
    field.extend_from_slice(b"\r\n\r\n");
    let parser = MessageParser::new().header_text(HeaderName::Subject).default_header_ignore();
    let message = parser.parse_headers(field.as_slice());
    let text = message.as_ref().and_then(|message| message.subject());
    text.map_or_else(|| value.to_vec(), |text| text.as_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(value: &str, wanted: &str) {
        let found = values(value.as_bytes());
        assert!(found.iter().any(|found| found == wanted.as_bytes()), "{value:?}: {found:?}");
    }

    #[test]
    fn oddities_are_read_in_every_way() {
        reads("(x) base64", " base64");
        reads("text/html(a \"(b)\" \\) c); x=\"(y)\"", "text/html; x=\"(y)\"");
        reads("\0base64", "base64");
        reads("base64\0x", "base64");
        reads("text/html, charset=utf-8", "text/html; charset=utf-8");
        reads("=?us-ascii?q?text/html?=", "text/html");
        reads("\"text/html\"; x=y", "text/html; x=y");
        reads("(a)\0text/html, x", "text/html; x");
        reads("x; boundary=\"a\\bc\"", "x; boundary=\"a\\\\bc\"");
        assert!(values(b"text/html; charset=\"utf-8\"; name=\"a.html\"").is_empty());
    }

    #[test]
    fn line_ends_that_not_everybody_sees() {
        let found = labels(b"Content-Type: text/html; x=y\rContent-Transfer-Encoding: base64\r\n");
        assert_eq!(found.last(), Some(&(BodyField::Transfer, b" base64".to_vec())));
        assert!(labels(b"Content-Type: text/html\r\n x=y\r\n").is_empty());
    }
}
