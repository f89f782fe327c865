//! S9: which names can be registered, by the Public Suffix List.

use alloc::borrow::Cow;

use super::NameShape;
use crate::suffixes::{self, Section, Suffix};
use crate::unicode::is_dot_to_somebody;

/// S9: whether it is not itself a public suffix of the ICANN section. A name below a private suffix
/// (`blogspot.com`) always counts.
pub(super) fn is_registrable(name: &str, form: &NameShape) -> bool {
    /// No suffix of a registry has more labels; below those of hosters everything is registrable.
    const DEEPEST_SUFFIX: usize = 5;
    /// Bytes of UTF-8; few top-level domains are longer.
    const LONG: usize = 16;
    if form.labels > DEEPEST_SUFFIX || is_below_flat_tld(name) || ends_in_sentence(name, form) {
        return true;
    }
    // A settled name has no capitals except those of ASCII.
    let is_lower = |text: &str| match form.settled {
        // Without an exit: names are short, and so many bytes are tested at once.
        true => !text.bytes().fold(false, |any, byte| any | byte.is_ascii_uppercase()),
        false => text.chars().all(is_lower),
    };
    // Most long last labels are words of a sentence, not top-level domains.
    let last = name.get(form.last.clone()).filter(|last| last.len() > LONG && !last.is_ascii());
    if last.is_some_and(|last| is_lower(last) && !suffixes::BUILTIN.has_last_label(last)) {
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
    is_below(suffix, form.labels)
}

/// The same for a name in lower case with full stops.
pub(super) fn is_below_suffix(lower: &str, labels: usize) -> bool {
    is_below(suffixes::BUILTIN.of_name(lower), labels)
}

fn is_below(suffix: Suffix, labels: usize) -> bool {
    suffix.labels < labels || suffix.section == Some(Section::Private)
}

/// Whether no public suffix of more labels ends with this last label.
pub(super) fn is_flat(last: &str) -> bool {
    suffixes::BUILTIN.is_last_alone(last)
}

/// Whether the last label is longer than any non-ASCII top-level domain of the list: then it is
/// unknown there, and a name of two labels is registrable.
fn ends_in_sentence(name: &str, form: &NameShape) -> bool {
    /// Bytes of UTF-8; சிங்கப்பூர் has 33.
    const LONGEST: usize = 40;
    let last = name.get(form.last.clone()).unwrap_or_default();
    last.len() > LONGEST && !last.bytes().fold(false, |any, byte| any | byte.is_ascii())
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

/// Whether the name ends in a top-level domain without longer suffixes in the ICANN section: true
/// for most names, and faster than the list.
fn is_below_flat_tld(name: &str) -> bool {
    name.as_bytes().last_chunk().is_some_and(is_flat_tld)
}

/// Whether it is such a top-level domain, with the full stop before it.
pub(super) fn is_flat_tld(end: &[u8; 4]) -> bool {
    let [b'.', letters @ ..] = end else { return false };
    matches!(&letters.map(|byte| byte.to_ascii_lowercase()), b"com" | b"net" | b"org")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unicode::hosts::is_kept;

    #[test]
    fn scripts_without_case() {
        for c in '\0'..=char::MAX {
            assert_eq!(is_lower(c), c.to_lowercase().eq([c]), "{c:?}");
            assert!(c.is_ascii() || !is_kept(c) || is_lower(c), "{c:?}");
        }
    }
}
