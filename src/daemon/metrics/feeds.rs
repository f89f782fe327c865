//! Of lists of others. Their label is the operator's name for a list.

use std::time::SystemTime;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};

use super::{Ended, seconds};

#[derive(Debug, Default)]
pub(super) struct FeedMetrics {
    entries: Family<ListLabel, Gauge>,
    checked: Family<ListLabel, Gauge>,
    refreshes: Family<ListEndedLabels, Counter>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ListLabel {
    list: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ListEndedLabels {
    list: String,
    result: Ended,
}

impl FeedMetrics {
    pub fn register(&self, registry: &mut Registry) {
        registry.register("list_entries", "Entries of a list of others", self.entries.clone());
        registry.register_with_unit(
            "list_checked_timestamp",
            "When a list of others was last known to be the newest",
            Unit::Seconds,
            self.checked.clone(),
        );
        registry.register(
            "list_refreshes",
            "Looks for a newer list of others",
            self.refreshes.clone(),
        );
    }

    pub fn refresh(&self, list: &str, result: Ended) {
        let list = list.to_owned();
        self.refreshes.get_or_create(&ListEndedLabels { list, result }).inc();
    }

    /// The lists in use, those that are gone left out.
    pub fn lists<'l>(&self, lists: impl Iterator<Item = (&'l str, usize, SystemTime)>) {
        self.entries.clear();
        self.checked.clear();
        for (list, entries, checked) in lists {
            let label = ListLabel { list: list.to_owned() };
            let entries = i64::try_from(entries).unwrap_or(i64::MAX);
            self.entries.get_or_create(&label).set(entries);
            self.checked.get_or_create(&label).set(seconds(checked));
        }
    }
}
