//! Who has met whom: two sets of keyed digests that forget, of one size whatever comes.
//!
//! A set is a Bloom filter: what was put in is always found, and one in two thousand of what was not,
//! when it is full. Meetings go into the newer set; when that one is full or half a year old it becomes
//! the older one, whose meetings are forgotten. What is met again moves to the newer.

use std::collections::{HashSet, VecDeque};

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Bits of a set: 4 MiB.
const BITS: usize = 1 << 25;

/// Bits that a meeting sets: the hash functions of a Bloom filter. A full set has sixteen bits for each
/// meeting. It takes one stranger in 1,700 for known (a false positive); two full sets take one in 850.
const HASHES: usize = 8;

/// Meetings that a set takes.
const PAIRS: u64 = (BITS / 16) as u64;

/// Age of a set that becomes the older one: half a year, in seconds.
const SET_AGE: u64 = 182 * 86_400;

/// How long meetings must have been remembered before anybody is said to be new: a month, in seconds. A
/// shorter memory knows too few: in its first weeks everybody is new, and who sends millions of messages under
/// names of his own makes it short.
pub const LEARNING: u64 = 30 * 86_400;

/// Messages whose author was said to be unknown that are remembered, should they come again.
const TOLD: usize = 65_536;

/// What the file begins with.
const MAGIC: &[u8] = b"linkmilter contacts 1\n";

/// Bytes of the digest of the key, and of the seal behind all.
const CHECK_BYTES: usize = 8;
const SEAL_BYTES: usize = 32;

/// Bytes of a file at most.
pub const MAX_BYTES: u64 =
    (MAGIC.len() + CHECK_BYTES + 2 * (16 + BITS / 8) + 4 + 8 * TOLD + SEAL_BYTES) as u64;

/// Makes digests that nobody without the secret of the house can make, or tell from others.
#[derive(Clone)]
pub struct Key(Hmac<Sha256>);

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        self.check() == other.check()
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Key")
    }
}

/// What is said of two who met, or of one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest([u8; 32]);

/// What a digest is of: of different things digests never agree.
#[derive(Clone, Copy, Debug)]
pub enum Of {
    Meeting,
    Message,
    /// The key itself: a file says so by which one it was written.
    Key,
    File,
}

impl Key {
    pub fn new(secret: &[u8]) -> Key {
        // HMAC takes keys of any length: the error cannot come.
        let mac = <Hmac<Sha256> as KeyInit>::new_from_slice(secret);
        let mut mac = mac.unwrap_or_else(|_| <Hmac<Sha256> as KeyInit>::new(&Default::default()));
        mac.update(b"linkmilter contacts 1\n");
        Key(mac)
    }

    /// Of these pieces; where one ends and the next begins counts.
    pub fn digest(&self, of: Of, pieces: &[&[u8]]) -> Digest {
        let mut mac = self.0.clone();
        mac.update(&[of as u8]);
        for piece in pieces {
            mac.update(&(piece.len() as u64).to_be_bytes());
            mac.update(piece);
        }
        Digest(mac.finalize().into_bytes().into())
    }

    /// What tells it from others.
    fn check(&self) -> [u8; CHECK_BYTES] {
        self.digest(Of::Key, &[]).short()
    }
}

impl Digest {
    fn short(&self) -> [u8; CHECK_BYTES] {
        self.0.first_chunk().copied().unwrap_or_default()
    }

    /// The bits that it sets: eight numbers of 32 bits, of which 25 count.
    fn bits(&self) -> [usize; HASHES] {
        let mut bits = [0; HASHES];
        for (bit, four) in bits.iter_mut().zip(self.0.chunks_exact(4)) {
            let number = four.iter().fold(0_usize, |sum, &byte| sum << 8 | usize::from(byte));
            *bit = number % BITS;
        }
        bits
    }
}

/// One set.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Set {
    /// Since when meetings went into it, in seconds since 1970.
    since: u64,
    /// How many did.
    pairs: u64,
    bytes: Vec<u8>,
}

impl Set {
    fn new(since: u64) -> Set {
        Set { since, pairs: 0, bytes: vec![0; BITS / 8] }
    }

    fn has(&self, digest: &Digest) -> bool {
        let is_set =
            |bit: usize| self.bytes.get(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1);
        digest.bits().into_iter().all(is_set)
    }

