//! Where a link may start, and which of these places is one.
//!
//! | clause | here |
//! | --- | --- |
//! | UASG 000 1.1, UASG 001 rec. 1: explicit schemes | [`Candidates::scheme`] |
//! | UASG 001 rec. 2: implied schemes | [`Candidates::bare`] |
//! | UTS #58 §5.2: addresses | [`Candidates::address`], [`Candidates::local_start`] |
//! | S5: userinfo | [`is_flawed`] |
//! | S6: an earlier URL beats an address | [`Candidates::is_in_local_part`] |
//! | S11: nothing directly behind `scheme:` | [`ends_with_scheme`] |
//! | S12, S27 | [`ReadingMode::Prose`], `prose` |
//! | S18: linear time | `at`, `floor` and `horizon` only grow |
//!
//! The search goes from dot to dot and from `://` to `://` (see `finder`); the longest run of host
//! characters around a dot is read once. Nothing is read twice for the same purpose, so the work is
//! linear in the text.

mod address;
mod defanged;
mod settled;
mod url;
mod wide;

use alloc::vec::Vec;
use core::ops::Range;

use address::Horizon;
use wide::Reach;

use super::authority::{self, Port, begins_with_www};
use super::defanged::dot_at;
use super::finder::{Finder, Needles};
use super::termination::{tail_end, tail_end_in_prose};
use super::walk::Walker;
use super::{Confidence, Kind, Link, prose, scheme};
use crate::tlds::TldSet;
use crate::unicode::Class;

/// How running text is read.
#[derive(Clone, Copy, Debug)]
pub(super) enum ReadingMode<'t> {
    /// Strictly by UTS #58: the longest run of host characters, or nothing.
    Letter,
    /// As people write: prose may be joined to a host (S12, S27), and hosts may be defanged.
    Prose(&'t dyn TldSet),
    /// As careless clients read (S29).
    Wide(&'t dyn TldSet),
}

impl<'t> ReadingMode<'t> {
    /// The top-level domains that exist; `None` for the strict reading, which does not need them.
    fn tlds(self) -> Option<&'t dyn TldSet> {
        match self {
            ReadingMode::Letter => None,
            ReadingMode::Prose(tlds) | ReadingMode::Wide(tlds) => Some(tlds),
        }
    }
}

/// Candidates in the order of the text.
#[derive(Clone, Debug)]
pub(super) struct Candidates<'t> {
    walker: Walker<'t>,
    reading: ReadingMode<'t>,
    /// Steps that the search may take.
    most: u64,
    finder: Finder<'t>,
    /// Found in one run of host characters; the first one is last.
    pending: Vec<Link>,
    /// Hosts of the last run that were not returned yet: a run may have very many.
    hosts: wide::HostsOfRun,
    /// Where the search continues.
    at: usize,
    /// Nothing before this place is part of a later link.
    floor: usize,
    horizon: Horizon,
    reach: Reach,
    /// Where the last `@` after a local part ends, and whether a domain follows it.
    before_domain: (usize, bool),
    /// The last `@` without a host after it.
    hostless: Option<usize>,
    /// The end of path, query and fragment of the last defanged link.
    dead: usize,
    known: authority::settled::Known<'t>,
    /// The last name that cannot be linked.
    no_domain: Range<usize>,
}

impl Iterator for Candidates<'_> {
    type Item = Link;

    #[inline]
    fn next(&mut self) -> Option<Link> {
        loop {
            if let Some(found) = self.pending.pop().or_else(|| self.next_host_of_run()) {
                return Some(found);
            }
            if self.walker.steps > self.most {
                return None;
            }
            let text = self.walker.text;
            let Some(trigger) = self.finder.next(text, self.at) else {
                self.walker.steps += (text.len() - self.at) as u64;
                self.at = text.len();
                return None;
            };
            self.walker.steps += (trigger - self.at) as u64;
            let found = match (text.as_bytes().get(trigger), self.reading) {
                (Some(b':'), ReadingMode::Wide(tlds)) => self.wide_scheme(trigger, tlds),
                (Some(b':'), _) => self.scheme(trigger),
                _ => self.dot(trigger),
            };
            if found.is_some() {
                return found;
            }
        }
    }
}

impl<'t> Candidates<'t> {
    pub(super) fn new(text: &'t str, reading: ReadingMode<'t>, most: u64) -> Self {
        Candidates {
            walker: Walker::new(text),
            reading,
            most,
            finder: Finder::new(match reading {
                ReadingMode::Letter => Needles::Letter,
                ReadingMode::Prose(tlds) => Needles::Prose(tlds),
                ReadingMode::Wide(tlds) => Needles::Wide(tlds),
            }),
            pending: Vec::new(),
            hosts: wide::HostsOfRun::default(),
            at: 0,
            floor: 0,
            horizon: Horizon::default(),
            reach: Reach::default(),
            before_domain: (usize::MAX, false),
            hostless: None,
            dead: 0,
            known: authority::settled::Known::default(),
            no_domain: 0..0,
        }
    }

