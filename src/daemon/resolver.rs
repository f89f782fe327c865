//! Asks the DNS about names: cached, one query in flight a name, within a deadline.
//!
//! Mail waits for at most the deadline. A query goes on behind it, so that its answer is there for
//! the next message.

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
use crate::tld::cache::{Bounds, Cache, Moment};
use crate::tld::dns::{Dns, Resolution, Response};

/// Queries in flight at most, over all messages; beyond it a name is unverified.
const MAX_FLIGHTS: usize = 256;

/// What tells the time since some fixed moment.
pub type Clock = Arc<dyn Fn() -> Moment + Send + Sync>;

/// How questions are asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Servers; none takes /etc/resolv.conf.
    pub servers: Vec<SocketAddr>,
    /// Time that one message waits for all its questions.
    pub deadline: Duration,
    pub validation: Validation,
    pub cache: Bounds,
    /// Questions of one message at most.
    pub questions: usize,
}

impl Options {
    /// What the configuration says.
    pub fn of(config: &Config) -> Options {
        Options {
            servers: config.dns.servers.iter().map(|server| server.0).collect(),
            deadline: config.dns.deadline,
            validation: match (config.dns.dnssec, &config.dns.trust_anchor) {
                (false, _) => Validation::Trust,
                (true, None) => Validation::Validate,
                (true, Some(path)) => Validation::ValidateBy(config.resolve(path)),
            },
            cache: config.dns_cache(),
            questions: config.limits.questions,
        }
    }
}

/// Whether DNSSEC is validated here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Validation {
    /// It is the servers' business.
    #[default]
    Trust,
    /// What does not validate by the built-in keys of the root is a failure.
    Validate,
    /// The same by the DNSKEY records in this file.
    ValidateBy(PathBuf),
}

/// What was asked and what it took, for the metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Answers from the cache.
    pub hits: u64,
    /// Names that were not in the cache.
    pub misses: u64,
    /// Queries sent.
    pub queries: u64,
    /// Names kept.
    pub entries: usize,
}

/// The resolver of the daemon.
pub struct Resolver<D: Dns> {
    shared: Arc<Shared<D>>,
}

struct Shared<D: Dns> {
    dns: D,
    clock: Clock,
    deadline: Duration,
    questions: usize,
    state: Mutex<State<D::Answer>>,
}

struct State<A> {
    cache: Cache<A>,
    breaker: Breaker,
    /// Names being asked; the receiver sees the answer when it is there.
    flights: HashMap<String, watch::Receiver<Option<A>>>,
    queries: u64,
    /// Hits and misses that [`Resolver::new_lookups`] has told of.
    told: (u64, u64),
}

impl Resolver<Hickory> {
    /// A resolver on hickory. Call it inside a tokio runtime.
    ///
    /// # Errors
    /// When /etc/resolv.conf cannot be read or names no server.
    pub fn hickory(options: &Options) -> Result<Resolver<Hickory>, ResolverError> {
        let start = Instant::now();
        let clock: Clock = Arc::new(move || start.elapsed());
        Ok(Resolver::new(Hickory::new(options)?, options, clock))
    }
}

impl<D: Dns> Resolver<D> {
    /// A resolver on any [`Dns`], with the clock handed in.
    pub fn new(dns: D, options: &Options, clock: Clock) -> Resolver<D> {
        let state = State {
            cache: Cache::new(options.cache),
            breaker: Breaker::new(options.cache.failure),
            flights: HashMap::new(),
            queries: 0,
            told: (0, 0),
        };
        let (deadline, questions) = (options.deadline, options.questions);
        let state = Mutex::new(state);
        Resolver { shared: Arc::new(Shared { dns, clock, deadline, questions, state }) }
    }

    /// Answers to the questions of one message, all within the deadline.
    ///
    /// What is not answered by then, and what is beyond the limit of questions, is unverified.
    pub async fn answers(&self, questions: &[String]) -> BTreeMap<String, D::Answer> {
        self.begin(questions).answers(self.deadline()).await
    }

    /// The moment at which a message that asks now goes on.
    pub fn deadline(&self) -> tokio::time::Instant {
        tokio::time::Instant::now() + self.shared.deadline
    }

    /// Asks, and waits for nothing yet.
    pub fn begin(&self, questions: &[String]) -> Begun<D> {
        let mut begun = Begun { known: BTreeMap::new(), waiting: Vec::new() };
        for name in questions.iter().take(self.shared.questions) {
            match self.ask(name) {
                Asked::Known(answer) => drop(begun.known.insert(name.clone(), answer)),
                Asked::Wait(flight) => begun.waiting.push((name.clone(), flight)),
            }
        }
        begun
    }

    /// Look-ups since this was last asked: those that the cache answered, and the others.
    pub fn new_lookups(&self) -> (u64, u64) {
        let mut state = self.shared.state();
        let now = (state.cache.hits, state.cache.misses);
        let (hits, misses) = std::mem::replace(&mut state.told, now);
        (now.0 - hits, now.1 - misses)
    }

    /// What was asked so far.
    pub fn counts(&self) -> Counts {
        let state = self.shared.state();
        Counts {
            hits: state.cache.hits,
            misses: state.cache.misses,
            queries: state.queries,
            entries: state.cache.len(),
        }
    }

