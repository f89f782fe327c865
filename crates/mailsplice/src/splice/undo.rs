//! The inverse of an edit: a recipe that gives the original back, and proves that it did.
//!
//! A recipe is written in offsets of the edited body in CRLF form, so it holds as well for a copy that a
//! Maildir keeps with bare line feeds. Unedited bytes are never in it. It goes through deflate, then into
//! `X-Linkmilter-Undo` in base64, or into the state directory under its SHA-256.
//!
//! Layout, integers as LEB128: version, 2, or 1 where no header field was edited; SHA-256 of the original body in CRLF form; line ends of the
//! original (0 CRLF, 1 LF, 2 both); number of body edits, and of each: unedited bytes before it, bytes
//! of its replacement, the `original` bytes; number of header edits, and of each:
//! name, number of the field of that name, 0 and the old value, or 1 for a field that was added; in
//! version 2 then the first `SHORT` bytes of the SHA-256 of the new value, its white space aside:
//! a value that is there by now and is neither is of somebody who changed it later.

use std::ops::Range;

use sha2::{Digest, Sha256};

pub use super::canonical::hex;
use super::canonical::{self, Cursor, Style, digest};
pub use super::fields::Seal;
use super::fields::{self, header_fields};
use super::original::Original;
use super::packing;
use crate::edit::{HeadEdit, RawEdit};

/// Of a recipe that knows the new values of header fields.
const VERSION: u64 = 2;

/// Of one that does not: all that were written once, and those without header edits, so that older
/// filters can read them.
const PLAIN: u64 = 1;

/// Bytes of the digest of a new value: no other one is found by chance.
const SHORT: usize = 16;

/// What a recipe may inflate to: so many times the message, and [`INFLATED_BASE`] on top.
pub const INFLATED: usize = 4;
/// Bytes on top of [`INFLATED`] times the message: a short one may have a long recipe.
pub const INFLATED_BASE: usize = 1 << 20;

/// Recipes of one message that are tried. Each is tried on what the ones before gave back, and each try
/// hashes the body; filters in a row are two or three.
pub const RECIPES: usize = 8;

/// Header fields that a recipe may give back: the filter changes two, the Subject and the encoding.
pub const FIELDS: u64 = 16;

/// Why an original could not be given back.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RestoreError {
    /// No [`UNDO`](super::fields::UNDO): the message was not edited, or somebody took the field off.
    #[error("expected an X-Linkmilter-Undo field, found none")]
    NoRecipe,
    /// A recipe that anybody may have written, where only sealed ones are believed.
    #[error("expected the seal of a key of ours on the recipe, found none or another")]
    Foreign,
    /// How many recipes the message carries.
    #[error("expected at most {RECIPES} recipes, found {0}")]
    TooMany(usize),
    /// A recipe that cannot be read; what was found in its place.
    #[error("expected a recipe of version 1 or 2, found {0}")]
    Malformed(&'static str),
    /// Digest of a recipe that was too long for a header field and is kept beside the message.
    #[error("the recipe {0} is in the state directory of the filter, not in the message")]
    NotHere(String),
    /// The recipe speaks of bytes that the body does not have.
    #[error("the recipe does not fit this body: it was changed after the filter")]
    DoesNotFit,
    /// Name of a header field whose value is not the one that the recipe would take back.
    #[error("the {0} is not the one that the filter wrote: it was changed after the filter")]
    Rewritten(String),
    /// What came out is not the original: nothing is given back.
    #[error(
        "expected a body with SHA-256 {expected}, found {found}: it was changed after the filter"
    )]
    Disagrees {
        /// In the recipe, lower-case hexadecimal.
        expected: String,
        /// Of what came out, likewise.
        found: String,
    },
}

