//! Who is connected, and who has been idle the longest.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// The connections of one server.
#[derive(Clone, Debug)]
pub struct Roster {
    inner: Arc<Mutex<Inner>>,
    /// Told whenever a place is free or a connection falls idle.
    moved: Arc<Notify>,
    limit: usize,
}

#[derive(Debug, Default)]
struct Inner {
    /// Grows by one whenever a connection comes or falls idle: the order of falling idle.
    turn: u64,
    seats: HashMap<u64, Entry>,
}

#[derive(Debug)]
struct Entry {
    /// The turn in which it fell idle; `None` while it is busy.
    idle: Option<u64>,
    leave: Arc<Notify>,
}

/// A connection's place, given back when dropped.
#[derive(Debug)]
pub struct Seat {
    roster: Roster,
    id: u64,
    leave: Arc<Notify>,
}

impl Roster {
    pub fn new(limit: usize) -> Roster {
        Roster { inner: Arc::default(), moved: Arc::default(), limit }
    }

    /// Waits for a place for a new connection. When all are taken, the longest idle one is asked
    /// to leave, and `evicted` told of it.
    pub async fn take(&self, evicted: impl Fn()) -> Seat {
        loop {
            if let Some(seat) = self.sit() {
                return seat;
            }
            if self.evict() {
                evicted();
            } else {
                self.moved.notified().await;
            }
        }
    }

    fn sit(&self) -> Option<Seat> {
        let mut inner = self.lock();
        if inner.seats.len() >= self.limit {
            return None;
        }
        let leave = Arc::new(Notify::new());
        inner.turn += 1;
        let id = inner.turn;
        inner.seats.insert(id, Entry { idle: None, leave: Arc::clone(&leave) });
        Some(Seat { roster: self.clone(), id, leave })
    }

    /// Asks the longest idle connection to leave; false when none is idle.
    pub fn evict(&self) -> bool {
        let mut inner = self.lock();
        let idle = inner.seats.iter().filter_map(|(id, entry)| Some((entry.idle?, *id)));
        let Some((_, id)) = idle.min() else { return false };
        if let Some(entry) = inner.seats.remove(&id) {
            entry.leave.notify_one();
        }
        true
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    /// Between messages: may be asked to leave.
    pub fn idle(&self) {
        let mut inner = self.roster.lock();
        inner.turn += 1;
        let turn = inner.turn;
        if let Some(entry) = inner.seats.get_mut(&self.id) {
            entry.idle = Some(turn);
        }
        if inner.seats.len() >= self.roster.limit {
            self.roster.moved.notify_one();
        }
    }

    /// In a message: stays.
    pub fn busy(&self) {
        if let Some(entry) = self.roster.lock().seats.get_mut(&self.id) {
            entry.idle = None;
        }
    }

    /// Waits until it is asked to leave.
    pub async fn evicted(&self) {
        self.leave.notified().await;
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.roster.lock().seats.remove(&self.id);
        self.roster.moved.notify_one();
    }
}
