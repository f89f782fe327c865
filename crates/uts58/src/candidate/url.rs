//! URLs with a scheme: what is before and after `://`.

use core::ops::Range;

use super::wide::is_sign_of_host;
use super::{Behind, Candidates, ReadingMode, ends_plainly};
use crate::defanged::{dot_at, is_complete, refanged};
use crate::unicode::Class;
use crate::{Confidence, Kind, Link, authority, prose, scheme};

/// Userinfo and host of an authority, as spelled.
#[derive(Clone, Debug)]
pub(super) struct Authority {
    pub(super) user: Option<Range<usize>>,
    pub(super) host: Range<usize>,
    pub(super) spelling: Spelling,
}

impl Authority {
    pub(super) fn is_plain(&self) -> bool {
        self.spelling == Spelling::Plain
    }
}

/// What the host of an authority is spelled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spelling {
    /// Host characters and dots.
    Plain,
    /// The same, and known to be a host.
    Settled,
    /// Also `%61` or `[.]`.
    Pieces,
    /// Also signs, some of which browsers accept in a host ([`Candidates::behind_signs`]).
    Signs,
    /// A well-formed IPv6 address in brackets.
    Ipv6,
}

impl Candidates<'_> {
    /// A `://`: the text before it decides, and everything that it introduces is used up.
    // In its caller it would take registers from the rest.
    #[cfg_attr(not(target_family = "wasm"), inline(never))]
    pub(super) fn scheme(&mut self, colon: usize) -> Option<Link> {
        self.at = colon + 1;
        if !self.walker.bytes_from(colon).starts_with(b"://") {
            return None;
        }
        let start = self.walker.letters_start(self.floor, colon);
        if start == colon {
            return None;
        }
        let name = self.walker.str(start..colon);
        let alive = scheme::is_web(name);
        let defanged = !alive && self.reading.tlds().is_some() && scheme::is_dead(name);
        let known = defanged || alive;
        let authority = self.authority(colon + 3);
        let Authority { user, host, spelling } = authority;
        let well_formed = self.is_host(host.clone(), spelling);
        let Behind { port, tail } = self.behind(host.end);
        let malformed = !well_formed || self.is_port_like(tail.start);
        // `http://https://example.com`: the text in the place of the host is the next scheme.
        let doubled = malformed && self.walker.bytes_from(host.end).starts_with(b"://");
        self.used(if doubled { colon + 3 } else { tail.end });
        if !known || malformed {
            return None;
        }
        // Made in one piece: to change and move one takes longer than to read a short host.
        Some(Link {
            span: start..tail.end,
            inner: start,
            kind: Kind::Scheme,
            user,
            port,
            tail,
            defanged: spelling == Spelling::Pieces && is_complete(self.walker.str(host.clone())),
            confidence: if defanged { Confidence::Low } else { Confidence::Sure },
            host,
        })
    }

    /// Reads userinfo and host after `://`.
    fn authority(&mut self, start: usize) -> Authority {
        if let Some(host) = self.plain_host(start) {
            return Authority { user: None, host, spelling: Spelling::Plain };
        }
        if let Some(host) = self.settled_host(start) {
            return Authority { user: None, host, spelling: Spelling::Settled };
        }
        let mut authority = self.host_behind(start);
        let mut at = authority.host.end;
        let from = at;
        while let Some((c, next)) = self.walker.char_at(at) {
            if c == '@' {
                authority = self.host_behind(next);
                authority.user = Some(start..at);
                at = authority.host.end.max(next);
            } else if is_userinfo(c) {
                at = next;
            } else {
                break;
            }
        }
        self.walker.steps += (at - from) as u64;
        authority
    }

    /// Fast path for most URLs: an ASCII host, and nothing after it that could continue it.
    fn plain_host(&mut self, start: usize) -> Option<Range<usize>> {
        let behind = self.walker.bytes_from(start);
        let length =
            behind.iter().take_while(|byte| Class::of_ascii(**byte).is_host_or_dot()).count();
        let (host, rest) = behind.split_at_checked(length)?;
        if !host.last()?.is_ascii_alphanumeric() || !ends_plainly(rest) {
            return None;
        }
        self.walker.steps += length as u64;
        Some(start..start + length)
    }

    pub(super) fn host_behind(&mut self, start: usize) -> Authority {
        if self.walker.bytes_from(start).first() == Some(&b'[') {
            return match authority::ipv6_end(self.walker.text, start) {
                Some(end) => Authority { user: None, host: start..end, spelling: Spelling::Ipv6 },
                None => Authority { user: None, host: start..start + 1, spelling: Spelling::Plain },
            };
        }
        let mut spelling = Spelling::Plain;
        let mut end = self.walker.run_end(start);
        loop {
            let skip = self.skip_in_host(end);
            if skip == 0 {
                break;
            }
            spelling = Spelling::Pieces;
            end = self.walker.run_end(end + skip);
        }
        if let Some(longer) = self.behind_signs(start, end) {
            (spelling, end) = (Spelling::Signs, longer);
        }
        Authority { user: None, host: start..self.host_end(start..end), spelling }
    }

    /// The length of what continues a host although it is no host character: `%61`, `[.]`.
    pub(super) fn skip_in_host(&self, at: usize) -> usize {
        match (self.reading, self.walker.bytes_from(at)) {
            (_, [b'%', high, low, ..]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => 3,
            (ReadingMode::Letter, _) => 0,
            (_, rest) => dot_at(rest),
        }
    }

    /// Where the host ends in a run with a certain start.
    pub(super) fn host_end(&self, run: Range<usize>) -> usize {
        let end = self.walker.trimmed_end(run.clone());
        let Some(tlds) = self.reading.tlds() else { return end };
        if self.walker.str(run.start..end).is_ascii() {
            return end;
        }
        let Some(shorter) = prose::existing_end(self.walker.text, run.start..end, tlds) else {
            return end;
        };
        // A plain word after a plain dot is no prose: the DNS is asked about it.
        let cut = self.walker.str(shorter..end);
        let word = cut.strip_prefix('.').unwrap_or(cut);
        if word.starts_with(|c: char| c.is_ascii()) { end } else { shorter }
    }

    #[inline]
    pub(super) fn is_host(&mut self, host: Range<usize>, spelling: Spelling) -> bool {
        if !matches!(spelling, Spelling::Ipv6 | Spelling::Settled) {
            self.measure(host.clone());
        }
        match spelling {
            Spelling::Ipv6 => true,
            Spelling::Settled => true,
            Spelling::Plain => authority::is_host(self.walker.text, host),
            Spelling::Signs => {
                let plain = self.walker.str(host).replace(is_sign_of_host, "x");
                authority::is_spelled_host(&plain)
            }
            Spelling::Pieces => match refanged(self.walker.str(host.clone())) {
                Some(plain) => authority::is_spelled_host(&plain),
                None => authority::is_spelled_host(self.walker.str(host)),
            },
        }
    }

    /// Whether host and port are followed by something that only looks like a port:
    /// `https://2001:4860:4860::8888` (S11), `http://example.com:99999`.
    pub(super) fn is_port_like(&self, at: usize) -> bool {
        match self.walker.bytes_from(at) {
            [b':', b':', ..] => true,
            [b':', next, ..] => next.is_ascii_hexdigit(),
            _ => false,
        }
    }
}

/// Characters of userinfo (RFC 3986 §3.2.1), as IRIs spell it.
fn is_userinfo(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_alphanumeric()
            || matches!(c, '!' | '$'..='\'' | '*'..='.' | ':' | ';' | '=' | '_' | '~')
    } else {
        Class::of(c).is_host()
    }
}
