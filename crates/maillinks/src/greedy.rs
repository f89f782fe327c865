//! URLs as read by programs that end one only at blanks and angles (Mozilla; linkify-it at a few more signs): for them
//! `https://www.example.com†x@attack.example/` has userinfo, where others see a URL, a sign and an address.
//!
//! `https://example.com、bob@example.org` has the same form, and is honest. So a sign counts only if nobody separates a
//! URL from an address with it ([`separates_words`]), no non-ASCII letter is next to it, and the rest can be the local
//! part of an address; and only a protected name before it is deceptive ([`SeenBy::Greedy`]).
//!
//! The same holds for a host that continues after a sign: `https://www.example.com–x.attack.example/`. People separate
//! names in this way as well. It counts only if the host is below a registrable domain, or the sign reads as its dot, and a
//! protected name is before the sign ([`SeenBy::Continued`]).

use std::ops::Range;

use super::{Occurrence, SeenBy, Site, View};
use homograph::{Section, registrable};
use uts58::tlds::TldSet;
use uts58::unicode::hosts::is_bidi_control;
use uts58::unicode::{Class, is_alphanumeric, is_dot_to_somebody, punycode};
use uts58::{Confidence, Kind, KnownEnds, Link, Target, begins_with_www, known_end, scheme};

/// Whether every client ends an authority at this character.
fn ends_authority(c: char) -> bool {
    matches!(c, '\0' | '\t' | '\n' | '\x0C' | '\r' | ' ' | '\u{A0}' | '\u{3000}')
        || matches!(c, '/' | '\\' | '?' | '#' | '<' | '>' | '"')
}

/// The pieces of a text around at signs, each limited on both sides by the end of an authority. Linear: a piece comes
/// once, however many at signs it holds.
fn pieces_around_at_signs(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let rest = text.get(from..)?;
        let at_sign = from + memchr::memchr(b'@', rest.as_bytes())?;
        let before = text.get(from..at_sign)?;
        let end = before.char_indices().rev().find(|(_, c)| ends_authority(*c));
        let start = end.map_or(from, |(at, c)| from + at + c.len_utf8());
        let after = text.get(at_sign..)?;
        from = at_sign + after.find(ends_authority).unwrap_or(after.len());
        Some(start..from)
    })
}

/// The URL with such userinfo that begins before the piece, or in it.
fn link(text: &str, piece: Range<usize>, tlds: &dyn TldSet) -> Option<Link> {
    let at_sign = piece.start + text.get(piece.clone())?.rfind('@')?;
    let (start, user, kind) = start_of_url(text, piece.start..at_sign)?;
    let name = text.get(user..at_sign)?;
    let www = || kind == Kind::Www && is_host_and_word(name, tlds);
    if !(is_host_and_sign(name) || www()) {
        return None;
    }
    let host = at_sign + 1..at_sign + 1 + host_end(text.get(at_sign + 1..piece.end)?, tlds)?;
    Some(Link {
        span: start..host.end,
        inner: start,
        kind,
        user: Some(user..at_sign),
        port: None,
        tail: host.end..host.end,
        defanged: false,
        confidence: Confidence::Low,
        host,
    })
}

/// Where the URL and its userinfo begin, and its kind.
fn start_of_url(text: &str, before: Range<usize>) -> Option<(usize, usize, Kind)> {
    let front = text.get(..before.start)?;
    let name = front.trim_end_matches(['/', '\\']).strip_suffix(':').filter(|_| {
        // No scheme ends after a path or a query.
        front.ends_with(['/', '\\'])
    });
    if let Some(scheme) = name.and_then(scheme::linked_at_end) {
        return Some((name?.len() - scheme.name.len(), before.start, Kind::Scheme));
    }
    let piece = text.get(before.clone())?;
    if let Some((name, _)) = piece.split_once(':')
        && let Some(scheme) = scheme::linked_at_end(name)
    {
        let start = before.start + name.len() - scheme.name.len();
        return Some((start, before.start + name.len() + 1, Kind::Scheme));
    }
    let word = piece.trim_start_matches(|c: char| c.is_ascii_punctuation());
    let start = before.end - word.len();
    (begins_with_www(word) && !front.ends_with(['/', '\\', '?', '#'])).then_some((
        start,
        start,
        Kind::Www,
    ))
}

