//! Names with letters beyond ASCII by what else a reader takes for them: written in ASCII (`muellerbank` for
//! `müllerbank`), in characters that look alike (`力エデペイ` for `カエデペイ`), and with one letter more, less or other, or
//! two swapped. A look-up does not depend on the length of the list.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;

use smallvec::SmallVec;

use super::display_text::plain_letters;
use super::name::{Name, Reach};
use super::near::{MIN_LETTERS, pieces_of};
use crate::characters::cjk::is_cjk;
use crate::characters::drawn_signs::{LONG, drawn, drawn_in_long};
use crate::characters::lookalike::{LABEL_CHARS, LookHasher};
use crate::characters::properties::skeleton;
use uts58::tlds::Fnv;

/// The ways in which whole languages write letters that ASCII does not have: German, and the north.
const WRITTEN_OUT: [&[(char, &str)]; 2] = [
    &[('ä', "ae"), ('ö', "oe"), ('ü', "ue"), ('ß', "ss"), ('ø', "oe"), ('æ', "ae"), ('å', "aa")],
    &[('ß', "ss"), ('ø', "o"), ('æ', "ae"), ('å', "aa"), ('œ', "oe"), ('þ', "th")],
];

/// Signs of the shortest label that is compared by what they are drawn like.
const DRAWN_SIGNS: usize = 3;

/// Names of one spelling: under several suffixes.
type Places = SmallVec<[usize; 2]>;

/// Indices into a list of names.
#[derive(Clone, Debug, Default)]
pub(super) struct BeyondAscii {
    /// By their labels in ASCII.
    written_out: HashMap<Box<str>, Places, BuildHasherDefault<Fnv>>,
    /// By what their labels look like, if some letter is Chinese, Japanese or Korean: those of alphabets are compared letter
    /// by letter elsewhere.
    twins: HashMap<Box<str>, Places, BuildHasherDefault<Fnv>>,
    /// The first two and the last two characters of the labels, in their letters and in ASCII: most labels have none.
    fronts: HashSet<[char; 2], BuildHasherDefault<Fnv>>,
    backs: HashSet<[char; 2], BuildHasherDefault<Fnv>>,
    /// By the hashes of the label, and of the label without each of its letters; of names with one label the first.
    pieces: HashMap<u64, Places, BuildHasherDefault<LookHasher>>,
}

impl BeyondAscii {
    /// Adds the name at this index of a list; `is_new` if no name before it has its label.
    pub(super) fn add(&mut self, at: usize, name: &Name, is_new: bool) {
        let label = name.label();
        if label.is_ascii() || name.reach != Reach::Brand {
            return;
        }
        self.add_edges(label);
        for ascii in written_out(label) {
            self.add_edges(&ascii);
            let places = self.written_out.entry(ascii.into()).or_default();
            if places.last() != Some(&at) {
                places.push(at);
            }
        }
        if label.chars().any(is_cjk) {
            self.twins.entry(look_of(label)).or_default().push(at);
        }
        if is_new && let Some(letters) = letters(label) {
            for piece in pieces(&letters) {
                let places = self.pieces.entry(piece).or_default();
                // A double letter is left out twice.
                if places.last() != Some(&at) {
                    places.push(at);
                }
            }
        }
    }

    fn add_edges(&mut self, label: &str) {
        self.fronts.extend(front(label));
        self.backs.extend(back(label));
    }

    /// Whether there is no name.
    pub(super) fn is_empty(&self) -> bool {
        self.fronts.is_empty()
    }

    /// Whether a label may begin with a name, and whether it may end with one.
    pub(super) fn edges(&self, label: &str) -> [bool; 2] {
        let begins = || front(label).is_some_and(|pair| self.fronts.contains(&pair));
        let ends = || back(label).is_some_and(|pair| self.backs.contains(&pair));
        [!self.is_empty() && begins(), !self.is_empty() && ends()]
    }

    /// Whether some name is written in ASCII.
    pub(super) fn has_written_out(&self) -> bool {
        !self.written_out.is_empty()
    }

    /// The names that an ASCII label is the spelling of.
    pub(super) fn written_as(&self, label: &str) -> &[usize] {
        self.written_out.get(label).map(SmallVec::as_slice).unwrap_or_default()
    }

