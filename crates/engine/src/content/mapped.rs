//! Text as it is seen: put together from pieces of a source, with gaps.
//!
//! A link may run across tags, folds and escapes (`pay<b>pal</b>.com`). [`MappedText`] is the text that
//! a reader sees, and knows for each byte where it came from, so that an edit leaves whatever
//! stands between the pieces alone.

use std::borrow::Cow;
use std::ops::Range;

use mailsplice::span::TextEdit;
use uts58::reference;

/// A text as seen, and its way back to the source.
#[derive(Clone, Debug)]
pub struct MappedText<'t> {
    /// As a reader sees it.
    pub text: Cow<'t, str>,
    origin: Origin,
}

#[derive(Clone, Debug)]
enum Origin {
    /// A slice of the source that begins at this byte.
    At(usize),
    /// Pieces in the order of the text.
    Runs(Vec<Run>),
}

/// A piece: its text runs until the next piece begins. Markup makes one for every few bytes, so offsets
/// have 32 bits, as those of a [`mailsplice::span::Map`] have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    text: u32,
    source: u32,
    len: u32,
    kind: RunKind,
}

impl Run {
    fn new(text: usize, source: usize, len: usize, kind: RunKind) -> Run {
        let [text, source, len] = [text, source, len].map(narrow);
        Run { text, source, len, kind }
    }

    /// First byte in the text.
    fn text(self) -> usize {
        self.text as usize
    }

    /// First byte in the source.
    fn source(self) -> usize {
        self.source as usize
    }

    /// Bytes in the source.
    fn len(self) -> usize {
        self.len as usize
    }

    /// The bytes in the source.
    fn range(self) -> Range<usize> {
        self.source()..self.source() + self.len()
    }
}

