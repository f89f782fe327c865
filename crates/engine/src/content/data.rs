//! Data of programs in what is labelled as a text: a file that its sender's mail program called `text/plain`.

use std::ops::Range;

/// Bytes of the text on either side of a link that are looked at.
const ROUND: usize = 512;

/// Characters that are enough to tell data from a text.
const ENOUGH: usize = 128;

/// One character of so many that is a control, at least, and the kinds of them. Random bytes have 22 kinds, one in
/// twelve; a text has none.
const EVERY_CONTROL: usize = 32;
const KINDS: u32 = 12;

/// One character of so many that no charset decodes, at least: text that a label calls something else has as many as
/// letters beyond ASCII, and is read as what it is beside that.
const EVERY_UNDECODED: usize = 12;

/// Whether what stands round these bytes is data: the host in it is chance.
pub fn is_among_data(text: &str, link: Range<usize>) -> bool {
    let start = text.floor_char_boundary(link.start.saturating_sub(ROUND));
    let end = text.ceil_char_boundary(link.end.saturating_add(ROUND).min(text.len()));
    let (mut all, mut controls, mut kinds, mut undecoded) = (0, 0, 0_u32, 0);
    for c in text.get(start..end).unwrap_or_default().chars() {
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
        assert!(is_among_data(&random, 900..910));
        let prose = "Words of a letter, and a host. ".repeat(60);
        assert!(!is_among_data(&prose, 900..910));
        let lossy = String::from_utf8_lossy(&random.chars().map(|c| c as u8).collect::<Vec<_>>())
            .into_owned();
        assert!(is_among_data(&lossy.replace(is_of_data, ""), 900..910), "bytes of no charset");
        for controls in ["\u{1}", "\u{1}\u{2}\u{3}", "\0", "\u{1b}$B"] {
            let text = prose.replace(' ', &format!(" {controls}"));
            assert!(!is_among_data(&text, 900..910), "{controls:?}");
        }
        let short = random.get(..100).unwrap_or_default();
        assert!(!is_among_data(short, 10..20), "too little to tell");
    }
}
