//! URLs in CSS: `url(…)` and `@import "…"`, escapes decoded (CSS Syntax §4.3).
//!
//! Only what a client would fetch is looked for; the rest of the sheet is not parsed. Comments are
//! not skipped: clients disagree on where they may stand, and a URL in one is found at worst in vain.

use std::ops::Range;

use memchr::memchr2_iter;

use super::seen::{Builder, Seen};

/// The URLs of a style sheet or a `style` attribute, each with its escapes decoded.
pub fn urls(css: &str) -> Vec<Seen<'_>> {
    let bytes = css.as_bytes();
    let mut found = Vec::new();
    let mut done = 0;
    for at in memchr2_iter(b'(', b'@', bytes) {
        if at < done {
            continue;
        }
        let content = match bytes.get(at) {
            Some(b'(') if ends_with_word(css, at, "url") => url_function(css, at + 1),
            Some(b'(') if ends_with_word(css, at, "src") => url_function(css, at + 1),
            Some(b'@') => import(css, at),
            _ => None,
        };
        if let Some(range) = content {
            done = range.end;
            found.push(unescape(css, range));
        }
    }
    found
}

/// Whether the word, escapes and all, stands right before `end` (`u\72l(` is `url(`).
fn ends_with_word(css: &str, end: usize, word: &str) -> bool {
    // Six hex digits, a backslash and a space for each letter at most.
    let mut start = end.saturating_sub(word.len() * 8);
    while !css.is_char_boundary(start) {
        start += 1;
    }
    let window = css.get(start..end).unwrap_or_default();
    if window.len() >= word.len()
        && let Some(tail) = window.as_bytes().get(window.len() - word.len()..)
        && tail.eq_ignore_ascii_case(word.as_bytes())
    {
        return true;
    }
    window.contains('\\') && {
        let decoded = unescape(window, 0..window.len());
        let text = decoded.as_str().as_bytes();
        text.len() >= word.len()
            && text
                .get(text.len() - word.len()..)
                .is_some_and(|tail| tail.eq_ignore_ascii_case(word.as_bytes()))
    }
}

/// The content of `url(`…`)`, quotes left out.
fn url_function(css: &str, start: usize) -> Option<Range<usize>> {
    let rest = css.get(start..)?;
    let start = start + (rest.len() - rest.trim_ascii_start().len());
    match css.as_bytes().get(start)? {
        quote @ (b'"' | b'\'') => Some(string(css, start + 1, *quote)),
        _ => {
            let end = terminator(css, start, |c| c == b')' || c.is_ascii_whitespace());
            (end > start).then_some(start..end)
        }
    }
}

/// The string of `@import "…"`.
fn import(css: &str, at: usize) -> Option<Range<usize>> {
    let rest = css.get(at + 1..)?;
    let word = rest.get(..6)?;
    let rest = rest.get(6..)?;
    if !word.eq_ignore_ascii_case("import") {
        return None;
    }
    let start = css.len() - rest.trim_ascii_start().len();
    match css.as_bytes().get(start)? {
        quote @ (b'"' | b'\'') => Some(string(css, start + 1, *quote)),
        _ => None,
    }
}

fn string(css: &str, start: usize, quote: u8) -> Range<usize> {
    start..terminator(css, start, |c| c == quote || c == b'\n')
}

/// First byte that ends the token and is not part of an escape.
fn terminator(css: &str, start: usize, ends: impl Fn(u8) -> bool) -> usize {
    let mut at = start;
    while let Some(c) = css.as_bytes().get(at) {
        match *c {
            b'\\' => at += 1 + escape(css.get(at + 1..).unwrap_or_default()).1,
            c if ends(c) => return at,
            _ => at += 1,
        }
    }
    css.len()
}

/// Decodes escapes (§4.3.7): a backslash and up to six hex digits, or any other character.
fn unescape(css: &str, range: Range<usize>) -> Seen<'_> {
    let Some(slice) = css.get(range.clone()) else { return Seen::slice("", range.start) };
    if !slice.contains('\\') {
        return Seen::slice(slice, range.start);
    }
    let mut seen = Builder::with_capacity(slice.len());
    let mut start = 0;
    let mut from = 0;
    while let Some(found) = slice.get(from..).and_then(|rest| rest.find('\\')) {
        let at = from + found;
        seen.linear(slice.get(start..at).unwrap_or_default(), range.start + start);
        let (value, len) = escape(slice.get(at + 1..).unwrap_or_default());
        seen.unit(&value, range.start + at..range.start + at + 1 + len);
        from = at + 1 + len;
        start = from;
    }
    seen.linear(slice.get(start..).unwrap_or_default(), range.start + start);
    seen.finish()
}

/// The character that an escape stands for, and its length behind the backslash.
fn escape(rest: &str) -> (String, usize) {
    let digits = rest.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
    if digits == 0 {
        let Some(c) = rest.chars().next() else { return (String::new(), 0) };
        let shown = if c == '\n' { String::new() } else { c.to_string() };
        return (shown, c.len_utf8());
    }
    let value = rest.get(..digits).and_then(|hex| u32::from_str_radix(hex, 16).ok());
    let c = value.and_then(char::from_u32).filter(|c| *c != '\0').unwrap_or('\u{FFFD}');
    let space = usize::from(rest.as_bytes().get(digits).is_some_and(u8::is_ascii_whitespace));
    (c.to_string(), digits + space)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(css: &str) -> Vec<String> {
        urls(css).iter().map(|seen| seen.as_str().to_owned()).collect()
    }

    #[test]
    fn every_spelling_of_a_url() {
        assert_eq!(
            found("a{background:url(http://a/) , URL( 'b' );list-style:url(\"c)d\")}@import 'e';"),
            ["http://a/", "b", "c)d", "e"]
        );
        assert_eq!(found(r"x:u\72 l(http\3a//\65 x\.com)"), ["http://ex.com"]);
        assert_eq!(found("color:rgb(1,2,3)"), [""; 0]);
        assert_eq!(found("url(http://cut"), ["http://cut"]);
    }
}
