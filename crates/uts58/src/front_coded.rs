//! Sorted words in one text, each without what it shares with the previous one: the form in which
//! lists are built into a program that a web page loads.

use alloc::string::String;

/// The number of the last capital, counted from `A` as 0.
pub(crate) const LAST: usize = 25;

/// Packs words into one text. Each begins with a capital that means how many bytes are dropped from
/// the end of the previous word: none (`A`) to 24 (`Y`), or all (`Z`). The words themselves are
/// ASCII without capitals. The dropped length compresses better than the kept length, because
/// endings are alike.
///
/// ```
/// use uts58::front_coded::{pack, words};
///
/// let packed = pack(["com", "community", "coop"]);
/// assert_eq!(packed, "AcomAmunityHop");
/// assert!(words(&packed).eq(["com", "community", "coop"]));
/// ```
pub fn pack<'t>(words: impl IntoIterator<Item = &'t str>) -> String {
    let (mut out, mut before) = (String::new(), "");
    for word in words {
        let pairs = before.bytes().zip(word.bytes());
        let same = pairs.take_while(|(one, other)| one == other).count();
        let dropped = before.len() - same;
        let (dropped, same) = if dropped < LAST { (dropped, same) } else { (LAST, 0) };
        out.extend(('A'..='Z').nth(dropped));
        out.push_str(word.get(same..).unwrap_or_default());
        before = word;
    }
    out
}

/// The words of a packed text. Of a text that [`pack`] did not write, some words.
pub fn words(packed: &str) -> impl Iterator<Item = String> {
    let mut rest = packed;
    let mut before = String::new();
    core::iter::from_fn(move || {
        let capital = rest.bytes().next()?;
        let after = rest.get(1..)?;
        let end = after.find(|c: char| c.is_ascii_uppercase()).unwrap_or(after.len());
        let (letters, next) = after.split_at_checked(end)?;
        rest = next;
        let dropped = usize::from(capital.saturating_sub(b'A'));
        let kept = if dropped < LAST { before.len().saturating_sub(dropped) } else { 0 };
        before.truncate(before.floor_char_boundary(kept));
        before.push_str(letters);
        Some(before.clone())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_does_harm() {
        for text in ["AéA", "AéBx", "xABé", "éA", "Z", "AaéCBaé"] {
            assert!(words(text).count() <= text.len(), "{text}");
        }
    }

    #[test]
    fn long_words_come_back() {
        let long = |letter: &str, length: usize| ["a", &letter.repeat(length)].concat();
        let all = [long("b", 24), long("c", 25), long("d", 26), long("d", 60), "ae".to_owned()];
        let packed = pack(all.iter().map(String::as_str));
        assert!(words(&packed).eq(all), "{packed}");
    }
}
