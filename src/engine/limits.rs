//! Every bound of the engine: unit, default, reason.

/// Bounds on hostile input. Reaching one stops the part that hit it; what was found before stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Nested parts. Real mail stays below 12; mail-parser aborts at about 33,000.
    pub depth: usize,
    /// Parts in a message.
    pub parts: usize,
    /// Bytes of one header block.
    pub header_bytes: usize,
    /// Links kept in a message; the rest are counted as bypassed.
    pub links: usize,
    /// Names asked of the DNS for one message.
    pub questions: usize,
    /// Steps a byte of the message: one step is one byte read by a layer or one code point judged.
    pub steps_per_byte: u64,
    /// Steps on top, whatever the size.
    pub steps_base: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            depth: 100,
            parts: 10_000,
            header_bytes: 1 << 20,
            links: 50_000,
            questions: 8,
            steps_per_byte: 64,
            steps_base: 1_000_000,
        }
    }
}

/// The steps that are left for one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    left: u64,
}

impl Budget {
    /// The budget of a message of this many bytes.
    pub fn of(limits: &Limits, bytes: usize) -> Budget {
        let steps = limits.steps_per_byte.saturating_mul(bytes as u64);
        Budget { left: steps.saturating_add(limits.steps_base) }
    }

    /// Takes steps; whether there were enough.
    #[must_use]
    pub fn spend(&mut self, steps: u64) -> bool {
        match self.left.checked_sub(steps) {
            Some(left) => {
                self.left = left;
                true
            }
            None => {
                self.left = 0;
                false
            }
        }
    }
}
