//! Words with a dot between them that are no host to readers: the end of a sentence and the next word, the number of a
//! list before a name, the name of a file. No registry has most of them, and no program links them. What a program may
//! link still leads where it seems to.

use std::sync::Arc;

use super::judged::Judged;
use super::sign_roles::{is_circled_letter, is_list_mark};
use super::{HostBounds, Judge, Judgement, TldStatus};
use crate::outcome::{Reason, Reasons, Verdict};
use homograph::{RestrictionLevel, Section, is_cjk, is_word, mixes_scripts, registrable};
use uts58::Kind;
use uts58::unicode::hosts::{is_joiner, is_mark, numeral_zero};
use uts58::unicode::{is_dot_to_somebody, is_letter};

impl Judge<'_> {
    /// Lowers the verdict of words that no reader takes for a host.
    pub(super) fn downgrade_words(&mut self, host: &str, kind: Kind, judged: &mut Judged) {
        let turns = judged.reasons.contains(Reason::BidiControl);
        if judged.verdict <= Verdict::Notice || turns || !judged.inner.is_empty() {
            return;
        }
        let harmless = if kind == Kind::Bare && ends_sentence(host) {
            true
        } else if judged.target().is_some() {
            false
        } else if let Some(plain) = without_stretching(host) {
            self.is_unknown_host(&plain) || kind == Kind::Bare && self.is_number_of_words(&plain)
        } else if kind == Kind::Bare {
            is_file_name(host)
                || is_forbidden_number(host, judged.verdict, judged.reasons)
                || list_mark(host)
                    .is_some_and(|rest| !rest.contains(is_dot_to_somebody) || self.is_plain(rest))
                || list_letter(host).is_some_and(|rest| self.is_plain_domain(rest))
                || behind_joiner(host).is_some_and(|rest| self.is_plain(rest))
        } else if kind == Kind::Www {
            behind_joiner(host).is_some_and(|rest| self.is_plain(rest))
        } else {
            false
        };
        if harmless || self.has_particle(host, judged) {
            self.let_alone(host, kind, judged);
        }
    }

    /// Whether a host that programs might link in a local part is words.
    pub(super) fn is_words(&mut self, host: &str, kind: Kind, judgement: &Arc<Judgement>) -> bool {
        let mut judged = Judged::of(Arc::clone(judgement), TldStatus::Link);
        self.downgrade_words(host, kind, &mut judged);
        let is_sign = kind == Kind::Bare && judged.target().is_none() && is_word(host);
        judged.verdict <= Verdict::Notice || is_sign
    }

    /// Lowers the verdict of a host, and where a program would link it keeps the net from finding it again.
    pub(super) fn let_alone(&mut self, host: &str, kind: Kind, judged: &mut Judged) {
        judged.downgrade();
        if kind.is_announced() {
            self.seen.absolve(host);
        }
    }

    /// Whether nothing is against a host.
    pub(super) fn is_plain(&mut self, host: &str) -> bool {
        self.host(host, HostBounds::Certain).is_harmless()
    }

    /// The same, and it is a domain or below one: what is in front of it is below that as well.
    fn is_plain_domain(&mut self, host: &str) -> bool {
        registrable(host, Section::Private).is_some() && self.is_plain(host)
    }

    /// Whether nothing is against a host, and readers do not know it.
    pub(super) fn is_unknown_host(&mut self, host: &str) -> bool {
        let judgement = self.host(host, HostBounds::Certain);
        self.is_plain(host) && !self.is_protected(&judgement.ascii)
    }

    fn is_number_of_words(&mut self, host: &str) -> bool {
        let judgement = self.host(host, HostBounds::Certain);
        judgement.target.is_none()
            && is_forbidden_number(host, judgement.verdict, judgement.reasons)
    }

    /// Whether a host is an abbreviation with a Japanese particle, which has one stroke and no shape of a letter:
    /// `jrへ.com`. Known names with one pose.
    fn has_particle(&mut self, host: &str, judged: &Judged) -> bool {
        let of_stroke = |reason: Reason| {
            reason.verdict() <= Verdict::Notice || reason == Reason::SeparatorLookalike
        };
        let host = host.strip_prefix("www.").unwrap_or(host);
        let Some((word, suffix)) = host.split_once('.') else { return false };
        let short = word.trim_end_matches(is_particle);
        short.len() < word.len()
            && !short.is_empty()
            && short.bytes().all(|c| c.is_ascii_alphanumeric())
            && suffix.is_ascii()
            && !self.tlds().exists(&short.to_ascii_lowercase())
            && !self.is_label_of_name(&short.to_ascii_lowercase())
            && judged.target().is_none()
            && judged.reasons.iter().all(of_stroke)
            && !suffix.contains('.')
    }
}

fn is_particle(c: char) -> bool {
    matches!(c, 'へ' | 'ヘ' | 'く' | 'し')
}

