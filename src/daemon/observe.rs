//! What the daemon tells of each message, and to whom.

use std::time::Duration;

use crate::engine::Outcome;
use crate::engine::Policy;
use crate::milter::{Event, Mail};

/// One message, when its answer is ready. Borrowed: an observer keeps what it may keep.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    pub mail: &'a Mail,
    pub policy: &'a Policy,
    pub outcome: &'a Outcome,
    /// Time in the engine.
    pub engine: Duration,
    /// Time spent waiting for the DNS.
    pub dns: Duration,
    /// Generation of the configuration that the message was filtered with.
    pub generation: u64,
}

/// Somebody who is told of messages and of what happens on sockets: the log, the metrics, the
/// event journal. Called on the way of the mail, so it must not wait.
pub trait Observer: Send + Sync {
    fn message(&self, report: &Report<'_>);

    fn event(&self, _event: &Event<'_>) {}
}

/// Writes one structured log line a message, and one for what goes wrong on a socket.
#[derive(Clone, Copy, Debug, Default)]
pub struct Log;

impl Observer for Log {
    fn message(&self, report: &Report<'_>) {
        let Report { mail, policy, outcome, .. } = report;
        let reasons: Vec<&str> = crate::engine::Reason::ALL
            .iter()
            .filter(|reason| outcome.findings.iter().any(|f| f.reasons.contains(**reason)))
            .map(|reason| reason.code())
            .collect();
        let bypasses: Vec<String> =
            outcome.bypasses.iter().map(|(_, bypass)| bypass.to_string()).collect();
        tracing::info!(
            queue_id = mail.queue_id(),
            verdict = outcome.verdict.as_str(),
            reasons = reasons.join(","),
            links = outcome.links,
            edits = outcome.edits.len(),
            bypasses = bypasses.join(","),
            rule = policy.rule,
            bytes = mail.size,
            engine_us = micros(report.engine),
            dns_us = micros(report.dns),
            "message"
        );
    }

    fn event(&self, event: &Event<'_>) {
        match event {
            Event::Opened | Event::Closed => {}
            Event::Violation(violation) => {
                tracing::warn!(error = %violation, "connection ended: protocol");
            }
            Event::Deadline(waiting) => {
                tracing::warn!(waiting_for = %waiting, "connection ended: deadline");
            }
            Event::Broken(error) => tracing::info!(%error, "connection broke"),
            Event::NotAccepted(error) => tracing::error!(%error, "connection not accepted"),
            Event::Evicted => tracing::warn!("the longest idle connection made room"),
            Event::OutOfMemory => tracing::warn!("message put off: too many bytes in memory"),
            Event::DrainCut(connections) => {
                tracing::warn!(connections, "drain deadline: busy connections cut");
            }
        }
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
