//! Words that are made to be taken for a name by more than a letter that was changed: pairs of
//! letters read as one, and letters changed alike; beside those that are one letter away (`near`).

use super::host_words::{MIN_BRAND_IN_LABEL, SEPARATORS, is_filler, spelled};
use crate::Context;
use crate::protected::name::Name;
use crate::protected::names::Names;
use crate::protected::near::{MIN_LETTERS, read_with_pair};
use crate::protected::organisations::Organisations;

/// The only word of the label that is no filler, if there is exactly one beside fillers.
fn distinctive_word<'l>(label: &'l str, table: Option<&Organisations>) -> Option<&'l str> {
    let mut words = label.split(SEPARATORS).filter(|word| !is_filler(word, table));
    words.next().filter(|_| words.next().is_none())
}

/// The name that a chosen label is a slip of: the whole label, or its only word that is no filler.
pub(super) fn slip<'n>(label: &str, names: &'n Names, context: &Context<'_>) -> Option<&'n Name> {
    let word = distinctive_word(label, context.protected.organisations())
        .filter(|word| word.len() < label.len());
    let mut words = [Some(label), word].into_iter().flatten();
    words.find_map(|word| misspelled(word, names, context))
}

/// The name that a word of ASCII is made to be taken for, unless readers know it by itself.
pub(crate) fn misspelled<'n>(
    word: &str,
    names: &'n Names,
    context: &Context<'_>,
) -> Option<&'n Name> {
    let lists = || [context.own, context.protected].into_iter().flat_map(Names::known);
    let names_of = |word: &str| context.own.has_label(word) || context.protected.has_label(word);
    let known = |word: &str| names_of(word) || lists().any(|list| list.has_label(word));
    let slip = names.slip(word.as_bytes()).or_else(|| with_pair(word.as_bytes(), names));
    slip.or_else(|| made_alike(word, names)).filter(|_| !known(word))
}

/// The name that a word is, once two letters are read as one: `clropbox`, `nnicrosoft`. In short names
/// only those that read as a `d`.
fn with_pair<'n>(word: &[u8], names: &'n Names) -> Option<&'n Name> {
    if word.len() <= MIN_BRAND_IN_LABEL {
        return None;
    }
    let may_be = names.may_share_edge(word);
    read_with_pair(word, |one| may_be || one == b'd').find_map(|read| spelled(&read, names))
}

/// The name that a word has the look of, or has with a `q` for each `p`, though more than one letter
/// differs: `qooqle`, `whatsaqq`.
fn made_alike<'n>(word: &str, names: &'n Names) -> Option<&'n Name> {
    let alike = spelled(word, names).filter(|name| several_differ(word, name));
    let name = alike.or_else(|| with_p(word.as_bytes(), names))?;
    (name.brand_len() >= MIN_LETTERS).then_some(name)
}

/// Whether a word of the name's length has other letters in several places: one may be chance (`postni`).
fn several_differ(word: &str, name: &Name) -> bool {
    let brand = name.label();
    let differ = |(one, two): &(u8, u8)| !one.eq_ignore_ascii_case(two);
    word.len() == brand.len() && word.bytes().zip(brand.bytes()).filter(differ).nth(1).is_some()
}

/// The name that a word is with a `p` for each `q`.
fn with_p<'n>(word: &[u8], names: &'n Names) -> Option<&'n Name> {
    if !word.iter().any(|byte| byte | 0x20 == b'q') {
        return None;
    }
    let word = String::from_utf8_lossy(word).to_ascii_lowercase();
    spelled(&word.replace('q', "p"), names)
}

/// Whether a word may be such a one that has not the look of the name.
pub(super) fn may_be_alike(word: &[u8], names: &Names) -> bool {
    with_pair(word, names).is_some() || with_p(word, names).is_some()
}
