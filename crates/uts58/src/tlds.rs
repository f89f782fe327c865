//! The top-level domains that exist, as given by the caller.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use core::borrow::Borrow;
use core::fmt::Debug;
use core::hash::Hasher;
#[cfg(feature = "std")]
use core::hash::{BuildHasher, BuildHasherDefault, Hash};
#[cfg(feature = "std")]
use std::collections::HashSet;

use crate::unicode::a_label::u_label;
use crate::unicode::ascii_form::to_ascii;
#[cfg(not(target_family = "wasm"))]
use crate::unicode::hosts::is_kept;
use crate::unicode::punycode::{LABEL, a_label};
use crate::unicode::{Class, is_alphanumeric};

/// Characters of the longest spelling of a label: a letter may be written in three, with marks or as the parts of a
/// syllable.
const LONGEST_SPELLING: usize = 3 * LABEL;

/// The top-level domains that exist: [`TldTable`], or a set of your own.
///
/// Only [`TldSet::exists`] has to be implemented; the other methods follow from it. A set for
/// frequent use overrides them to be faster, with the same results.
///
/// Arrays, slices, vectors and sets of strings implement it, with names in lower-case A-label form:
///
/// ```
/// use uts58::Linkifier;
///
/// let text = "see example.com, пример.рф, and notes.txt";
/// let links: Vec<&str> =
///     Linkifier::new(&["com", "xn--p1ai"]).links(text).map(|link| &text[link.span]).collect();
/// assert_eq!(links, ["example.com", "пример.рф"]);
/// ```
pub trait TldSet: Debug + Send + Sync {
    /// Whether the top-level domain exists, in lower-case A-label form (`com`, `xn--p1ai`).
    fn exists(&self, ascii: &str) -> bool;

    /// Whether it exists, in any spelling: A-label, U-label, any case, width forms.
    fn exists_as(&self, label: &str) -> bool {
        is_spelled(label, |ascii| self.exists(ascii))
    }

    /// The length in bytes of the longest U-label of the set, in lower case and normal form, that
    /// the text begins with and that may end there: `ends` is called with its length.
    fn unicode_prefix(&self, text: &str, ends: &dyn Fn(usize) -> bool) -> Option<usize> {
        // No U-label has more characters than a label has octets.
        let lengths = text.char_indices().map(|(at, c)| at + c.len_utf8()).take(LABEL);
        let found = lengths.filter(|length| {
            let name = text.get(..*length).filter(|name| !name.is_ascii());
            name.and_then(a_label).is_some_and(|name| self.exists(&name)) && ends(*length)
        });
        found.last()
    }

    /// Whether a name of the set may begin with this character. Fast, may return `true` wrongly.
    fn may_begin(&self, first: char) -> bool {
        !first.is_ascii() || first.is_ascii_alphanumeric()
    }

    /// What text begins with that begins with a U-label of the set, if that is known.
    fn pairs(&self) -> Option<&Pairs> {
        None
    }
}

/// What UTS #46 maps a label to of which it changes nothing but the case of letters, unless it refuses it.
#[cfg(not(target_family = "wasm"))]
fn in_lower_case(label: &str) -> Option<String> {
    label.chars().map(small_letter).collect()
}

/// The letters of half width (U+FF66 to U+FF9D) in full width.
#[cfg(not(target_family = "wasm"))]
const KATAKANA: &str = "ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン";

/// What UTS #46 maps a character to that it leaves unchanged, or of which it changes nothing but the case or the width.
#[cfg(not(target_family = "wasm"))]
fn small_letter(c: char) -> Option<char> {
    if c.is_ascii() {
        return (c.is_ascii_alphanumeric() || c == '-').then(|| c.to_ascii_lowercase());
    }
    if is_kept(c) {
        return Some(c);
    }
    match c {
        '\u{ff10}'..='\u{ff19}' | '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}' => {
            let ascii = char::from_u32(u32::from(c) - u32::from('\u{ff00}') + u32::from(' '))?;
            return Some(ascii.to_ascii_lowercase());
        }
        '\u{ff66}'..='\u{ff9d}' => {
            let at = u32::from(c) - u32::from('\u{ff66}');
            return KATAKANA.chars().nth(at as usize);
        }
        _ => {}
    }
    let mut small = c.to_lowercase();
    match (small.next(), small.next()) {
        // It is mapped to two letters.
        (Some(small), None) if c != 'ẞ' => Some(small).filter(|small| is_kept(*small)),
        _ => None,
    }
}

