//! Candidates of the wide reading: everything that some client may link, however carelessly it
//! reads (S27, S29).
//!
//! | clause | here |
//! | --- | --- |
//! | S29: a scheme wherever it begins, any number of slashes | [`Candidates::wide_scheme`] |
//! | S29: userinfo up to the last `@` | [`Candidates::wide_authority`], [`Candidates::www_before_at_sign`] |
//! | S29: `//host`, `\\host`, `.host`, `_host`, `mailto:host`, `host@` | [`Candidates::wide_run`] |
//! | S29: U+2024 between labels | [`Candidates::run_end`] |
//!
//! A run may contain several hosts with prose between them ([`wide`]); each gets the widest start
//! and the furthest end.

mod addresses;

use alloc::vec::Vec;
use core::ops::Range;

use super::{Candidates, ReadingMode, ends_with_scheme};
use crate::authority::begins_with_www;
use crate::prose;
use crate::termination::{path_end_in_prose, tail_end_in_prose};
use crate::tlds::TldSet;
use crate::unicode::hosts::{ends_host_to_a_reader, is_kept};
use crate::unicode::punycode::SETTLED;
use crate::unicode::{Class, is_alphanumeric, is_dot_to_somebody};
use crate::wide::{self, known_end};
use crate::{Confidence, Kind, Link, authority, defanged, ipv4, percent, scheme};

/// A name with this many bytes beyond ASCII surely fits in the DNS, if it is not mapped. Of any other its length there has
/// to be computed, which takes as much for each of its characters, and for each beyond ASCII in addition, as reading so many
/// bytes of running text.
const FEW_BYTES: usize = 2 * SETTLED;
const MEASURED_CHARACTER_STEPS: u64 = 16;
const MEASURED_LETTER_STEPS: u64 = 64;

/// The same where signs stand for many letters: `㍿` for four, `㌀` for five.
const EXPANDED_LETTER_STEPS: u64 = 160;

/// Steps of a run with hosts that does not stand between blanks, added to its bytes: its beginning and end are looked for.
const RUN_STEPS: u64 = 128;

/// Whether mapping makes a word of the sign.
fn is_expanded(sign: char) -> bool {
    matches!(sign, '\u{3300}'..='\u{3357}' | '\u{337B}'..='\u{337F}' | '\u{FDF0}'..='\u{FDFC}')
}

/// How far the authority of a URL may reach, whatever it contains, and the last `@` in it. Cached
/// until the search has passed it, so that nothing is read twice (S18).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reach {
    end: usize,
    at_sign: Option<usize>,
    /// The last sign before the `@` that no userinfo contains, if a local part follows it.
    prose: Option<usize>,
}

/// The hosts of a run that were not returned yet. Each becomes a link when it is asked for: a run may have as many as
/// a text has letters, and a link takes ten times the memory.
#[derive(Clone, Debug)]
pub(super) struct HostsOfRun {
    run: Range<usize>,
    /// In the run, the last one first.
    left: Vec<Range<usize>>,
    /// How sure they are.
    confidence: Confidence,
}

impl Default for HostsOfRun {
    fn default() -> HostsOfRun {
        HostsOfRun { run: 0..0, left: Vec::new(), confidence: Confidence::Low }
    }
}

const MAILTO: &str = "mailto";

/// Bytes of a host with signs: no longer one exists, however its characters are mapped.
const SIGNED: usize = 1_024;

/// ASCII signs that no name in the DNS has, but that browsers accept in a host.
pub(super) fn is_sign_of_host(c: char) -> bool {
    matches!(c, '!' | '$'..='\'' | '('..=',' | ';' | '=' | '~' | '{' | '}' | '`') && c != '%'
}

/// Where the first word of a run begins that starts with `www.`.
fn www_in(run: &str) -> Option<usize> {
    let begins = |at: &usize| {
        let word = at.checked_sub(1).and_then(|at| run.as_bytes().get(at));
        begins_with_www(run.get(*at..).unwrap_or_default())
            && !word.is_some_and(|before| {
                before.is_ascii_alphanumeric() || matches!(before, b'.' | b'-')
            })
    };
    memchr::memchr2_iter(b'w', b'W', run.as_bytes()).find(begins)
}

