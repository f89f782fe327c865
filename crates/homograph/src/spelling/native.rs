//! Which top-level domains a script or a letter is native to: those whose readers know it.

use std::ops::RangeInclusive;

use unicode_script::Script;
use uts58::unicode::ScriptOf as _;

/// Country-code domains where the script is that of an official language. A TLD spelled in the
/// script itself is native as well ([`is_native`]).
const NATIVE_TLDS: &[(Script, &[&str])] = &[
    (
        Script::Arabic,
        &[
            "ae", "af", "bh", "dj", "dz", "eg", "iq", "ir", "jo", "km", "kw", "lb", "ly", "ma",
            "mr", "om", "pk", "ps", "qa", "sa", "sd", "so", "sy", "td", "tn", "ye",
        ],
    ),
    (Script::Adlam, &["bf", "cm", "gm", "gn", "ml", "mr", "ne", "ng", "sl", "sn"]),
    (Script::Armenian, &["am"]),
    (Script::Bengali, &["bd", "in"]),
    (
        Script::Cyrillic,
        &[
            "ba", "bg", "by", "kg", "kz", "md", "me", "mk", "mn", "rs", "ru", "su", "tj", "tm",
            "ua", "uz",
        ],
    ),
    (Script::Canadian_Aboriginal, &["ca"]),
    (Script::Cherokee, &["us"]),
    (Script::Devanagari, &["in", "np"]),
    (Script::Ethiopic, &["er", "et"]),
    (Script::Georgian, &["ge"]),
    (Script::Greek, &["cy", "gr"]),
    (Script::Gujarati, &["in"]),
    (Script::Gurmukhi, &["in"]),
    (Script::Han, &["cn", "hk", "jp", "mo", "sg", "tw"]),
    (Script::Hangul, &["kp", "kr"]),
    (Script::Hebrew, &["il"]),
    (Script::Hiragana, &["jp"]),
    (Script::Kannada, &["in"]),
    (Script::Katakana, &["jp"]),
    (Script::Khmer, &["kh"]),
    (Script::Lao, &["la"]),
    (Script::Malayalam, &["in"]),
    (Script::Mongolian, &["cn", "mn"]),
    (Script::Myanmar, &["mm"]),
    (Script::Nko, &["ci", "gm", "gn", "ml"]),
    (Script::Ol_Chiki, &["in"]),
    (Script::Oriya, &["in"]),
    (Script::Sinhala, &["lk"]),
    (Script::Syriac, &["iq", "sy"]),
    (Script::Tamil, &["in", "lk", "my", "sg"]),
    (Script::Telugu, &["in"]),
    (Script::Thaana, &["mv"]),
    (Script::Thai, &["th"]),
    (Script::Tibetan, &["bt", "cn", "in"]),
    (Script::Tifinagh, &["dz", "ly", "ma", "ml", "ne"]),
    (Script::Vai, &["lr"]),
    (Script::Yi, &["cn"]),
];

/// Bytes of the top-level domain of a country.
const CODE: usize = 2;

/// Whether labels in this script are native to the TLD (U-label form).
pub(super) fn is_native(script: Script, tld: &str) -> bool {
    let home = || NATIVE_TLDS.iter().find(|(home, _)| *home == script);
    let listed = tld.len() == CODE && home().is_some_and(|(_, tlds)| tlds.contains(&tld));
    listed || tld.chars().any(|c| c.script() == script)
}

/// Countries where Berber is an official language, and with those whose languages are romanised
/// with the same dots.
const BERBER: &[&str] = &["dz", "ma"];
const BERBER_AND_INDIAN: &[&str] = &["dz", "in", "ma"];

/// Venda is an official language of South Africa.
const VENDA: &[&str] = &["za"];

