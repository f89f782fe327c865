//! What a character reads as.
//!
//! | clause | item |
//! | --- | --- |
//! | UTS #39 §4 skeleton | [`readings`] (prototype of confusables.txt, marks stripped) |
//! | UTS #39 §4.1 whole-script confusables | [`Sights::read_as_latin`] |

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{canonical_combining_class, is_combining_mark};
use unicode_script::{Script, UnicodeScript};
use unicode_security::skeleton;

use super::cjk::is_cjk;
use super::glyphs::{Glyph, Shape, glyph};
use super::lookalike::Likeness;
use super::script::is_numeral;

/// One way of reading a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub text: Text,
    pub likeness: Likeness,
    pub shape: Shape,
}

/// Whether a character reads as the punctuation that gives a URL its structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separates {
    No,
    Yes,
}

/// Lower-case ASCII letters and digits, at most [`TEXT`]; kept in place, since every character of
/// every host needs some.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Text {
    bytes: [u8; TEXT],
    len: u8,
}

/// Letters of one reading at most; the longest in use have three (`ﬃ`).
const TEXT: usize = 7;

impl Text {
    /// `None` when there is no room for it.
    pub(super) fn new(text: &str) -> Option<Text> {
        let mut out = Text::default();
        text.bytes().all(|byte| out.push(byte)).then_some(out)
    }

    fn push(&mut self, byte: u8) -> bool {
        match self.bytes.get_mut(usize::from(self.len)) {
            Some(slot) => {
                *slot = byte;
                self.len += 1;
                true
            }
            None => false,
        }
    }

    pub(super) fn as_str(&self) -> &str {
        let bytes = self.bytes.get(..usize::from(self.len)).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }
}

impl std::fmt::Debug for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.as_str().fmt(f)
    }
}

/// What a reader takes the character for, in lower-case ASCII letters or digits; `None` for ASCII,
/// marks, and whatever looks like nothing of ASCII.
pub fn reads_as(c: char) -> Option<String> {
    if c.is_ascii() {
        return None;
    }
    let mut found = Vec::new();
    readings(c, &mut found);
    found
        .iter()
        .map(|reading| reading.text.as_str())
        .find(|text| !text.is_empty())
        .map(str::to_owned)
}

/// Whether there are letters and every one is, by confusables.txt, the exact shape of a lower-case
/// letter of the script without being of it: what no reader can tell apart (`а` for `a`; not `т`
/// or `п`). Marks, digits and punctuation count for nothing.
pub fn are_twins(letters: impl IntoIterator<Item = char>, script: Script) -> bool {
    let mut some = false;
    for c in letters.into_iter().filter(|c| c.is_alphabetic()) {
        if !is_twin(c, script) {
            return false;
        }
        some = true;
    }
    some
}

fn is_twin(c: char, script: Script) -> bool {
    if c.script() == script {
        return false;
    }
    if script == Script::Latin {
        return matches!(
            prototype(c),
            Shown::Letters(text, false) if text.as_str().bytes().all(|b| b.is_ascii_lowercase())
        );
    }
    let mut buffer = [0; 4];
    let spelled: &str = c.encode_utf8(&mut buffer);
    let mut seen = skeleton(spelled);
    let (Some(seen), None) = (seen.next(), seen.next()) else { return false };
    twins_of(script).contains(seen)
}

/// The ASCII letters that lower-case letters of the script have as their skeleton.
fn twins_of(script: Script) -> &'static str {
    match script {
        Script::Armenian => "fghijnoquw",
        Script::Cyrillic => "acdehijlopqrsvwxy",
        Script::Greek => "acijopuvy",
        Script::Hebrew => "lov",
        _ => "",
    }
}

/// Adds what a character beyond ASCII may be read as, the likeliest first. A mark reads as
/// nothing; a letter that looks like no Latin one has no reading.
pub(super) fn readings(c: char, out: &mut Vec<Reading>) -> Separates {
    if is_syllable(c) {
        return Separates::No;
    }
    let from = out.len();
    let mut add = |text: Text, likeness, shape| {
        let mut known = out.iter_mut().skip(from);
        match known.find(|reading| reading.text == text) {
            Some(known) => known.shape = known.shape.min(shape),
            None => out.push(Reading { text, likeness, shape }),
        }
    };
    if is_combining_mark(c) {
        add(Text::default(), Likeness::Marks, Shape::Near);
        return Separates::No;
    }
    // ı is the one letter that differs from i by a diacritic it lacks.
    let accented = c == 'ı' || c.script() == Script::Latin;
    if let Some((base, _)) = ascii_base(std::iter::once(c).nfd()) {
        let marks = || std::iter::once(c).nfd().filter(|c| is_combining_mark(*c));
        let likeness = if marks().all(is_below) { Likeness::Hidden } else { Likeness::Marks };
        add(base, likeness, Shape::Near);
    }
    let mut separates = Separates::No;
    match prototype(c) {
        Shown::Letters(base, marked) => {
            // đ ł ø differ from d l o by a stroke, which the data spell as a mark.
            let stroke = accented && (c == 'ı' || marked);
            let shape = if marked { Shape::Near } else { Shape::Exact };
            add(base, if stroke { Likeness::Hidden } else { Likeness::Foreign }, shape);
        }
        Shown::Punctuation => separates = Separates::Yes,
        Shown::Other => {}
    }
    if let Some(Glyph { readings, shape }) = glyph(c) {
        for text in readings.iter().filter_map(|text| Text::new(text)) {
            add(text, Likeness::Foreign, shape);
        }
    }
    // к has a reading of its own; where only the capital is alike (ζ → Ζ → Z), that counts.
    for capital in c.to_uppercase().filter(|capital| *capital != c) {
        if let Shown::Letters(base, _) = prototype(capital) {
            add(base, Likeness::Foreign, Shape::Near);
        }
    }
    separates
}

