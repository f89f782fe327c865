//! Properties for judging hosts.

use super::Traits;
use super::host_table::{ALLOWED_SYMBOLS, ZEROS};

/// The zero of the decimal digits that the character belongs to; `None` if it is no decimal digit.
pub fn numeral_zero(c: char) -> Option<char> {
    if !Traits::of(c).is_digit() {
        return None;
    }
    let after = ZEROS.partition_point(|zero| *zero <= c);
    let zero = ZEROS.get(after.checked_sub(1)?)?;
    (u32::from(c) - u32::from(*zero) < 10).then_some(*zero)
}

/// Whether UTS #46 leaves the character unchanged beside any other such character: unified
/// ideographs, kana without loose voicing marks, Hangul syllables.
pub fn is_stable(c: char) -> bool {
    matches!(c,
        '一'..='\u{9FFF}' | 'ぁ'..='ゖ' | 'ァ'..='ヺ' | 'ー' | '々' | '가'..='힣' | '㐀'..='\u{4DBF}')
}

/// Whether UTS #46 leaves the character unchanged beside any other such character and small
/// letters, digits and hyphens of ASCII: left-to-right letters that are no capitals, up to the
/// Hangul syllables, which covers most names.
#[inline]
pub fn is_settled(c: char) -> bool {
    is_kept(c) && !Traits::of(c).is_right_to_left()
}

/// The same for letters of either direction: UTS #46 leaves a label of them and ASCII unchanged, or refuses it.
#[inline]
pub fn is_kept(c: char) -> bool {
    let traits = Traits::of(c);
    let capital = matches!(c, '\u{13a0}'..='\u{13f5}');
    c <= '힣' && traits.is_settled() && !traits.is_mark() && !capital
}

/// A letter or mark of a name that UTS #46 leaves unchanged, and that has no capital in the label
/// for it.
#[cfg(any(test, target_family = "wasm"))]
#[inline]
fn is_settled_letter(c: char) -> bool {
    is_in_reach(c) && Traits::of(c).is_settled()
}

/// Whether such a letter may be it: not after Hangul, and no capital of Cherokee.
const fn is_in_reach(c: char) -> bool {
    c <= '힣' && !matches!(c, '\u{13a0}'..='\u{13f5}')
}

/// How many of these letters the bytes of UTF-8 begin with, and the length of them in bytes. Without those that are
/// deprecated: a link ends before them.
#[cfg(not(target_family = "wasm"))]
#[inline(never)]
pub(crate) fn settled_letters(bytes: &[u8]) -> (usize, usize) {
    let (mut count, mut rest) = (0, bytes);
    loop {
        rest = match *rest {
            [lead @ 0xE0..=0xEF, second, third, ref after @ ..]
                if is_in_row(usize::from(lead & 0xF) << 6 | usize::from(second & 0x3F), third) =>
            {
                after
            }
            [lead @ 0xC2..=0xDF, second, ref after @ ..]
                if is_in_row(usize::from(lead & 0x1F), second) =>
            {
                after
            }
            _ => return (count, bytes.len() - rest.len()),
        };
        count += 1;
    }
}

/// Those of the settled letters that have the property Deprecated.
#[cfg(not(target_family = "wasm"))]
const fn is_deprecated(c: char) -> bool {
    matches!(c, '\u{673}' | '\u{17a3}' | '\u{17a4}')
}

/// Code points that differ in the last byte of UTF-8 only.
#[cfg(not(target_family = "wasm"))]
const ROW: usize = 64;

/// Whether each character of two or three bytes is a settled letter, one bit each: letters follow one another in a
/// name, and this is the fastest to ask.
#[cfg(not(target_family = "wasm"))]
static SETTLED_LETTERS: [u64; 0x1_0000 / ROW] = {
    let mut rows = [0; 0x1_0000 / ROW];
    let mut c = '\0';
    while c <= '힣' {
        if is_in_reach(c) && !is_deprecated(c) && Traits::constant(c).is_settled() {
            #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
            {
                rows[c as usize / ROW] |= 1 << (c as usize % ROW);
            }
        }
        c = match char::from_u32(c as u32 + 1) {
            Some(next) => next,
            None => break,
        };
    }
    rows
};

