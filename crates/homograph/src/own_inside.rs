//! The names of the recipients and of the operator inside hosts of others: beside what a company has for its own people,
//! and of names with letters beyond ASCII what `name_in_host` finds of others.

use super::Judgement;
use super::domain::{Section, registrable};
use super::english;
use super::host_words::{ASKING, SEPARATORS, is_filler};
use super::name::{Name, Reach};
use super::names::Names;
use super::near::MIN_LETTERS;
use super::organisations::Organisations;

/// What a company has for its own people and names beside itself. Nobody else names a host after both.
#[rustfmt::skip]
const STAFF: [&str; 16] = [
    "citrix", "fax", "hr", "intranet", "o365", "owa", "payroll", "portal", "quarantine", "remittance", "scanner",
    "sharepoint", "sso", "voicemail", "vpn", "webmail",
];

/// Letters of the shortest such word that is glued to a name.
const GLUED: usize = 5;

/// The same that is short, or that others put behind a name as well. Behind a short name, or one that is a word, it is
/// part of other names: `airmail`, `summitonline`.
const BEHIND: [&str; 3] = ["hr", "mail", "online"];

/// Letters of the shortest name with such a word behind it.
const LEAST_BEFORE: usize = 6;

/// Maximum number of names that hosts are searched for.
const NAMES: usize = 64;

/// Who sends a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writer {
    /// One of the recipients' own house, who knows its other domains: `harbouronline.com`.
    Colleague,
    /// Whoever is none of them.
    Anybody,
}

/// The name of the recipients or the operator that stands in a host of somebody else, in ASCII form.
pub fn own_inside(
    host: &Judgement,
    (protected, own): (&Names, &Names),
    writer: Writer,
) -> Option<String> {
    let counts = |name: &&Name| name.reach == Reach::Brand && name.brand_len() >= LEAST;
    let names = own.chosen().iter().chain(protected.chosen()).take(NAMES);
    let mut names = names.filter(counts).peekable();
    names.peek()?;
    if own.covers(&host.ascii) || protected.covers(&host.ascii) {
        return None;
    }
    let table = protected.organisations();
    let labels: Vec<&str> = host.unicode.split('.').collect();
    let below = registrable(&host.ascii, Section::Icann)?.split('.').count();
    let registrable = labels.len().checked_sub(below)?;
    let (front, chosen) = (labels.get(..registrable)?, *labels.get(registrable)?);
    let found = names.find(|name| {
        let brand = name.label();
        // Of ASCII the rest is found as that of names that everybody knows.
        let beyond = || in_front(front, name) || is_slip(chosen, brand);
        let asks =
            |word: &str| STAFF.contains(&word) || !brand.is_ascii() && ASKING.contains(&word);
        is_beside(chosen, brand, table, asks)
            || is_glued(chosen, brand)
            || writer == Writer::Anybody && is_before_word(chosen, brand, protected)
            || !brand.is_ascii() && beyond()
    });
    found.map(|name| name.ascii.to_string())
}

/// Letters of the shortest name that counts.
const LEAST: usize = 5;

/// Whether a label is a brand with a word of its staff glued to it.
fn is_glued(label: &str, brand: &str) -> bool {
    let mut glued = [label.strip_prefix(brand), label.strip_suffix(brand)].into_iter().flatten();
    glued.any(|word| word.len() >= GLUED && STAFF.contains(&word))
}

/// Whether a label is a brand that is no word with one of [`BEHIND`], and not that of a name that everybody knows
/// (`dailymail`).
fn is_before_word(label: &str, brand: &str, protected: &Names) -> bool {
    let word = label.strip_prefix(brand).map(|word| word.strip_prefix('-').unwrap_or(word));
    word.is_some_and(|word| BEHIND.contains(&word))
        && brand.chars().count() >= LEAST_BEFORE
        && !english::is_any_word(brand)
        && !protected.has_label(label)
        && !protected.known().any(|known| known.has_label(label))
}

/// Whether a label is a brand beside words of offices, of which one asks.
pub(super) fn is_beside(
    label: &str,
    brand: &str,
    table: Option<&Organisations>,
    asks: impl Fn(&str) -> bool,
) -> bool {
    let Some((front, back)) = label.split_once(brand) else { return false };
    let is_apart = (front.is_empty() || front.ends_with(SEPARATORS))
        && (back.is_empty() || back.starts_with(SEPARATORS));
    let words = front.split(SEPARATORS).chain(back.split(SEPARATORS));
    let mut words = words.filter(|word| !word.is_empty());
    let mut some = false;
    is_apart
        && words.all(|word| {
            let asks = asks(word);
            some |= asks;
            asks || is_filler(word, table)
        })
        && some
}

