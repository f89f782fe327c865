//! The milter handler: a message goes to the engine, and its outcome becomes the answer to the MTA.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::contacts::Contacts;
use super::deferrals::Deferrals;
use super::dns_client::DnsClient;
use super::envelope::{envelope, facts, field};
use super::feeds::Feeds;
use super::judgement_cache::{CurrentCache, JudgementCache};
use super::metrics::RecipeFault;
use super::outbound;
use super::recipes::{self, Recipes};
use super::reload::{Generation, Live};
use super::reply;
use super::report::{Report, Reporter};
use super::restore_result::{NotRestored, RestoreResult};
use super::seal::{self, Seal};
use super::settings::Loaded;
use super::tlds::Tlds;
use super::work_queues::{Queue, WorkQueues};
use crate::config::{Config, UndoLost};
use crate::engine::lists::Listing;
use crate::engine::outcome::{Bypass, Disposition, Limit};
use crate::engine::policy::{Mode, Signed};
use crate::engine::splice::{Restored, note, undo_lost};
use crate::engine::{
    self, Answers, Case, Facts, Inspect, Inspection, Message, Outcome, Policy, TldTable, guarded,
    unread,
};
use crate::feed::store::Store;
use crate::milter::session::Completeness;
use crate::milter::wire::Actions;
use crate::milter::{Answer, Event, Handler, Mail};
use crate::policy::{Envelope, Leaving, Path, exempted};

/// Messages of more bytes are judged off the async workers. The engine is done with smaller ones before
/// another task would notice, unless the message is hostile.
const MAX_WORKER_BYTES: usize = 32 << 10;

/// Engine steps that a message may take on a worker: so many for each of its bytes, and so many more in any
/// case. Real mail takes three to six steps a byte, and a list of links up to eight. A message that needs more
/// is judged again off the workers.
const WORKER_STEPS_PER_BYTE: u64 = 8;
const WORKER_STEPS_BASE: u64 = 4_000;

/// How long the engine may go on after it was told to stop, to return what it found so far.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);

/// The filter that answers the milter server.
#[derive(Debug)]
pub struct Filter {
    /// The settings in force. A message reads them once and keeps them to its end.
    pub live: Live<Loaded>,
    /// The table of top-level domains in force.
    pub tlds: Arc<Tlds>,
    /// The lists of others that are in force.
    pub feeds: Arc<Feeds>,
    pub reporter: Reporter,
    /// The recipes that do not fit into header fields.
    pub recipes: Arc<Recipes>,
    /// Which outside addresses local users have had mail with.
    pub contacts: Arc<Contacts>,
    judgements: CurrentCache,
    /// Sends DNS queries; `None` if the settings want none.
    dns: ArcSwapOption<DnsClient>,
    inspect: Inspect,
    queues: WorkQueues,
    deferrals: Deferrals,
}

impl Filter {
    /// Call it inside a tokio runtime.
    pub fn new(loaded: Loaded, tlds: Arc<Tlds>, reporter: Reporter) -> Filter {
        let queues = WorkQueues::new(&loaded.config);
        let dns = ArcSwapOption::new(DnsClient::new(&loaded, &reporter.metrics).map(Arc::new));
        let feeds = Arc::new(Feeds::new(
            Store::new(loaded.config.feed_directory()),
            Arc::clone(&reporter.metrics),
        ));
        let contacts = Contacts::new(Arc::clone(&reporter.metrics));
        contacts.apply(&loaded);
        Filter {
            contacts: Arc::new(contacts),
            judgements: CurrentCache::new(Arc::clone(&reporter.metrics)),
            live: Live::new(loaded),
            tlds,
            feeds,
            reporter,
            recipes: Arc::default(),
            dns,
            inspect: engine::inspect_case,
            queues,
            deferrals: Deferrals::default(),
        }
    }

    /// The same filter around another engine, for fault injection.
    #[must_use]
    pub fn with_engine(self, inspect: Inspect) -> Filter {
        Filter { inspect, ..self }
    }

