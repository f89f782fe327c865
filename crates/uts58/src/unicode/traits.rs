//! Properties for judging each character of a host, in one look-up.
//!
//! The crates with these data search tables, and for some scripts scan lists of letters: thousands
//! of instructions for a few properties of one name.

use unicode_script::Script;

use super::Staged;
use super::traits_table::SCRIPTS;

/// The properties of all characters: the script in the lower byte, then the bits of [`Traits`].
static TRAITS: Staged = Staged::new(&NUMBERS);
static NUMBERS: [u16; FILE.len() / 2] = Staged::numbers(FILE);
const FILE: &[u8] = include_bytes!("../../data/traits.bin");

/// Properties of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits(u16);

impl Traits {
    const LETTER: u16 = 1 << 8;
    const MARK: u16 = 1 << 9;
    const DIGIT: u16 = 1 << 10;
    const RIGHT_TO_LEFT: u16 = 1 << 11;
    const RESTRICTED: u16 = 1 << 12;
    const COMPOSED: u16 = 1 << 13;
    const STYLED: u16 = 1 << 14;
    const SETTLED: u16 = 1 << 15;

    /// No property, and the script of unassigned characters.
    pub const NONE: Traits = Traits(0);

    /// The properties of the character.
    #[inline]
    pub fn of(c: char) -> Traits {
        Traits(TRAITS.of(c))
    }

    /// The same for tables that the compiler makes.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) const fn constant(c: char) -> Traits {
        Traits(TRAITS.constant(c))
    }

    /// Script (UAX #24).
    #[inline]
    pub fn script(self) -> Script {
        let [at, _] = self.0.to_le_bytes();
        SCRIPTS.get(usize::from(at)).copied().unwrap_or(Script::Unknown)
    }

    /// Alphabetic, as [`char::is_alphabetic`] says.
    #[inline]
    pub fn is_letter(self) -> bool {
        self.0 & Traits::LETTER != 0
    }

    /// A combining mark (General_Category M).
    #[inline]
    pub fn is_mark(self) -> bool {
        self.0 & Traits::MARK != 0
    }

    /// A decimal digit of some script (General_Category Nd).
    #[inline]
    pub fn is_digit(self) -> bool {
        self.0 & Traits::DIGIT != 0
    }

    /// Right-to-left, or a number in right-to-left text (Bidi_Class R, AL, AN).
    #[inline]
    pub fn is_right_to_left(self) -> bool {
        self.0 & Traits::RIGHT_TO_LEFT != 0
    }

    /// Not allowed in identifiers (UTS #39 §3.1 Identifier_Status).
    #[inline]
    pub fn is_restricted(self) -> bool {
        self.0 & Traits::RESTRICTED != 0
    }

    /// Has a canonical decomposition (UAX #15): NFD changes it.
    #[inline]
    pub fn is_composed(self) -> bool {
        self.0 & Traits::COMPOSED != 0
    }

    /// Compatibility composition (NFKC) changes it: a letter in another style, a ligature.
    #[inline]
    pub fn is_styled(self) -> bool {
        self.0 & Traits::STYLED != 0
    }

    /// A letter or mark beyond ASCII that UTS #46 leaves unchanged beside other such characters and
    /// ASCII: it is not composed with the one before and not reordered, except for marks in a row.
    /// What a label may begin with, and the rule for right-to-left labels (RFC 5893), are separate
    /// questions.
    #[inline]
    pub const fn is_settled(self) -> bool {
        self.0 & Traits::SETTLED != 0
    }

    /// The union of both; the script in it is meaningless.
    #[must_use]
    #[inline]
    pub fn or(self, other: Traits) -> Traits {
        Traits((self.0 | other.0) & 0xff00)
    }
}

/// The script of a character.
pub trait ScriptOf {
    /// The value of the property Script (UAX #24).
    fn script(&self) -> Script;
}

impl ScriptOf for char {
    #[inline]
    fn script(&self) -> Script {
        Traits::of(*self).script()
    }
}

/// Whether the character is a letter, as [`char::is_alphabetic`] says.
#[inline]
pub fn is_letter(c: char) -> bool {
    Traits::of(c).is_letter()
}

