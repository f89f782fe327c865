//! Phrases of a language in a label: `la-cañada-flintridge`.
//!
//! An accent on a letter disguises a word that is known without it (`canada`), unless it is a word
//! of a language that has the letter. An article before it shows that: impersonators use none.

use super::letters::{self, Languages};
use super::reading::LabelChar;

/// Articles and words used like them before a noun, by language, in plain letters, chosen by hand:
/// three letters or more, and two if they are the code of no large country.
const ARTICLES: [(&str, &[&str]); 7] = [
    ("Catalan", &["els", "les", "del", "dels", "sant", "santa"]),
    ("French", &["la", "le", "les", "des", "du", "aux", "saint", "sainte"]),
    ("Galician", &["os", "dos", "das"]),
    ("German", &["das", "dem", "den", "der", "die", "und", "zum", "zur", "sankt"]),
    ("Italian", &["il", "la", "lo", "gli", "del", "dei", "della", "delle", "san", "santa"]),
    ("Portuguese", &["os", "dos", "das", "santa", "santo"]),
    ("Spanish", &["el", "la", "las", "los", "del", "san", "santa", "santo"]),
];

/// Whether the word before is an article of a language that has all letters beyond ASCII of this
/// word.
pub(crate) fn holds(before: Option<&str>, word: &[LabelChar]) -> bool {
    let Some(before) = before else { return false };
    let marked = || word.iter().filter(|letter| !letter.c.is_ascii());
    let in_language = |language: &str| {
        let own = letters::of_language(language);
        let has = |letters: Languages| !letters.and(own).is_empty();
        marked().next().is_some() && marked().all(|letter| has(letters::main(letter.c)))
    };
    ARTICLES.iter().any(|(language, words)| words.contains(&before) && in_language(language))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::characters::reading::LabelChars;

    #[test]
    fn articles_tell_the_language() {
        let holds =
            |before: &str, word: &str| holds(Some(before), LabelChars::of(word.chars()).all());
        for (before, word) in [
            ("la", "cañada"),
            ("los", "años"),
            ("les", "écoles"),
            ("die", "bühne"),
            ("das", "ações"),
        ] {
            assert!(holds(before, word), "{before}-{word}");
        }
        for (before, word) in [
            ("my", "cañada"),
            ("login", "türkiye"),
            ("la", "canada"),
            ("la", "cаnada"),
            ("die", "cañada"),
            ("la", "cąnada"),
            ("", "cañada"),
        ] {
            assert!(!holds(before, word), "{before}-{word}");
        }
    }

    #[test]
    fn languages_have_letters() {
        for (language, words) in ARTICLES {
            assert!(!letters::of_language(language).is_empty(), "{language}");
            let plain = |word: &&str| word.bytes().all(|byte| byte.is_ascii_lowercase());
            assert!(words.iter().all(plain), "{language}");
        }
    }
}
