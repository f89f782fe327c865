//! What a word of a link is read as by somebody who does not look closely: signs that look like letters, letters in
//! boxes or with lines under them, and endings that look like another (`.corn`).
//!
//! Honest texts have such words. They are only compared where everybody knows what they are read as.

use std::ops::RangeInclusive;

use super::compared::shows_host;
use uts58::suffixes::{BUILTIN, Section};
use uts58::unicode::hosts::{ends_host_to_a_reader, is_invisible, is_mark};
use uts58::unicode::{is_alphanumeric, is_dot_to_somebody};

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
        matches!(c, b'|' | b'@' | b'$' | b',' | b'0' | b'_' | b'(' | b'*')
            || matches!((before, c), (b'r', b'n') | (b'.', b'.') | (b'T', b'M'))
    })
}

/// What a word is read as, if that is a host and another word.
pub(super) fn read_as(word: &str) -> Option<String> {
    if let Some(site) = without_end(word).or_else(|| bare_suffix(word)) {
        return Some(site);
    }
    if word.is_ascii() && !may_look_like_another(word) {
        return None;
    }
    let unmarked = without_marks(word);
    let word = unmarked.as_deref().unwrap_or(word);
    let mut read = String::with_capacity(word.len());
    let mut chars = word.chars().peekable();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        let is_in_word = std::mem::replace(&mut before, c).is_ascii_lowercase();
        match c {
            ',' | '\u{201a}' | '\u{66b}' | '\u{a4f9}'
                if !read.is_empty() && chars.peek().is_some_and(|next| is_alphanumeric(*next)) =>
            {
                read.push('.');
            }
            // Zeros of Arabic are dots, and there is a dot below letters.
            '\u{660}' | '\u{6f0}' | '\u{323}' => read.push('.'),
            '|' => read.push('l'),
            '@' => read.push('a'),
            '$' => read.push('s'),
            // Among small letters a capital I is seen as an l.
            'I' if is_in_word => read.push('l'),
            _ if c.is_ascii() => read.push(c.to_ascii_lowercase()),
            _ if is_not_seen(c) || is_mark(c) => {}
            _ if c == '\u{2d9}' || is_dot_to_somebody(c) || reads_as_dot(c) => {
                read.push('.');
            }
            _ if homograph::claims::reads_as_hyphen(c) => read.push('-'),
            _ if ends_host_to_a_reader(c) => read.push('/'),
            _ => match (with_dot_below(c), homograph::reads_as(c)) {
                (Some(letter), _) => read.extend([letter, '.']),
                (None, Some(letters)) => read.push_str(letters),
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
    let is_other = unmarked.is_some() || !read.eq_ignore_ascii_case(word);
    (shows_host(&read) && is_other).then_some(read)
}

/// A word without the marks of ownership and of notes in it, which a reader takes for no part of a name: `PayPal®.com`.
fn without_marks(word: &str) -> Option<String> {
    const SPELLED: [&str; 5] = ["(R)", "(r)", "(C)", "(TM)", "(tm)"];
    // Letters alone are one where the name ends: `PayPalTM.com`.
    const AT_END: &str = "TM.";
    let is_sign = |c: char| is_mark_of_owner(c) || matches!(c, '*' | '†');
    // The first letters of all of them: most words have none.
    let may_be_marked =
        word.bytes().any(|byte| !byte.is_ascii() || matches!(byte, b'(' | b'T' | b'*'));
    if !may_be_marked {
        return None;
    }
    let is_marked = word.contains(is_sign)
        || word.contains(AT_END)
        || SPELLED.into_iter().any(|mark| word.contains(mark));
    is_marked.then(|| {
        let word = word.replace(is_sign, "").replace(AT_END, ".");
        SPELLED.into_iter().fold(word, |word, mark| word.replace(mark, ""))
    })
}

/// Whether a character says that a name is somebody's, and is no part of it.
pub(super) fn is_mark_of_owner(c: char) -> bool {
    matches!(c, '®' | '©' | '™' | '℠')
}

/// A word that ends in an ellipsis inside its suffix, or in place of it, with the suffix that a reader expects:
/// `https://www.example.c…`.
fn without_end(word: &str) -> Option<String> {
    // Most words have none.
    let is_ellipsis = |three: &[u8]| three == b"..." || three == "…".as_bytes();
    if !word.as_bytes().windows(3).any(is_ellipsis) {
        return None;
    }
    let (shown, after) = word.split_once('…').or_else(|| word.split_once("..."))?;
    let host = shown.split_once("//").map_or(shown, |(_, host)| host);
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    if !host.chars().all(plain) || !(after.is_empty() || after.starts_with('/')) {
        return None;
    }
    let is_url = host.len() < shown.len();
    let (name, suffix) = match host.rsplit_once('.') {
        Some((name, "c" | "co" | "")) => (name, ".com"),
        Some((_, label)) if let Some((_, rest)) = CUT.iter().find(|(cut, _)| *cut == label) => {
            (host, *rest)
        }
        // What is short is a whole suffix.
        Some((_, label)) if label.len() >= SHORTEST_CUT => (host, ".com"),
        None if is_url => (host, ".com"),
        _ => return None,
    };
    Some([name, suffix].concat())
}

/// The first letters of suffixes of countries, and the rest of each.
const CUT: [(&str, &str); 8] = [
    ("a", "t"),
    ("d", "e"),
    ("f", "r"),
    ("i", "t"),
    ("j", "p"),
    ("n", "l"),
    ("p", "l"),
    ("u", "k"),
];

/// Letters of the shortest label that is one before a suffix which is left out.
const SHORTEST_CUT: usize = 5;

/// A public suffix that is shown as a site, as its host: governments have sites there (`gov.uk`).
fn bare_suffix(word: &str) -> Option<String> {
    let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let host =
        word.split_once("//").map_or(word, |(_, rest)| rest).split(['/', '?', '#']).next()?;
    let may_be = (SHORTEST_SUFFIX..=LONGEST_SUFFIX).contains(&host.len()) && host.contains('.');
    let lower = may_be.then(|| host.to_ascii_lowercase())?;
    let suffix = BUILTIN.of_name(&lower);
    let is_suffix =
        suffix.section == Some(Section::Icann) && suffix.labels == lower.split('.').count();
    is_suffix.then(|| ["www.", &lower].concat())
}

/// Bytes of the public suffixes that are sites.
const SHORTEST_SUFFIX: usize = 5;
const LONGEST_SUFFIX: usize = 16;

/// A text with blanks in it, without them, if they are the space beside full stops and slashes or between single
/// letters: `https:// www. example. com / login`.
pub(super) fn without_blanks(text: &str) -> Option<String> {
    let text = text.trim();
    // What most fail on.
    if !text.contains('.') || !text.contains(char::is_whitespace) {
        return None;
    }
    let pieces = || text.split_whitespace();
    let pairs = || pieces().zip(pieces().skip(1));
    let is_beside =
        |(before, after): (&str, &str), sign| before.ends_with(sign) || after.starts_with(sign);
    let is_letter = |piece: Option<&str>| {
        piece.is_some_and(|piece| piece.len() <= 4 && piece.chars().count() == 1)
    };
    let are_letters = |pair: (&str, &str)| {
        is_letter(pair.0.rsplit('.').next()) && is_letter(pair.1.split('.').next())
    };
    let is_space =
        |pair: (&str, &str)| is_beside(pair, '.') || is_beside(pair, '/') || are_letters(pair);
    let some = pairs().any(|pair| is_beside(pair, '.') || are_letters(pair));
    (some && pairs().all(is_space)).then(|| pieces().collect())
}

/// Words that say a full stop where somebody spells an address: of English, German, Italian and Spanish, Portuguese, French,
/// Dutch, Polish, Czech, Turkish, Russian, Ukrainian.
const DOTS: [&str; 11] = [
    "dot", "punkt", "punto", "ponto", "point", "punt", "kropka", "tečka", "nokta", "точка",
    "крапка",
];

/// Of them those that are no other word in front of `de`, which many languages have: `Amazon Point de retrait`.
const BEFORE_DE: [&str; 2] = ["dot", "punkt"];

/// A text in which full stops are spelled, with the stops: `example dot com`, `example (dot) com`.
pub(super) fn with_spelled_dots(text: &str) -> Option<String> {
    let is_blank = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | '{' | '}');
    let words = || text.split(is_blank).filter(|word| !word.is_empty());
    let spelled = |word: &str| DOTS.into_iter().find(|dot| word.eq_ignore_ascii_case(dot));
    // What most fail on.
    words().find_map(spelled)?;
    let mut read = String::with_capacity(text.len());
    let mut words = words().peekable();
    while let Some(word) = words.next() {
        let is_dot = spelled(word).is_some_and(|dot| {
            let next = words.peek().copied().unwrap_or_default();
            !read.is_empty()
                && next.starts_with(is_alphanumeric)
                && (BEFORE_DE.contains(&dot) || !next.eq_ignore_ascii_case("de"))
        });
        match is_dot {
            true => read.push('.'),
            false if read.is_empty() || read.ends_with('.') => read.push_str(word),
            false => read.extend([" ", word]),
        }
    }
    read.contains('.').then_some(read)
}

/// Whether a character looks like a full stop, by confusables.txt or as a dot or letter of its own, and is none to any
/// program.
pub(super) fn reads_as_dot(c: char) -> bool {
    !c.is_ascii()
        && !is_dot_to_somebody(c)
        && (homograph::reads_as_full_stop(c)
            || matches!(
                c,
                '\u{387}'
                    | '\u{6d4}'
                    | '\u{2804}'
                    | '\u{2820}'
                    | '\u{2840}'
                    | '\u{2880}'
                    | '\u{a4f8}'
                    | '°'
                    | '●'
                    | '⚫'
                    | '\u{2cfe}'
            )
            || !is_alphanumeric(c) && homograph::claims::reads_as_dot(c))
}

/// Whether the dot in front of a text separates words of Chinese, Japanese or Korean, as a comma does: an abbreviation in
/// capitals is behind it, then such a word (`Google・IT業界の動向`).
pub(super) fn separates_words(behind: &str) -> bool {
    let rest = behind.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let word = behind.get(..behind.len() - rest.len()).unwrap_or_default();
    let next = rest.strip_prefix(' ').unwrap_or(rest).chars().next();
    ABBREVIATION.contains(&word.len())
        && !OF_SITES.contains(&word)
        && next.is_some_and(homograph::is_cjk)
}

/// Letters of an abbreviation that is a top-level domain by chance, and those that sites are known by.
const ABBREVIATION: RangeInclusive<usize> = 2..=4;
const OF_SITES: [&str; 3] = ["COM", "NET", "ORG"];

/// Whether one of the dots of a word, which begins here in a text, separates it from the next.
pub(super) fn holds_separator(text: &str, word: &str) -> bool {
    let is_dot = |c: char| is_dot_to_somebody(c) || reads_as_dot(c);
    let separates = |(at, sign): (usize, &str)| {
        let behind = text.get(at + sign.len()..).unwrap_or_default();
        // What most fail on.
        behind.starts_with(|c: char| c.is_ascii_uppercase())
            && sign.chars().all(is_dot)
            && separates_words(behind)
    };
    !word.is_ascii() && word.match_indices(|c: char| !c.is_ascii()).any(separates)
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
    flag.or_else(|| homograph::claims::plain_letter(c).map(|letter| letter.to_ascii_lowercase()))
}

fn with_dot_below(c: char) -> Option<char> {
    WITH_DOT_BELOW.split_once(c).and_then(|(_, rest)| rest.chars().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_stops_that_are_spelled() {
        for (text, read) in [
            ("example dot com", Some("example.com")),
            ("www DOT example Dot com", Some("www.example.com")),
            ("Log in at example (dot) com now", Some("Log in at example.com now")),
            ("example[dot]com", Some("example.com")),
            ("example punkt de", Some("example.de")),
            ("example точка рф", Some("example.рф")),
            ("Amazon Point de retrait", None),
            ("dot com", None),
            ("the red dot", None),
            ("example.com", None),
        ] {
            assert_eq!(with_spelled_dots(text).as_deref(), read, "{text}");
        }
    }

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
            ("ex⠄com", "ex.com"),
            ("ex⢀com", "ex.com"),
            ("ex۔com", "ex.com"),
            ("https://www.example.c…", "www.example.com"),
            ("example.co…/signin", "example.com"),
            ("www.example.c...", "www.example.com"),
            ("www.example…", "www.example.com"),
            ("https://example...", "example.com"),
            ("gov.uk", "www.gov.uk"),
            ("https://GOV.UK/pay", "www.gov.uk"),
            ("gouv.fr.", "www.gouv.fr"),
            ("ex\u{323}com", "ex.com"),
            ("ex.ᶜᵒᵐ", "ex.com"),
            ("my‑ex.com", "my-ex.com"),
            ("my—ex.com", "my-ex.com"),
            ("my−ex.com", "my-ex.com"),
            ("my_ex.com/a_b", "my-ex.com/a_b"),
            ("exIa.c0m", "exla.com"),
            ("ExAI.c0m", "exai.com"),
            ("Ex®.com", "ex.com"),
            ("www.ex™.com", "www.ex.com"),
            ("exTM.com", "ex.com"),
            ("Ex(R).com/x", "ex.com/x"),
            ("ex*.com", "ex.com"),
            ("https://www,ex,com∕signin", "https://www.ex.com/signin"),
            ("https://ex.com⁄x", "https://ex.com/x"),
            ("https://www.example.d…", "www.example.de"),
            ("example.co.u…", "example.co.uk"),
        ] {
            assert_eq!(read_as(word).as_deref(), Some(host), "{word}");
        }
        for word in [
            "example.com", "Example.com", "ex.com/a_b", "corn", "a, b", "10", "x0", "٢٠٢٠",
            "wait...", "ex.de...", "Mr.X...", "www.gov.uk", "com", "a.b",
        ] {
            assert_eq!(read_as(word), None, "{word}");
        }
        assert_eq!(without_blanks(" www. ex .com ").as_deref(), Some("www.ex.com"));
        assert_eq!(without_blanks("e x . c o m").as_deref(), Some("ex.com"));
        assert_eq!(without_blanks("w w w . ex . com").as_deref(), Some("www.ex.com"));
        assert_eq!(without_blanks("www.e x a.com").as_deref(), Some("www.exa.com"));
        assert_eq!(without_blanks("E X.COM").as_deref(), Some("EX.COM"));
        let url = without_blanks("https:// www . ex . com / login");
        assert_eq!(url.as_deref(), Some("https://www.ex.com/login"));
        for text in
            ["see ex.com", "ex.com", "Read more. Now", "ex.com / ex.de", "Read more. Now / then"]
        {
            assert_eq!(without_blanks(text), None, "{text}");
        }
    }
}
