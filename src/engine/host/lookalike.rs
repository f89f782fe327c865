//! What a label reads as.
//!
//! | clause | item |
//! | --- | --- |
//! | UTS #39 §4 skeleton | [`readings`] (prototype of confusables.txt, marks stripped) |
//! | UTS #39 §4 bidiSkeleton | [`bidi_skeleton`] |
//! | UTS #39 §4.1 whole-script confusables | [`reads_as_latin`] |
//!
//! Comparing is done in two stages. A *look* is a hash under which everything that may be
//! mistaken for one another falls together (`0` and `o`, `1` and `i` and `l`, `rn` and `m`): one
//! hash look-up finds the candidates. [`likeness`] then decides how a label resembles a name.

use unicode_bidi::{BidiClass, BidiInfo, HardcodedBidiData, Level};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_script::{Script, UnicodeScript};
use unicode_security::skeleton;

use super::glyphs::{Glyph, Shape, glyph};
use super::script::is_numeral;

/// How a label resembles a name, mildest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Likeness {
    /// The same letters.
    Same,
    /// ASCII that only a hurried reader mistakes: `m` for `rn`, `i` for `l`.
    Faint,
    /// Only diacritics differ.
    Marks,
    /// ASCII made to look like other ASCII: `0` for `o`, `rn` for `m`, `I` for `l`.
    Ascii,
    /// A letter that is not the one it looks like.
    Foreign,
}

/// One way of reading a character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub text: String,
    pub likeness: Likeness,
    pub shape: Shape,
}

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
const LABEL_CHARS: usize = 63;

/// Looks of one label at most, when its letters have several readings.
pub const VARIANTS: usize = 16;

impl Look {
    pub(super) fn new(label: &str) -> Look {
        let mut look = Look::default();
        for c in label.chars().flat_map(char::to_lowercase).take(LABEL_CHARS) {
            let text = primary(c);
            let mut own = Some(c);
            for read in text.chars() {
                look.reading.push(read);
                look.own.push(own.take().unwrap_or('\0'));
            }
        }
        look
    }

    /// Length in characters read.
    pub(super) fn len(&self) -> usize {
        self.reading.len()
    }
}

fn primary(c: char) -> String {
    if c.is_ascii() {
        return c.to_string();
    }
    readings(c).into_iter().next().map_or_else(|| c.to_string(), |reading| reading.text)
}

/// What a reader takes the character for, in lower-case ASCII letters or digits; `None` for ASCII,
/// marks, and whatever looks like nothing of ASCII.
pub fn reads_as(c: char) -> Option<String> {
    if c.is_ascii() {
        return None;
    }
    readings(c).into_iter().map(|reading| reading.text).find(|text| !text.is_empty())
}

/// What a character beyond ASCII may be read as, the likeliest first. A mark reads as nothing;
/// a letter that looks like no Latin one has no reading.
pub(super) fn readings(c: char) -> Vec<Reading> {
    let mut out: Vec<Reading> = Vec::new();
    let mut add =
        |text: String, likeness, shape| match out.iter_mut().find(|reading| reading.text == text) {
            Some(known) => known.shape = known.shape.min(shape),
            None => out.push(Reading { text, likeness, shape }),
        };
    if is_combining_mark(c) {
        add(String::new(), Likeness::Marks, Shape::Near);
        return out;
    }
    // ı is the one letter that differs from i by a diacritic it lacks.
    let accented = c == 'ı' || c.script() == Script::Latin;
    if let Some(base) = ascii_base(std::iter::once(c).nfd()) {
        add(base, Likeness::Marks, Shape::Near);
    }
    let known = glyph(c);
    if let Some(base) = prototype(c) {
        // đ ł ø differ from d l o by a stroke, which the data spell as a mark.
        let marked = reads_with_mark(c);
        let stroke = accented && (c == 'ı' || marked);
        let shape = if marked { Shape::Near } else { Shape::Same };
        add(base, if stroke { Likeness::Marks } else { Likeness::Foreign }, shape);
    }
    if let Some(Glyph { readings, shape }) = known {
        for text in readings {
            add((*text).to_owned(), Likeness::Foreign, shape);
        }
    }
    // к has a reading of its own; where only the capital is alike (ζ → Ζ → Z), that counts.
    for capital in c.to_uppercase().filter(|capital| *capital != c) {
        if let Some(base) = prototype(capital) {
            add(base, Likeness::Foreign, Shape::Near);
        }
    }
    out
}

