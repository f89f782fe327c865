//! The layers of a configuration, merged by the `config` crate.
//!
//! built-in < file < `conf.d/*.toml` (by name) < environment < flags. Tables are merged key by key,
//! other values are replaced. Every value has its origin, with the line if it is from a file.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::config::{Config, Environment, Source, Value, ValueKind};
use toml::de::{DeTable, DeValue};

use crate::file;

use super::problem::Problem;
use super::renamed::{self, Renamed};
use super::snapshot::{Files, Snapshot, SnapshotError};

/// The configuration file if none is given.
pub const DEFAULT_FILE: &str = "/etc/linkmilter/linkmilter.toml";

/// Variables with this prefix are settings: `LINKMILTER_DNS__MODE` is `dns.mode`.
pub const ENVIRONMENT_PREFIX: &str = "LINKMILTER";

/// The variable with the IMAP password for `linkmilter recall`.
pub const IMAP_PASSWORD: &str = "LINKMILTER_IMAP_PASSWORD";

/// Variables with the prefix that are not settings.
const NOT_SETTINGS: [&str; 2] = ["LINKMILTER_TESTDATA", IMAP_PASSWORD];

fn is_setting(name: &str) -> bool {
    name.starts_with(ENVIRONMENT_PREFIX) && !NOT_SETTINGS.contains(&name)
}

/// Where settings come from.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The file given on the command line. Without one, [`DEFAULT_FILE`] if it exists.
    pub file: Option<PathBuf>,
    /// Environment variables. Those with other prefixes are ignored.
    pub environment: BTreeMap<String, String>,
    /// Settings from the command line.
    pub flags: Vec<Flag>,
    /// Where files are read from: the disk, or a snapshot of it.
    pub files: Files,
}

/// A setting from the command line.
#[derive(Clone, Debug)]
pub struct Flag {
    /// The option, for error messages: `--listen`.
    pub option: &'static str,
    /// Path of the key.
    pub key: &'static str,
    /// One value, or several for a list.
    pub values: Vec<String>,
}

impl Sources {
    /// The given file, and the environment of this process.
    pub fn new(file: Option<PathBuf>) -> Sources {
        let environment = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
            // Keep no other variables: the environment may be stored in a snapshot.
            .filter(|(name, _)| is_setting(name))
            .map(|(name, value)| (name, value.to_string_lossy().into_owned()))
            .collect();
        Sources { file, environment, ..Sources::default() }
    }

    /// As [`Sources::new`], for a command that reads a file only where it is told to: what it finds does not depend on
    /// which machine it runs on.
    pub fn without_default_file(file: Option<PathBuf>) -> Sources {
        Sources::new(Some(file.unwrap_or_default()))
    }

    /// The same flags on top of a configuration that was valid before. Keys that this program does
    /// not know are ignored there: a newer version may have written them.
    #[must_use]
    pub fn with_snapshot(&self, snapshot: Snapshot) -> Sources {
        Sources {
            file: self.file.clone(),
            environment: snapshot.environment.clone(),
            flags: self.flags.clone(),
            files: Files::Snapshot(Arc::new(snapshot)),
        }
    }

    /// A snapshot of what `config` was just read from. Another process may have changed a file
    /// since, so a snapshot is valid only if it loads ([`Sources::with_snapshot`]).
    ///
    /// # Errors
    /// When a file cannot be read any more.
    pub fn snapshot(
        &self,
        config: &super::Config,
        time: String,
    ) -> Result<Snapshot, SnapshotError> {
        let layers = files(self.main_file().as_deref(), &mut Vec::new());
        Snapshot::take(self.requested_file(), layers, self.environment.clone(), config, time)
    }

    /// The file given on the command line, else the default one, whether it exists or not. Whoever reads of it later
    /// may stand in another directory.
    pub(super) fn requested_file(&self) -> PathBuf {
        let file = self.file.clone().unwrap_or_else(|| PathBuf::from(DEFAULT_FILE));
        std::path::absolute(&file).unwrap_or(file)
    }

    /// Only the built-in settings.
    pub fn builtin_only() -> Sources {
        Sources { file: Some(PathBuf::new()), ..Sources::default() }
    }

    /// The file to read: the given one, else the default one if it exists.
    pub fn main_file(&self) -> Option<PathBuf> {
        if let Files::Snapshot(snapshot) = &self.files {
            return snapshot.main_file().cloned();
        }
        match &self.file {
            Some(file) if file.as_os_str().is_empty() => None,
            Some(file) => Some(file.clone()),
            None => Some(PathBuf::from(DEFAULT_FILE)).filter(|file| file.exists()),
        }
    }
}

/// All layers as one tree.
#[derive(Debug)]
pub(super) struct Merged {
    pub root: Value,
    /// The origin of each table, by its path. The merge keeps only the origins of values.
    pub tables: BTreeMap<String, String>,
    /// Keys that are used under an earlier name.
    pub renamed: Vec<Renamed>,
}

