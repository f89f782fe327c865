//! `linkmilter scan`.

mod output;

use std::cell::Cell;
use std::io::{self, BufWriter, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, bail};
use clap::ValueEnum;
use sha2::{Digest, Sha256};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::config::{self, Config, Sources};
use crate::daemon::envelope::observe;
use crate::engine::hex;
use crate::engine::policy::{HeaderFields, Report as Wanted};
use crate::engine::{Dmarc, Facts, Policy, Verdict};
use crate::judgements::Judgements;
use crate::plural::{counted, verb};
use crate::policy::{Envelope, Policies};
use crate::record::tally::Tally;
use crate::record::{csv, html, stix, summary};
use crate::scan::{
    Completion, CrossCheck, Error, GapLines, Input, OutputFormat, Progress, ReadResults, Resolve,
    Scan, ScanJournal, ScanReport, ScanSettings, input, ranges,
};

use super::dns::BlockingResolver;
use super::shared::{host_name, number};
use super::{ExitStatus, is_closed_pipe};
use output::{Destination, Output};

/// Judge the messages of archives
///
/// Reads messages, mbox files, Maildirs, MH folders, tar archives and gzip, zstd or xz of these. The
/// content tells which it is. Exit code 0: nothing found; 1: findings, or a message that took too much
/// to be read to its end; 2: something could not be read (it is reported, and the rest is scanned).
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files and folders; `-` is standard input
    #[arg(required_unless_present = "files0_from")]
    paths: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = ReportFormat::Jsonl)]
    format: ReportFormat,
    /// Show what the filter would change, as a unified diff
    #[arg(long, conflicts_with_all = ["format", "all_links", "account"])]
    diff: bool,
    /// Write to this file instead of standard output. It replaces an older one when the scan ends;
    /// it may not be one of the sources
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Worker threads, 1 to 512 [default: one per core]
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = parse_jobs)]
    jobs: Option<usize>,
    /// Keep a journal in this file; continue where it ends
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Read NUL-terminated paths, or `mbox:START-END:PATH`, from this file; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "paths")]
    files0_from: Option<PathBuf>,
    /// Do not scan: write the sources as NUL-terminated entries for --files0-from, mboxes of more than
    /// this many MiB split into ranges
    #[arg(long, value_name = "MIB", conflicts_with_all = ["files0_from", "format", "diff", "resume"])]
    ranges: Option<u64>,
    /// Ask the DNS about top-level domains that the table lacks
    #[arg(long)]
    dns: bool,
    /// Write a line for every link, good ones included (jsonl, csv)
    #[arg(long)]
    all_links: bool,
    /// Write lines for parts and sources that were not read as well (jsonl)
    #[arg(long)]
    account: bool,
    /// Compare with a second parser and count where it sees a host that we do not
    #[arg(long)]
    witness: bool,
    /// Settings of the filter, with those of the environment [default: the built-in ones]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Size limit of a message, in MiB; larger ones are reported and skipped
    #[arg(long, value_name = "MIB", allow_hyphen_values = true, default_value = "256", value_parser = parse_mib)]
    max_message: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ReportFormat {
    /// One JSON object per finding, one per line
    Jsonl,
    /// One row per finding, safe for spreadsheets
    Csv,
    /// Tables for the terminal
    Summary,
    /// One self-contained page
    Html,
    /// STIX 2.1 indicators of the unsafe hosts
    Stix,
}

