//! A span tokenizer after the WHATWG states (HTML §13.2.5), iterative and linear.
//!
//! | WHATWG state | here |
//! | --- | --- |
//! | §13.2.5.1 data, .6 tag open, .7 end tag open | [`Tokenizer::next`], `markup` |
//! | §13.2.5.8 tag name, .32–.40 attributes | `tag`, `attributes` |
//! | §13.2.5.41 bogus comment, .42 markup declaration, .43–.52 comment | `declaration`, `comment_end` |
//! | §13.2.5.2–.20 RCDATA, RAWTEXT, script data | `raw_text` |
//!
//! Difference: a tag cut off by the end of the text is a tag (there it is dropped), since a mail
//! client may put our part into a page of its own.
//! No character is decoded here; every item is a byte range on character boundaries.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memmem};

use super::elements::{Element, RawElement};

/// A stretch of markup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// Characters, entities not decoded.
    Text(Range<usize>),
    /// A tag; its attributes are in [`Tokenizer::attributes`] until the next call.
    Tag(Tag),
    /// The text between `<!--` and `-->`, or in a bogus comment.
    Comment(Range<usize>),
    /// The text between the start tag of such an element and its end tag.
    Raw(RawElement, Range<usize>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    pub kind: TagKind,
    pub name: ElementName,
    /// From `<` to after `>`.
    pub range: Range<usize>,
}

impl Tag {
    pub fn element(&self) -> Element {
        self.name.element
    }
}

/// The name of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElementName {
    pub element: Element,
    /// Where it is written.
    pub written: Range<usize>,
}

impl ElementName {
    pub fn new(source: &[u8], written: Range<usize>) -> ElementName {
        ElementName {
            element: Element::of(source.get(written.clone()).unwrap_or_default()),
            written,
        }
    }

    /// The name in lower case, cut to the length for findings.
    pub fn lower_case(&self, source: &str) -> Cow<'static, str> {
        let written = || source.get(self.written.clone()).unwrap_or_default();
        let other = || Cow::Owned(crate::named(written()).to_ascii_lowercase());
        self.element.name().map_or_else(other, Cow::Borrowed)
    }

    /// Whether another is the same, in any case. Both are written in this text.
    pub fn is(&self, other: &ElementName, source: &str) -> bool {
        let written =
            |name: &ElementName| source.as_bytes().get(name.written.clone()).unwrap_or_default();
        self.element == other.element
            && (self.element != Element::Other
                || written(self).eq_ignore_ascii_case(written(other)))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagKind {
    Open,
    Close,
}

/// An attribute as written. A tag may have very many: they take half the memory of two ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute {
    name: (u32, u32),
    value: (u32, u32),
}

impl Attribute {
    /// `None` beyond four gigabytes: no text is as long.
    fn new(name: Range<usize>, value: Range<usize>) -> Option<Attribute> {
        let place = |range: Range<usize>| {
            Some((u32::try_from(range.start).ok()?, u32::try_from(range.end).ok()?))
        };
        Some(Attribute { name: place(name)?, value: place(value)? })
    }

    pub fn name(&self) -> Range<usize> {
        self.name.0 as usize..self.name.1 as usize
    }

    /// Without its quotes; empty if there is none.
    pub fn value(&self) -> Range<usize> {
        self.value.0 as usize..self.value.1 as usize
    }
}

/// The first attribute of this name: parsers drop further ones (HTML §13.2.5.33).
pub fn attribute_named<'a>(
    source: &str,
    attributes: &'a [Attribute],
    name: &str,
) -> Option<&'a Attribute> {
    attributes
        .iter()
        .find(|one| source.get(one.name()).is_some_and(|known| known.eq_ignore_ascii_case(name)))
}

/// Bytes of the shortest attribute name that means anything without a value (`alt`).
const SHORTEST_BARE: usize = 3;

/// Whether the content of raw-text elements and comments is read as markup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawText {
    /// As in a browser: it is not.
    Honour,
    /// Content of elements is markup: what remains if a client drops only the tag.
    Ignore,
    /// Content of comments is markup as well: for programs that end comments elsewhere.
    Lenient,
}

/// Reads markup in one pass.
#[derive(Debug)]
pub struct Tokenizer<'t> {
    /// The text up to the end of the range.
    bytes: &'t [u8],
    at: usize,
    raw_text: RawText,
    /// The raw-text element of the last start tag, with its name.
    pending: Option<(RawElement, Range<usize>)>,
    /// Attributes of the last tag.
    pub attributes: Vec<Attribute>,
}