/// Whether the letter with this last byte is one of the row.
#[cfg(not(target_family = "wasm"))]
#[inline(always)]
fn is_in_row(row: usize, last: u8) -> bool {
    SETTLED_LETTERS.get(row).is_some_and(|row| row >> (last & 0x3F) & 1 != 0)
}

/// The same on a web page, which the table would be too large for.
#[cfg(target_family = "wasm")]
pub(crate) fn settled_letters(bytes: &[u8]) -> (usize, usize) {
    let (mut count, mut at) = (0, 0);
    while let Some(length) = settled_letter(bytes.get(at..).unwrap_or_default()) {
        count += 1;
        at += length;
    }
    (count, at)
}

/// The length in bytes of the first character, if it is such a letter. Those of two and three bytes are read without a
/// branch.
#[cfg(any(test, target_family = "wasm"))]
#[inline(always)]
fn settled_letter(bytes: &[u8]) -> Option<usize> {
    let (a, b, c) = match *bytes {
        [a @ 0xC2..=0xED, b, c, ..] => (a, b, c),
        [a @ 0xC2..=0xDF, b] => (a, b, 0),
        _ => return None,
    };
    let is_long = a >= 0xE0;
    let code = u32::from(a & 0x1F) << 12 | u32::from(b & 0x3F) << 6 | u32::from(c & 0x3F);
    let c = char::from_u32(code >> if is_long { 0 } else { 6 })?;
    is_settled_letter(c).then_some(2 + usize::from(is_long))
}

/// Whether UTS #46 changes at most the case of ASCII in the label, as far as a fast test can tell:
/// it has only letters and marks with [`Traits::is_settled`], and letters, digits, hyphens and
/// underscores of ASCII. A right-to-left label has only such letters and digits, and begins with a
/// letter (RFC 5893 §2).
pub fn is_settled_label(label: &str) -> bool {
    let (mut right, mut left, mut order) = (false, false, 0);
    for (at, c) in label.char_indices() {
        if c.is_ascii() {
            left |= at == 0 || !c.is_ascii_digit();
            order = 0;
            if !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_')) {
                return false;
            }
            continue;
        }
        let traits = Traits::of(c);
        if !traits.is_settled() {
            return false;
        }
        let before = core::mem::replace(&mut order, if traits.is_mark() { class(c) } else { 0 });
        if order > 0 && (at == 0 || before > order) {
            return false;
        }
        right |= traits.is_right_to_left();
        left |= !traits.is_right_to_left();
    }
    !(left && right)
}

/// The canonical combining class of a settled mark (UAX #15): those of Thai and Lao have their own,
/// all others that of viramas.
fn class(mark: char) -> u8 {
    match mark {
        '\u{e38}' | '\u{e39}' => 103,
        '\u{e48}'..='\u{e4b}' => 107,
        '\u{eb8}' | '\u{eb9}' => 118,
        '\u{ec8}'..='\u{ecb}' => 122,
        _ => 9,
    }
}

/// Whether a sign beyond ASCII reads as one that ends a host (`/ \ ? # >`), by confusables.txt.
pub fn ends_host_to_a_reader(c: char) -> bool {
    c > '\u{2C2}' && ENDS_HOST.binary_search(&c).is_ok()
}

/// Those signs. [`homograph`](https://docs.rs/homograph) has the data and tests this list.
#[rustfmt::skip]
const ENDS_HOST: [char; 42] = [
    '˃', '᜵', '›', '⁁', '⁄', '⁇', '∕', '∖', '≫', '⋙', '⑊', '╱', '╲', '❯', '⟋', '⟍', '⧵', '⧸',
    '⧹', '⨠', '⫻', '⫽', '⳹', '⼂', '⼃', '㇒', '㇓', '㇔', '︖', '﹖', '﹟', '﹥', '﹨', '＃', '／', '＞',
    '？', '＼', '\u{1D20F}', '\u{1D237}', '\u{1D23A}', '\u{1D23B}',
];

/// Combining marks (General_Category M).
pub fn is_mark(c: char) -> bool {
    Traits::of(c).is_mark()
}

/// Whether UTS #39 allows the character although it is neither letter, mark nor digit.
pub fn is_allowed_symbol(c: char) -> bool {
    ALLOWED_SYMBOLS.binary_search(&c).is_ok()
}