    /// Queries the DNS as this configuration says. Resolvers whose settings are unchanged keep their cache.
    pub fn set_dns(&self, loaded: &Loaded) {
        let before = self.dns.load_full();
        let client = DnsClient::replace(before.as_deref(), loaded, &self.reporter.metrics);
        self.dns.store(client.map(Arc::new));
    }

    /// Gives the engine as much memory as this configuration says.
    pub fn set_memory(&self, config: &Config) {
        self.queues.set_memory(config);
    }

    async fn judge(
        &self,
        mail: &Arc<Mail>,
        generation: &Arc<Generation<Loaded>>,
        permitted: fn(&Mail, Arc<Policy>) -> Arc<Policy>,
    ) -> Judged {
        let envelope = envelope(mail, generation);
        let policy =
            permitted(mail, generation.settings.settings.policies.select(&envelope).policy);
        let policy = self.feeds.with_listings(policy);
        let mut facts = facts(mail, &envelope, generation);
        facts.contact =
            self.contacts.query(mail, &envelope, &generation.settings.settings.policies);
        let tlds = self.tlds.table();
        let leaving = generation.settings.settings.policies.leaving(&envelope);
        let restore = outbound::applies(mail, leaving, &generation.settings).then_some(leaving);
        let job = Job {
            mail: Arc::clone(mail),
            restore,
            generation: Arc::clone(generation),
            judgements: self.judgements.of(generation.number, &tlds),
            tlds,
            dns: self.dns.load_full(),
            envelope,
            facts,
            policy,
            inspect: self.inspect,
            stop: Arc::new(AtomicBool::new(false)),
        };
        if is_ours(mail, generation.seal.as_ref().ok()) {
            return job.unchanged();
        }
        if mail.completeness == Completeness::Cut {
            return job.failed(Bypass::Limit(Limit::MaxMessage), NotRestored::Truncated);
        }
        let bytes = mail.head.len() + mail.body.len();
        if bytes <= MAX_WORKER_BYTES && restore.is_none() {
            match job.run_on_worker(bytes).await {
                Ok(judged) => judged,
                Err(job) => self.judge_off_worker(job, Queue::Expensive).await,
            }
        } else {
            self.judge_off_worker(job, Queue::for_bytes(bytes)).await
        }
    }

    /// Defers a message that ran out of time, a few times: load passes. After that its policy decides. A
    /// message that never left its queue is deferred without counting, since the load was not its own.
    fn defer_late(&self, mut judged: Judged, mail: &Mail) -> Judged {
        let is_timeout = |bypass: &Bypass| *bypass == Bypass::Limit(Limit::MessageTimeout);
        let is_stopped = judged.policy.on_exhausted != Disposition::Accept
            && judged.outcome.disposition == judged.policy.on_exhausted
            && judged.envelope.path == Path::Smtpd;
        let may_defer = || {
            let Envelope { sender, recipients, .. } = &judged.envelope;
            self.deferrals.defer(sender, recipients, &mail.body, Instant::now())
        };
        if is_stopped
            && judged.outcome.bypasses.iter().any(|(_, bypass)| is_timeout(bypass))
            && (judged.progress == Progress::Queued || may_defer())
        {
            judged.outcome.disposition = Disposition::Tempfail;
        }
        judged
    }

    /// Stores the recipe of a message, if it does not fit into a header field. If it cannot be stored the
    /// message goes on edited all the same, or signed mail goes on unedited if the operator wants that
    /// (`policy.undo_lost`). The header then says that the edits cannot be undone.
    async fn store_recipe(
        &self,
        judged: Judged,
        mail: &Arc<Mail>,
        generation: &Arc<Generation<Loaded>>,
    ) -> Judged {
        // A deferred message comes again, and nothing of this outcome is delivered.
        let is_deferred = judged.outcome.disposition == Disposition::Tempfail;
        if is_deferred || self.is_recipe_stored(&judged, mail, generation).await {
            return judged;
        }
        let mut judged = match generation.config.policy.undo_lost {
            UndoLost::Edit => judged,
            UndoLost::ReportSigned => {
                self.judge(mail, generation, without_breaking_signatures).await
            }
        };
        if judged.outcome.stored.take().is_some() {
            self.reporter.metrics.undo_lost();
            undo_lost(&mut judged.outcome.fields);
        }
        judged
    }

