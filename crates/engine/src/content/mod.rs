//! What a part says to a reader: links in text and markup, with the edit that takes each apart.
//!
//! [`layers`] says which texts a part holds (a calendar holds one for each property), [`read`]
//! finds the links in one of them, `defanger` makes the edits for a link. All coordinates are bytes
//! of the reading that mime gave; the way back to the raw bytes is mime's.

pub mod bidi;
mod calendar;
mod css;
mod data;
mod defanger;
mod enclosed;
mod encoded;
mod flowed;
mod greedy;
mod html;
mod joined;
mod mapped;
mod runs;
pub mod script;
mod text;
mod unseen;

use std::borrow::Cow;
use std::ops::ControlFlow;

use super::outcome::Place;
use homograph::HostBounds;
use mailsplice::media::Media;
use uts58::tlds::TldSet;
use uts58::{Link, Target};

pub use data::Data;
pub use defanger::Defanger;
pub use html::{Holds, Relative, pictures, relatives, top_of_html};
pub use mapped::MappedText;
pub use text::LONGEST_WRAPPED;

/// A text of a part: the part itself, or what a property or a folding hides.
#[derive(Clone, Debug)]
pub struct Layer<'t> {
    /// Its characters, and the way back to the text of the part.
    pub seen: MappedText<'t>,
    /// What it is written in.
    pub language: Language,
    /// The calendar property that holds it.
    pub property: Option<String>,
    /// Who invites, as a calendar shows it in front of the address in the layer (RFC 5545 §3.2.2).
    pub organizer: Option<String>,
    /// Documents around it: 0, but in a `srcdoc`.
    pub depth: u8,
    /// Whether a link in it could be taken apart.
    pub edits: Edits,
}

/// Whether what is found in a layer can be taken apart where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edits {
    /// Every character has bytes of its own.
    Possible,
    /// Its characters share bytes: a property in base64.
    Impossible,
}

/// Documents inside one another (`srcdoc`) that are read as such; a deeper one is read as text. Each
/// level is read anew, so this bounds the passes over a byte; no honest mail has one.
const DOCUMENTS: u8 = 4;

/// Bytes of text that are put together before links are looked for in them: joined lines and visible text
/// without a link need not stay in memory.
const STRETCH: usize = 32 << 10;

/// Bytes that the search for links passes or reads in one step of the budget. It takes a few instructions for a byte.
const SEARCHED: u64 = 4;

/// Steps of a search for links, as far as it went.
fn search_steps(links: &uts58::Links<'_>) -> u64 {
    links.steps().div_ceil(SEARCHED)
}

/// Bytes of the name of an element, a property or a field that a finding repeats: the sender chooses its length.
pub const NAMED: usize = 64;

/// A name as far as a finding repeats it.
pub fn named(name: &str) -> &str {
    name.get(..name.floor_char_boundary(NAMED)).unwrap_or(name)
}

/// How a layer is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Plain text.
    Text,
    /// HTML, to be taken apart into tags and text.
    Html,
    /// One URL.
    Url,
}

/// A layer as read: the texts that a reader or a client sees, and the links in them.
#[derive(Clone, Debug, Default)]
pub struct View<'l> {
    /// Texts of which each is read by itself; [`Occurrence::seen`] counts them.
    pub seen: Vec<MappedText<'l>>,
    /// Links in the order of those texts.
    pub occurrences: Vec<Occurrence>,
    /// Documents inside attributes (`srcdoc`), in the coordinates of the layer's text.
    pub documents: Vec<MappedText<'l>>,
    /// Bytes that were read to find them: steps of the budget.
    pub steps: u64,
    /// Whether there were more links than there was room for.
    pub cut: bool,
}

/// Links that are looked for.
#[derive(Clone, Copy, Debug)]
pub struct Capacity {
    /// In the whole layer.
    pub all: usize,
    /// In one stretch of it that cannot be cut.
    pub together: usize,
}

/// Takes what a stretch of a layer holds; a break ends the reading.
pub type Take<'f, 'l> = &'f mut dyn FnMut(View<'l>) -> ControlFlow<()>;

/// A link where a reader or a client sees it.
#[derive(Clone, Debug)]
pub struct Occurrence {
    /// Which of the view's texts it stands in; the target's ranges are bytes of that text.
    pub seen: usize,
    /// Host or address, and where in the text they stand.
    pub target: Target,
    /// What it stands in, and how it is taken apart there.
    pub site: Site,
    /// Whether prose may be glued to the host (S27).
    pub bounds: HostBounds,
    /// Whether a reader sees the same characters.
    pub shown: Rendering,
    /// The anchor around this visible text: the occurrence of its `href`, when it leads anywhere.
    pub anchor: Option<Option<usize>>,
    /// Whether markup that is written round it is read as such.
    pub markup: Markup,
    /// Whether only a careless program would find it.
    pub seen_by: SeenBy,
}

