//! The state directory of the lists: each list as fetched, and a file with its metadata, so that
//! the server sends only a newer one. A new list replaces the last good one only after it has been
//! parsed.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::atomic_file::AtomicFile;
use crate::fetch::Validators;

/// The files of the state directory.
#[derive(Clone, Debug)]
pub struct FeedStore {
    directory: PathBuf,
}

/// What is known of a stored list. A list with another checksum than `sum` is not used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedMetadata {
    /// Where the list came from. Validators of another source mean nothing.
    pub source: String,
    #[serde(flatten)]
    pub validators: Validators,
    /// SHA-256 of the stored list, 64 hexadecimal digits.
    pub sum: String,
    /// The URL of the checksum that the list was compared with.
    pub compared: Option<String>,
    /// Unix time of the last successful check, in seconds.
    pub checked: u64,
}

impl FeedStore {
    pub fn new(directory: impl Into<PathBuf>) -> FeedStore {
        FeedStore { directory: directory.into() }
    }

    /// The path of a stored list.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.join(list_file(name))
    }

    fn metadata_path(&self, name: &str) -> PathBuf {
        self.directory.join(format!("{name}.json"))
    }

    /// The metadata of a stored list, or empty metadata when there is none.
    pub fn metadata(&self, name: &str) -> FeedMetadata {
        let text = fs::read_to_string(self.metadata_path(name)).ok();
        text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    /// Creates a temporary file for a list, to be parsed before it replaces the stored one.
    ///
    /// # Errors
    /// When the directory or the file cannot be created.
    pub fn create(&self, name: &str) -> io::Result<AtomicFile> {
        AtomicFile::new(&self.directory, &list_file(name))
    }

    /// Replaces the stored list, then its metadata.
    ///
    /// # Errors
    /// When a file cannot be written. The last good list is still there.
    pub fn replace(
        &self,
        name: &str,
        temp_file: AtomicFile,
        metadata: &FeedMetadata,
    ) -> io::Result<()> {
        temp_file.commit()?;
        self.write_metadata(name, metadata)
    }

    /// Records a successful check.
    ///
    /// # Errors
    /// When the metadata cannot be written.
    pub fn write_metadata(&self, name: &str, metadata: &FeedMetadata) -> io::Result<()> {
        let mut temp_file = AtomicFile::new(&self.directory, &format!("{name}.json"))?;
        temp_file.file.write_all(&serde_json::to_vec_pretty(metadata)?)?;
        temp_file.commit()
    }
}

fn list_file(name: &str) -> String {
    format!("{name}.list")
}
