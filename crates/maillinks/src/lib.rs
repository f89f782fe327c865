//! The links that a part of a mail message holds, as mail programs and readers see them: in text, HTML, calendars and
//! cards, PDF, office files, archives, pictures (QR codes) and `winmail.dat`.
//!
//! [`layers`] gives the texts of a part (a calendar has one for each property), [`read`] finds the links in one of
//! them, [`Defanger`] makes the edits for a link. All offsets are bytes of a reading of the part
//! (`mailsplice::mime::all_readings`), which maps them to raw bytes. Nothing here judges: whether a link deceives is
//! asked of `homograph`.
//!
//! Attachments have readers of their own: [`pdf`], [`zip`] and [`packages`], [`tnef`], [`images`] and [`text_formats`].
//! What a link opens apart from a web page is said by [`file_servers`], [`programs`] and [`document_paths`].

#![forbid(unsafe_code)]
#![warn(missing_docs)]
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod across_signs;
pub mod bidi;
mod calendar;
mod cards;
mod css;
mod data;
pub mod data_urls;
mod defanger;
pub mod document_paths;
mod enclosed;
mod encoded;
pub mod file_servers;
mod flowed;
mod greedy;
mod guard;
mod html;
pub mod images;
mod joined;
mod labels;
mod mapped;
mod mapped_end;
mod occurrence;
pub mod packages;
pub mod pdf;
mod place;
mod plain_stretches;
pub mod programs;
mod property;
mod runs;
pub mod script;
mod text;
pub mod text_formats;
pub mod tnef;
mod unseen;
pub mod zip;

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use mailsplice::media::Media;
use uts58::tlds::TldSet;
use uts58::{Boundaries, Linkifier, Target};

pub use across_signs::{pieces as pieces_between_signs, sites as sites_between_signs};
pub use calendar::TITLES;
pub use data::Data;
pub use defanger::{Defanger, LinkAction};
pub use greedy::LONGEST_HOST;
pub use guard::guarded;
pub use html::{Embedded, Use, relatives, top_of_html, with_embedded};
pub use html::{FlatItem, LoginPage, Rereads, below, flat_items, flat_relations};
pub use html::{Relative, actions, may_have_actions, page_below_name, pictures};
pub use html::{governing, login_page, scripted};
pub use labels::{below_name as link_named, named_link, site_of_name};
pub use mapped::MappedText;
pub use occurrence::{
    AnchorAround, FirstSign, Holds, Markup, Occurrence, Rendering, SeenBy, Site, Visibility,
};
pub use place::Place;
pub use plain_stretches::{lines_without, plain_stretches};
pub use text::LONGEST_WRAPPED;

/// A text of a part: the part itself, or the value of a property, or text without its folds.
#[derive(Clone, Debug)]
pub struct Layer<'t> {
    /// Its characters, mapped to the text of the part.
    pub seen: MappedText<'t>,
    /// The language that it is written in.
    pub language: Language,
    /// The calendar property that holds it.
    pub property: Option<Arc<str>>,
    /// The organizer's name that a calendar shows in front of the address in this layer (RFC 5545 §3.2.2).
    pub organizer: Option<String>,
    /// How many documents are around it: more than 0 only in a `srcdoc`.
    pub depth: u8,
    /// Whether a link in it can be edited.
    pub edits: Edits,
    /// What stands in front of its page and is not in the part.
    pub in_front: InFront,
    /// Stretches of whole lines, in order, whose links an earlier reading has found.
    pub repeated: Vec<Range<usize>>,
}

/// What stands in front of a page although its part does not hold it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InFront {
    /// Nothing.
    Nothing,
    /// A `<base>` for the base that a header names (RFC 2557 §5), as Thunderbird writes it.
    Base,
    /// The `<a>` of a link that a calendar or a card shows by a label.
    Link,
    /// The same of an action that is data of a page.
    Action,
    /// Nothing, but it is another page to some programs: with what its URLs show, with scripts, below another page.
    Other,
}

