//! UTS #58: links and mail addresses in running text.
//!
//! [`detect`] is the conforming detector; [`Linkifier`] is the product's layer above it
//! (UTS #58 §8 allows boundary adjustment).

use std::ops::Range;

/// How a URL announces itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `http:`, `https:`, `ftp:` spelled out.
    Scheme,
    /// `www.` in front, no scheme.
    Www,
    /// A bare host.
    Bare,
    /// A mail address, with `mailto:` or without.
    Email,
}

/// How sure the layer above the detector is that a person meant a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Confidence {
    Sure,
    /// File-like bare names (`helpers.py`, `M.Sc`): found, not auto-linked.
    Low,
}

/// A link in a text: byte ranges on character boundaries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The whole link.
    pub span: Range<usize>,
    pub kind: Kind,
    /// The host as spelled, brackets of IPv6 included, without port and root dot.
    pub host: Range<usize>,
    /// The userinfo without its `@` (URLs); the local part (addresses).
    pub user: Option<Range<usize>>,
    /// Digits of the port.
    pub port: Option<Range<usize>>,
    /// From the first `/`, `?` or `#` to the end; empty when there is none.
    pub tail: Range<usize>,
    /// Already taken apart by somebody (`hxxp`, `[.]`): no client links it.
    pub defanged: bool,
    pub confidence: Confidence,
}

/// Every link and mail address in the text, in order and disjoint, by the letter of UTS #58.
pub fn detect(_text: &str) -> impl Iterator<Item = Link> {
    std::iter::empty()
}
