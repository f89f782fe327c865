//! What stands against a text that is shown as a title: a Subject, the summary of an event.

use std::ops::Range;
use std::sync::Arc;

use super::Judged;
use crate::outcome::{Reason, Verdict};
use homograph::Disguise;

/// A title with its judgement.
pub struct Title {
    pub judged: Judged,
    /// The letters as spelled, or all of a text that is turned.
    pub spelled: String,
    /// The name that they read as.
    pub name: Option<String>,
}

impl Title {
    /// Judges a text by how it is shown and by its letters that are look-alikes. `None` if nothing is against it.
    pub fn judged(text: &str, shown: &str, disguise: Option<Disguise>) -> Option<Title> {
        let mut judged = Judged::of_text(Arc::default());
        // Words of a script without capitals may be turned to be shown as they are read.
        let reversed = !Iterator::eq(cased(text), cased(shown));
        if reversed {
            judged.add_with(Reason::BidiControl, Verdict::Suspect);
        }
        let (spelled, name) = match disguise {
            None if !reversed => return None,
            None => (shown.to_owned(), None),
            Some(disguise) => {
                judged.add_with(Reason::TextLookalike, disguise.verdict);
                (disguise.spelled, disguise.name)
            }
        };
        Some(Title { judged, spelled, name })
    }
}

/// A text with a blank in place of each of its links, given in order: they are judged as such.
pub fn without_links(text: &str, links: impl DoubleEndedIterator<Item = Range<usize>>) -> String {
    let mut words = text.to_owned();
    links.rev().for_each(|link| words.replace_range(link, " "));
    words
}

/// The letters of scripts that have capitals.
fn cased(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| c.is_lowercase() || c.is_uppercase())
}
