//! Applies raw edits, and takes them back.
