//! Signs that stand for letters in a name: `P@yPal`, `Micro$oft`, `Micr⭕soft`, `アマゾソ`, `支忖宝`.
//!
//! They are signs, dashes and letters of their own as well, so the text is read both ways.

use unicode_script::Script;

use crate::characters::cjk::han;
use crate::protected::display_text::{L_OR_I, SHOWN};
use uts58::unicode::ScriptOf as _;

/// The text with signs between letters as the letters that they stand for; `None` if it has none.
pub(super) fn read(text: &str) -> Option<String> {
    let letters = text.chars().take(2 * SHOWN);
    if !letters.clone().any(|c| sign(c).is_some() || latin(c).is_some()) {
        return None;
    }
    let mut letters: Vec<char> = letters.collect();
    let mut found = false;
    for at in 0..letters.len() {
        let beside = [at.checked_sub(1), at.checked_add(1)];
        let mut beside = beside.into_iter().flatten().filter_map(|at| letters.get(at).copied());
        let Some(c) = letters.get(at).copied() else { continue };
        let letter = match sign(c) {
            Some(letter) => Some(letter).filter(|_| beside.any(is_kana)),
            None => latin(c).filter(|_| beside.any(|c| c.is_ascii_alphabetic())),
        };
        if let (Some(letter), Some(slot)) = (letter, letters.get_mut(at)) {
            *slot = letter;
            found = true;
        }
    }
    found.then(|| letters.into_iter().collect())
}

/// The Latin letter that a sign stands for.
fn latin(c: char) -> Option<char> {
    Some(match c {
        '@' | '₳' => 'a',
        '฿' | '₿' => 'b',
        '$' | '§' | '₴' => 's',
        '!' | '¡' => L_OR_I,
        '€' => 'e',
        '£' => 'l',
        '¥' => 'y',
        '₥' => 'm',
        '∏' | '∩' => 'n',
        '¤' => 'o',
        '₱' | '₽' => 'p',
        '₮' => 't',
        '¢' | '©' => 'c',
        '®' => 'r',
        '℗' => 'p',
        '†' | '‡' | '✝' => 't',
        // Rings, disks, and pictures, most of which are round.
        '°' | '\u{25a0}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}' | '\u{1f300}'..='\u{1faff}' => 'o',
        _ => return None,
    })
}

/// The sign of a Chinese or Japanese name that a character resembles.
fn sign(c: char) -> Option<char> {
    Some(match c {
        '―' | '─' | '—' | '–' | '━' | '‐' | '-' => 'ー',
        'ソ' => 'ン',
        'シ' => 'ツ',
        _ => return han(c),
    })
}

fn is_kana(c: char) -> bool {
    c == 'ー' || matches!(c.script(), Script::Katakana | Script::Han)
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn signs_stand_for_letters_beside_letters() {
        for (text, letters) in [
            ("P@yPal", "PayPal"),
            ("Micro$oft Support", "Microsoft Support"),
            ("Appl€", "Apple"),
            ("₱ay₱al", "paypal"),
            ("Amaz¤n", "Amazon"),
            ("℗ayPal", "payPal"),
            ("G⭕ogle", "Google"),
            ("アマゾソ", "アマゾン"),
            ("三丼住友カ―ド", "三井住友カード"),
            ("三井任友銀行", "三井住友銀行"),
            ("支忖宝", "支付宝"),
        ] {
            assert_eq!(read(text).as_deref(), Some(letters), "{text}");
        }
        for text in ["Ann Example", "Sale: 5 $ off", "🌞 Sunny", "Ann - Bob", ""] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
