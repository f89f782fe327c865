//! Judges whether a host name misleads its reader (UTS #39, UTS #46).
//!
//! | standard | module |
//! | --- | --- |
//! | UTS #46, WHATWG URL §3.5, S28 | `form` |
//! | UTS #39 §3.1, §5 | `script`, `marks` |
//! | UTS #39 §4, §4.1 | `reading`, `lookalike`, `bidi` |
//! | protected names | `target`, [`Names`] |
//! | protected names inside hosts of other owners | `name_in_host` |
//! | names that a sender's display name claims | [`poses`] |
//! | words written in look-alike letters, in a text | [`disguised`] |
//! | S27, S29 | `bounds`, `judged_host` |
//! | S30 | `edit` |
//! | what a link contains beside its host | `carried`, `embedded` |
//! | text to HTML with anchors (UASG 000, UASG 001) | [`mod@linkify`] |

#![forbid(unsafe_code)]
#![warn(missing_docs)]
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

#[cfg(feature = "senders")]
mod asking_domain;
#[cfg(feature = "senders")]
mod asks_abroad;
#[cfg(feature = "senders")]
mod beginnings;
#[cfg(feature = "senders")]
mod beyond_ascii;
mod bidi;
mod bounds;
mod carried;
mod cjk;
mod compared;
#[cfg(feature = "senders")]
mod consonants;
#[cfg(feature = "senders")]
mod disguise;
#[cfg(feature = "senders")]
mod display_text;
mod domain;
#[cfg(feature = "senders")]
mod drawn_slash;
mod edit;
mod embedded;
mod english;
pub mod explain;
mod form;
mod glued_name;
#[cfg(feature = "senders")]
mod government;
#[cfg(feature = "senders")]
mod honest_neighbours;
mod host_words;
mod judged_host;
mod label_context;
#[cfg(feature = "senders")]
mod letter_signs;
mod letter_table;
pub mod letters;
mod limits;
pub mod linkify;
mod listed;
mod lists;
mod lookalike;
mod looks;
mod marks;
mod memo;
mod name;
mod name_in_host;
mod names;
mod national_site;
mod native;
#[cfg(feature = "senders")]
mod native_in_front;
mod near;
#[cfg(feature = "senders")]
mod of_no_language;
#[cfg(feature = "senders")]
mod organisation_drawn;
#[cfg(feature = "senders")]
mod organisation_inside;
mod organisations;
#[cfg(feature = "character-names")]
mod other_letters;
#[cfg(feature = "senders")]
mod own_inside;
mod phrase;
mod plain;
mod plain_label;
#[cfg(feature = "senders")]
mod posing;
mod properties;
mod reading;
mod rows;
mod script;
mod seeming_suffix;
mod separators;
#[cfg(feature = "senders")]
mod short_domain;
#[cfg(feature = "senders")]
mod signs_as_letters;
mod slip;
mod status;
mod target;
#[cfg(feature = "senders")]
mod twin_hosts;
mod userinfo;
pub mod verdict;
#[cfg(feature = "senders")]
mod words_inside;
mod wrappers;

use std::ops::Range;

#[cfg(feature = "senders")]
pub use asks_abroad::{LABEL_WORDS, asks_abroad, asks_in_path, at_hoster};
pub use bidi::{bidi_skeleton, displayed};
pub use carried::{LinkJudgement, carried, judge_link, spelled_host};
pub use cjk::is_cjk;
#[cfg(feature = "senders")]
pub use disguise::{Disguise, disguised};
#[cfg(feature = "senders")]
pub use display_text::{SHOWN, plain_letter, reads_as_dot, reads_as_hyphen};
#[cfg(feature = "senders")]
pub use domain::end_alike;
pub use domain::{Section, and_above, is_or_below, is_special_use, registrable};
pub use edit::is_word;
pub use form::{SPELLING_BYTES, without_turkish_dots};
#[cfg(feature = "senders")]
pub use government::{is_government_site, seeming_site};
#[cfg(feature = "senders")]
pub use honest_neighbours::means_itself_at;
#[cfg(feature = "senders")]
pub use host_words::may_stand_beside;
#[cfg(feature = "senders")]
pub use letter_signs::in_signs;
pub use listed::Known;
pub use memo::{CacheKey, Memo, Memory, REMEMBERED, REMEMBERED_BYTES};
pub use name::BadName;
pub use names::Names;
#[cfg(feature = "senders")]
pub use native_in_front::native_site;
pub use near::{Slip, slip_between};
#[cfg(feature = "senders")]
pub use organisation_drawn::{exchanges_l_and_i, is_in_own_letters, organisation_drawn};
#[cfg(feature = "senders")]
pub use organisation_inside::{may_ask, organisation_inside};
#[cfg(feature = "senders")]
pub use organisations::claimed::is_given_away;
#[cfg(feature = "senders")]
pub use own_inside::{Correspondent, is_namesake, own_inside, writes_out};
#[cfg(feature = "senders")]
pub use posing::{Beside, BesideWord, Sender, beside, poses, words};
#[cfg(feature = "senders")]
pub use reading::all_readings;
pub use reading::{are_twins, reads_as};
pub use script::mixes_scripts;
pub use separators::{is_middle_dot, reads_as_full_stop};
#[cfg(feature = "senders")]
pub use short_domain::is_in_short_domain;
#[cfg(feature = "senders")]
pub use twin_hosts::{are_twin_hosts, asks_beside, stands_in_front};
pub use userinfo::is_in_local_part;
pub use uts58::unicode::hosts::ends_host_to_a_reader;
#[cfg(feature = "senders")]
pub use words_inside::reads_as_english;
#[cfg(feature = "senders")]
pub use wrappers::name_end_in_host;
pub use wrappers::{hides_end, names_host_alone, only_rewrites, rewrites};

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
    if let Some(plain) = plain::judge(spelling, context) {
        return plain.judgement;
    }
    bounds::judge(spelling, context)
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

/// Whether a word, in plain small letters, is the name of an organisation and of nothing else: no word, no surname.
#[cfg(feature = "senders")]
pub fn is_distinctive(word: &str, protected: &Names) -> bool {
    protected.organisations().is_some_and(|table| table.is_distinctive(word))
}

/// Whether mail of the host may be in the name of whom the domain `owner` represents, by a table beside that of
/// owners: a further domain of his, or of a partner.
#[cfg(feature = "senders")]
pub fn says_rightly(owner: &str, ascii: &str, protected: &Names) -> bool {
    protected.organisations().is_some_and(|table| table.says_rightly(owner, ascii))
}

/// The TLD to ask the DNS for: not in the table, and not one that is never in the DNS (S25).
fn question(tld: &str, context: &Context<'_>) -> Option<String> {
    let known = context.tlds.exists(tld) || is_special_use(tld) || tld.is_empty();
    (!known).then(|| tld.to_owned())
}

/// Derives the table of readings from its data.
#[cfg(test)]
mod generated;
#[cfg(test)]
mod glyphs;

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
