//! Attributes: which hold a URL, and what is read from each.

use std::ops::Range;

use memchr::memchr2;

use super::elements::{self, Follows, Holds};
use super::style::{Direction, Sight, Traits};
use super::token::Attribute;
use super::{Glue, Reader, Seen, Shown, Sighting, Spot, Tag, Target, entity};
use crate::engine::content::reference::{self, Base};

impl<'t> Reader<'t, '_> {
    /// Reads the attributes of a tag; says what the element does to its text.
    pub(super) fn attributes(
        &mut self,
        tag: &Tag,
        name: &'t str,
        attributes: &[Attribute],
    ) -> Traits {
        let mut traits = Traits::default();
        let inline = elements::is_inline(name);
        for attribute in attributes {
            let written = self.slice(&attribute.name);
            match elements::attribute(written) {
                Some((attribute_name, holds)) => {
                    if inline && holds == Holds::Css {
                        let style = entity::attribute(self.text, attribute.value.clone());
                        traits.declare(style.as_str());
                    }
                    let found = Found { tag, element: name, attributes, name: attribute_name };
                    self.attribute(&found, holds, attribute.value.clone());
                }
                None if inline && written.eq_ignore_ascii_case("hidden") => {
                    traits.shown = Sight::Hidden;
                }
                None if name.eq_ignore_ascii_case("bdo")
                    && written.eq_ignore_ascii_case("dir")
                    && self.slice(&attribute.value).trim_ascii().eq_ignore_ascii_case("rtl") =>
                {
                    traits.direction = Direction::Turned;
                }
                None => {}
            }
        }
        traits
    }

    fn attribute(&mut self, found: &Found<'_>, holds: Holds, value: Range<usize>) {
        let raw = self.slice(&value);
        if raw.is_empty() {
            return;
        }
        match (holds, found.element) {
            (Holds::Url, element) if element.eq_ignore_ascii_case("base") => {
                let seen = reference::strip(entity::attribute(self.text, value));
                if self.base == Base::None {
                    self.base = Base::of(seen.as_str());
                }
                self.references(seen, None, &found.spot(Holds::FixedUrl));
            }
            (Holds::Url | Holds::FixedUrl, _) if !is_elsewhere(raw) => {
                let seen = reference::strip(entity::attribute(self.text, value));
                self.references(seen, None, &found.spot(holds));
            }
            (Holds::SourceSet, _) => {
                let seen = entity::attribute(self.text, value);
                let ranges = source_set(seen.as_str());
                self.references(seen, Some(ranges), &found.spot(holds));
            }
            (Holds::UrlList, _) => {
                let seen = entity::attribute(self.text, value);
                let ranges = words(seen.as_str());
                self.references(seen, Some(ranges), &found.spot(holds));
            }
            (Holds::Css, _) if memchr2(b'(', b'@', raw.as_bytes()).is_some() => {
                let outer = entity::attribute(self.text, value);
                self.sheet(&outer, &found.spot(holds));
            }
            (Holds::Refresh, element)
                if element.eq_ignore_ascii_case("meta") && self.refreshes(found.attributes) =>
            {
                let seen = reference::strip(entity::attribute(self.text, value));
                let ranges = refresh_url(seen.as_str()).into_iter().collect();
                self.references(seen, Some(ranges), &found.spot(holds));
            }
            (Holds::Shown, _) if may_show_link(raw) => self.shown(found, value),
            _ => {}
        }
    }

    /// Pushes a sighting for each place that the URLs of an attribute lead to.
    pub(super) fn references(
        &mut self,
        seen: Seen<'t>,
        ranges: Option<Vec<Range<usize>>>,
        spot: &Spot,
    ) {
        self.view.steps += seen.as_str().len() as u64;
        let text = seen.as_str();
        let whole = 0..text.len();
        let index = self.view.seen.len();
        let before = self.view.sightings.len();
        for range in ranges.unwrap_or_else(|| vec![whole]) {
            for target in reference::parse(text, range, self.base) {
                if !is_harmless(&target, spot, text) {
                    self.view.sightings.push(Sighting {
                        seen: index,
                        target,
                        spot: spot.clone(),
                        glue: Glue::None,
                        shown: Shown::AsWritten,
                        anchor: None,
                    });
                }
            }
        }
        if self.view.sightings.len() > before {
            self.view.seen.push(seen);
        }
    }

    /// Links in an attribute that a reader sees as text.
    fn shown(&mut self, found: &Found<'_>, value: Range<usize>) {
        let seen = entity::attribute(self.text, value);
        let mut links = self.linkifier.links(seen.as_str());
        let index = self.view.seen.len();
        let before = self.view.sightings.len();
        let spot = found.spot(Holds::Shown);
        self.view
            .sightings
            .extend(links.by_ref().map(|link| Sighting::in_text(index, link, spot.clone())));
        self.view.steps += seen.as_str().len() as u64 + links.steps();
        drop(links);
        if self.view.sightings.len() > before {
            self.view.seen.push(seen);
        }
    }

    fn refreshes(&self, attributes: &[Attribute]) -> bool {
        attributes.iter().any(|attribute| {
            self.slice(&attribute.name).eq_ignore_ascii_case("http-equiv")
                && self.slice(&attribute.value).trim_ascii().eq_ignore_ascii_case("refresh")
        })
    }
}

