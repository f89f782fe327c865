//! Text reversed by U+202E: its characters run from right to left to the end of the line, whatever their script (UAX
//! #9 §3.3.2, X4), so that `moc.elpmaxe` is shown as `example.com`. And words of Latin letters in text from right to left
//! that marks of direction divide: their pieces stand in reverse order.

mod marks;

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;

use super::Rendering;
use super::mapped::MappedText;
use marks::is_written_leftward as is_leftward;
use uts58::Link;
use uts58::unicode::hosts::is_bidi_control;
use uts58::unicode::is_alphanumeric;

/// Right-to-left override.
const OVERRIDE: &str = "\u{202e}";

/// Maximum bytes of an override that are read as they are shown: no line that people read has as many.
const OVERRIDE_BYTES: usize = 1 << 10;

/// Maximum bytes of a word on either side of an override that are read with it: no host has as many.
const CONTEXT_BYTES: usize = 128;

/// Maximum number of overrides in a stretch of text that are read as they are shown; honest mail has none.
const OVERRIDES: usize = 64;

/// The reversed stretches of a text.
#[derive(Debug, Default)]
pub struct Overridden {
    stretches: Vec<Range<usize>>,
}

impl Overridden {
    /// Finds the reversed stretches of a text, in order. A line end at a seam does not end one. Linear.
    pub fn of(text: &str, seams: &[usize]) -> Overridden {
        let mut stretches: Vec<Range<usize>> = Vec::new();
        // Most text: testing this is faster than a search.
        if text.is_ascii() {
            return Overridden { stretches };
        }
        for at in memmem::find_iter(text.as_bytes(), OVERRIDE) {
            let start = at + OVERRIDE.len();
            if stretches.last().is_some_and(|last| start <= last.end) {
                continue;
            }
            let rest = text.get(start..).unwrap_or_default();
            let is_seam = |at: usize| seams.binary_search(&at).is_ok();
            let mut isolates = Isolates::default();
            let mut found = rest.match_indices(is_limit).filter_map(|(at, limit)| {
                let c = limit.chars().next()?;
                let end = isolates.ends(c) && !(c == '\n' && is_seam(start + at));
                end.then_some(start + at)
            });
            stretches.push(start..found.next().unwrap_or(text.len()));
        }
        stretches.retain(|stretch| !stretch.is_empty());
        Overridden { stretches }
    }

    /// Whether nothing is reversed.
    pub fn is_empty(&self) -> bool {
        self.stretches.is_empty()
    }

    /// Whether part of this range is reversed.
    pub fn overlaps(&self, range: &Range<usize>) -> bool {
        let first = self.stretches.partition_point(|stretch| stretch.end <= range.start);
        self.stretches.get(first).is_some_and(|stretch| stretch.start < range.end)
    }

    /// How a link of the text is shown.
    pub fn shown(&self, text: &str, link: &Link) -> Rendering {
        match self.overlaps(&link.span) {
            true => Rendering::Overridden,
            false if is_divided(text, link) => Rendering::Divided,
            false => Rendering::AsWritten,
        }
    }

    /// Whether there are more than are read.
    pub fn is_cut(&self) -> bool {
        self.stretches.len() > OVERRIDES
    }

    /// The words of a range of the text as a reader sees them, where part of it is reversed, each with the range that
    /// is. A word ends at a blank outside the reversed text.
    pub fn words<'o>(
        &self,
        seen: &MappedText<'_>,
        range: Range<usize>,
    ) -> impl Iterator<Item = (MappedText<'o>, Range<usize>)> {
        let max = self.stretches.get(..OVERRIDES).unwrap_or(&self.stretches);
        let first = max.partition_point(|stretch| stretch.end <= range.start);
        let within = max.iter().skip(first).take_while(move |one| one.start < range.end);
        let within = within.filter(|stretch| stretch.len() <= OVERRIDE_BYTES);
        within.map(move |stretch| {
            let reversed = stretch.start.max(range.start)..stretch.end.min(range.end);
            word(seen, reversed, &range)
        })
    }
}

/// Whether nothing but controls of direction parts a host from a letter or digit beside it: a reader sees one word, and a
/// program links a part of it (`pay`, U+2066, `pal.com`). Letters that are written from right to left are prose, for
/// which such controls are made.
fn is_divided(text: &str, link: &Link) -> bool {
    let before = text.get(..link.span.start).unwrap_or_default();
    // A path may end in any word.
    let after = text.get(link.span.end..).filter(|_| link.host.end == link.span.end);
    let after = after.unwrap_or_default();
    let is_of_word = |c: Option<char>| c.is_some_and(|c| is_alphanumeric(c) && !is_leftward(c));
    let word_before = before.trim_end_matches(is_bidi_control);
    let word_after = after.trim_start_matches(is_bidi_control);
    word_before.len() < before.len() && is_of_word(word_before.chars().next_back())
        || word_after.len() < after.len() && is_of_word(word_after.chars().next())
}

