//! Hosts that readings have found, so that the net can tell which ones are hidden from all of them.
//!
//! Hosts are kept as keyed hashes: a message can hold more hosts than should be kept in memory. Two hosts have the
//! same hash by chance once in 2⁶⁴.

use crate::keyed_hash::{HashKey, Hashes};
use std::hash::BuildHasher as _;

/// Hosts that are kept: one for each [`BYTES`] bytes of the message, and [`BASE`] in any case. Further ones are
/// reported as hidden too.
pub const BYTES: usize = 16;
pub const BASE: usize = 4_096;

/// The hosts, and the domains above them: of `www.example.com` the net may see only `example.com`.
#[derive(Clone, Debug, Default)]
pub struct SeenHosts {
    hosts: Hashes,
    /// Their spellings where the bounds are certain. A host in a known spelling need not be judged again.
    spellings: Hashes,
    /// The spellings that are deceptive.
    deceptive: Hashes,
    max: usize,
    /// Key of the hashes, so that a sender cannot construct collisions.
    keys: HashKey,
}

impl SeenHosts {
    /// An empty set for a message of this many bytes.
    pub fn for_message_of(bytes: usize) -> SeenHosts {
        SeenHosts { max: bytes / BYTES + BASE, ..SeenHosts::default() }
    }

    /// Adds a host (lower-case ASCII form) and the domains above it, without top-level domains. Returns whether the
    /// host is in the set now.
    pub fn add(&mut self, ascii: &str) -> bool {
        let mut is_kept = None;
        let names = homograph::and_above(ascii).filter(|name| name.as_bytes().contains(&b'.'));
        for hash in names.map(|name| self.keys.hash_one(name)) {
            let new = self.hosts.len() < self.max && self.hosts.insert(hash);
            is_kept.get_or_insert_with(|| new || self.hosts.contains(&hash));
            if !new {
                break;
            }
        }
        is_kept.unwrap_or_default()
    }

    /// Adds a spelling of a host in the set, and whether it is deceptive.
    pub fn add_spelling(&mut self, spelling: &str, is_deceptive: bool) {
        if self.spellings.len() < self.max {
            let hash = self.hash(spelling);
            self.spellings.insert(hash);
            if is_deceptive {
                self.deceptive.insert(hash);
            }
        }
    }

    /// Takes back that a spelling is deceptive: where it stands it is not.
    pub fn absolve(&mut self, spelling: &str) {
        let hash = self.hash(spelling);
        self.deceptive.remove(&hash);
    }

    /// Whether a host was seen in this spelling.
    pub fn has_spelling(&self, spelling: &str) -> bool {
        self.spellings.contains(&self.hash(spelling))
    }

    /// Whether a deceptive host was seen in this spelling.
    pub fn is_deceptive(&self, spelling: &str) -> bool {
        !self.deceptive.is_empty() && self.deceptive.contains(&self.hash(spelling))
    }

    /// Whether the host was seen, or one below it.
    pub fn has(&self, ascii: &str) -> bool {
        self.hosts.contains(&self.hash(ascii))
    }

    fn hash(&self, host: &str) -> u64 {
        self.keys.hash_one(host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_those_above_them_are_seen() {
        let mut seen = SeenHosts::for_message_of(0);
        seen.add("a.xn--b.xn--c.com");
        for (host, known) in [
            ("a.xn--b.xn--c.com", true),
            ("xn--b.xn--c.com", true),
            ("xn--c.com", true),
            ("com", false),
            ("example.com", false),
            ("b.xn--c.com", false),
        ] {
            assert_eq!(seen.has(host), known, "{host}");
        }
    }

    #[test]
    fn spellings_of_seen_hosts_are_known() {
        let mut seen = SeenHosts::for_message_of(0);
        assert!(!seen.has_spelling("а.com"), "never seen");
        assert!(seen.add("xn--80a.com") && seen.add("xn--80a.com") && !seen.add("com"));
        seen.add_spelling("а.com", false);
        assert!(seen.has_spelling("а.com") && !seen.has_spelling("А.com"));
        assert!(!seen.is_deceptive("а.com"));
        seen.add_spelling("А.com", true);
        assert!(seen.is_deceptive("А.com") && !seen.is_deceptive("а.com"));
        seen.absolve("А.com");
        assert!(!seen.is_deceptive("А.com") && seen.has_spelling("А.com"));
    }

    #[test]
    fn seen_hosts_are_bounded() {
        let mut seen = SeenHosts::for_message_of(160);
        for number in 0..10_000 {
            seen.add(&format!("xn--{number}.com"));
        }
        assert_eq!(seen.hosts.len(), BASE + 10);
        assert!(seen.add("xn--7.com") && !seen.add("xn--9999.com"));
        assert!(seen.has("xn--7.com") && !seen.has("xn--9999.com"));
    }
}
