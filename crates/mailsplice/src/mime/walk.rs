//! Walks over the lines of a layer: finds the ends of header blocks, and delimiter lines (RFC 2046 §5.1.1).

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::content_type::ContentType;
use super::entity::{Context, Entity};
use super::header;
use super::{ClientView, Why};

/// Bytes of a multipart in which the delimiter is searched for, if none is declared.
pub const GUESSED: usize = 4096;

/// Nesting depth of second readings.
pub const LEVELS: u8 = 3;

/// Whether a pass reads the structure like most clients.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Views {
    Usual,
    /// A second reading, with its nesting level.
    Again(u8, Why),
}

impl Views {
    pub fn view(self) -> ClientView {
        match self {
            Views::Usual => ClientView::Usual,
            Views::Again(_, why) => ClientView::Other(why),
        }
    }

    /// One level deeper; `None` at the deepest level.
    pub fn deeper(self, why: Why) -> Option<Views> {
        match self {
            Views::Usual => Some(Views::Again(1, why)),
            Views::Again(level, _) => (level < LEVELS).then_some(Views::Again(level + 1, why)),
        }
    }
}

/// The state of one pass.
pub(super) struct Walk<'m> {
    pub layer: usize,
    pub bytes: LayerBytes<'m>,
    pub end: usize,
    pub views: Views,
    pub frames: Vec<OpenMultipart>,
    pub boundaries: Boundaries,
    /// Open messages, the innermost last.
    pub messages: Vec<OpenMessage>,
    pub open: Option<OpenLeaf>,
    /// Whether a lone CR follows a delimiter: programs for which it ends a line see that.
    pub lone_cr: Cell<bool>,
}

pub(super) struct OpenMultipart {
    pub entity: Entity,
    pub boundary: Vec<u8>,
    /// Where its body begins.
    pub start: usize,
    pub children: usize,
    /// The context of its children.
    pub context: Context,
}

/// A leaf whose end is not known yet.
pub(super) struct OpenLeaf {
    pub entity: Entity,
    pub start: usize,
}

/// An open message that some clients take for another type or for encoded.
pub(super) struct OpenMessage {
    pub entity: Entity,
    pub start: usize,
    /// Number of multiparts around it.
    pub frames: usize,
}

#[derive(Clone)]
pub(super) enum LayerBytes<'m> {
    Body(&'m [u8]),
    Layer(Arc<Vec<u8>>),
}

impl LayerBytes<'_> {
    pub fn get(&self) -> &[u8] {
        match self {
            LayerBytes::Body(bytes) => bytes,
            LayerBytes::Layer(bytes) => bytes,
        }
    }
}

/// A header block found in a layer.
pub(super) struct Block {
    /// Without the empty line.
    pub head: Range<usize>,
    /// Where the body begins.
    pub body: usize,
    /// Offset of the first line that is not a field.
    pub ragged: Option<usize>,
}

