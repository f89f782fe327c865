//! UTS #58 §3.5.1: where a link ends.
//!
//! | §3.5.1 | here |
//! | --- | --- |
//! | Table 3-3, initiators and terminators | [`UrlPart::next`] |
//! | Table 3-3, ClearStackOpen sets | [`UrlPart::separator`] |
//! | `limit` of the stack | [`STACK`] |
//! | steps of the loop | [`tail_end`] |

use alloc::vec::Vec;

use crate::unicode::hosts::settled_letters;
use crate::unicode::{Class, LinkTerm, link_bracket};

/// Open brackets remembered, in code points: the number of §3.5.1.
pub(super) const STACK: usize = 125;

/// The part of the URL that is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UrlPart {
    /// After the host and port.
    Start,
    Path,
    Query,
    Fragment,
    Directive,
}

impl UrlPart {
    /// The part that begins at this place and the length in bytes of its initiator.
    ///
    /// Every terminator of Table 3-3 is the initiator of another part, so one test is enough for
    /// both. `:~:` needs a fragment before it (§3.5.1 step 2).
    fn next(self, rest: &[u8]) -> Option<(UrlPart, usize)> {
        match (self, rest.first()?) {
            (UrlPart::Start, b'/') => Some((UrlPart::Path, 1)),
            (UrlPart::Start | UrlPart::Path, b'?') => Some((UrlPart::Query, 1)),
            (UrlPart::Start | UrlPart::Path | UrlPart::Query, b'#') => Some((UrlPart::Fragment, 1)),
            (UrlPart::Fragment, b':') if rest.starts_with(b":~:") => Some((UrlPart::Directive, 3)),
            _ => None,
        }
    }

    /// The length in bytes of a separator inside the part, across which brackets do not pair.
    fn separator(self, rest: &[u8]) -> Option<usize> {
        match (self, rest.first()?) {
            (UrlPart::Path, b'/')
            | (UrlPart::Query, b'=' | b'&')
            | (UrlPart::Directive, b'&' | b',') => Some(1),
            (UrlPart::Directive, b':') if rest.starts_with(b":~:") => Some(3),
            _ => None,
        }
    }
}

/// Where a link ends whose host and port end at `start`, a byte offset on a character boundary.
///
/// S2: the first safe place is `start`, not the start of the link. A dangling initiator stays (S3).
pub(super) fn tail_end(text: &str, start: usize) -> usize {
    end_before(text, start, |_| false)
}

/// The same in running text (UTS #58 §8): punctuation of Chinese and Japanese sentences ends a
/// link, because the sentence continues directly after it (`/docs（中文说明）了解更多`). As part of a path it
/// has to be escaped.
pub(super) fn tail_end_in_prose(text: &str, start: usize) -> usize {
    end_before(text, start, ends_sentence)
}

/// The same, after any first character of a path.
pub(super) fn path_end_in_prose(text: &str, start: usize) -> usize {
    end_from(text, start, UrlPart::Path, ends_sentence)
}

/// Marks of the blocks CJK Symbols and Punctuation and Fullwidth Forms that end or interrupt a
/// sentence, and the ellipsis.
fn ends_sentence(c: char) -> bool {
    matches!(c,
        '\u{2026}' | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301B}'
        | '\u{301D}'..='\u{301F}' | '\u{FF01}' | '\u{FF08}' | '\u{FF09}' | '\u{FF0C}' | '\u{FF0E}'
        | '\u{FF1A}' | '\u{FF1B}' | '\u{FF1F}' | '\u{FF5F}'..='\u{FF64}')
}

/// As [`tail_end`], but the characters that `hard` accepts end the link as well.
fn end_before(text: &str, start: usize, hard: impl Fn(char) -> bool) -> usize {
    end_from(text, start, UrlPart::Start, hard)
}

