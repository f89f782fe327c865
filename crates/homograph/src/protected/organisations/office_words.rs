//! The words of offices in texts and hosts, and lists about the table's organisations.
//!
//! `office_words.txt` has words that do not identify a sender, beside those of `roles.txt`, which hosts
//! have as well; `asking_words.txt` those of them that ask who a reader is, which count in hosts, too;
//! `inner_offices.txt` those of a company for its own people; `customer_offices.txt` those that customers turn to;
//! `nicknames.txt` what an organisation is called for short; `countries.txt` where it does business;
//! `rightful.txt` whose mail may be in the name of an organisation, beside its own.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::mistyped::{Asking, mistyped_office};
use super::{ByText, Organisations, ROLES};
use crate::protected::name::without_number;
use crate::rows::rows;
use uts58::unicode::hosts::is_mark;

const OFFICE_WORDS: &str = rows!("office_words.txt");
const ASKING_WORDS: &str = rows!("asking_words.txt");
const INNER_OFFICES: &str = rows!("inner_offices.txt");
const CUSTOMER_OFFICES: &str = rows!("customer_offices.txt");
const NICKNAMES: &str = rows!("nicknames.txt");
const COUNTRIES: &str = rows!("countries.txt");
const RIGHTFUL: &str = rows!("rightful.txt");

/// Letters of each of two words of offices in one at least.
const OFFICE_PART: usize = 3;

/// Words of offices that a branch may have for its own: `meine-volksbank.de`.
const OF_BRANCHES: [&str; 5] = ["dein", "deine", "ihre", "mein", "meine"];

#[derive(Debug)]
pub(super) struct OfficeWords {
    all: HashMap<Cow<'static, str>, Listed, ByText>,
    /// The first two characters of those beyond ASCII that ask.
    asking_beginnings: HashSet<[char; 2], ByText>,
    pub(super) nicknames: HashMap<&'static str, &'static str, ByText>,
    /// By domain of a sender, the domains of those whose name he says rightly.
    pub(super) rightful: HashMap<&'static str, Vec<&'static str>, ByText>,
}

/// Which of the lists have a word.
#[derive(Clone, Copy, Debug, Default)]
struct Listed {
    office: bool,
    asking: Option<Asking>,
    inner: bool,
    customers: bool,
    country: bool,
}

impl OfficeWords {
    pub(super) fn builtin() -> OfficeWords {
        let mut rightful = HashMap::<_, Vec<_>, _>::default();
        for (owner, domains) in RIGHTFUL.lines().filter_map(|row| row.split_once(' ')) {
            for domain in domains.split(' ') {
                rightful.entry(domain).or_default().push(owner);
            }
        }
        let mut words = OfficeWords {
            all: HashMap::default(),
            asking_beginnings: HashSet::default(),
            nicknames: NICKNAMES.lines().filter_map(|row| row.split_once(' ')).collect(),
            rightful,
        };
        words.add(ROLES, |listed| listed.office = true);
        words.add(OFFICE_WORDS, |listed| listed.office = true);
        words.add(INNER_OFFICES, |listed| listed.inner = true);
        words.add(CUSTOMER_OFFICES, |listed| listed.customers = true);
        words.add(COUNTRIES, |listed| listed.country = true);
        for word in ASKING_WORDS.split_ascii_whitespace() {
            let (word, asking) = match word.split_at_checked(1) {
                Some(("*", word)) => (word, Asking::Parcel),
                Some(("+", word)) => (word, Asking::Trade),
                _ => (word, Asking::Surely),
            };
            words.all.entry(Cow::Borrowed(word)).or_default().asking = Some(asking);
            if !word.is_ascii() {
                words.asking_beginnings.extend(beginning(word));
            }
        }
        words
    }

    /// Adds the words of a list, as they read in a text: without the marks of their letters.
    fn add(&mut self, list: &'static str, mark: fn(&mut Listed)) {
        for word in list.split_ascii_whitespace() {
            let read = match word.is_ascii() {
                true => Cow::Borrowed(word),
                false => Cow::Owned(word.chars().filter(|c| !is_mark(*c)).collect()),
            };
            mark(self.all.entry(read).or_default());
        }
    }

    fn of(&self, word: &str) -> Listed {
        self.all.get(word).copied().unwrap_or_default()
    }
}

fn beginning(word: &str) -> Option<[char; 2]> {
    let mut chars = word.chars();
    Some([chars.next()?, chars.next()?])
}

impl Organisations {
    /// Whether a word of a text, in plain lower-case letters of any script, does not identify a
    /// sender.
    pub(crate) fn is_office_word(&self, word: &str) -> bool {
        let listed = self.words.of(word);
        listed.office || listed.customers || listed.asking.is_some()
    }

    /// Whether a word of a host is one of offices, or two of them in one: `kundenabgleich`.
    pub(super) fn is_of_offices(&self, word: &str) -> bool {
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

    /// Whether such a word asks a reader to prove who he is.
    pub(crate) fn asking_word(&self, word: &str) -> Option<Asking> {
        self.words.of(word).asking
    }

    /// Whether a label may begin with a word beyond ASCII that asks: most begin with none.
    pub(crate) fn may_begin_with_asking(&self, label: &str) -> bool {
        beginning(label).is_some_and(|pair| self.words.asking_beginnings.contains(&pair))
    }

    /// Whether such a word is of an office that a company has for its own people.
    pub(crate) fn is_inner_office(&self, word: &str) -> bool {
        self.words.of(word).inner
    }

    /// Whether such a word is of an office that customers turn to.
    pub(crate) fn is_customer_office(&self, word: &str) -> bool {
        let is_of_customers = |word: &str| self.words.of(word).customers;
        is_of_customers(word) || mistyped_office(word).is_some_and(is_of_customers)
    }

    /// Whether a word of a text is one of offices with a slip (`securty`) or a digit for a letter (`supp0rt`).
    pub(crate) fn is_mistyped_office(&self, word: &str) -> bool {
        let has_digit = || word.bytes().any(|byte| byte.is_ascii_digit());
        let is_drawn = || has_digit() && word.bytes().any(|byte| byte.is_ascii_alphabetic());
        is_drawn() && self.reads_as_role(word) || mistyped_office(word).is_some()
    }

    /// Whether such a word is a country, as its people call it.
    pub(crate) fn is_country(&self, word: &str) -> bool {
        self.words.of(word).country
    }
}
