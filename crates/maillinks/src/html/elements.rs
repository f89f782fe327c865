//! Which elements and attributes hold a URL, show text, or break the line.

use std::borrow::Cow;

use crate::Holds;

/// What a client does with a URL in an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follows {
    /// A click or a submission opens it: a dangerous scheme runs here.
    Navigates,
    /// The client fetches it: an image, a style sheet.
    Loads,
}

/// Attributes that hold a URL, whatever the element, without prefixes (`xlink:`, `o:`).
const ATTRIBUTES: &[(&str, Holds)] = &[
    ("action", Holds::FixedUrl),
    ("action-xhr", Holds::FixedUrl),
    ("alt", Holds::Shown),
    ("archive", Holds::UrlList),
    ("aria-description", Holds::Shown),
    ("aria-label", Holds::Shown),
    ("attributionsrc", Holds::UrlList),
    ("background", Holds::Url),
    ("base", Holds::Url),
    ("by", Holds::Animated),
    ("cite", Holds::Url),
    ("clip-path", Holds::Css),
    ("codebase", Holds::Url),
    ("content", Holds::Refresh),
    ("cursor", Holds::Css),
    ("data", Holds::Url),
    ("dynsrc", Holds::Url),
    ("fill", Holds::Css),
    ("filter", Holds::Css),
    ("formaction", Holds::FixedUrl),
    ("from", Holds::Animated),
    ("href", Holds::Url),
    ("imagesrcset", Holds::SourceSet),
    ("label", Holds::Shown),
    ("longdesc", Holds::Url),
    ("lowsrc", Holds::Url),
    ("manifest", Holds::Url),
    ("marker-end", Holds::Css),
    ("marker-mid", Holds::Css),
    ("marker-start", Holds::Css),
    ("mask", Holds::Css),
    ("ping", Holds::UrlList),
    ("placeholder", Holds::Shown),
    ("poster", Holds::Url),
    ("profile", Holds::Url),
    ("src", Holds::Url),
    ("srcdoc", Holds::Document),
    ("srcset", Holds::SourceSet),
    ("string", Holds::Shown),
    ("stroke", Holds::Css),
    ("style", Holds::Css),
    ("summary", Holds::Shown),
    ("title", Holds::Shown),
    ("to", Holds::Animated),
    ("usemap", Holds::Url),
    ("value", Holds::Shown),
    ("values", Holds::Animated),
    ("verify-xhr", Holds::FixedUrl),
];

/// Elements whose names are static in findings; others are copied.
const ELEMENTS: &[&str] = &[
    "a", "applet", "area", "audio", "base", "body", "button", "div", "embed", "form", "frame",
    "iframe", "image", "img", "input", "link", "meta", "object", "p", "script", "source", "span",
    "table", "td", "th", "tr", "track", "use", "v:fill", "v:imagedata", "v:rect", "v:roundrect",
    "v:shape", "video",
];

/// Elements that break the line of text, or are a box in it; in all others, also unknown ones, the line continues.
pub(super) const BREAKING: &[&str] = &[
    "address", "applet", "article", "aside", "audio", "blockquote", "body", "br", "button",
    "canvas", "caption", "center", "col", "colgroup", "dd", "details", "dialog", "dir", "div",
    "dl", "dt", "embed", "fieldset", "figcaption", "figure", "footer", "form", "frame", "frameset",
    "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hgroup", "hr", "html", "iframe",
    "image", "img", "input", "legend", "li", "listing", "main", "marquee", "menu", "nav", "object",
    "ol", "optgroup", "option", "p", "plaintext", "pre", "search", "section", "select", "summary",
    "table", "tbody", "td", "text", "textarea", "tfoot", "th", "thead", "title", "tr", "ul",
    "video", "xmp",
];

/// Elements without an end tag.
const VOID: &[&str] = &[
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input",
    "keygen", "link", "meta", "param", "source", "track", "wbr",
];

/// A hash table of names, built by the compiler.
struct Names<const N: usize> {
    /// The row of each name plus one, in the first free place from the one of its key on.
    places: [u8; PLACES],
    /// The [`key`] of each name.
    keys: [u64; N],
}

/// Places for names: many stay empty, so that most other words fail on the first one.
const PLACES: usize = 512;

const ATTRIBUTE_NAMES: Names<{ ATTRIBUTES.len() }> = {
    let mut names = [""; ATTRIBUTES.len()];
    let mut at = 0;
    while at < ATTRIBUTES.len() {
        #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
        {
            names[at] = ATTRIBUTES[at].0;
        }
        at += 1;
    }
    Names::of(&names)
};
const ELEMENT_NAMES: Names<{ ELEMENTS.len() }> = Names::of(ELEMENTS);
const BREAKING_NAMES: Names<{ BREAKING.len() }> = Names::of(BREAKING);
const VOID_NAMES: Names<{ VOID.len() }> = Names::of(VOID);

