//! The names of the recipients and of the operator inside hosts of others: beside what a company has for its own people,
//! and of names with letters beyond ASCII what `name_in_host` finds of others.

use crate::english;
use crate::hosts::host_words::{SEPARATORS, is_beside, surely_asks};
use crate::protected::name::Name;
use crate::protected::names::Names;
use crate::protected::organisations::{Organisations, registrable_label};
use crate::spelling::domain::{Section, registrable};
use crate::{Judgement, has_owner};

mod beyond_ascii;

pub use beyond_ascii::writes_out;

/// What a company has for its own people and names beside itself. Nobody else names a host after both.
#[rustfmt::skip]
const STAFF: [&str; 35] = [
    "401k", "adfs", "anyconnect", "citrix", "employees", "entra", "fax", "globalprotect", "hr", "intranet", "ithelp",
    "ithelpdesk", "itsupport", "o365", "onedrive", "onmicrosoft", "openenrollment", "owa", "payroll", "payslip",
    "payslips", "portal", "quarantine", "remittance", "saml", "scanner", "servicedesk", "sharepoint", "signon", "sso",
    "timesheets", "voicemail", "vpn", "webmail", "workday",
];

/// The same that are parts of other words, or products with names beside them: glued to a name they say nothing.
#[rustfmt::skip]
const APART: [&str; 11] = [
    "adp", "docusign", "encrypted", "okta", "remote", "rfq", "scan", "teams", "vendors", "wire", "zoom",
];

/// Letters of the shortest such word that is glued to a name.
const GLUED: usize = 5;

/// The same that is short, or that others put behind a name as well. Behind a short name, or one that is a word, it is
/// part of other names: `airmail`, `summitonline`.
const BEHIND: [&str; 3] = ["hr", "mail", "online"];

/// Letters of the shortest name with such a word behind it.
const LEAST_BEFORE: usize = 6;

/// Who sends a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Correspondent {
    /// One of the recipients' own house, who knows its other domains: `harbouronline.com`.
    Colleague,
    /// Whoever is none of them.
    Anybody,
}

/// The name of the recipients or the operator that stands in a host of somebody else, in ASCII form.
pub fn own_inside(
    host: &Judgement,
    (protected, own): (&Names, &Names),
    writer: Correspondent,
) -> Option<String> {
    let searched = Searched { sets: [own, protected], table: protected.organisations() };
    if searched.is_empty() || own.covers(&host.ascii) || protected.covers(&host.ascii) {
        return None;
    }
    let labels: Vec<&str> = host.unicode.split('.').collect();
    let below = registrable(&host.ascii, Section::Icann)?.split('.').count();
    let at = labels.len().checked_sub(below)?;
    let (front, chosen) = (labels.get(..at)?, *labels.get(at)?);
    let before_word = || match writer {
        Correspondent::Anybody => searched.before_word(chosen, protected),
        Correspondent::Colleague => None,
    };
    let found = searched.staffed(chosen).or_else(before_word);
    // Of names in ASCII the rest is found as that of names that everybody knows.
    let found = found.or_else(|| beyond_ascii::find(&searched, &host.ascii, front, chosen))?;
    Some(found.ascii.to_string())
}

/// Letters of the shortest name that counts.
pub(super) const LEAST: usize = 5;

/// Words of a label at which a name may begin or end.
const WORDS: usize = 8;

/// The names that hosts are searched for.
pub(super) struct Searched<'n> {
    pub sets: [&'n Names; 2],
    pub table: Option<&'n Organisations>,
}

impl<'n> Searched<'n> {
    fn is_empty(&self) -> bool {
        self.sets.iter().all(|names| names.chosen().is_empty())
    }

