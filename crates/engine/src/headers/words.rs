//! Encoded words (RFC 2047) in header fields of any name, as those read them who take them wherever they stand.

use std::collections::HashSet;
use std::ops::Range;

use super::{Read, SUBJECT, is_read};
use mailsplice::mime::Charset;
use mailsplice::splice::fields::HeaderField;

/// What an encoded word begins with (RFC 2047 §2).
pub(super) const WORD: &[u8; 2] = b"=?";

/// A field with encoded words: its name, its value's bytes in the header, what it says.
pub(super) type Decoded = (String, Range<usize>, String);

/// The fields with encoded words that may be of interest, of those that are read and of others, and where the values
/// begin in which words are left that we take for none and others may not.
pub(super) fn encoded(
    head: &[u8],
    agreed: Option<&[HeaderField]>,
    read: &Read,
) -> (Vec<Decoded>, HashSet<usize>) {
    if !holds(head, WORD) {
        return Default::default();
    }
    let wanted = |name: &[u8], line: &[u8]| !is_read(name) && holds(line, WORD);
    let others = words(&Read::of_fields(head, agreed, wanted));
    let left = others.iter().filter(|(_, _, text)| text.contains("=?"));
    let unread = left.map(|(_, span, _)| span.start).collect();
    (words(read).into_iter().chain(others).collect(), unread)
}

/// Fields with encoded words, as those read them who put the bytes of words together first and take them
/// wherever they stand: a character begins in one word and ends in the next, a host in a word and ends behind it.
fn words(read: &Read) -> Vec<Decoded> {
    if !holds(&read.bytes, WORD) {
        return Vec::new();
    }
    let ends = read.fields.iter().skip(1).map(|(start, _)| *start).chain([read.bytes.len()]);
    let fields = read.fields.iter().zip(ends);
    fields
        .filter_map(|((start, at), end)| Some((*at, read.bytes.get(*start..end)?)))
        .filter(|(_, line)| holds(line, WORD))
        .filter_map(|(at, line)| {
            let colon = memchr::memchr(b':', line)?;
            let name = line.get(..colon)?.trim_ascii_end();
            let value = line.get(colon + 1..)?.trim_ascii_end();
            // Of the Subject every text is of interest.
            if !name.eq_ignore_ascii_case(SUBJECT.as_bytes()) && !may_say(value) {
                return None;
            }
            let name = String::from_utf8_lossy(name).into_owned();
            let start = at + colon + 1;
            let text = Charset::Words.decode(value.into()).as_str().to_owned();
            Some((name, start..start + value.len(), text))
        })
        .collect()
}

/// Whether a URL, which has a colon, may stand in a value with words, or what others may take for a word, which has a
/// question mark: tokens of filters are long rows of words that say nothing.
pub(super) fn may_say(value: &[u8]) -> bool {
    Charset::words_may_say(value, *b":?")
}

/// Whether the sign stands there: by its second byte, for most fields hold neither.
pub(super) fn holds(bytes: &[u8], sign: &[u8; 2]) -> bool {
    let before = |at: usize| at.checked_sub(1).and_then(|at| bytes.get(at)) == sign.first();
    memchr::memchr_iter(sign[1], bytes).any(before)
}
