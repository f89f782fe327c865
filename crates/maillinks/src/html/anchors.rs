//! Links whose text is compared with their target: anchors, and buttons.

use std::ops::Range;

use super::elements::Element;
use super::relative::is_relative;
use super::token::ElementName;
use super::urls::{BOUND_HREF, BOUND_TEXT, HANDLER, is_handler};
use super::{HtmlReader, Occurrence, Rendering, SeenBy, Site, Tag, Target, entity, token};
use crate::mapped::MappedText;
use crate::{AnchorAround, Holds};
use uts58::{Kind, reference};

/// The text of an `<a href>`.
#[derive(Clone, Debug)]
pub(super) struct Anchor {
    /// The occurrence of its `href`, if it leads anywhere.
    pub occurrence: Option<usize>,
    /// Whether a later base decides where it leads.
    awaits_base: bool,
    /// Whether it calls somebody.
    calls: bool,
    /// The address that a base resolves although it names a host, in the source.
    relative: Option<Range<usize>>,
    /// The occurrence of the base to which that leads in a browser.
    pub resolved: Option<usize>,
    pub text: Range<usize>,
    pub begun: Begun,
    /// Whether an end tag stands before the text that ends the link for some programs.
    pub lasts: bool,
}

/// The element that is a link, and where it begins among open ones.
#[derive(Clone, Debug)]
pub(super) struct Begun {
    pub name: ElementName,
    /// The innermost open element that limits the scope of end tags, and that at which parsers forget links.
    pub scope: usize,
    pub marker: usize,
}

impl Anchor {
    /// What is said of a link in its text.
    pub(super) fn around(&self) -> AnchorAround {
        match self.lasts {
            true => AnchorAround::WithoutTarget,
            false if self.calls => AnchorAround::Calls,
            false => self.occurrence.map_or(AnchorAround::WithoutTarget, AnchorAround::LeadsTo),
        }
    }

    /// The same link where it may last, with text from here on.
    pub(super) fn lasting(&self, from: usize) -> Anchor {
        Anchor { text: from..from, lasts: true, ..self.clone() }
    }

    /// The occurrences that it leads to.
    pub(super) fn targets(&self) -> impl Iterator<Item = usize> {
        self.occurrence.into_iter().chain(self.resolved)
    }
}

/// Words of scripts that open a page, or change where a link leads.
const NAVIGATES: [&str; 3] = ["location", "href", "open("];