/// The word of this range around a reversed stretch.
fn word<'o>(
    seen: &MappedText<'_>,
    reversed: Range<usize>,
    range: &Range<usize>,
) -> (MappedText<'o>, Range<usize>) {
    let part = |range: Range<usize>| seen.as_str().get(range).unwrap_or_default();
    let before = part(range.start..reversed.start).trim_end_matches(is_bidi_control);
    let from = before.floor_char_boundary(before.len().saturating_sub(CONTEXT_BYTES));
    let front = before.get(from..).unwrap_or_default();
    let front = front.rsplit(ends_word).next().map_or(0, str::len);
    let end = range.start + before.len();
    let after = part(reversed.end..range.end);
    let back = after.trim_start_matches(is_bidi_control);
    let start = range.end - back.len();
    let back = back.get(..back.floor_char_boundary(CONTEXT_BYTES)).unwrap_or_default();
    let back = back.split(ends_word).next().map_or(0, str::len);
    let controls = part(reversed.clone()).chars().filter(|c| is_bidi_control(*c));
    let shown = front..front + reversed.len() - controls.map(char::len_utf8).sum::<usize>();
    let kept = isolates(part(reversed.clone()));
    let kept = kept.into_iter().map(|one| reversed.start + one.start..reversed.start + one.end);
    let kept: Vec<Range<usize>> = kept.collect();
    let word = seen.reversed(end - front..end, (reversed, &kept), start..start + back);
    (word.without(is_bidi_control), shown)
}

/// U+200F, which stands like a letter that is written from right to left, and is not seen.
pub const RIGHT_TO_LEFT_MARK: char = '\u{200f}';

/// The mark that stands for a control inside a word from right to left: what isolates or embeds a piece divides the word.
pub fn mark(control: char) -> char {
    match control {
        LEFT_TO_RIGHT_MARK => control,
        _ => RIGHT_TO_LEFT_MARK,
    }
}

const LEFT_TO_RIGHT_MARK: char = '\u{200e}';

/// A word with marks of direction as it is shown in text from right to left (UAX #9 §3.3.2, X2), without them.
pub fn from_right(word: &str) -> String {
    let mut shown = homograph::displayed(&["\u{202b}", word].concat());
    shown.retain(|c| !is_bidi_control(c));
    shown
}

/// A text as a reader sees it, with its overrides applied, or the marks in its words.
pub fn shown(text: &str) -> Cow<'_, str> {
    let overridden = Overridden::of(text, &[]);
    if overridden.stretches.is_empty() {
        return marks::shown(text).map_or(Cow::Borrowed(text), Cow::Owned);
    }
    let mut shown = String::with_capacity(text.len());
    let mut at = 0;
    for stretch in &overridden.stretches {
        shown.push_str(text.get(at..stretch.start).unwrap_or_default());
        let turned = text.get(stretch.clone()).unwrap_or_default();
        let mut end = turned.len();
        for kept in isolates(turned).into_iter().rev() {
            shown.extend(turned.get(kept.end..end).unwrap_or_default().chars().rev());
            shown.push_str(turned.get(kept.clone()).unwrap_or_default());
            end = kept.start;
        }
        shown.extend(turned.get(..end).unwrap_or_default().chars().rev());
        at = stretch.end;
    }
    shown.push_str(text.get(at..).unwrap_or_default());
    shown.retain(|c| !is_bidi_control(c));
    Cow::Owned(shown)
}

/// How deep text of its own direction is nested in an override, as far as that was read.
#[derive(Debug, Default)]
struct Isolates {
    isolates: usize,
    embeddings: usize,
}

impl Isolates {
    /// Reads a control. Returns whether it ends the override: the control that pops it, another override, the end of
    /// the line.
    fn ends(&mut self, limit: char) -> bool {
        match limit {
            '\u{2066}'..='\u{2068}' => self.isolates += 1,
            // What an isolate left open ends with it.
            '\u{2069}' if self.isolates > 0 => {
                self.isolates -= 1;
                self.embeddings = 0;
            }
            '\u{202a}' | '\u{202b}' => self.embeddings += 1,
            '\u{202c}' if self.embeddings > 0 => self.embeddings -= 1,
            '\u{202c}' | '\u{202d}' => return self.isolates == 0,
            '\n' | '\r' | '\u{2029}' => return true,
            _ => {}
        }
        false
    }

