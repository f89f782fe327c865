//! DNS queries for names, behind a trait.

use std::fmt;
use std::future::Future;
use std::time::Duration;

use crate::engine::Answer;

/// A source of answers about names.
pub trait Dns: Send + Sync + 'static {
    /// The answer that a message gets about a name.
    type Answer: Copy + fmt::Debug + PartialEq + Send + Sync + 'static;

    /// The answer when no query could be sent, or no response came in time.
    const UNANSWERED: Self::Answer;

    /// The answer while no query is sent, since the server has said that it does not serve us.
    const DENIED: Self::Answer;

    /// Resolves a name in lower-case ASCII form, without the trailing dot.
    fn ask(&self, name: &str) -> impl Future<Output = Resolution<Self::Answer>> + Send;
}

/// A response and the answer that follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resolution<A> {
    pub response: Response,
    pub answer: A,
}

impl From<Response> for Resolution<Answer> {
    fn from(response: Response) -> Resolution<Answer> {
        Resolution { response, answer: response.answer() }
    }
}

/// The response to one query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Response {
    /// NOERROR, with or without records of the requested type.
    Exists { ttl: Option<Duration> },
    /// NXDOMAIN. The TTL is the negative one, of the SOA record in the authority section (RFC
    /// 2308).
    Missing { ttl: Option<Duration> },
    /// No response in time.
    Timeout,
    /// SERVFAIL, failed DNSSEC validation, or no server.
    Failed,
    /// The server said that it does not serve us: REFUSED, or the code by which a list says so. More queries would make
    /// it worse.
    AccessDenied,
    /// NXDOMAIN for a top-level domain that IANA's table has: whoever answers does not know the root.
    Contradicted,
}

impl Response {
    /// The response about a top-level domain, which the table has or not. A refusal is a failure: the next server of the
    /// resolver may answer.
    pub const fn about_tld(self, in_table: bool) -> Response {
        match self {
            Response::AccessDenied => Response::Failed,
            Response::Missing { .. } if in_table => Response::Contradicted,
            other => other,
        }
    }

    /// What the engine gets to know about a top-level domain.
    pub const fn answer(self) -> Answer {
        match self {
            Response::Exists { .. } => Answer::Exists,
            Response::Missing { .. } => Answer::Missing,
            Response::Timeout
            | Response::Failed
            | Response::AccessDenied
            | Response::Contradicted => Answer::Unverified,
        }
    }
}
