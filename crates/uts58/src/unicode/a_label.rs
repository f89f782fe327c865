//! The prefix of A-labels (RFC 5890 §2.3.2.1), in any case.

use alloc::string::String;

/// The prefix of A-labels.
pub const PREFIX: &str = "xn--";

/// Whether the label begins like an A-label; the rest may not decode.
pub fn is_a_label(label: &str) -> bool {
    label.get(..PREFIX.len()).is_some_and(|four| four.eq_ignore_ascii_case(PREFIX))
}

/// What an A-label in lower case decodes to, whether or not it is valid (RFC 5891 §4.4).
pub fn u_label(label: &str) -> Option<String> {
    idna::punycode::decode_to_string(label.strip_prefix(PREFIX)?)
}

/// Where the text has the prefix of A-labels, at the beginning of a label or not.
pub fn places(text: &[u8]) -> impl DoubleEndedIterator<Item = usize> + '_ {
    // Hyphens are rarer than letters.
    memchr::memchr_iter(b'-', text).filter_map(|hyphen| {
        let start = hyphen.checked_sub(2)?;
        let four = text.get(start..start + PREFIX.len())?;
        four.eq_ignore_ascii_case(PREFIX.as_bytes()).then_some(start)
    })
}

/// Whether the text has the prefix of A-labels.
pub fn has_a_label(text: &[u8]) -> bool {
    places(text).next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_in_any_case() {
        assert!(is_a_label("xn--a") && is_a_label("XN--") && is_a_label("Xn--\u{e9}"));
        assert!(!is_a_label("xn-") && !is_a_label("axn--a") && !is_a_label("xn\u{e9}--"));
        assert_eq!(places(b"xn--xN--a.xn-").collect::<Vec<_>>(), [0, 4]);
        assert!(has_a_label(b"a.XN--b") && !has_a_label(b"a.xn-b") && !has_a_label(b""));
    }
}
