//! A sample: the host as it is spelled, the deceiving characters marked and named.

use std::fmt::Write;

use super::super::defang::{defang, visible};
use super::super::digest::target_words;
use super::super::tally::Sample;
use super::escape;
use crate::engine::Reason;
use crate::engine::explain::{Character, sentence};

/// Characters shown of the authority of a URL.
const AUTHORITY_CHARS: usize = 80;
/// Distinct characters that are named.
const CHARACTERS_NAMED: usize = 6;

pub fn card(sample: &Sample) -> String {
    let shown = shown(sample);
    let marked = mark(&shown, sample.target.as_deref());
    let verdict = &sample.verdict;
    let mut out = format!(
        "<article class=\"sample s-{verdict}\"><p class=\"host spelled\"><bdi>{}</bdi></p>\
         <p><span class=\"tag t-{verdict}\">{verdict}</span>",
        marked.html
    );
    if let Some(target) = &sample.target {
        let front = target_words(&sample.reasons);
        let _ = write!(out, " {front} <b class=host>{}</b>", escape(&defang(target)));
    }
    out.push_str("</p>");
    if !marked.names.is_empty() {
        out.push_str("<ul class=named>");
        for name in &marked.names {
            out.push_str("<li>");
            if let Some(glyph) = &name.glyph {
                let _ = write!(out, "<mark>{}</mark> ", escape(glyph));
            }
            let _ = write!(out, "{}</li>", escape(&name.words));
        }
        out.push_str("</ul>");
    }
    let reasons: Vec<&str> =
        sample.reasons.iter().filter_map(|code| Reason::from_code(code)).map(sentence).collect();
    let _ = write!(out, "<p>{}</p>", reasons.join("; "));
    if !sample.ascii.is_empty() && sample.ascii != sample.unicode {
        let _ = write!(out, "<p>is <span class=host>{}</span></p>", escape(&defang(&sample.ascii)));
    }
    let from = sample.from_domain.as_deref().unwrap_or("an unnamed sender");
    let date = sample.date.as_deref().and_then(|date| date.get(..10)).unwrap_or("no date");
    let _ = write!(
        out,
        "<p class=\"soft where\">{}, from {}, in {} of {}</p></article>",
        escape(date),
        escape(&defang(from)),
        escape(&sample.place),
        escape(&visible(&sample.source))
    );
    out
}

/// A defanged host; characters outside of ASCII are marked.
pub fn host(host: &str) -> String {
    mark(&defang(host), None).html
}

/// The part of the sample that is shown: the authority as spelled, or the Unicode form of a host that is spelled in
/// Punycode.
fn shown(sample: &Sample) -> String {
    let after = sample.spelling.split_once("://").map_or(&*sample.spelling, |(_, rest)| rest);
    let authority = after.split(['/', '?', '#']).next().unwrap_or(after);
    if authority.is_ascii() && !authority.contains("\\u{") && !sample.unicode.is_ascii() {
        return defang(&sample.unicode);
    }
    let authority = if authority.is_empty() { &*sample.spelling } else { authority };
    match authority.char_indices().nth(AUTHORITY_CHARS) {
        Some((cut, _)) => format!("{}…", authority.get(..cut).unwrap_or(authority)),
        None => authority.to_owned(),
    }
}

struct Marked {
    html: String,
    names: Vec<MarkName>,
}

#[derive(Debug, PartialEq, Eq)]
struct MarkName {
    /// The character itself, if it is visible.
    glyph: Option<String>,
    words: String,
}

