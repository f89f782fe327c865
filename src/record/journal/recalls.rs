//! What a recall did to messages that were delivered long ago: `recalls-*.jsonl` beside the events, one
//! JSON object a line. It is written by `linkmilter recall`, not by the daemon, and belongs to whoever owns
//! the journal; by who may not write there, into a directory of his own. A message is known by its Message-ID alone: where it lies, and whose it is, is not kept.

use std::fs::DirBuilder;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, fchown};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{
    Bounds, JournalError, Line, SCHEMA_VERSION, Stream, Writer, each_line, failed, remove, segments,
};
use crate::record::time::Timestamp;

/// The stream's name.
pub(super) const NAME: &str = "recalls";

/// Of the bytes of a journal, what recalls get: some 40,000 of them by default.
pub(super) const SHARE: u64 = 32;

/// What was done to a delivered message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Done {
    /// Its links to some hosts were taken apart.
    Recalled,
    /// They are as they were.
    GivenBack,
}

/// Where it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mailbox {
    Maildir,
    Imap,
}

/// One message that a recall changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecallEvent {
    /// [`SCHEMA_VERSION`] at writing.
    pub v: u32,
    pub time: Timestamp,
    /// As [`message_id`](crate::record::event::message_id) keeps it; empty without one.
    pub message_id: String,
    pub action: Done,
    pub mailbox: Mailbox,
    /// The hosts that were named, as A-labels.
    pub hosts: Vec<String>,
    /// Links that were taken apart; 0 where one is given back.
    pub links: u64,
}