/// An attribute and the tag that it stands in.
struct Found<'a> {
    tag: &'a Tag,
    element: &'a str,
    attributes: &'a [Attribute],
    name: &'static str,
}

impl Found<'_> {
    fn spot(&self, holds: Holds) -> Spot {
        Spot::Attribute {
            tag: self.tag.range.start,
            element: elements::element(self.element),
            attribute: self.name,
            holds,
        }
    }
}

/// Values that name nothing outside the message, and are long or frequent.
fn is_elsewhere(value: &str) -> bool {
    let starts = |prefix: &str| {
        value.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix))
    };
    value.starts_with('#') || starts("cid:") || starts("data:image/")
}

/// Whether an attribute's text can hold a link at all.
fn may_show_link(value: &str) -> bool {
    value.bytes().any(|c| matches!(c, b'.' | b'@' | b'&' | 0x80..))
}

/// A dangerous scheme runs only where a click or a frame leads; an image does not run. A file
/// server is asked for a password hash even for an image.
fn is_harmless(target: &Target, spot: &Spot, text: &str) -> bool {
    let (Target::Dangerous { scheme, .. }, Spot::Attribute { element, attribute, holds, .. }) =
        (target, spot)
    else {
        return matches!((target, spot), (Target::Dangerous { .. }, Spot::Style));
    };
    let name = text.get(scheme.clone()).unwrap_or_default();
    let file = name.starts_with('\\')
        || ["file", "smb"].iter().any(|entry| name.eq_ignore_ascii_case(entry));
    let loads = *holds == Holds::Css || elements::follows(element, attribute) == Follows::Loads;
    loads && !file
}

/// URLs of a `srcset` (HTML §4.8.4.2.1): up to white space; trailing commas are separators.
fn source_set(value: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    let separator = |c: char| c == ',' || c.is_ascii_whitespace();
    while let Some(start) = value.get(at..).and_then(|rest| rest.find(|c| !separator(c))) {
        let start = at + start;
        let rest = value.get(start..).unwrap_or_default();
        let len = rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
        let url = rest.get(..len).unwrap_or_default();
        let bare = url.trim_end_matches(',');
        found.push(start..start + bare.len());
        at = start + len;
        if bare.len() == url.len() {
            // Descriptors run to the next comma outside parentheses.
            let rest = value.get(at..).unwrap_or_default();
            at += descriptor_end(rest);
        }
    }
    found
}

fn descriptor_end(rest: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in rest.bytes().enumerate() {
        match c {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => return at,
            _ => {}
        }
    }
    rest.len()
}

fn words(value: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    for piece in value.split(|c: char| c.is_ascii_whitespace()) {
        if !piece.is_empty() {
            found.push(at..at + piece.len());
        }
        at += piece.len() + 1;
    }
    found
}

/// The URL of a refresh (HTML §4.2.5.3): behind the time, `url=` and a quote.
fn refresh_url(content: &str) -> Option<Range<usize>> {
    let behind = content.find([';', ',']).map_or(0, |at| at + 1);
    let skip = |at: usize, drop: fn(char) -> bool| {
        let rest = content.get(at..).unwrap_or_default();
        at + rest.len() - rest.trim_start_matches(drop).len()
    };
    let mut start = skip(behind, |c| c.is_ascii_whitespace());
    let rest = content.get(start..)?;
    if rest.get(..3).is_some_and(|head| head.eq_ignore_ascii_case("url")) {
        let equals = skip(start + 3, |c| c.is_ascii_whitespace());
        if content.as_bytes().get(equals) == Some(&b'=') {
            start = skip(equals + 1, |c| c.is_ascii_whitespace());
        }
    }
    let quote = content.get(start..)?.chars().next().filter(|c| matches!(c, '"' | '\''));
    let end = match quote {
        Some(quote) => {
            start += 1;
            content.get(start..)?.find(quote).map_or(content.len(), |len| start + len)
        }
        None => content.len(),
    };
    (start < end).then_some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(value: &str, ranges: Vec<Range<usize>>) -> Vec<&str> {
        ranges.into_iter().map(|range| &value[range]).collect()
    }

    #[test]
    fn source_sets() {
        for (value, expected) in [
            ("a.png 1x, b.png 2x", vec!["a.png", "b.png"]),
            ("a,b.png 1x,c.png", vec!["a,b.png", "c.png"]),
            (" , a.png, b.png 100w (x,y), c", vec!["a.png", "b.png", "c"]),
            ("", vec![]),
        ] {
            assert_eq!(cut(value, source_set(value)), expected, "{value}");
        }
    }

    #[test]
    fn refreshes() {
        for (content, expected) in [
            ("0;url=http://x/", Some("http://x/")),
            ("5; URL = 'http://x/' y", Some("http://x/")),
            ("0, http://x/", Some("http://x/")),
            ("url=http://x/", Some("http://x/")),
            ("5", Some("5")),
        ] {
            assert_eq!(refresh_url(content).map(|range| &content[range]), expected, "{content}");
        }
    }
}
