//! Properties that judging hosts needs.

use super::Traits;
use super::host_table::{ALLOWED_SYMBOLS, ZEROS};

/// The zero of the system of decimal digits that the character belongs to; `None` when it is no
/// decimal digit.
pub fn numeral_zero(c: char) -> Option<char> {
    if !Traits::of(c).is_digit() {
        return None;
    }
    let after = ZEROS.partition_point(|zero| *zero <= c);
    let zero = ZEROS.get(after.checked_sub(1)?)?;
    (u32::from(c) - u32::from(*zero) < 10).then_some(*zero)
}

/// Combining marks (General_Category M).
pub fn is_mark(c: char) -> bool {
    Traits::of(c).is_mark()
}

/// Whether UTS #39 allows the character, though it is neither letter, mark nor digit.
pub fn is_allowed_symbol(c: char) -> bool {
    ALLOWED_SYMBOLS.binary_search(&c).is_ok()
}

/// Bidi_Control: characters that change the direction of text and are not seen.
pub fn is_bidi_control(c: char) -> bool {
    matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

/// ZWNJ and ZWJ (RFC 5892 A.1, A.2).
pub fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

/// Characters that turn the text round them or are not seen: bidi controls, joiners, soft hyphens, tag
/// characters, fillers, variation selectors, line and paragraph separators.
pub fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
        | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numerals_know_their_zero() {
        assert_eq!(numeral_zero('7'), Some('0'));
        assert_eq!(numeral_zero('৭'), Some('০'));
        assert_eq!(numeral_zero('a'), None);
        assert_eq!(numeral_zero('\0'), None);
    }
}
