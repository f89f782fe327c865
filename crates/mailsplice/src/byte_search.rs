//! Finds all bytes of a kind, a block at a time.

use std::ops::ControlFlow;

/// Bytes that are tested together.
const BLOCK: usize = 1024;

/// Bytes of [`each_rare`] that are tested together: few blocks hold any that is looked for.
const RARE_BLOCK: usize = 256;

/// Words of eight marks that are skipped together if none is set.
const WORDS: usize = 4;

/// Calls `visit` with the offset of each byte that is of a kind, in order, until it breaks. `is_kind` gets the byte
/// and the next one (NUL at the end). It is called for a whole block in a loop without an exit, so the compiler
/// can vectorize it; only the matches are then handled one by one.
pub fn each(
    bytes: &[u8],
    is_kind: impl Fn(u8, u8) -> bool,
    mut visit: impl FnMut(usize) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut marks = [[[0_u8; 8]; WORDS]; BLOCK / 8 / WORDS];
    for (index, block) in bytes.chunks(BLOCK).enumerate() {
        let start = index * BLOCK;
        let here = marks.as_flattened_mut().as_flattened_mut();
        let after = bytes.get(start + 1..).unwrap_or_default();
        for ((mark, byte), next) in here.iter_mut().zip(block).zip(after) {
            *mark = u8::from(is_kind(*byte, *next));
        }
        let groups = block.len().div_ceil(WORDS * 8);
        if after.len() < block.len() {
            let last = block.last().is_some_and(|last| is_kind(*last, 0));
            let beyond = here.get_mut(after.len()..groups * WORDS * 8).unwrap_or_default();
            beyond.fill(0);
            beyond.iter_mut().take(1).for_each(|mark| *mark = u8::from(last));
        }
        for (group, words) in marks.iter().take(groups).enumerate() {
            let words = words.map(u64::from_le_bytes);
            if words.iter().fold(0, |all, word| all | word) == 0 {
                continue;
            }
            let mut marked = words.iter().rev().fold(0, |bits, word| bits << 8 | bits_of(*word));
            while marked != 0 {
                visit(start + group * WORDS * 8 + marked.trailing_zeros() as usize)?;
                marked &= marked - 1;
            }
        }
    }
    ControlFlow::Continue(())
}

/// Like [`each`], for bytes that most blocks do not hold: such a block is only tested.
pub fn each_rare(
    bytes: &[u8],
    is_kind: impl Fn(u8, u8) -> bool,
    mut visit: impl FnMut(usize) -> ControlFlow<()>,
) -> ControlFlow<()> {
    for (index, block) in bytes.chunks(RARE_BLOCK).enumerate() {
        let start = index * RARE_BLOCK;
        let after = bytes.get(start + 1..).unwrap_or_default();
        let pairs = block.iter().zip(after);
        let holds = pairs.fold(false, |any, (byte, next)| any | is_kind(*byte, *next));
        let is_last = after.len() < block.len();
        if holds || is_last {
            let end = bytes.len().min(start + RARE_BLOCK + 1);
            each(bytes.get(start..end).unwrap_or_default(), &is_kind, |at| {
                match at < RARE_BLOCK {
                    true => visit(start + at),
                    false => ControlFlow::Continue(()),
                }
            })?;
        }
    }
    ControlFlow::Continue(())
}

/// One bit for each of eight marks, the first one lowest.
fn bits_of(marks: u64) -> u32 {
    // Each mark is added to the highest byte once, shifted to its own place there.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    (marks.wrapping_mul(GATHER) >> 56) as u32
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
const HIGHEST: u64 = splat(0x80);

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
            let (mut visited, mut rare) = (Vec::new(), Vec::new());
            let _ = each(&bytes, is_kind, |at| {
                visited.push(at);
                ControlFlow::Continue(())
            });
            let _ = each_rare(&bytes, is_kind, |at| {
                rare.push(at);
                ControlFlow::Continue(())
            });
            assert_eq!((&visited, &rare), (&wanted, &wanted), "{length}");
        }
    }
}
