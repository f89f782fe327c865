//! The wide reading: what some client may link, however carelessly it reads (S27, S29).
//!
//! | clause | here |
//! | --- | --- |
//! | S29: a scheme wherever it begins, any number of slashes | [`Candidates::wide_scheme`] |
//! | S29: userinfo up to the last `@` | [`Candidates::wide_authority`] |
//! | S29: `//host`, `\\host`, `.host`, `_host`, `mailto:host`, `host@` | [`Candidates::wide_run`] |
//! | S29: U+2024 between labels | [`Candidates::run_end`] |
//! | S12, S27: every end that a top-level domain makes | [`known_end`], [`hosts`] |
//!
//! A run may hold several hosts with prose between them; each comes with the widest start and the
//! furthest end. Where inside it a client may begin is for the judge to say
//! (`crate::unicode::prose`).

use crate::unicode::a_label;
use std::ops::Range;

use super::authority;
use super::candidate::{Candidates, Flaw, Found, LOCAL_PART};
use super::defanged;
use super::prose::{self, Stop};
use super::termination::{path_end_in_prose, tail_end_in_prose};
use super::{Confidence, Kind, Link, scheme};
use crate::tlds::TldSet;
use crate::unicode::{Class, is_dot_to_somebody, prose as bounds};

/// Where the authority of a URL may reach, whatever stands in it, and the last `@` in there. Known until
/// the search has passed it, so that nothing is read twice (S18).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reach {
    end: usize,
    at_sign: Option<usize>,
    /// Where the last sign before it stands that no userinfo holds, when a local part follows.
    prose: Option<usize>,
}

const MAILTO: &str = "mailto";

/// What may stand in the local part of a URL.
fn is_local(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'@' | b'<' | b'>' | b'"')
}

impl<'t> Candidates<'t> {
    /// A colon: a URL, when the name of a web scheme ends there.
    pub(super) fn wide_scheme(&mut self, colon: usize, tlds: &dyn TldSet) -> Option<Found> {
        self.at = colon + 1;
        let letters = self.walker.letters_start(self.floor, colon);
        let name = self.walker.str(letters..colon);
        if name.len() >= MAILTO.len() && scheme::ends_with(name, MAILTO) {
            return self.escaped_address(colon, tlds);
        }
        let taken_apart = scheme::is_dead(name);
        let start = match taken_apart {
            true => letters,
            false => colon - scheme::linked_at_end(name)?.name.len(),
        };
        let from = colon + 1 + self.slashes(colon + 1);
        let (user, host, whole) = self.wide_authority(from, tlds)?;
        let mut link = self.with_tail(start, Kind::Scheme, user, host);
        link.defanged = defanged::is_complete(self.walker.str(link.host.clone()));
        let careful = start == letters
            && whole
            && self.walker.str(colon + 1..from) == "//"
            && !self.is_port_like(link.tail.start);
        if taken_apart || !careful {
            link.confidence = Confidence::Low;
        }
        self.used(link.span.end);
        Some(Found { link, flaw: Flaw::None })
    }

    /// `mailto:user%40example.com`: the address behind the colon, when its `@` is escaped. As in an attribute
    /// ([`mailto::address`](crate::mailto::address)) the last one counts; the host ends as hosts in prose do.
    fn escaped_address(&mut self, colon: usize, tlds: &dyn TldSet) -> Option<Found> {
        let from = colon + 1;
        let behind = self.walker.bytes_from(from);
        let local = behind.iter().take(LOCAL_PART + 1).take_while(|byte| is_local(**byte)).count();
        let at_sign = behind.get(..local)?.windows(3).rposition(|three| three == b"%40")?;
        let (host, _) = self.host_from(from + at_sign + 3, tlds)?;
        let mut link = Link::of_host(Kind::Email, host);
        link.span.start = colon - MAILTO.len();
        link.inner = link.span.start;
        link.user = Some(from..from + at_sign);
        link.confidence = Confidence::Low;
        self.used(link.span.end);
        Some(Found { link, flaw: Flaw::None })
    }

