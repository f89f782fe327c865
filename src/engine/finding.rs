//! What was found so far, with the edits that wait for the DNS.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use super::content::Visibility;
use super::judging::{Judged, Standing, same_domain};
use super::mime::Tree;
use super::outcome::{Bypass, Done, Finding, Place, Reason, Reasons, Verdict};
use super::policy::{Policy, Report};
use super::span::TextEdit;

/// A link with its edits, in case that it is one.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub finding: Finding,
    pub standing: Standing,
    /// Part and reading that the edits are of.
    pub reading: (usize, usize),
    /// In the coordinates of that reading.
    pub edits: Vec<TextEdit>,
}

/// Everything that was found in a message.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Links that need nothing, counted only.
    pub plain: usize,
    pub candidates: Vec<Candidate>,
    pub bypasses: Vec<(String, Bypass)>,
    /// Hosts by part, for the parts below multipart/alternative.
    hosts: BTreeMap<usize, BTreeSet<Box<str>>>,
    /// Raw bytes at which a link was found, with its verdict: readings and layers see the same ones.
    known: HashMap<(usize, Visibility), (usize, Verdict)>,
}

impl Found {
    pub fn new(bypasses: Vec<(String, Bypass)>) -> Found {
        Found { bypasses, ..Found::default() }
    }

    /// Names what was not read, once for all layers of a part.
    pub fn bypass(&mut self, path: &str, why: Bypass) {
        if self.bypasses.last().is_none_or(|(last, known)| last != path || *known != why) {
            self.bypasses.push((path.to_owned(), why));
        }
    }

    /// Links so far.
    pub fn links(&self) -> usize {
        self.plain + self.candidates.len()
    }

    /// Keeps a candidate that has something to say or to change; counts the others.
    pub fn push(&mut self, policy: &Policy, candidate: Candidate) {
        let silent = candidate.finding.verdict == Verdict::Ok
            && candidate.edits.is_empty()
            && candidate.standing == Standing::Link
            && policy.report == Report::Findings;
        if silent {
            self.plain += 1;
        } else {
            self.candidates.push(candidate);
        }
    }

    /// Whether an earlier layer or reading found this link or a longer one, and it is as bad. A longer
    /// or a worse one counts: what is harmless in one charset can lie in another, and an entity can
    /// join two hosts.
    pub fn is_known(&self, span: &Range<usize>, visibility: Visibility, verdict: Verdict) -> bool {
        self.known
            .get(&(span.start, visibility))
            .is_some_and(|(end, known)| *end >= span.end && *known >= verdict)
    }

    pub fn know(&mut self, found: Vec<(Range<usize>, Visibility, Verdict)>) {
        for (span, visibility, verdict) in found {
            let first = (span.end, verdict);
            let known = self.known.entry((span.start, visibility)).or_insert(first);
            *known = (span.end.max(known.0), verdict.max(known.1));
        }
    }

    /// Remembers a host of a part below multipart/alternative.
    pub fn note_host(&mut self, part: usize, judged: &Judged) {
        if let Some(host) = judged.host.as_ref().filter(|host| !host.ascii.is_empty()) {
            let hosts = self.hosts.entry(part).or_default();
            if !hosts.contains(host.ascii.as_str()) {
                hosts.insert(host.ascii.as_str().into());
            }
        }
    }

    /// Parts of one multipart/alternative that share not one registrable domain: a notice.
    pub fn compare_alternatives(&mut self, tree: &Tree) {
        let hosts = std::mem::take(&mut self.hosts);
        let mut first: BTreeMap<usize, usize> = BTreeMap::new();
        for (part, theirs) in &hosts {
            let Some(group) = tree.parts.get(*part).and_then(|part| part.alternative) else {
                continue;
            };
            let Some(ours) = first.get(&group).and_then(|first| hosts.get(first)) else {
                first.insert(group, *part);
                continue;
            };
            let shared = ours.iter().any(|one| theirs.iter().any(|other| same_domain(one, other)));
            if !shared && let Some(host) = theirs.first() {
                let path = tree.parts.get(*part).map_or_else(String::new, |part| part.path.clone());
                self.candidates.push(alternative(path, host, *part));
            }
        }
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
            target: None,
            done: Done::Reported,
        },
        standing: Standing::Link,
        reading: (part, 0),
        edits: Vec::new(),
    }
}
