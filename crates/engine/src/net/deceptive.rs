//! Whether the host at the start of a window is deceptive, and whether a reading has found it.

use std::borrow::Cow;
use std::sync::Arc;

use super::host::{WWW, can_deceive, ends_host, is_behind_www};
use super::window::is_escaped;
use crate::judging::Judge;
use crate::judging::judged::is_deceptive;
use crate::judging::seen_hosts::SeenHosts;
use crate::outcome::Reason;
use homograph::{HostBounds, Judgement, ends_host_to_a_reader};
use maillinks::{FirstSign, pieces_between_signs};
use uts58::tlds::TldSet;
use uts58::unicode::Class;
use uts58::unicode::a_label::has_a_label;
use uts58::unicode::punycode::NAME;
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
    if !may_be_opened(host) || ends_in_word(host, judge.tlds()) {
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
        && !judge.is_lure_across_signs(host, FirstSign::Inside)
}

/// The host at the start of a window in which nothing is escaped, as [`letters`](super::window::letters) gives it as well,
/// but for characters that browsers ignore.
pub fn unescaped_host(window: &[u8]) -> Option<Cow<'_, str>> {
    if is_escaped(window) {
        return None;
    }
    let signs = window.iter().take_while(|byte| matches!(byte, b'/' | b'.')).count();
    let window = window.get(signs..)?;
    let ends = |c: char| c != char::REPLACEMENT_CHARACTER && ends_host(c);
    if let Ok(text) = str::from_utf8(window) {
        let host = text.split(ends).next()?;
        return Some(Cow::Borrowed(host.trim_end_matches(is_dot_to_somebody)));
    }
    // Only the host is decoded.
    let spelling = window.split(|byte| byte.is_ascii() && ends_host(char::from(*byte))).next()?;
    let mut text = String::with_capacity(spelling.len() * char::REPLACEMENT_CHARACTER.len_utf8());
    for chunk in spelling.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend((!chunk.invalid().is_empty()).then_some(char::REPLACEMENT_CHARACTER));
    }
    let host = text.find(ends).and_then(|end| text.get(..end)).unwrap_or(&text);
    text.truncate(host.trim_end_matches(is_dot_to_somebody).len());
    Some(Cow::Owned(text))
}

/// Whether a host is ASCII but for what stands for other bytes, as of another charset than UTF-8: no program opens it, and
/// readings have decoded it if its charset is known.
pub fn is_undecodable(host: &str) -> bool {
    let mut others = host.chars().filter(|c| !c.is_ascii()).peekable();
    others.peek().is_some() && others.all(|c| c == char::REPLACEMENT_CHARACTER)
}

/// The spelling in which a reading has found the host at an offset, as most hosts that a message repeats: that host, or
/// the same behind `www.`, which says of it what there is to say.
pub fn seen_spelling<'b>(
    bytes: &'b [u8],
    at: usize,
    host: &'b str,
    seen: &SeenHosts,
) -> Option<&'b str> {
    let is_seen = |spelling: &&str| {
        seen.has_spelling(spelling)
            && !spelling.contains(|c: char| !c.is_ascii() && Class::of(c).is_ignored())
    };
    let behind_www = || {
        let www = is_behind_www(bytes, at).then(|| at.checked_sub(WWW)).flatten()?;
        str::from_utf8(bytes.get(www..at + host.len())?).ok().filter(|long| long.ends_with(host))
    };
    Some(host).filter(is_seen).or_else(|| behind_www().filter(is_seen))
}

/// Whether a host ends in what can be no top-level domain, as where text goes on without a blank: `example.co.jpから`.
/// Cheaper than to judge it. Not if a reading has found it deceptive.
pub fn runs_on(host: &str, seen: &SeenHosts) -> bool {
    let last = host.rsplit(is_dot_to_somebody).next().unwrap_or_default();
    last.contains(|c: char| c.is_ascii_alphanumeric())
        && last.contains(is_of_cjk)
        && !host.contains(char::REPLACEMENT_CHARACTER)
        && !last.contains(is_hyphen_mapped)
        && !seen.is_deceptive(host)
}

/// Whether signs stand in a host that no client takes into one, or between the sites of a list. Cheaper than to read it
/// letter by letter. Not if a reading has found it deceptive, nor if browsers ignore some of it.
pub fn is_list(host: &str, judge: &mut Judge<'_>, seen: &SeenHosts) -> bool {
    let may_be_list = || host.contains(SEPARATORS) || host.contains(ends_host_to_a_reader);
    (!may_be_opened(host) || may_be_list() && judge.is_list_of_sites(without_cells(host)))
        && !host.contains(|c: char| !c.is_ascii() && Class::of(c).is_ignored())
        && !seen.is_deceptive(host)
}

