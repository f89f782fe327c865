//! The labels of a host of ASCII letters, digits, dots, hyphens and underscores, read in one pass.

use smallvec::SmallVec;

use super::form::LABEL_OCTETS;
use crate::characters::lookalike::{LookHash, class};
use uts58::unicode::a_label::has_a_label;

/// A plain label.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlainLabel<'n> {
    pub bytes: &'n [u8],
    pub look: LookHash,
    /// Whether it has hyphens or underscores.
    pub has_separator: bool,
    /// Where it begins in the host.
    pub start: usize,
}

/// Most hosts have no more labels and need no allocation.
pub(crate) type PlainLabels<'n> = SmallVec<[PlainLabel<'n>; 6]>;

/// Reads the labels of a host; `None` if one is not plain.
pub(crate) fn read<'n>(name: &'n [u8], labels: &mut PlainLabels<'n>) -> Option<()> {
    let (mut start, mut look, mut separators) = (0, LookHash::EMPTY, 0);
    for (at, byte) in name.iter().enumerate() {
        match BYTE_KINDS.get(usize::from(*byte)).copied().unwrap_or_default() {
            class @ b'0'.. => look.class(class),
            SLOW => {
                separators += usize::from(matches!(*byte, b'-' | b'_'));
                look.ascii(*byte);
            }
            DOT => {
                labels.push(PlainLabel::new(start, name.get(start..at)?, look, separators)?);
                (start, look, separators) = (at + 1, LookHash::EMPTY, 0);
            }
            _ => return None,
        }
    }
    labels.push(PlainLabel::new(start, name.get(start..)?, look, separators)?);
    Some(())
}

impl<'n> PlainLabel<'n> {
    /// Whether it ends in a digit.
    #[inline]
    pub fn is_numbered(&self) -> bool {
        self.bytes.last().is_some_and(u8::is_ascii_digit)
    }

    /// `None` if letters, digits and this number of separators do not make a plain label.
    #[inline]
    fn new(
        start: usize,
        bytes: &'n [u8],
        look: LookHash,
        separators: usize,
    ) -> Option<PlainLabel<'n>> {
        let sound = || {
            bytes.first() != Some(&b'-')
                && bytes.last() != Some(&b'-')
                && bytes.get(2..4) != Some(b"--".as_slice())
                // An A-label may begin inside.
                && !(separators > 1 && has_a_label(bytes))
        };
        let has_separator = separators > 0;
        let plain = (1..=LABEL_OCTETS).contains(&bytes.len()) && (!has_separator || sound());
        plain.then_some(PlainLabel { bytes, look, has_separator, start })
    }
}

/// What to do for each byte of a host: the class of most letters and digits, [`DOT`], [`SLOW`] for
/// bytes that need another look, and 0 for those that no plain host has.
static BYTE_KINDS: [u8; 256] = {
    let mut steps = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
        {
            steps[byte] = match byte as u8 {
                b'-' | b'_' | b'm' | b'w' | b'M' | b'W' => SLOW,
                b'.' => DOT,
                letter @ (b'a'..=b'z' | b'0'..=b'9' | b'A'..=b'Z') => class(letter),
                _ => 0,
            };
        }
        byte += 1;
    }
    steps
};

const DOT: u8 = 1;
/// Separators, and letters that look like two others side by side.
const SLOW: u8 = 2;
