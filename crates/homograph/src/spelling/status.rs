//! UTS #39 §3.1 Identifier_Status, graded by what reads the character, not only by the table.
//!
//! | clause | item |
//! | --- | --- |
//! | UTS #39 §3.1 Identifier_Status; RFC 5892 §2: only letters, marks, digits and the CONTEXTO exceptions | [`is_restricted`] |
//! | UTS #39 §3.1 Identifier_Type | [`grade`] |
//! | RFC 5892 A.1, A.2 joiners (S31) | [`joiner`] |

use unicode_script::Script;

use super::label_context::LabelContext;
use super::native::{is_native, is_native_letter};
use crate::characters::letters;
use crate::characters::properties::{is_of_limited_use, is_of_uncommon_use, nfd};
use crate::characters::reading::{CharReading, LabelChar};
use crate::verdict::Verdict;
use uts58::unicode::hosts::{is_allowed_symbol, is_joiner, is_mark};
use uts58::unicode::{ScriptOf as _, Traits, is_letter};

/// The verdict on the worst character of the label that identifiers should not contain.
pub(super) fn restricted(context: &LabelContext<'_>) -> Option<Verdict> {
    let label = context.unicode;
    let none = |letter: &LabelChar| !is_restricted_by(letter.c, letter.traits);
    if context.chars.all().iter().all(none) {
        return None;
    }
    let scripts = LetterScripts::of(label);
    let found = context.chars.iter().filter(|(c, _)| is_restricted(*c));
    found.filter_map(|(c, readings)| grade(c, readings, scripts, context.tld)).max()
}

/// Whether identifiers should not contain the character: by UTS #39 §3.1, or because IDNA2008 does
/// not allow it (RFC 5892 §2.1: punctuation and symbols), CONTEXTO aside.
pub(crate) fn is_restricted(c: char) -> bool {
    is_restricted_by(c, Traits::of(c))
}

/// The same with known properties.
fn is_restricted_by(c: char, traits: Traits) -> bool {
    if c.is_ascii() {
        return false;
    }
    traits.is_restricted()
        || !traits.is_letter() && !traits.is_mark() && is_allowed_symbol(c) && !is_contextual(c)
}

/// RFC 5892 §2.6 exceptions: letters in all but category, and characters that appendix A.3–A.7
/// allows in a context, which `separators` checks.
fn is_contextual(c: char) -> bool {
    matches!(
        c,
        '\u{b7}'
            | '\u{5f3}'
            | '\u{5f4}'
            | '\u{30fb}'
            | '\u{6fd}'
            | '\u{6fe}'
            | '\u{f0b}'
            | '\u{3007}'
    )
}

/// Scripts in which a joiner has no use and is only hidden.
pub(super) fn never_joins(script: Script) -> bool {
    matches!(script, Script::Latin | Script::Greek | Script::Cyrillic | Script::Armenian)
}

/// The scripts of the letters around a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LetterScripts {
    /// All letters of the label are of one script, or there are none.
    One(Option<Script>),
    /// Several scripts, Latin among them.
    Latin,
    /// Several scripts, Latin not among them.
    Mixed,
}

impl LetterScripts {
    fn of(label: &str) -> LetterScripts {
        let mut one: Option<Script> = None;
        let (mut latin, mut mixed) = (false, false);
        for script in label.chars().map(|c| c.script()) {
            if matches!(script, Script::Common | Script::Inherited) {
                continue;
            }
            latin |= script == Script::Latin;
            mixed |= one.is_some_and(|one| one != script);
            one = one.or(Some(script));
        }
        match (mixed, latin) {
            (false, _) => LetterScripts::One(one),
            (true, true) => LetterScripts::Latin,
            (true, false) => LetterScripts::Mixed,
        }
    }

    fn is_latin(self) -> bool {
        matches!(self, LetterScripts::Latin | LetterScripts::One(Some(Script::Latin)))
    }
}

