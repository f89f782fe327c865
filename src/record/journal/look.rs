//! A look at the ages of a journal: which clock is believed. It outlives the process that looked:
//! a daemon that is started every day would else doubt its clock every day.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use super::{JournalError, failed};
use crate::record::time::Timestamp;

/// A clock that moved this much more or less than the time that passed has stepped.
const STEP: Duration = Duration::from_secs(3_600);

/// For this long after a step nothing is removed for its age: one that is set right again within
/// it costs nothing.
const DOUBT: Duration = Duration::from_secs(86_400);

/// The file in the journal's directory that keeps the last look.
const FILE: &str = "looked";

/// When ages were looked at, and how much longer they are not believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look {
    clock: Timestamp,
    /// The time that had passed in this process; none when another one looked.
    passed: Option<Duration>,
    pub doubt: Duration,
}

impl Look {
    /// The first look at a journal that was written to last at that time.
    pub fn first(now: Timestamp, passed: Duration, written: Option<Timestamp>) -> Look {
        let stepped = written.is_some_and(|written| now.apart(written) > STEP);
        let doubt = if stepped { DOUBT } else { Duration::ZERO };
        Look { clock: now, passed: Some(passed), doubt }
    }

    /// The next look.
    pub fn then(self, now: Timestamp, passed: Duration) -> Look {
        let doubt = match self.passed {
            Some(then) => {
                let between = passed.saturating_sub(then);
                let stepped = now.apart(self.clock.plus(between)) > STEP;
                if stepped { DOUBT } else { self.doubt.saturating_sub(between) }
            }
            None => self.after_a_rest(now),
        };
        Look { clock: now, passed: Some(passed), doubt }
    }

    /// Nobody knows how much time passed between two processes: a clock that went on may be right.
    /// It is doubted for a day of running in all, however often the machine rests meanwhile.
    fn after_a_rest(self, now: Timestamp) -> Duration {
        let between = now.apart(self.clock);
        match now >= self.clock {
            true if between <= STEP => self.doubt.saturating_sub(between),
            true if self.doubt > Duration::ZERO => self.doubt,
            false if between <= STEP => self.doubt,
            _ => DOUBT,
        }
    }

    /// The look of an earlier process; none when there was none, or half of it is there.
    pub fn read(directory: &Path) -> Option<Look> {
        let text = std::fs::read_to_string(directory.join(FILE)).ok()?;
        let (clock, doubt) = text.strip_suffix('\n')?.split_once(' ')?;
        let doubt = Duration::from_secs(doubt.parse().ok()?).min(DOUBT);
        Some(Look { clock: Timestamp::parse(clock)?, passed: None, doubt })
    }

    /// Keeps it for the next process.
    pub fn write(self, directory: &Path) -> Result<(), JournalError> {
        let path = directory.join(FILE);
        // Rounded up, or a doubt of half a second would be none.
        let doubt = self.doubt.as_millis().div_ceil(1_000);
        let line = format!("{} {doubt}\n", self.clock);
        let mut options = OpenOptions::new();
        let file = options.write(true).create(true).truncate(true).mode(0o640).open(&path);
        file.and_then(|mut file| file.write_all(line.as_bytes()))
            .map_err(|source| failed(&path, "keep when ages were looked at", source))
    }
}
