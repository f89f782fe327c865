//! A page as programs read it that run scripts: what is in `<noscript>` is text to them, up to the next end tag of that
//! name, and not shown (HTML §13.2.6.4.4). Programs that run none read it as markup. Most pages have pictures there that
//! count readers, and read alike in both ways; others are read once more, without it.

use super::elements::Element;
use super::token::{Tag, TagKind, Tokenizer};
use super::{HtmlReader, Pass, RawText, Token};
use crate::mapped::Builder;
use crate::{InFront, Layer};

impl HtmlReader<'_, '_, '_> {
    /// Remembers that the page has an element whose content scripts replace.
    #[inline]
    pub(super) fn enter_noscript(&mut self, tag: &Tag, pass: Pass) {
        self.view.rereads.scripts |= tag.element() == Element::Noscript && pass == Pass::Document;
    }
}

/// The page as it is where scripts run, if that is another. Linear.
pub fn scripted(page: &str) -> Option<Layer<'static>> {
    let first = first_that_differs(page)?;
    let mut seen = Builder::with_capacity(page.len());
    let mut tokens = Tokenizer::new(page, first..page.len(), RawText::Honour);
    let mut done = 0;
    while let Some(token) = tokens.next() {
        if let Token::Tag(tag) = token
            && tag.kind == TagKind::Open
            && tag.element() == Element::Noscript
        {
            let content = tokens.raw_content(&tag.name.written);
            seen.linear(page.get(done..content.start).unwrap_or_default(), done);
            done = content.end;
        }
    }
    seen.linear(page.get(done..).unwrap_or_default(), done);
    Some(Layer::behind(InFront::Other, seen.finish()))
}

/// Where the first such element begins that is another as markup and as text. Those before it are passed once as markup,
/// and once as text.
fn first_that_differs(page: &str) -> Option<usize> {
    let mut is_in_link = false;
    for token in Tokenizer::new(page, 0..page.len(), RawText::Honour) {
        let Token::Tag(tag) = token else { continue };
        if tag.element() == Element::A {
            is_in_link = tag.kind == TagKind::Open;
        } else if tag.kind == TagKind::Open
            && tag.element() == Element::Noscript
            && !reads_alike(page, &tag, is_in_link)
        {
            return Some(tag.range.start);
        }
    }
    None
}

/// Whether the element is the same as markup and as text: it ends where the text ends, and all in it could as well not
/// be there. So it is with a picture in a link of its own, if no other one is open.
fn reads_alike(text: &str, open: &Tag, mut is_in_link: bool) -> bool {
    let has_links = !is_in_link;
    let inside = open.range.end;
    let mut content = Tokenizer::new(text, inside..text.len(), RawText::Honour);
    let end = content.raw_content(&open.name.written).end;
    let mut tokens = Tokenizer::new(text, inside..text.len(), RawText::Honour);
    // Those that change nothing around them, whether or not they are there.
    let is_alike = |tag: &Tag| {
        use Element::*;
        matches!(tag.element(), Iframe | Img | Link | Meta | Style)
    };
    while let Some(token) = tokens.next() {
        let goes_on = match token {
            Token::Tag(tag) if tag.range.start == end => return !has_links || !is_in_link,
            Token::Tag(tag) if has_links && tag.element() == Element::A => {
                let begins = tag.kind == TagKind::Open;
                std::mem::replace(&mut is_in_link, begins) != begins
            }
            Token::Tag(tag) => is_alike(&tag),
            Token::Text(range) => text.get(range).is_some_and(|text| text.trim().is_empty()),
            Token::Comment(_) | Token::Raw(..) => true,
        };
        if !goes_on || tokens.position() > end {
            return false;
        }
    }
    // Nothing ends it, and nothing follows.
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_that_count_are_alike_in_both_readings() {
        for page in [
            "<noscript></noscript>",
            "<noscript><img src=x height=1></noscript>y",
            "<NOSCRIPT>\n<img alt=\"<b>\"/>\n</NOSCRIPT >y",
            "<noscript><style>a{b:c}</style><link rel=stylesheet href=x></noscript>",
            "<noscript><iframe src=x></iframe><!-- x --></noscript>",
            "<noscript><img src=x>",
            "<a href=x>y</a><NOSCRIPT><A HREF=x>\n<IMG src=y></A></NOSCRIPT>",
        ] {
            assert_eq!(first_that_differs(page), None, "{page}");
        }
        for page in [
            "<noscript>x</noscript>",
            "<noscript><p>x</p></noscript>",
            "<noscript></a></noscript>",
            "<noscript><img alt=\"</noscript>\"></noscript>",
            "<noscript><!-- </noscript> --></noscript>",
            "<noscript><style></noscript></style></noscript>",
            "<noscript><noscript></noscript></noscript>",
            "<noscript><base href=x></noscript>",
            "<noscript><a href=x><img src=y></noscript>",
            "<noscript><img src=y></a></noscript>",
            "<noscript><a href=x><a href=x></a></noscript>",
            "<noscript><a href=x>y</a></noscript>",
        ] {
            assert_eq!(first_that_differs(page), Some(0), "{page}");
        }
        let inside = "<a href=x><noscript><a href=y><img src=z></a></noscript>";
        assert_eq!(first_that_differs(inside), Some(10));
    }

    #[test]
    fn the_page_where_scripts_run() {
        for (page, expected) in [
            ("a<noscript>b</noscript>c", "a<noscript></noscript>c"),
            (
                "<noscript><p title='</noscript>a'></noscript>",
                "<noscript></noscript>a'></noscript>",
            ),
            (
                "<noscript>a</noscript><noscript>b</noscript>",
                "<noscript></noscript><noscript></noscript>",
            ),
            ("<noscript>a</noscript x>b</noscript>", "<noscript></noscript x>b</noscript>"),
            ("<noscript>a", "<noscript>"),
            (
                "<noscript>a</noscript><!--<noscript>b</noscript>-->",
                "<noscript></noscript><!--<noscript>b</noscript>-->",
            ),
        ] {
            let seen = scripted(page).map(|layer| layer.seen.as_str().to_owned());
            assert_eq!(seen.as_deref(), Some(expected));
        }
        let page = "<b>x</b><noscript>a</noscript>#";
        let seen = scripted(page).unwrap().seen;
        let at = seen.as_str().find('#').unwrap();
        assert_eq!(seen.source(at..at + 1), 30..31);
    }
}
