//! Which languages use a letter (CLDR exemplar characters).

use unicode_script::Script;
use uts58::unicode::ScriptOf as _;

use super::letter_table::{CYRILLIC, CYRILLIC_LANGUAGES, HOMES, LATIN_LANGUAGES, LETTERS, WORDS};

/// A set of languages that are written in Latin letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Languages([u64; WORDS]);

impl Languages {
    /// The empty set: a character of no known alphabet.
    pub const NONE: Languages = Languages([0; WORDS]);
    /// All languages: for a letter that says nothing about its language.
    pub const EVERY: Languages = Languages([u64::MAX; WORDS]);

    /// The intersection of both sets.
    #[must_use]
    pub fn and(self, other: Languages) -> Languages {
        let mut both = self.0;
        both.iter_mut().zip(other.0).for_each(|(word, other)| *word &= other);
        Languages(both)
    }

    /// Whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }
}

/// The languages whose main alphabet has a letter beyond ASCII (lower case).
pub fn main(c: char) -> Languages {
    row(c).map_or(Languages::NONE, |(_, main, _)| Languages(*main))
}

/// The languages that use the letter: in the main alphabet, or in foreign words and names.
pub fn all(c: char) -> Languages {
    let either = |main: &[u64; WORDS], others: &[u64; WORDS]| {
        let mut both = *main;
        both.iter_mut().zip(others).for_each(|(word, other)| *word |= other);
        Languages(both)
    };
    row(c).map_or(Languages::NONE, |(_, main, others)| either(main, others))
}

fn row(c: char) -> Option<&'static (char, [u64; WORDS], [u64; WORDS])> {
    let at = LETTERS.binary_search_by_key(&c, |(letter, _, _)| *letter).ok()?;
    LETTERS.get(at)
}

/// The language with this English name; the empty set if it is not in the table.
pub(super) fn of_language(name: &str) -> Languages {
    let mut bits = [0; WORDS];
    let at = LATIN_LANGUAGES.iter().position(|(language, _)| *language == name);
    if let Some((at, word)) = at.and_then(|at| Some((at, bits.get_mut(at / 64)?))) {
        *word = 1 << (at % 64);
    }
    Languages(bits)
}

/// The languages used under a top-level domain (lower-case ASCII).
pub fn of_tld(tld: &str) -> Languages {
    home(tld).map_or(Languages::NONE, |(_, languages, _)| Languages(*languages))
}

/// Those of them that are official there, if only in a part of the country.
pub fn official(tld: &str) -> Languages {
    home(tld).map_or(Languages::NONE, |(_, _, official)| Languages(*official))
}

fn home(tld: &str) -> Option<&'static (&'static str, [u64; WORDS], [u64; WORDS])> {
    let at = HOMES.binary_search_by_key(&tld, |(home, _, _)| *home).ok()?;
    HOMES.get(at)
}

/// The names of the languages whose main alphabet has a letter beyond ASCII, in lower case: those
/// of most top-level domains first, in scripts other than Latin and Cyrillic those of most
/// speakers. `None` for unknown letters; those of other scripts are known with the feature
/// `character-names`.
pub fn names(c: char) -> Option<Vec<&'static str>> {
    let found: Vec<(&str, u8)> = match c.script() {
        Script::Latin => of_bits(&LATIN_LANGUAGES, &main(c).0).collect(),
        Script::Cyrillic => {
            of_bits(&CYRILLIC_LANGUAGES, &[cyrillic(c).map_or(0, |row| row.1)]).collect()
        }
        _ => return of_other_scripts(c),
    };
    let most = found.iter().map(|(_, tlds)| *tlds).max().unwrap_or_default();
    let used_in = |count| found.iter().filter(move |(_, tlds)| *tlds == count);
    Some((0..=most).rev().flat_map(used_in).map(|(name, _)| *name).collect())
}

#[cfg(feature = "character-names")]
fn of_other_scripts(c: char) -> Option<Vec<&'static str>> {
    use super::other_letters::{LANGUAGES, RUNS, SETS};
    let after = RUNS.partition_point(|(first, ..)| *first <= c);
    let (_, last, set) = after.checked_sub(1).and_then(|at| RUNS.get(at))?;
    let set = SETS.get(usize::from(*set)).filter(|_| c <= *last)?;
    let of_set = LANGUAGES.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1);
    Some(of_set.map(|(_, name)| *name).collect())
}

#[cfg(not(feature = "character-names"))]
fn of_other_scripts(_: char) -> Option<Vec<&'static str>> {
    None
}

