//! A circuit breaker for DNS queries. With a DNS that does not answer, only a few names cost the
//! full deadline, not every one. The current time is a parameter.

use std::time::Duration;

use super::cache::Moment;
use super::dns::Response;

/// Timeouts in a row after which no queries are sent for a while.
const MAX_TIMEOUTS: u32 = 3;

/// How long no query is sent after the server has said that it does not serve us.
const DENIED_PAUSE: Duration = Duration::from_secs(10 * 60);

/// State of the breaker for one group of servers.
#[derive(Clone, Copy, Debug)]
pub struct Breaker {
    pause: Duration,
    timeouts: u32,
    /// No query before this time.
    paused_until: Moment,
    /// Before this time no response is recorded: it belongs to a query that was already under way
    /// when the server said that it does not serve us.
    denied_until: Moment,
}

impl Breaker {
    /// `pause` is the time without queries after [`MAX_TIMEOUTS`] timeouts in a row.
    pub fn new(pause: Duration) -> Breaker {
        Breaker { pause, timeouts: 0, paused_until: Moment::ZERO, denied_until: Moment::ZERO }
    }

    /// Whether a query may be sent now. After a pause one query may, and its response decides about
    /// the next.
    pub fn may_ask(&mut self, now: Moment) -> bool {
        if self.timeouts < MAX_TIMEOUTS {
            return true;
        }
        if now < self.paused_until {
            return false;
        }
        self.paused_until = now.saturating_add(self.pause);
        true
    }

    /// Whether no query is sent because the server has said that it does not serve us.
    pub fn is_denied(&self, now: Moment) -> bool {
        now < self.denied_until
    }

    /// Records a response. Any response, a failure as well, shows that the server is reachable.
    pub fn record(&mut self, response: Response, now: Moment) {
        if self.is_denied(now) {
            return;
        }
        match response {
            Response::Timeout => {
                self.timeouts = self.timeouts.saturating_add(1);
                self.paused_until = now.saturating_add(self.pause);
            }
            Response::AccessDenied => {
                self.timeouts = MAX_TIMEOUTS;
                self.paused_until = now.saturating_add(DENIED_PAUSE.max(self.pause));
                self.denied_until = self.paused_until;
            }
            Response::Exists { .. }
            | Response::Missing { .. }
            | Response::Failed
            | Response::Contradicted => {
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
            breaker.record(Response::Timeout, seconds(second));
        }
        assert!(!breaker.may_ask(seconds(3)));
        assert!(!breaker.may_ask(seconds(31)));
        assert!(breaker.may_ask(seconds(32)));
        assert!(!breaker.may_ask(seconds(32)), "one probe only");
        breaker.record(Response::Exists { ttl: None }, seconds(33));
        assert!(breaker.may_ask(seconds(33)) && breaker.may_ask(seconds(33)));
    }

    #[test]
    fn a_server_that_denies_access_is_left_alone_for_long() {
        let mut breaker = Breaker::new(seconds(30));
        breaker.record(Response::AccessDenied, seconds(0));
        // Responses to queries that were under way.
        breaker.record(Response::Timeout, seconds(1));
        breaker.record(Response::Missing { ttl: None }, seconds(2));
        assert!(breaker.is_denied(seconds(599)) && !breaker.is_denied(seconds(600)));
        assert!(!breaker.may_ask(seconds(3)) && !breaker.may_ask(seconds(599)));
        assert!(breaker.may_ask(seconds(600)), "one probe");
        assert!(!breaker.may_ask(seconds(600)));
        breaker.record(Response::Missing { ttl: None }, seconds(601));
        assert!(breaker.may_ask(seconds(601)));
    }

    #[test]
    fn an_answer_in_between_starts_the_count_anew() {
        let mut breaker = Breaker::new(seconds(30));
        for _ in 0..10 {
            breaker.record(Response::Timeout, seconds(0));
            breaker.record(Response::Timeout, seconds(0));
            breaker.record(Response::Failed, seconds(0));
        }
        assert!(breaker.may_ask(seconds(0)));
    }
}
