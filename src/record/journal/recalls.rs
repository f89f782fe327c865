//! What a recall did to delivered messages: `recalls-*.jsonl` in the directory of the events, one JSON object a line.
//!
//! `linkmilter recall` writes it, not the daemon, and the files belong to the owner of the journal. A user who may not
//! write there writes into a directory of his own. A message is identified by its Message-ID alone: its mailbox and
//! its owner are not recorded.

use std::fs::DirBuilder;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, fchown, lchown};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::reader::each_line;
use super::{
    JournalBounds, JournalError, SegmentStream, WrittenBy, failed, make, remove, segments,
};
use crate::record::SCHEMA_VERSION;
use crate::record::time::Timestamp;

/// Name of the stream.
pub(super) const NAME: &str = "recalls";

/// Recalls get one part in this many of the bytes of a journal: some 40,000 of them by default.
pub(super) const SHARE_DIVISOR: u64 = 32;

/// What was done to a delivered message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecallAction {
    /// Its links to some hosts were defanged.
    Recalled,
    /// Its links were restored.
    GivenBack,
}

/// Kind of the mailbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mailbox {
    Maildir,
    Imap,
}

/// One message that a recall changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecallEvent {
    /// [`SCHEMA_VERSION`] of the program that wrote it.
    pub v: u32,
    pub time: Timestamp,
    /// Digest by [`message_id`](crate::record::event::message_id); empty without a Message-ID.
    pub message_id: String,
    pub action: RecallAction,
    pub mailbox: Mailbox,
    /// The hosts that the recall named, as A-labels.
    pub hosts: Vec<String>,
    /// Links that were defanged; 0 if links were restored.
    pub links: u64,
}

