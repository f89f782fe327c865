//! Base64 in one piece (RFC 4648 §4 and §5): in URL queries, calendar properties and other places
//! without a declared transfer encoding.

use alloc::vec::Vec;

/// Units of four digits whose bytes are written at once.
const UNITS: usize = 16;

/// Decodes the leading digits, in either alphabet; bits that do not fill a byte are dropped.
pub fn decode(digits: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3);
    let (units, _) = digits.as_chunks::<4>();
    for several in units.chunks(UNITS) {
        let mut written = [[0; 3]; UNITS];
        let mut count = 0;
        for (three, unit) in written.iter_mut().zip(several) {
            let [a, b, c, d] = unit.map(bits);
            if (a | b | c | d) >= NONE {
                break;
            }
            *three = [a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d];
            count += 1;
        }
        bytes.extend_from_slice(written.get(..count).unwrap_or_default().as_flattened());
        if count < several.len() {
            break;
        }
    }
    let rest = digits.get(bytes.len() / 3 * 4..).unwrap_or_default();
    let (mut bits, mut count) = (0_u32, 0_u32);
    for value in rest.iter().map_while(|byte| digit(*byte)) {
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xFF).unwrap_or_default());
        }
        bits &= (1 << count) - 1;
    }
    bytes
}

/// The six bits of a digit.
#[inline]
pub fn digit(byte: u8) -> Option<u8> {
    Some(bits(byte)).filter(|bits| *bits < NONE)
}

#[inline]
fn bits(byte: u8) -> u8 {
    DIGITS.get(usize::from(byte)).copied().unwrap_or(NONE)
}

/// Value of bytes that are no digit.
const NONE: u8 = 64;

/// The six bits of each byte, or [`NONE`].
static DIGITS: [u8; 256] = {
    let mut digits = [NONE; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
        {
            digits[byte] = match b {
                b'A'..=b'Z' => b - b'A',
                b'a'..=b'z' => b - b'a' + 26,
                b'0'..=b'9' => b - b'0' + 52,
                b'-' | b'+' => 62,
                b'_' | b'/' => 63,
                _ => NONE,
            };
        }
        byte += 1;
    }
    digits
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_alphabets_up_to_the_padding() {
        assert_eq!(decode(b"aHR0cHM6Ly9hLmI=="), b"https://a.b");
        assert_eq!(decode(b"-_-_"), decode(b"+/+/"));
        assert_eq!(decode(b"QUJ"), b"AB");
        assert_eq!(decode(b""), b"");
    }
}
