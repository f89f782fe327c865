//! The event journal: one JSON event a line, in segments, limited in bytes and in days.
//!
//! Two streams are in one directory, so that a flood of clean mail never evicts the findings. `events-*.jsonl`
//! gets three quarters of the bytes, `clean-*.jsonl` the rest without the share of recalls ([`recalls`]).
//!
//! The name of a segment holds the second of its first event, or a later second if the clock was set back: names
//! only give the order. A line is one `write` in append mode. The next writer ends a torn line (after a crash or on
//! a full disk), and readers skip it; nothing else is lost. Callers pass the time: the wall clock, which may step,
//! and the uptime of the process, which does not.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::event::Event;
pub use super::query::Query;
use super::time::Timestamp;
use crate::file;
use clock_check::ClockCheck;

pub use reader::{MAX_LINE_BYTES, ReadSummary, read};

/// Segments of a stream. Removing the oldest frees about an eighth.
const SEGMENTS_PER_STREAM: u64 = 8;

/// Longest time that one segment covers: old events are removed by whole segments.
const SEGMENT_SPAN: Duration = Duration::from_secs(86_400);

/// How much the journal may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JournalBounds {
    /// Bytes of all segments together. Default 256 MiB: about half a million findings.
    pub bytes: u64,
    /// Age after which an event is removed. Default 30 days.
    pub age: Duration,
}

impl Default for JournalBounds {
    fn default() -> Self {
        JournalBounds { bytes: 256 << 20, age: Duration::from_secs(30 * 86_400) }
    }
}

/// An error of the journal, and where it happened.
#[derive(Debug, thiserror::Error)]
#[error("journal {}: cannot {doing}: {source}", path.display())]
pub struct JournalError {
    pub path: PathBuf,
    pub doing: &'static str,
    #[source]
    pub source: io::Error,
}

/// Writes the journal. One process writes; any number may read.
#[derive(Debug)]
pub struct EventJournal {
    directory: PathBuf,
    bounds: JournalBounds,
    findings: SegmentStream,
    clean: SegmentStream,
    /// The last check of the clock, by this process or the one before.
    clock_check: Option<ClockCheck>,
}

impl EventJournal {
    /// Opens the journal in this directory, which is made (0750) if it does not exist. Segments are 0640.
    ///
    /// # Errors
    /// The directory cannot be made or read.
    pub fn open(directory: &Path, bounds: JournalBounds) -> Result<EventJournal, JournalError> {
        make(directory)?;
        let share = bounds.bytes / 4;
        let journal = EventJournal {
            directory: directory.to_owned(),
            bounds,
            findings: SegmentStream::new("events", share * 3, WrittenBy::Owner),
            clean: SegmentStream::new(
                "clean",
                share - bounds.bytes / recalls::SHARE_DIVISOR,
                WrittenBy::Owner,
            ),
            clock_check: ClockCheck::read(directory),
        };
        segments(directory, "events")?;
        Ok(journal)
    }

    /// Appends an event. After an error the journal can still be used: the next event tries again.
    ///
    /// # Errors
    /// The segment cannot be opened or written. The event is not recorded.
    pub fn record(&mut self, event: &Event) -> Result<(), JournalError> {
        let stream = if event.is_clean() { &mut self.clean } else { &mut self.findings };
        let mut line = event.to_line().into_bytes();
        line.push(b'\n');
        match stream.append(&self.directory, &line, event.time) {
            // Somebody has removed it before anything was recorded here.
            Err(error) if error.source.kind() == io::ErrorKind::NotFound => {
                make(&self.directory)?;
                stream.append(&self.directory, &line, event.time)
            }
            done => done,
        }
    }

    /// Looks whether the segments that are written to are still in the directory, which is made again if it is
    /// not there. What is recorded after an error goes into a segment that readers find.
    ///
    /// # Errors
    /// A segment was removed, moved or replaced: what was recorded since the last call is lost.
    pub fn look(&mut self) -> Result<(), JournalError> {
        let streams = [&mut self.findings, &mut self.clean];
        let lost = streams.into_iter().filter_map(SegmentStream::take_lost).last();
        match lost {
            None if self.directory.try_exists().is_ok_and(|exists| !exists) => {
                make(&self.directory)
            }
            None => Ok(()),
            Some(path) => {
                make(&self.directory)?;
                let source = io::Error::other("it was removed or replaced; a new one is begun");
                Err(failed(&path, "find it", source))
            }
        }
    }

