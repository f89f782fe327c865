//! Splits a message into parts, decodes them to text, and lowers edits of that text to raw bytes.
//!
//! [`parse`] splits, [`readings`] decodes a part in every way that a client might, [`Lowering`] turns
//! edits of the decoded text into edits of the raw bytes. Nothing here knows what a link is.

mod armor;
mod charset;
mod content_type;
mod data;
mod der;
mod document;
mod early;
mod entity;
mod guess;
mod header;
mod inflate;
mod labels;
mod lenient;
mod lines;
mod lower;
mod metas;
mod misread;
mod openpgp;
mod prefilter;
mod reading;
mod signed;
mod sniff;
mod structure;
mod transfer;
mod walk;
mod wrapped;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::edit::{Bypass, HeadEdit, RawEdit};
use crate::header_fields::HeaderField;
use crate::limits::SplitLimits;
use crate::signatures::Signatures;
use crate::span::Text;
pub use charset::{Charset, Endian};
pub use document::{is_pdf, may_be_pdf};
pub use early::early_end;
use entity::Head;
pub(crate) use header::envelope;
pub use inflate::{Ending, Inflater, inflate};
pub use lower::Lowering;
pub use misread::is_utf8_misread;
pub use reading::Readings;
pub use sniff::begins_as_page;
pub use structure::LARGEST;
pub use transfer::{Transfer, qp::soft_break, uu::encoded_lines};

pub use crate::media::Media;
pub use crate::span::TextEdit;

/// A message: its header block and its body, as they are on the wire.
#[derive(Clone, Copy, Debug)]
pub struct Message<'m> {
    /// Header fields with their line ends, without the empty line.
    pub head: &'m [u8],
    /// Everything after the empty line.
    pub body: &'m [u8],
}

/// Properties that a part has from its header and its parents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The signatures over it: below multipart/signed, or text inside an OpenPGP cleartext signature.
    pub signed: Signatures,
    /// Content-Disposition: attachment.
    pub attachment: bool,
    /// Inside data that cannot be edited in place: the DER of PKCS#7, compressed bytes.
    pub sealed: bool,
}

/// Which clients see a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClientView {
    /// Most clients.
    Usual,
    /// Some clients. Its bytes also belong to usual parts.
    Other(Why),
}

/// Why some clients see a part that others do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Why {
    /// They take the second of two labels, read one label differently, or take another transfer encoding.
    Label,
    /// They begin the body at a broken header line.
    Header,
    /// They take another delimiter than the declared one, or a line that only begins with it.
    Boundary,
    /// They take a line for a delimiter that is not declared, because a label follows it.
    Stray,
    /// They read it as a message although its label says otherwise, or although messages may not be encoded so.
    Message,
    /// They unwrap PKCS#7, OpenPGP or gzip.
    Wrapped,
    /// They show a multipart without a declared delimiter as text.
    Text,
}

/// A leaf part.
#[derive(Clone, Debug)]
pub struct Part {
    /// Part number as in IMAP: `1`, `1.2`.
    pub path: String,
    /// How most clients read it.
    pub media: Media,
    /// How other clients read it.
    pub also: Vec<Media>,
    /// Properties from its header and its parents.
    pub surroundings: Surroundings,
    /// Index of the innermost multipart/alternative around it, to find its siblings.
    pub alternative: Option<usize>,
    /// Its Content-Type as most clients read it, in lower case: `text/html`.
    pub label: String,
    /// Whether it is an SVG file by its label and its name: programs draw it as a picture or open it outside
    /// the message.
    pub drawing: bool,
    /// Whether it is a PDF, a picture, an archive or an office file by its labels, its names and its bytes:
    /// no program shows it as text, and one more byte corrupts it.
    pub document: bool,
    /// Whether it is a text with a block of yEnc that is encoded once more.
    pub holds_yenc: bool,
    /// Which clients see it.
    pub view: ClientView,
    /// Content-Base and Content-Location: bases of relative URLs, as the header spells them, and those of the
    /// multiparts around it.
    pub bases: Vec<Arc<str>>,
    /// Addresses at which message/external-body, or a field of Thunderbird, says that the body is.
    pub externals: Vec<External>,
    /// Its file names, in every reading of its labels.
    pub names: Vec<String>,
    site: structure::PartSite,
}

