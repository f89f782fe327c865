//! Messages that ran out of time and were deferred with a temporary failure: how often each was.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How many times one message is deferred.
const MAX_DEFERRALS: u8 = 3;

/// Messages that are remembered: some tens of kilobytes.
const MAX_MESSAGES: usize = 1_024;

/// How long a message is remembered: MTAs try again within hours.
const MAX_AGE: Duration = Duration::from_secs(24 * 3_600);

/// How often each message was deferred. A message that was forgotten may be deferred as often again. That is
/// no endless loop: the MTA gives up by itself.
#[derive(Debug, Default)]
pub struct Deferrals {
    messages: Mutex<HashMap<u64, (u8, Instant)>>,
    /// Keyed by this process, so that nobody can choose messages whose hashes collide.
    hasher: RandomState,
}

impl Deferrals {
    /// Whether to defer a message once more. The same message to other recipients counts as another one.
    pub fn defer(&self, sender: &str, recipients: &[String], body: &[u8], now: Instant) -> bool {
        let key = self.hasher.hash_one((sender, recipients, body));
        let mut messages = self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        messages.retain(|_, (_, since)| now.saturating_duration_since(*since) < MAX_AGE);
        if messages.len() >= MAX_MESSAGES && !messages.contains_key(&key) {
            let oldest = messages.iter().min_by_key(|(_, (_, since))| *since).map(|(key, _)| *key);
            oldest.and_then(|oldest| messages.remove(&oldest));
        }
        let (count, _) = messages.entry(key).or_insert((0, now));
        let defer = *count < MAX_DEFERRALS;
        *count = count.saturating_add(1);
        defer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_deferred_three_times() {
        let (deferrals, now) = (Deferrals::default(), Instant::now());
        let to = ["b@example.com".to_owned()];
        let defer = |body: &[u8], now| deferrals.defer("a@example.com", &to, body, now);
        assert_eq!([1, 2, 3, 4, 5].map(|_| defer(b"x", now)), [true, true, true, false, false]);
        assert!(defer(b"y", now), "another message");
        let others = ["c@example.com".to_owned()];
        assert!(deferrals.defer("a@example.com", &others, b"x", now), "to somebody else");
        assert!(defer(b"x", now + MAX_AGE), "a day later it is a new one");
    }

    #[test]
    fn messages_that_are_remembered_are_bounded() {
        let (deferrals, now) = (Deferrals::default(), Instant::now());
        for number in 0..2 * MAX_MESSAGES {
            assert!(deferrals.defer("a@example.com", &[], &number.to_be_bytes(), now));
        }
        assert_eq!(deferrals.messages.lock().unwrap().len(), MAX_MESSAGES);
    }
}
