//! The resume journal: the progress of a scan, so that an interrupted one can continue.
//!
//! A journal counts batches. When a scan is resumed, the sources are listed and split again, and a hash
//! chain over all that was scanned shows whether it is still the same: the content of every message
//! that the producer has read, and path, size and time of every file that a worker read. What a source
//! has grown by since is read on.
//!
//! One scan at a time works with a journal: it holds a lock on the file.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::engine::hex;
use crate::file;
use crate::record::tally::Tally;

use super::Error;

/// Version of the file format.
const SCHEMA_VERSION: u32 = 2;
/// Size limit of a journal in bytes. Its counts are bounded (`record::tally`): the largest one has
/// some 20 MB.
const MAX_BYTES: u64 = 256 << 20;
/// Minimum time between two writes: this long, and this many times what the last write took.
const MIN_SAVE_INTERVAL: Duration = Duration::from_millis(500);
const SAVE_TIME_FACTOR: u32 = 20;
/// Places on the way, half as many at least in a long scan, where the hash chain is kept: between two of
/// them a change is found, and named.
const MARKS: u64 = 256;

/// Whether all inputs were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    Complete,
    Interrupted,
}

/// The progress of a scan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Batches whose output is written.
    pub batches: u64,
    /// The hash chain over their entries.
    pub chain: HashChain,
}

/// A hash over all entries so far, in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HashChain([u8; 32]);

impl HashChain {
    /// Adds an entry: source, offset, size in bytes, and what else must be the same.
    pub fn add(&mut self, source: &str, offset: u64, size: u64, content: &[u8]) {
        let mut hash = Sha256::new();
        hash.update(self.0);
        hash.update(offset.to_le_bytes());
        hash.update(size.to_le_bytes());
        hash.update((source.len() as u64).to_le_bytes());
        hash.update(source.as_bytes());
        hash.update(content);
        self.0 = hash.finalize().into();
    }

    fn hex(&self) -> String {
        hex::encode(&self.0)
    }

    fn from_hex(digits: &str) -> Option<HashChain> {
        hex::decode(digits.as_bytes())?.try_into().ok().map(HashChain)
    }
}

/// The content of the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct JournalContent {
    schema: u32,
    /// What the journal belongs to: a line for each option.
    command: String,
    batches: u64,
    chain: String,
    /// The chain after these numbers of batches.
    marks: Vec<(u64, String)>,
    /// Bytes of output of these batches.
    written: u64,
    /// Whether these were all batches. Then the output may be in its place.
    #[serde(default)]
    complete: bool,
    tally: Tally,
}

impl JournalContent {
    fn to_bytes(&self, path: &Path) -> Result<Vec<u8>, Error> {
        serde_json::to_vec(self).map_err(|error| failed(path, error.to_string()))
    }
}

/// The resume journal of one scan.
#[derive(Debug)]
pub struct ScanJournal {
    path: PathBuf,
    /// The file at `path`, locked.
    file: File,
    state: JournalContent,
    chain: HashChain,
    last_saved: Instant,
    save_interval: Duration,
}

impl ScanJournal {
    /// Opens the journal at `path`, or starts a new one. `command` must be the one that it was
    /// started with.
    pub fn open(path: &Path, command: &str) -> Result<ScanJournal, Error> {
        let io_failed = |error: io::Error| failed(path, file::reason(&error));
        let fresh = JournalContent {
            schema: SCHEMA_VERSION,
            command: command.to_owned(),
            batches: 0,
            chain: HashChain::default().hex(),
            marks: Vec::new(),
            written: 0,
            complete: false,
            tally: Tally::default(),
        };
        let file = open_locked(path, &fresh.to_bytes(path)?).map_err(io_failed)?;
        let state = read(path, &file::read_open(&file, MAX_BYTES).map_err(io_failed)?, command)?;
        let chain = HashChain::from_hex(&state.chain)
            .ok_or_else(|| failed(path, "an invalid hash".to_owned()))?;
        let mut journal = ScanJournal {
            path: path.to_owned(),
            file,
            state,
            chain,
            last_saved: Instant::now(),
            save_interval: Duration::ZERO,
        };
        // A place that cannot be written to is said before anything is scanned.
        let tally = journal.tally();
        journal.store(&tally)?;
        Ok(journal)
    }

    pub fn position(&self) -> Position {
        Position { batches: self.state.batches, chain: self.chain }
    }

    /// Positions on the way to this one, which is the last of them.
    pub fn marks(&self) -> Vec<Position> {
        let earlier = self.state.marks.iter().filter(|(batches, _)| *batches < self.state.batches);
        let earlier = earlier.filter_map(|(batches, chain)| {
            Some(Position { batches: *batches, chain: HashChain::from_hex(chain)? })
        });
        earlier.chain([self.position()]).collect()
    }

