//! One name that is protected, blocked or allowed: its labels, and how far it reaches.

#[cfg(feature = "senders")]
use std::sync::OnceLock;

#[cfg(feature = "senders")]
use crate::characters::cjk::is_cjk;
use crate::characters::lookalike::Look;
#[cfg(feature = "senders")]
use crate::english::is_any_word;

/// Letters of a protected name so long that no other word equals it by chance.
#[cfg(feature = "senders")]
pub(crate) const DISTINCTIVE: usize = 6;
/// Letters of the shortest protected name that is compared at all.
pub(crate) const MIN_BRAND: usize = 3;

/// Letters of an alphabet that a character counts as which is a syllable or a word: names of two are as long as others of
/// six.
#[cfg(feature = "senders")]
const LETTERS_OF_SYLLABLE: usize = 3;

/// One name of a set.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    /// Lower-case ASCII form.
    pub ascii: Box<str>,
    /// Its labels in Unicode form: the spelling, and the look.
    pub labels: Vec<(Box<str>, Look)>,
    /// Index of the registrable label.
    pub brand: usize,
    /// The look of the label after the registrable one.
    pub after_brand: Option<u64>,
    pub reach: Reach,
    /// What [`Name::is_no_word`] says, once it was asked.
    #[cfg(feature = "senders")]
    pub no_word: OnceLock<bool>,
}

impl Name {
    /// The registrable label.
    pub(crate) fn label(&self) -> &str {
        self.labels.get(self.brand).map_or("", |(label, _)| label)
    }

    /// How long the registrable label is, in letters of an alphabet.
    #[cfg(feature = "senders")]
    pub(crate) fn letters(&self) -> usize {
        let extra = LETTERS_OF_SYLLABLE - 1;
        self.brand_len() + extra * self.label().chars().filter(|c| is_cjk(*c)).count()
    }

    /// Whether the registrable label is so long that no other word equals it by chance, and no word itself.
    #[cfg(feature = "senders")]
    pub(crate) fn is_no_word(&self) -> bool {
        *self.no_word.get_or_init(|| self.letters() >= DISTINCTIVE && !is_any_word(self.label()))
    }

    /// Length of the registrable label, in characters as read.
    pub(crate) fn brand_len(&self) -> usize {
        self.labels.get(self.brand).map_or(0, |(_, look)| look.len())
    }
}

/// How far a protected name reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The registrable label is a brand: recognised under any suffix and as a subdomain.
    Brand,
    /// The label is a common word: only the whole name is recognised. Spelled `=name`.
    Whole,
}

/// Why a line of a list of names was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: expected a host name, found {found:?}")]
#[non_exhaustive]
pub struct BadName {
    /// Counted from 1.
    pub line: usize,
    /// The line, without white space at its ends.
    pub found: String,
}
/// A word without the number behind it.
pub(crate) fn without_number(word: &str) -> &str {
    word.trim_end_matches(|c: char| c.is_ascii_digit())
}