    /// The names whose label looks like this one.
    pub(super) fn twins(&self, label: &str) -> &[usize] {
        let may_be = !self.twins.is_empty() && !label.is_ascii();
        let found = may_be.then(|| self.twins.get(&look_of(label))).flatten();
        found.map(SmallVec::as_slice).unwrap_or_default()
    }

    /// The names whose label may be one letter away from this one, some of them more than once.
    pub(super) fn near(&self, label: &str) -> impl Iterator<Item = usize> {
        let letters = (!self.pieces.is_empty()).then(|| letters(label)).flatten();
        let pieces = letters.map(|letters| pieces(&letters).collect::<Vec<u64>>());
        pieces.into_iter().flatten().filter_map(|piece| self.pieces.get(&piece)).flatten().copied()
    }
}

/// What a label is written as in ASCII, without marks that no language writes out.
pub(crate) fn written_out(label: &str) -> impl Iterator<Item = String> {
    let has = |pairs: &&[(char, &str)]| pairs.iter().any(|(letter, _)| label.contains(*letter));
    WRITTEN_OUT.into_iter().filter(has).filter_map(move |pairs| {
        Some(plain_letters(with_pairs(label, pairs).chars())).filter(|plain| plain.is_ascii())
    })
}

/// A label with `ss` for ß and an `e` for the dots of a vowel, as German has it where a letter lacks.
pub(crate) fn as_german_writes(label: &str) -> String {
    with_pairs(label, WRITTEN_OUT[0])
}

fn with_pairs(label: &str, pairs: &[(char, &str)]) -> String {
    pairs.iter().fold(label.to_owned(), |label, (letter, written)| label.replace(*letter, written))
}

fn front(label: &str) -> Option<[char; 2]> {
    let mut chars = label.chars();
    Some([chars.next()?, chars.next()?])
}

fn back(label: &str) -> Option<[char; 2]> {
    let mut chars = label.chars().rev();
    Some([chars.next()?, chars.next()?])
}

/// The skeleton of a label (UTS #39 §4); of one of three signs and more that of what these are drawn like: two are too often
/// a word of their own.
fn look_of(label: &str) -> Box<str> {
    let drawn: Option<String> = match label.chars().filter(|c| is_cjk(*c)).take(LONG).count() {
        ..DRAWN_SIGNS => None,
        DRAWN_SIGNS..LONG => Some(label.chars().map(drawn).collect()),
        LONG.. => Some(label.chars().map(drawn_in_long).collect()),
    };
    skeleton(drawn.as_deref().unwrap_or(label)).into_iter().collect::<String>().into()
}

/// The letters of a label that is long enough for a slip, and not too long for a name.
fn letters(label: &str) -> Option<SmallVec<[char; LABEL_CHARS]>> {
    let letters: SmallVec<[char; LABEL_CHARS]> = label.chars().take(LABEL_CHARS + 1).collect();
    (MIN_LETTERS - 1..=LABEL_CHARS).contains(&letters.len()).then_some(letters)
}

/// The hashes of a word, and of the word without each of its letters.
fn pieces(letters: &[char]) -> impl Iterator<Item = u64> {
    pieces_of(letters.iter().map(|letter| u64::from(*letter)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_words_without_a_letter() {
        let of = |word: &str| pieces(&word.chars().collect::<Vec<char>>()).collect::<Vec<u64>>();
        let left = ["aüca", "aüc", "aüa", "aca", "üca"].map(|word| of(word)[0]);
        assert_eq!(of("aüca"), left);
    }

    #[test]
    fn letters_are_written_out_as_languages_do() {
        for (label, written) in [
            ("müllerbank", &["muellerbank"][..]),
            ("größebank", &["groessebank", "grossebank"]),
            ("bankænd", &["bankaend", "bankaend"]),
            ("brødrené", &["broedrene", "brodrene"]),
            ("ångström", &["aangstroem", "aangstrom"]),
            ("čedilbanka", &[]),
            ("müllerバンク", &[]),
        ] {
            assert_eq!(written_out(label).collect::<Vec<_>>(), written, "{label}");
        }
    }
}
