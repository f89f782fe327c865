//! Quoted-printable (RFC 2045 §6.7), as lenient as mail clients.
//!
//! Decoding: escapes in either case; `=` at a line's end (CRLF, LF or CR) is a soft break even with white space
//! after it; an `=` before anything else is literal; white space at the end of a line is dropped.

use std::ops::ControlFlow;

use super::ends::Ends;
use super::{Decoded, LineEnd, Lines};
use crate::byte_search::{each, equal, first};
use crate::edit::RawEdit;
use crate::mime::header::line_after;
use crate::span::{PieceKind, Track};

/// Most characters of a line that is written, including its soft break (RFC 2045 §6.7 rule 5).
const LINE: usize = 76;

/// When soft breaks are removed: programs differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mime) enum Breaks {
    /// In order, together with escapes.
    InPlace,
    /// Before escapes are decoded: an escape may contain a break (mailparser, postal-mime, emailjs).
    First,
    /// In order; other line ends are changed from CRLF to LF, or from LF to CRLF.
    Swapped,
    /// In order; behind a lone CR all up to the next LF belongs to the break (Python).
    ToFeed,
}

/// What makes the variants of [`Breaks`] differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::mime) struct OddBreaks {
    /// A soft break inside an escape.
    pub in_escape: bool,
    /// A soft break at a lone CR.
    pub at_carriage: bool,
}

/// Looks for soft breaks that programs do not read alike.
pub(in crate::mime) fn odd_breaks(raw: &[u8]) -> OddBreaks {
    let mut odd = OddBreaks::default();
    // Before the first break of a broken escape is its `=`, or that and one digit.
    let begins_break = |byte, next| (byte == b'=') & ((next <= b' ') | (next == 127));
    let _ = each(raw, begins_break, |at| {
        let before = [at.checked_sub(1), at.checked_sub(2)].into_iter().flatten();
        let is_sign = |at: &usize| raw.get(*at) == Some(&b'=');
        let mut signs = before.filter(is_sign);
        odd.in_escape = odd.in_escape || signs.any(|sign| broken_escape(raw, sign).is_some());
        odd.at_carriage |= raw.get(at + 1..).is_some_and(is_lone_carriage);
        match odd.in_escape && odd.at_carriage {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    });
    odd
}

/// Whether a CR stands at the start, and no LF behind it.
fn is_lone_carriage(rest: &[u8]) -> bool {
    matches!(rest, [b'\r', next, ..] if *next != b'\n')
}

/// The byte of an escape at `at` that contains soft breaks, and its length with them.
fn broken_escape(raw: &[u8], at: usize) -> Option<(u8, usize)> {
    let after_break = |at: usize| {
        let rest = raw.get(at..).and_then(|rest| rest.strip_prefix(b"="))?;
        soft_break(rest).map(|skipped| at + 1 + skipped)
    };
    let mut end = at + 1;
    let mut byte = 0;
    let mut broken = false;
    for _ in 0..2 {
        while let Some(next) = after_break(end) {
            end = next;
            broken = true;
        }
        let digit = hex(*raw.get(end)?);
        if digit > 15 {
            return None;
        }
        byte = byte << 4 | digit;
        end += 1;
    }
    broken.then_some((byte, end - at))
}

/// Whether a line may decode to one of two bytes. Also `true` if it has an `=` without two digits.
pub(in crate::mime) fn may_say(raw: &[u8], signs: [u8; 2]) -> bool {
    let [first, second] = signs;
    let may_be_sign = |at: usize| match raw.get(at..) {
        Some([b'=', high, low, ..]) => {
            let (high, low) = (hex(*high), hex(*low));
            (high | low) > 15 || signs.contains(&(high << 4 | low))
        }
        _ => true,
    };
    memchr::memchr3_iter(b'=', first, second, raw).any(may_be_sign)
}

/// Decodes with a map.
pub(in crate::mime) fn decode(raw: &[u8], breaks: Breaks) -> Decoded<'static> {
    Decoded::with_map(raw, |map| unwrap(raw, breaks, map))
}

