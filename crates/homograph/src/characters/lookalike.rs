//! Whether a label is made to be taken for a name.
//!
//! Comparison has two stages. A *look* is a hash in which everything that may be confused is equal
//! (`0` and `o`, `1` and `i` and `l`, `rn` and `m`): one look-up finds the candidates. [`likeness`]
//! then decides how closely a label resembles a name.

use std::hash::Hasher;
use std::ops::Range;

use smallvec::{SmallVec, smallvec};
use unicode_script::Script;

use super::reading::{CharReading, LabelChar, Likeness, ReadingText, Shape, readings};

/// A name in the form that labels are compared with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Look {
    /// What the name reads as, one element for each character read.
    reading: Vec<char>,
    /// The name's own character at the same position; if it reads as several, the others are NUL.
    own: Vec<char>,
}

/// Bytes of one label that are compared at most; DNS labels have 63 octets, a U-label fewer
/// characters.
pub(crate) const LABEL_CHARS: usize = 63;

/// Prefixes of names that are followed at a time at most, if letters have several readings.
pub const VARIANTS: usize = 64;

impl Look {
    /// Whether some letter of the name is ASCII.
    #[cfg(feature = "senders")]
    pub(crate) fn has_ascii(&self) -> bool {
        self.own.iter().any(char::is_ascii_alphabetic)
    }

    /// Whether some letter of a label is the name's own.
    #[cfg(feature = "senders")]
    pub(crate) fn shares_letter(&self, label: &[LabelChar]) -> bool {
        label.iter().any(|letter| self.own.contains(&letter.c))
    }

    /// Whether letters, in either case, are those of the name.
    #[cfg(feature = "senders")]
    pub(crate) fn spells(&self, letters: &[char]) -> bool {
        letters.iter().flat_map(|c| c.to_lowercase()).eq(self.own.iter().copied())
    }

    pub(crate) fn new(label: &str) -> Look {
        let capacity = label.len().min(LABEL_CHARS);
        let mut look =
            Look { reading: Vec::with_capacity(capacity), own: Vec::with_capacity(capacity) };
        if label.is_ascii() {
            // ASCII is read as it is.
            let lower = label.bytes().take(LABEL_CHARS).map(|c| char::from(c.to_ascii_lowercase()));
            look.reading.extend(lower);
            look.own.extend_from_slice(&look.reading);
            return look;
        }
        for c in label.chars().flat_map(char::to_lowercase).take(LABEL_CHARS) {
            let mut own = Some(c);
            let mut add = |read| {
                look.reading.push(read);
                look.own.push(own.take().unwrap_or('\0'));
            };
            match primary(c) {
                Some(text) => text.as_str().chars().for_each(add),
                None => add(c),
            }
        }
        look
    }

    /// Length in characters read.
    pub(crate) fn len(&self) -> usize {
        self.reading.len()
    }
}

/// The first reading of a character; `None` for ASCII and for characters with no reading.
fn primary(c: char) -> Option<ReadingText> {
    readings(c).1.first().map(|reading| reading.text)
}

/// The strongest resemblance of a label to a name that its spelling allows, or `None`.
///
/// Time is proportional to the product of both lengths, each at most 63.
pub(crate) fn likeness(label: &[LabelChar], name: &Look) -> Option<Likeness> {
    if label.len() > LABEL_CHARS {
        return None;
    }
    let mut alignment = Alignment::new(label.len(), name.len());
    alignment.set(0, 0, Likeness::Same);
    let mut chars = label.iter().enumerate().peekable();
    let mut alternatives = Alternatives::new();
    while let Some((at, LabelChar { c, readings, .. })) = chars.next() {
        let next = chars.peek().map(|(_, next)| next.c);
        let positions = alignment.take_positions(at);
        if positions.is_empty() {
            // No reading ends here: one of two characters spans it, or none is left.
            continue;
        }
        read_alternatives(*c, readings, next, &mut alternatives);
        for position in positions {
            let Some(before) = alignment.get(at, position) else { continue };
            if name.own.get(position) == Some(c) {
                let width = own_width(name, position);
                alignment.set(at + 1, position + width, before);
            }
            for Alternative { text, taken, how } in &alternatives {
                let mut how = *how;
                if let Some(width) = reads(name, position, text) {
                    // The plain letter for the accented one of the name: people without its
                    // keyboard write it so.
                    if how == Likeness::Same && name.own.get(position) != Some(c) {
                        how = Likeness::Faint;
                    }
                    alignment.set(at + taken, position + width, before.max(how));
                }
            }
        }
    }
    // What is all kana is a word: one of them is a letter among Latin ones only.
    let kana =
        |letter: &LabelChar| matches!(letter.traits.script(), Script::Hiragana | Script::Katakana);
    let how = alignment.get(label.len(), name.len())?;
    (how < Likeness::Rough || !label.iter().all(kana)).then_some(how)
}

