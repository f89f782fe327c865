//! What was found so far, with the edits that wait for the DNS.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::BuildHasher as _;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use super::budget::Budget;
use super::joined_edits::Expansion;
use super::judging::{Judged, TldStatus};
use super::keyed_hash::{HashKey, Hashes};
use super::listed_by::lists_naming;
use super::outcome::{Bypass, Done, Edit, Finding, More, Place, RawEdit, Reason, Reasons, Verdict};
use super::policy::{Policy, Report};
use homograph::{Judgement, Section, registrable};
use maillinks::{Rereads, Visibility};
use mailsplice::mime::Tree;
use mailsplice::span::TextEdit;

/// A possible link, with its edits if it is one.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub finding: Finding,
    pub tld_status: TldStatus,
    /// Part and reading of the edits. `None` for a candidate of no reading.
    pub reading: Option<(usize, usize)>,
    /// Edits in the text of that reading.
    pub edits: Vec<TextEdit>,
}

impl Candidate {
    /// A candidate that is only reported.
    pub fn report_only(finding: Finding) -> Candidate {
        Candidate { finding, tld_status: TldStatus::Link, reading: None, edits: Vec::new() }
    }

    /// Takes the space of its edits. Breaks, without them, if the message would become too long.
    pub fn fit(&mut self, expansion: Expansion, budget: &mut Budget<'_>) -> ControlFlow<()> {
        let growth = self.edits.iter().map(|edit| expansion.growth(edit)).sum();
        if !budget.reserve_growth(growth) {
            self.edits = Vec::new();
            self.finding.done = Done::Reported;
            return ControlFlow::Break(());
        }
        budget.take_further_edits(expansion.memory_of(&self.edits));
        ControlFlow::Continue(())
    }
}

/// Maximum number of hosts of harmless links that are kept by name: more than nearly every message has, and some
/// kilobytes. The rest are counted.
pub const PASSED: usize = 64;

/// Everything that was found in a message.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Harmless links, only counted.
    pub harmless: usize,
    pub candidates: Vec<Candidate>,
    /// Links beyond the candidates, of which only the edits are kept.
    pub more: More,
    /// Edits of those, by part and reading, in the text of that reading.
    pub bare_edits: BTreeMap<(usize, usize), Vec<TextEdit>>,
    /// All reasons of the candidates.
    reasons: Reasons,
    /// The worst verdict of the candidates.
    worst: Verdict,
    pub bypasses: Vec<(String, Bypass)>,
    /// Banners: insertions at the top of parts, in the text of their first reading.
    pub banners: Vec<(usize, TextEdit)>,
    /// Edits of the raw body that belong to no reading.
    pub raw_edits: Vec<RawEdit>,
    /// Offsets in the raw body, after a scheme, of unencoded deceptive hosts that readings have found somewhere
    /// ([`super::net::defang_rest`]).
    pub deceptive_offsets: Vec<usize>,
    /// Hosts of harmless links, at most [`PASSED`], in lower-case ASCII form.
    pub passed: BTreeSet<Box<str>>,
    /// Whether there were more of them.
    pub passed_more: bool,
    /// Titles of events that were judged.
    pub titles: usize,
    /// Why the page that was read last may show something else to some programs.
    pub rereads: Rereads,
    /// The part of the page that was read last, and what of it and of those above it governs the next one.
    pub above: Option<(usize, String)>,
    /// The parts that a page may show in place of a URL, by their names, once that is asked.
    pub named_parts: Option<Arc<[(String, usize)]>>,
    /// The host of the last harmless link, whose judgement it shares with other links to it.
    last_passed: Option<Arc<Judgement>>,
    /// Registrable domains by part, for parts of a multipart/alternative; a host without one stands for itself.
    domains: BTreeMap<usize, Domains>,
    /// Key of the hashes of domains and hosts.
    keys: HashKey,
    /// Where links were found, and how bad they are: several readings and layers find the same ones.
    links_by_location: HashMap<(Space, usize, Visibility), (usize, Severity), HashKey>,
}

/// The bytes in which a location is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    /// The raw bytes of the message.
    Raw,
    /// The decoded bytes of this part, which has one transfer encoding and shares no bytes with another part.
    OfPart(usize),
}

/// The location of a link, by which it is recognized if it is found again.
#[derive(Clone, Debug)]
pub struct Location {
    pub space: Space,
    pub range: Range<usize>,
    pub visibility: Visibility,
}

/// How bad a link is: its verdict, and whether mail is edited for it. A host that is no name in one charset may be
/// deceptive in another.
pub type Severity = (Verdict, Edit);

