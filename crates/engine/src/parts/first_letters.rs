//! Names whose first letter stands in an element of its own, in another size or colour: `<b>e</b>xample.com`. Programs
//! that link each text by itself take the rest for a host, which is one letter away from the name.

use super::super::content::{Occurrence, Site};
use super::super::judged::Judged;
use super::super::judging::Judge;
use super::super::outcome::{Reason, Verdict};
use uts58::{Link, Target};

/// Bytes of the letters in front, at most.
const LETTERS: usize = 2;

/// Lowers the verdict of what is left of a name without its first letters, where the whole is a host of the owner.
pub(super) fn downgrade_rests(
    occurrences: &[Occurrence],
    judged: &mut [Option<Judged>],
    judge: &Judge<'_>,
) {
    for at in 0..occurrences.len() {
        let Some((target, rest)) = slip(occurrences, judged, at) else { continue };
        let is_whole = |(occurrence, judged): (&Occurrence, &Option<Judged>)| {
            let (Some(whole), Some(judged)) = (text_link(occurrence), judged) else { return false };
            let letters = rest.host.start.checked_sub(whole.host.start);
            occurrences.get(at).is_some_and(|one| one.seen == occurrence.seen)
                && whole.host.end == rest.host.end
                && letters.is_some_and(|letters| (1..=LETTERS).contains(&letters))
                && judged.verdict <= Verdict::Notice
                && judged.host.as_ref().is_some_and(|host| {
                    judge.are_of_one_owner(&host.ascii, &target)
                        || judge.is_national_site(&host.ascii, &target)
                })
        };
        if occurrences.iter().zip(&*judged).any(is_whole)
            && let Some(Some(judged)) = judged.get_mut(at)
        {
            judged.downgrade();
        }
    }
}

/// The name that the link at this index is one letter away from, and the link, if nothing else is against it.
fn slip(
    occurrences: &[Occurrence],
    judged: &[Option<Judged>],
    at: usize,
) -> Option<(String, Link)> {
    let (occurrence, judged) = (occurrences.get(at)?, judged.get(at)?.as_ref()?);
    let of_slip =
        |reason: Reason| reason == Reason::TargetLookalike || reason.verdict() <= Verdict::Notice;
    let is_slip = judged.verdict == Verdict::Suspect && judged.reasons.iter().all(of_slip);
    let link = text_link(occurrence).filter(|_| is_slip)?;
    Some((judged.target()?.clone(), link.clone()))
}

/// The link of an occurrence in visible text.
fn text_link(occurrence: &Occurrence) -> Option<&Link> {
    match &occurrence.target {
        Target::Link(link) if occurrence.site == Site::HtmlText => Some(link),
        _ => None,
    }
}
