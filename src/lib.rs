//! linkmilter: a mail filter that reads links the way people do.

#![forbid(unsafe_code)]

pub mod engine;
pub mod policy;
pub mod record;
pub mod tld;

#[cfg(feature = "app")]
pub mod cli;
#[cfg(feature = "app")]
pub mod config;
#[cfg(feature = "app")]
pub mod daemon;
#[cfg(feature = "app")]
pub mod milter;
#[cfg(feature = "app")]
pub mod scan;
