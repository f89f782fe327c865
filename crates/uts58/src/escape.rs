//! UTS #58 §4: a URL with as few percent-escapes as possible that [`super::detect`] still finds as
//! a whole.
//!
//! | §4.1 | here |
//! | --- | --- |
//! | interior escaping of literals, assumed by the algorithm | [`is_reserved`] |
//! | `%` before two hexadecimal digits | [`Url::write_part`] |
//! | the loop over a part | [`Url::write_part`] |
//! | bytes that are not UTF-8 are retained, all escaped then | [`Unit::Byte`], [`Url::is_legacy`] |
//! | §8: Bidi_Control, and invisible characters (S15) | [`Escaping`] |
//!
//! Host: in Unicode, for each label that has a Unicode form by UTS #46 ("as is customary").

use alloc::borrow::{Cow, ToOwned};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use idna::uts46::{AsciiDenyList, Hyphens};

use super::percent;
use super::termination::{STACK, UrlPart};
use crate::unicode::hosts::is_invisible;
use crate::unicode::{LinkTerm, a_label, ascii_form, link_bracket, link_term};

/// A parsed URL, in which escaped characters and syntax are distinct.
///
/// ```
/// use uts58::Url;
///
/// let url = Url::parse("https://xn--bcher-kva.example/b%C3%BCcher%2F1.%20(neu)?q=%D7%90.");
/// assert_eq!(url.to_string(), "https://bücher.example/bücher%2F1.%20(neu)?q=א%2E");
/// let url = Url::new("https://", "example.com").path(["α", "β/γ"]).fragment("δ)");
/// assert_eq!(url.to_string(), "https://example.com/α/β%2Fγ#δ%29");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    /// With its `://`; empty if there is none.
    pub scheme: String,
    /// With its `@`; empty if there is none.
    pub user: String,
    /// In U-labels where it has some, if made by [`Url::parse`], otherwise as given; IPv6 in its
    /// brackets.
    pub host: String,
    /// With its `:`; empty if there is none.
    pub port: String,
    parts: Vec<(UrlPart, Vec<Unit>)>,
}

/// How closely §4.1 is followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Escaping {
    /// With three additions. A closing bracket that does not match leaves the opening one on the
    /// stack: its escape pops nothing in detection, so the formatted URL is found as a whole.
    /// Invisible characters are escaped (§8, S15). And so stay an escaped percent sign, without
    /// which the URL has an escape that is none (RFC 3986 §2.4), and an escaped backslash in a
    /// path, which browsers read as a slash.
    #[default]
    Adjusted,
    /// Without additions.
    Letter,
}

/// One piece of a path, query or fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    /// Syntax of the URL: `/` between segments, `&` `=` `+` in a query.
    Syntax(char),
    /// A literal character.
    Literal(char),
    /// A literal character that was escaped, and had better be: `%`, a backslash in a path.
    Escaped(char),
    /// A byte that is not UTF-8.
    Byte(u8),
}

/// A URL in minimally escaped form (UTS #58 §4.1). Accepts any text: what is no URL is returned
/// unchanged, except for what needs escaping.
///
/// Linear in the text. Idempotent; the parts keep their meaning.
pub fn format(url: &str) -> String {
    Url::parse(url).to_string()
}

impl Url {
    /// A URL of a scheme with its `://` and a host, without path, query and fragment.
    pub fn new(scheme: &str, host: &str) -> Url {
        Url {
            scheme: scheme.to_owned(),
            user: String::new(),
            host: host.to_owned(),
            port: String::new(),
            parts: Vec::new(),
        }
    }

    /// Adds a path of these literal segments.
    #[must_use]
    pub fn path<S: AsRef<str>>(self, segments: impl IntoIterator<Item = S>) -> Url {
        self.joined(UrlPart::Path, segments, '/')
    }

    /// Adds a query of these literal keys and values.
    #[must_use]
    pub fn query<K: AsRef<str>, V: AsRef<str>>(
        mut self,
        pairs: impl IntoIterator<Item = (K, Option<V>)>,
    ) -> Url {
        let mut units = Vec::new();
        for (at, (key, value)) in pairs.into_iter().enumerate() {
            if at > 0 {
                units.push(Unit::Syntax('&'));
            }
            units.extend(key.as_ref().chars().map(Unit::Literal));
            if let Some(value) = value {
                units.push(Unit::Syntax('='));
                units.extend(value.as_ref().chars().map(Unit::Literal));
            }
        }
        self.parts.push((UrlPart::Query, units));
        self
    }