/// Whether links of a layer can be edited in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edits {
    /// Every character has its own bytes.
    Possible,
    /// Its characters share bytes: a property in base64.
    Impossible,
}

/// Maximum number of documents inside one another (`srcdoc`) that are read as such; a deeper one is read as text. Each
/// level is read again, so this bounds how often a byte is read; no honest mail has one.
const DOCUMENT_DEPTH: u8 = 4;

/// Documents in attributes of one stretch, and of one part that wait to be read. Each takes memory beside its text; no
/// honest mail has more than a few.
pub const DOCUMENTS: usize = 1 << 14;

/// Bytes of text that are collected before they are searched for links: joined lines and visible text without a link
/// need not stay in memory. Its steps are taken when it was searched, and a search ends with those that are left.
const STRETCH: usize = 8 << 10;

/// Bytes that the search for links reads in one step of the budget. It takes a few instructions for a byte.
const SEARCHED: u64 = 4;

/// Finds all that some program could; its searches end once they took more than so many steps.
fn linkifier<'a>(tlds: &'a dyn TldSet, steps: u64) -> Linkifier<'a> {
    let linkifier = Linkifier::new(tlds).boundaries(Boundaries::Wide);
    linkifier.at_most(steps.saturating_mul(SEARCHED))
}

/// Steps of a search for links, as far as it went.
fn search_steps(links: &uts58::Links<'_>) -> u64 {
    links.steps().div_ceil(SEARCHED)
}

/// The same for a text of so many bytes without any sign of a link ([`has_link_sign`]).
fn idle_steps(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(SEARCHED)
}

/// Steps of reading a text: one for each character. Those of other scripts have several bytes, and take no more work.
fn text_steps(text: &str) -> u64 {
    // Bytes of ASCII are compared faster than characters are counted.
    let characters = if text.is_ascii() { text.len() } else { text.chars().count() };
    characters as u64
}

/// Whether a running text has a sign that each link has: a full stop of some kind or a colon, by their first bytes.
fn has_link_sign(text: &str) -> bool {
    text.bytes().any(|byte| matches!(byte, b'.' | b':' | 0xE2 | 0xE3 | 0xEF))
}

/// Maximum bytes of the name of an element, a property or a field in a finding: the sender chooses its length.
pub const NAME_BYTES: usize = 64;

/// A name, cut to the length for findings.
pub fn named(name: &str) -> &str {
    name.get(..name.floor_char_boundary(NAME_BYTES)).unwrap_or(name)
}

/// The header field that names the base of a page, as findings say it.
pub const BASE_FIELD: &str = "Content-Location";

/// Replaces a URL that cannot be left out.
const NOWHERE: &str = "about:invalid";

/// How a layer is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Plain text.
    Text,
    /// HTML, to be split into tags and text.
    Html,
    /// XML, of which each element is a field of data: a tag ends the text before it.
    Xml,
    /// One URL.
    Url,
}

/// What was read from a layer: the texts that a reader or a client sees, and the links in them.
#[derive(Clone, Debug, Default)]
pub struct View<'l> {
    /// Texts, each read by itself; [`Occurrence::seen`] is an index into them.
    pub seen: Vec<MappedText<'l>>,
    /// Links in the order of those texts.
    pub occurrences: Vec<Occurrence>,
    /// Documents inside attributes (`srcdoc`), mapped to the layer's text.
    pub documents: Vec<MappedText<'l>>,
    /// Steps of the budget, for the bytes that were read to find them.
    pub steps: u64,
    /// Whether there were more links than the capacity.
    pub cut: bool,
    /// Why it may show something else to some programs.
    pub rereads: Rereads,
}

/// Occurrences for which memory is reserved with the first one.
const USUAL_LINKS: usize = 16;

