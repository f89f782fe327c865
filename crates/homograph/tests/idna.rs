//! Runs IdnaTestV2 of Unicode 17.0 and 18.0 against the judgement of hosts: the forms are equal,
//! and no host passes that UTS #46 refuses, beyond the leniency of S28. Each row is a test; known
//! differences are data, and one that no longer differs fails.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::collections::BTreeMap;
use std::process::ExitCode;

use homograph::{Context, HostBounds, Names, Reason, RestrictionLevel, Verdict, judge};
use libtest_mimic::{Arguments, Failed, Trial};
use uts58::tlds::TldTable;

/// Known differences: status codes that S28 ignores, and single rows.
struct Differences {
    codes: Vec<String>,
    /// The reason, by version and source.
    rows: BTreeMap<(String, String), String>,
}

struct Row {
    source: String,
    unicode: String,
    ascii: String,
    unicode_status: Vec<String>,
    ascii_status: Vec<String>,
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let differences = Differences::read(include_str!("idna-differences.tsv"));
    let mut trials = Vec::new();
    for version in ["17.0.0", "18.0.0"] {
        let path = format!("tests/unicode/{version}/IdnaTestV2.txt");
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        let text = std::fs::read_to_string(path).unwrap();
        let rows: Vec<Row> = text.lines().filter_map(Row::read).collect();
        assert!(rows.len() > 6000, "the file holds its rows");
        for (number, row) in rows.into_iter().enumerate() {
            let known = differences.rows.get(&(version.to_owned(), row.escaped())).cloned();
            let outcome = row.check(&differences.codes);
            let name = format!("{version}::{number} {}", row.escaped());
            trials.push(Trial::test(name, move || match (outcome, known) {
                (Ok(()), None) | (Err(_), Some(_)) => Ok(()),
                (Ok(()), Some(why)) => Err(Failed::from(format!("differs no more: {why}"))),
                (Err(difference), None) => Err(Failed::from(difference)),
            }));
        }
    }
    println!("IdnaTestV2: {} rows, {} known differences", trials.len(), differences.rows.len());
    libtest_mimic::run(&arguments, trials).exit_code()
}

impl Differences {
    fn read(text: &str) -> Differences {
        let mut found = Differences { codes: Vec::new(), rows: BTreeMap::new() };
        for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
            let fields: Vec<&str> = line.split('\t').collect();
            match fields[0] {
                "code" => found.codes.push(fields[1].to_owned()),
                version => {
                    let key = (version.to_owned(), fields[1].to_owned());
                    found.rows.insert(key, fields[2].to_owned());
                }
            }
        }
        found
    }
}

impl Row {
    fn read(line: &str) -> Option<Row> {
        let line = line.split('#').next()?.trim();
        if line.is_empty() {
            return None;
        }
        let fields: Vec<&str> = line.split(';').map(str::trim).collect();
        let source = unescape(fields[0])?;
        let or = |field: &str, default: &str| match field {
            "" => Some(default.to_owned()),
            field => unescape(field),
        };
        let unicode = or(fields[1], &source)?;
        let ascii = or(fields[3], &unicode)?;
        let unicode_status = codes(fields[2]).unwrap_or_default();
        let ascii_status = codes(fields[4]).unwrap_or_else(|| unicode_status.clone());
        Some(Row { source, unicode, ascii, unicode_status, ascii_status })
    }

    fn escaped(&self) -> String {
        self.source.escape_default().to_string()
    }

    /// Whether it ends in a root dot and the rest has lengths that the DNS allows.
    fn has_root(&self) -> bool {
        let Some(name) = self.ascii.strip_suffix('.') else { return false };
        name.len() <= 253 && name.split('.').all(|label| (1..=63).contains(&label.len()))
    }

    fn check(&self, lenient: &[String]) -> Result<(), String> {
        let (none, tlds) = (Names::default(), TldTable::default());
        let context = Context {
            level: RestrictionLevel::Unrestricted,
            protected: &none,
            own: &none,
            blocked: &none,
            tlds: &tlds,
            bounds: HostBounds::Certain,
        };
        let judgement = judge(&self.source, &context);
        let wrong = self.ascii_status.iter().any(|code| {
            let code = if code == "A4_2" && self.has_root() { "A4_2 root" } else { code };
            !lenient.iter().any(|known| known == code)
        });
        // Signs with which browsers open a host are a notice (S28).
        let sign = |c: char| c.is_ascii_punctuation() && !"-_.".contains(c);
        let signs =
            judgement.reasons.contains(Reason::IdnaInvalid) && judgement.unicode.contains(sign);
        let refused = judgement.verdict == Verdict::Invalid || signs;
        if wrong != refused {
            return Err(format!("status {:?}, verdict {}", self.ascii_status, judgement.verdict));
        }
        let root = |name: &str| name.strip_suffix('.').unwrap_or(name).to_owned();
        if self.ascii_status.is_empty() && judgement.ascii != root(&self.ascii) {
            return Err(format!("ASCII {:?}, found {:?}", self.ascii, judgement.ascii));
        }
        if self.unicode_status.is_empty() && !wrong && judgement.unicode != root(&self.unicode) {
            return Err(format!("Unicode {:?}, found {:?}", self.unicode, judgement.unicode));
        }
        Ok(())
    }
}

/// `None` for an empty column, which has the value of another one.
fn codes(field: &str) -> Option<Vec<String>> {
    let inner = field.strip_prefix('[')?.strip_suffix(']')?;
    Some(
        inner
            .split(',')
            .map(str::trim)
            .filter(|code| !code.is_empty())
            .map(str::to_owned)
            .collect(),
    )
}

/// Decodes `\uXXXX` and `\x{XXXX}`; `None` for a lone surrogate, which no Rust string can contain.
fn unescape(field: &str) -> Option<String> {
    if field == "\"\"" {
        return Some(String::new());
    }
    let mut out = String::new();
    let mut rest = field;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let (digits, after) = match &rest[at + 1..] {
            hex if hex.starts_with('u') => (&hex[1..5], &hex[5..]),
            hex if hex.starts_with("x{") => hex[2..].split_once('}').unwrap(),
            other => panic!("an escape, found {other}"),
        };
        out.push(char::from_u32(u32::from_str_radix(digits, 16).unwrap())?);
        rest = after;
    }
    out.push_str(rest);
    Some(out)
}
