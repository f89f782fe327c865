//! Reads events from the segments of a journal.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use super::{JournalError, Segment, failed, segments};
use crate::file;
use crate::record::SCHEMA_VERSION;
use crate::record::event::Event;
use crate::record::query::{Match, Query};
use crate::record::time::Timestamp;

/// Longest line that a reader accepts, in bytes. An [`Event`] stays below by its own limits.
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
        (self.maybe > 0).then(|| {
            format!(
                "{} messages had more hosts or recipient domains than are recorded of one: what was looked \
                 for may have been among them",
                self.maybe
            )
        })
    }

    /// What to tell the user if nothing was found: these words, and how far back the journal goes.
    pub fn not_found_note(&self, what: &str, journal: &Path) -> String {
        let journal = journal.display();
        match [self.oldest_finding, self.oldest_clean].into_iter().flatten().min() {
            Some(oldest) => {
                format!("{what} in the journal {journal}, which reaches back to {oldest}")
            }
            None => format!("the journal {journal} is empty"),
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
            Line::Whole(line) if !query.may_match(&line) => {}
            Line::Whole(line) => match serde_json::from_slice::<Event>(&line) {
                Ok(event) if event.v > SCHEMA_VERSION => summary.newer += 1,
                Ok(event) => match query.matches(&event) {
                    Match::Yes => take(event),
                    Match::Maybe => summary.maybe += 1,
                    Match::No => {}
                },
                Err(_) => summary.damaged += 1,
            },
            Line::TooLong => summary.damaged += 1,
        })?;
    }
    Ok(summary)
}

/// Passes every line of some segments to `take`.
pub(super) fn each_line(all: Vec<Segment>, mut take: impl FnMut(Line)) -> Result<(), JournalError> {
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
        while let Some(line) = next_line(&mut lines).map_err(torn)? {
            take(line);
        }
    }
    Ok(())
}

pub(super) enum Line {
    /// Without its line end; never empty.
    Whole(Vec<u8>),
    TooLong,
}

/// The next line that is not empty. A last line without a line end counts: it may hold a whole event.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    loop {
        let mut line = Vec::new();
        let read = input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(None);
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        } else if read as u64 == MAX_LINE_BYTES {
            input.skip_until(b'\n')?;
            return Ok(Some(Line::TooLong));
        }
        if !line.is_empty() {
            return Ok(Some(Line::Whole(line)));
        }
    }
}
