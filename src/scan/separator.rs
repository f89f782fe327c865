//! Separators of an mbox: the `From ` line that begins a message (RFC 4155, Appendix A), in the forms
//! that real files have.

use memchr::{memchr, memmem};

/// A `From ` line is shorter than this, in bytes. Real ones have less than 150.
pub(super) const FROM_LINE_BYTES: usize = 1024;

/// Whether a separator begins here: a `From ` line, with a date or bare, before a header field.
/// `None` when more bytes are needed. `ended`: no more bytes follow.
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
        // A URL on a line of its own is no field.
        Some(b':') => Some(name > 0 && !next.get(name..).is_some_and(|at| at.starts_with(b"://"))),
        Some(b' ') if next.starts_with(b">From ") => Some(true),
        Some(_) => Some(false),
        None => unless_more(next.len() >= FROM_LINE_BYTES),
    }
}

/// Whether a separator is one of Thunderbird, which does not write an empty line before each, but a field of its own
/// behind it.
fn is_thunderbirds(separator: &[u8]) -> bool {
    let field = memchr(b'\n', separator).and_then(|end| separator.get(end + 1..));
    field.is_some_and(|field| field.starts_with(b"X-Mozilla-Status:"))
}

/// The result of [`header_end`].
pub(super) enum HeaderEnd {
    /// An empty line ends it. Where the body begins.
    Body(usize),
    /// The message ends in it.
    Separator,
    /// Not found. With more bytes, continue at this line.
    Unread(usize),
}

/// Where the header of a message ends, from a line of it on: at the first empty line, unless Thunderbird's separator
/// comes before it. Messages without a body may follow one another by the million.
pub(super) fn header_end(bytes: &[u8], line: usize, ended: bool) -> HeaderEnd {
    let mut at = line;
    while let Some(rest) = bytes.get(at..) {
        match rest {
            [b'\n', ..] => return HeaderEnd::Body(at + 1),
            [b'\r', b'\n', ..] => return HeaderEnd::Body(at + 2),
            _ if rest.starts_with(b"From ") => match is_separator(rest, ended) {
                Some(true) if is_thunderbirds(rest) => return HeaderEnd::Separator,
                None => break,
                Some(_) => {}
            },
            _ => {}
        }
        let Some(end) = memchr(b'\n', rest) else { break };
        at += end + 1;
    }
    HeaderEnd::Unread(at.min(bytes.len()))
}

/// The result of [`find_separator`].
pub(super) enum SeparatorSearch {
    Found {
        content: usize,
        next: usize,
    },
    /// Not found. With more bytes, continue the search here.
    Resume(usize),
}

/// Finds the separator that ends the message.
pub(super) fn find_separator(bytes: &[u8], from: usize, ended: bool) -> SeparatorSearch {
    let finder = memmem::Finder::new(b"\nFrom ");
    let mut at = from;
    while let Some(found) = bytes.get(at..).and_then(|rest| finder.find(rest)) {
        let newline = at + found;
        let next = newline + 1;
        let line = bytes.get(next..).unwrap_or_default();
        match is_separator(line, ended) {
            Some(true) => {
                let content = match bytes.get(..newline) {
                    Some([.., b'\n']) => Some(newline),
                    Some([.., b'\n', b'\r']) => Some(newline - 1),
                    _ => is_thunderbirds(line).then_some(next),
                };
                if let Some(content) = content {
                    return SeparatorSearch::Found { content, next };
                }
            }
            Some(false) => {}
            None => return SeparatorSearch::Resume(newline),
        }
        at = next;
    }
    SeparatorSearch::Resume(at.max(bytes.len().saturating_sub(5)))
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
    matches!(
        find_separator(bytes, from_line_len.saturating_sub(1), true),
        SeparatorSearch::Found { .. }
    )
}

/// Whether a file that begins with these bytes is an mbox. A date says so alone, a bare `From ` line
/// only before a header field.
pub fn begins_mbox(prefix: &[u8]) -> bool {
    let prefix = prefix.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(prefix);
    let line = prefix.get(..memchr(b'\n', prefix).unwrap_or(prefix.len())).unwrap_or(prefix);
    is_from_line(line) && (!is_bare(line) || is_separator(prefix, true) == Some(true))
}

/// Whether a line is `From address date`: a month, a time and a year, in any order and with any
/// zone (asctime, RFC 5322, Takeout), a date by ISO 8601, or a bare one.
fn is_from_line(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"From ") else { return false };
    if is_bare(line) {
        return true;
    }
    let (mut month, mut time, mut year) = (false, false, false);
    for word in rest.split(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b',')) {
        month |= word.len() == 3 && MONTHS.iter().any(|name| name.eq_ignore_ascii_case(word));
        time |= is_time(word);
        year |= is_year(word);
    }
    month && time && year || has_iso_date(rest)
}

/// Whether a line is `From ` and nothing more, as Thunderbird begins each message of a folder since
/// version 91, or `From -`, as it did before.
fn is_bare(line: &[u8]) -> bool {
    line.strip_prefix(b"From ").is_some_and(|rest| matches!(rest.trim_ascii(), b"" | b"-"))
}

/// Whether this is `address 2024-01-31 10:00:00 +0100`, or the same with a `T` before the time. More
/// words are prose.
fn has_iso_date(rest: &[u8]) -> bool {
    let mut words = rest.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let (Some(_address), Some(date)) = (words.next(), words.next()) else { return false };
    let Some((date, joined)) = date.split_at_checked(10) else { return false };
    let [year @ .., b'-', m1, m2, b'-', d1, d2] = date else { return false };
    let time = match joined {
        [] => words.next(),
        [b'T' | b't', time @ ..] => Some(time),
        _ => None,
    };
    is_year(year)
        && [m1, m2, d1, d2].iter().all(|byte| byte.is_ascii_digit())
        // What follows the minutes are seconds, a fraction and a zone.
        && time.and_then(|time| time.get(..5)).is_some_and(is_time)
        && words.count() <= 1
}

fn is_year(word: &[u8]) -> bool {
    word.len() == 4
        && (word.starts_with(b"19") || word.starts_with(b"20"))
        && word.iter().all(u8::is_ascii_digit)
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
            "From ",
            "From \r",
            "From bob@example.com 2024-01-31 10:00:00",
            "From bob@example.com 2024-01-31 10:00:00.125 +0100\r",
            "From bob@example.com 2024-01-31T10:00:00Z",
        ] {
            assert!(is_from_line(line.as_bytes()), "{line}");
        }
        for line in [
            "From here to 2002",
            "From: bob",
            "From Russia with love",
            "From",
            "From 2024-01-31 10:00:00",
            "From Monday 2024-01-31",
            "From Monday 2024-01-31 10:00 to Tuesday 2024-02-01 12:00",
            "From x 2024-01-31x10:00:00",
            "From x 2024-1-31 10:00:00",
        ] {
            assert!(!is_from_line(line.as_bytes()), "{line}");
        }
    }

    /// A bare line needs what a date makes up for.
    #[test]
    fn a_file_with_a_bare_line_in_front() {
        for (file, mbox) in [
            ("From \r\nX-Status: 1\r\n", true),
            ("\u{FEFF}From -\nA: b\n", true),
            ("From bob Thu Aug 22 12:36:23 2002\n\ntext", true),
            ("From \n\nA: b\n", false),
            ("From \nhttps://example.com\n", false),
            ("From \nour house to yours\n", false),
            ("From ", false),
        ] {
            assert_eq!(begins_mbox(file.as_bytes()), mbox, "{file:?}");
        }
    }
}
