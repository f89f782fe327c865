//! Hosts in a message that are made to be taken for its author's, though nobody knows him: answers and money go there.

use std::sync::Arc;

use super::prices::TWIN_COMPARISON_STEPS;
use super::{Judge, same_domain};
use crate::outcome::Verdict;
use homograph::{Judgement, Section, Slip, registrable, slip_between};

/// Letters of a label that no other comes near by chance.
const LEAST: usize = 7;

/// The top-level domain that is one letter away from `.com` and of no country: nobody has a second address there.
const SLIP_OF_COM: &str = "cam";

/// Those of countries, in which firms have their first one.
const COUNTRIES_BESIDE_COM: [&str; 2] = ["cm", "om"];

/// How a host comes near that of an author.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Nearness {
    /// Its top-level domain is that of a country whose letters are nearly the same. The author may live there.
    Country,
    /// One letter is another, left out, added or in another place, or hyphens stand for its dots in front of another
    /// domain. Few have two such domains.
    Slip,
    /// It reads as the author's, has it in front of another domain, or his name beside words that ask.
    Posing,
}

impl Nearness {
    /// The verdict on a host that few write to: a reader may take it for the author's, or it may be his.
    pub fn verdict(self) -> Verdict {
        match self {
            Nearness::Posing => Verdict::Suspect,
            Nearness::Slip | Nearness::Country => Verdict::Notice,
        }
    }
}

/// The author whom a host comes nearest to, in ASCII form, and how.
type Nearest = Option<(String, Nearness)>;

/// The hosts of all addresses in From.
#[derive(Default)]
pub(super) struct NamedAuthors {
    hosts: Vec<Arc<Judgement>>,
    /// The last host that was compared with them, and whom it comes nearest to: addresses next to each other are often of
    /// one host.
    last: Option<(Arc<Judgement>, Nearest)>,
}

impl NamedAuthors {
    pub fn of(hosts: Vec<Arc<Judgement>>) -> NamedAuthors {
        NamedAuthors { hosts, last: None }
    }
}

impl Judge<'_> {
    /// Whether a host is of the domain of somebody in From, whether or not that was confirmed.
    pub(super) fn is_of_from(&self, ascii: &str) -> bool {
        self.named_authors.hosts.iter().any(|from| same_domain(&from.ascii, ascii))
    }

    /// Whether a host is of a known owner and not of the readers, and none of the authors writes from it or for its owner.
    pub fn is_strangers(&self, ascii: &str) -> bool {
        let writes_for = |author: &Arc<Judgement>| self.are_of_one_owner(&author.ascii, ascii);
        let authors = &self.named_authors.hosts;
        !authors.is_empty()
            && !authors.iter().any(writes_for)
            && self.has_known_owner(ascii)
            && !self.is_anybodys(ascii)
            && !self.is_recipients(ascii)
    }

    /// The author whom a host comes nearest to, in ASCII form, and how. None for a host of the readers' own.
    pub fn near_author(&mut self, host: &Arc<Judgement>) -> Nearest {
        if self.named_authors.hosts.is_empty() || self.is_recipients(&host.ascii) {
            return None;
        }
        if let Some((last, nearest)) = &self.named_authors.last
            && Arc::ptr_eq(last, host)
        {
            return nearest.clone();
        }
        let mut authors = std::mem::take(&mut self.named_authors);
        let near =
            authors.hosts.iter().filter_map(|author| Some((author, self.nearness(host, author)?)));
        let nearest = near.max_by_key(|(_, nearness)| *nearness);
        let nearest = nearest.map(|(author, nearness)| (author.ascii.clone(), nearness));
        authors.last = Some((Arc::clone(host), nearest.clone()));
        self.named_authors = authors;
        nearest
    }

    /// How a host comes near that of an author of somebody else.
    pub fn nearness(&mut self, host: &Judgement, author: &Judgement) -> Option<Nearness> {
        if host.ascii == author.ascii {
            return None;
        }
        self.steps += TWIN_COMPARISON_STEPS;
        let near = match self.poses_beside(host, author) {
            true => Nearness::Posing,
            false => self.slips(host, author)?,
        };
        // Few hosts come so far.
        (!self.are_of_one_owner(&host.ascii, &author.ascii)).then_some(near)
    }

    /// How a host that nobody knows slips from that of an author.
    fn slips(&self, host: &Judgement, author: &Judgement) -> Option<Nearness> {
        let ((one, suffix), (other, other_suffix)) =
            chosen(&host.ascii).zip(chosen(&author.ascii))?;
        let are_long = one.len().min(other.len()) >= LEAST;
        let is_same = are_long && one == other && other_suffix == "com";
        let is_slip = match suffix == other_suffix {
            true => are_long && is_slip(one, other),
            false => is_same && suffix == SLIP_OF_COM,
        };
        let is_slip = is_slip || has_hyphens(&host.ascii, other, other_suffix);
        let is_country = is_same && COUNTRIES_BESIDE_COM.contains(&suffix);
        let near = match is_slip {
            true => Some(Nearness::Slip),
            false => is_country.then_some(Nearness::Country),
        };
        near.filter(|_| !self.has_known_owner(&host.ascii))
    }

    /// Whether a host of somebody else reads as another, has it in front, or his name beside words that ask.
    pub fn poses_beside(&self, host: &Judgement, shown: &Judgement) -> bool {
        let protected = &self.policy.protected;
        self.are_twins(host, shown)
            || homograph::claims::stands_in_front(&shown.ascii, &host.ascii, protected)
            || homograph::claims::asks_beside(&shown.ascii, &host.ascii, protected)
    }
}