/// A message given back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// Header fields with their line ends, without ours.
    pub head: Vec<u8>,
    /// The original body, byte for byte.
    pub body: Vec<u8>,
    /// Whether every recipe that was used carries the seal of a key at hand.
    pub seal: Seal,
    /// Header fields that somebody changed after the filter: their originals are there now. Where
    /// only sealed recipes are believed there are none.
    pub overwritten: Vec<String>,
}

/// The deflated recipe that undoes these edits of this message.
pub fn recipe(head: &[u8], body: &[u8], edits: &[RawEdit], head_edits: &[HeadEdit]) -> Vec<u8> {
    let head_edits: Vec<&HeadEdit> =
        head_edits.iter().filter(|edit| !fields::is_ours(edit.name.as_bytes())).collect();
    let version = if head_edits.is_empty() { PLAIN } else { VERSION };
    let mut out = packing::Writer::default();
    out.number(version);
    out.raw(&canonical::sha256(body));
    out.number(Style::of(body) as u64);
    let edits = fitting(body, edits);
    out.number(edits.len() as u64);
    let mut at = 0;
    let mut length = canonical::Length::default();
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
        out.raw(&short(&edit.value));
    }
    packing::deflate(&out.finish())
}

/// The edits that [`super::apply`] applies.
fn fitting<'e>(body: &[u8], edits: &'e [RawEdit]) -> Vec<&'e RawEdit> {
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

/// The digest of a value of a header field. Whoever carries a message may fold its fields anew.
fn short(value: &[u8]) -> [u8; SHORT] {
    let mut hash = Sha256::new();
    for word in value.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()) {
        hash.update(word);
        hash.update(b" ");
    }
    let mut out = [0; SHORT];
    out.iter_mut().zip(hash.finalize()).for_each(|(out, byte)| *out = byte);
    out
}

/// What becomes of header fields that somebody changed after the filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Later {
    /// Somebody asks for the original, and is told.
    Overwrite,
    /// Nobody looks: what was changed is another message.
    Refuse,
}

/// Which recipes of a message are believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Believe {
    /// All: somebody asks for the original of this message and sees whose seal it is.
    All,
    /// Those that carry the seal of one of the keys: nobody looks at what comes out.
    Sealed,
}

/// The original for somebody who asks for it, whoever sealed the recipes: [`restore_as`] with one key
/// or none.
///
/// # Errors
///
/// As of [`restore_as`].
pub fn restore(
    head: &[u8],
    body: &[u8],
    key: Option<&[u8]>,
    stored: impl Fn(&str) -> Option<Vec<u8>>,
) -> Result<Restored, RestoreError> {
    restore_as(head, body, key.as_slice(), Believe::All, stored)
}

/// Gives the original back: applies the recipes that the message carries, the last one first, each
/// only if the SHA-256 that it promises comes out. `keys` are all that we seal or sealed with;
/// `stored` finds a recipe by its digest.
///
/// # Errors
///
/// When there is no recipe to be believed, when none fits, or when the hash disagrees. Where only sealed
/// ones are believed also when one of ours cannot be read, or is not at hand, however many others fitted:
/// half an undo is none. One that was read and fits nothing is of an earlier way of the message, before
/// somebody else changed it: then what came in last is the original.
pub fn restore_as(
    head: &[u8],
    body: &[u8],
    keys: &[&[u8]],
    believe: Believe,
    stored: impl Fn(&str) -> Option<Vec<u8>>,
) -> Result<Restored, RestoreError> {
    let mut found = believed(fields::undo_values(head), keys, believe)?;
    let later = match believe {
        Believe::All => Later::Overwrite,
        Believe::Sealed => Later::Refuse,
    };
    let mut seal = Seal::Ours;
    let mut now: Option<Pieces> = None;
    let mut overwritten = Vec::new();
    let mut left = None;
    while !found.is_empty() {
        let (head, body) =
            now.as_ref().map_or((head, body), |(head, body)| (head.as_slice(), body.as_slice()));
        match step(head, body, &found, later, &stored) {
            Ok((index, undone)) => {
                seal = worse(seal, fields::check_seal(&found.remove(index), keys));
                now = Some((undone.head, undone.body));
                overwritten.extend(undone.overwritten);
            }
            Err(error) => {
                left = Some(error);
                break;
            }
        }
    }
    match (now, left) {
        (Some(_), Some(error)) if believe == Believe::Sealed && error.is_unread() => Err(error),
        (Some((head, body)), _) => {
            Ok(Restored { head: fields::without_ours(&head), body, seal, overwritten })
        }
        (None, error) => Err(error.unwrap_or(RestoreError::NoRecipe)),
    }
}

