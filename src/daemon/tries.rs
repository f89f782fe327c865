//! Messages that ran out of time and were put off: how often each was tried.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Times that a message is put off.
const TRIES: u8 = 3;

/// Messages that are remembered: some tens of kilobytes.
const KNOWN: usize = 1_024;

/// How long a message is remembered: MTAs try again within hours.
const AGE: Duration = Duration::from_secs(24 * 3_600);

/// How often each message was put off. A message that was forgotten gets all its tries again. That is no
/// loop without end: the MTA gives up by itself.
#[derive(Debug, Default)]
pub struct Tries {
    known: Mutex<HashMap<u64, (u8, Instant)>>,
    /// With keys of this process: nobody can choose what collides.
    hasher: RandomState,
}

impl Tries {
    /// Whether a message is put off once more. The same one to others has tries of its own.
    pub fn again(&self, sender: &str, recipients: &[String], body: &[u8], now: Instant) -> bool {
        let key = self.hasher.hash_one((sender, recipients, body));
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|_, (_, since)| now.saturating_duration_since(*since) < AGE);
        if known.len() >= KNOWN && !known.contains_key(&key) {
            let oldest = known.iter().min_by_key(|(_, (_, since))| *since).map(|(key, _)| *key);
            oldest.and_then(|oldest| known.remove(&oldest));
        }
        let (tries, _) = known.entry(key).or_insert((0, now));
        let again = *tries < TRIES;
        *tries = tries.saturating_add(1);
        again
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_put_off_three_times() {
        let (tries, now) = (Tries::default(), Instant::now());
        let to = ["b@example.com".to_owned()];
        let again = |body: &[u8], now| tries.again("a@example.com", &to, body, now);
        assert_eq!([1, 2, 3, 4, 5].map(|_| again(b"x", now)), [true, true, true, false, false]);
        assert!(again(b"y", now), "another message");
        let others = ["c@example.com".to_owned()];
        assert!(tries.again("a@example.com", &others, b"x", now), "to somebody else");
        assert!(again(b"x", now + AGE), "a day later it is a new one");
    }

    #[test]
    fn messages_that_are_remembered_are_bounded() {
        let (tries, now) = (Tries::default(), Instant::now());
        for number in 0..2 * KNOWN {
            assert!(tries.again("a@example.com", &[], &number.to_be_bytes(), now));
        }
        assert_eq!(tries.known.lock().unwrap().len(), KNOWN);
    }
}
