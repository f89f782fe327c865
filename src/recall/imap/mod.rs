//! Messages of an account, replaced one at a time over IMAP (RFC 3501, UIDPLUS of RFC 4315).
//!
//! [`account`] reads whose mail it is, [`dial`] gets there, [`wire`] says commands and hears answers,
//! [`folder`] replaces messages.

pub mod account;
pub mod dial;
pub mod folder;
mod wire;

pub use wire::{Connection, Error};
