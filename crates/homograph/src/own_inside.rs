//! The names of the recipients and of the operator inside hosts of others: beside what a company has for its own people,
//! and of names with letters beyond ASCII what `name_in_host` finds of others.

use super::Judgement;
use super::domain::{Section, registrable};
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

/// Maximum number of names that hosts are searched for.
const NAMES: usize = 64;

/// The name of the recipients or the operator that stands in a host of somebody else, in ASCII form.
pub fn own_inside(host: &Judgement, protected: &Names, own: &Names) -> Option<String> {
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
        let brand = name.labels.get(name.brand).map_or("", |(brand, _)| brand);
        // Of ASCII the rest is found as that of names that everybody knows.
        let beyond = || in_front(front, name) || is_slip(chosen, brand);
        is_beside(chosen, brand, table) || !brand.is_ascii() && beyond()
    });
    found.map(|name| name.ascii.to_string())
}

/// Letters of the shortest name that counts.
const LEAST: usize = 5;

/// Whether a label is a brand beside words of offices, or with such a word glued to it.
fn is_beside(label: &str, brand: &str, table: Option<&Organisations>) -> bool {
    let Some(at) = label.find(brand) else { return false };
    let (front, back) = label.split_at(at);
    let back = back.get(brand.len()..).unwrap_or_default();
    let (before, behind) =
        (front.trim_end_matches(SEPARATORS), back.trim_start_matches(SEPARATORS));
    let is_apart = (before.len() < front.len() || front.is_empty())
        && (behind.len() < back.len() || back.is_empty());
    if !is_apart {
        let glued = [front, back].concat();
        return glued.len() >= GLUED && STAFF.contains(&glued.as_str());
    }
    let mut words = before
        .split(SEPARATORS)
        .chain(behind.split(SEPARATORS))
        .filter(|word| !word.is_empty())
        .peekable();
    let mut some = false;
    let asks = |word: &str| STAFF.contains(&word) || !brand.is_ascii() && ASKING.contains(&word);
    words.peek().is_some()
        && words.all(|word| {
            some |= asks(word);
            asks(word) || is_filler(word, table)
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
            own_inside(&host, &protected, &own)
        };
        for host in [
            "harbourlight-hr.com",
            "owa-harbourlight.com",
            "harbourlightportal.com",
            "webmail.harbourlight-vpn.com",
            "harbourlightwebmail.com",
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
            "harbourlighthr.com",
            "bücher-meier.de",
            "bucher-meier.de",
            "bücher-müller.de",
            "example.com",
        ] {
            assert_eq!(inside(host), None, "{host}");
        }
    }
}
