//! UTS #58 against its official test files: a row, a named test.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use libtest_mimic::{Arguments, Failed, Trial};
use linkmilter::engine::link::detect;

const OPEN: char = '\u{2E20}';
const CLOSE: char = '\u{2E21}';

fn main() {
    let mut trials = Vec::new();
    for version in ["17.0.0", "18.0.0"] {
        detection_rows(version, &mut trials);
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn detection_rows(version: &str, trials: &mut Vec<Trial>) {
    let path = format!("unicode/{version}/LinkDetectionTest.txt");
    let Some(path) = common::testdata(&path, "official link detection rows") else { return };
    let file = std::fs::read_to_string(path).unwrap();
    let rows = file.lines().enumerate().filter(|(_, row)| !row.is_empty() && !row.starts_with('#'));
    for (number, row) in rows {
        let row = row.to_owned();
        let name = format!("detection {version} line {}: {row}", number + 1);
        trials
            .push(Trial::test(name, move || same(&marked(&row.replace([OPEN, CLOSE], "")), &row)));
    }
}

fn marked(text: &str) -> String {
    let mut out = String::new();
    let mut at = 0;
    for link in detect(text) {
        out.push_str(&text[at..link.span.start]);
        out.push(OPEN);
        out.push_str(&text[link.span.clone()]);
        out.push(CLOSE);
        at = link.span.end;
    }
    out.push_str(&text[at..]);
    out
}

fn same(found: &str, expected: &str) -> Result<(), Failed> {
    if found == expected {
        return Ok(());
    }
    Err(format!("expected: {expected}\n   found: {found}").into())
}
