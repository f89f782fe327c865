//! Pieces of a mapped text, packed: a sender who escapes every second character makes a piece of each.

use std::ops::Range;

/// A piece of a text, from one range of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextRun {
    /// First byte in the text.
    pub text: usize,
    /// Bytes in the text.
    pub shown: usize,
    /// First byte in the source.
    pub source: usize,
    /// Bytes in the source.
    pub len: usize,
    pub kind: RunKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunKind {
    /// Byte for byte.
    Linear,
    /// A unit: an entity, an escape, a reversed character. Edited as a whole.
    Unit,
}

impl TextRun {
    /// The bytes in the source.
    pub fn range(&self) -> Range<usize> {
        self.source..self.source + self.len
    }

    /// The end in the text.
    pub fn end(&self) -> usize {
        self.text + self.shown
    }

    /// What is behind this byte of the text, which is before its end; what is before goes to `before`.
    fn behind(self, text: usize, before: &mut Option<TextRun>) -> TextRun {
        let Some(shown) = text.checked_sub(self.text).filter(|shown| *shown > 0) else {
            return self;
        };
        let (first, rest) = self.cut(shown);
        *before = Some(first);
        rest
    }

    /// Splits the run after `shown` bytes of the text.
    fn cut(self, shown: usize) -> (TextRun, TextRun) {
        let (text, rest) = (self.text + shown, self.shown - shown);
        let len = if self.kind == RunKind::Linear { shown } else { 0 };
        let before = TextRun { shown, len: if len > 0 { len } else { self.len }, ..self };
        (
            before,
            TextRun { text, shown: rest, source: self.source + len, len: self.len - len, ..self },
        )
    }
}

/// Pieces in the order of the text, without gaps in it.
///
/// Each is stored as its length in the source, its length in the text if that differs, and its distance from the one
/// before in the source: two or three bytes instead of sixteen.
#[derive(Clone, Debug)]
pub struct Runs {
    packed: Box<[u8]>,
    /// Where every [`EVERY`]th piece begins, except the first.
    marks: Box<[RunStart]>,
    /// Added to every offset in the source.
    shift: usize,
}

/// Builds [`Runs`].
#[derive(Clone, Debug, Default)]
pub struct Growing {
    packed: Vec<u8>,
    marks: Vec<RunStart>,
    /// The end of the packed pieces.
    end: RunStart,
    /// The number of packed pieces.
    count: usize,
    /// The last piece, which may grow and is not packed yet.
    last: Option<TextRun>,
}

/// Pieces between two marks.
const EVERY: usize = 12;

/// Bytes reserved with the first piece.
const SEVERAL: usize = 64;

/// Where a piece begins in the packed bytes and in the text, and where the one before ends in the source.
#[derive(Clone, Copy, Debug, Default)]
struct RunStart {
    at: u32,
    text: u32,
    source: u32,
}

