//! Charsets of single bytes.

use std::borrow::Cow;

use encoding_rs::{CoderResult, Encoding};

use super::builder::Builder;
use super::pages::Page;
use crate::span::{Map, PieceKind, Text};

/// Decodes a charset of the WHATWG Encoding Standard.
pub(super) fn single_byte(bytes: &[u8], encoding: &'static Encoding) -> Text<'static> {
    // One character for each byte, since an unassigned byte becomes U+FFFD.
    let above: Vec<u8> = above_ascii(bytes).take(UPPER).collect();
    if above.len() < UPPER {
        let (text, _) = encoding.decode_without_bom_handling(&above);
        let mut characters = text.chars();
        return with_upper(bytes, above.len(), |_| characters.next());
    }
    let above: [u8; UPPER] = std::array::from_fn(|at| at as u8 | 128);
    let (upper, _) = encoding.decode_without_bom_handling(&above);
    let mut lengths = [0; UPPER];
    for (length, character) in lengths.iter_mut().zip(upper.chars()) {
        *length = character.len_utf8() as u8;
    }
    let length_of = |byte: u8| lengths.get(usize::from(byte & 127)).copied().unwrap_or(1);
    let (map, length) = map_of(bytes, length_of);
    let mut text = String::with_capacity(length + LONGEST);
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let (result, ..) = decoder.decode_to_string(bytes, &mut text, true);
    let text = match result {
        CoderResult::InputEmpty => text,
        CoderResult::OutputFull => encoding.decode_without_bom_handling(bytes).0.into_owned(),
    };
    Text { text: Cow::Owned(text), map: Some(map) }
}

/// Bytes that the decoder wants for the next character, whatever it is.
const LONGEST: usize = 4;

/// The map of a text in which each byte is a character, ASCII or one of so many bytes; and the length of the text.
fn map_of(bytes: &[u8], length_of: impl Fn(u8) -> u8) -> (Map, usize) {
    let mut map = Map::new();
    let (mut text, mut at) = (0, 0);
    while let Some(rest) = bytes.get(at..)
        && let Some(first) = rest.first()
    {
        let (unit, kind, count) = if first.is_ascii() {
            (1, PieceKind::Linear, Encoding::ascii_valid_up_to(rest))
        } else {
            let unit = length_of(*first);
            let same = |byte: &&u8| !byte.is_ascii() && length_of(**byte) == unit;
            (unit, PieceKind::Units { text: unit, source: 1 }, rest.iter().take_while(same).count())
        };
        map.push(text, at, kind);
        text += usize::from(unit) * count;
        at += count;
    }
    map.close(text, bytes.len());
    (map, text)
}

/// Bytes above ASCII. A text with fewer of them is decoded without a table of all.
const UPPER: usize = 128;

/// Decodes a code page that the standard lacks.
pub(super) fn paged(bytes: &[u8], page: &Page) -> Text<'static> {
    if page.keeps_ascii {
        return with_upper(bytes, above_ascii(bytes).count(), |byte| Some(page.character(byte)));
    }
    let mut out = Builder::new(bytes.len());
    for (at, byte) in bytes.iter().enumerate() {
        out.character(page.character(*byte), at..at + 1);
    }
    out.close(bytes.len())
}

/// The text of a code page that keeps ASCII.
pub(super) fn paged_text(bytes: &[u8], page: &Page) -> String {
    bytes.iter().map(|byte| page.character(*byte)).collect()
}

/// Bytes that are tested together.
const LINE: usize = 64;

fn above_ascii(bytes: &[u8]) -> impl Iterator<Item = u8> {
    let wide = bytes.chunks(LINE).filter(|line| !line.is_ascii()).flatten();
    wide.copied().filter(|byte| !byte.is_ascii())
}

/// Decodes ASCII, and the `count` bytes above it by `upper`, in their order.
fn with_upper(
    bytes: &[u8],
    count: usize,
    mut upper: impl FnMut(u8) -> Option<char>,
) -> Text<'static> {
    let mut out = Builder::new(bytes.len() + count);
    let mut at = 0;
    while let Some(rest) = bytes.get(at..)
        && let Some(byte) = rest.first()
    {
        if byte.is_ascii() {
            at += out.ascii_run(rest, at);
        } else {
            let character = upper(*byte);
            out.character(character.unwrap_or(char::REPLACEMENT_CHARACTER), at..at + 1);
            at += 1;
        }
    }
    out.close(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_has_the_map_of_its_characters() {
        let bytes: Vec<u8> = (0..2_000_usize).map(|at| (at * at / 7 % 251) as u8).collect();
        for encoding in [encoding_rs::KOI8_R, encoding_rs::WINDOWS_874, encoding_rs::WINDOWS_1253] {
            let long = single_byte(&bytes, encoding);
            let each = with_upper(&bytes, 0, |byte| {
                encoding.decode_without_bom_handling(&[byte]).0.chars().next()
            });
            assert_eq!((long.text, long.map), (each.text, each.map), "{}", encoding.name());
        }
    }
}
