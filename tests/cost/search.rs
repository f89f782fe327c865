//! Looks for hostile mail that no list has: plans of messages are bred by the processor time that a byte takes.
//!
//! `tests/run cost search` starts it, and measures what it has found in instructions. Times differ from run to run: they
//! choose what is bred, nothing else.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use fastrand::Rng;
use linkmilter::engine::Policy;
use rustix::time::{ClockId, clock_gettime};

use crate::families::{Place, Plan, families};
use crate::judge::judge;

/// Bytes of the message that a plan is looked at in first, and of the one that it is measured by: what every message
/// takes, and the steps that a message is given for nothing, count for little in that.
const SMALL: usize = 16 << 10;
const LARGE: usize = 128 << 10;

/// Plans that are bred from.
const BRED: usize = 300;

/// Bytes of a piece.
const LONGEST: usize = 400;

/// Plans that are kept at the end.
const KEPT: usize = 24;

const REPORT: Duration = Duration::from_secs(60);

/// What pieces are made of beside those of known families: what begins, ends, joins, hides or encodes a link, and what
/// stands for words.
#[rustfmt::skip]
const TOKENS: &[&str] = &[
    "http://", "https://", "www.", ".com", ".co.uk", "//", "@", "mailto:", "file://", "tel:", "javascript:",
    "data:text/html,", "{n}", "{near}", "{known}", "{letters}", "{russian}", "{han}", "{twinned}", "{marked}",
    "{wide}", "{arabic}", "{capitals}", "{extended}", "{garbled}", "{many}", "login", "secure", "paypal", "google",
    "account", "-login", "xn--", "<a href=", "</a>", "<b>", "</b>", "<br>", "<img src=", "<style>", "</style>",
    "<script>", "</script>", "<!--", "-->", "<svg>", "<table><tr><td>", "<base href=", "<template>", "style=\"",
    "display:none", "url(", "content:'", "href", "src", "&#x", "&amp;", "&#46;", "&period;", "&#1072;", "%2e", "%2F",
    "=2E", "?u=", "?x=", "&x=", "\\u0430", "\\x61", "+ADw-", "\x1b$B", "\x1b(B", "=?utf-8?q?", "?=",
    "begin 644 x\r\n", "; charset=utf-7", "--b\r\n", "Content-Type: text/html; charset=koi8-r\r\n", "\r\n\r\n", "1",
    "0x7f", "127.0.0.1", "[::1]", ":80", "/x", "#", "=", "\"", "'", ">", "<", "(", ")", "[", "]", "{", "}", "\\", "/",
    ":", "-", "--", "_", ".", "!", "?", "|", "^", "~", "*", "**", "`", "``", "\r\n", " ", "\t", "\0", "\x0b", "\x0c",
    "\u{85}", "\u{a0}", "\u{ad}", "\u{301}", "\u{430}", "\u{44f}", "\u{5d0}", "\u{627}", "\u{200b}", "\u{2024}",
    "\u{2028}", "\u{202e}", "\u{24d0}", "\u{3000}", "\u{3002}", "\u{65e5}", "\u{feff}", "\u{ff0e}", "\u{ff41}",
    "\u{1d41a}", "\u{1f449}",
];

/// A plan, and the nanoseconds of a byte.
struct Bred {
    plan: Plan,
    took: f64,
}

impl Bred {
    /// The signs of the piece, without digits, and where it stands: of plans that are alike in this the dearest is kept.
    fn kind(&self) -> (Vec<u8>, &[u8], Place) {
        let mut signs = self.plan.piece.clone();
        signs.retain(|byte| !byte.is_ascii_digit());
        signs.sort_unstable();
        signs.dedup();
        (signs, &self.plan.head, self.plan.place)
    }
}

/// The plans of a search, dearest first.
struct Search<'p> {
    policy: &'p Policy,
    known: Vec<Plan>,
    bred: Vec<Bred>,
    chance: Rng,
}

