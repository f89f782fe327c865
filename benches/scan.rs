//! `cargo bench --bench scan`: the scanner over real mail, fifty times, as files and as one mbox.
//!
//! Prints messages and bytes a second on one core and on all, and what each stage costs. Takes the
//! messages from `LINKMILTER_TESTDATA` (default `../shared`), the repetitions from
//! `LINKMILTER_BENCH_TIMES` (default 50; they fill about 3 GB in the temporary folder).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::fs::{self, File};
use std::hint::black_box;
use std::io::{BufWriter, Read, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use linkmilter::engine::policy::HeaderFields;
use linkmilter::engine::{self, Answers, Facts, Message, Policy, Verdict, content, mime};
use linkmilter::judgements::Judgements;
use linkmilter::record::finding::{FindingLine, FindingOrigin};
use linkmilter::record::tally::Tally;
use linkmilter::scan::budget::Gate;
use linkmilter::scan::headers::Headers;
use linkmilter::scan::mbox::Splitter;
use linkmilter::scan::message::{Quoting, RawMessage, SourceMessage};
use linkmilter::scan::walk::{FolderWalk, WalkEntry};
use linkmilter::scan::{
    CrossCheck, GapLines, Input, OutputFormat, Progress, Scan, ScanSettings, read, read::Sink,
};

/// Passes over the messages that one timing of a stage takes.
const PASSES: u32 = 4;

fn main() {
    let data = std::env::var_os("LINKMILTER_TESTDATA")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from)
        .join("mail");
    if !data.is_dir() {
        eprintln!("not run: no mail in the test data (LINKMILTER_TESTDATA)");
        return;
    }
    let times = std::env::var("LINKMILTER_BENCH_TIMES").ok().and_then(|n| n.parse().ok());
    let times: usize = times.unwrap_or(50);
    let folder = tempfile::tempdir().unwrap();
    let messages = collect(&data);
    let (files, mbox) = (folder.path().join("files"), folder.path().join("all.mbox"));
    spread(&messages, times, &files, &mbox);

    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!(
        "{:<16}{:>6}{:>12}{:>10}{:>9}{:>20}{:>9}",
        "whole scan", "cores", "messages/s", "MB/s", "s", "CPU µs a message", "scaling"
    );
    // Once, so that no run meets a colder cache than another.
    read_files(&files);
    for (name, path) in [("files", &files), ("one mbox", &mbox)] {
        let one = whole(name, path, 1, None);
        if cores > 1 {
            whole(name, path, cores, Some(one));
        }
    }
    println!("\n{:<36}{:>14}{:>12}", "stage, processor time", "µs a message", "MB/s");
    stages(&messages, &files, &mbox, times);
}

/// The messages of the data, each once.
fn collect(data: &Path) -> Vec<Vec<u8>> {
    struct Keep(Vec<Vec<u8>>);
    impl Sink for Keep {
        fn wait_for_memory(&mut self, _bytes: usize) {}
        fn message(&mut self, _source: &str, raw: RawMessage<'_>) -> ControlFlow<()> {
            self.0.push(
                SourceMessage::new(&raw.bytes, raw.from_line_len, raw.quoting).raw().to_vec(),
            );
            ControlFlow::Continue(())
        }
        fn unread(&mut self, _source: &str, _offset: u64, _why: &str) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
        fn skipped(&mut self) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
    }
    let mut keep = Keep(Vec::new());
    for entry in FolderWalk::new(data.to_owned()) {
        if let WalkEntry::File { path, .. } = entry {
            let bytes = fs::read(&path).unwrap();
            let _ = read::slice("x", &bytes, Gate::Open, 1 << 28, &mut keep);
        }
    }
    keep.0
}

/// Writes them many times as files and as one mbox.
fn spread(messages: &[Vec<u8>], times: usize, files: &Path, mbox: &Path) {
    let mut out = BufWriter::new(File::create(mbox).unwrap());
    for time in 0..times {
        let folder = files.join(format!("{time:03}"));
        fs::create_dir_all(&folder).unwrap();
        for (number, message) in messages.iter().enumerate() {
            fs::write(folder.join(format!("{number:05}.eml")), message).unwrap();
            out.write_all(b"From a@example.org Thu Aug 22 12:36:23 2024\n").unwrap();
            for line in message.split_inclusive(|byte| *byte == b'\n') {
                let bare = line.iter().take_while(|byte| **byte == b'>').count();
                if line[bare..].starts_with(b"From ") {
                    out.write_all(b">").unwrap();
                }
                out.write_all(line).unwrap();
            }
            out.write_all(b"\n\n").unwrap();
        }
    }
    out.flush().unwrap();
}

