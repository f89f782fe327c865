//! The inverse of edits: a recipe that restores the original, and proves by its hash that it did.
//!
//! A recipe uses offsets of the edited body in CRLF form, so it also fits a copy that a Maildir stores with
//! bare line feeds. It never holds unedited bytes. It is deflated, then written to `X-Linkmilter-Undo` in
//! base64, or to the state directory under its SHA-256.
//!
//! Layout, integers as LEB128:
//!
//! - version: 2, or 1 if no header field was edited;
//! - SHA-256 of the original body in CRLF form;
//! - line ends of the original (0 CRLF, 1 LF, 2 both);
//! - number of body edits, and for each: unedited bytes before it, bytes of its replacement, the `original` bytes;
//! - number of header edits, and for each: name, index among the fields of that name, 0 and the old value, or 1
//!   for a field that was added; in version 2 then the first `FIELD_DIGEST_BYTES` bytes of the SHA-256 of the
//!   new value without its white space. If the current value is neither the old nor the new one, it was changed
//!   after the filter.

use std::ops::Range;

use sha2::{Digest, Sha256};

pub use super::canonical::hex;
use super::canonical::{self, CrlfCursor, LineEndStyle, digest};
pub use super::fields::Seal;
use super::fields::{self, header_fields};
use super::original::Original;
use super::packing;
use crate::edit::{HeadEdit, RawEdit};

/// Version of a recipe with digests of the new values of header fields.
const VERSION_WITH_DIGESTS: u64 = 2;

/// Version of a recipe without them: all older recipes, and those without header edits, so that older
/// filters can read them.
const VERSION_WITHOUT_DIGESTS: u64 = 1;

/// Bytes of the digest of a new value: enough that another value does not match by chance.
const FIELD_DIGEST_BYTES: usize = 16;

/// Limit on the inflated size of a recipe: this multiple of the message, plus [`INFLATED_BASE`].
pub const INFLATED: usize = 4;
/// Bytes in addition to [`INFLATED`] times the message: a short message may have a long recipe.
pub const INFLATED_BASE: usize = 1 << 20;

/// Recipes of one message that are tried. Each is tried on the result of the previous ones, and each try
/// hashes the body. Real mail passes two or three filters.
pub const RECIPES: usize = 8;

/// Header fields that a recipe may restore: the filter changes two, the Subject and the encoding.
pub const FIELDS: u64 = 16;

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
    pub seal: Seal,
    /// Header fields that were changed after the filter, and are overwritten with their originals. Empty if
    /// only sealed recipes are trusted.
    pub overwritten: Vec<String>,
}

/// The deflated recipe that undoes these edits of this message.
pub fn recipe(head: &[u8], body: &[u8], edits: &[RawEdit], head_edits: &[HeadEdit]) -> Vec<u8> {
    let head_edits: Vec<&HeadEdit> =
        head_edits.iter().filter(|edit| !fields::is_ours(edit.name.as_bytes())).collect();
    let version =
        if head_edits.is_empty() { VERSION_WITHOUT_DIGESTS } else { VERSION_WITH_DIGESTS };
    let mut out = packing::Writer::default();
    out.number(version);
    out.raw(&canonical::sha256(body));
    out.number(LineEndStyle::of(body) as u64);
    let edits = valid_edits(body, edits);
    out.number(edits.len() as u64);
    let mut at = 0;
    let mut length = canonical::CrlfLength::default();
    for edit in edits {
        let before = length.of(body.get(at..edit.range.start).unwrap_or_default());
        let replaced = length.of(&edit.replacement);
        let old = body.get(edit.range.clone()).unwrap_or_default();
        out.number(before);
        out.number(replaced);
        Original::of(old, &edit.replacement).write(&mut out);
        at = edit.range.end;
    }
    out.number(head_edits.len() as u64);
    for edit in head_edits {
        out.bytes(edit.name.as_bytes());
        out.number(edit.index as u64);
        let added = edit.range.is_empty() && edit.range.start == head.len();
        out.number(added.into());
        if !added {
            out.bytes(head.get(edit.range.clone()).unwrap_or_default());
        }
        out.raw(&field_digest(&edit.value));
    }
    packing::deflate(&out.finish())
}

/// The edits that [`super::apply()`] does not skip.
fn valid_edits<'e>(body: &[u8], edits: &'e [RawEdit]) -> Vec<&'e RawEdit> {
    let mut at = 0;
    edits
        .iter()
        .filter(|edit| {
            let Range { start, end } = edit.range;
            let fits = at <= start && start <= end && end <= body.len();
            if fits {
                at = end;
            }
            fits
        })
        .collect()
}

/// The digest of a header field's value without its white space: an MTA may fold fields again.
fn field_digest(value: &[u8]) -> [u8; FIELD_DIGEST_BYTES] {
    let mut hash = Sha256::new();
    for word in value.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()) {
        hash.update(word);
        hash.update(b" ");
    }
    let mut out = [0; FIELD_DIGEST_BYTES];
    out.iter_mut().zip(hash.finalize()).for_each(|(out, byte)| *out = byte);
    out
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
    let mut seal = Seal::Ours;
    let mut now: Option<Pieces> = None;
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
type Pieces = (Vec<u8>, Vec<u8>);

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
        found.retain(|value| fields::check_seal(value, keys) == Seal::Ours);
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

