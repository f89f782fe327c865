//! Header blocks of parts: their fields, and the labels (the `Content-…` fields that describe the body).
//!
//! | clause | item |
//! | --- | --- |
//! | RFC 5322 §2.2, fields and folding | [`fields`], [`unfold`] |

use std::borrow::Cow;

use crate::byte_search::{below, equal, first, splat};
use crate::edit::HeaderField;

/// The fields of a block, in order. Lines that are not fields are skipped.
pub(super) fn fields(block: &[u8]) -> impl Iterator<Item = HeaderField> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < block.len() {
            let start = at;
            let mut end = line_after(block, at);
            while matches!(block.get(end), Some(b' ' | b'\t')) {
                end = line_after(block, end);
            }
            at = end;
            let line = block.get(start..end).unwrap_or_default();
            if let Some(colon) = colon(line) {
                let name = line.get(..colon).unwrap_or_default().trim_ascii_end().len();
                let value_end = start + without_line_end(line).len();
                return Some(HeaderField {
                    line: start..end,
                    name: start..start + name,
                    value: (start + colon + 1).min(value_end)..value_end,
                });
            }
        }
        None
    })
}

/// Fields of one header that [`agreed`] returns: each takes about fifty bytes, and real headers have fewer than two hundred.
const MAX_AGREED: usize = 10_000;

/// Initial capacity for fields: one for so many bytes (half of a usual field), and `EXTRA_FIELDS` for short headers.
const BYTES_PER_FIELD: usize = 64;
const EXTRA_FIELDS: usize = 8;

/// The fields of a block that all programs read in the same way: each line is a field or a folded line, except
/// for the first line of a mailbox file; there is no blank before a colon; there is no character that some take
/// for a line end and others ignore. `None` otherwise, and for more than [`MAX_AGREED`] fields.
pub(super) fn agreed(block: &[u8]) -> Option<Vec<HeaderField>> {
    if memchr::memchr3(0, 0x0B, 0x0C, block).is_some() {
        return None;
    }
    let mut all: Vec<HeaderField> =
        Vec::with_capacity((block.len() / BYTES_PER_FIELD + EXTRA_FIELDS).min(MAX_AGREED));
    let mut at = envelope(block);
    let mut crlf_count = usize::from(block.get(..at).is_some_and(|line| line.ends_with(b"\r\n")));
    while at < block.len() {
        let start = at;
        let line = line_at(block, start);
        at += line.len();
        let line_end = match line {
            [.., b'\r', b'\n'] => 2,
            [.., b'\n'] => 1,
            _ => 0,
        };
        crlf_count += usize::from(line_end == 2);
        if let [b' ' | b'\t', ..] = line {
            let field = all.last_mut().filter(|_| !line.trim_ascii_start().is_empty())?;
            (field.line.end, field.value.end) = (at, at - line_end);
            continue;
        }
        let name = field_name(line);
        if name == 0 || line.get(name) != Some(&b':') || all.len() == MAX_AGREED {
            return None;
        }
        let value = start + name + 1..at - line_end;
        all.push(HeaderField { line: start..at, value, name: start..start + name });
    }
    // A CR without LF makes the counts differ.
    (memchr::memchr_iter(b'\r', block).count() == crlf_count).then_some(all)
}

/// Length of the `From ` line before a message in a mailbox file (RFC 4155 §A). `From :` is a field (RFC 5322 §4.5.2).
pub(crate) fn envelope(block: &[u8]) -> usize {
    let line = if block.starts_with(b"From ") { line_at(block, 0) } else { &[] };
    if colon(line).is_some() { 0 } else { line.len() }
}

/// Length of the field name at the start (RFC 5322 §3.6.8).
fn field_name(line: &[u8]) -> usize {
    // Up to a colon, a blank or control character, or one outside ASCII.
    let ends = |word: u64| {
        equal(word, b':') | below(word, b'!') | word | word.wrapping_add(splat(0x80 - 0x7F))
    };
    first(line, ends).unwrap_or(line.len())
}

