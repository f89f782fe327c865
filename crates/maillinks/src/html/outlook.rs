//! Text as Outlook shows it: with the content of conditional comments, and without what they hide. Used only if a
//! comment is inside a word, begins or ends an anchor or has words for one, or if there is a field of Word.

use std::ops::Range;

use super::elements::Element;
use super::entity::{self, Within};
use super::fields::{Mark, OpenFields, OutlookLink};
use super::token::{TagKind, Token, Tokenizer};
use super::{MappedText, RawText, fields, token};
use crate::mapped::Builder;
use uts58::unicode::is_dot_to_somebody;

/// The visible text of the document, and the anchors in it.
pub struct Shown {
    pub text: MappedText<'static>,
    /// In the order of the text.
    pub anchors: Vec<OutlookLink>,
    /// Links around these that only Outlook has, in the order of the text.
    pub around: Vec<OutlookLink>,
    /// Fields of Word that are links, in the order of their ends.
    pub fields: Vec<OutlookLink>,
}

/// What Outlook shows of the document.
pub fn shown(source: &str) -> Shown {
    let mut reader = OutlookReader { source, ..OutlookReader::default() };
    reader.seen = Builder::with_capacity(source.len() / 4);
    let mut tokens = Tokenizer::new(source, 0..source.len(), RawText::Honour);
    let mut around: Option<Tokenizer<'_>> = None;
    loop {
        match tokens.next() {
            Some(Token::Text(range)) if !reader.hidden => {
                entity::decode_into(&mut reader.seen, source, range, Within::Text);
            }
            Some(Token::Tag(tag)) => reader.tag(&tag, &tokens.attributes, around.is_some()),
            Some(Token::Comment(inner)) => {
                let comment = source.get(inner.clone()).unwrap_or_default();
                match condition(comment) {
                    Some(Condition::Shows(at)) if around.is_none() => {
                        let content = inner.start + at..inner.end;
                        let inside = Tokenizer::new(source, content, RawText::Honour);
                        around = Some(std::mem::replace(&mut tokens, inside));
                    }
                    Some(Condition::Hides) => reader.hidden = true,
                    Some(Condition::Ends) => reader.hidden = false,
                    _ => {}
                }
            }
            Some(Token::Text(_) | Token::Raw(..)) => {}
            None => match around.take() {
                Some(outer) => tokens = outer,
                None => return reader.finish(),
            },
        }
    }
}

#[derive(Default)]
struct OutlookReader<'s> {
    source: &'s str,
    seen: Builder,
    shown: OutlookLinks,
    open: Option<OutlookLink>,
    /// Whether the open link begins in a condition.
    is_conditional: bool,
    /// The link of a condition that is open around another.
    outer: Option<OutlookLink>,
    fields: OpenFields,
    /// Between `<!--[if !mso]><!-->` and `<!--<![endif]-->`.
    hidden: bool,
}

#[derive(Default)]
struct OutlookLinks {
    anchors: Vec<OutlookLink>,
    around: Vec<OutlookLink>,
    fields: Vec<OutlookLink>,
}

impl OutlookReader<'_> {
    fn tag(&mut self, tag: &token::Tag, attributes: &[token::Attribute], in_condition: bool) {
        let element = tag.element();
        let begins = tag.kind == TagKind::Open && !attributes.is_empty();
        let leads = element == Element::A && (tag.kind == TagKind::Close || begins);
        if leads || element.breaks_line() {
            self.seen.separate(tag.range.start);
        }
        if self.hidden {
            return;
        }
        if leads || element.leads_by_itself() {
            self.link(tag, begins, in_condition);
        } else if element == Element::Span {
            self.span(tag, attributes);
        } else if element == Element::Img && self.open.is_some() {
            self.picture(attributes);
        }
    }

    /// Begins or ends a link.
    fn link(&mut self, tag: &token::Tag, begins: bool, in_condition: bool) {
        let (at, here) = (tag.range.start, self.seen.len());
        let next = begins.then(|| OutlookLink { target: at..at + 1, text: here..here });
        let last = std::mem::replace(&mut self.open, next);
        let was_conditional = std::mem::replace(&mut self.is_conditional, begins && in_condition);
        if in_condition {
            // One that nothing ends may as well end with the link in it.
            let outer = self.outer.take().filter(|_| tag.kind == TagKind::Close);
            self.shown.around.extend(outer.map(|outer| outer.until(here)));
        } else if let Some(last) = last.as_ref().filter(|_| begins && was_conditional) {
            self.outer = Some(OutlookLink { target: last.target.clone(), text: here..here });
        }
        self.shown.anchors.extend(last.map(|last| last.until(here)));
    }

    /// What stands for a picture in a link.
    fn picture(&mut self, attributes: &[token::Attribute]) {
        if let Some(alt) = token::attribute_named(self.source, attributes, "alt") {
            let alt = alt.value();
            self.seen.separate(alt.start);
            entity::decode_into(&mut self.seen, self.source, alt.clone(), Within::Attribute);
            self.seen.separate(alt.end);
        }
    }

    fn span(&mut self, tag: &token::Tag, attributes: &[token::Attribute]) {
        if tag.kind == TagKind::Close {
            let ended = self.fields.leave_element();
            self.end_field(ended);
            return;
        }
        let here = self.seen.len();
        match fields::mark(self.source, attributes) {
            Some(Mark::Begin) => self.fields.begin(tag.range.end, here),
            Some(Mark::Separator) => {
                let code = |from| self.seen.as_str().get(from..).unwrap_or_default();
                self.fields.separate(tag.range.start, code, here);
                self.seen.separate(tag.range.start);
            }
            Some(Mark::End) => {
                let ended = self.fields.end();
                self.end_field(ended);
                self.seen.separate(tag.range.start);
            }
            Some(Mark::Code(code)) => self.fields.begin_element(code, here),
            None => {}
        }
        self.fields.enter_element();
    }

    fn end_field(&mut self, ended: Option<OutlookLink>) {
        let here = self.seen.len();
        self.shown.fields.extend(ended.map(|ended| ended.until(here)));
    }

    fn finish(mut self) -> Shown {
        let here = self.seen.len();
        self.shown.anchors.extend(self.open.take().map(|last| last.until(here)));
        while !self.fields.is_empty() {
            let ended = self.fields.end();
            self.end_field(ended);
        }
        let OutlookLinks { anchors, around, fields } = self.shown;
        Shown { text: self.seen.finish(), anchors, around, fields }
    }
}

/// Whether a comment shows words to Outlook that may be a host: text, or what stands for a picture.
pub fn shows_host(source: &str, inner: Range<usize>) -> bool {
    let mut tokens = Tokenizer::new(source, inner, RawText::Honour);
    let has_dot = |range| entity::attribute(source, range).as_str().contains(is_dot_to_somebody);
    while let Some(token) = tokens.next() {
        let shows = match token {
            Token::Text(range) => has_dot(range),
            Token::Tag(tag) if tag.kind == TagKind::Open => {
                tag.element() == Element::Img
                    && tokens.attributes.iter().any(|one| has_dot(one.value()))
            }
            _ => false,
        };
        if shows {
            return true;
        }
    }
    false
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
            let Shown { text, anchors, .. } = shown(html);
            let texts: Vec<&str> =
                anchors.iter().map(|one| &text.as_str()[one.text.clone()]).collect();
            assert_eq!(texts, expected, "{html}");
        }
    }
}