/// Merges all layers. What cannot be read becomes a problem, and the rest is merged anyway.
pub(super) fn merge(sources: &Sources, problems: &mut Vec<Problem>) -> Merged {
    let mut builder = Config::builder();
    let mut tables = BTreeMap::new();
    let mut renamed = Vec::new();
    let paths = match &sources.files {
        Files::Disk => files(sources.main_file().as_deref(), problems),
        Files::Snapshot(snapshot) => snapshot.layers.clone(),
    };
    for path in paths {
        if let Some(mut layer) = read_file(&path, &sources.files, problems) {
            renamed::rename(&mut layer.0, &mut renamed, problems);
            record_table_origins("", &layer.0, &mut tables);
            builder = builder.add_source(layer);
        }
    }
    let mut variables = environment(&sources.environment, problems);
    renamed::rename(&mut variables.0, &mut renamed, problems);
    builder = builder.add_source(variables);
    for flag in &sources.flags {
        builder = builder.add_source(ConfigLayer::of_flag(flag));
    }
    let root = builder.build().map(|config| config.cache).unwrap_or_else(|error| {
        problems.push(Problem::at("configuration", "layers that merge", error.to_string()));
        Value::new(None, HashMap::<String, Value>::new())
    });
    Merged { root, tables, renamed }
}

/// Records the origins of the tables of a file. A later layer replaces an earlier one. The TOML
/// parser limits nesting to 80 levels, so the recursion is bounded.
fn record_table_origins(
    above: &str,
    values: &HashMap<String, Value>,
    tables: &mut BTreeMap<String, String>,
) {
    for (name, value) in values {
        let ValueKind::Table(below) = &value.kind else { continue };
        let path = if above.is_empty() { name.clone() } else { format!("{above}.{name}") };
        record_table_origins(&path, below, tables);
        tables.insert(path, value.origin().unwrap_or_default().to_owned());
    }
}

/// One layer: values by key path, each with its origin.
#[derive(Clone, Debug, Default)]
struct ConfigLayer(HashMap<String, Value>);

impl Source for ConfigLayer {
    fn clone_into_box(&self) -> Box<dyn Source + Send + Sync> {
        Box::new(self.clone())
    }

    fn collect(&self) -> Result<HashMap<String, Value>, ::config::ConfigError> {
        Ok(self.0.clone())
    }
}

impl ConfigLayer {
    fn of_flag(flag: &Flag) -> ConfigLayer {
        let origin = format!("flag {}", flag.option);
        let value = |text: &String| Value::new(Some(&origin), text.as_str());
        let kind: ValueKind = match flag.values.as_slice() {
            [only] => only.as_str().into(),
            values => ValueKind::Array(values.iter().map(value).collect()),
        };
        ConfigLayer(HashMap::from([(flag.key.to_owned(), Value::new(Some(&origin), kind))]))
    }
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// The main file, then `conf.d/*.toml` in the same directory, sorted by name.
pub(super) fn files(main: Option<&Path>, problems: &mut Vec<Problem>) -> Vec<PathBuf> {
    let Some(main) = main else { return Vec::new() };
    let mut files = vec![main.to_owned()];
    let directory = main.with_file_name("conf.d");
    match std::fs::read_dir(&directory) {
        Ok(entries) => {
            let mut more: Vec<PathBuf> = entries
                .filter_map(|entry| Some(entry.ok()?.path()))
                .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
                // As shells read the pattern: editors keep locks and copies under such names.
                .filter(|path| !is_hidden(path))
                .collect();
            more.sort();
            files.append(&mut more);
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => {
            let name = directory.display().to_string();
            problems.push(Problem::at(
                &name,
                None,
                format!("cannot be read: {}", file::reason(&error)),
            ));
        }
    }
    files
}

fn read_file(path: &Path, files: &Files, problems: &mut Vec<Problem>) -> Option<ConfigLayer> {
    let name = path.display().to_string();
    let text = match files.read(path).and_then(file::into_text) {
        Ok(text) => text,
        Err(error) => {
            problems.push(Problem::at(&name, None, format!("cannot be read: {error}")));
            return None;
        }
    };
    let lines = FileLines::of(&name, &text);
    let table = lines.parse(&text, problems)?;
    Some(ConfigLayer(lines.table(table)))
}

/// The state directory, as far as the layers say it, whatever else is wrong with them.
pub(super) fn state_dir(sources: &Sources) -> Option<PathBuf> {
    let in_file = |path: &PathBuf| {
        let text = file::read_text(path, file::MAX_BYTES).ok()?;
        let (table, _) = DeTable::parse_recoverable(&text);
        let root = table.get_ref();
        let server = root.iter().find(|(key, _)| key.get_ref() == "server")?.1.get_ref();
        let DeValue::Table(server) = server else { return None };
        let value = server.iter().find(|(key, _)| key.get_ref() == "state_dir")?.1.get_ref();
        Some(PathBuf::from(value.as_str()?))
    };
    let variable = format!("{ENVIRONMENT_PREFIX}_SERVER__STATE_DIR");
    sources.environment.get(&variable).map(PathBuf::from).or_else(|| {
        let paths = files(sources.main_file().as_deref(), &mut Vec::new());
        paths.iter().rev().find_map(in_file)
    })
}

/// The line ends of a file, to convert offsets to line numbers.
pub(super) struct FileLines<'a> {
    file: &'a str,
    ends: Vec<usize>,
}

impl<'a> FileLines<'a> {
    pub(super) fn of(file: &'a str, text: &str) -> FileLines<'a> {
        FileLines { file, ends: memchr::memchr_iter(b'\n', text.as_bytes()).collect() }
    }

    pub(super) fn origin(&self, offset: usize) -> String {
        let line = self.ends.partition_point(|end| *end < offset) + 1;
        format!("{}:{line}", self.file)
    }

    /// Parses the text of the file. `None` if it is not valid TOML.
    pub(super) fn parse<'t>(
        &self,
        text: &'t str,
        problems: &mut Vec<Problem>,
    ) -> Option<DeTable<'t>> {
        let (table, errors) = DeTable::parse_recoverable(text);
        // One mistake may be found at every line after it.
        let mut told: BTreeMap<String, (String, usize)> = BTreeMap::new();
        for error in &errors {
            let start = error.span().map_or(0, |span| span.start);
            let message = error.message().replace('\n', ", ");
            told.entry(message).or_insert_with(|| (self.origin(start), 0)).1 += 1;
        }
        for (message, (origin, count)) in told {
            let more = match count {
                1 => String::new(),
                count => format!(" (and {} times more below)", count - 1),
            };
            problems.push(Problem::at(&origin, "TOML", message + &more));
        }
        errors.is_empty().then(|| table.into_inner())
    }

