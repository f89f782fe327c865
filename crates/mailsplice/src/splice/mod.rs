//! Applies raw edits, takes them back, and writes the header field that says how.

pub mod apply;
mod canonical;
mod compose;
pub mod fields;
mod original;
mod outward;
mod packing;
pub mod undo;

pub use apply::{Segments, apply, apply_head};
pub use compose::compose;
pub use fields::{has_recipe, incoming, is_ours, note, undo_lost};
pub use outward::changed_fields;
pub use undo::{Believe, RestoreError, Restored, Seal, hex, restore, restore_as};
