//! `linkmilter scan` as a command: output formats, exit codes, order, interruption.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::AtomicBool;

use linkmilter::engine::policy::HeaderFields;
use linkmilter::engine::{Facts, Policy, Verdict};
use linkmilter::judgements::Judgements;
use linkmilter::record::tally::Tally;
use linkmilter::scan::{CrossCheck, GapLines, Input, OutputFormat, Progress, Scan, ScanSettings};

/// A message with a deceptive link: the first letter of the host is Cyrillic.
fn phish(number: usize) -> String {
    format!(
        "From: Bank <service@mail{}.example>\nDate: Thu, {:02} Aug 2024 12:36:23 +0200\n\
         Message-ID: <{number}@mail.example>\nSubject: Your account\nMIME-Version: 1.0\n\
         Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n\
         Please sign in at http://раypal.com/login/{number} today.\n",
        number % 3,
        number % 28 + 1
    )
}

/// A message without findings.
fn ham(number: usize) -> String {
    format!(
        "From: Bob <bob@example.org>\nDate: Fri, 02 Aug 2024 09:00:00 +0000\n\
         Message-ID: <ham{number}@example.org>\nSubject: Lunch\n\nSee https://www.example.org/menu\n"
    )
}

fn mbox(count: usize) -> String {
    let message = |number| if number % 4 == 0 { phish(number) } else { ham(number) };
    (0..count)
        .map(|n| format!("From bob@example.org Thu Aug 22 12:36:23 2024\n{}\n", message(n)))
        .collect()
}

fn scan(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_linkmilter"))
        .arg("scan")
        .args(args)
        .current_dir(folder)
        .output()
        .unwrap()
}

fn lines(output: &Output) -> Vec<serde_json::Value> {
    let text = std::str::from_utf8(&output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A text that is no message: what stands in it is found, and every finding has bytes that carry it.
#[test]
fn a_text_without_a_header_is_read_and_spans_are_never_empty() {
    let folder = tempfile::tempdir().unwrap();
    let url = "https://xn--80ak6aa92e.com/x";
    for text in [
        url.to_owned(),
        format!("{url}\n"),
        format!("see {url}\nmore text\n"),
        format!("{url}\nmore text\n"),
        format!("\n{url}\n"),
        format!("Subject: {url}\n\n{url}\n"),
    ] {
        fs::write(folder.path().join("m"), &text).unwrap();
        let output = scan(folder.path(), &["m"]);
        assert_eq!(output.status.code(), Some(1), "{text:?}");
        let found = lines(&output);
        assert!(!found.is_empty(), "{text:?}");
        for line in found {
            let [start, end] = [0, 1].map(|at| line["span"][at].as_u64().unwrap() as usize);
            assert!(text[start..end].contains("xn--80ak6aa92e.com"), "{text:?}: {line}");
        }
    }
}

/// Settings of the environment count with a file and without one, as for every other command.
#[test]
fn settings_are_taken_from_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("m"), "Subject: x\n\nhttps://blocked.example.org/\n").unwrap();
    fs::write(folder.path().join("c.toml"), "log.level = \"warn\"\n").unwrap();
    let scan = |name: &str, value: &str, args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_linkmilter"));
        command.arg("scan").args(args).arg("m").env(name, value).current_dir(folder.path());
        command.output().unwrap()
    };
    for args in [&[][..], &["--config", "c.toml"]] {
        let output = scan("LINKMILTER_LISTS__BLOCKED", "blocked.example.org", args);
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert_eq!(lines(&output)[0]["reasons"], serde_json::json!(["listed"]), "{args:?}");
        let output = scan("LINKMILTER_FOO__BAR", "1", args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("LINKMILTER_FOO__BAR"));
    }
}

