//! Scripts of South, South-East and East Asia.

use super::{Glyph, near, same};

pub(super) fn thai(c: char) -> Option<Glyph> {
    Some(match c {
        // Thai, in the loopless faces of advertising.
        'ท' => same(&["n", "m"]),
        'ก' => near(&["n", "m"]),
        'น' => same(&["u"]),
        'บ' => same(&["u"]),
        'พ' => same(&["w"]),
        'ร' => same(&["s"]),
        'ห' => same(&["n", "h"]),
        'เ' => same(&["l", "i"]),
        'แ' => same(&["ll", "ii"]),
        '๐' => same(&["o", "0"]),
        'ด' => same(&["n", "a"]),
        'ล' => same(&["a", "n"]),
        'ป' | 'ม' => same(&["u"]),
        'ฟ' => same(&["w"]),
        // Thai: looser.
        'ฝ' => near(&["w"]),
        'ย' => near(&["e", "u"]),
        'ถ' | 'ภ' => near(&["n"]),
        'อ' => near(&["o"]),
        'ค' => near(&["a", "n"]),
        'ต' => near(&["n", "a"]),
        'ส' => near(&["a"]),
        'ว' => near(&["a", "o"]),
        'ข' => near(&["u"]),
        'ช' => near(&["u"]),
        'ผ' => near(&["w"]),
        'ฬ' => near(&["w"]),
        'ธ' => near(&["s", "5"]),
        'า' => near(&["n", "1"]),
        _ => return None,
    })
}

pub(super) fn lao(c: char) -> Option<Glyph> {
    Some(match c {
        // Lao.
        'ພ' | 'ຟ' | 'ຝ' => same(&["w"]),
        'ຣ' | 'ຮ' => same(&["s"]),
        'ບ' | 'ປ' => same(&["u"]),
        '໐' => same(&["o", "0"]),
        'ຢ' => near(&["u", "e"]),
        'ທ' => same(&["n"]),
        'ນ' => same(&["u"]),
        'ດ' => near(&["n"]),
        'ວ' => near(&["o", "0"]),
        'ອ' | 'ຄ' => near(&["o"]),
        'ຽ' => near(&["j"]),
        _ => return None,
    })
}

pub(super) fn myanmar(c: char) -> Option<Glyph> {
    Some(match c {
        // Myanmar: rings and arcs.
        'ခ' => same(&["e", "o"]),
        'ဂ' => same(&["n", "o"]),
        'င' | 'ၚ' => same(&["c"]),
        'ဒ' => same(&["3", "e"]),
        'ဝ' | '၀' => same(&["o", "0"]),
        'ပ' => same(&["u"]),
        '၂' => same(&["j", "2"]),
        'ၵ' => near(&["n", "m"]),
        'ဌ' => near(&["g", "e"]),
        'ၔ' => near(&["e", "n", "g"]),
        'တ' => near(&["oo"]),
        'သ' => near(&["oo", "w"]),
        '၁' => near(&["o", "c"]),
        '၄' => near(&["g", "9"]),
        _ => return None,
    })
}

pub(super) fn devanagari(c: char) -> Option<Glyph> {
    Some(match c {
        // Devanagari: numerals and the letters of their shape.
        '१' => same(&["9", "q"]),
        '२' => same(&["2", "z"]),
        '३' | 'उ' | 'ऊ' => same(&["3", "e"]),
        '४' => same(&["8", "x"]),
        '०' => same(&["o", "0"]),
        'ऽ' => same(&["s"]),
        '७' => same(&["6", "9"]),
        '५' => same(&["4", "y"]),
        // Devanagari: looser.
        'ठ' => near(&["o"]),
        'ट' => near(&["c", "e"]),
        'त' => near(&["n"]),
        'ग' => near(&["n", "l"]),
        'ज' => near(&["n"]),
        'द' => near(&["c", "e"]),
        _ => return None,
    })
}

pub(super) fn bengali(c: char) -> Option<Glyph> {
    Some(match c {
        // Bengali numerals.
        '০' => same(&["o", "0"]),
        '২' => same(&["2", "z"]),
        '৪' => same(&["8"]),
        '৭' => same(&["9", "q"]),
        '১' => same(&["s", "5"]),
        'ও' => same(&["3"]),
        '৩' => same(&["o", "3"]),
        'ঽ' => same(&["s", "2"]),
        _ => return None,
    })
}

pub(super) fn gurmukhi(c: char) -> Option<Glyph> {
    Some(match c {
        // Gurmukhi numerals and letters of their shape.
        '੦' => same(&["o", "0"]),
        '੧' => same(&["9", "q"]),
        '੨' => same(&["2", "z"]),
        '੩' | 'ਤ' | 'ੜ' => same(&["3"]),
        '੪' => same(&["8"]),
        '੫' => same(&["4", "y"]),
        'ਠ' => same(&["o"]),
        '੭' => same(&["2"]),
        '੮' => same(&["t", "7"]),
        _ => return None,
    })
}

pub(super) fn gujarati(c: char) -> Option<Glyph> {
    Some(match c {
        // Gujarati.
        '૦' => same(&["o", "0"]),
        '૧' => same(&["9", "q"]),
        '૨' => same(&["2", "z"]),
        '૩' => same(&["3"]),
        '૪' => same(&["8", "x"]),
        '૫' => same(&["4", "y"]),
        '૭' => same(&["9"]),
        '૬' => same(&["s", "5"]),
        'ડ' => same(&["s", "5"]),
        'ટ' => same(&["c", "s"]),
        'ગ' => same(&["n", "l"]),
        'ઽ' => same(&["s"]),
        _ => return None,
    })
}

