//! mbox files: where their messages begin and end.
//!
//! | RFC 4155 and the field | here |
//! | --- | --- |
//! | mboxo, mboxrd: `From ` in a body is quoted with `>` | [`message::SourceMessage`] removes one `>` |
//! | mboxcl: quoted, and Content-Length counts the quoted bytes | trusted when a separator or the end follows |
//! | mboxcl2: not quoted, only Content-Length tells the end | the same; [`Quoting::None`] when a bare separator is inside |
//!
//! A separator is a `From ` line with a date, or with nothing (Thunderbird), after an empty line, before
//! a header field. All three conditions are needed: forwarded mail contains `From ` lines, but without
//! the empty line. Thunderbird leaves that out at times, and writes a field of its own instead.

use std::borrow::Cow;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use memchr::memchr;

use super::message::{self, Quoting, RawMessage};
use super::separator::{
    FROM_LINE_BYTES, HeaderEnd, SeparatorSearch, find_separator, has_bare_separator, header_end,
    is_separator, last_content,
};

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
                SeparatorSearch::Found { content, next } => {
                    return Some(MessageEnd { content, next, found_by: FoundBy::Separator });
                }
                SeparatorSearch::Resume(at) => from = at,
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
        let mut line = from_line_len;
        let body = loop {
            match header_end(self.rest(), line, self.ended) {
                HeaderEnd::Body(at) => break at,
                HeaderEnd::Separator => return None,
                HeaderEnd::Unread(at) => line = at,
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
                SeparatorSearch::Found { next, .. } => {
                    self.start += next;
                    return;
                }
                SeparatorSearch::Resume(at) => {
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
mod tests;