    /// Slashes and backslashes from here on.
    fn slashes(&self, at: usize) -> usize {
        self.walker.bytes_from(at).iter().take_while(|c| matches!(c, b'/' | b'\\')).count()
    }

    /// Userinfo and host of the authority that begins here, and whether it is all of what stands there.
    fn wide_authority(
        &mut self,
        from: usize,
        tlds: &dyn TldSet,
    ) -> Option<(Option<Range<usize>>, Range<usize>, bool)> {
        let reach = self.reach(from);
        let at_sign = reach.at_sign.filter(|at| *at >= from);
        if let Some(at_sign) = at_sign
            && !self.is_address_in_prose(from, reach, tlds)
            && let Some((host, whole)) = self.host_from(at_sign + 1, tlds)
        {
            return Some((Some(from..at_sign), host, whole));
        }
        let (host, whole) = self.host_from(from, tlds)?;
        Some((None, host, whole))
    }

    /// `https://example.com、bob@example.org`: between the host and the `@` stands what no userinfo
    /// holds, and behind that a local part.
    fn is_address_in_prose(&mut self, from: usize, reach: Reach, tlds: &dyn TldSet) -> bool {
        reach.prose.is_some_and(|sign| sign >= from) && self.host_from(from, tlds).is_some()
    }

    /// Where the last sign in front of an `@` stands that no userinfo holds, with a local part behind it.
    fn prose_before(&self, user: Range<usize>) -> Option<usize> {
        let text = self.walker.str(user.clone());
        let odd = |c: char| !c.is_ascii() && !Class::of(c).is_host_or_dot();
        let (at, sign) = text.char_indices().rev().find(|(_, c)| odd(*c))?;
        let local = text.get(at + sign.len_utf8()..).unwrap_or_default();
        let is_local = !local.is_empty() && local.chars().all(|c| Class::of(c).is_email());
        is_local.then_some(user.start + at)
    }

    fn reach(&mut self, from: usize) -> Reach {
        if from >= self.reach.end {
            let rest = self.walker.str(from..self.walker.text.len());
            let mut at_sign = None;
            let mut length = rest.len();
            for (at, c) in rest.char_indices() {
                match c {
                    '@' => at_sign = Some(from + at),
                    '/' | '\\' | '?' | '#' | '<' | '>' | '"' => {
                        length = at;
                        break;
                    }
                    c if c.is_whitespace() || c.is_control() => {
                        length = at;
                        break;
                    }
                    _ => {}
                }
            }
            self.walker.steps += length as u64;
            // The place itself counts as read.
            let prose = at_sign.and_then(|at_sign| self.prose_before(from..at_sign));
            self.reach = Reach { end: from + length + 1, at_sign, prose };
        }
        self.reach
    }

    /// The host that begins here, behind what no host begins with; and whether that is all of it.
    fn host_from(&mut self, from: usize, tlds: &dyn TldSet) -> Option<(Range<usize>, bool)> {
        let junk = self.walker.bytes_from(from);
        let junk = junk.iter().take_while(|c| matches!(c, b'.' | b'_' | b'-')).count();
        let start = from + junk;
        let authority = self.host_behind(start);
        let host = authority.host.clone();
        if self.is_host(host.clone(), authority.spelling) {
            return Some((host, junk == 0));
        }
        let run = start..self.run_end(start);
        let end = run.start + known_end(self.walker.str(run.clone()), tlds)?;
        let host = run.start..end;
        self.is_wide_domain(host.clone()).then_some((host, false))
    }

    /// The run of host characters round a dot, the longest that there is.
    pub(super) fn wide_run(&mut self, run: Range<usize>, tlds: &dyn TldSet) -> Option<Found> {
        let start = self.run_start(run.start);
        let run = start..self.run_end(run.end);
        self.at = run.end;
        if let Some(found) = self.escaped_www(run.end, tlds) {
            return Some(found);
        }
        match self.walker.char_before(run.start) {
            // Behind an `@` that no domain follows, clients begin where one does: `x@.example.com`.
            Some('@') => self.wide_address(run.clone(), tlds).or_else(|| self.wide_bare(run, tlds)),
            _ => self.wide_bare(run, tlds),
        }
    }

