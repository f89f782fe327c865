//! Metrics for Prometheus. Labels come from small enums: no host, sender or queue id ever becomes one.

/// Makes the sets of labels that series have, one in each line.
macro_rules! label_sets {
    ($($name:ident { $($label:ident: $value:ty),+ })+) => { $(
        #[derive(Clone, Debug, PartialEq, Eq, Hash, prometheus_client::encoding::EncodeLabelSet)]
        struct $name { $($label: $value),+ }
    )+ };
}

/// Registers metrics, one in each line: metric, name, unit if it has one, help text.
macro_rules! register {
    (@one $registry:ident, $metric:expr, $name:literal, $help:literal) => {
        $registry.register($name, $help, $metric.clone())
    };
    (@one $registry:ident, $metric:expr, $name:literal $unit:ident, $help:literal) => {
        $registry.register_with_unit(
            $name,
            $help,
            prometheus_client::registry::Unit::$unit,
            $metric.clone(),
        )
    };
    ($registry:ident; $($metric:expr => $name:literal $(in $unit:ident)?, $help:literal;)+) => {
        $(register!(@one $registry, $metric, $name $($unit)?, $help);)+
    };
}

mod contacts;
mod feeds;
mod labels;
mod mail;

use std::hash::Hash;
use std::time::{SystemTime, UNIX_EPOCH};

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use crate::record::event::Event;

pub use feeds::ConfiguredList;
pub use labels::{
    Cache, ConnectionFault, ContactAnswer, ContactFault, DnsAnswer, JournalFault, ListAnswer,
    Lookup, RecipeFault, StatePart, TaskResult,
};

/// All metrics of the daemon. Every method is cheap and never blocks for long.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    mail: mail::MailMetrics,
    connections: Counter,
    connections_open: Gauge,
    connection_faults: Family<ConnectionFaultLabel, Counter>,
    received_bytes: Counter,
    sent_bytes: Counter,
    generation: Gauge,
    stale: Gauge,
    reloads: Family<TaskLabel, Counter>,
    tld_updated: Gauge,
    tld_age: Gauge,
    tld_names: Gauge,
    tld_refreshes: Family<TaskLabel, Counter>,
    lists: feeds::FeedMetrics,
    journal_faults: Family<JournalFaultLabel, Counter>,
    digests: Family<TaskLabel, Counter>,
    recipe_faults: Family<RecipeFaultLabel, Counter>,
    contacts: contacts::ContactMetrics,
    canaries: Family<TaskLabel, Counter>,
    log_dropped: Counter,
    state: Family<StateLabel, Gauge>,
    undo_lost: Counter,
    resident: Gauge,
    descriptors: Gauge,
}

