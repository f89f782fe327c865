//! What a page is read once more for, as a whole: some programs show there what others do not.

use std::ops::BitOrAssign;

/// Why a page may show something else to some programs, or to who looks at it as a whole.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rereads {
    /// A link may show what stands in a URL.
    pub embeds: bool,
    /// It has `<noscript>`.
    pub scripts: bool,
    /// It asks for a password.
    pub asks_password: bool,
}

impl BitOrAssign for Rereads {
    fn bitor_assign(&mut self, other: Rereads) {
        self.embeds |= other.embeds;
        self.scripts |= other.scripts;
        self.asks_password |= other.asks_password;
    }
}
