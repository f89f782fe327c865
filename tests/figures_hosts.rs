//! The figures over hosts from the wild: how many of each set are marked, and for how many mail is
//! edited. The table is a snapshot (`tests/snapshots/figures_hosts.txt`, written by `UPDATE=1`);
//! what the sets must reach is asserted beside it. Lines of prose of our own need no test data.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use common::world::World;
use linkmilter::engine::host::{Judgement, Names};
use linkmilter::engine::outcome::Edit;
use linkmilter::engine::policy::HeaderFields;
use linkmilter::engine::{Answers, Facts, Message, Policy, Verdict, inspect};
use unicode_security::GeneralSecurityProfile;
use unicode_security::restriction_level::{RestrictionLevel, RestrictionLevelDetection};

/// A set of hosts with what it must reach, in per cent.
struct Set {
    name: String,
    hosts: Vec<String>,
    aim: Aim,
}

#[derive(Clone, Copy)]
enum Aim {
    /// Only measured.
    None,
    /// At least so many marked, and edited.
    Least(f64, f64),
    /// At most so many marked, and edited.
    Most(f64, f64),
}

impl Set {
    /// The line of the table, and what is missed.
    fn measure(&self, world: &World) -> (String, Option<String>) {
        let all = self.hosts.len().max(1) as f64;
        let judged: Vec<(&String, Judgement)> =
            self.hosts.iter().map(|host| (host, world.judge(host))).collect();
        let is_marked = |judgement: &Judgement| judgement.verdict >= Verdict::Suspect;
        let count = |holds: &dyn Fn(&Judgement) -> bool| {
            judged.iter().filter(|(_, judgement)| holds(judgement)).count()
        };
        let (marked, edited) = (count(&is_marked), count(&is_edited));
        let (m, e) = (marked as f64 * 100.0 / all, edited as f64 * 100.0 / all);
        let name = &self.name;
        let line = format!(
            "{name:<28} {:>5} hosts, {marked:>5} marked {m:>6.2} %, {edited:>5} edited {e:>6.2} %",
            self.hosts.len()
        );
        let (holds, least) = match self.aim {
            Aim::None => (true, false),
            Aim::Least(marks, edits) => (m >= marks && e >= edits, true),
            Aim::Most(marks, edits) => (m <= marks && e <= edits, false),
        };
        let wrong = |judgement: &Judgement| {
            if least { !is_marked(judgement) } else { is_edited(judgement) }
        };
        let examples = || {
            let wrong = judged.iter().filter(|(_, judgement)| wrong(judgement)).take(20);
            let reported: Vec<String> = wrong
                .map(|(host, j)| format!("  {host} {} {} {:?}", j.unicode, j.verdict, j.target))
                .collect();
            format!("{line}\n{}", reported.join("\n"))
        };
        let missed = (!holds).then(examples);
        (line, missed)
    }

    /// The line of what UTS #39 alone would not show as it stands.
    fn by_level(&self) -> String {
        let marked = self.hosts.iter().filter(|host| !passes_by_level(host)).count();
        let share = marked as f64 * 100.0 / self.hosts.len().max(1) as f64;
        let (name, all) = (format!("{}, UTS #39 alone", self.name), self.hosts.len());
        format!("{name:<28} {all:>5} hosts, {marked:>5} marked {share:>6.2} %")
    }
}

/// Whether UTS #39 by itself shows the host as it stands: no character is restricted (§3.1), and no label
/// falls below Highly Restrictive (§5.2).
fn passes_by_level(host: &str) -> bool {
    let (unicode, _) = idna::domain_to_unicode(host);
    unicode.split('.').all(|label| {
        label.chars().all(|c| c == '-' || c.identifier_allowed())
            && label.check_restriction_level(RestrictionLevel::HighlyRestrictive)
    })
}

/// What the default mode defangs in a link with a scheme.
fn is_edited(judgement: &Judgement) -> bool {
    judgement.verdict >= Verdict::Unsafe && judgement.edit >= Edit::Link
}

