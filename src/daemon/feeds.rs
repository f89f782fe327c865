//! The lists of others that are in force, kept fresh.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use arc_swap::{ArcSwap, ArcSwapOption};
use tokio::sync::Notify;

use crate::engine::Policy;
use crate::engine::lists::Listing;
use crate::feed::refresh::{Feed, FeedError, Loaded, Source, load_stored, refresh};
use crate::feed::store::Store;

use super::health::{Health, Trouble};
use super::metrics::{Ended, ListInUse, Metrics};

/// Shortest time between two looks at a list, and after one that failed.
const LEAST: Duration = Duration::from_secs(5);
const RETRY: Duration = Duration::from_secs(10 * 60);

/// Time between two looks at the ages, and between two warnings of one list.
const LOOK: Duration = Duration::from_secs(60 * 60);
const WARN_AGAIN: Duration = Duration::from_secs(24 * 60 * 60);

/// The lists in force. Cheap to ask, exchanged as a whole.
#[derive(Debug)]
pub struct Feeds {
    store: Store,
    metrics: Arc<Metrics>,
    /// By name. Never locked while a list is read or fetched.
    held: Mutex<BTreeMap<String, Held>>,
    current: ArcSwap<Vec<Arc<Listing>>>,
    /// What the last message was told: most are served by the same settings.
    told: ArcSwapOption<Told>,
    /// Raised when other lists are wanted.
    changed: Notify,
}

/// Settings, and what they are with the lists.
#[derive(Debug)]
struct Told {
    policy: Arc<Policy>,
    listings: Arc<Vec<Arc<Listing>>>,
    over: Arc<Policy>,
}

/// One list, between two looks.
#[derive(Debug)]
struct Held {
    feed: Feed,
    loaded: Option<Loaded>,
    due: Option<Instant>,
    warned: Option<Instant>,
    /// Why the last look brought nothing.
    failed: Option<String>,
    /// Since when it is asked for.
    since: SystemTime,
}

impl Feeds {
    /// With nothing in force yet.
    pub fn new(store: Store, metrics: Arc<Metrics>) -> Feeds {
        Feeds {
            store,
            metrics,
            held: Mutex::default(),
            current: ArcSwap::default(),
            told: ArcSwapOption::empty(),
            changed: Notify::new(),
        }
    }

    /// The settings of a message with the lists of this moment.
    pub fn over(&self, policy: Arc<Policy>) -> Arc<Policy> {
        let listings = self.current.load_full();
        if listings.is_empty() {
            return policy;
        }
        if let Some(told) = self.told.load_full()
            && Arc::ptr_eq(&told.policy, &policy)
            && Arc::ptr_eq(&told.listings, &listings)
        {
            return Arc::clone(&told.over);
        }
        let mut over = Policy::clone(&policy);
        over.lists.listings = Arc::clone(&listings);
        let over = Arc::new(over);
        self.told.store(Some(Arc::new(Told { policy, listings, over: Arc::clone(&over) })));
        over
    }

    /// Puts these lists in force as they are kept; a look at each is due then. What is not among them
    /// any more is gone at once, and so is a verdict that changed, whatever is being fetched.
    pub async fn take_up(&self, feeds: Vec<Feed>) {
        for feed in self.settle(feeds) {
            let loaded = self.blocking(&feed, load_stored).await.unwrap_or_else(|error| {
                tracing::warn!(%error, list = feed.name, "the kept list is not used");
                None
            });
            self.lock().insert(feed.name.clone(), Held::new(feed, loaded));
            self.publish();
        }
        self.changed.notify_one();
    }

    /// What is known of these lists already; those that are to be read.
    fn settle(&self, feeds: Vec<Feed>) -> Vec<Feed> {
        let mut held = self.lock();
        held.retain(|name, one| {
            let mut named = feeds.iter().filter(|feed| feed.name == *name);
            named.any(|feed| feed.source.place() == one.feed.source.place())
        });
        let unknown = feeds.into_iter().filter_map(|feed| match held.get_mut(&feed.name) {
            Some(one) => one.become_this(feed),
            None => Some(feed),
        });
        let unknown = unknown.collect();
        drop(held);
        self.publish();
        unknown
    }

