//! The format of a recipe: writes it, reads it, and applies it.
//!
//! Layout, integers as LEB128:
//!
//! - version: 2, or 1 if no header field was edited;
//! - SHA-256 of the original body in CRLF form;
//! - line ends of the original (0 CRLF, 1 LF, 2 both);
//! - number of body edits, and for each: unedited bytes before it, bytes of its replacement, the `original` bytes;
//! - number of header edits, and for each: name, index among the fields of that name, 0 and the old value, 1 for a
//!   field that was added, or 2 and the old value, whose line ends stay as they are since the header had both
//!   (filters that know no 2 read it as 0); in version 2 then the first `FIELD_DIGEST_BYTES` bytes of the SHA-256 of the
//!   new value without its white space. If the current value is neither the old nor the new one, it was changed
//!   after the filter.

use std::ops::Range;

use sha2::{Digest, Sha256};

use super::super::canonical::{self, CrlfCursor, LineEndStyle};
use super::super::fields::{self, header_fields};
use super::super::original::Original;
use super::super::packing;
use super::RestoreError;
use crate::edit::{HeadEdit, RawEdit};
use crate::hex;

/// Version of a recipe with digests of the new values of header fields.
const VERSION_WITH_DIGESTS: u64 = 2;

/// Version of a recipe without them: all older recipes, and those without header edits, so that older
/// filters can read them.
const VERSION_WITHOUT_DIGESTS: u64 = 1;

/// Bytes of the digest of a new value: enough that another value does not match by chance.
const FIELD_DIGEST_BYTES: usize = 16;

/// What stands before the old value of a header field, or in its place.
const OLD: u64 = 0;
const ADDED: u64 = 1;
const OLD_AS_IT_IS: u64 = 2;

/// Bytes that most recipes take at most without their edits, and for each edit.
const RECIPE_BYTES: usize = 64;
const EDIT_BYTES: usize = 16;

/// Line ends at the end of a body that may have been added after the filter.
const ADDED_LINES: usize = 64;

/// Header fields that a recipe may restore: the filter changes two, the Subject and the encoding.
pub const FIELDS: u64 = 16;

/// The deflated recipe that undoes these edits of this message.
pub fn recipe(head: &[u8], body: &[u8], edits: &[RawEdit], head_edits: &[HeadEdit]) -> Vec<u8> {
    let head_edits: Vec<&HeadEdit> =
        head_edits.iter().filter(|edit| !fields::is_ours(edit.name.as_bytes())).collect();
    let version =
        if head_edits.is_empty() { VERSION_WITHOUT_DIGESTS } else { VERSION_WITH_DIGESTS };
    let mut out = packing::Packer::with_capacity(RECIPE_BYTES + EDIT_BYTES * edits.len());
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
        match LineEndStyle::of(head) {
            _ if added => out.number(ADDED),
            LineEndStyle::Mixed => out.number(OLD_AS_IT_IS),
            LineEndStyle::Crlf | LineEndStyle::Lf => out.number(OLD),
        }
        if !added {
            out.bytes(head.get(edit.range.clone()).unwrap_or_default());
        }
        out.raw(&field_digest(&edit.value));
    }
    packing::deflate(&out.finish())
}

/// The edits that [`apply()`](super::super::apply()) does not skip.
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
pub(super) fn field_digest(value: &[u8]) -> [u8; FIELD_DIGEST_BYTES] {
    let mut hash = Sha256::new();
    for word in value.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()) {
        hash.update(word);
        hash.update(b" ");
    }
    let mut out = [0; FIELD_DIGEST_BYTES];
    out.iter_mut().zip(hash.finalize()).for_each(|(out, byte)| *out = byte);
    out
}

/// A parsed recipe.
pub(super) struct Recipe<'a> {
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
    /// Line ends of the value; mixed ones are not converted.
    line_ends: LineEndStyle,
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
    pub fn read(plain: &'a [u8]) -> Option<Recipe<'a>> {
        let mut reader = packing::Unpacker::new(plain);
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
            let kind = reader.number()?;
            let value = if kind == ADDED { None } else { Some(reader.bytes()?) };
            let line_ends = match kind {
                OLD_AS_IT_IS => LineEndStyle::Mixed,
                _ => LineEndStyle::of(value.unwrap_or_default()),
            };
            let new = match version {
                VERSION_WITH_DIGESTS => Some(reader.raw(FIELD_DIGEST_BYTES)?.try_into().ok()?),
                _ => None,
            };
            head.push(OldField { name, index, value, line_ends, new });
        }
        Some(Recipe { sha256, line_ends, edits, head })
    }

    /// The original body, with the line ends of `body` if those were converted in storage.
    pub fn body(&self, body: &[u8]) -> Result<Vec<u8>, RestoreError> {
        let line_end: &[u8] = match LineEndStyle::find(body).unwrap_or(self.line_ends) {
            LineEndStyle::Lf => b"\n",
            _ => b"\r\n",
        };
        let restored = match self.body_from(body) {
            // A program may have taken the last line end away, which the last edit holds.
            Err(RestoreError::DoesNotFit) => self.body_from(&[body, line_end].concat())?,
            restored => restored?,
        };
        let found = canonical::sha256(&restored);
        if found == self.sha256 {
            return Ok(restored);
        }
        self.with_other_end(restored, line_end).ok_or_else(|| RestoreError::Disagrees {
            expected: hex::encode(&self.sha256),
            found: hex::encode(&found),
        })
    }

    /// The original, if the body differs from it by line ends at its end alone: mailboxes and lists add some, programs
    /// take the last one away. The beginning is hashed once, so each line end costs as much as its hash.
    fn with_other_end(&self, mut body: Vec<u8>, line_end: &[u8]) -> Option<Vec<u8>> {
        let mut ends = Vec::new();
        let mut rest = body.as_slice();
        while let Some(shorter) = rest.strip_suffix(b"\n").filter(|_| ends.len() < ADDED_LINES) {
            rest = shorter.strip_suffix(b"\r").unwrap_or(shorter);
            ends.push(rest.len());
        }
        let mut hash = canonical::hash(rest);
        for end in ends.into_iter().rev() {
            if hash.clone().finalize()[..] == self.sha256 {
                body.truncate(end);
                return Some(body);
            }
            hash.update(b"\r\n");
        }
        hash.update(b"\r\n");
        (hash.finalize()[..] == self.sha256).then(|| [body.as_slice(), line_end].concat())
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
    pub fn head(&self, head: &[u8]) -> (Vec<u8>, Vec<String>) {
        let kept = LineEndStyle::of(head);
        let mut out = head.to_vec();
        let mut overwritten = Vec::new();
        for field in &self.head {
            let OldField { name, index, value: old, line_ends, .. } = field;
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
                    canonical::convert(old, *line_ends, kept, &mut bytes);
                    drop(out.splice(value, bytes));
                }
            }
        }
        (out, overwritten)
    }
}