/// How many links are searched for.
#[derive(Clone, Copy, Debug)]
pub struct Capacity {
    /// In the whole layer.
    pub all: usize,
    /// In one stretch that cannot be cut.
    pub together: usize,
    /// Steps of such a stretch after which it is not searched in further ways.
    pub steps: u64,
}

/// Receives what a stretch of a layer holds; a break ends the reading.
pub type Take<'f, 'l> = &'f mut dyn FnMut(View<'l>) -> ControlFlow<()>;

/// The texts of a part, made one at a time. Of overlapping ones the longer comes first.
pub fn layers(text: &str, media: Media) -> Box<dyn Iterator<Item = Layer<'_>> + '_> {
    match media {
        Media::Plain | Media::Flowed { delsp: false } => Box::new(text::layers(text)),
        Media::Flowed { delsp: true } => Box::new(flowed::layers(text).chain(text::layers(text))),
        Media::Html | Media::Xml => {
            // Programs in C drop NUL before they search for tags.
            let nul = memchr::memchr(0, text.as_bytes());
            let without = nul.map(|_| MappedText::slice(text, 0).without(|c| c == '\0'));
            let whole = std::iter::once(MappedText::slice(text, 0));
            let language = if media == Media::Xml { Language::Xml } else { Language::Html };
            Box::new(whole.chain(without).map(move |seen| Layer::of(seen, language)))
        }
        Media::Calendar => Box::new(calendar::layers(text)),
        Media::Opaque | Media::Inert => Box::new(std::iter::empty()),
    }
}

/// Finds the links of a layer, in the order of its texts, as many as the capacity allows. They come stretch by
/// stretch, so that those of a long text are never in memory together. A stretch without a link reports its steps.
pub fn read_in_turn<'l>(
    layer: &'l Layer<'_>,
    tlds: &dyn TldSet,
    capacity: Capacity,
    take: Take<'_, 'l>,
) -> ControlFlow<()> {
    match layer.language {
        Language::Text => text::read((layer.seen.as_str(), &layer.repeated), tlds, capacity, take),
        Language::Html | Language::Xml => {
            let document = match layer.language {
                Language::Xml => html::Document::Data,
                _ if layer.depth > 0 => html::Document::Inner,
                _ => html::Document::Page,
            };
            html::read((layer.seen.as_str(), document), tlds, capacity, take)
        }
        Language::Url => take(text::value(layer.seen.as_str(), capacity.together)),
    }
}

/// The hosts of a text that go on behind signs to some programs, at most `max`.
pub fn hosts_with_signs(text: &str, tlds: &dyn TldSet, max: usize) -> View<'static> {
    let mut view = View::default();
    view.add_hosts_with_signs((text, 0), tlds, (max, u64::MAX));
    view
}

/// The links of a layer in one view, at most `max`.
pub fn read<'l>(layer: &'l Layer<'_>, tlds: &dyn TldSet, max: usize) -> View<'l> {
    let mut whole = View::default();
    let capacity = Capacity { all: max, together: max, steps: u64::MAX };
    let _ = read_in_turn(layer, tlds, capacity, &mut |view| {
        whole.join(view);
        ControlFlow::Continue(())
    });
    whole
}

/// Adds an occurrence to a list that has room for so many more: it takes no memory for more than these.
fn add(list: &mut Vec<Occurrence>, occurrence: Occurrence, room: usize) {
    if list.len() == list.capacity() {
        list.reserve_exact(room.min(list.len().max(USUAL_LINKS)));
    }
    list.push(occurrence);
}

impl<'l> View<'l> {
    /// Adds a document of an attribute.
    fn add_document(&mut self, seen: MappedText<'l>) {
        match self.documents.len() < DOCUMENTS {
            true => self.documents.push(seen),
            false => self.cut = true,
        }
    }

