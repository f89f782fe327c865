//! Pages of several parts that programs show one below the other, as one page: what the first ones have that goes on
//! behind them governs the next. Its `<base>` does, style sheets that hide or write, and every element that it leaves open.

use std::ops::Range;

use super::elements::{Element, RawElement};
use super::sheets::hides_or_writes;
use super::token::{ElementName, RawText, Tag, TagKind, Token, Tokenizer};
use crate::mapped::Builder;
use crate::{InFront, Layer};

/// Maximum bytes of what is kept of pages above, and elements that are open. Of honest mail only style sheets are as long.
const ABOVE_BYTES: usize = 8 << 10;
const OPEN: usize = 32;

/// The markup of a page that goes on in what stands below it. Linear.
pub fn governing(page: &str) -> String {
    let mut above = Above { page, base: None, sheets: Vec::new(), open: Vec::new() };
    let mut tokens = Tokenizer::new(page, 0..page.len(), RawText::Honour);
    while let Some(token) = tokens.next() {
        match token {
            Token::Tag(tag) => {
                let says = !tokens.attributes.is_empty();
                above.tag(tag, says);
            }
            Token::Raw(RawElement::Style, sheet) if sheet.end < page.len() => above.sheet(sheet),
            _ => {}
        }
    }
    above.markup()
}

/// A page below others of which this governs it.
pub fn below(page: &str, above: &str) -> Layer<'static> {
    let mut seen = Builder::with_capacity(page.len() + above.len());
    seen.unit(above, 0..0);
    seen.linear(page, 0);
    Layer::behind(InFront::Other, seen.finish())
}

/// What governs the page below, in ranges of the one above.
struct Above<'p> {
    page: &'p str,
    base: Option<Range<usize>>,
    sheets: Vec<Range<usize>>,
    open: Vec<OpenTag>,
}

/// An element that is open, and whether it says anything by itself.
struct OpenTag {
    name: ElementName,
    tag: Range<usize>,
    governs: bool,
}

impl Above<'_> {
    fn tag(&mut self, tag: Tag, says: bool) {
        let element = tag.element();
        match tag.kind {
            TagKind::Open if element == Element::Base => {
                self.base.get_or_insert(tag.range);
            }
            TagKind::Open if element.is_void() || self.open.len() == OPEN => {}
            TagKind::Open => {
                let governs = says || governs(element);
                self.open.push(OpenTag { name: tag.name, tag: tag.range, governs });
            }
            TagKind::Close => self.close(&tag.name),
        }
    }

    /// Ends an element and those in it, but for links: parsers open these again (HTML §13.2.4.3).
    fn close(&mut self, name: &ElementName) {
        let is_ended = |open: &OpenTag| open.name.is(name, self.page);
        let Some(at) = self.open.iter().rposition(is_ended) else { return };
        let mut index = 0;
        self.open.retain(|open| {
            index += 1;
            index <= at || index > at + 1 && open.name.element == Element::A
        });
    }

    fn sheet(&mut self, sheet: Range<usize>) {
        let kept: usize = self.sheets.iter().map(Range::len).sum();
        let is_short = kept + sheet.len() <= ABOVE_BYTES;
        if is_short && self.page.get(sheet.clone()).is_some_and(hides_or_writes) {
            self.sheets.push(sheet);
        }
    }

    fn markup(&self) -> String {
        let slice = |range: &Range<usize>| self.page.get(range.clone()).unwrap_or_default();
        let mut markup = String::new();
        let mut add = |pieces: &[&str]| {
            if markup.len() + pieces.iter().map(|piece| piece.len()).sum::<usize>() <= ABOVE_BYTES {
                markup.extend(pieces.iter().copied());
            }
        };
        self.base.iter().for_each(|base| add(&[slice(base)]));
        self.sheets.iter().for_each(|sheet| add(&["<style>", slice(sheet), "</style>"]));
        let governing = self.open.iter().filter(|open| open.governs);
        governing.for_each(|open| add(&[slice(&open.tag)]));
        markup
    }
}

/// Whether an element says something without an attribute.
fn governs(element: Element) -> bool {
    use Element::*;
    element.raw().is_some()
        || matches!(element, Bdo | Details | Dialog | Math | Noscript | Select | Svg | Template)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_on_below_a_page() {
        for (page, expected) in [
            ("", ""),
            ("<html><body><p>x</p><img src=x><br></body></html>", ""),
            ("<p class=x>x</p><div><table><tr><td>x", ""),
            ("<base href=x><base href=y>", "<base href=x>"),
            ("<style type=a>p{display:none}</style>x", "<style>p{display:none}</style>"),
            ("<style>p.Normal{margin:0;font-size:12pt}</style>x", ""),
            ("<a href=x>y</a><a href=z>", "<a href=z>"),
            ("<div><a href=x></div></body>", "<a href=x>"),
            ("<div><bdo dir=rtl></div>", ""),
            ("<DIV><BDO dir=rtl>", "<BDO dir=rtl>"),
            ("<form action=x><p style='a:b'>", "<form action=x><p style='a:b'>"),
            ("x<style>a{}", "<style>"),
            ("x<textarea>a", "<textarea>"),
            ("<details><b>", "<details>"),
            ("<p title=\"x", "<p title=\"x"),
        ] {
            assert_eq!(governing(page), expected, "{page}");
        }
        let long = format!("<style>p{{display:none}}{}</style>", "p{}".repeat(ABOVE_BYTES));
        assert_eq!(governing(&format!("{long}<bdo>")), "<bdo>");
        assert_eq!(governing(&"<i id=x>".repeat(100)).len(), OPEN * 8);
        let page = below("<p>x", "<bdo>");
        assert_eq!(page.seen.as_str(), "<bdo><p>x");
        assert_eq!(page.seen.source(8..9), 3..4);
    }
}
