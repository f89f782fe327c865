//! What stands against a text that is shown as a title: a Subject, the summary of an event.

use std::ops::Range;
use std::sync::Arc;

use super::Judged;
use crate::outcome::{Reason, Verdict};
use homograph::claims::Disguise;
use unicode_script::Script;
use uts58::unicode::ScriptOf as _;

/// A title with its judgement.
pub struct Title {
    pub judged: Judged,
    /// The letters as spelled, or all of a text that is turned.
    pub spelled: String,
    /// The name that they read as.
    pub name: Option<String>,
}

impl Title {
    /// Judges a text by how it is shown and by its letters that are look-alikes. `None` if nothing is against it.
    pub fn judged(text: &str, shown: &str, disguise: Option<Disguise>) -> Option<Title> {
        let mut judged = Judged::of_text(Arc::default());
        // Words of a script without capitals may be turned to be shown as they are read.
        let reversed = !Iterator::eq(cased(text), cased(shown));
        if reversed {
            judged.add_with(Reason::BidiControl, Verdict::Suspect);
        }
        let (spelled, name) = match disguise {
            None if !reversed => return None,
            None => (shown.to_owned(), None),
            Some(disguise) => {
                let is_typed = disguise.name.is_none() && is_typed(shown, &disguise.spelled);
                let verdict = if is_typed { Verdict::Notice } else { disguise.verdict };
                judged.add_with(Reason::TextLookalike, verdict);
                (disguise.spelled, disguise.name)
            }
        };
        Some(Title { judged, spelled, name })
    }
}

/// Words of a text in the letters of a keyboard at least, beside which a letter of it is in a foreign word by chance.
const WORDS: usize = 2;

/// Letters of an abbreviation at most, for which one such word is enough: `СOVID-19 справка`.
const ABBREVIATION: usize = 5;

/// Whether a foreign word has letters of the keyboard that the rest of the text is typed on: `вакцина от СOVID-19`.
fn is_typed(text: &str, word: &str) -> bool {
    let Some(keyboard) = word.chars().find_map(keyboard) else { return false };
    let words =
        || text.split(|c: char| !c.is_alphabetic()).filter(|word| word.chars().nth(1).is_some());
    let own = |word: &&str| word.chars().all(|c| self::keyboard(c) == Some(keyboard));
    let mixed = |word: &&str| {
        word.chars().any(|c| c.is_ascii()) && word.chars().any(|c| self::keyboard(c).is_some())
    };
    let typed = words().filter(own).count();
    let letters = || word.chars().filter(|c| c.is_alphabetic());
    let is_short = letters().count() <= ABBREVIATION && letters().all(char::is_uppercase);
    typed >= if is_short { 1 } else { WORDS } && words().filter(mixed).count() <= typed
}

/// The script of a letter, if that is one whose keyboard has twins of Latin letters.
fn keyboard(c: char) -> Option<Script> {
    Some(c.script()).filter(|script| matches!(script, Script::Greek | Script::Cyrillic))
}

/// A text with a blank in place of each of its links, given in order: they are judged as such.
pub fn without_links(text: &str, links: impl DoubleEndedIterator<Item = Range<usize>>) -> String {
    let mut words = text.to_owned();
    links.rev().for_each(|link| words.replace_range(link, " "));
    words
}

/// The letters of scripts that have capitals.
fn cased(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| c.is_lowercase() || c.is_uppercase())
}