/// Whether a label may be spelled so: it has no signs, and is not much longer than one can be.
fn may_be_label(label: &str) -> bool {
    let mut length = 0;
    label.chars().all(|c| {
        let class = Class::of(c);
        length += usize::from(!class.is_ignored());
        let is_hyphen = || matches!(c, '-' | '\u{fe63}' | '\u{ff0d}');
        let of_label = class.is_tld() || class.is_ignored() || is_alphanumeric(c) || is_hyphen();
        length <= LONGEST_SPELLING && of_label
    })
}

/// Whether the top-level domain with this spelling exists.
fn is_spelled(label: &str, exists: impl Fn(&str) -> bool) -> bool {
    if label.is_ascii() {
        let upper = || label.bytes().any(|byte| byte.is_ascii_uppercase());
        return exists(label) || (upper() && exists(&label.to_ascii_lowercase()));
    }
    to_ascii(label).is_some_and(|ascii| exists(&ascii))
}

impl<S: AsRef<str> + Debug + Send + Sync, const N: usize> TldSet for [S; N] {
    fn exists(&self, ascii: &str) -> bool {
        self.as_slice().exists(ascii)
    }
}

impl<S: AsRef<str> + Debug + Send + Sync> TldSet for &[S] {
    fn exists(&self, ascii: &str) -> bool {
        self.iter().any(|name| name.as_ref() == ascii)
    }
}

impl<S: AsRef<str> + Debug + Send + Sync> TldSet for Vec<S> {
    fn exists(&self, ascii: &str) -> bool {
        self.as_slice().exists(ascii)
    }
}

#[cfg(feature = "std")]
impl<S, H> TldSet for HashSet<S, H>
where
    S: Borrow<str> + Debug + Eq + Hash + Send + Sync,
    H: BuildHasher + Send + Sync,
{
    fn exists(&self, ascii: &str) -> bool {
        HashSet::contains(self, ascii)
    }
}

impl<S: Borrow<str> + Debug + Ord + Send + Sync> TldSet for BTreeSet<S> {
    fn exists(&self, ascii: &str) -> bool {
        BTreeSet::contains(self, ascii)
    }
}

/// A set of names, hashed if the feature `std` is on.
#[cfg(feature = "std")]
type Set = HashSet<Box<str>, BuildHasherDefault<Fnv>>;
#[cfg(not(feature = "std"))]
type Set = BTreeSet<Box<str>>;

/// FNV-1a for sets of names: they are short, and attackers cannot choose them.
#[derive(Clone, Debug)]
pub struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// A table of top-level domains in lower-case ASCII form.
#[derive(Clone, Debug, Default)]
pub struct TldTable {
    names: Set,
    /// The U-labels of names that have one.
    unicode: Set,
    /// The same with their first characters, sorted by these: most text differs there already.
    by_first: Vec<(char, Box<str>)>,
    /// The first characters of the U-labels, one bit each: see [`bit_of`].
    starts: Vec<u64>,
    /// All their characters, in the same way.
    #[cfg(not(target_family = "wasm"))]
    letters: Vec<u64>,
    /// Their first two characters.
    pairs: Option<Pairs>,
    /// Version line of the source: IANA's date and serial.
    pub version: String,
}

impl TldTable {
    /// A table of these names (A-labels, any case).
    pub fn new<S: AsRef<str>>(names: impl IntoIterator<Item = S>, version: &str) -> TldTable {
        let names: Set = names
            .into_iter()
            .map(|name| name.as_ref().to_ascii_lowercase().into_boxed_str())
            .collect();
        let unicode: Set =
            names.iter().filter_map(|name| u_label(name)).map(String::into_boxed_str).collect();
        let starts =
            bits(unicode.iter().filter_map(|name| Some(name.chars().next()?.into()))).to_vec();
        #[cfg(not(target_family = "wasm"))]
        let letters = bits(unicode.iter().flat_map(|name| name.chars().map(u32::from))).to_vec();
        let pairs = Pairs::of(&unicode);
        let by_first = by_first(&unicode);
        TldTable {
            names,
            unicode,
            by_first,
            starts,
            #[cfg(not(target_family = "wasm"))]
            letters,
            pairs,
            version: version.to_owned(),
        }
    }