/// Marks that hang below or are attached there, where the underline of a link covers them.
fn is_below(mark: char) -> bool {
    matches!(canonical_combining_class(mark), 202 | 218 | 220 | 222 | 233 | 240)
}

/// Hangul syllables read as nothing of ASCII, and are many.
fn is_syllable(c: char) -> bool {
    matches!(c, '\u{ac00}'..='\u{d7a3}')
}

/// The prototype of a character in confusables.txt.
enum Shown {
    /// ASCII letters and digits, and whether there are marks on them.
    Letters(Text, bool),
    /// ASCII punctuation, or a dash.
    Punctuation,
    Other,
}

fn prototype(c: char) -> Shown {
    let mut buffer = [0; 4];
    let spelled: &str = c.encode_utf8(&mut buffer);
    let mut shape = skeleton(spelled).peekable();
    let first = shape.peek().copied().unwrap_or(c);
    if first.is_ascii_punctuation() || is_dash(first) {
        let all = shape.skip(1).all(|rest| rest.is_ascii_punctuation());
        return if all { Shown::Punctuation } else { Shown::Other };
    }
    match ascii_base(shape).filter(|(base, _)| base.as_str() != spelled) {
        Some((base, marked)) => Shown::Letters(base, marked),
        None => Shown::Other,
    }
}

/// What confusables.txt takes as the prototype of dashes.
fn is_dash(c: char) -> bool {
    matches!(c, '\u{2010}'..='\u{2015}' | '\u{30fc}' | '\u{4e00}' | '\u{2cf}'..='\u{2d7}')
}

/// The characters without their marks, lower case, when all are ASCII letters or digits; and
/// whether there are marks.
fn ascii_base(chars: impl Iterator<Item = char>) -> Option<(Text, bool)> {
    let mut base = Text::default();
    let mut marked = false;
    for c in chars {
        if is_combining_mark(c) {
            marked = true;
            continue;
        }
        let byte = u8::try_from(c).ok().filter(u8::is_ascii_alphanumeric)?;
        if !base.push(byte.to_ascii_lowercase()) {
            return None;
        }
    }
    (base.len > 0).then_some((base, marked))
}

/// Characters that there is room for before more is asked for.
const USUAL: usize = 16;

/// A label, with what each of its characters may be read as.
#[derive(Clone, Debug, Default)]
pub(super) struct Sights {
    chars: Vec<Sight>,
    readings: Vec<Reading>,
}

#[derive(Clone, Copy, Debug)]
struct Sight {
    c: char,
    separates: Separates,
    /// Where its readings end; a character of ASCII has none.
    end: usize,
}

impl Sights {
    /// Reads a label character by character.
    pub(super) fn of(chars: impl Iterator<Item = char>) -> Sights {
        let mut sights =
            Sights { chars: Vec::with_capacity(USUAL), readings: Vec::with_capacity(USUAL) };
        for c in chars {
            let separates = match c.is_ascii() {
                true => Separates::No,
                false => readings(c, &mut sights.readings),
            };
            sights.chars.push(Sight { c, separates, end: sights.readings.len() });
        }
        sights
    }

    /// The characters with their readings.
    pub(super) fn iter(&self) -> impl Iterator<Item = (char, &[Reading])> {
        let mut start = 0;
        self.chars.iter().map(move |sight| {
            let own = self.readings.get(start..sight.end).unwrap_or_default();
            start = sight.end;
            (sight.c, own)
        })
    }

    /// The characters, each with whether it reads as punctuation.
    pub(super) fn separators(&self) -> impl Iterator<Item = (char, Separates)> {
        self.chars.iter().map(|sight| (sight.c, sight.separates))
    }

    pub(super) fn char(&self, at: usize) -> Option<char> {
        self.chars.get(at).map(|sight| sight.c)
    }

    pub(super) fn len(&self) -> usize {
        self.chars.len()
    }

