//! A message in, an answer out: the engine behind the milter.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::asker::Asker;
use super::contacts::Contacts;
use super::envelope::{envelope, facts, field};
use super::feeds::Feeds;
use super::memory::{Memories, Memory};
use super::metrics::RecipeFault;
use super::outbound;
use super::recipes::{self, Recipes};
use super::reload::{Generation, Live};
use super::reply;
use super::report::{Report, Reporter};
use super::returned::{Return, Why};
use super::seal::{self, Seal};
use super::settings::Loaded;
use super::tlds::Tlds;
use super::tries::Tries;
use super::turns::{Lane, Turns};
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
use crate::policy::{Envelope, Path, Policies, Way};

/// Messages above this size, in bytes, are filtered off the async workers; below it the engine is
/// done before another task would notice, unless the message is hostile.
const OFF_WORKER_BYTES: usize = 32 << 10;

/// Steps that a message may take on a worker, for each of its bytes and on top. Real mail takes three to
/// six a byte, and a list of links up to eight; what takes more is judged again off the workers.
const QUICK_STEPS: u64 = 8;
const QUICK_STEPS_BASE: u64 = 4_000;

/// How long a message that was told to stop may take to say what it found so far.
const GRACE: Duration = Duration::from_secs(1);

/// The filter that answers the milter server.
#[derive(Debug)]
pub struct Filter {
    /// The settings in force. A message takes them once and keeps them to its end.
    pub live: Live<Loaded>,
    /// The table of top-level domains in force.
    pub tlds: Arc<Tlds>,
    /// The lists of others in force.
    pub feeds: Arc<Feeds>,
    pub reporter: Reporter,
    /// The recipes that do not fit into header fields.
    pub recipes: Arc<Recipes>,
    /// Whom the house has met.
    pub contacts: Arc<Contacts>,
    memories: Memories,
    /// Who asks the DNS; `None` when nobody does.
    dns: ArcSwapOption<Asker>,
    inspect: Inspect,
    turns: Turns,
    /// Messages that ran out of time.
    tries: Tries,
}

impl Filter {
    /// Call it inside a tokio runtime.
    pub fn new(loaded: Loaded, tlds: Arc<Tlds>, reporter: Reporter) -> Filter {
        let turns = Turns::new(&loaded.config);
        let dns = ArcSwapOption::new(Asker::new(&loaded, &reporter.metrics).map(Arc::new));
        let feeds = Arc::new(Feeds::new(
            Store::new(loaded.config.feed_directory()),
            Arc::clone(&reporter.metrics),
        ));
        let contacts = Contacts::new(Arc::clone(&reporter.metrics));
        contacts.take_up(&loaded);
        Filter {
            contacts: Arc::new(contacts),
            memories: Memories::new(Arc::clone(&reporter.metrics)),
            live: Live::new(loaded),
            tlds,
            feeds,
            reporter,
            recipes: Arc::default(),
            dns,
            inspect: engine::inspect_case,
            turns,
            tries: Tries::default(),
        }
    }

    /// The same filter around another engine, for fault injection.
    #[must_use]
    pub fn with_engine(self, inspect: Inspect) -> Filter {
        Filter { inspect, ..self }
    }

    /// Asks the DNS as this configuration says. What is asked as before keeps its cache.
    pub fn use_dns(&self, loaded: &Loaded) {
        let before = self.dns.load_full();
        let asker = Asker::behind(before.as_deref(), loaded, &self.reporter.metrics);
        self.dns.store(asker.map(Arc::new));
    }

