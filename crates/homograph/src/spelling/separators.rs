//! Characters that read as the punctuation between the parts of a URL.

use std::cell::OnceCell;

use unicode_script::Script;

use super::label_context::LabelContext;
use super::native::is_native;
use crate::characters::cjk::is_cjk;
use crate::characters::reading::{LabelChars, Separates};
use crate::verdict::{Reason, Verdict};
use uts58::tlds::TldSet;
use uts58::unicode::{ScriptOf as _, is_letter};

/// The verdict on characters that read as `/ . - : ? #` or a quote where they mislead; `None` if
/// the label has none. A letter apostrophe outside the languages that use it is suspect.
pub(super) fn deceives(context: &LabelContext<'_>) -> Option<Verdict> {
    let (label, tld) = (context.chars, context.tld);
    if !label.has_signs() {
        return None;
    }
    // Needed for every such sign, and depends on the whole label.
    let polynesian = OnceCell::new();
    let is_polynesian = || *polynesian.get_or_init(|| is_polynesian(label));
    let judge = |(at, (c, separates)): (usize, (char, Separates))| {
        if c.is_ascii() {
            return None;
        }
        let before = at.checked_sub(1).and_then(|at| label.char(at));
        let after = label.char(at + 1);
        let bad = match c {
            '·' if is_catalan(before, after) => false,
            // Between letters it reads as a dot only if a top-level domain could follow it.
            '·' if between_letters(before, after) && !ends_host(label, at + 1, context.tlds) => {
                return Some(Verdict::Suspect);
            }
            '·' => true,
            '・' => !is_between_kana(before, after),
            '\u{2bb}' if is_polynesian() || is_uzbek(before, tld) => false,
            '\u{2bc}' if is_slavic(before, after, tld) || is_breton(before, after, tld) => false,
            '\u{2bb}' | '\u{2bc}' => return Some(Verdict::Suspect),
            // Modifier letters read as quotes, colons and dashes.
            '\u{2b0}'..='\u{2ff}' => true,
            _ => separates == Separates::Yes && !belongs(c, before, after),
        };
        bad.then_some(Reason::SeparatorLookalike.verdict())
    };
    label.separators().enumerate().filter_map(judge).max()
}

/// Whether the character is a dot in the middle of the line that readers take for a full stop or a
/// hyphen, whatever clients do.
pub fn is_middle_dot(c: char) -> bool {
    matches!(c, '·' | '‧' | '∙' | '⋅' | '•' | '◦' | 'ᐧ' | 'ꞏ' | '⸱' | '⸳' | '⦁' | '᛫' | '𐄁')
}

/// Whether a reader takes the character for a full stop, though no client does: the same, and the
/// dots of Japanese between words.
pub fn reads_as_full_stop(c: char) -> bool {
    is_middle_dot(c) || matches!(c, '・' | '･')
}

/// RFC 5892 A.3: Catalan `l·l`.
fn is_catalan(before: Option<char>, after: Option<char>) -> bool {
    before == Some('l') && after == Some('l')
}

fn between_letters(before: Option<char>, after: Option<char>) -> bool {
    [before, after].into_iter().all(|c| c.is_some_and(is_letter))
}

/// Whether the text from here to the next hyphen or middle dot is a top-level domain.
fn ends_host(label: &LabelChars, from: usize, tlds: &dyn TldSet) -> bool {
    let rest = (from..).map_while(|at| label.char(at)).take_while(|c| !matches!(c, '-' | '·'));
    tlds.exists(&rest.collect::<String>())
}

/// Whether the label may be Hawaiian, Tongan or Samoan, which write the ʻokina: languages of open
/// syllables, where every consonant, including the ʻokina, is before a vowel. Few words of other
/// languages look like this, and no names that end a host.
fn is_polynesian(label: &LabelChars) -> bool {
    let vowel = |c: char| matches!(c, 'a' | 'e' | 'i' | 'o' | 'u' | 'ā' | 'ē' | 'ī' | 'ō' | 'ū');
    let consonant =
        |c: char| matches!(c, 'f'..='h' | 'k'..='n' | 'p' | 'r'..='t' | 'v' | 'w' | '\u{2bb}');
    label.iter().enumerate().all(|(at, (c, _))| {
        let after = label.char(at + 1);
        let opens = after.is_some_and(vowel) || c == 'n' && after == Some('g');
        c == '-' || c.is_ascii_digit() || vowel(c) || consonant(c) && opens
    })
}

