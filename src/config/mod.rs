//! Configuration: layers merged, then validated against our schema.
//!
//! The `config` crate merges built-in < file < `conf.d/*.toml` < environment < flags
//! ([`Sources`]). The schema ([`sections`]) then walks the merged tree and reports everything that
//! is wrong at once ([`Errors`]): unknown keys, wrong types, impossible values, each with its key
//! path, its origin, what was expected, what was found, and the known key that was probably meant.

mod blocklists;
mod check;
mod feeds;
mod layers;
mod lists;
mod print;
mod problem;
mod renamed;
mod rules;
mod schema;
pub mod sections;
mod setting;
mod snapshot;
mod start;
mod types;
mod words;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ::config::{Value, ValueKind};

pub use blocklists::BlocklistSection;
pub use feeds::{FeedSection, ListVerdict, Sum};
use layers::Merged;
pub use layers::{DEFAULT_FILE, ENVIRONMENT_PREFIX, Flag, IMAP_PASSWORD, Sources};
pub use lists::{
    Added, ListEntry, ListError, Removed, add_to_list, host_name, list_entries, remove_from_list,
};
pub use print::{Chapter, Entry, effective, example, reference};
pub use problem::{Errors, Problem};
pub use renamed::{Renamed, rename_in_file};
pub use rules::Settings;
pub use schema::{Effect, Effective};
pub use sections::{
    Banner, Digest, Dns, Exempt, Journal, LimitsSection, Lists, Log, Metrics, Outbound,
    PolicySection, RuleSection, Server, Tld, Upstream,
};
pub use setting::Size;
pub use snapshot::{Files, Snapshot, SnapshotError};
pub use start::{LastGood, Start, last_good, start};
pub use types::{
    Actions, Address, DnsMode, DnsServer, Domain, FileMode, HttpsUrl, LogFormat, LogLevel,
    LogTarget, Schedule, SmtpTls, StatusCode, Transport, UndoLost, When,
};

use problem::BUILTIN;
use schema::{Key, Reading, Section, Table};

/// A valid configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    pub server: Server,
    pub log: Log,
    pub metrics: Metrics,
    pub dns: Dns,
    pub tld: Tld,
    pub policy: PolicySection,
    pub lists: Lists,
    pub outbound: Outbound,
    pub banner: Banner,
    pub exempt: Exempt,
    pub upstream: Upstream,
    /// By name; [`Config::settings`] puts them in order.
    pub rules: BTreeMap<String, RuleSection>,
    /// By name.
    pub feeds: BTreeMap<String, FeedSection>,
    /// By name.
    pub blocklists: BTreeMap<String, BlocklistSection>,
    pub limits: LimitsSection,
    pub journal: Journal,
    pub digest: Digest,
    /// Directory of the configuration file, where relative paths of lists and keys begin.
    pub directory: PathBuf,
    /// The main file, when there is one.
    pub main_file: Option<PathBuf>,
    /// Where list and key files are read.
    pub files: Files,
    /// Every setting as it holds, with its origin, in the order of the schema.
    pub effective: Vec<Effective>,
    /// Keys that stand somewhere under an earlier name.
    pub renamed: Vec<Renamed>,
}

/// Reads, merges and validates all layers. List and key files are read by [`Config::settings`].
///
/// # Errors
/// Everything that is wrong, at once.
pub fn load(sources: &Sources) -> Result<Config, Errors> {
    let mut reading = Reading::default();
    let Merged { root, tables, renamed } = layers::merge(sources, &mut reading.problems);
    let directory = sources
        .main_file()
        .and_then(|file| file.parent().map(Path::to_owned))
        .or_else(|| Path::new(DEFAULT_FILE).parent().map(Path::to_owned))
        .unwrap_or_default();
    let config = read(&root, directory, &mut reading);
    let Reading { mut problems, effective } = reading;
    if sources.files != Files::Disk {
        problems.retain(|problem| !problem.is_unknown_key());
    }
    let place = |problems: &mut Vec<Problem>| {
        for problem in problems.iter_mut().filter(|problem| problem.origin == BUILTIN) {
            if let Some(origin) = tables.get(&problem.key) {
                problem.origin.clone_from(origin);
            }
        }
    };
    place(&mut problems);
    let Some(config) = config else { return Err(Errors::sorted(problems)) };
    let (main_file, files) = (sources.main_file(), sources.files.clone());
    let config = Config { effective, main_file, files, renamed, ..config };
    let mut more = check::impossible(&config);
    place(&mut more);
    if problems.is_empty() && more.is_empty() {
        return Ok(config);
    }
    // Something is wrong: then the lists and keys are looked at now, for nobody will come to them.
    more.extend(config.settings().err().into_iter().flat_map(|errors| errors.0));
    // What is wrong in itself is told once, and is not missed in its table.
    let told = |new: &Problem, known: &Problem| {
        let below = known.key.strip_prefix(&new.key).is_some_and(|rest| rest.starts_with('.'));
        known.key == new.key || (below && new.is_absence())
    };
    more.retain(|new| !problems.iter().any(|known| told(new, known)));
    problems.extend(more);
    Err(Errors::sorted(problems))
}