    /// Bytes of output that the earlier run has completed. What follows them is written again.
    pub fn written(&self) -> u64 {
        self.state.written
    }

    /// The counts of the earlier run.
    pub fn tally(&self) -> Tally {
        self.state.tally.clone()
    }

    /// Whether the earlier run has scanned everything. Its output may be in its place, or not yet.
    pub fn is_complete(&self) -> bool {
        self.state.complete
    }

    /// Counts bytes of output that were written.
    pub fn add_written(&mut self, bytes: usize) {
        self.state.written += bytes as u64;
    }

    /// Records that this many batches are written in total. Saves the journal from time to time.
    pub fn advance(&mut self, batches: u64, chain: HashChain, tally: &Tally) -> Result<(), Error> {
        self.state.batches = batches;
        self.chain = chain;
        self.mark();
        if self.last_saved.elapsed() < self.save_interval {
            return Ok(());
        }
        let begin = Instant::now();
        self.store(tally)?;
        self.last_saved = Instant::now();
        self.save_interval = MIN_SAVE_INTERVAL.max(begin.elapsed() * SAVE_TIME_FACTOR);
        Ok(())
    }

    /// Marks the position, if it is the turn of one: the longer the scan, the farther apart.
    fn mark(&mut self) {
        let Position { batches, chain } = self.position();
        let step = (batches / MARKS + 1).next_power_of_two();
        if batches.is_multiple_of(step) {
            self.state.marks.push((batches, chain.hex()));
        }
        if self.state.marks.len() as u64 > MARKS {
            self.state.marks.retain(|(batches, _)| batches.is_multiple_of(step));
        }
    }

    /// Saves the journal of a scan that has ended.
    pub fn save(&mut self, tally: &Tally, completion: Completion) -> Result<(), Error> {
        self.state.complete = completion == Completion::Complete;
        self.store(tally)
    }

    /// Removes the journal of a complete scan, when its output is in its place: a crash before then
    /// costs nothing.
    pub fn remove(self) -> Result<(), Error> {
        file::remove(&self.path).map_err(|error| self.error(&error))
    }

    /// The temporary file of a journal. It has one name, by which a scan knows the file that an
    /// interrupted one left: so no [`AtomicFile`](crate::atomic_file::AtomicFile), whose files are
    /// named by process. Nor is it synced: a journal that a power cut takes costs a new scan.
    pub fn temp_path(path: &Path) -> PathBuf {
        let mut temp_path = path.to_owned().into_os_string();
        temp_path.push(".new");
        temp_path.into()
    }

    fn store(&mut self, tally: &Tally) -> Result<(), Error> {
        self.state.chain = self.chain.hex();
        self.state.tally.clone_from(tally);
        let bytes = self.state.to_bytes(&self.path)?;
        self.file = replace(&self.path, &bytes).map_err(|error| self.error(&error))?;
        Ok(())
    }

    fn error(&self, error: &io::Error) -> Error {
        failed(&self.path, file::reason(error))
    }
}

/// Opens a journal and locks it. Where none is, a fresh one is put first.
fn open_locked(path: &Path, fresh: &[u8]) -> io::Result<File> {
    loop {
        let file = match file::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let temp = open_temp(path)?;
                // Another scan may have put its own just before this was locked.
                if !path.exists() {
                    put(path, temp, fresh)?;
                }
                continue;
            }
            opened => opened?,
        };
        lock(&file)?;
        // The same holds here: what was locked may have no name any more.
        let (locked, named) = (file.metadata()?, fs::metadata(path));
        if named.is_ok_and(|named| file::is_same(&named, &locked)) {
            return Ok(file);
        }
    }
}

/// Replaces a journal whose lock is held. A crash leaves the old one or the new one. The new one is
/// locked before it has the name.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<File> {
    put(path, open_temp(path)?, bytes)
}

fn put(path: &Path, mut temp: File, bytes: &[u8]) -> io::Result<File> {
    let temp_path = ScanJournal::temp_path(path);
    let written = temp.set_len(0).and_then(|()| temp.write_all(bytes));
    match written.and_then(|()| fs::rename(&temp_path, path)) {
        Ok(()) => Ok(temp),
        Err(error) => {
            // Its lock is held, so it is nobody else's.
            let _ = fs::remove_file(&temp_path);
            Err(error)
        }
    }
}

fn open_temp(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let temp =
        options.write(true).create(true).truncate(false).open(ScanJournal::temp_path(path))?;
    lock(&temp)?;
    Ok(temp)
}

/// A file system without locks does not lock.
fn lock(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(io::Error::other(
            "another scan is working with it: wait for its end, or name another journal",
        )),
        Err(TryLockError::Error(_)) | Ok(()) => Ok(()),
    }
}

