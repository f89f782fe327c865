//! Judges the characters of one label.
//!
//! | clause | item |
//! | --- | --- |
//! | UTS #39 §3.1 Identifier_Status, RFC 5892 §2 | `status::restricted` |
//! | UTS #39 §5.1 resolved script sets, §5.2 restriction levels | [`level`] |
//! | UTS #39 §5.3 mixed numbers | [`mixes_numbers`] |
//! | UTS #39 §5.4 optional detection: marks | `marks::abused` |
//! | UTS #46 mapping of styled letters | `compat` |

use smallvec::SmallVec;
use unicode_script::{Script, ScriptExtension};
use unicode_security::mixed_script::AugmentedScriptSet;

use super::label_context::{LabelContext, Role};
use super::native::is_foreign_letter;
use super::{marks, native, separators, status};
use crate::characters::cjk;
use crate::characters::letters::{self, Languages};
use crate::characters::properties::{augmented, is_canonical, nfkc};
use crate::characters::reading::{Shape, are_twins};
use crate::english;
use crate::verdict::RestrictionLevel;
use crate::verdict::{Findings, Reason, Verdict};
use uts58::unicode::hosts::numeral_zero;
use uts58::unicode::{ScriptOf as _, Traits, is_letter};

/// Everything that is found about the characters of a label.
pub(crate) fn examine(context: &LabelContext<'_>) -> Findings {
    let mut found = Findings::default();
    if context.spelling.is_ascii() && context.unicode.is_ascii() {
        return found;
    }
    // Most labels have none of the traits that the checks below need.
    let (any, last) = (context.chars.any(), context.chars.last());
    let plain = context.spelling == context.unicode && !any.is_styled();
    if !plain && let Some(verdict) = compat(context.spelling) {
        found.add(Reason::CompatForm, verdict);
    }
    let label = context.unicode;
    if label.is_ascii() || context.role == Role::Suffix {
        return found;
    }
    let mut add = |holds: bool, reason: Reason| {
        if holds {
            found.add(reason, reason.verdict());
        }
    };
    add(any.is_digit() && mixes_numbers(label), Reason::NumberMix);
    let stroke = last >= cjk::FIRST && cjk::stroke_beside_latin(label);
    add(stroke, Reason::SeparatorLookalike);
    // Readers of a native script know its words (`чэз.by`) and digits (`२०२४.भारत`).
    let known = || has_native_script(context) && !label.contains(|c: char| c.is_ascii_digit());
    add(context.chars.read_as_number() && !known(), Reason::DigitLookalike);
    let strange = context.chars.all().iter().any(|letter| is_foreign_letter(letter.c, context.tld));
    add(strange || is_of_no_language(context), Reason::TldLetter);
    let marks = || any.is_mark().then(|| marks::abused(context)).flatten();
    for (reason, verdict) in [
        (Reason::StatusRestricted, status::restricted(context)),
        (Reason::MixedScript, mixed(context)),
        (Reason::MarkAbuse, marks()),
        (Reason::WholeScript, whole_script(context)),
        (Reason::SeparatorLookalike, separators::deceives(context)),
    ] {
        verdict.into_iter().for_each(|verdict| found.add(reason, verdict));
    }
    found
}

/// A label below the required level misleads if, within one word, all letters of one script are
/// twins of letters of another: `раypal`, not `1c-бухгалтерия` or `หวย24hd`. Japanese marks in the
/// wrong place are no words either.
fn mixed(context: &LabelContext<'_>) -> Option<Verdict> {
    let (label, tld) = (context.unicode, context.tld);
    if context.chars.last() >= cjk::FIRST && cjk::out_of_place(label) {
        let plain = !label.contains(|c: char| c.is_ascii_alphanumeric());
        return Some(if plain { Verdict::Suspect } else { Verdict::Unsafe });
    }
    let single =
        context.level >= RestrictionLevel::SingleScript && context.chars.script().is_some();
    if single || !mixes_scripts(label, context.level) {
        return None;
    }
    let in_capitals = |word: &str| {
        let letters = || word.chars().filter(|c| is_letter(*c));
        letters().count() >= MIN_CAPITALS
            && letters().all(char::is_uppercase)
            && holds_twins(word, tld)
    };
    let spelled =
        (context.spelling != label).then(|| context.spelling.split('-')).into_iter().flatten();
    Some(
        if label.split('-').any(|word| holds_twins(word, tld)) || spelled.clone().any(in_capitals) {
            Verdict::Unsafe
        } else {
            Verdict::Suspect
        },
    )
}

