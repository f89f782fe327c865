//! Properties that judging hosts needs.

use super::host_table::{ALLOWED_SYMBOLS, ZEROS};

/// The zero of the system of decimal digits that the character belongs to; `None` when it is no
/// decimal digit.
pub fn numeral_zero(c: char) -> Option<char> {
    let after = ZEROS.partition_point(|zero| *zero <= c);
    let zero = ZEROS.get(after.checked_sub(1)?)?;
    (u32::from(c) - u32::from(*zero) < 10).then_some(*zero)
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
