//! What a page shows in place of a URL of the message itself: a drawing, a page or a text that is one of its parts
//! (`cid:`, Content-Location) or stands in the URL (`data:`), and the style sheets among them. What such a thing says in a
//! link is compared with where the link leads, as if it stood there.

use std::ops::Range;

use super::Builder;
use super::attributes;
use super::elements::Element;
use super::entity;
use super::pictures;
use super::token::{RawText, Tag, TagKind, Token, Tokenizer};
use super::url_values::refresh_url;
use crate::{InFront, Layer, css};
use uts58::reference;
use uts58::scheme::{self, Does};

/// Maximum number of such URLs of a page that are read, and bytes of what one shows: no link shows as much.
const EMBEDDED: usize = 32;
const BYTES: usize = 1_024;

/// What stands behind such a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Embedded {
    /// A drawing or a page.
    Markup(String),
    /// Plain text.
    Text(String),
    /// A style sheet.
    Sheet(String),
}

/// What a page does with what a URL names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Use {
    /// It is seen in the page.
    Shows,
    /// A click opens it.
    Opens,
}

impl Embedded {
    /// What the page has in place of it.
    pub fn in_place(&self, how: Use) -> String {
        match how {
            Use::Shows => self.markup(),
            Use::Opens => self.link(),
        }
    }

    /// A link to where the page leads that a click opens.
    fn link(&self) -> String {
        let Embedded::Markup(page) = self else { return String::new() };
        let mut link = String::new();
        if let Some(url) = leads_to(page) {
            link.push_str("<a href=\"");
            uts58::html::escape(&url, &mut link);
            link.push_str("\">");
        }
        link
    }

    /// By the type of the content, in lower case.
    pub fn of(kind: &str, content: String) -> Option<Embedded> {
        Some(match kind {
            "image/svg+xml" | "image/svg" | "text/html" | "application/xhtml+xml" => {
                Embedded::Markup(content)
            }
            "text/plain" => Embedded::Text(content),
            "text/css" => Embedded::Sheet(content),
            _ => return None,
        })
    }

    /// What stands in the URL.
    fn of_data(url: &str) -> Option<Embedded> {
        let (scheme, rest) = url.split_at_checked(5)?;
        if !scheme.eq_ignore_ascii_case("data:") {
            return None;
        }
        let end = rest.find([';', ','])?;
        let kind = rest.get(..end)?.trim().to_ascii_lowercase();
        let bytes = pictures::bytes(rest)?;
        Embedded::of(&kind, String::from_utf8_lossy(&bytes).into_owned())
    }

    /// What of it is seen in the page.
    fn markup(&self) -> String {
        let mut shown = String::new();
        match self {
            Embedded::Markup(markup) => shown = text(markup),
            Embedded::Text(text) => {
                let end = text.floor_char_boundary(BYTES);
                uts58::html::escape(text.get(..end).unwrap_or_default(), &mut shown);
            }
            Embedded::Sheet(sheet) if !sheet.contains('<') => {
                let end = sheet.floor_char_boundary(BYTES);
                shown = format!("<style>{}</style>", sheet.get(..end).unwrap_or_default());
            }
            Embedded::Sheet(_) => {}
        }
        shown
    }
}

/// The words of a drawing in a `data:` URL.
pub(super) fn drawn(url: &str) -> Option<String> {
    let url = url.trim_ascii();
    // What most fail on.
    if !url.get(..DATA.len()).is_some_and(|front| front.eq_ignore_ascii_case(DATA)) {
        return None;
    }
    let Embedded::Markup(markup) = Embedded::of_data(url)? else { return None };
    let text = text(&markup);
    let decoded = entity::attribute(&text, 0..text.len()).as_str().trim_ascii().to_owned();
    (!decoded.is_empty()).then_some(decoded)
}

const DATA: &str = "data:image/svg";

/// Says what a page has in place of a URL that names a part.
type Parts<'p> = &'p mut dyn FnMut(&str, Use) -> Option<String>;

