//! Data of programs in what is labelled as a text: a file that its sender's mail program called `text/plain`.

use std::cell::Cell;

/// Bytes of a block of the text: the one in which a link begins and those on either side are looked at.
const BLOCK: usize = 512;

/// Characters that are enough to tell data from a text.
const ENOUGH: usize = 128;

/// One character of so many that is a control, at least, and the kinds of them. Random bytes have 22 kinds, one in
/// twelve; a text has none.
const EVERY_CONTROL: usize = 32;
const KINDS: u32 = 12;

/// One character of so many that no charset decodes, at least: text that a label calls something else has as many as
/// letters beyond ASCII, and is read as what it is beside that.
const EVERY_UNDECODED: usize = 12;

/// Where in a text data stand. The answer for a block is kept: links stand close, and each would have the same
/// kilobyte and a half looked through again.
#[derive(Clone, Debug)]
pub struct Data<'t> {
    text: &'t str,
    last: Cell<Option<(usize, bool)>>,
}

impl<'t> Data<'t> {
    /// Of this text.
    pub fn of(text: &'t str) -> Data<'t> {
        Data { text, last: Cell::new(None) }
    }

    /// Whether what stands round a link that begins at this byte is data: the host in it is chance.
    pub fn surrounds(&self, start: usize) -> bool {
        let block = start / BLOCK;
        if let Some((last, is_data)) = self.last.get()
            && last == block
        {
            return is_data;
        }
        let start = self.text.floor_char_boundary(block.saturating_sub(1) * BLOCK);
        let end = self.text.ceil_char_boundary(((block + 2) * BLOCK).min(self.text.len()));
        let is_data = are_data(self.text.get(start..end).unwrap_or_default());
        self.last.set(Some((block, is_data)));
        is_data
    }
}

fn are_data(text: &str) -> bool {
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
    let of_controls = controls * EVERY_CONTROL >= all && kinds.count_ones() >= KINDS;
    all >= ENOUGH && (of_controls || undecoded * EVERY_UNDECODED >= all)
}

/// A control that stands in no text: neither white space, nor a shift or an escape of a charset, nor NUL, which
/// stands beside each letter where UTF-16 is read as something else.
fn is_of_data(c: char) -> bool {
    c < ' ' && !matches!(c, '\0' | '\u{8}'..='\u{F}' | '\u{1B}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_told_from_a_text_with_controls() {
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
