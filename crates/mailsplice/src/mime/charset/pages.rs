//! Single-byte code pages that the WHATWG Encoding Standard lacks.

use super::pairs::pairs;

/// Bytes of a charset.
const BYTES: usize = 256;

/// Of them those of ASCII.
const ASCII: usize = 128;

/// A code page.
#[derive(Debug, PartialEq, Eq)]
pub struct Page {
    pub name: &'static str,
    /// Whether bytes below 128 are ASCII.
    pub keeps_ascii: bool,
    /// The characters of the bytes.
    characters: [char; BYTES],
}

impl Page {
    pub(super) fn named(name: &str) -> Option<&'static Page> {
        PAGES.iter().find(|page| page.name == name)
    }

    pub(super) fn character(&self, byte: u8) -> char {
        self.characters.get(usize::from(byte)).copied().unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    /// The byte of a character.
    pub fn byte(&self, character: char) -> Option<u8> {
        let found = self.characters.iter().position(|known| *known == character)?;
        u8::try_from(found).ok()
    }
}

pub(super) static PAGES: [Page; ROWS.len()] = pages();

/// Name, and characters as they are or as `\u{a0}`: of all bytes, or of those above ASCII.
const ROWS: &[(&str, &str)] = pairs!("pages.tsv");

#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const fn pages() -> [Page; ROWS.len()] {
    let mut pages =
        [const { Page { name: "", keeps_ascii: false, characters: ['\0'; BYTES] } }; ROWS.len()];
    let mut row = 0;
    while row < ROWS.len() {
        let (name, text) = ROWS[row];
        pages[row] = page(name, text);
        row += 1;
    }
    pages
}

#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const fn page(name: &'static str, text: &str) -> Page {
    let keeps_ascii = length(text.as_bytes()) == ASCII;
    let (mut characters, mut at) = (['\0'; BYTES], 0);
    while keeps_ascii && at < ASCII {
        characters[at] = at as u8 as char;
        at += 1;
    }
    let mut rest = text.as_bytes();
    while let Some((character, after)) = first(rest) {
        characters[at] = character;
        (rest, at) = (after, at + 1);
    }
    assert!(at == BYTES, "a page has 128 or 256 characters");
    Page { name, keeps_ascii, characters }
}

/// Characters of a row.
const fn length(mut row: &[u8]) -> usize {
    let mut length = 0;
    while let Some((_, after)) = first(row) {
        (row, length) = (after, length + 1);
    }
    length
}

/// The first character of a row, and what is behind it.
const fn first(row: &[u8]) -> Option<(char, &[u8])> {
    let (code, rest) = match row {
        [b'\\', b'u', b'{', digits @ ..] => {
            let (mut code, mut rest) = (0, digits);
            while let [digit, after @ ..] = rest
                && let Some(value) = (*digit as char).to_digit(16)
            {
                (code, rest) = (code << 4 | value, after);
            }
            let [b'}', after @ ..] = rest else { return None };
            (code, after)
        }
        [one @ ..0x80, rest @ ..] => (*one as u32, rest),
        [one @ ..0xE0, two, rest @ ..] => (bits(*one, 5) << 6 | bits(*two, 6), rest),
        [one, two, three, rest @ ..] => {
            (bits(*one, 4) << 12 | bits(*two, 6) << 6 | bits(*three, 6), rest)
        }
        _ => return None,
    };
    match char::from_u32(code) {
        Some(character) => Some((character, rest)),
        None => None,
    }
}

/// The last bits of a byte of UTF-8.
const fn bits(byte: u8, count: u32) -> u32 {
    (byte & ((1 << count) - 1)) as u32
}
