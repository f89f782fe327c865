//! Queries the DNS about names: with a cache, one query in flight for each name, within a deadline.
//!
//! Mail waits for the deadline at most. A query goes on after it, so that its answer is there for the next
//! message.

use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hickory_resolver::TokioResolver;
use hickory_resolver::config::{
    ConnectionConfig, NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts,
};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::net::{DnsError, NetError};
use hickory_resolver::proto::dnssec::TrustAnchors;
use hickory_resolver::proto::op::ResponseCode;
use hickory_resolver::proto::rr::{Name, RData, RecordType};
use tokio::sync::watch;

use crate::config::Config;
use crate::engine::Answer;
use crate::file;
use crate::tld::breaker::Breaker;
use crate::tld::cache::{Cache, CacheBounds, Moment};
use crate::tld::dns::{Dns, Resolution, Response};
use crate::tld::faults::{Fault, Faults};

/// Queries in flight over all messages. A name beyond that is unverified.
const MAX_QUERIES_IN_FLIGHT: usize = 256;

/// Returns the time since some fixed moment.
pub type Clock = Arc<dyn Fn() -> Moment + Send + Sync>;

/// Settings of a resolver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolverOptions {
    /// DNS servers; those of /etc/resolv.conf if there are none.
    pub servers: Vec<SocketAddr>,
    /// How long one message waits for all its answers.
    pub deadline: Duration,
    pub validation: Validation,
    pub cache: CacheBounds,
    /// Questions that one message may ask.
    pub max_questions: usize,
}

impl ResolverOptions {
    /// What the configuration says.
    pub fn of(config: &Config) -> ResolverOptions {
        ResolverOptions {
            servers: config.dns.servers.iter().map(|server| server.0).collect(),
            deadline: config.dns.deadline,
            validation: match (config.dns.dnssec, &config.dns.trust_anchor) {
                (false, _) => Validation::Trust,
                (true, None) => Validation::Validate,
                (true, Some(path)) => Validation::ValidateBy(config.resolve(path)),
            },
            cache: config.dns_cache(),
            max_questions: config.limits.questions,
        }
    }
}

/// Whether DNSSEC is validated here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Validation {
    /// The servers validate.
    #[default]
    Trust,
    /// An answer that the built-in keys of the root do not validate is a failure.
    Validate,
    /// The same with the DNSKEY records in this file.
    ValidateBy(PathBuf),
}

/// Counts for the metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Answers from the cache.
    pub hits: u64,
    /// Names that were not in the cache.
    pub misses: u64,
    /// Queries sent.
    pub queries: u64,
    /// Names in the cache.
    pub entries: usize,
}

pub struct Resolver<D: Dns> {
    shared: Arc<SharedResolver<D>>,
}

struct SharedResolver<D: Dns> {
    dns: D,
    clock: Clock,
    deadline: Duration,
    max_questions: usize,
    state: Mutex<ResolverState<D::Answer>>,
}

struct ResolverState<A> {
    cache: Cache<A>,
    breaker: Breaker,
    faults: Faults,
    /// Names with a query in flight; the receiver gets the answer.
    in_flight: HashMap<String, watch::Receiver<Option<A>>>,
    queries: u64,
    /// Hits and misses that [`Resolver::new_lookups`] has returned already.
    reported: (u64, u64),
}

impl Resolver<TldDns> {
    /// A resolver of top-level domains, beside this table. Call it inside a tokio runtime.
    ///
    /// # Errors
    /// /etc/resolv.conf cannot be read or names no server.
    pub fn of_tlds(
        options: &ResolverOptions,
        table: InTable,
    ) -> Result<Resolver<TldDns>, ResolverError> {
        let start = Instant::now();
        let clock: Clock = Arc::new(move || start.elapsed());
        Ok(Resolver::new(TldDns { dns: Hickory::new(options)?, table }, options, clock))
    }
}

impl<D: Dns> Resolver<D> {
    /// A resolver on any [`Dns`] and any clock.
    pub fn new(dns: D, options: &ResolverOptions, clock: Clock) -> Resolver<D> {
        let state = ResolverState {
            cache: Cache::new(options.cache),
            breaker: Breaker::new(options.cache.failure),
            faults: Faults::default(),
            in_flight: HashMap::new(),
            queries: 0,
            reported: (0, 0),
        };
        let (deadline, max_questions) = (options.deadline, options.max_questions);
        let state = Mutex::new(state);
        Resolver { shared: Arc::new(SharedResolver { dns, clock, deadline, max_questions, state }) }
    }

    /// Answers to the questions of one message, all within the deadline.
    ///
    /// A name that is not answered by then, or that is beyond the limit of questions, is unverified.
    pub async fn answers(&self, questions: &[String]) -> BTreeMap<String, D::Answer> {
        self.start(questions).answers(self.deadline()).await
    }

    /// Until when a message that asks now waits.
    fn deadline(&self) -> tokio::time::Instant {
        tokio::time::Instant::now() + self.shared.deadline
    }

