//! How much may be under way: bytes of messages waiting for a core, and batches.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Bytes of messages that may wait or be worked on at once. One message of more goes alone.
const BYTES: usize = 32 << 20;

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
    batches: usize,
    closed: bool,
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
    }

    /// Gives bytes back: the batch was judged.
    pub fn give_bytes(&self, bytes: usize) {
        self.lock().bytes -= bytes;
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

    fn lock(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
