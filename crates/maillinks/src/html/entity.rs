//! Character references (HTML §13.2.5.72–.80): decodes `&amp;` and `&#x2E`.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;

use super::named;
use crate::mapped::{Builder, MappedText};

/// Where a reference is: in attributes a name without `;` before `=` or a letter is text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    Text,
    Attribute,
}

/// The longest name with its `;`, in bytes.
pub const LONGEST: usize = 32;

/// The longest name that needs no `;`, in bytes.
const LONGEST_BARE: usize = 6;

/// Adds the text of `range` to `seen`, with references decoded and without NUL, as a browser shows it.
pub fn decode_into(seen: &mut Builder, text: &str, range: Range<usize>, within: Within) {
    let mut start = range.start;
    let Some(slice) = text.get(range.clone()) else { return };
    let bytes = slice.as_bytes();
    let mut from = 0;
    while let Some(found) = memchr::memchr2(b'&', 0, bytes.get(from..).unwrap_or_default()) {
        let at = from + found;
        from = at + 1;
        if bytes.get(at) == Some(&0) {
            seen.linear(text.get(start..range.start + at).unwrap_or_default(), start);
            start = range.start + from;
        } else if let Some((value, len)) = reference(slice.get(at..).unwrap_or_default(), within) {
            seen.linear(text.get(start..range.start + at).unwrap_or_default(), start);
            seen.unit(value.as_str(), range.start + at..range.start + at + len);
            from = at + len;
            start = range.start + from;
        }
    }
    seen.linear(text.get(start..range.end).unwrap_or_default(), start);
}

/// An attribute value as a client reads it, white space kept.
pub fn attribute<'t>(text: &'t str, range: Range<usize>) -> MappedText<'t> {
    let value = text.get(range.clone()).unwrap_or_default();
    if memchr(b'&', value.as_bytes()).is_none() {
        return MappedText::slice(value, range.start);
    }
    let mut seen = Builder::with_capacity(value.len());
    decode_into(&mut seen, text, range, Within::Attribute);
    seen.finish()
}