/// What is wrong when the file that was read before is not there any more: its absence is not the
/// wish for built-in settings.
pub fn gone(sources: &Sources) -> Option<Errors> {
    if sources.file.is_some() || sources.main_file().is_some() {
        return None;
    }
    let kept = Snapshot::find(&sources.asked(), &state_dirs(sources))?;
    let origin = kept.main_file()?.display().to_string();
    let found = "no such file; an empty one there asks for the built-in settings".to_owned();
    let expected = "the configuration file that was read before".to_owned();
    Some(Errors(vec![Problem { key: String::new(), origin, expected, found, nearest: None }]))
}

/// State directories in which a snapshot for these sources may lie, although they cannot be
/// loaded: the service manager's, the one they name, the built-in one.
pub fn state_dirs(sources: &Sources) -> Vec<PathBuf> {
    // systemd.exec(5): several are joined by colons.
    let managed = std::env::var("STATE_DIRECTORY").unwrap_or_default();
    let managed = managed.split(':').filter(|path| !path.is_empty()).map(PathBuf::from);
    let builtin = builtin().ok().map(|config| config.server.state_dir);
    layers::state_dir(sources).into_iter().chain(managed).chain(builtin).collect()
}

/// The files that these sources are read from, in their order; later ones win.
pub fn files(sources: &Sources) -> Vec<PathBuf> {
    layers::files(sources.main_file().as_deref(), &mut Vec::new())
}

/// The settings that a program without any file has.
///
/// # Errors
/// None, as a test shows; the signature saves a panic.
pub fn builtin() -> Result<Config, Errors> {
    load(&Sources::builtin_only())
}

/// Keys whose change from `old` to `new` takes effect only when the daemon is started anew.
pub fn restart_needed(old: &Config, new: &Config) -> Vec<String> {
    let value = |config: &Config, key: &str| {
        config
            .effective
            .iter()
            .find(|setting| setting.key == key)
            .map(|setting| setting.value.clone())
    };
    new.effective
        .iter()
        .filter(|setting| setting.effect == Effect::Restart)
        .filter(|setting| value(old, &setting.key).as_ref() != Some(&setting.value))
        .map(|setting| setting.key.clone())
        .collect()
}

/// Sections that are tables of tables, each of a name of the operator's.
pub(in crate::config) const NAMED: [&str; 3] = ["rules", "feeds", "blocklists"];

