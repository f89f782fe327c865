//! Links to known bad hosts, defanged in mail that was delivered already, and restored.
//!
//! [`delivered`] computes the new bytes of a message. [`maildir`] and [`imap`] replace a message so
//! that nothing is lost.

pub mod delivered;
pub mod imap;
pub mod maildir;
