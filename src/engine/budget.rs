//! What one message may cost: one budget for all its readings, rounds and edits.

use std::sync::atomic::{AtomicBool, Ordering};

use super::limits::Limits;
use super::outcome::Bypass;

/// Steps of a link beside its bytes: what is kept of it, compared and looked up.
const LINK: u64 = 8;

/// Bytes that the findings of a message may take in memory: so many for each of its own, and so many on
/// top. One takes about [`LINK_BYTES`] with its edits; links that are fine are counted only.
pub const LINKS_MEMORY: usize = 3;
pub const LINKS_MEMORY_BASE: usize = 10 << 20;
const LINK_BYTES: usize = 640;

/// What is left for one message, in all its readings and rounds.
#[derive(Clone, Copy, Debug)]
pub struct Budget<'a> {
    left: u64,
    /// Findings that may be kept.
    pub findings: usize,
    stop: Option<&'a AtomicBool>,
    over: Option<&'static str>,
}

impl<'a> Budget<'a> {
    /// The budget of a message of this many bytes. `stop` ends it at once when its owner raises it.
    pub fn of(limits: &Limits, bytes: usize, stop: Option<&'a AtomicBool>) -> Budget<'a> {
        let steps = limits.steps_per_byte.saturating_mul(bytes as u64);
        let memory = LINKS_MEMORY.saturating_mul(bytes).saturating_add(LINKS_MEMORY_BASE);
        Budget {
            left: steps.saturating_add(limits.steps_base),
            findings: limits.links.min(memory / LINK_BYTES),
            stop,
            over: None,
        }
    }

    /// Takes steps; whether there were enough, and nobody said stop.
    #[must_use]
    pub fn spend(&mut self, steps: u64) -> bool {
        if self.over.is_some() {
            return false;
        }
        if self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            self.over = Some("message_timeout");
            return false;
        }
        match self.left.checked_sub(steps) {
            Some(left) => self.left = left,
            None => self.over = Some("steps"),
        }
        self.over.is_none()
    }

    /// Takes the steps of a link of this many bytes, and of judging it.
    #[must_use]
    pub fn link(&mut self, bytes: usize, judging: u64) -> bool {
        self.spend(LINK + bytes as u64 + judging)
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
        let mut budget = Budget::of(&Limits::default(), 100, Some(&stop));
        assert!(budget.spend(10) && budget.over().is_none());
        stop.store(true, Ordering::Relaxed);
        assert!(!budget.spend(0));
        assert_eq!(budget.over(), Some(Bypass::Limit("message_timeout")));
        stop.store(false, Ordering::Relaxed);
        assert!(!budget.spend(0), "what is over stays so");
    }

    #[test]
    fn a_small_message_keeps_fewer_findings() {
        let limits = Limits::default();
        assert!(Budget::of(&limits, 1_000, None).findings < limits.links);
        assert_eq!(Budget::of(&limits, 25 << 20, None).findings, limits.links);
    }
}