    /// Whether the TLD, in lower-case ASCII form, is in the table.
    pub fn contains(&self, ascii: &str) -> bool {
        self.names.contains(ascii)
    }

    /// Number of top-level domains; a U-label and its A-label are one.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether the table is empty: then no bare host is a link.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The names, sorted.
    pub fn sorted(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.names.iter().map(AsRef::as_ref).collect();
        names.sort_unstable();
        names
    }
}

/// The names with their first characters, sorted by these. Sorts pairs of numbers like other code:
/// each additional type that is sorted adds 1 kB to a web page.
fn by_first(names: &Set) -> Vec<(char, Box<str>)> {
    let names: Vec<&Box<str>> = names.iter().collect();
    let firsts = (0..).zip(&names).filter_map(|(at, name)| Some((name.chars().next()?, at)));
    let mut order: Vec<(u64, u32)> = firsts.map(|(first, at)| (u64::from(first), at)).collect();
    order.sort_unstable();
    let names = order.into_iter().filter_map(|(_, at)| names.get(usize::try_from(at).ok()?));
    names.filter_map(|name| Some((name.chars().next()?, (*name).clone()))).collect()
}

impl TldTable {
    /// Whether a name of the set may begin as a label does once it is mapped. Fast, may return `true` wrongly.
    #[cfg(not(target_family = "wasm"))]
    fn may_begin_mapped(&self, label: &str) -> bool {
        let mut small = label.chars().map(small_letter);
        let (Some(Some(first)), second) = (small.next(), small.next()) else { return true };
        let begins = |second: char| {
            first.is_ascii() && second.is_ascii()
                || self.names_from(first).any(|name| name.chars().nth(1) == Some(second))
        };
        // A mark may make another letter of the first one.
        self.may_begin(first) && second.flatten().is_none_or(begins)
    }

    /// Whether a label has a letter that no name beyond ASCII has once it is mapped, and that nothing behind it makes
    /// another one. Fast, may return `false` wrongly.
    #[cfg(not(target_family = "wasm"))]
    fn has_other_letter(&self, label: &str) -> bool {
        let mut letters = label.chars().map(small_letter).peekable();
        while let Some(letter) = letters.next() {
            // What is mapped to something else may be a mark.
            let stays = letters.peek().is_none_or(Option::is_some);
            let is_other =
                |letter: char| !letter.is_ascii() && !has_bit(&self.letters, letter.into());
            if stays && letter.is_some_and(is_other) {
                return true;
            }
        }
        false
    }

    /// The names beyond ASCII that begin with this character.
    fn names_from(&self, first: char) -> impl Iterator<Item = &str> {
        let from = self.by_first.partition_point(|(head, _)| *head < first);
        let names = self.by_first.get(from..).unwrap_or_default().iter();
        names.take_while(move |(head, _)| *head == first).map(|(_, name)| name.as_ref())
    }
}

impl TldSet for TldTable {
    fn exists(&self, ascii: &str) -> bool {
        self.contains(ascii)
    }

    fn exists_as(&self, label: &str) -> bool {
        if !label.is_ascii() {
            if self.unicode.contains(label) {
                return true;
            }
            // Text that is read in a wrong charset is full of signs and capitals, and the whole mapping is slow.
            #[cfg(not(target_family = "wasm"))]
            if !self.may_begin_mapped(label) || self.has_other_letter(label) {
                return false;
            }
            if !may_be_label(label) {
                return false;
            }
            #[cfg(not(target_family = "wasm"))]
            if let Some(lower) = in_lower_case(label) {
                let names = if lower.is_ascii() { &self.names } else { &self.unicode };
                return names.contains(lower.as_str());
            }
        }
        is_spelled(label, |ascii| self.contains(ascii))
    }

