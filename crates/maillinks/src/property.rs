//! What content lines of calendars and cards are made of (RFC 5545 §3.1): parameters, and values with escapes.

use std::ops::Range;

use memchr::memchr2_iter;

use super::mapped::{Builder, MappedText};

/// The parameters of a property: the name of each and the range of its value, with its quotes.
pub fn parameters(head: &str) -> impl Iterator<Item = (&str, Range<usize>)> {
    let mut quoted = false;
    let semicolons = memchr2_iter(b'"', b';', head.as_bytes()).filter(move |at| {
        let is_quote = head.as_bytes().get(*at) == Some(&b'"');
        quoted ^= is_quote;
        !is_quote && !quoted
    });
    let mut after = 0;
    semicolons.chain([head.len()]).filter_map(move |end| {
        let piece = head.get(after..end).unwrap_or_default();
        after = end + 1;
        let (name, value) = piece.split_once('=')?;
        Some((name, end - value.len()..end))
    })
}

/// A value without its quotes; of several values the first.
pub fn unquoted(head: &str, value: Range<usize>) -> Option<Range<usize>> {
    let inner = head.get(value.clone())?.strip_prefix('"')?;
    let length = inner.find('"').unwrap_or(inner.len());
    Some(value.start + 1..value.start + 1 + length)
}

/// The name and the parameters of a property that begins at byte `at`, with a blank in place of the sign before a value
/// without quotes: `CN=ann@example.com` is shown without the name, which is no part of the address.
pub fn shown_parameters(head: &str, at: usize) -> MappedText<'_> {
    let mut shown = Builder::with_capacity(head.len());
    let mut done = 0;
    let plain = parameters(head).filter(|(_, value)| unquoted(head, value.clone()).is_none());
    for sign in plain.filter_map(|(_, value)| value.start.checked_sub(1)) {
        shown.linear(head.get(done..sign).unwrap_or_default(), at + done);
        shown.unit(" ", at + sign..at + sign + 1);
        done = sign + 1;
    }
    shown.linear(head.get(done..).unwrap_or_default(), at + done);
    shown.finish()
}

/// Whether a text may hold a link.
pub fn may_hold_link(text: &str) -> bool {
    text.bytes().any(|c| matches!(c, b'.' | b'@' | 0x80..))
}

/// How a value is escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escapes {
    None,
    /// §3.3.11.
    Text,
}

/// A range of the unfolded text, mapped to the part.
pub fn piece(
    unfolded: &MappedText<'_>,
    range: Range<usize>,
    escapes: Escapes,
) -> MappedText<'static> {
    let text = unfolded.as_str().get(range.clone()).unwrap_or_default();
    let inner = match escapes {
        Escapes::None => MappedText::slice(text, range.start),
        Escapes::Text => unescape(text).shifted(range.start),
    };
    inner.over(unfolded)
}

/// A text without the escapes of §3.3.11.
pub fn unescape(text: &str) -> MappedText<'_> {
    if !text.contains('\\') {
        return MappedText::slice(text, 0);
    }
    let mut seen = Builder::with_capacity(text.len());
    let mut from = 0;
    while let Some(found) = text.get(from..).and_then(|rest| rest.find('\\')) {
        let at = from + found;
        seen.linear(text.get(from..at).unwrap_or_default(), from);
        let Some(c) = text.get(at + 1..).and_then(|rest| rest.chars().next()) else {
            from = at;
            break;
        };
        let end = at + 1 + c.len_utf8();
        let mut utf8 = [0; 4];
        match c {
            'n' | 'N' => seen.unit("\n", at..end),
            _ => seen.unit(c.encode_utf8(&mut utf8), at..end),
        }
        from = end;
    }
    seen.linear(text.get(from..).unwrap_or_default(), from);
    seen.finish()
}
