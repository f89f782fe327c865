//! Where a link may start, and which of them is one.
//!
//! | clause | here |
//! | --- | --- |
//! | UASG 000 1.1, UASG 001 rec. 1: explicit schemes | [`Candidates::scheme`] |
//! | UASG 001 rec. 2: implied schemes | [`Candidates::bare`] |
//! | UTS #58 §5.2: addresses | [`Candidates::address`], [`Candidates::local_start`] |
//! | S5: userinfo | [`Flaw::Userinfo`] |
//! | S6: an earlier URL beats an address | [`Candidates::bare`] |
//! | S11: nothing directly behind `scheme:` | [`ends_with_scheme`] |
//! | S18: linear time | `at`, `floor` and `horizon` only grow |
//!
//! The search goes from dot to dot and from `://` to `://` (see [`super::finder`]); round a dot the
//! longest run of host characters is read once. What was read is never read again for the same
//! purpose, so the work is linear in the text.

use std::ops::Range;

use super::authority::{self, Port};
use super::finder::Finder;
use super::termination::tail_end;
use super::{Confidence, Kind, Link};
use crate::engine::unicode::Class;

/// Local part, octets of UTF-8 (S14, RFC 3696 §3).
const LOCAL_PART: usize = 64;

/// Why something that looks like a link is none by the letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flaw {
    None,
    /// S5: something stands before an `@` in the authority.
    Userinfo,
}

#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) link: Link,
    pub(super) flaw: Flaw,
}

/// Candidates in the order of the text.
#[derive(Clone, Debug)]
pub(super) struct Candidates<'t> {
    text: &'t str,
    finder: Finder,
    /// Where the search goes on.
    at: usize,
    /// Nothing before this place belongs to a later link.
    floor: usize,
    horizon: Horizon,
    steps: u64,
}

/// How far a run of local-part characters goes, and whether an address follows it: remembered, so
/// that `a.a~a.a~…` is read once (S18).
#[derive(Clone, Copy, Debug, Default)]
struct Horizon {
    end: usize,
    address: bool,
}

