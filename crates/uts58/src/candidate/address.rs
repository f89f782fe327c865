//! Addresses (UTS #58 §5.2), and hosts that begin one (S6).

use core::ops::Range;

use super::Candidates;
use crate::unicode::Class;
use crate::{Kind, Link, authority, prose};

/// Local part, octets of UTF-8 (S14, RFC 3696 §3).
pub(super) const LOCAL_PART: usize = 64;

/// How far a run of local-part characters goes, and whether an address follows it: cached, so that
/// `a.a~a.a~…` is read once (S18).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Horizon {
    pub(super) end: usize,
    address: bool,
}

impl Candidates<'_> {
    /// Whether a host that ends here begins a local part: characters of a local part follow up to
    /// an `@` and a name. With a path, query or fragment it is a URL (S6).
    pub(super) fn is_in_local_part(&mut self, end: usize) -> bool {
        let behind = end + authority::root_dot(self.walker.text, end);
        if matches!(self.walker.bytes_from(behind).first(), Some(b'/' | b'?' | b'#')) {
            return false;
        }
        if end >= self.horizon.end {
            let stop = self.walker.walk(end, Class::is_email);
            let address = self.walker.bytes_from(stop).first() == Some(&b'@')
                && self.walker.char_at(stop + 1).is_some_and(|(c, _)| Class::of(c).is_host());
            // The place itself counts as read: the next call after it is a new question.
            self.horizon = Horizon { end: stop + 1, address };
        }
        self.horizon.address
    }

    /// UTS #58 §5.2: a domain with an `@` before it.
    pub(super) fn address(&mut self, run: Range<usize>) -> Option<Link> {
        let domain = if authority::is_plain_domain(self.walker.str(run.clone())) {
            run
        } else {
            let domain = run.start..self.host_end(run);
            authority::is_domain(self.walker.text, domain.clone()).then_some(domain)?
        };
        self.address_of(domain)
    }

    /// The same for a known domain.
    pub(super) fn address_of(&mut self, domain: Range<usize>) -> Option<Link> {
        let at_sign = domain.start.checked_sub(1)?;
        let local = self.local_start(at_sign);
        let floor = core::mem::replace(&mut self.floor, domain.end);
        let local = local?..at_sign;
        let prefix = self.walker.str(floor..local.start).as_bytes();
        let mailto =
            prefix.last_chunk().is_some_and(|end: &[u8; 7]| end.eq_ignore_ascii_case(b"mailto:"));
        let mut link = Link::of_host(Kind::Email, domain);
        link.span.start = if mailto { local.start - 7 } else { local.start };
        link.inner = link.span.start;
        if let (Some(_), false) = (self.reading.tlds(), mailto) {
            link.inner = prose::inner_local(self.walker.text, local.clone());
        }
        link.user = Some(local);
        Some(link)
    }

    /// Where the local part before an `@` begins; `None` if §5.2 does not match (S7).
    pub(super) fn local_start(&mut self, at_sign: usize) -> Option<usize> {
        let start = self.walker.walk_back(self.floor, at_sign, Class::is_email);
        let local = self.walker.str(start..at_sign);
        let doubled = || local.as_bytes().windows(2).any(|two| two == b"..");
        let dots = local.starts_with('.') || local.ends_with('.') || doubled();
        (!local.is_empty() && !dots && local.len() <= LOCAL_PART).then_some(start)
    }
}
