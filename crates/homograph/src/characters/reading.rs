//! What a character reads as.
//!
//! | clause | item |
//! | --- | --- |
//! | UTS #39 §4 skeleton | [`readings`] (prototype of confusables.txt, marks stripped) |
//! | UTS #39 §4.1 whole-script confusables | [`LabelChars::read_as_latin`] |
//!
//! Computing what a character reads as takes thousands of instructions (normalisation, skeletons),
//! and hostile mail consists of such characters: a generated table has the result for every
//! character.
use uts58::unicode::{ScriptOf as _, Staged, Traits, is_letter};

mod table;

use unicode_script::Script;

use super::cjk::is_cjk;
use super::properties::{is_numeral, skeleton};

/// Which of [`table::SETS`] a character has.
static SET_OF: Staged = Staged::new(&NUMBERS);
static NUMBERS: [u16; FILE.len() / 2] = Staged::numbers(FILE);
const FILE: &[u8] = include_bytes!("../../data/reading_sets.bin");

/// How close a character comes to what it is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shape {
    /// The lower-case letter itself, by confusables.txt.
    Exact,
    /// The lower-case letter itself in most fonts, by our own judgement: counts for whole-script
    /// look-alikes, but less.
    Same,
    /// A capital, an accented letter or a similar shape: counts only against a protected name.
    Near,
}

/// How closely a character or a label resembles what it is read as: mildest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Likeness {
    /// The same letters.
    Same,
    /// ASCII that only a hurried reader confuses: `m` for `rn`, `i` for `l`.
    Faint,
    /// ASCII that is made to look like other ASCII: `0` for `o`, `rn` for `m`, `I` for `l`.
    Ascii,
    /// Only diacritics differ.
    Marks,
    /// Only a diacritic differs that the underline of a link covers or that is easily missed: a
    /// mark below, a stroke, a hook, the missing dot of ı.
    Hidden,
    /// Another letter that looks the same.
    Foreign,
    /// Another letter that has the same shape by our own judgement, not by the data.
    Alike,
    /// Another letter that only comes near the shape.
    Rough,
}

/// One way of reading a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CharReading {
    pub text: ReadingText,
    pub likeness: Likeness,
    pub shape: Shape,
}

/// A reading of at most [`TEXT`] letters; the generated table calls this.
const fn reading(text: &str, likeness: Likeness, shape: Shape) -> CharReading {
    let from = text.as_bytes();
    let mut bytes = [0; TEXT];
    let mut at = 0;
    while at < from.len() {
        #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
        {
            bytes[at] = from[at];
        }
        at += 1;
    }
    CharReading { text: ReadingText { bytes, len: from.len() as u8 }, likeness, shape }
}

/// Whether a character reads as punctuation that separates the parts of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Separates {
    No,
    Yes,
}

/// Lower-case ASCII letters and digits, at most [`TEXT`]. Stored inline, because every character of
/// every host needs some.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ReadingText {
    bytes: [u8; TEXT],
    len: u8,
}

/// Letters of one reading at most; the longest has three (`ﬃ`).
const TEXT: usize = 7;

impl ReadingText {
    /// `None` if the text is too long.
    #[cfg(test)]
    pub(super) fn new(text: &str) -> Option<ReadingText> {
        let mut out = ReadingText::default();
        text.bytes().all(|byte| out.push(byte)).then_some(out)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or_default()
    }

    #[cfg(test)]
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

    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(self.bytes()).unwrap_or_default()
    }
}

impl std::fmt::Debug for ReadingText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.as_str().fmt(f)
    }
}

/// What a reader takes the character for, in lower-case ASCII letters or digits; `None` for ASCII,
/// marks, and characters that look like nothing in ASCII.
pub fn reads_as(c: char) -> Option<&'static str> {
    let mut texts = readings(c).1.iter().map(|reading| reading.text.as_str());
    texts.find(|text| !text.is_empty())
}

/// All that a reader may take the character for, in the same way.
#[cfg(feature = "senders")]
pub fn all_readings(c: char) -> impl Iterator<Item = &'static str> {
    readings(c).1.iter().map(|reading| reading.text.as_str()).filter(|text| !text.is_empty())
}

/// The digit that the character reads as, whatever else it reads as.
pub(crate) fn digit_of(c: char) -> Option<&'static str> {
    readings(c).1.iter().find(|reading| is_digit(c, reading)).map(|reading| reading.text.as_str())
}

/// Whether there are letters and each has, by confusables.txt, the exact shape of a lower-case
/// letter of the script without belonging to it: what no reader can tell apart (`а` for `a`; not
/// `т` or `п`). Marks, digits and punctuation are skipped.
pub fn are_twins(letters: impl IntoIterator<Item = char>, script: Script) -> bool {
    let mut some = false;
    for c in letters.into_iter().filter(|c| is_letter(*c)) {
        if !is_twin(c, script) {
            return false;
        }
        some = true;
    }
    some
}

/// Marks beside their letter that have the shape of an `o`. In a name they read as nothing, as
/// marks do.
const RINGS: [char; 7] =
    ['\u{c02}', '\u{c82}', '\u{d02}', '\u{d82}', '\u{1bea}', '\u{1bec}', '\u{11302}'];

