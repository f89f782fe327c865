//! The scan as a whole: one thread reads, all cores judge, one thread writes in order.
//!
//! ```text
//! walk → read → batches → cores (rayon) → in order again → output, counts, journal
//! ```
//!
//! Batches are cut by bytes and number, never by time or cores, so the output is the same
//! whatever `--jobs` says. Memory is bounded by [`Budget`]: what is read waits for room.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::{ControlFlow, Range};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use crate::record::tally::Tally;

use super::budget::Budget;
use super::decode::Meter;
use super::input::Input;
use super::journal::{Chain, Journal, Position};
use super::judge::{Judge, Judged, Settings};
use super::letter::{Quoting, Raw};
use super::progress::Progress;
use super::read::{self, Sink};
use super::walk::{Entry, Walk};
use super::{Error, Report};

/// A batch is handed out at this many bytes or entries.
const BATCH_BYTES: usize = 256 << 10;
const BATCH_ITEMS: usize = 64;
/// Files up to this many bytes are read by the core that judges them; larger ones are taken
/// apart while they are read, so that one mbox keeps all cores busy.
const SMALL: u64 = 1 << 20;
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
        let budget = Budget::new(self.jobs * BATCHES_PER_JOB);
        let halted = AtomicBool::new(false);
        let (sender, receiver) = channel();
        let (settings, progress, stop) = (self.settings, self.progress, self.stop);
        let done = self.journal.as_ref().map(Journal::position).unwrap_or_default();
        let mut writer = Writer {
            out,
            budget: &budget,
            progress,
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
            let read = pool.in_place_scope(|scope| {
                let mut producer = Producer {
                    scope,
                    settings,
                    budget: &budget,
                    progress,
                    stop: [stop, &halted],
                    sender,
                    batch: Batch::default(),
                    number: 0,
                    chain: Chain::default(),
                    done,
                    changed: false,
                };
                producer.run(inputs)
            });
            let written = written.join().map_err(|_| Error::Threads("the writer ended".to_owned()));
            written.and_then(|written| written.and(read))
        });
        writer.end(result?)
    }
}

/// Entries that one core judges at a go.
#[derive(Default)]
struct Batch {
    /// Bytes of the letters.
    data: Vec<u8>,
    items: Vec<Item>,
    /// Bytes of the sources that it covers, for the progress.
    weight: u64,
}

enum Item {
    File { path: PathBuf, source: Arc<str> },
    Letter { source: Arc<str>, offset: u64, range: Range<usize>, lead: usize, quoting: Quoting },
    Unread { source: Arc<str>, offset: u64, why: String },
    PassedOver,
}

struct Producer<'p, 'scope> {
    scope: &'p rayon::Scope<'scope>,
    settings: &'scope Settings,
    budget: &'scope Budget,
    progress: &'scope Progress,
    stop: [&'scope AtomicBool; 2],
    sender: Sender<(u64, Judged, Chain)>,
    batch: Batch,
    number: u64,
    chain: Chain,
    /// What an earlier run has written already.
    done: Position,
    /// The sources are not those that the journal was written for.
    changed: bool,
}

impl<'scope> Producer<'_, 'scope> {
    fn run(&mut self, inputs: impl Iterator<Item = Input>) -> Result<Completion, Error> {
        for input in inputs {
            if self.input(input).is_break() {
                return self.interrupted();
            }
        }
        if !self.batch.items.is_empty() && self.dispatch().is_break() {
            return self.interrupted();
        }
        if self.number < self.done.batches {
            return Err(Error::Changed);
        }
        Ok(Completion::Whole)
    }

    fn interrupted(&self) -> Result<Completion, Error> {
        if self.changed { Err(Error::Changed) } else { Ok(Completion::Interrupted) }
    }

    fn input(&mut self, input: Input) -> ControlFlow<()> {
        match input {
            Input::Path(path) => {
                for entry in Walk::new(path) {
                    self.entry(entry)?;
                }
                ControlFlow::Continue(())
            }
            Input::Stdin => {
                let meter = Meter::default();
                let reader = Box::new(meter.count(io::stdin().lock()));
                let largest = self.settings.largest;
                read::stream("-", reader, &meter, largest, &mut Source::new(self, &meter))
            }
            Input::Range { path, range } => self.range(path, range),
            Input::Unreadable { name, why } => {
                let source = Arc::from(name.as_str());
                self.add(Item::Unread { source, offset: 0, why }, 0, &[])
            }
        }
    }

