//! Hashes with a secret key: of hosts that are kept by hash, and of keys that a message chooses.
//!
//! The bytes are the coefficients of a polynomial over the numbers modulo 2⁶¹ − 1, which is evaluated at the key. Two
//! texts of n bytes have the same hash for n/7 keys of 2⁶¹ at most. A sender who does not know the key of this message can
//! do no better, and SipHash takes four times as long for a host.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

/// The prime.
const PRIME: u64 = (1 << 61) - 1;

/// Bytes of a coefficient.
const BYTES: usize = 7;

/// The numbers below this have [`BYTES`].
const MARK: u64 = 1 << (8 * BYTES);

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

/// A secret key.
#[derive(Clone, Copy, Debug)]
pub struct Key(u64);

impl Default for Key {
    /// A new key.
    fn default() -> Key {
        Key(RandomState::new().hash_one(0) % PRIME)
    }
}

impl BuildHasher for Key {
    type Hasher = Polynomial;

    fn build_hasher(&self) -> Polynomial {
        Polynomial { key: self.0, sum: 0 }
    }
}

/// The value of the polynomial so far.
#[derive(Clone, Debug)]
pub struct Polynomial {
    key: u64,
    /// Below 2⁶² − 2⁵⁸.
    sum: u64,
}

impl Polynomial {
    /// Adds a coefficient below 2⁵⁸.
    #[inline]
    fn add(&mut self, coefficient: u64) {
        let product = u128::from(self.sum + coefficient) * u128::from(self.key);
        let (low, high) = (product as u64 & PRIME, (product >> 61) as u64);
        let sum = low + high;
        self.sum = (sum & PRIME) + (sum >> 61);
    }
}

impl Hasher for Polynomial {
    /// All bits of a hash are used, so they are spread over 64.
    fn finish(&self) -> u64 {
        let sum = if self.sum >= PRIME { self.sum - PRIME } else { self.sum };
        sum.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }

    fn write(&mut self, bytes: &[u8]) {
        let (whole, rest) = bytes.as_chunks::<BYTES>();
        for [a, b, c, d, e, f, g] in whole {
            self.add(u64::from_le_bytes([*a, *b, *c, *d, *e, *f, *g, 1]));
        }
        // The one in front tells how many there are.
        self.add(rest.iter().fold(1, |number, byte| number << 8 | u64::from(*byte)));
    }

    fn write_u8(&mut self, number: u8) {
        self.add(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.add(number % MARK);
        self.add(number / MARK);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_isize(&mut self, number: isize) {
        self.write_u64(number as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_key() {
        let (one, other) = (Key(12_345), Key(PRIME - 2));
        let texts: Vec<String> =
            (0..5_000).map(|at| "a\0".repeat(at % 90) + &at.to_string()).collect();
        let all = |key: Key| texts.iter().map(move |text| key.hash_one(text));
        assert!(all(one).eq(all(one)), "the same each time");
        assert!(all(one).zip(all(other)).all(|(one, other)| one != other));
        assert_eq!(all(one).collect::<HashSet<_>>().len(), texts.len());
        let lengths = (0..50).map(|length| one.hash_one("\0".repeat(length)));
        assert_eq!(lengths.collect::<HashSet<_>>().len(), 50);
        let numbers = (0..64).map(|bit| one.hash_one((1_u64 << bit, 1_usize)));
        assert_eq!(numbers.collect::<HashSet<_>>().len(), 64);
    }

    /// What is computed in 64 bits is the value modulo the prime.
    #[test]
    fn sums_are_taken_modulo_the_prime() {
        for key in [1, 2, PRIME - 1, PRIME / 3, 1 << 60] {
            let mut hash = Key(key).build_hasher();
            let mut expected = 0_u128;
            for coefficient in [0, 1, MARK - 1, MARK + 5, 2 * MARK - 1].repeat(20) {
                hash.add(coefficient);
                expected =
                    (expected + u128::from(coefficient)) * u128::from(key) % u128::from(PRIME);
                assert_eq!(u128::from(hash.sum % PRIME), expected);
                assert!(hash.sum < (1 << 62) - (1 << 58));
            }
        }
    }
}
