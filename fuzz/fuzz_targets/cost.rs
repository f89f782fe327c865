//! Any bytes as the plan of a family of messages (`tests/cost/families`): does what is done for them, and what is
//! allocated, grow faster than they do?
//!
//! What a message took a byte, in steps by stage, in bytes allocated and in times that something was, is feedback
//! to the fuzzer, to the eighth of a power of two: what is dearer than all before, or grows faster, is kept, and is
//! what the next ones are made of. Seeds: the families that are known. Run: `tests/run fuzz`.
//!
//! Work that nobody charged shows in the time that the thread took alone. It is compared with what prose
//! took here, far above the aims of `tests/run cost`, which counts instructions.

#![no_main]

mod counting;
#[expect(dead_code, reason = "the test writes down what is read here")]
#[path = "../../tests/cost/families/mod.rs"]
mod families;
#[path = "../../tests/cost/limits.rs"]
mod limits;

use std::sync::LazyLock;
use std::time::Duration;

use cpu_time::ThreadTime;
use families::{Letter, Plan, families};
use libfuzzer_sys::fuzz_target;
use limits::{BASE, OUTPUT, OUTPUT_BASE, TIMES, policies};
use linkmilter::engine::cost::{Cost, Stage};
use linkmilter::engine::{Answers, Facts, Message, Policy, TldTable, inspect, splice};
use linkmilter::tld;

/// Bytes of the smallest message, and how many times longer each of the next ones is.
const SMALL: usize = 4 << 10;
const LONGER: usize = 4;

/// What grows faster than n^1.1 takes so many times as much a byte of a message that is [`LONGER`].
const GROWTH: f64 = 1.15;

/// Steps, and bytes allocated, a byte of the message, below which growth is that of something small.
const STEPS: f64 = 64.0;
const ALLOCATED: f64 = 1024.0;

/// Times what prose takes a byte that stands for work nobody charged.
const DEAR: f64 = 2_000.0;

static TLDS: LazyLock<TldTable> = LazyLock::new(tld::builtin);

static POLICIES: LazyLock<[Policy; 5]> = LazyLock::new(|| policies().map(|(_, policy)| policy));

/// Nanoseconds a byte of text without links, a third or less of what a byte of ordinary mail takes.
static PROSE: LazyLock<f64> = LazyLock::new(|| {
    let family = families().into_iter().find(|family| family.name == "prose").expect("a family");
    let letter = family.plan.letter(SMALL * LONGER * LONGER);
    let took = (0..16).map(|_| taken(&letter, &POLICIES[0]).nanoseconds());
    took.fold(f64::MAX, f64::min)
});

/// What a message took.
struct Taken {
    bytes: usize,
    cost: Cost,
    allocated: usize,
    times: usize,
    peak: usize,
    /// Bytes of the body before, and of what came out.
    output: (usize, usize),
    time: Duration,
}

impl Taken {
    fn a_byte(&self, of: usize) -> f64 {
        of as f64 / self.bytes as f64
    }

    fn steps(&self) -> f64 {
        self.cost.all() as f64 / self.bytes as f64
    }

    /// A plan may repeat nothing: what any message takes, however short, is not dear.
    fn nanoseconds(&self) -> f64 {
        self.time.as_nanos() as f64 / self.bytes.max(SMALL) as f64
    }
}

fn taken(letter: &Letter, policy: &Policy) -> Taken {
    let message = Message { head: &letter.head, body: &letter.body };
    let facts = Facts::default();
    let start = ThreadTime::now();
    counting::begin();
    let outcome = inspect(message, &facts, policy, &*TLDS).resolve(&Answers::new());
    let output = splice::apply(message.body, &outcome.edits).byte_len();
    let (allocated, times, peak) = counting::end();
    Taken {
        bytes: letter.head.len() + letter.body.len(),
        cost: outcome.cost,
        allocated,
        times,
        peak,
        output: (letter.body.len(), output),
        time: start.elapsed(),
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((way, plan)) = bytes.split_first() else { return };
    let policy = &POLICIES[usize::from(*way) % POLICIES.len()];
    let plan = Plan::read(plan);
    let sizes = [SMALL, SMALL * LONGER, SMALL * LONGER * LONGER];
    let [first, small, large] = sizes.map(|size| taken(&plan.letter(size), policy));
    feed_back(&small, &large);
    let grows = |of: fn(&Taken) -> f64, least: f64| {
        let faster = |one: &Taken, next: &Taken| of(next) > GROWTH * of(one);
        of(&large) > least && faster(&first, &small) && faster(&small, &large)
    };
    assert!(
        !grows(Taken::steps, STEPS),
        "steps grow: {:?}",
        [&first, &small, &large].map(Taken::steps)
    );
    let allocated = |taken: &Taken| taken.a_byte(taken.allocated);
    assert!(
        !grows(allocated, ALLOCATED),
        "memory grows: {:?}",
        [&first, &small, &large].map(allocated)
    );
    assert!(
        large.peak <= TIMES * large.bytes + BASE,
        "{} bytes of memory for {}",
        large.peak,
        large.bytes
    );
    let (before, after) = large.output;
    assert!(after <= OUTPUT * before + OUTPUT_BASE, "{after} bytes of {before}");
    // What else the machine does is no fault of the message: of several the shortest counts.
    let dear = || taken(&plan.letter(SMALL * LONGER), policy).nanoseconds() / *PROSE;
    assert!((0..6).any(|_| dear() < DEAR), "{} times prose", dear());
});

/// Tells the fuzzer how dear a message was.
fn feed_back(small: &Taken, large: &Taken) {
    let mut row = 0;
    let mut tell = |value: f64| {
        counting::feature(row, value);
        row += 1;
    };
    for stage in Stage::ALL {
        tell(large.a_byte(usize::try_from(large.cost.of(stage)).unwrap_or(usize::MAX)));
    }
    tell(large.a_byte(large.allocated));
    tell(large.a_byte(large.times) * 64.0);
    tell(large.a_byte(large.peak));
    tell(large.output.1 as f64 / large.output.0.max(1) as f64);
    let ratios: [fn(&Taken) -> f64; 2] = [Taken::steps, |taken| taken.a_byte(taken.allocated)];
    for of in ratios {
        tell((of(large) / of(small).max(f64::MIN_POSITIVE)).powi(4));
    }
}