    fn put(&mut self, digest: &Digest) {
        for bit in digest.bits() {
            if let Some(byte) = self.bytes.get_mut(bit / 8) {
                *byte |= 1 << (bit % 8);
            }
        }
        self.pairs = self.pairs.saturating_add(1);
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.since.to_be_bytes());
        out.extend(self.pairs.to_be_bytes());
        out.extend(&self.bytes);
    }

    fn read(input: &mut &[u8]) -> Option<Set> {
        let since = number(input)?;
        let pairs = number(input)?;
        let (bytes, rest) = input.split_at_checked(BITS / 8)?;
        *input = rest;
        Some(Set { since, pairs, bytes: bytes.to_vec() })
    }
}

fn number(input: &mut &[u8]) -> Option<u64> {
    let (digits, rest) = input.split_first_chunk::<8>()?;
    *input = rest;
    Some(u64::from_be_bytes(*digits))
}

/// What a store says of the author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Met {
    /// Somebody here has met him.
    Before,
    /// Nobody, as far as it goes back.
    Never,
    /// It does not go back far enough to say so.
    TooYoung,
}

/// Why the newer set became the older one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turned {
    Aged,
    /// It was full before its time: the memory is shorter than it should be.
    Full,
}

/// Why a file is no store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotRead {
    #[error("expected what this program writes, unchanged: it is damaged")]
    Damaged,
    #[error("expected a file under a key of policy.seal_key_file: it was written under another")]
    OtherKey,
}

/// The two sets, and the messages of which it was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    older: Set,
    newer: Set,
    /// In the order in which they were told.
    told: VecDeque<[u8; CHECK_BYTES]>,
    told_known: HashSet<[u8; CHECK_BYTES]>,
}

impl Store {
    /// One that has met nobody. Times are seconds since 1970.
    pub fn new(now: u64) -> Store {
        let told = (VecDeque::new(), HashSet::new());
        Store { older: Set::new(now), newer: Set::new(now), told: told.0, told_known: told.1 }
    }

    /// Since when it remembers everybody whom the house has met.
    pub fn since(&self) -> u64 {
        self.older.since
    }

    /// Whether any of these has met before. A message of which it was told that they have not, and which
    /// comes again, has the same answer.
    pub fn met(&self, meetings: &[Digest], message: Option<&Digest>, now: u64) -> Met {
        if now.saturating_sub(self.since()) < LEARNING {
            return Met::TooYoung;
        }
        let again = || message.is_some_and(|message| self.told_known.contains(&message.short()));
        let known = |meeting: &Digest| self.newer.has(meeting) || self.older.has(meeting);
        match meetings.iter().any(known) && !again() {
            true => Met::Before,
            false => Met::Never,
        }
    }

    /// Remembers these; the message, where its reader is told that they have never met. Whether a set had to
    /// go for that, and why. `None`: nothing is changed.
    pub fn learn(&mut self, meetings: &[Digest], told: Option<&Digest>, now: u64) -> Learned {
        let mut learned = Learned::default();
        for meeting in meetings {
            if self.newer.has(meeting) {
                continue;
            }
            if let Some(turned) = self.due(now) {
                self.older = std::mem::replace(&mut self.newer, Set::new(now));
                learned.turned = Some(turned);
            }
            self.newer.put(meeting);
            learned.anything = true;
        }
        if let Some(told) = told.map(Digest::short)
            && self.told_known.insert(told)
        {
            self.told.push_back(told);
            let most = |told: &VecDeque<_>| told.len() > TOLD;
            if let Some(oldest) = most(&self.told).then(|| self.told.pop_front()).flatten() {
                self.told_known.remove(&oldest);
            }
            learned.anything = true;
        }
        learned
    }

    fn due(&self, now: u64) -> Option<Turned> {
        match now.saturating_sub(self.newer.since) >= SET_AGE {
            true => Some(Turned::Aged),
            false => (self.newer.pairs >= PAIRS).then_some(Turned::Full),
        }
    }

    /// The bytes of a file, under this key.
    pub fn write(&self, key: &Key) -> Vec<u8> {
        let mut out = Vec::with_capacity(usize::try_from(MAX_BYTES).unwrap_or_default());
        out.extend(MAGIC);
        out.extend(key.check());
        self.older.write(&mut out);
        self.newer.write(&mut out);
        for told in &self.told {
            out.extend(told);
        }
        let seal = key.digest(Of::File, &[&out]);
        out.extend(seal.0);
        out
    }

