//! Links that end tags end for some programs, and not for parsers of HTML (§13.2.6.4.7): `</button>` ends no `<a>`, and
//! `</a>` none that is around the table, the cell or the `<object>` in which it stands.
//!
//! What comes behind such a tag is read both ways: it is no text of the link, and it is compared with where the link
//! leads ([`SeenBy::Glance`](super::SeenBy)).

use super::anchors::Begun;
use super::open::{OPEN_ELEMENTS, SEARCHED_ELEMENTS};
use super::token::ElementName;
use super::{Anchor, HtmlReader};

impl HtmlReader<'_, '_, '_> {
    /// Ends the open link, because another begins. Of two `<a>` in one cell the second ends the first.
    pub(super) fn begin_link(&mut self, name: ElementName, is_a: bool) -> Begun {
        let text = self.text;
        let (scope, marker) = (self.elements.scope(), self.elements.marker());
        self.suspend_anchor();
        if is_a {
            let is_ended =
                |one: &Anchor| one.begun.name.is(&name, text) && one.begun.marker == marker;
            self.forget_outer(is_ended);
        }
        Begun { name, scope, marker }
    }

    /// Handles the end tag of an element that is a link.
    pub(super) fn close_anchor(&mut self, name: &ElementName, at: usize) {
        let text = self.text;
        let Some(open) = &self.open_anchor else { return };
        let is_text = !open.lasts;
        let scope = self.elements.scope();
        let is_ended = |one: &Anchor| one.begun.name.is(name, text) && scope <= one.begun.scope;
        if is_text && is_ended(open) {
            self.end_anchor();
        } else {
            self.suspend_anchor();
            self.forget_outer(is_ended);
        }
        if is_text {
            self.separate_anchor(at);
        }
        self.resume_anchor();
    }

    /// Forgets the links of cells, objects and the like that ended.
    pub(super) fn forget_links(&mut self) {
        self.targetless.forget(&self.elements, self.visible.len());
        if self.outer.is_empty() {
            return;
        }
        let before = self.outer.len();
        let elements = &self.elements;
        while self.outer.pop_if(|one| !elements.is_marker_open(one.begun.marker)).is_some() {}
        if self.outer.len() < before && self.open_anchor.as_ref().is_some_and(|open| open.lasts) {
            self.end_anchor();
            self.resume_anchor();
        }
    }

    /// Ends the text of the open link, which may last for parsers.
    fn suspend_anchor(&mut self) {
        if let Some(open) = self.open_anchor.as_ref().filter(|open| !open.lasts)
            && self.outer.len() < OPEN_ELEMENTS
        {
            self.outer.push(open.lasting(0));
        }
        self.end_anchor();
    }

    /// Begins what may be text of the innermost link that lasts.
    fn resume_anchor(&mut self) {
        if let Some(outer) = self.outer.last() {
            let here = self.visible.len();
            self.open_anchor = Some(outer.lasting(here));
        }
    }

    /// Forgets the innermost link of this kind that lasts.
    fn forget_outer(&mut self, is_ended: impl Fn(&Anchor) -> bool) {
        let searched = self.outer.iter().enumerate().rev().take(SEARCHED_ELEMENTS);
        let found = searched.into_iter().find(|(_, one)| is_ended(one)).map(|(at, _)| at);
        if let Some(at) = found {
            self.outer.remove(at);
        }
    }
}
