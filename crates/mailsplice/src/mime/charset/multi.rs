//! Charsets of several bytes a character that `encoding_rs` decodes: character by character, so that the bytes of
//! each are known.

use std::ops::Range;

use encoding_rs::Encoding;

use super::builder::Builder;
use super::shifted;
use crate::span::Text;

/// Decodes run by run; byte by byte if the lead bytes of a run do not say its lengths.
pub(super) fn multi_byte(bytes: &[u8], encoding: &'static Encoding) -> Text<'static> {
    let mut out = Builder::new(bytes.len() + bytes.len() / 2);
    let mut at = 0;
    if encoding == encoding_rs::ISO_2022_JP {
        if let Some(text) = shifted::decode_iso2022_jp(bytes) {
            return text;
        }
        by_byte(&mut out, bytes, 0, encoding, Until::End);
        return out.close(bytes.len());
    }
    while let Some(rest) = bytes.get(at..)
        && let Some(byte) = rest.first()
    {
        at = if byte.is_ascii() {
            at + out.ascii_run(rest, at)
        } else if let Some([digit, last]) = before_digit(rest, encoding) {
            // Such a byte is in no character.
            decoded_unit(&mut out, &format!("\u{fffd}{digit}{last}"), at..at + 3);
            at + 3
        } else {
            let run = wide_run(rest, encoding);
            match wide(&mut out, run, at, encoding) {
                Some(length) => at + length,
                None => by_byte(&mut out, bytes, at, encoding, Until::Ascii),
            }
        };
    }
    out.close(bytes.len())
}

/// The two characters of ASCII after a lead byte, if it is one of GB 18030, they cannot belong to it, and no other
/// character follows them: the decoder reads three bytes before it knows.
fn before_digit(rest: &[u8], encoding: &'static Encoding) -> Option<[char; 2]> {
    let [0x81..=0xFE, digit @ b'0'..=b'9', last @ ..0x80, rest @ ..] = rest else { return None };
    let known = encoding == encoding_rs::GBK || encoding == encoding_rs::GB18030;
    let ends = known && rest.first().is_none_or(u8::is_ascii);
    ends.then(|| [*digit, *last].map(char::from))
}

/// Bytes that are decoded at once.
const RUN: usize = 1024;

/// The multi-byte characters at the start of `rest`.
fn wide_run<'b>(rest: &'b [u8], encoding: &'static Encoding) -> &'b [u8] {
    let mut length = 0;
    while length < RUN
        && let Some(after) = rest.get(length..)
        && after.first().is_some_and(|byte| !byte.is_ascii())
    {
        length += width(after, encoding);
    }
    rest.get(..length).unwrap_or(rest)
}

/// Length of the first character, by its lead byte (WHATWG Encoding §10 to §13).
fn width(rest: &[u8], encoding: &'static Encoding) -> usize {
    match rest {
        [0xA1..=0xDF, ..] if encoding == encoding_rs::SHIFT_JIS => 1,
        [0x8F, ..] if encoding == encoding_rs::EUC_JP => 3,
        [_, b'0'..=b'9', ..]
            if encoding == encoding_rs::GBK || encoding == encoding_rs::GB18030 =>
        {
            4
        }
        [0x80, ..] => 1,
        _ => 2,
    }
}

/// Bytes of most characters, and of them in UTF-8.
const USUAL_WIDTH: u8 = 2;
const USUAL_TEXT: u8 = 3;

/// Whether each character of a text has [`USUAL_TEXT`] bytes.
fn has_usual_text(text: &str) -> bool {
    let first = text.bytes().filter(|byte| matches!(byte, 0xE0..=0xEF)).count();
    usize::from(USUAL_TEXT) * first == text.len()
}

/// Decodes a run and returns its length; `None` if the lead bytes do not say the lengths of its characters.
fn wide(out: &mut Builder, run: &[u8], at: usize, encoding: &'static Encoding) -> Option<usize> {
    let text = encoding.decode_without_bom_handling_and_without_replacement(run)?;
    let mut length = 0;
    let mut characters = 0;
    let mut are_usual = true;
    while let Some(rest) = run.get(length..).filter(|rest| !rest.is_empty()) {
        let width = width(rest, encoding);
        are_usual &= width == usize::from(USUAL_WIDTH);
        length += width;
        characters += 1;
    }
    if length != run.len() || text.chars().count() != characters {
        return None;
    }
    if are_usual && has_usual_text(&text) {
        out.units(&text, at..at + length, (USUAL_TEXT, USUAL_WIDTH));
        return Some(length);
    }
    let mut length = 0;
    for character in text.chars() {
        let width = width(run.get(length..)?, encoding);
        out.character(character, at + length..at + length + width);
        length += width;
    }
    Some(length)
}

/// Where byte-by-byte decoding ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    End,
    /// The first ASCII byte that begins a character.
    Ascii,
}