    /// `www.%D1%80aypal.com`: a host that goes on with what is escaped, as it does behind a scheme. The run of host
    /// characters in front ends at `end`.
    pub(super) fn escaped_www(&mut self, end: usize, tlds: &dyn TldSet) -> Option<Found> {
        let escaped = self.walker.bytes_from(end).iter().find(|byte| **byte != b'.');
        if escaped != Some(&b'%') {
            return None;
        }
        let run = self.walker.run_start(self.floor, end)..end;
        let start = self.walker.trimmed_start(run);
        let first = self.walker.str(start..end).split('.').next()?;
        first.eq_ignore_ascii_case("www").then_some(())?;
        let (host, _) = self.host_from(start, tlds)?;
        self.walker.str(host.clone()).contains('%').then_some(())?;
        let mut link = self.with_tail(host.start, Kind::Www, None, host);
        link.confidence = Confidence::Low;
        self.used(link.span.end);
        Some(Found { link, flaw: Flaw::None })
    }

    /// Whether what was just looked at is short enough for a local part: else no address is found, and
    /// what is in it is judged by itself.
    fn is_local_part_short(&mut self) -> bool {
        let text = self.walker.text;
        let at_sign = self.horizon.end.saturating_sub(1);
        let from = text.floor_char_boundary(at_sign.saturating_sub(LOCAL_PART + 1));
        self.walker.walk_back(self.floor.max(from), at_sign, Class::is_email) > from
            || from <= self.floor
    }

    /// Whether a domain stands behind the `@` at the end of the local part that was just looked at.
    fn is_before_domain(&mut self, tlds: &dyn TldSet) -> bool {
        if self.before_domain.0 != self.horizon.end {
            let run = self.horizon.end..self.run_end(self.horizon.end);
            let name = self.walker.str(run);
            let valid = known_end(name, tlds).is_some_and(|end| authority::is_domain(name, 0..end));
            self.before_domain = (self.horizon.end, valid);
        }
        self.before_domain.1
    }

    /// The end of path, query and fragment: as in prose, but a host in there is not cut at its dots.
    pub(super) fn wide_tail_end(&mut self, start: usize, tlds: &dyn TldSet) -> usize {
        let text = self.walker.text;
        // Browsers take a backslash for a slash.
        let mut end = match self.walker.bytes_from(start).first() {
            Some(b'\\') => path_end_in_prose(text, start + 1),
            _ => tail_end_in_prose(text, start),
        };
        while end > start
            && let Some((_, behind)) =
                self.walker.char_at(end).filter(|(c, _)| is_dot_to_somebody(*c))
            && let Some((first, _)) = self.walker.char_at(behind)
            && prose::may_begin_tld(first, tlds)
        {
            end = tail_end_in_prose(text, self.run_end(behind));
        }
        end
    }

    /// The end of the run of host characters and of whatever is a dot to somebody.
    fn run_end(&mut self, from: usize) -> usize {
        let mut end = self.walker.run_end(from);
        while let Some((_, behind)) =
            self.walker.char_at(end).filter(|(c, _)| is_dot_to_somebody(*c))
        {
            end = self.walker.run_end(behind);
        }
        end
    }

    fn run_start(&mut self, from: usize) -> usize {
        let mut start = self.walker.run_start(self.floor, from);
        while start > self.floor
            && let Some(dot) = self.walker.char_before(start).filter(|c| is_dot_to_somebody(*c))
        {
            start = self.walker.run_start(self.floor, start - dot.len_utf8());
        }
        start
    }

    fn is_wide_domain(&self, host: Range<usize>) -> bool {
        authority::is_domain(self.walker.text, host)
    }

