//! Reads attributes: which hold a URL, and what is read from each.

use std::cell::OnceCell;
use std::ops::Range;

use memchr::{memchr, memchr3, memmem};

use super::super::encoded::percent_decoded;
use super::super::{AnchorAround, Holds, script, search_steps};
use super::attributes::{self, Follows};
use super::elements::Element;
use super::style::{Direction, Flow, TextStyle};
use super::token::{Attribute, attribute_named};
use super::url_values::{refresh_url, source_set, words};
use super::{
    HostBounds, HtmlReader, MappedText, Markup, Occurrence, Rendering, SeenBy, Site, Tag, Target,
    entity, lenient, opened_hosts, strings,
};
use uts58::reference;
use uts58::scheme::{self, Does};
use uts58::unicode::a_label::has_a_label;
use uts58::{Kind, Link};

/// Steps of a value that may be a URL, besides its bytes: its scheme and its authority are looked for.
const REFERENCE_STEPS: u64 = 56;

/// Steps of each byte of a value that is not read as it is written: references and line breaks in it are mapped, for the
/// link, and again to tell where a base leads it and whether it calls somebody.
const MAPPED_STEPS_PER_BYTE: u64 = 3;

impl<'t> HtmlReader<'t, '_, '_> {
    /// Whether an attribute hides a box in the text: `<input type=hidden>`, `<img width=0>`.
    fn is_never_shown(&self, element: Element, attribute: &str, value: &Range<usize>) -> bool {
        let is = |name: &str| attribute.eq_ignore_ascii_case(name);
        match element {
            Element::Input => is("type") && self.value_is(value.clone(), "hidden"),
            Element::Img => (is("width") || is("height")) && self.value_is(value.clone(), "0"),
            _ => false,
        }
    }

    /// Reads the attributes of a tag. Returns what the element does to its text.
    pub(super) fn attributes(&mut self, tag: &Tag, attributes: &[Attribute]) -> TextStyle {
        let (text, element) = (self.text, tag.element());
        let mut traits = TextStyle::default();
        let (mut styled, mut hidden, mut aligned) = (false, false, false);
        let refreshes = OnceCell::new();
        for attribute in attributes {
            let written = self.slice(&attribute.name());
            let value = attribute.value();
            let found =
                |name| FoundAttribute { text, tag, attributes, refreshes: &refreshes, name };
            match attributes::attribute(written) {
                Some(("style", _)) => {
                    let style = entity::attribute(self.text, value);
                    // Parsers drop an attribute that is there already.
                    if !std::mem::replace(&mut styled, true) {
                        traits.declare(style.as_str(), self.is_concealed());
                    }
                    self.styles(&style, &found("style"), traits.is_of_field);
                }
                Some((known, holds)) => self.attribute(&found(known), holds, value),
                // What most others fail on.
                None if !matches!(
                    written.as_bytes().first().map(|first| first | 0x20),
                    Some(b'a' | b'h' | b't' | b'w' | b'd' | b'o' | BRACKET)
                ) => {}
                None if written.len() == HIDDEN.len() && written.eq_ignore_ascii_case(HIDDEN) => {
                    hidden = true;
                }
                None if written.eq_ignore_ascii_case("align") => {
                    aligned |= self.stands_aside(element, &value);
                }
                None if self.is_never_shown(element, written, &value) => {
                    traits.conceals.all = true;
                }
                None if written.len() == DIR.len() && written.eq_ignore_ascii_case(DIR) => {
                    self.direct(element, value, &mut traits);
                }
                None if is_script(written) => {
                    let seen = entity::attribute(self.text, value);
                    let name = bound(written).map_or(HANDLER, named_binding);
                    self.script(seen, &found(name).site(Holds::Script));
                }
                None => {}
            }
        }
        traits.conceals.all |= hidden && !traits.sets_display;
        if aligned {
            traits.flow = Flow::Beside;
        }
        traits
    }

