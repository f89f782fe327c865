//! Which attributes hold a URL or show text.

use super::names::{Names, find};
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
    find(ATTRIBUTES, &ATTRIBUTE_NAMES, |row| row.0, name.as_bytes()).copied()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(ATTRIBUTES.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    #[test]
    fn every_name_has_a_key_of_its_own() {
        let found = ATTRIBUTES.iter().map(|row| known_attribute(row.0));
        assert!(found.eq(ATTRIBUTES.iter().copied().map(Some)));
    }

    #[test]
    fn names_compare_without_case_and_prefix() {
        assert_eq!(attribute("HREF"), Some(("href", Holds::Url)));
        assert_eq!(attribute("xlink:href"), Some(("href", Holds::Url)));
        assert_eq!(attribute("xlink:title"), Some(("title", Holds::Shown)));
        assert_eq!(attribute("o:title"), None);
        assert_eq!(attribute("hre"), None);
    }
}
