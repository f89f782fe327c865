//! Fast paths for most hosts beyond ASCII, which are read once.

use core::ops::Range;

use super::{Candidates, ends_plainly, is_blank};
use crate::Link;
use crate::authority::settled;

impl Candidates<'_> {
    /// The host of a URL that begins here, if nothing after it could continue it.
    pub(super) fn settled_host(&mut self, start: usize) -> Option<Range<usize>> {
        // Most hosts that are no plain ones have a port: they are told apart by a glance.
        if self.walker.bytes_from(start).get(..16).is_some_and(<[u8]>::is_ascii) {
            return None;
        }
        self.settled_end(start).map(|end| start..end)
    }

    fn settled_end(&mut self, start: usize) -> Option<usize> {
        let tlds = self.reading.tlds();
        let (end, is_host) = settled::read(self.walker.text, start, tlds, &mut self.known);
        self.walker.steps += (end - start) as u64;
        (is_host && ends_plainly(self.walker.bytes_from(end))).then_some(end)
    }

    /// A host round a dot, or an address with it. `None` says nothing.
    #[inline(never)]
    pub(super) fn settled(&mut self, start: usize) -> Option<Link> {
        let before = start.checked_sub(1).and_then(|at| self.walker.text.as_bytes().get(at));
        if !before.is_none_or(|before| *before == b'@' || is_blank(*before)) {
            return None;
        }
        let end = self.settled_end(start)?;
        self.at = end;
        if before == Some(&b'@') {
            return self.address_of(start..end);
        }
        let link = self.bare_link(start..end);
        self.used(link.span.end);
        Some(link)
    }

    /// Whether some byte beside the dot is no ASCII.
    #[inline(always)]
    pub(super) fn is_beyond_ascii(&self, dot: usize) -> bool {
        let bytes = self.walker.bytes_from(dot.saturating_sub(1));
        matches!(bytes, [0x80..=0xFF, ..] | [_, _, 0x80..=0xFF, ..])
    }
}