/// Whether a place of visible text can hold an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Markup {
    /// Tags work: an edit may write some.
    Read,
    /// `<textarea>`, `<title>`, `<xmp>`, CDATA: markup would be shown. Hidden text: nobody would see it.
    Shown,
}

/// Who sees a link at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeenBy {
    /// Who reads markup as the standards say.
    Everybody,
    /// Programs that take markup apart more loosely: tags inside comments and attributes, entities of an
    /// internal subset, plain text that joins what anchors part. Honest mail has links there that nobody is
    /// shown, so only a lie counts.
    Careless,
    /// Programs that end a URL of plain text at blanks alone. Honest text has the same where an address is glued to
    /// a URL, so that only the name of somebody else counts as a lie.
    Greedy,
    /// Programs to whom a host goes on behind a sign at which others end it.
    GoingOn {
        /// Where others end it, in bytes of the text.
        end: usize,
    },
}

/// Whether the link is shown as it stands in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rendering {
    /// The characters that a reader sees are those of the text.
    AsWritten,
    /// Broken by what shows nothing: mail programs put `<wbr>` into long words.
    Broken,
    /// Turned round, or broken by something that a reader does not see.
    Obfuscated,
    /// Not at all: a control turns the text round in which it stands, and a client follows it as it is written.
    Overridden,
}

/// Who meets a link: a reader, or only the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Visibility {
    /// Text before a reader's eyes.
    Shown,
    /// An address behind what is shown: nobody reads it before the click.
    Followed,
}

/// Where a link stands in its layer, and with that how it is taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Site {
    /// Running text.
    Text,
    /// A calendar value that is one URL.
    Value,
    /// Visible text of HTML.
    HtmlText,
    /// An attribute: its tag's first byte in the layer, its element and its name.
    Attribute {
        /// Offset of the `<` of its tag in the layer, in bytes.
        tag: usize,
        /// Name of the element, in lower case.
        element: Cow<'static, str>,
        /// Name of the attribute, in lower case.
        attribute: &'static str,
        /// What the value is made of: one URL, several, CSS.
        holds: Holds,
    },
    /// CSS in `<style>`.
    Style,
}

/// The texts of a part, each made when its turn comes. Overlapping ones come with the longer reading
/// first.
pub fn layers(text: &str, media: Media) -> Box<dyn Iterator<Item = Layer<'_>> + '_> {
    match media {
        Media::Plain | Media::Flowed { delsp: false } => Box::new(text::layers(text)),
        Media::Flowed { delsp: true } => Box::new(flowed::layers(text).chain(text::layers(text))),
        Media::Html => {
            // Programs in C drop NUL before they look for tags.
            let nul = memchr::memchr(0, text.as_bytes());
            let without = nul.map(|_| MappedText::slice(text, 0).without(|c| c == '\0'));
            let whole = std::iter::once(MappedText::slice(text, 0));
            Box::new(whole.chain(without).map(|seen| Layer::of(seen, Language::Html)))
        }
        Media::Calendar => Box::new(calendar::layers(text)),
        Media::Opaque | Media::Inert => Box::new(std::iter::empty()),
    }
}

/// The links of a layer, in the order of its texts, as many as there is room for: those behind are left
/// out. They come stretch by stretch, so that those of a long text are never in memory together; a
/// stretch that holds none says what it took to read it.
pub fn read_in_turn<'l>(
    layer: &'l Layer<'_>,
    tlds: &dyn TldSet,
    room: Capacity,
    take: Take<'_, 'l>,
) -> ControlFlow<()> {
    match layer.language {
        Language::Text => text::read(layer.seen.as_str(), tlds, room, take),
        Language::Html => html::read((layer.seen.as_str(), layer.depth == 0), tlds, room, take),
        Language::Url => take(text::value(layer.seen.as_str(), room.together)),
    }
}

/// The same together, `most` at most.
pub fn read<'l>(layer: &'l Layer<'_>, tlds: &dyn TldSet, most: usize) -> View<'l> {
    let mut whole = View::default();
    let room = Capacity { all: most, together: most };
    let _ = read_in_turn(layer, tlds, room, &mut |view| {
        whole.join(view);
        ControlFlow::Continue(())
    });
    whole
}

