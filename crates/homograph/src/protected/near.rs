//! Finds protected names with one letter more, less or different, or two letters swapped:
//! `paypall.com`, `micosoft.com`, `googel.com`, and in letters of another alphabet `faceböck.com`.
//! Names are indexed by what is left without each of their letters, so a look-up does not depend on
//! the length of the list.
//!
//! Words and names of others come as close (`finance`, `posteo`): those of `english.txt`,
//! `listed.txt` and `neighbours.txt` are no slips, and neither is a label that keeps a whole word
//! of the name (`acloud` beside `icloud`).

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use smallvec::SmallVec;

use super::name::{Name, Reach};
use crate::characters::lookalike::LookHasher;
use crate::characters::reading::LabelChars;
use crate::english;
use crate::lists::lower_bound;
use crate::rows::rows;

/// Letters of a name that no other word comes near by chance: of ASCII, and if marks are ignored.
pub(crate) const MIN_LETTERS: usize = 6;
const MIN_LETTERS_READ: usize = 8;

/// The same of a word with a digit for a letter.
const MIN_LETTERS_WITH_DIGIT: usize = 5;

/// Letters of a label that is looked up.
const MAX_LETTERS: usize = 32;

/// Words that many owners use in names, with a few letters beside them.
const PARTS: [&[u8]; 5] = [b"bank", b"cloud", b"office", b"post", b"stripe"];
const BESIDE_PART: usize = 2;

/// Labels that are one letter away from a protected name and mean something else.
const NEIGHBOURS: &str = rows!("neighbours.txt");

/// Names by the hash of their brand, and of their brand without each of its letters; the first name
/// if several have the same hash.
#[derive(Clone, Debug, Default)]
pub(super) struct NearIndex {
    names: HashMap<u64, usize, BuildHasherDefault<LookHasher>>,
    /// A set of bits over the hashes: most labels are near no name.
    some: Vec<u64>,
    /// The same over the [`edges`] of the brands.
    edges: Vec<u64>,
}

/// Pairs of letters that look like one, beside those that a look has (`rn`, `vv`).
pub(crate) const PAIRS: [([u8; 2], u8); 15] = [
    (*b"c1", b'd'),
    (*b"ci", b'd'),
    (*b"cl", b'd'),
    (*b"ic", b'k'),
    (*b"ii", b'u'),
    (*b"in", b'm'),
    (*b"lc", b'k'),
    (*b"l1", b'h'),
    (*b"l3", b'b'),
    (*b"li", b'h'),
    (*b"ni", b'm'),
    (*b"nn", b'm'),
    (*b"r1", b'n'),
    (*b"ri", b'n'),
    (*b"uu", b'w'),
];

/// Maximum number of pairs of a label that are read as one letter, each by itself.
const READ_AS_ONE: usize = 8;

/// The first letters of the pairs, by their last five bits: most letters begin none.
const FIRST: u32 = {
    let (mut letters, mut rest) = (0, PAIRS.as_slice());
    while let [(pair, _), after @ ..] = rest {
        letters |= 1 << (pair[0] & 31);
        rest = after;
    }
    letters
};

/// The label, in small letters, with one letter where a pair looks like it: `clropbox`. Most labels
/// have only pairs that are letters of their words, so that whoever asks says which ones count.
pub(crate) fn read_with_pair(
    label: &[u8],
    counts: impl Fn(u8) -> bool,
) -> impl Iterator<Item = String> {
    let one = move |pair: &[u8]| {
        let is = |two: &[u8; 2]| pair.eq_ignore_ascii_case(two);
        PAIRS.iter().find(|(two, one)| counts(*one) && is(two)).map(|(_, one)| *one)
    };
    let may_begin = |pair: &[u8]| {
        !cfg!(feature = "shortcuts")
            || pair.first().is_some_and(|first| FIRST >> (first & 31) & 1 == 1)
    };
    let pairs = label.windows(2).enumerate().filter(move |(_, pair)| may_begin(pair));
    let places = pairs.filter_map(move |(at, pair)| Some((at, one(pair)?)));
    places.take(READ_AS_ONE).filter_map(|(at, one)| {
        let (front, back) = (label.get(..at)?, label.get(at + 2..)?);
        let read = [front, &[one], back].concat().to_ascii_lowercase();
        String::from_utf8(read).ok()
    })
}

