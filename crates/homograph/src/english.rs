//! English words, for labels of another script that read as one (UTS #39 §4.1).

use crate::characters::lookalike::VARIANTS;
use crate::characters::reading::{CharReading, LabelChars, Shape};
use crate::lists::{ENGLISH, TWINS, WordIndex, WordRange};
use uts58::unicode::is_letter;

/// Whether the letters have the shapes of an English word of four letters or more, by our own
/// judgement.
pub(crate) fn reads_as_word(label: &LabelChars) -> bool {
    let letters: Vec<_> = label.iter().collect();
    // No word has digits or hyphens.
    letters.iter().all(|(c, _)| is_letter(*c)) && reads_as(&letters, Shape::Same, [&ENGLISH])
}

/// Whether the letters between digits and hyphens are twins of those of an English word of four
/// letters or more, including less common ones.
pub(crate) fn has_twin_word(label: &LabelChars) -> bool {
    let letters: Vec<_> = label.iter().collect();
    let mut words = letters.split(|(c, _)| !is_letter(*c));
    words.any(|word| reads_as(word, Shape::Exact, [&ENGLISH, &TWINS]))
}

/// Whether the letters read as a word of these lists in shapes at least this close. Readings are
/// followed as long as some word begins so, few at a time.
fn reads_as<const N: usize>(
    letters: &[(char, &[CharReading])],
    least: Shape,
    lists: [&WordIndex; N],
) -> bool {
    // How many letters were read, and the range of words in each list that begin so.
    let mut beginnings: Vec<(usize, [WordRange; N])> = vec![(0, lists.map(WordIndex::all))];
    for (c, readings) in letters {
        let mut longer = Vec::new();
        for (length, range) in beginnings.iter().filter(|_| is_letter(*c)) {
            for reading in readings.iter().filter(|reading| reading.shape <= least) {
                let (mut length, mut range) = (*length, *range);
                for letter in reading.text.bytes() {
                    range.iter_mut().zip(lists).for_each(|(range, list)| {
                        *range = list.narrow(*range, length, *letter);
                    });
                    length += 1;
                }
                let next = (length, range);
                let some = length > 0 && range.iter().any(|range| range.is_some());
                // Readings with the same result count once.
                if some && !longer.contains(&next) {
                    longer.push(next);
                }
            }
        }
        longer.truncate(VARIANTS);
        if longer.is_empty() {
            return false;
        }
        beginnings = longer;
    }
    beginnings.iter().any(|(length, range)| {
        range.iter().zip(lists).any(|(range, list)| list.has_exactly(*range, *length))
    })
}

/// Whether it is one of the words.
pub(crate) fn is_word(word: &str) -> bool {
    ENGLISH.holds(word)
}

/// Whether it is one of the words or of the less common ones.
#[cfg(feature = "senders")]
pub(crate) fn is_any_word(word: &str) -> bool {
    is_word(word) || TWINS.holds(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sound() {
        let words: Vec<&str> = ENGLISH.lines().collect();
        assert!((3_000..5_000).contains(&words.len()), "{}", words.len());
        assert!(words.is_sorted());
        for word in words {
            assert!(word.len() > 3 && word.bytes().all(|byte| byte.is_ascii_lowercase()), "{word}");
            assert!(is_word(word) && !is_word(&format!("{word}zz")), "{word}");
        }
        let twins: Vec<&str> = TWINS.lines().collect();
        assert!(twins.is_sorted() && (3_000..5_000).contains(&twins.len()), "{}", twins.len());
        assert!(twins.iter().all(|word| word.len() > 3 && !is_word(word)));
        assert!(twins.iter().all(|word| TWINS.holds(word)));
    }

    #[test]
    fn words_in_twins_are_read() {
        let twin = |label: &str| has_twin_word(&LabelChars::of(label.chars()));
        for label in ["реасе", "ѕсоре", "ոօօո", "ѕсоре123", "ау-ѕсоре"] {
            assert!(twin(label), "{label}");
        }
        for label in ["сахар", "ресурс", "саша", ""] {
            assert!(!twin(label), "{label}");
        }
    }

    #[test]
    fn words_are_read() {
        let read = |label: &str| reads_as_word(&LabelChars::of(label.chars()));
        assert!(read("роѕт"));
        for label in ["спорт", "купа", "актерка", "нет", "тоор", "", "-", "роѕт1"]
        {
            assert!(!read(label), "{label}");
        }
    }
}
