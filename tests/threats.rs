//! `docs/threats.md` is the table of all bounds: of the configuration (its keys with a range) and of every
//! constant of the source (`tests/data/bounds.tsv`); and every bound has a test.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use linkmilter::engine::limits::Limits;
use linkmilter::engine::outcome::Bypass;
use linkmilter::engine::{Answers, Facts, Message, Outcome, Policy, inspect, splice};
use linkmilter::tld;

fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn text(path: &str) -> String {
    fs::read_to_string(project(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A line of `tests/data/bounds.tsv`.
struct Row {
    kind: String,
    place: String,
    unit: String,
    reason: String,
    effect: String,
    test: String,
}

fn rows() -> Vec<Row> {
    text("tests/data/bounds.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let fields: Vec<String> = line.split('\t').map(str::to_owned).collect();
            let [kind, place, unit, reason, effect, test] =
                fields.try_into().unwrap_or_else(|found| panic!("six fields, found {found:?}"));
            Row { kind, place, unit, reason, effect, test }
        })
        .collect()
}

/// A key that takes a number, as `conf/linkmilter.toml` has it.
struct Key {
    path: String,
    default: String,
    range: String,
    doc: String,
}

fn keys() -> Vec<Key> {
    let (mut section, mut comment, mut keys) = (String::new(), Vec::new(), Vec::new());
    for line in text("conf/linkmilter.toml").lines() {
        let bare = line.trim_start_matches("# ");
        if let Some(name) = bare.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = name.to_owned();
        } else if let Some(words) = line.strip_prefix("# ") {
            comment.push(words.to_owned());
            continue;
        } else if let Some((name, default)) =
            line.trim_start_matches('#').split_once('=').filter(|_| !line.is_empty())
        {
            let taken = comment.iter().position(|words| words.starts_with("Takes "));
            let taken = taken.map(|at| (comment[..at].join(" "), comment[at].clone()));
            if let Some((doc, range)) = taken.filter(|(_, takes)| takes.contains(" from ")) {
                let range = range.split_once(" from ").unwrap().1;
                let range = range.split([',', '.']).next().unwrap().to_owned();
                let path = format!("{section}.{}", name.trim());
                let default = default.trim().trim_matches('"').to_owned();
                keys.push(Key { path, default, range, doc });
            }
        }
        comment.clear();
    }
    keys
}

/// The numbers of the source: `path NAME` and the value. Tests and generated tables apart.
fn constants() -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut folders = vec![project("src"), project("crates")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(project("")).unwrap().to_str().unwrap().to_owned();
            if path.is_dir() && !name.ends_with("/tests") {
                folders.push(path);
            } else if name.ends_with(".rs") && !name.ends_with("_table.rs") {
                let source = text(&name);
                let source = source.split("#[cfg(test)]\nmod tests").next().unwrap();
                for (constant, value) in source.lines().filter_map(constant) {
                    found.entry(format!("{name} {constant}")).or_default().push(value);
                }
            }
        }
    }
    found
}

/// `const NAME: usize = 8 << 10;` and the like.
fn constant(line: &str) -> Option<(String, String)> {
    let (before, after) = line.trim_start().split_once("const ")?;
    let visible = before.is_empty() || before.starts_with("pub");
    let (name, rest) = after.split_once(": ")?;
    let (kind, value) = rest.split_once(" = ")?;
    let number = matches!(kind, "usize" | "u64" | "u32" | "u16" | "u8" | "Duration");
    let upper = name.bytes().all(|c| c.is_ascii_uppercase() || c == b'_' || c.is_ascii_digit());
    let value = value.split("; //").next()?.trim_end_matches(';');
    (visible && number && upper).then(|| (name.to_owned(), shown(value)))
}