/// Words of these sets: a few bits for each hash of some hundred names, and for each edge.
const BITS: usize = 1_024;
const EDGES: usize = 256;

impl NearIndex {
    /// Adds the name at this index of a list.
    pub(super) fn add(&mut self, at: usize, name: &Name) {
        let brand = brand(name);
        if name.reach != Reach::Brand
            || !brand.is_ascii()
            || !(MIN_LETTERS..=MAX_LETTERS).contains(&brand.len())
        {
            return;
        }
        self.some.resize(BITS, 0);
        for piece in pieces(brand) {
            self.names.entry(piece).or_insert(at);
            set::<BITS>(&mut self.some, piece);
        }
        self.edges.resize(EDGES, 0);
        edges(brand).into_iter().flatten().for_each(|edge| set::<EDGES>(&mut self.edges, edge));
    }

    /// Reserves capacity for so many more hashes.
    pub(super) fn reserve(&mut self, pieces: usize) {
        self.names.reserve(pieces);
    }

    fn get(&self, piece: u64) -> Option<usize> {
        is_set::<BITS>(&self.some, piece).then(|| self.names.get(&piece).copied()).flatten()
    }

    /// A name of the list one letter away from what a label beyond ASCII reads as.
    pub(super) fn find<'n>(&self, label: &LabelChars, names: &'n [Name]) -> Option<&'n Name> {
        let read = latin(label)
            .filter(|read| (MIN_LETTERS_READ - 1..=MAX_LETTERS).contains(&read.len()))?;
        let long = |name: &&Name| brand(name).len() >= MIN_LETTERS_READ;
        let near = self.may_share_edge(&read).then(|| self.one_away(&read, names).find(long));
        near.flatten()
    }

    /// A name of the list that an ASCII label is a slip of: one letter away, and no word of its
    /// own.
    pub(super) fn slip<'n>(&self, label: &[u8], names: &'n [Name]) -> Option<&'n Name> {
        let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
        if !(MIN_LETTERS - 1..=MAX_LETTERS).contains(&label.len()) || !label.iter().all(is_letter) {
            return None;
        }
        let label = label.to_ascii_lowercase();
        let mut found =
            self.one_away(&label, names).filter(|name| !keeps_word(&label, brand(name)));
        found.next().filter(|_| !is_neighbour(&label))
    }

    fn one_away<'n>(&self, label: &[u8], names: &'n [Name]) -> impl Iterator<Item = &'n Name> {
        let found = pieces(label).filter_map(|piece| names.get(self.get(piece)?));
        found.filter(move |name| slip_between(label, brand(name)).is_some())
    }

    /// Whether an ASCII label may be near a name: fast, may return `true` wrongly.
    pub(super) fn may_hold(&self, label: &[u8]) -> bool {
        !self.names.is_empty()
            && (MIN_LETTERS - 1..=MAX_LETTERS).contains(&label.len())
            && self.may_share_edge(label)
            && pieces(label).any(|piece| self.get(piece).is_some())
    }

    /// Whether some name begins or ends like the label, as one does that is one letter away.
    pub(super) fn may_share_edge(&self, label: &[u8]) -> bool {
        let known = |edge| is_set::<EDGES>(&self.edges, edge);
        edges(label).is_some_and(|edges| edges.into_iter().any(known))
    }
}

/// Word and bit of a hash in a set of so many words, a power of two.
fn place<const WORDS: usize>(hash: u64) -> (usize, u64) {
    let high = hash >> 48;
    (usize::try_from(high / 64).unwrap_or_default() % WORDS, 1 << (high % 64))
}

fn set<const WORDS: usize>(bits: &mut [u64], hash: u64) {
    let (word, bit) = place::<WORDS>(hash);
    bits.get_mut(word).into_iter().for_each(|word| *word |= bit);
}

fn is_set<const WORDS: usize>(bits: &[u64], hash: u64) -> bool {
    let (word, bit) = place::<WORDS>(hash);
    bits.get(word).is_some_and(|word| word & bit != 0)
}

/// Makes letters of either case equal. Other characters stay distinct, except the underscore, which
/// no name has.
fn fold(letter: u8) -> u8 {
    letter | 0x20
}