#[test]
fn hosts_from_the_wild() {
    let Some(dir) = common::testdata("idn/wild", "the figures over hosts from the wild") else {
        return;
    };
    let world = World::builtin();
    let read = |name: &str| std::fs::read_to_string(dir.join(name)).unwrap();
    let builtin = brands(Names::builtin().iter());
    let listed = read("../opendns-top10k.txt");
    let listed = brands(listed.lines());
    let mut sets = Vec::new();
    for (file, aim) in [
        ("benign-lists", Aim::Most(0.1, 0.02)),
        ("benign-nrd-ee", Aim::Most(0.1, 0.02)),
        ("benign-nrd-se-nu", Aim::Most(0.1, 0.02)),
        ("abuse-not-mimic", Aim::None),
        ("neutral-mixed", Aim::None),
        ("neutral-ru-blocked", Aim::None),
        ("hand-fairness", Aim::Most(100.0, 0.0)),
        ("words-home", Aim::Most(100.0, 0.05)),
    ] {
        let hosts = rows(&read(&format!("{file}.tsv"))).map(|row| row[0].clone()).collect();
        sets.push(Set { name: file.to_owned(), hosts, aim });
    }
    for (chosen, aim) in [("benign", Aim::Most(100.0, 0.2)), ("benign-edited-today", Aim::None)] {
        let text = read("words-com.tsv");
        let hosts = rows(&text).filter(|row| row[2] == chosen).map(|row| row[0].clone()).collect();
        sets.push(Set { name: format!("words-com {chosen}"), hosts, aim });
    }
    for file in ["mimic-shamfinder", "mimic-blocklists", "generated-dnstwist"] {
        let mut known = [Vec::new(), Vec::new(), Vec::new()];
        for row in rows(&read(&format!("{file}.tsv"))) {
            let target = row[2].split(':').nth(1).unwrap_or_default();
            let target = target.split('.').next().unwrap_or_default();
            let of = match target {
                _ if builtin.contains(target) => 0,
                _ if listed.contains(target) => 1,
                _ => 2,
            };
            known[of].push(row[0].clone());
        }
        for (hosts, whose) in known.into_iter().zip(["built in", "listed", "other"]) {
            sets.push(Set { name: format!("{file} {whose}"), hosts, aim: Aim::None });
        }
    }
    let of = |whose: &str| -> Vec<String> {
        let mimics = sets.iter().filter(|set| set.name.starts_with("mimic"));
        let named = mimics.filter(|set| set.name.ends_with(whose));
        named.flat_map(|set| set.hosts.iter().cloned()).collect()
    };
    let (ours, theirs) = (of("built in"), of("listed"));
    sets.push(Set { name: "mimics built in".to_owned(), hosts: ours, aim: BUILTIN });
    sets.push(Set { name: "mimics listed".to_owned(), hosts: theirs, aim: LISTED });

    let mut table = String::new();
    let mut missed = Vec::new();
    for set in &sets {
        let (line, wrong) = set.measure(&world);
        writeln!(table, "{line}").unwrap();
        missed.extend(wrong);
    }
    for set in sets.iter().filter(|set| set.name.starts_with("mimics")) {
        writeln!(table, "{}", set.by_level()).unwrap();
    }
    println!("{table}");
    snapshot("tests/snapshots/figures_hosts.txt", &table);
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// What mimics of the built-in names, and of the listed ones, must reach.
const BUILTIN: Aim = Aim::Least(99.7, 95.0);
const LISTED: Aim = Aim::Least(97.0, 0.0);

fn rows(text: &str) -> impl Iterator<Item = Vec<String>> {
    let rows = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    rows.map(|line| line.split('\t').map(str::to_owned).collect())
}

/// First labels of names.
fn brands<'a>(names: impl Iterator<Item = &'a str>) -> BTreeSet<String> {
    names.filter_map(|name| name.split('.').next()).map(str::to_owned).collect()
}

fn snapshot(path: &str, fresh: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, fresh).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(known == fresh, "{} differs: UPDATE=1 writes it anew", path.display());
}

#[test]
fn prose_is_never_edited() {
    let lines: Vec<Vec<String>> = rows(include_str!("data/unedited-prose.tsv")).collect();
    let languages: BTreeSet<&str> = lines.iter().map(|row| row[0].as_str()).collect();
    assert!(languages.len() >= 15, "{languages:?}");
    let policy = Policy { header_fields: HeaderFields::Add, ..Policy::default() };
    let tlds = linkmilter::tld::builtin();
    let mut edited = Vec::new();
    for row in &lines {
        let head =
            b"Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n";
        let body = format!("{}\r\n", row[2]);
        let message = Message { head, body: body.as_bytes() };
        let outcome = inspect(message, &Facts::default(), &policy, &tlds).resolve(&Answers::new());
        for finding in &outcome.findings {
            if !outcome.edits.is_empty() {
                edited.push(format!(
                    "{} {}: {} {} {:?}",
                    row[0], row[1], finding.spelling, finding.verdict, finding.edit
                ));
            }
        }
    }
    println!("prose: {} lines in {} languages", lines.len(), languages.len());
    assert!(edited.is_empty(), "{}", edited.join("\n"));
}
