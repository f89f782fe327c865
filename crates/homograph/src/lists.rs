//! Lists of words and names: stored packed, unpacked for searching.
//!
//! The text files beside this module name their sources and are what is edited. The table stores of
//! each word only what differs from the one before: word lists are most of what a web page has to
//! load for judging.

pub(crate) mod by_letter;
mod table;

use std::cmp::Ordering;
use std::sync::LazyLock;

use uts58::front_coded::words;

/// English words that everybody knows (`english.txt`), sorted, one a line.
pub(super) static ENGLISH: LazyLock<WordIndex> =
    LazyLock::new(|| WordIndex::new(words(table::ENGLISH)));

/// More words, from letters that have twins in one other alphabet (`twins.txt`), in the same form.
pub(super) static TWINS: LazyLock<WordIndex> =
    LazyLock::new(|| WordIndex::new(words(table::TWINS)));

/// The domains looked up most (`listed.txt`), in the same form.
#[cfg(feature = "listed-names")]
pub(super) static LISTED: LazyLock<String> = LazyLock::new(|| {
    let groups = table::LISTED.lines().filter_map(|line| line.split_once(':'));
    let names = groups.flat_map(|(suffix, labels)| {
        words(labels).map(move |label| [&label, ".", suffix].concat())
    });
    let mut names: Vec<String> = names.collect();
    // The names of one suffix are sorted except for hyphens, which a stable sort makes use of.
    names.sort();
    lines(names.into_iter())
});

#[cfg(not(feature = "listed-names"))]
pub(super) static LISTED: LazyLock<String> = LazyLock::new(String::new);

/// Words in lower-case letters, sorted, indexed by their first two letters: a label is looked up
/// many times, and most of its readings begin like no word.
pub(super) struct WordIndex {
    text: String,
    /// Where each word begins, and the end of the last one.
    starts: Vec<u32>,
    /// Index of the first word for each pair of letters, and the number of words at the end.
    pairs: Vec<u16>,
}

/// A range of words with the same first letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WordRange {
    from: usize,
    to: usize,
}

/// Letters, and pairs of them.
const LETTERS: usize = 26;
const PAIRS: usize = LETTERS * LETTERS;

impl WordIndex {
    fn new(words: impl Iterator<Item = String>) -> WordIndex {
        let text = lines(words);
        let pair = |line: &str| {
            let mut letters = line.bytes().map(|byte| usize::from(byte.saturating_sub(b'a')));
            letters.next().unwrap_or_default() * LETTERS + letters.next().unwrap_or_default()
        };
        let (mut starts, mut pairs) = (vec![0], Vec::with_capacity(PAIRS + 1));
        let mut at = 0;
        for (index, line) in (0..).zip(text.lines()) {
            while pairs.len() <= pair(line) {
                pairs.push(index);
            }
            at += line.len() + 1;
            starts.push(u32::try_from(at).unwrap_or_default());
        }
        pairs.resize(PAIRS + 1, u16::try_from(starts.len() - 1).unwrap_or_default());
        WordIndex { text, starts, pairs }
    }

    #[cfg(test)]
    pub(super) fn lines(&self) -> impl Iterator<Item = &str> {
        self.text.lines()
    }

    fn word(&self, at: usize) -> &[u8] {
        let place = |at: usize| self.starts.get(at).map_or(0, |place| *place as usize);
        let end = place(at + 1).saturating_sub(1);
        self.text.as_bytes().get(place(at)..end).unwrap_or_default()
    }

    /// All words.
    pub(super) fn all(&self) -> WordRange {
        WordRange { from: 0, to: self.starts.len() - 1 }
    }

    /// Those words of the range that have `next` after the first `letters` letters.
    pub(super) fn narrow(&self, range: WordRange, letters: usize, next: u8) -> WordRange {
        if letters == 0 {
            let first = usize::from(next.wrapping_sub(b'a')).min(LETTERS);
            let place = |pair: usize| self.pairs.get(pair).map_or(range.to, |at| usize::from(*at));
            return WordRange { from: place(first * LETTERS), to: place((first + 1) * LETTERS) };
        }
        // A word that ends here has a line end at this position, which is less than a letter.
        let letter = |place: &u32| self.text.as_bytes().get(*place as usize + letters).copied();
        let words = self.starts.get(range.from..range.to).unwrap_or_default();
        let before = words.partition_point(|place| letter(place) < Some(next));
        let up_to = words.partition_point(|place| letter(place) <= Some(next));
        WordRange { from: range.from + before, to: range.from + up_to }
    }

    /// Whether one of the words in the range has exactly this many letters.
    pub(super) fn has_exactly(&self, range: WordRange, letters: usize) -> bool {
        range.is_some() && self.word(range.from).len() == letters
    }

    /// Whether this is one of the words.
    pub(super) fn holds(&self, word: &str) -> bool {
        // Every word has more letters than two.
        let Some(&[first, second]) = word.as_bytes().first_chunk() else { return false };
        if !first.is_ascii_lowercase() || !second.is_ascii_lowercase() {
            return false;
        }
        let pair = usize::from(first - b'a') * LETTERS + usize::from(second - b'a');
        let place = |pair: usize| self.pairs.get(pair).copied().map_or(0, usize::from);
        let (mut low, mut high) = (place(pair), place(pair + 1));
        while low < high {
            let middle = low.midpoint(high);
            match self.word(middle).cmp(word.as_bytes()) {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return true,
                Ordering::Greater => high = middle,
            }
        }
        false
    }
}

