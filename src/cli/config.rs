//! `linkmilter config`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::config::{self, Config, ListEntry, Problem, Schedule, Settings, Sources, Transport};
use crate::daemon;
use crate::engine::notices;
use crate::feed::{self, refresh::Source};
use crate::tld::store::{Store, Stored};

use super::shared::ConfigFile;
use super::{ExitStatus, host_arg, lists};

/// Check or print the configuration
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    config: ConfigFile,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Report everything that is wrong; exit code 1 if anything is
    ///
    /// Also reports what was read (files, variables, lists, keys, the table of top-level domains)
    /// and what is probably a mistake.
    Check {
        /// Print only what is wrong
        #[arg(long, short)]
        quiet: bool,
    },
    /// Print every setting in force, with its origin
    Print,
    /// Replace keys of earlier versions by their present names
    ///
    /// Earlier names still work, so this is not urgent. Exit code 1 when one is left: in an
    /// environment variable, or with --dry-run.
    Migrate {
        /// Print what would be written, and write nothing
        #[arg(long)]
        dry_run: bool,
    },
}

pub fn run(args: Args) -> anyhow::Result<ExitStatus> {
    let sources = args.config.sources();
    match args.command {
        Command::Check { quiet } => check(&sources, quiet),
        Command::Print => super::print(&config::effective(&config::load(&sources)?)),
        Command::Migrate { dry_run } => migrate(&sources, dry_run),
    }
}

/// Rewrites the files, and prints what cannot be rewritten.
fn migrate(sources: &Sources, dry_run: bool) -> anyhow::Result<ExitStatus> {
    let before = config::load(sources)?.renamed;
    if !dry_run && !before.is_empty() {
        for file in config::files(sources) {
            config::rename_in_file(&file)?;
        }
    }
    let left = if dry_run { before.clone() } else { config::load(sources)?.renamed };
    let mut out = String::new();
    for renamed in &before {
        // Writing to a String cannot fail.
        let _ = match left.contains(renamed) {
            true => writeln!(out, "{renamed}"),
            false => writeln!(out, "{renamed}: written"),
        };
    }
    if before.is_empty() {
        out.push_str("every key has its present name\n");
    }
    super::print(&out)?;
    Ok(if left.is_empty() { ExitStatus::Done } else { ExitStatus::Negative })
}

/// Also reads the list and key files: the daemon does not start if one of them is wrong.
fn check(sources: &Sources, quiet: bool) -> anyhow::Result<ExitStatus> {
    let loaded = config::missing_file(sources).map_or_else(|| config::load(sources), Err);
    let read = loaded.and_then(|config| config.settings().map(|settings| (config, settings)));
    match read {
        Ok((config, settings)) => {
            let (wrong, missing) = daemon::check_sockets(&config);
            let unusable = unusable_files(&config);
            let unusable = unusable.iter().map(ToString::to_string);
            let wrong: Vec<String> =
                wrong.iter().map(ToString::to_string).chain(unusable).collect();
            wrong.iter().for_each(|problem| super::print_stderr(&format!("{problem}\n")));
            if !wrong.is_empty() {
                return Ok(ExitStatus::Negative);
            }
            if quiet {
                return Ok(ExitStatus::Done);
            }
            let mut out = report_what_was_read(sources, &config)?;
            for problem in missing {
                // Writing to a String cannot fail.
                let _ = writeln!(out, "note: {problem}");
            }
            for note in vain_settings(&config, &settings) {
                let _ = writeln!(out, "note: {note}");
            }
            for note in lists::void_blocks(&config)? {
                let _ = writeln!(out, "note: {note}");
            }
            super::print(&out)
        }
        Err(errors) => {
            super::print_stderr(&format!("{errors}\n"));
            Ok(ExitStatus::Negative)
        }
    }
}

