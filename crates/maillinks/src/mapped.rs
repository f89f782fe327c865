//! Text as it is seen: joined from pieces of a source, with gaps.
//!
//! A link may run across tags, folds and escapes (`pay<b>pal</b>.com`). [`MappedText`] is the text that a reader sees,
//! and maps each byte to its source, so that an edit leaves everything between the pieces unchanged.

use std::borrow::Cow;
use std::ops::Range;

use super::runs::{Growing, RunKind, Runs, TextRun};
use mailsplice::span::TextEdit;
use uts58::reference;

/// A text as seen, mapped to its source.
#[derive(Clone, Debug)]
pub struct MappedText<'t> {
    /// The text that a reader sees.
    pub text: Cow<'t, str>,
    origin: TextOrigin,
}

#[derive(Clone, Debug)]
enum TextOrigin {
    /// A slice of the source that begins at this byte.
    At(usize),
    /// Pieces in the order of the text.
    Runs(Runs),
}

impl<'t> MappedText<'t> {
    /// The source itself, from byte `at`.
    pub fn slice(text: &'t str, at: usize) -> MappedText<'t> {
        MappedText { text: Cow::Borrowed(text), origin: TextOrigin::At(at) }
    }

    /// The characters, without the mapping.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The smallest range with all source bytes of this range.
    pub fn source(&self, range: Range<usize>) -> Range<usize> {
        match &self.origin {
            TextOrigin::At(at) => range.start + at..range.end + at,
            TextOrigin::Runs(runs) => {
                if let Some(piece) = within(runs, &range) {
                    return piece;
                }
                let mut hull: Option<Range<usize>> = None;
                each_piece(runs, range.clone(), |piece| {
                    hull = Some(match &hull {
                        None => piece,
                        Some(hull) => hull.start.min(piece.start)..hull.end.max(piece.end),
                    });
                });
                hull.unwrap_or_else(|| {
                    let at = position(runs, range.start);
                    at..at
                })
            }
        }
    }

    /// The text and its offset, if it is the source itself.
    pub fn as_slice(&self) -> Option<(&'t str, usize)> {
        match (&self.text, &self.origin) {
            (Cow::Borrowed(text), TextOrigin::At(at)) => Some((text, *at)),
            _ => None,
        }
    }

    /// The same text, as read from a slice that begins at byte `at` of the source.
    pub fn shifted(mut self, at: usize) -> MappedText<'t> {
        match &mut self.origin {
            TextOrigin::At(start) => *start += at,
            TextOrigin::Runs(runs) => runs.shift(at),
        }
        self
    }