/// Whether it is a host, followed by what can be a local part except for the signs in it.
fn is_host_and_sign(user: &str) -> bool {
    let is_of_host = |c: char| Class::of(c).is_host() || is_dot_to_somebody(c);
    let host = user.find(|c| !is_of_host(c)).unwrap_or(user.len());
    let (host, after) = user.split_at(host);
    let host = host.trim_end_matches(is_dot_to_somebody);
    if !host.contains(is_dot_to_somebody) {
        return false;
    }
    let is_sign = |c: char| !c.is_ascii() && !is_of_host(c);
    let is_local = |c: char| c.is_ascii() && (Class::of(c).is_email() || c == ':');
    let rest = |c: char| is_local(c) || is_sign(c) && !separates_words(c);
    let after = match after_port(after) {
        Some("") => return true,
        Some(slash) if slash.starts_with(SLASHES) => slash,
        _ => after,
    };
    after.contains(is_sign) && after.chars().all(rest) && !reads_as_misread(after)
}

/// Whether it is a host and then text with which an address may continue: `www.example.com-login@…`. No mailbox has
/// such a name; commas and semicolons separate words.
fn is_host_and_word(user: &str, tlds: &dyn TldSet) -> bool {
    let Some(end) = known_end(user, tlds) else { return false };
    let after = user.get(end..).unwrap_or_default();
    let is_local = |c: char| c == '·' || c.is_ascii() && Class::of(c).is_email();
    after.starts_with(['-', '_', '.', '|', '^', '·']) && after.chars().all(is_local)
}

/// Full-width slashes: for a reader a path follows one.
const SLASHES: [char; 3] = ['／', '＼', '﹨'];

/// The text after a full-width colon and some digits: no mailbox is named by so few digits.
fn after_port(after: &str) -> Option<&str> {
    let digits = after.strip_prefix(['：', '﹕', '︓'])?;
    let rest = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    (1..=5).contains(&(digits.len() - rest.len())).then_some(rest)
}

/// Whether people separate a URL from an address with this sign, without a blank: blanks and line ends of all kinds,
/// dashes, quotes, bullets; the punctuation of scripts without blanks between words; direction controls; replacement
/// and private-use characters.
fn separates_words(c: char) -> bool {
    // No honest text has an address after a query, fragment or path that begins with one of these, and for a reader a
    // host ends there.
    if matches!(c, '？' | '＃' | '﹖' | '﹟') || SLASHES.contains(&c) {
        return false;
    }
    c.is_whitespace()
        || is_bidi_control(c)
        || matches!(c, '\u{2010}'..='\u{2015}' | '‘' | '’' | '“' | '”' | '•' | '‣')
        || matches!(c, '\u{2E80}'..='\u{30FF}' | '\u{FE10}'..='\u{FE6F}' | '\u{FF00}'..='\u{FFEF}')
        // Thai to Myanmar, Ethiopic, Khmer, Javanese.
        || matches!(c, '\u{E00}'..='\u{109F}' | '\u{1360}'..='\u{1368}' | '\u{1780}'..='\u{17FF}')
        || matches!(c, '\u{1950}'..='\u{1B7F}' | '\u{A900}'..='\u{AAFF}')
        || matches!(c, '\u{E000}'..='\u{F8FF}' | '\u{FFF0}'..='\u{FFFF}' | '\u{F0000}'..)
}

/// Whether this may be punctuation of a two-byte charset that was read as Latin 1: `¡£` is `。` in EUC and GBK, `¡C` in
/// Big5.
fn reads_as_misread(after: &str) -> bool {
    let is_latin = |c: char| matches!(c, '\u{80}'..='\u{FF}');
    let mut signs = after.char_indices().filter(|(_, c)| is_latin(*c));
    let Some((at, sign)) = signs.next() else { return false };
    let next = after.get(at + sign.len_utf8()..).and_then(|rest| rest.chars().next());
    signs.next().is_some() || next.is_some_and(|next| matches!(next, '@'..='`' | '{'..='~'))
}