/// A value as people write it.
fn shown(value: &str) -> String {
    let product = |text: &str| -> Option<u64> {
        let text = text.trim_matches(['(', ')']).replace('_', "");
        let (text, plus) = match text.split_once(") + ") {
            Some((text, plus)) => (text.to_owned(), plus.parse().ok()?),
            None => (text, 0),
        };
        let factors = text.split(" * ").map(|factor| match factor.split_once(" << ") {
            Some((base, bits)) => Some(base.parse::<u64>().ok()? << bits.parse::<u32>().ok()?),
            None => factor.parse().ok(),
        });
        factors.product::<Option<u64>>().map(|number| number + plus)
    };
    let inside = |prefix: &str| value.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(')'));
    if let Some(seconds) = inside("Duration::from_secs(").and_then(product) {
        return match seconds {
            0..120 => format!("{seconds} s"),
            120..7_200 => format!("{} min", seconds / 60),
            7_200..172_800 => format!("{} h", seconds / 3_600),
            _ => format!("{} d", seconds / 86_400),
        };
    }
    if let Some(millis) = inside("Duration::from_millis(").and_then(product) {
        return format!("{millis} ms");
    }
    product(value).map_or_else(|| value.to_owned(), |number| number.to_string())
}

/// Where each test stands: its name, its file.
fn tests() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![project("src"), project("crates"), project("tests")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(project("")).unwrap().to_str().unwrap().to_owned();
                let source = text(&name);
                let lines: Vec<&str> = source.lines().map(str::trim).collect();
                for (at, line) in lines.iter().enumerate() {
                    let named = line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ");
                    let marked = lines[at.saturating_sub(4)..at]
                        .iter()
                        .rev()
                        .take_while(|line| !line.starts_with('}'));
                    let marked = marked
                        .into_iter()
                        .any(|line| line.starts_with("#[") && line.contains("test"));
                    if let Some(named) = named.filter(|_| marked) {
                        let test = named.split(['(', '<']).next().unwrap();
                        found.insert(test.to_owned(), name.clone());
                    }
                }
            }
        }
    }
    found
}

