//! A configuration as it was when it last held: every file that it was made of, and the
//! environment. [`super::load`] reads a snapshot as it reads the disk, so a configuration that
//! comes back from one is the one that was put in.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Config, lists};
use crate::file;

/// Name of the file in the state directory.
const FILE: &str = "last-good.json";

/// Bytes of the file at most: three lists of the biggest size and what is around them.
const MAX_BYTES: u64 = 128 << 20;

/// Form of the file.
const VERSION: u32 = 1;

/// Where files of a configuration are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Files {
    #[default]
    Disk,
    Kept(Arc<Snapshot>),
}

/// See the module's description.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    v: u32,
    /// When it was taken, in UTC.
    pub time: String,
    /// The main file that was asked for: what belongs to another one is not ours.
    asked: PathBuf,
    /// The main file, then those of `conf.d` in their order.
    pub(super) layers: Vec<PathBuf>,
    /// What stood in each file, layers and lists and keys.
    files: BTreeMap<PathBuf, Content>,
    pub(super) environment: BTreeMap<String, String>,
}

/// Keys need not be text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Bytes(Vec<u8>),
}

/// Why no snapshot was kept.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", path.display())]
pub struct SnapshotError {
    pub path: PathBuf,
    #[source]
    pub source: io::Error,
}

impl Files {
    /// The bytes of a file.
    pub(super) fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        match self {
            Files::Disk => file::read(path, file::MAX_BYTES),
            Files::Kept(snapshot) => snapshot.bytes(path),
        }
    }

    /// The text of a list, bounded on the disk.
    pub(super) fn list(&self, path: &Path) -> io::Result<String> {
        match self {
            Files::Disk => lists::read(path),
            Files::Kept(snapshot) => file::into_text(snapshot.bytes(path)?),
        }
    }
}

impl Snapshot {
    /// What `config` was read from: these layers, for whom this main file was asked for, and this
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
                Ok(bytes) => drop(files.insert(path, Content::of(bytes))),
                // A list that nobody made; what must be there was found a moment ago.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(source) => return Err(SnapshotError { path, source }),
            }
        }
        Ok(Snapshot { v: VERSION, time, asked, layers, files, environment })
    }

    /// Puts it into the state directory, readable for the daemon alone: it may hold a key. One
    /// that says the same stays, so that a full disk takes nothing away.
    ///
    /// # Errors
    /// When the directory takes no file; the old one is still there.
    pub fn keep(&self, directory: &Path) -> Result<(), SnapshotError> {
        let path = directory.join(FILE);
        if read(&path).is_ok_and(|kept| self.says_the_same(&kept)) {
            return Ok(());
        }
        let beside = directory.join(format!(".{FILE}.{}", std::process::id()));
        let written = (|| {
            let text = serde_json::to_vec(self)?;
            let mut options = fs::OpenOptions::new();
            let mut file =
                options.write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
            file.write_all(&text)?;
            file.sync_all()?;
            fs::rename(&beside, &path)
        })();
        written.map_err(|source| {
            // Nothing more can be done about half a file.
            let _ = fs::remove_file(&beside);
            SnapshotError { path, source }
        })
    }

    /// The snapshot for this main file in the first of these state directories that has one.
    pub(super) fn find(asked: &Path, directories: &[PathBuf]) -> Option<Snapshot> {
        directories
            .iter()
            .filter_map(|directory| read(&directory.join(FILE)).ok())
            .find(|kept| kept.v == VERSION && kept.asked == asked)
    }

    /// Whether a main file was read.
    pub fn main_file(&self) -> Option<&PathBuf> {
        self.layers.first()
    }

    fn says_the_same(&self, other: &Snapshot) -> bool {
        *self == Snapshot { time: self.time.clone(), ..other.clone() }
    }

    fn bytes(&self, path: &Path) -> io::Result<Vec<u8>> {
        match self.files.get(path) {
            Some(Content::Text(text)) => Ok(text.clone().into_bytes()),
            Some(Content::Bytes(bytes)) => Ok(bytes.clone()),
            None => Err(ErrorKind::NotFound.into()),
        }
    }
}

impl Content {
    fn of(bytes: Vec<u8>) -> Content {
        String::from_utf8(bytes)
            .map_or_else(|error| Content::Bytes(error.into_bytes()), Content::Text)
    }
}

fn read(path: &Path) -> io::Result<Snapshot> {
    Ok(serde_json::from_slice(&file::read(path, MAX_BYTES)?)?)
}
