//! URLs in CSS: `url(…)`, `src(…)`, and strings that are URLs (`@import "…"`, `image-set("…")`), escapes decoded (CSS
//! Syntax §4.3).
//!
//! Only URLs that a client would fetch are found; the rest of the sheet is not parsed. Comments are not skipped:
//! clients disagree on where they may be, and finding a URL in one does no harm. For the same reason every quote may
//! begin a string, since an apostrophe in a comment would hide what follows it.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr3_iter;

use super::mapped::{Builder, MappedText};
use uts58::reference;
use uts58::tlds::TldSet;
use uts58::unicode::is_dot_to_somebody;

/// The URLs of a style sheet or a `style` attribute, with escapes decoded, one at a time: every quote may begin one.
pub fn urls(css: &str) -> impl Iterator<Item = MappedText<'_>> {
    let mut done = 0;
    memchr3_iter(b'(', b'"', b'\'', css.as_bytes()).filter_map(move |at| {
        if at < done {
            return None;
        }
        let range = match css.as_bytes().get(at) {
            Some(b'(') if !is_escaped(css, at) && ends_with_word(css, at, &["url", "src"]) => {
                let range = url_function(css, at + 1)?;
                // With its closing quote.
                done = range.end + 1;
                range
            }
            Some(quote @ (b'"' | b'\'')) => leading_string(css, at, *quote)?,
            _ => return None,
        };
        Some(unescape(css, range))
    })
}

/// Declarations as CSS reads them: without comments, escapes decoded.
pub fn plain(css: &str) -> Cow<'_, str> {
    let odd = memchr::memchr2(b'\\', b'*', css.as_bytes());
    if odd.is_none() || !css.contains("/*") && !css.contains('\\') {
        return Cow::Borrowed(css);
    }
    let mut out = String::with_capacity(css.len());
    let mut rest = css;
    while let Some((before, comment)) = rest.split_once("/*") {
        out.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    let decoded = unescape(&out, 0..out.len()).as_str().to_owned();
    Cow::Owned(decoded)
}

/// The rules of a sheet without comments: selectors and declarations. Conditions as `@media` have rules inside them, whose
/// selectors are theirs alone.
pub fn rules(sheet: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = sheet;
    std::iter::from_fn(move || {
        let (before, behind) = rest.split_once('{')?;
        rest = behind;
        let selectors = before.rsplit(['}', ';', '{']).next().unwrap_or_default();
        let end = behind.find(['{', '}']).unwrap_or(behind.len());
        Some((selectors, behind.get(..end).unwrap_or_default()))
    })
}

