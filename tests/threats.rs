//! `docs/threats.md` is the table of the engine's bounds, and every bound is reached by a test.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use linkmilter::engine::limits::Limits;
use linkmilter::engine::outcome::Bypass;
use linkmilter::engine::{Answers, Facts, Message, Outcome, Policy, inspect};
use linkmilter::tld;

fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn page() -> String {
    let mut page = String::from(
        "# Bounds\n\nWhat hostile mail can cost, and where it ends. Generated from \
         `src/engine/limits.rs`: `UPDATE=1 cargo test --test threats` writes this page.\n\n\
         | bound | default | unit | why | when it is reached | test |\n\
         | --- | ---: | --- | --- | --- | --- |\n",
    );
    for bound in Limits::default().bounds() {
        writeln!(
            page,
            "| `limits.{}` | {} | {} | {} | {} | `{}` |",
            bound.name, bound.default, bound.unit, bound.reason, bound.effect, bound.test
        )
        .unwrap();
    }
    page
}

#[test]
fn the_page_is_the_table() {
    let path = project("docs/threats.md");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, page()).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, page(), "UPDATE=1 cargo test --test threats writes docs/threats.md");
}

#[test]
fn every_bound_has_its_test_and_its_key() {
    let tests = ["tests/hostile.rs", "tests/threats.rs"]
        .map(|path| fs::read_to_string(project(path)).unwrap())
        .concat();
    let keys = fs::read_to_string(project("conf/linkmilter.toml")).unwrap();
    // A bound that is added to the struct and not to the table shows here.
    let fields = format!("{:?}", Limits::default()).matches(": ").count();
    assert_eq!(Limits::default().bounds().len(), fields);
    for bound in Limits::default().bounds() {
        assert!(tests.contains(&format!("#[test]\nfn {}()", bound.test)), "{}", bound.test);
        assert!(keys.contains(&format!("#{} = ", bound.name)), "{}", bound.name);
    }
}

fn policy(limits: Limits) -> Policy {
    Policy { limits, ..Policy::default() }
}

fn outcome(limits: Limits, head: &str, body: &str) -> Outcome {
    let message = Message { head: head.as_bytes(), body: body.as_bytes() };
    inspect(message, &Facts::default(), &policy(limits), &tld::builtin()).resolve(&Answers::new())
}

fn questions(limits: Limits, head: &str, body: &str) -> Vec<String> {
    let message = Message { head: head.as_bytes(), body: body.as_bytes() };
    inspect(message, &Facts::default(), &policy(limits), &tld::builtin()).questions
}

fn reached(outcome: &Outcome, limit: &str) -> bool {
    outcome.bypasses.iter().any(|(_, why)| matches!(why, Bypass::Limit(name) if *name == limit))
}

#[test]
fn part_header_beyond_the_limit() {
    let head = "Content-Type: multipart/mixed; boundary=b\r\n";
    let body = format!("--b\r\nX: {}\r\n\r\ntext\r\n--b--\r\n", "x".repeat(10_000));
    let small = Limits { header_bytes: 4_096, ..Limits::default() };
    assert!(reached(&outcome(small, head, &body), "header"));
    assert!(!reached(&outcome(Limits::default(), head, &body), "header"));
}

#[test]
fn links_beyond_the_limit() {
    let body: String = (0..50).map(|n| format!("https://host{n}.example.com/\r\n")).collect();
    let head = "Content-Type: text/plain\r\n";
    let small = Limits { links: 10, ..Limits::default() };
    let cut = outcome(small, head, &body);
    assert!(reached(&cut, "links"), "{:?}", cut.bypasses);
    let whole = outcome(Limits::default(), head, &body);
    assert!(!reached(&whole, "links"));
    assert_eq!(whole.links, 50);
}

#[test]
fn questions_beyond_the_limit() {
    let names = ('a'..='z').map(|last| format!("https://www.example.zzq{last}/\r\n"));
    let body: String = names.collect();
    let limits = Limits::default();
    assert_eq!(questions(limits, "Content-Type: text/plain\r\n", &body).len(), limits.questions);
    let none = Limits { questions: 0, ..limits };
    assert!(questions(none, "Content-Type: text/plain\r\n", &body).is_empty());
}

#[test]
fn steps_run_out() {
    let body = "see https://www.example.com/ and write to ann@example.com\r\n".repeat(500);
    let head = "Content-Type: text/plain\r\n";
    let small = Limits { steps_per_byte: 0, steps_base: 100, ..Limits::default() };
    assert!(reached(&outcome(small, head, &body), "steps"));
    let by_size = Limits { steps_base: 0, ..Limits::default() };
    assert!(!reached(&outcome(by_size, head, &body), "steps"));
}
