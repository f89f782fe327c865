//! The script of a character (UAX #24), as it is asked for at every letter of every host.

use unicode_script::{Script, UnicodeScript};

/// What [`UnicodeScript`] says, without a search where the character is of ASCII or of one of the long runs of
/// letters that most names are written in.
pub trait ScriptOf {
    /// The value of the property Script.
    fn script(&self) -> Script;
}

impl ScriptOf for char {
    #[inline]
    fn script(&self) -> Script {
        match self {
            'a'..='z' | 'A'..='Z' => Script::Latin,
            '\0'..='\x7f' => Script::Common,
            '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}' | '\u{f8}'..='\u{2b8}' => Script::Latin,
            '\u{400}'..='\u{484}' => Script::Cyrillic,
            '\u{3a3}'..='\u{3e1}' => Script::Greek,
            '\u{5d0}'..='\u{5ea}' => Script::Hebrew,
            '\u{620}'..='\u{63f}' | '\u{641}'..='\u{64a}' => Script::Arabic,
            '\u{904}'..='\u{950}' => Script::Devanagari,
            '\u{e01}'..='\u{e3a}' | '\u{e40}'..='\u{e5b}' => Script::Thai,
            '\u{1ea0}'..='\u{1eff}' => Script::Latin,
            '\u{3041}'..='\u{3096}' => Script::Hiragana,
            '\u{30a1}'..='\u{30fa}' => Script::Katakana,
            '\u{4e00}'..='\u{9fff}' => Script::Han,
            '\u{ac00}'..='\u{d7a3}' => Script::Hangul,
            _ => UnicodeScript::script(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_those_of_the_data() {
        for c in '\0'..=char::MAX {
            assert_eq!(ScriptOf::script(&c), UnicodeScript::script(&c), "{c:?}");
        }
    }
}