/// Bidi_Control: invisible characters that change the direction of text.
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

/// Characters that change the direction of the text around them or are invisible: bidi controls,
/// joiners, soft hyphens, tag characters, fillers, variation selectors, line and paragraph
/// separators.
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
    fn settled_letters_are_read_alike() {
        for c in '\u{80}'..=char::MAX {
            let (one, two) = (c.to_string(), format!("{c}é"));
            let length = settled_letter(one.as_bytes());
            assert_eq!(length, is_settled_letter(c).then_some(c.len_utf8()), "{c}");
            let length = length.filter(|_| !is_deprecated(c));
            assert_eq!(
                settled_letters(one.as_bytes()),
                length.map_or((0, 0), |length| (1, length)),
                "{c}"
            );
            assert_eq!(
                settled_letters(two.as_bytes()),
                length.map_or((0, 0), |length| (2, length + 2)),
                "{c}"
            );
        }
    }

    #[test]
    fn settled_characters_are_left_as_they_are() {
        for c in '\u{80}'..=char::MAX {
            let text = c.to_string();
            let same = mapped(&text).as_ref() == Some(&text);
            assert!(same || !is_settled(c) && !is_settled_label(&text), "{c}");
            assert!(!is_settled(c) || !Traits::of(c).is_right_to_left() && !is_mark(c), "{c}");
            if is_stable(c) || ('\u{df}'..='\u{24f}').contains(&c) && super::super::is_letter(c) {
                assert_eq!(is_settled(c), same, "{c}");
            }
        }
        for label in [
            "उदाहरण",
            "हिन्दी-1",
            "ตัวอย่าง",
            "กู้ชีพ",
            "ຕົວຢ່າງ",
            "മലയളം",
            "ನಮಸ್ಕಾರ",
            "ភាសាខ្មែរ",
            "דוגמה",
            "مثال2",
            "پارسی",
            "пример",
            "例え",
            "thư-viện",
        ] {
            assert!(is_settled_label(label), "{label}");
        }
        for label in [
            "\u{93f}क", "א-ב", "1א", "aא", "אa", "กุ\u{e48}\u{e38}", "क\u{93c}", "می\u{200c}خ", "é!",
        ] {
            assert!(!is_settled_label(label), "{label}");
        }
    }

    /// Settled characters of the planes that names use.
    fn settled() -> impl Strategy<Value = char> {
        let all: Vec<char> =
            ('\u{80}'..='\u{323af}').filter(|c| Traits::of(*c).is_settled()).collect();
        let marks: Vec<char> = all.iter().copied().filter(|c| is_mark(*c)).collect();
        let common: Vec<char> =
            all.iter().copied().filter(|c| *c < '\u{1000}' && !is_mark(*c)).collect();
        prop_oneof![
            proptest::sample::select(marks),
            proptest::sample::select(common),
            proptest::sample::select(all),
            "[a-z0-9_-]".prop_map(|s| s.chars().next().unwrap_or('a')),
            "[א-תا-ي]".prop_map(|s| s.chars().next().unwrap_or('א')),
            "[ก-๎ກ-ໆ]".prop_map(|s| s.chars().next().unwrap_or('ก')),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 4000, ..ProptestConfig::default() })]

        #[test]
        fn settled_characters_settle_their_neighbours(
            label in proptest::collection::vec(settled(), 1..8).prop_map(String::from_iter),
        ) {
            if is_settled_label(&label) && !label.starts_with("xn--") {
                prop_assert_eq!(mapped(&label), Some(label));
            }
        }

        #[test]
        fn settled_labels_of_one_script_are_left_as_they_are(
            label in prop_oneof!["[ก-๎0-9-]{1,8}", "[ກ-ໆ]{1,8}", "[ऀ-ॿ]{1,8}", "[א-ת0-9]{1,8}", "[ا-ۓ0-9]{1,8}",
                "[ঀ-\u{9fe}]{1,8}", "[\u{d00}-ൿ]{1,8}", "[က-႟]{1,8}", "[ក-៝]{1,8}", "[ß-ɏά-ώа-џա-ֆა-ჰ一-丂ぁ-ゖァ-ヺー々가-힣]{1,8}"],
        ) {
            if is_settled_label(&label) {
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
