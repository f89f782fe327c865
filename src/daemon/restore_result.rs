//! What became of an outbound message that carries a recipe, in the words of header, log, metrics and journal.

use std::fmt;

use crate::engine::splice::Restored;
use crate::record::event::ORIGINAL;

/// What became of an outbound message that carries a recipe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RestoreResult {
    /// It goes out as it was before the filter edited it.
    Original(Box<Restored>),
    /// It goes out as it came.
    NotRestored(NotRestored),
}

word_enum! {
    /// Why a message is not restored.
    #[derive(Hash)]
    pub enum NotRestored {
        /// Some recipients are local and some are not, and a milter has one answer for all of them.
        MixedRecipients = "divided",
        /// No recipe carries the seal of one of our keys.
        ForeignSeal = "foreign",
        /// The body, or a header field that the filter edited, has changed since.
        Changed = "changed",
        /// The recipe is not in the state directory of this host, or not any more.
        MissingRecipe = "missing",
        /// The recipe cannot be read.
        BrokenRecipe = "broken",
        /// There are more recipes than the filter undoes.
        TooManyRecipes = "too-many",
        /// The message is truncated: it was too long to keep.
        Truncated = "cut",
        /// The engine failed, or took too long.
        Failed = "unread",
        /// The MTA does not let the filter change body and header.
        NotPermitted = "not-granted",
    }
}

impl fmt::Display for NotRestored {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl RestoreResult {
    /// The word in log, metrics and journal.
    pub const fn as_str(&self) -> &'static str {
        match self {
            RestoreResult::Original(_) => ORIGINAL,
            RestoreResult::NotRestored(reason) => reason.as_str(),
        }
    }
}
