//! Deflated data, as far as they go and no further than is allowed.

use flate2::{Decompress, FlushDecompress, Status};

/// How deflated data are wrapped.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// RFC 1950.
    Zlib,
    /// RFC 1951, as inside gzip.
    Deflate,
}

/// Whether packed data went to their end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// They did.
    Whole,
    /// Damaged, or broken off.
    Cut,
}

/// What zlib (RFC 1950) made this of, as far as it goes; `None` when that is more than `most` bytes.
pub fn inflate(packed: &[u8], most: usize) -> Option<(Vec<u8>, Ending)> {
    inflated(packed, &mut inflater(Format::Zlib), most)
}

fn inflater(format: Format) -> Decompress {
    Decompress::new(format == Format::Zlib)
}

/// What is unpacked, as far as it goes; `None` when that is more than `most` bytes.
fn inflated(packed: &[u8], inflater: &mut Decompress, most: usize) -> Option<(Vec<u8>, Ending)> {
    let mut out = Vec::with_capacity(packed.len().saturating_mul(2).min(most));
    while out.len() <= most {
        let taken = usize::try_from(inflater.total_in()).unwrap_or(packed.len());
        let rest = packed.get(taken..).unwrap_or_default();
        let before = out.len();
        let status = inflater.decompress_vec(rest, &mut out, FlushDecompress::None);
        match status {
            Ok(Status::StreamEnd) => return (out.len() <= most).then_some((out, Ending::Whole)),
            Err(_) => return (out.len() <= most).then_some((out, Ending::Cut)),
            Ok(_) if out.len() < out.capacity() && out.len() == before => {
                return Some((out, Ending::Cut));
            }
            Ok(_) => out.reserve(out.capacity().max(64).min(most.saturating_add(1))),
        }
    }
    None
}

/// What may still be unpacked: whatever was counts, whether it came to anything or not.
#[derive(Debug)]
pub(super) struct Room {
    most: usize,
    /// Bytes that were unpacked, or looked at and found too many.
    pub taken: usize,
    /// Whether something had no room.
    pub is_over: bool,
    /// Made for the first packed data, and used for all: making one takes longer than unpacking a few bytes.
    pub inflater: Option<Decompress>,
}

impl Room {
    pub fn of(most: usize) -> Room {
        Room { most, taken: 0, is_over: false, inflater: None }
    }

    /// Takes room for so many bytes; whether there was.
    pub fn take(&mut self, bytes: usize) -> bool {
        let left = self.most.saturating_sub(self.taken);
        self.taken += bytes.min(left);
        self.is_over |= bytes > left;
        bytes <= left
    }

    /// What is unpacked, as far as it goes, if there is room for it.
    pub fn inflated(&mut self, packed: &[u8], format: Format) -> Option<Vec<u8>> {
        let left = self.most.saturating_sub(self.taken);
        let inflater = self.inflater.get_or_insert_with(|| inflater(format));
        inflater.reset(format == Format::Zlib);
        let unpacked = inflated(packed, inflater, left).map(|(unpacked, _)| unpacked);
        self.take(unpacked.as_ref().map_or(usize::MAX, Vec::len));
        unpacked
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, ZlibEncoder};

    use super::*;

    #[test]
    fn what_was_unpacked_before_changes_nothing() {
        let texts = [b"one text, one text, one text".to_vec(), b"another".repeat(9_000)];
        let packed = |format: Format, text: &[u8]| match format {
            Format::Zlib => {
                let mut out = ZlibEncoder::new(Vec::new(), Compression::default());
                out.write_all(text).and_then(|()| out.finish()).unwrap()
            }
            Format::Deflate => {
                let mut out = DeflateEncoder::new(Vec::new(), Compression::default());
                out.write_all(text).and_then(|()| out.finish()).unwrap()
            }
        };
        let mut room = Room::of(usize::MAX);
        for format in [Format::Zlib, Format::Deflate, Format::Zlib] {
            for text in &texts {
                let whole = packed(format, text);
                // Broken off, damaged, then whole.
                let cut = whole.get(..whole.len() / 2).unwrap();
                let fresh = Room::of(usize::MAX).inflated(cut, format);
                assert_eq!(room.inflated(cut, format), fresh);
                room.inflated(b"\xFF\xFF\xFF", format);
                assert_eq!(room.inflated(&whole, format).as_ref(), Some(text));
            }
        }
    }
}