    /// Maps this text, which was read from the text of `outer`, to the source of `outer`.
    pub fn over<'o>(&self, outer: &MappedText<'_>) -> MappedText<'o> {
        if let TextOrigin::At(at) = outer.origin {
            let text = Cow::Owned(self.text.clone().into_owned());
            return MappedText { text, origin: self.origin.clone() }.shifted(at);
        }
        if let (TextOrigin::At(at), TextOrigin::Runs(runs)) = (&self.origin, &outer.origin)
            && let Some(source) = within(runs, &(*at..at + self.text.len()))
        {
            let text = Cow::Owned(self.text.clone().into_owned());
            return MappedText { text, origin: TextOrigin::At(source.start) };
        }
        let mut kept = Builder::with_capacity(self.text.len());
        match &self.origin {
            TextOrigin::At(at) => outer.copy(&self.text, *at, &mut kept),
            TextOrigin::Runs(runs) => {
                for run in runs.from(0) {
                    let piece = self.text.get(run.text..run.end()).unwrap_or_default();
                    match run.kind {
                        RunKind::Linear => outer.copy(piece, run.source, &mut kept),
                        RunKind::Unit => kept.part(piece, outer.source(self.unit(&run))),
                    }
                }
            }
        }
        kept.finish()
    }

    /// Adds this stretch of the text, which begins at byte `at` of it, run by run.
    fn copy(&self, stretch: &str, at: usize, kept: &mut Builder) {
        let runs = match &self.origin {
            TextOrigin::At(source) => return kept.linear(stretch, source + at),
            TextOrigin::Runs(runs) => runs,
        };
        let end = at + stretch.len();
        for run in runs.from(at).take_while(|run| run.text < end) {
            let (from, to) = (run.text.max(at), run.end().min(end));
            let piece = stretch.get(from - at..to - at).unwrap_or_default();
            match run.kind {
                RunKind::Linear => kept.linear(piece, run.source + (from - run.text)),
                RunKind::Unit => kept.part(piece, self.unit(&run)),
            }
        }
    }

    /// The source of a unit; of one without source bytes, the position after what precedes it.
    fn unit(&self, run: &TextRun) -> Range<usize> {
        if run.len > 0 { run.range() } else { self.source(run.text..run.end()) }
    }

    /// The same as [`MappedText::over`], without copying if `outer` is the source.
    pub fn through(self, outer: &MappedText<'_>) -> MappedText<'t> {
        match outer.as_slice() {
            Some((_, at)) => self.shifted(at),
            None => self.over(outer),
        }
    }

    /// The same text, with a copy of its characters.
    pub fn into_owned(self) -> MappedText<'static> {
        MappedText { text: Cow::Owned(self.text.into_owned()), origin: self.origin }
    }

    /// The text without the characters for which `drop` is true.
    pub fn without(self, drop: impl Fn(char) -> bool) -> MappedText<'t> {
        if !self.text.contains(&drop) {
            return self;
        }
        let TextOrigin::At(source) = self.origin else { return self.keep(|c| !drop(c)) };
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
        // All stripped characters are bytes below the space. Without an early exit many bytes are tested together.
        match self.text.bytes().fold(true, |all, byte| all & (byte >= b' ')) {
            true => self,
            false => self.without(reference::is_stripped),
        }
    }

    /// These stretches of the text, joined.
    pub fn joined<'o>(&self, stretches: &[Range<usize>]) -> MappedText<'o> {
        let mut kept = Builder::default();
        for stretch in stretches {
            let text = self.text.get(stretch.clone()).unwrap_or_default();
            self.copy(text, stretch.start, &mut kept);
        }
        kept.finish()
    }

    /// A reversed stretch of the text, in which these stretches keep their direction, with the texts before and after it.
    pub fn reversed<'o>(
        &self,
        front: Range<usize>,
        (reversed, kept_stretches): (Range<usize>, &[Range<usize>]),
        back: Range<usize>,
    ) -> MappedText<'o> {
        let mut kept = Builder::default();
        let part = |range: &Range<usize>| self.text.get(range.clone()).unwrap_or_default();
        self.copy(part(&front), front.start, &mut kept);
        let from = kept.len();
        let mut at = reversed.start;
        for stretch in kept_stretches {
            self.copy(part(&(at..stretch.start)), at, &mut kept);
            let from = kept.len();
            self.copy(part(stretch), stretch.start, &mut kept);
            // The whole is turned once more.
            kept.reverse(from);
            at = stretch.end;
        }
        self.copy(part(&(at..reversed.end)), at, &mut kept);
        kept.reverse(from);
        self.copy(part(&back), back.start, &mut kept);
        kept.finish()
    }

    /// The characters for which `keep` is true.
    fn keep<'o>(&self, keep: impl Fn(char) -> bool) -> MappedText<'o> {
        let mut kept = Builder::with_capacity(self.text.len());
        let mut start = 0;
        for (at, c) in self.text.char_indices().filter(|(_, c)| !keep(*c)) {
            self.copy(self.text.get(start..at).unwrap_or_default(), start, &mut kept);
            start = at + c.len_utf8();
        }
        self.copy(self.text.get(start..).unwrap_or_default(), start, &mut kept);
        kept.finish()
    }

    /// Replaces a range: the first source piece becomes the replacement, the others are deleted.
    pub fn place(
        &self,
        range: Range<usize>,
        replacement: Cow<'static, str>,
        edits: &mut Vec<TextEdit>,
    ) {
        match &self.origin {
            TextOrigin::At(at) => {
                edits.push(TextEdit { range: range.start + at..range.end + at, replacement });
            }
            TextOrigin::Runs(runs) => {
                if let Some(range) = within(runs, &range) {
                    return edits.push(TextEdit { range, replacement });
                }
                let mut rest = Some(replacement);
                each_piece(runs, range.clone(), |piece| {
                    let replacement = rest.take().unwrap_or_default();
                    edits.push(TextEdit { range: piece, replacement });
                });
                if let Some(replacement) = rest {
                    let at = position(runs, range.start);
                    edits.push(TextEdit { range: at..at, replacement });
                }
            }
        }
    }
}

impl MappedText<'_> {
    /// Makes edits of this text edits of its source.
    pub fn place_all(&self, edits: &mut Vec<TextEdit>) {
        if let TextOrigin::At(at) = self.origin {
            edits.iter_mut().for_each(|edit| {
                edit.range = edit.range.start + at..edit.range.end + at;
            });
            return;
        }
        let count = edits.len();
        for index in 0..count {
            let Some(edit) = edits.get_mut(index) else { break };
            let (range, replacement) = (edit.range.clone(), std::mem::take(&mut edit.replacement));
            self.place(range, replacement, edits);
        }
        edits.drain(..count);
    }
}