    /// An address, whatever its local part is; a host when there is none.
    fn wide_address(&mut self, run: Range<usize>, tlds: &dyn TldSet) -> Option<Found> {
        let at_sign = run.start.checked_sub(1)?;
        let domain = self.domain(run, tlds)?;
        let start = self.walker.walk_back(self.floor, at_sign, Class::is_email);
        let local = self.walker.str(start..at_sign);
        let odd = local.rfind("..").map_or(0, |dots| dots + 2);
        let valid = local.get(odd..).unwrap_or_default();
        let local = at_sign - valid.trim_start_matches('.').len()..at_sign;
        if local.is_empty() || local.len() > LOCAL_PART {
            let mut link = Link::of_host(Kind::Bare, domain);
            link.confidence = Confidence::Low;
            self.used(link.span.end);
            return Some(Found { link, flaw: Flaw::None });
        }
        let before = self.walker.str(self.floor..local.start).as_bytes();
        let mailto =
            before.last_chunk().is_some_and(|end: &[u8; 7]| end.eq_ignore_ascii_case(b"mailto:"));
        let mut link = Link::of_host(Kind::Email, domain);
        link.span.start = if mailto { local.start - 7 } else { local.start };
        link.inner = if mailto {
            link.span.start
        } else {
            prose::inner_local(self.walker.text, local.clone())
        };
        if local.start > start || local.end > at_sign {
            link.confidence = Confidence::Low;
        }
        link.user = Some(local);
        self.floor = link.span.end;
        Some(Found { link, flaw: Flaw::None })
    }

    /// The domain at the start of a run: all of it, or what ends in a top-level domain.
    fn domain(&mut self, run: Range<usize>, tlds: &dyn TldSet) -> Option<Range<usize>> {
        let whole = run.start..self.host_end(run.clone());
        if self.is_wide_domain(whole.clone()) {
            return Some(whole);
        }
        let shorter = run.start..run.start + known_end(self.walker.str(run), tlds)?;
        self.is_wide_domain(shorter.clone()).then_some(shorter)
    }

    /// Hosts without scheme.
    fn wide_bare(&mut self, run: Range<usize>, tlds: &dyn TldSet) -> Option<Found> {
        let from = self.behind_bracketed_dot(run.start, tlds).min(run.end);
        let run = from..run.end;
        let name = self.walker.str(run.clone());
        let mut found = hosts(name, tlds);
        let bracketed = defanged::dot_at(self.walker.bytes_from(run.end)) > 0;
        if found.is_empty() && !bracketed {
            let start = self.walker.trimmed_start(run.clone());
            found.extend(
                self.unknown_www(start..run.end).map(|end| start - run.start..end - run.start),
            );
        }
        self.walker.steps += run.len() as u64;
        let last = found.last()?.end;
        // What is in a local part is judged with the address.
        if self.is_in_local_part(run.start + last)
            && self.is_local_part_short()
            && self.is_before_domain(tlds)
        {
            found.pop();
        }
        let lowest = match self.walker.char_before(run.start) {
            Some('/' | '\\' | ':') => Confidence::Low,
            _ => Confidence::Sure,
        };
        for host in found.into_iter().rev() {
            let Some(start) = begins(name, host.clone()) else { continue };
            let host = run.start + start..run.start + host.end;
            let mut link = self.bare_link(host.clone());
            link.confidence = lowest;
            match prose::inner_start(self.walker.text, host) {
                Some(inner) => link.inner = inner,
                None => link.confidence = Confidence::Low,
            }
            self.used(link.span.end);
            self.pending.push(Found { link, flaw: Flaw::None });
        }
        self.pending.pop()
    }
}

/// The first place at which a host begins that can be linked at all.
fn begins(name: &str, host: Range<usize>) -> Option<usize> {
    let text = name.get(host.clone())?;
    let trimmed = text.trim_start_matches(is_edge);
    let base = host.end - trimmed.len();
    let can_be_linked = |start: &usize| authority::is_domain(name, base + *start..host.end);
    let start = bounds::starts(trimmed).into_iter().find(can_be_linked);
    Some(base + start.or_else(|| bounds::inside(trimmed).into_iter().find(can_be_linked))?)
}