impl WordRange {
    /// Whether the range is not empty.
    pub(super) fn is_some(self) -> bool {
        self.from < self.to
    }
}

/// The first line of a sorted text that is not less than this one; empty after the last.
pub(super) fn lower_bound<'t>(text: &'t str, line: &str) -> &'t str {
    let bytes = text.as_bytes();
    let is_feed = |byte: &u8| *byte == b'\n';
    // Lines are short: looking at each byte costs less than a search does.
    let line_at = |start: usize| {
        let rest = bytes.get(start..).unwrap_or_default();
        let length = rest.iter().position(is_feed).unwrap_or(rest.len());
        start..start + length
    };
    let (mut low, mut high) = (0, bytes.len());
    while low < high {
        let middle = low.midpoint(high);
        let before = bytes.get(low..middle).unwrap_or_default();
        let start = before.iter().rposition(is_feed).map_or(low, |feed| low + feed + 1);
        let other = line_at(start);
        if bytes.get(other.clone()).unwrap_or_default() < line.as_bytes() {
            low = other.end + 1;
        } else {
            high = start;
        }
    }
    text.get(line_at(low.min(bytes.len()))).unwrap_or_default()
}

fn lines(words: impl Iterator<Item = String>) -> String {
    let mut out = String::new();
    words.for_each(|word| {
        out.push_str(&word);
        out.push('\n');
    });
    out
}

#[cfg(test)]
#[cfg(feature = "listed-names")]
#[allow(clippy::disallowed_methods)] // the table is a file
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use uts58::front_coded::pack;

    use super::*;

    const FILES: [&str; 3] = [
        include_str!("lists/english.txt"),
        include_str!("lists/twins.txt"),
        include_str!("lists/listed.txt"),
    ];

    fn entries(text: &str) -> impl Iterator<Item = &str> {
        text.lines().filter(|line| !line.starts_with('#'))
    }

    #[test]
    fn lists_are_those_of_the_files() {
        let [english, twins, listed] = FILES;
        let fresh = format!(
            "{HEAD}\npub(super) static ENGLISH: &str = {:?};\n\npub(super) static TWINS: &str = {:?};\n\n\
             #[cfg(feature = \"listed-names\")]\npub(super) static LISTED: &str = {:?};\n",
            pack(entries(english)),
            pack(entries(twins)),
            by_suffix(listed),
        );
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lists/table.rs");
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, fresh).unwrap();
            return;
        }
        let old = std::fs::read_to_string(&path).unwrap();
        assert!(old == fresh, "stale: UPDATE=1 cargo test -p homograph lists_are_those");
        for (file, list) in FILES.into_iter().zip([&ENGLISH.text, &TWINS.text, &*LISTED]) {
            assert!(entries(file).eq(list.lines()));
        }
    }

    /// The npm package passes the list on as a list of the web page.
    #[test]
    fn the_names_are_a_list_as_others_write_one() {
        let names = crate::Known::parse(FILES[2]).unwrap();
        assert_eq!(names.len(), entries(FILES[2]).count());
    }

    /// The words that begin with this text.
    fn words_with<'w>(list: &'w WordIndex, text: &str) -> Vec<&'w str> {
        let letters = text.bytes().enumerate();
        let WordRange { from, to } =
            letters.fold(list.all(), |range, (at, letter)| list.narrow(range, at, letter));
        (from..to).map(|at| str::from_utf8(list.word(at)).unwrap()).collect()
    }

    /// The index finds every word.
    #[test]
    fn words_are_found_by_their_first_letters() {
        for list in [&*ENGLISH, &*TWINS] {
            for first in b'a'..=b'z' {
                for second in b'a'..=b'z' {
                    let pair = String::from_utf8(vec![first, second]).unwrap();
                    let here: Vec<&str> =
                        list.lines().filter(|word| word.starts_with(&pair)).collect();
                    assert_eq!(words_with(list, &pair), here, "{pair}");
                }
            }
            for none in ["", "1", "a1", "-", "é", "zz", "zzzz"] {
                assert!(!list.holds(none), "{none}");
                assert!(none.is_empty() || words_with(list, none).is_empty(), "{none}");
            }
            assert!(!words_with(list, "a").is_empty() && !list.holds("a"));
            for word in list.lines() {
                assert_eq!(words_with(list, word).first(), Some(&word));
            }
        }
    }

    /// The labels of each suffix side by side, the suffix with the most labels first.
    fn by_suffix(names: &str) -> String {
        let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for name in entries(names) {
            let (label, suffix) = name.split_once('.').unwrap();
            groups.entry(suffix).or_default().push(label);
        }
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_by_key(|(_, labels)| std::cmp::Reverse(labels.len()));
        let line = |(suffix, mut labels): (&str, Vec<&str>)| {
            labels.sort_unstable();
            format!("{suffix}:{}\n", pack(labels))
        };
        groups.into_iter().map(line).collect()
    }

    const HEAD: &str = "\
// Generated by `UPDATE=1 cargo test -p homograph lists_are_those` from `english.txt`, `twins.txt` and
// `listed.txt`, which say whose they are; not for editing.
";
}