/// Whether a name stands in full in these labels, with dots or with hyphens for them.
fn in_front(labels: &[&str], name: &Name) -> bool {
    let own = || name.labels.iter().skip(name.brand).map(|(label, _)| label.as_ref());
    let length = own().count();
    let hyphenated: Vec<&str> = own().collect();
    let hyphenated = hyphenated.join("-");
    labels.windows(length).any(|labels| labels.iter().copied().eq(own()))
        || labels.iter().any(|label| label.trim_start_matches("www-") == hyphenated)
}

/// Whether a label differs from a name by one letter: one more, less or different. Plain letters for all accented ones
/// are how people without its keyboard write it.
fn is_slip(one: &str, other: &str) -> bool {
    if one.is_ascii() || one == other {
        return false;
    }
    let letters = |word: &str| word.chars().collect::<Vec<char>>();
    let (one, other) = (letters(one), letters(other));
    if one.len().min(other.len()) < MIN_LETTERS || one.len().abs_diff(other.len()) > 1 {
        return false;
    }
    let front = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let back = one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
    front + back + 1 >= one.len().max(other.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use uts58::tlds::TldTable;

    #[test]
    fn names_of_the_recipients_inside_hosts_of_others() {
        let (protected, none) = (Names::builtin(), Names::default());
        let own = Names::new(["harbourlight.org", "bücher-meier.de", "мойбанк.рф"]);
        let tlds = TldTable::new(["com", "de", "org", "рф"], "");
        let inside = |host: &str| {
            let host = crate::judge(host, &crate::tests::context(&protected, &none, &tlds));
            own_inside(&host, (&protected, &own), Writer::Anybody)
        };
        for host in [
            "harbourlight-hr.com",
            "owa-harbourlight.com",
            "harbourlightportal.com",
            "webmail.harbourlight-vpn.com",
            "harbourlightwebmail.com",
            "harbourlighthr.com",
            "harbourlightmail.com",
            "login.harbourlight-mail.com",
            "harbourlightonline.de",
        ] {
            assert_eq!(inside(host).as_deref(), Some("harbourlight.org"), "{host}");
        }
        for host in [
            "login.bücher-meier.de.example.com",
            "bücher-meier-login.de",
            "bücer-meier.de",
            "bücher-meier-de.example.com",
            "мойбанк.рф.example.com",
            "мойанк.рф",
        ] {
            assert!(inside(host).is_some(), "{host}");
        }
        for host in [
            "www.harbourlight.org",
            "harbourlight.com",
            "harbourlight-fans.com",
            "theharbourlight.com",
            "harbourlightmailing.com",
            "mailharbourlight.com",
            "harbourlightshop.com",
            "harbourlightonlineshop.com",
            "bücher-meier.de",
            "bucher-meier.de",
            "bücher-müller.de",
            "example.com",
        ] {
            assert_eq!(inside(host), None, "{host}");
        }
    }

    #[test]
    fn short_words_behind_short_and_ordinary_names() {
        let (protected, none) = (Names::builtin(), Names::default());
        let tlds = TldTable::new(["com", "de", "org", "uk"], "");
        let inside = |host: &str, own: &str| {
            let host = crate::judge(host, &crate::tests::context(&protected, &none, &tlds));
            let names = Names::new([own]);
            let of = |writer| own_inside(&host, (&protected, &names), writer);
            assert_eq!(of(Writer::Colleague), None);
            of(Writer::Anybody)
        };
        for (host, own) in [
            ("airmail.com", "air.org"),
            ("hotmail.com", "hot.org"),
            ("gmail.com", "g.org"),
            ("gmailonline.com", "gmail.com"),
            ("dailymail.co.uk", "daily.com"),
            ("worldmail.com", "world.org"),
            ("capitalonline.com", "capital.org"),
            ("internationalmail.com", "international.org"),
            ("oceanmail.com", "ocean.org"),
            ("harbourmail.org", "harbourmail.org"),
        ] {
            assert_eq!(inside(host, own), None, "{host} {own}");
        }
        for host in ["harbourmail.com", "harbourhr.com", "harbouronline.com", "harbour-mail.com"] {
            assert_eq!(inside(host, "harbour.org").as_deref(), Some("harbour.org"), "{host}");
        }
    }
}
