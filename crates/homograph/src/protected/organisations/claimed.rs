//! The names of organisations in texts, and who may say them.
//!
//! `office_words.txt` has words that do not identify a sender, beside those of `roles.txt`, which hosts
//! have as well; `asking_words.txt` those of them that ask who a reader is, which count in hosts, too;
//! `inner_offices.txt` those of a company for its own people; `customer_offices.txt` those that customers turn to; `nicknames.txt` what it is called for
//! short; `countries.txt` where it does business;
//! `rightful.txt` whose mail may be in the name of an organisation, beside its own.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;

use super::mistyped::{Asking, mistyped_office};
use super::native_slips::NativeSlips;
use super::sign_twins::SignTwins;
use super::{ByText, DomainUse, Organisations, is_rented, registrable_label};
use crate::characters::lookalike::{Look, LookHash, LookHasher, likeness, name_look};
use crate::characters::reading::{LabelChars, Likeness};
use crate::protected::name::{DISTINCTIVE, without_number};
use crate::rows::rows;
use crate::spelling::domain::{Section, and_above, is_hosted, registrable};
use uts58::unicode::hosts::is_mark;

const OFFICE_WORDS: &str = rows!("office_words.txt");
const ASKING_WORDS: &str = rows!("asking_words.txt");
const INNER_OFFICES: &str = rows!("inner_offices.txt");
const CUSTOMER_OFFICES: &str = rows!("customer_offices.txt");
const NICKNAMES: &str = rows!("nicknames.txt");
const COUNTRIES: &str = rows!("countries.txt");
const RIGHTFUL: &str = rows!("rightful.txt");

/// Estimated letters of a name, of those that others do not begin with.
const NAME_LETTERS: usize = 6;

/// Letters of each of two words of offices in one at least.
const OFFICE_PART: usize = 3;

/// Words of offices that a branch may have for its own: `meine-volksbank.de`.
const OF_BRANCHES: [&str; 5] = ["dein", "deine", "ihre", "mein", "meine"];

/// Top-level domains of countries in which anybody got a name for nothing.
const GIVEN_AWAY: [&str; 5] = ["cf", "ga", "gq", "ml", "tk"];

/// Whether a host is under a top-level domain in which anybody got a name for nothing.
pub fn is_given_away(ascii: &str) -> bool {
    ascii.rsplit('.').next().is_some_and(|tld| GIVEN_AWAY.contains(&tld))
}

/// Top-level domains of 2005 and before.
const OLD_TLDS: [&str; 13] = [
    "aero", "asia", "biz", "cat", "com", "coop", "info", "jobs", "mobi", "name", "net", "org",
    "pro",
];

/// Letters of the shortest name that an organisation calls itself in hosts of others.
const CALLED_LETTERS: usize = 6;

/// The names of the table's organisations, indexed by their looks.
#[derive(Clone, Debug, Default)]
pub(super) struct ClaimedNames {
    /// By row of the table.
    names: Vec<Vec<ClaimedName>>,
    by_look: HashMap<u64, Vec<(usize, usize)>, BuildHasherDefault<LookHasher>>,
    beginnings: HashSet<u64, BuildHasherDefault<LookHasher>>,
    /// Those that mean their owner anywhere, in letters beyond Latin.
    pub(super) slips: NativeSlips,
    pub(super) twins: SignTwins,
    office_words: HashSet<Box<str>, ByText>,
    asking_words: HashMap<&'static str, Asking, ByText>,
    /// The first two characters of those beyond ASCII.
    asking_beginnings: HashSet<[char; 2], ByText>,
    inner_offices: HashSet<Box<str>, ByText>,
    customer_offices: HashSet<Box<str>, ByText>,
    nicknames: HashMap<&'static str, &'static str, ByText>,
    countries: HashSet<Box<str>, ByText>,
    /// By domain of a sender, the domains of those whose name he says rightly.
    rightful: HashMap<&'static str, Vec<&'static str>, ByText>,
}

