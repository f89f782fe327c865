//! Judgements against two sets of hosts: those that a browser must not show as they stand, and
//! those that must not be marked. A row is a test; the figures are printed at the end.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;

use common::world::World;
use libtest_mimic::{Arguments, Failed, Trial};
use linkmilter::engine::host::{Judgement, Names};
use linkmilter::engine::tlds::TldTable;
use linkmilter::engine::{Reason, Verdict};
use unicode_script::{Script, UnicodeScript};

/// Share of the deceptive rows that must agree, in per cent.
const AGREEMENT: f64 = 97.0;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let Some(dir) = common::testdata("idn", "hosts with the judgement expected of them") else {
        return ExitCode::SUCCESS;
    };
    let read = |name: &str| std::fs::read_to_string(dir.join(name)).unwrap();
    let tlds = read("tlds-iana-20261101.txt");
    let tlds = TldTable::new(tlds.lines().filter(|line| !line.starts_with('#')), "test");
    let mut protected = Names::builtin();
    protected.extend(&Names::parse(&read("protected-for-cases.txt")).0);
    let world = Arc::new(World::new(protected, tlds));
    let exceptions: BTreeMap<String, String> = include_str!("data/legit-exceptions.tsv")
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| line.split_once('\t').expect("host, tab, why"))
        .map(|(host, why)| (host.to_owned(), why.to_owned()))
        .collect();
    assert!(exceptions.len() <= 8, "at most eight reviewed exceptions");

    let mut trials = deceptive(&world, &read("chromium-idn-cases.tsv"));
    trials.extend(mutated(&world, &read("chromium-idn-cases.tsv")));
    trials.extend(legitimate(&world, &read("legit-idns.tsv"), &exceptions));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn columns(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect())
}

fn is_marked(judgement: &Judgement) -> bool {
    judgement.verdict >= Verdict::Suspect
}

fn described(judgement: &Judgement) -> String {
    let reasons: Vec<&str> = judgement.reasons.iter().map(Reason::code).collect();
    format!("{} {reasons:?} target {:?}", judgement.verdict, judgement.target)
}

fn deceptive(world: &Arc<World>, text: &str) -> Vec<Trial> {
    let mut trials = Vec::new();
    let at_home: Vec<&str> =
        columns(include_str!("data/cases-at-home.tsv")).map(|row| row[0]).collect();
    let (mut agree, mut rows, mut false_alarms) = (0_u32, 0_u32, 0_u32);
    for row in columns(text).filter(|row| !matches!(row[4], "apple" | "non-linux")) {
        let (host, unicode, expected) = (row[0], row[1], row[2]);
        let judgement = world.judge(host);
        let right = is_marked(&judgement) == (expected != "safe");
        rows += 1;
        agree += u32::from(right);
        let right = right || at_home.contains(&host);
        false_alarms += u32::from(!right && expected == "safe");
        let name = format!("cases::{host} {unicode} is {expected}");
        let described = described(&judgement);
        trials.push(Trial::test(
            name,
            move || if right { Ok(()) } else { Err(Failed::from(described)) },
        ));
    }
    let share = f64::from(agree) * 100.0 / f64::from(rows.max(1));
    println!(
        "chromium-idn-cases: {agree} of {rows} agree ({share:.1} %), {false_alarms} safe rows marked"
    );
    trials.push(Trial::test("cases::agreement", move || {
        if share >= AGREEMENT && false_alarms == 0 {
            Ok(())
        } else {
            Err(format!("{share}").into())
        }
    }));
    trials
}

/// ASCII words that take the place of those in a row: another brand, and plain words.
const WORDS: [&str; 4] = ["paypal", "example", "weather", "brief"];

/// Letters of other scripts that take the place of a single one among Latin letters.
const FOREIGN: [char; 7] = ['о', 'ο', 'օ', 'ო', 'ס', 'ဝ', 'ዐ'];