    /// Reads the URLs in the style of an element, and the link of a field whose code it may have.
    fn styles(&mut self, style: &MappedText<'t>, found: &FoundAttribute<'_>, is_of_field: bool) {
        if is_of_field {
            self.field(style, &found.site(Holds::Css));
        }
        self.declarations(style, found);
    }

    /// Whether an attribute `align` lets what follows stand beside the element (HTML §15.3.5): that of a table.
    fn stands_aside(&self, element: Element, value: &Range<usize>) -> bool {
        element == Element::Table
            && ["left", "right"].iter().any(|side| self.value_is(value.clone(), side))
    }

    /// Reads the direction of an element's text.
    fn direct(&self, element: Element, value: Range<usize>, traits: &mut TextStyle) {
        let overrides = element == Element::Bdo;
        let is_leftward = self.value_is(value, "rtl");
        traits.sets_direction = true;
        traits.isolated |= !overrides || !is_leftward;
        if is_leftward {
            let declared = if overrides { Direction::Reversed } else { Direction::RightToLeft };
            traits.direction = traits.direction.and(declared);
        }
    }

    /// Whether an element is a link, or was one before it was defanged: its text is read by itself.
    pub(super) fn is_link(&self, attributes: &[Attribute]) -> bool {
        attributes.iter().any(|attribute| {
            let name = self.slice(&attribute.name());
            // `xlink:href`, of anchors in SVG.
            let name = name.rsplit(':').next().unwrap_or_default();
            let name = bound(name).unwrap_or(name);
            ["href", "data-unsafe-href", "formaction", "data-unsafe-formaction"]
                .iter()
                .any(|known| name.eq_ignore_ascii_case(known))
        })
    }

    /// Whether a click on the element submits its form.
    pub(super) fn submits(&self, element: Element, attributes: &[Attribute]) -> bool {
        let is_button = element == Element::Button;
        if !is_button && element != Element::Input {
            return false;
        }
        let is = |kind: &Attribute, words: [&str; 2]| {
            words.iter().any(|word| self.value_is(kind.value(), word))
        };
        match attribute_named(self.text, attributes, "type") {
            Some(kind) if is_button => !is(kind, ["button", "reset"]),
            Some(kind) => is(kind, ["submit", "image"]),
            None => is_button,
        }
    }

    /// Whether an attribute's value is this word.
    fn value_is(&self, value: Range<usize>, word: &str) -> bool {
        let seen = entity::attribute(self.text, value);
        seen.as_str().trim_ascii().eq_ignore_ascii_case(word)
    }

    /// Reads full URLs in script or JSON: some programs make a button of `"url":"https:\/\/example.com"`.
    pub(super) fn script(&mut self, seen: MappedText<'t>, site: &Site) {
        // What strings come to is guessed: of honest ones half a host may be left.
        let by = std::mem::replace(&mut self.seen_by, SeenBy::Lenient);
        let steps = strings::read(&seen, |text| self.full_urls(text, site));
        self.view.steps += steps;
        self.seen_by = by;
        self.full_urls(script::unescaped(seen), site);
    }

    fn full_urls(&mut self, seen: MappedText<'t>, site: &Site) {
        if memmem::find(seen.as_str().as_bytes(), b"//").is_some() {
            self.running_text(seen, site, |link| link.kind == Kind::Scheme);
        }
    }

