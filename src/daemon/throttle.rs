//! Log lines that could come in floods: the same one at most once a minute.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The same line is logged at most once in this time. The metrics count every event.
pub const LINE_INTERVAL: Duration = Duration::from_secs(60);

/// Lets one line through in each [`LINE_INTERVAL`].
#[derive(Debug, Default)]
pub struct Throttle(Mutex<Option<LastLine>>);

#[derive(Clone, Copy, Debug)]
struct LastLine {
    time: Instant,
    /// Lines held back since then.
    suppressed: u64,
}

impl Throttle {
    /// `None` when a line of this moment is to be held back. Else how many were held back since the last one.
    pub fn admit(&self) -> Option<u64> {
        self.admit_at(Instant::now())
    }

    fn admit_at(&self, now: Instant) -> Option<u64> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match last.as_mut() {
            Some(last) if now.saturating_duration_since(last.time) < LINE_INTERVAL => {
                last.suppressed += 1;
                None
            }
            before => {
                let suppressed = before.map_or(0, |before| before.suppressed);
                *last = Some(LastLine { time: now, suppressed: 0 });
                Some(suppressed)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_one_line_a_minute_that_says_how_many() {
        let throttle = Throttle::default();
        let start = Instant::now();
        assert_eq!(throttle.admit_at(start), Some(0));
        for second in 1..60 {
            assert_eq!(throttle.admit_at(start + Duration::from_secs(second)), None);
        }
        assert_eq!(throttle.admit_at(start + LINE_INTERVAL), Some(59));
        assert_eq!(throttle.admit_at(start + 3 * LINE_INTERVAL), Some(0));
    }
}
