//! What memory hostile mail takes: the families of `tests/cost`, one message each.
//!
//! Asserted of every family is what is the same in every run: the memory that the engine takes at its peak ([`TIMES`]
//! the message and [`BASE`]), the length of what comes out ([`OUTPUT`] times the body), our header fields, and that a
//! second run finds nothing to edit.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

#[expect(dead_code, reason = "plans are written and read by `cost`")]
mod families;
mod judge;
mod limits;

use std::process::ExitCode;

use families::{Family, Letter, families};
use judge::{judge, lying};
use libtest_mimic::{Arguments, Failed, Trial};
use limits::{BASE, OUTPUT, OUTPUT_BASE, TIMES, policies};
use linkmilter::engine::outcome::Bypass;
use linkmilter::engine::{Outcome, Policy, fields, splice};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Bytes of a message (`COST_BYTES`): so small that what is not linear can still be seen to end.
const QUICK: usize = 128 << 10;

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
    let bytes = std::env::var("COST_BYTES").map_or(QUICK, |bytes| bytes.parse().unwrap());
    let mut arguments = Arguments::from_args();
    // The allocator counts for the process.
    arguments.test_threads = Some(1);
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
        .collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}
