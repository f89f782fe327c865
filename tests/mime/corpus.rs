//! Over real mail: the engine and the oracle read the same parts, and every edit is exact.

use std::path::{Path, PathBuf};

use crate::common::testdata;
use crate::surgery::{Report, operate};

/// Where the engine and the oracle split differently, and why that is right.
const KNOWN: [(&str, &str); 1] = [(
    "mail-parser/resources__eml__malformed__005.eml",
    "`--a----` opens a part of the inner multipart and closes the outer one: the engine goes on into the \
     inner one, where there is more to read",
)];

/// A line end may stand beside an edit in HTML, and parts in rare charsets are beyond the oracle; a
/// difference in what a part says is none of these.
#[test]
fn every_part_of_real_mail_is_edited_to_the_byte() {
    let Some(messages) = messages("surgery over real mail") else { return };
    let halves = messages.chunks(messages.len().div_ceil(2));
    let reports: Vec<(String, Report)> = std::thread::scope(|scope| {
        let workers: Vec<_> = halves
            .map(|half| {
                scope.spawn(move || {
                    half.iter().map(|(name, raw)| (name.clone(), operate(raw))).collect::<Vec<_>>()
                })
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    let sum = |count: fn(&Report) -> usize| reports.iter().map(|(_, r)| count(r)).sum::<usize>();
    println!(
        "{} messages, {} parts, {} edits, {} parts switched to quoted-printable, {} HTML parts with \
         a line end beside an edit, {} parts beyond the oracle, {} recipes over 6000 bytes",
        reports.len(),
        sum(|r| r.parts),
        sum(|r| r.edits),
        sum(|r| r.recoded),
        sum(|r| r.broken_lines),
        sum(|r| r.beyond_oracle),
        sum(|r| usize::from(r.undo_bytes > 6000)),
    );
    let mut wrong = Vec::new();
    for (name, report) in &reports {
        let known = KNOWN.iter().any(|(known, _)| known == name);
        if known && report.wrong.is_empty() {
            wrong.push(format!("{name}: agrees now, so take it off the list"));
        }
        let lines = report.wrong.iter().filter(|_| !known);
        wrong.extend(lines.map(|line| format!("{name}: {line}")));
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Name and bytes of every message of the test data; `None` after a line that says what is not run.
pub fn messages(what: &str) -> Option<Vec<(String, Vec<u8>)>> {
    let root = testdata("mail", what)?;
    let mut files = Vec::new();
    collect(&root, &mut files);
    assert!(files.len() > 5000, "{} files", files.len());
    let name = |file: &Path| file.strip_prefix(&root).unwrap().display().to_string();
    Some(files.iter().map(|file| (name(file), std::fs::read(file).unwrap())).collect())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(&path, files);
        } else if path.file_name().is_some_and(|name| name != "SOURCES.txt") {
            files.push(path);
        }
    }
}