impl<'t> Tokenizer<'t> {
    /// For a range of a text; all ranges are in offsets of the whole text.
    pub fn new(text: &'t str, range: Range<usize>, raw_text: RawText) -> Tokenizer<'t> {
        let bytes = text.as_bytes();
        let bytes = bytes.get(..range.end).unwrap_or(bytes);
        Tokenizer { bytes, at: range.start, raw_text, pending: None, attributes: Vec::new() }
    }

    /// How far the text has been read.
    pub fn position(&self) -> usize {
        self.at
    }

    fn end(&self) -> usize {
        self.bytes.len()
    }

    fn from(&self, at: usize) -> &'t [u8] {
        self.bytes.get(at..).unwrap_or_default()
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// Where the next `<` is: most often right here, after a tag, or on the next line.
    fn angle(&self, from: usize) -> Option<usize> {
        match self.from(from) {
            [b'<', ..] => Some(from),
            [b'\n', b'<', ..] => Some(from + 1),
            [b'\r', b'\n', b'<', ..] => Some(from + 2),
            rest => memchr(b'<', rest).map(|found| from + found),
        }
    }

    /// Reads markup from the `<` at `at`. `None` for a `<` that is text.
    fn markup(&mut self, at: usize) -> Option<Token> {
        match self.byte(at + 1)? {
            b'!' | b'?' if self.raw_text == RawText::Lenient => None,
            b'!' => Some(self.declaration(at)),
            b'?' => Some(self.bogus(at + 1)),
            b'/' => match self.byte(at + 2)? {
                c if c.is_ascii_alphabetic() => Some(self.tag(at, at + 2, TagKind::Close)),
                b'>' => {
                    self.at = at + 3;
                    Some(Token::Comment(at + 2..at + 2))
                }
                _ => Some(self.bogus(at + 2)),
            },
            c if c.is_ascii_alphabetic() => Some(self.tag(at, at + 1, TagKind::Open)),
            _ => None,
        }
    }

    fn declaration(&mut self, at: usize) -> Token {
        if !self.from(at).starts_with(b"<!--") {
            return self.bogus(at + 2);
        }
        let start = at + 4;
        let (end, next) = comment_end(self.from(start));
        self.at = start + next;
        Token::Comment(start..start + end)
    }

    fn bogus(&mut self, start: usize) -> Token {
        let end = memchr(b'>', self.from(start)).map_or(self.end(), |found| start + found);
        self.at = (end + 1).min(self.end());
        Token::Comment(start..end)
    }

    fn tag(&mut self, at: usize, name_start: usize, kind: TagKind) -> Token {
        let name_end = name_start + run(self.from(name_start), NAME_END);
        let name = ElementName::new(self.bytes, name_start..name_end);
        self.attributes.clear();
        self.at = self.attribute_list(name_end);
        if kind == TagKind::Open && self.raw_text == RawText::Honour {
            self.pending = name.element.raw().map(|raw| (raw, name.written.clone()));
        }
        Token::Tag(Tag { kind, name, range: at..self.at })
    }

    /// Reads attributes up to and with `>`; returns the position after it.
    fn attribute_list(&mut self, mut at: usize) -> usize {
        loop {
            at += run(self.from(at), !(SPACE | SLASH));
            match self.byte(at) {
                None => return self.end(),
                Some(b'>') => return at + 1,
                Some(_) => at = self.attribute(at),
            }
        }
    }

    fn attribute(&mut self, start: usize) -> usize {
        // A `=` at the start belongs to the name (§13.2.5.32).
        let rest = self.from(start + 1);
        let name_end = start + 1 + run(rest, NAME_END | EQUALS);
        let equals = self.after_space(name_end);
        if self.byte(equals) != Some(b'=') {
            self.keep(start..name_end, name_end..name_end);
            return name_end;
        }
        let value = self.after_space(equals + 1);
        let (value, next) = match self.byte(value) {
            Some(quote @ (b'"' | b'\'')) => {
                let end =
                    memchr(quote, self.from(value + 1)).map_or(self.end(), |len| value + 1 + len);
                (value + 1..end, (end + 1).min(self.end()))
            }
            _ => {
                let end = value + run(self.from(value), SPACE | END);
                (value..end, end)
            }
        };
        self.keep(start..name_end, value);
        next
    }

    fn keep(&mut self, name: Range<usize>, value: Range<usize>) {
        if (!value.is_empty() || name.len() >= SHORTEST_BARE)
            && let Some(attribute) = Attribute::new(name, value)
        {
            self.attributes.push(attribute);
        }
    }

    /// Where white space that begins here ends: most often right here.
    fn after_space(&self, at: usize) -> usize {
        match self.byte(at) {
            Some(byte) if class(byte) == SPACE => at + run(self.from(at), !SPACE),
            _ => at,
        }
    }

    /// The content of the raw-text element of the last start tag, if there is any.
    fn raw(&mut self) -> Option<Token> {
        let (element, name) = self.pending.take()?;
        let content = self.raw_content(&name);
        (!content.is_empty()).then_some(Token::Raw(element, content))
    }

    /// The content of a raw-text element whose start tag was the last token: up to its own end tag, or the end.
    pub(super) fn raw_content(&mut self, name: &Range<usize>) -> Range<usize> {
        let name = self.bytes.get(name.clone()).unwrap_or_default();
        let start = self.at;
        let mut at = start;
        while let Some(found) = memmem::find(self.from(at), b"</") {
            let here = at + found;
            let rest = self.from(here + 2);
            let ends = rest.get(..name.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(name))
                && rest.get(name.len()).is_none_or(|c| is_name_end(*c));
            if ends {
                self.at = here;
                return start..here;
            }
            at = here + 2;
        }
        self.at = self.end();
        start..self.end()
    }
}

impl Iterator for Tokenizer<'_> {
    type Item = Token;

