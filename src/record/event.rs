//! The record of one filtered message, for log, metrics and journal.
//!
//! It holds hosts and domains only, and never a path, query, local part, subject or body.
//! The JSON form is described in `docs/json.md`.

mod host;
pub(crate) mod verdict_word;

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::SCHEMA_VERSION;
use super::printable;
use super::time::Timestamp;
use crate::engine::hex;
use crate::engine::outcome::{Bypass, Disposition, Done, Outcome, Verdict};
use crate::engine::policy::{Mode, Policy};
use host::hosts;

pub use host::{HostDone, HostEntry, MAX_HOSTS};

/// Recipient domains recorded of one message: `linkmilter find` searches them.
pub const MAX_RECIPIENT_DOMAINS: usize = 64;

/// Hosts of links with the verdict `ok` that are recorded of one message: `linkmilter find` searches them.
pub const MAX_PASSED_HOSTS: usize = 64;

/// The word for an outbound message that was restored to its original.
pub const ORIGINAL: &str = "original";

/// Characters of [`message_id`]: enough for any number of messages of a month.
const MESSAGE_ID_DIGEST_CHARS: usize = 24;

word_enum! {
    /// What was done to a message.
    #[derive(Default, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Action {
        /// No findings.
        #[default]
        Passed = "passed",
        /// Findings are in header and journal; the body is unchanged.
        Reported = "reported",
        /// It would have been edited, but it is exempt.
        Exempted = "exempted",
        /// A tag in the Subject or a banner was added, and no link edited.
        Marked = "marked",
        /// Links in it were edited.
        Edited = "edited",
        /// It was restored to what it was before an earlier run of the filter edited it.
        Restored = "restored",
        Quarantined = "quarantined",
        Tempfailed = "tempfailed",
        Rejected = "rejected",
        Discarded = "discarded",
    }
}

impl Action {
    /// The action that this outcome stands for.
    pub fn of(outcome: &Outcome) -> Action {
        let any = |done| outcome.findings.iter().any(|finding| finding.done == done);
        let is_tagged =
            || outcome.head_edits.iter().any(|edit| edit.name.eq_ignore_ascii_case("Subject"));
        match outcome.disposition {
            Disposition::Quarantine => Action::Quarantined,
            Disposition::Tempfail => Action::Tempfailed,
            Disposition::Reject => Action::Rejected,
            Disposition::Discard => Action::Discarded,
            Disposition::Accept if any(Done::Edited) => Action::Edited,
            Disposition::Accept if any(Done::Exempt) => Action::Exempted,
            Disposition::Accept if !outcome.edits.is_empty() || is_tagged() => Action::Marked,
            Disposition::Accept if outcome.verdict > Verdict::Ok => Action::Reported,
            Disposition::Accept => Action::Passed,
        }
    }
}

/// What the daemon knows about a message besides its outcome.
#[derive(Clone, Debug, Default)]
pub struct Transaction<'a> {
    pub time: Timestamp,
    /// The MTA's queue id (macro `i`); empty if it sent none.
    pub queue_id: &'a str,
    /// The Message-ID as it is in the header; empty without one.
    pub message_id: &'a [u8],
    /// Envelope sender as the MTA sent it; its domain is recorded.
    pub sender: &'a str,
    /// Envelope recipients as the MTA sent them; their domains are recorded.
    pub recipients: &'a [String],
    /// What became of the recipe of an outbound message: [`ORIGINAL`], or why it was not restored.
    pub restore: Option<&'a str>,
    /// What became of the recipe that would undo the edits: `lost` if it could not be stored.
    pub undo: Option<&'a str>,
    /// Bytes of header and body as received.
    pub bytes: u64,
    /// Time in the engine.
    pub engine: Duration,
    /// Time spent waiting for the DNS.
    pub dns: Duration,
    /// Generation of the configuration that the message was filtered with.
    pub generation: u64,
}