fn is_twin(c: char, script: Script) -> bool {
    if c.script() == script {
        return false;
    }
    if script == Script::Latin {
        let letters =
            |reading: &CharReading| reading.text.bytes().iter().all(u8::is_ascii_lowercase);
        let twin = |reading: &CharReading| reading.shape == Shape::Exact && letters(reading);
        return RINGS.contains(&c) || readings(c).1.iter().any(twin);
    }
    let mut buffer = [0; 4];
    let spelled: &str = c.encode_utf8(&mut buffer);
    let [seen] = *skeleton(spelled) else { return false };
    twins_of(script).contains(seen)
}

/// Whether the character is a capital with the exact shape of one of the script, without belonging
/// to it.
#[cfg(feature = "senders")]
pub(crate) fn twins_in_capitals(c: char, script: Script) -> bool {
    if !c.is_uppercase() || c.script() == script {
        return false;
    }
    let mut buffer = [0; 4];
    let [seen] = *skeleton(c.encode_utf8(&mut buffer)) else { return false };
    match script {
        Script::Latin => seen.is_ascii_alphabetic(),
        Script::Cyrillic => "ABCEHIJKMOPSTXYl".contains(seen),
        Script::Greek => "ABEHIKMNOPTXYZl".contains(seen),
        _ => false,
    }
}

/// The ASCII letters that are skeletons of lower-case letters of the script.
fn twins_of(script: Script) -> &'static str {
    match script {
        Script::Armenian => "fghijnoquw",
        Script::Cyrillic => "acdehijlopqrsvwxy",
        Script::Greek => "acijopuvy",
        Script::Hebrew => "lov",
        _ => "",
    }
}

/// What a character may be read as, the most likely reading first, and whether it reads as
/// punctuation. ASCII has no reading but itself. A mark reads as nothing; a letter that resembles
/// no Latin one has no reading.
#[inline]
pub(crate) fn readings(c: char) -> (Separates, &'static [CharReading]) {
    let set = usize::from(SET_OF.of(c));
    match table::SETS.get(set..).and_then(|sets| sets.first_chunk()) {
        // Most characters have the first set, which is empty.
        Some([(separates, begin), (_, end)]) if set > 0 => {
            let readings = table::READINGS.get(usize::from(*begin)..usize::from(*end));
            (*separates, readings.unwrap_or_default())
        }
        _ => (Separates::No, &[]),
    }
}

/// Initial capacity, in characters: a label in the DNS has no more.
const USUAL_CHARS: usize = 63;

/// A label with what each of its characters may be read as.
#[derive(Clone, Debug)]
pub(crate) struct LabelChars {
    all: Vec<LabelChar>,
    /// The properties that some character beyond ASCII has.
    any: Traits,
    /// The last character in the order of Unicode.
    last: char,
    /// Whether some character beyond ASCII may read as punctuation.
    signs: bool,
    scripts: Scripts,
}

/// The scripts of a label, without its ASCII digits, hyphens and underscores.
#[derive(Clone, Copy, Debug)]
enum Scripts {
    None,
    One(Script),
    /// Several, or characters that belong to no script.
    Several,
}

impl Scripts {
    fn and(self, script: Script) -> Scripts {
        match self {
            _ if matches!(script, Script::Common | Script::Inherited | Script::Unknown) => {
                Scripts::Several
            }
            Scripts::None => Scripts::One(script),
            Scripts::One(one) if one == script => self,
            _ => Scripts::Several,
        }
    }
}

/// A character with what it may be read as; ASCII has no readings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LabelChar {
    pub c: char,
    pub separates: Separates,
    pub readings: &'static [CharReading],
    pub traits: Traits,
}

impl LabelChar {
    pub(crate) fn of(c: char) -> LabelChar {
        let (separates, readings) =
            if c.is_ascii() { (Separates::No, &[][..]) } else { readings(c) };
        LabelChar { c, separates, readings, traits: Traits::of(c) }
    }

    /// Whether it may be read as this small letter of ASCII.
    #[cfg(feature = "senders")]
    pub(crate) fn reads_as(&self, letter: char) -> bool {
        self.readings.iter().any(|reading| reading.text.as_str().chars().eq([letter]))
    }
}

impl LabelChars {
    /// Reads a label character by character.
    pub(crate) fn of(chars: impl Iterator<Item = char>) -> LabelChars {
        // The upper bound counts bytes; a character has one or several.
        let capacity = chars.size_hint().1.unwrap_or(USUAL_CHARS).min(USUAL_CHARS);
        let mut all = Vec::with_capacity(capacity);
        let (mut any, mut scripts) = (Traits::NONE, Scripts::None);
        let (mut last, mut signs, mut latin) = ('\0', false, false);
        // Script of the letter before: most neighbours have the same.
        let mut before = None;
        for c in chars {
            let letter = LabelChar::of(c);
            let LabelChar { separates, traits, .. } = letter;
            if c.is_ascii() {
                latin |= c.is_ascii_alphabetic();
            } else {
                let script = traits.script();
                if before != Some(script) {
                    scripts = scripts.and(script);
                    before = Some(script);
                }
                signs |= separates == Separates::Yes || is_sign(c);
                any = any.or(traits);
                last = last.max(c);
            }
            all.push(letter);
        }
        if latin {
            scripts = scripts.and(Script::Latin);
        }
        LabelChars { all, any, last, signs, scripts }
    }

