//! `linkmilter config`.

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::config::{self, Config, ListEntry, Problem, Schedule, Settings, Sources, Transport};
use crate::daemon;
use crate::engine::{self, notices};
use crate::feed::{self, refresh::Source};
use crate::fetch;
use crate::file;
use crate::plural::counted;
use crate::record::defang::visible;
use crate::tld::store::{Stored, TldStore};

use super::shared::ConfigFile;
use super::{ExitStatus, host_arg, lists};

/// Check or print the configuration
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: ConfigCommand,
    #[command(flatten)]
    config: ConfigFile,
}

#[derive(Debug, clap::Subcommand)]
enum ConfigCommand {
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
    #[command(alias = "show")]
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
        ConfigCommand::Check { quiet } => check(&sources, quiet),
        ConfigCommand::Print => super::print(&config::effective(&config::load(&sources)?)),
        ConfigCommand::Migrate { dry_run } => migrate(&sources, dry_run),
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
            let mut report = what_was_read(sources, &config, &settings)?;
            report.notes.extend(missing.iter().map(ToString::to_string));
            let vain = vain_settings(&config, &settings);
            report.notes.extend(vain.iter().map(ToString::to_string));
            report.notes.extend(lists::void_blocks(&config)?);
            super::print(&report.text())
        }
        Err(errors) => {
            let more = if quiet { "" } else { "note: more is checked when this is mended\n" };
            super::print_stderr(&format!("{errors}\n{more}"));
            Ok(ExitStatus::Negative)
        }
    }
}

/// What was read, and what is probably a mistake in it.
#[derive(Default)]
struct ConfigReport {
    read: String,
    notes: Vec<String>,
}

impl ConfigReport {
    fn text(self) -> String {
        let notes: String = self.notes.iter().map(|note| format!("note: {note}\n")).collect();
        // A path may hold what acts on a terminal.
        let lines = self.read + &notes + "good\n";
        lines.lines().map(|line| visible(line) + "\n").collect()
    }
}

