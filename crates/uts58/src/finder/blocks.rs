//! Finds them in blocks of 128 bytes, by a few loops without branches that test many bytes at once:
//! most blocks are finished after the first.

use super::{HALF, LEADER, Needles, STOP, WIDE};
use crate::prose::is_lead_of_unmapped;
use crate::tlds::Pairs;

/// Bytes that the processor compares at once: SSE2, NEON.
const LANES: usize = 16;

/// Bytes that are examined together, one bit of a byte of [`Lanes`] each.
const BLOCK: usize = LANES * u8::BITS as usize;

/// A block and the bytes after it: separators have three, and the two characters behind one often six.
type Block = [u8; BLOCK + 8];

/// Some bytes of a block, or a byte of [`Places`] for each of them.
type Lanes = [u8; LANES];

/// Places in a block: the lowest bit of a byte is for the first [`LANES`] bytes of the block.
type Places = u128;

/// Finds `.`, its variants, and `:` where a link may be around them.
#[derive(Clone, Debug)]
pub(crate) struct Finder<'t> {
    needles: Needles<'t>,
    /// What a top-level domain begins with, if only these are searched for.
    pairs: Option<&'t Pairs>,
    /// Where the next block begins.
    next_block: usize,
    /// Places of the block before it that were not returned yet, one bit each.
    marks: u128,
}

impl<'t> Finder<'t> {
    pub(crate) fn new(needles: Needles<'t>) -> Self {
        let pairs = match needles {
            Needles::Letter => None,
            Needles::Prose(tlds) | Needles::Wide(tlds) => tlds.pairs(),
        };
        Finder { needles, pairs, next_block: 0, marks: 0 }
    }

    /// The next position at or after `from`, which must not decrease. In its caller it would take the registers of the
    /// way of a link.
    #[inline(never)]
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
            self.search(text)?;
        }
    }

    /// Advances to the next block that may have a match.
    fn search(&mut self, text: &str) -> Option<()> {
        let bytes = text.as_bytes();
        let wide = matches!(self.needles, Needles::Wide(_));
        let mut rest = bytes.get(self.next_block..)?;
        let first = if wide { LEADER[0] } else { STOP[0] };
        while let Some(block) = rest.first_chunk() {
            let highest = highest(block);
            let found = found(block, highest, wide);
            rest = rest.get(BLOCK..)?;
            self.next_block += BLOCK;
            if found != 0 {
                if highest >= first && self.end_sentences(block, found) {
                    continue;
                }
                self.marks = match self.pairs.filter(|_| highest >= first) {
                    Some(pairs) => in_order(found, |place| !ends_sentence(block, place, pairs)),
                    None => in_order(found, |_| true),
                };
                return Some(());
            }
            if matches!(highest, 0xE0 | 0xE1) {
                self.skip(text, first);
                rest = bytes.get(self.next_block..)?;
            }
        }
        if rest.is_empty() {
            return None;
        }
        let mut last: Block = [b' '; _];
        last.get_mut(..rest.len())?.copy_from_slice(rest);
        let highest = highest(&last);
        self.next_block += BLOCK;
        self.marks = in_order(found(&last, highest, wide), |_| true);
        Some(())
    }

    /// Whether all places that were found end sentences: in Chinese and Japanese most do.
    #[inline(always)]
    fn end_sentences(&self, block: &Block, found: Places) -> bool {
        self.pairs.is_some_and(|pairs| each(found).all(|place| ends_sentence(block, place, pairs)))
    }

    /// Goes on to the next block that has a sign, or a byte with which a separator begins, or is not whole: in scripts
    /// in which few do, as in those of India, this is faster. `first` is the least of these bytes.
    #[inline(never)]
    fn skip(&mut self, text: &str, first: u8) {
        let rest = text.as_bytes().get(self.next_block..).unwrap_or_default();
        let (blocks, _) = rest.as_chunks();
        self.next_block += BLOCK * blocks.iter().take_while(|block| is_quiet(block, first)).count();
    }
}

/// Whether no byte of a block is a sign, or `first` or more.
#[inline(always)]
fn is_quiet(block: &[u8; BLOCK], first: u8) -> bool {
    let needle =
        |byte: u8| byte.saturating_sub(first - 1) | if is_sign(byte) { u8::MAX } else { 0 };
    block.iter().fold(0, |found, byte| found | needle(*byte)) == 0
}

/// Whether what is found at this place ends a sentence: a sign of ASCII before a blank, or a separator of three bytes
/// after which no top-level domain begins. One look at what follows, without branches; returns `false` for some.
#[inline(always)]
fn ends_sentence(block: &Block, place: usize, pairs: &Pairs) -> bool {
    let bytes = block.get(place..).and_then(<[u8]>::first_chunk).copied().unwrap_or([0; 9]);
    let [separator, second, _, first, a, b, _, c, d] = bytes;
    let is_blank = (second == b' ') | (second == b'\n');
    let is_no_letter = first < b'0';
    let is_other = is_lead_of_unmapped(first) & !pairs.has([a, b, c, d]);
    if separator.is_ascii() { is_blank } else { is_no_letter | is_other }
}