#[test]
fn the_results_of_our_own_server_count_as_in_the_filter() {
    let folder = tempfile::tempdir().unwrap();
    let from = "From: Netflix Recruiting <netflix@myworkday.com>\nSubject: Hello\n\nThank you.\n";
    let message = |id: &str, result: &str| {
        format!("Authentication-Results: {id}; dmarc={result} header.from=myworkday.com\n{from}")
    };
    for (name, text) in [
        ("pass", message("mx.example.org", "pass")),
        ("theirs", message("mx.example.net", "pass")),
        ("fail", message("mx.example.org", "fail")),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let config = folder.path().join("c.toml");
    fs::write(&config, "[exempt]\nauthserv_id = \"mx.example.org\"\n").unwrap();
    let verdicts = |name: &str, args: &[&str]| -> Vec<String> {
        let found = lines(&scan(folder.path(), &[args, &[name]].concat()));
        found.iter().map(|line| line["verdict"].as_str().unwrap().to_owned()).collect()
    };
    let with = ["--config", config.to_str().unwrap()];
    assert_eq!(verdicts("pass", &with), ["notice"]);
    for name in ["theirs", "fail"] {
        assert_eq!(verdicts(name, &with), ["suspect"], "{name}");
    }
    assert_eq!(verdicts("pass", &[]), ["suspect"], "no server is known as ours");
    let own = |id: &str, domain: &str| {
        format!(
            "Authentication-Results: {id}; dmarc=pass header.from={domain}\n\
             From: Salesforce Admin <admin@{domain}>\nSubject: Hello\n\nThank you.\n"
        )
    };
    for (name, text) in [
        ("own", own("mx.example.org", "example.org")),
        ("other", own("mx.example.org", "example.net")),
        ("forged", own("mx.example.net", "example.org")),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    assert_eq!(verdicts("own", &with), [""; 0], "of the domain of the recipients");
    for name in ["other", "forged"] {
        assert_eq!(verdicts(name, &with), ["suspect"], "{name}");
    }
}

#[test]
fn a_finding_has_the_offsets_of_its_bytes() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("all.mbox"), mbox(9)).unwrap();
    let output = scan(folder.path(), &["all.mbox"]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let found = lines(&output);
    assert_eq!(found.len(), 3);
    let bytes = fs::read(folder.path().join("all.mbox")).unwrap();
    for (line, number) in found.iter().zip([0, 4, 8]) {
        let offset = line["offset"].as_u64().unwrap() as usize;
        assert!(bytes[offset..].starts_with(b"From bob@example.org "));
        let span = [0, 1].map(|end| offset + line["span"][end].as_u64().unwrap() as usize);
        let spelled = std::str::from_utf8(&bytes[span[0]..span[1]]).unwrap();
        assert_eq!(spelled, format!("http://раypal.com/login/{number}"));
        assert_eq!(line["spelling"], format!("hxxp://раypal[.]com/login/{number}"));
        assert_eq!(line["message_id"], format!("{number}@mail.example"));
        assert_eq!(line["ascii"], "xn--ypal-43d9g.com");
        assert_eq!(line["verdict"], "unsafe");
        assert_eq!(line["action"], "edit");
    }
}

#[test]
fn exit_codes() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("good.eml"), ham(1)).unwrap();
    fs::write(folder.path().join("bad.eml"), phish(1)).unwrap();
    fs::write(folder.path().join("notes.zip"), b"PK\x03\x04....").unwrap();
    assert_eq!(scan(folder.path(), &["good.eml"]).status.code(), Some(0));
    assert_eq!(scan(folder.path(), &["bad.eml"]).status.code(), Some(1));
    let both = scan(folder.path(), &["missing.eml", "notes.zip", "bad.eml"]);
    assert_eq!(both.status.code(), Some(2));
    assert_eq!(lines(&both).len(), 1, "the rest is still scanned");
    let said = String::from_utf8_lossy(&both.stderr).into_owned();
    assert!(said.contains("missing.eml: "), "{said}");
    assert!(said.contains("notes.zip: expected mail, found a zip archive"), "{said}");
    assert_eq!(scan(folder.path(), &[]).status.code(), Some(2));
    // An incomplete header may contain anything.
    let long = format!(
        "{}{}",
        "X-Filler: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n".repeat(30_000),
        ham(1)
    );
    fs::write(folder.path().join("long.eml"), long).unwrap();
    let long = scan(folder.path(), &["long.eml"]);
    assert_eq!(long.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&long.stderr).contains("limit:header 1"));
}

