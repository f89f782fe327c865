//! Abbreviations with raised letters (`profª`, `artº`, `5ᵗʰ`), what mathematicians call things (`ℝⁿ`, `Aᵀ`, `𝐯`) and words in
//! the letters of scholars (`Qurʾān`, `Saʿūd`), and behind their dot the next word without a space. Bare words only:
//! behind a scheme or `www.` a host is meant.

use super::Judge;
use super::judged::Judged;
use super::words::is_of_one_script;
use crate::outcome::{Reason, Verdict};
use uts58::unicode::is_letter;
use uts58::{Kind, Link};

/// Letters that stand above the line at the end of an abbreviation.
const RAISED: [char; 8] = ['ª', 'º', 'ʰ', 'ʳ', 'ˢ', 'ᵈ', 'ᵗ', 'ⁿ'];

/// Raised letters at most behind that of a set of numbers or a matrix.
const EXPONENT: usize = 2;

/// Signs of Arabic and Hebrew letters in Latin script.
const RINGS: [char; 2] = ['\u{2BE}', '\u{2BF}'];

impl Judge<'_> {
    /// Lowers the verdict of such a word in front of a top-level domain of two letters. What it reads as is no known name.
    pub(super) fn downgrade_scholarly(&mut self, text: &str, link: &Link, judged: &mut Judged) {
        if judged.verdict <= Verdict::Notice
            || link.kind != Kind::Bare
            || link.span != link.host
            || !judged.inner.is_empty()
            || judged.target().is_some()
        {
            return;
        }
        let host = link.host_str(text);
        let Some((word, suffix)) = host.split_once('.') else { return };
        if suffix.len() == 2
            && (self.is_abbreviation(word, judged)
                || self.is_of_mathematics(word, judged)
                || self.is_transliterated(word, judged))
        {
            self.let_alone(host, link.kind, judged);
        }
    }

    /// Whether letters of ASCII end in raised or lowered ones, and readers do not know the host that programs make of it.
    fn is_abbreviation(&mut self, word: &str, judged: &Judged) -> bool {
        let stem = word.trim_end_matches(|c| RAISED.contains(&c) || is_lowered(c));
        !stem.is_empty()
            && stem.len() < word.len()
            && stem.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && self.is_read_as_unknown(judged)
    }

    /// Whether a word is the letter of a set of numbers, a vector, or a letter with raised or lowered ones: `ℤ`, `𝐯`, `ℝⁿ`,
    /// `Aᵀ`, `𝔽ₚ`.
    fn is_of_mathematics(&mut self, word: &str, judged: &Judged) -> bool {
        let mut letters = word.chars();
        let is_set = letters.next().is_some_and(is_variable);
        let is_letter = word.starts_with(|c: char| c.is_ascii_alphabetic());
        let raised = letters.clone().count();
        (is_set || is_letter && raised > 0)
            && raised <= EXPONENT
            && letters.all(|c| matches!(c, 'ⁿ' | 'ⁱ' | '\u{1D2C}'..='\u{1D6A}') || is_lowered(c))
            && self.is_read_as_unknown(judged)
    }

    /// Whether nothing but the form of its letters is against a host, and readers do not know what programs make of it.
    fn is_read_as_unknown(&mut self, judged: &Judged) -> bool {
        let of_form =
            |reason: Reason| reason == Reason::CompatForm || reason.verdict() <= Verdict::Notice;
        let Some(of) = judged.host.as_deref() else { return false };
        let label = of.ascii.split('.').next().unwrap_or_default();
        judged.reasons.iter().all(of_form)
            && !self.is_known_label(label)
            && self.is_unknown_host(&of.ascii)
    }

    /// Whether a Latin word has such signs between its letters, none of them between a name and a suffix.
    fn is_transliterated(&self, word: &str, judged: &Judged) -> bool {
        use Reason::{SeparatorLookalike, StatusRestricted, TldLetter};
        let of_rings = |reason: Reason| {
            matches!(reason, SeparatorLookalike | StatusRestricted | TldLetter)
                || reason.verdict() <= Verdict::Notice
        };
        let is_piece = |piece: &str| piece.chars().all(is_letter) && !self.reads_as_label(piece);
        let is_suffix =
            |piece: &str| piece.is_ascii() && self.tlds().exists(&piece.to_ascii_lowercase());
        let plain = word.replace(RINGS, "").replace('-', "");
        word.contains(RINGS)
            && judged.reasons.iter().all(of_rings)
            && plain.contains(|c: char| c.is_ascii_alphabetic())
            && is_of_one_script(&plain)
            && !self.reads_as_label(&plain)
            && word.split(RINGS).flat_map(|piece| piece.split('-')).all(is_piece)
            && !word.split(RINGS).skip(1).any(is_suffix)
    }
}

/// Digits and letters below the line: `GABAₐ`, `5-HT₂ₐ`.
fn is_lowered(c: char) -> bool {
    matches!(c, 'ᵢ' | 'ᵣ' | 'ᵤ' | 'ᵥ' | 'ⱼ' | '\u{2080}'..='\u{2089}' | '\u{2090}'..='\u{209C}')
}

/// A letter of mathematics alone: bold, slanted, of script, double-struck.
fn is_variable(c: char) -> bool {
    is_double_struck(c) || matches!(c, '\u{1D400}'..='\u{1D7CB}')
}

/// Letters with a doubled stroke, as those of sets of numbers are.
fn is_double_struck(c: char) -> bool {
    matches!(c, 'ℂ' | 'ℍ' | 'ℕ' | 'ℙ' | 'ℚ' | 'ℝ' | 'ℤ' | '\u{1D538}'..='\u{1D56B}')
}