/// The text with its numeric references decoded, and no others.
pub fn numbers(text: &str) -> Cow<'_, str> {
    if !text.contains("&#") {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("&#") {
        let (before, rest_after) = rest.split_at(at);
        plain.push_str(before);
        match reference(rest_after, Within::Text) {
            Some((value, len)) => {
                plain.push_str(value.as_str());
                rest = rest_after.get(len..).unwrap_or_default();
            }
            None => {
                plain.push('&');
                rest = rest_after.get(1..).unwrap_or_default();
            }
        }
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

/// The characters of a reference: one or two.
#[derive(Clone, Copy, Default)]
struct Characters {
    bytes: [u8; 2 * char::MAX_LEN_UTF8],
    len: usize,
}

impl Characters {
    fn push(&mut self, char: char) {
        if let Some(free) = self.bytes.get_mut(self.len..)
            && free.len() >= char.len_utf8()
        {
            self.len += char.encode_utf8(free).len();
        }
    }

    fn as_str(&self) -> &str {
        self.bytes.get(..self.len).and_then(|bytes| str::from_utf8(bytes).ok()).unwrap_or_default()
    }
}

impl FromIterator<char> for Characters {
    fn from_iter<I: IntoIterator<Item = char>>(chars: I) -> Self {
        let mut characters = Self::default();
        chars.into_iter().for_each(|char| characters.push(char));
        characters
    }
}

/// The characters of the reference at the start of `text`, and its length in bytes.
fn reference(text: &str, within: Within) -> Option<(Characters, usize)> {
    match text.as_bytes() {
        [b'&', b'#', b'x' | b'X', rest @ ..] => {
            numeric(rest, 16).map(|(value, len)| (value, len + 3))
        }
        [b'&', b'#', rest @ ..] => numeric(rest, 10).map(|(value, len)| (value, len + 2)),
        [b'&', ..] => named(text.get(1..)?, within).map(|(value, len)| (value, len + 1)),
        _ => None,
    }
}

/// The most common names in mail.
const COMMON: [(&str, char); 5] =
    [("nbsp;", '\u{a0}'), ("amp;", '&'), ("quot;", '"'), ("lt;", '<'), ("gt;", '>')];

fn named(text: &str, within: Within) -> Option<(Characters, usize)> {
    if let Some((name, value)) = COMMON.iter().find(|(name, _)| text.starts_with(name)) {
        return Some((Characters::from_iter([*value]), name.len()));
    }
    let bytes = text.as_bytes();
    let run = bytes.iter().take(LONGEST).take_while(|c| c.is_ascii_alphanumeric()).count();
    if bytes.get(run) == Some(&b';')
        && let Some(value) = lookup(text.get(..=run)?)
    {
        return Some((value, run + 1));
    }
    (2..=run.min(LONGEST_BARE)).rev().find_map(|len| {
        let value = lookup(text.get(..len)?)?;
        let next = bytes.get(len);
        let is_text = within == Within::Attribute
            && next.is_some_and(|c| *c == b'=' || c.is_ascii_alphanumeric());
        // The longest match decides, also if the result is that it is text.
        Some((!is_text).then_some((value, len)))
    })?
}

fn lookup(name: &str) -> Option<Characters> {
    let points = named::points(name)?.split(' ');
    points.map(|point| u32::from_str_radix(point, 16).ok().and_then(char::from_u32)).collect()
}

fn numeric(digits: &[u8], radix: u32) -> Option<(Characters, usize)> {
    let mut value = 0_u32;
    let mut len = 0;
    for digit in digits.iter().map_while(|c| (*c as char).to_digit(radix)) {
        value = value.saturating_mul(radix).saturating_add(digit);
        len += 1;
    }
    if len == 0 {
        return None;
    }
    if digits.get(len) == Some(&b';') {
        len += 1;
    }
    Some((Characters::from_iter([code_point(value)]), len))
}

/// The table of §13.2.5.80: 0x80 to 0x9F are read as windows-1252; what is no character is U+FFFD.
fn code_point(value: u32) -> char {
    const WINDOWS_1252: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8D}', 'Ž',
        '\u{8F}', '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9D}',
        'ž', 'Ÿ',
    ];
    match value {
        0 => char::REPLACEMENT_CHARACTER,
        0x80..=0x9F => {
            WINDOWS_1252.get(value as usize - 0x80).copied().unwrap_or(char::REPLACEMENT_CHARACTER)
        }
        _ => char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(source: &str) -> String {
        let mut seen = Builder::default();
        decode_into(&mut seen, source, 0..source.len(), Within::Text);
        seen.finish().as_str().to_owned()
    }

    #[test]
    fn names_and_numbers() {
        assert_eq!(
            text("a&amp;b&period;c&#46;d&#x2e;e&#X2Ef"),
            "a&b.c.d.e.f".replace(".f", "\u{2ef}")
        );
        assert_eq!(
            text("&notit; &notin; &amp &ampx &bogus; &; &#; &#x;"),
            "¬it; ∉ & &x &bogus; &; &#; &#x;"
        );
        assert_eq!(text("&#128;&#0;&#xD800;&#99999999999;"), "€\u{FFFD}\u{FFFD}\u{FFFD}");
        assert_eq!(text("pay\0pal"), "paypal");
    }

    #[test]
    fn common_names_agree_with_the_table() {
        for (name, value) in COMMON {
            assert_eq!(lookup(name).unwrap().as_str(), value.to_string(), "{name}");
        }
    }

    #[test]
    fn attributes_keep_ambiguous_ampersands() {
        let source = "?a=1&copy=2&lt;&copy&notx";
        assert_eq!(attribute(source, 0..source.len()).as_str(), "?a=1&copy=2<©&notx");
    }

    #[test]
    fn each_character_maps_to_its_reference() {
        let seen = attribute("x&#46;com", 0..9);
        assert_eq!(seen.as_str(), "x.com");
        assert_eq!(seen.source(1..2), 1..6);
        assert_eq!(seen.source(2..5), 6..9);
    }

    #[test]
    fn the_table_is_sorted_and_holds_the_longest_names() {
        let names: Vec<&str> = named::TEXT.lines().filter_map(|l| l.split('\t').next()).collect();
        assert!(names.is_sorted_by(|a, b| a < b));
        assert_eq!(names.iter().map(|name| name.len()).max(), Some(LONGEST));
        let bare = names.iter().filter(|name| !name.ends_with(';'));
        assert_eq!(bare.map(|name| name.len()).max(), Some(LONGEST_BARE));
        for name in names {
            let chars = lookup(name).unwrap().as_str().chars().count();
            assert!((1..=2).contains(&chars), "{name} stands for {chars} characters");
        }
    }

    /// `UPDATE=1 cargo test named_references` rewrites the table.
    #[test]
    #[allow(clippy::disallowed_methods)] // the generator writes the table that it checks
    fn named_references_are_those_of_the_standard() {
        let mut table: Vec<String> = entities::ENTITIES
            .iter()
            .map(|entity| {
                let points = entity.characters.chars().map(|c| format!("{:X}", u32::from(c)));
                let points: Vec<String> = points.collect();
                format!("{}\t{}\n", entity.entity.trim_start_matches('&'), points.join(" "))
            })
            .collect();
        table.sort_unstable_by(|a, b| a.split('\t').next().cmp(&b.split('\t').next()));
        table.dedup();
        let table = table.concat();
        if std::env::var_os("UPDATE").is_some() {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/content/html/named.txt");
            std::fs::write(path, table).unwrap();
            return;
        }
        assert_eq!(named::TEXT, table);
    }
}
