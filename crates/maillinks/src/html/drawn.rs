//! Pictures between the words of an anchor: what stands for them (`alt`) is read with the words, and a small one between
//! two words may be a full stop: `https://www.<img alt="example">.com`. So is what style sheets write there.
//!
//! Honest links have pictures beside words. So these are only compared with where the anchor leads
//! ([`SeenBy::Glance`](super::SeenBy)).

use std::ops::Range;

use super::token::Attribute;
use super::written::Written;
use super::{Anchor, HtmlReader, MappedText, Tag};
use crate::mapped::Builder;

/// Maximum number of pictures of an anchor, and bytes of what stands for all and of all words, that are read.
const PICTURES: usize = 16;
const BYTES: usize = 256;

/// Pixels of the side of a picture that may be taken for a full stop.
const DOT: u32 = 10;

/// What is drawn in the open anchor.
#[derive(Debug, Default)]
pub(super) struct Drawing {
    found: Vec<Drawn>,
    pub written: Written,
}

/// What is seen in place of a picture, or of nothing, and where that is in the visible text and in the source.
#[derive(Debug)]
struct Drawn {
    at: usize,
    tag: Range<usize>,
    shown: String,
    /// Whether a style sheet writes it. What stands for a picture is compared by itself elsewhere.
    is_written: bool,
}

impl<'t> HtmlReader<'t, '_, '_> {
    /// Notes a picture in the open anchor.
    pub(super) fn draw(&mut self, tag: &Tag, attributes: &[Attribute]) {
        if self.open_anchor.is_none() || self.is_concealed() || self.drawn.found.len() >= PICTURES {
            return;
        }
        let alt = self.value_of("alt", attributes).filter(|alt| !alt.trim_ascii().is_empty());
        let shown = match alt {
            Some(alt) if alt.len() > BYTES => return,
            Some(alt) => alt.trim().to_owned(),
            None if self.is_dot(attributes) => ".".to_owned(),
            None => return,
        };
        let (at, tag) = (self.visible.len(), tag.range.clone());
        self.drawn.found.push(Drawn { at, tag, shown, is_written: false });
    }

    /// Notes what a style sheet writes here.
    pub(super) fn draw_written(&mut self, tag: Range<usize>, shown: String) {
        if !shown.is_empty() && shown.len() <= BYTES && self.drawn.found.len() < PICTURES {
            let at = self.visible.len();
            self.drawn.found.push(Drawn { at, tag, shown, is_written: true });
        }
    }

    fn is_dot(&self, attributes: &[Attribute]) -> bool {
        ["width", "height"].iter().all(|side| {
            let digits = self.value_of(side, attributes).unwrap_or_default();
            digits.trim_ascii().trim_end_matches("px").parse().is_ok_and(|side: u32| side <= DOT)
        })
    }

    /// Compares the words of an anchor, with what stands for its pictures, with where it leads.
    pub(super) fn compare_drawn(&mut self, anchor: &Anchor) {
        self.write_rest(usize::MAX);
        let drawn = std::mem::take(&mut self.drawn.found);
        let (Some(first), Some(last)) = (drawn.first(), drawn.last()) else { return };
        let source = first.tag.start..last.tag.end;
        let text = self.visible.as_str().get(anchor.text.clone()).unwrap_or_default();
        let (Some(leads_to), true) = (anchor.occurrence, text.len() <= BYTES) else { return };
        let mut word = String::with_capacity(text.len() + BYTES);
        let mut from = anchor.text.start;
        for Drawn { at, shown, .. } in &drawn {
            // A picture is separated from the words beside it.
            word.push_str(
                self.visible.as_str().get(from..*at).unwrap_or_default().trim_matches('\n'),
            );
            word.push_str(shown);
            from = *at;
        }
        let rest = self.visible.as_str().get(from..anchor.text.end).unwrap_or_default();
        word.push_str(rest.trim_matches('\n'));
        let is_new = drawn.iter().all(|one| one.is_written || one.shown != word);
        let is_new = word.contains('.') && !text.contains(&word) && is_new;
        let written = drawn.iter().filter(|one| one.is_written && one.shown != word);
        for Drawn { tag, shown, .. } in written.filter(|one| one.shown.contains('.')) {
            self.add_drawn(shown, tag.clone(), leads_to);
        }
        if is_new {
            self.add_drawn(&word, source, leads_to);
        }
    }

    fn add_drawn(&mut self, word: &str, source: Range<usize>, leads_to: usize) {
        let mut seen = Builder::default();
        seen.unit(word, source);
        let seen: MappedText<'t> = seen.finish();
        self.add_compared(seen, leads_to);
    }
}
