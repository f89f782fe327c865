//! The lists of others that are in force, kept fresh.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use arc_swap::ArcSwap;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::engine::Policy;
use crate::engine::lists::{Listing, Lists};
use crate::feed::refresh::{Feed, FeedError, Loaded, Source, kept, refresh};
use crate::feed::store::Store;

use super::metrics::{Ended, Metrics};

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
    current: ArcSwap<Vec<Arc<Listing>>>,
    /// Raised by a reload.
    reloaded: Notify,
}

/// One list, between two looks.
#[derive(Debug)]
struct Held {
    feed: Feed,
    loaded: Option<Loaded>,
    due: Option<Instant>,
    warned: Option<Instant>,
    /// Since when it is asked for.
    since: SystemTime,
}

impl Feeds {
    /// With nothing in force yet.
    pub fn new(store: Store) -> Feeds {
        Feeds { store, current: ArcSwap::default(), reloaded: Notify::new() }
    }

    /// The settings of a message with the lists of this moment.
    pub fn over(&self, policy: Arc<Policy>) -> Arc<Policy> {
        let listings = self.current.load_full();
        if listings.is_empty() {
            return policy;
        }
        let policy = Policy::clone(&policy);
        let lists = Lists { listings, ..policy.lists };
        Arc::new(Policy { lists, ..policy })
    }

    /// Looks at every list again, and at which there are.
    pub fn reload(&self) {
        self.reloaded.notify_one();
    }

    /// Keeps the lists fresh for as long as it is polled. `feeds` is asked before every round.
    pub async fn keep_fresh(self: Arc<Self>, feeds: impl Fn() -> Vec<Feed>, metrics: Arc<Metrics>) {
        let mut held: BTreeMap<String, Held> = BTreeMap::new();
        loop {
            self.take_up(&mut held, feeds()).await;
            self.publish(&held, &metrics);
            for one in held.values_mut() {
                if one.due.is_some_and(|due| due <= Instant::now()) {
                    let ended = self.look(one).await;
                    metrics.feed_refresh(&one.feed.name, ended);
                }
                one.warn();
            }
            self.publish(&held, &metrics);
            let next = held.values().filter_map(|one| one.due).min();
            let next = next.map_or(LOOK, |due| due.duration_since(Instant::now()));
            tokio::select! {
                () = tokio::time::sleep(next.clamp(LEAST, LOOK)) => {}
                () = self.reloaded.notified() => {
                    for one in held.values_mut() {
                        one.due = Some(Instant::now());
                    }
                }
            }
        }
    }

    /// Takes up lists that are new or changed, with what is kept of them; drops the others.
    async fn take_up(&self, held: &mut BTreeMap<String, Held>, feeds: Vec<Feed>) {
        held.retain(|name, _| feeds.iter().any(|feed| feed.name == *name));
        for feed in feeds {
            if held.get(&feed.name).is_some_and(|one| one.feed == feed) {
                continue;
            }
            let loaded = self.blocking(&feed, kept).await.unwrap_or_else(|error| {
                tracing::warn!(%error, list = feed.name, "the kept list is not used");
                None
            });
            // Another form of the same bytes is read anew at once.
            let due = Some(Instant::now());
            let one = Held { loaded, due, warned: None, since: SystemTime::now(), feed };
            held.insert(one.feed.name.clone(), one);
        }
    }

    /// Looks for a newer list.
    async fn look(&self, one: &mut Held) -> Ended {
        let held = one.loaded.clone();
        let found = self.blocking(&one.feed, move |feed, store| {
            refresh(feed, store, held.as_ref(), SystemTime::now())
        });
        let (ended, pause) = match found.await {
            Ok(newer) => {
                one.take(newer);
                (Ended::Well, one.feed.refresh)
            }
            Err(error) => {
                tracing::warn!(%error, list = one.feed.name, "a list stays as it is");
                (Ended::Failed, RETRY.min(one.feed.refresh))
            }
        };
        let pause = (!one.feed.refresh.is_zero()).then(|| pause.max(LEAST));
        one.due = pause.map(|pause| Instant::now() + pause);
        ended
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

    fn publish(&self, held: &BTreeMap<String, Held>, metrics: &Metrics) {
        let all: Vec<Arc<Listing>> = held
            .values()
            .filter_map(|one| one.loaded.as_ref())
            .map(|loaded| Arc::clone(&loaded.listing))
            .collect();
        metrics.feeds(held.values().filter_map(|one| {
            let loaded = one.loaded.as_ref()?;
            Some((one.feed.name.as_str(), loaded.listing.table.len(), loaded.checked))
        }));
        self.current.store(Arc::new(all));
    }
}

impl Held {
    fn take(&mut self, newer: Option<Loaded>) {
        match newer {
            Some(newer) => {
                let before = self.loaded.as_ref().map_or(0, |loaded| loaded.listing.table.len());
                tracing::info!(
                    list = self.feed.name,
                    entries = newer.listing.table.len(),
                    before,
                    odd_lines = newer.odd,
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

    /// Once a day, of a list that is too old or was never there.
    fn warn(&mut self) {
        let checked = self.loaded.as_ref().map_or(self.since, |loaded| loaded.checked);
        let age = SystemTime::now().duration_since(checked).unwrap_or_default();
        let file = matches!(self.feed.source, Source::File(_));
        let quiet = self.warned.is_some_and(|at| at.elapsed() < WARN_AGAIN);
        if age <= self.feed.warn_age || quiet || (file && self.feed.refresh.is_zero()) {
            return;
        }
        tracing::warn!(list = self.feed.name, hours = age.as_secs() / 3_600, "a list is old");
        self.warned = Some(Instant::now());
    }
}
