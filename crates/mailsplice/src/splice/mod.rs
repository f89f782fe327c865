//! Applies raw edits, takes them back, and writes the header field that says how.

pub mod apply;
mod canonical;
mod compose;
pub mod fields;
mod original;
mod packing;
pub mod undo;

pub use apply::{Segments, apply, apply_head};
pub use compose::compose;
pub use fields::{incoming, is_ours, undo_lost};
pub use undo::{RestoreError, Restored, Seal, restore};
