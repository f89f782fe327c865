//! An office that customers turn to right beside a name that is a word: whose it is, whatever else a text says
//! (`Ann - Chase Support`, `Chase Fraud Department Ann Lee`).
//!
//! People and firms have such a name beside others of their own (`Mary Chase Support`, `Apple Tree Support Group`): so a
//! sign parts name and office from what leads, and no word behind them makes another thing of the office.

use std::ops::Range;

use super::Sender;
use super::offices::WordBeside;
use crate::protected::display_text::{DisplayText, in_lower_case, is_letter, plain_letters};
use crate::protected::organisations::{Counts, Organisations, registrable_label};
use crate::spelling::domain::{Section, registrable};
use crate::spelling::form::HostForms;

/// Words that lead to a name as a sign does.
const LEADS: [&str; 14] = [
    "at", "bei", "by", "chez", "dein", "from", "ihr", "mein", "my", "our", "the", "via", "with",
    "your",
];

/// Words that make another thing of an office in front of them: `Orange Support Network Berlin`.
#[rustfmt::skip]
const COMPOUNDS: [&str; 44] = [
    "ag", "agency", "animals", "association", "bv", "charity", "church", "circle", "club", "co", "coalition", "college",
    "community", "company", "consultants", "consulting", "corp", "engineering", "forum", "foundation", "fund", "gmbh",
    "group", "groups", "gruppe", "inc", "intern", "internal", "international", "limited", "llc", "ltd", "network",
    "networks", "partners", "services", "society", "solutions", "staffing", "systems", "training", "trust", "union", "university",
];

/// Letters of a word by which a domain is that of the sender.
const LEAST_OWN: usize = 4;

impl DisplayText {
    /// Whether such an office stands there, and the sender does not say that it is its own.
    pub(super) fn has_office_right_beside(
        &self,
        table: Option<&Organisations>,
        Range { start, end }: Range<usize>,
        sender: Sender<'_>,
    ) -> bool {
        let Some(table) = table else { return false };
        let parts = |at: usize| at >= self.shown() || self.follows_sign(at);
        let behind = || self.leads_to(start) && self.is_office_behind(end, table);
        let before = || parts(end) && self.is_office_before(start, table);
        (behind() || before()) && !self.is_of_domain(start..end, table, sender)
    }