/// Finds hosts that continue behind the links of one text, which come in its order. Runs of links may overlap: each
/// place is looked at about once.
struct Continued<'t> {
    text: &'t str,
    tlds: &'t dyn TldSet,
    authority_ends: NextSign,
    of_addresses: NextSign,
    ends: KnownEnds,
}

impl<'t> Continued<'t> {
    fn of(text: &'t str, tlds: &'t dyn TldSet) -> Continued<'t> {
        Continued {
            text,
            tlds,
            authority_ends: NextSign::new(ends_authority),
            of_addresses: NextSign::new(|c| matches!(c, '@' | ':')),
            ends: KnownEnds::default(),
        }
    }

    /// The link with a host that continues after a sign where others end it.
    fn with_continued_host(&mut self, link: &Link) -> Option<Link> {
        let text = self.text;
        let announced = link.kind.is_announced() && link.user.is_none();
        if !announced || !link.tail.is_empty() || link.port.is_some() || link.is_for_program() {
            return None;
        }
        let after = text.get(link.host.end..)?;
        // What most fail on.
        after.chars().next().filter(|c| continues_host(*c))?;
        let window = link.host.end..link.host.end + after.floor_char_boundary(LONGEST_HOST);
        let window = window.start..self.authority_ends.within(text, window);
        let after = text.get(window.clone())?;
        let rest = after.trim_start_matches(continues_host);
        let run = window.end - rest.len()..window.end;
        if run.start == window.start || self.of_addresses.within(text, run.clone()) < run.end {
            return None;
        }
        let end = self.ends.of_run(text, run.clone(), self.tlds)?;
        let host = text.get(run.start..end)?.to_ascii_lowercase();
        let signs = text.get(window.start..run.start)?;
        // After a sign and a dot no other name begins.
        let continues = signs.ends_with('.') && !signs.starts_with('.');
        let behind = text.get(end..)?;
        let below = registrable(&host, Section::Icann).is_some_and(|domain| {
            continues || domain.len() < host.len() || reads_as_its_dot(signs, behind)
        });
        // In a list of names all begin in the same way.
        if !below || host.starts_with("www.") || is_closed(signs, behind) {
            return None;
        }
        Some(Link {
            span: link.span.start..end,
            host: link.host.start..end,
            tail: end..end,
            confidence: Confidence::Low,
            ..link.clone()
        })
    }
}

/// Where the next sign of a kind is, for places in the order of a text.
struct NextSign {
    is: fn(char) -> bool,
    /// What was looked at, without the sign that is at its end if one was found.
    looked: Range<usize>,
    found: bool,
}

impl NextSign {
    fn new(is: fn(char) -> bool) -> NextSign {
        NextSign { is, looked: 0..0, found: false }
    }

    /// The place of the first sign in a range of the text, or its end.
    fn within(&mut self, text: &str, range: Range<usize>) -> usize {
        if !(self.looked.start..=self.looked.end).contains(&range.start) {
            *self = NextSign { looked: range.start..range.start, ..NextSign::new(self.is) };
        }
        if !self.found && self.looked.end < range.end {
            let rest = text.get(self.looked.end..range.end).unwrap_or_default();
            let next = rest.find(self.is);
            self.found = next.is_some();
            self.looked.end += next.unwrap_or(rest.len());
        }
        self.looked.end.min(range.end)
    }
}

/// Whether one sign reads as the dot between a name and a domain. Bullets stand between names as well; a path behind the
/// last of them is that of one URL.
fn reads_as_its_dot(signs: &str, behind: &str) -> bool {
    let mut signs = signs.chars();
    let (Some(sign), None) = (signs.next(), signs.next()) else { return false };
    match homograph::is_middle_dot(sign) {
        true => behind.starts_with(['/', '\\', '?', '#']),
        false => homograph::claims::reads_as_dot(sign),
    }
}