/// What one letter more, less or different, or two swapped, leave unchanged of a word of [`MIN_LETTERS`]
/// letters: the first three, the last three, or two at each end (`aabbcc` and `aabcbc`). `None` for
/// words that are too short for such a slip.
fn edges(word: &[u8]) -> Option<[u64; 3]> {
    let (front, back) = (word.first_chunk::<3>()?, word.last_chunk::<3>()?);
    let ([a, b, c], [x, y, z]) = (*front, *back);
    let hash = |kind: u64, letters: [u8; 4]| {
        (u64::from(u32::from_le_bytes(letters.map(fold))) << 2 | kind).wrapping_mul(BASE)
    };
    Some([hash(0, [a, b, c, 0]), hash(1, [x, y, z, 0]), hash(2, [a, b, y, z])])
}

pub(crate) fn is_neighbour(label: &[u8]) -> bool {
    std::str::from_utf8(label)
        .is_ok_and(|label| english::is_word(label) || lower_bound(NEIGHBOURS, label) == label)
}

/// Whether a word with the look of a name, and other letters, is none by itself.
pub(crate) fn is_drawn(word: &[u8]) -> bool {
    let least =
        if word.iter().any(u8::is_ascii_digit) { MIN_LETTERS_WITH_DIGIT } else { MIN_LETTERS };
    word.len() >= least && !is_neighbour(word)
}

/// Whether the label has a word that the name consists of except for a letter or two, so that only
/// those differ: `acloud` beside `icloud`, `1office` beside `office`.
pub(super) fn keeps_word(label: &[u8], name: &[u8]) -> bool {
    // Prefixes of many names: `icloud`, `ebay`.
    if matches!(label.split_first(), Some((b'i' | b'e', rest)) if rest == name) {
        return true;
    }
    PARTS.into_iter().any(|part| {
        let made_of = |word: &[u8]| word.starts_with(part) || word.ends_with(part);
        // Another first letter is seldom a slip: `oberbank` beside `sberbank`.
        let is_other_first = label.len() == name.len() && label.first() != name.first();
        let beside = BESIDE_PART << u8::from(is_other_first);
        name.len() <= part.len() + beside && made_of(name) && made_of(label)
    })
}

fn brand(name: &Name) -> &[u8] {
    name.label().as_bytes()
}

/// The label in plain letters, if all of it reads so.
fn latin(label: &LabelChars) -> Option<SmallVec<[u8; MAX_LETTERS]>> {
    let mut read = SmallVec::new();
    for (c, readings) in label.iter() {
        if c.is_ascii() {
            read.push(c.to_ascii_lowercase() as u8);
        } else {
            read.extend_from_slice(readings.first()?.text.bytes());
        }
    }
    Some(read)
}

/// The hashes of the word without each of its letters, and of the whole word. The letters are the
/// digits of a number, so each hash takes a constant number of steps.
fn pieces(letters: &[u8]) -> impl Iterator<Item = u64> {
    pieces_of(letters.iter().map(|letter| u64::from(fold(*letter))))
}

/// The same of letters of any alphabet.
pub(super) fn pieces_of(
    letters: impl DoubleEndedIterator<Item = u64> + Clone,
) -> impl Iterator<Item = u64> {
    let all =
        letters.clone().fold(0_u64, |hash, letter| hash.wrapping_mul(BASE).wrapping_add(letter));
    // From the last letter on: the part before it is the whole number without the part after it.
    let (mut after, mut place, mut head) = (0_u64, 1_u64, all);
    let without = letters.rev().map(move |letter| {
        head = head.wrapping_sub(letter).wrapping_mul(INVERSE);
        let piece = head.wrapping_mul(place).wrapping_add(after);
        after = after.wrapping_add(place.wrapping_mul(letter));
        place = place.wrapping_mul(BASE);
        piece
    });
    std::iter::once(all).chain(without)
}

/// An odd number with well-mixed bits.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// Its inverse modulo 2⁶⁴.
const INVERSE: u64 = 0xf1de_83e1_9937_733d;

/// How the first word differs from the second, in bytes of ASCII or in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slip<T = u8> {
    /// An additional letter.
    More(T),
    /// A missing letter.
    Less(T),
    /// A different letter.
    Other {
        /// The letter in the first word.
        found: T,
        /// That in the second.
        meant: T,
    },
    /// Two swapped letters, in the order of the second word.
    Swapped(T, T),
}

