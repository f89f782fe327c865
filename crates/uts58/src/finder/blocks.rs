//! Finds them in blocks of 128 bytes, by a few loops without branches that test many bytes at once:
//! most blocks are finished after the first.

use super::{HALF, LEADER, Needles, STOP, WIDE};

/// Bytes that the processor compares at once: SSE2, NEON.
const LANES: usize = 16;

/// Bytes that are examined together, one bit of a byte of [`Lanes`] each.
const BLOCK: usize = LANES * u8::BITS as usize;

/// A block and the two bytes after it: separators have three.
type Block = [u8; BLOCK + 2];

/// Places in a block: the highest bit of a byte is for the first [`LANES`] bytes of the block.
type Lanes = [u8; LANES];

/// Finds `.`, its variants, and `:` where a link may be around them.
#[derive(Clone, Debug)]
pub(crate) struct Finder<'t> {
    needles: Needles<'t>,
    /// Where the next block begins.
    next_block: usize,
    /// Places of the block before it that were not returned yet, one bit each.
    marks: u128,
}

impl<'t> Finder<'t> {
    pub(crate) fn new(needles: Needles<'t>) -> Self {
        Finder { needles, next_block: 0, marks: 0 }
    }

    /// The next position at or after `from`, which must not decrease.
    pub(crate) fn next(&mut self, text: &str, from: usize) -> Option<usize> {
        if from >= self.next_block {
            (self.next_block, self.marks) = (from, 0);
        } else {
            let passed = BLOCK.saturating_sub(self.next_block - from);
            self.marks &= u128::MAX << passed;
        }
        loop {
            while self.marks != 0 {
                let at = self.next_block - BLOCK + self.marks.trailing_zeros() as usize;
                self.marks &= self.marks - 1;
                if self.needles.may_be(text, at) {
                    return Some(at);
                }
            }
            self.search(text.as_bytes())?;
        }
    }

    /// Advances to the next block that may have a match.
    fn search(&mut self, bytes: &[u8]) -> Option<()> {
        let wide = matches!(self.needles, Needles::Wide(_));
        let mut rest = bytes.get(self.next_block..)?;
        while let Some(block) = rest.first_chunk() {
            let found = found(block, wide);
            rest = rest.get(BLOCK..)?;
            self.next_block += BLOCK;
            if u128::from_ne_bytes(found) != 0 {
                self.marks = in_order(found);
                return Some(());
            }
        }
        if rest.is_empty() {
            return None;
        }
        let mut last: Block = [b' '; BLOCK + 2];
        last.get_mut(..rest.len())?.copy_from_slice(rest);
        self.marks = in_order(found(&last, wide));
        self.next_block += BLOCK;
        Some(())
    }
}

/// The same places, one bit each in the order of the text.
fn in_order(places: Lanes) -> u128 {
    let mut marks = 0;
    let (words, _) = places.as_chunks();
    for (lane, word) in (0..).step_by(8).zip(words) {
        let mut word = u64::from_le_bytes(*word);
        while word != 0 {
            let bit = word.trailing_zeros() as usize;
            word &= word - 1;
            marks |= 1 << (lane + bit / 8 + (7 - bit % 8) * LANES);
        }
    }
    marks
}

/// Where in a block a full stop or colon is that may be one: neither a blank nor a quotation mark follows.
/// One comparison for both, which `*` and `>` pass as well.
#[inline(never)]
fn dots(block: &Block) -> Lanes {
    places(block, |one, two, _| (one & 0xEB == 0x2A) & (two.saturating_sub(b'$') != 0))
}

/// The same for the wide reading, where some sign may follow a colon.
#[inline(never)]
fn wide_dots(block: &Block) -> Lanes {
    places(block, |one, two, _| (one & 0xEB == 0x2A) & (two != b' '))
}

/// Where in a block a match may be.
#[inline]
fn found(block: &Block, wide: bool) -> Lanes {
    let dots = if wide { wide_dots(block) } else { dots(block) };
    let own: &[u8; BLOCK] = block.first_chunk().unwrap_or(&[0; BLOCK]);
    let highest = own.iter().fold(0, |highest: u8, byte| highest.max(*byte));
    match wide {
        false if highest < STOP[0] => dots,
        false if highest < WIDE[0] => joined(dots, stops(block)),
        false => joined(dots, variants(block)),
        true if highest < LEADER[0] => dots,
        true => joined(dots, wide_variants(block)),
    }
}

/// Where in a block [`STOP`] may be. Few other characters end so, and the first byte is not compared,
/// because that is faster.
#[inline(never)]
fn stops(block: &Block) -> Lanes {
    places(block, |_, two, three| is_stop(two, three))
}

/// Where in a block any separator beyond ASCII may be but U+2024.
#[inline(never)]
fn variants(block: &Block) -> Lanes {
    places(block, |_, two, three| is_stop(two, three) | is_wide(two, three))
}

/// The same with U+2024.
#[inline(never)]
fn wide_variants(block: &Block) -> Lanes {
    let is_leader = |two, three| (two == LEADER[1]) & (three == LEADER[2]);
    places(block, |_, two, three| is_stop(two, three) | is_leader(two, three) | is_wide(two, three))
}

#[inline(always)]
fn is_stop(two: u8, three: u8) -> bool {
    (two == STOP[1]) & (three == STOP[2])
}

/// Whether a character that ends so may be [`WIDE`] or [`HALF`]: one comparison for the bytes in the
/// middle, which differ in the lowest bit.
#[inline(always)]
fn is_wide(two: u8, three: u8) -> bool {
    (two & 0xFE == WIDE[1]) & ((three == WIDE[2]) | (three == HALF[2]))
}

/// Where in a block three bytes match. No branches and no loop: this becomes instructions for many
/// bytes.
#[inline(always)]
fn places(block: &Block, is_kind: impl Fn(u8, u8, u8) -> bool) -> Lanes {
    let mut places = [0; LANES];
    places = next_places(places, block, 0, &is_kind);
    places = next_places(places, block, LANES, &is_kind);
    places = next_places(places, block, 2 * LANES, &is_kind);
    places = next_places(places, block, 3 * LANES, &is_kind);
    places = next_places(places, block, 4 * LANES, &is_kind);
    places = next_places(places, block, 5 * LANES, &is_kind);
    places = next_places(places, block, 6 * LANES, &is_kind);
    next_places(places, block, 7 * LANES, &is_kind)
}

/// Adds the places of the bytes from `at` on.
#[inline(always)]
fn next_places(
    mut places: Lanes,
    block: &Block,
    at: usize,
    is_kind: &impl Fn(u8, u8, u8) -> bool,
) -> Lanes {
    let bytes = |at: usize| -> Lanes {
        block.get(at..).and_then(<[u8]>::first_chunk).copied().unwrap_or([0; LANES])
    };
    let triples = bytes(at).into_iter().zip(bytes(at + 1)).zip(bytes(at + 2));
    for (place, ((one, two), three)) in places.iter_mut().zip(triples) {
        *place = *place << 1 | u8::from(is_kind(one, two, three));
    }
    places
}

#[inline]
fn joined(places: Lanes, others: Lanes) -> Lanes {
    (u128::from_ne_bytes(places) | u128::from_ne_bytes(others)).to_ne_bytes()
}
