//! How much may be under way: bytes of messages waiting for a core, batches, and windows of
//! decompression.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Bytes of messages that may wait or be worked on at once. One message of more goes alone.
const BYTES: usize = 16 << 20;

/// Counts what was handed out and not given back.
#[derive(Debug)]
pub struct Budget {
    used: Mutex<Used>,
    freed: Condvar,
    batches: usize,
}

#[derive(Debug, Default)]
struct Used {
    bytes: usize,
    /// Handed out and not written.
    batches: usize,
    /// Handed out and not judged.
    judging: usize,
    /// Some source holds the place for windows.
    windows: bool,
    closed: bool,
}

/// What a source passes before its windows of decompression fill (up to 66 MiB).
#[derive(Clone, Copy, Debug)]
pub enum Gate<'b> {
    /// Nobody counts.
    Open,
    /// For a file that a core reads: one at a time.
    Core(&'b Budget),
    /// For a source that is read while the cores judge it: after the cores have done with all
    /// files, so that none of them waits for the reader that waits for them.
    Reader(&'b Budget),
}

/// The place for windows; left when dropped.
#[derive(Debug)]
pub struct Place<'b>(&'b Budget);

impl<'b> Gate<'b> {
    /// Waits for the place.
    pub fn enter(self) -> Option<Place<'b>> {
        match self {
            Gate::Open => None,
            Gate::Core(budget) => Some(budget.windows(|used| !used.windows)),
            Gate::Reader(budget) => Some(budget.windows(|used| used.judging == 0)),
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.lock().windows = false;
        self.0.freed.notify_all();
    }
}

impl Budget {
    /// At most this many batches at once.
    pub fn new(batches: usize) -> Budget {
        Budget { used: Mutex::default(), freed: Condvar::new(), batches }
    }

    /// Waits until so many bytes fit beside what is under way, or nothing is.
    pub fn wait(&self, bytes: usize) {
        drop(self.wait_for(bytes));
    }

    /// Waits likewise, and takes them with one batch.
    pub fn take(&self, bytes: usize) {
        let mut used = self.wait_for(bytes);
        while used.batches >= self.batches && !used.closed {
            used = self.freed.wait(used).unwrap_or_else(PoisonError::into_inner);
        }
        used.bytes += bytes;
        used.batches += 1;
        used.judging += 1;
    }

    /// Gives bytes back: the batch was judged.
    pub fn give_bytes(&self, bytes: usize) {
        let mut used = self.lock();
        used.bytes -= bytes;
        used.judging -= 1;
        drop(used);
        self.freed.notify_all();
    }

    /// Gives a batch back: its records are written.
    pub fn give_batch(&self) {
        self.lock().batches -= 1;
        self.freed.notify_all();
    }

    /// Nobody waits any more: the scan has failed.
    pub fn close(&self) {
        self.lock().closed = true;
        self.freed.notify_all();
    }

    fn wait_for(&self, bytes: usize) -> MutexGuard<'_, Used> {
        let mut used = self.lock();
        while used.bytes > 0 && used.bytes + bytes > BYTES && !used.closed {
            used = self.freed.wait(used).unwrap_or_else(PoisonError::into_inner);
        }
        used
    }

    fn windows(&self, free: impl Fn(&Used) -> bool) -> Place<'_> {
        let mut used = self.lock();
        while !free(&used) && !used.closed {
            used = self.freed.wait(used).unwrap_or_else(PoisonError::into_inner);
        }
        used.windows = true;
        Place(self)
    }

    fn lock(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
