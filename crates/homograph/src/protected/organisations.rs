//! Organisations: which domains belong to one owner, and its names.
//!
//! Tables, all data: `organisations.txt` has the domains and names of each owner, `roles.txt` words
//! that do not identify a sender (`Support`, `Kundenservice`), `carriers.txt` hosts below which the
//! names of others are used. Hosts are judged by domains alone: without the feature `senders`
//! `data/owners.txt` is the first table, without names and without owners that have nothing to do with
//! a protected name.

#[cfg(feature = "senders")]
pub mod claimed;
#[cfg(feature = "senders")]
mod labels;
#[cfg(feature = "senders")]
mod mistyped;
#[cfg(feature = "senders")]
mod native_slips;
#[cfg(feature = "senders")]
mod office_words;
#[cfg(feature = "senders")]
mod sign_twins;

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;
#[cfg(feature = "senders")]
use std::sync::LazyLock;

#[cfg(feature = "senders")]
use super::near::{is_drawn, keeps_word};
#[cfg(feature = "senders")]
use crate::characters::lookalike::{LABEL_CHARS, Look, likeness, name_look};
use crate::characters::lookalike::{LookHash, LookHasher};
#[cfg(feature = "senders")]
use crate::characters::reading::{LabelChars, Likeness};
use crate::rows::rows;
use crate::spelling::domain::{Section, and_above, is_hosted, registrable};
#[cfg(feature = "senders")]
pub(crate) use claimed::Counts;
#[cfg(feature = "senders")]
use claimed::{ClaimedNames, NativeNames};
#[cfg(feature = "senders")]
use labels::Labels;
#[cfg(feature = "senders")]
pub(crate) use mistyped::{Asking, mistyped};
#[cfg(feature = "senders")]
use office_words::OfficeWords;
use uts58::tlds::Fnv;

#[cfg(feature = "senders")]
const BUILTIN: &str = rows!("organisations.txt");
#[cfg(not(feature = "senders"))]
const BUILTIN: &str = rows!("../../data/owners.txt");

/// Hosts below which the names of customers stand as they are (`www.example.com.edgekey.net`):
/// delivery networks, measurement, the proxies of security services and of libraries, lists that
/// are asked by DNS; and `invalid`, which lists put behind addresses and which leads nowhere (RFC
/// 6761). A hyphen in front: in one label, hyphens for dots (`www-example-com.translate.goog`).
/// Hosters whose customers choose a name (`example.azurefd.net`) are none. Registries that
/// universities alone may ask: the proxies of their libraries write the hosts of others so. By
/// hand, from the documentation of each.
const CARRIERS: &str = rows!("carriers.txt");
const ROLES: &str = rows!("roles.txt");

/// Bytes of the table for each domain, somewhat below the average.
const BYTES_PER_DOMAIN: usize = 20;

/// Letters of the shortest word that is recognised in letters that look like its own.
const SHORTEST_IN_DISGUISE: usize = 4;

/// Letters of the shortest label that is looked up beside other words.
#[cfg(feature = "senders")]
const LABEL_LETTERS: usize = 5;

/// Letters of the shortest label that no other word comes near with marks.
#[cfg(feature = "senders")]
const ACCENTED_LETTERS: usize = 6;

/// Letters of the shortest label that no word of another alphabet reads as.
#[cfg(feature = "senders")]
const OTHER_LETTERS: usize = 7;

/// The tables, indexed by domain and by the looks of the names. Names, words and labels are read when the first message
/// asks for them: a command for one message asks for few.
#[derive(Debug)]
pub(crate) struct Organisations {
    rows: Vec<Organisation>,
    by_domain: HashMap<&'static str, Vec<(usize, DomainUse)>, ByText>,
    /// The labels of domains where anybody can have an address.
    anybodys: HashSet<&'static str, ByText>,
    roles: HashSet<&'static str, ByText>,
    /// The looks of those of some letters: `logln`.
    role_looks: HashSet<u64, BuildHasherDefault<LookHasher>>,
    carriers: HashMap<&'static str, Carrier, ByText>,
    /// A word in the labels of domains, their top-level domain, and the row of the federation whose members have them.
    #[cfg(feature = "senders")]
    members: Vec<(&'static str, &'static str, usize)>,
    #[cfg(feature = "senders")]
    labels: LazyLock<Labels>,
    #[cfg(feature = "senders")]
    words: LazyLock<OfficeWords>,
    /// None where the table protects nobody.
    #[cfg(feature = "senders")]
    claimed: LazyLock<ClaimedNames>,
    #[cfg(feature = "senders")]
    native: LazyLock<NativeNames>,
}

