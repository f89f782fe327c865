//! The walls of the house (`ARCHITECTURE.md`): who may use whom, read off the source.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Rooms and the rooms that they may use beside themselves. A room is the longest
/// prefix of a module path that stands here.
const MAY_USE: &[(&str, &[&str])] = &[
    // The vocabulary of the engine: values without behaviour.
    ("engine::limits", &[]),
    ("engine::media", &[]),
    ("engine::outcome", &[]),
    ("engine::tlds", &[]),
    ("engine::unicode", &[]),
    ("engine::span", &["engine::limits"]),
    ("engine::policy", &["engine::limits", "engine::outcome", "engine::host"]),
    ("engine::link", &["engine::unicode", "engine::tlds", "engine::limits"]),
    (
        "engine::host",
        &[
            "engine::unicode",
            "engine::tlds",
            "engine::limits",
            "engine::outcome",
            "engine::policy",
            "engine::link",
        ],
    ),
    ("engine::mime", &["engine::span", "engine::media", "engine::limits", "engine::outcome"]),
    (
        "engine::content",
        &[
            "engine::span",
            "engine::media",
            "engine::link",
            "engine::host",
            "engine::unicode",
            "engine::tlds",
            "engine::limits",
            "engine::outcome",
            "engine::policy",
        ],
    ),
    ("engine::splice", &["engine::limits", "engine::outcome"]),
    (
        "engine::explain",
        &["engine::host", "engine::unicode", "engine::outcome", "engine::policy", "engine::link"],
    ),
    // The recipe joins the rooms above.
    ("engine", &["engine"]),
    ("policy", &["engine"]),
    ("tld", &["engine"]),
    ("record", &["engine"]),
    ("milter", &[]),
    ("config", &["engine", "policy", "tld"]),
    ("daemon", &["engine", "policy", "tld", "record", "milter", "config"]),
    ("scan", &["engine", "policy", "tld", "record", "config"]),
    ("cli", &["engine", "policy", "tld", "record", "milter", "config", "daemon", "scan"]),
    ("", &["engine", "policy", "tld", "record", "milter", "config", "daemon", "scan", "cli"]),
];

/// Lines of one source file at most. Generated tables and data are apart.
const FILE_LINES: usize = 620;

#[test]
fn nothing_points_upward() {
    let mut wrong = Vec::new();
    for file in sources(&root().join("src")) {
        let module = module_of(&file);
        let from = room_of(&module);
        for (line, target) in edges(&file, &module) {
            let to = room_of(&target);
            if to != from && !allowed(from, to) {
                wrong.push(format!("{}:{line}: {from} uses {to} ({target})", file.display()));
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
    assert!(!allowed("engine::mime", "engine::content"));
    assert!(!allowed("milter", "engine::host"));
    assert!(!allowed("engine::host", "tld"));
    assert!(allowed("daemon", "milter"));
    assert!(allowed("engine", "engine::mime"));
    let found = paths("use crate::{milter, engine::host::judge as j}; // crate::scan");
    assert_eq!(found, ["crate::milter", "crate::engine::host::judge"]);
}

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
        "tracing",
        "println!",
        "eprintln!",
        "OnceLock",
        "LazyLock",
        "thread_local!",
        "static mut",
        "Mutex",
        "RwLock",
        "std::io",
    ];
    let mut wrong = Vec::new();
    for file in sources(&root().join("src/engine")) {
        for (number, line) in code_lines(&fs::read_to_string(&file).unwrap()) {
            for word in banned {
                if line.contains(word) {
                    wrong.push(format!("{}:{number}: {word}", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "the engine has no I/O, clock, log or global:\n{}", wrong.join("\n"));
}

#[test]
fn the_recipe_denies_impure_calls() {
    let text = fs::read_to_string(root().join("src/engine/mod.rs")).unwrap();
    for lint in ["clippy::disallowed_methods", "clippy::disallowed_types"] {
        assert!(text.contains(lint), "engine/mod.rs must deny {lint}");
    }
    assert!(
        fs::read_to_string(root().join("src/lib.rs")).unwrap().contains("#![forbid(unsafe_code)]")
    );
}

#[test]
fn the_library_names_no_runtime() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
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
    for file in sources(&root().join("src")) {
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

/// `src/engine/host/mod.rs` → `engine::host`.
fn module_of(file: &Path) -> String {
    let relative = file.strip_prefix(root().join("src")).unwrap().with_extension("");
    let mut names: Vec<String> =
        relative.iter().map(|name| name.to_str().unwrap().to_owned()).collect();
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
            base.clear();
        }
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

/// Every path in a statement that begins with `crate`, `super` or the crate's name, groups
/// in braces unfolded.
fn paths(statement: &str) -> Vec<String> {
    let statement = statement.split("//").next().unwrap_or("");
    let mut found = Vec::new();
    for start in ["crate::", "super::", "linkmilter::"] {
        for (at, _) in statement.match_indices(start) {
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
