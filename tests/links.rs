//! The commands `links`, `format` and `linkify` as scripts use them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command as Process, Stdio};

use assert_cmd::Command;
use serde_json::Value;

/// Runs a command: its exit code and what it prints.
fn run(arguments: &[&str], input: &[u8]) -> (i32, String) {
    let output = Command::cargo_bin("linkmilter")
        .unwrap()
        .args(arguments)
        .write_stdin(input)
        .output()
        .unwrap();
    (output.status.code().unwrap(), String::from_utf8_lossy(&output.stdout).into_owned())
}

fn printed(arguments: &[&str], input: &str) -> String {
    let (code, text) = run(arguments, input.as_bytes());
    assert_eq!(code, 0, "{arguments:?}");
    text
}

#[test]
fn links_are_printed_one_a_line() {
    let text = "see http://example.com/a(b), 例子.中国。\nor bob@example.org?\n";
    assert_eq!(printed(&["links"], text), "http://example.com/a(b)\n例子.中国\nbob@example.org\n");
    assert_eq!(printed(&["links"], "none here\n"), "");
}

#[test]
fn links_marks_the_official_rows_line_by_line() {
    for version in ["17.0.0", "18.0.0"] {
        let path = format!("crates/uts58/tests/unicode/{version}/LinkDetectionTest.txt");
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        let file = std::fs::read_to_string(path).unwrap();
        let rows: Vec<&str> =
            file.lines().filter(|row| !row.is_empty() && !row.starts_with('#')).collect();
        assert_eq!(rows.len(), 345);
        let expected = rows.join("\n") + "\n";
        let plain = expected.replace(['\u{2E20}', '\u{2E21}'], "");
        assert_eq!(printed(&["links", "--mark"], &plain), expected);
    }
}

#[test]
fn links_leaves_what_is_not_utf8() {
    let output = Command::cargo_bin("linkmilter")
        .unwrap()
        .args(["links", "--mark"])
        .write_stdin(&b"\xFFexample.com\xFE\r\n"[..])
        .output()
        .unwrap();
    assert_eq!(
        output.stdout,
        "\u{2E20}example.com\u{2E21}"
            .bytes()
            .fold(vec![0xFF], |mut out, byte| {
                out.push(byte);
                out
            },)
            .into_iter()
            .chain(*b"\xFE\r\n")
            .collect::<Vec<u8>>()
    );
}

#[test]
fn links_as_json_has_the_fields_of_the_documentation() {
    let text = "x\nsee http://BÜCHER.example:80/ä. and a@例子.中国\n";
    let objects: Vec<Value> = printed(&["links", "--json"], text)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let docs = include_str!("../docs/links.md");
    for field in objects[0].as_object().unwrap().keys() {
        assert!(docs.contains(&format!("`{field}`")), "docs/links.md lacks {field}");
    }
    let first = &objects[0];
    assert_eq!((&first["v"], &first["line"], &first["start"]), (&1.into(), &2.into(), &4.into()));
    assert_eq!(first["link"], "http://BÜCHER.example:80/ä");
    assert_eq!((&first["kind"], &first["host"]), (&"scheme".into(), &"BÜCHER.example".into()));
    assert_eq!(first["ascii"], "xn--bcher-kva.example");
    assert_eq!(first["unicode"], "bücher.example");
    assert_eq!(first["href"], "http://xn--bcher-kva.example:80/%C3%A4");
    assert_eq!((&first["confidence"], &first["userinfo"]), (&"sure".into(), &false.into()));
    assert_eq!(objects[1]["kind"], "email");
}

