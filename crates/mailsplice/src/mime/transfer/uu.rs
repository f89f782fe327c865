//! Uuencode, as a transfer encoding and as blocks inside text, which many clients show as attachments.

use std::ops::{ControlFlow, Range};

use super::{Decoded, LineEnd, Transfer};
use crate::byte_search::each;
use crate::edit::RawEdit;
use crate::span::{PieceKind, Track};

/// Most bytes of a line: all encoders write as many.
const LINE: usize = 45;

/// Which lines are read as data: programs differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mime) enum Data {
    /// Also those with fewer characters than their length byte says; excess characters are ignored (Python, Ruby).
    ByLength,
    /// Only those with as many characters as their length byte says, and without lower-case letters (MIME::Tools).
    Whole,
}

/// Whether the variants of [`Data`] differ on some line.
pub(in crate::mime) fn has_odd_lines(raw: &[u8]) -> bool {
    data_lines(raw, Data::ByLength).any(|(_, line)| !is_whole(line))
}

/// A block inside a text.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::mime) struct Block<'a> {
    /// From the `begin` line to the end of the `end` line.
    pub range: Range<usize>,
    /// The file name of the `begin` line.
    pub name: &'a [u8],
}

/// Whether the decoded bytes may contain a block: a cheap test, so that not every text is decoded twice.
pub(in crate::mime) fn may_hold_blocks(raw: &[u8], transfer: Transfer) -> bool {
    match transfer {
        Transfer::Identity | Transfer::IdentitySwapped => true,
        Transfer::Uuencode | Transfer::UuencodeWhole => false,
        Transfer::Base64
        | Transfer::Base64Quanta
        | Transfer::Base64Skipping
        | Transfer::Base64Unpadded => !raw.is_empty(),
        Transfer::QuotedPrintable
        | Transfer::QuotedPrintableJoined
        | Transfer::QuotedPrintableSwapped
        | Transfer::QuotedPrintableCut => {
            let begin = |at: usize| {
                raw.get(at..at + 5).is_some_and(|word| word.eq_ignore_ascii_case(b"begin"))
            };
            memchr::memchr2_iter(b'b', b'B', raw).any(begin)
                || memchr::memchr_iter(b'=', raw).any(|at| match raw.get(at + 1..at + 3) {
                    // An escaped letter of `begin`, a wide one, or a soft break inside the word.
                    Some([b'4' | b'6', b'2' | b'5' | b'7' | b'9' | b'e' | b'E'] | b"00") => true,
                    Some([b'\r' | b'\n' | b' ' | b'\t', _]) => {
                        let before = raw.get(at.saturating_sub(4)..at).unwrap_or_default();
                        (1..=4).any(|cut| {
                            let start = before.len().saturating_sub(cut);
                            let before = before.get(start..).unwrap_or_default();
                            before.eq_ignore_ascii_case(
                                "begi".as_bytes().get(..cut).unwrap_or_default(),
                            )
                        })
                    }
                    _ => false,
                })
        }
    }
}

/// The blocks of a text, in order.
pub(in crate::mime) fn blocks(text: &[u8]) -> Vec<Block<'_>> {
    let mut found = Vec::new();
    let mut ends = EndLines { next: 0 };
    let mut at = 0;
    while let Some(begin) = next_begin(text, at) {
        let (line, mut next) = line_at(text, begin);
        let Some(name) = begin_name(line) else {
            at = next;
            continue;
        };
        let mut lines = 0_usize;
        loop {
            let (line, after) = line_at(text, next);
            if next >= text.len() {
                break;
            }
            if line == b"end" {
                next = after;
                break;
            }
            if is_data(line) {
                lines += 1;
            } else if !ends.follows(text, next) {
                break;
            }
            next = after;
        }
        if lines > 0 {
            found.push(Block { range: begin..next, name });
        }
        at = next;
    }
    found
}

/// Finds the `end` lines of blocks, each only once. If one follows, lines before it that are not data are skipped.
struct EndLines {
    next: usize,
}

impl EndLines {
    /// Whether an `end` line follows the line at `at`.
    fn follows(&mut self, text: &[u8], at: usize) -> bool {
        if self.next <= at {
            let rest = text.get(at..).unwrap_or_default();
            let end = memchr::memmem::find_iter(rest, b"end").find(|word| {
                let before = word.checked_sub(1).and_then(|before| rest.get(before));
                matches!(before, Some(b'\n' | b'\r')) && line_at(rest, *word).0 == b"end"
            });
            self.next = end.map_or(usize::MAX, |word| at + word);
        }
        self.next < text.len()
    }
}

/// The data lines of the blocks of a text that every program takes for such, those in a row as one range.
pub fn encoded_lines(text: &[u8]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for Block { range: block, .. } in blocks(text) {
        let lines = data_lines(text.get(block.clone()).unwrap_or_default(), Data::Whole);
        for (line, _) in lines.filter(|(_, line)| line.iter().all(is_data_byte)) {
            let line = block.start + line.start..block.start + line.end;
            match found.last_mut().filter(|before| before.end + b"\r\n".len() >= line.start) {
                Some(before) => before.end = line.end,
                None => found.push(line),
            }
        }
    }
    found
}