/// Offsets past 4 GiB do not occur: the splitter refuses such messages.
fn narrow(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RunKind {
    /// Byte for byte.
    Linear,
    /// A unit: an entity, an escape, a reversed character. Edited whole.
    Unit,
}

impl<'t> MappedText<'t> {
    /// The source itself, from byte `at`.
    pub fn slice(text: &'t str, at: usize) -> MappedText<'t> {
        MappedText { text: Cow::Borrowed(text), origin: Origin::At(at) }
    }

    /// The characters, without the way back.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The hull of the source bytes that show this range.
    pub fn source(&self, range: Range<usize>) -> Range<usize> {
        match &self.origin {
            Origin::At(at) => range.start + at..range.end + at,
            Origin::Runs(runs) => {
                if let Some(piece) = within(runs, self.text.len(), &range) {
                    return piece;
                }
                let mut hull: Option<Range<usize>> = None;
                for piece in pieces(runs, self.text.len(), range.clone()) {
                    hull = Some(match hull {
                        None => piece,
                        Some(hull) => hull.start.min(piece.start)..hull.end.max(piece.end),
                    });
                }
                hull.unwrap_or_else(|| {
                    let at = position(runs, range.start);
                    at..at
                })
            }
        }
    }

    /// The text and its place, when it is the source itself.
    pub fn as_slice(&self) -> Option<(&'t str, usize)> {
        match (&self.text, &self.origin) {
            (Cow::Borrowed(text), Origin::At(at)) => Some((text, *at)),
            _ => None,
        }
    }

    /// The same text, read from a slice that begins at byte `at` of the source.
    pub fn shifted(mut self, at: usize) -> MappedText<'t> {
        match &mut self.origin {
            Origin::At(start) => *start += at,
            Origin::Runs(runs) => runs.iter_mut().for_each(|run| run.source += narrow(at)),
        }
        self
    }

    /// This text, read from the text of `outer`, as read from the source of `outer`.
    pub fn over<'o>(&self, outer: &MappedText<'_>) -> MappedText<'o> {
        match (&self.origin, &outer.origin) {
            (Origin::At(at), Origin::Runs(runs)) => self.over_runs(*at, outer, runs),
            _ => self.keep(|_| true, |range| outer.source(range)),
        }
    }

    /// This text, which is the text of `outer` from byte `at`: what stands in a run byte for byte is taken at once.
    fn over_runs<'o>(&self, at: usize, outer: &MappedText<'_>, runs: &[Run]) -> MappedText<'o> {
        let mut kept = Builder::with_capacity(self.text.len());
        let mut begun = 0;
        while let Some(c) = self.text.get(begun..).and_then(|rest| rest.chars().next()) {
            let behind = runs.partition_point(|run| run.text() <= at + begun);
            let run = behind.checked_sub(1).and_then(|run| runs.get(run));
            let end = runs.get(behind).map_or(outer.text.len(), |next| next.text());
            let end = end.saturating_sub(at).min(self.text.len());
            let linear = run.filter(|run| run.kind == RunKind::Linear);
            match linear.zip(self.text.get(begun..end).filter(|piece| !piece.is_empty())) {
                Some((run, piece)) => {
                    kept.linear(piece, run.source() + (at + begun - run.text()));
                    begun = end;
                }
                None => {
                    let range = begun..begun + c.len_utf8();
                    kept.character(c, outer.source(at + range.start..at + range.end));
                    begun = range.end;
                }
            }
        }
        kept.finish()
    }

    /// This text, read from the text of `outer`; without a walk over it where `outer` is the source.
    pub fn through(self, outer: &MappedText<'_>) -> MappedText<'t> {
        match outer.as_slice() {
            Some((_, at)) => self.shifted(at),
            None => self.over(outer),
        }
    }

    /// The same text, with its characters in memory of its own.
    pub fn into_owned(self) -> MappedText<'static> {
        MappedText { text: Cow::Owned(self.text.into_owned()), origin: self.origin }
    }

    /// The text without the characters that `drop` names.
    pub fn without(self, drop: impl Fn(char) -> bool) -> MappedText<'t> {
        if !self.text.contains(&drop) {
            return self;
        }
        let Origin::At(source) = self.origin else { return self.keep(|c| !drop(c), |range| range) };
        let mut kept = Builder::with_capacity(self.text.len());
        let mut start = 0;
        for (at, dropped) in self.text.match_indices(&drop) {
            kept.linear(self.text.get(start..at).unwrap_or_default(), source + start);
            start = at + dropped.len();
        }
        kept.linear(self.text.get(start..).unwrap_or_default(), source + start);
        kept.finish()
    }

    /// The text as browsers read a URL in it ([`reference::parse`]).
    pub fn as_url(self) -> MappedText<'t> {
        // All of them are bytes below the blank.
        match self.text.bytes().all(|byte| byte >= b' ') {
            true => self,
            false => self.without(reference::is_stripped),
        }
    }

    /// These stretches of the text, one behind the other.
    pub fn joined<'o>(&self, stretches: &[Range<usize>]) -> MappedText<'o> {
        let mut kept = Builder::default();
        for stretch in stretches {
            let text = self.text.get(stretch.clone()).unwrap_or_default();
            for (at, c) in text.char_indices() {
                let at = stretch.start + at;
                kept.character(c, self.source(at..at + c.len_utf8()));
            }
        }
        kept.finish()
    }

    fn keep<'o>(
        &self,
        keep: impl Fn(char) -> bool,
        below: impl Fn(Range<usize>) -> Range<usize>,
    ) -> MappedText<'o> {
        let mut kept = Builder::with_capacity(self.text.len());
        for (at, c) in self.text.char_indices().filter(|(_, c)| keep(*c)) {
            kept.character(c, below(self.source(at..at + c.len_utf8())));
        }
        kept.finish()
    }

    /// Replaces a range: the first source piece becomes the replacement, the others go.
    pub fn place(&self, range: Range<usize>, replacement: String, edits: &mut Vec<TextEdit>) {
        match &self.origin {
            Origin::At(at) => {
                edits.push(TextEdit { range: range.start + at..range.end + at, replacement });
            }
            Origin::Runs(runs) => {
                let mut rest = Some(replacement);
                for piece in pieces(runs, self.text.len(), range.clone()) {
                    let replacement = rest.take().unwrap_or_default();
                    edits.push(TextEdit { range: piece, replacement });
                }
                if let Some(replacement) = rest {
                    let at = position(runs, range.start);
                    edits.push(TextEdit { range: at..at, replacement });
                }
            }
        }
    }
}