/// The tables are our own: nobody can choose keys that collide.
type ByText = BuildHasherDefault<Fnv>;

/// One owner.
#[derive(Clone, Debug, Default)]
struct Organisation {
    /// As in the table; the first one represents the organisation.
    domains: Vec<(&'static str, DomainUse)>,
}

/// Who has addresses and hosts of a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DomainUse {
    /// Only the organisation.
    Own,
    /// Anybody can have an address: mail from there is not the organisation's.
    Anybodys,
    /// Anybody can have a host: below the suffixes of hosters nothing is the organisation's.
    Customers,
}

/// How a carrier writes the host of a customer below its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carrier {
    /// Unchanged: `www.example.com.edgekey.net`.
    AsItIs,
    /// As one label: `www-example-com.translate.goog`.
    Hyphenated,
}

impl Organisations {
    pub(crate) fn builtin() -> Organisations {
        let carriers = CARRIERS.lines().map(|line| match line.strip_prefix('-') {
            Some(host) => (host, Carrier::Hyphenated),
            None => (line, Carrier::AsItIs),
        });
        let roles: HashSet<_, ByText> = ROLES.split_ascii_whitespace().collect();
        let long = roles.iter().filter(|role| role.len() >= SHORTEST_IN_DISGUISE);
        let mut table = Organisations {
            rows: Vec::new(),
            by_domain: HashMap::default(),
            anybodys: HashSet::default(),
            role_looks: long.map(|role| LookHash::of(role.as_bytes()).value()).collect(),
            roles,
            carriers: carriers.collect(),
            #[cfg(feature = "senders")]
            members: Vec::new(),
            #[cfg(feature = "senders")]
            labels: LazyLock::new(Labels::builtin),
            #[cfg(feature = "senders")]
            words: LazyLock::new(OfficeWords::builtin),
            #[cfg(feature = "senders")]
            claimed: LazyLock::new(ClaimedNames::builtin),
            #[cfg(feature = "senders")]
            native: LazyLock::new(NativeNames::builtin),
        };
        table.by_domain.reserve(BUILTIN.len() / BYTES_PER_DOMAIN);
        BUILTIN.lines().for_each(|line| table.add(line));
        table
    }

    /// The table without names: only ownership, office words and carriers.
    pub(super) fn without_names() -> Organisations {
        Organisations {
            #[cfg(feature = "senders")]
            claimed: LazyLock::new(ClaimedNames::default),
            #[cfg(feature = "senders")]
            native: LazyLock::new(NativeNames::default),
            ..Organisations::builtin()
        }
    }

    fn add(&mut self, line: &'static str) {
        let row = self.rows.len();
        let mut organisation = Organisation::default();
        #[cfg(feature = "senders")]
        {
            let domains = line.split(':').next().unwrap_or_default();
            let listed = domains.split_ascii_whitespace().filter_map(|word| word.strip_prefix('*'));
            let members = listed.filter_map(|member| member.split_once('.'));
            self.members.extend(members.map(|(word, suffix)| (word, suffix, row)));
        }
        for (domain, domain_use, _) in domains_of(line) {
            organisation.domains.push((domain, domain_use));
            if domain_use == DomainUse::Anybodys
                && let Some(label) = registrable_label(domain)
            {
                self.anybodys.insert(label);
            }
            self.by_domain.entry(domain).or_default().push((row, domain_use));
        }
        self.rows.push(organisation);
    }

    /// The organisations that the host (lower-case ASCII form) belongs to, nearest domain first.
    fn owners(&self, ascii: &str) -> impl Iterator<Item = usize> {
        let ascii = if is_rented(ascii) { "" } else { ascii };
        let rows = and_above(ascii).filter_map(|domain| self.by_domain.get(domain)).flatten();
        let owns = move |domain_use| domain_use != DomainUse::Customers || !is_hosted(ascii);
        rows.filter(move |(_, domain_use)| owns(*domain_use)).map(|(row, _)| *row)
    }

    /// The carrier that the host belongs to.
    pub(crate) fn carrier(&self, ascii: &str) -> Option<Carrier> {
        and_above(ascii).find_map(|end| self.carriers.get(end)).copied()
    }