/// Visits the declarations of a style: what stands in strings, brackets and comments separates none (CSS Syntax §5.4.4).
/// Each is without comments, its escapes decoded after its ends are known.
pub fn declarations(style: &str, mut visit: impl FnMut(&str)) {
    let mut text = String::with_capacity(style.len());
    let mut start = 0;
    // The brackets that are open.
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(c) = style.as_bytes().get(at) {
        let rest = style.get(at + 1..).unwrap_or_default();
        let mut next = at + 1;
        match *c {
            b'\\' => next += escape(rest).1,
            quote @ (b'"' | b'\'') => next = string(style, at + 1, quote).end + 1,
            b'/' if rest.starts_with('*') => {
                text.push_str(style.get(start..at).unwrap_or_default());
                next = rest.find("*/").map_or(style.len(), |end| at + 1 + end + 2);
                start = next;
            }
            b'(' if ends_with_word(style, at, &["url"])
                && !rest.trim_ascii_start().starts_with(['"', '\'']) =>
            {
                next = terminator(style, at + 1, |c| c == b')') + 1;
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b';' if depth == 0 => {
                text.push_str(style.get(start..at).unwrap_or_default());
                visit(&without_escapes(&text));
                text.clear();
                start = next;
            }
            _ => {}
        }
        at = next;
    }
    text.push_str(style.get(start..).unwrap_or_default());
    visit(&without_escapes(&text));
}

/// Words with their escapes decoded: what is escaped is a part of its word, also a blank or a colon.
fn without_escapes(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('\\') {
        decoded.push_str(before);
        let (c, length) = escape(behind);
        let of_word = |c: char| c.is_ascii_alphanumeric() || c == '-';
        decoded.extend(c.map(|c| if of_word(c) { c } else { char::REPLACEMENT_CHARACTER }));
        rest = behind.get(length..).unwrap_or_default();
    }
    decoded.push_str(rest);
    Cow::Owned(decoded)
}

/// A string that may be a URL, or show one: it follows `@import`, or contains a scheme or a host, which beyond ASCII may
/// be shown where a rule says so (`content`, `list-style-type`).
fn leading_string(css: &str, at: usize, quote: u8) -> Option<Range<usize>> {
    if is_escaped(css, at) {
        return None;
    }
    let content = string(css, at + 1, quote);
    let text = css.get(content.clone())?;
    let leads = says_url(text) || is_imported(css, at);
    (leads && !content.is_empty()).then_some(content)
}

/// Characters of the shortest string that leads somewhere, as `//ab` does.
const SHORTEST_URL: usize = 4;

/// Whether a string has a scheme or slashes, or beyond ASCII or behind escapes a dot.
fn says_url(string: &str) -> bool {
    // Most strings are names of fonts: a simple loop is faster than a search.
    let mut before = 0;
    let leads = string.bytes().any(|byte| {
        let before = std::mem::replace(&mut before, byte);
        matches!(byte, b'\\' | b':') || byte == b'/' && before == b'/'
    });
    if !leads {
        return !string.is_ascii() && string.contains(is_dot_to_somebody);
    }
    if !string.contains('\\') {
        return true;
    }
    let mut before = '\0';
    let mut length = 0;
    let mut leads = false;
    for c in characters(string) {
        let is_pair = matches!((before, c), ('/' | '\\', '/' | '\\'));
        leads |= is_pair || c == ':' || is_dot_to_somebody(c);
        before = c;
        length += 1;
        if leads && length >= SHORTEST_URL {
            return true;
        }
    }
    false
}

/// Whether the byte is escaped by a backslash.
fn is_escaped(css: &str, at: usize) -> bool {
    let before = css.as_bytes().get(..at).unwrap_or_default();
    before.iter().rev().take_while(|c| **c == b'\\').count() % 2 == 1
}

/// Bytes before a string that are searched for `@import` and comments.
const IMPORT_BYTES: usize = 256;

/// Whether `@import` is before the string, perhaps with comments in between.
fn is_imported(css: &str, at: usize) -> bool {
    // What most fail on: the word ends with its last letter, perhaps in hexadecimal digits, or a comment is behind it.
    let front = css.as_bytes().get(..at).unwrap_or_default().trim_ascii_end();
    if !matches!(front.last(), Some(b't' | b'T' | b'4' | b'/')) {
        return false;
    }
    let start = css.floor_char_boundary(at.saturating_sub(IMPORT_BYTES));
    let mut before = css.get(start..at).unwrap_or_default().trim_ascii_end();
    while let Some(comment) = before.strip_suffix("*/") {
        before = comment.rsplit_once("/*").map_or("", |(before, _)| before).trim_ascii_end();
    }
    ends_with_word(before, before.len(), &["import"])
}

/// Whether one of the words, perhaps with escapes, is right before `end` (`u\72l(` is `url(`).
fn ends_with_word(css: &str, end: usize, words: &[&str]) -> bool {
    // At most six hex digits, a backslash and a space for each letter.
    let longest = words.iter().map(|word| word.len()).max().unwrap_or_default();
    let mut start = end.saturating_sub(longest * 8);
    while !css.is_char_boundary(start) {
        start += 1;
    }
    let window = css.get(start..end).unwrap_or_default();
    let is_word = |text: &[u8]| {
        let tail = |word: &&str| text.len().checked_sub(word.len()).and_then(|at| text.get(at..));
        words.iter().any(|word| tail(word).is_some_and(|t| t.eq_ignore_ascii_case(word.as_bytes())))
    };
    is_word(window.as_bytes()) || window.contains('\\') && is_word(&letters(window))
}

/// The text with its escapes decoded, NUL for non-ASCII characters.
fn letters(text: &str) -> Vec<u8> {
    characters(text).map(|c| u8::try_from(c).unwrap_or_default()).collect()
}

/// The characters of a text with its escapes decoded.
fn characters(text: &str) -> impl Iterator<Item = char> {
    let mut rest = text.chars();
    std::iter::from_fn(move || {
        loop {
            let c = rest.next()?;
            if c != '\\' {
                return Some(c);
            }
            let (c, length) = escape(rest.as_str());
            rest = rest.as_str().get(length..).unwrap_or_default().chars();
            // A line that is continued is none.
            if c.is_some() {
                return c;
            }
        }
    })
}

/// The content of `url(`…`)`, without quotes.
pub fn url_function(css: &str, start: usize) -> Option<Range<usize>> {
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

fn string(css: &str, start: usize, quote: u8) -> Range<usize> {
    start..terminator(css, start, |c| c == quote || c == b'\n')
}

/// The first byte that ends the token and is not part of an escape.
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

/// A style with its escapes decoded.
pub fn decoded(css: &str) -> MappedText<'_> {
    unescape(css, 0..css.len())
}

/// Decodes escapes (§4.3.7): a backslash and up to six hex digits, or any other character.
fn unescape(css: &str, range: Range<usize>) -> MappedText<'_> {
    let Some(slice) = css.get(range.clone()) else { return MappedText::slice("", range.start) };
    if !slice.contains('\\') {
        return MappedText::slice(slice, range.start);
    }
    let mut seen = Builder::with_capacity(slice.len());
    let mut buffer = [0; 4];
    let mut start = 0;
    let mut from = 0;
    while let Some(found) = slice.get(from..).and_then(|rest| rest.find('\\')) {
        let at = from + found;
        seen.linear(slice.get(start..at).unwrap_or_default(), range.start + start);
        let (value, len) = escape(slice.get(at + 1..).unwrap_or_default());
        let value = value.as_ref().map_or("", |c| c.encode_utf8(&mut buffer));
        seen.unit(value, range.start + at..range.start + at + 1 + len);
        from = at + 1 + len;
        start = from;
    }
    seen.linear(slice.get(start..).unwrap_or_default(), range.start + start);
    seen.finish()
}

