//! S9: which names somebody can have, by the Public Suffix List.

use alloc::borrow::Cow;

use super::Form;
use crate::suffixes::{self, Section};
use crate::unicode::is_dot_to_somebody;

/// S9: not itself a public suffix of the ICANN section. A name below a private suffix
/// (`blogspot.com`) always is.
pub(super) fn is_registrable(name: &str, form: &Form) -> bool {
    /// No suffix of a registry has more labels; below those of hosters everything is registrable.
    const DEEPEST_SUFFIX: usize = 5;
    /// Bytes of UTF-8. Few top-level domains have more.
    const LONG: usize = 16;
    if form.labels > DEEPEST_SUFFIX || is_below_flat(name) || ends_in_sentence(name, form) {
        return true;
    }
    // What stays as it is has no capitals but those of ASCII.
    let is_lower = |text: &str| match form.settled {
        true => !text.bytes().any(|byte| byte.is_ascii_uppercase()),
        false => text.chars().all(is_lower),
    };
    // Most last labels that are long are words of a sentence, not top-level domains.
    let last = name.get(form.last.clone()).filter(|last| last.len() > LONG && !last.is_ascii());
    if last.is_some_and(|last| is_lower(last) && !suffixes::BUILTIN.has_below_root(last)) {
        return true;
    }
    let lower: Cow<'_, str> = if is_lower(name) {
        Cow::Borrowed(name)
    } else {
        Cow::Owned(name.chars().flat_map(char::to_lowercase).collect())
    };
    let suffix = if form.full_stops {
        suffixes::BUILTIN.of_name(&lower)
    } else {
        suffixes::BUILTIN.suffix(lower.rsplit(is_dot_to_somebody))
    };
    suffix.labels < form.labels || suffix.section == Some(Section::Private)
}

/// Whether the last label is longer than any top-level domain beyond ASCII that the list has: then it
/// knows none, and what has two labels is registrable.
fn ends_in_sentence(name: &str, form: &Form) -> bool {
    /// Bytes of UTF-8. சிங்கப்பூர் has 33.
    const LONGEST: usize = 40;
    let last = name.len().min(form.last.len());
    last > LONGEST && !form.ascii && !name.as_bytes().iter().rev().take(last).any(u8::is_ascii)
}

/// Whether the character is its own lower case.
fn is_lower(c: char) -> bool {
    match c {
        '\0'..='\u{7F}' => !c.is_ascii_uppercase(),
        'а'..='џ' => true,
        // Hebrew to Myanmar, and East Asia: scripts without case.
        '\u{590}'..='\u{109F}' | '\u{3001}'..='\u{A4CF}' | '\u{AC00}'..='\u{D7A3}' => true,
        '\u{FF0E}' | '\u{FF61}' => true,
        _ => c.to_lowercase().eq([c]),
    }
}

/// Whether the name ends in a top-level domain that the ICANN section has no suffix below: most names
/// do, and need no look at the list.
fn is_below_flat(name: &str) -> bool {
    name.as_bytes().last_chunk().is_some_and(is_flat)
}

/// Whether it is such a top-level domain, with the full stop before it.
pub(super) fn is_flat(end: &[u8; 4]) -> bool {
    let [b'.', letters @ ..] = end else { return false };
    matches!(&letters.map(|byte| byte.to_ascii_lowercase()), b"com" | b"net" | b"org")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unicode::hosts::is_settled;

    #[test]
    fn scripts_without_case() {
        for c in '\0'..=char::MAX {
            assert_eq!(is_lower(c), c.to_lowercase().eq([c]), "{c:?}");
            assert!(c.is_ascii() || !is_settled(c) || is_lower(c), "{c:?}");
        }
    }
}
