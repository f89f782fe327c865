//! Generated tables and their accessors.
//!
//! | UTS #58 §6.1, UTS #46 | here |
//! | --- | --- |
//! | Link_Term | [`link_term`], [`LinkTerm`] |
//! | Link_Bracket | [`link_bracket`] |
//! | Link_Email | [`link_email`] |
//! | what a label may hold, before or after mapping | [`Class`] |
//! | what judging asks of a character | [`Traits`] |
//!
//! The tables stand in `data`. They are written by `UPDATE=1 cargo test --test tables`, which also compares them with
//! icu_properties and with the official files (S1).

pub mod a_label;
pub mod ascii_form;
mod bracket_table;
mod host_table;
pub mod hosts;
pub mod prose;
pub mod punycode;
mod staged;
mod traits;
mod traits_table;

pub use staged::Staged;
pub use traits::{ScriptOf, Traits, is_alphanumeric, is_letter};

/// Version of the Unicode data in these tables.
pub const UNICODE_VERSION: &str = "18.0.0";

/// The block of a code point by its upper bits, a byte each.
static INDEX: [u8; include_bytes!("../../data/link_index.bin").len()] =
    *include_bytes!("../../data/link_index.bin");

/// The [`Class`] of each code point of a block, 128 bytes a block.
static BLOCKS: [u8; include_bytes!("../../data/link_blocks.bin").len()] =
    *include_bytes!("../../data/link_blocks.bin");

/// UTS #58 §3.4.1: how a character ends a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum LinkTerm {
    /// Always inside the link.
    Include = 0,
    /// The link ends before it.
    Hard = 1,
    /// Inside if a character that is inside follows.
    Soft = 2,
    /// Opens a pair.
    Open = 3,
    /// Inside if it closes the innermost open pair.
    Close = 4,
}

/// The properties of a code point for the link detector: one byte of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class(u8);

impl Class {
    const TERM: u8 = 0b111;
    const EMAIL: u8 = 1 << 3;
    const HOST: u8 = 1 << 4;
    const TLD: u8 = 1 << 5;
    const IGNORED: u8 = 1 << 6;
    const DOT: u8 = 1 << 7;

    /// The class of most of Han and Hangul: a letter that is allowed anywhere.
    pub const PLAIN: Class =
        Class(LinkTerm::Include as u8 | Class::EMAIL | Class::HOST | Class::TLD);

    /// Whether these bytes of UTF-8 are a character of [`Class::PLAIN`]: U+4E00 to U+9FFF and
    /// U+B000 to U+CFFF, which are all Han and Hangul, or a letter of Hiragana or Katakana. Returns
    /// `false` for some characters of that class.
    #[inline]
    pub fn is_plain(utf8: &[u8; 3]) -> bool {
        match utf8 {
            [0xE5..=0xE9 | 0xEB | 0xEC, ..] | [0xE4, 0xB8..=0xBF, _] => true,
            [0xE3, 0x81, last] => *last > 0x80,
            [0xE3, 0x82, last] => !matches!(last, 0x97..=0xA0),
            [0xE3, 0x83, last] => *last <= 0xBA,
            _ => false,
        }
    }

    /// The class of a code point.
    #[inline]
    pub fn of(c: char) -> Class {
        let cp = c as usize;
        let block = INDEX.get(cp >> 7).copied().unwrap_or(0);
        let entry = usize::from(block) << 7 | (cp & 0x7F);
        Class(BLOCKS.get(entry).copied().unwrap_or(LinkTerm::Hard as u8))
    }

    /// The class of an ASCII byte; for other bytes that of a control character.
    #[inline]
    pub fn of_ascii(byte: u8) -> Class {
        Class(BYTES.get(usize::from(byte)).copied().unwrap_or(LinkTerm::Hard as u8))
    }

    /// `Link_Term` of the code point (UTS #58 §3.4.1).
    #[inline]
    pub fn term(self) -> LinkTerm {
        match self.0 & Class::TERM {
            0 => LinkTerm::Include,
            2 => LinkTerm::Soft,
            3 => LinkTerm::Open,
            4 => LinkTerm::Close,
            _ => LinkTerm::Hard,
        }
    }

    /// Link_Email (UTS #58 §5.1): allowed in an unquoted local part.
    #[inline]
    pub fn is_email(self) -> bool {
        self.0 & Class::EMAIL != 0
    }

    /// Allowed in a label as written: valid, mapped, ignored or deviation (UTS #46), and `_`.
    #[inline]
    pub fn is_host(self) -> bool {
        self.0 & Class::HOST != 0
    }

    /// Allowed in a top-level label (S10): mapped to letters and marks only.
    #[inline]
    pub fn is_tld(self) -> bool {
        self.0 & Class::TLD != 0
    }

    /// UTS #46 maps it to nothing.
    #[inline]
    pub fn is_ignored(self) -> bool {
        self.0 & Class::IGNORED != 0
    }

    /// Separates labels (S12).
    #[inline]
    pub fn is_dot(self) -> bool {
        self.0 & Class::DOT != 0
    }

    /// Allowed in a host as written, in a label or as separator.
    #[inline]
    pub fn is_host_or_dot(self) -> bool {
        self.0 & (Class::HOST | Class::DOT) != 0
    }
}

/// The label separators (S12): the full stop and what UTS #46 maps to it. [`Class::is_dot`] has the
/// same set.
pub const DOTS: [char; 4] = ['.', '\u{3002}', '\u{FF0E}', '\u{FF61}'];

/// Whether some client takes the character for a label separator: [`DOTS`], and U+2024 ONE DOT
/// LEADER, which normalization maps to a full stop (S29). Everything that is judged or defanged is
/// read with these.
#[inline]
pub fn is_dot_to_somebody(c: char) -> bool {
    c == '.' || c >= '\u{2024}' && (c == '\u{2024}' || DOTS.contains(&c))
}

/// The class of each ASCII byte, and a default for others, so that ASCII costs one look-up.
static BYTES: [u8; 256] = {
    let mut bytes = [LinkTerm::Hard as u8; 256];
    if let (Some(ascii), Some(block)) =
        (bytes.first_chunk_mut::<128>(), BLOCKS.first_chunk::<128>())
    {
        *ascii = *block;
    }
    bytes
};

/// Link_Term of a code point.
pub fn link_term(c: char) -> LinkTerm {
    Class::of(c).term()
}

/// Whether the code point has Link_Email.
pub fn link_email(c: char) -> bool {
    Class::of(c).is_email()
}

/// Link_Bracket: the opening character that a closing one pairs with.
pub fn link_bracket(close: char) -> Option<char> {
    let found =
        bracket_table::BRACKETS.binary_search_by_key(&(close as u32), |pair| pair.0).ok()?;
    char::from_u32(bracket_table::BRACKETS.get(found)?.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dots_are_those_of_the_table() {
        let dots: Vec<char> = ('\0'..=char::MAX).filter(|c| Class::of(*c).is_dot()).collect();
        assert_eq!(dots, DOTS);
    }

    #[test]
    fn plain_characters_are_of_their_class() {
        for c in '\u{80}'..=char::MAX {
            let mut buffer = [0; 4];
            let utf8 = c.encode_utf8(&mut buffer).as_bytes();
            for three in [utf8.first_chunk(), utf8.last_chunk()] {
                if three.is_some_and(Class::is_plain) {
                    assert_eq!((Class::of(c), c.len_utf8()), (Class::PLAIN, 3), "{c:?}");
                }
            }
        }
    }
}