    /// Stores the recipe; `true` also if there is none.
    async fn is_recipe_stored(
        &self,
        judged: &Judged,
        mail: &Mail,
        generation: &Generation<Loaded>,
    ) -> bool {
        let Some(recipe) = judged.outcome.stored.clone() else { return true };
        let (recipes, bounds) = (Arc::clone(&self.recipes), recipes::bounds(&generation.config));
        let stored = spawn_blocking(move || recipes.store(&bounds, &recipe)).await;
        let error = match stored {
            Ok(Ok(())) => return true,
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        };
        self.reporter.metrics.recipe_fault(RecipeFault::Write);
        tracing::error!(%error, "{}: a recipe is lost, its edits cannot be undone", mail.queue_id());
        false
    }

    /// Judges on another thread. The timeout includes the wait in the queue. When it is over the engine is
    /// told to stop, and returns what it found so far.
    async fn judge_off_worker(&self, job: Job, queue: Queue) -> Judged {
        let message_timeout = job.generation.config.server.message_timeout;
        let unread = job.clone();
        let runtime = Handle::current();
        let bytes = job.mail.head.len() + job.mail.body.len();
        let started = Arc::new(AtomicBool::new(false));
        let set_started = Arc::clone(&started);
        let mut judging = pin!(self.queues.run(queue, bytes, move || {
            set_started.store(true, Ordering::Relaxed);
            runtime.block_on(job.run())
        }));
        let judged = match timeout(message_timeout, &mut judging).await {
            Ok(judged) => Ok(judged),
            Err(_) if !started.load(Ordering::Relaxed) => return unread.timed_out_in_queue(),
            Err(_) => {
                unread.stop.store(true, Ordering::Relaxed);
                timeout(STOP_TIMEOUT, judging).await
            }
        };
        match judged {
            Ok(Ok(judged)) => judged,
            Ok(Err(_)) => unread.failed(Bypass::Panic, NotRestored::Failed),
            Err(_) => unread.failed(Bypass::Limit(Limit::MessageTimeout), NotRestored::Failed),
        }
    }
}

impl Handler for Filter {
    async fn message(&self, mail: Arc<Mail>) -> Answer {
        let generation = self.live.get();
        let judged = self.judge(&mail, &generation, permitted).await;
        let judged = self.defer_late(judged, &mail);
        let judged = self.store_recipe(judged, &mail, &generation).await;
        let answer = match &judged.restore {
            Some(RestoreResult::Original(original)) => reply::restored(&mail, original),
            _ => reply::answer(&mail, &judged.outcome, &generation.refusal()),
        };
        let (envelope, end) = (&judged.envelope, judged.outcome.disposition);
        self.contacts.learn(&mail, envelope, &generation.settings, end);
        self.reporter.message(&Report {
            mail: &mail,
            envelope: &judged.envelope,
            policy: &judged.policy,
            outcome: &judged.outcome,
            restore: judged.restore.as_ref().map(RestoreResult::as_str),
            engine: judged.engine,
            dns: judged.dns,
            generation: generation.number,
        });
        answer
    }

    fn event(&self, event: Event<'_>) {
        self.reporter.event(&event);
    }
}

