//! A value for each code point, in three stages: equal runs are stored once.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

/// Code points of a block: smaller blocks would be smaller uncompressed, but larger compressed, as
/// a web page loads them.
const BLOCK: usize = 64;

/// Blocks of a group.
const GROUP: usize = 32;

/// Values of all code points.
#[derive(Clone, Copy, Debug)]
pub struct Staged {
    /// The group of a code point, by its upper bits.
    pub index: &'static [u16],
    /// The blocks of each group.
    pub groups: &'static [u16],
    /// The values of each block's code points.
    pub blocks: &'static [u16],
}

impl Staged {
    /// The value of the character.
    #[inline]
    pub fn of(&self, c: char) -> u16 {
        let code = c as usize;
        let place = |stage: &[u16], at: usize| stage.get(at).map_or(0, |at| usize::from(*at));
        let group = place(self.index, code / (GROUP * BLOCK));
        let block = place(self.groups, group * GROUP + code / BLOCK % GROUP);
        self.blocks.get(block * BLOCK + code % BLOCK).copied().unwrap_or_default()
    }

    /// The source of a table with this name: one value for each code point from the first on.
    #[doc(hidden)]
    pub fn source(name: &str, values: &[u16]) -> String {
        let (blocks, places) = shared(values, BLOCK);
        let (groups, index) = shared(&places, GROUP);
        let mut out = format!("\n#[rustfmt::skip]\npub(super) static {name}: Staged = Staged {{\n");
        for (stage, numbers) in [("index", index), ("groups", groups), ("blocks", blocks)] {
            let _ = writeln!(out, "    {stage}: &[");
            for row in numbers.chunks(24) {
                let row: Vec<String> = row.iter().map(|number| format!("{number}")).collect();
                let _ = writeln!(out, "    {},", row.join(","));
            }
            out.push_str("    ],\n");
        }
        out + "};\n"
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