#[derive(Clone, Debug)]
struct ClaimedName {
    look: Look,
    counts: Counts,
    /// Its words, by their letters.
    words: Box<[usize]>,
}

/// Where a name in a text means the organisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counts {
    /// Anywhere between the bounds of words.
    Anywhere,
    /// Only with nothing but office words beside it: it is also a common word or a surname.
    Alone,
    /// Only beside office words: bare, it is a common word, a given name, or a shop.
    Beside,
    /// As alone, and beside the offices that a company has for its own people: a domain of the
    /// recipient's.
    AmongColleagues,
    /// Nowhere, and a shorter name that it begins with does not count either: it is another owner's
    /// (`Amazon Watch`).
    OtherOwner,
    /// Nowhere if it is the whole text: a program that many run signs so.
    Nowhere,
}

impl ClaimedNames {
    /// No names, but office words.
    pub(super) fn nobody() -> ClaimedNames {
        let (office_words, inner_offices) = (words(OFFICE_WORDS), words(INNER_OFFICES));
        let mut rightful = HashMap::<_, Vec<_>, _>::default();
        for (owner, domains) in RIGHTFUL.lines().filter_map(|row| row.split_once(' ')) {
            for domain in domains.split(' ') {
                rightful.entry(domain).or_default().push(owner);
            }
        }
        let asks = |word: &'static str| match word.split_at_checked(1) {
            Some(("*", word)) => (word, Asking::Parcel),
            Some(("+", word)) => (word, Asking::Trade),
            _ => (word, Asking::Surely),
        };
        let asking_words = ASKING_WORDS.split_ascii_whitespace().map(asks);
        let (asking_words, countries) =
            (asking_words.collect::<HashMap<_, _, _>>(), words(COUNTRIES));
        let beyond_ascii = asking_words.keys().filter(|word| !word.is_ascii());
        ClaimedNames {
            office_words,
            asking_beginnings: beyond_ascii.filter_map(|word| beginning(word)).collect(),
            asking_words,
            inner_offices,
            customer_offices: words(CUSTOMER_OFFICES),
            nicknames: NICKNAMES.lines().filter_map(|row| row.split_once(' ')).collect(),
            countries,
            rightful,
            ..ClaimedNames::default()
        }
    }

    /// Reserves capacity for so many names.
    pub(super) fn reserve(&mut self, names: usize) {
        self.by_look.reserve(names);
        self.beginnings.reserve(names.saturating_mul(NAME_LETTERS));
    }

    /// Adds the names of the next row of the table.
    pub(super) fn add(&mut self, line: &'static str) {
        let row = self.names.len();
        let first =
            || registrable_label(line.split(' ').next()?.trim_start_matches(['~', '+', '=']));
        let listed = line.split_once(':').map(|(_, listed)| listed);
        let listed = listed.unwrap_or_else(|| first().unwrap_or_default());
        let mut names = Vec::new();
        let listed = listed.split(',').map(str::trim).filter(|name| !name.is_empty());
        for name in listed.flat_map(with_ampersand_read) {
            let (name, counts) = match name.split_at_checked(1) {
                Some(("=", name)) => (name, Counts::Alone),
                Some(("^", name)) => (name, Counts::Beside),
                Some(("!", name)) => (name, Counts::Nowhere),
                Some(("-", name)) => (name, Counts::OtherOwner),
                _ => (&*name, Counts::Anywhere),
            };
            if counts == Counts::Anywhere {
                self.slips.add(name, row);
            }
            if matches!(counts, Counts::Anywhere | Counts::Alone) {
                self.twins.add(name, row);
            }
            let mut letters = String::with_capacity(name.len());
            let letters_of = |word: &str| {
                let own = word.chars().filter(|c| c.is_alphanumeric());
                own.inspect(|c| letters.push(*c)).count()
            };
            let words = name.split(' ').map(letters_of).collect();
            let beginnings = &mut self.beginnings;
            let look = name_look(&letters, |beginning| {
                beginnings.insert(beginning.value());
            });
            self.by_look.entry(look).or_default().push((row, names.len()));
            names.push(ClaimedName { look: Look::new(&letters), counts, words });
        }
        self.names.push(names);
    }
}

