//! Letters that are written with regional indicators, of which two make a flag.

use std::borrow::Cow;

/// Letters of a word that is written so at least.
const MIN_LETTERS: usize = 4;

/// The text with bold letters for words of regional indicators that are no flags: they stand apart from one another
/// (`🇵 🇦 🇾 🇵 🇦 🇱`), or two of them are the flag of no country, so that letters are shown (`🇵🇦🇾🇵🇦🇱`). Outlook on
/// Windows shows no flags at all.
pub fn as_letters(text: &str) -> Cow<'_, str> {
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

/// The word of letters that a text begins with, and where they end; none of those that are flags.
fn word_at(text: &str) -> (String, usize) {
    let (mut word, mut end, mut joined) = (String::new(), 0, String::new());
    let (mut are_apart, mut is_flagless) = (true, false);
    loop {
        let rest = text.get(end..).unwrap_or_default();
        let next = rest.trim_start_matches(is_gap);
        let found = next.chars().next().and_then(|c| Some((c, letter(c)?)));
        let gap = rest.len() - next.len();
        if found.is_none() || gap > 0 {
            are_apart &= joined.chars().count() < 2;
            is_flagless |= !are_flags(&joined);
            joined.clear();
        }
        let Some((c, bold)) = found else { break };
        joined.push(c);
        word.push(bold);
        end += gap + c.len_utf8();
    }
    if !are_apart && !is_flagless {
        word.clear();
    }
    (word, end)
}

/// Whether a row of regional indicators without gaps is one of flags. A letter alone is none, and says nothing.
fn are_flags(row: &str) -> bool {
    let letters: Vec<u32> = row.chars().filter_map(index).collect();
    let is_flag = |pair: &[u32]| match pair {
        [first, second] => SECOND_LETTERS
            .get(*first as usize)
            .is_some_and(|seconds| seconds.bytes().any(|c| u32::from(c - b'A') == *second)),
        _ => letters.len() == 1,
    };
    letters.chunks(2).all(is_flag)
}

/// The second letters of flags, by the first one (Unicode emoji-sequences.txt, `RGI_Emoji_Flag_Sequence`).
#[rustfmt::skip]
const SECOND_LETTERS: [&str; 26] = [
    "CDEFGILMOQRSTUWXZ", "ABDEFGHIJLMNOQRSTVWYZ", "ACDFGHIKLMNOPQRUVWXYZ", "EGJKMOZ", "ACEGHRSTU", "IJKMOR",
    "ABDEFGHILMNPQRSTUWY", "KMNRTU", "CDELMNOQRST", "EMOP", "EGHIMNPRWYZ", "ABCIKRSTUVY", "ACDEFGHKLMNOPQRSTUVWXYZ",
    "ACEFGILOPRUZ", "M", "AEFGHKLMNRSTWY", "A", "EOSUW", "ABCDEGHIJKLMNORSTVXYZ", "ACDFGHJKLMNORTVWZ", "AGMNSYZ",
    "ACEGINU", "FS", "K", "ET", "AMW",
];

/// What stands between letters that are apart.
fn is_gap(c: char) -> bool {
    matches!(c, ' ' | '\u{a0}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}')
}

/// The bold letter for a regional indicator.
fn letter(c: char) -> Option<char> {
    char::from_u32(u32::from('\u{1d400}') + index(c)?)
}

/// The place of a regional indicator in the alphabet.
fn index(c: char) -> Option<u32> {
    u32::from(c).checked_sub(u32::from('\u{1f1e6}')).filter(|at| *at < 26)
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
        for (text, letters) in [
            ("🇵🇦🇾🇵🇦🇱 Support", "𝐏𝐀𝐘𝐏𝐀𝐋 Support"),
            ("🇳🇪🇹🇫🇱🇮🇽", "𝐍𝐄𝐓𝐅𝐋𝐈𝐗"),
            ("my 🇵🇦🇾 🇵🇦🇱", "my 𝐏𝐀𝐘𝐏𝐀𝐋"),
            ("🇵🇦\u{200b}🇾🇵\u{200b}🇦🇱", "𝐏𝐀𝐘𝐏𝐀𝐋"),
        ] {
            assert_eq!(as_letters(text), letters);
        }
        for text in [
            "🇩🇪🇦🇹🇨🇭",
            "🇩🇪 🇦🇹 🇨🇭 News",
            "🇵🇱 Poland",
            "🇺🇸🇬🇧🇩🇪",
            "🇪🇺🇺🇳🇽🇰🇦🇨",
            "🇩🇪 🇦🇹 🇨",
            "🇵 🇦",
            "🇽🇽",
            "🇵",
            "PayPal 🌞",
            "plain",
            "",
        ] {
            assert_eq!(as_letters(text), text);
        }
    }
}
