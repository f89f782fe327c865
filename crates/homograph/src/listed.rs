//! Names that are often visited, at the degree suspect: thousands, found by one look-up.
//!
//! The list (`listed.txt`) says what a reader knows, not what deserves protection: a host whose
//! letters are not those of a listed name but look like them is reported. Only letters beyond ASCII
//! count, and letters of the country whose top-level domain it is do not.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::OnceLock;

use super::lookalike::{Likeness, Look, LookHash, likeness, looks, name_look};
use super::names::LookHasher;
use super::reading::Sights;
use super::target::{Hit, Host, Subject};
use crate::verdict::{Reason, Verdict};

/// Registrable names, one a line; the head says where they are from.
const NAMES: &str = include_str!("listed.txt");

/// Shortest label that is recognised under another suffix than its own, and under its own.
const ELSEWHERE: usize = 5;
const WHOLE: usize = 2;

/// Letters of a name that no word of another script comes near by chance, and with the suffix of
/// the name behind it.
const LONG: usize = 6;
const SHORT: usize = 4;

/// The built-in list. Reading it takes longer than all else that a start does, and most messages hold
/// nothing that it is asked about: it is read when the first host beyond ASCII is judged.
#[derive(Debug, Default)]
pub(super) struct Listed(OnceLock<Looks>);

/// The names by what they read as.
#[derive(Debug)]
struct Looks {
    by_look: HashMap<u64, Vec<&'static str>, BuildHasherDefault<LookHasher>>,
    beginnings: Beginnings,
}

/// Which looks some name begins with: a set of bits that errs on the side of yes.
#[derive(Debug)]
struct Beginnings(Vec<u64>);

/// Bits of the set: about eight for each of the beginnings of ten thousand names.
const BITS: u64 = 1 << 19;

impl Beginnings {
    fn place(look: LookHash) -> (usize, u64) {
        let hash = look.value();
        let bit = (hash ^ hash >> 32) % BITS;
        (usize::try_from(bit / 64).unwrap_or_default(), 1 << (bit % 64))
    }

    fn add(&mut self, look: LookHash) {
        let (word, bit) = Beginnings::place(look);
        if let Some(word) = self.0.get_mut(word) {
            *word |= bit;
        }
    }

    fn holds(&self, look: LookHash) -> bool {
        let (word, bit) = Beginnings::place(look);
        self.0.get(word).is_some_and(|word| word & bit != 0)
    }
}

/// The registrable label of a name of the list.
fn brand(name: &str) -> &str {
    name.split_once('.').map_or(name, |(label, _)| label)
}

impl Listed {
    /// The listed name that a label of the host reads as most.
    pub(super) fn find(&self, subject: &Subject<'_>) -> Option<Hit> {
        let host = Host::of(subject);
        let labels = subject.parts.iter().zip(subject.sights).enumerate();
        labels
            .take_while(|(at, _)| *at <= host.registrable)
            .filter(|(_, (part, _))| !part.unicode.is_ascii() || !part.spelling.is_ascii())
            .filter_map(|(at, (_, sights))| {
                self.0.get_or_init(Looks::builtin).label(&host, at, sights)
            })
            .max_by_key(|hit| hit.verdict)
    }
}

impl Looks {
    fn builtin() -> Looks {
        let mut listed = Looks {
            by_look: HashMap::default(),
            beginnings: Beginnings(vec![0; usize::try_from(BITS / 64).unwrap_or_default()]),
        };
        for name in NAMES.lines().filter(|line| !line.starts_with('#')) {
            let look = name_look(brand(name), |beginning| listed.beginnings.add(beginning));
            listed.by_look.entry(look).or_default().push(name);
        }
        listed
    }

    fn label(&self, host: &Host<'_>, at: usize, sights: &Sights) -> Option<Hit> {
        let found = looks(sights, |beginning| self.beginnings.holds(beginning));
        let names = found.iter().filter_map(|look| self.by_look.get(look)).flatten();
        names
            .filter_map(|name| {
                let look = Look::new(brand(name));
                let how = likeness(sights, &look)?;
                let verdict = judge(host, at, sights, name, &look, how)?;
                let target = (*name).to_owned();
                Some(Hit { target, label: at, verdict, reason: Reason::TargetLookalike })
            })
            .max_by_key(|hit| hit.verdict)
    }
}

fn judge(
    host: &Host<'_>,
    at: usize,
    sights: &Sights,
    name: &str,
    look: &Look,
    how: Likeness,
) -> Option<Verdict> {
    if how < Likeness::Marks || host.is_at_home(at) {
        return None;
    }
    let whole = host.ends_as(at, name);
    if look.len() < if whole { WHOLE } else { ELSEWHERE } {
        return None;
    }
    let latin = sights.iter().any(|(c, _)| c.is_ascii_alphabetic());
    match how {
        // UTS #39 §4.1: every letter is a twin.
        Likeness::Foreign if !latin && look.len() >= ELSEWHERE => Some(Verdict::Unsafe),
        Likeness::Alike | Likeness::Rough if !latin => {
            let long = if whole { SHORT } else { LONG };
            Some(if look.len() < long { Verdict::Notice } else { Verdict::Suspect })
        }
        _ => Some(Verdict::Suspect),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sound() {
        let names: Vec<&str> = NAMES.lines().filter(|line| !line.starts_with('#')).collect();
        assert!((9_000..=10_000).contains(&names.len()), "{}", names.len());
        assert!(names.is_sorted());
        for name in names {
            let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
            assert!(name.bytes().all(|b| plain(b) || matches!(b, b'.' | b'-' | b'_')), "{name}");
            assert!(name.contains('.'), "{name}");
        }
    }

    #[test]
    fn beginnings_are_seldom_mistaken() {
        let listed = Looks::builtin();
        let set: u32 = listed.beginnings.0.iter().map(|word| word.count_ones()).sum();
        assert!(u64::from(set) < BITS / 4, "{set} of {BITS} bits");
    }
}
