//! Text of script and of JSON as a reader of its strings has it: escapes decoded (ECMA-262 §12.9.4,
//! RFC 8259 §7). What is a string and what is not is not asked: outside of strings a backslash stands in
//! regular expressions alone.

use super::mapped::{Builder, MappedText};

/// The text with its escapes decoded.
pub fn unescaped(seen: MappedText<'_>) -> MappedText<'_> {
    let text = seen.as_str();
    if memchr::memchr(b'\\', text.as_bytes()).is_none() {
        return seen;
    }
    let mut plain = Builder::with_capacity(text.len());
    let mut done = 0;
    while let Some(found) = text.get(done..).and_then(|rest| rest.find('\\')) {
        let at = done + found;
        plain.linear(text.get(done..at).unwrap_or_default(), done);
        let (c, len) = text.get(at..).and_then(escape).unwrap_or(('\\', 1));
        plain.unit(c.encode_utf8(&mut [0; 4]), at..at + len);
        done = at + len;
    }
    plain.linear(text.get(done..).unwrap_or_default(), done);
    plain.finish().over(&seen)
}

/// The escape that the text begins with: its character and its length. `\uD83D\uDE00` is one.
pub fn escape(text: &str) -> Option<(char, usize)> {
    let behind = text.strip_prefix('\\')?;
    if let Some(hex) = behind.strip_prefix("u{") {
        let (digits, _) = hex.get(..hex.len().min(LONGEST)).unwrap_or(hex).split_once('}')?;
        return Some((char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, digits.len() + 4));
    }
    if let Some(hex) = behind.strip_prefix('u') {
        let unit = number(hex, 4)?;
        let Some(c) = char::from_u32(unit) else {
            let low = number(hex.get(4..)?.strip_prefix("\\u")?, 4)?;
            let pair = [u16::try_from(unit).ok()?, u16::try_from(low).ok()?];
            return Some((char::decode_utf16(pair).next()?.ok()?, 12));
        };
        return Some((c, 6));
    }
    if let Some(hex) = behind.strip_prefix('x') {
        return Some((char::from_u32(number(hex, 2)?)?, 4));
    }
    let c = behind.chars().next()?;
    let plain = match c {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'b' => '\u{8}',
        'f' => '\u{c}',
        c if c.is_ascii_alphanumeric() => return None,
        c => c,
    };
    Some((plain, 1 + c.len_utf8()))
}

/// Bytes of `\u{…}` between its signs and the closing one: six digits, and zeros before them.
const LONGEST: usize = 12;

fn number(text: &str, digits: usize) -> Option<u32> {
    let digits = text.get(..digits).filter(|hex| hex.bytes().all(|c| c.is_ascii_hexdigit()))?;
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_of_strings() {
        for (written, read) in [
            (r"https:\/\/example.com\/x", "https://example.com/x"),
            (r"\u0440\u0430ypal\x2ecom", "раypal.com"),
            (r"\u{440}\u{000430}ypal", "раypal"),
            (r"\uD83D\uDE00 \ud83d \u12", "\u{1F600} \\ud83d \\u12"),
            (r#"\"a\\b\n\d"#, "\"a\\b\n\\d"),
            (r"a\", "a\\"),
            (r"\é", "é"),
        ] {
            let seen = unescaped(MappedText::slice(written, 7));
            assert_eq!(seen.as_str(), read, "{written}");
        }
        let seen = unescaped(MappedText::slice(r"a\/b", 7));
        assert_eq!(
            (seen.source(0..1), seen.source(1..2), seen.source(2..3)),
            (7..8, 8..10, 10..11)
        );
    }
}
