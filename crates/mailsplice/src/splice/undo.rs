//! The inverse of edits: a recipe that restores the original, and proves by its hash that it did.
//!
//! A recipe uses offsets of the edited body in CRLF form, so it also fits a copy that a Maildir stores with
//! bare line feeds. It never holds unedited bytes. It is deflated, then written to `X-Linkmilter-Undo` in
//! base64, or to the state directory under its SHA-256. Its layout is in `format`.

mod format;

use super::canonical::digest;
use super::fields;
pub use super::fields::SealedBy;
use super::packing;
use format::Recipe;
pub use format::{FIELDS, recipe};

/// Limit on the inflated size of a recipe: this multiple of the message, plus [`INFLATED_BASE`].
pub const INFLATED: usize = 4;
/// Bytes in addition to [`INFLATED`] times the message: a short message may have a long recipe.
pub const INFLATED_BASE: usize = 1 << 20;

/// Recipes of one message that are tried. Each is tried on the result of the previous ones, and each try
/// hashes the body. Real mail passes two or three filters.
pub const RECIPES: usize = 8;

/// Why an original could not be restored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RestoreError {
    /// No [`UNDO`](super::fields::UNDO) field: the message was not edited, or the field was removed.
    #[error("expected an X-Linkmilter-Undo field, found none")]
    NoRecipe,
    /// No recipe has a valid seal, and only sealed ones are trusted.
    #[error("expected the seal of a key of ours on the recipe, found none or another")]
    Foreign,
    /// The number of recipes of the message, if there are too many.
    #[error("expected at most {RECIPES} recipes, found {0}")]
    TooMany(usize),
    /// A recipe that cannot be read; what was found instead.
    #[error("expected a recipe of version 1 or 2, found {0}")]
    Malformed(&'static str),
    /// Digest of a recipe that was too long for a header field and is not available.
    #[error("the recipe {0} is in the state directory of the filter, not in the message")]
    NotHere(String),
    /// The recipe refers to bytes that the body does not have.
    #[error("the recipe does not fit this body: it was changed after the filter")]
    DoesNotFit,
    /// Name of a header field whose value is not the one that the recipe would undo.
    #[error("the {0} is not the one that the filter wrote: it was changed after the filter")]
    Rewritten(String),
    /// The result is not the original: nothing is restored.
    #[error(
        "expected a body with SHA-256 {expected}, found {found}: it was changed after the filter"
    )]
    Disagrees {
        /// The hash in the recipe, lower-case hexadecimal.
        expected: String,
        /// The hash of the result, likewise.
        found: String,
    },
}

/// A restored message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// Header fields with their line ends, without ours.
    pub head: Vec<u8>,
    /// The original body, byte for byte.
    pub body: Vec<u8>,
    /// Whether every recipe that was used has the seal of one of the given keys.
    pub seal: SealedBy,
    /// Header fields that were changed after the filter, and are overwritten with their originals. Empty if
    /// only sealed recipes are trusted.
    pub overwritten: Vec<String>,
}

/// What to do with header fields that were changed after the filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OnChangedField {
    /// Restore the old value and report it: a person asked for the original.
    Overwrite,
    /// Restore nothing: no person checks the result, and the message is not the same any more.
    Refuse,
}

/// Which recipes of a message are trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Believe {
    /// All: a person asks for the original of this message and sees who sealed it.
    All,
    /// Those with the seal of one of the keys: no person checks the result.
    Sealed,
}

/// Restores the original for a person who asks for it, even if the recipes are not sealed: [`restore_as`] with
/// one key or none.
///
/// # Errors
///
/// Those of [`restore_as`].
pub fn restore(
    head: &[u8],
    body: &[u8],
    key: Option<&[u8]>,
    stored: impl Fn(&str) -> Option<Vec<u8>>,
) -> Result<Restored, RestoreError> {
    restore_as(head, body, key.as_slice(), Believe::All, stored)
}

/// Restores the original: applies the recipes of the message, the last one first, each only if the result
/// has the SHA-256 in the recipe. `keys` are all keys that we seal or sealed with; `stored` finds a recipe by
/// its digest.
///
/// # Errors
///
/// There is no trusted recipe, none fits, or the hash disagrees. If only sealed ones are trusted, also when one
/// of ours cannot be read or is not available, even if others fitted: a half restored message is not the
/// original. A recipe that was read but fits nothing belongs to an earlier pass of the message, before someone
/// else changed it: then the message as it last came in is the original.
pub fn restore_as(
    head: &[u8],
    body: &[u8],
    keys: &[&[u8]],
    believe: Believe,
    stored: impl Fn(&str) -> Option<Vec<u8>>,
) -> Result<Restored, RestoreError> {
    let mut found = recipes_to_try(fields::undo_values(head), keys, believe)?;
    let on_changed = match believe {
        Believe::All => OnChangedField::Overwrite,
        Believe::Sealed => OnChangedField::Refuse,
    };
    let mut seal = SealedBy::Ours;
    let mut now: Option<HeadAndBody> = None;
    let mut overwritten = Vec::new();
    let mut failure = None;
    while !found.is_empty() {
        let (head, body) =
            now.as_ref().map_or((head, body), |(head, body)| (head.as_slice(), body.as_slice()));
        match undo_any(head, body, &found, on_changed, &stored) {
            Ok((index, undone)) => {
                seal = weaker(seal, fields::check_seal(&found.remove(index), keys));
                now = Some((undone.head, undone.body));
                overwritten.extend(undone.overwritten);
            }
            Err(error) => {
                failure = Some(error);
                break;
            }
        }
    }
    match (now, failure) {
        (Some(_), Some(error)) if believe == Believe::Sealed && error.is_unreadable() => Err(error),
        (Some((head, body)), _) => {
            Ok(Restored { head: fields::without_ours(&head), body, seal, overwritten })
        }
        (None, error) => Err(error.unwrap_or(RestoreError::NoRecipe)),
    }
}

