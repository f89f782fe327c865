//! What names a message, as lines repeat it: senders and archives choose it, so it is bounded.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

use crate::engine::splice::hex;

/// Bytes of a name that are kept; paths and Message-IDs of real mail have less.
pub const LONGEST: usize = 512;

/// Bytes of each end of a longer one that are shown.
const END: usize = 240;

/// The name, or of a longer one both ends, and between them the first 16 hexadecimal digits of its
/// SHA-256: `aaa…[9f86d081884c7d65]…zzz`. Two long names stay two.
pub fn bounded(name: &str) -> Cow<'_, str> {
    if name.len() <= LONGEST {
        return Cow::Borrowed(name);
    }
    let front = name.get(..name.floor_char_boundary(END)).unwrap_or_default();
    let end = name.get(name.ceil_char_boundary(name.len() - END)..).unwrap_or_default();
    let sum = Sha256::digest(name);
    Cow::Owned(format!("{front}…[{}]…{end}", hex(sum.get(..8).unwrap_or_default())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_bounded_and_stay_apart() {
        for short in ["", "cur/1:2,S", &"a".repeat(LONGEST)] {
            assert_eq!(bounded(short), short);
        }
        let long = |middle: &str| format!("{}{middle}{}", "а".repeat(40_000), "ж".repeat(40_001));
        let (one, other) = (long("x"), long("y"));
        assert_ne!(bounded(&one), bounded(&other));
        for name in [&one, &other] {
            let kept = bounded(name);
            assert!(kept.len() <= LONGEST, "{}", kept.len());
            assert!(kept.starts_with("аааа") && kept.ends_with("жжжж"), "{kept}");
            assert_eq!(bounded(&kept), kept);
        }
    }
}
