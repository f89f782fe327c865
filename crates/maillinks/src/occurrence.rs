//! A link in one place: where it stands, who finds it, and how it is seen there.

use std::borrow::Cow;
use std::ops::Range;

use super::place::Place;
use super::{BASE_FIELD, InFront, Layer};
use homograph::HostBounds;
use uts58::{Link, Target};

/// A link in one place, as a reader or a client sees it.
#[derive(Clone, Debug)]
pub struct Occurrence {
    /// Index of its text in [`View::seen`](super::View::seen); the ranges of the target are bytes of that text.
    pub seen: usize,
    /// Host or address, with their ranges in the text.
    pub target: Target,
    /// What it is in, which decides how it is edited.
    pub site: Site,
    /// Whether letters of prose may be attached to the host (S27).
    pub bounds: HostBounds,
    /// Whether a reader sees the same characters.
    pub shown: Rendering,
    /// The anchor around this visible text.
    pub anchor: AnchorAround,
    /// Whether markup around it is read as markup.
    pub markup: Markup,
    /// Which programs find it.
    pub seen_by: SeenBy,
}

/// Whether an anchor is around visible text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnchorAround {
    /// There is none.
    None,
    /// One that leads nowhere, or has ended for some programs.
    WithoutTarget,
    /// One that calls somebody, or writes to him, and leads to no host: `tel:`, `whatsapp:`.
    Calls,
    /// The index of the occurrence of its `href`.
    LeadsTo(usize),
    /// The same around a bare host that stands among other words.
    AroundWords {
        /// The index.
        leads_to: usize,
        /// Bytes of words in front of the host.
        before: u8,
        /// Bytes of words behind it.
        behind: u8,
    },
}

impl AnchorAround {
    /// The index of the occurrence that it leads to.
    pub fn target(self) -> Option<usize> {
        match self {
            AnchorAround::LeadsTo(at) | AnchorAround::AroundWords { leads_to: at, .. } => Some(at),
            AnchorAround::None | AnchorAround::WithoutTarget | AnchorAround::Calls => None,
        }
    }
}

/// Whether an element can be inserted in a place of visible text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Markup {
    /// Tags are read as markup: an edit may insert some.
    Read,
    /// In `<textarea>`, `<title>`, `<xmp>` and CDATA tags would be shown as text; in hidden text an element would not
    /// be seen.
    Shown,
}

/// Which programs find a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeenBy {
    /// Programs that read markup as the standards say.
    Standard,
    /// Programs that read markup more leniently: tags in comments and attributes, entities of an internal subset, plain
    /// text that joins anchors. Honest mail has links there that are not shown, so that only a deceptive one counts.
    Lenient,
    /// Programs that end a URL of plain text only at blanks. An address may follow it, so that a protected name counts.
    Greedy,
    /// Programs for which a host continues after a sign at which others end it.
    Continued {
        /// Where others end it, in bytes of the text.
        end: usize,
    },
    /// Readers who take what stands side by side for one word, and no program: it is only compared with where the
    /// link around it leads.
    Glance,
    /// Programs that a scheme calls which leads to no host that is known: it counts where every link is defanged.
    Called,
    /// Programs for which a sign is part of a host. Honest text separates names with signs, so that only a lure counts.
    AcrossSigns(FirstSign),
    /// Programs that leave out blanks between brackets, where one stands beside a dot or a hyphen of the host: a lure
    /// counts, though it is no mimic.
    AcrossBlanks,
}

/// Whether the link is shown as it is in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rendering {
    /// The reader sees the characters of the text.
    AsWritten,
    /// Broken by an element that shows nothing: mail programs put `<wbr>` into long words.
    Broken,
    /// Reversed, or broken by something that the reader does not see.
    Obfuscated,
    /// Not shown: the text around it is reversed by a control character, but a client follows the link as written.
    Overridden,
    /// Part of a word: a control of direction, which nobody sees, parts it from a letter beside it.
    Divided,
}

