//! The feeds that are in force, and their refresh.

mod state;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use arc_swap::{ArcSwap, ArcSwapOption};
use tokio::sync::Notify;
use tokio::task::JoinSet;

use super::detached::detached;
use crate::engine::Policy;
use crate::engine::lists::Listing;
use crate::feed::refresh::{Feed, FeedError, Loaded, load_stored, refresh};
use crate::feed::store::FeedStore;

use super::health::{Health, Trouble};
use super::metrics::{ConfiguredList, Metrics};
use state::FeedState;

/// Time between two checks of the age of lists.
const AGE_CHECK_INTERVAL: Duration = Duration::from_secs(60 * 60);

/// Lists that are refreshed at a time: a server that does not answer holds up no other. Each may take memory
/// for a whole list.
const MAX_REFRESHES: usize = 4;

/// The lists in force. Reading them is cheap; they are replaced as a whole.
#[derive(Debug)]
pub struct Feeds {
    store: FeedStore,
    metrics: Arc<Metrics>,
    /// By name. Never locked while a list is read or fetched.
    feeds: Mutex<BTreeMap<String, FeedState>>,
    current: ArcSwap<Vec<Arc<Listing>>>,
    /// The policy of the last message with its listings: most messages have the same policy.
    last: ArcSwapOption<MergedPolicy>,
    /// Names of the operator, to which the lists do not apply.
    own_names: ArcSwap<Vec<String>>,
    /// Notified when the settings of the lists change.
    changed: Notify,
}

/// A policy, and the same policy with the listings in force.
#[derive(Debug)]
struct MergedPolicy {
    policy: Arc<Policy>,
    listings: Arc<Vec<Arc<Listing>>>,
    merged: Arc<Policy>,
}

impl Feeds {
    /// With nothing in force yet.
    pub fn new(store: FeedStore, metrics: Arc<Metrics>) -> Feeds {
        Feeds {
            store,
            metrics,
            feeds: Mutex::default(),
            current: ArcSwap::default(),
            last: ArcSwapOption::empty(),
            own_names: ArcSwap::default(),
            changed: Notify::new(),
        }
    }

    /// The current lists.
    pub fn listings(&self) -> Arc<Vec<Arc<Listing>>> {
        self.current.load_full()
    }

    /// The policy of a message with these lists.
    pub fn with_listings(
        &self,
        policy: Arc<Policy>,
        listings: &Arc<Vec<Arc<Listing>>>,
    ) -> Arc<Policy> {
        if listings.is_empty() {
            return policy;
        }
        if let Some(last) = self.last.load_full()
            && Arc::ptr_eq(&last.policy, &policy)
            && Arc::ptr_eq(&last.listings, listings)
        {
            return Arc::clone(&last.merged);
        }
        let mut merged = Policy::clone(&policy);
        merged.lists.listings = Arc::clone(listings);
        let merged = Arc::new(merged);
        let listings = Arc::clone(listings);
        let last = MergedPolicy { policy, listings, merged: Arc::clone(&merged) };
        self.last.store(Some(Arc::new(last)));
        merged
    }

    /// Puts the lists of these settings in force.
    pub async fn apply_settings(&self, loaded: &super::settings::Loaded) {
        let own_names = &loaded.settings.own_names;
        if *self.own_names.load() != *own_names {
            self.own_names.store(Arc::clone(own_names));
            self.lock().values_mut().for_each(|state| state.is_noted = false);
        }
        self.apply(loaded.config.feeds()).await;
    }

    /// Puts the saved copies of these lists in force, and makes a refresh of each due. Lists that are no longer
    /// configured are dropped at once, and changed verdicts count at once, even while a list is fetched.
    async fn apply(&self, feeds: Vec<Feed>) {
        for feed in self.reconcile(feeds) {
            let loaded = self.run_detached(&feed, load_stored).await.unwrap_or_else(|error| {
                tracing::warn!(%error, list = feed.name, "the saved list is not used");
                None
            });
            self.lock().insert(feed.name.clone(), FeedState::new(feed, loaded));
            self.publish();
        }
        self.changed.notify_one();
    }

