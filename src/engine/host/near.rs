//! A protected name with one letter more, one less or another one, beside a letter of another alphabet:
//! `faceböck.com`. Found by the pieces of a name that one letter was left out of, so that looking one up
//! does not grow with the list.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::names::{Name, Reach};
use super::reading::Sights;
use crate::engine::tlds::Fnv;

/// Letters of a name that no other word comes near by chance, and of a label that is looked up.
const LEAST: usize = 8;
const MOST: usize = 32;

/// Names by their brand, and by their brand without one of its letters.
#[derive(Clone, Debug, Default)]
pub(super) struct Near(HashMap<Box<[u8]>, Vec<usize>, BuildHasherDefault<Fnv>>);

impl Near {
    pub(super) fn of(names: &[Name]) -> Near {
        let mut near = Near::default();
        for (at, name) in names.iter().enumerate() {
            let brand = brand(name);
            if name.reach == Reach::Brand && brand.is_ascii() && brand.len() >= LEAST {
                for piece in pieces(brand) {
                    near.0.entry(piece.into()).or_default().push(at);
                }
            }
        }
        near
    }

    /// The names one letter away from what the label reads as.
    pub(super) fn find(&self, label: &Sights, names: &[Name]) -> Vec<usize> {
        let Some(read) = latin(label).filter(|read| (LEAST - 1..=MOST).contains(&read.len()))
        else {
            return Vec::new();
        };
        let mut found: Vec<usize> =
            pieces(&read).filter_map(|piece| self.0.get(&*piece)).flatten().copied().collect();
        found.sort_unstable();
        found.dedup();
        found.retain(|at| names.get(*at).is_some_and(|name| is_one_away(&read, brand(name))));
        found
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

/// The letters, and what is left of them without each.
fn pieces(letters: &[u8]) -> impl Iterator<Item = Vec<u8>> + '_ {
    let without = (0..letters.len()).map(|at| {
        let (before, behind) = letters.split_at(at);
        [before, behind.get(1..).unwrap_or_default()].concat()
    });
    std::iter::once(letters.to_vec()).chain(without)
}

/// Whether one letter more, less or other makes one of the other.
fn is_one_away(one: &[u8], other: &[u8]) -> bool {
    let same = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let (one, other) = (one.get(same..).unwrap_or_default(), other.get(same..).unwrap_or_default());
    let behind = |text: &'_ [u8]| text.get(1..).unwrap_or_default().to_vec();
    match one.len().cmp(&other.len()) {
        std::cmp::Ordering::Equal => !one.is_empty() && behind(one) == behind(other),
        std::cmp::Ordering::Less => one == behind(other),
        std::cmp::Ordering::Greater => behind(one) == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
