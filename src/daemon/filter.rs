//! A message in, an answer out: the engine behind the milter.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::envelope::{envelope, facts, field};
use super::memory::{Memories, Memory};
use super::metrics::{Cache, DnsAnswer, Lookup, Metrics, RecipeFault};
use super::recipes;
use super::reload::{Generation, Live};
use super::reply;
use super::resolver::{self, Hickory, Resolver};
use super::seal::{self, Seal};
use super::settings::Loaded;
use super::tell::{Report, Tell};
use super::tlds::Tlds;
use crate::config::{self, Config, DnsMode};
use crate::engine::outcome::{Bypass, StoredRecipe};
use crate::engine::policy::Mode;
use crate::engine::{
    self, Answers, Case, Facts, Inspect, Message, Outcome, Policy, TldTable, guarded, unread,
};
use crate::milter::session::Completeness;
use crate::milter::wire::Actions;
use crate::milter::{Answer, Event, Handler, Mail};
use crate::policy::Envelope;

/// Messages above this size, in bytes, are filtered off the async workers; below it the engine is
/// done before another task would notice.
const OFF_WORKER_BYTES: usize = 256 << 10;

/// The filter that answers the milter server.
#[derive(Debug)]
pub struct Filter {
    /// The settings in force. A message takes them once and keeps them to its end.
    pub live: Live<Loaded>,
    /// The table of top-level domains in force.
    pub tlds: Arc<Tlds>,
    pub tell: Tell,
    memories: Memories,
    /// Who asks the DNS; `None` when nobody does.
    dns: ArcSwapOption<Asker>,
    inspect: Inspect,
    /// As many large messages at a time as there are processors: their memory is what hurts.
    large: Arc<Semaphore>,
}

impl Filter {
    /// Call it inside a tokio runtime.
    pub fn new(loaded: Loaded, tlds: Arc<Tlds>, tell: Tell) -> Filter {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let dns = ArcSwapOption::new(Asker::new(&loaded.config, &tell.metrics).map(Arc::new));
        Filter {
            memories: Memories::new(Arc::clone(&tell.metrics)),
            live: Live::new(loaded),
            tlds,
            tell,
            dns,
            inspect: engine::inspect_case,
            large: Arc::new(Semaphore::new(processors)),
        }
    }

    /// The same filter around another engine, for fault injection.
    #[must_use]
    pub fn with_engine(self, inspect: Inspect) -> Filter {
        Filter { inspect, ..self }
    }

    /// Asks the DNS as this configuration says. The cache is kept when nothing changed.
    pub fn use_dns(&self, config: &Config) {
        let asker = self.dns.load_full();
        if asker.is_none_or(|asker| asker.section != config.dns) {
            self.dns.store(Asker::new(config, &self.tell.metrics).map(Arc::new));
        }
    }

    async fn judge(&self, mail: &Arc<Mail>, generation: &Arc<Generation<Loaded>>) -> Judged {
        let envelope = envelope(mail);
        let policy =
            permitted(mail, generation.settings.settings.policies.select(&envelope).policy);
        let facts = facts(mail, &envelope, generation);
        let tlds = self.tlds.table();
        let job = Job {
            mail: Arc::clone(mail),
            generation: Arc::clone(generation),
            memory: self.memories.of(generation.number, &tlds),
            tlds,
            dns: self.dns.load_full(),
            envelope,
            facts,
            policy,
            inspect: self.inspect,
        };
        if is_ours(mail, generation.seal.as_ref().ok()) {
            return job.untouched();
        }
        if mail.completeness == Completeness::Cut {
            return job.bypassed(Bypass::Limit("max_message"));
        }
        if mail.head.len() + mail.body.len() <= OFF_WORKER_BYTES {
            return job.run().await;
        }
        self.judge_large(job).await
    }

    /// Keeps a recipe that does not fit into a header field. Without a place for it the message
    /// goes on edited all the same: a deceptive link does more harm than an edit that stays.
    async fn keep(&self, recipe: StoredRecipe, config: &Config) {
        let directory = recipes::directory(config);
        let kept = spawn_blocking(move || recipes::keep(&directory, &recipe)).await;
        if let Ok(Err(error)) = kept {
            self.tell.metrics.recipe_fault(RecipeFault::Write);
            tracing::error!(%error, "a recipe is lost: the edits of a message cannot be undone");
        }
    }

    async fn judge_large(&self, job: Job) -> Judged {
        let patience = job.generation.config.server.message_timeout;
        let unread = job.clone();
        let runtime = Handle::current();
        let permit = Arc::clone(&self.large).acquire_owned().await;
        let judging = spawn_blocking(move || {
            let judged = runtime.block_on(job.run());
            drop(permit);
            judged
        });
        match timeout(patience, judging).await {
            Ok(Ok(judged)) => judged,
            Ok(Err(_)) => unread.bypassed(Bypass::Panic),
            Err(_) => unread.bypassed(Bypass::Limit("message_timeout")),
        }
    }
}

