//! Defangs links for reports, so that no client, terminal or wiki makes them clickable.

use crate::engine::link::scheme::{self, Does};
use crate::engine::unicode::hosts::is_invisible;
use crate::engine::unicode::is_dot_to_somebody;

/// The spelling with schemes, dots and `@` broken: `hxxp://www[.]example[.]com/a[.]html`,
/// `user[@]example[.]com`, `javascript[:]…`. Control and bidi characters are written as `\u{…}`,
/// so that they have no effect and can be seen.
pub fn defang(spelling: &str) -> String {
    let mut out = String::with_capacity(spelling.len() + 16);
    for character in spelling.chars() {
        match character {
            ':' => push_colon(&mut out),
            dot if is_dot_to_somebody(dot) => {
                out.push('[');
                out.push(dot);
                out.push(']');
            }
            '@' => out.push_str("[@]"),
            hidden if is_hidden(hidden) => out.extend(hidden.escape_unicode()),
            other => out.push(other),
        }
    }
    out
}

/// Appends a colon. If the text ends with a scheme, the scheme is defanged.
fn push_colon(text: &mut String) {
    if let Some(linked) = scheme::linked_at_end(text) {
        text.truncate(text.len() - linked.name.len());
        text.push_str(linked.dead);
        text.push(':');
        return;
    }
    let letters = |c: &u8| c.is_ascii_alphanumeric() || *c == b'-';
    let name = text.len() - text.bytes().rev().take(SCHEME_BYTES).take_while(letters).count();
    let opened = text.get(name..).and_then(scheme::does).is_some_and(|does| does != Does::Web);
    text.push_str(if opened { "[:]" } else { ":" });
}

/// Restores what was defanged, by [`defang`] or in other common ways: schemes, dots, colons and `@`. Other text is
/// returned unchanged.
pub fn refang(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let after = rest.get(first.len_utf8()..).unwrap_or_default();
        match in_brackets(first, after) {
            Some((sign, after)) => {
                out.push_str(sign);
                rest = after;
            }
            None => {
                out.push(first);
                rest = after;
            }
        }
    }
    restore_schemes(&out)
}

/// The sign in brackets at this place, and the text after the brackets.
fn in_brackets(open: char, after: &str) -> Option<(&str, &str)> {
    let (_, close) = BRACKETS.iter().find(|(known, _)| *known == open)?;
    let dot = after.chars().next().filter(|c| is_dot_to_somebody(*c));
    if let Some((sign, rest)) = dot.and_then(|dot| after.split_at_checked(dot.len_utf8())) {
        return Some((sign, rest.strip_prefix(*close)?));
    }
    SIGNS.iter().find_map(|(spelled, sign)| {
        let here = after.get(..spelled.len())?.eq_ignore_ascii_case(spelled);
        let rest = after.get(spelled.len()..)?.strip_prefix(*close)?;
        here.then_some((*sign, rest))
    })
}

/// Turns `hxxps:` into `https:` where a scheme can start: not after a letter or a digit.
fn restore_schemes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if character == ':'
            && let Some(linked) = scheme::dead_at_end(&out)
            && let Some(before) = out.get(..out.len() - linked.dead.len())
            && !before.ends_with(char::is_alphanumeric)
        {
            out.truncate(before.len());
            out.push_str(linked.name);
        }
        out.push(character);
    }
    out
}

/// Bytes of the longest scheme name that is recognised.
const SCHEME_BYTES: usize = 32;

/// Brackets around signs in defanged links.
const BRACKETS: [(char, char); 3] = [('[', ']'), ('(', ')'), ('{', '}')];

/// Signs in brackets other than dots, and what they stand for.
const SIGNS: [(&str, &str); 6] =
    [("dot", "."), (":", ":"), ("://", "://"), ("@", "@"), ("at", "@"), ("/", "/")];

/// Text that is safe on a terminal: control, bidi and invisible characters written as `\u{…}`.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            hidden if is_hidden(hidden) => out.extend(hidden.escape_unicode()),
            other => out.push(other),
        }
    }
    out
}

/// Whether a character acts on the text round it, or cannot be seen.
pub fn is_hidden(character: char) -> bool {
    character.is_control() || is_invisible(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_stays_clickable() {
        for (live, dead) in [
            ("http://www.example.com/a.html", "hxxp://www[.]example[.]com/a[.]html"),
            ("HTTPS://раypal.com", "hxxps://раypal[.]com"),
            ("user@example.com", "user[@]example[.]com"),
            ("example。com", "example[。]com"),
            ("https://a.example/?u=http://b.example", "hxxps://a[.]example/?u=hxxp://b[.]example"),
            ("JavaScript:alert(1)", "JavaScript[:]alert(1)"),
            ("sip:bob@example.com", "sip[:]bob[@]example[.]com"),
            ("Xhttp://a․b", "Xhxxp://a[․]b"),
            ("a\u{202E}b.example", "a\\u{202e}b[.]example"),
            ("", ""),
        ] {
            assert_eq!(defang(live), dead);
        }
    }

    #[test]
    fn names_do_not_act_on_a_terminal() {
        assert_eq!(
            visible("a\u{1b}]0;x\u{7}\u{9b}1m/\u{202e}b.eml"),
            "a\\u{1b}]0;x\\u{7}\\u{9b}1m/\\u{202e}b.eml"
        );
        assert_eq!(visible("Straße/人.eml"), "Straße/人.eml");
    }

    #[test]
    fn what_was_defanged_is_refanged() {
        for (dead, live) in [
            ("hxxp://www[.]example[.]com/a[.]html", "http://www.example.com/a.html"),
            ("hXXps[:]//example(.)com", "https://example.com"),
            ("hxxps[://]example{.}com", "https://example.com"),
            ("example[dot]com", "example.com"),
            ("example(DOT)com", "example.com"),
            ("example[․]com", "example․com"),
            ("user[at]example[.]com", "user@example.com"),
            ("http://[2001:db8::1]/", "http://[2001:db8::1]/"),
            ("phxxp:x", "phxxp:x"),
            ("", ""),
        ] {
            assert_eq!(refang(dead), live);
        }
    }

    proptest::proptest! {
        #[test]
        fn a_link_comes_back(text in "(https|http|ftp)://[a-z0-9-]{1,9}([.。][a-zа-я]{2,5}){1,3}(/[a-z.@=&?]{0,12})?") {
            proptest::prop_assert_eq!(refang(&defang(&text)), text);
        }

        #[test]
        fn no_dot_stands_bare(text in "\\PC{0,40}") {
            let dead = defang(&text);
            let bare = dead.replace("[.]", "").replace("[@]", "");
            proptest::prop_assert!(!bare.contains('.') && !bare.contains('@'));
            proptest::prop_assert!(!dead.to_ascii_lowercase().contains("http:"));
        }
    }
}
