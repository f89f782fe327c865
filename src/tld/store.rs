//! The table in the state directory: IANA's list as fetched, and a file with its HTTP validators,
//! so that the server sends only a newer one. Files are replaced atomically, and the last good one
//! is kept.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::atomic_file::AtomicFile;
use crate::engine::TldTable;
use crate::fetch::Validators;

use super::list::{self, ListError};
use super::{BUILTIN_DAY, builtin};

/// File name of the list in the state directory.
pub const LIST_FILE: &str = "tlds-alpha-by-domain.txt";

/// File name of its metadata.
const METADATA_FILE: &str = "tlds-alpha-by-domain.json";

/// The files of one state directory.
#[derive(Clone, Debug)]
pub struct TldStore {
    directory: PathBuf,
}

/// A table, its origin, and when it was last known to be the newest.
#[derive(Clone, Debug)]
pub struct Stored {
    pub table: TldTable,
    pub origin: TableOrigin,
    /// The last successful check. For the built-in table, its date.
    pub checked: SystemTime,
    /// Why the file in the state directory is not used, if there is one.
    pub file_error: Option<TldStoreError>,
}

/// Where a table comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableOrigin {
    /// The table built into the program.
    Builtin,
    File(PathBuf),
}

impl fmt::Display for TableOrigin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableOrigin::Builtin => out.write_str("the program"),
            TableOrigin::File(path) => write!(out, "{}", path.display()),
        }
    }
}

/// What is known about the stored list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TldMetadata {
    /// Where the list was fetched from. Validators of another URL mean nothing.
    pub url: String,
    #[serde(flatten)]
    pub validators: Validators,
    /// Unix time of the last successful check, in seconds.
    pub checked: u64,
}

/// Why a file of the store could not be read or written.
#[derive(Clone, Debug, thiserror::Error)]
pub enum TldStoreError {
    #[error("{path}: cannot {doing}: {source}")]
    Io { path: PathBuf, doing: &'static str, source: std::sync::Arc<io::Error> },
    #[error("{path}: {source}")]
    List { path: PathBuf, source: ListError },
    #[error("{path}: version {found} is older than the built-in table")]
    OlderThanBuiltin { path: PathBuf, found: String },
}

impl TldStoreError {
    /// Whether this user has no permission to read the file.
    pub fn is_denied(&self) -> bool {
        matches!(self, TldStoreError::Io { source, .. } if source.kind() == io::ErrorKind::PermissionDenied)
    }
}

/// Whether a table of this version is not used, because the built-in one is newer.
pub(super) fn is_older_than_builtin(version: &str) -> bool {
    list::day_of_version(version).is_none_or(|day| day < BUILTIN_DAY)
}

impl TldStore {
    pub fn new(directory: impl Into<PathBuf>) -> TldStore {
        TldStore { directory: directory.into() }
    }

    /// The table to use: the stored one if it is valid and not older than the built-in one, else
    /// the built-in one. Never fails; the result says what was wrong with the file.
    pub fn load(&self) -> Stored {
        match self.read() {
            Ok(Some(stored)) => stored,
            Ok(None) => builtin_stored(None),
            Err(error) => builtin_stored(Some(error)),
        }
    }

    /// The metadata of the stored list, or empty metadata without a good list.
    pub fn metadata(&self) -> TldMetadata {
        let read = fs::read_to_string(self.directory.join(METADATA_FILE)).ok();
        read.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    /// Replaces the stored list by a valid new one, then its metadata.
    ///
    /// # Errors
    /// When a file cannot be written. The last good files are still there.
    pub fn replace(&self, text: &str, metadata: &TldMetadata) -> Result<(), TldStoreError> {
        self.write(LIST_FILE, text.as_bytes())?;
        self.write_metadata(metadata)
    }

    /// Records a successful check without a newer list.
    ///
    /// # Errors
    /// When the metadata cannot be written.
    pub fn write_metadata(&self, metadata: &TldMetadata) -> Result<(), TldStoreError> {
        let text = serde_json::to_vec_pretty(metadata).map_err(|error| {
            io_error(&self.directory.join(METADATA_FILE), "write", error.into())
        })?;
        self.write(METADATA_FILE, &text)
    }

    /// The path of the list.
    pub fn path(&self) -> PathBuf {
        self.directory.join(LIST_FILE)
    }

    fn read(&self) -> Result<Option<Stored>, TldStoreError> {
        let path = self.path();
        let text = match read_bounded(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(io_error(&path, "read", source)),
        };
        let implausible = |source| TldStoreError::List { path: path.clone(), source };
        let table = list::parse(&text).map_err(implausible)?;
        list::check(&table).map_err(implausible)?;
        if is_older_than_builtin(&table.version) {
            return Err(TldStoreError::OlderThanBuiltin { path, found: table.version });
        }
        let checked = UNIX_EPOCH + Duration::from_secs(self.metadata().checked);
        Ok(Some(Stored { table, origin: TableOrigin::File(path), checked, file_error: None }))
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), TldStoreError> {
        let written = AtomicFile::new(&self.directory, name).and_then(|mut temp_file| {
            temp_file.file.write_all(bytes)?;
            temp_file.commit()
        });
        written.map_err(|source| io_error(&self.directory.join(name), "write", source))
    }
}

impl Stored {
    /// Time since the last successful check. Zero when the clock is before it.
    pub fn age(&self, now: SystemTime) -> Duration {
        now.duration_since(self.checked).unwrap_or_default()
    }
}

fn builtin_stored(file_error: Option<TldStoreError>) -> Stored {
    let checked = UNIX_EPOCH + Duration::from_secs(BUILTIN_DAY * 86_400);
    Stored { table: builtin(), origin: TableOrigin::Builtin, checked, file_error }
}

fn read_bounded(path: &Path) -> io::Result<String> {
    use std::io::Read as _;
    let mut text = String::new();
    let bound = list::MAX_BYTES as u64 + 1;
    File::open(path)?.take(bound).read_to_string(&mut text)?;
    Ok(text)
}

fn io_error(path: &Path, doing: &'static str, source: io::Error) -> TldStoreError {
    TldStoreError::Io { path: path.to_owned(), doing, source: std::sync::Arc::new(source) }
}