    /// Flushes what was written to disk.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn sync(&mut self) -> Result<(), JournalError> {
        self.findings.sync()?;
        self.clean.sync()
    }

    /// Removes segments whose last write is too long ago. Call it about hourly; `uptime` is the time since any
    /// fixed moment of this process. After the clock has stepped nothing is removed for a day ([`ClockCheck`]).
    ///
    /// # Errors
    /// The directory cannot be read, a segment cannot be removed, or the clock check cannot be saved.
    pub fn expire(&mut self, now: Timestamp, uptime: Duration) -> Result<(), JournalError> {
        let mut all = segments(&self.directory, self.findings.name)?;
        all.extend(segments(&self.directory, self.clean.name)?);
        all.extend(segments(&self.directory, recalls::NAME)?);
        let check = match self.clock_check {
            Some(last) => last.next(now, uptime),
            None => ClockCheck::first(now, uptime, all.iter().map(|segment| segment.written).max()),
        };
        self.clock_check = Some(check);
        if check.distrust.is_zero() {
            self.remove_old(now, all)?;
        }
        check.write(&self.directory)
    }

    fn remove_old(&self, now: Timestamp, all: Vec<Segment>) -> Result<(), JournalError> {
        let streams = [&self.findings, &self.clean];
        let open: Vec<&Path> = streams
            .iter()
            .filter_map(|stream| Some(stream.open.as_ref()?.path.as_path()))
            .collect();
        let oldest = now.minus(self.bounds.age);
        for segment in all {
            if segment.written > now {
                // It was written while the clock was ahead. From now on it ages like others.
                segment.touch(now)?;
            } else if segment.written < oldest && !open.contains(&segment.path.as_path()) {
                remove(&segment.path)?;
            }
        }
        Ok(())
    }

    /// Bytes of all segments.
    ///
    /// # Errors
    /// The directory cannot be read.
    pub fn size(&self) -> Result<u64, JournalError> {
        let mut bytes = 0;
        for stream in [self.findings.name, self.clean.name, recalls::NAME] {
            bytes += segments(&self.directory, stream)?.iter().map(|s| s.length).sum::<u64>();
        }
        Ok(bytes)
    }
}

#[derive(Debug)]
struct SegmentStream {
    name: &'static str,
    bytes: u64,
    writer: WrittenBy,
    open: Option<OpenSegment>,
}

/// Who writes to a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WrittenBy {
    /// The daemon, which owns the directory.
    Owner,
    /// Root as well. The owner of the directory could put links to other files there.
    Anybody,
}

/// The segment that is written to.
#[derive(Debug)]
struct OpenSegment {
    path: PathBuf,
    file: File,
    /// When this process started to write to it.
    since: Timestamp,
    length: u64,
    /// Whether its last line has no line end.
    torn: bool,
}

impl SegmentStream {
    fn new(name: &'static str, bytes: u64, writer: WrittenBy) -> SegmentStream {
        SegmentStream { name, bytes, writer, open: None }
    }

    fn append(
        &mut self,
        directory: &Path,
        line: &[u8],
        now: Timestamp,
    ) -> Result<(), JournalError> {
        let per_segment = (self.bytes / SEGMENTS_PER_STREAM).max(1);
        let fits = |open: &OpenSegment| {
            let length = open.length.saturating_add(line.len() as u64);
            length <= per_segment && now.apart(open.since) < SEGMENT_SPAN
        };
        let mut open = match self.open.take() {
            Some(open) if fits(&open) => open,
            Some(full) => {
                drop(full);
                let fresh = OpenSegment::create(directory, self.name, now)?;
                self.prune(directory, per_segment)?;
                fresh
            }
            None => OpenSegment::resume(directory, self.name, now)?,
        };
        if self.writer == WrittenBy::Anybody {
            open.refuse_links().map_err(|source| failed(&open.path, "write", source))?;
        }
        let written = open.append(line);
        // Also after an error: its length and its torn end are known.
        self.open = Some(open);
        written
    }

    /// Removes the oldest segments until the rest and a full new one fit.
    fn prune(&self, directory: &Path, per_segment: u64) -> Result<(), JournalError> {
        let all = segments(directory, self.name)?;
        let mut total: u64 = all.iter().map(|segment| segment.length).sum();
        let keep = self.bytes.saturating_sub(per_segment);
        for segment in all.iter().take(all.len().saturating_sub(1)) {
            if total <= keep {
                break;
            }
            remove(&segment.path)?;
            total -= segment.length;
        }
        Ok(())
    }

    /// Closes the open segment if its path leads to another file or to none; returns the path then.
    fn take_lost(&mut self) -> Option<PathBuf> {
        let open = self.open.take()?;
        if open.is_in_place() {
            self.open = Some(open);
            return None;
        }
        Some(open.path)
    }

    fn sync(&mut self) -> Result<(), JournalError> {
        match &self.open {
            Some(open) => open
                .file
                .sync_data()
                .map_err(|source| failed(&open.path, "flush it to disk", source)),
            None => Ok(()),
        }
    }
}

impl OpenSegment {
    /// The newest segment; a new one if there is none.
    fn resume(directory: &Path, stream: &str, now: Timestamp) -> Result<OpenSegment, JournalError> {
        match segments(directory, stream)?.pop() {
            Some(newest) => OpenSegment::at(newest.path, now),
            None => OpenSegment::create(directory, stream, now),
        }
    }

    /// A new segment, named by the clock. If the clock was set back, its name follows that of the newest one.
    fn create(directory: &Path, stream: &str, now: Timestamp) -> Result<OpenSegment, JournalError> {
        let newest = segments(directory, stream)?.pop().map(|newest| newest.start);
        let start = newest.map_or(now.seconds(), |newest| now.seconds().max(newest + 1));
        OpenSegment::at(directory.join(format!("{stream}-{start:012}.jsonl")), now)
    }

