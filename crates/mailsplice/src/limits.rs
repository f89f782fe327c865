//! Limits on splitting a message: unit, default, reason.

/// How far a message is split. What exceeds a limit is read as text or not at all, and is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitLimits {
    /// Nested parts. Real mail stays below 12; recursive parsers overflow their stack at about 33,000.
    pub depth: usize,
    /// Parts in a message: empty ones of a few bytes each would cost disproportionate memory.
    pub parts: usize,
    /// Bytes of one header block. MTAs truncate the message's own at about 100 kB, but not those of parts.
    pub header_bytes: usize,
    /// Steps of splitting, in the unit of [`Tree::steps`](crate::mime::Tree::steps): about a byte each. Labels that are read
    /// in many ways, in parts of a few bytes each, take far more of them than bytes.
    pub steps: u64,
}

impl Default for SplitLimits {
    fn default() -> Self {
        SplitLimits { depth: 100, parts: 10_000, header_bytes: 1 << 20, steps: 1 << 28 }
    }
}
