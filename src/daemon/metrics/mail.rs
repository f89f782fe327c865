//! Metrics of messages: what the filter saw, what it did, and how long it took.

use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

use super::super::restore_result::NotRestored;
use super::{Cache, DnsAnswer, Lookup, zero};
use crate::engine::Reason;
use crate::record::event::{Event, ORIGINAL};

#[derive(Debug)]
pub(super) struct MailMetrics {
    messages: Family<MessageLabels, Counter>,
    message_bytes: Counter,
    links: Family<ReasonLabel, Counter>,
    links_seen: Counter,
    links_edited: Counter,
    bypasses: Family<CauseLabel, Counter>,
    engine: Histogram,
    dns: Histogram,
    dns_answers: Family<AnswerLabel, Counter>,
    restores: Family<RestoreLabel, Counter>,
    cache: Family<CacheLabels, Counter>,
}

label_sets! {
    MessageLabels { verdict: &'static str, action: &'static str }
    ReasonLabel { reason: String }
    CauseLabel { cause: String }
    AnswerLabel { answer: DnsAnswer }
    CacheLabels { cache: Cache, result: Lookup }
    RestoreLabel { result: String }
}

impl Default for MailMetrics {
    fn default() -> MailMetrics {
        MailMetrics {
            messages: Family::default(),
            message_bytes: Counter::default(),
            links: Family::default(),
            links_seen: Counter::default(),
            links_edited: Counter::default(),
            bypasses: Family::default(),
            // 16 µs to 8.4 s: a small clean message takes some ten microseconds.
            engine: Histogram::new(exponential_buckets(16e-6, 2.0, 20)),
            // 0.5 ms to 8 s: the deadline for DNS answers is below that.
            dns: Histogram::new(exponential_buckets(0.000_5, 2.0, 15)),
            dns_answers: Family::default(),
            restores: Family::default(),
            cache: Family::default(),
        }
    }
}

impl MailMetrics {
    pub fn register(&self, registry: &mut Registry) {
        self.start_at_zero();
        register! { registry;
            self.messages => "messages", "Messages by worst verdict and by what was done";
            self.message_bytes => "message" in Bytes, "Bytes of the messages filtered, headers and bodies";
            self.links => "findings", "Links of notice and worse, by reason";
            self.links_seen => "links", "Links and addresses seen, whatever their verdict";
            self.links_edited => "links_edited", "Links edited";
            self.bypasses => "bypasses", "Messages with parts not read, by cause";
            self.engine => "engine" in Seconds, "Time in the engine per message";
            self.dns => "dns" in Seconds, "Time a message waited for the DNS";
            self.dns_answers => "dns_answers", "DNS answers about top-level domains";
            self.restores => "restores", "Outbound messages that carry a recipe, by whether they were restored to their originals";
            self.cache => "cache_lookups", "Look-ups in the caches";
        }
    }

    fn start_at_zero(&self) {
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
        for result in NotRestored::ALL.map(NotRestored::as_str).into_iter().chain([ORIGINAL]) {
            drop(self.restores.get_or_create(&RestoreLabel { result: result.to_owned() }));
        }
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
}