impl<'t> Candidates<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let finder = Finder::new();
        Candidates { text, finder, at: 0, floor: 0, horizon: Horizon::default(), steps: 0 }
    }

    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    /// A `://`: what stands before it decides, and whatever it introduces is used up.
    fn scheme(&mut self, colon: usize) -> Option<Found> {
        self.at = colon + 1;
        if !self.bytes_from(colon).starts_with(b"://") {
            return None;
        }
        let start = self.scheme_start(colon);
        if start == colon {
            return None;
        }
        let known = is_web_scheme(self.text.get(start..colon)?);
        let authority = self.authority(colon + 3);
        let host = authority.host.clone();
        let well_formed = match self.text.as_bytes().get(host.start) {
            Some(b'[') => authority.bracketed,
            _ => authority::is_host(self.text, host.clone()),
        };
        let link = self.with_tail(start, Kind::Scheme, authority.user, host);
        let malformed = self.is_port_like(link.tail.start);
        self.used(link.span.end);
        let (true, true, false) = (known, well_formed, malformed) else { return None };
        let flaw = if link.user.is_some() { Flaw::Userinfo } else { Flaw::None };
        Some(Found { link, flaw })
    }

    /// Where the letters before a colon begin.
    fn scheme_start(&self, colon: usize) -> usize {
        let before = self.text.as_bytes().get(self.floor..colon).unwrap_or_default();
        colon - before.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count()
    }

    /// Reads userinfo and host behind `://`.
    fn authority(&mut self, start: usize) -> Authority {
        let mut authority = self.host_behind(start);
        let mut at = authority.host.end;
        let from = at;
        while let Some((c, next)) = self.char_at(at) {
            if c == '@' {
                let user = start..at;
                authority = self.host_behind(next);
                authority.user = Some(user);
                at = authority.host.end.max(next);
            } else if is_userinfo(c) {
                at = next;
            } else {
                break;
            }
        }
        self.steps += (at - from) as u64;
        authority
    }

    fn host_behind(&mut self, start: usize) -> Authority {
        if self.text.as_bytes().get(start) == Some(&b'[') {
            let end = authority::ipv6_end(self.text, start);
            return Authority {
                user: None,
                host: start..end.unwrap_or(start + 1),
                bracketed: end.is_some(),
            };
        }
        let mut end = self.run_end(start);
        while self.is_percent_encoded(end) {
            end = self.run_end(end + 3);
        }
        Authority { user: None, host: start..self.trimmed_end(start..end), bracketed: false }
    }

    /// A dot: reads the run of host characters round it.
    fn dot(&mut self, dot: usize) -> Option<Found> {
        let (_, behind) = self.char_at(dot)?;
        self.at = behind;
        let (next, _) = self.char_at(behind)?;
        if !Class::of(next).is_host() {
            return None;
        }
        let run = self.run_start(dot)..self.run_end(behind);
        self.at = run.end;
        match self.char_before(run.start) {
            Some('@') => self.address(run),
            Some('/' | '\\') => None,
            _ => self.bare(run),
        }
    }

    /// A host without scheme.
    fn bare(&mut self, run: Range<usize>) -> Option<Found> {
        let host = self.trimmed_start(run.clone())..self.trimmed_end(run);
        let rest = self.bytes_from(host.end);
        if rest.starts_with(b"://")
            && is_web_scheme(self.text.get(self.scheme_start(host.end)..host.end)?)
        {
            return None;
        }
        if self.is_in_local_part(host.end) {
            return None;
        }
        let before = self.text.get(self.floor..host.start)?;
        let behind_scheme = before.ends_with(':') && ends_with_scheme(before);
        if !behind_scheme && !authority::is_domain(self.text, host.clone()) {
            return None;
        }
        let name = self.text.get(host.clone())?;
        let www = name.as_bytes().get(..4).is_some_and(|start| start.eq_ignore_ascii_case(b"www."));
        let kind = if www { Kind::Www } else { Kind::Bare };
        let link = self.with_tail(host.start, kind, None, host);
        self.used(link.span.end);
        (!behind_scheme).then_some(Found { link, flaw: Flaw::None })
    }

    /// Whether a host that ends here is the beginning of a local part: the characters of one go on to
    /// an `@` and a name. A path, query or fragment makes it a URL first (S6).
    fn is_in_local_part(&mut self, end: usize) -> bool {
        let next = self.text.as_bytes().get(end).copied();
        if matches!(next, Some(b'/' | b'?' | b'#')) {
            return false;
        }
        if end >= self.horizon.end {
            let stop = self.walk(end, |class| class.is_email());
            let name = self.bytes_from(stop).first() == Some(&b'@')
                && self.char_at(stop + 1).is_some_and(|(c, _)| Class::of(c).is_host());
            // The place itself counts as read, so that the next question is a new one.
            self.horizon = Horizon { end: stop + 1, address: name };
        }
        self.horizon.address
    }

    /// UTS #58 §5.2: a domain with an `@` before it.
    fn address(&mut self, run: Range<usize>) -> Option<Found> {
        let at_sign = run.start.checked_sub(1)?;
        let domain = run.start..self.trimmed_end(run);
        if !authority::is_domain(self.text, domain.clone()) {
            return None;
        }
        let local = self.local_start(at_sign);
        let floor = std::mem::replace(&mut self.floor, domain.end);
        let local = local?..at_sign;
        let prefix = self.text.get(floor..local.start)?.as_bytes();
        let mailto = prefix
            .len()
            .checked_sub(7)
            .and_then(|at| prefix.get(at..))
            .is_some_and(|prefix| prefix.eq_ignore_ascii_case(b"mailto:"));
        let start = if mailto { local.start - 7 } else { local.start };
        let end = domain.end;
        let link = Link {
            span: start..end,
            kind: Kind::Email,
            host: domain,
            user: Some(local),
            port: None,
            tail: end..end,
            defanged: false,
            confidence: Confidence::Sure,
        };
        Some(Found { link, flaw: Flaw::None })
    }

    /// Where the local part before an `@` begins; `None` where §5.2 fails to match (S7).
    fn local_start(&mut self, at_sign: usize) -> Option<usize> {
        let mut start = at_sign;
        let mut behind = '.';
        while start > self.floor {
            let Some(c) = self.char_before(start) else { break };
            if !Class::of(c).is_email() {
                break;
            }
            if c == '.' && behind == '.' {
                return None;
            }
            behind = c;
            start -= c.len_utf8();
            self.steps += c.len_utf8() as u64;
        }
        (start < at_sign && behind != '.' && at_sign - start <= LOCAL_PART).then_some(start)
    }

    /// The link with this host: adds root dot, port, path, query and fragment.
    fn with_tail(
        &mut self,
        start: usize,
        kind: Kind,
        user: Option<Range<usize>>,
        host: Range<usize>,
    ) -> Link {
        let mut at = host.end + authority::root_dot(self.text, host.end);
        let port = match authority::port(self.text, at) {
            Port::Digits(digits) => {
                at = digits.end;
                Some(digits)
            }
            Port::None | Port::TooBig => None,
        };
        let end = tail_end(self.text, at);
        self.steps += (end - host.end) as u64;
        Link {
            span: start..end,
            kind,
            host,
            user,
            port,
            tail: at..end,
            defanged: false,
            confidence: Confidence::Sure,
        }
    }

    /// Behind host and port something that only looks like a port: `https://2001:4860:4860::8888`
    /// (S11), `http://example.com:99999`.
    fn is_port_like(&self, at: usize) -> bool {
        match self.bytes_from(at) {
            [b':', b':', ..] => true,
            [b':', next, ..] => next.is_ascii_hexdigit(),
            _ => false,
        }
    }

    fn used(&mut self, end: usize) {
        self.at = self.at.max(end);
        self.floor = self.floor.max(end);
    }

    /// The start of the run of host characters and dots that ends before this place.
    fn run_start(&mut self, end: usize) -> usize {
        let mut start = end;
        while start > self.floor {
            match self.char_before(start) {
                Some(c) if Class::of(c).is_host_or_dot() => start -= c.len_utf8(),
                _ => break,
            }
        }
        self.steps += (end - start) as u64;
        start
    }

    fn run_end(&mut self, start: usize) -> usize {
        self.walk(start, |class| class.is_host_or_dot())
    }

    /// Where the run of characters of some class ends that begins here.
    fn walk(&mut self, start: usize, belongs: impl Fn(Class) -> bool) -> usize {
        let mut at = start;
        while let Some(&byte) = self.text.as_bytes().get(at) {
            if byte.is_ascii() {
                if !belongs(Class::of_ascii(byte)) {
                    break;
                }
                at += 1;
            } else {
                match self.char_at(at) {
                    Some((c, next)) if belongs(Class::of(c)) => at = next,
                    _ => break,
                }
            }
        }
        self.steps += (at - start) as u64;
        at
    }

    /// The end without what a host cannot end with: dots, hyphens, `_`, invisible characters.
    fn trimmed_end(&self, run: Range<usize>) -> usize {
        let text = self.text.get(run.clone()).unwrap_or_default();
        run.start + text.trim_end_matches(|c| c == '-' || c == '_' || is_edge(c)).len()
    }

    /// The start of a schemeless host without what no host starts with: hyphens (of a list, a dash),
    /// invisible characters. A dot stays, and makes the name malformed.
    fn trimmed_start(&self, run: Range<usize>) -> usize {
        let text = self.text.get(run.clone()).unwrap_or_default();
        let trimmed = text.trim_start_matches(|c| c == '-' || Class::of(c).is_ignored());
        run.end - trimmed.len()
    }

    fn is_percent_encoded(&self, at: usize) -> bool {
        matches!(self.bytes_from(at), [b'%', high, low, ..]
            if high.is_ascii_hexdigit() && low.is_ascii_hexdigit())
    }

    fn bytes_from(&self, at: usize) -> &'t [u8] {
        self.text.as_bytes().get(at..).unwrap_or_default()
    }

    /// The character at this place, and where the next one is.
    fn char_at(&self, at: usize) -> Option<(char, usize)> {
        let c = self.text.get(at..)?.chars().next()?;
        Some((c, at + c.len_utf8()))
    }

    fn char_before(&self, at: usize) -> Option<char> {
        self.text.get(..at)?.chars().next_back()
    }
}

