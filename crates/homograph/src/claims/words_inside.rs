//! English words that go through a letter beyond ASCII: `mymeðicalcenter` has `medical` in it. A word of another language
//! seldom has.

use std::ops::Range;

use crate::characters::reading::readings;
use crate::lists::{ENGLISH, TWINS, WordIndex};

/// Letters of a word that stands inside another by chance, at most.
const SHORT: usize = 4;

/// Whether an English word, common or less common, goes through a letter beyond ASCII of a label in small letters, as that
/// letter reads while the others stay: one of five letters or more anywhere, or all that stands between two hyphens.
pub fn reads_as_english(label: &str) -> bool {
    label.split('-').any(|word| {
        let mut others = word.char_indices().filter(|(_, c)| !c.is_ascii());
        others.any(|(at, c)| {
            let (front, back) = word.split_at(at);
            let back = back.get(c.len_utf8()..).unwrap_or_default();
            readings(c).1.iter().any(|reading| {
                let read = reading.text.as_str();
                let through = at..at + read.len();
                goes_through([front, read, back].concat().as_bytes(), &through)
            })
        })
    })
}

/// Whether a word begins before the end of these letters and ends behind their beginning.
fn goes_through(letters: &[u8], through: &Range<usize>) -> bool {
    (0..through.end).any(|start| {
        let word = letters.get(start..).unwrap_or_default();
        [&ENGLISH, &TWINS].into_iter().any(|list| {
            words_from(list, word).any(|length| {
                let is_whole = length == letters.len();
                start + length > through.start && (length > SHORT || is_whole)
            })
        })
    })
}

/// The lengths of the words of a list that the letters begin with.
fn words_from<'l>(list: &'l WordIndex, letters: &'l [u8]) -> impl Iterator<Item = usize> + 'l {
    let mut range = list.all();
    let begun = letters.iter().enumerate().map_while(move |(at, letter)| {
        range = list.narrow(range, at, *letter);
        range.is_some().then_some((range, at + 1))
    });
    begun.filter_map(|(range, length)| list.has_exactly(range, length).then_some(length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_through_a_letter() {
        for label in ["meðical", "mymeðicalcenter", "my-ðoor", "þaper", "constanţa"] {
            assert!(reads_as_english(label), "{label}");
        }
        for label in [
            "sigurðsson", "medical-viðar", "auður", "heiðar", "əliyev", "kərimov", "məktub",
            "þorsteinn", "medical", "", "ð",
        ] {
            assert!(!reads_as_english(label), "{label}");
        }
    }
}
