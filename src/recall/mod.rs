//! Mail that was delivered already: links to a host that is known bad since are taken apart in mailboxes,
//! and given back.
//!
//! [`letter`] knows what a message becomes, [`maildir`] and [`imap`] how a message is replaced so that
//! nothing is lost.

pub mod imap;
pub mod letter;
pub mod maildir;
