//! How much of a URL is followed and judged.

/// URLs inside a URL that are followed at most.
pub const EMBEDDED: usize = 16;
/// How deep they may nest: rewriters wrap rewriters, and nobody more than three.
pub const NESTING: u8 = 6;

/// Bytes of a URL that are searched for URLs; a longer tail is data.
pub const SEARCHED_BYTES: usize = 16_384;

/// Authorities inside a URL that are judged, real hosts or not, for each question asked of them.
pub const TRIED: usize = 64;
/// Times the length of a URL that the links of rewriters inside it may come to, which overlap.
pub const REWRITTEN: usize = 4;