    #[inline]
    fn next(&mut self) -> Option<Token> {
        if self.pending.is_some()
            && let Some(raw) = self.raw()
        {
            return Some(raw);
        }
        let start = self.at;
        if start >= self.end() {
            return None;
        }
        let mut from = start;
        while let Some(here) = self.angle(from) {
            let next = self.byte(here + 1).unwrap_or(b' ');
            if next.is_ascii_alphabetic() || matches!(next, b'!' | b'?' | b'/') {
                if here > start && (next != b'/' || here + 2 < self.end()) {
                    self.at = here;
                    return Some(Token::Text(start..here));
                }
                if let Some(token) = self.markup(here) {
                    return Some(token);
                }
            }
            from = here + 1;
        }
        self.at = self.end();
        Some(Token::Text(start..self.end()))
    }
}

/// The end of a comment's content and of the comment, after `<!--` (§13.2.5.43–.52).
fn comment_end(rest: &[u8]) -> (usize, usize) {
    if rest.starts_with(b">") {
        return (0, 1);
    }
    if rest.starts_with(b"->") {
        return (0, 2);
    }
    let mut at = 0;
    while let Some(found) = rest.get(at..).and_then(|rest| memmem::find(rest, b"--")) {
        let dashes = at + found;
        match (rest.get(dashes + 2), rest.get(dashes + 3)) {
            (Some(b'>'), _) => return (dashes, dashes + 3),
            (Some(b'!'), Some(b'>')) => return (dashes, dashes + 4),
            _ => at = dashes + 1,
        }
    }
    (rest.len(), rest.len())
}

/// What a byte is inside of a tag.
const SPACE: u8 = 1;
const SLASH: u8 = 2;
const END: u8 = 4;
const EQUALS: u8 = 8;
const OTHER: u8 = 16;
const NAME_END: u8 = SPACE | SLASH | END;

static CLASSES: [u8; 256] = {
    let mut classes = [OTHER; 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
        {
            classes[byte] = match byte as u8 {
                c if is_space(c) => SPACE,
                b'/' => SLASH,
                b'>' => END,
                b'=' => EQUALS,
                _ => OTHER,
            };
        }
        byte += 1;
    }
    classes
};

fn class(byte: u8) -> u8 {
    CLASSES.get(usize::from(byte)).copied().unwrap_or(OTHER)
}

/// Bytes at the start up to the first one of these classes.
fn run(bytes: &[u8], ends: u8) -> usize {
    bytes.iter().position(|byte| class(*byte) & ends != 0).unwrap_or(bytes.len())
}

/// Whether this is white space between attributes (§13.2.5.32).
pub const fn is_space(c: u8) -> bool {
    matches!(c, b' ' | b'\t' | b'\n' | b'\r' | 0x0C)
}

