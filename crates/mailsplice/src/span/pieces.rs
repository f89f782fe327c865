//! The pieces of a map, packed: quoted-printable and legacy charsets have one for every few bytes.
//!
//! A piece is stored as its kind and the two distances from the previous piece, usually three to five bytes.
//! Every [`BLOCK`] pieces a block begins, with full offsets, so a lookup reads one or two blocks.

use std::ops::Range;

/// Where a stretch of text begins, in text and in source. It ends at the next piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MapPiece {
    pub text: u32,
    pub source: u32,
    /// Bytes of one unit in text and in source; both zero: one unit of any size.
    pub unit_text: u8,
    pub unit_source: u8,
}

/// Pieces per block: a block costs twelve bytes more, each piece of a lookup a few nanoseconds.
const BLOCK: u8 = 8;

/// Blocks that are searched one by one.
const NEAR: usize = 8;

/// Bytes of a chunk, which contains whole blocks. One single buffer would be copied as it grows.
const CHUNK: usize = 1 << 16;

/// Bytes of a chunk that is left as it is when the last piece is in it.
const SMALL: usize = 256;

/// Most bytes of a block: explicit units, and distances of 32 bits.
const BLOCK_BYTES: usize = 13 * BLOCK as usize;

/// Units (in text, in source) that have a code of one byte: its index here.
const UNITS: [(u8, u8); 10] =
    [(0, 0), (1, 1), (1, 3), (3, 4), (2, 1), (3, 1), (2, 2), (3, 2), (1, 2), (4, 4)];

/// The codes of [`UNITS`] by both sizes, so that none is searched for.
static CODES: [[Option<u8>; 5]; 5] = {
    let mut codes = [[None; 5]; 5];
    let mut code = 0;
    while code < UNITS.len() {
        #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
        {
            let (text, source) = UNITS[code];
            codes[text as usize][source as usize] = Some(code as u8);
        }
        code += 1;
    }
    codes
};

/// The code of a unit that has one.
fn code_of((text, source): (u8, u8)) -> Option<u8> {
    *CODES.get(usize::from(text))?.get(usize::from(source))?
}

/// Code of any other unit: its two sizes follow.
const EXPLICIT: u8 = u8::MAX;

/// Pieces in order of their text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pieces {
    blocks: Vec<Block>,
    /// The pieces, packed.
    chunks: Vec<Vec<u8>>,
    /// Pieces in the last block.
    count: u8,
    last: Option<MapPiece>,
}

/// Pieces, the first with these offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    text: u32,
    source: u32,
    /// Where they are packed: in which chunk, and how far into it.
    chunk: u16,
    at: u16,
}

impl Pieces {
    pub fn push(&mut self, piece: MapPiece) {
        let (text, source) = (piece.text, piece.source);
        if self.last.is_none() || self.count == BLOCK {
            self.begin_block(text, source);
        }
        let before = self.last.map_or((0, 0), |last| (last.text, last.source));
        if let Some(packed) = self.chunks.last_mut() {
            let unit = (piece.unit_text, piece.unit_source);
            let (text, source) = (text.wrapping_sub(before.0), source.wrapping_sub(before.1));
            match code_of(unit) {
                // Most pieces are near the previous one.
                Some(code) if (text | source) < 0x80 => {
                    packed.extend_from_slice(&[code, text as u8, source as u8]);
                }
                code => {
                    match code {
                        Some(code) => packed.push(code),
                        None => packed.extend([EXPLICIT, unit.0, unit.1]),
                    }
                    write(packed, text);
                    write(packed, source);
                }
            }
        }
        self.count += 1;
        self.last = Some(piece);
    }

    fn begin_block(&mut self, text: u32, source: u32) {
        if self.chunks.last().is_none_or(|chunk| chunk.len() + BLOCK_BYTES > CHUNK) {
            // The first chunk starts small: most maps are short.
            let capacity = if self.chunks.is_empty() { 4 * usize::from(BLOCK) } else { CHUNK };
            self.chunks.push(Vec::with_capacity(capacity));
        }
        let at = self.chunks.last().map_or(0, Vec::len) as u16;
        let chunk = (self.chunks.len() - 1) as u16;
        self.blocks.push(Block { text, source, chunk, at });
        self.count = 0;
    }

