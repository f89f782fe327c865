//! Whether the host at the start of a window is deceptive, and whether a reading has found it.

use std::sync::Arc;

use super::host::{can_deceive, ends_host};
use super::window::is_coded;
use crate::content::pieces_between_signs;
use crate::judged::is_deceptive;
use crate::judging::Judge;
use crate::outcome::Reason;
use crate::seen_hosts::SeenHosts;
use homograph::{HostBounds, Judgement, ends_host_to_a_reader};
use uts58::unicode::a_label::has_a_label;
use uts58::unicode::{is_dot_to_somebody, is_letter};

/// A deceptive host.
pub enum Deceptive {
    /// A reading has found it, in this place or another.
    Seen,
    /// No reading has.
    Hidden(Arc<Judgement>),
}

/// Judges a host. `None` if it is not deceptive.
pub fn find_deceptive(host: &str, judge: &mut Judge<'_>, seen: &SeenHosts) -> Option<Deceptive> {
    if !can_deceive(host) {
        return None;
    }
    if seen.has_spelling(host) {
        return seen.is_deceptive(host).then_some(Deceptive::Seen);
    }
    let judgement = deceptive_judgement(host, judge)?;
    Some(match seen.has(&judgement.ascii) {
        true => Deceptive::Seen,
        false => Deceptive::Hidden(judgement),
    })
}

/// The judgement of a deceptive host. With undecodable bytes it counts only if it is a known name without them.
pub fn deceptive_judgement(host: &str, judge: &mut Judge<'_>) -> Option<Arc<Judgement>> {
    // What needs no judgement comes first.
    if !may_be_opened(host) {
        return None;
    }
    if host.contains(char::REPLACEMENT_CHARACTER) {
        let named = judge.named_without_undecoded(host, HostBounds::Certain);
        return named.filter(|named| named.question.is_none());
    }
    let judgement = judge.host(host, HostBounds::Certain);
    let is_opened = judgement.question.is_none() && !judgement.reasons.contains(Reason::TldSyntax);
    let deceives = is_opened && is_deceptive(host, &judgement);
    if !deceives || judge.repeats_domain(host) || is_dash_of_prose(host, &judgement, judge) {
        return None;
    }
    Some(judgement)
}

/// Whether nothing about a host deceives but signs that stand for hyphens, as word processors write them, with no known
/// name beside one: `https://www.münchen–köln.de/`.
fn is_dash_of_prose(host: &str, judgement: &Judgement, judge: &mut Judge<'_>) -> bool {
    const LETTERS: [Reason; 4] =
        [Reason::TargetLookalike, Reason::MixedScript, Reason::WholeScript, Reason::NameInHost];
    pieces_between_signs(host).next().is_some()
        && !host.chars().any(ends_host_to_a_reader)
        && !LETTERS.into_iter().any(|reason| judgement.reasons.contains(reason))
        && !judge.is_lure_across_signs(host, false)
}

/// The host of a window without escapes, if a reading has found it in this spelling, as most hosts that a message
/// repeats. [`letters`](super::window::letters) gives the same text.
pub fn seen_host<'w>(window: &'w [u8], seen: &SeenHosts) -> Option<&'w str> {
    if window.iter().any(|byte| is_coded(*byte)) {
        return None;
    }
    let text = str::from_utf8(window).unwrap_or_default().trim_start_matches(['/', '.']);
    let host = text.split(ends_host).next().unwrap_or_default();
    Some(host.trim_end_matches(is_dot_to_somebody)).filter(|host| seen.has_spelling(host))
}

/// Whether the host of a window without escapes ends in what can be no top-level domain, as where text goes on without a
/// blank: `example.co.jpから`. Cheaper than to judge it. Not if a reading has found it deceptive.
pub fn runs_on(window: &[u8], seen: &SeenHosts) -> bool {
    if window.is_ascii() || window.iter().any(|byte| is_coded(*byte) && byte.is_ascii()) {
        return false;
    }
    let text = str::from_utf8(window).unwrap_or_default().trim_start_matches(['/', '\\', '.']);
    let host = text.split(ends_host).next().unwrap_or_default();
    let host = host.trim_end_matches(is_dot_to_somebody);
    let last = host.rsplit(is_dot_to_somebody).next().unwrap_or_default();
    last.contains(|c: char| c.is_ascii_alphanumeric())
        && last.contains(is_of_cjk)
        && !last.contains(is_hyphen_mapped)
        && !seen.is_deceptive(host)
}

/// Hiragana, Katakana, Han and Hangul as most texts write them: no mapping makes another letter of them, and no
/// top-level domain has them beside ASCII.
fn is_of_cjk(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{3096}' | '\u{30A1}'..='\u{30FA}' | '\u{4E00}'..='\u{9FFF}')
        || matches!(c, '\u{AC00}'..='\u{D7A3}')
}

/// Whether a host is an A-label once its wide and small hyphens are mapped (UTS #46 §4).
fn is_a_label_mapped(host: &str) -> bool {
    host.contains(is_hyphen_mapped) && has_a_label(host.replace(is_hyphen_mapped, "-").as_bytes())
}

fn is_hyphen_mapped(c: char) -> bool {
    matches!(c, '\u{FF0D}' | '\u{FE63}')
}

/// Whether some client may open a host, by its characters. Signs next to a host are prose (`a.com—b.com`), except
/// look-alikes of the slash after it: browsers take them into the host.
fn may_be_opened(host: &str) -> bool {
    let mut wide = host.chars().filter(|c| !c.is_ascii() && !is_dot_to_somebody(*c)).peekable();
    let letters = wide.peek().is_none() || wide.any(is_letter) || is_a_label_mapped(host);
    let tld = host.rsplit(is_dot_to_somebody).next().filter(|tld| tld.len() < host.len());
    tld.is_some_and(|tld| !tld.is_empty()) && (letters || host.chars().any(ends_host_to_a_reader))
}
