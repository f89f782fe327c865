//! One message as it stands in its source: head, body, and where its bytes came from.

use std::borrow::Cow;
use std::iter;
use std::ops::Range;

use memchr::{memchr_iter, memmem};

use crate::engine::Message;
use crate::engine::whole::pieces;

/// How `From ` lines in a body are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quoting {
    /// Not an mbox, or mboxcl2: every byte stands as it was sent.
    None,
    /// mboxo, mboxrd, mboxcl: `>From ` was `From `.
    Quoted,
}

/// A message as cut from its source.
#[derive(Debug)]
pub struct Raw<'b> {
    /// Offset in the source after decompression, in bytes; in an mbox, of the `From ` line.
    pub offset: u64,
    /// The message, in an mbox with its `From ` line and without the empty line before the next.
    pub bytes: Cow<'b, [u8]>,
    /// Length of the `From ` line with its line end, in bytes; 0 outside of an mbox.
    pub lead: usize,
    pub quoting: Quoting,
}

/// A message ready to be judged.
#[derive(Debug)]
pub struct SourceMessage<'b> {
    bytes: Cow<'b, [u8]>,
    /// First byte of the head and of the body in `bytes`, and the end of the head.
    head: Range<usize>,
    body: usize,
    /// Offsets in the source's bytes of every `>` that unquoting took away.
    gone: Vec<usize>,
}

impl<'b> SourceMessage<'b> {
    /// Reads a message whose header begins at `lead`.
    pub fn new(bytes: &'b [u8], lead: usize, quoting: Quoting) -> SourceMessage<'b> {
        let rest = bytes.get(lead..).unwrap_or_default();
        let [head, _, body] = pieces(rest).map(<[u8]>::len);
        let (head, body) = (lead..lead + head, bytes.len() - body);
        let (bytes, gone) = match quoting {
            Quoting::None => (Cow::Borrowed(bytes), Vec::new()),
            Quoting::Quoted => unquote(bytes, body),
        };
        SourceMessage { bytes, head, body, gone }
    }

    pub fn message(&self) -> Message<'_> {
        Message {
            head: self.bytes.get(self.head.clone()).unwrap_or_default(),
            body: self.bytes.get(self.body..).unwrap_or_default(),
        }
    }

    /// The message's bytes, without what an mbox puts in front.
    pub fn raw(&self) -> &[u8] {
        self.bytes.get(self.head.start..).unwrap_or_default()
    }

    /// First byte of the body in [`SourceMessage::raw`].
    pub fn body_in_raw(&self) -> usize {
        self.body - self.head.start
    }

    /// The bytes in the source, from the letter's offset on, of a range in the head.
    pub fn head_span(&self, range: &Range<usize>) -> Range<usize> {
        self.head.start + range.start..self.head.start + range.end
    }

    /// The same for a range in the body.
    pub fn body_span(&self, range: &Range<usize>) -> Range<usize> {
        self.quoted(self.body + range.start)..self.quoted(self.body + range.end)
    }

    /// Undoes the shift of unquoting: the n-th removed byte stood at `gone[n]`, n bytes further on.
    fn quoted(&self, offset: usize) -> usize {
        let mut low = 0;
        let mut high = self.gone.len();
        while low < high {
            let middle = low + (high - low) / 2;
            if self.gone.get(middle).is_some_and(|at| at - middle <= offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        offset + low
    }
}

/// The lines of a header, without their line feeds.
pub fn lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut at = 0;
    memchr_iter(b'\n', head).chain(iter::once(head.len())).map(move |end| {
        let line = head.get(at..end).unwrap_or_default();
        at = end + 1;
        line
    })
}

/// A message with one level of `From `-quoting taken away, and the offsets (in the quoted bytes)
/// of every `>` that went. Only lines from `body` on are touched.
fn unquote(bytes: &[u8], body: usize) -> (Cow<'_, [u8]>, Vec<usize>) {
    let mut gone = Vec::new();
    for at in memmem::find_iter(bytes.get(body..).unwrap_or_default(), b">From ") {
        let at = body + at;
        let before = bytes.get(..at).unwrap_or_default();
        let quotes = before.iter().rev().take_while(|byte| **byte == b'>').count();
        let line = at - quotes;
        if line >= body && (line == body || bytes.get(line - 1) == Some(&b'\n')) {
            gone.push(line);
        }
    }
    if gone.is_empty() {
        return (Cow::Borrowed(bytes), gone);
    }
    let mut out = Vec::with_capacity(bytes.len() - gone.len());
    let mut from = 0;
    for at in &gone {
        out.extend_from_slice(bytes.get(from..*at).unwrap_or_default());
        from = at + 1;
    }
    out.extend_from_slice(bytes.get(from..).unwrap_or_default());
    (Cow::Owned(out), gone)
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
            let letter = SourceMessage::new(bytes.as_bytes(), 0, Quoting::None);
            assert_eq!(letter.message().head, head.as_bytes(), "{bytes:?}");
            assert_eq!(letter.message().body, body.as_bytes(), "{bytes:?}");
        }
    }

    #[test]
    fn spans_lead_back_to_the_quoted_bytes() {
        let source = b"From x\nA: b\n\n>From me\nsee www.example.com\n>>From y\nend z";
        let letter = SourceMessage::new(source, 7, Quoting::Quoted);
        let body = letter.message().body;
        for word in ["www.example.com", "end", "z", "From me", ">From y"] {
            let at = memchr::memmem::find(body, word.as_bytes()).unwrap();
            let span = letter.body_span(&(at..at + word.len()));
            assert_eq!(&source[span], word.as_bytes());
        }
        assert_eq!(&source[letter.head_span(&(0..1))], b"A");
    }

    #[test]
    fn one_level_of_quoting_goes() {
        let (plain, gone) = unquote(b"H: >From x\n\n>From a\n>>From b\nx >From c\n", 11);
        assert_eq!(&*plain, b"H: >From x\n\nFrom a\n>From b\nx >From c\n");
        assert_eq!(gone, [12, 20]);
    }
}
