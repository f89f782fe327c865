//! Names with letters beyond ASCII in hosts of others, in their own letters or written out in ASCII
//! (`müllerbank-login.com`, `muellerbank-login.com`): where those of ASCII are found by `name_in_host`, `asking_domain`
//! and `asks_abroad`.

use super::{LEAST, Searched, runs};
use crate::claims::asking_domain::{self, SUFFIXES};
use crate::claims::asks_abroad::asking;
use crate::hosts::glued_name::ENDS;
use crate::hosts::host_words::{ASKING, SEPARATORS, is_beside, is_filler};
use crate::protected::name::Name;
use crate::protected::names::Names;
use crate::protected::near::{MIN_LETTERS, slip_between};
use crate::protected::organisations::Asking;
use crate::spelling::domain::{Section, registrable};

/// Labels in front of a domain that are read at most.
const LABELS: usize = 8;

/// Letters of the shortest name that counts with what reads as its suffix behind it.
const LEAST_IN_FULL: usize = 4;

/// Bytes of the shortest and the longest word that is glued to a name.
const GLUED: usize = 5;
const LONGEST: usize = 24;

/// The name in a host of these labels in front of the one that was chosen at a registry.
pub(super) fn find<'n>(
    searched: &Searched<'n>,
    ascii: &str,
    front: &[&str],
    chosen: &str,
) -> Option<&'n Name> {
    // Most names are in ASCII, and so are most hosts.
    let is_plain = || front.iter().chain([&chosen]).all(|label| label.is_ascii());
    let some = |is: fn(&Names) -> bool| searched.sets.iter().any(|names| is(names));
    if !some(Names::has_beyond_ascii) || is_plain() && !some(Names::has_written_out) {
        return None;
    }
    let asking = |label: &str| searched.asks(label);
    let found = searched
        .drawn(chosen)
        .or_else(|| searched.beside(chosen, |word| asking(word) || ENDS.contains(&word)))
        .or_else(|| searched.glued(chosen))
        .or_else(|| {
            let mut below = front.iter().rev().take(LABELS);
            below.find_map(|label| searched.beside(label, asking))
        })
        .or_else(|| searched.in_front(front))
        .or_else(|| searched.before_asking(front.last()?, chosen))?;
    let is_carried = || searched.table.is_some_and(|table| table.carries(ascii));
    (!is_written_out(ascii, found, &searched.sets) && !is_carried()).then_some(found)
}

/// The name of the recipients or the operator, in ASCII form, that a host is in letters of ASCII, or is below:
/// `www.muellerbank.de`. It may well be theirs.
pub fn writes_out<'n>(ascii: &str, sets: [&'n Names; 2]) -> Option<&'n str> {
    let (label, suffix) = registrable(ascii, Section::Icann)?.split_once('.')?;
    let mut named = sets.into_iter().flat_map(|names| names.written_as(label));
    named.find_map(|name| suffix.split('.').eq(suffix_of(name)).then_some(&*name.ascii))
}

fn is_written_out(ascii: &str, name: &Name, sets: &[&Names; 2]) -> bool {
    writes_out(ascii, *sets).is_some_and(|found| *found == *name.ascii)
}

/// The labels behind the registrable one.
fn suffix_of(name: &Name) -> impl Iterator<Item = &str> {
    name.labels.iter().skip(name.brand + 1).map(|(label, _)| label.as_ref())
}

