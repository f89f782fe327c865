//! What hostile mail costs: families of one message each, at growing sizes.
//!
//! The default run asserts of every family what is the same in every run: the memory that the engine takes
//! at its peak ([`TIMES`] the message and [`BASE`]), the length of what comes out ([`OUTPUT`] times the
//! body), our header fields, and that a second run finds nothing to edit. `tests/run cost` runs every family
//! under callgrind at n, 2n, 4n, 8n: it starts this binary with a policy and sizes in the environment and
//! with families on standard input; what is done in [`counted`] is counted. No test asserts a time.
//! `tests/run fuzz` looks for families that no list has: with `COST_SEEDS`, a folder, this binary writes those
//! that are known into it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod families;
mod limits;

use std::hint::black_box;
use std::process::ExitCode;
use std::sync::LazyLock;

use families::{Family, Letter, Plan, families};
use libtest_mimic::{Arguments, Failed, Trial};
use limits::{BASE, OUTPUT, OUTPUT_BASE, TIMES, policies};
use linkmilter::engine::outcome::Bypass;
use linkmilter::engine::{
    Answers, Facts, Message, Outcome, Policy, TldTable, fields, inspect, splice,
};
use linkmilter::tld;
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Bytes of a message in the default run (`COST_BYTES`): so small that what is not linear can still be
/// seen to end.
const QUICK: usize = 128 << 10;

/// Made once: not of any message.
static TLDS: LazyLock<TldTable> = LazyLock::new(tld::builtin);

/// All that the daemon does with a message, but for the wire.
fn judge(letter: &Letter, policy: &Policy) -> (Outcome, usize) {
    let message = Message { head: &letter.head, body: &letter.body };
    let facts = Facts::default();
    let outcome = black_box(inspect(message, &facts, policy, &*TLDS)).resolve(&Answers::new());
    let length = splice::apply(message.body, &outcome.edits).byte_len();
    (outcome, length)
}

/// What callgrind counts, by its name: one message. Its steps.
#[inline(never)]
fn counted(letter: &Letter, policy: &Policy) -> u64 {
    black_box(judge(letter, policy)).0.cost.all()
}

/// Every family of standard input at every size, a line for each in the order of callgrind's dumps:
/// bytes and steps.
fn measure(policy: &Policy, sizes: &[usize]) {
    let families = families();
    // The tables are made once.
    judge(&lying(), policy);
    for name in std::io::stdin().lines() {
        let name = name.unwrap();
        let family = families.iter().find(|one| one.name == name).unwrap();
        for size in sizes {
            let letter = family.plan.letter(*size);
            let steps = counted(&letter, policy);
            println!("{} {steps}", letter.head.len() + letter.body.len());
        }
    }
}

/// What makes the tables: a host that reads as a protected name, and one that reads as none.
fn lying() -> Letter {
    let body = "http://p\u{430}ypal.com/ http://\u{430}bcd\u{430}.com/".as_bytes().to_vec();
    Letter { head: Vec::new(), body }
}

fn check(family: &Family, policy: &Policy, bytes: usize) -> Result<(), Failed> {
    let letter = family.plan.letter(bytes);
    let size = letter.head.len() + letter.body.len();
    // The tables are made once.
    judge(&lying(), policy);
    ALLOCATOR.reset_peak_usage();
    let before = ALLOCATOR.current_usage();
    let (outcome, length) = judge(&letter, policy);
    let peak = ALLOCATOR.peak_usage().saturating_sub(before);
    let factor = peak as f64 / size as f64;
    let edits = outcome.edits.len();
    eprintln!(
        "{}: {size} bytes, peak {peak} ({factor:.1} ×), {edits} edits, out {length}",
        family.name
    );
    at_most("bytes of memory", peak, TIMES * size + BASE)?;
    at_most("bytes of body", length, OUTPUT * letter.body.len() + OUTPUT_BASE)?;
    let written = outcome.fields.iter().filter(|field| field.name != splice::fields::UNDO);
    let written: usize = written.map(|field| field.name.len() + field.value.len() + 4).sum();
    at_most("bytes of our fields", written, fields::TOGETHER)?;
    again(&letter, &outcome, policy)
}

/// The edited message needs no edit, unless the first run says that it did not come to an end.
fn again(letter: &Letter, outcome: &Outcome, policy: &Policy) -> Result<(), Failed> {
    if outcome.bypasses.iter().any(|(_, why)| matches!(why, Bypass::Limit(_))) {
        return Ok(());
    }
    let head = splice::apply_head(&letter.head, &outcome.head_edits);
    let body = splice::apply(&letter.body, &outcome.edits).to_vec();
    let (second, _) = judge(&Letter { head, body: body.clone() }, policy);
    let Some(edit) = second.edits.first() else { return Ok(()) };
    let around = edit.range.start.saturating_sub(60)..(edit.range.end + 60).min(body.len());
    let around = String::from_utf8_lossy(&body[around]).into_owned();
    let text = String::from_utf8_lossy(&edit.replacement).into_owned();
    let count = second.edits.len();
    Err(format!("a second run makes {count} edits, the first {text:?} in {around:?}").into())
}

fn at_most(what: &str, found: usize, most: usize) -> Result<(), Failed> {
    match found <= most {
        true => Ok(()),
        false => Err(format!("expected at most {most} {what}, found {found}").into()),
    }
}

fn main() -> ExitCode {
    let wanted = |name: &str| std::env::var(name).ok();
    if let Some(sizes) = wanted("COST_SIZES") {
        let policy = wanted("COST_POLICY").unwrap_or_else(|| "default".to_owned());
        let (_, policy) = policies().into_iter().find(|(name, _)| *name == policy).unwrap();
        let sizes: Vec<usize> = sizes.split(' ').map(|size| size.parse().unwrap()).collect();
        measure(&policy, &sizes);
        return ExitCode::SUCCESS;
    }
    if let Some(folder) = wanted("COST_SEEDS") {
        for (number, family) in families().iter().enumerate() {
            let seed = [&[0], family.plan.written().as_slice()].concat();
            std::fs::write(format!("{folder}/family-{number:03}"), seed).unwrap();
        }
        return ExitCode::SUCCESS;
    }
    if wanted("COST_LIST").is_some() {
        families().iter().for_each(|family| println!("{}", family.name));
        return ExitCode::SUCCESS;
    }
    let bytes = wanted("COST_BYTES").map_or(QUICK, |bytes| bytes.parse().unwrap());
    let mut arguments = Arguments::from_args();
    // The allocator counts for the process.
    arguments.test_threads = Some(1);
    let plans = Trial::test("plans are read as they are written", || {
        let lost = |family: &&Family| Plan::read(&family.plan.written()) != family.plan;
        match families().iter().find(lost) {
            Some(family) => Err(format!("{}: another plan", family.name).into()),
            None => Ok(()),
        }
    });
    let trials = policies()
        .into_iter()
        .filter(|(name, _)| matches!(*name, "default" | "defang-all" | "linkify"))
        .flat_map(|(name, policy)| {
            families().into_iter().map(move |family| {
                let policy = policy.clone();
                Trial::test(format!("{}: {name}", family.name), move || {
                    check(&family, &policy, bytes)
                })
            })
        })
        .chain([plans])
        .collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}
