//! A list and its source: fetching a newer version. Blocking: the daemon calls it from a thread of
//! its own. On any error the last good list stays.

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};

use super::line::ListLayout;
use super::parse::{ParseError, Parsed, parse};
use super::store::{FeedMetadata, FeedStore};
use crate::engine::Verdict;
use crate::engine::hex;
use crate::engine::lists::Listing;
use crate::fetch::{self, Fetch, FetchError, Validators};

/// Names of the operator that are named of those that a list has.
const NAMED: usize = 5;

/// Bytes that are read of a checksum file.
const MAX_CHECKSUM_FILE_BYTES: u64 = 64 << 10;

/// A list that somebody publishes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feed {
    /// The operator's name for it.
    pub name: String,
    pub source: Source,
    pub layout: ListLayout,
    /// The verdict on its entries.
    pub verdict: Verdict,
    /// Time between two checks for a newer list. Zero checks only at a reload.
    pub refresh: Duration,
    /// Age at which a warning is logged.
    pub warn_age: Duration,
    /// Size limits in bytes and in entries.
    pub max_bytes: u64,
    pub max_entries: usize,
    pub checksum: Option<Checksum>,
}

/// Where a list comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    Url(Fetch),
    File(PathBuf),
}

/// The SHA-256 that the list must have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checksum {
    /// These 64 hexadecimal digits.
    Digits(String),
    /// The first 64 hexadecimal digits of this file.
    Fetched(Fetch),
}

/// A list that is ready for use.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub listing: Arc<Listing>,
    pub invalid_lines: usize,
    pub first_invalid_line: Option<usize>,
    /// SHA-256 of its bytes.
    pub sum: String,
    /// When it was last known to be the newest.
    pub checked: SystemTime,
}

/// Why there is no newer list. The last good one stays.
#[derive(Debug, thiserror::Error)]
pub enum FeedError {
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error("{place}: {}", crate::file::reason(.source))]
    Io { place: String, source: io::Error },
    #[error("{place}: {source}")]
    Parse { place: String, source: ParseError },
    #[error("{place}: expected at most {most} bytes, found more")]
    TooLong { place: String, most: u64 },
    #[error("{place}: expected SHA-256 {expected}, found {found}")]
    Checksum { place: String, expected: String, found: String },
    #[error(
        "{place}: expected at least half of the {before} entries of the last list, found {found}; \
         if the list is complete, remove the stored list and reload"
    )]
    Shrunk { place: String, before: usize, found: usize },
    #[error("{place}: expected 64 hexadecimal digits")]
    InvalidChecksum { place: String },
}

impl Loaded {
    /// Which of these names the list has, or their `www.`: names of the operator, to which it does not apply. In words,
    /// at most [`NAMED`] of them.
    pub fn names_of(&self, own: &[String]) -> Option<String> {
        let table = &self.listing.table;
        let has = |name: &&String| table.covers(name) || table.covers(&format!("www.{name}"));
        let found: Vec<&str> = own.iter().filter(has).map(String::as_str).collect();
        let (named, more) = found.split_at(found.len().min(NAMED));
        let more =
            if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
        (!named.is_empty()).then(|| named.join(", ") + &more)
    }
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

/// Loads the stored list. `None` when there is none of this source, or none that was compared with
/// this checksum.
///
/// # Errors
/// When it cannot be read, or was changed since it was stored.
pub fn load_stored(feed: &Feed, store: &FeedStore) -> Result<Option<Loaded>, FeedError> {
    let path = store.path(&feed.name);
    let metadata = store.metadata(&feed.name);
    if !matches_feed(&metadata, feed) {
        return Ok(None);
    }
    let mut file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(io_error(&path, source)),
    };
    let place = path.display().to_string();
    let (parsed, found) = read(feed, &place, &mut file, None)?;
    if found != metadata.sum {
        return Err(FeedError::Checksum { place, expected: metadata.sum, found });
    }
    let checked = UNIX_EPOCH + Duration::from_secs(metadata.checked);
    Ok(Some(loaded(feed, parsed, found, checked)))
}