/// Whether a bracket among the signs is closed in the word behind the host: it holds a remark.
fn is_closed(signs: &str, behind: &str) -> bool {
    let behind = behind.get(..behind.floor_char_boundary(LONGEST_HOST)).unwrap_or_default();
    let word = behind.split(char::is_whitespace).next().unwrap_or_default();
    signs.contains('(') && word.contains(')')
}

/// Octets of the longest host (RFC 1035 §2.3.4), each a letter of three bytes.
pub const LONGEST_HOST: usize = 3 * punycode::NAME;

/// Whether a host continues after this sign for programs that end it only where a path begins: it is no letter or
/// digit, and no other bracket, quote or other sign that ends a URL.
fn continues_host(c: char) -> bool {
    match c.is_ascii() {
        true => matches!(
            c,
            '~' | '!' | '$' | '&' | '\'' | '(' | '+' | ',' | ';' | '=' | '*' | '-' | '_' | '.'
        ),
        false => !is_alphanumeric(c) && !c.is_whitespace() && !Class::of(c).is_ignored(),
    }
}

/// Where the host at the start of a text ends.
fn host_end(text: &str, tlds: &dyn TldSet) -> Option<usize> {
    let is_of_host = |c: char| c == '%' || Class::of(c).is_host() || is_dot_to_somebody(c);
    let run = text.get(..text.find(|c| !is_of_host(c)).unwrap_or(text.len()))?;
    let end =
        known_end(run, tlds).unwrap_or_else(|| run.trim_end_matches(is_dot_to_somebody).len());
    (end > 0).then_some(end)
}