    /// Whether the hosts of others are written in front of this one honestly: it is below a carrier, or is a proxy.
    #[cfg(feature = "senders")]
    pub(crate) fn carries(&self, ascii: &str) -> bool {
        ascii.contains("proxy") || self.carrier(ascii).is_some()
    }

    /// Whether the host, below a domain of the table, was given to a customer of its owner.
    pub(crate) fn is_customers(&self, domain: &str, ascii: &str) -> bool {
        let rows = self.by_domain.get(domain).into_iter().flatten();
        rows.into_iter().any(|(_, domain_use)| *domain_use == DomainUse::Customers)
            && is_hosted(ascii)
    }

    /// The domain of the table that this name is, unless its customers alone have hosts there.
    #[cfg(feature = "senders")]
    pub(crate) fn own_domain(&self, name: &str) -> Option<&'static str> {
        let (domain, rows) = self.by_domain.get_key_value(name)?;
        let is_own = rows.iter().any(|(_, domain_use)| *domain_use != DomainUse::Customers);
        is_own.then_some(*domain)
    }

    /// The domain whose label this is, without hyphens: if it is short, only beside words that surely ask.
    #[cfg(feature = "senders")]
    pub(crate) fn labelled(&self, name: &str, surely: bool) -> Option<&'static str> {
        let counts = surely || name.len() >= LABEL_LETTERS;
        counts.then(|| self.labels.by_name.get(name).copied()).flatten()
    }

    /// Whether a domain is the one that is named for its owner.
    #[cfg(feature = "senders")]
    pub(crate) fn represents(&self, domain: &str) -> bool {
        let mut rows = self.by_domain.get(domain).into_iter().flatten();
        rows.any(|(row, _)| self.domain(*row) == domain)
    }

    /// The domain whose label a label of another looks like, with other letters (`facebookrnail`), unless it is a word.
    #[cfg(feature = "senders")]
    pub(crate) fn drawn(&self, label: &str) -> Option<&'static str> {
        let mut look = LookHash::EMPTY;
        label.bytes().filter(|byte| *byte != b'-').for_each(|byte| look.ascii(byte));
        let domain = *self.labels.by_look.get(&look.value())?;
        let name = label.replace('-', "");
        let is_known = || self.labels.by_name.contains_key(&*name) || self.anybodys.contains(label);
        let is_part = || {
            let brand = registrable_label(domain).unwrap_or_default();
            keeps_word(name.as_bytes(), brand.as_bytes())
        };
        (is_drawn(name.as_bytes()) && !is_known() && !is_part()).then_some(domain)
    }

    /// The domain of whom a label in letters beyond Latin is the name but for a slip or signs that look alike.
    #[cfg(feature = "senders")]
    pub(crate) fn slipped(&self, label: &str) -> Option<&'static str> {
        let asks = |word: &str| self.asking_word(word).is_some();
        let row = self.native.slips.find(label);
        row.or_else(|| self.native.twins.find(label, asks)).map(|row| self.domain(row))
    }

    /// The domain whose label a label beyond ASCII reads as without the marks of its letters, hyphens aside. Names of
    /// countries are those of their people, with marks as well.
    #[cfg(feature = "senders")]
    pub(crate) fn accented(&self, label: &str) -> Option<&'static str> {
        // What most fail on.
        if !label.chars().all(is_of_latin) {
            return None;
        }
        let letters: String = label.chars().filter(|c| *c != '-').collect();
        let domain = *self.labels.by_look.get(&name_look(&letters, |_| {}))?;
        let name = registrable_label(domain)?.replace('-', "");
        let is_word = self.is_country(&name) || self.is_office_word(&name);
        let chars = LabelChars::of(letters.chars());
        let is_made_so = || likeness(chars.all(), &Look::new(&name)) >= Some(Likeness::Marks);
        (name.len() >= ACCENTED_LETTERS && !is_word && is_made_so()).then_some(domain)
    }

    /// The domain whose label a label in letters of another alphabet alone reads as, hyphens and digits aside:
    /// `мегсагі`.
    #[cfg(feature = "senders")]
    pub(crate) fn in_other_letters(&self, label: &str) -> Option<&'static str> {
        if label.is_ascii() {
            return None;
        }
        let letters = || label.chars().filter(|c| *c != '-');
        let mut look = LookHash::EMPTY;
        for c in letters().flat_map(char::to_lowercase).take(LABEL_CHARS) {
            let is_of_other = !is_of_latin(c) || c.is_ascii_digit();
            // What most fail on: few words of other alphabets read as one of Latin.
            if !is_of_other || !look.first_reading(c, |_| {}) {
                return None;
            }
        }
        let domain = *self.labels.by_look.get(&look.value())?;
        let name = registrable_label(domain)?.replace('-', "");
        let chars = LabelChars::of(letters());
        let reads_so = || likeness(chars.all(), &Look::new(&name)) >= Some(Likeness::Foreign);
        (name.len() >= OTHER_LETTERS && reads_so()).then_some(domain)
    }

    /// Whether both hosts belong to one owner and not to a customer; it does not matter who has
    /// addresses there.
    pub(crate) fn is_one_owner(&self, one: &str, other: &str) -> bool {
        self.owners(one).any(|row| self.owners(other).any(|owner| owner == row))
    }

    /// Whether anybody can have an address at this host, by the table or as a national site
    /// (`hotmail.fr`); the hosts below it are the organisation's.
    pub(crate) fn is_anybodys(&self, ascii: &str) -> bool {
        if let Some(rows) = self.by_domain.get(ascii) {
            return rows.iter().any(|(_, domain_use)| *domain_use == DomainUse::Anybodys);
        }
        let is_country = ascii.rsplit('.').next().is_some_and(|tld| tld.len() == 2);
        is_country
            && registrable(ascii, Section::Icann) == Some(ascii)
            && ascii.split('.').next().is_some_and(|label| self.is_anybodys_label(label))
    }

    fn is_anybodys_label(&self, label: &str) -> bool {
        label.len() > 2 && self.anybodys.contains(label)
    }

    /// Whether a word, in plain lower-case letters, does not identify a sender.
    pub(crate) fn is_role(&self, word: &str) -> bool {
        self.roles.contains(word)
    }

    /// Whether a reader takes a word of a host for such a one: `l0gin`.
    pub(crate) fn reads_as_role(&self, word: &str) -> bool {
        let look = || LookHash::of(word.as_bytes()).value();
        word.len() >= SHORTEST_IN_DISGUISE && self.role_looks.contains(&look())
    }
}

