//! Hosts that end in a top-level domain in disguise: `https://example.c⁠ｏｍ·x`, `→www.example%2ecom`.
//!
//! Browsers decode escapes and map characters before they look for labels (WHATWG URL §3.5, UTS #46 §4), and programs
//! that end a host behind the one as well as behind the other link all up to there. What is behind it joins no word
//! that a search for links knows as a top-level domain.

use super::encoded::percent_decoded;
use super::greedy::LONGEST_HOST;
use uts58::tlds::TldSet;
use uts58::unicode::hosts::{is_kept, is_mark};
use uts58::unicode::{Class, is_alphanumeric, is_dot_to_somebody};
use uts58::{domain_to_ascii, known_end, to_ascii};

/// Steps of each byte of such a host: each character is mapped by itself, and all of them once more.
pub(super) const MAPPED_STEPS_PER_BYTE: u64 = 16;

/// Whether a host may be read as another one for this character: it is an escape, maps to nothing, or to a letter or
/// digit of ASCII. Signs and marks do not.
#[inline]
pub(super) fn may_be_mapped(c: char) -> bool {
    if c.is_ascii() {
        return c == '%';
    }
    // What most are.
    if is_kept(c) {
        return false;
    }
    let class = Class::of(c);
    class.is_host() && (class.is_ignored() || !is_mark(c) && is_alphanumeric(c))
}

/// Where the host at the start of a text ends as it is mapped, if it holds such a character, and can exist.
pub(super) fn mapped_end(text: &str, tlds: &dyn TldSet) -> Option<usize> {
    let text = text.get(..text.floor_char_boundary(LONGEST_HOST))?;
    let decoded = percent_decoded(text);
    let mut mapped = String::with_capacity(text.len());
    // For each mapped byte, where its character ends.
    let mut ends = Vec::with_capacity(text.len());
    for (at, c) in decoded.as_str().char_indices() {
        push_mapped(c, &mut mapped);
        ends.resize(mapped.len(), decoded.source(at..at + c.len_utf8()).end);
    }
    let name = mapped.get(..known_end(without_empty_labels(&mapped), tlds)?)?;
    let end = *ends.get(name.len().checked_sub(1)?)?;
    let is_new = text.get(..end)?.contains(may_be_mapped) && domain_to_ascii(name).is_ok();
    is_new.then_some(end)
}

/// The name up to the first label without characters: no host goes on behind it.
fn without_empty_labels(name: &str) -> &str {
    let mut dots = name.char_indices().filter(|(_, c)| is_dot_to_somebody(*c)).peekable();
    while let Some((dot, c)) = dots.next() {
        if dots.peek().is_some_and(|(next, _)| *next == dot + c.len_utf8()) {
            return name.get(..dot).unwrap_or(name);
        }
    }
    name
}

/// Whether a character may map to letters or digits of ASCII. Those that do are forms of a style, and stand in few places.
fn may_be_ascii(c: char) -> bool {
    match c {
        ..'\u{2B0}' => matches!(c, 'ª'..='º' | 'Ĳ' | 'ĳ' | 'ſ' | 'Ǆ'..='ǳ'),
        ..'\u{1D00}' => c <= '\u{2E3}',
        ..'\u{A700}' => {
            matches!(c, '\u{1D00}'..='\u{1DBB}' | '\u{2070}'..='\u{24EA}' | 'ⱼ'..='ⱽ' | '㉑'..='㊿')
        }
        ..'\u{FB00}' => c <= '\u{A7F4}',
        ..'\u{1CC00}' => matches!(c, '\u{FB00}'..='\u{FB06}' | '０'..='ｚ' | '\u{107A5}'),
        _ => c <= '\u{1FBF9}',
    }
}

/// Adds what a character maps to if that is nothing or ASCII, and others as they are: at signs like `™` some program
/// ends a host.
fn push_mapped(c: char, mapped: &mut String) {
    if Class::of(c).is_ignored() {
        return;
    }
    if c.is_ascii() || !may_be_ascii(c) || !may_be_mapped(c) {
        return mapped.push(c);
    }
    let ascii = to_ascii(c.encode_utf8(&mut [0; 4])).filter(|ascii| !ascii.starts_with("xn--"));
    match ascii {
        Some(ascii) => mapped.push_str(&ascii),
        None => mapped.push(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uts58::tlds::TldTable;

    #[test]
    fn every_character_that_maps_to_ascii_is_looked_up() {
        let is_ascii = |c: &char| {
            to_ascii(c.encode_utf8(&mut [0; 4])).is_some_and(|ascii| !ascii.starts_with("xn--"))
        };
        let missed = ('\u{80}'..=char::MAX).filter(|c| may_be_mapped(*c) && !may_be_ascii(*c));
        let missed: Vec<char> =
            missed.filter(|c| !Class::of(*c).is_ignored()).filter(is_ascii).collect();
        assert!(missed.is_empty(), "{missed:?}");
    }

    #[test]
    fn the_end_of_a_disguised_name() {
        let tlds = TldTable::new(["com", "org", "de"], "");
        for host in [
            "a.c\u{200b}om", "a.c\u{ad}o\u{2060}m", "a.ｃｏｍ", "a.cºm", "a.𝗰𝗼𝗺", "a.ⓒⓞⓜ",
            "a．c\u{feff}om", "a%2ecom", "a.%63om", "a%E3%80%82com", "ｗww.b.a.org",
            "xn%2d%2d80ak6aa92e.com",
        ] {
            for behind in ["", "·x", "..org/", "。x", "。谢谢", ".x", "©x", "_x", "™"] {
                let end = mapped_end(&format!("{host}{behind}"), &tlds);
                assert_eq!(end, Some(host.len()), "{host}{behind}");
            }
        }
        for host in
            ["a.com", "а.com", "a.zz%2e", "50%", "ü.de·x", "a.ｃｏ", "a.com%2e", "a.com\u{200b}"]
        {
            assert_eq!(mapped_end(host, &tlds), None, "{host}");
        }
        // No label of the DNS is so long.
        assert_eq!(mapped_end(&format!("{}.ｃｏｍ", "а".repeat(64)), &tlds), None);
    }
}
