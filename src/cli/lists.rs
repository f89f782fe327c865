//! `linkmilter allow` and `linkmilter block`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::bail;
use serde_json::json;

use crate::config::{self, Added, Config, Removed};
use crate::record::printable::defanged;

use super::shared::ConfigFile;
use super::{Answer, pasted, reload};

/// Which of the two lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// Hosts that are never edited.
    Allow,
    /// Hosts that are unsafe because the operator says so.
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
    /// Print what stands on the list, with its place
    List {
        /// One JSON object for each name
        #[arg(long)]
        json: bool,
    },
    /// Add hosts, with all below them, and have a running daemon read the list
    Add(Hosts),
    /// Take hosts from the list, and have a running daemon read it
    Remove(Hosts),
}

#[derive(Debug, clap::Args)]
struct Hosts {
    /// Hosts or URLs, in Unicode or Punycode, also taken apart (`example[.]com`, `hxxps://…`)
    #[arg(value_name = "HOST", required = true)]
    hosts: Vec<String>,
    /// A public suffix (`com`, `co.uk`, `github.io`) is meant, with every host below it
    #[arg(long)]
    suffix: bool,
}

pub fn run(list: List, args: Args) -> anyhow::Result<Answer> {
    let config = args.config.load()?;
    match args.command {
        Command::List { json } => print(&config, list, json),
        Command::Add(hosts) => add(&config, list, &pasted::hosts(&hosts.hosts, hosts.suffix)?),
        Command::Remove(hosts) => remove(&config, list, &pasted::hosts(&hosts.hosts, true)?),
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

    /// What stands in the configuration itself, and under which key.
    fn inline(self, config: &Config) -> (&'static str, Vec<&str>) {
        let lists = &config.lists;
        let (key, domains) = match self {
            List::Allow => ("lists.allowed", &lists.allowed),
            List::Block => ("lists.blocked", &lists.blocked),
        };
        (key, domains.iter().map(|domain| domain.0.as_str()).collect())
    }
}

fn print(config: &Config, list: List, as_json: bool) -> anyhow::Result<Answer> {
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

fn add(config: &Config, list: List, hosts: &[String]) -> anyhow::Result<Answer> {
    let path = list.file(config);
    let mut out = String::new();
    let mut changed = false;
    for host in hosts {
        let _ = match config::add_to_list(&path, host)? {
            Added::Already(line) => {
                writeln!(out, "{}:{line}: already covers it", path.display())
            }
            Added::New(name) => {
                changed = true;
                writeln!(out, "{}: {name} added", path.display())
            }
        };
    }
    finish(config, &path, out, changed, Answer::Done)
}

fn remove(config: &Config, list: List, hosts: &[String]) -> anyhow::Result<Answer> {
    let path = list.file(config);
    let (key, inline) = list.inline(config);
    let mut out = String::new();
    let (mut changed, mut answer) = (false, Answer::Done);
    for host in hosts {
        let file = path.display();
        let _ = match config::remove_from_list(&path, host)? {
            Removed::Lines(name, _) => {
                changed = true;
                writeln!(out, "{file}: {name} removed")
            }
            Removed::Covered(entry) => {
                answer = Answer::No;
                let (line, name) = (entry.line, entry.name);
                writeln!(out, "{file}:{line}: {name} covers {host}, which has no line of its own")
            }
            Removed::Absent(_) => {
                answer = Answer::No;
                writeln!(out, "{file}: {host} is not on it")
            }
        };
        if inline.contains(&host.as_str()) {
            answer = Answer::No;
            let _ =
                writeln!(out, "{key} in the configuration holds {host} as well: take it out there");
        }
    }
    finish(config, &path, out, changed, answer)
}

/// Tells what was changed, has the daemon read it, and tells what the daemon made of it.
fn finish(
    config: &Config,
    path: &Path,
    mut out: String,
    changed: bool,
    answer: Answer,
) -> anyhow::Result<Answer> {
    if !changed {
        super::print(&out)?;
        return Ok(answer);
    }
    // The change is told even when nobody can be found to confirm it.
    super::print(&out)?;
    out.clear();
    match reload::ask(config)? {
        reload::Said::Nobody(why) => {
            out = format!("{why}; it counts from the next start or reload\n")
        }
        reload::Said::InForce { process, generation } => {
            let _ = writeln!(
                out,
                "SIGHUP sent to process {process}; configuration {generation} is in force with it"
            );
        }
        reload::Said::Refused { process, error } => bail!(
            "{} is changed, but process {process} keeps its old settings: {error}",
            path.display()
        ),
    }
    super::print(&out)?;
    Ok(answer)
}
