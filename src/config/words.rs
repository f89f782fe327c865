//! The operator's own wording of notices and banners: a file with one table per language.

use std::collections::BTreeMap;
use std::path::Path;

use toml::de::{DeTable, DeValue};

use super::layers::FileLines;
use super::problem::{Problem, nearest};
use crate::engine::words::{Own, Words};

/// Characters of a banner. It is above what the reader wants to read.
pub(super) const MAX_BANNER_CHARS: usize = 400;

/// Size limit of the file in bytes: a hundred languages with comments.
pub(super) const MAX_BYTES: usize = 1024 * 1024;

/// Characters of a notice. It may be beside every link of a message.
const MAX_NOTICE_CHARS: usize = 100;

const KEYS: [&str; 5] = ["notice", "notice_ascii", "links", "external", "first_contact"];

/// Parses the file. Each invalid line becomes a problem.
pub(super) fn parse(path: &Path, text: &str, problems: &mut Vec<Problem>) -> Words {
    let name = path.display().to_string();
    let lines = FileLines::of(&name, text);
    if text.len() > MAX_BYTES {
        let found = format!("{} bytes", text.len());
        problems.push(Problem::at(&name, &*format!("at most {MAX_BYTES} bytes of words"), found));
        return Words::default();
    }
    let Some(table) = lines.parse(text, problems) else { return Words::default() };
    let mut words = BTreeMap::new();
    for (tag, value) in table {
        let origin = lines.origin(tag.span().start);
        let tag = tag.into_inner().into_owned();
        let mut refuse = |expected: &str, found: String| {
            problems.push(Problem { key: tag.clone(), ..Problem::at(&origin, expected, found) });
        };
        let is_tag = (2..=3).contains(&tag.len()) && tag.bytes().all(|b| b.is_ascii_lowercase());
        if !is_tag {
            refuse("a language as its primary tag, such as nl", format!("{tag:?}"));
            continue;
        }
        match value.into_inner() {
            DeValue::Table(table) => {
                let own = parse_language(&tag, table, &lines, problems);
                words.insert(tag, own);
            }
            other => refuse("a table of words, such as [nl]", found(&other)),
        }
    }
    Words::new(words)
}

fn parse_language(
    tag: &str,
    table: DeTable<'_>,
    lines: &FileLines<'_>,
    problems: &mut Vec<Problem>,
) -> Own {
    let mut own = Own::default();
    for (key, value) in table {
        let origin = lines.origin(key.span().start);
        let key = key.into_inner();
        let mut refuse = |expected: String, found: String| {
            let problem = Problem::at(&origin, &*expected, found);
            // What is wrong with a known key is its value.
            let is_known = KEYS.contains(&key.as_ref());
            let nearest = if is_known { None } else { nearest(&key, KEYS) };
            problems.push(Problem { key: format!("{tag}.{key}"), nearest, ..problem });
        };
        let (target, max_chars) = match key.as_ref() {
            "notice" => (&mut own.notice, MAX_NOTICE_CHARS),
            "notice_ascii" => (&mut own.notice_ascii, MAX_NOTICE_CHARS),
            "links" => (&mut own.links, MAX_BANNER_CHARS),
            "external" => (&mut own.external, MAX_BANNER_CHARS),
            "first_contact" => (&mut own.first_contact, MAX_BANNER_CHARS),
            _ => {
                refuse(format!("one of {}", KEYS.join(", ")), "another key".to_owned());
                continue;
            }
        };
        let text = match value.into_inner() {
            DeValue::String(text) => text,
            other => {
                refuse("text".to_owned(), found(&other));
                continue;
            }
        };
        match expectation(&key, &text, max_chars) {
            Some(expected) => refuse(expected, excerpt(&text)),
            None => *target = Some(text.into_owned()),
        }
    }
    own
}

/// What was expected instead of this text. `None` if it is valid.
fn expectation(key: &str, text: &str, max_chars: usize) -> Option<String> {
    match () {
        () if text.trim().is_empty() => Some("words".to_owned()),
        () if text.trim() != text => Some("no space around the words".to_owned()),
        () if text.chars().any(char::is_control) => Some("no control characters".to_owned()),
        () if text.chars().count() > max_chars => Some(format!("at most {max_chars} characters")),
        () if key == "notice_ascii" && !text.is_ascii() => Some("ASCII alone".to_owned()),
        () if key != "links" && ["{host}", "{reason}"].iter().any(|name| text.contains(name)) => {
            Some("{host} and {reason} in links alone".to_owned())
        }
        () if key == "links" && has_other_braces(text) => Some(PLACEHOLDERS.to_owned()),
        () => None,
    }
}

/// What braces may be used for in the banner for defanged links.
pub(super) const PLACEHOLDERS: &str = "no braces but those of {host} and {reason}";

/// Whether the text has other braces, which readers would see: probably a misspelled placeholder.
pub(super) fn has_other_braces(text: &str) -> bool {
    text.replace("{host}", "").replace("{reason}", "").contains(['{', '}'])
}