/// The hosts in a run, each from where the one before it ended to its last top-level domain.
fn hosts(run: &str, tlds: &dyn TldSet) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut end: Option<usize> = None;
    let mut before: Option<char> = None;
    let mut at = 0;
    for piece in run.split_inclusive(is_dot_to_somebody) {
        let dot = piece.chars().next_back().filter(|c| is_dot_to_somebody(*c));
        let label = piece.get(..piece.len() - dot.map_or(0, char::len_utf8)).unwrap_or_default();
        let whole = end == Some(at - before.map_or(0, char::len_utf8));
        let mut close = |from: usize, end: &mut Option<usize>| {
            found.extend(end.take().map(|end| start..end));
            start = from;
        };
        match before {
            _ if label.is_empty() => close(at + piece.len(), &mut end),
            None => {}
            Some(stop) => match top_level(label, Stop::of(stop), tlds) {
                Some(length) => {
                    end = Some(at + length);
                    let rest = label.get(length..).unwrap_or_default();
                    let rest = rest.trim_start_matches(['-', '_']);
                    if rest.starts_with(|c| bounds::is_unspaced(c) || bounds::is_sign(c)) {
                        close(at + length, &mut end);
                    }
                }
                // S12: behind the stop of a sentence the next one follows.
                None if whole && Stop::of(stop) == Stop::Ideographic => close(at, &mut end),
                None => {}
            },
        }
        before = dot;
        at += piece.len();
    }
    found.extend(end.map(|end| start..end));
    found
}

/// Where the longest beginning of a run ends that some client takes for a host, once a scheme or an `@`
/// says that there is one: then digits end a top-level domain as well (`com1`).
pub fn known_end(run: &str, tlds: &dyn TldSet) -> Option<usize> {
    label_end(run, tlds).or_else(|| cut_end(run, tlds))
}

fn label_end(run: &str, tlds: &dyn TldSet) -> Option<usize> {
    let mut rest = run;
    loop {
        let (dot, c) = rest.char_indices().rev().find(|(_, c)| is_dot_to_somebody(*c))?;
        let behind = dot + c.len_utf8();
        let label = rest.get(behind..)?;
        let length = top_level(label, Stop::of(c), tlds);
        if let Some(length) = length.or_else(|| leading(label, u8::is_ascii_alphabetic, tlds)) {
            return Some(behind + length);
        }
        rest = rest.get(..dot)?;
    }
}

/// Where a host ends to a client that takes the letters of a top-level domain wherever
/// they stand (`xn--a.comcom`): one that knows ASCII alone, so that only an A-label can deceive there.
fn cut_end(name: &str, tlds: &dyn TldSet) -> Option<usize> {
    let ascii = name.bytes().take_while(u8::is_ascii).count();
    let name = name.get(..ascii.min(authority::NAME))?;
    let start = a_label::places(name.as_bytes()).next()?;
    let dots = name.match_indices('.').map(|(dot, _)| dot + 1).filter(|behind| *behind > start);
    let mut ends = dots.filter_map(|behind| {
        let label = name.get(behind..)?.split('.').next()?;
        let letters = label.bytes().take_while(u8::is_ascii_alphabetic).count();
        let exists = |length: &usize| tlds.exists_as(label.get(..*length).unwrap_or_default());
        (2..=letters).rev().find(exists).map(|length| behind + length)
    });
    ends.next_back()
}

/// The length of the top-level domain that a label begins with: as prose has it, or up to where a client
/// stops that knows letters and digits of ASCII alone (`com_x`, `com-x`, `comé`, `xn--p1aié`), or letters
/// (`рф_x`, `рф™`).
fn top_level(label: &str, stop: Stop, tlds: &dyn TldSet) -> Option<usize> {
    prose::tld_prefix(label, stop, tlds)
        .or_else(|| leading(label, u8::is_ascii_alphanumeric, tlds))
        .or_else(|| leading(label, |c| c.is_ascii_alphanumeric() || *c == b'-', tlds))
        .or_else(|| before_no_letter(label, tlds))
}

