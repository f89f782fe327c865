//! The event journal: one JSON event a line, in segments, bounded in bytes and in days.
//!
//! Two streams stand side by side in one directory, so that a flood of clean mail never pushes
//! out the findings: `events-*.jsonl` gets three quarters of the bytes, `clean-*.jsonl` the rest but for
//! what a recall writes ([`recalls`]).
//! A segment's name carries the second of its first event, or a later one where the clock went
//! back: names only order. A line is one `write` in append mode; a torn line (crash, full disk) is
//! closed by the next writer and skipped by readers, and nothing else is lost. Time is handed in:
//! the clock of the wall, which may step, and the time that passed, which does not.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::SCHEMA_VERSION;
use super::event::Event;
pub use super::query::Query;
use super::query::Wanted;
use super::time::Timestamp;
use crate::file;
use look::Look;

/// Longest line a reader accepts, in bytes; [`Event`] stays below by its own bounds.
pub const LINE_BYTES: u64 = 128 << 10;

/// A stream is cut into this many segments, so that dropping the oldest frees about an eighth.
const SEGMENTS: u64 = 8;

/// A segment is closed after a day as well: age is judged by whole segments.
const SEGMENT_SPAN: Duration = Duration::from_secs(86_400);

/// How much is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Bytes of all segments together. Default 256 MiB: about half a million findings.
    pub bytes: u64,
    /// Age after which an event is removed. Default 30 days.
    pub age: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds { bytes: 256 << 20, age: Duration::from_secs(30 * 86_400) }
    }
}

/// What went wrong with the journal, and where.
#[derive(Debug, thiserror::Error)]
#[error("journal {}: cannot {doing}: {source}", path.display())]
pub struct JournalError {
    pub path: PathBuf,
    pub doing: &'static str,
    #[source]
    pub source: io::Error,
}

/// The writing end. One process writes; any number read.
#[derive(Debug)]
pub struct Journal {
    directory: PathBuf,
    bounds: Bounds,
    findings: Stream,
    clean: Stream,
    /// The last look at ages, of this process or of the one before.
    looked: Option<Look>,
}

impl Journal {
    /// Opens the journal in this directory, which is made (0750) when absent. Segments are 0640.
    ///
    /// # Errors
    /// When the directory cannot be made or read.
    pub fn open(directory: &Path, bounds: Bounds) -> Result<Journal, JournalError> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o750)
            .create(directory)
            .map_err(|source| failed(directory, "make the directory", source))?;
        let share = bounds.bytes / 4;
        let journal = Journal {
            directory: directory.to_owned(),
            bounds,
            findings: Stream::new("events", share * 3, Writer::Owner),
            clean: Stream::new("clean", share - bounds.bytes / recalls::SHARE, Writer::Owner),
            looked: Look::read(directory),
        };
        segments(directory, "events")?;
        Ok(journal)
    }

    /// Appends an event. After an error the journal is still usable: the next event tries anew.
    ///
    /// # Errors
    /// When the segment cannot be opened or written: the event is not kept.
    pub fn record(&mut self, event: &Event) -> Result<(), JournalError> {
        let stream = if event.is_clean() { &mut self.clean } else { &mut self.findings };
        let mut line = event.to_line().into_bytes();
        line.push(b'\n');
        stream.append(&self.directory, &line, event.time)
    }

    /// Brings what was written to the disk.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn sync(&mut self) -> Result<(), JournalError> {
        self.findings.sync()?;
        self.clean.sync()
    }

    /// Removes segments that were written to last too long ago. Call it about hourly; `passed` is
    /// the time since any fixed moment of this process. A clock that stepped is not believed for a
    /// day ([`Look`]).
    ///
    /// # Errors
    /// When the directory cannot be read, a segment cannot be removed or the look not be kept.
    pub fn expire(&mut self, now: Timestamp, passed: Duration) -> Result<(), JournalError> {
        let mut all = segments(&self.directory, self.findings.name)?;
        all.extend(segments(&self.directory, self.clean.name)?);
        all.extend(segments(&self.directory, recalls::NAME)?);
        let look = match self.looked {
            Some(last) => last.then(now, passed),
            None => Look::first(now, passed, all.iter().map(|segment| segment.written).max()),
        };
        self.looked = Some(look);
        if look.doubt.is_zero() {
            self.remove_old(now, all)?;
        }
        look.write(&self.directory)
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
                // Written under a clock that had run ahead: from now on it ages as others do.
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
    /// When the directory cannot be read.
    pub fn size(&self) -> Result<u64, JournalError> {
        let mut bytes = 0;
        for stream in [self.findings.name, self.clean.name, recalls::NAME] {
            bytes += segments(&self.directory, stream)?.iter().map(|s| s.length).sum::<u64>();
        }
        Ok(bytes)
    }
}

