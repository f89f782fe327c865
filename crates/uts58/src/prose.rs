//! Hosts in running text that has no spaces or lacks some (S12, S27; UTS #58 §8).
//!
//! | clause | here |
//! | --- | --- |
//! | S12: back off to the longest prefix with an existing top-level domain | [`existing_end`] |
//! | S27, left end: the last symbol or emoji, or a change from a script without spaces, before an ASCII tail | [`inner_start`] |
//! | S27, right end: `раypal.comです` | [`tld_prefix`] |

use core::ops::Range;

use unicode_script::Script;

use super::authority::is_domain;
use crate::tlds::TldSet;
use crate::unicode::hosts::is_stable;
use crate::unicode::{Class, ScriptOf as _, is_alphanumeric, is_dot_to_somebody, prose as bounds};

/// Characters of a label, with prose joined to it, that are read: a longer one is no label (S14). Ignored ones do not
/// count.
const LONGEST_LABEL: usize = 1024;

/// The end of the longest prefix of a dotted run that has two labels and ends in an existing
/// top-level domain.
pub(super) fn existing_end(text: &str, run: Range<usize>, tlds: &dyn TldSet) -> Option<usize> {
    let mut rest = text.get(run.clone())?;
    if rest.is_ascii() {
        return existing_ascii_end(rest, tlds).map(|end| run.start + end);
    }
    while let Some((dot, c)) = rest.char_indices().rev().find(|(_, c)| is_dot_to_somebody(*c)) {
        let after = dot + c.len_utf8();
        let label = rest.get(after..)?;
        if let Some(length) = tld_prefix(label, Stop::of(c), tlds) {
            return Some(run.start + after + length);
        }
        rest = rest.get(..dot)?;
    }
    None
}

/// The same for ASCII, where a label either exists or not.
fn existing_ascii_end(run: &str, tlds: &dyn TldSet) -> Option<usize> {
    let mut end = run.len();
    loop {
        // Labels are short: a loop is faster than a search.
        let dot = run.as_bytes().get(..end)?.iter().rposition(|byte| *byte == b'.')?;
        let label = run.get(dot + 1..end)?;
        let label = match label.as_bytes().last() {
            Some(b'-' | b'_') => label.trim_end_matches(['-', '_']),
            _ => label,
        };
        if !label.is_empty() && tlds.exists_as(label) {
            return Some(dot + 1 + label.len());
        }
        end = dot;
    }
}

/// What separates the labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// A full stop of any width: text of any script directly after it is a label.
    Full,
    /// The Chinese and Japanese full stop: the next sentence follows directly.
    Ideographic,
}

impl Stop {
    pub(super) fn of(dot: char) -> Stop {
        if matches!(dot, '\u{3002}' | '\u{FF61}') { Stop::Ideographic } else { Stop::Full }
    }
}

/// The length in bytes of the longest prefix of a label that is an existing top-level domain and
/// after which a reader sees an end.
pub(super) fn tld_prefix(label: &str, stop: Stop, tlds: &dyn TldSet) -> Option<usize> {
    let first = label.chars().next()?;
    let is_seen = |c: &char| !Class::of(*c).is_ignored();
    if label.len() > LONGEST_LABEL && label.chars().filter(is_seen).nth(LONGEST_LABEL).is_some() {
        return None;
    }
    if first.is_ascii() {
        return ascii_prefix(label, tlds);
    }
    // What most fail on.
    if !may_begin_tld(first, tlds) {
        return None;
    }
    let whole = label.trim_end_matches(is_edge);
    if has_mapped(whole) && tlds.exists_as(whole) {
        return Some(whole.len());
    }
    let ends_there = |end: usize| {
        let (Some(name), Some(rest)) = (whole.get(..end), whole.get(end..)) else { return false };
        let (Some(last), next) = (name.chars().next_back(), rest.chars().next()) else {
            return false;
        };
        next.is_none_or(|next| {
            is_script_boundary(last, next)
                || (stop == Stop::Full
                    && is_unspaced_or_hangul(last)
                    && is_unspaced_or_hangul(next))
        })
    };
    tlds.unicode_prefix(whole, &ends_there)
}

