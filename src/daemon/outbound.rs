//! Outbound mail is restored to its original.
//!
//! A mailbox server may redirect a message that was edited on the way in, an alias may forward it, or a person
//! may send it on as it is. The edits would break its DKIM signature, and with that DMARC at the next host. Our
//! own sealed recipe says what the message was. Either a body comes out whose SHA-256 our seal covers, or the
//! message stays as it is.

use super::recipes;
use super::restore_result::{NotRestored, RestoreResult};
use super::settings::Loaded;
use crate::engine::Policy;
use crate::engine::splice::{self, Believe, RestoreError, restore_as};
use crate::milter::Mail;
use crate::milter::session::Completeness;
use crate::milter::wire::Actions;
use crate::policy::Leaving;

/// Whether the message is to be restored: it is outbound, wholly or in part, and carries a recipe.
pub fn applies(mail: &Mail, leaving: Leaving, loaded: &Loaded) -> bool {
    leaving != Leaving::No && loaded.config.restores_outbound() && splice::has_recipe(&mail.head)
}

/// The original of a message to which this [`applies`]. Reads a file if the recipe is in the state directory.
pub fn restore(mail: &Mail, leaving: Leaving, policy: &Policy, loaded: &Loaded) -> RestoreResult {
    let needed = Actions::CHANGE_BODY.with(Actions::CHANGE_HEADERS);
    if mail.completeness == Completeness::Cut {
        return RestoreResult::NotRestored(NotRestored::Truncated);
    }
    if leaving == Leaving::Partly {
        return RestoreResult::NotRestored(NotRestored::MixedRecipients);
    }
    if !mail.actions.has(needed) {
        return RestoreResult::NotRestored(NotRestored::NotPermitted);
    }
    let directory = recipes::directory(&loaded.config);
    let stored = |digest: &str| recipes::read(&directory, digest).ok();
    match restore_as(&mail.head, &mail.body, &policy.known_keys(), Believe::Sealed, stored) {
        Ok(restored) => RestoreResult::Original(Box::new(restored)),
        Err(error) => RestoreResult::NotRestored(reason(&error)),
    }
}

const fn reason(error: &RestoreError) -> NotRestored {
    match error {
        RestoreError::NoRecipe | RestoreError::Foreign => NotRestored::ForeignSeal,
        RestoreError::TooMany(_) => NotRestored::TooManyRecipes,
        RestoreError::Malformed(_) => NotRestored::BrokenRecipe,
        RestoreError::NotHere(_) => NotRestored::MissingRecipe,
        RestoreError::DoesNotFit | RestoreError::Disagrees { .. } | RestoreError::Rewritten(_) => {
            NotRestored::Changed
        }
    }
}
