//! Hosts that readings have met, so that the net under them knows which are hidden.
//!
//! Hashes stand for the hosts: a message can hold more of them than it has room for. To be taken for another
//! one's, a host would have to be looked for in 2⁶⁴.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Hosts that are remembered: one for so many bytes of the message, and so many at least. Those beyond are
/// told as hidden as well.
pub const BYTES: usize = 16;
pub const BASE: usize = 4_096;

/// The hosts, and those above them: of `www.example.com` the net may see `example.com`
/// alone.
#[derive(Clone, Debug, Default)]
pub struct Met {
    known: HashSet<u64>,
    /// As they are spelled, where their bounds are certain: whoever comes upon the same letters need not judge
    /// them to know.
    spelled: HashSet<u64>,
    /// Those of them that deceive.
    lying: HashSet<u64>,
    most: usize,
}

impl Met {
    /// Those of a message of this many bytes.
    pub fn of(bytes: usize) -> Met {
        Met { most: bytes / BYTES + BASE, ..Met::default() }
    }

    /// Remembers a host (lower-case ASCII form) and those above it, but for top-level domains.
    pub fn note(&mut self, ascii: &str) {
        let mut rest = ascii;
        while let Some((_, above)) = rest.split_once('.') {
            if self.known.len() >= self.most || !self.known.insert(hash(rest)) {
                return;
            }
            rest = above;
        }
    }

    /// Remembers how a host is spelled that was noted, and whether it deceives.
    pub fn note_spelling(&mut self, spelling: &str, ascii: &str, deceives: bool) {
        if self.spelled.len() < self.most && self.has(ascii) {
            let hash = hash(spelling);
            self.spelled.insert(hash);
            if deceives {
                self.lying.insert(hash);
            }
        }
    }

    /// Whether a host was met in this spelling.
    pub fn has_spelling(&self, spelling: &str) -> bool {
        self.spelled.contains(&hash(spelling))
    }

    /// Whether a host was met in this spelling that deceives.
    pub fn is_lie(&self, spelling: &str) -> bool {
        !self.lying.is_empty() && self.lying.contains(&hash(spelling))
    }

    /// Whether it was met, or one below it.
    pub fn has(&self, ascii: &str) -> bool {
        self.known.contains(&hash(ascii))
    }
}

fn hash(host: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    host.hash(&mut hasher);
    hasher.finish()
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
        met.note_spelling("а.com", "xn--80a.com", false);
        assert!(!met.has_spelling("а.com"), "nobody met it");
        met.note("xn--80a.com");
        met.note_spelling("а.com", "xn--80a.com", false);
        assert!(met.has_spelling("а.com") && !met.has_spelling("А.com"));
        assert!(!met.is_lie("а.com"));
        met.note_spelling("А.com", "xn--80a.com", true);
        assert!(met.is_lie("А.com") && !met.is_lie("а.com"));
    }

    #[test]
    fn hosts_that_were_met_are_bounded() {
        let mut met = Met::of(160);
        for number in 0..10_000 {
            met.note(&format!("xn--{number}.com"));
        }
        assert_eq!(met.known.len(), BASE + 10);
        assert!(met.has("xn--7.com") && !met.has("xn--9999.com"));
    }
}
