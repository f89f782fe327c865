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
//! | S27, S29 | `bounds` |
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
mod wrappers;

use std::cmp::Ordering;
use std::ops::Range;

use smallvec::SmallVec;

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

use domain::Endings;
use form::{Form, LABELS, Literal, NAME_CHARACTERS, Part};
use label_context::{LabelContext, Role};
use reading::Sights;
use subject::{Hit, Subject};
use uts58::Kind;
use uts58::tlds::TldSet;
use uts58::unicode::hosts::is_mark;
use uts58::unicode::is_letter;
use verdict::Said;
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

fn judge_part(spelling: &str, span: Range<usize>, context: &Context<'_>) -> Judgement {
    let host = spelling.get(span.clone()).unwrap_or(spelling);
    // What begins where the spelling does was found not to be plain before.
    let plain = if span.start == 0 { None } else { plain::judge(host, context) };
    let mut judgement = plain.unwrap_or_else(|| judge_whole(host, context));
    judgement.span = span;
    judgement
}

/// Judges a spelling all of which is the host.
fn judge_whole(spelling: &str, context: &Context<'_>) -> Judgement {
    let mut form = Form::read(spelling);
    let protected = is_protected(&form.ascii, context.protected, context.own);
    let mut judgement = Judgement::default();
    for (reason, verdict) in &form.problems {
        judgement.add(*reason, *verdict);
    }
    if form.literal == Literal::Name && !form.parts.is_empty() {
        let tld = form.ascii.rsplit('.').next();
        judgement.question = tld.and_then(|tld| question(tld, context));
        if !has_tld_syntax(&form) {
            judgement.add(Reason::TldSyntax, Reason::TldSyntax.verdict());
            judgement.question = None;
        }
        let sights: SmallVec<[Sights; LABELS]> =
            form.parts.iter().map(|part| Sights::of(part.unicode.chars())).collect();
        let endings = Endings::of(&form.ascii);
        let said = said_of_labels(&form, &sights, endings.registry, context);
        // What is too long for the DNS leads nowhere, whatever it reads as.
        let sought = form.ascii.len() <= NAME_CHARACTERS && !protected;
        let hit = sought.then(|| find_target(&form, &sights, endings, context)).flatten();
        let parts = std::mem::take(&mut form.parts).into_iter();
        judgement.labels = parts.zip(said).map(|(part, said)| Label::of(part, said)).collect();
        if let Some(hit) = hit {
            judgement.reads_as(hit);
        }
    }
    for label in &judgement.labels {
        judgement.verdict = judgement.verdict.max(label.verdict);
        judgement.reasons = judgement.reasons.union(label.reasons);
    }
    if context.blocked.covers(&form.ascii) {
        judgement.add(Reason::Listed, Reason::Listed.verdict());
    }
    judgement.ascii = form.ascii;
    judgement.unicode = form.unicode;
    judgement.edit = edit::of(&judgement, protected);
    judgement
}

/// What the characters of each label say.
fn said_of_labels(
    form: &Form,
    sights: &[Sights],
    registry: usize,
    context: &Context<'_>,
) -> SmallVec<[Said; LABELS]> {
    let count = form.parts.len();
    let tld = form.parts.last().map(|part| part.unicode.as_str()).unwrap_or_default();
    let registrable = count.saturating_sub(registry.max(1) + 1);
    let role = |at: usize| match at.cmp(&registrable) {
        _ if at + registry >= count => Role::Suffix,
        Ordering::Less => Role::Sub,
        Ordering::Equal | Ordering::Greater => Role::Registrable,
    };
    let contexts =
        form.parts.iter().zip(sights).enumerate().map(|(at, (part, sights))| LabelContext {
            tlds: context.tlds,
            spelling: &part.spelling,
            unicode: &part.unicode,
            sights,
            role: role(at),
            tld,
            level: context.level,
        });
    contexts.map(|context| script::examine(&context)).collect()
}

/// The protected name, of the list or the recipients' own, that the host reads as most, to none of which it
/// belongs.
fn find_target(
    form: &Form,
    sights: &[Sights],
    endings: Endings,
    context: &Context<'_>,
) -> Option<Hit> {
    let Form { parts, ascii, unicode, .. } = form;
    let subject = Subject { parts, sights, ascii, unicode, endings };
    let protected = [context.own, context.protected]
        .into_iter()
        .filter_map(|names| target::find(&subject, names))
        .max_by_key(|hit| hit.verdict);
    if protected.as_ref().is_some_and(|hit| hit.verdict >= Verdict::Suspect) {
        return protected;
    }
    let mut sets = [context.own, context.protected].into_iter();
    if let Some(hit) = sets.find_map(|names| inside::find(&subject, names, context)) {
        return Some(hit);
    }
    let lists = || [context.own, context.protected].into_iter().flat_map(Names::known);
    let known = lists().filter_map(|list| list.find(&subject)).max_by_key(|hit| hit.verdict);
    // Whoever is known by name is no mimic of a neighbour on the list.
    let known = known.filter(|_| !lists().any(|list| list.holds(&subject)));
    protected.into_iter().chain(known).max_by_key(|hit| hit.verdict)
}

impl Label {
    fn of(part: Part, Said { verdict, reasons }: Said) -> Label {
        let Part { spelling, ascii, unicode, problems } = part;
        let mut label = Label { spelling, ascii, unicode, verdict, reasons };
        for (reason, verdict) in problems {
            label.add(reason, verdict);
        }
        label
    }

    fn add(&mut self, reason: Reason, verdict: Verdict) {
        self.reasons.insert(reason);
        self.verdict = self.verdict.max(verdict);
    }
}

impl Judgement {
    fn add(&mut self, reason: Reason, verdict: Verdict) {
        self.reasons.insert(reason);
        self.verdict = self.verdict.max(verdict);
    }

    fn reads_as(&mut self, hit: Hit) {
        self.target = Some(hit.target);
        if let Some(label) = self.labels.get_mut(hit.label) {
            label.add(hit.reason, hit.verdict);
        }
    }
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

/// S10: at least two characters if ASCII; letters and marks only.
fn has_tld_syntax(form: &Form) -> bool {
    let Some(tld) = form.parts.last().map(|part| part.unicode.as_str()) else { return false };
    let letters = tld.chars().all(|c| is_letter(c) || is_mark(c));
    letters && form.parts.len() > 1 && (tld.len() > 1 || !tld.is_ascii())
}

/// What the table of readings is made of, beside the data.
#[cfg(test)]
mod glyphs;

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