    /// The name that a label is, letter by letter.
    fn spelled(&self, label: &str) -> Option<&'n Name> {
        let mut named = self.sets.iter().flat_map(|names| names.chosen_as(label));
        named.find(|name| name.letters() >= LEAST)
    }

    /// The name in a label beside words that only a company's own people see, apart or glued to it.
    fn staffed(&self, label: &str) -> Option<&'n Name> {
        let asks = |word: &str| STAFF.contains(&word) || APART.contains(&word);
        let is_apart = label.contains(SEPARATORS) && label.split(SEPARATORS).any(asks);
        let is_beside = |run: &&str| is_beside(label, run, self.table, asks);
        let mut runs = is_apart.then(|| runs(label)).into_iter().flatten();
        let apart = runs.find_map(|run| self.spelled(run).filter(|_| is_beside(&run)));
        apart.or_else(|| {
            let long = STAFF.iter().filter(|word| word.len() >= GLUED);
            let mut rests =
                long.flat_map(|word| [label.strip_prefix(word), label.strip_suffix(word)]);
            rests.find_map(|rest| self.spelled(rest?))
        })
    }

    /// The name that is no word in front of one of [`BEHIND`], unless both are that of a name that everybody knows
    /// (`dailymail`).
    fn before_word(&self, label: &str, protected: &Names) -> Option<&'n Name> {
        let mut words = BEHIND.iter();
        let rest = words.find_map(|word| label.strip_suffix(word))?;
        let rest = rest.strip_suffix('-').unwrap_or(rest);
        let counts = |name: &&Name| name.letters() >= LEAST_BEFORE;
        self.spelled(rest).filter(counts).filter(|_| {
            !english::is_any_word(rest)
                && !protected.has_label(label)
                && !protected.known().any(|known| known.has_label(label))
        })
    }
}

/// Whether the host of a sender is named after a word, which is also the recipients' own name, and a further one:
/// `trustbank.example` has nothing to do with `trust.example`. It is of an organisation that is known, or the further word
/// is not what a company has for its own people, and asks for nothing.
pub fn is_namesake(host: &str, own: &str, protected: &Names) -> bool {
    let label = |host| registrable_label(registrable(host, Section::Icann)?);
    let (Some(label), Some(own)) = (label(host), label(own)) else { return false };
    let Some(further) = label.strip_prefix(own) else { return false };
    let further = further.strip_prefix('-').unwrap_or(further);
    let is_inner = |word: &str| {
        STAFF.contains(&word)
            || APART.contains(&word)
            || BEHIND.contains(&word)
            || surely_asks(word)
            || protected.organisations().is_some_and(|table| table.is_inner_office(word))
    };
    !further.is_empty()
        && (has_owner(host, protected)
            || further.len() >= NAMING
                && english::is_any_word(own)
                && !further.split('-').any(is_inner))
}

/// Letters of a word that makes another name of a word before it, at least.
const NAMING: usize = 4;

/// The runs of words of a label.
pub(super) fn runs(label: &str) -> impl Iterator<Item = &str> {
    let signs = || label.match_indices(SEPARATORS).map(|(at, _)| at).take(WORDS);
    let starts = std::iter::once(0).chain(signs().map(|at| at + 1));
    starts.flat_map(move |start| {
        let ends = signs().chain([label.len()]).filter(move |end| *end > start);
        ends.filter_map(move |end| label.get(start..end))
    })
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
            own_inside(&host, (&protected, &own), Correspondent::Anybody)
        };
        for host in [
            "harbourlight-hr.com",
            "owa-harbourlight.com",
            "harbourlightportal.com",
            "webmail.harbourlight-vpn.com",
            "harbourlightwebmail.com",
            "harbourlight-onmicrosoft.com",
            "harbourlightservicedesk.com",
            "harbourlight-payslips.com",
            "harbourlight-teams.com",
            "scan-harbourlight.com",
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
            "harbourlightteams.com",
            "harbourlightzoom.com",
            "harbourlight-jobs.com",
            "harbourlight-teamsport.com",
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
            assert_eq!(of(Correspondent::Colleague), None);
            of(Correspondent::Anybody)
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