    fn attribute(&mut self, found: &FoundAttribute<'_>, holds: Holds, value: Range<usize>) {
        let raw = self.slice(&value);
        if raw.is_empty() {
            return;
        }
        match (holds, found.tag.element()) {
            (Holds::Url, Element::Base) => {
                let first = self.view.occurrences.len();
                let seen = entity::attribute(self.text, value).as_url();
                self.references(seen, None, &found.site(Holds::FixedUrl));
                if self.view.occurrences.len() > first {
                    self.base(first);
                }
            }
            (Holds::Url | Holds::FixedUrl, _) if !is_inside_message(raw) => {
                self.url(found, holds, value);
            }
            (Holds::SourceSet, _) => {
                let seen = entity::attribute(self.text, value);
                let ranges = source_set(seen.as_str());
                self.references(seen, Some(ranges), &found.site(holds));
            }
            (Holds::UrlList, _) => {
                let seen = entity::attribute(self.text, value);
                let ranges = words(seen.as_str(), |c| c.is_ascii_whitespace() || c == ',');
                self.references(seen, Some(ranges), &found.site(holds));
            }
            (Holds::Animated, element) if element.animates() => {
                let seen = entity::attribute(self.text, value).as_url();
                let ranges = words(seen.as_str(), |c| c == ';');
                self.references(seen, Some(ranges), &found.site(holds));
            }
            (Holds::Css, _) => {
                let seen = entity::attribute(self.text, value);
                self.declarations(&seen, found);
            }
            (Holds::Document, _) => {
                let seen = entity::attribute(self.text, value);
                self.view.add_document(seen);
            }
            (Holds::Refresh, Element::Meta)
                if *found.refreshes.get_or_init(|| self.refreshes(found.attributes)) =>
            {
                let seen = entity::attribute(self.text, value).as_url();
                let ranges = refresh_url(seen.as_str()).into_iter().collect();
                self.references(seen, Some(ranges), &found.site(holds));
            }
            (Holds::Shown, _) if may_show_link(raw) => self.shown(found, value),
            _ => {}
        }
    }

    /// Reads an attribute that holds one URL: as it is, and as lenient programs and those that it calls read it.
    fn url(&mut self, found: &FoundAttribute<'_>, holds: Holds, value: Range<usize>) {
        let written = value.len();
        let seen = entity::attribute(self.text, value).as_url();
        if seen.as_str().len() != written {
            self.view.steps += MAPPED_STEPS_PER_BYTE * written as u64;
        }
        if let Some(range) = lenient::without_quotes(seen.as_str()) {
            let before = std::mem::replace(&mut self.seen_by, SeenBy::Lenient);
            self.references(seen.clone(), Some(vec![range]), &found.site(holds));
            self.seen_by = before;
        }
        if let Some(range) = opened_hosts::encoded_url(seen.as_str()) {
            let value = seen.as_str().get(range.clone()).unwrap_or_default();
            let url = percent_decoded(value);
            // A deceptive one is found where it is carried.
            if url.as_str().is_ascii() && !has_a_label(url.as_str().as_bytes()) {
                let url = url.shifted(range.start).over(&seen);
                self.references(url, None, &found.site(holds));
            }
        }
        let opened = opened_hosts::opened(seen.as_str());
        let by_program = opened.map(|opened| (seen.clone(), vec![opened]));
        let browsed = opened_hosts::browsed(seen.as_str()).map(|page| vec![page]);
        self.references(seen, browsed, &found.site(holds));
        // What is a link anyway was found first.
        if let Some((seen, opened)) = by_program {
            let by = std::mem::replace(&mut self.seen_by, SeenBy::Lenient);
            self.references(seen, Some(opened), &found.site(holds));
            self.seen_by = by;
        }
    }

    /// Reads the URLs of an attribute that holds CSS.
    fn declarations(&mut self, seen: &MappedText<'t>, found: &FoundAttribute<'_>) {
        // The cheap test that most fail.
        if memchr3(b'(', b'"', b'\'', seen.as_str().as_bytes()).is_some() {
            self.sheet(seen, &found.site(Holds::Css));
        }
    }