/// The source bytes of a range of the text that one run has byte for byte, as most do.
fn within(runs: &[Run], text_len: usize, range: &Range<usize>) -> Option<Range<usize>> {
    let behind = runs.partition_point(|run| run.text() <= range.start);
    let run = runs.get(behind.checked_sub(1)?).filter(|run| run.kind == RunKind::Linear)?;
    let end = runs.get(behind).map_or(text_len, |next| next.text());
    let at = run.source() + (range.start - run.text());
    (range.start < range.end && range.end <= end).then(|| at..at + range.len())
}

/// The source ranges under a range of the text, neighbours joined, empty ones left out.
fn pieces(runs: &[Run], text_len: usize, range: Range<usize>) -> Vec<Range<usize>> {
    let first = runs.partition_point(|run| run.text() <= range.start).saturating_sub(1);
    let mut found: Vec<Range<usize>> = Vec::new();
    for (index, run) in runs.iter().enumerate().skip(first) {
        if run.text() >= range.end {
            break;
        }
        let end = runs.get(index + 1).map_or(text_len, |next| next.text());
        let (from, to) = (range.start.max(run.text()), range.end.min(end));
        if from >= to || run.len() == 0 {
            continue;
        }
        let piece = match run.kind {
            RunKind::Linear => run.source() + (from - run.text())..run.source() + (to - run.text()),
            RunKind::Unit => run.range(),
        };
        match found.last_mut() {
            Some(last) if last.end == piece.start => last.end = piece.end,
            // Several characters of one unit (an entity that stands for two).
            Some(last) if last.start <= piece.start && piece.end <= last.end => {}
            _ => found.push(piece),
        }
    }
    found
}

/// The source position of a text position: behind what stands before it.
fn position(runs: &[Run], text: usize) -> usize {
    let index = runs.partition_point(|run| run.text() < text);
    match index.checked_sub(1).and_then(|index| runs.get(index)) {
        None => runs.first().map_or(0, |run| run.source()),
        Some(run) => match run.kind {
            RunKind::Linear => run.source() + (text - run.text()).min(run.len()),
            RunKind::Unit => run.source() + run.len(),
        },
    }
}

/// Puts a [`MappedText`] together.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    text: String,
    runs: Vec<Run>,
}

impl Builder {
    pub fn with_capacity(bytes: usize) -> Builder {
        Builder { text: String::with_capacity(bytes), runs: Vec::new() }
    }

