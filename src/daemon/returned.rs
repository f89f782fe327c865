//! What became of mail of the house that carries a recipe, in the words of header, log, metrics and journal.

use std::fmt;

use crate::engine::splice::Restored;
use crate::record::event::ORIGINAL;

/// What became of a message of the house that carries a recipe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Return {
    /// It leaves as it was before the filter.
    Original(Box<Restored>),
    /// It stays as it is.
    Left(Why),
}

/// Why a message stays as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Why {
    /// Some recipients are of the house, and one answer serves all.
    Divided,
    /// No recipe carries the seal of a key of ours.
    Foreign,
    /// The body, or a header field that the filter edited, is another than the filter made.
    Changed,
    /// The recipe is not in the state directory of this host, or not any more.
    Missing,
    /// The recipe cannot be read.
    Broken,
    /// More recipes than are undone.
    TooMany,
    /// Only the beginning of the message was kept.
    Cut,
    /// Something failed, or took too long, before an original came of it.
    Unread,
    /// The MTA does not let body and header be changed.
    NotGranted,
}

impl Why {
    pub const ALL: [Why; 9] = [
        Why::Divided,
        Why::Foreign,
        Why::Changed,
        Why::Missing,
        Why::Broken,
        Why::TooMany,
        Why::Cut,
        Why::Unread,
        Why::NotGranted,
    ];

    /// The word in header, log, metrics and journal.
    pub const fn as_str(self) -> &'static str {
        match self {
            Why::Divided => "divided",
            Why::Foreign => "foreign",
            Why::Changed => "changed",
            Why::Missing => "missing",
            Why::Broken => "broken",
            Why::TooMany => "too-many",
            Why::Cut => "cut",
            Why::Unread => "unread",
            Why::NotGranted => "not-granted",
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl Return {
    /// The word in log, metrics and journal.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Return::Original(_) => ORIGINAL,
            Return::Left(why) => why.as_str(),
        }
    }
}