impl<'l> View<'l> {
    /// Adds what a further stretch holds.
    fn join(&mut self, mut then: View<'l>) {
        let (seen, occurrences) = (self.seen.len(), self.occurrences.len());
        for occurrence in &mut then.occurrences {
            occurrence.seen += seen;
            if let Some(Some(anchor)) = &mut occurrence.anchor {
                *anchor += occurrences;
            }
        }
        self.seen.append(&mut then.seen);
        self.occurrences.append(&mut then.occurrences);
        self.documents.append(&mut then.documents);
        self.steps += then.steps;
        self.cut |= then.cut;
    }
}

/// Where runs of at least so many occurrences end, of which none stands in an anchor of another run.
pub fn runs(occurrences: &[Occurrence], least: usize) -> Vec<usize> {
    let all = occurrences.len();
    if all <= least {
        return vec![all];
    }
    let anchor = |occurrence: &Occurrence| occurrence.anchor.flatten();
    // The first anchor of those from each place on.
    let mut first = vec![all; all];
    let mut known = all;
    for (first, occurrence) in first.iter_mut().zip(occurrences).rev() {
        known = anchor(occurrence).unwrap_or(all).min(known);
        *first = known;
    }
    let (mut start, mut last) = (0, 0);
    let mut ends = Vec::new();
    for (at, (occurrence, first)) in occurrences.iter().zip(first).enumerate() {
        if at - start >= least && first >= at && last <= at {
            ends.push(at);
            start = at;
        }
        last = anchor(occurrence).map_or(last, |anchor| last.max(anchor + 1));
    }
    ends.push(all);
    ends
}

/// The documents inside a layer, as layers of their own.
pub fn documents(layer: &Layer<'_>, view: &mut View<'_>) -> Vec<Layer<'static>> {
    let inner = |document: MappedText<'_>| Layer {
        seen: document.through(&layer.seen).into_owned(),
        language: if layer.depth < DOCUMENTS { Language::Html } else { Language::Text },
        property: layer.property.clone(),
        organizer: None,
        depth: layer.depth + 1,
        edits: layer.edits,
    };
    std::mem::take(&mut view.documents).into_iter().map(inner).collect()
}

impl<'t> Layer<'t> {
    fn of(seen: MappedText<'t>, language: Language) -> Layer<'t> {
        Layer { seen, language, property: None, organizer: None, depth: 0, edits: Edits::Possible }
    }

    /// Whether it stands deeper than documents are read as such.
    pub fn is_cut_off(&self) -> bool {
        self.depth > DOCUMENTS
    }
}

impl Occurrence {
    /// Whether the client loads it as a part of the page, and never goes there.
    pub fn loads(&self) -> bool {
        html::loads(&self.site)
    }

    /// The place as findings name it.
    pub fn place(&self, layer: &Layer<'_>) -> Place {
        if let Some(property) = &layer.property {
            return Place::Calendar(property.clone());
        }
        match &self.site {
            Site::Text | Site::Value => Place::Text,
            Site::HtmlText => Place::HtmlText,
            Site::Style | Site::Attribute { holds: Holds::Css, .. } => Place::Style,
            Site::Attribute { element, attribute, .. } => Place::Attribute {
                element: element.clone().into_owned(),
                attribute: (*attribute).to_owned(),
            },
        }
    }

    /// The link in running text.
    fn in_text(seen: usize, link: Link, site: Site) -> Occurrence {
        Occurrence {
            seen,
            site,
            bounds: HostBounds::in_text(link.kind),
            target: Target::Link(link),
            shown: Rendering::AsWritten,
            anchor: None,
            markup: Markup::Read,
            seen_by: SeenBy::Everybody,
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

    /// Bytes of the seen text that carry it.
    pub fn span(&self) -> std::ops::Range<usize> {
        match &self.target {
            Target::Link(link) => link.span.clone(),
            Target::Dangerous { span, .. } => span.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_run_ends_between_an_anchor_and_its_text() {
        let one = text::value("http://example.com/", 1).occurrences;
        let ends = |anchors: &[Option<usize>]| {
            let with = |anchor: &Option<usize>| Occurrence {
                anchor: anchor.map(Some),
                ..one.first().unwrap().clone()
            };
            runs(&anchors.iter().map(with).collect::<Vec<_>>(), 2)
        };
        assert_eq!(ends(&[]), [0]);
        assert_eq!(ends(&[None; 2]), [2]);
        assert_eq!(ends(&[None; 5]), [2, 4, 5]);
        assert_eq!(ends(&[None, None, Some(1), Some(1), None]), [4, 5]);
        assert_eq!(ends(&[None, None, None, Some(2), Some(0)]), [5]);
        assert_eq!(ends(&[Some(3), None, None, None, None, None]), [4, 6], "in front of it");
    }
}
