//! From what was found to what is done: the answers of the DNS, the raw edits, the header fields.

use std::collections::BTreeMap;

use super::actions::{self, Subject};
use super::finding::{Candidate, Found};
use super::judging::Standing;
use super::mime::{self, Lowering, Message, Tree};
use super::outcome::{Done, HeadEdit, Outcome, Reason, Verdict};
use super::policy::HeaderFields;
use super::span::TextEdit;
use super::splice::{self, Describe};
use super::{Answer, Answers, Facts, Policy};

/// A message read and judged, waiting for what the DNS says of the names it names.
#[derive(Debug)]
pub struct Inspection {
    /// TLDs to be asked of the DNS, in lower-case ASCII form: those that the table lacks, or every
    /// one ([`super::policy::AskTlds`]); at most [`super::limits::Limits::questions`].
    pub questions: Vec<String>,
    state: State,
}

#[derive(Debug)]
enum State {
    Done(Outcome),
    Waiting(Box<Waiting>),
}

/// What is needed to finish later; holds a copy of the message, since few have a question.
#[derive(Debug)]
struct Waiting {
    head: Vec<u8>,
    body: Vec<u8>,
    facts: Facts,
    policy: Policy,
    found: Found,
}

impl Inspection {
    /// Finishes with what the DNS answered; an unanswered question counts as unverified.
    pub fn resolve(self, answers: &Answers) -> Outcome {
        match self.state {
            State::Done(outcome) => outcome,
            State::Waiting(waiting) => {
                let message = Message { head: &waiting.head, body: &waiting.body };
                let tree = mime::parse(message, &waiting.policy.limits);
                let found = answered(waiting.found, answers);
                finish(message, &tree, &waiting.facts, &waiting.policy, found)
            }
        }
    }
}

/// Finishes at once when there is nothing to ask.
pub fn prepare(
    message: Message<'_>,
    tree: &Tree,
    facts: &Facts,
    policy: &Policy,
    questions: Vec<String>,
    found: Found,
) -> Inspection {
    if questions.is_empty() {
        let outcome = finish(message, tree, facts, policy, found);
        return Inspection { questions, state: State::Done(outcome) };
    }
    let waiting = Waiting {
        head: message.head.to_vec(),
        body: message.body.to_vec(),
        facts: facts.clone(),
        policy: policy.clone(),
        found,
    };
    Inspection { questions, state: State::Waiting(Box::new(waiting)) }
}

/// Keeps the candidates whose TLD exists. What is missing is no link; what nobody could verify is
/// reported and left alone.
fn answered(mut found: Found, answers: &Answers) -> Found {
    found.candidates.retain_mut(|candidate| {
        let answer = |tld| answers.get(tld).copied().unwrap_or(Answer::Unverified);
        match &candidate.standing {
            Standing::Link => true,
            // Unverified: the table decides.
            Standing::Confirmed(tld) => answer(tld) != Answer::Missing,
            Standing::Asked(tld) => match answer(tld) {
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

fn finish(
    message: Message<'_>,
    tree: &Tree,
    facts: &Facts,
    policy: &Policy,
    mut found: Found,
) -> Outcome {
    let edits = by_reading(&mut found.candidates);
    let mut lowering = Lowering::new(message, tree);
    for ((part, index), edits) in &edits {
        if let Some(reading) = mime::readings(message, tree, *part).get(*index) {
            lowering.add(*part, reading, edits);
        }
    }
    let lowered = lowering.finish();
    let links = found.links();
    let findings: Vec<_> = found
        .candidates
        .into_iter()
        .map(|candidate| candidate.finding)
        .filter(|finding| {
            policy.report == super::policy::Report::AllLinks
                || finding.verdict > Verdict::Ok
                || finding.done == Done::Edited
        })
        .collect();
    let mut outcome = Outcome {
        verdict: findings.iter().map(|finding| finding.verdict).max().unwrap_or_default(),
        links,
        findings,
        edits: lowered.edits,
        head_edits: lowered.head,
        bypasses: found.bypasses,
        ..Outcome::default()
    };
    let asked = actions::message(policy, &outcome);
    outcome.disposition = asked.disposition;
    if asked.subject == Subject::Tagged {
        outcome.head_edits.extend(tag_subject(message.head, &policy.subject_tag));
    }
    if policy.header_fields == HeaderFields::Add {
        let key = policy.seal_key.as_deref();
        outcome.head_edits.extend(splice::incoming(message.head, key));
        let with = Describe {
            head: message.head,
            body: message.body,
            by: &facts.host_name,
            recoded: &lowered.recoded,
            undo_header_bytes: policy.undo_header_bytes,
            seal_key: key,
        };
        splice::describe(&mut outcome, with);
    }
    outcome
}

/// Edits of each reading in order and disjoint; of two on the same bytes the first found stays.
fn by_reading(candidates: &mut [Candidate]) -> BTreeMap<(usize, usize), Vec<TextEdit>> {
    let mut edits: BTreeMap<(usize, usize), Vec<TextEdit>> = BTreeMap::new();
    for candidate in candidates {
        if !candidate.edits.is_empty() {
            edits.entry(candidate.reading).or_default().append(&mut candidate.edits);
        }
    }
    for list in edits.values_mut() {
        list.sort_by_key(|edit| (edit.range.start, edit.range.end));
        let mut end = 0;
        list.retain(|edit| {
            let fits = edit.range.start >= end;
            if fits {
                end = edit.range.end;
            }
            fits
        });
    }
    edits
}

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
            return Some(HeadEdit {
                name: "Subject".to_owned(),
                index: 1,
                range: start..start + value.len(),
                value: [b" ", tag.as_bytes(), b" ", text].concat(),
            });
        }
        at += line.len();
    }
    None
}

/// A field's value with its folds, without the final line end.
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
