//! One message as stored in a file: perhaps an mbox line, then the header, an empty line, the body.

use memchr::{memchr, memchr_iter};

use crate::edit::Field;
pub use crate::edit::LineEnd;
use crate::mime::{Message, envelope};

/// A message split into its pieces; nothing is copied or changed.
#[derive(Clone, Copy, Debug)]
pub struct Whole<'m> {
    /// The mbox line before the header, with its line end.
    pub envelope: &'m [u8],
    /// Header and body.
    pub message: Message<'m>,
    /// The empty line between header and body; empty when the message ends before it.
    pub separator: &'m [u8],
}

impl<'m> Whole<'m> {
    /// Splits a file at its first empty line. Never fails: without one everything is header.
    pub fn split(bytes: &'m [u8]) -> Whole<'m> {
        // Without a line end nothing is behind it, and a field would stand in that line.
        let start = memchr(b'\n', bytes).map_or(0, |_| envelope(bytes));
        let (envelope, rest) = bytes.split_at_checked(start).unwrap_or_default();
        let [head, separator, body] = pieces(rest);
        Whole { envelope, message: Message { head, body }, separator }
    }

    /// The file with another header and body in it, such as those of [`Restored`](crate::splice::Restored).
    ///
    /// ```
    /// use mailsplice::Whole;
    ///
    /// let whole = Whole::split(b"Subject: Lunch\n\nAt eight.\n");
    /// assert_eq!(whole.with(whole.message.head, b"At nine.\n"), b"Subject: Lunch\n\nAt nine.\n");
    /// ```
    pub fn with(&self, head: &[u8], body: &[u8]) -> Vec<u8> {
        [self.envelope, head, self.separator, body].concat()
    }
}

/// Splits into header, empty line and body.
pub fn pieces(bytes: &[u8]) -> [&[u8]; 3] {
    let Some(body) = body_start(bytes) else { return [bytes, &[], &[]] };
    let (head, body) = bytes.split_at_checked(body).unwrap_or_default();
    let empty = if head.ends_with(b"\r\n") { 2 } else { 1 };
    let (head, separator) = head.split_at_checked(head.len() - empty).unwrap_or_default();
    [head, separator, body]
}

impl<'m> Message<'m> {
    /// Header and body of a message in a file or in memory, as [`Whole::split`] splits it.
    pub fn split(bytes: &'m [u8]) -> Message<'m> {
        Whole::split(bytes).message
    }
}

/// Offset of the body: after the first empty line. `None` without one.
pub fn body_start(bytes: &[u8]) -> Option<usize> {
    if bytes.starts_with(b"\n") {
        return Some(1);
    }
    if bytes.starts_with(b"\r\n") {
        return Some(2);
    }
    memchr_iter(b'\n', bytes).find_map(|at| match bytes.get(at + 1..) {
        Some([b'\n', ..]) => Some(at + 2),
        Some([b'\r', b'\n', ..]) => Some(at + 3),
        _ => None,
    })
}

impl LineEnd {
    /// Header fields as lines with this line end.
    pub fn fields(self, fields: &[Field]) -> Vec<u8> {
        let end = self.as_str();
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
        let Whole { envelope, message, separator } = Whole::split(text.as_bytes());
        [envelope, message.head, separator, message.body]
            .map(|bytes| String::from_utf8(bytes.to_vec()).unwrap())
    }

    #[test]
    fn the_pieces_make_up_the_whole() {
        for (text, expected) in [
            ("A: b\r\n\r\nc", ["", "A: b\r\n", "\r\n", "c"]),
            ("From x\nA: b\n c\n\nd\n", ["From x\n", "A: b\n c\n", "\n", "d\n"]),
            ("\nbody", ["", "", "\n", "body"]),
            ("\r\nbody", ["", "", "\r\n", "body"]),
            ("A: b\r\n\nc", ["", "A: b\r\n", "\n", "c"]),
            ("A: b", ["", "A: b", "", ""]),
            ("", ["", "", "", ""]),
            ("From x", ["", "From x", "", ""]),
            ("From x\n", ["From x\n", "", "", ""]),
            ("From : a\nB: c\n\nd", ["", "From : a\nB: c\n", "\n", "d"]),
        ] {
            assert_eq!(pieces(text), expected, "{text:?}");
            assert_eq!(pieces(text).concat(), text);
        }
    }

    #[test]
    fn fields_end_as_the_message_does() {
        let field = Field { name: "X-Linkmilter", value: "a\n b".to_owned() };
        assert_eq!(
            LineEnd::of(b"A: b\n").fields(std::slice::from_ref(&field)),
            b"X-Linkmilter: a\n b\n"
        );
        assert_eq!(LineEnd::of(b"").fields(&[field]), b"X-Linkmilter: a\r\n b\r\n");
    }
}
