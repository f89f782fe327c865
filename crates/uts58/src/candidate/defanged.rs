//! Candidates that are already defanged: `hxxp://example[.]com`, `user[@]example(.)org`.
//!
//! Only the layer above the conforming detector reads them: they are reported, never linked.

use super::{Candidates, ReadingMode};
use crate::authority::begins_with_www;
use crate::defanged::{
    before_at_sign, before_slashes, dot_at, ends_with_dot, is_complete, refanged,
};
use crate::prose::{self, Stop};
use crate::tlds::TldSet;
use crate::unicode::{Class, is_dot_to_somebody};
use crate::{Kind, Link, authority};

impl Candidates<'_> {
    /// A bracketed dot, of a defanged host; ignored by the conforming detector.
    pub(super) fn defanged(&mut self, dot: usize) -> Option<Link> {
        let tlds = self.tlds()?;
        if dot_at(self.walker.bytes_from(dot.checked_sub(1)?)) == 0 {
            return None;
        }
        let text = self.walker.text;
        let start = self.walker.run_start(self.floor, dot - 1);
        let end = self.defanged_end(start, dot, tlds)?;
        self.at = end.max(dot + 1);
        let host = start..self.before_scheme(start..end);
        let before = self.walker.str(self.floor..start);
        let spelling = text.get(host.clone())?;
        let complete = is_complete(spelling);
        self.measure(host.clone());
        if !refanged(spelling).is_some_and(|plain| authority::is_domain(&plain, 0..plain.len())) {
            return None;
        }
        let at_sign = match before_at_sign(before) {
            Some(before) => Some(self.floor + before.len()),
            None => before.ends_with('@').then(|| start - 1),
        };
        if let Some(at_sign) = at_sign {
            let local = self.local_start(at_sign)?..at_sign;
            let mut link = Link::of_host(Kind::Email, host);
            link.span.start = local.start;
            link.inner = local.start;
            link.user = Some(local);
            link.defanged = complete;
            self.used(link.span.end);
            return Some(link);
        }
        let (scheme_start, kind) = match before_slashes(before) {
            Some(before) => {
                (self.walker.letters_start(self.floor, self.floor + before.len()), Kind::Scheme)
            }
            None if before.ends_with(['/', '\\']) => return None,
            None if self.is_behind_scheme(host.clone()) => return None,
            None => (start, Kind::Bare),
        };
        // No piece of a bare one can be linked; the beginning of one with `www.` or a scheme can.
        let dead = complete || kind == Kind::Bare && !begins_with_www(spelling);
        if let (true, ReadingMode::Wide(_)) = (dead, self.reading) {
            return Some(self.dead(scheme_start, kind, None, host));
        }
        let mut link = self.with_tail(scheme_start, kind, None, host);
        link.defanged = dead;
        self.used(link.span.end);
        Some(link)
    }

    /// Where a host with a bracketed dot ends; `None` if a client would link a later piece of it
    /// alone, which is then a link of its own.
    fn defanged_end(&mut self, start: usize, dot: usize, tlds: &dyn TldSet) -> Option<usize> {
        let before = self.walker.str(self.floor..start);
        let announced = before.ends_with(['/', '@']) || before_at_sign(before).is_some();
        if announced || begins_with_www(self.walker.str(start..dot - 1)) {
            return Some(self.host_behind(start).host.end);
        }
        let mut from = dot + 2;
        loop {
            let end = self.walker.run_end(from);
            let rest = self.behind_bracketed_dot(from, tlds).min(end)..end;
            if prose::existing_end(self.walker.text, rest, tlds).is_some() {
                self.at = from;
                return None;
            }
            match self.skip_in_host(end) {
                0 => return Some(self.host_end(start..end)),
                skip => from = end + skip,
            }
        }
    }

    /// Where text begins that does not belong to the host before it, whose bracketed dot ends at
    /// `at`: after its top-level domain. In `example[.]comです` prose follows, in `example[.]co.uk`
    /// nothing.
    pub(super) fn behind_bracketed_dot(&self, at: usize, tlds: &dyn TldSet) -> usize {
        if !ends_with_dot(self.walker.str(0..at)) {
            return at;
        }
        let rest = self.walker.str(at..self.walker.text.len());
        let label = rest.split(|c| !Class::of(c).is_host()).next().unwrap_or_default();
        let Some(length) = prose::tld_prefix(label, Stop::Full, tlds) else { return at };
        let behind = at + length;
        match self.walker.char_at(behind) {
            Some((c, next)) if is_dot_to_somebody(c) => next,
            _ => behind,
        }
    }
}
