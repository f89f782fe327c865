//! Chinese, Japanese and Korean characters beside Latin ones, which the Highly Restrictive level
//! lets through: strokes that read as punctuation or letters, and Japanese marks out of place.

use unicode_script::{Script, ScriptExtension, UnicodeScript};

/// Whether the character belongs to a Chinese, Japanese or Korean text.
pub(super) fn is_cjk(c: char) -> bool {
    matches!(
        c.script(),
        Script::Han | Script::Hiragana | Script::Katakana | Script::Bopomofo | Script::Hangul
    ) || c == 'ー'
}

/// Whether a character of a few strokes stands alone among Latin letters, where it reads as a
/// separator or a letter (`google丶com`). Among its own (`一生gamer`) it is a word.
pub(super) fn stroke_beside_latin(label: &str) -> bool {
    let chars: Vec<char> = label.chars().collect();
    if !chars.iter().any(char::is_ascii_alphabetic) {
        return false;
    }
    chars.iter().enumerate().any(|(at, c)| is_stroke(*c) && !has_word(&chars, at))
}

/// Whether the run of CJK characters round this one holds a character of more than strokes.
fn has_word(chars: &[char], at: usize) -> bool {
    let (head, tail) = chars.split_at_checked(at).unwrap_or_default();
    let word = |c: &&char| is_cjk(**c);
    let left = head.iter().rev().take_while(word);
    let right = tail.iter().skip(1).take_while(word);
    left.chain(right).any(|c| !is_stroke(*c))
}

/// Ideographs, Bopomofo and kana of one to three plain strokes: lines, corners, crosses and boxes.
fn is_stroke(c: char) -> bool {
    matches!(
        c,
        // Lines and dots: read as - | \ / , . '
        '一' | '丨' | '丶' | '丿' | '乀' | '乁' | '乙' | '乚' | '乛' | '亅' | '二' | '亠' | '冫'
        // Corners, roofs, boxes: read as T Y X I L n u c o
        | '丁' | '丄' | '丅' | '丆' | '丩' | '七' | '丫' | '乂' | '八' | '冂' | '冖' | '几' | '凵' | '勹' | '匕'
        | '匚' | '匸' | '十' | '卜' | '卩' | '厂' | '厶' | '口' | '囗' | '夂' | '宀' | '工' | '巛'
        | '川' | '广' | '廴' | '廾' | '弋' | '彡' | '彳' | '〇' | '了' | '人' | '入'
        // CJK strokes and the radicals that are nothing else.
        | '\u{31c0}'..='\u{31e3}' | '\u{2e80}'..='\u{2eff}'
        // Bopomofo and their extensions are all such shapes.
        | '\u{3105}'..='\u{312f}' | '\u{31a0}'..='\u{31bf}'
        // Kana of one or two strokes: read as / - = ^ ( <
        | 'ノ' | 'ン' | 'ソ' | 'ゾ' | 'ニ' | 'ヘ' | 'へ' | 'く' | 'し' | 'ー' | 'ヽ' | 'ヾ' | 'ト'
        | 'エ' | 'ロ'
    )
}

/// Japanese marks where Japanese has none, and kana twins: `日本ー`, `aヽ`, `カへカ`.
pub(super) fn out_of_place(label: &str) -> bool {
    let mut before: Option<char> = None;
    for c in label.chars() {
        let follows = |scripts: &[Script]| {
            before.is_some_and(|before| {
                let extension = ScriptExtension::from(before);
                let own = !extension.is_common() && !extension.is_inherited();
                own && scripts.iter().any(|script| extension.contains_script(*script))
            })
        };
        let stray = match c {
            'ー' => !follows(&[Script::Hiragana, Script::Katakana]),
            'ヽ' | 'ヾ' => !follows(&[Script::Katakana]),
            'ゝ' | 'ゞ' => !follows(&[Script::Hiragana]),
            _ => false,
        };
        if stray {
            return true;
        }
        before = Some(c);
    }
    has_kana_twin(label)
}

/// Hiragana へべぺ among Katakana only, or the reverse: exactly alike, so a homograph.
fn has_kana_twin(label: &str) -> bool {
    let twins = |c: char| matches!(c, 'へ'..='ぺ' | 'ヘ'..='ペ');
    let mut scripts = label.chars().filter(|c| !twins(*c)).map(|c| c.script());
    let all = |script: Script| scripts.clone().all(|other| other == script);
    let (katakana, hiragana) = (all(Script::Katakana), all(Script::Hiragana));
    if scripts.next().is_none() {
        return false;
    }
    katakana && label.contains(|c| matches!(c, 'へ'..='ぺ'))
        || hiragana && label.contains(|c| matches!(c, 'ヘ'..='ペ'))
}
