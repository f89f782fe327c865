//! The last valid configuration: every file that it was made of, and the environment.
//! [`super::load`] reads a snapshot like the files on disk, so a configuration from a snapshot is
//! the same as the one that was stored.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Config, lists};
use crate::atomic_file;
use crate::file;

/// Name of the file in the state directory.
const FILE_NAME: &str = "last-good.json";

/// Size limit of the file in bytes: three lists of the maximum size, and the rest.
const MAX_BYTES: u64 = 128 << 20;

/// Version of the file format.
const FORMAT_VERSION: u32 = 1;

/// Where the files of a configuration are read from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Files {
    #[default]
    Disk,
    Snapshot(Arc<Snapshot>),
}

/// See the description of the module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    v: u32,
    /// When it was taken, in UTC.
    pub time: String,
    /// The requested main file. A snapshot for another main file is not used.
    asked: PathBuf,
    /// The main file, then those of `conf.d` in order.
    pub(super) layers: Vec<PathBuf>,
    /// The content of each file: layers, lists and keys.
    files: BTreeMap<PathBuf, SnapshotContent>,
    pub(super) environment: BTreeMap<String, String>,
}

/// Keys may not be text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum SnapshotContent {
    Text(String),
    Bytes(Vec<u8>),
}

/// Why a snapshot was not stored, or cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", path.display())]
pub struct SnapshotError {
    pub path: PathBuf,
    #[source]
    pub source: io::Error,
}

/// What was in the place of a snapshot that is kept now.
#[derive(Debug)]
pub enum ReplacedSnapshot {
    /// The same: it was not written again.
    Same,
    /// An earlier configuration.
    Other,
    Nothing,
    /// No snapshot that could be read.
    Unreadable(io::Error),
}

/// What was found in state directories.
#[derive(Debug, Default)]
pub(super) struct FoundSnapshots {
    pub snapshot: Option<Snapshot>,
    /// Those that are there and cannot be read.
    pub unreadable: Vec<SnapshotError>,
}

impl Files {
    /// The bytes of a file.
    pub(super) fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        match self {
            Files::Disk => file::read(path, file::MAX_BYTES),
            Files::Snapshot(snapshot) => snapshot.bytes(path),
        }
    }

    /// The text of a list. On disk its size is limited.
    pub(super) fn list(&self, path: &Path) -> io::Result<String> {
        match self {
            Files::Disk => lists::read(path),
            Files::Snapshot(snapshot) => file::into_text(snapshot.bytes(path)?),
        }
    }
}

impl Snapshot {
    /// Takes a snapshot of what `config` was read from: these layers for this main file, and this
    /// environment.
    ///
    /// # Errors
    /// When a file cannot be read any more.
    pub(super) fn take(
        asked: PathBuf,
        layers: Vec<PathBuf>,
        environment: BTreeMap<String, String>,
        config: &Config,
        time: String,
    ) -> Result<Snapshot, SnapshotError> {
        let mut files = BTreeMap::new();
        let optional = [&config.lists.allowed_file, &config.lists.protected_file]
            .into_iter()
            .chain([&config.lists.blocked_file])
            .chain(&config.policy.words_file)
            .chain(&config.policy.seal_key_file)
            .chain(&config.policy.seal_old_key_files)
            .chain(config.blocklists.values().filter_map(|list| list.key_file.as_ref()))
            .map(|path| config.resolve(path));
        for path in layers.iter().cloned().chain(optional) {
            match file::read(&path, lists::MAX_BYTES) {
                Ok(bytes) => drop(files.insert(path, SnapshotContent::of(bytes))),
                // A list that does not exist. Required files were found a moment ago.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(source) => return Err(SnapshotError { path, source }),
            }
        }
        Ok(Snapshot { v: FORMAT_VERSION, time, asked, layers, files, environment })
    }

    /// Stores the snapshot in the state directory, readable by the daemon only, because it may
    /// contain a key. An equal one is not written again, so that a full disk does no harm.
    ///
    /// # Errors
    /// When the file cannot be written. The old one is still there.
    pub fn keep(&self, directory: &Path) -> Result<ReplacedSnapshot, SnapshotError> {
        let path = Snapshot::path(directory);
        let replaced = match read(&path) {
            Ok(stored) if self.has_same_content(&stored) => return Ok(ReplacedSnapshot::Same),
            Ok(_) => ReplacedSnapshot::Other,
            Err(error) if error.kind() == ErrorKind::NotFound => ReplacedSnapshot::Nothing,
            Err(error) => ReplacedSnapshot::Unreadable(error),
        };
        let text = serde_json::to_vec(self).map_err(io::Error::from);
        text.and_then(|text| atomic_file::replace(&path, &text, atomic_file::PRIVATE))
            .map_err(|source| SnapshotError { path, source })?;
        Ok(replaced)
    }

