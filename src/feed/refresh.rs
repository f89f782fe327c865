//! A list: where it comes from, and looking for a newer one. Blocking: the daemon calls it from a
//! thread of its own. Whatever is wrong with what comes, the last good list stays.

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};

use super::line::Form;
use super::parse::{ParseError, Parsed, parse};
use super::store::{Note, Store};
use crate::engine::Verdict;
use crate::engine::lists::Listing;
use crate::tld::fetch::{self, Fetch, FetchError, Known};

/// Bytes of a checksum's file that are looked at.
const CHECKSUM_BYTES: u64 = 64 << 10;

/// A list that somebody keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feed {
    /// The operator's name for it.
    pub name: String,
    pub source: Source,
    pub form: Form,
    /// What its entries are.
    pub verdict: Verdict,
    /// Time between two looks; zero looks at a reload only.
    pub refresh: Duration,
    /// Age at which a warning is logged.
    pub warn_age: Duration,
    /// Bytes and entries at most.
    pub max_bytes: u64,
    pub max_entries: usize,
    pub checksum: Option<Checksum>,
}

/// Where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    Url(Fetch),
    File(PathBuf),
}

/// The SHA-256 that its bytes must have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checksum {
    /// These 64 digits.
    Is(String),
    /// The first 64 digits of what lies here.
    At(Fetch),
}

/// A list in use.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub listing: Arc<Listing>,
    pub odd: usize,
    pub first_odd: Option<usize>,
    /// When it was last known to be the newest.
    pub checked: SystemTime,
}

/// Why there is no newer list; the last good one stays.
#[derive(Debug, thiserror::Error)]
pub enum FeedError {
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error("{place}: {source}")]
    Io { place: String, source: io::Error },
    #[error("{place}: {source}")]
    Parse { place: String, source: ParseError },
    #[error("{place}: expected at most {most} bytes, found more")]
    TooLong { place: String, most: u64 },
    #[error("{place}: expected SHA-256 {expected}, found {found}")]
    Checksum { place: String, expected: String, found: String },
    #[error("{place}: expected 64 hexadecimal digits")]
    NoChecksum { place: String },
}

impl Source {
    /// The URL or the path.
    pub fn place(&self) -> String {
        match self {
            Source::Url(fetch) => fetch.url.clone(),
            Source::File(path) => path.display().to_string(),
        }
    }
}

/// The last good list that is kept; `None` when there is none of this source.
///
/// # Errors
/// When it cannot be read.
pub fn kept(feed: &Feed, store: &Store) -> Result<Option<Loaded>, FeedError> {
    let path = store.path(&feed.name);
    let note = store.note(&feed.name);
    if note.source != feed.source.place() {
        return Ok(None);
    }
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(io_error(&path, source)),
    };
    let checked = UNIX_EPOCH + Duration::from_secs(note.checked);
    Ok(Some(loaded(feed, read(feed, file, &path)?, checked)))
}

/// Looks for a newer list and keeps it; `None` when there is none.
///
/// # Errors
/// See [`FeedError`]; nothing was changed then.
pub fn refresh(feed: &Feed, store: &Store, now: SystemTime) -> Result<Option<Loaded>, FeedError> {
    let checked = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let before = store.note(&feed.name);
    let path = store.path(&feed.name);
    let known = before.source == feed.source.place() && path.exists();
    let keep = |error| io_error(&path, error);
    let Some((mut bytes, note)) = newer(feed, known.then_some(&before))? else {
        store.keep_note(&feed.name, &Note { checked, ..before }).map_err(keep)?;
        return Ok(None);
    };
    let mut beside = store.beside(&feed.name).map_err(keep)?;
    let found = copy(feed, &mut bytes, &mut beside.file)?;
    if let Some(checksum) = &feed.checksum {
        compare(&feed.source.place(), checksum, &found)?;
    }
    beside.file.rewind().map_err(keep)?;
    let file = beside.file.try_clone().map_err(keep)?;
    let parsed = read(feed, file, Path::new(&feed.source.place()))?;
    store.replace(&feed.name, &beside, &Note { checked, ..note }).map_err(keep)?;
    Ok(Some(loaded(feed, parsed, now)))
}

/// The list as it is at its source, nothing kept of it.
///
/// # Errors
/// See [`FeedError`].
pub fn look(feed: &Feed) -> Result<Loaded, FeedError> {
    let nothing =
        || FeedError::Io { place: feed.source.place(), source: io::ErrorKind::NotFound.into() };
    let (bytes, _) = newer(feed, None)?.ok_or_else(nothing)?;
    let parsed = parse(BufReader::new(bytes.take(feed.max_bytes)), &feed.form, feed.max_entries)
        .map_err(|source| FeedError::Parse { place: feed.source.place(), source })?;
    Ok(loaded(feed, parsed, SystemTime::now()))
}

