//! Sums over events, for the digest.

use std::collections::{BTreeMap, BTreeSet};

use super::event::{Action, Event, HostDone};
use crate::engine::host::{Section, registrable};
use crate::engine::outcome::Verdict;

/// Distinct hosts, and distinct senders, that are counted one by one; the rest go into one sum. Else a day of hostile
/// mail could fill the memory with names.
pub const MAX_NAMES: usize = 50_000;

/// Queue ids that are listed for one domain: enough to start with, `linkmilter find` has the rest.
pub const MAX_QUEUE_IDS: usize = 5;

/// Hosts that are listed for one domain.
pub const MAX_HOSTS: usize = 16;

/// Sums over the events of a span of time.
#[derive(Clone, Debug, Default)]
pub struct Aggregate {
    pub messages: u64,
    pub links: u64,
    pub edited_links: u64,
    pub by_verdict: BTreeMap<Verdict, u64>,
    pub by_action: BTreeMap<Action, u64>,
    /// Findings by reason code.
    pub by_reason: BTreeMap<String, u64>,
    /// Messages with parts not read, by cause.
    pub by_bypass: BTreeMap<String, u64>,
    /// Exempt messages by the reason of the exemption.
    pub exempted: BTreeMap<String, u64>,
    /// Messages that were not read completely: `incomplete` in the header. Encrypted parts do not count.
    pub incomplete: u64,
    /// Queue ids of the first of them, at most [`MAX_QUEUE_IDS`].
    pub incomplete_ids: Vec<String>,
    /// Hosts of `suspect` and worse by their registrable domain in A-labels, or by themselves if they have none
    /// (addresses). Attackers use a new subdomain for every message.
    pub domains: BTreeMap<String, DomainSum>,
    /// Sender domains of messages with such hosts.
    pub senders: BTreeMap<String, u64>,
    /// Names beyond [`MAX_NAMES`].
    pub names_dropped: u64,
}

/// Sums over the hosts of one registrable domain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DomainSum {
    pub messages: u64,
    /// Distinct hosts, at most [`MAX_HOSTS`] of them.
    pub hosts: BTreeSet<String>,
    /// Queue ids of the first messages, at most [`MAX_QUEUE_IDS`].
    pub queue_ids: Vec<String>,
    pub verdict: Verdict,
    pub reasons: BTreeMap<String, u64>,
    pub target: Option<String>,
    pub done: HostDone,
}

impl Aggregate {
    /// Counts one event.
    pub fn add(&mut self, event: &Event) {
        self.messages += 1;
        self.links += event.links;
        self.edited_links += event.edited;
        *self.by_verdict.entry(event.verdict).or_default() += 1;
        *self.by_action.entry(event.action).or_default() += 1;
        for (reason, count) in &event.reasons {
            self.count(|sums| &mut sums.by_reason, reason, *count);
        }
        if event.is_incomplete() {
            self.incomplete += 1;
            push_queue_id(&mut self.incomplete_ids, &event.queue_id);
        }
        for cause in event.bypasses.keys() {
            self.count(|sums| &mut sums.by_bypass, cause, 1);
        }
        if event.action == Action::Exempted {
            let reason = event.exempt.as_deref().unwrap_or("allow list");
            self.count(|sums| &mut sums.exempted, reason, 1);
        }
        if event.verdict >= Verdict::Suspect {
            let sender = if event.sender.is_empty() { "<>" } else { &event.sender };
            self.count(|sums| &mut sums.senders, sender, 1);
        }
        self.add_hosts(event);
    }

    fn add_hosts(&mut self, event: &Event) {
        let mut counted: Vec<&str> = Vec::new();
        let mut counted_reasons: BTreeSet<(&str, &str)> = BTreeSet::new();
        for entry in event.hosts.iter().filter(|entry| entry.verdict >= Verdict::Suspect) {
            let domain = registrable(&entry.host, Section::Private).unwrap_or(&entry.host);
            if self.domains.len() >= MAX_NAMES && !self.domains.contains_key(domain) {
                self.names_dropped += 1;
                continue;
            }
            let sum = self.domains.entry(domain.to_owned()).or_default();
            // Two hosts of one domain count as one message.
            if !counted.contains(&domain) {
                counted.push(domain);
                sum.messages += 1;
                push_queue_id(&mut sum.queue_ids, &event.queue_id);
            }
            if sum.hosts.len() < MAX_HOSTS {
                sum.hosts.insert(entry.host.clone());
            }
            sum.verdict = sum.verdict.max(entry.verdict);
            sum.done = sum.done.max(entry.done);
            if sum.target.is_none() {
                sum.target.clone_from(&entry.target);
            }
            for reason in
                entry.reasons.iter().filter(|reason| counted_reasons.insert((domain, *reason)))
            {
                *sum.reasons.entry(reason.clone()).or_default() += 1;
            }
        }
    }

