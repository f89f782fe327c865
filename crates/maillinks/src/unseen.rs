//! Words with characters that are invisible and in no host: bidi controls, tag characters, control characters.
//!
//! They end a host for programs that follow the standards strictly, but for a reader `p`, U+200E, `aypal.com` is one
//! name. Characters that mapping removes from hosts (UTS #46 §4: soft hyphens, zero-width spaces) do not matter here:
//! every search for links reads them as part of a host. Joiners are part of names; where no name can hold them,
//! between ASCII letters or by the dozen, they are left out as well, as programs do that map them to nothing (UTS #46
//! transitional processing).

use std::ops::{ControlFlow, Range};

use super::joined::Joined;
use mailsplice::byte_search::each;
use uts58::unicode::hosts::{is_invisible, is_joiner};
use uts58::unicode::{Class, is_alphanumeric, is_dot_to_somebody};

/// The words of a text that hold such characters, without them, if the word has a dot. Linear.
pub fn joined(text: &str) -> Joined {
    let mut joined = Joined::default();
    let ends_word = |c: char| c.is_whitespace() || c == '\0';
    let mut at = 0;
    let _ = each_first(text.as_bytes(), |unseen| {
        if unseen < at || !is_unseen_at(text, unseen) {
            return ControlFlow::Continue(());
        }
        // The text without NUL is another layer; binary data are full of it.
        let before = text.get(at..unseen).unwrap_or_default().rsplit(ends_word).next();
        let after = text.get(unseen..).unwrap_or_default().split_inclusive(ends_word).next();
        let range = unseen - before.map_or(0, str::len)..unseen + after.map_or(0, str::len);
        at = range.end;
        let word = text.get(range.clone()).unwrap_or_default();
        if !word.contains(is_dot_to_somebody) || is_data(word) {
            return ControlFlow::Continue(());
        }
        let room = STRETCHES.saturating_sub(joined.stretches());
        let with_joiners = word.chars().filter(|c| is_joiner(*c)).count() > JOINERS;
        let pieces = pieces((word, range.start), room, |at, c| match is_joiner(c) {
            true => with_joiners || is_in_ascii(word, at, c),
            false => is_unseen(c),
        });
        let Some(pieces) = pieces else {
            joined.cut = true;
            return ControlFlow::Break(());
        };
        if pieces.len() > 1 {
            joined.add(pieces, at..at);
        }
        ControlFlow::Continue(())
    });
    joined
}

/// The stretches of a word that begins here, without its invisible characters; `None` if there are more than `most`.
fn pieces(
    (word, start): (&str, usize),
    most: usize,
    is_unseen: impl Fn(usize, char) -> bool,
) -> Option<Vec<Range<usize>>> {
    let mut pieces = Vec::new();
    let mut at = 0;
    let ends = word.char_indices().filter(|(at, c)| is_unseen(*at, *c));
    for (end, c) in ends.chain([(word.len(), '\0')]) {
        if at < end {
            pieces.push(start + at..start + end);
        }
        if pieces.len() > most {
            return None;
        }
        at = end + c.len_utf8();
    }
    Some(pieces)
}

/// Whether the joiner at this offset stands between characters of hosts in ASCII, which nothing joins, or beside
/// another invisible one.
fn is_in_ascii(text: &str, at: usize, joiner: char) -> bool {
    let of_host = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    let of_host = |c: char| of_host(c) || is_joiner(c) || is_unseen(c);
    let before = text.get(..at).and_then(|before| before.chars().next_back());
    let after = text.get(at + joiner.len_utf8()..).and_then(|after| after.chars().next());
    before.is_some_and(of_host) && after.is_some_and(of_host)
}

/// Stretches of the words of one text that are joined. Each takes some forty bytes of memory; no honest text has many.
const STRETCHES: usize = 1 << 17;

/// Joiners in one word: no word of any language has more.
const JOINERS: usize = 16;

/// Bytes that are tested together for any that is not plain.
const BLOCK: usize = 512;

/// Visits each byte that may be the first of an invisible character.
fn each_first(bytes: &[u8], mut visit: impl FnMut(usize) -> ControlFlow<()>) -> ControlFlow<()> {
    let blocks = bytes.chunks(BLOCK).enumerate().filter(|(_, block)| !is_plain(block));
    for (index, block) in blocks {
        each(block, is_first_of_unseen, |at| visit(index * BLOCK + at))?;
    }
    ControlFlow::Continue(())
}

/// Whether every character is printable ASCII or white space, as in most text.
fn is_plain(bytes: &[u8]) -> bool {
    let plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\t'..=b'\r');
    // Without an early exit this takes a fraction of an instruction per byte.
    bytes.iter().fold(true, |all, byte| all & plain(*byte))
}

/// Whether a word is binary data, which has control characters of many kinds.
fn is_data(word: &str) -> bool {
    const KINDS: u32 = 2;
    let control = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    let controls = word.bytes().filter(control);
    controls.fold(0_u128, |kinds, byte| kinds | 1 << byte).count_ones() > KINDS
}