impl<const N: usize> Names<N> {
    #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
    const fn of(names: &[&str]) -> Names<N> {
        let mut all = Names { places: [0; PLACES], keys: [0; N] };
        let mut row = 0;
        while row < N {
            let key = key(names[row].as_bytes());
            let mut at = place(key);
            while all.places[at] > 0 {
                at = (at + 1) % PLACES;
            }
            all.places[at] = row as u8 + 1;
            all.keys[row] = key;
            row += 1;
        }
        all
    }

    /// The only row that may hold a name, ASCII letters without case.
    fn row(&self, name: &[u8]) -> Option<usize> {
        let key = key(name);
        let mut at = place(key);
        loop {
            let row = usize::from(*self.places.get(at)?).checked_sub(1)?;
            if self.keys.get(row) == Some(&key) {
                return Some(row);
            }
            at = (at + 1) % PLACES;
        }
    }
}

/// A name by which names are compared quickly, ASCII letters without case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameKey {
    bytes: u64,
    length: usize,
}

impl NameKey {
    /// Whether it holds all of the name.
    pub fn is_whole(self) -> bool {
        self.length <= size_of::<u64>()
    }
}

/// The key of a name.
#[inline]
pub fn key_of(name: &[u8]) -> NameKey {
    NameKey { bytes: key(name), length: name.len() }
}

/// A number that differs for all names of a table: their first four bytes and their last four in lower case. With the
/// length, that is all of a name of up to eight bytes.
#[inline]
const fn key(name: &[u8]) -> u64 {
    let (front, end) = match (name.first_chunk(), name.last_chunk()) {
        (Some(front), Some(end)) => (u32::from_le_bytes(*front), u32::from_le_bytes(*end)),
        _ => match name {
            [one] => (*one as u32, 0),
            [one, two] => ((*one as u32) << 8 | *two as u32, 0),
            [one, two, three] => ((*one as u32) << 16 | (*two as u32) << 8 | *three as u32, 0),
            _ => (0, 0),
        },
    };
    lower((front as u64) << 32 | end as u64)
}

/// Eight bytes at once, ASCII letters in lower case.
const fn lower(word: u64) -> u64 {
    const EACH: u64 = u64::MAX / 0xFF;
    let seven = word & (EACH * 0x7F);
    // The eighth bit of each byte: whether it is at least `A`, whether it is more than `Z`.
    let from_a = seven + EACH * (0x80 - b'A' as u64);
    let above_z = seven + EACH * (0x7F - b'Z' as u64);
    let capitals = (from_a ^ above_z) & !word & (EACH * 0x80);
    word | capitals >> 2
}

/// The first place for a name with this key.
const fn place(key: u64) -> usize {
    // Multiplying by the fraction of the golden ratio spreads neighbours.
    (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - PLACES.ilog2())) as usize
}

/// An attribute of the table, by its name as written.
#[inline]
pub fn attribute(name: &str) -> Option<(&'static str, Holds)> {
    known_attribute(name).or_else(|| {
        // Names are short: a loop finds a colon faster than a search over many bytes at once.
        let colon = name.bytes().rposition(|byte| byte == b':')?;
        prefixed_attribute(name, colon)
    })
}

#[inline]
fn known_attribute(name: &str) -> Option<(&'static str, Holds)> {
    find(ATTRIBUTES, &ATTRIBUTE_NAMES, |entry| entry.0, name).copied()
}

fn prefixed_attribute(name: &str, colon: usize) -> Option<(&'static str, Holds)> {
    let (prefix, local) = (name.get(..colon)?, name.get(colon + 1..)?);
    // A drawing has the tooltip of a link there.
    let is_shown = |holds| holds == Holds::Shown && prefix.eq_ignore_ascii_case("xlink");
    known_attribute(local).filter(|(_, holds)| *holds == Holds::Url || is_shown(*holds))
}

/// The name of an attribute that can hold a URL, as in the table.
pub fn attribute_name(written: &str) -> Option<&'static str> {
    attribute(written).map(|(name, _)| name)
}

/// The element's name in lower case, cut to the length for findings.
pub fn element(name: &str) -> Cow<'static, str> {
    match find(ELEMENTS, &ELEMENT_NAMES, |entry| entry, name) {
        Some(known) => Cow::Borrowed(known),
        None => crate::named(name).to_ascii_lowercase().into(),
    }
}

/// The element's name in lower case if it breaks the line, unless a style overrides that.
#[inline]
pub fn breaking(name: &str) -> Option<&'static str> {
    find(BREAKING, &BREAKING_NAMES, |entry| entry, name).copied()
}

#[inline]
pub fn is_void(name: &str) -> bool {
    find(VOID, &VOID_NAMES, |entry| entry, name).is_some()
}

