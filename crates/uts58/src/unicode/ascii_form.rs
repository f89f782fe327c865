//! What UTS #46 makes of a name, and its ASCII form.

use alloc::borrow::Cow;
use alloc::string::String;

use idna::uts46::{AsciiDenyList, Hyphens, Uts46};

use super::punycode::{LABEL, a_label};

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
        let label = match label.is_ascii() {
            true => Cow::Borrowed(label),
            false => Cow::Owned(a_label(label)?),
        };
        ascii.push_str(Some(label).filter(|label| label.len() <= LABEL)?.as_ref());
        ascii.push('.');
    }
    ascii.pop();
    Some(ascii)
}

#[cfg(test)]
mod tests {
    use idna::uts46::DnsLength;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

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
