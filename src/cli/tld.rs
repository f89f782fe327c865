//! `linkmilter tld`.

use std::fmt::Write as _;
use std::time::SystemTime;

use anyhow::Context;

use crate::config::Config;
use crate::daemon::resolver::ResolverOptions;
use crate::engine::link::to_ascii;
use crate::engine::unicode::DOTS;
use crate::engine::{Answer as DnsAnswer, Answers, TldTable};
use crate::plural::counted;
use crate::tld::list::is_tld_syntax;
use crate::tld::refresh::{Refreshed, refresh};
use crate::tld::store::{Stored, TldStore};

use super::ExitStatus;
use super::dns::BlockingResolver;
use super::shared::ConfigFile;

/// Show, check or refresh the table of top-level domains
///
/// Without a command: its version, its origin, the number of names.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Option<TldCommand>,
    #[command(flatten)]
    config: ConfigFile,
}

#[derive(Debug, clap::Subcommand)]
enum TldCommand {
    /// Print the names, one per line
    List,
    /// Check whether names are top-level domains; exit code 1 if one is not
    Check {
        /// Top-level domains, or hosts that end in one, in any script
        #[arg(required = true)]
        names: Vec<String>,
        /// Query the DNS for names that the table lacks
        #[arg(long)]
        dns: bool,
    },
    /// Fetch a newer table, if there is one
    Update,
}

pub fn run(args: Args) -> anyhow::Result<ExitStatus> {
    let config = args.config.load()?;
    let store = TldStore::new(config.tld_directory());
    match args.command {
        None => super::print(&about(&store.load())),
        Some(TldCommand::List) => {
            let stored = store.load();
            let names = stored.table.sorted();
            super::print(&format!("{}\n", names.join("\n")))
        }
        Some(TldCommand::Check { names, dns }) => check(&config, &table(&config), &names, dns),
        Some(TldCommand::Update) => update(&config, &store),
    }
}

/// The table that the daemon uses on this machine: the newest good one in the state directory, else
/// the built-in one.
pub fn table(config: &Config) -> TldTable {
    warn_and_get_table(TldStore::new(config.tld_directory()).load())
}

/// Warns if the file in the state directory is not used. Missing permission of this user is no
/// problem: the daemon can read it.
fn warn_and_get_table(stored: Stored) -> TldTable {
    if let Some(error) = stored.file_error.as_ref().filter(|error| !error.is_denied()) {
        super::warn(&format_args!("{error}; the built-in table is used"));
    }
    stored.table
}

fn about(stored: &Stored) -> String {
    let days = stored.age(SystemTime::now()).as_secs() / 86_400;
    let mut out = format!(
        "version:  {}\nnames:    {}\nfrom:     {}\nchecked:  {} ago\n",
        stored.table.version,
        stored.table.len(),
        stored.origin,
        counted(days, "day"),
    );
    if let Some(error) = &stored.file_error {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "not used: {error}");
    }
    out
}

fn check(
    config: &Config,
    table: &TldTable,
    names: &[String],
    dns: bool,
) -> anyhow::Result<ExitStatus> {
    let tlds: Vec<(String, String)> =
        names.iter().map(|name| (name.clone(), tld_of(name))).collect();
    let unknown: Vec<String> = tlds
        .iter()
        .map(|(_, tld)| tld.clone())
        .filter(|tld| dns && is_tld_syntax(tld) && !table.contains(tld))
        .collect();
    let answers = if unknown.is_empty() {
        Answers::new()
    } else {
        let options =
            ResolverOptions { max_questions: unknown.len(), ..ResolverOptions::of(config) };
        BlockingResolver::with(&options, table)?.answers(&unknown)
    };
    let mut out = String::new();
    let mut all = true;
    for (name, tld) in &tlds {
        let answer = answers.get(tld).copied();
        let (exists, says) = match answer {
            _ if table.contains(tld) => (true, "in the table"),
            Some(DnsAnswer::Exists) => (true, "not in the table, but in the DNS"),
            Some(DnsAnswer::Missing) => (false, "neither in the table nor in the DNS"),
            Some(DnsAnswer::Unverified) => (false, "not in the table; the DNS did not answer"),
            None if !is_tld_syntax(tld) => (false, "cannot be a top-level domain"),
            None => (false, "not in the table"),
        };
        all &= exists;
        let shown = if name == tld { name.clone() } else { format!("{name} ({tld})") };
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{}: {says}", shown.escape_debug());
    }
    super::print(&out)?;
    Ok(if all { ExitStatus::Done } else { ExitStatus::Negative })
}

/// The last label in lower-case ASCII form, or unchanged if it has none.
fn tld_of(name: &str) -> String {
    let name = name.trim().trim_end_matches(DOTS);
    let label = name.rsplit(DOTS).next().unwrap_or(name);
    to_ascii(label).unwrap_or_else(|| label.to_owned())
}

fn update(config: &Config, store: &TldStore) -> anyhow::Result<ExitStatus> {
    let fetch = config.tld_fetch();
    let refreshed = refresh(&fetch, store, SystemTime::now())
        .context("the table of top-level domains is unchanged")?;
    let text = match refreshed {
        Refreshed::Unchanged => format!("{} is the newest\n", store.load().table.version),
        Refreshed::Replaced { table, added, removed } => {
            let list = |names: &[String]| {
                if names.is_empty() { "none".to_owned() } else { names.join(" ") }
            };
            format!(
                "version: {}\nnames:   {}\nadded:   {}\nremoved: {}\n",
                table.version,
                table.len(),
                list(&added),
                list(&removed)
            )
        }
    };
    super::print(&text)
}
