//! Cases of other people's linkifiers (Mozilla, twitter-text). Where we differ, docs/links.md says
//! how and why: its table is the list of known differences, and one that is gone fails.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use libtest_mimic::{Arguments, Failed, Trial};
use linkmilter::engine::TldTable;
use linkmilter::engine::link::{Kind, Linkifier};
use linkmilter::tld;

static TLDS: LazyLock<TldTable> = LazyLock::new(tld::builtin);

/// A case: whose, what for, the text, the links expected.
struct Case {
    name: String,
    text: String,
    expected: Vec<String>,
    kinds: fn(Kind) -> bool,
}

fn main() {
    let differences = Arc::new(differences());
    let mut cases = mozilla();
    cases.extend(twitter());
    if !cases.is_empty() {
        let known = |name: &str| cases.iter().any(|case| case.name == name);
        let gone: Vec<&String> = differences.keys().filter(|name| !known(name)).collect();
        assert!(gone.is_empty(), "docs/links.md lists differences without a case: {gone:?}");
    }
    let trials = cases
        .into_iter()
        .map(|case| {
            let differences = Arc::clone(&differences);
            Trial::test(case.name.clone(), move || check(&case, differences.get(&case.name)))
        })
        .collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn check(case: &Case, difference: Option<&String>) -> Result<(), Failed> {
    let found: Vec<&str> = Linkifier::new(&*TLDS)
        .links(&case.text)
        .filter(|link| (case.kinds)(link.kind) && (link.kind == Kind::Email || link.user.is_none()))
        .map(|link| &case.text[link.inner..link.span.end])
        .collect();
    let found = found.join(" ");
    match difference {
        None if found == case.expected.join(" ") => Ok(()),
        None => Err(format!("expected: {:?}\n   found: {found:?}", case.expected).into()),
        Some(_) if found == case.expected.join(" ") => {
            Err("differs no longer: take it out of docs/links.md".into())
        }
        Some(ours) if *ours == found => Ok(()),
        Some(ours) => Err(format!("docs say: {ours:?}\n   found: {found:?}").into()),
    }
}

/// Rows `| case | theirs | ours | why |` of the table in docs/links.md: case and ours, in backticks.
fn differences() -> BTreeMap<String, String> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/links.md");
    let docs = std::fs::read_to_string(docs).unwrap();
    docs.lines()
        .filter(|line| line.starts_with("| mozilla: ") || line.starts_with("| twitter: "))
        .map(|line| {
            let cells: Vec<&str> = line.split(" | ").map(str::trim).collect();
            assert_eq!(cells.len(), 4, "{line}");
            let plain = |cell: &str| cell.trim_matches('`').replace("\\|", "|").replace("–", "");
            (plain(cells[0].trim_start_matches("| ")), plain(cells[2]))
        })
        .collect()
}

fn mozilla() -> Vec<Case> {
    let Some(path) = common::testdata("linkify/mozilla/scanTXTtests.json", "Mozilla's cases")
    else {
        return Vec::new();
    };
    let file = std::fs::read_to_string(path).unwrap();
    let cases: Vec<serde_json::Value> = serde_json::from_str(&file).unwrap();
    let case = |case: &serde_json::Value| {
        let text = case["input"].as_str().unwrap().to_owned();
        let url = case["url"].as_str().unwrap().replace("&amp;", "&");
        // Expectations are hrefs: the spelled form is what of them stands in the text.
        let spelled = ["", "mailto:", "http://"]
            .into_iter()
            .filter_map(|implied| url.strip_prefix(implied))
            .find(|spelled| text.contains(spelled))
            .unwrap_or(&url)
            .to_owned();
        let name = format!("mozilla: {}", text.replace('\u{c}', "␌"));
        // An address that stands there twice is expected twice.
        let expected = text.matches(&spelled).map(str::to_owned).collect::<Vec<_>>();
        let expected = if expected.is_empty() { vec![spelled] } else { expected };
        Case { name, text, expected, kinds: |_| true }
    };
    cases.iter().map(case).collect()
}

fn twitter() -> Vec<Case> {
    let Some(path) = common::testdata("linkify/twitter-text/extract.yml", "twitter-text's cases")
    else {
        return Vec::new();
    };
    let file = std::fs::read_to_string(path).unwrap();
    let mut section = "";
    let mut cases = Vec::new();
    let mut description = String::new();
    let mut text = String::new();
    for line in file.lines() {
        if let Some(name) = line.strip_prefix("  ").filter(|name| !name.starts_with(' ')) {
            section = name.trim_end_matches(':');
        }
        if !["urls", "tco_urls_with_params"].contains(&section) {
            continue;
        }
        let line = line.trim();
        if let Some(value) = line.strip_prefix("- description: ") {
            description = unquoted(value).remove(0);
        } else if let Some(value) = line.strip_prefix("text: ") {
            text = unquoted(value).remove(0);
        } else if let Some(value) = line.strip_prefix("expected: ") {
            cases.push(Case {
                name: format!("twitter: {description}"),
                text: text.clone(),
                expected: unquoted(value),
                kinds: |kind| kind != Kind::Email,
            });
        }
    }
    cases
}

/// The double-quoted strings of a line of YAML.
fn unquoted(line: &str) -> Vec<String> {
    let mut strings = Vec::new();
    let mut chars = line.chars();
    while chars.any(|c| c == '"') {
        let mut string = String::new();
        while let Some(c) = chars.next().filter(|c| *c != '"') {
            string.push(match c {
                '\\' => match chars.next().unwrap() {
                    'n' => '\n',
                    'U' => {
                        let hex: String = chars.by_ref().take(8).collect();
                        char::from_u32(u32::from_str_radix(&hex, 16).unwrap()).unwrap()
                    }
                    other => other,
                },
                c => c,
            });
        }
        strings.push(string);
    }
    strings
}
