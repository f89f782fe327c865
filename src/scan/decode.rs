//! Decompression with limits on windows and on expansion.
//!
//! A window fills as the stream is decoded, so a source of many small streams costs little. A
//! stream that has expanded beyond [`UNGATED_BYTES`] waits at its [`Gate`]. So the windows of only
//! one source fill at a time, on however many cores sources are decoded.

use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::rc::Rc;

use flate2::bufread::GzDecoder;
use liblzma::read::XzDecoder;
use liblzma::stream::{CONCATENATED, Stream};

use super::budget::Gate;
use crate::magic::Compression;

/// Largest zstd window, as a power of two in bytes: 32 MiB. `zstd -19` needs 8 MiB, `--long` 128.
const MAX_ZSTD_WINDOW_LOG: u32 = 25;
/// Memory limit of an xz decoder in bytes. `xz -9` needs 65 MiB.
const MAX_XZ_MEMORY: u64 = 66 << 20;
/// The same limits for a stream inside a compressed stream: 8 MiB for zstd, 10 MiB for xz (`xz
/// -6`).
const MAX_INNER_ZSTD_WINDOW_LOG: u32 = 23;
const MAX_INNER_XZ_MEMORY: u64 = 10 << 20;
/// Bytes that a stream may expand to before it waits at its gate.
const UNGATED_BYTES: u64 = 1 << 20;
/// Bytes that any stream may expand to, whatever its size.
const FREE_OUTPUT_BYTES: u64 = 64 << 20;
/// Limit beyond [`FREE_OUTPUT_BYTES`]: bytes of output for each byte on disk. Mail compresses to a
/// tenth, and to a hundredth when an archive holds many copies. Deflate alone cannot exceed 1032,
/// but nested it can.
const MAX_EXPANSION: u64 = 1_000;

/// Counts the bytes that are read from disk, below all layers of compression, and waits at the gate
/// before large windows fill.
#[derive(Clone)]
pub struct Meter<'w>(Rc<MeterState<'w>>);

struct MeterState<'w> {
    bytes: Cell<u64>,
    /// Open streams with a large window, one inside the other.
    open_windows: Cell<u32>,
    /// Whether there were no more.
    ended: Cell<bool>,
    gate: Gate<'w>,
    passed: Cell<bool>,
}

impl<'w> Meter<'w> {
    /// For one source.
    pub fn new(gate: Gate<'w>) -> Meter<'w> {
        Meter(Rc::new(MeterState {
            bytes: Cell::new(0),
            ended: Cell::new(false),
            open_windows: Cell::new(0),
            gate,
            passed: Cell::new(false),
        }))
    }

    /// A reader that counts what is read through it.
    pub fn count<R: Read>(&self, reader: R) -> CountingReader<'w, R> {
        CountingReader { reader, meter: self.clone() }
    }

    pub fn bytes(&self) -> u64 {
        self.0.bytes.get()
    }

    /// Whether the source ended before this many bytes.
    pub fn ended_before(&self, size: u64) -> bool {
        self.0.ended.get() && self.bytes() < size
    }

    fn wait_at_gate(&self) {
        if !self.0.passed.replace(true) {
            self.0.gate.pass();
        }
    }
}

/// The decompressed stream. Reading fails when the window, the memory or the expansion exceeds its
/// limit.
pub fn decoder<'r, 'w: 'r>(
    coding: Compression,
    reader: Box<dyn Read + 'r>,
    meter: &Meter<'w>,
) -> io::Result<Box<dyn Read + 'r>> {
    let outermost = meter.0.open_windows.get() == 0;
    let plain: Box<dyn Read + 'r> = match coding {
        Compression::Gzip => {
            let reader = BufReader::with_capacity(1 << 16, reader);
            Box::new(GzipMembers { member: Some(GzDecoder::new(reader)) })
        }
        Compression::Zstd => {
            let mut decoder = zstd::Decoder::new(reader)?;
            let window = if outermost { MAX_ZSTD_WINDOW_LOG } else { MAX_INNER_ZSTD_WINDOW_LOG };
            decoder.window_log_max(window)?;
            Box::new(decoder)
        }
        Compression::Xz => {
            let memory = if outermost { MAX_XZ_MEMORY } else { MAX_INNER_XZ_MEMORY };
            let stream = Stream::new_stream_decoder(memory, CONCATENATED)?;
            Box::new(XzDecoder::new_stream(reader, stream))
        }
    };
    Ok(Box::new(LimitedReader::new(plain, coding, meter.clone())))
}

/// A file with holes, which read as zeros: what it expands to is bounded like a compressed one.
pub fn sparse<'r, 'w: 'r>(reader: impl Read + 'r, meter: &Meter<'w>) -> impl Read + 'r {
    LimitedReader { reader, out: 0, window: Window::Small, meter: meter.clone() }
}

/// The members of a gzip stream. NULs after the last one are padding, as for gzip(1): tapes have blocks.
struct GzipMembers<R> {
    /// `None` at the end.
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> Read for GzipMembers<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let n = member.read(out)?;
            if n > 0 || out.is_empty() {
                return Ok(n);
            }
            self.member = match self.member.take() {
                Some(ended) => next_member(ended.into_inner())?,
                None => None,
            };
        }
        Ok(0)
    }
}

/// What follows a member: another one, or padding up to the end.
fn next_member<R: BufRead>(mut reader: R) -> io::Result<Option<GzDecoder<R>>> {
    let mut padding = false;
    loop {
        let ahead = reader.fill_buf()?;
        let (nuls, all) = (ahead.iter().take_while(|byte| **byte == 0).count(), ahead.len());
        match (all, nuls) {
            (0, _) => return Ok(None),
            (_, 0) if !padding => return Ok(Some(GzDecoder::new(reader))),
            (all, nuls) if nuls < all => {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "garbage after the padding",
                ));
            }
            _ => padding = true,
        }
        reader.consume(nuls);
    }
}

