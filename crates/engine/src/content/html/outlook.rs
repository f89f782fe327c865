//! Text as Outlook shows it: with the content of conditional comments, and without what they hide. Used only if a
//! comment is inside a word.

use super::entity::{self, Within};
use super::token::{TagKind, Token, Tokenizer};
use super::{MappedText, RawText, elements};
use crate::content::mapped::Builder;

/// The visible text of the document.
pub fn text(source: &str) -> MappedText<'static> {
    let mut seen = Builder::with_capacity(source.len() / 4);
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
                let leads = anchor && (tag.kind == TagKind::Close || !tokens.attributes.is_empty());
                if leads || elements::breaking(name).is_some() {
                    seen.separate(tag.range.start);
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
                None => return seen.finish(),
            },
        }
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

fn condition(comment: &str) -> Option<Condition> {
    let text = comment.trim_ascii_start();
    if text.ends_with("[endif]") && text.len() <= "<![endif]".len() {
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
            assert_eq!(text(html).as_str(), expected, "{html}");
        }
    }
}