/// Letters of a word in capitals, more of which are twins than small letters: shorter ones are
/// abbreviations.
const MIN_CAPITALS: usize = 3;

/// Whether all letters of other scripts in the word are twins of letters of one of its scripts: of
/// Latin, or of a script native to the top-level domain (`мoсква.рф`).
fn holds_twins(word: &str, tld: &str) -> bool {
    let own = |c: &char| is_letter(*c) && !matches!(c.script(), Script::Common | Script::Inherited);
    let mut scripts: SmallVec<[Script; 8]> = SmallVec::new();
    for script in word.chars().filter(own).map(|c| c.script()) {
        if !scripts.contains(&script) {
            scripts.push(script);
        }
    }
    scripts.len() > 1
        && scripts.iter().any(|script| {
            let native = *script == Script::Latin || native::is_native(*script, tld);
            native && are_twins(word.chars().filter(own).filter(|c| c.script() != *script), *script)
        })
}

/// UTS #39 §4.1, for scripts that are not native to the top-level domain. Ordinary words that read
/// as nonsense by our own judgement (`спорт.com`, `сахар.com`) are a notice; short words and those
/// that read as English are suspect. Whether the label resembles a name is judged by `target`.
/// Below a registrable label only exact twins count.
fn whole_script(context: &LabelContext<'_>) -> Option<Verdict> {
    if has_native_script(context) {
        return None;
    }
    let shape = context.chars.read_as_latin()?;
    let word = context.chars.len() >= WORD;
    match shape {
        Shape::Exact if word => {
            let nonsense = is_long_word(context.unicode) && !english::has_twin_word(context.chars);
            Some(if nonsense { Verdict::Notice } else { Verdict::Suspect })
        }
        Shape::Same if word && context.role == Role::Registrable => {
            let nonsense = is_long_word(context.unicode) && !english::reads_as_word(context.chars);
            Some(if nonsense { Verdict::Notice } else { Verdict::Suspect })
        }
        _ => Some(Verdict::Notice),
    }
}

/// Letters that a label must have to be a word made of twins; shorter ones are abbreviations.
const WORD: usize = 2;

/// Whether a label can be a word of an alphabet and no abbreviation, as any two or three letters
/// may be in Latin. Where vowels are marks, a row of bare letters is rarely a word.
fn is_long_word(label: &str) -> bool {
    let alphabet = |c: char| {
        matches!(
            c.script(),
            Script::Armenian | Script::Cyrillic | Script::Georgian | Script::Greek | Script::Hebrew
        )
    };
    label.chars().count() > ABBREVIATION
        && label.chars().find(|c| is_letter(*c)).is_some_and(alphabet)
}

/// Letters of an abbreviation at most.
const ABBREVIATION: usize = 3;

/// Verdict on styled letters and width forms in the raw spelling; `None` if there are none. No
/// legitimate host has styled ASCII; ligatures and presentation forms come from PDF files, digraphs
/// from keyboards.
fn compat(spelling: &str) -> Option<Verdict> {
    spelling.chars().filter_map(compat_char).max()
}

