//! Which addresses have exchanged mail: two sets of keyed digests that forget. Their size is fixed.
//!
//! A set is a Bloom filter: what was inserted is always found. Of what was not inserted, a full set finds one in two
//! thousand. Address pairs go into the newer set. When that set is full or half a year old it becomes the older one,
//! and the pairs of the former older one are forgotten. A pair that is seen again is inserted into the newer set.

use std::collections::{HashSet, VecDeque};

use hmac::{Hmac, Mac};
use sha2::Sha256;

use super::super::metrics::ContactAnswer;
use super::super::seal;

/// Bits of a set: 4 MiB.
const SET_BITS: usize = 1 << 25;

/// Bits that a pair sets: the hash functions of a Bloom filter. A full set has sixteen bits for each pair. It takes
/// one unknown author in 1,700 for known (a false positive); two full sets take one in 850.
const BITS_PER_PAIR: usize = 8;

/// Pairs that a set takes.
const PAIRS_PER_SET: u64 = (SET_BITS / 16) as u64;

/// Age at which a set becomes the older one: half a year, in seconds.
const SET_AGE_SECONDS: u64 = 182 * 86_400;

/// How far back the store must go before an author is called new: a month, in seconds. A store that does not go back
/// so far knows too few: in its first weeks everybody is new, and somebody who sends millions of messages under
/// different names makes it forget early.
pub const LEARNING_SECONDS: u64 = 30 * 86_400;

/// Messages marked as a first contact that are remembered, in case they come again.
const MAX_MARKED: usize = 65_536;

/// The first bytes of the file.
const MAGIC: &[u8] = b"linkmilter contacts 1\n";

/// Bytes of the digest of the key, and of the seal at the end.
const FINGERPRINT_BYTES: usize = 8;
const SEAL_BYTES: usize = 32;

/// Bytes of the longest file.
pub const MAX_BYTES: u64 =
    (MAGIC.len() + FINGERPRINT_BYTES + 2 * (16 + SET_BITS / 8) + 4 + 8 * MAX_MARKED + SEAL_BYTES)
        as u64;

/// Makes digests that nobody can make or recognise without the secret key.
#[derive(Clone)]
pub struct ContactKey(Hmac<Sha256>);

impl PartialEq for ContactKey {
    fn eq(&self, other: &ContactKey) -> bool {
        self.fingerprint() == other.fingerprint()
    }
}

impl std::fmt::Debug for ContactKey {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Key")
    }
}

/// Digest of an address pair or of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest([u8; 32]);

/// What a digest is made of. Digests of different kinds never agree.
#[derive(Clone, Copy, Debug)]
pub enum DigestKind {
    Pair,
    Message,
    /// The key itself: it says in a file under which key that was written.
    ContactKey,
    File,
}

impl ContactKey {
    pub fn new(secret: &[u8]) -> ContactKey {
        ContactKey(seal::keyed(secret, MAGIC))
    }

    /// A digest of these pieces. The borders between them count as well.
    pub fn digest(&self, kind: DigestKind, pieces: &[&[u8]]) -> Digest {
        let mut mac = self.0.clone();
        mac.update(&[kind as u8]);
        for piece in pieces {
            mac.update(&(piece.len() as u64).to_be_bytes());
            mac.update(piece);
        }
        Digest(mac.finalize().into_bytes().into())
    }

    /// Identifies this key.
    fn fingerprint(&self) -> [u8; FINGERPRINT_BYTES] {
        self.digest(DigestKind::ContactKey, &[]).prefix()
    }
}

impl Digest {
    fn prefix(&self) -> [u8; FINGERPRINT_BYTES] {
        self.0.first_chunk().copied().unwrap_or_default()
    }

