//! The names of organisations in texts, and who may say them.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;

use smallvec::SmallVec;

use super::native_slips::NativeSlips;
use super::sign_twins::SignTwins;
use super::{BUILTIN, DomainUse, Organisations, is_rented, registrable_label};
use crate::characters::lookalike::{Look, LookHash, LookHasher, likeness, name_look};
use crate::characters::reading::{LabelChars, Likeness};
use crate::protected::name::DISTINCTIVE;
use crate::spelling::domain::{Section, and_above, is_hosted, registrable};
use uts58::unicode::is_alphanumeric;

/// Estimated names of a row.
const ROW_NAMES: usize = 2;

/// Estimated letters of a name, of those that others do not begin with.
const NAME_LETTERS: usize = 6;

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

/// Names by their rows, and their places there.
type NamesOfLook = SmallVec<[(usize, usize); 1]>;

/// The names of the table's organisations, indexed by their looks.
#[derive(Debug, Default)]
pub(super) struct ClaimedNames {
    /// By row of the table.
    names: Vec<Vec<ClaimedName>>,
    by_look: HashMap<u64, NamesOfLook, BuildHasherDefault<LookHasher>>,
    beginnings: HashSet<u64, BuildHasherDefault<LookHasher>>,
}

/// Those that mean their owner anywhere, in letters beyond Latin.
#[derive(Debug, Default)]
pub(super) struct NativeNames {
    pub(super) slips: NativeSlips,
    pub(super) twins: SignTwins,
}

impl NativeNames {
    pub(super) fn builtin() -> NativeNames {
        let mut native = NativeNames::default();
        for (row, line) in BUILTIN.lines().enumerate().filter(|(_, line)| !line.is_ascii()) {
            for (name, counts) in listed(line) {
                if counts == Counts::Anywhere {
                    native.slips.add(&name, row);
                }
                if matches!(counts, Counts::Anywhere | Counts::Alone) {
                    native.twins.add(&name, row);
                }
            }
        }
        native
    }
}

#[derive(Debug)]
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
    pub(super) fn builtin() -> ClaimedNames {
        let mut names = ClaimedNames::default();
        let rows = BUILTIN.lines().count();
        names.by_look.reserve(rows.saturating_mul(ROW_NAMES));
        names.beginnings.reserve(rows.saturating_mul(ROW_NAMES * NAME_LETTERS));
        BUILTIN.lines().for_each(|line| names.add(line));
        names
    }

    /// Adds the names of the next row of the table.
    fn add(&mut self, line: &'static str) {
        let row = self.names.len();
        let mut names = Vec::new();
        for (name, counts) in listed(line) {
            let mut letters = String::with_capacity(name.len());
            let letters_of = |word: &str| {
                let own = word.chars().filter(|c| is_alphanumeric(*c));
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

/// The names of a row, and where each means its owner: without any, the label of the first domain.
fn listed(line: &'static str) -> impl Iterator<Item = (Cow<'static, str>, Counts)> {
    let first = || registrable_label(line.split(' ').next()?.trim_start_matches(['~', '+', '=']));
    let names = match line.split_once(':') {
        Some((_, listed)) => listed,
        None => first().unwrap_or_default(),
    };
    let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
    names.flat_map(|name| {
        let (name, counts) = match name.split_at_checked(1) {
            Some(("=", name)) => (name, Counts::Alone),
            Some(("^", name)) => (name, Counts::Beside),
            Some(("!", name)) => (name, Counts::Nowhere),
            Some(("-", name)) => (name, Counts::OtherOwner),
            _ => (name, Counts::Anywhere),
        };
        with_ampersand_read(name).map(move |name| (name, counts))
    })
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
        let found = self.claimed.by_look.get(&look).map(SmallVec::as_slice).unwrap_or_default();
        found.iter().filter_map(move |(row, at)| {
            let name = self.claimed.names.get(*row)?.get(*at)?;
            let by_chance = in_words && name.words.len() < 2 && name.counts == Counts::Anywhere;
            Some((*row, &name.look, if by_chance { Counts::Alone } else { name.counts }))
        })
    }

    /// The names of a row.
    fn names_of(&self, row: usize) -> &[ClaimedName] {
        self.claimed.names.get(row).map(Vec::as_slice).unwrap_or_default()
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
        self.by_domain.contains_key(domain) && !self.claimed.by_look.is_empty()
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
            self.may_be_national(row, ascii) && self.names_of(row).iter().any(is_spelled)
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
        rows.any(|row| self.names_of(row).iter().any(is_said))
    }

    /// Whether mail of the host may be in the name of whom the other domain represents, although it is none of his.
    pub(crate) fn says_rightly(&self, owner: &str, ascii: &str) -> bool {
        let rightful = and_above(ascii).filter_map(|domain| self.words.rightful.get(domain));
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

    /// Whether members of some federation have this word in their domains.
    pub(crate) fn is_of_federation(&self, word: &str) -> bool {
        self.members.iter().any(|(member, ..)| *member == word)
    }

    /// The domain of the federation whose members have this word in their domains below this suffix.
    pub(crate) fn federation(&self, word: &str, suffix: &str) -> Option<&'static str> {
        let is = |(member, below, _): &&(&str, &str, _)| (*member, *below) == (word, suffix);
        self.members.iter().find(is).map(|(.., row)| self.domain(*row))
    }

    /// The domain of the organisation that people call so for short, or that calls itself so: `receitafederal`.
    pub(crate) fn nicknamed(&self, word: &str) -> Option<&'static str> {
        let nickname = self.words.nicknames.get(word).copied();
        nickname.or_else(|| {
            if word.len() < CALLED_LETTERS || !word.is_ascii() {
                return None;
            }
            let mut named = self.by_look(LookHash::of(word.as_bytes()).value(), false);
            let distinctive = named.find(|(_, _, counts)| *counts == Counts::Anywhere);
            distinctive.map(|(row, ..)| self.domain(row))
        })
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
