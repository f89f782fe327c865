//! The reading thread: it lists the inputs, splits large sources into messages, and sends batches
//! to the workers.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::iter::Peekable;
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::thread;

use crate::file::reason;

use super::Error;
use super::batch::{Batch, BatchOutput, Item, SMALL_FILE_BYTES, judge};
use super::budget::{Budget, Gate};
use super::decode::Meter;
use super::input::Input;
use super::journal::{Completion, HashChain, Position};
use super::judge::ScanSettings;
use super::mbox::Splitter;
use super::message::RawMessage;
use super::progress::Progress;
use super::read::{self, Sink};
use super::sniff::{self, SourceKind};
use super::walk::{FolderWalk, WalkEntry};

/// A batch is sent at this many bytes or entries.
const BATCH_BYTES: usize = 256 << 10;
const BATCH_ITEMS: usize = 64;

/// Why nobody knows what of a file was scanned: a mailbox that is written anew, say.
const SHORTER: &str = "it became shorter while it was read";

/// What all threads share.
#[derive(Clone, Copy)]
pub(super) struct SharedScan<'scope> {
    pub settings: &'scope ScanSettings,
    pub budget: &'scope Budget,
    pub progress: &'scope Progress,
    /// Set from outside to end the scan.
    pub stop: &'scope AtomicBool,
    /// Set when a thread has failed.
    pub halted: &'scope AtomicBool,
    /// The scan's own files, as canonical paths.
    pub own_files: &'scope [PathBuf],
}

/// Reads sources and sends batches.
pub(super) struct Producer<'p, 'scope> {
    scope: &'p rayon::Scope<'scope>,
    shared: SharedScan<'scope>,
    /// Takes the output of a batch, with its number.
    sender: Sender<(u64, BatchOutput)>,
    batch: Batch,
    number: u64,
    chain: HashChain,
    /// What an earlier run has completed. `None` without a journal.
    resume_from: Option<Position>,
    /// Positions on the way there, which are still to come.
    marks: Peekable<std::vec::IntoIter<Position>>,
    /// The first source after the last mark.
    since: Option<Arc<str>>,
    /// Where the sources differ from those of the journal.
    changed: Option<String>,
}

impl<'p, 'scope> Producer<'p, 'scope> {
    /// Continues after what an earlier run has completed: after the last of these marks of its journal.
    pub fn new(
        scope: &'p rayon::Scope<'scope>,
        shared: SharedScan<'scope>,
        sender: Sender<(u64, BatchOutput)>,
        marks: Vec<Position>,
    ) -> Producer<'p, 'scope> {
        Producer {
            scope,
            shared,
            sender,
            batch: Batch::default(),
            number: 0,
            chain: HashChain::default(),
            resume_from: marks.last().copied(),
            marks: marks.into_iter().peekable(),
            since: None,
            changed: None,
        }
    }

    /// Reads all inputs, or until it is told to stop.
    pub fn run(&mut self, inputs: impl Iterator<Item = Input>) -> Result<Completion, Error> {
        for input in inputs {
            if self.input(input).is_break() {
                return self.interrupted();
            }
        }
        if self.flush().is_break() {
            return self.interrupted();
        }
        if self.resume_from.is_some_and(|completed| self.number < completed.batches) {
            let since = self.since.as_deref().unwrap_or_default();
            return Err(Error::Changed(format!("from {since} on there is less than was scanned")));
        }
        Ok(Completion::Complete)
    }

    fn interrupted(&mut self) -> Result<Completion, Error> {
        self.changed.take().map_or(Ok(Completion::Interrupted), |place| Err(Error::Changed(place)))
    }

    fn input(&mut self, input: Input) -> ControlFlow<()> {
        match input {
            Input::Path(path) => {
                for entry in FolderWalk::new(path) {
                    self.entry(entry)?;
                }
                ControlFlow::Continue(())
            }
            Input::Stdin => self.source("-", io::stdin().lock(), 0),
            Input::Range { path, range } => self.range(path, range),
            Input::Unreadable { name, why } => self.unread(Arc::from(name.as_str()), 0, why),
        }
    }

    fn entry(&mut self, entry: WalkEntry) -> ControlFlow<()> {
        match entry {
            WalkEntry::Skipped => self.add(Item::Skipped, 0, &[]),
            WalkEntry::Unread { path, why } => self.unread(source_name(&path), 0, why),
            WalkEntry::File { path, .. } | WalkEntry::Stream { path } if self.is_own(&path) => {
                ControlFlow::Continue(())
            }
            WalkEntry::File { path, size, modified } if size <= SMALL_FILE_BYTES => {
                let source = source_name(&path);
                self.add(Item::File { path, source, modified }, size, &[])
            }
            WalkEntry::File { path, .. } | WalkEntry::Stream { path } => {
                let source = source_name(&path);
                match File::open(&path).and_then(|file| Ok((file.metadata()?.len(), file))) {
                    Err(error) => self.unread(source, 0, reason(&error)),
                    Ok((size, file)) => self.source(&source, file, size),
                }
            }
        }
    }