/// One stream of segments.
#[derive(Debug)]
struct Stream {
    name: &'static str,
    bytes: u64,
    writer: Writer,
    open: Option<Open>,
}

/// Who writes to a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writer {
    /// The daemon, to whom the directory belongs.
    Owner,
    /// Root as well, where the owner can put links to other files.
    Anybody,
}

/// The segment that is written to.
#[derive(Debug)]
struct Open {
    path: PathBuf,
    file: File,
    /// The clock when this process began to write to it.
    since: Timestamp,
    length: u64,
    /// The last write did not end with a line end.
    torn: bool,
}

impl Stream {
    fn new(name: &'static str, bytes: u64, writer: Writer) -> Stream {
        Stream { name, bytes, writer, open: None }
    }

    fn append(
        &mut self,
        directory: &Path,
        line: &[u8],
        now: Timestamp,
    ) -> Result<(), JournalError> {
        let per_segment = (self.bytes / SEGMENTS).max(1);
        let fits = |open: &Open| {
            let length = open.length.saturating_add(line.len() as u64);
            length <= per_segment && now.apart(open.since) < SEGMENT_SPAN
        };
        let mut open = match self.open.take() {
            Some(open) if fits(&open) => open,
            Some(full) => {
                drop(full);
                let fresh = Open::create(directory, self.name, now)?;
                self.prune(directory, per_segment)?;
                fresh
            }
            None => Open::resume(directory, self.name, now)?,
        };
        if self.writer == Writer::Anybody {
            open.is_alone().map_err(|source| failed(&open.path, "write", source))?;
        }
        let written = open.append(line);
        // Kept after an error as well: its length and its torn end are known.
        self.open = Some(open);
        written
    }

    /// Drops the oldest segments until the rest and a full new one fit.
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

    fn sync(&mut self) -> Result<(), JournalError> {
        match &self.open {
            Some(open) => open
                .file
                .sync_data()
                .map_err(|source| failed(&open.path, "bring it to the disk", source)),
            None => Ok(()),
        }
    }
}

impl Open {
    /// The newest segment, with a torn last line closed; a new one when there is none.
    fn resume(directory: &Path, stream: &str, now: Timestamp) -> Result<Open, JournalError> {
        match segments(directory, stream)?.pop() {
            Some(newest) => Open::at(newest.path, now),
            None => Open::create(directory, stream, now),
        }
    }

    /// A new segment, named after the clock; after the newest one when the clock went back.
    fn create(directory: &Path, stream: &str, now: Timestamp) -> Result<Open, JournalError> {
        let newest = segments(directory, stream)?.pop().map(|newest| newest.start);
        let start = newest.map_or(now.seconds(), |newest| now.seconds().max(newest + 1));
        Open::at(directory.join(format!("{stream}-{start:012}.jsonl")), now)
    }

    fn at(path: PathBuf, since: Timestamp) -> Result<Open, JournalError> {
        let opened =
            OpenOptions::new().read(true).append(true).create(true).mode(0o640).open(&path);
        let mut file = opened.map_err(|source| failed(&path, "open it", source))?;
        let length = inspect(&mut file).map_err(|source| failed(&path, "read it", source))?;
        let (length, torn) = length;
        Ok(Open { path, file, since, length, torn })
    }

    /// Refuses a file that has another name, and what a symbolic link led to.
    fn is_alone(&self) -> io::Result<()> {
        let file = self.file.metadata()?;
        let here = fs::symlink_metadata(&self.path)?;
        match here.is_file() && here.ino() == file.ino() && file.nlink() == 1 {
            true => Ok(()),
            false => Err(io::Error::other("expected a file with no other name, and no link")),
        }
    }