#[test]
fn a_scan_that_finds_no_message_says_so_and_leaves_its_output() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("empty")).unwrap();
    fs::write(folder.path().join("found.jsonl"), "of yesterday").unwrap();
    let output = scan(folder.path(), &["empty", "--out", "found.jsonl"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("no message was found: found.jsonl is not written"), "{said}");
    assert_eq!(fs::read_to_string(folder.path().join("found.jsonl")).unwrap(), "of yesterday");
    let output = scan(folder.path(), &["empty"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("no message was found\n"));
}

#[test]
fn the_output_does_not_depend_on_the_cores() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("mail/cur")).unwrap();
    fs::create_dir_all(folder.path().join("mail/new")).unwrap();
    for number in 0..300 {
        fs::write(folder.path().join(format!("mail/cur/{number}:2,S")), phish(number)).unwrap();
    }
    fs::write(folder.path().join("old.mbox"), mbox(6000)).unwrap();
    for format in ["jsonl", "csv", "summary", "html", "stix"] {
        let one = scan(folder.path(), &["--format", format, "--jobs", "1", "."]);
        let many = scan(folder.path(), &["--format", format, "--jobs", "7", "."]);
        assert_eq!(one.status.code(), Some(1));
        assert!(!one.stdout.is_empty());
        assert!(one.stdout == many.stdout, "{format}");
    }
}

#[test]
fn every_container_gives_the_same_findings() {
    let folder = tempfile::tempdir().unwrap();
    let mail = mbox(40);
    fs::write(folder.path().join("plain.mbox"), &mail).unwrap();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(mail.as_bytes()).unwrap();
    fs::write(folder.path().join("a.gz"), gzip.finish().unwrap()).unwrap();
    fs::write(folder.path().join("a.zst"), zstd::encode_all(mail.as_bytes(), 1).unwrap()).unwrap();
    let mut xz = liblzma::write::XzEncoder::new(Vec::new(), 1);
    xz.write_all(mail.as_bytes()).unwrap();
    fs::write(folder.path().join("a.xz"), xz.finish().unwrap()).unwrap();
    let mut archive = tar::Builder::new(Vec::new());
    archive.append_path_with_name(folder.path().join("plain.mbox"), "inner.mbox").unwrap();
    fs::write(folder.path().join("a.tar"), archive.into_inner().unwrap()).unwrap();
    let bare = |output: &Output| -> Vec<serde_json::Value> {
        let mut found = lines(output);
        found.iter_mut().for_each(|line| line["source"] = "x".into());
        found
    };
    let plain = bare(&scan(folder.path(), &["plain.mbox"]));
    assert_eq!(plain.len(), 10);
    for name in ["a.gz", "a.zst", "a.xz", "a.tar"] {
        assert_eq!(bare(&scan(folder.path(), &[name])), plain, "{name}");
    }
    let tape = fs::read(folder.path().join("a.tar")).unwrap().repeat(2);
    fs::write(folder.path().join("tape.tar"), tape).unwrap();
    assert_eq!(scan(folder.path(), &["tape.tar"]).stdout.lines().count(), 2 * plain.len());
    let mut child = Command::new(env!("CARGO_BIN_EXE_linkmilter"))
        .args(["scan", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(mail.as_bytes()).unwrap();
    assert_eq!(bare(&child.wait_with_output().unwrap()), plain);
}

#[test]
fn lists_of_paths_and_ranges() {
    let folder = tempfile::tempdir().unwrap();
    let mail = mbox(40);
    fs::write(folder.path().join("all.mbox"), &mail).unwrap();
    fs::write(folder.path().join("one.eml"), phish(1)).unwrap();
    let middle = mail[mail.len() / 2..].find("From bob@").unwrap() + mail.len() / 2;
    let list =
        format!("mbox:0-{middle}:all.mbox\0mbox:{middle}-{}:all.mbox\0one.eml\0", mail.len());
    fs::write(folder.path().join("list"), list).unwrap();
    let listed = scan(folder.path(), &["--files0-from", "list"]);
    let named = scan(folder.path(), &["all.mbox", "one.eml"]);
    assert_eq!(lines(&named).len(), 11);
    assert_eq!(lines(&listed), lines(&named));
}

#[test]
fn a_killed_scan_continues_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("all.mbox"), mbox(12_000)).unwrap();
    let whole = scan(folder.path(), &["all.mbox", "--out", "whole.jsonl"]);
    assert_eq!(whole.status.code(), Some(1));
    let args = ["all.mbox", "--out", "part.jsonl", "--resume", "journal", "--jobs", "1"];
    let mut interrupted = 0;
    loop {
        let mut child = Command::new(env!("CARGO_BIN_EXE_linkmilter"))
            .arg("scan")
            .args(args)
            .current_dir(folder.path())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Killed as soon as it has made progress; the last run may finish.
        let before = fs::read(folder.path().join("journal")).unwrap_or_default();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            let journal = fs::read(folder.path().join("journal")).unwrap_or_default();
            if interrupted < 8 && journal != before {
                child.kill().unwrap();
            }
            std::thread::yield_now();
        };
        if status.code() == Some(1) {
            break;
        }
        assert_eq!(status.code(), None, "killed, not failed");
        interrupted += 1;
    }
    assert!(interrupted > 0, "the scan was never interrupted");
    let whole = fs::read(folder.path().join("whole.jsonl")).unwrap();
    assert!(!whole.is_empty());
    assert!(fs::read(folder.path().join("part.jsonl")).unwrap() == whole);
    assert!(!folder.path().join("journal").exists());
}