/// Whether an authority ends here for every client: Mozilla ends it only at these blanks and
/// controls.
fn ends_authority(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\x0C' | '\r' | '\0' | '\u{A0}' | '\u{3000}')
}

/// Whether the text after `www.example.com` may continue to an `@`: with a character of userinfo,
/// or with one sign only. A list of names continues with a sign and a name.
fn goes_on_to_at_sign(behind: &str) -> bool {
    let mut chars = behind.chars();
    let first = chars.next();
    matches!(first, Some('@' | ':' | '%' | '+' | '&' | '=' | '$' | '*' | '!' | '~' | '\''))
        || first.is_some_and(|c| !ends_authority(c)) && chars.next() == Some('@')
}

/// What a path or a scheme before `//` ends with.
fn is_word(c: char) -> bool {
    is_alphanumeric(c) || matches!(c, ':' | '/' | '\\' | '.' | '-' | '_')
}

impl<'t> Candidates<'t> {
    /// A colon: a URL, if the name of a web scheme ends there.
    pub(super) fn wide_scheme(&mut self, colon: usize, tlds: &dyn TldSet) -> Option<Link> {
        self.at = colon + 1;
        let letters = self.walker.letters_start(self.floor, colon);
        let name = self.walker.str(letters..colon);
        if name.len() >= MAILTO.len() && scheme::ends_with(name, MAILTO) {
            return self.escaped_address(colon, tlds);
        }
        let defanged_scheme = scheme::is_dead(name);
        let start = match defanged_scheme {
            true => letters,
            false => colon - scheme::linked_at_end(name)?.name.len(),
        };
        let from = colon + 1 + self.slashes(colon + 1);
        let (user, host, whole) = self.wide_authority(from, tlds)?;
        // A live scheme with a live name before the `@`: a client links it, wherever it ends the
        // host.
        let live = |user: &Range<usize>| {
            let user = self.walker.str(user.clone());
            user.contains('%') || defanged::has_dot(user)
        };
        let name = self.walker.str(host.clone());
        // A number has no dot that could be bracketed.
        let number =
            defanged_scheme && user.is_none() && ipv4::is_number(name) && !defanged::has_dot(name);
        if number
            || (defanged_scheme || !user.as_ref().is_some_and(live)) && defanged::is_complete(name)
        {
            return Some(self.dead(start, Kind::Scheme, user, host));
        }
        let mut link = self.with_tail(start, Kind::Scheme, user, host);
        let careful = start == letters
            && whole
            && self.walker.str(colon + 1..from) == "//"
            && !self.is_port_like(link.tail.start);
        if defanged_scheme || !careful {
            link.confidence = Confidence::Low;
        }
        self.used(link.span.end);
        Some(link)
    }

    /// A link that no client follows, up to the end of its host: the rest may contain live links
    /// (`evil[.]com/?u=https://…`), but no dotted words.
    pub(super) fn dead(
        &mut self,
        start: usize,
        kind: Kind,
        user: Option<Range<usize>>,
        host: Range<usize>,
    ) -> Link {
        if self.dead <= host.end {
            self.dead = self.with_tail(start, kind, None, host.clone()).span.end;
        }
        let mut link = Link::of_host(kind, host);
        link.span.start = start;
        link.inner = start;
        link.user = user;
        link.defanged = true;
        self.used(link.span.end);
        link
    }

    /// Number of slashes and backslashes from here on.
    fn slashes(&self, at: usize) -> usize {
        self.walker.bytes_from(at).iter().take_while(|c| matches!(c, b'/' | b'\\')).count()
    }

