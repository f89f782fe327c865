//! Whether the host that a window begins with deceives, and whether a reading has met it.

use std::sync::Arc;

use super::front::{is_odd, stops};
use super::window::is_coded;
use crate::judged::deceives;
use crate::judging::Judge;
use crate::met::Met;
use crate::outcome::Reason;
use homograph::{HostBounds, Judgement, ends_host_to_a_reader};
use uts58::unicode::{is_dot_to_somebody, is_letter};

/// A host that deceives.
pub enum Lie {
    /// Some reading has met it, in this place or another.
    Met,
    /// No reading has.
    Hidden(Arc<Judgement>),
}

/// What is known of a host that deceives.
pub fn lie_of(host: &str, judge: &mut Judge<'_>, met: &Met) -> Option<Lie> {
    if !is_odd(host) || host.contains(char::REPLACEMENT_CHARACTER) {
        return None;
    }
    if met.has_spelling(host) {
        return met.is_lie(host).then_some(Lie::Met);
    }
    judged_lie(host, judge).map(|judgement| match met.has(&judgement.ascii) {
        true => Lie::Met,
        false => Lie::Hidden(judgement),
    })
}

/// The judgement of a host that deceives.
pub fn judged_lie(host: &str, judge: &mut Judge<'_>) -> Option<Arc<Judgement>> {
    let judgement = judge.host(host, HostBounds::Certain);
    is_lie(host, &judgement).then_some(judgement)
}

/// The host of a window that says what it spells, if it was met in this spelling: most hosts that a message
/// repeats. What [`letters`] would make of them is the same.
pub fn met<'w>(window: &'w [u8], met: &Met) -> Option<&'w str> {
    if window.iter().any(|byte| is_coded(*byte)) {
        return None;
    }
    let text = str::from_utf8(window).unwrap_or_default().trim_start_matches(['/', '.']);
    let host = text.split(stops).next().unwrap_or_default();
    Some(host.trim_end_matches(is_dot_to_somebody)).filter(|host| met.has_spelling(host))
}

/// Whether a host deceives and somebody opens it. Signs beside a host are prose (`a.com—b.com`), but those
/// that read as the slash behind it: browsers take them into the host.
fn is_lie(host: &str, judgement: &Judgement) -> bool {
    let mut wide = host.chars().filter(|c| !c.is_ascii() && !is_dot_to_somebody(*c)).peekable();
    let letters = wide.peek().is_none() || wide.any(is_letter);
    let tld = host.rsplit(is_dot_to_somebody).next().filter(|tld| tld.len() < host.len());
    tld.is_some_and(|tld| !tld.is_empty())
        && judgement.question.is_none()
        && !judgement.reasons.contains(Reason::TldSyntax)
        && deceives(host, judgement)
        && (letters || host.chars().any(ends_host_to_a_reader))
}
