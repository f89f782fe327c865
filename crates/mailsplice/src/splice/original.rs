//! What an edit replaced, in the shortest form that gives it back.
//!
//! An edit in base64 whose length is no multiple of three encodes the rest of the part anew: the raw
//! bytes differ everywhere, what they say hardly at all. Such an original is kept as the difference
//! of what the two say, provided that encoding it again gives the very bytes.

use std::borrow::Cow;

use super::packing::{Reader, Writer};

/// The bytes that stood where a replacement stands.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Original<'a> {
    /// As they are.
    Plain(&'a [u8]),
    /// As base64 of what the replacement says, with a middle of its own.
    Encoded { shape: Shape, prefix: usize, middle: Cow<'a, [u8]>, suffix: usize },
}

/// How base64 is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Characters up to the first line end.
    first: usize,
    /// Characters of the lines after it; 0: there are none.
    width: usize,
    crlf: bool,
}

/// Bytes from which the second form is tried: below, the plain one is short enough.
const WORTHWHILE: usize = 64;

impl<'a> Original<'a> {
    /// The shortest form of `old`, given that `new` will be at hand.
    pub fn of(old: &'a [u8], new: &[u8]) -> Original<'a> {
        if old.len() < WORTHWHILE {
            return Original::Plain(old);
        }
        Original::encoded(old, new).unwrap_or(Original::Plain(old))
    }

    fn encoded(old: &'a [u8], new: &[u8]) -> Option<Original<'a>> {
        let shape = Shape::of(old)?;
        let (plain, said) = (decode(old)?, decode(new)?);
        if shape.encode(&plain) != old {
            return None;
        }
        let prefix = plain.iter().zip(&said).take_while(|(a, b)| a == b).count();
        let most = plain.len().min(said.len()) - prefix;
        let backward = plain.iter().rev().zip(said.iter().rev());
        let suffix = backward.take(most).take_while(|(a, b)| a == b).count();
        let middle = plain.get(prefix..plain.len() - suffix)?.to_vec();
        Some(Original::Encoded { shape, prefix, middle: Cow::Owned(middle), suffix })
    }

    pub fn write(&self, out: &mut Writer) {
        match self {
            Original::Plain(bytes) => {
                out.number(0);
                out.bytes(bytes);
            }
            Original::Encoded { shape, prefix, middle, suffix } => {
                out.number(1);
                for number in [shape.first, shape.width, usize::from(shape.crlf), *prefix, *suffix]
                {
                    out.number(number as u64);
                }
                out.bytes(middle);
            }
        }
    }

    pub fn read(reader: &mut Reader<'a>) -> Option<Original<'a>> {
        match reader.number()? {
            0 => Some(Original::Plain(reader.bytes()?)),
            1 => {
                let mut number = || usize::try_from(reader.number()?).ok();
                let shape = Shape { first: number()?, width: number()?, crlf: number()? == 1 };
                let (prefix, suffix) = (number()?, number()?);
                let middle = Cow::Borrowed(reader.bytes()?);
                Some(Original::Encoded { shape, prefix, middle, suffix })
            }
            _ => None,
        }
    }

    /// The old bytes, with the replacement at hand. `None`: it is not the replacement.
    pub fn bytes(&self, new: &[u8]) -> Option<Cow<'a, [u8]>> {
        match self {
            Original::Plain(bytes) => Some(Cow::Borrowed(bytes)),
            Original::Encoded { shape, prefix, middle, suffix } => {
                let said = decode(new)?;
                let tail = said.len().checked_sub(*suffix)?;
                let parts = [said.get(..*prefix)?, middle, said.get(tail..)?];
                Some(Cow::Owned(shape.encode(&parts.concat())))
            }
        }
    }
}

impl Shape {
    /// The layout of base64 in lines of one length.
    fn of(old: &[u8]) -> Option<Shape> {
        let Some(feed) = memchr::memchr(b'\n', old) else {
            return Some(Shape { first: old.len(), width: 0, crlf: true });
        };
        let crlf = feed > 0 && old.get(feed - 1) == Some(&b'\r');
        let rest = old.get(feed + 1..)?;
        let width = match memchr::memchr(b'\n', rest) {
            Some(next) => next.checked_sub(usize::from(crlf))?,
            None => rest.len(),
        };
        Some(Shape { first: feed - usize::from(crlf), width, crlf })
    }

    fn encode(self, plain: &[u8]) -> Vec<u8> {
        let text = super::packing::to_base64(plain);
        let line_end: &[u8] = if self.crlf { b"\r\n" } else { b"\n" };
        let mut out = Vec::with_capacity(text.len() + text.len() / 32);
        let (first, mut rest) = text.as_bytes().split_at(self.first.min(text.len()));
        out.extend_from_slice(first);
        while !rest.is_empty() {
            let width = if self.width == 0 { rest.len() } else { self.width };
            let (line, after) = rest.split_at(width.min(rest.len()));
            out.extend_from_slice(line_end);
            out.extend_from_slice(line);
            rest = after;
        }
        out
    }
}

fn decode(text: &[u8]) -> Option<Vec<u8>> {
    super::packing::from_base64(std::str::from_utf8(text).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(old: &[u8], new: &[u8]) -> (usize, bool) {
        let original = Original::of(old, new);
        let mut writer = Writer::default();
        original.write(&mut writer);
        let written = writer.finish();
        let read = Original::read(&mut Reader::new(&written)).unwrap();
        assert_eq!(read.bytes(new).as_deref(), Some(old));
        (written.len(), matches!(read, Original::Encoded { .. }))
    }

    #[test]
    fn a_long_tail_of_base64_is_kept_as_its_difference() {
        let shape = Shape { first: 40, width: 76, crlf: true };
        let plain = b"see http://host.example/ and so on. ".repeat(100);
        let said = [&b"se hxxp://xn--host[.]example/ an"[..], &plain[28..]].concat();
        let (size, encoded) = round_trip(&shape.encode(&plain), &shape.encode(&said));
        assert!(encoded && size < 64, "{size}");
    }

    #[test]
    fn everything_else_is_kept_as_it_is() {
        assert!(!round_trip(b"short", b"x").1);
        assert!(!round_trip(&b"no base64 at all. ".repeat(10), b"x").1);
        let odd = b"QUJD\r\nQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJD\r\nQQ\r\nQUJDQUJDQUJDQUJDQUJDQUJDQUJD";
        assert!(!round_trip(odd, b"QUJD").1);
        // An empty line, its end another than that of the line before.
        let empty = [&b"QUJD".repeat(20)[..], b"\r\n\n", &b"QUJD".repeat(20)].concat();
        assert!(!round_trip(&empty, b"QUJD").1);
    }
}
