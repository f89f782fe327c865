//! The milter handler: a message goes to the engine, and its outcome becomes the answer to the MTA.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::begun::Begun;
use super::contacts::Contacts;
use super::deferrals::Deferrals;
use super::dns_client::{DnsClient, MessageDns};
use super::envelope::{envelope, facts};
use super::feeds::Feeds;
use super::grants::{GrantLog, NOT_GRANTED, may_edit};
use super::header_fields::field;
use super::job::{Job, JudgedMessage, Progress, Undo};
use super::judgement_cache::CurrentCache;
use super::metrics::RecipeFault;
use super::outbound;
use super::recipes::{self, Recipes};
use super::reload::{Generation, Live};
use super::reply;
use super::report::{MessageReport, Reporter};
use super::restore_result::{NotRestored, RestoreResult};
use super::seal::Seal;
use super::settings::Loaded;
use super::tlds::Tlds;
use super::unedited::Judging;
use super::work_queues::{Queue, WorkQueues};
use crate::config::{Config, UndoLost};
use crate::engine::outcome::{Bypass, Disposition, Limit, Verdict};
use crate::engine::policy::Signed;
use crate::engine::splice::{fields::UNDO, note, undo_lost};
use crate::engine::{self, Inspect, Outcome, Policy};
use crate::feed::store::FeedStore;
use crate::milter::session::Completeness;
use crate::milter::{Answer, Event, Handler, Mail};
use crate::policy::{Envelope, Path};

/// Messages of more bytes are judged off the async workers. The engine is done with smaller ones before
/// another task would notice, unless the message is hostile.
const MAX_WORKER_BYTES: usize = 32 << 10;

/// The word for what is not edited because its recipe is lost.
const UNDO_LOST: &str = "undo-lost";

/// How long the engine may go on after it was told to stop, to return what it found so far.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);

/// The filter that answers the milter server.
pub struct Filter {
    /// The settings in force. A message keeps those of its beginning to its end ([`Begun`]).
    pub live: Live<Loaded>,
    /// The table of top-level domains in force.
    pub tlds: Arc<Tlds>,
    /// The feeds that are in force.
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
    grants: GrantLog,
}

