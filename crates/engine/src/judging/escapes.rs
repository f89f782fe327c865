//! What is left of an escape in front of a bare host, where data and logs are pasted as they are written: `"a\\nexample.com"`,
//! `=3Dexample.com`, a colour of a terminal. Its letters are none of the host to whoever wrote it.

use super::glued::is_harmless;
use super::judged::Judged;
use super::{HostBounds, Judge};
use crate::outcome::Verdict;
use maillinks::Site;
use uts58::{Kind, Link};

/// How the character ESC is written, which begins the escapes of terminals.
const ESC: [&str; 7] = ["\u{1B}", "\\033", "\\e", "\\x1b", "\\x1B", "\\u001b", "^["];

/// How the source of a manual page changes the font, behind a backslash: bold, italic, the one before, roman.
const FONTS: [&str; 4] = ["fB", "fI", "fP", "fR"];

impl Judge<'_> {
    /// Lowers the verdict of a bare host behind what is left of an escape, if nothing is against the host alone.
    pub(super) fn downgrade_behind_escape(
        &mut self,
        text: &str,
        link: &Link,
        site: &Site,
        judged: &mut Judged,
    ) {
        let is_bare = link.kind == Kind::Bare && judged.inner.is_empty();
        if judged.verdict <= Verdict::Notice || !is_bare {
            return;
        }
        let host = link.host_str(text);
        let before = match text.get(..link.host.start).unwrap_or_default() {
            // Markup whose quoted-printable was not undone: `<a href=3Dexample.com>`.
            "" if matches!(site, Site::Attribute { .. }) => "=",
            before => before,
        };
        if let Some(alone) = behind_escape(before, host).filter(|alone| alone.contains('.'))
            && is_harmless(&self.host(alone, HostBounds::Certain))
        {
            self.let_alone(host, link.kind, judged);
        }
    }
}

/// The host behind an escape that begins in the text `before` it.
fn behind_escape<'h>(before: &str, host: &'h str) -> Option<&'h str> {
    if before.ends_with('\\') {
        return behind_letters(host);
    }
    if before.ends_with('=') {
        return behind_octet(host, |digit| digit.is_ascii_digit() || matches!(digit, 'A'..='F'));
    }
    if before.ends_with('^') {
        // The carriage return, as editors show it.
        return host.strip_prefix('M');
    }
    behind_colour(before, host)
}

/// The host behind the letters of an escape of strings, whose backslash stands before them: `\\n`, `\\x22`, `\\u003e`.
fn behind_letters(host: &str) -> Option<&str> {
    let is_digit = |digit: char| digit.is_ascii_hexdigit();
    match host.strip_prefix('u') {
        Some(behind) if behind.starts_with("00") => behind_octet(behind.get(2..)?, is_digit),
        _ => match host.strip_prefix('x') {
            Some(behind) => behind_octet(behind, is_digit),
            None => {
                let font = FONTS.iter().find_map(|font| host.strip_prefix(font));
                font.or_else(|| host.strip_prefix(['n', 'r', 't']))
            }
        },
    }
}

/// The host behind the two digits of a sign or a control, which are no letter.
fn behind_octet(host: &str, is_digit: impl Fn(char) -> bool) -> Option<&str> {
    let digits = host.get(..2).filter(|digits| digits.chars().all(is_digit))?;
    let octet = u8::from_str_radix(digits, 16).ok()?;
    (octet.is_ascii() && !octet.is_ascii_alphanumeric()).then(|| host.get(2..))?
}

/// The host behind an escape of a terminal, which colours it (ECMA-48 §8.3.117): `␛[1mexample.com`. Where its ESC is lost,
/// a digit has to be there.
fn behind_colour<'h>(before: &str, host: &'h str) -> Option<&'h str> {
    let of_escape = |c: char| c.is_ascii_digit() || c == ';';
    let begun = before.trim_end_matches(of_escape).strip_suffix('[')?;
    let behind = host.trim_start_matches(of_escape);
    let has_digit = behind.len() < host.len() || before.ends_with(of_escape);
    let is_escape = has_digit || ESC.into_iter().any(|esc| begun.ends_with(esc));
    behind.strip_prefix('m').filter(|_| is_escape)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_no_letters_of_a_host() {
        for (before, host, alone) in [
            ("a\\", "nexample.com", Some("example.com")),
            ("a\\\\", "texample.com", Some("example.com")),
            ("\\r\\", "nwww.example.com", Some("www.example.com")),
            ("\\", "x22example.com", Some("example.com")),
            ("\\", "u003Eexample.com", Some("example.com")),
            ("\\", "fIexample.com", Some("example.com")),
            ("=", "3Dexample.com", Some("example.com")),
            ("^", "Mexample.com", Some("example.com")),
            ("\u{1B}[", "mexample.com", Some("example.com")),
            ("\u{1B}[1;", "31mexample.com", Some("example.com")),
            ("\\033[", "1mexample.com", Some("example.com")),
            ("[", "0mexample.com", Some("example.com")),
            ("[", "mexample.com", None),
            ("\\", "example.com", None),
            ("\\", "fixample.com", None),
            ("\\", "x61example.com", None),
            ("\\", "u0430example.com", None),
            ("=", "41example.com", None),
            ("=", "3dexample.com", None),
            ("a", "nexample.com", None),
        ] {
            assert_eq!(behind_escape(before, host), alone, "{before}{host}");
        }
    }
}
