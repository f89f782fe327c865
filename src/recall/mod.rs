//! Links to known bad hosts, defanged in mail that was delivered already, and restored.
//!
//! [`delivered`] computes the new bytes of a message, with the header fields of [`header`]. [`maildir`] and [`imap`] replace a message so
//! that nothing is lost.

pub mod delivered;
pub mod header;
pub mod imap;
pub mod maildir;
