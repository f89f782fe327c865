//! The top-level domains that exist, as the engine is told of them.

use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

type Set = HashSet<Box<str>, BuildHasherDefault<Fnv>>;

/// FNV-1a: the names are short, and nobody hostile chooses them.
#[derive(Clone, Debug)]
struct Fnv(u64);

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
    /// The U-labels again, sorted: most text is told apart by their first characters.
    sorted_unicode: Vec<Box<str>>,
    /// First two bytes of the U-labels, a bit each: see [`lead`].
    leads: Vec<u64>,
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
        let mut sorted_unicode: Vec<Box<str>> = unicode.iter().cloned().collect();
        sorted_unicode.sort_unstable();
        let mut leads = vec![0; 64];
        // Latin letters of full width are mapped to plain ones.
        let wide = ["\u{FF21}", "\u{FF41}"];
        for name in unicode.iter().map(AsRef::as_ref).chain(wide) {
            if let [first, second, ..] = name.as_bytes() {
                let (row, bit) = lead(*first, *second);
                if let Some(row) = leads.get_mut(row) {
                    *row |= bit;
                }
            }
        }
        TldTable { names, unicode, sorted_unicode, leads, version: version.to_owned() }
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
        let first = text.chars().next();
        let from = self.sorted_unicode.partition_point(|name| name.chars().next() < first);
        let candidates = self.sorted_unicode.get(from..).unwrap_or_default();
        candidates
            .iter()
            .take_while(move |name| name.chars().next() == first)
            .filter(|name| text.starts_with(name.as_ref()))
            .map(|name| name.len())
    }

    /// Whether a name of the table may begin with these bytes of UTF-8: ASCII, or the first two of
    /// some U-label. Cheaper yet, and wrong at times on the side of "yes".
    pub fn may_begin(&self, bytes: &[u8]) -> bool {
        match bytes {
            [first, ..] if first.is_ascii() => first.is_ascii_alphanumeric(),
            [first, second, ..] => {
                let (row, bit) = lead(*first, *second);
                self.leads.get(row).is_some_and(|row| row & bit != 0)
            }
            _ => false,
        }
    }

    /// Whether the TLD, in lower-case ASCII form, is in the table.
    pub fn contains(&self, ascii: &str) -> bool {
        self.names.contains(ascii)
    }

    pub fn len(&self) -> usize {
        self.names.len()
    }

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

/// Row and bit of two bytes of UTF-8: the low six bits of each tell them apart.
fn lead(first: u8, second: u8) -> (usize, u64) {
    (usize::from(first & 0x3F), 1 << (second & 0x3F))
}

fn u_label(name: &str) -> Option<String> {
    idna::punycode::decode_to_string(name.strip_prefix("xn--")?)
}

/// What the DNS said of a name that the table lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    Exists,
    /// NXDOMAIN.
    Missing,
    /// Timeout, SERVFAIL, refused: the table decides.
    Unverified,
}

/// Answers by TLD in lower-case ASCII form. An absent name counts as unverified.
pub type Answers = BTreeMap<String, Answer>;
