//! Separators of an mbox: the `From ` line that begins a message (RFC 4155, Appendix A), in the forms
//! that real files have.

use memchr::{memchr, memmem};

/// A `From ` line is shorter than this, in bytes. Real ones have less than 150.
pub(super) const FROM_LINE_BYTES: usize = 1024;

/// Whether a separator begins here: a `From ` line with a date, before a header field. `None` when
/// more bytes are needed. `ended`: no more bytes follow.
pub(super) fn is_separator(bytes: &[u8], ended: bool) -> Option<bool> {
    let unless_more = |enough: bool| if enough || ended { Some(false) } else { None };
    if !bytes.starts_with(b"From ") {
        return unless_more(bytes.len() >= 5);
    }
    let window = bytes.get(..FROM_LINE_BYTES.min(bytes.len())).unwrap_or(bytes);
    let Some(end) = memchr(b'\n', window) else {
        return unless_more(bytes.len() >= FROM_LINE_BYTES);
    };
    if !is_from_line(window.get(..end).unwrap_or_default()) {
        return Some(false);
    }
    let next = bytes.get(end + 1..).unwrap_or_default();
    let name = next
        .get(..next.len().min(FROM_LINE_BYTES))
        .unwrap_or_default()
        .iter()
        .take_while(|byte| byte.is_ascii_graphic() && **byte != b':')
        .count();
    match next.get(name) {
        Some(b':') => Some(name > 0),
        Some(b' ') if next.starts_with(b">From ") => Some(true),
        Some(_) => Some(false),
        None => unless_more(next.len() >= FROM_LINE_BYTES),
    }
}

/// The result of [`find_separator`].
pub(super) enum Search {
    Found {
        content: usize,
        next: usize,
    },
    /// Not found. With more bytes, continue the search here.
    Resume(usize),
}

/// Finds the separator that ends the message.
pub(super) fn find_separator(bytes: &[u8], from: usize, ended: bool) -> Search {
    let finder = memmem::Finder::new(b"\nFrom ");
    let mut at = from;
    while let Some(found) = bytes.get(at..).and_then(|rest| finder.find(rest)) {
        let newline = at + found;
        let content = match bytes.get(..newline) {
            Some([.., b'\n']) => Some(newline),
            Some([.., b'\n', b'\r']) => Some(newline - 1),
            _ => None,
        };
        if let Some(content) = content {
            match is_separator(bytes.get(newline + 1..).unwrap_or_default(), ended) {
                Some(true) => return Search::Found { content, next: newline + 1 },
                Some(false) => {}
                None => return Search::Resume(newline),
            }
        }
        at = newline + 1;
    }
    Search::Resume(at.max(bytes.len().saturating_sub(5)))
}

/// End of the last message. The empty line after it belongs to the mbox.
pub(super) fn last_content(rest: &[u8]) -> usize {
    match rest {
        [.., b'\n', b'\r', b'\n'] => rest.len() - 2,
        [.., b'\n', b'\n'] => rest.len() - 1,
        _ => rest.len(),
    }
}

/// Whether a message contains an unquoted separator.
pub(super) fn has_bare_separator(bytes: &[u8], from_line_len: usize) -> bool {
    matches!(find_separator(bytes, from_line_len.saturating_sub(1), true), Search::Found { .. })
}

/// Whether a line is `From address date`: a month, a time and a year, in any order and with any
/// zone (asctime, RFC 5322, Takeout), or Thunderbird's `From -`.
pub fn is_from_line(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    let Some(rest) = line.strip_prefix(b"From ") else { return false };
    let rest = rest.trim_ascii();
    if rest == b"-" {
        return true;
    }
    let (mut month, mut time, mut year) = (false, false, false);
    for word in rest.split(|byte| matches!(byte, b' ' | b'\t' | b',')) {
        month |= word.len() == 3 && MONTHS.iter().any(|name| name.eq_ignore_ascii_case(word));
        time |= is_time(word);
        year |= word.len() == 4
            && (word.starts_with(b"19") || word.starts_with(b"20"))
            && word.iter().all(u8::is_ascii_digit);
    }
    month && time && year
}

const MONTHS: [&[u8]; 12] = [
    b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec",
];

fn is_time(word: &[u8]) -> bool {
    let mut fields = 0;
    for field in word.split(|byte| *byte == b':') {
        if !matches!(field.len(), 1 | 2) || !field.iter().all(u8::is_ascii_digit) {
            return false;
        }
        fields += 1;
    }
    matches!(fields, 2 | 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_lines() {
        for line in [
            "From bob@example.com Thu Aug 22 12:36:23 2002",
            "From bob@example.com  Thu Aug  2 12:36 2002",
            "From bob Mon Jan  1 00:00:00 PST 2001",
            "From 1234@xxx Mon Jan 01 10:00:00 +0000 2020",
            "From x Tue, 12 May 2020 10:00:00 +0000",
            "From -",
        ] {
            assert!(is_from_line(line.as_bytes()), "{line}");
        }
        for line in ["From here to 2002", "From: bob", "From Russia with love", "From "] {
            assert!(!is_from_line(line.as_bytes()), "{line}");
        }
    }
}