impl Findings {
    pub fn new(bypasses: Vec<(String, Bypass)>) -> Findings {
        Findings { bypasses, ..Findings::default() }
    }

    /// Records what was not read, once for all layers of a part.
    pub fn bypass(&mut self, path: &str, why: Bypass) {
        if self.bypasses.last().is_none_or(|(last, known)| last != path || *known != why) {
            self.bypasses.push((path.to_owned(), why));
        }
    }

    /// Removes one record that a part of this path was not read; another part of the same path may keep its own.
    pub fn has_read(&mut self, path: &str) {
        let is_it = |(known, why): &(String, Bypass)| known == path && *why == Bypass::Opaque;
        if let Some(at) = self.bypasses.iter().position(is_it) {
            self.bypasses.remove(at);
        }
    }

    /// The number of links so far.
    pub fn links(&self) -> usize {
        self.harmless + self.candidates.len() + self.more.links
    }

    /// Keeps the host of a harmless link by name.
    pub fn remember_harmless(&mut self, judged: &Judged) {
        if self.passed_more {
            return;
        }
        let Some(host) = judged.destination().filter(|host| !host.ascii.is_empty()) else { return };
        // Links next to each other often lead to one host.
        if self.last_passed.as_deref().is_some_and(|last| std::ptr::eq(last, host)) {
            return;
        }
        self.last_passed.clone_from(&judged.host);
        if !self.passed.contains(host.ascii.as_str()) {
            self.keep_passed(host.ascii.as_str().into());
        }
    }

    /// Keeps this host of a harmless link, if there is room.
    pub fn keep_passed(&mut self, host: Box<str>) {
        if self.passed.len() < PASSED || self.passed.contains(&host) {
            self.passed.insert(host);
        } else {
            self.passed_more = true;
        }
    }

    /// Keeps a candidate that is reported or edited, and counts the others.
    pub fn push(&mut self, policy: &Policy, candidate: Candidate) {
        let silent = candidate.finding.verdict == Verdict::Ok
            && candidate.edits.is_empty()
            && candidate.tld_status == TldStatus::Link
            && policy.report == Report::Findings;
        if silent {
            self.harmless += 1;
        } else {
            self.reasons = self.reasons.union(candidate.finding.reasons);
            self.worst = self.worst.max(candidate.finding.verdict);
            self.candidates.push(candidate);
        }
    }

    /// Whether a candidate has this reason.
    pub fn has_reason(&self, reason: Reason) -> bool {
        self.reasons.contains(reason)
    }

    /// Whether a link adds a reason or a worse verdict to those of the candidates. Such a one is kept, however many
    /// there are.
    pub fn adds_reason(&self, judged: &Judged) -> bool {
        judged.verdict > self.worst || self.reasons.union(judged.reasons) != self.reasons
    }

    /// Whether an earlier layer or reading found this link or a longer one, at least as bad. A longer or a worse one
    /// counts as new: what is harmless in one charset may be deceptive in another, and an entity can join two hosts.
    pub fn is_known(&self, location: &Location, bad: Severity) -> bool {
        self.links_by_location
            .get(&(location.space, location.range.start, location.visibility))
            .is_some_and(|(end, known)| {
                *end >= location.range.end && known.0 >= bad.0 && known.1 >= bad.1
            })
    }

    /// Whether the locations of all links so far were kept, with this maximum.
    pub fn remembers_locations(&self, max: usize) -> bool {
        self.links_by_location.len() < max
    }

    /// Keeps the locations of links for later layers and readings, at most `max`. A link whose location is not kept is
    /// found and edited again, in the same way.
    pub fn remember_locations(&mut self, found: Vec<(Location, Severity)>, max: usize) {
        let space_left = max.saturating_sub(self.links_by_location.len());
        for (Location { space, range, visibility }, (verdict, edit)) in
            found.into_iter().take(space_left)
        {
            let first = (range.end, (verdict, edit));
            let (end, known) =
                self.links_by_location.entry((space, range.start, visibility)).or_insert(first);
            *end = range.end.max(*end);
            *known = (verdict.max(known.0), edit.max(known.1));
        }
    }

    /// Drops candidates from this one on that are where something as bad was found before.
    pub fn drop_repeated(&mut self, from: usize) {
        let Some((before, new)) = self.candidates.split_at_checked(from) else { return };
        if new.is_empty() {
            return;
        }
        fn place(candidate: &Candidate) -> (&str, &Range<usize>) {
            (candidate.finding.part.as_str(), &candidate.finding.span)
        }
        let bad = before.iter().filter(|one| one.finding.verdict > Verdict::Notice);
        let known: HashSet<_> = bad.map(place).collect();
        let is_new: Vec<bool> = new.iter().map(|one| !known.contains(&place(one))).collect();
        let mut is_kept = std::iter::repeat_n(true, from).chain(is_new);
        self.candidates.retain(|_| is_kept.next().unwrap_or(true));
    }

