//! What stands in a header, what is to change in a message, and what of it was not read.

use std::fmt;
use std::ops::Range;

/// Bytes of the raw body to replace. Everything outside stays as it came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawEdit {
    /// Byte range in the raw body.
    pub range: Range<usize>,
    /// Bytes that take its place: ASCII, or what the part's charset makes of it.
    pub replacement: Vec<u8>,
}

/// A change of a header field of the message itself. An empty range at the end of the head adds the
/// field; an empty value takes it away.
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

/// A header field of ours to add. Folded lines are joined by LF and an indentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// As it is to be spelled in the message.
    pub name: &'static str,
    /// ASCII, without the leading space.
    pub value: String,
}

/// Characters a line (RFC 5322 §2.1.1).
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

/// Folds at white space, and inside words that are too long for a line.
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

/// A recipe that is too big for a header field: to be kept where `restore` finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRecipe {
    /// SHA-256 of the recipe in lower-case hexadecimal: its file name in the state directory.
    pub digest: String,
    /// What is to be kept in that file.
    pub recipe: Vec<u8>,
}

/// Why a part or the rest of a message was not read.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Bypass {
    /// A bound was reached.
    Limit(Limit),
    /// A part that cannot be looked into: encrypted, PKCS#7, archive, office format.
    Opaque,
    /// The engine failed on it; the original bytes went on.
    Panic,
    /// A part that could not be decoded; the reason in a word.
    Undecodable(&'static str),
}

/// A bound of what one message may take: which one was reached. Its name stands in the header field and in events
/// (`limit:parts`). The engine has bounds beyond those of this crate; all names are here, so that none is told in
/// two ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Limit {
    /// Parts or archives in one another.
    Depth,
    /// Pages in one another.
    Documents,
    /// What is written beside links: notices and anchors.
    Extras,
    /// Bytes of a header.
    Header,
    /// Links of which something is kept.
    Links,
    /// Bytes of a message that is read at all.
    MaxMessage,
    /// Time.
    MessageTimeout,
    /// Bytes of wrappings that the look under all structure unwraps.
    Net,
    /// Parts.
    Parts,
    /// Second readings.
    Readings,
    /// Rounds of edits and new readings.
    Rounds,
    /// Bytes of a body that is read.
    Size,
    /// Steps of all readings.
    Steps,
    /// Bytes that transfer encodings and compression unwrap to.
    Unwrapped,
}

impl Limit {
    /// Its name in one word.
    pub const fn name(self) -> &'static str {
        match self {
            Limit::Depth => "depth",
            Limit::Documents => "documents",
            Limit::Extras => "extras",
            Limit::Header => "header",
            Limit::Links => "links",
            Limit::MaxMessage => "max_message",
            Limit::MessageTimeout => "message_timeout",
            Limit::Net => "net",
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
    /// Whether the message used up what reading it may cost: time, steps, memory, or a count that no honest
    /// mail comes near. What was left unread may hold anything. Mail that is merely long and words that were
    /// left out beside links are not meant.
    pub fn is_exhaustion(&self) -> bool {
        let long = |limit: &Limit| matches!(limit, Limit::MaxMessage | Limit::Size | Limit::Extras);
        matches!(self, Bypass::Limit(limit) if !long(limit))
    }
}

impl fmt::Display for Bypass {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bypass::Limit(limit) => write!(out, "limit:{}", limit.name()),
            Bypass::Opaque => out.write_str("opaque"),
            Bypass::Panic => out.write_str("panic"),
            Bypass::Undecodable(why) => write!(out, "undecodable:{why}"),
        }
    }
}

/// A field in a header block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderField {
    /// With its line end.
    pub line: Range<usize>,
    /// Byte range of what stands behind the colon, without the final line end.
    pub value: Range<usize>,
    pub(crate) name: Range<usize>,
}

impl HeaderField {
    /// The field's name as spelled, out of the header block that the field was found in.
    #[inline]
    pub fn name<'h>(&self, head: &'h [u8]) -> &'h [u8] {
        head.get(self.name.clone()).unwrap_or_default()
    }

    /// Whether the field has this name; case does not count (RFC 5322 §1.2.2).
    pub fn is_named(&self, head: &[u8], name: &[u8]) -> bool {
        self.name(head).eq_ignore_ascii_case(name)
    }

    /// The value with runs of white space as one space each.
    pub fn text(&self, head: &[u8]) -> String {
        let value = String::from_utf8_lossy(head.get(self.value.clone()).unwrap_or_default());
        value.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
    }
}
