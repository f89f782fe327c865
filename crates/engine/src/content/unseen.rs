//! Words with characters inside that no reader sees and no host holds: bidi controls, tag characters, controls.
//!
//! They end a host for whoever finds links by the letter, and to a reader `p`, U+200E, `aypal.com` is one name. What
//! hosts are mapped without (UTS #46 §4: soft hyphens, zero-width spaces) is no matter: those are read in a host.

use std::ops::Range;

use uts58::unicode::hosts::{is_invisible, is_joiner};
use uts58::unicode::{Class, is_dot_to_somebody};

/// The words of a text that hold such characters, where something in them is a dot: the stretches without those
/// characters, each word with what ends it; and where the stretches of a word meet when they stand in a row. Linear.
pub fn joined(text: &str) -> (Vec<Range<usize>>, Vec<usize>) {
    let (mut stretches, mut cuts) = (Vec::new(), Vec::new());
    if is_plain(text) {
        return (stretches, cuts);
    }
    let mut length = 0;
    let mut start = 0;
    // Without NUL the text is another layer; data of programs are full of it.
    for word in text.split_inclusive(|c: char| c.is_whitespace() || c == '\0') {
        let pieces = pieces(word, start);
        start += word.len();
        if pieces.len() < 2 || !word.contains(is_dot_to_somebody) || is_data(word) {
            continue;
        }
        for piece in &pieces {
            length += piece.len();
            cuts.push(length);
        }
        // Behind the last there is nothing to join.
        cuts.pop();
        stretches.extend(pieces);
    }
    (stretches, cuts)
}

/// The stretches of a word that begins here, without what is not seen.
fn pieces(word: &str, start: usize) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut at = 0;
    for (unseen, c) in word.char_indices().filter(|(_, c)| is_unseen(*c)) {
        pieces.push(start + at..start + unseen);
        at = unseen + c.len_utf8();
    }
    pieces.push(start + at..start + word.len());
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// Whether every character is printable ASCII or white space, as in most text.
fn is_plain(text: &str) -> bool {
    let plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\t'..=b'\r');
    // All of it: without a way out this takes a fraction of an instruction a byte.
    text.bytes().fold(true, |all, byte| all & plain(byte))
}

/// Whether a word is data of a program, which has controls of many kinds.
fn is_data(word: &str) -> bool {
    const KINDS: u32 = 2;
    let control = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    let controls = word.bytes().filter(control);
    controls.fold(0_u128, |kinds, byte| kinds | 1 << byte).count_ones() > KINDS
}

fn is_unseen(c: char) -> bool {
    match c.is_ascii() {
        true => c.is_ascii_control() && !c.is_whitespace() && c != '\0',
        false => {
            (c.is_control() || is_invisible(c))
                && !c.is_whitespace()
                && !is_joiner(c)
                && !Class::of(c).is_ignored()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> String {
        let (stretches, _) = joined(text);
        stretches.into_iter().map(|stretch| &text[stretch]).collect()
    }

    #[test]
    fn words_are_read_without_what_is_not_seen() {
        for unseen in [
            '\u{200e}',
            '\u{202e}',
            '\u{61c}',
            '\u{2066}',
            '\u{e0061}',
            '\u{1}',
            '\u{7f}',
            '\u{85}',
        ] {
            let text = format!("see https://p{unseen}a{unseen}y.com/x {unseen}y.com z{unseen}z");
            assert_eq!(
                words(&text),
                if unseen == '\u{85}' { "" } else { "https://pay.com/x " },
                "{unseen:?}"
            );
        }
    }

    #[test]
    fn nul_ends_a_word() {
        assert_eq!(words("a\u{1}b\0.com"), "");
    }

    #[test]
    fn data_of_programs_are_no_words() {
        assert_eq!(words("a\u{1}b\u{2}c\u{3}.com"), "");
        assert_eq!(words("a\u{1}b\u{2}c\u{1}.com"), "abc.com");
    }

    #[test]
    fn where_they_meet() {
        let text = "a.b\u{200e}c\u{200e}\u{200e}d e f\u{200e}.g";
        assert_eq!(words(text), "a.bcd f.g");
        assert_eq!(joined(text).1, [3, 4, 7]);
    }

    #[test]
    fn what_hosts_are_mapped_without_is_no_matter() {
        for text in [
            "pay\u{ad}pal.com",
            "pay\u{200b}pal.com",
            "a\u{200d}b.com",
            "it\u{2019}s.so",
            "plain.com",
        ] {
            assert_eq!(words(text), "", "{text:?}");
        }
    }
}
