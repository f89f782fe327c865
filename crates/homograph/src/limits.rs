//! How much of a URL is followed and judged.

/// URLs inside a URL that are followed at most.
pub const EMBEDDED: usize = 16;
/// How deep they may nest: rewriters wrap rewriters, and three levels are the most seen.
pub const NESTING: u8 = 6;

/// Bytes of a URL that are searched for URLs; a longer tail is data.
pub const SEARCHED_BYTES: usize = 16_384;

/// Authorities inside a URL that are judged for each question, real hosts or not.
pub const TRIED: usize = 64;
/// Bytes of rewriters' links inside a URL, which overlap, that are searched; in multiples of its
/// length.
pub const REWRITTEN: usize = 4;