/// Decodes.
pub(in crate::mime) fn unwrap(raw: &[u8], breaks: Breaks, map: &mut impl Track) -> Vec<u8> {
    let ends = if breaks == Breaks::Swapped { Ends::swapped(raw) } else { Ends::Kept };
    let mut bytes = Vec::with_capacity(raw.len() + SHORT);
    let mut at = 0;
    while let Some(rest) = raw.get(at..)
        && !rest.is_empty()
    {
        let stop = sign(rest).map_or(raw.len(), |found| at + found);
        let carriage = copy(raw, at, stop, &mut bytes, map);
        at = match raw.get(stop) {
            Some(b'=') => escape(raw, stop, breaks, &mut bytes, map),
            Some(_) => {
                ends.write(stop, carriage, &mut bytes, map);
                stop + 1
            }
            None => stop,
        };
    }
    bytes
}

/// Bytes that are looked at before a search is faster.
const NEAR: usize = 16;

/// Offset of the next sign of an escape or line end.
fn sign(rest: &[u8]) -> Option<usize> {
    let (near, far) = rest.split_at(rest.len().min(NEAR));
    let far = || memchr::memchr2(b'=', b'\n', far).map(|at| near.len() + at);
    first(near, |word| equal(word, b'=') | equal(word, b'\n')).or_else(far)
}

/// Copies the literal bytes of `from..to`, without white space before a line end (rule 3).
/// The line end's own bytes are mapped with them, so that consecutive plain lines are one piece. Returns whether
/// the line end has a CR, which is not copied.
fn copy(raw: &[u8], from: usize, to: usize, bytes: &mut Vec<u8>, map: &mut impl Track) -> bool {
    let literal = raw.get(from..to).unwrap_or_default();
    if raw.get(to) != Some(&b'\n') {
        if !literal.is_empty() {
            map.push(bytes.len(), from, PieceKind::Linear);
            append(bytes, raw, from, literal);
        }
        return false;
    }
    let (line, carriage) = match literal.strip_suffix(b"\r") {
        Some(line) => (line, 1),
        None => (literal, 0),
    };
    let kept = line.len() - line.iter().rev().take_while(|b| matches!(b, b' ' | b'\t')).count();
    map.push(bytes.len(), from, PieceKind::Linear);
    bytes.extend_from_slice(line.get(..kept).unwrap_or_default());
    if kept < line.len() {
        map.push(bytes.len(), to - carriage, PieceKind::Linear);
    }
    carriage == 1
}

/// Bytes up to which so many are copied at once, and those that were too many removed.
const SHORT: usize = 8;

/// Appends the literal bytes from an offset on. Between escapes they are few.
fn append(bytes: &mut Vec<u8>, raw: &[u8], from: usize, literal: &[u8]) {
    match raw.get(from..).and_then(|rest| rest.first_chunk::<SHORT>()) {
        Some(several) if literal.len() <= SHORT => {
            let end = bytes.len() + literal.len();
            bytes.extend_from_slice(several);
            bytes.truncate(end);
        }
        _ => bytes.extend_from_slice(literal),
    }
}

/// Decodes from the `=` at `at`: consecutive escapes, a soft break, or a literal `=`. Returns the offset after it.
fn escape(
    raw: &[u8],
    at: usize,
    breaks: Breaks,
    bytes: &mut Vec<u8>,
    map: &mut impl Track,
) -> usize {
    let rest = raw.get(at + 1..).unwrap_or_default();
    // Most soft breaks.
    match rest {
        [b'\r', b'\n', next, ..] if *next != b'\r' => return at + 3,
        [b'\n', next, ..] if *next != b'\r' => return at + 2,
        _ => {}
    }
    let (units, _) = raw.get(at..).unwrap_or_default().as_chunks::<3>();
    let before = bytes.len();
    for [sign, high, low] in units {
        let (high, low) = (hex(*high), hex(*low));
        if *sign != b'=' || (high | low) > 15 {
            break;
        }
        bytes.push(high << 4 | low);
    }
    let escapes = bytes.len() - before;
    if escapes > 0 {
        map.push(before, at, PieceKind::Units { text: 1, source: 3 });
        return at + 3 * escapes;
    }
    if breaks == Breaks::ToFeed && is_lone_carriage(rest) {
        return line_after(raw, at);
    }
    if let Some(skipped) = soft_break(rest) {
        return at + 1 + skipped;
    }
    if breaks == Breaks::First
        && let Some((byte, length)) = broken_escape(raw, at)
    {
        map.push(bytes.len(), at, PieceKind::Atomic);
        bytes.push(byte);
        map.push(bytes.len(), at + length, PieceKind::Atomic);
        return at + length;
    }
    map.push(bytes.len(), at, PieceKind::Linear);
    bytes.push(b'=');
    at + 1
}

