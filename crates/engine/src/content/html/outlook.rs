//! Text as Outlook shows it: with the content of conditional comments, and without what they hide. Used only if a
//! comment is inside a word, or begins or ends an anchor.

use std::ops::Range;

use super::entity::{self, Within};
use super::token::{TagKind, Token, Tokenizer};
use super::{MappedText, RawText, elements};
use crate::content::mapped::Builder;

/// The visible text of the document, and the anchors in it.
pub struct Shown {
    pub text: MappedText<'static>,
    /// In the order of the text.
    pub anchors: Vec<Anchor>,
}

/// The text of a link.
#[derive(Debug, PartialEq, Eq)]
pub struct Anchor {
    /// Offset of the `<` of its tag.
    pub tag: usize,
    pub text: Range<usize>,
}

/// What Outlook shows of the document.
pub fn shown(source: &str) -> Shown {
    let mut seen = Builder::with_capacity(source.len() / 4);
    let mut anchors: Vec<Anchor> = Vec::new();
    let mut open: Option<Anchor> = None;
    let mut tokens = Tokenizer::new(source, 0..source.len(), RawText::Honour);
    let mut around: Option<Tokenizer<'_>> = None;
    // Between `<!--[if !mso]><!-->` and `<!--<![endif]-->`.
    let mut hidden = false;
    loop {
        match tokens.next() {
            Some(Token::Text(range)) if !hidden => {
                entity::decode_into(&mut seen, source, range, Within::Text);
            }
            Some(Token::Tag(tag)) => {
                let name = source.get(tag.name.clone()).unwrap_or_default();
                let anchor = name.eq_ignore_ascii_case("a");
                let begins = tag.kind == TagKind::Open && !tokens.attributes.is_empty();
                let leads = anchor && (tag.kind == TagKind::Close || begins);
                if leads || elements::breaking(name).is_some() {
                    seen.separate(tag.range.start);
                }
                if !hidden && (leads || elements::leads_by_itself(name)) {
                    let next = Anchor { tag: tag.range.start, text: seen.len()..seen.len() };
                    let last = std::mem::replace(&mut open, begins.then_some(next));
                    anchors.extend(last.map(|last| last.until(seen.len())));
                }
            }
            Some(Token::Comment(inner)) => {
                let comment = source.get(inner.clone()).unwrap_or_default();
                match condition(comment) {
                    Some(Condition::Shows(at)) if around.is_none() => {
                        let content = inner.start + at..inner.end;
                        let inside = Tokenizer::new(source, content, RawText::Honour);
                        around = Some(std::mem::replace(&mut tokens, inside));
                    }
                    Some(Condition::Hides) => hidden = true,
                    Some(Condition::Ends) => hidden = false,
                    _ => {}
                }
            }
            Some(Token::Text(_) | Token::Raw(..)) => {}
            None => match around.take() {
                Some(outer) => tokens = outer,
                None => {
                    anchors.extend(open.map(|last| last.until(seen.len())));
                    return Shown { text: seen.finish(), anchors };
                }
            },
        }
    }
}

impl Anchor {
    fn until(mut self, end: usize) -> Anchor {
        self.text.end = end;
        self
    }
}

/// What a comment does to the text in it or after it.
enum Condition {
    /// Its content is shown from this byte on.
    Shows(usize),
    Hides,
    Ends,
}

/// Whether the document may hold a conditional comment.
pub fn may_differ(source: &str) -> bool {
    memchr::memmem::find_iter(source.as_bytes(), b"<!").any(|at| {
        let after = source.as_bytes().get(at + 2..).unwrap_or_default();
        after.strip_prefix(b"--").unwrap_or(after).trim_ascii_start().starts_with(b"[")
    })
}

/// Whether this content of a comment ends a condition: what was between them is shown.
pub fn ends_condition(text: &str) -> bool {
    text.ends_with("[endif]") && text.len() <= "<![endif]".len()
}

fn condition(comment: &str) -> Option<Condition> {
    let text = comment.trim_ascii_start();
    if ends_condition(text) {
        return Some(Condition::Ends);
    }
    let condition = text.get(..3).filter(|head| head.eq_ignore_ascii_case("[if"))?;
    let test = text.get(condition.len()..)?.trim_ascii_start();
    let end = text.find(']')?;
    let at = comment.len() - text.len() + end + 1;
    let after = comment.get(at..)?;
    match test.starts_with('!') {
        true => Some(Condition::Hides),
        false => Some(Condition::Shows(at + after.find('>').map_or(0, |close| close + 1))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditional_comments_in_their_place() {
        for (html, expected) in [
            ("a<!--[if mso]>b<![endif]-->c", "abc"),
            ("a<!--[if gte mso 9]><b>b</b><br>x<![endif]-->c", "ab\nxc"),
            ("a<!--[if !mso]><!-->b<!--<![endif]-->c", "ac"),
            ("a<![if !mso]>b<![endif]>c", "ac"),
            ("a<!-- x -->c", "ac"),
        ] {
            assert_eq!(shown(html).text.as_str(), expected, "{html}");
        }
    }
    #[test]
    fn anchors_of_outlook_alone() {
        for (html, expected) in [
            ("<!--[if mso]><a href=x><![endif]-->a b<!--[if mso]></a><![endif]-->c", vec!["a b\n"]),
            ("<a href=y>a<!--[if mso]><a href=x><![endif]-->b</a>c", vec!["a\n", "b\n"]),
            (
                "<!--[if mso]><v:rect href=x><![endif]-->a<!--[if mso]></v:rect><![endif]-->c",
                vec!["a"],
            ),
            ("<!--[if !mso]><!--><a href=x><!--<![endif]-->a", vec![]),
            ("<a name=x></a><a href=x>a", vec!["", "a"]),
        ] {
            let Shown { text, anchors } = shown(html);
            let texts: Vec<&str> =
                anchors.iter().map(|one| &text.as_str()[one.text.clone()]).collect();
            assert_eq!(texts, expected, "{html}");
        }
    }
}
