//! Combining marks: UTS #39 §5.4 "optional detection", and dots that turn another letter into an
//! `i`.

use unicode_script::{Script, ScriptExtension};

use super::form::{is_in_turkish_capitals, without_turkish_dots};
use super::label_context::LabelContext;
use crate::characters::properties::{extension, nfd};
use crate::verdict::{Reason, Verdict};
use uts58::unicode::hosts::is_mark;
use uts58::unicode::{ScriptOf as _, Traits};

/// Marks on one base at most. Vietnamese and Yoruba write two, Tibetan and Khmer stack more, so
/// this applies only to Latin, Greek and Cyrillic.
const STACKED: usize = 3;

/// The verdict if the label has marks that repeat, pile up, are on a letter of a foreign script,
/// cover the letter, or are invisible because the base already has the dot.
///
/// UTS #46 maps the capital `İ` to `i` with such a dot, so Turkish in capitals (`WWW.İSTANBUL.COM`)
/// and what programs write for it in lower case lead elsewhere than the writer means: reported, not
/// defanged. For a word in capitals, which
/// nobody takes for another, it is a notice.
pub(super) fn abused(context: &LabelContext<'_>) -> Option<Verdict> {
    if !are_abused(context.unicode) {
        return None;
    }
    // On letters of other scripts an additional mark is a typing error and visible.
    if !context.unicode.chars().any(takes_marks)
        && !context.unicode.contains(|c: char| c.is_ascii_alphanumeric())
    {
        return Some(Verdict::Suspect);
    }
    let plain = || context.unicode.replace("i\u{307}", "i");
    if without_turkish_dots(context.spelling).is_some() && !are_abused(&plain()) {
        let capitals = is_in_turkish_capitals(context.spelling);
        return Some(if capitals { Verdict::Notice } else { Verdict::Suspect });
    }
    Some(Reason::MarkAbuse.verdict())
}

fn are_abused(label: &str) -> bool {
    if are_regular(label) {
        return false;
    }
    let mut base: Option<char> = None;
    let mut last: Option<char> = None;
    let mut stacked = 0;
    // Most labels are decomposed already.
    let composed = label.chars().any(|c| Traits::of(c).is_composed());
    let mut canonical =
        (composed || has_marks_in_a_row(label)).then(|| nfd(label.chars()).into_iter());
    let mut plain = label.chars();
    while let Some(c) = canonical.as_mut().map_or_else(|| plain.next(), Iterator::next) {
        if !is_mark(c) {
            (base, last, stacked) = (Some(c), None, 0);
            continue;
        }
        stacked += 1;
        let Some(base) = base else { return true };
        if last == Some(c) || stray(base, c) || dots(base, c) || overlays(c) {
            return true;
        }
        if stacked > STACKED && takes_marks(base) {
            return true;
        }
        last = Some(c);
    }
    false
}

/// Whether every mark is alone on a letter of its own script, as usual where vowels are marks, and
/// none is beside a composed character, which is a letter by itself.
fn are_regular(label: &str) -> bool {
    let (mut before, mut marks, mut composed) = (Traits::NONE, false, false);
    for c in label.chars() {
        let traits = Traits::of(c);
        let base = std::mem::replace(&mut before, traits);
        composed |= traits.is_composed();
        if traits.is_mark() {
            marks = true;
            let script = traits.script();
            if base.is_mark() || base.script() != script || !has_marks_for_vowels(script) {
                return false;
            }
        }
    }
    !(marks && composed)
}

/// Scripts that have marks of their own: not Latin, Greek or Cyrillic.
fn has_marks_for_vowels(script: Script) -> bool {
    !matches!(
        script,
        Script::Latin
            | Script::Greek
            | Script::Cyrillic
            | Script::Common
            | Script::Inherited
            | Script::Unknown
    )
}

/// Whether marks are side by side: canonical decomposition may reorder them.
fn has_marks_in_a_row(label: &str) -> bool {
    let marks = label.chars().map(is_mark);
    marks.clone().zip(marks.skip(1)).any(|(one, next)| one && next)
}

fn takes_marks(base: char) -> bool {
    matches!(base.script(), Script::Latin | Script::Greek | Script::Cyrillic)
}

/// Whether the mark is on a letter of a script that does not use it (Script_Extensions), or is a
/// general diacritic on a script that has none.
fn stray(base: char, mark: char) -> bool {
    let script = mark.script();
    let own = !matches!(script, Script::Common | Script::Inherited | Script::Unknown);
    // A script is among the extensions of its characters.
    if own && base.script() == script {
        return false;
    }
    let of_mark = extension(mark);
    if of_mark.is_inherited() || of_mark.is_common() {
        return !takes_marks(base);
    }
    let base = extension(base);
    let shared = base.is_common() || !base.intersection(of_mark).is_empty();
    // Kana voicing marks do not extend to Common in the data, so ASCII digits take none.
    !shared || base.is_common() && !takes_digits(of_mark)
}

/// Whether marks of these scripts may be on digits and hyphens, unlike the keycap of emoji.
fn takes_digits(extension: ScriptExtension) -> bool {
    extension.contains_script(Script::Latin)
}

/// A dot above on a letter that has one, or any mark above a dotless letter: reads as `i`, `j`.
fn dots(base: char, mark: char) -> bool {
    match base {
        'i' | 'j' | 'l' | 'і' | 'ј' => mark == '\u{307}',
        'ı' | 'ȷ' => true,
        _ => false,
    }
}

/// Strokes through the letter (U+0334–0338): `a̸` reads as a slash.
fn overlays(mark: char) -> bool {
    matches!(mark, '\u{334}'..='\u{338}')
}
