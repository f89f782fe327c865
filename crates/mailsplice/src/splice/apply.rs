//! Applies edits without copying the body: the result is a sequence of slices of the original and of replacements.

use crate::edit::{HeadEdit, RawEdit};

/// Iterates over the edited body, slice by slice.
#[derive(Clone, Debug)]
pub struct Segments<'a> {
    body: &'a [u8],
    edits: std::slice::Iter<'a, RawEdit>,
    /// Offset in the body up to which it has been returned.
    at: usize,
    /// The replacement to return next.
    replacement: Option<&'a [u8]>,
}

/// The body with these edits (in order, disjoint, within it); an edit that does not fit is skipped.
pub fn apply<'a>(body: &'a [u8], edits: &'a [RawEdit]) -> Segments<'a> {
    Segments { body, edits: edits.iter(), at: 0, replacement: None }
}

impl<'a> Segments<'a> {
    /// Bytes of all remaining segments.
    pub fn byte_len(&self) -> usize {
        self.clone().map(<[u8]>::len).sum()
    }

    /// All remaining segments, concatenated.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.byte_len());
        self.clone().for_each(|segment| out.extend_from_slice(segment));
        out
    }
}

impl<'a> Iterator for Segments<'a> {
    type Item = &'a [u8];

    /// The next segment, never empty.
    fn next(&mut self) -> Option<&'a [u8]> {
        loop {
            if let Some(replacement) = self.replacement.take()
                && !replacement.is_empty()
            {
                return Some(replacement);
            }
            let from = self.at;
            let fits = |edit: &&RawEdit| {
                from <= edit.range.start
                    && edit.range.start <= edit.range.end
                    && edit.range.end <= self.body.len()
            };
            let stop = match self.edits.find(fits) {
                Some(edit) => {
                    self.at = edit.range.end;
                    self.replacement = Some(&edit.replacement);
                    edit.range.start
                }
                None if from == self.body.len() => return None,
                None => {
                    self.at = self.body.len();
                    self.at
                }
            };
            if from < stop {
                return self.body.get(from..stop);
            }
        }
    }
}

/// A header block (fields with their line ends, without the empty line) with these edits.
pub fn apply_head(head: &[u8], edits: &[HeadEdit]) -> Vec<u8> {
    let line_end: &[u8] = if memchr::memmem::find(head, b"\r\n").is_some() || head.is_empty() {
        b"\r\n"
    } else {
        b"\n"
    };
    let mut order: Vec<&HeadEdit> = edits.iter().collect();
    order.sort_by_key(|edit| edit.range.start);
    let mut out = Vec::with_capacity(head.len() + 64);
    let mut at = 0;
    for edit in order {
        if edit.range.start < at || edit.range.end > head.len() {
            continue;
        }
        out.extend_from_slice(head.get(at..edit.range.start).unwrap_or_default());
        at = edit.range.end;
        if edit.range.is_empty() && edit.range.start == head.len() {
            out.extend_from_slice(edit.name.as_bytes());
            out.push(b':');
            out.extend_from_slice(&edit.value);
            out.extend_from_slice(line_end);
        } else if edit.value.is_empty() {
            // The name, the colon and the line end are removed as well.
            let line = memchr::memrchr(b'\n', &out).map_or(0, |feed| feed + 1);
            out.truncate(line);
            let rest = head.get(at..).unwrap_or_default();
            at += memchr::memchr(b'\n', rest).map_or(rest.len(), |feed| feed + 1);
        } else {
            out.extend_from_slice(&edit.value);
        }
    }
    out.extend_from_slice(head.get(at..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(range: std::ops::Range<usize>, replacement: &str) -> RawEdit {
        RawEdit { range, replacement: replacement.as_bytes().to_vec() }
    }

    #[test]
    fn segments_are_slices_in_turn() {
        let edits = [edit(0..1, ""), edit(2..2, "++"), edit(4..6, "-")];
        let segments: Vec<&[u8]> = apply(b"abcdef", &edits).collect();
        assert_eq!(segments, [&b"b"[..], b"++", b"cd", b"-"]);
        assert_eq!(apply(b"abcdef", &edits).byte_len(), 6);
        assert_eq!(apply(b"", &[]).count(), 0);
        assert_eq!(apply(b"abc", &[]).to_vec(), b"abc");
    }

    #[test]
    fn edits_that_do_not_fit_are_left_out() {
        let edits = [edit(1..3, "x"), edit(2..4, "y"), edit(5..9, "z")];
        assert_eq!(apply(b"abcdef", &edits).to_vec(), b"axdef");
    }

    #[test]
    fn head_edits_replace_add_and_remove() {
        let head = b"A: 1\r\nB: 2\r\n 3\r\nC: 4\r\n";
        let make = |range, value: &[u8]| HeadEdit {
            name: "D".to_owned(),
            index: 1,
            range,
            value: value.to_vec(),
        };
        let edits = [make(2..4, b" one"), make(8..14, b""), make(22..22, b" 5")];
        assert_eq!(apply_head(head, &edits), b"A: one\r\nC: 4\r\nD: 5\r\n");
    }
}