/// A reader whose bytes a [`Meter`] counts.
pub struct CountingReader<'w, R> {
    reader: R,
    meter: Meter<'w>,
}

impl<R: Read> Read for CountingReader<'_, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.reader.read(out)?;
        self.meter.0.bytes.set(self.meter.0.bytes.get() + n as u64);
        self.meter.0.ended.set(n == 0 && !out.is_empty());
        Ok(n)
    }
}

impl<R: Seek> Seek for CountingReader<'_, R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.reader.seek(to)
    }
}

struct LimitedReader<'w, R> {
    reader: R,
    out: u64,
    window: Window,
    meter: Meter<'w>,
}

/// Whether the window is large enough to matter. That of gzip has 32 KiB.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Window {
    Small,
    Large,
}

impl<'w, R> LimitedReader<'w, R> {
    fn new(reader: R, coding: Compression, meter: Meter<'w>) -> Self {
        let window = match coding {
            Compression::Gzip => Window::Small,
            Compression::Zstd | Compression::Xz => Window::Large,
        };
        meter.0.open_windows.set(meter.0.open_windows.get() + u32::from(window == Window::Large));
        LimitedReader { reader, out: 0, window, meter }
    }
}

impl<R> Drop for LimitedReader<'_, R> {
    fn drop(&mut self) {
        let open_windows =
            self.meter.0.open_windows.get() - u32::from(self.window == Window::Large);
        self.meter.0.open_windows.set(open_windows);
    }
}

impl<R: Read> Read for LimitedReader<'_, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.out >= UNGATED_BYTES && self.window == Window::Large {
            self.meter.wait_at_gate();
        }
        let n = self.reader.read(out)?;
        self.out += n as u64;
        if self.out > FREE_OUTPUT_BYTES + MAX_EXPANSION * self.meter.bytes() {
            return Err(io::Error::other(format!(
                "expands more than {MAX_EXPANSION} times: {} bytes from {}",
                self.out,
                self.meter.bytes()
            )));
        }
        Ok(n)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Write;

    use super::*;

    fn read(coding: Compression, bytes: &[u8]) -> io::Result<usize> {
        let meter = Meter::new(Gate::Open);
        let mut reader = decoder(coding, Box::new(meter.count(bytes)), &meter)?;
        let mut sum = 0;
        let mut buffer = vec![0; 1 << 16];
        loop {
            match reader.read(&mut buffer)? {
                0 => return Ok(sum),
                n => sum += n,
            }
        }
    }

    pub fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn members_follow_one_another() {
        let two = [gzip(b"one"), gzip(b"two!")].concat();
        assert_eq!(read(Compression::Gzip, &two).unwrap(), 7);
        let two =
            [zstd::encode_all(&b"one"[..], 1).unwrap(), zstd::encode_all(&b"two!"[..], 1).unwrap()]
                .concat();
        assert_eq!(read(Compression::Zstd, &two).unwrap(), 7);
        let skipped = [b"\x5F\x2A\x4D\x18\x04\0\0\0abcd", &two[..]].concat();
        assert_eq!(read(Compression::Zstd, &skipped).unwrap(), 7);
    }

    #[test]
    fn nuls_after_the_last_member_are_padding_and_other_bytes_are_garbage() {
        let one = gzip(b"one");
        for nuls in [1, 17, 10_240, 200_000] {
            let padded = [&one[..], &vec![0; nuls]].concat();
            assert_eq!(read(Compression::Gzip, &padded).unwrap(), 3, "{nuls}");
            for garbage in [&b"x"[..], &one] {
                let error = read(Compression::Gzip, &[&padded[..], garbage].concat()).unwrap_err();
                assert!(error.to_string().contains("garbage"), "{error}");
            }
        }
        for garbage in [&b"x"[..], b"no gzip at all", &one[..7]] {
            let error = read(Compression::Gzip, &[&one[..], garbage].concat()).unwrap_err();
            assert!(!error.to_string().contains("padding"), "{error}");
        }
        assert_eq!(read(Compression::Gzip, &[gzip(b""), gzip(b""), one].concat()).unwrap(), 3);
    }

    #[test]
    fn a_decompression_bomb_is_reported() {
        let bomb = zstd::encode_all(io::repeat(0).take(100 << 20), 3).unwrap();
        let error = read(Compression::Zstd, &bomb).unwrap_err().to_string();
        assert!(error.starts_with("expands more than 1000 times"), "{error}");
    }

    #[test]
    fn a_huge_window_is_refused() {
        let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
        encoder.window_log(27).unwrap();
        encoder.write_all(&[b'x'; 1000]).unwrap();
        let long = encoder.finish().unwrap();
        let error = read(Compression::Zstd, &long).unwrap_err().to_string();
        assert!(error.to_lowercase().contains("memory"), "{error}");
    }

    #[test]
    fn a_source_that_ends_before_its_size_is_known() {
        let meter = Meter::new(Gate::Open);
        let mut reader = meter.count(&b"four"[..]);
        reader.read_exact(&mut [0; 4]).unwrap();
        assert!(!meter.ended_before(5), "more may come");
        assert_eq!(reader.read(&mut [0; 4]).unwrap(), 0);
        assert!(meter.ended_before(5));
        assert!(!meter.ended_before(4));
    }

    #[test]
    fn a_truncated_stream_is_an_error() {
        let whole = gzip(&b"text ".repeat(1000));
        assert!(read(Compression::Gzip, &whole[..whole.len() - 9]).is_err());
    }
}