impl RecallEvent {
    /// The event in one line, without the line end.
    pub fn to_line(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The writing end.
#[derive(Debug)]
pub struct Recalls {
    directory: PathBuf,
    stream: Stream,
}

impl Recalls {
    /// Opens the stream in the directory of a journal; none where there is no journal.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn open(directory: &Path, bounds: Bounds) -> Result<Option<Recalls>, JournalError> {
        if !directory.is_dir() {
            return Ok(None);
        }
        segments(directory, NAME)?;
        let stream = Stream::new(NAME, bounds.bytes / SHARE, Writer::Anybody);
        Ok(Some(Recalls { directory: directory.to_owned(), stream }))
    }

    /// Opens the stream in a directory of whoever recalls, which is made (0700) where it is absent. Nobody
    /// else looks after it: what is too old goes now.
    ///
    /// # Errors
    /// When the directory cannot be made or read, or an old segment not be removed.
    pub fn of_user(
        directory: &Path,
        bounds: Bounds,
        now: Timestamp,
    ) -> Result<Option<Recalls>, JournalError> {
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

    /// Appends an event, and brings it to the disk.
    ///
    /// # Errors
    /// When the segment cannot be opened, is none of the journal's or cannot be written.
    pub fn record(&mut self, event: &RecallEvent) -> Result<(), JournalError> {
        let mut line = event.to_line().into_bytes();
        line.push(b'\n');
        self.stream.append(&self.directory, &line, event.time)?;
        self.own()?;
        self.stream.sync()
    }

    /// What root writes belongs to the owner of the directory, so that he can read and remove it.
    fn own(&self) -> Result<(), JournalError> {
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

/// Hands over what recalls did to messages with one of these Message-IDs, in the order of writing; comes
/// back with the number of lines that cannot be read.
///
/// # Errors
/// When the directory or a segment is there but cannot be read.
pub fn recalls_of(
    directory: &Path,
    message_ids: &[&str],
    mut take: impl FnMut(RecallEvent),
) -> Result<u64, JournalError> {
    let mut unread = 0;
    each_line(segments(directory, NAME)?, |line| match line {
        Line::Whole(line) => match serde_json::from_slice::<RecallEvent>(&line) {
            Ok(event) if event.v <= SCHEMA_VERSION => {
                if message_ids.contains(&event.message_id.as_str()) {
                    take(event);
                }
            }
            Ok(_) | Err(_) => unread += 1,
        },
        Line::TooLong => unread += 1,
    })?;
    Ok(unread)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::journal::Journal;

    fn event(second: u64, message_id: &str) -> RecallEvent {
        RecallEvent {
            v: SCHEMA_VERSION,
            time: Timestamp(second * 1_000),
            message_id: message_id.to_owned(),
            action: Done::Recalled,
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
    fn what_was_recalled_is_found_by_its_message_id() {
        let directory = tempfile::tempdir().unwrap();
        let journal = directory.path().join("journal");
        assert!(
            Recalls::open(&journal, Bounds::default()).unwrap().is_none(),
            "no journal, no word"
        );
        assert_eq!(found(&journal, &["a"]), (vec![], 0));
        let _daemon = Journal::open(&journal, Bounds::default()).unwrap();
        let mut recalls = Recalls::open(&journal, Bounds::default()).unwrap().unwrap();
        for (second, id) in [(1, "a"), (2, "b"), (3, "a")] {
            recalls.record(&event(second, id)).unwrap();
        }
        assert_eq!(found(&journal, &["a"]), (vec![1, 3], 0));
        assert_eq!(found(&journal, &["a", "b", "c"]), (vec![1, 2, 3], 0));
        // A torn line, one of a newer version, and another run behind them.
        let file = segments(&journal, NAME).unwrap().pop().unwrap().path;
        let newer = RecallEvent { v: SCHEMA_VERSION + 1, ..event(4, "a") };
        let text = std::fs::read_to_string(&file).unwrap() + &newer.to_line() + "\n{\"v\":1,\"ti";
        std::fs::write(&file, text).unwrap();
        let mut recalls = Recalls::open(&journal, Bounds::default()).unwrap().unwrap();
        recalls.record(&event(5, "a")).unwrap();
        assert_eq!(found(&journal, &["a"]), (vec![1, 3, 5], 2));
    }

    /// Whoever may write there must not have root write into another file.
    #[test]
    fn a_segment_that_leads_elsewhere_is_not_written() {
        let directory = tempfile::tempdir().unwrap();
        let other = directory.path().join("other");
        std::fs::write(&other, "").unwrap();
        let link = directory.path().join("recalls-000000000001.jsonl");
        std::os::unix::fs::symlink(&other, &link).unwrap();
        let mut recalls = Recalls::open(directory.path(), Bounds::default()).unwrap().unwrap();
        assert!(recalls.record(&event(1, "a")).is_err());
        std::fs::remove_file(&link).unwrap();
        std::fs::hard_link(&other, &link).unwrap();
        let mut recalls = Recalls::open(directory.path(), Bounds::default()).unwrap().unwrap();
        assert!(recalls.record(&event(1, "a")).is_err());
        assert_eq!(std::fs::read_to_string(&other).unwrap(), "");
    }

    #[test]
    fn recalls_are_bounded_and_age_with_the_journal() {
        let directory = tempfile::tempdir().unwrap();
        let bounds = Bounds { bytes: 64 << 10, ..Bounds::default() };
        let mut journal = Journal::open(directory.path(), bounds).unwrap();
        let mut recalls = Recalls::open(directory.path(), bounds).unwrap().unwrap();
        for second in 0..100 {
            recalls.record(&event(second, "a")).unwrap();
        }
        let size: u64 = segments(directory.path(), NAME).unwrap().iter().map(|s| s.length).sum();
        assert!(size <= bounds.bytes / SHARE && size > 0, "{size}");
        assert_eq!(journal.size().unwrap(), size);
        let later = Timestamp::of(std::time::SystemTime::now());
        journal.expire(later, std::time::Duration::ZERO).unwrap();
        assert_eq!(journal.size().unwrap(), size, "written just now");
        let later = Timestamp(later.0 + 31 * 86_400_000);
        journal.expire(later, std::time::Duration::from_secs(31 * 86_400)).unwrap();
        assert_eq!(journal.size().unwrap(), 0);
    }
}
