//! Marks that people write beside a bare host, and of which browsers make letters and digits of it: `ⓒexample.com`,
//! `①example.com②example.org`, `art.1º.It`, `Артикул№А12.ru`.

use super::glued::is_harmless;
use super::judged::Judged;
use super::words::is_of_one_script;
use super::{HostBounds, Judge, same_domain};
use homograph::is_cjk;
use unicode_script::Script;
use uts58::Link;
use uts58::unicode::{ScriptOf as _, is_letter};

impl Judge<'_> {
    /// Whether marks are what makes another host of a bare one, or of words. What browsers open is nothing that readers
    /// know: `ⓒitibank.com` is a lure.
    pub(super) fn is_beside_mark(&mut self, host: &str, judged: &Judged) -> bool {
        let own = judged.host.as_ref().map_or("", |host| host.ascii.as_str());
        if host.is_ascii()
            || self.is_protected(own)
            || homograph::has_owner(own, &self.policy.protected)
        {
            return false;
        }
        if let Some(plain) = behind_mark(host) {
            let plain = self.host(plain, HostBounds::Certain);
            let is_of_plain = |target: &String| same_domain(target, &plain.ascii);
            return is_harmless(&plain) && judged.target().is_none_or(is_of_plain);
        }
        judged.target().is_none()
            && (self.is_list(host)
                || has_ordinals(host)
                || has_number(host)
                || has_measures(host).is_some_and(|plain| self.is_plain(&plain)))
    }

    /// Whether a word of one Cyrillic letter is glued to a host whose name has a capital, among Cyrillic words: `с` of
    /// `сExample.com`. A name that the letter is a part of is a lure: `сitibank.com`.
    pub(super) fn is_behind_preposition(
        &mut self,
        text: &str,
        link: &Link,
        judged: &Judged,
    ) -> bool {
        let before = text.get(..link.span.start).unwrap_or_default().trim_end_matches(' ');
        let Some(plain) = link.host_str(text).strip_prefix(['в', 'к', 'о', 'с', 'у']) else {
            return false;
        };
        judged.target().is_none()
            && plain.is_ascii()
            && plain.starts_with(|c: char| c.is_ascii_uppercase())
            && before.ends_with(|c: char| c.script() == Script::Cyrillic)
            && is_harmless(&self.host(plain, HostBounds::Certain))
    }

    /// Whether hosts stand side by side, each behind its number: `①example.com②example.org`.
    fn is_list(&mut self, host: &str) -> bool {
        let mut names = host.split(is_number).enumerate();
        host.contains(is_number)
            && names.all(|(at, name)| {
                let is_name = name.is_ascii() && name.contains('.') && !name.starts_with('.');
                at == 0 && name.is_empty()
                    || is_name && is_harmless(&self.host(name, HostBounds::Certain))
            })
    }
}

/// A number in a circle, of Han as well.
fn is_number(c: char) -> bool {
    matches!(c, '①'..='⑳' | '⓫'..='⓾' | '❶'..='➓' | '㊀'..='㊉')
}

/// The host behind a mark of owners or secrets, or a number, and perhaps a word without blanks: `사진ⓒexample.com`; or
/// behind a word of one Hebrew letter, with which it can be no host (RFC 5893 §2).
fn behind_mark(host: &str) -> Option<&str> {
    let plain = host.strip_prefix(['ב', 'ה', 'ו', 'כ', 'ל', 'מ', 'ש']);
    let is_name = |name: &&str| name.is_ascii() && name.starts_with(|c: char| c.is_alphabetic());
    if let Some(plain) = plain.filter(is_name) {
        return Some(plain);
    }
    let (word, plain) = host.split_once(|c: char| matches!(c, 'ⓒ' | '㊙') || is_number(c))?;
    (word.chars().all(is_cjk) && plain.is_ascii() && plain.contains('.')).then_some(plain)
}

/// Letters in front of an ordinal at most: `nº12`.
const ABBREVIATION: usize = 3;

/// Whether the only letters beyond ASCII are signs of ordinals beside a number: `art.1º.It`, `nº12.Es`.
fn has_ordinals(host: &str) -> bool {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    host.split('.').filter(|label| !label.is_ascii()).all(|label| {
        let Some((before, behind)) = label.split_once(['º', 'ª']) else { return false };
        let is_word =
            before.len() <= ABBREVIATION && before.bytes().all(|c| c.is_ascii_alphabetic());
        is_digits(before) && behind.is_empty() || is_word && is_digits(behind)
    })
}

/// Whether a word is in front of a number with letters: `Артикул№А12`.
fn has_number(host: &str) -> bool {
    let word = host.split('.').next().unwrap_or_default();
    let Some((name, number)) = word.split_once('№') else { return false };
    !name.is_empty()
        && name.chars().all(|c| !c.is_ascii() && is_letter(c))
        && number.contains(|c: char| c.is_ascii_digit())
        && number.chars().all(|c| is_letter(c) || c.is_ascii_digit() || c == '-')
        && [name, number].into_iter().all(is_of_one_script)
}

/// A host with a letter for each sign of multiplication between a number and what is measured: `2×23kg.1×8kg.Is`.
fn has_measures(host: &str) -> Option<String> {
    let is_digit = |c: char| c.is_ascii_digit();
    let pieces: Vec<&str> = host.split('×').collect();
    let (last, first) = pieces.split_last()?;
    let is_measure = pieces.iter().all(|piece| piece.is_ascii())
        && last.starts_with(is_digit)
        && first.iter().all(|piece| piece.ends_with(is_digit))
        && first.iter().skip(1).all(|piece| piece.starts_with(is_digit));
    (!first.is_empty() && is_measure).then(|| pieces.join("x"))
}
