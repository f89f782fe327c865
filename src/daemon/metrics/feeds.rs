//! Metrics of feeds. The label is the operator's name for a list.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use super::{ListAnswer, TaskResult, seconds};

metrics! {
    struct Series {
        entries: Family<ListLabel, Gauge> => "list_entries", "Entries of a feed";
        checked: Family<ListLabel, Gauge> => "list_checked_timestamp" in Seconds, "When a feed was last known to be the newest";
        refreshes: Family<ListRefreshLabels, Counter> => "list_refreshes", "Refreshes of a feed";
        answers: Family<ListAnswerLabels, Counter> => "blocklist_answers", "Answers of block lists about domains of links";
    }
}

#[derive(Debug, Default)]
pub struct FeedMetrics {
    series: Series,
    /// Block lists that have a series.
    blocklists: Mutex<BTreeSet<String>>,
    /// Feeds that have a series.
    lists: Mutex<BTreeSet<String>>,
}

/// A feed that the settings name.
#[derive(Clone, Copy, Debug)]
pub struct ConfiguredList<'l> {
    pub name: &'l str,
    /// `None` if no version of the list is in force.
    pub entries: Option<usize>,
    pub checked: Option<SystemTime>,
}

label_sets! {
    ListLabel { list: String }
    ListRefreshLabels { list: String, result: TaskResult }
    ListAnswerLabels { list: String, answer: ListAnswer }
}

impl FeedMetrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        self.series.register(registry);
    }

    /// A refresh of a feed ended.
    pub fn refresh(&self, list: &str, result: TaskResult) {
        let list = list.to_owned();
        self.series.refreshes.get_or_create(&ListRefreshLabels { list, result }).inc();
    }

    pub fn answer(&self, list: &str, answer: ListAnswer) {
        let list = list.to_owned();
        self.series.answers.get_or_create(&ListAnswerLabels { list, answer }).inc();
    }

    /// Sets which block lists are queried. Their series start at zero, and those of other lists are removed.
    pub fn set_blocklists<'l>(&self, lists: impl Iterator<Item = &'l str>) {
        let named: BTreeSet<String> = lists.map(str::to_owned).collect();
        let mut known = self.blocklists.lock().unwrap_or_else(PoisonError::into_inner);
        let label = |list: &String, answer| ListAnswerLabels { list: list.clone(), answer };
        for &answer in ListAnswer::ALL {
            for list in &named {
                drop(self.series.answers.get_or_create(&label(list, answer)));
            }
            for list in known.difference(&named) {
                self.series.answers.remove(&label(list, answer));
            }
        }
        *known = named;
    }

    /// Sets which feeds are configured. Series of other lists are removed, and no scrape misses a
    /// series that stays.
    pub fn set_lists<'l>(&self, lists: impl Iterator<Item = ConfiguredList<'l>>) {
        let mut named = BTreeSet::new();
        for ConfiguredList { name, entries, checked } in lists {
            let label = ListLabel { list: name.to_owned() };
            let entries = entries.map(|entries| i64::try_from(entries).unwrap_or(i64::MAX));
            set(&self.series.entries, &label, entries);
            set(&self.series.checked, &label, checked.map(seconds));
            named.insert(label.list);
        }
        let mut known = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        for list in known.difference(&named) {
            let label = ListLabel { list: list.clone() };
            set(&self.series.entries, &label, None);
            set(&self.series.checked, &label, None);
            for result in [TaskResult::Succeeded, TaskResult::Failed] {
                self.series.refreshes.remove(&ListRefreshLabels { list: list.clone(), result });
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
            ConfiguredList { name, entries, checked }
        };
        metrics
            .lists
            .set_lists([list("a", Some(1)), list("b", Some(2)), list("c", Some(3))].into_iter());
        for name in ["a", "b", "c"] {
            metrics.lists.refresh(name, TaskResult::Succeeded);
        }
        metrics.lists.refresh("b", TaskResult::Failed);
        metrics.lists.set_lists([list("a", Some(4)), list("c", None)].into_iter());
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
