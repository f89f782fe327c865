//! What the DNS says of a top-level domain, behind a trait.

use std::future::Future;
use std::time::Duration;

use crate::engine::Answer;

/// Somebody who can ask the DNS whether a name has a start of authority.
pub trait Dns: Send + Sync + 'static {
    /// Asks for the SOA of the TLD (lower-case ASCII form, without root dot) as a fully qualified
    /// name, so that no search list applies.
    fn soa(&self, tld: &str) -> impl Future<Output = Response> + Send;
}

/// The response to one query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Response {
    /// The name is in the root zone: NOERROR, with an SOA or without.
    Exists { ttl: Option<Duration> },
    /// NXDOMAIN; the TTL is the negative one of the SOA in the authority section (RFC 2308).
    Missing { ttl: Option<Duration> },
    /// No answer in time.
    Timeout,
    /// SERVFAIL, REFUSED, a failed validation, no server.
    Failed,
}

impl Response {
    /// What the engine is told.
    pub const fn answer(self) -> Answer {
        match self {
            Response::Exists { .. } => Answer::Exists,
            Response::Missing { .. } => Answer::Missing,
            Response::Timeout | Response::Failed => Answer::Unverified,
        }
    }
}
