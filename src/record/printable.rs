//! Makes text safe for a log line, the journal and a mail: ASCII without control characters and without live links.

use std::fmt::Write;

use crate::engine::fields;
use crate::engine::link::to_ascii;

/// Longest host, in characters of its ASCII form: a DNS name holds at most 253.
pub const MAX_HOST_CHARS: usize = 253;

/// Longest queue id, in characters. Postfix writes up to 20, Sendmail 14.
pub const MAX_QUEUE_ID_CHARS: usize = 64;

/// A host in ASCII form, lower case. Any other byte is written `{XX}` in hexadecimal, so that nothing outside of
/// `a-z 0-9 . - _ : [ ] { }` remains.
pub fn host(ascii: &str) -> String {
    escaped(ascii.as_bytes(), |_| None)
}

/// The host without what has to be escaped. `kept` is the length of what stays as it is at the start of these bytes.
fn escaped(mut rest: &[u8], kept: impl Fn(&[u8]) -> Option<usize>) -> String {
    let mut out = String::with_capacity(rest.len().min(MAX_HOST_CHARS));
    while let Some((byte, after)) = rest.split_first()
        && out.len() < MAX_HOST_CHARS
    {
        if let Some((stays, behind)) = kept(rest).and_then(|length| rest.split_at_checked(length)) {
            out.extend(stays.iter().copied().map(char::from));
            rest = behind;
            continue;
        }
        match byte.to_ascii_lowercase() {
            byte @ (b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-' | b'_' | b':' | b'[' | b']') => {
                out.push(char::from(byte));
            }
            // Writing to a String cannot fail.
            other => drop(write!(out, "{{{other:02X}}}")),
        }
        rest = after;
    }
    out
}

/// The length of the escape that [`host`] wrote at the start of these bytes.
fn escape(bytes: &[u8]) -> Option<usize> {
    let [b'{', high, low, b'}', ..] = bytes else { return None };
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'A'..=b'F');
    (is_digit(high) && is_digit(low)).then_some(4)
}

/// A host that no client turns into a link: every dot and colon bracketed. One from the journal is escaped already,
/// which is not done again.
pub fn defanged(ascii: &str) -> String {
    fields::defanged(&escaped(ascii.as_bytes(), escape))
}

/// The host of a link as [`defanged`]; a link may have none.
pub fn host_of_link(ascii: &str) -> String {
    if ascii.is_empty() { "(no host)".to_owned() } else { defanged(ascii) }
}

/// The domain of an envelope sender as [`defanged`]; the null sender has none.
pub fn sender(domain: &str) -> String {
    if domain.is_empty() { "<>".to_owned() } else { defanged(domain) }
}

/// The domain of a mail address in ASCII form: local parts are never recorded. Empty for the null sender and for an
/// address without a domain.
pub fn domain(address: &str) -> String {
    let address = address.trim().trim_start_matches('<').trim_end_matches('>');
    let Some((_, domain)) = address.rsplit_once('@') else {
        return String::new();
    };
    // Most domains are plain: IDNA does not change them.
    let plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-');
    if domain.bytes().all(plain) && !domain.contains("--") {
        return host(domain);
    }
    match to_ascii(domain) {
        Some(ascii) => host(&ascii),
        None => host(domain),
    }
}

/// A queue id: letters, digits and `. - _`; anything else becomes `?`.
pub fn queue_id(id: &str) -> String {
    let plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '.' | '-' | '_');
    id.chars().take(MAX_QUEUE_ID_CHARS).map(|char| if plain(char) { char } else { '?' }).collect()
}

/// A short label from the operator's configuration or from the program: printable ASCII.
pub fn label(text: &str) -> String {
    text.chars().take(80).map(|char| if matches!(char, ' '..='~') { char } else { '?' }).collect()
}

/// A line that this program wrote for people, such as an error: printable ASCII.
pub fn line(text: &str) -> String {
    const MAX_LINE_CHARS: usize = 900;
    let plain = |char: char| if matches!(char, ' '..='~') { char } else { '?' };
    text.chars().take(MAX_LINE_CHARS).map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn local_parts_are_dropped() {
        assert_eq!(domain("<alice@example.org>"), "example.org");
        assert_eq!(domain("alice@bücher.example"), "xn--bcher-kva.example");
        assert_eq!(domain("\"odd@name\"@example.org"), "example.org");
        assert_eq!(domain("<>"), "");
        assert_eq!(domain("alice"), "");
    }

    #[test]
    fn nothing_is_clickable() {
        assert_eq!(defanged("xn--pypal-4ve.com"), "xn--pypal-4ve[.]com");
        assert_eq!(defanged("[2001:db8::1]"), "2001[:]db8[:][:]1");
        assert_eq!(host("a\r\nb c"), "a{0D}{0A}b{20}c");
        assert_eq!(defanged("a\rb.c"), "a{0D}b[.]c");
        assert_eq!(defanged(&host("a\rb.c")), "a{0D}b[.]c", "it is read from the journal");
        assert_eq!(defanged("{0d}{0D{A}"), "{7B}0d{7D}{7B}0d{7B}a{7D}");
        assert_eq!(queue_id("4X\n<y>"), "4X??y?");
    }

    proptest! {
        #[test]
        fn only_safe_ascii_comes_out(text in "\\PC{0,300}|[\\x00-\\x7f]{0,300}") {
            let safe = |char: char| matches!(char, 'a'..='z' | 'A'..='F' | '0'..='9' | '.' | '-' | '_' | ':' | '[' | ']' | '{' | '}');
            prop_assert!(host(&text).chars().all(safe));
            prop_assert!(domain(&text).chars().all(safe));
            prop_assert_eq!(defanged(&host(&text)), fields::defanged(&host(&text)));
            prop_assert!(defanged(&text).replace("[.]", "").replace("[:]", "").chars().all(|c| safe(c) && !matches!(c, '.' | ':')));
            prop_assert!(queue_id(&text).chars().count() <= MAX_QUEUE_ID_CHARS);
            prop_assert!(label(&text).chars().all(|char| matches!(char, ' '..='~')));
        }
    }
}