/// Settings that are valid and do not do what was probably meant.
fn vain_settings(config: &Config, settings: &Settings) -> Vec<Problem> {
    let mut found = config.rules_for_all_mail();
    found.extend(config.vain_rules());
    found.extend(config.odd_conditions());
    found.extend(open_secrets(config));
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
    if config.policy.undo_bytes.0 > engine::fields::TOGETHER as u64 {
        found.push(config.problem(
            "policy.undo_bytes",
            "at most 8 KiB: Sendmail refuses a message whose header has more than 32 KiB in all",
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
fn what_was_read(
    sources: &Sources,
    config: &Config,
    settings: &Settings,
) -> anyhow::Result<ConfigReport> {
    let mut report = ConfigReport::default();
    let out = &mut report.read;
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
        let _ = writeln!(out, "{name}: {} in force", counted(of(&name), "setting"));
    }
    if files.is_empty() {
        out.push_str("no configuration file: the built-in settings\n");
    }
    for variable in sources.environment.keys() {
        let _ = match of(&format!("environment {variable}")) {
            0 => continue,
            count => {
                writeln!(out, "environment {variable}: {} in force", counted(count, "setting"))
            }
        };
    }
    let lists = &config.lists;
    list(&mut report, config, "allowed", (&lists.allowed_file, &lists.allowed))?;
    protected(&mut report, config)?;
    list(&mut report, config, "blocked", (&lists.blocked_file, &lists.blocked))?;
    let out = &mut report.read;
    if !config.rules.is_empty() {
        let rules: Vec<&str> = config.rules.keys().map(String::as_str).collect();
        let _ = writeln!(out, "rules: {}", rules.join(", "));
    }
    for (name, rule) in &config.rules {
        for (what, names) in [("allowed", &rule.allowed), ("blocked", &rule.blocked)] {
            let key = format!("rules.{name}.{what}");
            report.notes.extend(inline_suffixes(config, &key, (names, what)));
        }
    }
    feeds(&mut report, config, &settings.own_names);
    let out = &mut report.read;
    for name in config.blocklists.keys() {
        let _ = writeln!(out, "blocklists.{name}: asked by DNS for domains of links");
    }
    report_other_files(out, config);
    let Stored { table, origin, .. } = TldStore::new(config.tld_directory()).load();
    let _ = writeln!(out, "{origin}: {} top-level domains, version {}", table.len(), table.version);
    let renamed = config.renamed.iter();
    report.notes.extend(renamed.map(|key| format!("{key}; linkmilter config migrate writes it")));
    Ok(report)
}

/// The lists of others: a file from its path, a fetched list as it is stored.
fn feeds(report: &mut ConfigReport, config: &Config, own_names: &[String]) {
    let store = feed::store::FeedStore::new(config.feed_directory());
    for feed in config.feeds() {
        let (name, place) = (&feed.name, feed.source.place());
        let found = match &feed.source {
            Source::File(_) => {
                let stored = feed::refresh::load_stored(&feed, &store).ok().flatten();
                feed::refresh::fetch_unstored(&feed, stored.as_ref()).map(Some)
            }
            Source::Url(_) => feed::refresh::load_stored(&feed, &store),
        };
        match found {
            Ok(Some(list)) => {
                let entries = list.listing.len();
                let what = match list.listing.known {
                    Some(_) => counted(entries, "name") + " that readers know",
                    None => counted(entries, &format!("{} entry", feed.verdict)),
                };
                let invalid = match list.first_invalid_line {
                    Some(line) => {
                        let lines = counted(list.invalid_lines, "invalid line");
                        format!(", {lines}, line {line} the first")
                    }
                    None => String::new(),
                };
                // Writing to a String cannot fail.
                let _ = writeln!(report.read, "feeds.{name}: {place}: {what}{invalid}");
                if let Some(names) = list.names_of(own_names) {
                    report.notes.push(format!(
                        "feeds.{name}: it has names of yours, which do not count: {names}"
                    ));
                }
            }
            Ok(None) => report.notes.push(format!("feeds.{name}: {place}: not fetched yet")),
            // The error names the place.
            Err(error) => report.notes.push(format!("feeds.{name}: {error}")),
        }
    }
}

const TRUST_ANCHOR: &str = "dns.trust_anchor";

/// Certificates in the place of the built-in roots: without one there nothing is fetched.
const CA_FILE: &str = "tld.ca_file";

/// Files with a secret that everybody on this host may read.
fn open_secrets(config: &Config) -> Vec<Problem> {
    let own = [
        ("policy.seal_key_file", &config.policy.seal_key_file),
        ("metrics.token_file", &config.metrics.token_file),
        ("digest.smtp_password_file", &config.digest.smtp_password_file),
    ];
    let own = own.into_iter().filter_map(|(key, file)| Some((key, file.as_ref()?)));
    let old = config.policy.seal_old_key_files.iter();
    let old = old.map(|file| ("policy.seal_old_key_files", file));
    let open = own.chain(old).filter_map(|(key, file)| {
        let path = config.resolve(file);
        let mode = std::fs::metadata(&path).ok()?.permissions().mode() & 0o777;
        let said =
            format!("{}: everybody may read this secret: its mode is {mode:04o}", path.display());
        (mode & 0o004 != 0).then(|| Problem::plain(config, key, said))
    });
    open.collect()
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
        (TRUST_ANCHOR, "keys of the root of the DNS", &config.dns.trust_anchor),
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
            Ok(_) if key == TRUST_ANCHOR => {
                let wrong = daemon::resolver::trust_anchors(&path).err()?;
                return Some(Problem::plain(config, key, wrong.to_string()));
            }
            Ok(_) if key == CA_FILE => {
                let wrong = fetch::certificates(&path).err()?;
                return Some(Problem::plain(config, key, wrong.to_string()));
            }
            Ok(_) => return None,
            Err(error) => file::reason(&error),
        };
        Some(problem(key, what, format!("{}: {found}", path.display())))
    };
    let of_feeds = config.feeds.iter().filter_map(|(name, feed)| {
        let path = config.resolve(feed.ca_file.as_ref()?);
        let wrong = fetch::certificates(&path).err()?;
        Some(Problem::plain(config, &format!("feeds.{name}.ca_file"), wrong.to_string()))
    });
    let mut found: Vec<Problem> =
        other_files(config).filter_map(unusable).chain(of_feeds).collect();
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
    report: &mut ConfigReport,
    config: &Config,
    what: &str,
    (file, inline): (&Path, &[config::HostName]),
) -> anyhow::Result<()> {
    let path = config.resolve(file);
    let entries = config::list_entries(&path)?;
    count(report, &path, (what, entries.len()), inline.len());
    let in_file = entries.iter().filter_map(|ListEntry { line, name }| {
        Some(format!("{}:{line}: {}", path.display(), public_suffix(name, what)?))
    });
    report.notes.extend(in_file);
    report.notes.extend(inline_suffixes(config, &format!("lists.{what}"), (inline, what)));
    Ok(())
}

/// The number of protected names.
fn protected(report: &mut ConfigReport, config: &Config) -> anyhow::Result<()> {
    let path = config.resolve(&config.lists.protected_file);
    let entries = config::count_protected(&path)?;
    count(report, &path, ("protected", entries), config.lists.protected.len());
    Ok(())
}

/// How many names a file has, and how many the configuration.
fn count(report: &mut ConfigReport, path: &Path, (what, entries): (&str, usize), inline: usize) {
    let there = if path.exists() { "" } else { " (not there)" };
    let hosts = counted(entries, &format!("{what} host"));
    let more = match inline {
        0 => String::new(),
        inline => format!(", and {inline} in the configuration"),
    };
    // Writing to a String cannot fail.
    let _ = writeln!(report.read, "{}: {hosts}{there}{more}", path.display());
    if entries > MANY_NAMES {
        report.notes.push(format!(
            "{}: more than {MANY_NAMES} hosts: what others publish takes less memory as a feed \
             (feeds.NAME.file)",
            path.display()
        ));
    }
}

/// The notes on names of a setting that are public suffixes.
fn inline_suffixes(
    config: &Config,
    key: &str,
    (names, what): (&[config::HostName], &str),
) -> impl Iterator<Item = String> {
    let said = names.iter().filter_map(move |name| public_suffix(&name.0, what));
    said.map(move |said| Problem::plain(config, key, said).to_string())
}

/// What is said of a name that is a public suffix, which is rarely intended.
fn public_suffix(name: &str, what: &str) -> Option<String> {
    let note = || format!("{name} is a public suffix: every host below it is {what}");
    host_arg::is_public_suffix(name).then(note)
}
