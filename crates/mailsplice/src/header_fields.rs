//! The fields of a header block, as whoever reads one finds them.
//!
//! | clause | item |
//! | --- | --- |
//! | RFC 5322 §2.2, fields and folding | [`header_fields`] |

use std::ops::Range;

use crate::byte_search::{below, equal, first, splat};
use crate::edit::HeadEdit;

/// A field in a header block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderField {
    /// Byte range of the field with its line end.
    pub line: Range<usize>,
    /// Byte range after the colon, without the final line end.
    pub value: Range<usize>,
    pub(crate) name: Range<usize>,
}

impl HeaderField {
    /// The field's name as spelled. `head` is the header block in which the field was found.
    #[inline]
    pub fn name<'h>(&self, head: &'h [u8]) -> &'h [u8] {
        head.get(self.name.clone()).unwrap_or_default()
    }

    /// Whether the field has this name; case does not count (RFC 5322 §1.2.2).
    pub fn is_named(&self, head: &[u8], name: &[u8]) -> bool {
        self.name(head).eq_ignore_ascii_case(name)
    }

    /// The edit that gives the field another value, which begins with its space; an empty one removes the field. `index`
    /// says which of the fields of its name it is, from 1, counted from the top.
    ///
    /// ```
    /// use mailsplice::splice::{apply_head, fields::header_fields};
    ///
    /// let head = b"From: ann@example.com\r\nSubject: Lunch\r\n at eight\r\nTo: bob@example.org\r\n";
    /// let subject = header_fields(head).find(|field| field.is_named(head, b"Subject")).unwrap();
    /// assert_eq!(subject.text(head), "Lunch at eight");
    /// let edit = subject.edit(head, 1, b" Dinner".to_vec());
    /// assert_eq!(
    ///     apply_head(head, &[edit]),
    ///     b"From: ann@example.com\r\nSubject: Dinner\r\nTo: bob@example.org\r\n"
    /// );
    /// ```
    pub fn edit(self, head: &[u8], index: usize, value: Vec<u8>) -> HeadEdit {
        let name = String::from_utf8_lossy(self.name(head)).into_owned();
        HeadEdit { name, index, range: self.value, value }
    }

    /// The value with each run of white space replaced by one space.
    pub fn text(&self, head: &[u8]) -> String {
        let value = String::from_utf8_lossy(head.get(self.value.clone()).unwrap_or_default());
        value.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// The fields of a header block, in order; other lines are left out.
pub fn header_fields(block: &[u8]) -> impl Iterator<Item = HeaderField> + '_ {
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

/// Length of the field name at the start (RFC 5322 §3.6.8).
pub(crate) fn field_name(line: &[u8]) -> usize {
    // Up to a colon, a blank or control character, or one outside ASCII.
    let ends = |word: u64| {
        equal(word, b':') | below(word, b'!') | word | word.wrapping_add(splat(0x80 - 0x7F))
    };
    first(line, ends).unwrap_or(line.len())
}

/// Offset of the colon if the line begins with a field name (RFC 5322 §3.6.8; white space before
/// the colon is the obsolete form, and may be folded). NUL is ignored: some programs drop it.
pub(crate) fn colon(line: &[u8]) -> Option<usize> {
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

/// Offset of the line after the one at `at`.
pub(crate) fn line_after(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    memchr::memchr(b'\n', rest).map_or(bytes.len(), |feed| at + feed + 1)
}

pub(crate) fn without_line_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
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
            header_fields(block).map(|f| (&block[f.name], &block[f.value])).collect();
        let want: [(&[u8], &[u8]); 3] =
            [(b"Subject", b" a\r\n b"), (b"X-Y", b"\tz"), (b"Last", b"")];
        assert_eq!(found, want);
    }
}
