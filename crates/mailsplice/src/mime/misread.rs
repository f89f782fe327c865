//! Recognizes text that was decoded in the wrong charset: letters of another charset, remains of escapes.

use super::charset::Charset;
use super::{Reading, names_charset};

/// The other charsets in which the bytes of a part are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct OtherCharsets {
    /// One in which escapes designate sets.
    escapes: bool,
    /// The multi-byte charset that detectors guess, if no label names a charset.
    multi_byte: Option<Charset>,
    /// One of two or four bytes a character, which mail programs recognize by its NULs.
    wide: bool,
    /// UTF-7, and no label names a charset.
    shifted: bool,
    /// Any other than windows-1252 and UTF-8 that detectors guess, and no label names a charset.
    guessed: bool,
}

impl OtherCharsets {
    /// Those among the charsets in which a part with these labels is read.
    pub fn among(charsets: &[Charset], labels: &[String]) -> OtherCharsets {
        let unnamed = !labels.iter().any(|label| names_charset(label));
        let other = |charset: &Charset| ![Charset::WINDOWS_1252, Charset::Utf8].contains(charset);
        OtherCharsets {
            escapes: charsets.iter().any(|charset| designates_sets(*charset)),
            multi_byte: charsets.iter().copied().find(|charset| unnamed && is_multi_byte(*charset)),
            wide: charsets.iter().any(|charset| is_wide(*charset)),
            shifted: unnamed && charsets.contains(&Charset::Utf7),
            guessed: unnamed && charsets.iter().any(other),
        }
    }
}

/// Whether escapes designate the sets of the charset (ISO 2022 §13.2).
fn designates_sets(charset: Charset) -> bool {
    matches!(charset, Charset::Iso2022Jp2 | Charset::Iso2022Shift)
        || charset == Charset::Known(encoding_rs::ISO_2022_JP)
}

/// Whether its letters beyond ASCII take several bytes each. Not UTF-8.
fn is_multi_byte(charset: Charset) -> bool {
    use encoding_rs::{BIG5, EUC_JP, EUC_KR, GB18030, GBK, SHIFT_JIS};
    let multi_byte = [BIG5, EUC_JP, EUC_KR, GB18030, GBK, SHIFT_JIS];
    multi_byte.into_iter().any(|encoding| charset == Charset::Known(encoding))
}

/// Whether all its characters take two or four bytes.
fn is_wide(charset: Charset) -> bool {
    matches!(charset, Charset::Utf16(_) | Charset::Utf32(_))
}

/// Charsets in which mail programs misread UTF-8 when they encode it a second time: `Ã¼`, `ГјР`, `ĂĽ`.
const MISREAD_AS: [Charset; 5] = [
    Charset::WINDOWS_1252,
    Charset::Known(encoding_rs::WINDOWS_1251),
    Charset::Known(encoding_rs::WINDOWS_1250),
    Charset::Known(encoding_rs::WINDOWS_1254),
    Charset::Known(encoding_rs::ISO_8859_2),
];

/// Those in which UTF-8 has signs among its letters, if the host has any, by the signs or by the letters beside them:
/// `√º` and `├╝` of Macs and consoles, `Γ¤`. A host whose characters are all letters may be a word in disguise.
fn misread_as_signs(host: &str) -> impl Iterator<Item = Charset> {
    let of = |within: fn(char) -> bool| host.contains(within);
    let is_drawn = |c: char| matches!(c, '\u{2200}'..='\u{22FF}' | '\u{2310}'..='\u{2321}' | '\u{2500}'..='\u{259F}');
    let labels: &[&str] = if of(parts_words) {
        &[]
    } else if of(is_drawn) {
        &["macintosh", "cp437", "cp850", "cp852", "koi8-r", "cp866"]
    } else if !of(is_sign) {
        &[]
    } else if of(|c| matches!(c, '\u{370}'..='\u{3FF}')) {
        &["windows-1253", "cp437"]
    } else if of(|c| matches!(c, '\u{591}'..='\u{5F4}')) {
        &["windows-1255"]
    } else if of(|c| matches!(c, '\u{60C}'..='\u{6FF}')) {
        &["windows-1256"]
    } else {
        &["macintosh", "cp850"]
    };
    labels.iter().filter_map(|label| Charset::from_label(label))
}

/// Whether a character beyond ASCII is no letter: readers take none of these for one of a word.
fn is_sign(c: char) -> bool {
    !c.is_ascii() && !c.is_alphabetic()
}

/// Whether readers take a sign for what parts or ends words of a host, which Macs read in UTF-8 as well.
fn parts_words(c: char) -> bool {
    matches!(c, '⁄' | '÷' | '‚' | '·' | '–' | '—' | '…')
}

/// Whether this host is UTF-8 that the writer misread in another charset (`bÃ¼cher.de`). No sender intends these
/// letters.
pub fn is_utf8_misread(host: &str) -> bool {
    is_utf8_in(MISREAD_AS.into_iter().chain(misread_as_signs(host)), host)
        || latin1(host).is_some_and(|bytes| is_cut_from_utf8(&bytes))
}