/// The line at `at`, with its line end.
fn line_at(bytes: &[u8], at: usize) -> &[u8] {
    bytes.get(at..line_after(bytes, at)).unwrap_or_default()
}

/// Offset of the colon if the line begins with a field name (RFC 5322 §3.6.8; white space before
/// the colon is the obsolete form, and may be folded). NUL is ignored: some programs drop it.
pub(super) fn colon(line: &[u8]) -> Option<usize> {
    let mut name = field_name(line);
    while let Some([0, after @ ..]) = line.get(name..) {
        name += 1 + field_name(after);
    }
    let rest = line.get(name..).filter(|_| name > 0)?;
    let space = white_space(rest);
    (rest.get(space) == Some(&b':')).then_some(name + space)
}

/// Length of the folding white space at the start, including line ends that are followed by white space.
fn white_space(bytes: &[u8]) -> usize {
    let mut length = 0;
    loop {
        let rest = bytes.get(length..).unwrap_or_default();
        length += match rest {
            [b' ' | b'\t', ..] => 1,
            [b'\n', b' ' | b'\t', ..] => 2,
            [b'\r', b'\n', b' ' | b'\t', ..] => 3,
            _ => return length,
        };
    }
}

/// Whether the bytes begin with a label.
pub(super) fn is_label(bytes: &[u8]) -> bool {
    const START: &[u8] = b"content-";
    let name = bytes.get(..START.len()).unwrap_or_default();
    name.eq_ignore_ascii_case(START)
        && colon(bytes.get(..LABEL_NAME_BYTES).unwrap_or(bytes)).is_some()
}

/// Most bytes of a label's name with its colon and white space before it.
const LABEL_NAME_BYTES: usize = 64;

/// Offset of the line after the one at `at`.
pub(super) fn line_after(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    memchr::memchr(b'\n', rest).map_or(bytes.len(), |feed| at + feed + 1)
}

/// The line without its line end.
pub(super) fn without_line_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The value without its folds: line ends are removed, white space and CRs inside a line stay.
/// The result is bytes, since a boundary may contain any.
pub(super) fn unfold(value: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'\n', value).is_none() {
        return value.into();
    }
    let mut unfolded = Vec::with_capacity(value.len());
    for line in value.split_inclusive(|b| *b == b'\n') {
        let Some(content) = line.strip_suffix(b"\n") else {
            unfolded.extend_from_slice(line);
            break;
        };
        let carriages = content.iter().rev().take_while(|b| **b == b'\r').count();
        unfolded.extend_from_slice(content.get(..content.len() - carriages).unwrap_or_default());
    }
    unfolded.into()
}

/// A field that describes the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyField {
    Type,
    Transfer,
    Disposition,
    /// Content-Base (RFC 2110) or Content-Location (RFC 2557 §5): a base of relative URLs.
    Base,
    /// Where Thunderbird finds the body of a part that was detached.
    Detached,
    /// The same of one that was uploaded.
    Uploaded,
}

/// The labels of a block, in order, with their values as they are folded.
pub(super) fn labels(block: &[u8]) -> impl Iterator<Item = (BodyField, &[u8])> {
    fields(block).filter_map(|field| label(block, &field))
}

/// Like [`labels`], for fields that are known already.
pub(super) fn labels_among<'b>(
    block: &'b [u8],
    fields: &'b [HeaderField],
) -> impl Iterator<Item = (BodyField, &'b [u8])> + 'b {
    // A cheap test that most fields fail.
    let may_be = |field: &&HeaderField| {
        matches!(block.get(field.name.start), Some(b'C' | b'c' | b'X' | b'x'))
    };
    fields.iter().filter(may_be).filter_map(|field| label(block, field))
}

fn label<'b>(block: &'b [u8], field: &HeaderField) -> Option<(BodyField, &'b [u8])> {
    let name = field.name(block);
    let label = match name.len() {
        12 if name.eq_ignore_ascii_case(b"content-type") => BodyField::Type,
        12 if name.eq_ignore_ascii_case(b"content-base") => BodyField::Base,
        16 if name.eq_ignore_ascii_case(b"content-location") => BodyField::Base,
        19 if name.eq_ignore_ascii_case(b"content-disposition") => BodyField::Disposition,
        20 if name.eq_ignore_ascii_case(b"x-mozilla-cloud-part") => BodyField::Uploaded,
        25 if name.eq_ignore_ascii_case(b"content-transfer-encoding") => BodyField::Transfer,
        33 if name.eq_ignore_ascii_case(b"x-mozilla-external-attachment-url") => {
            BodyField::Detached
        }
        _ => return None,
    };
    Some((label, block.get(field.value.clone())?))
}

