//! Finds all bytes of a kind, a block at a time.

use std::ops::ControlFlow;

/// Bytes of a row: two that the processor compares at once (SSE2, NEON). Of shorter rows the compiler makes single
/// steps.
const LANES: usize = 32;

/// Bytes that are tested together, one bit of a byte of [`Lanes`] each.
const BLOCK: usize = LANES * u8::BITS as usize;

/// A block and the byte after it.
type Block = [u8; BLOCK + 1];

/// Places in a block: the highest bit of a byte is for the first [`LANES`] bytes of the block.
type Lanes = [u8; LANES];

/// Calls `visit` with the offset of each byte that is of a kind, in order, until it breaks. `is_kind` gets the byte
/// and the next one (NUL at the end). It is called for a whole block in a loop without an exit, so the compiler
/// can vectorize it; only the matches are then handled one by one.
pub fn each(
    bytes: &[u8],
    is_kind: impl Fn(u8, u8) -> bool,
    mut visit: impl FnMut(usize) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut at = 0;
    let mut last: Block = [0; BLOCK + 1];
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let whole = rest.first_chunk();
        if whole.is_none() {
            last.get_mut(..rest.len()).unwrap_or_default().copy_from_slice(rest);
        }
        let places = places(whole.unwrap_or(&last), &is_kind);
        if places.as_chunks().0.iter().fold(0, |all, word| all | u64::from_ne_bytes(*word)) != 0 {
            visit_each(places, |place| match place < rest.len() {
                true => visit(at + place),
                false => ControlFlow::Continue(()),
            })?;
        }
        if whole.is_none() {
            return ControlFlow::Continue(());
        }
        at += BLOCK;
    }
}

/// Where in a block bytes are of a kind.
#[inline(always)]
fn places(block: &Block, is_kind: &impl Fn(u8, u8) -> bool) -> Lanes {
    let mut places = [0; LANES];
    let [_, next @ ..] = block;
    for (bytes, next) in block.as_chunks::<LANES>().0.iter().zip(next.as_chunks::<LANES>().0) {
        for (place, (byte, next)) in places.iter_mut().zip(bytes.iter().zip(next)) {
            *place = *place << 1 | u8::from(is_kind(*byte, *next));
        }
    }
    places
}

/// Visits places in their order.
#[inline]
fn visit_each(places: Lanes, mut visit: impl FnMut(usize) -> ControlFlow<()>) -> ControlFlow<()> {
    let mut rows = [0_u32; u8::BITS as usize];
    for (lane, word) in (0..).step_by(8).zip(places.as_chunks().0) {
        let mut word = u64::from_le_bytes(*word);
        while word != 0 {
            let bit = word.trailing_zeros() as usize;
            word &= word - 1;
            if let Some(row) = rows.get_mut(7 - bit % 8) {
                *row |= 1 << (lane + bit / 8);
            }
        }
    }
    for (start, row) in (0..).step_by(LANES).zip(rows) {
        let mut row = row;
        while row != 0 {
            visit(start + row.trailing_zeros() as usize)?;
            row &= row - 1;
        }
    }
    ControlFlow::Continue(())
}

/// Offset of the first byte that `marks` finds, eight bytes at a time: where it is near, this costs less than a search
/// that tests more at once. `marks` sets the highest bit of the first such byte in a word; of those above it any.
pub fn first(bytes: &[u8], marks: impl Fn(u64) -> u64) -> Option<usize> {
    let (eights, rest) = bytes.as_chunks::<8>();
    for (index, eight) in eights.iter().enumerate() {
        let marked = marks(u64::from_le_bytes(*eight)) & HIGHEST;
        if marked != 0 {
            return Some(index * 8 + marked.trailing_zeros() as usize / 8);
        }
    }
    let mut last = [0; 8];
    last.iter_mut().zip(rest).for_each(|(last, byte)| *last = *byte);
    let marked = marks(u64::from_le_bytes(last)) & HIGHEST;
    let at = marked.trailing_zeros() as usize / 8;
    (at < rest.len()).then_some(bytes.len() - rest.len() + at)
}

/// The highest bit of each byte of a word.
pub const HIGHEST: u64 = splat(0x80);

/// Eight of one byte.
pub const fn splat(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// The marks of bytes below a limit that is ASCII, for [`first`].
pub const fn below(word: u64, limit: u8) -> u64 {
    word.wrapping_sub(splat(limit)) & !word
}

/// The marks of one byte, for [`first`].
pub const fn equal(word: u64, byte: u8) -> u64 {
    below(word ^ splat(byte), 1)
}

/// Offset of the first occurrence of a short sign, found by its byte at `rare`: in a few lines this costs less
/// than building the tables of a substring search.
pub fn find(bytes: &[u8], sign: &[u8], rare: usize) -> Option<usize> {
    let byte = *sign.get(rare)?;
    let mut starts = memchr::memchr_iter(byte, bytes).filter_map(|at| at.checked_sub(rare));
    let is_sign = |at: &usize| bytes.get(*at..).is_some_and(|rest| rest.starts_with(sign));
    starts.find(is_sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_is_found_by_each_of_its_bytes() {
        for rare in 0..3 {
            assert_eq!(find(b"bc a ab abc abc", b"abc", rare), Some(8));
            assert_eq!(find(b"abc", b"abc", rare), Some(0));
            assert_eq!(find(b"bc ab", b"abc", rare), None);
        }
    }

    #[test]
    fn the_first_byte_of_a_kind_is_found_wherever_it_stands() {
        for length in 0..40 {
            for at in 0..=length {
                for (other, sign) in [(b'a', b'b'), (0xFF, 0xFE), (b'~', 0), (0x80, b' ')] {
                    let mut bytes = vec![other; length];
                    bytes.iter_mut().skip(at).step_by(3).for_each(|byte| *byte = sign);
                    let expected = Some(at).filter(|at| *at < length);
                    assert_eq!(first(&bytes, |word| equal(word, sign)), expected, "{length}");
                }
            }
        }
    }

    #[test]
    fn every_byte_of_a_kind_is_visited_wherever_it_stands() {
        for length in [0, 1, 7, 8, 9, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5] {
            let bytes: Vec<u8> = (0..length).map(|at| (at * 7 % 11) as u8).collect();
            let is_kind = |byte: u8, next: u8| (byte < 3) & (next != 5);
            let next = |at: usize| bytes.get(at + 1).copied().unwrap_or(0);
            let wanted: Vec<usize> =
                (0..length).filter(|at| is_kind(bytes[*at], next(*at))).collect();
            let mut visited = Vec::new();
            let end = each(&bytes, is_kind, |at| {
                visited.push(at);
                ControlFlow::Continue(())
            });
            assert_eq!((&visited, end), (&wanted, ControlFlow::Continue(())), "{length}");
        }
    }
}
