//! How words ask, and those that are mistyped by one slip: `securty`, `verfication`. The shorter ones that lures have
//! stand in `asking_words.txt`.

use crate::english::is_any_word;
use crate::protected::near::slip_between;

/// How a word asks a reader to prove who he is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Asking {
    /// It announces a parcel.
    Parcel,
    /// Firms are named after it as well.
    Trade,
    /// And no firm is named so.
    Surely,
}

/// English words of seven letters and more that ask, and that no other word comes near.
#[rustfmt::skip]
const ASKING: [(&str, Asking); 16] = [
    ("account", Asking::Surely), ("accounts", Asking::Surely), ("activation", Asking::Surely),
    ("authenticate", Asking::Surely), ("authentication", Asking::Surely), ("confirmation", Asking::Surely),
    ("password", Asking::Surely), ("passwords", Asking::Surely), ("reactivate", Asking::Surely),
    ("recovery", Asking::Trade), ("restricted", Asking::Surely), ("security", Asking::Trade), ("support", Asking::Trade),
    ("suspended", Asking::Surely), ("validation", Asking::Surely), ("verification", Asking::Surely),
];

/// The same of offices, in names of senders.
#[rustfmt::skip]
const OFFICES: [&str; 12] = [
    "assistance", "customer", "customers", "delivery", "department", "helpdesk", "notification", "notifications",
    "payment", "receipt", "service", "services",
];

/// Letters of the shortest of them, without one.
const LEAST: usize = 6;

/// How a word asks that is one slip away from one of [`ASKING`].
pub(crate) fn mistyped(word: &str) -> Option<Asking> {
    let meant = ASKING.iter().filter(|(meant, _)| may_be_slip(word, meant));
    let mut meant = meant.filter(|(meant, _)| is_slip(word, meant));
    let (_, asking) = meant.next().filter(|_| !is_any_word(word))?;
    Some(*asking)
}

/// The word of offices that this one is one slip away from.
pub(crate) fn mistyped_office(word: &str) -> Option<&'static str> {
    let words = ASKING.iter().map(|(word, _)| *word).chain(OFFICES);
    let mut meant = words.filter(|meant| may_be_slip(word, meant) && is_slip(word, meant));
    meant.next().filter(|_| !is_any_word(word))
}

/// What most words fail on: hands seldom slip at the first letter.
fn may_be_slip(word: &str, meant: &str) -> bool {
    word.len() >= LEAST
        && word.len().abs_diff(meant.len()) <= 1
        && word.bytes().next() == meant.bytes().next()
}

fn is_slip(word: &str, meant: &str) -> bool {
    slip_between(word.as_bytes(), meant.as_bytes()).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_words_are_found_by_one_slip() {
        for (word, asking) in [
            ("securty", Some(Asking::Trade)),
            ("secruity", Some(Asking::Trade)),
            ("acount", Some(Asking::Surely)),
            ("accuont", Some(Asking::Surely)),
            ("verfication", Some(Asking::Surely)),
            ("verificatiom", Some(Asking::Surely)),
            ("suport", Some(Asking::Trade)),
            ("recovry", Some(Asking::Trade)),
            ("pasword", Some(Asking::Surely)),
            // Words of their own, other first letters, two slips.
            ("recover", None),
            ("passport", None),
            ("discount", None),
            ("eccount", None),
            ("secuty", None),
            ("accord", None),
            ("sécurity", None),
            ("", None),
        ] {
            assert_eq!(mistyped(word), asking, "{word}");
        }
        assert_eq!(mistyped_office("custmer"), Some("customer"));
        assert_eq!(mistyped_office("securty"), Some("security"));
        assert_eq!(mistyped_office("customs"), None);
    }
}