/// Fetches a newer list and stores it. `None` when there is none. `current` is the list in use: if
/// it is the stored one, only a newer one is fetched, and it is compared with it.
///
/// # Errors
/// See [`FeedError`]. Nothing was changed then.
pub fn refresh(
    feed: &Feed,
    store: &FeedStore,
    current: Option<&Loaded>,
    now: SystemTime,
) -> Result<Option<Loaded>, FeedError> {
    let checked = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let before = store.metadata(&feed.name);
    let path = store.path(&feed.name);
    let current = current.filter(|current| {
        current.sum == before.sum && matches_feed(&before, feed) && path.exists()
    });
    let store_error = |error| io_error(&path, error);
    let Some((mut bytes, metadata)) = open_newer(feed, current.map(|_| &before))? else {
        if let Some(checksum) = &feed.checksum {
            check_checksum(&feed.source.place(), checksum, &before.sum)?;
        }
        store
            .write_metadata(&feed.name, &FeedMetadata { checked, ..before })
            .map_err(store_error)?;
        return Ok(None);
    };
    let mut temp_file = store.create(&feed.name).map_err(store_error)?;
    let (parsed, sum) = read_and_check(feed, &mut *bytes, Some(&mut temp_file.file), current)?;
    let compared = match &feed.checksum {
        Some(Checksum::Fetched(fetch)) => Some(fetch.url.clone()),
        Some(Checksum::Digits(_)) | None => None,
    };
    let metadata = FeedMetadata { checked, sum: sum.clone(), compared, ..metadata };
    store.replace(&feed.name, temp_file, &metadata).map_err(store_error)?;
    Ok(Some(loaded(feed, parsed, sum, now)))
}

/// Fetches and checks the list as [`refresh`] does, but stores nothing.
///
/// # Errors
/// See [`FeedError`].
pub fn fetch_unstored(feed: &Feed, current: Option<&Loaded>) -> Result<Loaded, FeedError> {
    let nothing =
        || FeedError::Io { place: feed.source.place(), source: io::ErrorKind::NotFound.into() };
    let (mut bytes, _) = open_newer(feed, None)?.ok_or_else(nothing)?;
    let (parsed, sum) = read_and_check(feed, &mut *bytes, None, current)?;
    Ok(loaded(feed, parsed, sum, SystemTime::now()))
}

/// Whether the stored list came from this source and was compared with this checksum.
fn matches_feed(metadata: &FeedMetadata, feed: &Feed) -> bool {
    let compared = match &feed.checksum {
        None => true,
        Some(Checksum::Digits(digits)) => digits.eq_ignore_ascii_case(&metadata.sum),
        Some(Checksum::Fetched(fetch)) => metadata.compared.as_ref() == Some(&fetch.url),
    };
    compared && metadata.source == feed.source.place()
}

/// A list to read, and its metadata so far.
type NewList = (Box<dyn Read>, FeedMetadata);

/// Opens the list if it is newer than the stored one.
fn open_newer(feed: &Feed, stored: Option<&FeedMetadata>) -> Result<Option<NewList>, FeedError> {
    let source = feed.source.place();
    match &feed.source {
        Source::Url(fetch) => {
            let stored = stored.map(|metadata| &metadata.validators);
            let Some(fetched) = fetch::get(fetch, "*/*", stored)? else {
                return Ok(None);
            };
            let metadata =
                FeedMetadata { source, validators: fetched.validators, ..FeedMetadata::default() };
            let bytes = fetched.body.into_with_config().limit(u64::MAX).reader();
            Ok(Some((Box::new(bytes), metadata)))
        }
        Source::File(path) => {
            let stamp = file_stamp(path).map_err(|error| io_error(path, error))?;
            if stored.is_some_and(|metadata| metadata.validators.etag.as_ref() == Some(&stamp)) {
                return Ok(None);
            }
            let file = File::open(path).map_err(|error| io_error(path, error))?;
            let validators = Validators { etag: Some(stamp), ..Validators::default() };
            let metadata = FeedMetadata { source, validators, ..FeedMetadata::default() };
            Ok(Some((Box::new(file), metadata)))
        }
    }
}

