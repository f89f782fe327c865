//! Answers of the DNS, kept for as long as they hold. The clock is handed in.

use std::collections::HashMap;
use std::time::Duration;

use crate::engine::Answer;

use super::dns::{Response, Told};

/// How long answers are kept, and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Names at most. When full, what ends first goes first.
    pub entries: usize,
    /// Least and most time that "exists" is kept, whatever the TTL.
    pub positive: (Duration, Duration),
    /// Least and most time that "does not exist" is kept.
    pub negative: (Duration, Duration),
    /// Time that a failure is kept, so that a dead server does not cost every message its deadline.
    pub failure: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        let (quarter, day) = (Duration::from_secs(15 * 60), Duration::from_secs(24 * 60 * 60));
        Bounds {
            entries: 10_000,
            positive: (quarter, day),
            negative: (quarter, day),
            failure: Duration::from_secs(30),
        }
    }
}

/// Time since a moment that never changes while the cache lives; it must not go back.
pub type Moment = Duration;

/// A bounded map from a name to what the DNS said of it.
#[derive(Debug)]
pub struct Cache<A = Answer> {
    bounds: Bounds,
    entries: HashMap<Box<str>, Entry<A>>,
    /// Look-ups that found an answer that still holds.
    pub hits: u64,
    /// Look-ups that did not.
    pub misses: u64,
}

#[derive(Clone, Copy, Debug)]
struct Entry<A> {
    answer: A,
    until: Moment,
}

impl<A: Copy> Cache<A> {
    pub fn new(bounds: Bounds) -> Cache<A> {
        Cache { bounds, entries: HashMap::new(), hits: 0, misses: 0 }
    }

    /// The answer, if one holds at this moment.
    pub fn get(&mut self, name: &str, now: Moment) -> Option<A> {
        let answer = self.entries.get(name).filter(|entry| entry.until > now);
        let answer = answer.map(|entry| entry.answer);
        match answer {
            Some(_) => self.hits += 1,
            None => self.misses += 1,
        }
        answer
    }

    /// Keeps a response; returns what it says.
    ///
    /// A failure does not drive out an answer that still holds.
    pub fn put(&mut self, name: &str, told: impl Into<Told<A>>, now: Moment) -> A {
        let Told { response, answer } = told.into();
        let until = now.saturating_add(self.lifetime(response));
        let says = matches!(response, Response::Exists { .. } | Response::Missing { .. });
        if let Some(known) = self.entries.get_mut(name) {
            if says || known.until <= now {
                *known = Entry { answer, until };
            }
            return answer;
        }
        if self.entries.len() >= self.bounds.entries {
            self.make_room(now);
        }
        if self.entries.len() < self.bounds.entries {
            self.entries.insert(name.into(), Entry { answer, until });
        }
        answer
    }

