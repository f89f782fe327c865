//! The boundaries between modules (`ARCHITECTURE.md`): who may use whom, read off the source.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Areas and the areas that they may use beside themselves. An area is the longest prefix of a module path
/// that stands here. Between crates the compiler enforces the boundaries; this table says which were meant.
const MAY_USE: &[(&str, &[&str])] = &[
    ("uts58::unicode", &[]),
    ("uts58::tlds", &["uts58::unicode"]),
    ("uts58", &["uts58"]),
    ("homograph", &["uts58"]),
    // Values without behaviour.
    ("mailsplice::edit", &[]),
    ("mailsplice::hex", &[]),
    ("mailsplice::limits", &[]),
    ("mailsplice::media", &[]),
    ("mailsplice::signatures", &[]),
    ("mailsplice::byte_search", &[]),
    ("mailsplice::header_fields", &["mailsplice::edit", "mailsplice::byte_search"]),
    ("mailsplice::span", &[]),
    (
        "mailsplice::mime",
        &[
            "mailsplice::span",
            "mailsplice::byte_search",
            "mailsplice::hex",
            "mailsplice::media",
            "mailsplice::signatures",
            "mailsplice::limits",
            "mailsplice::edit",
            "mailsplice::header_fields",
        ],
    ),
    ("mailsplice::splice", &["mailsplice::edit", "mailsplice::header_fields", "mailsplice::hex"]),
    ("mailsplice", &["mailsplice"]),
    (
        "maillinks",
        &[
            "uts58",
            "homograph",
            "mailsplice::span",
            "mailsplice::byte_search",
            "mailsplice::hex",
            "mailsplice::media",
            "mailsplice::mime",
        ],
    ),
    ("milter_session", &[]),
    ("linkmilter_engine::cost", &[]),
    (
        "linkmilter_engine::outcome",
        &["linkmilter_engine::cost", "homograph", "mailsplice", "maillinks"],
    ),
    (
        "linkmilter_engine::policy",
        &["linkmilter_engine::outcome", "homograph", "mailsplice", "maillinks"],
    ),
    // The recipe joins the areas above.
    ("linkmilter_engine", &["linkmilter_engine", "uts58", "homograph", "mailsplice", "maillinks"]),
    // The application sees the engine as one area.
    ("engine", &[]),
    ("milter", &[]),
    ("atomic_file", &[]),
    ("file", &[]),
    ("magic", &[]),
    ("judgements", &["engine"]),
    ("plural", &[]),
    ("fetch", &["file"]),
    ("policy", &["engine"]),
    ("tld", &["engine", "atomic_file", "fetch"]),
    ("record", &["engine", "policy", "file", "plural"]),
    ("feed", &["engine", "policy", "file", "magic", "plural", "atomic_file", "fetch"]),
    ("config", &["engine", "milter", "policy", "tld", "feed", "fetch", "file", "atomic_file"]),
    (
        "daemon",
        &[
            "engine", "judgements", "policy", "tld", "feed", "fetch", "file", "plural",
            "atomic_file", "record", "milter", "config",
        ],
    ),
    ("recall", &["engine", "policy", "file", "record"]),
    (
        "scan",
        &[
            "engine", "judgements", "policy", "tld", "file", "magic", "plural", "record", "config",
            "recall",
        ],
    ),
    (
        "cli",
        &[
            "engine", "judgements", "policy", "tld", "feed", "fetch", "file", "plural",
            "atomic_file", "record", "milter", "config", "daemon", "recall", "scan",
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

/// What `maillinks` uses of `mailsplice::mime`, which knows whole messages: what names and decodes text, for properties of
/// cards and attachments that name a charset of their own, and what unpacks the streams of a PDF and the files of an
/// archive; the labels of a part, which say what a file is; and where lines are of a uuencoded block, in which a link
/// is chance.
const OF_MIME: &[&str] =
    &["Charset", "Endian", "Ending", "Inflater", "Part", "encoded_lines", "inflate"];

/// Folder and library name of each crate of the workspace.
const CRATES: &[(&str, &str)] = &[
    ("crates/uts58", "uts58"),
    ("crates/homograph", "homograph"),
    ("crates/mailsplice", "mailsplice"),
    ("crates/maillinks", "maillinks"),
    ("crates/milter-session", "milter_session"),
    ("crates/engine", "linkmilter_engine"),
    ("", ""),
];

/// The crates without I/O, clock, log or globals.
const PURE: &[&str] =
    &["crates/uts58", "crates/homograph", "crates/mailsplice", "crates/maillinks", "crates/engine"];

/// Lines of one source file at most. Generated tables and data are apart.
const FILE_LINES: usize = 620;

#[test]
fn nothing_points_upward() {
    let mut wrong = Vec::new();
    for (folder, name) in CRATES {
        for file in sources(&root().join(folder).join("src")) {
            let module = module_of(&root().join(folder), name, &file);
            let from = area_of(&module);
            for (line, target) in edges(&fs::read_to_string(&file).unwrap(), &module) {
                let to = area_of(&target);
                if to != from && !(allowed(from, to) && known_in_maillinks(from, &target)) {
                    wrong.push(format!("{}:{line}: {from} uses {to} ({target})", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "edges that ARCHITECTURE.md does not allow:\n{}", wrong.join("\n"));
}

/// Whether `target` is one of the few things of `mailsplice::mime` that `maillinks` may use, or `from` is somebody else.
fn known_in_maillinks(from: &str, target: &str) -> bool {
    let item = target.strip_prefix("mailsplice::mime").filter(|_| from == "maillinks");
    item.is_none_or(|item| OF_MIME.contains(&item.trim_start_matches("::")))
}

#[test]
fn the_check_sees_a_wrong_edge() {
    assert!(!known_in_maillinks("maillinks", "mailsplice::mime"));
    assert!(!known_in_maillinks("maillinks", "mailsplice::mime::parts"));
    assert!(known_in_maillinks("maillinks", "mailsplice::mime::Charset"));

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

/// What goes round in a circle can only be read, moved and tested as one. A module and those below it are
/// one subject; beside one another, each with all below it, they stand in an order.
#[test]
fn no_files_go_round_in_a_circle() {
    let mut wrong = Vec::new();
    for (folder, name) in CRATES {
        let folder = root().join(folder);
        let files = sources(&folder.join("src")).into_iter();
        let files = files.filter(|file| *file != folder.join("src/main.rs"));
        let files: Vec<Source> = files.map(|file| Source::read(&folder, name, &file)).collect();
        wrong.extend(circles(name, &files));
    }
    assert!(wrong.is_empty(), "files that use one another in a circle:\n{}", wrong.join("\n"));
}

#[test]
fn the_check_sees_a_circle() {
    const B: &str = "\nuse super::b::{self, B};";
    let circle = [("a", B), ("b", "fn a() -> super::a::A {}"), ("c", "use crate::a::A;")];
    assert_eq!(made_up(&circle), "a, b:\n  a.rs:2: a uses b\n  b.rs:1: b uses a\n");
    assert_eq!(made_up(&[("a", B), ("b", ""), ("c", "use crate::{a::A, b::B};")]), "");
    // A parent and its child may; two children of one parent, and what is below two neighbours, may not.
    assert_eq!(made_up(&[("a", "mod b;\nuse b::B;"), ("a::b", "use super::A;")]), "");
    let children = [("a", ""), ("a::b", "use super::c::C;"), ("a::c", "super::b::f()")];
    assert!(made_up(&children).contains("a::b uses a::c"));
    let below = [("a", B), ("b", ""), ("b::c", "use crate::a::A;")];
    assert!(made_up(&below).contains("b::c uses a"));
    // A function with the name of a module is none.
    assert_eq!(made_up(&[("a", "fn f() { super::b() }"), ("b", "use super::a::A;")]), "");
}

/// A name that somebody else hands on is of where it stands.
#[test]
fn the_check_sees_a_circle_by_way_of_a_parent() {
    let lib = ("", "mod a;\nmod b;\npub use a::A;\nuse b::sum;");
    let by_name = ("b", "use crate::A;");
    assert!(made_up(&[lib, ("a", "use crate::b::B;"), by_name]).contains("b.rs:1: b uses a"));
    assert!(made_up(&[lib, ("a", "fn f() { super::sum() }"), by_name]).contains("a uses b"));
}

/// Tests may look at their neighbours; what stands behind them may not.
#[test]
fn the_check_passes_over_tests() {
    let tests = "#[cfg(test)]\nmod t;\n#[cfg(test)]\nmod tests {\n    use crate::b::B;\n}\n";
    let (t, b) = (("a::t", "use crate::b::B;"), ("b", "use crate::a::A;"));
    assert_eq!(made_up(&[("a", tests), t, b]), "");
    let behind = format!("{tests}use crate::b::B;");
    assert!(made_up(&[("a", &behind), t, b]).contains("a.rs:7: a uses b"));
}

/// The circles among files that nobody wrote.
fn made_up(files: &[(&str, &str)]) -> String {
    let source = |(module, text): &(&str, &str)| Source {
        path: format!("{}.rs", module.replace("::", "/")),
        module: (*module).to_owned(),
        text: (*text).to_owned(),
    };
    let lib = files.iter().all(|(module, _)| !module.is_empty()).then_some(&("", ""));
    let files: Vec<Source> = lib.into_iter().chain(files).map(source).collect();
    circles("", &files).concat()
}

/// Files of constants that are kept packed.
const UNPACKED: [&str; 3] =
    ["uts58/src/suffixes.rs", "homograph/src/lists.rs", "homograph/src/characters/properties.rs"];

#[test]
fn the_engine_is_pure() {
    let banned = [
        "std::fs", "std::net", "std::thread", "std::process", "std::env", "SystemTime", "Instant",
        "tokio", "tracing::", "println!", "eprintln!", "thread_local!", "static mut", "Mutex",
        "RwLock", "std::io",
    ];
    let mut wrong = Vec::new();
    let files = PURE.iter().flat_map(|folder| sources(&root().join(folder).join("src")));
    // Tests write and compare what they generate.
    let of_tests = ["tests.rs", "uts58/src/generated.rs", "homograph/src/characters/generated.rs"];
    let files = files.filter(|file| !of_tests.iter().any(|name| file.ends_with(name)));
    for file in files {
        // What is built in packed and unpacked once depends on nothing: a constant that costs a moment.
        let unpacks = UNPACKED.iter().any(|unpacked| file.ends_with(unpacked));
        for (number, line) in code_lines(&fs::read_to_string(&file).unwrap()) {
            // Bytes in memory, for a decoder that wants to seek in them.
            let line = line.replace("std::io::Cursor", "");
            for word in banned {
                if line.contains(word) {
                    wrong.push(format!("{}:{number}: {word}", file.display()));
                }
            }
            // In a value it is a table that is made when it is needed; beside one it is a global.
            let is_static = line.split_whitespace().any(|word| word == "static");
            let is_made_once = line.contains("OnceLock") || !unpacks && line.contains("LazyLock");
            if is_static && is_made_once {
                wrong.push(format!("{}:{number}: a static that is made once", file.display()));
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

fn area_of(module: &str) -> &'static str {
    MAY_USE
        .iter()
        .map(|(area, _)| *area)
        .filter(|area| within(module, area))
        .max_by_key(|area| area.len())
        .unwrap()
}

fn within(module: &str, area: &str) -> bool {
    area.is_empty()
        || module == area
        || module.strip_prefix(area).is_some_and(|rest| rest.starts_with("::"))
}

fn allowed(from: &str, to: &str) -> bool {
    let areas: BTreeMap<_, _> = MAY_USE.iter().copied().collect();
    areas[from].iter().any(|area| within(to, area))
}

/// A file of a crate.
struct Source {
    path: String,
    module: String,
    text: String,
}

impl Source {
    fn read(folder: &Path, name: &str, file: &Path) -> Source {
        Source {
            path: file.strip_prefix(root()).unwrap().display().to_string(),
            module: module_of(folder, name, file),
            text: fs::read_to_string(file).unwrap(),
        }
    }

    /// Modules below it that are built for tests alone.
    fn test_modules(&self) -> impl Iterator<Item = String> {
        let lines = self.text.lines().map(str::trim);
        let mut test = false;
        let names = lines.filter_map(move |line| match line {
            "#[cfg(test)]" => {
                test = true;
                None
            }
            attribute if attribute.starts_with("#[") => None,
            item => std::mem::take(&mut test).then(|| item.strip_prefix("mod ")).flatten(),
        });
        names.filter_map(|name| Some(join(&self.module, name.strip_suffix(';')?)))
    }

    /// The names that it brings in, and what each stands for.
    fn names(&self, modules: &BTreeMap<&str, &Source>) -> BTreeMap<String, String> {
        let mut found = Vec::new();
        for (_, statement) in statements(&self.text) {
            let Some(tree) = used(&statement) else { continue };
            unfold("", tree, &mut found);
        }
        let absolute = |path: &String| {
            let path = path.strip_suffix("::self").unwrap_or(path);
            let (first, last) = (path.split("::").next()?, path.rsplit("::").next()?);
            let below = join(&self.module, first);
            let below = modules.contains_key(below.as_str()).then(|| join(&self.module, path));
            Some((last.to_owned(), below.or_else(|| resolve(path, &self.module))?))
        };
        found.iter().filter_map(absolute).collect()
    }
}

/// Which modules use one another, and the lines that say so.
type Uses = BTreeMap<(String, String), BTreeSet<String>>;

/// The circles among the files of a crate: who they are, and each line that makes one.
fn circles(name: &str, files: &[Source]) -> Vec<String> {
    let uses = uses(name, files);
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    for ((from, to), lines) in &uses {
        let behind = reached(to, &uses);
        if behind.contains(from.as_str()) {
            let comes_back = |module: &&str| reached(module, &uses).contains(to.as_str());
            let round: Vec<&str> = behind.into_iter().filter(comes_back).collect();
            found.entry(round.join(", ")).or_default().extend(lines.iter().map(String::as_str));
        }
    }
    found.into_iter().map(|(round, lines)| format!("{round}:\n{lines}")).collect()
}

fn uses(name: &str, files: &[Source]) -> Uses {
    let tests: Vec<String> = files.iter().flat_map(Source::test_modules).collect();
    let is_test = |file: &&Source| tests.iter().any(|test| within(&file.module, test));
    let files: Vec<&Source> = files.iter().filter(|file| !is_test(file)).collect();
    let modules = files.iter().map(|file| (file.module.as_str(), *file)).collect();
    let names = files.iter().map(|file| (file.module.as_str(), file.names(&modules))).collect();
    let mut uses = Uses::new();
    for Source { path, module, text } in files {
        for (line, target) in edges(text, module) {
            let Some(used) = file_of(name, &target, &modules, &names) else { continue };
            let Some(neighbours) = neighbours(module, used) else { continue };
            let forbidden = format!("  {path}:{line}: {module} uses {used}\n");
            uses.entry(neighbours).or_default().insert(forbidden);
        }
    }
    uses
}

/// What a module uses, and what those use; itself only where some of them come back to it.
fn reached<'u>(from: &'u str, uses: &'u Uses) -> BTreeSet<&'u str> {
    let mut found = BTreeSet::new();
    let mut open = vec![from];
    while let Some(module) = open.pop() {
        let next = uses.keys().filter(|(user, _)| user == module).map(|(_, used)| used.as_str());
        open.extend(next.filter(|used| found.insert(*used)));
    }
    found
}

/// The modules beside one another that two files are, or are below; none for a parent and its child.
fn neighbours(from: &str, to: &str) -> Option<(String, String)> {
    if within(from, to) || within(to, from) {
        return None;
    }
    let (from, to): (Vec<&str>, Vec<&str>) = (from.split("::").collect(), to.split("::").collect());
    let apart = from.iter().zip(&to).position(|(from, to)| from != to)?;
    Some((from[..=apart].join("::"), to[..=apart].join("::")))
}

/// The module in which the target of a path stands, through the files that only hand its name on.
fn file_of<'m>(
    name: &str,
    target: &str,
    modules: &BTreeMap<&'m str, &Source>,
    names: &BTreeMap<&'m str, BTreeMap<String, String>>,
) -> Option<&'m str> {
    let mut target = target.to_owned();
    // Nothing is handed on so often.
    for _ in 0..8 {
        let rest = target.strip_prefix(name).filter(|_| within(&target, name))?;
        let rest: Vec<&str> = rest.split("::").filter(|name| !name.is_empty()).collect();
        let mut at = *modules.get_key_value(name)?.0;
        let mut rest = rest.into_iter();
        let next = loop {
            let Some(name) = rest.next() else { return Some(at) };
            match modules.get_key_value(join(at, name).as_str()) {
                Some((below, _)) => at = below,
                None => break name.trim_end_matches("()"),
            }
        };
        let Some(handed) = names.get(at).and_then(|names| names.get(next)) else { return Some(at) };
        target = rest.fold(handed.clone(), |path, name| join(&path, name));
    }
    None
}

fn join(module: &str, name: &str) -> String {
    if module.is_empty() { name.to_owned() } else { format!("{module}::{name}") }
}

/// Modules of this crate that a file names: line and absolute path.
fn edges(text: &str, module: &str) -> BTreeSet<(usize, String)> {
    let mut found = BTreeSet::new();
    for (number, statement) in statements(text) {
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
        "self" => drop(names.remove(0)),
        _ => return None,
    }
    base.extend(names);
    Some(base.join("::"))
}

/// Code without comments, as (line number, line), and without what is built for tests alone, where a
/// test may look at its neighbours.
fn code_lines(text: &str) -> Vec<(usize, String)> {
    let depth = |line: &str| line.len() - line.trim_start().len();
    let mut found = Vec::new();
    let mut tests: Option<usize> = None;
    for (index, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or("").trim_end();
        if code.is_empty() {
            continue;
        }
        match tests {
            // An item ends with the first line of its own depth that can be the last of one.
            Some(least) if depth(code) <= least && code.ends_with([';', '}', ',']) => tests = None,
            Some(_) => {}
            None if code.trim() == "#[cfg(test)]" => tests = Some(depth(code)),
            None => found.push((index + 1, code.to_owned())),
        }
    }
    found
}

/// Code joined up to each `;` or `{` at the end of a line, so that a `use` over lines is one.
fn statements(text: &str) -> Vec<(usize, String)> {
    let mut out: Vec<(usize, String)> = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (number, line) in code_lines(text) {
        let starts_use = used(&line).is_some();
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

/// What a `use` brings in, whoever may see it.
fn used(statement: &str) -> Option<&str> {
    let statement = statement.trim_start();
    let bare = statement.strip_prefix("pub").map_or(statement, |rest| {
        rest.strip_prefix('(').and_then(|rest| Some(rest.split_once(')')?.1)).unwrap_or(rest)
    });
    bare.trim_start().strip_prefix("use ")
}

/// Every path in a statement that begins with `crate`, `super` or the name of a crate of ours, groups in
/// braces unfolded.
fn paths(statement: &str) -> Vec<String> {
    let statement = statement.split("//").next().unwrap_or("");
    let mut found = Vec::new();
    let named = CRATES.iter().map(|(_, name)| *name).filter(|name| !name.is_empty());
    for start in ["crate", "super", "self", "linkmilter"].into_iter().chain(named) {
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
            // A module cannot be called.
            path.push_str(if text[at..].starts_with('(') { "()" } else { "" });
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
