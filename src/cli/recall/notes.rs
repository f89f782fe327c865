//! Where it is noted what a recall did, for `linkmilter why`: in the journal, by who may not write there in a
//! directory of his own, or where he was told to.

use std::fmt::Display;
use std::io::ErrorKind;
use std::path::Path;
use std::time::SystemTime;

use super::super::complain;
use super::super::shared::own_recalls;
use crate::record::journal::recalls::{RecallEvent, Recalls};
use crate::record::journal::{Bounds, JournalError};
use crate::record::time::Timestamp;

/// Takes a note of each message that was changed.
#[derive(Debug, Default)]
pub struct Notes {
    open: Option<Recalls>,
    /// What is open is the journal: where it takes nothing of this user, a directory of his own may.
    is_journal: bool,
    bounds: Bounds,
}

impl Notes {
    /// In the directory that was named, else in the journal; nowhere without bounds, which is without a journal.
    pub fn open(named: Option<&Path>, journal: &Path, bounds: Option<Bounds>) -> Notes {
        let Some(bounds) = bounds.or_else(|| named.map(|_| Bounds::default())) else {
            return Notes::default();
        };
        let mut notes = Notes { open: None, is_journal: named.is_none(), bounds };
        let opened = match named {
            Some(named) => Recalls::of_user(named, bounds, now()),
            None => Recalls::open(journal, bounds),
        };
        match opened {
            Ok(opened) => notes.open = opened,
            Err(error) => notes.turn_away(error),
        }
        notes
    }

    /// Notes what was done to one message.
    pub fn record(&mut self, event: &RecallEvent) {
        while let Some(open) = &mut self.open {
            match open.record(event) {
                Ok(()) => return,
                Err(error) => self.turn_away(error),
            }
        }
    }

    /// What cannot be noted here is noted elsewhere, or nowhere: the messages are changed all the same.
    fn turn_away(&mut self, error: JournalError) {
        self.open = None;
        let denied = error.source.kind() == ErrorKind::PermissionDenied;
        let own = own_recalls().filter(|_| denied && self.is_journal);
        self.is_journal = false;
        let Some(own) = own else { return complain(&unknown(&error)) };
        match Recalls::of_user(&own, self.bounds, now()) {
            Ok(opened) => {
                let own = own.display();
                complain(&format_args!(
                    "{error}: noted in {own}, for linkmilter why --recalls {own}"
                ));
                self.open = opened;
            }
            Err(error) => complain(&unknown(&error)),
        }
    }
}

fn unknown(error: &dyn Display) -> String {
    format!("{error}: linkmilter why will not know of this run")
}

fn now() -> Timestamp {
    Timestamp::of(SystemTime::now())
}
