//! A label in the DNS (RFC 3492), and its length there.
//!
//! | clause | item |
//! | --- | --- |
//! | RFC 3492 §6.3: what a label becomes | [`a_label`] |
//! | RFC 3492 §6.3: deltas | `UnmappedLabel::digits` |
//! | RFC 3492 §6.1: digits of a delta, and the bias | `Digits` |

use alloc::string::String;
use alloc::vec::Vec;

use super::a_label::PREFIX;

/// Octets of a label in ASCII form (RFC 1035 §2.3.4).
pub const LABEL: usize = 63;

/// Characters of a name in ASCII form without its root dot: 255 octets on the wire (S14).
pub const NAME: usize = 253;

/// This many non-ASCII characters that UTS #46 leaves unchanged
/// ([`is_settled`](super::hosts::is_settled)) fit in a label, whatever they are: four digits each,
/// for any deltas between them.
pub(crate) const SETTLED: usize = 14;

/// Sorts few elements, mostly short lists.
fn sort(points: &mut [u32]) {
    for end in 1..points.len() {
        let (sorted, rest) = points.split_at_mut(end);
        let Some(mut free) = rest.first_mut() else { return };
        let point = *free;
        for larger in sorted.iter_mut().rev().take_while(|other| **other > point) {
            *free = *larger;
            free = larger;
        }
        *free = point;
    }
}

/// The A-label of a label beyond ASCII, without mapping its characters; `None` for more than [`LABEL`] of them, which
/// fit in no name of the DNS.
pub fn a_label(name: &str) -> Option<String> {
    let mut label = UnmappedLabel::of(name);
    if label.places as usize > LABEL {
        return None;
    }
    let mut out = Vec::with_capacity(LABEL + 1);
    out.extend_from_slice(PREFIX.as_bytes());
    if label.ascii != 0 {
        out.extend(name.bytes().filter(u8::is_ascii));
        out.push(b'-');
    }
    label.digits(|digit| {
        out.push(digit);
        Some(())
    });
    String::from_utf8(out).ok()
}

/// The A-label; of a label that is longer than any in the DNS its ASCII characters, with a hyphen for each other one.
pub fn in_ascii(label: &str) -> String {
    let shown = |c: char| if c.is_ascii() { c } else { '-' };
    a_label(label).unwrap_or_else(|| label.chars().map(shown).collect())
}

/// A label of ASCII and other characters, none of which is mapped.
pub(crate) struct UnmappedLabel {
    /// The code points beyond ASCII, each with its position in the lower [`PLACE`] bits: sorted,
    /// they are in the order in which Punycode inserts them.
    points: [u32; LABEL],
    count: usize,
    /// The positions of the ASCII characters, one bit each.
    ascii: u64,
    places: u32,
}

/// Octets in the DNS, at most, of a label of this many ASCII and this many other, settled characters, whatever they are:
/// each beyond ASCII takes at most six digits.
pub(crate) fn at_most(ascii: usize, other: usize) -> usize {
    match (ascii, other) {
        (_, 0) => ascii,
        (0, 1..=SETTLED) => PREFIX.len() + 4 * other,
        _ => PREFIX.len() + ascii + 1 + 6 * other,
    }
}

/// Whether such a label surely fits.
pub(crate) fn surely_fits(ascii: usize, other: usize) -> bool {
    at_most(ascii, other) <= LABEL
}

/// Whether the label, for which [`is_settled_label`](super::hosts::is_settled_label) holds, fits in
/// the DNS by the number of its characters. May return `false` wrongly.
pub fn is_surely_short(label: &str) -> bool {
    let ascii = label.bytes().filter(u8::is_ascii).count();
    let settled = label.chars().all(|c| c <= '힣');
    settled && surely_fits(ascii, label.chars().count() - ascii)
}

/// Bits of a position in the label.
const PLACE: u32 = 6;

impl Default for UnmappedLabel {
    fn default() -> Self {
        UnmappedLabel { points: [0; LABEL], count: 0, ascii: 0, places: 0 }
    }
}

impl UnmappedLabel {
    pub(crate) fn of(label: &str) -> UnmappedLabel {
        let mut read = UnmappedLabel::default();
        for c in label.chars() {
            if c.is_ascii() {
                read.ascii |= 1 << (read.places & 63);
            } else if let Some(free) = read.points.get_mut(read.count) {
                *free = u32::from(c) << PLACE | (read.places & 63);
                read.count += 1;
            }
            read.places += 1;
        }
        read
    }

    /// Octets in the DNS; an arbitrary number above 63 if there are more.
    pub(crate) fn length(&mut self) -> usize {
        let places = self.places as usize;
        if self.count == 0 || places > LABEL {
            return places;
        }
        let ascii = places - self.count;
        let mut length = PREFIX.len() + ascii + usize::from(ascii > 0);
        // Each character takes at least one digit.
        if length + self.count > LABEL {
            return LABEL + 1;
        }
        self.digits(|_| {
            length += 1;
            (length <= LABEL).then_some(())
        });
        length
    }

