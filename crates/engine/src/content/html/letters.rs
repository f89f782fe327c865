//! What a word of a link is read as by somebody who does not look closely: signs that look like letters, letters in
//! boxes or with lines under them, and endings that look like another (`.corn`).
//!
//! Honest texts have such words. They are only compared where everybody knows what they are read as.

use super::compared::shows_host;
use uts58::unicode::hosts::{is_invisible, is_mark};
use uts58::unicode::is_dot_to_somebody;

/// Endings that look like others.
const ENDINGS: [(&str, &str); 5] =
    [("corn", "com"), ("c0m", "com"), ("c0rn", "com"), ("0rg", "org"), ("rnil", "mil")];

/// Latin letters with a dot below, which looks like a full stop behind them, and the letters without.
const WITH_DOT_BELOW: &str = "ạaḅbḍdẹeḥhịiḳkḷlṃmṇnọoṛrṣsṭtụuṿvẉwỵyẓz";

/// Whether a text may be read as another one although it has ASCII only.
pub(super) fn may_look_like_another(text: &str) -> bool {
    let mut before = 0;
    text.bytes().any(|c| {
        let before = std::mem::replace(&mut before, c);
        matches!(c, b'|' | b'@' | b'$' | b',' | b'0' | b'_') || c == b'n' && before == b'r'
    })
}

/// What a word is read as, if that is a host and another word.
pub(super) fn read_as(word: &str) -> Option<String> {
    if word.is_ascii() && !may_look_like_another(word) {
        return None;
    }
    let mut read = String::with_capacity(word.len());
    let mut chars = word.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ',' | '\u{201a}' | '\u{66b}' | '\u{a4f9}'
                if !read.is_empty() && chars.peek().is_some_and(|next| next.is_alphanumeric()) =>
            {
                read.push('.');
            }
            // Zeros of Arabic are dots, and there is a dot below letters.
            '\u{660}' | '\u{6f0}' | '\u{323}' => read.push('.'),
            '|' => read.push('l'),
            '@' => read.push('a'),
            '$' => read.push('s'),
            _ if c.is_ascii() => read.push(c.to_ascii_lowercase()),
            _ if is_not_seen(c) || is_mark(c) => {}
            _ if c == '\u{2d9}' || is_dot_to_somebody(c) || reads_as_dot(c) => {
                read.push('.');
            }
            _ if homograph::reads_as_hyphen(c) => read.push('-'),
            _ => match (with_dot_below(c), homograph::reads_as(c)) {
                (Some(letter), _) => read.extend([letter, '.']),
                (None, Some(letters)) => read.push_str(&letters),
                (None, None) => read.push(styled(c).unwrap_or(c)),
            },
        }
    }
    let from = memchr::memmem::find(read.as_bytes(), b"//").map_or(0, |at| at + 2);
    let rest = read.get(from..).unwrap_or_default();
    let host = from + rest.find(['/', '?', '#', ':']).unwrap_or(rest.len());
    // No known name has a low line, and what has other letters is none either.
    let joined = read.get(from..host)?.replace('_', "-");
    read.replace_range(from..host, &joined);
    let name = read.get(..host).filter(|name| name.is_ascii())?;
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    let like = ENDINGS.iter().find(|(written, _)| ending == Some(*written));
    if let Some((written, like)) = like {
        read.replace_range(host - written.len()..host, like);
    }
    (shows_host(&read) && !read.eq_ignore_ascii_case(word)).then_some(read)
}

/// A text with blanks in it, without them, if they are the space beside full stops or between single letters:
/// `www. example. com`.
pub(super) fn without_blanks(text: &str) -> Option<String> {
    let text = text.trim();
    // What most fail on.
    if !text.contains('.') || !text.contains(char::is_whitespace) {
        return None;
    }
    let pieces = || text.split_whitespace();
    let beside_dots = pieces()
        .zip(pieces().skip(1))
        .all(|(before, after)| before.ends_with('.') || after.starts_with('.'));
    let is_letter = |piece: &str| piece.chars().nth(1).is_none();
    (beside_dots || pieces().all(is_letter)).then(|| pieces().collect())
}

/// Whether a character looks like a full stop, by confusables.txt or as a dot or letter of its own, and is none to any
/// program.
pub(super) fn reads_as_dot(c: char) -> bool {
    !c.is_ascii()
        && !is_dot_to_somebody(c)
        && (homograph::reads_as_full_stop(c)
            || matches!(c, '\u{387}' | '\u{2840}' | '\u{a4f8}')
            || !c.is_alphanumeric() && homograph::reads_as_dot(c))
}

/// Whether nothing, or next to nothing, is seen of a character.
pub(super) fn is_not_seen(c: char) -> bool {
    is_invisible(c)
        || matches!(c, '\u{2004}'..='\u{2006}' | '\u{2008}'..='\u{200a}' | '\u{202f}' | '\u{205f}')
        || matches!(c, '\u{2800}' | '\u{fffc}' | '\u{1d159}')
}

/// The letter of one of a flag, or in a box, a circle or another style.
fn styled(c: char) -> Option<char> {
    let flag = u32::from(c).checked_sub(0x1F1E6).and_then(|row| u8::try_from(row).ok());
    let flag = flag.filter(|row| *row < 26).map(|row| char::from(b'a' + row));
    flag.or_else(|| homograph::plain_letter(c).map(|letter| letter.to_ascii_lowercase()))
}

fn with_dot_below(c: char) -> Option<char> {
    WITH_DOT_BELOW.split_once(c).and_then(|(_, rest)| rest.chars().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_look_like_hosts() {
        for (word, host) in [
            ("www.example.corn/x", "www.example.com/x"),
            ("https://example.c0m", "https://example.com"),
            ("examp|e.com", "example.com"),
            ("ex@mple.com", "example.com"),
            ("example,com", "example.com"),
            ("e\u{332}x\u{332}a.com", "exa.com"),
            ("🅴🆇.🅲🅾🅼", "ex.com"),
            ("ex.ᴄᴏᴍ", "ex.com"),
            ("exḷcom", "exl.com"),
            ("ex˙com", "ex.com"),
            ("www٠ex۰com", "www.ex.com"),
            ("ex‚com", "ex.com"),
            ("ex٫com", "ex.com"),
            ("exꓹcom", "ex.com"),
            ("ex⡀com", "ex.com"),
            ("ex\u{323}com", "ex.com"),
            ("ex.ᶜᵒᵐ", "ex.com"),
            ("my‑ex.com", "my-ex.com"),
            ("my—ex.com", "my-ex.com"),
            ("my−ex.com", "my-ex.com"),
            ("my_ex.com/a_b", "my-ex.com/a_b"),
        ] {
            assert_eq!(read_as(word).as_deref(), Some(host), "{word}");
        }
        for word in ["example.com", "Example.com", "ex.com/a_b", "corn", "a, b", "10", "x0", "٢٠٢٠"]
        {
            assert_eq!(read_as(word), None, "{word}");
        }
        assert_eq!(without_blanks(" www. ex .com ").as_deref(), Some("www.ex.com"));
        assert_eq!(without_blanks("e x . c o m").as_deref(), Some("ex.com"));
        for text in ["see ex.com", "ex.com", "Read more. Now"] {
            assert_eq!(without_blanks(text), None, "{text}");
        }
    }
}
