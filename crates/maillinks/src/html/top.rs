//! Finds where a page begins to show something.

use super::elements::Element;
use super::token::{RawText, TagKind, Token, Tokenizer};

/// The offset after the start tag of the body; without one, before the first thing that is shown. `None` if nothing
/// can be inserted: a page of frames, or a tag that the end of the text cuts off.
pub fn top_of_html(text: &str) -> Option<usize> {
    for token in Tokenizer::new(text, 0..text.len(), RawText::Honour) {
        match token {
            Token::Tag(tag) => {
                use Element::*;
                let whole = text.get(tag.range.clone()).is_some_and(|tag| tag.ends_with('>'));
                match (tag.element(), tag.kind) {
                    _ if !whole => return None,
                    (Frameset, _) => return None,
                    (Body, TagKind::Open) => return Some(tag.range.end),
                    // They show nothing.
                    (Html | Head | Meta | Title | Link | Base | Style | Script, _) => {}
                    (_, TagKind::Open) => return Some(tag.range.start),
                    (_, TagKind::Close) => {}
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