/// Settings that are valid and do not do what was probably meant.
fn vain_settings(config: &Config, settings: &Settings) -> Vec<Problem> {
    let mut found = config.rules_for_all_mail();
    if config.server.state_dir.is_relative() {
        found.push(config.problem(
            "server.state_dir",
            "an absolute path: each command would begin where it is started",
        ));
    }
    let words = &settings.policies.default_policy().words;
    let language = config.policy.language.as_deref();
    if language.is_some_and(|language| notices::known(words, language).is_none()) {
        found.push(config.problem(
            "policy.language",
            "a language that there are words for: those are in English now",
        ));
    }
    if config.dns.servers.iter().any(|server| server.0.port() == 0) {
        found.push(config.problem("dns.servers", "ports that a server can listen at: not 0"));
    }
    let digest = &config.digest;
    if digest.at != Schedule::Off
        && digest.transport == Transport::Sendmail
        && !digest.sendmail.exists()
    {
        found.push(config.problem("digest.sendmail", "a program that is there"));
    }
    found
}

/// What was read, one line each.
fn report_what_was_read(sources: &Sources, config: &Config) -> anyhow::Result<String> {
    let mut out = String::new();
    let of = |layer: &str| {
        let from = |origin: &str| {
            origin == layer || origin.rsplit_once(':').is_some_and(|(file, _)| file == layer)
        };
        config.effective.iter().filter(|setting| from(&setting.origin)).count()
    };
    let files = config::files(sources);
    // Writing to a String cannot fail, here and below.
    for file in &files {
        let name = file.display().to_string();
        let _ = writeln!(out, "{name}: {} in force", settings(of(&name)));
    }
    if files.is_empty() {
        out.push_str("no configuration file: the built-in settings\n");
    }
    for variable in sources.environment.keys() {
        let _ = match of(&format!("environment {variable}")) {
            0 => continue,
            count => writeln!(out, "environment {variable}: {} in force", settings(count)),
        };
    }
    let lists = &config.lists;
    for (what, file, inline) in [
        ("allowed", &lists.allowed_file, &lists.allowed),
        ("protected", &lists.protected_file, &lists.protected),
        ("blocked", &lists.blocked_file, &lists.blocked),
    ] {
        list(&mut out, config, what, file, inline)?;
    }
    if !config.rules.is_empty() {
        let rules: Vec<&str> = config.rules.keys().map(String::as_str).collect();
        let _ = writeln!(out, "rules: {}", rules.join(", "));
    }
    for (name, rule) in &config.rules {
        for (what, names) in [("allowed", &rule.allowed), ("blocked", &rule.blocked)] {
            let origin = format!("rules.{name}.{what}");
            names.iter().for_each(|name| note_public_suffix(&mut out, &origin, &name.0, what));
        }
    }
    feeds(&mut out, config);
    for name in config.blocklists.keys() {
        let _ = writeln!(out, "blocklists.{name}: asked by DNS for domains of links");
    }
    report_other_files(&mut out, config);
    let Stored { table, origin, .. } = Store::new(config.tld_directory()).load();
    let _ = writeln!(out, "{origin}: {} top-level domains, version {}", table.len(), table.version);
    for renamed in &config.renamed {
        let _ = writeln!(out, "{renamed}: note: linkmilter config migrate writes it");
    }
    out.push_str("good\n");
    Ok(out)
}

fn settings(count: usize) -> String {
    format!("{count} {}", if count == 1 { "setting" } else { "settings" })
}

/// The lists of others: a file from its path, a fetched list as it is stored.
fn feeds(out: &mut String, config: &Config) {
    let store = feed::store::Store::new(config.feed_directory());
    for feed in config.feeds() {
        let (name, place) = (&feed.name, feed.source.place());
        let _ = write!(out, "feeds.{name}: {place}: ");
        let found = match &feed.source {
            Source::File(_) => {
                let stored = feed::refresh::load_stored(&feed, &store).ok().flatten();
                feed::refresh::fetch_unstored(&feed, stored.as_ref()).map(Some)
            }
            Source::Url(_) => feed::refresh::load_stored(&feed, &store),
        };
        let _ = match found {
            Ok(Some(list)) => {
                let entries = list.listing.len();
                let invalid = match list.first_invalid_line {
                    Some(line) => {
                        format!(", {} invalid lines, line {line} the first", list.invalid_lines)
                    }
                    None => String::new(),
                };
                match list.listing.known {
                    Some(_) => writeln!(out, "{entries} names that readers know"),
                    None => writeln!(out, "{entries} {} entries{invalid}", feed.verdict),
                }
            }
            Ok(None) => writeln!(out, "note: not fetched yet"),
            Err(error) => writeln!(out, "note: {error}"),
        };
    }
}

