//! Chinese, Japanese and Korean characters beside Latin ones, which the Highly Restrictive level
//! accepts: strokes that read as punctuation or letters, and misplaced Japanese marks.

use unicode_script::Script;

use super::properties::extension;
use uts58::unicode::ScriptOf as _;

/// No character before this one is a stroke, a plain shape or a Japanese mark.
pub(crate) const FIRST: char = '\u{2e80}';

/// Whether the character belongs to a Chinese, Japanese or Korean text.
pub fn is_cjk(c: char) -> bool {
    matches!(
        c.script(),
        Script::Han | Script::Hiragana | Script::Katakana | Script::Bopomofo | Script::Hangul
    ) || c == 'ー'
}

/// The Chinese sign of a known name that another one resembles, but for a stroke or a part. By hand.
#[cfg(feature = "senders")]
#[rustfmt::skip]
pub(crate) fn han(c: char) -> Option<char> {
    Some(match c {
        '丼' => '井', '土' => '工', '攴' => '支', '忖' => '付', '室' | '宔' => '宝', '寳' => '寶', '啇' => '商',
        '衍' | '衎' => '行', '衣' => '农', '健' => '建', '没' => '设', '昭' | '沼' => '招',
        '垣' | '恆' => '恒', '任' | '往' | '佳' => '住', '反' => '友', '凌' | '萎' => '菱', '夭' | '夫' => '天',
        '薬' => '楽', '怠' => '急', '使' => '便', '曰' => '日', '木' => '本', '輪' => '輸', '束' => '東',
        '拚' => '拼', '夛' => '多', '徽' => '微', '佶' => '信', '囯' | '圀' => '国', '脱' | '悦' => '税',
        '方' => '万', '乌' => '马', '寄' => '奇', '决' => '快', '巳' | '已' => '巴', '呵' => '阿',
        '喳' => '渣', '申' => '中',
        _ => return None,
    })
}

/// Whether CJK characters that are no word are among Latin letters, where they read as a separator
/// or a letter: strokes alone (`google丶com`), or one single character of a plain shape
/// (`google工com`). Among other CJK characters (`一生gamer`, `ノートpc`) they are words.
pub(crate) fn stroke_beside_latin(label: &str) -> bool {
    if !label.contains(|c: char| c.is_ascii_alphabetic()) {
        return false;
    }
    label.split(|c| !is_cjk(c) && !is_stroke(c)).any(|run| {
        let mut chars = run.chars();
        let alone = chars.next().is_some_and(is_shape) && chars.next().is_none();
        alone || !run.is_empty() && run.chars().all(is_stroke)
    })
}

/// Lines, hooks and dots, which read as - | \ / , . ' and mean nothing or "one".
fn is_stroke(c: char) -> bool {
    matches!(
        c,
        '一' | '丨' | '丶' | '丿' | '乀' | '乁' | '乙' | '乚' | '乛' | '亅' | '亠' | '冫'
        | '冖' | '宀' | '巛'
        // CJK strokes, and the radicals that are only strokes.
        | '\u{31c0}'..='\u{31e3}' | '\u{2e80}'..='\u{2eff}'
        // All letters of Bopomofo and its extensions.
        | '\u{3105}'..='\u{312f}' | '\u{31a0}'..='\u{31bf}'
        // Kana of one stroke.
        | 'ノ' | 'ヘ' | 'へ' | 'く' | 'し' | 'ー' | 'ヽ' | 'ヾ'
    )
}

/// Crosses, corners and boxes, which read as T t X Y I n u o and are words beside others.
#[rustfmt::skip]
fn is_shape(c: char) -> bool {
    matches!(
        c,
        '二' | '丁' | '丄' | '丅' | '丆' | '丩' | '七' | '丫' | '乂' | '八' | '冂' | '几'
        | '凵' | '勹' | '匕' | '匚' | '匸' | '十' | '卜' | '卩' | '厂' | '厶' | '口'
        | '囗' | '夂' | '工' | '川' | '广' | '廴' | '廾' | '弋' | '彡' | '彳' | '〇' | '了'
        | '人' | '入' | 'ン' | 'ソ' | 'ゾ' | 'ニ' | 'ト' | 'エ' | 'ロ'
    )
}

/// Japanese marks where Japanese has none: `日本ー`, `aヽ`. The twins へ and ヘ are no such marks: a particle follows words
/// of Katakana in every sentence (`ハワイへ`).
pub(crate) fn out_of_place(label: &str) -> bool {
    let mut before: Option<char> = None;
    for c in label.chars() {
        let follows = |scripts: &[Script]| {
            before.is_some_and(|before| {
                let extension = extension(before);
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
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strokes_are_words_in_company() {
        for label in
            ["google丶com", "一google", "google工com", "googleノcom", "comンevil", "a丿丶b"]
        {
            assert!(stroke_beside_latin(label), "{label}");
        }
        for label in
            ["一生gamer", "ノートpc", "人口map", "eコマース", "一123", "丶乀乁丿", "gamer十年"]
        {
            assert!(!stroke_beside_latin(label), "{label}");
        }
    }

    #[test]
    fn japanese_marks_follow_japanese() {
        for label in ["日本ー", "aヽ"] {
            assert!(out_of_place(label), "{label}");
        }
        for label in
            ["カー", "かー", "カヽ", "ヘルプ", "へや", "ラーメン", "ハワイへ", "ようこそヘ"]
        {
            assert!(!out_of_place(label), "{label}");
        }
    }
}
