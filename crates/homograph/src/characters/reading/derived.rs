//! Derives what each character reads as from confusables.txt, normalisation and our own glyphs;
//! generates the table.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{canonical_combining_class, is_combining_mark};
use unicode_script::{Script, UnicodeScript};
use unicode_security::skeleton;

use super::{CharReading, ReadingText, Separates, Shape};
use crate::characters::glyphs::{Glyph, Glyphs};
use crate::characters::reading::Likeness;

/// What a character beyond ASCII may be read as, the most likely reading first. A mark reads as
/// nothing; a letter that resembles no Latin one has no reading.
fn derived(c: char, glyphs: &Glyphs) -> (Separates, Vec<CharReading>) {
    let mut out: Vec<CharReading> = Vec::new();
    if c.is_ascii() || is_syllable(c) {
        return (Separates::No, out);
    }
    let mut add = |text: ReadingText, likeness, shape| match out
        .iter_mut()
        .find(|reading| reading.text == text)
    {
        Some(known) => known.shape = known.shape.min(shape),
        None => out.push(CharReading { text, likeness, shape }),
    };
    if is_combining_mark(c) {
        add(ReadingText::default(), Likeness::Marks, Shape::Near);
        return (Separates::No, out);
    }
    // Catalan puts it between two l; a name that has only those reads as it does without.
    if c == '·' {
        add(ReadingText::default(), Likeness::Hidden, Shape::Near);
    }
    // ı differs from i by a missing diacritic.
    let accented = c == 'ı' || c.script() == Script::Latin;
    if let Some((base, _)) = ascii_base(std::iter::once(c).nfd()) {
        let marks = || std::iter::once(c).nfd().filter(|c| is_combining_mark(*c));
        let likeness = if marks().all(is_below) { Likeness::Hidden } else { Likeness::Marks };
        add(base, likeness, Shape::Near);
    }
    let mut separates = Separates::No;
    match prototype(c) {
        Prototype::Letters(base, marked) => {
            // đ ł ø differ from d l o by a stroke, which the data has as a mark.
            let stroke = accented && (c == 'ı' || marked);
            let shape = if marked { Shape::Near } else { Shape::Exact };
            add(base, if stroke { Likeness::Hidden } else { Likeness::Foreign }, shape);
        }
        Prototype::Punctuation => separates = Separates::Yes,
        Prototype::Other => {}
    }
    if let Some(Glyph { readings, shape }) =
        glyphs.get(c).cloned().or_else(|| accented_glyph(c, glyphs))
    {
        for text in readings {
            add(text, Likeness::Foreign, shape);
        }
    }
    // к has a reading of its own; if only the capital is alike (ζ → Ζ → Z), that counts.
    for capital in c.to_uppercase().filter(|capital| *capital != c) {
        if let Prototype::Letters(base, _) = prototype(capital) {
            add(base, Likeness::Foreign, Shape::Near);
        }
    }
    (separates, out)
}

/// The glyph of the plain letter, for a Greek or Cyrillic letter with an accent that has none of
/// its own.
fn accented_glyph(c: char, glyphs: &Glyphs) -> Option<Glyph> {
    let plain = std::iter::once(c).nfd().next().filter(|plain| *plain != c)?;
    let alphabet = matches!(c.script(), Script::Cyrillic | Script::Greek);
    let readings = glyphs.get(plain).filter(|_| alphabet)?.readings.clone();
    Some(Glyph { readings, shape: Shape::Near })
}

/// Marks below the letter or attached there, which the underline of a link covers.
fn is_below(mark: char) -> bool {
    matches!(canonical_combining_class(mark), 202 | 218 | 220 | 222 | 233 | 240)
}

/// Hangul syllables read as nothing in ASCII, and are many.
fn is_syllable(c: char) -> bool {
    matches!(c, '\u{ac00}'..='\u{d7a3}')
}

/// The prototype of a character in confusables.txt.
enum Prototype {
    /// ASCII letters and digits, and whether they have marks.
    Letters(ReadingText, bool),
    /// ASCII punctuation, or a dash.
    Punctuation,
    Other,
}

fn prototype(c: char) -> Prototype {
    let mut buffer = [0; 4];
    let spelled: &str = c.encode_utf8(&mut buffer);
    let mut shape = skeleton(spelled).peekable();
    let first = shape.peek().copied().unwrap_or(c);
    if first.is_ascii_punctuation() || is_dash(first) {
        let all = shape.skip(1).all(|rest| rest.is_ascii_punctuation());
        return if all { Prototype::Punctuation } else { Prototype::Other };
    }
    match ascii_base(shape).filter(|(base, _)| base.as_str() != spelled) {
        Some((base, marked)) => Prototype::Letters(base, marked),
        None => Prototype::Other,
    }
}