/// What a value is that should be another.
fn found(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => excerpt(text),
        DeValue::Integer(number) => format!("an integer ({})", clipped(number.as_str())),
        DeValue::Float(number) => format!("a number ({})", clipped(number.as_str())),
        DeValue::Boolean(value) => value.to_string(),
        DeValue::Datetime(time) => format!("a time ({time})"),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

/// The begin of digits that may be many.
fn clipped(digits: &str) -> String {
    digits.chars().take(40).collect()
}

fn excerpt(text: &str) -> String {
    let begin: String = text.chars().take(40).collect();
    if begin.len() == text.len() { format!("{begin:?}") } else { format!("{begin:?} and more") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str) -> Vec<String> {
        let mut problems = Vec::new();
        parse(Path::new("words.toml"), text, &mut problems);
        problems.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn words_are_read_by_language() {
        let text = "# ours\n[nl]\nnotice = \"misleidende link\"\nlinks = \"{host}: {reason}\"\n\
            [el]\nnotice = \"σύνδεσμος\"\nnotice_ascii = \"sindesmos\"\nexternal = \"απ' έξω\"\n\
            first_contact = \"πρώτη φορά\"\n[de]\n";
        let mut found = Vec::new();
        let words = parse(Path::new("words.toml"), text, &mut found);
        assert_eq!(found, []);
        let own = |text: &str| Some(text.to_owned());
        let expected = Words::new(
            [
                (
                    "nl".to_owned(),
                    Own {
                        notice: own("misleidende link"),
                        links: own("{host}: {reason}"),
                        ..Own::default()
                    },
                ),
                (
                    "el".to_owned(),
                    Own {
                        notice: own("σύνδεσμος"),
                        notice_ascii: own("sindesmos"),
                        external: own("απ' έξω"),
                        first_contact: own("πρώτη φορά"),
                        ..Own::default()
                    },
                ),
                ("de".to_owned(), Own::default()),
            ]
            .into(),
        );
        assert_eq!(words, expected);
        assert_eq!(problems(""), [""; 0]);
    }

    #[test]
    fn nonsense_is_refused_with_its_line() {
        let long = format!("[nl]\nnotice = \"{}\"\n", "x".repeat(MAX_NOTICE_CHARS + 1));
        for (text, said) in [
            ("[nl\n", "words.toml:1: expected TOML"),
            ("[nl]\n[nl]\n", "words.toml:2: expected TOML"),
            (
                "\nnl = 3\n",
                "words.toml:2: nl: expected a table of words, such as [nl], found an integer (3)",
            ),
            ("[[nl]]\n", "words.toml:1: nl: expected a table of words, such as [nl], found a list"),
            ("nl = \"x\"\n", "expected a table of words, such as [nl], found \"x\""),
            ("[nl-BE]\n", "words.toml:1: nl-BE: expected a language as its primary tag"),
            ("[Dutch]\n", "words.toml:1: Dutch: expected a language as its primary tag"),
            ("[nl]\n\nnotise = \"x\"\n", "words.toml:3: nl.notise: expected one of notice,"),
            ("[nl]\nnotise = \"x\"\n", "did you mean notice?"),
            ("[nl]\nnotice = 7\n", "words.toml:2: nl.notice: expected text, found an integer (7)"),
            ("[nl]\nlinks = 1.5\n", "nl.links: expected text, found a number (1.5)"),
            ("[nl]\nlinks = true\n", "nl.links: expected text, found true"),
            ("[nl]\nlinks = [\"x\"]\n", "nl.links: expected text, found a list"),
            ("[nl.links]\n", "nl.links: expected text, found a table"),
            ("[nl]\nlinks = 2026-01-02\n", "nl.links: expected text, found a time (2026-01-02)"),
            ("[nl]\nnotice = \" \"\n", "words.toml:2: nl.notice: expected words"),
            ("[nl]\nlinks = \"x \"\n", "nl.links: expected no space around the words"),
            (
                "[nl]\nlinks = \"a\\nb\"\n",
                "nl.links: expected no control characters, found \"a\\nb\"",
            ),
            ("[nl]\nnotice_ascii = \"é\"\n", "nl.notice_ascii: expected ASCII alone"),
            (
                "[nl]\nfirst_contact = \"{host}\"\n",
                "nl.first_contact: expected {host} and {reason} in links",
            ),
            ("[nl]\nexternal = \"{host}\"\n", "nl.external: expected {host} and {reason} in links"),
            (&long, "words.toml:2: nl.notice: expected at most 100 characters"),
        ] {
            let found = problems(text).join("\n");
            assert!(found.contains(said), "{text}: {found}");
        }
        let big = "#".repeat(MAX_BYTES + 1);
        assert!(problems(&big)[0].starts_with("words.toml: expected at most 1048576 bytes"));
    }
}
