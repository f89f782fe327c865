//! `cargo bench --bench scan`: the scanner over real mail, fifty times, as files and as one mbox.
//!
//! Prints messages and bytes a second on one core and on all, and what each stage costs. Takes the
//! messages from `LINKMILTER_TESTDATA` (default `../shared`), the repetitions from
//! `LINKMILTER_BENCH_TIMES` (default 50; they fill about 3 GB in the temporary folder).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use linkmilter::engine::policy::HeaderFields;
use linkmilter::engine::{self, Answers, Facts, Message, Policy, Verdict, mime};
use linkmilter::scan::letter::{Letter, Raw};
use linkmilter::scan::walk::{Entry, Walk};
use linkmilter::scan::{
    Account, Dns, Input, Progress, Scan, Settings, Stream, Witness, read, read::Sink,
};

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
    let letters = collect(&data);
    let (files, mbox) = (folder.path().join("files"), folder.path().join("all.mbox"));
    spread(&letters, times, &files, &mbox);

    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!("{:<28}{:>6}{:>12}{:>12}{:>10}", "whole scan", "cores", "messages/s", "MB/s", "s");
    for (name, path) in [("files", &files), ("one mbox", &mbox)] {
        for jobs in [1, cores] {
            whole(name, path, jobs);
        }
    }
    println!("\n{:<28}{:>18}{:>14}", "stage, one core", "µs a message", "MB/s");
    stages(&letters, &mbox, times);
}

/// The messages of the data, each once.
fn collect(data: &Path) -> Vec<Vec<u8>> {
    struct Keep(Vec<Vec<u8>>);
    impl Sink for Keep {
        fn hold(&mut self, _bytes: usize) {}
        fn letter(&mut self, _source: &str, raw: Raw<'_>) -> ControlFlow<()> {
            self.0.push(Letter::new(&raw.bytes, raw.lead, raw.quoting).raw().to_vec());
            ControlFlow::Continue(())
        }
        fn unread(&mut self, _source: &str, _offset: u64, _why: &str) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
        fn passed_over(&mut self) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
    }
    let mut keep = Keep(Vec::new());
    for entry in Walk::new(data.to_owned()) {
        if let Entry::File { path, .. } = entry {
            let bytes = fs::read(&path).unwrap();
            let _ = read::slice("x", &bytes, 1 << 28, &mut keep);
        }
    }
    keep.0
}

/// Writes them many times as files and as one mbox.
fn spread(letters: &[Vec<u8>], times: usize, files: &Path, mbox: &Path) {
    let mut out = BufWriter::new(File::create(mbox).unwrap());
    for time in 0..times {
        let folder = files.join(format!("{time:03}"));
        fs::create_dir_all(&folder).unwrap();
        for (number, letter) in letters.iter().enumerate() {
            fs::write(folder.join(format!("{number:05}.eml")), letter).unwrap();
            out.write_all(b"From a@example.org Thu Aug 22 12:36:23 2024\n").unwrap();
            for line in letter.split_inclusive(|byte| *byte == b'\n') {
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

fn settings() -> Settings {
    Settings {
        policy: Policy { header_fields: HeaderFields::Omit, ..Policy::default() },
        facts: Facts::default(),
        tlds: linkmilter::tld::builtin(),
        dns: Dns::Silent,
        stream: Stream::Jsonl,
        least: Verdict::Notice,
        account: Account::Findings,
        witness: Witness::No,
        largest: 256 << 20,
    }
}

fn whole(name: &str, path: &Path, jobs: usize) {
    let settings = settings();
    let progress = Progress::hidden();
    let stop = AtomicBool::new(false);
    let scan = Scan { settings: &settings, jobs, progress: &progress, stop: &stop, journal: None };
    let begin = Instant::now();
    let inputs = std::iter::once(Input::Path(path.to_owned()));
    let tally = scan.run(inputs, &mut std::io::sink()).unwrap().tally;
    let took = begin.elapsed().as_secs_f64();
    println!(
        "{name:<28}{jobs:>6}{:>12.0}{:>12.1}{took:>10.1}",
        tally.messages as f64 / took,
        tally.bytes as f64 / took / 1e6
    );
}

/// What each stage costs, alone, on one core.
fn stages(letters: &[Vec<u8>], mbox: &Path, times: usize) {
    let bytes: usize = letters.iter().map(Vec::len).sum();
    let row = |name: &str, took: Duration, messages: usize, bytes: usize| {
        let each = took.as_secs_f64() * 1e6 / messages as f64;
        println!("{name:<28}{each:>18.2}{:>14.1}", bytes as f64 / took.as_secs_f64() / 1e6);
    };
    let begin = Instant::now();
    struct Count(usize);
    impl Sink for Count {
        fn hold(&mut self, _bytes: usize) {}
        fn letter(&mut self, _source: &str, _raw: Raw<'_>) -> ControlFlow<()> {
            self.0 += 1;
            ControlFlow::Continue(())
        }
        fn unread(&mut self, _source: &str, _offset: u64, _why: &str) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
        fn passed_over(&mut self) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
    }
    let mut count = Count(0);
    let _ = read::mbox("x", File::open(mbox).unwrap(), 0, 1 << 28, &mut count);
    row("read and split the mbox", begin.elapsed(), count.0, bytes * times);

    let settings = settings();
    let each = |name: &str, stage: &mut dyn FnMut(Message<'_>)| {
        let begin = Instant::now();
        for letter in letters {
            stage(Letter::new(letter, 0, linkmilter::scan::letter::Quoting::None).message());
        }
        row(name, begin.elapsed(), letters.len(), bytes);
    };
    each("head and body apart", &mut |message| {
        std::hint::black_box(message);
    });
    let headers = linkmilter::scan::judge::headers();
    each("Date, From, Message-ID", &mut |message| {
        std::hint::black_box(headers.parse_headers(message.head));
    });
    each("parts", &mut |message| {
        std::hint::black_box(mime::parse(message, &settings.policy.limits));
    });
    each("parts, decoded", &mut |message| {
        let tree = mime::parse(message, &settings.policy.limits);
        for part in 0..tree.parts.len() {
            std::hint::black_box(mime::readings(message, &tree, part));
        }
    });
    each("the whole engine", &mut |message| {
        let found = engine::inspect(message, &settings.facts, &settings.policy, &settings.tlds);
        std::hint::black_box(found.resolve(&Answers::new()));
    });
}