fn is_name_end(c: u8) -> bool {
    class(c) & NAME_END != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tokens in one line: `text`, `<name a=v>`, `</name>`, `{comment}`, `raw(content)`.
    fn show(text: &str) -> String {
        let mut tokens = Tokenizer::new(text, 0..text.len(), RawText::Honour);
        let mut shown = String::new();
        while let Some(token) = tokens.next() {
            match token {
                Token::Text(range) => shown += &text[range],
                Token::Comment(range) => shown += &format!("{{{}}}", &text[range]),
                Token::Raw(_, range) => shown += &format!("({})", &text[range]),
                Token::Tag(tag) => {
                    let slash = if tag.kind == TagKind::Close { "/" } else { "" };
                    shown += &format!("<{slash}{}", &text[tag.name.written]);
                    for attribute in &tokens.attributes {
                        let (name, value) = (attribute.name(), attribute.value());
                        shown += &format!("|{}={}", &text[name], &text[value]);
                    }
                    shown += ">";
                }
            }
        }
        shown
    }

    #[test]
    fn attributes_in_every_quoting() {
        assert_eq!(
            show("<a href=x title='y z' id=\"q\" hidden / b c alt= >t</a>"),
            "<a|href=x|title=y z|id=q|hidden=|alt=>t</a>"
        );
        assert_eq!(show("<a\nhref\n=\n\"u\"class='c'>"), "<a|href=u|class=c>");
        assert_eq!(show("<a =x=y>"), "<a|=x=y>");
    }

    #[test]
    fn names_are_compared_and_reported_without_case() {
        let source = "V:RoundRect v:roundrect X-Foo x-foo x-bar";
        let mut at = 0;
        let names: Vec<ElementName> = source
            .split(' ')
            .map(|name| {
                at += name.len() + 1;
                ElementName::new(source.as_bytes(), at - name.len() - 1..at - 1)
            })
            .collect();
        let shown: Vec<_> = names.iter().map(|name| name.lower_case(source)).collect();
        assert_eq!(shown, ["v:roundrect", "v:roundrect", "x-foo", "x-foo", "x-bar"]);
        let is = |one: usize, other: usize| names[one].is(&names[other], source);
        assert!(is(0, 1) && is(2, 3) && !is(3, 4) && !is(1, 2));
        let long = "x".repeat(1_000_000);
        let name = ElementName::new(long.as_bytes(), 0..long.len());
        assert_eq!(name.lower_case(&long).len(), crate::NAME_BYTES);
    }

    #[test]
    fn a_lone_angle_is_text() {
        assert_eq!(show("1 < 2 <3 a<"), "1 < 2 <3 a<");
        assert_eq!(show("x</"), "x</");
        assert_eq!(show("</>y"), "{}y");
    }

    #[test]
    fn comments_end_where_a_browser_ends_them() {
        assert_eq!(show("<!--a--!>b"), "{a}b");
        assert_eq!(show("<!-->b"), "{}b");
        assert_eq!(show("<!--->b"), "{}b");
        assert_eq!(show("<!--a-- >b-->c"), "{a-- >b}c");
        assert_eq!(show("<!--[if mso]><a href=x><![endif]-->z"), "{[if mso]><a href=x><![endif]}z");
        assert_eq!(show("<![if !mso]>r<![endif]>"), "{[if !mso]}r{[endif]}");
        assert_eq!(show("<?xml x?>y"), "{?xml x?}y");
        assert_eq!(show("<!--never"), "{never}");
    }

    #[test]
    fn comments_may_be_no_comments() {
        let text = "<!-- <a href=x> <!-- <?b <c d=y>--> <!-";
        let mut names = Vec::new();
        for token in Tokenizer::new(text, 0..text.len(), RawText::Lenient) {
            names.extend(if let Token::Tag(tag) = token {
                Some(&text[tag.name.written])
            } else {
                None
            });
        }
        assert_eq!(names, ["a", "c"]);
    }

    #[test]
    fn raw_text_runs_to_its_own_end_tag() {
        assert_eq!(show("<title>a<b>c</titlex></TITLE >d"), "<title>(a<b>c</titlex>)</TITLE>d");
        assert_eq!(show("<xmp><a href=x>"), "<xmp>(<a href=x>)");
        assert_eq!(show("<style></style>"), "<style></style>");
    }

    #[test]
    fn a_tag_cut_off_by_the_end_is_a_tag() {
        assert_eq!(show("x<a href=\"http://e"), "x<a|href=http://e>");
        assert_eq!(show("x<a"), "x<a>");
    }

    #[test]
    fn a_hundred_thousand_open_comments_and_tags_are_linear() {
        for piece in ["<!--", "<a ", "<title></x", "</", "<!-- --", "<a b='", "<xmp><iframe>"] {
            let text = piece.repeat(100_000);
            assert!(Tokenizer::new(&text, 0..text.len(), RawText::Honour).count() <= text.len());
        }
    }
}