/// Cells for a label and a name of usual lengths, which are stored without allocation.
const USUAL_CELLS: usize = 192;

/// For each prefix of a label and of a name, the mildest way to read the former as the latter.
struct Alignment {
    width: usize,
    cells: SmallVec<[Option<Likeness>; USUAL_CELLS]>,
    /// The positions of the name that were reached for the prefix lengths in use: a character is
    /// read alone or with the next one.
    positions: [Range<usize>; 3],
}

/// The empty range: the first position that is added begins and ends it.
const NO_POSITIONS: Range<usize> = Range { start: usize::MAX, end: 0 };

impl Alignment {
    fn new(label: usize, name: usize) -> Alignment {
        let cells = smallvec![None; (label + 1) * (name + 1)];
        Alignment { width: name + 1, cells, positions: [NO_POSITIONS; 3] }
    }

    fn get(&self, at: usize, position: usize) -> Option<Likeness> {
        self.cells.get(at * self.width + position).copied().flatten()
    }

    /// The range of positions reached by a prefix of this length, which may include others; resets
    /// it.
    fn take_positions(&mut self, at: usize) -> Range<usize> {
        self.positions
            .get_mut(at % 3)
            .map_or(0..0, |positions| std::mem::replace(positions, NO_POSITIONS))
    }

    /// `position` is at most the length of the name: no reading goes beyond it.
    fn set(&mut self, at: usize, position: usize, how: Likeness) {
        if let Some(cell) = self.cells.get_mut(at * self.width + position) {
            *cell = Some(cell.map_or(how, |old| old.min(how)));
        }
        if let Some(positions) = self.positions.get_mut(at % 3) {
            *positions = positions.start.min(position)..positions.end.max(position + 1);
        }
    }
}

/// How many characters read the name's own character at this position has.
fn own_width(name: &Look, position: usize) -> usize {
    1 + name.own.iter().skip(position + 1).take_while(|own| **own == '\0').count()
}

/// The length of the text if the name reads as it at this position.
fn reads(name: &Look, position: usize, text: &[u8]) -> Option<usize> {
    // Readings are ASCII.
    let rest = name.reading.get(position..position + text.len())?;
    let same = text.iter().zip(rest).all(|(byte, read)| char::from(*byte) == *read);
    same.then_some(text.len())
}

/// One way to read a character of a label.
struct Alternative {
    /// ASCII.
    text: &'static [u8],
    /// Characters of the label that it covers.
    taken: usize,
    how: Likeness,
}

/// Usually a character has four at most.
type Alternatives = SmallVec<[Alternative; 6]>;

/// Replaces the contents of `out` by the ways to read a character.
fn read_alternatives(
    c: char,
    readings: &'static [CharReading],
    next: Option<char>,
    out: &mut Alternatives,
) {
    out.clear();
    let mut add = |text, taken, how| out.push(Alternative { text, taken, how });
    if c.is_ascii() {
        ascii_alternatives(c, next, &mut add);
    }
    for reading in readings {
        let how = match (reading.likeness, reading.shape) {
            (Likeness::Foreign, Shape::Near) => Likeness::Rough,
            (Likeness::Foreign, Shape::Same) => Likeness::Alike,
            (other, _) => other,
        };
        let text = reading.text.bytes();
        // An accented letter does not have the shape of a letter that the plain one only looks like
        // (`í` for l).
        let twin_how = match how {
            Likeness::Marks => Likeness::Rough,
            other => other.max(Likeness::Foreign),
        };
        for twin in twins(text) {
            add(twin, 1, twin_how);
        }
        add(text, 1, how);
    }
}

/// A stroke or ring beyond ASCII has all readings of its shape (palochka: l, i, 1).
fn twins(text: &[u8]) -> &'static [&'static [u8]] {
    match text {
        b"l" | b"i" | b"1" => &[b"l", b"i", b"1"],
        b"o" | b"0" => &[b"o", b"0"],
        b"g" | b"q" | b"9" => &[b"g", b"q", b"9"],
        _ => &[],
    }
}

