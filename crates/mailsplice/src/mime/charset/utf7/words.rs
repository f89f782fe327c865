//! Encoded words in text (RFC 2047): decodes them like programs that take them for a charset, and writes them.

use super::super::super::transfer::Transfer;
use super::super::super::transfer::base64::{self, Padding};
use super::super::super::transfer::qp;
use super::super::byte_order_marks;
use super::Charset;
use crate::span::Untracked;

/// Writes text, with encoded words where literal text would be misread: non-ASCII, a sign that could begin
/// a word, white space beside a possible word (RFC 2047 §6.2: it is dropped between words).
pub(super) fn in_words(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let direct = direct_length(rest, out.is_empty());
        let (plain, after) = rest.split_at(direct);
        out.push_str(plain);
        let (encoded, after) = after.split_at(encoded_length(after));
        push_words(&mut out, encoded);
        rest = after;
    }
    out
}

/// Length of the literal text at the start.
fn direct_length(text: &str, first: bool) -> usize {
    if first && text.starts_with(is_bad_start) {
        return 0;
    }
    let bytes = text.as_bytes();
    let sign =
        |at: usize| bytes.get(at) == Some(&b'=') && matches!(bytes.get(at + 1), Some(b'?') | None);
    let stop = (0..bytes.len()).find(|at| !bytes.get(*at).is_some_and(u8::is_ascii) || sign(*at));
    let direct = text.get(..stop.unwrap_or(bytes.len())).unwrap_or_default();
    direct.trim_end_matches(|c: char| c.is_ascii_whitespace()).len()
}

/// Length of the text at the start that is encoded: up to the next character that may be literal.
fn encoded_length(text: &str) -> usize {
    let first = text.chars().next().map_or(0, char::len_utf8);
    let rest = text.get(first..).unwrap_or_default();
    let is_encoded = |c: char| !c.is_ascii() || is_bad_start(c);
    first + rest.len() - rest.trim_start_matches(is_encoded).len()
}

/// Whether a character must not begin a literal text.
fn is_bad_start(c: char) -> bool {
    c.is_ascii_whitespace() || c == '?'
}

/// Bytes of text in a word that is written, so that the word has at most 75 characters (RFC 2047 §2).
const WORD_TEXT: usize = 20;

fn push_words(out: &mut String, text: &str) {
    let mut rest = text;
    while !rest.is_empty() {
        let (word, after) = rest.split_at(rest.floor_char_boundary(WORD_TEXT));
        let escaped: String = word.bytes().map(|byte| format!("={byte:02X}")).collect();
        out.push_str(&format!("=?utf-8?q?{escaped}?="));
        if !after.is_empty() {
            out.push(' ');
        }
        rest = after;
    }
}

/// Most bytes of an encoded word that is read; RFC 2047 §2 allows 75, programs more.
const MAX_WORD: usize = 1_000;

/// Most bytes of the name of a charset.
const LABEL: usize = 40;

/// The first encoded words that are in one charset: their length and their text. White space before another
/// word is dropped (RFC 2047 §6.2). They are decoded together, since some programs let a character begin in one
/// word and end in the next.
pub(super) fn words(bytes: &[u8]) -> Option<(usize, String)> {
    let first = EncodedWord::of(bytes)?;
    let charset = word_charset(first.charset)?;
    let mut length = first.length;
    let mut decoded = Vec::new();
    first.decode_onto(&mut decoded);
    loop {
        let after = bytes.get(length..).unwrap_or_default();
        let space = after.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let after = after.get(space..).unwrap_or_default();
        let Some(next) = EncodedWord::of(after) else { break };
        let same =
            next.charset == first.charset || next.charset.eq_ignore_ascii_case(first.charset);
        if !same && word_charset(next.charset).is_none() {
            break;
        }
        length += space;
        if !same {
            break;
        }
        length += next.length;
        next.decode_onto(&mut decoded);
    }
    Some((length, in_order(first.charset, charset, decoded)))
}

