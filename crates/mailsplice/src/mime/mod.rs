//! Splits a message into parts and owns the raw spans: text out, edits back in.
//!
//! [`parse`] splits, [`readings`] decodes a part in every way that a client might, [`Lowering`] takes
//! edits of what was decoded back to the raw bytes. Nothing here knows what a link is.

mod charset;
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
mod misread;
mod openpgp;
mod prefilter;
mod reading;
mod sniff;
mod structure;
mod transfer;
mod walk;
mod wrapped;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::atomic::AtomicBool;

use crate::edit::{Bypass, HeadEdit, HeaderField, RawEdit};
use crate::limits::Limits;
use crate::span::Text;
pub use charset::{Charset, Endian};
pub use document::{is_pdf, may_be_pdf};
pub use early::early_end;
pub use guess::{DETECTED, DETECTED_FURTHER, DETECTED_PARTS};
pub use header::{PARAMETERS, hex_pair};
pub use inflate::{Ending, inflate};
pub use lower::Lowering;
pub use misread::is_utf8_misread;
pub use reading::{CHARSETS, Readings};
pub use sniff::SNIFFED;
pub use structure::{DELIMITER, LARGEST, REREAD, UNWRAPPED, UNWRAPPED_BASE};
pub use transfer::{Transfer, qp::soft_break};
pub use walk::{GUESSED, LEVELS};

pub use crate::media::Media;
pub use crate::span::TextEdit;

/// A message: its header block and its body, as they are on the wire.
#[derive(Clone, Copy, Debug)]
pub struct Message<'m> {
    /// Header fields with their line ends, without the empty line.
    pub head: &'m [u8],
    /// Everything behind the empty line.
    pub body: &'m [u8],
}

/// What stands above a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// Below multipart/signed, or text with a signature of OpenPGP around it.
    pub signed: bool,
    /// Content-Disposition: attachment.
    pub attachment: bool,
    /// Inside what cannot be edited in place: the DER of PKCS#7, compressed bytes.
    pub sealed: bool,
}

/// Whose reading of the labels a part comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum View {
    /// What most clients see.
    Usual,
    /// What some clients see. Its bytes belong to usual parts as well.
    Other(Why),
}

/// Why some clients see a part that others do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Why {
    /// Of two labels the second, another reading of one, another transfer encoding.
    Label,
    /// The body begins where the header is broken.
    Header,
    /// Another delimiter than the declared one, or a line that only begins with it.
    Boundary,
    /// A line like a delimiter with a label behind it, which nobody declared.
    Stray,
    /// Its label says that it is no message, or is encoded as no message may be.
    Message,
    /// Inside PKCS#7 or gzip.
    Wrapped,
    /// A multipart whose delimiter nobody declared, as text.
    Text,
}

/// A leaf part.
#[derive(Clone, Debug)]
pub struct Part {
    /// As in IMAP: `1`, `1.2`.
    pub path: String,
    /// What most clients take it for.
    pub media: Media,
    /// What other clients take it for.
    pub also: Vec<Media>,
    /// What the parts above it say of it.
    pub surroundings: Surroundings,
    /// Index of the innermost multipart/alternative above it, to compare its siblings.
    pub alternative: Option<usize>,
    /// Its Content-Type as most clients take it: `text/html`, in lower case.
    pub label: String,
    /// Whether it is a file of SVG by its label and its name: programs draw it as a picture or open it apart
    /// from the message.
    pub drawing: bool,
    /// Whether it is a PDF, a picture, an archive or an office file by its labels, its names and its bytes:
    /// nothing shows it as text, and a byte more in it breaks it.
    pub document: bool,
    /// Whether every client sees it.
    pub view: View,
    /// Content-Base and Content-Location: what relative URLs begin with, as the header has them.
    pub bases: Vec<String>,
    /// Where message/external-body says that the body is.
    pub externals: Vec<String>,
    site: structure::Site,
}

impl Part {
    /// The labelled transfer encoding.
    pub fn transfer(&self) -> Transfer {
        self.site.transfers.first().copied().unwrap_or_default()
    }

    /// Where the content stands in the raw body; `None` inside an encoded message.
    pub fn raw_range(&self) -> Option<Range<usize>> {
        (self.site.layer == 0).then(|| self.site.body.clone())
    }

    /// Whether its label names this charset. US-ASCII, which clients read as windows-1252 (WHATWG
    /// Encoding §4.2), names none that has more.
    pub fn declares(&self, charset: Charset) -> bool {
        let label = self.site.charsets.first().map(String::as_str).unwrap_or_default();
        !label.eq_ignore_ascii_case("us-ascii") && Charset::from_label(label) == Some(charset)
    }
}

/// The part tree: leaves in order. Labels that clients read in several ways give several leaves.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// Leaves in the order of the body; [`Part::path`] of two may be the same where clients differ.
    pub parts: Vec<Part>,
    /// Paths of what was not read, and why.
    pub bypasses: Vec<(String, Bypass)>,
    /// Paths of entities whose labels programs read in different ways.
    pub ambiguous: BTreeSet<String>,
    /// Whether a text is labelled with a codec that is no charset: nobody but a library would decode it.
    pub codec: bool,
    /// Bytes that were walked and unwrapped to split it.
    pub steps: u64,
    /// The fields of the message's own header, where programs agree on them: each line is a field or the fold
    /// of one, and no character or blank in it is read in two ways.
    pub head: Option<Vec<HeaderField>>,
    /// What encoded messages inside the message unwrap to.
    layers: Vec<structure::Layer>,
}

