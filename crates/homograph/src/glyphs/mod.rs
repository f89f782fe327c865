//! Letters that read as Latin letters or ASCII digits but are not so in confusables.txt, by eye.
//!
//! UTS #39's data compare characters of equal shape and stop at small capitals (`к` → `ĸ`),
//! reading nothing as "ASCII letter". These tables add what a reader in a hurry takes for ASCII:
//! a shape, its readings with the likeliest first, and how close it comes. The reason stands
//! above each group. One function a script.

mod east;
mod technical;
mod west;

use crate::reading::Shape;
use east::{
    bengali, devanagari, gujarati, gurmukhi, ideographs, kana, kannada, lao, malayalam, myanmar,
    oriya, others, tamil, telugu, thai,
};
use west::{armenian, cherokee, cyrillic, ethiopic, georgian, greek, hebrew, latin};

/// What a character is read as: lower-case ASCII letters and digits, the likeliest reading first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Glyph {
    pub readings: &'static [&'static str],
    pub shape: Shape,
}

/// What the character is read as, beyond confusables.txt.
pub(super) fn glyph(c: char) -> Option<Glyph> {
    if c.is_ascii() {
        return None;
    }
    of_script(c).or_else(|| technical::latin(c)).or_else(|| technical::fancy(c))
}

/// By the tables of scripts.
fn of_script(c: char) -> Option<Glyph> {
    match u32::from(c) {
        0x80..=0x2ff | 0x1d00..=0x1d7f | 0xa720..=0xa7ff => latin(c),
        0x370..=0x3ff => greek(c),
        0x400..=0x52f => cyrillic(c),
        0x530..=0x58f => armenian(c),
        0x590..=0x5ff | 0xfb1d..=0xfb4f => hebrew(c),
        0x900..=0x97f => devanagari(c),
        0x980..=0x9ff => bengali(c),
        0xa00..=0xa7f => gurmukhi(c),
        0xa80..=0xaff => gujarati(c),
        0xb00..=0xb7f => oriya(c),
        0xb80..=0xbff => tamil(c),
        0xc00..=0xc7f => telugu(c),
        0xc80..=0xcff => kannada(c),
        0xd00..=0xd7f => malayalam(c),
        0xe00..=0xe7f => thai(c),
        0xe80..=0xeff => lao(c),
        0x1000..=0x109f => myanmar(c),
        0x10a0..=0x10ff => georgian(c),
        0x1200..=0x137f => ethiopic(c),
        0x13a0..=0x167f => cherokee(c),
        0x3000..=0x3007 | 0x3100..=0x312f | 0x4e00..=0x9fff => ideographs(c),
        0x3040..=0x30ff => kana(c),
        _ => others(c),
    }
}

const fn same(readings: &'static [&'static str]) -> Glyph {
    Glyph { readings, shape: Shape::Same }
}

const fn near(readings: &'static [&'static str]) -> Glyph {
    Glyph { readings, shape: Shape::Near }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reading_is_ascii() {
        let mut rows = 0;
        for glyph in ('\0'..=char::MAX).filter_map(glyph) {
            rows += 1;
            assert!(!glyph.readings.is_empty());
            for reading in glyph.readings {
                assert!(!reading.is_empty());
                let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
                assert!(reading.bytes().all(plain), "{reading}");
            }
        }
        assert!(rows > 400, "every table is reached: {rows}");
    }
}
