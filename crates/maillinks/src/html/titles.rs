//! Tooltips of links: programs show the `title` of the nearest element around a link that has one (HTML §3.2.6.1).

use std::ops::Range;

use super::elements::Element;
use super::{Anchor, HtmlReader, Occurrence, SeenBy, Site, StyledElement, Tag, token};
use crate::AnchorAround;

/// Maximum number of links of one tooltip that are compared.
const LINKS: usize = 4;

/// Maximum number of open elements with a tooltip.
const OPEN: usize = 64;

/// An open element with a tooltip.
#[derive(Debug)]
pub(super) struct Titled {
    element: Option<StyledElement>,
    /// The occurrences of links in it.
    links: Range<usize>,
}

impl HtmlReader<'_, '_, '_> {
    /// Handles a start tag; `first` is the first occurrence of its attributes.
    pub(super) fn enter_title(&mut self, tag: &Tag, attributes: &[token::Attribute], first: usize) {
        let is_title = |site: &Site| matches!(site, Site::Attribute { attribute: "title", .. });
        let links = self.first_of(first, LINKS, is_title);
        let element = tag.element();
        // That of a link is compared with it anyway.
        if links.is_empty() && self.titled.is_empty() || element.is_void() || element == Element::A
        {
            return;
        }
        if self.has_title(attributes) && self.titled.len() < OPEN {
            let mut element = None;
            StyledElement::enter(&mut element, self.text, tag, Some(self.visible.len()));
            self.titled.push(Titled { element, links });
        } else if let Some(inner) = self.titled.last_mut() {
            StyledElement::enter(&mut inner.element, self.text, tag, None);
        }
    }

    /// Handles an end tag.
    #[inline]
    pub(super) fn leave_title(&mut self, tag: &Tag) {
        let text = self.text;
        self.titled.pop_if(|one| StyledElement::leave(&mut one.element, text, tag).is_some());
    }

    /// Compares the tooltip of the elements around a link with where it leads.
    pub(super) fn compare_title(&mut self, anchor: &Anchor, attributes: &[token::Attribute]) {
        let Some(around) = self.titled.last().filter(|_| !self.has_title(attributes)) else {
            return;
        };
        for at in around.links.clone() {
            anchor.targets().for_each(|leads_to| self.compare_shown(at, leads_to));
        }
    }

    /// The first occurrences from `first` on that stand in one such place, at most so many.
    pub(super) fn first_of(
        &self,
        first: usize,
        most: usize,
        is_there: impl Fn(&Site) -> bool,
    ) -> Range<usize> {
        let found = self.view.occurrences.get(first..).unwrap_or_default();
        let start = found.iter().position(|one| is_there(&one.site)).unwrap_or(found.len());
        let there = found.iter().skip(start).take_while(|one| is_there(&one.site));
        first + start..first + start + there.take(most).count()
    }

    /// Compares what an occurrence shows with where another leads.
    pub(super) fn compare_shown(&mut self, shown: usize, leads_to: usize) {
        if let Some(shown) = self.view.occurrences.get(shown).cloned() {
            let anchor = AnchorAround::LeadsTo(leads_to);
            self.push(Occurrence { seen_by: SeenBy::Glance, anchor, ..shown });
        }
    }

    fn has_title(&self, attributes: &[token::Attribute]) -> bool {
        token::attribute_named(self.text, attributes, "title").is_some()
    }
}
