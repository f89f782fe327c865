//! Finds them byte by byte: code that is small, for web pages.

use super::{HALF, LEADER, Needles, STOP};

/// Finds `.`, its variants, and `:` where a link may be around them.
#[derive(Clone, Debug)]
pub(crate) struct Finder<'t>(Needles<'t>);

impl<'t> Finder<'t> {
    pub(crate) fn new(needles: Needles<'t>) -> Self {
        Finder(needles)
    }

    /// The next position at or after `from`.
    pub(crate) fn next(&mut self, text: &str, from: usize) -> Option<usize> {
        let is_wide = matches!(self.0, Needles::Wide(_));
        let begins = |byte: u8| match byte {
            b'.' | b':' => true,
            _ => byte == STOP[0] || byte == HALF[0] || byte == LEADER[0] && is_wide,
        };
        let mut places = (from..).zip(text.as_bytes().get(from..)?);
        places.find(|(at, byte)| begins(**byte) && self.0.may_be(text, *at)).map(|(at, _)| at)
    }
}
