//! Words joined from stretches of a text, as seen by programs that drop what is between the stretches. In honest text
//! such names are not shown, so that only a deceptive one counts.

use std::ops::Range;

use super::mapped::MappedText;
use super::{Markup, Occurrence, SeenBy, Site, View, search_steps};
use uts58::{Link, Linkifier};

/// Steps of a link across a joint, beside those of every link: its text is searched and judged once more, and it is looked
/// up in two maps.
const JOINED_STEPS: u64 = 320;

/// Joined words of one text, one after another.
#[derive(Debug, Default)]
pub struct Joined {
    stretches: Vec<Range<usize>>,
    /// Where the stretches of a word are joined, in bytes of the words.
    joints: Vec<usize>,
    /// Bytes of the words.
    length: usize,
    /// Whether words were left out.
    pub cut: bool,
}

impl Joined {
    /// Adds a word: its stretches, and the separator after it.
    pub fn add(&mut self, pieces: Vec<Range<usize>>, after: Range<usize>) {
        let last = pieces.len().saturating_sub(1);
        for (index, piece) in pieces.iter().enumerate() {
            self.length += piece.len();
            self.joints.extend((index < last).then_some(self.length));
        }
        self.length += after.len();
        self.stretches.extend(pieces);
        self.stretches.push(after);
    }

    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// How many stretches the words have.
    pub fn stretches(&self) -> usize {
        self.stretches.len()
    }

    /// Bytes of the words.
    pub fn len(&self) -> usize {
        self.length
    }

    /// The words, mapped to the text that they are from.
    pub fn of<'o>(&self, seen: &MappedText<'_>) -> MappedText<'o> {
        seen.joined(&self.stretches)
    }

    /// The words of the text that they are from.
    pub fn text(&self, seen: &str) -> String {
        let pieces = self.stretches.iter().filter_map(|stretch| seen.get(stretch.clone()));
        pieces.collect()
    }

    /// Tells where bytes of the words are in the text; to be asked in ascending order.
    pub fn sources(&self) -> impl FnMut(usize) -> usize {
        let mut stretches = self.stretches.iter().peekable();
        let mut before = 0;
        move |at| {
            while let Some(stretch) = stretches.next_if(|stretch| before + stretch.len() <= at) {
                before += stretch.len();
            }
            stretches.peek().map_or(usize::MAX, |stretch| stretch.start + at - before)
        }
    }

    fn crosses_joint(&self, link: &Link) -> bool {
        let first = self.joints.partition_point(|joint| *joint <= link.span.start);
        self.joints.get(first).is_some_and(|joint| *joint < link.host.end)
    }
}

impl<'l> View<'l> {
    /// Adds the links of joined words that run across a joint, at most `capacity`. Returns how many.
    pub(super) fn add_across_joints(
        &mut self,
        linkifier: &Linkifier<'_>,
        (joined, words): (&Joined, MappedText<'l>),
        capacity: usize,
        site: &Site,
    ) -> usize {
        // Without room nothing is searched, and what is joined counts as left out.
        self.cut |= joined.cut || capacity == 0 && !joined.is_empty();
        if joined.is_empty() || capacity == 0 {
            return 0;
        }
        let index = self.seen.len();
        let mut links = linkifier.links(words.as_str());
        let mut new = links.by_ref().filter(|link| joined.crosses_joint(link));
        let fitting = new.by_ref().take(capacity).map(|link| Occurrence {
            markup: Markup::Shown,
            seen_by: SeenBy::Lenient,
            ..Occurrence::in_text(index, link, site.clone())
        });
        let fitting: Vec<Occurrence> = fitting.collect();
        let added = fitting.len();
        self.cut |= added == capacity && new.next().is_some();
        let links_across = JOINED_STEPS * added as u64;
        self.steps += joined.len() as u64 + search_steps(&links) + links_across;
        drop(links);
        if added > 0 {
            self.occurrences.extend(fitting);
            self.seen.push(words);
        }
        added
    }
}

/// The word at the end of a range of text.
pub fn last_word(text: &str, range: Range<usize>) -> Range<usize> {
    let words = text.get(range.clone()).unwrap_or_default();
    let length = words.rsplit(char::is_whitespace).next().unwrap_or_default().len();
    range.end - length..range.end
}

/// The word at the start of a range of text.
pub fn first_word(text: &str, range: Range<usize>) -> Range<usize> {
    let words = text.get(range.clone()).unwrap_or_default();
    let length = words.split(char::is_whitespace).next().unwrap_or_default().len();
    range.start..range.start + length
}

#[cfg(test)]
impl Joined {
    /// The words of a text, and where their stretches are joined.
    pub fn text_and_joints<'j>(&'j self, text: &str) -> (String, &'j [usize]) {
        (self.text(text), &self.joints)
    }
}
