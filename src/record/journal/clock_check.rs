//! Checks whether the wall clock can be trusted before old events are removed. The check is saved, and so outlives the
//! process: else a daemon that starts every day would distrust its clock every day.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use super::{JournalError, failed};
use crate::record::time::Timestamp;

/// A clock that differs by more than this from the time that has passed has stepped.
const STEP_THRESHOLD: Duration = Duration::from_secs(3_600);

/// For this long after a step nothing is removed for its age. A clock that is corrected within this time costs no
/// event.
const DISTRUST_TIME: Duration = Duration::from_secs(86_400);

/// The file in the journal's directory that holds the last check.
pub(super) const FILE: &str = "looked";

/// When the clock was checked, and for how much longer it is not trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ClockCheck {
    clock: Timestamp,
    /// Uptime of this process; `None` if another process did the check.
    uptime: Option<Duration>,
    pub distrust: Duration,
}

impl ClockCheck {
    /// The first check of a journal, by the time of its last write.
    pub fn first(now: Timestamp, uptime: Duration, written: Option<Timestamp>) -> ClockCheck {
        let stepped = written.is_some_and(|written| now.apart(written) > STEP_THRESHOLD);
        let distrust = if stepped { DISTRUST_TIME } else { Duration::ZERO };
        ClockCheck { clock: now, uptime: Some(uptime), distrust }
    }

    pub fn next(self, now: Timestamp, uptime: Duration) -> ClockCheck {
        let distrust = match self.uptime {
            Some(before) => {
                let elapsed = uptime.saturating_sub(before);
                let stepped = now.apart(self.clock.plus(elapsed)) > STEP_THRESHOLD;
                if stepped { DISTRUST_TIME } else { self.distrust.saturating_sub(elapsed) }
            }
            None => self.distrust_after_restart(now),
        };
        ClockCheck { clock: now, uptime: Some(uptime), distrust }
    }

    /// Nobody knows how much time passed between two processes, so a clock that went on may be right. It is
    /// distrusted for a day of uptime in all, however often the machine is off meanwhile.
    fn distrust_after_restart(self, now: Timestamp) -> Duration {
        let difference = now.apart(self.clock);
        match now >= self.clock {
            true if difference <= STEP_THRESHOLD => self.distrust.saturating_sub(difference),
            true if self.distrust > Duration::ZERO => self.distrust,
            false if difference <= STEP_THRESHOLD => self.distrust,
            _ => DISTRUST_TIME,
        }
    }

    /// The check of an earlier process; `None` if there is none, or its file is incomplete.
    pub fn read(directory: &Path) -> Option<ClockCheck> {
        let text = std::fs::read_to_string(directory.join(FILE)).ok()?;
        let (clock, distrust) = text.strip_suffix('\n')?.split_once(' ')?;
        let distrust = Duration::from_secs(distrust.parse().ok()?).min(DISTRUST_TIME);
        Some(ClockCheck { clock: Timestamp::parse(clock)?, uptime: None, distrust })
    }

    /// Saves it for the next process.
    pub fn write(self, directory: &Path) -> Result<(), JournalError> {
        let path = directory.join(FILE);
        // Rounded up: half a second of distrust must not become none.
        let seconds = self.distrust.as_millis().div_ceil(1_000);
        let line = format!("{} {seconds}\n", self.clock);
        let mut options = OpenOptions::new();
        let file = options.write(true).create(true).truncate(true).mode(0o640).open(&path);
        file.and_then(|mut file| file.write_all(line.as_bytes()))
            .map_err(|source| failed(&path, "save the clock check", source))
    }
}
