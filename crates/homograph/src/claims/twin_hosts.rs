//! Two hosts of which one is made to be taken for the other, whoever they belong to: what a text shows beside where it
//! leads, a sender beside the address for answers.

use crate::Judgement;
use crate::characters::letters;
use crate::characters::lookalike::{Look, likeness};
use crate::characters::reading::{LabelChars, Likeness};
use crate::hosts::host_words::{is_beside, surely_asks};
use crate::protected::beyond_ascii::as_german_writes;
use crate::protected::names::Names;
use crate::protected::near::read_with_pair;
use crate::protected::organisations::registrable_label;
use crate::spelling::domain::{Section, end_alike, is_or_below, registrable};

/// Letters of a label that no other comes near by chance.
const LEAST: usize = 5;

/// Dots of the shortest host that has a domain in front of another: `a.b.c.d`.
pub(super) const LEAST_DOTS: usize = 3;

/// Whether the labels that two hosts have under the same suffix read as one: `example.com` and `exarnple.com`,
/// `exampIe.com`, `exаmple.com`. A plain letter for an accented one is no lure, nor is one that the language of the
/// country has.
pub fn are_twin_hosts(one: &Judgement, other: &Judgement) -> bool {
    // Most hosts have different suffixes.
    if !end_alike(&one.ascii, &other.ascii) {
        return false;
    }
    let (Some((one, suffix)), Some((other, other_suffix))) = (chosen(one), chosen(other)) else {
        return false;
    };
    one != other
        && suffix == other_suffix
        && !is_german_spelling(one, other, suffix)
        && (reads_as(one, other, suffix) || reads_as(other, one, suffix))
}

/// The label that was registered, as it is shown, and its suffix in ASCII form.
fn chosen(host: &Judgement) -> Option<(&str, &str)> {
    let (_, suffix) = registrable(&host.ascii, Section::Private)?.split_once('.')?;
    let below = suffix.split('.').count();
    Some((host.unicode.rsplit('.').nth(below)?, suffix))
}

/// Whether a label is one that a reader takes for the other.
fn reads_as(label: &str, other: &str, suffix: &str) -> bool {
    if label.chars().count().min(other.chars().count()) < LEAST {
        return false;
    }
    let chars = LabelChars::of(label.chars());
    let Some(how) = likeness(chars.all(), &Look::new(other)) else {
        return label.is_ascii()
            && read_with_pair(label.as_bytes(), |_| true).any(|read| read == other);
    };
    match how {
        Likeness::Same => false,
        Likeness::Faint | Likeness::Ascii => other.is_ascii(),
        Likeness::Marks | Likeness::Hidden => other.is_ascii() && !is_native(label, suffix),
        Likeness::Foreign | Likeness::Alike | Likeness::Rough => true,
    }
}

/// Whether two labels are one word where ß is a letter of the country, with it and with `ss`, as firms register both; its
/// umlauts may be written out as well.
fn is_german_spelling(one: &str, other: &str, suffix: &str) -> bool {
    (one.contains('ß') || other.contains('ß'))
        && is_native("ß", suffix)
        && as_german_writes(one) == as_german_writes(other)
}

/// Whether all letters of a label are those of a language of the top-level domain.
fn is_native(label: &str, suffix: &str) -> bool {
    let home = letters::official(suffix.rsplit('.').next().unwrap_or_default());
    label.chars().all(|c| c.is_ascii() || !letters::main(c).and(home).is_empty())
}

/// Whether the domain of a host stands in front of another domain, as its owner's host would begin:
/// `www.example.com.login.top`. Carriers and proxies write the hosts of others so.
pub fn stands_in_front(name: &str, host: &str, protected: &Names) -> bool {
    if host.bytes().filter(|byte| *byte == b'.').count() < LEAST_DOTS {
        return false;
    }
    let of = |host| registrable(host, Section::Private);
    let (Some(name), Some(own)) = (of(name), of(host)) else { return false };
    let front = host.strip_suffix(own).and_then(|front| front.strip_suffix('.'));
    let Some(front) = front.filter(|front| front.len() >= name.len()) else { return false };
    let is_carried = || protected.organisations().is_some_and(|table| table.carries(host));
    let ends = front.match_indices('.').map(|(at, _)| at).chain([front.len()]);
    let mut fronts = ends.filter_map(|end| front.get(..end));
    registrable_label(name).is_some_and(|label| label.len() >= LEAST)
        && fronts.any(|front| is_or_below(front, name))
        && !is_carried()
}

