//! Counts over an archive. `summary`, `html` and `stix` are made from them.
//!
//! Tallies of batches are merged in the order of the archive, so the result does not depend on the number of cores.

mod host;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::engine::outcome::{Done, Reason, Reasons, Verdict};
use crate::engine::{Finding, Outcome};

use super::defang::defang;
use super::finding::FindingOrigin;
use super::names::bounded;

pub use host::TalliedHost;

/// Distinct hosts, and distinct sender domains, with an entry of their own (about 200 bytes each). Later ones are only
/// counted.
pub const MAX_NAMES: usize = 100_000;
/// Samples for each reason.
pub const MAX_SAMPLES: usize = 3;
/// Unread sources that are listed by name.
pub const MAX_UNREAD_SOURCES: usize = 1_000;
/// Characters of the spelling in a sample; the rest is cut off.
const MAX_SPELLING_CHARS: usize = 200;

/// Counts by verdict, in the order of [`Verdict::ALL`].
pub type ByVerdict = [u64; 5];

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    pub messages: u64,
    /// Bytes of the messages.
    pub bytes: u64,
    /// Links and addresses seen.
    pub links: u64,
    /// Messages that the filter would edit.
    pub edited: u64,
    /// Messages without a header.
    pub headless: u64,
    /// Messages by their worst verdict.
    pub by_verdict: ByVerdict,
    pub findings: ByVerdict,
    /// Findings by reason code.
    pub reasons: BTreeMap<String, u64>,
    /// Parts that were not read, by reason.
    pub bypasses: BTreeMap<String, u64>,
    /// Messages that were not read to the end because a budget was used up: the rest may hold anything.
    #[serde(default)]
    pub exhausted: u64,
    /// Messages by month (`2024-05`, or `undated`) and worst verdict.
    pub months: BTreeMap<String, ByVerdict>,
    /// Hosts of findings by ASCII form.
    pub hosts: BTreeMap<String, TalliedHost>,
    /// Messages with findings by From domain and worst verdict.
    pub senders: BTreeMap<String, ByVerdict>,
    /// Findings whose host or sender has no entry because there are [`MAX_NAMES`] others.
    #[serde(rename = "crowded")]
    pub unnamed: u64,
    /// The worst findings by reason code; of equally bad ones the first.
    pub samples: BTreeMap<String, Vec<Sample>>,
    /// Files that are no messages by the rules of their folder.
    #[serde(rename = "passed_over")]
    pub skipped_files: u64,
    /// Sources that could not be read, wholly or from some byte on.
    pub unread: u64,
    /// The first [`MAX_UNREAD_SOURCES`] of them.
    pub unread_sources: Vec<UnreadSource>,
    /// Messages in which the second parser saw a host that ours did not.
    #[serde(rename = "disputed")]
    pub crosscheck_differs: u64,
    /// Messages that the second parser read.
    #[serde(rename = "witnessed")]
    pub crosschecked: u64,
}

/// A source that could not be read, from an offset in bytes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnreadSource {
    pub source: String,
    pub offset: u64,
    pub why: String,
}

/// A finding to show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Defanged, at most 200 characters.
    pub spelling: String,
    pub ascii: String,
    pub unicode: String,
    pub verdict: String,
    pub reasons: Vec<String>,
    pub target: Option<String>,
    pub place: String,
    pub source: String,
    pub date: Option<String>,
    pub from_domain: Option<String>,
}

