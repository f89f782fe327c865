//! What a page shows beside what it says: for that it is read once more, as a whole.

use std::ops::BitOrAssign;

/// Why a page may show something else to some programs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beside {
    /// A link may show what stands in a URL.
    pub embeds: bool,
    /// It has `<noscript>`.
    pub scripts: bool,
}

impl BitOrAssign for Beside {
    fn bitor_assign(&mut self, other: Beside) {
        self.embeds |= other.embeds;
        self.scripts |= other.scripts;
    }
}