    /// The bits that it sets: eight numbers of 32 bits, of which 25 count.
    fn bits(&self) -> [usize; BITS_PER_PAIR] {
        let mut bits = [0; BITS_PER_PAIR];
        for (bit, four) in bits.iter_mut().zip(self.0.chunks_exact(4)) {
            let number = four.iter().fold(0_usize, |sum, &byte| sum << 8 | usize::from(byte));
            *bit = number % SET_BITS;
        }
        bits
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct ContactSet {
    /// When the first pair could be inserted, in seconds since 1970.
    since: u64,
    /// How many pairs were inserted.
    pairs: u64,
    bytes: Vec<u8>,
}

impl ContactSet {
    fn new(since: u64) -> ContactSet {
        ContactSet { since, pairs: 0, bytes: vec![0; SET_BITS / 8] }
    }

    fn contains(&self, digest: &Digest) -> bool {
        let is_set =
            |bit: usize| self.bytes.get(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1);
        digest.bits().into_iter().all(is_set)
    }

    fn insert(&mut self, digest: &Digest) {
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

    fn read(input: &mut &[u8]) -> Option<ContactSet> {
        let since = number(input)?;
        let pairs = number(input)?;
        let (bytes, rest) = input.split_at_checked(SET_BITS / 8)?;
        *input = rest;
        Some(ContactSet { since, pairs, bytes: bytes.to_vec() })
    }
}

fn number(input: &mut &[u8]) -> Option<u64> {
    let (digits, rest) = input.split_first_chunk::<8>()?;
    *input = rest;
    Some(u64::from_be_bytes(*digits))
}

/// Why the newer set became the older one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RotationCause {
    Age,
    /// It was full early: the store goes back less far than it should.
    Full,
}

/// Why a file cannot be read as a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContactSetsError {
    #[error("expected the file as this program wrote it: it is damaged")]
    Damaged,
    #[error("expected a file under a key of policy.seal_key_file: it was written under another")]
    OtherKey,
}

/// The two sets, and the messages that were marked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContactSets {
    older: ContactSet,
    newer: ContactSet,
    /// In the order in which they were marked.
    marked: VecDeque<[u8; FINGERPRINT_BYTES]>,
    marked_set: HashSet<[u8; FINGERPRINT_BYTES]>,
}

impl ContactSets {
    /// An empty store. Times are seconds since 1970.
    pub fn new(now: u64) -> ContactSets {
        let (marked, marked_set) = (VecDeque::new(), HashSet::new());
        ContactSets { older: ContactSet::new(now), newer: ContactSet::new(now), marked, marked_set }
    }

    /// Since when it remembers all pairs.
    pub fn since(&self) -> u64 {
        self.older.since
    }

    /// Whether any of these pairs is known. A message that was marked as a first contact and comes again gets the
    /// same answer again.
    pub fn query(&self, pairs: &[Digest], message: Option<&Digest>, now: u64) -> ContactAnswer {
        if now.saturating_sub(self.since()) < LEARNING_SECONDS {
            return ContactAnswer::TooEarly;
        }
        let is_marked =
            || message.is_some_and(|message| self.marked_set.contains(&message.prefix()));
        let is_known = |pair: &Digest| self.newer.contains(pair) || self.older.contains(pair);
        match pairs.iter().any(is_known) && !is_marked() {
            true => ContactAnswer::Known,
            false => ContactAnswer::First,
        }
    }

    /// Remembers these pairs, and the message if it is marked as a first contact.
    pub fn learn(&mut self, pairs: &[Digest], marked: Option<&Digest>, now: u64) -> Learned {
        let mut learned = Learned::default();
        for pair in pairs {
            if self.newer.contains(pair) {
                continue;
            }
            if let Some(cause) = self.rotation_due(now) {
                self.older = std::mem::replace(&mut self.newer, ContactSet::new(now));
                learned.rotation = Some(cause);
            }
            self.newer.insert(pair);
            learned.changed = true;
        }
        if let Some(marked) = marked.map(Digest::prefix)
            && self.marked_set.insert(marked)
        {
            self.marked.push_back(marked);
            if self.marked.len() > MAX_MARKED
                && let Some(oldest) = self.marked.pop_front()
            {
                self.marked_set.remove(&oldest);
            }
            learned.changed = true;
        }
        learned
    }

    fn rotation_due(&self, now: u64) -> Option<RotationCause> {
        match now.saturating_sub(self.newer.since) >= SET_AGE_SECONDS {
            true => Some(RotationCause::Age),
            false => (self.newer.pairs >= PAIRS_PER_SET).then_some(RotationCause::Full),
        }
    }

    /// The content of the file under this key.
    pub fn write(&self, key: &ContactKey) -> Vec<u8> {
        let mut out = Vec::with_capacity(usize::try_from(MAX_BYTES).unwrap_or_default());
        out.extend(MAGIC);
        out.extend(key.fingerprint());
        self.older.write(&mut out);
        self.newer.write(&mut out);
        for marked in &self.marked {
            out.extend(marked);
        }
        let seal = key.digest(DigestKind::File, &[&out]);
        out.extend(seal.0);
        out
    }