/// What is shown on a terminal does nothing there.
#[test]
fn json_has_no_character_that_acts_on_a_terminal() {
    let hostile =
        "http://a.example/\u{202e}x\u{e0041}\u{7f}\u{9b}31m.example.com\u{2028}b.example.com";
    for arguments in [&["links", "--json"][..], &["check", "--json"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_linkmilter"));
        let output = command.args(arguments).write_stdin(format!("{hostile}\n")).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let acts = |char: &char| {
            (char.is_control() && *char != '\n')
                || matches!(char, '\u{202e}' | '\u{2028}' | '\u{e0041}')
        };
        assert_eq!(text.chars().find(acts), None, "{text}");
        let objects = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let said: String = objects
            .map(|object| object["link"].to_string() + &object["input"].to_string())
            .collect();
        assert!(said.contains('\u{202e}'), "the same text comes out of it: {text}");
    }
}

#[test]
fn links_in_prose() {
    let text = "サーバーexample.comです。end.However helpers.py hxxp://example[.]com";
    let found = printed(&["links", "--prose"], text);
    assert_eq!(found, "example.com\nhelpers.py\nhxxp://example[.]com\n");
    let last = printed(&["links", "--prose", "--json"], text);
    assert!(last.lines().last().unwrap().contains("\"defanged\":true"), "{last}");
}

#[test]
fn format_takes_arguments_or_lines() {
    let (url, formatted) = (
        "https://xn--bcher-kva.example/b%C3%BCcher%2F1.",
        "https://bücher.example/bücher%2F1%2E\n",
    );
    assert_eq!(printed(&["format", url], ""), formatted);
    assert_eq!(printed(&["format"], &format!("{url}\r\n{url}\n")), formatted.repeat(2));
    // A host that could deceive stays in Punycode.
    let unsafe_host = "https://xn--ypal-43d9g.com/";
    assert_eq!(printed(&["format", unsafe_host], ""), format!("{unsafe_host}\n"));
    for kept in [
        "http://good.com%40evil.com/",
        "https://example.com%2Fpath",
        "http://a%0Ab.com/",
        "http://a%1B[0m.com/",
        "https://example.com/%5Cevil.com/",
        "https://example.com/100%25",
    ] {
        assert_eq!(printed(&["format", kept], ""), format!("{kept}\n"));
    }
}

#[test]
fn linkify_is_the_same_whatever_the_way_in() {
    // UASG 000 2.3.
    let text = "👉example.com/ä & <b> раypal.com bob@example.org http://example.nosuch\n";
    let expected = "👉<a href=\"http://example.com/%C3%A4\">example.com/ä</a> &amp; &lt;b&gt; \
        xn--ypal-43d9g.com <a href=\"mailto:bob@example.org\">bob@example.org</a> \
        http://example.nosuch\n";
    assert_eq!(printed(&["linkify"], text), expected);
    assert_eq!(printed(&["linkify", "-"], text), expected);
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    assert_eq!(printed(&["linkify", file.path().to_str().unwrap()], ""), expected);
}

#[test]
fn linkify_has_a_switch_and_exceptions() {
    // UASG 000 2.2.
    assert_eq!(printed(&["linkify", "--off"], "example.com & x"), "example.com &amp; x");
    assert_eq!(
        printed(
            &["linkify", "--except", "example.com", "--except", "b@example.org"],
            "example.com b@example.org a.example.org"
        ),
        "example.com b@example.org <a href=\"http://a.example.org\">a.example.org</a>"
    );
}

#[test]
fn what_cannot_be_read_ends_with_2() {
    for command in ["links", "linkify"] {
        let (code, out) = run(&[command, "/no/such/file"], b"");
        assert_eq!((code, out.as_str()), (2, ""));
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let text = "example.com http://example.org/\n".repeat(200_000);
    for arguments in [&["links"][..], &["links", "--json"], &["linkify"], &["format"]] {
        let mut child = Process::new(assert_cmd::cargo::cargo_bin("linkmilter"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| stdin.write_all(text.as_bytes()).map(|()| drop(stdin)));
            let mut some = [0; 10];
            child.stdout.take().unwrap().read_exact(&mut some).unwrap();
        });
        assert_eq!(child.wait().unwrap().code(), Some(0), "{arguments:?}");
    }
}