/// One message to judge, with everything that needs.
#[derive(Clone)]
struct Job {
    mail: Arc<Mail>,
    /// Set if the message is outbound and carries a recipe.
    restore: Option<Leaving>,
    generation: Arc<Generation<Loaded>>,
    tlds: Arc<TldTable>,
    judgements: Arc<JudgementCache>,
    dns: Option<Arc<DnsClient>>,
    envelope: Envelope,
    facts: Facts,
    policy: Arc<Policy>,
    inspect: Inspect,
    /// Set when the message timeout is over: the engine stops.
    stop: Arc<AtomicBool>,
}

/// How far a message came before its answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    Judged,
    /// Its time was over while it waited in a queue.
    Queued,
}

/// The engine's outcome, and how long the engine and the DNS took.
struct Timed {
    outcome: Outcome,
    engine: Duration,
    dns: Duration,
}

/// A judged message.
struct Judged {
    outcome: Outcome,
    progress: Progress,
    /// What became of the recipe, if the message is outbound and carries one.
    restore: Option<RestoreResult>,
    envelope: Envelope,
    policy: Arc<Policy>,
    engine: Duration,
    dns: Duration,
}

impl Job {
    async fn run(self) -> Judged {
        let loaded = &self.generation.settings;
        let mail = &self.mail;
        let restore =
            self.restore.map(|leaving| outbound::restore(mail, leaving, &self.policy, loaded));
        match restore {
            Some(RestoreResult::Original(original)) => self.inspect_original(original).await,
            Some(RestoreResult::NotRestored(reason)) => {
                self.inspect_mail().await.not_restored(reason)
            }
            None => self.inspect_mail().await,
        }
    }

    async fn inspect_mail(self) -> Judged {
        let mail = Arc::clone(&self.mail);
        self.inspect(Message { head: &mail.head, body: &mail.body }).await
    }

    /// The original is judged and reported, so that the operator knows what went out. It is not changed.
    async fn inspect_original(mut self, original: Box<Restored>) -> Judged {
        self.policy = Arc::new(exempted(&self.policy, "given-back"));
        let message = Message { head: &original.head, body: &original.body };
        let judged = self.inspect(message).await;
        Judged { restore: Some(RestoreResult::Original(original)), ..judged }
    }

    async fn inspect(self, message: Message<'_>) -> Judged {
        match self.outcome(message, None).await {
            Some(timed) => self.judged(timed),
            None => self.bypassed(Bypass::Panic),
        }
    }

    /// Judges within the steps of a worker. Gives the job back if they do not suffice.
    async fn run_on_worker(self, bytes: usize) -> Result<Judged, Job> {
        let steps = WORKER_STEPS_PER_BYTE * bytes as u64 + WORKER_STEPS_BASE;
        let message = Message { head: &self.mail.head, body: &self.mail.body };
        match self.outcome(message, Some(steps)).await {
            Some(timed) if timed.outcome.cost.all() > steps => Err(self),
            Some(timed) => Ok(self.judged(timed)),
            None => Ok(self.bypassed(Bypass::Panic)),
        }
    }

    /// The engine's outcome within so many steps; `None` if the engine panicked.
    async fn outcome(&self, message: Message<'_>, steps: Option<u64>) -> Option<Timed> {
        let case = Case {
            message,
            facts: &self.facts,
            policy: &self.policy,
            tlds: &*self.tlds,
            memory: Some(self.judgements.as_ref()),
            stop: Some(&self.stop),
            steps,
        };
        let start = Instant::now();
        let inspection = guarded(|| (self.inspect)(case))?;
        let inspected = Instant::now();
        // A message over its step limit is judged again without the limit. The DNS is queried then.
        let (answers, listings) = match steps.is_some_and(|limit| inspection.cost().all() > limit) {
            true => Default::default(),
            false => self.query_dns(&inspection).await,
        };
        let answered = Instant::now();
        let outcome = if listings.is_empty() {
            guarded(|| inspection.resolve(&answers))?
        } else {
            let policy = with_more_listings(&self.policy, listings);
            let case = Case { policy: &policy, ..case };
            guarded(|| (self.inspect)(case).resolve(&answers))?
        };
        let engine = (inspected - start) + answered.elapsed();
        Some(Timed { outcome, engine, dns: answered - inspected })
    }

