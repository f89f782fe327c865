//! Decompression with bounds: windows are capped, and so is how far a stream may expand.
//!
//! A window fills as the stream is decoded, so a source of many small streams costs little. One
//! that has expanded beyond [`SMALL`] passes its [`Gate`]: the windows of one source at a time fill,
//! however many cores decode.

use std::cell::Cell;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::rc::Rc;

use flate2::read::MultiGzDecoder;
use liblzma::read::XzDecoder;
use liblzma::stream::{CONCATENATED, Stream};

use super::budget::Gate;

/// How a stream is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    Gzip,
    Zstd,
    Xz,
}

/// Largest zstd window, as a power of two in bytes: 32 MiB. `zstd -19` needs 8 MiB, `--long` 128.
const ZSTD_WINDOW_LOG: u32 = 25;
/// Memory an xz decoder may take, in bytes: `xz -9` needs 65 MiB.
const XZ_MEMORY: u64 = 66 << 20;
/// The same for a stream inside a compressed stream: 8 MiB for zstd, 10 MiB for xz (`xz -6`).
const INNER_ZSTD_WINDOW_LOG: u32 = 23;
const INNER_XZ_MEMORY: u64 = 10 << 20;
/// Bytes that a stream may expand to before its window counts.
const SMALL: u64 = 1 << 20;
/// Bytes that any stream may expand to, whatever its size.
const FLOOR: u64 = 64 << 20;
/// Beyond [`FLOOR`], bytes out for a byte on the disk. Mail compresses to a tenth, and to a hundredth
/// when an archive holds many copies; deflate alone cannot do more than 1032, nested it can.
const RATIO: u64 = 1_000;

/// Counts the bytes that leave the disk, under however many layers of compression, and passes the
/// gate for their windows.
#[derive(Clone)]
pub struct Meter<'w>(Rc<Gauge<'w>>);

struct Gauge<'w> {
    bytes: Cell<u64>,
    /// Streams with a window that are open, one inside the other.
    open: Cell<u32>,
    gate: Gate<'w>,
    passed: Cell<bool>,
}

impl<'w> Meter<'w> {
    /// For one source.
    pub fn new(gate: Gate<'w>) -> Meter<'w> {
        Meter(Rc::new(Gauge {
            bytes: Cell::new(0),
            open: Cell::new(0),
            gate,
            passed: Cell::new(false),
        }))
    }

    /// Counts what is read through it.
    pub fn count<R: Read>(&self, reader: R) -> Metered<'w, R> {
        Metered { reader, meter: self.clone() }
    }

    pub fn bytes(&self) -> u64 {
        self.0.bytes.get()
    }

    fn fill_windows(&self) {
        if !self.0.passed.replace(true) {
            self.0.gate.pass();
        }
    }
}

/// The decompressed stream. Fails with the reason when a window, the memory or the expansion is
/// over its bound.
pub fn decoder<'r, 'w: 'r>(
    coding: Coding,
    reader: Box<dyn Read + 'r>,
    meter: &Meter<'w>,
) -> io::Result<Box<dyn Read + 'r>> {
    let outermost = meter.0.open.get() == 0;
    let plain: Box<dyn Read + 'r> = match coding {
        Coding::Gzip => Box::new(MultiGzDecoder::new(BufReader::with_capacity(1 << 16, reader))),
        Coding::Zstd => {
            let mut decoder = zstd::Decoder::new(reader)?;
            let window = if outermost { ZSTD_WINDOW_LOG } else { INNER_ZSTD_WINDOW_LOG };
            decoder.window_log_max(window)?;
            Box::new(decoder)
        }
        Coding::Xz => {
            let memory = if outermost { XZ_MEMORY } else { INNER_XZ_MEMORY };
            let stream = Stream::new_stream_decoder(memory, CONCATENATED)?;
            Box::new(XzDecoder::new_stream(reader, stream))
        }
    };
    Ok(Box::new(Capped::new(plain, coding, meter.clone())))
}

/// A reader whose bytes a [`Meter`] counts.
pub struct Metered<'w, R> {
    reader: R,
    meter: Meter<'w>,
}

impl<R: Read> Read for Metered<'_, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.reader.read(out)?;
        self.meter.0.bytes.set(self.meter.0.bytes.get() + n as u64);
        Ok(n)
    }
}

impl<R: Seek> Seek for Metered<'_, R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.reader.seek(to)
    }
}

struct Capped<'w, R> {
    reader: R,
    out: u64,
    window: Window,
    meter: Meter<'w>,
}

/// Whether a stream's window is worth counting: that of gzip holds 32 KiB.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Window {
    Small,
    Large,
}

impl<'w, R> Capped<'w, R> {
    fn new(reader: R, coding: Coding, meter: Meter<'w>) -> Self {
        let window = match coding {
            Coding::Gzip => Window::Small,
            Coding::Zstd | Coding::Xz => Window::Large,
        };
        meter.0.open.set(meter.0.open.get() + u32::from(window == Window::Large));
        Capped { reader, out: 0, window, meter }
    }
}

impl<R> Drop for Capped<'_, R> {
    fn drop(&mut self) {
        let open = self.meter.0.open.get() - u32::from(self.window == Window::Large);
        self.meter.0.open.set(open);
    }
}

impl<R: Read> Read for Capped<'_, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.out >= SMALL && self.window == Window::Large {
            self.meter.fill_windows();
        }
        let n = self.reader.read(out)?;
        self.out += n as u64;
        if self.out > FLOOR + RATIO * self.meter.bytes() {
            return Err(io::Error::other(format!(
                "expands more than {RATIO} times: {} bytes from {}",
                self.out,
                self.meter.bytes()
            )));
        }
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn read(coding: Coding, bytes: &[u8]) -> io::Result<usize> {
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

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn members_follow_one_another() {
        let two = [gzip(b"one"), gzip(b"two!")].concat();
        assert_eq!(read(Coding::Gzip, &two).unwrap(), 7);
        let two =
            [zstd::encode_all(&b"one"[..], 1).unwrap(), zstd::encode_all(&b"two!"[..], 1).unwrap()]
                .concat();
        assert_eq!(read(Coding::Zstd, &two).unwrap(), 7);
    }

    #[test]
    fn a_bomb_is_named() {
        let bomb = zstd::encode_all(io::repeat(0).take(100 << 20), 3).unwrap();
        let error = read(Coding::Zstd, &bomb).unwrap_err().to_string();
        assert!(error.starts_with("expands more than 1000 times"), "{error}");
    }

    #[test]
    fn a_huge_window_is_refused() {
        let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
        encoder.window_log(27).unwrap();
        encoder.write_all(&[b'x'; 1000]).unwrap();
        let long = encoder.finish().unwrap();
        let error = read(Coding::Zstd, &long).unwrap_err().to_string();
        assert!(error.to_lowercase().contains("memory"), "{error}");
    }

    #[test]
    fn what_is_cut_short_is_an_error() {
        let whole = gzip(&b"text ".repeat(1000));
        assert!(read(Coding::Gzip, &whole[..whole.len() - 9]).is_err());
    }
}
