//! The top-level domains that exist, as the engine is told of them.

use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

type Set = HashSet<Box<str>, BuildHasherDefault<Fnv>>;

/// FNV-1a for sets of names: they are short, and nobody hostile chooses them.
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

/// A table of top-level domains, all in lower-case ASCII form.
#[derive(Clone, Debug, Default)]
pub struct TldTable {
    names: Set,
    /// U-labels of the names that have one.
    unicode: Set,
    /// The U-labels again, sorted, each behind its first character: most text is told apart by that.
    sorted_unicode: Vec<(char, Box<str>)>,
    /// First characters of the U-labels, a bit each: see [`bit_of`].
    starts: Vec<u64>,
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
        let mut sorted_unicode: Vec<(char, Box<str>)> =
            unicode.iter().filter_map(|name| Some((name.chars().next()?, name.clone()))).collect();
        sorted_unicode.sort_unstable();
        let mut starts = vec![0; START_WORDS];
        for (first, _) in &sorted_unicode {
            let (word, bit) = bit_of(*first);
            if let Some(word) = starts.get_mut(word) {
                *word |= bit;
            }
        }
        TldTable { names, unicode, sorted_unicode, starts, version: version.to_owned() }
    }

    /// Whether the TLD is in the table, in whatever spelling: A-label, U-label, any case, width forms.
    pub fn contains_spelling(&self, label: &str) -> bool {
        if label.is_ascii() {
            return self.names.contains(label)
                || (label.bytes().any(|byte| byte.is_ascii_uppercase())
                    && self.names.contains(label.to_ascii_lowercase().as_str()));
        }
        self.unicode.contains(label)
            || idna::domain_to_ascii(label).is_ok_and(|ascii| self.names.contains(ascii.as_str()))
    }

    /// Whether this very U-label, in lower case and normal form, is in the table.
    pub fn contains_unicode(&self, label: &str) -> bool {
        self.unicode.contains(label)
    }

    /// Lengths in bytes of the U-labels of the table that the text begins with, ascending.
    pub fn unicode_prefixes<'a>(&'a self, text: &'a str) -> impl Iterator<Item = usize> + 'a {
        let first = text.chars().next().unwrap_or_default();
        let from = self.sorted_unicode.partition_point(|(head, _)| *head < first);
        let names = self.sorted_unicode.get(from..).unwrap_or_default();
        names
            .iter()
            .take_while(move |(head, _)| *head == first)
            .filter(|(_, name)| text.starts_with(name.as_ref()))
            .map(|(_, name)| name.len())
    }

    /// Whether a name of the table may begin with this character: an ASCII letter or digit, or the
    /// first character of some U-label. Cheaper yet, and wrong at times on the side of "yes".
    pub fn may_begin(&self, first: char) -> bool {
        if first.is_ascii() {
            return first.is_ascii_alphanumeric();
        }
        let (word, bit) = bit_of(first);
        self.starts.get(word).is_some_and(|word| word & bit != 0)
    }

    /// Whether the TLD, in lower-case ASCII form, is in the table.
    pub fn contains(&self, ascii: &str) -> bool {
        self.names.contains(ascii)
    }

    /// How many top-level domains it has; a U-label and its A-label are one.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether it knows no top-level domain: then no bare host is a link.
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

/// Words of bits for first characters: of some hundred, few fall together.
const START_WORDS: usize = 64;

/// Word and bit of a first character (Fibonacci hashing).
fn bit_of(c: char) -> (usize, u64) {
    let hash = u32::from(c).wrapping_mul(0x9E37_79B1) >> 20;
    ((hash >> 6) as usize, 1 << (hash & 63))
}

fn u_label(name: &str) -> Option<String> {
    idna::punycode::decode_to_string(name.strip_prefix("xn--")?)
}

/// What the DNS said of a name that the table lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// The DNS has the name, whatever records stand there.
    Exists,
    /// NXDOMAIN.
    Missing,
    /// Timeout, SERVFAIL, refused: the table decides.
    Unverified,
}

/// Answers by TLD in lower-case ASCII form. An absent name counts as unverified.
pub type Answers = BTreeMap<String, Answer>;