fn failed(path: &Path, why: String) -> Error {
    Error::Journal { path: path.to_owned(), why }
}

fn read(path: &Path, bytes: &[u8], command: &str) -> Result<JournalContent, Error> {
    let invalid = |why| failed(path, why);
    let state: JournalContent = serde_json::from_slice(bytes).map_err(|error| {
        let found = if bytes.is_empty() { "an empty file".to_owned() } else { error.to_string() };
        invalid(format!("expected the journal of a scan that was interrupted, found {found}"))
    })?;
    if state.schema != SCHEMA_VERSION {
        return Err(invalid(format!("expected schema {SCHEMA_VERSION}, found {}", state.schema)));
    }
    if state.command != command {
        return Err(invalid(format!(
            "it belongs to a scan with other options: {}; without this journal the scan begins anew",
            differing(&state.command, command)
        )));
    }
    Ok(state)
}

/// The first line in which two commands differ.
fn differing(theirs: &str, ours: &str) -> String {
    let pairs = theirs.lines().zip(ours.lines());
    let first = pairs.into_iter().find(|(theirs, ours)| theirs != ours);
    first.map_or_else(
        || "expected those of the same version".to_owned(),
        |(theirs, ours)| {
            format!("expected {}, found {}", theirs.escape_debug(), ours.escape_debug())
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_can_be_resumed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let mut chain = HashChain::default();
        chain.add("a", 1, 2, b"");
        let mut journal = ScanJournal::open(&path, "scan a").unwrap();
        journal.add_written(10);
        let tally = Tally { messages: 3, ..Tally::default() };
        journal.advance(1, chain, &tally).unwrap();
        let locked = ScanJournal::open(&path, "scan a").unwrap_err().to_string();
        assert!(locked.contains("another scan is working with it"), "{locked}");
        drop(journal);
        let again = ScanJournal::open(&path, "scan a").unwrap();
        assert_eq!(again.position(), Position { batches: 1, chain });
        assert_eq!((again.written(), again.tally()), (10, tally));
        drop(again);
        let other = ScanJournal::open(&path, "scan b").unwrap_err().to_string();
        assert!(other.contains("expected scan a, found scan b"), "{other}");
        let mut done = ScanJournal::open(&path, "scan a").unwrap();
        assert!(!done.is_complete());
        done.save(&Tally::default(), Completion::Complete).unwrap();
        drop(done);
        let done = ScanJournal::open(&path, "scan a").unwrap();
        assert!(done.is_complete());
        done.remove().unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn marks_are_few_and_lead_to_the_position() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = ScanJournal::open(&folder.path().join("journal"), "x").unwrap();
        for batches in 1..=10 * MARKS + 3 {
            let mut chain = HashChain::default();
            chain.add("", batches, 0, b"");
            journal.advance(batches, chain, &Tally::default()).unwrap();
            let marks = journal.marks();
            assert!(marks.len() as u64 <= MARKS + 1, "{batches}: {}", marks.len());
            assert!(marks.is_sorted_by(|one, other| one.batches < other.batches));
            assert_eq!(marks.last(), Some(&journal.position()));
            assert!(batches < MARKS || marks.len() as u64 >= MARKS / 2 - 1, "{batches}");
        }
    }

    #[test]
    fn a_broken_journal_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        for (bytes, found) in [("{", "EOF while parsing"), ("", "found an empty file")] {
            fs::write(&path, bytes).unwrap();
            let error = ScanJournal::open(&path, "x").unwrap_err().to_string();
            assert!(
                error.contains("expected the journal of a scan") && error.contains(found),
                "{error}"
            );
        }
        let nowhere = folder.path().join("nowhere/journal");
        assert!(ScanJournal::open(&nowhere, "x").is_err());
    }

    #[test]
    fn an_endless_file_is_no_journal() {
        let error = ScanJournal::open(Path::new("/dev/zero"), "x").unwrap_err().to_string();
        assert!(error.contains("/dev/zero") && error.contains("a device"), "{error}");
    }

    #[test]
    fn the_chain_depends_on_order_size_and_content() {
        let chain = |entries: &[(&str, u64)]| {
            let mut chain = HashChain::default();
            entries.iter().for_each(|(name, size)| chain.add(name, 0, *size, b"content"));
            chain
        };
        let mut changed = HashChain::default();
        changed.add("a", 0, 1, b"CONTENT");
        assert_ne!(chain(&[("a", 1)]), changed);
        assert_ne!(chain(&[("a", 1), ("b", 1)]), chain(&[("b", 1), ("a", 1)]));
        assert_ne!(chain(&[("a", 1)]), chain(&[("a", 2)]));
        assert_eq!(HashChain::from_hex(&chain(&[("a", 1)]).hex()), Some(chain(&[("a", 1)])));
    }
}
