//! Letters that read as Latin letters or ASCII digits but are not so in confusables.txt, by eye.
//!
//! UTS #39's data compare characters of equal shape and stop at small capitals (`к` → `ĸ`),
//! reading nothing as "ASCII letter". These tables add what a reader in a hurry takes for ASCII:
//! a shape, its readings with the likeliest first, and how close it comes. The reason stands
//! above each group. One function a script.

/// How close a character comes to what it is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shape {
    /// The lower-case letter itself, in most fonts: counts for whole-script look-alikes.
    Same,
    /// A capital, an accent or a neighbouring shape: counts only against a protected name.
    Near,
}

/// What a character is read as: lower-case ASCII letters and digits, the likeliest reading first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Glyph {
    pub readings: &'static [&'static str],
    pub shape: Shape,
}

/// What the character is read as, beyond confusables.txt.
pub(super) fn glyph(c: char) -> Option<Glyph> {
    match u32::from(c) {
        0x00..=0x7f => None,
        0x80..=0x2ff | 0x1d00..=0x1d7f | 0xa720..=0xa7ff => latin(c),
        0x370..=0x3ff => greek(c),
        0x400..=0x52f => cyrillic(c),
        0x530..=0x58f => armenian(c),
        0x590..=0x5ff | 0xfb1d..=0xfb4f => hebrew(c),
        0x900..=0x97f => devanagari(c),
        0x980..=0x9ff => bengali(c),
        0xa00..=0xa7f => gurmukhi(c),
        0xa80..=0xaff => gujarati(c),
        0xb00..=0xb7f => oriya(c),
        0xb80..=0xbff => tamil(c),
        0xc00..=0xc7f => telugu(c),
        0xc80..=0xcff => kannada(c),
        0xd00..=0xd7f => malayalam(c),
        0xe00..=0xe7f => thai(c),
        0xe80..=0xeff => lao(c),
        0x1000..=0x109f => myanmar(c),
        0x10a0..=0x10ff => georgian(c),
        0x1200..=0x137f => ethiopic(c),
        0x13a0..=0x167f => cherokee(c),
        0x3000..=0x3007 | 0x3100..=0x312f | 0x4e00..=0x9fff => ideographs(c),
        0x3040..=0x30ff => kana(c),
        _ => others(c),
    }
}

const fn same(readings: &'static [&'static str]) -> Glyph {
    Glyph { readings, shape: Shape::Same }
}

const fn near(readings: &'static [&'static str]) -> Glyph {
    Glyph { readings, shape: Shape::Near }
}

fn latin(c: char) -> Option<Glyph> {
    Some(match c {
        // Latin: small capitals, stroked and African letters whose body is the plain letter; also where confusables.txt sends к т н в м.
        'ĸ' => same(&["k"]),
        'ŧ' => same(&["t"]),
        'ƅ' => same(&["b"]),
        'ƿ' => same(&["p"]),
        'ƽ' => same(&["s", "5"]),
        'ƨ' => same(&["s", "2"]),
        'ƞ' => same(&["n"]),
        'ȣ' | 'Ȣ' => same(&["8"]),
        'ɑ' => same(&["a"]),
        'ɡ' => same(&["g"]),
        'ʀ' => same(&["r"]),
        'ʟ' => same(&["l"]),
        'ʜ' => same(&["h"]),
        'ʙ' => same(&["b"]),
        'ɢ' => same(&["g"]),
        'ɴ' => same(&["n"]),
        'ᴛ' => same(&["t"]),
        'ᴋ' => same(&["k"]),
        'ᴍ' => same(&["m"]),
        'ʏ' => same(&["y"]),
        'ᴄ' => same(&["c"]),
        'ᴏ' => same(&["o"]),
        'ᴘ' => same(&["p"]),
        'ᴜ' => same(&["u"]),
        'ᴠ' => same(&["v"]),
        'ᴡ' => same(&["w"]),
        'ᴢ' => same(&["z"]),
        'ꞓ' => same(&["e", "c"]),
        // Latin letters of other sounds taken for the plain letter they resemble.
        'œ' => near(&["ce"]),
        'þ' => near(&["p", "b"]),
        'ð' => near(&["d", "o"]),
        'ɜ' | 'ɛ' => near(&["e", "3"]),
        'ʒ' | 'ǯ' => near(&["3", "z"]),
        'ə' => near(&["e", "a"]),
        'ɔ' => near(&["c"]),
        'ß' => near(&["b", "ss"]),
        'ʍ' => near(&["m", "w"]),
        'ɯ' => near(&["w", "m"]),
        'ʞ' => near(&["k"]),
        'ɸ' => near(&["o"]),
        'ɥ' => near(&["h"]),
        'ǝ' => near(&["e"]),
        'ŋ' => near(&["n", "g"]),
        'ɲ' => near(&["n"]),
        'ǃ' => near(&["i", "l"]),
        'ǀ' => near(&["l", "i"]),
        _ => return None,
    })
}