/// Decodes the bytes of words with this label. If neither they nor it say the byte order, the first byte of a unit is
/// the high one (RFC 2781 §4.3), unless there is text only in the order that WHATWG's decoder takes.
fn in_order(label: &[u8], charset: Charset, bytes: Vec<u8>) -> String {
    let text = |charset: Charset, bytes: Vec<u8>| charset.decode(bytes.into()).as_str().to_owned();
    let swapped = charset
        .swapped()
        .filter(|_| lacks_order(label) && byte_order_marks(&bytes).next().is_none());
    let Some(swapped) = swapped else { return text(charset, bytes) };
    let (low_first, high_first) = (text(charset, bytes.clone()), text(swapped, bytes));
    let letters = |text: &str| text.chars().filter(|c| *c < LATER_SCRIPTS).count();
    let is_text = high_first.contains(|c: char| c.is_ascii_alphabetic())
        || letters(&high_first) >= letters(&low_first);
    if is_text { high_first } else { low_first }
}

/// Where scripts begin that are no kin of Latin, and rarely in its place.
const LATER_SCRIPTS: char = '\u{600}';

/// Whether this is a label of UTF-16 or UTF-32 that says no byte order.
fn lacks_order(label: &[u8]) -> bool {
    let says = |order: &[u8]| {
        let end = label.len().checked_sub(order.len()).and_then(|start| label.get(start..));
        end.is_some_and(|end| end.eq_ignore_ascii_case(order))
    };
    !says(b"le")
        && !says(b"be")
        && word_charset(label).is_some_and(|charset| charset.swapped().is_some())
}

impl Charset {
    /// Whether there is a word in UTF-16 or UTF-32 whose label says no byte order: programs take either.
    pub fn words_lack_order(bytes: &[u8]) -> bool {
        memchr::memchr_iter(b'=', bytes).any(|at| {
            let word = bytes.get(at..).filter(|word| may_begin(word));
            let label = word.and_then(|word| word.get(2..)).unwrap_or_default();
            let label = label.get(..LABEL).unwrap_or(label);
            let end = label.iter().position(|byte| matches!(byte, b'?' | b'*'));
            end.and_then(|end| label.get(..end)).is_some_and(lacks_order)
        })
    }

    /// Whether bytes, read as [`Charset::Words`], may contain one of two ASCII signs, neither a blank nor `=`. Much
    /// cheaper than decoding. `true` if programs could read them differently.
    pub fn words_may_hold(bytes: &[u8], signs: [u8; 2]) -> bool {
        let mut rest = bytes;
        // The last label for which `is_read_by_byte` was true, and what was before the text of its word.
        let mut plain = None;
        let mut front: Option<(&[u8], &[u8], Encoding)> = None;
        loop {
            let stop = rest.iter().position(|byte| *byte == b'=' || signs.contains(byte));
            let Some(found) = stop.and_then(|stop| rest.get(stop..)) else { return false };
            let again = front.and_then(|front| EncodedWord::with_front(found, front));
            rest = match again.or_else(|| EncodedWord::of(found)) {
                Some(word) => {
                    if plain != Some(word.charset) && !is_read_by_byte(word.charset)
                        || word.may_say(signs)
                    {
                        return true;
                    }
                    plain = Some(word.charset);
                    let before = found.get(..word.length - word.text.len() - END.len());
                    front = before.map(|before| (before, word.charset, word.encoding));
                    found.get(word.length..).unwrap_or_default()
                }
                None if !found.starts_with(b"=") => return true,
                None => found.get(1..).unwrap_or_default(),
            };
        }
    }
}

/// Whether this label is a charset in which an ASCII sign is its byte, and no other byte decodes to it.
fn is_read_by_byte(label: &[u8]) -> bool {
    word_charset(label).is_some_and(|charset| match charset {
        Charset::Utf8 => true,
        Charset::Known(encoding) => encoding.is_single_byte(),
        _ => false,
    })
}

/// Whether a word may begin here, with the name of a charset: a row of marks of words is none.
pub(super) fn may_begin(bytes: &[u8]) -> bool {
    matches!(bytes, [b'=', b'?', label, ..] if label.is_ascii_alphanumeric())
}

/// The charset of a word with this label. Forms of [`super`] and escapes are not allowed inside words.
fn word_charset(label: &[u8]) -> Option<Charset> {
    Charset::from_label(str::from_utf8(label).ok()?)
        .filter(|found| !matches!(found, Charset::Words | Charset::Mailbox | Charset::Escapes))
}

