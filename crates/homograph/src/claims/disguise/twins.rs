//! Words of two scripts in which the letters of the second are there to be read as Latin ones.

use unicode_script::Script;
use uts58::unicode::ScriptOf as _;

use super::{Letter, small};
use crate::characters::reading::{are_twins, twins_in_capitals};
use crate::english;
use crate::protected::display_text::plain_letters;

/// Shorter words that lures are about. With a twin any other of three letters may be an abbreviation of its own language.
const LURES: [&str; 10] = ["doc", "due", "fax", "fee", "key", "new", "now", "pay", "pdf", "tax"];

/// Latin letters that are everyday letters of other scripts as well, in which people type them by
/// mistake.
const TYPED_FOR_OTHERS: &str = "ABCEHIKMNOPTXYZaceiopxy";

/// Whether letters read as one of [`LURES`] because those of another script are twins of Latin ones.
pub(super) fn is_lure(word: &[char]) -> bool {
    LURES.iter().any(|lure| word.len() == lure.len())
        && word.iter().all(|c| c.is_ascii_alphabetic() || is_latin_twin(*c))
        && LURES.contains(&&*plain_letters(word.iter().copied()))
}

fn is_latin_twin(c: char) -> bool {
    are_twins([small(c)], Script::Latin) || twins_in_capitals(c, Script::Latin)
}

/// Whether the letters of a second script are there to be read as Latin ones: all of them are
/// twins, and not all the others are twins of that script.
pub(super) fn imitates_latin(word: &[char]) -> bool {
    let is = |wanted| move |c: &&char| Letter::of(**c) == wanted;
    let mut foreign = word.iter().filter(is(Letter::Foreign));
    let Some(script) = word.iter().find(is(Letter::Foreign)).map(|c| c.script()) else {
        return false;
    };
    let ending = word.iter().filter(is(Letter::Plain)).all(char::is_ascii_uppercase)
        && word.iter().filter(is(Letter::Foreign)).all(|c| c.is_lowercase());
    let of_script = |c: &char| are_twins([small(*c)], script) || twins_in_capitals(*c, script);
    let typed = |c: &char| TYPED_FOR_OTHERS.contains(*c) && of_script(c);
    !ending
        && foreign.all(|c| is_latin_twin(*c))
        && (!word.iter().filter(is(Letter::Plain)).all(typed)
            || english::is_any_word(&plain_letters(word.iter().copied())))
}