/// The prototype in confusables.txt, when it is ASCII letters and digits under marks.
fn prototype(c: char) -> Option<String> {
    let mut buffer = [0; 4];
    let spelled: &str = c.encode_utf8(&mut buffer);
    ascii_base(skeleton(spelled))
        .filter(|base| base.chars().ne(std::iter::once(c)))
        .filter(|base| !base.is_empty())
}

fn reads_with_mark(c: char) -> bool {
    let mut buffer = [0; 4];
    let spelled: &str = c.encode_utf8(&mut buffer);
    skeleton(spelled).any(is_combining_mark)
}

/// The characters without their marks, lower case, when all are ASCII letters or digits.
fn ascii_base(chars: impl Iterator<Item = char>) -> Option<String> {
    let mut base = String::new();
    for c in chars.filter(|c| !is_combining_mark(*c)) {
        if !c.is_ascii_alphanumeric() {
            return None;
        }
        base.push(c.to_ascii_lowercase());
    }
    Some(base).filter(|base| !base.is_empty())
}

/// The strongest resemblance of a label to a name that its spelling allows, or `None`.
///
/// Time is the product of both lengths, each at most 63.
pub(super) fn likeness(label: &str, name: &Look) -> Option<Likeness> {
    let chars: Vec<char> = label.chars().take(LABEL_CHARS + 1).collect();
    if chars.len() > LABEL_CHARS {
        return None;
    }
    // reached[i][p]: the mildest way to read the first i characters as the first p of the name.
    let mut reached = vec![vec![None; name.len() + 1]; chars.len() + 1];
    set(&mut reached, 0, 0, Likeness::Same);
    for (at, c) in chars.iter().enumerate() {
        let alternatives = alternatives(*c, chars.get(at + 1).copied());
        for place in 0..=name.len() {
            let Some(before) = get(&reached, at, place) else { continue };
            if name.own.get(place).is_some_and(|own| *own == *c) {
                let width = own_width(name, place);
                set(&mut reached, at + 1, place + width, before);
            }
            for (text, taken, how) in &alternatives {
                let mut how = *how;
                if let Some(width) = reads(name, place, text) {
                    // The plain letter for the accented one of the name: how people without its
                    // keyboard write it.
                    if how == Likeness::Same && name.own.get(place) != Some(c) {
                        how = Likeness::Faint;
                    }
                    set(&mut reached, at + taken, place + width, before.max(how));
                }
            }
        }
    }
    get(&reached, chars.len(), name.len())
}

fn get(reached: &[Vec<Option<Likeness>>], at: usize, place: usize) -> Option<Likeness> {
    reached.get(at)?.get(place).copied().flatten()
}

fn set(reached: &mut [Vec<Option<Likeness>>], at: usize, place: usize, how: Likeness) {
    if let Some(slot) = reached.get_mut(at).and_then(|row| row.get_mut(place)) {
        *slot = Some(slot.map_or(how, |old| old.min(how)));
    }
}

/// How many characters read the one of the name's own at this place has.
fn own_width(name: &Look, place: usize) -> usize {
    1 + name.own.iter().skip(place + 1).take_while(|own| **own == '\0').count()
}

/// Whether the name reads as this text at this place, and how far.
fn reads(name: &Look, place: usize, text: &str) -> Option<usize> {
    let rest = name.reading.get(place..)?;
    let width = text.chars().count();
    let same = rest.len() >= width && text.chars().zip(rest).all(|(c, read)| c == *read);
    same.then_some(width)
}

/// What a character of a label may stand for: text, characters of the label used up, how.
fn alternatives(c: char, next: Option<char>) -> Vec<(String, usize, Likeness)> {
    if c.is_ascii() {
        return ascii_alternatives(c, next);
    }
    let mut out: Vec<(String, usize, Likeness)> = Vec::new();
    for reading in readings(c) {
        for twin in twins(&reading.text) {
            out.push(((*twin).to_owned(), 1, Likeness::Foreign));
        }
        out.push((reading.text, 1, reading.likeness));
    }
    out
}

/// A stroke or a ring beyond ASCII has all the readings of its shape (palochka: l, i, 1).
fn twins(text: &str) -> &'static [&'static str] {
    match text {
        "l" | "i" | "1" => &["l", "i", "1"],
        "o" | "0" => &["o", "0"],
        "g" | "q" | "9" => &["g", "q", "9"],
        _ => &[],
    }
}

