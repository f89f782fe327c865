//! One message as a file holds it: an mbox line perhaps, the header, an empty line, the body.

use std::ops::Range;
use std::path::Path;

use crate::engine::Message;
use crate::engine::outcome::Field;

/// A message and where its pieces are; nothing is copied or changed.
#[derive(Clone, Debug)]
pub struct Whole {
    bytes: Vec<u8>,
    head: Range<usize>,
    body: usize,
}

/// The line end of a message: what our own lines are to end with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    Crlf,
    Lf,
}

impl Whole {
    /// Reads a file, or standard input without one.
    pub fn read(file: Option<&Path>) -> anyhow::Result<Whole> {
        Ok(Whole::new(super::input::read(file)?))
    }

    pub fn new(bytes: Vec<u8>) -> Whole {
        let start = match bytes.starts_with(b"From ") {
            true => memchr::memchr(b'\n', &bytes).map_or(bytes.len(), |at| at + 1),
            false => 0,
        };
        let mut at = start;
        let mut head = start..bytes.len();
        let mut body = bytes.len();
        for line in bytes.get(start..).unwrap_or_default().split_inclusive(|c| *c == b'\n') {
            if matches!(line, b"\n" | b"\r\n") {
                head.end = at;
                body = at + line.len();
                break;
            }
            at += line.len();
        }
        Whole { bytes, head, body }
    }

    pub fn message(&self) -> Message<'_> {
        Message {
            head: self.slice(self.head.clone()),
            body: self.slice(self.body..self.bytes.len()),
        }
    }

    /// The mbox line in front, with its line end.
    pub fn envelope(&self) -> &[u8] {
        self.slice(0..self.head.start)
    }

    /// The empty line between header and body; nothing when the message ends before it.
    pub fn separator(&self) -> &[u8] {
        self.slice(self.head.end..self.body)
    }

    fn slice(&self, range: Range<usize>) -> &[u8] {
        self.bytes.get(range).unwrap_or_default()
    }
}

impl Lines {
    /// The line end of a header block; CRLF for an empty one.
    pub fn of(head: &[u8]) -> Lines {
        match memchr::memchr(b'\n', head) {
            Some(at) if at == 0 || head.get(at - 1) != Some(&b'\r') => Lines::Lf,
            _ => Lines::Crlf,
        }
    }

    /// Header fields as lines of the message.
    pub fn fields(self, fields: &[Field]) -> Vec<u8> {
        let end = if self == Lines::Lf { "\n" } else { "\r\n" };
        let mut out = String::new();
        for field in fields {
            out += field.name;
            out += ": ";
            out += &field.value.replace('\n', end);
            out += end;
        }
        out.into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> [String; 4] {
        let whole = Whole::new(text.as_bytes().to_vec());
        let message = whole.message();
        [whole.envelope(), message.head, whole.separator(), message.body]
            .map(|bytes| String::from_utf8(bytes.to_vec()).unwrap())
    }

    #[test]
    fn the_pieces_make_up_the_whole() {
        for (text, expected) in [
            ("A: b\r\n\r\nc", ["", "A: b\r\n", "\r\n", "c"]),
            ("From x\nA: b\n c\n\nd\n", ["From x\n", "A: b\n c\n", "\n", "d\n"]),
            ("\nbody", ["", "", "\n", "body"]),
            ("A: b", ["", "A: b", "", ""]),
            ("", ["", "", "", ""]),
        ] {
            assert_eq!(pieces(text), expected, "{text:?}");
            assert_eq!(pieces(text).concat(), text);
        }
    }

    #[test]
    fn fields_end_as_the_message_does() {
        let field = Field { name: "X-Linkmilter", value: "a\n b".to_owned() };
        assert_eq!(
            Lines::of(b"A: b\n").fields(std::slice::from_ref(&field)),
            b"X-Linkmilter: a\n b\n"
        );
        assert_eq!(Lines::of(b"").fields(&[field]), b"X-Linkmilter: a\r\n b\r\n");
    }
}
