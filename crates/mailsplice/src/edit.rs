//! Edits of a message and how they are applied, fields of a header, and reasons why a part was not read.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// Bytes of the raw body to replace. Everything outside stays as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawEdit {
    /// Byte range in the raw body.
    pub range: Range<usize>,
    /// New bytes: ASCII, or text encoded in the part's charset. Most are constants.
    pub replacement: Cow<'static, [u8]>,
}

/// Iterates over the edited body, slice by slice.
#[derive(Clone, Debug)]
pub struct Segments<'a> {
    body: &'a [u8],
    edits: std::slice::Iter<'a, RawEdit>,
    /// Offset in the body up to which it has been returned.
    at: usize,
    /// The replacement to return next.
    replacement: Option<&'a [u8]>,
}

/// The body with these edits (in order, disjoint, within it); an edit that does not fit is skipped.
pub fn apply<'a>(body: &'a [u8], edits: &'a [RawEdit]) -> Segments<'a> {
    Segments { body, edits: edits.iter(), at: 0, replacement: None }
}

impl<'a> Segments<'a> {
    /// Bytes of all remaining segments.
    pub fn byte_len(&self) -> usize {
        self.clone().map(<[u8]>::len).sum()
    }

    /// All remaining segments, concatenated.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.byte_len());
        self.clone().for_each(|segment| out.extend_from_slice(segment));
        out
    }
}

impl<'a> Iterator for Segments<'a> {
    type Item = &'a [u8];

    /// The next segment, never empty.
    fn next(&mut self) -> Option<&'a [u8]> {
        loop {
            if let Some(replacement) = self.replacement.take()
                && !replacement.is_empty()
            {
                return Some(replacement);
            }
            let from = self.at;
            let fits = |edit: &&RawEdit| {
                from <= edit.range.start
                    && edit.range.start <= edit.range.end
                    && edit.range.end <= self.body.len()
            };
            let stop = match self.edits.find(fits) {
                Some(edit) => {
                    self.at = edit.range.end;
                    self.replacement = Some(&edit.replacement);
                    edit.range.start
                }
                None if from == self.body.len() => return None,
                None => {
                    self.at = self.body.len();
                    self.at
                }
            };
            if from < stop {
                return self.body.get(from..stop);
            }
        }
    }
}

/// An edit of a header field of the message itself. An empty range at the end of the head adds the
/// field; an empty value removes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadEdit {
    /// Field name, as spelled in the message.
    pub name: String,
    /// Which of the fields of that name, from 1, counted from the top.
    pub index: usize,
    /// Byte range of the old value in the raw head: after the colon, without the final line end.
    pub range: Range<usize>,
    /// The new value, beginning with its space.
    pub value: Vec<u8>,
}

/// A header field of ours to add. Folded lines are joined by LF and one space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name as it is written in the message.
    pub name: &'static str,
    /// ASCII, without the leading space.
    pub value: String,
}

/// The line end of a text, also used for lines that we add.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// CR and LF, as on the wire.
    Crlf,
    /// LF alone, as in Unix files.
    Lf,
}

impl LineEnd {
    /// The first line end in these bytes; CRLF if they have none.
    pub fn of(bytes: &[u8]) -> LineEnd {
        match memchr::memchr(b'\n', bytes) {
            Some(at) if at == 0 || bytes.get(at - 1) != Some(&b'\r') => LineEnd::Lf,
            _ => LineEnd::Crlf,
        }
    }

    /// The line end of the first of these that has one: a text of one line may have none.
    pub fn of_first<'b>(texts: impl IntoIterator<Item = &'b [u8]>) -> LineEnd {
        let found = texts.into_iter().find(|text| memchr::memchr(b'\n', text).is_some());
        LineEnd::of(found.unwrap_or_default())
    }

    /// Its characters.
    pub const fn as_str(self) -> &'static str {
        match self {
            LineEnd::Crlf => "\r\n",
            LineEnd::Lf => "\n",
        }
    }

    /// Its bytes.
    pub const fn as_bytes(self) -> &'static [u8] {
        self.as_str().as_bytes()
    }
}

/// Characters per line (RFC 5322 §2.1.1).
pub const LINE: usize = 78;

impl Field {
    /// A field whose value is folded into lines of at most [`LINE`] characters, name included.
    pub fn folded(name: &'static str, text: &str) -> Field {
        Field { name, value: fold(name, text) }
    }

    /// Bytes of the field in a message, its line ends as CRLF.
    pub fn wire_len(&self) -> usize {
        let folds = self.value.bytes().filter(|b| *b == b'\n').count();
        self.name.len() + 2 + self.value.len() + folds + 2
    }
}

/// Folds `text` at white space, and words that are too long for a line behind a comma or a semicolon: a rule that looks
/// for an item of a list finds it whole. What has no such place for a whole line is cut.
fn fold(name: &str, text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    let mut column = name.len() + 2;
    for (index, word) in text.split(' ').enumerate() {
        if index > 0 {
            if column + 1 + word.len() > LINE {
                out.push_str("\n ");
                column = 1;
            } else {
                out.push(' ');
                column += 1;
            }
        }
        let mut rest = word;
        while column + rest.len() > LINE {
            let (line, after) = rest.split_at_checked(LINE - column).unwrap_or((rest, ""));
            let (line, after) =
                match line.rfind([',', ';']).and_then(|at| rest.split_at_checked(at + 1)) {
                    Some(behind_item) => behind_item,
                    None => (line, after),
                };
            out.push_str(line);
            if after.is_empty() {
                rest = after;
                column = LINE;
                break;
            }
            out.push_str("\n ");
            column = 1;
            rest = after;
        }
        out.push_str(rest);
        column += rest.len();
    }
    out
}

