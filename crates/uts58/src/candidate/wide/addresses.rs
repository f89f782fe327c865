//! Mail addresses in the wide reading.

use core::ops::Range;

use super::super::Candidates;
use super::super::address::LOCAL_PART;
use super::MAILTO;
use crate::tlds::TldSet;
use crate::unicode::Class;
use crate::wide::known_end;
use crate::{Confidence, Kind, Link, authority, prose};

/// Whether the byte may be part of the local part in a URL.
fn is_local(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'@' | b'<' | b'>' | b'"')
}

impl Candidates<'_> {
    /// An address with any local part; a host if there is none.
    pub(super) fn wide_address(&mut self, run: Range<usize>, tlds: &dyn TldSet) -> Option<Link> {
        let at_sign = run.start.checked_sub(1)?;
        let domain = self.domain(run, tlds)?;
        let start = self.walker.walk_back(self.floor, at_sign, Class::is_email);
        let local = self.walker.str(start..at_sign);
        let odd = local.as_bytes().windows(2).rposition(|two| two == b"..");
        let odd = odd.map_or(0, |dots| dots + 2);
        let valid = local.get(odd..).unwrap_or_default();
        let local = at_sign - valid.trim_start_matches('.').len()..at_sign;
        if local.is_empty() || local.len() > LOCAL_PART {
            let mut link = Link::of_host(Kind::Bare, domain);
            link.confidence = Confidence::Low;
            self.used(link.span.end);
            return Some(link);
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
        Some(link)
    }

    /// The domain at the start of a run: all of it, or a prefix that ends in a top-level domain.
    fn domain(&mut self, run: Range<usize>, tlds: &dyn TldSet) -> Option<Range<usize>> {
        let whole = run.start..self.host_end(run.clone());
        if self.is_wide_domain(whole.clone()) {
            return Some(whole);
        }
        let shorter = run.start..run.start + known_end(self.walker.str(run), tlds)?;
        self.is_wide_domain(shorter.clone()).then_some(shorter)
    }

    /// `mailto:user%40example.com`: the address after the colon, if its `@` is escaped. As in an
    /// attribute ([`mailto::address`](crate::mailto::address)) the last one counts; the host ends
    /// like hosts in prose.
    pub(super) fn escaped_address(&mut self, colon: usize, tlds: &dyn TldSet) -> Option<Link> {
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
        Some(link)
    }

    /// Whether the local part that was just read is short enough: otherwise it is no address, and
    /// its contents are judged alone.
    pub(super) fn is_local_part_short(&mut self) -> bool {
        let text = self.walker.text;
        let at_sign = self.horizon.end.saturating_sub(1);
        let from = text.floor_char_boundary(at_sign.saturating_sub(LOCAL_PART + 1));
        self.walker.walk_back(self.floor.max(from), at_sign, Class::is_email) > from
            || from <= self.floor
    }

    /// Whether a domain follows the `@` at the end of the local part that was just read.
    pub(super) fn is_before_domain(&mut self, tlds: &dyn TldSet) -> bool {
        if self.before_domain.0 != self.horizon.end {
            let run = self.horizon.end..self.run_end(self.horizon.end);
            let name = self.walker.str(run);
            let valid = known_end(name, tlds).is_some_and(|end| authority::is_domain(name, 0..end));
            self.before_domain = (self.horizon.end, valid);
        }
        self.before_domain.1
    }
}