/// One filtered message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// [`SCHEMA_VERSION`] of the program that wrote it.
    pub v: u32,
    pub time: Timestamp,
    pub queue_id: String,
    /// Digest of the Message-ID by [`message_id`]; empty without one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message_id: String,
    #[serde(with = "verdict_word")]
    pub verdict: Verdict,
    pub action: Action,
    /// Name of the policy rule that applied.
    pub rule: String,
    pub mode: String,
    /// Why the message was exempt from edits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exempt: Option<String>,
    /// What became of the recipe of an outbound message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restore: Option<String>,
    /// `lost` if the recipe that would undo the edits could not be stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<String>,
    /// Domain of the envelope sender, as A-labels; empty for the null sender.
    pub sender: String,
    /// Domains of the recipients, as A-labels, each once, sorted, at most [`MAX_RECIPIENT_DOMAINS`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recipients: Vec<String>,
    /// Number of domains beyond [`MAX_RECIPIENT_DOMAINS`].
    #[serde(default, skip_serializing_if = "is_zero")]
    pub recipients_omitted: u64,
    pub bytes: u64,
    /// Links and addresses seen.
    pub links: u64,
    /// Findings that were edited.
    pub edited: u64,
    /// Kinds of signatures that stood in the message and that the edits break: `dkim`, `smime`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub broken: Vec<String>,
    /// Findings by reason code.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reasons: BTreeMap<String, u64>,
    /// Hosts of the findings, worst first, at most [`MAX_HOSTS`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostEntry>,
    /// Number of hosts beyond [`MAX_HOSTS`].
    #[serde(default, skip_serializing_if = "is_zero")]
    pub hosts_omitted: u64,
    /// Hosts of links with the verdict `ok`, sorted, at most [`MAX_PASSED_HOSTS`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed: Vec<String>,
    /// Whether there were more than [`MAX_PASSED_HOSTS`].
    #[serde(default, skip_serializing_if = "is_false")]
    pub passed_more: bool,
    /// Parts not read, by cause: `opaque`, `limit:depth`, `panic`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub bypasses: BTreeMap<String, u64>,
    /// Microseconds in the engine.
    pub engine_us: u64,
    /// Microseconds spent waiting for the DNS.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dns_us: u64,
    pub generation: u64,
}

impl Event {
    /// The record of a message that went through the engine under this policy.
    pub fn new(transaction: &Transaction<'_>, policy: &Policy, outcome: &Outcome) -> Event {
        let reported = || outcome.findings.iter().filter(|finding| finding.verdict > Verdict::Ok);
        let mut reasons = BTreeMap::new();
        for reason in reported().flat_map(|finding| finding.reasons.iter()) {
            *reasons.entry(reason.code().to_owned()).or_default() += 1;
        }
        let mut bypasses = BTreeMap::new();
        for (_, bypass) in &outcome.bypasses {
            *bypasses.entry(bypass.to_string()).or_default() += 1;
        }
        // What is not delivered carries no edit.
        let delivered = outcome.disposition.delivers();
        let (hosts, hosts_omitted) = hosts(reported(), delivered);
        let (recipients, recipients_omitted) = recipient_domains(transaction.recipients);
        Event {
            v: SCHEMA_VERSION,
            time: transaction.time,
            queue_id: printable::queue_id(transaction.queue_id),
            message_id: message_id(transaction.message_id),
            verdict: outcome.verdict,
            action: match transaction.restore {
                Some(ORIGINAL) => Action::Restored,
                _ => Action::of(outcome),
            },
            rule: printable::label(&policy.rule),
            mode: mode_word(policy.mode).to_owned(),
            exempt: policy.exempt.as_deref().map(printable::label),
            restore: transaction.restore.map(printable::label),
            undo: transaction.undo.map(printable::label),
            sender: printable::domain(transaction.sender),
            recipients,
            recipients_omitted,
            bytes: transaction.bytes,
            links: outcome.links as u64,
            edited: if delivered { outcome.edited() as u64 } else { 0 },
            broken: outcome
                .broken
                .iter()
                .filter(|_| delivered)
                .map(|kind| kind.as_str().to_owned())
                .collect(),
            reasons,
            hosts,
            hosts_omitted,
            passed: outcome
                .passed
                .iter()
                .take(MAX_PASSED_HOSTS)
                .map(|host| printable::host(host))
                .collect(),
            passed_more: outcome.passed_more,
            bypasses,
            engine_us: micros(transaction.engine),
            dns_us: micros(transaction.dns),
            generation: transaction.generation,
        }
    }