impl Tally {
    /// Counts a message of `bytes` bytes.
    pub fn count(&mut self, origin: &FindingOrigin, outcome: &Outcome, bytes: usize) {
        self.messages += 1;
        self.bytes += bytes as u64;
        self.links += outcome.links as u64;
        let worst =
            outcome.findings.iter().map(|finding| finding.verdict).max().unwrap_or_default();
        increment(&mut self.by_verdict, worst);
        increment(self.months.entry(month(origin)).or_default(), worst);
        for (_, bypass) in &outcome.bypasses {
            *self.bypasses.entry(bypass.to_string()).or_default() += 1;
        }
        if outcome.bypasses.iter().any(|(_, bypass)| bypass.is_exhaustion()) {
            self.exhausted += 1;
        }
        if outcome.findings.iter().any(|finding| finding.done == Done::Edited) {
            self.edited += 1;
        }
        if worst == Verdict::Ok {
            return;
        }
        let sender = origin.from_domain.clone().unwrap_or_else(|| "(none)".to_owned());
        match entry_within(&mut self.senders, &sender, MAX_NAMES, || [0; 5]) {
            Some(counts) => increment(counts, worst),
            None => self.unnamed += 1,
        }
        let mut counted: Vec<&str> = Vec::new();
        for finding in outcome.findings.iter().filter(|finding| finding.verdict > Verdict::Ok) {
            self.count_finding(origin, finding, &mut counted);
        }
    }

    fn count_finding<'f>(
        &mut self,
        origin: &FindingOrigin,
        finding: &'f Finding,
        counted: &mut Vec<&'f str>,
    ) {
        increment(&mut self.findings, finding.verdict);
        for reason in finding.reasons.iter() {
            *self.reasons.entry(reason.code().to_owned()).or_default() += 1;
            self.add_sample(reason, origin, finding);
        }
        let name = name_of(finding);
        if name.is_empty() {
            return;
        }
        let found = TalliedHost::of(finding);
        let Some(host) = entry_within(&mut self.hosts, &bounded(name), MAX_NAMES, || found.clone())
        else {
            self.unnamed += 1;
            return;
        };
        host.findings += 1;
        // A short list is searched fast, and messages with more hosts are rare.
        if counted.len() < 64 && !counted.contains(&name) {
            counted.push(name);
            host.messages += 1;
        }
        host.merge(found);
        host.add_date(origin.date.as_deref());
    }

    fn add_sample(&mut self, reason: Reason, origin: &FindingOrigin, finding: &Finding) {
        let samples = self.samples.entry(reason.code().to_owned()).or_default();
        // Checked first: making a sample costs more.
        let is_full = samples.len() >= MAX_SAMPLES;
        let is_worse = samples.last().is_none_or(|last| finding.verdict > verdict(&last.verdict));
        if !is_full || is_worse {
            insert_sample(samples, Sample::new(origin, finding));
        }
    }

    /// Counts a source that could not be read.
    pub fn unread(&mut self, source: &str, offset: u64, why: &str) {
        self.unread += 1;
        if self.unread_sources.len() < MAX_UNREAD_SOURCES {
            let (source, why) = (source.to_owned(), why.to_owned());
            self.unread_sources.push(UnreadSource { source, offset, why });
        }
    }

    /// Adds the tally of a later part of the archive.
    pub fn merge(&mut self, later: Tally) {
        self.messages += later.messages;
        self.bytes += later.bytes;
        self.links += later.links;
        self.edited += later.edited;
        self.headless += later.headless;
        self.unnamed += later.unnamed;
        self.skipped_files += later.skipped_files;
        self.unread += later.unread;
        self.exhausted += later.exhausted;
        self.unread_sources.extend(later.unread_sources);
        self.unread_sources.truncate(MAX_UNREAD_SOURCES);
        self.crosscheck_differs += later.crosscheck_differs;
        self.crosschecked += later.crosschecked;
        add(&mut self.by_verdict, &later.by_verdict);
        add(&mut self.findings, &later.findings);
        for (reason, count) in later.reasons {
            *self.reasons.entry(reason).or_default() += count;
        }
        for (bypass, count) in later.bypasses {
            *self.bypasses.entry(bypass).or_default() += count;
        }
        for (month, counts) in later.months {
            add(self.months.entry(month).or_default(), &counts);
        }
        for (sender, counts) in later.senders {
            match entry_within(&mut self.senders, &sender, MAX_NAMES, || [0; 5]) {
                Some(sum) => add(sum, &counts),
                None => self.unnamed += counts.iter().sum::<u64>(),
            }
        }
        for (name, host) in later.hosts {
            let has_room = self.hosts.len() < MAX_NAMES;
            match self.hosts.get_mut(&name) {
                Some(known) => known.merge(host),
                None if has_room => {
                    self.hosts.insert(name, host);
                }
                None => self.unnamed += host.findings,
            }
        }
        for (reason, samples) in later.samples {
            let merged = self.samples.entry(reason).or_default();
            for sample in samples {
                insert_sample(merged, sample);
            }
        }
    }

    /// Findings of every verdict except `ok`.
    pub fn total_findings(&self) -> u64 {
        self.findings.iter().skip(1).sum()
    }

    /// Hosts, worst first, then by messages, then by name.
    pub fn ranked_hosts(&self) -> Vec<(&str, &TalliedHost)> {
        let mut hosts: Vec<(&str, &TalliedHost)> =
            self.hosts.iter().map(|(name, host)| (name.as_str(), host)).collect();
        hosts.sort_by(|(name, host), (other_name, other)| {
            (verdict(&other.verdict), other.messages, *name).cmp(&(
                verdict(&host.verdict),
                host.messages,
                *other_name,
            ))
        });
        hosts
    }

    /// From domains by messages with findings of `suspect` and worse, then of any.
    pub fn ranked_senders(&self) -> Vec<(&str, &ByVerdict)> {
        let mut senders: Vec<(&str, &ByVerdict)> =
            self.senders.iter().map(|(name, counts)| (name.as_str(), counts)).collect();
        let weight =
            |counts: &ByVerdict| (counts.iter().skip(2).sum::<u64>(), counts.iter().sum::<u64>());
        senders.sort_by(|(name, counts), (other_name, other)| {
            (weight(other), *name).cmp(&(weight(counts), *other_name))
        });
        senders
    }

    /// Messages by year and worst verdict.
    pub fn years(&self) -> BTreeMap<&str, ByVerdict> {
        let mut years: BTreeMap<&str, ByVerdict> = BTreeMap::new();
        for (month, counts) in &self.months {
            let year = month.split('-').next().unwrap_or(month);
            add(years.entry(year).or_default(), counts);
        }
        years
    }
}

