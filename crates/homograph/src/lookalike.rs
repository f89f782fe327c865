//! Whether a label is made to be taken for a name.
//!
//! Comparing is done in two stages. A *look* is a hash under which everything that may be
//! mistaken for one another falls together (`0` and `o`, `1` and `i` and `l`, `rn` and `m`): one
//! hash look-up finds the candidates. [`likeness`] then decides how a label resembles a name.

use std::hash::Hasher;
use std::ops::Range;

use smallvec::{SmallVec, smallvec};

use super::reading::{Likeness, Reading, Shape, Sight, Text, readings};

/// A name in the form that labels are compared with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Look {
    /// What the name reads as, one element a character read.
    reading: Vec<char>,
    /// The character of the name itself at the same place; of those that read as several, the
    /// rest hold NUL.
    own: Vec<char>,
}

/// Bytes of one label that are compared at most; DNS labels have 63 octets, a U-label fewer
/// characters.
pub(super) const LABEL_CHARS: usize = 63;

/// Beginnings of names followed at once at most, when letters have several readings.
pub const VARIANTS: usize = 64;

impl Look {
    pub(super) fn new(label: &str) -> Look {
        let room = label.len().min(LABEL_CHARS);
        let mut look = Look { reading: Vec::with_capacity(room), own: Vec::with_capacity(room) };
        if label.is_ascii() {
            // Read as it is.
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
    pub(super) fn len(&self) -> usize {
        self.reading.len()
    }
}

/// What a character is read as first; `None` for ASCII and for what reads as nothing of it.
fn primary(c: char) -> Option<Text> {
    readings(c).1.first().map(|reading| reading.text)
}

/// The strongest resemblance of a label to a name that its spelling allows, or `None`.
///
/// Time is the product of both lengths, each at most 63.
pub(super) fn likeness(label: &[Sight], name: &Look) -> Option<Likeness> {
    if label.len() > LABEL_CHARS {
        return None;
    }
    let mut reached = Reached::new(label.len(), name.len());
    reached.set(0, 0, Likeness::Same);
    let mut chars = label.iter().enumerate().peekable();
    let mut alternatives = Alternatives::new();
    while let Some((at, Sight { c, readings, .. })) = chars.next() {
        let next = chars.peek().map(|(_, next)| next.c);
        let places = reached.take_places(at);
        if places.is_empty() {
            // No reading ends here: one of two characters went past it, or none is left.
            continue;
        }
        read_alternatives(*c, readings, next, &mut alternatives);
        for place in places {
            let Some(before) = reached.get(at, place) else { continue };
            if name.own.get(place) == Some(c) {
                let width = own_width(name, place);
                reached.set(at + 1, place + width, before);
            }
            for Alternative { text, taken, how } in &alternatives {
                let mut how = *how;
                if let Some(width) = reads(name, place, text) {
                    // The plain letter for the accented one of the name: how people without its
                    // keyboard write it.
                    if how == Likeness::Same && name.own.get(place) != Some(c) {
                        how = Likeness::Faint;
                    }
                    reached.set(at + taken, place + width, before.max(how));
                }
            }
        }
    }
    reached.get(label.len(), name.len())
}

/// Pairs of places in a label and in a name of usual lengths, for which nothing is allocated.
const USUAL: usize = 192;

/// The mildest way to read the first so many characters of a label as the first so many of a name.
struct Reached {
    width: usize,
    cells: SmallVec<[Option<Likeness>; USUAL]>,
    /// The places of the name that were reached for each of the lengths at hand, from the first to behind the
    /// last: a character is read as itself, or with the next one.
    places: [Range<usize>; 3],
}

/// No place yet: the first one to come begins and ends what was reached.
const NOWHERE: Range<usize> = Range { start: usize::MAX, end: 0 };

impl Reached {
    fn new(label: usize, name: usize) -> Reached {
        let cells = smallvec![None; (label + 1) * (name + 1)];
        Reached { width: name + 1, cells, places: [NOWHERE; 3] }
    }

    fn get(&self, at: usize, place: usize) -> Option<Likeness> {
        self.cells.get(at * self.width + place).copied().flatten()
    }

    /// The places reached by so many characters, some of them perhaps not; none is left for those to come.
    fn take_places(&mut self, at: usize) -> Range<usize> {
        self.places.get_mut(at % 3).map_or(0..0, |places| std::mem::replace(places, NOWHERE))
    }

    /// `place` is at most the length of the name: no reading goes beyond it.
    fn set(&mut self, at: usize, place: usize, how: Likeness) {
        if let Some(cell) = self.cells.get_mut(at * self.width + place) {
            *cell = Some(cell.map_or(how, |old| old.min(how)));
        }
        if let Some(places) = self.places.get_mut(at % 3) {
            *places = places.start.min(place)..places.end.max(place + 1);
        }
    }
}

/// How many characters read the one of the name's own at this place has.
fn own_width(name: &Look, place: usize) -> usize {
    1 + name.own.iter().skip(place + 1).take_while(|own| **own == '\0').count()
}

/// Whether the name reads as this text at this place, and how far.
fn reads(name: &Look, place: usize, text: &[u8]) -> Option<usize> {
    // Readings are ASCII.
    let rest = name.reading.get(place..place + text.len())?;
    let same = text.iter().zip(rest).all(|(byte, read)| char::from(*byte) == *read);
    same.then_some(text.len())
}

/// What a character of a label may stand for.
struct Alternative {
    /// Of ASCII.
    text: &'static [u8],
    /// Characters of the label used up.
    taken: usize,
    how: Likeness,
}

/// The most that a character usually stands for is four.
type Alternatives = SmallVec<[Alternative; 6]>;

/// What a character may stand for, in the place of what another one may.
fn read_alternatives(
    c: char,
    readings: &'static [Reading],
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
        // An accent on a letter that only looks like the other one is no shape of it (`í` for l).
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

/// A stroke or a ring beyond ASCII has all the readings of its shape (palochka: l, i, 1).
fn twins(text: &[u8]) -> &'static [&'static [u8]] {
    match text {
        b"l" | b"i" | b"1" => &[b"l", b"i", b"1"],
        b"o" | b"0" => &[b"o", b"0"],
        b"g" | b"q" | b"9" => &[b"g", b"q", b"9"],
        _ => &[],
    }
}

/// Each byte of ASCII in lower case.
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

/// Letters that two others side by side are taken for.
#[inline]
pub(super) fn halves(lower: u8) -> Option<[u8; 2]> {
    match lower {
        b'm' => Some(*b"rn"),
        b'w' => Some(*b"vv"),
        _ => None,
    }
}

/// The class of each byte: one of those that may be mistaken for one another stands for all.
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
pub(super) const fn class(byte: u8) -> u8 {
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

/// FNV-1a over what is seen, with all that may be mistaken for one another made the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LookHash(u64);

impl LookHash {
    pub(super) const EMPTY: LookHash = LookHash(0xcbf2_9ce4_8422_2325);

    #[inline]
    fn byte(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }

    /// Adds the [`class`] of an ASCII byte that is taken for no two others.
    #[inline]
    pub(super) fn class(&mut self, class: u8) {
        self.byte(class);
    }

    /// Adds an ASCII byte under its class.
    #[inline]
    pub(super) fn ascii(&mut self, byte: u8) {
        let class = CLASSES.get(usize::from(byte)).copied().unwrap_or(byte);
        match halves(class) {
            Some([first, second]) => {
                self.byte(first);
                self.byte(second);
            }
            None => self.byte(class),
        }
    }

    /// The look of a label of ASCII.
    #[inline]
    pub(super) fn of(label: &[u8]) -> LookHash {
        let mut hash = LookHash::EMPTY;
        label.iter().for_each(|byte| hash.ascii(*byte));
        hash
    }

    /// The look with these bytes behind it.
    #[inline]
    pub(super) fn followed_by(mut self, text: &[u8]) -> LookHash {
        text.iter().for_each(|byte| self.ascii(*byte));
        self
    }

    /// The look, read backwards, with these bytes in front of it.
    #[inline]
    pub(super) fn preceded_by(mut self, text: &[u8]) -> LookHash {
        backwards(text, |byte| self.byte(byte));
        self
    }

    fn text(&mut self, text: &[u8], mut step: impl FnMut(LookHash)) {
        for &byte in text {
            // Both halves, so that `rn` finds its way to `m`.
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

    pub(super) fn value(self) -> u64 {
        self.0
    }
}

/// For tables by look: looks are hashes already.
#[derive(Clone, Debug, Default)]
pub(super) struct LookHasher(u64);

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

/// Hands out the bytes under their classes, last first.
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

/// The looks of all endings of a name, by its first readings, read backwards; that of the whole name last.
pub(super) fn name_endings(label: &str, mut ending: impl FnMut(LookHash)) {
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

/// The look of a name: that of its first readings. Every beginning of it is handed out as well.
pub(super) fn name_look(label: &str, mut beginning: impl FnMut(LookHash)) -> u64 {
    let mut hash = LookHash::EMPTY;
    beginning(hash);
    if label.is_ascii() {
        let lower = label.bytes().take(LABEL_CHARS).map(|c| c.to_ascii_lowercase());
        lower.for_each(|byte| hash.text(&[byte], &mut beginning));
        return hash.value();
    }
    for c in label.chars().flat_map(char::to_lowercase).take(LABEL_CHARS) {
        match primary(c) {
            Some(text) => hash.text(text.bytes(), &mut beginning),
            None => hash.char(c, &mut beginning),
        }
    }
    hash.value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::Sights;

    fn like(label: &str, name: &str) -> Option<Likeness> {
        likeness(Sights::of(label.chars()).all(), &Look::new(name))
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
