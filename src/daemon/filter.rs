//! A message in, an answer out: the engine behind the milter.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::observe::{Observer, Report};
use super::reply;
use crate::engine::outcome::Bypass;
use crate::engine::{self, Answers, Facts, Inspection, Message, Outcome, Policy, TldTable};
use crate::milter::session::Completeness;
use crate::milter::{Answer, Event, Handler, Mail};

/// Messages above this size are filtered off the async workers: below it the engine is done
/// before another task would notice.
const OFF_WORKER_BYTES: usize = 256 << 10;

/// The engine as the filter calls it; tests hand in one that fails.
pub type Inspect = fn(Message<'_>, &Facts, &Policy, &TldTable) -> Inspection;

/// What holds until the next reload. A message is filtered with one generation.
#[derive(Clone, Debug)]
pub struct Generation {
    /// Counted from 1.
    pub number: u64,
    pub policy: Arc<Policy>,
    pub tlds: Arc<TldTable>,
    /// For `by=` in our header field, when the MTA does not tell its name.
    pub host_name: String,
}

/// The filter that answers the milter server.
pub struct Filter {
    generation: ArcSwap<Generation>,
    observers: Vec<Arc<dyn Observer>>,
    inspect: Inspect,
    /// One large message a processor at a time: their memory is what hurts.
    large: Arc<Semaphore>,
}

impl Filter {
    pub fn new(generation: Generation, observers: Vec<Arc<dyn Observer>>) -> Filter {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Filter {
            generation: ArcSwap::from_pointee(generation),
            observers,
            inspect: engine::inspect,
            large: Arc::new(Semaphore::new(processors)),
        }
    }

    /// The same filter around another engine, for fault injection.
    #[must_use]
    pub fn with_engine(mut self, inspect: Inspect) -> Filter {
        self.inspect = inspect;
        self
    }

    /// Messages that are complete from now on are filtered with this generation.
    pub fn reload(&self, generation: Generation) {
        self.generation.store(Arc::new(generation));
    }

    /// The generation in force.
    pub fn generation(&self) -> Arc<Generation> {
        self.generation.load_full()
    }

    async fn judge(&self, mail: &Arc<Mail>, generation: &Arc<Generation>) -> Judged {
        let job = Job {
            mail: Arc::clone(mail),
            generation: Arc::clone(generation),
            facts: facts(mail, &generation.host_name),
            policy: Arc::clone(&generation.policy),
            inspect: self.inspect,
        };
        if mail.completeness == Completeness::Cut {
            return job.bypassed(Bypass::Limit("message_bytes"));
        }
        if mail.head.len() + mail.body.len() <= OFF_WORKER_BYTES {
            return job.run().await;
        }
        // The semaphore is never closed.
        let _permit = Arc::clone(&self.large).acquire_owned().await;
        let runtime = Handle::current();
        let failed = job.clone();
        spawn_blocking(move || runtime.block_on(job.run()))
            .await
            .unwrap_or_else(|_| failed.bypassed(Bypass::Panic))
    }
}

impl Handler for Filter {
    async fn message(&self, mail: Arc<Mail>) -> Answer {
        let generation = self.generation.load_full();
        let judged = self.judge(&mail, &generation).await;
        let answer = reply::answer(&mail, &judged.outcome);
        let report = Report {
            mail: &mail,
            policy: &judged.policy,
            outcome: &judged.outcome,
            engine: judged.engine,
            dns: judged.dns,
            generation: generation.number,
        };
        for observer in &self.observers {
            observer.message(&report);
        }
        answer
    }

    fn event(&self, event: Event<'_>) {
        for observer in &self.observers {
            observer.event(&event);
        }
    }
}

/// One message to judge, with all that it takes.
#[derive(Clone)]
struct Job {
    mail: Arc<Mail>,
    generation: Arc<Generation>,
    facts: Facts,
    policy: Arc<Policy>,
    inspect: Inspect,
}

/// A judged message.
struct Judged {
    outcome: Outcome,
    policy: Arc<Policy>,
    engine: Duration,
    dns: Duration,
}

impl Job {
    async fn run(self) -> Judged {
        let message = Message { head: &self.mail.head, body: &self.mail.body };
        let start = Instant::now();
        let inspected =
            guarded(|| (self.inspect)(message, &self.facts, &self.policy, &self.generation.tlds));
        let Some(inspection) = inspected else { return self.bypassed(Bypass::Panic) };
        let asked = Instant::now();
        let answers = self.ask(&inspection.questions).await;
        let answered = Instant::now();
        let Some(outcome) = guarded(|| inspection.resolve(&answers)) else {
            return self.bypassed(Bypass::Panic);
        };
        Judged {
            outcome,
            policy: self.policy,
            engine: (asked - start) + answered.elapsed(),
            dns: answered - asked,
        }
    }

    async fn ask(&self, _questions: &[String]) -> Answers {
        Answers::new()
    }

    /// The message goes on as the policy says for a failure; the header says why.
    fn bypassed(self, bypass: Bypass) -> Judged {
        let disposition = match bypass {
            Bypass::Limit(_) => self.policy.on_limit,
            _ => self.policy.on_error,
        };
        let value = format!(
            "v=1; by={}; verdict=ok; links=0; edited=0; incomplete={bypass}",
            self.facts.host_name
        );
        let outcome = Outcome {
            disposition,
            bypasses: vec![("0".to_owned(), bypass)],
            fields: vec![engine::outcome::Field { name: "X-Linkmilter", value }],
            ..Outcome::default()
        };
        Judged { outcome, policy: self.policy, engine: Duration::ZERO, dns: Duration::ZERO }
    }
}

/// Calls into the engine, the one place where a panic is caught.
fn guarded<T>(call: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(call)).ok()
}

fn facts(mail: &Mail, host_name: &str) -> Facts {
    let mut domains: Vec<String> = mail
        .recipients
        .iter()
        .filter_map(|recipient| {
            let text = String::from_utf8_lossy(recipient);
            text.rsplit_once('@').map(|(_, domain)| domain.to_lowercase())
        })
        .collect();
    domains.sort_unstable();
    domains.dedup();
    let name = if mail.host_name.is_empty() {
        host_name.to_owned()
    } else {
        String::from_utf8_lossy(&mail.host_name).into_owned()
    };
    Facts { recipient_domains: domains, host_name: name, language: None }
}