impl Sample {
    fn new(origin: &FindingOrigin, finding: &Finding) -> Sample {
        let spelling: String = finding.spelling.chars().take(MAX_SPELLING_CHARS).collect();
        Sample {
            spelling: defang(&spelling),
            ascii: bounded(&finding.ascii).into_owned(),
            unicode: bounded(&finding.unicode).into_owned(),
            verdict: finding.verdict.as_str().to_owned(),
            reasons: codes(finding.reasons),
            target: finding.target.clone(),
            place: finding.place.to_string(),
            source: origin.source.clone(),
            date: origin.date.clone(),
            from_domain: origin.from_domain.clone(),
        }
    }
}

/// Adds a sample, and keeps the worst ones, with each host once.
fn insert_sample(samples: &mut Vec<Sample>, sample: Sample) {
    if !samples.iter().any(|other| other.unicode == sample.unicode) {
        samples.push(sample);
        samples.sort_by_key(|sample| std::cmp::Reverse(verdict(&sample.verdict)));
        samples.truncate(MAX_SAMPLES);
    }
}

/// The name of a host in the tally.
fn name_of(finding: &Finding) -> &str {
    if finding.ascii.is_empty() { &finding.unicode } else { &finding.ascii }
}

fn month(origin: &FindingOrigin) -> String {
    origin.date.as_deref().and_then(|date| date.get(..7)).unwrap_or("undated").to_owned()
}

fn increment(counts: &mut ByVerdict, verdict: Verdict) {
    if let Some(count) = counts.get_mut(verdict as usize) {
        *count += 1;
    }
}

fn add(sum: &mut ByVerdict, more: &ByVerdict) {
    for (sum, more) in sum.iter_mut().zip(more) {
        *sum += more;
    }
}

