//! Splits a message into parts and owns the raw spans: text out, edits back in.

use super::limits::Limits;
use super::outcome::{Bypass, HeadEdit, RawEdit};
use super::span::Text;

pub use super::media::Media;
pub use super::span::TextEdit;

/// A message: its header block and its body, as they are on the wire.
#[derive(Clone, Copy, Debug)]
pub struct Message<'m> {
    /// Header fields with their line ends, without the empty line.
    pub head: &'m [u8],
    pub body: &'m [u8],
}

/// What stands above a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// Below multipart/signed.
    pub signed: bool,
    /// Content-Disposition: attachment.
    pub attachment: bool,
}

/// A leaf part.
#[derive(Clone, Debug)]
pub struct Part {
    /// As in IMAP: `1`, `1.2`.
    pub path: String,
    pub media: Media,
    pub surroundings: Surroundings,
    /// Index of the innermost multipart/alternative above it, to compare its siblings.
    pub alternative: Option<usize>,
}

/// The part tree: leaves in order.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    pub parts: Vec<Part>,
    pub bypasses: Vec<(String, Bypass)>,
}

/// One way in which a client may read a part. The first is what the label says.
#[derive(Clone, Debug)]
pub struct Reading<'m> {
    /// The text, before entities; its map leads to the transfer-decoded bytes.
    pub text: Text<'m>,
    pub media: Media,
}

/// Splits a message. Never fails: what cannot be split is a leaf, what is over a limit is named.
pub fn parse(_message: Message<'_>, _limits: &Limits) -> Tree {
    Tree::default()
}

/// The readings of a part, the label's first.
pub fn readings<'m>(_message: Message<'m>, _tree: &'m Tree, _part: usize) -> Vec<Reading<'m>> {
    Vec::new()
}

/// Raw edits for edits in a reading's text.
#[derive(Clone, Debug, Default)]
pub struct Lowered {
    /// In the raw body.
    pub edits: Vec<RawEdit>,
    /// A changed Content-Transfer-Encoding of the message itself.
    pub head: Vec<HeadEdit>,
}

/// Lowers edits (in order, disjoint) of one reading of one part to raw edits.
pub fn lower(
    _message: Message<'_>,
    _tree: &Tree,
    _part: usize,
    _reading: &Reading<'_>,
    _edits: &[TextEdit],
) -> Lowered {
    Lowered::default()
}