pub(super) fn telugu(c: char) -> Option<Glyph> {
    Some(match c {
        // Telugu.
        'ట' => same(&["e", "o"]),
        '౦' => same(&["o", "0"]),
        '౧' => same(&["n", "o"]),
        '౨' => same(&["9", "2", "q"]),
        '౩' => same(&["3"]),
        '౬' => same(&["6", "e"]),
        '౭' => same(&["2"]),
        '\u{c02}' => same(&["o"]),
        _ => return None,
    })
}

pub(super) fn kannada(c: char) -> Option<Glyph> {
    Some(match c {
        // Kannada.
        '೦' => same(&["o", "0"]),
        '೧' => same(&["n", "c"]),
        '೨' => same(&["9", "2"]),
        '೩' => same(&["3", "2"]),
        '೬' => same(&["e", "6"]),
        '೭' => same(&["2"]),
        '೯' => same(&["e", "f"]),
        'ಽ' => same(&["s", "z"]),
        '\u{c82}' => same(&["o"]),
        _ => return None,
    })
}

pub(super) fn malayalam(c: char) -> Option<Glyph> {
    Some(match c {
        // Malayalam: open arcs.
        'ഠ' => same(&["o", "0"]),
        'ട' => same(&["s"]),
        'ധ' => same(&["w", "u"]),
        'ന' => near(&["m", "n"]),
        'റ' => near(&["o", "n"]),
        '൦' => same(&["o", "0"]),
        '൧' => same(&["m", "c"]),
        '൨' => same(&["2"]),
        '൫' => same(&["d", "5"]),
        'ഗ' => near(&["n"]),
        'ര' => near(&["o", "n"]),
        'ക' => near(&["a"]),
        'ഉ' => near(&["2", "u"]),
        'ഴ' => near(&["v", "y"]),
        'ഽ' => same(&["s"]),
        '\u{d02}' => same(&["o"]),
        _ => return None,
    })
}

pub(super) fn oriya(c: char) -> Option<Glyph> {
    Some(match c {
        // Oriya: rings.
        'ଠ' | '୦' => same(&["o", "0"]),
        '୧' => same(&["c", "e"]),
        '୨' => same(&["9", "2"]),
        '୩' => same(&["m", "3"]),
        '୪' => same(&["8"]),
        '୮' => same(&["r", "f"]),
        '୫' => same(&["4", "8"]),
        'ଽ' => same(&["s", "f"]),
        _ => return None,
    })
}

pub(super) fn tamil(c: char) -> Option<Glyph> {
    Some(match c {
        // Tamil.
        'ட' => same(&["l", "u"]),
        'ப' => same(&["u"]),
        '௦' => same(&["o", "0"]),
        'ம' => near(&["w", "u"]),
        '௧' => same(&["s", "k"]),
        '௭' => same(&["e", "6"]),
        'ன' => near(&["m"]),
        _ => return None,
    })
}

pub(super) fn others(c: char) -> Option<Glyph> {
    Some(match c {
        // Zeros and strokes of further scripts.
        '០' => same(&["o", "0"]),
        'ꓲ' => same(&["l", "i"]),
        'ට' => same(&["o", "0"]),
        'ᩅ' => same(&["o"]),
        '᧐' => same(&["o", "0"]),
        '᥆' => same(&["o", "0"]),
        '᪀' | '᪐' => same(&["o", "0"]),
        '꧐' => same(&["o", "0"]),
        '᭐' => same(&["o", "0"]),
        '᮰' => same(&["o", "0"]),
        _ => return None,
    })
}

pub(super) fn ideographs(c: char) -> Option<Glyph> {
    Some(match c {
        // Ideographs and Bopomofo of a few strokes, only ever beside Latin.
        '丅' | '丁' | '七' | '十' => same(&["t"]),
        '丆' => same(&["t"]),
        '丩' => same(&["4"]),
        '丫' => same(&["y"]),
        '乂' => same(&["x"]),
        '工' => same(&["i", "h"]),
        '〇' | '口' | '囗' => same(&["o", "0"]),
        '丨' | '亅' => same(&["l", "i", "j"]),
        '乙' => same(&["z"]),
        '匚' => same(&["c"]),
        '凵' => same(&["u"]),
        '冂' | '几' => same(&["n"]),
        '卜' => same(&["t", "h"]),
        '厂' => same(&["r"]),
        '日' => same(&["b", "8"]),
        '山' => same(&["w"]),
        '尸' => same(&["p"]),
        '巾' => same(&["m"]),
        '廾' => same(&["h"]),
        '了' => same(&["j", "3"]),
        'ㄒ' => same(&["t"]),
        'ㄚ' => same(&["y"]),
        'ㄩ' => same(&["u"]),
        'ㄨ' => same(&["x"]),
        'ㄟ' => same(&["l"]),
        'ㄈ' => same(&["c"]),
        'ㄇ' => same(&["n", "m"]),
        'ㄖ' => same(&["o", "a"]),
        'ㄧ' => same(&["l", "i"]),
        'ㄥ' => same(&["l"]),
        'ㄙ' => same(&["a", "l"]),
        'ㄋ' => same(&["3"]),
        'ㄎ' => same(&["5"]),
        _ => return None,
    })
}

pub(super) fn kana(c: char) -> Option<Glyph> {
    Some(match c {
        // Kana, only ever beside Latin.
        'エ' => same(&["i"]),
        'ロ' => same(&["o"]),
        'ト' => same(&["t", "h"]),
        'ア' => same(&["7", "y"]),
        'フ' => same(&["7"]),
        'く' => same(&["k"]),
        'ん' => same(&["h", "n"]),
        'コ' => same(&["j"]),
        _ => return None,
    })
}
