//! Inflates data up to a limit. Of damaged data the readable part is returned.

use flate2::{Decompress, FlushDecompress, Status};

/// The format around deflated data.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum DeflateFormat {
    /// RFC 1950.
    Zlib,
    /// RFC 1951, as inside gzip.
    Deflate,
}

/// Whether compressed data were complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// They were.
    Whole,
    /// They are damaged or truncated.
    Cut,
}

/// Inflates zlib data (RFC 1950), as far as they are readable; `None` if the result has more than `limit` bytes.
pub fn inflate(packed: &[u8], limit: usize) -> Option<(Vec<u8>, Ending)> {
    inflated(packed, &mut inflater(DeflateFormat::Zlib), limit)
}

/// Inflates bare deflated data (RFC 1951), one after another.
#[derive(Debug)]
pub struct Inflater(Decompress);

impl Default for Inflater {
    fn default() -> Inflater {
        Inflater(inflater(DeflateFormat::Deflate))
    }
}

impl Inflater {
    /// The first bytes of the result, at most `limit`; [`Ending::Cut`] if it has more, or the data are damaged.
    pub fn first(&mut self, packed: &[u8], limit: usize) -> (Vec<u8>, Ending) {
        self.0.reset(false);
        let (mut out, ending) = inflated_beyond(packed, &mut self.0, limit);
        out.truncate(limit);
        (out, ending.unwrap_or(Ending::Cut))
    }
}

fn inflater(format: DeflateFormat) -> Decompress {
    Decompress::new(format == DeflateFormat::Zlib)
}

/// Inflates data as far as they are readable; `None` if the result has more than `limit` bytes.
fn inflated(packed: &[u8], inflater: &mut Decompress, limit: usize) -> Option<(Vec<u8>, Ending)> {
    let (out, ending) = inflated_beyond(packed, inflater, limit);
    Some((out, ending?))
}

/// Inflates data as far as they are readable, until there are more than `limit` bytes: they have no ending then.
fn inflated_beyond(
    packed: &[u8],
    inflater: &mut Decompress,
    limit: usize,
) -> (Vec<u8>, Option<Ending>) {
    let mut out = Vec::with_capacity(packed.len().saturating_mul(2).min(limit));
    while out.len() <= limit {
        let taken = usize::try_from(inflater.total_in()).unwrap_or(packed.len());
        let rest = packed.get(taken..).unwrap_or_default();
        let before = out.len();
        let status = inflater.decompress_vec(rest, &mut out, FlushDecompress::None);
        let ending = match status {
            Ok(Status::StreamEnd) => Ending::Whole,
            Err(_) => Ending::Cut,
            Ok(_) if out.len() < out.capacity() && out.len() == before => Ending::Cut,
            Ok(_) => {
                out.reserve(out.capacity().max(64).min(limit.saturating_add(1)));
                continue;
            }
        };
        let fits = out.len() <= limit;
        return (out, fits.then_some(ending));
    }
    (out, None)
}

/// The budget for inflated bytes. All inflated bytes count, even if they were not used.
#[derive(Debug)]
pub(super) struct InflateBudget {
    limit: usize,
    /// Bytes that were inflated, including those of attempts that exceeded the budget.
    pub taken: usize,
    /// Whether the budget was exceeded.
    pub is_over: bool,
    /// Created once and reused: creating one costs more than inflating a few bytes.
    pub inflater: Option<Decompress>,
}

impl InflateBudget {
    pub fn of(limit: usize) -> InflateBudget {
        InflateBudget { limit, taken: 0, is_over: false, inflater: None }
    }

    /// Takes so many bytes from the budget; false if it does not suffice.
    pub fn take(&mut self, bytes: usize) -> bool {
        let left = self.limit.saturating_sub(self.taken);
        self.taken += bytes.min(left);
        self.is_over |= bytes > left;
        bytes <= left
    }

    /// Inflates data as far as they are readable, if the budget suffices.
    pub fn inflated(&mut self, packed: &[u8], format: DeflateFormat) -> Option<Vec<u8>> {
        let left = self.limit.saturating_sub(self.taken);
        let inflater = self.inflater.get_or_insert_with(|| inflater(format));
        inflater.reset(format == DeflateFormat::Zlib);
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
        let packed = |format: DeflateFormat, text: &[u8]| match format {
            DeflateFormat::Zlib => {
                let mut out = ZlibEncoder::new(Vec::new(), Compression::default());
                out.write_all(text).and_then(|()| out.finish()).unwrap()
            }
            DeflateFormat::Deflate => {
                let mut out = DeflateEncoder::new(Vec::new(), Compression::default());
                out.write_all(text).and_then(|()| out.finish()).unwrap()
            }
        };
        let mut budget = InflateBudget::of(usize::MAX);
        for format in [DeflateFormat::Zlib, DeflateFormat::Deflate, DeflateFormat::Zlib] {
            for text in &texts {
                let whole = packed(format, text);
                // Truncated, damaged, then whole.
                let cut = whole.get(..whole.len() / 2).unwrap();
                let fresh = InflateBudget::of(usize::MAX).inflated(cut, format);
                assert_eq!(budget.inflated(cut, format), fresh);
                budget.inflated(b"\xFF\xFF\xFF", format);
                assert_eq!(budget.inflated(&whole, format).as_ref(), Some(text));
            }
        }
    }
}
