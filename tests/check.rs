//! `linkmilter check` as scripts use it: what it prints, and how it ends.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use assert_cmd::Command;
use linkmilter::engine::outcome::Reason;
use serde_json::Value;

fn check(arguments: &[&str], input: &str) -> (i32, String) {
    let output = Command::cargo_bin("linkmilter")
        .unwrap()
        .arg("check")
        .args(arguments)
        .write_stdin(input)
        .output()
        .unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

fn records(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn one_object_a_line_with_the_fields_of_the_contract() {
    let input = "https://раypal.com/\nwww.example.com\nuser@example.org\n\n";
    let (code, text) = check(&["--json"], input);
    assert_eq!(code, 1);
    let records = records(&text);
    let kinds: Vec<&str> = records.iter().map(|record| record["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["url", "host", "address"]);
    let first = &records[0];
    assert_eq!(first["input"], "https://раypal.com/");
    assert_eq!(first["verdict"], "unsafe");
    assert_eq!(first["reasons"], serde_json::json!(["mixed-script", "target-lookalike"]));
    assert_eq!(first["ascii"], "xn--ypal-43d9g.com");
    assert_eq!(first["unicode"], "раypal.com");
    assert_eq!(first["target"], "paypal.com");
    let character = &first["labels"][0]["characters"][0];
    assert_eq!(character["code"], "U+0440");
    assert_eq!(character["name"], "CYRILLIC SMALL LETTER ER");
    assert_eq!(character["reads_as"], "p");
}

/// docs/check.schema.json says every field, and what stands in it.
#[test]
fn every_object_is_that_of_the_schema() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/check.schema.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let input = "https://раypal.com/\nwww.example.com\nuser@example.org\njavascript:x\nhttp://\n\
        http://paypal.com@192.0.2.1/?u=http://раypal.com/\nbücher.zznone\nhttps://a.example/ä\n";
    let records = records(&check(&["--json"], input).1);
    assert_eq!(records.len(), 8);
    for record in &records {
        let wrong: Vec<String> =
            validator.iter_errors(record).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "{record}: {wrong:?}");
    }
    // It refuses a field that it does not say, in every kind of object.
    for (at, object) in [
        (0, ""),
        (0, "/labels/0"),
        (0, "/labels/0/characters/0"),
        (5, "/inner/0"),
        (0, "/places/0"),
    ] {
        let mut record = records[at].clone();
        record.pointer_mut(object).unwrap()["another"] = Value::Null;
        assert!(!validator.is_valid(&record), "{object} of {record}");
    }
}

/// The examples that docs/judgement.md gives of the reasons, where they are hosts or URLs, have that reason.
#[test]
fn the_examples_of_the_reasons_show_them() {
    // They are of whole messages, of what stands around a host, or of the DNS.
    const OF_A_MESSAGE: [&str; 4] =
        ["bidi-control", "text-href-mismatch", "tld-unverified", "script-path"];
    let page = include_str!("../docs/judgement.md");
    let mut seen = 0;
    for row in page.lines().filter_map(|line| line.strip_prefix("| `")) {
        let cells: Vec<&str> = row.split(" | ").collect();
        let [reason, _, examples] = cells[..] else { continue };
        let Some(reason) = reason.strip_suffix('`') else { continue };
        if Reason::from_code(reason).is_none() || OF_A_MESSAGE.contains(&reason) {
            continue;
        }
        let spans = examples.split('`').skip(1).step_by(2);
        let targets = spans.filter(|span| span.contains(['.', ':']) && !span.contains([' ', '<']));
        for target in targets {
            let record = &records(&check(&["--json"], target).1)[0];
            let reasons = record["reasons"].as_array().unwrap();
            assert!(reasons.iter().any(|found| found == reason), "{reason}: {target}: {reasons:?}");
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen}");
}

/// A host on a list: which list it is, and for the operator's own where it stands.
#[test]
fn a_listed_host_says_by_which_list() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("linkmilter.toml");
    std::fs::write(&config, "lists.blocked = [\"inline.example\"]\n").unwrap();
    let blocked = folder.path().join("blocked.txt");
    std::fs::write(&blocked, "# bad\nother.example\nbad.example # said ann\n").unwrap();
    let config = config.to_str().unwrap();
    for (target, place) in [
        ("x.bad.example", format!("in {}:3", blocked.display())),
        ("http://ok.example@bad.example/", format!("in {}:3", blocked.display())),
        ("inline.example", format!("in {config}:1 (lists.blocked)")),
    ] {
        let (code, text) = check(&["--config", config, target], "");
        assert_eq!(code, 1);
        assert!(text.lines().any(|line| line.trim() == place), "{place}: {text}");
        let record = &records(&check(&["--json", "--config", config, target], "").1)[0];
        assert_eq!(record["lists"], serde_json::json!(["lists.blocked"]), "{record}");
    }
    let (_, text) = check(&["--config", config, "fine.example"], "");
    assert!(!text.contains("in lists.") && !text.contains("blocked.txt"), "{text}");
}

/// Of several entries each is named, and the one that wins.
#[test]
fn a_host_that_is_allowed_as_well_says_by_which_entry() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("linkmilter.toml");
    std::fs::write(&config, "").unwrap();
    let (blocked, allowed) = (folder.path().join("blocked.txt"), folder.path().join("allow.txt"));
    std::fs::write(&blocked, "bad.example\nwww.bad.example\n").unwrap();
    std::fs::write(&allowed, "bad.example\ngood.bad.example\n").unwrap();
    let config = config.to_str().unwrap();
    let said = |target: &str| check(&["--config", config, target], "").1;
    let line = |entry: usize, won: &str| {
        format!(
            "         in {}:{entry}, in vain: {}{won}, and that wins\n",
            blocked.display(),
            allowed.display()
        )
    };
    assert!(said("http://good.bad.example/").contains(&line(1, ":2 allows good.bad.example")));
    let text = said("http://www.bad.example/");
    for entry in [1, 2] {
        assert!(text.contains(&line(entry, ":1 allows bad.example")), "{text}");
    }
    assert!(text.contains("left as it is: its host is on the allow list"), "{text}");
    // Not all of very many.
    let deep = |labels: usize| "a.".repeat(labels) + "bad.example";
    let many: String = (0..30).map(|labels| deep(labels) + "\n").collect();
    std::fs::write(&blocked, many).unwrap();
    let text = said(&format!("http://{}/", deep(29)));
    assert_eq!(text.matches(", in vain: ").count(), 20, "{text}");
    std::fs::write(&blocked, "bad.example\nwww.bad.example\n").unwrap();
    std::fs::write(&allowed, "good.bad.example\n").unwrap();
    let text = said("http://www.bad.example/");
    for entry in [1, 2] {
        assert!(text.contains(&format!("in {}:{entry}\n", blocked.display())), "{text}");
    }
}

#[test]
fn the_exit_code_answers() {
    assert_eq!(check(&["www.example.com", "amazon.de"], "").0, 0);
    assert_eq!(check(&["https://example.com/Windows_для_чайников"], "").0, 0);
    assert_eq!(check(&["0x7f.1"], "").0, 1);
    assert_eq!(check(&["--protected", "/nonexistent", "example.com"], "").0, 2);
    for empty in ["", " "] {
        assert_eq!(check(&["www.example.com", empty], ""), (2, String::new()));
    }
    // A message is no host.
    let file = tempfile::Builder::new().suffix(".eml").tempfile().unwrap();
    assert_eq!(check(&[file.path().to_str().unwrap()], ""), (2, String::new()));
    assert_eq!(check(&[], "\n \n").0, 0);
}

/// Whatever letter is the reason is named, with what it reads as.
#[test]
fn every_drawn_name_is_explained_by_its_letters() {
    for (host, letter) in [
        ("аррӏе.com", "U+04CF"),
        ("instagramç.com", "U+00E7 LATIN SMALL LETTER C WITH CEDILLA (French, Portuguese"),
        // Of organisations that are no protected names.
        ("gstatíc.com", "U+00ED LATIN SMALL LETTER I WITH ACUTE"),
        ("rìpple.com", "U+00EC LATIN SMALL LETTER I WITH GRAVE"),
        ("login.primevidéo.fr", "U+00E9 LATIN SMALL LETTER E WITH ACUTE"),
        ("ーー.com", "U+30FC KATAKANA-HIRAGANA PROLONGED SOUND MARK"),
    ] {
        let said = check(&[host], "").1;
        assert!(said.contains(letter), "{said}");
    }
}

/// The lists of the configuration hold, and the explanation says what they do.
#[test]
fn the_configuration_is_the_filters() {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("linkmilter.toml");
    let text = format!(
        "[server]\nstate_dir = {:?}\n[lists]\nprotected = [\"modern.example\"]\n\
         blocked = [\"bad.example\"]\nallowed = [\"xn--ypal-43d9g.com\"]\n",
        dir.path()
    );
    std::fs::write(&config, text).unwrap();
    let config = config.to_str().unwrap();
    let judged = |host: &str| check(&["--config", config, host], "").1;
    assert!(judged("m0dern.example").starts_with("suspect  m0dern.example  target-lookalike"));
    assert!(judged("www.bad.example").contains("a block list names it (listed)"));
    assert!(judged("раypal.com").contains("its host is on the allow list"));
    std::fs::write(config, "[lists]\nprotekted = []\n").unwrap();
    assert_eq!(check(&["--config", config, "example.com"], "").0, 2);
}

/// A word that reads as Latin letters by sight only is a notice, and more when it reads as an English one.
#[test]
fn whole_scripts_have_degrees() {
    for (host, verdict) in [
        ("ѕсоре.com", "suspect"),
        ("спорт.com", "notice"),
        ("роѕт.com", "suspect"),
        ("спорт.ru", "ok"),
        ("музей.com", "ok"),
        ("İSTANBUL.com", "notice"),
        ("İstanbul.com", "notice"),
        ("WWW.TÜRKİYE.GOV.TR", "ok"),
        ("DİYARBAKIR.bel.tr", "ok"),
        ("NETFLİX.COM", "unsafe"),
        ("netflİx.com", "unsafe"),
        ("*.example.com", "notice"),
        ("www.paypal.com⁄a'b.evil.com", "unsafe"),
        ("www.น้ำตาล.com", "ok"),
        ("co₂online.de", "notice"),
        ("telefónica.es", "ok"),
        ("i\u{307}stanbul.com", "notice"),
    ] {
        assert!(check(&[host], "").1.starts_with(verdict), "{host}: {}", check(&[host], "").1);
    }
}

#[test]
fn names_of_a_file_are_protected() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "# ours\nmodern.example\n").unwrap();
    let list = file.path().to_str().unwrap();
    assert_eq!(check(&["--protected", list, "modem.example", "www.modern.example"], "").0, 0);
    assert_eq!(check(&["--protected", list, "m0dern.example"], "").0, 1);
    std::fs::write(file.path(), "good.example\nnot a name\n").unwrap();
    assert_eq!(check(&["--protected", list, "example.com"], "").0, 2);
}

#[test]
fn words_say_which_character() {
    let (code, text) = check(&["аррӏе.com"], "");
    assert_eq!(code, 1);
    for line in [
        "unsafe   аррӏе.com  whole-script target-lookalike",
        "U+04CF CYRILLIC SMALL LETTER PALOCHKA reads as Latin l",
        "U+0435 CYRILLIC SMALL LETTER IE (Russian, Serbian and 21 more languages) reads as Latin e",
        "in a message: defanged",
    ] {
        assert!(text.contains(line), "{text}");
    }
}

/// A line may be a text of thousands of hosts: each is reported once, however often it stands there.
#[test]
fn a_line_of_many_hosts_reports_each_once() {
    let line: String = (0..4_000).map(|number| format!("pаypal{}.com ", number / 2)).collect();
    let (code, text) = check(&[], &line);
    assert_eq!(code, 1);
    let count = |number: i32| {
        let host = format!("pаypal{number}.com is xn--");
        text.lines().filter(|line| line.trim_start().starts_with(&host)).count()
    };
    assert!((0..2_000).all(|number| count(number) == 1), "{}", text.lines().count());
}