fn page() -> String {
    let (tests, rows, constants) = (tests(), rows(), constants());
    let proof = |test: &str| {
        let file = tests.get(test).unwrap_or_else(|| panic!("no test named {test}"));
        format!("[`{test}`](../{file})")
    };
    let mut page = String::from(
        "# Bounds\n\nWhat hostile mail, a broken peer or a long run can cost, and where it ends. \
         Generated: `UPDATE=1 cargo test --test threats` writes this page from \
         `conf/linkmilter.toml` and, in `tests/data`, `bounds.tsv`, `restoring.md` and `beyond.md`.\n\n\
         ## In the engine, for one message\n\n\
         | bound | default | unit | why | when it is reached | test |\n\
         | --- | ---: | --- | --- | --- | --- |\n",
    );
    let value = |place: &String| {
        let values = constants.get(place).unwrap_or_else(|| panic!("{place} is not in the source"));
        values.join(", ")
    };
    let keys = keys();
    for Row { kind, place, unit, reason, effect, test } in &rows {
        let (name, default) = match kind.split_once(' ') {
            Some(("engine", name)) => (name, value(place)),
            None if kind == "limit" => (
                place.as_str(),
                keys.iter().find(|key| key.path == *place).unwrap().default.clone(),
            ),
            _ => continue,
        };
        let proof = proof(test);
        writeln!(page, "| `{name}` | {default} | {unit} | {reason} | {effect} | {proof} |")
            .unwrap();
    }
    page.push_str(
        "\n## Settings of the daemon\n\n| key | default | range | what and why | when it is reached | test |\n\
         | --- | ---: | --- | --- | --- | --- |\n",
    );
    for key in keys {
        let row = rows.iter().find(|row| row.kind == "key" && row.place == key.path);
        let Some(Row { effect, test, .. }) = row else { continue };
        let Key { path, default, range, doc } = key;
        let doc = doc.replace('|', "\\|");
        let proof = proof(test);
        writeln!(page, "| `{path}` | {default} | {range} | {doc} | {effect} | {proof} |").unwrap();
    }
    page.push_str(
        "\n## Fixed, everywhere else\n\n| bound | value | unit | why | when it is reached | test |\n\
         | --- | ---: | --- | --- | --- | --- |\n",
    );
    for Row { place, unit, reason, effect, test, .. } in
        rows.iter().filter(|row| row.kind == "const")
    {
        let value = value(place);
        let (file, name) = place.split_once(' ').unwrap();
        let proof = proof(test);
        writeln!(
            page,
            "| [`{name}`](../{file}) | {value} | {unit} | {reason} | {effect} | {proof} |"
        )
        .unwrap();
    }
    page + &text("tests/data/restoring.md") + &text("tests/data/beyond.md")
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

/// A limit that is added to the struct and not to the table or the configuration shows here.
#[test]
fn every_limit_is_a_key() {
    let shown = format!("{:?}", Limits::default());
    let fields = shown.split(": ").filter_map(|before| before.rsplit([' ', '{']).next());
    let fields: BTreeSet<String> = fields.map(|name| format!("limits.{name}")).collect();
    let rows = rows();
    for field in fields.iter().filter(|field| !field.ends_with('}')) {
        assert!(rows.iter().any(|row| row.kind == "limit" && row.place == *field), "{field}");
    }
    let keys: BTreeSet<String> = keys().into_iter().map(|key| key.path).collect();
    for row in rows.iter().filter(|row| row.kind == "limit") {
        assert!(fields.contains(&row.place) && keys.contains(&row.place), "{}", row.place);
    }
}

/// Constants that are bounds by their names.
fn is_named_a_bound(place: &str) -> bool {
    let name = place.rsplit(' ').next().unwrap();
    name.split('_').any(|word| matches!(word, "MAX" | "MOST"))
}

#[test]
fn no_key_and_no_number_that_is_called_a_bound_is_missing() {
    let rows = rows();
    let known: BTreeSet<&str> = rows.iter().map(|row| row.place.as_str()).collect();
    assert_eq!(known.len(), rows.len(), "a place stands twice");
    let constants = constants();
    let missing: Vec<&String> = constants
        .keys()
        .filter(|place| is_named_a_bound(place))
        .filter(|place| !known.contains(place.as_str()))
        .collect();
    assert!(missing.is_empty(), "not in the tables of bounds: {missing:#?}");
    let keys: Vec<String> = keys().into_iter().map(|key| key.path).collect();
    assert!(keys.len() > 25, "{keys:?}");
    for key in &keys {
        assert!(known.contains(key.as_str()), "{key} is not in tests/data/bounds.tsv");
    }
    for row in &rows {
        let is_whole = !row.unit.is_empty() && !row.effect.is_empty() && row.reason.ends_with('.');
        let (there, said) = match row.kind.split(' ').next().unwrap() {
            "const" | "engine" => (constants.contains_key(&row.place), is_whole),
            "limit" => (keys.contains(&row.place), is_whole),
            "key" => (keys.contains(&row.place), !row.effect.is_empty()),
            "none" => (keys.contains(&row.place), !row.reason.is_empty()),
            other => panic!("{other}"),
        };
        assert!(there, "{} is no longer there", row.place);
        assert!(said, "{}: unit, reason and effect", row.place);
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
    outcome
        .bypasses
        .iter()
        .any(|(_, why)| matches!(why, Bypass::Limit(reached) if reached.name() == limit))
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
    let lies: String = (0..50).map(|n| format!("https://p\u{430}ypal.com/{n}\r\n")).collect();
    let fine: String = (0..50).map(|n| format!("https://host{n}.example.com/\r\n")).collect();
    let head = "Content-Type: text/plain\r\n";
    let small = Limits { links: 10, ..Limits::default() };
    for limits in [small, Limits::default()] {
        let read = outcome(limits, head, &format!("{fine}{lies}"));
        assert_eq!(read.bypasses, []);
        assert_eq!((read.links, read.edited()), (100, 50));
        assert_eq!(read.findings.len(), limits.links.min(50));
        assert_eq!(read.more.links, 50 - read.findings.len());
    }
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

/// Whoever opens the message sees the page, whatever is attached in front of it.
#[test]
fn what_is_attached_does_not_use_up_the_steps_of_what_is_shown() {
    let lies: String = (0..10_000).map(|n| format!("http://p\u{430}ypal{n}.com/\r\n")).collect();
    let page = "<a href=\"https://www.p\u{430}ypal.com/real\">x</a>";
    let body = format!(
        "--b\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Disposition: attachment\r\n\r\n{lies}\r\n\
         --b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{page}\r\n--b--\r\n"
    );
    let read = outcome(Limits::default(), "Content-Type: multipart/mixed; boundary=b\r\n", &body);
    assert!(reached(&read, "steps"));
    let edited = splice::apply(body.as_bytes(), &read.edits).to_vec();
    assert!(!String::from_utf8_lossy(&edited).contains("www.p\u{430}ypal.com/real"));
}

#[test]
fn links_of_a_small_message_are_bounded_by_its_size() {
    let lies = |count: usize| -> String {
        (0..count).map(|n| format!("http://p\u{430}ypal.com/{n}\r\n")).collect()
    };
    // Steps for all of them: memory is what is bounded here.
    let many = || Limits { steps_per_byte: 100, ..Limits::default() };
    let read = outcome(many(), "Content-Type: text/plain\r\n", &lies(20_000));
    assert_eq!((read.edited(), read.bypasses), (20_000, Vec::new()));
    assert!(read.findings.len() < 10_000, "{}", read.findings.len());
    // Close links share their edits.
    let read = outcome(many(), "Content-Type: text/plain\r\n", &lies(60_000));
    assert_eq!((read.edited(), read.bypasses), (60_000, Vec::new()));
    assert!(read.edits.len() < 30_000, "{}", read.edits.len());
    // But not across the lines of an encoding that has lines of its own.
    let quoted = "Content-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable\r\n";
    let read = outcome(many(), quoted, &"p\u{430}ypal.com\r\n".repeat(120_000));
    assert!(reached(&read, "links"), "{:?}", read.bypasses);
    assert!(read.edited() > 60_000, "{}", read.edited());
    let fine: String = (0..30_000).map(|n| format!("www.example{n}.com\r\n")).collect();
    let read = outcome(Limits::default(), "Content-Type: text/plain\r\n", &fine);
    assert!(!reached(&read, "links") && read.links == 30_000, "{:?}", read.bypasses);
}

#[test]
fn very_many_documents_are_left_out() {
    let documents = |count: usize| "<iframe srcdoc=x></iframe>".repeat(count);
    let read = |count| outcome(Limits::default(), "Content-Type: text/html\r\n", &documents(count));
    let some = read(16 << 10);
    assert!(some.bypasses.is_empty(), "{:?}", some.bypasses);
    let many = read((16 << 10) + 1);
    assert!(reached(&many, "documents"), "{:?}", many.bypasses);
}

#[test]
fn documents_in_documents_are_bounded() {
    let escaped =
        |text: &str| text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    let nested = |levels: usize| {
        let link = "<a href=\"https://xn--80ak6aa92e.com/\">receipt</a>".to_owned();
        (0..levels)
            .fold(link, |inner, _| format!("<iframe srcdoc=\"{}\"></iframe>", escaped(&inner)))
    };
    let head = "Content-Type: text/html\r\n";
    for levels in [1, 3] {
        let read = outcome(Limits::default(), head, &nested(levels));
        assert!(read.verdict >= linkmilter::engine::Verdict::Unsafe, "{levels}");
        assert!(!read.edits.is_empty(), "{levels}");
    }
    let deep = outcome(Limits::default(), head, &nested(200));
    assert!(!reached(&deep, "steps"), "{:?}", deep.bypasses);
    for levels in [5, 9, 200] {
        let read = outcome(Limits::default(), head, &nested(levels));
        assert!(reached(&read, "documents"), "{levels}: {:?}", read.bypasses);
        assert!(read.verdict >= linkmilter::engine::Verdict::Suspect, "{levels}");
    }
}
