//! Byte-exact surgery on mail.
//!
//! [`mime`] splits a message and decodes its parts into text that remembers its bytes ([`span`]);
//! edits of that text are lowered to raw bytes ([`edit`]), carried out and taken back ([`splice`]).
//! Every byte outside the edits is the byte that came in. Nothing here knows what a link is.

#![forbid(unsafe_code)]
#![warn(missing_docs)]
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod edit;
pub mod limits;
pub mod media;
pub mod mime;
pub mod sieve;
pub mod span;
pub mod splice;
pub mod whole;

pub use mime::Message;
pub use whole::Whole;

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
