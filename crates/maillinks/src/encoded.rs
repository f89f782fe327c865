//! Values of properties in an encoding of their own (vCard 2.1 §2.1.3, vCalendar 1.0 §2.1.4.2; RFC 2426 `ENCODING=b`).

use super::mapped::{Builder, MappedText};
use super::{Edits, Language};
use mailsplice::mime::Charset;
use mailsplice::span::Text;
use uts58::{base64, percent};

/// Whether a content line is in quoted-printable.
pub fn is_quoted(line: &str) -> bool {
    has_encoding(head(line), "quoted-printable")
}

/// Whether the value of a content line is encoded.
pub fn is_encoded(line: &str) -> bool {
    let head = head(line);
    has_encoding(head, "quoted-printable") || is_base64(head)
}

/// Name and parameters of a content line.
fn head(line: &str) -> &str {
    line.get(..value_colon(line).unwrap_or(line.len())).unwrap_or_default()
}

/// The colon before the value: the first outside a quoted parameter.
pub fn value_colon(line: &str) -> Option<usize> {
    let mut quoted = false;
    for (at, c) in line.bytes().enumerate() {
        match c {
            b'"' => quoted = !quoted,
            b':' if !quoted => return Some(at),
            _ => {}
        }
    }
    // With an unclosed quote, the first colon of all.
    line.find(':')
}

fn is_base64(head: &str) -> bool {
    has_encoding(head, "base64") || head.split(';').skip(1).any(is_b)
}

/// The decoded value, a URL or text, mapped to the encoded one. `None` if nothing is encoded.
pub fn value(head: &str, value: &str, language: Language) -> Option<(MappedText<'static>, Edits)> {
    if has_encoding(head, "quoted-printable") {
        return Some((unescaped(value, b'=', charset(head)), Edits::Possible));
    }
    is_base64(head).then(|| (unwrapped(value, language, charset(head)), Edits::Impossible))
}

/// The charset of a value (vCard 2.1 §2.1.5); UTF-8 by default.
fn charset(head: &str) -> Charset {
    let mut parameters = head.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
    let charset = parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
    charset.and_then(|(_, label)| Charset::from_label(label)).unwrap_or(Charset::Utf8)
}

/// Whether a parameter names this encoding, with or without `ENCODING=` (vCard 2.1 leaves it out).
fn has_encoding(head: &str, encoding: &str) -> bool {
    head.split(';').skip(1).any(|parameter| {
        // Nearly no parameter does.
        let end = parameter.trim_end().trim_end_matches('"');
        let end = end.len().checked_sub(encoding.len()).and_then(|at| end.get(at..));
        if !end.is_some_and(|end| end.eq_ignore_ascii_case(encoding)) {
            return false;
        }
        let value = parameter.rsplit('=').next().unwrap_or_default();
        value.trim().trim_matches('"').eq_ignore_ascii_case(encoding)
    })
}

fn is_b(parameter: &str) -> bool {
    parameter.trim().eq_ignore_ascii_case("encoding=b")
}

/// Decodes percent-escapes of UTF-8 (`%D1%80`).
pub fn percent_decoded(value: &str) -> MappedText<'static> {
    unescaped(value, b'%', Charset::Utf8)
}

/// Decodes quoted-printable (`=D1=80`) without soft line breaks, or escapes with another sign.
fn unescaped(value: &str, sign: u8, charset: Charset) -> MappedText<'static> {
    let mut seen = Builder::with_capacity(value.len());
    let mut at = 0;
    while let Some(rest) = value.get(at..).filter(|rest| !rest.is_empty()) {
        let plain = rest.find(char::from(sign)).unwrap_or(rest.len());
        seen.linear(rest.get(..plain).unwrap_or_default(), at);
        at += plain;
        let length =
            octets_into(&mut seen, value.get(at..).unwrap_or_default(), at, (sign, charset));
        at += length;
        if length == 0 && at < value.len() {
            seen.linear(value.get(at..at + 1).unwrap_or_default(), at);
            at += 1;
        }
    }
    seen.finish()
}

/// Adds what the escapes at the start decode to, which stand at this offset of the source, and returns their length.
pub fn octets_into(
    out: &mut Builder,
    text: &str,
    at: usize,
    (mark, charset): (u8, Charset),
) -> usize {
    let octets = octets(text, mark);
    let decoded = charset.decode((&octets).into());
    for (index, c) in decoded.as_str().char_indices() {
        let source = decoded.source(index..index + c.len_utf8());
        out.unit(c.encode_utf8(&mut [0; 4]), at + 3 * source.start..at + 3 * source.end);
    }
    3 * octets.len()
}