/// What stands between the cells of a table.
const SEPARATORS: [char; 2] = [',', ';'];

/// A row of a table without its last cells that are no hosts: `пример.рф;www.пример.рф;Ann;+49`. No top-level domain
/// holds a separator.
fn without_cells(row: &str) -> &str {
    let mut hosts = row;
    while let Some((before, cell)) = hosts.rsplit_once(SEPARATORS)
        && !cell.contains(is_dot_to_somebody)
    {
        hosts = before;
    }
    hosts
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
    // Characters of ASCII are in the name as they are; a dot of the root may follow it.
    if host.bytes().filter(u8::is_ascii).count() > NAME + 1 {
        return false;
    }
    let mut wide = host.chars().filter(|c| !c.is_ascii() && !is_dot_to_somebody(*c)).peekable();
    let letters = wide.peek().is_none() || wide.any(is_letter) || is_a_label_mapped(host);
    let tld = host.rsplit(is_dot_to_somebody).next().filter(|tld| tld.len() < host.len());
    tld.is_some_and(|tld| !tld.is_empty()) && (letters || host.chars().any(ends_host_to_a_reader))
}

/// Whether a host ends in plain letters that are no top-level domain, as misread words do: `mail.example.org訽.meier`.
fn ends_in_word(host: &str, tlds: &dyn TldSet) -> bool {
    let last = host.rsplit(is_dot_to_somebody).next().unwrap_or_default();
    !last.is_empty()
        && last.bytes().all(|byte| byte.is_ascii_alphabetic())
        && !tlds.exists_as(last)
        && !homograph::is_special_use(&last.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_that_readings_have_found_are_known_behind_www_too() {
        let mut seen = SeenHosts::for_message_of(0);
        for host in ["www.дом.рф", "мир.рф"] {
            seen.add_spelling(host, false);
        }
        for (text, at, known) in [
            ("//www.дом.рф/x", 2, Some("www.дом.рф")),
            ("//www.дом.рф/x", 6, Some("www.дом.рф")),
            ("//WWW.дом.рф/x", 6, None),
            ("//xww.дом.рф/x", 6, None),
            ("www./дом.рф", 4, None),
            ("www.мир.рф", 4, Some("мир.рф")),
            ("www.дом.рф.com", 4, None),
            ("//дом.рф", 2, None),
        ] {
            let window = super::super::window(text.as_bytes(), at);
            let host = unescaped_host(window).unwrap();
            assert_eq!(seen_spelling(text.as_bytes(), at, &host, &seen), known, "{text} {at}");
        }
        assert_eq!(unescaped_host("д%D0.рф".as_bytes()), None);
    }

    #[test]
    fn the_hosts_of_a_row_are_left() {
        for (row, hosts) in [
            ("дом.рф;www.дом.рф;+49", "дом.рф;www.дом.рф"),
            ("дом.рф,www.дом.рф,Ann;,", "дом.рф,www.дом.рф"),
            ("дом.рф;д。рф", "дом.рф;д。рф"),
            ("Ann;дом.рф", "Ann;дом.рф"),
        ] {
            assert_eq!(without_cells(row), hosts);
        }
    }

    /// What is left out is what is found not to be deceptive otherwise.
    #[test]
    fn a_host_that_cannot_be_decoded_is_not_opened() {
        for (host, undecodable) in [
            ("www.\u{fffd}\u{fffd}-5.\u{fffd}", true),
            ("p\u{fffd}ypal.com", true),
            ("www.дом.\u{fffd}", false),
            ("\u{fffd}。com", false),
            ("www.example.com", false),
            ("", false),
        ] {
            assert_eq!(is_undecodable(host), undecodable, "{host}");
            assert!(!undecodable || !may_be_opened(host), "{host}");
        }
        assert_eq!(
            unescaped_host(b"//www.\xE4\xEE\xEC.\xF0\xF4/x").unwrap(),
            "www.\u{fffd}\u{fffd}\u{fffd}.\u{fffd}\u{fffd}"
        );
    }

    #[test]
    fn what_browsers_ignore_is_not_in_a_seen_spelling() {
        let mut seen = SeenHosts::for_message_of(0);
        let host = "д\u{ad}ом.рф";
        seen.add_spelling(host, false);
        assert_eq!(seen_spelling(host.as_bytes(), 0, host, &seen), None);
    }
}