    /// Sends the queries, without waiting for answers.
    pub fn start(&self, questions: &[String]) -> PendingAnswers<D> {
        let mut pending = PendingAnswers { known: BTreeMap::new(), waiting: Vec::new() };
        for name in questions.iter().take(self.shared.max_questions) {
            match self.ask(name) {
                AskResult::Ready(answer) => drop(pending.known.insert(name.clone(), answer)),
                AskResult::Pending(receiver) => pending.waiting.push((name.clone(), receiver)),
            }
        }
        pending
    }

    /// Cache hits and misses since the last call.
    pub fn new_lookups(&self) -> (u64, u64) {
        let mut state = self.shared.state();
        let now = (state.cache.hits, state.cache.misses);
        let (hits, misses) = std::mem::replace(&mut state.reported, now);
        (now.0 - hits, now.1 - misses)
    }

    /// What is wrong with the DNS by what it said last.
    pub fn fault(&self) -> Option<Fault> {
        self.shared.state().faults.now((self.shared.clock)())
    }

    /// Counts since the start.
    pub fn counts(&self) -> Counts {
        let state = self.shared.state();
        Counts {
            hits: state.cache.hits,
            misses: state.cache.misses,
            queries: state.queries,
            entries: state.cache.len(),
        }
    }

    /// Looks into the cache, joins a query in flight, or sends a query.
    fn ask(&self, name: &str) -> AskResult<D::Answer> {
        let now = (self.shared.clock)();
        let mut state = self.shared.state();
        if let Some(answer) = state.cache.get(name, now) {
            return AskResult::Ready(answer);
        }
        // A query that was aborted has dropped its sender: the name is queried again.
        if let Some(receiver) = state.in_flight.get(name)
            && receiver.has_changed().is_ok()
        {
            return AskResult::Pending(receiver.clone());
        }
        if state.breaker.is_denied(now) {
            return AskResult::Ready(D::DENIED);
        }
        if state.in_flight.len() >= MAX_QUERIES_IN_FLIGHT || !state.breaker.may_ask(now) {
            return AskResult::Ready(D::UNANSWERED);
        }
        let (sender, receiver) = watch::channel(None);
        state.in_flight.insert(name.to_owned(), receiver.clone());
        state.queries += 1;
        drop(state);
        let shared = Arc::clone(&self.shared);
        let name = name.to_owned();
        tokio::spawn(async move {
            let answer = shared.query(&name).await;
            // Fails if nobody waits any more. The cache has the answer then.
            let _ = sender.send(Some(answer));
        });
        AskResult::Pending(receiver)
    }
}

/// The answers to the questions of one message, some of them still to come.
#[derive(Debug)]
pub struct PendingAnswers<D: Dns> {
    known: BTreeMap<String, D::Answer>,
    waiting: Vec<(String, watch::Receiver<Option<D::Answer>>)>,
}

impl<D: Dns> PendingAnswers<D> {
    /// Waits for the answers until the deadline.
    pub async fn answers(self, deadline: tokio::time::Instant) -> BTreeMap<String, D::Answer> {
        let PendingAnswers { known: mut answers, waiting } = self;
        for (name, mut receiver) in waiting {
            let received =
                tokio::time::timeout_at(deadline, receiver.wait_for(Option::is_some)).await;
            let answer = match received {
                Ok(Ok(answer)) => answer.unwrap_or(D::UNANSWERED),
                // Too late, or the query was aborted without an answer.
                Err(_) | Ok(Err(_)) => D::UNANSWERED,
            };
            answers.insert(name, answer);
        }
        answers
    }
}

enum AskResult<A> {
    Ready(A),
    Pending(watch::Receiver<Option<A>>),
}

impl<D: Dns> SharedResolver<D> {
    /// Sends one query and caches its answer.
    async fn query(&self, name: &str) -> D::Answer {
        let answer = tokio::time::timeout(query_timeout(self.deadline), self.dns.ask(name)).await;
        let late = Resolution { response: Response::Timeout, answer: D::UNANSWERED };
        let answer = answer.unwrap_or(late);
        let now = (self.clock)();
        let mut state = self.state();
        state.breaker.record(answer.response, now);
        state.faults.record(name, answer.response, now);
        state.in_flight.remove(name);
        state.cache.insert(name, answer, now)
    }
}

/// Timeout of a query: longer than the deadline of the message that asked first, so that a late answer is there
/// for the next one.
fn query_timeout(deadline: Duration) -> Duration {
    deadline.saturating_mul(2).max(Duration::from_secs(5))
}

