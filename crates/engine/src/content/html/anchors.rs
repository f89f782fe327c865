//! Links whose text is compared with their target: anchors, and buttons.

use std::ops::Range;

use super::elements::{Holds, leads_by_itself};
use super::relative::is_relative;
use super::{Occurrence, Reader, Site, Tag, entity, token};
use crate::content::AnchorAround;
use uts58::reference;

/// The text of an `<a href>`.
#[derive(Clone, Debug)]
pub(super) struct Anchor {
    /// The occurrence of its `href`, if it leads anywhere.
    pub occurrence: Option<usize>,
    /// Whether a later base decides where it leads.
    awaits_base: bool,
    /// The address that a base resolves although it names a host, in the source.
    relative: Option<Range<usize>>,
    /// The occurrence of the base to which that leads in a browser.
    pub resolved: Option<usize>,
    pub text: Range<usize>,
}

impl Anchor {
    /// What is said of a link in its text.
    pub(super) fn around(&self) -> AnchorAround {
        self.occurrence.map_or(AnchorAround::WithoutTarget, AnchorAround::LeadsTo)
    }
}

impl Reader<'_, '_, '_> {
    /// Begins the text of a link. `form` is its target if it has none of its own.
    pub(super) fn begin_anchor(
        &mut self,
        tag: &Tag,
        attributes: &[token::Attribute],
        first: usize,
        form: Option<usize>,
    ) {
        self.end_anchor();
        self.separate_anchor(tag.range.start);
        let from = self.visible.len();
        let own = self.own_href(attributes, first);
        // A relative address leads to the host of the base.
        let relative = own.is_none() && self.is_relative(attributes);
        let occurrence = own.or(self.base.filter(|_| relative)).or(form);
        let awaits_base = relative && occurrence.is_none();
        let relative = self.names_host_below_base(attributes).filter(|_| own.is_some());
        let resolved = self.base.filter(|base| self.is_resolved(relative.as_ref(), *base));
        let text = from..from;
        self.open_anchor = Some(Anchor { occurrence, awaits_base, relative, resolved, text });
    }

    /// The `href` if it names a host and yet is relative to a base: `www.example.com`, `https:www.example.com`.
    fn names_host_below_base(&self, attributes: &[token::Attribute]) -> Option<Range<usize>> {
        let is_href =
            |one: &&token::Attribute| self.slice(&one.name()).eq_ignore_ascii_case("href");
        let href = attributes.iter().find(is_href)?.value();
        // What nearly all fail on.
        let url = self.slice(&href);
        let letters = url.bytes().take_while(u8::is_ascii_alphabetic).count();
        if url.get(letters..).is_some_and(|rest| rest.starts_with("://")) {
            return None;
        }
        let seen = entity::attribute(self.text, href.clone()).as_url();
        is_relative(seen.as_str()).then_some(href)
    }

    /// Whether a browser resolves an address against this base: a scheme of another kind stands for itself.
    fn is_resolved(&self, address: Option<&Range<usize>>, base: usize) -> bool {
        let Some(address) = address else { return false };
        let scheme = |url: &str| {
            let name = reference::scheme(url).and_then(|colon| url.get(..colon));
            name.map(str::to_ascii_lowercase)
        };
        let base = self.view.occurrences.get(base).and_then(|base| {
            let url = self.view.seen.get(base.seen)?.as_str();
            scheme(url.trim_ascii())
        });
        let own = entity::attribute(self.text, address.clone()).as_url();
        let own = scheme(own.as_str().trim_ascii());
        own.is_none() || base.is_none() || own == base
    }

    /// Sets the base of the page, also for links before it.
    pub(super) fn base(&mut self, base: usize) {
        if self.base.is_none() {
            self.base = Some(base);
            let mut anchors = std::mem::take(&mut self.anchors);
            let mut open = self.open_anchor.take();
            for anchor in anchors.iter_mut().chain(&mut open) {
                anchor.occurrence = anchor.occurrence.or(Some(base).filter(|_| anchor.awaits_base));
                let address = anchor.relative.as_ref();
                anchor.resolved = Some(base).filter(|base| self.is_resolved(address, *base));
            }
            (self.anchors, self.open_anchor) = (anchors, open);
        }
    }

    /// The target of a tag; `first` is the first occurrence of its attributes.
    pub(super) fn own_target(&self, first: usize) -> Option<usize> {
        let own = self.view.occurrences.get(first..).unwrap_or_default();
        own.iter().position(leads).map(|at| first + at)
    }

    /// The same of a link: programs follow `href` where there is `xlink:href` as well (SVG 2 §16.2).
    fn own_href(&self, attributes: &[token::Attribute], first: usize) -> Option<usize> {
        let own = self.own_target(first)?;
        let rest = self.view.occurrences.get(own + 1..).unwrap_or_default();
        // Most have one.
        if !rest.iter().any(leads) {
            return Some(own);
        }
        let is_href =
            |one: &&token::Attribute| self.slice(&one.name()).eq_ignore_ascii_case("href");
        let Some(href) = attributes.iter().find(is_href).map(token::Attribute::value) else {
            return Some(own);
        };
        let in_href = |one: &Occurrence| {
            let seen = self.view.seen.get(one.seen).filter(|_| leads(one));
            let place = seen.map(|seen| seen.source(one.span()));
            place.is_some_and(|place| href.start <= place.start && place.end <= href.end)
        };
        let found = rest.iter().position(in_href).map(|at| own + 1 + at);
        let is_first = self.view.occurrences.get(own).is_some_and(in_href);
        found.filter(|_| !is_first).or(Some(own))
    }

    /// Ties shown attributes of a tag (`title`, `alt`, `aria-label`, `value`) to its target: they are text of the link
    /// that the tag is, or is in, or of a button of the `form`.
    pub(super) fn tie_shown_attributes(
        &mut self,
        attributes: &[token::Attribute],
        first: usize,
        form: Option<usize>,
    ) {
        // Most tags have none.
        if self.view.occurrences.len() == first {
            return;
        }
        let around = || self.open_anchor.as_ref().and_then(|anchor| anchor.occurrence);
        let own = self.own_href(attributes, first);
        let Some(own_target) = own.or(form).or_else(around) else { return };
        for occurrence in self.view.occurrences.iter_mut().skip(first) {
            if matches!(occurrence.site, Site::Attribute { holds: Holds::Shown, .. }) {
                occurrence.anchor = AnchorAround::LeadsTo(own_target);
            }
        }
    }

    /// Whether an end tag is that of an anchor, and none is open.
    pub(super) fn ends_no_anchor(&self, tag: &Tag) -> bool {
        let name = self.slice(&tag.name);
        self.open_anchor.is_none() && (matches!(name, "a" | "A") || leads_by_itself(name))
    }

    /// Where the text of the open anchor begins.
    pub(super) fn anchor_start(&self) -> Option<usize> {
        self.open_anchor.as_ref().map(|anchor| anchor.text.start)
    }

    pub(super) fn end_anchor(&mut self) {
        if let Some(mut anchor) = self.open_anchor.take() {
            anchor.text.end = self.visible.len();
            self.anchors.push(anchor);
        }
    }
}

/// Whether a click leads to the occurrence in an attribute.
fn leads(occurrence: &Occurrence) -> bool {
    matches!(
        &occurrence.site,
        Site::Attribute { attribute: "href" | "formaction" | "action" | "action-xhr", .. }
    )
}