    /// Adds a literal fragment.
    #[must_use]
    pub fn fragment(self, fragment: &str) -> Url {
        self.joined(UrlPart::Fragment, [fragment], '#')
    }

    fn joined<S: AsRef<str>>(
        mut self,
        part: UrlPart,
        pieces: impl IntoIterator<Item = S>,
        separator: char,
    ) -> Url {
        let mut units = Vec::new();
        for (at, piece) in pieces.into_iter().enumerate() {
            if at > 0 {
                units.push(Unit::Syntax(separator));
            }
            units.extend(piece.as_ref().chars().map(Unit::Literal));
        }
        self.parts.push((part, units));
        self
    }

    /// Parses a URL with any amount of escaping. Without a scheme, the text before the first `/`,
    /// `?` or `#` is the authority. An empty query or fragment counts as absent (§4.1).
    pub fn parse(url: &str) -> Url {
        let scheme = url.find("://").map_or(0, |colon| {
            let letters = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
            if url.bytes().take(colon).all(letters) { colon + 3 } else { 0 }
        });
        let (scheme, rest) = url.split_at_checked(scheme).unwrap_or_default();
        let tail = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, tail) = rest.split_at_checked(tail).unwrap_or_default();
        let user = authority.rfind('@').map_or(0, |at| at + 1);
        let (user, host) = authority.split_at_checked(user).unwrap_or_default();
        let port = host
            .rfind(':')
            .filter(|colon| host.bytes().skip(colon + 1).all(|byte| byte.is_ascii_digit()));
        let (host, port) = host.split_at_checked(port.unwrap_or(host.len())).unwrap_or_default();
        // `ⅷ://x`: in ASCII it would be a scheme.
        let is_host = port != ":" || !tail.starts_with("//");
        Url {
            scheme: scheme.to_owned(),
            user: user.to_owned(),
            host: if is_host { unicode_host(host) } else { host.to_owned() },
            port: port.to_owned(),
            parts: parts(tail),
        }
    }

    /// The parts in plain text, for comparison: the initiator, then the pieces between syntax
    /// characters.
    pub fn pieces(&self) -> Vec<(&'static str, Vec<String>)> {
        self.parts.iter().map(|(part, units)| (part.initiator(), pieces(units))).collect()
    }

    /// Whether some byte is not UTF-8: then the page uses a legacy charset, and every non-ASCII
    /// byte is escaped (§4.1).
    fn is_legacy(&self) -> bool {
        self.parts.iter().any(|(_, units)| units.iter().any(|unit| matches!(unit, Unit::Byte(_))))
    }

    /// Writes one part by the loop of §4.1.
    fn write_part(
        out: &mut String,
        (part, units): (UrlPart, &[Unit]),
        place: PartPosition,
        legacy: bool,
        escaping: Escaping,
    ) {
        let mut open = Vec::new();
        // Soft characters that are held back until an included one follows.
        let mut held = String::new();
        for (at, unit) in units.iter().enumerate() {
            let rest = units.get(at..).unwrap_or_default();
            let c = match *unit {
                Unit::Syntax(c) | Unit::Literal(c) | Unit::Escaped(c) => c,
                Unit::Byte(byte) => {
                    out.push_str(&core::mem::take(&mut held));
                    percent::push(out, byte);
                    continue;
                }
            };
            let term = match unit {
                Unit::Escaped(_) if escaping == Escaping::Adjusted => LinkTerm::Hard,
                Unit::Literal(_) | Unit::Escaped(_) if is_reserved(part, rest) => LinkTerm::Hard,
                _ if escaping == Escaping::Adjusted && is_hidden(c) => LinkTerm::Hard,
                _ if legacy && !c.is_ascii() => LinkTerm::Hard,
                _ => link_term(c),
            };
            if part.is_separator(unit) {
                open.clear();
            }
            if term == LinkTerm::Soft {
                held.push(c);
                continue;
            }
            out.push_str(&core::mem::take(&mut held));
            if is_included(term, c, &mut open, escaping) {
                out.push(c)
            } else {
                escape_char(out, c)
            }
        }
        match (held.pop(), place) {
            (Some(last), PartPosition::Last) => {
                out.push_str(&held);
                escape_char(out, last);
            }
            (Some(last), PartPosition::Inner) => {
                out.push_str(&held);
                out.push(last);
            }
            (None, _) => {}
        }
    }
}