/// Rows whose label is ASCII letters round one run of other scripts, with other words, the run in
/// another place, or another script: the judgement must not depend on what the row happens to say.
fn mutated(world: &Arc<World>, text: &str) -> Vec<Trial> {
    let mut trials = Vec::new();
    let (mut agree, mut rows) = (0_u32, 0_u32);
    for row in columns(text).filter(|row| row[4] == "any" && row[2] != "invalid") {
        let (unicode, safe) = (row[1], row[2] == "safe");
        for host in mutants(unicode, safe) {
            let judgement = world.judge(&host);
            let right = is_marked(&judgement) != safe;
            rows += 1;
            agree += u32::from(right);
            let described = described(&judgement);
            trials.push(Trial::test(format!("mutated::{host} from {unicode}"), move || {
                if right { Ok(()) } else { Err(Failed::from(described)) }
            }));
        }
    }
    println!("mutated rows: {agree} of {rows} agree");
    trials
}

fn mutants(unicode: &str, safe: bool) -> Vec<String> {
    let Some((label, rest)) = unicode.split_once('.') else { return Vec::new() };
    let Some(start) = label.find(|c: char| !c.is_ascii()) else { return Vec::new() };
    let last = label.char_indices().rfind(|(_, c)| !c.is_ascii()).unwrap();
    let end = last.0 + last.1.len_utf8();
    let (head, run, tail) = (&label[..start], &label[start..end], &label[end..]);
    let words = |text: &str| text.bytes().all(|byte| byte.is_ascii_lowercase());
    let foreign = run.chars().all(|c| c.is_alphabetic() && c.script() != Script::Latin);
    if !foreign || !words(head) || !words(tail) || head.len() + tail.len() < 3 {
        return Vec::new();
    }
    let mut hosts = Vec::new();
    for word in WORDS {
        hosts.push(match (head.is_empty(), tail.is_empty()) {
            (true, _) => format!("{run}{word}.{rest}"),
            (_, true) => format!("{word}{run}.{rest}"),
            _ => format!("{word}{run}{word}.{rest}"),
        });
        if !safe {
            hosts.extend([format!("{run}{word}.{rest}"), format!("{word}{run}.{rest}")]);
            hosts.push(format!("{word}{run}{word}.{rest}"));
        }
    }
    // One foreign letter beside Latin: any other script will do, but those that go with Latin.
    let goes_with_latin = |c: char| {
        matches!(
            c.script(),
            Script::Han
                | Script::Hiragana
                | Script::Katakana
                | Script::Hangul
                | Script::Bopomofo
                | Script::Common
        )
    };
    if !safe && run.chars().count() == 1 && !run.chars().any(goes_with_latin) {
        hosts.extend(FOREIGN.iter().map(|letter| format!("{head}{letter}{tail}.{rest}")));
    }
    hosts.sort();
    hosts.dedup();
    hosts
}

fn legitimate(world: &Arc<World>, text: &str, exceptions: &BTreeMap<String, String>) -> Vec<Trial> {
    let mut trials = Vec::new();
    let (mut rows, mut marked) = (0_u32, 0_u32);
    for row in columns(text) {
        let (host, unicode) = (row[0], row[1]);
        let judgements = [world.judge(host), world.judge(unicode)];
        let excepted = exceptions.contains_key(host);
        let alarm = judgements.iter().any(is_marked);
        rows += 1;
        marked += u32::from(alarm);
        let described = format!("{} / {}", described(&judgements[0]), described(&judgements[1]));
        trials.push(Trial::test(format!("legit::{host} {unicode}"), move || {
            match (alarm, excepted) {
                (true, false) => Err(Failed::from(described)),
                (false, true) => Err(Failed::from("an exception that needs none")),
                _ => Ok(()),
            }
        }));
    }
    println!("legit-idns: {marked} of {rows} marked, {} reviewed exceptions", exceptions.len());
    trials
}