/// The entry of a map that may hold `limit` names; `None` if a new one does not fit.
fn entry_within<'m, V>(
    map: &'m mut BTreeMap<String, V>,
    name: &str,
    limit: usize,
    new: impl FnOnce() -> V,
) -> Option<&'m mut V> {
    if !map.contains_key(name) {
        if map.len() >= limit {
            return None;
        }
        map.insert(name.to_owned(), new());
    }
    map.get_mut(name)
}

pub(super) fn verdict(name: &str) -> Verdict {
    Verdict::from_name(name).unwrap_or_default()
}

fn reasons(codes: &[String]) -> Reasons {
    codes.iter().filter_map(|code| Reason::from_code(code)).collect()
}

fn codes(reasons: Reasons) -> Vec<String> {
    reasons.iter().map(|reason| reason.code().to_owned()).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::finding::tests::{finding, origin};
    use super::*;
    use crate::engine::outcome::Bypass;

    pub(crate) fn outcome(findings: Vec<Finding>) -> Outcome {
        Outcome {
            links: findings.len() + 2,
            findings,
            bypasses: vec![("1.3".to_owned(), Bypass::Opaque)],
            ..Outcome::default()
        }
    }

    /// A tally of a few messages of two months, two hosts and two senders.
    pub(crate) fn tally() -> Tally {
        let mut tally = Tally::default();
        tally.count(&origin(), &outcome(vec![finding(), finding()]), 1_000);
        let other = FindingOrigin {
            date: Some("2023-12-31T23:59:59Z".to_owned()),
            from_domain: Some("other.example".to_owned()),
            ..origin()
        };
        let mut notice = finding();
        notice.ascii = "example.org".to_owned();
        notice.unicode = "example.org".to_owned();
        notice.verdict = Verdict::Notice;
        notice.reasons = Reasons::from_iter([Reason::EmbeddedUrl]);
        notice.done = Done::Reported;
        notice.target = None;
        tally.count(&other, &outcome(vec![finding(), notice]), 500);
        tally.count(&FindingOrigin { date: None, ..origin() }, &outcome(vec![]), 200);
        tally
    }

    #[test]
    fn counts() {
        let tally = tally();
        assert_eq!((tally.messages, tally.bytes, tally.links, tally.edited), (3, 1_700, 10, 2));
        assert_eq!(tally.by_verdict, [1, 0, 0, 2, 0]);
        assert_eq!(tally.findings, [0, 1, 0, 3, 0]);
        assert_eq!(tally.reasons["mixed-script"], 3);
        assert_eq!(tally.bypasses["opaque"], 3);
        assert_eq!(tally.months["undated"], [1, 0, 0, 0, 0]);
        let host = &tally.hosts["xn--ypal-43d9g.com"];
        assert_eq!((host.findings, host.messages), (3, 2));
        assert_eq!(host.first.as_deref(), Some("2023-12-31T23:59:59Z"));
        assert_eq!(host.last.as_deref(), Some("2024-05-06T07:08:09Z"));
        assert_eq!(tally.ranked_hosts()[0].0, "xn--ypal-43d9g.com");
        assert_eq!(tally.samples["mixed-script"].len(), 1);
    }

    #[test]
    fn a_merge_equals_one_count() {
        let whole = {
            let mut whole = tally();
            whole.count(&origin(), &outcome(vec![finding()]), 10);
            whole
        };
        let mut merged = tally();
        let mut later = Tally::default();
        later.count(&origin(), &outcome(vec![finding()]), 10);
        merged.merge(later);
        assert_eq!(merged, whole);
    }

    #[test]
    fn names_are_bounded() {
        let mut map = BTreeMap::from([("a".to_owned(), 1)]);
        assert!(entry_within(&mut map, "b", 1, || 2).is_none());
        assert_eq!(entry_within(&mut map, "a", 1, || 2), Some(&mut 1));
    }
}