impl Search<'_> {
    /// Nanoseconds of a byte of a message of so many, the less of two runs where the first is above a floor.
    fn took(&self, plan: &Plan, size: usize, floor: f64) -> f64 {
        let letter = plan.letter(size);
        let bytes = (letter.head.len() + letter.body.len()).max(size / 2) as f64;
        let once = || {
            let before = thread_time();
            judge(&letter, self.policy);
            (thread_time() - before).as_nanos() as f64 / bytes
        };
        let first = once();
        if first > floor { first.min(once()) } else { first }
    }

    /// Takes in a plan that is dearer than the last of those that are bred from.
    fn add(&mut self, plan: Plan) {
        let floor = match self.bred.get(BRED - 1) {
            Some(last) => last.took,
            None => 0.0,
        };
        if self.took(&plan, SMALL, floor) < floor {
            return;
        }
        let took = self.took(&plan, LARGE, floor);
        let one = Bred { plan, took };
        let kind = one.kind();
        let same = self.bred.iter().position(|other| other.kind() == kind);
        if took < floor || same.is_some_and(|same| self.bred[same].took >= took) {
            return;
        }
        same.map(|same| self.bred.remove(same));
        let at = self.bred.partition_point(|other| other.took > took);
        self.bred.insert(at, one);
        self.bred.truncate(BRED);
    }

    /// A plan that is bred from, dear ones first, changed in one to three ways; nothing if it cannot be written down.
    fn next(&mut self) -> Option<Plan> {
        let front =
            |chance: &mut Rng, length: usize| chance.usize(..length).min(chance.usize(..length));
        let mut plan = self.bred[front(&mut self.chance, self.bred.len())].plan.clone();
        for _ in 0..self.chance.usize(1..=3) {
            let other = match self.chance.bool() {
                true => &self.known[self.chance.usize(..self.known.len())],
                false => &self.bred[self.chance.usize(..self.bred.len())].plan,
            };
            change(&mut plan, other, &mut self.chance);
        }
        let fits = (1..=LONGEST).contains(&plan.piece.len());
        (fits && Plan::read(&plan.written()) == plan).then_some(plan)
    }
}

/// Changes a plan: by a token, by what another one has, by leaving something out or by saying it twice.
fn change(plan: &mut Plan, other: &Plan, chance: &mut Rng) {
    let token = TOKENS[chance.usize(..TOKENS.len())].as_bytes();
    let start = chance.usize(..=plan.piece.len());
    let short = start..plan.piece.len().min(start + chance.usize(1..=8));
    match chance.usize(..12) {
        0..3 => drop(plan.piece.splice(start..start, token.iter().copied())),
        3 => drop(plan.piece.splice(short, token.iter().copied())),
        4 | 5 => drop(plan.piece.drain(short)),
        6 => {
            let from = chance.usize(..=other.piece.len());
            let to = chance.usize(from..=other.piece.len());
            plan.piece.splice(start..start, other.piece[from..to].iter().copied());
        }
        7 => {
            plan.piece.truncate(start);
            plan.piece.extend_from_slice(&other.piece[chance.usize(..=other.piece.len())..]);
        }
        8 => {
            let twice = plan.piece[start..].to_vec();
            plan.piece.extend_from_slice(&twice);
        }
        9 => plan.head.clone_from(&other.head),
        10 => plan.place = other.place,
        _ => {
            plan.before.clone_from(&other.before);
            plan.behind.clone_from(&other.behind);
        }
    }
}

fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap())
}

/// Breeds for so many minutes from the plans that are known and those in a folder, and writes the dearest into it.
pub fn search(policy: &Policy, minutes: u64, folder: &Path) {
    let known: Vec<Plan> = families().into_iter().map(|family| family.plan).collect();
    let mut kept: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    kept.sort();
    let kept = kept.iter().map(|file| Plan::read(&fs::read(file).unwrap()));
    let seeds: Vec<Plan> = known.iter().cloned().chain(kept).collect();
    let mut search = Search { policy, known, bred: Vec::new(), chance: Rng::new() };
    seeds.into_iter().for_each(|plan| search.add(plan));
    let (start, mut said, mut tried) = (Instant::now(), Instant::now(), 0);
    while start.elapsed() < Duration::from_secs(60 * minutes) {
        if let Some(plan) = search.next() {
            search.add(plan);
            tried += 1;
        }
        if said.elapsed() > REPORT {
            let dearest: Vec<_> =
                search.bred.iter().step_by(8).map(|one| one.took.round()).collect();
            println!(
                "{} s, {tried} tried, ns a byte: {:?}",
                start.elapsed().as_secs(),
                &dearest[..6]
            );
            said = Instant::now();
        }
    }
    let mut written: Vec<Vec<u8>> = Vec::new();
    for Bred { plan, .. } in &search.bred {
        // Those that begin alike are mostly one idea.
        let letters = plan.piece.iter().copied().filter(u8::is_ascii_alphabetic);
        let idea: Vec<u8> = letters.take(6).chain(plan.head.iter().copied()).collect();
        if written.len() < KEPT && !written.contains(&idea) {
            fs::write(folder.join(format!("{:02}", written.len())), plan.written()).unwrap();
            written.push(idea);
        }
    }
}