fn beginning(word: &str) -> Option<[char; 2]> {
    let mut chars = word.chars();
    Some([chars.next()?, chars.next()?])
}

/// The words of a list, as they read in a text: without the marks of their letters.
fn words(list: &str) -> HashSet<Box<str>, ByText> {
    let read = |word: &str| match word.is_ascii() {
        true => word.into(),
        false => word.chars().filter(|c| !is_mark(*c)).collect(),
    };
    list.split_ascii_whitespace().map(read).collect()
}

/// A name, and as it reads where `&` is a word: `HM Revenue and Customs`.
fn with_ampersand_read(name: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let read = name.contains(" & ").then(|| name.replace(" & ", " and "));
    [Cow::Borrowed(name)].into_iter().chain(read.map(Cow::Owned))
}

impl Organisations {
    /// Whether some name begins with this look.
    pub(crate) fn begins(&self, look: LookHash) -> bool {
        self.claimed.beginnings.contains(&look.value())
    }

    /// The organisations with a name of this look, that name, and where it means them: a name of one word that stands
    /// in the text as several words (`in_words`) is one by chance (`Drop Box Furniture`).
    pub(crate) fn by_look(
        &self,
        look: u64,
        in_words: bool,
    ) -> impl Iterator<Item = (usize, &Look, Counts)> {
        let found = self.claimed.by_look.get(&look).map(Vec::as_slice).unwrap_or_default();
        found.iter().filter_map(move |(row, at)| {
            let name = self.claimed.names.get(*row)?.get(*at)?;
            let by_chance = in_words && name.words.len() < 2 && name.counts == Counts::Anywhere;
            Some((*row, &name.look, if by_chance { Counts::Alone } else { name.counts }))
        })
    }

    /// Whether a word is a name that means its owner wherever it stands.
    pub(crate) fn is_distinctive(&self, word: &str) -> bool {
        let mut named = self.by_look(LookHash::of(word.as_bytes()).value(), false);
        named.any(|(_, _, counts)| counts == Counts::Anywhere)
    }

