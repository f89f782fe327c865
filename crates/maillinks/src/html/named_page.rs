//! Where a page leads that is attached under the name of a site: a reader opens it by that name, and programs do not show
//! its extension. Whoever saves a page of the site under its name keeps its links, most of which lead there.

use std::ops::Range;

use memchr::memmem;

use super::actions::value_of;
use super::elements::{Element, RawElement};
use super::token::{RawText, TagKind, Token, Tokenizer};
use super::url_values::refresh_url;
use crate::mapped::MappedText;
use crate::{Layer, labels};
use uts58::{Target, reference};

/// A URL, with where it begins in the page.
type Url = (String, usize);

#[derive(Default)]
struct Leads {
    /// By itself, or with a password.
    acts: Option<Url>,
    /// By a link, a form or a script.
    links: Option<Url>,
    /// The last form.
    form: Option<Url>,
    /// Whether a link leads to the site.
    is_of_site: bool,
}

/// A link to where a page leads, labelled by its name: of a page without a link to the site of that name the first one; of
/// each page where it goes by itself, and where it sends a password. Linear.
pub fn below_name(page: &str, name: &str) -> Option<Layer<'static>> {
    let site = labels::site_of_name(name)?;
    let mut leads = Leads::default();
    let mut tokens = Tokenizer::new(page, 0..page.len(), RawText::Honour);
    while let Some(token) = tokens.next() {
        match token {
            Token::Tag(tag) if tag.kind == TagKind::Open => {
                let value = |name: &str| value_of(page, &tokens.attributes, name);
                let url = |text: &MappedText<'_>, range: Range<usize>| {
                    let url = text.as_str().get(range.clone()).filter(|url| labels::leads(url))?;
                    Some((url.trim().to_owned(), text.source(range).start))
                };
                leads.tag(tag.element(), (value, url), site);
            }
            Token::Raw(RawElement::Script, content) => leads.script(page, content),
            _ => {}
        }
    }
    let links = leads.links.filter(|_| !leads.is_of_site);
    let (url, start) = leads.acts.or(links)?;
    labels::below_name(&url, start, name)
}

impl Leads {
    fn tag<'t>(
        &mut self,
        element: Element,
        (value, url): (
            impl Fn(&str) -> Option<MappedText<'t>>,
            impl Fn(&MappedText<'_>, Range<usize>) -> Option<Url>,
        ),
        site: &str,
    ) {
        let says = |attribute: &str, word: &str| {
            value(attribute).is_some_and(|value| value.as_str().trim().eq_ignore_ascii_case(word))
        };
        if element == Element::Meta && self.acts.is_none() && says("http-equiv", "refresh") {
            self.acts = value("content").and_then(|text| url(&text, refresh_url(text.as_str())?));
        } else if element == Element::Input && self.acts.is_none() && says("type", "password") {
            self.acts = self.form.take();
        } else if matches!(element, Element::Form | Element::A | Element::Area) {
            let own = value(if element == Element::Form { "action" } else { "href" });
            let own = own.or_else(|| value("xlink:href"));
            let led = own.and_then(|text| url(&text, 0..text.as_str().len()));
            self.is_of_site |= led.as_ref().is_some_and(|(url, _)| leads_to(url, site));
            if element == Element::Form {
                self.form = led.clone();
            }
            self.links = self.links.take().or(led);
        }
    }

    /// Reads a script: the first URL of one that goes to some.
    fn script(&mut self, page: &str, content: Range<usize>) {
        let script = page.get(content.clone()).unwrap_or_default();
        if self.links.is_some() || memmem::find(script.as_bytes(), b"location").is_none() {
            return;
        }
        let url = strings(script, content.start).find(|(string, _)| labels::leads(string));
        self.links = url.map(|(url, start)| (url.to_owned(), start));
    }
}

/// The strings of a script that begins here, and what stands between them, with where each begins.
pub(super) fn strings(script: &str, start: usize) -> impl Iterator<Item = (&str, usize)> {
    let mut at = start;
    script.split(['"', '\'', '`']).map(move |string| {
        let start = at;
        at += string.len() + 1;
        (string, start)
    })
}

/// Whether a URL leads to a host of a site.
fn leads_to(url: &str, site: &str) -> bool {
    reference::parse(url, 0..url.len()).any(|target| match target {
        Target::Link(link) => {
            let host = link.host_str(url);
            let front = host.len().checked_sub(site.len()).and_then(|at| host.split_at_checked(at));
            front.is_some_and(|(front, end)| {
                end.eq_ignore_ascii_case(site) && (front.is_empty() || front.ends_with('.'))
            })
        }
        Target::Dangerous { .. } => false,
    })
}
