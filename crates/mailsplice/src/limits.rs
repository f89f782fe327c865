//! Bounds on splitting a message: unit, default, reason.

/// How far a message is split. What a bound stops is read as text, or not at all, and said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Nested parts. Real mail stays below 12; parsers that recurse end at about 33,000.
    pub depth: usize,
    /// Parts in a message: empty ones of a few bytes each would cost memory out of proportion.
    pub parts: usize,
    /// Bytes of one header block. MTAs cut theirs at about 100 kB; those of parts have no such bound.
    pub header_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { depth: 100, parts: 10_000, header_bytes: 1 << 20 }
    }
}