/// The page with what these URLs show, or open. `part` says what one shows that names a part. `None` if there is nothing.
/// Linear.
pub fn with_embedded(page: &str, part: Parts<'_>) -> Option<Layer<'static>> {
    let mut seen = Builder::with_capacity(page.len());
    let (mut done, mut shown) = (0, 0);
    let mut tokens = Tokenizer::new(page, 0..page.len(), RawText::Honour);
    while let Some(token) = tokens.next() {
        let Token::Tag(tag) = token else { continue };
        if tag.kind != TagKind::Open || tokens.attributes.is_empty() {
            continue;
        }
        let how = if tag.element() == Element::A { Use::Opens } else { Use::Shows };
        let values = tokens.attributes.iter().map(|one| (one.name(), one.value()));
        let found: String = values
            .filter_map(|(name, value)| of_attribute(page, (name, value), (how, part)))
            .collect();
        if found.is_empty() {
            continue;
        }
        shown += 1;
        let at = place(&tag);
        seen.linear(page.get(done..at).unwrap_or_default(), done);
        seen.unit(&found, tag.range);
        done = at;
        if shown == EMBEDDED {
            break;
        }
    }
    seen.linear(page.get(done..).unwrap_or_default(), done);
    (shown > 0).then(|| Layer::behind(InFront::Other, seen.finish()))
}

/// Where it is shown: in front of what it stands for, and in the elements that it lies behind.
fn place(tag: &Tag) -> usize {
    use Element::*;
    match tag.element() {
        Embed | Iframe | Image | Img | Input | Object | Link => tag.range.start,
        _ => tag.range.end,
    }
}

/// What an attribute shows.
fn of_attribute(
    page: &str,
    (name, value): (Range<usize>, Range<usize>),
    (how, part): (Use, Parts<'_>),
) -> Option<String> {
    // What most are not.
    let (name, _) = attributes::attribute(page.get(name)?)?;
    let value = entity::attribute(page, value).as_url();
    let mut shown = |url: &str| {
        let url = url.trim();
        Embedded::of_data(url).map(|one| one.markup()).or_else(|| part(url, Use::Shows))
    };
    match name {
        // A page in a URL is unsafe, and one at its location is opened in the web.
        "href" if how == Use::Opens => {
            let url = value.as_str().trim();
            let is_part = url.get(..4).is_some_and(|front| front.eq_ignore_ascii_case("cid:"));
            is_part.then(|| part(url, Use::Opens))?
        }
        "src" | "data" | "href" | "background" | "poster" => shown(value.as_str()),
        "style" => css::urls(value.as_str()).find_map(|url| shown(url.as_str())),
        _ => None,
    }
}

/// The first URL of the web to which a page leads: that of a form, else that of a frame, a refresh or a link.
fn leads_to(page: &str) -> Option<String> {
    let mut first = None;
    let mut tokens = Tokenizer::new(page, 0..page.len(), RawText::Honour);
    while let Some(token) = tokens.next() {
        let Token::Tag(tag) = token else { continue };
        if tag.kind != TagKind::Open || tokens.attributes.is_empty() {
            continue;
        }
        let element = tag.element();
        let wanted = match element {
            Element::Form => "action",
            Element::A | Element::Area => "href",
            Element::Iframe | Element::Frame => "src",
            Element::Meta => "content",
            _ => continue,
        };
        for attribute in &tokens.attributes {
            let written = page.get(attribute.name()).unwrap_or_default();
            let written = written.rsplit(':').next().unwrap_or_default();
            if !written.eq_ignore_ascii_case(wanted) {
                continue;
            }
            let value = entity::attribute(page, attribute.value()).as_url();
            let whole = 0..value.as_str().len();
            let range = match element {
                Element::Meta => refresh_url(value.as_str()),
                _ => Some(whole),
            };
            let url = range.and_then(|range| value.as_str().get(range)).map(str::trim);
            let is_of_web = |url: &&str| {
                let scheme = reference::scheme(url).and_then(|colon| url.get(..colon));
                scheme.is_some_and(|name| scheme::does(name) == Some(Does::Web))
            };
            match url.filter(is_of_web) {
                Some(url) if element == Element::Form => return Some(url.to_owned()),
                Some(url) if first.is_none() => first = Some(url.to_owned()),
                _ => {}
            }
        }
    }
    first
}

/// The text of a drawing or a page, as it is written there.
fn text(markup: &str) -> String {
    let mut text = String::new();
    let mut unseen = None;
    let slice = |range: Range<usize>| markup.get(range).unwrap_or_default();
    for token in Tokenizer::new(markup, 0..markup.len(), RawText::Honour) {
        match token {
            Token::Tag(tag) => {
                let element = tag.element();
                match (unseen == Some(element), tag.kind) {
                    (true, TagKind::Close) => unseen = None,
                    // Their text nobody sees.
                    (false, TagKind::Open)
                        if matches!(element, Element::Desc | Element::Metadata) =>
                    {
                        unseen.get_or_insert(element);
                    }
                    _ if element.breaks_line() => text.push(' '),
                    _ => {}
                }
            }
            Token::Text(range) if unseen.is_none() => text.push_str(slice(range)),
            Token::Text(_) | Token::Comment(_) | Token::Raw(..) => {}
        }
        if text.len() > BYTES {
            text.truncate(text.floor_char_boundary(BYTES));
            break;
        }
    }
    if text.trim().is_empty() { String::new() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_stands_in_the_page() {
        let with = |page: &str| {
            let part = |url: &str, how| {
                (url == "cid:1").then(|| if how == Use::Shows { "shown" } else { "<a>" }.to_owned())
            };
            let layer = with_embedded(page, &mut { part });
            layer.map(|layer| layer.seen.as_str().to_owned())
        };
        for (page, shown) in [
            ("a<img src=cid:1>b", Some("ashown<img src=cid:1>b")),
            ("<b style='x:url(cid:1)'>c", Some("<b style='x:url(cid:1)'>shownc")),
            ("<img src='data:text/plain,x%3C'>", Some("x&lt;<img src='data:text/plain,x%3C'>")),
            ("<img src=cid:2><p title=cid:1>", None),
            ("<a href=cid:1>b", Some("<a href=cid:1><a>b")),
            ("<a href='data:text/html,x'>b", None),
            ("</img src=cid:1>", None),
        ] {
            assert_eq!(with(page).as_deref(), shown, "{page}");
        }
        let many = "<img src=cid:1>".repeat(EMBEDDED + 9);
        assert_eq!(with(&many).unwrap().matches("shown").count(), EMBEDDED);
    }

    #[test]
    fn pages_lead_to_their_form() {
        for (page, url) in [
            ("<form action=https://a.com/x>", Some("https://a.com/x")),
            ("<a href='https://b.com'><form action=https://a.com/&amp;>", Some("https://a.com/&")),
            ("<a xlink:href='https://b.com'>", Some("https://b.com")),
            ("<meta http-equiv=refresh content='0;url=https://b.com'>", Some("https://b.com")),
            ("<a href=x><form action=''><a href=mailto:a@b.com><img src=https://a.com>", None),
        ] {
            assert_eq!(leads_to(page).as_deref(), url, "{page}");
        }
    }

    #[test]
    fn the_text_of_a_drawing() {
        for (markup, shown) in [
            ("<svg><text>www.<tspan>a</tspan>.com</text></svg>", " www.a.com "),
            ("<svg><title>x</title><desc>y<b>z</b></desc><text>&lt;</text>", "   &lt; "),
            ("<svg><style>a{}</style><path d='x'/></svg>", ""),
            ("<p>one<br>two", " one two"),
        ] {
            assert_eq!(text(markup), shown, "{markup}");
        }
        assert_eq!(text(&"x".repeat(2 * BYTES)).len(), BYTES);
    }
}
