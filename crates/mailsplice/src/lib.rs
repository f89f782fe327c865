//! Edits mail byte-exactly.
//!
//! [`mime`] splits a message and decodes its parts into text that is mapped to its raw bytes ([`span`]).
//! Edits of that text are lowered to raw bytes ([`edit`]), applied and undone ([`splice`]).
//! Every byte outside the edits stays as it was. Nothing here knows what a link is.

#![forbid(unsafe_code)]
#![warn(missing_docs)]
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod byte_search;
pub mod edit;
pub mod header_fields;
pub mod hex;
pub mod limits;
pub mod media;
pub mod mime;
pub mod signatures;
pub mod span;
pub mod splice;
pub mod whole;

pub use mime::Message;
pub use whole::Whole;

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
