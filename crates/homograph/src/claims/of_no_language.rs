//! Latin letters that are together in no language: hooks, tails and strokes of several (`þąỵþąļ`), which nobody writes and
//! everybody reads.

use unicode_script::Script;

use crate::characters::letters::{self, Languages};
use crate::protected::display_text::plain_letter;
use uts58::unicode::ScriptOf as _;

/// Whether letters are Latin ones of which no one language has all: two at least are no plain ones.
pub fn is_of_no_language(letters: &[char]) -> bool {
    let mut others = letters
        .iter()
        .map(|c| c.to_lowercase().next().unwrap_or(*c))
        .filter(|c| !c.is_ascii())
        .peekable();
    let Some(first) = others.peek().copied() else { return false };
    let is_latin = |c: char| c.is_alphabetic() && c.script() == Script::Latin;
    let (mut shared, mut are_several) = (Languages::EVERY, false);
    for c in others {
        if !is_latin(c) || plain_letter(c).is_some() {
            return false;
        }
        shared = shared.and(letters::main(c));
        are_several |= c != first;
    }
    are_several && shared.is_empty()
}

#[cfg(test)]
mod tests {
    use super::is_of_no_language;

    #[test]
    fn letters_of_several_languages() {
        let is = |text: &str| is_of_no_language(&text.chars().collect::<Vec<_>>());
        for text in ["þąỵþąļ", "ƥąỿƥąɭ", "ṃịçṛọṡọfṱ", "Þĝ"] {
            assert!(is(text), "{text}");
        }
        for text in [
            "", "plain", "ą", "Łódź", "İşlem", "Phở", "Citroën", "ßöü", "ＰａｙＰａｌ", "дąþ", "ąą",
        ] {
            assert!(!is(text), "{text}");
        }
    }

    #[test]
    fn what_organisations_call_themselves_is_of_a_language() {
        let rows = include_str!("../protected/organisations.txt")
            .lines()
            .filter(|row| !row.starts_with('#'));
        let rows = rows.filter_map(|row| row.split_once(" : "));
        let mut names = rows.flat_map(|(_, names)| names.split(", "));
        assert_eq!(names.find(|name| is_of_no_language(&name.chars().collect::<Vec<_>>())), None);
    }
}
