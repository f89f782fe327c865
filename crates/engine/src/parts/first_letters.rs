//! Names whose first letter stands in an element of its own, in another size or colour: `<b>e</b>xample.com`. Programs
//! that link each text by itself take the rest for a host, which is one letter away from the name.

use std::collections::{HashMap, HashSet};

use super::super::judging::Judge;
use super::super::outcome::{Reason, Verdict};
use crate::judging::judged::Judged;
use maillinks::{Occurrence, Site};
use uts58::{Link, Target};

/// Bytes of the letters in front, at most.
const LETTERS: usize = 2;

/// Lowers the verdict of what is left of a name without its first letters, where the whole is a host of the owner.
/// Linear: wholes are found by where they end.
pub(super) fn downgrade_rests(
    occurrences: &[Occurrence],
    judged: &mut [Option<Judged>],
    judge: &Judge<'_>,
) {
    let wanted: HashSet<HostPlace> = occurrences
        .iter()
        .zip(&*judged)
        .filter(|(_, judged)| judged.as_ref().is_some_and(|one| slip(one).is_some()))
        .filter_map(|(occurrence, _)| place(occurrence))
        .flat_map(wholes)
        .collect();
    if wanted.is_empty() {
        return;
    }
    let known: HashMap<HostPlace, &str> = occurrences
        .iter()
        .zip(&*judged)
        .filter_map(|(occurrence, judged)| {
            let harmless = judged.as_ref().filter(|one| one.verdict <= Verdict::Notice)?;
            let place = place(occurrence).filter(|place| wanted.contains(place))?;
            Some((place, harmless.host.as_ref()?.ascii.as_str()))
        })
        .collect();
    let is_rest = |(occurrence, judged): (&Occurrence, &Option<Judged>)| {
        let (Some(rest), Some(name)) = (place(occurrence), judged.as_ref().and_then(slip)) else {
            return false;
        };
        let mut wholes = wholes(rest).filter_map(|whole| known.get(&whole));
        wholes.any(|host| judge.are_of_one_owner(host, name) || judge.is_national_site(host, name))
    };
    let rests: Vec<bool> = occurrences.iter().zip(&*judged).map(is_rest).collect();
    for (judged, is_rest) in judged.iter_mut().zip(rests) {
        judged.iter_mut().filter(|_| is_rest).for_each(Judged::downgrade);
    }
}

/// The name that a host is one letter away from, if nothing else is against it.
fn slip(judged: &Judged) -> Option<&String> {
    let of_slip =
        |reason: Reason| reason == Reason::TargetLookalike || reason.verdict() <= Verdict::Notice;
    let is_slip = judged.verdict == Verdict::Suspect && judged.reasons.iter().all(of_slip);
    judged.target().filter(|_| is_slip)
}

/// Where a host stands in visible text.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct HostPlace {
    /// Index of the text.
    text: usize,
    start: usize,
    end: usize,
}

/// Where the names may stand of which this is the rest.
fn wholes(rest: HostPlace) -> impl Iterator<Item = HostPlace> {
    let start = move |letters| rest.start.checked_sub(letters);
    (1..=LETTERS).filter_map(start).map(move |start| HostPlace { start, ..rest })
}

fn place(occurrence: &Occurrence) -> Option<HostPlace> {
    match &occurrence.target {
        Target::Link(Link { host, .. }) if occurrence.site == Site::HtmlText => {
            Some(HostPlace { text: occurrence.seen, start: host.start, end: host.end })
        }
        _ => None,
    }
}