    fn tlds(&self) -> Option<&'t dyn TldSet> {
        self.reading.tlds()
    }

    pub(super) fn steps(&self) -> u64 {
        self.walker.steps
    }

    /// Uses up the text before `end`, the end of a link.
    pub(super) fn used(&mut self, end: usize) {
        self.at = self.at.max(end);
        self.floor = self.floor.max(end);
    }

    /// A dot: reads the run of host characters around it.
    fn dot(&mut self, dot: usize) -> Option<Link> {
        if let [b'.', next, ..] = self.walker.bytes_from(dot)
            && next.is_ascii_alphanumeric()
        {
            return self.round(dot, dot + 1);
        }
        let (_, behind) = self.walker.char_at(dot)?;
        self.at = behind;
        let (next, _) = self.walker.char_at(behind)?;
        if !Class::of(next).is_host() {
            return match self.reading {
                ReadingMode::Wide(tlds) if next == '%' => self.escaped_www(dot, tlds),
                _ => self.defanged(dot),
            };
        }
        self.round(dot, behind)
    }

    /// Reads the run around a dot; a host character is at `behind`.
    fn round(&mut self, dot: usize, behind: usize) -> Option<Link> {
        let start = self.walker.run_start(self.floor, dot);
        if let ReadingMode::Wide(tlds) = self.reading {
            let run = start..self.walker.run_end(behind);
            return self.wide_run(run, tlds);
        }
        if self.is_beyond_ascii(dot)
            && let Some(link) = self.settled(start)
        {
            return Some(link);
        }
        let run = start..self.walker.run_end(behind);
        self.at = run.end;
        match self.walker.char_before(run.start) {
            Some('@') => self.address(run),
            Some('/' | '\\') => None,
            _ => self.bare(run),
        }
    }

    /// A run of host characters without a scheme.
    fn bare(&mut self, run: Range<usize>) -> Option<Link> {
        if let Some(link) = self.plain_bare(run.clone()) {
            return Some(link);
        }
        let end = self.walker.trimmed_end(run.clone());
        if self.walker.bytes_from(end).starts_with(b"://") {
            let name = self.walker.letters_start(self.floor, end)..end;
            if scheme::is_web(self.walker.str(name)) {
                return None;
            }
        }
        match self.reading.tlds() {
            None => self.bare_by_letter(run.start..end),
            Some(tlds) => self.bare_in_prose(run, tlds),
        }
    }

    /// Fast path for most hosts: ASCII between blanks or quotes, with an existing top-level domain.
    fn plain_bare(&mut self, run: Range<usize>) -> Option<Link> {
        let host = self.between_blanks(run.clone())?;
        if let Some(tlds) = self.reading.tlds() {
            let dot = host.bytes().rposition(|byte| !byte.is_ascii_alphanumeric())?;
            if host.as_bytes().get(dot) != Some(&b'.') || !tlds.exists_as(host.get(dot + 1..)?) {
                return None;
            }
        }
        if !authority::is_domain(host, 0..host.len()) {
            return None;
        }
        if self.tlds().is_some() {
            self.walker.steps += run.len() as u64;
        }
        let link = self.bare_link(run);
        self.used(link.span.end);
        Some(link)
    }

    /// A run of ASCII that begins and ends with a letter or digit, between blanks, quotes or angle
    /// brackets.
    fn between_blanks(&self, run: Range<usize>) -> Option<&'t str> {
        let (before, rest) = self.walker.text.as_bytes().split_at_checked(run.start)?;
        let (name, behind) = rest.split_at_checked(run.len())?;
        let ([first, ..], [.., last]) = (name, name) else { return None };
        let plain = first.is_ascii_alphanumeric()
            && last.is_ascii_alphanumeric()
            && before.last().is_none_or(|byte| is_blank(*byte))
            && ends_plainly(behind)
            && name.is_ascii();
        self.walker.text.get(run).filter(|_| plain)
    }

    fn bare_by_letter(&mut self, run: Range<usize>) -> Option<Link> {
        let host = self.walker.trimmed_start(run.clone())..run.end;
        if self.is_in_local_part(host.end) || self.is_behind_scheme(host.clone()) {
            return None;
        }
        if !authority::is_domain(self.walker.text, host.clone()) {
            return None;
        }
        let link = self.bare_link(host);
        self.used(link.span.end);
        Some(link)
    }

    /// S12, S27: the run may contain several hosts with prose between them.
    fn bare_in_prose(&mut self, run: Range<usize>, tlds: &dyn TldSet) -> Option<Link> {
        let text = self.walker.text;
        let run = self.behind_bracketed_dot(run.start, tlds).min(run.end)..run.end;
        let start = self.walker.trimmed_start(run.clone());
        let existing = prose::existing_end(text, start..run.end, tlds);
        // Before a bracketed dot, only what a client links without it.
        let bracketed = dot_at(self.walker.bytes_from(run.end)) > 0;
        let unknown = || (!bracketed).then(|| self.unknown_www(start..run.end)).flatten();
        let mut end = existing.or_else(unknown)?;
        if self.is_in_local_part(end) || self.is_behind_scheme(start..end) {
            return None;
        }
        self.walker.steps += (run.end - run.start) as u64;
        if text.get(start..end)?.is_ascii() {
            let host = prose::inner_start(text, start..end)?..end;
            let link = self.bare_link(host);
            self.used(link.span.end);
            return Some(link);
        }
        // Most have no prose before them.
        if prose::inner_start(text, start..end)? == start {
            let link = self.bare_link(start..end);
            self.used(link.span.end);
            return Some(link);
        }
        let mut inner_hosts = Vec::new();
        while let Some(inner) = prose::inner_start(text, start..end) {
            inner_hosts.push(inner..end);
            match prose::existing_end(text, start..inner, tlds) {
                Some(left) if inner > start => end = left,
                _ => break,
            }
        }
        let mut from = start;
        let hosts: Vec<_> = inner_hosts
            .into_iter()
            .rev()
            .map(|inner| {
                // The full stop of a sentence directly before the next one.
                let glued = self.walker.str(from..inner.start);
                let stop = glued.len() - glued.trim_start_matches(['.', '\u{FF0E}']).len();
                let stop = if from == start { 0 } else { stop };
                (core::mem::replace(&mut from, inner.end) + stop..inner.end, inner.start)
            })
            .collect();
        for (host, inner) in hosts.into_iter().rev() {
            let mut link = self.bare_link(inner..host.end);
            link.span.start = host.start;
            link.host.start = host.start;
            link.inner = inner;
            self.used(link.span.end);
            self.pending.push(link);
        }
        self.pending.pop()
    }

    /// A host with `www.` and an unknown top-level domain: the DNS has to be asked.
    fn unknown_www(&mut self, run: Range<usize>) -> Option<usize> {
        let end = self.walker.trimmed_end(run.clone());
        let host = run.start..end;
        if !begins_with_www(self.walker.str(host.clone())) {
            return None;
        }
        self.measure(host.clone());
        authority::is_domain(self.walker.text, host).then_some(end)
    }

    #[inline]
    fn bare_link(&mut self, host: Range<usize>) -> Link {
        let kind =
            if begins_with_www(self.walker.str(host.clone())) { Kind::Www } else { Kind::Bare };
        self.with_tail(host.start, kind, None, host)
    }

    /// S11: `http:example.com` is no link, and neither is its tail.
    fn is_behind_scheme(&mut self, host: Range<usize>) -> bool {
        let behind = ends_with_scheme(self.walker.str(0..host.start));
        if behind {
            let end = self.with_tail(host.start, Kind::Bare, None, host).span.end;
            self.used(end);
        }
        behind
    }

    /// The link with this host: adds root dot, port, path, query and fragment.
    #[inline]
    fn with_tail(
        &mut self,
        start: usize,
        kind: Kind,
        user: Option<Range<usize>>,
        host: Range<usize>,
    ) -> Link {
        let Behind { port, tail } = self.behind(host.end);
        Link {
            span: start..tail.end,
            inner: start,
            kind,
            host,
            user,
            port,
            tail,
            defanged: false,
            confidence: Confidence::Sure,
        }
    }

    /// What follows a host that ends here.
    fn behind(&mut self, host_end: usize) -> Behind {
        let text = self.walker.text;
        let mut at = host_end + authority::root_dot(text, host_end);
        let mut port = None;
        if let Port::Digits(digits) = authority::port(text, at) {
            at = digits.end;
            port = Some(digits);
        }
        let end = match self.reading {
            ReadingMode::Letter => tail_end(text, at),
            ReadingMode::Prose(_) => tail_end_in_prose(text, at),
            ReadingMode::Wide(tlds) => self.wide_tail_end(at, tlds),
        };
        self.walker.steps += (end - host_end) as u64;
        Behind { port, tail: at..end }
    }
}

/// What follows a host and its root dot.
struct Behind {
    port: Option<Range<usize>>,
    /// Path, query and fragment.
    tail: Range<usize>,
}

/// S5: the authority has userinfo, so this is no link strictly by the standard.
pub(super) fn is_flawed(link: &Link) -> bool {
    link.kind == Kind::Scheme && link.user.is_some()
}

/// S11: whether the text ends with a scheme and its colon.
fn ends_with_scheme(text: &str) -> bool {
    let Some(before) = text.strip_suffix(':') else { return false };
    let letters = before.bytes().rev().take(12).take_while(u8::is_ascii_alphabetic).count();
    let name = before.get(before.len() - letters..).unwrap_or_default();
    scheme::does(name).is_some()
}

/// Blanks, and characters that end any host.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'"' | b'<' | b'>')
}

/// Whether a host before these bytes ends there: they do not continue it as userinfo, local part or
/// in brackets.
fn ends_plainly(behind: &[u8]) -> bool {
    behind.first().is_none_or(|byte| is_blank(*byte) || matches!(byte, b'/' | b'?' | b'#'))
}
