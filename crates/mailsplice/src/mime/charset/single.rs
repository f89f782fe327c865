//! Charsets of one byte for each character, by a table.

use encoding_rs::Encoding;

use super::pages::Page;
use super::{Builder, ascii_run};
use crate::span::Text;

pub(super) fn single_byte(bytes: &[u8], encoding: &'static Encoding) -> Text<'static> {
    // One character for each byte, since an unassigned byte becomes U+FFFD.
    let few: Vec<u8> = wide_bytes(bytes).take(TABLE).collect();
    if few.len() < TABLE {
        let (text, _) = encoding.decode_without_bom_handling(&few);
        let mut upper = text.chars();
        return with_upper(bytes, |_| upper.next());
    }
    let above: [u8; TABLE] = std::array::from_fn(|at| at as u8 | 128);
    let (text, _) = encoding.decode_without_bom_handling(&above);
    let upper: Vec<char> = text.chars().collect();
    with_upper(bytes, |byte| upper.get(usize::from(byte & 127)).copied())
}

/// Bytes above ASCII: most parts have fewer than there are.
const TABLE: usize = 128;

fn wide_bytes(bytes: &[u8]) -> impl Iterator<Item = u8> {
    let blocks = bytes.chunks(LINE).filter(|line| !line.is_ascii()).flatten();
    blocks.copied().filter(|byte| !byte.is_ascii())
}

pub(super) fn paged(bytes: &[u8], page: &Page) -> Text<'static> {
    let characters: Vec<char> = page.characters.chars().collect();
    if page.keeps_ascii() {
        return with_upper(bytes, |byte| characters.get(usize::from(byte & 127)).copied());
    }
    let mut out = Builder::new(bytes.len());
    for (at, byte) in bytes.iter().enumerate() {
        let character = characters.get(usize::from(*byte)).copied();
        out.character(character.unwrap_or(char::REPLACEMENT_CHARACTER), at..at + 1);
    }
    out.close(bytes.len())
}

/// Bytes that are tested together.
const LINE: usize = 64;

/// Decodes ASCII, and the bytes above it by this function, one after the other.
fn with_upper(bytes: &[u8], mut upper: impl FnMut(u8) -> Option<char>) -> Text<'static> {
    let mut out = Builder::new(bytes.len() + wide_bytes(bytes).count());
    let mut at = 0;
    while let Some(rest) = bytes.get(at..)
        && let Some(byte) = rest.first()
    {
        if byte.is_ascii() {
            at += ascii_run(&mut out, rest, at);
        } else {
            out.character(upper(*byte).unwrap_or(char::REPLACEMENT_CHARACTER), at..at + 1);
            at += 1;
        }
    }
    out.close(bytes.len())
}
