//! Where changes are recorded for `linkmilter why`: in the journal, or in the directory of
//! `--recalls`. A user who may not write to the journal gets a directory of his own.

use std::fmt::Display;
use std::io::ErrorKind;
use std::path::Path;
use std::time::SystemTime;

use super::super::shared::user_recall_directory;
use super::super::warn;
use crate::record::journal::recalls::{RecallEvent, Recalls};
use crate::record::journal::{JournalBounds, JournalError};
use crate::record::time::Timestamp;

/// Records each message that was changed.
#[derive(Debug, Default)]
pub struct Notes {
    open: Option<Recalls>,
    /// Whether `open` is the journal. If it denies access, the user's own directory is tried.
    is_journal: bool,
    /// Whether it is the directory that was given.
    is_named: bool,
    bounds: JournalBounds,
    /// Changes that were not recorded.
    lost: u64,
}

impl Notes {
    /// Opens the given directory, else the journal, else the user's own directory. Without bounds nothing is to be
    /// recorded.
    ///
    /// # Errors
    /// What is to be recorded can be recorded nowhere. Then nothing may be changed: `why` would not know of it.
    pub fn open(
        named: Option<&Path>,
        journal: &Path,
        bounds: Option<JournalBounds>,
    ) -> Result<Notes, JournalError> {
        let Some(bounds) = bounds.or_else(|| named.map(|_| JournalBounds::default())) else {
            return Ok(Notes::default());
        };
        let is_named = named.is_some();
        let mut notes = Notes { open: None, is_journal: !is_named, is_named, bounds, lost: 0 };
        let opened = match named {
            Some(named) => Recalls::of_user(named, bounds, now()),
            None => Recalls::open(journal, bounds),
        };
        match opened {
            Ok(opened) => notes.open = Some(opened),
            Err(error) => notes.fall_back(error)?,
        }
        Ok(notes)
    }

    /// Changes that were not recorded although somebody asked for it.
    pub fn lost(&self) -> u64 {
        if self.is_named { self.lost } else { 0 }
    }

    /// Records what was done to one message. After an error the next one is tried again: a disk has room again.
    pub fn record(&mut self, event: &RecallEvent) {
        while let Some(open) = &mut self.open {
            match open.record(event) {
                Ok(()) => return,
                Err(error) if self.is_denied(&error) => {
                    // What was changed so far cannot be taken back.
                    self.open = None;
                    if let Err(error) = self.fall_back(error) {
                        warn(&not_recorded(&error));
                    }
                }
                Err(error) => {
                    if self.lost == 0 {
                        warn(&not_recorded(&error));
                    }
                    self.lost += 1;
                    return;
                }
            }
        }
        self.lost += 1;
    }

    /// Whether the journal is not for this user, who may have a directory of his own.
    fn is_denied(&self, error: &JournalError) -> bool {
        self.is_journal && error.source.kind() == ErrorKind::PermissionDenied
    }

    /// Opens the user's own directory, if there is one left to try.
    ///
    /// # Errors
    /// This one if there is none, or that of opening it.
    fn fall_back(&mut self, error: JournalError) -> Result<(), JournalError> {
        let own = user_recall_directory().filter(|_| self.is_denied(&error));
        self.is_journal = false;
        let Some(own) = own else { return Err(error) };
        self.open = Some(Recalls::of_user(&own, self.bounds, now())?);
        let own = own.display();
        warn(&format_args!("{error}: noted in {own}, for linkmilter why --recalls {own}"));
        Ok(())
    }
}

fn not_recorded(error: &dyn Display) -> String {
    format!("{error}: what this run changes may not be recorded for linkmilter why")
}

fn now() -> Timestamp {
    Timestamp::of(SystemTime::now())
}