    /// Frees the memory that was reserved for more pieces.
    pub fn shrink(&mut self) {
        if let Some(chunk) = self.chunks.last_mut().filter(|chunk| chunk.capacity() > SMALL) {
            chunk.shrink_to_fit();
        }
    }

    pub fn last(&self) -> Option<MapPiece> {
        self.last
    }

    /// The last piece whose text offset meets the condition, and the next piece. The condition must hold up to
    /// some offset and fail from there on.
    pub fn last_while(
        &self,
        meets: impl Fn(usize) -> bool,
    ) -> (Option<MapPiece>, Option<MapPiece>) {
        let blocks = self.blocks.partition_point(|block| meets(block.text as usize));
        let mut found = None;
        for piece in blocks.checked_sub(1).into_iter().flat_map(|index| self.pieces_of(index)) {
            if !meets(piece.text as usize) {
                return (found, Some(piece));
            }
            found = Some(piece);
        }
        (found, found.and_then(|_| self.pieces_of(blocks).next()))
    }

    /// [`Pieces::last_while`] for the offsets up to the start of a non-empty range, and for those before its end.
    /// Usually the second is near the first.
    pub fn around(
        &self,
        range: &Range<usize>,
    ) -> (Option<MapPiece>, (Option<MapPiece>, Option<MapPiece>)) {
        let after = self.blocks.partition_point(|block| block.text as usize <= range.start);
        let Some(block) = after.checked_sub(1) else {
            return (None, self.last_while(|text| text < range.end));
        };
        let later = self.blocks.get(after..).unwrap_or_default();
        let is_inside = |block: &Block| (block.text as usize) < range.end;
        let mut inside = later.iter().take(NEAR).take_while(|block| is_inside(block)).count();
        if inside == NEAR {
            inside = later.partition_point(is_inside);
        }
        let (mut start, mut end) = (None, None);
        // No block between the first one and the last one inside is read.
        let last = after + inside.saturating_sub(1)..after + inside + 1;
        for block in std::iter::once(block).chain(last) {
            for piece in self.pieces_of(block) {
                if piece.text as usize >= range.end {
                    return (start, (end, Some(piece)));
                }
                if piece.text as usize <= range.start {
                    start = Some(piece);
                }
                end = Some(piece);
            }
        }
        (start, (end, None))
    }

    /// The pieces of a block; none for an index after the last.
    fn pieces_of(&self, block: usize) -> impl Iterator<Item = MapPiece> {
        let block = self.blocks.get(block).copied();
        let (rest, first) = block.map_or((&[][..], (0, 0)), |block| {
            let chunk = self.chunks.get(usize::from(block.chunk));
            let rest = chunk.and_then(|chunk| chunk.get(usize::from(block.at)..));
            (rest.unwrap_or_default(), (block.text, block.source))
        });
        Unpacked { rest, before: None, first }.take(usize::from(BLOCK))
    }

    #[cfg(test)]
    pub fn iter(&self) -> impl Iterator<Item = MapPiece> {
        (0..self.blocks.len()).flat_map(|block| self.pieces_of(block))
    }
}

/// Unpacks the pieces of a block.
struct Unpacked<'b> {
    rest: &'b [u8],
    /// Offsets of the previous piece; the first piece has those of its block.
    before: Option<(u32, u32)>,
    first: (u32, u32),
}

impl Iterator for Unpacked<'_> {
    type Item = MapPiece;

    #[inline(always)]
    fn next(&mut self) -> Option<MapPiece> {
        let (unit, text, source) = match self.rest {
            // Most pieces are near the previous one.
            [code, text @ ..0x80, source @ ..0x80, after @ ..] if *code != EXPLICIT => {
                self.rest = after;
                (*UNITS.get(usize::from(*code))?, u32::from(*text), u32::from(*source))
            }
            _ => self.any_size()?,
        };
        let (text, source) = match self.before {
            None => self.first,
            Some(before) => (before.0.wrapping_add(text), before.1.wrapping_add(source)),
        };
        self.before = Some((text, source));
        Some(MapPiece { text, source, unit_text: unit.0, unit_source: unit.1 })
    }
}