/// Length of a soft break after its `=`: white space and control characters, then a line end or the end of the
/// part.
pub fn soft_break(rest: &[u8]) -> Option<usize> {
    let space = rest.iter().take_while(|b| matches!(b, 0..=9 | 11..=32 | 127)).count();
    let carriage = rest.iter().take(space).position(|b| *b == b'\r');
    match (rest.get(space), carriage) {
        // Some take LF CR for a line end; to others the extra CR is invisible.
        (Some(b'\n'), _) => {
            let reversed =
                matches!(rest.get(space + 1..), Some([b'\r', next, ..]) if *next != b'\n');
            Some(space + 1 + usize::from(reversed))
        }
        (_, Some(carriage)) => Some(carriage + 1),
        (None, None) => Some(space),
        _ => None,
    }
}

/// Value of each hexadecimal digit, in either case; 16 for other bytes.
const HEX: [u8; 256] = digits();

const fn digits() -> [u8; 256] {
    let mut table = [16; 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
        if let Some(digit) = char::to_digit(byte as u8 as char, 16) {
            table[byte] = digit as u8;
        }
        byte += 1;
    }
    table
}

fn hex(byte: u8) -> u8 {
    HEX.get(usize::from(byte)).copied().unwrap_or(16)
}

/// Lowers edits of the decoded bytes. New soft breaks are only in and around the replacements.
pub(in crate::mime) fn lower(
    raw: &[u8],
    edits: &[RawEdit],
    line_end: LineEnd,
    breaks: Breaks,
) -> Vec<RawEdit> {
    let decoded = decode(raw, breaks);
    let mut lines = Lines::of(raw);
    let mut lowered: Vec<RawEdit> = Vec::with_capacity(edits.len());
    // The end of the last replacement in the raw bytes, and the column after it.
    let mut after = (0, 0);
    let mut ranges = edits.iter().map(|edit| decoded.source(edit.range.clone())).peekable();
    for (index, edit) in edits.iter().enumerate() {
        let Some(range) = ranges.next() else { break };
        let line_start = lines.at(range.start).start;
        let start_column = match line_start <= after.0 && index > 0 {
            true => after.1 + (range.start - after.0),
            false => range.start - line_start,
        };
        let line_stop = lines.at(range.end).end;
        // The replacement of a further edit on the line may begin with a break: leave space for its `=`.
        let tail = match ranges.peek() {
            Some(next) if next.start <= line_stop => next.start - range.end + 1,
            _ => line_stop - range.end,
        };
        let out = Vec::with_capacity(edit.replacement.len());
        let mut writer = QpWriter { out, column: start_column, line_end };
        writer.token(&edit.replacement, tail);
        let rest = raw.get(range.end..line_stop).unwrap_or_default();
        let at_line_end = rest.iter().all(|b| matches!(b, b' ' | b'\t'));
        writer.close(tail, is_space_before(raw, range.start), at_line_end);
        after = (range.end, writer.column);
        writer.out.shrink_to_fit();
        lowered.push(RawEdit { range, replacement: writer.out.into() });
    }
    lowered
}

/// Whether the byte before `at` is white space, which would be dropped before a line end.
fn is_space_before(raw: &[u8], at: usize) -> bool {
    at.checked_sub(1).and_then(|at| raw.get(at)).is_some_and(|b| matches!(b, b' ' | b'\t'))
}

/// Encodes a whole body, for a part whose encoding is changed to quoted-printable.
pub(in crate::mime) fn encode(bytes: &[u8], line_end: LineEnd) -> Vec<u8> {
    // Three characters for an escape, and three for a soft break per line of what comes out: a body of one line takes as
    // much memory again if that is too little.
    let escaped = bytes.iter().filter(|byte| !matches!(byte, b' '..=b'~')).count();
    let encoded = bytes.len() + 2 * escaped;
    let capacity = encoded + encoded / 16;
    let mut writer = QpWriter { out: Vec::with_capacity(capacity), column: 0, line_end };
    let mut rest = bytes;
    while !rest.is_empty() {
        let feed = memchr::memchr(b'\n', rest);
        let (line, after) = rest.split_at(feed.map_or(rest.len(), |feed| feed + 1));
        let content =
            line.strip_suffix(b"\n").map_or(line, |line| line.strip_suffix(b"\r").unwrap_or(line));
        writer.token(content, 0);
        writer.close(0, false, true);
        if feed.is_some() {
            writer.out.extend_from_slice(line.get(content.len()..).unwrap_or_default());
            writer.column = 0;
        }
        rest = after;
    }
    writer.out
}

