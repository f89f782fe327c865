//! Stretches of a text that are the same in every charset that keeps ASCII, together with all that bears on their
//! links: a later reading of the same bytes finds nothing new in them.

use std::ops::Range;

use super::data::BLOCK;

/// Blocks on either side of what is not plain that are read again: what decides about a link is in its line or within
/// a block of it ([`super::Data`]).
const MARGIN: usize = 3;

/// The stretches of whole lines that are plain, in order.
pub fn plain_stretches(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let blocks = bytes.len().div_ceil(BLOCK);
    let mut found = Vec::new();
    let mut start = 0;
    for block in 0..=blocks {
        if block < blocks && is_plain(bytes, block * BLOCK) {
            continue;
        }
        let from = if start == 0 { 0 } else { (start + MARGIN) * BLOCK };
        let to = match block == blocks {
            true => bytes.len(),
            false => block.saturating_sub(MARGIN) * BLOCK,
        };
        found.extend(whole_lines(bytes, from..to));
        start = block + 1;
    }
    found
}

/// The lines of a stretch of whole lines that touch none of these ranges, which are in order of their start.
pub fn lines_without(
    text: &str,
    stretch: &Range<usize>,
    holes: &[Range<usize>],
) -> Vec<Range<usize>> {
    let bytes = text.as_bytes().get(..stretch.end).unwrap_or_default();
    let mut at = stretch.start;
    let mut found = Vec::new();
    for hole in holes.iter().filter(|hole| hole.start < stretch.end && stretch.start < hole.end) {
        let before = bytes.get(at..hole.start).and_then(|before| memchr::memrchr(b'\n', before));
        found.extend(before.map(|feed| at..at + feed + 1));
        let after = bytes.get(hole.end..).and_then(|after| memchr::memchr(b'\n', after));
        at = at.max(after.map_or(stretch.end, |feed| hole.end + feed + 1));
    }
    found.extend((at < stretch.end).then_some(at..stretch.end));
    found
}

/// The whole lines of a range. A text begins and ends a line.
fn whole_lines(bytes: &[u8], range: Range<usize>) -> Option<Range<usize>> {
    let inside = bytes.get(range.clone()).filter(|inside| !inside.is_empty())?;
    let first = match range.start {
        0 => 0,
        _ => memchr::memchr(b'\n', inside)? + 1,
    };
    let last = match range.end == bytes.len() {
        true => inside.len(),
        false => memchr::memrchr(b'\n', inside)? + 1,
    };
    (first < last).then(|| range.start + first..range.start + last)
}

/// Whether the block at this offset holds ASCII text and no A-label, escaped or not: a host with such a label, or with
/// other letters, is judged by the charset of the reading.
fn is_plain(bytes: &[u8], start: usize) -> bool {
    let end = bytes.len().min(start + BLOCK);
    let block = bytes.get(start..end).unwrap_or_default();
    let text = |byte: u8| matches!(byte, b' '..=b'~' | b'\t' | b'\r' | b'\n');
    let byte = |at: usize| bytes.get(at).copied().unwrap_or_default();
    let may_be_coded = |at: usize| match (byte(at), byte(at + 1)) {
        (b'-', b'-') => at.checked_sub(1).is_some_and(|n| matches!(byte(n) | 0x20, b'n' | b'e')),
        (b'%', b'2') => byte(at + 2) | 0x20 == b'd',
        (b'%', high) => high.is_ascii_hexdigit() && !matches!(high, b'3'..=b'7'),
        _ => false,
    };
    block.iter().fold(true, |all, byte| all & text(*byte))
        && !memchr::memchr2_iter(b'-', b'%', block).any(|at| may_be_coded(start + at))
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init)] // ranges are what is compared
mod tests {
    use super::*;

    #[test]
    fn all_of_a_plain_text_is_one_stretch() {
        for text in ["a", "http://example.com/?a=%20\r\n-- \r\nx 5%, a--b\r\n", "see\n"] {
            assert_eq!(plain_stretches(text), [0..text.len()], "{text:?}");
            let long = text.repeat(1_000);
            assert_eq!(plain_stretches(&long), [0..long.len()], "{text:?}");
        }
        assert_eq!(plain_stretches(""), []);
    }

    #[test]
    fn what_is_not_plain_is_left_out_with_its_surroundings() {
        let lines = "a line of text\r\n".repeat(1_000);
        for odd in [
            "\u{e9}", "\u{1b}", "\0", "xn--a.com", "XN--a.com", "%C3", "x%6E--a", "xn%2D-a",
            "xn-%2da",
        ] {
            let text = format!("{lines}{odd}\r\n{lines}");
            let stretches = plain_stretches(&text);
            let [before, after] = stretches.as_slice() else { panic!("{odd:?} {stretches:?}") };
            assert_eq!((before.start, after.end), (0, text.len()));
            assert!(before.end + 2 * BLOCK < lines.len() && lines.len() + 2 * BLOCK < after.start);
            assert!(text[..before.end].ends_with('\n') && text[..after.start].ends_with('\n'));
            assert_eq!(plain_stretches(odd), [], "{odd:?}");
        }
    }

    #[test]
    fn lines_around_holes() {
        let text = "one\ntwo\nthree\nfour";
        let lines = |holes: &[Range<usize>]| -> Vec<&str> {
            let found = lines_without(text, &(4..text.len()), holes);
            found.into_iter().map(|lines| &text[lines]).collect()
        };
        assert_eq!(lines(&[]), ["two\nthree\nfour"]);
        assert_eq!(lines(&[0..2]), ["two\nthree\nfour"]);
        assert_eq!(lines(&[9..10]), ["two\n", "four"]);
        assert_eq!(lines(&[8..9, 9..13, 11..12]), ["two\n", "four"]);
        assert_eq!(lines(&[4..5, 15..16]), ["three\n"]);
        assert_eq!(lines(&[5..9]), ["four"]);
        assert_eq!(lines(&[0..30]), [""; 0]);
    }

    #[test]
    fn a_line_is_left_out_as_a_whole() {
        let text = format!("{}\u{e9}\n{}", "a".repeat(9_000), "b".repeat(9_000));
        assert_eq!(plain_stretches(&text), []);
    }
}