impl Walk<'_> {
    /// The delimiter of a multipart; a guess if the parameter is missing.
    pub fn boundary_of(&self, label: &ContentType, start: usize) -> Vec<u8> {
        let declared = label.parameter_bytes("boundary").unwrap_or_default().trim_ascii_end();
        match declared {
            [] => self.guessed_boundary(start..self.end).to_vec(),
            declared => declared.to_vec(),
        }
    }

    /// The text after the `--` of the first line that begins so, near the start; empty if that line
    /// delimits an outer multipart.
    pub fn guessed_boundary(&self, range: Range<usize>) -> &[u8] {
        let bytes = self.bytes.get().get(range).unwrap_or_default();
        let opening = bytes.get(..GUESSED).unwrap_or(bytes);
        let line = opening.split(|b| *b == b'\n').find(|line| line.starts_with(b"--"));
        let line = line.filter(|line| self.boundaries.find(line).is_none());
        line.and_then(|line| line.get(2..)).unwrap_or_default().trim_ascii_end()
    }

    /// Finds the end of the header block at `start`: an empty line, a delimiter, or a first line
    /// that is not a field.
    pub fn header_block(&self, start: usize) -> Block {
        let bytes = self.bytes.get().get(..self.end).unwrap_or_default();
        let mut at = start;
        let mut ragged = None;
        while at < bytes.len() {
            let next = header::line_after(bytes, at);
            let line = bytes.get(at..next).unwrap_or_default();
            if header::without_line_end(line).is_empty() {
                return Block { head: start..at, body: next, ragged };
            }
            if line.starts_with(b"--") && self.boundaries.find(line).is_some() {
                return Block { head: start..at, body: at, ragged };
            }
            let first = at == start;
            let envelope = first && (line.starts_with(b"From ") || line.starts_with(b">From "));
            let folded = !first && matches!(line.first(), Some(b' ' | b'\t'));
            let rest = bytes.get(at..).unwrap_or_default();
            let colon = header::colon(rest);
            if colon.is_none() && !envelope && !folded {
                // Most programs continue after a first line that is not a field. Here only if a label follows.
                if first && !is_label_below(bytes, next) {
                    return Block { head: start..start, body: start, ragged };
                }
                ragged = ragged.or(Some(at));
            }
            // A name with NUL is one only to programs that drop it.
            if colon.is_some_and(|colon| holds_nul(rest.get(..colon).unwrap_or_default())) {
                ragged = ragged.or(Some(at));
            }
            at = next;
        }
        Block { head: start..bytes.len(), body: bytes.len(), ragged }
    }

    /// The first delimiter line at or after `from`, which is the start of a line.
    pub fn next_delimiter(&self, from: usize) -> Option<Delimiter> {
        if self.frames.is_empty() {
            return None;
        }
        let bytes = self.bytes.get().get(..self.end)?;
        let mut at = from;
        loop {
            let rest = bytes.get(at..)?;
            if rest.starts_with(b"--") {
                let end = header::line_after(bytes, at);
                let line = bytes.get(at..end)?;
                if let Some((frame, closing)) = self.boundaries.find(line) {
                    return Some(Delimiter { frame, closing, line: at..end });
                }
                let cut = memchr::memchr(b'\r', line).and_then(|end| line.get(..end));
                if cut.is_some_and(|cut| self.boundaries.find(cut).is_some()) {
                    self.lone_cr.set(true);
                }
            }
            at += memchr::memmem::find(rest, b"\n--")? + 1;
        }
    }

    /// The end of the content before a delimiter line: the last line end belongs to the delimiter.
    pub fn before_line_end(&self, at: usize) -> usize {
        let before = self.bytes.get().get(..at).unwrap_or_default();
        header::without_line_end(before).len()
    }
}

fn holds_nul(bytes: &[u8]) -> bool {
    memchr::memchr(0, bytes).is_some()
}

/// Whether a label begins at this offset, or after the folds of the previous line.
fn is_label_below(bytes: &[u8], mut at: usize) -> bool {
    while matches!(bytes.get(at), Some(b' ' | b'\t')) {
        let next = header::line_after(bytes, at);
        if bytes.get(at..next).unwrap_or_default().trim_ascii().is_empty() {
            return false;
        }
        at = next;
    }
    header::is_label(bytes.get(at..).unwrap_or_default())
}

/// The active delimiters: boundary → indices of its frames, the outermost first. If two multiparts have the
/// same boundary, it delimits the outer one: clients pass lines from the outer multipart to the inner one.
#[derive(Default)]
pub(super) struct Boundaries(BTreeMap<Vec<u8>, Vec<usize>>);

/// A delimiter line.
pub(super) struct Delimiter {
    pub frame: usize,
    pub closing: bool,
    /// The line with its line end.
    pub line: Range<usize>,
}

impl Boundaries {
    pub fn add(&mut self, boundary: &[u8], frame: usize) {
        self.0.entry(boundary.to_vec()).or_default().push(frame);
    }

    pub fn remove(&mut self, boundary: &[u8]) {
        if let Some(frames) = self.0.get_mut(boundary) {
            frames.pop();
            if frames.is_empty() {
                self.0.remove(boundary);
            }
        }
    }

    /// The frame that a line beginning with `--` delimits, and whether it closes it. Trailing white space
    /// is ignored.
    fn find(&self, line: &[u8]) -> Option<(usize, bool)> {
        let text = line.get(2..)?.trim_ascii_end();
        let outermost = |boundary: &[u8]| self.0.get(boundary)?.first().copied();
        if let Some(frame) = outermost(text) {
            return Some((frame, false));
        }
        let frame = outermost(text.strip_suffix(b"--")?.trim_ascii_end())?;
        Some((frame, true))
    }
}
