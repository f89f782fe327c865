//! Base64 in one piece (RFC 4648 §4 and §5): in queries of URLs, properties of calendars, anywhere that no
//! transfer encoding is declared.

/// What the digits at the front stand for, in either alphabet; bits that make no byte are dropped.
pub fn decode(digits: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0_u32);
    for value in digits.iter().map_while(|byte| digit(*byte)) {
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
pub fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'-' | b'+' => Some(62),
        b'_' | b'/' => Some(63),
        _ => None,
    }
}

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