impl RecallEvent {
    /// The event as one line of JSON, without the line end.
    pub fn to_line(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// Writes the stream.
#[derive(Debug)]
pub struct Recalls {
    directory: PathBuf,
    stream: SegmentStream,
}

impl Recalls {
    /// Opens the stream in the directory of a journal, which is made as the daemon makes it if it does not exist: on a
    /// host of mailboxes no daemon may ever run. Made by root in a directory of the filter's user, it is that user's.
    ///
    /// # Errors
    /// The directory cannot be made or read.
    pub fn open(directory: &Path, bounds: JournalBounds) -> Result<Recalls, JournalError> {
        if !directory.exists() {
            make(directory)?;
            set_owner_of_parent(directory)?;
        }
        segments(directory, NAME)?;
        let stream = SegmentStream::new(NAME, bounds.bytes / SHARE_DIVISOR, WrittenBy::Anybody);
        Ok(Recalls { directory: directory.to_owned(), stream })
    }

    /// Opens the stream in the user's own directory, which is made (0700) if it does not exist. No daemon expires old
    /// segments there, so they are removed now.
    ///
    /// # Errors
    /// The directory cannot be made or read, or an old segment cannot be removed.
    pub fn of_user(
        directory: &Path,
        bounds: JournalBounds,
        now: Timestamp,
    ) -> Result<Recalls, JournalError> {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(directory);
        made.map_err(|source| failed(directory, "make the directory", source))?;
        let oldest = now.minus(bounds.age);
        for segment in segments(directory, NAME)? {
            if segment.written < oldest {
                remove(&segment.path)?;
            }
        }
        Recalls::open(directory, bounds)
    }

    /// Appends an event, and flushes it to disk.
    ///
    /// # Errors
    /// The segment cannot be opened or written, or is a link to another file.
    pub fn record(&mut self, event: &RecallEvent) -> Result<(), JournalError> {
        let mut line = event.to_line().into_bytes();
        line.push(b'\n');
        self.stream.append(&self.directory, &line, event.time)?;
        self.set_owner()?;
        self.stream.sync()
    }

    /// Gives a file that root wrote to the owner of the directory, so that he can read and remove it.
    fn set_owner(&self) -> Result<(), JournalError> {
        let Some(open) = &self.stream.open else { return Ok(()) };
        let wrong = |source| failed(&open.path, "give it to the owner of the journal", source);
        let owner = std::fs::metadata(&self.directory).map_err(wrong)?;
        let file = open.file.metadata().map_err(wrong)?;
        if file.uid() == owner.uid() {
            return Ok(());
        }
        fchown(&open.file, Some(owner.uid()), Some(owner.gid())).map_err(wrong)
    }
}

/// Gives a directory that was just made to the owner of the one above it.
fn set_owner_of_parent(directory: &Path) -> Result<(), JournalError> {
    let Some(above) = directory.parent() else { return Ok(()) };
    let wrong = |source| failed(directory, "give it to the owner of the state directory", source);
    let owner = std::fs::metadata(above).map_err(wrong)?;
    let made = std::fs::symlink_metadata(directory).map_err(wrong)?;
    if made.uid() == owner.uid() {
        return Ok(());
    }
    lchown(directory, Some(owner.uid()), Some(owner.gid())).map_err(wrong)
}

/// Passes the recalls of messages with one of these Message-IDs to `take`, in the order of writing. Returns the number
/// of lines that cannot be read.
///
/// # Errors
/// The directory or a segment exists but cannot be read.
pub fn recalls_of(
    directory: &Path,
    message_ids: &[&str],
    mut take: impl FnMut(RecallEvent),
) -> Result<u64, JournalError> {
    let mut unread = 0;
    each_line(segments(directory, NAME)?, |line| match line {
        Some(line) => match serde_json::from_slice::<RecallEvent>(line) {
            Ok(event) if event.v <= SCHEMA_VERSION => {
                if message_ids.contains(&event.message_id.as_str()) {
                    take(event);
                }
            }
            Ok(_) | Err(_) => unread += 1,
        },
        None => unread += 1,
    })?;
    Ok(unread)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::journal::EventJournal;

    fn event(second: u64, message_id: &str) -> RecallEvent {
        RecallEvent {
            v: SCHEMA_VERSION,
            time: Timestamp(second * 1_000),
            message_id: message_id.to_owned(),
            action: RecallAction::Recalled,
            mailbox: Mailbox::Maildir,
            hosts: vec!["bad.example.com".to_owned()],
            links: 2,
        }
    }

    fn found(directory: &Path, ids: &[&str]) -> (Vec<u64>, u64) {
        let mut times = Vec::new();
        let unread = recalls_of(directory, ids, |event| times.push(event.time.seconds())).unwrap();
        (times, unread)
    }

    #[test]
    fn recalls_are_found_by_message_id() {
        let directory = tempfile::tempdir().unwrap();
        let journal = directory.path().join("journal");
        assert_eq!(found(&journal, &["a"]), (vec![], 0), "no journal, no recalls");
        let mut recalls = Recalls::open(&journal, JournalBounds::default()).unwrap();
        for (second, id) in [(1, "a"), (2, "b"), (3, "a")] {
            recalls.record(&event(second, id)).unwrap();
        }
        let _daemon = EventJournal::open(&journal, JournalBounds::default()).unwrap();
        assert_eq!(found(&journal, &["a"]), (vec![1, 3], 0));
        assert_eq!(found(&journal, &["a", "b", "c"]), (vec![1, 2, 3], 0));
        // A torn line, one of a newer version, and another run after them.
        let file = segments(&journal, NAME).unwrap().pop().unwrap().path;
        let newer = RecallEvent { v: SCHEMA_VERSION + 1, ..event(4, "a") };
        let text = std::fs::read_to_string(&file).unwrap() + &newer.to_line() + "\n{\"v\":1,\"ti";
        std::fs::write(&file, text).unwrap();
        let mut recalls = Recalls::open(&journal, JournalBounds::default()).unwrap();
        recalls.record(&event(5, "a")).unwrap();
        assert_eq!(found(&journal, &["a"]), (vec![1, 3, 5], 2));
    }

    /// A user who may write there must not make root write into another file.
    #[test]
    fn a_segment_that_leads_elsewhere_is_not_written() {
        let directory = tempfile::tempdir().unwrap();
        let other = directory.path().join("other");
        std::fs::write(&other, "").unwrap();
        let link = directory.path().join("recalls-000000000001.jsonl");
        std::os::unix::fs::symlink(&other, &link).unwrap();
        let mut recalls = Recalls::open(directory.path(), JournalBounds::default()).unwrap();
        assert!(recalls.record(&event(1, "a")).is_err());
        std::fs::remove_file(&link).unwrap();
        std::fs::hard_link(&other, &link).unwrap();
        let mut recalls = Recalls::open(directory.path(), JournalBounds::default()).unwrap();
        assert!(recalls.record(&event(1, "a")).is_err());
        assert_eq!(std::fs::read_to_string(&other).unwrap(), "");
    }

    #[test]
    fn recalls_are_bounded_and_age_with_the_journal() {
        let directory = tempfile::tempdir().unwrap();
        let bounds = JournalBounds { bytes: 64 << 10, ..JournalBounds::default() };
        let mut journal = EventJournal::open(directory.path(), bounds).unwrap();
        let mut recalls = Recalls::open(directory.path(), bounds).unwrap();
        for second in 0..100 {
            recalls.record(&event(second, "a")).unwrap();
        }
        let size: u64 = segments(directory.path(), NAME).unwrap().iter().map(|s| s.length).sum();
        assert!(size <= bounds.bytes / SHARE_DIVISOR && size > 0, "{size}");
        assert_eq!(journal.size().unwrap(), size);
        let later = Timestamp::of(std::time::SystemTime::now());
        journal.expire(later, std::time::Duration::ZERO).unwrap();
        assert_eq!(journal.size().unwrap(), size, "written just now");
        let later = Timestamp(later.0 + 31 * 86_400_000);
        journal.expire(later, std::time::Duration::from_secs(31 * 86_400)).unwrap();
        assert_eq!(journal.size().unwrap(), 0);
    }
}
