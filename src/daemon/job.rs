//! Judges one message: restores it if it is outbound, runs the engine, and queries the DNS.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::dns_client::MessageDns;
use super::judgement_cache::JudgementCache;
use super::outbound;
use super::reload::Generation;
use super::restore_result::{NotRestored, RestoreResult};
use super::settings::Loaded;
use super::unedited::{Judging, take_disposition};
use crate::engine::lists::Listing;
use crate::engine::outcome::{Bypass, Limit};
use crate::engine::splice::{Restored, note};
use crate::engine::{
    Answers, Case, Facts, Inspect, Inspection, Message, Outcome, Policy, TldTable, guarded, unread,
};
use crate::milter::Mail;
use crate::policy::{Envelope, Leaving, exempted};

/// Engine steps that a message may take on a worker: so many for each of its bytes, and so many more in any
/// case. Real mail takes four steps a byte on average. A list of links takes nine or more: it is judged again
/// off the workers.
const WORKER_STEPS_PER_BYTE: u64 = 8;
const WORKER_STEPS_BASE: u64 = 4_000;

/// One message to judge, with everything that is needed for it.
#[derive(Clone)]
pub struct Job {
    pub mail: Arc<Mail>,
    /// Set if the message is outbound and carries a recipe.
    pub restore: Option<Leaving>,
    pub generation: Arc<Generation<Loaded>>,
    pub tlds: Arc<TldTable>,
    pub judgements: Arc<JudgementCache>,
    pub dns: Option<MessageDns>,
    /// How long it has waited for the DNS already, when it is judged again.
    pub waited: Duration,
    pub envelope: Envelope,
    pub facts: Facts,
    pub judging: Judging,
    pub inspect: Inspect,
    /// Set when the message timeout is over: the engine stops.
    pub stop: Arc<AtomicBool>,
}

/// How far a message came before its answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    Judged,
    /// Its time was over while it waited in a queue.
    Queued,
}

/// Whether the edits of a message can be undone.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Undo {
    /// As its header says.
    AsSaid,
    /// Its recipe could not be stored.
    Lost,
}

impl Undo {
    /// The word in log and journal, if there is something to say.
    pub const fn word(self) -> Option<&'static str> {
        match self {
            Undo::AsSaid => None,
            Undo::Lost => Some("lost"),
        }
    }
}

/// The engine's outcome, and how long the engine and the DNS took.
pub struct Timed {
    outcome: Outcome,
    /// The most steps that one run of the engine took.
    steps: u64,
    engine: Duration,
    dns: Duration,
}

pub struct JudgedMessage {
    pub outcome: Outcome,
    pub progress: Progress,
    /// What became of the recipe, if the message is outbound and carries one.
    pub restore: Option<RestoreResult>,
    pub undo: Undo,
    pub envelope: Envelope,
    pub policy: Arc<Policy>,
    pub engine: Duration,
    pub dns: Duration,
}

impl Job {
    pub async fn run(self) -> JudgedMessage {
        let loaded = &self.generation.settings;
        let mail = &self.mail;
        let restore = self
            .restore
            .map(|leaving| outbound::restore(mail, leaving, &self.judging.policy, loaded));
        match restore {
            Some(RestoreResult::Original(original)) => self.judge_original(original).await,
            Some(RestoreResult::NotRestored(reason)) => {
                self.judge_mail().await.not_restored(reason)
            }
            None => self.judge_mail().await,
        }
    }

    async fn judge_mail(self) -> JudgedMessage {
        let mail = Arc::clone(&self.mail);
        self.judge(Message { head: &mail.head, body: &mail.body }).await
    }

    /// The original is judged and reported, so that the operator knows what went out. It is not changed.
    async fn judge_original(mut self, original: Box<Restored>) -> JudgedMessage {
        let exempted = exempted(&self.judging.policy, "given-back");
        self.judging = Judging::as_selected(Arc::new(exempted));
        let message = Message { head: &original.head, body: &original.body };
        let judged = self.judge(message).await;
        JudgedMessage { restore: Some(RestoreResult::Original(original)), ..judged }
    }

    async fn judge(self, message: Message<'_>) -> JudgedMessage {
        match self.outcome(message, None).await {
            Some(timed) => self.judged(timed),
            None => self.bypassed(Bypass::Panic),
        }
    }

