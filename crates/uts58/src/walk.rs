//! Runs of characters in a text, and the count of bytes read.

use core::ops::Range;

use crate::unicode::{Class, is_dot_to_somebody};

/// A text that is read by byte offsets on character boundaries.
#[derive(Clone, Debug)]
pub(super) struct Walker<'t> {
    pub(super) text: &'t str,
    /// Bytes read, each as often as it was read.
    pub(super) steps: u64,
}

impl<'t> Walker<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Walker { text, steps: 0 }
    }

    /// The start of the run of host characters and dots before `end`, not before `floor`.
    pub(super) fn run_start(&mut self, floor: usize, end: usize) -> usize {
        self.walk_back(floor, end, Class::is_host_or_dot)
    }

    /// The start of the run of characters of some class before `end`, not before `floor`.
    pub(super) fn walk_back(
        &mut self,
        floor: usize,
        end: usize,
        belongs: impl Fn(Class) -> bool,
    ) -> usize {
        let plain = belongs(Class::PLAIN);
        let bytes = self.text.as_bytes().get(..end).unwrap_or_default();
        let mut start = end;
        loop {
            let before = bytes.get(floor..start).unwrap_or_default();
            if before.last().is_none_or(u8::is_ascii) {
                let ascii = before.iter().rev().take_while(|byte| belongs(Class::of_ascii(**byte)));
                let ascii = ascii.count();
                start -= ascii;
                if ascii == 0 {
                    break;
                }
            } else if plain && before.last_chunk().is_some_and(Class::is_plain) {
                let (_, chunks) = before.as_rchunks();
                start -= 3 * chunks.iter().rev().take_while(|utf8| Class::is_plain(utf8)).count();
            } else {
                match self.char_before(start) {
                    Some(c) if belongs(Class::of(c)) => start -= c.len_utf8(),
                    _ => break,
                }
            }
        }
        self.steps += (end - start) as u64;
        start
    }

    /// The end of the run of host characters and dots that begins at `start`.
    pub(super) fn run_end(&mut self, start: usize) -> usize {
        self.walk(start, Class::is_host_or_dot)
    }

    /// The end of the run of characters of some class that begins at `start`.
    pub(super) fn walk(&mut self, start: usize, belongs: impl Fn(Class) -> bool) -> usize {
        let plain = belongs(Class::PLAIN);
        let bytes = self.text.as_bytes();
        let mut end = start;
        loop {
            let after = bytes.get(end..).unwrap_or_default();
            if after.first().is_none_or(u8::is_ascii) {
                let ascii = after.iter().take_while(|byte| belongs(Class::of_ascii(**byte)));
                let ascii = ascii.count();
                end += ascii;
                if ascii == 0 {
                    break;
                }
            } else if plain && after.first_chunk().is_some_and(Class::is_plain) {
                end += plain_bytes(after);
            } else {
                match self.char_at(end) {
                    Some((c, next)) if belongs(Class::of(c)) => end = next,
                    _ => break,
                }
            }
        }
        self.steps += (end - start) as u64;
        end
    }

    /// The end of a run without what a host cannot end with: dots, hyphens, `_`, signs, invisible
    /// characters.
    pub(super) fn trimmed_end(&self, run: Range<usize>) -> usize {
        let last = run.end.checked_sub(1).and_then(|last| self.text.as_bytes().get(last));
        if run.start < run.end && last.is_some_and(u8::is_ascii_alphanumeric) {
            return run.end;
        }
        let text = self.text.get(run.clone()).unwrap_or_default();
        run.start + text.trim_end_matches(is_edge).len()
    }

    /// The start of a host without a scheme, without what no host starts with: hyphens (of a list,
    /// a dash), invisible characters. A dot stays and makes the name malformed.
    pub(super) fn trimmed_start(&self, run: Range<usize>) -> usize {
        let first = self.text.as_bytes().get(run.start);
        if run.start < run.end && first.is_some_and(u8::is_ascii_alphanumeric) {
            return run.start;
        }
        let text = self.text.get(run.clone()).unwrap_or_default();
        let trimmed = text.trim_start_matches(|c| c == '-' || Class::of(c).is_ignored());
        run.end - trimmed.len()
    }

    /// The start of the ASCII letters before `end`, not before `floor`.
    pub(super) fn letters_start(&self, floor: usize, end: usize) -> usize {
        let before = self.text.as_bytes().get(floor..end).unwrap_or_default();
        end - before.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count()
    }

    pub(super) fn str(&self, range: Range<usize>) -> &'t str {
        self.text.get(range).unwrap_or_default()
    }

    pub(super) fn bytes_from(&self, at: usize) -> &'t [u8] {
        self.text.as_bytes().get(at..).unwrap_or_default()
    }

    /// The character at this place, and the offset of the next one.
    pub(super) fn char_at(&self, at: usize) -> Option<(char, usize)> {
        let c = self.text.get(at..)?.chars().next()?;
        Some((c, at + c.len_utf8()))
    }

    pub(super) fn char_before(&self, at: usize) -> Option<char> {
        self.text.get(..at)?.chars().next_back()
    }
}

/// The length in bytes of the characters of [`Class::PLAIN`] at the start of these bytes of UTF-8.
pub(super) fn plain_bytes(bytes: &[u8]) -> usize {
    3 * bytes.as_chunks().0.iter().take_while(|utf8| Class::is_plain(utf8)).count()
}

fn is_edge(c: char) -> bool {
    let class = Class::of(c);
    matches!(c, '-' | '_') || is_dot_to_somebody(c) || class.is_ignored() || is_sign(c, class)
}

/// Not part of a word: neither letter, mark nor ASCII.
fn is_sign(c: char, class: Class) -> bool {
    !c.is_ascii() && class.is_host() && !class.is_tld()
}
