//! How a defanged host is spelled: `example[.]com`, `user[@]example(.)org`.

use alloc::string::String;

use crate::unicode::is_dot_to_somebody;

/// The length in bytes of a bracketed dot at the start of these bytes; 0 if there is none.
pub(super) fn dot_at(bytes: &[u8]) -> usize {
    match bytes {
        [b'[', b'.', b']', ..] | [b'(', b'.', b')', ..] | [b'{', b'.', b'}', ..] => 3,
        _ => 0,
    }
}

/// Whether the text ends with a bracketed dot.
pub(super) fn ends_with_dot(text: &str) -> bool {
    matches!(
        text.as_bytes(),
        [.., b'[', b'.', b']'] | [.., b'(', b'.', b')'] | [.., b'{', b'.', b'}']
    )
}

/// The text before a bracketed at-sign at its end.
pub(super) fn before_at_sign(text: &str) -> Option<&str> {
    ["[@]", "(@)", "{@}"].iter().find_map(|at_sign| text.strip_suffix(at_sign))
}

/// The text before a bracketed scheme separator at its end: `hxxps[:]//`.
pub(super) fn before_slashes(text: &str) -> Option<&str> {
    ["[:]//", "[://]", "(:)//"].iter().find_map(|slashes| text.strip_suffix(slashes))
}

/// The host with plain dots; `None` if it has no bracket except that of an IPv6 address.
pub(super) fn refanged(host: &str) -> Option<String> {
    if !has_bracket(host) {
        return None;
    }
    let mut plain = String::with_capacity(host.len());
    for piece in pieces(host) {
        plain.push_str(piece);
        plain.push('.');
    }
    plain.pop();
    Some(plain)
}

/// Whether the host has a bracket except that of an IPv6 address.
fn has_bracket(host: &str) -> bool {
    // A loop without an exit: hosts are short.
    let is_bracket = |byte: u8| matches!(byte, b'[' | b'(' | b'{');
    host.bytes().fold(false, |any, byte| any | is_bracket(byte)) && !host.starts_with('[')
}

/// The text between the bracketed dots.
pub(super) fn pieces(host: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(host);
    core::iter::from_fn(move || {
        let text = rest?;
        let dot = |at: &usize| dot_at(text.as_bytes().get(*at..).unwrap_or_default()) > 0;
        let piece = (0..text.len()).find(dot).and_then(|at| text.split_at_checked(at));
        // A bracketed dot is three bytes of ASCII.
        rest = piece.and_then(|(_, after)| after.get(3..));
        Some(piece.map_or(text, |(piece, _)| piece))
    })
}

/// Whether every dot of the host is in brackets.
pub(super) fn is_complete(host: &str) -> bool {
    has_bracket(host) && !has_dot(host)
}

/// Whether some dot is not in brackets.
pub(super) fn has_dot(text: &str) -> bool {
    pieces(text).any(|piece| piece.contains(is_dot_to_somebody))
}
