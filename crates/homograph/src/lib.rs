//! Judges whether a host name misleads its reader (UTS #39, UTS #46).
//!
//! | module | what is read there | standard |
//! | --- | --- | --- |
//! | `characters` | what a character is and reads as, look-alikes, order in which text is shown | UTS #39 §4, §4.1 |
//! | `spelling` | forms of a host, its scripts and marks, where an edit is due | UTS #46, WHATWG URL §3.5, UTS #39 §3.1, §5, S28, S30 |
//! | `protected` | [`Names`] that must not be imitated, and who owns them | |
//! | `hosts` | the judgement of a host, and names inside hosts of other owners | S27, S29 |
//! | `links` | what a link contains beside its host | |
//! | [`mod@claims`] | what names of senders and texts of mail claim | |
//! | [`mod@linkify`] | text to HTML with anchors | UASG 000, UASG 001 |

#![forbid(unsafe_code)]
#![warn(missing_docs)]
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod characters;
#[cfg(feature = "senders")]
pub mod claims;
mod english;
pub mod explain;
mod hosts;
mod limits;
pub mod linkify;
mod links;
mod lists;
mod memo;
mod protected;
mod rows;
mod spelling;
pub mod verdict;

use std::ops::Range;

pub use characters::{
    bidi::{bidi_skeleton, displayed},
    cjk::is_cjk,
    letters,
    reading::{are_twins, reads_as},
};
pub use links::{
    carried::{LinkJudgement, carried, judge_link, spelled_host},
    embedded::Rejected,
    userinfo::is_in_local_part,
    wrappers::{hides_end, names_host_alone, only_rewrites, rewrites},
};
pub use memo::{CacheKey, Memo, Memory, REMEMBERED, REMEMBERED_BYTES};
pub use protected::{
    listed::Known,
    name::BadName,
    names::Names,
    near::{Slip, slip_between},
};
pub use spelling::{
    domain::{Section, and_above, is_or_below, is_special_use, registrable},
    edit::is_word,
    form::{SPELLING_BYTES, without_turkish_dots},
    script::mixes_scripts,
    separators::{is_middle_dot, reads_as_full_stop},
};
pub use uts58::unicode::hosts::ends_host_to_a_reader;

use uts58::Kind;
use uts58::tlds::TldSet;
pub use verdict::{Edit, Reason, Reasons, RestrictionLevel, Verdict};

/// What a host is judged against.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The lowest restriction level that is accepted.
    pub level: RestrictionLevel,
    /// Names that a host must not imitate, the same for every message.
    pub protected: &'a Names,
    /// Names protected for this message only: the recipients' own domains.
    pub own: &'a Names,
    /// Names that make a link unsafe, with all names below them.
    pub blocked: &'a Names,
    /// Top-level domains that exist; an unknown one is returned as [`Judgement::question`].
    pub tlds: &'a dyn TldSet,
    /// Whether prose may be joined to the host without a space (S27).
    pub bounds: HostBounds,
}

/// S27: whether running text may be joined to the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HostBounds {
    /// The bounds are certain: an attribute value, or a URL with a scheme.
    Certain,
    /// A host without a scheme in prose, which may precede it without a space.
    Prose,
}

impl HostBounds {
    /// The bounds of the host of a link in running text.
    pub const fn in_text(kind: Kind) -> HostBounds {
        match kind {
            Kind::Scheme | Kind::Email => HostBounds::Certain,
            Kind::Www | Kind::Bare => HostBounds::Prose,
        }
    }
}

/// The judgement of one label.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Label {
    /// As spelled.
    pub spelling: String,
    /// A-label form, lower case; as spelled if there is none.
    pub ascii: String,
    /// U-label form, as a browser might show it.
    pub unicode: String,
    /// Verdict on this label alone.
    pub verdict: Verdict,
    /// Reasons against this label.
    pub reasons: Reasons,
}

/// The judgement of a host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judgement {
    /// The worst verdict of the labels and of the host as a whole.
    pub verdict: Verdict,
    /// Reasons against the host or one of its labels.
    pub reasons: Reasons,
    /// Whether a client would open it and a reader would take it for another name.
    pub edit: Edit,
    /// A-label form, lower case, without root dot; an address in its canonical form.
    pub ascii: String,
    /// U-label form.
    pub unicode: String,
    /// The labels in order; empty for a plain ASCII host without reasons.
    pub labels: Vec<Label>,
    /// The protected name that it resembles, in ASCII form.
    pub target: Option<String>,
    /// A TLD, in ASCII form, that is not in the table: the DNS has to be asked.
    pub question: Option<String>,
    /// Bytes of the spelling that are the host: all of it, unless prose was joined to it (S27).
    pub span: Range<usize>,
    /// Number of other places, judged as well, where the host may begin or end (S29).
    pub more_bounds: usize,
}

impl Judgement {
    /// Whether nothing is against the host, and it reads as no name of somebody else.
    pub fn is_harmless(&self) -> bool {
        self.verdict <= Verdict::Notice && self.target.is_none()
    }
}

/// Judges a host as spelled, without port.
///
/// Accepts everything that mail may contain: escapes, Punycode, addresses, other dots. Linear in
/// the length of the spelling.
pub fn judge(spelling: &str, context: &Context<'_>) -> Judgement {
    if let Some(plain) = hosts::plain::judge(spelling, context) {
        return plain.judgement;
    }
    hosts::bounds::judge(spelling, context)
}

/// Whether anybody can have an address at this host, by the table of organisations of the protected
/// names.
pub fn is_anybodys(host: &str, protected: &Names) -> bool {
    protected.organisations().is_some_and(|table| table.is_anybodys(host))
}

/// Whether the host, in lower-case ASCII form, is a protected name, of the list or the recipients'
/// own, or below one, and is not one that a hoster gave to a customer.
pub fn is_protected(ascii: &str, protected: &Names, own: &Names) -> bool {
    let names = [protected, own].into_iter().filter_map(|names| names.covering(ascii));
    let Some(name) = names.max_by_key(|name| name.len()) else { return false };
    !protected.organisations().is_some_and(|table| table.is_customers(name, ascii))
}

/// Whether both hosts, in lower-case ASCII form, have one owner by the table of organisations of
/// the protected names.
pub fn is_one_owner(one: &str, other: &str, protected: &Names) -> bool {
    protected.organisations().is_some_and(|table| table.is_one_owner(one, other))
}

/// Whether the table of organisations of the protected names says who owns the host.
pub fn has_owner(ascii: &str, protected: &Names) -> bool {
    protected.organisations().is_some_and(|table| table.is_one_owner(ascii, ascii))
}

/// The TLD to ask the DNS for: not in the table, and not one that is never in the DNS (S25).
fn question(tld: &str, context: &Context<'_>) -> Option<String> {
    let known = context.tlds.exists(tld) || is_special_use(tld) || tld.is_empty();
    (!known).then(|| tld.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What hosts are judged against in tests: these protected names, and nothing own or blocked.
    pub(crate) fn context<'a>(
        protected: &'a Names,
        none: &'a Names,
        tlds: &'a dyn TldSet,
    ) -> Context<'a> {
        Context {
            level: RestrictionLevel::default(),
            protected,
            own: none,
            blocked: none,
            tlds,
            bounds: HostBounds::Certain,
        }
    }
}

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