/// The label of a host that was registered, and its suffix.
fn chosen(host: &str) -> Option<(&str, &str)> {
    registrable(host, Section::Private)?.split_once('.')
}

/// Whether a label differs from another by one letter, or by two neighbours that are swapped. A hyphen, a digit and a
/// letter at the end are what owners themselves have two of.
fn is_slip(one: &str, other: &str) -> bool {
    let is_letter = |letters: &[u8]| letters.iter().all(u8::is_ascii_lowercase);
    let is_inside = one.bytes().next_back() == other.bytes().next_back()
        && !one.starts_with(other)
        && !other.starts_with(one);
    is_inside
        && slip_between(one.as_bytes(), other.as_bytes()).is_some_and(|slip| match slip {
            Slip::More(letter) | Slip::Less(letter) => is_letter(&[letter]),
            Slip::Other { found, meant } => is_letter(&[found, meant]),
            Slip::Swapped(first, second) => is_letter(&[first, second]),
        })
}

/// Whether a label of a host is a domain with hyphens for its dots.
fn has_hyphens(host: &str, label: &str, suffix: &str) -> bool {
    // Most hosts have none.
    host.contains('-') && {
        let hyphened = [label, &suffix.replace('.', "-")].join("-");
        hyphened.len() >= LEAST && host.split('.').any(|label| label == hyphened)
    }
}

#[cfg(test)]
mod tests {
    use super::is_slip;
    use crate::outcome::Verdict;
    use crate::{Answers, Facts, Message, Policy, TldTable, inspect};

    #[test]
    fn hyphens_for_the_dots_of_the_authors_domain() {
        let tlds = TldTable::new(["com", "top", "uk"], "");
        let (facts, policy) = (Facts::default(), Policy::default());
        for (from, reply, verdict) in [
            ("harbourbank.com", "harbourbank-com.verify.top", Verdict::Suspect),
            ("harbourbank.com", "mail.harbourbank-com.verify.com", Verdict::Suspect),
            ("harbourbank.co.uk", "harbourbank-co-uk.id.top", Verdict::Suspect),
            ("acme.com", "acme-com.verify.top", Verdict::Suspect),
            ("harbourbank.com", "harbourbank-com.top", Verdict::Suspect),
            ("harbourbank.com", "harbour-bank.verify.top", Verdict::Ok),
            ("harbourbank.com", "com-harbourbank.verify.top", Verdict::Ok),
        ] {
            let head = format!("From: Ann <ann@{from}>\r\nReply-To: Ann <ann@{reply}>\r\n");
            let message = Message { head: head.as_bytes(), body: b"" };
            let outcome = inspect(message, &facts, &policy, &tlds).resolve(&Answers::new());
            assert_eq!(outcome.verdict, verdict, "{reply}");
        }
    }

    #[test]
    fn labels_that_differ_by_one_letter() {
        for (label, is) in [
            ("harbourrmarine", true),
            ("harbormarine", true),
            ("habrourmarine", true),
            ("harbourmaripe", true),
            ("arbourmarine", true),
            ("harbourmarine", false),
            ("harbourmarines", false),
            ("harbour-marine", false),
            ("harbour2marine", false),
            ("harbourmarina", false),
            ("harbourmairen", false),
            ("harbour", false),
            ("", false),
        ] {
            assert_eq!(is_slip(label, "harbourmarine"), is, "{label}");
            assert_eq!(is_slip("harbourmarine", label), is, "{label}");
        }
    }
}
