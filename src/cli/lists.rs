//! `linkmilter allow` and `linkmilter block`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::bail;
use serde_json::json;

use crate::config::{self, Added, Config, Removed};
use crate::record::printable::defanged;

use super::shared::ConfigFile;
use super::{ExitStatus, host_arg, reload};

/// Which of the two lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// Hosts whose links are never edited.
    Allow,
    /// Hosts that the operator calls unsafe.
    Block,
}

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    config: ConfigFile,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Print the hosts on the list, with file and line
    List {
        /// One JSON object for each name
        #[arg(long)]
        json: bool,
    },
    /// Add hosts, with all hosts below them, and make a running daemon reload
    Add(Hosts),
    /// Remove hosts from the list, and make a running daemon reload
    Remove(Hosts),
}

#[derive(Debug, clap::Args)]
struct Hosts {
    /// Hosts or URLs, in Unicode or Punycode, also defanged (`example[.]com`, `hxxps://…`)
    #[arg(value_name = "HOST", required = true)]
    hosts: Vec<String>,
    /// Accept a public suffix (`com`, `co.uk`, `github.io`), with every host below it
    #[arg(long)]
    suffix: bool,
}

pub fn run(list: List, args: Args) -> anyhow::Result<ExitStatus> {
    let config = args.config.load()?;
    match args.command {
        Command::List { json } => print(&config, list, json),
        Command::Add(hosts) => {
            add(&config, list, &host_arg::parse_all(&hosts.hosts, hosts.suffix)?)
        }
        Command::Remove(hosts) => remove(&config, list, &host_arg::parse_all(&hosts.hosts, true)?),
    }
}

impl List {
    fn file(self, config: &Config) -> PathBuf {
        let lists = &config.lists;
        config.resolve(match self {
            List::Allow => &lists.allowed_file,
            List::Block => &lists.blocked_file,
        })
    }

    /// The hosts in the configuration itself, and their key.
    fn inline(self, config: &Config) -> (&'static str, Vec<&str>) {
        let lists = &config.lists;
        let (key, domains) = match self {
            List::Allow => ("lists.allowed", &lists.allowed),
            List::Block => ("lists.blocked", &lists.blocked),
        };
        (key, domains.iter().map(|domain| domain.0.as_str()).collect())
    }
}

fn print(config: &Config, list: List, as_json: bool) -> anyhow::Result<ExitStatus> {
    let path = list.file(config);
    let (key, inline) = list.inline(config);
    let origin = config.effective.iter().find(|setting| setting.key == key);
    let origin = origin.map_or(key, |setting| setting.origin.as_str());
    let from_file = config::list_entries(&path)?
        .into_iter()
        .map(|entry| (entry.name, format!("{}:{}", path.display(), entry.line)));
    let from_key = inline.into_iter().map(|name| (name.to_owned(), format!("{origin} ({key})")));
    let mut out = String::new();
    for (name, place) in from_file.chain(from_key) {
        // Writing to a String cannot fail.
        let _ = match as_json {
            true => writeln!(out, "{}", json!({"v": 1, "host": name, "origin": place})),
            false => writeln!(out, "{}  # {place}", defanged(&name)),
        };
    }
    super::print(&out)
}

fn add(config: &Config, list: List, hosts: &[String]) -> anyhow::Result<ExitStatus> {
    let path = list.file(config);
    let mut out = String::new();
    let mut changed = false;
    for host in hosts {
        let _ = match config::add_to_list(&path, host)? {
            Added::AlreadyListed(line) => {
                writeln!(out, "{}:{line}: already covers it", path.display())
            }
            Added::New(name) => {
                changed = true;
                writeln!(out, "{}: {name} added", path.display())
            }
        };
    }
    finish(config, &path, out, changed, ExitStatus::Done)
}

fn remove(config: &Config, list: List, hosts: &[String]) -> anyhow::Result<ExitStatus> {
    let path = list.file(config);
    let (key, inline) = list.inline(config);
    let mut out = String::new();
    let (mut changed, mut answer) = (false, ExitStatus::Done);
    for host in hosts {
        let file = path.display();
        let _ = match config::remove_from_list(&path, host)? {
            Removed::Lines(name, _) => {
                changed = true;
                writeln!(out, "{file}: {name} removed")
            }
            Removed::Covered(entry) => {
                answer = ExitStatus::Negative;
                let (line, name) = (entry.line, entry.name);
                writeln!(out, "{file}:{line}: {name} covers {host}, which has no line of its own")
            }
            Removed::Absent(_) => {
                answer = ExitStatus::Negative;
                writeln!(out, "{file}: {host} is not on it")
            }
        };
        if inline.contains(&host.as_str()) {
            answer = ExitStatus::Negative;
            let _ = writeln!(out, "{key} in the configuration has {host} as well: remove it there");
        }
    }
    finish(config, &path, out, changed, answer)
}

/// Prints what was changed, makes the daemon reload, and prints its answer.
fn finish(
    config: &Config,
    path: &Path,
    mut out: String,
    changed: bool,
    answer: ExitStatus,
) -> anyhow::Result<ExitStatus> {
    if !changed {
        super::print(&out)?;
        return Ok(answer);
    }
    // Print the change first, in case the daemon does not answer.
    super::print(&out)?;
    out.clear();
    match reload::request(config)? {
        reload::ReloadOutcome::NotRunning(reason) => {
            out = format!(
                "{reason}; the list is changed, and takes effect when one starts or reloads\n"
            )
        }
        reload::ReloadOutcome::Applied { process, generation } => {
            let _ = writeln!(
                out,
                "SIGHUP sent to process {process}; configuration {generation} is in force with it"
            );
        }
        reload::ReloadOutcome::Refused { process, error } => bail!(
            "{} is changed, but process {process} keeps its old settings: {error}",
            path.display()
        ),
    }
    super::print(&out)?;
    Ok(answer)
}
