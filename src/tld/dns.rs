//! What the DNS says of a name, behind a trait.

use std::fmt;
use std::future::Future;
use std::time::Duration;

use crate::engine::Answer;

/// Somebody who can be asked about names.
pub trait Dns: Send + Sync + 'static {
    /// What a message is told of a name.
    type Answer: Copy + fmt::Debug + PartialEq + Send + Sync + 'static;

    /// What it is told when nobody could be asked, or there was no answer in time.
    const UNANSWERED: Self::Answer;

    /// Asks for a name in lower-case ASCII form, without root dot.
    fn ask(&self, name: &str) -> impl Future<Output = Told<Self::Answer>> + Send;
}

/// What a message is told, and the response that it is told by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told<A> {
    pub response: Response,
    pub answer: A,
}

impl From<Response> for Told<Answer> {
    fn from(response: Response) -> Told<Answer> {
        Told { response, answer: response.answer() }
    }
}

/// The response to one query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Response {
    /// The name is there: NOERROR, with records of what was asked for or without.
    Exists { ttl: Option<Duration> },
    /// NXDOMAIN; the TTL is the negative one of the SOA in the authority section (RFC 2308).
    Missing { ttl: Option<Duration> },
    /// No answer in time.
    Timeout,
    /// SERVFAIL, REFUSED, a failed validation, no server.
    Failed,
    /// Somebody is there and says that he does not answer us: asking on would make it worse.
    Unwelcome,
}

impl Response {
    /// What the engine is told of a top-level domain.
    pub const fn answer(self) -> Answer {
        match self {
            Response::Exists { .. } => Answer::Exists,
            Response::Missing { .. } => Answer::Missing,
            Response::Timeout | Response::Failed | Response::Unwelcome => Answer::Unverified,
        }
    }
}
