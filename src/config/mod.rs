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

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use ::config::{Value, ValueKind};

pub use blocklists::BlocklistSection;
pub use feeds::{FeedSection, ListVerdict, Sum};
use layers::Merged;
pub use layers::{DEFAULT_FILE, ENVIRONMENT_PREFIX, Flag, IMAP_PASSWORD, Sources};
pub use lists::{
    Added, ListEntry, ListError, Removed, add_to_list, count_protected, host_name, list_entries,
    remove_from_list,
};
pub use print::{Chapter, effective, reference};
pub use problem::{Errors, Problem, is_slip};
pub use renamed::{Renamed, rename_in_file};
pub use rules::Settings;
pub use schema::{Effect, Effective, Key, joined};
pub use sections::{
    Banner, Digest, Dns, Exempt, Journal, LimitsSection, Lists, Log, Metrics, Outbound,
    PolicySection, RuleSection, Server, Tld, Upstream,
};
pub use setting::Size;
pub use snapshot::{Files, ReplacedSnapshot, Snapshot, SnapshotError};
pub use start::{LastGood, Start, last_good, start};
pub use types::{
    DnsMode, DnsServer, Domain, FileMode, HostName, HttpsUrl, LogFormat, LogLevel, LogTarget,
    Schedule, SmtpTls, StatusCode, Transport, UndoLost, When, is_local,
};

use problem::BUILTIN;
use schema::{Collector, Section, Table};

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
    /// By name. [`Config::settings`] sorts them by priority.
    pub rules: BTreeMap<String, RuleSection>,
    /// By name.
    pub feeds: BTreeMap<String, FeedSection>,
    /// By name.
    pub blocklists: BTreeMap<String, BlocklistSection>,
    pub limits: LimitsSection,
    pub journal: Journal,
    pub digest: Digest,
    /// Directory of the configuration file. Relative paths of lists and keys begin there.
    pub directory: PathBuf,
    /// The main file, when there is one.
    pub main_file: Option<PathBuf>,
    /// Where list and key files are read from.
    pub files: Files,
    /// Every setting in force with its origin, in the order of the schema.
    pub effective: Vec<Effective>,
    /// Keys that are used under an earlier name.
    pub renamed: Vec<Renamed>,
}

/// Reads, merges and validates all layers. List and key files are read by [`Config::settings`].
///
/// # Errors
/// Everything that is wrong, at once.
pub fn load(sources: &Sources) -> Result<Config, Errors> {
    let mut collector = Collector::default();
    let Merged { root, tables, renamed } = layers::merge(sources, &mut collector.problems);
    let directory = sources
        .main_file()
        .and_then(|file| file.parent().map(Path::to_owned))
        .or_else(|| Path::new(DEFAULT_FILE).parent().map(Path::to_owned))
        .unwrap_or_default();
    let config = read(&root, directory, &mut collector);
    let Collector { mut problems, effective } = collector;
    if sources.files != Files::Disk {
        problems.retain(|problem| !problem.is_unknown_key());
    }
    let locate = |problems: &mut Vec<Problem>| {
        for problem in problems.iter_mut().filter(|problem| problem.origin == BUILTIN) {
            if let Some(origin) = tables.get(&problem.key) {
                problem.origin.clone_from(origin);
            }
        }
    };
    locate(&mut problems);
    let Some(config) = config else { return Err(Errors::sorted(problems)) };
    let (main_file, files) = (sources.main_file(), sources.files.clone());
    let config = Config { effective, main_file, files, renamed, ..config };
    let mut more = check::invalid_combinations(&config);
    locate(&mut more);
    if problems.is_empty() && more.is_empty() {
        return Ok(config);
    }
    // Check the lists and keys as well now: with this error nobody will load them later.
    more.extend(config.settings().err().into_iter().flat_map(|errors| errors.0));
    // Report a problem of a key once, and not again as missing in its table.
    let is_reported = |new: &Problem, known: &Problem| {
        let below = known.key.strip_prefix(&new.key).is_some_and(|rest| rest.starts_with('.'));
        known.key == new.key || (below && new.is_absence())
    };
    more.retain(|new| !problems.iter().any(|known| is_reported(new, known)));
    problems.extend(more);
    Err(Errors::sorted(problems))
}

/// The error when a configuration file that was read before is missing now. That does not mean that
/// the built-in settings are wanted.
pub fn missing_file(sources: &Sources) -> Option<Errors> {
    if sources.file.is_some() || sources.main_file().is_some() {
        return None;
    }
    let kept = Snapshot::find(&sources.requested_file(), &state_dirs(sources)).snapshot?;
    let origin = kept.main_file()?.display();
    let found = "no such file; create an empty one to use the built-in settings".to_owned();
    let expected = "the configuration file that was read before";
    Some(Errors(vec![Problem::at(origin, expected, found)]))
}

