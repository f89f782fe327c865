//! What was found so far, with the edits that wait for the DNS.

use std::collections::hash_map::RandomState;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::BuildHasher;
use std::ops::Range;

use super::content::Visibility;
use super::images;
use super::judging::{Judged, TldStatus};
use super::met::Hashes;
use super::outcome::{Bypass, Done, Edit, Finding, More, Place, RawEdit, Reason, Reasons, Verdict};
use super::policy::{Policy, Report};
use homograph::{Section, registrable};
use mailsplice::mime::Tree;
use mailsplice::span::TextEdit;

/// A link with its edits, in case that it is one.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub finding: Finding,
    pub tld_status: TldStatus,
    /// Part and reading that the edits are of; `None` for what belongs to no reading.
    pub reading: Option<(usize, usize)>,
    /// In the coordinates of that reading.
    pub edits: Vec<TextEdit>,
}

impl Candidate {
    /// A finding that no edit of a reading answers.
    pub fn told(finding: Finding) -> Candidate {
        Candidate { finding, tld_status: TldStatus::Link, reading: None, edits: Vec::new() }
    }
}

/// Hosts of links that need nothing, remembered by name: more than nearly every message has, and
/// some kilobytes. The rest are counted.
pub const PASSED: usize = 64;

/// Everything that was found in a message.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Links that need nothing, counted only.
    pub plain: usize,
    pub candidates: Vec<Candidate>,
    /// Links beyond those, of which nothing but the edits is kept.
    pub more: More,
    /// Their edits, by part and reading, in the coordinates of that reading.
    pub bare: BTreeMap<(usize, usize), Vec<TextEdit>>,
    /// Reasons and the worst verdict of the candidates.
    told: (Reasons, Verdict),
    pub bypasses: Vec<(String, Bypass)>,
    /// Pictures that may still be looked at.
    pub images: images::Left,
    /// What stands on top of parts, in the coordinates of their first reading, links in it or not.
    pub tops: Vec<(usize, TextEdit)>,
    /// Edits of the raw body that belong to no reading.
    pub plain_edits: Vec<RawEdit>,
    /// Offsets of the raw body behind schemes at which hosts stand as they are that deceive, and that readings have
    /// met, here or elsewhere ([`super::net::take_apart_rest`]).
    pub lying_places: Vec<usize>,
    /// Hosts of links that need nothing, at most [`PASSED`], in lower-case ASCII form.
    pub passed: BTreeSet<Box<str>>,
    /// Whether there were more of them.
    pub passed_more: bool,
    /// Registrable domains by part, for the parts below multipart/alternative; hosts without one are
    /// their own.
    domains: BTreeMap<usize, Domains>,
    /// Of the hashes of domains and their hosts.
    keys: RandomState,
    /// Where a link was found, and how bad it is: readings and layers see the same ones.
    known: BTreeMap<(Space, usize, Visibility), (usize, Badness)>,
}

/// Which bytes a place is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Space {
    /// Those of the message.
    Raw,
    /// Those that the only transfer encoding of this part unwraps to, where no other part shares them.
    OfPart(usize),
}

/// Where a link stands, for those who may meet it again.
#[derive(Clone, Debug)]
pub struct Location {
    pub space: Space,
    pub range: Range<usize>,
    pub visibility: Visibility,
}

/// How bad a link is: its verdict, and whether mail is edited for it. In one charset a host may be no name
/// at all, and in another one lie.
pub type Badness = (Verdict, Edit);

impl Findings {
    pub fn new(bypasses: Vec<(String, Bypass)>) -> Findings {
        Findings { bypasses, ..Findings::default() }
    }

    /// Names what was not read, once for all layers of a part.
    pub fn bypass(&mut self, path: &str, why: Bypass) {
        if self.bypasses.last().is_none_or(|(last, known)| last != path || *known != why) {
            self.bypasses.push((path.to_owned(), why));
        }
    }

    /// Takes back that one part of this path was not read; another of the same path may still not be.
    pub fn has_read(&mut self, path: &str) {
        let is_it = |(known, why): &(String, Bypass)| known == path && *why == Bypass::Opaque;
        if let Some(at) = self.bypasses.iter().position(is_it) {
            self.bypasses.remove(at);
        }
    }

    /// Links so far.
    pub fn links(&self) -> usize {
        self.plain + self.candidates.len() + self.more.links
    }

    /// Remembers the host of a link that needs nothing.
    pub fn pass(&mut self, judged: &Judged) {
        if self.passed_more {
            return;
        }
        let Some(host) = judged.led().filter(|host| !host.ascii.is_empty()) else { return };
        if self.passed.contains(host.ascii.as_str()) {
            return;
        }
        if self.passed.len() < PASSED {
            self.passed.insert(host.ascii.as_str().into());
        } else {
            self.passed_more = true;
        }
    }