/// The sections in the order of the documentation, with what they are about.
fn sections() -> [(&'static str, &'static [&'static str], &'static [Key]); 17] {
    fn of<S: Section>(
        name: &'static str,
    ) -> (&'static str, &'static [&'static str], &'static [Key]) {
        (name, S::ABOUT, S::KEYS)
    }
    [
        of::<Server>("server"),
        of::<Log>("log"),
        of::<Metrics>("metrics"),
        of::<Dns>("dns"),
        of::<Tld>("tld"),
        of::<PolicySection>("policy"),
        of::<Lists>("lists"),
        of::<Outbound>("outbound"),
        of::<Banner>("banner"),
        of::<Exempt>("exempt"),
        of::<Upstream>("upstream"),
        of::<RuleSection>("rules.*"),
        of::<FeedSection>("feeds.*"),
        of::<BlocklistSection>("blocklists.*"),
        of::<LimitsSection>("limits"),
        of::<Journal>("journal"),
        of::<Digest>("digest"),
    ]
}

/// Paths of all keys; those of rules as `rules.*.KEY`.
fn known_keys() -> Vec<String> {
    let paths = sections().into_iter().flat_map(|(section, _, keys)| {
        keys.iter().map(move |key| format!("{section}.{}", key.name))
    });
    paths.collect()
}

impl Config {
    /// The problem that something else was expected of a setting, with its place.
    pub fn problem(&self, key: &str, expected: &str) -> Problem {
        Problem::of_setting(self, key, expected)
    }
}

/// Reads every section of the merged tree.
fn read(root: &Value, directory: PathBuf, reading: &mut Reading) -> Option<Config> {
    let none = std::collections::HashMap::new();
    let tree = match &root.kind {
        ValueKind::Table(tree) => tree,
        _ => &none,
    };
    let mut unknown: Vec<_> = tree
        .iter()
        .filter(|(name, _)| {
            !NAMED.contains(&name.as_str())
                && sections().iter().all(|(section, _, _)| section != name)
        })
        .collect();
    unknown.sort_by_key(|(name, _)| *name);
    for (name, value) in unknown {
        reading.problems.extend(unknown_section(name, value));
    }
    let server = section(tree.get("server"), "server", reading);
    let log = section(tree.get("log"), "log", reading);
    let metrics = section(tree.get("metrics"), "metrics", reading);
    let dns = section(tree.get("dns"), "dns", reading);
    let tld = section(tree.get("tld"), "tld", reading);
    let policy = section(tree.get("policy"), "policy", reading);
    let lists = section(tree.get("lists"), "lists", reading);
    let outbound = section(tree.get("outbound"), "outbound", reading);
    let banner = section(tree.get("banner"), "banner", reading);
    let exempt = section(tree.get("exempt"), "exempt", reading);
    let upstream = section(tree.get("upstream"), "upstream", reading);
    let rules = named_sections(tree.get("rules"), "rules", reading);
    let feeds = named_sections(tree.get("feeds"), "feeds", reading);
    let blocklists = named_sections(tree.get("blocklists"), "blocklists", reading);
    let limits = section(tree.get("limits"), "limits", reading);
    let journal = section(tree.get("journal"), "journal", reading);
    let digest = section(tree.get("digest"), "digest", reading);
    Some(Config {
        server: server?,
        log: log?,
        metrics: metrics?,
        dns: dns?,
        tld: tld?,
        policy: policy?,
        lists: lists?,
        outbound: outbound?,
        banner: banner?,
        exempt: exempt?,
        upstream: upstream?,
        rules: rules?,
        feeds: feeds?,
        blocklists: blocklists?,
        limits: limits?,
        journal: journal?,
        digest: digest?,
        directory,
        main_file: None,
        files: Files::Disk,
        effective: Vec::new(),
        renamed: Vec::new(),
    })
}

fn section<S: Section>(value: Option<&Value>, path: &str, reading: &mut Reading) -> Option<S> {
    let mut table = Table::new(path.to_owned(), value, S::KEYS, reading);
    let section = S::read(&mut table);
    table.refuse_unknown();
    section
}

fn named_sections<S: Section>(
    value: Option<&Value>,
    section_name: &str,
    reading: &mut Reading,
) -> Option<BTreeMap<String, S>> {
    let Some(value) = value else { return Some(BTreeMap::new()) };
    let ValueKind::Table(table) = &value.kind else {
        let at = setting::At { key: section_name, value, bounds: None };
        reading.problems.push(at.problem(format!("tables [{section_name}.NAME]")));
        return None;
    };
    let sorted: BTreeMap<&String, &Value> = table.iter().collect();
    let mut tables = Some(BTreeMap::new());
    for (name, value) in sorted {
        let table = section::<S>(Some(value), &format!("{section_name}.{name}"), reading);
        tables = tables.zip(table).map(|(mut tables, table)| {
            tables.insert(name.clone(), table);
            tables
        });
    }
    tables
}

/// Every key of a section that nobody knows; the section itself when it holds none.
fn unknown_section(name: &str, value: &Value) -> Vec<Problem> {
    match &value.kind {
        ValueKind::Table(keys) if !keys.is_empty() => {
            let sorted: BTreeMap<&String, &Value> = keys.iter().collect();
            sorted
                .into_iter()
                .map(|(key, value)| schema::unknown_key(&format!("{name}.{key}"), value))
                .collect()
        }
        _ => vec![schema::unknown_key(name, value)],
    }
}
