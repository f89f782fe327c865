//! Decides about the candidates: which of them are links by the answers of the DNS, and what the outcome says.

use super::actions::{self, Subject};
use super::finding::{Candidate, Findings};
use super::judging::TldStatus;
use super::outcome::{Done, Finding, HeadEdit, Outcome, Reason, Verdict, unread_verdict};
use super::policy::{HeaderFields, Report};
use super::{Answer, Answers, Case, broken, fields};
use mailsplice::mime::{Lowered, Tree};
use mailsplice::splice::{self, fields::HeaderField};

/// Keeps the candidates whose TLD exists. A missing TLD makes it no link; one that could not be verified is reported
/// and not edited.
pub(super) fn decide(mut found: Findings, answers: &Answers) -> Findings {
    found.candidates.retain_mut(|candidate| {
        let answer = |tld| answers.get(tld).copied().unwrap_or(Answer::Unverified);
        match &candidate.tld_status {
            TldStatus::Link => true,
            // If unverified, the table decides.
            TldStatus::Confirmed(tld) => answer(tld) != Answer::Missing,
            TldStatus::Asked(tld) => match answer(tld) {
                Answer::Exists => true,
                Answer::Missing => false,
                Answer::Unverified => {
                    unverified(candidate);
                    true
                }
            },
        }
    });
    found
}

fn unverified(candidate: &mut Candidate) {
    candidate.edits.clear();
    let finding = &mut candidate.finding;
    finding.reasons.insert(Reason::TldUnverified);
    finding.verdict = Verdict::Notice;
    finding.done = Done::Reported;
}

/// Builds the outcome, with our header fields.
pub(super) fn build_outcome(
    case: Case<'_>,
    tree: &Tree,
    found: Findings,
    lowered: Lowered,
) -> Outcome {
    let Case { message, facts, policy, .. } = case;
    let links = found.links();
    let findings: Vec<_> = found
        .candidates
        .into_iter()
        .map(|candidate| candidate.finding)
        .filter(|finding| is_reported(finding, policy.report))
        .collect();
    let mut outcome = Outcome {
        verdict: findings
            .iter()
            .map(|finding| finding.verdict)
            .chain(found.bypasses.iter().map(|(_, why)| unread_verdict(why)))
            .max()
            .unwrap_or_default(),
        links,
        findings,
        edits: lowered.edits,
        head_edits: lowered.head,
        bypasses: found.bypasses,
        passed: found.passed.into_iter().map(String::from).collect(),
        passed_more: found.passed_more,
        more: found.more,
        ..Outcome::default()
    };
    let actions = actions::message(policy, &outcome);
    (outcome.disposition, outcome.because) = (actions.disposition, actions.because);
    if actions.subject == Subject::Tagged {
        outcome.head_edits.extend(tag_subject(message.head, &policy.subject_tag));
    }
    if policy.header_fields == HeaderFields::Add {
        let ours = |field: &HeaderField| splice::fields::is_ours(field.name(message.head));
        if tree.head.as_deref().is_none_or(|fields| fields.iter().any(ours)) {
            outcome.head_edits.extend(splice::incoming(message.head, &policy.known_keys()));
        }
    }
    outcome.broken = broken::signatures(message, tree, &outcome.edits, &outcome.head_edits);
    if policy.header_fields == HeaderFields::Add {
        let with = fields::Describe {
            head: message.head,
            body: message.body,
            by: &facts.host_name,
            rules: policy.shown_rules(),
            recoded: &lowered.recoded,
            undo_header_bytes: policy.undo_header_bytes,
            seal_key: policy.seal_key.as_deref(),
        };
        fields::describe(&mut outcome, with);
    }
    outcome
}

fn is_reported(finding: &Finding, report: Report) -> bool {
    report == Report::AllLinks || finding.verdict > Verdict::Ok || finding.done == Done::Edited
}

/// Maximum bytes of a line without its line end (RFC 5322 §2.1.1).
pub(super) const LONGEST_LINE: usize = 998;

/// Puts the tag in front of the first Subject, unless it is there already.
fn tag_subject(head: &[u8], tag: &str) -> Option<HeadEdit> {
    let mut at = 0;
    for line in head.split_inclusive(|c| *c == b'\n') {
        let name = line.get(..8).unwrap_or_default();
        if name.eq_ignore_ascii_case(b"subject:") {
            let start = at + 8;
            let value = folded(head.get(start..).unwrap_or_default());
            let text = value.trim_ascii_start();
            if text.starts_with(tag.as_bytes()) {
                return None;
            }
            // A tag must not make a line too long: fold instead of a space (RFC 5322 §2.2.3).
            let first = text.split(|c| *c == b'\n').next().unwrap_or_default().len();
            let long = b"Subject: ".len() + tag.len() + 1 + first > LONGEST_LINE;
            let blank: &[u8] = match (long, line.ends_with(b"\r\n")) {
                (false, _) => b" ",
                (true, false) => b"\n ",
                (true, true) => b"\r\n ",
            };
            return Some(HeadEdit {
                name: "Subject".to_owned(),
                index: 1,
                range: start..start + value.len(),
                value: [b" ", tag.as_bytes(), blank, text].concat(),
            });
        }
        at += line.len();
    }
    None
}

/// A field's value with its folds, without the last line end.
fn folded(rest: &[u8]) -> &[u8] {
    let mut end = 0;
    loop {
        let Some(feed) = memchr::memchr(b'\n', rest.get(end..).unwrap_or_default()) else {
            end = rest.len();
            break;
        };
        end += feed + 1;
        if !matches!(rest.get(end), Some(b' ' | b'\t')) {
            break;
        }
    }
    let value = rest.get(..end).unwrap_or_default();
    value.strip_suffix(b"\n").map_or(value, |value| value.strip_suffix(b"\r").unwrap_or(value))
}
