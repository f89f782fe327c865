//! Files with bare CR at their line ends, as old Macs wrote them and Eudora: read with LF in the place of each, so that
//! every byte keeps its offset.

use std::io::{self, Read};

/// Reads LF for each CR that no LF follows.
pub struct LineFeeds<R> {
    reader: R,
    /// The byte after a CR at the end of what was read.
    ahead: Option<u8>,
}

impl<R: Read> LineFeeds<R> {
    pub fn new(reader: R) -> LineFeeds<R> {
        LineFeeds { reader, ahead: None }
    }
}

impl<R: Read> Read for LineFeeds<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let from = usize::from(self.ahead.is_some()).min(out.len());
        let mut end = from + self.reader.read(out.get_mut(from..).unwrap_or_default())?;
        if let Some(first) = out.first_mut()
            && let Some(ahead) = self.ahead.take()
        {
            *first = ahead;
            end = end.max(1);
        }
        let read = out.get_mut(..end).unwrap_or_default();
        if read.last() == Some(&b'\r') {
            let mut next = [0];
            // An error comes again when more is asked for.
            self.ahead = matches!(self.reader.read(&mut next), Ok(1)).then_some(next[0]);
        }
        let mut next = self.ahead;
        for byte in read.iter_mut().rev() {
            let follows = next.replace(*byte);
            if *byte == b'\r' && follows != Some(b'\n') {
                *byte = b'\n';
            }
        }
        Ok(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that gives so many bytes at a time.
    struct SmallReads<'b>(&'b [u8], usize);

    impl Read for SmallReads<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(out.len());
            self.0.take(count as u64).read(out).inspect(|read| self.0 = &self.0[*read..])
        }
    }

    #[test]
    fn a_bare_cr_is_a_line_feed_wherever_the_bytes_are_cut() {
        for (bytes, expected) in [
            (&b""[..], &b""[..]),
            (b"\r", b"\n"),
            (b"a\rb\r\rc\r", b"a\nb\n\nc\n"),
            (b"a\r\nb\n\r\nc\r\r\n\r", b"a\r\nb\n\r\nc\n\r\n\n"),
        ] {
            for piece in 1..6 {
                for buffer in 1..6 {
                    let mut reader = LineFeeds::new(SmallReads(bytes, piece));
                    let mut found = Vec::new();
                    let mut block = vec![0; buffer];
                    loop {
                        match reader.read(&mut block).unwrap() {
                            0 => break,
                            count => found.extend_from_slice(&block[..count]),
                        }
                    }
                    assert_eq!(found, expected, "{bytes:?} {piece} {buffer}");
                }
            }
        }
    }
}
