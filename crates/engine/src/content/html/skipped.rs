//! Elements inside a word, whose text a page may not show: a style sheet can hide any by name, identifier or attribute
//! (CSS Selectors 4), and `<title>` of a drawing, `<datalist>` or `<video>` show theirs rarely or never.
//!
//! The word is also read without them. Most names found in this way are not shown, so that only a deceptive one
//! counts.

use std::ops::Range;

use super::elements::{self, Key};
use crate::content::joined::{Joined, first_word, last_word};
use uts58::unicode::a_label::has_a_label;
use uts58::unicode::is_dot_to_somebody;

/// Maximum number of elements that are open inside a word: with more the oldest is dropped.
const OPEN: usize = 16;

/// Maximum bytes of a word on either side of an element: a host has fewer.
const SIDE: usize = 256;

/// Maximum bytes of the words, as a multiple of the visible text.
const OVERLAP: usize = 2;

/// The elements inside words of one stretch of visible text.
#[derive(Debug, Default)]
pub(super) struct Skipped {
    /// Open elements: the key and the range of the name in the source, and the offset in the visible text.
    open: Vec<(Key, Range<usize>, usize)>,
    /// Closed elements, in the order of their end tags.
    elements: Vec<Range<usize>>,
}

impl Skipped {
    /// Handles a start tag inside a word: its name, and the bytes of visible text so far.
    pub fn enter(&mut self, text: &str, name: Range<usize>, from: usize) {
        if self.open.len() == OPEN {
            self.open.remove(0);
        }
        self.open.push((key(text, &name), name, from));
    }

    /// Handles an end tag of this name.
    #[inline]
    pub fn leave(&mut self, text: &str, name: &Range<usize>, to: usize) {
        if !self.open.is_empty() {
            self.leave_one(text, name, to);
        }
    }

    fn leave_one(&mut self, text: &str, name: &Range<usize>, to: usize) {
        let slice = |range: &Range<usize>| text.get(range.clone()).unwrap_or_default();
        let wanted = key(text, name);
        let is = |(key, open, _): &(Key, Range<usize>, usize)| {
            *key == wanted && (key.is_whole() || slice(open).eq_ignore_ascii_case(slice(name)))
        };
        let Some(at) = self.open.iter().rposition(is) else { return };
        let from = self.open.get(at).map_or(to, |(_, _, from)| *from);
        self.open.truncate(at);
        if from < to {
            self.elements.push(from..to);
        }
    }

    /// Whether one ends at this offset of the visible text: the next text may continue the word before it.
    pub fn ends_at(&self, at: usize) -> bool {
        self.elements.last().is_some_and(|element| element.end == at)
    }

    /// The words without such elements, if they may be deceptive. Linear: words around nested elements overlap, and
    /// come to at most [`OVERLAP`] times the text.
    pub fn words(&self, shown: &str) -> Joined {
        let mut joined = Joined::default();
        let may_deceive = || !shown.is_ascii() || memchr::memchr(b'-', shown.as_bytes()).is_some();
        if self.elements.is_empty() || !may_deceive() {
            return joined;
        }
        let slice = |range: Range<usize>| shown.get(range).unwrap_or_default();
        let in_a_word = |one: &Range<usize>, next: &Range<usize>| {
            one.end <= next.start && !slice(one.end..next.start).contains(char::is_whitespace)
        };
        let max = OVERLAP * shown.len() + 2 * SIDE;
        for row in self.elements.chunk_by(in_a_word) {
            let (Some(first), Some(last)) = (row.first(), row.last()) else { continue };
            let from = shown.floor_char_boundary(first.start.saturating_sub(SIDE));
            let to = shown.ceil_char_boundary(last.end + SIDE);
            let start = last_word(shown, from..first.start).start;
            let end = first_word(shown, last.end..to).end;
            let starts = std::iter::once(start).chain(row.iter().map(|element| element.end));
            let ends = row.iter().map(|element| element.start).chain([end]);
            let pieces: Vec<Range<usize>> =
                starts.zip(ends).map(|(start, end)| start..end).collect();
            let texts = || pieces.iter().map(|piece| slice(piece.clone()));
            let is_plain = |text: &str| text.is_ascii() && !text.contains('-');
            if !texts().any(|text| text.contains(is_dot_to_somebody)) || texts().all(is_plain) {
                continue;
            }
            let word: String = texts().collect();
            if word.is_ascii() && !has_a_label(word.as_bytes()) {
                continue;
            }
            joined.cut = joined.len() + word.len() > max;
            if joined.cut {
                break;
            }
            // The character that ends the word separates it from the next.
            let after = slice(end..to).chars().next().map_or(0, char::len_utf8);
            joined.add(pieces, end..end + after);
        }
        joined
    }
}

fn key(text: &str, name: &Range<usize>) -> Key {
    elements::key_of(text.as_bytes().get(name.clone()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words; some are left out only if there are many.
    fn words(shown: &str, elements: &[(usize, usize)]) -> String {
        let skipped = Skipped {
            open: Vec::new(),
            elements: elements.iter().map(|(from, to)| *from..*to).collect(),
        };
        let joined = skipped.words(shown);
        assert!(!joined.cut || joined.len() > shown.len());
        joined.text_and_joints(shown).0
    }

    #[test]
    fn words_without_the_elements_inside() {
        let shown = "see https://p\u{430}\njunk\nypal.com/x y";
        assert_eq!(words(shown, &[(15, 21)]), "https://p\u{430}ypal.com/x ");
        assert_eq!(words("p\u{430}1y2pal.com z", &[(3, 4), (5, 6)]), "p\u{430}ypal.com ");
        // The inner one alone, then the outer one.
        assert_eq!(
            words("p\u{430}12ypal.com z", &[(4, 5), (3, 5)]),
            "p\u{430}1ypal.com p\u{430}ypal.com "
        );
    }

    #[test]
    fn harmless_words_are_not_joined() {
        assert_eq!(words("pay1pal.com", &[(3, 4)]), "");
        assert_eq!(words("p\u{430}1y z", &[(3, 4)]), "");
    }

    #[test]
    fn words_around_nested_elements_are_bounded() {
        let shown = "p\u{430}y.com".repeat(10_000);
        let nested = |at: usize| [(at + 3, at + 4), (at + 1, at + 4)];
        let elements: Vec<_> = (1..10_000).flat_map(|index| nested(index * 8)).collect();
        let words = words(&shown, &elements);
        assert!((1..=2 * shown.len() + 2 * SIDE).contains(&words.len()), "{}", words.len());
    }

    #[test]
    fn elements_end_with_the_last_tag_of_their_name() {
        let text = "<b><I></i></b></b>";
        let mut skipped = Skipped::default();
        skipped.enter(text, 1..2, 3);
        skipped.enter(text, 4..5, 4);
        skipped.leave(text, &(8..9), 6);
        skipped.leave(text, &(12..13), 9);
        skipped.leave(text, &(16..17), 9);
        assert_eq!(skipped.elements, [4..6, 3..9]);
    }
}