/// Whether bytes of ASCII may stand for other characters, as they do behind most escapes of ISO-2022-JP.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shifted {
    No,
    Perhaps,
}

/// The escape behind which they do not.
const TO_ASCII: &[u8] = b"\x1B(B";

/// The bytes at the start of `rest` that are themselves where nothing is shifted.
fn unshifted_run(rest: &[u8]) -> &str {
    // One search for both ends: where runs are short, each would look beyond them to the end of the text.
    let ends = |byte: &u8| !byte.is_ascii() || matches!(byte, 0x0E | 0x0F | 0x1B);
    let end = rest.iter().position(ends).unwrap_or(rest.len());
    rest.get(..end).and_then(|run| std::str::from_utf8(run).ok()).unwrap_or_default()
}

/// Decodes byte by byte, to find the bytes of each character; returns the offset reached.
pub(super) fn by_byte(
    out: &mut Builder,
    bytes: &[u8],
    from: usize,
    encoding: &'static Encoding,
    until: Until,
) -> usize {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut start = from;
    let mut at = from;
    let mut state = Shifted::No;
    while let Some(rest) = bytes.get(at..)
        && let Some(byte) = rest.first()
    {
        if until == Until::Ascii && start == at && byte.is_ascii() {
            break;
        }
        if until == Until::End && start == at && state == Shifted::No {
            let run = unshifted_run(rest);
            if !run.is_empty() {
                out.linear(run, at);
                at += run.len();
                start = at;
                // One that has read nothing is in the state of one that has written these bytes.
                decoder = encoding.new_decoder_without_bom_handling();
                continue;
            }
        }
        let escape = until == Until::End && rest.starts_with(b"\x1B");
        let step = if escape { rest.len().min(3) } else { 1 };
        let mut buffer = [0; 32];
        let source = rest.get(..step).unwrap_or(rest);
        if escape {
            state = if source == TO_ASCII { Shifted::No } else { Shifted::Perhaps };
        }
        let last = at + step == bytes.len();
        let (_, _, written, _) = decoder.decode_to_utf8(source, &mut buffer, last);
        at += step;
        let text = std::str::from_utf8(buffer.get(..written).unwrap_or_default());
        let text = text.unwrap_or("\u{FFFD}");
        if !text.is_empty() {
            decoded_unit(out, text, start..at);
            start = at;
        } else if step > 1 {
            start = at;
        }
    }
    at
}

/// Adds a character. If a truncated sequence precedes an ASCII character, adds them as two units.
fn decoded_unit(out: &mut Builder, text: &str, source: Range<usize>) {
    let mut characters = text.chars();
    match (characters.next_back(), characters.as_str()) {
        (Some(last), before) if !before.is_empty() && last.is_ascii() && source.len() > 1 => {
            out.unit(before, source.start..source.end - 1);
            out.character(last, source.end - 1..source.end);
        }
        _ => out.unit(text, source),
    }
}
