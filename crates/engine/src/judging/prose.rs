//! What science, files and hurried sentences write, and programs may link: `TNFα.In`, `PDF-договор.zip`, `música.La`,
//! `Facebooku.Do`, `его.Google`.
//! Bare words only: behind a scheme or `www.` a host is meant.

use super::judged::Judged;
use super::logins::has_only;
use super::{Judge, vocabulary};
use crate::outcome::{Reason, Reasons, Verdict};
use homograph::{RestrictionLevel, mixes_scripts, reads_as};
use uts58::unicode::hosts::{is_mark, numeral_zero};
use uts58::unicode::is_letter;
use uts58::{Kind, Link};

impl Judge<'_> {
    /// Lowers the verdict of bare words that are no host to who wrote them, and no name that readers know.
    pub(super) fn downgrade_prose(&mut self, text: &str, link: &Link, judged: &mut Judged) {
        if judged.verdict <= Verdict::Notice || link.kind != Kind::Bare || !judged.inner.is_empty()
        {
            return;
        }
        let host = link.host_str(text);
        if self.is_named_file(host, judged) {
            return self.let_alone(host, link.kind, judged);
        }
        let Some((word, suffix)) = host.split_once('.') else { return };
        if !are_of_letters(judged.reasons) {
            return;
        }
        let ends_sentence = begins_sentence(suffix)
            && vocabulary::holds(word)
            && is_of_another_suffix(suffix, judged)
            || judged.verdict == Verdict::Suspect
                && is_sentence_end(word, suffix)
                && is_in_sentence(text, link)
                && (WORDS.contains(&word) || is_of_another_suffix(suffix, judged));
        let goes_on = || {
            link.span == link.host
                && vocabulary::goes_on(word, suffix)
                && is_of_another_suffix(suffix, judged)
                && is_said(text, link)
        };
        let is_none = || {
            (is_of_science(word, suffix) || is_ending(suffix) && is_file(word, judged.verdict))
                && judged.target().is_none()
                && !judged.reasons.contains(Reason::SeparatorLookalike)
                && !words(word).any(|word| self.reads_as_label(word))
        };
        if ends_sentence || goes_on() || is_brand(suffix) || is_none() {
            self.let_alone(host, link.kind, judged);
        }
    }

    /// Lowers the verdict of a name with a case ending, or without one, where the next sentence begins without a space:
    /// `Netflixu.Co`, `correio.De`.
    pub(super) fn downgrade_inflected(&mut self, text: &str, link: &Link, judged: &mut Judged) {
        if !is_bare_with(link, judged, Reason::TargetLookalike) {
            return;
        }
        let host = link.host_str(text);
        let Some((word, suffix)) = host.split_once('.') else { return };
        let is_of_name = judged.target().is_some_and(|target| {
            let name = target.split('.').next().unwrap_or_default();
            let word = word.to_ascii_lowercase();
            word.starts_with(name) || name.starts_with(&word)
        });
        let small = |rest: &str| rest.bytes().all(|c| c.is_ascii_lowercase());
        if is_of_name
            && begins_sentence(suffix)
            && word.get(1..).is_some_and(small)
            && is_in_sentence(text, link)
        {
            self.let_alone(host, link.kind, judged);
        }
    }

    /// Lowers the verdict of a name, or a compound with one, where the next sentence begins without a space, and of files
    /// that are named so: `PayPal.Click on`, `PayPal-Konto.Es wurde`, `google_login.py`, `facebook-login.md`.
    pub(super) fn downgrade_compound(&mut self, text: &str, link: &Link, judged: &mut Judged) {
        if !is_bare_with(link, judged, Reason::NameInHost) {
            return;
        }
        let host = link.host_str(text);
        let Some((word, suffix)) = host.split_once('.') else { return };
        let behind = text.get(link.span.end..).unwrap_or_default();
        let runs_on = || {
            let next =
                behind.strip_prefix(char::is_whitespace).and_then(|next| next.chars().next());
            next.is_some_and(char::is_lowercase)
        };
        // No registry takes an underscore.
        let is_file = SOURCES.contains(&suffix) || word.contains('_') && !suffix.contains('.');
        let is_compound = || begins_sentence(suffix) && word.contains('-') && runs_on();
        // A capital is behind the dot, and what a client would open ends there.
        let is_alone = || {
            link.span == link.host
                && is_name_of_sentence(word)
                && is_first_word(suffix)
                && runs_on()
        };
        if is_of_another_suffix(suffix, judged) && (is_file || is_compound() || is_alone()) {
            self.let_alone(host, link.kind, judged);
        }
    }

    /// Whether a word reads as the label of a name, however short it is.
    pub(super) fn reads_as_label(&self, word: &str) -> bool {
        let mut reads = String::with_capacity(word.len());
        for c in word.chars() {
            match c.is_ascii() {
                true => reads.push(c.to_ascii_lowercase()),
                false => match reads_as(c) {
                    Some(read) => reads.push_str(read),
                    None => return false,
                },
            }
        }
        self.is_known_label(&reads)
    }

    pub(super) fn is_known_label(&self, label: &str) -> bool {
        self.policy.protected.has_label(label) || self.own_names.has_label(label)
    }
}