/// Each ASCII byte in lower case.
static LOWER: [u8; 128] = {
    let mut lower = [0; 128];
    let mut byte = 0;
    while byte < 128 {
        #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
        {
            lower[byte] = (byte as u8).to_ascii_lowercase();
        }
        byte += 1;
    }
    lower
};

fn ascii_alternatives(
    c: char,
    next: Option<char>,
    add: &mut impl FnMut(&'static [u8], usize, Likeness),
) {
    use Likeness::{Ascii, Faint, Same};
    let lower = c.to_ascii_lowercase();
    add(LOWER.get(c as usize..=c as usize).unwrap_or_default(), 1, Same);
    match c {
        '0' => add(b"o", 1, Ascii),
        '1' => {
            add(b"l", 1, Ascii);
            add(b"i", 1, Ascii);
        }
        '2' => add(b"z", 1, Ascii),
        '3' => add(b"e", 1, Ascii),
        '4' => add(b"a", 1, Ascii),
        '5' => add(b"s", 1, Ascii),
        '6' | '8' => add(b"b", 1, Ascii),
        '7' => add(b"t", 1, Ascii),
        '9' => {
            add(b"g", 1, Ascii);
            add(b"q", 1, Ascii);
        }
        'I' => add(b"l", 1, Ascii),
        'i' | 'j' => add(b"l", 1, Faint),
        'l' => {
            add(b"i", 1, Faint);
            add(b"1", 1, Ascii);
        }
        'o' => add(b"0", 1, Ascii),
        'm' => add(b"rn", 1, Faint),
        'w' => add(b"vv", 1, Faint),
        _ => {}
    }
    match (lower, next.map(|next| next.to_ascii_lowercase())) {
        ('r', Some('n')) => add(b"m", 2, Ascii),
        ('v', Some('v')) => add(b"w", 2, Ascii),
        _ => {}
    }
}

/// The two letters that, side by side, look like this one.
#[inline]
pub(crate) fn halves(lower: u8) -> Option<[u8; 2]> {
    match lower {
        b'm' => Some(*b"rn"),
        b'w' => Some(*b"vv"),
        _ => None,
    }
}

/// The class of each byte: one representative of the bytes that may be confused.
static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
        {
            classes[byte] = class(byte as u8);
        }
        byte += 1;
    }
    classes
};

/// The class of an ASCII byte.
pub(crate) const fn class(byte: u8) -> u8 {
    match byte.to_ascii_lowercase() {
        b'0' => b'o',
        b'1' | b'i' | b'j' => b'l',
        b'2' => b'z',
        b'3' => b'e',
        b'4' => b'a',
        b'5' => b's',
        b'6' | b'8' => b'b',
        b'7' => b't',
        b'9' | b'q' => b'g',
        other => other,
    }
}

/// FNV-1a over what a reader sees, with everything that may be confused made equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LookHash(u64);

impl LookHash {
    pub(crate) const EMPTY: LookHash = LookHash(0xcbf2_9ce4_8422_2325);

    #[inline]
    fn byte(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }

    /// Adds the [`class`] of an ASCII byte that does not look like two others.
    #[inline]
    pub(crate) fn class(&mut self, class: u8) {
        self.byte(class);
    }

    /// Adds an ASCII byte by its class.
    #[inline]
    pub(crate) fn ascii(&mut self, byte: u8) {
        let class = CLASSES.get(usize::from(byte)).copied().unwrap_or(byte);
        match halves(class) {
            Some([first, second]) => {
                self.byte(first);
                self.byte(second);
            }
            None => self.byte(class),
        }
    }

    /// The look of an ASCII label.
    #[inline]
    pub(crate) fn of(label: &[u8]) -> LookHash {
        let mut hash = LookHash::EMPTY;
        label.iter().for_each(|byte| hash.ascii(*byte));
        hash
    }

    /// The look with these bytes appended.
    #[inline]
    pub(crate) fn followed_by(mut self, text: &[u8]) -> LookHash {
        text.iter().for_each(|byte| self.ascii(*byte));
        self
    }

    /// The look, computed backwards, with these bytes prepended.
    #[inline]
    pub(crate) fn preceded_by(mut self, text: &[u8]) -> LookHash {
        backwards(text, |byte| self.byte(byte));
        self
    }

    fn text(&mut self, text: &[u8], mut step: impl FnMut(LookHash)) {
        for &byte in text {
            // Both halves, so that `rn` equals `m`.
            match halves(byte.to_ascii_lowercase()) {
                Some(halves) => halves.into_iter().for_each(|half| {
                    self.byte(half);
                    step(*self);
                }),
                None => {
                    self.ascii(byte);
                    step(*self);
                }
            }
        }
    }

