//! mbox: where its messages begin and end.
//!
//! | RFC 4155 and the field | here |
//! | --- | --- |
//! | mboxo, mboxrd: `From ` in a body is quoted with `>` | [`message::SourceMessage`] takes one `>` away |
//! | mboxcl: quoted, and Content-Length counts the quoted bytes | trusted when a separator or the end follows |
//! | mboxcl2: not quoted, Content-Length alone tells | the same; [`Quoting::None`] when a bare separator stands inside |
//!
//! A separator is a `From ` line with a date, after an empty line, before a header field. Each of
//! the three matters: forwarded mail quotes `From ` lines of its own, without the empty line.

use std::borrow::Cow;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use memchr::{memchr, memmem};

use super::from_line::{LINE, is_separator};
use super::message::{self, Quoting, Raw};
use crate::engine::whole::body_start;

/// Bytes read at a time. Few in tests, so that every seam is met.
const CHUNK: usize = if cfg!(test) { 61 } else { 256 * 1024 };
/// Content-Length is believed up to this many bytes: it makes the reader look ahead that far,
/// and a message that needs it for its inner `From ` lines is text, not an attachment.
const TRUSTED: usize = 16 << 20;
/// From this size on a message is handed over in its own buffer rather than copied.
const OWNED: usize = 1 << 20;

/// What stands next in an mbox.
#[derive(Debug)]
pub enum Piece<'b> {
    Message(Raw<'b>),
    /// A message of more bytes than allowed, passed over.
    TooLarge {
        offset: u64,
    },
}

/// Reads an mbox message by message, holding one at a time.
pub struct Splitter<R> {
    reader: R,
    buffer: Vec<u8>,
    /// Where in the buffer the next message begins.
    start: usize,
    /// Offset of the buffer's first byte in the stream.
    base: u64,
    ended: bool,
    /// Why the stream broke off: said after the messages that came before.
    failed: Option<io::Error>,
    largest: usize,
    /// Messages that begin here or later are not read.
    end: u64,
}

impl<R: Read> Splitter<R> {
    /// Reads from `reader`, whose first byte stands at `base` in its stream. Messages of more than
    /// `largest` bytes are passed over.
    pub fn new(reader: R, base: u64, largest: usize) -> Splitter<R> {
        Splitter {
            reader,
            buffer: Vec::new(),
            start: 0,
            base,
            ended: false,
            failed: None,
            largest,
            end: u64::MAX,
        }
    }