/// Decodes with a map.
pub(in crate::mime) fn decode(raw: &[u8], data: Data) -> Decoded<'static> {
    Decoded::with_map(raw, |map| unwrap(raw, data, map))
}

/// Decodes every data line, and skips other lines.
pub(in crate::mime) fn unwrap(raw: &[u8], data: Data, map: &mut impl Track) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(raw.len() / 4 * 3);
    for (range, line) in data_lines(raw, data) {
        map.push(bytes.len(), range.start, PieceKind::Atomic);
        decode_line(line, &mut bytes);
        map.push(bytes.len(), range.end, PieceKind::Atomic);
    }
    bytes
}

/// Lowers edits of the decoded bytes: the lines that they touch are encoded again.
pub(in crate::mime) fn lower(
    raw: &[u8],
    edits: &[RawEdit],
    line_end: LineEnd,
    data: Data,
) -> Vec<RawEdit> {
    let mut lowered = Vec::new();
    let mut edits = edits.iter().peekable();
    let mut lines = data_lines(raw, data).peekable();
    let mut offset = 0;
    while let Some((range, line)) = lines.next() {
        let mut old = Vec::new();
        decode_line(line, &mut old);
        let start = offset;
        let mut last = range;
        let mut new = Vec::new();
        let mut at = start;
        let mut touched = false;
        loop {
            let end = start + old.len();
            let is_last = lines.peek().is_none();
            let Some(edit) = edits
                .next_if(|edit| edit.range.start < end || (is_last && edit.range.start == end))
            else {
                break;
            };
            touched = true;
            new.extend_from_slice(
                old.get(at - start..edit.range.start - start).unwrap_or_default(),
            );
            new.extend_from_slice(&edit.replacement);
            at = edit.range.end;
            while at > start + old.len()
                && let Some((range, line)) = lines.next()
            {
                decode_line(line, &mut old);
                last.end = range.end;
            }
        }
        offset = start + old.len();
        if touched {
            new.extend_from_slice(old.get(at - start..).unwrap_or_default());
            lowered.push(RawEdit { range: last, replacement: encode(&new, line_end).into() });
        }
    }
    lowered
}

/// The data lines between `begin` (if there is one) and `end`, without their line ends.
fn data_lines(raw: &[u8], data: Data) -> impl Iterator<Item = (Range<usize>, &[u8])> {
    let mut at = match next_begin(raw, 0) {
        Some(begin) => line_at(raw, begin).1,
        None => 0,
    };
    std::iter::from_fn(move || {
        while at < raw.len() {
            let start = at;
            let (line, next) = line_at(raw, at);
            at = next;
            if line == b"end" {
                at = raw.len();
                return None;
            }
            let counts = match data {
                Data::ByLength => is_data(line),
                Data::Whole => is_data(line) && is_whole(line),
            };
            if counts && line.first().is_some_and(|length| value(*length) > 0) {
                return Some((start..start + line.len(), line));
            }
        }
        None
    })
}

/// The start of a block, ignoring case.
const BEGIN: &[u8] = b"begin ";

fn starts_with_begin(line: &[u8]) -> bool {
    line.get(..BEGIN.len()).is_some_and(|start| start.eq_ignore_ascii_case(BEGIN))
}

/// Offset of the next line that begins with `begin `; after a lone CR it must be in lower case.
fn next_begin(text: &[u8], from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    let is_line = from == 0 || matches!(text.get(from - 1), Some(b'\n' | b'\r'));
    if is_line && starts_with_begin(rest) {
        return Some(from);
    }
    let mut found = None;
    let ends = |byte, next: u8| ((byte == b'\n') | (byte == b'\r')) & (next | 0x20 == b'b');
    let _ = each(rest, ends, |end| {
        let begins = match rest.get(end..) {
            Some([b'\n', line @ ..]) => starts_with_begin(line),
            Some([_, line @ ..]) => line.starts_with(BEGIN),
            _ => false,
        };
        if !begins {
            return ControlFlow::Continue(());
        }
        found = Some(from + end + 1);
        ControlFlow::Break(())
    });
    found
}

/// The name in `begin 644 name`.
fn begin_name(line: &[u8]) -> Option<&[u8]> {
    let rest = line.get(BEGIN.len()..).filter(|_| starts_with_begin(line))?;
    let digits = rest.iter().take_while(|b| matches!(b, b'0'..=b'7')).count();
    let after = rest.get(digits..)?;
    // Some programs check neither the mode nor the name.
    ((1..=6).contains(&digits) && after.first().is_none_or(u8::is_ascii_whitespace))
        .then_some(after.trim_ascii())
}