    fn count(
        &mut self,
        table: impl Fn(&mut Aggregate) -> &mut BTreeMap<String, u64>,
        name: &str,
        count: u64,
    ) {
        let known = table(self);
        if let Some(sum) = known.get_mut(name) {
            *sum += count;
        } else if known.len() < MAX_NAMES {
            known.insert(name.to_owned(), count);
        } else {
            self.names_dropped += 1;
        }
    }
}

fn push_queue_id(ids: &mut Vec<String>, id: &str) {
    if ids.len() < MAX_QUEUE_IDS && !id.is_empty() {
        ids.push(id.to_owned());
    }
}

/// The largest counts first, ties by name; at most `limit`.
pub fn top(counts: &BTreeMap<String, u64>, limit: usize) -> Vec<(&str, u64)> {
    let mut sorted: Vec<(&str, u64)> =
        counts.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    sorted.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    sorted.truncate(limit);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::event::HostEntry;

    #[test]
    fn sums_and_their_bound() {
        let mut sums = Aggregate::default();
        for number in 0..MAX_NAMES + 5 {
            sums.add(&Event {
                verdict: Verdict::Unsafe,
                action: Action::Edited,
                sender: format!("s{number}.example"),
                links: 2,
                edited: 1,
                reasons: [("mixed-script".to_owned(), 1)].into(),
                hosts: vec![HostEntry {
                    host: format!("h{number}.example"),
                    verdict: Verdict::Unsafe,
                    ..HostEntry::default()
                }],
                ..Event::default()
            });
        }
        assert_eq!(sums.messages, MAX_NAMES as u64 + 5);
        assert_eq!(sums.links, 2 * sums.messages);
        assert_eq!(sums.by_reason.get("mixed-script"), Some(&sums.messages));
        assert_eq!((sums.domains.len(), sums.senders.len()), (MAX_NAMES, MAX_NAMES));
        assert_eq!(sums.names_dropped, 10);
    }

    #[test]
    fn hosts_of_one_domain_are_one_and_a_message_counts_once() {
        let mut sums = Aggregate::default();
        let entry = |host: String| HostEntry {
            host,
            verdict: Verdict::Unsafe,
            reasons: vec!["mixed-script".to_owned()],
            ..HostEntry::default()
        };
        for number in 0..40 {
            sums.add(&Event {
                queue_id: format!("Q{number}"),
                hosts: vec![
                    entry(format!("a{number}.evil.co.uk")),
                    entry(format!("b{number}.evil.co.uk")),
                    entry("192.0.2.1".to_owned()),
                    entry("ann.github.io".to_owned()),
                ],
                bypasses: [("limit:parts".to_owned(), 1), ("opaque".to_owned(), 1)].into(),
                ..Event::default()
            });
        }
        sums.add(&Event { bypasses: [("opaque".to_owned(), 1)].into(), ..Event::default() });
        let names: Vec<&str> = sums.domains.keys().map(String::as_str).collect();
        assert_eq!(names, ["192.0.2.1", "ann.github.io", "evil.co.uk"]);
        let evil = &sums.domains["evil.co.uk"];
        assert_eq!((evil.messages, evil.reasons["mixed-script"]), (40, 40));
        assert_eq!((evil.hosts.len(), evil.queue_ids.len()), (MAX_HOSTS, MAX_QUEUE_IDS));
        assert_eq!((sums.incomplete, sums.incomplete_ids.len()), (40, MAX_QUEUE_IDS));
    }

    #[test]
    fn the_top_is_sorted_by_count_then_name() {
        let counts: BTreeMap<String, u64> =
            [("b", 1), ("a", 1), ("c", 9)].map(|(name, count)| (name.to_owned(), count)).into();
        assert_eq!(top(&counts, 2), [("c", 9), ("a", 1)]);
    }
}
