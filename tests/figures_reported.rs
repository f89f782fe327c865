//! What is reported of real mail: messages with a finding of suspect or worse, and messages edited, by set and by
//! reason. `tests/data/reported.txt` is the table of the last change that meant to change it; a run prints both
//! where they differ. `UPDATE=1 cargo test --test figures_reported` writes it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use linkmilter::engine::outcome::{Finding, Reason};
use linkmilter::engine::policy::{Defang, HeaderFields, Report};
use linkmilter::engine::{
    Answers, Facts, Message, Outcome, Policy, TldTable, Verdict, inspect, splice,
};
use linkmilter::tld;

/// Messages of one set.
#[derive(Clone, Debug, Default)]
struct Set {
    messages: usize,
    suspect: usize,
    edited: usize,
    opaque: usize,
    /// Messages with a link that a client opens, and those that have none left once all are defanged.
    linked: usize,
    dead: usize,
    /// Messages with a finding of suspect or worse that has the reason.
    reasons: BTreeMap<&'static str, usize>,
}

const SETS: [&str; 3] = ["phish", "spam", "ham"];

/// Which set a message of the test data is of.
fn set_of(name: &str) -> Option<usize> {
    let ham =
        name.starts_with("mail-lists/") || name.contains("spamassassin/") && name.contains("ham");
    let spam = name.contains("spamassassin/spam");
    match () {
        () if name.contains("phishing_pot/") => Some(0),
        () if spam => Some(1),
        () if ham => Some(2),
        () => None,
    }
}

impl Set {
    fn add(&mut self, outcome: &Outcome) {
        self.messages += 1;
        let reported: Vec<_> =
            outcome.findings.iter().filter(|finding| finding.verdict >= Verdict::Suspect).collect();
        self.suspect += usize::from(!reported.is_empty());
        self.edited += usize::from(!outcome.edits.is_empty());
        self.opaque +=
            usize::from(outcome.bypasses.iter().any(|(_, why)| why.to_string() == "opaque"));
        let reasons: BTreeSet<&str> = reported
            .iter()
            .flat_map(|finding| finding.reasons.iter())
            .map(|reason| reason.code())
            .collect();
        for reason in reasons {
            *self.reasons.entry(reason).or_default() += 1;
        }
    }

    fn join(&mut self, other: &Set) {
        self.messages += other.messages;
        self.suspect += other.suspect;
        self.edited += other.edited;
        self.opaque += other.opaque;
        self.linked += other.linked;
        self.dead += other.dead;
        for (reason, count) in &other.reasons {
            *self.reasons.entry(reason).or_default() += count;
        }
    }

    fn share(&self, count: usize) -> f64 {
        100.0 * count as f64 / self.messages.max(1) as f64
    }
}

fn inspected(bytes: &[u8], policy: &Policy, tlds: &TldTable) -> Outcome {
    let (head, body) = common::mail::split(bytes);
    inspect(Message { head, body }, &Facts::default(), policy, tlds).resolve(&Answers::new())
}

/// Links of the body that a client opens. Header fields are never edited, and PDF files are only reported.
fn live(outcome: &Outcome) -> usize {
    let opens = |finding: &&Finding| {
        let place = finding.place.to_string();
        let link = !finding.ascii.is_empty() || !finding.spelling.is_empty();
        link && !place.starts_with("header:")
            && !place.starts_with("pdf[")
            && !finding.reasons.contains(Reason::AlternativeMismatch)
    };
    outcome.findings.iter().filter(opens).count()
}

/// How many links are left of how many when a rule says `defang = "all"`, as for what an upstream filter
/// calls spam.
fn defanged(bytes: &[u8], tlds: &TldTable) -> (usize, usize) {
    let all =
        Policy { header_fields: HeaderFields::Omit, defang: Defang::All, ..Policy::default() };
    let reported = Policy { report: Report::AllLinks, defang: Defang::Judged, ..all.clone() };
    let (head, body) = common::mail::split(bytes);
    let look = |head: &[u8], body: &[u8], policy: &Policy| {
        inspect(Message { head, body }, &Facts::default(), policy, tlds).resolve(&Answers::new())
    };
    let before = live(&look(head, body, &reported));
    let outcome = look(head, body, &all);
    let head = splice::apply_head(head, &outcome.head_edits);
    let body = splice::apply(body, &outcome.edits).to_vec();
    (before, live(&look(&head, &body, &reported)))
}

