//! Bytes as hexadecimal digits.

/// The digits of bytes, in lower case.
pub fn encode(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |value: u8| DIGITS.get(usize::from(value)).map_or('0', |digit| char::from(*digit));
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// The bytes of digits in upper or lower case. `None` if one is none, or their number is odd.
pub fn decode(digits: &[u8]) -> Option<Vec<u8>> {
    let (pairs, []) = digits.as_chunks() else { return None };
    pairs.iter().map(|[high, low]| pair(*high, *low)).collect()
}

/// The byte of two digits, in upper or lower case.
pub fn pair(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(high)? << 4 | digit(low)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_read_as_they_are_written() {
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(decode(encode(&bytes).as_bytes()), Some(bytes));
        assert_eq!((decode(b""), decode(b"aF")), (Some(vec![]), Some(vec![0xAF])));
        for none in ["a", "abc", "+1", "g0", " 1", "\u{e9}"] {
            assert_eq!(decode(none.as_bytes()), None, "{none}");
        }
    }
}
