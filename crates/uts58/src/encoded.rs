//! How long a name is in the DNS, without converting it (S14: 63 octets a label, 253 characters a
//! name).
//!
//! After a Chinese or Japanese full stop the next sentence follows directly, and strictly by the
//! standard each such pair is a host: prose needs this often.

use crate::unicode::is_dot_to_somebody;
pub(super) use crate::unicode::punycode::{LABEL, NAME};
use crate::unicode::punycode::{UnmappedLabel, at_most};

/// Whether a name, of any characters, fits in the DNS as it is.
pub(super) fn fits_unmapped(name: &str) -> bool {
    length(name, true).is_some_and(|exact| exact <= NAME)
}

/// Whether a name fits in the DNS whose characters UTS #46 leaves unchanged
/// ([`is_settled`](crate::unicode::hosts::is_settled)).
pub(super) fn fits(name: &str) -> bool {
    // Most names are short enough even if their labels are as long as their characters allow.
    let bound = length(name, false);
    bound.is_some_and(|bound| bound <= NAME || fits_unmapped(name))
}

/// The length of a name, exact or at most; `None` if some label is too long.
fn length(name: &str, exact: bool) -> Option<usize> {
    let at_most = |label: &str| {
        let ascii = label.bytes().filter(u8::is_ascii).count();
        at_most(ascii, label.chars().count() - ascii)
    };
    let labels = name.split(is_dot_to_somebody).map(|label| {
        let bound = Some(label).filter(|_| !exact).map(at_most);
        let bound = bound.filter(|bound| *bound <= LABEL);
        bound.unwrap_or_else(|| UnmappedLabel::of(label).length())
    });
    labels
        .map(|length| (length <= LABEL).then_some(length + 1))
        .sum::<Option<usize>>()
        .map(|sum| sum - 1)
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
            match UnmappedLabel::of(&label).length() {
                found if length <= LABEL => assert_eq!(found, length, "{label}"),
                found => assert!(found > LABEL, "{label}: {found}, not {length}"),
            }
        }
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
            prop_assert_eq!(fits(&name), fit, "{}", converted);
        }
    }
}