fn table(sets: &[Set; 3]) -> String {
    let mut out = String::new();
    let mut line = |what: &str, cell: &dyn Fn(&Set) -> String| {
        let cells: String = sets.iter().map(|set| format!("{:>18}", cell(set))).collect();
        writeln!(out, "{what:<24}{cells}").unwrap();
    };
    line("messages", &|set| set.messages.to_string());
    line("suspect or worse", &|set| format!("{} ({:.2} %)", set.suspect, set.share(set.suspect)));
    line("edited", &|set| format!("{} ({:.2} %)", set.edited, set.share(set.edited)));
    line("with links", &|set| set.linked.to_string());
    line("all links dead, defang", &|set| {
        format!("{} ({:.2} %)", set.dead, 100.0 * set.dead as f64 / set.linked.max(1) as f64)
    });
    line("opaque", &|set| set.opaque.to_string());
    let reasons: BTreeSet<&str> = sets.iter().flat_map(|set| set.reasons.keys().copied()).collect();
    for reason in reasons {
        line(reason, &|set| set.reasons.get(reason).copied().unwrap_or(0).to_string());
    }
    let head: String = SETS.iter().map(|name| format!("{name:>18}")).collect();
    format!("{:<24}{head}\n{out}", "")
}

#[test]
fn what_is_reported_of_real_mail() {
    let (Some(mail), Some(lists)) = (
        common::testdata("mail", "what is reported of real mail"),
        common::testdata("mail-lists", "what is reported of real mail"),
    ) else {
        return;
    };
    let root = mail.parent().unwrap().to_owned();
    let mut files: Vec<(usize, PathBuf)> = Vec::new();
    let listed = std::fs::read_dir(lists).unwrap().map(|entry| entry.unwrap().path());
    for path in common::mail::files(&mail)
        .into_iter()
        .chain(listed.filter(|path| path.extension().is_some_and(|extension| extension == "eml")))
    {
        let name = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
        files.extend(set_of(&name).map(|set| (set, path)));
    }
    let policy = Policy { header_fields: HeaderFields::Omit, ..Policy::default() };
    let tlds = tld::builtin();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut sets: [Set; 3] = Default::default();
        while let Some((set, path)) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let bytes = std::fs::read(path).unwrap();
            sets[*set].add(&inspected(&bytes, &policy, &tlds));
            let (before, after) = defanged(&bytes, &tlds);
            sets[*set].linked += usize::from(before > 0);
            sets[*set].dead += usize::from(before > 0 && after == 0);
        }
        sets
    };
    let mut sets: [Set; 3] = Default::default();
    std::thread::scope(|scope| {
        for thread in [scope.spawn(work), scope.spawn(work)] {
            let found = thread.join().unwrap();
            sets.iter_mut().zip(&found).for_each(|(set, found)| set.join(found));
        }
    });
    let now = table(&sets);
    println!("{now}");
    // What is aimed at: a third of phish is reported, ham is left as it is, and little of it is reported.
    let [phish, _, ham] = &sets;
    assert!(phish.share(phish.suspect) >= 35.0, "phish: {:.2} %", phish.share(phish.suspect));
    assert_eq!(ham.edited, 0);
    assert!(phish.dead * 10 >= phish.linked * 9, "{} of {} dead", phish.dead, phish.linked);
    assert!(ham.share(ham.suspect) <= 0.2, "ham: {:.3} %", ham.share(ham.suspect));
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/reported.txt");
    let before = std::fs::read_to_string(kept).unwrap_or_default();
    if before != now && std::env::var_os("UPDATE").is_some() {
        println!("before:\n{before}");
        return std::fs::write(kept, now).unwrap();
    }
    assert!(
        before == now,
        "before:\n{before}\nnow:\n{now}\nUPDATE=1 cargo test --test figures_reported"
    );
}
