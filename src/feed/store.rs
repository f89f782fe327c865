//! Lists in a directory of their own: each as it came, and beside it what the server needs to be asked
//! only for something newer. A list takes the place of the last good one when it has been read.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The files of the state directory.
#[derive(Clone, Debug)]
pub struct Store {
    directory: PathBuf,
}

/// What is known of a list that is kept. It is of that list alone: bytes of another sum are not used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Where it came from; what is known of another place means nothing.
    pub source: String,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    /// SHA-256 of the list that is kept, 64 digits.
    pub sum: String,
    /// The URL of the checksum that it was compared with.
    pub compared: Option<String>,
    /// Seconds since 1970 of the last good check.
    pub checked: u64,
}

/// A file beside the list, until it has been read.
#[derive(Debug)]
pub struct Beside {
    path: PathBuf,
    pub file: File,
}

impl Drop for Beside {
    fn drop(&mut self) {
        // It is gone when it has taken its place.
        let _ = fs::remove_file(&self.path);
    }
}

impl Store {
    pub fn new(directory: impl Into<PathBuf>) -> Store {
        Store { directory: directory.into() }
    }

    /// The list of that name as it is kept.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.join(format!("{name}.list"))
    }

    fn note_path(&self, name: &str) -> PathBuf {
        self.directory.join(format!("{name}.json"))
    }

    /// What is known of a list; nothing when none is kept.
    pub fn note(&self, name: &str) -> Note {
        let text = fs::read_to_string(self.note_path(name)).ok();
        text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    /// A new file, to be read before it takes the list's place.
    ///
    /// # Errors
    /// When the directory takes none.
    pub fn beside(&self, name: &str) -> io::Result<Beside> {
        fs::create_dir_all(&self.directory)?;
        fs::set_permissions(&self.directory, fs::Permissions::from_mode(0o755))?;
        let path = self.directory.join(format!(".{name}.{}", std::process::id()));
        let mut options = File::options();
        let file = options.read(true).write(true).create(true).truncate(true).open(&path)?;
        file.set_permissions(fs::Permissions::from_mode(0o644))?;
        Ok(Beside { path, file })
    }

    /// Puts it in the list's place, then the note.
    ///
    /// # Errors
    /// When a file cannot be written; the last good list is still there.
    pub fn replace(&self, name: &str, beside: &Beside, note: &Note) -> io::Result<()> {
        beside.file.sync_all()?;
        fs::rename(&beside.path, self.path(name))?;
        self.keep_note(name, note)
    }

    /// Notes a good check.
    ///
    /// # Errors
    /// When the note cannot be written.
    pub fn keep_note(&self, name: &str, note: &Note) -> io::Result<()> {
        let beside = self.beside(&format!("{name}.json"))?;
        (&beside.file).write_all(&serde_json::to_vec_pretty(note)?)?;
        beside.file.sync_all()?;
        fs::rename(&beside.path, self.note_path(name))?;
        sync(&self.directory)
    }
}

fn sync(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}