impl<'n> Searched<'n> {
    /// The names that a label is, in their letters or in those of ASCII, or in characters of East Asia that look like theirs.
    fn named(&self, label: &str) -> impl Iterator<Item = &'n Name> {
        let is_ascii = label.is_ascii();
        self.sets.into_iter().flat_map(move |names| {
            let written = is_ascii.then(|| names.written_as(label)).into_iter().flatten();
            let spelled = (!is_ascii).then(|| names.chosen_as(label)).into_iter().flatten();
            written.chain(spelled).chain(names.twins(label))
        })
    }

    fn long(&self, label: &str) -> Option<&'n Name> {
        self.named(label).find(|name| name.letters() >= LEAST)
    }

    /// Whether a word asks who the reader is, in any language.
    fn asks(&self, word: &str) -> bool {
        let abroad = || self.table.and_then(|table| asking(word, table));
        ASKING.contains(&word) || abroad() >= Some(Asking::Trade)
    }

    /// The name that a label is one letter away from, or has the look of.
    fn drawn(&self, label: &str) -> Option<&'n Name> {
        // Plain letters for all accented ones are how people without its keyboard write it.
        if label.is_ascii() {
            return None;
        }
        let mut near = self.sets.iter().flat_map(|names| names.near_beyond_ascii(label));
        let slip = near.find(|name| is_slip(label, name.label()));
        slip.or_else(|| {
            let mut twins = self.sets.iter().flat_map(|names| names.twins(label));
            twins.find(|name| name.label() != label && name.letters() >= LEAST)
        })
    }

    /// The name in a label of several words, beside those of offices of which one asks.
    fn beside(&self, label: &str, asks: impl Fn(&str) -> bool) -> Option<&'n Name> {
        let is_asked = label.contains(SEPARATORS) && label.split(SEPARATORS).any(&asks);
        let mut runs = is_asked.then(|| runs(label)).into_iter().flatten();
        runs.find_map(|run| self.long(run).filter(|_| is_beside(label, run, self.table, &asks)))
    }

    /// The name in a label that a word which asks is glued to.
    fn glued(&self, label: &str) -> Option<&'n Name> {
        let edges = self.sets.map(|names| names.edges_beyond_ascii(label));
        let may_be = |end: usize| edges.iter().any(|edges| edges.get(end) == Some(&true));
        let lengths = |may_be: bool| {
            let longest = LONGEST.min(label.len().saturating_sub(LEAST));
            may_be.then_some(GLUED..=longest).into_iter().flatten()
        };
        let behind =
            lengths(may_be(0)).filter_map(|length| label.split_at_checked(label.len() - length));
        let in_front = lengths(may_be(1)).filter_map(|length| {
            let (word, name) = label.split_at_checked(length)?;
            Some((name, word))
        });
        let is_asked = |word: &str| ENDS.contains(&word) || self.asks(word);
        let mut asked = behind.chain(in_front).filter(|(_, word)| is_asked(word));
        asked.find_map(|(name, _)| self.long(name))
    }

    /// The name in front of what reads as its suffix, with dots or with hyphens for them.
    fn in_front(&self, labels: &[&str]) -> Option<&'n Name> {
        let counts = |name: &&Name| name.letters() >= LEAST_IN_FULL;
        let nearest = labels.len().saturating_sub(LABELS)..labels.len();
        nearest.rev().find_map(|at| {
            let label = labels.get(at)?.trim_start_matches("www-");
            let behind = labels.get(at + 1..)?;
            let dotted = |name: &&Name| ends_name(name, behind, |_| true);
            let mut named = self.named(label).filter(counts);
            named.find(dotted).or_else(|| self.hyphenated(label).filter(counts))
        })
    }

    /// The name with hyphens for dots, in front of words of offices at most.
    fn hyphenated(&self, label: &str) -> Option<&'n Name> {
        let mut fronts =
            runs(label).filter(|run| label.starts_with(*run) && run.len() < label.len());
        fronts.find_map(|run| {
            let behind: Vec<&str> = label.get(run.len() + 1..)?.split(SEPARATORS).collect();
            let is_filled = |rest: &[&str]| rest.iter().all(|word| is_filler(word, self.table));
            self.named(run).find(|name| ends_name(name, &behind, is_filled))
        })
    }

    /// The name that a label is, in front of a domain that is nothing but words that ask.
    fn before_asking(&self, label: &str, chosen: &str) -> Option<&'n Name> {
        let is_asking = || {
            self.table.is_some_and(|table| asking_domain::asks(chosen, table)) || self.asks(chosen)
        };
        self.long(label).filter(|_| is_asking())
    }
}

/// Whether labels begin with the suffix of a name, or with one that a reader takes for the end of a host.
fn ends_name(name: &Name, labels: &[&str], rest: impl Fn(&[&str]) -> bool) -> bool {
    let is_usual = |label: &&str| *label == "com" || SUFFIXES.contains(label);
    let own = suffix_of(name).count();
    let is_own = || labels.iter().copied().take(own).eq(suffix_of(name));
    is_own() && labels.get(own..).is_some_and(&rest)
        || labels.split_first().is_some_and(|(first, after)| is_usual(first) && rest(after))
}

/// Whether a label differs from a name by one letter, one more, less or different, or two that are swapped.
fn is_slip(one: &str, other: &str) -> bool {
    let letters = |word: &str| word.chars().collect::<Vec<char>>();
    let (one, other) = (letters(one), letters(other));
    one.len().min(other.len()) >= MIN_LETTERS && slip_between(&one, &other).is_some()
}

#[cfg(test)]
mod tests {
    use crate::claims::Correspondent;
    use crate::claims::own_inside;
    use crate::{Names, judge};
    use uts58::tlds::TldTable;

