//! Elements inside a word, whose text a page may not show: a style sheet can hide any by name, identifier or attribute
//! (CSS Selectors 4), and `<title>` of a drawing, `<datalist>` or `<video>` show theirs rarely or never.
//!
//! The word is also read without them. Most names found in this way are not shown, so that only a deceptive one
//! counts.

use std::cell::OnceCell;
use std::ops::Range;

use super::Anchor;
use super::compared::shows_host;
use super::sheets::HidingRules;
use super::token::{ElementName, Tag};
use crate::joined::{Joined, first_word, last_word};
use crate::runs::narrow;
use uts58::unicode::a_label::has_a_label;
use uts58::unicode::is_dot_to_somebody;

/// Maximum number of elements that are open inside a word: with more the oldest is dropped.
const OPEN: usize = 16;

/// Maximum bytes of a word on either side of an element: a host has fewer.
const SIDE: usize = 256;

/// Maximum bytes of the words, as a multiple of the visible text.
const OVERLAP: usize = 2;

/// Steps of each byte of a tag that is asked for whether it hides.
const TAG_STEPS: u64 = 16;

/// The text of an element, and its tag in the source. A page can have one for every seven bytes: offsets take little.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ElementInWord {
    text: Range<u32>,
    tag: Range<u32>,
}

impl ElementInWord {
    fn new(text: Range<usize>, tag: Range<usize>) -> ElementInWord {
        let packed = |range: Range<usize>| narrow(range.start)..narrow(range.end);
        ElementInWord { text: packed(text), tag: packed(tag) }
    }

    /// The range in the visible text.
    fn text(&self) -> Range<usize> {
        self.text.start as usize..self.text.end as usize
    }

    /// The range of the tag in the source.
    fn tag(&self) -> Range<usize> {
        self.tag.start as usize..self.tag.end as usize
    }
}

/// The elements inside words of one stretch of visible text.
#[derive(Debug, Default)]
pub(super) struct Skipped {
    open: Vec<OpenElement>,
    /// Closed elements, in the order of their end tags: the text in them, and where their tags are in the source.
    elements: Vec<ElementInWord>,
    /// Where the text of the last one ends that began inside a word.
    last_end: Option<usize>,
}

#[derive(Clone, Debug)]
struct OpenElement {
    tag: Tag,
    /// The offset in the visible text.
    from: usize,
    /// Whether it began inside a word.
    in_word: bool,
}

impl Skipped {
    /// Handles a start tag inside a word, or in front of one: the tag, and the bytes of visible text so far.
    pub fn enter(&mut self, tag: &Tag, from: usize, in_word: bool) {
        if self.open.len() == OPEN {
            self.open.remove(0);
        }
        self.open.push(OpenElement { tag: tag.clone(), from, in_word });
    }

    /// Handles an end tag of this name.
    pub fn leave(&mut self, text: &str, name: &ElementName, to: usize) {
        let is = |open: &OpenElement| open.tag.name.is(name, text);
        let Some(at) = self.open.iter().rposition(is) else { return };
        let closed = self.open.drain(at..).next();
        let inside = closed.filter(|open| open.from < to);
        let in_word = inside.as_ref().is_some_and(|open| open.in_word);
        self.last_end = Some(to).filter(|_| in_word).or(self.last_end);
        self.elements.extend(inside.map(|open| ElementInWord::new(open.from..to, open.tag.range)));
    }

    /// Whether one ends at this offset of the visible text: the next text may continue the word before it.
    pub fn ends_at(&self, at: usize) -> bool {
        self.last_end == Some(at)
    }

    /// The words without such elements, if they may be deceptive and the page may hide the elements. Linear: words
    /// around nested elements overlap, and come to at most [`OVERLAP`] times the text.
    pub fn words(&self, shown: &str, page: &str, rules: &OnceCell<HidingRules>) -> Joined {
        let mut joined = Joined::default();
        let may_deceive = || !shown.is_ascii() || memchr::memchr(b'-', shown.as_bytes()).is_some();
        if self.elements.is_empty() || !may_deceive() {
            return joined;
        }
        let slice = |range: Range<usize>| shown.get(range).unwrap_or_default();
        let in_a_word =
            |one: &&ElementInWord, next: &&ElementInWord| are_in_a_word(shown, one, next);
        let continues = |element: &&ElementInWord| {
            let before = slice(0..element.text().start).chars().next_back();
            before.is_some_and(|c| !c.is_whitespace())
        };
        let all: Vec<&ElementInWord> = self.elements.iter().filter(continues).collect();
        // Most pages have no such word, and need not be asked what they hide.
        if !all.chunk_by(in_a_word).any(|row| deceptive(shown, row).is_some()) {
            return joined;
        }
        let rules = rules.get_or_init(|| HidingRules::of(page));
        let may_hide =
            |element: &&ElementInWord| rules.may_hide(page.get(element.tag()).unwrap_or_default());
        let hidden: Vec<&ElementInWord> = all.into_iter().filter(may_hide).collect();
        let max = OVERLAP * shown.len() + 2 * SIDE;
        for pieces in hidden.chunk_by(in_a_word).filter_map(|row| deceptive(shown, row)) {
            let length: usize = pieces.iter().map(Range::len).sum();
            let end = pieces.last().map_or(0, |last| last.end);
            joined.cut = joined.len() + length > max;
            if joined.cut {
                break;
            }
            joined.add(pieces, end..end_of_next(shown, end));
        }
        joined
    }