fn end_from(text: &str, start: usize, mut part: UrlPart, hard: impl Fn(char) -> bool) -> usize {
    let bytes = text.as_bytes();
    if part == UrlPart::Start && !matches!(bytes.get(start), Some(b'/' | b'?' | b'#')) {
        return start;
    }
    let mut open = Vec::new();
    let (mut at, mut safe) = (start, start);
    while let Some(&byte) = bytes.get(at) {
        let rest = bytes.get(at..).unwrap_or_default();
        let plain = if open.is_empty() { ByteClass::Separator } else { ByteClass::Plain };
        match byte_class(byte) {
            _ if part == UrlPart::Start => {}
            known if known <= plain => {
                at += rest.iter().take_while(|byte| byte_class(**byte) <= plain).count();
                safe = at;
                continue;
            }
            ByteClass::Soft => {
                at += 1;
                continue;
            }
            ByteClass::Hard => return safe,
            _ => {}
        }
        let (c, class) = if byte.is_ascii() {
            let next = part.next(rest);
            if let Some((next, length)) = next.or_else(|| Some((part, part.separator(rest)?))) {
                part = next;
                open.clear();
                at += length;
                safe = at;
                continue;
            }
            if part == UrlPart::Start {
                return safe;
            }
            (char::from(byte), Class::of_ascii(byte))
        } else {
            // A web page loads less without.
            let letters = if cfg!(target_family = "wasm") { 0 } else { settled_letters(rest).1 };
            if letters > 0 {
                at += letters;
                safe = at;
                continue;
            }
            let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else { return safe };
            (c, Class::of(c))
        };
        if hard(c) {
            return safe;
        }
        at += c.len_utf8();
        match is_included(class.term(), c, &mut open) {
            Some(true) => safe = at,
            Some(false) => {}
            None => return safe,
        }
    }
    safe
}

/// Whether a link holds this character in any case, or only if another one follows that it holds. `None` if it ends
/// before it.
fn is_included(term: LinkTerm, c: char, open: &mut Vec<char>) -> Option<bool> {
    match term {
        LinkTerm::Include => Some(true),
        LinkTerm::Soft => Some(false),
        LinkTerm::Open if open.len() < STACK => {
            open.push(c);
            Some(true)
        }
        LinkTerm::Close if open.pop().is_some_and(|last| link_bracket(c) == Some(last)) => {
            Some(true)
        }
        LinkTerm::Hard | LinkTerm::Open | LinkTerm::Close => None,
    }
}

/// The meaning of a byte in every part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ByteClass {
    /// Included.
    Plain,
    /// Included, and a separator in some parts: without an open bracket that makes no difference.
    Separator,
    /// Included if an included byte follows.
    Soft,
    /// Ends the link.
    Hard,
    /// Needs a full test.
    Special,
}

fn byte_class(byte: u8) -> ByteClass {
    static BYTE_CLASSES: [ByteClass; 256] = {
        let mut table = [ByteClass::Special; 256];
        let mut byte = 0;
        while byte < 128 {
            #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
            {
                table[byte] = match byte as u8 {
                    b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => ByteClass::Plain,
                    b'-' | b'_' | b'%' | b'~' | b'+' | b'@' => ByteClass::Plain,
                    b'/' | b'=' | b'&' => ByteClass::Separator,
                    b'.' | b'!' | b';' => ByteClass::Soft,
                    b'\0'..=b' ' | b'\x7F' => ByteClass::Hard,
                    _ => ByteClass::Special,
                };
            }
            byte += 1;
        }
        table
    };
    BYTE_CLASSES.get(usize::from(byte)).copied().unwrap_or(ByteClass::Special)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settled_letters_are_included() {
        let is_settled = |c: &char| settled_letters(c.to_string().as_bytes()).0 > 0;
        for c in ('\u{80}'..=char::MAX).filter(is_settled) {
            assert!(Class::of(c).term() == LinkTerm::Include && !ends_sentence(c), "{c}");
        }
    }

    #[test]
    fn bytes_have_the_sense_of_their_class() {
        for byte in 0..=u8::MAX {
            let term = byte.is_ascii().then(|| Class::of_ascii(byte).term());
            match byte_class(byte) {
                ByteClass::Plain | ByteClass::Separator => {
                    assert_eq!(term, Some(LinkTerm::Include), "{byte}");
                }
                ByteClass::Soft => assert_eq!(term, Some(LinkTerm::Soft), "{byte}"),
                ByteClass::Hard => assert_eq!(term, Some(LinkTerm::Hard), "{byte}"),
                ByteClass::Special => continue,
            }
            for part in [UrlPart::Path, UrlPart::Query, UrlPart::Fragment, UrlPart::Directive] {
                assert_eq!(part.next(&[byte]), None, "{byte}");
                let separator = part
                    .separator(&[byte])
                    .is_none_or(|_| byte_class(byte) == ByteClass::Separator);
                assert!(separator, "{byte}");
            }
        }
    }
}
