//! mbox files: where their messages begin and end.
//!
//! | RFC 4155 and the field | here |
//! | --- | --- |
//! | mboxo, mboxrd: `From ` in a body is quoted with `>` | [`message::SourceMessage`] removes one `>` |
//! | mboxcl: quoted, and Content-Length counts the quoted bytes | trusted when a separator or the end follows |
//! | mboxcl2: not quoted, only Content-Length tells the end | the same; [`Quoting::None`] when a bare separator is inside |
//!
//! A separator is a `From ` line with a date, after an empty line, before a header field. All three
//! conditions are needed: forwarded mail contains `From ` lines, but without the empty line.

use std::borrow::Cow;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use memchr::memchr;

use super::message::{self, Quoting, RawMessage};
use super::separator::{
    FROM_LINE_BYTES, Search, find_separator, has_bare_separator, is_separator, last_content,
};
use crate::engine::whole::body_start;

/// Bytes read at a time. Few in tests, so that messages are split at every place.
const READ_BYTES: usize = if cfg!(test) { 61 } else { 256 * 1024 };
/// Content-Length is used up to this many bytes, because the reader must look ahead that far. A
/// message that needs it because of `From ` lines in its body is text, not an attachment.
const MAX_CONTENT_LENGTH: usize = 16 << 20;
/// From this size on, in bytes, a message takes over the buffer and is not copied.
const OWNED_BUFFER_BYTES: usize = 1 << 20;

/// The next item of an mbox.
#[derive(Debug)]
pub enum MboxItem<'b> {
    Message(RawMessage<'b>),
    /// A message above the size limit. It was skipped.
    TooLarge {
        offset: u64,
    },
}

/// Reads an mbox one message at a time, and holds only one.
pub struct Splitter<R> {
    reader: R,
    buffer: Vec<u8>,
    /// Offset in the buffer of the next message.
    start: usize,
    /// Offset in the stream of the buffer's first byte.
    base: u64,
    ended: bool,
    /// Why reading failed. Reported after the messages before it.
    failed: Option<io::Error>,
    max_message: usize,
    /// Messages that begin here or later are not read.
    end: u64,
}

impl<R: Read> Splitter<R> {
    /// Reads from `reader`, whose first byte is at `base` in its stream. Messages of more than
    /// `max_message` bytes are skipped.
    pub fn new(reader: R, base: u64, max_message: usize) -> Splitter<R> {
        Splitter {
            reader,
            buffer: Vec::new(),
            start: 0,
            base,
            ended: false,
            failed: None,
            max_message,
            end: u64::MAX,
        }
    }

