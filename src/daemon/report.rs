//! Reports messages and socket events to the log, the metrics and the journal.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::header_fields;
use super::health::{Health, Trouble};
use super::journal::Recorder;
use super::log;
use super::metrics::{ConnectionFault, Metrics};
use super::throttle::Throttle;
use crate::engine::{Outcome, Policy};
use crate::milter::{self, Connected, Mail};
use crate::policy::Envelope;
use crate::record::event::{Event, Transaction};
use crate::record::time::Timestamp;

/// One message, when its answer is ready.
#[derive(Clone, Copy, Debug)]
pub struct MessageReport<'a> {
    pub mail: &'a milter::Mail,
    pub envelope: &'a Envelope,
    pub policy: &'a Policy,
    pub outcome: &'a Outcome,
    /// What became of the recipe of an outbound message, as one word.
    pub restore: Option<&'a str>,
    /// What became of the recipe of its edits, as one word.
    pub undo: Option<&'a str>,
    /// Time in the engine.
    pub engine: Duration,
    /// Time spent waiting for the DNS.
    pub dns: Duration,
    /// Generation of the configuration that the message was filtered with.
    pub generation: u64,
}

/// Reports to the log, the metrics and the journal. Mail waits for it, so it never blocks.
#[derive(Debug)]
pub struct Reporter {
    pub metrics: Arc<Metrics>,
    pub recorder: Recorder,
    not_accepted: Throttle,
    evicted: Throttle,
    out_of_memory: Throttle,
    full: Throttle,
    omitted: Throttle,
    pub health: Arc<Health>,
}

impl Reporter {
    pub fn new(metrics: Arc<Metrics>, recorder: Recorder, health: Arc<Health>) -> Reporter {
        Reporter {
            metrics,
            recorder,
            not_accepted: Throttle::default(),
            evicted: Throttle::default(),
            out_of_memory: Throttle::default(),
            full: Throttle::default(),
            omitted: Throttle::default(),
            health,
        }
    }

    /// A message has its answer.
    pub fn message(&self, report: &MessageReport<'_>) {
        let transaction = Transaction {
            time: Timestamp::of(SystemTime::now()),
            queue_id: &report.mail.queue_id(),
            message_id: header_fields::field(&report.mail.head, "Message-ID").unwrap_or_default(),
            sender: &report.envelope.sender,
            recipients: &report.envelope.recipients,
            restore: report.restore,
            undo: report.undo,
            bytes: report.mail.size as u64,
            engine: report.engine,
            dns: report.dns,
            generation: report.generation,
        };
        let event = Event::new(&transaction, report.policy, report.outcome);
        log::message(&event);
        self.metrics.mail.message(&event);
        self.recorder.record(event);
        self.omitted(report.mail);
    }

    /// Tells of recipients for whom the default settings counted.
    fn omitted(&self, mail: &Mail) {
        if mail.recipients_omitted == 0 {
            return;
        }
        self.metrics.recipients_omitted(mail.recipients_omitted);
        if let Some(more) = self.omitted.admit() {
            tracing::warn!(
                id = mail.queue_id(),
                recipients = mail.recipients.len(),
                omitted = mail.recipients_omitted,
                more,
                "too many recipients: for the omitted ones the default settings count, no rule"
            );
        }
    }

    /// Something happened on a socket.
    pub fn event(&self, event: &milter::Event<'_>) {
        self.count(event);
        self.tell(event);
    }

    fn count(&self, event: &milter::Event<'_>) {
        use milter::Event;
        let fault = match event {
            Event::Opened => return self.metrics.connection_opened(),
            Event::Closed { received, sent } => {
                self.metrics.connection_closed();
                return self.metrics.transferred(*received, *sent);
            }
            Event::FullNoMore => return,
            Event::DrainCut(connections) => {
                for _ in 0..*connections {
                    self.metrics.connection_fault(ConnectionFault::Drain);
                }
                return;
            }
            Event::Violation(..) => ConnectionFault::Protocol,
            Event::Deadline(..) => ConnectionFault::Timeout,
            Event::Broken(..) => ConnectionFault::Io,
            Event::Full { .. } => ConnectionFault::Full,
            Event::NotAccepted(_) => ConnectionFault::Accept,
            Event::Evicted => ConnectionFault::Limit,
            Event::OutOfMemory { .. } => ConnectionFault::Memory,
        };
        self.metrics.connection_fault(fault);
    }

    /// Tells the operator of an event: in the log, and in the health of the daemon if it lasts.
    fn tell(&self, event: &milter::Event<'_>) {
        use milter::Event;
        match event {
            Event::Opened | Event::Closed { .. } => {}
            Event::Violation(error, Connected { peer, queue_id, open }) => tracing::warn!(
                %error, peer, id = queue_id, open = micros(*open),
                "connection closed: it breaks the protocol"
            ),
            Event::Deadline(waiting, Connected { peer, queue_id, open }) => tracing::warn!(
                waited_for = %waiting, peer, id = queue_id, open = micros(*open),
                "connection closed: timeout"
            ),
            Event::Broken(error, Connected { peer, queue_id, open }) => {
                tracing::info!(%error, peer, id = queue_id, open = micros(*open), "connection lost");
            }
            Event::Full { connections } => {
                let text = format!(
                    "all {connections} connections of server.max_connections are in the middle of \
                     a message, new ones wait"
                );
                if let Some(more) = self.full.admit() {
                    tracing::warn!(connections, more, "{text}");
                }
                self.health.set_trouble(Trouble::Connections, Some(text));
            }
            Event::FullNoMore => drop(self.health.set_trouble(Trouble::Connections, None)),
            Event::NotAccepted(error) => {
                if let Some(more) = self.not_accepted.admit() {
                    tracing::error!(%error, more, "connection not accepted");
                }
            }
            Event::Evicted => {
                if let Some(more) = self.evicted.admit() {
                    tracing::warn!(more, "the longest idle connection was closed for a new one");
                }
            }
            // The message is reported by itself.
            Event::OutOfMemory { held, limit } => {
                if let Some(more) = self.out_of_memory.admit() {
                    tracing::warn!(
                        held,
                        limit,
                        more,
                        "messages are deferred (451): too many bytes of mail in memory, of \
                         server.max_memory a sixteenth is for small messages alone"
                    );
                }
            }
            Event::DrainCut(connections) => {
                tracing::warn!(connections, "drain timeout: busy connections closed");
            }
        }
    }
}

/// How long a connection was open, as the lines of messages say it.
fn micros(open: Duration) -> String {
    format!("{} us", open.as_micros())
}
