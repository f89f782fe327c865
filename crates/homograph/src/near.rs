//! A protected name with one letter more, one less or another one, beside a letter of another alphabet:
//! `faceböck.com`. Found by the pieces of a name that one letter was left out of, so that looking one up
//! does not grow with the list.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::names::{LookHasher, Name, Reach};
use super::reading::Sights;

/// Letters of a name that no other word comes near by chance, and of a label that is looked up.
const LEAST: usize = 8;
const MOST: usize = 32;

/// Names by the hash of their brand, and of their brand without each of its letters; of several with the
/// same the first.
#[derive(Clone, Debug, Default)]
pub(super) struct Near(HashMap<u64, usize, BuildHasherDefault<LookHasher>>);

impl Near {
    /// Adds the name at this place of a list.
    pub(super) fn add(&mut self, at: usize, name: &Name) {
        let brand = brand(name);
        if name.reach == Reach::Brand && brand.is_ascii() && brand.len() >= LEAST {
            for piece in pieces(brand) {
                self.0.entry(piece).or_insert(at);
            }
        }
    }

    /// A name of the list one letter away from what the label reads as.
    pub(super) fn find<'n>(&self, label: &Sights, names: &'n [Name]) -> Option<&'n Name> {
        let read = latin(label).filter(|read| (LEAST - 1..=MOST).contains(&read.len()))?;
        let mut found = pieces(&read).filter_map(|piece| names.get(*self.0.get(&piece)?));
        found.find(|name| is_one_away(&read, brand(name)))
    }
}

fn brand(name: &Name) -> &[u8] {
    name.labels.get(name.brand).map_or(&[], |(label, _)| label.as_bytes())
}

/// The label in plain letters, when it reads as such throughout.
fn latin(label: &Sights) -> Option<Vec<u8>> {
    let mut read = Vec::with_capacity(label.len());
    for (c, readings) in label.iter() {
        if c.is_ascii() {
            read.push(c.to_ascii_lowercase() as u8);
        } else {
            read.extend(readings.first()?.text.as_str().bytes());
        }
    }
    Some(read)
}

/// The hash of what is left of the letters without each, and of them all: the letters are the digits of a
/// number, so that each takes a few steps however long the word is.
fn pieces(letters: &[u8]) -> impl Iterator<Item = u64> {
    let add = |hash: u64, letter: u8| hash.wrapping_mul(BASE).wrapping_add(u64::from(letter));
    let mut heads = Vec::with_capacity(letters.len());
    let mut all = 0;
    for letter in letters {
        heads.push(all);
        all = add(all, *letter);
    }
    let (mut behind, mut place) = (0_u64, 1_u64);
    let mut pieces = vec![all];
    for (head, letter) in heads.iter().zip(letters).rev() {
        pieces.push(head.wrapping_mul(place).wrapping_add(behind));
        behind = behind.wrapping_add(place.wrapping_mul(u64::from(*letter)));
        place = place.wrapping_mul(BASE);
    }
    pieces.into_iter().rev()
}

/// An odd number with bits all over.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// Whether one letter more, less or other makes one of the other.
fn is_one_away(one: &[u8], other: &[u8]) -> bool {
    let same = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let (one, other) = (one.get(same..).unwrap_or_default(), other.get(same..).unwrap_or_default());
    match one.len().cmp(&other.len()) {
        std::cmp::Ordering::Equal => !one.is_empty() && one.get(1..) == other.get(1..),
        std::cmp::Ordering::Less => other.get(1..) == Some(one),
        std::cmp::Ordering::Greater => one.get(1..) == Some(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_words_without_a_letter() {
        let found: Vec<u64> = pieces(b"abca").collect();
        let all = |word: &[u8]| pieces(word).last().unwrap();
        let left: [&[u8]; 5] = [b"bca", b"aca", b"aba", b"abc", b"abca"];
        assert_eq!(found, left.map(all));
    }

    #[test]
    fn one_letter_away() {
        for other in ["faceboock", "facebok", "fazebook", "facebookx", "xfacebook", "acebook"] {
            assert!(is_one_away(b"facebook", other.as_bytes()), "{other}");
        }
        for other in ["facebook", "facebokk2", "afcebook", "faceboo12", "book"] {
            assert!(!is_one_away(b"facebook", other.as_bytes()), "{other}");
        }
    }
}
