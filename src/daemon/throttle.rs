//! Log lines that would come in floods: the same one at most once a minute.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The same line is logged once in this time; what it stands for is counted every time.
pub const QUIET: Duration = Duration::from_secs(60);

/// Lets one line through in [`QUIET`].
#[derive(Debug, Default)]
pub struct Throttle(Mutex<Option<Said>>);

#[derive(Clone, Copy, Debug)]
struct Said {
    at: Instant,
    since: u64,
}

impl Throttle {
    /// Whether to log now: how many times it was kept back since the last line.
    pub fn passes(&self, now: Instant) -> Option<u64> {
        let mut said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match said.as_mut() {
            Some(said) if now.saturating_duration_since(said.at) < QUIET => {
                said.since += 1;
                None
            }
            before => {
                let kept_back = before.map_or(0, |before| before.since);
                *said = Some(Said { at: now, since: 0 });
                Some(kept_back)
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
        assert_eq!(throttle.passes(start), Some(0));
        for second in 1..60 {
            assert_eq!(throttle.passes(start + Duration::from_secs(second)), None);
        }
        assert_eq!(throttle.passes(start + QUIET), Some(59));
        assert_eq!(throttle.passes(start + 3 * QUIET), Some(0));
    }
}