    /// Reads what [`Store::write`] made under one of these keys, and which one that was. A time to come is a
    /// clock that was wrong: it counts as now.
    ///
    /// # Errors
    /// [`NotRead`].
    pub fn read(bytes: &[u8], keys: &[Key], now: u64) -> Result<(Store, Key), NotRead> {
        let (all, seal) = bytes.split_last_chunk::<SEAL_BYTES>().ok_or(NotRead::Damaged)?;
        let rest = all.strip_prefix(MAGIC).ok_or(NotRead::Damaged)?;
        let (check, mut rest) = rest.split_first_chunk::<CHECK_BYTES>().ok_or(NotRead::Damaged)?;
        let key = keys.iter().find(|key| key.check() == *check).ok_or(NotRead::OtherKey)?;
        if key.digest(Of::File, &[all]).0 != *seal {
            return Err(NotRead::Damaged);
        }
        let mut set = || {
            let set = Set::read(&mut rest).ok_or(NotRead::Damaged)?;
            Ok(Set { since: set.since.min(now), ..set })
        };
        let (older, newer) = (set()?, set()?);
        let (told, beyond) = rest.as_chunks::<CHECK_BYTES>();
        if !beyond.is_empty() || told.len() > TOLD {
            return Err(NotRead::Damaged);
        }
        let told_known = told.iter().copied().collect();
        let told = told.iter().copied().collect();
        Ok((Store { older, newer, told, told_known }, key.clone()))
    }
}