    /// Adds an occurrence for each target of the URLs of an attribute.
    pub(super) fn references(
        &mut self,
        seen: MappedText<'t>,
        ranges: Option<Vec<Range<usize>>>,
        site: &Site,
    ) {
        self.view.steps += seen.as_str().len() as u64;
        let text = seen.as_str();
        let whole = 0..text.len();
        let tight = ranges.is_none().then(|| without_blanks(&seen)).flatten();
        let index = self.view.seen.len();
        let before = self.view.occurrences.len();
        for range in ranges.as_deref().unwrap_or(std::slice::from_ref(&whole)) {
            self.view.steps += REFERENCE_STEPS;
            let mut targets = reference::parse(text, range.clone()).peekable();
            if targets.peek().is_none()
                && calls(site)
                && let Some(target) = opened_hosts::called(text, range.clone())
            {
                self.push_target(index, target, site, SeenBy::Called);
            }
            for target in targets {
                if is_harmless(&target, site, text) {
                    self.view.rereads.embeds |= self.open_anchor.is_some() || is_of_link(site);
                } else {
                    self.push_target(index, target, site, self.seen_by);
                }
            }
        }
        if self.view.occurrences.len() > before {
            self.view.seen.push(seen);
        }
        if let Some(tight) = tight {
            let by = std::mem::replace(&mut self.seen_by, SeenBy::Lenient);
            self.references(tight, None, site);
            self.seen_by = by;
        }
    }

    /// Adds what a value says of where it leads.
    fn push_target(&mut self, seen: usize, target: Target, site: &Site, seen_by: SeenBy) {
        self.push(Occurrence {
            seen,
            target,
            site: site.clone(),
            bounds: HostBounds::Certain,
            shown: Rendering::AsWritten,
            anchor: AnchorAround::None,
            markup: if self.is_concealed() { Markup::Shown } else { self.markup },
            seen_by,
        });
    }

    /// Reads the links in an attribute that is shown as text.
    fn shown(&mut self, found: &FoundAttribute<'_>, value: Range<usize>) {
        let seen = entity::attribute(self.text, value);
        self.running_text(seen, &found.site(Holds::Shown), |_| true);
    }

    pub(super) fn running_text(
        &mut self,
        seen: MappedText<'t>,
        site: &Site,
        keep: fn(&Link) -> bool,
    ) {
        let mut links = self.linkifier().links(seen.as_str());
        let index = self.view.seen.len();
        let before = self.view.occurrences.len();
        let (capacity, seen_by) = (self.capacity(), self.seen_by);
        let kept = links.by_ref().filter(keep).take(capacity);
        let occurrences = kept
            .map(|link| Occurrence { seen_by, ..Occurrence::in_text(index, link, site.clone()) });
        self.view.occurrences.extend(occurrences);
        self.view.cut |=
            self.view.occurrences.len() - before == capacity && links.any(|link| keep(&link));
        self.view.steps += seen.as_str().len() as u64 + search_steps(&links);
        drop(links);
        if self.view.occurrences.len() > before {
            self.view.seen.push(seen);
        }
    }

    /// Whether a client acts on the `content` of this `<meta>`: a refresh, or data for a button.
    fn refreshes(&self, attributes: &[Attribute]) -> bool {
        attributes.iter().any(|attribute| {
            let name = self.slice(&attribute.name());
            name.eq_ignore_ascii_case("itemprop")
                || (name.eq_ignore_ascii_case("http-equiv")
                    && self.value_is(attribute.value(), "refresh"))
        })
    }
}

/// The attribute that hides an element.
const HIDDEN: &str = "hidden";

/// The attribute for the direction of text.
const DIR: &str = "dir";

/// `[` with the bit of lower case set.
const BRACKET: u8 = b'[' | 0x20;

/// Whether an attribute holds script: `onclick`, or an expression of AMP for another one (`[href]`).
fn is_script(name: &str) -> bool {
    bound(name).is_some() || is_handler(name)
}

/// Whether an attribute holds the script of an event: `onclick`.
pub(super) fn is_handler(name: &str) -> bool {
    name.get(..2).is_some_and(|head| head.eq_ignore_ascii_case("on"))
}

