//! The walls of the house (`ARCHITECTURE.md`): who may use whom, read off the source.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Rooms and the rooms that they may use beside themselves. A room is the longest prefix of a module path
/// that stands here. Between crates the compiler holds the walls; this table says which were meant.
const MAY_USE: &[(&str, &[&str])] = &[
    ("uts58::unicode", &[]),
    ("uts58::tlds", &["uts58::unicode"]),
    ("uts58", &["uts58"]),
    ("homograph", &["uts58"]),
    // Values without behaviour.
    ("mailsplice::edit", &[]),
    ("mailsplice::limits", &[]),
    ("mailsplice::media", &[]),
    ("mailsplice::sieve", &[]),
    ("mailsplice::span", &[]),
    (
        "mailsplice::mime",
        &[
            "mailsplice::span",
            "mailsplice::sieve",
            "mailsplice::media",
            "mailsplice::limits",
            "mailsplice::edit",
        ],
    ),
    // Properties of cards name a charset of their own.
    ("mailsplice::mime::Charset", &[]),
    ("mailsplice::splice", &["mailsplice::edit"]),
    ("mailsplice", &["mailsplice"]),
    ("milter_session", &[]),
    ("linkmilter_engine::cost", &[]),
    ("linkmilter_engine::outcome", &["linkmilter_engine::cost", "homograph", "mailsplice"]),
    ("linkmilter_engine::limits", &["mailsplice"]),
    (
        "linkmilter_engine::policy",
        &[
            "linkmilter_engine::limits",
            "linkmilter_engine::lists",
            "linkmilter_engine::outcome",
            "linkmilter_engine::words",
            "homograph",
        ],
    ),
    ("linkmilter_engine::words", &[]),
    ("linkmilter_engine::lists", &["linkmilter_engine::outcome", "homograph"]),
    (
        "linkmilter_engine::content",
        &[
            "uts58",
            "homograph",
            "mailsplice::span",
            "mailsplice::media",
            "mailsplice::mime::Charset",
            "linkmilter_engine::limits",
            "linkmilter_engine::outcome",
            "linkmilter_engine::policy",
        ],
    ),
    // The recipe joins the rooms above.
    ("linkmilter_engine", &["linkmilter_engine", "uts58", "homograph", "mailsplice"]),
    // The application sees the engine as one room.
    ("engine", &[]),
    ("milter", &[]),
    ("beside", &[]),
    ("file", &[]),
    ("fetch", &["file"]),
    ("policy", &["engine"]),
    ("tld", &["engine", "beside", "fetch"]),
    ("record", &["engine", "policy", "file"]),
    ("feed", &["engine", "policy", "beside", "fetch"]),
    ("config", &["engine", "policy", "tld", "feed", "fetch", "file"]),
    (
        "daemon",
        &[
            "engine", "policy", "tld", "feed", "fetch", "file", "beside", "record", "milter",
            "config",
        ],
    ),
    ("recall", &["engine", "policy", "record"]),
    ("scan", &["engine", "policy", "tld", "file", "record", "config", "recall"]),
    (
        "cli",
        &[
            "engine", "policy", "tld", "feed", "file", "record", "milter", "config", "daemon",
            "recall", "scan",
        ],
    ),
    (
        "",
        &[
            "engine", "policy", "tld", "feed", "record", "milter", "config", "daemon", "recall",
            "scan", "cli",
        ],
    ),
];

/// Folder and library name of each crate of the workspace.
const CRATES: &[(&str, &str)] = &[
    ("crates/uts58", "uts58"),
    ("crates/homograph", "homograph"),
    ("crates/mailsplice", "mailsplice"),
    ("crates/milter-session", "milter_session"),
    ("crates/engine", "linkmilter_engine"),
    ("", ""),
];

/// The crates without I/O, clock, log or globals.
const PURE: &[&str] = &["crates/uts58", "crates/homograph", "crates/mailsplice", "crates/engine"];

/// Lines of one source file at most. Generated tables and data are apart.
const FILE_LINES: usize = 620;

