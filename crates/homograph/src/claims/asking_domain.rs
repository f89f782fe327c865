//! A protected name as a label of its own in a host of somebody else: in front of a domain that is nothing but words that
//! ask (`paypal.login.top`), or with a suffix behind it that its owner does not use (`paypal.net.example.com`).
//!
//! Of other hosts such a label is what a customer of its owner chose, or a page about the name.

use crate::hosts::host_words::{
    ASKING, MIN_BRAND_IN_LABEL, SEPARATORS, is_common, is_filler, is_short, spelled,
};
use crate::lists::by_letter::{WordsByLetter, count};
use crate::protected::name::Name;
use crate::protected::names::Names;
use crate::protected::organisations::Organisations;

/// Words that ask, beside [`ASKING`], in a domain.
const OTHERS: [&str; 8] =
    ["auth", "confirm", "rebate", "recovery", "redelivery", "refund", "unlock", "validation"];

/// Those that other firms have in their domains as well, and none is alone.
const ALONE: [&str; 3] = ["billing", "support", "update"];

/// Suffixes that a reader takes for the end of a host.
pub(super) const SUFFIXES: [&str; 5] = ["biz", "co", "info", "net", "org"];

/// The name, of a host that consists of these labels in front of a domain that was registered.
pub(super) fn find<'n>(
    front: &str,
    own: &str,
    protected: &'n Names,
    table: &Organisations,
) -> Option<&'n Name> {
    if front.is_empty() {
        return None;
    }
    let named = |label: &str| {
        let is_long = label.len() >= MIN_BRAND_IN_LABEL;
        is_long.then(|| spelled(label, protected)).flatten()
    };
    let short = |label: &str| spelled(label, protected).filter(|name| is_short(name, table));
    let in_front = || {
        let label = front.rsplit('.').next()?;
        named(label).or_else(|| short(label))
    };
    let asked = own.split('.').next().filter(|label| asks(label, table)).and_then(|_| in_front());
    let found = asked.or_else(|| {
        let mut labels = front.split('.').skip_while(|label| is_filler(label, Some(table)));
        let name = named(labels.next()?)?;
        let is_suffix = labels.next().is_some_and(|label| SUFFIXES.contains(&label));
        (is_suffix && !is_common(name.label(), Some(table))).then_some(name)
    });
    found.filter(|_| !protected.covers(own) && table.own_domain(own).is_none())
}

/// Whether a host with this label of one word behind its first may be such a one: most are not.
pub(super) fn may_be(word: &str) -> bool {
    LISTED.hold(word)
}

/// What is looked for in such labels.
const LISTS: [&[&str]; 4] = [&SUFFIXES, &ASKING, &OTHERS, &ALONE];

static LISTED: WordsByLetter<{ count(&LISTS) }> = WordsByLetter::of(&LISTS);

/// Whether a label is a word that asks, or several words of offices of which one does.
pub(super) fn asks(label: &str, table: &Organisations) -> bool {
    let asking = |word: &str| ASKING.contains(&word) || OTHERS.contains(&word);
    ALONE.contains(&label)
        || label.split(SEPARATORS).any(asking)
            && label.split(SEPARATORS).all(|word| asking(word) || is_filler(word, Some(table)))
}

#[cfg(test)]
mod tests {
    use crate::Names;
    use crate::claims::organisation_inside::inside;

    #[test]
    fn a_name_is_a_label_beside_words_that_ask() {
        let names = Names::builtin();
        for (host, name) in [
            ("paypal.login.top", "paypal.com"),
            ("paypal.verify.com", "paypal.com"),
            ("www.paypal.account.com", "paypal.com"),
            ("paypal.my-confirm.top", "paypal.com"),
            ("microsoft.support.top", "microsoft.com"),
            ("apple.login.top", "apple.com"),
            ("paypal.net.evilhost.ru", "paypal.com"),
            ("www.netflix.org.evilhost.ru", "netflix.com"),
            ("secure.netflix.co.evilhost.ru", "netflix.com"),
            ("usps.parcel-redelivery.com", "usps.com"),
            ("www.hsbc.login-verify.com", "hsbc.com"),
            ("dhl.refund.top", "dhl.com"),
            // Customers, pages about a name, networks, and owners.
            ("dhl.parcel-shop.de", ""),
            ("usps.net.example.com", ""),
            ("visa.login.top", ""),
            ("hsbc.example.com", ""),
            ("paypal.okta.com", ""),
            ("paypal.example.com", ""),
            ("login.paypal.example.com", ""),
            ("paypal.login.example.com", ""),
            ("microsoft.it-support.de", ""),
            ("apple.store.example.com", ""),
            ("apple.net.example.com", ""),
            ("microsoft.login.gov", ""),
            ("paypal.verify.com.edgekey.net", ""),
            ("harbour.login.top", ""),
            ("paypal.co.uk", ""),
            ("paypal.net", ""),
        ] {
            assert_eq!(inside(host, &names).unwrap_or_default(), name, "{host}");
        }
    }
}
