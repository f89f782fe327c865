//! One message of a source: header, body, and the offsets of its bytes in the source.

use std::borrow::Cow;
use std::iter;
use std::ops::Range;

use memchr::{memchr_iter, memmem};

use crate::engine::Message;
use crate::engine::whole::pieces;

/// How `From ` lines in a body are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quoting {
    /// Not an mbox, or mboxcl2: unchanged.
    None,
    /// mboxo, mboxrd, mboxcl: `From ` became `>From `.
    Quoted,
}

/// A message as it is in its source.
#[derive(Debug)]
pub struct RawMessage<'b> {
    /// Offset in the decompressed source, in bytes; in an mbox, of the `From ` line.
    pub offset: u64,
    /// The message. In an mbox with its `From ` line, and without the empty line before the next
    /// one.
    pub bytes: Cow<'b, [u8]>,
    /// Length of the `From ` line with its line end, in bytes. 0 outside of an mbox.
    pub from_line_len: usize,
    pub quoting: Quoting,
}

/// A message that is ready to be judged.
#[derive(Debug)]
pub struct SourceMessage<'b> {
    bytes: Cow<'b, [u8]>,
    /// Where head and body are in `bytes`.
    head: Range<usize>,
    body: usize,
    /// Offsets in `bytes` of what stood behind every `>` that unquoting removed.
    removed: Vec<usize>,
}

impl<'b> SourceMessage<'b> {
    /// Splits a message whose header begins at `from_line_len`.
    pub fn new(bytes: &'b [u8], from_line_len: usize, quoting: Quoting) -> SourceMessage<'b> {
        let rest = bytes.get(from_line_len..).unwrap_or_default();
        let [head, _, body] = pieces(rest).map(<[u8]>::len);
        let (head, body) = (from_line_len..from_line_len + head, bytes.len() - body);
        let (bytes, removed) = match quoting {
            Quoting::None => (Cow::Borrowed(bytes), Vec::new()),
            Quoting::Quoted => unquote(bytes, body),
        };
        SourceMessage { bytes, head, body, removed }
    }

    pub fn message(&self) -> Message<'_> {
        Message {
            head: self.bytes.get(self.head.clone()).unwrap_or_default(),
            body: self.bytes.get(self.body..).unwrap_or_default(),
        }
    }

    /// The message's bytes, without the `From ` line.
    pub fn raw(&self) -> &[u8] {
        self.bytes.get(self.head.start..).unwrap_or_default()
    }

    /// Offset of the body in [`SourceMessage::raw`].
    pub fn body_in_raw(&self) -> usize {
        self.body - self.head.start
    }

    /// The position of a range of the head in the source, relative to the offset of the message.
    pub fn head_span(&self, range: &Range<usize>) -> Range<usize> {
        self.head.start + range.start..self.head.start + range.end
    }

    /// The same for a range of the body.
    pub fn body_span(&self, range: &Range<usize>) -> Range<usize> {
        self.offset_before_unquoting(self.body + range.start)
            ..self.offset_before_unquoting(self.body + range.end)
    }

    /// The same for the whole message.
    pub fn whole_span(&self) -> Range<usize> {
        self.head.start..self.offset_before_unquoting(self.bytes.len())
    }

    /// Converts an offset to one before unquoting.
    fn offset_before_unquoting(&self, offset: usize) -> usize {
        offset + self.removed.partition_point(|at| *at <= offset)
    }
}

/// The lines of a header, without their LF.
pub fn lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut at = 0;
    memchr_iter(b'\n', head).chain(iter::once(head.len())).map(move |end| {
        let line = head.get(at..end).unwrap_or_default();
        at = end + 1;
        line
    })
}

/// Removes one level of `From ` quoting from `body` on. Also returns where the removed `>` stood, in
/// the bytes without them.
fn unquote(bytes: &[u8], body: usize) -> (Cow<'_, [u8]>, Vec<usize>) {
    let mut removed = Vec::new();
    for at in memmem::find_iter(bytes.get(body..).unwrap_or_default(), b">From ") {
        let at = body + at;
        let before = bytes.get(..at).unwrap_or_default();
        let quotes = before.iter().rev().take_while(|byte| **byte == b'>').count();
        let line = at - quotes;
        if line >= body && (line == body || bytes.get(line - 1) == Some(&b'\n')) {
            removed.push(line);
        }
    }
    if removed.is_empty() {
        return (Cow::Borrowed(bytes), removed);
    }
    let mut out = Vec::with_capacity(bytes.len() - removed.len());
    let mut from = 0;
    for at in &mut removed {
        out.extend_from_slice(bytes.get(from..*at).unwrap_or_default());
        from = *at + 1;
        *at = out.len();
    }
    out.extend_from_slice(bytes.get(from..).unwrap_or_default());
    (Cow::Owned(out), removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_and_body() {
        for (bytes, head, body) in [
            ("A: b\n\ntext", "A: b\n", "text"),
            ("A: b\r\n\r\ntext", "A: b\r\n", "text"),
            ("\ntext", "", "text"),
            ("\r\ntext", "", "text"),
            ("A: b\n", "A: b\n", ""),
            ("A: b\n\n", "A: b\n", ""),
            ("", "", ""),
        ] {
            let message = SourceMessage::new(bytes.as_bytes(), 0, Quoting::None);
            assert_eq!(message.message().head, head.as_bytes(), "{bytes:?}");
            assert_eq!(message.message().body, body.as_bytes(), "{bytes:?}");
        }
    }

    #[test]
    fn spans_are_offsets_in_the_quoted_bytes() {
        let source = b"From x\nA: b\n\n>From me\nsee www.example.com\n>>From y\nend z";
        let message = SourceMessage::new(source, 7, Quoting::Quoted);
        let body = message.message().body;
        for word in ["www.example.com", "end", "z", "From me", ">From y"] {
            let at = memchr::memmem::find(body, word.as_bytes()).unwrap();
            let span = message.body_span(&(at..at + word.len()));
            assert_eq!(&source[span], word.as_bytes());
        }
        assert_eq!(&source[message.head_span(&(0..1))], b"A");
        assert_eq!(&source[message.whole_span()], &source[7..]);
    }

    #[test]
    fn one_level_of_quoting_is_removed() {
        let (plain, removed) = unquote(b"H: >From x\n\n>From a\n>>From b\nx >From c\n", 11);
        assert_eq!(&*plain, b"H: >From x\n\nFrom a\n>From b\nx >From c\n");
        assert_eq!(removed, [12, 19]);
    }
}