pub(super) fn compat_char(c: char) -> Option<Verdict> {
    if c.is_ascii() || !Traits::of(c).is_styled() || super::form::is_dot(c) {
        return None;
    }
    // What keyboards of Armenian, Thai and Lao write as one character.
    if matches!(c, 'և' | '\u{e33}' | '\u{eb3}' | 'ໜ' | 'ໝ') {
        return None;
    }
    let (mut count, mut is_ascii, mut is_word) = (0, true, false);
    for plain in nfkc(c) {
        count += 1;
        is_ascii &= plain.is_ascii();
        is_word |= plain.is_ascii_alphanumeric();
    }
    // A canonical equivalent is only another spelling (`Å` for Å), except the Kelvin sign: a `K`
    // that hides a name from searches.
    if !is_ascii && is_canonical(c) {
        return None;
    }
    // ĳ, ǆ and similar are two letters of a language on one key.
    let digraph = c < '\u{250}' && count > 1;
    // `CO₂` and `m²` lead to what everybody reads; `¹` and `⁰` pass for letters.
    let raised = matches!(c, '²' | '³' | '\u{2074}'..='\u{2079}' | '\u{2082}'..='\u{2089}');
    let harmless = digraph
        || raised
        || matches!(u32::from(c), 0xff01..=0xffef | 0x3000 | 0xfb00..=0xfb06)
        || !is_word;
    Some(if harmless { Verdict::Notice } else { Verdict::Unsafe })
}

/// The restriction level of a label (UTS #39 §5.2), or any level above `enough` as soon as it is known to be above.
/// Identifier_Status is judged separately.
fn level(label: &str, enough: RestrictionLevel) -> RestrictionLevel {
    if label.is_ascii() {
        return RestrictionLevel::AsciiOnly;
    }
    let mut all = AugmentedScriptSet::default();
    let mut but_latin = AugmentedScriptSet::default();
    let mut extended_latin = false;
    // ASCII digits and hyphens belong to every script.
    if label.contains(|c: char| c.is_ascii_alphabetic()) {
        all.intersect_with(augmented('a'));
    }
    for c in label.chars().filter(|c| !c.is_ascii()) {
        let set = augmented(c);
        all.intersect_with(set);
        if !set.base.contains_script(Script::Latin) {
            but_latin.intersect_with(set);
        }
        // No further letter makes the label one of a single script, or one that goes with Latin.
        if cfg!(feature = "shortcuts")
            && enough <= RestrictionLevel::HighlyRestrictive
            && !(but_latin.hanb || but_latin.jpan || but_latin.kore)
            && all.is_empty()
        {
            return RestrictionLevel::MinimallyRestrictive;
        }
        extended_latin |= c.script() == Script::Latin;
    }
    if !all.is_empty() {
        return RestrictionLevel::SingleScript;
    }
    // "Highly Restrictive" allows ASCII with Chinese, Japanese, Korean; other Latin letters are a
    // mixture there.
    if but_latin.hanb || but_latin.jpan || but_latin.kore {
        return match extended_latin {
            false => RestrictionLevel::HighlyRestrictive,
            true => RestrictionLevel::ModeratelyRestrictive,
        };
    }
    let single = single_script(but_latin.base);
    match single {
        Some(script)
            if script.is_recommended() && !matches!(script, Script::Cyrillic | Script::Greek) =>
        {
            RestrictionLevel::ModeratelyRestrictive
        }
        _ => RestrictionLevel::MinimallyRestrictive,
    }
}

fn single_script(set: ScriptExtension) -> Option<Script> {
    if set.len() == 1 { set.iter().next() } else { None }
}

/// Whether a text, which is a label or a segment of a path (S22), fails the required restriction
/// level.
pub fn mixes_scripts(text: &str, level_required: RestrictionLevel) -> bool {
    let passes = level_required >= RestrictionLevel::SingleScript && is_of_one_script(text);
    !passes && level(text, level_required) > level_required
}

/// Whether all characters are of one script, ASCII other than letters left out. Most words are, and
/// then it does not matter which other scripts share their letters.
fn is_of_one_script(text: &str) -> bool {
    let mut all = None;
    text.chars().filter(|c| !c.is_ascii() || c.is_ascii_alphabetic()).all(|c| {
        let script = c.script();
        !matches!(script, Script::Common | Script::Inherited | Script::Unknown)
            && *all.get_or_insert(script) == script
    })
}

/// UTS #39 §5.3: decimal digits of more than one system.
pub(super) fn mixes_numbers(label: &str) -> bool {
    let mut zeros = label.chars().filter_map(numeral_zero);
    zeros.next().is_some_and(|first| zeros.any(|zero| zero != first))
}