    /// Reports that programs split the message in different ways, and that there is a link in it.
    pub fn note_ambiguous(&mut self, path: &str) {
        self.candidates.push(Candidate::report_only(Finding {
            part: path.to_owned(),
            place: Place::Text,
            span: 0..0,
            spelling: String::new(),
            ascii: String::new(),
            unicode: String::new(),
            verdict: Verdict::Suspect,
            reasons: Reasons::from_iter([Reason::AmbiguousStructure]),
            edit: Edit::Reported,
            target: None,
            lists: Vec::new(),
            done: Done::Reported,
        }));
    }

    /// Keeps the host of a link in a part of a multipart/alternative, for at most `max` domains of a part.
    pub fn note_host(&mut self, part: usize, judged: &Judged, max: usize) {
        if let Some(host) = judged.destination().filter(|host| !host.ascii.is_empty()) {
            self.domains.entry(part).or_default().note(&self.keys, &host.ascii, max);
        }
    }

    /// Reports parts of one multipart/alternative that have no registrable domain in common, with a notice.
    pub fn compare_alternatives(&mut self, tree: &Tree) {
        let domains = std::mem::take(&mut self.domains);
        let mut first: BTreeMap<usize, &Domains> = BTreeMap::new();
        for (part, theirs) in &domains {
            let Some(entry) = tree.parts.get(*part) else { continue };
            let Some(group) = entry.alternative else { continue };
            let Some(ours) = first.get(&group) else {
                first.insert(group, theirs);
                continue;
            };
            if theirs.known.is_disjoint(&ours.known) {
                self.candidates.push(alternative(entry.path.clone(), &theirs.least, *part));
            }
        }
    }
}

/// The registrable domains of a part, as keyed hashes.
#[derive(Clone, Debug, Default)]
struct Domains {
    known: Hashes,
    /// Hosts that were processed, at most as many: most links of a part lead to a few.
    hosts: Hashes,
    /// The alphabetically first of its hosts, which the notice names.
    least: String,
}

impl Domains {
    fn note(&mut self, keys: &HashKey, host: &str, max: usize) {
        let hash = keys.hash_one(host);
        if self.hosts.contains(&hash) {
            return;
        }
        if self.hosts.len() < max {
            self.hosts.insert(hash);
        }
        if self.known.len() < max {
            let domain = registrable(host, Section::Private).unwrap_or(host);
            self.known.insert(keys.hash_one(domain));
        }
        if self.least.is_empty() || host < self.least.as_str() {
            host.clone_into(&mut self.least);
        }
    }
}

/// The finding of a judged link: only reported, unless the caller edits it.
pub fn finding_of(
    (policy, judged): (&Policy, &Judged),
    part: &str,
    place: Place,
    span: Range<usize>,
    spelling: &str,
) -> Finding {
    let host = judged.destination();
    Finding {
        part: part.to_owned(),
        place,
        span,
        spelling: spelling.to_owned(),
        ascii: host.map_or_else(String::new, |host| host.ascii.clone()),
        unicode: host.map_or_else(String::new, |host| host.unicode.clone()),
        verdict: judged.verdict,
        reasons: judged.reasons,
        edit: judged.edit,
        target: judged.target().cloned(),
        lists: lists_of(policy, judged),
        done: Done::Reported,
    }
}

/// The lists that name a host of the link, or its URL.
fn lists_of(policy: &Policy, judged: &Judged) -> Vec<String> {
    if !judged.reasons.contains(Reason::Listed) {
        return Vec::new();
    }
    let hosts = judged.host.as_deref().into_iter().chain(&judged.inner);
    lists_naming(policy, hosts.map(|host| host.ascii.as_str()), &judged.lists).counting
}

fn alternative(path: String, host: &str, part: usize) -> Candidate {
    Candidate {
        finding: Finding {
            part: path,
            place: Place::Text,
            span: 0..0,
            spelling: host.to_owned(),
            ascii: host.to_owned(),
            unicode: host.to_owned(),
            verdict: Verdict::Notice,
            reasons: Reasons::from_iter([Reason::AlternativeMismatch]),
            edit: Edit::Reported,
            target: None,
            lists: Vec::new(),
            done: Done::Reported,
        },
        tld_status: TldStatus::Link,
        reading: Some((part, 0)),
        edits: Vec::new(),
    }
}