/// State directories that may have a snapshot for these sources, even if they cannot be loaded:
/// that of the service manager, the one they name, the built-in one.
pub fn state_dirs(sources: &Sources) -> Vec<PathBuf> {
    // systemd.exec(5): several directories are separated by colons.
    let managed = std::env::var("STATE_DIRECTORY").unwrap_or_default();
    let managed = managed.split(':').filter(|path| !path.is_empty()).map(PathBuf::from);
    let builtin = builtin().ok().map(|config| config.server.state_dir);
    layers::state_dir(sources).into_iter().chain(managed).chain(builtin).collect()
}

/// The files of these sources in order. Later ones win.
pub fn files(sources: &Sources) -> Vec<PathBuf> {
    layers::files(sources.main_file().as_deref(), &mut Vec::new())
}

/// The settings without any file.
///
/// # Errors
/// Never, as a test shows. The signature avoids a panic.
pub fn builtin() -> Result<Config, Errors> {
    load(&Sources::builtin_only())
}

/// Keys whose change from `old` to `new` takes effect only after a restart of the daemon.
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

/// Sections with one table per name that the operator chooses.
pub(in crate::config) const NAMED_SECTIONS: [&str; 3] = ["rules", "feeds", "blocklists"];

/// The sections in the order of the documentation, with their descriptions.
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
    /// A problem of a setting: something else was expected.
    pub fn problem(&self, key: &str, expected: &str) -> Problem {
        Problem::of_setting(self, key, expected)
    }
}

/// Reads every section of the merged tree. Of an invalid one the built-in values are read, so that the others are
/// checked as well.
fn read(root: &Value, directory: PathBuf, collector: &mut Collector) -> Option<Config> {
    let none = HashMap::new();
    let tree = match &root.kind {
        ValueKind::Table(tree) => tree,
        _ => &none,
    };
    refuse_unknown_sections(tree, collector);
    Some(Config {
        server: section_of(tree, "server", collector)?,
        log: section_of(tree, "log", collector)?,
        metrics: section_of(tree, "metrics", collector)?,
        dns: section_of(tree, "dns", collector)?,
        tld: section_of(tree, "tld", collector)?,
        policy: section_of(tree, "policy", collector)?,
        lists: section_of(tree, "lists", collector)?,
        outbound: section_of(tree, "outbound", collector)?,
        banner: section_of(tree, "banner", collector)?,
        exempt: section_of(tree, "exempt", collector)?,
        upstream: section_of(tree, "upstream", collector)?,
        rules: named_sections(tree, "rules", collector)?,
        feeds: named_sections(tree, "feeds", collector)?,
        blocklists: named_sections(tree, "blocklists", collector)?,
        limits: section_of(tree, "limits", collector)?,
        journal: section_of(tree, "journal", collector)?,
        digest: section_of(tree, "digest", collector)?,
        directory,
        main_file: None,
        files: Files::Disk,
        effective: Vec::new(),
        renamed: Vec::new(),
    })
}

fn refuse_unknown_sections(tree: &HashMap<String, Value>, collector: &mut Collector) {
    let is_known = |name: &str| {
        NAMED_SECTIONS.contains(&name) || sections().iter().any(|(section, _, _)| *section == name)
    };
    let mut unknown: Vec<_> = tree.iter().filter(|(name, _)| !is_known(name)).collect();
    unknown.sort_by_key(|(name, _)| *name);
    for (name, value) in unknown {
        collector.problems.extend(unknown_section(name, value));
    }
}

fn section_of<S: Section>(
    tree: &HashMap<String, Value>,
    name: &str,
    collector: &mut Collector,
) -> Option<S> {
    section(tree.get(name), name, collector)
}

fn section<S: Section>(value: Option<&Value>, path: &str, collector: &mut Collector) -> Option<S> {
    let mut table = Table::new(path.to_owned(), value, S::KEYS, collector);
    let section = S::read(&mut table);
    table.refuse_unknown();
    section
}

fn named_sections<S: Section>(
    tree: &HashMap<String, Value>,
    section_name: &str,
    collector: &mut Collector,
) -> Option<BTreeMap<String, S>> {
    let Some(value) = tree.get(section_name) else { return Some(BTreeMap::new()) };
    let ValueKind::Table(table) = &value.kind else {
        let at = setting::RawValue { key: section_name, value, range: None };
        collector.problems.push(at.problem(format!("tables [{section_name}.NAME]")));
        return Some(BTreeMap::new());
    };
    let sorted: BTreeMap<&String, &Value> = table.iter().collect();
    let read = |(name, value): (&String, &Value)| {
        let table = section(Some(value), &format!("{section_name}.{name}"), collector)?;
        Some((name.clone(), table))
    };
    sorted.into_iter().map(read).collect()
}

/// The unknown keys of an unknown section, or the section itself if it has none.
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
