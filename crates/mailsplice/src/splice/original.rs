//! The bytes that an edit replaced, in the shortest form from which they can be restored.
//!
//! An edit in base64 whose length is no multiple of three encodes the rest of the part again: the raw
//! bytes differ everywhere, the decoded ones hardly at all. Such an original is kept as the difference
//! of the decoded bytes, provided that encoding it again gives exactly the old bytes.

use std::borrow::Cow;

use super::packing::{Bits, Packer, Unpacker, has_space};

/// The bytes that a replacement replaced.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Original<'a> {
    /// As they are.
    Plain(&'a [u8]),
    /// As base64 of the decoded replacement, whose middle is exchanged.
    Encoded { layout: Layout, prefix: usize, middle: Cow<'a, [u8]>, suffix: usize },
}

/// How base64 is broken into lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// Characters up to the first line end.
    first: usize,
    /// Characters of the lines after it; 0 if there are none.
    width: usize,
    crlf: bool,
}

/// Bytes from which [`Original::Encoded`] is tried: below, the plain form is short enough.
const MIN_ENCODED_BYTES: usize = 64;

impl<'a> Original<'a> {
    /// The shortest form of `old`, given that `new` is available when it is restored.
    pub fn of(old: &'a [u8], new: &[u8]) -> Original<'a> {
        if old.len() < MIN_ENCODED_BYTES {
            return Original::Plain(old);
        }
        Original::encoded(old, new).unwrap_or(Original::Plain(old))
    }

    fn encoded(old: &'a [u8], new: &[u8]) -> Option<Original<'a>> {
        let layout = Layout::of(old).filter(|layout| layout.is_that_of(old))?;
        let (mut plain, decoded_new) = (decode(old, Bits::Zero)?, decode(new, Bits::Any)?);
        let prefix = plain.iter().zip(&decoded_new).take_while(|(a, b)| a == b).count();
        let max_suffix = plain.len().min(decoded_new.len()) - prefix;
        let backward = plain.iter().rev().zip(decoded_new.iter().rev());
        let suffix = backward.take(max_suffix).take_while(|(a, b)| a == b).count();
        plain.truncate(plain.len() - suffix);
        plain.drain(..prefix);
        Some(Original::Encoded { layout, prefix, middle: Cow::Owned(plain), suffix })
    }

    pub fn write(&self, out: &mut Packer) {
        match self {
            Original::Plain(bytes) => {
                out.number(0);
                out.bytes(bytes);
            }
            Original::Encoded { layout, prefix, middle, suffix } => {
                out.number(1);
                for number in
                    [layout.first, layout.width, usize::from(layout.crlf), *prefix, *suffix]
                {
                    out.number(number as u64);
                }
                out.bytes(middle);
            }
        }
    }

    pub fn read(reader: &mut Unpacker<'a>) -> Option<Original<'a>> {
        match reader.number()? {
            0 => Some(Original::Plain(reader.bytes()?)),
            1 => {
                let mut number = || usize::try_from(reader.number()?).ok();
                let layout = Layout { first: number()?, width: number()?, crlf: number()? == 1 };
                let (prefix, suffix) = (number()?, number()?);
                let middle = Cow::Borrowed(reader.bytes()?);
                Some(Original::Encoded { layout, prefix, middle, suffix })
            }
            _ => None,
        }
    }

    /// The old bytes, given the replacement. `None` if `new` is not the replacement.
    pub fn bytes(&self, new: &[u8]) -> Option<Cow<'a, [u8]>> {
        match self {
            Original::Plain(bytes) => Some(Cow::Borrowed(bytes)),
            Original::Encoded { layout, prefix, middle, suffix } => {
                let decoded_new = decode(new, Bits::Any)?;
                let tail = decoded_new.len().checked_sub(*suffix)?;
                let parts = [decoded_new.get(..*prefix)?, middle, decoded_new.get(tail..)?];
                Some(Cow::Owned(layout.encode(&parts.concat())))
            }
        }
    }
}

impl Layout {
    /// The layout of base64 in lines of one length.
    fn of(old: &[u8]) -> Option<Layout> {
        let Some(feed) = memchr::memchr(b'\n', old) else {
            return Some(Layout { first: old.len(), width: 0, crlf: true });
        };
        let crlf = feed > 0 && old.get(feed - 1) == Some(&b'\r');
        let rest = old.get(feed + 1..)?;
        let width = match memchr::memchr(b'\n', rest) {
            Some(next) => next.checked_sub(usize::from(crlf))?,
            None => rest.len(),
        };
        Some(Layout { first: feed - usize::from(crlf), width, crlf })
    }

    /// Whether these bytes are lines of this layout, with white space nowhere else: as [`Layout::encode`] writes them.
    fn is_that_of(self, old: &[u8]) -> bool {
        let (first, mut rest) = old.split_at(self.first.min(old.len()));
        if has_space(first) {
            return false;
        }
        while !rest.is_empty() {
            let Some(lines) = rest.strip_prefix(self.line_end()) else { return false };
            let width = if self.width == 0 { lines.len() } else { self.width };
            let (line, after) = lines.split_at(width.min(lines.len()));
            if line.is_empty() || has_space(line) {
                return false;
            }
            rest = after;
        }
        true
    }

    fn line_end(self) -> &'static [u8] {
        if self.crlf { b"\r\n" } else { b"\n" }
    }

    fn encode(self, plain: &[u8]) -> Vec<u8> {
        let text = super::packing::to_base64(plain);
        let line_end = self.line_end();
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

/// Bytes that are looked at before a text is taken for base64: other text has another sign among them.
const SAMPLE: usize = 64;

fn decode(text: &[u8], unused: Bits) -> Option<Vec<u8>> {
    let may_be = |byte: &u8| {
        byte.is_ascii_alphanumeric() || byte.is_ascii_whitespace() || b"+/=".contains(byte)
    };
    if !text.iter().take(SAMPLE).all(may_be) {
        return None;
    }
    super::packing::from_base64(text, unused)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(old: &[u8], new: &[u8]) -> (usize, bool) {
        let original = Original::of(old, new);
        let mut writer = Packer::default();
        original.write(&mut writer);
        let written = writer.finish();
        let read = Original::read(&mut Unpacker::new(&written)).unwrap();
        assert_eq!(read.bytes(new).as_deref(), Some(old));
        (written.len(), matches!(read, Original::Encoded { .. }))
    }

    #[test]
    fn a_long_tail_of_base64_is_kept_as_its_difference() {
        let layout = Layout { first: 40, width: 76, crlf: true };
        let plain = b"see http://host.example/ and so on. ".repeat(100);
        let decoded_new = [&b"se hxxp://xn--host[.]example/ an"[..], &plain[28..]].concat();
        let (size, encoded) = round_trip(&layout.encode(&plain), &layout.encode(&decoded_new));
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