fn ascii_alternatives(c: char, next: Option<char>) -> Vec<(String, usize, Likeness)> {
    use Likeness::{Ascii, Faint, Same};
    let lower = c.to_ascii_lowercase();
    let mut out = vec![(lower.to_string(), 1, Same)];
    let mut add = |text: &str, taken, how| out.push((text.to_owned(), taken, how));
    match c {
        '0' => add("o", 1, Ascii),
        '1' => {
            add("l", 1, Ascii);
            add("i", 1, Ascii);
        }
        '2' => add("z", 1, Ascii),
        '3' => add("e", 1, Ascii),
        '4' => add("a", 1, Ascii),
        '5' => add("s", 1, Ascii),
        '6' | '8' => add("b", 1, Ascii),
        '7' => add("t", 1, Ascii),
        '9' => {
            add("g", 1, Ascii);
            add("q", 1, Ascii);
        }
        'I' => add("l", 1, Ascii),
        'i' | 'j' => add("l", 1, Faint),
        'l' => {
            add("i", 1, Faint);
            add("1", 1, Ascii);
        }
        'o' => add("0", 1, Ascii),
        'm' => add("rn", 1, Faint),
        'w' => add("vv", 1, Faint),
        _ => {}
    }
    match (lower, next.map(|next| next.to_ascii_lowercase())) {
        ('r', Some('n')) => add("m", 2, Ascii),
        ('v', Some('v')) => add("w", 2, Ascii),
        _ => {}
    }
    out
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

    /// Adds an ASCII byte under its class.
    #[inline]
    pub(super) fn ascii(&mut self, byte: u8) {
        match byte.to_ascii_lowercase() {
            b'0' => self.byte(b'o'),
            b'1' | b'i' | b'j' => self.byte(b'l'),
            b'2' => self.byte(b'z'),
            b'3' => self.byte(b'e'),
            b'4' => self.byte(b'a'),
            b'5' => self.byte(b's'),
            b'6' | b'8' => self.byte(b'b'),
            b'7' => self.byte(b't'),
            b'9' | b'q' => self.byte(b'g'),
            b'm' => {
                self.byte(b'r');
                self.byte(b'n');
            }
            b'w' => {
                self.byte(b'v');
                self.byte(b'v');
            }
            other => self.byte(other),
        }
    }

    fn text(&mut self, text: &str) {
        for c in text.chars() {
            if c.is_ascii() {
                self.ascii(u8::try_from(c).unwrap_or_default());
            } else {
                let mut buffer = [0; 4];
                c.encode_utf8(&mut buffer).bytes().for_each(|byte| self.byte(byte));
            }
        }
    }

    pub(super) fn value(self) -> u64 {
        self.0
    }
}

/// The looks of a label: one for every combination of readings, at most [`VARIANTS`].
pub(super) fn looks(label: &str) -> Vec<u64> {
    let mut hashes = vec![LookHash::EMPTY];
    for c in label.chars().flat_map(char::to_lowercase).take(LABEL_CHARS) {
        let mut texts: Vec<String> = match c.is_ascii() {
            true => vec![c.to_string()],
            false => readings(c).into_iter().map(|reading| reading.text).collect(),
        };
        if texts.is_empty() {
            texts.push(c.to_string());
        }
        hashes = extend(&hashes, &texts);
    }
    hashes.into_iter().map(LookHash::value).collect()
}

fn extend(hashes: &[LookHash], texts: &[String]) -> Vec<LookHash> {
    let mut out: Vec<LookHash> = Vec::with_capacity(hashes.len());
    for text in texts {
        for hash in hashes {
            let mut next = *hash;
            next.text(text);
            if out.len() < VARIANTS && !out.contains(&next) {
                out.push(next);
            }
        }
    }
    out
}

/// The look of a name: that of its first readings.
pub(super) fn name_look(label: &str) -> u64 {
    let mut hash = LookHash::EMPTY;
    for c in label.chars().flat_map(char::to_lowercase).take(LABEL_CHARS) {
        hash.text(&primary(c));
    }
    hash.value()
}

/// Whether every letter of the label, all of one script other than Latin, has the shape of a
/// Latin letter (UTS #39 §4.1). Digits and hyphens are neutral; a mark of the script is not.
pub(super) fn reads_as_latin(label: &str) -> bool {
    let mut letters = false;
    for c in label.chars() {
        if c.is_ascii_digit() || c == '-' {
            continue;
        }
        let letter = |text: &str| text.contains(|c: char| c.is_ascii_alphabetic());
        let same = !c.is_ascii()
            && !is_combining_mark(c)
            && readings(c).iter().any(|reading| {
                reading.shape == Shape::Same && (letter(&reading.text) || is_numeral(c))
            });
        if !same || c.script() == Script::Latin {
            return false;
        }
        letters = true;
    }
    letters
}