/// The bytes of a host whose characters beyond ASCII are bytes of ISO 8859-1, some of them the controls that
/// windows-1252 has no bytes for.
fn latin1(host: &str) -> Option<Vec<u8>> {
    let is_control = |c: char| matches!(c, '\u{80}'..='\u{9F}');
    let bytes = || host.chars().map(|c| u8::try_from(c).ok()).collect();
    host.contains(is_control).then(bytes).flatten()
}

/// Whether this host is UTF-8 that was read in one of these single-byte charsets.
fn is_utf8_in(charsets: impl IntoIterator<Item = Charset>, host: &str) -> bool {
    // A non-ASCII character of UTF-8 is at least two adjacent characters in them.
    let mut before = true;
    let mut pairs = |c: char| !std::mem::replace(&mut before, c.is_ascii()) && !c.is_ascii();
    host.chars().any(&mut pairs)
        && charsets.into_iter().any(|charset| encodes_to_utf8(charset, host))
}

/// Whether this host, encoded in the charset, is UTF-8.
fn encodes_to_utf8(charset: Charset, host: &str) -> bool {
    charset.encode(host).is_some_and(|bytes| is_cut_from_utf8(&bytes))
}

impl Reading<'_> {
    /// Whether the bytes may as well be characters of another charset. UTF-8 and charsets with escapes or shifts
    /// are recognizable.
    pub fn may_be_misread(&self) -> bool {
        self.charset != Charset::Utf8 && self.charset.keeps_ascii()
    }

    /// Whether this host is UTF-8 that was read in another charset: by this reading, or by the program that wrote
    /// the text. No sender intends these letters.
    pub fn is_utf8_misread(&self, host: &str) -> bool {
        let own = self.may_be_misread().then_some(self.charset);
        let own = own.filter(|own| !MISREAD_AS.contains(own) && !host.is_ascii());
        own.is_some_and(|charset| encodes_to_utf8(charset, host)) || is_utf8_misread(host)
    }

    /// Whether the text after `before` begins with the last byte of an escape (`B` in `ESC ( B`), and another
    /// reading drops the escape.
    pub fn begins_in_escape(&self, before: &str) -> bool {
        self.others.escapes && self.charset.keeps_ascii() && {
            // ISO 2022 §13.2.1: ESC, one to three intermediate bytes, a final one.
            let intermediate = |byte: &u8| (0x20..0x30).contains(byte);
            let mut bytes = before.bytes().rev().skip_while(|byte| intermediate(byte));
            before.bytes().next_back().is_some_and(|byte| intermediate(&byte))
                && bytes.next() == Some(0x1B)
        }
    }

    /// Whether the first letter of a host behind `before` is the last byte of a character in the charset that detectors
    /// guess, and this reads it alone: `「` is 0x81 and `u` in Shift_JIS.
    pub fn begins_in_character(&self, before: &str, host: &str) -> bool {
        let Some(Charset::Known(guessed)) = self.others.multi_byte else { return false };
        let Some(first) = host.get(..1).filter(|_| self.charset.keeps_ascii()) else {
            return false;
        };
        if self.charset == Charset::Known(guessed)
            || before.is_empty()
            || before.ends_with(is_ascii)
        {
            return false;
        }
        if self.charset == Charset::Utf8 {
            return before.ends_with(char::REPLACEMENT_CHARACTER);
        }
        // No line end is a byte of a character.
        let start = before.ceil_char_boundary(before.len().saturating_sub(LINE));
        let line = before.get(start..).unwrap_or_default();
        let line = line.rsplit(['\n', '\r']).next().unwrap_or_default();
        let bytes = self.charset.encode(&[line, first].concat());
        bytes.is_some_and(|bytes| {
            let text = guessed.decode_without_bom_handling_and_without_replacement(&bytes);
            text.is_some_and(|text| !text.ends_with(is_ascii))
        })
    }

    /// Whether this reads unlabelled bytes in a charset that few programs choose here: as windows-1252 while detectors
    /// guess another one; as IBM866 while they guess a multi-byte one.
    pub fn is_least_likely(&self) -> bool {
        let ibm866 = Charset::Known(encoding_rs::IBM866);
        (self.others.guessed && self.charset == Charset::WINDOWS_1252)
            || (self.others.multi_byte.is_some() && self.charset == ibm866)
    }

    /// Whether this reads byte by byte what may be UTF-16 or UTF-32.
    pub fn splits_wide(&self) -> bool {
        self.others.wide && self.charset.keeps_ascii()
    }

    /// Whether this reads in a charset under which bytes of another one are often found, by a wrong label or none.
    pub fn may_be_mistaken(&self) -> bool {
        self.charset == Charset::WINDOWS_1252 || self.is_guessed_ibm866()
    }

    /// Whether this reads unlabelled bytes as IBM866 while detectors guess another charset.
    fn is_guessed_ibm866(&self) -> bool {
        self.others.guessed && self.charset == Charset::Known(encoding_rs::IBM866)
    }

    /// Whether this reads unlabelled bytes as UTF-7, which a plus sign in a host makes some programs do.
    pub fn is_guessed_utf7(&self) -> bool {
        self.others.shifted && self.charset == Charset::Utf7
    }

    /// Whether all letters of this text beyond ASCII are quotation marks, bullets and the like in windows-1252, which
    /// were read as those of IBM866.
    pub fn is_punctuation(&self, text: &str) -> bool {
        let is_sign = |text: &str| text.chars().all(|c| c.is_ascii() || !c.is_alphanumeric());
        self.is_guessed_ibm866()
            && self.charset.encode(text).is_some_and(|bytes| {
                is_sign(&encoding_rs::WINDOWS_1252.decode_without_bom_handling(&bytes).0)
            })
    }

    /// Whether this host has signs or pairs of bytes that show the mistake, see [`Reading::may_be_mistaken`].
    pub fn is_mistaken(&self, host: &str) -> bool {
        let drawn = |c: char| ('\u{2500}'..='\u{25FF}').contains(&c);
        match self.charset == Charset::WINDOWS_1252 {
            true => self.is_multi_byte_misread(host),
            // Frames and shades are no letters.
            false => self.is_guessed_ibm866() && host.contains(drawn),
        }
    }

    /// Whether this host is Chinese or Korean under a Western label: its characters beyond ASCII are pairs of bytes
    /// that are letters in GBK, whose pairs those of EUC-KR and EUC-JP are as well. A single pair next to letters of
    /// ASCII may as well be two signs.
    fn is_multi_byte_misread(&self, host: &str) -> bool {
        if host.is_ascii() {
            return false;
        }
        let Some(bytes) = self.charset.encode(host) else { return false };
        let are_letters = |run: &[u8]| {
            let letters = encoding_rs::GBK.decode_without_bom_handling_and_without_replacement(run);
            letters.is_some_and(|letters| {
                letters.chars().count() * 2 == run.len() && letters.chars().all(char::is_alphabetic)
            })
        };
        let mut labels = bytes.split(|byte| *byte == b'.').filter(|label| !label.is_ascii());
        labels.all(|label| {
            let mut runs = label.split(u8::is_ascii).filter(|run| !run.is_empty());
            runs.all(|run| (run.len() == label.len() || run.len() > 2) && are_letters(run))
        })
    }

    /// Whether non-ASCII letters at the start of this host belong to text that is glued to it: the bytes are
    /// unlabelled, and detectors guess a multi-byte charset.
    pub fn is_glued(&self, host: &str) -> bool {
        self.others.multi_byte.is_some()
            && self.charset == Charset::WINDOWS_1252
            && host.trim_start_matches(|c: char| !c.is_ascii()).is_ascii()
    }
}

