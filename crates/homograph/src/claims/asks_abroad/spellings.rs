//! How a word of a label may be listed: with the marks of its letters, without, and with what is written for them.

use std::borrow::Cow;

use smallvec::SmallVec;

use crate::hosts::host_words::SEPARATORS;
use crate::protected::display_text::plain_letters;

/// How a word may be listed: letters of other scripts as they are spelled, those of Latin without their marks.
pub(super) fn spellings(word: &str) -> SmallVec<[Cow<'_, str>; 3]> {
    let mut spellings = SmallVec::new();
    spellings.push(Cow::Borrowed(word));
    let plain = plain(word);
    if let Cow::Owned(shorter) = without_e(&plain) {
        spellings.push(Cow::Owned(shorter));
    }
    if let Cow::Owned(plain) = plain {
        spellings.push(Cow::Owned(plain));
    }
    spellings
}

/// A word without the marks of its letters.
pub(super) fn plain(word: &str) -> Cow<'_, str> {
    match word.is_ascii() {
        true => Cow::Borrowed(word),
        false => Cow::Owned(plain_letters(word.chars())),
    }
}

/// A label as one word, without the marks of its letters.
pub(super) fn joined(label: &str) -> Cow<'_, str> {
    let plain = plain(label);
    match plain.contains(SEPARATORS) {
        true => Cow::Owned(plain.replace(SEPARATORS, "")),
        false => plain,
    }
}

/// A word without the `e` that German writes for two dots.
fn without_e(word: &str) -> Cow<'_, str> {
    const WRITTEN_OUT: [(&str, &str); 3] = [("ae", "a"), ("oe", "o"), ("ue", "u")];
    match word.as_bytes().windows(2).any(|pair| matches!(pair, [b'a' | b'o' | b'u', b'e'])) {
        true => WRITTEN_OUT
            .iter()
            .fold(word.to_owned(), |word, (pair, letter)| word.replace(pair, letter))
            .into(),
        false => Cow::Borrowed(word),
    }
}
