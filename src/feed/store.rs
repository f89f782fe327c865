//! Lists in a directory of their own: each as it came, and beside it what the server needs to be asked
//! only for something newer. A list takes the place of the last good one when it has been read.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::beside::Beside;

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

impl Store {
    pub fn new(directory: impl Into<PathBuf>) -> Store {
        Store { directory: directory.into() }
    }

    /// The list of that name as it is kept.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.join(list(name))
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
        Beside::new(&self.directory, &list(name))
    }

    /// Puts it in the list's place, then the note.
    ///
    /// # Errors
    /// When a file cannot be written; the last good list is still there.
    pub fn replace(&self, name: &str, beside: Beside, note: &Note) -> io::Result<()> {
        beside.take_place()?;
        self.keep_note(name, note)
    }

    /// Notes a good check.
    ///
    /// # Errors
    /// When the note cannot be written.
    pub fn keep_note(&self, name: &str, note: &Note) -> io::Result<()> {
        let mut beside = Beside::new(&self.directory, &format!("{name}.json"))?;
        beside.file.write_all(&serde_json::to_vec_pretty(note)?)?;
        beside.take_place()
    }
}

fn list(name: &str) -> String {
    format!("{name}.list")
}