    fn is_outside(&self) -> bool {
        self.isolates + self.embeddings == 0
    }
}

/// The stretches of an override that keep their direction, since isolates or embeddings are around them.
fn isolates(turned: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut inside, mut start) = (Isolates::default(), None);
    for (at, limit) in turned.match_indices(is_limit) {
        limit.chars().for_each(|c| _ = inside.ends(c));
        match (start, inside.is_outside()) {
            (None, false) => start = Some(at + limit.len()),
            (Some(from), true) => {
                found.push(from..at);
                start = None;
            }
            _ => {}
        }
    }
    found.extend(start.map(|from| from..turned.len()));
    found
}

/// Whether a character may end an override, or begin or end text of its own direction in one.
fn is_limit(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202d}' | '\u{2066}'..='\u{2069}' | '\n' | '\r' | '\u{2029}')
}

/// Whether a character ends a word next to an override.
fn ends_word(c: char) -> bool {
    c.is_whitespace() || is_bidi_control(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let seen = MappedText::slice(text, 0);
        let overridden = Overridden::of(text, &[]);
        let words = overridden.words(&seen, 0..text.len());
        words.map(|(word, _)| word.as_str().to_owned()).collect()
    }

    #[test]
    fn reversed_text_is_read_as_it_is_shown() {
        assert_eq!(words("see \u{202e}moc.elpmaxe"), ["example.com"]);
        assert_eq!(words("see www.\u{202e}elpmaxe\u{202c}.com now"), ["www.example.com"]);
        assert_eq!(words("\u{202e}a\nb \u{202e}dc\u{202c}e f"), ["a", "cde"]);
        assert_eq!(words("\u{202e}x moc.a\u{202c} b"), ["a.com x"]);
        assert_eq!(words("\u{202e}\u{202c}a"), [""; 0]);
        assert_eq!(words("moc.elpmaxe"), [""; 0]);
        assert_eq!(shown("a \u{202e}laPyaP\u{202c} b"), "a PayPal b");
        assert!(matches!(shown("a b"), Cow::Borrowed("a b")));
        for text in [
            "\u{202e}moc.\u{2066}example\u{2069}",
            "\u{202e}moc.\u{2068}exa\u{2067}mple\u{2069}\u{2069}\u{202c}",
            "\u{202e}moc\u{2066}\u{202c}.\u{2069}elpmaxe\u{202c}",
            "\u{202e}moc.\u{202a}example\u{202c}\u{202c}",
            "\u{202e}\u{2066}com\u{2069}.\u{2066}example",
        ] {
            assert_eq!(words(text), ["example.com"], "{text:?}");
            assert_eq!(shown(text), "example.com", "{text:?}");
        }
    }

    #[test]
    fn an_override_longer_than_any_line_is_not_reversed() {
        let text = format!("\u{202e}{}", "a".repeat(OVERRIDE_BYTES + 1));
        assert_eq!(words(&text), [""; 0]);
        assert!(Overridden::of(&text, &[]).overlaps(&(10..11)));
        assert_eq!(words(&format!("\u{202e}{}", "a".repeat(OVERRIDE_BYTES))).len(), 1);
        let beside = format!(
            "{}\u{202e}c\u{202c}{}",
            "a".repeat(CONTEXT_BYTES + 1),
            "b".repeat(CONTEXT_BYTES + 1)
        );
        assert_eq!(words(&beside), ["a".repeat(CONTEXT_BYTES) + "c" + &"b".repeat(CONTEXT_BYTES)]);
    }

    #[test]
    fn overrides_that_are_read_are_bounded() {
        let text = "\u{202e}a\u{202c} ".repeat(OVERRIDES + 1);
        assert!(Overridden::of(&text, &[]).is_cut());
        assert_eq!(words(&text).len(), OVERRIDES);
    }

    #[test]
    fn ranges_that_overlap_an_override_are_known() {
        let overridden = Overridden::of("ab\u{202e}cd\u{202c}ef", &[]);
        let overlaps = |range: Range<usize>| overridden.overlaps(&range);
        assert_eq!(
            [0..2, 0..5, 0..6, 5..7, 6..7, 7..9].map(overlaps),
            [false, false, true, true, true, false]
        );
    }
}