/// The length of a top-level domain beyond ASCII that something else than a letter follows.
fn before_no_letter(label: &str, tlds: &dyn TldSet) -> Option<usize> {
    if label.is_ascii() {
        return None;
    }
    let follows =
        |end: usize| label.get(end..).is_some_and(|rest| !rest.starts_with(char::is_alphabetic));
    tlds.unicode_prefix(label, &follows)
}

/// The length of a top-level domain of such bytes, others following.
fn leading(label: &str, belongs: fn(&u8) -> bool, tlds: &dyn TldSet) -> Option<usize> {
    let length = label.bytes().take_while(belongs).count();
    let name = label.get(..length).filter(|_| length < label.len())?;
    tlds.exists_as(name).then_some(length)
}

/// What no schemeless host begins or ends with; a sign may stand in front of one.
fn is_edge(c: char) -> bool {
    matches!(c, '-' | '_') || is_dot_to_somebody(c) || Class::of(c).is_ignored()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::tlds::TldTable;
    use crate::{Boundaries, Linkifier};

    fn tlds() -> TldTable {
        TldTable::new(["com", "org", "de", "xn--fiqs8s", "xn--p1ai"], "")
    }

    /// The hosts that are judged, between the marks.
    fn marked(text: &str) -> String {
        let tlds = tlds();
        let mut out = String::new();
        let mut at = 0;
        for link in Linkifier::new(&tlds).boundaries(Boundaries::Wide).links(text) {
            out += &text[at..link.host.start];
            out += "⸠";
            out += &text[link.host.clone()];
            out += "⸡";
            at = link.host.end;
        }
        out + &text[at..]
    }

    #[track_caller]
    fn check(expected: &str) {
        assert_eq!(marked(&expected.replace(['⸠', '⸡'], "")), expected);
    }

    #[test]
    fn s29_a_host_behind_an_at_sign_that_no_domain_follows() {
        for dot in ['.', '。', '．', '｡', '\u{2024}'] {
            check(&format!("go u@{dot}⸠раypal.com⸡"));
            check(&format!("u@{dot}⸠xn--80ak6aa92e.com⸡"));
        }
        check("u@-⸠раypal.com⸡");
    }

    #[test]
    fn s29_hosts_that_go_on_escaped() {
        check("see ⸠www.x.com⸡ ⸠www.%D1%80%D0%B0ypal.com⸡/x ⸠www.p%D0%B0ypal.com⸡ now");
        check("50% www.%41 www.50% p%D0%B0ypal");
    }

    #[test]
    fn s29_an_address_whose_at_sign_is_escaped() {
        check("see mailto:x%40⸠раypal.com⸡ mailto:x%40⸠%D1%80%D0%B0ypal.com⸡?subject=x");
        check("mailto:x%40y mailto:50%40 ⸠раypal.com⸡ mailto:x%40y%40⸠раypal.com⸡");
    }

    #[test]
    fn s29_a_local_part_that_is_too_long_is_none() {
        let long = "привет.".repeat(6);
        check(&format!("⸠{long}раypal.com⸡@⸠a.com⸡"));
        check("bob.smith@⸠example.com⸡");
    }

    #[test]
    fn s29_a_scheme_wherever_it_begins() {
        check("seehttp://⸠раypal.com⸡ 见https://⸠раypal.com⸡");
        check("http:⸠раypal.com⸡ HTTPS:/⸠раypal.com⸡ http:///⸠раypal.com⸡ https:\\\\⸠раypal.com⸡");
        check("http:\\/⸠раypal.com⸡/x ftp://⸠раypal.com⸡ http://http://⸠раypal.com⸡");
        check(
            "//⸠раypal.com⸡ \\\\⸠раypal.com⸡ /⸠раypal.com⸡ foo://⸠раypal.com⸡ mailto:⸠раypal.com⸡",
        );
    }

    #[test]
    fn s29_what_no_host_begins_or_ends_with() {
        check(".⸠раypal.com⸡ _⸠раypal.com⸡ ..⸠раypal.com⸡ http://.⸠раypal.com⸡");
        check("http://⸠раypal.com⸡@ http://⸠раypal.com⸡:99999 http://⸠раypal.com⸡%20");
        check("http://⸠раypal.com⸡[.] http://⸠раypal.com⸡%2e ⸠раypal.com⸡_x ⸠раypal.com⸡-x");
        check("⸠раypal.com⸡です http://⸠раypal.com⸡。次の文 ⸠раypal.com⸡é http://⸠раypal.com⸡:80:");
        check("http://⸠раypal.com⸡\u{200b} ⸠раypal.com⸡. ⸠раypal.com⸡... ⸠раypal.com⸡|x");
    }

    #[test]
    fn s29_userinfo_up_to_the_last_at_sign() {
        check("http://a@b@⸠раypal.com⸡ http://a、b|c@⸠раypal.com⸡ https://(x)@⸠раypal.com⸡/");
        check("http://⸠example.com⸡、メールはbob@⸠example.org⸡へ");
        check("user@⸠раypal.com⸡@x a..b@⸠раypal.com⸡ @⸠раypal.com⸡");
    }

    #[test]
    fn s29_top_level_domains_that_are_cut_off() {
        check("u@⸠xn--a-b.xn--p1ai⸡ａ");
        let end = |run: &str| super::known_end(run, &tlds());
        for behind in ["com", "http", "www.", "org.xyz"] {
            assert_eq!(end(&format!("xn--ypal-43d9g.com{behind}")), Some(18), "{behind}");
        }
        assert_eq!(end("xn--a.example.comcom"), Some(17));
        assert_eq!(end("example.comcom"), None);
    }

    #[test]
    fn s29_dots() {
        check("⸠a․раypal․com⸡ http://⸠раypal．com⸡ http://⸠раypal․com⸡/x user@⸠раypal。com⸡");
    }

    #[test]
    fn s29_ends_that_clients_see() {
        check("⸠раypal.рф⸡_x ⸠раypal.рф⸡™ http://⸠раypal.рф⸡‑x ⸠раypal.рф⸡\u{20e3} ⸠раypal.рф⸡①");
        check("foo-.⸠раypal.com⸡ ⸠①.раypal.com⸡");
    }

    #[test]
    fn a_host_in_a_tail_is_not_cut_at_its_dots() {
        let tlds = tlds();
        let tail = |text: &str| {
            let link = Linkifier::new(&tlds).boundaries(Boundaries::Wide).links(text).next();
            text[link.unwrap().tail].to_owned()
        };
        for whole in ["?u=http://раypal。com", "/www．раypal．com/x", "#bob@раypal｡中国"]
        {
            assert_eq!(tail(&format!("x.com{whole} y")), whole);
            assert_eq!(tail(&format!("http://x.com{whole}")), whole);
        }
        assert_eq!(tail("http://x.com/a。次の文"), "/a");
        assert_eq!(tail("http://x.com\\url?q=a b"), "\\url?q=a");
        assert_eq!(tail("http://x.com\\, and"), "\\");
    }

    #[test]
    fn hosts_among_prose() {
        check("⸠例えばexample.com⸡⸠やexample.org⸡など。");
        check("⸠👉раypal.com⸡ ⸠www.аcmecorp.com⸡ ⸠Приветexample.com⸡");
    }

    proptest! {
        /// Links come in order and disjoint, and lie in the text.
        #[test]
        fn in_order(text in "(http:|//|@|\\.|com|раyp|です|[a-z ]|\\PC){0,24}") {
            let tlds = tlds();
            let mut end = 0;
            for link in Linkifier::new(&tlds).boundaries(Boundaries::Wide).links(&text) {
                prop_assert!(text.get(link.span.clone()).is_some(), "{link:?}");
                prop_assert!(link.span.start >= end && link.span.end > link.span.start, "{link:?}");
                prop_assert!(link.span.start <= link.host.start && link.host.end <= link.span.end);
                end = link.span.end;
            }
        }
    }
}