    /// The name that is found in a host, of these and as many others in front of them.
    fn inside(host: &str, names: &[&str]) -> String {
        let (protected, none) = (Names::builtin(), Names::default());
        let others: Vec<String> = (0..100).map(|at| format!("фирма{at}-наша.рф")).collect();
        let names = Names::new(others.iter().map(String::as_str).chain(names.iter().copied()));
        let tlds = TldTable::new(["com", "de", "top", "ru", "рф", "kr", "jp", "cn", "net"], "");
        let host = judge(host, &crate::tests::context(&protected, &none, &tlds));
        own_inside(&host, (&protected, &names), Correspondent::Anybody).unwrap_or_default()
    }

    const NAMES: [&str; 8] = [
        "müllerbank.de", "ветлуга.рф", "국민저축.kr", "北原银行.cn", "楽天.jp", "カエデペイ.jp",
        "größeværk.dk", "сбер.рф",
    ];

    #[test]
    fn names_beyond_ascii_count_wherever_in_the_list_they_stand() {
        for host in [
            "www.müllerbank.de.evilhost.ru",
            "müllerbank-login.com",
            "müllerbankk.de",
            "müllerbank-de.evilhost.ru",
            "ветлуга-vpn.com",
        ] {
            assert!(!inside(host, &NAMES).is_empty(), "{host}");
        }
    }

    #[test]
    fn characters_that_are_syllables_count_as_several_letters() {
        for host in [
            "국민저축.kr.evilhost.ru",
            "www.北原银行.cn.evilhost.ru",
            "楽天.jp.evilhost.ru",
            "楽天-jp.evilhost.ru",
            "국민저축.login.top",
            "국민저축-login.evilhost.ru",
            "楽天-ログイン.com",
            "сбер.рф.evilhost.ru",
        ] {
            assert!(!inside(host, &NAMES).is_empty(), "{host}");
        }
        for host in ["楽天市場.jp", "楽団.jp", "北原银行.com", "сбер.evilhost.ru", "сберкот.рф"]
        {
            assert_eq!(inside(host, &NAMES), "", "{host}");
        }
    }

    #[test]
    fn characters_that_are_drawn_like_those_of_a_name_are_read_as_it() {
        let names = [
            "東京信金.jp", "한국은행.kr", "田中.jp", "高島物産.jp", "みずき信金.jp", "ウーバ屋.jp",
        ];
        for host in [
            "柬京信金.jp",
            "東京信全.jp",
            "みすき信金.jp",
            "東亰信金.com",
            "한국은헹.kr",
            "한국은헹-login.com",
            "東亰信金-ログイン.com",
            "東亰信金.login.top",
        ] {
            assert!(!inside(host, &names).is_empty(), "{host}");
        }
        for host in
            ["東京信金.jp", "由中.jp", "高鳥物流.jp", "ウーハ屋.jp", "한국은하.kr", "東京銀行.jp"]
        {
            assert_eq!(inside(host, &names), "", "{host}");
        }
    }

    #[test]
    fn names_written_out_in_ascii_are_names() {
        for host in [
            "muellerbank-login.com",
            "muellerbanklogin.com",
            "anmeldungmuellerbank.com",
            "muellerbank.login.top",
            "www.muellerbank.de.verify-id.top",
            "muellerbank-de.verify.top",
            "muellerbank.com.verify.top",
            "grossevaerk-login.com",
            "groessevaerk.dk.verify.top",
        ] {
            assert!(!inside(host, &NAMES).is_empty(), "{host}");
        }
        for host in [
            "muellerbank.de",
            "www.muellerbank.de",
            "login.muellerbank.de",
            "muellerbank-login.muellerbank.de",
            "muellerbank.com",
            "muellerbanker.de",
            "muellerbank-fans.de",
            "muellerbank.shop.example.com",
            "muellerbank.de.proxy.example.edu",
            "mueller-login.de",
        ] {
            assert_eq!(inside(host, &NAMES), "", "{host}");
        }
    }

    #[test]
    fn what_is_found_of_names_in_ascii_is_found_of_others() {
        for host in [
            "mlülerbank.de",
            "втелуга.рф",
            "müllerbankanmeldung.de",
            "müllerbank.com.evilhost.ru",
            "ветлуга.com.evilhost.ru",
            "ветлугавход.рф",
            "ветлуга-вход.рф",
            "力エデペイ.com",
        ] {
            assert!(!inside(host, &NAMES).is_empty(), "{host}");
        }
        for host in [
            "müllerbank.de",
            "müllerbank.shop.example.com",
            "müllerbank-fans.de",
            "müllerbänke.net",
            "カエデペイ.com",
            "вход.рф",
            "login.com",
        ] {
            assert_eq!(inside(host, &NAMES), "", "{host}");
        }
    }
}