pub fn run(args: Args) -> anyhow::Result<ExitStatus> {
    if let Some(mib) = args.ranges {
        return list_ranges(&args, mib << 20);
    }
    let config = config(&args)?;
    let settings = settings(&args, &config)?;
    let command = command(&args, &config);
    let destination = destination(&args)?;
    let journal = args.resume.as_deref().map(|path| ScanJournal::open(path, &command));
    let mut journal = journal.transpose()?;
    let ended = |journal: &mut ScanJournal| journal.is_complete() && destination.is_in_place();
    if let Some(journal) = journal.take_if(ended) {
        let (tally, completion) = (journal.tally(), Completion::Complete);
        return answer(&args, ScanReport { tally, completion, journal: Some(journal) });
    }
    let mut out = destination.open(journal.as_ref())?;
    let own = output::own_files(&out, &destination, args.resume.as_deref());
    let fresh = journal.as_ref().is_none_or(|journal| journal.position().batches == 0);
    if settings.format == OutputFormat::Csv && fresh {
        let mut header = Vec::new();
        csv::write_header(&mut header)?;
        quietly(out.write_all(&header))?;
        if let Some(journal) = &mut journal {
            journal.add_written(header.len());
        }
    }
    let stop = Arc::new(AtomicBool::new(false));
    interrupts(&stop)?;
    let progress = Progress::new();
    progress.size_up(args.paths.clone());
    let scan = Scan {
        settings: &settings,
        jobs: jobs(args.jobs),
        progress: &progress,
        stop: &stop,
        journal,
        own_files: &own,
    };
    let overlap = Cell::new(false);
    let report = match &args.files0_from {
        Some(list) => {
            let entries = input::read_list(list).with_context(|| list.display().to_string())?;
            scan.run(entries.take_while(|entry| !seen(&overlap, &destination, entry)), &mut out)
        }
        None => scan.run(args.paths.iter().cloned().map(Input::argument), &mut out),
    };
    progress.finish();
    if overlap.get() {
        bail!("{}", destination.is_a_source());
    }
    match report {
        // The reader has closed the pipe (`| head`). There are findings, since only they are
        // written here.
        Err(Error::Output(error)) if is_closed_pipe(&error) => Ok(ExitStatus::Negative),
        report => finish(&args, report?, out),
    }
}

/// Where the output goes, if that is none of the sources that are given on the command line.
fn destination(args: &Args) -> anyhow::Result<Destination> {
    let destination = Destination::new(args.out.as_deref())?;
    let mut sources = args.paths.iter().chain(&args.files0_from);
    if sources.any(|source| destination.is_source(source)) {
        bail!("{}", destination.is_a_source());
    }
    Ok(destination)
}

/// Whether the output would replace this entry of a list. Then the scan ends.
fn seen(overlap: &Cell<bool>, destination: &Destination, entry: &Input) -> bool {
    let found = match entry {
        Input::Path(path) | Input::Range { path, .. } => destination.is_source(path),
        Input::Stdin | Input::Unreadable { .. } => false,
    };
    overlap.set(found);
    found
}

/// Writes the output formats that are made from the counts, puts the output in its place, and answers.
fn finish(args: &Args, report: ScanReport, mut out: Output) -> anyhow::Result<ExitStatus> {
    let tally = &report.tally;
    if report.completion == Completion::Interrupted {
        let hint = match (&args.resume, &args.out) {
            (Some(path), _) => format!("continue with --resume {}", path.display()),
            (None, Some(out)) if out.exists() => format!(
                "{} is as it was before; with --resume the scan could continue",
                out.display()
            ),
            (None, Some(_)) => "nothing is kept; with --resume the scan could continue".to_owned(),
            (None, None) => {
                let written = match args.format {
                    ReportFormat::Summary | ReportFormat::Html | ReportFormat::Stix
                        if !args.diff =>
                    {
                        "nothing is written"
                    }
                    _ => "the lines written are complete",
                };
                format!("{written}; with --resume the scan could continue")
            }
        };
        bail!("interrupted after {}: {hint}", counted(tally.messages, "message"));
    }
    if !args.diff {
        quietly(write_counts(args.format, &mut out, tally))?;
    }
    quietly(out.flush())?;
    if tally.messages == 0 {
        // A wrong path must not cost the output of an earlier scan.
        out.discard();
        super::warn(&match &args.out {
            Some(out) => format!("no message was found: {} is not written", out.display()),
            None => "no message was found".to_owned(),
        });
    } else {
        out.commit()?;
    }
    answer(args, report)
}