label_sets! {
    ConnectionFaultLabel { cause: ConnectionFault }
    TaskLabel { result: TaskResult }
    JournalFaultLabel { cause: JournalFault }
    RecipeFaultLabel { cause: RecipeFault }
    VersionLabel { version: &'static str }
    StateLabel { part: StatePart }
}

impl Default for Metrics {
    fn default() -> Self {
        Metrics::new()
    }
}

impl Metrics {
    pub fn new() -> Metrics {
        let mut metrics = Metrics {
            registry: Registry::with_prefix("linkmilter"),
            mail: mail::MailMetrics::default(),
            connections: Counter::default(),
            connections_open: Gauge::default(),
            connection_faults: Family::default(),
            received_bytes: Counter::default(),
            sent_bytes: Counter::default(),
            generation: Gauge::default(),
            stale: Gauge::default(),
            reloads: Family::default(),
            tld_updated: Gauge::default(),
            tld_age: Gauge::default(),
            tld_names: Gauge::default(),
            tld_refreshes: Family::default(),
            lists: feeds::FeedMetrics::default(),
            journal_faults: Family::default(),
            digests: Family::default(),
            recipe_faults: Family::default(),
            contacts: contacts::ContactMetrics::default(),
            canaries: Family::default(),
            log_dropped: Counter::default(),
            state: Family::default(),
            undo_lost: Counter::default(),
            resident: Gauge::default(),
            descriptors: Gauge::default(),
        };
        metrics.generation.set(1);
        metrics.mail.register(&mut metrics.registry);
        metrics.register_daemon();
        metrics.lists.register(&mut metrics.registry);
        metrics.contacts.register(&mut metrics.registry);
        metrics.start_at_zero();
        metrics
    }

    /// Creates the series that alerts look at.
    fn start_at_zero(&self) {
        zero(
            &self.connection_faults,
            ConnectionFault::ALL.iter().map(|&cause| ConnectionFaultLabel { cause }),
        );
        zero(
            &self.journal_faults,
            JournalFault::ALL.iter().map(|&cause| JournalFaultLabel { cause }),
        );
        zero(&self.state, StatePart::ALL.iter().map(|&part| StateLabel { part }));
        zero(&self.recipe_faults, RecipeFault::ALL.iter().map(|&cause| RecipeFaultLabel { cause }));
        for &result in TaskResult::ALL {
            for family in [&self.reloads, &self.digests, &self.canaries, &self.tld_refreshes] {
                drop(family.get_or_create(&TaskLabel { result }));
            }
        }
    }

    fn register_daemon(&mut self) {
        let registry = &mut self.registry;
        register! { registry;
            self.connections => "connections", "Connections from MTAs accepted";
            self.connections_open => "connections_open", "Connections from MTAs that are open";
            self.connection_faults => "connection_faults", "Connections that failed, by cause";
            self.received_bytes => "received" in Bytes, "Bytes received from MTAs";
            self.sent_bytes => "sent" in Bytes, "Bytes sent to MTAs";
            self.generation => "config_generation", "Number of the configuration in force, from 1";
            self.stale => "config_stale", "1 while the configuration on disk is invalid and an older one is in force";
            self.reloads => "reloads", "Reloads of the configuration";
            self.tld_updated => "tld_table_timestamp" in Seconds, "When the table of top-level domains was made, since 1970";
            self.tld_age => "tld_table_age" in Seconds, "Age of the table of top-level domains";
            self.tld_names => "tld_table_names", "Top-level domains in the table";
            self.tld_refreshes => "tld_refreshes", "Refreshes of the table of top-level domains by the daemon itself";
            self.journal_faults => "journal_faults", "Events or upkeep of the journal lost, by cause";
            self.digests => "digests", "Digest mails";
            self.recipe_faults => "recipe_faults", "Recipes that undo edits and were not kept or not removed, by cause";
            self.canaries => "canaries", "Canary messages sent through the engine, by whether it judged them well";
            self.state => "state" in Bytes, "Bytes kept in the state directory, by part";
            self.undo_lost => "undo_lost", "Messages whose edits cannot be undone: their recipe could not be kept";
        }
        let build = Family::<VersionLabel, Gauge>::default();
        build.get_or_create(&VersionLabel { version: env!("CARGO_PKG_VERSION") }).set(1);
        registry.register("build_info", "The program, by its version; always 1", build);
        register! { registry;
            self.log_dropped => "log_lines_dropped", "Lines of the log that were not written because their reader was too slow";
            self.resident => "resident_memory" in Bytes, "Resident memory of the process";
            self.descriptors => "open_descriptors", "File descriptors that are open";
        }
    }

    /// A message has its answer.
    pub fn message(&self, event: &Event) {
        self.mail.message(event);
    }

    /// A DNS query about a top-level domain was answered, or was not.
    pub fn dns_answer(&self, answer: DnsAnswer) {
        self.mail.dns_answer(answer);
    }

    /// The counter of look-ups in a cache with this result, for callers that count often.
    pub fn lookups(&self, cache: Cache, result: Lookup) -> Counter {
        self.mail.lookups(cache, result)
    }

    /// Counts look-ups in a cache.
    pub fn cache(&self, cache: Cache, result: Lookup, count: u64) {
        self.lookups(cache, result).inc_by(count);
    }

    pub fn connection_opened(&self) {
        self.connections.inc();
        self.connections_open.inc();
    }

    pub fn connection_closed(&self) {
        self.connections_open.dec();
    }

    pub fn connection_fault(&self, cause: ConnectionFault) {
        self.connection_faults.get_or_create(&ConnectionFaultLabel { cause }).inc();
    }

    /// Bytes that went over MTA connections.
    pub fn transferred(&self, received: u64, sent: u64) {
        self.received_bytes.inc_by(received);
        self.sent_bytes.inc_by(sent);
    }

    /// The configuration of this generation is in force.
    pub fn generation(&self, number: u64) {
        self.generation.set(i64::try_from(number).unwrap_or(i64::MAX));
    }

    /// Whether the configuration on disk is invalid, so that an older one is in force.
    pub fn stale(&self, stale: bool) {
        self.stale.set(i64::from(stale));
    }

    pub fn reload(&self, result: TaskResult) {
        self.reloads.get_or_create(&TaskLabel { result }).inc();
    }

    /// A refresh of the table of top-level domains ended.
    pub fn tld_refresh(&self, result: TaskResult) {
        self.tld_refreshes.get_or_create(&TaskLabel { result }).inc();
    }

    /// Sets which block lists are queried.
    pub fn blocklists<'l>(&self, names: impl Iterator<Item = &'l str>) {
        self.lists.set_blocklists(names);
    }

    pub fn blocklist_answer(&self, list: &str, answer: ListAnswer) {
        self.lists.answer(list, answer);
    }

    /// A refresh of a feed ended.
    pub fn feed_refresh(&self, list: &str, result: TaskResult) {
        self.lists.refresh(list, result);
    }

    /// Sets which feeds are configured.
    pub fn feeds<'l>(&self, lists: impl Iterator<Item = ConfiguredList<'l>>) {
        self.lists.set_lists(lists);
    }

    /// A canary message passed the engine, or did not.
    pub fn canary(&self, result: TaskResult) {
        self.canaries.get_or_create(&TaskLabel { result }).inc();
    }

    /// Sets how many bytes a part of the state directory holds.
    pub fn state_bytes(&self, part: StatePart, bytes: u64) {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        self.state.get_or_create(&StateLabel { part }).set(bytes);
    }

    /// The edits of a message cannot be undone.
    pub fn undo_lost(&self) {
        self.undo_lost.inc();
    }

    /// The counter of lines that the log could not write.
    pub fn log_dropped(&self) -> Counter {
        self.log_dropped.clone()
    }

    /// The contact store was queried for a message from outside.
    pub fn contact(&self, answer: ContactAnswer) {
        self.contacts.answer(answer);
    }

    pub fn contact_fault(&self, cause: ContactFault) {
        self.contacts.fault(cause);
    }

    pub fn recipe_fault(&self, cause: RecipeFault) {
        self.recipe_faults.get_or_create(&RecipeFaultLabel { cause }).inc();
    }

    /// Sets the time and the size of the table of top-level domains in force.
    pub fn tld_table(&self, made: SystemTime, names: usize) {
        self.tld_updated.set(seconds(made));
        self.tld_names.set(i64::try_from(names).unwrap_or(i64::MAX));
    }

    pub fn journal_fault(&self, cause: JournalFault) {
        self.journal_faults.get_or_create(&JournalFaultLabel { cause }).inc();
    }

    pub fn digest(&self, result: TaskResult) {
        self.digests.get_or_create(&TaskLabel { result }).inc();
    }

    /// The OpenMetrics text of this moment.
    pub fn text(&self, now: SystemTime) -> String {
        let updated = self.tld_updated.get();
        if updated > 0 {
            self.tld_age.set((seconds(now) - updated).max(0));
        }
        self.read_process();
        let mut out = String::new();
        // Writing to a String cannot fail.
        let _ = encode(&mut out, &self.registry);
        out
    }

    /// Reads memory and descriptors from /proc. A value that /proc does not have stays as it was.
    fn read_process(&self) {
        let resident = std::fs::read_to_string("/proc/self/status").ok().and_then(|status| {
            let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
            line.trim().strip_suffix("kB")?.trim().parse::<i64>().ok()
        });
        if let Some(kilobytes) = resident {
            self.resident.set(kilobytes * 1_024);
        }
        if let Ok(entries) = std::fs::read_dir("/proc/self/fd") {
            self.descriptors.set(i64::try_from(entries.count()).unwrap_or(i64::MAX));
        }
    }
}

