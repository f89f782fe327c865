//! What a label is in the DNS (RFC 3492), and how long it is there.
//!
//! | clause | here |
//! | --- | --- |
//! | RFC 3492 §6.3: what a label becomes | [`a_label`] |
//! | RFC 3492 §6.3: deltas | [`Label::digits`] |
//! | RFC 3492 §6.1: digits of a delta, and the bias | [`Digits`] |

use super::a_label::PREFIX;

/// Octets of a label in ASCII form (RFC 1035 §2.3.4).
pub(crate) const LABEL: usize = 63;

/// Sorts what are few and mostly short.
fn sort(points: &mut [u32]) {
    for end in 2..=points.len() {
        let mut sorted = points.get_mut(..end).unwrap_or_default();
        while let [before @ .., one, two] = sorted
            && one > two
        {
            std::mem::swap(one, two);
            let end = before.len() + 1;
            sorted = sorted.get_mut(..end).unwrap_or_default();
        }
    }
}

/// The A-label of a label beyond ASCII, its characters taken as they are; `None` when its numbers overflow,
/// which those of no name in the DNS do.
pub fn a_label(name: &str) -> Option<String> {
    let mut label = Label::default();
    let mut out = String::with_capacity(LABEL + 1);
    out.push_str(PREFIX);
    for c in name.chars() {
        if c.is_ascii() {
            label.push_ascii();
            out.push(c);
        } else {
            label.push(c);
        }
    }
    if label.places as usize > LABEL {
        return Some([PREFIX, &idna::punycode::encode_str(name)?].concat());
    }
    if out.len() > PREFIX.len() {
        out.push('-');
    }
    label.digits(|digit| {
        out.push(digit);
        Some(())
    });
    Some(out)
}

/// A label of ASCII and other characters, all of which stay as they are.
pub(crate) struct Label {
    /// The code points beyond ASCII, each with its place in the lower [`PLACE`] bits: sorted, they are
    /// in the order in which Punycode inserts them.
    points: [u32; LABEL],
    count: usize,
    /// The places of the ASCII characters, a bit each.
    ascii: u64,
    places: u32,
}

/// Bits of a place in the label.
const PLACE: u32 = 6;

impl Default for Label {
    fn default() -> Self {
        Label { points: [0; LABEL], count: 0, ascii: 0, places: 0 }
    }
}

impl Label {
    pub(crate) fn push_ascii(&mut self) {
        self.ascii |= 1 << (self.places & 63);
        self.places += 1;
    }

    pub(crate) fn push(&mut self, c: char) {
        if let Some(free) = self.points.get_mut(self.count) {
            *free = u32::from(c) << PLACE | (self.places & 63);
            self.count += 1;
        }
        self.places += 1;
    }

    /// Whether it has room, whatever its characters are: each beyond ASCII takes six digits at most.
    pub(crate) fn surely_fits(&self) -> bool {
        self.places as usize + 5 * self.count + PREFIX.len() < LABEL
    }

    /// Octets in the DNS; some number above 63 when there are more.
    pub(crate) fn length(&mut self) -> usize {
        let places = self.places as usize;
        if self.count == 0 || places > LABEL {
            return places;
        }
        let ascii = places - self.count;
        let mut length = PREFIX.len() + ascii + usize::from(ascii > 0);
        self.digits(|_| {
            length += 1;
            (length <= LABEL).then_some(())
        });
        length
    }

    /// Hands out the digits of all deltas, of a label that has room, for as long as they are asked for.
    fn digits(&mut self, mut digit: impl FnMut(char) -> Option<()>) -> Option<()> {
        let points = self.points.get_mut(..self.count).unwrap_or_default();
        sort(points);
        let mut digits = Digits::new(self.ascii.count_ones());
        // The places of smaller code points than the one at hand.
        let mut smaller = self.ascii;
        let (mut delta, mut next) = (0, 0x80);
        for same in points.chunk_by(|one, other| one >> PLACE == other >> PLACE) {
            let point = same.first().map_or(next, |point| point >> PLACE);
            delta += (point - next) * (digits.inserted + 1);
            let (mut from, mut behind) = (0, digits.inserted);
            for place in same.iter().map(|point| point & 63) {
                let passed = (smaller >> from & ((1 << (place - from)) - 1)).count_ones();
                digits.of(delta + passed, &mut digit)?;
                delta = 0;
                from = place + 1;
                behind -= passed;
            }
            delta = behind + 1;
            next = point + 1;
            smaller |= same.iter().fold(0, |bits, point| bits | 1u64 << (point & 63));
        }
        Some(())
    }
}

/// The variable-length integers of Punycode.
struct Digits {
    /// Characters inserted so far, the ASCII ones included.
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

    /// Hands out the digits of a delta; the bias adapts to it.
    fn of(&mut self, delta: u32, digit: &mut impl FnMut(char) -> Option<()>) -> Option<()> {
        let mut say =
            |value: u32| digit(DIGITS.get(value as usize).map_or('a', |digit| char::from(*digit)));
        let (mut rest, mut k) = (delta, 36_u32);
        loop {
            let threshold = k.saturating_sub(self.bias).clamp(1, 26);
            if rest < threshold {
                say(rest)?;
                break;
            }
            let base = 36 - threshold;
            say(threshold + (rest - threshold) % base)?;
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
    use idna::punycode;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn labels_become_what_punycode_makes_of_them() {
        for label in ["é", "пример", "a-б", "-é", "例例a例", "ааа", "\u{10ffff}", &"й".repeat(200)]
        {
            let encoded = punycode::encode_str(label).unwrap();
            assert_eq!(a_label(label), Some(format!("xn--{encoded}")), "{label}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

        #[test]
        fn a_labels_are_those_of_punycode(label in "[a-c0\\-éñбвй例\u{10fffd}]{0,70}é[a-cб]{0,3}") {
            let encoded = punycode::encode_str(&label).map(|encoded| ["xn--", &encoded].concat());
            prop_assert_eq!(a_label(&label), encoded);
        }
    }
}