impl Iterator for Candidates<'_> {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        loop {
            let bytes = self.text.as_bytes();
            let Some(trigger) = self.finder.next(bytes, self.at) else {
                self.steps += (bytes.len() - self.at) as u64;
                self.at = bytes.len();
                return None;
            };
            self.steps += (trigger - self.at) as u64;
            let found = match bytes.get(trigger) {
                Some(b':') => self.scheme(trigger),
                _ => self.dot(trigger),
            };
            if found.is_some() {
                return found;
            }
        }
    }
}

/// Userinfo and host of an authority, as spelled.
#[derive(Clone, Debug)]
struct Authority {
    user: Option<Range<usize>>,
    host: Range<usize>,
    /// The host is a well-formed IPv6 address in brackets.
    bracketed: bool,
}

/// Schemes whose links are detected (UASG 000 1.1); `mailto:` belongs to addresses.
fn is_web_scheme(name: &str) -> bool {
    ["https", "http", "ftp"].iter().any(|scheme| scheme.eq_ignore_ascii_case(name))
}

/// S11: the text ends with a scheme and its colon.
fn ends_with_scheme(text: &str) -> bool {
    const SCHEMES: [&str; 8] =
        ["http", "https", "ftp", "mailto", "file", "data", "javascript", "vbscript"];
    let Some(before) = text.strip_suffix(':') else { return false };
    let letters = before.bytes().rev().take_while(u8::is_ascii_alphabetic).count();
    let name = before.get(before.len() - letters..).unwrap_or_default();
    SCHEMES.iter().any(|scheme| scheme.eq_ignore_ascii_case(name))
}

/// What may stand in a userinfo (RFC 3986 §3.2.1), as IRIs spell it.
fn is_userinfo(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_alphanumeric() || "-._~!$&'*+,;=%:".contains(c)
    } else {
        Class::of(c).is_host()
    }
}

fn is_edge(c: char) -> bool {
    let class = Class::of(c);
    class.is_dot() || class.is_ignored()
}