/// A text that changes when the file does. Only regular files: a pipe or a device may never end.
fn file_stamp(path: &Path) -> io::Result<String> {
    let data = fs::metadata(path)?;
    if !data.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "expected a file"));
    }
    let changed = data.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(format!("{}-{}", changed.as_nanos(), data.len()))
}

/// Reads a new list and its SHA-256. Checks its checksum, and that it has not shrunk suspiciously.
fn read_and_check(
    feed: &Feed,
    bytes: &mut dyn Read,
    copy: Option<&mut File>,
    current: Option<&Loaded>,
) -> Result<(Parsed, String), FeedError> {
    let place = feed.source.place();
    let (parsed, sum) = read(feed, &place, bytes, copy)?;
    if let Some(checksum) = &feed.checksum {
        check_checksum(&place, checksum, &sum)?;
    }
    let count = parsed.known_names.as_ref().map_or(parsed.table.len(), |names| names.len());
    let (before, found) = (current.map_or(0, |current| current.listing.len()), count);
    if found < before.div_ceil(2) {
        return Err(FeedError::Shrunk { place, before, found });
    }
    Ok((parsed, sum))
}

/// Reads at most `max_bytes` of the feed, copies them to `copy`, and computes their SHA-256.
fn read(
    feed: &Feed,
    place: &str,
    bytes: &mut dyn Read,
    copy: Option<&mut File>,
) -> Result<(Parsed, String), FeedError> {
    let (hash, remaining) = (Sha256::new(), feed.max_bytes);
    let mut reader = LimitedReader { bytes, copy, hash, remaining, too_long: false };
    let parsed = parse(BufReader::new(&mut reader), &feed.layout, feed.max_entries);
    let place = place.to_owned();
    match parsed {
        Ok(parsed) => Ok((parsed, hex::encode(&reader.hash.finalize()))),
        Err(_) if reader.too_long => Err(FeedError::TooLong { place, most: feed.max_bytes }),
        Err(ParseError::Io(source)) => Err(FeedError::Io { place, source }),
        Err(source) => Err(FeedError::Parse { place, source }),
    }
}

/// A reader that limits, copies and hashes.
struct LimitedReader<'b> {
    bytes: &'b mut dyn Read,
    copy: Option<&'b mut File>,
    hash: Sha256,
    /// Bytes that may still follow.
    remaining: u64,
    too_long: bool,
}

impl Read for LimitedReader<'_> {
    fn read(&mut self, block: &mut [u8]) -> io::Result<usize> {
        let count = self.bytes.read(block)?;
        let Some(remaining) = self.remaining.checked_sub(count as u64) else {
            self.too_long = true;
            return Err(io::ErrorKind::FileTooLarge.into());
        };
        self.remaining = remaining;
        let read = block.get(..count).unwrap_or_default();
        self.hash.update(read);
        if let Some(copy) = &mut self.copy {
            copy.write_all(read).map_err(|error| {
                io::Error::new(error.kind(), format!("cannot be stored: {error}"))
            })?;
        }
        Ok(count)
    }
}

fn check_checksum(place: &str, checksum: &Checksum, found: &str) -> Result<(), FeedError> {
    let expected = match checksum {
        Checksum::Digits(digits) => digits.to_ascii_lowercase(),
        Checksum::Fetched(fetch) => {
            let missing = || FeedError::InvalidChecksum { place: fetch.url.clone() };
            let fetched = fetch::get(fetch, "*/*", None)?.ok_or_else(missing)?;
            let mut text = Vec::new();
            let mut bytes = fetched.body.into_reader().take(MAX_CHECKSUM_FILE_BYTES);
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
    let Parsed { table, known_names, invalid_lines, first_invalid_line } = parsed;
    let (name, verdict) = (format!("feeds.{}", feed.name), feed.verdict);
    let listing = Listing { name, verdict, table: Arc::new(table), known: known_names };
    Loaded { listing: Arc::new(listing), invalid_lines, first_invalid_line, sum, checked }
}

fn io_error(path: &Path, source: io::Error) -> FeedError {
    FeedError::Io { place: path.display().to_string(), source }
}
