//! Mail that leaves the house gets its originals back.
//!
//! A message that was edited on the way in, and that a mailbox server redirects, an alias forwards or
//! a person sends on as it is, would fail DKIM and DMARC at its next host. Our own sealed recipe says
//! what it was. What comes out is a body whose SHA-256 stands under our seal, or nothing.

use std::fmt;

use super::recipes;
use super::settings::Loaded;
use crate::engine::Policy;
use crate::engine::splice::{self, Believe, RestoreError, Restored, restore_as};
use crate::milter::Mail;
use crate::milter::session::Completeness;
use crate::milter::wire::Actions;
use crate::policy::Way;
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

/// Whether the message asks for its original: it leaves, wholly or in part, and carries a recipe.
pub fn concerns(mail: &Mail, way: Way, loaded: &Loaded) -> bool {
    way != Way::Stays && loaded.config.gives_back() && splice::has_recipe(&mail.head)
}

/// The original of a message that [`concerns`] us. Reads a file when the recipe is in the state
/// directory.
pub fn original(mail: &Mail, way: Way, policy: &Policy, loaded: &Loaded) -> Return {
    let needed = Actions::CHANGE_BODY.with(Actions::CHANGE_HEADERS);
    if mail.completeness == Completeness::Cut {
        return Return::Left(Why::Cut);
    }
    if way == Way::Divided {
        return Return::Left(Why::Divided);
    }
    if !mail.actions.has(needed) {
        return Return::Left(Why::NotGranted);
    }
    let directory = recipes::directory(&loaded.config);
    let stored = |digest: &str| recipes::stored(&directory, digest).ok();
    match restore_as(&mail.head, &mail.body, &policy.known_keys(), Believe::Sealed, stored) {
        Ok(restored) => Return::Original(Box::new(restored)),
        Err(error) => Return::Left(why(&error)),
    }
}

const fn why(error: &RestoreError) -> Why {
    match error {
        RestoreError::NoRecipe | RestoreError::Foreign => Why::Foreign,
        RestoreError::TooMany(_) => Why::TooMany,
        RestoreError::Malformed(_) => Why::Broken,
        RestoreError::NotHere(_) => Why::Missing,
        RestoreError::DoesNotFit | RestoreError::Disagrees { .. } | RestoreError::Rewritten(_) => {
            Why::Changed
        }
    }
}