struct QpWriter {
    out: Vec<u8>,
    column: usize,
    line_end: LineEnd,
}

impl QpWriter {
    /// Writes the replacement; breaks the line before it if it fits only on a line of its own.
    fn token(&mut self, bytes: &[u8], tail: usize) {
        if self.column > 0 {
            let size: usize = bytes.iter().map(|b| if literal(*b) { 1 } else { 3 }).sum();
            let fits_here = self.column + size + tail <= LINE;
            if !fits_here && self.column + size >= LINE && size < LINE {
                self.soft_break();
            }
        }
        let mut index = 0;
        while let Some(byte) = bytes.get(index) {
            // `--` at the start of a line could be taken for a boundary.
            let dash = *byte == b'-' && self.column == 0 && index == 0;
            let width = if literal(*byte) && !dash { 1 } else { 3 };
            if self.column + width >= LINE {
                let last = index + 1 == bytes.len() && tail == 0 && self.column + width == LINE;
                if !last {
                    self.soft_break();
                }
            }
            if width > 1 {
                self.out.extend_from_slice(&escaped(*byte));
                self.column += width;
                index += 1;
                continue;
            }
            // With it, the bytes after it that stay as they are, up to the last column.
            let rest = bytes.get(index..).unwrap_or_default();
            let most = (LINE - 1).saturating_sub(self.column).max(1);
            let rest = rest.get(..most).unwrap_or(rest);
            let run = literals(rest);
            self.out.extend_from_slice(rest.get(..run).unwrap_or_default());
            self.column += run;
            index += run;
        }
    }

    /// Finishes a replacement: the rest of the line must fit, and a line must not end with white space.
    fn close(&mut self, tail: usize, space_before: bool, at_line_end: bool) {
        if at_line_end {
            match self.out.last() {
                Some(b' ' | b'\t') => {
                    let space = self.out.pop().unwrap_or(b' ');
                    self.column -= 1;
                    if self.column + 3 > LINE {
                        self.soft_break();
                    }
                    self.out.extend_from_slice(&escaped(space));
                    self.column += 3;
                }
                None if space_before => self.soft_break(),
                _ => {}
            }
        } else if self.column > 0 && self.column + tail > LINE {
            self.soft_break();
        }
    }

    fn soft_break(&mut self) {
        self.out.push(b'=');
        self.out.extend_from_slice(self.line_end.as_bytes());
        self.column = 0;
    }
}

/// Whether the byte is written literally (RFC 2045 §6.7 rules 2 and 3). No short circuits, so that many are tested
/// together.
fn literal(byte: u8) -> bool {
    ((byte == b'\t') | matches!(byte, b' '..=b'~')) & (byte != b'=')
}

/// The number of bytes at the start that are written literally. Mostly these are all.
fn literals(bytes: &[u8]) -> usize {
    match bytes.iter().fold(true, |all, byte| all & literal(*byte)) {
        true => bytes.len(),
        false => bytes.iter().take_while(|byte| literal(**byte)).count(),
    }
}