/// The languages whose bits are set.
fn of_bits<'t>(
    table: &'t [(&'static str, u8)],
    bits: &'t [u64],
) -> impl Iterator<Item = (&'static str, u8)> + 't {
    let is_set = |at: usize| bits.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1);
    table.iter().enumerate().filter(move |(at, _)| is_set(*at)).map(|(_, language)| *language)
}

/// Whether all these Cyrillic letters are known and no single language has all of them. The table
/// does not have all languages: a letter that it lacks proves nothing.
pub fn are_of_no_cyrillic_language(letters: impl Iterator<Item = char> + Clone) -> bool {
    // Fast path: most words have only letters of Russian.
    if letters.clone().all(|c| matches!(c, 'а'..='я')) {
        return false;
    }
    let mut shared = u64::MAX;
    for letter in letters {
        let Some((_, _, all)) = cyrillic(letter) else { return false };
        shared &= all;
    }
    shared == 0
}

fn cyrillic(c: char) -> Option<&'static (char, u64, u64)> {
    // The table begins with the letters of Russian without gaps.
    let at = u32::from(c).checked_sub(u32::from(CYRILLIC.first()?.0))?;
    let there = CYRILLIC.get(at as usize).filter(|(letter, ..)| *letter == c);
    let searched = || {
        let at = CYRILLIC.binary_search_by_key(&c, |(letter, _, _)| *letter).ok()?;
        CYRILLIC.get(at)
    };
    there.or_else(searched)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_have_languages() {
        let home = |c: char, tld: &str| !main(c).and(of_tld(tld)).is_empty();
        for (c, tld) in [('å', "se"), ('ß', "de"), ('ẃ', "cymru"), ('ț', "ro"), ('ụ', "ng")]
        {
            assert!(home(c, tld), "{c} {tld}");
        }
        for (c, tld) in [('ł', "de"), ('å', "com"), ('я', "ru"), ('a', "de")] {
            assert!(!home(c, tld), "{c} {tld}");
        }
        assert!(!all('ţ').and(of_tld("ro")).is_empty());
        assert!(main('ę').and(main('ê')).is_empty());
        assert_eq!(Languages::EVERY.and(main('ø')), main('ø'));
    }

    #[test]
    fn some_languages_are_only_spoken() {
        let has = |languages: Languages, c| !main(c).and(languages).is_empty();
        assert!(has(of_tld("fr"), 'ñ') && !has(official("fr"), 'ñ'));
        for (c, tld) in
            [('é', "fr"), ('ä', "se"), ('ŵ', "uk"), ('ø', "no"), ('ç', "es"), ('ç', "cat")]
        {
            assert!(has(official(tld), c), "{c} {tld}");
        }
    }

    #[test]
    fn languages_have_names() {
        assert_eq!(names('ł').unwrap().first(), Some(&"Polish"));
        assert_eq!(names('ѕ'), Some(vec!["Macedonian"]));
        assert_eq!(names('а').unwrap().first(), Some(&"Russian"));
        assert_eq!(names('ʀ'), Some(vec![]));
        assert_eq!(names('中'), None);
        assert_eq!(names('\u{301}'), None);
    }

    #[cfg(feature = "character-names")]
    #[test]
    fn languages_of_other_scripts_have_names() {
        for (letter, first, count) in [
            ('ο', "Greek", 1),
            ('օ', "Armenian", 1),
            ('ა', "Georgian", 1),
            ('ก', "Thai", 1),
            ('ב', "Hebrew", 2),
            ('ײ', "Yiddish", 1),
            ('٠', "", 0),
            ('ة', "Arabic", 2),
            ('ټ', "Pashto", 1),
            ('ళ', "Telugu", 1),
            ('ৰ', "Assamese", 1),
            ('अ', "Hindi", 1),
            ('አ', "Amharic", 1),
            ('ꭰ', "Cherokee", 1),
            ('한', "Korean", 1),
            ('か', "Japanese", 1),
        ] {
            let names = names(letter).unwrap_or_default();
            assert_eq!(names.first().copied().unwrap_or_default(), first, "{letter}");
            assert!(names.len() >= count, "{letter}: {names:?}");
        }
    }

    #[test]
    fn cyrillic_letters_of_no_one_language() {
        for word in ["ѕҽҳ", "їѕ", "ґқ"] {
            assert!(are_of_no_cyrillic_language(word.chars()), "{word}");
        }
        // Words of languages, and one with a letter that no language of the table has.
        for word in
            ["привет", "ґанок", "ўзбек", "қазақ", "ѕвезда", "ћирилица", "ӏамал", "аҧсуа", ""]
        {
            assert!(!are_of_no_cyrillic_language(word.chars()), "{word}");
        }
    }
}