/// The places one by one, in no certain order.
#[inline(always)]
fn each(mut found: Places) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let bit = (found != 0).then(|| found.trailing_zeros() as usize)?;
        found &= found - 1;
        Some((bit / 8 + bit % 8 * LANES) % BLOCK)
    })
}

/// The places, one bit each in the order of the text.
#[inline(never)]
fn in_order(found: Places, is_kept: impl Fn(usize) -> bool) -> u128 {
    each(found).filter(|place| is_kept(*place)).fold(0, |marks, place| marks | 1 << place)
}

/// The highest byte of a block.
#[inline]
fn highest(block: &Block) -> u8 {
    let own: &[u8; BLOCK] = block.first_chunk().unwrap_or(&[0; BLOCK]);
    own.iter().fold(0, |highest: u8, byte| highest.max(*byte))
}

/// Where in a block a match may be.
#[inline]
fn found(block: &Block, highest: u8, wide: bool) -> Places {
    Places::from_le_bytes(match wide {
        false if highest < STOP[0] => dots(block),
        false if highest < WIDE[0] => signs_and_stops(block),
        false => signs_and_variants(block),
        true if highest < LEADER[0] => wide_dots(block),
        true => wide_dots_and_variants(block),
    })
}

/// Where in a block a full stop or colon is that may be one.
#[inline(never)]
fn dots(block: &Block) -> Lanes {
    places(block, |one, two, _| is_dot(one, two))
}

/// The same for the wide reading.
#[inline(never)]
fn wide_dots(block: &Block) -> Lanes {
    places(block, |one, two, _| is_wide_dot(one, two))
}

/// Where in a block a sign like them or [`STOP`] may be. In text with [`STOP`] signs are rare, and few other characters
/// end as it does: what is not compared is faster.
#[inline(never)]
fn signs_and_stops(block: &Block) -> Lanes {
    places(block, |one, two, three| is_sign(one) | is_stop(two, three))
}

/// Where in a block one of them or any separator beyond ASCII may be but U+2024. In one letter of sixty as well the first
/// byte is as much more than the last as in [`STOP`] and [`WIDE`].
#[inline(never)]
fn signs_and_variants(block: &Block) -> Lanes {
    places(block, |one, _, three| {
        let is_half = (one == HALF[0]) & (three == HALF[2]);
        is_sign(one) | (one.wrapping_sub(three) == STOP[0] - STOP[2]) | is_half
    })
}

/// The same for the wide reading, with U+2024.
#[inline(never)]
fn wide_dots_and_variants(block: &Block) -> Lanes {
    let is_leader = |two, three| (two == LEADER[1]) & (three == LEADER[2]);
    places(block, |one, two, three| {
        is_wide_dot(one, two) | is_stop(two, three) | is_leader(two, three) | is_wide(two, three)
    })
}

/// Whether it is a full stop or colon: one comparison for both, which `*` and `>` pass as well.
#[inline(always)]
fn is_sign(one: u8) -> bool {
    one & 0xEB == 0x2A
}

/// Whether a full stop or colon may be one: neither a blank nor a quotation mark follows.
#[inline(always)]
fn is_dot(one: u8, two: u8) -> bool {
    is_sign(one) & (two.saturating_sub(b'$') != 0)
}

/// The same for the wide reading, where some sign may follow a colon.
#[inline(always)]
fn is_wide_dot(one: u8, two: u8) -> bool {
    is_sign(one) & (two != b' ')
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
    places = next_places::<0>(places, block, &is_kind);
    places = next_places::<1>(places, block, &is_kind);
    places = next_places::<2>(places, block, &is_kind);
    places = next_places::<3>(places, block, &is_kind);
    places = next_places::<4>(places, block, &is_kind);
    places = next_places::<5>(places, block, &is_kind);
    places = next_places::<6>(places, block, &is_kind);
    next_places::<7>(places, block, &is_kind)
}

/// Adds the places of the bytes of a row of [`LANES`].
#[inline(always)]
fn next_places<const ROW: usize>(
    mut places: Lanes,
    block: &Block,
    is_kind: &impl Fn(u8, u8, u8) -> bool,
) -> Lanes {
    let at = ROW * LANES;
    let bytes = |at: usize| -> Lanes {
        block.get(at..).and_then(<[u8]>::first_chunk).copied().unwrap_or([0; LANES])
    };
    let triples = bytes(at).into_iter().zip(bytes(at + 1)).zip(bytes(at + 2));
    for (place, ((one, two), three)) in places.iter_mut().zip(triples) {
        *place |= if is_kind(one, two, three) { 1 << ROW } else { 0 };
    }
    places
}
