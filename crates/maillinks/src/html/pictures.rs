//! Pictures inside a page: `data:` URLs (RFC 2397), in attributes and in style sheets.

use std::ops::Range;

use super::entity;
use super::token::{Attribute, attribute_named};
use memchr::memchr;
use uts58::{base64, percent};

/// The bytes of the pictures in a page, as decoded by a lenient base64 decoder or from percent-escapes. Linear: each
/// begins after the end of the one before.
pub fn pictures(text: &str) -> impl Iterator<Item = Vec<u8>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = text.get(at..)?;
            let colon = at + memchr(b':', rest.as_bytes())?;
            at = colon + 1;
            if !is_data(text, colon) {
                continue;
            }
            let value = text.get(at..).unwrap_or_default();
            let end = value.find(['"', '\'', '<', '>', ')']).unwrap_or(value.len());
            let value = at..at + end;
            at = value.end;
            if let Some(bytes) = bytes(entity::attribute(text, value).as_str()) {
                return Some(bytes);
            }
        }
    })
}

/// Whether these attributes make a picture of at most one pixel.
pub(super) fn is_tiny(text: &str, attributes: &[Attribute]) -> bool {
    let slice = |range: Range<usize>| text.get(range).unwrap_or_default();
    let is_one = |value: &str| {
        let digits = value.trim_ascii().trim_end_matches(|c: char| c.is_ascii_alphabetic());
        matches!(digits, "0" | "1")
    };
    ["width", "height"].iter().all(|side| {
        let own = attribute_named(text, attributes, side);
        own.is_some_and(|one| is_one(slice(one.value())))
    })
}

/// Whether `data` is before the colon, and the type of a picture after it.
fn is_data(text: &str, colon: usize) -> bool {
    let is =
        |bytes: Option<&[u8]>, word: &[u8]| bytes.is_some_and(|b| b.eq_ignore_ascii_case(word));
    let bytes = text.as_bytes();
    is(colon.checked_sub(4).and_then(|start| bytes.get(start..colon)), b"data")
        && is(bytes.get(colon + 1..colon + 7), b"image/")
}

/// The decoded data after the comma.
pub(super) fn bytes(value: &str) -> Option<Vec<u8>> {
    let (kind, data) = value.split_once(',')?;
    let mut bytes = percent::decode(data).bytes;
    let kind = kind.trim_end();
    let coded = kind.get(kind.len().saturating_sub(6)..);
    if coded.is_some_and(|coded| coded.eq_ignore_ascii_case("base64")) {
        bytes.retain(|byte| !byte.is_ascii_whitespace());
        bytes = base64::decode(&bytes);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_found_where_a_page_has_them() {
        for page in [
            "<img src=\"data:image/png;base64,QUJD\">",
            "<img src='DATA:image/gif;charset=x;BASE64,QU\r\n JD='>",
            "<img src=data:image/png;base64,QUJD>",
            "<p style=\"background:url(data:image/png;base64,QUJD)\">",
            "<style>p{background:url('data:image/png;base64,QUJD')}</style>",
            "<img src=\"data:image/png;base64,QU&#74;D\">",
            "<img src=\"data:image/png;base64,Q%55JD\">",
            "<img src=\"data:image/png,%41BC\">",
        ] {
            assert_eq!(pictures(page).collect::<Vec<_>>(), [b"ABC".to_vec()], "{page}");
        }
        let two = "<img src=\"data:image/png,a\"> at 10:30 <img src=\"data:image/png,b\">";
        assert_eq!(pictures(two).collect::<Vec<_>>(), [b"a".to_vec(), b"b".to_vec()]);
        for none in
            ["", ":", "data:", "data:image/png", "data:text/html,x", "x:image/png,a", "é:image/,"]
        {
            assert_eq!(pictures(none).count(), 0, "{none}");
        }
    }
}
