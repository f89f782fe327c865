//! What signs beside a host and inside one are to people. Browsers take all of them into the host, as letters or as what
//! they map to, and no registry does. One table for whoever asks, so that every sign has one row.

use homograph::is_middle_dot;

/// The number or mark of a list, before its dot: `Ⅰ.`, `1º.`, `nº.`.
const LIST_MARK: u8 = 1;
/// A letter in a circle or in brackets.
const CIRCLED: u8 = 1 << 1;
/// What stands directly in front of a host in a list: numbers and letters in circles and brackets, raised ones, marks of
/// owners, the circle of Japanese lists.
const LIST_SIGN: u8 = 1 << 2;
/// What stands between two names.
const BETWEEN: u8 = 1 << 3;
/// Quotation marks, bullets and arrows, in front of a host.
const POINTER: u8 = 1 << 4;
/// A hyphen of word processors.
const HYPHEN: u8 = 1 << 5;
/// What reads as `?`, `#` or `/`.
const END: u8 = 1 << 6;
/// What reads as a hyphen.
const JOIN: u8 = 1 << 7;

/// Whether a character is ASCII, or of blocks in which nothing has a role: those of most letters.
fn has_no_role(c: char) -> bool {
    matches!(c, '\0'..='\u{9F}' | '\u{386}'..='\u{61E}' | '\u{620}'..='\u{10FF}')
        || matches!(c, '\u{3040}'..='\u{30FA}' | '\u{4E00}'..='\u{4E27}' | '\u{4E29}'..='\u{A6FF}')
        || matches!(c, '\u{AC00}'..='\u{D7FF}')
}

fn roles(c: char) -> u8 {
    match c {
        _ if has_no_role(c) => 0,
        'ª' | 'º' | '¼'..='¾' | '№' => LIST_MARK,
        '¹' | '²' | '³' | '\u{2070}'..='\u{2079}' => LIST_MARK | LIST_SIGN,
        '\u{2150}'..='\u{216B}' | '\u{2170}'..='\u{217B}' => LIST_MARK | LIST_SIGN,
        '\u{2460}'..='\u{249B}' | '\u{24EA}'..='\u{24FF}' => LIST_MARK | LIST_SIGN,
        '\u{1F100}'..='\u{1F10F}' => LIST_MARK | LIST_SIGN,
        '\u{249C}'..='\u{24E9}' | '\u{1F110}'..='\u{1F129}' => LIST_MARK | CIRCLED | LIST_SIGN,
        '\u{2776}'..='\u{2793}' => LIST_MARK | LIST_SIGN | POINTER,
        '\u{207A}'..='\u{209C}' | '℠' | '℡' | '™' | '〇' => LIST_SIGN,
        '\u{216C}'..='\u{216F}' | '\u{217C}'..='\u{218F}' => LIST_SIGN,
        '\u{3220}'..='\u{33FF}' | '\u{1F12A}'..='\u{1F16F}' => LIST_SIGN,
        '\u{2010}'..='\u{2013}' | '\u{2212}' => BETWEEN | HYPHEN,
        '\u{2014}'..='\u{2017}' | '×' | 'ǀ' | '⁄' | '∕' | '⧸' | 'ㅣ' | '丨' => BETWEEN,
        '«' | '»' | '‹' | '›' | '→' | '⇒' | '・' | '･' => BETWEEN | POINTER,
        '─' | '━' => BETWEEN | POINTER | JOIN,
        '•' | '\u{2500}'..='\u{25FF}' => BETWEEN | POINTER,
        '∙' | '⋅' => BETWEEN,
        '÷' => BETWEEN | END,
        '\u{A0}' | '“' | '”' | '„' | '‘' | '’' | '‚' | '‣' => POINTER,
        '\u{2190}'..='\u{21FF}' | '\u{2700}'..='\u{27BF}' => POINTER,
        'ʔ' | 'ɂ' | 'Ɂ' | 'ʡ' | 'ˀ' | '؟' | '⸮' | '♯' | '⌗' | '⋕' | '⧣' | '⁒' | '⌿' => {
            END
        }
        'ꟷ' | '⎯' | '‿' | '⁀' | '⁔' | 'ㅡ' | 'ᅳ' | 'ᐨ' | '⏤' => JOIN,
        _ => 0,
    }
}

pub(super) fn is_list_mark(c: char) -> bool {
    roles(c) & LIST_MARK != 0
}

pub(super) fn is_circled_letter(c: char) -> bool {
    roles(c) & CIRCLED != 0
}

pub(super) fn is_list_sign(c: char) -> bool {
    roles(c) & LIST_SIGN != 0
}

pub(super) fn separates_names(c: char) -> bool {
    roles(c) & BETWEEN != 0
}

pub(super) fn is_pointer(c: char) -> bool {
    roles(c) & POINTER != 0
}

pub(super) fn is_hyphen(c: char) -> bool {
    roles(c) & HYPHEN != 0
}

pub(super) fn ends_host(c: char) -> bool {
    roles(c) & END != 0
}

/// What reads as a dot or a hyphen.
pub(super) fn separates_words(c: char) -> bool {
    !has_no_role(c) && (roles(c) & JOIN != 0 || is_middle_dot(c))
}

/// What ends a host or separates words.
pub(super) fn reads_as_punctuation(c: char) -> bool {
    !has_no_role(c) && (roles(c) & (END | JOIN) != 0 || is_middle_dot(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_have_no_role() {
        for c in ('\0'..=char::MAX).filter(|c| has_no_role(*c)) {
            assert!(!is_middle_dot(c), "{c}");
        }
        for sign in ['؟', 'ᅳ', 'ᐨ', '丨', '・', 'ㅡ', 'ꟷ'] {
            assert_ne!(roles(sign), 0, "{sign}");
        }
    }
}