/// The path of Windows that a URL is without escapes, if programs that decode them reach no server with it that others
/// have: `file:///\\server\share\x.gif`, where every backslash is one of the path for who wrote it.
pub fn as_path<'c>(
    css: &'c str,
    url: &MappedText<'_>,
    tlds: &dyn TldSet,
) -> Option<MappedText<'c>> {
    let range = url.source(0..url.as_str().len());
    let raw = css.get(range.clone()).filter(|raw| raw.contains('\\'))?;
    let names_server = without_file(raw).trim_start_matches('/').starts_with("\\\\");
    let decoded = without_file(url.as_str());
    let server = decoded.trim_start_matches(['/', '\\']).split(['/', '\\', '?', '#']).next()?;
    let last = server.rsplit('.').next()?;
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    // A number may be an address.
    let is_no_host = server.chars().all(is_word)
        && last.starts_with(char::is_alphabetic)
        && (last.len() == server.len() || last.is_ascii() && !tlds.exists_as(last));
    (names_server && is_no_host).then(|| MappedText::slice(raw, range.start))
}

/// A URL behind `file:`, or all of it.
fn without_file(url: &str) -> &str {
    let rest = reference::scheme(url).and_then(|colon| {
        let is_file = url.get(..colon)?.eq_ignore_ascii_case("file");
        url.get(colon + 1..).filter(|_| is_file)
    });
    rest.unwrap_or(url)
}

/// The character of an escape, none for a continued line, and its length after the backslash.
fn escape(rest: &str) -> (Option<char>, usize) {
    let digits = rest.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
    if digits == 0 {
        let Some(c) = rest.chars().next() else { return (None, 0) };
        return match c {
            '\r' if rest.starts_with("\r\n") => (None, 2),
            '\n' | '\r' | '\u{c}' => (None, 1),
            c => (Some(c), c.len_utf8()),
        };
    }
    let value = rest.get(..digits).and_then(|hex| u32::from_str_radix(hex, 16).ok());
    let c = value.and_then(char::from_u32).filter(|c| *c != '\0').unwrap_or('\u{FFFD}');
    let space = usize::from(rest.as_bytes().get(digits).is_some_and(u8::is_ascii_whitespace));
    (Some(c), digits + space)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(css: &str) -> Vec<String> {
        urls(css).map(|seen| seen.as_str().to_owned()).collect()
    }

    #[test]
    fn every_spelling_of_a_url() {
        assert_eq!(
            found("a{background:url(http://a/) , URL( 'b' );list-style:url(\"c)d\")}@import 'e';"),
            ["http://a/", "b", "c)d", "e"]
        );
        assert_eq!(found(r"x:u\72 l(http\3a//\65 x\.com)"), ["http://ex.com"]);
        assert_eq!(found("color:rgb(1,2,3);font-family:'Segoe UI',\"Arial\""), [""; 0]);
        for css in [
            "x:image-set('http://a/' 1x)",
            "@im\\70ort/**/ /* y */'http://a/'",
            "y:z(src=\"http://a/\")",
            "/* don't */ @import 'http://a/'; /* can't */",
            "/* don't: */ b{x:url(http://a/)} c{content:'x'}",
            "x:\\75\\72\\6c(http://a/)",
            "x:\\000073\\000072 \\000063(http://a/)",
        ] {
            assert!(found(css).contains(&"http://a/".to_owned()), "{css}: {:?}", found(css));
        }
        assert_eq!(found("url(http://cut"), ["http://cut"]);
        for (css, shows) in [
            ("p:before{content:'www.р\u{430}ypal.com'}", true),
            ("b{font-family:'ＭＳ ゴシック'}", false),
            ("p:before{content:'www.example.com'}", false),
            ("p:before{content:'www\\2e p\\430 ypal.com'}", true),
            ("p:before{content:'\\2014 \\a0'}", false),
            ("a{b:'\\/\\/c'}", false),
            ("a{b:'\\/\\\\cd'}", true),
            ("@\\69 mpor\\74 'e'", true),
            ("@\\69 mpor\\t/**/'\\e'", true),
        ] {
            assert_eq!(found(css).len(), usize::from(shows), "{css}");
        }
        assert_eq!(found("x:url\\(http://a/)"), [""; 0], "an escaped bracket calls nothing");
    }
}