/// Whether an existing top-level domain may begin with this character. Fast, may return `true`
/// wrongly.
pub(super) fn may_begin_tld(first: char, tlds: &dyn TldSet) -> bool {
    tlds.may_begin(first) || !is_stable(first) && may_be_mapped(first)
}

/// Whether the text may begin with an existing top-level domain, by its first characters.
pub(super) fn may_be_tld(rest: &str, tlds: &dyn TldSet) -> bool {
    let mapped = !rest.as_bytes().first().is_some_and(|lead| is_lead_of_unmapped(*lead))
        && rest.starts_with(|c: char| c.is_ascii() || may_be_mapped(c));
    let begins = || match tlds.pairs() {
        Some(pairs) => pairs.may_begin(rest),
        None => rest.starts_with(|first| tlds.may_begin(first)),
    };
    mapped || begins() && tlds.unicode_prefix(rest, &|_| true).is_some()
}

/// The same for text after a separator, where a sign of ASCII begins none.
#[inline]
pub(super) fn begins_tld(rest: &str, tlds: &dyn TldSet) -> bool {
    match rest.as_bytes().first() {
        Some(first) if first.is_ascii() => first.is_ascii_alphanumeric(),
        _ => may_be_tld(rest, tlds),
    }
}

/// `com` of `comです`: the letters before another script, or a whole ASCII label.
fn ascii_prefix(label: &str, tlds: &dyn TldSet) -> Option<usize> {
    let label = label.trim_end_matches(is_edge);
    let word =
        label.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'-').count();
    let after = label.get(word..)?.chars().next();
    if after.is_some_and(|c| c == '_' || c.script() == Script::Latin) {
        return has_mapped(label).then_some(label.len()).filter(|_| tlds.exists_as(label));
    }
    let name = label.get(..word)?.trim_end_matches('-');
    tlds.exists_as(name).then_some(name.len())
}

/// S27: where the host begins after the prose joined to its left; its own start if there is none,
/// `None` if it is no host in either case.
///
/// Only an ASCII tail has such a boundary (`サーバーexample.com`), apart from leading symbols
/// (`👉пример.рф`) and an ellipsis: anywhere else prose and name cannot be separated.
pub(super) fn inner_start(text: &str, host: Range<usize>) -> Option<usize> {
    let name = text.get(host.clone())?;
    if name.is_ascii() && is_domain(text, host.clone()) {
        return Some(host.start);
    }
    start_after_prose(text, host.clone())
        .or_else(|| is_domain(text, host.clone()).then_some(host.start))
}

/// The same for a known host: only prose before one is searched for.
pub(super) fn inner_start_of_host(text: &str, host: Range<usize>) -> usize {
    let is_ascii = text.get(host.clone()).is_none_or(str::is_ascii);
    let start = if is_ascii { None } else { start_after_prose(text, host.clone()) };
    start.unwrap_or(host.start)
}

fn start_after_prose(text: &str, host: Range<usize>) -> Option<usize> {
    let name = text.get(host.clone())?;
    let starts = [ascii_tail, leading_signs];
    let candidates = starts.iter().filter_map(|start| start(name)).map(|start| host.start + start);
    let mut candidates = candidates.filter(|start| is_domain(text, *start..host.end));
    candidates.next()
}