/// Marks what deceives: characters outside of ASCII and escaped ones. In plain ASCII it marks what differs from the name
/// that the host reads as.
fn mark(shown: &str, target: Option<&str>) -> Marked {
    let mut out = Marked { html: String::new(), names: Vec::new() };
    if shown.is_ascii()
        && !shown.contains("\\u{")
        && let Some(target) = target
    {
        return mark_difference(shown, &defang(target));
    }
    let mut rest = shown;
    while let Some(first) = rest.chars().next() {
        let escaped = escaped(rest);
        let length = escaped.map_or(first.len_utf8(), |(length, _)| length);
        let (piece, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        let character = escaped.map_or(first, |(_, character)| character);
        if character.is_ascii() {
            out.html.push_str(&escape(piece));
        } else {
            let _ = write!(out.html, "<mark>{}</mark>", escape(piece));
            let glyph = escaped.is_none().then(|| piece.to_owned());
            let name = MarkName { glyph, words: Character::of(character).words() };
            if out.names.len() < CHARACTERS_NAMED && !out.names.contains(&name) {
                out.names.push(name);
            }
        }
        rest = after;
    }
    out
}

/// An escaped character of the defanged form, such as `\u{202e}`: its length and the character.
fn escaped(text: &str) -> Option<(usize, char)> {
    let digits = text.strip_prefix("\\u{")?;
    let end = digits.find('}')?;
    let character = char::from_u32(u32::from_str_radix(digits.get(..end)?, 16).ok()?)?;
    Some((end + 4, character))
}

fn mark_difference(shown: &str, target: &str) -> Marked {
    let same = |(a, b): &(char, char)| a.eq_ignore_ascii_case(b);
    let tail: usize =
        shown.chars().rev().zip(target.chars().rev()).take_while(same).map(|_| 1).sum();
    let (front, tail) = shown.split_at(shown.len() - tail);
    let wanted = target.get(..target.len().saturating_sub(tail.len())).unwrap_or_default();
    // Labels in front of the look-alike do not belong to it.
    let label = front.rfind("[.]").map_or(0, |dot| dot + 3);
    let (before, front) = front.split_at(label);
    let head: usize = front.chars().zip(wanted.chars()).take_while(same).map(|_| 1).sum();
    let (head, differs) = front.split_at(head);
    let wanted = wanted.get(head.len()..).unwrap_or_default();
    if differs.is_empty() {
        return Marked { html: escape(shown), names: Vec::new() };
    }
    let before = escape(&format!("{before}{head}"));
    let html = format!("{before}<mark>{}</mark>{}", escape(differs), escape(tail));
    let words = format!("“{differs}” stands where “{wanted}” is expected");
    Marked { html, names: vec![MarkName { glyph: None, words }] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deceiving_character_is_marked_and_named() {
        let named = |glyph: Option<&str>, words: &str| MarkName {
            glyph: glyph.map(str::to_owned),
            words: words.to_owned(),
        };
        let marked = mark("раypal[.]com", Some("paypal.com"));
        assert_eq!(marked.html, "<mark>р</mark><mark>а</mark>ypal[.]com");
        assert_eq!(
            marked.names,
            [
                named(
                    Some("р"),
                    "U+0440 CYRILLIC SMALL LETTER ER (Russian, Serbian and 22 more languages) reads as Latin p"
                ),
                named(
                    Some("а"),
                    "U+0430 CYRILLIC SMALL LETTER A (Russian, Serbian and 22 more languages) reads as Latin a"
                ),
            ]
        );
        let marked = mark("a\\u{202e}b[.]com", None);
        assert_eq!(marked.html, "a<mark>\\u{202e}</mark>b[.]com");
        assert_eq!(
            marked.names,
            [named(None, "U+202E RIGHT-TO-LEFT OVERRIDE turns the reading direction")]
        );
    }

    #[test]
    fn plain_letters_are_compared_with_the_name() {
        let marked = mark("www[.]paypa1[.]com", Some("paypal.com"));
        assert_eq!(marked.html, "www[.]paypa<mark>1</mark>[.]com");
        let marked = mark("rnicrosoft[.]com", Some("microsoft.com"));
        assert_eq!(marked.html, "<mark>rn</mark>icrosoft[.]com");
        assert_eq!(marked.names[0].words, "“rn” stands where “m” is expected");
        assert_eq!(mark("paypal[.]com", Some("paypal.com")).html, "paypal[.]com");
    }

    proptest::proptest! {
        #[test]
        fn marking_loses_nothing(shown in "\\PC{0,30}", target in "\\PC{0,20}") {
            let html = mark(&shown, Some(&target)).html;
            let text = html.replace("<mark>", "").replace("</mark>", "");
            proptest::prop_assert_eq!(text, escape(&shown));
        }
    }
}
