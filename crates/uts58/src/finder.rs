//! Finds the bytes where a link can be, without decoding.
//!
//! Every host that can be linked contains a dot (S9: registrable, so two labels; IPv4) or follows
//! `://`. Nothing else needs to be examined.
//!
//! Text is examined in blocks by a few loops without branches, which test many bytes at once: most
//! blocks are finished after the first loop.

use super::prose::may_begin_tld;
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

/// Bytes that are examined together, one bit of a word each.
const BLOCK: usize = u64::BITS as usize;

/// A block and the two bytes after it: separators have three.
type Block = [u8; BLOCK + 2];

/// Finds `.`, its variants, and `:` where a link may be around them.
#[derive(Clone, Debug)]
pub(super) struct Finder<'t> {
    needles: Needles<'t>,
    /// Where the next block begins.
    next_block: usize,
    /// Places of the block before it that were not returned yet, one bit each.
    marks: u64,
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
            self.marks &= u64::MAX << passed;
        }
        loop {
            while self.marks != 0 {
                let at = self.next_block - BLOCK + self.marks.trailing_zeros() as usize;
                self.marks &= self.marks - 1;
                if self.may_be(text, at) {
                    return Some(at);
                }
            }
            self.search(text.as_bytes())?;
        }
    }

    /// Advances to the next block that may have a match.
    fn search(&mut self, bytes: &[u8]) -> Option<()> {
        let lead = match self.needles {
            Needles::Letter | Needles::Prose(_) => STOP[0],
            Needles::Wide(_) => LEADER[0],
        };
        let mut rest = bytes.get(self.next_block..)?;
        while let Some(block) = rest.first_chunk() {
            rest = rest.get(BLOCK..)?;
            let (dots, variants) = may_hold(block, lead);
            if dots | variants {
                self.marks = marks(block, dots, variants.then_some(lead));
                if self.marks != 0 {
                    self.next_block = bytes.len() - rest.len();
                    return Some(());
                }
            }
        }
        if rest.is_empty() {
            return None;
        }
        let mut last: Block = [b' '; BLOCK + 2];
        last.get_mut(..rest.len())?.copy_from_slice(rest);
        self.marks = marks(&last, true, Some(lead));
        self.next_block = bytes.len() - rest.len() + BLOCK;
        Some(())
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
        let dot = text.as_bytes().get(at..).and_then(<[u8]>::first_chunk);
        if !dot.is_some_and(|dot| [STOP, WIDE, HALF, LEADER].contains(dot)) {
            return false;
        }
        let next = text.get(at + 3..).and_then(|after| after.chars().next());
        next.is_some_and(|next| match self.needles {
            Needles::Letter => true,
            Needles::Prose(tlds) | Needles::Wide(tlds) => may_begin_tld(next, tlds),
        })
    }
}

/// Whether a block may have a full stop or colon, and whether it may have another separator; none
/// of these begins with a byte less than `lead`. Most blocks are finished after this.
#[inline]
fn may_hold(block: &Block, lead: u8) -> (bool, bool) {
    triples(block).fold((false, false), |(dots, variants), (byte, next, _)| {
        // One comparison for both, which `*` and `>` pass as well.
        (dots | ((byte & 0xEB == 0x2A) & (next != b' ')), variants | (byte >= lead))
    })
}

/// Where in a block a match may be, one bit each: full stops and colons, and other separators,
/// including U+2024 if `lead` is its first byte.
fn marks(block: &Block, dots: bool, lead: Option<u8>) -> u64 {
    let mut marks = 0;
    if dots {
        marks |= places(block, |byte, next, _| ((byte == b'.') | (byte == b':')) & (next != b' '));
    }
    let Some(lead) = lead else { return marks };
    if any(block, ends_as(STOP)) {
        marks |= places(block, ends_as(STOP));
    }
    let is_wide = |one, two, three| ends_as(WIDE)(one, two, three) | ends_as(HALF)(one, two, three);
    if any(block, |byte, _, _| byte == WIDE[0]) && any(block, is_wide) {
        marks |= places(block, is_wide);
    }
    if lead == LEADER[0] && any(block, ends_as(LEADER)) {
        marks |= places(block, ends_as(LEADER));
    }
    marks
}

/// Whether the two bytes after another one are those of a separator. Few other characters end so,
/// and the first byte is not compared, because that is faster.
#[inline]
fn ends_as(dot: [u8; 3]) -> impl Fn(u8, u8, u8) -> bool {
    move |_, two, three| (two ^ dot[1]) | (three ^ dot[2]) == 0
}

/// Whether some three bytes of a block match.
#[inline]
fn any(block: &Block, is_kind: impl Fn(u8, u8, u8) -> bool) -> bool {
    triples(block).fold(false, |any, (one, two, three)| any | is_kind(one, two, three))
}

/// Where in a block they match, one bit each.
#[inline]
fn places(block: &Block, is_kind: impl Fn(u8, u8, u8) -> bool) -> u64 {
    let mut found = [[0; 8]; BLOCK / 8];
    for (found, (one, two, three)) in found.as_flattened_mut().iter_mut().zip(triples(block)) {
        *found = u8::from(is_kind(one, two, three));
    }
    // The product collects the lowest bits of eight bytes in the highest byte.
    let words = found.iter().rev().map(|word| u64::from_le_bytes(*word));
    words.fold(0, |all, word| all << 8 | word.wrapping_mul(0x0102_0408_1020_4080) >> 56)
}

/// Each byte of a block, with the next two.
#[inline]
fn triples(block: &Block) -> impl Iterator<Item = (u8, u8, u8)> {
    let after = |by: usize| block.get(by..).unwrap_or_default().iter().copied();
    let pairs = after(0).zip(after(1));
    pairs.zip(after(2)).map(|((one, two), three)| (one, two, three))
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
