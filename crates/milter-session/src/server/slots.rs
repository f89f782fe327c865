//! Limits the number of open connections: each has a slot, and the longest idle one can be evicted.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::Event;

/// The slots of one server.
#[derive(Clone, Debug)]
pub struct Slots {
    inner: Arc<Mutex<Inner>>,
    /// Notified when a slot becomes free or a connection becomes idle.
    changed: Arc<Notify>,
    limit: usize,
}

#[derive(Debug, Default)]
struct Inner {
    /// Incremented when a connection is added or becomes idle: gives ids, and the order of becoming idle.
    counter: u64,
    slots: HashMap<u64, SlotEntry>,
}

#[derive(Debug)]
struct SlotEntry {
    /// Value of the counter when it became idle; `None` while it is busy.
    idle_since: Option<u64>,
    eviction: Arc<Notify>,
}

/// The slot of a connection, freed when dropped.
#[derive(Debug)]
pub struct Slot {
    all: Slots,
    id: u64,
    eviction: Arc<Notify>,
}

impl Slots {
    pub fn new(limit: usize) -> Slots {
        Slots { inner: Arc::default(), changed: Arc::default(), limit }
    }

    /// Waits for a slot for a new connection. If there is none, evicts the longest idle connection. Reports that, and
    /// whether it has to wait since none is idle.
    pub async fn take(&self, report: impl Fn(Event<'_>)) -> Slot {
        let mut waits = false;
        loop {
            if let Some(slot) = self.try_take() {
                if waits {
                    report(Event::FullNoMore);
                }
                return slot;
            }
            if self.evict() {
                report(Event::Evicted);
            } else {
                if !std::mem::replace(&mut waits, true) {
                    report(Event::Full { connections: self.limit });
                }
                self.changed.notified().await;
            }
        }
    }

    fn try_take(&self) -> Option<Slot> {
        let mut inner = self.lock();
        if inner.slots.len() >= self.limit {
            return None;
        }
        let eviction = Arc::new(Notify::new());
        inner.counter += 1;
        let id = inner.counter;
        inner.slots.insert(id, SlotEntry { idle_since: None, eviction: Arc::clone(&eviction) });
        Some(Slot { all: self.clone(), id, eviction })
    }

    /// Evicts the longest idle connection; returns false if none is idle.
    pub fn evict(&self) -> bool {
        let mut inner = self.lock();
        let idle = inner.slots.iter().filter_map(|(id, entry)| Some((entry.idle_since?, *id)));
        let Some((_, id)) = idle.min() else { return false };
        if let Some(entry) = inner.slots.remove(&id) {
            entry.eviction.notify_one();
        }
        true
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Slot {
    /// Marks the connection as idle: it may be evicted.
    pub fn set_idle(&self) {
        let mut inner = self.all.lock();
        inner.counter += 1;
        let counter = inner.counter;
        if let Some(entry) = inner.slots.get_mut(&self.id) {
            entry.idle_since = Some(counter);
        }
        if inner.slots.len() >= self.all.limit {
            self.all.changed.notify_one();
        }
    }

    /// Marks the connection as busy: it is not evicted.
    pub fn set_busy(&self) {
        if let Some(entry) = self.all.lock().slots.get_mut(&self.id) {
            entry.idle_since = None;
        }
    }

    /// Waits until the connection is evicted.
    pub async fn evicted(&self) {
        self.eviction.notified().await;
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.all.lock().slots.remove(&self.id);
        self.all.changed.notify_one();
    }
}