fn settings() -> ScanSettings {
    ScanSettings {
        policy: Policy { header_fields: HeaderFields::Omit, ..Policy::default() },
        facts: Facts::default(),
        results: None,
        tlds: linkmilter::tld::builtin(),
        dns: None,
        format: OutputFormat::Jsonl,
        min_verdict: Verdict::Notice,
        gap_lines: GapLines::Omit,
        crosscheck: CrossCheck::Off,
        max_message: 256 << 20,
        judgements: Judgements::default(),
    }
}

/// Scans on so many cores, the whole process held to them; gives messages a second, and says how
/// that compares with what one core did.
fn whole(name: &str, path: &Path, cores: usize, one: Option<f64>) -> f64 {
    let held = hold_to(cores);
    let settings = settings();
    let progress = Progress::hidden();
    let stop = AtomicBool::new(false);
    let scan = Scan {
        settings: &settings,
        jobs: cores,
        progress: &progress,
        stop: &stop,
        journal: None,
        own_files: &[],
    };
    let (begin, busy) = (Instant::now(), cpu_seconds());
    let inputs = std::iter::once(Input::Path(path.to_owned()));
    let tally = scan.run(inputs, &mut std::io::sink()).unwrap().tally;
    let (took, busy) = (begin.elapsed().as_secs_f64(), cpu_seconds() - busy);
    let rate = tally.messages as f64 / took;
    println!(
        "{name:<16}{cores:>6}{rate:>12.0}{:>10.1}{took:>9.1}{:>20.1}{:>9}{}",
        tally.bytes as f64 / took / 1e6,
        busy * 1e6 / tally.messages as f64,
        one.map_or(String::new(), |one| format!("{:.2}x", rate / one)),
        if held { "" } else { "  (not held to the cores: no taskset)" }
    );
    rate
}

/// Holds this process, and the threads that it will start, to the first cores.
fn hold_to(cores: usize) -> bool {
    let list = format!("0-{}", cores - 1);
    let id = std::process::id().to_string();
    let output = std::process::Command::new("taskset").args(["-acp", &list, &id]).output();
    output.is_ok_and(|output| output.status.success())
}

/// Seconds of processor time that this process has taken, in user and system mode.
fn cpu_seconds() -> f64 {
    const TICKS_A_SECOND: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: f64 = fields.skip(11).take(2).filter_map(|n| n.parse::<f64>().ok()).sum();
    ticks / TICKS_A_SECOND
}

/// What each stage costs, alone, on one core. Stages of the engine contain those before them, so
/// their costs are differences.
fn stages(messages: &[Vec<u8>], files: &Path, mbox: &Path, times: usize) {
    hold_to(1);
    let bytes: usize = messages.iter().map(Vec::len).sum();
    let all = messages.len() * times;
    row("read files", time(|| read_files(files)), all, bytes * times);
    row("read the mbox", time(|| read_whole(mbox)), all, bytes * times);
    let split = time(|| {
        let splitter = Splitter::new(File::open(mbox).unwrap(), 0, 1 << 28);
        let mut count = Count(0);
        let _ = read::mbox("x", splitter, &mut count);
        // One that begins without a header field stays with the message before it.
        assert!(count.0 <= all && count.0 * 100 >= all * 99, "{} of {all} messages", count.0);
    });
    row("read and split the mbox", split, all, bytes * times);

    let settings = settings();
    let each = |stage: &mut dyn FnMut(&SourceMessage<'_>)| {
        // The best of a few: what disturbs only adds. Several times over: the kernel counts in ticks.
        let runs = (0..3).map(|_| {
            time(|| {
                for bytes in std::iter::repeat_n(messages, PASSES as usize).flatten() {
                    stage(&SourceMessage::new(bytes, 0, Quoting::Quoted));
                }
            })
        });
        runs.min().unwrap() / PASSES
    };
    let message = each(&mut |message| {
        black_box(message.message());
    });
    let headers = Headers::new();
    let who = each(&mut |message| {
        black_box(headers.origin("x", 0, message.message().head));
    });
    let mime = each(&mut |message| {
        black_box(mime::parse(message.message(), &settings.policy.limits.structure()));
    });
    let mut decoded = 0;
    let decode = each(&mut |message| decoded += readings(message.message(), &settings, |_| 0));
    let detect = each(&mut |message| {
        decoded += readings(message.message(), &settings, |reading| {
            let layers = content::layers(reading.text.as_str(), reading.media);
            let most = settings.policy.limits.links;
            let read = |layer| content::read(&layer, &settings.tlds, most).occurrences.len();
            layers.map(read).sum()
        });
    });
    let judge = each(&mut |message| {
        black_box(inspect(message, &settings));
    });
    let resolve = each(&mut |message| {
        black_box(inspect(message, &settings).resolve(&Answers::new()));
    });
    let splice = each(&mut |message| {
        let outcome = inspect(message, &settings).resolve(&Answers::new());
        black_box(engine::splice::apply(message.message().body, &outcome.edits).to_vec());
    });
    let record = each(&mut |message| {
        let outcome = inspect(message, &settings).resolve(&Answers::new());
        black_box(recorded(&outcome));
    });
    black_box(decoded);
    let row = |name, took| row(name, took, messages.len(), bytes);
    row("head, body, From-quoting", message);
    row("Date, From, Message-ID", who.saturating_sub(message));
    row("MIME structure", mime.saturating_sub(message));
    row("decode", decode.saturating_sub(mime));
    row("detect", detect.saturating_sub(decode));
    row("judge, make edits", judge.saturating_sub(detect));
    row("resolve", resolve.saturating_sub(judge));
    row("splice (not in a scan)", splice.saturating_sub(resolve));
    row("count and record", record.saturating_sub(resolve));
}

