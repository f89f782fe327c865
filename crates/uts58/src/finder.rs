//! Finds the bytes where a link can be, without decoding.
//!
//! Every host that can be linked contains a dot (S9: registrable, so two labels; IPv4) or follows
//! `://`. Nothing else needs to be examined.
//!
//! Which places these are is said here; they are found in blocks of many bytes (`blocks`), on a
//! web page one by one (`bytes`).

#[cfg(not(target_family = "wasm"))]
mod blocks;
#[cfg(any(test, target_family = "wasm"))]
mod bytes;

#[cfg(not(target_family = "wasm"))]
pub(super) use blocks::Finder;
#[cfg(target_family = "wasm")]
pub(super) use bytes::Finder;

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

impl Needles<'_> {
    /// Whether it is a full stop before a host character, or a colon before a slash; in brackets,
    /// any full stop. In the wide reading also a colon after what ends a scheme, and a full stop
    /// before an escape. Other separators count if a host may continue after them.
    #[inline(always)]
    fn may_be(&self, text: &str, at: usize) -> bool {
        let bytes = text.as_bytes();
        let is_wide = matches!(self, Needles::Wide(_));
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

    #[inline]
    fn may_be_variant(&self, text: &str, at: usize) -> bool {
        let is_dot = |dot: &[u8; 3]| matches!(*dot, STOP | WIDE | HALF | LEADER);
        if !text.as_bytes().get(at..).and_then(<[u8]>::first_chunk).is_some_and(is_dot) {
            return false;
        }
        let behind = text.get(at + 3..).unwrap_or_default();
        match self {
            Needles::Letter => !behind.is_empty(),
            Needles::Prose(tlds) | Needles::Wide(tlds) => begins_tld(behind, *tlds),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::tlds::TldTable;
    use crate::unicode::is_dot_to_somebody;

    /// Calls the function with each kind of needles, and with a table that has names of its own.
    fn with_needles(mut with: impl FnMut(Needles<'_>)) {
        let few = TldTable::new(["com"], "");
        let more = TldTable::new(["com", "xn--fiqs8s", "xn--p1ai", "xn--q9jyb4c"], "");
        for tlds in [&few, &more] {
            [Needles::Letter, Needles::Prose(tlds), Needles::Wide(tlds)]
                .into_iter()
                .for_each(&mut with);
        }
    }

    /// All places that a finder returns which goes on from `step` of the last one.
    fn found(
        step: impl Fn(usize) -> usize,
        mut next: impl FnMut(usize) -> Option<usize>,
    ) -> Vec<usize> {
        let mut at = 0;
        core::iter::from_fn(|| next(at).inspect(|place| at = step(*place))).collect()
    }

    #[track_caller]
    fn check(text: &str, step: impl Fn(usize) -> usize) {
        with_needles(|needles| {
            let (mut fast, mut small) = (blocks::Finder::new(needles), bytes::Finder::new(needles));
            let fast = found(&step, |at| fast.next(text, at));
            assert_eq!(fast, found(&step, |at| small.next(text, at)), "{text:?} {needles:?}");
        });
    }

    /// At any position in the block, alone or among others, at the end of the text or not.
    #[test]
    fn separators_are_found_in_every_place() {
        let tlds = TldTable::new(["com"], "");
        for separator in [".", "://", "\u{3002}", "\u{FF0E}", "\u{FF61}", "\u{2024}"] {
            for before in 0..300 {
                for after in ["com", "com*.com。com"] {
                    let prose = ["é".repeat(before % 2), "x".repeat(before)].concat();
                    let text = [&prose, separator, after, &"x ".repeat(before % 9)].concat();
                    let first = blocks::Finder::new(Needles::Wide(&tlds)).next(&text, 0);
                    assert_eq!(first, Some(prose.len()), "{text}");
                    check(&text, |place| place + 1);
                }
            }
        }
    }

    /// In scripts of which few bytes begin a separator, these are searched for one by one.
    #[test]
    fn separators_behind_long_stretches_are_found() {
        let separators = [
            ".", "://", "\u{3002}", "\u{FF0E}", "\u{FF61}", "\u{2024}", "、", "…", "ｃ", "\u{FEFF}",
        ];
        for letter in ["é", "й", "अ", "a", "漢"] {
            for (first, second) in separators.iter().flat_map(|a| separators.map(|b| (a, b))) {
                for length in [60, 130, 500] {
                    let stretch = letter.repeat(length);
                    let text = [&stretch, *first, "com", &stretch, second, "com ", &stretch];
                    let text = [text.concat(), second.repeat(2), stretch.repeat(2)].concat();
                    check(&text, |place| place + 1);
                    check(&text, |place| text.ceil_char_boundary((place + 150).min(text.len())));
                }
            }
        }
    }

    /// Separators, and what has some of their bytes.
    const PIECES: [&str; 40] = [
        ".", ". ", ":", ":/", "://", "*", ">", " ", "\n", "%", "[.]", "(.)", "x", "com", "-",
        "\u{3002}", "\u{FF0E}", "\u{FF61}", "\u{2024}", "、", "，", "｢", "も", "あ", "、あ",
        "中国", "みんな", "рф", "\u{80}", "\u{302}", "\u{FFFD}", "\u{F0F0E}", "\u{F0F61}",
        "\u{40002}", "\u{1F024}", "É", "ｃ", "１", "…", "\0",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

        #[test]
        fn blocks_have_what_is_found_byte_by_byte(
            pieces in proptest::collection::vec((select(PIECES.as_slice()), 1..4_usize), 0..120),
            skip in 1..200_usize,
        ) {
            let text: String = pieces.iter().map(|(piece, times)| piece.repeat(*times)).collect();
            check(&text, |place| place + 1);
            check(&text, |place| text.ceil_char_boundary((place + skip).min(text.len())));
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
