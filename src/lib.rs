//! linkmilter: a mail filter that reads links the way people do.
//!
//! Follow one message: [`engine::inspect`] splits it ([`engine::mime`]), reads what a reader or a
//! client would see in each part ([`engine::content`]), finds the links ([`engine::link`]), judges
//! their hosts ([`engine::host`]) and gives the edits as raw spans; [`engine::splice`] carries them out
//! and can undo them. Everything around it decides for whom, when and where from.
//!
//! | standard | module | test |
//! | --- | --- | --- |
//! | UTS #58 detection, escaping, addresses | [`engine::link`] | `crates/uts58/tests`, `tests/readings.rs` |
//! | UASG 000, UASG 001 | [`engine::link`], [`engine::host::linkify`] | `tests/uasg.rs` |
//! | RFC 3696 | [`engine::link`] | `crates/uts58/tests/rfc3696.rs` |
//! | UTS #46 | [`engine::host`] | `crates/homograph/tests/idna.rs` |
//! | UTS #39 | [`engine::host`] | `tests/host_cases.rs`, `tests/attacks.rs` |
//! | RFC 2045, 2046, 2047, 2231, 3676 | [`engine::mime`], [`engine::content`] | `tests/mime.rs`, `tests/hostile.rs` |

#![forbid(unsafe_code)]

pub use linkmilter_engine as engine;
#[cfg(feature = "app")]
pub use milter_session as milter;

#[macro_use]
mod word_enum;

pub mod file;
mod plural;
pub mod policy;
pub mod record;
pub mod tld;

#[cfg(feature = "app")]
mod atomic_file;
#[cfg(feature = "app")]
pub mod cli;
#[cfg(feature = "app")]
pub mod config;
#[cfg(feature = "app")]
pub mod daemon;
#[cfg(feature = "app")]
pub mod feed;
#[cfg(feature = "app")]
pub mod fetch;
#[cfg(feature = "app")]
pub mod judgements;
#[cfg(feature = "app")]
pub mod magic;
#[cfg(feature = "app")]
pub mod recall;
#[cfg(feature = "app")]
pub mod scan;