    /// Judges within the steps of a worker. Returns the job if they do not suffice.
    pub async fn run_on_worker(self, bytes: usize) -> Result<JudgedMessage, Job> {
        let steps = WORKER_STEPS_PER_BYTE * bytes as u64 + WORKER_STEPS_BASE;
        let message = Message { head: &self.mail.head, body: &self.mail.body };
        match self.outcome(message, Some(steps)).await {
            Some(timed) if timed.steps > steps => Err(Job { waited: timed.dns, ..self }),
            Some(timed) => Ok(self.judged(timed)),
            None => Ok(self.bypassed(Bypass::Panic)),
        }
    }

    /// The engine's outcome within so many steps; `None` if the engine panicked. If the message cannot be edited, the
    /// policy that wants edits is asked as well, for what becomes of the message as a whole.
    async fn outcome(&self, message: Message<'_>, steps: Option<u64>) -> Option<Timed> {
        let timed = self.outcome_by(&self.judging.policy, message, steps).await?;
        let wanted = self.judging.wanted.as_ref();
        let Some(wanted) = wanted.filter(|_| !timed.outcome.findings.is_empty()) else {
            return Some(timed);
        };
        let mut timed = timed;
        let other = self.outcome_by(wanted, message, steps).await?;
        take_disposition(&mut timed.outcome, other.outcome);
        timed.steps = timed.steps.max(other.steps);
        timed.engine += other.engine;
        timed.dns += other.dns;
        Some(timed)
    }

    async fn outcome_by(
        &self,
        policy: &Policy,
        message: Message<'_>,
        steps: Option<u64>,
    ) -> Option<Timed> {
        let case = Case {
            message,
            facts: &self.facts,
            policy,
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
            let policy = with_more_listings(policy, listings);
            let case = Case { policy: &policy, ..case };
            guarded(|| (self.inspect)(case).resolve(&answers))?
        };
        let engine = (inspected - start) + answered.elapsed();
        let steps = outcome.cost.all();
        Some(Timed { outcome, steps, engine, dns: answered - inspected })
    }

    fn judged(self, timed: Timed) -> JudgedMessage {
        let Timed { outcome, engine, dns, .. } = timed;
        let dns = self.waited + dns;
        let (progress, undo) = (Progress::Judged, Undo::AsSaid);
        let (envelope, policy) = (self.envelope, self.judging.policy);
        JudgedMessage { outcome, progress, restore: None, undo, envelope, policy, engine, dns }
    }

    /// DNS answers about top-level domains, and block list entries for the domains of links.
    async fn query_dns(&self, inspection: &Inspection<'_>) -> (Answers, Vec<Arc<Listing>>) {
        let Some(dns) = &self.dns else { return Default::default() };
        dns.query(&inspection.questions, &inspection.domains).await
    }

    /// Our own mail is accepted unchanged, without a header field.
    pub fn unchanged(self) -> JudgedMessage {
        self.without_engine(Outcome::default())
    }

    /// The message was not read. The policy for that cause decides what becomes of it; the header says why.
    fn bypassed(self, bypass: Bypass) -> JudgedMessage {
        let message = Message { head: &self.mail.head, body: &self.mail.body };
        let outcome = unread(message, &self.facts, &self.judging.policy, bypass);
        self.without_engine(outcome)
    }

    /// As [`Job::bypassed`]. If the message was to be restored, also says why it was not.
    pub fn failed(self, bypass: Bypass, reason: NotRestored) -> JudgedMessage {
        let to_restore = self.restore.is_some();
        let judged = self.bypassed(bypass);
        if to_restore { judged.not_restored(reason) } else { judged }
    }

    /// The message timeout was over while the message was in a queue. If the engine starts on it just now, it
    /// stops at once.
    pub fn timed_out_in_queue(self) -> JudgedMessage {
        self.stop.store(true, Ordering::Relaxed);
        let timeout = Bypass::Limit(Limit::MessageTimeout);
        JudgedMessage { progress: Progress::Queued, ..self.failed(timeout, NotRestored::Failed) }
    }

    fn without_engine(self, outcome: Outcome) -> JudgedMessage {
        self.judged(Timed { outcome, steps: 0, engine: Duration::ZERO, dns: Duration::ZERO })
    }
}

impl JudgedMessage {
    /// The message goes out without being restored, and the header says why.
    fn not_restored(mut self, reason: NotRestored) -> JudgedMessage {
        note(&mut self.outcome.fields, &format!("restore={reason}"));
        self.restore = Some(RestoreResult::NotRestored(reason));
        self
    }
}

/// The policy with further listings, for this message alone.
fn with_more_listings(policy: &Policy, listings: Vec<Arc<Listing>>) -> Policy {
    let mut policy = policy.clone();
    let known = policy.lists.listings.iter().cloned();
    policy.lists.listings = Arc::new(known.chain(listings).collect());
    policy
}
