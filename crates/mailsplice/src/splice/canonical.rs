//! Bodies in CRLF form: every LF counts as CR LF, whether or not the CR is there.

use sha2::{Digest, Sha256};

use crate::hex;

/// Line ends of a stretch of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineEndStyle {
    /// All CRLF, or no line end at all.
    Crlf = 0,
    Lf = 1,
    Mixed = 2,
}

impl LineEndStyle {
    pub fn of(bytes: &[u8]) -> LineEndStyle {
        LineEndStyle::find(bytes).unwrap_or(LineEndStyle::Crlf)
    }

    /// `None` without any line end.
    pub fn find(bytes: &[u8]) -> Option<LineEndStyle> {
        let mut line_ends = None;
        for at in memchr::memchr_iter(b'\n', bytes) {
            let crlf = at > 0 && bytes.get(at - 1) == Some(&b'\r');
            let here = if crlf { LineEndStyle::Crlf } else { LineEndStyle::Lf };
            match line_ends {
                None => line_ends = Some(here),
                Some(line_ends) if line_ends == here => {}
                Some(_) => return Some(LineEndStyle::Mixed),
            }
        }
        line_ends
    }

    pub fn from_number(number: u64) -> Option<LineEndStyle> {
        match number {
            0 => Some(LineEndStyle::Crlf),
            1 => Some(LineEndStyle::Lf),
            2 => Some(LineEndStyle::Mixed),
            _ => None,
        }
    }
}

/// SHA-256 of the bytes in CRLF form.
pub(super) fn sha256(bytes: &[u8]) -> [u8; 32] {
    hash(bytes).finalize().into()
}

/// The same, to be continued with bytes in CRLF form.
pub(super) fn hash(bytes: &[u8]) -> Sha256 {
    let mut hash = Sha256::new();
    let mut at = 0;
    for feed in memchr::memchr_iter(b'\n', bytes) {
        if feed == 0 || bytes.get(feed - 1) != Some(&b'\r') {
            hash.update(bytes.get(at..feed).unwrap_or_default());
            hash.update(b"\r");
            at = feed;
        }
    }
    hash.update(bytes.get(at..).unwrap_or_default());
    hash
}

/// Appends the bytes with their line ends converted. Mixed line ends stay as they are.
pub(super) fn convert(bytes: &[u8], from: LineEndStyle, to: LineEndStyle, out: &mut Vec<u8>) {
    match (from, to) {
        (LineEndStyle::Crlf, LineEndStyle::Lf) => {
            let mut at = 0;
            for feed in memchr::memchr_iter(b'\n', bytes) {
                let stop =
                    if feed > at && bytes.get(feed - 1) == Some(&b'\r') { feed - 1 } else { feed };
                out.extend_from_slice(bytes.get(at..stop).unwrap_or_default());
                at = feed;
            }
            out.extend_from_slice(bytes.get(at..).unwrap_or_default());
        }
        (LineEndStyle::Lf, LineEndStyle::Crlf) => {
            for (index, line) in bytes.split(|b| *b == b'\n').enumerate() {
                if index > 0 {
                    out.extend_from_slice(b"\r\n");
                }
                out.extend_from_slice(line);
            }
        }
        _ => out.extend_from_slice(bytes),
    }
}

/// Bytes of a short stretch.
const SHORT: usize = 32;

/// Counts the bytes of consecutive stretches in CRLF form.
#[derive(Default)]
pub(super) struct CrlfLength {
    after_cr: bool,
}

impl CrlfLength {
    pub fn of(&mut self, bytes: &[u8]) -> u64 {
        let is_bare = |feed: &usize| match feed.checked_sub(1) {
            Some(before) => bytes.get(before) != Some(&b'\r'),
            None => !self.after_cr,
        };
        // Most stretches are too short for a search to be faster.
        let bare = match bytes.len() < SHORT {
            true => {
                let feeds = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
                feeds.map(|(at, _)| at).filter(is_bare).count()
            }
            false => memchr::memchr_iter(b'\n', bytes).filter(is_bare).count(),
        };
        if let Some(last) = bytes.last() {
            self.after_cr = *last == b'\r';
        }
        (bytes.len() + bare) as u64
    }
}

/// Reads consecutive stretches of a body by their length in CRLF form.
pub(super) struct CrlfCursor<'a> {
    bytes: &'a [u8],
    at: usize,
    after_cr: bool,
}

impl<'a> CrlfCursor<'a> {
    pub fn new(bytes: &'a [u8]) -> CrlfCursor<'a> {
        CrlfCursor { bytes, at: 0, after_cr: false }
    }

    /// The next stretch of this length; `None` if the bytes end before, or if it would split a line end.
    pub fn take(&mut self, length: u64) -> Option<&'a [u8]> {
        let start = self.at;
        let mut left = length;
        while left > 0 {
            let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
            let run = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            if run > 0 {
                let run = run.min(usize::try_from(left).ok()?);
                self.at += run;
                left -= run as u64;
                self.after_cr = rest.get(run - 1) == Some(&b'\r');
                continue;
            }
            let width = if self.after_cr { 1 } else { 2 };
            left = left.checked_sub(width)?;
            self.at += 1;
            self.after_cr = false;
        }
        self.bytes.get(start..self.at)
    }

    pub fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }
}

/// SHA-256 of a packed recipe, in hexadecimal: its name in the state directory.
pub(super) fn digest(packed: &[u8]) -> String {
    hex::encode(&Sha256::digest(packed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_and_cursors_agree_whatever_the_line_ends() {
        let crlf = b"ab\r\nc\r\n\r\nd";
        let lf = b"ab\nc\n\nd";
        assert_eq!(CrlfLength::default().of(lf), crlf.len() as u64);
        for cut in 0..=lf.len() {
            let mut length = CrlfLength::default();
            let (head, tail) = (length.of(&lf[..cut]), length.of(&lf[cut..]));
            assert_eq!(head + tail, crlf.len() as u64);
            assert_eq!(CrlfCursor::new(lf).take(head), Some(&lf[..cut]));
        }
        assert_eq!(CrlfCursor::new(lf).take(3), None, "in the middle of a line end");
        assert_eq!(CrlfCursor::new(lf).take(99), None);
        assert_eq!(sha256(lf), sha256(crlf));
    }

    #[test]
    fn styles() {
        assert_eq!(LineEndStyle::of(b"a\r\nb\r\n"), LineEndStyle::Crlf);
        assert_eq!(LineEndStyle::of(b"a\nb\n"), LineEndStyle::Lf);
        assert_eq!(LineEndStyle::of(b"a\nb\r\n"), LineEndStyle::Mixed);
        let mut out = Vec::new();
        convert(b"a\r\nb", LineEndStyle::Crlf, LineEndStyle::Lf, &mut out);
        convert(b"c\nd\n", LineEndStyle::Lf, LineEndStyle::Crlf, &mut out);
        assert_eq!(out, b"a\nbc\r\nd\r\n");
    }
}
