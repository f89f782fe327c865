//! The resume journal: how far a scan has come, so that an interrupted one goes on.
//!
//! A journal names batches, not times: the sources are walked again, and a chain of hashes over
//! every path, offset and size tells whether they are still the same.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::engine::splice::hex;
use crate::file;
use crate::record::tally::Tally;

use super::Error;

/// Version of the file's form.
const SCHEMA: u32 = 1;
/// Bytes of a journal at most. Its counts are bounded (`record::tally`): the largest has some 20 MB.
const MAX_BYTES: u64 = 256 << 20;
/// Between two writes at least this long, and this many times what the last one took.
const PAUSE: Duration = Duration::from_millis(500);
const PAUSE_FACTOR: u32 = 20;

/// How far a scan has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Batches whose records are written.
    pub batches: u64,
    /// Over all that they hold.
    pub chain: Chain,
}

/// A hash over everything met so far, in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Chain([u8; 32]);

impl Chain {
    /// Adds an entry: source, offset and size in bytes.
    pub fn add(&mut self, source: &str, offset: u64, size: u64) {
        let mut hash = Sha256::new();
        hash.update(self.0);
        hash.update(offset.to_le_bytes());
        hash.update(size.to_le_bytes());
        hash.update(source.as_bytes());
        self.0 = hash.finalize().into();
    }

    fn hex(&self) -> String {
        hex(&self.0)
    }

    fn from_hex(hex: &str) -> Option<Chain> {
        let mut bytes = [0; 32];
        if hex.len() != 64 {
            return None;
        }
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(hex.get(2 * index..2 * index + 2)?, 16).ok()?;
        }
        Some(Chain(bytes))
    }
}

/// The file.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    schema: u32,
    /// The command that the journal belongs to.
    command: String,
    batches: u64,
    chain: String,
    /// Bytes of output that belong to them.
    written: u64,
    tally: Tally,
}

/// The resume journal of one scan.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    state: State,
    chain: Chain,
    saved: Instant,
    pause: Duration,
}

impl Journal {
    /// Opens the journal at `path`, or begins one. `command` must be what it was begun with.
    pub fn open(path: &Path, command: &str) -> Result<Journal, Error> {
        let state = match file::read(path, MAX_BYTES) {
            Ok(bytes) => read(path, &bytes, command)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => State {
                schema: SCHEMA,
                command: command.to_owned(),
                batches: 0,
                chain: Chain::default().hex(),
                written: 0,
                tally: Tally::default(),
            },
            Err(error) => return Err(failed(path, error.to_string())),
        };
        let chain = Chain::from_hex(&state.chain)
            .ok_or_else(|| failed(path, "a broken hash".to_owned()))?;
        Ok(Journal {
            path: path.to_owned(),
            state,
            chain,
            saved: Instant::now(),
            pause: Duration::ZERO,
        })
    }

    pub fn position(&self) -> Position {
        Position { batches: self.state.batches, chain: self.chain }
    }

    /// Bytes of output that the earlier run vouches for; what stands behind them is written anew.
    pub fn written(&self) -> u64 {
        self.state.written
    }

    /// The counts of the earlier run.
    pub fn tally(&self) -> Tally {
        self.state.tally.clone()
    }

    /// So many bytes more are written.
    pub fn wrote(&mut self, bytes: usize) {
        self.state.written += bytes as u64;
    }

    /// So many batches are written in all. Saved now and then.
    pub fn advance(&mut self, batches: u64, chain: Chain, tally: &Tally) -> Result<(), Error> {
        self.state.batches = batches;
        self.chain = chain;
        if self.saved.elapsed() < self.pause {
            return Ok(());
        }
        let begin = Instant::now();
        self.store(tally)?;
        self.saved = Instant::now();
        self.pause = PAUSE.max(begin.elapsed() * PAUSE_FACTOR);
        Ok(())
    }

    /// Saves where the scan was interrupted.
    pub fn save(mut self, tally: &Tally) -> Result<(), Error> {
        self.store(tally)
    }

    /// The scan is whole: nothing to resume.
    pub fn remove(self) -> Result<(), Error> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.error(&error)),
            _ => Ok(()),
        }
    }

    /// Where a journal is written before it takes its name.
    pub fn beside(path: &Path) -> PathBuf {
        let mut beside = path.to_owned().into_os_string();
        beside.push(".new");
        beside.into()
    }

    /// Writes beside and renames, so that a kill leaves the old journal or the new one.
    fn store(&mut self, tally: &Tally) -> Result<(), Error> {
        self.state.chain = self.chain.hex();
        self.state.tally.clone_from(tally);
        let bytes = serde_json::to_vec(&self.state)
            .map_err(|error| failed(&self.path, error.to_string()))?;
        let beside = Journal::beside(&self.path);
        fs::write(&beside, bytes).map_err(|error| self.error(&error))?;
        fs::rename(&beside, &self.path).map_err(|error| self.error(&error))
    }

    fn error(&self, error: &io::Error) -> Error {
        failed(&self.path, error.to_string())
    }
}

fn failed(path: &Path, why: String) -> Error {
    Error::Journal { path: path.to_owned(), why }
}

fn read(path: &Path, bytes: &[u8], command: &str) -> Result<State, Error> {
    let wrong = |why| failed(path, why);
    let state: State = serde_json::from_slice(bytes).map_err(|error| wrong(error.to_string()))?;
    if state.schema != SCHEMA {
        return Err(wrong(format!("expected schema {SCHEMA}, found {}", state.schema)));
    }
    if state.command != command {
        return Err(wrong(format!("it belongs to another command: {}", state.command)));
    }
    Ok(state)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let mut chain = Chain::default();
        chain.add("a", 1, 2);
        let mut journal = Journal::open(&path, "scan a").unwrap();
        journal.wrote(10);
        let tally = Tally { messages: 3, ..Tally::default() };
        journal.advance(1, chain, &tally).unwrap();
        let again = Journal::open(&path, "scan a").unwrap();
        assert_eq!(again.position(), Position { batches: 1, chain });
        assert_eq!((again.written(), again.tally()), (10, tally));
        assert!(Journal::open(&path, "scan b").is_err());
        again.remove().unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn a_broken_journal_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        fs::write(&path, "{").unwrap();
        let error = Journal::open(&path, "x").unwrap_err().to_string();
        assert!(error.contains("journal"), "{error}");
    }

    #[test]
    fn what_never_ends_is_no_journal() {
        let error = Journal::open(Path::new("/dev/zero"), "x").unwrap_err().to_string();
        assert!(error.contains("/dev/zero") && error.contains("a device"), "{error}");
    }

    #[test]
    fn the_chain_depends_on_order_and_size() {
        let chain = |entries: &[(&str, u64)]| {
            let mut chain = Chain::default();
            entries.iter().for_each(|(name, size)| chain.add(name, 0, *size));
            chain
        };
        assert_ne!(chain(&[("a", 1), ("b", 1)]), chain(&[("b", 1), ("a", 1)]));
        assert_ne!(chain(&[("a", 1)]), chain(&[("a", 2)]));
        assert_eq!(Chain::from_hex(&chain(&[("a", 1)]).hex()), Some(chain(&[("a", 1)])));
    }
}