    fn unicode_prefix(&self, text: &str, ends: &dyn Fn(usize) -> bool) -> Option<usize> {
        let begun = self.names_from(text.chars().next()?).filter(|name| text.starts_with(name));
        begun.map(str::len).filter(|length| ends(*length)).max()
    }

    /// An ASCII letter or digit, or the first character of some U-label.
    fn may_begin(&self, first: char) -> bool {
        if first.is_ascii() {
            return first.is_ascii_alphanumeric();
        }
        has_bit(&self.starts, first.into())
    }

    fn pairs(&self) -> Option<&Pairs> {
        self.pairs.as_ref()
    }
}

/// The first two characters of names beyond ASCII, one bit each: few sentences begin with those of a name.
#[derive(Clone, Debug)]
pub struct Pairs(Box<Bits>);

impl Pairs {
    /// `None` if some name is shorter: that leaves nothing to tell the others apart by.
    fn of(names: &Set) -> Option<Pairs> {
        let pairs: Option<Vec<u32>> = names.iter().map(|name| pair(name)).collect();
        Some(Pairs(Box::new(bits(pairs?.into_iter()))))
    }

    /// Whether the text may begin with one of the names. Fast, may return `true` wrongly.
    pub fn may_begin(&self, text: &str) -> bool {
        pair(text).is_none_or(|pair| has_bit(&*self.0, pair))
    }

    /// The same for text that begins with a character of three bytes, by the bytes after the first of its two
    /// characters.
    #[cfg(not(target_family = "wasm"))]
    #[inline(always)]
    pub(crate) fn has(&self, bytes: [u8; 4]) -> bool {
        has_bit(&*self.0, u32::from_le_bytes(bytes))
    }
}

/// Bits for first characters: few of some hundred collide.
type Bits = [u64; 64];

/// Word and bit of a number (Fibonacci hashing).
fn bit_of(number: u32) -> (usize, u64) {
    let hash = number.wrapping_mul(0x9E37_79B1) >> 20;
    ((hash >> 6) as usize, 1 << (hash & 63))
}

fn bits(numbers: impl Iterator<Item = u32>) -> Bits {
    let mut bits = [0; _];
    for (word, bit) in numbers.map(bit_of) {
        if let Some(word) = bits.get_mut(word) {
            *word |= bit;
        }
    }
    bits
}

#[inline]
fn has_bit(bits: &[u64], number: u32) -> bool {
    let (word, bit) = bit_of(number);
    bits.get(word).is_some_and(|word| word & bit != 0)
}

/// The bytes of the first two characters of a text, if both are as long, as one number, which is
/// different for most texts.
fn pair(text: &str) -> Option<u32> {
    let bytes = text.as_bytes();
    match *bytes {
        [0xE0..=0xEF, a, b, _, c, d, ..] => Some(u32::from_le_bytes([a, b, c, d])),
        [..=0xDF, a, _, b, ..] => Some(u32::from_le_bytes([0, 0, a, b])),
        [0xF0..=0xFF, _, a, b, _, _, c, d, ..] => Some(u32::from_le_bytes([a, b, c, d])),
        _ => None,
    }
}

/// What the DNS answered about a name that is not in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// The DNS has the name, with any records.
    Exists,
    /// NXDOMAIN.
    Missing,
    /// Timeout, SERVFAIL, refused: the table decides.
    Unverified,
}