/// The Latin alphabet of Uzbek: oʻ and gʻ.
fn is_uzbek(before: Option<char>, tld: &str) -> bool {
    tld == "uz" && matches!(before, Some('o' | 'g'))
}

/// The apostrophe of Ukrainian and Belarusian (`сімʼя`).
fn is_slavic(before: Option<char>, after: Option<char>, tld: &str) -> bool {
    let cyrillic = |c: Option<char>| c.is_some_and(|c| c.script() == Script::Cyrillic);
    is_native(Script::Cyrillic, tld) && cyrillic(before) && cyrillic(after)
}

/// The Breton letter cʼh.
fn is_breton(before: Option<char>, after: Option<char>, tld: &str) -> bool {
    tld == "bzh" && before == Some('c') && after == Some('h')
}

/// RFC 5892 A.7, narrowed: the dot separates Japanese words, so Japanese is on its right, and
/// Japanese or nothing on its left.
fn is_between_kana(before: Option<char>, after: Option<char>) -> bool {
    before.is_none_or(is_japanese) && after.is_some_and(is_japanese)
}

fn is_japanese(c: char) -> bool {
    matches!(c.script(), Script::Han | Script::Hiragana | Script::Katakana) || c == 'ー'
}

/// Whether a letter is used as a letter: beside its own script (`ノ` in a Japanese word, a Hebrew
/// yod), or with no Latin letter beside it that it could separate.
fn belongs(c: char, before: Option<char>, after: Option<char>) -> bool {
    let script = c.script();
    if matches!(script, Script::Common | Script::Inherited) && c != 'ー' {
        return false;
    }
    let neighbours = [before, after];
    let mut neighbours = neighbours.iter().flatten();
    let related =
        |other: &char| *other == c || other.script() == script || is_cjk(c) && is_cjk(*other);
    !neighbours.clone().any(char::is_ascii_alphabetic) || neighbours.any(related)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::characters::properties::skeleton;
    use crate::spelling::label_context::Role;
    use crate::verdict::RestrictionLevel;
    use uts58::unicode::hosts::ends_host_to_a_reader;
    use uts58::unicode::is_letter;

    fn verdict(label: &str, tld: &str) -> Option<Verdict> {
        deceives(&LabelContext {
            spelling: label,
            unicode: label,
            chars: &LabelChars::of(label.chars()),
            role: Role::Registrable,
            tld,
            level: RestrictionLevel::default(),
            tlds: &uts58::tlds::TldTable::new(["com"], ""),
        })
    }

    #[test]
    fn what_ends_a_host_to_a_reader_is_in_the_data() {
        let ends = |c: char| {
            let seen = skeleton(c.encode_utf8(&mut [0; 4]));
            !c.is_ascii()
                && !is_letter(c)
                && !seen.is_empty()
                && seen.into_iter().all(|c| "/\\?#>".contains(c))
        };
        let other: Vec<char> =
            ('\0'..=char::MAX).filter(|c| ends(*c) != ends_host_to_a_reader(*c)).collect();
        assert_eq!(other, ['\0'; 0]);
    }

    #[test]
    fn apostrophes_are_letters_where_a_language_has_them() {
        for (label, tld) in [
            ("hawaiʻi", "com"),
            ("ʻohana-kauaʻi", "org"),
            ("mōʻī-2026", "com"),
            ("fakaʻāmenia", "to"),
            ("oʻzbekiston", "uz"),
            ("сімʼя", "укр"),
            ("cʼhall", "bzh"),
            ("col·legi", "cat"),
        ] {
            assert_eq!(verdict(label, tld), None, "{label}.{tld}");
        }
        for (label, tld) in [
            ("paypalʻs", "com"),
            ("aʻb", "com"),
            ("oʻzbekiston", "com"),
            ("сімʼя", "com"),
            ("caʼhall", "bzh"),
        ] {
            assert_eq!(verdict(label, tld), Some(Verdict::Suspect), "{label}.{tld}");
        }
        assert_eq!(verdict("col·legi", "com"), None);
        assert_eq!(verdict("norvèg·e", "com"), Some(Verdict::Suspect));
        assert_eq!(verdict("paypal·com", "example"), Some(Verdict::Unsafe));
        assert_eq!(verdict("1·2", "cat"), Some(Verdict::Unsafe));
    }
}
