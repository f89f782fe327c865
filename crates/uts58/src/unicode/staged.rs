//! A value for each code point, in three stages: equal runs are stored once.

use alloc::vec::Vec;

/// Code points of a block: smaller blocks would be smaller uncompressed, but larger compressed, as
/// a web page loads them.
const BLOCK: usize = 64;

/// Blocks of a group.
const GROUP: usize = 32;

/// Groups of all code points.
const INDEX: usize = (char::MAX as usize + 1) / (GROUP * BLOCK);

/// Values of all code points. A file holds the numbers of its stages one behind the other: [`INDEX`] of the index,
/// then [`GROUP`] for each group, then [`BLOCK`] for each block; two bytes a number, the lower first.
#[derive(Clone, Copy, Debug)]
pub struct Staged {
    /// The group of a code point, by its upper bits.
    index: &'static [u16],
    /// The blocks of each group.
    groups: &'static [u16],
    /// The values of each block's code points.
    blocks: &'static [u16],
}

impl Staged {
    /// The numbers of a file. `N` is half its length.
    #[doc(hidden)]
    pub const fn numbers<const N: usize>(file: &[u8]) -> [u16; N] {
        let mut numbers = [0; N];
        let (mut rest, mut free) = (file, numbers.as_mut_slice());
        while let ([low, high, after @ ..], [number, others @ ..]) = (rest, free) {
            *number = u16::from_le_bytes([*low, *high]);
            (rest, free) = (after, others);
        }
        numbers
    }

    /// The table whose file has these numbers.
    #[doc(hidden)]
    pub const fn new(numbers: &'static [u16]) -> Staged {
        let (index, rest) = split(numbers, INDEX);
        let (mut last, mut left) = (0, index);
        while let [group, after @ ..] = left {
            last = if *group > last { *group } else { last };
            left = after;
        }
        let (groups, blocks) = split(rest, (last as usize + 1) * GROUP);
        Staged { index, groups, blocks }
    }

    /// The value of the character.
    #[inline]
    pub const fn of(&self, c: char) -> u16 {
        let code = c as usize;
        let group = number(self.index, code / (GROUP * BLOCK)) as usize;
        let block = number(self.groups, group * GROUP + code / BLOCK % GROUP) as usize;
        number(self.blocks, block * BLOCK + code % BLOCK)
    }

    /// The file of a table with these values: one for each code point from the first on.
    #[doc(hidden)]
    pub fn file(values: &[u16]) -> Vec<u8> {
        let (blocks, places) = shared(values, BLOCK);
        let (groups, index) = shared(&places, GROUP);
        [index, groups, blocks].concat().into_iter().flat_map(u16::to_le_bytes).collect()
    }
}

/// The number at this place, which the compiler can ask for as well.
#[expect(clippy::indexing_slicing, reason = "it is tested before")]
#[inline(always)]
const fn number(numbers: &[u16], at: usize) -> u16 {
    if at < numbers.len() { numbers[at] } else { 0 }
}

/// The numbers before this place, and those from it on.
const fn split(numbers: &[u16], at: usize) -> (&[u16], &[u16]) {
    match numbers.split_at_checked(at) {
        Some(parts) => parts,
        None => (numbers, &[]),
    }
}

/// The distinct runs of `entries` values, and the index of the run at each place.
fn shared(all: &[u16], entries: usize) -> (Vec<u16>, Vec<u16>) {
    let mut runs: Vec<&[u16]> = Vec::new();
    let mut places = Vec::new();
    for run in all.chunks(entries) {
        let at = runs.iter().position(|known| *known == run).unwrap_or_else(|| {
            runs.push(run);
            runs.len() - 1
        });
        places.push(at as u16);
    }
    (runs.concat(), places)
}