/// Whether a client navigates to the URL or fetches it.
pub fn follows(element: &str, attribute: &str) -> Follows {
    match (element, attribute) {
        (_, "values" | "to" | "from" | "by") => Follows::Navigates,
        ("link" | "image" | "use", _) => Follows::Loads,
        (_, "href" | "action" | "action-xhr" | "formaction" | "content") => Follows::Navigates,
        ("iframe" | "frame" | "embed" | "script", "src") => Follows::Navigates,
        ("object", "data") => Follows::Navigates,
        _ => Follows::Loads,
    }
}

/// Whether the element is a link by its own attribute although it is no `<a>`: shapes of VML, which are the buttons
/// that Outlook draws, and the button of a form.
#[inline]
pub fn leads_by_itself(element: &str) -> bool {
    let shape = || element.get(..2).is_some_and(|v| v.eq_ignore_ascii_case("v:"));
    let is = |known: &&str| element.get(2..).is_some_and(|name| name.eq_ignore_ascii_case(known));
    match element.len() {
        6 if element.eq_ignore_ascii_case("button") => true,
        5..=11 => shape() && SHAPES.iter().any(is),
        _ => false,
    }
}

/// What VML draws (its `href` is one of the attributes that all have).
const SHAPES: [&str; 10] =
    ["arc", "curve", "group", "image", "line", "oval", "polyline", "rect", "roundrect", "shape"];

/// Whether what is before and after the element, or its tag, stands on one line: a cell, or a box in the line.
#[inline]
pub fn stands_beside(element: &str) -> bool {
    let is = |known: &str| element.eq_ignore_ascii_case(known);
    match element.len() {
        2 => is("td") || is("th"),
        3 => is("img"),
        5 => ["audio", "embed", "image", "input", "video"].into_iter().any(is),
        6 => ["applet", "canvas", "object"].into_iter().any(is),
        _ => false,
    }
}

/// Whether the end of an element is that of rows of cells: what follows stands below them.
pub fn is_of_rows(element: &str) -> bool {
    ["table", "tbody", "tfoot", "thead", "tr"].iter().any(|name| element.eq_ignore_ascii_case(name))
}

/// The row of a name in a table, ASCII letters without case.
fn find<T, const N: usize>(
    table: &'static [T],
    names: &Names<N>,
    name_of: impl Fn(&'static T) -> &'static str,
    name: &str,
) -> Option<&'static T> {
    let row = table.get(names.row(name.as_bytes())?)?;
    let known = name_of(row);
    // The key holds all of a short name.
    let same = name.len() <= 8 && known.len() == name.len() || known.eq_ignore_ascii_case(name);
    same.then_some(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(ATTRIBUTES.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for table in [ELEMENTS, BREAKING, VOID] {
            assert!(table.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }

    #[test]
    fn short_names_are_equal_if_their_keys_are() {
        let names =
            ["", "a", "A", "\0a", "b", "ab", "aB", "a\0", "abc", "ABC", "td", "TD", "abcdefgh"];
        for (one, other) in names.iter().flat_map(|one| names.map(|other| (*one, other))) {
            let same = key_of(one.as_bytes()) == key_of(other.as_bytes());
            assert_eq!(same, one.eq_ignore_ascii_case(other), "{one:?} {other:?}");
            assert!(key_of(one.as_bytes()).is_whole());
        }
        assert!(!key_of(b"abcdefghi").is_whole());
    }

    #[test]
    fn every_name_has_a_key_of_its_own() {
        let attributes: Vec<&str> = ATTRIBUTES.iter().map(|row| row.0).collect();
        for table in [&attributes, ELEMENTS, BREAKING, VOID] {
            let keys = table.iter().map(|name| key(name.as_bytes()));
            let keys: std::collections::HashSet<u64> = keys.collect();
            assert_eq!(keys.len(), table.len());
        }
    }

    #[test]
    fn eight_bytes_are_lowered_at_once() {
        for byte in 0..=u8::MAX {
            let lowered = u64::from_le_bytes([byte.to_ascii_lowercase(); 8]);
            assert_eq!(lower(u64::from_le_bytes([byte; 8])), lowered, "{byte}");
        }
    }

    #[test]
    fn names_compare_without_case_and_prefix() {
        assert_eq!(attribute("HREF"), Some(("href", Holds::Url)));
        assert_eq!(attribute("xlink:href"), Some(("href", Holds::Url)));
        assert_eq!(attribute("xlink:title"), Some(("title", Holds::Shown)));
        assert_eq!(attribute("o:title"), None);
        assert_eq!(attribute("hre"), None);
        assert_eq!(element("V:RoundRect"), "v:roundrect");
        assert_eq!(element("X-Foo"), "x-foo");
        assert_eq!(element(&"x".repeat(1_000_000)).len(), crate::NAME_BYTES);
    }
}
