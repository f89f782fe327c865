//! Hosts in plain bytes that no reading has found are defanged there: their dots are put in brackets.

use std::ops::Range;

use super::host::is_behind_www;
use super::triggers::is_after_scheme;
use super::window::Letter;
use super::{Net, is_twin};
use crate::decide::LONGEST_LINE;
use crate::judging::Judged;
use crate::outcome::RawEdit;
use homograph::ends_host_to_a_reader;
use uts58::unicode::is_dot_to_somebody;

impl Net<'_, '_, '_> {
    /// The edits that defang a host after a scheme, with a look-alike of a slash, or a known name's twin behind `www.`,
    /// if its bytes are plain: its dots in brackets. After another trigger it may be no link to any program, and stays.
    pub(super) fn bracket_dots(
        &self,
        letters: &[Letter],
        at: usize,
        judged: &Judged,
    ) -> Vec<RawEdit> {
        let is_twin = is_behind_www(self.body, at) && judged.host.as_deref().is_some_and(is_twin);
        if !is_after_scheme(self.body, at)
            && !letters.iter().any(|letter| ends_host_to_a_reader(letter.c))
            && !is_twin
        {
            return Vec::new();
        }
        let dots = letters.iter().filter(|letter| is_dot_to_somebody(letter.c));
        dots.filter_map(|dot| {
            let range = dot.raw.start + at..dot.raw.end + at;
            let raw = self.body.get(range.clone())?;
            let replacement = [b"[", raw, b"]"].concat().into();
            self.is_one_byte_each(&range).then_some(RawEdit { range, replacement })
        })
        .collect()
    }

    /// Whether the line has space for brackets around so many dots, besides those of other hosts in it.
    pub(super) fn has_space(&self, at: usize, dots: usize) -> bool {
        let line = self.line_at(at);
        let others = self.bracketed.range(line.clone()).count();
        line.len() + 2 * (others + dots) <= LONGEST_LINE
    }

    /// Whether characters are one byte wide here, with no NUL next to them.
    fn is_one_byte_each(&self, range: &Range<usize>) -> bool {
        let around = range.start.saturating_sub(1)..(range.end + 1).min(self.body.len());
        self.body.get(around).is_some_and(|bytes| memchr::memchr(0, bytes).is_none())
    }

    /// The line around an offset, up to the maximal length of a line.
    fn line_at(&self, at: usize) -> Range<usize> {
        let before = self.body.get(at.saturating_sub(LONGEST_LINE)..at).unwrap_or_default();
        let before =
            memchr::memrchr(b'\n', before).map_or(before.len(), |feed| before.len() - feed);
        let rest = self.body.get(at..).unwrap_or_default();
        let rest = rest.get(..2 * LONGEST_LINE).unwrap_or(rest);
        at - before..at + memchr::memchr(b'\n', rest).unwrap_or(rest.len())
    }
}