/// Where a body is that is not in the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct External {
    /// The field that says so.
    pub field: &'static str,
    /// A URL, of whatever kind.
    pub address: String,
}

impl Part {
    /// Whether some program reads it as this.
    pub fn is_read_as(&self, media: Media) -> bool {
        self.media == media || self.also.contains(&media)
    }

    /// Whether one of its file names has one of these extensions, given in lower case.
    pub fn has_extension(&self, extensions: &[&str]) -> bool {
        let mut own = self.names.iter().filter_map(|name| sniff::extension(name));
        own.any(|own| extensions.contains(&own.as_str()))
    }

    /// The first of its names with one of these extensions, without it: programs that know the extension do not show it.
    pub fn name_without(&self, extensions: &[&str]) -> Option<&str> {
        let mut names = self.names.iter().filter_map(|name| sniff::stem_and_extension(name));
        names.find(|(_, own)| extensions.contains(&own.as_str())).map(|(stem, _)| stem)
    }

    /// Whether it is, or is inside, another version of a text than this part: programs show one of them.
    pub fn is_version_beside(&self, other: &Part) -> bool {
        let version = |part: &Part| {
            let below = part.path.get(part.site.alternative_path..).unwrap_or_default();
            below.trim_start_matches('.').split('.').next().map(str::to_owned)
        };
        self.alternative.is_some()
            && self.alternative == other.alternative
            && version(self) != version(other)
    }

    /// The declared transfer encoding.
    pub fn transfer(&self) -> Transfer {
        self.site.transfers.first().copied().unwrap_or_default()
    }

    /// The charset that its first label declares, larger than US-ASCII.
    pub fn declared_charset(&self) -> Option<Charset> {
        let label = self.site.charsets.first().filter(|label| names_charset(label))?;
        Charset::from_label(label)
    }

    /// Whether no label says what bytes are that are no UTF-8: it names UTF-8, US-ASCII or no charset, or none is there.
    pub fn leaves_charset_open(&self) -> bool {
        let mut named = self.site.charsets.iter().filter(|label| names_charset(label));
        named.all(|label| Charset::from_label(label) == Some(Charset::Utf8))
    }

    /// Byte range of the content in the raw body; `None` inside an encoded message.
    pub fn raw_range(&self) -> Option<Range<usize>> {
        (self.site.layer == 0).then(|| self.site.body.clone())
    }

    /// Whether its label declares this charset. The label US-ASCII, which clients read as windows-1252 (WHATWG
    /// Encoding §4.2), declares no larger charset.
    pub fn declares(&self, charset: Charset) -> bool {
        self.declared_charset() == Some(charset)
    }
}

/// Whether a label declares a charset larger than US-ASCII.
fn names_charset(label: &str) -> bool {
    !label.eq_ignore_ascii_case("us-ascii") && Charset::from_label(label).is_some()
}

/// The parts of a message: leaves in order. If clients read labels in several ways, there are several leaves.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// Leaves in the order of the body; two may have the same [`Part::path`] if clients differ.
    pub parts: Vec<Part>,
    /// Paths of parts that were not read, and why.
    pub bypasses: Vec<(String, Bypass)>,
    /// Paths of entities whose labels programs read differently.
    pub ambiguous: BTreeSet<String>,
    /// Whether a text is labelled with a codec that is not a charset: only libraries would decode it.
    pub codec: bool,
    /// Cost of splitting: bytes that were walked and unwrapped.
    pub steps: u64,
    /// The fields of the message's own header, if programs agree on them: each line is a field or a folded
    /// line, and no character or blank in it is read in two ways.
    pub head: Option<Vec<HeaderField>>,
    /// The unwrapped bytes of encoded messages inside the message.
    layers: Vec<structure::UnwrappedLayer>,
    /// Where the headers of inner messages are.
    inner_heads: Vec<structure::InnerHead>,
}