    /// Keeps a candidate that has something to say or to change; counts the others.
    pub fn push(&mut self, policy: &Policy, candidate: Candidate) {
        let silent = candidate.finding.verdict == Verdict::Ok
            && candidate.edits.is_empty()
            && candidate.tld_status == TldStatus::Link
            && policy.report == Report::Findings;
        if silent {
            self.plain += 1;
        } else {
            let (reasons, worst) = self.told;
            let finding = &candidate.finding;
            self.told = (reasons.union(finding.reasons), worst.max(finding.verdict));
            self.candidates.push(candidate);
        }
    }

    /// Whether a candidate has this reason.
    pub fn says(&self, reason: Reason) -> bool {
        self.told.0.contains(reason)
    }

    /// Whether a link says something of the message that no candidate said: such a one is kept, however
    /// many there are.
    pub fn is_news(&self, judged: &Judged) -> bool {
        let (reasons, worst) = self.told;
        judged.verdict > worst || reasons.union(judged.reasons) != reasons
    }

    /// Whether an earlier layer or reading found this link or a longer one, and it is as bad. A longer
    /// or a worse one counts: what is harmless in one charset can lie in another, and an entity can
    /// join two hosts.
    pub fn is_known(&self, location: &Location, bad: Badness) -> bool {
        self.known.get(&(location.space, location.range.start, location.visibility)).is_some_and(
            |(end, known)| *end >= location.range.end && known.0 >= bad.0 && known.1 >= bad.1,
        )
    }

    /// Remembers links for the layers and readings to come, up to so many: what is not remembered is found
    /// and edited once more, in the same way.
    pub fn know(&mut self, found: Vec<(Location, Badness)>, most: usize) {
        let room = most.saturating_sub(self.known.len());
        for (Location { space, range, visibility }, (verdict, edit)) in found.into_iter().take(room)
        {
            let first = (range.end, (verdict, edit));
            let (end, known) = self.known.entry((space, range.start, visibility)).or_insert(first);
            *end = range.end.max(*end);
            *known = (verdict.max(known.0), edit.max(known.1));
        }
    }

    /// Programs split the message in different ways, and there is a link in it.
    pub fn note_ambiguous(&mut self, path: &str) {
        self.candidates.push(Candidate::told(Finding {
            part: path.to_owned(),
            place: Place::Text,
            span: 0..0,
            spelling: String::new(),
            ascii: String::new(),
            unicode: String::new(),
            verdict: Verdict::Suspect,
            reasons: Reasons::from_iter([Reason::AmbiguousStructure]),
            edit: Edit::Told,
            target: None,
            done: Done::Reported,
        }));
    }

    /// Remembers a host of a part below multipart/alternative, up to so many domains of one.
    pub fn note_host(&mut self, part: usize, judged: &Judged, most: usize) {
        if let Some(host) = judged.led().filter(|host| !host.ascii.is_empty()) {
            self.domains.entry(part).or_default().note(&self.keys, &host.ascii, most);
        }
    }

    /// Parts of one multipart/alternative that share not one registrable domain: a notice.
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

/// The registrable domains of a part, for which keyed hashes stand.
#[derive(Clone, Debug, Default)]
struct Domains {
    known: Hashes,
    /// The hosts that were looked at, up to as many: most links of a part lead to a few.
    hosts: Hashes,
    /// The first of its hosts in order, which the notice names.
    least: String,
}

impl Domains {
    fn note(&mut self, keys: &RandomState, host: &str, most: usize) {
        let hash = keys.hash_one(host);
        if self.hosts.contains(&hash) {
            return;
        }
        if self.hosts.len() < most {
            self.hosts.insert(hash);
        }
        if self.known.len() < most {
            let domain = registrable(host, Section::Private).unwrap_or(host);
            self.known.insert(keys.hash_one(domain));
        }
        if self.least.is_empty() || host < self.least.as_str() {
            host.clone_into(&mut self.least);
        }
    }
}

/// What is said of a judged link at this place: reported, unless the caller does more.
pub fn told_of(
    judged: &Judged,
    part: &str,
    place: Place,
    span: Range<usize>,
    spelling: &str,
) -> Finding {
    let host = judged.led();
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
        done: Done::Reported,
    }
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
            edit: Edit::Told,
            target: None,
            done: Done::Reported,
        },
        tld_status: TldStatus::Link,
        reading: Some((part, 0)),
        edits: Vec::new(),
    }
}
