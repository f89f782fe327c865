//! A circuit breaker: it stops questions to servers that do not answer. A dead DNS then costs its
//! deadline a few times, not once for each name. The clock is handed in.

use std::time::Duration;

use super::cache::Moment;
use super::dns::Response;

/// Timeouts in a row that open the breaker.
const PATIENCE: u32 = 3;

/// How long no question is asked after the server has said that it refuses us.
const UNWELCOME: Duration = Duration::from_secs(10 * 60);

/// Whether the servers seem to be there.
#[derive(Clone, Copy, Debug)]
pub struct Breaker {
    pause: Duration,
    timeouts: u32,
    /// Nobody asks before this moment.
    until: Moment,
    /// Before this moment no answer counts. Such an answer belongs to a question that was already under way
    /// when the server said that it refuses us.
    unwelcome: Moment,
}

impl Breaker {
    /// `pause` is the time that nobody asks after [`PATIENCE`] timeouts in a row.
    pub fn new(pause: Duration) -> Breaker {
        Breaker { pause, timeouts: 0, until: Moment::ZERO, unwelcome: Moment::ZERO }
    }

    /// Whether a question may be asked now. After a pause one may be; it decides about the next.
    pub fn may_ask(&mut self, now: Moment) -> bool {
        if self.timeouts < PATIENCE {
            return true;
        }
        if now < self.until {
            return false;
        }
        self.until = now.saturating_add(self.pause);
        true
    }

    /// Takes note of a response. Any answer, a failure as well, shows that somebody is there.
    pub fn note(&mut self, response: Response, now: Moment) {
        if now < self.unwelcome {
            return;
        }
        match response {
            Response::Timeout => {
                self.timeouts = self.timeouts.saturating_add(1);
                self.until = now.saturating_add(self.pause);
            }
            Response::Unwelcome => {
                self.timeouts = PATIENCE;
                self.until = now.saturating_add(UNWELCOME.max(self.pause));
                self.unwelcome = self.until;
            }
            Response::Exists { .. } | Response::Missing { .. } | Response::Failed => {
                self.timeouts = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    #[test]
    fn three_timeouts_in_a_row_make_a_pause_with_one_probe_at_its_end() {
        let mut breaker = Breaker::new(seconds(30));
        for second in 0..3 {
            assert!(breaker.may_ask(seconds(second)), "{second}");
            breaker.note(Response::Timeout, seconds(second));
        }
        assert!(!breaker.may_ask(seconds(3)));
        assert!(!breaker.may_ask(seconds(31)));
        assert!(breaker.may_ask(seconds(32)));
        assert!(!breaker.may_ask(seconds(32)), "one probe only");
        breaker.note(Response::Exists { ttl: None }, seconds(33));
        assert!(breaker.may_ask(seconds(33)) && breaker.may_ask(seconds(33)));
    }

    #[test]
    fn who_does_not_want_us_is_left_alone_for_long() {
        let mut breaker = Breaker::new(seconds(30));
        breaker.note(Response::Unwelcome, seconds(0));
        // Answers of questions that were under way.
        breaker.note(Response::Timeout, seconds(1));
        breaker.note(Response::Missing { ttl: None }, seconds(2));
        assert!(!breaker.may_ask(seconds(3)) && !breaker.may_ask(seconds(599)));
        assert!(breaker.may_ask(seconds(600)), "one probe");
        assert!(!breaker.may_ask(seconds(600)));
        breaker.note(Response::Missing { ttl: None }, seconds(601));
        assert!(breaker.may_ask(seconds(601)));
    }

    #[test]
    fn an_answer_in_between_starts_the_count_anew() {
        let mut breaker = Breaker::new(seconds(30));
        for _ in 0..10 {
            breaker.note(Response::Timeout, seconds(0));
            breaker.note(Response::Timeout, seconds(0));
            breaker.note(Response::Failed, seconds(0));
        }
        assert!(breaker.may_ask(seconds(0)));
    }
}
