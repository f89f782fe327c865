//! `linkmilter allow` and `linkmilter block`.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::bail;
use serde_json::json;

use crate::config::{self, Added, Config, Removed};
use crate::plural::{counted, verb};
use crate::record::json::write_line;
use crate::record::printable::defanged;

use super::shared::ConfigFile;
use super::{ExitStatus, done, host_arg, reload};

/// Maximum number of lines about blocked hosts that are allowed.
const VOID_LINES: usize = 20;

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
    command: ListsCommand,
    #[command(flatten)]
    config: ConfigFile,
}

#[derive(Debug, clap::Subcommand)]
enum ListsCommand {
    /// Print the hosts on the list, with file and line
    List {
        /// One JSON object for each name
        #[arg(long)]
        json: bool,
    },
    /// Add hosts, with all hosts below them, and make a running daemon reload
    ///
    /// A host that is allowed and blocked, or below one that is allowed, is allowed: the entry of
    /// the block list has no effect. Both commands name such entries; `block add` then exits with
    /// code 1, though the line is written.
    Add(Hosts),
    /// Remove hosts from the list, and make a running daemon reload
    #[command(aliases = ["del", "delete", "rm"])]
    Remove(Hosts),
}

#[derive(Debug, clap::Args)]
struct Hosts {
    /// Hosts or URLs, in Unicode or Punycode, also defanged (`example[.]com`, `hxxps://…`);
    /// addresses, those of IPv6 in brackets as in a URL
    #[arg(value_name = "HOST", required = true)]
    hosts: Vec<String>,
    /// Accept a public suffix (`com`, `co.uk`, `github.io`), with every host below it
    #[arg(long)]
    suffix: bool,
}

pub fn run(list: List, args: Args) -> anyhow::Result<ExitStatus> {
    let config = args.config.load()?;
    match args.command {
        ListsCommand::List { json } => print(&config, list, json),
        ListsCommand::Add(hosts) => {
            add(&config, list, &host_arg::parse_all(&hosts.hosts, hosts.suffix)?)
        }
        ListsCommand::Remove(hosts) => {
            remove(&config, list, &host_arg::parse_all(&hosts.hosts, true)?)
        }
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

/// An entry of a list, and where it stands.
pub(super) struct Placed {
    pub name: String,
    pub place: String,
}

/// The entries of a list, of its file and of the configuration itself.
pub(super) fn placed(config: &Config, list: List) -> anyhow::Result<Vec<Placed>> {
    let path = list.file(config);
    let (key, inline) = list.inline(config);
    let origin = config.effective.iter().find(|setting| setting.key == key);
    let origin = origin.map_or(key, |setting| setting.origin.as_str());
    let from_file = config::list_entries(&path)?.into_iter().map(|entry| Placed {
        name: entry.name,
        place: format!("{}:{}", path.display(), entry.line),
    });
    let from_key = inline
        .into_iter()
        .map(|name| Placed { name: name.to_owned(), place: format!("{origin} ({key})") });
    Ok(from_file.chain(from_key).collect())
}

/// Lines about entries of the block list that have no effect, because the host or a domain above it is on the allow
/// list, which wins. At most [`VOID_LINES`], and how many more there are.
///
/// # Errors
/// When a list cannot be read.
pub fn void_blocks(config: &Config) -> anyhow::Result<Vec<String>> {
    let allowed = placed(config, List::Allow)?;
    let blocked = placed(config, List::Block)?;
    Ok(void_entries(&allowed, &blocked))
}

/// Those of these entries of the block list. Each name is looked up with the domains above it, so that the cost is that
/// of the lists.
fn void_entries(allowed: &[Placed], blocked: &[Placed]) -> Vec<String> {
    let by_name: HashMap<&str, &str> =
        allowed.iter().map(|entry| (entry.name.as_str(), entry.place.as_str())).collect();
    let mut lines = Vec::new();
    let mut count = 0_usize;
    for Placed { name, place } in blocked {
        let above = std::iter::successors(Some(name.as_str()), |name| {
            name.split_once('.').map(|(_, above)| above)
        });
        let found = above.filter_map(|above| by_name.get_key_value(above)).next();
        let Some((above, allowed_at)) = found else { continue };
        count += 1;
        if count <= VOID_LINES {
            let (name, above) = (defanged(name), defanged(above));
            lines.push(format!(
                "{place}: {name} is blocked in vain: {allowed_at} allows {above}, and that wins"
            ));
        }
    }
    if count > VOID_LINES {
        let more = count - VOID_LINES;
        let are = verb(more as u64, "is", "are");
        lines.push(format!("{} {are} blocked in vain", counted(more, "more host")));
    }
    lines
}

fn print(config: &Config, list: List, as_json: bool) -> anyhow::Result<ExitStatus> {
    let mut out = BufWriter::new(io::stdout().lock());
    let mut write = |Placed { name, place }| match as_json {
        true => write_line(&mut out, &json!({"v": 1, "host": name, "origin": place})),
        false => writeln!(out, "{}  # {place}", defanged(&name)),
    };
    let written = placed(config, list)?.into_iter().try_for_each(&mut write);
    done(written.and_then(|()| out.flush()))
}

fn add(config: &Config, list: List, hosts: &[String]) -> anyhow::Result<ExitStatus> {
    let path = list.file(config);
    let added: Vec<Placed> = hosts
        .iter()
        .filter_map(|host| config::host_name(host))
        .map(|name| Placed { name, place: path.display().to_string() })
        .collect();
    let void = match list {
        List::Allow => void_entries(&added, &placed(config, List::Block)?),
        List::Block => void_entries(&placed(config, List::Allow)?, &added),
    };
    let mut out = String::new();
    let (mut changed, mut answer) = (false, ExitStatus::Done);
    for host in hosts {
        let _ = match config::add_to_list(&path, host)? {
            Added::AlreadyListed(line) => {
                writeln!(out, "{}:{line}: already covers it", path.display())
            }
            Added::New(name) => {
                changed = true;
                writeln!(out, "{}: {} added", path.display(), defanged(&name))
            }
        };
    }
    for line in void {
        // What was asked for has no effect; that an entry of the other list has none is what was asked for.
        if list == List::Block {
            answer = ExitStatus::Negative;
        }
        let _ = writeln!(out, "{line}");
    }
    finish(config, &path, out, changed, answer)
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
                writeln!(out, "{file}: {} removed", defanged(&name))
            }
            Removed::Covered(entry) => {
                answer = ExitStatus::Negative;
                let (line, name, host) = (entry.line, defanged(&entry.name), defanged(host));
                writeln!(out, "{file}:{line}: {name} covers {host}, which has no line of its own")
            }
            Removed::Absent(_) => {
                answer = ExitStatus::Negative;
                writeln!(out, "{file}: {} is not on it", defanged(host))
            }
        };
        if inline.contains(&host.as_str()) {
            answer = ExitStatus::Negative;
            let host = defanged(host);
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
