//! Finds the bytes at which a link can show itself, without decoding.
//!
//! Every host that can be linked holds a dot (S9: registrable, so two labels; IPv4) or stands behind
//! `://`. Nothing else has to be looked at.

use memchr::{memchr2, memmem};

/// The label separators other than the full stop (S12), in UTF-8.
const VARIANTS: [[u8; 3]; 3] = [[0xE3, 0x80, 0x82], [0xEF, 0xBC, 0x8E], [0xEF, 0xBD, 0xA1]];

/// Finds `.`, its variants, and `:`; each kind is searched once over the text.
#[derive(Clone, Debug)]
pub(super) struct Finder {
    /// Next position of each needle, `usize::MAX` when there is none: the ASCII ones first.
    next: [usize; 4],
}

impl Finder {
    pub(super) fn new() -> Finder {
        Finder { next: [0; 4] }
    }

    /// The next position at or after `from`. Positions asked for must not go back.
    pub(super) fn next(&mut self, bytes: &[u8], from: usize) -> Option<usize> {
        let mut nearest = usize::MAX;
        for (needle, next) in self.next.iter_mut().enumerate() {
            if *next < from || *next == 0 {
                *next = search(bytes, from, needle).unwrap_or(usize::MAX);
            }
            nearest = nearest.min(*next);
        }
        (nearest != usize::MAX).then_some(nearest)
    }
}

fn search(bytes: &[u8], from: usize, needle: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    let found = match needle.checked_sub(1).and_then(|variant| VARIANTS.get(variant)) {
        None => memchr2(b'.', b':', rest),
        Some(variant) => memmem::find(rest, variant),
    };
    found.map(|at| from + at)
}