    fn entry(&mut self, entry: Entry) -> ControlFlow<()> {
        match entry {
            Entry::PassedOver => self.add(Item::PassedOver, 0, &[]),
            Entry::Unread { path, why } => {
                let source = name(&path);
                self.add(Item::Unread { source, offset: 0, why }, 0, &[])
            }
            Entry::File { path, size } if size <= SMALL => {
                let source = name(&path);
                self.add(Item::File { path, source }, size, &[])
            }
            Entry::File { path, .. } => self.large(path),
        }
    }

    /// Takes a large file apart while it is read.
    fn large(&mut self, path: PathBuf) -> ControlFlow<()> {
        let source = name(&path);
        match File::open(&path) {
            Err(error) => {
                self.add(Item::Unread { source, offset: 0, why: error.to_string() }, 0, &[])
            }
            Ok(file) => {
                let meter = Meter::default();
                let reader = Box::new(meter.count(file));
                let largest = self.settings.largest;
                read::stream(&source, reader, &meter, largest, &mut Source::new(self, &meter))
            }
        }
    }

    /// Reads the messages of an mbox that begin in a range of it.
    fn range(&mut self, path: PathBuf, range: Range<u64>) -> ControlFlow<()> {
        let source = name(&path);
        let open = File::open(&path).and_then(|mut file| {
            file.seek(SeekFrom::Start(range.start))?;
            Ok(file.take(range.end - range.start))
        });
        match open {
            Err(error) => {
                let item = Item::Unread { source, offset: range.start, why: error.to_string() };
                self.add(item, 0, &[])
            }
            Ok(file) => {
                let meter = Meter::default();
                let reader = meter.count(file);
                let largest = self.settings.largest;
                let mut sink = Source::new(self, &meter);
                read::mbox(&source, reader, range.start, largest, &mut sink)
            }
        }
    }

    /// Adds an entry of so many bytes of its source to the batch.
    fn add(&mut self, item: Item, weight: u64, data: &[u8]) -> ControlFlow<()> {
        if self.stop.iter().any(|stop| stop.load(Ordering::Relaxed)) {
            return ControlFlow::Break(());
        }
        self.chain.link(&item, weight);
        self.batch.data.extend_from_slice(data);
        self.batch.items.push(item);
        self.batch.weight += weight;
        let bytes = self.batch.data.len() as u64 + self.batch.weight;
        if bytes >= BATCH_BYTES as u64 || self.batch.items.len() >= BATCH_ITEMS {
            return self.dispatch();
        }
        ControlFlow::Continue(())
    }

    fn add_owned(&mut self, item: Item, data: Vec<u8>) -> ControlFlow<()> {
        self.batch.data = data;
        self.add(item, 0, &[])
    }

    fn dispatch(&mut self) -> ControlFlow<()> {
        let batch = std::mem::take(&mut self.batch);
        let number = self.number;
        self.number += 1;
        if number < self.done.batches {
            self.progress.skip(batch.weight);
            self.changed = self.number == self.done.batches && self.chain != self.done.chain;
            return if self.changed { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        }
        let (settings, budget, progress) = (self.settings, self.budget, self.progress);
        let (sender, chain) = (self.sender.clone(), self.chain);
        let taken = Taken { bytes: batch.data.len(), budget, halted: self.stop[1] };
        budget.take(taken.bytes);
        self.scope.spawn(move |_| {
            let weight = batch.weight;
            let judged = judge(settings, batch);
            drop(taken);
            progress.judged(&judged.tally, weight);
            // The writer outlives the cores, unless it panicked; then the scan fails anyway.
            let _ = sender.send((number, judged, chain));
        });
        ControlFlow::Continue(())
    }
}

/// Bytes taken from the budget; a core that panics ends the scan instead of keeping them.
struct Taken<'b> {
    bytes: usize,
    budget: &'b Budget,
    halted: &'b AtomicBool,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.budget.give_bytes(self.bytes);
        if thread::panicking() {
            self.halted.store(true, Ordering::Relaxed);
            self.budget.close();
        }
    }
}

/// One source that is read while its messages go to the cores.
struct Source<'a, 'p, 'scope> {
    producer: &'a mut Producer<'p, 'scope>,
    meter: &'a Meter,
    /// Bytes of the source already counted in a batch.
    counted: u64,
    name: Arc<str>,
}

