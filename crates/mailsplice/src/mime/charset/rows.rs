//! Two-byte charsets that WHATWG lacks or reads differently. Only what hosts are made of to look like others is here:
//! Greek, Cyrillic, Latin and wide letters, and signs of East Asia that read as Latin ones. All other characters are
//! those of a charset that it extends, or become U+FFFD.

use encoding_rs::Encoding;

use super::builder::Builder;
use super::pages::Page;
use super::pairs::pairs;
use super::shifted::{ShiftStep, with_switches};
use crate::edit::RawEdit;
use crate::span::Text;

/// A charset with two-byte characters.
#[derive(Debug, PartialEq, Eq)]
pub struct Rows {
    pub name: &'static str,
    /// Name of the page for single bytes if they are EBCDIC, with SO and SI around two-byte characters; empty for
    /// ASCII.
    page: &'static str,
    /// Runs of consecutive codes: the first code, and the characters.
    runs: &'static [&'static [CodeRun]],
    /// What it extends.
    base: Option<&'static Encoding>,
}

type CodeRun = (u16, &'static str);

static ROWS: [Rows; 11] = [
    row("big5-python", "", &[set("BIG5")]),
    row("johab", "", &[set("JOHAB")]),
    row("euc-tw", "", &[set("CNS_11643")]),
    Rows { base: Some(encoding_rs::EUC_JP), ..row("euc-jisx0213", "", &[set("EUC_JIS_X_0213")]) },
    row("ibm930", "cp930-single", &[WIDE, EAST, EAST_SIGNS, KANJI]),
    row("ibm1390", "cp930-single", &[WIDE, EAST, EAST_SIGNS, KANJI, JIS_X_0213]),
    row("ibm933", "cp933-single", &[WIDE, set("KOREAN"), set("KOREAN_SIGNS")]),
    row("ibm935", "cp935-single", &[WIDE, EAST, EAST_SIGNS, set("PINYIN")]),
    row("ibm937", "cp937-single", &[WIDE, EAST, EAST_SIGNS, set("BOPOMOFO")]),
    row("ibm939", "cp939-single", &[WIDE, EAST, EAST_SIGNS, KANJI]),
    row("ibm1399", "cp939-single", &[WIDE, EAST, EAST_SIGNS, KANJI, JIS_X_0213]),
];

const WIDE: &[CodeRun] = set("WIDE");
const EAST: &[CodeRun] = set("EAST");
const EAST_SIGNS: &[CodeRun] = set("EAST_SIGNS");
const KANJI: &[CodeRun] = set("KANJI");
const JIS_X_0213: &[CodeRun] = set("JIS_X_0213");

/// A charset that extends none.
const fn row(name: &'static str, page: &'static str, runs: &'static [&'static [CodeRun]]) -> Rows {
    Rows { name, page, runs, base: None }
}

/// Set and first code, and characters.
const FILE: &[(&str, &str)] = pairs!("rows.tsv");

/// The runs of the file.
const RUNS: &[CodeRun] = &{
    let (mut runs, mut rest) = ([(0, ""); FILE.len()], FILE);
    let mut free = runs.as_mut_slice();
    while let ([(key, characters), after @ ..], [run, others @ ..]) = (rest, free) {
        let (_, code) = key.split_at(key.len() - CODE);
        *run = match u16::from_str_radix(code, 16) {
            Ok(code) => (code, *characters),
            Err(_) => panic!("a row has a set, a blank and a code of four digits"),
        };
        (rest, free) = (after, others);
    }
    runs
};

/// Hexadecimal digits of a code.
const CODE: usize = 4;

/// The runs of a set of the file.
const fn set(name: &str) -> &'static [CodeRun] {
    let (mut rest, mut before, mut length) = (FILE, 0, 0);
    while let [(key, _), after @ ..] = rest {
        match (is_of(key, name), length) {
            (true, _) => length += 1,
            (false, 0) => before += 1,
            (false, _) => break,
        }
        rest = after;
    }
    assert!(length > 0, "the set stands in the file");
    RUNS.split_at(before).1.split_at(length).0
}

const fn is_of(key: &str, set: &str) -> bool {
    let (mut key, mut set) = (key.as_bytes(), set.as_bytes());
    while let ([a, key_after @ ..], [b, set_after @ ..]) = (key, set)
        && *a == *b
    {
        (key, set) = (key_after, set_after);
    }
    set.is_empty() && matches!(key, [b' ', ..])
}

const SHIFT_OUT: u8 = 0x0E;
const SHIFT_IN: u8 = 0x0F;

