//! What one message may cost: one budget for all its readings, rounds and edits.

use std::sync::atomic::{AtomicBool, Ordering};

use super::cost::{Cost, Stage};
use super::outcome::{Bypass, Limit};
use super::policy::{Defang, Policy};

/// Times the steps of a byte where every link is taken apart: what was edited is read again, and that is all
/// mail then.
const AGAIN: u64 = 2;

/// Steps of a link beside its bytes: compared and looked up.
const LINK: u64 = 8;

/// Steps of a link of which something is kept, beside its bytes: what is told of it, and its edits.
const FINDING: u64 = 96 + EDIT;

/// Steps of an edit beside the bytes that it stands in.
pub const EDIT: u64 = 64;

/// The same of a link that deceives, and on top, as soon as it is judged: what is told of it, its edits, and how
/// they are taken back, however little is left by then.
const DECEIT: u64 = 320 + FINDING;

/// The same on top where it stands in a transfer encoding, or in a charset of shifts or wide units: its place is looked
/// up in it, to be told.
const ENCODED: u64 = 448;

/// Bytes that the findings of a message may take in memory: so many for each of its own, and so many on
/// top. One takes about [`LINK_BYTES`] with its edits, in text and in raw bytes, and what is written of
/// them; links that are fine are counted only.
pub const LINKS_MEMORY: usize = 1;
pub const LINKS_MEMORY_BASE: usize = 10 << 20;
const LINK_BYTES: usize = 1_800;

/// The same for the edits of links of which nothing else is kept: one takes about [`EDIT_BYTES`] beside
/// what is written, while it becomes a raw one. Several of links that stand close are one.
pub const EDITS_MEMORY: usize = 4;
pub const EDITS_MEMORY_BASE: usize = 5 << 20;
const EDIT_BYTES: usize = 160;

/// Notices and anchors may take so much of the length of the message, and so many bytes on top: what is
/// dense with short links would grow without measure.
pub const EXTRAS: usize = 4;
pub const EXTRAS_BASE: usize = 4 << 10;

/// Bytes of a link while the text round it is read and judged. Texts are read in stretches; one that
/// cannot be cut may hold so many that both memories together hold them.
const OCCURRENCE_BYTES: usize = 640;

/// What is left for one message, in all its readings and rounds.
#[derive(Clone, Copy, Debug)]
pub struct Budget<'a> {
    left: u64,
    /// Findings that may be kept.
    pub findings: usize,
    /// Bytes that edits of further links may take.
    edits: usize,
    /// Bytes that may be written beside links: notices, anchors.
    pub extras: usize,
    /// Links that one stretch of text may hold.
    pub occurrences: usize,
    stop: Option<&'a AtomicBool>,
    over: Option<Limit>,
    cost: Cost,
}

impl<'a> Budget<'a> {
    /// The budget of a message of this many bytes. `stop` ends it at once when its owner raises it.
    pub fn of(policy: &Policy, bytes: usize, stop: Option<&'a AtomicBool>) -> Budget<'a> {
        let limits = &policy.limits;
        let again = if policy.defang == Defang::All { AGAIN } else { 1 };
        let steps = limits.steps_per_byte.saturating_mul(again).saturating_mul(bytes as u64);
        let memory = LINKS_MEMORY.saturating_mul(bytes).saturating_add(LINKS_MEMORY_BASE);
        let edits = EDITS_MEMORY.saturating_mul(bytes).saturating_add(EDITS_MEMORY_BASE);
        Budget {
            left: steps.saturating_add(limits.steps_base),
            findings: limits.links.min(memory / LINK_BYTES),
            edits,
            extras: (bytes / EXTRAS).saturating_add(EXTRAS_BASE),
            occurrences: memory.saturating_add(edits) / OCCURRENCE_BYTES,
            stop,
            over: None,
            cost: Cost::default(),
        }
    }

    /// The same with so many steps at most.
    pub fn within(self, most: Option<u64>) -> Budget<'a> {
        Budget { left: most.map_or(self.left, |most| most.min(self.left)), ..self }
    }