/// The line at this offset without its line end (CR, LF or CRLF), and the offset of the next.
fn line_at(text: &[u8], at: usize) -> (&[u8], usize) {
    let rest = text.get(at..).unwrap_or_default();
    let Some(end) = memchr::memchr2(b'\r', b'\n', rest) else { return (rest, text.len()) };
    let pair = rest.get(end..end + 2) == Some(b"\r\n");
    (rest.get(..end).unwrap_or_default(), at + end + 1 + usize::from(pair))
}

/// Whether a line can be data: its length byte, then at least as many bytes of any value, or fewer bytes that are
/// all data characters. Trailing white space may be lost in transport, and excess bytes are ignored by programs
/// that use the length.
fn is_data(line: &[u8]) -> bool {
    let Some((length, data)) = line.split_first() else { return false };
    let need = length_of(*length);
    let all = data.len() >= need || data.iter().all(is_data_byte);
    is_data_byte(length)
        && all
        && (need > 0 || (data.len() <= 2 && data.iter().all(is_data_byte)))
        && data.len() + 4 >= need.min(4)
        && (need == 0 || !data.is_empty())
}

fn is_data_byte(byte: &u8) -> bool {
    (b' '..=b'`').contains(byte)
}

/// Whether a data line has as many characters as its length byte says, except for white space lost at its end.
fn is_whole(line: &[u8]) -> bool {
    let Some((length, data)) = line.split_first() else { return false };
    let need = length_of(*length);
    (need.saturating_sub(3)..=need).contains(&data.len())
        && !line.iter().any(u8::is_ascii_lowercase)
}

/// Number of characters that a length byte requires.
fn length_of(byte: u8) -> usize {
    usize::from(value(byte)).div_ceil(3) * 4
}

fn value(byte: u8) -> u8 {
    byte.wrapping_sub(b' ') & 63
}

fn decode_line(line: &[u8], out: &mut Vec<u8>) {
    let Some((length, data)) = line.split_first() else { return };
    let length = usize::from(value(*length));
    let start = out.len();
    let byte = |unit: &[u8], index: usize| unit.get(index).map_or(0, |b| u32::from(value(*b)));
    for unit in data.chunks(4).take(length.div_ceil(3)) {
        let bits = byte(unit, 0) << 18 | byte(unit, 1) << 12 | byte(unit, 2) << 6 | byte(unit, 3);
        let [_, a, b, c] = bits.to_be_bytes();
        out.extend_from_slice(&[a, b, c]);
    }
    out.truncate(start + length);
}

/// Data lines without the last line end.
fn encode(bytes: &[u8], line_end: LineEnd) -> Vec<u8> {
    let digit = |value: u32| match value & 63 {
        0 => b'`',
        value => b' ' + value as u8,
    };
    let mut out = Vec::with_capacity(bytes.len() * 3 / 2 + 8);
    for (index, line) in bytes.chunks(LINE).enumerate() {
        if index > 0 {
            out.extend_from_slice(line_end.as_bytes());
        }
        out.push(digit(line.len() as u32));
        for unit in line.chunks(3) {
            let byte = |index: usize| unit.get(index).map_or(0, |b| u32::from(*b));
            let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
            out.extend([18, 12, 6, 0].map(|shift| digit(bits >> shift)));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: &str = "hi\nbegin 644 a.html\n#0V%T\n`\nend\nbye\n";

    #[test]
    fn finds_blocks_in_text() {
        let found = blocks(BLOCK.as_bytes());
        assert_eq!(found, [Block { range: 3..32, name: b"a.html" }]);
        assert_eq!(decode(&BLOCK.as_bytes()[3..32], Data::ByLength).bytes.as_ref(), b"Cat");
        assert!(blocks(b"begin 644\nbegin the day\nbegin 99 x\n").is_empty());
    }

    #[test]
    fn touched_lines_are_encoded_anew() {
        let long: Vec<u8> = (0..100).map(|n| b'a' + n % 26).collect();
        let mut raw = b"begin 644 x\n".to_vec();
        raw.extend_from_slice(&encode(&long, LineEnd::Lf));
        raw.extend_from_slice(b"\n`\nend\n");
        assert_eq!(decode(&raw, Data::ByLength).bytes.as_ref(), long);
        let edits = [
            RawEdit { range: 40..50, replacement: b"[.]".as_slice().into() },
            RawEdit { range: 99..100, replacement: vec![b'Z'; 50].into() },
        ];
        let mut out = raw.clone();
        for edit in lower(&raw, &edits, LineEnd::Lf, Data::ByLength).iter().rev() {
            out.splice(edit.range.clone(), edit.replacement.iter().copied());
        }
        let mut want = long.clone();
        want.splice(99..100, vec![b'Z'; 50]);
        want.splice(40..50, *b"[.]");
        assert_eq!(decode(&out, Data::ByLength).bytes.as_ref(), want);
        assert!(out.starts_with(b"begin 644 x\n"));
    }
}
