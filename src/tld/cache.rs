//! A cache of DNS answers. The current time is a parameter.

use std::collections::HashMap;
use std::time::Duration;

use crate::engine::Answer;

use super::dns::{Resolution, Response};

/// How many answers are kept, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheBounds {
    /// Names at most. When the cache is full, entries that expire first are evicted first.
    pub entries: usize,
    /// Minimum and maximum time to keep "exists", whatever the TTL.
    pub positive: (Duration, Duration),
    /// Minimum and maximum time to keep "does not exist".
    pub negative: (Duration, Duration),
    /// Time to keep a failure, so that with a dead server not every message waits for the deadline.
    pub failure: Duration,
}

impl Default for CacheBounds {
    fn default() -> Self {
        let (quarter, day) = (Duration::from_secs(15 * 60), Duration::from_secs(24 * 60 * 60));
        CacheBounds {
            entries: 10_000,
            positive: (quarter, day),
            negative: (quarter, day),
            failure: Duration::from_secs(30),
        }
    }
}

/// Time since a fixed point in the life of the cache. It must not go backwards.
pub type Moment = Duration;

/// A bounded map from names to DNS answers.
#[derive(Debug)]
pub struct Cache<A = Answer> {
    bounds: CacheBounds,
    entries: HashMap<Box<str>, CachedAnswer<A>>,
    /// Look-ups that found an answer that has not expired.
    pub hits: u64,
    /// Look-ups that did not.
    pub misses: u64,
}

#[derive(Clone, Copy, Debug)]
struct CachedAnswer<A> {
    answer: A,
    expires: Moment,
}

impl<A: Copy> Cache<A> {
    pub fn new(bounds: CacheBounds) -> Cache<A> {
        Cache { bounds, entries: HashMap::new(), hits: 0, misses: 0 }
    }

    /// The answer, unless it has expired.
    pub fn get(&mut self, name: &str, now: Moment) -> Option<A> {
        let answer = self.entries.get(name).filter(|entry| entry.expires > now);
        let answer = answer.map(|entry| entry.answer);
        match answer {
            Some(_) => self.hits += 1,
            None => self.misses += 1,
        }
        answer
    }

    /// Stores a resolution and returns its answer.
    ///
    /// A failure does not replace an answer that has not expired.
    pub fn insert(&mut self, name: &str, resolution: impl Into<Resolution<A>>, now: Moment) -> A {
        let Resolution { response, answer } = resolution.into();
        let expires = now.saturating_add(self.lifetime(response));
        let is_definite = matches!(response, Response::Exists { .. } | Response::Missing { .. });
        if let Some(entry) = self.entries.get_mut(name) {
            if is_definite || entry.expires <= now {
                *entry = CachedAnswer { answer, expires };
            }
            return answer;
        }
        if self.entries.len() >= self.bounds.entries {
            self.evict_entries(now);
        }
        if self.entries.len() < self.bounds.entries {
            self.entries.insert(name.into(), CachedAnswer { answer, expires });
        }
        answer
    }

    /// Number of names, expired ones included.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Is nothing kept?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn lifetime(&self, response: Response) -> Duration {
        let clamped = |ttl: Option<Duration>, (min, max): (Duration, Duration)| {
            ttl.unwrap_or(min).clamp(min, max.max(min))
        };
        match response {
            Response::Exists { ttl } => clamped(ttl, self.bounds.positive),
            Response::Missing { ttl } => clamped(ttl, self.bounds.negative),
            Response::Timeout
            | Response::Failed
            | Response::AccessDenied
            | Response::Contradicted => self.bounds.failure,
        }
    }

    /// Evicts expired entries. If there are none, evicts the quarter that expires first: one pass
    /// over the cache makes space for many insertions, so a flood of names costs constant time per
    /// name.
    fn evict_entries(&mut self, now: Moment) {
        self.entries.retain(|_, entry| entry.expires > now);
        let keep = self.bounds.entries - self.bounds.entries.div_ceil(4);
        let excess = self.entries.len().saturating_sub(keep);
        if excess == 0 || self.entries.len() < self.bounds.entries {
            return;
        }
        let mut expiries: Vec<Moment> = self.entries.values().map(|entry| entry.expires).collect();
        let (_, latest_evicted, _) = expiries.select_nth_unstable(excess - 1);
        let latest_evicted = *latest_evicted;
        let mut remaining = excess;
        self.entries.retain(|_, entry| {
            let evict = entry.expires <= latest_evicted && remaining > 0;
            remaining -= usize::from(evict);
            !evict
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
    fn answers_are_kept_for_their_ttl_within_the_bounds() {
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
            (missing(minutes(60)).about_tld(true), Duration::from_secs(30)),
            (missing(minutes(60)).about_tld(false), minutes(60)),
        ] {
            let start = minutes(7);
            let mut cache = Cache::new(CacheBounds::default());
            assert_eq!(cache.insert("zz", response, start), response.answer());
            let last = start + holds_until - Duration::from_nanos(1);
            assert_eq!(cache.get("zz", last), Some(response.answer()), "{response:?}");
            assert_eq!(cache.get("zz", start + holds_until), None, "{response:?}");
            assert_eq!((cache.hits, cache.misses), (1, 1));
        }
    }

    #[test]
    fn a_tld_that_appears_is_seen_when_the_negative_answer_ends() {
        let mut cache = Cache::new(CacheBounds::default());
        cache.insert("new", missing(minutes(15)), minutes(0));
        assert_eq!(cache.get("new", minutes(14)), Some(Answer::Missing));
        assert_eq!(cache.get("new", minutes(15)), None);
        cache.insert("new", exists(minutes(15)), minutes(15));
        assert_eq!(cache.get("new", minutes(16)), Some(Answer::Exists));
    }

    #[test]
    fn a_failure_does_not_replace_a_known_answer() {
        let mut cache = Cache::new(CacheBounds::default());
        cache.insert("zz", exists(minutes(60)), minutes(0));
        assert_eq!(cache.insert("zz", Response::Timeout, minutes(1)), Answer::Unverified);
        assert_eq!(cache.get("zz", minutes(2)), Some(Answer::Exists));
        assert_eq!(cache.insert("zz", Response::Timeout, minutes(60)), Answer::Unverified);
        assert_eq!(cache.get("zz", minutes(60)), Some(Answer::Unverified));
    }

    #[test]
    fn a_flood_of_names_stays_within_the_bound_and_evicts_what_expires_first() {
        let bounds = CacheBounds { entries: 100, ..CacheBounds::default() };
        let mut cache = Cache::new(bounds);
        cache.insert("kept", exists(minutes(24 * 60)), minutes(0));
        for number in 0..10_000_u32 {
            cache.insert(&format!("n{number}"), missing(minutes(15)), minutes(0));
            assert!(cache.len() <= 100);
        }
        assert!(cache.len() > 70);
        assert_eq!(cache.get("kept", minutes(1)), Some(Answer::Exists));
        assert_eq!(cache.get("n9999", minutes(1)), Some(Answer::Missing));
    }

    #[test]
    fn a_cache_of_nothing_keeps_nothing() {
        let mut cache = Cache::new(CacheBounds { entries: 0, ..CacheBounds::default() });
        cache.insert("zz", exists(minutes(60)), minutes(0));
        assert_eq!(cache.len(), 0);
    }
}