impl Rows {
    pub(super) fn named(name: &str) -> Option<&'static Rows> {
        ROWS.iter().find(|rows| rows.name == name)
    }

    fn page(&self) -> Option<&'static Page> {
        Page::named(self.page)
    }

    fn character(&self, pair: [u8; 2]) -> char {
        let code = u16::from_be_bytes(pair);
        let mut runs = self.runs.iter().copied().flatten();
        let found = runs.find_map(|(first, run)| run.chars().nth(code.checked_sub(*first)?.into()));
        found.or_else(|| self.of_base(&pair)).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    /// The character of the charset that this one extends.
    fn of_base(&self, bytes: &[u8]) -> Option<char> {
        let text = self.base?.decode_without_bom_handling_and_without_replacement(bytes)?;
        let mut characters = text.chars();
        characters.next().filter(|_| characters.next().is_none())
    }

    /// A character with a shift of its own (EUC, SS2 and SS3), if one begins here, and its length.
    fn shifted(&self, bytes: &[u8]) -> Option<(char, usize)> {
        match (self.name, bytes) {
            // A plane, and a character in it. The first one is that of the pairs.
            ("euc-tw", [0x8E, plane @ 0xA1..=0xB0, high, low, ..]) if *low >= 0xA1 => {
                let first = (*plane == 0xA1).then(|| self.character([*high, *low]));
                Some((first.unwrap_or(char::REPLACEMENT_CHARACTER), 4))
            }
            ("euc-jisx0213", [0x8F, high, low, ..]) if *low >= 0xA1 => {
                let character = self.of_base(&[0x8F, *high, *low]);
                Some((character.unwrap_or(char::REPLACEMENT_CHARACTER), 3))
            }
            _ => None,
        }
    }

    pub(super) fn decode(&self, bytes: &[u8]) -> Text<'static> {
        let singles = self.page();
        let mut out = Builder::new(bytes.len());
        let (mut at, mut shifted) = (0, false);
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            at += match (rest, singles) {
                ([SHIFT_OUT | SHIFT_IN, ..], Some(_)) => {
                    shifted = rest.first() == Some(&SHIFT_OUT);
                    out.unit("", at..at + 1);
                    1
                }
                ([high, low, ..], Some(_)) if shifted => {
                    out.character(self.character([*high, *low]), at..at + 2);
                    2
                }
                ([byte, ..], Some(page)) => {
                    out.character(page.character(*byte), at..at + 1);
                    1
                }
                ([byte, ..], None) if byte.is_ascii() => out.ascii_run(rest, at),
                ([0x8E | 0x8F, ..], None) if let Some((c, length)) = self.shifted(rest) => {
                    out.character(c, at..at + length);
                    length
                }
                // A line end is never part of a character.
                ([high, low, ..], None) if *low >= b' ' => {
                    out.character(self.character([*high, *low]), at..at + 2);
                    2
                }
                _ => {
                    out.character(char::REPLACEMENT_CHARACTER, at..at + 1);
                    1
                }
            };
        }
        out.close(bytes.len())
    }

    /// Adds SI before a replacement and SO after it, if it is inside shifted bytes.
    pub(super) fn lower(&self, bytes: &[u8], edits: Vec<RawEdit>) -> Vec<RawEdit> {
        if self.page.is_empty() {
            return edits;
        }
        let step = |state: bool, rest: &[u8]| match rest {
            [SHIFT_OUT, ..] => ShiftStep::Switch(true, 1),
            [SHIFT_IN, ..] => ShiftStep::Switch(false, 1),
            [_, _, ..] if state => ShiftStep::Text(true, 2),
            _ => ShiftStep::Text(state, 1),
        };
        with_switches(
            bytes,
            edits,
            false,
            step,
            |state| if state { &[SHIFT_OUT] } else { &[SHIFT_IN] },
        )
    }

    /// Encodes a text that has only single-byte characters.
    pub(super) fn encode(&self, text: &str) -> Option<Vec<u8>> {
        match self.page() {
            Some(page) => text.chars().map(|c| page.byte(c)).collect(),
            None => text.is_ascii().then(|| text.as_bytes().to_vec()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mime::charset::Charset;
    use crate::span::TextEdit;

    #[test]
    fn rows_of_letters() {
        for (label, bytes, text) in [
            ("johab", &b"\xDE\xE2\xDE\xD1ypal \xDB\x91"[..], "раypal ο"),
            ("ibm939", b"\x0E\x41\x8F\x41\x80\x0F\xA8\x97\x81\x93\x4B\x83\x96\x94", "оаypal.com"),
            ("cp937", b"\x0E\x41\x4F\x0F\x81\x0E\x42\x4B\x0F", "οa．"),
            ("ibm-933", b"\x0E\x4A\x62\x0F\x4B", "а."),
            ("ibm933", b"\x0E\x4B\xA4\x0F\x4B", "ı."),
            ("ibm930", b"\x0E\x44\x5F\x43\x95\x0F", "〇ト"),
            ("ibm1390", b"\x0E\xD9\xE2\x41\x80\x0F", "Іа"),
            ("ibm1388", b"\x0E\x46\x60\x0F", "ɡ"),
            (
                "euc-tw",
                b"g\xA5\xBD\x8E\xA1\xA5\xBD\x8E\xA2\xA1\xA1gle\xFF",
                "gοο\u{FFFD}gle\u{FFFD}",
            ),
            ("euc-jisx0213", b"\xAA\xF9\x8F\xB0\xA1\xC6\xFC\x8E\xB1", "ɡ丂日ｱ"),
        ] {
            let Some(charset @ Charset::Rows(_)) = Charset::from_label(label) else {
                panic!("{label}")
            };
            assert_eq!(charset.decode(bytes.into()).as_str(), text, "{label}");
        }
        let big5 = Rows::named("big5-python").unwrap();
        assert_eq!(big5.decode(b"\xC7\xD9\xC7\xC8ypal\xA3\x6A\xFF").as_str(), "раypalο\u{FFFD}");
    }

    #[test]
    fn an_edit_of_two_byte_letters_ends_their_run() {
        let bytes = b"\x0E\x41\x8F\x41\x80\x41\x8F\x0F\x4B\x83";
        let charset = Charset::from_label("ibm939").unwrap();
        let text = charset.decode(bytes.as_slice().into());
        assert_eq!(text.as_str(), "оао.c");
        let edits = vec![TextEdit { range: 2..4, replacement: "x".into() }];
        let mut new = bytes.to_vec();
        for edit in charset.lower(|| bytes.as_slice().into(), &text, edits).iter().rev() {
            new.splice(edit.range.clone(), edit.replacement.iter().copied());
        }
        assert_eq!(charset.decode(new.as_slice().into()).as_str(), "оxо.c");
    }
}