    /// The domain that represents the organisation.
    pub(crate) fn domain(&self, row: usize) -> &'static str {
        self.rows.get(row).and_then(|row| row.domains.first()).map_or("", |(domain, _)| domain)
    }

    /// Whether the domain itself is in the table and names are in use.
    pub(crate) fn names(&self, domain: &str) -> bool {
        !self.claimed.by_look.is_empty() && self.by_domain.contains_key(domain)
    }

    /// Whether the host is the organisation's own, by the table or as a national site: the same
    /// label under another public suffix.
    pub(crate) fn is_of(&self, row: usize, ascii: &str) -> bool {
        match self.owners(ascii).any(|owner| owner == row) {
            true => !self.is_anybodys(ascii),
            false => {
                self.has_same_label(row, ascii, |domain_use| domain_use == DomainUse::Own)
                    || self.is_member(row, ascii)
                    || self.says_rightly(self.domain(row), ascii)
            }
        }
    }

    /// Whether a label is a name of the domain's owner, letter by letter, where he may have a site.
    pub(crate) fn is_spelled_so(&self, domain: &str, label: &str, ascii: &str) -> bool {
        let chars = LabelChars::of(label.chars().filter(|c| *c != '-'));
        let is_spelled =
            |name: &ClaimedName| likeness(chars.all(), &name.look) == Some(Likeness::Same);
        let mut rows = self.by_domain.get(domain).into_iter().flatten().map(|(row, _)| *row);
        rows.any(|row| {
            self.may_be_national(row, ascii)
                && self.claimed.names.get(row).into_iter().flatten().any(is_spelled)
        })
    }

    /// Whether words with hyphens between are those of a name of the domain's owner: `danske-bank`.
    pub(crate) fn is_said_in_words(&self, domain: &str, label: &str) -> bool {
        let chars = LabelChars::of(label.chars().filter(|c| *c != '-'));
        let parts = || label.split('-').map(str::len);
        let is_said = |name: &ClaimedName| {
            name.words.iter().copied().eq(parts())
                && likeness(chars.all(), &name.look).is_some_and(|how| how <= Likeness::Faint)
        };
        let mut rows = self.by_domain.get(domain).into_iter().flatten().map(|(row, _)| *row);
        rows.any(|row| self.claimed.names.get(row).into_iter().flatten().any(is_said))
    }

    /// Whether mail of the host may be in the name of whom the other domain represents, although it is none of his.
    pub(crate) fn says_rightly(&self, owner: &str, ascii: &str) -> bool {
        let rightful = and_above(ascii).filter_map(|domain| self.claimed.rightful.get(domain));
        rightful.flatten().any(|known| *known == owner)
    }

    /// Whether the host is that of a member of the organisation, whose label has the organisation's
    /// word beside a name of its own: `sparkasse-example.de`, not `sparkasse-sicherheit.de`.
    fn is_member(&self, row: usize, ascii: &str) -> bool {
        let mut members = self.members.iter().filter(|(.., federation)| *federation == row);
        // Most are no federation.
        if members.clone().next().is_none() {
            return false;
        }
        let Some(domain) = registrable(ascii, Section::Icann) else { return false };
        let Some((label, tld)) = domain.split_once('.') else { return false };
        let says = |word: &str, member: &str| {
            word == member || member.len() >= DISTINCTIVE && word.ends_with(member)
        };
        members.any(|(member, below, _)| {
            let own = |word: &str| !says(word, member) && !self.is_of_offices(word);
            *below == tld
                && label.split('-').any(|word| says(word, member))
                && label.split('-').any(own)
        })
    }

    /// The same, including domains where anybody can have an address.
    pub(crate) fn serves(&self, row: usize, ascii: &str) -> bool {
        self.owners(ascii).any(|owner| owner == row) || self.has_same_label(row, ascii, |_| true)
    }

    /// Whether some domain of the organisation has the registrable label of the host, under any
    /// suffix.
    fn has_same_label(&self, row: usize, ascii: &str, counts: impl Fn(DomainUse) -> bool) -> bool {
        let Some(seen) = registrable_label(ascii).filter(|label| label.len() > 1) else {
            return false;
        };
        if is_hosted(ascii) || is_rented(ascii) || !self.may_be_national(row, ascii) {
            return false;
        }
        let mut domains = self.rows.get(row).into_iter().flat_map(|row| &row.domains);
        // Rarely true, and faster than finding the suffix.
        let may = |domain: &str| domain.split('.').any(|label| label == seen);
        domains.any(|(domain, domain_use)| {
            counts(*domain_use) && may(domain) && registrable_label(domain) == Some(seen)
        })
    }

    /// Whether the host is under a top-level domain of a country, an old one, in which owners of
    /// names have had theirs for long, or one that the organisation has elsewhere.
    fn may_be_national(&self, row: usize, ascii: &str) -> bool {
        let tld = |host: &str| host.rsplit('.').next().map(str::to_owned);
        let Some(own) = tld(ascii) else { return false };
        let country = own.len() == 2 || own.starts_with("xn--");
        let mut domains = self.rows.get(row).into_iter().flat_map(|row| &row.domains);
        !is_given_away(ascii) && country
            || OLD_TLDS.contains(&own.as_str())
            || domains.any(|(domain, _)| tld(domain).as_ref() == Some(&own))
    }

    /// Whether a word of a text, in plain lower-case letters of any script, does not identify a
    /// sender.
    pub(crate) fn is_office_word(&self, word: &str) -> bool {
        self.is_role(word)
            || self.claimed.office_words.contains(word)
            || self.asking_word(word).is_some()
            || self.claimed.customer_offices.contains(word)
    }

    /// Whether a word of a host is one of offices, or two of them in one: `kundenabgleich`.
    fn is_of_offices(&self, word: &str) -> bool {
        let word = without_number(word);
        // A label has few letters.
        let mut parts = (1..word.len()).filter_map(|at| word.split_at_checked(at));
        let are_offices = |(front, back): (&str, &str)| {
            front.len().min(back.len()) >= OFFICE_PART
                && self.is_office_word(front)
                && self.is_office_word(back)
        };
        word.is_empty()
            || self.is_office_word(word) && !OF_BRANCHES.contains(&word)
            || parts.any(are_offices)
    }

    /// Whether members of some federation have this word in their domains.
    pub(crate) fn is_of_federation(&self, word: &str) -> bool {
        self.members.iter().any(|(member, ..)| *member == word)
    }

    /// The domain of the federation whose members have this word in their domains below this suffix.
    pub(crate) fn federation(&self, word: &str, suffix: &str) -> Option<&'static str> {
        let is = |(member, below, _): &&(&str, &str, _)| (*member, *below) == (word, suffix);
        self.members.iter().find(is).map(|(.., row)| self.domain(*row))
    }

    /// Whether such a word asks a reader to prove who he is.
    pub(crate) fn asking_word(&self, word: &str) -> Option<Asking> {
        self.claimed.asking_words.get(word).copied()
    }

    /// Whether a label may begin with a word beyond ASCII that asks: most begin with none.
    pub(crate) fn may_begin_with_asking(&self, label: &str) -> bool {
        beginning(label).is_some_and(|pair| self.claimed.asking_beginnings.contains(&pair))
    }

    /// Whether such a word is of an office that a company has for its own people.
    pub(crate) fn is_inner_office(&self, word: &str) -> bool {
        self.claimed.inner_offices.contains(word)
    }

    /// The domain of the organisation that people call so for short, or that calls itself so: `receitafederal`.
    pub(crate) fn nicknamed(&self, word: &str) -> Option<&'static str> {
        let nickname = self.claimed.nicknames.get(word).copied();
        nickname.or_else(|| {
            if word.len() < CALLED_LETTERS || !word.is_ascii() {
                return None;
            }
            let mut named = self.by_look(LookHash::of(word.as_bytes()).value(), false);
            let distinctive = named.find(|(_, _, counts)| *counts == Counts::Anywhere);
            distinctive.map(|(row, ..)| self.domain(row))
        })
    }

    /// Whether such a word is of an office that customers turn to.
    pub(crate) fn is_customer_office(&self, word: &str) -> bool {
        self.claimed.customer_offices.contains(word)
            || mistyped_office(word)
                .is_some_and(|word| self.claimed.customer_offices.contains(word))
    }

    /// Whether a word of a text is one of offices with a slip (`securty`) or a digit for a letter (`supp0rt`).
    pub(crate) fn is_mistyped_office(&self, word: &str) -> bool {
        let has_digit = || word.bytes().any(|byte| byte.is_ascii_digit());
        let is_drawn = || has_digit() && word.bytes().any(|byte| byte.is_ascii_alphabetic());
        is_drawn() && self.reads_as_role(word) || mistyped_office(word).is_some()
    }

    /// Whether such a word is a country, as its people call it.
    pub(crate) fn is_country(&self, word: &str) -> bool {
        self.claimed.countries.contains(word)
    }
}