fn cyrillic(c: char) -> Option<Glyph> {
    Some(match c {
        // Cyrillic lower case in a grotesque: shape of a Latin letter, or of one with a hook.
        'к' => same(&["k"]),
        'т' => same(&["t"]),
        'п' => same(&["n"]),
        'г' => same(&["r"]),
        'ю' => same(&["io", "lo"]),
        'ы' => same(&["bl", "bi"]),
        'ъ' => same(&["b"]),
        'щ' => same(&["w"]),
        'ѵ' => same(&["v"]),
        'ѡ' => same(&["w"]),
        'ԍ' => same(&["g"]),
        'ԃ' => same(&["d"]),
        'ԧ' => same(&["h"]),
        'ԋ' => same(&["h"]),
        'ԥ' => same(&["n", "p"]),
        'ԗ' => same(&["p"]),
        'ҏ' => same(&["p"]),
        'ғ' => same(&["r", "f"]),
        'ҕ' => same(&["r"]),
        'ӻ' => same(&["r"]),
        'ҥ' => same(&["h", "n"]),
        'ӊ' | 'ӈ' | 'ң' | 'ԣ' | 'ԩ' => same(&["h"]),
        'қ' | 'ҝ' | 'ҟ' | 'ҡ' | 'ӄ' | 'ԟ' => same(&["k"]),
        'ҭ' => same(&["t"]),
        'ӷ' => same(&["r"]),
        'ҳ' | 'ӽ' | 'ӿ' => same(&["x"]),
        'ҽ' | 'ҿ' => same(&["e"]),
        'ћ' | 'ђ' => same(&["h"]),
        'џ' => same(&["u"]),
        'һ' => same(&["h"]),
        'ԑ' => same(&["e", "3"]),
        // Cyrillic: the capital's shape, an italic's, or an accent away.
        'в' => near(&["b"]),
        'м' => near(&["m"]),
        'н' => near(&["h", "n"]),
        'ӎ' => near(&["m"]),
        'є' => near(&["e"]),
        'э' => near(&["e", "3"]),
        'з' | 'ҙ' | 'ӟ' => near(&["3", "e"]),
        'ӡ' => near(&["3", "z"]),
        'б' => near(&["6", "b"]),
        'ө' => near(&["o", "e"]),
        'ў' => near(&["y"]),
        'й' => near(&["u", "n"]),
        'и' => near(&["u", "n"]),
        'я' => near(&["r"]),
        'ч' => near(&["4", "y"]),
        'ҷ' | 'ҹ' | 'ӌ' | 'ӵ' => near(&["4", "y"]),
        'л' => near(&["n"]),
        'д' => near(&["d", "a", "g"]),
        'ц' => near(&["u"]),
        'ѓ' | 'ґ' => near(&["r"]),
        'ф' => near(&["o"]),
        'љ' => near(&["b"]),
        'њ' => near(&["h", "n"]),
        'ә' => near(&["e", "a"]),
        'ӛ' => near(&["e"]),
        'ж' => near(&["x", "k"]),
        'җ' | 'ӂ' | 'ӝ' => near(&["x"]),
        'ѳ' => near(&["o"]),
        'ӧ' | 'ӫ' => near(&["o"]),
        'ҩ' => near(&["e", "o"]),
        'ҵ' => near(&["u"]),
        _ => return None,
    })
}

