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
use std::fs::File;
use std::io::{Read, Write};
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use crate::record::tally::Tally;

use super::budget::{Budget, Gate};
use super::decode::Meter;
use super::input::Input;
use super::journal::{Chain, Journal};
use super::judge::{Judge, Judged, Settings};
use super::message::{Quoting, Raw};
use super::produce::{Producer, Shared};
use super::progress::Progress;
use super::read::{self, Sink};
use super::{Error, Report};

/// Files up to this many bytes are read by the core that judges them; larger ones are taken
/// apart while they are read, so that one mbox keeps all cores busy.
pub(super) const SMALL: u64 = 1 << 20;
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

/// Entries that one core judges at a go.
#[derive(Default)]
pub(super) struct Batch {
    /// Bytes of the letters.
    pub data: Vec<u8>,
    pub items: Vec<Item>,
    /// Bytes of the sources that it covers, for the progress.
    pub weight: u64,
}

pub(super) enum Item {
    File { path: PathBuf, source: Arc<str> },
    Message { source: Arc<str>, offset: u64, range: Range<usize>, lead: usize, quoting: Quoting },
    Unread { source: Arc<str>, offset: u64, why: String },
    PassedOver,
}

/// What comes of a batch, in its order, with the room for text that it has taken.
pub(super) enum Made {
    /// Lines, before all are there.
    Text { text: Vec<u8>, room: usize },
    /// The rest of them, and the chain up to here.
    Batch { judged: Box<Judged>, chain: Chain, room: usize },
}

/// Judges a batch on the core it runs on.
pub(super) fn judge(
    settings: &Settings,
    (budget, number): (&Budget, u64),
    batch: Batch,
    hand_on: &dyn Fn(Made),
) -> Judged {
    let mut lines = |text: Vec<u8>| {
        let room = budget.take_text(number, text.len());
        hand_on(Made::Text { text, room });
    };
    let mut judge = Judge::new(settings, &mut lines);
    let mut buffer = Vec::new();
    for item in batch.items {
        // The judge never asks to stop.
        let _ = match item {
            Item::PassedOver => judge.passed_over(),
            Item::Unread { source, offset, why } => judge.unread(&source, offset, &why),
            Item::Message { source, offset, range, lead, quoting } => {
                let bytes = batch.data.get(range).unwrap_or_default().into();
                judge.message(&source, Raw { offset, bytes, lead, quoting })
            }
            Item::File { path, source } => {
                file(&path, &source, &mut buffer, Gate::Core(budget, number), &mut judge)
            }
        };
    }
    judge.finish()
}

/// Reads a file that was small when it was met; one that has grown is read as it comes.
fn file(
    path: &Path,
    source: &str,
    buffer: &mut Vec<u8>,
    gate: Gate<'_>,
    judge: &mut Judge<'_>,
) -> ControlFlow<()> {
    buffer.clear();
    let largest = judge.largest();
    let read = File::open(path).and_then(|file| {
        (&file).take(SMALL + 1).read_to_end(buffer)?;
        Ok(file)
    });
    match read {
        Err(error) => judge.unread(source, 0, &error.to_string()),
        Ok(_) if buffer.len() as u64 <= SMALL => read::slice(source, buffer, gate, largest, judge),
        Ok(rest) => {
            let meter = Meter::new(gate);
            let reader = meter.count(buffer.as_slice().chain(rest));
            read::stream(source, Box::new(reader), &meter, largest, judge)
        }
    }
}

/// Whether all of the inputs were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    Whole,
    Interrupted,
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
