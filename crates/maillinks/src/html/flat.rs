//! Links in the XML of office files: of cells of Excel 2003 (`ss:HRef`), of Word 2003 (`w:dest`), of flat OpenDocument
//! (`xlink:href`), and formulas of cells, which may hold some.

use super::entity::{self, Within};
use super::token::{RawText, TagKind, Token, Tokenizer};
use crate::mapped::Builder;

/// Elements that are links, and the attribute of each that says where to, without prefixes.
const LINKS: [(&str, &str); 3] = [("Cell", "HRef"), ("hlink", "dest"), ("a", "href")];
const FORMULA: &str = "Formula";

/// What such XML holds.
pub enum FlatItem {
    /// A link.
    Link {
        /// Where it leads.
        url: String,
        /// What is shown for it.
        shown: String,
    },
    /// A formula of a cell.
    Formula(String),
}

/// A link whose element is open.
struct OpenLink<'x> {
    element: &'x str,
    url: String,
    shown: Builder,
}

/// Passes on the links and formulas of such XML, each when it ends.
pub fn flat_items(xml: &str, mut take: impl FnMut(FlatItem)) {
    let mut open: Option<OpenLink<'_>> = None;
    let mut tokens = Tokenizer::new(xml, 0..xml.len(), RawText::Ignore);
    while let Some(token) = tokens.next() {
        match token {
            Token::Text(range) => {
                if let Some(link) = &mut open {
                    entity::decode_into(&mut link.shown, xml, range, Within::Text);
                }
            }
            Token::Tag(tag) if tag.kind == TagKind::Close => {
                let element = local(xml.get(tag.name.written).unwrap_or_default());
                if let Some(OpenLink { url, shown, .. }) =
                    open.take_if(|link| link.element == element)
                {
                    take(FlatItem::Link { url, shown: shown.finish().as_str().to_owned() });
                }
            }
            Token::Tag(tag) => {
                let element = local(xml.get(tag.name.written).unwrap_or_default());
                let is_empty = xml.get(tag.range).is_some_and(|tag| tag.ends_with("/>"));
                for attribute in &tokens.attributes {
                    let name = local(xml.get(attribute.name()).unwrap_or_default());
                    let value = || entity::attribute(xml, attribute.value()).as_str().to_owned();
                    if name.eq_ignore_ascii_case(FORMULA) {
                        take(FlatItem::Formula(value()));
                    } else if open.is_none() && !is_empty && LINKS.contains(&(element, name)) {
                        open = Some(OpenLink { element, url: value(), shown: Builder::default() });
                    }
                }
            }
            Token::Comment(_) | Token::Raw(..) => {}
        }
    }
}

/// A name without its prefix.
fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or_default()
}