/// The domains of a row, who has addresses and hosts there, and whether the label is a word of its own.
fn domains_of(line: &str) -> impl Iterator<Item = (&str, DomainUse, bool)> {
    let domains = line.split(':').next().unwrap_or_default().split_ascii_whitespace();
    domains.filter(|word| !word.starts_with('*')).map(|domain| {
        // Without `senders` the table has none.
        let word = if cfg!(feature = "senders") { domain.strip_prefix('=') } else { None };
        let (domain, is_word) = (word.unwrap_or(domain), word.is_some());
        match domain.split_at_checked(1) {
            Some(("~", domain)) => (domain, DomainUse::Anybodys, is_word),
            Some(("+", domain)) => (domain, DomainUse::Customers, is_word),
            _ => (domain, DomainUse::Own, is_word),
        }
    })
}

/// Domains below which a machine of a customer has its host, by the number of its address.
const RENTED: [&str; 5] = [
    "bc.googleusercontent.com",
    "cloudapp.azure.com",
    "cloudapp.net",
    "compute-1.amazonaws.com",
    "compute.amazonaws.com",
];

/// Whether the host is that of a machine that anybody can rent.
pub(crate) fn is_rented(ascii: &str) -> bool {
    and_above(ascii).any(|domain| RENTED.contains(&domain))
}

/// The label that was registered.
pub(crate) fn registrable_label(ascii: &str) -> Option<&str> {
    registrable(ascii, Section::Icann)?.split('.').next()
}

