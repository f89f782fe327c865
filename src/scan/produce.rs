//! The reading side: one thread walks the inputs, takes large sources apart and hands batches to
//! the cores.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::thread;

use super::Error;
use super::batch::{Batch, Item, Made, SMALL, judge};
use super::budget::{Budget, Gate};
use super::decode::Meter;
use super::input::Input;
use super::journal::{Chain, Position};
use super::judge::Settings;
use super::mbox::Splitter;
use super::message::Raw;
use super::progress::Progress;
use super::read::{self, Sink};
use super::sniff::{self, Kind};
use super::walk::{Entry, Walk};

/// A batch is handed out at this many bytes or entries.
const BATCH_BYTES: usize = 256 << 10;
const BATCH_ITEMS: usize = 64;

/// What all threads share.
#[derive(Clone, Copy)]
pub(super) struct Shared<'scope> {
    pub settings: &'scope Settings,
    pub budget: &'scope Budget,
    pub progress: &'scope Progress,
    /// Set from outside to end the scan.
    pub stop: &'scope AtomicBool,
    /// Set when a thread has failed.
    pub halted: &'scope AtomicBool,
    /// Files of the scan's own, by their canonical paths.
    pub own: &'scope [PathBuf],
}

/// Whether all of the inputs were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    Whole,
    Interrupted,
}

/// Reads, and hands batches out.
pub(super) struct Producer<'p, 'scope> {
    scope: &'p rayon::Scope<'scope>,
    shared: Shared<'scope>,
    /// Takes what a batch makes, with its number.
    sender: Sender<(u64, Made)>,
    batch: Batch,
    number: u64,
    chain: Chain,
    /// What an earlier run has written already.
    done: Position,
    /// The sources are not those that the journal was written for.
    changed: bool,
}

impl<'p, 'scope> Producer<'p, 'scope> {
    /// Goes on after what an earlier run has `done`.
    pub fn new(
        scope: &'p rayon::Scope<'scope>,
        shared: Shared<'scope>,
        sender: Sender<(u64, Made)>,
        done: Position,
    ) -> Producer<'p, 'scope> {
        let (batch, chain) = (Batch::default(), Chain::default());
        Producer { scope, shared, sender, batch, number: 0, chain, done, changed: false }
    }

    /// Reads all of the inputs, or up to where it is told to stop.
    pub fn run(&mut self, inputs: impl Iterator<Item = Input>) -> Result<Completion, Error> {
        for input in inputs {
            if self.input(input).is_break() {
                return self.interrupted();
            }
        }
        if self.hand_out().is_break() {
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
            Input::Stdin => self.source("-", io::stdin().lock()),
            Input::Range { path, range } => self.range(path, range),
            Input::Unreadable { name, why } => self.unread(Arc::from(name.as_str()), 0, why),
        }
    }

    fn entry(&mut self, entry: Entry) -> ControlFlow<()> {
        match entry {
            Entry::PassedOver => self.add(Item::PassedOver, 0, &[]),
            Entry::Unread { path, why } => self.unread(name(&path), 0, why),
            Entry::File { path, .. } | Entry::Stream { path } if self.is_own(&path) => {
                ControlFlow::Continue(())
            }
            Entry::File { path, size } if size <= SMALL => {
                let source = name(&path);
                self.add(Item::File { path, source }, size, &[])
            }
            Entry::File { path, .. } | Entry::Stream { path } => {
                let source = name(&path);
                match File::open(&path) {
                    Err(error) => self.unread(source, 0, error.to_string()),
                    Ok(file) => self.source(&source, file),
                }
            }
        }
    }

    /// Whether this is what the scan itself writes.
    fn is_own(&self, path: &Path) -> bool {
        let alike = |own: &&PathBuf| own.file_name() == path.file_name();
        self.shared
            .own
            .iter()
            .filter(alike)
            .any(|own| path.canonicalize().is_ok_and(|it| it == *own))
    }

    /// Takes a source apart while it is read.
    fn source(&mut self, source: &str, reader: impl Read) -> ControlFlow<()> {
        // The files before it go to the cores first: see `Gate::Reader`.
        self.hand_out()?;
        let meter = Meter::new(Gate::Reader(self.shared.budget));
        let reader = Box::new(meter.count(reader));
        let largest = self.shared.settings.largest;
        read::stream(source, reader, &meter, largest, &mut Source::new(self, &meter))
    }

    /// Reads the messages of an mbox that begin in a range of it.
    fn range(&mut self, path: PathBuf, range: Range<u64>) -> ControlFlow<()> {
        let source = name(&path);
        let meter = Meter::new(Gate::Open);
        let largest = self.shared.settings.largest;
        let splitter = File::open(&path).map_err(|error| error.to_string()).and_then(|mut file| {
            fits(&mut file, &range)?;
            Splitter::within(meter.count(file), range.clone(), largest)
                .map_err(|error| error.to_string())
        });
        match splitter {
            Err(why) => self.unread(source, range.start, why),
            Ok(splitter) => read::mbox(&source, splitter, &mut Source::new(self, &meter)),
        }
    }

