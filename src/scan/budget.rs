//! How much may be under way: bytes of messages waiting for a core, batches, windows of
//! decompression, and text that waits for its turn to be written.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Bytes of messages that may wait or be worked on at once. One message of more goes alone.
const BYTES: usize = 16 << 20;
/// Bytes of text that wait to be written, and as many of the batch whose turn it is.
const TEXT: usize = 16 << 20;

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
    /// Bytes of text that are not written.
    text: usize,
    /// The batch whose turn it is to be written; it waits for no other.
    turn: u64,
    closed: bool,
}

/// What a source passes before its windows of decompression fill (up to 66 MiB): one at a time does.
#[derive(Clone, Copy, Debug)]
pub enum Gate<'b> {
    /// Nobody counts.
    Open,
    /// For a file that a core reads, in a batch of this number: when it is the turn of the batch. Whoever
    /// filled them earlier and then waited to be written would wait for the one who waits for the gate.
    Core(&'b Budget, u64),
    /// For a source that is read while the cores judge it: after the cores have done with all
    /// files, so that none of them waits for the reader that waits for them.
    Reader(&'b Budget),
}

impl Gate<'_> {
    /// Waits.
    pub fn pass(self) {
        match self {
            Gate::Open => {}
            Gate::Core(budget, number) => drop(budget.until(|used| used.turn == number)),
            Gate::Reader(budget) => drop(budget.until(|used| used.judging == 0)),
        }
    }
}

impl Budget {
    /// At most this many batches at once, written from this number on.
    pub fn new(batches: usize, first: u64) -> Budget {
        let used = Used { turn: first, ..Used::default() };
        Budget { used: Mutex::new(used), freed: Condvar::new(), batches }
    }

    /// Waits until so many bytes fit beside what is under way, or nothing is.
    pub fn wait(&self, bytes: usize) {
        drop(self.wait_for(bytes));
    }

    /// Waits likewise, and takes them with one batch.
    pub fn take(&self, bytes: usize) {
        drop(self.wait_for(bytes));
        let mut used = self.until(|used| used.batches < self.batches);
        used.bytes += bytes;
        used.batches += 1;
        used.judging += 1;
    }

    /// Waits until there is room for text of a batch, and takes it; returns how much that is. A batch whose
    /// turn it is waits for nobody but the writer.
    pub fn take_text(&self, number: u64, bytes: usize) -> usize {
        let room = bytes.min(TEXT);
        let most = |used: &Used| if used.turn == number { 2 * TEXT } else { TEXT };
        self.until(|used| used.text + room <= most(used)).text += room;
        room
    }

    /// Gives that back: the text is written.
    pub fn give_text(&self, room: usize) {
        self.lock().text -= room;
        self.freed.notify_all();
    }

    /// Gives bytes back: the batch was judged.
    pub fn give_bytes(&self, bytes: usize) {
        let mut used = self.lock();
        used.bytes -= bytes;
        used.judging -= 1;
        drop(used);
        self.freed.notify_all();
    }

    /// Gives a batch back: its records are written, and it is the turn of the next one.
    pub fn give_batch(&self) {
        let mut used = self.lock();
        used.batches -= 1;
        used.turn += 1;
        drop(used);
        self.freed.notify_all();
    }

    /// Nobody waits any more: the scan has failed.
    pub fn close(&self) {
        self.lock().closed = true;
        self.freed.notify_all();
    }

    fn wait_for(&self, bytes: usize) -> MutexGuard<'_, Used> {
        self.until(|used| used.bytes == 0 || used.bytes + bytes <= BYTES)
    }

    fn until(&self, free: impl Fn(&Used) -> bool) -> MutexGuard<'_, Used> {
        let mut used = self.lock();
        while !free(&used) && !used.closed {
            used = self.freed.wait(used).unwrap_or_else(PoisonError::into_inner);
        }
        used
    }

    fn lock(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
