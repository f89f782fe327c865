//! Data in a part that is labelled as text, such as a file that the sender's mail program called `text/plain`, or a
//! uuencoded one inside a text.

use std::cell::{Cell, OnceCell};
use std::ops::Range;

use mailsplice::mime::encoded_lines;

/// Bytes of a block of the text: the block in which a link begins and its neighbours are tested.
pub(super) const BLOCK: usize = 512;

/// Minimum number of characters for telling data from text.
const ENOUGH_CHARACTERS: usize = 128;

/// Data has at least one control in so many characters, and so many kinds of them. Random bytes have 22 kinds, one in
/// twelve characters; text has none.
const CHARACTERS_PER_CONTROL: usize = 32;
const CONTROL_KINDS: u32 = 12;

/// Data has at least one undecodable character in so many: text with a wrong charset label has as many as it has
/// non-ASCII letters, and is also read in its real charset.
const CHARACTERS_PER_UNDECODED: usize = 12;

/// Where data are in a text. The answer for each block is kept: many links begin in one, and for each the same kilobyte
/// and a half would be tested again.
#[derive(Clone, Debug)]
pub struct Data<'t> {
    text: &'t str,
    /// Whether each block is among data; computed when needed.
    random: OnceCell<Box<[Cell<Option<bool>>]>>,
    /// Lines of uuencode in blocks, those in a row as one; computed when needed.
    encoded: OnceCell<Vec<Range<usize>>>,
}

impl<'t> Data<'t> {
    /// For this text.
    pub fn of(text: &'t str) -> Data<'t> {
        Data { text, random: OnceCell::new(), encoded: OnceCell::new() }
    }

    /// Whether the surroundings of a link that begins at this byte are data: then the host in it is chance.
    pub fn surrounds(&self, start: usize) -> bool {
        self.is_random(start) || self.is_encoded(start)
    }

    /// Whether a line of a block that is read as the attachment it is begins a link here.
    fn is_encoded(&self, start: usize) -> bool {
        let encoded = self.encoded.get_or_init(|| encoded_lines(self.text.as_bytes()));
        let behind = encoded.partition_point(|lines| lines.start <= start);
        behind.checked_sub(1).and_then(|at| encoded.get(at)).is_some_and(|lines| start < lines.end)
    }

    fn is_random(&self, start: usize) -> bool {
        let blocks = || vec![Cell::new(None); self.text.len().div_ceil(BLOCK)].into();
        let block = start / BLOCK;
        let Some(known) = self.random.get_or_init(blocks).get(block) else { return false };
        let is_data = known.get().unwrap_or_else(|| {
            let start = self.text.floor_char_boundary(block.saturating_sub(1) * BLOCK);
            let end = self.text.ceil_char_boundary(((block + 2) * BLOCK).min(self.text.len()));
            are_data(self.text.get(start..end).unwrap_or_default())
        });
        known.set(Some(is_data));
        is_data
    }
}

fn are_data(text: &str) -> bool {
    if !text.bytes().fold(false, |any, byte| any | may_be_of_data(byte)) {
        return false;
    }
    let (mut all, mut controls, mut kinds, mut undecoded) = (0, 0, 0_u32, 0);
    for c in text.chars() {
        all += 1;
        match c {
            _ if is_of_data(c) => {
                controls += 1;
                kinds |= 1 << u32::from(c);
            }
            char::REPLACEMENT_CHARACTER | '\u{E000}'..='\u{F8FF}' | '\u{F0000}'.. => undecoded += 1,
            _ => {}
        }
    }
    let of_controls =
        controls * CHARACTERS_PER_CONTROL >= all && kinds.count_ones() >= CONTROL_KINDS;
    all >= ENOUGH_CHARACTERS && (of_controls || undecoded * CHARACTERS_PER_UNDECODED >= all)
}

/// Whether a control character of data, or an undecodable one, may begin with this byte. Nearly no text has one. No
/// short circuits, so that many are tested together.
fn may_be_of_data(byte: u8) -> bool {
    ((byte < b' ') & !matches!(byte, 0 | 8..=15 | 27)) | matches!(byte, 0xEE | 0xEF | 0xF3..)
}

/// A control character that is in no text: neither white space, nor a shift or an escape of a charset, nor NUL, which
/// is next to each letter if UTF-16 is read in another charset.
fn is_of_data(c: char) -> bool {
    c < ' ' && !matches!(c, '\0' | '\u{8}'..='\u{F}' | '\u{1B}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_uuencode_are_data_in_their_block() {
        let block = "begin 644 a.gif\nM1TE&.#EAO+SRQ.RTO+SRQ.RTO+SRQ.RTO+SRQ.RTO+SRQ.RTO+SRQ.RTO+SR\n#0V%T\n`\nend\n";
        let at = |text: &str, word: &str| {
            let start = text.find(word).unwrap_or_default();
            Data::of(text).surrounds(start)
        };
        assert!(at(block, "1TE&") && at(block, "0V%T"));
        let prose = format!("{block}EXAMPLE.COM\nbegin 644 a\nSee example.com\n");
        assert!(!at(&prose, "EXAMPLE.COM") && !at(&prose, "example.com"));
        assert!(!at("M1TE&.#EAO+SRQ\n", "1TE&"), "no block");
    }

    #[test]
    fn data_is_distinguished_from_a_text_with_controls() {
        let random: String = (0..2_000_u32)
            .map(|n| char::from((n.wrapping_mul(2_654_435_761) >> 24) as u8))
            .collect();
        assert!(Data::of(&random).surrounds(900));
        let prose = "Words of a letter, and a host. ".repeat(60);
        assert!(!Data::of(&prose).surrounds(900));
        let lossy = String::from_utf8_lossy(&random.chars().map(|c| c as u8).collect::<Vec<_>>())
            .into_owned();
        assert!(Data::of(&lossy.replace(is_of_data, "")).surrounds(900), "bytes of no charset");
        for controls in ["\u{1}", "\u{1}\u{2}\u{3}", "\0", "\u{1b}$B"] {
            let text = prose.replace(' ', &format!(" {controls}"));
            assert!(!Data::of(&text).surrounds(900), "{controls:?}");
        }
        let both = format!("{prose}{random}");
        let data = Data::of(&both);
        let found =
            [0, 900, prose.len() + 1_100, prose.len() + 1_101, 0].map(|at| data.surrounds(at));
        assert_eq!(found, [false, false, true, true, false], "each place as it is");
        let short = random.get(..100).unwrap_or_default();
        assert!(!Data::of(short).surrounds(10), "too little to tell");
    }
}