    /// The next message; `None` at the end. `grown` hears how many bytes are held whenever more
    /// are read, so that the caller can wait for memory.
    pub fn next(&mut self, grown: &mut dyn FnMut(usize)) -> io::Result<Option<Piece<'_>>> {
        self.skip_empty_lines();
        let offset = self.offset();
        if self.rest().is_empty() || offset >= self.end {
            return self.failed.take().map_or(Ok(None), Err);
        }
        let lead = self.line_end(grown);
        let Some(end) = self.message_end(lead, grown) else {
            self.pass_over();
            return Ok(Some(Piece::TooLarge { offset }));
        };
        let bytes = self.take(end.next);
        let bytes = match bytes {
            Cow::Borrowed(bytes) => Cow::Borrowed(bytes.get(..end.content).unwrap_or(bytes)),
            Cow::Owned(mut bytes) => {
                bytes.truncate(end.content);
                Cow::Owned(bytes)
            }
        };
        let quoting = match end.by {
            By::Length if has_bare_separator(&bytes, lead) => Quoting::None,
            By::Length | By::Separator => Quoting::Quoted,
        };
        Ok(Some(Piece::Message(Raw { offset, bytes, lead, quoting })))
    }

    /// Offset in the stream of the message that is being read.
    pub fn offset(&self) -> u64 {
        self.base + self.start as u64
    }

    /// Bytes of the largest message that is read.
    pub fn largest(&self) -> usize {
        self.largest
    }

    fn rest(&self) -> &[u8] {
        self.buffer.get(self.start..).unwrap_or_default()
    }

    /// Where the message at the start ends; `None` when it is too large.
    fn message_end(&mut self, lead: usize, grown: &mut dyn FnMut(usize)) -> Option<End> {
        if let Some(end) = self.end_by_length(lead, grown) {
            return Some(end);
        }
        let mut from = lead.saturating_sub(1);
        loop {
            match find_separator(self.rest(), from, self.ended) {
                Search::Found { content, next } => {
                    return Some(End { content, next, by: By::Separator });
                }
                Search::Resume(at) => from = at,
            }
            if self.ended {
                let (content, next) = (last_content(self.rest()), self.rest().len());
                return Some(End { content, next, by: By::Separator });
            }
            if self.rest().len() > self.largest {
                return None;
            }
            self.fill(grown);
        }
    }

    /// The end that Content-Length names, if a separator or the end of the stream follows there.
    fn end_by_length(&mut self, lead: usize, grown: &mut dyn FnMut(usize)) -> Option<End> {
        let body = loop {
            if let Some(body) = self.rest().get(lead..).and_then(body_start).map(|at| lead + at) {
                break body;
            }
            if self.ended || self.rest().len() > self.largest.min(TRUSTED) {
                return None;
            }
            self.fill(grown);
        };
        let head = self.rest().get(lead..body).unwrap_or_default();
        let length = content_length(head)?;
        if length > TRUSTED.min(self.largest) {
            return None;
        }
        let content = body + length;
        while self.rest().len() < content + LINE && !self.ended {
            self.fill(grown);
        }
        let after = self.rest().get(content..)?;
        let blank = after.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let tail = after.get(blank..).unwrap_or_default();
        let at_end = tail.is_empty() && self.ended;
        (at_end || is_separator(tail, self.ended) == Some(true)).then_some(End {
            content,
            next: content + blank,
            by: By::Length,
        })
    }

    /// Drops bytes until a separator, the end, or the end of the range.
    fn pass_over(&mut self) {
        loop {
            match find_separator(self.rest(), 0, self.ended) {
                Search::Found { next, .. } => {
                    self.start += next;
                    return;
                }
                Search::Resume(at) => {
                    // The empty line before a separator may already be read: keep it.
                    self.start += at.saturating_sub(4);
                }
            }
            if self.ended {
                self.start = self.buffer.len();
                return;
            }
            if self.offset() >= self.end {
                return;
            }
            self.compact(0);
            self.fill(&mut |_| ());
        }
    }

    /// Length of the `From ` line, line end included.
    fn line_end(&mut self, grown: &mut dyn FnMut(usize)) -> usize {
        loop {
            let rest = self.rest();
            if let Some(at) = memchr(b'\n', rest) {
                return at + 1;
            }
            if self.ended || rest.len() > LINE {
                return rest.len().min(LINE);
            }
            self.fill(grown);
        }
    }

    fn skip_empty_lines(&mut self) {
        loop {
            let rest = self.rest();
            let blank = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            let all = blank == rest.len();
            self.start += blank;
            if !all || self.ended {
                return;
            }
            self.fill(&mut |_| ());
        }
    }

    fn take(&mut self, length: usize) -> Cow<'_, [u8]> {
        let begin = self.start;
        if length >= OWNED {
            self.compact(0);
            let tail = self.buffer.split_off(length.min(self.buffer.len()));
            let whole = std::mem::replace(&mut self.buffer, tail);
            self.base += whole.len() as u64;
            return Cow::Owned(whole);
        }
        self.start += length;
        Cow::Borrowed(self.buffer.get(begin..self.start).unwrap_or_default())
    }

    fn fill(&mut self, grown: &mut dyn FnMut(usize)) {
        // Only when half is spent, so that the moves stay linear however far ahead is read.
        self.compact(self.buffer.len() / 2);
        grown(self.buffer.len() + CHUNK);
        match self.reader.by_ref().take(CHUNK as u64).read_to_end(&mut self.buffer) {
            Ok(read) => self.ended = read < CHUNK,
            Err(error) => {
                self.ended = true;
                self.failed = Some(error);
            }
        }
    }

    fn compact(&mut self, threshold: usize) {
        if self.start > threshold {
            self.buffer.drain(..self.start);
            self.base += self.start as u64;
            self.start = 0;
        }
    }
}

