//! Finds where a header ends earlier for strict programs than for others.

use super::header;

/// Splits a header at the first line that is neither a field nor a folded line with content; returns what is before and
/// after it. Lines end at CR, LF or CRLF. The first line of all may also be that of an mbox. `None` if all programs
/// agree.
pub fn early_end(head: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut at = 0;
    while let Some(rest) = head.get(at..).filter(|rest| !rest.is_empty()) {
        let end = memchr::memchr2(b'\r', b'\n', rest).unwrap_or(rest.len());
        let (line, after) = rest.split_at_checked(end)?;
        let next = match after {
            [b'\r', b'\n', next @ ..] | [_, next @ ..] => next,
            [] => after,
        };
        if at > 0 && is_blank(line) {
            return Some((head.get(..at)?, next));
        }
        let folds = matches!(line.first(), Some(b' ' | b'\t'));
        if !folds && header::colon(rest).is_none() && (at > 0 || !is_of_mbox(line)) {
            return Some((head.get(..at)?, rest));
        }
        at = head.len() - next.len();
    }
    None
}

/// Whether a line begins a message in an mbox, quoted or not.
fn is_of_mbox(line: &[u8]) -> bool {
    let line = line.strip_prefix(b">").unwrap_or(line);
    line.starts_with(b"From ")
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| *byte == 0 || byte.is_ascii_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_header_ends_to_some() {
        let ends = |head: &'static str| {
            early_end(head.as_bytes())
                .map(|(head, body)| (str::from_utf8(head).unwrap(), str::from_utf8(body).unwrap()))
        };
        assert_eq!(ends("A: b\r\n c\r\nD : e\r\n"), None);
        assert_eq!(ends("A: b\r\n \r\nD: e\r\n"), Some(("A: b\r\n", "D: e\r\n")));
        assert_eq!(ends("A: b\r\n\u{C}\r\nD: e"), Some(("A: b\r\n", "D: e")));
        assert_eq!(ends("A: b\r\nC\r\n : d\r\n\rE"), Some(("A: b\r\nC\r\n : d\r\n", "E")));
        assert_eq!(ends("A: b\nhello\r\n"), Some(("A: b\n", "hello\r\n")));
        assert_eq!(ends("From x\r\nA: b\r\n"), None);
        assert_eq!(ends(">From x\r\nA: b\r\n"), None);
        assert_eq!(ends("From x\r\nhello\r\n"), Some(("From x\r\n", "hello\r\n")));
        assert_eq!(ends("see this\r\nA: b\r\n"), Some(("", "see this\r\nA: b\r\n")));
        assert_eq!(ends("see: this"), None);
        assert_eq!(ends(" see this"), None);
        assert_eq!(ends(""), None);
    }
}