/// Whether programs agree on what a header says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Clarity {
    #[default]
    Clear,
    /// Three labels or an empty one, a blank before the colon, a control character, no token.
    Ambiguous,
}

/// One way in which a client may read a part. The first is what the label says.
#[derive(Clone, Debug)]
pub struct Reading<'m> {
    /// The text, before entities; its map leads to the transfer-decoded bytes.
    pub text: Text<'m>,
    /// How the text is to be read: as HTML, as plain text.
    pub media: Media,
    /// The charset that the bytes were read in; an edit is written in it as well.
    pub charset: Charset,
    /// The transfer encoding that was undone, and is done again for an edit.
    pub transfer: Transfer,
    /// From the transfer-decoded bytes to the raw ones.
    wrapped: wrapped::Wrapped<'m>,
    /// Whether the part is read in no other encoding.
    alone: bool,
    others: misread::Others,
    /// Bytes of the part that a detector of charsets was given; the first reading of an encoding says so.
    pub detected: usize,
}

/// Splits a message. Never fails: what cannot be split is a leaf, what is over a limit is named.
pub fn parse(message: Message<'_>, limits: &Limits) -> Tree {
    parse_until(message, limits, None)
}

/// The same, until the owner of `stop` raises it: what was not split then is not read, and
/// `limit:message_timeout` says so.
pub fn parse_until(message: Message<'_>, limits: &Limits, stop: Option<&AtomicBool>) -> Tree {
    structure::split(message, limits, stop)
}

/// The readings of a part, the label's first. None for opaque and inert parts, and none when its
/// bytes say that no client can see a link in it.
pub fn readings<'m>(message: Message<'m>, tree: &'m Tree, part: usize) -> Readings<'m> {
    reading::all(message, tree, part, reading::Filter::On)
}

/// The readings of a part, whether or not there can be a link in it.
pub fn all_readings<'m>(message: Message<'m>, tree: &'m Tree, part: usize) -> Readings<'m> {
    reading::all(message, tree, part, reading::Filter::Off)
}

/// The readings of a part in an encoding that does not say, byte for byte or unit for unit, what its bytes are:
/// uuencode, and what programs differ over in others.
pub fn odd_readings<'m>(message: Message<'m>, tree: &'m Tree, part: usize) -> Readings<'m> {
    reading::odd(message, tree, part)
}

/// Raw edits for edits in a reading's text.
#[derive(Clone, Debug, Default)]
pub struct Lowered {
    /// In the raw body, in order and disjoint.
    pub edits: Vec<RawEdit>,
    /// A changed Content-Transfer-Encoding of the message itself.
    pub head: Vec<HeadEdit>,
    /// Paths of parts that had to be switched to another encoding, because an edited line would
    /// have been over 998 bytes.
    pub recoded: Vec<String>,
    /// Whether an edit was left out because another one has its bytes: the edited message must be
    /// read again.
    pub refused: bool,
}

/// Lowers edits (in order, disjoint) of one reading of one part to raw edits. For several parts or
/// readings use [`Lowering`], which keeps their raw edits apart.
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
    /// The bytes of the raw body that carry this range of a reading's text. Inside an encoded
    /// message, those of its encoded form.
    pub fn raw_span(
        &self,
        part: usize,
        reading: &Reading<'_>,
        range: Range<usize>,
    ) -> Range<usize> {
        let Some(part) = self.parts.get(part) else { return 0..0 };
        let shift = |range: Range<usize>, by: usize| range.start + by..range.end + by;
        let mut span = shift(reading.raw(range), part.site.body.start);
        let mut at = part.site.layer;
        while let Some(layer) = at.checked_sub(1).and_then(|index| self.layers.get(index)) {
            span = shift(layer.source(span), layer.range.start);
            at = layer.below;
        }
        span
    }

    /// Indices of the parts: those first that clients show unasked, so that attachments in front of them cannot use
    /// up what is there for reading.
    pub fn in_order_of_sight(&self) -> impl Iterator<Item = usize> {
        let waits =
            |index: &usize| self.parts.get(*index).is_some_and(|part| part.surroundings.attachment);
        let all = || 0..self.parts.len();
        all().filter(move |index| !waits(index)).chain(all().filter(waits))
    }

    /// Whether no two parts share bytes: neither second readings nor messages inside encoded ones.
    pub fn is_disjoint(&self) -> bool {
        let usual = |part: &Part| part.view == View::Usual && part.site.layer == 0;
        let mut ranges: Vec<_> = self.parts.iter().map(|part| &part.site.body).collect();
        ranges.sort_by_key(|range| range.start);
        let apart = |pair: &[&Range<usize>]| matches!(pair, [one, two] if one.end <= two.start);
        self.parts.iter().all(usual) && ranges.windows(2).all(apart)
    }

    /// The content of a part as it stands, in its transfer encoding.
    pub fn content<'m>(&'m self, message: Message<'m>, part: usize) -> &'m [u8] {
        let site = self.parts.get(part).map(|part| &part.site);
        site.and_then(|site| self.layer_bytes(message, site.layer).get(site.body.clone()))
            .unwrap_or_default()
    }

    /// The bytes that parts of this layer lie in; 0 is the body.
    fn layer_bytes<'m>(&'m self, message: Message<'m>, layer: usize) -> &'m [u8] {
        let above = layer.checked_sub(1).and_then(|index| self.layers.get(index));
        above.map_or(message.body, |layer| layer.bytes.as_slice())
    }
}
