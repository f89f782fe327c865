//! Hashes with a secret key: of hosts that are kept by hash, and of keys that a message chooses.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A secret key, another one for each message: a sender cannot choose texts with the same hash. SipHash takes several
/// times as long for a host.
pub type HashKey = foldhash::quality::RandomState;

/// A set of keyed hashes. They are not hashed again.
pub type Hashes = HashSet<u64, BuildHasherDefault<IdentityHasher>>;

/// A map from keyed hashes. They are not hashed again.
pub type ByHash<T> = HashMap<u64, T, BuildHasherDefault<IdentityHasher>>;

/// Returns a hash as it is.
#[derive(Clone, Debug, Default)]
pub struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
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