/// The source bytes of a range of the text that is inside one linear run, as most are.
fn within(runs: &Runs, range: &Range<usize>) -> Option<Range<usize>> {
    let run = runs.from(range.start).next().filter(|run| run.kind == RunKind::Linear)?;
    let at = run.source + (range.start - run.text);
    (range.start < range.end && range.end <= run.end()).then(|| at..at + range.len())
}

/// Passes on the source ranges of a range of the text, neighbours joined, empty ones left out.
fn each_piece(runs: &Runs, range: Range<usize>, mut take: impl FnMut(Range<usize>)) {
    let mut last: Option<Range<usize>> = None;
    for run in runs.from(range.start).take_while(|run| run.text < range.end) {
        let (from, to) = (range.start.max(run.text), range.end.min(run.end()));
        if from >= to || run.len == 0 {
            continue;
        }
        let piece = match run.kind {
            RunKind::Linear => run.source + (from - run.text)..run.source + (to - run.text),
            RunKind::Unit => run.range(),
        };
        match &mut last {
            Some(last) if last.end == piece.start => last.end = piece.end,
            // Several characters of one unit (an entity for two characters).
            Some(last) if last.start <= piece.start && piece.end <= last.end => {}
            last => last.replace(piece).into_iter().for_each(&mut take),
        }
    }
    last.into_iter().for_each(take);
}

/// The source position of a text position: after what precedes it.
fn position(runs: &Runs, text: usize) -> usize {
    let Some(before) = text.checked_sub(1) else {
        return runs.first().map_or(0, |run| run.source);
    };
    match runs.from(before).next().or_else(|| runs.last()) {
        None => 0,
        Some(run) => match run.kind {
            RunKind::Linear => run.source + (text - run.text).min(run.len),
            RunKind::Unit => run.source + run.len,
        },
    }
}

/// Bytes from which on a unit is not taken apart: no entity and no escape has so many, text in base64 has.
const LONG_UNIT: usize = 64;

/// Builds a [`MappedText`].
#[derive(Clone, Debug, Default)]
pub struct Builder {
    text: String,
    runs: Growing,
}

impl Builder {
    pub fn with_capacity(bytes: usize) -> Builder {
        Builder { text: String::with_capacity(bytes), runs: Growing::default() }
    }