impl View<'_> {
    /// Adds such links of a text of the view, by its index and the first occurrence of its links, at most `capacity`.
    /// Returns how many.
    pub(super) fn add_greedy(
        &mut self,
        (stretch, seen, first): (&str, usize, usize),
        site: &Site,
        tlds: &dyn TldSet,
        capacity: usize,
    ) -> usize {
        let seen_by =
            |seen_by, link| Occurrence { seen_by, ..Occurrence::in_text(seen, link, site.clone()) };
        let mut hosts = Continued::of(stretch, tlds);
        let continued = |one: &Occurrence| match &one.target {
            // The text of a link is no link of its own.
            Target::Link(link)
                if one.seen_by == SeenBy::Standard
                    && one.seen == seen
                    && one.anchor.target().is_none() =>
            {
                let end = link.host.end;
                hosts.with_continued_host(link).map(|link| seen_by(SeenBy::Continued { end }, link))
            }
            _ => None,
        };
        let standard = self.occurrences.iter().skip(first);
        let found: Vec<_> = standard.filter_map(continued).take(capacity).collect();
        let mut added = found.len();
        self.occurrences.extend(found);
        for piece in pieces_around_at_signs(stretch) {
            self.steps += piece.len() as u64;
            let Some(link) = link(stretch, piece, tlds) else { continue };
            if added == capacity {
                self.cut = true;
                break;
            }
            self.occurrences.push(seen_by(SeenBy::Greedy, link));
            added += 1;
        }
        added
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uts58::tlds::TldTable;
    use uts58::{Boundaries, Linkifier};

    fn found(text: &str) -> Vec<&str> {
        let tlds = TldTable::new(["com", "example"], "");
        let links = pieces_around_at_signs(text).filter_map(|piece| link(text, piece, &tlds));
        links.filter_map(|link| text.get(link.span)).collect()
    }

    #[test]
    fn a_sign_that_separates_no_words_ends_no_userinfo() {
        for url in [
            "https://www.a.com†x@b.example",
            "https://www.a.com¡x@b.example",
            "HTTPS:/\\www.a.com‖x.y†z@b.example",
            "https:www.a.com‡@b.example",
            "https://www.a.com:80…x@b.example",
            "https://a.com？x@1.2.3.4",
            "https://a.com：443@b.example",
            "https://a.com：443／login@b.example",
            "https://www.a.com／sign-in@b.example",
            "www.a.com＼x@b.example",
            "www.a.com-login@b.example",
            "www.a.com_login@b.example",
            "www.a.com.secure@b.example",
            "www.a.com§x@b.example",
        ] {
            assert_eq!(found(url), [url]);
            assert_eq!(found(&format!("See ({url}/x?y@b.com), c@d.com")), [url]);
        }
    }

    #[test]
    fn what_people_write_between_a_url_and_an_address() {
        for text in [
            "https://www.a.com、x@b.example",
            "https://www.a.com（x@b.example）",
            "https://www.a.com。お問い合わせはx@b.example",
            "https://www.a.com†お問い合わせx@b.example",
            "https://www.a.com、E-mail：x@b.example",
            "https://www.a.com：x@b.example https://www.a.com：100000@b.example",
            "https://www.a.com\u{2003}x@b.example https://www.a.com\u{2028}x@b.example",
            "https://www.a.com–x@b.example “https://www.a.com”x@b.example",
            "https://www.a.com¡£x@b.example https://www.a.com¡Cx@b.example",
            "https://www.a.com/†x@b.example /www.a.com†x@b.example",
            "a.com†x@b.example https://a†x@b.example https://www.a.com†@",
            "https://www.a.com, x†y@b.example",
            "www.a@b.example www.a.b-c@b.example www.a.com,x@b.example www.a.com;x@b.example",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }

    fn longer_of(text: &str) -> Vec<&str> {
        let tlds = TldTable::new(["com", "example"], "");
        let linkifier = Linkifier::new(&tlds).boundaries(Boundaries::Wide);
        let mut hosts = Continued::of(text, &tlds);
        let found = linkifier.links(text).filter_map(|link| hosts.with_continued_host(&link));
        found.filter_map(|link| text.get(link.span)).collect()
    }

    #[test]
    fn a_host_continues_after_a_sign() {
        for url in [
            "https://www.a.com–x.b.example",
            "https://www.a.com~x.b.example",
            "www.a.com’x.b.example",
            "https://www.a.com、x.b.example",
            "https://www.a.com’.b.example",
            "https://www.a.com;.b.example",
            "https://www.a.com՝.b.example",
            "https://www.a.com(x.b.example",
            "https://www.a.com․b.example",
            "www.a.com·b.example",
            "www.a.com•b.example",
            "www.a.com܁b.example",
        ] {
            assert_eq!(longer_of(&format!("see {url}/x now")), [url]);
        }
        for text in [
            "https://www.a.com–b.example",
            "https://www.a.com–b.example/x",
            "https://www.a.com•b.example",
            "www.a.com·b.example, c.example",
            "www.a.com·www.b.example/x",
            "www.a.com• b.example/x",
            "www.a.com··b.example/x",
            "https://www.a.com,www.b.example",
            "https://www.a.com–see x.b.example",
            "https://www.a.com/–x.b.example",
            "https://www.a.com–x@b.b.example",
            "https://www.a.com)x.b.example",
            "https://www.a.com(x.b.example)",
            "https://www.a.com(x.b.example/x)",
            "https://www.a.com....b.example",
            "https://www.a.com’.www.b.example",
            "https://www.a.com\".b.example",
            "a.com–x.b.example",
        ] {
            assert_eq!(longer_of(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn the_next_sign_is_that_of_each_range() {
        let text = "ab/cd/efg//h";
        for length in 0..8 {
            let mut next = NextSign::new(|c| c == '/');
            for start in 0..text.len() {
                let range = start..(start + length).min(text.len()).max(start);
                let alone = text[range.clone()].find('/').map_or(range.end, |at| start + at);
                assert_eq!(next.within(text, range.clone()), alone, "{range:?}");
            }
        }
        assert_eq!(NextSign::new(|c| c == '/').within(text, 4..12), 5);
    }

    #[test]
    fn hostile_at_signs_take_few_steps() {
        for piece in ["https://a", "@", "†", "https://www.a.com†x@", "www.a.com†@", "https:", "@/"]
        {
            let text = piece.repeat(20_000);
            let total: usize = pieces_around_at_signs(&text).map(|piece| piece.len()).sum();
            assert!(total <= text.len(), "{piece} {total}");
            assert!(found(&text).len() <= 20_000);
        }
    }
}