    /// Passes on the digits of all deltas of a label that fits, until `digit` returns `None`.
    fn digits(&mut self, mut digit: impl FnMut(u8) -> Option<()>) -> Option<()> {
        let points = self.points.get_mut(..self.count).unwrap_or_default();
        sort(points);
        let mut digits = Digits::new(self.ascii.count_ones());
        // The positions of code points less than the current one.
        let mut smaller = self.ascii;
        let (mut delta, mut next) = (0, 0x80);
        for same in points.chunk_by(|one, other| one >> PLACE == other >> PLACE) {
            let point = same.first().map_or(next, |point| point >> PLACE);
            delta += (point - next) * (digits.inserted + 1);
            let (mut from, mut after) = (0, digits.inserted);
            for place in same.iter().map(|point| point & 63) {
                let passed = (smaller >> from & ((1 << (place - from)) - 1)).count_ones();
                digits.push_delta(delta + passed, &mut digit)?;
                delta = 0;
                from = place + 1;
                after -= passed;
            }
            delta = after + 1;
            next = point + 1;
            smaller |= same.iter().fold(0, |bits, point| bits | 1u64 << (point & 63));
        }
        Some(())
    }
}

/// The variable-length integers of Punycode.
struct Digits {
    /// Characters inserted so far, including ASCII.
    inserted: u32,
    bias: u32,
    damp: u32,
}

/// The digits, 0 to 35.
const DIGITS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";

impl Digits {
    fn new(ascii: u32) -> Digits {
        Digits { inserted: ascii, bias: 72, damp: 700 }
    }

    /// Passes on the digits of a delta; the bias adapts to it.
    fn push_delta(&mut self, delta: u32, digit: &mut impl FnMut(u8) -> Option<()>) -> Option<()> {
        let mut put = |value: u32| digit(DIGITS.get(value as usize).copied().unwrap_or_default());
        let (mut rest, mut k) = (delta, 36_u32);
        loop {
            let threshold = k.saturating_sub(self.bias).clamp(1, 26);
            if rest < threshold {
                put(rest)?;
                break;
            }
            let base = 36 - threshold;
            put(threshold + (rest - threshold) % base)?;
            rest = (rest - threshold) / base;
            k += 36;
        }
        self.inserted += 1;
        let mut delta = delta / self.damp;
        self.damp = 2;
        delta += delta / self.inserted;
        let mut k = 0;
        while delta > 455 {
            delta /= 35;
            k += 36;
        }
        self.bias = k + 36 * delta / (delta + 38);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use idna::punycode;
    use proptest::prelude::*;

    use super::*;
    use crate::unicode::hosts::is_settled;

    #[test]
    fn labels_become_what_punycode_makes_of_them() {
        for label in ["é", "пример", "a-б", "-é", "例例a例", "ааа", "\u{10ffff}", &"й".repeat(63)]
        {
            let encoded = punycode::encode_str(label).unwrap();
            assert_eq!(a_label(label), Some(format!("xn--{encoded}")), "{label}");
        }
        let long = "aй".repeat(32);
        assert_eq!((a_label(&long), in_ascii(&long)), (None, "a-".repeat(32)));
    }

    /// The least growth of code points for this many digits, over all possible sequences of deltas:
    /// by the bias after the last one, and by the number of digits.
    #[test]
    fn settled_characters_fit_whichever_they_are() {
        const LAST: u32 = '힣' as u32;
        assert!(('\u{80}'..=char::MAX).filter(|c| is_settled(*c)).all(|c| u32::from(c) <= LAST));
        let first = Digits::new(0);
        let mut least = BTreeMap::from([(first.bias, BTreeMap::from([(0, 0)]))]);
        for inserted in 0..SETTLED as u32 {
            let mut next: BTreeMap<u32, BTreeMap<usize, u32>> = BTreeMap::new();
            for (bias, ways) in least {
                let tell = |delta| {
                    let damp = if inserted == 0 { first.damp } else { 2 };
                    let (mut digits, mut count) = (Digits { inserted, bias, damp }, 0);
                    digits.push_delta(delta, &mut |_| {
                        count += 1;
                        Some(())
                    });
                    (digits.bias, count)
                };
                let (mut delta, end) = (0, (LAST + 1) * (inserted + 1));
                while delta < end {
                    let (bias, count) = tell(delta);
                    let growth = delta.saturating_sub(inserted).div_ceil(inserted + 1);
                    for (digits, grown) in &ways {
                        let grown = grown + growth;
                        if grown <= LAST - 0x80 {
                            let same = next.entry(bias).or_default();
                            let kept = same.entry(digits + count).or_insert(grown);
                            *kept = grown.min(*kept);
                        }
                    }
                    // Neither decreases as deltas grow.
                    let mut larger = end;
                    while delta + 1 < larger {
                        let middle = delta + (larger - delta) / 2;
                        let same = tell(middle) == (bias, count);
                        *if same { &mut delta } else { &mut larger } = middle;
                    }
                    delta = larger;
                }
            }
            least = next;
        }
        let most = least.values().filter_map(|ways| ways.keys().max()).max();
        assert_eq!(most, Some(&(4 * SETTLED)));
        assert!(surely_fits(0, SETTLED) && PREFIX.len() + 4 * SETTLED <= LABEL);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

        #[test]
        fn a_labels_are_those_of_punycode(label in "[a-c0\\-éñбвй例\u{10fffd}]{0,70}é[a-cб]{0,3}") {
            let short = Some(&label).filter(|label| label.chars().count() <= LABEL);
            let encoded = short.and_then(|label| punycode::encode_str(label));
            prop_assert_eq!(a_label(&label), encoded.map(|encoded| ["xn--", &encoded].concat()));
        }
    }
}