impl Filter {
    /// Call it inside a tokio runtime.
    pub fn new(loaded: Loaded, tlds: Arc<Tlds>, reporter: Reporter) -> Filter {
        let queues = WorkQueues::new(&loaded.config);
        let dns = DnsClient::replace(None, &loaded, &tlds, &reporter.metrics, &reporter.health);
        let feeds = Arc::new(Feeds::new(
            FeedStore::new(loaded.config.feed_directory()),
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
            dns: ArcSwapOption::new(dns.map(Arc::new)),
            inspect: engine::inspect_case,
            queues,
            deferrals: Deferrals::default(),
            grants: GrantLog::default(),
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
        let Reporter { metrics, health, .. } = &self.reporter;
        let client = DnsClient::replace(before.as_deref(), loaded, &self.tlds, metrics, health);
        self.dns.store(client.map(Arc::new));
    }

    /// What is wrong with the answers of the DNS, a line each.
    pub fn dns_faults(&self) -> Vec<String> {
        self.dns.load().as_ref().map(|dns| dns.faults()).unwrap_or_default()
    }

    /// Gives the engine as much memory as this configuration says.
    pub fn set_memory(&self, config: &Config) {
        self.queues.set_memory(config);
    }

    /// The message with everything that is needed to judge it.
    fn job(&self, mail: &Arc<Mail>, begun: &Begun, judging: JudgingOf) -> Job {
        let Begun { generation, listings, tlds, judgements, dns, contacts } = begun;
        let policies = &generation.settings.settings.policies;
        let envelope = envelope(mail, generation);
        let selected = policies.select(&envelope).policy;
        let judging = judging(mail, self.feeds.with_listings(selected, listings));
        let mut facts = facts(mail, &envelope, generation);
        if let Some(contacts) = contacts {
            facts.contact = contacts.query(mail, &envelope, policies);
        }
        let leaving = policies.leaving(&envelope);
        let restore = outbound::applies(mail, leaving, &generation.settings).then_some(leaving);
        Job {
            mail: Arc::clone(mail),
            restore,
            generation: Arc::clone(generation),
            judgements: Arc::clone(judgements),
            tlds: Arc::clone(tlds),
            dns: dns.clone(),
            waited: Duration::ZERO,
            envelope,
            facts,
            judging,
            inspect: self.inspect,
            stop: Arc::new(AtomicBool::new(false)),
        }
    }

    async fn judge(&self, mail: &Arc<Mail>, begun: &Begun, judging: JudgingOf) -> JudgedMessage {
        let job = self.job(mail, begun, judging);
        let is_own = |seal: &Seal| seal.is_own(&mail.head, &mail.body);
        if begun.generation.seal.as_ref().is_ok_and(is_own) {
            return job.unchanged();
        }
        if mail.completeness == Completeness::Cut {
            return job.failed(Bypass::Limit(Limit::MaxMessage), NotRestored::Truncated);
        }
        let bytes = mail.head.len() + mail.body.len();
        if bytes <= MAX_WORKER_BYTES && job.restore.is_none() {
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
    fn defer_late(&self, mut judged: JudgedMessage, mail: &Mail) -> JudgedMessage {
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
    /// (`policy.undo_lost`). The header and the log then say that the recipe is lost.
    async fn store_recipe(
        &self,
        judged: JudgedMessage,
        mail: &Arc<Mail>,
        begun: &Begun,
    ) -> JudgedMessage {
        // A message that is put off comes again, and one that is refused has no edits: nothing is delivered that
        // could be undone.
        if !reply::delivers(mail.origin, judged.outcome.disposition) {
            return judged;
        }
        let Err(error) = self.keep_recipe(&judged, begun).await else { return judged };
        self.reporter.metrics.recipe_fault(RecipeFault::Write);
        self.reporter.metrics.undo_lost();
        let edits = count_edits(&judged.outcome);
        let mut judged = match begun.generation.config.policy.undo_lost {
            UndoLost::Edit => judged,
            UndoLost::ReportSigned => self.judge(mail, begun, signed_as_it_is).await,
        };
        let is_less = count_edits(&judged.outcome) < edits;
        let is_undone = judged.outcome.stored.take().is_none();
        let fields = &mut judged.outcome.fields;
        if is_less {
            note(fields, &format!("edits={UNDO_LOST}"));
        }
        // Fewer edits may have a recipe that fits into the header.
        if !is_undone || fields.iter().all(|field| field.name != UNDO) {
            undo_lost(fields);
        }
        let done = match (is_less, is_undone) {
            (false, _) => "its edits cannot be undone",
            (true, true) => "what is signed is not edited",
            (true, false) => "what is signed is not edited, other edits cannot be undone",
        };
        tracing::error!(%error, "{}: a recipe is lost: {done}", mail.queue_id());
        judged.undo = Undo::Lost;
        judged
    }

    /// Stores the recipe, if there is one.
    async fn keep_recipe(&self, judged: &JudgedMessage, begun: &Begun) -> Result<(), String> {
        let Some(recipe) = judged.outcome.stored.clone() else { return Ok(()) };
        let bounds = recipes::bounds(&begun.generation.config);
        let recipes = Arc::clone(&self.recipes);
        match spawn_blocking(move || recipes.store(&bounds, &recipe)).await {
            Ok(stored) => stored.map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn report(&self, mail: &Mail, judged: &JudgedMessage, generation: &Generation<Loaded>) {
        self.reporter.message(&MessageReport {
            mail,
            envelope: &judged.envelope,
            policy: &judged.policy,
            outcome: &judged.outcome,
            restore: judged.restore.as_ref().map(RestoreResult::as_str),
            undo: judged.undo.word(),
            engine: judged.engine,
            dns: judged.dns,
            generation: generation.number,
        });
    }

    /// Reports a message that the server deferred because too many bytes are in memory.
    fn report_put_off(&self, mail: &Arc<Mail>, begun: &Begun) {
        let job = self.job(mail, begun, permitted);
        let mut judged = job.failed(Bypass::Limit(Limit::MaxMemory), NotRestored::Truncated);
        judged.outcome.disposition = Disposition::Tempfail;
        // Nothing is known of its links; it comes again.
        judged.outcome.verdict = Verdict::Ok;
        self.report(mail, &judged, &begun.generation);
    }

    /// Judges on another thread. The timeout includes the wait in the queue. When it is over the engine is
    /// told to stop, and returns what it found so far.
    async fn judge_off_worker(&self, job: Job, queue: Queue) -> JudgedMessage {
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
    type Begun = Begun;

    fn begin(&self) -> Begun {
        let (generation, tlds) = (self.live.get(), self.tlds.table());
        Begun {
            listings: self.feeds.listings(),
            judgements: self.judgements.of(generation.number, &tlds),
            tlds,
            dns: self.dns.load_full().map(MessageDns::new),
            contacts: self.contacts.store(),
            generation,
        }
    }

    async fn message(&self, mail: Arc<Mail>, begun: Begun) -> Answer {
        let judged = self.judge(&mail, &begun, permitted).await;
        let judged = self.defer_late(judged, &mail);
        let mut judged = self.store_recipe(judged, &mail, &begun).await;
        self.grants.apply(&mail, &mut judged, &self.reporter.metrics);
        let generation = &begun.generation;
        let answer = match &judged.restore {
            Some(RestoreResult::Original(original)) => reply::restored(&mail, original),
            _ => {
                let refusal = generation.refusal(judged.outcome.because.as_ref());
                reply::answer(&mail, &judged.outcome, &refusal)
            }
        };
        let (envelope, end) = (&judged.envelope, judged.outcome.disposition);
        self.contacts.learn(&mail, envelope, &generation.settings, end);
        self.report(&mail, &judged, generation);
        answer
    }

    fn put_off(&self, mail: &Arc<Mail>, begun: Begun) {
        self.report_put_off(mail, &begun);
    }

    fn event(&self, event: Event<'_>) {
        self.reporter.event(&event);
    }
}

/// Edits of body and header.
fn count_edits(outcome: &Outcome) -> usize {
    outcome.edits.len() + outcome.head_edits.len()
}

/// Says by what policy a message is judged, by the one that was selected for it.
type JudgingOf = fn(&Mail, Arc<Policy>) -> Judging;

/// As far as the MTA permits it: without edits if it does not let the filter make them.
fn permitted(mail: &Mail, policy: Arc<Policy>) -> Judging {
    match may_edit(mail) {
        true => Judging::as_selected(policy),
        false => Judging::without_edits(policy, NOT_GRANTED),
    }
}

/// No signed part is edited. A message with a DKIM signature is not edited at all.
fn signed_as_it_is(mail: &Mail, policy: Arc<Policy>) -> Judging {
    if field(&mail.head, "DKIM-Signature").is_some() {
        return Judging::without_edits(policy, UNDO_LOST);
    }
    let policy = Policy { signed: Signed::Report, ..Policy::clone(&policy) };
    Judging::as_selected(Arc::new(policy))
}
