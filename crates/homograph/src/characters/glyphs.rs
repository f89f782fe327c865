//! Letters that read as Latin letters or ASCII digits by our own judgement but not by
//! confusables.txt: the rows of `glyphs.tsv`, which describes its format.

use std::collections::HashMap;

use super::reading::{ReadingText, Shape};

/// What a character is read as, the most likely reading first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Glyph {
    pub readings: Vec<ReadingText>,
    pub shape: Shape,
}

/// The rows by character.
pub(super) struct Glyphs(HashMap<char, Glyph>);

impl Glyphs {
    /// Reads the table; panics on a bad row, which fails the test that reads it.
    pub(super) fn of_the_table() -> Glyphs {
        let mut glyphs = HashMap::new();
        for row in include_str!("glyphs.tsv").lines() {
            if row.is_empty() || row.starts_with('#') {
                continue;
            }
            let (c, glyph) = parse(row).unwrap_or_else(|what| panic!("{row}: expected {what}"));
            assert!(glyphs.insert(c, glyph).is_none(), "{row}: stands there twice");
        }
        Glyphs(glyphs)
    }

    /// What the character is read as, beyond confusables.txt.
    pub(super) fn get(&self, c: char) -> Option<&Glyph> {
        self.0.get(&c)
    }
}

/// The character of a row and what it is read as, or what was expected.
fn parse(row: &str) -> Result<(char, Glyph), &'static str> {
    let columns: Vec<&str> = row.split('\t').collect();
    let [spelled, code, readings, shape] = *columns.as_slice() else { return Err("four columns") };
    let c = spelled.parse().map_err(|_| "one character")?;
    if code != format!("U+{:04X}", u32::from(c)) {
        return Err("its code point");
    }
    let plain = |text: &str| text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    let reading = |text: &str| ReadingText::new(text).filter(|_| !text.is_empty() && plain(text));
    let readings: Option<Vec<ReadingText>> = readings.split(' ').map(reading).collect();
    let shape = match shape {
        "same" => Shape::Same,
        "near" => Shape::Near,
        _ => return Err("same or near"),
    };
    Ok((c, Glyph { readings: readings.ok_or("lower-case ASCII letters and digits")?, shape }))
}

#[test]
fn a_row_that_is_none_says_what_was_expected() {
    for (row, expected) in [
        ("ĸ\tU+0138\tk\tsame", None),
        ("ĸ\tU+0138\tk", Some("four columns")),
        ("ĸĸ\tU+0138\tk\tsame", Some("one character")),
        ("ĸ\tU+0139\tk\tsame", Some("its code point")),
        ("ĸ\tU+0138\tK\tsame", Some("lower-case ASCII letters and digits")),
        ("ĸ\tU+0138\tk  b\tsame", Some("lower-case ASCII letters and digits")),
        ("ĸ\tU+0138\tk\texact", Some("same or near")),
    ] {
        assert_eq!(parse(row).err(), expected, "{row}");
    }
}
