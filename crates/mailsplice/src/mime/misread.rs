//! What a reading makes of bytes that mean something else: letters of another charset, escapes that call a set.

use super::Reading;
use super::charset::Charset;

/// What else the bytes of a part are read in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Others {
    /// A charset that escapes call sets in.
    escapes: bool,
    /// One of several bytes a character, which detectors take it for where no label names another.
    several: bool,
    /// Any other than that of the West and UTF-8, which detectors take it for where no label names one.
    guessed: bool,
}

impl Others {
    /// Among the charsets that a part with these labels is read in.
    pub fn among(charsets: &[Charset], labels: &[String]) -> Others {
        let names = |label: &String| {
            !label.eq_ignore_ascii_case("us-ascii") && Charset::from_label(label).is_some()
        };
        let unnamed = !labels.iter().any(names);
        let other = |charset: &Charset| ![Charset::WINDOWS_1252, Charset::Utf8].contains(charset);
        Others {
            escapes: charsets.iter().any(|charset| calls_sets(*charset)),
            several: unnamed && charsets.iter().any(|charset| is_wide(*charset)),
            guessed: unnamed && charsets.iter().any(other),
        }
    }
}

/// Whether escapes call the sets of the charset (ISO 2022 §13.2).
fn calls_sets(charset: Charset) -> bool {
    matches!(charset, Charset::Iso2022Jp2 | Charset::Iso2022Shift)
        || charset == Charset::Known(encoding_rs::ISO_2022_JP)
}

/// Whether its letters beyond ASCII take several bytes each, those of UTF-8 aside.
fn is_wide(charset: Charset) -> bool {
    use encoding_rs::{BIG5, EUC_JP, EUC_KR, GB18030, GBK, SHIFT_JIS};
    let wide = [BIG5, EUC_JP, EUC_KR, GB18030, GBK, SHIFT_JIS];
    wide.into_iter().any(|encoding| charset == Charset::Known(encoding))
}

/// What mail programs take UTF-8 for where they write it once more: `Ã¼`, `ГјР`, `ĂĽ`.
const MISTAKEN: [Charset; 3] = [
    Charset::WINDOWS_1252,
    Charset::Known(encoding_rs::WINDOWS_1251),
    Charset::Known(encoding_rs::WINDOWS_1250),
];

/// Whether this host is UTF-8 that whoever wrote it read in another charset (`bÃ¼cher.de`). No sender means these
/// letters.
pub fn is_utf8_misread(host: &str) -> bool {
    is_utf8_in(MISTAKEN, host)
}

/// Whether this host is UTF-8 that was read in one of these charsets, each of which has one byte for a character.
fn is_utf8_in(charsets: impl IntoIterator<Item = Charset>, host: &str) -> bool {
    // A character of UTF-8 is two of theirs at least, side by side.
    let mut before = true;
    let mut pairs = |c: char| !std::mem::replace(&mut before, c.is_ascii()) && !c.is_ascii();
    host.chars().any(&mut pairs) && charsets.into_iter().any(|charset| is_of_utf8(charset, host))
}

/// Whether the bytes of this host in a charset are characters of UTF-8.
fn is_of_utf8(charset: Charset, host: &str) -> bool {
    charset.encode(host).is_some_and(|bytes| is_cut_from_utf8(&bytes))
}

impl Reading<'_> {
    /// Whether the bytes may as well be characters of another charset: those of UTF-8, and of what it takes
    /// escapes or shifts to write, show what they are.
    pub fn may_be_misread(&self) -> bool {
        self.charset != Charset::Utf8 && self.charset.keeps_ascii()
    }

    /// Whether this host is UTF-8 that was read in another charset: by this reading, or by whoever wrote the
    /// text once more. No sender means these letters.
    pub fn is_utf8_misread(&self, host: &str) -> bool {
        let own = self.may_be_misread().then_some(self.charset);
        let own = own.filter(|own| !MISTAKEN.contains(own) && !host.is_ascii());
        own.is_some_and(|charset| is_of_utf8(charset, host)) || is_utf8_in(MISTAKEN, host)
    }

    /// Whether what stands here begins with the last byte of an escape, `B` in `ESC ( B`, and is read without it
    /// as well.
    pub fn begins_in_escape(&self, before: &str) -> bool {
        self.others.escapes && self.charset.keeps_ascii() && {
            // ISO 2022 §13.2.1: ESC, one to three intermediate bytes, a final one.
            let intermediate = |byte: &u8| (0x20..0x30).contains(byte);
            let mut bytes = before.bytes().rev().skip_while(|byte| intermediate(byte));
            before.bytes().next_back().is_some_and(|byte| intermediate(&byte))
                && bytes.next() == Some(0x1B)
        }
    }

    /// Whether this is how the West reads bytes that nobody labelled, and that detectors take for other letters.
    pub fn is_least_likely(&self) -> bool {
        self.others.guessed && self.charset == Charset::WINDOWS_1252
    }

    /// Whether letters beyond ASCII in front of this host are those of a text that is glued to it: nobody says
    /// what its bytes are, and detectors take several of them for one character.
    pub fn is_glued(&self, host: &str) -> bool {
        self.others.several
            && self.charset == Charset::WINDOWS_1252
            && host.trim_start_matches(|c: char| !c.is_ascii()).is_ascii()
    }
}

/// Whether these are characters of UTF-8, of which the first and the last may be cut.
fn is_cut_from_utf8(bytes: &[u8]) -> bool {
    let goes_on = |byte: &&u8| (0x80..0xC0).contains(*byte);
    let cut = bytes.iter().take(3).take_while(goes_on).count();
    let bytes = bytes.get(cut..).unwrap_or_default();
    match std::str::from_utf8(bytes) {
        Ok(text) => !text.is_ascii(),
        Err(error) => {
            error.error_len().is_none()
                && bytes.get(..error.valid_up_to()).is_some_and(|valid| !valid.is_ascii())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_of_utf8_are_known_by_their_bytes() {
        for (bytes, is_utf8) in [
            ("bücher.de".as_bytes(), true),
            ("Яндекс.ru".as_bytes(), true),
            (b"\xAF\xD0\xBD.ru", true),
            (b"a.\xD1\x8F\xD0", true),
            (b"\xAF.ru", false),
            (b"b\xFCcher.de", false),
            (b"paypal.com", false),
            (b"\xD0.\xD0\xBD", false),
        ] {
            assert_eq!(is_cut_from_utf8(bytes), is_utf8, "{}", bytes.escape_ascii());
        }
    }
}