    /// The words of anchors without elements that the page may hide, if they may be hosts. Linear: of nested elements
    /// the outermost is left out. Also the steps that it takes.
    pub fn words_in(
        &self,
        anchors: &[Anchor],
        shown: &str,
        page: &str,
        rules: &OnceCell<HidingRules>,
    ) -> (Joined, u64) {
        let mut joined = Joined::default();
        let mut steps = 0;
        let mut hidden: Vec<&ElementInWord> = Vec::new();
        let mut shows_dot = (usize::MAX, false);
        for element in &self.elements {
            let inner = element.text();
            let at = anchors.partition_point(|anchor| anchor.text.end < inner.end);
            let Some(anchor) = anchors.get(at) else { break };
            if shows_dot.0 != at {
                let text = shown.get(anchor.text.clone()).unwrap_or_default();
                shows_dot = (at, anchor.occurrence.is_some() && text.contains(is_dot_to_somebody));
            }
            // Most elements are all of their word, or in no such anchor, and need not be asked for.
            let inside = anchor.text.start <= inner.start;
            if !inside || !shows_dot.1 || is_all_of_word(shown, &inner) {
                continue;
            }
            let tag = page.get(element.tag()).unwrap_or_default();
            steps += TAG_STEPS * tag.len() as u64;
            if rules.get_or_init(|| HidingRules::of(page)).may_hide(tag) {
                while hidden.pop_if(|last| inner.start <= last.text().start).is_some() {}
                hidden.push(element);
            }
        }
        for row in hidden.chunk_by(|one, next| are_in_a_word(shown, one, next)) {
            let Some(pieces) = pieces_around(shown, row) else { continue };
            let texts = pieces.iter().filter_map(|piece| shown.get(piece.clone()));
            if shows_host(&texts.collect::<String>()) {
                let end = pieces.last().map_or(0, |last| last.end);
                joined.add(pieces, end..end_of_next(shown, end));
            }
        }
        (joined, steps)
    }
}

/// Where the character ends that follows a word: it separates it from the next.
fn end_of_next(shown: &str, end: usize) -> usize {
    let rest = shown.get(end..).unwrap_or_default();
    end + rest.chars().next().map_or(0, char::len_utf8)
}

/// Whether white space or nothing is on both sides.
fn is_all_of_word(shown: &str, word: &Range<usize>) -> bool {
    let before = shown.get(..word.start).and_then(|text| text.chars().next_back());
    let after = shown.get(word.end..).and_then(|text| text.chars().next());
    [before, after].into_iter().all(|c| c.is_none_or(char::is_whitespace))
}

/// Whether an element follows another in one word.
fn are_in_a_word(shown: &str, one: &ElementInWord, next: &ElementInWord) -> bool {
    let (one, next) = (one.text(), next.text());
    let between = || shown.get(one.end..next.start).unwrap_or_default();
    one.end <= next.start && !between().contains(char::is_whitespace)
}

/// The word around elements without them, in pieces, if it may be deceptive.
fn deceptive(shown: &str, row: &[&ElementInWord]) -> Option<Vec<Range<usize>>> {
    let slice = |range: Range<usize>| shown.get(range).unwrap_or_default();
    let pieces = pieces_around(shown, row)?;
    let texts = || pieces.iter().map(|piece| slice(piece.clone()));
    let is_plain = |text: &str| text.is_ascii() && !text.contains('-');
    if !texts().any(|text| text.contains(is_dot_to_somebody)) || texts().all(is_plain) {
        return None;
    }
    let word: String = texts().collect();
    (!word.is_ascii() || has_a_label(word.as_bytes())).then_some(pieces)
}

/// The word around elements without them, in pieces.
fn pieces_around(shown: &str, row: &[&ElementInWord]) -> Option<Vec<Range<usize>>> {
    let (first, last) = (row.first()?.text(), row.last()?.text());
    let from = shown.floor_char_boundary(first.start.saturating_sub(SIDE));
    let to = shown.ceil_char_boundary(last.end + SIDE);
    let start = last_word(shown, from..first.start).start;
    let end = first_word(shown, last.end..to).end;
    let starts = std::iter::once(start).chain(row.iter().map(|element| element.text().end));
    let ends = row.iter().map(|element| element.text().start).chain([end]);
    Some(starts.zip(ends).map(|(start, end)| start..end).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::token::TagKind;

    /// The words; some are left out only if there are many.
    fn words(shown: &str, elements: &[(usize, usize)]) -> String {
        let skipped = Skipped {
            open: Vec::new(),
            elements: elements
                .iter()
                .map(|(from, to)| ElementInWord::new(*from..*to, 0..4))
                .collect(),
            last_end: None,
        };
        let joined = skipped.words(shown, "<rp>", &OnceCell::new());
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
        let name = |written: Range<usize>| ElementName::new(text.as_bytes(), written);
        let tag = |written: Range<usize>| Tag {
            kind: TagKind::Open,
            range: written.start - 1..written.end + 1,
            name: name(written),
        };
        skipped.enter(&tag(1..2), 3, true);
        skipped.enter(&tag(4..5), 4, true);
        skipped.leave(text, &name(8..9), 6);
        skipped.leave(text, &name(12..13), 9);
        skipped.leave(text, &name(16..17), 9);
        assert_eq!(
            skipped.elements,
            [ElementInWord::new(4..6, 3..6), ElementInWord::new(3..9, 0..3)]
        );
    }
}
