//! What hostile mail costs: families of one message each, at growing sizes.
//!
//! `tests/run cost` runs every family under callgrind at n, 2n, 4n, 8n: it starts this binary with a policy and sizes in
//! the environment and with families on standard input; what is done in [`counted`] is counted. No test asserts a time.
//! What memory they take, and what comes out, `cost_memory` asserts: its allocator, which counts, would be counted here.
//! `tests/run cost search` breeds families that no list has: with `COST_SEARCH`, minutes, this binary does so under one
//! policy and writes the dearest into the folder `COST_KEPT`. `tests/run fuzz` looks for such families in its own way: with
//! `COST_SEEDS`, a folder, this binary writes those that are known into it. The message itself goes to the file
//! `COST_LETTER`, if there is to be one, for `linkmilter explain`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod families;
mod judge;
#[expect(dead_code, reason = "the bounds of memory are those of `cost_memory`")]
mod limits;
mod search;

use std::hint::black_box;
use std::path::Path;
use std::process::ExitCode;

use families::{Family, Letter, Plan, families};
use judge::{judge, lying};
use libtest_mimic::{Arguments, Trial};
use limits::policies;
use linkmilter::engine::Policy;

/// What callgrind counts, by its name: one message. Its steps.
#[inline(never)]
fn counted(letter: &Letter, policy: &Policy) -> u64 {
    black_box(judge(letter, policy)).0.cost.all()
}

/// Every family of standard input at every size, a line for each in the order of callgrind's dumps:
/// bytes and steps. A family is one of the list, or the plan in a file.
fn measure(policy: &Policy, sizes: &[usize]) {
    let families = families();
    // The tables are made once.
    judge(&lying(), policy);
    for name in std::io::stdin().lines() {
        let name = name.unwrap();
        let listed = families.iter().find(|one| one.name == name).map(|one| one.plan.clone());
        let plan = listed.unwrap_or_else(|| Plan::read(&std::fs::read(&name).unwrap()));
        for size in sizes {
            let letter = plan.letter(*size);
            if let Ok(path) = std::env::var("COST_LETTER") {
                let message = [&letter.head, &b"\r\n"[..], &letter.body].concat();
                std::fs::write(path, message).unwrap();
            }
            let steps = counted(&letter, policy);
            println!("{} {steps}", letter.head.len() + letter.body.len());
        }
    }
}

fn main() -> ExitCode {
    let wanted = |name: &str| std::env::var(name).ok();
    let policy = wanted("COST_POLICY").unwrap_or_else(|| "default".to_owned());
    let (_, policy) = policies().into_iter().find(|(name, _)| *name == policy).unwrap();
    if let (Some(minutes), Some(kept)) = (wanted("COST_SEARCH"), wanted("COST_KEPT")) {
        search::search(&policy, minutes.parse().unwrap(), Path::new(&kept));
        return ExitCode::SUCCESS;
    }
    if let Some(sizes) = wanted("COST_SIZES") {
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
    let plans = Trial::test("plans are read as they are written", || {
        let lost = |family: &&Family| Plan::read(&family.plan.written()) != family.plan;
        match families().iter().find(lost) {
            Some(family) => Err(format!("{}: another plan", family.name).into()),
            None => Ok(()),
        }
    });
    libtest_mimic::run(&Arguments::from_args(), vec![plans]).exit_code()
}