fn greek(c: char) -> Option<Glyph> {
    Some(match c {
        // Greek lower case.
        'ω' => same(&["w"]),
        'κ' => same(&["k"]),
        'τ' => same(&["t"]),
        'χ' => same(&["x"]),
        'ϼ' => same(&["p"]),
        'ϻ' => same(&["m"]),
        'ϲ' => same(&["c"]),
        'ϳ' => same(&["j"]),
        'ζ' => same(&["z"]),
        'ε' => same(&["e"]),
        'ς' => same(&["c", "s"]),
        // Greek: the capital's shape, or a neighbour.
        'β' => near(&["b", "ss"]),
        'δ' => near(&["d", "o", "6"]),
        'μ' => near(&["u", "m"]),
        'π' => near(&["n"]),
        'θ' => near(&["o", "0"]),
        'λ' => near(&["a", "n"]),
        'φ' | 'ϕ' => near(&["o"]),
        'ξ' => near(&["e", "3"]),
        'ψ' => near(&["w", "y"]),
        'Ϝ' | 'ϝ' => near(&["f"]),
        'σ' => near(&["o", "6"]),
        _ => return None,
    })
}

fn armenian(c: char) -> Option<Glyph> {
    Some(match c {
        // Armenian.
        'ա' | 'գ' => same(&["w", "q"]),
        'ե' => same(&["t"]),
        'կ' => same(&["u", "l"]),
        'մ' => same(&["u"]),
        'ն' => same(&["u"]),
        'պ' => same(&["w"]),
        'վ' => same(&["u", "q"]),
        'ր' => same(&["n", "r"]),
        'ւ' => same(&["i", "r"]),
        'ք' => same(&["p", "f"]),
        'շ' => same(&["2", "z"]),
        'ճ' => same(&["6", "a"]),
        'տ' => same(&["un", "m"]),
        'ղ' => same(&["n"]),
        'լ' => same(&["l"]),
        'ը' => same(&["n", "p"]),
        'թ' => same(&["p"]),
        'ծ' => same(&["o"]),
        'ձ' => same(&["d", "a"]),
        'ժ' => same(&["d"]),
        'ի' => same(&["h"]),
        'ֆ' => same(&["f", "o"]),
        'չ' => same(&["z", "c"]),
        'ջ' => same(&["q", "9"]),
        'է' => same(&["t"]),
        _ => return None,
    })
}

fn hebrew(c: char) -> Option<Glyph> {
    Some(match c {
        // Hebrew: het reads as n, vav and final nun as a stroke.
        'ד' => same(&["t", "r"]),
        'ח' => same(&["n"]),
        'י' => same(&["i", "l"]),
        'ם' => same(&["o"]),
        'ה' => same(&["n"]),
        'װ' => same(&["ll", "ii"]),
        'ײ' => same(&["ii"]),
        'ﬦ' => same(&["o"]),
        'ס' => same(&["o"]),
        'ו' => same(&["l", "i"]),
        'ן' => same(&["l", "i"]),
        // Hebrew: looser.
        'ר' => near(&["r", "n"]),
        'כ' => near(&["c"]),
        'ב' => near(&["c", "n"]),
        'ת' => near(&["n"]),
        'ק' => near(&["p"]),
        'ט' => near(&["u", "v"]),
        'ע' => near(&["y"]),
        'ש' => near(&["w"]),
        'ץ' => near(&["y"]),
        'נ' => near(&["j"]),
        'ל' => near(&["l", "5"]),
        _ => return None,
    })
}

fn georgian(c: char) -> Option<Glyph> {
    Some(match c {
        // Georgian.
        'კ' => same(&["3", "z"]),
        'ვ' => same(&["3", "z"]),
        'ძ' => same(&["d"]),
        'ხ' => same(&["b", "s"]),
        'ი' => same(&["o", "n"]),
        'ო' => same(&["m"]),
        'ჽ' => same(&["z", "6"]),
        'ჿ' => same(&["o"]),
        'ყ' => same(&["y"]),
        'პ' => same(&["3"]),
        'ე' => same(&["e", "3"]),
        'ჰ' => same(&["3"]),
        'შ' => same(&["d", "6"]),
        'წ' => same(&["6", "f"]),
        'ნ' => same(&["6", "b"]),
        'რ' => same(&["m", "6"]),
        'ს' => same(&["b", "6"]),
        'ბ' => same(&["8", "b"]),
        'მ' => same(&["d", "g"]),
        'თ' => same(&["o"]),
        _ => return None,
    })
}