    /// Userinfo and host of the authority that begins here, and whether that is all of it.
    fn wide_authority(
        &mut self,
        from: usize,
        tlds: &dyn TldSet,
    ) -> Option<(Option<Range<usize>>, Range<usize>, bool)> {
        let reach = self.reach(from, tlds);
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

    /// `https://example.com、bob@example.org`: between the host and the `@` is a sign that no
    /// userinfo contains, followed by a local part.
    fn is_address_in_prose(&mut self, from: usize, reach: Reach, tlds: &dyn TldSet) -> bool {
        reach.prose.is_some_and(|sign| sign >= from) && self.host_from(from, tlds).is_some()
    }

    /// The last sign before an `@` that no userinfo contains, if a local part follows it. A Chinese
    /// or Japanese full stop is such a sign if a sentence follows that begins with no top-level
    /// domain.
    fn prose_before(&self, user: Range<usize>, tlds: &dyn TldSet) -> Option<usize> {
        let text = self.walker.str(user.clone());
        let stops = |behind: &str| {
            behind.starts_with(|c: char| !c.is_ascii()) && !prose::may_be_tld(behind, tlds)
        };
        let odd = |at: usize, c: char| match c.is_ascii() {
            true => c.is_whitespace(),
            false if !is_dot_to_somebody(c) => !Class::of(c).is_host(),
            false => text.get(at + c.len_utf8()..).is_some_and(stops),
        };
        let (at, sign) = text.char_indices().rev().find(|(at, c)| odd(*at, *c))?;
        let local = text.get(at + sign.len_utf8()..).unwrap_or_default();
        let is_local = !local.is_empty() && local.chars().all(|c| Class::of(c).is_email());
        is_local.then_some(user.start + at)
    }

    fn reach(&mut self, from: usize, tlds: &dyn TldSet) -> Reach {
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
                    c if ends_authority(c) => {
                        length = at;
                        break;
                    }
                    _ => {}
                }
            }
            self.walker.steps += length as u64;
            // The place itself counts as read.
            let prose = at_sign.and_then(|at_sign| self.prose_before(from..at_sign, tlds));
            self.reach = Reach { end: from + length + 1, at_sign, prose };
        }
        self.reach
    }

    /// The host that begins here, without leading characters that no host begins with; and whether
    /// that is all of it.
    fn host_from(&mut self, from: usize, tlds: &dyn TldSet) -> Option<(Range<usize>, bool)> {
        let junk = self.walker.bytes_from(from);
        let junk = junk.iter().take_while(|c| matches!(c, b'.' | b'_' | b'-')).count();
        let start = from + junk;
        let authority = self.host_behind(start);
        let host = authority.host.clone();
        if self.before_scheme(host.clone()) == host.end {
            if self.is_host(host.clone(), authority.spelling) {
                return Some((host, junk == 0));
            }
            if authority.is_plain() {
                self.no_domain = host;
            }
        }
        let longest = start..self.run_end(start);
        let run = start..self.before_scheme(longest.clone());
        self.walker.steps += wide::run_steps(self.walker.str(run.clone()));
        if let Some(end) = known_end(self.walker.str(run.clone()), tlds) {
            let host = start..start + end;
            let opens = self.is_wide_domain(host.clone())
                || authority::is_domain_to_browsers(self.walker.text, host.clone());
            return opens.then_some((host, false));
        }
        // Digits that browsers map may be cut off as signs: `http://①②⑦.⓪.⓪.①/`.
        let is_cut = run.end < longest.end
            || authority.host.end < run.end
            || self.is_before_bracket(run.end);
        if !is_cut {
            return None;
        }
        self.measure(run.clone());
        authority::is_host(self.walker.text, run.clone()).then_some((run, false))
    }

    /// The end of a run that the `://` of a scheme follows: before the name of the scheme
    /// (`x[.]https://…`, `a.comhttps://…`).
    pub(super) fn before_scheme(&self, run: Range<usize>) -> usize {
        let name = match self.walker.bytes_from(run.end) {
            [b':', b'/' | b'\\', ..] => scheme::linked_at_end(self.walker.str(run.clone())),
            _ => None,
        };
        run.end - name.map_or(0, |scheme| scheme.name.len())
    }

    /// The end of a host that continues with signs at which other clients end it: after a sign that
    /// looks like the end of a host, nobody continues a sentence with them, and browsers accept
    /// them in a host (WHATWG URL §3.5). Up to a top-level domain; otherwise the sign is not part
    /// of it.
    pub(super) fn behind_signs(&mut self, start: usize, end: usize) -> Option<usize> {
        let ReadingMode::Wide(tlds) = self.reading else { return None };
        let is_sign =
            |byte: Option<&u8>| byte.is_some_and(|byte| is_sign_of_host(char::from(*byte)));
        if !is_sign(self.walker.bytes_from(end).first())
            || !self.walker.str(start..end).contains(ends_host_to_a_reader)
        {
            return None;
        }
        let mut longer = end;
        while longer - start < SIGNED && is_sign(self.walker.bytes_from(longer).first()) {
            longer = self.walker.run_end(longer + 1);
        }
        let behind = self.walker.str(end..longer).rsplit(is_sign_of_host).next()?;
        known_end(behind, tlds).map(|_| longer)
    }

    /// Whether a bracketed dot is here after which the host does not continue: a client ends it
    /// here.
    fn is_before_bracket(&self, at: usize) -> bool {
        let behind = at + defanged::dot_at(self.walker.bytes_from(at));
        let goes_on = || {
            let next = self.walker.char_at(behind).is_some_and(|(c, _)| Class::of(c).is_host());
            let label = self.walker.bytes_from(behind).iter();
            let label = behind..behind + label.take_while(|c| c.is_ascii_alphabetic()).count();
            next && self.before_scheme(label) > behind
        };
        behind > at && !goes_on()
    }

    /// The longest run of host characters around a dot.
    pub(super) fn wide_run(&mut self, run: Range<usize>, tlds: &dyn TldSet) -> Option<Link> {
        // Fast path for most runs: ASCII hosts and words between blanks that no `@` follows.
        if run.start >= self.dead && self.walker.bytes_from(run.end).get(1) != Some(&b'@') {
            if let Some(link) = self.plain_bare(run.clone()) {
                return Some(link);
            }
            if self.are_words(run.clone(), tlds) {
                self.walker.steps += run.len() as u64;
                self.at = run.end;
                return None;
            }
        }
        let start = percent::behind_sign(self.walker.text, self.run_start(run.start));
        let run = start..self.run_end(run.end);
        self.at = run.end;
        let run = start..self.before_scheme(run);
        if let Some(found) = self.www_before_at_sign(run.clone(), tlds) {
            return Some(found);
        }
        if let Some(found) = self.escaped_www(run.end, tlds) {
            return Some(found);
        }
        match self.walker.char_before(run.start) {
            // After an `@` that no domain follows, clients begin a host: `x@.example.com`.
            Some('@') => self.wide_address(run.clone(), tlds).or_else(|| self.wide_bare(run, tlds)),
            _ => self.wide_bare(run, tlds),
        }
    }

    /// Whether a run is words between dots, none of which is a top-level domain to any client.
    fn are_words(&self, run: Range<usize>, tlds: &dyn TldSet) -> bool {
        let Some(name) = self.between_blanks(run) else { return false };
        // A hyphen ends a top-level domain for some clients.
        !begins_with_www(name)
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.')
            && !name.split('.').skip(1).any(|label| tlds.exists_as(label))
    }

    /// `www.example.com@attack.example/x`, `www.example.com:x@attack.example`: an address to some
    /// clients, a URL with userinfo to others. It counts as a URL if a whole host precedes the `@`
    /// that is not the host of the address: mailboxes have names like `www.somebody` as well.
    fn www_before_at_sign(&mut self, run: Range<usize>, tlds: &dyn TldSet) -> Option<Link> {
        if !goes_on_to_at_sign(self.walker.str(run.end..self.walker.text.len())) {
            return None;
        }
        let start = run.start + www_in(self.walker.str(run.clone()))?;
        let before = self.walker.str(self.floor..start);
        // `//www.…` with no word before the slashes.
        let before =
            before.strip_suffix("//").filter(|word| !word.ends_with(is_word)).unwrap_or(before);
        if before.ends_with(['+', '-', '.', '=', '%', '/', '\\', '@']) || ends_with_scheme(before) {
            return None;
        }
        let name = self.walker.str(start + 4..run.end).trim_end_matches(is_dot_to_somebody);
        let (_, tld) = name.rsplit_once(is_dot_to_somebody)?;
        let reach = self.reach(start, tlds);
        let at_sign = reach.at_sign.filter(|at| *at >= run.end && tlds.exists_as(tld))?;
        if self.hostless == Some(at_sign) || self.is_address_in_prose(start, reach, tlds) {
            return None;
        }
        let Some((host, _)) = self.host_from(at_sign + 1, tlds) else {
            self.hostless = Some(at_sign);
            return None;
        };
        if scheme::ends_with(self.walker.str(host.clone()), name) {
            return None;
        }
        let mut link = self.with_tail(start, Kind::Www, Some(start..at_sign), host);
        link.confidence = Confidence::Low;
        self.used(link.span.end);
        Some(link)
    }

    /// `www.%D1%80aypal.com`: a host that continues with escapes, as after a scheme. The run of
    /// host characters before it ends at `end`.
    pub(super) fn escaped_www(&mut self, end: usize, tlds: &dyn TldSet) -> Option<Link> {
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
        Some(link)
    }

    /// The end of path, query and fragment: as in prose, but a host in them is not cut at its dots.
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

    /// The end of the run of host characters and of all dots that some client accepts.
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

    /// Whether a name can be linked. One that cannot is asked for in several readings.
    fn is_wide_domain(&mut self, host: Range<usize>) -> bool {
        if self.no_domain == host {
            return false;
        }
        self.measure(host.clone());
        let is_domain = authority::is_domain(self.walker.text, host.clone());
        if !is_domain {
            self.no_domain = host;
        }
        is_domain
    }

    /// Notes the steps of asking whether a name can be linked.
    pub(super) fn measure(&mut self, host: Range<usize>) {
        let name = self.walker.str(host);
        // Most names. A web page loads less without.
        if !cfg!(target_family = "wasm") && name.is_ascii() {
            self.walker.steps += name.len() as u64;
            return;
        }
        let characters = name.chars().count() as u64;
        let others = name.chars().filter(|c| !c.is_ascii());
        let bytes = name.bytes().filter(|byte| !byte.is_ascii()).count();
        if bytes <= FEW_BYTES && others.clone().all(is_kept) {
            self.walker.steps += characters;
            return;
        }
        let letter = match name.contains(is_expanded) {
            true => EXPANDED_LETTER_STEPS,
            false => MEASURED_LETTER_STEPS,
        };
        let letters = others.count() as u64;
        self.walker.steps += MEASURED_CHARACTER_STEPS * characters + letter * letters;
    }

    /// Hosts without a scheme.
    fn wide_bare(&mut self, run: Range<usize>, tlds: &dyn TldSet) -> Option<Link> {
        let from = self.behind_bracketed_dot(run.start, tlds).min(run.end);
        let run = from..run.end;
        let name = self.walker.str(run.clone());
        if run.start < self.dead && www_in(name).is_none() {
            return None;
        }
        let mut found = core::mem::take(&mut self.hosts.left);
        wide::hosts(name, tlds, &mut found);
        let bracketed = defanged::dot_at(self.walker.bytes_from(run.end)) > 0
            && !self.is_before_bracket(run.end);
        if found.is_empty() && !bracketed {
            let start = self.walker.trimmed_start(run.clone());
            found.extend(
                self.unknown_www(start..run.end).map(|end| start - run.start..end - run.start),
            );
        }
        self.walker.steps += run.len() as u64 + wide::run_steps(name);
        let last = found.last()?.end;
        self.walker.steps += RUN_STEPS;
        // A host in a local part is judged with the address.
        if self.is_in_local_part(run.start + last)
            && self.is_local_part_short()
            && self.is_before_domain(tlds)
        {
            found.pop();
        }
        let confidence = match self.walker.char_before(run.start) {
            Some('/' | '\\' | ':') => Confidence::Low,
            _ => Confidence::Sure,
        };
        found.reverse();
        self.hosts = HostsOfRun { run, left: found, confidence };
        self.next_host_of_run()
    }

    /// The next host of the last run, as a link.
    pub(super) fn next_host_of_run(&mut self) -> Option<Link> {
        while let Some(host) = self.hosts.left.pop() {
            let run = self.hosts.run.clone();
            let name = self.walker.str(run.clone());
            let is_domain = |host: Range<usize>| {
                self.is_wide_domain(run.start + host.start..run.start + host.end)
            };
            let Some(start) = wide::begins(name, host.clone(), is_domain) else { continue };
            let host = run.start + start..run.start + host.end;
            let mut link = self.bare_link(host.clone());
            link.confidence = self.hosts.confidence;
            link.inner = prose::inner_start_of_host(self.walker.text, host);
            self.used(link.span.end);
            return Some(link);
        }
        None
    }
}