/// A header and a body.
type Pieces = (Vec<u8>, Vec<u8>);

/// The first recipe that fits, by its number, and what it gives back; otherwise what says most about
/// why none does.
fn step(
    head: &[u8],
    body: &[u8],
    recipes: &[String],
    later: Later,
    stored: &impl Fn(&str) -> Option<Vec<u8>>,
) -> Result<(usize, Undone), RestoreError> {
    let mut why = RestoreError::NoRecipe;
    for (index, value) in recipes.iter().enumerate() {
        match one(head, body, value, later, stored) {
            Ok(restored) => return Ok((index, restored)),
            Err(error) if error.weight() > why.weight() => why = error,
            Err(_) => {}
        }
    }
    Err(why)
}

impl RestoreError {
    /// How much it says about a message of which no recipe fits.
    fn weight(&self) -> u8 {
        match self {
            RestoreError::NoRecipe | RestoreError::Foreign | RestoreError::TooMany(_) => 0,
            RestoreError::DoesNotFit => 1,
            RestoreError::Disagrees { .. } => 2,
            RestoreError::Rewritten(_) => 3,
            RestoreError::Malformed(_) => 4,
            RestoreError::NotHere(_) => 5,
        }
    }

    /// Whether nobody knows if the recipe would have fitted.
    fn is_unread(&self) -> bool {
        matches!(self, RestoreError::Malformed(_) | RestoreError::NotHere(_))
    }
}

/// The recipes to try. Whoever looks at the result may see one of more filters than are tried; where
/// nobody looks, a step in the middle is no original.
fn believed(
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

/// Whether [`restore`] would succeed: a second filter run keeps such a recipe.
pub fn holds(head: &[u8], body: &[u8], stored: impl Fn(&str) -> Option<Vec<u8>>) -> bool {
    restore(head, body, None, stored).is_ok()
}

fn worse(one: Seal, other: Seal) -> Seal {
    match (one, other) {
        (Seal::Foreign, _) | (_, Seal::Foreign) => Seal::Foreign,
        (Seal::Unknown, _) | (_, Seal::Unknown) => Seal::Unknown,
        (Seal::Ours, Seal::Ours) => Seal::Ours,
    }
}

/// Takes back what the recipe of one field says, whoever sealed it. `head` is without the fields that
/// came with it; nothing else goes from it.
///
/// # Errors
///
/// When the recipe does not fit, the hash disagrees, or somebody changed a header field since.
pub fn restore_one(
    head: &[u8],
    body: &[u8],
    value: &str,
    stored: impl Fn(&str) -> Option<Vec<u8>>,
) -> Result<Pieces, RestoreError> {
    let Undone { head, body, .. } = one(head, body, value, Later::Refuse, &stored)?;
    Ok((head, body))
}

/// What one recipe gives back.
struct Undone {
    head: Vec<u8>,
    body: Vec<u8>,
    overwritten: Vec<String>,
}

/// Applies one recipe.
fn one(
    head: &[u8],
    body: &[u8],
    value: &str,
    later: Later,
    stored: &impl Fn(&str) -> Option<Vec<u8>>,
) -> Result<Undone, RestoreError> {
    let packed =
        match fields::undo_content(value).ok_or(RestoreError::Malformed("another layout"))? {
            fields::Undo::Inline(packed) => packed,
            fields::Undo::Stored(name) => {
                let packed = stored(&name).ok_or_else(|| RestoreError::NotHere(name.clone()))?;
                if digest(&packed) != name {
                    return Err(RestoreError::Malformed("a stored recipe of another digest"));
                }
                packed
            }
        };
    // What it gives back is as long as the message itself, about; inflating stops far above that.
    let limit = INFLATED * (head.len() + body.len()) + INFLATED_BASE;
    let plain =
        packing::inflate(&packed, limit).ok_or(RestoreError::Malformed("a broken stream"))?;
    let recipe = Recipe::read(&plain).ok_or(RestoreError::Malformed("a broken recipe"))?;
    let body = recipe.body(body)?;
    let (head, overwritten) = recipe.head(head);
    match overwritten.first() {
        Some(name) if later == Later::Refuse => Err(RestoreError::Rewritten(name.clone())),
        _ => Ok(Undone { head, body, overwritten }),
    }
}

/// A recipe, read.
struct Recipe<'a> {
    sha256: [u8; 32],
    style: Style,
    edits: Vec<(u64, u64, Original<'a>)>,
    head: Vec<OldField<'a>>,
}

/// The value of a header field before the filter.
struct OldField<'a> {
    name: &'a [u8],
    /// Which of the fields of that name, from 1.
    index: u64,
    /// `None`: there was none.
    value: Option<&'a [u8]>,
    /// Of the value that the filter wrote; version 1 does not know it.
    new: Option<[u8; SHORT]>,
}

