//! Limits on what is in progress: bytes of messages that wait for a worker, batches, decompression
//! windows, and output that waits for its turn to be written.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Bytes of messages that may wait or be judged at once. A larger message is judged alone.
const MAX_MESSAGE_BYTES: usize = 16 << 20;
/// Bytes of output that may wait, and as many again for the batch whose turn it is.
const MAX_OUTPUT_BYTES: usize = 16 << 20;

/// Counts what is reserved and not released yet.
#[derive(Debug)]
pub struct Budget {
    used: Mutex<Used>,
    released: Condvar,
    batches: usize,
}

#[derive(Debug, Default)]
struct Used {
    bytes: usize,
    /// Batches that are not written yet.
    batches: usize,
    /// Batches that are not judged yet.
    judging: usize,
    /// Bytes of output that are not written yet.
    output: usize,
    /// The number of the batch to be written next. It waits for no other batch.
    next_batch: u64,
    closed: bool,
}

/// What a source waits for before its decompression windows fill (up to 66 MiB), so that only one
/// does at a time.
#[derive(Clone, Copy, Debug)]
pub enum Gate<'b> {
    /// No waiting.
    Open,
    /// For a file that a worker reads, in the batch of this number: waits until that batch is
    /// written next. If the windows filled earlier, a batch could hold them while it waits for
    /// another that waits for the gate.
    Worker(&'b Budget, u64),
    /// For a source that the producer reads: waits until the workers have judged all batches.
    /// Otherwise a worker could wait for the producer that waits for it.
    Producer(&'b Budget),
}

impl Gate<'_> {
    /// Waits until the windows may fill.
    pub fn pass(self) {
        match self {
            Gate::Open => {}
            Gate::Worker(budget, number) => {
                drop(budget.wait_until(|used| used.next_batch == number))
            }
            Gate::Producer(budget) => drop(budget.wait_until(|used| used.judging == 0)),
        }
    }
}

impl Budget {
    /// At most `batches` batches at once. The first to be written has the number `first`.
    pub fn new(batches: usize, first: u64) -> Budget {
        let used = Used { next_batch: first, ..Used::default() };
        Budget { used: Mutex::new(used), released: Condvar::new(), batches }
    }

    /// Waits until this many bytes fit into the limit, or nothing else is in progress.
    pub fn wait(&self, bytes: usize) {
        drop(self.wait_for(bytes));
    }

    /// Waits likewise, then reserves the bytes and one batch.
    pub fn reserve(&self, bytes: usize) {
        drop(self.wait_for(bytes));
        let mut used = self.wait_until(|used| used.batches < self.batches);
        used.bytes += bytes;
        used.batches += 1;
        used.judging += 1;
    }

    /// Waits until output of a batch fits into the limit, and reserves it. Returns the number of
    /// reserved bytes. The batch whose turn it is waits only for the writer.
    pub fn reserve_output(&self, number: u64, bytes: usize) -> usize {
        let reserved = bytes.min(MAX_OUTPUT_BYTES);
        let limit = |used: &Used| {
            if used.next_batch == number { 2 * MAX_OUTPUT_BYTES } else { MAX_OUTPUT_BYTES }
        };
        self.wait_until(|used| used.output + reserved <= limit(used)).output += reserved;
        reserved
    }

    /// Releases output that was written.
    pub fn release_output(&self, reserved: usize) {
        self.lock().output -= reserved;
        self.released.notify_all();
    }

    /// Releases the bytes of a batch that was judged.
    pub fn release_bytes(&self, bytes: usize) {
        let mut used = self.lock();
        used.bytes -= bytes;
        used.judging -= 1;
        drop(used);
        self.released.notify_all();
    }

    /// Releases a batch that was written. The next one has its turn.
    pub fn release_batch(&self) {
        let mut used = self.lock();
        used.batches -= 1;
        used.next_batch += 1;
        drop(used);
        self.released.notify_all();
    }

    /// Nobody waits any more: the scan has failed.
    pub fn close(&self) {
        self.lock().closed = true;
        self.released.notify_all();
    }

    fn wait_for(&self, bytes: usize) -> MutexGuard<'_, Used> {
        self.wait_until(|used| used.bytes == 0 || used.bytes + bytes <= MAX_MESSAGE_BYTES)
    }

    fn wait_until(&self, free: impl Fn(&Used) -> bool) -> MutexGuard<'_, Used> {
        let mut used = self.lock();
        while !free(&used) && !used.closed {
            used = self.released.wait(used).unwrap_or_else(PoisonError::into_inner);
        }
        used
    }

    fn lock(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
