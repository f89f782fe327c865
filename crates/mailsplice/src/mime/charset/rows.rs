//! Two-byte charsets that WHATWG lacks or reads differently. Only the rows of their Greek, Cyrillic and wide
//! Latin letters are here, with which hosts are made to look like others. All other characters become
//! U+FFFD.
//!
//! Rows are those of glibc 2.36 (`iconv`) and Python 3.11.7, which agree where both have them.

use super::builder::Builder;
use super::pages::{GLIBC, Page};
use super::shifted::{Step, with_switches};
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
    runs: &'static [(u16, &'static str)],
}

const WIDE: [(u16, &str); 8] = [
    (0x424B, "．"),
    (0x4261, "／"),
    (0x4281, "ａｂｃｄｅｆｇｈｉ"),
    (0x4291, "ｊｋｌｍｎｏｐｑｒ"),
    (0x42A2, "ｓｔｕｖｗｘｙｚ"),
    (0x42C1, "ＡＢＣＤＥＦＧＨＩ"),
    (0x42D1, "ＪＫＬＭＮＯＰＱＲ"),
    (0x42E2, "ＳＴＵＶＷＸＹＺ"),
];

/// IBM-300 and similar sets.
const EAST: &[(u16, &str)] = &[
    (0x4141, "αβγδεζηθικλμνξοπρστυφχψω"),
    (0x4161, "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ"),
    (0x4180, "абвгдеёжзийклмнопрстуфхцчшщъыьэюя"),
    (0x41C0, "АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ"),
];

const KOREAN: &[(u16, &str)] = &[
    (0x4661, "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ"),
    (0x4681, "αβγδεζηθικλμνξοπρστυφχψω"),
    (0x4A41, "АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдеёжзийклмнопрстуфхцчшщъыьэюя"),
];

const JOHAB: &[(u16, &str)] = &[
    (0xDA3E, "．／"),
    (0xDA51, "ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ"),
    (0xDA71, "ａｂｃｄｅｆｇｈｉｊｋｌｍｎ"),
    (0xDA91, "ｏｐｑｒｓｔｕｖｗｘｙｚ"),
    (0xDB51, "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ"),
    (0xDB71, "αβγδεζηθικλμνξ"),
    (0xDB91, "οπρστυφχψω"),
    (0xDEA1, "АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ"),
    (0xDED1, "абвгдеёжзийклмнопрстуфхцчшщъыьэюя"),
];

const BIG5: &[(u16, &str)] = &[
    (0xA144, "．"),
    (
        0xA2CF,
        "ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖ",
    ),
    (0xA340, "ｗｘｙｚΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρστυφχψω"),
    (0xC7B1, "ДЕЁЖЗИЙКЛМУФХЦЧШЩЪЫЬЭЮЯабвгдеёжзийклмнопрстуфхцчшщъыьэюя"),
];

static ROWS: [Rows; 7] = [
    Rows { name: "big5-python", page: "", runs: BIG5 },
    Rows { name: "johab", page: "", runs: JOHAB },
    Rows { name: "ibm930", page: "cp930-single", runs: EAST },
    Rows { name: "ibm933", page: "cp933-single", runs: KOREAN },
    Rows { name: "ibm935", page: "cp935-single", runs: EAST },
    Rows { name: "ibm937", page: "cp937-single", runs: EAST },
    Rows { name: "ibm939", page: "cp939-single", runs: EAST },
];

const SHIFT_OUT: u8 = 0x0E;
const SHIFT_IN: u8 = 0x0F;

impl Rows {
    pub(super) fn named(name: &str) -> Option<&'static Rows> {
        ROWS.iter().find(|rows| rows.name == name)
    }

    fn page(&self) -> Option<&'static Page> {
        GLIBC.iter().find(|page| page.name == self.page)
    }

    fn character(&self, pair: [u8; 2]) -> char {
        let code = u16::from_be_bytes(pair);
        let wide: &[(u16, &str)] = if self.page.is_empty() { &[] } else { &WIDE };
        let mut runs = self.runs.iter().chain(wide);
        let found = runs.find_map(|(first, run)| run.chars().nth(code.checked_sub(*first)?.into()));
        found.unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    pub(super) fn decode(&self, bytes: &[u8]) -> Text<'static> {
        let singles: Option<Vec<char>> = self.page().map(|page| page.characters.chars().collect());
        let mut out = Builder::new(bytes.len());
        let (mut at, mut shifted) = (0, false);
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            at += match (rest, &singles) {
                ([SHIFT_OUT | SHIFT_IN, ..], Some(_)) => {
                    shifted = rest.first() == Some(&SHIFT_OUT);
                    out.unit("", at..at + 1);
                    1
                }
                ([high, low, ..], Some(_)) if shifted => {
                    out.character(self.character([*high, *low]), at..at + 2);
                    2
                }
                ([byte, ..], Some(singles)) => {
                    let character = singles.get(usize::from(*byte)).copied();
                    out.character(character.unwrap_or(char::REPLACEMENT_CHARACTER), at..at + 1);
                    1
                }
                ([byte, ..], None) if byte.is_ascii() => out.ascii_run(rest, at),
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
            [SHIFT_OUT, ..] => Step::Switch(true, 1),
            [SHIFT_IN, ..] => Step::Switch(false, 1),
            [_, _, ..] if state => Step::Text(true, 2),
            _ => Step::Text(state, 1),
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
