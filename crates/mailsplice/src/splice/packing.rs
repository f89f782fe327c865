//! How a recipe is serialized: numbers and byte strings, deflate, base64.

use base64::engine::general_purpose::{GeneralPurpose, PAD};
use base64::{Engine as _, alphabet};
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

/// Writes numbers (LEB128) and byte strings.
#[derive(Default)]
pub(super) struct Packer(Vec<u8>);

impl Packer {
    pub fn with_capacity(bytes: usize) -> Packer {
        Packer(Vec::with_capacity(bytes))
    }

    pub fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push((number & 0x7F) as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.raw(bytes);
    }

    pub fn raw(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    pub fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// Reads what a [`Packer`] wrote; `None` at anything else.
pub(super) struct Unpacker<'a>(&'a [u8]);

impl<'a> Unpacker<'a> {
    pub fn new(bytes: &'a [u8]) -> Unpacker<'a> {
        Unpacker(bytes)
    }

    pub fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..63).step_by(7) {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.number()?;
        self.raw(usize::try_from(length).ok()?)
    }

    pub fn raw(&mut self, length: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }
}

/// Bytes up to which compression gains nothing: the hash of the original, which is most of a
/// small recipe, does not shrink, and setting up a compressor costs more than judging the message.
const UNCOMPRESSED_BYTES: u16 = 256;

/// A recipe of more bytes is compressed fast: it would hardly ever fit into a header.
const LONG_BYTES: usize = 32 << 10;

/// The zlib level for long recipes; 1 is the fastest, 9 the smallest.
const FAST_LEVEL: u32 = 2;

/// Raw deflate (RFC 1951).
pub(super) fn deflate(plain: &[u8]) -> Vec<u8> {
    match u16::try_from(plain.len()) {
        Ok(length) if length <= UNCOMPRESSED_BYTES => stored(plain, length),
        _ => compressed(plain),
    }
}

/// One last block without compression (RFC 1951 §3.2.4).
fn stored(plain: &[u8], length: u16) -> Vec<u8> {
    let mut out = Vec::with_capacity(plain.len() + 5);
    out.push(1);
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(&(!length).to_le_bytes());
    out.extend_from_slice(plain);
    out
}

fn compressed(plain: &[u8]) -> Vec<u8> {
    let level =
        if plain.len() > LONG_BYTES { Compression::new(FAST_LEVEL) } else { Compression::best() };
    let mut engine = Compress::new(level, false);
    let mut out = Vec::with_capacity(plain.len() / 2 + 64);
    loop {
        let taken = usize::try_from(engine.total_in()).unwrap_or(plain.len());
        let rest = plain.get(taken..).unwrap_or_default();
        match engine.compress_vec(rest, &mut out, FlushCompress::Finish) {
            Ok(Status::StreamEnd) | Err(_) => return out,
            Ok(_) => out.reserve(out.capacity().max(64)),
        }
    }
}

/// Inflates to at most `limit` bytes; `None` for a broken stream or a longer one.
pub(super) fn inflate(packed: &[u8], limit: usize) -> Option<Vec<u8>> {
    let mut engine = Decompress::new(false);
    let mut out = Vec::with_capacity(limit.min(packed.len().saturating_mul(4)) + 64);
    let mut idle = 0;
    loop {
        let taken = usize::try_from(engine.total_in()).ok()?;
        let before = out.len();
        let rest = packed.get(taken..)?;
        let status = engine.decompress_vec(rest, &mut out, FlushDecompress::None).ok()?;
        if out.len() > limit {
            return None;
        }
        if status == Status::StreamEnd {
            return Some(out);
        }
        // One round without output may be internal work; a second one is the end of the input.
        idle = if out.len() == before && engine.total_in() == taken as u64 { idle + 1 } else { 0 };
        if idle > 1 {
            return None;
        }
        out.reserve(out.capacity().min(limit).max(64));
    }
}

/// RFC 4648 §4, with padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, PAD);

/// The same; when decoding, trailing bits are allowed.
const LENIENT: GeneralPurpose =
    GeneralPurpose::new(&alphabet::STANDARD, PAD.with_decode_allow_trailing_bits(true));

/// What the bits of the last character are that belong to no byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bits {
    Any,
    /// As they are encoded.
    Zero,
}

pub(super) fn to_base64(bytes: &[u8]) -> String {
    BASE64.encode(bytes)
}

/// Whether there is white space. All bytes are tested, so that many are at once.
pub(super) fn has_space(bytes: &[u8]) -> bool {
    bytes.iter().fold(false, |any, byte| any | byte.is_ascii_whitespace())
}

/// Decodes strictly except for white space, which is ignored, and for unused bits. `None` for anything else.
pub(super) fn from_base64(text: &[u8], unused: Bits) -> Option<Vec<u8>> {
    let engine = if unused == Bits::Any { LENIENT } else { BASE64 };
    if !has_space(text) {
        return engine.decode(text).ok();
    }
    let mut dense = Vec::with_capacity(text.len());
    for line in text.split(u8::is_ascii_whitespace) {
        dense.extend_from_slice(line);
    }
    engine.decode(dense).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_strings_come_back() {
        let mut writer = Packer::default();
        for number in [0, 1, 127, 128, 300, u64::from(u32::MAX)] {
            writer.number(number);
        }
        writer.bytes(b"abc");
        let plain = writer.finish();
        let mut reader = Unpacker::new(&plain);
        for number in [0, 1, 127, 128, 300, u64::from(u32::MAX)] {
            assert_eq!(reader.number(), Some(number));
        }
        assert_eq!(reader.bytes(), Some(&b"abc"[..]));
        assert_eq!(reader.number(), None);
    }

    #[test]
    fn small_recipes_are_stored_and_others_shrink() {
        for length in [0, 1, 100, 256, 257, 1_000, 70_000] {
            let plain: Vec<u8> = (0..length).map(|at: u32| (at / 7) as u8).collect();
            let packed = deflate(&plain);
            assert_eq!(
                inflate(&packed, plain.len()).as_deref(),
                Some(plain.as_slice()),
                "{length}"
            );
            let bound = if length <= 256 { plain.len() + 5 } else { plain.len() * 3 / 4 };
            assert!(packed.len() <= bound, "{length}: {}", packed.len());
        }
    }

    #[test]
    fn inflating_is_bounded() {
        let bomb = deflate(&vec![0; 1 << 20]);
        assert!(bomb.len() < 2000);
        assert_eq!(inflate(&bomb, 1000), None);
        assert_eq!(inflate(&bomb, 1 << 20).map(|plain| plain.len()), Some(1 << 20));
        assert_eq!(inflate(b"\xff\xff", 10), None);
    }

    #[test]
    fn rfc_4648_vectors() {
        for (plain, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(to_base64(plain.as_bytes()), text);
            assert_eq!(from_base64(text.as_bytes(), Bits::Zero).as_deref(), Some(plain.as_bytes()));
        }
        assert_eq!(from_base64(b"Zg=", Bits::Any), None);
        assert_eq!(from_base64(b"Z!==", Bits::Any), None);
    }
}
