//! How long a name is in the DNS, without converting it (S14: 63 octets a label, 253 characters a
//! name).
//!
//! After a Chinese or Japanese full stop the next sentence follows directly, and strictly by the
//! standard each such pair is a host: prose needs this often.

use crate::unicode::hosts::is_settled;
use crate::unicode::is_dot_to_somebody;
pub(super) use crate::unicode::punycode::LABEL;
use crate::unicode::punycode::Label;

/// Characters of a name in ASCII form without its root dot: 255 octets on the wire (S14).
pub(super) const NAME: usize = 253;

/// Whether the name fits in the DNS; `None` if UTS #46 is needed, because it may map, drop or join
/// some character.
pub(super) fn fits(name: &str) -> Option<bool> {
    // Most names are short enough even if their labels have the maximum length.
    let bound = |label: &mut Label| if label.surely_fits() { LABEL } else { label.length() };
    match length(name, bound)? {
        Length::Of(total) if total > NAME => {
            let exact = length(name, Label::length)?;
            Some(matches!(exact, Length::Of(total) if total <= NAME))
        }
        Length::Of(_) => Some(true),
        Length::LongLabel => Some(false),
    }
}

/// The length of a name.
enum Length {
    Of(usize),
    /// Some label is too long.
    LongLabel,
}

fn length(name: &str, of: impl Fn(&mut Label) -> usize) -> Option<Length> {
    let mut label = Label::default();
    let mut total = 0;
    for c in name.chars() {
        if is_settled(c) {
            label.push(c);
        } else if is_dot_to_somebody(c) {
            let length = of(&mut label);
            total += length + 1;
            if length > LABEL {
                return Some(Length::LongLabel);
            }
            label = Label::default();
        } else if c.is_ascii() {
            label.push_ascii();
        } else {
            return None;
        }
    }
    let length = of(&mut label);
    Some(if length > LABEL { Length::LongLabel } else { Length::Of(total + length) })
}

#[cfg(test)]
mod tests {
    use idna::punycode;
    use idna::uts46::{AsciiDenyList, DnsLength, Hyphens, Uts46};
    use proptest::prelude::*;

    use super::*;
    use crate::unicode::hosts::is_stable;

    fn ascii(name: &str) -> String {
        let uts46 = Uts46::new();
        uts46
            .to_ascii(name.as_bytes(), AsciiDenyList::EMPTY, Hyphens::Allow, DnsLength::Ignore)
            .unwrap()
            .into_owned()
    }

    #[test]
    fn every_length_up_to_the_longest() {
        for count in 1..70 {
            let label: String = ('一'..).step_by(37).take(count).collect();
            let length = ascii(&label).len();
            let mut measured = Label::default();
            label.chars().for_each(|c| measured.push(c));
            match measured.length() {
                found if length <= LABEL => assert_eq!(found, length, "{label}"),
                found => assert!(found > LABEL, "{label}: {found}, not {length}"),
            }
        }
        assert_eq!(fits("例e\u{301}.com"), None);
    }

    #[test]
    fn stable_characters_are_left_as_they_are() {
        for c in ('\u{80}'..=char::MAX).filter(|c| is_stable(*c)) {
            let text = c.to_string();
            assert_eq!(ascii(&text), format!("xn--{}", punycode::encode_str(&text).unwrap()));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

        #[test]
        fn the_answer_is_that_of_uts_46(
            labels in proptest::collection::vec("[a-c\\-_0Z一-丂好界ぁ-ゖァ-ヺー々가-힣㐀-㐂龠]{1,40}", 1..12),
        ) {
            let name = labels.join(".");
            let converted = ascii(&name);
            let fit = converted.len() <= NAME && converted.split('.').all(|label| label.len() <= LABEL);
            prop_assert_eq!(fits(&name), Some(fit), "{}", converted);
        }
    }
}