impl Tree {
    /// The headers of messages inside the message, each with its path.
    pub fn inner_heads<'t>(
        &'t self,
        message: Message<'t>,
    ) -> impl Iterator<Item = (&'t str, &'t [u8])> {
        self.inner_heads.iter().filter_map(move |head| {
            let bytes = match head.layer.checked_sub(1) {
                None => message.body,
                Some(above) => self.layers.get(above)?.bytes.as_slice(),
            };
            Some((head.path.as_str(), bytes.get(head.range.clone())?))
        })
    }

    /// The charset that the first text with a label declares, if it is not UTF-8: programs read raw bytes of the header
    /// in it.
    pub fn declared_charset(&self) -> Option<Charset> {
        let is_text = |part: &&Part| !matches!(part.media, Media::Opaque | Media::Inert);
        let mut labels =
            self.parts.iter().filter(is_text).flat_map(|part| part.site.charsets.iter());
        let label = labels.find(|label| names_charset(label))?;
        Charset::from_label(label).filter(|charset| *charset != Charset::Utf8)
    }
}

/// Whether programs agree on the meaning of a header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Clarity {
    #[default]
    Clear,
    /// Three labels or an empty one, a blank before the colon, a control character, not a token.
    Ambiguous,
}

/// One way in which a client may read a part. The first one follows the label.
#[derive(Clone, Debug)]
pub struct Reading<'m> {
    /// The text, entities not decoded; its map leads to the transfer-decoded bytes.
    pub text: Text<'m>,
    /// How the text is shown: as HTML, as plain text.
    pub media: Media,
    /// The charset from which the bytes were decoded, and in which an edit is encoded.
    pub charset: Charset,
    /// The transfer encoding that was undone, and in which an edit is encoded.
    pub transfer: Transfer,
    /// Maps the transfer-decoded bytes to the raw ones.
    wrapped: wrapped::Wrapped<'m>,
    /// Whether the part is read in no other transfer encoding.
    single_transfer: bool,
    others: misread::OtherCharsets,
    /// Bytes of the part that the charset detector was given. Counted in the first reading of a transfer encoding only.
    pub detected: usize,
}

/// Splits a message. Never fails: what cannot be split is a leaf, and limits that were reached are in
/// [`Tree::bypasses`].
pub fn parse(message: Message<'_>, limits: &SplitLimits) -> Tree {
    parse_until(message, limits, None)
}

/// Like [`parse`], but ends when `stop` becomes true: the rest is not read, which is reported as
/// `limit:message_timeout`.
pub fn parse_until(message: Message<'_>, limits: &SplitLimits, stop: Option<&AtomicBool>) -> Tree {
    structure::split(message, limits, stop)
}

/// The content of a part, its first transfer encoding undone.
pub fn unwrapped<'m>(message: Message<'m>, tree: &'m Tree, part: usize) -> Cow<'m, [u8]> {
    let transfer = tree.parts.get(part).map(Part::transfer).unwrap_or_default();
    transfer.bytes(tree.content(message, part))
}

/// The readings of a part, the one by its label first. None for opaque and inert parts, and none if its
/// bytes show that no client can see a link in it.
pub fn readings<'m>(message: Message<'m>, tree: &'m Tree, part: usize) -> Readings<'m> {
    reading::all(message, tree, part, reading::Skipping::On)
}

/// Like [`readings`], even if there can be no link in the part.
pub fn all_readings<'m>(message: Message<'m>, tree: &'m Tree, part: usize) -> Readings<'m> {
    reading::all(message, tree, part, reading::Skipping::Off)
}

/// The readings of a part in uuencode, and in those transfer encodings that only some programs apply. The
/// others map byte for byte or unit for unit.
pub fn rare_readings<'m>(message: Message<'m>, tree: &'m Tree, part: usize) -> Readings<'m> {
    reading::rare(message, tree, part)
}

/// Edits of the text of readings, lowered to raw edits.
#[derive(Clone, Debug, Default)]
pub struct Lowered {
    /// In the raw body, in order and disjoint.
    pub edits: Vec<RawEdit>,
    /// Change of the Content-Transfer-Encoding of the message itself.
    pub head: Vec<HeadEdit>,
    /// Paths of parts whose transfer encoding was changed, because an edited line would have exceeded 998 bytes.
    pub recoded: Vec<String>,
    /// Whether an edit was left out because it overlaps another one: the edited message must be read again.
    pub refused: bool,
}