/// The one letter more, less or different between both words, or the two that are swapped.
pub fn slip_between<T: Copy + PartialEq>(one: &[T], other: &[T]) -> Option<Slip<T>> {
    let same = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let (one, other) = (one.get(same..)?, other.get(same..)?);
    match (one, other) {
        ([found, one @ ..], [meant, other @ ..]) if one == other => {
            Some(Slip::Other { found: *found, meant: *meant })
        }
        ([a, b, one @ ..], [c, d, other @ ..]) if (a, b) == (d, c) && one == other => {
            Some(Slip::Swapped(*c, *d))
        }
        ([more, one @ ..], other) if one == other => Some(Slip::More(*more)),
        (one, [less, other @ ..]) if one == other => Some(Slip::Less(*less)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_letters_read_as_one() {
        let read = |label: &str| read_with_pair(label.as_bytes(), |_| true).collect::<Vec<_>>();
        assert_eq!(read("cloxcl"), ["doxcl", "cloxd"]);
        assert_eq!(read("aCLobe"), ["adobe"]);
        assert_eq!(read("amazori"), ["amazon"]);
        assert_eq!(read("l3ookir1gl1"), ["bookir1gl1", "l3ookingl1", "l3ookir1gh"]);
        assert_eq!(read(&"cl".repeat(9)).len(), READ_AS_ONE);
        assert_eq!(read("modern"), [""; 0]);
    }

    #[test]
    fn pieces_are_words_without_a_letter() {
        let found: Vec<u64> = pieces(b"abca").collect();
        let all = |word: &[u8]| pieces(word).next().unwrap();
        let left: [&[u8]; 5] = [b"abca", b"abc", b"aba", b"aca", b"bca"];
        assert_eq!(found, left.map(all));
    }

    /// Everything near a name shares an edge with it.
    #[test]
    fn slips_keep_an_edge() {
        let shares = |one: &[u8], other: &[u8]| {
            let (one, other) = (edges(one).unwrap(), edges(other).unwrap());
            one.iter().zip(other).any(|(one, other)| *one == other)
        };
        for name in ["abcdef", "abcdefg", "abcdefghijkl"] {
            let name = name.as_bytes();
            for at in 0..=name.len() {
                let (front, back) = name.split_at(at);
                let mut slips = vec![[front, b"x", back].concat()];
                if let Some((first, rest)) = back.split_first() {
                    slips.push([front, rest].concat());
                    slips.push([front, b"x", rest].concat());
                    if let Some((second, rest)) = rest.split_first() {
                        slips.push([front, &[*second, *first], rest].concat());
                    }
                }
                for slip in slips {
                    assert!(slip_between(&slip, name).is_some(), "{slip:?}");
                    assert!(shares(&slip, name), "{slip:?} of {name:?}");
                }
            }
        }
        assert!(!shares(b"network", b"service"));
    }

    #[test]
    fn one_letter_away() {
        for other in [
            "faceboock", "facebok", "fazebook", "facebookx", "xfacebook", "acebook", "faecbook",
            "afcebook", "facebooko",
        ] {
            assert!(slip_between(b"facebook", other.as_bytes()).is_some(), "{other}");
        }
        for other in ["facebook", "facebokk2", "afecbook", "faceboo12", "book", "ecafbook"] {
            assert!(slip_between(b"facebook", other.as_bytes()).is_none(), "{other}");
        }
    }

    #[test]
    fn neighbours_are_sound() {
        let rows: Vec<&str> = NEIGHBOURS.lines().collect();
        assert!(rows.is_sorted());
        let names = crate::Names::builtin();
        for row in rows {
            assert!(row.bytes().all(|byte| byte.is_ascii_lowercase()), "{row}");
            assert!(names.may_be_near(row.as_bytes()), "{row} is near no name");
            assert!(!english::is_word(row), "{row} is a word of english.txt");
        }
    }

    #[test]
    fn what_keeps_a_word_is_no_slip() {
        for (label, name, keeps) in [
            ("acloud", "icloud", true),
            ("cloud", "icloud", true),
            ("1office", "office", true),
            ("ofice", "office", false),
            ("oberbank", "sberbank", true),
            ("itibank", "citibank", false),
            ("citibamk", "citibank", false),
            ("iclould", "icloud", false),
            ("stripes", "stripe", true),
            ("ssbank", "isbank", true),
            ("usbnak", "usbank", false),
            ("paypall", "paypal", false),
            ("icomcast", "comcast", true),
            ("xcomcast", "comcast", false),
        ] {
            assert_eq!(keeps_word(label.as_bytes(), name.as_bytes()), keeps, "{label} {name}");
        }
    }
}
