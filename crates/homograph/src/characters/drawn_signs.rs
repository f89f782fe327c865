//! Which signs of Chinese, Japanese and Korean are drawn alike, but for a stroke, a part or their size.

use std::ops::RangeInclusive;

use super::cjk::han;

/// Syllables of Hangul (The Unicode Standard §3.12): the first one, and how many there are with one vowel and one consonant.
const SYLLABLES: RangeInclusive<char> = '가'..='힣';
const VOWELS: u32 = 21;
const ENDS: u32 = 28;

/// Signs of the shortest word in which Kana are compared without their small strokes: by these many shorter words differ
/// (`ウーハー` is no `ウーバー`).
pub(crate) const LONG: usize = 5;

/// One sign for all that look alike.
pub(crate) fn drawn(sign: char) -> char {
    match SYLLABLES.contains(&sign) {
        true => syllable(sign).unwrap_or(sign),
        false => plain(han(sign).or_else(|| of_any_name(sign)).unwrap_or(sign)),
    }
}

/// The same in a word of [`LONG`] signs.
pub(crate) fn drawn_in_long(sign: char) -> char {
    drawn(without_voice(sign))
}

/// The letter of Kana that another one is with two strokes or a ring, which are small: `カ` for `ガ`, `ほ` for `ぽ`.
fn without_voice(kana: char) -> char {
    let code = u32::from(kana);
    // By the place in its table: pairs from か to ち and from つ to ど, threes from は to ぽ (The Unicode Standard §18.4).
    let place = match kana {
        'ぁ'..='ゖ' => code - 0x3040,
        'ァ'..='ヶ' => code - 0x30A0,
        _ => return kana,
    };
    let above = match place {
        0x0B..=0x22 => (place - 0x0B) % 2,
        0x24..=0x29 => place % 2,
        0x2F..=0x3D => (place - 0x2F) % 3,
        _ => 0,
    };
    char::from_u32(code - above).unwrap_or(kana)
}

/// One of Katakana for what resembles it, and small ones as large ones.
#[rustfmt::skip]
fn plain(sign: char) -> char {
    match sign {
        'ソ' => 'ン', 'シ' => 'ツ', '二' => 'ニ', '力' => 'カ', '工' => 'エ', '口' => 'ロ', '卜' => 'ト',
        '夕' => 'タ', '八' => 'ハ', '干' | '千' => 'チ', '才' => 'オ', '厶' => 'ム', '一' => 'ー', 'へ' => 'ヘ',
        'ァ' => 'ア', 'ィ' => 'イ', 'ゥ' => 'ウ', 'ェ' => 'エ', 'ォ' => 'オ', 'ッ' => 'ツ',
        'ャ' => 'ヤ', 'ュ' => 'ユ', 'ョ' => 'ヨ', 'っ' => 'つ', 'ゃ' => 'や', 'ゅ' => 'ゆ', 'ょ' => 'よ',
        sign => sign,
    }
}

/// The syllable with one stroke less in its vowel: `카` for `캬`, `새` for `세`.
fn syllable(sign: char) -> Option<char> {
    let index = u32::from(sign) - u32::from(*SYLLABLES.start());
    let vowel = index / ENDS % VOWELS;
    let plain = match vowel {
        2 => 0,
        3 | 5 | 7 => 1,
        6 => 4,
        12 => 8,
        15 => 10,
        17 => 13,
        _ => return None,
    };
    char::from_u32(u32::from(sign) - (vowel - plain) * ENDS)
}

/// The same of signs that stand in names of operators: of two that are compared both are drawn, so that no word is
/// misread. None is another way to write the same word (`髙` for `高`): owners spell their names so.
#[rustfmt::skip]
fn of_any_name(c: char) -> Option<char> {
    Some(match c {
        '士' => '工', '柬' => '東', '己' => '巴',
        '亰' => '京', '太' | '犬' => '大', '末' => '未', '玉' => '王', '由' | '甲' => '田', '問' | '閑' => '間', '睛' => '晴',
        '候' => '侯', '烏' => '鳥', '氷' | '永' => '水', '貝' => '見', '爪' => '瓜', '戌' | '戍' => '戊', '冶' => '治',
        '入' => '人', '右' => '石', '字' => '宇', '白' => '自', '午' => '牛', '予' => '子', '祟' => '崇', '析' => '折',
        '綱' => '網', '貨' => '賃', '休' => '体', '特' => '持', '待' => '侍', '通' => '道', '遣' => '遺', '全' => '金',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strokes_of_kana_are_left_out() {
        let plain: String =
            "がぎぢづどばぱぼぽかちつんっガヂヅドパポカ日".chars().map(without_voice).collect();
        assert_eq!(plain, "かきちつとははほほかちつんっカチツトハホカ日");
    }

    #[test]
    fn what_a_sign_is_drawn_as_is_drawn_as_itself() {
        for sign in ('\u{3000}'..='\u{9fff}').chain(SYLLABLES) {
            assert_eq!(drawn(drawn(sign)), drawn(sign), "{sign}");
            let long = drawn_in_long(sign);
            assert_eq!(drawn_in_long(long), long, "{sign}");
        }
    }
}
