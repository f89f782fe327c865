//! Names in letters of an alphabet other than Latin with a slip inside: one letter more, less or other, or two swapped
//! (`сбербнак`, `госусулги`). A look-up does not depend on the length of the table.
//!
//! First and last letters are as in the name: endings and little words that are joined in front are grammar (`сбербанка`).

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use smallvec::SmallVec;

use super::is_of_latin;
use crate::characters::cjk::is_cjk;
use crate::characters::lookalike::LookHasher;
use crate::protected::near::{MIN_LETTERS, Slip, pieces_of, slip_between};
use uts58::unicode::is_letter;

/// Letters of a label that is looked up.
const MAX_LETTERS: usize = 32;

/// Letters of a word, in small letters.
type Letters = SmallVec<[char; MAX_LETTERS]>;

/// Names by the hashes of what is left of them without one letter.
#[derive(Debug, Default)]
pub(super) struct NativeSlips {
    /// With the row of the table.
    names: Vec<(Letters, usize)>,
    pieces: HashMap<u64, SmallVec<[usize; 1]>, BuildHasherDefault<LookHasher>>,
    /// The letters that names begin with, sorted.
    firsts: Vec<char>,
}

impl NativeSlips {
    /// Adds a name of this row of the table, if it is long enough and of such letters.
    pub(super) fn add(&mut self, name: &str, row: usize) {
        let Some(letters) = letters(name).filter(|letters| letters.len() >= MIN_LETTERS) else {
            return;
        };
        if let Some(first) = letters.first()
            && let Err(at) = self.firsts.binary_search(first)
        {
            self.firsts.insert(at, *first);
        }
        for piece in pieces(&letters) {
            self.pieces.entry(piece).or_default().push(self.names.len());
        }
        self.names.push((letters, row));
    }

    /// The row of the name that a label is a slip of.
    pub(super) fn find(&self, label: &str) -> Option<usize> {
        // What most fail on: a slip begins as the name does.
        let first = label.chars().next()?.to_lowercase().next()?;
        self.firsts.binary_search(&first).ok()?;
        let label = letters(label)?;
        let mut named = None;
        for at in pieces(&label).filter_map(|piece| self.pieces.get(&piece)).flatten() {
            let (name, row) = self.names.get(*at)?;
            if *name == label {
                return None;
            }
            if named.is_none() && is_slip(&label, name) {
                named = Some(*row);
            }
        }
        named
    }
}

/// Whether the first word is the second one with a slip inside.
fn is_slip(label: &[char], name: &[char]) -> bool {
    let ends = |word: &[char]| word.first().copied().zip(word.last().copied());
    match slip_between(label, name) {
        Some(Slip::Swapped(..)) => label.first() == name.first(),
        Some(_) => ends(label) == ends(name),
        None => false,
    }
}

/// The letters of a word that has nothing but letters of such an alphabet, hyphens and blanks aside.
fn letters(word: &str) -> Option<Letters> {
    let own = |c: char| !c.is_ascii() && !is_cjk(c) && is_letter(c);
    // Most begin in ASCII, or end in a number.
    if ![word.chars().next(), word.chars().next_back()].into_iter().all(|end| end.is_some_and(own))
    {
        return None;
    }
    let mut letters = Letters::new();
    let all = word.chars().filter(|c| !matches!(c, '-' | ' ')).flat_map(char::to_lowercase);
    for letter in all {
        if letters.len() == MAX_LETTERS || !own(letter) || is_of_latin(letter) {
            return None;
        }
        letters.push(letter);
    }
    (letters.len() >= MIN_LETTERS - 1).then_some(letters)
}

/// The hashes of a word, and of the word without each of its letters.
fn pieces(letters: &[char]) -> impl Iterator<Item = u64> {
    pieces_of(letters.iter().map(|letter| u64::from(*letter)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_a_slip_inside() {
        let mut slips = NativeSlips::default();
        for (row, name) in
            ["Сбербанк", "Госуслуги", "Εθνική Τράπεζα", "Авито", "Сбернанк", "支付宝宝宝宝"]
                .iter()
                .enumerate()
        {
            slips.add(name, row);
        }
        for (label, row) in [
            ("сбербнак", 0),
            ("сьербанк", 0),
            ("сбербаннк", 0),
            ("сберанк", 0),
            ("сбербакн", 0),
            ("гос-усулги", 1),
            ("εθνκή-τράπεζα", 2),
        ] {
            assert_eq!(slips.find(label), Some(row), "{label}");
        }
        for label in [
            "сбербанк", "сбернанк", "сбербанка", "сбербанке", "асбербанк", "сберба", "сбанк",
            "авитто", "sberbnak", "支付宝宝宝", "", "-",
        ] {
            assert_eq!(slips.find(label), None, "{label}");
        }
    }
}
