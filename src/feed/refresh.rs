//! A list: where it comes from, and looking for a newer one. Blocking: the daemon calls it from a
//! thread of its own. Whatever is wrong with what comes, the last good list stays.

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};

use super::line::Form;
use super::parse::{ParseError, Parsed, parse};
use super::store::{Note, Store};
use crate::engine::Verdict;
use crate::engine::lists::Listing;
use crate::engine::splice::hex;
use crate::fetch::{self, Fetch, FetchError, Known};

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
    /// SHA-256 of its bytes.
    pub sum: String,
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
    #[error(
        "{place}: expected at least half of the {before} entries of the last list, found {found}; \
         if they are all, remove the kept list and reload"
    )]
    Shrunk { place: String, before: usize, found: usize },
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

/// The last good list that is kept; `None` when there is none of this source, or none that its checksum
/// was compared with.
///
/// # Errors
/// When it cannot be read, or is not what was put there.
pub fn kept(feed: &Feed, store: &Store) -> Result<Option<Loaded>, FeedError> {
    let path = store.path(&feed.name);
    let note = store.note(&feed.name);
    if !is_of(&note, feed) {
        return Ok(None);
    }
    let mut file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(io_error(&path, source)),
    };
    let place = path.display().to_string();
    let (parsed, found) = read(feed, &place, &mut file, None)?;
    if found != note.sum {
        return Err(FeedError::Checksum { place, expected: note.sum, found });
    }
    let checked = UNIX_EPOCH + Duration::from_secs(note.checked);
    Ok(Some(loaded(feed, parsed, found, checked)))
}

/// Looks for a newer list and keeps it; `None` when there is none. `held` is what is in force of
/// it: whoever holds what is kept
/// needs something newer only, and that is compared with it.
///
/// # Errors
/// See [`FeedError`]; nothing was changed then.
pub fn refresh(
    feed: &Feed,
    store: &Store,
    held: Option<&Loaded>,
    now: SystemTime,
) -> Result<Option<Loaded>, FeedError> {
    let checked = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let before = store.note(&feed.name);
    let path = store.path(&feed.name);
    let held = held.filter(|held| held.sum == before.sum && is_of(&before, feed) && path.exists());
    let keep = |error| io_error(&path, error);
    let Some((mut bytes, note)) = newer(feed, held.map(|_| &before))? else {
        if let Some(checksum) = &feed.checksum {
            compare(&feed.source.place(), checksum, &before.sum)?;
        }
        store.keep_note(&feed.name, &Note { checked, ..before }).map_err(keep)?;
        return Ok(None);
    };
    let mut beside = store.beside(&feed.name).map_err(keep)?;
    let (parsed, sum) = good(feed, &mut *bytes, Some(&mut beside.file), held)?;
    let compared = match &feed.checksum {
        Some(Checksum::At(fetch)) => Some(fetch.url.clone()),
        Some(Checksum::Is(_)) | None => None,
    };
    let note = Note { checked, sum: sum.clone(), compared, ..note };
    store.replace(&feed.name, beside, &note).map_err(keep)?;
    Ok(Some(loaded(feed, parsed, sum, now)))
}

/// The list as it is at its source, judged as [`refresh`] does, nothing kept of it.
///
/// # Errors
/// See [`FeedError`].
pub fn look(feed: &Feed, held: Option<&Loaded>) -> Result<Loaded, FeedError> {
    let nothing =
        || FeedError::Io { place: feed.source.place(), source: io::ErrorKind::NotFound.into() };
    let (mut bytes, _) = newer(feed, None)?.ok_or_else(nothing)?;
    let (parsed, sum) = good(feed, &mut *bytes, None, held)?;
    Ok(loaded(feed, parsed, sum, SystemTime::now()))
}

/// Whether what is kept came from this source, and was compared with this checksum.
fn is_of(note: &Note, feed: &Feed) -> bool {
    let compared = match &feed.checksum {
        None => true,
        Some(Checksum::Is(digits)) => digits.eq_ignore_ascii_case(&note.sum),
        Some(Checksum::At(fetch)) => note.compared.as_ref() == Some(&fetch.url),
    };
    compared && note.source == feed.source.place()
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
            let note = Note { source, etag, last_modified, ..Note::default() };
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

/// A new list, with its SHA-256: it must be one, have its checksum, and not be a rest of the one before.
fn good(
    feed: &Feed,
    bytes: &mut dyn Read,
    copy: Option<&mut File>,
    held: Option<&Loaded>,
) -> Result<(Parsed, String), FeedError> {
    let place = feed.source.place();
    let (parsed, sum) = read(feed, &place, bytes, copy)?;
    if let Some(checksum) = &feed.checksum {
        compare(&place, checksum, &sum)?;
    }
    let count = parsed.known.as_ref().map_or(parsed.table.len(), |known| known.len());
    let (before, found) = (held.map_or(0, |held| held.listing.len()), count);
    if found < before.div_ceil(2) {
        return Err(FeedError::Shrunk { place, before, found });
    }
    Ok((parsed, sum))
}

/// Reads at most as many bytes as the list may have, copies them, and tells their SHA-256.
fn read(
    feed: &Feed,
    place: &str,
    bytes: &mut dyn Read,
    copy: Option<&mut File>,
) -> Result<(Parsed, String), FeedError> {
    let (hash, left) = (Sha256::new(), feed.max_bytes);
    let mut measured = Measured { bytes, copy, hash, left, too_long: false };
    let parsed = parse(BufReader::new(&mut measured), &feed.form, feed.max_entries);
    let place = place.to_owned();
    match parsed {
        Ok(parsed) => Ok((parsed, hex(&measured.hash.finalize()))),
        Err(_) if measured.too_long => Err(FeedError::TooLong { place, most: feed.max_bytes }),
        Err(ParseError::Io(source)) => Err(FeedError::Io { place, source }),
        Err(source) => Err(FeedError::Parse { place, source }),
    }
}

/// Bytes on their way.
struct Measured<'b> {
    bytes: &'b mut dyn Read,
    copy: Option<&'b mut File>,
    hash: Sha256,
    /// How many more there may be.
    left: u64,
    too_long: bool,
}

impl Read for Measured<'_> {
    fn read(&mut self, block: &mut [u8]) -> io::Result<usize> {
        let count = self.bytes.read(block)?;
        let Some(left) = self.left.checked_sub(count as u64) else {
            self.too_long = true;
            return Err(io::ErrorKind::FileTooLarge.into());
        };
        self.left = left;
        let read = block.get(..count).unwrap_or_default();
        self.hash.update(read);
        if let Some(copy) = &mut self.copy {
            copy.write_all(read).map_err(|error| {
                io::Error::new(error.kind(), format!("cannot be kept: {error}"))
            })?;
        }
        Ok(count)
    }
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

fn loaded(feed: &Feed, parsed: Parsed, sum: String, checked: SystemTime) -> Loaded {
    let Parsed { table, known, odd, first_odd } = parsed;
    let (name, verdict) = (feed.name.clone(), feed.verdict);
    let listing = Listing { name, verdict, table: Arc::new(table), known };
    Loaded { listing: Arc::new(listing), odd, first_odd, sum, checked }
}

fn io_error(path: &Path, source: io::Error) -> FeedError {
    FeedError::Io { place: path.display().to_string(), source }
}