/// Whether a character stays as it is wherever it stands, with the brackets that are open before it.
fn is_included(term: LinkTerm, c: char, open: &mut Vec<char>, escaping: Escaping) -> bool {
    match term {
        LinkTerm::Include => true,
        LinkTerm::Open if open.len() < STACK => {
            open.push(c);
            true
        }
        LinkTerm::Close if open.last().copied() == link_bracket(c) => open.pop().is_some(),
        LinkTerm::Close if escaping == Escaping::Letter => {
            open.pop();
            false
        }
        LinkTerm::Hard | LinkTerm::Soft | LinkTerm::Open | LinkTerm::Close => false,
    }
}

/// Whether another part follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PartPosition {
    Inner,
    Last,
}

impl Url {
    /// The URL in minimally escaped form.
    pub fn escaped(&self, escaping: Escaping) -> String {
        let mut out =
            [&self.scheme, &self.user, &self.host, &self.port].map(String::as_str).concat();
        let legacy = self.is_legacy();
        let last = self.parts.len().saturating_sub(1);
        for (at, (part, units)) in self.parts.iter().enumerate() {
            out.push_str(part.initiator());
            let place = if at == last { PartPosition::Last } else { PartPosition::Inner };
            Url::write_part(&mut out, (*part, units), place, legacy, escaping);
        }
        out
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.escaped(Escaping::Adjusted))
    }
}

impl UrlPart {
    fn initiator(self) -> &'static str {
        match self {
            UrlPart::Start => "",
            UrlPart::Path => "/",
            UrlPart::Query => "?",
            UrlPart::Fragment => "#",
            UrlPart::Directive => ":~:",
        }
    }

    fn is_separator(self, unit: &Unit) -> bool {
        matches!(
            (self, unit),
            (UrlPart::Path, Unit::Syntax('/'))
                | (UrlPart::Query, Unit::Syntax('=' | '&'))
                | (UrlPart::Directive, Unit::Syntax('&' | ','))
        )
    }

    /// The characters that are syntax in this part if not escaped.
    fn syntax(self) -> &'static [u8] {
        match self {
            UrlPart::Start | UrlPart::Fragment => b"",
            UrlPart::Path => b"/",
            UrlPart::Query => b"+=&",
            UrlPart::Directive => b"&,",
        }
    }
}

/// Whether the first literal of these units must be escaped because it would be read as syntax.
fn is_reserved(part: UrlPart, rest: &[Unit]) -> bool {
    let next = |at: usize| match rest.get(at) {
        Some(Unit::Syntax(c) | Unit::Literal(c) | Unit::Escaped(c)) => *c,
        _ => '\0',
    };
    match (part, next(0)) {
        (_, '%') => next(1).is_ascii_hexdigit() && next(2).is_ascii_hexdigit(),
        (UrlPart::Path, '?' | '#' | '/') => true,
        (UrlPart::Query, '+' | '#' | '=' | '&') => true,
        (UrlPart::Directive, '&' | ',') => true,
        (UrlPart::Fragment | UrlPart::Directive, ':') => next(1) == '~' && next(2) == ':',
        _ => false,
    }
}

/// Path, query, fragment and directives in the text after the authority.
fn parts(tail: &str) -> Vec<(UrlPart, Vec<Unit>)> {
    let (before, fragment) = tail.split_once('#').unwrap_or((tail, ""));
    let (path, query) = before.split_once('?').unwrap_or((before, ""));
    let mut directives = fragment.split(":~:");
    let fragment = directives.next().unwrap_or_default();
    let mut parts = Vec::new();
    if let Some(path) = path.strip_prefix('/') {
        parts.push((UrlPart::Path, units(UrlPart::Path, path)));
    }
    if !query.is_empty() {
        parts.push((UrlPart::Query, units(UrlPart::Query, query)));
    }
    let directives: Vec<&str> = directives.collect();
    if !fragment.is_empty() || !directives.is_empty() {
        parts.push((UrlPart::Fragment, units(UrlPart::Fragment, fragment)));
    }
    parts.extend(
        directives.into_iter().map(|text| (UrlPart::Directive, units(UrlPart::Directive, text))),
    );
    parts
}