impl<'a, 'p, 'scope> Source<'a, 'p, 'scope> {
    fn new(producer: &'a mut Producer<'p, 'scope>, meter: &'a Meter) -> Self {
        Source { producer, meter, counted: 0, name: Arc::from("") }
    }

    fn name(&mut self, source: &str) -> Arc<str> {
        if &*self.name != source {
            self.name = Arc::from(source);
        }
        Arc::clone(&self.name)
    }
}

impl Sink for Source<'_, '_, '_> {
    fn hold(&mut self, bytes: usize) {
        self.producer.budget.wait(bytes);
    }

    fn letter(&mut self, source: &str, raw: Raw<'_>) -> ControlFlow<()> {
        let source = self.name(source);
        self.producer.progress.read(self.meter.bytes() - self.counted);
        self.counted = self.meter.bytes();
        let Raw { offset, bytes, lead, quoting } = raw;
        if bytes.len() >= BATCH_BYTES && !self.producer.batch.items.is_empty() {
            self.producer.dispatch()?;
        }
        let start = self.producer.batch.data.len();
        let item =
            Item::Letter { source, offset, range: start..start + bytes.len(), lead, quoting };
        match bytes {
            // A large message keeps its buffer: no second copy while it waits.
            Cow::Owned(bytes) if start == 0 => self.producer.add_owned(item, bytes),
            bytes => self.producer.add(item, 0, &bytes),
        }
    }

    fn unread(&mut self, source: &str, offset: u64, why: &str) -> ControlFlow<()> {
        let source = self.name(source);
        self.producer.add(Item::Unread { source, offset, why: why.to_owned() }, 0, &[])
    }

    fn passed_over(&mut self) -> ControlFlow<()> {
        self.producer.add(Item::PassedOver, 0, &[])
    }
}

/// Judges a batch on the core it runs on.
fn judge(settings: &Settings, batch: Batch) -> Judged {
    let mut judge = Judge::new(settings);
    let mut buffer = Vec::new();
    for item in batch.items {
        // The judge never asks to stop.
        let _ = match item {
            Item::PassedOver => judge.passed_over(),
            Item::Unread { source, offset, why } => judge.unread(&source, offset, &why),
            Item::Letter { source, offset, range, lead, quoting } => {
                let bytes = batch.data.get(range).unwrap_or_default().into();
                judge.letter(&source, Raw { offset, bytes, lead, quoting })
            }
            Item::File { path, source } => {
                buffer.clear();
                let read = File::open(&path).and_then(|mut file| file.read_to_end(&mut buffer));
                match read {
                    Ok(_) => read::slice(&source, &buffer, settings.largest, &mut judge),
                    Err(error) => judge.unread(&source, 0, &error.to_string()),
                }
            }
        };
    }
    judge.finish()
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
    fn run(&mut self, receiver: &Receiver<(u64, Judged, Chain)>, first: u64) -> Result<(), Error> {
        if let Some(journal) = &mut self.journal {
            self.tally = journal.tally();
        }
        let mut next = first;
        let mut waiting = BTreeMap::new();
        for (number, judged, chain) in receiver {
            waiting.insert(number, (judged, chain));
            while let Some((judged, chain)) = waiting.remove(&next) {
                next += 1;
                self.write(judged)?;
                if let Some(journal) = &mut self.journal {
                    journal.advance(next, chain, &self.tally)?;
                }
            }
        }
        Ok(())
    }

    fn write(&mut self, judged: Judged) -> Result<(), Error> {
        self.progress.unread(&judged.tally);
        if !judged.text.is_empty() {
            self.out.write_all(&judged.text).map_err(Error::Output)?;
            self.out.flush().map_err(Error::Output)?;
            if let Some(journal) = &mut self.journal {
                journal.wrote(judged.text.len());
            }
        }
        self.tally.merge(judged.tally);
        self.budget.give_batch();
        Ok(())
    }

    /// Lets the cores finish after a failed write.
    fn drain(&self, receiver: &Receiver<(u64, Judged, Chain)>) {
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

fn name(path: &std::path::Path) -> Arc<str> {
    Arc::from(path.to_string_lossy())
}

impl Chain {
    fn link(&mut self, item: &Item, weight: u64) {
        match item {
            Item::File { source, .. } => self.add(source, 0, weight),
            Item::Letter { source, offset, range, .. } => {
                self.add(source, *offset, range.len() as u64);
            }
            Item::Unread { source, offset, .. } => self.add(source, *offset, u64::MAX),
            Item::PassedOver => self.add("", 0, 0),
        }
    }
}