    /// Looks into the cache, joins a query in flight, or sends one off.
    fn ask(&self, name: &str) -> Asked<D::Answer> {
        let now = (self.shared.clock)();
        let mut state = self.shared.state();
        if let Some(answer) = state.cache.get(name, now) {
            return Asked::Known(answer);
        }
        // A query that broke off has left its sender: it is asked anew.
        if let Some(flight) = state.flights.get(name)
            && flight.has_changed().is_ok()
        {
            return Asked::Wait(flight.clone());
        }
        if state.flights.len() >= MAX_FLIGHTS || !state.breaker.may_ask(now) {
            return Asked::Known(D::UNANSWERED);
        }
        let (landed, flight) = watch::channel(None);
        state.flights.insert(name.to_owned(), flight.clone());
        state.queries += 1;
        drop(state);
        let shared = Arc::clone(&self.shared);
        let name = name.to_owned();
        tokio::spawn(async move {
            let answer = shared.fly(&name).await;
            // Nobody may be waiting any more; the cache has it then.
            let _ = landed.send(Some(answer));
        });
        Asked::Wait(flight)
    }
}

/// The questions of one message, asked.
#[derive(Debug)]
pub struct Begun<D: Dns> {
    known: BTreeMap<String, D::Answer>,
    waiting: Vec<(String, watch::Receiver<Option<D::Answer>>)>,
}

impl<D: Dns> Begun<D> {
    /// The answers that are there by then.
    pub async fn answers(self, until: tokio::time::Instant) -> BTreeMap<String, D::Answer> {
        let Begun { known: mut answers, waiting } = self;
        for (name, mut flight) in waiting {
            let landed = tokio::time::timeout_at(until, flight.wait_for(Option::is_some)).await;
            let answer = match landed {
                Ok(Ok(answer)) => answer.unwrap_or(D::UNANSWERED),
                // Too late, or the query is gone without an answer.
                Err(_) | Ok(Err(_)) => D::UNANSWERED,
            };
            answers.insert(name, answer);
        }
        answers
    }
}

enum Asked<A> {
    Known(A),
    Wait(watch::Receiver<Option<A>>),
}

impl<D: Dns> Shared<D> {
    /// One query, from its start to the cache.
    async fn fly(&self, name: &str) -> D::Answer {
        let told = tokio::time::timeout(patience(self.deadline), self.dns.ask(name)).await;
        let late = Resolution { response: Response::Timeout, answer: D::UNANSWERED };
        let told = told.unwrap_or(late);
        let now = (self.clock)();
        let mut state = self.state();
        state.breaker.record(told.response, now);
        state.flights.remove(name);
        state.cache.insert(name, told, now)
    }
}

/// Time that a query flies: beyond the deadline of the message that asked first, so that a late
/// answer is there for the next one.
fn patience(deadline: Duration) -> Duration {
    deadline.saturating_mul(2).max(Duration::from_secs(5))
}

impl<D: Dns> Shared<D> {
    /// The state is whole whatever happened to a thread that held it.
    fn state(&self) -> MutexGuard<'_, State<D::Answer>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<D: Dns> std::fmt::Debug for Resolver<D> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Resolver")
            .field("deadline", &self.shared.deadline)
            .finish_non_exhaustive()
    }
}

/// The DNS by hickory-resolver: UDP, TCP when truncated, its own cache off. As a [`Dns`] it is asked for
/// top-level domains.
#[derive(Clone, Debug)]
pub struct Hickory {
    resolver: TokioResolver,
}

/// Why no resolver could be made.
#[derive(Debug, thiserror::Error)]
pub enum ResolverError {
    #[error("no DNS resolver: {0}")]
    Net(#[from] NetError),
    #[error("{path}: expected DNSKEY records of the root: {reason}")]
    TrustAnchor { path: PathBuf, reason: String },
}

impl Hickory {
    /// # Errors
    /// When /etc/resolv.conf cannot be read or names no server, or the file of keys holds none.
    pub fn new(options: &Options) -> Result<Hickory, ResolverError> {
        let provider = TokioRuntimeProvider::default();
        let mut builder = if options.servers.is_empty() {
            TokioResolver::builder(provider)?
        } else {
            let servers = options.servers.iter().map(|server| name_server(*server)).collect();
            let config = ResolverConfig::from_name_servers(servers);
            TokioResolver::builder_with_config(config, provider)
        };
        adjust(builder.options_mut(), options);
        if let Validation::ValidateBy(path) = &options.validation {
            builder = builder.with_trust_anchor(Arc::new(trust_anchors(path)?));
        }
        Ok(Hickory { resolver: builder.build()? })
    }
}

fn trust_anchors(path: &Path) -> Result<TrustAnchors, ResolverError> {
    let wrong = |reason| ResolverError::TrustAnchor { path: path.to_owned(), reason };
    // What may never end would hold a reload.
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

fn adjust(resolver: &mut ResolverOpts, options: &Options) {
    // Two tries within the time that a query flies.
    resolver.timeout = patience(options.deadline) / 2;
    resolver.attempts = 1;
    resolver.cache_size = 0;
    resolver.use_hosts_file = ResolveHosts::Never;
    resolver.validate = options.validation != Validation::Trust;
    resolver.case_randomization = true;
}

impl Dns for Hickory {
    type Answer = Answer;

    const UNANSWERED: Answer = Answer::Unverified;

    /// Asks for the SOA of a top-level domain.
    async fn ask(&self, tld: &str) -> Resolution<Answer> {
        self.look_up(tld, RecordType::SOA).await.0.into()
    }
}

impl Hickory {
    /// What the DNS says of a name (ASCII form, without root dot), and its records of this type.
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
                // The name is there, with other records or as a delegation.
                ResponseCode::NoError => Response::Exists { ttl },
                _ => Response::Failed,
            }
        }
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
