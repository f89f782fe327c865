//! Properties that judging hosts needs.

use super::Traits;
use super::host_table::{ALLOWED_SYMBOLS, ZEROS};

/// The zero of the system of decimal digits that the character belongs to; `None` when it is no
/// decimal digit.
pub fn numeral_zero(c: char) -> Option<char> {
    if !Traits::of(c).is_digit() {
        return None;
    }
    let after = ZEROS.partition_point(|zero| *zero <= c);
    let zero = ZEROS.get(after.checked_sub(1)?)?;
    (u32::from(c) - u32::from(*zero) < 10).then_some(*zero)
}

/// Whether UTS #46 leaves the character as it is, beside whatever stable one: unified ideographs,
/// kana without loose voicing marks, Hangul syllables.
pub fn is_stable(c: char) -> bool {
    matches!(c,
        '一'..='\u{9FFF}' | 'ぁ'..='ゖ' | 'ァ'..='ヺ' | 'ー' | '々' | '가'..='힣' | '㐀'..='\u{4DBF}')
}

/// Whether UTS #46 leaves the character as it is, beside whatever others of which this says so and beside
/// small letters, digits and hyphens of ASCII. Most letters of most names are such; there are more.
pub fn is_settled(c: char) -> bool {
    match c {
        'ぁ'.. => is_stable(c),
        '\u{df}'..='\u{24f}' => {
            let at = u32::from(c) - 0xdf;
            SMALL_LATIN.get((at / 64) as usize).is_some_and(|word| word >> (at % 64) & 1 == 1)
        }
        'ά'..='ώ' | 'а'..='џ' | 'ա'..='ֆ' | 'ა'..='ჰ' => true,
        _ => is_stable(c),
    }
}

/// Whether a sign beyond ASCII reads as one that ends a host (`/ \ ? # >`), by confusables.txt.
pub fn ends_host_to_a_reader(c: char) -> bool {
    c > '\u{2C2}' && ENDS_HOST.binary_search(&c).is_ok()
}

/// Those signs. [`homograph`](https://docs.rs/homograph) has the data, and tests them against it.
const ENDS_HOST: [char; 42] = [
    '˃',
    '᜵',
    '›',
    '⁁',
    '⁄',
    '⁇',
    '∕',
    '∖',
    '≫',
    '⋙',
    '⑊',
    '╱',
    '╲',
    '❯',
    '⟋',
    '⟍',
    '⧵',
    '⧸',
    '⧹',
    '⨠',
    '⫻',
    '⫽',
    '⳹',
    '⼂',
    '⼃',
    '㇒',
    '㇓',
    '㇔',
    '︖',
    '﹖',
    '﹟',
    '﹥',
    '﹨',
    '＃',
    '／',
    '＞',
    '？',
    '＼',
    '\u{1D20F}',
    '\u{1D237}',
    '\u{1D23A}',
    '\u{1D23B}',
];

/// Small Latin letters from U+00DF on that UTS #46 leaves as they are, a bit each.
const SMALL_LATIN: [u64; 6] = [
    0x5555_5555_ffff_ffff,
    0x5555_52a8_ab45_5555,
    0x9c48_6252_a955_5555,
    0x6aaa_801f_dca2_5a54,
    0x5555_5555_5443_5555,
    0x0001_550b_27f5_5555,
];

/// Combining marks (General_Category M).
pub fn is_mark(c: char) -> bool {
    Traits::of(c).is_mark()
}

/// Whether UTS #39 allows the character, though it is neither letter, mark nor digit.
pub fn is_allowed_symbol(c: char) -> bool {
    ALLOWED_SYMBOLS.binary_search(&c).is_ok()
}

/// Bidi_Control: characters that change the direction of text and are not seen.
pub fn is_bidi_control(c: char) -> bool {
    matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

/// ZWNJ and ZWJ (RFC 5892 A.1, A.2).
pub fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

/// Characters that turn the text round them or are not seen: bidi controls, joiners, soft hyphens, tag
/// characters, fillers, variation selectors, line and paragraph separators.
pub fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
        | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

#[cfg(test)]
mod tests {
    use idna::uts46::{AsciiDenyList, Hyphens, Uts46};
    use proptest::prelude::*;

    use super::*;

    fn mapped(text: &str) -> Option<String> {
        let (mapped, result) =
            Uts46::new().to_unicode(text.as_bytes(), AsciiDenyList::EMPTY, Hyphens::Allow);
        result.is_ok().then(|| mapped.into_owned())
    }

    #[test]
    fn settled_characters_are_left_as_they_are() {
        for c in '\u{80}'..=char::MAX {
            let text = c.to_string();
            let same = mapped(&text).as_ref() == Some(&text);
            assert!(same || !is_settled(c), "{c}");
            assert!(!is_settled(c) || !Traits::of(c).is_right_to_left() && !is_mark(c), "{c}");
            if ('\u{df}'..='\u{24f}').contains(&c) {
                assert_eq!(is_settled(c), same, "{c}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

        #[test]
        fn settled_characters_settle_their_neighbours(
            label in "[a-z0-9\\-_ß-ɏά-ώа-џա-ֆა-ჰ一-丂ぁ-ゖァ-ヺー々가-힣]{1,12}",
        ) {
            let settled = label.chars().all(|c| c.is_ascii() || is_settled(c));
            if settled && !label.starts_with("xn--") {
                prop_assert_eq!(mapped(&label), Some(label));
            }
        }
    }

    #[test]
    fn numerals_know_their_zero() {
        assert_eq!(numeral_zero('7'), Some('0'));
        assert_eq!(numeral_zero('৭'), Some('০'));
        assert_eq!(numeral_zero('a'), None);
        assert_eq!(numeral_zero('\0'), None);
    }
}