    /// Gives the engine as much memory as this configuration says.
    pub fn use_memory(&self, config: &Config) {
        self.turns.use_memory(config);
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
        let policy = self.feeds.over(policy);
        let mut facts = facts(mail, &envelope, generation);
        facts.contact = self.contacts.ask(mail, &envelope, &generation.settings.settings.policies);
        let tlds = self.tlds.table();
        let way = generation.settings.settings.policies.way(&envelope);
        let returns = outbound::concerns(mail, way, &generation.settings).then_some(way);
        let job = Job {
            mail: Arc::clone(mail),
            returns,
            generation: Arc::clone(generation),
            memory: self.memories.of(generation.number, &tlds),
            tlds,
            dns: self.dns.load_full(),
            envelope,
            facts,
            policy,
            inspect: self.inspect,
            stop: Arc::new(AtomicBool::new(false)),
        };
        if is_ours(mail, generation.seal.as_ref().ok()) {
            return job.untouched();
        }
        if mail.completeness == Completeness::Cut {
            return job.without_original(Bypass::Limit(Limit::MaxMessage), Why::Cut);
        }
        let bytes = mail.head.len() + mail.body.len();
        if bytes <= OFF_WORKER_BYTES && returns.is_none() {
            match job.quickly(bytes).await {
                Ok(judged) => judged,
                Err(job) => self.judge_apart(job, Lane::Dear).await,
            }
        } else {
            self.judge_apart(job, Lane::of(bytes)).await
        }
    }

    /// Puts a message off that ran out of time, some times: load passes. Then its policy decides. One
    /// that never had its turn says nothing of itself: that is no try.
    fn put_off(&self, mut judged: Judged, mail: &Mail) -> Judged {
        let late = |why: &Bypass| *why == Bypass::Limit(Limit::MessageTimeout);
        let held = judged.policy.on_exhausted != Disposition::Accept
            && judged.outcome.disposition == judged.policy.on_exhausted
            && judged.envelope.path == Path::Smtpd;
        let again = || {
            let Envelope { sender, recipients, .. } = &judged.envelope;
            self.tries.again(sender, recipients, &mail.body, Instant::now())
        };
        if held
            && judged.outcome.bypasses.iter().any(|(_, why)| late(why))
            && (judged.turn == Turn::Never || again())
        {
            judged.outcome.disposition = Disposition::Tempfail;
        }
        judged
    }

