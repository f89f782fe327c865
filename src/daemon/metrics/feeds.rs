//! Of lists of others. Their label is the operator's name for a list.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};

use super::{Ended, ListAnswer, seconds};

#[derive(Debug, Default)]
pub(super) struct FeedMetrics {
    entries: Family<ListLabel, Gauge>,
    checked: Family<ListLabel, Gauge>,
    refreshes: Family<ListEndedLabels, Counter>,
    answers: Family<ListAnswerLabels, Counter>,
    /// Block lists that have a series.
    asked: Mutex<BTreeSet<String>>,
    /// Those that have a series.
    known: Mutex<BTreeSet<String>>,
}

/// A list that is asked for.
#[derive(Clone, Copy, Debug)]
pub struct ListInUse<'l> {
    pub name: &'l str,
    /// Nothing when none is in force.
    pub entries: Option<usize>,
    pub checked: Option<SystemTime>,
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

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ListAnswerLabels {
    list: String,
    answer: ListAnswer,
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
        registry.register(
            "blocklist_answers",
            "What block lists said of domains of links",
            self.answers.clone(),
        );
    }

    pub fn refresh(&self, list: &str, result: Ended) {
        let list = list.to_owned();
        self.refreshes.get_or_create(&ListEndedLabels { list, result }).inc();
    }

    pub fn answer(&self, list: &str, answer: ListAnswer) {
        let list = list.to_owned();
        self.answers.get_or_create(&ListAnswerLabels { list, answer }).inc();
    }

    /// The block lists that are asked: theirs are there from the start, and those of others go.
    pub fn asked<'l>(&self, lists: impl Iterator<Item = &'l str>) {
        let named: BTreeSet<String> = lists.map(str::to_owned).collect();
        let mut known = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let label = |list: &String, answer| ListAnswerLabels { list: list.clone(), answer };
        for &answer in ListAnswer::ALL {
            for list in &named {
                drop(self.answers.get_or_create(&label(list, answer)));
            }
            for list in known.difference(&named) {
                self.answers.remove(&label(list, answer));
            }
        }
        *known = named;
    }

    /// The lists that are asked for. Series of others go; no scrape misses one of these.
    pub fn lists<'l>(&self, lists: impl Iterator<Item = ListInUse<'l>>) {
        let mut named = BTreeSet::new();
        for ListInUse { name, entries, checked } in lists {
            let label = ListLabel { list: name.to_owned() };
            let entries = entries.map(|entries| i64::try_from(entries).unwrap_or(i64::MAX));
            set(&self.entries, &label, entries);
            set(&self.checked, &label, checked.map(seconds));
            named.insert(label.list);
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        for list in known.difference(&named) {
            let label = ListLabel { list: list.clone() };
            set(&self.entries, &label, None);
            set(&self.checked, &label, None);
            for result in [Ended::Well, Ended::Failed] {
                self.refreshes.remove(&ListEndedLabels { list: list.clone(), result });
            }
        }
        *known = named;
    }
}

fn set(family: &Family<ListLabel, Gauge>, label: &ListLabel, value: Option<i64>) {
    match value {
        Some(value) => {
            family.get_or_create(label).set(value);
        }
        None => {
            family.remove(label);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Metrics;
    use super::*;

    #[test]
    fn lists_that_are_gone_have_no_series() {
        let metrics = Metrics::new();
        let list = |name, entries: Option<usize>| {
            let checked = entries.map(|_| SystemTime::UNIX_EPOCH);
            ListInUse { name, entries, checked }
        };
        metrics.feeds([list("a", Some(1)), list("b", Some(2)), list("c", Some(3))].into_iter());
        for name in ["a", "b", "c"] {
            metrics.feed_refresh(name, Ended::Well);
        }
        metrics.feed_refresh("b", Ended::Failed);
        metrics.feeds([list("a", Some(4)), list("c", None)].into_iter());
        let text = metrics.text(SystemTime::now());
        let mut series: Vec<&str> =
            text.lines().filter(|line| line.starts_with("linkmilter_list_")).collect();
        series.sort_unstable();
        assert_eq!(
            series,
            [
                "linkmilter_list_checked_timestamp_seconds{list=\"a\"} 0",
                "linkmilter_list_entries{list=\"a\"} 4",
                "linkmilter_list_refreshes_total{list=\"a\",result=\"ok\"} 1",
                "linkmilter_list_refreshes_total{list=\"c\",result=\"ok\"} 1",
            ]
        );
    }
}