/// Bytes that are to be read, and what is to be noted of them.
type Newer = (Box<dyn Read>, Note);

/// The bytes of a list that is newer than the known one, and what is to be noted of it.
fn newer(feed: &Feed, known: Option<&Note>) -> Result<Option<Newer>, FeedError> {
    let source = feed.source.place();
    match &feed.source {
        Source::Url(fetch) => {
            let known = known.map(|note| Known {
                etag: note.etag.clone(),
                last_modified: note.last_modified.clone(),
            });
            let Some(fetched) = fetch::get(fetch, "*/*", known.as_ref())? else { return Ok(None) };
            let Known { etag, last_modified } = fetched.known;
            let note = Note { source, etag, last_modified, checked: 0 };
            let bytes = fetched.body.into_with_config().limit(u64::MAX).reader();
            Ok(Some((Box::new(bytes), note)))
        }
        Source::File(path) => {
            let stamp = stamp(path).map_err(|error| io_error(path, error))?;
            if known.is_some_and(|note| note.etag.as_ref() == Some(&stamp)) {
                return Ok(None);
            }
            let file = File::open(path).map_err(|error| io_error(path, error))?;
            let note = Note { source, etag: Some(stamp), ..Note::default() };
            Ok(Some((Box::new(file), note)))
        }
    }
}

/// What changes when a file does. A pipe or a device never ends.
fn stamp(path: &Path) -> io::Result<String> {
    let data = fs::metadata(path)?;
    if !data.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "expected a file"));
    }
    let changed = data.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(format!("{}-{}", changed.as_nanos(), data.len()))
}

/// Copies at most as many bytes as the list may have; their SHA-256.
fn copy(feed: &Feed, bytes: &mut dyn Read, file: &mut File) -> Result<String, FeedError> {
    let place = || feed.source.place();
    let failed = |source| FeedError::Io { place: place(), source };
    let mut hash = Sha256::new();
    let mut left = feed.max_bytes;
    let mut block = vec![0; 64 << 10];
    loop {
        let count = match bytes.read(&mut block) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(failed(error)),
        };
        let read = block.get(..count).unwrap_or_default();
        let Some(rest) = left.checked_sub(count as u64) else {
            return Err(FeedError::TooLong { place: place(), most: feed.max_bytes });
        };
        left = rest;
        hash.update(read);
        file.write_all(read).map_err(failed)?;
    }
    Ok(hex(&hash.finalize()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn compare(place: &str, checksum: &Checksum, found: &str) -> Result<(), FeedError> {
    let expected = match checksum {
        Checksum::Is(digits) => digits.to_ascii_lowercase(),
        Checksum::At(fetch) => {
            let missing = || FeedError::NoChecksum { place: fetch.url.clone() };
            let fetched = fetch::get(fetch, "*/*", None)?.ok_or_else(missing)?;
            let mut text = Vec::new();
            let mut bytes = fetched.body.into_reader().take(CHECKSUM_BYTES);
            let failed = |source| FeedError::Io { place: fetch.url.clone(), source };
            bytes.read_to_end(&mut text).map_err(failed)?;
            digits(&String::from_utf8_lossy(&text)).ok_or_else(missing)?
        }
    };
    let place = place.to_owned();
    match expected == found {
        true => Ok(()),
        false => Err(FeedError::Checksum { place, expected, found: found.to_owned() }),
    }
}

/// The first word of 64 hexadecimal digits, in lower case.
pub fn digits(text: &str) -> Option<String> {
    let mut words = text.split(|char: char| !char.is_ascii_hexdigit());
    words.find(|word| word.len() == 64).map(str::to_ascii_lowercase)
}

fn read(feed: &Feed, file: File, place: &Path) -> Result<Parsed, FeedError> {
    let bytes = BufReader::new(file.take(feed.max_bytes));
    let place = || place.display().to_string();
    parse(bytes, &feed.form, feed.max_entries)
        .map_err(|source| FeedError::Parse { place: place(), source })
}

fn loaded(feed: &Feed, parsed: Parsed, checked: SystemTime) -> Loaded {
    let Parsed { table, odd, first_odd } = parsed;
    let listing = Listing { name: feed.name.clone(), verdict: feed.verdict, table };
    Loaded { listing: Arc::new(listing), odd, first_odd, checked }
}

fn io_error(path: &Path, source: io::Error) -> FeedError {
    FeedError::Io { place: path.display().to_string(), source }
}