/// Whether a bare word is suspect for this reason alone.
fn is_bare_with(link: &Link, judged: &Judged, only: Reason) -> bool {
    judged.verdict == Verdict::Suspect
        && link.kind == Kind::Bare
        && judged.inner.is_empty()
        && has_only(judged.reasons, only)
}

/// Whether a word resembles no name, or one under another suffix: `música.La` and `musica.com.br`.
pub(super) fn is_of_another_suffix(suffix: &str, judged: &Judged) -> bool {
    judged.target().is_none_or(|target| {
        let own = target.rsplit('.').next().unwrap_or_default();
        !own.eq_ignore_ascii_case(suffix)
    })
}

/// Endings of source files and documents that are top-level domains of small countries.
pub(super) const SOURCES: [&str; 6] = ["md", "ps", "py", "rs", "sh", "so"];

/// Top-level domains that their owners use by themselves: nobody else has a host there, and sentences begin with them.
const BRANDS: [&str; 33] = [
    "alipay", "amazon", "android", "apple", "audi", "aws", "azure", "baidu", "barclays", "bing",
    "bmw", "canon", "chrome", "dell", "dhl", "fedex", "gmail", "google", "hotmail", "hsbc",
    "kindle", "microsoft", "netflix", "office", "samsung", "skype", "sony", "toyota", "visa",
    "windows", "xbox", "yahoo", "youtube",
];

fn is_brand(suffix: &str) -> bool {
    BRANDS.iter().any(|brand| suffix.eq_ignore_ascii_case(brand))
}

/// Whether a top-level domain of two letters is spelled as the first word of a sentence.
fn begins_sentence(suffix: &str) -> bool {
    suffix.len() == 2 && is_first_word(suffix)
}

/// Whether a word is spelled as the first one of a sentence.
fn is_first_word(word: &str) -> bool {
    word.len() > 1
        && word.starts_with(|c: char| c.is_ascii_uppercase())
        && word.bytes().skip(1).all(|c| c.is_ascii_lowercase())
}

/// Whether a word is spelled as a name in a sentence: `PayPal`, `eBay`.
fn is_name_of_sentence(word: &str) -> bool {
    word.bytes().all(|c| c.is_ascii_alphanumeric())
        && word.bytes().any(|c| c.is_ascii_uppercase())
        && word.bytes().any(|c| c.is_ascii_lowercase())
}

/// Whether all that counts is about letters, and not about what stands on lists or turns text.
fn are_of_letters(reasons: Reasons) -> bool {
    use Reason::{
        DigitLookalike, IdnaInvalid, MixedScript, NumberMix, SeparatorLookalike, StatusRestricted,
        TargetLookalike, TldLetter, WholeScript,
    };
    reasons.iter().all(|reason| {
        reason.verdict() <= Verdict::Notice
            || matches!(reason, DigitLookalike | IdnaInvalid | MixedScript | NumberMix)
            || matches!(reason, SeparatorLookalike | StatusRestricted | TargetLookalike)
            || matches!(reason, TldLetter | WholeScript)
    })
}

/// Words that resemble a name and are far more common than that.
const WORDS: [&str; 1] = ["über"];

/// Greek letters in a word of science at most.
const SYMBOLS: usize = 3;

/// Small Latin letters in one at most unless it has as many capitals, and without a capital or a digit: `Tnfα`, `DNApolα`,
/// `σx`. More of them are a word.
const SMALL: usize = 2;
const SMALL_ALONE: usize = 1;

/// Whether a word is an abbreviation or a number with Greek letters: `TNFα`, `IL-1β`, `5σ`. Source files have them in
/// front or at the end of any word: `figα.py`.
fn is_of_science(word: &str, suffix: &str) -> bool {
    let symbols = word.chars().filter(|c| is_symbol(*c)).count();
    let ascii = word.chars().filter(char::is_ascii_alphanumeric).count();
    let small = word.chars().filter(char::is_ascii_lowercase).count();
    let capitals = word.chars().filter(char::is_ascii_uppercase).count();
    let most = if small < ascii { SMALL.max(capitals) } else { SMALL_ALONE };
    (1..=SYMBOLS).contains(&symbols)
        && ascii > 0
        && (small <= most
            || SOURCES.contains(&suffix) && !word.trim_matches(is_symbol).contains(is_symbol))
        && word.chars().all(|c| is_symbol(c) || c.is_ascii_alphanumeric() || c == '-')
        && suffix.bytes().all(|c| c.is_ascii_alphabetic())
}

