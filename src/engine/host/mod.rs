//! Judges a host as a reader would see it (UTS #39, UTS #46).

mod names;

pub use names::Names;

use super::outcome::{Reasons, Verdict};
use super::policy::RestrictionLevel;
use super::tlds::TldTable;

/// What a judgement needs to know beside the host.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The lowest restriction level that passes.
    pub level: RestrictionLevel,
    pub protected: &'a Names,
    /// Names protected for this message only: the recipients' own domains.
    pub own: &'a Names,
    pub blocked: &'a Names,
    pub tlds: &'a TldTable,
    /// Whether prose may be glued to the host (S27): schemeless text.
    pub glue: Glue,
}

/// S27: whether running text may be glued to the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Glue {
    /// The host's bounds are certain: an attribute, a scheme in front.
    None,
    /// A scheme stands in front; prose may follow.
    Right,
    /// A schemeless host in prose.
    Both,
}

/// What was found of one label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// As spelled.
    pub spelling: String,
    pub ascii: String,
    pub unicode: String,
    pub verdict: Verdict,
    pub reasons: Reasons,
}

/// What was found of a host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judgement {
    pub verdict: Verdict,
    pub reasons: Reasons,
    /// A-label form, lower case, without root dot.
    pub ascii: String,
    /// U-label form.
    pub unicode: String,
    pub labels: Vec<Label>,
    /// The protected name that it reads as.
    pub target: Option<String>,
    /// The TLD in ASCII form that the table lacks, to be asked of the DNS.
    pub question: Option<String>,
}

/// Judges a host as spelled, without port.
pub fn judge(_spelling: &str, _context: &Context<'_>) -> Judgement {
    Judgement::default()
}
