//! Words in their own letters with an ending or a prefix of another script: `Zoomе`, `PDFها`, `וFacebook`.

use std::ops::Range;

use unicode_script::Script;
use uts58::unicode::ScriptOf as _;

use super::{Candidate, Letter, small};
use crate::characters::reading::{LabelChars, are_twins};
use crate::english;
use crate::protected::display_text::plain_letters;

impl Candidate<'_> {
    /// Whether a word or name in its own letters has an ending or a prefix of the script that the text is written in:
    /// `Zoomе`, `PDFها`, `וFacebook`. Without it the word is whole, and with it no other.
    pub(super) fn is_inflected(&self, word: &Range<usize>) -> bool {
        let letters = self.letters(word.clone());
        let Some((script, stem)) = inflected(letters) else { return false };
        let is_abbreviation =
            script != Script::Cyrillic && stem.iter().all(char::is_ascii_uppercase);
        let is_apart = is_apart(letters, stem.len(), script);
        let stem: String = stem.iter().map(char::to_ascii_lowercase).collect();
        let is_whole = || is_abbreviation || is_apart || self.is_known_word(&stem);
        let is_other = || {
            english::is_any_word(&plain_letters(letters.iter().copied()))
                || english::has_twin_word(&LabelChars::of(letters.iter().copied().map(small)))
        };
        stem.is_ascii() && is_whole() && !is_other() && self.is_in(script, word.clone())
    }

    /// Whether letters are an English word, or the label of a name.
    fn is_known_word(&self, letters: &str) -> bool {
        let names = self.context.protected;
        let chars = LabelChars::of(letters.chars());
        let mut known = names.known().flat_map(|known| known.named(&chars));
        english::is_any_word(letters)
            || names.has_label(letters)
            || known.any(|(name, _)| name.split('.').next() == Some(letters))
    }

    /// Whether other letters of the text show that it is written in this script.
    fn is_in(&self, script: Script, range: Range<usize>) -> bool {
        let others = self.shown.letters.iter().enumerate().filter(|(at, _)| !range.contains(at));
        let mut of_script = others.filter(|(_, c)| c.script() == script);
        of_script.any(|(_, c)| !are_twins([small(*c)], Script::Latin))
    }
}

/// Letters of an ending at most that are twins of Latin ones: two, and the stroke that lengthens Arabic ones.
const ENDING: usize = 3;

/// The stem of a word with an ending of another script, or with the Hebrew "and" in front, and that script.
fn inflected(letters: &[char]) -> Option<(Script, &[char])> {
    let foreign = letters.iter().find(|c| Letter::of(**c) == Letter::Foreign)?;
    let script = foreign.script();
    let is_of_ending = |c: &&char| {
        **c == '\u{640}' || c.script() == script && !c.is_uppercase() && c.is_alphabetic()
    };
    let stem = match (script, letters) {
        (Script::Cyrillic, [stem @ .., 'а' | 'е' | 'у']) | (Script::Hebrew, ['ו', stem @ ..]) => {
            stem
        }
        (Script::Arabic | Script::Armenian | Script::Hebrew, _) => {
            let ending = letters.iter().rev().take_while(is_of_ending).count();
            let stem = letters.len().checked_sub(ending).filter(|_| ending <= ENDING)?;
            letters.get(..stem)?
        }
        _ => return None,
    };
    Some((script, stem))
}

/// Letters from right to left that end words and read as an o, which hardly any English word ends with.
const O_ENDINGS: [char; 4] = ['ס', 'ه', 'ہ', 'ە'];

/// Whether letters of an ending are no part of any word, since they run the other way: where there are two, or one that
/// reads as an o, or one before a capital.
fn is_apart(letters: &[char], stem: usize, script: Script) -> bool {
    let is_prefix = || letters.get(1).is_some_and(char::is_ascii_uppercase);
    matches!(script, Script::Arabic | Script::Hebrew)
        && (letters.len() > stem + 1
            || letters.last().is_some_and(|last| O_ENDINGS.contains(last))
            || letters.first() == Some(&'ו') && is_prefix())
}

#[cfg(test)]
mod tests {
    use super::super::tests::found;
    use crate::verdict::Verdict;

    /// In a text of its script, too.
    #[test]
    fn an_ending_that_makes_another_word_is_none() {
        for text in [
            "חדש: Emaiו שלך",
            "מדריך PayPaו",
            "آموزش PayPaا",
            "آموزش Googاe",
            "Նոր Facebооk",
            "Նոր AmazՕn համար",
            "Նոր acсount համար",
            "Նոր menս համար",
            "PDFס your file",
            "Windowsها",
            "מדריך Emaiן למשתמש",
        ] {
            let verdict = found(text, "").map(|(verdict, _)| verdict);
            assert_eq!(verdict, Some(Verdict::Suspect), "{text}");
        }
    }
}
