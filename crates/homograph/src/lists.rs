//! Lists of words and names as they are kept in a program, and as they are searched.
//!
//! The files beside this module say where they are from, and are what is edited. Of each word the table keeps
//! what it does not share with the one before: lists of words are most of what a web page that judges loads.

mod table;

use std::sync::LazyLock;

use uts58::front_coded::words;

/// English words that everybody knows (`english.txt`), sorted, one a line.
pub(super) static ENGLISH: LazyLock<Words> = LazyLock::new(|| Words::new(words(table::ENGLISH)));

/// More words, of letters that have twins in one other alphabet (`twins.txt`), likewise.
pub(super) static TWINS: LazyLock<Words> = LazyLock::new(|| Words::new(words(table::TWINS)));

/// Domains looked up most (`listed.txt`), likewise.
#[cfg(feature = "listed-names")]
pub(super) static LISTED: LazyLock<String> = LazyLock::new(|| {
    let groups = table::LISTED.lines().filter_map(|line| line.split_once(':'));
    let names = groups.flat_map(|(suffix, labels)| {
        words(labels).map(move |label| [&label, ".", suffix].concat())
    });
    let mut names: Vec<String> = names.collect();
    // Those of one suffix stand in order but for hyphens, and a stable sort makes use of it.
    names.sort();
    lines(names.into_iter())
});

#[cfg(not(feature = "listed-names"))]
pub(super) static LISTED: LazyLock<String> = LazyLock::new(String::new);

/// Words in lower-case letters, sorted, one a line, with the places where those of the same first two letters
/// begin: a label is looked up many times, and most of what it reads as begins like no word.
pub(super) struct Words {
    text: String,
    /// Where the words of each pair of letters begin, and behind the last where all end.
    places: Vec<usize>,
}

/// Letters, and pairs of them.
const LETTERS: usize = 26;
const PAIRS: usize = LETTERS * LETTERS;

impl Words {
    fn new(words: impl Iterator<Item = String>) -> Words {
        let text = lines(words);
        let pair = |line: &str| {
            let mut letters = line.bytes().map(|byte| usize::from(byte.saturating_sub(b'a')));
            letters.next().unwrap_or_default() * LETTERS + letters.next().unwrap_or_default()
        };
        let (mut places, mut at) = (Vec::with_capacity(PAIRS + 1), 0);
        for line in text.lines() {
            while places.len() <= pair(line) {
                places.push(at);
            }
            at += line.len() + 1;
        }
        places.resize(PAIRS + 1, at);
        Words { text, places }
    }

    #[cfg(test)]
    pub(super) fn lines(&self) -> impl Iterator<Item = &str> {
        self.text.lines()
    }

    /// The words that begin with the first one or two letters of this one.
    fn near(&self, word: &str) -> &str {
        let index = |byte: &u8| byte.is_ascii_lowercase().then(|| usize::from(byte - b'a'));
        let mut letters = word.bytes().map(|byte| index(&byte));
        let pairs = match (letters.next().flatten(), letters.next()) {
            (Some(first), None) => Some((first * LETTERS, (first + 1) * LETTERS)),
            (Some(first), Some(Some(second))) => {
                let pair = first * LETTERS + second;
                Some((pair, pair + 1))
            }
            _ => None,
        };
        let place = |pair: usize| self.places.get(pair).copied().unwrap_or_default();
        let near = pairs.and_then(|(from, to)| self.text.get(place(from)..place(to)));
        near.unwrap_or_default()
    }

    /// Whether some word begins so.
    pub(super) fn begins(&self, text: &str) -> bool {
        let near = self.near(text);
        !near.is_empty() && (text.len() <= 2 || first_from(near, text).starts_with(text))
    }

    /// Whether this is one of the words.
    pub(super) fn holds(&self, word: &str) -> bool {
        !word.is_empty() && first_from(self.near(word), word) == word
    }
}

/// The first line of a sorted text that is not before this one; empty behind the last.
pub(super) fn first_from<'t>(text: &'t str, line: &str) -> &'t str {
    let (mut low, mut high) = (0, text.len());
    while low < high {
        let middle = low.midpoint(high);
        let before = text.get(low..middle).unwrap_or_default();
        let start = before.rfind('\n').map_or(low, |feed| low + feed + 1);
        let other = line_at(text, start);
        if other < line {
            low = start + other.len() + 1;
        } else {
            high = start;
        }
    }
    line_at(text, low)
}

fn line_at(text: &str, start: usize) -> &str {
    text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default()
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

    /// The npm package hands the list over as that of a page.
    #[test]
    fn the_names_are_a_list_as_others_write_one() {
        let names = crate::Known::parse(FILES[2]).unwrap();
        assert_eq!(names.len(), entries(FILES[2]).count());
    }

    /// The places are those where the words stand.
    #[test]
    fn words_are_found_by_their_first_letters() {
        for list in [&*ENGLISH, &*TWINS] {
            for first in b'a'..=b'z' {
                for second in b'a'..=b'z' {
                    let pair = String::from_utf8(vec![first, second]).unwrap();
                    let here: Vec<&str> =
                        list.lines().filter(|word| word.starts_with(&pair)).collect();
                    assert_eq!(list.near(&pair).lines().collect::<Vec<_>>(), here, "{pair}");
                    assert_eq!(list.begins(&pair), !here.is_empty(), "{pair}");
                }
            }
            for none in ["", "1", "a1", "-", "é", "zz", "zzzz"] {
                assert!(!list.holds(none) && !list.begins(none), "{none}");
            }
            assert!(list.begins("a") && list.begins("p") && !list.holds("a"));
        }
    }

    /// The labels of each suffix side by side: those of the most first.
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