    /// The characters with what they may be read as.
    pub(crate) fn all(&self) -> &[LabelChar] {
        &self.all
    }

    /// The properties that some character beyond ASCII has; the script in it is meaningless.
    pub(crate) fn any(&self) -> Traits {
        self.any
    }

    /// The last character beyond ASCII in the order of Unicode; NUL if there is none.
    pub(crate) fn last(&self) -> char {
        self.last
    }

    /// The script of all characters except ASCII digits, hyphens and underscores, if it is a single
    /// one.
    pub(crate) fn script(&self) -> Option<Script> {
        match self.scripts {
            Scripts::One(script) => Some(script),
            Scripts::None | Scripts::Several => None,
        }
    }

    /// The characters with their readings.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (char, &'static [CharReading])> {
        self.all.iter().map(|letter| (letter.c, letter.readings))
    }

    /// The characters with whether each reads as punctuation.
    pub(crate) fn separators(&self) -> impl Iterator<Item = (char, Separates)> {
        self.all.iter().map(|letter| (letter.c, letter.separates))
    }

    /// Whether some character beyond ASCII may read as punctuation.
    pub(crate) fn has_signs(&self) -> bool {
        self.signs
    }

    pub(crate) fn char(&self, at: usize) -> Option<char> {
        self.all.get(at).map(|letter| letter.c)
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// How closely the letters of the label resemble Latin ones.
    pub(crate) fn read_as_latin(&self) -> Option<Shape> {
        reading_as_latin(&self.all)
    }

    /// Whether the label reads as a number but is not all ASCII digits.
    pub(crate) fn read_as_number(&self) -> bool {
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

/// How closely letters resemble Latin ones, the worst of them, if each has such a shape and none is
/// Latin (UTS #39 §4.1). Digits and hyphens are neutral; marks of the script are not. Ideographs and
/// kana (`山口`) are never read as letters among their own, and Arabic letters join.
pub(crate) fn reading_as_latin(letters: &[LabelChar]) -> Option<Shape> {
    let mut worst = None;
    for LabelChar { c, readings, traits, .. } in letters.iter().copied() {
        if c.is_ascii_digit() || c == '-' {
            continue;
        }
        let counts = |reading: &&CharReading| {
            let letter = || reading.text.bytes().iter().any(u8::is_ascii_alphabetic);
            reading.shape < Shape::Near && (letter() || traits.is_digit())
        };
        if c.is_ascii() || !can_be_whole_script(c) {
            return None;
        }
        let best = readings.iter().filter(counts).map(|reading| reading.shape).min()?;
        worst = worst.max(Some(best));
    }
    worst
}

/// Whether the character is examined as punctuation regardless of the table: middle dots and
/// modifier letters.
fn is_sign(c: char) -> bool {
    matches!(c, '·' | '・' | '\u{2b0}'..='\u{2ff}')
}

/// Whether the character can be part of a whole-script look-alike: of a script other than Latin
/// whose letters do not join.
fn can_be_whole_script(c: char) -> bool {
    let joins = c.script() == Script::Arabic && is_letter(c);
    c.script() != Script::Latin && !joins && !is_cjk(c) && !Traits::of(c).is_mark()
}

fn is_digit(c: char, reading: &CharReading) -> bool {
    match reading.text.bytes() {
        b"o" | b"l" | b"i" => is_numeral(c),
        [byte] => byte.is_ascii_digit(),
        _ => false,
    }
}

#[cfg(test)]
mod derived;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_script() {
        let latin = |label: &str| LabelChars::of(label.chars()).read_as_latin();
        for label in ["ѕсоре", "аррӏе", "ոսւօ"] {
            assert_eq!(latin(label), Some(Shape::Exact), "{label}");
        }
        // Only by our own judgement; one is a Russian word.
        for label in ["ск", "спорт", "חסד", "ικα"] {
            assert_eq!(latin(label), Some(Shape::Same), "{label}");
        }
        // Ordinary words: Greek for island, Hebrew for India, Malayalam for city, Georgian, a
        // Japanese name, Arabic, Kazakh.
        for label in [
            "музей", "я", "в", "apple", "123", "αβ", "νησί", "הודו", "നഗര", "კვირა", "დიდი",
            "山口", "エコ", "ها", "қарға",
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

    /// The letters of each list are those that the data yield.
    #[test]
    fn twins_of_scripts_are_those_of_the_data() {
        let first = |c: char| {
            let mut seen = skeleton(c.encode_utf8(&mut [0; 4]));
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
    fn reading_a_character() {
        assert_eq!(reads_as('ﬃ'), Some("ffi"));
        assert_eq!(reads_as('\u{301}'), None);
        assert_eq!(reads_as('a'), None);
    }
}
