//! What reading and judging cost in steps: by what is read and judged, so that a step stays a bounded piece of work.

use homograph::{Judgement, LinkJudgement, Verdict};

/// Steps of a reading of a part, however short it is.
const READING: u64 = 128;

/// Readings of a part that honest mail has: by its label, as UTF-8, by a guess.
const READINGS: usize = 3;

/// Steps of a further one, and of each of its bytes: encodings and charsets that hardly any part is read in take more.
const FURTHER: u64 = 512;
const FURTHER_BYTE: u64 = 16;

/// Steps of a byte that a detector of charsets is given.
const DETECTED_BYTE: u64 = 40;

/// Steps of a further text of a reading, however short it is: a property of a calendar, a document in an
/// attribute. Its places lead back over those of the reading, and it is looked through by itself.
pub const LAYER: u64 = 256;

/// Steps of judging a plain host of ASCII that is not remembered: some, and some for each byte of its
/// spelling.
const JUDGED: u64 = 32;
const JUDGED_BYTE: u64 = 4;

/// The same for a host that takes a closer look, for each place where it may begin and end: one of other
/// letters, or one that comes near a name. Each of its labels takes some more. A step is more work here than
/// elsewhere, such that whole lists of fair hosts pass.
const CLOSER: u64 = 28;
const CLOSER_BYTE: u64 = 5;
const LABEL: u64 = 10;

/// What more is compared of one that does not pass, its letters with those of names.
const DOUBTED_BYTE: u64 = 17;

/// Steps of a host that deceives, or may, on top: what is told of it and written in its place is made for the first
/// time.
const LIE: u64 = 1_230;
const DOUBT: u64 = 782;

/// Steps of looking for what a link carries, and of each byte of ASCII beside its host, and of each byte where other
/// characters stand there.
const CARRIED: u64 = 64;
const CARRIED_BYTE: u64 = 6;
const CARRIED_WIDE_BYTE: u64 = 12;

/// How often a host that is carried is met and judged: as a rewriter wrote it, as it stands there, and at the end.
const MET: u64 = 3;

/// Steps of reading what a text says of its sender: some, and some for each byte.
const TOLD: u64 = 960;
const TOLD_BYTE: u64 = 20;

/// Steps of the reading of a part of this index, of so many bytes.
pub fn reading(index: usize, bytes: usize) -> u64 {
    let usual = index < READINGS;
    let (reading, byte) = if usual { (READING, 1) } else { (FURTHER, FURTHER_BYTE) };
    reading + byte * bytes as u64
}

/// Steps of detecting the charset of so many bytes.
pub fn detecting(bytes: usize) -> u64 {
    DETECTED_BYTE * bytes as u64
}

/// Steps of judging a host.
pub fn judging(spelling: &str, judgement: &Judgement) -> u64 {
    let plain = spelling.is_ascii() && judgement.labels.is_empty();
    let (host, mut byte) = if plain { (JUDGED, JUDGED_BYTE) } else { (CLOSER, CLOSER_BYTE) };
    let told = match judgement.verdict {
        Verdict::Ok | Verdict::Notice => 0,
        Verdict::Unsafe => LIE,
        _ => DOUBT,
    };
    byte += if told > 0 { DOUBTED_BYTE } else { 0 };
    let steps = host + byte * spelling.len() as u64 + LABEL * judgement.labels.len() as u64;
    // Where else it may begin or end, less of it is judged.
    steps + steps * judgement.more_bounds as u64 / 4 + told
}

/// Steps of looking for what a link carries in what stands beside its host, and of judging what was found.
pub fn carrying(beside: [&str; 2], carried: &LinkJudgement) -> u64 {
    let bytes = beside.iter().map(|text| {
        let byte = if text.is_ascii() { CARRIED_BYTE } else { CARRIED_WIDE_BYTE };
        byte * text.len() as u64
    });
    let inner = carried.inner.iter().map(|host| judging(&host.unicode, host));
    CARRIED + bytes.sum::<u64>() + MET * inner.sum::<u64>()
}

/// Steps of reading what a text says of its sender.
pub fn telling(text: &str) -> u64 {
    TOLD + TOLD_BYTE * text.len() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::Stage;
    use crate::{Facts, Message, Policy, TldTable, inspect};

    #[test]
    fn a_guess_at_the_charset_of_a_part_is_paid_for() {
        let text = "Пожалуйста, подтвердите ваш адрес: http://example.com/\r\n".repeat(20);
        let (body, _, _) = encoding_rs::KOI8_R.encode(&text);
        let tlds = TldTable::new(["com"], "");
        let decoding = |label: &str| {
            let head = format!("Content-Type: text/plain{label}\r\n");
            let message = Message { head: head.as_bytes(), body: &body };
            inspect(message, &Facts::default(), &Policy::default(), &tlds)
                .cost()
                .of(Stage::Decoding)
        };
        let (said, guessed) = (decoding("; charset=koi8-r"), decoding(""));
        assert!(guessed >= said + detecting(body.len()), "{said}, {guessed}");
    }
}
