//! Reads events from the segments of a journal.

use std::io::{self, BufReader};
use std::path::Path;

use super::{JournalError, Segment, failed, segments};
use crate::file::{self, NextLine};
use crate::plural::{counted, verb};
use crate::record::SCHEMA_VERSION;
use crate::record::event::Event;
use crate::record::query::{Match, Query};
use crate::record::time::Timestamp;

/// Longest line that a reader accepts, in bytes with its line end. An [`Event`] stays below by its own limits.
pub const MAX_LINE_BYTES: u64 = 128 << 10;

/// What [`read`] found besides the events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadSummary {
    /// Lines that are no event: torn, damaged, or longer than [`MAX_LINE_BYTES`].
    pub damaged: u64,
    /// Events with a newer schema than that of this program.
    pub newer: u64,
    /// The oldest event of each stream: how far back the journal goes.
    pub oldest_finding: Option<Timestamp>,
    pub oldest_clean: Option<Timestamp>,
    /// Events that may match: they have more hosts or recipient domains than are recorded, and the recorded ones do
    /// not match.
    pub maybe: u64,
}

impl ReadSummary {
    /// What to tell the user if more events may match than were found.
    pub fn omission_note(&self) -> Option<String> {
        let maybe = (self.maybe > 0).then(|| {
            format!(
                "{} had more hosts or recipient domains than are recorded of one: what was looked for may have \
                 been among them",
                counted(self.maybe, "message")
            )
        });
        let notes: Vec<String> = maybe.into_iter().chain(self.unread_note()).collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }

    /// What to tell the user of events that may match and cannot be read.
    pub fn unread_note(&self) -> Option<String> {
        let unread = |count, what: &str, why: &str| {
            (count > 0).then(|| format!("{} of the journal {why}", counted(count, what)))
        };
        let are = verb(self.newer, "is", "are");
        let newer = format!("that may match {are} of a newer version of linkmilter: not read");
        let notes =
            [unread(self.newer, "event", &newer), unread(self.damaged, "line", "cannot be read")];
        let notes: Vec<String> = notes.into_iter().flatten().collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }

    /// What to tell the user if nothing was found: these words, and how far back the journal goes.
    pub fn not_found_note(&self, what: &str, journal: &Path) -> String {
        let journal = journal.display();
        match [self.oldest_finding, self.oldest_clean].into_iter().flatten().min() {
            Some(oldest) => {
                format!("{what} in the journal {journal}, which reaches back to {oldest}")
            }
            None => format!("{what}: the journal {journal} has no event yet"),
        }
    }
}

/// Passes every event that matches to `take`: findings before clean mail, each in the order of writing. A directory
/// that does not exist counts as an empty journal.
///
/// # Errors
/// The directory or a segment exists but cannot be read.
pub fn read(
    directory: &Path,
    query: Query<'_>,
    mut take: impl FnMut(Event),
) -> Result<ReadSummary, JournalError> {
    let mut summary = ReadSummary::default();
    for stream in ["events", "clean"] {
        let all = segments(directory, stream)?;
        let oldest = all.first().map(|segment| Timestamp(segment.start.saturating_mul(1_000)));
        match stream {
            "events" => summary.oldest_finding = oldest,
            _ => summary.oldest_clean = oldest,
        }
        each_line(all, |line| match line {
            Some(line) if !query.may_match(line) => {}
            Some(line) => match serde_json::from_slice::<Event>(line) {
                Ok(event) if event.v > SCHEMA_VERSION => summary.newer += 1,
                Ok(event) => match query.matches(&event) {
                    Match::Yes => take(event),
                    Match::Maybe => summary.maybe += 1,
                    Match::No => {}
                },
                Err(_) => summary.damaged += 1,
            },
            None => summary.damaged += 1,
        })?;
    }
    Ok(summary)
}

/// Passes every line of some segments to `take` that is not empty; `None` for one that is too long.
pub(super) fn each_line(
    all: Vec<Segment>,
    mut take: impl FnMut(Option<&[u8]>),
) -> Result<(), JournalError> {
    let mut line = Vec::new();
    for segment in all {
        // Users own the directories with their recalls. A named pipe there must not block a reader.
        let file = match file::open(&segment.path) {
            Ok(file) => file,
            // Removed since the listing.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(source) => return Err(failed(&segment.path, "open it", source)),
        };
        let mut lines = BufReader::new(file);
        let torn = |source| failed(&segment.path, "read it", source);
        loop {
            match file::next_line(&mut lines, MAX_LINE_BYTES - 1, &mut line).map_err(torn)? {
                NextLine::End => break,
                NextLine::TooLong => take(None),
                NextLine::Line if line.is_empty() => {}
                NextLine::Line => take(Some(&line)),
            }
        }
    }
    Ok(())
}