/// Greek letters that stand for something in formulas and names of substances: none that has the shape of a Latin one.
fn is_symbol(c: char) -> bool {
    match c {
        'ο' | 'ς' => false,
        'α'..='ω' => true,
        _ => matches!(c, 'Γ' | 'Δ' | 'Θ' | 'Λ' | 'Ξ' | 'Π' | 'Σ' | 'Φ' | 'Ψ' | 'Ω'),
    }
}

/// Top-level domains that are endings of files as well.
const ENDINGS: [&str; 11] = ["md", "mk", "mov", "pl", "ps", "py", "rs", "sh", "so", "tf", "zip"];

pub(super) fn is_ending(suffix: &str) -> bool {
    ENDINGS.iter().any(|ending| suffix.eq_ignore_ascii_case(ending))
}

/// Small Latin letters at most of a word that is unsafe: the others beside them all have a Latin twin: `АОv1`. More of
/// them are a word in disguise.
const BESIDE_TWINS: usize = 1;

/// The words of a name, without short ones of plain letters, which disguise nothing.
pub(super) fn words(name: &str) -> impl Iterator<Item = &str> {
    let words = name.split(['-', '_']);
    words.filter(|word| !word.is_ascii() || word.len() >= PLAIN_WORD)
}

/// Letters of a plain word at least that counts as a name.
const PLAIN_WORD: usize = 4;

/// Whether the words of a name are each of one script, or of two that meet once: `PDF-договор`, `v2отчет`.
fn is_file(name: &str, verdict: Verdict) -> bool {
    let small = name.chars().filter(char::is_ascii_lowercase).count();
    !name.is_ascii()
        && name.split(['-', '_']).all(is_word_of_file)
        && (small <= BESIDE_TWINS || verdict != Verdict::Unsafe || is_capitals(name))
}

/// Whether the letters beyond ASCII are capitals, and several: `ООО` of `ОООiPhone`, which no word in small letters has.
fn is_capitals(name: &str) -> bool {
    let foreign = || name.chars().filter(|c| !c.is_ascii() && is_letter(*c));
    foreign().nth(1).is_some() && foreign().all(char::is_uppercase)
}

fn is_word_of_file(word: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit() || numeral_zero(c).is_some();
    let of_word = |c: char| is_letter(c) || is_mark(c) || is_digit(c);
    let foreign: String = word.chars().filter(|c| !c.is_ascii()).collect();
    let letters = || word.chars().filter(|c| !is_digit(*c));
    let meets =
        letters().zip(letters().skip(1)).filter(|(one, two)| one.is_ascii() != two.is_ascii());
    word.chars().all(of_word)
        && meets.count() <= 1
        && !mixes_scripts(&foreign, RestrictionLevel::HighlyRestrictive)
}

/// Whether a word in letters beyond ASCII, small ones behind the first, ends a sentence, and the next one begins without
/// a space: `informaţii.Nu`, `e-pošte.Na`.
fn is_sentence_end(word: &str, next: &str) -> bool {
    let of_word = |c: char| c.is_lowercase() || is_mark(c) || matches!(c, 'ʻ' | 'ʼ' | '-');
    let mut next = next.chars();
    !word.is_ascii()
        && word.starts_with(is_letter)
        && word.chars().skip(1).all(of_word)
        && !mixes_scripts(word, RestrictionLevel::SingleScript)
        && word.contains(|c: char| c.is_ascii_lowercase())
        && next.next().is_some_and(|c| c.is_ascii_uppercase())
        && !next.as_str().is_empty()
        && next.all(|c| c.is_ascii_lowercase())
}

/// Whether words are before and behind a link, on either side of one space.
pub(super) fn is_in_sentence(text: &str, link: &Link) -> bool {
    let before = text.get(..link.span.start).unwrap_or_default();
    let behind = text.get(link.span.end..).unwrap_or_default();
    let word = before.strip_suffix(char::is_whitespace).and_then(|word| word.chars().next_back());
    let next = behind.strip_prefix(char::is_whitespace).and_then(|next| next.chars().next());
    word.is_some_and(|c| is_letter(c) || matches!(c, ',' | ';')) && next.is_some_and(is_letter)
}

/// Words that send a reader to what is behind them, of English, German, and languages whose words stand in front of others
/// of two letters (`languages`).
#[rustfmt::skip]
const SENDING: [&str; 20] = [
    "at", "auf", "bei", "besök", "chez", "em", "en", "na", "on", "pe", "på", "see", "sur", "to", "ver", "via", "visit",
    "visita", "visite", "visitez",
];

/// Whether a link is a word of a sentence, and no word in front sends its reader there.
pub(super) fn is_said(text: &str, link: &Link) -> bool {
    let before = text.get(..link.span.start).unwrap_or_default().trim_end();
    let word = before.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    is_in_sentence(text, link) && !SENDING.iter().any(|known| word.eq_ignore_ascii_case(known))
}
