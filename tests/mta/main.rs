//! Mail through real MTAs, and what happens when something breaks.
//!
//! Every test starts its own MTA and its own daemon on free loopback ports, with queue,
//! configuration and mailboxes in a temporary directory.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

#[expect(dead_code, reason = "plans are written down and read by the tests of cost")]
#[path = "../cost/families/mod.rs"]
mod families;
mod rig;

mod engine_faults;
mod faults;
mod kill;
mod marks;
mod one_message;
mod opendkim;
mod outbound;
mod postfix;
mod protocol;
mod restores;
mod sendmail;
mod siege;
mod sieve;