    pub fn len(&self) -> usize {
        self.text.len()
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// What was put together, when it is wanted; begins anew.
    pub fn take<'t>(&mut self, wanted: bool) -> Option<MappedText<'t>> {
        if wanted {
            return Some(std::mem::take(self).finish());
        }
        self.text.clear();
        self.runs.clear();
        None
    }

    /// Whether what comes next begins a word: at the start too.
    pub fn ends_with_space(&self) -> bool {
        match self.text.as_bytes().last() {
            Some(last) if last.is_ascii() => matches!(last, b' ' | b'\t'..=b'\r'),
            _ => self.text.chars().next_back().is_none_or(char::is_whitespace),
        }
    }

    /// Text that stands in the source as it is, from byte `source`.
    pub fn linear(&mut self, text: &str, source: usize) {
        if text.is_empty() {
            return;
        }
        let at = self.text.len();
        self.text.push_str(text);
        if let Some(last) = self.runs.last_mut()
            && last.kind == RunKind::Linear
            && last.range().end == source
        {
            last.len += narrow(text.len());
            return;
        }
        self.runs.push(Run::new(at, source, text.len(), RunKind::Linear));
    }

    /// Text that a stretch of the source stands for as a whole.
    pub fn unit(&mut self, text: &str, source: Range<usize>) {
        if text.is_empty() {
            return;
        }
        self.runs.push(Run::new(self.text.len(), source.start, source.len(), RunKind::Unit));
        self.text.push_str(text);
    }

    /// A character that these bytes of the source stand for.
    fn character(&mut self, c: char, source: Range<usize>) {
        let mut utf8 = [0; 4];
        let shown = &*c.encode_utf8(&mut utf8);
        if source.len() == shown.len() {
            self.linear(shown, source.start);
        } else {
            self.unit(shown, source);
        }
    }

    /// A separator that a reader sees where the source has none; once is enough.
    pub fn separate(&mut self, source: usize) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.unit("\n", source..source);
        }
    }

    /// Turns what stands from byte `from` round, character by character (`<bdo dir=rtl>`).
    pub fn reverse(&mut self, from: usize) {
        let first = self.runs.partition_point(|run| run.text() < from);
        let tail: Vec<Run> = self.runs.split_off(first);
        let text = self.text.split_off(from.min(self.text.len()));
        // A run for each of them: none more, since it is a lot of room.
        self.runs.reserve_exact(text.chars().count());
        let mut end = text.len();
        for run in tail.iter().rev() {
            let start = run.text() - from;
            let piece = text.get(start..end).unwrap_or_default();
            end = start;
            match run.kind {
                RunKind::Unit => self.unit(piece, run.range()),
                RunKind::Linear => piece.char_indices().rev().for_each(|(at, c)| {
                    let here = run.source() + at;
                    self.unit(c.encode_utf8(&mut [0; 4]), here..here + c.len_utf8());
                }),
            }
        }
    }

    pub fn finish<'t>(mut self) -> MappedText<'t> {
        self.text.shrink_to_fit();
        self.runs.shrink_to_fit();
        MappedText { text: Cow::Owned(self.text), origin: Origin::Runs(self.runs) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> MappedText<'static> {
        // pay<b>pal</b>&#46;com
        let mut seen = Builder::default();
        seen.linear("pay", 0);
        seen.linear("pal", 6);
        seen.unit(".", 13..18);
        seen.linear("com", 18);
        seen.finish()
    }

    #[test]
    fn an_edit_leaves_what_stands_between_the_pieces() {
        let mut edits = Vec::new();
        sample().place(0..6, "xn--x".to_owned(), &mut edits);
        sample().place(6..7, "[.]".to_owned(), &mut edits);
        let plain: Vec<_> =
            edits.iter().map(|edit| (edit.range.clone(), edit.replacement.as_str())).collect();
        assert_eq!(plain, [(0..3, "xn--x"), (6..9, ""), (13..18, "[.]")]);
    }

    #[test]
    fn the_hull_covers_every_piece() {
        assert_eq!(sample().source(1..8), 1..19);
        assert_eq!(sample().source(6..7), 13..18);
    }

    #[test]
    fn an_insertion_stands_behind_what_is_before_it() {
        let mut edits = Vec::new();
        sample().place(6..6, "!".to_owned(), &mut edits);
        assert_eq!(edits, [TextEdit { range: 9..9, replacement: "!".to_owned() }]);
    }

    #[test]
    fn reversed_text_leads_back_character_by_character() {
        let mut seen = Builder::default();
        seen.linear("see ", 0);
        seen.linear("moc.x", 13);
        seen.reverse(4);
        let seen = seen.finish();
        assert_eq!(seen.as_str(), "see x.com");
        assert_eq!(seen.source(4..5), 17..18);
        assert_eq!(seen.source(5..6), 16..17);
    }
}
