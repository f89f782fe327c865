//! Messages of an account, replaced one at a time over IMAP (RFC 3501, UIDPLUS of RFC 4315).
//!
//! [`account`] parses the account's URL, [`connect`] connects and logs in, [`wire`] sends commands
//! and receives responses, [`folder`] replaces messages.

pub mod account;
pub mod connect;
pub mod folder;
mod wire;

pub use wire::{Connection, Error};