    pub fn len(&self) -> usize {
        self.text.len()
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Takes what was built, if it is wanted, and starts again.
    pub fn take<'t>(&mut self, wanted: bool) -> Option<MappedText<'t>> {
        if wanted {
            return Some(std::mem::take(self).finish());
        }
        self.text.clear();
        self.runs.clear();
        None
    }

    /// Whether the next character begins a word; also true at the start.
    #[inline]
    pub fn ends_with_space(&self) -> bool {
        match self.text.as_bytes().last() {
            Some(last) if last.is_ascii() => matches!(last, b' ' | b'\t'..=b'\r'),
            _ => self.text.chars().next_back().is_none_or(char::is_whitespace),
        }
    }

    /// Whether the next character begins a line; also true at the start.
    #[inline]
    pub fn ends_with_break(&self) -> bool {
        matches!(self.text.as_bytes().last(), None | Some(b'\n'))
    }

    /// Adds text that is in the source as it is, from byte `source`.
    pub fn linear(&mut self, text: &str, source: usize) {
        if text.is_empty() {
            return;
        }
        self.text.push_str(text);
        if !self.runs.grow(source, text.len()) {
            self.runs.push(text.len(), source..source + text.len(), RunKind::Linear);
        }
    }

    /// Adds text that a range of the source encodes as a whole.
    pub fn unit(&mut self, text: &str, source: Range<usize>) {
        if text.is_empty() {
            return;
        }
        self.runs.push(text.len(), source, RunKind::Unit);
        self.text.push_str(text);
    }

    /// Adds what is left of a unit: a long one as it is, so that it takes no more memory than its text.
    fn part(&mut self, text: &str, source: Range<usize>) {
        match text.len() < LONG_UNIT {
            true => text.chars().for_each(|c| self.character(c, source.clone())),
            false => self.unit(text, source),
        }
    }

    /// Adds a character that these bytes of the source encode.
    fn character(&mut self, c: char, source: Range<usize>) {
        let mut utf8 = [0; 4];
        let shown = &*c.encode_utf8(&mut utf8);
        if source.len() == shown.len() {
            self.linear(shown, source.start);
        } else {
            self.unit(shown, source);
        }
    }

    /// Adds a line break that a reader sees where the source has none; not twice in a row.
    pub fn separate(&mut self, source: usize) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.unit("\n", source..source);
        }
    }

    /// Reverses the text from byte `from` on, character by character (`<bdo dir=rtl>`).
    pub fn reverse(&mut self, from: usize) {
        let tail = self.runs.split_off(from);
        let text = self.text.split_off(from.min(self.text.len()));
        for run in tail.backwards() {
            let piece = text.get(run.text..run.end()).unwrap_or_default();
            match run.kind {
                RunKind::Unit if piece.len() < LONG_UNIT => self.unit(piece, run.range()),
                RunKind::Unit => {
                    self.unit(&piece.chars().rev().collect::<String>(), run.range());
                }
                RunKind::Linear => piece.char_indices().rev().for_each(|(at, c)| {
                    let here = run.source + at;
                    self.unit(c.encode_utf8(&mut [0; 4]), here..here + c.len_utf8());
                }),
            }
        }
    }

    pub fn finish<'t>(mut self) -> MappedText<'t> {
        self.text.shrink_to_fit();
        MappedText { text: Cow::Owned(self.text), origin: TextOrigin::Runs(self.runs.finish()) }
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
    fn an_edit_leaves_what_is_between_the_pieces() {
        let mut edits = Vec::new();
        sample().place(0..6, "xn--x".into(), &mut edits);
        sample().place(6..7, "[.]".into(), &mut edits);
        let plain: Vec<_> =
            edits.iter().map(|edit| (edit.range.clone(), &*edit.replacement)).collect();
        assert_eq!(plain, [(0..3, "xn--x"), (6..9, ""), (13..18, "[.]")]);
    }

    #[test]
    fn the_hull_covers_every_piece() {
        assert_eq!(sample().source(1..8), 1..19);
        assert_eq!(sample().source(6..7), 13..18);
    }

    #[test]
    fn an_insertion_is_after_what_precedes_it() {
        let mut edits = Vec::new();
        sample().place(6..6, "!".into(), &mut edits);
        assert_eq!(edits, [TextEdit { range: 9..9, replacement: "!".into() }]);
    }

    #[test]
    fn reversed_text_maps_character_by_character() {
        let mut seen = Builder::default();
        seen.linear("see ", 0);
        seen.linear("moc.x", 13);
        seen.reverse(4);
        let seen = seen.finish();
        assert_eq!(seen.as_str(), "see x.com");
        assert_eq!(seen.source(4..5), 17..18);
        assert_eq!(seen.source(5..6), 16..17);
    }

    #[test]
    fn a_long_unit_stays_one() {
        let mut outer = Builder::default();
        outer.linear("<", 0);
        outer.unit(&"ab".repeat(LONG_UNIT), 5..9);
        let mut outer = outer.finish();
        let inside = MappedText::slice(&outer.as_str()[3..100], 3).over(&outer);
        assert_eq!((inside.as_str().len(), inside.source(9..10)), (97, 5..9));
        let TextOrigin::Runs(runs) = &inside.origin else { panic!() };
        assert_eq!(runs.from(0).count(), 1);
        outer = outer.reversed(0..1, (1..4, &[]), 0..0);
        assert_eq!(outer.as_str(), "<aba");
        let mut turned = Builder::default();
        turned.unit(&["x".repeat(LONG_UNIT), "y".to_owned()].concat(), 5..9);
        turned.reverse(0);
        assert!(turned.as_str().starts_with("yx"));
    }

    #[test]
    fn a_text_over_another_maps_through_both() {
        let outer = sample();
        let mut inner = Builder::default();
        inner.linear("ypal", 2);
        inner.unit("..", 6..7);
        inner.unit("!", 4..8);
        inner.linear("om", 8);
        let inner = inner.finish();
        let over = inner.over(&outer);
        assert_eq!(over.as_str(), inner.as_str());
        for (at, c) in inner.as_str().char_indices() {
            let range = at..at + c.len_utf8();
            assert_eq!(over.source(range.clone()), outer.source(inner.source(range)), "{at}");
        }
        let slice = MappedText::slice("al.c", 4).over(&outer);
        assert_eq!([0..2, 1..3, 2..4].map(|r| slice.source(r)), [7..9, 8..18, 13..19]);
    }
}