    /// Adds the view of a further stretch.
    fn join(&mut self, mut then: View<'l>) {
        let (seen, occurrences) = (self.seen.len(), self.occurrences.len());
        for occurrence in &mut then.occurrences {
            occurrence.seen += seen;
            if let AnchorAround::LeadsTo(at) | AnchorAround::AroundWords { leads_to: at, .. } =
                &mut occurrence.anchor
            {
                *at += occurrences;
            }
        }
        self.seen.append(&mut then.seen);
        self.occurrences.append(&mut then.occurrences);
        self.documents.append(&mut then.documents);
        self.steps += then.steps;
        self.cut |= then.cut;
        self.rereads |= then.rereads;
    }
}

/// Where runs of at least `least` occurrences end. No anchor is in another run than its text.
pub fn runs(occurrences: &[Occurrence], least: usize) -> Vec<usize> {
    let all = occurrences.len();
    if all <= least {
        return vec![all];
    }
    let anchor = |occurrence: &Occurrence| occurrence.anchor.target();
    // The first anchor of the occurrences from each index on.
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
pub fn documents<'l>(
    layer: &'l Layer<'_>,
    view: &mut View<'l>,
) -> impl ExactSizeIterator<Item = Layer<'static>> + use<'l> {
    let inner = move |document: MappedText<'_>| Layer {
        seen: document.through(&layer.seen).into_owned(),
        language: if layer.depth < DOCUMENT_DEPTH { Language::Html } else { Language::Text },
        property: layer.property.clone(),
        organizer: None,
        depth: layer.depth + 1,
        edits: layer.edits,
        in_front: InFront::Nothing,
        repeated: Vec::new(),
    };
    std::mem::take(&mut view.documents).into_iter().map(inner)
}

impl<'t> Layer<'t> {
    fn of(seen: MappedText<'t>, language: Language) -> Layer<'t> {
        Layer {
            seen,
            language,
            property: None,
            organizer: None,
            depth: 0,
            edits: Edits::Possible,
            in_front: InFront::Nothing,
            repeated: Vec::new(),
        }
    }

    /// A page that is not written as it is read, with something in front of what a link leads to: nothing in it is edited.
    fn behind(in_front: InFront, seen: MappedText<'t>) -> Layer<'t> {
        Layer { edits: Edits::Impossible, in_front, ..Layer::of(seen, Language::Html) }
    }

    /// A page below the base that a header names, if it has addresses that are relative to it.
    pub fn under_base(page: &'t str, base: &str) -> Option<Layer<'t>> {
        let seen = html::under_base(page, base)?;
        Some(Layer::behind(InFront::Base, seen))
    }

    /// Whether the documents in it are not read as such.
    pub fn is_deepest(&self) -> bool {
        self.depth >= DOCUMENT_DEPTH
    }
}

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_run_ends_between_an_anchor_and_its_text() {
        let one = text::value("http://example.com/", 1).occurrences;
        let ends = |anchors: &[Option<usize>]| {
            let with = |anchor: &Option<usize>| Occurrence {
                anchor: anchor.map_or(AnchorAround::None, AnchorAround::LeadsTo),
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

    #[test]
    fn words_without_signs_hold_no_link() {
        let tlds = uts58::tlds::TldTable::new(["com", "de"], "");
        let linkifier = linkifier(&tlds, u64::MAX);
        let pieces = [
            "www", "com", "example", "@", "//", "\\", "[", "%2E", "&", "?", "p\u{430}y", "\u{447}",
            "xn--p1ai", "\u{b7}", "1",
        ];
        for one in pieces {
            for two in pieces {
                for three in pieces {
                    let word = [one, two, three].concat();
                    let mut links = linkifier.links(&word);
                    assert_eq!((has_link_sign(&word), links.next()), (false, None), "{word}");
                    assert_eq!(search_steps(&links), idle_steps(word.len()), "{word}");
                }
            }
        }
        let dots =
            ('\0'..=char::MAX).filter(|c| *c == ':' || uts58::unicode::is_dot_to_somebody(*c));
        for sign in dots {
            assert!(has_link_sign(&format!("a{sign}com")), "{sign}");
        }
    }
}