/// Whether a character is ASCII or in a block of Latin letters or of marks.
#[cfg(feature = "senders")]
fn is_of_latin(c: char) -> bool {
    matches!(c, '\0'..='\u{36F}' | '\u{1E00}'..='\u{1EFF}' | '\u{2C60}'..='\u{2C7F}' | '\u{A720}'..='\u{A7FF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sound() {
        let table = Organisations::builtin();
        assert!(table.rows.len() > 200, "{}", table.rows.len());
        for row in &table.rows {
            for (domain, _) in &row.domains {
                let plain = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit();
                assert!(domain.bytes().all(|c| plain(c) || matches!(c, b'.' | b'-')), "{domain}");
                assert!(!domain.contains("xn--"), "{domain}");
            }
        }
        for word in &table.roles {
            assert!(word.bytes().all(|c| c.is_ascii_lowercase()), "{word}");
        }
    }

    #[test]
    fn hosts_are_judged_by_the_same_owners() {
        let owners = BUILTIN.lines().filter_map(|row| row.split(':').next()).map(str::trim_end);
        // Two hosts are in question, of which one is protected: an owner of one domain has no second.
        let protected = crate::Names::builtin();
        let is_above = |one: &str, other: &str| {
            other.strip_suffix(one).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        let counts = |row: &&str| {
            let domains = || row.split(' ').map(|domain| domain.trim_start_matches(['~', '+']));
            let one = !row.contains(' ') && !row.starts_with(['~', '+']);
            let below = |domain: &str, name: &str| is_above(domain, name) && domain != name;
            domains().any(|domain| {
                protected.iter().any(|name| match one {
                    true => below(domain, name),
                    false => is_above(domain, name) || is_above(name, domain),
                })
            })
        };
        let owners: Vec<_> = owners.filter(counts).chain([""]).collect();
        crate::characters::generated::checked_in("data/owners.txt", owners.join("\n").as_bytes());
    }

    #[test]
    fn nobody_of_the_table_has_the_name_of_another_inside() {
        let (protected, none) = (crate::Names::builtin(), crate::Names::default());
        let tlds = uts58::tlds::TldTable::new(["com"], "");
        let context = crate::tests::context(&protected, &none, &tlds);
        for domain in Organisations::builtin().by_domain.keys() {
            for host in [(*domain).to_owned(), format!("www.{domain}")] {
                let reasons = crate::judge(&host, &context).reasons;
                assert!(!reasons.contains(crate::Reason::NameInHost), "{host}");
            }
        }
    }

    #[test]
    fn domains_of_one_owner() {
        let table = Organisations::builtin();
        for (one, other) in [
            ("www.paypal.com", "www.paypalobjects.com"),
            ("bank.example.outlook.com", "login.microsoftonline.com"),
            ("amazon.com", "email.amazonses.com"),
        ] {
            assert!(table.is_one_owner(one, other), "{one} {other}");
        }
        assert!(!table.is_one_owner("www.paypal.com", "www.paypal.com.example.org"));
        assert!(!table.is_one_owner("paypal.com", "google.com"));
        for (one, other, is) in [
            ("github.com", "x.github.io", false),
            ("x.github.io", "y.github.io", false),
            ("github.com", "github.io", true),
            ("microsoft.com", "x.z13.web.core.windows.net", false),
            ("microsoft.com", "login.windows.net", true),
            ("amazon.com", "x.s3.amazonaws.com", false),
            ("shopify.com", "x.myshopify.com", false),
            ("gov.uk", "tax.service.gov.uk", true),
            ("google.com", "fonts.googleapis.com", true),
        ] {
            assert_eq!(table.is_one_owner(one, other), is, "{one} {other}");
        }
        for (domain, is) in [
            ("gmail.com", true),
            ("hotmail.fr", true),
            ("yahoo.co.uk", true),
            ("outlook.com.br", true),
            ("aol.de", true),
            ("google.com", false),
            ("mail.hotmail.fr", false),
            ("orange.com", false),
            ("pm.fr", false),
            ("hotmail.example", false),
        ] {
            assert_eq!(table.is_anybodys(domain), is, "{domain}");
        }
    }

    #[cfg(feature = "senders")]
    #[test]
    fn hosts_of_a_row() {
        let table = Organisations::builtin();
        let row = |domain: &str| table.owners(domain).next().unwrap_or(0);
        assert!(table.is_of(row("amazon.com"), "mail.amazon.co.uk"), "the site of a country");
        assert!(!table.is_of(row("amazon.com"), "amazon.web.app"));
        assert!(!table.is_of(row("github.com"), "x.github.io"));
        assert!(!table.is_of(row("microsoft.com"), "outlook.com"), "anybody's");
        assert!(table.is_of(row("microsoft.com"), "mail.outlook.com"));
        assert!(!table.is_of(row("microsoft.com"), "hotmail.fr"), "anybody's in a country");
        assert!(!table.is_of(row("yahoo.com"), "yahoo.co.uk"));
    }
}