impl HtmlReader<'_, '_, '_> {
    /// Begins the text of a link. `form` is its target if it has none of its own.
    pub(super) fn begin_anchor(
        &mut self,
        tag: &Tag,
        attributes: &[token::Attribute],
        first: usize,
        form: Option<usize>,
    ) {
        let is_a = tag.element() == Element::A;
        let mut name = tag.name.clone();
        if self.math && !is_a {
            // In a formula any element may be a link, to its end.
            name.element = Element::Math;
        }
        let begun = self.begin_link(name, is_a);
        self.separate_anchor(tag.range.start);
        let from = self.visible.len();
        let own = self.own_href(attributes, first);
        // A relative address leads to the host of the base.
        let relative = own.is_none() && self.is_relative(attributes, LINKS);
        let occurrence = own.or(self.base.filter(|_| relative)).or(form);
        let awaits_base = relative && occurrence.is_none();
        let calls = !relative && self.calls_somebody(attributes);
        let relative = self.names_host_below_base(attributes).filter(|_| own.is_some());
        let resolved = self.base.filter(|base| self.is_resolved(relative.as_ref(), *base));
        let text = from..from;
        let lasts = false;
        let anchor =
            Anchor { occurrence, awaits_base, calls, relative, resolved, text, begun, lasts };
        self.compare_title(&anchor, attributes);
        self.open_anchor = Some(anchor);
        let is_bound = |site: &Site| matches!(site, Site::Attribute { attribute: BOUND_HREF, .. });
        self.lead_to_last(first, is_bound);
        if self.navigates(attributes) {
            let in_handler =
                |site: &Site| matches!(site, Site::Attribute { attribute: HANDLER, .. });
            self.lead_to_last(first, in_handler);
        }
    }

    /// Whether the script of a click leads elsewhere: `onclick="location='https://…'"`, `onmousedown="this.href=…"`.
    pub(super) fn navigates(&mut self, attributes: &[token::Attribute]) -> bool {
        let mut steps = 0;
        let leads = attributes.iter().any(|attribute| {
            is_handler(self.slice(&attribute.name())) && {
                let script = entity::attribute(self.text, attribute.value());
                steps += script.as_str().len() as u64;
                NAVIGATES.iter().any(|word| script.as_str().contains(word))
            }
        });
        self.view.steps += steps;
        leads
    }

    /// Whether one of these attributes leads to the host of the base, as an empty one and a fragment do.
    pub(super) fn is_relative(&self, attributes: &[token::Attribute], names: &[&str]) -> bool {
        attributes.iter().any(|attribute| {
            let name = self.slice(&attribute.name());
            let name = name.rsplit(':').next().unwrap_or_default();
            names.iter().any(|known| name.eq_ignore_ascii_case(known)) && {
                let seen = entity::attribute(self.text, attribute.value()).as_url();
                is_relative(seen.as_str())
            }
        })
    }

    /// The `href` if it names a host and yet is relative to a base: `www.example.com`, `https:www.example.com`.
    fn names_host_below_base(&self, attributes: &[token::Attribute]) -> Option<Range<usize>> {
        let href = token::attribute_named(self.text, attributes, "href")?.value();
        // What nearly all fail on.
        let url = self.slice(&href);
        let letters = url.bytes().take_while(u8::is_ascii_alphabetic).count();
        if url.get(letters..).is_some_and(|rest| rest.starts_with("://")) {
            return None;
        }
        let seen = entity::attribute(self.text, href.clone()).as_url();
        is_relative(seen.as_str()).then_some(href)
    }

    /// Whether a link calls somebody: what stands in the place of a host then is none.
    fn calls_somebody(&self, attributes: &[token::Attribute]) -> bool {
        let Some(href) =
            token::attribute_named(self.text, attributes, "href").map(token::Attribute::value)
        else {
            return false;
        };
        // What most begin with.
        if self.slice(&href).starts_with("http") {
            return false;
        }
        let seen = entity::attribute(self.text, href).as_url();
        let url = seen.as_str().trim_ascii();
        let scheme = reference::scheme(url).and_then(|colon| url.get(..colon));
        scheme.is_some_and(|scheme| CALLS.iter().any(|name| scheme.eq_ignore_ascii_case(name)))
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
            self.forms.resolve(base);
            let mut anchors = std::mem::take(&mut self.anchors);
            let mut open = self.open_anchor.take();
            let mut outer = std::mem::take(&mut self.outer);
            for anchor in anchors.iter_mut().chain(&mut open).chain(&mut outer) {
                anchor.occurrence = anchor.occurrence.or(Some(base).filter(|_| anchor.awaits_base));
                let address = anchor.relative.as_ref();
                let resolved = Some(base).filter(|base| self.is_resolved(address, *base));
                anchor.resolved = resolved.or(anchor.resolved);
            }
            (self.anchors, self.open_anchor, self.outer) = (anchors, open, outer);
        }
    }

    /// Notes the words around bare hosts in anchors: the occurrences of this text, from `first` on. A style may hide words
    /// in elements of their own, so that these are read in one piece of text, or in one line of it.
    pub(super) fn tie_words(
        &mut self,
        seen: &MappedText<'_>,
        (index, first): (usize, usize),
        anchors: &[Anchor],
    ) {
        let source = self.text;
        let is_text = |range: &Range<usize>| {
            let written = || source.get(seen.source(range.clone()));
            range.len() <= SENTENCE_BYTES
                && written().is_some_and(|text| text.len() <= WRITTEN_BYTES && !text.contains('<'))
        };
        for occurrence in self.view.occurrences.iter_mut().skip(first) {
            let (AnchorAround::LeadsTo(leads_to), Target::Link(link)) =
                (occurrence.anchor, &occurrence.target)
            else {
                continue;
            };
            let span = link.span.clone();
            let at = anchors.partition_point(|anchor| anchor.text.end <= span.start);
            let within = |text: &Range<usize>| text.start <= span.start && span.end <= text.end;
            let text = anchors.get(at).map(|anchor| &anchor.text).filter(|text| within(text));
            let is_read = occurrence.seen == index
                && (occurrence.seen_by, occurrence.shown)
                    == (SeenBy::Standard, Rendering::AsWritten)
                && (link.kind, link.host.end) == (Kind::Bare, span.end);
            let Some(text) = text.filter(|text| is_read && **text != span) else { continue };
            self.view.steps += SENTENCE_STEPS;
            let sentence = match is_text(text) {
                true => text.clone(),
                false => line_around(seen.as_str(), text, &span),
            };
            if is_text(&sentence)
                && let Ok(before) = u8::try_from(span.start - sentence.start)
                && let Ok(behind) = u8::try_from(sentence.end - span.end)
            {
                occurrence.anchor = AnchorAround::AroundWords { leads_to, before, behind };
            }
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
        let Some(href) =
            token::attribute_named(self.text, attributes, "href").map(token::Attribute::value)
        else {
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
        let is_shown = |occurrence: &Occurrence| {
            matches!(
                occurrence.site,
                Site::Attribute { holds: Holds::Shown, .. }
                    | Site::Attribute { attribute: BOUND_TEXT, .. }
            )
        };
        if !self.view.occurrences.iter().skip(first).any(is_shown) {
            return;
        }
        let mut target = self.own_href(attributes, first).or(form);
        if target.is_none() && self.is_relative(attributes, LINKS) {
            target = Some(self.forms.base(self.base));
        }
        let around = || self.open_anchor.as_ref().and_then(|anchor| anchor.occurrence);
        let Some(own_target) = target.or_else(around) else { return };
        for occurrence in self.view.occurrences.iter_mut().skip(first) {
            if is_shown(occurrence) {
                occurrence.anchor = AnchorAround::LeadsTo(own_target);
            }
        }
    }

    /// Whether an anchor without an address may be given one by an animation in it: in a drawing, outside another link.
    pub(super) fn may_be_animated(&self) -> bool {
        self.foreign && self.open_anchor.is_none()
    }

    /// Notes where an animation makes the open link lead (SVG Animations §2).
    pub(super) fn animate(&mut self, attributes: &[token::Attribute], first: usize) {
        let is_href = self.value_of("attributeName", attributes).is_some_and(|name| {
            name.trim_ascii().rsplit(':').next().is_some_and(|n| n.eq_ignore_ascii_case("href"))
        });
        if is_href {
            let is_animated =
                |site: &Site| matches!(site, Site::Attribute { holds: Holds::Animated, .. });
            self.lead_to_last(first, is_animated);
        }
    }

    /// Notes that the open link is made to lead to the last other host in such an attribute of the tag whose
    /// occurrences begin at `first`.
    fn lead_to_last(&mut self, first: usize, leads: impl Fn(&Site) -> bool) {
        let Some(own) = self.open_anchor.as_ref().map(|open| open.occurrence) else { return };
        let is_other = |at: &usize| {
            self.view.occurrences.get(*at).is_some_and(|one| leads(&one.site))
                && own.is_none_or(|own| !self.are_of_one_host(own, *at))
        };
        let last = (first..self.view.occurrences.len()).rev().find(is_other);
        if let Some(open) = self.open_anchor.as_mut() {
            open.resolved = last.or(open.resolved);
        }
    }

    /// Whether an end tag is that of an anchor, and none is open.
    pub(super) fn ends_no_anchor(&self, tag: &Tag) -> bool {
        let element = tag.element();
        self.anchor_start().is_none() && (element == Element::A || element.leads_by_itself())
    }

    /// Where the text of the open anchor begins.
    pub(super) fn anchor_start(&self) -> Option<usize> {
        let open = self.open_anchor.as_ref().filter(|anchor| !anchor.lasts);
        open.map(|anchor| anchor.text.start)
    }

    pub(super) fn end_anchor(&mut self) {
        if let Some(mut anchor) = self.open_anchor.take() {
            anchor.text.end = self.visible.len();
            self.view.steps += ANCHOR_STEPS;
            self.compare_drawn(&anchor);
            // As many as links: a page may show nothing, and its text is then never searched.
            match anchor.lasts && anchor.text.is_empty() {
                true => {}
                false if self.anchors.len() < self.together => self.anchors.push(anchor),
                false => self.view.cut = true,
            }
        }
    }
}

/// Steps of an anchor, besides its bytes: the links in its text are tied to where it leads.
const ANCHOR_STEPS: u64 = 64;

/// Bytes of a text in which a host is one word among others, at most: headlines are shorter.
const SENTENCE_BYTES: usize = 200;

/// The same as it is written, with entities, and steps of looking at it.
const WRITTEN_BYTES: usize = 8 * SENTENCE_BYTES;
const SENTENCE_STEPS: u64 = 64;

/// The line of a text that a span in it is in, as far as a sentence may go.
fn line_around(seen: &str, text: &Range<usize>, span: &Range<usize>) -> Range<usize> {
    let from = text.start.max(seen.floor_char_boundary(span.start.saturating_sub(SENTENCE_BYTES)));
    let to = text.end.min(seen.floor_char_boundary(span.end.saturating_add(SENTENCE_BYTES)));
    let before = seen.get(from..span.start).and_then(|text| text.rfind('\n'));
    let behind = seen.get(span.end..to).and_then(|text| text.find('\n'));
    before.map_or(from, |at| from + at + 1)..behind.map_or(to, |at| span.end + at)
}

/// The attributes of a link that hold an address.
const LINKS: &[&str] = &["href", "formaction"];

/// Schemes by which somebody is called, written to or paid, or a program is bought, and no page is shown.
#[rustfmt::skip]
const CALLS: [&str; 15] = [
    "bitcoin", "callto", "ethereum", "fb-messenger", "imessage", "line", "market", "signal", "skype", "sms", "smsto",
    "tel", "tg", "viber", "whatsapp",
];

/// Whether a click leads to the occurrence in an attribute.
fn leads(occurrence: &Occurrence) -> bool {
    occurrence.seen_by != SeenBy::Called
        && matches!(
            &occurrence.site,
            Site::Attribute { attribute: "href" | "formaction" | "action" | "action-xhr", .. }
        )
}
