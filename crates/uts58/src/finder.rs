//! Finds the bytes where a link can be, without decoding.
//!
//! Every host that can be linked contains a dot (S9: registrable, so two labels; IPv4) or follows
//! `://`. Nothing else needs to be examined.
//!
//! Text is examined in blocks by a few loops without branches, which test many bytes at once: most
//! blocks are finished after the first loop.

use super::prose::begins_tld;
use crate::tlds::TldSet;

/// The label separators other than the full stop (S12), in UTF-8.
const STOP: [u8; 3] = [0xE3, 0x80, 0x82];
const WIDE: [u8; 3] = [0xEF, 0xBC, 0x8E];
const HALF: [u8; 3] = [0xEF, 0xBD, 0xA1];
/// U+2024, which only the wide reading takes for a separator (S29).
const LEADER: [u8; 3] = [0xE2, 0x80, 0xA4];

/// What to search for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Needles<'t> {
    /// Strictly by the standard, anything after a variant is a host.
    Letter,
    /// In prose, text after a variant must begin like a top-level domain: after a Chinese or
    /// Japanese full stop the next sentence follows directly.
    Prose(&'t dyn TldSet),
    /// The same, with U+2024, and with every colon that is followed by something (`http:host`).
    Wide(&'t dyn TldSet),
}

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
pub(super) struct Finder<'t> {
    needles: Needles<'t>,
    /// Where the next block begins.
    next_block: usize,
    /// Places of the block before it that were not returned yet, one bit each.
    marks: u128,
}

impl<'t> Finder<'t> {
    pub(super) fn new(needles: Needles<'t>) -> Self {
        Finder { needles, next_block: 0, marks: 0 }
    }

    /// The next position at or after `from`, which must not decrease.
    pub(super) fn next(&mut self, text: &str, from: usize) -> Option<usize> {
        if from >= self.next_block {
            (self.next_block, self.marks) = (from, 0);
        } else {
            let passed = BLOCK.saturating_sub(self.next_block - from);
            self.marks &= u128::MAX << passed;
        }
        while self.marks == 0 {
            self.search(text)?;
        }
        let at = self.next_block - BLOCK + self.marks.trailing_zeros() as usize;
        self.marks &= self.marks - 1;
        Some(at)
    }

    /// Advances to the next block that has a match.
    fn search(&mut self, text: &str) -> Option<()> {
        let bytes = text.as_bytes();
        let wide = matches!(self.needles, Needles::Wide(_));
        let mut from = self.next_block;
        let mut rest = bytes.get(from..)?;
        while let Some(block) = rest.first_chunk() {
            let found = found(block, wide);
            if u128::from_ne_bytes(found) != 0 {
                self.marks = self.marks(text, from, found);
                if self.marks != 0 {
                    self.next_block = from + BLOCK;
                    return Some(());
                }
            }
            from += BLOCK;
            rest = rest.get(BLOCK..)?;
        }
        if rest.is_empty() {
            return None;
        }
        let mut last: Block = [b' '; BLOCK + 2];
        last.get_mut(..rest.len())?.copy_from_slice(rest);
        self.marks = self.marks(text, from, found(&last, wide));
        self.next_block = from + BLOCK;
        Some(())
    }

    /// The matches among these places of a block, one bit each in the order of the text.
    fn marks(&self, text: &str, block: usize, places: Lanes) -> u128 {
        let mut marks = 0;
        let (words, _) = places.as_chunks();
        for (lane, word) in (0..).step_by(8).zip(words) {
            let mut word = u64::from_le_bytes(*word);
            while word != 0 {
                let bit = word.trailing_zeros() as usize;
                word &= word - 1;
                let place = lane + bit / 8 + (7 - bit % 8) * LANES;
                if self.may_be(text, block + place) {
                    marks |= 1 << place;
                }
            }
        }
        marks
    }

    /// Whether it is a full stop before a host character, or a colon before a slash; in brackets,
    /// any full stop. In the wide reading also a colon after what ends a scheme, and a full stop
    /// before an escape. Other separators count if a host may continue after them.
    fn may_be(&self, text: &str, at: usize) -> bool {
        let bytes = text.as_bytes();
        let is_wide = matches!(self.needles, Needles::Wide(_));
        let next = bytes.get(at + 1).copied().unwrap_or(b' ');
        match bytes.get(at) {
            Some(b'.') => match next {
                b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => true,
                b'-' | b'_' | b']' | b')' | b'}' => true,
                next => is_wide && next == b'%',
            },
            Some(b':') => {
                let named = || at.checked_sub(1).and_then(|before| bytes.get(before));
                next == b'/'
                    || is_wide
                        && !next.is_ascii_whitespace()
                        && named().is_some_and(u8::is_ascii_alphanumeric)
            }
            _ => self.may_be_variant(text, at),
        }
    }