    fn char(&mut self, c: char, step: impl FnMut(LookHash)) {
        self.text(c.encode_utf8(&mut [0; 4]).as_bytes(), step);
    }

    /// Adds a small letter by its first reading. Whether that is of ASCII.
    pub(crate) fn first_reading(&mut self, c: char, step: impl FnMut(LookHash)) -> bool {
        let text = primary(c);
        match text {
            Some(text) => self.text(text.bytes(), step),
            None => self.char(c, step),
        }
        text.is_some() || c.is_ascii()
    }

    pub(crate) fn value(self) -> u64 {
        self.0
    }
}

/// Hasher for tables with looks as keys: looks are hashes already.
#[derive(Clone, Debug, Default)]
pub(crate) struct LookHasher(u64);

impl Hasher for LookHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

/// Passes on the classes of the bytes, last first.
#[inline]
fn backwards(text: &[u8], mut step: impl FnMut(u8)) {
    for byte in text.iter().rev() {
        let class = CLASSES.get(usize::from(*byte)).copied().unwrap_or(*byte);
        match halves(class) {
            Some([first, second]) => [second, first].into_iter().for_each(&mut step),
            None => step(class),
        }
    }
}

/// Passes on the looks of all endings of a name by its first readings, computed backwards; that of
/// the whole name is the last.
pub(crate) fn name_endings(label: &str, mut ending: impl FnMut(LookHash)) {
    let mut hash = LookHash::EMPTY;
    ending(hash);
    let mut step = |byte| {
        hash.byte(byte);
        ending(hash);
    };
    let letters: SmallVec<[char; LABEL_CHARS]> =
        label.chars().flat_map(char::to_lowercase).take(LABEL_CHARS).collect();
    for c in letters.into_iter().rev() {
        match primary(c) {
            Some(text) => backwards(text.bytes(), &mut step),
            None => backwards(c.encode_utf8(&mut [0; 4]).as_bytes(), &mut step),
        }
    }
}

/// The look of a name by its first readings. Passes on the look of every prefix as well.
pub(crate) fn name_look(label: &str, mut beginning: impl FnMut(LookHash)) -> u64 {
    let mut hash = LookHash::EMPTY;
    beginning(hash);
    if label.is_ascii() {
        let lower = label.bytes().take(LABEL_CHARS).map(|c| c.to_ascii_lowercase());
        lower.for_each(|byte| hash.text(&[byte], &mut beginning));
        return hash.value();
    }
    for c in label.chars().flat_map(char::to_lowercase).take(LABEL_CHARS) {
        hash.first_reading(c, &mut beginning);
    }
    hash.value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::characters::reading::LabelChars;

    fn like(label: &str, name: &str) -> Option<Likeness> {
        likeness(LabelChars::of(label.chars()).all(), &Look::new(name))
    }

    #[test]
    fn resemblance_has_degrees() {
        for (label, name, how) in [
            ("paypal", "paypal", Some(Likeness::Same)),
            ("pаypаl", "paypal", Some(Likeness::Foreign)),
            ("pàypál", "paypal", Some(Likeness::Marks)),
            ("paypa1", "paypal", Some(Likeness::Ascii)),
            ("paypaI", "paypal", Some(Likeness::Ascii)),
            ("arnazon", "amazon", Some(Likeness::Ascii)),
            ("modem", "modern", Some(Likeness::Faint)),
            ("googıe", "google", Some(Likeness::Foreign)),
            ("googíe", "google", Some(Likeness::Rough)),
            ("googĺe", "google", Some(Likeness::Marks)),
            ("gọọgle", "google", Some(Likeness::Hidden)),
            ("githuɓ", "github", Some(Likeness::Hidden)),
            ("ķlarna", "klarna", Some(Likeness::Hidden)),
            ("þaypal", "paypal", Some(Likeness::Foreign)),
            ("กetflix", "netflix", Some(Likeness::Rough)),
            ("muller", "müller", Some(Likeness::Faint)),
            ("muІІer", "müller", Some(Likeness::Foreign)),
            ("müller", "müller", Some(Likeness::Same)),
            ("ӕon", "aeon", Some(Likeness::Foreign)),
            ("почта", "почта", Some(Likeness::Same)),
            ("gaagle", "google", None),
            ("", "google", None),
        ] {
            assert_eq!(like(label, name), how, "{label} {name}");
        }
    }
}
