//! Judges a host as a reader would see it (UTS #39, UTS #46).
//!
//! | standard | module |
//! | --- | --- |
//! | UTS #46, WHATWG URL §3.5, S28 | `form` |
//! | UTS #39 §3.1, §5 | `script`, `marks` |
//! | UTS #39 §4, §4.1 | `reading`, `lookalike`, `bidi` |
//! | protected names | `target`, [`Names`] |
//! | protected names inside hosts of others | `inside` |
//! | who a display name says that somebody is | [`poses`] |
//! | names in letters of others, in a text | [`disguised`] |
//! | S27, S29 | `bounds`, `whole` |
//! | S30 | `edit` |
//! | what a link holds beside its host | `carried`, `embedded` |
//! | text to HTML with anchors (UASG 000, UASG 001) | [`mod@linkify`] |

#![forbid(unsafe_code)]
#![warn(missing_docs)]
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod bidi;
mod bounds;
mod carried;
mod cjk;
mod disguise;
mod domain;
mod edit;
mod embedded;
mod english;
pub mod explain;
mod form;
mod homes;
mod inside;
mod label_context;
mod letter_table;
pub mod letters;
mod limits;
pub mod linkify;
mod listed;
mod lists;
mod lookalike;
mod marks;
mod memo;
mod name;
mod names;
mod near;
mod organisations;
#[cfg(feature = "character-names")]
mod other_letters;
mod phrase;
mod plain;
mod plain_label;
mod posing;
mod properties;
mod reading;
mod script;
mod separators;
mod status;
mod subject;
mod target;
mod userinfo;
pub mod verdict;
mod ways;
mod whole;
mod wrappers;

use std::ops::Range;

pub use bidi::bidi_skeleton;
pub use carried::{LinkJudgement, carried, judge_link, spelled_host};
pub use disguise::{Disguise, disguised};
pub use domain::{Section, and_above, is_special_use, registrable};
pub use edit::is_word;
pub use form::SPELLING_BYTES;
pub use limits::{EMBEDDED, NESTING, REWRITTEN, SEARCHED_BYTES, TRIED};
pub use listed::Known;
pub use lookalike::VARIANTS;
pub use memo::{CacheKey, Memo, Memory, REMEMBERED, REMEMBERED_BYTES};
pub use name::BadName;
pub use names::Names;
pub use posing::{SHOWN, Sender, poses};
pub use reading::{are_twins, reads_as};
pub use script::mixes_scripts;
pub use uts58::unicode::hosts::ends_host_to_a_reader;
pub use wrappers::rewrites;

use uts58::Kind;
use uts58::tlds::TldSet;
pub use verdict::{Edit, Reason, Reasons, RestrictionLevel, Verdict};

/// What a judgement needs to know beside the host.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The lowest restriction level that passes.
    pub level: RestrictionLevel,
    /// Names that a host must not pose as, for every message alike.
    pub protected: &'a Names,
    /// Names protected for this message only: the recipients' own domains.
    pub own: &'a Names,
    /// Names that are unsafe to lead to, and all below them.
    pub blocked: &'a Names,
    /// Top-level domains that exist; one that is missing becomes [`Judgement::question`].
    pub tlds: &'a dyn TldSet,
    /// Whether prose may be glued to the host (S27): schemeless text.
    pub bounds: HostBounds,
}

/// S27: whether running text may be glued to the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HostBounds {
    /// Certain: an attribute, or something that says where it begins.
    Certain,
    /// A schemeless host in prose, which may stand before it without a space.
    Prose,
}

impl HostBounds {
    /// Whether prose may be glued to the host of a link in running text.
    pub const fn in_text(kind: Kind) -> HostBounds {
        match kind {
            Kind::Scheme | Kind::Email => HostBounds::Certain,
            Kind::Www | Kind::Bare => HostBounds::Prose,
        }
    }
}

/// What was found of one label.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Label {
    /// As spelled.
    pub spelling: String,
    /// A-label form, lower case; as spelled where it has none.
    pub ascii: String,
    /// U-label form, as a browser might show it.
    pub unicode: String,
    /// How bad this label is, by itself.
    pub verdict: Verdict,
    /// What speaks against this label.
    pub reasons: Reasons,
}

/// What was found of a host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judgement {
    /// The worst of the labels and of the host as a whole.
    pub verdict: Verdict,
    /// What speaks against the host or one of its labels.
    pub reasons: Reasons,
    /// Whether a client would open it and a reader mistake it.
    pub edit: Edit,
    /// A-label form, lower case, without root dot; an address in its usual form.
    pub ascii: String,
    /// U-label form.
    pub unicode: String,
    /// The labels in order; empty for a plain ASCII host of which there is nothing to say.
    pub labels: Vec<Label>,
    /// The protected name that it reads as, in ASCII form.
    pub target: Option<String>,
    /// The TLD in ASCII form that the table lacks, to be asked of the DNS.
    pub question: Option<String>,
    /// Bytes of the spelling that are the host: all of it, unless prose was glued to it (S27).
    pub span: Range<usize>,
    /// Places at which it may begin and end that were judged beside the first (S29).
    pub more_bounds: usize,
}

/// Judges a host as spelled, without port.
///
/// Whatever mail may hold is accepted: escapes, Punycode, addresses, other dots. Linear in the
/// length of the spelling.
pub fn judge(spelling: &str, context: &Context<'_>) -> Judgement {
    if let Some(judgement) = plain::judge(spelling, context) {
        return judgement;
    }
    bounds::judge(spelling, context)
}

/// Whether anybody has an address at this host, by the table of organisations that comes with the
/// protected names.
pub fn is_anybodys(host: &str, protected: &Names) -> bool {
    protected.organisations().is_some_and(|table| table.is_anybodys(host))
}

/// Whether the host, in lower-case ASCII form, is a protected name, of the list or the recipients' own, or
/// below one; but not one that a hoster gave to a customer.
pub fn is_protected(ascii: &str, protected: &Names, own: &Names) -> bool {
    let names = [protected, own].into_iter().filter_map(|names| names.covering(ascii));
    let Some(name) = names.max_by_key(|name| name.len()) else { return false };
    !protected.organisations().is_some_and(|table| table.gave_away(name, ascii))
}

/// Whether both hosts, in lower-case ASCII form, belong to one owner by the table of organisations that
/// comes with the protected names.
pub fn is_one_owner(one: &str, other: &str, protected: &Names) -> bool {
    protected.organisations().is_some_and(|table| table.is_one_owner(one, other))
}

/// The TLD to be asked of the DNS: not in the table, and not one that never is in the DNS (S25).
fn question(tld: &str, context: &Context<'_>) -> Option<String> {
    let known = context.tlds.exists(tld) || is_special_use(tld) || tld.is_empty();
    (!known).then(|| tld.to_owned())
}

/// What the table of readings is made of, beside the data.
#[cfg(test)]
mod glyphs;

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