    /// Reads what [`ContactSets::write`] made under one of these keys, and returns that key. A time in the future comes from
    /// a wrong clock: it counts as now.
    ///
    /// # Errors
    /// [`ContactSetsError`].
    pub fn read(
        bytes: &[u8],
        keys: &[ContactKey],
        now: u64,
    ) -> Result<(ContactSets, ContactKey), ContactSetsError> {
        let (all, seal) =
            bytes.split_last_chunk::<SEAL_BYTES>().ok_or(ContactSetsError::Damaged)?;
        let rest = all.strip_prefix(MAGIC).ok_or(ContactSetsError::Damaged)?;
        let (fingerprint, mut rest) =
            rest.split_first_chunk::<FINGERPRINT_BYTES>().ok_or(ContactSetsError::Damaged)?;
        let key = keys
            .iter()
            .find(|key| key.fingerprint() == *fingerprint)
            .ok_or(ContactSetsError::OtherKey)?;
        if key.digest(DigestKind::File, &[all]).0 != *seal {
            return Err(ContactSetsError::Damaged);
        }
        let mut set = || {
            let set = ContactSet::read(&mut rest).ok_or(ContactSetsError::Damaged)?;
            Ok(ContactSet { since: set.since.min(now), ..set })
        };
        let (older, newer) = (set()?, set()?);
        let (marked, remainder) = rest.as_chunks::<FINGERPRINT_BYTES>();
        if !remainder.is_empty() || marked.len() > MAX_MARKED {
            return Err(ContactSetsError::Damaged);
        }
        let marked_set = marked.iter().copied().collect();
        let marked = marked.iter().copied().collect();
        Ok((ContactSets { older, newer, marked, marked_set }, key.clone()))
    }
}