    /// Updates the settings of the lists that are loaded, and returns those that must be read.
    fn reconcile(&self, feeds: Vec<Feed>) -> Vec<Feed> {
        let mut states = self.lock();
        states.retain(|name, state| {
            let mut named = feeds.iter().filter(|feed| feed.name == *name);
            named.any(|feed| feed.source.place() == state.feed.source.place())
        });
        let to_read = feeds.into_iter().filter_map(|feed| match states.get_mut(&feed.name) {
            Some(state) => state.update_settings(feed),
            None => Some(feed),
        });
        let to_read = to_read.collect();
        drop(states);
        self.publish();
        to_read
    }

    /// Refreshes the lists when they are due, for as long as it is polled.
    pub async fn keep_fresh(self: Arc<Self>, health: Arc<Health>) {
        let report = || {
            self.warn();
            health.set_troubles(Trouble::Feeds, self.troubles());
        };
        let mut refreshes = JoinSet::new();
        let mut under_way = HashMap::new();
        loop {
            report();
            let busy: BTreeSet<&str> = under_way.values().map(String::as_str).collect();
            let due = self.most_due(&busy).filter(|_| refreshes.len() < MAX_REFRESHES);
            if let Some((feed, loaded)) = due {
                let (name, feeds) = (feed.name.clone(), Arc::clone(&self));
                let refresh = async move { feeds.refresh(feed, loaded).await };
                under_way.insert(refreshes.spawn(refresh).id(), name);
                continue;
            }
            let pause = match refreshes.len() < MAX_REFRESHES {
                true => pause(self.next_due(&busy), Instant::now()),
                false => AGE_CHECK_INTERVAL,
            };
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = self.changed.notified() => {}
                Some(ended) = refreshes.join_next_with_id() => {
                    let id = ended.map_or_else(|error| error.id(), |(id, ())| id);
                    under_way.remove(&id);
                }
            }
        }
    }

    /// The list whose refresh has been due for longest, but for those that are being refreshed.
    fn most_due(&self, busy: &BTreeSet<&str>) -> Option<(Feed, Option<Loaded>)> {
        let states = self.lock();
        let now = Instant::now();
        let due = states.values().filter(|state| state.due.is_some_and(|due| due <= now));
        let due = due.filter(|state| !busy.contains(state.feed.name.as_str()));
        due.min_by_key(|state| state.due).map(|state| (state.feed.clone(), state.loaded.clone()))
    }

    /// When the next refresh is due, but for those that are under way.
    fn next_due(&self, busy: &BTreeSet<&str>) -> Option<Instant> {
        let states = self.lock();
        let others = states.values().filter(|state| !busy.contains(state.feed.name.as_str()));
        others.filter_map(|state| state.due).min()
    }

    /// Fetches a newer list. If a reload changed its settings meanwhile the result is dropped: another refresh is
    /// due then.
    async fn refresh(&self, feed: Feed, loaded: Option<Loaded>) {
        let work = move |feed: &Feed, store: &FeedStore| {
            refresh(feed, store, loaded.as_ref(), SystemTime::now())
        };
        let found = self.run_detached(&feed, work).await;
        if let Some(state) = self.lock().get_mut(&feed.name).filter(|state| state.feed == feed) {
            let result = state.finish_refresh(found, Instant::now());
            self.metrics.lists.refresh(&feed.name, result);
        }
        self.publish();
    }

    /// On a thread for which the end of the daemon does not wait: a server may take its time.
    async fn run_detached(
        &self,
        feed: &Feed,
        work: impl FnOnce(&Feed, &FeedStore) -> Result<Option<Loaded>, FeedError> + Send + 'static,
    ) -> Result<Option<Loaded>, FeedError> {
        let (feed, store) = (feed.clone(), self.store.clone());
        let place = feed.source.place();
        let result = detached("feed", move || work(&feed, &store)).await;
        result.unwrap_or_else(|source| Err(FeedError::Io { place, source }))
    }

    fn publish(&self) {
        let mut states = self.lock();
        states.values_mut().for_each(|state| state.note(&self.own_names.load()));
        let loaded = states.values().filter_map(|state| state.loaded.as_ref());
        self.current.store(Arc::new(loaded.map(|loaded| Arc::clone(&loaded.listing)).collect()));
        self.metrics.lists.set_lists(states.values().map(|state| ConfiguredList {
            name: &state.feed.name,
            entries: state.loaded.as_ref().map(|loaded| loaded.listing.len()),
            checked: state.loaded.as_ref().map(|loaded| loaded.checked),
        }));
    }

    /// What the operator should correct: the lists whose last refresh failed, and what is in force of them.
    fn troubles(&self) -> Vec<String> {
        let states = self.lock();
        let troubles = states.values().filter_map(|state| {
            let error = state.error.as_ref()?;
            let in_force = match &state.loaded {
                Some(_) => "the last good one is in force",
                None => "nothing of it is in force",
            };
            Some(format!("feeds.{}: {in_force}: {error}", state.feed.name))
        });
        troubles.collect()
    }

    fn warn(&self) {
        for state in self.lock().values_mut() {
            if let Some(age) = state.age_to_warn_of(SystemTime::now(), Instant::now()) {
                let hours = age.as_secs() / 3_600;
                tracing::warn!(list = state.feed.name, hours, "a list is old");
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, FeedState>> {
        self.feeds.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Time until the next refresh or check of ages.
fn pause(due: Option<Instant>, now: Instant) -> Duration {
    due.map_or(AGE_CHECK_INTERVAL, |due| due.saturating_duration_since(now).min(AGE_CHECK_INTERVAL))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::engine::Verdict;
    use crate::feed::ListLayout;
    use crate::feed::refresh::Source;
    use std::path::{Path, PathBuf};

    pub(super) const MINUTE: Duration = Duration::from_secs(60);

    pub(super) fn feed(path: PathBuf) -> Feed {
        Feed {
            name: "bad".to_owned(),
            source: Source::File(path),
            layout: ListLayout::default(),
            verdict: Verdict::Suspect,
            refresh: 60 * MINUTE,
            warn_age: 48 * 60 * MINUTE,
            max_bytes: 1 << 20,
            max_entries: 1000,
            checksum: None,
        }
    }

    #[test]
    fn ages_are_checked_once_an_hour() {
        let now = Instant::now();
        for (due, expected) in [
            (None, AGE_CHECK_INTERVAL),
            (Some(now + 2 * AGE_CHECK_INTERVAL), AGE_CHECK_INTERVAL),
            (Some(now + MINUTE), MINUTE),
            (Some(now), Duration::ZERO),
        ] {
            assert_eq!(pause(due, now), expected, "{due:?}");
        }
    }

    fn listed(feeds: &Feeds, host: &str) -> Option<Verdict> {
        let policy = feeds.with_listings(Arc::default(), &feeds.listings());
        policy
            .lists
            .listings
            .iter()
            .filter(|one| one.table.covers(host))
            .map(|one| one.verdict)
            .max()
    }

    /// Lists in a directory, with a saved copy of `bad`.
    async fn with_saved_list(dir: &Path) -> (Arc<Feeds>, Feed) {
        let path = dir.join("bad.txt");
        std::fs::write(&path, "evil.example.com\n").unwrap();
        let feed = feed(path);
        let store = FeedStore::new(dir.join("feeds"));
        refresh(&feed, &store, None, SystemTime::now()).unwrap();
        let feeds = Feeds::new(store, Arc::new(Metrics::new()));
        feeds.apply(vec![feed.clone()]).await;
        (Arc::new(feeds), feed)
    }

    #[tokio::test]
    async fn policies_are_copied_when_they_or_the_lists_change() {
        let dir = tempfile::tempdir().unwrap();
        let (feeds, feed) = with_saved_list(dir.path()).await;
        let (one, other) = (Arc::new(Policy::default()), Arc::new(Policy::default()));
        let merged = feeds.with_listings(Arc::clone(&one), &feeds.listings());
        assert!(Arc::ptr_eq(&merged, &feeds.with_listings(Arc::clone(&one), &feeds.listings())));
        assert!(!Arc::ptr_eq(&merged, &feeds.with_listings(Arc::clone(&other), &feeds.listings())));
        let merged = feeds.with_listings(Arc::clone(&one), &feeds.listings());
        feeds.apply(vec![Feed { verdict: Verdict::Unsafe, ..feed }]).await;
        let stricter = feeds.with_listings(Arc::clone(&one), &feeds.listings());
        assert!(!Arc::ptr_eq(&merged, &stricter));
        assert_eq!(stricter.lists.listings[0].verdict, Verdict::Unsafe);
        feeds.apply(vec![]).await;
        assert!(Arc::ptr_eq(&feeds.with_listings(Arc::clone(&one), &feeds.listings()), &one));
    }

    #[tokio::test]
    async fn a_saved_list_is_in_force_before_its_refresh() {
        let dir = tempfile::tempdir().unwrap();
        let (feeds, _) = with_saved_list(dir.path()).await;
        assert_eq!(listed(&feeds, "evil.example.com"), Some(Verdict::Suspect));
    }

    #[tokio::test]
    async fn a_reload_counts_while_a_list_is_fetched() {
        let dir = tempfile::tempdir().unwrap();
        let (feeds, feed) = with_saved_list(dir.path()).await;
        // A refresh is in progress.
        let (before, state) = feeds.most_due(&BTreeSet::new()).unwrap();
        let stricter = Feed { verdict: Verdict::Unsafe, ..feed.clone() };
        feeds.apply(vec![stricter.clone()]).await;
        assert_eq!(listed(&feeds, "evil.example.com"), Some(Verdict::Unsafe));
        feeds.refresh(before, state).await;
        assert_eq!(listed(&feeds, "evil.example.com"), Some(Verdict::Unsafe));
        // Another form.
        let (before, state) = feeds.most_due(&BTreeSet::new()).unwrap();
        let layout =
            ListLayout { entry_kind: crate::feed::EntryKind::Hosts, ..ListLayout::default() };
        feeds.apply(vec![Feed { layout, ..stricter.clone() }]).await;
        assert_eq!(listed(&feeds, "www.evil.example.com"), None);
        assert_eq!(listed(&feeds, "evil.example.com"), Some(Verdict::Unsafe));
        feeds.refresh(before, state).await;
        assert_eq!(listed(&feeds, "www.evil.example.com"), None);
        // Another source, or none.
        let (before, state) = feeds.most_due(&BTreeSet::new()).unwrap();
        let source = Source::File(dir.path().join("other.txt"));
        for wanted in [vec![Feed { source, ..stricter }], vec![]] {
            feeds.apply(wanted).await;
            assert_eq!(listed(&feeds, "evil.example.com"), None);
            feeds.refresh(before.clone(), state.clone()).await;
            assert_eq!(listed(&feeds, "evil.example.com"), None);
        }
    }

    #[tokio::test]
    async fn a_failed_refresh_is_a_trouble_until_one_succeeds() {
        let dir = tempfile::tempdir().unwrap();
        let (feeds, bad) = with_saved_list(dir.path()).await;
        let absent = Feed {
            name: "absent".to_owned(),
            source: Source::File(dir.path().join("absent.txt")),
            ..bad.clone()
        };
        let file = dir.path().join("bad.txt");
        std::fs::remove_file(&file).unwrap();
        feeds.apply(vec![absent.clone(), bad.clone()]).await;
        assert_eq!(feeds.troubles(), [""; 0], "no refresh yet");
        for feed in [absent.clone(), bad.clone()] {
            feeds.refresh(feed, None).await;
        }
        let troubles = feeds.troubles();
        assert_eq!(troubles.len(), 2, "{troubles:?}");
        assert!(
            troubles[0].starts_with("feeds.absent: nothing of it is in force: "),
            "{troubles:?}"
        );
        assert!(
            troubles[1].starts_with("feeds.bad: the last good one is in force: "),
            "{troubles:?}"
        );
        std::fs::write(&file, "evil.example.com\n").unwrap();
        feeds.refresh(bad.clone(), None).await;
        assert_eq!(feeds.troubles().len(), 1);
        feeds.apply(vec![bad]).await;
        assert_eq!(feeds.troubles(), [""; 0], "the other one is not configured any more");
    }

    #[tokio::test]
    async fn a_list_that_came_while_settings_changed_is_fetched_again() {
        let dir = tempfile::tempdir().unwrap();
        let (feeds, feed) = with_saved_list(dir.path()).await;
        std::fs::write(dir.path().join("bad.txt"), "worse.example.com\n").unwrap();
        let (before, state) = feeds.most_due(&BTreeSet::new()).unwrap();
        feeds.apply(vec![Feed { verdict: Verdict::Unsafe, ..feed }]).await;
        feeds.refresh(before, state).await;
        let (again, state) = feeds.most_due(&BTreeSet::new()).unwrap();
        feeds.refresh(again, state).await;
        assert_eq!(listed(&feeds, "worse.example.com"), Some(Verdict::Unsafe));
    }
}