    fn may_be_variant(&self, text: &str, at: usize) -> bool {
        let is_dot = |dot: &[u8; 3]| [STOP, WIDE, HALF, LEADER].contains(dot);
        if !text.as_bytes().get(at..).and_then(<[u8]>::first_chunk).is_some_and(is_dot) {
            return false;
        }
        let Some(behind) = text.get(at + 3..).filter(|behind| !behind.is_empty()) else {
            return false;
        };
        match self.needles {
            Needles::Letter => true,
            Needles::Prose(tlds) | Needles::Wide(tlds) => begins_tld(behind, tlds),
        }
    }
}

/// Where in a block a match may be.
#[inline]
fn found(block: &Block, wide: bool) -> Lanes {
    // One comparison for both, which `*` and `>` pass as well.
    let dots = places(block, |one, two, _| (one & 0xEB == 0x2A) & (two != b' '));
    let own: &[u8; BLOCK] = block.first_chunk().unwrap_or(&[0; BLOCK]);
    let highest = own.iter().fold(0, |highest: u8, byte| highest.max(*byte));
    let lowest = if wide { LEADER[0] } else { STOP[0] };
    if highest < lowest { dots } else { joined(dots, variants(block, highest, wide)) }
}

/// Where in a block a separator beyond ASCII may be, by its highest byte; U+2024 in the wide reading.
#[inline(never)]
fn variants(block: &Block, highest: u8, wide: bool) -> Lanes {
    let mut found = endings(block, STOP);
    if highest >= WIDE[0] && has_wide(block) {
        found = joined(joined(found, endings(block, WIDE)), endings(block, HALF));
    }
    if wide { joined(found, endings(block, LEADER)) } else { found }
}

/// Whether a block may have [`WIDE`] or [`HALF`]: most that have their first byte have a comma.
#[inline]
fn has_wide(block: &Block) -> bool {
    let thirds = block.iter().zip(block.get(2..).unwrap_or_default());
    thirds.fold(false, |any, (one, three)| {
        any | (*one == WIDE[0]) & ((*three == WIDE[2]) | (*three == HALF[2]))
    })
}

/// Where the two bytes after another one are those of a separator. Few other characters end so,
/// and the first byte is not compared, because that is faster.
#[inline(never)]
fn endings(block: &Block, dot: [u8; 3]) -> Lanes {
    places(block, |_, two, three| (two == dot[1]) & (three == dot[2]))
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
fn next_places(mut places: Lanes, block: &Block, at: usize, is_kind: &impl Fn(u8, u8, u8) -> bool) -> Lanes {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tlds::TldTable;
    use crate::unicode::is_dot_to_somebody;

    /// At any position in the block, alone or among others, at the end of the text or not.
    #[test]
    fn separators_are_found_in_every_place() {
        let tlds = TldTable::new(["com"], "");
        for separator in [".", "://", "\u{3002}", "\u{FF0E}", "\u{FF61}", "\u{2024}"] {
            let wide = separator == "\u{2024}";
            let needles = if wide { Needles::Wide(&tlds) } else { Needles::Prose(&tlds) };
            for before in 0..3 * BLOCK {
                for after in
                    ["com", "com*.com。com"].map(|text| text.to_owned() + &"x ".repeat(before % 9))
                {
                    let text =
                        ["é".repeat(before % 2), "x".repeat(before), separator.into(), after]
                            .concat();
                    let mut finder = Finder::new(needles);
                    let mut at = 0;
                    let found = std::iter::from_fn(|| {
                        let place = finder.next(&text, at)?;
                        at = place + 1;
                        Some(place)
                    });
                    let one_by_one = text.char_indices().map(|(at, _)| at);
                    let alone = Finder::new(needles);
                    let is_one = |at: &usize| {
                        let dot = text.get(*at..).unwrap_or_default();
                        dot.starts_with(|c| c == ':' || is_dot_to_somebody(c))
                            && alone.may_be(&text, *at)
                    };
                    assert!(found.eq(one_by_one.filter(is_one)), "{text}");
                    assert_eq!(Finder::new(needles).next(&text, 0), text.find(separator), "{text}");
                }
            }
        }
    }

    /// One set of dots: every separator is searched for.
    #[test]
    fn the_variants_are_the_dots() {
        let dots = ('\u{80}'..=char::MAX).filter(|c| is_dot_to_somebody(*c));
        let mut needles: Vec<String> = [STOP, WIDE, HALF, LEADER]
            .iter()
            .map(|dot| String::from_utf8(dot.to_vec()).unwrap())
            .collect();
        needles.sort();
        assert_eq!(needles, dots.map(String::from).collect::<Vec<_>>());
    }
}
