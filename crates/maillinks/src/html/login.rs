//! Pages that ask for a password: what they call themselves, and where they send it.

use std::ops::Range;

use super::actions::value_of;
use super::elements::{Element, RawElement};
use super::entity;
use super::named_page::strings;
use super::token::{RawText, TagKind, Token, Tokenizer};
use crate::labels;

/// Names of one page that are compared, and bytes of one: a page shows whose it is at its top.
const NAMES: usize = 8;
const NAME_BYTES: usize = 256;

/// What a page in mail says of itself that asks for a password.
#[derive(Debug, Default)]
pub struct LoginPage {
    /// Its titles, its headings, and the texts of its pictures.
    pub names: Vec<String>,
    /// The URL to which it sends the password, and where that begins in the page.
    pub sends_to: Option<(String, usize)>,
}

/// What is open while a page is read.
#[derive(Default)]
struct OpenForm {
    heading: bool,
    form: Option<(String, usize)>,
    /// Whether a password was asked for.
    asks: bool,
    /// The first URL of a script that is no file of the page.
    script: Option<(String, usize)>,
}

/// Reads a page that asks for a password. Linear.
pub fn login_page(page: &str) -> LoginPage {
    let (mut login, mut open) = (LoginPage::default(), OpenForm::default());
    let mut tokens = Tokenizer::new(page, 0..page.len(), RawText::Honour);
    while let Some(token) = tokens.next() {
        match token {
            Token::Tag(tag) if is_heading(tag.element()) => {
                open.heading = tag.kind == TagKind::Open && login.begin_name();
            }
            Token::Tag(tag) if tag.kind == TagKind::Open => {
                let value = |name: &str| {
                    let value = value_of(page, &tokens.attributes, name)?;
                    Some((value.as_str().to_owned(), value.source(0..0).start))
                };
                login.tag(tag.element(), value, &mut open);
            }
            Token::Text(text) if open.heading => login.add(page, text),
            Token::Raw(RawElement::Escapable, text) if login.begin_name() => login.add(page, text),
            Token::Raw(RawElement::Script, content) if open.script.is_none() => {
                let text = page.get(content.clone()).unwrap_or_default();
                let mut urls = strings(text, content.start).filter(|(url, _)| labels::leads(url));
                let url = urls.find(|(url, _)| !is_file_of_page(url));
                open.script = url.map(|(url, start)| (url.to_owned(), start));
            }
            _ => {}
        }
    }
    login.sends_to = login.sends_to.or(open.script);
    login
}

impl LoginPage {
    fn tag(
        &mut self,
        element: Element,
        value: impl Fn(&str) -> Option<(String, usize)>,
        open: &mut OpenForm,
    ) {
        let leads = |(url, _): &(String, usize)| labels::leads(url);
        if element == Element::Form {
            open.form = value("action").filter(leads);
        } else if element == Element::Input
            && value("type").is_some_and(|(kind, _)| is_password(&kind))
        {
            open.asks = true;
            self.sends_to = self.sends_to.take().or_else(|| open.form.clone());
        } else if open.asks
            && self.sends_to.is_none()
            && matches!(element, Element::Input | Element::Button)
        {
            self.sends_to = value("formaction").filter(leads);
        }
        if let Some((text, _)) = value("alt").filter(|_| self.begin_name())
            && let Some(last) = self.names.last_mut()
        {
            last.push_str(text.get(..text.floor_char_boundary(NAME_BYTES)).unwrap_or_default());
        }
    }

    /// Begins a name, in the place of one without text; false if no more are compared.
    fn begin_name(&mut self) -> bool {
        self.names.pop_if(|last| last.trim().is_empty());
        let begins = self.names.len() < NAMES;
        self.names.extend(begins.then(String::new));
        begins
    }

    /// Adds a text to the last name.
    fn add(&mut self, page: &str, text: Range<usize>) {
        let Some(last) = self.names.last_mut() else { return };
        let room = NAME_BYTES.saturating_sub(last.len());
        let end = page.floor_char_boundary(text.end.min(text.start + room));
        last.push_str(entity::attribute(page, text.start..end).as_str());
    }
}

/// Whether an `<input>` of this type is for a password.
pub fn is_password(kind: &str) -> bool {
    kind.trim_ascii().eq_ignore_ascii_case("password")
}

fn is_heading(element: Element) -> bool {
    use Element::*;
    matches!(element, H1 | H2 | H3 | H4 | Legend)
}

/// Whether a URL is of a script, a style sheet, a picture or a font, by its extension.
fn is_file_of_page(url: &str) -> bool {
    const FILES: [&str; 13] = [
        "js", "mjs", "css", "map", "png", "jpg", "jpeg", "gif", "svg", "ico", "webp", "woff",
        "woff2",
    ];
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let extension = path.rsplit_once('.').map(|(_, extension)| extension);
    extension.is_some_and(|extension| FILES.iter().any(|file| extension.eq_ignore_ascii_case(file)))
}