/// Removes the journal of a scan whose output is in its place, reports what was not read, and answers.
fn answer(args: &Args, report: ScanReport) -> anyhow::Result<ExitStatus> {
    report.journal.map(ScanJournal::remove).transpose()?;
    let tally = &report.tally;
    let bypassed: u64 = tally.bypasses.values().sum();
    if bypassed > 0 && args.format != ReportFormat::Summary {
        let reasons: Vec<String> =
            tally.bypasses.iter().map(|(why, count)| format!("{why} {count}")).collect();
        let parts = counted(bypassed, "part");
        let were = verb(bypassed, "was", "were");
        super::warn(&format_args!("{parts} {were} not read: {}", reasons.join(", ")));
    }
    match tally.unread {
        0 if tally.total_findings() > 0 || tally.exhausted > 0 => Ok(ExitStatus::Negative),
        0 => Ok(ExitStatus::Done),
        unread => {
            let sources = counted(unread, "source");
            bail!("{sources} could not be read completely, the rest was scanned")
        }
    }
}

fn write_counts(format: ReportFormat, out: &mut dyn Write, tally: &Tally) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    match format {
        ReportFormat::Jsonl | ReportFormat::Csv => {}
        ReportFormat::Summary => summary::write(&mut out, tally)?,
        ReportFormat::Html => html::write(&mut out, tally)?,
        ReportFormat::Stix => stix::write(&mut out, tally)?,
    }
    out.flush()
}

/// A closed pipe (`| head`) is no error.
fn quietly(written: io::Result<()>) -> Result<(), Error> {
    match written {
        Err(error) if is_closed_pipe(&error) => Ok(()),
        written => written.map_err(Error::Output),
    }
}

fn list_ranges(args: &Args, size: u64) -> anyhow::Result<ExitStatus> {
    let mut out = destination(args)?.open(None)?;
    let mut buffered = BufWriter::new(&mut out);
    let write =
        |path: &PathBuf| ranges::write(&mut buffered, path.clone(), size, args.max_message << 20);
    let written = args.paths.iter().try_for_each(write).and_then(|()| buffered.flush());
    drop(buffered);
    quietly(written)?;
    out.commit()?;
    Ok(ExitStatus::Done)
}

fn config(args: &Args) -> anyhow::Result<Config> {
    Ok(config::load(&Sources::without_default_file(args.config.clone()))?)
}

fn settings(args: &Args, config: &Config) -> anyhow::Result<ScanSettings> {
    let policies = config.user_settings()?.policies;
    let policy = policies.default_policy();
    let read_results = || Box::new(results(policies, config)) as Box<ReadResults>;
    let results = config.exempt.authserv_id.is_some().then(read_results);
    let tlds = super::tld::table(config);
    let resolver = args.dns.then(|| BlockingResolver::new(config, &tlds)).transpose()?;
    let ask = |resolver: BlockingResolver| -> Box<Resolve> {
        Box::new(move |questions| resolver.answers(questions))
    };
    let dns = resolver.map(ask);
    let all = args.all_links || args.witness;
    Ok(ScanSettings {
        policy: Policy {
            report: if all { Wanted::AllLinks } else { Wanted::Findings },
            header_fields: if args.diff { HeaderFields::Add } else { HeaderFields::Omit },
            ..Policy::clone(&policy)
        },
        facts: Facts::default(),
        results,
        tlds,
        dns,
        format: match args.format {
            _ if args.diff => OutputFormat::Diff,
            ReportFormat::Jsonl => OutputFormat::Jsonl,
            ReportFormat::Csv => OutputFormat::Csv,
            ReportFormat::Summary | ReportFormat::Html | ReportFormat::Stix => OutputFormat::Counts,
        },
        min_verdict: if args.all_links { Verdict::Ok } else { Verdict::Notice },
        gap_lines: if args.account { GapLines::Write } else { GapLines::Omit },
        crosscheck: if args.witness { CrossCheck::On } else { CrossCheck::Off },
        max_message: args.max_message << 20,
        judgements: Judgements::default(),
    })
}