/// Lowers edits (in order, disjoint) of one reading of one part to raw edits. For several parts or
/// readings use [`Lowering`], which keeps their raw edits disjoint.
pub fn lower(
    message: Message<'_>,
    tree: &Tree,
    part: usize,
    reading: &Reading<'_>,
    edits: &[TextEdit],
) -> Lowered {
    let mut lowering = Lowering::new(message, tree);
    lowering.add(part, reading, edits.to_vec());
    lowering.finish()
}

impl Tree {
    /// The byte range in the raw body of this range of a reading's text. Inside an encoded message, the
    /// range of its encoded form.
    pub fn raw_span(
        &self,
        part: usize,
        reading: &Reading<'_>,
        range: Range<usize>,
    ) -> Range<usize> {
        self.raw_span_of_unwrapped(part, reading, reading.text.source(range))
    }

    /// The same for a range of its unwrapped bytes.
    pub fn raw_span_of_unwrapped(
        &self,
        part: usize,
        reading: &Reading<'_>,
        range: Range<usize>,
    ) -> Range<usize> {
        let Some(part) = self.parts.get(part) else { return 0..0 };
        let span = shift(reading.raw(range), part.site.body.start);
        self.in_body(part.site.layer, span)
    }

    /// The range of the raw body for a range of a layer.
    fn in_body(&self, mut layer: usize, mut span: Range<usize>) -> Range<usize> {
        while let Some(above) = layer.checked_sub(1).and_then(|index| self.layers.get(index)) {
            span = shift(above.source(span), above.range.start);
            layer = above.below;
        }
        span
    }

    /// Indices of the parts, attachments last: so attachments at the front cannot exhaust the limits before the
    /// parts that clients show directly are read.
    pub fn in_order_of_sight(&self) -> impl Iterator<Item = usize> {
        let waits =
            |index: &usize| self.parts.get(*index).is_some_and(|part| part.surroundings.attachment);
        let all = || 0..self.parts.len();
        all().filter(move |index| !waits(index)).chain(all().filter(waits))
    }

    /// Whether no two parts share bytes: there are no second readings and no encoded messages.
    pub fn is_disjoint(&self) -> bool {
        let usual = |part: &Part| part.view == ClientView::Usual && part.site.layer == 0;
        // Most messages have one part.
        if let [only] = self.parts.as_slice() {
            return usual(only);
        }
        let mut ranges: Vec<_> = self.parts.iter().map(|part| &part.site.body).collect();
        ranges.sort_by_key(|range| range.start);
        let apart = |pair: &[&Range<usize>]| matches!(pair, [one, two] if one.end <= two.start);
        self.parts.iter().all(usual) && ranges.windows(2).all(apart)
    }

    /// The content of a part, in its transfer encoding.
    pub fn content<'m>(&'m self, message: Message<'m>, part: usize) -> &'m [u8] {
        let site = self.parts.get(part).map(|part| &part.site);
        site.and_then(|site| self.layer_bytes(message, site.layer).get(site.body.clone()))
            .unwrap_or_default()
    }

    /// The header of a part, without the empty line; that of a message that is one part is its own.
    pub fn header_of<'m>(&'m self, message: Message<'m>, part: usize) -> &'m [u8] {
        let header = self.parts.get(part).and_then(|part| match &part.site.head {
            Head::Message => Some(message.head),
            Head::Block(range) => self.layer_bytes(message, part.site.layer).get(range.clone()),
        });
        header.unwrap_or_default()
    }

    /// The bytes of a layer; 0 is the body.
    fn layer_bytes<'m>(&'m self, message: Message<'m>, layer: usize) -> &'m [u8] {
        let above = layer.checked_sub(1).and_then(|index| self.layers.get(index));
        above.map_or(message.body, |layer| layer.bytes.as_slice())
    }
}

fn shift(range: Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}