    /// Whether nothing leads to the name that may be a part of it.
    fn leads_to(&self, start: usize) -> bool {
        let before = self.bounds.iter().copied().rfind(|bound| *bound < start);
        let Some(before) = before.filter(|_| !self.follows_sign(start)) else { return true };
        let word = self.plain(before, start);
        LEADS.contains(&&*word) || word.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// Whether the words that follow are such an office, and no other thing with a further word.
    fn is_office_behind(&self, end: usize, table: &Organisations) -> bool {
        let (mut at, mut found, mut last) = (end, false, end..end);
        while at < self.shown() && !self.follows_sign(at) {
            let WordBeside::Office(to) =
                self.beside(Some(table), Counts::Anywhere, at, self.shown())
            else {
                break;
            };
            // `Customer Services` is one.
            let is_joined = self.turned_to(last.start..to, table);
            if self.is_compound(at) && !is_joined {
                return false;
            }
            found |= is_joined || self.turned_to(at..to, table);
            (last, at) = (at..to, to);
        }
        found && (at >= self.shown() || self.follows_sign(at) || !self.is_compound(at))
    }

    /// Whether the words in front are such an office, parted from what leads to them.
    fn is_office_before(&self, start: usize, table: &Organisations) -> bool {
        if self.follows_sign(start) {
            return false;
        }
        // Four words are the longest office.
        let starts = self.bounds.iter().copied().rev().filter(|bound| *bound < start).take(4);
        let mut longest_first = starts.collect::<Vec<_>>().into_iter().rev();
        longest_first.any(|from| {
            self.turned_to(from..start, table) && (from == 0 || self.follows_sign(from))
        })
    }

    fn turned_to(&self, Range { start, end }: Range<usize>, table: &Organisations) -> bool {
        let spelled = || in_lower_case(self.letters.get(start..end).unwrap_or_default());
        table.is_customer_office(&self.plain(start, end)) || table.is_customer_office(&spelled())
    }

    /// Whether the word that begins here makes another thing of the office in front of it.
    fn is_compound(&self, start: usize) -> bool {
        let end = self.bounds.iter().copied().find(|bound| *bound > start).unwrap_or(start);
        COMPOUNDS.contains(&&*self.plain(start, end))
    }

    /// Whether the domain that the sender registered has a word of the text that is neither the name nor of an office.
    fn is_of_domain(&self, name: Range<usize>, table: &Organisations, sender: Sender<'_>) -> bool {
        let Some(label) = registrable_label(sender.host) else { return false };
        if table.is_anybodys(sender.host) {
            return false;
        }
        if sender.local.contains(&self.plain(name.start, name.end)) && is_of_school(sender.host) {
            return true;
        }
        let label = plain_letters(HostForms::read(label).unicode.chars().filter(|c| is_letter(*c)));
        let is_own = |word: Range<usize>| {
            let text = self.plain(word.start, word.end);
            text.chars().count() >= LEAST_OWN
                && label.contains(&text)
                && !self.is_office(Some(table), Counts::Anywhere, word.start, word.end)
        };
        let shown = self.shown();
        let mut words = self.words_in(0..name.start).chain(self.words_in(name.end..shown));
        words.any(is_own)
    }

    /// Where the letters end that are shown.
    fn shown(&self) -> usize {
        self.far.unwrap_or(self.letters.len())
    }
}

/// Whether a host is of a school, which has offices for the programs of others: `zoom@example.edu`.
fn is_of_school(host: &str) -> bool {
    let suffix = registrable(host, Section::Icann).and_then(|domain| domain.split_once('.'));
    suffix.is_some_and(|(_, suffix)| match suffix.split_once('.') {
        Some((first, _)) => matches!(first, "ac" | "edu"),
        None => suffix == "edu",
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::posed;

    #[test]
    fn an_office_right_beside_a_name_is_its_owners() {
        for (text, name) in [
            ("Anna - Chase Support", "chase.com"),
            ("Anna | Chase Support", "chase.com"),
            ("Anna from Chase Support", "chase.com"),
            ("Chase Fraud Department Anna Lee", "chase.com"),
            ("Anna Lee, Apple Customer Service", "apple.com"),
            ("Apple Customer Service Anna", "apple.com"),
            ("Apple Customer Services Anna", "apple.com"),
            ("Ms. Smith (Apple Support)", "apple.com"),
            ("Apple Security Team (Anna)", "apple.com"),
            ("Apple Support q7x", "apple.com"),
            ("Apple Support & Anna", "apple.com"),
            ("Apple Support [Anna]", "apple.com"),
            ("Apple Support for bob", "apple.com"),
            ("Apple Support to bob@example.org", "apple.com"),
            ("Apple Costumer Support Anna", "apple.com"),
            ("Apple Podderzhka Anna", "apple.com"),
            ("Anna - Soporte Apple", "apple.com"),
            ("Soporte Apple - Anna", "apple.com"),
            ("Anna - Orange Service Client", "orange.fr"),
            ("Apple サポート Anna", "apple.com"),
            ("苹果客服 小王", "apple.com"),
            ("Xbox Support Anna", "microsoft.com"),
        ] {
            assert_eq!(posed(text, "x@evil.example").as_deref(), Some(name), "{text}");
        }
    }

    #[test]
    fn offices_that_are_mistyped_are_read() {
        for office in
            ["Suport", "Securty", "Costumer Support", "Verfication", "Acount Team", "Supp0rt"]
        {
            let text = format!("Apple {office}");
            assert_eq!(posed(&text, "x@evil.example").as_deref(), Some("apple.com"), "{text}");
        }
    }

    #[test]
    fn people_and_firms_with_such_a_name_are_not_the_owner() {
        for text in [
            "Apple Tree Support Group",
            "Orange County Support",
            "Target Archery Club Support",
            "Orange Support Network Berlin",
            "Orange Support Services Berlin",
            "Apple Support intern",
            "City of Delta Billing",
            "Delta Security Systems",
            "Halifax Security Anna",
            "Square Recovery Anna",
            "Target Account Manager",
            "Target Customer Research",
            "Orange Customer Service Training",
            "Mary Chase Support",
            "Mary Chase - Support",
            "Mary Chase, Customer Support",
            "Customer Support - Mary Chase",
            "Customer Support Mary Chase",
            "Support - Chase, Mary",
            "Dr. Chase Support",
            "Support Del Chase",
            "IT Support Chase Miller",
            "Mary-Chase Support",
            "Apple Pie Support",
        ] {
            assert_eq!(posed(text, "x@evil.example"), None, "{text}");
        }
        for (text, host) in [
            ("Zoom Support Harbour University", "harbour.example"),
            ("Target Support (Archery)", "targetarchery.example"),
            ("Weber IT - Outlook Support", "weber-it.example"),
        ] {
            assert_eq!(posed(text, &format!("x@{host}")), None, "{text} {host}");
            assert!(posed(text, "x@gmail.com").is_some(), "{text}");
        }
        for (address, is) in [
            ("zoom@harbour.ac.at", false),
            ("zoom.support@harbour.edu", false),
            ("ann@harbour.ac.at", true),
            ("zoom@harbour.at", true),
            ("zoom@ac.example", true),
        ] {
            assert_eq!(posed("Zoom Support ZID", address).is_some(), is, "{address}");
        }
    }
}
