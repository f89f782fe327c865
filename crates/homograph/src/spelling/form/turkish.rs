//! The dotted `i` of Turkish: its capital `İ`, and what programs write for it.

/// The label with `i` for the capital that Turkish keyboards write for it, composed or not, and for
/// its lower case, if it has one of them and no other dot above.
pub fn without_turkish_dots(spelling: &str) -> Option<String> {
    if spelling.is_ascii() || !spelling.contains(['İ', '\u{307}']) {
        return None;
    }
    let plain = spelling.replace("i\u{307}", "i").replace("I\u{307}", "i").replace('İ', "i");
    (plain != spelling && !plain.contains('\u{307}')).then_some(plain)
}

/// Whether the label is a word in capitals with that letter.
pub(crate) fn is_in_turkish_capitals(spelling: &str) -> bool {
    without_turkish_dots(spelling).is_some() && !spelling.contains(char::is_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dot_of_a_turkish_capital_is_dropped_once() {
        for (spelling, plain) in [
            ("FİRMA", Some("FiRMA")),
            ("I\u{307}\u{307}", None),
            ("FI\u{307}RMA", Some("FiRMA")),
            ("fi\u{307}rma", Some("firma")),
            ("i\u{307}\u{307}", None),
            ("İ\u{307}", None),
            ("a\u{307}", None),
            ("firma", None),
            ("fırma", None),
        ] {
            assert_eq!(without_turkish_dots(spelling).as_deref(), plain, "{spelling}");
        }
        assert!(is_in_turkish_capitals("FI\u{307}RMA"));
        assert!(!is_in_turkish_capitals("FI\u{307}rma"));
    }
}