/// Letters of few languages that elsewhere read as ASCII or as an accent, with the TLDs they are
/// native to; in the order of Unicode.
const LETTERS: &[(RangeInclusive<char>, &[&str])] = &[
    // Thorn and eth. `.eu` serves the European Economic Area, which includes Iceland.
    ('ð'..='ð', &["is", "fo", "eu"]),
    ('þ'..='þ', &["is", "fo", "eu"]),
    // Pinyin with tones, which only dictionaries write.
    ('\u{1cd}'..='\u{1dc}', &[]),
    ('ə'..='ə', &["az"]),
    // Latin Extended Additional up to the Vietnamese letters: scholarly transliterations, except
    // for Welsh, Igbo and Yoruba, Marshallese, the Berber languages, Venda, romanised Indian ones.
    ('\u{1e00}'..='\u{1e0b}', &[]),
    ('ḍ'..='ḍ', BERBER_AND_INDIAN),
    ('\u{1e0e}'..='\u{1e11}', &[]),
    ('ḓ'..='ḓ', VENDA),
    ('\u{1e14}'..='\u{1e23}', &[]),
    ('ḥ'..='ḥ', BERBER_AND_INDIAN),
    ('\u{1e26}'..='\u{1e35}', &[]),
    ('ḷ'..='ḷ', &["mh", "in"]),
    ('\u{1e38}'..='\u{1e3b}', &[]),
    ('ḽ'..='ḽ', VENDA),
    ('\u{1e3e}'..='\u{1e42}', &[]),
    ('ṃ'..='ṃ', &["mh", "in"]),
    ('ṅ'..='ṅ', &["ng", "mh", "in", "za"]),
    ('\u{1e46}'..='ṇ', &["ng", "mh", "in"]),
    ('\u{1e48}'..='\u{1e49}', &[]),
    ('ṋ'..='ṋ', VENDA),
    ('\u{1e4c}'..='\u{1e59}', &[]),
    ('ṛ'..='ṛ', BERBER_AND_INDIAN),
    ('\u{1e5c}'..='\u{1e61}', &[]),
    ('ṣ'..='ṣ', &["dz", "in", "ma", "ng"]),
    ('\u{1e64}'..='\u{1e6b}', &[]),
    ('ṭ'..='ṭ', BERBER_AND_INDIAN),
    ('\u{1e6e}'..='\u{1e6f}', &[]),
    ('ṱ'..='ṱ', VENDA),
    ('\u{1e72}'..='\u{1e7f}', &[]),
    ('ẁ'..='ẅ', &["uk", "wales", "cymru"]),
    ('\u{1e86}'..='\u{1e91}', &[]),
    ('ẓ'..='ẓ', BERBER),
    ('\u{1e94}'..='\u{1e9b}', &[]),
    // Polytonic Greek.
    ('\u{1f00}'..='\u{1fff}', &["gr", "cy", "ελ"]),
];

/// Whether the letter misleads under this TLD because no language there has it.
#[cfg_attr(not(target_family = "wasm"), inline)]
pub(super) fn is_foreign_letter(c: char, tld: &str) -> bool {
    native_tlds_of(c).is_some_and(|tlds| !tlds.contains(&tld))
}

/// Whether the letter is one of few languages, and native to this top-level domain.
pub(super) fn is_native_letter(c: char, tld: &str) -> bool {
    native_tlds_of(c).is_some_and(|tlds| tlds.contains(&tld))
}

#[cfg_attr(not(target_family = "wasm"), inline)]
fn native_tlds_of(c: char) -> Option<&'static [&'static str]> {
    // The large alphabets are outside these ranges.
    match c {
        '\u{f0}'..='\u{259}' | '\u{1e00}'..='\u{1fff}' => listed_tlds_of(c),
        _ => None,
    }
}

fn listed_tlds_of(c: char) -> Option<&'static [&'static str]> {
    let after = LETTERS.partition_point(|(letters, _)| *letters.start() <= c);
    let (letters, tlds) = after.checked_sub(1).and_then(|at| LETTERS.get(at))?;
    letters.contains(&c).then_some(*tlds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_few_languages_have_homes() {
        for (letter, tld) in [('ḓ', "za"), ('ṱ', "za"), ('ṅ', "za"), ('ṃ', "in"), ('ẓ', "ma")]
        {
            assert!(
                is_native_letter(letter, tld) && !is_foreign_letter(letter, tld),
                "{letter} {tld}"
            );
            assert!(
                !is_native_letter(letter, "com") && is_foreign_letter(letter, "com"),
                "{letter}"
            );
        }
        assert!(!is_native_letter('a', "za") && !is_foreign_letter('é', "za"));
    }

    #[test]
    fn letters_stand_in_order() {
        let ends = LETTERS.iter().flat_map(|(letters, _)| [letters.start(), letters.end()]);
        assert!(ends.is_sorted());
        let firsts: Vec<&char> = LETTERS.iter().map(|(letters, _)| letters.start()).collect();
        assert!(firsts.is_sorted_by(|one, next| one < next));
        let found = |c: char| LETTERS.iter().find(|(letters, _)| letters.contains(&c));
        for c in '\0'..=char::MAX {
            assert_eq!(native_tlds_of(c), found(c).map(|(_, tlds)| *tlds), "{c:?}");
        }
    }

    #[test]
    fn homes_have_the_length_of_codes() {
        assert!(NATIVE_TLDS.iter().flat_map(|(_, tlds)| *tlds).all(|tld| tld.len() == CODE));
        let mut scripts: Vec<_> =
            NATIVE_TLDS.iter().map(|(script, _)| format!("{script:?}")).collect();
        scripts.sort_unstable();
        assert!(scripts.is_sorted_by(|one, next| one < next), "a row a script");
    }
}