fn ethiopic(c: char) -> Option<Glyph> {
    Some(match c {
        // Ethiopic.
        'ሀ' | 'ሁ' => same(&["u"]),
        'ሠ' => same(&["w"]),
        'ሰ' | 'ሱ' => same(&["n"]),
        'ለ' => same(&["n"]),
        'በ' => same(&["n"]),
        'ከ' => same(&["h", "n"]),
        'ዐ' | 'ዑ' | 'ዕ' => same(&["o"]),
        'ፐ' => same(&["t", "i"]),
        'ዘ' => same(&["h", "n"]),
        'ፀ' => same(&["o"]),
        'የ' => same(&["p"]),
        'ተ' => same(&["t", "f"]),
        'ነ' => same(&["i", "l"]),
        'ጠ' => same(&["m"]),
        'ኮ' => same(&["r"]),
        'ጉ' => same(&["l"]),
        'ሆ' => same(&["u", "v"]),
        'ዪ' => same(&["p"]),
        'ዩ' => same(&["p"]),
        'ቲ' => same(&["t", "f"]),
        _ => return None,
    })
}

fn thai(c: char) -> Option<Glyph> {
    Some(match c {
        // Thai, in the loopless faces of advertising.
        'ท' | 'ก' => same(&["n", "m"]),
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

fn lao(c: char) -> Option<Glyph> {
    Some(match c {
        // Lao.
        'ພ' | 'ຟ' | 'ຝ' => same(&["w"]),
        'ຣ' | 'ຮ' => same(&["s"]),
        'ບ' | 'ປ' => same(&["u"]),
        '໐' => same(&["o", "0"]),
        'ຢ' => same(&["u", "e"]),
        'ທ' => same(&["n"]),
        'ນ' => same(&["u"]),
        'ດ' => same(&["n"]),
        'ວ' => same(&["o", "0"]),
        'ອ' => same(&["o"]),
        'ຽ' => same(&["j"]),
        _ => return None,
    })
}

fn myanmar(c: char) -> Option<Glyph> {
    Some(match c {
        // Myanmar: rings and arcs.
        'ခ' => same(&["e", "o"]),
        'ဂ' => same(&["n", "o"]),
        'င' | 'ၚ' => same(&["c"]),
        'ဒ' => same(&["3", "e"]),
        'ဝ' | '၀' => same(&["o", "0"]),
        'ပ' => same(&["u"]),
        '၂' => same(&["j", "2"]),
        'ၵ' => same(&["n", "m"]),
        'ဌ' => same(&["g", "e"]),
        'ၔ' => same(&["n", "g"]),
        'တ' => same(&["oo"]),
        'သ' => same(&["oo", "w"]),
        '၁' => same(&["o", "c"]),
        '၄' => same(&["g", "9"]),
        _ => return None,
    })
}

fn devanagari(c: char) -> Option<Glyph> {
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

fn bengali(c: char) -> Option<Glyph> {
    Some(match c {
        // Bengali numerals.
        '০' => same(&["o", "0"]),
        '২' => same(&["2", "z"]),
        '৪' => same(&["8"]),
        '৭' => same(&["9", "q"]),
        '১' => same(&["s", "5"]),
        '৩' => same(&["o", "3"]),
        'ঽ' => same(&["s", "2"]),
        _ => return None,
    })
}

fn gurmukhi(c: char) -> Option<Glyph> {
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

fn gujarati(c: char) -> Option<Glyph> {
    Some(match c {
        // Gujarati.
        '૦' => same(&["o", "0"]),
        '૧' => same(&["9", "q"]),
        '૨' => same(&["2", "z"]),
        '૩' => same(&["3"]),
        '૪' => same(&["8", "x"]),
        '૫' => same(&["4", "y"]),
        '૬' => same(&["s", "5"]),
        'ડ' => same(&["s", "5"]),
        'ટ' => same(&["c", "s"]),
        'ગ' => same(&["n", "l"]),
        'ઽ' => same(&["s"]),
        _ => return None,
    })
}

fn telugu(c: char) -> Option<Glyph> {
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

fn kannada(c: char) -> Option<Glyph> {
    Some(match c {
        // Kannada.
        '೦' => same(&["o", "0"]),
        '೧' => same(&["n", "c"]),
        '೨' => same(&["9", "2"]),
        '೩' => same(&["3"]),
        '೬' => same(&["e", "6"]),
        '೭' => same(&["2"]),
        '೯' => same(&["e", "f"]),
        'ಽ' => same(&["s", "z"]),
        '\u{c82}' => same(&["o"]),
        _ => return None,
    })
}

fn malayalam(c: char) -> Option<Glyph> {
    Some(match c {
        // Malayalam: open arcs.
        'ഠ' => same(&["o", "0"]),
        'ട' => same(&["s"]),
        'ധ' => same(&["w", "u"]),
        'ന' => same(&["m", "n"]),
        'റ' => same(&["o", "n"]),
        '൦' => same(&["o", "0"]),
        '൧' => same(&["m", "c"]),
        '൨' => same(&["2"]),
        '൫' => same(&["d", "5"]),
        'ഗ' => same(&["n"]),
        'ര' => same(&["o", "n"]),
        'ക' => same(&["a"]),
        'ഉ' => same(&["2", "u"]),
        'ഴ' => same(&["v", "y"]),
        'ഽ' => same(&["s"]),
        '\u{d02}' => same(&["o"]),
        _ => return None,
    })
}

fn oriya(c: char) -> Option<Glyph> {
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

fn tamil(c: char) -> Option<Glyph> {
    Some(match c {
        // Tamil.
        'ட' => same(&["l", "u"]),
        'ப' => same(&["u"]),
        '௦' => same(&["o", "0"]),
        'ம' => same(&["w", "u"]),
        '௧' => same(&["s", "k"]),
        '௭' => same(&["e", "6"]),
        'ன' => same(&["m"]),
        _ => return None,
    })
}

fn others(c: char) -> Option<Glyph> {
    Some(match c {
        // Zeros and strokes of further scripts.
        '០' => same(&["o", "0"]),
        'ຳ' => same(&["n"]),
        'ೱ' => same(&["x"]),
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

fn ideographs(c: char) -> Option<Glyph> {
    Some(match c {
        // Ideographs and Bopomofo of a few strokes, only ever beside Latin.
        '丅' | '丁' | '七' | '十' => same(&["t"]),
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

fn kana(c: char) -> Option<Glyph> {
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

fn cherokee(c: char) -> Option<Glyph> {
    Some(match c {
        // Cherokee and syllabics: restricted anyway, read so that the explanation names the target.
        'Ꮞ' => same(&["4"]),
        'Ꭰ' => same(&["d"]),
        'Ꭱ' => same(&["r"]),
        'Ꭲ' => same(&["i"]),
        'Ꭺ' => same(&["a"]),
        'Ꭻ' => same(&["j"]),
        'Ꭼ' => same(&["e"]),
        'Ꮋ' => same(&["h"]),
        'Ꮲ' => same(&["p"]),
        'Ꮪ' => same(&["s"]),
        'Ꮯ' => same(&["c"]),
        'Ꮃ' => same(&["w"]),
        'Ꮓ' => same(&["z"]),
        'Ꮮ' => same(&["l"]),
        'ᒿ' => same(&["2"]),
        'ᒪ' => same(&["l"]),
        _ => return None,
    })
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reading_is_ascii() {
        let mut rows = 0;
        for glyph in ('\0'..=char::MAX).filter_map(glyph) {
            rows += 1;
            assert!(!glyph.readings.is_empty());
            for reading in glyph.readings {
                assert!(!reading.is_empty());
                let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
                assert!(reading.bytes().all(plain), "{reading}");
            }
        }
        assert!(rows > 400, "every table is reached: {rows}");
    }
}
