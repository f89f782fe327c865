//! What only some programs read: declarations of XML, and quotes that are none in HTML.
//!
//! | standard | here |
//! | --- | --- |
//! | XML 1.0 §4.2, entities of the internal subset | [`HtmlReader::declaration`]; expanded by [`subset`] |
//! | Associating Style Sheets with XML 1.0 §3 | the same |

use std::ops::Range;

use memchr::memmem;

use super::token::{RawText, TagKind};
use super::{Holds, HtmlReader, Pass, SeenBy, Site, Tag, Token, Tokenizer, entity, subset};

impl HtmlReader<'_, '_, '_> {
    /// Reads the attributes of everything that looks like a tag.
    pub(super) fn lenient(&mut self, range: Range<usize>) {
        self.seen_by = SeenBy::Lenient;
        let mut tokens = Tokenizer::new(self.text, range, RawText::Lenient);
        while let Some(token) = tokens.next() {
            if let Token::Tag(tag) = token
                && tag.kind == TagKind::Open
            {
                self.attributes(&tag, &tokens.attributes);
            }
        }
        self.seen_by = SeenBy::Standard;
    }

    /// Queues the inside of a tag that holds another `<`.
    pub(super) fn queue_inside(&mut self, tag: &Tag) {
        let inside = tag.name.written.end..tag.range.end;
        if memchr::memchr(b'<', self.slice(&inside).as_bytes()).is_some() {
            self.queue.push_back((inside, Pass::Lenient));
        }
    }

    /// Reads the quoted strings of a declaration: values of entities, and the `href` of a style sheet.
    pub(super) fn declaration(&mut self, inner: &Range<usize>) {
        let text = self.slice(inner);
        let holds = if text.starts_with("?xml-stylesheet") {
            Holds::FixedUrl
        } else if memmem::find(text.as_bytes(), b"ENTITY").is_some() {
            if !std::mem::replace(&mut self.declares, true) {
                self.view.documents.extend(subset::expanded(self.text));
            }
            Holds::Shown
        } else if memmem::find(text.as_bytes(), b"ATTLIST").is_some() {
            Holds::FixedUrl
        } else {
            return;
        };
        self.seen_by = SeenBy::Lenient;
        for range in quoted(text) {
            let range = inner.start + range.start..inner.start + range.end;
            let site = Site::Attribute {
                tag: range.start,
                element: "!doctype".into(),
                attribute: "entity",
                holds,
            };
            let seen = entity::attribute(self.text, range);
            match holds {
                Holds::Shown => self.running_text(seen, &site, |_| true),
                _ => self.references(seen.as_url(), None, &site),
            }
        }
        self.seen_by = SeenBy::Standard;
    }
}

/// The texts between two quotes of a kind.
fn quoted(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(['"', '\'']) {
        let quote = if rest.as_bytes().get(start) == Some(&b'"') { '"' } else { '\'' };
        let at = text.len() - rest.len() + start + 1;
        // An unclosed quote; after it there are only quotes of the other kind.
        let Some(length) = text.get(at..).and_then(|rest| rest.find(quote)) else {
            rest = text.get(at..).unwrap_or_default();
            continue;
        };
        found.push(at..at + length);
        rest = text.get(at + length + 1..).unwrap_or_default();
    }
    found
}

/// The range of a value without the quotation marks and angles before it, which some programs drop.
pub(super) fn without_quotes(value: &str) -> Option<Range<usize>> {
    let is_quote = |c: char| {
        matches!(
            c,
            '\u{2018}'..='\u{201F}' | '\u{2033}' | '\u{FF02}' | '`' | '"' | '\'' | '<' | '>'
        )
    };
    let bare = value.trim_start_matches(is_quote);
    let start = value.len() - bare.len();
    if start == 0 {
        return None;
    }
    let end = bare.find(is_quote).unwrap_or(bare.len());
    (end > 0).then_some(start..start + end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unclosed_quote_hides_nothing() {
        let text = "<!ENTITY a 'x'> don't \"y\" \"z";
        let found: Vec<&str> = quoted(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["x", "y"]);
    }
}