/// Whether the label of a host is that of a name beside words of offices of which one asks for something
/// (`example-login.com` beside `example.com`): no further site of the same owner is named so.
pub fn asks_beside(name: &str, host: &str, protected: &Names) -> bool {
    // What most fail on: a label of the name stands in the host with a word beside it.
    let stands =
        |label: &str| label.len() >= LEAST && label.len() < host.len() && host.contains(label);
    if !name.split('.').any(stands) {
        return false;
    }
    let label = |host| registrable_label(registrable(host, Section::Private)?);
    let (Some(name), Some(label)) = (label(name), label(host)) else { return false };
    let table = protected.organisations();
    name.len() >= LEAST && is_beside(label, name, table, surely_asks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Names, tests::context};
    use uts58::tlds::TldTable;

    fn judged(host: &str) -> Judgement {
        let (protected, none) = (Names::builtin(), Names::default());
        let tlds = TldTable::new(["com", "de", "fr", "at", "ch"], "");
        crate::judge(host, &context(&protected, &none, &tlds))
    }

    #[test]
    fn what_reads_as_one_host() {
        for (one, other, are) in [
            ("meridian-supplies.com", "meridian-suppIies.com", true),
            ("www.meridian-supplies.com", "pay.rneridian-supplies.com", true),
            ("cloud-depot.com", "doud-depot.com", true),
            ("wavetech.com", "vvavetech.com", true),
            ("northport.com", "n0rthport.com", true),
            ("meridian.com", "meridiаn.com", true),
            ("meridian.com", "mérïdian.com", true),
            ("meridian.com", "meridian.com", false),
            ("meridian.com", "meridian.de", false),
            ("meridian.com", "meridians.com", false),
            ("meridian-supplies.com", "meridiansupplies.com", false),
            ("muller.de", "müller.de", false),
            ("mueller.de", "müller.de", false),
            ("weiss-it.de", "weiß-it.de", false),
            ("schloss-kuehn.at", "schloß-kühn.at", false),
            ("strasse.ch", "straße.ch", false),
            ("password.com", "paßword.com", true),
            ("essen-tours.fr", "eßen-tours.fr", true),
            ("weib-it.de", "weiß-it.de", true),
            ("weiss-it.de", "weiß-lt.de", true),
            ("societe.fr", "société.fr", false),
            ("societe.com", "société.com", true),
            ("bill.com", "biil.com", false),
        ] {
            let (one_host, other_host) = (judged(one), judged(other));
            assert_eq!(are_twin_hosts(&one_host, &other_host), are, "{one} {other}");
            assert_eq!(are_twin_hosts(&other_host, &one_host), are, "{other} {one}");
        }
    }

    #[test]
    fn a_name_beside_words_that_ask() {
        let names = Names::builtin();
        for (name, host, asks) in [
            ("www.meridian.com", "meridian-login.com", true),
            ("meridian.com", "www.my-meridian-account.top", true),
            ("meridian.com", "meridian.com", false),
            ("meridian.com", "meridian-security.com", false),
            ("meridian.com", "meridian-shop.com", false),
            ("meridian.com", "meridian-fans-login.com", false),
            ("meridian.com", "premeridian-login.com", false),
        ] {
            assert_eq!(asks_beside(name, host, &names), asks, "{name} {host}");
        }
    }

    #[test]
    fn a_domain_in_front_of_another() {
        let names = Names::builtin();
        for (name, host, is) in [
            ("meridian.com", "meridian.com.login.top", true),
            ("www.meridian.com", "www.meridian.com.login.top", true),
            ("meridian.com", "pay.meridian.com.x.login.top", true),
            ("meridian.com", "meridian.com.au", false),
            ("meridian.com", "www.meridian.com", false),
            ("meridian.com", "xmeridian.com.login.top", false),
            ("meridian.com", "meridian.com.edgekey.net", false),
            ("meridian.com", "www.meridian.com.ezproxy.example.edu", false),
            ("meridian.com", "meridian.com.s3.amazonaws.com", false),
            ("fine.com", "fine.com.login.top", false),
        ] {
            assert_eq!(stands_in_front(name, host, &names), is, "{name} {host}");
        }
    }
}