    /// Keeps the recipe of a message, if it has one that does not fit into a header field. Without
    /// a place for it the message goes on edited all the same, or as the operator says for signed
    /// mail, and the header says that the edits stay.
    async fn keep_recipe(
        &self,
        judged: Judged,
        mail: &Arc<Mail>,
        generation: &Arc<Generation<Loaded>>,
    ) -> Judged {
        // A message that is put off comes again, and nothing of this outcome is delivered.
        let put_off = judged.outcome.disposition == Disposition::Tempfail;
        if put_off || self.is_kept(&judged, mail, generation).await {
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

    async fn is_kept(&self, judged: &Judged, mail: &Mail, generation: &Generation<Loaded>) -> bool {
        let Some(recipe) = judged.outcome.stored.clone() else { return true };
        let (recipes, bounds) = (Arc::clone(&self.recipes), recipes::bounds(&generation.config));
        let kept = spawn_blocking(move || recipes.keep(&bounds, &recipe)).await;
        let error = match kept {
            Ok(Ok(())) => return true,
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        };
        self.reporter.metrics.recipe_fault(RecipeFault::Write);
        tracing::error!(%error, "{}: a recipe is lost, its edits cannot be undone", mail.queue_id());
        false
    }

    /// Judges on a thread of its own. The timeout counts from here, waiting for a turn included; what
    /// runs out of it is told to stop, and answers with what it found so far.
    async fn judge_apart(&self, job: Job, lane: Lane) -> Judged {
        let patience = job.generation.config.server.message_timeout;
        let unread = job.clone();
        let runtime = Handle::current();
        let bytes = job.mail.head.len() + job.mail.body.len();
        let begun = Arc::new(AtomicBool::new(false));
        let begins = Arc::clone(&begun);
        let mut judging = pin!(self.turns.run(lane, bytes, move || {
            begins.store(true, Ordering::Relaxed);
            runtime.block_on(job.run())
        }));
        let judged = match timeout(patience, &mut judging).await {
            Ok(judged) => Ok(judged),
            Err(_) if !begun.load(Ordering::Relaxed) => return unread.never_begun(),
            Err(_) => {
                unread.stop.store(true, Ordering::Relaxed);
                timeout(GRACE, judging).await
            }
        };
        match judged {
            Ok(Ok(judged)) => judged,
            Ok(Err(_)) => unread.without_original(Bypass::Panic, Why::Unread),
            Err(_) => unread.without_original(Bypass::Limit(Limit::MessageTimeout), Why::Unread),
        }
    }
}

impl Handler for Filter {
    async fn message(&self, mail: Arc<Mail>) -> Answer {
        let generation = self.live.get();
        let judged = self.judge(&mail, &generation, permitted).await;
        let judged = self.put_off(judged, &mail);
        let judged = self.keep_recipe(judged, &mail, &generation).await;
        let answer = match &judged.returned {
            Some(Return::Original(original)) => reply::given_back(&mail, original),
            _ => reply::answer(&mail, &judged.outcome, &generation.refusal()),
        };
        let (envelope, end) = (&judged.envelope, judged.outcome.disposition);
        self.contacts.learn(&mail, envelope, &generation.settings, end);
        self.reporter.message(&Report {
            mail: &mail,
            envelope: &judged.envelope,
            policy: &judged.policy,
            outcome: &judged.outcome,
            returned: judged.returned.as_ref().map(Return::as_str),
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

/// One message to judge, with all that it takes.
#[derive(Clone)]
struct Job {
    mail: Arc<Mail>,
    /// The way of a message that carries a recipe and leaves the house.
    returns: Option<Way>,
    generation: Arc<Generation<Loaded>>,
    tlds: Arc<TldTable>,
    memory: Arc<Memory>,
    dns: Option<Arc<Asker>>,
    envelope: Envelope,
    facts: Facts,
    policy: Arc<Policy>,
    inspect: Inspect,
    /// Raised when there is no more time.
    stop: Arc<AtomicBool>,
}

/// Whether a message came to its turn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Had,
    /// Its time was over before.
    Never,
}

/// What the engine says of a message, and how long it and the DNS took.
struct Timed {
    outcome: Outcome,
    engine: Duration,
    dns: Duration,
}

/// A judged message.
struct Judged {
    outcome: Outcome,
    turn: Turn,
    /// What became of a recipe that the message carries, where it leaves the house.
    returned: Option<Return>,
    envelope: Envelope,
    policy: Arc<Policy>,
    engine: Duration,
    dns: Duration,
}

impl Job {
    async fn run(self) -> Judged {
        let loaded = &self.generation.settings;
        let mail = &self.mail;
        let returned = self.returns.map(|way| outbound::original(mail, way, &self.policy, loaded));
        match returned {
            Some(Return::Original(original)) => self.given_back(original).await,
            Some(left) => self.read().await.left(left),
            None => self.read().await,
        }
    }

    async fn read(self) -> Judged {
        let mail = Arc::clone(&self.mail);
        self.inspected(Message { head: &mail.head, body: &mail.body }).await
    }

    /// The original is judged and told, so that everybody can know what left; nothing is done to it.
    async fn given_back(mut self, original: Box<Restored>) -> Judged {
        self.policy = Arc::new(Policies::told_only(&self.policy, "given-back"));
        let message = Message { head: &original.head, body: &original.body };
        let judged = self.inspected(message).await;
        Judged { returned: Some(Return::Original(original)), ..judged }
    }

    async fn inspected(self, message: Message<'_>) -> Judged {
        match self.outcome(message, None).await {
            Some(timed) => self.judged(timed),
            None => self.bypassed(Bypass::Panic),
        }
    }

    /// Judges with few steps; when they do not suffice the job comes back.
    async fn quickly(self, bytes: usize) -> Result<Judged, Job> {
        let steps = QUICK_STEPS * bytes as u64 + QUICK_STEPS_BASE;
        let message = Message { head: &self.mail.head, body: &self.mail.body };
        match self.outcome(message, Some(steps)).await {
            Some(timed) if timed.outcome.cost.all() > steps => Err(self),
            Some(timed) => Ok(self.judged(timed)),
            None => Ok(self.bypassed(Bypass::Panic)),
        }
    }

    /// What the engine says, within so many steps; `None` when it panicked.
    async fn outcome(&self, message: Message<'_>, steps: Option<u64>) -> Option<Timed> {
        let case = Case {
            message,
            facts: &self.facts,
            policy: &self.policy,
            tlds: &*self.tlds,
            memory: Some(self.memory.as_ref()),
            stop: Some(&self.stop),
            steps,
        };
        let start = Instant::now();
        let inspection = guarded(|| (self.inspect)(case))?;
        let inspected = Instant::now();
        // A message over its step limit is judged again without that limit. The DNS is asked then.
        let (answers, listings) = match steps.is_some_and(|most| inspection.cost().all() > most) {
            true => Default::default(),
            false => self.ask(&inspection).await,
        };
        let answered = Instant::now();
        let outcome = if listings.is_empty() {
            guarded(|| inspection.resolve(&answers))?
        } else {
            let policy = also_listed(&self.policy, listings);
            let case = Case { policy: &policy, ..case };
            guarded(|| (self.inspect)(case).resolve(&answers))?
        };
        let engine = (inspected - start) + answered.elapsed();
        Some(Timed { outcome, engine, dns: answered - inspected })
    }

    fn judged(self, timed: Timed) -> Judged {
        let Timed { outcome, engine, dns } = timed;
        let (envelope, policy) = (self.envelope, self.policy);
        Judged { outcome, turn: Turn::Had, returned: None, envelope, policy, engine, dns }
    }

    /// What the DNS says of top-level domains, and what lists have of the domains of links that are not
    /// the house's own.
    async fn ask(&self, inspection: &Inspection<'_>) -> (Answers, Vec<Arc<Listing>>) {
        let Some(asker) = &self.dns else { return Default::default() };
        let Inspection { questions, domains, .. } = inspection;
        let policies = &self.generation.settings.settings.policies;
        let domains: Vec<_> =
            domains.iter().filter(|domain| !policies.is_own(domain)).cloned().collect();
        asker.ask(questions, &domains).await
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

    /// The same, and where it leaves the house with a recipe, why no original came of that.
    fn without_original(self, bypass: Bypass, why: Why) -> Judged {
        let concerned = self.returns.is_some();
        let judged = self.bypassed(bypass);
        if concerned { judged.left(Return::Left(why)) } else { judged }
    }

    /// Its time was over before its turn came. What was about to begin stops at once.
    fn never_begun(self) -> Judged {
        self.stop.store(true, Ordering::Relaxed);
        let late = Bypass::Limit(Limit::MessageTimeout);
        Judged { turn: Turn::Never, ..self.without_original(late, Why::Unread) }
    }

    fn done(self, outcome: Outcome) -> Judged {
        self.judged(Timed { outcome, engine: Duration::ZERO, dns: Duration::ZERO })
    }
}

impl Judged {
    /// It leaves as it is, and the header says why.
    fn left(mut self, left: Return) -> Judged {
        note(&mut self.outcome.fields, &format!("restore={}", left.as_str()));
        self.returned = Some(left);
        self
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

/// The policy, with lists for this message.
fn also_listed(policy: &Policy, listings: Vec<Arc<Listing>>) -> Policy {
    let mut policy = policy.clone();
    let known = policy.lists.listings.iter().cloned();
    policy.lists.listings = Arc::new(known.chain(listings).collect());
    policy
}

/// The same, and nothing that is signed is edited: neither a signed part nor, with DKIM, anything.
fn without_breaking_signatures(mail: &Mail, policy: Arc<Policy>) -> Arc<Policy> {
    let mut policy = Policy::clone(&permitted(mail, policy));
    policy.signed = Signed::Report;
    if field(&mail.head, "DKIM-Signature").is_some() {
        policy.mode = Mode::ReportOnly;
    }
    Arc::new(policy)
}

/// Whether this daemon made the mail itself: its digest.
fn is_ours(mail: &Mail, seal: Option<&Seal>) -> bool {
    let (Some(seal), Some(value)) = (seal, field(&mail.head, seal::FIELD)) else { return false };
    let message_id = field(&mail.head, "Message-ID").unwrap_or_default();
    seal.holds(value, message_id, &mail.body)
}