/// Offsets past 4 GiB do not occur: the splitter refuses such messages.
pub(super) fn narrow(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

impl Growing {
    /// Adds a piece.
    pub fn push(&mut self, shown: usize, source: Range<usize>, kind: RunKind) {
        let text = self.last.map_or(self.end.text as usize, |last| last.end());
        let run = TextRun { text, shown, source: source.start, len: source.len(), kind };
        if let Some(last) = self.last.replace(run) {
            self.pack(last);
        }
    }

    /// Extends the last piece, if this offset of the source continues it byte for byte. Returns whether it did.
    pub fn grow(&mut self, source: usize, by: usize) -> bool {
        let continues =
            |last: &&mut TextRun| last.kind == RunKind::Linear && last.range().end == source;
        let last = self.last.as_mut().filter(continues);
        last.map(|last| (last.len, last.shown) = (last.len + by, last.shown + by)).is_some()
    }

    fn pack(&mut self, run: TextRun) {
        if self.count > 0 && self.count.is_multiple_of(EVERY) {
            self.marks.push(self.end);
        }
        if self.count == 0 {
            self.packed.reserve(SEVERAL);
        }
        self.count += 1;
        let unit = u64::from(run.kind == RunKind::Unit);
        let gap = signed(run.source) - i64::from(self.end.source);
        let gap = (gap << 1 ^ gap >> 63).cast_unsigned();
        let first = (run.len as u64) << 1 | unit;
        match (run.kind, run.shown as u64) {
            // Most pieces are short and near each other.
            (RunKind::Linear, _) if (first | gap) < 0x80 => {
                self.packed.extend_from_slice(&[first as u8, gap as u8]);
            }
            (RunKind::Unit, shown) if (first | shown | gap) < 0x80 => {
                self.packed.extend_from_slice(&[first as u8, shown as u8, gap as u8]);
            }
            (kind, shown) => {
                write(&mut self.packed, first);
                if kind == RunKind::Unit {
                    write(&mut self.packed, shown);
                }
                write(&mut self.packed, gap);
            }
        }
        let [at, text, source] = [self.packed.len(), run.end(), run.range().end].map(narrow);
        self.end = RunStart { at, text, source };
    }

    /// Removes and returns the pieces from this byte of the text on. In those that are returned the text begins there.
    pub fn split_off(&mut self, text: usize) -> Runs {
        let Some(last) = self.last.filter(|last| last.end() > text) else {
            return Growing::default().finish();
        };
        let (mut count, mut unpacked) = unpacked(&self.packed, &self.marks, text);
        let mut end = unpacked.place;
        let (mut head, mut tail) = (None, Growing::default());
        while let Some(run) = unpacked.next() {
            if run.end() <= text {
                count += 1;
                end = unpacked.place;
            } else {
                tail.add(run.behind(text, &mut head));
            }
        }
        tail.add(last.behind(text, &mut head));
        self.packed.truncate(end.at as usize);
        self.marks.truncate(count.saturating_sub(1) / EVERY);
        (self.count, self.end, self.last) = (count, end, head);
        tail.finish()
    }

    fn add(&mut self, run: TextRun) {
        self.push(run.shown, run.range(), run.kind);
    }

    /// Removes all pieces.
    pub fn clear(&mut self) {
        self.packed.clear();
        self.marks.clear();
        (self.end, self.count, self.last) = (RunStart::default(), 0, None);
    }

    pub fn finish(mut self) -> Runs {
        if let Some(last) = self.last.take() {
            self.pack(last);
        }
        Runs { packed: self.packed.into(), marks: self.marks.into(), shift: 0 }
    }
}

impl Runs {
    /// The pieces from the one that holds this byte of the text.
    pub fn from(&self, text: usize) -> impl Iterator<Item = TextRun> + '_ {
        let (_, unpacked) = unpacked(&self.packed, &self.marks, text);
        let rest = unpacked.skip_while(move |run| run.end() <= text);
        rest.map(|run| TextRun { source: run.source + self.shift, ..run })
    }

    /// The first piece.
    pub fn first(&self) -> Option<TextRun> {
        self.from(0).next()
    }

    /// The last piece.
    pub fn last(&self) -> Option<TextRun> {
        let (_, unpacked) = unpacked(&self.packed, &self.marks, usize::MAX);
        unpacked.last().map(|run| TextRun { source: run.source + self.shift, ..run })
    }

    /// The pieces from the last one to the first.
    pub fn backwards(&self) -> impl Iterator<Item = TextRun> + '_ {
        (0..=self.marks.len()).rev().flat_map(|mark| {
            let place = mark.checked_sub(1).and_then(|mark| self.marks.get(mark));
            let place = place.copied().unwrap_or_default();
            let end = self.marks.get(mark).map_or(self.packed.len(), |mark| mark.at as usize);
            let rest = self.packed.get(place.at as usize..end).unwrap_or_default();
            let stretch: Vec<TextRun> = Unpacked { rest, place, packed: end }.collect();
            stretch.into_iter().rev().map(|run| TextRun { source: run.source + self.shift, ..run })
        })
    }

    /// Adds this to every offset in the source.
    pub fn shift(&mut self, by: usize) {
        self.shift += by;
    }
}

/// An iterator from the last mark before this byte of the text, and the number of pieces before it.
fn unpacked<'r>(packed: &'r [u8], marks: &[RunStart], text: usize) -> (usize, Unpacked<'r>) {
    let mark = marks.partition_point(|mark| mark.text as usize <= text);
    let before = mark.checked_sub(1).and_then(|mark| marks.get(mark));
    let place = before.copied().unwrap_or_default();
    let rest = packed.get(place.at as usize..).unwrap_or_default();
    (mark * EVERY, Unpacked { rest, place, packed: packed.len() })
}

/// Iterates over packed pieces.
struct Unpacked<'r> {
    rest: &'r [u8],
    /// Where the next piece begins.
    place: RunStart,
    /// Bytes of all packed pieces.
    packed: usize,
}

