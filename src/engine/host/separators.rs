//! Characters that read as the punctuation that gives a URL its structure.

use unicode_script::{Script, UnicodeScript};
use unicode_security::skeleton;

use super::cjk::is_cjk;
use super::homes::MIDDLE_DOT_HOME;
use crate::engine::outcome::{Reason, Verdict};

/// How bad a character is that reads as `/ . - : ? #` or a quote where it deceives; `None` when
/// the label holds none. A turned comma or an apostrophe could be Hawaiian.
pub(super) fn deceives(label: &str, tld: &str) -> Option<Verdict> {
    let chars: Vec<char> = label.chars().collect();
    let judge = |(at, c): (usize, &char)| {
        if c.is_ascii() {
            return None;
        }
        let before = at.checked_sub(1).and_then(|at| chars.get(at)).copied();
        let after = chars.get(at + 1).copied();
        let bad = match c {
            '·' => !is_catalan(before, after, tld),
            '・' => !is_between_kana(before, after),
            '\u{2bb}' | '\u{2bc}' => return Some(Verdict::Suspect),
            // Modifier letters read as quotes, colons and dashes.
            '\u{2b0}'..='\u{2ff}' => true,
            _ => is_separator(*c) && !belongs(*c, before, after),
        };
        bad.then_some(Reason::SeparatorLookalike.verdict())
    };
    chars.iter().enumerate().filter_map(judge).max()
}

/// RFC 5892 A.3, and the language that writes it.
fn is_catalan(before: Option<char>, after: Option<char>, tld: &str) -> bool {
    tld == MIDDLE_DOT_HOME && before == Some('l') && after == Some('l')
}

/// RFC 5892 A.7, narrowed: the dot separates Japanese words, so it has one on its right, and
/// nothing but Japanese on its left.
fn is_between_kana(before: Option<char>, after: Option<char>) -> bool {
    before.is_none_or(is_japanese) && after.is_some_and(is_japanese)
}

fn is_japanese(c: char) -> bool {
    matches!(c.script(), Script::Han | Script::Hiragana | Script::Katakana) || c == 'ー'
}

/// Whether the character's prototype in confusables.txt is ASCII punctuation.
fn is_separator(c: char) -> bool {
    let mut buffer = [0; 4];
    let spelled: &str = c.encode_utf8(&mut buffer);
    let mut shape = skeleton(spelled);
    shape.next().is_some_and(|first| first.is_ascii_punctuation() || is_dash(first))
        && shape.all(|rest| rest.is_ascii_punctuation())
}

/// What confusables.txt takes as the prototype of dashes.
fn is_dash(c: char) -> bool {
    matches!(c, '\u{2010}'..='\u{2015}' | '\u{30fc}' | '\u{4e00}' | '\u{2cf}'..='\u{2d7}')
}

/// A letter of a script that stands in its own script (`ノ` in a Japanese word, a Hebrew yod) is
/// a letter; and so is it alone, with nothing of Latin beside it to be punctuation of.
fn belongs(c: char, before: Option<char>, after: Option<char>) -> bool {
    let script = c.script();
    if matches!(script, Script::Common | Script::Inherited) && c != 'ー' {
        return false;
    }
    let neighbours = [before, after];
    let mut neighbours = neighbours.iter().flatten();
    let kin = |other: &char| *other == c || other.script() == script || is_cjk(c) && is_cjk(*other);
    !neighbours.clone().any(char::is_ascii_alphabetic) || neighbours.any(kin)
}
