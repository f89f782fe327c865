//! Applies edits of the header.

use crate::edit::HeadEdit;

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