/// Decodes the percent-escapes of a part; escaped characters become literals.
fn units(part: UrlPart, text: &str) -> Vec<Unit> {
    let mut units = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (bytes, after) = escaped_bytes(rest);
        if bytes.is_empty() {
            let syntax = c.is_ascii() && part.syntax().contains(&(c as u8));
            units.push(if syntax { Unit::Syntax(c) } else { Unit::Literal(c) });
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
            continue;
        }
        for chunk in bytes.utf8_chunks() {
            units.extend(chunk.valid().chars().map(|c| match c {
                '%' => Unit::Escaped(c),
                '\\' if part == UrlPart::Path => Unit::Escaped(c),
                _ => Unit::Literal(c),
            }));
            units.extend(chunk.invalid().iter().copied().map(Unit::Byte));
        }
        rest = after;
    }
    units
}

/// The bytes of the escapes at the start of the text, and the rest.
fn escaped_bytes(text: &str) -> (Vec<u8>, &str) {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some(byte) = percent::escape_at(rest.as_bytes()) {
        bytes.push(byte);
        rest = rest.get(3..).unwrap_or_default();
    }
    (bytes, rest)
}

fn pieces(units: &[Unit]) -> Vec<String> {
    let split = units.split(|unit| matches!(unit, Unit::Syntax(c) if "/&=".contains(*c)));
    split
        .map(|piece| {
            piece.iter().fold(String::new(), |mut out, unit| {
                match unit {
                    Unit::Syntax(c) | Unit::Literal(c) | Unit::Escaped(c) => out.push(*c),
                    Unit::Byte(byte) => percent::push(&mut out, *byte),
                }
                out
            })
        })
        .collect()
}

/// The Unicode form of a host (UTS #46 ToUnicode), for each label that has one.
fn unicode_host(host: &str) -> String {
    /// Bytes; a longer text is no host (S14) and is not converted.
    const LONGEST: usize = 1012;
    if host.is_ascii() && !a_label::has_a_label(host.as_bytes()) || host.len() > LONGEST {
        return host.to_owned();
    }
    let mapped = ascii_form::mapped(host.as_bytes(), AsciiDenyList::URL, Hyphens::Allow);
    mapped.map_or_else(|| host.to_owned(), Cow::into_owned)
}

/// S15: whether the character controls the direction of text or is invisible. Joiners and variation
/// selectors do not count: Persian, the scripts of India and emoji need them.
fn is_hidden(c: char) -> bool {
    is_invisible(c) && !matches!(c, '\u{200C}' | '\u{200D}' | '\u{FE00}'..='\u{FE0F}')
}

fn escape_char(out: &mut String, c: char) {
    for byte in c.encode_utf8(&mut [0; 4]).bytes() {
        percent::push(out, byte);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_letter_and_additions() {
        for (url, adjusted, letter) in [
            ("http://a.example/[(}]", "http://a.example/[(%7D%5D", "http://a.example/[(%7D]"),
            ("http://a.example/a\u{ad}b", "http://a.example/a%C2%ADb", "http://a.example/a\u{ad}b"),
            ("http://a.example/(b)", "http://a.example/(b)", "http://a.example/(b)"),
            ("http://a.example/1%25", "http://a.example/1%25", "http://a.example/1%"),
            ("http://a.example/1%25%41", "http://a.example/1%25A", "http://a.example/1%A"),
            ("http://a.example/1%", "http://a.example/1%", "http://a.example/1%"),
            ("http://a.example/%%34%31", "http://a.example/%2541", "http://a.example/%2541"),
            ("http://a.example/%5Cb", "http://a.example/%5Cb", "http://a.example/\\b"),
            ("http://a.example/\\b", "http://a.example/\\b", "http://a.example/\\b"),
            ("http://a.example/?%5C", "http://a.example/?\\", "http://a.example/?\\"),
        ] {
            assert_eq!(Url::parse(url).escaped(Escaping::Adjusted), adjusted);
            assert_eq!(Url::parse(url).escaped(Escaping::Letter), letter);
        }
    }

    #[test]
    fn what_is_no_scheme_does_not_become_one() {
        for text in ["ⅷhttp://例え。com", "㏕ssh://git@℡.com", "ⅷhttp:/a", "ⅷ.com:80//b"]
        {
            let once = format(text);
            assert_eq!(format(&once), once);
            assert_eq!(once.contains("://"), text.contains("://"));
        }
    }
}
