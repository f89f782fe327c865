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
    inflated(packed, &mut engine(Format::Zlib), most)
}

fn engine(format: Format) -> Decompress {
    Decompress::new(format == Format::Zlib)
}

/// What is unpacked, as far as it goes; `None` when that is more than `most` bytes.
fn inflated(packed: &[u8], engine: &mut Decompress, most: usize) -> Option<(Vec<u8>, Ending)> {
    let mut out = Vec::with_capacity(packed.len().saturating_mul(2).min(most));
    while out.len() <= most {
        let taken = usize::try_from(engine.total_in()).unwrap_or(packed.len());
        let rest = packed.get(taken..).unwrap_or_default();
        let before = out.len();
        let status = engine.decompress_vec(rest, &mut out, FlushDecompress::None);
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
    /// Made for the first packed data: it takes longer than unpacking a few bytes.
    pub engine: Option<Decompress>,
}

impl Room {
    pub fn of(most: usize) -> Room {
        Room { most, taken: 0, is_over: false, engine: None }
    }

    /// The same with what unpacked something before.
    pub fn with(self, engine: Option<Decompress>) -> Room {
        Room { engine, ..self }
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
        let engine = self.engine.get_or_insert_with(|| engine(format));
        engine.reset(format == Format::Zlib);
        let unpacked = inflated(packed, engine, left).map(|(unpacked, _)| unpacked);
        self.take(unpacked.as_ref().map_or(usize::MAX, Vec::len));
        unpacked
    }
}
