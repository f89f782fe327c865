//! The milter protocol, version 6 and below: what an MTA and a filter say to each other.
//!
//! [`wire`] turns bytes into commands and replies into bytes, [`session`] is the state machine of
//! one connection, [`answer`] is what a filter decides about a message, and [`server`] joins them
//! to sockets and clocks. Nothing here knows what a link is.

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
pub use server::{Event, Handler, Server};
pub use session::{Mail, Origin, Session};

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