    /// Whether the message is clean: such events share a smaller part of the journal.
    pub fn is_clean(&self) -> bool {
        // A banner is on all mail from outside.
        let is_marked = self.action == Action::Marked && self.verdict == Verdict::Ok;
        (self.action == Action::Passed || is_marked)
            && self.bypasses.is_empty()
            && self.exempt.is_none()
            && self.restore.is_none()
    }

    /// Whether the message was not read completely. Encrypted parts do not count.
    pub fn is_incomplete(&self) -> bool {
        let opaque = Bypass::Opaque.to_string();
        self.bypasses.keys().any(|cause| *cause != opaque)
    }

    /// Recorded hosts of all links.
    pub fn all_hosts(&self) -> impl Iterator<Item = &str> {
        let findings = self.hosts.iter().map(|entry| entry.host.as_str());
        findings.chain(self.passed.iter().map(String::as_str))
    }

    /// Whether some hosts of the message are not recorded.
    pub fn omits_hosts(&self) -> bool {
        self.hosts_omitted > 0 || self.passed_more
    }

    /// One line of JSON, without the line end.
    pub fn to_line(&self) -> String {
        // Every field is a text, a number or a list of those, and every key is text, so serde_json cannot
        // fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The digest by which a message is found under its Message-ID. The text itself is not recorded: the sender
/// chooses it, and it may hold anything. Angle brackets and white space around it are ignored.
pub fn message_id(field: &[u8]) -> String {
    let id = field.trim_ascii();
    let id = id.strip_prefix(b"<").unwrap_or(id);
    let id = id.strip_suffix(b">").unwrap_or(id).trim_ascii();
    if id.is_empty() {
        return String::new();
    }
    let mut digest = hex::encode(&Sha256::digest(id));
    digest.truncate(MESSAGE_ID_DIGEST_CHARS);
    digest
}

/// The word for a mode in the configuration.
pub const fn mode_word(mode: Mode) -> &'static str {
    match mode {
        Mode::ReportOnly => "report-only",
        Mode::Enforce => "enforce",
        Mode::Strict => "strict",
    }
}

/// Domains of the recipients, and the number of domains beyond the limit.
fn recipient_domains(recipients: &[String]) -> (Vec<String>, u64) {
    let mut domains: Vec<String> = recipients
        .iter()
        .map(|address| printable::domain(address))
        .filter(|domain| !domain.is_empty())
        .collect();
    domains.sort_unstable();
    domains.dedup();
    let omitted = domains.len().saturating_sub(MAX_RECIPIENT_DOMAINS);
    domains.truncate(MAX_RECIPIENT_DOMAINS);
    (domains, omitted as u64)
}

fn micros(span: Duration) -> u64 {
    u64::try_from(span.as_micros()).unwrap_or(u64::MAX)
}

fn is_false(flag: &bool) -> bool {
    !*flag
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::outcome::{
        Finding, HeadEdit, Limit, Place, RawEdit, Reason, Reasons, Signature, Signatures,
    };
    use crate::record::journal::MAX_LINE_BYTES;

    fn finding(ascii: &str, verdict: Verdict, reason: Reason, done: Done) -> Finding {
        Finding {
            edit: crate::engine::outcome::Edit::Link,
            part: "1".into(),
            place: Place::Text,
            span: 0..1,
            spelling: "https://раypal.com/secret?user=alice".into(),
            ascii: ascii.into(),
            unicode: String::new(),
            verdict,
            reasons: [reason].into_iter().collect(),
            target: (reason == Reason::TargetLookalike).then(|| "paypal.com".into()),
            lists: Vec::new(),
            done,
        }
    }

    fn transaction(recipients: &[String]) -> Transaction<'_> {
        Transaction {
            time: Timestamp(1_763_715_635_123),
            queue_id: "4XyzAB",
            message_id: b" <1@example.com>\r\n",
            sender: "<alice@bücher.example>",
            recipients,
            restore: None,
            undo: None,
            bytes: 2_048,
            engine: Duration::from_micros(321),
            dns: Duration::ZERO,
            generation: 3,
        }
    }