impl Handler for Filter {
    async fn message(&self, mail: Arc<Mail>) -> Answer {
        let generation = self.live.get();
        let judged = self.judge(&mail, &generation).await;
        if let Some(recipe) = judged.outcome.stored.clone() {
            self.keep(recipe, &generation.config).await;
        }
        let answer = reply::answer(&mail, &judged.outcome, &generation.refusal());
        self.tell.message(&Report {
            mail: &mail,
            envelope: &judged.envelope,
            policy: &judged.policy,
            outcome: &judged.outcome,
            engine: judged.engine,
            dns: judged.dns,
            generation: generation.number,
        });
        answer
    }

    fn event(&self, event: Event<'_>) {
        self.tell.event(&event);
    }
}

/// A resolver and the settings that it was made from.
#[derive(Debug)]
struct Asker {
    section: config::Dns,
    resolver: Resolver<Hickory>,
    metrics: Arc<Metrics>,
}

impl Asker {
    /// `None` when the configuration wants none or there is no server to ask: then the table
    /// decides alone.
    fn new(config: &Config, metrics: &Arc<Metrics>) -> Option<Asker> {
        if config.dns.mode == DnsMode::Never {
            return None;
        }
        match Resolver::hickory(&resolver::Options::of(config)) {
            Ok(resolver) => {
                let (section, metrics) = (config.dns.clone(), Arc::clone(metrics));
                Some(Asker { section, resolver, metrics })
            }
            Err(error) => {
                tracing::warn!(%error, "the DNS is not asked");
                None
            }
        }
    }
}

impl Asker {
    /// The answers for one message; the metrics are told.
    async fn answers(&self, questions: &[String]) -> Answers {
        let answers = self.resolver.answers(questions).await;
        for answer in answers.values() {
            self.metrics.dns_answer(match answer {
                engine::Answer::Exists => DnsAnswer::Exists,
                engine::Answer::Missing => DnsAnswer::Missing,
                engine::Answer::Unverified => DnsAnswer::Unverified,
            });
        }
        let (hits, misses) = self.resolver.new_lookups();
        self.metrics.cache(Cache::Dns, Lookup::Hit, hits);
        self.metrics.cache(Cache::Dns, Lookup::Miss, misses);
        answers
    }
}

/// One message to judge, with all that it takes.
#[derive(Clone)]
struct Job {
    mail: Arc<Mail>,
    generation: Arc<Generation<Loaded>>,
    tlds: Arc<TldTable>,
    memory: Arc<Memory>,
    dns: Option<Arc<Asker>>,
    envelope: Envelope,
    facts: Facts,
    policy: Arc<Policy>,
    inspect: Inspect,
}

/// A judged message.
struct Judged {
    outcome: Outcome,
    envelope: Envelope,
    policy: Arc<Policy>,
    engine: Duration,
    dns: Duration,
}

impl Job {
    async fn run(self) -> Judged {
        let case = Case {
            message: Message { head: &self.mail.head, body: &self.mail.body },
            facts: &self.facts,
            policy: &self.policy,
            tlds: &self.tlds,
            memory: Some(self.memory.as_ref()),
        };
        let start = Instant::now();
        let inspection = guarded(|| (self.inspect)(case));
        let Some(inspection) = inspection else { return self.bypassed(Bypass::Panic) };
        let inspected = Instant::now();
        let answers = self.ask(&inspection.questions).await;
        let answered = Instant::now();
        let Some(outcome) = guarded(|| inspection.resolve(&answers)) else {
            return self.bypassed(Bypass::Panic);
        };
        let engine = (inspected - start) + answered.elapsed();
        Judged {
            outcome,
            envelope: self.envelope,
            policy: self.policy,
            engine,
            dns: answered - inspected,
        }
    }

    async fn ask(&self, questions: &[String]) -> Answers {
        match &self.dns {
            Some(asker) if !questions.is_empty() => asker.answers(questions).await,
            _ => Answers::new(),
        }
    }

    /// Mail of our own goes on as it is, without a header field.
    fn untouched(self) -> Judged {
        self.done(Outcome::default())
    }

    /// The message goes on, or not, as the policy says for what kept it from being read; the
    /// header says why.
    fn bypassed(self, bypass: Bypass) -> Judged {
        let message = Message { head: &self.mail.head, body: &self.mail.body };
        let outcome = unread(message, &self.facts, &self.policy, bypass);
        self.done(outcome)
    }

    fn done(self, outcome: Outcome) -> Judged {
        let (engine, dns) = (Duration::ZERO, Duration::ZERO);
        Judged { outcome, envelope: self.envelope, policy: self.policy, engine, dns }
    }
}

/// The policy, as far as the MTA lets it be carried out: what cannot be changed is reported only.
fn permitted(mail: &Mail, policy: Arc<Policy>) -> Arc<Policy> {
    let needed = Actions::CHANGE_BODY.with(Actions::CHANGE_HEADERS).with(Actions::ADD_HEADERS);
    if mail.actions.has(needed) {
        return policy;
    }
    let mut policy = Policy::clone(&policy);
    policy.mode = Mode::ReportOnly;
    policy.message_actions.clear();
    policy.reason_message_actions.clear();
    Arc::new(policy)
}

/// Whether this daemon made the mail itself: its digest.
fn is_ours(mail: &Mail, seal: Option<&Seal>) -> bool {
    let (Some(seal), Some(value)) = (seal, field(&mail.head, seal::FIELD)) else { return false };
    let message_id = field(&mail.head, "Message-ID").unwrap_or_default();
    seal.holds(value, message_id, &mail.body)
}
