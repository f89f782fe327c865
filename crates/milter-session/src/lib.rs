//! The milter protocol, version 6 and below, between an MTA and a filter.
//!
//! [`wire`] parses commands and encodes replies, [`session`] is the state machine of one connection,
//! [`answer`] is the decision of a filter about a message, and [`server`] connects them to sockets and
//! clocks. Nothing here knows what a link is.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod answer;
#[cfg(feature = "server")]
pub mod endpoint;
#[cfg(feature = "server")]
pub mod server;
pub mod session;
pub mod wire;

pub use answer::{Answer, Ending, HeaderChange, Piece};
#[cfg(feature = "server")]
pub use endpoint::Endpoint;
#[cfg(feature = "server")]
pub use server::{Connected, Event, Handler, Server};
pub use session::{Mail, Origin, Session};

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