impl<D: Dns> SharedResolver<D> {
    /// A poisoned lock does no harm: no thread leaves the state half changed.
    fn state(&self) -> MutexGuard<'_, ResolverState<D::Answer>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether IANA's table in force has a top-level domain, in lower-case ASCII form.
pub type InTable = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// Answers for top-level domains. What the table has exists, whatever the DNS says of it.
pub struct TldDns {
    pub dns: Hickory,
    pub table: InTable,
}

/// The DNS through hickory-resolver: UDP, TCP for truncated answers, its own cache off.
#[derive(Clone, Debug)]
pub struct Hickory {
    resolver: TokioResolver,
}

/// Why a resolver could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ResolverError {
    #[error("no DNS resolver: {0}")]
    Net(#[from] NetError),
    #[error("{path}: expected DNSKEY records of the root: {reason}")]
    TrustAnchor { path: PathBuf, reason: String },
}

impl Hickory {
    /// # Errors
    /// /etc/resolv.conf cannot be read or names no server, or the file of trust anchors holds none.
    pub fn new(options: &ResolverOptions) -> Result<Hickory, ResolverError> {
        let provider = TokioRuntimeProvider::default();
        let mut builder = if options.servers.is_empty() {
            TokioResolver::builder(provider)?
        } else {
            let servers = options.servers.iter().map(|server| name_server(*server)).collect();
            let config = ResolverConfig::from_name_servers(servers);
            TokioResolver::builder_with_config(config, provider)
        };
        set_options(builder.options_mut(), options);
        if let Validation::ValidateBy(path) = &options.validation {
            builder = builder.with_trust_anchor(Arc::new(trust_anchors(path)?));
        }
        Ok(Hickory { resolver: builder.build()? })
    }
}

/// The keys of the root of the DNS in a file.
///
/// # Errors
/// It cannot be read, or has none.
pub fn trust_anchors(path: &Path) -> Result<TrustAnchors, ResolverError> {
    let wrong = |reason| ResolverError::TrustAnchor { path: path.to_owned(), reason };
    // A file that never ends would block a reload.
    file::read(path, file::MAX_BYTES).map_err(|error| wrong(error.to_string()))?;
    let anchors = TrustAnchors::from_file(path).map_err(|error| wrong(error.to_string()))?;
    if anchors.is_empty() { Err(wrong("found none".to_owned())) } else { Ok(anchors) }
}

fn name_server(server: SocketAddr) -> NameServerConfig {
    let with_port = |mut connection: ConnectionConfig| {
        connection.port = server.port();
        connection
    };
    let connections = [ConnectionConfig::udp(), ConnectionConfig::tcp()];
    let mut config = NameServerConfig::udp_and_tcp(server.ip());
    config.connections = connections.into_iter().map(with_port).collect();
    config
}

fn set_options(resolver: &mut ResolverOpts, options: &ResolverOptions) {
    // Two tries within the timeout of a query.
    resolver.timeout = query_timeout(options.deadline) / 2;
    resolver.attempts = 1;
    resolver.cache_size = 0;
    resolver.use_hosts_file = ResolveHosts::Never;
    resolver.validate = options.validation != Validation::Trust;
    resolver.case_randomization = true;
}

impl Dns for TldDns {
    type Answer = Answer;

    const UNANSWERED: Answer = Answer::Unverified;
    const DENIED: Answer = Answer::Unverified;

    /// Asks for the SOA of a top-level domain.
    async fn ask(&self, tld: &str) -> Resolution<Answer> {
        let (response, _) = self.dns.look_up(tld, RecordType::SOA).await;
        response.about_tld((self.table)(tld)).into()
    }
}

impl Hickory {
    /// The DNS response for a name (ASCII form, without root dot), and its records of this type.
    pub async fn look_up(&self, name: &str, kind: RecordType) -> (Response, Vec<RData>) {
        // With the root dot no search list applies.
        let Ok(name) = Name::from_ascii(format!("{name}.")) else {
            return (Response::Failed, Vec::new());
        };
        match self.resolver.lookup(name, kind).await {
            Ok(lookup) => {
                let ttl = lookup.answers().iter().map(|record| record.ttl).min();
                let records = lookup.answers().iter().map(|record| record.data.clone());
                (Response::Exists { ttl: ttl.map(seconds) }, records.collect())
            }
            Err(error) => (response_of(&error), Vec::new()),
        }
    }
}

fn response_of(error: &NetError) -> Response {
    match error {
        NetError::Timeout => Response::Timeout,
        NetError::Dns(DnsError::NoRecordsFound(none)) => {
            let ttl = none.negative_ttl.map(seconds);
            match none.response_code {
                ResponseCode::NXDomain => Response::Missing { ttl },
                // The name exists, with other records or as a delegation.
                ResponseCode::NoError => Response::Exists { ttl },
                ResponseCode::Refused => Response::AccessDenied,
                _ => Response::Failed,
            }
        }
        NetError::Dns(DnsError::ResponseCode(ResponseCode::Refused)) => Response::AccessDenied,
        NetError::Dns(DnsError::Nsec { response, proof, .. }) if proof.is_secure() => {
            let ttl = response.negative_ttl().map(seconds);
            match response.response_code {
                ResponseCode::NXDomain => Response::Missing { ttl },
                ResponseCode::NoError => Response::Exists { ttl },
                _ => Response::Failed,
            }
        }
        _ => Response::Failed,
    }
}

fn seconds(count: u32) -> Duration {
    Duration::from_secs(u64::from(count))
}
