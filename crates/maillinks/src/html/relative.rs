//! Addresses relative to the base of a document (RFC 3986 §5.1). If a header names a deceptive base (`Content-Base`,
//! `Content-Location`; RFC 2557 §5), each of them leads there.

use std::ops::ControlFlow;

use super::attributes;
use super::elements::Element;
use super::token::{RawText, Token, Tokenizer};
use super::{entity, unsafe_name, url_values};
use crate::mapped::{Builder, MappedText};
use crate::{Holds, NOWHERE};
use mailsplice::span::TextEdit;
use uts58::{reference, scheme};

/// The edit that defangs a relative address, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relative {
    /// Name of the element, in lower case.
    pub element: String,
    /// Name of the attribute, in lower case.
    pub attribute: &'static str,
    /// In the text of the part.
    pub edit: TextEdit,
}

/// Visits every attribute of a text that leads to the base, until `visit` breaks.
pub fn relatives(text: &str, mut visit: impl FnMut(Relative) -> ControlFlow<()>) {
    let mut tokens = Tokenizer::new(text, 0..text.len(), RawText::Ignore);
    while let Some(token) = tokens.next() {
        let Token::Tag(tag) = token else { continue };
        for attribute in &tokens.attributes {
            let written = text.get(attribute.name()).unwrap_or_default();
            let Some((name, holds)) = attributes::attribute(written) else { continue };
            let seen = entity::attribute(text, attribute.value()).as_url();
            let value = seen.as_str();
            let leads = match holds {
                Holds::Url => is_relative(value),
                // A form without an address leads to its own page.
                Holds::FixedUrl => !value.trim_ascii().is_empty() && is_relative(value),
                Holds::Refresh => {
                    let url = url_values::refresh_url(value).and_then(|range| value.get(range));
                    tag.element() == Element::Meta && url.is_some_and(is_relative)
                }
                _ => false,
            };
            if !leads {
                continue;
            }
            let edit = match holds {
                Holds::FixedUrl => {
                    TextEdit { range: attribute.value(), replacement: NOWHERE.into() }
                }
                _ => TextEdit { range: attribute.name(), replacement: unsafe_name(name) },
            };
            let element = tag.name.lower_case(text).into_owned();
            if visit(Relative { element, attribute: name, edit }).is_break() {
                return;
            }
        }
    }
}

/// A page behind a `<base>` for the base that a header names, which no byte of the page stands for. `None` if the base
/// is relative itself or of another kind (`cid:`), or the page has no link that is relative to it.
pub fn under_base(page: &str, base: &str) -> Option<MappedText<'static>> {
    // Clients leave out quotes and the blanks of folding (RFC 2557 §4.4.1).
    let url: String = base.chars().filter(|c| *c > ' ' && !"\"<>".contains(*c)).collect();
    let is_of_web = match reference::scheme(&url).and_then(|colon| url.get(..colon)) {
        Some(name) => scheme::is_web(name),
        None => true,
    };
    if !is_of_web || is_relative(&url) {
        return None;
    }
    let mut leads_to_base = false;
    relatives(page, |Relative { element, attribute, .. }| {
        // A picture or a style sheet shows nobody where it leads.
        leads_to_base = matches!(attribute, "href" | "action" | "formaction") && element != "link";
        if leads_to_base { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    if !leads_to_base {
        return None;
    }
    let mut seen = Builder::with_capacity(page.len() + url.len());
    seen.unit(&format!("<base href=\"{}\">", url.replace('&', "&amp;")), 0..0);
    seen.linear(page, 0);
    Some(seen.finish())
}

/// Whether an address is relative to a base: it has neither a scheme nor a host. `https:login` and `https:/login` have
/// no host if the base has the same scheme (WHATWG URL §4.4).
pub(super) fn is_relative(url: &str) -> bool {
    let url = url.trim_matches(|c: char| c <= ' ');
    let rest = match reference::scheme(url).and_then(|colon| url.split_at_checked(colon)) {
        Some((name, _)) if !scheme::is_web(name) => return false,
        Some((_, rest)) => rest.get(1..).unwrap_or_default(),
        None => url,
    };
    !rest.strip_prefix(['/', '\\']).is_some_and(|rest| rest.starts_with(['/', '\\']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_relative_to_a_base() {
        for url in ["", "x", "/x", "?x", "#x", " ../x ", "x/y:z", "https:x", "http:/x", "a.b:80"] {
            assert!(is_relative(url), "{url}");
        }
        for url in ["https://x", "//x", "/\\x", "mailto:x", "javascript:x", "http:/\\x", "cid:x"] {
            assert!(!is_relative(url), "{url}");
        }
    }

    #[test]
    fn a_page_is_read_under_an_absolute_base_if_it_has_relative_addresses() {
        let page = "<a href=x>y</a>";
        for (base, tag) in [
            ("https://a.com/x?y&z", "<base href=\"https://a.com/x?y&amp;z\">"),
            ("\"http://a.com/\"", "<base href=\"http://a.com/\">"),
            ("HTTP://a.com/\r\n x\">", "<base href=\"HTTP://a.com/x\">"),
            ("//a.com", "<base href=\"//a.com\">"),
        ] {
            let seen = under_base(page, base).map(|seen| seen.as_str().to_owned());
            assert_eq!(seen.as_deref(), Some([tag, page].concat().as_str()), "{base}");
        }
        let seen = under_base(page, "http://a.com").unwrap();
        let href = seen.as_str().find("=x").unwrap();
        assert_eq!(seen.source(href + 1..href + 2), 8..9);
        for base in ["", "x.html", "/x", "cid:1@a.com", "mailto:a@b.com", "file:///x", "http:x"] {
            assert_eq!(under_base(page, base).map(|_| ()), None, "{base}");
        }
        for page in ["<img src=x><area href=x>", "<form action=/x>", "<button formaction='?x'>"] {
            assert!(under_base(page, "http://a.com").is_some(), "{page}");
        }
        for page in [
            "",
            "x",
            "<a href=https://a.com/>x</a>",
            "<a href='//b.com'>x</a>",
            "<link href=x.css><img src=x.png>",
        ] {
            assert!(under_base(page, "http://a.com").is_none(), "{page}");
        }
    }

    #[test]
    fn each_address_has_its_edit() {
        let page = "<a href=x><a HREF='https://a.b/'><form action=''><form action=\"?x\"><img src=&#47;x>\
                    <meta http-equiv=refresh content='0;url=/x'><meta name=x content='12'>";
        let mut found = Vec::new();
        relatives(page, |one| {
            found.push((one.element, one.attribute, one.edit.replacement.into_owned()));
            ControlFlow::Continue(())
        });
        let expected = [
            ("a", "href", "data-unsafe-href"),
            ("form", "action", NOWHERE),
            ("img", "src", "data-unsafe-src"),
            ("meta", "content", "data-unsafe-content"),
        ];
        let expected = expected.map(|(a, b, c)| (a.to_owned(), b, c.to_owned()));
        assert_eq!(found, expected);
    }
}
