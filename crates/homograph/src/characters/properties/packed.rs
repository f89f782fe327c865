//! Tables of characters: stored packed, unpacked for searching.

/// A text for each of some characters, sorted, by columns. Similar characters have similar texts,
/// so each character is stored as the difference from the one at the same position of the row
/// before.
pub(super) struct PackedTexts {
    /// The distance of each character from the one before, in groups of seven bits, lowest first;
    /// the eighth bit means that another group follows.
    pub steps: &'static [u8],
    /// Number of characters of each text.
    pub counts: &'static [u8],
    /// The difference of the first character of each text from that of the one before, in the same
    /// groups: doubled, plus one if negative.
    pub first: &'static [u8],
    /// The same for all other characters, by position.
    pub others: &'static [u8],
}

/// Texts by character.
pub(super) struct Texts {
    /// The characters, sorted.
    keys: Vec<u32>,
    /// Where the text of each ends; it begins where the one before ends.
    ends: Vec<u32>,
    texts: String,
}

impl Texts {
    pub(super) fn unpack(packed: &PackedTexts) -> Texts {
        let running = |at: &mut u32, step: u32| {
            *at += step;
            Some(*at)
        };
        let keys = Numbers(packed.steps).scan(0, running).collect();
        let (mut first, mut others) = (Numbers(packed.first), Numbers(packed.others));
        let (mut texts, mut ends, mut row) = (String::new(), Vec::new(), Vec::new());
        for count in packed.counts {
            for place in 0..usize::from(*count) {
                let column = if place == 0 { &mut first } else { &mut others };
                if row.len() == place {
                    row.push(0);
                }
                if let (Some(code), Some(moved)) = (row.get_mut(place), column.next()) {
                    *code += either_way(moved);
                    texts.extend(u32::try_from(*code).ok().and_then(char::from_u32));
                }
            }
            ends.push(u32::try_from(texts.len()).unwrap_or_default());
        }
        Texts { keys, ends, texts }
    }

    /// The text of the character, if it has one.
    pub(super) fn get(&self, c: char) -> Option<&str> {
        let at = self.keys.binary_search(&u32::from(c)).ok()?;
        let end = *self.ends.get(at)? as usize;
        let begin =
            at.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |at| *at as usize);
        self.texts.get(begin..end)
    }
}

/// Values of characters by ranges; 0 for all others.
pub(super) struct Ranges {
    /// First and last character, and the value; sorted.
    ranges: Vec<(u32, u32, u8)>,
}

impl Ranges {
    /// For each range: the gap after the one before, the number of characters after its first, its
    /// value.
    pub(super) fn unpack(packed: &'static [u8]) -> Ranges {
        let mut numbers = Numbers(packed);
        let mut ranges = Vec::new();
        let mut next = 0;
        while let (Some(gap), Some(more), Some(value)) =
            (numbers.next(), numbers.next(), numbers.next())
        {
            let first = next + gap;
            ranges.push((first, first + more, u8::try_from(value).unwrap_or_default()));
            next = first + more + 1;
        }
        Ranges { ranges }
    }

    pub(super) fn get(&self, c: char) -> u8 {
        let code = u32::from(c);
        let at = self.ranges.partition_point(|(_, last, _)| *last < code);
        self.ranges.get(at).map_or(0, |(first, _, value)| if *first <= code { *value } else { 0 })
    }
}

/// Decodes a signed number: doubled, plus one if negative.
fn either_way(number: u32) -> i32 {
    let far = (number >> 1).cast_signed();
    if number & 1 == 0 { far } else { -far }
}

/// Numbers in groups of seven bits, lowest first.
struct Numbers(&'static [u8]);

impl Iterator for Numbers {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let mut number = 0;
        for shift in (0..32).step_by(7) {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u32::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }
}
