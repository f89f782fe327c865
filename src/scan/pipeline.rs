//! The scan as a whole: one thread reads, all cores judge, one thread writes in order.
//!
//! ```text
//! walk → read → batches → workers (rayon) → in order again → output, counts, journal
//! ```
//!
//! The limits of a batch are bytes and entries, never time or the number of cores, so the output is
//! the same for any `--jobs`. [`Budget`] bounds the memory: reading waits when too much is in
//! progress, and so does output. The batch whose turn it is emits its lines while it is judged.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use crate::record::tally::Tally;

use super::batch::BatchOutput;
use super::budget::Budget;
use super::input::Input;
use super::journal::{Completion, ScanJournal};
use super::judge::ScanSettings;
use super::produce::{Producer, SharedScan};
use super::progress::Progress;
use super::{Error, ScanReport};

/// Batches in progress for each core, until they are written.
const BATCHES_PER_JOB: usize = 8;

/// The inputs of a scan and its state.
pub struct Scan<'s> {
    pub settings: &'s ScanSettings,
    /// Number of worker threads.
    pub jobs: usize,
    pub progress: &'s Progress,
    /// Set from outside to end the scan after the batches in progress.
    pub stop: &'s AtomicBool,
    /// The progress of an earlier run. It is kept up to date.
    pub journal: Option<ScanJournal>,
    /// The scan's own files, as canonical paths. They are not scanned.
    pub own_files: &'s [PathBuf],
}

impl Scan<'_> {
    /// Scans the inputs and writes the output to `out`.
    pub fn run(
        self,
        inputs: impl Iterator<Item = Input>,
        out: &mut (dyn Write + Send),
    ) -> Result<ScanReport, Error> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.jobs)
            .build()
            .map_err(|error| Error::Threads(error.to_string()))?;
        let marks = self.journal.as_ref().map(ScanJournal::marks).unwrap_or_default();
        let first = marks.last().copied().unwrap_or_default().batches;
        let budget = Budget::new(self.jobs * BATCHES_PER_JOB, first);
        let halted = AtomicBool::new(false);
        let (sender, receiver) = channel();
        let shared = SharedScan {
            settings: self.settings,
            budget: &budget,
            progress: self.progress,
            stop: self.stop,
            halted: &halted,
            own_files: self.own_files,
        };
        let mut writer = RecordWriter {
            out,
            budget: &budget,
            progress: self.progress,
            journal: self.journal,
            tally: Tally::default(),
        };
        let result = thread::scope(|threads| {
            let (writer, failed) = (&mut writer, &halted);
            let written = threads.spawn(move || {
                let result = writer.run(&receiver, first);
                if result.is_err() {
                    failed.store(true, Ordering::Relaxed);
                    writer.discard_output(&receiver);
                }
                result
            });
            let read = pool
                .in_place_scope(|scope| Producer::new(scope, shared, sender, marks).run(inputs));
            let written = written.join().map_err(|_| Error::Threads("the writer ended".to_owned()));
            written.and_then(|written| written.and(read))
        });
        writer.end(result?)
    }
}

struct RecordWriter<'w> {
    out: &'w mut (dyn Write + Send),
    budget: &'w Budget,
    progress: &'w Progress,
    journal: Option<ScanJournal>,
    tally: Tally,
}

impl RecordWriter<'_> {
    fn run(&mut self, receiver: &Receiver<(u64, BatchOutput)>, first: u64) -> Result<(), Error> {
        if let Some(journal) = &mut self.journal {
            self.tally = journal.tally();
        }
        let mut turn = first;
        let mut waiting: BTreeMap<u64, Vec<BatchOutput>> = BTreeMap::new();
        for (number, output) in receiver {
            waiting.entry(number).or_default().push(output);
            while let Some(output) = waiting.remove(&turn) {
                for output in output {
                    turn += u64::from(self.write(output, turn + 1)?);
                }
            }
        }
        Ok(())
    }

    /// Writes output of the batch before `next`. Returns whether that was the last of it.
    fn write(&mut self, output: BatchOutput, next: u64) -> Result<bool, Error> {
        let (judged, chain, reserved) = match output {
            BatchOutput::Text { text, reserved } => {
                self.write_output(&text, reserved)?;
                return Ok(false);
            }
            BatchOutput::Batch { judged, chain, reserved } => (judged, chain, reserved),
        };
        self.progress.unread(&judged.tally);
        self.write_output(&judged.text, reserved)?;
        self.tally.merge(judged.tally);
        self.budget.release_batch();
        if let Some(journal) = &mut self.journal {
            journal.advance(next, chain, &self.tally)?;
        }
        Ok(true)
    }

    fn write_output(&mut self, text: &[u8], reserved: usize) -> Result<(), Error> {
        if !text.is_empty() {
            self.out.write_all(text).map_err(Error::Output)?;
            self.out.flush().map_err(Error::Output)?;
            if let Some(journal) = &mut self.journal {
                journal.add_written(text.len());
            }
        }
        self.budget.release_output(reserved);
        Ok(())
    }

    /// Lets the workers finish after a failed write.
    fn discard_output(&self, receiver: &Receiver<(u64, BatchOutput)>) {
        // Output that waits for its turn is dropped as well, so every batch is released only once.
        self.budget.close();
        for _ in receiver {}
    }

    fn end(mut self, completion: Completion) -> Result<ScanReport, Error> {
        if let Some(journal) = &mut self.journal {
            journal.save(&self.tally, completion)?;
        }
        Ok(ScanReport { tally: self.tally, completion, journal: self.journal })
    }
}