/// Creates series with the value zero. Prometheus sees no increase if a series appears with the value one.
fn zero<L: Clone + Eq + Hash, M: Default>(
    family: &Family<L, M>,
    labels: impl IntoIterator<Item = L>,
) {
    labels.into_iter().for_each(|labels| drop(family.get_or_create(&labels)));
}

fn seconds(clock: SystemTime) -> i64 {
    let since = clock.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::engine::outcome::Verdict;
    use crate::record::event::Action;

    #[test]
    fn a_message_is_counted_everywhere() {
        let metrics = Metrics::new();
        metrics.message(&Event {
            verdict: Verdict::Unsafe,
            action: Action::Edited,
            bytes: 2_048,
            links: 3,
            edited: 2,
            reasons: [("mixed-script".to_owned(), 2)].into(),
            bypasses: [("limit:depth".to_owned(), 1)].into(),
            engine_us: 100,
            ..Event::default()
        });
        metrics.tld_table(UNIX_EPOCH + Duration::from_secs(1_000), 1_436);
        let text = metrics.text(UNIX_EPOCH + Duration::from_secs(4_600));
        for line in [
            r#"linkmilter_messages_total{verdict="unsafe",action="edited"} 1"#,
            "linkmilter_message_bytes_total 2048",
            r#"linkmilter_findings_total{reason="mixed-script"} 2"#,
            r#"linkmilter_bypasses_total{cause="limit:depth"} 1"#,
            r#"linkmilter_engine_seconds_bucket{le="0.000128"} 1"#,
            "linkmilter_dns_seconds_count 0",
            "linkmilter_tld_table_age_seconds 3600",
            "linkmilter_config_generation 1",
            "linkmilter_config_stale 0",
            r#"linkmilter_state_bytes{part="undo"} 0"#,
            concat!(r#"linkmilter_build_info{version=""#, env!("CARGO_PKG_VERSION"), r#""} 1"#),
            "# EOF",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in\n{text}");
        }
    }
}