    fn edited() -> Outcome {
        Outcome {
            verdict: Verdict::Unsafe,
            links: 4,
            findings: vec![
                finding("example.com", Verdict::Notice, Reason::TextHrefMismatch, Done::Reported),
                finding(
                    "xn--ypal-43d9g.com",
                    Verdict::Unsafe,
                    Reason::TargetLookalike,
                    Done::Edited,
                ),
                finding("xn--ypal-43d9g.com", Verdict::Unsafe, Reason::MixedScript, Done::Edited),
            ],
            edits: vec![RawEdit { range: 0..1, replacement: b"x".to_vec().into() }],
            broken: Signatures::from_iter([Signature::Dkim, Signature::PgpMime]),
            bypasses: vec![("2".into(), Bypass::Opaque), ("3".into(), Bypass::Limit(Limit::Depth))],
            passed: vec!["example.org".into()],
            ..Outcome::default()
        }
    }

    #[test]
    fn a_tag_and_a_banner_are_no_edits_of_links() {
        let head_edit =
            |name: &str| HeadEdit { name: name.into(), index: 1, range: 0..0, value: Vec::new() };
        let banner = Outcome {
            edits: vec![RawEdit { range: 0..0, replacement: b"[mark]".to_vec().into() }],
            ..Outcome::default()
        };
        let tag = Outcome {
            verdict: Verdict::Suspect,
            head_edits: vec![head_edit("subject")],
            ..Outcome::default()
        };
        // What a sender forged is taken off.
        let forged = Outcome { head_edits: vec![head_edit("X-Linkmilter")], ..Outcome::default() };
        for (outcome, action, is_clean) in [
            (&banner, Action::Marked, true),
            (&tag, Action::Marked, false),
            (&forged, Action::Passed, true),
            (&edited(), Action::Edited, false),
        ] {
            let event = Event::new(&transaction(&[]), &Policy::default(), outcome);
            assert_eq!((event.action, event.is_clean()), (action, is_clean));
        }
    }

    #[test]
    fn what_is_not_delivered_was_not_edited() {
        for disposition in [Disposition::Reject, Disposition::Discard, Disposition::Tempfail] {
            let outcome = Outcome { disposition, ..edited() };
            let event = Event::new(&transaction(&[]), &Policy::default(), &outcome);
            assert_eq!((event.edited, event.broken.len()), (0, 0), "{disposition:?}");
            assert!(event.hosts.iter().all(|host| host.done == HostDone::Reported));
        }
        let outcome = Outcome { disposition: Disposition::Quarantine, ..edited() };
        let event = Event::new(&transaction(&[]), &Policy::default(), &outcome);
        assert_eq!((event.edited, event.hosts[0].done), (2, HostDone::Edited));
    }

    #[test]
    fn a_message_id_is_known_again_and_not_recorded() {
        let kept = message_id(b" <4711.alice@example.com>\r\n");
        assert_eq!(kept.len(), MESSAGE_ID_DIGEST_CHARS);
        assert_eq!(kept, message_id(b"4711.alice@example.com"));
        assert_ne!(kept, message_id(b"4711.alice@example.org"));
        assert_eq!(message_id(b" <> "), "");
        assert_eq!(message_id(b""), "");
    }

