//! Applies edits, undoes them, and writes the header field that describes how to undo them.

mod apply;
mod canonical;
mod compose;
pub mod fields;
mod head_diff;
mod original;
mod packing;
pub mod undo;

pub use crate::edit::{Segments, apply};
pub use apply::apply_head;
pub use compose::compose;
pub use fields::{
    has_recipe, incoming, is_ours, is_undo_lost, is_unedited, note, undo_lost, without_ours,
};
pub use head_diff::changed_fields;
pub use undo::{Believe, RestoreError, Restored, SealedBy, restore, restore_as};
