//! Letters that are written with regional indicators, of which two make a flag.

use std::borrow::Cow;

/// Letters of a word that is written so at least.
const MIN_LETTERS: usize = 4;

/// The text with bold letters for words of regional indicators that stand apart from one another, so that no program
/// shows a flag (`🇵 🇦 🇾 🇵 🇦 🇱`).
pub(super) fn as_letters(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.contains(|c| letter(c).is_some()) {
        return Cow::Borrowed(text);
    }
    let mut read = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|c| letter(c).is_some()) {
        let (before, from) = rest.split_at(start);
        read.push_str(before);
        let (word, end) = word_at(from);
        let (spelled, after) = from.split_at(end);
        match word.chars().count() >= MIN_LETTERS {
            true => read.push_str(&word),
            false => read.push_str(spelled),
        }
        rest = after;
    }
    read.push_str(rest);
    Cow::Owned(read)
}

/// The word of letters apart from one another that a text begins with, and where they end; none of those where two are
/// joined, which is a flag.
fn word_at(text: &str) -> (String, usize) {
    let (mut word, mut end, mut has_flag) = (String::new(), 0, false);
    loop {
        let rest = text.get(end..).unwrap_or_default();
        let next = rest.trim_start_matches(is_gap);
        let Some((c, bold)) = next.chars().next().and_then(|c| Some((c, letter(c)?))) else {
            break;
        };
        let gap = rest.len() - next.len();
        has_flag |= gap == 0 && end > 0;
        word.push(bold);
        end += gap + c.len_utf8();
    }
    if has_flag {
        word.clear();
    }
    (word, end)
}

/// What stands between letters that are apart.
fn is_gap(c: char) -> bool {
    matches!(c, ' ' | '\u{a0}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}')
}

/// The bold letter for a regional indicator.
fn letter(c: char) -> Option<char> {
    let at = u32::from(c).checked_sub(u32::from('\u{1f1e6}')).filter(|at| *at < 26)?;
    char::from_u32(u32::from('\u{1d400}') + at)
}

#[cfg(test)]
mod tests {
    use super::as_letters;

    #[test]
    fn letters_apart_are_read_and_flags_are_not() {
        for gap in ["\u{200b}", " ", "\u{2060}"] {
            let letters = ["🇵", "🇦", "🇾", "🇵", "🇦", "🇱"].join(gap);
            assert_eq!(as_letters(&format!("Your {letters}: x")), "Your 𝐏𝐀𝐘𝐏𝐀𝐋: x");
        }
        for text in ["🇩🇪🇦🇹🇨🇭", "🇩🇪 🇦🇹 🇨🇭 News", "🇵 🇦", "PayPal 🌞", "plain", ""]
        {
            assert_eq!(as_letters(text), text);
        }
    }
}