    /// Keeps the lists fresh for as long as it is polled.
    pub async fn keep_fresh(self: Arc<Self>, health: Arc<Health>) {
        let tell = || {
            self.warn();
            health.all_troubles(Trouble::Feeds, self.troubles());
        };
        loop {
            while let Some((feed, loaded)) = self.most_due() {
                self.look(feed, loaded).await;
                tell();
            }
            tell();
            let pause = pause(self.lock().values().filter_map(|one| one.due).min(), Instant::now());
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = self.changed.notified() => {}
            }
        }
    }

    /// The list that is due longest.
    fn most_due(&self) -> Option<(Feed, Option<Loaded>)> {
        let held = self.lock();
        let now = Instant::now();
        let due = held.values().filter(|one| one.due.is_some_and(|due| due <= now));
        due.min_by_key(|one| one.due).map(|one| (one.feed.clone(), one.loaded.clone()))
    }

    /// Looks for a newer list. What a reload changed meanwhile is looked at again.
    async fn look(&self, feed: Feed, loaded: Option<Loaded>) {
        let work = move |feed: &Feed, store: &Store| {
            refresh(feed, store, loaded.as_ref(), SystemTime::now())
        };
        let found = self.blocking(&feed, work).await;
        if let Some(one) = self.lock().get_mut(&feed.name).filter(|one| one.feed == feed) {
            let ended = one.take(found, Instant::now());
            self.metrics.feed_refresh(&feed.name, ended);
        }
        self.publish();
    }

    async fn blocking(
        &self,
        feed: &Feed,
        work: impl FnOnce(&Feed, &Store) -> Result<Option<Loaded>, FeedError> + Send + 'static,
    ) -> Result<Option<Loaded>, FeedError> {
        let (feed, store) = (feed.clone(), self.store.clone());
        let place = feed.source.place();
        let done = tokio::task::spawn_blocking(move || work(&feed, &store)).await;
        done.unwrap_or_else(|error| Err(FeedError::Io { place, source: error.into() }))
    }

    fn publish(&self) {
        let held = self.lock();
        let loaded = held.values().filter_map(|one| one.loaded.as_ref());
        self.current.store(Arc::new(loaded.map(|loaded| Arc::clone(&loaded.listing)).collect()));
        self.metrics.feeds(held.values().map(|one| ListInUse {
            name: &one.feed.name,
            entries: one.loaded.as_ref().map(|loaded| loaded.listing.len()),
            checked: one.loaded.as_ref().map(|loaded| loaded.checked),
        }));
    }

    /// What an operator should mend: the lists whose last look failed, and what is in force of them.
    fn troubles(&self) -> Vec<String> {
        let held = self.lock();
        let each = held.values().filter_map(|one| {
            let why = one.failed.as_ref()?;
            let left = match &one.loaded {
                Some(_) => "the last good one is in force",
                None => "nothing of it is in force",
            };
            Some(format!("feeds.{}: {left}: {why}", one.feed.name))
        });
        each.collect()
    }

    fn warn(&self) {
        for one in self.lock().values_mut() {
            if let Some(age) = one.is_to_be_told(SystemTime::now(), Instant::now()) {
                let hours = age.as_secs() / 3_600;
                tracing::warn!(list = one.feed.name, hours, "a list is old");
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Time to the next round.
fn pause(due: Option<Instant>, now: Instant) -> Duration {
    due.map_or(LOOK, |due| due.saturating_duration_since(now).min(LOOK))
}

impl Held {
    /// A look at it is due at once.
    fn new(feed: Feed, loaded: Option<Loaded>) -> Held {
        let due = Some(Instant::now());
        Held { feed, loaded, due, warned: None, failed: None, since: SystemTime::now() }
    }

    /// Takes the settings of the same list over; gives them back when it is to be read anew by them, and
    /// until then it stays as it is.
    fn become_this(&mut self, feed: Feed) -> Option<Feed> {
        if let Some(loaded) = &mut self.loaded {
            let same = Listing::clone(&loaded.listing);
            loaded.listing = Arc::new(Listing { verdict: feed.verdict, ..same });
        }
        self.feed.verdict = feed.verdict;
        let read_alike = self.feed.layout == feed.layout
            && self.feed.checksum == feed.checksum
            && self.feed.max_bytes == feed.max_bytes
            && self.feed.max_entries == feed.max_entries;
        self.due = read_alike.then(Instant::now);
        if !read_alike {
            return Some(feed);
        }
        self.feed = feed;
        None
    }

    /// What a look brought, and when the next one is due.
    fn take(&mut self, found: Result<Option<Loaded>, FeedError>, now: Instant) -> Ended {
        let (ended, pause) = match found {
            Ok(newer) => {
                self.failed = None;
                self.take_newer(newer);
                (Ended::Well, self.feed.refresh)
            }
            Err(error) => {
                tracing::warn!(%error, list = self.feed.name, "a list stays as it is");
                self.failed = Some(error.to_string());
                (Ended::Failed, RETRY.min(self.feed.refresh))
            }
        };
        self.due = (!self.feed.refresh.is_zero()).then(|| now + pause.max(LEAST));
        ended
    }

    fn take_newer(&mut self, newer: Option<Loaded>) {
        match newer {
            Some(newer) => {
                let before = self.loaded.as_ref().map_or(0, |loaded| loaded.listing.len());
                tracing::info!(
                    list = self.feed.name,
                    entries = newer.listing.len(),
                    before,
                    odd_lines = newer.invalid_lines,
                    "a new list"
                );
                self.loaded = Some(newer);
            }
            None => {
                if let Some(loaded) = &mut self.loaded {
                    loaded.checked = SystemTime::now();
                }
            }
        }
    }

    /// The age of a list that is too old or was never there, once a day.
    fn is_to_be_told(&mut self, time: SystemTime, now: Instant) -> Option<Duration> {
        let checked = self.loaded.as_ref().map_or(self.since, |loaded| loaded.checked);
        let age = time.duration_since(checked).unwrap_or_default();
        let file = matches!(self.feed.source, Source::File(_));
        let quiet = self.warned.is_some_and(|at| now.saturating_duration_since(at) < WARN_AGAIN);
        if age <= self.feed.warn_age || quiet || (file && self.feed.refresh.is_zero()) {
            return None;
        }
        self.warned = Some(now);
        Some(age)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Verdict;
    use crate::feed::ListLayout;
    use std::path::{Path, PathBuf};

    const MINUTE: Duration = Duration::from_secs(60);

    fn feed(path: PathBuf) -> Feed {
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

    fn failed() -> Result<Option<Loaded>, FeedError> {
        Err(FeedError::InvalidChecksum { place: "x".to_owned() })
    }

    #[test]
    fn looks_are_apart() {
        let now = Instant::now();
        let mut held = Held::new(feed(PathBuf::new()), None);
        for (refresh, well, ill) in [
            (60 * MINUTE, 60 * MINUTE, RETRY),
            (MINUTE, MINUTE, MINUTE),
            (Duration::from_secs(1), LEAST, LEAST),
        ] {
            held.feed.refresh = refresh;
            assert_eq!(held.take(Ok(None), now), Ended::Well);
            assert_eq!(held.due, Some(now + well));
            assert_eq!(held.take(failed(), now), Ended::Failed);
            assert_eq!(held.due, Some(now + ill));
        }
        held.feed.refresh = Duration::ZERO;
        held.take(failed(), now);
        assert_eq!(held.due, None, "at a reload only");
    }

    #[test]
    fn ages_are_looked_at_once_an_hour() {
        let now = Instant::now();
        for (due, expected) in [
            (None, LOOK),
            (Some(now + 2 * LOOK), LOOK),
            (Some(now + MINUTE), MINUTE),
            (Some(now), Duration::ZERO),
        ] {
            assert_eq!(pause(due, now), expected, "{due:?}");
        }
    }

    #[test]
    fn an_old_list_is_told_once_a_day() {
        let mut held = Held::new(feed(PathBuf::new()), None);
        held.feed.warn_age = MINUTE;
        let (time, now) = (held.since, Instant::now());
        let mut told = |after: Duration| held.is_to_be_told(time + after, now + after).is_some();
        assert!(!told(MINUTE));
        assert!(told(2 * MINUTE), "one that was never there as well");
        assert!(!told(WARN_AGAIN + MINUTE));
        assert!(told(WARN_AGAIN + 2 * MINUTE));
        held.feed.refresh = Duration::ZERO;
        let later = 3 * WARN_AGAIN;
        assert_eq!(held.is_to_be_told(time + later, now + later), None, "nobody looks for it");
    }

    fn listed(feeds: &Feeds, host: &str) -> Option<Verdict> {
        let policy = feeds.over(Arc::default());
        policy
            .lists
            .listings
            .iter()
            .filter(|one| one.table.covers(host))
            .map(|one| one.verdict)
            .max()
    }

    /// Lists in a directory, `bad` of them kept already.
    async fn holding(dir: &Path) -> (Arc<Feeds>, Feed) {
        let path = dir.join("bad.txt");
        std::fs::write(&path, "evil.example.com\n").unwrap();
        let feed = feed(path);
        let store = Store::new(dir.join("feeds"));
        refresh(&feed, &store, None, SystemTime::now()).unwrap();
        let feeds = Feeds::new(store, Arc::new(Metrics::new()));
        feeds.take_up(vec![feed.clone()]).await;
        (Arc::new(feeds), feed)
    }

    #[tokio::test]
    async fn settings_are_copied_when_they_or_the_lists_change() {
        let dir = tempfile::tempdir().unwrap();
        let (feeds, feed) = holding(dir.path()).await;
        let (one, other) = (Arc::new(Policy::default()), Arc::new(Policy::default()));
        let over = feeds.over(Arc::clone(&one));
        assert!(Arc::ptr_eq(&over, &feeds.over(Arc::clone(&one))));
        assert!(!Arc::ptr_eq(&over, &feeds.over(Arc::clone(&other))));
        let over = feeds.over(Arc::clone(&one));
        feeds.take_up(vec![Feed { verdict: Verdict::Unsafe, ..feed }]).await;
        let stricter = feeds.over(Arc::clone(&one));
        assert!(!Arc::ptr_eq(&over, &stricter));
        assert_eq!(stricter.lists.listings[0].verdict, Verdict::Unsafe);
        feeds.take_up(vec![]).await;
        assert!(Arc::ptr_eq(&feeds.over(Arc::clone(&one)), &one));
    }

    #[tokio::test]
    async fn what_is_kept_is_in_force_before_anybody_looks() {
        let dir = tempfile::tempdir().unwrap();
        let (feeds, _) = holding(dir.path()).await;
        assert_eq!(listed(&feeds, "evil.example.com"), Some(Verdict::Suspect));
    }

    #[tokio::test]
    async fn a_reload_counts_while_a_list_is_fetched() {
        let dir = tempfile::tempdir().unwrap();
        let (feeds, feed) = holding(dir.path()).await;
        // A look is under way.
        let (before, held) = feeds.most_due().unwrap();
        let stricter = Feed { verdict: Verdict::Unsafe, ..feed.clone() };
        feeds.take_up(vec![stricter.clone()]).await;
        assert_eq!(listed(&feeds, "evil.example.com"), Some(Verdict::Unsafe));
        feeds.look(before, held).await;
        assert_eq!(listed(&feeds, "evil.example.com"), Some(Verdict::Unsafe));
        // Read otherwise.
        let (before, held) = feeds.most_due().unwrap();
        let form =
            ListLayout { entry_kind: crate::feed::EntryKind::Hosts, ..ListLayout::default() };
        feeds.take_up(vec![Feed { layout: form, ..stricter.clone() }]).await;
        assert_eq!(listed(&feeds, "www.evil.example.com"), None);
        assert_eq!(listed(&feeds, "evil.example.com"), Some(Verdict::Unsafe));
        feeds.look(before, held).await;
        assert_eq!(listed(&feeds, "www.evil.example.com"), None);
        // From elsewhere, or nowhere.
        let (before, held) = feeds.most_due().unwrap();
        let source = Source::File(dir.path().join("other.txt"));
        for wanted in [vec![Feed { source, ..stricter }], vec![]] {
            feeds.take_up(wanted).await;
            assert_eq!(listed(&feeds, "evil.example.com"), None);
            feeds.look(before.clone(), held.clone()).await;
            assert_eq!(listed(&feeds, "evil.example.com"), None);
        }
    }

    #[tokio::test]
    async fn a_list_whose_look_failed_is_to_be_mended_until_one_succeeds() {
        let dir = tempfile::tempdir().unwrap();
        let (feeds, bad) = holding(dir.path()).await;
        let absent = Feed {
            name: "absent".to_owned(),
            source: Source::File(dir.path().join("absent.txt")),
            ..bad.clone()
        };
        let file = dir.path().join("bad.txt");
        std::fs::remove_file(&file).unwrap();
        feeds.take_up(vec![absent.clone(), bad.clone()]).await;
        assert_eq!(feeds.troubles(), [""; 0], "nobody looked yet");
        for feed in [absent.clone(), bad.clone()] {
            feeds.look(feed, None).await;
        }
        let told = feeds.troubles();
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[0].starts_with("feeds.absent: nothing of it is in force: "), "{told:?}");
        assert!(told[1].starts_with("feeds.bad: the last good one is in force: "), "{told:?}");
        std::fs::write(&file, "evil.example.com\n").unwrap();
        feeds.look(bad.clone(), None).await;
        assert_eq!(feeds.troubles().len(), 1);
        feeds.take_up(vec![bad]).await;
        assert_eq!(feeds.troubles(), [""; 0], "nobody asks for the other any more");
    }

    #[tokio::test]
    async fn what_came_while_settings_changed_comes_again() {
        let dir = tempfile::tempdir().unwrap();
        let (feeds, feed) = holding(dir.path()).await;
        std::fs::write(dir.path().join("bad.txt"), "worse.example.com\n").unwrap();
        let (before, held) = feeds.most_due().unwrap();
        feeds.take_up(vec![Feed { verdict: Verdict::Unsafe, ..feed }]).await;
        feeds.look(before, held).await;
        let (again, held) = feeds.most_due().unwrap();
        feeds.look(again, held).await;
        assert_eq!(listed(&feeds, "worse.example.com"), Some(Verdict::Unsafe));
    }
}
