//! Which elements and attributes carry a URL, show text, or break a line of it.

use std::borrow::Cow;

use crate::content;

/// What an attribute holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// A URL that a click or the client follows: made inert by another name.
    Url,
    /// A URL whose absence would give the rest another meaning: its value is replaced.
    FixedUrl,
    /// URLs with descriptors (HTML §4.8.4.2.1).
    SourceSet,
    /// URLs between white space or commas.
    UrlList,
    /// CSS declarations.
    Css,
    /// `content` of `<meta http-equiv=refresh>`, or of `<meta itemprop=…>`.
    Refresh,
    /// What SVG animation sets an attribute to: URLs between semicolons.
    Animated,
    /// Script: what it does is not known, so a URL in it is edited only where it is taken apart.
    Script,
    /// Characters that a reader sees.
    Shown,
    /// A document of its own.
    Document,
}

/// What happens to a URL in an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follows {
    /// A click, or a submission: a dangerous scheme runs here.
    Navigates,
    /// The client fetches it: an image, a sheet.
    Loads,
}

/// Attributes that hold a URL, whatever the element; prefixes (`xlink:`, `o:`) aside.
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

/// Elements that a finding may name; others are spelled out.
const ELEMENTS: &[&str] = &[
    "a",
    "applet",
    "area",
    "audio",
    "base",
    "body",
    "button",
    "div",
    "embed",
    "form",
    "frame",
    "iframe",
    "image",
    "img",
    "input",
    "link",
    "meta",
    "object",
    "p",
    "script",
    "source",
    "span",
    "table",
    "td",
    "th",
    "tr",
    "track",
    "use",
    "v:fill",
    "v:imagedata",
    "v:rect",
    "v:roundrect",
    "v:shape",
    "video",
];

/// Elements that break the line of text, or stand in it as a thing; in all others, unknown ones
/// too, it runs on.
const BREAKING: &[&str] = &[
    "address",
    "applet",
    "article",
    "aside",
    "audio",
    "blockquote",
    "body",
    "br",
    "button",
    "canvas",
    "caption",
    "center",
    "col",
    "colgroup",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "embed",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hgroup",
    "hr",
    "html",
    "iframe",
    "image",
    "img",
    "input",
    "legend",
    "li",
    "listing",
    "main",
    "marquee",
    "menu",
    "nav",
    "object",
    "ol",
    "optgroup",
    "option",
    "p",
    "plaintext",
    "pre",
    "search",
    "section",
    "select",
    "summary",
    "table",
    "tbody",
    "td",
    "text",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "ul",
    "video",
    "xmp",
];

/// Elements without an end tag.
const VOID: &[&str] = &[
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input",
    "keygen", "link", "meta", "param", "source", "track", "wbr",
];

/// The names of a sorted table, made for looking them up.
struct Names<const N: usize> {
    /// By first letter: where the names of each begin and end, and their lengths as bits, on which most other names
    /// fail.
    letters: [(u8, u8, u32); 26],
    /// What [`key`] makes of each.
    keys: [u64; N],
}

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
    const fn of(names: &[&str]) -> Names<N> {
        let mut all = Names { letters: [(0, 0, 0); 26], keys: [0; N] };
        let mut at = 0;
        let mut rest = names;
        while let [name, tail @ ..] = rest {
            if let [first, ..] = name.as_bytes() {
                #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
                let letter = &mut all.letters[(*first - b'a') as usize];
                if letter.1 == 0 {
                    letter.0 = at;
                }
                letter.1 = at + 1;
                letter.2 |= 1 << name.len();
            }
            #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
            {
                all.keys[at as usize] = key(name.as_bytes());
            }
            at += 1;
            rest = tail;
        }
        all
    }

    /// The only row that a name may be, ASCII letters without case.
    fn row(&self, name: &str) -> Option<usize> {
        let first = name.as_bytes().first()?.to_ascii_lowercase();
        let (from, to, lengths) = *self.letters.get(usize::from(first.checked_sub(b'a')?))?;
        if name.len() >= 32 || lengths & 1 << name.len() == 0 {
            return None;
        }
        let (from, key) = (usize::from(from), key(name.as_bytes()));
        let keys = self.keys.get(from..usize::from(to))?;
        keys.iter().position(|known| *known == key).map(|row| from + row)
    }
}

/// What tells the names of a table apart that have one first letter: their last eight bytes in lower case, as a
/// number.
const fn key(name: &[u8]) -> u64 {
    let (mut key, mut rest) = (0_u64, name);
    while let [byte, tail @ ..] = rest {
        key = key << 8 | byte.to_ascii_lowercase() as u64;
        rest = tail;
    }
    key
}

/// An attribute of the table, by its name as written.
pub fn attribute(name: &str) -> Option<(&'static str, Holds)> {
    // Names are short: a loop finds a colon sooner than a search that looks at many bytes at once.
    let known = |name| find(ATTRIBUTES, &ATTRIBUTE_NAMES, |entry| entry.0, name).copied();
    known(name).or_else(|| {
        let colon = name.bytes().rposition(|byte| byte == b':')?;
        known(name.get(colon + 1..)?).filter(|(_, holds)| *holds == Holds::Url)
    })
}

/// The element's name in lower case, as far as a finding repeats it.
pub fn element(name: &str) -> Cow<'static, str> {
    match find(ELEMENTS, &ELEMENT_NAMES, |entry| entry, name) {
        Some(known) => Cow::Borrowed(known),
        None => content::named(name).to_ascii_lowercase().into(),
    }
}

/// The element in lower case if it breaks the line, as far as no style says otherwise.
pub fn breaking(name: &str) -> Option<&'static str> {
    find(BREAKING, &BREAKING_NAMES, |entry| entry, name).copied()
}

pub fn is_void(name: &str) -> bool {
    find(VOID, &VOID_NAMES, |entry| entry, name).is_some()
}

/// Whether a client goes to the URL or fetches it.
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

/// The row of a name in a sorted table, ASCII letters without case.
fn find<T, const N: usize>(
    table: &'static [T],
    names: &Names<N>,
    name_of: impl Fn(&'static T) -> &'static str,
    name: &str,
) -> Option<&'static T> {
    let row = table.get(names.row(name)?)?;
    let known = name_of(row);
    // Its key says all of a short name.
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
    fn every_name_has_a_key_of_its_own() {
        let attributes: Vec<&str> = ATTRIBUTES.iter().map(|row| row.0).collect();
        for table in [&attributes, ELEMENTS, BREAKING, VOID] {
            let keys = table.iter().map(|name| (name.as_bytes()[0], key(name.as_bytes())));
            let keys: std::collections::HashSet<(u8, u64)> = keys.collect();
            assert_eq!(keys.len(), table.len());
        }
    }

    #[test]
    fn names_compare_without_case_and_prefix() {
        assert_eq!(attribute("HREF"), Some(("href", Holds::Url)));
        assert_eq!(attribute("xlink:href"), Some(("href", Holds::Url)));
        assert_eq!(attribute("o:title"), None);
        assert_eq!(attribute("hre"), None);
        assert_eq!(element("V:RoundRect"), "v:roundrect");
        assert_eq!(element("X-Foo"), "x-foo");
        assert_eq!(element(&"x".repeat(1_000_000)).len(), content::NAMED);
    }
}