impl<R: Read + Seek> Splitter<R> {
    /// Reads the messages that begin in `range`, in bytes of the stream. Its start may be anywhere:
    /// reading begins at the next separator. Only where Content-Length hides separators inside a
    /// message must it be none of those; [`super::ranges`] takes care.
    pub fn within(mut reader: R, range: Range<u64>, largest: usize) -> io::Result<Splitter<R>> {
        // The empty line before a separator may stand in front of the range.
        let base = range.start.saturating_sub(4);
        reader.seek(SeekFrom::Start(base))?;
        let mut splitter = Splitter { end: range.end, ..Splitter::new(reader, base, largest) };
        while !splitter.ended && splitter.buffer.len() < 4 * LINE {
            splitter.fill(&mut |_| ());
        }
        if range.start > 0 {
            splitter.pass_over();
            if splitter.offset() < range.start {
                splitter.start =
                    ((range.start - splitter.base) as usize).min(splitter.buffer.len());
                splitter.pass_over();
            }
        }
        Ok(splitter)
    }
}

/// Where a message ends, relative to its `From ` line.
struct End {
    /// End of its bytes.
    content: usize,
    /// Where the next message begins.
    next: usize,
    by: By,
}

enum By {
    Length,
    Separator,
}

enum Search {
    Found {
        content: usize,
        next: usize,
    },
    /// None so far; search again from here when there is more.
    Resume(usize),
}

