//! Finds where a page begins to show something.

use super::token::{RawText, TagKind, Token, Tokenizer};

/// Elements before a body that show nothing.
const BEFORE: &[&str] = &["html", "head", "meta", "title", "link", "base", "style", "script"];

/// The offset after the start tag of the body; without one, before the first thing that is shown. `None` if nothing
/// can be inserted: a page of frames, or a tag that the end of the text cuts off.
pub fn top_of_html(text: &str) -> Option<usize> {
    let is = |name: &str, other: &str| name.eq_ignore_ascii_case(other);
    for token in Tokenizer::new(text, 0..text.len(), RawText::Honour) {
        match token {
            Token::Tag(tag) => {
                let name = text.get(tag.name.clone()).unwrap_or_default();
                let whole = text.get(tag.range.clone()).is_some_and(|tag| tag.ends_with('>'));
                match tag.kind {
                    _ if !whole || is(name, "frameset") => return None,
                    TagKind::Open if is(name, "body") => return Some(tag.range.end),
                    TagKind::Open if BEFORE.iter().any(|before| is(name, before)) => {}
                    TagKind::Open => return Some(tag.range.start),
                    TagKind::Close => {}
                }
            }
            Token::Text(range) => {
                let shown = text.get(range.clone()).unwrap_or_default();
                let blank = |c: char| c.is_ascii_whitespace() || c == '\u{feff}';
                if let Some(at) = shown.find(|c| !blank(c)) {
                    return Some(range.start + at);
                }
            }
            Token::Comment(_) | Token::Raw(..) => {}
        }
    }
    Some(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_begins_after_its_body_tag_or_before_the_first_shown_element() {
        for (text, before) in [
            (
                "<html><head><title>a<body></title></head><body class='x'>see",
                "<html><head><title>a<body></title></head><body class='x'>",
            ),
            (
                "<!DOCTYPE html>\n<!-- <body> --><BODY\n>see",
                "<!DOCTYPE html>\n<!-- <body> --><BODY\n>",
            ),
            ("<style>p{}</style>\n <p>see", "<style>p{}</style>\n "),
            ("<div><body>see", ""),
            ("see <b>it</b>", ""),
            ("<html></html>\n", "<html></html>\n"),
            ("", ""),
        ] {
            assert_eq!(top_of_html(text), Some(before.len()), "{text}");
        }
        assert_eq!(top_of_html("<html><frameset><frame></frameset>"), None);
        assert_eq!(top_of_html("<body class='"), None);
    }
}
