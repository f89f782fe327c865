//! What is wrong with the DNS by its last responses. The current time is a parameter.

use std::time::Duration;

use super::cache::Moment;
use super::dns::Response;

/// Queries in a row without an answer after which that is said.
const MIN_UNANSWERED: u32 = 3;

/// How long a fault is remembered that nothing has taken back: few questions may be asked.
const REMEMBERED: Duration = Duration::from_secs(60 * 60);

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// None of the last queries was answered.
    Unanswered,
    /// The server says that it does not serve us.
    Denied,
    /// The DNS says that this top-level domain does not exist, and IANA's table has it.
    Contradicted(String),
}

/// What the last responses say.
#[derive(Debug, Default)]
pub struct Faults {
    unanswered: u32,
    /// When the last of them was asked.
    unanswered_at: Moment,
    contradicted: Option<(String, Moment)>,
    /// When the server said last that it does not serve us. What it answered besides takes that back.
    denied_at: Option<Moment>,
}

impl Faults {
    /// Records the response to a query about this name.
    pub fn record(&mut self, name: &str, response: Response, now: Moment) {
        match response {
            Response::Timeout | Response::Failed => {
                self.unanswered = self.unanswered.saturating_add(1);
                self.unanswered_at = now;
                return;
            }
            Response::Exists { .. }
            | Response::Missing { .. }
            | Response::AccessDenied
            | Response::Contradicted => self.unanswered = 0,
        }
        self.denied_at = (response == Response::AccessDenied).then_some(now);
        let kept = self.contradicted.as_ref().filter(|(_, since)| is_recent(*since, now));
        let about_this = kept.is_none_or(|(known, _)| known == name);
        if about_this {
            let contradicted = response == Response::Contradicted;
            self.contradicted = contradicted.then(|| (name.to_owned(), now));
        }
    }

    /// What is wrong now. A contradiction is the worse: it is an answer.
    pub fn now(&self, now: Moment) -> Option<Fault> {
        match &self.contradicted {
            Some((name, since)) if is_recent(*since, now) => {
                Some(Fault::Contradicted(name.clone()))
            }
            _ if self.denied_at.is_some_and(|since| is_recent(since, now)) => Some(Fault::Denied),
            _ => {
                let many = self.unanswered >= MIN_UNANSWERED;
                (many && is_recent(self.unanswered_at, now)).then_some(Fault::Unanswered)
            }
        }
    }
}

fn is_recent(since: Moment, now: Moment) -> bool {
    now.saturating_sub(since) < REMEMBERED
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXISTS: Response = Response::Exists { ttl: None };

    const fn minutes(count: u64) -> Moment {
        Duration::from_secs(count * 60)
    }

    #[test]
    fn three_queries_in_a_row_without_an_answer_are_a_fault() {
        let mut faults = Faults::default();
        for (response, expected) in [
            (Response::Timeout, None),
            (Response::Failed, None),
            (EXISTS, None),
            (Response::Timeout, None),
            (Response::Failed, None),
            (Response::Timeout, Some(Fault::Unanswered)),
            (Response::Failed, Some(Fault::Unanswered)),
            (EXISTS, None),
            (Response::AccessDenied, Some(Fault::Denied)),
            (Response::Timeout, Some(Fault::Denied)),
            (EXISTS, None),
        ] {
            faults.record("zz", response, minutes(0));
            assert_eq!(faults.now(minutes(0)), expected, "{response:?}");
            assert_eq!(faults.now(minutes(59)), expected, "{response:?}");
            assert_eq!(faults.now(minutes(60)), None, "{response:?}");
        }
    }

    #[test]
    fn a_contradiction_lasts_until_it_is_taken_back_or_an_hour() {
        let com = || Some(Fault::Contradicted("com".to_owned()));
        let mut faults = Faults::default();
        faults.record("com", Response::Contradicted, minutes(0));
        faults.record("net", EXISTS, minutes(1));
        assert_eq!(faults.now(minutes(1)), com(), "net says nothing of com");
        faults.record("org", Response::Contradicted, minutes(2));
        assert_eq!(faults.now(minutes(59)), com());
        assert_eq!(faults.now(minutes(60)), None);
        faults.record("com", Response::Contradicted, minutes(61));
        faults.record("com", EXISTS, minutes(62));
        assert_eq!(faults.now(minutes(62)), None);
    }
}
