//! Metrics for Prometheus. Labels come from small enums: no host, sender or queue id ever becomes one.

/// Makes the sets of labels that series have, one in each line.
macro_rules! label_sets {
    ($($name:ident { $($label:ident: $value:ty),+ })+) => { $(
        #[derive(Clone, Debug, PartialEq, Eq, Hash, prometheus_client::encoding::EncodeLabelSet)]
        struct $name { $($label: $value),+ }
    )+ };
}

/// Declares metrics, one in each line: field, type, name, unit if it has one, help text.
macro_rules! metrics {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident { $(
            $field:ident: $type:ty $(= $value:expr)? => $metric:literal $(in $unit:ident)?, $help:literal;
        )+ }
    ) => {
        $(#[$meta])*
        #[derive(Debug)]
        $visibility struct $name { $($field: $type),+ }

        impl Default for $name {
            fn default() -> Self {
                $name { $($field: metrics!(@new $($value)?)),+ }
            }
        }

        impl $name {
            pub(super) fn register(&self, registry: &mut prometheus_client::registry::Registry) {
                $(metrics!(@register registry, self.$field, $metric $($unit)?, $help);)+
            }
        }
    };
    (@new) => { Default::default() };
    (@new $value:expr) => { $value };
    (@register $registry:ident, $metric:expr, $name:literal, $help:literal) => {
        $registry.register($name, $help, $metric.clone())
    };
    (@register $registry:ident, $metric:expr, $name:literal $unit:ident, $help:literal) => {
        $registry.register_with_unit(
            $name,
            $help,
            prometheus_client::registry::Unit::$unit,
            $metric.clone(),
        )
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

pub use feeds::ConfiguredList;
pub use labels::{
    Cache, ConnectionFault, ContactAnswer, ContactFault, DnsAnswer, Grant, JournalFault,
    ListAnswer, Lookup, RecipeFault, StatePart, TaskResult,
};

/// All metrics of the daemon. Every method is cheap and never blocks for long.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    pub mail: mail::MailMetrics,
    daemon: DaemonMetrics,
    pub lists: feeds::FeedMetrics,
    pub contacts: contacts::ContactMetrics,
}

metrics! {
    struct DaemonMetrics {
        connections: Counter => "connections", "Connections from MTAs accepted";
        connections_open: Gauge => "connections_open", "Connections from MTAs that are open";
        connection_faults: Family<ConnectionFaultLabel, Counter> => "connection_faults", "Connections that failed, by cause";
        received_bytes: Counter => "received" in Bytes, "Bytes received from MTAs";
        sent_bytes: Counter => "sent" in Bytes, "Bytes sent to MTAs";
        generation: Gauge => "config_generation", "Number of the configuration in force, from 1";
        stale: Gauge => "config_stale", "1 while the configuration on disk is invalid and an older one is in force";
        reloads: Family<TaskLabel, Counter> => "reloads", "Reloads of the configuration";
        tld_updated: Gauge => "tld_table_timestamp" in Seconds, "When the table of top-level domains was made, since 1970";
        tld_age: Gauge => "tld_table_age" in Seconds, "Age of the table of top-level domains";
        tld_names: Gauge => "tld_table_names", "Top-level domains in the table";
        tld_refreshes: Family<TaskLabel, Counter> => "tld_refreshes", "Refreshes of the table of top-level domains by the daemon itself";
        journal_faults: Family<JournalFaultLabel, Counter> => "journal_faults", "Events or upkeep of the journal lost, by cause";
        digests: Family<TaskLabel, Counter> => "digests", "Digest mails";
        recipe_faults: Family<RecipeFaultLabel, Counter> => "recipe_faults", "Recipes that undo edits and were not kept or not removed, by cause";
        canaries: Family<TaskLabel, Counter> => "canaries", "Canary messages sent through the engine, by whether it judged them well";
        state: Family<StateLabel, Gauge> => "state" in Bytes, "Bytes kept in the state directory, by part";
        undo_lost: Counter => "undo_lost", "Messages whose undo recipe could not be stored: edited and not to be restored, or signed and left alone";
        recipients_omitted: Counter => "recipients_omitted", "Recipients beyond the most of one message whose own settings are looked up: the default settings counted for them";
        build: Family<VersionLabel, Gauge> => "build_info", "The program, by its version; always 1";
        log_dropped: Counter => "log_lines_dropped", "Lines of the log that were not written because their reader was too slow";
        resident: Gauge => "resident_memory" in Bytes, "Resident memory of the process";
        descriptors: Gauge => "open_descriptors", "File descriptors that are open";
    }
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
        let mut registry = Registry::with_prefix("linkmilter");
        let (mail, daemon) = (mail::MailMetrics::default(), DaemonMetrics::default());
        let (lists, contacts) =
            (feeds::FeedMetrics::default(), contacts::ContactMetrics::default());
        mail.register(&mut registry);
        daemon.register(&mut registry);
        lists.register(&mut registry);
        contacts.register(&mut registry);
        mail.start_at_zero();
        daemon.start_at_zero();
        contacts.start_at_zero();
        Metrics { registry, mail, daemon, lists, contacts }
    }

    pub fn connection_opened(&self) {
        self.daemon.connections.inc();
        self.daemon.connections_open.inc();
    }

    pub fn connection_closed(&self) {
        self.daemon.connections_open.dec();
    }

    pub fn connection_fault(&self, cause: ConnectionFault) {
        self.daemon.connection_faults.get_or_create(&ConnectionFaultLabel { cause }).inc();
    }

    /// Bytes that went over MTA connections.
    pub fn transferred(&self, received: u64, sent: u64) {
        self.daemon.received_bytes.inc_by(received);
        self.daemon.sent_bytes.inc_by(sent);
    }

    /// The configuration of this generation is in force.
    pub fn generation(&self, number: u64) {
        self.daemon.generation.set(i64::try_from(number).unwrap_or(i64::MAX));
    }

    /// Whether the configuration on disk is invalid, so that an older one is in force.
    pub fn stale(&self, stale: bool) {
        self.daemon.stale.set(i64::from(stale));
    }

    pub fn reload(&self, result: TaskResult) {
        self.daemon.reloads.get_or_create(&TaskLabel { result }).inc();
    }

    /// A refresh of the table of top-level domains ended.
    pub fn tld_refresh(&self, result: TaskResult) {
        self.daemon.tld_refreshes.get_or_create(&TaskLabel { result }).inc();
    }

    /// A canary message passed the engine, or did not.
    pub fn canary(&self, result: TaskResult) {
        self.daemon.canaries.get_or_create(&TaskLabel { result }).inc();
    }

    /// Sets how many bytes a part of the state directory holds.
    pub fn state_bytes(&self, part: StatePart, bytes: u64) {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        self.daemon.state.get_or_create(&StateLabel { part }).set(bytes);
    }

    /// The edits of a message cannot be undone.
    pub fn undo_lost(&self) {
        self.daemon.undo_lost.inc();
    }

    /// So many recipients of a message were too many for settings of their own.
    pub fn recipients_omitted(&self, count: usize) {
        self.daemon.recipients_omitted.inc_by(count as u64);
    }

    /// The counter of lines that the log could not write.
    pub fn log_dropped(&self) -> Counter {
        self.daemon.log_dropped.clone()
    }

    pub fn recipe_fault(&self, cause: RecipeFault) {
        self.daemon.recipe_faults.get_or_create(&RecipeFaultLabel { cause }).inc();
    }

    /// Sets the time and the size of the table of top-level domains in force.
    pub fn tld_table(&self, made: SystemTime, names: usize) {
        self.daemon.tld_updated.set(seconds(made));
        self.daemon.tld_names.set(i64::try_from(names).unwrap_or(i64::MAX));
    }

    pub fn journal_fault(&self, cause: JournalFault) {
        self.daemon.journal_faults.get_or_create(&JournalFaultLabel { cause }).inc();
    }

    pub fn digest(&self, result: TaskResult) {
        self.daemon.digests.get_or_create(&TaskLabel { result }).inc();
    }

    /// The OpenMetrics text of this moment.
    pub fn text(&self, now: SystemTime) -> String {
        let updated = self.daemon.tld_updated.get();
        if updated > 0 {
            self.daemon.tld_age.set((seconds(now) - updated).max(0));
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
            self.daemon.resident.set(kilobytes * 1_024);
        }
        if let Ok(entries) = std::fs::read_dir("/proc/self/fd") {
            self.daemon.descriptors.set(i64::try_from(entries.count()).unwrap_or(i64::MAX));
        }
    }
}

impl DaemonMetrics {
    /// Creates the series that alerts look at.
    fn start_at_zero(&self) {
        self.generation.set(1);
        let version = env!("CARGO_PKG_VERSION");
        self.build.get_or_create(&VersionLabel { version }).set(1);
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
    use crate::record::event::{Action, Event};

    #[test]
    fn a_message_is_counted_everywhere() {
        let metrics = Metrics::new();
        metrics.mail.message(&Event {
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