/// What learning did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Learned {
    /// Whether the store is another than before.
    pub anything: bool,
    pub turned: Option<Turned>,
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 86_400;
    const NOW: u64 = 1_700_000_000;

    fn key() -> Key {
        Key::new(&[7; 32])
    }

    fn meeting(number: u64) -> Digest {
        key().digest(Of::Meeting, &[&number.to_be_bytes()])
    }

    #[test]
    fn nobody_is_new_before_a_month_is_over() {
        let mut store = Store::new(NOW);
        assert_eq!(store.met(&[meeting(1)], None, NOW), Met::TooYoung);
        assert!(store.learn(&[meeting(1)], None, NOW).anything);
        assert!(!store.learn(&[meeting(1)], None, NOW + DAY).anything, "nothing new");
        let later = NOW + 30 * DAY;
        assert_eq!(store.met(&[meeting(2)], None, later - 1), Met::TooYoung);
        assert_eq!(store.met(&[meeting(2)], None, later), Met::Never);
        assert_eq!(store.met(&[meeting(1)], None, later), Met::Before);
        assert_eq!(store.met(&[meeting(2), meeting(1)], None, later), Met::Before, "one is enough");
        assert_eq!(store.met(&[meeting(1)], None, NOW - DAY), Met::TooYoung, "a clock gone back");
    }

    #[test]
    fn a_message_that_comes_again_has_the_same_answer() {
        let mut store = Store::new(NOW);
        let now = NOW + 40 * DAY;
        let message = key().digest(Of::Message, &[b"<1@example.com>"]);
        assert_eq!(store.met(&[meeting(1)], Some(&message), now), Met::Never);
        store.learn(&[meeting(1)], Some(&message), now);
        assert_eq!(store.met(&[meeting(1)], Some(&message), now + 1), Met::Never, "the same one");
        let next = key().digest(Of::Message, &[b"<2@example.com>"]);
        assert_eq!(store.met(&[meeting(1)], Some(&next), now + 1), Met::Before, "the next one");
    }

    #[test]
    fn messages_that_were_told_are_bounded() {
        let mut store = Store::new(NOW);
        let message = |number: usize| key().digest(Of::Message, &[&number.to_be_bytes()]);
        for number in 0..TOLD + 2 {
            store.learn(&[], Some(&message(number)), NOW);
        }
        assert_eq!((store.told.len(), store.told_known.len()), (TOLD, TOLD));
        assert!(!store.told_known.contains(&message(1).short()));
        assert!(store.told_known.contains(&message(2).short()));
    }

    #[test]
    fn who_is_met_stays_known_and_who_is_not_is_forgotten_after_half_a_year_to_a_year() {
        let mut store = Store::new(NOW);
        let half = SET_AGE / DAY;
        store.learn(&[meeting(1), meeting(2)], None, NOW);
        let at = |days: u64| NOW + days * DAY;
        assert_eq!(store.learn(&[meeting(1)], None, at(half - 1)).turned, None);
        assert_eq!(store.learn(&[meeting(1)], None, at(half)), Learned::default(), "it is there");
        assert_eq!(store.learn(&[meeting(3)], None, at(half)).turned, Some(Turned::Aged));
        assert_eq!(store.met(&[meeting(2)], None, at(half)), Met::Before);
        assert!(store.learn(&[meeting(1)], None, at(half)).anything, "it moves on");
        store.learn(&[meeting(4)], None, at(2 * half));
        assert_eq!(store.met(&[meeting(1)], None, at(2 * half)), Met::Before);
        assert_eq!(store.met(&[meeting(2)], None, at(2 * half)), Met::Never, "forgotten");
        assert_eq!(store.since(), at(half));
    }

    /// Whoever sends under millions of names of his own makes the memory short, and then it says nothing.
    #[test]
    fn a_flood_makes_it_silent_and_nobody_new() {
        let mut store = Store::new(NOW);
        store.learn(&[meeting(1)], None, NOW);
        let now = NOW + 60 * DAY;
        let flood = |store: &mut Store, at: u64| {
            store.newer.pairs = PAIRS;
            store.learn(&[meeting(at)], None, at).turned
        };
        assert_eq!(flood(&mut store, now), Some(Turned::Full));
        assert_eq!(store.met(&[meeting(1)], None, now), Met::Before, "one set is not enough");
        assert_eq!(store.met(&[meeting(9)], None, now), Met::Never);
        assert_eq!(flood(&mut store, now + 1), Some(Turned::Full));
        assert_eq!(store.met(&[meeting(1)], None, now + 1), Met::TooYoung);
    }

    /// One in 1,700 of a full set; bits are those of a digest, so any number of meetings tells the rate.
    #[test]
    fn of_strangers_few_are_taken_for_known() {
        let mut set = Set::new(NOW);
        // A full set has two bits in five; these are as many, set at once.
        let mut state = 58_u64;
        for byte in &mut set.bytes {
            for bit in 0..8 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                *byte |= u8::from(state >> 33 & 0xffff < 25_786) << bit;
            }
        }
        let known = (0..20_000).filter(|&number| set.has(&meeting(number))).count();
        assert!((2..=30).contains(&known), "{known} of 20,000");
    }

    #[test]
    fn a_file_gives_the_store_back_or_says_why_not() {
        let mut store = Store::new(NOW);
        let told = key().digest(Of::Message, &[b"x"]);
        store.learn(&[meeting(1), meeting(2)], Some(&told), NOW + 1);
        let bytes = store.write(&key());
        assert!(bytes.len() as u64 <= MAX_BYTES);
        let old = [Key::new(&[8; 32]), key()];
        assert_eq!(Store::read(&bytes, &old, NOW + 2).unwrap().0, store);
        assert_eq!(Store::read(&bytes, &old[..1], NOW).unwrap_err(), NotRead::OtherKey);
        let early = Store::read(&bytes, &old, NOW - 5).unwrap().0;
        assert_eq!(early.since(), NOW - 5, "a time to come counts as now");
        for at in [0, MAGIC.len() + CHECK_BYTES + 3, bytes.len() / 2, bytes.len() - 1] {
            let mut broken = bytes.clone();
            broken[at] ^= 1;
            assert_eq!(Store::read(&broken, &old, NOW).unwrap_err(), NotRead::Damaged, "{at}");
        }
        for length in [0, 10, 40, bytes.len() - 1] {
            let cut = Store::read(&bytes[..length], &old, NOW);
            assert_eq!(cut.unwrap_err(), NotRead::Damaged, "{length}");
        }
    }

    #[test]
    fn without_the_secret_a_digest_is_of_nobody() {
        let pieces: [&[u8]; 2] = [b"ann@example.com", b"bob@example.org"];
        let digest = key().digest(Of::Meeting, &pieces);
        assert_ne!(digest, Key::new(&[8; 32]).digest(Of::Meeting, &pieces));
        assert_ne!(digest, key().digest(Of::Message, &pieces));
        let shifted: [&[u8]; 2] = [b"ann@example.comb", b"ob@example.org"];
        assert_ne!(digest, key().digest(Of::Meeting, &shifted));
    }
}
