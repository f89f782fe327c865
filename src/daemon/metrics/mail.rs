//! Metrics of messages: what the filter saw, what it did, and how long it took.

use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};

use super::super::restore_result::NotRestored;
use super::{Cache, DnsAnswer, Grant, Lookup, zero};
use crate::engine::Reason;
use crate::record::event::{Event, ORIGINAL};

metrics! {
    pub struct MailMetrics {
        messages: Family<MessageLabels, Counter> => "messages", "Messages by worst verdict and by what was done";
        message_bytes: Counter => "message" in Bytes, "Bytes of the messages filtered, headers and bodies";
        links: Family<ReasonLabel, Counter> => "findings", "Links of notice and worse that were kept as findings, by reason";
        links_seen: Counter => "links", "Links and addresses seen, whatever their verdict";
        links_edited: Counter => "links_edited", "Links edited";
        bypasses: Family<CauseLabel, Counter> => "bypasses", "Messages with parts not read, by cause";
        // 16 µs to 8.4 s: a small clean message takes some ten microseconds.
        engine: Histogram = Histogram::new(exponential_buckets(16e-6, 2.0, 20)) => "engine" in Seconds, "Time in the engine per message";
        // 0.5 ms to 8 s: the deadline for DNS answers is below that.
        dns: Histogram = Histogram::new(exponential_buckets(0.000_5, 2.0, 15)) => "dns" in Seconds, "Time a message waited for the DNS";
        dns_answers: Family<AnswerLabel, Counter> => "dns_answers", "DNS answers about top-level domains";
        restores: Family<RestoreLabel, Counter> => "restores", "Outbound messages that carry a recipe, by whether they were restored to their originals";
        not_granted: Family<GrantLabel, Counter> => "not_granted", "Messages for which the MTA did not allow an action that the filter needs, by action";
        cache: Family<CacheLabels, Counter> => "cache_lookups", "Look-ups in the caches";
    }
}

label_sets! {
    MessageLabels { verdict: &'static str, action: &'static str }
    ReasonLabel { reason: String }
    CauseLabel { cause: String }
    AnswerLabel { answer: DnsAnswer }
    CacheLabels { cache: Cache, result: Lookup }
    RestoreLabel { result: String }
    GrantLabel { action: Grant }
}

impl MailMetrics {
    pub(super) fn start_at_zero(&self) {
        for (verdict, action) in [("ok", "passed"), ("unsafe", "edited"), ("invalid", "edited")] {
            drop(self.messages.get_or_create(&MessageLabels { verdict, action }));
        }
        for reason in Reason::ALL {
            drop(self.links.get_or_create(&ReasonLabel { reason: reason.code().to_owned() }));
        }
        for cause in ["panic", "opaque", "limit:steps", "limit:max_message"] {
            drop(self.bypasses.get_or_create(&CauseLabel { cause: cause.to_owned() }));
        }
        zero(&self.dns_answers, DnsAnswer::ALL.iter().map(|&answer| AnswerLabel { answer }));
        for &result in Lookup::ALL {
            for &cache in Cache::ALL {
                drop(self.cache.get_or_create(&CacheLabels { cache, result }));
            }
        }
        for result in NotRestored::ALL.iter().map(|why| why.as_str()).chain([ORIGINAL]) {
            drop(self.restores.get_or_create(&RestoreLabel { result: result.to_owned() }));
        }
        zero(&self.not_granted, Grant::ALL.iter().map(|&action| GrantLabel { action }));
    }

    /// The MTA did not allow an action that a message needed.
    pub fn not_granted(&self, action: Grant) {
        self.not_granted.get_or_create(&GrantLabel { action }).inc();
    }

    /// A message has its answer.
    pub fn message(&self, event: &Event) {
        let labels =
            MessageLabels { verdict: event.verdict.as_str(), action: event.action.as_str() };
        self.messages.get_or_create(&labels).inc();
        self.message_bytes.inc_by(event.bytes);
        self.links_seen.inc_by(event.links);
        self.links_edited.inc_by(event.edited);
        for (reason, count) in &event.reasons {
            self.links.get_or_create(&ReasonLabel { reason: reason.clone() }).inc_by(*count);
        }
        for cause in event.bypasses.keys() {
            self.bypasses.get_or_create(&CauseLabel { cause: cause.clone() }).inc();
        }
        if let Some(result) = &event.restore {
            self.restores.get_or_create(&RestoreLabel { result: result.clone() }).inc();
        }
        self.engine.observe(Duration::from_micros(event.engine_us).as_secs_f64());
        if event.dns_us > 0 {
            self.dns.observe(Duration::from_micros(event.dns_us).as_secs_f64());
        }
    }

    /// A DNS query about a top-level domain was answered, or was not.
    pub fn dns_answer(&self, answer: DnsAnswer) {
        self.dns_answers.get_or_create(&AnswerLabel { answer }).inc();
    }

    /// The counter of look-ups in a cache with this result, for callers that count often.
    pub fn lookups(&self, cache: Cache, result: Lookup) -> Counter {
        self.cache.get_or_create(&CacheLabels { cache, result }).clone()
    }

    /// Counts look-ups in a cache.
    pub fn cache(&self, cache: Cache, result: Lookup, count: u64) {
        self.lookups(cache, result).inc_by(count);
    }
}
