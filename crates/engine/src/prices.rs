//! What judging costs in steps: by what is judged, so that a step stays a bounded piece of work.

use homograph::{Judgement, LinkJudgement, Verdict};

/// Steps of judging a plain host of ASCII that is not remembered: some, and some for each byte of its
/// spelling. What stands beside the host of a link is charged as a host is.
const JUDGED: u64 = 32;
const JUDGED_BYTE: u64 = 4;

/// The same for a host that takes a closer look, for each place where it may begin and end: one of other
/// letters, or one that comes near a name. Each of its labels takes some more.
const CLOSER: u64 = 96;
const CLOSER_BYTE: u64 = 14;
const LABEL: u64 = 32;

/// What more is compared of one that does not pass, and its letters with those of names.
const DECEIVES: u64 = 128;
const DECEIVES_BYTE: u64 = 8;

/// Steps of looking for what a link of ASCII carries.
const CARRIED: u64 = 64;
const CARRIED_BYTE: u64 = 6;

/// Steps of reading what a text says of its sender: some, and some for each byte.
const TOLD: u64 = 768;
const TOLD_BYTE: u64 = 16;

/// Steps of judging a host.
pub fn judging(spelling: &str, judgement: &Judgement) -> u64 {
    let plain = spelling.is_ascii() && judgement.labels.is_empty();
    let (mut host, mut byte) = if plain { (JUDGED, JUDGED_BYTE) } else { (CLOSER, CLOSER_BYTE) };
    if judgement.verdict > Verdict::Notice {
        (host, byte) = (host + DECEIVES, byte + DECEIVES_BYTE);
    }
    let steps = host + byte * spelling.len() as u64 + LABEL * judgement.labels.len() as u64;
    // Where else it may begin or end, less of it is judged.
    steps + steps * judgement.more_bounds as u64 / 4
}

/// Steps of looking for what a link carries, and of judging what was found.
pub fn carrying(spelling: &str, carried: &LinkJudgement) -> u64 {
    let byte = if spelling.is_ascii() { CARRIED_BYTE } else { CLOSER_BYTE };
    let inner = carried.inner.iter().map(|host| judging(&host.unicode, host));
    CARRIED + byte * spelling.len() as u64 + inner.sum::<u64>()
}

/// Steps of reading what a text says of its sender.
pub fn telling(text: &str) -> u64 {
    TOLD + TOLD_BYTE * text.len() as u64
}