#[test]
fn a_journal_of_other_sources_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("all.mbox"), mbox(5_000)).unwrap();
    let args = ["scan", "all.mbox", "--resume", "journal", "--jobs", "1", "--out", "x"];
    let mut child = Command::new(env!("CARGO_BIN_EXE_linkmilter"))
        .args(args)
        .current_dir(folder.path())
        .spawn()
        .unwrap();
    // The journal is there from the start; then it counts batches.
    let begun = || {
        let journal = fs::read_to_string(folder.path().join("journal")).unwrap_or_default();
        !journal.is_empty() && !journal.contains("\"batches\":0")
    };
    while !begun() && child.try_wait().unwrap().is_none() {}
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(begun(), "done before it could be killed");
    fs::write(folder.path().join("all.mbox"), &mbox(5_000)[1_000..]).unwrap();
    let again = scan(folder.path(), &args[1..]);
    assert_eq!(again.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&again.stderr).contains("sources changed"));
}

#[test]
fn an_interrupt_leaves_complete_lines() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("all.mbox"), mbox(12_000)).unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_linkmilter"))
        .args(["scan", "all.mbox", "--resume", "journal", "--jobs", "1"])
        .current_dir(folder.path())
        .stdout(fs::File::create(folder.path().join("out")).unwrap())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while fs::metadata(folder.path().join("out")).unwrap().len() == 0 {
        std::thread::yield_now();
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    let first = fs::read_to_string(folder.path().join("out")).unwrap();
    assert!(first.ends_with('\n'));
    if output.status.code() == Some(1) {
        return; // it was done before the signal came
    }
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("interrupted after"));
    let rest = scan(folder.path(), &["all.mbox", "--resume", "journal", "--jobs", "1"]);
    let whole = scan(folder.path(), &["all.mbox"]);
    assert!([first.into_bytes(), rest.stdout].concat() == whole.stdout);
}

/// What a scan of its standard input says that gets a signal in the middle of it.
fn signalled_at_work(mut child: Child, signal: &str) -> Output {
    // More than is read ahead: so it is at work, and its handlers are there.
    let mut input = child.stdin.take().unwrap();
    input.write_all(mbox(60_000).as_bytes()).unwrap();
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
    drop(input);
    child.wait_with_output().unwrap()
}

/// A terminal that goes away ends a scan as Ctrl-C does, but for one below `nohup`.
#[test]
fn a_hangup_leaves_nothing_half_written() {
    for (option, code, begins) in
        [("--default-signal=HUP", 2, "old"), ("--ignore-signal=HUP", 1, "{\"schema\"")]
    {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("out"), "old").unwrap();
        // Whatever began the tests had done with the signal.
        let child = Command::new("env")
            .args([option, env!("CARGO_BIN_EXE_linkmilter"), "scan", "-", "--out", "out"])
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let output = signalled_at_work(child, "-HUP");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{option}: {said}");
        assert!(fs::read_to_string(folder.path().join("out")).unwrap().starts_with(begins));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{option}");
    }
}

/// What was written of it: lines one by one, or the whole of a form at its end.
#[test]
fn an_interrupted_scan_says_what_was_written() {
    for (format, expected) in
        [("csv", "the lines written are complete"), ("html", "nothing is written")]
    {
        let child = Command::new(env!("CARGO_BIN_EXE_linkmilter"))
            .args(["scan", "-", "--format", format])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let output = signalled_at_work(child, "-TERM");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(expected), "{format}: {said}");
    }
}