impl Unpacked<'_> {
    /// Unit and distances of a piece of any size.
    fn any_size(&mut self) -> Option<((u8, u8), u32, u32)> {
        let unit = match read_byte(&mut self.rest)? {
            EXPLICIT => (read_byte(&mut self.rest)?, read_byte(&mut self.rest)?),
            code => *UNITS.get(usize::from(code))?,
        };
        Some((unit, read(&mut self.rest)?, read(&mut self.rest)?))
    }
}

impl MapPiece {
    /// Whether `next` begins where another unit of this piece would.
    pub fn is_continued_by(self, next: MapPiece) -> bool {
        if self.unit_text == 0
            || (self.unit_text, self.unit_source) != (next.unit_text, next.unit_source)
        {
            return false;
        }
        let (text, source) = (next.text - self.text, next.source - self.source);
        text.is_multiple_of(self.unit_text.into())
            && text / u32::from(self.unit_text) * u32::from(self.unit_source) == source
    }
}

/// Appends a number as LEB128.
fn write(packed: &mut Vec<u8>, mut number: u32) {
    while number > 0x7F {
        packed.push(number as u8 | 0x80);
        number >>= 7;
    }
    packed.push(number as u8);
}

fn read(rest: &mut &[u8]) -> Option<u32> {
    let mut number = 0;
    for shift in [0, 7, 14, 21, 28] {
        let byte = read_byte(rest)?;
        number |= u32::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            break;
        }
    }
    Some(number)
}

fn read_byte(rest: &mut &[u8]) -> Option<u8> {
    let (byte, after) = rest.split_first()?;
    *rest = after;
    Some(*byte)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn more_pieces_than_a_chunk_holds_are_found() {
        let mut pieces = Pieces::default();
        let piece = |at: u32| MapPiece {
            text: 200 * at,
            source: 40_000 * at,
            unit_text: 5,
            unit_source: (at % 7) as u8,
        };
        let count = 3 * CHUNK as u32 / 8;
        (0..count).for_each(|at| pieces.push(piece(at)));
        pieces.shrink();
        assert!(pieces.chunks.len() > 2 && pieces.chunks.iter().all(|chunk| chunk.len() <= CHUNK));
        assert!(pieces.iter().eq((0..count).map(piece)));
        for at in 1..count - 1 {
            let start = 200 * at as usize;
            let found = (Some(piece(at)), Some(piece(at + 1)));
            assert_eq!(pieces.last_while(|text| text <= start), found);
            assert_eq!(pieces.around(&(start - 1..start + 1)), (Some(piece(at - 1)), found));
        }
    }

    proptest! {
        /// Unpacked pieces equal the packed ones, and a lookup finds the same as a linear search.
        #[test]
        fn packing_loses_nothing(
            steps in prop::collection::vec((0_u32..300, 0_u32..70_000, 0_u8..6, 0_u8..6), 0..200),
            offset in 0_usize..20_000,
            length in 1_usize..20_000,
        ) {
            let (mut text, mut source) = (0, 0);
            let mut pieces = Pieces::default();
            let mut plain = Vec::new();
            for (by_text, by_source, unit_text, unit_source) in steps {
                text += by_text;
                source += by_source;
                let piece = MapPiece { text, source, unit_text, unit_source };
                plain.push(piece);
                pieces.push(piece);
            }
            pieces.shrink();
            prop_assert_eq!(pieces.iter().collect::<Vec<_>>(), plain.clone());
            let index = plain.partition_point(|piece| piece.text as usize <= offset);
            let found = index.checked_sub(1).map(|index| plain[index]);
            let next = found.and(plain.get(index).copied());
            prop_assert_eq!(pieces.last_while(|text| text <= offset), (found, next));
            for length in [length, 1 + length % 64] {
                let end = pieces.last_while(|text| text < offset + length);
                prop_assert_eq!(pieces.around(&(offset..offset + length)), (found, end));
            }
        }
    }
}
