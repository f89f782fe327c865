//! Mail that was delivered already: links to a host that is known bad since are taken apart in mailboxes,
//! and given back.
//!
//! [`delivered`] knows what a message becomes, [`maildir`] and [`imap`] how a message is replaced so that
//! nothing is lost.

pub mod delivered;
pub mod imap;
pub mod maildir;
