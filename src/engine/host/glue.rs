//! S27: where a host begins and ends when prose is glued to it.

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;
use unicode_script::{Script, UnicodeScript};

use super::form::{Form, is_dot};
use super::reading::has_reading;
use super::{Context, Glue};

/// Right ends that are tried at most: every one costs a look-up of a TLD.
pub const ENDS: usize = 32;

/// The bytes of the spelling that are the host; the rest is prose.
pub(super) fn bounds(spelling: &str, context: &Context<'_>) -> Range<usize> {
    if spelling.is_ascii() || context.glue == Glue::None || spelling.starts_with('[') {
        return 0..spelling.len();
    }
    let end = right_end(spelling, context);
    let host = spelling.get(..end).unwrap_or(spelling);
    match context.glue {
        Glue::Both => left_start(host)..end,
        _ => 0..end,
    }
}

/// The end of the longest prefix whose TLD exists; the whole when its own exists or none does.
fn right_end(spelling: &str, context: &Context<'_>) -> usize {
    let whole = spelling.trim_end_matches(is_dot);
    if has_tld(whole, context) {
        return spelling.len();
    }
    let mut ends = boundaries(whole);
    ends.reverse();
    ends.into_iter()
        .take(ENDS)
        .find(|end| whole.get(..*end).is_some_and(|prefix| has_tld(prefix, context)))
        .unwrap_or(spelling.len())
}

fn has_tld(host: &str, context: &Context<'_>) -> bool {
    let Some(dot) = host.rfind(is_dot) else { return false };
    let label = host.get(dot..).unwrap_or_default().trim_start_matches(is_dot);
    if label.is_ascii() {
        return context.tlds.contains(&label.to_ascii_lowercase());
    }
    context.tlds.contains(&Form::read(label).ascii)
}

/// Byte offsets at which the kind of writing changes, or a label ends.
fn boundaries(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut before: Option<char> = None;
    for (at, c) in text.char_indices() {
        if let Some(before) = before
            && (is_dot(c) || is_boundary(before, c))
        {
            found.push(at);
        }
        before = Some(c);
    }
    found
}

/// Where the host begins: after the last symbol, or at the last change of script before an ASCII
/// tail. A tail that begins with a dot belongs to the label before it.
fn left_start(host: &str) -> usize {
    let mut start = 0;
    let mut before: Option<char> = None;
    let mut joined = false;
    for (at, c) in host.char_indices() {
        if matches!(c, '\u{200C}' | '\u{200D}') && before.is_some_and(never_joins) {
            joined = true;
            continue;
        }
        if let Some(before) = before {
            let tail = host.get(at..).unwrap_or_default();
            let opens = !joined && c.is_alphanumeric() && tail.contains(is_dot);
            let symbol = is_symbol(before) && !is_dot(before);
            let ascii = tail.is_ascii() && is_boundary(before, c);
            if opens && (symbol || ascii) && !continues_word(host.get(..at).unwrap_or_default()) {
                start = at;
            }
        }
        before = Some(c);
        joined = false;
    }
    start
}

/// Letters behind which a joiner has no use: it hides there, and no prose ends with it.
fn never_joins(c: char) -> bool {
    matches!(c.script(), Script::Latin | Script::Greek | Script::Cyrillic | Script::Armenian)
}

/// Whether the prefix's last label begins in Latin and goes on in letters that all read as Latin:
/// no prose glued to a host, but a host with foreign letters inside (`exаmple`).
fn continues_word(prefix: &str) -> bool {
    let label = prefix.rsplit(is_dot).next().unwrap_or_default();
    label.starts_with(|c: char| c.is_ascii_alphanumeric())
        && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || has_reading(c))
}

fn is_boundary(before: char, after: char) -> bool {
    is_symbol(before) != is_symbol(after) || kind(before) != kind(after)
}

fn is_symbol(c: char) -> bool {
    !c.is_alphanumeric() && !is_combining_mark(c) && !matches!(c, '-' | '_') && !is_dot(c)
}

/// The script, with ASCII digits and hyphens counted as Latin and Japanese as one.
fn kind(c: char) -> Script {
    match c.script() {
        _ if c.is_ascii() => Script::Latin,
        Script::Hiragana | Script::Katakana => Script::Han,
        Script::Inherited => Script::Common,
        script => script,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::host::{Names, judge};
    use crate::engine::outcome::Verdict;
    use crate::engine::policy::RestrictionLevel;
    use crate::engine::tlds::TldTable;

    fn host(spelling: &str, glue: Glue) -> (String, Verdict) {
        let (protected, none) = (Names::new(["paypal.com"]), Names::default());
        let tlds = TldTable::new(["com", "de", "xn--p1ai", "xn--3e0b707e"], "");
        let context = Context {
            level: RestrictionLevel::default(),
            protected: &protected,
            own: &none,
            blocked: &none,
            tlds: &tlds,
            glue,
        };
        let judgement = judge(spelling, &context);
        (spelling[judgement.span].to_owned(), judgement.verdict)
    }

    /// S27.
    #[test]
    fn ends_of_a_host_are_bounded() {
        let glued =
            |count: usize| host(&format!("example.com{}", "です한".repeat(count)), Glue::Right).0;
        assert_eq!(glued(1), "example.com");
        assert_ne!(glued(ENDS), "example.com");
    }

    #[test]
    fn prose_is_no_part_of_a_schemeless_host() {
        for spelling in [
            "👉example.com",
            "→example.com",
            "เว็บไซต์example.com",
            "サーバーexample.com",
            "בexample.com",
            "наexample.com",
            "見て👉例example.com",
            "example.com。谢谢",
            "サーバーexample.comです",
        ] {
            assert_eq!(
                host(spelling, Glue::Both),
                ("example.com".to_owned(), Verdict::Ok),
                "{spelling}"
            );
        }
        for spelling in ["münchen.de", "пример.рф", "пример.com", "한국.한국", "例え.com"]
        {
            assert_eq!(host(spelling, Glue::Both), (spelling.to_owned(), Verdict::Ok));
        }
        assert_eq!(host("👉пример.рф", Glue::Both), ("пример.рф".to_owned(), Verdict::Ok));
    }

    #[test]
    fn deception_is_no_prose() {
        let unsafe_whole = |spelling: &str| (spelling.to_owned(), Verdict::Unsafe);
        assert_eq!(host("раypal.com", Glue::Both), unsafe_whole("раypal.com"));
        assert_eq!(host("раypal.comです", Glue::Both), unsafe_whole("раypal.com"));
        assert_eq!(host("раypal.comです", Glue::Right), unsafe_whole("раypal.com"));
        assert_eq!(host("exаmple.com", Glue::Both), unsafe_whole("exаmple.com"));
        let joined = host("ра\u{200c}\u{200d}ypal.com", Glue::Both);
        assert_eq!(joined, ("ра\u{200c}\u{200d}ypal.com".to_owned(), Verdict::Invalid));
        assert_eq!(host("аexample.com", Glue::Right), unsafe_whole("аexample.com"));
        assert_eq!(host("наexample.com", Glue::None), unsafe_whole("наexample.com"));
    }
}
