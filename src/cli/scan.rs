//! `linkmilter scan`.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, bail};
use clap::ValueEnum;
use sha2::{Digest, Sha256};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::config::{self, Config, Sources};
use crate::engine::policy::{HeaderFields, Report as Wanted};
use crate::engine::splice::hex;
use crate::engine::{Facts, Policy, Verdict};
use crate::record::tally::Tally;
use crate::record::{csv, html, stix, summary};
use crate::scan::{
    Account, Completion, Dns, Error, Input, Journal, Progress, Report, Scan, Settings, Stream,
    Witness, input, ranges,
};

use super::Answer;
use super::dns::Asker;

/// Judge the messages of archives
///
/// Reads messages, mbox files, Maildirs, MH folders, tar archives and gzip, zstd or xz of these,
/// told apart by their content. Exit code 0: nothing found; 1: findings, or a
/// message whose reading took too much to be finished; 2: something could not be read (it is named,
/// the rest is scanned all the same).
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files and folders; `-` is standard input
    #[arg(required_unless_present = "files0_from")]
    paths: Vec<PathBuf>,
    /// Form of the output
    #[arg(long, value_enum, default_value_t = Format::Jsonl)]
    format: Format,
    /// Show what the filter would change, as a unified diff
    #[arg(long, conflicts_with_all = ["format", "all_links", "account"])]
    diff: bool,
    /// Write to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Threads that judge, 1 to 512 [default: one for each core]
    #[arg(long, value_name = "N", value_parser = parse_jobs)]
    jobs: Option<usize>,
    /// Keep a journal in this file; go on where it says
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Read NUL-ended paths, or `mbox:START-END:PATH`, from this file; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "paths")]
    files0_from: Option<PathBuf>,
    /// Do not scan: write the sources as NUL-ended entries for --files0-from, mboxes of more than
    /// this many MiB cut into ranges
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
    /// Settings of the filter [default: the built-in ones]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Largest message, in MiB; larger ones are named and passed over
    #[arg(long, value_name = "MIB", default_value = "256")]
    max_message: NonZeroUsize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One JSON object a line and finding
    Jsonl,
    /// One row a finding, safe for spreadsheets
    Csv,
    /// Tables for the terminal
    Summary,
    /// One self-contained page
    Html,
    /// STIX 2.1 indicators of the unsafe hosts
    Stix,
}

pub fn run(args: Args) -> anyhow::Result<Answer> {
    if let Some(mib) = args.ranges {
        return list_ranges(&args, mib << 20);
    }
    let config = config(&args)?;
    let settings = settings(&args, &config)?;
    let command = command(&args, &config);
    let journal = args.resume.as_deref().map(|path| Journal::open(path, &command));
    let mut journal = journal.transpose()?;
    let mut out = output(args.out.as_deref(), journal.as_ref())?;
    let own = own_files(&args);
    let fresh = journal.as_ref().is_none_or(|journal| journal.position().batches == 0);
    if settings.stream == Stream::Csv && fresh {
        let mut header = Vec::new();
        csv::write_header(&mut header)?;
        quietly(out.write_all(&header))?;
        if let Some(journal) = &mut journal {
            journal.wrote(header.len());
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
        own: &own,
    };
    let report = match &args.files0_from {
        Some(list) => {
            let entries = input::list(list).with_context(|| list.display().to_string())?;
            scan.run(entries, &mut out)
        }
        None => scan.run(args.paths.iter().cloned().map(Input::argument), &mut out),
    };
    progress.finish();
    match report {
        // The reader has seen enough (`| head`): findings, since only they are written here.
        Err(Error::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Answer::No),
        report => finish(&args, report?, &mut out),
    }
}

/// Writes the forms that are made of the counts, says what was left out, and answers.
fn finish(args: &Args, report: Report, out: &mut Output) -> anyhow::Result<Answer> {
    let tally = &report.tally;
    if report.completion == Completion::Interrupted {
        let hint = match &args.resume {
            Some(path) => format!("go on with --resume {}", path.display()),
            None => "the lines written are whole; with --resume the scan could go on".to_owned(),
        };
        bail!("interrupted after {} messages: {hint}", tally.messages);
    }
    if !args.diff {
        quietly(write_counts(args.format, out, tally))?;
    }
    quietly(out.flush())?;
    let bypassed: u64 = tally.bypasses.values().sum();
    if bypassed > 0 && args.format != Format::Summary {
        let reasons: Vec<String> =
            tally.bypasses.iter().map(|(why, count)| format!("{why} {count}")).collect();
        super::complain(&format_args!("{bypassed} parts were not read: {}", reasons.join(", ")));
    }
    match tally.unread {
        0 if tally.total_findings() > 0 || tally.exhausted > 0 => Ok(Answer::No),
        0 => Ok(Answer::Done),
        unread => bail!("{unread} of the sources could not be read whole, the rest was scanned"),
    }
}

fn write_counts(format: Format, out: &mut Output, tally: &Tally) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    match format {
        Format::Jsonl | Format::Csv => {}
        Format::Summary => summary::write(&mut out, tally)?,
        Format::Html => html::write(&mut out, tally)?,
        Format::Stix => stix::write(&mut out, tally)?,
    }
    out.flush()
}