fn weaker(one: Seal, other: Seal) -> Seal {
    match (one, other) {
        (Seal::Foreign, _) | (_, Seal::Foreign) => Seal::Foreign,
        (Seal::Unknown, _) | (_, Seal::Unknown) => Seal::Unknown,
        (Seal::Ours, Seal::Ours) => Seal::Ours,
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
) -> Result<Pieces, RestoreError> {
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

/// A parsed recipe.
struct Recipe<'a> {
    sha256: [u8; 32],
    line_ends: LineEndStyle,
    edits: Vec<(u64, u64, Original<'a>)>,
    head: Vec<OldField<'a>>,
}

/// The value of a header field before the filter.
struct OldField<'a> {
    name: &'a [u8],
    /// Which of the fields of that name, from 1.
    index: u64,
    /// `None` if there was no field.
    value: Option<&'a [u8]>,
    /// Digest of the value that the filter wrote; `None` in version 1.
    new: Option<[u8; FIELD_DIGEST_BYTES]>,
}

impl OldField<'_> {
    /// Whether the current value (`None`: no field) is what the filter wrote or what was there before.
    fn expects(&self, value: Option<&[u8]>) -> bool {
        let Some(new) = self.new else { return true };
        let found = value.map(field_digest);
        found == Some(new) || found == self.value.map(field_digest)
    }
}

impl<'a> Recipe<'a> {
    fn read(plain: &'a [u8]) -> Option<Recipe<'a>> {
        let mut reader = packing::Reader::new(plain);
        let version = reader.number()?;
        if !(VERSION_WITHOUT_DIGESTS..=VERSION_WITH_DIGESTS).contains(&version) {
            return None;
        }
        let sha256 = reader.raw(32)?.try_into().ok()?;
        let line_ends = LineEndStyle::from_number(reader.number()?)?;
        let mut edits = Vec::new();
        for _ in 0..reader.number()? {
            edits.push((reader.number()?, reader.number()?, Original::read(&mut reader)?));
        }
        let mut head = Vec::new();
        let fields = reader.number()?;
        if fields > FIELDS {
            return None;
        }
        for _ in 0..fields {
            let (name, index) = (reader.bytes()?, reader.number()?);
            let value = if reader.number()? == 1 { None } else { Some(reader.bytes()?) };
            let new = match version {
                VERSION_WITH_DIGESTS => Some(reader.raw(FIELD_DIGEST_BYTES)?.try_into().ok()?),
                _ => None,
            };
            head.push(OldField { name, index, value, new });
        }
        Some(Recipe { sha256, line_ends, edits, head })
    }

    /// The original body, with the line ends of `body` if those were converted in storage.
    fn body(&self, body: &[u8]) -> Result<Vec<u8>, RestoreError> {
        let mut disagreement = RestoreError::DoesNotFit;
        // A mailbox may have added a line end to a body without one.
        let trimmed = body.strip_suffix(b"\n").map(|b| b.strip_suffix(b"\r").unwrap_or(b));
        for body in [Some(body), trimmed].into_iter().flatten() {
            let restored = match self.body_from(body) {
                Ok(restored) => restored,
                Err(RestoreError::DoesNotFit) => continue,
                Err(error) => return Err(error),
            };
            let found = canonical::sha256(&restored);
            if found == self.sha256 {
                return Ok(restored);
            }
            if disagreement == RestoreError::DoesNotFit {
                disagreement =
                    RestoreError::Disagrees { expected: hex(&self.sha256), found: hex(&found) };
            }
        }
        Err(disagreement)
    }

    fn body_from(&self, body: &[u8]) -> Result<Vec<u8>, RestoreError> {
        // A body without line ends gives no hint that they were converted.
        let kept = LineEndStyle::find(body).unwrap_or(self.line_ends);
        let mut out = Vec::with_capacity(body.len() + 1024);
        let mut cursor = CrlfCursor::new(body);
        for (before, replaced, original) in &self.edits {
            out.extend_from_slice(cursor.take(*before).ok_or(RestoreError::DoesNotFit)?);
            let new = cursor.take(*replaced).ok_or(RestoreError::DoesNotFit)?;
            let old = original.bytes(new).ok_or(RestoreError::DoesNotFit)?;
            canonical::convert(&old, self.line_ends, kept, &mut out);
        }
        out.extend_from_slice(cursor.rest());
        Ok(out)
    }

    /// The header with the old values, and the names of the fields whose value was neither old nor new. A field
    /// that does not exist any more is not restored.
    fn head(&self, head: &[u8]) -> (Vec<u8>, Vec<String>) {
        let kept = LineEndStyle::of(head);
        let mut out = head.to_vec();
        let mut overwritten = Vec::new();
        for field in &self.head {
            let OldField { name, index, value: old, .. } = field;
            let nth = usize::try_from(*index).unwrap_or(1).max(1) - 1;
            let found = header_fields(&out)
                .filter(|field| field.is_named(&out, name))
                .nth(nth)
                .map(|field| (field.line, field.value));
            let now = found.as_ref().and_then(|(_, value)| out.get(value.clone()));
            if !field.expects(now) {
                overwritten.push(String::from_utf8_lossy(name).into_owned());
            }
            let Some((line, value)) = found else { continue };
            match old {
                None => drop(out.drain(line)),
                Some(old) => {
                    let mut bytes = Vec::with_capacity(old.len());
                    canonical::convert(old, LineEndStyle::of(old), kept, &mut bytes);
                    drop(out.splice(value, bytes));
                }
            }
        }
        (out, overwritten)
    }
}

#[cfg(test)]
mod tests;