/// Bytes of a line of text that are read in front of a host: enough for a decoder to fall into step with the characters.
/// Hosts may be in a row, so few.
const LINE: usize = 128;

fn is_ascii(c: char) -> bool {
    c.is_ascii()
}

/// Whether these are characters of UTF-8; the first and the last may be truncated.
fn is_cut_from_utf8(bytes: &[u8]) -> bool {
    let is_continuation = |byte: &&u8| (0x80..0xC0).contains(*byte);
    let cut = bytes.iter().take(3).take_while(is_continuation).count();
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
    #[test]
    fn hosts_that_macs_and_consoles_misread() {
        for host in [
            "www.m√ºller.de",
            "┼╝├│┼éw.pl",
            "m├╝ller.de",
            "m├ñdchen.de",
            "bÃ¼cher.de",
            // In the charsets of Greek, Hebrew, Arabic, Turkish, of ISO 8859-2 and -1, of a Mac, KOI8-R, IBM866, IBM437.
            "antiquitΓ¤ten-web.com",
            "wΓ³zki.pl",
            "eֳ±e.de",
            "è½©ه¥ˆ.net",
            "Ğ³Ğ¾Ğ½ĞºĞ¾Ğ½Ğ³.tk",
            "é\u{95}ˇé\u{87}\u{8e}.jp",
            "730æ\u{89}\u{8b}æ\u{9c}ºå\u{95}\u{86}å\u{9f}\u{8e}.com",
            "ŸÉŸäÿ¥.net",
            "leaе▀gaviika.no",
            "gr├╢n.no",
            "σæ£σæ£.com",
        ] {
            assert!(is_utf8_misread(host), "{host}");
        }
        for host in [
            "p√ypal.com",
            "√x.com",
            "a├b.de",
            "müller.de",
            "paypal.com",
            // Letters alone, which read as a word, and what reads as the end of a host.
            "ΒΌΝΊΤΑ.com",
            "example.com⁄Ø.test",
            "apple–ïd.example.com",
            "example.com\u{85}x.test",
        ] {
            assert!(!is_utf8_misread(host), "{host}");
        }
    }
}