/// A reader that has seen enough (`| head`) is no failure.
fn quietly(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

fn list_ranges(args: &Args, size: u64) -> anyhow::Result<Answer> {
    let mut out = BufWriter::new(output(args.out.as_deref(), None)?);
    let write =
        |path: &PathBuf| ranges::write(&mut out, path.clone(), size, args.max_message.get() << 20);
    let written = args.paths.iter().try_for_each(write).and_then(|()| out.flush());
    quietly(written)?;
    Ok(Answer::Done)
}

fn config(args: &Args) -> anyhow::Result<Config> {
    let sources = match &args.config {
        Some(file) => Sources::new(Some(file.clone())),
        None => Sources::builtin_only(),
    };
    Ok(config::load(&sources)?)
}

fn settings(args: &Args, config: &Config) -> anyhow::Result<Settings> {
    let policy = config.settings_of_user()?.policies.default_policy();
    let dns = match args.dns {
        true => {
            let asker = Asker::new(config)?;
            Dns::Asked(Box::new(move |questions| asker.answers(questions)))
        }
        false => Dns::Silent,
    };
    let all = args.all_links || args.witness;
    Ok(Settings {
        policy: Policy {
            report: if all { Wanted::AllLinks } else { Wanted::Findings },
            header_fields: if args.diff { HeaderFields::Add } else { HeaderFields::Omit },
            ..Policy::clone(&policy)
        },
        facts: Facts::default(),
        tlds: super::tld::table(config),
        dns,
        stream: match args.format {
            _ if args.diff => Stream::Diff,
            Format::Jsonl => Stream::Jsonl,
            Format::Csv => Stream::Csv,
            Format::Summary | Format::Html | Format::Stix => Stream::Counts,
        },
        least: if args.all_links { Verdict::Ok } else { Verdict::Notice },
        account: if args.account { Account::Gaps } else { Account::Findings },
        witness: if args.witness { Witness::Yes } else { Witness::No },
        largest: args.max_message.get() << 20,
    })
}

/// What must be the same for a journal to be taken up: all but the cores and the journal itself.
fn command(args: &Args, config: &Config) -> String {
    let settings = Sha256::digest(config::effective(config));
    let settings = hex(settings.get(..8).unwrap_or_default());
    format!(
        "linkmilter {} {settings} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
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

/// Threads at most: more than the biggest machines have cores, and their stacks (2 MiB) and batches
/// (256 KiB, eight a thread) still fit a machine that is not.
const MOST_JOBS: usize = 512;

fn parse_jobs(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=MOST_JOBS).contains(number));
    number.ok_or_else(|| {
        format!("expected a number from 1 to {MOST_JOBS}: more threads than cores make it slower")
    })
}

fn jobs(asked: Option<usize>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    asked.unwrap_or_else(cores).min(MOST_JOBS)
}

/// How long the first signal lets the batches under way be finished. A source that gives nothing
/// (a pipe, a terminal) would hold the scan for ever; what is written and in the journal by then is
/// whole, as after a kill.
const GRACE: Duration = Duration::from_secs(10);

/// The first Ctrl-C ends the scan after the batches under way, or after [`GRACE`]; the second at
/// once.
fn interrupts(stop: &Arc<AtomicBool>) -> anyhow::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let stop = Arc::clone(stop);
    let watch = move || {
        for signal in signals.forever() {
            let end = move || {
                // Without a way to end as the signal would, its exit code is still told.
                let _ = emulate_default_handler(signal);
                std::process::exit(128 + signal);
            };
            if stop.swap(true, Ordering::Relaxed) {
                end();
            }
            std::thread::spawn(move || {
                std::thread::sleep(GRACE);
                end();
            });
        }
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(watch)?;
    Ok(())
}

/// Where the output goes.
enum Output {
    File(File),
    Stdout(io::Stdout),
}

/// Opens the output. A journal's earlier output is kept, what stands behind it is cut off.
fn output(path: Option<&Path>, journal: Option<&Journal>) -> anyhow::Result<Output> {
    let Some(path) = path else { return Ok(Output::Stdout(io::stdout())) };
    let name = || path.display().to_string();
    let open = OpenOptions::new().write(true).create(true).truncate(false).open(path);
    let mut file = open.with_context(name)?;
    let found = file.metadata().with_context(name)?;
    // A pipe or a device takes what comes.
    if found.is_file() {
        let kept = journal.map_or(0, Journal::written);
        if found.len() < kept {
            let found = found.len();
            bail!(
                "{}: the journal vouches for {kept} bytes, found {found}: remove the journal to begin anew",
                name()
            );
        }
        file.set_len(kept).and_then(|()| file.seek(SeekFrom::End(0))).with_context(name)?;
    }
    Ok(Output::File(file))
}

/// What the scan itself writes: it may stand in a folder that is scanned.
fn own_files(args: &Args) -> Vec<PathBuf> {
    let mut own: Vec<PathBuf> = Vec::new();
    let output = args.out.as_deref().unwrap_or(Path::new("/dev/stdout"));
    // Standard output is no file, or one that has a name.
    own.extend(output.canonicalize().ok().filter(|path| path.is_file()));
    if let Some(journal) = &args.resume {
        let folder = journal.parent().filter(|parent| !parent.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).canonicalize();
        if let (Ok(folder), Some(name)) = (folder, journal.file_name()) {
            own.push(folder.join(name));
            own.push(Journal::beside(&folder.join(name)));
        }
    }
    own
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Output::File(file) => file.write(bytes),
            Output::Stdout(stdout) => stdout.lock().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::File(file) => file.flush(),
            Output::Stdout(stdout) => stdout.lock().flush(),
        }
    }
}
