//! The output of `linkmilter scan` against its documentation: the lines against
//! docs/scan.schema.json, the rows against the lines, the bundle against STIX 2.1.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use linkmilter::engine::Reason;
use linkmilter::record::csv::COLUMNS;
use serde_json::Value;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn scan(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_linkmilter"));
    command.arg("scan").args(args).current_dir(ROOT).output().unwrap()
}

fn lines(output: &Output) -> Vec<Value> {
    let text = std::str::from_utf8(&output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn schema() -> Value {
    let text = fs::read_to_string(Path::new(ROOT).join("docs/scan.schema.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Names of the fields of a kind of line, in order of their names.
fn fields(schema: &Value, kind: &str) -> BTreeSet<String> {
    schema["$defs"][kind]["properties"].as_object().unwrap().keys().cloned().collect()
}

/// A folder with every kind of line: a misleading link, a good link, a header, an opaque part, a
/// file that is no mail.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write(
        "lie.eml",
        "From: \"paypal.com\" <a@Evil.example>\nDate: Thu, 22 Aug 2024 12:36:23 +0200\n\
         Message-ID: <1@evil.example>\nMIME-Version: 1.0\nContent-Type: text/html; charset=utf-8\n\n\
         <a href=\"http://xn--ypal-43d9g.com/a,b\">http://раypal.com</a> <a href='javascript:x'>y</a>\n\
         http://www.example.com/ http://192.0.2.7/ http://a@раypal.com/\n",
    );
    write("bare.eml", "Subject: no date, no sender\n\nhttp://раypal.com/\u{202e}\"x;y\n");
    write("opaque.eml", "From: a@example.org\nContent-Type: application/pgp-encrypted\n\nx\n");
    write("notes.zip", "PK\u{3}\u{4}");
    write("=1+1,\"quoted\".eml", "From: =2@example.org\n\nhttp://раypal.com/\n");
    folder
}

/// The mail that is checked: made for this test, and the real mail if it is there.
fn sources(made: &tempfile::TempDir) -> Vec<String> {
    let mut sources = vec![PathBuf::from("corpus"), made.path().to_owned()];
    sources.extend(common::testdata("mail", "the forms over real mail"));
    sources.into_iter().map(|path| path.to_str().unwrap().to_owned()).collect()
}

#[test]
fn every_line_fits_the_schema() {
    let made = folder();
    let validator = jsonschema::validator_for(&schema()).unwrap();
    let sources = sources(&made);
    let mut args = vec!["--all-links", "--account"];
    args.extend(sources.iter().map(String::as_str));
    let found = lines(&scan(&args));
    let mut kinds = BTreeSet::new();
    for line in &found {
        let wrong: Vec<String> = validator
            .iter_errors(line)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(wrong.is_empty(), "{line}\n{wrong:#?}");
        kinds.insert(line["record"].as_str().unwrap());
    }
    assert_eq!(kinds, BTreeSet::from(["bypass", "finding", "link", "unread"]));
}

/// The schema refuses invalid lines. Otherwise the test above would prove nothing.
#[test]
fn the_schema_is_strict() {
    let made = folder();
    let validator = jsonschema::validator_for(&schema()).unwrap();
    let path = made.path().join("lie.eml");
    let good = lines(&scan(&[path.to_str().unwrap()])).remove(0);
    assert!(validator.is_valid(&good), "{good}");
    for (field, value) in [
        ("schema", Value::from(2)),
        ("record", "link".into()),
        ("offset", (-1).into()),
        ("date", "yesterday".into()),
        ("part", "1..2".into()),
        ("place", "".into()),
        ("span", serde_json::json!([1])),
        ("span", serde_json::json!([1, 2, 3])),
        ("spelling", "http://evil.example".into()),
        ("ascii", "раypal.com".into()),
        ("verdict", "ok".into()),
        ("reasons", serde_json::json!(["no-such-reason"])),
        ("action", "delete".into()),
        ("more", 1.into()),
    ] {
        let mut line = good.clone();
        line[field] = value;
        assert!(!validator.is_valid(&line), "{field}: {line}");
    }
    for field in fields(&schema(), "link") {
        let mut line = good.clone();
        line.as_object_mut().unwrap().remove(&field);
        assert!(!validator.is_valid(&line), "without {field}");
    }
}

/// Schema, page, columns and Parquet have the same fields.
#[test]
fn schema_page_columns_and_parquet_name_the_same_fields() {
    let schema = schema();
    let codes: Vec<&str> = Reason::ALL.iter().map(|reason| reason.code()).collect();
    assert_eq!(
        schema["$defs"]["link"]["properties"]["reasons"]["items"]["enum"],
        serde_json::json!(codes)
    );
    let (link, gap) = (fields(&schema, "link"), fields(&schema, "gap"));

    let page = fs::read_to_string(Path::new(ROOT).join("docs/scan.md")).unwrap();
    let table = page.split("## The lines").nth(1).unwrap().split("\n\n").nth(2).unwrap();
    let named = table.lines().skip(2).map(|row| row.split('`').nth(1).unwrap().to_owned());
    assert_eq!(named.collect::<BTreeSet<_>>(), link);
    let sentence = page.split("`bypass` lines").nth(1).unwrap().split("\n\n").next().unwrap();
    gap.iter().for_each(|field| assert!(sentence.contains(&format!("`{field}`")), "{field}"));

    // `span` takes two columns.
    let split = |fields: &BTreeSet<String>| -> BTreeSet<String> {
        let ends = ["span_start", "span_end"].map(str::to_owned);
        fields.iter().filter(|field| *field != "span").cloned().chain(ends).collect()
    };
    assert_eq!(COLUMNS.map(str::to_owned).into_iter().collect::<BTreeSet<_>>(), split(&link));
    let spark = fs::read_to_string(Path::new(ROOT).join("corpus/spark_scan.py")).unwrap();
    let parquet = spark.split("StructField(\"").skip(1);
    let parquet: BTreeSet<String> =
        parquet.map(|rest| rest.split('"').next().unwrap().to_owned()).collect();
    assert_eq!(parquet, split(&link.union(&gap).cloned().collect()));
}

#[test]
fn a_row_holds_what_its_line_holds() {
    let made = folder();
    let path = made.path().to_str().unwrap();
    let args = ["--all-links", "corpus", path];
    let found = lines(&scan(&args));
    let table = scan(&[&["--format", "csv"][..], &args].concat());
    let rows = rows(std::str::from_utf8(&table.stdout).unwrap());
    assert_eq!(rows[0], COLUMNS);
    assert_eq!(rows.len(), found.len() + 1);
    let mut guarded = 0;
    for (row, line) in rows[1..].iter().zip(&found) {
        for (name, cell) in COLUMNS.iter().zip(row) {
            let text = match *name {
                "span_start" => line["span"][0].to_string(),
                "span_end" => line["span"][1].to_string(),
                "reasons" => {
                    let reasons = line["reasons"].as_array().unwrap().iter();
                    reasons.map(|it| it.as_str().unwrap()).collect::<Vec<_>>().join(" ")
                }
                name => match &line[name] {
                    Value::String(text) => text.clone(),
                    Value::Null => String::new(),
                    other => other.to_string(),
                },
            };
            let plain = cell.strip_prefix('\'').unwrap_or(cell);
            guarded += usize::from(plain.len() < cell.len());
            assert_eq!(plain, text, "{name}");
            assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r']), "{name}: {cell}");
            assert!(!cell.contains(char::is_control), "{name}: {cell:?}");
        }
    }
    assert!(guarded > 0, "no cell began like a formula");
}

/// RFC 4180.
fn rows(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => cell.extend(chars.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut cell)),
            '\r' if !quoted => {
                assert_eq!(chars.next(), Some('\n'), "a row ends in CR LF");
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            c => cell.push(c),
        }
    }
    assert!(!quoted && row.is_empty() && cell.is_empty(), "the last row is whole");
    rows
}

/// The clauses of STIX 2.1 for a bundle of indicators. `tests/run stix` uses the library of OASIS
/// as well.
#[test]
fn the_bundle_is_stix_2_1() {
    let made = folder();
    // Addresses are listed only by the block list.
    let config = made.path().join("config");
    fs::write(&config, "[lists]\nblocked = [\"192.0.2.7\"]\n").unwrap();
    let sources = sources(&made);
    let mut args = vec!["--format", "stix", "--config", config.to_str().unwrap()];
    args.extend(sources.iter().map(String::as_str));
    let output = scan(&args);
    let bundle: Value = serde_json::from_slice(&output.stdout).unwrap();
    // §8: a bundle has a type and an id, no spec_version, and a list of objects that is not empty.
    let names: Vec<&String> = bundle.as_object().unwrap().keys().collect();
    assert_eq!(names, ["id", "objects", "type"]);
    assert_eq!(bundle["type"], "bundle");
    assert_identifier(&bundle);
    let objects = bundle["objects"].as_array().unwrap();
    let ids: BTreeSet<&str> = objects.iter().map(|it| it["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), objects.len(), "§2.9: an identifier names one object");
    assert_eq!(objects[0]["type"], "identity", "§4.5");
    assert_eq!(objects[0]["identity_class"], "system", "§10.10");
    let mut patterns = BTreeSet::new();
    for object in objects {
        assert_common(object);
        if object["type"] == "indicator" {
            assert_eq!(object["created_by_ref"], objects[0]["id"], "§3.2");
            patterns.insert(assert_indicator(object));
        }
    }
    let has = |pattern: &str| patterns.contains(pattern);
    assert!(has("[domain-name:value = 'xn--ypal-43d9g.com']"), "{patterns:?}");
    assert!(has("[ipv4-addr:value = '192.0.2.7']"), "{patterns:?}");
    // Genuine names in lying links: styled letters, false userinfo, a redirector round another link.
    for genuine in ["example.com", "wake.uk", "safelinks.protection.outlook.com", "amazon.de"] {
        let ending = format!("{genuine}']");
        assert!(!patterns.iter().any(|it| it.ends_with(&ending)), "{genuine}");
    }
}

/// §2.9: `type--UUID`, the UUID in lower case and of version 4 or 5.
fn assert_identifier(object: &Value) {
    let (kind, id) = object["id"].as_str().unwrap().split_once("--").unwrap();
    assert_eq!(kind, object["type"]);
    let uuid = uuid::Uuid::parse_str(id).unwrap();
    assert_eq!(uuid.to_string(), id);
    assert!(matches!(uuid.get_version_num(), 4 | 5), "{id}");
}

/// §3.1, §3.2: names, no empty values, the properties that every object needs, times in order.
fn assert_common(object: &Value) {
    assert_identifier(object);
    assert_eq!(object["spec_version"], "2.1");
    for (name, value) in object.as_object().unwrap() {
        assert!((3..=250).contains(&name.len()) || name == "id", "{name}");
        assert!(
            name.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'_')
        );
        let empty = match value {
            Value::String(text) => text.is_empty(),
            Value::Array(list) => list.is_empty(),
            other => other.is_null(),
        };
        assert!(!empty, "{name} of {object}");
    }
    let [created, modified] = ["created", "modified"].map(|name| timestamp(&object[name]));
    assert!(created <= modified, "{object}");
}

/// §2.16: RFC 3339 in UTC; `created` and `modified` in milliseconds.
fn timestamp(value: &Value) -> &str {
    let text = value.as_str().unwrap();
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    assert_eq!(shape, "0000-00-00T00:00:00.000Z", "{text}");
    text
}

/// §4.7, §9: what an indicator needs, and a pattern of one comparison. Gives the pattern.
fn assert_indicator(object: &Value) -> String {
    assert!(timestamp(&object["valid_from"]) >= timestamp(&object["created"]));
    assert_eq!(object["pattern_type"], "stix", "§10.20");
    assert_eq!(object["indicator_types"], serde_json::json!(["malicious-activity"]), "§10.11");
    let pattern = object["pattern"].as_str().unwrap();
    let inner = pattern.strip_prefix('[').and_then(|it| it.strip_suffix("']")).unwrap();
    let (kind, value) = inner.split_once(":value = '").unwrap();
    assert!(value.is_ascii() && !value.contains(['\'', '\\']), "{pattern}");
    match kind {
        "domain-name" => {
            assert!(value.contains('.') && value.len() <= 253, "{pattern}");
            assert!(value.split('.').all(|label| (1..=63).contains(&label.len())), "{pattern}");
        }
        "ipv4-addr" => assert!(value.parse::<std::net::Ipv4Addr>().is_ok(), "{pattern}"),
        "ipv6-addr" => assert!(value.parse::<std::net::Ipv6Addr>().is_ok(), "{pattern}"),
        other => panic!("{other}"),
    }
    pattern.to_owned()
}
