//! Limits names that senders and archives choose and that every line repeats: sources, Message-IDs, hosts.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

use crate::engine::hex;

/// Bytes of the longest name. Paths and Message-IDs of real mail are shorter.
pub const MAX_NAME_BYTES: usize = 512;

/// Bytes that are shown of each end of a longer name.
const END_BYTES: usize = 240;

/// The name. A longer name is shortened to its two ends with the first 16 hexadecimal digits of its SHA-256 between
/// them, `aaa…[9f86d081884c7d65]…zzz`, so that two long names stay different.
pub fn bounded(name: &str) -> Cow<'_, str> {
    if name.len() <= MAX_NAME_BYTES {
        return Cow::Borrowed(name);
    }
    let front = name.get(..name.floor_char_boundary(END_BYTES)).unwrap_or_default();
    let end = name.get(name.ceil_char_boundary(name.len() - END_BYTES)..).unwrap_or_default();
    let sum = Sha256::digest(name);
    Cow::Owned(format!("{front}…[{}]…{end}", hex::encode(sum.get(..8).unwrap_or_default())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_bounded_and_stay_different() {
        for short in ["", "cur/1:2,S", &"a".repeat(MAX_NAME_BYTES)] {
            assert_eq!(bounded(short), short);
        }
        let long = |middle: &str| format!("{}{middle}{}", "а".repeat(40_000), "ж".repeat(40_001));
        let (one, other) = (long("x"), long("y"));
        assert_ne!(bounded(&one), bounded(&other));
        for name in [&one, &other] {
            let kept = bounded(name);
            assert!(kept.len() <= MAX_NAME_BYTES, "{}", kept.len());
            assert!(kept.starts_with("аааа") && kept.ends_with("жжжж"), "{kept}");
            assert_eq!(bounded(&kept), kept);
        }
    }
}