/// Whether a byte may be the first of an invisible character, whatever follows. No branches, so that many are tested
/// together.
fn is_first_of_unseen(byte: u8, _: u8) -> bool {
    let is_control =
        ((byte < b' ') & (byte.wrapping_sub(b'\t') > 4) & (byte != 0)) | (byte == 0x7F);
    let of_two = (byte == 0xC2) | (byte == 0xCD) | (byte == 0xD8);
    // Also 0xF1 and 0xF2, which begin no assigned character.
    let of_more = (byte.wrapping_sub(0xE1) < 3) | (byte.wrapping_sub(0xEF) < 5);
    is_control | of_two | of_more
}

/// Whether an invisible character is at this offset.
fn is_unseen_at(text: &str, at: usize) -> bool {
    may_begin_unseen(text.as_bytes().get(at..).unwrap_or_default())
        && text.get(at..).and_then(|rest| rest.chars().next()).is_some_and(|c| {
            // One in a row of joiners or in ASCII: most words with joiners need not be read.
            let next = || text.get(at + c.len_utf8()..).and_then(|rest| rest.chars().next());
            let in_row = || next().is_some_and(|c| !is_alphanumeric(c));
            is_unseen(c) || is_joiner(c) && (in_row() || is_in_ascii(text, at, c))
        })
}

/// Whether these bytes may begin an invisible character: most letters do not, and need not be decoded.
fn may_begin_unseen(bytes: &[u8]) -> bool {
    matches!(
        bytes,
        [0..=0x7F, ..]
            | [0xC2, ..=0x9F, ..]
            | [0xCD, 0x8F, ..]
            | [0xD8, 0x9C, ..]
            | [0xE1, 0x85 | 0x9E | 0xA0, ..]
            | [0xE2, 0x80 | 0x81, ..]
            | [0xE3, 0x85, ..]
            | [0xEF, 0xB8 | 0xBB | 0xBE | 0xBF, ..]
            | [0xF0 | 0xF3, ..]
    )
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
        joined(text).text_and_joints(text).0
    }

    #[test]
    fn words_of_very_many_stretches_are_left_out() {
        let word = |stretches: usize| format!("{}a.com", "a\u{200e}".repeat(stretches - 1));
        let (some, many) = (word(STRETCHES), word(STRETCHES + 1));
        let read = joined(&some);
        assert!(read.stretches() > STRETCHES && !read.cut);
        let read = joined(&many);
        assert!(read.is_empty() && read.cut);
    }

    #[test]
    fn words_are_read_without_invisible_characters() {
        for unseen in [
            '\u{200e}', '\u{202e}', '\u{61c}', '\u{2066}', '\u{e0061}', '\u{1}', '\u{7f}', '\u{85}',
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
    fn every_invisible_character_is_found() {
        let mut buffer = [0; 4];
        for c in ('\0'..=char::MAX).filter(|c| is_unseen(*c)) {
            let bytes = c.encode_utf8(&mut buffer).as_bytes();
            assert!(may_begin_unseen(bytes) && is_first_of_unseen(bytes[0], 0), "{c:?}");
        }
    }

    #[test]
    fn an_invisible_character_is_found_at_every_offset() {
        // Two bytes before it: its own bytes begin in one block and end in the next.
        for before in [0, 1, BLOCK - 4, BLOCK - 3, BLOCK - 2, BLOCK, 3 * BLOCK - 3] {
            let text = format!("{} a\u{200e}b.c", "x".repeat(before));
            assert_eq!(words(&text), "ab.c", "{before}");
        }
    }

    #[test]
    fn nul_ends_a_word() {
        assert_eq!(words("a\u{1}b\0.com"), "");
    }

    #[test]
    fn binary_data_are_no_words() {
        assert_eq!(words("a\u{1}b\u{2}c\u{3}.com"), "");
        assert_eq!(words("a\u{1}b\u{2}c\u{1}.com"), "abc.com");
    }

    #[test]
    fn joints_are_known() {
        let text = "a.b\u{200e}c\u{200e}\u{200e}d e f\u{200e}.g";
        assert_eq!(words(text), "a.bcd f.g");
        assert_eq!(joined(text).text_and_joints(text).1, [3, 4, 7]);
    }

    #[test]
    fn many_joiners_are_left_out() {
        for joiners in ["\u{200d}", "\u{200c}", "\u{200d}\u{200b}"] {
            let word = |count| words(&format!("x ä{}b.com", joiners.repeat(count)));
            assert_eq!(word(1), "");
            assert_eq!(word(JOINERS + 1).replace('\u{200b}', ""), "äb.com");
        }
    }

    #[test]
    fn joiners_in_ascii_are_left_out() {
        for text in [
            "pay\u{200c}pal.com",
            "paypal\u{200d}.com",
            "p\u{200c}a\u{200c}y\u{200c}p\u{200d}al.\u{200c}c\u{200c}om",
            "pay\u{200c}\u{200d}pal.com",
        ] {
            assert_eq!(words(text), "paypal.com", "{text:?}");
        }
        assert_eq!(words("می\u{200c}خواهم.com"), "");
    }

    #[test]
    fn characters_that_mapping_removes_do_not_matter() {
        for text in [
            "pay\u{ad}pal.com",
            "pay\u{200b}pal.com",
            "ä\u{200d}b.com",
            "ä\u{200d}\u{200d}ö.com",
            "it\u{2019}s.so",
            "plain.com",
        ] {
            assert_eq!(words(text), "", "{text:?}");
        }
    }
}
