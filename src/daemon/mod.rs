//! The daemon: everything wired together.

pub mod canary;
pub mod endpoint;
pub mod journal;
pub mod log;
pub mod metrics;
pub mod notify;
pub mod reload;