#[test]
fn nothing_points_upward() {
    let mut wrong = Vec::new();
    for (folder, name) in CRATES {
        for file in sources(&root().join(folder).join("src")) {
            let module = module_of(&root().join(folder), name, &file);
            let from = room_of(&module);
            for (line, target) in edges(&file, &module) {
                let to = room_of(&target);
                if to != from && !allowed(from, to) {
                    wrong.push(format!("{}:{line}: {from} uses {to} ({target})", file.display()));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "edges that no wall of ARCHITECTURE.md allows:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn the_check_sees_a_wrong_edge() {
    assert!(!allowed("mailsplice::mime", "mailsplice::splice"));
    assert!(!allowed("mailsplice", "homograph"));
    assert!(!allowed("milter_session", "homograph"));
    assert!(!allowed("homograph", "tld"));
    assert!(allowed("daemon", "milter"));
    assert!(allowed("linkmilter_engine", "mailsplice::mime"));
    let found = paths("use crate::{milter, engine::host::judge as j}; // crate::scan");
    assert_eq!(found, ["crate::milter", "crate::engine::host::judge"]);
    let found = paths("use uts58::{detect, unicode::Class};");
    assert_eq!(found, ["uts58::detect", "uts58::unicode::Class"]);
    assert_eq!(
        resolve("crate::glyphs::west", "homograph::reading").unwrap(),
        "homograph::glyphs::west"
    );
    assert_eq!(resolve("crate::tld", "cli::check").unwrap(), "tld");
}

/// Files of constants that are kept packed.
const UNPACKED: [&str; 3] =
    ["uts58/src/suffixes.rs", "homograph/src/lists.rs", "homograph/src/properties.rs"];

#[test]
fn the_engine_is_pure() {
    let banned = [
        "std::fs",
        "std::net",
        "std::thread",
        "std::process",
        "std::env",
        "SystemTime",
        "Instant",
        "tokio",
        "tracing::",
        "println!",
        "eprintln!",
        "LazyLock",
        "thread_local!",
        "static mut",
        "Mutex",
        "RwLock",
        "std::io",
    ];
    let mut wrong = Vec::new();
    let files = PURE.iter().flat_map(|folder| sources(&root().join(folder).join("src")));
    let generator = "homograph/src/properties/derived.rs";
    let files = files.filter(|file| !file.ends_with("tests.rs") && !file.ends_with(generator));
    for file in files {
        // What is built in packed and unpacked once depends on nothing: a constant that costs a moment.
        let unpacks = UNPACKED.iter().any(|unpacked| file.ends_with(unpacked));
        for (number, line) in code_lines(&fs::read_to_string(&file).unwrap()) {
            // Bytes in memory, for a decoder that wants to seek in them.
            let line = line.replace("std::io::Cursor", "");
            for word in banned.into_iter().filter(|word| !unpacks || *word != "LazyLock") {
                if line.contains(word) {
                    wrong.push(format!("{}:{number}: {word}", file.display()));
                }
            }
            // In a value it is a table that is made when it is needed; beside one it is a global.
            if line.contains("static ") && line.contains("OnceLock") {
                wrong.push(format!("{}:{number}: a static OnceLock", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "the engine has no I/O, clock, log or global:\n{}", wrong.join("\n"));
}

#[test]
fn the_recipe_denies_impure_calls() {
    for folder in PURE {
        let text = fs::read_to_string(root().join(folder).join("src/lib.rs")).unwrap();
        for lint in ["clippy::disallowed_methods", "clippy::disallowed_types"] {
            assert!(text.contains(lint), "{folder}/src/lib.rs must deny {lint}");
        }
    }
    for (folder, _) in CRATES {
        let text = fs::read_to_string(root().join(folder).join("src/lib.rs")).unwrap();
        assert!(text.contains("#![forbid(unsafe_code)]"), "{folder}/src/lib.rs");
    }
}

#[test]
fn the_library_names_no_runtime() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let (_, manifest) = manifest.split_once("\n[dependencies]\n").unwrap();
    for name in ["tokio", "hyper", "lettre", "hickory-resolver", "clap", "rayon", "config"] {
        let line = manifest
            .lines()
            .find(|line| line.starts_with(&format!("{name} = ")))
            .unwrap_or_else(|| panic!("no dependency {name}"));
        assert!(line.contains("optional = true"), "{name} must be behind the app feature");
    }
}

#[test]
fn files_hold_one_idea() {
    let mut long = Vec::new();
    let files = CRATES.iter().flat_map(|(folder, _)| sources(&root().join(folder).join("src")));
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        if text.starts_with("// Generated") || text.starts_with("// @generated") {
            continue;
        }
        let lines = text.lines().count();
        if lines > FILE_LINES {
            long.push(format!("{}: {lines} lines", file.display()));
        }
    }
    assert!(long.is_empty(), "over {FILE_LINES} lines:\n{}", long.join("\n"));
}

/// The binary parses, runs and exits; everything else is in the library.
#[test]
fn main_is_twenty_lines() {
    let lines = fs::read_to_string(root().join("src/main.rs")).unwrap().lines().count();
    assert!(lines <= 25, "src/main.rs has {lines} lines");
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// `crates/mailsplice/src/mime/lower.rs` → `mailsplice::mime::lower`; `src/cli/check.rs` → `cli::check`.
fn module_of(folder: &Path, name: &str, file: &Path) -> String {
    let relative = file.strip_prefix(folder.join("src")).unwrap().with_extension("");
    let within = relative.iter().map(|name| name.to_str().unwrap().to_owned());
    let mut names: Vec<String> =
        Some(name.to_owned()).into_iter().filter(|name| !name.is_empty()).chain(within).collect();
    if matches!(names.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        names.pop();
    }
    names.join("::")
}

fn room_of(module: &str) -> &'static str {
    MAY_USE
        .iter()
        .map(|(room, _)| *room)
        .filter(|room| within(module, room))
        .max_by_key(|room| room.len())
        .unwrap()
}

fn within(module: &str, room: &str) -> bool {
    room.is_empty()
        || module == room
        || module.strip_prefix(room).is_some_and(|rest| rest.starts_with("::"))
}

fn allowed(from: &str, to: &str) -> bool {
    let rooms: BTreeMap<_, _> = MAY_USE.iter().copied().collect();
    rooms[from].iter().any(|room| within(to, room))
}

/// Modules of this crate that a file names: line and absolute path.
fn edges(file: &Path, module: &str) -> BTreeSet<(usize, String)> {
    let text = fs::read_to_string(file).unwrap();
    let mut found = BTreeSet::new();
    for (number, statement) in statements(&text) {
        for path in paths(&statement) {
            if let Some(target) = resolve(&path, module) {
                found.insert((number, target));
            }
        }
    }
    found
}

fn resolve(path: &str, module: &str) -> Option<String> {
    let mut names: Vec<&str> = path.split("::").collect();
    let mut base: Vec<&str> = module.split("::").filter(|name| !name.is_empty()).collect();
    match names.first().copied()? {
        "crate" | "linkmilter" => {
            names.remove(0);
            let named =
                CRATES.iter().any(|(_, name)| !name.is_empty() && base.first() == Some(name));
            base.truncate(usize::from(named));
        }
        name if CRATES.iter().any(|(_, known)| *known == name) => base.clear(),
        "super" => {
            while names.first() == Some(&"super") {
                names.remove(0);
                base.pop();
            }
        }
        _ => return None,
    }
    base.extend(names);
    Some(base.join("::"))
}

/// Code without comments, as (line number, line). Stops at a file's unit tests, where a
/// test may look at its neighbours.
fn code_lines(text: &str) -> Vec<(usize, String)> {
    text.lines()
        .enumerate()
        .take_while(|(_, line)| line.trim() != "#[cfg(test)]")
        .map(|(index, line)| (index + 1, line.split("//").next().unwrap_or("").to_owned()))
        .filter(|(_, line)| !line.trim().is_empty())
        .collect()
}

/// Code joined up to each `;` or `{` at the end of a line, so that a `use` over lines is one.
fn statements(text: &str) -> Vec<(usize, String)> {
    let mut out: Vec<(usize, String)> = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (number, line) in code_lines(text) {
        let starts_use = line.trim_start().trim_start_matches("pub ").starts_with("use ")
            || line.trim_start().starts_with("pub(crate) use ");
        match open.as_mut() {
            Some((_, held)) => held.push_str(line.trim()),
            None if starts_use => open = Some((number, line)),
            None => out.push((number, line)),
        }
        if open.as_ref().is_some_and(|(_, held)| held.trim_end().ends_with(';')) {
            out.extend(open.take());
        }
    }
    out.extend(open);
    out
}

/// Every path in a statement that begins with `crate`, `super` or the name of a crate of ours, groups in
/// braces unfolded.
fn paths(statement: &str) -> Vec<String> {
    let statement = statement.split("//").next().unwrap_or("");
    let mut found = Vec::new();
    let named = CRATES.iter().map(|(_, name)| *name).filter(|name| !name.is_empty());
    for start in ["crate", "super", "linkmilter"].into_iter().chain(named) {
        for (at, _) in statement.match_indices(&format!("{start}::")) {
            let before = statement[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
                continue;
            }
            unfold("", &statement[at..], &mut found);
        }
    }
    found
}

/// Reads one path (with groups) from the start of `text`; returns how many bytes it took.
fn unfold(prefix: &str, text: &str, found: &mut Vec<String>) -> usize {
    let mut path = prefix.to_owned();
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let name: usize =
            rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        path.push_str(&rest[..name]);
        at += name;
        if !text[at..].starts_with("::") {
            found.push(path.trim_end_matches("::").to_owned());
            return at;
        }
        at += 2;
        path.push_str("::");
        if text[at..].starts_with('{') {
            at += 1;
            while let Some(next) = text[at..].chars().next() {
                match next {
                    '}' => return at + 1,
                    ',' | ' ' => at += next.len_utf8(),
                    _ => {
                        at += unfold(&path, &text[at..], found);
                        let end = text[at..].find([',', '}']).unwrap_or(text.len() - at);
                        at += end;
                    }
                }
            }
            return at;
        }
    }
}