/// A recipe that is too big for a header field. It must be stored where `restore` finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRecipe {
    /// SHA-256 of the recipe in lower-case hexadecimal: its file name in the state directory.
    pub digest: String,
    /// Content of that file.
    pub recipe: Vec<u8>,
}

/// Why a part or the rest of a message was not read.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Bypass {
    /// A bound was reached.
    Limit(Limit),
    /// A part whose content cannot be read: encrypted, PKCS#7, an archive of another kind.
    Opaque,
    /// The engine panicked on it; the original bytes were passed on.
    Panic,
}

/// The limit that one message reached. Its name is written in the header field and in events (`limit:parts`).
/// The engine has limits that this crate has not; all names are here, so that no name is used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Limit {
    /// Nested parts or archives.
    Depth,
    /// Nested pages.
    Documents,
    /// Text that is added beside links: notices and anchors.
    Extras,
    /// Bytes of a header.
    Header,
    /// Links that are recorded.
    Links,
    /// Bytes of all messages that are in memory; one more is put off.
    MaxMemory,
    /// Bytes of a message; a longer one is not read at all.
    MaxMessage,
    /// Time for one message.
    MessageTimeout,
    /// Parts.
    Parts,
    /// Second readings.
    Readings,
    /// Rounds of editing and reading again.
    Rounds,
    /// Bytes of a body; a longer one is not read.
    Size,
    /// Steps of all readings.
    Steps,
    /// Bytes after transfer encodings and compression are undone.
    Unwrapped,
}

impl Limit {
    /// The name in one word.
    pub const fn name(self) -> &'static str {
        match self {
            Limit::Depth => "depth",
            Limit::Documents => "documents",
            Limit::Extras => "extras",
            Limit::Header => "header",
            Limit::Links => "links",
            Limit::MaxMemory => "max_memory",
            Limit::MaxMessage => "max_message",
            Limit::MessageTimeout => "message_timeout",
            Limit::Parts => "parts",
            Limit::Readings => "readings",
            Limit::Rounds => "rounds",
            Limit::Size => "size",
            Limit::Steps => "steps",
            Limit::Unwrapped => "unwrapped",
        }
    }
}

impl Bypass {
    /// Whether the message exhausted a limit of time, steps, memory, or a count that no legitimate mail comes
    /// near. The unread rest may contain anything. False for mail that is merely long, or came with too much
    /// other mail, and for text that was left out beside links.
    pub fn is_exhaustion(&self) -> bool {
        use Limit::{Extras, MaxMemory, MaxMessage, Size};
        let long = |limit: &Limit| matches!(limit, MaxMemory | MaxMessage | Size | Extras);
        matches!(self, Bypass::Limit(limit) if !long(limit))
    }
}

impl fmt::Display for Bypass {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bypass::Limit(limit) => write!(out, "limit:{}", limit.name()),
            Bypass::Opaque => out.write_str("opaque"),
            Bypass::Panic => out.write_str("panic"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(range: std::ops::Range<usize>, replacement: &str) -> RawEdit {
        RawEdit { range, replacement: replacement.as_bytes().to_vec().into() }
    }

    #[test]
    fn segments_are_slices_in_turn() {
        let edits = [edit(0..1, ""), edit(2..2, "++"), edit(4..6, "-")];
        let segments: Vec<&[u8]> = apply(b"abcdef", &edits).collect();
        assert_eq!(segments, [&b"b"[..], b"++", b"cd", b"-"]);
        assert_eq!(apply(b"abcdef", &edits).byte_len(), 6);
        assert_eq!(apply(b"", &[]).count(), 0);
        assert_eq!(apply(b"abc", &[]).to_vec(), b"abc");
    }

    #[test]
    fn items_of_a_list_are_never_cut() {
        for length in 1..40 {
            let items: Vec<String> =
                (0..40).map(|number| format!("{}{number}", "c".repeat(length))).collect();
            let text = format!("v=1; reasons={}; done=edited", items.join(","));
            let field = Field::folded("X-Linkmilter", &text);
            let lines: Vec<&str> = field.value.split('\n').collect();
            assert!(lines.len() > 1 && lines.iter().all(|line| line.len() <= LINE), "{field:?}");
            for line in &lines[..lines.len() - 1] {
                assert!(line.ends_with([',', ';']), "{line}");
            }
            assert_eq!(field.value.replace("\n ", "").replace(' ', ""), text.replace(' ', ""));
        }
        // What is one word is cut: no line may be longer.
        let field = Field::folded("X-Linkmilter-Undo", &format!("v=1; z={}", "A".repeat(300)));
        assert!(
            field.value.split('\n').skip(1).take(3).all(|line| line.len() == LINE),
            "{field:?}"
        );
    }

    #[test]
    fn edits_that_do_not_fit_are_left_out() {
        let edits = [edit(1..3, "x"), edit(2..4, "y"), edit(5..9, "z")];
        assert_eq!(apply(b"abcdef", &edits).to_vec(), b"axdef");
    }
}
