//! What a part says to a reader: links in text and markup, with the edit that takes each apart.

pub mod linkify;
