//! The engine: pure functions from a message to an outcome. No I/O, no clock, no globals.
//!
//! [`inspect`] surveys a message: it is split, read and judged. [`Inspection::resolve`] decides with what the
//! DNS said, edits, and surveys again until nothing is left; [`splice`] carries it out.

#![forbid(unsafe_code)]
#![warn(missing_docs)]
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

use std::sync::atomic::AtomicBool;

mod actions;
mod attached;
mod banner;
pub mod bounds;
mod budget;
pub mod check;
pub mod content;
pub mod cost;
mod decide;
mod dense;
mod early;
mod edits;
mod examine;
pub mod fields;
mod finding;
mod guard;
mod headers;
mod images;
mod inspection;
mod judged;
mod judging;
mod lies;
pub mod limits;
pub mod lists;
mod met;
mod net;
mod notices;
pub mod outcome;
mod part_context;
mod parts;
mod pdf;
pub mod policy;
mod prices;
mod sender;
mod servers;
pub mod trace;
pub mod words;

pub use examine::{Inspect, examine, unread};
pub use guard::guarded;
pub use homograph::{self as host, Memory, explain};
pub use inspection::{Inspection, inspect_case};
pub use mailsplice::mime::{self, Message};
pub use mailsplice::{span, splice, whole};
pub use outcome::{Finding, Outcome, Reason, Reasons, Verdict};
pub use policy::Policy;
pub use uts58::tlds::{Answer, Answers, TldSet, TldTable};
pub use uts58::{self as link, tlds, unicode};

use budget::Budget;
use cost::Stage;
use finding::Findings;
use judging::{Asked, Judge};
use part_context::PartContext;
use policy::{Defang, Notice, OnAmbiguous};

/// What the engine must know of the envelope and of the house.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Domains of the recipients, lower case: names to protect.
    pub recipient_domains: Vec<String>,
    /// Name of the filtering host, for `by=` in our header field.
    pub host_name: String,
    /// Language of the inline notice, as a BCP 47 primary tag; `None` follows the message: its
    /// Content-Language or Accept-Language, then the script of the text.
    pub language: Option<String>,
    /// Whether the message came from outside: what the banner goes by.
    pub side: Side,
    /// Whether its recipients know its author.
    pub contact: Contact,
    /// What the house's own server says of the author's domain.
    pub dmarc: Dmarc,
}

/// Where a message comes from, seen from the house.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// The house, or nobody knows.
    #[default]
    Unknown,
    /// Somebody else, to us.
    Outside,
}

/// Whether the recipients have had mail from the author before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Contact {
    /// One of them has, or nobody knows.
    #[default]
    Unknown,
    /// None of them has, as far as the house remembers.
    First,
}

/// The DMARC result of the message's From (RFC 7489), by a server whose word counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dmarc {
    /// Nobody said, or nothing of use.
    #[default]
    Unknown,
    /// The message is of the domain that it says.
    Pass,
    /// It is not, by the domain's own rules.
    Fail,
}

/// Reads and judges a message. Pure: the same arguments give the same inspection.
///
/// Steps are bounded by [`limits::Limits`]; what a limit stopped is named in the outcome, and the
/// edits found before stay.
pub fn inspect<'a>(
    message: Message<'a>,
    facts: &'a Facts,
    policy: &'a Policy,
    tlds: &'a dyn TldSet,
) -> Inspection<'a> {
    inspect_case(Case::new(message, facts, policy, tlds))
}

/// A message, and all that judging it takes.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The message as it came in.
    pub message: Message<'a>,
    /// Envelope and house, as far as they matter.
    pub facts: &'a Facts,
    /// Settings of this message.
    pub policy: &'a Policy,
    /// Top-level domains that exist; what it lacks is asked of the DNS.
    pub tlds: &'a dyn TldSet,
    /// Judgements known from other messages. It saves work and changes nothing.
    pub memory: Option<&'a dyn Memory>,
    /// Raised by its owner when there is no more time: what was found before stays, and the outcome
    /// says `limit:message_timeout`.
    pub stop: Option<&'a AtomicBool>,
    /// Steps that it may take, where its owner has fewer than its policy's limits give: a first go.
    pub steps: Option<u64>,
}

impl<'a> Case<'a> {
    /// A message by itself: nothing is remembered, nobody stops it.
    pub fn new(
        message: Message<'a>,
        facts: &'a Facts,
        policy: &'a Policy,
        tlds: &'a dyn TldSet,
    ) -> Case<'a> {
        Case { message, facts, policy, tlds, memory: None, stop: None, steps: None }
    }
}

/// What there is in a message: its parts, what is to be asked for, every link judged with its edits.
struct Survey {
    tree: mime::Tree,
    asked: Asked,
    found: Findings,
}

fn survey(case: Case<'_>, budget: &mut Budget<'_>) -> Survey {
    let tree = split(case, budget);
    let (asked, found) = search(case, &tree, budget);
    Survey { tree, asked, found }
}

/// The parts of the message, and what it took to find them.
fn split(case: Case<'_>, budget: &mut Budget<'_>) -> mime::Tree {
    let tree = mime::parse_until(case.message, &case.policy.limits.structure(), case.stop);
    // What is over is told where reading begins.
    let _ = budget.spend(Stage::Structure, tree.steps + PART * tree.parts.len() as u64);
    tree
}

/// Steps of a part, however little it holds: its labels, and what is kept of it.
const PART: u64 = 160;

/// Every link of the message, judged, with its edits; and what is to be asked for.
fn search(case: Case<'_>, tree: &mime::Tree, budget: &mut Budget<'_>) -> (Asked, Findings) {
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
    let agreed = tree.head.as_deref();
    headers::read((message.head, agreed), &mut judge, budget, policy, &mut found);
    let notice = policy.notice == Notice::Inline;
    let said = || notice.then(|| notices::of_header(message.head, &policy.words)).flatten();
    let language = facts.language.as_deref().or_else(said);
    let disjoint = tree.is_disjoint();
    for part in tree.in_order_of_sight() {
        let mut context = PartContext { message, tree, language, policy, tlds, disjoint };
        context.read(part, &mut judge, budget, &mut found);
        if budget.limit_reached().is_some() {
            break;
        }
    }
    early::read(case, tree, &mut judge, budget, &mut found);
    net::cast(message, tree, (&mut judge, policy), budget, &mut found);
    found.compare_alternatives(tree);
    if let Some(path) = tree.ambiguous.first().filter(|_| tree.codec || found.links() > 0) {
        found.note_ambiguous(path);
    }
    (judge.asked, found)
}

#[cfg(test)]
mod tests;

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
