//! What the daemon keeps in its state directory for the next start: the configuration in force, and the key of the
//! seal if it is our own. Both are written anew when somebody has removed or changed them while the daemon runs.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::seal;
use super::settings::{self, Loaded};
use super::throttle::Throttle;
use crate::atomic_file;
use crate::config::{Files, ReplacedSnapshot, Snapshot, Sources};

/// What is kept of a configuration in force.
#[derive(Debug)]
pub struct Kept {
    directory: PathBuf,
    /// `None` if its files changed while they were read: then nothing of it is kept.
    snapshot: Option<Arc<Snapshot>>,
    /// The file of the snapshot when it was last as it should be.
    file: Option<FileState>,
    /// Our own key, and where it is.
    key: Option<(PathBuf, Arc<[u8]>)>,
    failed: Throttle,
}

/// What differs when a file was changed or replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileState {
    device: u64,
    inode: u64,
    length: u64,
    changed: (i64, i64),
}

impl FileState {
    /// `None` if there is no such file, or it cannot be asked.
    fn of(path: &Path) -> Option<FileState> {
        let data = fs::metadata(path).ok()?;
        Some(FileState {
            device: data.dev(),
            inode: data.ino(),
            length: data.len(),
            changed: (data.mtime(), data.mtime_nsec()),
        })
    }
}

impl Kept {
    /// Keeps a configuration that was just loaded from these sources, if it is not one that was kept before.
    pub fn keep(sources: &Sources, loaded: &Loaded) -> Kept {
        let snapshot = match &loaded.config.files {
            Files::Snapshot(snapshot) => Some(Arc::clone(snapshot)),
            Files::Disk => match settings::snapshot(sources, &loaded.config) {
                Ok(snapshot) => Some(Arc::new(snapshot)),
                Err(error) => {
                    tracing::warn!(%error, "{NOT_SAVED}");
                    None
                }
            },
        };
        let is_own = loaded.config.policy.seal_key_file.is_none();
        let key = loaded.seal.as_ref().ok().filter(|_| is_own).map(seal::Seal::key);
        let mut kept = Kept {
            directory: loaded.config.server.state_dir.clone(),
            snapshot,
            file: None,
            key: key.map(|key| (seal::path(&loaded.config), key)),
            failed: Throttle::default(),
        };
        kept.write_snapshot(Occasion::Loaded);
        kept
    }

    /// Writes anew what is not there any more, or is not what was written.
    pub fn look(&mut self) {
        if self.file.is_none() || FileState::of(&Snapshot::path(&self.directory)) != self.file {
            self.write_snapshot(Occasion::Look);
        }
        self.write_key();
    }

    fn write_snapshot(&mut self, occasion: Occasion) {
        let Some(snapshot) = &self.snapshot else { return };
        let path = Snapshot::path(&self.directory);
        let name = path.display();
        match snapshot.keep(&self.directory) {
            Ok(ReplacedSnapshot::Unreadable(error)) => tracing::warn!(
                "{name}: the last good configuration that was kept there could not be used: {error}; the one in \
                 force is kept in its place"
            ),
            Ok(ReplacedSnapshot::Nothing | ReplacedSnapshot::Other)
                if occasion == Occasion::Look =>
            {
                tracing::warn!(
                    "{name}: it was gone or changed: the configuration in force is kept there anew"
                );
            }
            Ok(_) => {}
            Err(error) => {
                if let Some(more) = self.failed.admit() {
                    tracing::warn!(%error, more, "{NOT_SAVED}");
                }
                return;
            }
        }
        self.file = FileState::of(&path);
    }

    fn write_key(&self) {
        let Some((path, key)) = &self.key else { return };
        let is_gone =
            fs::symlink_metadata(path).is_err_and(|error| error.kind() == ErrorKind::NotFound);
        if !is_gone {
            return;
        }
        let name = path.display();
        match atomic_file::replace(path, key, atomic_file::PRIVATE) {
            Ok(()) => tracing::warn!("{name}: it was gone: the key in use is written there anew"),
            Err(error) => {
                if let Some(more) = self.failed.admit() {
                    tracing::warn!(%error, more, "{name}: the key in use is gone, and not written anew");
                }
            }
        }
    }
}

const NOT_SAVED: &str = "this configuration is not saved as the last good one";

/// When a snapshot is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Occasion {
    /// Its configuration was loaded.
    Loaded,
    /// Its file was looked at, and is not as it was.
    Look,
}