    /// Names kept, those whose time is over included.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Forgets everything; the counts stay.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    fn lifetime(&self, response: Response) -> Duration {
        let within = |ttl: Option<Duration>, (least, most): (Duration, Duration)| {
            ttl.unwrap_or(least).clamp(least, most.max(least))
        };
        match response {
            Response::Exists { ttl } => within(ttl, self.bounds.positive),
            Response::Missing { ttl } => within(ttl, self.bounds.negative),
            Response::Timeout | Response::Failed | Response::Unwelcome => self.bounds.failure,
        }
    }

    /// Drops what is over, and if that is not enough the quarter that ends first: one pass over
    /// the cache for many insertions, so a flood of names costs constant time a name.
    fn make_room(&mut self, now: Moment) {
        self.entries.retain(|_, entry| entry.until > now);
        let keep = self.bounds.entries - self.bounds.entries.div_ceil(4);
        let excess = self.entries.len().saturating_sub(keep);
        if excess == 0 || self.entries.len() < self.bounds.entries {
            return;
        }
        let mut ends: Vec<Moment> = self.entries.values().map(|entry| entry.until).collect();
        let (_, last_to_go, _) = ends.select_nth_unstable(excess - 1);
        let last_to_go = *last_to_go;
        let mut left_to_drop = excess;
        self.entries.retain(|_, entry| {
            let goes = entry.until <= last_to_go && left_to_drop > 0;
            left_to_drop -= usize::from(goes);
            !goes
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn minutes(count: u64) -> Duration {
        Duration::from_secs(count * 60)
    }

    fn exists(ttl: Duration) -> Response {
        Response::Exists { ttl: Some(ttl) }
    }

    fn missing(ttl: Duration) -> Response {
        Response::Missing { ttl: Some(ttl) }
    }

    #[test]
    fn answers_hold_for_their_ttl_within_the_bounds() {
        for (response, holds_until) in [
            (exists(minutes(60)), minutes(60)),
            (exists(minutes(1)), minutes(15)),
            (exists(minutes(10_000)), minutes(24 * 60)),
            (Response::Exists { ttl: None }, minutes(15)),
            (missing(minutes(60)), minutes(60)),
            (missing(Duration::ZERO), minutes(15)),
            (missing(minutes(10_000)), minutes(24 * 60)),
            (Response::Timeout, Duration::from_secs(30)),
            (Response::Failed, Duration::from_secs(30)),
        ] {
            let start = minutes(7);
            let mut cache = Cache::new(Bounds::default());
            assert_eq!(cache.put("zz", response, start), response.answer());
            let last = start + holds_until - Duration::from_nanos(1);
            assert_eq!(cache.get("zz", last), Some(response.answer()), "{response:?}");
            assert_eq!(cache.get("zz", start + holds_until), None, "{response:?}");
            assert_eq!((cache.hits, cache.misses), (1, 1));
        }
    }

    #[test]
    fn a_tld_that_appears_is_seen_when_the_negative_answer_ends() {
        let mut cache = Cache::new(Bounds::default());
        cache.put("new", missing(minutes(15)), minutes(0));
        assert_eq!(cache.get("new", minutes(14)), Some(Answer::Missing));
        assert_eq!(cache.get("new", minutes(15)), None);
        cache.put("new", exists(minutes(15)), minutes(15));
        assert_eq!(cache.get("new", minutes(16)), Some(Answer::Exists));
    }

    #[test]
    fn a_failure_does_not_drive_out_what_is_known() {
        let mut cache = Cache::new(Bounds::default());
        cache.put("zz", exists(minutes(60)), minutes(0));
        assert_eq!(cache.put("zz", Response::Timeout, minutes(1)), Answer::Unverified);
        assert_eq!(cache.get("zz", minutes(2)), Some(Answer::Exists));
        assert_eq!(cache.put("zz", Response::Timeout, minutes(60)), Answer::Unverified);
        assert_eq!(cache.get("zz", minutes(60)), Some(Answer::Unverified));
    }

    #[test]
    fn a_flood_of_names_stays_within_the_bound_and_drops_what_ends_first() {
        let bounds = Bounds { entries: 100, ..Bounds::default() };
        let mut cache = Cache::new(bounds);
        cache.put("kept", exists(minutes(24 * 60)), minutes(0));
        for number in 0..10_000_u32 {
            cache.put(&format!("n{number}"), missing(minutes(15)), minutes(0));
            assert!(cache.len() <= 100);
        }
        assert!(cache.len() > 70);
        assert_eq!(cache.get("kept", minutes(1)), Some(Answer::Exists));
        assert_eq!(cache.get("n9999", minutes(1)), Some(Answer::Missing));
    }

    #[test]
    fn a_cache_of_nothing_keeps_nothing() {
        let mut cache = Cache::new(Bounds { entries: 0, ..Bounds::default() });
        cache.put("zz", exists(minutes(60)), minutes(0));
        assert!(cache.is_empty());
    }
}