/// Files that are read only when they are needed, each with its setting and what it holds.
fn other_files(config: &Config) -> impl Iterator<Item = (&'static str, &'static str, PathBuf)> {
    let files = [
        ("policy.seal_key_file", "the key of the seal", &config.policy.seal_key_file),
        ("metrics.token_file", "the token of the metrics", &config.metrics.token_file),
        (
            "digest.smtp_password_file",
            "the password of the digest",
            &config.digest.smtp_password_file,
        ),
        ("digest.smtp_ca_file", "certificates for the digest", &config.digest.smtp_ca_file),
        ("tld.ca_file", "certificates for the table of top-level domains", &config.tld.ca_file),
        ("dns.trust_anchor", "keys of the root of the DNS", &config.dns.trust_anchor),
    ];
    files
        .into_iter()
        .filter_map(|(key, what, file)| Some((key, what, config.resolve(file.as_ref()?))))
}

/// Those of them that are not there or empty, and a state directory that is none.
fn unusable_files(config: &Config) -> Vec<Problem> {
    let problem = |key: &str, expected: &str, found: String| Problem {
        found,
        ..Problem::of_setting(config, key, expected)
    };
    let unusable = |(key, what, path): (&str, &str, PathBuf)| {
        let found = match std::fs::metadata(&path) {
            Ok(file) if file.is_file() && file.len() == 0 => "an empty file".to_owned(),
            Ok(_) => return None,
            Err(error) => error.to_string(),
        };
        Some(problem(key, what, format!("{}: {found}", path.display())))
    };
    let mut found: Vec<Problem> = other_files(config).filter_map(unusable).collect();
    let state = &config.server.state_dir;
    if std::fs::metadata(state).is_ok_and(|state| !state.is_dir()) {
        let file = format!("{}: a file", state.display());
        found.push(problem("server.state_dir", "a directory", file));
    }
    found
}

fn report_other_files(out: &mut String, config: &Config) {
    for (_, what, path) in other_files(config) {
        let bytes = std::fs::metadata(&path).map_or(0, |file| file.len());
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{}: {what}, {bytes} bytes", path.display());
    }
}

/// Names of a list that are better a feed: there an entry takes eight bytes.
const MANY_NAMES: usize = 10_000;

/// The number of names in a list, and those that are probably a mistake.
fn list(
    out: &mut String,
    config: &Config,
    what: &str,
    file: &Path,
    inline: &[config::Host],
) -> anyhow::Result<()> {
    let path = config.resolve(file);
    let entries = config::list_entries(&path)?;
    let there = if path.exists() { "" } else { " (not there)" };
    let _ = write!(out, "{}: {} {what} hosts{there}", path.display(), entries.len());
    if !inline.is_empty() {
        let _ = write!(out, ", and {} in the configuration", inline.len());
    }
    out.push('\n');
    if entries.len() > MANY_NAMES {
        let _ = writeln!(
            out,
            "{}: note: more than {MANY_NAMES} hosts: what others publish takes less memory as a feed \
             (feeds.NAME.file)",
            path.display()
        );
    }
    if what != "protected" {
        for ListEntry { line, name } in &entries {
            note_public_suffix(out, &format!("{}:{line}", path.display()), name, what);
        }
        inline
            .iter()
            .for_each(|name| note_public_suffix(out, &format!("lists.{what}"), &name.0, what));
    }
    Ok(())
}

/// Notes that a name is a public suffix, which is rarely intended.
fn note_public_suffix(out: &mut String, origin: &str, name: &str, what: &str) {
    if host_arg::is_public_suffix(name) {
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "{origin}: note: {name} is a public suffix: every host below it is {what}"
        );
    }
}