fn grade(c: char, readings: &[CharReading], scripts: LetterScripts, tld: &str) -> Option<Verdict> {
    if is_joiner(c) {
        return joiner(scripts, tld);
    }
    let script = c.script();
    let looks = readings.iter().any(|reading| !reading.text.bytes().is_empty());
    if script == Script::Latin {
        return latin(c, looks, tld);
    }
    if is_mark(c) {
        return mark(c, scripts, tld);
    }
    if !is_letter(c) || matches!(script, Script::Common | Script::Inherited) {
        // Emoji and symbols; among Latin letters, one that looks like a letter is no ornament.
        return Some(if looks && scripts.is_latin() { Verdict::Unsafe } else { Verdict::Suspect });
    }
    match scripts {
        LetterScripts::One(Some(_))
            if is_in_use(c) && is_native(script, tld) || is_native_letter(c, tld) =>
        {
            // Letters that even their readers rarely see, and that read as others.
            let imitates = is_of_uncommon_use(c) && looks;
            imitates.then_some(Verdict::Suspect)
        }
        LetterScripts::One(_) if is_rare(c) => Some(Verdict::Notice),
        LetterScripts::Latin if looks => Some(Verdict::Unsafe),
        _ => Some(Verdict::Suspect),
    }
}

/// S31. UTS #46 already refused a label in which a joiner joins nothing.
fn joiner(scripts: LetterScripts, tld: &str) -> Option<Verdict> {
    match scripts {
        LetterScripts::One(Some(script)) if is_native(script, tld) => None,
        LetterScripts::One(Some(script)) if never_joins(script) => Some(Verdict::Unsafe),
        LetterScripts::Latin => Some(Verdict::Unsafe),
        _ => Some(Verdict::Notice),
    }
}

/// A letter of a living language is normal in its countries and a notice elsewhere; the others are
/// technical letters that look like others.
fn latin(c: char, looks: bool, tld: &str) -> Option<Verdict> {
    let languages = letters::all(c);
    let home = !languages.and(letters::of_tld(tld)).is_empty();
    // Other readers see clicks as bars and exclamation marks.
    let click = matches!(c, '\u{1c0}'..='\u{1c3}');
    if home {
        return None;
    }
    if !languages.is_empty() && !click {
        return Some(Verdict::Notice);
    }
    // A plain letter with an accent (`nigrȁd`) is rare; one that imitates another letter misleads.
    let accented = nfd([c]).len() > 1;
    Some(if looks && !accented { Verdict::Unsafe } else { Verdict::Suspect })
}

/// Points of a script on its own letters (pointed Hebrew and Yiddish); any other mark is technical.
fn mark(c: char, scripts: LetterScripts, tld: &str) -> Option<Verdict> {
    match scripts {
        LetterScripts::One(Some(script)) if c.script() == script => {
            if is_native(script, tld) {
                None
            } else {
                Some(Verdict::Suspect)
            }
        }
        _ => Some(Verdict::Unsafe),
    }
}

/// Letters that some language uses today.
fn is_in_use(c: char) -> bool {
    let limited = is_of_limited_use(c);
    limited || is_rare(c) || matches!(c.script(), Script::Yi | Script::Mongolian)
}

/// Rare letters, ideographs and jamo of scripts in wide use.
fn is_rare(c: char) -> bool {
    is_of_uncommon_use(c) || matches!(c.script(), Script::Han | Script::Hangul)
}

#[cfg(test)]
mod tests {
    use crate::tests::context;
    use crate::{Names, Verdict, judge};
    use uts58::tlds::TldTable;

    #[test]
    fn polytonic_greek_is_at_home_in_greece() {
        let (names, none) = (Names::builtin(), Names::default());
        let tlds = TldTable::new(["com", "cy", "gr", "ελ"], "");
        let verdict = |host: &str| judge(host, &context(&names, &none, &tlds)).verdict;
        for host in ["ὕδωρ.gr", "www.ἐκκλησία.gr", "ᾠδή.gr", "ἅγιος.ελ", "μοναστῆρι.com.cy"]
        {
            assert_eq!(verdict(host), Verdict::Ok, "{host}");
        }
        for host in ["ὕδωρ.com", "ὁpaypal.gr", "paypἀl.gr", "ἀррӏе.gr"] {
            assert!(verdict(host) >= Verdict::Suspect, "{host}");
        }
    }
}
