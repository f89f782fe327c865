//! `linkmilter check`.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;

use super::lists::{self, List, Placed};
use super::shared::{ConfigFile, default_policy};
use super::{ExitStatus, done, input};
use crate::engine::check;
use crate::engine::host::{LinkJudgement, Names};
use crate::engine::listed_by;
use crate::engine::outcome::{Reason, Verdict};
use crate::engine::policy::Policy;
use crate::engine::tlds::TldTable;
use crate::file;
use crate::policy::is_below;
use crate::record::defang::visible;
use crate::record::json;
use crate::record::judgement::JudgementRecord;

/// Judge hosts, URLs and mail addresses
///
/// As the filter on this machine would: with the names, lists and top-level domains of its
/// configuration. The DNS is not asked: a name under a top-level domain that the table lacks has the
/// verdict of its letters.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
    /// Names to protect in addition to those of the configuration and the built-in ones, one per
    /// line
    #[arg(long, value_name = "FILE")]
    protected: Option<PathBuf>,
    #[command(flatten)]
    config: ConfigFile,
    /// What to judge; without arguments or for `-`, the lines of standard input
    #[arg(value_name = "TARGET")]
    targets: Vec<String>,
}

/// Entries of the block list that are named for one target: a line of input may hold thousands of hosts.
const PLACES: usize = 20;

/// What is needed to judge a target.
struct HostCheck {
    policy: Policy,
    tlds: TldTable,
    /// The operator's own lists.
    blocked: Vec<Placed>,
    allowed: Vec<Placed>,
}

pub fn run(args: Args) -> anyhow::Result<ExitStatus> {
    if args.targets.iter().any(|target| target.trim().is_empty()) {
        anyhow::bail!("expected a host, a URL or a mail address, found an empty argument");
    }
    if let Some(path) = args.targets.iter().find(|target| is_message(target)) {
        anyhow::bail!(
            "expected a host, a URL or a mail address, found the file {path}: \
            `linkmilter explain {path}` judges a message"
        );
    }
    let judge = HostCheck::new(args.config, args.protected.as_deref())?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut worst = Verdict::Ok;
    let mut each = |target: &str| -> std::io::Result<()> {
        let checked = check::check(target, &judge.policy, &judge.tlds);
        worst = worst.max(checked.link.verdict);
        let places = |list: &str| judge.places_of_list(list, &checked.link);
        let record = JudgementRecord::new(target, &checked, &judge.policy, places);
        if args.json { json::write_line(&mut out, &record) } else { plain(&mut out, &record) }
    };
    let written = if input::is_standard(&args.targets) {
        each_line(&mut each)?
    } else {
        args.targets.iter().try_for_each(|target| each(target))
    };
    done(written.and_then(|()| out.flush()))?;
    Ok(if worst >= Verdict::Suspect { ExitStatus::Negative } else { ExitStatus::Done })
}

/// Whether a target is the path of a file. A host may be named like a file in the current folder.
fn is_message(target: &str) -> bool {
    let is_path = target.ends_with(".eml") || target.starts_with(['/', '.', '~']);
    is_path && Path::new(target).is_file()
}

/// Calls `each` for every line of standard input. The outer error is from reading, the inner one
/// from writing.
fn each_line(
    each: &mut impl FnMut(&str) -> std::io::Result<()>,
) -> anyhow::Result<std::io::Result<()>> {
    let mut input = std::io::stdin().lock();
    let mut is_text = true;
    for number in 1_usize.. {
        let line = file::read_entry(&mut input, b'\n')
            .with_context(|| format!("standard input, line {number}"))?;
        if line.is_empty() {
            break;
        }
        if is_text && std::str::from_utf8(&line).is_err() {
            is_text = false;
            input::warn_of_charset_in(number);
        }
        let text = String::from_utf8_lossy(&line);
        let target = text.trim_end_matches(['\n', '\r']);
        if !target.trim().is_empty()
            && let Err(error) = each(target)
        {
            return Ok(Err(error));
        }
    }
    Ok(Ok(()))
}

impl HostCheck {
    fn new(config: ConfigFile, protected_file: Option<&Path>) -> anyhow::Result<HostCheck> {
        let config = config.load()?;
        let mut policy = default_policy(&config)?;
        if let Some(path) = protected_file {
            let text = file::read_text(path, file::MAX_BYTES)
                .with_context(|| format!("expected a list of names at {}", path.display()))?;
            let (names, bad) = Names::parse(&text);
            if let Some(first) = bad.first() {
                anyhow::bail!("{}: {first}", path.display());
            }
            Arc::make_mut(&mut policy.protected).extend(&names);
        }
        let tlds = super::tld::table(&config);
        let blocked = lists::placed(&config, List::Block)?;
        let allowed = lists::placed(&config, List::Allow)?;
        Ok(HostCheck { policy, tlds, blocked, allowed })
    }

    /// Where the list with this key names the link, a line each: for the operator's own, the file and the line of each
    /// entry, and of the entry of the allow list that wins over it.
    fn places_of_list(&self, list: &str, link: &LinkJudgement) -> Vec<String> {
        let mut lines = Vec::new();
        let listed = link.hosts().filter(|host| host.reasons.contains(Reason::Listed));
        for host in listed.filter(|_| list == listed_by::OWN) {
            let covers = |entry: &&Placed| is_below(&host.ascii, &entry.name);
            // The nearest name is the one that was meant.
            let allowed = self.allowed.iter().filter(covers).max_by_key(|entry| entry.name.len());
            let wins = allowed.map_or_else(String::new, |Placed { name, place }| {
                format!(", in vain: {place} allows {name}, and that wins")
            });
            for entry in self.blocked.iter().filter(covers) {
                let line = format!("in {}{wins}", entry.place);
                if lines.len() < PLACES && !lines.contains(&line) {
                    lines.push(line);
                }
            }
        }
        if lines.is_empty() {
            lines.push(format!("in {list}"));
        }
        lines
    }
}

/// `unsafe  раypal.com  mixed-script target-lookalike`, and the explanation below, indented.
fn plain(out: &mut impl Write, record: &JudgementRecord) -> std::io::Result<()> {
    write!(out, "{:<8} {}", record.verdict, visible(&record.input))?;
    if !record.reasons.is_empty() {
        write!(out, "  {}", record.reasons.join(" "))?;
    }
    out.write_all(b"\n")?;
    for line in &record.explanation {
        writeln!(out, "         {}", visible(line))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_of_a_target_are_escaped() {
        assert_eq!(visible("a\u{1b}[2Jb\u{202e}c"), "a\\u{1b}[2Jb\\u{202e}c");
    }
}