    fn unread(&mut self, source: Arc<str>, offset: u64, why: String) -> ControlFlow<()> {
        self.add(Item::Unread { source, offset, why }, 0, &[])
    }

    /// Adds an entry of so many bytes of its source to the batch.
    fn add(&mut self, item: Item, weight: u64, data: &[u8]) -> ControlFlow<()> {
        if [self.shared.stop, self.shared.halted].iter().any(|stop| stop.load(Ordering::Relaxed)) {
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

    /// Hands out what has come together, however little.
    fn hand_out(&mut self) -> ControlFlow<()> {
        if self.batch.items.is_empty() { ControlFlow::Continue(()) } else { self.dispatch() }
    }

    fn dispatch(&mut self) -> ControlFlow<()> {
        let batch = std::mem::take(&mut self.batch);
        let number = self.number;
        self.number += 1;
        if number < self.done.batches {
            self.shared.progress.skip(batch.weight);
            self.changed = self.number == self.done.batches && self.chain != self.done.chain;
            return if self.changed { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        }
        let Shared { settings, budget, progress, halted, .. } = self.shared;
        let (sender, chain) = (self.sender.clone(), self.chain);
        let taken = Taken { bytes: batch.data.len(), budget, halted };
        budget.take(taken.bytes);
        self.scope.spawn(move |_| {
            let weight = batch.weight;
            // The writer outlives the cores, unless it panicked; then the scan fails anyway.
            let hand_on = |made| drop(sender.send((number, made)));
            let judged = judge(settings, (budget, number), batch, &hand_on);
            drop(taken);
            progress.judged(&judged.tally, weight);
            let room = budget.take_text(number, judged.text.len());
            hand_on(Made::Batch { judged: Box::new(judged), chain, room });
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
    meter: &'a Meter<'scope>,
    /// Bytes of the source already counted in a batch.
    counted: u64,
    name: Arc<str>,
}

impl<'a, 'p, 'scope> Source<'a, 'p, 'scope> {
    fn new(producer: &'a mut Producer<'p, 'scope>, meter: &'a Meter<'scope>) -> Self {
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
        self.producer.shared.budget.wait(bytes);
    }

    fn message(&mut self, source: &str, raw: Raw<'_>) -> ControlFlow<()> {
        let source = self.name(source);
        self.producer.shared.progress.read(self.meter.bytes() - self.counted);
        self.counted = self.meter.bytes();
        let Raw { offset, bytes, lead, quoting } = raw;
        if bytes.len() >= BATCH_BYTES {
            self.producer.hand_out()?;
        }
        let start = self.producer.batch.data.len();
        let item =
            Item::Message { source, offset, range: start..start + bytes.len(), lead, quoting };
        match bytes {
            // A large message keeps its buffer: no second copy while it waits.
            Cow::Owned(bytes) if start == 0 => self.producer.add_owned(item, bytes),
            bytes => self.producer.add(item, 0, &bytes),
        }
    }

    fn unread(&mut self, source: &str, offset: u64, why: &str) -> ControlFlow<()> {
        let source = self.name(source);
        self.producer.unread(source, offset, why.to_owned())
    }

    fn passed_over(&mut self) -> ControlFlow<()> {
        self.producer.add(Item::PassedOver, 0, &[])
    }
}

/// Whether a range lies in an uncompressed mbox.
fn fits(file: &mut File, range: &Range<u64>) -> Result<(), String> {
    let length = file.metadata().map_err(|error| error.to_string())?.len();
    if range.end > length {
        return Err(format!("expected a range up to byte {length} at most, found {}", range.end));
    }
    let mut prefix = Vec::new();
    let read = file.take(sniff::PREFIX as u64).read_to_end(&mut prefix);
    read.map_err(|error| error.to_string())?;
    match sniff::kind(&prefix) {
        Kind::Mbox => Ok(()),
        Kind::Empty if range.is_empty() => Ok(()),
        _ => Err("expected an uncompressed mbox".to_owned()),
    }
}

fn name(path: &Path) -> Arc<str> {
    Arc::from(path.to_string_lossy())
}

impl Chain {
    fn link(&mut self, item: &Item, weight: u64) {
        match item {
            Item::File { source, .. } => self.add(source, 0, weight),
            Item::Message { source, offset, range, .. } => {
                self.add(source, *offset, range.len() as u64);
            }
            Item::Unread { source, offset, .. } => self.add(source, *offset, u64::MAX),
            Item::PassedOver => self.add("", 0, 0),
        }
    }
}
