//! Header blocks of parts: their fields, and the labels (the `Content-…` fields that describe the body).
//!
//! | clause | item |
//! | --- | --- |
//! | RFC 5322 §2.2, folding | [`unfold`] |

use std::borrow::Cow;

use crate::header_fields::{HeaderField, field_name, header_fields};
pub(super) use crate::header_fields::{colon, line_after, without_line_end};

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

/// The line at `at`, with its line end.
fn line_at(bytes: &[u8], at: usize) -> &[u8] {
    bytes.get(at..line_after(bytes, at)).unwrap_or_default()
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
    header_fields(block).filter_map(|field| label(block, &field))
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
        && header_fields(block).any(|field| {
            let name = field.name(block);
            matches!(block.get(field.name.end), Some(b' ' | b'\t' | b'\r' | b'\n'))
                && name.get(..8).is_some_and(|start| start.eq_ignore_ascii_case(b"content-"))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_on_which_programs_agree() {
        let names = |block: &[u8]| -> Option<Vec<Vec<u8>>> {
            let fields = agreed(block)?;
            assert_eq!(fields, header_fields(block).collect::<Vec<_>>());
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