    /// Whether the scan itself writes this file.
    fn is_own(&self, path: &Path) -> bool {
        let same_name = |own: &&PathBuf| own.file_name() == path.file_name();
        let mut own = self.shared.own_files.iter().filter(same_name);
        own.any(|own| path.canonicalize().is_ok_and(|path| path == *own))
    }

    /// Splits a source, which has this many bytes at least, into messages while it is read.
    fn source(&mut self, source: &str, reader: impl Read, size: u64) -> ControlFlow<()> {
        // Send the files before it to the workers first: see `Gate::Producer`.
        self.flush()?;
        let meter = Meter::new(Gate::Producer(self.shared.budget));
        let reader = Box::new(meter.count(reader));
        let max_message = self.shared.settings.max_message;
        read::stream(source, reader, &meter, max_message, &mut SplitSource::new(self, &meter))?;
        match meter.ended_before(size) {
            true => self.unread(Arc::from(source), meter.bytes(), SHORTER.to_owned()),
            false => ControlFlow::Continue(()),
        }
    }

    /// Reads the messages of an mbox that begin in a range of it.
    fn range(&mut self, path: PathBuf, range: Range<u64>) -> ControlFlow<()> {
        let source = source_name(&path);
        let meter = Meter::new(Gate::Open);
        let max_message = self.shared.settings.max_message;
        let splitter = File::open(&path).map_err(|error| reason(&error)).and_then(|mut file| {
            check_range(&mut file, &range)?;
            Splitter::in_range(meter.count(file), range.clone(), max_message)
                .map_err(|error| reason(&error))
        });
        match splitter {
            Err(why) => self.unread(source, range.start, why),
            Ok(splitter) => read::mbox(&source, splitter, &mut SplitSource::new(self, &meter)),
        }
    }

    fn unread(&mut self, source: Arc<str>, offset: u64, why: String) -> ControlFlow<()> {
        self.add(Item::Unread { source, offset, why }, 0, &[])
    }

    /// Adds an entry to the batch. `source_bytes`: the bytes of the source that it covers.
    fn add(&mut self, item: Item, source_bytes: u64, data: &[u8]) -> ControlFlow<()> {
        if [self.shared.stop, self.shared.halted].iter().any(|stop| stop.load(Ordering::Relaxed)) {
            return ControlFlow::Break(());
        }
        self.batch.data.extend_from_slice(data);
        if self.resume_from.is_some() {
            self.chain.add_item(&item, source_bytes, &self.batch.data);
        }
        self.batch.items.push(item);
        self.batch.source_bytes += source_bytes;
        let bytes = self.batch.data.len() as u64 + self.batch.source_bytes;
        if bytes >= BATCH_BYTES as u64 || self.batch.items.len() >= BATCH_ITEMS {
            return self.send();
        }
        ControlFlow::Continue(())
    }

    fn add_owned(&mut self, item: Item, data: Vec<u8>) -> ControlFlow<()> {
        self.batch.data = data;
        self.add(item, 0, &[])
    }

    /// Sends the current batch, however small.
    fn flush(&mut self) -> ControlFlow<()> {
        if self.batch.items.is_empty() { ControlFlow::Continue(()) } else { self.send() }
    }