    /// The next message, or `None` at the end. `on_growth` is called before the buffer grows, with
    /// its new size in bytes, so that the caller can wait for memory.
    pub fn next(&mut self, on_growth: &mut dyn FnMut(usize)) -> io::Result<Option<MboxItem<'_>>> {
        self.skip_empty_lines();
        let offset = self.offset();
        if self.rest().is_empty() || offset >= self.end {
            return self.failed.take().map_or(Ok(None), Err);
        }
        let from_line_len = self.read_from_line(on_growth);
        let Some(end) = self.message_end(from_line_len, on_growth) else {
            self.skip_to_separator();
            return Ok(Some(MboxItem::TooLarge { offset }));
        };
        let bytes = self.take_bytes(end.next);
        let bytes = match bytes {
            Cow::Borrowed(bytes) => Cow::Borrowed(bytes.get(..end.content).unwrap_or(bytes)),
            Cow::Owned(mut bytes) => {
                bytes.truncate(end.content);
                Cow::Owned(bytes)
            }
        };
        let quoting = match end.found_by {
            FoundBy::Length if has_bare_separator(&bytes, from_line_len) => Quoting::None,
            FoundBy::Length | FoundBy::Separator => Quoting::Quoted,
        };
        Ok(Some(MboxItem::Message(RawMessage { offset, bytes, from_line_len, quoting })))
    }

    /// Offset in the stream of the current message.
    pub fn offset(&self) -> u64 {
        self.base + self.start as u64
    }

    /// Size limit of a message in bytes.
    pub fn max_message(&self) -> usize {
        self.max_message
    }

    fn rest(&self) -> &[u8] {
        self.buffer.get(self.start..).unwrap_or_default()
    }

    /// Finds the end of the current message. `None` when it is too large.
    fn message_end(
        &mut self,
        from_line_len: usize,
        on_growth: &mut dyn FnMut(usize),
    ) -> Option<MessageEnd> {
        if let Some(end) = self.end_by_length(from_line_len, on_growth) {
            return Some(end);
        }
        let mut from = from_line_len.saturating_sub(1);
        loop {
            match find_separator(self.rest(), from, self.ended) {
                Search::Found { content, next } => {
                    return Some(MessageEnd { content, next, found_by: FoundBy::Separator });
                }
                Search::Resume(at) => from = at,
            }
            if self.ended {
                let (content, next) = (last_content(self.rest()), self.rest().len());
                return Some(MessageEnd { content, next, found_by: FoundBy::Separator });
            }
            if self.rest().len() > self.max_message {
                return None;
            }
            self.fill(on_growth);
        }
    }

    /// The end according to Content-Length, if a separator or the end of the stream follows.
    fn end_by_length(
        &mut self,
        from_line_len: usize,
        on_growth: &mut dyn FnMut(usize),
    ) -> Option<MessageEnd> {
        let body = loop {
            if let Some(body) =
                self.rest().get(from_line_len..).and_then(body_start).map(|at| from_line_len + at)
            {
                break body;
            }
            if self.ended || self.rest().len() > self.max_message.min(MAX_CONTENT_LENGTH) {
                return None;
            }
            self.fill(on_growth);
        };
        let head = self.rest().get(from_line_len..body).unwrap_or_default();
        let length = content_length(head)?;
        if length > MAX_CONTENT_LENGTH.min(self.max_message) {
            return None;
        }
        let content = body + length;
        while self.rest().len() < content + FROM_LINE_BYTES && !self.ended {
            self.fill(on_growth);
        }
        let after = self.rest().get(content..)?;
        let blank = after.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let tail = after.get(blank..).unwrap_or_default();
        let at_end = tail.is_empty() && self.ended;
        (at_end || is_separator(tail, self.ended) == Some(true)).then_some(MessageEnd {
            content,
            next: content + blank,
            found_by: FoundBy::Length,
        })
    }

    /// Skips bytes until a separator, the end, or the end of the range.
    fn skip_to_separator(&mut self) {
        loop {
            match find_separator(self.rest(), 0, self.ended) {
                Search::Found { next, .. } => {
                    self.start += next;
                    return;
                }
                Search::Resume(at) => {
                    // Keep the empty line before a separator, if it is already read.
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

    /// Length of the `From ` line, with its line end.
    fn read_from_line(&mut self, on_growth: &mut dyn FnMut(usize)) -> usize {
        loop {
            let rest = self.rest();
            if let Some(at) = memchr(b'\n', rest) {
                return at + 1;
            }
            if self.ended || rest.len() > FROM_LINE_BYTES {
                return rest.len().min(FROM_LINE_BYTES);
            }
            self.fill(on_growth);
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

    fn take_bytes(&mut self, length: usize) -> Cow<'_, [u8]> {
        let begin = self.start;
        if length >= OWNED_BUFFER_BYTES {
            self.compact(0);
            let tail = self.buffer.split_off(length.min(self.buffer.len()));
            let whole = std::mem::replace(&mut self.buffer, tail);
            self.base += whole.len() as u64;
            return Cow::Owned(whole);
        }
        self.start += length;
        Cow::Borrowed(self.buffer.get(begin..self.start).unwrap_or_default())
    }

    fn fill(&mut self, on_growth: &mut dyn FnMut(usize)) {
        // Move the bytes only when half of the buffer is used up, so that the total cost stays
        // linear.
        self.compact(self.buffer.len() / 2);
        on_growth(self.buffer.len() + READ_BYTES);
        match self.reader.by_ref().take(READ_BYTES as u64).read_to_end(&mut self.buffer) {
            Ok(read) => self.ended = read < READ_BYTES,
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
    /// Reads the messages that begin in `range`, in bytes of the stream. The range may begin
    /// anywhere: reading starts at the next separator. But it must not begin inside a message that
    /// has separators hidden by Content-Length; [`super::ranges`] makes sure of that.
    pub fn in_range(
        mut reader: R,
        range: Range<u64>,
        max_message: usize,
    ) -> io::Result<Splitter<R>> {
        // The empty line before a separator may be before the range.
        let base = range.start.saturating_sub(4);
        reader.seek(SeekFrom::Start(base))?;
        let mut splitter = Splitter { end: range.end, ..Splitter::new(reader, base, max_message) };
        while !splitter.ended && splitter.buffer.len() < 4 * FROM_LINE_BYTES {
            splitter.fill(&mut |_| ());
        }
        if range.start > 0 {
            splitter.skip_to_separator();
            if splitter.offset() < range.start {
                splitter.start =
                    ((range.start - splitter.base) as usize).min(splitter.buffer.len());
                splitter.skip_to_separator();
            }
        }
        Ok(splitter)
    }
}

/// The end of a message, relative to its `From ` line.
struct MessageEnd {
    /// End of the message.
    content: usize,
    /// Start of the next message.
    next: usize,
    found_by: FoundBy,
}

enum FoundBy {
    Length,
    Separator,
}

fn content_length(head: &[u8]) -> Option<usize> {
    const NAME: &[u8] = b"content-length:";
    message::lines(head).find_map(|line| {
        // Most lines are excluded by their first byte.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns a few bytes at a time, like a pipe.
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
        let mut messages = Vec::new();
        while let Some(item) = splitter.next(&mut |_| ()).unwrap() {
            match item {
                MboxItem::Message(message) => {
                    let bytes = message.bytes[message.from_line_len..].to_vec();
                    messages.push((message.offset, bytes, message.quoting));
                }
                MboxItem::TooLarge { offset } => messages.push((offset, vec![], Quoting::None)),
            }
        }
        messages
    }

    const FROM: &str = "From bob@example.com Thu Aug 22 12:36:23 2002\n";

    #[test]
    fn the_empty_line_before_a_separator_belongs_to_neither() {
        let mbox = format!("{FROM}Subject: a\n\none\n\n{FROM}Subject: b\n\ntwo\n");
        let messages = split(mbox.as_bytes());
        assert_eq!(messages.len(), 2);
        assert_eq!(messages[0].1, b"Subject: a\n\none\n");
        assert_eq!(messages[1].1, b"Subject: b\n\ntwo\n");
        assert_eq!(messages[1].0 as usize, mbox.rfind("From bob").unwrap());
    }

    #[test]
    fn crlf_line_ends() {
        let mbox =
            format!("{FROM}Subject: a\n\none\n\n{FROM}Subject: b\n\ntwo\n").replace('\n', "\r\n");
        let messages = split(mbox.as_bytes());
        assert_eq!(messages[0].1, b"Subject: a\r\n\r\none\r\n");
        assert_eq!(messages[1].1, b"Subject: b\r\n\r\ntwo\r\n");
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
        let messages = split(mbox.as_bytes());
        assert_eq!(messages.len(), 2);
        assert!(messages[0].1.ends_with(b"Subject: inner\n\nend\n"));
        assert_eq!(messages[0].2, Quoting::None);
        assert_eq!(messages[1].2, Quoting::Quoted);
    }

    #[test]
    fn a_wrong_content_length_is_ignored() {
        for wrong in ["0", "2", "99", "999999999", "x"] {
            let mbox = format!(
                "{FROM}Content-Length: {wrong}\nSubject: a\n\none\n\n{FROM}Subject: b\n\ntwo\n"
            );
            let messages = split(mbox.as_bytes());
            assert_eq!(messages.len(), 2, "{wrong}");
            assert!(messages[0].1.ends_with(b"one\n"), "{wrong}");
        }
    }

    #[test]
    fn a_message_that_is_too_large_is_reported_and_the_next_is_read() {
        let mbox =
            format!("{FROM}Subject: a\n\n{}\n\n{FROM}Subject: b\n\ntwo\n", "x".repeat(3 << 20));
        let messages = split(mbox.as_bytes());
        assert_eq!(messages.len(), 2);
        assert!(messages[0].1.is_empty());
        assert_eq!(messages[1].1, b"Subject: b\n\ntwo\n");
    }

    #[test]
    fn a_large_message_is_handed_over_whole() {
        let body = "y\n".repeat(OWNED_BUFFER_BYTES);
        let mbox = format!("{FROM}Subject: a\n\n{body}\n{FROM}Subject: b\n\ntwo\n");
        let mut splitter = Splitter::new(mbox.as_bytes(), 0, 1 << 30);
        let Some(MboxItem::Message(message)) = splitter.next(&mut |_| ()).unwrap() else {
            panic!()
        };
        assert!(matches!(message.bytes, Cow::Owned(_)));
        assert_eq!(message.bytes.len(), FROM.len() + 12 + body.len());
        let Some(MboxItem::Message(message)) = splitter.next(&mut |_| ()).unwrap() else {
            panic!()
        };
        assert_eq!(message.offset as usize, mbox.rfind("From bob").unwrap());
        assert!(splitter.next(&mut |_| ()).unwrap().is_none());
    }

    /// Offsets of the messages that begin in a range.
    fn starts(mbox: &[u8], range: Range<u64>) -> Vec<u64> {
        let reader = io::Cursor::new(mbox);
        let mut splitter = Splitter::in_range(reader, range, 1 << 20).unwrap();
        let mut starts = Vec::new();
        while let Some(item) = splitter.next(&mut |_| ()).unwrap() {
            let (MboxItem::Message(RawMessage { offset, .. }) | MboxItem::TooLarge { offset }) =
                item;
            starts.push(offset);
        }
        starts
    }

    #[test]
    fn ranges_split_anywhere_lose_no_message_and_read_none_twice() {
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

    /// Lines of all kinds that matter to the splitter.
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
        /// Messages that are quoted and joined are split and unquoted again.
        #[test]
        fn quoted_messages_are_restored(bodies in proptest::collection::vec(text(), 1..6)) {
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
            while let Some(MboxItem::Message(raw)) = splitter.next(&mut |_| ()).unwrap() {
                let message = message::SourceMessage::new(&raw.bytes, raw.from_line_len, raw.quoting);
                came.push(String::from_utf8(message.raw().to_vec()).unwrap());
            }
            prop_assert_eq!(came, sent);
        }

        /// Every byte except empty lines belongs to one message, in order, whatever the bytes are.
        #[test]
        fn no_byte_is_lost(text in text(), junk in "\\PC{0,30}") {
            let mbox = format!("{FROM}{text}\n{junk}");
            let mut at = 0;
            for (offset, bytes, _) in split(mbox.as_bytes()) {
                let between = &mbox[at..offset as usize];
                prop_assert!(between.chars().all(|c| matches!(c, '\r' | '\n')), "{between:?}");
                let from_line_len = mbox[offset as usize..].find('\n').map_or(mbox.len(), |end| end + 1);
                at = (offset as usize + from_line_len + bytes.len()).min(mbox.len());
            }
            prop_assert!(mbox[at..].trim_matches(['\r', '\n']).is_empty(), "{:?}", &mbox[at..]);
        }
    }
}
