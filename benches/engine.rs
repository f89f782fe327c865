//! The whole engine over real mail: decode, detect, judge, splice, a thread. `cargo bench --bench engine`.
//!
//! On a busy machine time says little: with `--once mail|phish|text|hosts|apart|clean` one run is made and nothing is
//! measured, for `valgrind --tool=callgrind`, whose count of instructions does not depend on the day.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::fs;
use std::hint::black_box;
use std::path::PathBuf;

use criterion::{Criterion, Throughput, criterion_group};
use linkmilter::engine::policy::Defang;
use linkmilter::engine::{Answers, Case, Facts, Message, Policy, TldTable, inspect_case, splice};
use linkmilter::judgements::Judgements;
use linkmilter::tld;

#[path = "common/written.rs"]
mod written;

/// Head and body of every message below the folder.
fn messages(folder: &str) -> Vec<(Vec<u8>, Vec<u8>)> {
    let root = std::env::var_os("LINKMILTER_TESTDATA")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let mut folders = vec![root.join(folder)];
    let mut messages = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = fs::read(path).unwrap();
            let crlf =
                bytes.windows(4).position(|four| four == b"\r\n\r\n").map(|at| (at + 2, at + 4));
            let lf = bytes.windows(2).position(|two| two == b"\n\n").map(|at| (at + 1, at + 2));
            if let Some((head, body)) = [crlf, lf].into_iter().flatten().min() {
                messages.push((bytes[..head].to_vec(), bytes[body..].to_vec()));
            }
        }
    }
    messages
}

fn run(messages: &[(Vec<u8>, Vec<u8>)], policy: &Policy, tlds: &TldTable) -> usize {
    let (facts, judgements) = (Facts::default(), Judgements::default());
    let mut bytes = 0;
    for (head, body) in messages {
        let message = Message { head, body };
        // Judgements are kept from one message to the next, as the daemon and `scan` keep them.
        let case = Case { memory: Some(&judgements), ..Case::new(message, &facts, policy, tlds) };
        let outcome = inspect_case(case).resolve(&Answers::new());
        bytes += splice::apply(body, &outcome.edits).map(<[u8]>::len).sum::<usize>();
    }
    bytes
}

/// A message of links as an MTA hands it on, often enough that what is made once does not count.
fn many_hosts() -> Vec<(Vec<u8>, Vec<u8>)> {
    let (head, body) = written::many_hosts();
    let head: String = head.iter().map(|(name, value)| format!("{name}:{value}\r\n")).collect();
    vec![(head.into_bytes(), body.into_bytes()); 50]
}

/// What is measured: a name, the messages, the policy.
struct Load {
    key: &'static str,
    name: &'static str,
    messages: Vec<(Vec<u8>, Vec<u8>)>,
    policy: Policy,
}

impl Load {
    fn bytes(&self) -> u64 {
        self.messages.iter().map(|(head, body)| head.len() + body.len()).sum::<usize>() as u64
    }
}

fn loads() -> Vec<Load> {
    let prose =
        "This is a line of prose without any link in it, and it goes on and on\r\n".repeat(2_000);
    let plain = vec![(b"Content-Type: text/plain; charset=utf-8\r\n".to_vec(), prose.into_bytes())];
    let all = Policy { defang: Defang::All, ..Policy::default() };
    let load = |key, name, messages, policy| Load { key, name, messages, policy };
    let mut loads = vec![
        load("mail", "real mail, default policy", messages("mail"), Policy::default()),
        load(
            "phish",
            "real phish, default policy",
            messages("mail/phishing_pot"),
            Policy::default(),
        ),
        load(
            "text",
            "ordinary text, default policy",
            messages("mail/spamassassin/easy-ham-1"),
            Policy::default(),
        ),
        load("hosts", "236 links, each with a host of its own", many_hosts(), Policy::default()),
        load("apart", "real mail, every link defanged", messages("mail"), all),
        load("clean", "a part without candidates", plain, Policy::default()),
    ];
    loads.retain(|load| !load.messages.is_empty());
    loads
}

fn engine(criterion: &mut Criterion) {
    let tlds = tld::builtin();
    let mut group = criterion.benchmark_group("engine");
    group.sample_size(10);
    for load in loads() {
        group.throughput(Throughput::Bytes(load.bytes()));
        group.bench_function(load.name, |bench| {
            bench.iter(|| run(black_box(&load.messages), &load.policy, &tlds));
        });
    }
    group.finish();
}

criterion_group!(benches, engine);

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let Some(once) = arguments.iter().position(|argument| argument == "--once") else {
        benches();
        return Criterion::default().configure_from_args().final_summary();
    };
    let tlds = tld::builtin();
    for load in
        loads().iter().filter(|load| arguments[once + 1..].iter().any(|key| key == load.key))
    {
        let out = run(&load.messages, &load.policy, &tlds);
        println!("{}: {} bytes in, {out} bytes of body out", load.name, load.bytes());
    }
}
