//! UTS #58 against its official test files: each row is a named test.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use libtest_mimic::{Arguments, Failed, Trial};
use uts58::{Url, detect, format};

const OPEN: char = '\u{2E20}';
const CLOSE: char = '\u{2E21}';

fn main() {
    let mut trials = Vec::new();
    for version in ["17.0.0", "18.0.0"] {
        detection_rows(version, &mut trials);
    }
    formatting_rows("17.0.0", &CONTRADICTIONS_17, &mut trials);
    formatting_rows("18.0.0", &[], &mut trials);
    formatting_sources(&mut trials);
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// A file of Unicode beside this one.
fn official(version: &str, name: &str) -> String {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/unicode");
    std::fs::read_to_string(folder.join(version).join(name)).unwrap()
}

fn detection_rows(version: &str, trials: &mut Vec<Trial>) {
    let file = official(version, "LinkDetectionTest.txt");
    let rows = file.lines().enumerate().filter(|(_, row)| !row.is_empty() && !row.starts_with('#'));
    for (number, row) in rows {
        let row = row.to_owned();
        let name = format!("detection {version} line {}: {row}", number + 1);
        trials
            .push(Trial::test(name, move || same(&marked(&row.replace([OPEN, CLOSE], "")), &row)));
    }
}

fn marked(text: &str) -> String {
    let mut out = String::new();
    let mut at = 0;
    for link in detect(text) {
        out.push_str(&text[at..link.span.start]);
        out.push(OPEN);
        out.push_str(&text[link.span.clone()]);
        out.push(CLOSE);
        at = link.span.end;
    }
    out.push_str(&text[at..]);
    out
}

fn same(found: &str, expected: &str) -> Result<(), Failed> {
    if found == expected {
        return Ok(());
    }
    Err(format!("expected: {expected}\n   found: {found}").into())
}

/// A pair of the formatting test with its structure comment.
struct Pair {
    line: usize,
    structure: String,
    source: String,
    result: String,
}

fn pairs(file: &str) -> Vec<Pair> {
    let mut pairs = Vec::new();
    let mut structure = String::new();
    let mut source: Option<(usize, String)> = None;
    for (number, line) in file.lines().enumerate() {
        if let Some(comment) = line.strip_prefix('#') {
            if let Some(inner) = comment.trim().strip_prefix("{𝑺") {
                structure = format!("𝑺{}", inner.trim_end().strip_suffix('}').unwrap());
            }
        } else if let Some((line_number, source)) = source.take_if(|_| !line.is_empty()) {
            let structure = std::mem::take(&mut structure);
            pairs.push(Pair { line: line_number, structure, source, result: line.to_owned() });
        } else if !line.is_empty() {
            source = Some((number + 1, line.to_owned()));
        }
    }
    pairs
}

/// Builds the URL of a structure comment: `𝑺=https:// 𝑯=example.com 𝑷=α 𝑸=k 𝑽=v 𝑭=f 𝑫=d`.
fn from_structure(structure: &str) -> Url {
    let mut fields: Vec<(char, &str)> = Vec::new();
    let starts: Vec<usize> = structure
        .char_indices()
        .filter(|(at, c)| "𝑺𝑯𝑷𝑸𝑽𝑭𝑫".contains(*c) && structure[at + c.len_utf8()..].starts_with('='))
        .map(|(at, _)| at)
        .collect();
    for (n, start) in starts.iter().enumerate() {
        let end = starts.get(n + 1).map_or(structure.len(), |next| next - 1);
        let field = &structure[*start..end];
        let tag = field.chars().next().unwrap();
        fields.push((tag, &field[tag.len_utf8() + 1..]));
    }
    let of = |tag| fields.iter().filter(move |(t, _)| *t == tag).map(|(_, value)| *value);
    let mut url = Url::new(of('𝑺').next().unwrap(), of('𝑯').next().unwrap());
    if of('𝑷').next().is_some() {
        url = url.path(of('𝑷'));
    }
    let mut query: Vec<(&str, Option<&str>)> = Vec::new();
    for (tag, value) in &fields {
        match tag {
            '𝑸' => query.push((value, None)),
            '𝑽' => query.last_mut().unwrap().1 = Some(value),
            _ => {}
        }
    }
    if !query.is_empty() {
        url = url.query(query);
    }
    if let Some(fragment) = of('𝑭').next() {
        url = url.fragment(fragment);
    }
    url
}

/// The rows of 17.0.0 that contradict §4.1: a final Soft character is left bare (S19). By the line of
/// the source.
const CONTRADICTIONS_17: [usize; 10] = [188, 204, 208, 212, 220, 228, 240, 248, 256, 268];

/// Source lines that lose information: syntax and literal look the same in them (S19). By the line.
const LOSSY_18: [usize; 5] = [79, 152, 162, 167, 177];

/// Every pair from its structure comment. A known contradiction that passes is a failure as well.
fn formatting_rows(version: &str, contradictions: &'static [usize], trials: &mut Vec<Trial>) {
    for pair in pairs(&official(version, "LinkFormattingTest.txt")) {
        let known = contradictions.contains(&pair.line);
        let reading = if known { "S19 contradicts §4.1, " } else { "" };
        let name = format!("{reading}formatting {version} line {}: {}", pair.line, pair.result);
        trials.push(Trial::test(name, move || {
            outcome(&from_structure(&pair.structure).to_string(), &pair.result, known)
        }));
    }
}

/// The pairs of 18.0.0 from their source lines, and each result from itself.
fn formatting_sources(trials: &mut Vec<Trial>) {
    for pair in pairs(&official("18.0.0", "LinkFormattingTest.txt")) {
        let known = LOSSY_18.contains(&pair.line);
        let reading = if known { "S19 loses information, " } else { "" };
        let name = format!("{reading}formatting source line {}: {}", pair.line, pair.source);
        trials.push(Trial::test(name, move || {
            same(&format(&pair.result), &pair.result)?;
            same(
                &marked(&format!("a {} b", pair.result)),
                &format!("a {OPEN}{}{CLOSE} b", pair.result),
            )?;
            outcome(&format(&pair.source), &pair.result, known)
        }));
    }
}

fn outcome(found: &str, expected: &str, known_failure: bool) -> Result<(), Failed> {
    match same(found, expected) {
        Ok(()) if known_failure => Err("passes, but is listed as a known failure".into()),
        Err(_) if known_failure => Ok(()),
        result => result,
    }
}