/// The octets of the escapes at the start, each a mark and two digits.
fn octets(text: &str, mark: u8) -> Vec<u8> {
    let escapes = text.as_bytes().chunks_exact(3).map_while(|escape| {
        let [first, high, low] = escape else { return None };
        percent::byte_of(*high, *low).filter(|_| *first == mark)
    });
    escapes.collect()
}

/// Decodes base64 as a whole: no character has bytes of its own. The blanks are left over from folds (vCard 2.1
/// indents its lines by several).
fn unwrapped(value: &str, language: Language, charset: Charset) -> MappedText<'static> {
    let mut seen = Builder::default();
    let digits: Vec<u8> = value.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let octets = base64::decode(&digits);
    let text = match language {
        Language::Url if charset == Charset::Utf8 && is_no_url(&octets) => Text::plain(""),
        _ => charset.decode((&octets).into()),
    };
    seen.unit(text.as_str(), 0..value.len());
    seen.finish()
}

/// Whether octets are binary data before anything like a URL, as in most `PHOTO`s.
fn is_no_url(octets: &[u8]) -> bool {
    let first = octets.utf8_chunks().next();
    first.is_some_and(|first| !first.invalid().is_empty() && !first.valid().contains([':', '/']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_printable_maps_to_its_escapes() {
        let (seen, edits) =
            value("URL;ENCODING=QUOTED-PRINTABLE", "a=3D=D1=80=E=2Ex=FF", Language::Url).unwrap();
        assert_eq!((seen.as_str(), edits), ("a=р=E.x\u{FFFD}", Edits::Possible));
        assert_eq!(seen.source(2..4), 4..10);
        assert_eq!(seen.source(6..7), 12..15);
        assert!(value("URL;QUOTED-PRINTABLE", "x", Language::Url).is_some());
        assert!(value("URL;X=Y", "x", Language::Url).is_none());
    }

    #[test]
    fn parameters_end_where_the_value_begins() {
        for line in ["URL;X=\"a:b\";ENCODING=QUOTED-PRINTABLE:a=", "URL;QUOTED-PRINTABLE:a="] {
            assert!(is_quoted(line) && is_encoded(line), "{line}");
        }
        assert!(!is_quoted("URL:x;ENCODING=QUOTED-PRINTABLE"));
    }

    #[test]
    fn base64_is_one_piece() {
        for head in ["URL;ENCODING=BASE64", "URL;ENCODING=b", "URL;BASE64"] {
            let (seen, edits) = value(head, "aHR0cHM6Ly9hLmI=", Language::Url).unwrap();
            assert_eq!((seen.as_str(), edits), ("https://a.b", Edits::Impossible), "{head}");
        }
        let (seen, _) = value("URL;BASE64", "   aHR0cHM6    Ly9hLmI=", Language::Url).unwrap();
        assert_eq!((seen.as_str(), seen.source(0..1)), ("https://a.b", 0..23));
    }

    #[test]
    fn values_have_charsets_of_their_own() {
        for head in [
            "NOTE;CHARSET=KOI8-R;ENCODING=QUOTED-PRINTABLE",
            "NOTE;QUOTED-PRINTABLE;charset=\"koi8-r\"",
        ] {
            let (seen, _) = value(head, "https://=D2=C1ypal.com", Language::Text).unwrap();
            assert_eq!(seen.as_str(), "https://раypal.com", "{head}");
            assert_eq!(seen.source(8..10), 8..11);
        }
        let head = "NOTE;CHARSET=UTF-16LE;ENCODING=QUOTED-PRINTABLE";
        assert_eq!(value(head, "=40=04=2E=00", Language::Text).unwrap().0.as_str(), "р.");
        let (seen, _) = value("URL;ENCODING=b;CHARSET=koi8-r", "0sEuYg==", Language::Url).unwrap();
        assert_eq!(seen.as_str(), "ра.b");
    }

    #[test]
    fn a_picture_is_no_url() {
        let seen = |digits: &str, language| {
            value("PHOTO;ENCODING=b", digits, language).unwrap().0.as_str().to_owned()
        };
        // JPEG with a URL inside, PNG, GIF.
        for picture in ["/9j/4AAQSkZJRiBodHRwOi8veC5vcmc=", "iVBORw0KGgo=", "R0lGODlhgAA="] {
            assert_eq!(seen(picture, Language::Url), "", "{picture}");
        }
        for (digits, text) in [
            ("aHR0cHM6Ly94/0BhLmI=", "https://x\u{FFFD}@a.b"),
            ("Ly9hLmIv/w==", "//a.b/\u{FFFD}"),
            ("0LAuYg==", "а.b"),
        ] {
            assert_eq!(seen(digits, Language::Url), text, "{digits}");
        }
        assert_eq!(seen("/yBhLmI=", Language::Text), "\u{FFFD} a.b");
    }
}