/// The offset of an ASCII tail after prose of a script without spaces, a symbol or a Chinese or
/// Japanese full stop.
fn ascii_tail(name: &str) -> Option<usize> {
    let tail = name.bytes().rev().take_while(u8::is_ascii).count();
    let (before, ascii) = name.split_at_checked(name.len() - tail)?;
    let last = before.chars().next_back()?;
    let glued = if is_dot_to_somebody(last) {
        Stop::of(last) == Stop::Ideographic
    } else {
        let seen = bounds::last_seen(before).unwrap_or(last);
        ascii.starts_with(|c: char| c.is_ascii_alphanumeric())
            && (bounds::is_unspaced(seen) || is_symbol(seen))
            && !bounds::continues_word(before)
    };
    glued.then_some(before.len())
}

/// The offset after leading symbols or an ellipsis.
fn leading_signs(name: &str) -> Option<usize> {
    let mut dots = memchr::memrchr_iter(b'.', name.as_bytes()).map(|dot| dot + 1);
    let ends_ellipsis = |end: &usize| name.get(..*end).is_some_and(|name| name.ends_with("..."));
    let start = match dots.find(ends_ellipsis) {
        Some(after) => after,
        None => name.len() - name.trim_start_matches(|c| c == '.' || is_symbol(c)).len(),
    };
    (start > 0 && start < name.len()).then_some(start)
}

/// S27 for the local part of an address: the start of an ASCII tail joined to text without spaces.
pub(super) fn inner_local(text: &str, local: Range<usize>) -> usize {
    let Some(name) = text.get(local.clone()) else { return local.start };
    let tail = name.bytes().rev().take_while(u8::is_ascii).count();
    let (before, ascii) = name.split_at(name.len() - tail);
    match before.chars().next_back() {
        Some(c)
            if is_unspaced_or_hangul(c)
                && ascii.starts_with(|c: char| c.is_ascii_alphanumeric()) =>
        {
            local.end - ascii.len()
        }
        _ => local.start,
    }
}

fn is_script_boundary(left: char, right: char) -> bool {
    let (left, right) = (left.script(), right.script());
    left != right && right != Script::Inherited && right != Script::Common
}

/// Letters of scripts that write words without spaces, or add particles without one.
fn is_unspaced_or_hangul(c: char) -> bool {
    bounds::is_unspaced(c) || c.script() == Script::Hangul
}

/// Emoji, arrows, signs: host characters that are part of no word.
fn is_symbol(c: char) -> bool {
    let class = Class::of(c);
    !c.is_ascii()
        && class.is_host()
        && (class.is_ignored() || (!class.is_tld() && !is_alphanumeric(c)))
}

fn is_edge(c: char) -> bool {
    c == '-' || c == '_' || Class::of(c).is_ignored() || is_symbol(c)
}

fn has_mapped(label: &str) -> bool {
    label.chars().any(may_be_mapped)
}

/// Whether a first byte of UTF-8 is one of U+3000 to U+CFFF, of which [`may_be_mapped`] accepts none: after a full stop
/// of Chinese or Japanese mostly these follow.
#[inline(always)]
pub(super) fn is_lead_of_unmapped(lead: u8) -> bool {
    matches!(lead, 0xE3..=0xEC)
}

/// Whether the character is in a block that UTS #46 may map to plain letters: width forms, styled
/// letters; capitals.
fn may_be_mapped(c: char) -> bool {
    // Kana to Hangul, and the scripts of Asia without case.
    if matches!(c, '\u{590}'..='\u{109F}' | '\u{3041}'..='\u{30FF}' | '\u{3400}'..='\u{D7A3}') {
        return false;
    }
    c.is_uppercase()
        || matches!(u32::from(c),
            0xAD | 0x200B | 0x2060 | 0x2070..=0x209F | 0x2100..=0x218F | 0x2460..=0x24FF
            | 0xFE00..=0xFE0F | 0xFF00..=0xFFEF | 0x1D400..=0x1D7FF | 0x1F100..=0x1F1FF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unmapped_by_its_lead_is_not_mapped() {
        for c in '\u{3000}'..='\u{CFFF}' {
            assert!(is_lead_of_unmapped(c.to_string().as_bytes()[0]) && !may_be_mapped(c), "{c}");
        }
    }
}