    /// Takes steps; whether there were enough, and nobody said stop.
    #[must_use]
    pub fn spend(&mut self, stage: Stage, steps: u64) -> bool {
        self.cost.add(stage, steps);
        if self.over.is_some() {
            return false;
        }
        if self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            self.over = Some(Limit::MessageTimeout);
            return false;
        }
        match self.left.checked_sub(steps) {
            Some(left) => self.left = left,
            None => self.over = Some(Limit::Steps),
        }
        self.over.is_none()
    }

    /// Whether as much is left as was spent, twice over.
    pub fn has_twice(&self) -> bool {
        self.left / 2 >= self.cost.all()
    }

    /// Takes the steps of a link of this many bytes, and of judging it.
    #[must_use]
    pub fn link(&mut self, bytes: usize, judging: u64) -> bool {
        self.spend(Stage::Judging, LINK + bytes as u64 + judging)
    }

    /// Takes the steps of keeping what is told of a link of this many bytes, and its edits.
    #[must_use]
    pub fn finding(&mut self, bytes: usize) -> bool {
        self.spend(Stage::Judging, FINDING + bytes as u64)
    }

    /// Steps of what is told of a link of this many bytes that deceives, and of its edits: to be taken with those of
    /// judging it.
    pub fn deceit(bytes: usize, encoded: bool) -> u64 {
        DECEIT + u64::from(encoded) * ENCODED + bytes as u64
    }

    /// Takes the memory of an edit that writes so many bytes, if there is room for it.
    #[must_use]
    pub fn edit(&mut self, written: usize) -> bool {
        self.written(EDIT_BYTES + written)
    }

    /// Takes the memory of so many bytes that an edit writes, if there is room for them.
    #[must_use]
    pub fn written(&mut self, bytes: usize) -> bool {
        let left = self.edits.checked_sub(bytes);
        self.edits = left.unwrap_or(self.edits);
        left.is_some()
    }

    /// Takes the bytes of a notice or an anchor, if there is room for them.
    #[must_use]
    pub fn extra(&mut self, bytes: usize) -> bool {
        let left = self.extras.checked_sub(bytes);
        self.extras = left.unwrap_or(self.extras);
        left.is_some()
    }

    /// The steps so far, by stage.
    pub fn cost(&self) -> Cost {
        self.cost
    }

    /// The limit that ended it.
    pub fn over(&self) -> Option<Bypass> {
        self.over.map(Bypass::Limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_raised_flag_ends_the_budget_and_says_so() {
        let stop = AtomicBool::new(false);
        let mut budget = Budget::of(&Policy::default(), 100, Some(&stop));
        assert!(budget.spend(Stage::Net, 10) && budget.over().is_none());
        stop.store(true, Ordering::Relaxed);
        assert!(!budget.spend(Stage::Net, 0));
        assert_eq!(budget.over(), Some(Bypass::Limit(Limit::MessageTimeout)));
        stop.store(false, Ordering::Relaxed);
        assert!(!budget.spend(Stage::Net, 0), "what is over stays so");
    }

    #[test]
    fn where_every_link_is_taken_apart_there_are_steps_for_reading_it_all_again() {
        let policy = Policy { defang: Defang::All, ..Policy::default() };
        let some = Budget::of(&Policy::default(), 1_000, None).left;
        let all = Budget::of(&policy, 1_000, None).left;
        assert_eq!(all - some, (AGAIN - 1) * 1_000 * policy.limits.steps_per_byte);
    }

    #[test]
    fn a_first_go_takes_fewer_steps() {
        let mut budget = Budget::of(&Policy::default(), 100, None).within(Some(10));
        assert!(budget.spend(Stage::Net, 10) && !budget.spend(Stage::Net, 1));
        let mut budget = Budget::of(&Policy::default(), 100, None).within(Some(u64::MAX));
        assert!(!budget.spend(Stage::Net, u64::MAX - 1), "never more than the limits give");
    }

    #[test]
    fn a_second_look_takes_no_more_than_is_left() {
        let mut budget = Budget::of(&Policy::default(), 100, None).within(Some(30));
        assert!(budget.spend(Stage::Net, 10) && budget.has_twice());
        assert!(budget.spend(Stage::Net, 1) && !budget.has_twice());
    }

    #[test]
    fn steps_are_counted_by_stage() {
        let mut budget = Budget::of(&Policy::default(), 100, None);
        assert!(budget.spend(Stage::Net, 10) && budget.spend(Stage::Edits, 1));
        assert!(budget.spend(Stage::Net, 10));
        let cost = budget.cost();
        assert_eq!(
            [cost.of(Stage::Net), cost.of(Stage::Edits), cost.of(Stage::Header)],
            [20, 1, 0]
        );
        assert_eq!(cost.all(), 21);
    }

    #[test]
    fn what_deceives_pays_for_its_finding_and_its_edits_when_it_is_judged() {
        let (policy, tlds) = (Policy::default(), crate::TldTable::new(["com"], ""));
        let lie = "http://p\u{430}ypal.com/";
        // Judged once, found twice.
        let judging = |head: &str, body: &str| {
            let message = crate::Message { head: head.as_bytes(), body: body.as_bytes() };
            let facts = crate::Facts::default();
            crate::inspect(message, &facts, &policy, &tlds).cost().of(Stage::Judging)
        };
        let (plain, encoded) = ("", "Content-Transfer-Encoding: quoted-printable\r\n");
        for (transfer, is_encoded) in [(plain, false), (encoded, true)] {
            let head = format!("Content-Type: text/plain; charset=utf-8\r\n{transfer}");
            let body = |times: usize| match is_encoded {
                true => format!("{}\r\n", lie.replace('\u{430}', "=D0=B0")).repeat(times),
                false => format!("{lie}\r\n").repeat(times),
            };
            let more = judging(&head, &body(2)) - judging(&head, &body(1));
            assert!(more >= LINK + Budget::deceit(lie.len(), is_encoded), "{more}");
        }
    }

    #[test]
    fn a_small_message_keeps_fewer_findings() {
        let policy = Policy::default();
        let links = policy.limits.links;
        assert!(Budget::of(&policy, 1_000, None).findings < links);
        assert_eq!(Budget::of(&policy, 100 << 20, None).findings, links);
    }
}
