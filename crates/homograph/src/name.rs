//! One name that is protected, blocked or allowed: its labels, and how far it reaches.

use super::lookalike::Look;

/// Letters of a protected name that no other word is by chance, and of one that is a name at all.
pub(super) const TELLING: usize = 6;
pub(super) const LEAST: usize = 3;

/// One name of a set.
#[derive(Clone, Debug)]
pub(super) struct Name {
    /// Lower-case ASCII form.
    pub ascii: Box<str>,
    /// Its labels in Unicode form, as looks, with the spelling.
    pub labels: Vec<(Box<str>, Look)>,
    /// Which of the labels is the registrable one.
    pub brand: usize,
    /// The look of the label behind it.
    pub behind: Option<u64>,
    pub reach: Reach,
}

impl Name {
    /// Characters read of its registrable label.
    pub(super) fn brand_len(&self) -> usize {
        self.labels.get(self.brand).map_or(0, |(_, look)| look.len())
    }
}

/// How far a protected name reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// Its registrable label is a brand: to be recognised under any suffix and as a subdomain.
    Brand,
    /// A common word: only the name as a whole is recognised. Spelled `=name`.
    Whole,
}

/// Why a line of a list of names was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: expected a host name, found {found:?}")]
#[non_exhaustive]
pub struct BadName {
    /// Counted from 1.
    pub line: usize,
    /// The line as it stands, without white space at its ends.
    pub found: String,
}