/// The attribute for which this one holds an expression of AMP: `[href]`, `data-amp-bind-href`.
fn bound(name: &str) -> Option<&str> {
    const PREFIX: &str = "data-amp-bind-";
    if let Some(name) = name.strip_prefix('[') {
        return Some(name.strip_suffix(']').unwrap_or(name));
    }
    let (head, name) = name.split_at_checked(PREFIX.len())?;
    head.eq_ignore_ascii_case(PREFIX).then_some(name)
}

/// How an attribute with a script is reported.
pub(super) const HANDLER: &str = "on*";

/// Expressions of AMP for where a link leads, and for the text of an element.
pub(super) const BOUND_HREF: &str = "[href]";
pub(super) const BOUND_TEXT: &str = "[text]";

/// How an expression for an attribute is reported.
fn named_binding(attribute: &str) -> &'static str {
    match attribute {
        name if name.eq_ignore_ascii_case("href") => BOUND_HREF,
        name if name.eq_ignore_ascii_case("text") => BOUND_TEXT,
        _ => "[*]",
    }
}

/// An attribute with its tag.
struct FoundAttribute<'a> {
    text: &'a str,
    tag: &'a Tag,
    attributes: &'a [Attribute],
    /// Whether a client acts on its `content`; computed when needed.
    refreshes: &'a OnceCell<bool>,
    name: &'static str,
}

impl FoundAttribute<'_> {
    fn site(&self, holds: Holds) -> Site {
        Site::Attribute {
            tag: self.tag.range.start,
            element: self.tag.name.lower_case(self.text),
            attribute: self.name,
            holds,
        }
    }
}

/// Whether a value names nothing outside the message: such values are long or frequent.
fn is_inside_message(value: &str) -> bool {
    let starts = |prefix: &str| {
        value.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix))
    };
    // A picture in SVG is a document if a frame shows it.
    value.starts_with('#') || starts("cid:") || (starts("data:image/") && !starts("data:image/svg"))
}

/// Whether an attribute's text can hold a link at all.
fn may_show_link(value: &str) -> bool {
    value.bytes().any(|c| matches!(c, b'.' | b'@' | b'&' | 0x80..))
}

/// Whether a target does no harm here. A dangerous scheme runs only by a click or in a frame, not in an image. A file
/// server is sent a password hash even for an image.
fn is_harmless(target: &Target, site: &Site, text: &str) -> bool {
    let Target::Dangerous { scheme, .. } = target else { return false };
    let name = text.get(scheme.clone()).unwrap_or_default();
    let file = name.starts_with('\\') || scheme::does(name) == Some(Does::Share);
    loads(site) && !file
}

/// Whether this is an attribute of a link itself.
fn is_of_link(site: &Site) -> bool {
    matches!(site, Site::Attribute { element, .. } if element.eq_ignore_ascii_case("a"))
}

/// Whether a click on the element of this attribute may call a program.
fn calls(site: &Site) -> bool {
    let Site::Attribute { element, holds, .. } = site else { return false };
    let is_url = matches!(holds, Holds::Url | Holds::FixedUrl | Holds::Refresh);
    is_url && !loads(site) && !element.eq_ignore_ascii_case("base")
}

/// Whether the URL at the site is loaded as a part of the page, and not by a click.
fn loads(site: &Site) -> bool {
    match site {
        Site::Style => true,
        Site::Attribute { element, attribute, holds, .. } => {
            *holds == Holds::Css || attributes::follows(element, attribute) == Follows::Loads
        }
        _ => false,
    }
}

/// A URL with blanks in its host, without them: programs that convert a page to plain text drop them.
fn without_blanks<'t>(seen: &MappedText<'t>) -> Option<MappedText<'t>> {
    let url = seen.as_str();
    // What most fail on.
    memchr(b' ', url.as_bytes())?;
    let (_, after) = url.split_once("//")?;
    let host = after.split(['/', '\\', '?', '#']).next()?.trim_end();
    host.contains(' ').then(|| seen.clone().without(|c| c == ' '))
}