/// Finds the separator that ends the message, from an offset on.
fn find_separator(bytes: &[u8], from: usize, ended: bool) -> Search {
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

/// End of the last message: the empty line behind it belongs to the mbox.
fn last_content(rest: &[u8]) -> usize {
    match rest {
        [.., b'\n', b'\r', b'\n'] => rest.len() - 2,
        [.., b'\n', b'\n'] => rest.len() - 1,
        _ => rest.len(),
    }
}

fn content_length(head: &[u8]) -> Option<usize> {
    const NAME: &[u8] = b"content-length:";
    message::lines(head).find_map(|line| {
        // Most lines are told by their first byte.
        if !matches!(line.first(), Some(b'C' | b'c')) {
            return None;
        }
        let (name, value) = line.split_at_checked(NAME.len())?;
        if !name.eq_ignore_ascii_case(NAME) {
            return None;
        }
        std::str::from_utf8(value.trim_ascii()).ok()?.parse().ok()
    })
}

fn has_bare_separator(bytes: &[u8], lead: usize) -> bool {
    matches!(find_separator(bytes, lead.saturating_sub(1), true), Search::Found { .. })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Hands out a few bytes at a time, as a pipe does.
    struct Trickle<'a>(&'a [u8]);

    impl Read for Trickle<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let n = self.0.len().min(out.len()).min(7);
            out[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    fn split(mbox: &[u8]) -> Vec<(u64, Vec<u8>, Quoting)> {
        let mut splitter = Splitter::new(Trickle(mbox), 0, 1 << 20);
        let mut letters = Vec::new();
        while let Some(piece) = splitter.next(&mut |_| ()).unwrap() {
            match piece {
                Piece::Message(letter) => {
                    let bytes = letter.bytes[letter.lead..].to_vec();
                    letters.push((letter.offset, bytes, letter.quoting));
                }
                Piece::TooLarge { offset } => letters.push((offset, vec![], Quoting::None)),
            }
        }
        letters
    }

    const FROM: &str = "From bob@example.com Thu Aug 22 12:36:23 2002\n";

    #[test]
    fn the_empty_line_before_a_separator_belongs_to_neither() {
        let mbox = format!("{FROM}Subject: a\n\none\n\n{FROM}Subject: b\n\ntwo\n");
        let letters = split(mbox.as_bytes());
        assert_eq!(letters.len(), 2);
        assert_eq!(letters[0].1, b"Subject: a\n\none\n");
        assert_eq!(letters[1].1, b"Subject: b\n\ntwo\n");
        assert_eq!(letters[1].0 as usize, mbox.rfind("From bob").unwrap());
    }

    #[test]
    fn crlf_line_ends() {
        let mbox =
            format!("{FROM}Subject: a\n\none\n\n{FROM}Subject: b\n\ntwo\n").replace('\n', "\r\n");
        let letters = split(mbox.as_bytes());
        assert_eq!(letters[0].1, b"Subject: a\r\n\r\none\r\n");
        assert_eq!(letters[1].1, b"Subject: b\r\n\r\ntwo\r\n");
    }

    #[test]
    fn prose_and_forwarded_mail_are_no_separators() {
        for inner in [
            "\nFrom here on it gets Jan 10:00 2001\nSubject lines without colon\n",
            "quoted:\nFrom bob@example.com Thu Aug 22 12:36:23 2002\nSubject: x\n",
            "\nFrom Russia with love\nYear: 1963\n",
            "\nFrom bob@example.com Thu Aug 22 12:36:23 2002\n\nSubject: x\n",
        ] {
            let mbox = format!("{FROM}Subject: a\n\n{inner}");
            assert_eq!(split(mbox.as_bytes()).len(), 1, "{inner}");
        }
    }

    #[test]
    fn content_length_covers_an_unquoted_separator() {
        let inner = format!("text\n\n{FROM}Subject: inner\n\nend\n");
        let mbox = format!(
            "{FROM}Content-Length: {}\nSubject: a\n\n{inner}\n{FROM}Subject: b\n\ntwo\n",
            inner.len()
        );
        let letters = split(mbox.as_bytes());
        assert_eq!(letters.len(), 2);
        assert!(letters[0].1.ends_with(b"Subject: inner\n\nend\n"));
        assert_eq!(letters[0].2, Quoting::None);
        assert_eq!(letters[1].2, Quoting::Quoted);
    }

    #[test]
    fn a_wrong_content_length_is_not_believed() {
        for wrong in ["0", "2", "99", "999999999", "x"] {
            let mbox = format!(
                "{FROM}Content-Length: {wrong}\nSubject: a\n\none\n\n{FROM}Subject: b\n\ntwo\n"
            );
            let letters = split(mbox.as_bytes());
            assert_eq!(letters.len(), 2, "{wrong}");
            assert!(letters[0].1.ends_with(b"one\n"), "{wrong}");
        }
    }

    #[test]
    fn what_is_too_large_is_named_and_the_next_is_read() {
        let mbox =
            format!("{FROM}Subject: a\n\n{}\n\n{FROM}Subject: b\n\ntwo\n", "x".repeat(3 << 20));
        let letters = split(mbox.as_bytes());
        assert_eq!(letters.len(), 2);
        assert!(letters[0].1.is_empty());
        assert_eq!(letters[1].1, b"Subject: b\n\ntwo\n");
    }

    #[test]
    fn a_large_message_is_handed_over_whole() {
        let body = "y\n".repeat(OWNED);
        let mbox = format!("{FROM}Subject: a\n\n{body}\n{FROM}Subject: b\n\ntwo\n");
        let mut splitter = Splitter::new(mbox.as_bytes(), 0, 1 << 30);
        let Some(Piece::Message(letter)) = splitter.next(&mut |_| ()).unwrap() else { panic!() };
        assert!(matches!(letter.bytes, Cow::Owned(_)));
        assert_eq!(letter.bytes.len(), FROM.len() + 12 + body.len());
        let Some(Piece::Message(letter)) = splitter.next(&mut |_| ()).unwrap() else { panic!() };
        assert_eq!(letter.offset as usize, mbox.rfind("From bob").unwrap());
        assert!(splitter.next(&mut |_| ()).unwrap().is_none());
    }

    /// Offsets of the messages that begin in a range.
    fn starts(mbox: &[u8], range: Range<u64>) -> Vec<u64> {
        let reader = io::Cursor::new(mbox);
        let mut splitter = Splitter::within(reader, range, 1 << 20).unwrap();
        let mut starts = Vec::new();
        while let Some(piece) = splitter.next(&mut |_| ()).unwrap() {
            let (Piece::Message(Raw { offset, .. }) | Piece::TooLarge { offset }) = piece;
            starts.push(offset);
        }
        starts
    }

    #[test]
    fn a_cut_anywhere_loses_no_message_and_reads_none_twice() {
        let inner = "quoted:\nFrom bob@example.com Thu Aug 22 12:36:23 2002\nSubject: x\n";
        let unix =
            format!("{FROM}Subject: a\n\none\n\n{FROM}Subject: b\n\n{inner}\n{FROM}A: c\n\n\n\n");
        for mbox in [unix.clone(), unix.replace('\n', "\r\n")] {
            let end = mbox.len() as u64;
            let whole = starts(mbox.as_bytes(), 0..end);
            assert_eq!(whole.len(), 3);
            for cut in 0..=end {
                let mut parts = starts(mbox.as_bytes(), 0..cut);
                parts.extend(starts(mbox.as_bytes(), cut..end));
                assert_eq!(parts, whole, "cut at {cut}");
            }
        }
    }

    /// Lines of all kinds that matter to a splitter.
    fn text() -> impl Strategy<Value = String> {
        let line = prop_oneof![
            Just(String::new()),
            Just(FROM.trim_end().to_owned()),
            Just(format!(">{}", FROM.trim_end())),
            Just("Subject: x".to_owned()),
            Just("Content-Length: 40".to_owned()),
            Just("From Russia with love".to_owned()),
            "[a-z .:>]{0,90}",
        ];
        proptest::collection::vec(line, 0..40).prop_map(|lines| lines.join("\n"))
    }

    proptest! {
        /// What is quoted and joined comes apart again.
        #[test]
        fn quoted_messages_come_back(bodies in proptest::collection::vec(text(), 1..6)) {
            let mut mbox = String::new();
            let mut sent = Vec::new();
            for body in &bodies {
                let body = body.replace("Content-Length", "Content-Width");
                let message = format!("Subject: a\n\n{}\n", body.trim_matches('\n'));
                let quoted: Vec<String> = message
                    .split('\n')
                    .map(|line| {
                        let bare = line.trim_start_matches('>');
                        if bare.starts_with("From ") { format!(">{line}") } else { line.to_owned() }
                    })
                    .collect();
                mbox.push_str(&format!("{FROM}{}\n", quoted.join("\n")));
                sent.push(message);
            }
            let mut splitter = Splitter::new(mbox.as_bytes(), 0, 1 << 20);
            let mut came = Vec::new();
            while let Some(Piece::Message(raw)) = splitter.next(&mut |_| ()).unwrap() {
                let letter = message::SourceMessage::new(&raw.bytes, raw.lead, raw.quoting);
                came.push(String::from_utf8(letter.raw().to_vec()).unwrap());
            }
            prop_assert_eq!(came, sent);
        }

        /// Every byte but empty lines belongs to one message, in order, whatever the bytes are.
        #[test]
        fn no_byte_is_lost(text in text(), junk in "\\PC{0,30}") {
            let mbox = format!("{FROM}{text}\n{junk}");
            let mut at = 0;
            for (offset, bytes, _) in split(mbox.as_bytes()) {
                let between = &mbox[at..offset as usize];
                prop_assert!(between.chars().all(|c| matches!(c, '\r' | '\n')), "{between:?}");
                let lead = mbox[offset as usize..].find('\n').map_or(mbox.len(), |end| end + 1);
                at = (offset as usize + lead + bytes.len()).min(mbox.len());
            }
            prop_assert!(mbox[at..].trim_matches(['\r', '\n']).is_empty(), "{:?}", &mbox[at..]);
        }
    }
}
