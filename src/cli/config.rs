//! `linkmilter config`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::config::{self, Config, Sources};

use super::{Answer, pasted};

/// Check or print the configuration
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Name everything that is wrong; exit code 1 if anything is
    ///
    /// Says what was read (files, variables, lists) and what is probably not meant, as well.
    Check {
        #[command(flatten)]
        config: ConfigArgs,
        /// Say nothing but what is wrong
        #[arg(long, short)]
        quiet: bool,
    },
    /// Print every setting that holds, with its origin
    Print(ConfigArgs),
}

#[derive(Debug, clap::Args)]
struct ConfigArgs {
    /// The configuration file [default: /etc/linkmilter/linkmilter.toml, if it is there]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

pub fn run(args: Args) -> anyhow::Result<Answer> {
    match args.command {
        Command::Check { config, quiet } => check(&Sources::new(config.config), quiet),
        Command::Print(args) => {
            let config = config::load(&Sources::new(args.config))?;
            super::print(&config::effective(&config))
        }
    }
}

/// Reads the list and key files as well: a daemon with them would not start.
fn check(sources: &Sources, quiet: bool) -> anyhow::Result<Answer> {
    let loaded = config::gone(sources).map_or_else(|| config::load(sources), Err);
    let read = loaded.and_then(|config| config.settings().map(|_| config));
    match read {
        Ok(_) if quiet => Ok(Answer::Done),
        Ok(config) => super::print(&account(sources, &config)?),
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
        ("allowed", &lists.allow_file, &lists.allow),
        ("protected", &lists.protected_file, &lists.protected),
        ("blocked", &lists.blocked_file, &lists.blocked),
    ] {
        list(&mut out, config, what, file, inline)?;
    }
    if !config.rules.is_empty() {
        let rules: Vec<&str> = config.rules.keys().map(String::as_str).collect();
        let _ = writeln!(out, "rules: {}", rules.join(", "));
    }
    out.push_str("good\n");
    Ok(out)
}

fn settings(count: usize) -> String {
    format!("{count} {}", if count == 1 { "setting" } else { "settings" })
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
        for entry in entries.iter().filter(|entry| pasted::is_suffix(&entry.name)) {
            let (line, name) = (entry.line, &entry.name);
            let _ = writeln!(
                out,
                "{}:{line}: note: {name} is a public suffix: every host below it is {what}",
                path.display()
            );
        }
    }
    Ok(())
}