    #[test]
    fn a_line_is_what_the_schema_says() {
        let recipients = ["<bob@example.net>".to_owned(), "carol@EXAMPLE.net".to_owned()];
        let event = Event::new(&transaction(&recipients), &Policy::default(), &edited());
        insta::assert_snapshot!(event.to_line(), @r#"{"v":1,"time":"2025-11-21T09:00:35.123Z","queue_id":"4XyzAB","message_id":"4a30277a7ca42298f0e1467c","verdict":"unsafe","action":"edited","rule":"default","mode":"enforce","sender":"xn--bcher-kva.example","recipients":["example.net"],"bytes":2048,"links":4,"edited":2,"broken":["dkim","pgp-mime"],"reasons":{"mixed-script":1,"target-lookalike":1,"text-href-mismatch":1},"hosts":[{"host":"xn--ypal-43d9g.com","verdict":"unsafe","reasons":["mixed-script","target-lookalike"],"target":"paypal.com","done":"edited","count":2},{"host":"example.com","verdict":"notice","reasons":["text-href-mismatch"],"done":"reported","count":1}],"passed":["example.org"],"bypasses":{"limit:depth":1,"opaque":1},"engine_us":321,"generation":3}"#);
        assert_eq!(serde_json::from_str::<Event>(&event.to_line()).unwrap(), event);
    }

    #[test]
    fn no_local_part_path_or_query_gets_in() {
        let recipients = ["bob@example.net".to_owned()];
        let line = Event::new(&transaction(&recipients), &Policy::default(), &edited()).to_line();
        for private in ["alice", "bob", "secret", "user", "http"] {
            assert!(!line.contains(private), "{private} in {line}");
        }
        assert!(line.is_ascii());
    }

    #[test]
    fn actions_follow_from_the_outcome() {
        let mut outcome = edited();
        assert_eq!(Action::of(&outcome), Action::Edited);
        outcome.edits.clear();
        outcome.findings.iter_mut().for_each(|finding| finding.done = Done::Exempt);
        assert_eq!(Action::of(&outcome), Action::Exempted);
        outcome.findings.iter_mut().for_each(|finding| finding.done = Done::Reported);
        assert_eq!(Action::of(&outcome), Action::Reported);
        outcome.disposition = Disposition::Reject;
        assert_eq!(Action::of(&outcome), Action::Rejected);
        assert_eq!(Action::of(&Outcome::default()), Action::Passed);
    }

    #[test]
    fn many_hosts_are_bounded_and_the_worst_stay() {
        let mut outcome = Outcome { verdict: Verdict::Unsafe, ..Outcome::default() };
        for number in 0..500 {
            let host = format!("{}.host-{number}.example", "x".repeat(300));
            outcome.findings.push(finding(
                &host,
                Verdict::Notice,
                Reason::EmbeddedUrl,
                Done::Reported,
            ));
        }
        outcome.findings.push(finding(
            "xn--e1afmkfd.example",
            Verdict::Unsafe,
            Reason::WholeScript,
            Done::Edited,
        ));
        let event = Event::new(&transaction(&[]), &Policy::default(), &outcome);
        assert_eq!(
            event.hosts.first().map(|entry| entry.host.as_str()),
            Some("xn--e1afmkfd.example")
        );
        assert_eq!((event.hosts.len(), event.hosts_omitted), (MAX_HOSTS, 501 - MAX_HOSTS as u64));
        assert!(event.to_line().len() < 32 << 10);
    }

    #[test]
    fn the_longest_line_is_one_that_readers_take() {
        let odd = |number: u32| format!("{number}{}", "\u{1}\u{F00}".repeat(300));
        let every: Reasons = Reason::ALL.iter().copied().collect();
        let findings = (0..500).map(|number| Finding {
            reasons: every,
            target: Some(odd(number)),
            lists: (0..20).map(odd).collect(),
            ..finding(&odd(number), Verdict::Unsafe, Reason::TargetLookalike, Done::Edited)
        });
        let passed = (0..500).map(odd).collect();
        let recipients: Vec<String> = (0..500).map(|number| format!("a@{}", odd(number))).collect();
        let outcome = Outcome {
            findings: findings.collect(),
            passed,
            passed_more: true,
            verdict: Verdict::Unsafe,
            ..Outcome::default()
        };
        let event = Event::new(&transaction(&recipients), &Policy::default(), &outcome);
        assert_eq!(
            (event.recipients.len(), event.recipients_omitted),
            (MAX_RECIPIENT_DOMAINS, 500 - MAX_RECIPIENT_DOMAINS as u64)
        );
        let length = event.to_line().len() as u64;
        assert!(length < MAX_LINE_BYTES, "{length} bytes");
    }

    #[test]
    fn unknown_reasons_of_a_newer_version_are_kept() {
        let line = r#"{"v":1,"time":"2025-11-21T09:00:35.123Z","queue_id":"4X","verdict":"unsafe","action":"edited","rule":"default","mode":"enforce","sender":"","bytes":1,"links":1,"edited":1,"reasons":{"not-yet-known":1},"engine_us":1,"generation":1,"a_new_field":true}"#;
        let event: Event = serde_json::from_str(line).unwrap();
        assert_eq!(event.reasons.get("not-yet-known"), Some(&1));
    }
}