/// Whether a label has white space between its name and its colon (RFC 5322 §4.5.8).
pub(super) fn has_obsolete_label(block: &[u8]) -> bool {
    let blank = |pair| memchr::memmem::find(block, pair).is_some();
    (blank(b" :") || blank(b"\t:"))
        && fields(block).any(|field| {
            let name = field.name(block);
            matches!(block.get(field.name.end), Some(b' ' | b'\t' | b'\r' | b'\n'))
                && name.get(..8).is_some_and(|start| start.eq_ignore_ascii_case(b"content-"))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_field_names() {
        for byte in 0..=u8::MAX {
            let is_inside = matches!(byte, b'!'..=b'9' | b';'..=b'~');
            for before in 0..20 {
                let line = [&b"x".repeat(before)[..], &[byte, 0xFF, 0, b'a']].concat();
                assert_eq!(field_name(&line), before + usize::from(is_inside), "{byte}");
            }
        }
    }

    #[test]
    fn fields_with_folds_and_junk() {
        let block = b"Subject: a\r\n b\r\nno field here\r\nX-Y :\tz\r\nLast:";
        let found: Vec<(&[u8], &[u8])> =
            fields(block).map(|f| (&block[f.name], &block[f.value])).collect();
        let want: [(&[u8], &[u8]); 3] =
            [(b"Subject", b" a\r\n b"), (b"X-Y", b"\tz"), (b"Last", b"")];
        assert_eq!(found, want);
    }

    #[test]
    fn fields_on_which_programs_agree() {
        let names = |block: &[u8]| -> Option<Vec<Vec<u8>>> {
            let fields = agreed(block)?;
            assert_eq!(fields, super::fields(block).collect::<Vec<_>>());
            let lines: Vec<_> = crate::splice::fields::header_fields(block).collect();
            assert_eq!(fields, lines, "one walk sees what the other does");
            Some(fields.iter().map(|field| field.name(block).to_vec()).collect())
        };
        let same = Some(vec![b"A".to_vec(), b"B".to_vec()]);
        for block in [
            "A: x\r\n y\r\nB:z\r\n",
            "A:\nB: z",
            "A: x\n\ty: z\nB:\n",
            "From x@y Thu 22 Aug 17:08:44\r\nA: x\r\nB: z\r\n",
            "From x@y\nA: x\nB: z",
        ] {
            assert_eq!(names(block.as_bytes()), same, "{block:?}");
        }
        for block in [
            "A: x\r\n \r\nB: z\r\n",
            "A : x\nB: z\n",
            "A\n : x\nB: z\n",
            "no field\nB: z\n",
            " A: x\nB: z\n",
            "A: x\ry\nB: z\n",
            "A: x\0\nB: z\n",
            "A: x\x0B\nB: z\n",
            "A: x\nB: z\r",
            ": x\n",
            "",
            "From x\n y\nA: x\n",
            "From : x\nA: x\n",
            "From x\nno field\nA: x\n",
            "From x\ry\nA: x\n",
            "From x",
        ] {
            assert_eq!(agreed(block.as_bytes()).unwrap_or_default(), [], "{block:?}");
        }
        assert!(agreed(&b"a:\n".repeat(MAX_AGREED)).is_some());
        assert_eq!(agreed(&b"a:\n".repeat(MAX_AGREED + 1)), None);
    }
}
