//! Applies raw edits, takes them back, and writes the header fields that say so.

pub mod apply;
mod canonical;
mod compose;
pub mod fields;
mod original;
mod packing;
pub mod undo;

use super::outcome::{Outcome, StoredRecipe};
pub use apply::{Segments, apply, apply_head};
pub use compose::compose;
pub use fields::{incoming, is_ours, undo_lost};
pub use undo::{RestoreError, Restored, Seal, restore};

/// What our header fields need besides the outcome.
#[derive(Clone, Copy, Debug)]
pub struct Describe<'a> {
    /// The header and body that came in.
    pub head: &'a [u8],
    pub body: &'a [u8],
    /// Name of the filtering host.
    pub by: &'a str,
    /// Names of the settings that served several recipients together, joined by `+`; a name without
    /// one is not told.
    pub rules: &'a str,
    /// Paths of parts whose transfer encoding was switched.
    pub recoded: &'a [String],
    /// Largest value of an `X-Linkmilter-Undo` field in bytes.
    pub undo_header_bytes: Option<usize>,
    /// Key of the seal.
    pub seal_key: Option<&'a [u8]>,
}

/// Writes our header fields for an outcome, with the recipe that takes its edits back.
pub fn describe(outcome: &mut Outcome, with: Describe<'_>) {
    let theirs = |edit: &&super::outcome::HeadEdit| !is_ours(edit.name.as_bytes());
    let changed = !outcome.edits.is_empty() || outcome.head_edits.iter().any(|edit| theirs(&edit));
    let mut field = None;
    outcome.stored = None;
    if changed {
        let recipe = undo::recipe(with.head, with.body, &outcome.edits, &outcome.head_edits);
        let (undo_field, place) = fields::undo(&recipe, with.undo_header_bytes, with.seal_key);
        if let fields::Undo::Stored(digest) = place {
            outcome.stored = Some(StoredRecipe { digest, recipe });
        }
        field = Some(undo_field);
    }
    outcome.fields = fields::describe(outcome, with, field);
}
