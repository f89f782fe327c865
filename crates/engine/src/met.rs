//! Hosts that readings have met, so that the net under them knows which are hidden.
//!
//! Hashes stand for the hosts: a message can hold more of them than it has room for. To be taken for another
//! one's, a host would have to be looked for in 2⁶⁴.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher as _, BuildHasherDefault, Hasher, RandomState};

/// Hosts that are remembered: one for so many bytes of the message, and so many at least. Those beyond are
/// told as hidden as well.
pub const BYTES: usize = 16;
pub const BASE: usize = 4_096;

/// The hosts, and those above them: of `www.example.com` the net may see `example.com`
/// alone.
#[derive(Clone, Debug, Default)]
pub struct Met {
    known: Hashes,
    /// As they are spelled, where their bounds are certain: whoever comes upon the same letters need not judge
    /// them to know.
    spelled: Hashes,
    /// Those of them that deceive.
    lying: Hashes,
    most: usize,
    /// Of the hashes, so that nobody knows which fall together.
    keys: RandomState,
}

/// Keyed hashes, which need no other.
pub type Hashes = HashSet<u64, BuildHasherDefault<Itself>>;

/// What is known by keyed hashes.
pub type ByHash<T> = HashMap<u64, T, BuildHasherDefault<Itself>>;

/// The hash of a hash.
#[derive(Clone, Debug, Default)]
pub struct Itself(u64);

impl Hasher for Itself {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

impl Met {
    /// Those of a message of this many bytes.
    pub fn of(bytes: usize) -> Met {
        Met { most: bytes / BYTES + BASE, ..Met::default() }
    }

    /// Remembers a host (lower-case ASCII form) and those above it, but for top-level domains; whether the host
    /// is known then.
    pub fn note(&mut self, ascii: &str) -> bool {
        let mut known = None;
        let names = homograph::and_above(ascii).filter(|name| name.contains('.'));
        for hash in names.map(|name| self.keys.hash_one(name)) {
            let new = self.known.len() < self.most && self.known.insert(hash);
            known.get_or_insert_with(|| new || self.known.contains(&hash));
            if !new {
                break;
            }
        }
        known.unwrap_or_default()
    }

    /// Remembers how a host is spelled that is known, and whether it deceives.
    pub fn note_spelling(&mut self, spelling: &str, deceives: bool) {
        if self.spelled.len() < self.most {
            let hash = self.hash(spelling);
            self.spelled.insert(hash);
            if deceives {
                self.lying.insert(hash);
            }
        }
    }

    /// Whether a host was met in this spelling.
    pub fn has_spelling(&self, spelling: &str) -> bool {
        self.spelled.contains(&self.hash(spelling))
    }

    /// Whether a host was met in this spelling that deceives.
    pub fn is_lie(&self, spelling: &str) -> bool {
        !self.lying.is_empty() && self.lying.contains(&self.hash(spelling))
    }

    /// Whether it was met, or one below it.
    pub fn has(&self, ascii: &str) -> bool {
        self.known.contains(&self.hash(ascii))
    }

    fn hash(&self, host: &str) -> u64 {
        self.keys.hash_one(host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_those_above_them_are_met() {
        let mut met = Met::of(0);
        met.note("a.xn--b.xn--c.com");
        for (host, known) in [
            ("a.xn--b.xn--c.com", true),
            ("xn--b.xn--c.com", true),
            ("xn--c.com", true),
            ("com", false),
            ("example.com", false),
            ("b.xn--c.com", false),
        ] {
            assert_eq!(met.has(host), known, "{host}");
        }
    }

    #[test]
    fn spellings_of_hosts_that_were_met_are_known() {
        let mut met = Met::of(0);
        assert!(!met.has_spelling("а.com"), "nobody met it");
        assert!(met.note("xn--80a.com") && met.note("xn--80a.com") && !met.note("com"));
        met.note_spelling("а.com", false);
        assert!(met.has_spelling("а.com") && !met.has_spelling("А.com"));
        assert!(!met.is_lie("а.com"));
        met.note_spelling("А.com", true);
        assert!(met.is_lie("А.com") && !met.is_lie("а.com"));
    }

    #[test]
    fn hosts_that_were_met_are_bounded() {
        let mut met = Met::of(160);
        for number in 0..10_000 {
            met.note(&format!("xn--{number}.com"));
        }
        assert_eq!(met.known.len(), BASE + 10);
        assert!(met.note("xn--7.com") && !met.note("xn--9999.com"));
        assert!(met.has("xn--7.com") && !met.has("xn--9999.com"));
    }
}