    /// Compares with the journal after a batch that an earlier run has completed.
    fn compare(&mut self, batch: &Batch) -> ControlFlow<()> {
        let mut names = batch.items.iter().filter_map(Item::source);
        let since = self.since.take().or_else(|| names.next().cloned());
        match self.marks.next_if(|mark| mark.batches == self.number) {
            None => self.since = since,
            Some(mark) if mark.chain == self.chain => {}
            Some(_) => {
                let since = since.unwrap_or_default();
                let until = names.next_back().filter(|until| **until != since);
                let until = until.map(|until| format!(" to {until}")).unwrap_or_default();
                self.changed = Some(format!("{since}{until}"));
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    fn send(&mut self) -> ControlFlow<()> {
        let batch = std::mem::take(&mut self.batch);
        let number = self.number;
        self.number += 1;
        if self.resume_from.is_some_and(|completed| number < completed.batches) {
            self.shared.progress.skip(batch.source_bytes);
            return self.compare(&batch);
        }
        let SharedScan { settings, budget, progress, halted, .. } = self.shared;
        let (sender, chain) = (self.sender.clone(), self.chain);
        let reservation = Reservation { bytes: batch.data.len(), budget, halted };
        budget.reserve(reservation.bytes);
        self.scope.spawn(move |_| {
            let source_bytes = batch.source_bytes;
            // The writer outlives the workers, unless it panicked. Then the scan fails anyway.
            let emit = |made| drop(sender.send((number, made)));
            let judged = judge(settings, (budget, number), batch, &emit);
            drop(reservation);
            progress.judged(&judged.tally, source_bytes);
            let reserved = budget.reserve_output(number, judged.text.len());
            emit(BatchOutput::Batch { judged: Box::new(judged), chain, reserved });
        });
        ControlFlow::Continue(())
    }
}

/// Bytes reserved in the budget. They are released on drop. A worker that panics ends the scan.
struct Reservation<'b> {
    bytes: usize,
    budget: &'b Budget,
    halted: &'b AtomicBool,
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        self.budget.release_bytes(self.bytes);
        if thread::panicking() {
            self.halted.store(true, Ordering::Relaxed);
            self.budget.close();
        }
    }
}

/// A source that is split while its messages go to the workers.
struct SplitSource<'a, 'p, 'scope> {
    producer: &'a mut Producer<'p, 'scope>,
    meter: &'a Meter<'scope>,
    /// Bytes of the source that the progress already counts.
    counted: u64,
    name: Arc<str>,
}

impl<'a, 'p, 'scope> SplitSource<'a, 'p, 'scope> {
    fn new(producer: &'a mut Producer<'p, 'scope>, meter: &'a Meter<'scope>) -> Self {
        SplitSource { producer, meter, counted: 0, name: Arc::from("") }
    }

    fn name(&mut self, source: &str) -> Arc<str> {
        if &*self.name != source {
            self.name = Arc::from(source);
        }
        Arc::clone(&self.name)
    }
}

impl Sink for SplitSource<'_, '_, '_> {
    fn wait_for_memory(&mut self, bytes: usize) {
        self.producer.shared.budget.wait(bytes);
    }

    fn message(&mut self, source: &str, raw: RawMessage<'_>) -> ControlFlow<()> {
        let source = self.name(source);
        self.producer.shared.progress.read(self.meter.bytes() - self.counted);
        self.counted = self.meter.bytes();
        let RawMessage { offset, bytes, from_line_len, quoting } = raw;
        if bytes.len() >= BATCH_BYTES {
            self.producer.flush()?;
        }
        let start = self.producer.batch.data.len();
        let item = Item::Message {
            source,
            offset,
            range: start..start + bytes.len(),
            from_line_len,
            quoting,
        };
        match bytes {
            // A large message keeps its buffer, so that no second copy waits.
            Cow::Owned(bytes) if start == 0 => self.producer.add_owned(item, bytes),
            bytes => self.producer.add(item, 0, &bytes),
        }
    }

    fn unread(&mut self, source: &str, offset: u64, why: &str) -> ControlFlow<()> {
        let source = self.name(source);
        self.producer.unread(source, offset, why.to_owned())
    }

    fn skipped(&mut self) -> ControlFlow<()> {
        self.producer.add(Item::Skipped, 0, &[])
    }
}

/// Checks that a range lies in an uncompressed mbox.
fn check_range(file: &mut File, range: &Range<u64>) -> Result<(), String> {
    let length = file.metadata().map_err(|error| reason(&error))?.len();
    if range.end > length {
        return Err(format!("expected a range up to byte {length} at most, found {}", range.end));
    }
    let mut prefix = Vec::new();
    let read = file.take(sniff::PREFIX_BYTES as u64).read_to_end(&mut prefix);
    read.map_err(|error| reason(&error))?;
    match sniff::kind(&prefix) {
        SourceKind::Mbox => Ok(()),
        SourceKind::Empty if range.is_empty() => Ok(()),
        _ => Err("expected an uncompressed mbox".to_owned()),
    }
}

fn source_name(path: &Path) -> Arc<str> {
    Arc::from(path.to_string_lossy())
}

impl HashChain {
    /// `data`: the bytes of the messages of the batch.
    fn add_item(&mut self, item: &Item, source_bytes: u64, data: &[u8]) {
        match item {
            Item::File { source, modified: (seconds, nanoseconds), .. } => {
                let time = [seconds.to_le_bytes(), nanoseconds.to_le_bytes()].concat();
                self.add(source, 0, source_bytes, &time);
            }
            Item::Message { source, offset, range, .. } => {
                let content = data.get(range.clone()).unwrap_or_default();
                self.add(source, *offset, range.len() as u64, content);
            }
            Item::Unread { source, offset, why } => {
                self.add(source, *offset, u64::MAX, why.as_bytes());
            }
            Item::Skipped => self.add("", 0, 0, &[]),
        }
    }
}
