//! `linkmilter config`.

use std::fmt::Write as _;
use std::path::Path;

use crate::config::{self, Config, ListEntry, Sources};
use crate::daemon;
use crate::feed::{self, refresh::Source};
use crate::tld::store::{Store, Stored};

use super::shared::ConfigFile;
use super::{Answer, pasted};

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
    /// Name everything that is wrong; exit code 1 if anything is
    ///
    /// Says what was read (files, variables, lists, keys, the table of top-level domains) and what
    /// is probably not meant, as well.
    Check {
        /// Say nothing but what is wrong
        #[arg(long, short)]
        quiet: bool,
    },
    /// Print every setting that holds, with its origin
    Print,
    /// Write the present names of keys that an earlier version called otherwise
    ///
    /// Earlier names are read as the present ones; nothing is wrong with them yet. Exit code 1 when
    /// one is left: in a variable of the environment, or by --dry-run.
    Migrate {
        /// Say what would be written, and write nothing
        #[arg(long)]
        dry_run: bool,
    },
}

pub fn run(args: Args) -> anyhow::Result<Answer> {
    let sources = args.config.sources();
    match args.command {
        Command::Check { quiet } => check(&sources, quiet),
        Command::Print => super::print(&config::effective(&config::load(&sources)?)),
        Command::Migrate { dry_run } => migrate(&sources, dry_run),
    }
}

/// Rewrites the files, and tells what cannot be rewritten.
fn migrate(sources: &Sources, dry_run: bool) -> anyhow::Result<Answer> {
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
    Ok(if left.is_empty() { Answer::Done } else { Answer::No })
}

/// Reads the list and key files as well: a daemon with them would not start.
fn check(sources: &Sources, quiet: bool) -> anyhow::Result<Answer> {
    let loaded = config::gone(sources).map_or_else(|| config::load(sources), Err);
    let read = loaded.and_then(|config| config.settings().map(|_| config));
    match read {
        Ok(config) => {
            let (wrong, missing) = daemon::check_sockets(&config);
            wrong.iter().for_each(|problem| super::say(&format!("{problem}\n")));
            if !wrong.is_empty() {
                return Ok(Answer::No);
            }
            if quiet {
                return Ok(Answer::Done);
            }
            let mut out = account(sources, &config)?;
            for problem in missing {
                // Writing to a String cannot fail.
                let _ = writeln!(out, "note: {problem}");
            }
            super::print(&out)
        }
        Err(errors) => {
            super::say(&format!("{errors}\n"));
            Ok(Answer::No)
        }
    }
}

/// What was read, a line each.
fn account(sources: &Sources, config: &Config) -> anyhow::Result<String> {
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
            names.iter().for_each(|name| wide(&mut out, &origin, &name.0, what));
        }
    }
    feeds(&mut out, config);
    for name in config.blocklists.keys() {
        let _ = writeln!(out, "blocklists.{name}: asked by DNS for domains of links");
    }
    other_files(&mut out, config);
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

/// The lists of others: a file as it is, what is fetched as it is kept.
fn feeds(out: &mut String, config: &Config) {
    let store = feed::store::Store::new(config.feed_directory());
    for feed in config.feeds() {
        let (name, place) = (&feed.name, feed.source.place());
        let _ = write!(out, "feeds.{name}: {place}: ");
        let found = match &feed.source {
            Source::File(_) => {
                let held = feed::refresh::kept(&feed, &store).ok().flatten();
                feed::refresh::look(&feed, held.as_ref()).map(Some)
            }
            Source::Url(_) => feed::refresh::kept(&feed, &store),
        };
        let _ = match found {
            Ok(Some(list)) => {
                let entries = list.listing.len();
                let odd = match list.first_odd {
                    Some(line) => {
                        format!(", {} lines passed over, line {line} the first", list.odd)
                    }
                    None => String::new(),
                };
                match list.listing.known {
                    Some(_) => writeln!(out, "{entries} names that readers know"),
                    None => writeln!(out, "{entries} {} entries{odd}", feed.verdict),
                }
            }
            Ok(None) => writeln!(out, "note: not fetched yet"),
            Err(error) => writeln!(out, "note: {error}"),
        };
    }
}

/// Files beside the lists. Some of them are read when they are needed only: what is amiss is told here.
fn other_files(out: &mut String, config: &Config) {
    for (what, file) in [
        ("the key of the seal", &config.policy.seal_key_file),
        ("the token of the metrics", &config.metrics.token_file),
        ("the password of the digest", &config.digest.smtp_password_file),
        ("certificates for the digest", &config.digest.smtp_ca_file),
        ("certificates for the table of top-level domains", &config.tld.ca_file),
        ("keys of the root of the DNS", &config.dns.trust_anchor),
    ] {
        let Some(path) = file.as_ref().map(|file| config.resolve(file)) else { continue };
        // Writing to a String cannot fail.
        let _ = match std::fs::metadata(&path) {
            Ok(file) => writeln!(out, "{}: {what}, {} bytes", path.display(), file.len()),
            Err(error) => writeln!(out, "{}: note: {what}: {error}", path.display()),
        };
    }
}

/// How many names a list has, and which of them are probably not meant.
fn list(
    out: &mut String,
    config: &Config,
    what: &str,
    file: &Path,
    inline: &[config::Domain],
) -> anyhow::Result<()> {
    let path = config.resolve(file);
    let entries = config::list_entries(&path)?;
    let there = if path.exists() { "" } else { " (not there)" };
    let _ = write!(out, "{}: {} {what} hosts{there}", path.display(), entries.len());
    if !inline.is_empty() {
        let _ = write!(out, ", and {} in the configuration", inline.len());
    }
    out.push('\n');
    if what != "protected" {
        for ListEntry { line, name } in &entries {
            wide(out, &format!("{}:{line}", path.display()), name, what);
        }
        inline.iter().for_each(|name| wide(out, &format!("lists.{what}"), &name.0, what));
    }
    Ok(())
}

/// Says of a name that it is a public suffix, which is seldom meant.
fn wide(out: &mut String, origin: &str, name: &str, what: &str) {
    if pasted::is_suffix(name) {
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "{origin}: note: {name} is a public suffix: every host below it is {what}"
        );
    }
}
