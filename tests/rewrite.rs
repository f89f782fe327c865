//! The messages of `corpus/`, and what becomes of each: findings, and the message that goes on.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use linkmilter::engine::outcome::Done;
use linkmilter::engine::policy::HeaderFields;
use linkmilter::engine::{Answers, Facts, Message, Outcome, Policy, inspect, splice};
use linkmilter::tld;

/// Head and body of a corpus message.
fn split(bytes: &[u8]) -> Message<'_> {
    let at = bytes.windows(4).position(|four| four == b"\r\n\r\n").expect("an empty line");
    Message { head: &bytes[..at + 2], body: &bytes[at + 4..] }
}

fn outcome(message: Message<'_>) -> Outcome {
    let policy = Policy { header_fields: HeaderFields::Omit, ..Policy::default() };
    inspect(message, &Facts::default(), &policy, &tld::builtin()).resolve(&Answers::new())
}

fn corpus() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let mut messages: Vec<(String, Vec<u8>)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "eml"))
        .map(|path| {
            (path.file_stem().unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap())
        })
        .collect();
    messages.sort();
    messages
}

/// Each as `corpus/NAME.eml`, its findings and the edited lines: the snapshots are reviewed.
#[test]
fn what_becomes_of_the_corpus() {
    for (name, bytes) in corpus() {
        let message = split(&bytes);
        let outcome = outcome(message);
        let mut page = String::new();
        for finding in &outcome.findings {
            let reasons: Vec<&str> = finding.reasons.iter().map(|reason| reason.code()).collect();
            let done = if finding.done == Done::Edited { "edited" } else { "reported" };
            let _ = writeln!(
                page,
                "{} {} {}: {} ({}) {done}",
                finding.part,
                finding.place,
                finding.spelling.escape_debug(),
                finding.verdict,
                reasons.join(", ")
            );
        }
        let before = String::from_utf8_lossy(message.body).into_owned();
        let after = splice::apply(message.body, &outcome.edits).to_vec();
        let after = String::from_utf8_lossy(&after).into_owned();
        let old: Vec<&str> = before.lines().collect();
        let new: Vec<&str> = after.lines().collect();
        for line in old.iter().filter(|line| !new.contains(line)) {
            let _ = writeln!(page, "- {line}");
        }
        for line in new.iter().filter(|line| !old.contains(line)) {
            let _ = writeln!(page, "+ {line}");
        }
        insta::with_settings!({ description => shows(message), omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(name, page);
        });
    }
}

fn shows(message: Message<'_>) -> String {
    let head = String::from_utf8_lossy(message.head).replace("\r\n ", " ");
    let line = head.lines().find_map(|line| line.strip_prefix("X-Corpus-Shows: "));
    line.expect("every corpus message says what it shows").to_owned()
}

#[test]
fn every_message_comes_back() {
    for (name, bytes) in corpus() {
        let message = split(&bytes);
        let policy = Policy { undo_header_bytes: None, ..Policy::default() };
        let outcome =
            inspect(message, &Facts::default(), &policy, &tld::builtin()).resolve(&Answers::new());
        if outcome.edits.is_empty() {
            continue;
        }
        let mut head = Vec::new();
        for field in &outcome.fields {
            head.extend_from_slice(
                format!("{}: {}\r\n", field.name, field.value.replace('\n', "\r\n")).as_bytes(),
            );
        }
        head.extend(splice::apply_head(message.head, &outcome.head_edits));
        let body = splice::apply(message.body, &outcome.edits).to_vec();
        let restored = splice::restore(&head, &body, None, |_| None).unwrap();
        assert_eq!(
            (restored.head.as_slice(), restored.body.as_slice()),
            (message.head, message.body),
            "{name}"
        );
    }
}

#[test]
fn a_second_rewrite_changes_nothing() {
    for (name, bytes) in corpus() {
        let message = split(&bytes);
        let first = outcome(message);
        let head = splice::apply_head(message.head, &first.head_edits);
        let body = splice::apply(message.body, &first.edits).to_vec();
        let second = outcome(Message { head: &head, body: &body });
        assert_eq!(second.edits, [], "{name}");
    }
}