/// The prototypes of dashes in confusables.txt.
fn is_dash(c: char) -> bool {
    matches!(c, '\u{2010}'..='\u{2015}' | '\u{30fc}' | '\u{4e00}' | '\u{2cf}'..='\u{2d7}')
}

/// The characters without their marks in lower case, if all are ASCII letters or digits; and
/// whether there are marks.
fn ascii_base(chars: impl Iterator<Item = char>) -> Option<(ReadingText, bool)> {
    let mut base = ReadingText::default();
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

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use uts58::unicode::Staged;

    use super::*;
    use crate::characters::generated::checked_in;
    use crate::characters::reading::{are_twins, readings};

    /// Twins are those whose prototype is a letter without marks.
    #[test]
    fn twins_are_those_of_the_prototypes() {
        for c in ('\0'..=char::MAX).filter(|c| c.is_alphabetic() && c.script() != Script::Latin) {
            let twin = matches!(
                prototype(c),
                Prototype::Letters(text, false) if text.bytes().iter().all(u8::is_ascii_lowercase)
            );
            assert_eq!(are_twins([c], Script::Latin), twin, "{c}");
        }
    }

    #[test]
    fn readings_are_those_of_the_data() {
        let (sets, set_of) = written();
        checked_in("src/characters/reading/table.rs", sets.as_bytes());
        checked_in("data/reading_sets.bin", &set_of);
        let glyphs = Glyphs::of_the_table();
        for c in '\0'..=char::MAX {
            let (separates, found) = readings(c);
            assert_eq!((separates, found.to_vec()), derived(c, &glyphs), "{c}");
        }
    }

    /// The source of the sets, equal ones once, and the file that says which set a character has.
    fn written() -> (String, Vec<u8>) {
        let glyphs = Glyphs::of_the_table();
        let mut sets = vec![(Separates::No, Vec::new())];
        let all: Vec<u16> = (0..=u32::from(char::MAX))
            .map(|code| {
                let set = char::from_u32(code)
                    .map_or((Separates::No, Vec::new()), |c| derived(c, &glyphs));
                let at = sets.iter().position(|known| *known == set).unwrap_or_else(|| {
                    sets.push(set);
                    sets.len() - 1
                });
                u16::try_from(at).unwrap()
            })
            .collect();
        let mut out = String::from(HEAD);
        readings_of(&sets, &mut out);
        (out, Staged::file(&all))
    }

    fn readings_of(sets: &[(Separates, Vec<CharReading>)], out: &mut String) {
        let all = sets.iter().flat_map(|(_, set)| set);
        let all: Vec<String> = all
            .map(|CharReading { text, likeness, shape }| {
                format!("reading({text:?}, {likeness:?}, {shape:?})")
            })
            .collect();
        out.push_str(
            "\n/// What characters may be read as, a set behind the other.\n#[rustfmt::skip]\n",
        );
        let _ = writeln!(out, "pub(super) static READINGS: [CharReading; {}] = [", all.len());
        rows(&all, 3, out);
        out.push_str("\n/// Whether characters of each set read as punctuation, and where its readings begin;\n");
        out.push_str("/// the last row has where all end.\n#[rustfmt::skip]\n");
        let mut begin = 0;
        let mut places = Vec::new();
        for (separates, set) in sets {
            places.push(format!("({separates:?}, {begin})"));
            begin += set.len();
        }
        places.push(format!("(No, {begin})"));
        let _ = writeln!(out, "pub(super) static SETS: [(Separates, u16); {}] = [", places.len());
        rows(&places, 8, out);
    }

    fn rows(items: &[String], of: usize, out: &mut String) {
        for row in items.chunks(of) {
            let _ = writeln!(out, "    {},", row.join(", "));
        }
        out.push_str("];\n");
    }

    const HEAD: &str = "\
// Generated by `UPDATE=1 cargo test -p homograph readings_are_those`; not for editing.

//! What every character may be read as.

use super::Separates::{self, No, Yes};
use super::Shape::{Exact, Near, Same};
use super::{CharReading, reading};
use crate::characters::reading::Likeness::{Foreign, Hidden, Marks};
";
}