/// An encoded word: `=?charset?encoding?text?=`.
struct EncodedWord<'b> {
    charset: &'b [u8],
    encoding: Encoding,
    text: &'b [u8],
    length: usize,
}

#[derive(Clone, Copy)]
enum Encoding {
    B,
    Q,
}

/// What ends a word.
const END: &[u8; 2] = b"?=";

impl<'b> EncodedWord<'b> {
    /// The word at the start of the bytes, if it is like the one before it up to its text (with its charset and
    /// encoding), as in a long row of words.
    fn with_front(
        bytes: &'b [u8],
        (front, charset, encoding): (&[u8], &'b [u8], Encoding),
    ) -> Option<EncodedWord<'b>> {
        let after = bytes.strip_prefix(front)?;
        let after = after.get(..(MAX_WORD + 2).saturating_sub(front.len())).unwrap_or(after);
        // Few words hold the mark: the first one ends most.
        let length = memchr::memchr(b'?', after)?;
        let text = after.get(..length).filter(|_| after.get(length + 1) == Some(&b'='))?;
        Some(EncodedWord { charset, encoding, text, length: front.len() + length + END.len() })
    }

    /// The word at the start of the bytes.
    fn of(bytes: &'b [u8]) -> Option<EncodedWord<'b>> {
        let inner = bytes.get(2..).filter(|_| may_begin(bytes))?;
        let inner = inner.get(..MAX_WORD).unwrap_or(inner);
        // The name is short: a simple loop is faster than a vectorized search.
        let charset = inner.iter().position(|byte| *byte == b'?')?;
        let [encoding, b'?'] = inner.get(charset + 1..charset + 3)? else { return None };
        let start = charset + 3;
        let after = inner.get(start..)?;
        let is_end = |mark: &usize| after.get(mark + 1) == Some(&b'=');
        let length = memchr::memchr_iter(b'?', after).find(is_end)?;
        let encoding = match encoding {
            b'b' | b'B' => Encoding::B,
            b'q' | b'Q' => Encoding::Q,
            _ => return None,
        };
        // RFC 2231 §5: an asterisk and a language may follow.
        let charset = inner.get(..charset)?.split(|byte| *byte == b'*').next()?;
        let text = after.get(..length)?;
        Some(EncodedWord { charset, encoding, text, length: 2 + start + length + 2 })
    }

    /// Whether its bytes may contain one of these signs.
    fn may_say(&self, signs: [u8; 2]) -> bool {
        match self.encoding {
            Encoding::B => base64::may_say(self.text, signs),
            Encoding::Q => qp::may_say(self.text, signs),
        }
    }

    /// Appends its decoded bytes.
    fn decode_onto(&self, decoded: &mut Vec<u8>) {
        match self.encoding {
            Encoding::B => {
                base64::unwrap_onto(decoded, self.text, Padding::Ends, &mut Untracked, |_| ());
            }
            Encoding::Q => {
                let space = |byte: &u8| if *byte == b'_' { b' ' } else { *byte };
                let text: Vec<u8> = self.text.iter().map(space).collect();
                decoded.extend_from_slice(&Transfer::QuotedPrintable.bytes(&text));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Utf7Variant, decode};
    use super::*;

    fn may_hold(text: &str) -> bool {
        Charset::words_may_hold(text.as_bytes(), *b":?")
    }

    /// RFC 2781 §4.3, and programs that take the other order.
    #[test]
    fn words_without_a_byte_order_are_read_in_that_which_gives_text() {
        let high = "AFAAYQB5AFAAYQBsACAAUwBlAHIAdgBpAGMAZQ==";
        let low = "UABhAHkAUABhAGwAIABTAGUAcgB2AGkAYwBlAA==";
        for (label, text) in [
            ("utf-16", high),
            ("ucs-2", high),
            ("UTF-16*en", high),
            ("utf-16be", high),
            ("utf-16", low),
            ("unicode", low),
            ("utf-16le", low),
        ] {
            let word = format!("=?{label}?B?{text}?=");
            assert_eq!(Charset::Words.decode(word.as_bytes().into()).as_str(), "PayPal Service");
            let open = !label.ends_with('e') || label == "unicode";
            assert_eq!(Charset::words_lack_order(word.as_bytes()), open, "{label}");
        }
        // `счёт`, and ideographs.
        for (text, expected) in [("BEEERwRRBEI=", "счёт"), ("Ly5NTw==", "\u{2f2e}\u{4d4f}")] {
            let word = format!("=?utf-16?B?{text}?=");
            assert_eq!(Charset::Words.decode(word.as_bytes().into()).as_str(), expected);
        }
        for fine in ["=?utf-8?B?AA==?=", "=?utf-16", "utf-16?", "=?utf-16le?q?a?="] {
            assert!(!Charset::words_lack_order(fine.as_bytes()), "{fine}");
        }
    }

    #[test]
    fn words_without_the_signs_are_recognized_without_decoding() {
        for nothing in [
            "a b",
            "=?utf-8?B?ekRmZ3ZQaHFvdzNwRkM5Rzl3UFNyM3QvYlY1ak5MVjArZWl4eWZyK01UWkFM?=\r\n =?UTF-8?b?ekRm?=",
            "=?us-ascii?Q?tzvME8bK8G+=20=C3?= x =?windows-1252*de?q?a_b?=",
            "=?utf-8?B?enp6eg==?= =?iso-8859-7?B?enp6?=",
        ] {
            assert!(!may_hold(nothing), "{nothing}");
        }
        for something in [
            "a:b", "=?utf-8?Q?a:b?=", "=?utf-8?Q?a=3Ab?=", "=?utf-8?Q?a=3ab?=",
            "=?utf-8?Q?a=3Fb?=",
            // `a`, `:` and `b` at each place of a unit.
            "=?utf-8?B?OmFi?=", "=?utf-8?B?YTpi?=", "=?utf-8?B?YWI6?=", "=?utf-8?B?YWE6YQ==?=",
            "=?utf-8?B?YWFhYTo=?=", "=?utf-8?B?YWFhOg==?=",
            // Read differently by some programs.
            "=?utf-8?B?Y W E?=", "=?utf-8?B?YQ==YQ==?=", "=?utf-8?Q?a=?=", "=?utf-8?Q?==3Ab?=",
            "=?utf-7?Q?+ADo-?=", "=?utf-16?B?ekRmZ3ZQ?=", "=?none?Q?a?=", "=?utf-8?X?a?=",
            "=?utf-8?Q?a",
        ] {
            assert!(may_hold(something), "{something}");
        }
    }

    #[test]
    fn what_is_said_to_hold_no_sign_holds_none() {
        let charsets = ["utf-8", "us-ascii", "koi8-r", "utf-7", "shift_jis", "x-user-defined", ""];
        let texts = ["a", "a=3", "=3A", "YTpi", "YWJj", "YWJjZA", "6", "O", "=", "==", "_", "=C3"];
        let mut silent = 0;
        for charset in charsets {
            for encoding in ["Q", "b"] {
                for (first, second) in texts.iter().flat_map(|a| texts.iter().map(move |b| (a, b)))
                {
                    let word = format!("=?{charset}?{encoding}?{first}{second}?=");
                    for value in [format!("{word} {word}"), format!("x{word}\r\n\t{word}=")] {
                        if !may_hold(&value) {
                            let text = decode(value.as_bytes(), Utf7Variant::Words);
                            assert!(!text.as_str().contains([':', '?']), "{value}");
                            silent += 1;
                        }
                    }
                }
            }
        }
        assert!(silent > 500, "{silent}");
    }

    #[test]
    fn each_unit_of_base64_that_holds_a_sign_is_found() {
        for sign in *b":?" {
            for length in 1..200 {
                for at in [0, length / 2, length - 1] {
                    let mut bytes = vec![b'a'; length];
                    assert!(!base64::may_say(&base64_of(&bytes), *b":?"));
                    bytes[at] = sign;
                    assert!(base64::may_say(&base64_of(&bytes), *b":?"), "{length} {at}");
                }
            }
        }
    }

    fn base64_of(bytes: &[u8]) -> Vec<u8> {
        let mut encoded = base64::encode(bytes, super::super::super::super::transfer::LineEnd::Lf);
        encoded.retain(|byte| *byte != b'\n');
        encoded
    }
}