/// Whether a sentence of Chinese or Japanese ends and the next one begins with a word that is a top-level domain:
/// `OpenAIへ。中国`. Browsers read the full stop as a dot, but no program links words for it.
fn ends_sentence(host: &str) -> bool {
    let Some((before, next)) = host.split_once('。') else { return false };
    let is_sign = |c: char| !c.is_ascii() && !is_letter(c);
    let of_word = |c: char| is_cjk(c) || is_sign(c) || is_list_mark(c) || c.is_ascii_alphanumeric();
    let is_symbol = |c: char| matches!(c, 'Α'..='ω');
    let is_latin = before.contains(|c: char| c.is_ascii_alphabetic());
    !before.is_empty()
        && !next.is_empty()
        && next.chars().all(is_cjk)
        && before.chars().all(|c| of_word(c) || !is_latin && is_symbol(c))
}

/// The host without the strokes that stretch Arabic words (U+0640), which no registry takes (RFC 5892 §2.6). `None` if
/// it has none, or one that stretches no Arabic letter.
fn without_stretching(host: &str) -> Option<String> {
    const STRETCH: char = '\u{640}';
    if !host.contains(STRETCH) {
        return None;
    }
    let mut plain = String::new();
    for label in host.split('.') {
        let of_arabic = |c: char| is_arabic(c) || is_mark(c);
        if label.contains(STRETCH) && !label.chars().all(of_arabic) {
            return None;
        }
        if !plain.is_empty() {
            plain.push('.');
        }
        plain.extend(label.chars().filter(|c| *c != STRETCH));
    }
    Some(plain)
}

pub(super) fn is_arabic(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{6FF}' | '\u{750}'..='\u{77F}' | '\u{8A0}'..='\u{8FF}')
}

/// Whether words of Arabic or Hebrew are no host because one begins with a number (RFC 5893 §2, rule 1):
/// `2024م.السعودية`.
fn is_forbidden_number(host: &str, verdict: Verdict, reasons: Reasons) -> bool {
    let of_number = |reason: Reason| {
        use Reason::{DigitLookalike, IdnaInvalid, NumberMix, WholeScript};
        reason.verdict() <= Verdict::Notice
            || matches!(reason, IdnaInvalid | DigitLookalike | NumberMix | WholeScript)
    };
    let is_number = |c: char| numeral_zero(c).is_some() || c.is_ascii_digit();
    let turns = |c: char| is_arabic(c) || matches!(c, '\u{590}'..='\u{5FF}');
    let of_word = |c: char| turns(c) || is_number(c) || is_mark(c) || is_joiner(c);
    verdict == Verdict::Invalid
        && reasons.iter().all(of_number)
        && host.contains(turns)
        && host.split('.').any(|label| label.starts_with(is_number))
        && host.split('.').all(|label| label.is_ascii() || label.chars().all(of_word))
}

/// What follows the number or mark of a list: `Ⅰ.`, `1º.`, `nº.`, `১.`, `1️⃣.`. Whoever links it with the rest is led to the
/// rest.
fn list_mark(host: &str) -> Option<&str> {
    let (mark, rest) = host.split_once(is_dot_to_somebody)?;
    let is_number = || {
        let mut zeros = mark.chars().map(numeral_zero);
        let first = zeros.next().flatten();
        first.is_some() && zeros.all(|zero| zero == first)
    };
    let is_keycap = || {
        let digits = mark.trim_end_matches(KEYCAP);
        !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit())
    };
    let is_mark = || {
        let ascii = mark.chars().filter(char::is_ascii_alphanumeric).count();
        let marks = mark.chars().filter(|c| is_list_mark(*c)).count();
        let circles = mark.chars().filter(|c| is_circled_letter(*c)).count();
        let all = mark.chars().count();
        marks > 0 && ascii <= 2 && circles <= 1 && all <= MARK && ascii + marks == all
    };
    (!rest.is_empty() && !mark.is_ascii() && (is_number() || is_keycap() || is_mark()))
        .then_some(rest)
}

/// What makes a key of a digit: how it is drawn, and the frame.
const KEYCAP: [char; 2] = ['\u{FE0F}', '\u{20E3}'];

/// What follows a letter of a list in a script that is not Latin, and its dot: `б.example.com`, `ア.example.com`.
fn list_letter(host: &str) -> Option<&str> {
    let (mark, rest) = host.split_once('.')?;
    let mut letters = mark.chars();
    let is_letter = letters.next().is_some_and(|c| !c.is_ascii() && is_letter(c));
    (is_letter && letters.next().is_none() && rest.is_ascii()).then_some(rest)
}

/// Characters of the mark of a list at most: `ⅩⅤⅢ`, `12º`.
const MARK: usize = 4;

/// Whether it is the name of a file with words of several scripts between underscores, which no registry takes:
/// `README_рус.md`.
fn is_file_name(host: &str) -> bool {
    let Some((name, extension)) = host.rsplit_once('.') else { return false };
    name.contains('_')
        && !name.contains('.')
        && extension.bytes().all(|c| c.is_ascii_alphanumeric())
        && name
            .chars()
            .all(|c| is_letter(c) || is_mark(c) || c.is_ascii_digit() || "_-".contains(c))
        && name.split(['_', '-']).all(is_of_one_script)
}

pub(super) fn is_of_one_script(word: &str) -> bool {
    !mixes_scripts(word, RestrictionLevel::SingleScript)
}

/// The host behind joiners, with which none begins (RFC 5892 A.1, A.2).
fn behind_joiner(host: &str) -> Option<&str> {
    let rest = host.trim_start_matches(is_joiner);
    (rest.len() < host.len() && !rest.is_empty()).then_some(rest)
}