    /// How close the letters of the label come to Latin ones, the worst of them, if each has the
    /// shape of one and none is Latin (UTS #39 §4.1). Digits and hyphens are neutral; a mark of
    /// the script is not. Ideographs and kana (`山口`) are never read as letters among their own,
    /// and Arabic letters join.
    pub(super) fn read_as_latin(&self) -> Option<Shape> {
        let mut worst = None;
        for (c, readings) in self.iter() {
            if c.is_ascii_digit() || c == '-' {
                continue;
            }
            let letter = |text: &str| text.contains(|c: char| c.is_ascii_alphabetic());
            let counts = |reading: &&Reading| {
                reading.shape < Shape::Near && (letter(reading.text.as_str()) || is_numeral(c))
            };
            if c.is_ascii() || !stands_alone(c) {
                return None;
            }
            let best = readings.iter().filter(counts).map(|reading| reading.shape).min()?;
            worst = worst.max(Some(best));
        }
        worst
    }

    /// Whether the label reads as a number, though not all of it are ASCII digits.
    pub(super) fn read_as_number(&self) -> bool {
        let mut foreign = false;
        for (c, readings) in self.iter() {
            if c.is_ascii_digit() || c == '-' {
                continue;
            }
            if !readings.iter().any(|reading| is_digit(c, reading)) {
                return false;
            }
            foreign = true;
        }
        foreign
    }
}

/// Whether the character can be a letter of a whole-script look-alike: of a script other than
/// Latin, whose letters stand one by one.
fn stands_alone(c: char) -> bool {
    let joins = c.script() == Script::Arabic && c.is_alphabetic();
    c.script() != Script::Latin && !joins && !is_cjk(c) && !is_combining_mark(c)
}

fn is_digit(c: char, reading: &Reading) -> bool {
    match reading.text.as_str() {
        "o" | "l" | "i" => is_numeral(c),
        text => text.len() == 1 && text.bytes().all(|byte| byte.is_ascii_digit()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_script() {
        let latin = |label: &str| Sights::of(label.chars()).read_as_latin();
        for label in ["ѕсоре", "аррӏе", "ոսւօ"] {
            assert_eq!(latin(label), Some(Shape::Exact), "{label}");
        }
        // By our eye only: a word of Russian among them.
        for label in ["ск", "спорт", "חסד", "ικα"] {
            assert_eq!(latin(label), Some(Shape::Same), "{label}");
        }
        // Ordinary words: Greek for island, Hebrew for India, Malayalam for city, Georgian, a
        // Japanese name, Arabic, Kazakh.
        for label in [
            "музей",
            "я",
            "в",
            "apple",
            "123",
            "αβ",
            "νησί",
            "הודו",
            "നഗര",
            "კვირა",
            "დიდი",
            "山口",
            "エコ",
            "ها",
            "қарға",
        ] {
            assert_eq!(latin(label), None, "{label}");
        }
    }

    #[test]
    fn twins_cannot_be_told_apart() {
        for (letters, script) in [
            ("аср", Script::Latin),
            ("о", Script::Latin),
            ("ο", Script::Latin),
            ("асре", Script::Latin),
            ("ceop", Script::Cyrillic),
            ("o", Script::Greek),
        ] {
            assert!(are_twins(letters.chars(), script), "{letters} {script:?}");
        }
        for (letters, script) in [
            ("привет", Script::Latin),
            ("на", Script::Latin),
            ("ё", Script::Latin),
            ("บ", Script::Latin),
            ("зв", Script::Latin),
            ("google", Script::Cyrillic),
            ("abc", Script::Latin),
            ("12-", Script::Latin),
            ("", Script::Latin),
        ] {
            assert!(!are_twins(letters.chars(), script), "{letters} {script:?}");
        }
    }

    /// The letters of each list are those that the data give.
    #[test]
    fn twins_of_scripts_are_those_of_the_data() {
        let first = |c: char| {
            let mut seen = skeleton(c.encode_utf8(&mut [0; 4])).collect::<Vec<_>>();
            (seen.len() == 1).then(|| seen.remove(0))
        };
        for script in [Script::Armenian, Script::Cyrillic, Script::Greek, Script::Hebrew] {
            let mut letters: Vec<char> = ('\u{370}'..='\u{5ff}')
                .filter(|c| c.script() == script && !c.is_uppercase() && c.is_alphabetic())
                .filter_map(first)
                .filter(char::is_ascii_lowercase)
                .collect();
            letters.sort_unstable();
            letters.dedup();
            let mut listed: Vec<char> = twins_of(script).chars().collect();
            listed.sort_unstable();
            assert_eq!(letters.iter().collect::<String>(), listed.iter().collect::<String>());
        }
    }

    #[test]
    fn every_reading_has_room() {
        for c in ('\0'..=char::MAX).filter(|c| !c.is_ascii()) {
            if let Some(Glyph { readings, .. }) = glyph(c) {
                assert!(readings.iter().all(|text| Text::new(text).is_some()), "{c}");
            }
        }
        assert_eq!(reads_as('ﬃ').as_deref(), Some("ffi"));
        assert_eq!(reads_as('\u{301}'), None);
    }
}
