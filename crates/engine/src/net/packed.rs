//! What base64 is wrapped round, and text of several bytes a character.

use uts58::base64;

/// The body without line ends.
pub struct Packed {
    pub bytes: Vec<u8>,
    /// Where lines begin: in `bytes`, in the body.
    lines: Vec<(usize, usize)>,
}

impl Packed {
    /// Lines of base64 alone: what holds blanks or markup is none.
    pub fn of(body: &[u8]) -> Packed {
        let mut packed = Packed { bytes: Vec::new(), lines: Vec::new() };
        // Few bodies have lines that end in a carriage return alone.
        match has_lone_carriage(body) {
            true => packed.read(body, memchr::memchr2_iter(b'\n', b'\r', body)),
            false => packed.read(body, memchr::memchr_iter(b'\n', body)),
        }
        packed
    }

    fn read(&mut self, body: &[u8], ends: impl Iterator<Item = usize>) {
        let mut at = 0;
        for end in ends.chain([body.len()]) {
            let line = body.get(at..end).unwrap_or_default().trim_ascii_end();
            let content = line.trim_ascii_start();
            let digits = content.first().is_some_and(|byte| base64::digit(*byte).is_some())
                && content
                    .last()
                    .is_some_and(|byte| base64::digit(*byte).is_some() || *byte == b'=')
                && memchr::memchr3(b' ', b'<', b'.', content).is_none();
            if digits {
                self.lines.push((self.bytes.len(), at + line.len() - content.len()));
                match content.is_ascii() {
                    true => self.bytes.extend_from_slice(content),
                    // To decoders what is no digit is nothing.
                    false => self.bytes.extend(content.iter().filter(|byte| byte.is_ascii())),
                }
            }
            at = end + 1;
        }
    }

    pub fn source(&self, at: usize) -> usize {
        let line = self.lines.partition_point(|(start, _)| *start <= at);
        let line = line.checked_sub(1).and_then(|line| self.lines.get(line));
        line.map_or(0, |(start, source)| source + (at - start))
    }
}

/// Whether a carriage return stands before anything but a line feed.
fn has_lone_carriage(body: &[u8]) -> bool {
    let pairs = body.iter().zip(body.get(1..).unwrap_or_default());
    // Every pair is looked at: a loop without a way out takes many at once.
    pairs.fold(false, |lone, (byte, next)| lone | (*byte == b'\r' && *next != b'\n'))
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Order {
    Little,
    Big,
}

/// UTF-16 or UTF-32 as UTF-8, from the first byte that is not NUL, which begins an ASCII character in the one
/// order and ends it in the other.
pub fn wide(bytes: &[u8], width: usize, order: Order) -> Vec<u8> {
    let start = bytes.iter().position(|byte| *byte != 0).unwrap_or(0);
    let mut aligned = vec![0; if order == Order::Big { width - 1 } else { 0 }];
    aligned.extend_from_slice(bytes.get(start..).unwrap_or_default());
    let units = aligned.chunks_exact(width).map_while(|unit| {
        let value = |sum: u32, byte: &u8| sum << 8 | u32::from(*byte);
        char::from_u32(match order {
            Order::Little => unit.iter().rev().fold(0, value),
            Order::Big => unit.iter().fold(0, value),
        })
    });
    units.collect::<String>().into_bytes()
}

/// EBCDIC as ASCII, as far as hosts go (code page 037; others agree in these).
pub fn ebcdic(bytes: &[u8]) -> Vec<u8> {
    let ascii = |byte: &u8| match byte {
        0x81..=0x89 => byte - 0x81 + b'a',
        0x91..=0x99 => byte - 0x91 + b'j',
        0xA2..=0xA9 => byte - 0xA2 + b's',
        0xC1..=0xC9 => byte - 0xC1 + b'a',
        0xD1..=0xD9 => byte - 0xD1 + b'j',
        0xE2..=0xE9 => byte - 0xE2 + b's',
        0xF0..=0xF9 => byte - 0xF0 + b'0',
        0x4B => b'.',
        0x60 => b'-',
        0x61 => b'/',
        0x7A => b':',
        _ => b' ',
    };
    bytes.iter().map(ascii).collect()
}

/// Blocks of yEnc: where each stands, and what its lines stand for (yEnc 1.3).
pub fn yenc(body: &[u8]) -> Vec<(usize, Vec<u8>)> {
    let mut found = Vec::new();
    let mut end = 0;
    for at in memchr::memmem::find_iter(body, b"=ybegin ") {
        if at < end {
            continue;
        }
        let rest = body.get(at..).unwrap_or_default();
        let length = memchr::memmem::find(rest, b"=yend").unwrap_or(rest.len());
        end = at + length;
        let lines = rest.get(..length).unwrap_or_default();
        let data = lines.split(|byte| *byte == b'\n').skip(1);
        let data = data.filter(|line| !line.starts_with(b"=ypart"));
        found.push((at, data.flat_map(yenc_line).collect()));
    }
    found
}

fn yenc_line(line: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(line.len());
    let mut bytes = line.strip_suffix(b"\r").unwrap_or(line).iter();
    while let Some(byte) = bytes.next() {
        let escaped = match byte {
            b'=' => bytes.next().map_or(0, |byte| byte.wrapping_sub(64)),
            byte => *byte,
        };
        out.push(escaped.wrapping_sub(42));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_are_told_by_their_nuls() {
        let text = "//раypal.com";
        for width in [2, 4] {
            let little: Vec<u8> =
                text.chars().flat_map(|c| u32::from(c).to_le_bytes()[..width].to_vec()).collect();
            assert_eq!(wide(&little, width, Order::Little), text.as_bytes());
            let big: Vec<u8> = text
                .chars()
                .flat_map(|c| u32::from(c).to_be_bytes()[4 - width..].to_vec())
                .collect();
            assert_eq!(wide(&big, width, Order::Big), text.as_bytes());
        }
    }

    #[test]
    fn yenc_is_unwrapped() {
        let body = b"hi\r\n=ybegin line=128 size=3 name=a\r\nkl=}\r\n=yend size=3\r\n";
        assert_eq!(yenc(body), [(4, b"AB\x13".to_vec())]);
        assert!(yenc(b"=ybegin ").iter().all(|(_, bytes)| bytes.is_empty()));
    }
}
