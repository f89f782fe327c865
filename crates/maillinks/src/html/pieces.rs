//! Words of anchors that elements part on the screen and not in the text: `www.example.com<sup>1</sup>`,
//! `<b>Visit</b><span style="margin:9px">example.com</span>`. A reader sees a gap, a smaller letter or a frame there.

use std::ops::Range;

use super::compared::shows_host;
use crate::joined::{first_word, last_word};
use uts58::tlds::TldSet;

/// Maximum bytes of a word, and of places in it where elements begin or end, that are looked at: a host is as long, and
/// designers part a word in few.
const WORD_BYTES: usize = 256;
const PLACES: usize = 16;

/// Maximum number of places at which a host may begin, and at which it may end, without those of the word itself.
const ENDS: usize = 2;

/// Steps of a word that is looked at, and of a place in it; and those of each byte of what is read there.
const WORD_STEPS: u64 = 64;
const PLACE_STEPS: u64 = 16;
const BYTE_STEPS: u64 = 2;

/// The parts of words in a range of the visible text that begin or end where an element does (`nodes`) and may be
/// hosts, with the steps that took.
pub(super) fn hosts(
    text: &str,
    range: &Range<usize>,
    nodes: &[usize],
    tlds: &dyn TldSet,
) -> (Vec<Range<usize>>, u64) {
    let (mut found, mut steps) = (Vec::new(), 0);
    let first = nodes.partition_point(|at| *at <= range.start);
    let mut rest = nodes.get(first..).unwrap_or_default();
    while let Some(node) = rest.first().filter(|at| **at < range.end) {
        let from = text.floor_char_boundary(node.saturating_sub(WORD_BYTES)).max(range.start);
        let to = text.ceil_char_boundary(node + WORD_BYTES).min(range.end);
        let word = last_word(text, from..*node).start..first_word(text, *node..to).end;
        let inside = rest.partition_point(|at| *at < word.end);
        let (here, behind) = rest.split_at(inside.max(1));
        rest = behind;
        let shown = text.get(word.clone()).unwrap_or_default();
        steps += WORD_STEPS + shown.len() as u64;
        if shows_host(shown) {
            let here = here.get(..PLACES).unwrap_or(here);
            steps += PLACE_STEPS * here.len() as u64;
            let before = found.len();
            found.extend(parts(text, &word, here, tlds));
            let new = found.iter().skip(before).map(|part| part.len() as u64);
            steps += BYTE_STEPS * new.sum::<u64>();
        }
    }
    (found, steps)
}

/// The parts of a word between two of these places, or its ends, that may be hosts, without the word itself.
fn parts(
    text: &str,
    word: &Range<usize>,
    places: &[usize],
    tlds: &dyn TldSet,
) -> Vec<Range<usize>> {
    let slice = |range: Range<usize>| text.get(range).unwrap_or_default();
    let parted = || {
        places.iter().copied().filter(|at| {
            let before = slice(word.start..*at).chars().next_back();
            let after = slice(*at..word.end).chars().next();
            [before, after].into_iter().all(|c| c.is_some_and(char::is_alphanumeric))
        })
    };
    let ends_host = |end: &usize| {
        slice(word.start..*end).rsplit_once('.').is_some_and(|(_, tld)| tlds.exists_as(tld))
    };
    let starts = parted().filter(|start| shows_host(slice(*start..word.end)));
    let starts = || std::iter::once(word.start).chain(starts.clone().take(ENDS));
    let ends = parted().filter(ends_host).take(ENDS).chain([word.end]);
    let pairs = ends.flat_map(|end| starts().map(move |start| start..end));
    pairs
        .filter(|part| part != word && part.start < part.end && shows_host(slice(part.clone())))
        .collect()
}