impl Iterator for Unpacked<'_> {
    type Item = TextRun;

    fn next(&mut self) -> Option<TextRun> {
        let first = read(&mut self.rest)?;
        let kind = if first & 1 == 1 { RunKind::Unit } else { RunKind::Linear };
        let len = offset(first >> 1);
        let shown = match kind {
            RunKind::Unit => offset(read(&mut self.rest)?),
            RunKind::Linear => len,
        };
        let gap = read(&mut self.rest)?;
        let gap = (gap >> 1).cast_signed() ^ -((gap & 1).cast_signed());
        let source = i64::from(self.place.source) + gap;
        let source = usize::try_from(source).unwrap_or_default();
        let run = TextRun { text: self.place.text as usize, shown, source, len, kind };
        let at = self.packed - self.rest.len();
        let [at, text, source] = [at, run.end(), run.range().end].map(narrow);
        self.place = RunStart { at, text, source };
        Some(run)
    }
}

fn signed(offset: usize) -> i64 {
    i64::try_from(offset).unwrap_or(i64::MAX)
}

fn offset(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Writes a number, seven bits a byte, the lowest first.
fn write(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(0x80 | (number & 0x7F) as u8);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads a number that [`write()`] wrote. Most are one byte.
#[inline]
fn read(rest: &mut &[u8]) -> Option<u64> {
    match rest.split_first() {
        Some((byte, behind)) if *byte < 0x80 => {
            *rest = behind;
            Some(u64::from(*byte))
        }
        _ => read_long(rest),
    }
}

fn read_long(rest: &mut &[u8]) -> Option<u64> {
    let (mut number, mut bits) = (0, 0);
    loop {
        let byte = *rest.split_off_first()?;
        number |= u64::from(byte & 0x7F) << bits;
        if byte < 0x80 {
            return Some(number);
        }
        bits += 7;
        if bits > 56 {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pieces of all sizes, some of them with sources before that of the previous one.
    fn pieces() -> (Growing, Vec<TextRun>) {
        let (mut runs, mut plain) = (Growing::default(), Vec::new());
        let mut text = 0;
        for number in 0..100_usize {
            let source = number * 7_919 % 20_011;
            let kind = if number % 3 == 0 { RunKind::Unit } else { RunKind::Linear };
            let shown = 1 + number * number % 300;
            let len = if kind == RunKind::Unit { number % 5 } else { shown };
            runs.push(shown, source..source + len, kind);
            plain.push(TextRun { text, shown, source, len, kind });
            text += shown;
        }
        (runs, plain)
    }

    #[test]
    fn packed_pieces_are_found_from_every_offset() {
        let (runs, plain) = pieces();
        let mut runs = runs.finish();
        let end = plain.last().unwrap().end();
        for text in 0..=end {
            let from = plain.partition_point(|run| run.end() <= text);
            assert!(runs.from(text).eq(plain[from..].iter().copied()), "{text}");
        }
        runs.shift(5);
        let shifted = |run: &TextRun| TextRun { source: run.source + 5, ..*run };
        assert_eq!(runs.first(), plain.first().map(shifted));
        assert_eq!(runs.last(), plain.last().map(shifted));
        let nothing = Growing::default().finish();
        assert_eq!((nothing.first(), nothing.last()), (None, None));
    }

    #[test]
    fn split_off_pieces_can_be_added_again() {
        for at in 0..100 {
            let (mut runs, plain) = pieces();
            let tail = runs.split_off(plain[at].text);
            let begins = plain[at].text;
            let moved = plain[at..].iter().map(|run| TextRun { text: run.text - begins, ..*run });
            assert!(tail.from(0).eq(moved.clone()), "{at}");
            assert!(tail.backwards().eq(moved.rev()), "{at}");
            for run in tail.from(0) {
                runs.push(run.shown, run.range(), run.kind);
            }
            let runs = runs.finish();
            assert!(runs.from(0).eq(plain.iter().copied()), "{at}");
            assert!(runs.from(plain[at].text).eq(plain[at..].iter().copied()), "{at}");
        }
        let (mut runs, plain) = pieces();
        assert_eq!(runs.split_off(plain.last().unwrap().end()).first(), None);
        for run in plain.iter().filter(|run| run.shown > 2) {
            let (mut runs, _) = pieces();
            let (before, after) = run.cut(2);
            let first = runs.split_off(run.text + 2).first();
            assert_eq!(first, Some(TextRun { text: 0, ..after }));
            assert_eq!(runs.finish().last(), Some(before));
        }
    }

    #[test]
    fn a_piece_grows_byte_for_byte() {
        let mut runs = Growing::default();
        runs.push(2, 3..5, RunKind::Linear);
        assert!(runs.grow(5, 4) && !runs.grow(10, 1));
        runs.push(1, 9..11, RunKind::Unit);
        assert!(!runs.grow(11, 1), "a unit stays as it is");
        let first = runs.finish().first();
        assert_eq!(first.map(|run| (run.end(), run.range())), Some((6, 3..9)));
    }
}