impl OldField<'_> {
    /// Whether the value, or that there is none, is what the filter wrote or what was there before.
    fn is_known(&self, value: Option<&[u8]>) -> bool {
        let Some(new) = self.new else { return true };
        let found = value.map(short);
        found == Some(new) || found == self.value.map(short)
    }
}

impl<'a> Recipe<'a> {
    fn read(plain: &'a [u8]) -> Option<Recipe<'a>> {
        let mut reader = packing::Reader::new(plain);
        let version = reader.number()?;
        if !(PLAIN..=VERSION).contains(&version) {
            return None;
        }
        let sha256 = reader.raw(32)?.try_into().ok()?;
        let style = Style::from_number(reader.number()?)?;
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
                VERSION => Some(reader.raw(SHORT)?.try_into().ok()?),
                _ => None,
            };
            head.push(OldField { name, index, value, new });
        }
        Some(Recipe { sha256, style, edits, head })
    }

    /// The original body; with the line ends of `body` where it was stored with others.
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
        // Without any, nothing says that it is kept otherwise.
        let kept = Style::of_some(body).unwrap_or(self.style);
        let mut out = Vec::with_capacity(body.len() + 1024);
        let mut cursor = Cursor::new(body);
        for (before, replaced, original) in &self.edits {
            out.extend_from_slice(cursor.take(*before).ok_or(RestoreError::DoesNotFit)?);
            let new = cursor.take(*replaced).ok_or(RestoreError::DoesNotFit)?;
            let old = original.bytes(new).ok_or(RestoreError::DoesNotFit)?;
            canonical::convert(&old, self.style, kept, &mut out);
        }
        out.extend_from_slice(cursor.rest());
        Ok(out)
    }

    /// The header with the old values, and the names of the fields that were neither old nor new; what
    /// cannot be found any more stays.
    fn head(&self, head: &[u8]) -> (Vec<u8>, Vec<String>) {
        let kept = Style::of(head);
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
            if !field.is_known(now) {
                overwritten.push(String::from_utf8_lossy(name).into_owned());
            }
            let Some((line, value)) = found else { continue };
            match old {
                None => drop(out.drain(line)),
                Some(old) => {
                    let mut bytes = Vec::with_capacity(old.len());
                    canonical::convert(old, Style::of(old), kept, &mut bytes);
                    drop(out.splice(value, bytes));
                }
            }
        }
        (out, overwritten)
    }
}

#[cfg(test)]
mod tests;
