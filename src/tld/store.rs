//! The table in a directory of its own: IANA's list as it came, and beside it what the server needs
//! to be asked only for something newer. Files are replaced atomically; the last good one is kept.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::beside::Beside;
use crate::engine::TldTable;

use super::list::{self, ListError};
use super::{BUILTIN_DAY, builtin};

/// Name of the list in the state directory.
pub const FILE: &str = "tlds-alpha-by-domain.txt";

/// Name of the note about its origin.
const NOTE: &str = "tlds-alpha-by-domain.json";

/// The files of one state directory.
#[derive(Clone, Debug)]
pub struct Store {
    directory: PathBuf,
}

/// A table, where it comes from, and when it was last known to be the newest.
#[derive(Clone, Debug)]
pub struct Stored {
    pub table: TldTable,
    pub origin: Origin,
    /// The last good check; for the built-in table the day it was made.
    pub checked: SystemTime,
    /// Why the file in the state directory was passed over, if there is one.
    pub passed_over: Option<StoreError>,
}

/// Where a table comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The program itself.
    Builtin,
    /// This file.
    File(PathBuf),
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Builtin => out.write_str("the program"),
            Origin::File(path) => write!(out, "{}", path.display()),
        }
    }
}

/// What the server said of the list, to ask it for a newer one only.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Where the list was fetched from; validators of another place mean nothing.
    pub url: String,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    /// Seconds since 1970 of the last good check.
    pub checked: u64,
}

/// Why a file of the store could not be read or written.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    #[error("{path}: cannot {doing}: {source}")]
    Io { path: PathBuf, doing: &'static str, source: std::sync::Arc<io::Error> },
    #[error("{path}: {source}")]
    List { path: PathBuf, source: ListError },
    #[error("{path}: version {found} is older than the built-in table")]
    OlderThanBuiltin { path: PathBuf, found: String },
}

impl StoreError {
    /// Whether the file is there, but not for this user.
    pub fn is_denied(&self) -> bool {
        matches!(self, StoreError::Io { source, .. } if source.kind() == io::ErrorKind::PermissionDenied)
    }
}

impl Store {
    pub fn new(directory: impl Into<PathBuf>) -> Store {
        Store { directory: directory.into() }
    }

    /// The table that holds: the file if it is good and not older than the program, else the
    /// built-in one. Never fails; what was wrong with the file is in the result.
    pub fn load(&self) -> Stored {
        match self.read() {
            Ok(Some(stored)) => stored,
            Ok(None) => builtin_stored(None),
            Err(error) => builtin_stored(Some(error)),
        }
    }

    /// What is known of the list's origin; nothing when there is no good list.
    pub fn note(&self) -> Note {
        let read = fs::read_to_string(self.directory.join(NOTE)).ok();
        read.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    /// Puts a list that was found good in the place of the last one, then the note.
    ///
    /// # Errors
    /// When a file cannot be written; the last good ones are still there.
    pub fn replace(&self, text: &str, note: &Note) -> Result<(), StoreError> {
        self.write(FILE, text.as_bytes())?;
        self.keep_note(note)
    }

    /// Notes a good check that brought nothing new.
    ///
    /// # Errors
    /// When the note cannot be written.
    pub fn keep_note(&self, note: &Note) -> Result<(), StoreError> {
        let text = serde_json::to_vec_pretty(note)
            .map_err(|error| io_error(&self.directory.join(NOTE), "write", error.into()))?;
        self.write(NOTE, &text)
    }

    /// The path of the list.
    pub fn path(&self) -> PathBuf {
        self.directory.join(FILE)
    }

    fn read(&self) -> Result<Option<Stored>, StoreError> {
        let path = self.path();
        let text = match read_bounded(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(io_error(&path, "read", source)),
        };
        let implausible = |source| StoreError::List { path: path.clone(), source };
        let table = list::parse(&text).map_err(implausible)?;
        list::plausible(&table).map_err(implausible)?;
        if list::day_of_version(&table.version).is_none_or(|day| day < BUILTIN_DAY) {
            return Err(StoreError::OlderThanBuiltin { path, found: table.version });
        }
        let checked = UNIX_EPOCH + Duration::from_secs(self.note().checked);
        Ok(Some(Stored { table, origin: Origin::File(path), checked, passed_over: None }))
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let written = Beside::new(&self.directory, name).and_then(|mut beside| {
            beside.file.write_all(bytes)?;
            beside.take_place()
        });
        written.map_err(|source| io_error(&self.directory.join(name), "write", source))
    }
}

impl Stored {
    /// Time since the last good check; zero when the clock stands before it.
    pub fn age(&self, now: SystemTime) -> Duration {
        now.duration_since(self.checked).unwrap_or_default()
    }
}

fn builtin_stored(passed_over: Option<StoreError>) -> Stored {
    let checked = UNIX_EPOCH + Duration::from_secs(BUILTIN_DAY * 86_400);
    Stored { table: builtin(), origin: Origin::Builtin, checked, passed_over }
}

fn read_bounded(path: &Path) -> io::Result<String> {
    use std::io::Read as _;
    let mut text = String::new();
    let bound = list::MAX_BYTES as u64 + 1;
    File::open(path)?.take(bound).read_to_string(&mut text)?;
    Ok(text)
}

fn io_error(path: &Path, doing: &'static str, source: io::Error) -> StoreError {
    StoreError::Io { path: path.to_owned(), doing, source: std::sync::Arc::new(source) }
}
