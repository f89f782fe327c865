//! Applies raw edits, takes them back, and writes the header fields that say so.

pub mod apply;