    fn table(&self, table: DeTable<'_>) -> HashMap<String, Value> {
        let named = table.into_iter().map(|(key, value)| {
            let origin = self.origin(key.span().start);
            let value = Value::new(Some(&origin), self.kind(value.into_inner()));
            (key.into_inner().into_owned(), value)
        });
        named.collect()
    }

    /// The TOML parser limits nesting to 80 levels, so the recursion is bounded.
    fn kind(&self, value: DeValue<'_>) -> ValueKind {
        match value {
            DeValue::String(text) => text.into_owned().into(),
            DeValue::Boolean(value) => value.into(),
            DeValue::Datetime(value) => value.to_string().into(),
            DeValue::Integer(value) => integer(value.as_str(), value.radix()),
            DeValue::Float(value) => value.as_str().parse::<f64>().unwrap_or(f64::NAN).into(),
            DeValue::Table(table) => ValueKind::Table(self.table(table)),
            DeValue::Array(array) => {
                let elements = array.into_iter().map(|value| {
                    let origin = self.origin(value.span().start);
                    Value::new(Some(&origin), self.kind(value.into_inner()))
                });
                ValueKind::Array(elements.collect())
            }
        }
    }
}

/// An integer. One of more bits than any setting has stays a number, so that its setting refuses it.
fn integer(digits: &str, radix: u32) -> ValueKind {
    if let Ok(value) = i64::from_str_radix(digits, radix) {
        return value.into();
    }
    let wide = i128::from_str_radix(digits, radix).map(ValueKind::I128);
    wide.unwrap_or_else(|_| ValueKind::Float(digits.parse().unwrap_or(f64::INFINITY)))
}

/// The layer of environment variables. The origin of each value is its variable.
fn environment(variables: &BTreeMap<String, String>, problems: &mut Vec<Problem>) -> ConfigLayer {
    let wanted: HashMap<String, String> = variables
        .iter()
        .filter(|(name, _)| is_setting(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let names: BTreeMap<String, String> =
        wanted.keys().map(|name| (name.to_lowercase(), name.clone())).collect();
    let source = Environment::with_prefix(ENVIRONMENT_PREFIX)
        .prefix_separator("_")
        .separator("__")
        .source(Some(wanted));
    let values = match source.collect() {
        Ok(values) => values,
        Err(error) => {
            problems.push(Problem::at("environment", "readable variables", error.to_string()));
            return ConfigLayer::default();
        }
    };
    let named = values.into_iter().map(|(key, value)| {
        let variable = format!("{ENVIRONMENT_PREFIX}_{}", key.replace('.', "__")).to_lowercase();
        let name = names.get(&variable).unwrap_or(&variable);
        (key, Value::new(Some(&format!("environment {name}")), value.kind))
    });
    ConfigLayer(named.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_that_is_found_again_and_again_is_told_once() {
        let mut problems = Vec::new();
        let text = "a b\nc d\n".repeat(50);
        assert!(FileLines::of("file", &text).parse(&text, &mut problems).is_none());
        assert!(problems.len() < 5, "{problems:?}");
        assert!(
            problems[0].origin == "file:1" && problems[0].found.contains("more below"),
            "{problems:?}"
        );
    }

    #[test]
    fn every_byte_is_on_its_line() {
        let text = "a = 1\n\nb = \"é\"\r\n";
        let lines = FileLines::of("file", text);
        for at in 0..=text.len() {
            let before = text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count();
            assert_eq!(lines.origin(at), format!("file:{}", before + 1));
        }
    }
}
