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
    pub fn of(&self, c: char) -> u16 {
        let code = c as usize;
        let place = |stage: &[u16], at: usize| stage.get(at).map_or(0, |at| usize::from(*at));
        let group = place(self.index, code / (GROUP * BLOCK));
        let block = place(self.groups, group * GROUP + code / BLOCK % GROUP);
        self.blocks.get(block * BLOCK + code % BLOCK).copied().unwrap_or_default()
    }

    /// The same for tables that the compiler makes of this one.
    #[cfg(not(target_family = "wasm"))]
    #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
    pub(crate) const fn constant(&self, c: char) -> u16 {
        let code = c as usize;
        let group = self.index[code / (GROUP * BLOCK)] as usize;
        let block = self.groups[group * GROUP + code / BLOCK % GROUP] as usize;
        self.blocks[block * BLOCK + code % BLOCK]
    }

    /// The file of a table with these values: one for each code point from the first on.
    #[doc(hidden)]
    pub fn file(values: &[u16]) -> Vec<u8> {
        let (blocks, places) = shared(values, BLOCK);
        let (groups, index) = shared(&places, GROUP);
        [index, groups, blocks].concat().into_iter().flat_map(u16::to_le_bytes).collect()
    }
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