/// Reads what our own server found out in a header, as the daemon does. Nobody says who the recipients are, but where it
/// says that the author is of its own domain.
fn results(
    policies: Policies,
    config: &Config,
) -> impl Fn(&[u8]) -> (Dmarc, Option<String>) + use<> {
    let (host_name, protects) = (host_name(config), config.lists.protect_recipients);
    move |head| {
        let mut envelope = Envelope::default();
        observe(&mut envelope, head, &policies, &host_name);
        let own = policies.own_domain(&envelope).filter(|_| protects);
        (policies.dmarc(&envelope, &host_name), own)
    }
}

/// What must be the same when a scan is resumed: everything except the number of threads and the
/// journal itself.
fn command(args: &Args, config: &Config) -> String {
    let settings = Sha256::digest(config::effective(config));
    let settings = hex::encode(settings.get(..8).unwrap_or_default());
    format!(
        "linkmilter {}\nsettings in force {settings}\npaths {:?}\n--format {:?}\n--diff {:?}\n\
         --out {:?}\n--files0-from {:?}\n--all-links {:?}\n--account {:?}\n--witness {:?}\n\
         --dns {:?}\n--config {:?}\n--max-message {:?}",
        env!("CARGO_PKG_VERSION"),
        args.paths,
        args.format,
        args.diff,
        args.out,
        args.files0_from,
        args.all_links,
        args.account,
        args.witness,
        args.dns,
        args.config,
        args.max_message,
    )
}

/// Maximum number of threads. More than the biggest machines have cores, and their stacks (2 MiB)
/// and batches (256 KiB, eight per thread) still fit a small machine.
const MAX_JOBS: usize = 512;

fn parse_jobs(text: &str) -> Result<usize, String> {
    number(text, 1..=MAX_JOBS)
        .map_err(|said| format!("{said}: more threads than cores make it slower"))
}

fn parse_mib(text: &str) -> Result<usize, String> {
    const LARGEST: usize = usize::MAX >> 20;
    let number = text.parse().ok().filter(|number| (1..=LARGEST).contains(number));
    number.ok_or_else(|| format!("expected a number of MiB from 1 on, found {text:?}"))
}

fn jobs(asked: Option<usize>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    asked.unwrap_or_else(cores).min(MAX_JOBS)
}

/// Time after the first signal to finish the batches in progress. Without it, a source that sends
/// nothing (a pipe, a terminal) would keep the scan from ending. The output and the journal are
/// consistent, as after a kill.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);

/// Whether whoever began this program had this signal ignored (`nohup`), or nobody says so.
fn may_be_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let set = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let set = set.and_then(|set| u64::from_str_radix(set.trim(), 16).ok());
    set.is_none_or(|set| set >> (signal - 1) & 1 == 1)
}

/// The first Ctrl-C ends the scan after the batches in progress, or after [`SHUTDOWN_TIMEOUT`]. The
/// second one ends it at once. So does a terminal that goes away, unless that is to be ignored.
fn interrupts(stop: &Arc<AtomicBool>) -> anyhow::Result<()> {
    let hangup = Some(SIGHUP).filter(|signal| !may_be_ignored(*signal));
    let mut signals = Signals::new([SIGINT, SIGTERM].into_iter().chain(hangup))?;
    let stop = Arc::clone(stop);
    let watch = move || {
        for signal in signals.forever() {
            let end = move || {
                // If the default handler fails, exit with the code that the signal would give.
                let _ = emulate_default_handler(signal);
                std::process::exit(128 + signal);
            };
            if stop.swap(true, Ordering::Relaxed) {
                end();
            }
            std::thread::spawn(move || {
                std::thread::sleep(SHUTDOWN_TIMEOUT);
                end();
            });
        }
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(watch)?;
    Ok(())
}