/// Whether no single language has all Latin letters of the label in its main alphabet
/// (`myethęrwałłet`), nor any language of the top-level domain uses all of them; or no single
/// language uses all Cyrillic letters.
fn is_of_no_language(context: &LabelContext<'_>) -> bool {
    let (label, tld, script) = (context.unicode, context.tld, context.chars.script());
    let may_be = |of: Script| script.is_none_or(|script| script == of);
    let cyrillic = || label.chars().filter(|c| c.script() == Script::Cyrillic);
    if may_be(Script::Cyrillic) && letters::are_of_no_cyrillic_language(cyrillic()) {
        return true;
    }
    if !may_be(Script::Latin) {
        return false;
    }
    let strange = |c: &char| !c.is_ascii() && c.script() == Script::Latin;
    let latin = || label.chars().filter(strange).filter(|c| !native::is_native_letter(*c, tld));
    let shared = latin().fold(Languages::EVERY, |shared, c| shared.and(letters::main(c)));
    let home = || latin().fold(letters::of_tld(tld), |home, c| home.and(letters::all(c)));
    shared.is_empty() && home().is_empty()
}

/// Whether the script of the label's letters is native to the TLD.
fn has_native_script(context: &LabelContext<'_>) -> bool {
    let one = context.chars.script().map(|script| native::is_native(script, context.tld));
    one.unwrap_or_else(|| is_native_label(context.unicode, context.tld))
}

/// The same for a label without [`LabelContext`].
pub(super) fn is_native_label(label: &str, tld: &str) -> bool {
    let mut before = None;
    label
        .chars()
        .map(|c| c.script())
        .filter(|script| !matches!(script, Script::Common | Script::Inherited))
        // Most labels are of one script.
        .filter(|script| before.replace(*script) != Some(*script))
        .all(|script| native::is_native(script, tld))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_has_the_scripts_that_the_data_say() {
        for c in ('\0'..='\x7f').map(augmented) {
            let every = AugmentedScriptSet::default() == c;
            assert!(every || c == augmented('a'), "{c:?}");
        }
    }

    /// UAX #24 §2.9: so all characters of a text of one script have it in common, whatever other
    /// scripts share its letters.
    #[test]
    fn a_script_is_among_the_scripts_of_its_characters() {
        let none = [Script::Common, Script::Inherited, Script::Unknown];
        for c in ('\0'..=char::MAX).filter(|c| !none.contains(&c.script())) {
            let of_one = augmented(c).base.contains_script(c.script());
            assert!(of_one, "{c:?}");
        }
        let single = RestrictionLevel::SingleScript;
        for text in ["отчёт", "مثال", "ひらがな", "münchen", "abc-1"] {
            assert!(!mixes_scripts(text, single) && level(text, single) <= single, "{text}");
        }
        assert!(mixes_scripts("отчёт", RestrictionLevel::AsciiOnly));
        assert!(mixes_scripts("\u{378}", single) && level("\u{378}", single) > single);
        assert!(mixes_scripts("раypal", RestrictionLevel::default()));
    }

    #[test]
    fn a_number_makes_no_abbreviation_of_a_word() {
        for label in ["аптека", "аптека24", "1-аптека", "24аптека"] {
            assert!(is_long_word(label), "{label}");
        }
        for label in ["тур", "2024", "1-ไทย"] {
            assert!(!is_long_word(label), "{label}");
        }
    }

    #[test]
    fn forms_of_letters() {
        for (spelling, verdict) in [
            ("𝘄𝗮𝗸𝗲", Some(Verdict::Unsafe)),
            ("ⓟaypal", Some(Verdict::Unsafe)),
            ("faceboo\u{212a}", Some(Verdict::Unsafe)),
            ("ｐａｙｐａｌ", Some(Verdict::Notice)),
            ("oﬃce", Some(Verdict::Notice)),
            ("Ångström", None),
            ("mĳn", Some(Verdict::Notice)),
            ("straße", None),
            ("բարև", None),
            ("ໜັງສື", None),
            ("ໝໍ", None),
            ("paypal", None),
        ] {
            assert_eq!(compat(spelling), verdict, "{spelling}");
        }
    }
}
