//! Mail that leaves the house gets its originals back.
//!
//! A message that was edited on the way in, and that a mailbox server redirects, an alias forwards or
//! a person sends on as it is, would fail DKIM and DMARC at its next host. Our own sealed recipe says
//! what it was. What comes out is a body whose SHA-256 stands under our seal, or nothing.

use super::recipes;
use super::returned::{Return, Why};
use super::settings::Loaded;
use crate::engine::Policy;
use crate::engine::splice::{self, Believe, RestoreError, restore_as};
use crate::milter::Mail;
use crate::milter::session::Completeness;
use crate::milter::wire::Actions;
use crate::policy::Way;

/// Whether the message asks for its original: it leaves, wholly or in part, and carries a recipe.
pub fn concerns(mail: &Mail, way: Way, loaded: &Loaded) -> bool {
    way != Way::Stays && loaded.config.restores_outbound() && splice::has_recipe(&mail.head)
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