/// Whether a reader sees a link, or only the client follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Visibility {
    /// Visible text.
    Shown,
    /// An address that is not shown before the click.
    Followed,
}

/// Where a link is in its layer, which decides how it is edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Site {
    /// Running text.
    Text,
    /// A calendar value that is one URL.
    Value,
    /// Visible text of HTML.
    HtmlText,
    /// An attribute.
    Attribute {
        /// Offset of the `<` of its tag in the layer, in bytes.
        tag: usize,
        /// Name of the element, in lower case.
        element: Cow<'static, str>,
        /// Name of the attribute, in lower case.
        attribute: &'static str,
        /// What the value holds: one URL, several, CSS.
        holds: Holds,
    },
    /// CSS in `<style>`.
    Style,
}

/// What an attribute holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// A URL that a click or the client follows. The attribute is renamed.
    Url,
    /// A URL whose absence would change the meaning of the rest. Its value is replaced.
    FixedUrl,
    /// URLs with descriptors (HTML §4.8.4.2.1).
    SourceSet,
    /// URLs separated by white space or commas.
    UrlList,
    /// CSS declarations.
    Css,
    /// `content` of `<meta http-equiv=refresh>`, or of `<meta itemprop=…>`.
    Refresh,
    /// Values of an SVG animation: URLs separated by semicolons.
    Animated,
    /// Script: what it does is not known, so a URL in it is edited only where it is defanged.
    Script,
    /// Text that a reader sees.
    Shown,
    /// A document of its own.
    Document,
}

/// What the first sign in a host is to programs for which no host has signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstSign {
    /// They link the text before it.
    EndsHost,
    /// They link nothing.
    Inside,
    /// It is escaped, and they link it with all up to the next blank.
    Escaped,
}

impl Occurrence {
    /// The place as findings name it.
    pub fn place(&self, layer: &Layer<'_>) -> Place {
        if let Some(property) = &layer.property {
            return Place::Calendar(property.as_ref().to_owned());
        }
        match &self.site {
            _ if layer.in_front == InFront::Base && self.is_in_front(layer) => {
                Place::Header(BASE_FIELD.to_owned())
            }
            _ if layer.in_front == InFront::Action => {
                Place::Attribute { element: "action".into(), attribute: "url".into() }
            }
            Site::Text | Site::Value => Place::Text,
            Site::HtmlText => Place::HtmlText,
            Site::Style | Site::Attribute { holds: Holds::Css, .. } => Place::Style,
            Site::Attribute { element, attribute, .. } => {
                Place::Attribute { element: element.clone(), attribute: (*attribute).into() }
            }
        }
    }

    /// Whether it is in a tag that stands in front of the page in this layer.
    pub fn is_in_front(&self, layer: &Layer<'_>) -> bool {
        layer.in_front != InFront::Nothing && matches!(self.site, Site::Attribute { tag: 0, .. })
    }

    /// A link in running text.
    pub(super) fn in_text(seen: usize, link: Link, site: Site) -> Occurrence {
        Occurrence {
            seen,
            site,
            bounds: HostBounds::in_text(link.kind),
            target: Target::Link(link),
            shown: Rendering::AsWritten,
            anchor: AnchorAround::None,
            markup: Markup::Read,
            seen_by: SeenBy::Standard,
        }
    }

    /// Whether a reader sees the characters of the link, or only a client follows it.
    pub fn visibility(&self) -> Visibility {
        match &self.site {
            Site::Text | Site::Value | Site::HtmlText => Visibility::Shown,
            Site::Attribute { holds: Holds::Shown, .. } => Visibility::Shown,
            Site::Attribute { .. } | Site::Style => Visibility::Followed,
        }
    }

    /// Its bytes in the seen text.
    pub fn span(&self) -> Range<usize> {
        match &self.target {
            Target::Link(link) => link.span.clone(),
            Target::Dangerous { span, .. } => span.clone(),
        }
    }
}
