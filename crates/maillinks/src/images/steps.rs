//! What the search of one picture may cost, in steps, which are taken before the work is done.

use std::sync::atomic::{AtomicBool, Ordering};

/// Steps of a module that is tried: it is sampled, unmasked and corrected, and again as in a mirror.
pub const MODULE_STEPS: u64 = 64;

/// Maximum modules that are tried in a picture: one for this many of its pixels, and what its message has left for all.
/// A module of a code that is drawn has some ten pixels and more, and most codes have a thousand modules.
const PIXELS_OF_MODULE: u64 = 32;
pub const MODULES: u64 = 65_536;

/// The steps of a picture.
pub struct Steps<'a> {
    /// What is left of those of its own, of those that its message has for modules, and of all of these.
    own: u64,
    modules: u64,
    left: u64,
    taken: u64,
    stop: Option<&'a AtomicBool>,
}

impl Steps<'_> {
    /// The steps that a message has left, and those for modules among them; none once `stop` is set.
    pub fn new(left: u64, modules: u64, stop: Option<&AtomicBool>) -> Steps<'_> {
        Steps { own: left, modules, left, taken: 0, stop }
    }

    /// Begins the search among so many pixels.
    pub fn search(&mut self, pixels: usize) {
        self.own = pixels as u64 / PIXELS_OF_MODULE * MODULE_STEPS;
    }

    /// Takes steps. False, and none are taken, if too few are left.
    #[must_use]
    pub fn take(&mut self, steps: u64) -> bool {
        let stopped = self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        let beyond = steps.saturating_sub(self.own);
        let enough = !stopped && beyond <= self.modules && steps <= self.left;
        if enough {
            self.own -= steps - beyond;
            self.modules -= beyond;
            self.left -= steps;
            self.taken += steps;
        }
        enough
    }

    /// What the message has left for modules.
    pub fn modules(&self) -> u64 {
        self.modules
    }

    pub fn taken(&self) -> u64 {
        self.taken
    }
}
