//! Charsets of single bytes.

use encoding_rs::Encoding;

use super::builder::Builder;
use super::pages::Page;
use crate::span::Text;

/// Decodes a charset of the WHATWG Encoding Standard.
pub(super) fn single_byte(bytes: &[u8], encoding: &'static Encoding) -> Text<'static> {
    // One character for each byte, since an unassigned byte becomes U+FFFD.
    let above: Vec<u8> = above_ascii(bytes).take(UPPER).collect();
    if above.len() < UPPER {
        let (text, _) = encoding.decode_without_bom_handling(&above);
        let mut characters = text.chars();
        return with_upper(bytes, |_| characters.next());
    }
    let above: [u8; UPPER] = std::array::from_fn(|at| at as u8 | 128);
    let (text, _) = encoding.decode_without_bom_handling(&above);
    let upper: Vec<char> = text.chars().collect();
    with_upper(bytes, |byte| upper.get(usize::from(byte & 127)).copied())
}

/// Bytes above ASCII. A text with fewer of them is decoded without a table of all.
const UPPER: usize = 128;

/// Decodes a code page that the standard lacks.
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

/// The bytes above ASCII.
fn above_ascii(bytes: &[u8]) -> impl Iterator<Item = u8> {
    let wide = bytes.chunks(LINE).filter(|line| !line.is_ascii()).flatten();
    wide.copied().filter(|byte| !byte.is_ascii())
}

/// Decodes ASCII, and the bytes above it by `upper`, in their order.
fn with_upper(bytes: &[u8], mut upper: impl FnMut(u8) -> Option<char>) -> Text<'static> {
    let mut out = Builder::new(bytes.len() + above_ascii(bytes).count());
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
