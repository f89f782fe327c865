//! How long a name is in the DNS, without converting it (S14: 63 octets a label, 253 characters a
//! name).
//!
//! After a Chinese or Japanese full stop the next sentence follows directly, and strictly by the
//! standard each such pair is a host: prose needs this often.

use alloc::borrow::Cow;
use alloc::string::String;

use idna::uts46::{AsciiDenyList, Hyphens, Uts46};

use crate::unicode::is_dot_to_somebody;
pub(super) use crate::unicode::punycode::LABEL;
use crate::unicode::punycode::{Label, a_label, surely_fits};

/// Characters of a name in ASCII form without its root dot: 255 octets on the wire (S14).
pub(super) const NAME: usize = 253;

/// A name as UTS #46 maps it, with A-labels decoded; `None` if it refuses it.
pub(crate) fn mapped(name: &[u8], denied: AsciiDenyList, hyphens: Hyphens) -> Option<Cow<'_, str>> {
    let (mapped, result) = Uts46::new().to_unicode(name, denied, hyphens);
    result.ok().map(|()| mapped)
}

/// The ASCII form of a name ([UTS #46 §4.2](https://www.unicode.org/reports/tr46/#ToASCII), any hyphens); `None` if it has
/// none, or a label does not fit in the DNS. Linear, unlike conversions that look at the length last.
pub fn to_ascii(name: &str) -> Option<String> {
    to_ascii_without(AsciiDenyList::EMPTY, name.as_bytes())
}

/// The same for a name without some signs.
pub(crate) fn to_ascii_without(denied: AsciiDenyList, name: &[u8]) -> Option<String> {
    ascii_form(&mapped(name, denied, Hyphens::Allow)?)
}

/// The same for a name that is mapped.
pub(crate) fn ascii_form(mapped: &str) -> Option<String> {
    let mut ascii = String::with_capacity(mapped.len());
    for label in mapped.split('.') {
        if label.is_ascii() {
            ascii.push_str(Some(label).filter(|label| label.len() <= LABEL)?);
        } else {
            ascii.push_str(&a_label(label).filter(|label| label.len() <= LABEL)?);
        }
        ascii.push('.');
    }
    ascii.pop();
    Some(ascii)
}

/// Whether a name, of any characters, fits in the DNS as it is.
pub(super) fn fits_unmapped(name: &str) -> bool {
    length(name, true).is_some_and(|exact| exact <= NAME)
}

/// Whether a name fits in the DNS whose characters UTS #46 leaves unchanged
/// ([`is_settled`](crate::unicode::hosts::is_settled)).
pub(super) fn fits(name: &str) -> bool {
    // Most names are short enough even if their labels have the maximum length.
    let bound = length(name, false);
    bound.is_some_and(|bound| bound <= NAME || fits_unmapped(name))
}

/// The length of a name, exact or at most; `None` if some label is too long.
fn length(name: &str, exact: bool) -> Option<usize> {
    let is_short = |label: &str| {
        let ascii = label.bytes().filter(u8::is_ascii).count();
        surely_fits(ascii, label.chars().count() - ascii)
    };
    let labels = name.split(is_dot_to_somebody).map(|label| match !exact && is_short(label) {
        true => LABEL,
        false => Label::of(label).length(),
    });
    labels
        .map(|length| (length <= LABEL).then_some(length + 1))
        .sum::<Option<usize>>()
        .map(|sum| sum - 1)
}

#[cfg(test)]
mod tests {
    use idna::punycode;
    use idna::uts46::DnsLength;
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
            match Label::of(&label).length() {
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

        #[test]
        fn ascii_forms_are_those_of_uts_46(
            name in "([a-cZ0ßéǅ\\u{301}ﬁ①⒈ﷺа-гנ\\u{200d}\\u{ad}例\\-_]{0,9}|xn--[a-c0-9]{1,5}|\\PC{1,5})([.。](bücher|xn--e1afmkfd|\\PC{0,40})){0,3}",
        ) {
            let uts46 = Uts46::new();
            let ascii = uts46.to_ascii(
                name.as_bytes(),
                AsciiDenyList::EMPTY,
                Hyphens::Allow,
                DnsLength::Ignore,
            );
            let short = |ascii: &Cow<str>| ascii.split('.').all(|label| label.len() <= LABEL);
            let expected = ascii.ok().filter(short).map(Cow::into_owned);
            prop_assert_eq!(to_ascii(&name), expected);
        }
    }
}