/// Result of [`ContactSets::learn`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Learned {
    pub changed: bool,
    /// Set if the older set was dropped.
    pub rotation: Option<RotationCause>,
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 86_400;
    const NOW: u64 = 1_700_000_000;

    fn key() -> ContactKey {
        ContactKey::new(&[7; 32])
    }

    fn pair(number: u64) -> Digest {
        key().digest(DigestKind::Pair, &[&number.to_be_bytes()])
    }

    #[test]
    fn nobody_is_new_before_a_month_is_over() {
        let mut store = ContactSets::new(NOW);
        assert_eq!(store.query(&[pair(1)], None, NOW), ContactAnswer::TooEarly);
        assert!(store.learn(&[pair(1)], None, NOW).changed);
        assert!(!store.learn(&[pair(1)], None, NOW + DAY).changed, "nothing new");
        let later = NOW + 30 * DAY;
        assert_eq!(store.query(&[pair(2)], None, later - 1), ContactAnswer::TooEarly);
        assert_eq!(store.query(&[pair(2)], None, later), ContactAnswer::First);
        assert_eq!(store.query(&[pair(1)], None, later), ContactAnswer::Known);
        assert_eq!(
            store.query(&[pair(2), pair(1)], None, later),
            ContactAnswer::Known,
            "one known pair is enough"
        );
        assert_eq!(
            store.query(&[pair(1)], None, NOW - DAY),
            ContactAnswer::TooEarly,
            "a clock that was set back"
        );
    }

    #[test]
    fn a_message_that_comes_again_has_the_same_answer() {
        let mut store = ContactSets::new(NOW);
        let now = NOW + 40 * DAY;
        let message = key().digest(DigestKind::Message, &[b"<1@example.com>"]);
        assert_eq!(store.query(&[pair(1)], Some(&message), now), ContactAnswer::First);
        store.learn(&[pair(1)], Some(&message), now);
        assert_eq!(
            store.query(&[pair(1)], Some(&message), now + 1),
            ContactAnswer::First,
            "the same one"
        );
        let next = key().digest(DigestKind::Message, &[b"<2@example.com>"]);
        assert_eq!(
            store.query(&[pair(1)], Some(&next), now + 1),
            ContactAnswer::Known,
            "the next one"
        );
    }

    #[test]
    fn marked_messages_are_bounded() {
        let mut store = ContactSets::new(NOW);
        let message = |number: usize| key().digest(DigestKind::Message, &[&number.to_be_bytes()]);
        for number in 0..MAX_MARKED + 2 {
            store.learn(&[], Some(&message(number)), NOW);
        }
        assert_eq!((store.marked.len(), store.marked_set.len()), (MAX_MARKED, MAX_MARKED));
        assert!(!store.marked_set.contains(&message(1).prefix()));
        assert!(store.marked_set.contains(&message(2).prefix()));
    }

    #[test]
    fn pairs_without_mail_are_forgotten_after_half_a_year_to_a_year() {
        let mut store = ContactSets::new(NOW);
        let half = SET_AGE_SECONDS / DAY;
        store.learn(&[pair(1), pair(2)], None, NOW);
        let at = |days: u64| NOW + days * DAY;
        assert_eq!(store.learn(&[pair(1)], None, at(half - 1)).rotation, None);
        assert_eq!(store.learn(&[pair(1)], None, at(half)), Learned::default(), "it is there");
        assert_eq!(store.learn(&[pair(3)], None, at(half)).rotation, Some(RotationCause::Age));
        assert_eq!(store.query(&[pair(2)], None, at(half)), ContactAnswer::Known);
        assert!(
            store.learn(&[pair(1)], None, at(half)).changed,
            "it is inserted into the newer set"
        );
        store.learn(&[pair(4)], None, at(2 * half));
        assert_eq!(store.query(&[pair(1)], None, at(2 * half)), ContactAnswer::Known);
        assert_eq!(store.query(&[pair(2)], None, at(2 * half)), ContactAnswer::First, "forgotten");
        assert_eq!(store.since(), at(half));
    }

    /// Mail under millions of names makes the store forget early, and then it calls nobody new.
    #[test]
    fn after_a_flood_nobody_is_called_new() {
        let mut store = ContactSets::new(NOW);
        store.learn(&[pair(1)], None, NOW);
        let now = NOW + 60 * DAY;
        let flood = |store: &mut ContactSets, at: u64| {
            store.newer.pairs = PAIRS_PER_SET;
            store.learn(&[pair(at)], None, at).rotation
        };
        assert_eq!(flood(&mut store, now), Some(RotationCause::Full));
        assert_eq!(
            store.query(&[pair(1)], None, now),
            ContactAnswer::Known,
            "one set is not enough"
        );
        assert_eq!(store.query(&[pair(9)], None, now), ContactAnswer::First);
        assert_eq!(flood(&mut store, now + 1), Some(RotationCause::Full));
        assert_eq!(store.query(&[pair(1)], None, now + 1), ContactAnswer::TooEarly);
    }

    /// One in 1,700 for a full set. The bits are those of digests, so any sample of pairs shows the rate.
    #[test]
    fn few_unknown_pairs_are_taken_for_known() {
        let mut set = ContactSet::new(NOW);
        // A full set has two bits in five; these are as many, set at once.
        let mut state = 58_u64;
        for byte in &mut set.bytes {
            for bit in 0..8 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                *byte |= u8::from(state >> 33 & 0xffff < 25_786) << bit;
            }
        }
        let known = (0..20_000).filter(|&number| set.contains(&pair(number))).count();
        assert!((2..=30).contains(&known), "{known} of 20,000");
    }

    #[test]
    fn a_file_is_read_back_or_refused_with_a_reason() {
        let mut store = ContactSets::new(NOW);
        let marked = key().digest(DigestKind::Message, &[b"x"]);
        store.learn(&[pair(1), pair(2)], Some(&marked), NOW + 1);
        let bytes = store.write(&key());
        assert!(bytes.len() as u64 <= MAX_BYTES);
        let old = [ContactKey::new(&[8; 32]), key()];
        assert_eq!(ContactSets::read(&bytes, &old, NOW + 2).unwrap().0, store);
        assert_eq!(
            ContactSets::read(&bytes, &old[..1], NOW).unwrap_err(),
            ContactSetsError::OtherKey
        );
        let early = ContactSets::read(&bytes, &old, NOW - 5).unwrap().0;
        assert_eq!(early.since(), NOW - 5, "a time in the future counts as now");
        for at in [0, MAGIC.len() + FINGERPRINT_BYTES + 3, bytes.len() / 2, bytes.len() - 1] {
            let mut broken = bytes.clone();
            broken[at] ^= 1;
            assert_eq!(
                ContactSets::read(&broken, &old, NOW).unwrap_err(),
                ContactSetsError::Damaged,
                "{at}"
            );
        }
        for length in [0, 10, 40, bytes.len() - 1] {
            let cut = ContactSets::read(&bytes[..length], &old, NOW);
            assert_eq!(cut.unwrap_err(), ContactSetsError::Damaged, "{length}");
        }
    }

    #[test]
    fn without_the_secret_a_digest_cannot_be_made() {
        let pieces: [&[u8]; 2] = [b"ann@example.com", b"bob@example.org"];
        let digest = key().digest(DigestKind::Pair, &pieces);
        assert_ne!(digest, ContactKey::new(&[8; 32]).digest(DigestKind::Pair, &pieces));
        assert_ne!(digest, key().digest(DigestKind::Message, &pieces));
        let shifted: [&[u8]; 2] = [b"ann@example.comb", b"ob@example.org"];
        assert_ne!(digest, key().digest(DigestKind::Pair, &shifted));
    }
}
