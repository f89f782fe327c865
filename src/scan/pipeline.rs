//! The scan as a whole: one thread reads, all cores judge, one thread writes in order.
//!
//! ```text
//! walk → read → batches → cores (rayon) → in order again → output, counts, journal
//! ```
//!
//! Batches are cut by bytes and number, never by time or cores, so the output is the same
//! whatever `--jobs` says. Memory is bounded by [`Budget`]: what is read waits for room, and so does
//! what is to be written, of which the batch whose turn it is gives its lines while it is judged.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use crate::record::tally::Tally;

use super::batch::Made;
use super::budget::Budget;
use super::input::Input;
use super::journal::Journal;
use super::judge::Settings;
use super::produce::{Completion, Producer, Shared};
use super::progress::Progress;
use super::{Error, Report};

/// Batches under way for each core, counted until they are written.
const BATCHES_PER_JOB: usize = 8;

/// What is scanned, how, and where the scan stands.
pub struct Scan<'s> {
    pub settings: &'s Settings,
    /// Cores that judge.
    pub jobs: usize,
    pub progress: &'s Progress,
    /// Set from outside to end the scan after what is under way.
    pub stop: &'s AtomicBool,
    /// Where an earlier run was interrupted; kept up to date.
    pub journal: Option<Journal>,
    /// Files of the scan's own, by their canonical paths: left out without a word.
    pub own: &'s [PathBuf],
}

impl Scan<'_> {
    /// Scans the inputs and writes the records to `out`.
    pub fn run(
        self,
        inputs: impl Iterator<Item = Input>,
        out: &mut (dyn Write + Send),
    ) -> Result<Report, Error> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.jobs)
            .build()
            .map_err(|error| Error::Threads(error.to_string()))?;
        let done = self.journal.as_ref().map(Journal::position).unwrap_or_default();
        let budget = Budget::new(self.jobs * BATCHES_PER_JOB, done.batches);
        let halted = AtomicBool::new(false);
        let (sender, receiver) = channel();
        let shared = Shared {
            settings: self.settings,
            budget: &budget,
            progress: self.progress,
            stop: self.stop,
            halted: &halted,
            own: self.own,
        };
        let mut writer = Writer {
            out,
            budget: &budget,
            progress: self.progress,
            journal: self.journal,
            tally: Tally::default(),
        };
        let result = thread::scope(|threads| {
            let (writer, failed) = (&mut writer, &halted);
            let written = threads.spawn(move || {
                let result = writer.run(&receiver, done.batches);
                if result.is_err() {
                    failed.store(true, Ordering::Relaxed);
                    writer.drain(&receiver);
                }
                result
            });
            let read =
                pool.in_place_scope(|scope| Producer::new(scope, shared, sender, done).run(inputs));
            let written = written.join().map_err(|_| Error::Threads("the writer ended".to_owned()));
            written.and_then(|written| written.and(read))
        });
        writer.end(result?)
    }
}

struct Writer<'w> {
    out: &'w mut (dyn Write + Send),
    budget: &'w Budget,
    progress: &'w Progress,
    journal: Option<Journal>,
    tally: Tally,
}

impl Writer<'_> {
    fn run(&mut self, receiver: &Receiver<(u64, Made)>, first: u64) -> Result<(), Error> {
        if let Some(journal) = &mut self.journal {
            self.tally = journal.tally();
        }
        let mut turn = first;
        let mut waiting: BTreeMap<u64, Vec<Made>> = BTreeMap::new();
        for (number, made) in receiver {
            waiting.entry(number).or_default().push(made);
            while let Some(made) = waiting.remove(&turn) {
                for made in made {
                    turn += u64::from(self.write(made, turn + 1)?);
                }
            }
        }
        Ok(())
    }

    /// Writes what a batch made, the one before `next`; whether that was all of it.
    fn write(&mut self, made: Made, next: u64) -> Result<bool, Error> {
        let (judged, chain, room) = match made {
            Made::Text { text, room } => {
                self.text(&text, room)?;
                return Ok(false);
            }
            Made::Batch { judged, chain, room } => (judged, chain, room),
        };
        self.progress.unread(&judged.tally);
        self.text(&judged.text, room)?;
        self.tally.merge(judged.tally);
        self.budget.give_batch();
        if let Some(journal) = &mut self.journal {
            journal.advance(next, chain, &self.tally)?;
        }
        Ok(true)
    }

    fn text(&mut self, text: &[u8], room: usize) -> Result<(), Error> {
        if !text.is_empty() {
            self.out.write_all(text).map_err(Error::Output)?;
            self.out.flush().map_err(Error::Output)?;
            if let Some(journal) = &mut self.journal {
                journal.wrote(text.len());
            }
        }
        self.budget.give_text(room);
        Ok(())
    }

    /// Lets the cores finish after a failed write.
    fn drain(&self, receiver: &Receiver<(u64, Made)>) {
        // What waited for its turn counts as well, so every batch is given back once.
        self.budget.close();
        for _ in receiver {}
    }

    fn end(self, completion: Completion) -> Result<Report, Error> {
        if let Some(journal) = self.journal {
            match completion {
                Completion::Whole => journal.remove()?,
                Completion::Interrupted => journal.save(&self.tally)?,
            }
        }
        Ok(Report { tally: self.tally, completion })
    }
}