    fn append(&mut self, line: &[u8]) -> Result<(), JournalError> {
        let closed: Vec<u8>;
        let line = if self.torn {
            closed = [b"\n", line].concat();
            closed.as_slice()
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

/// The length of a segment and whether its last line is torn. Its mode becomes 0640, whatever
/// the umask said.
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

/// What a reader found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Lines that are no event: torn, damaged, or longer than [`LINE_BYTES`].
    pub damaged: u64,
    /// Events of a newer schema than this program's.
    pub newer: u64,
    /// The oldest event of either stream, however old: how far back the journal reaches.
    pub oldest_finding: Option<Timestamp>,
    pub oldest_clean: Option<Timestamp>,
    /// Events with more hosts or recipient domains than are kept, what was asked for not among
    /// those that are.
    pub omitting: u64,
}

impl Reading {
    /// What to say when more may be there than was found.
    pub fn omitted(&self) -> Option<String> {
        (self.omitting > 0).then(|| {
            format!(
                "{} messages had more hosts or recipient domains than are kept of one: what was looked \
                 for may have been among them",
                self.omitting
            )
        })
    }

    /// What to say when nothing was found: the words, and how far back the journal reaches.
    pub fn nothing(&self, what: &str, journal: &Path) -> String {
        let journal = journal.display();
        match [self.oldest_finding, self.oldest_clean].into_iter().flatten().min() {
            Some(oldest) => {
                format!("{what} in the journal {journal}, which reaches back to {oldest}")
            }
            None => format!("the journal {journal} is empty"),
        }
    }
}

/// Hands every event that is wanted to `take`, findings before clean mail, each in the order of
/// writing. A directory that is not there reads as an empty journal.
///
/// # Errors
/// When the directory or a segment is there but cannot be read.
pub fn read(
    directory: &Path,
    query: Query<'_>,
    mut take: impl FnMut(Event),
) -> Result<Reading, JournalError> {
    let mut reading = Reading::default();
    for stream in ["events", "clean"] {
        let all = segments(directory, stream)?;
        let oldest = all.first().map(|segment| Timestamp(segment.start.saturating_mul(1_000)));
        match stream {
            "events" => reading.oldest_finding = oldest,
            _ => reading.oldest_clean = oldest,
        }
        each_line(all, |line| match line {
            Line::Whole(line) if !query.may_want(&line) => {}
            Line::Whole(line) => match serde_json::from_slice::<Event>(&line) {
                Ok(event) if event.v > SCHEMA_VERSION => reading.newer += 1,
                Ok(event) => match query.wants(&event) {
                    Wanted::Yes => take(event),
                    Wanted::Perhaps => reading.omitting += 1,
                    Wanted::No => {}
                },
                Err(_) => reading.damaged += 1,
            },
            Line::TooLong => reading.damaged += 1,
        })?;
    }
    Ok(reading)
}

/// Hands over every line of some segments.
fn each_line(all: Vec<Segment>, mut take: impl FnMut(Line)) -> Result<(), JournalError> {
    for segment in all {
        // What a user keeps of his recalls is his to choose: a pipe there must hold up nobody.
        let file = match file::open(&segment.path) {
            Ok(file) => file,
            // Pruned since the listing.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(source) => return Err(failed(&segment.path, "open it", source)),
        };
        let mut lines = BufReader::new(file);
        let torn = |source| failed(&segment.path, "read it", source);
        while let Some(line) = next_line(&mut lines).map_err(torn)? {
            take(line);
        }
    }
    Ok(())
}

enum Line {
    /// Without its line end; never empty.
    Whole(Vec<u8>),
    TooLong,
}

/// The next line that holds anything. A last line without an end counts: a whole event may
/// stand there, its line end lost.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    loop {
        let mut line = Vec::new();
        let read = input.by_ref().take(LINE_BYTES).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(None);
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        } else if read as u64 == LINE_BYTES {
            input.skip_until(b'\n')?;
            return Ok(Some(Line::TooLong));
        }
        if !line.is_empty() {
            return Ok(Some(Line::Whole(line)));
        }
    }
}

struct Segment {
    path: PathBuf,
    /// Seconds since 1970 of its first event, or a later one.
    start: u64,
    length: u64,
    /// When it was written to last.
    written: Timestamp,
}

impl Segment {
    fn touch(&self, now: Timestamp) -> Result<(), JournalError> {
        let file = OpenOptions::new().append(true).open(&self.path);
        let touched = file.and_then(|file| file.set_modified(now.into()));
        touched.map_err(|source| failed(&self.path, "set its time", source))
    }
}

/// The segments of a stream, oldest first. Other files in the directory are left alone.
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

fn remove(path: &Path) -> Result<(), JournalError> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(failed(path, "remove it", source))
        }
        _ => Ok(()),
    }
}

fn failed(path: &Path, doing: &'static str, source: io::Error) -> JournalError {
    JournalError { path: path.to_owned(), doing, source }
}

mod look;
pub mod recalls;
#[cfg(test)]
mod tests;
