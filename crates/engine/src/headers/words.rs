//! Encoded words (RFC 2047) in any header field, as read by programs that accept them everywhere.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use super::{SUBJECT, SelectedFields, is_read};
use mailsplice::mime::Charset;
use mailsplice::splice::fields::HeaderField;

/// The start of an encoded word (RFC 2047 §2).
pub(super) const WORD: &[u8; 2] = b"=?";

/// A field with encoded words: its name, its value's bytes in the header, its decoded text.
pub(super) type Decoded = (String, Range<usize>, String);

/// The fields with encoded words that may matter, both read by the parser and not, and the start of each value with
/// words that are left undecoded here and that other programs may decode.
pub(super) fn encoded(
    head: &[u8],
    agreed_fields: Option<&[HeaderField]>,
    selected: &SelectedFields,
) -> (Vec<Decoded>, HashSet<usize>) {
    if !holds(head, WORD) {
        return Default::default();
    }
    let wanted = |name: &[u8], line: &[u8]| !is_read(name) && holds(line, WORD);
    let others = words(&SelectedFields::select(head, agreed_fields, wanted));
    let left = others.iter().filter(|(_, _, text)| text.contains("=?"));
    let unread = left.map(|(_, span, _)| span.start).collect();
    (words(selected).into_iter().chain(others).collect(), unread)
}

/// Fields with encoded words, as read by programs that join the bytes of words first and accept words everywhere: a
/// character may begin in one word and end in the next, a host in a word and end after it.
fn words(selected: &SelectedFields) -> Vec<Decoded> {
    if !holds(&selected.bytes, WORD) {
        return Vec::new();
    }
    let ends =
        selected.fields.iter().skip(1).map(|(start, _)| *start).chain([selected.bytes.len()]);
    let fields = selected.fields.iter().zip(ends);
    fields
        .filter_map(|((start, at), end)| Some((*at, selected.bytes.get(*start..end)?)))
        .filter(|(_, line)| holds(line, WORD))
        .filter_map(|(at, line)| {
            let colon = memchr::memchr(b':', line)?;
            let name = line.get(..colon)?.trim_ascii_end();
            let value = line.get(colon + 1..)?.trim_ascii_end();
            // In the Subject every text matters.
            if !name.eq_ignore_ascii_case(SUBJECT.as_bytes()) && !may_matter(value) {
                return None;
            }
            let name = String::from_utf8_lossy(name).into_owned();
            let start = at + colon + 1;
            let text = Charset::Words.decode(value.into()).as_str().to_owned();
            Some((name, start..start + value.len(), text))
        })
        .collect()
}

/// A text with the words in it decoded, as by programs that accept them inside other words.
pub(super) fn decoded(text: &str) -> Cow<'_, str> {
    match holds(text.as_bytes(), WORD) {
        true => Cow::Owned(Charset::Words.decode(text.as_bytes().into()).as_str().to_owned()),
        false => Cow::Borrowed(text),
    }
}

/// Whether a value with words may hold a URL, which has a colon, or what other programs may take for a word, which has
/// a question mark: tokens of filters are long rows of words without either.
pub(super) fn may_matter(value: &[u8]) -> bool {
    Charset::words_may_hold(value, *b":?")
}

/// Whether the bytes hold the two-byte sign. Its second byte is searched for, as most fields hold neither.
pub(super) fn holds(bytes: &[u8], sign: &[u8; 2]) -> bool {
    let before = |at: usize| at.checked_sub(1).and_then(|at| bytes.get(at)) == sign.first();
    memchr::memchr_iter(sign[1], bytes).any(before)
}