    fn at(path: PathBuf, since: Timestamp) -> Result<OpenSegment, JournalError> {
        let opened =
            OpenOptions::new().read(true).append(true).create(true).mode(0o640).open(&path);
        let mut file = opened.map_err(|source| failed(&path, "open it", source))?;
        let length = inspect(&mut file).map_err(|source| failed(&path, "read it", source))?;
        let (length, torn) = length;
        Ok(OpenSegment { path, file, since, length, torn })
    }

    /// Whether the path still leads to this file.
    fn is_in_place(&self) -> bool {
        match (self.file.metadata(), fs::metadata(&self.path)) {
            (Ok(file), Ok(here)) => file::is_same(&file, &here),
            (_, Err(error)) => {
                !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
            }
            (Err(_), _) => true,
        }
    }

    /// Refuses a file that has a second name (hard link) or was reached through a symbolic link.
    fn refuse_links(&self) -> io::Result<()> {
        let file = self.file.metadata()?;
        let here = fs::symlink_metadata(&self.path)?;
        match here.is_file() && here.ino() == file.ino() && file.nlink() == 1 {
            true => Ok(()),
            false => Err(io::Error::other("expected a file with no other name, and no link")),
        }
    }

    fn append(&mut self, line: &[u8]) -> Result<(), JournalError> {
        let with_end: Vec<u8>;
        let line = if self.torn {
            with_end = [b"\n", line].concat();
            with_end.as_slice()
        } else {
            line
        };
        match self.file.write(line) {
            Ok(written) if written == line.len() => {
                self.length += written as u64;
                self.torn = false;
                Ok(())
            }
            Ok(written) => {
                self.length += written as u64;
                self.torn = true;
                let full = io::Error::from(io::ErrorKind::StorageFull);
                Err(failed(&self.path, "write a whole line", full))
            }
            Err(source) => Err(failed(&self.path, "write", source)),
        }
    }
}

/// The length of a segment and whether its last line is torn. Sets its mode to 0640, whatever the umask.
fn inspect(file: &mut File) -> io::Result<(u64, bool)> {
    let metadata = file.metadata()?;
    if metadata.permissions().mode() & 0o777 != 0o640 {
        file.set_permissions(Permissions::from_mode(0o640))?;
    }
    if metadata.len() == 0 {
        return Ok((0, false));
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok((metadata.len(), last != *b"\n"))
}

struct Segment {
    path: PathBuf,
    /// Seconds since 1970 of its first event, or a later one.
    start: u64,
    length: u64,
    /// Time of the last write.
    written: Timestamp,
}

impl Segment {
    fn touch(&self, now: Timestamp) -> Result<(), JournalError> {
        let file = OpenOptions::new().append(true).open(&self.path);
        let touched = file.and_then(|file| file.set_modified(now.into()));
        touched.map_err(|source| failed(&self.path, "set its time", source))
    }
}

/// Whether a directory has something of a journal in it.
///
/// # Errors
/// It cannot be listed.
pub fn is_journal(directory: &Path) -> Result<bool, JournalError> {
    for stream in ["events", "clean", recalls::NAME] {
        if !segments(directory, stream)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(directory.join(clock_check::FILE).exists())
}

/// The segments of a stream, oldest first. Other files in the directory are ignored.
fn segments(directory: &Path, stream: &str) -> Result<Vec<Segment>, JournalError> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(failed(directory, "list the directory", source)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|source| failed(directory, "list the directory", source))?;
        let name = entry.file_name();
        let start = name
            .to_str()
            .and_then(|name| name.strip_prefix(stream)?.strip_prefix('-')?.strip_suffix(".jsonl"))
            .and_then(|digits| digits.parse().ok());
        if let (Some(start), Ok(metadata)) = (start, entry.metadata()) {
            let written = metadata.modified().map(Timestamp::of).unwrap_or_default();
            found.push(Segment { path: entry.path(), start, length: metadata.len(), written });
        }
    }
    found.sort_by_key(|segment| segment.start);
    Ok(found)
}

/// Makes the directory (0750) and those above it (0711, as the package does) if they do not exist.
fn make(directory: &Path) -> Result<(), JournalError> {
    let make =
        |directory: &Path, mode| DirBuilder::new().recursive(true).mode(mode).create(directory);
    directory
        .parent()
        .map_or(Ok(()), |above| make(above, 0o711))
        .and_then(|()| make(directory, 0o750))
        .map_err(|source| failed(directory, "make the directory", source))
}

fn remove(path: &Path) -> Result<(), JournalError> {
    file::remove(path).map_err(|source| failed(path, "remove it", source))
}

fn failed(path: &Path, doing: &'static str, source: io::Error) -> JournalError {
    JournalError { path: path.to_owned(), doing, source }
}

mod clock_check;
mod reader;
pub mod recalls;
#[cfg(test)]
mod tests;