fn inspect<'a>(
    message: &'a SourceMessage<'_>,
    settings: &'a ScanSettings,
) -> engine::Inspection<'a> {
    engine::inspect(message.message(), &settings.facts, &settings.policy, &settings.tlds)
}

fn row(name: &str, took: Duration, messages: usize, bytes: usize) {
    let each = took.as_secs_f64() * 1e6 / messages as f64;
    println!("{name:<36}{each:>14.2}{:>12.0}", bytes as f64 / took.as_secs_f64().max(1e-9) / 1e6);
}

/// Processor time of this thread that a stage takes; the clock's where the kernel tells none.
fn time(stage: impl FnOnce()) -> Duration {
    let (begin, busy) = (Instant::now(), thread_nanos());
    stage();
    match (busy, thread_nanos()) {
        (Some(before), Some(after)) => Duration::from_nanos(after - before),
        _ => begin.elapsed(),
    }
}

/// Nanoseconds that this thread has run; what other processes take does not count.
fn thread_nanos() -> Option<u64> {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    stat.split_whitespace().next()?.parse().ok()
}

fn read_files(files: &Path) {
    let mut buffer = Vec::new();
    for entry in FolderWalk::new(files.to_owned()) {
        if let WalkEntry::File { path, .. } = entry {
            buffer.clear();
            File::open(path).unwrap().read_to_end(&mut buffer).unwrap();
            black_box(&buffer);
        }
    }
}

fn read_whole(mbox: &Path) {
    let mut file = File::open(mbox).unwrap();
    let mut buffer = vec![0; 256 << 10];
    while file.read(&mut buffer).unwrap() > 0 {
        black_box(&buffer);
    }
}

struct Count(usize);

impl Sink for Count {
    fn wait_for_memory(&mut self, _bytes: usize) {}
    fn message(&mut self, _source: &str, _raw: RawMessage<'_>) -> ControlFlow<()> {
        self.0 += 1;
        ControlFlow::Continue(())
    }
    fn unread(&mut self, _source: &str, _offset: u64, _why: &str) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn skipped(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Decodes every part and sums up what is made of each reading.
fn readings(
    message: Message<'_>,
    settings: &ScanSettings,
    mut each: impl FnMut(&mime::Reading<'_>) -> usize,
) -> usize {
    let tree = mime::parse(message, &settings.policy.limits.structure());
    let parts = 0..tree.parts.len();
    parts.flat_map(|part| mime::readings(message, &tree, part)).map(|reading| each(&reading)).sum()
}

/// The counts and the lines of a message.
fn recorded(outcome: &engine::Outcome) -> (Tally, Vec<u8>) {
    let (origin, mut tally, mut out) = (FindingOrigin::default(), Tally::default(), Vec::new());
    tally.count(&origin, outcome, 0);
    for finding in outcome.findings.iter().filter(|finding| finding.verdict > Verdict::Ok) {
        FindingLine::new(&origin, finding, &finding.span).write_json(&mut out).unwrap();
    }
    (tally, out)
}