/// Whether the character is a letter or a number, as [`char::is_alphanumeric`] says, which scans a
/// list of letters for a thousand steps.
#[inline]
pub fn is_alphanumeric(c: char) -> bool {
    match c.is_ascii() {
        true => c.is_ascii_alphanumeric(),
        false => is_letter(c) || c.is_numeric(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fmt::Write as _;
    use std::iter::once;

    use idna::uts46::{AsciiDenyList, Hyphens, Uts46};
    use unicode_bidi::BidiClass;
    use unicode_normalization::char::{canonical_combining_class, is_combining_mark};
    use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};
    use unicode_script::UnicodeScript;
    use unicode_security::GeneralSecurityProfile;

    use super::*;
    use crate::generated::checked_in;
    use crate::unicode::host_table::ZEROS;

    #[test]
    fn traits_are_those_of_the_data() {
        let (scripts, traits) = written();
        checked_in("src/unicode/traits_table.rs", scripts.as_bytes());
        checked_in("data/traits.bin", &traits);
        for c in '\0'..=char::MAX {
            assert_eq!(ScriptOf::script(&c), UnicodeScript::script(&c), "{c:?}");
            assert_eq!(Traits::of(c).0 & 0xff00, flags(c), "{c:?}");
            assert_eq!(is_alphanumeric(c), c.is_alphanumeric(), "{c:?}");
        }
    }

    fn flags(c: char) -> u16 {
        let is_zero = |zero: &char| (0..10).contains(&(c as i64 - *zero as i64));
        let right = [BidiClass::R, BidiClass::AL, BidiClass::AN];
        [
            (c.is_alphabetic(), Traits::LETTER),
            (is_combining_mark(c), Traits::MARK),
            (ZEROS.iter().any(is_zero), Traits::DIGIT),
            (right.contains(&unicode_bidi::bidi_class(c)), Traits::RIGHT_TO_LEFT),
            (!c.identifier_allowed(), Traits::RESTRICTED),
            (!once(c).nfd().eq([c]), Traits::COMPOSED),
            (!once(c).nfkc().eq([c]), Traits::STYLED),
            (is_settled(c), Traits::SETTLED),
        ]
        .into_iter()
        .fold(0, |all, (is, flag)| if is { all | flag } else { all })
    }

    /// The combining classes (UAX #15) that a label may have in a row: none, viramas, and the
    /// vowels and tones of Thai and Lao.
    const ORDERED: [u8; 6] = [0, 9, 103, 107, 118, 122];

    fn is_settled(c: char) -> bool {
        let letter = c.is_alphabetic() || is_combining_mark(c);
        let right = [BidiClass::R, BidiClass::AL].contains(&unicode_bidi::bidi_class(c));
        let turned = unicode_bidi::bidi_class(c) == BidiClass::AN || right && is_combining_mark(c);
        // No label begins with a mark.
        let label = if right { format!("{c}") } else { format!("a{c}") };
        let (mapped, result) =
            Uts46::new().to_unicode(label.as_bytes(), AsciiDenyList::EMPTY, Hyphens::Allow);
        !c.is_ascii()
            && letter
            && !turned
            && is_nfc_quick(once(c)) == IsNormalized::Yes
            && ORDERED.contains(&canonical_combining_class(c))
            && result.is_ok()
            && mapped == label
    }

    /// The source of the scripts and the file of the properties.
    fn written() -> (String, Vec<u8>) {
        let mut scripts = BTreeMap::new();
        let mut all = vec![0; (u32::from(char::MAX) + 1) as usize];
        for c in '\0'..=char::MAX {
            let next = scripts.len();
            let script = UnicodeScript::script(&c);
            let (_, at) = *scripts.entry(format!("{script:?}")).or_insert((script, next));
            all[c as usize] = flags(c) | u16::try_from(at).unwrap();
        }
        let mut names: Vec<_> = scripts.iter().map(|(name, (_, at))| (at, name)).collect();
        names.sort_unstable();
        let names: Vec<_> = names.into_iter().map(|(_, name)| format!("Script::{name}")).collect();
        let mut out = format!("{HEAD}pub(super) static SCRIPTS: [Script; {}] = [\n", names.len());
        for row in names.chunks(4) {
            let _ = writeln!(out, "    {},", row.join(", "));
        }
        (out + "];\n", Staged::file(&all))
    }

    const HEAD: &str = "\
// Generated by `UPDATE=1 cargo test -p uts58 traits_are_those`; not for editing.

//! The scripts by their numbers in `data/traits.bin`.

use unicode_script::Script;

#[rustfmt::skip]
";
}