fn escaped(byte: u8) -> [u8; 3] {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let digit = |value: u8| DIGITS.get(usize::from(value & 15)).copied().unwrap_or(b'0');
    [b'=', digit(byte >> 4), digit(byte)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(raw: &str) -> String {
        String::from_utf8_lossy(&decode(raw.as_bytes(), Breaks::InPlace).bytes).into_owned()
    }

    /// Replaces `from` by `to` in the decoded text; the new raw bytes.
    fn replace(raw: &str, from: &str, to: &str) -> String {
        let decoded = decode(raw.as_bytes(), Breaks::InPlace);
        let at = memchr::memmem::find(&decoded.bytes, from.as_bytes()).unwrap();
        let edit =
            RawEdit { range: at..at + from.len(), replacement: to.as_bytes().to_vec().into() };
        let mut out = raw.as_bytes().to_vec();
        let end = LineEnd::of(raw.as_bytes());
        for edit in lower(raw.as_bytes(), &[edit], end, Breaks::InPlace).iter().rev() {
            out.splice(edit.range.clone(), edit.replacement.iter().copied());
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn reads_what_clients_read() {
        assert_eq!(text("a=3db=3Dc"), "a=b=c", "either case");
        assert_eq!(text("so=\r\nft=\nbreaks= \t\r\n end="), "softbreaks end");
        assert_eq!(text("1=2 =ZZ =4"), "1=2 =ZZ =4", "junk stands for itself");
        assert_eq!(text("trailing \t\r\nnext \n"), "trailing\r\nnext\n");
        assert_eq!(text("kept=20\r\n"), "kept \r\n");
        assert_eq!(text("last "), "last ", "no line end, no end of line");
    }

    #[test]
    fn a_soft_break_ends_with_its_line_end() {
        let cases = [
            ("\ny", Some(1)),
            ("\r\ny", Some(2)),
            (" \t\r\n\ny", Some(4)),
            // LF CR, and LF in front of CR LF.
            ("\n\ry", Some(2)),
            ("\n\r\ny", Some(1)),
            ("\n\r", Some(1)),
            ("\ry", Some(1)),
            (" \0 ", Some(3)),
            ("", Some(0)),
            (" y", None),
        ];
        for (rest, skipped) in cases {
            assert_eq!(soft_break(rest.as_bytes()), skipped, "{rest:?}");
        }
    }

    #[test]
    fn lines_may_be_joined_before_escapes_are_read() {
        for raw in ["x=D0==\r\nB0y", "x=D=\r\n0=B=\n0y", "x==\r\n=\r\nD0=B0y"] {
            assert!(odd_breaks(raw.as_bytes()).in_escape, "{raw}");
            let decoded = decode(raw.as_bytes(), Breaks::First);
            assert_eq!(String::from_utf8_lossy(&decoded.bytes), "xаy", "{raw}");
            assert_eq!(decoded.source(1..3), 1..raw.len() - 1, "{raw}");
        }
        for raw in ["x=D0=\r\n=B0y", "x=\r\nD0", "a==3D", "=D", "=D=\r\nx", "=="] {
            assert!(!odd_breaks(raw.as_bytes()).in_escape, "{raw}");
        }
    }

    #[test]
    fn a_lone_carriage_return_breaks_a_line_or_all_up_to_its_end() {
        for raw in ["x=\rjunk\ny", "x=\rju=6Ek\r\ny", "x==\r\r\ny", "xy=\rjunk"] {
            let expected = OddBreaks { in_escape: false, at_carriage: true };
            assert_eq!(odd_breaks(raw.as_bytes()), expected, "{raw}");
        }
        for raw in ["x=\r\ny", "x=\ny", "x=\r", "x= \ry", "x\ry", "=3D\ry"] {
            assert_eq!(odd_breaks(raw.as_bytes()), OddBreaks::default(), "{raw:?}");
        }
        let decoded = decode(b"x=\rju=6Ek\r\ny", Breaks::ToFeed);
        assert_eq!(*decoded.bytes, *b"xy");
        assert_eq!(decoded.source(0..2), 0..12);
        assert_eq!(text("x=\rju=6Ek\r\ny"), "xjunk\r\ny");
    }

    #[test]
    fn a_token_cut_by_a_soft_break_is_replaced_whole() {
        assert_eq!(
            replace("see http://ex=\r\nample.com/ now\r\n", "http://example.com/", "hxxp"),
            "see hxxp now\r\n"
        );
    }

    #[test]
    fn lines_stay_within_76() {
        let line = format!("{} http://a.example/ {}\r\nnext\r\n", "x".repeat(20), "y".repeat(30));
        let long = "hxxp://xn--abcdefghijklmnop[.]example/".repeat(3);
        let new = replace(&line, "http://a.example/", &long);
        assert!(new.lines().all(|line| line.len() <= 76), "{new}");
        assert_eq!(text(&new), line.replace("http://a.example/", &long));
    }

    #[test]
    fn a_line_of_exactly_76_is_kept() {
        let line = format!("{}ab\r\n", "x".repeat(74));
        assert_eq!(replace(&line, "ab", "cd"), format!("{}cd\r\n", "x".repeat(74)));
    }

    #[test]
    fn white_space_before_a_line_end_survives() {
        assert_eq!(text(&replace("a b\r\n", "b", "")), "a \r\n");
        assert_eq!(text(&replace("a b\r\n", "b", "c ")), "a c \r\n");
    }

    #[test]
    fn equals_signs_are_escaped() {
        assert_eq!(replace("q\n", "q", "a=b"), "a=3Db\n");
    }
}