    /// Where it is kept in a state directory.
    pub fn path(directory: &Path) -> PathBuf {
        directory.join(FILE_NAME)
    }

    /// The snapshot for this main file, from the first of these state directories that has one.
    pub(super) fn find(asked: &Path, directories: &[PathBuf]) -> FoundSnapshots {
        let mut found = FoundSnapshots::default();
        for directory in directories {
            let path = Snapshot::path(directory);
            match read(&path) {
                Ok(stored) if is_same_file(&stored.asked, asked) => {
                    return FoundSnapshots { snapshot: Some(stored), ..found };
                }
                Ok(_) => {}
                // One path of it may be a file.
                Err(error)
                    if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
                // Two directories may be one.
                Err(_) if found.unreadable.iter().any(|known| known.path == path) => {}
                Err(source) => found.unreadable.push(SnapshotError { path, source }),
            }
        }
        found
    }

    /// The main file, if one was read.
    pub fn main_file(&self) -> Option<&PathBuf> {
        self.layers.first()
    }

    fn has_same_content(&self, other: &Snapshot) -> bool {
        *self == Snapshot { time: self.time.clone(), ..other.clone() }
    }

    fn bytes(&self, path: &Path) -> io::Result<Vec<u8>> {
        match self.files.get(path) {
            Some(SnapshotContent::Text(text)) => Ok(text.clone().into_bytes()),
            Some(SnapshotContent::Bytes(bytes)) => Ok(bytes.clone()),
            None => Err(ErrorKind::NotFound.into()),
        }
    }
}

impl SnapshotContent {
    fn of(bytes: Vec<u8>) -> SnapshotContent {
        String::from_utf8(bytes)
            .map_or_else(|error| SnapshotContent::Bytes(error.into_bytes()), SnapshotContent::Text)
    }
}

/// Whether two paths of a main file, each as it was asked for, mean the same: they have the same name in one directory,
/// or lead to one file now. A name may be a link whose target has changed since, or is missing; that is the file all the
/// same.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let in_directory = |path: &Path| {
        let (directory, name) = (path.parent()?.canonicalize().ok()?, path.file_name()?);
        Some(directory.join(name))
    };
    let same = |[one, other]: [Option<PathBuf>; 2]| one.is_some() && one == other;
    one == other
        || same([in_directory(one), in_directory(other)])
        || same([one.canonicalize().ok(), other.canonicalize().ok()])
}

/// Reads a snapshot of our format. An error does not say what stands in the file: that may be a key.
fn read(path: &Path) -> io::Result<Snapshot> {
    let invalid = |said: String| io::Error::new(ErrorKind::InvalidData, said);
    let bytes = file::read(path, MAX_BYTES)?;
    let snapshot: Snapshot = serde_json::from_slice(&bytes).map_err(|error| {
        invalid(match error.is_eof() {
            true => format!("it is cut off after {} bytes", bytes.len()),
            false => {
                let (line, column) = (error.line(), error.column());
                format!("it is damaged at line {line}, column {column}")
            }
        })
    })?;
    match snapshot.v {
        FORMAT_VERSION => Ok(snapshot),
        other => Err(invalid(format!("expected format {FORMAT_VERSION}, found {other}"))),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_main_file_is_the_same_however_it_is_spelled() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir(path("etc")).unwrap();
        std::fs::write(path("etc/one.toml"), "").unwrap();
        std::fs::write(path("etc/two.toml"), "").unwrap();
        symlink("etc", path("link")).unwrap();
        symlink("etc/one.toml", path("current.toml")).unwrap();
        let same = |one: &str, other: &str| is_same_file(&path(one), &path(other));
        assert!(
            same("etc/one.toml", "link/../etc/./one.toml") && same("etc/one.toml", "link/one.toml")
        );
        assert!(
            same("etc/missing.toml", "link/missing.toml"),
            "one that is gone is asked for as well"
        );
        assert!(same("current.toml", "etc/one.toml"));
        assert!(!same("etc/one.toml", "etc/two.toml") && !same("etc/missing.toml", "missing.toml"));
        std::fs::remove_file(path("current.toml")).unwrap();
        symlink("etc/two.toml", path("current.toml")).unwrap();
        assert!(same("current.toml", "etc/../current.toml"), "wherever it leads now");
        assert!(!same("current.toml", "etc/one.toml"));
    }
}