/// Answers by TLD in lower-case ASCII form. An absent name counts as unverified.
pub type Answers = BTreeMap<String, Answer>;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The default methods agree with the table, for every name in it and similar ones.
    #[test]
    fn a_set_of_ones_own_answers_as_the_table() {
        let names = [
            "com",
            "co",
            "xn--p1ai",
            "xn--fiqs8s",
            "xn--fiqz9s",
            "xn--mgba3a4f16a",
            "xn--vermgensberatung-pwb",
        ];
        let (table, own) = (TldTable::new(names, ""), BTreeSet::from(names));
        let slice = names.as_slice();
        let sets: [&dyn TldSet; 3] = [&names, &slice, &own];
        #[cfg(feature = "std")]
        let sets = [sets[0], sets[1], sets[2], &HashSet::<&str>::from(names)];
        let labels = [
            "com",
            "COM",
            "ｃｏｍ",
            "рф",
            "РФ",
            "Vermögensberatung",
            "VERMÖGENSBERATUNG",
            "vermogensberatung",
            "ÒÆ",
            "рфx",
            "XN--P1AI",
            "中国",
            "中國",
            "中国です",
            "中",
            "ایران",
            "vermögensberatung",
            "VERMÖGENSBERATUNG",
            "vermo\u{308}gensberatung",
            "",
            "-",
            "xn--",
            "é",
            "a\u{301}",
        ];
        for (set, label) in sets.iter().flat_map(|set| labels.map(|label| (set, label))) {
            assert_eq!(set.exists(label), table.contains(label), "{label}");
            assert_eq!(set.exists_as(label), table.exists_as(label), "{label}");
            for least in 0..8 {
                let ends = |length| length >= least;
                let (ours, theirs) =
                    (set.unicode_prefix(label, &ends), table.unicode_prefix(label, &ends));
                assert_eq!(ours, theirs, "{label}");
            }
            let first = label.chars().next().unwrap_or(' ');
            assert!(set.may_begin(first) || !table.may_begin(first), "{label}");
        }
    }

    #[test]
    fn small_letters_are_those_of_the_whole_mapping() {
        for c in ('\u{80}'..=char::MAX).filter(|c| small_letter(*c).is_some()) {
            let small = small_letter(c).map(String::from);
            let label = String::from(c);
            let ours = small.as_deref().and_then(|small| match small.is_ascii() {
                true => Some(small.to_owned()),
                false => a_label(small),
            });
            let whole = to_ascii(&label);
            assert!(whole.is_none() || ours == whole, "{c} {ours:?} {whole:?}");
            assert!(may_be_label(&label), "{c}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 20_000, ..ProptestConfig::default() })]

        /// However it is spelled, with marks, in parts of syllables, wide or narrow.
        #[test]
        fn what_is_looked_up_fast_is_what_is_mapped(
            label in "[рфРФйи\u{306}コムｺﾑｶﾞガ\u{3099}한국\u{1112}\u{1161}\u{11ab}국ｃｏｍ\u{ff23}öÖo\u{308}ẞß\u{ad}\u{200d}中国國xn日-]{1,7}|(ｘｎ--)?[fp1aiｆｐ１ａｉ]{2,5}",
        ) {
            let names = ["com", "c", "xn--p1ai", "xn--fiqs8s", "xn--tckwe", "xn--3e0b707e", "xn--h1ag", "xn--2ck", "xn--f-1gas"];
            let table = TldTable::new(names, "");
            let whole = to_ascii(&label).is_some_and(|ascii| names.contains(&ascii.as_str()));
            prop_assert_eq!(table.exists_as(&label), whole, "{}", label);
        }
    }

    #[test]
    fn what_is_no_label_is_mapped_to_no_letters() {
        let names = ('\u{80}'..=char::MAX).map(String::from);
        for label in names.filter(|label| !may_be_label(label)) {
            let mapped = to_ascii(&label).filter(|ascii| !ascii.is_empty());
            let mapped = mapped.and_then(|ascii| u_label(&ascii).or(Some(ascii)));
            let is_letters = |name: &String| name.chars().all(|c| c.is_alphabetic() || c == '-');
            assert_eq!(mapped.filter(is_letters), None, "{label}");
        }
        assert!(!may_be_label(&"щ".repeat(LONGEST_SPELLING + 1)));
        assert!(may_be_label(&"\u{ad}щ".repeat(LABEL)));
    }

    #[test]
    fn a_text_that_begins_with_a_name_may_begin_with_one() {
        for names in [&["xn--p1ai", "xn--fiqs8s", "xn--mgbaam7a8h"][..], &["xn--fiqs8s", "xn--viq"]]
        {
            let table = TldTable::new(names.iter().copied(), "");
            for name in names {
                let name = u_label(name).unwrap();
                for text in [name.clone(), format!("{name}."), format!("{name} and more")] {
                    assert!(
                        table.pairs().is_none_or(|pairs| pairs.may_begin(&text)),
                        "{text} among {names:?}"
                    );
                }
            }
        }
    }
}
