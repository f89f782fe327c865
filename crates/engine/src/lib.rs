//! The engine: pure functions from a message to an outcome. No I/O, no clock, no globals.
//!
//! [`inspect`] surveys a message: it splits it into parts, finds the links and judges them. [`Inspection::resolve`]
//! decides with the answers of the DNS, makes the edits, and surveys the edited message again until nothing is left to
//! edit. [`splice`] applies the edits to the bytes.

#![forbid(unsafe_code)]
#![warn(missing_docs)]
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

use std::sync::atomic::AtomicBool;

mod actions;
mod banner;
mod broken;
mod budget;
pub mod check;
pub mod cost;
mod decide;
mod examine;
pub mod fields;
mod finding;
mod flags;
mod headers;
mod inspection;
mod joined_edits;
mod judging;
mod keyed_hash;
pub mod linkify;
pub mod listed_by;
mod net;
pub mod notices;
mod other_views;
pub mod outcome;
mod part_context;
mod parts;
pub mod policy;
mod sender;
pub mod trace;

pub use examine::{Inspect, examine, unread};
pub use homograph::{self as host, Memory, explain};
pub use inspection::{Inspection, inspect_case};
pub use maillinks::{self as content, guarded};
pub use mailsplice::mime::{self, Message};
pub use mailsplice::{hex, span, splice, whole};
pub use outcome::{Finding, Outcome, Reason, Reasons, Verdict};
pub use policy::{Policy, limits, lists, words};
pub use uts58::tlds::{Answer, Answers, TldSet, TldTable};
pub use uts58::{self as link, tlds, unicode};

use budget::Budget;
use cost::Stage;
use finding::Findings;
use judging::{Judge, Queries};
use part_context::PartContext;
use policy::{Defang, Notice, OnAmbiguous};

/// What the engine must know about the envelope and the receiving organization.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Domains of the recipients, lower case: names to protect.
    pub recipient_domains: Vec<String>,
    /// Name of the filtering host, for `by=` in our header field.
    pub host_name: String,
    /// Language of the inline notice, as a BCP 47 primary tag; `None` follows the message: its
    /// Content-Language or Accept-Language, then the script of the text.
    pub language: Option<String>,
    /// Whether the message came from outside, for the banner.
    pub side: Side,
    /// Whether the recipients have had mail from its author.
    pub contact: Contact,
    /// The DMARC result of the author's domain, by the organization's own server.
    pub dmarc: Dmarc,
}

/// Where a message comes from, seen from the receiving organization.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// From inside, or not known.
    #[default]
    Unknown,
    /// From outside, to the organization.
    Outside,
}

/// Whether the recipients have had mail from the author before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Contact {
    /// One of them has, or it is not known.
    #[default]
    Unknown,
    /// None of them has, as far as is recorded.
    First,
}

/// The DMARC result of the message's From (RFC 7489), by a trusted server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dmarc {
    /// No result, or one of no use.
    #[default]
    Unknown,
    /// The message is from the domain that it names.
    Pass,
    /// It is not, by the policy of that domain.
    Fail,
}

/// Reads and judges a message. Pure: the same arguments give the same inspection.
///
/// Steps are bounded by [`limits::Limits`]. If a limit is reached, the outcome names it and the edits found before
/// stay.
pub fn inspect<'a>(
    message: Message<'a>,
    facts: &'a Facts,
    policy: &'a Policy,
    tlds: &'a dyn TldSet,
) -> Inspection<'a> {
    inspect_case(Case::new(message, facts, policy, tlds))
}

/// A message, with all that is needed to judge it.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The message as it came in.
    pub message: Message<'a>,
    /// Facts about the envelope and the receiving organization.
    pub facts: &'a Facts,
    /// The settings for this message.
    pub policy: &'a Policy,
    /// Top-level domains that exist. Others are looked up in the DNS.
    pub tlds: &'a dyn TldSet,
    /// Judgements from other messages. They save work and change no result.
    pub memory: Option<&'a dyn Memory>,
    /// Set by its owner when the time is up: what was found before stays, and the outcome says
    /// `limit:message_timeout`.
    pub stop: Option<&'a AtomicBool>,
    /// Maximum steps to take, if fewer than the policy's limits give: for a first try.
    pub steps: Option<u64>,
}

impl<'a> Case<'a> {
    /// A case without memory, stop flag and step limit.
    pub fn new(
        message: Message<'a>,
        facts: &'a Facts,
        policy: &'a Policy,
        tlds: &'a dyn TldSet,
    ) -> Case<'a> {
        Case { message, facts, policy, tlds, memory: None, stop: None, steps: None }
    }
}

/// The parts of a message, the names to look up, and every link judged, with its edits.
struct Survey {
    tree: mime::Tree,
    queries: Queries,
    found: Findings,
}

fn survey(case: Case<'_>, budget: &mut Budget<'_>) -> Survey {
    let tree = split(case, budget);
    let (queries, found) = search(case, &tree, budget);
    Survey { tree, queries, found }
}

/// Splits the message into parts, and takes the steps for it.
fn split(case: Case<'_>, budget: &mut Budget<'_>) -> mime::Tree {
    let limits = budget.structure(&case.policy.limits);
    let tree = mime::parse_until(case.message, &limits, case.stop);
    // If the steps are used up, [`search`] reports it.
    let _ = budget.spend(Stage::Structure, tree.steps + PART_STEPS * tree.parts.len() as u64);
    tree
}

/// Steps of a part, whatever its size, for its labels and what is kept of it.
const PART_STEPS: u64 = 224;

/// Finds and judges every link of the message, with its edits, and the names to look up.
fn search(case: Case<'_>, tree: &mime::Tree, budget: &mut Budget<'_>) -> (Queries, Findings) {
    let defused;
    let case = match case.policy.on_ambiguous {
        OnAmbiguous::Defuse if !tree.ambiguous.is_empty() && case.policy.edits() => {
            defused = Policy { defang: Defang::All, ..case.policy.clone() };
            Case { policy: &defused, ..case }
        }
        _ => case,
    };
    let Case { message, facts, policy, tlds, .. } = case;
    let mut judge = Judge::new(case);
    let mut found = Findings::new(tree.bypasses.clone());
    headers::read((message.head, tree), &mut judge, budget, policy, &mut found);
    headers::inner(case, tree, budget, &mut found);
    let notice = policy.notice == Notice::Inline;
    let of_header = || notice.then(|| notices::of_header(message.head, &policy.words)).flatten();
    let language = facts.language.as_deref().or_else(of_header);
    let disjoint = tree.is_disjoint();
    let archives_left = parts::ARCHIVES;
    for part in tree.in_order_of_sight() {
        let mut context =
            PartContext { message, tree, language, policy, tlds, disjoint, archives_left };
        context.read(part, &mut judge, budget, &mut found);
        if budget.limit_reached().is_some() {
            break;
        }
    }
    other_views::read(case, tree, &mut judge, budget, &mut found);
    net::search(message, tree, (&mut judge, policy), budget, &mut found);
    found.compare_alternatives(tree);
    if let Some(path) = tree.ambiguous.first().filter(|_| tree.codec || found.links() > 0) {
        found.note_ambiguous(path);
    }
    (judge.queries, found)
}

#[cfg(test)]
mod tests;

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
