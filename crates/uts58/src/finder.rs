//! Finds the bytes at which a link can show itself, without decoding.
//!
//! Every host that can be linked holds a dot (S9: registrable, so two labels; IPv4) or stands behind
//! `://`. Nothing else has to be looked at.

use memchr::{memchr_iter, memchr2, memmem};

use super::prose::may_begin_tld;
use crate::tlds::TldSet;

/// The label separators other than the full stop (S12), in UTF-8.
const STOP: [u8; 3] = [0xE3, 0x80, 0x82];
const WIDE: [u8; 3] = [0xEF, 0xBC, 0x8E];
const HALF: [u8; 3] = [0xEF, 0xBD, 0xA1];
/// U+2024, which only the wide reading takes for one (S29).
const LEADER: [u8; 3] = [0xE2, 0x80, 0xA4];

/// Which of the variants are searched for together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variant {
    Stop,
    /// Those of the width forms, by their first byte: of the width forms few others stand in prose.
    Width,
    Leader,
}

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Needles<'t> {
    /// By the letter everything behind a variant is a host.
    Letter,
    /// In prose, what follows a variant must begin as a top-level domain does: behind the stop of Chinese
    /// and Japanese the next sentence follows directly.
    Prose(&'t dyn TldSet),
    /// The same, with U+2024, and with every colon that something stands behind (`http:host`).
    Wide(&'t dyn TldSet),
}

/// Bytes searched for one needle before the next needle has its turn: they stay in the first-level
/// cache.
const WINDOW: usize = 16 << 10;

/// Finds `.`, its variants, and `:` where a link can be round them.
#[derive(Clone, Debug)]
pub(super) struct Finder<'t> {
    sought: Needles<'t>,
    /// Searches for the variants, made when a window holds anything but ASCII: most texts are short.
    needles: Option<[memmem::Finder<'static>; 2]>,
    /// Next position of each needle, the ASCII ones first; the end of the window if it has none there.
    next: [usize; 4],
    /// Where the window ends.
    window: usize,
}

impl<'t> Finder<'t> {
    pub(super) fn new(sought: Needles<'t>) -> Self {
        Finder { sought, needles: None, next: [0; 4], window: 0 }
    }

    /// The next position at or after `from`. Positions asked for must not go back.
    pub(super) fn next(&mut self, text: &str, from: usize) -> Option<usize> {
        let mut from = from;
        loop {
            if from >= self.window {
                if from >= text.len() {
                    return None;
                }
                self.window = text.len().min(from + WINDOW);
                self.next = [from; 4];
                self.search_all(text, from);
            } else {
                self.search_passed(text, from);
            }
            let nearest = self.next.iter().copied().min().unwrap_or(self.window);
            if nearest < self.window {
                return Some(nearest);
            }
            from = self.window;
        }
    }

    fn search_all(&mut self, text: &str, from: usize) {
        self.next = [self.window; 4];
        self.next[0] = self.ascii(text.as_bytes(), from);
        // The variants begin with a byte that is not ASCII.
        if text.as_bytes().get(from..self.window).is_none_or(<[u8]>::is_ascii) {
            return;
        }
        self.needles.get_or_insert_with(|| {
            [STOP, LEADER].map(|dot| memmem::Finder::new(&dot).into_owned())
        });
        self.next[1] = self.variant(text, from, Variant::Stop);
        self.next[2] = self.variant(text, from, Variant::Width);
        self.next[3] = self.variant(text, from, Variant::Leader);
    }

    /// Searches on for the needles whose last position has been passed.
    fn search_passed(&mut self, text: &str, from: usize) {
        let [ascii, stop, width, leader] = self.next;
        if ascii < from {
            self.next[0] = self.ascii(text.as_bytes(), from);
        }
        if stop < from {
            self.next[1] = self.variant(text, from, Variant::Stop);
        }
        if width < from {
            self.next[2] = self.variant(text, from, Variant::Width);
        }
        if leader < from {
            self.next[3] = self.variant(text, from, Variant::Leader);
        }
    }

    /// A full stop before a host character, or a colon before a slash; in brackets, any. In the wide reading a
    /// colon behind what ends a scheme, and a full stop before an escape.
    fn ascii(&self, bytes: &[u8], from: usize) -> usize {
        let is_wide = matches!(self.sought, Needles::Wide(_));
        let mut at = from;
        while let Some(rest) = bytes.get(at..self.window) {
            let Some(found) = memchr2(b'.', b':', rest) else { break };
            at += found;
            let next = bytes.get(at + 1).copied().unwrap_or(b' ');
            let may_be = match rest.get(found) {
                Some(b':') => {
                    let named = || at.checked_sub(1).and_then(|before| bytes.get(before));
                    next == b'/'
                        || is_wide
                            && !next.is_ascii_whitespace()
                            && named().is_some_and(u8::is_ascii_alphanumeric)
                }
                _ => {
                    next.is_ascii_alphanumeric()
                        || !next.is_ascii()
                        || b"-_])}".contains(&next)
                        || is_wide && next == b'%'
                }
            };
            if may_be {
                return at;
            }
            at += 1;
        }
        self.window
    }

    /// One of the other separators. It may begin in the window and end behind it.
    fn variant(&self, text: &str, from: usize, variant: Variant) -> usize {
        let bytes = text.as_bytes();
        let Some([stop, leader]) = &self.needles else { return self.window };
        let tlds = match self.sought {
            Needles::Letter if variant != Variant::Leader => None,
            Needles::Prose(tlds) if variant != Variant::Leader => Some(tlds),
            Needles::Letter | Needles::Prose(_) => return self.window,
            Needles::Wide(tlds) => Some(tlds),
        };
        let end = bytes.len().min(self.window + 2);
        let mut at = from;
        while let Some(rest) = bytes.get(at..end) {
            let found = match variant {
                Variant::Stop => stop.find(rest),
                Variant::Width => width(rest),
                Variant::Leader => leader.find(rest),
            };
            let Some(found) = found else { break };
            at += found;
            let next = text.get(at + 3..).and_then(|behind| behind.chars().next());
            if next.is_some_and(|next| tlds.is_none_or(|tlds| may_begin_tld(next, tlds))) {
                return at.min(self.window);
            }
            at += 3;
        }
        self.window
    }
}

/// The first separator among width forms.
fn width(bytes: &[u8]) -> Option<usize> {
    memchr_iter(WIDE[0], bytes).find(|at| {
        let three = bytes.get(*at..).and_then(<[u8]>::first_chunk);
        three.is_some_and(|three| *three == WIDE || *three == HALF)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unicode::is_dot_to_somebody;

    /// One set of dots: whatever is one to somebody is looked for.
    #[test]
    fn the_variants_are_the_dots() {
        let dots = ('\u{80}'..=char::MAX).filter(|c| is_dot_to_somebody(*c));
        let mut sought: Vec<String> = [STOP, WIDE, HALF, LEADER]
            .iter()
            .map(|dot| String::from_utf8(dot.to_vec()).unwrap())
            .collect();
        sought.sort();
        assert_eq!(sought, dots.map(String::from).collect::<Vec<_>>());
    }
}