    fn judged(self, timed: Timed) -> Judged {
        let Timed { outcome, engine, dns } = timed;
        let (envelope, policy) = (self.envelope, self.policy);
        Judged { outcome, progress: Progress::Judged, restore: None, envelope, policy, engine, dns }
    }

    /// DNS answers about top-level domains, and block list entries for the domains of links. Local domains are
    /// not looked up.
    async fn query_dns(&self, inspection: &Inspection<'_>) -> (Answers, Vec<Arc<Listing>>) {
        let Some(dns) = &self.dns else { return Default::default() };
        let Inspection { questions, domains, .. } = inspection;
        let policies = &self.generation.settings.settings.policies;
        let domains: Vec<_> =
            domains.iter().filter(|domain| !policies.is_local(domain)).cloned().collect();
        dns.query(questions, &domains).await
    }

    /// Our own mail goes on as it is, without a header field.
    fn unchanged(self) -> Judged {
        self.done(Outcome::default())
    }

    /// The message was not read. The policy for that cause decides what becomes of it; the header says why.
    fn bypassed(self, bypass: Bypass) -> Judged {
        let message = Message { head: &self.mail.head, body: &self.mail.body };
        let outcome = unread(message, &self.facts, &self.policy, bypass);
        self.done(outcome)
    }

    /// As [`Job::bypassed`]. If the message was to be restored, also says why it was not.
    fn failed(self, bypass: Bypass, reason: NotRestored) -> Judged {
        let to_restore = self.restore.is_some();
        let judged = self.bypassed(bypass);
        if to_restore { judged.not_restored(reason) } else { judged }
    }

    /// The message timeout was over while the message was in a queue. If the engine starts on it just now, it
    /// stops at once.
    fn timed_out_in_queue(self) -> Judged {
        self.stop.store(true, Ordering::Relaxed);
        let timeout = Bypass::Limit(Limit::MessageTimeout);
        Judged { progress: Progress::Queued, ..self.failed(timeout, NotRestored::Failed) }
    }

    fn done(self, outcome: Outcome) -> Judged {
        self.judged(Timed { outcome, engine: Duration::ZERO, dns: Duration::ZERO })
    }
}

impl Judged {
    /// The message goes out without being restored, and the header says why.
    fn not_restored(mut self, reason: NotRestored) -> Judged {
        note(&mut self.outcome.fields, &format!("restore={reason}"));
        self.restore = Some(RestoreResult::NotRestored(reason));
        self
    }
}

/// The policy as far as the MTA permits it. If the MTA does not let the filter change the message, it is only
/// reported.
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

/// The policy with further listings, for this message alone.
fn with_more_listings(policy: &Policy, listings: Vec<Arc<Listing>>) -> Policy {
    let mut policy = policy.clone();
    let known = policy.lists.listings.iter().cloned();
    policy.lists.listings = Arc::new(known.chain(listings).collect());
    policy
}

/// As [`permitted`], and no signed part is edited. A message with a DKIM signature is not edited at all.
fn without_breaking_signatures(mail: &Mail, policy: Arc<Policy>) -> Arc<Policy> {
    let mut policy = Policy::clone(&permitted(mail, policy));
    policy.signed = Signed::Report;
    if field(&mail.head, "DKIM-Signature").is_some() {
        policy.mode = Mode::ReportOnly;
    }
    Arc::new(policy)
}

/// Whether this daemon made the mail itself: it is a digest.
fn is_ours(mail: &Mail, seal: Option<&Seal>) -> bool {
    let (Some(seal), Some(value)) = (seal, field(&mail.head, seal::FIELD)) else { return false };
    let message_id = field(&mail.head, "Message-ID").unwrap_or_default();
    seal.verifies(value, message_id, &mail.body)
}
