//! Words put together of stretches of a text, as those see them to whom what stands between the stretches is not
//! there. Honest text has names there that nobody is shown so, and only a lie counts.

use std::ops::Range;

use super::mapped::MappedText;
use super::{Markup, Occurrence, SeenBy, Site, View, search_steps};
use uts58::{Link, Linkifier};

/// Words of one text, one behind the other.
#[derive(Debug, Default)]
pub struct Joined {
    stretches: Vec<Range<usize>>,
    /// Where the stretches of a word meet, in bytes of the words.
    cuts: Vec<usize>,
    /// Bytes of the words.
    length: usize,
    /// Whether words were left out.
    pub cut: bool,
}

impl Joined {
    /// Adds a word: its stretches, and what parts it from the next one.
    pub fn add(&mut self, pieces: Vec<Range<usize>>, behind: Range<usize>) {
        let last = pieces.len().saturating_sub(1);
        for (index, piece) in pieces.iter().enumerate() {
            self.length += piece.len();
            self.cuts.extend((index < last).then_some(self.length));
        }
        self.length += behind.len();
        self.stretches.extend(pieces);
        self.stretches.push(behind);
    }

    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Bytes of the words.
    pub fn len(&self) -> usize {
        self.length
    }

    /// The words, of the text that they are of.
    pub fn of<'o>(&self, seen: &MappedText<'_>) -> MappedText<'o> {
        seen.joined(&self.stretches)
    }

    fn is_cut(&self, link: &Link) -> bool {
        let first = self.cuts.partition_point(|cut| *cut <= link.span.start);
        self.cuts.get(first).is_some_and(|cut| *cut < link.host.end)
    }
}

impl<'l> View<'l> {
    /// Adds the links of joined words that run across a cut, so many at most: how many those were.
    pub(super) fn across(
        &mut self,
        linkifier: &Linkifier<'_>,
        (joined, words): (&Joined, MappedText<'l>),
        room: usize,
        site: &Site,
    ) -> usize {
        self.cut |= joined.cut;
        if joined.is_empty() {
            return 0;
        }
        let index = self.seen.len();
        let mut links = linkifier.links(words.as_str());
        let mut new = links.by_ref().filter(|link| joined.is_cut(link));
        let fitting = new.by_ref().take(room).map(|link| Occurrence {
            markup: Markup::Shown,
            seen_by: SeenBy::Careless,
            ..Occurrence::in_text(index, link, site.clone())
        });
        let fitting: Vec<Occurrence> = fitting.collect();
        let added = fitting.len();
        self.cut |= added == room && new.next().is_some();
        self.steps += joined.len() as u64 + search_steps(&links);
        drop(links);
        if added > 0 {
            self.occurrences.extend(fitting);
            self.seen.push(words);
        }
        added
    }
}

/// The word at the end of a stretch of text.
pub fn last_word(text: &str, range: Range<usize>) -> Range<usize> {
    let words = text.get(range.clone()).unwrap_or_default();
    let length = words.rsplit(char::is_whitespace).next().unwrap_or_default().len();
    range.end - length..range.end
}

/// The word at its start.
pub fn first_word(text: &str, range: Range<usize>) -> Range<usize> {
    let words = text.get(range.clone()).unwrap_or_default();
    let length = words.split(char::is_whitespace).next().unwrap_or_default().len();
    range.start..range.start + length
}

#[cfg(test)]
impl Joined {
    /// The words of a text, and where their stretches meet.
    pub fn said<'j>(&'j self, text: &str) -> (String, &'j [usize]) {
        let pieces = self.stretches.iter().filter_map(|stretch| text.get(stretch.clone()));
        (pieces.collect(), &self.cuts)
    }
}
