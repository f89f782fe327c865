//! Latin letters of phoneticians, of old manuscripts and of short-lived alphabets, and the letters of other
//! scripts that generators of fancy text put in the place of Latin ones.

use super::{Glyph, near, same};

/// Those whose body is a plain letter, by eye: with a hook, a curl, a tilde, a tail, a stroke, a flourish, or
/// turned where that changes little.
pub(super) fn latin(c: char) -> Option<Glyph> {
    Some(match c {
        'ᴀ' => same(&["a"]),
        'ᴅ' => same(&["d"]),
        'ᴇ' => same(&["e"]),
        'ꜰ' => same(&["f"]),
        'ᴊ' => same(&["j"]),
        'ꞯ' => same(&["q"]),
        'ɐ' | 'ᶏ' | 'ᶐ' | 'ⱥ' | 'ꬰ' | 'ꬱ' | 'ꞻ' => near(&["a"]),
        'ʌ' => near(&["a", "v"]),
        'ɮ' | 'ᵬ' | 'ᶀ' | 'ꞗ' | 'ᴃ' => near(&["b"]),
        'ƈ' | 'ɕ' | 'ʗ' | 'ꞔ' | '\u{1df1d}' => near(&["c"]),
        'ȡ' | 'ᵭ' | 'ᶁ' | 'ᶑ' | 'ꝺ' | 'ꟈ' | 'ᴆ' => near(&["d"]),
        'ɘ' | 'ᶒ' | 'ᶓ' | 'ⱸ' | 'ꬳ' | 'ꬴ' => near(&["e"]),
        'ᶂ' | 'ẜ' | 'ꝼ' | 'ɟ' => near(&["f"]),
        'ʛ' | 'ᵹ' | 'ꞡ' | 'ꬶ' => near(&["g"]),
        'ɧ' | 'ꜧ' | 'ꞕ' => near(&["h"]),
        'ᴉ' | 'ᶖ' | 'ꞽ' | '\u{1df1a}' => near(&["i"]),
        'ᶄ' | 'ꝃ' | 'ꝅ' | 'ꞣ' => near(&["k"]),
        'ȴ' | 'ᶅ' | 'ⱡ' | 'ꝉ' | 'ꞎ' | 'ꬷ' | 'ꬸ' | 'ꬹ' | 'ᴌ' | '\u{1df11}' => {
            near(&["l"])
        }
        'ɬ' => near(&["l", "t"]),
        'ɱ' | 'ᶆ' | 'ꬺ' => near(&["m"]),
        'ȵ' | 'ᶇ' | 'ꞑ' | 'ꞥ' | 'ꬻ' | 'ꬼ' | 'ᴎ' => near(&["n"]),
        'ⱺ' | 'ꝍ' | '\u{1df1b}' => near(&["o"]),
        'ᵱ' | 'ᶈ' | 'ꝑ' | 'ꝓ' | 'ꝕ' => near(&["p"]),
        'ɋ' | 'ꝗ' | 'ꝙ' => near(&["q"]),
        'ɾ' | 'ɹ' | 'ᵳ' | 'ᶉ' | 'ꞃ' | 'ꞧ' | 'ꭅ' | 'ꭉ' | 'ꭋ' | 'ꭌ' | 'ᴙ' => {
            near(&["r"])
        }
        'ȿ' | 'ᶊ' | 'ꞅ' | 'ꞩ' | 'ꟊ' | 'ꟗ' | 'ꟙ' | '\u{1df1e}' => near(&["s"]),
        'ȶ' | 'ʇ' | 'ꞇ' | '\u{1df09}' => near(&["t"]),
        'ʊ' | 'ᵿ' | 'ᶙ' | 'ꞹ' | 'ꞿ' | 'ꭏ' => near(&["u"]),
        'ʋ' | 'ⱱ' | 'ⱴ' | 'ꝟ' => near(&["v"]),
        'ɰ' | 'ɷ' | 'ⱳ' | 'ꞷ' | 'ꟃ' => near(&["w"]),
        'ᶍ' | 'ꭔ' | 'ꭕ' | 'ꭖ' | 'ꭗ' | 'ꭘ' | 'ꭙ' => near(&["x"]),
        'ɤ' | 'ʎ' => near(&["y"]),
        'ɀ' | 'ʑ' | 'ᶎ' | 'ꝣ' => near(&["z"]),
        'ȸ' => near(&["db"]),
        'ʣ' | 'ʥ' => near(&["dz"]),
        'ȹ' => near(&["qp"]),
        'ʨ' => near(&["tc"]),
        _ => return None,
    })
}

/// Syllabics, Cherokee, Coptic, Yi, runes, digits and ideographs of the fancy alphabets that spread by
/// generators.
pub(super) fn fancy(c: char) -> Option<Glyph> {
    Some(match c {
        'Ꮧ' | 'ᗩ' | 'ꍏ' | '卂' | 'ⲁ' => near(&["a"]),
        'Ᏸ' | 'ꌃ' | 'ᛒ' | '乃' | '৮' => near(&["b"]),
        'Ꮸ' | 'ᑕ' | 'ꉓ' | 'ፈ' => near(&["c"]),
        'Ꮄ' | 'ꀸ' | '∂' => near(&["d"]),
        'Ꮛ' | 'ᕮ' | 'ꍟ' | '乇' | 'ⲉ' => near(&["e"]),
        'Ꭶ' | 'ꎇ' | 'ᚠ' | '千' => near(&["f"]),
        'Ꮆ' | 'ᘜ' | 'ꁅ' => near(&["g"]),
        'ꃅ' | 'ᚺ' | 'ᚻ' | '卄' => near(&["h"]),
        'ꀤ' => near(&["i"]),
        'ꀭ' => near(&["j"]),
        'ꀘ' => near(&["k"]),
        'Ꮭ' | '꒒' => near(&["l"]),
        '߁' => near(&["l", "1"]),
        'ꂵ' | '爪' => near(&["m"]),
        'Ꮑ' | 'ᑎ' | 'ꈤ' => near(&["n"]),
        'Ꭷ' | 'ꂦ' | '᠐' => near(&["o"]),
        'Ꭾ' | 'ꉣ' | 'ᚹ' | '卩' | '℘' => near(&["p"]),
        'ꋪ' | 'ᚱ' | 'ཞ' | '尺' => near(&["r"]),
        'ᔕ' | 'ꌗ' | 'ᛋ' | '丂' => near(&["s"]),
        'Ꮦ' | '꓄' | 'ᛏ' => near(&["t"]),
        'Ꮜ' | 'ꀎ' => near(&["u"]),
        'Ꮼ' => near(&["u", "w"]),
        'ꃴ' => near(&["v"]),
        'Ꮗ' | 'ᗯ' | 'ꅏ' | 'ⲱ' => near(&["w"]),
        'ꊼ' => near(&["x"]),
        'ꌩ' => near(&["y"]),
        'ᘔ' | 'ꁴ' | 'ፚ' => near(&["z"]),
        '๒' | 'ც' => near(&["b"]),
        '๓' => near(&["m"]),
        '๔' => near(&["d"]),
        _ => return None,
    })
}