#[cfg(test)]
mod tests {
    use crate::Names;
    use crate::claims::{Sender, poses};
    use uts58::tlds::TldTable;

    /// Whom a name claims to be, if the host of its address is none of theirs.
    fn posed(text: &str, host: &str) -> Option<String> {
        let (protected, none) = (Names::builtin(), Names::default());
        let tlds = TldTable::new(["com"], "");
        let context = crate::tests::context(&protected, &none, &tlds);
        poses(text, Sender { local: "x", host }, &context)
    }

    #[test]
    fn services_of_work_are_known_by_name_and_domain() {
        for (text, owner, own) in [
            ("RingCentral Voicemail", "ringcentral.com", "ringcentral.biz"),
            ("ShareFile", "sharefile.com", "sf-notifications.com"),
            ("Proofpoint Security", "proofpoint.com", "ppe-hosted.com"),
            ("Zoho Mail Support", "zoho.com", "zohocorp.com"),
            ("Zendesk Support", "zendesk.com", "mail.zendesk.com"),
            ("Calendly Notifications", "calendly.com", "send.calendly.com"),
            ("Atlassian Support", "atlassian.com", "id.atlassian.com"),
            ("Cisco Support", "cisco.com", "meraki.com"),
            ("SAP Concur", "concur.com", "concursolutions.com"),
            ("cPanel Support", "cpanel.net", "cpanel.com"),
            ("Roundcube Webmail Team", "roundcube.net", "roundcube.net"),
            ("Zimbra Admin", "zimbra.com", "zimbra.com"),
            ("Plesk Account", "plesk.com", "plesk.com"),
            ("GitLab Security", "gitlab.com", "mg.gitlab.com"),
            ("FranceConnect", "franceconnect.gouv.fr", "franceconnect.gouv.fr"),
            ("Portal das Finanças", "portaldasfinancas.gov.pt", "mail.at.gov.pt"),
            ("삼성카드", "samsungcard.com", "samsungcard.com"),
            ("腾讯客服", "wechat.com", "tencent.com"),
            ("Allianz", "allianz.com", "allianz.ch"),
            ("DAK-Gesundheit", "dak.de", "mail.dak.de"),
            ("Trenitalia Assistenza", "trenitalia.com", "fsitaliane.it"),
            ("E.ON Kundenservice", "eon.com", "eon.de"),
            ("Finančná správa", "financnasprava.sk", "financnasprava.sk"),
            ("FasTrak", "bayareafastrak.org", "thetollroads.com"),
            ("Carteira Digital de Transito", "gov.br", "serpro.gov.br"),
        ] {
            assert_eq!(posed(text, "example.org").as_deref(), Some(owner), "{text}");
            assert_eq!(posed(text, own), None, "{text}");
        }
        // Firms of a like name.
        for (text, host) in [
            ("Orange Support", "orangehrm.com"),
            ("Sky Service", "sky-frame.com"),
            ("Fidelity Bank", "fidelitybank.ng"),
            ("An Post Insurance", "anpostinsurance.ie"),
            ("CAF America", "cafamerica.org"),
            ("Discover Support", "discover.swiss"),
        ] {
            assert_eq!(posed(text, host), None, "{text}");
            assert!(posed(text, "example.org").is_some(), "{text}");
        }
        // Programs that many run sign so, and words mean other things.
        for text in [
            "cPanel",
            "Roundcube Webmail",
            "Zimbra",
            "GitLab",
            "GitLab CI",
            "Plesk Obsidian on web1",
            "SAP",
            "SAP Workflow",
            "Oracle",
            "Barracuda",
            "Notion",
            "Cisco Alvarez",
            "Cisco Networking Academy Harbour",
            "Jane (Zendesk)",
            "Asana Yoga",
            "Via Verde",
            "Allianz der Wissenschaft",
            "Allianz Arena",
            "Same Day Delivery",
            "Eon",
            "GOV.UK One Login",
            "Box Support",
        ] {
            assert_eq!(posed(text, "example.org"), None, "{text}");
        }
    }
}