/// Whether the label reads as a number, though not all of it are ASCII digits.
pub(super) fn reads_as_number(label: &str) -> bool {
    let mut foreign = false;
    for c in label.chars() {
        if c.is_ascii_digit() || c == '-' {
            continue;
        }
        if c.is_ascii() || !reads_as_digit(c) {
            return false;
        }
        foreign = true;
    }
    foreign
}

fn reads_as_digit(c: char) -> bool {
    let ring = is_numeral(c);
    readings(c).iter().any(|reading| match reading.text.as_str() {
        "o" | "l" | "i" => ring,
        text => text.len() == 1 && text.bytes().all(|byte| byte.is_ascii_digit()),
    })
}

/// UTS #39 §4 bidiSkeleton for a paragraph that runs left to right: the text in the order it is
/// displayed, marks after their base, skeleton of that.
pub fn bidi_skeleton(text: &str) -> String {
    let data = HardcodedBidiData;
    let info = BidiInfo::new_with_data_source(&data, text, Some(Level::ltr()));
    let mut shown = String::with_capacity(text.len());
    for paragraph in &info.paragraphs {
        let line = paragraph.range.clone();
        let (levels, runs) = info.visual_runs(paragraph, line);
        for run in runs {
            let Some(piece) = text.get(run.clone()) else { continue };
            if levels.get(run.start).is_some_and(Level::is_rtl) {
                push_reversed(piece, &mut shown);
            } else {
                shown.push_str(piece);
            }
        }
    }
    skeleton(&shown).collect()
}

/// Reverses a right-to-left run by base character, so that marks stay behind their base.
fn push_reversed(piece: &str, out: &mut String) {
    let mut end = piece.len();
    for (at, c) in piece.char_indices().rev() {
        if is_combining_mark(c) && at > 0 {
            continue;
        }
        if let Some(cluster) = piece.get(at..end) {
            let mut chars = cluster.chars();
            out.extend(chars.next().map(mirrored));
            out.push_str(chars.as_str());
        }
        end = at;
    }
}

/// Bidi_Mirroring_Glyph of the ASCII brackets: no other mirrored character passes UTS #46.
fn mirrored(c: char) -> char {
    match c {
        '(' => ')',
        ')' => '(',
        '[' => ']',
        ']' => '[',
        '<' => '>',
        '>' => '<',
        '{' => '}',
        '}' => '{',
        other => other,
    }
}

/// Whether displaying the text reorders it.
pub(super) fn is_bidi(text: &str) -> bool {
    text.chars().any(|c| {
        !c.is_ascii()
            && matches!(unicode_bidi::bidi_class(c), BidiClass::R | BidiClass::AL | BidiClass::AN)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn like(label: &str, name: &str) -> Option<Likeness> {
        likeness(label, &Look::new(name))
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
            ("þaypal", "paypal", Some(Likeness::Foreign)),
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

    #[test]
    fn what_resembles_shares_a_look() {
        for (label, name) in [
            ("pаypаl", "paypal"),
            ("arnazon", "amazon"),
            ("g00g1e", "google"),
            ("шмԋтв", "wmhtb"),
            ("ӏԃԍ", "idg"),
            ("muller", "müller"),
            ("12345б7890", "1234567890"),
        ] {
            assert!(looks(label).contains(&name_look(name)), "{label} {name}");
        }
    }

    #[test]
    fn whole_script() {
        for label in ["ѕсоре", "ск", "аррӏе", "חסד", "ικα"] {
            assert!(reads_as_latin(label), "{label}");
        }
        // Ordinary words: Greek for island, Hebrew for India, Malayalam for city, Georgian.
        for label in
            ["музей", "я", "в", "apple", "123", "αβ", "νησί", "הודו", "നഗര", "კვირა", "დიდი"]
        {
            assert!(!reads_as_latin(label), "{label}");
        }
    }

    /// UTS #39 §4, Table 2a and the text round it.
    #[test]
    fn bidi_skeletons() {
        assert_eq!(bidi_skeleton("A1<\u{5e9}"), bidi_skeleton("A\u{5e9}>1"));
        assert_eq!(bidi_skeleton("example.com"), "exarnple.corn");
    }
}
