//! Names in Chinese, Japanese or Korean with signs that are drawn like theirs but for a stroke, a part or their size
//! (`工商银衍`, `ァマゾン`, `카카요뱅크`). A look-up does not depend on the length of the table.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use smallvec::SmallVec;

use crate::characters::cjk::is_cjk;
use crate::characters::drawn_signs::{LONG, drawn, drawn_in_long};
use uts58::tlds::Fnv;

/// Signs of the shortest name, and of the longest label that is looked up. Two signs are too often a word of their own:
/// `徽信` is no `微信`.
const LEAST: usize = 3;
const MAX_SIGNS: usize = 24;

/// Names as they are spelled, with the rows of the table.
type Spellings = SmallVec<[(Box<str>, usize); 1]>;

/// Names by their signs, of which those that look alike are one.
#[derive(Debug, Default)]
pub(super) struct SignTwins {
    names: HashMap<Box<str>, Spellings, BuildHasherDefault<Fnv>>,
    /// The two signs that names begin with, sorted.
    beginnings: Vec<[char; 2]>,
}

impl SignTwins {
    /// Adds a name of this row of the table, if it has so many signs.
    pub(super) fn add(&mut self, name: &str, row: usize) {
        // Most names.
        if name.is_ascii() {
            return;
        }
        let Some(spelled) = signs(name) else { return };
        let is_long = spelled.chars().nth(LONG - 1).is_some();
        let look = if is_long { drawn_in_long } else { drawn };
        let look: String = spelled.chars().map(look).collect();
        if let Some(beginning) = beginning(spelled.chars())
            && let Err(at) = self.beginnings.binary_search(&beginning)
        {
            self.beginnings.insert(at, beginning);
        }
        self.names.entry(look.into()).or_default().push((spelled.into(), row));
    }

    /// The row of the name that a label is drawn like, or what stands in front of a word that asks.
    pub(super) fn find(&self, label: &str, asks: impl Fn(&str) -> bool) -> Option<usize> {
        // What most fail on.
        if label.is_ascii() {
            return None;
        }
        let beginning = beginning(letters(label))?;
        self.beginnings.binary_search(&beginning).ok()?;
        let spelled = signs(label)?;
        let (mut short, mut long) = (String::new(), String::with_capacity(spelled.len()));
        spelled.char_indices().enumerate().find_map(|(before, (at, sign))| {
            short.push(drawn(sign));
            long.push(drawn_in_long(sign));
            let look = if before + 1 < LONG { &short } else { &long };
            let (front, rest) = spelled.split_at_checked(at + sign.len_utf8())?;
            let is_word = rest.is_empty() || asks(rest);
            let named = is_word.then(|| self.names.get(look.as_str())).flatten()?;
            let is_spelled_so = named.iter().any(|(name, _)| **name == *front);
            named.first().filter(|_| !is_spelled_so).map(|(_, row)| *row)
        })
    }
}

/// The two signs that a text begins with, as they are drawn.
fn beginning(mut letters: impl Iterator<Item = char>) -> Option<[char; 2]> {
    let mut next = || letters.next().map(|c| drawn_in_long(c.to_ascii_lowercase()));
    Some([next()?, next()?])
}

/// The letters of a word, blanks and hyphens aside.
fn letters(word: &str) -> impl Iterator<Item = char> {
    word.chars().filter(|c| !matches!(c, '-' | ' ' | '・'))
}

/// The letters of a word in small letters, blanks and hyphens aside, if enough of them are such signs, and none is of
/// another script.
fn signs(word: &str) -> Option<String> {
    let (mut signs, mut count) = (String::with_capacity(word.len()), 0);
    for (at, c) in letters(word).enumerate() {
        let is_sign = is_cjk(c);
        if at == MAX_SIGNS || !is_sign && !c.is_ascii_alphanumeric() {
            return None;
        }
        count += usize::from(is_sign);
        signs.push(c.to_ascii_lowercase());
    }
    (count >= LEAST).then_some(signs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_signs_that_look_alike() {
        let mut twins = SignTwins::default();
        let names = [
            "工商银行", "支付宝", "三井住友銀行", "アマゾン", "카카오뱅크", "네이버", "佐川急便",
            "ゆうちょ銀行", "UCカード", "微信", "マイクロソフト", "微信支付", "メルカリ",
        ];
        for (row, name) in names.iter().enumerate() {
            twins.add(name, row);
        }
        let find = |label: &str| twins.find(label, |word| matches!(word, "登录" | "ログイン"));
        for (label, name) in [
            ("工商银衍", "工商银行"),
            ("土商银行", "工商银行"),
            ("支忖宝", "支付宝"),
            ("攴付室", "支付宝"),
            ("支忖宝登录", "支付宝"),
            ("支忖宝-登录", "支付宝"),
            ("三丼住友銀行", "三井住友銀行"),
            ("三井任友銀行", "三井住友銀行"),
            ("アマゾソ", "アマゾン"),
            ("ァマゾン", "アマゾン"),
            ("アマゾソログイン", "アマゾン"),
            ("캬카오뱅크", "카카오뱅크"),
            ("카카요뱅크", "카카오뱅크"),
            ("네이벼", "네이버"),
            ("佐川急使", "佐川急便"),
            ("ゆうちよ銀行", "ゆうちょ銀行"),
            ("マイクロンフト", "マイクロソフト"),
            ("徽信支付", "微信支付"),
            ("メル力リ", "メルカリ"),
            ("ゆうぢょ銀行", "ゆうちょ銀行"),
            ("マイグロソフト", "マイクロソフト"),
        ] {
            assert_eq!(find(label).map(|row| names[row]), Some(name), "{label}");
        }
        for label in [
            "工商银行", "支付宝", "アマゾン", "マイクロソフト", "支付宝登录", "徽信", "农商银行",
            "支忖宝店", "三友銀行", "네이버", "네이바", "카카오", "ucカード", "amazon", "", "-",
            "メルガリ", "сбербанк",
        ] {
            assert_eq!(find(label), None, "{label}");
        }
        let long = "工".repeat(100_000);
        assert_eq!(find(&long), None);
    }
}