/// Header and body.
type HeadAndBody = (Vec<u8>, Vec<u8>);

/// Undoes the first recipe that fits; its index and the result. Otherwise the error that explains most.
fn undo_any(
    head: &[u8],
    body: &[u8],
    recipes: &[String],
    on_changed: OnChangedField,
    stored: &impl Fn(&str) -> Option<Vec<u8>>,
) -> Result<(usize, Undone), RestoreError> {
    let mut why = RestoreError::NoRecipe;
    for (index, value) in recipes.iter().enumerate() {
        match undo_one(head, body, value, on_changed, stored) {
            Ok(restored) => return Ok((index, restored)),
            Err(error) if error.priority() > why.priority() => why = error,
            Err(_) => {}
        }
    }
    Err(why)
}

impl RestoreError {
    /// How much the error explains about a message for which no recipe fits.
    fn priority(&self) -> u8 {
        match self {
            RestoreError::NoRecipe | RestoreError::Foreign | RestoreError::TooMany(_) => 0,
            RestoreError::DoesNotFit => 1,
            RestoreError::Disagrees { .. } => 2,
            RestoreError::Rewritten(_) => 3,
            RestoreError::Malformed(_) => 4,
            RestoreError::NotHere(_) => 5,
        }
    }

    /// Whether the recipe could not be read, so it might have fitted.
    fn is_unreadable(&self) -> bool {
        matches!(self, RestoreError::Malformed(_) | RestoreError::NotHere(_))
    }
}

/// The recipes to try. If there are too many, a person may see a partly restored message; without a person,
/// that is an error, since it is not the original.
fn recipes_to_try(
    mut found: Vec<String>,
    keys: &[&[u8]],
    believe: Believe,
) -> Result<Vec<String>, RestoreError> {
    if found.is_empty() {
        return Err(RestoreError::NoRecipe);
    }
    if believe == Believe::Sealed {
        found.retain(|value| fields::check_seal(value, keys) == SealedBy::Ours);
        if found.is_empty() {
            return Err(RestoreError::Foreign);
        }
        if found.len() > RECIPES {
            return Err(RestoreError::TooMany(found.len()));
        }
    }
    found.truncate(RECIPES);
    Ok(found)
}

/// Whether [`restore`] would succeed: a second run of the filter keeps such a recipe.
pub fn holds(head: &[u8], body: &[u8], stored: impl Fn(&str) -> Option<Vec<u8>>) -> bool {
    restore(head, body, None, stored).is_ok()
}

fn weaker(one: SealedBy, other: SealedBy) -> SealedBy {
    match (one, other) {
        (SealedBy::Foreign, _) | (_, SealedBy::Foreign) => SealedBy::Foreign,
        (SealedBy::Unknown, _) | (_, SealedBy::Unknown) => SealedBy::Unknown,
        (SealedBy::Ours, SealedBy::Ours) => SealedBy::Ours,
    }
}

/// Undoes the recipe of one field, sealed or not. `head` is without the fields that the filter added with it;
/// nothing else is removed from it.
///
/// # Errors
///
/// The recipe does not fit, the hash disagrees, or a header field was changed since.
pub fn restore_one(
    head: &[u8],
    body: &[u8],
    value: &str,
    stored: impl Fn(&str) -> Option<Vec<u8>>,
) -> Result<HeadAndBody, RestoreError> {
    let Undone { head, body, .. } = undo_one(head, body, value, OnChangedField::Refuse, &stored)?;
    Ok((head, body))
}

/// The result of one recipe.
struct Undone {
    head: Vec<u8>,
    body: Vec<u8>,
    overwritten: Vec<String>,
}

/// Undoes one recipe.
fn undo_one(
    head: &[u8],
    body: &[u8],
    value: &str,
    on_changed: OnChangedField,
    stored: &impl Fn(&str) -> Option<Vec<u8>>,
) -> Result<Undone, RestoreError> {
    let packed = match fields::parse_undo(value).ok_or(RestoreError::Malformed("another layout"))? {
        fields::Undo::Inline(packed) => packed,
        fields::Undo::Stored(name) => {
            let packed = stored(&name).ok_or_else(|| RestoreError::NotHere(name.clone()))?;
            if digest(&packed) != name {
                return Err(RestoreError::Malformed("a stored recipe of another digest"));
            }
            packed
        }
    };
    // The old bytes are about as long as the message itself; the limit is far above that.
    let limit = INFLATED * (head.len() + body.len()) + INFLATED_BASE;
    let plain =
        packing::inflate(&packed, limit).ok_or(RestoreError::Malformed("a broken stream"))?;
    let recipe = Recipe::read(&plain).ok_or(RestoreError::Malformed("a broken recipe"))?;
    let body = recipe.body(body)?;
    let (head, overwritten) = recipe.head(head);
    match overwritten.first() {
        Some(name) if on_changed == OnChangedField::Refuse => {
            Err(RestoreError::Rewritten(name.clone()))
        }
        _ => Ok(Undone { head, body, overwritten }),
    }
}

#[cfg(test)]
mod tests;