#[test]
fn sources_that_were_not_read_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let opaque = "From: a@example.org\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n";
    fs::write(folder.path().join("opaque.eml"), opaque).unwrap();
    fs::write(folder.path().join("x.zip"), b"PK\x03\x04").unwrap();
    let output = scan(folder.path(), &["--account", "."]);
    assert_eq!(output.status.code(), Some(2));
    let found = lines(&output);
    let records: Vec<&str> = found.iter().map(|line| line["record"].as_str().unwrap()).collect();
    assert_eq!(records, ["bypass", "unread"]);
    assert_eq!(found[0]["why"], "opaque");
    assert_eq!(found[1]["source"], "./x.zip");
}

#[test]
fn all_links_and_the_second_parser() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("all.mbox"), mbox(8)).unwrap();
    let found = lines(&scan(folder.path(), &["--all-links", "all.mbox"]));
    let links = found.iter().filter(|line| line["record"] == "link").count();
    assert!(links >= 6, "{links}");
    assert_eq!(found.iter().filter(|line| line["record"] == "finding").count(), 2);
    let summary = scan(folder.path(), &["--witness", "--format", "summary", "all.mbox"]);
    let text = String::from_utf8(summary.stdout).unwrap();
    assert!(text.contains("8  messages read by the second parser"), "{text}");
    assert!(!text.contains("differs"), "{text}");
}

#[test]
fn the_diff_applies() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("bad.eml", phish(1)), ("good.eml", ham(1))] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let output = scan(folder.path(), &["--diff", "bad.eml", "good.eml"]);
    assert_eq!(output.status.code(), Some(1));
    fs::write(folder.path().join("diff"), &output.stdout).unwrap();
    let apply = Command::new("git")
        .args(["apply", "--include=*.eml", "diff"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(apply.status.success(), "{}", String::from_utf8_lossy(&apply.stderr));
    let patched = fs::read_to_string(folder.path().join("bad.eml")).unwrap();
    assert!(patched.contains("hxxp://xn--ypal-43d9g[.]com/login/1"), "{patched}");
    assert_eq!(fs::read_to_string(folder.path().join("good.eml")).unwrap(), ham(1));
}

/// The counts over the real mail of the test data, by folder. A changed judgement shows up here and
/// has to be explained. Counts only, no names: the mail belongs to others.
#[test]
fn counts_over_real_mail() {
    let Some(mail) = common::testdata("mail", "the counts over real mail") else { return };
    let mut folders: Vec<PathBuf> =
        fs::read_dir(mail).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    let mut text = format!("{:<24}{:>9}{:>9}{:>8}", "folder", "messages", "links", "edited");
    for verdict in Verdict::ALL.into_iter().skip(1) {
        let _ = write!(text, "{:>9}", verdict.as_str());
    }
    let mut all = Tally::default();
    for folder in folders {
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let tally = tally(folder);
        row(&mut text, &name, &tally);
        all.merge(tally);
    }
    row(&mut text, "all", &all);
    text.push_str("\n\nfindings by reason\n");
    for (reason, count) in &all.reasons {
        let _ = writeln!(text, "{count:>9}  {reason}");
    }
    text.push_str("\nparts not read\n");
    for (why, count) in &all.bypasses {
        let _ = writeln!(text, "{count:>9}  {why}");
    }
    let _ = writeln!(text, "\n{:>9}  messages without a header", all.headless);
    let _ = writeln!(text, "{:>9}  sources not read", all.unread);
    insta::assert_snapshot!(text);
}

fn row(text: &mut String, name: &str, tally: &Tally) {
    let _ = write!(text, "\n{name:<24}{:>9}{:>9}{:>8}", tally.messages, tally.links, tally.edited);
    for count in tally.by_verdict.iter().skip(1) {
        let _ = write!(text, "{count:>9}");
    }
}

fn tally(folder: PathBuf) -> Tally {
    let settings = ScanSettings {
        policy: Policy { header_fields: HeaderFields::Omit, ..Policy::default() },
        facts: Facts::default(),
        results: None,
        tlds: linkmilter::tld::builtin(),
        dns: None,
        format: OutputFormat::Counts,
        min_verdict: Verdict::Notice,
        gap_lines: GapLines::Omit,
        crosscheck: CrossCheck::Off,
        max_message: 256 << 20,
        judgements: Judgements::default(),
    };
    let (progress, stop) = (Progress::hidden(), AtomicBool::new(false));
    let (settings, progress, stop) = (&settings, &progress, &stop);
    let scan = Scan { settings, jobs: 2, progress, stop, journal: None, own_files: &[] };
    scan.run(std::iter::once(Input::Path(folder)), &mut std::io::sink()).unwrap().tally
}
