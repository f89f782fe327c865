//! The script of a character (UAX #24), as it is asked for at every letter of every host.

use unicode_script::{Script, UnicodeScript};

/// What [`UnicodeScript`] says, without a search where the character is of ASCII.
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
            _ => UnicodeScript::script(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_those_of_the_data() {
        for c in '\0'..='\u{ff}' {
            assert_eq!(ScriptOf::script(&c), UnicodeScript::script(&c), "{c:?}");
        }
    }
}
