//! RTF as Outlook packs it (MS-OXRTFCP), and its text (MS-OXRTFEX for pages inside it).

use super::{charset, in_charset};
use mailsplice::mime::Charset;

/// What all packed texts of a file may unpack to: this many times the file, and so many bytes. The format allows eight
/// times.
const UNPACKED: usize = 2;
const UNPACKED_BYTES: usize = 4 << 20;

/// Bytes that a reference can lead back.
const WINDOW: usize = 4_096;

/// What the window holds at first (MS-OXRTFCP §2.1.2.1).
const DICTIONARY: &[u8] = b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \
    \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\
    \\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx";

/// Groups in one another whose number of replacement characters is kept.
const GROUPS: usize = 256;

/// What the packed texts of a file of this length may unpack to.
pub fn allowance(file: usize) -> usize {
    file.saturating_mul(UNPACKED).saturating_add(UNPACKED_BYTES)
}

/// Unpacks it; `None` if it is malformed or larger than `left`, which is lowered by what was unpacked, also in vain.
pub fn unpacked(packed: &[u8], left: &mut usize) -> Option<Vec<u8>> {
    let kind = packed.get(8..12)?;
    let data = packed.get(16..)?;
    let out = match kind {
        b"MELA" => Some(data.to_vec()),
        b"LZFu" => unpack(data, *left),
        _ => return None,
    };
    *left = out.as_ref().and_then(|out| left.checked_sub(out.len())).unwrap_or(0);
    out
}

/// Bytes, and references into what was unpacked last, eight of them after a byte that says which they are.
fn unpack(mut data: &[u8], max: usize) -> Option<Vec<u8>> {
    // The window is a ring that begins with the dictionary: a place in it is one in `out`, by the place of the ring.
    let mut out = DICTIONARY.to_vec();
    let max = max + DICTIONARY.len();
    'all: while let Some((control, rest)) = data.split_first() {
        data = rest;
        for bit in 0..8 {
            if control >> bit & 1 == 0 {
                let Some((byte, rest)) = data.split_first() else { break 'all };
                out.push(*byte);
                data = rest;
            } else {
                let (pair, rest) = data.split_first_chunk()?;
                data = rest;
                let pair = usize::from(u16::from_be_bytes(*pair));
                let (place, length) = (pair >> 4, (pair & 15) + 2);
                let here = out.len() % WINDOW;
                if place == here {
                    break 'all;
                }
                let back = (here + WINDOW - place) % WINDOW;
                for _ in 0..length {
                    // What was never written is empty.
                    let byte = out.len().checked_sub(back).and_then(|at| out.get(at));
                    out.push(byte.copied().unwrap_or_default());
                }
            }
            if out.len() > max {
                return None;
            }
        }
    }
    out.drain(..DICTIONARY.len());
    Some(out)
}

/// The characters of all groups, with the tags of a page inside it: whatever a program makes links of.
pub fn text(rtf: &[u8]) -> String {
    let mut reader = Reader {
        out: String::new(),
        encoded: Vec::new(),
        high: None,
        charset: charset(1252).unwrap_or(Charset::Utf8),
        replaced: 1,
        groups: Vec::new(),
        skip: 0,
    };
    let mut rest = rtf;
    while let Some((byte, behind)) = rest.split_first() {
        rest = behind;
        match byte {
            b'\\' => rest = reader.control(behind),
            b'{' if reader.groups.len() < GROUPS => reader.groups.push(reader.replaced),
            b'}' => reader.replaced = reader.groups.pop().unwrap_or(1),
            b'{' | b'\r' | b'\n' => {}
            byte => reader.byte(*byte),
        }
    }
    reader.flush();
    reader.out
}

struct Reader {
    out: String,
    /// Bytes that were not decoded yet: characters of several bytes are decoded as a whole.
    encoded: Vec<u8>,
    /// The first half of a character beyond the first plane.
    high: Option<u16>,
    charset: Charset,
    /// How many characters stand for one of Unicode, for programs that do not know it (`\uc`).
    replaced: usize,
    /// The same in the groups around.
    groups: Vec<usize>,
    /// How many of them follow.
    skip: usize,
}

impl Reader {
    /// Reads what follows a backslash, and returns what is behind it.
    fn control<'a>(&mut self, rest: &'a [u8]) -> &'a [u8] {
        let letters = rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let Some((word, behind)) = rest.split_at_checked(letters) else { return rest };
        if word.is_empty() {
            return self.sign(rest);
        }
        let sign = usize::from(behind.first() == Some(&b'-'));
        let digits = behind.iter().skip(sign).take_while(|byte| byte.is_ascii_digit()).count();
        let length = if digits == 0 { 0 } else { sign + digits };
        let (number, behind) = behind.split_at_checked(length).unwrap_or((&[], behind));
        let number = std::str::from_utf8(number).ok().and_then(|number| number.parse().ok());
        self.word(word, number);
        behind.strip_prefix(b" ").unwrap_or(behind)
    }

    fn word(&mut self, word: &[u8], number: Option<i32>) {
        match (word, number) {
            (b"u", Some(number)) => {
                self.flush();
                // Numbers above 32,767 are written as negative ones.
                let unit = u16::try_from(number & 0xFFFF).unwrap_or_default();
                self.unit(unit);
                self.skip = self.replaced;
            }
            (b"uc", Some(number)) => self.replaced = usize::try_from(number).unwrap_or_default(),
            (b"ansicpg", Some(number)) => {
                let page = u32::try_from(number).ok();
                self.charset = page.and_then(charset).unwrap_or(self.charset);
            }
            (b"par" | b"line" | b"tab" | b"cell" | b"row" | b"page" | b"sect", _) => self.push(' '),
            (b"rquote" | b"lquote", _) => self.push('\''),
            (b"rdblquote" | b"ldblquote", _) => self.push('"'),
            _ => self.flush(),
        }
    }

    /// A control that is no word: a byte in hexadecimal digits, or an escaped character.
    fn sign<'a>(&mut self, rest: &'a [u8]) -> &'a [u8] {
        match rest {
            [b'\'', high, low, behind @ ..] => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                if let (Some(high), Some(low)) = (digit(*high), digit(*low)) {
                    self.byte(u8::try_from(high << 4 | low).unwrap_or_default());
                }
                behind
            }
            [b'~', behind @ ..] => {
                self.push('\u{a0}');
                behind
            }
            [byte @ (b'\\' | b'{' | b'}'), behind @ ..] => {
                self.byte(*byte);
                behind
            }
            [b'\r' | b'\n', behind @ ..] => {
                self.push(' ');
                behind
            }
            [_, behind @ ..] => behind,
            [] => rest,
        }
    }

    fn byte(&mut self, byte: u8) {
        match self.skip {
            0 => self.encoded.push(byte),
            _ => self.skip -= 1,
        }
    }

    fn push(&mut self, c: char) {
        self.flush();
        self.out.push(c);
    }

    /// Adds a unit of UTF-16: characters beyond the first plane have two.
    fn unit(&mut self, unit: u16) {
        if (0xD800..0xDC00).contains(&unit) {
            self.high = Some(unit);
            return;
        }
        let units = self.high.take().into_iter().chain([unit]);
        let characters = char::decode_utf16(units);
        self.out.extend(characters.map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)));
    }

    /// Decodes the bytes so far.
    fn flush(&mut self) {
        if !self.encoded.is_empty() {
            let bytes = std::mem::take(&mut self.encoded);
            self.out.push_str(&in_charset(&bytes, self.charset));
        }
    }
}
