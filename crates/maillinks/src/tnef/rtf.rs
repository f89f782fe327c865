//! RTF as Outlook packs it (MS-OXRTFCP), and its text (MS-OXRTFEX for pages inside it).

mod fields;
mod unseen;

use std::collections::BTreeMap;

use super::{charset, in_charset};
pub use fields::{Reached, Shown};
use mailsplice::hex;
use mailsplice::mime::Charset;
use unseen::{Hiding, Unseen};

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

/// Fields in one another that are read as such: each holds the text of those inside it.
const FIELDS: usize = 4;

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

/// Whether a file is RTF: Word asks for no more, also of a `.doc`.
pub fn is(opening: &[u8]) -> bool {
    opening.trim_ascii_start().starts_with(b"{\\rt")
}

/// Whether bytes may unwrap to the start of such a file.
pub fn may_be(wrapped: &[u8]) -> bool {
    let wrapped = wrapped.trim_ascii_start();
    wrapped.starts_with(b"{\\r") || wrapped.starts_with(b"=") || wrapped.starts_with(b"{=")
}

/// A file of RTF, as a program for documents reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rtf {
    /// Its text, and the text without what a program passes over, if that is another.
    pub texts: Vec<String>,
    /// What its fields reach.
    pub reached: Reached,
    /// Whether something in it may hold links and was not read: a file inside it.
    pub unread: bool,
    /// Bytes read.
    pub steps: u64,
}

/// Reads a file.
pub fn read(rtf: &[u8]) -> Rtf {
    let RtfReader { out, reached, ignored, unread, .. } = read_text(rtf, Destinations::All);
    let mut texts = vec![out];
    if ignored {
        texts.push(read_text(rtf, Destinations::Known).out);
    }
    let text = texts.iter().map(String::len).sum::<usize>() + reached.anchors.len();
    let steps = rtf.len() * texts.len() + text;
    Rtf { texts, reached, unread, steps: steps as u64 }
}

/// The characters of all groups, with the tags of a page inside it: whatever a program makes links of; and what its fields
/// reach.
pub fn page(rtf: &[u8]) -> (String, Reached) {
    let RtfReader { out, reached, .. } = read_text(rtf, Destinations::All);
    (out, reached)
}

fn read_text(rtf: &[u8], destinations: Destinations) -> RtfReader {
    let charset = charset(1252).unwrap_or(Charset::Utf8);
    let mut reader = RtfReader {
        out: String::new(),
        reached: Reached::default(),
        fields: Vec::new(),
        path: None,
        unseen: Unseen::default(),
        encoded: Vec::new(),
        high: None,
        charset,
        fonts: BTreeMap::new(),
        font: 0,
        group: Group { replaced: 1, charset, passed: false, hiding: Hiding::default() },
        groups: Vec::new(),
        skip: 0,
        destinations,
        ignorable: false,
        ignored: false,
        unread: false,
    };
    let mut rest = rtf;
    while let Some((byte, behind)) = rest.split_first() {
        rest = behind;
        match byte {
            b'\\' => rest = reader.control(behind),
            b'{' => reader.begin(),
            b'}' => reader.end(),
            b'\r' | b'\n' => {}
            byte => reader.byte(*byte),
        }
    }
    reader.flush();
    reader.leave_all();
    reader
}

/// What is read of the groups that a program passes over if it does not know them (`\*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Destinations {
    All,
    /// Those that hold links or text.
    Known,
}

/// Destinations that hold links or text.
const KNOWN: [&[u8]; 6] =
    [b"fldinst", b"htmltag", b"mhtmltag", b"shpinst", b"datafield", b"hlinkbase"];

/// Destinations that name a file or a URL: a template, the next file, the base of hyperlinks, data for letters, values of
/// shapes.
const PATHS: [&[u8]; 10] = [
    b"template", b"nextfile", b"hlinkbase", b"hlsrc", b"hlloc", b"file", b"mmdatasource",
    b"mmheadersource", b"mmodsosrc", b"sv",
];

/// What holds until the end of a group.
#[derive(Clone, Copy)]
struct Group {
    /// How many characters stand for one of Unicode, for programs that do not know it (`\uc`).
    replaced: usize,
    /// That of its font.
    charset: Charset,
    /// Whether its text is passed over.
    passed: bool,
    /// Whether it is seen.
    hiding: Hiding,
}

/// A field: what it is, and what is shown of it. Offsets in the text.
struct RtfField {
    instruction: usize,
    result: Option<usize>,
    /// It ends when fewer groups are open.
    groups: usize,
}

struct RtfReader {
    out: String,
    /// What its fields reach.
    reached: Reached,
    /// The fields that are read, the innermost last.
    fields: Vec<RtfField>,
    /// Where the text of a destination begins that names a path, and how many groups are open in it.
    path: Option<(usize, usize)>,
    /// Which of the text is not seen, from the outermost field on.
    unseen: Unseen,
    /// Bytes that were not decoded yet: characters of several bytes are decoded as a whole.
    encoded: Vec<u8>,
    /// The first half of a character beyond the first plane.
    high: Option<u16>,
    /// That of the file.
    charset: Charset,
    /// Charsets of fonts that say one.
    fonts: BTreeMap<u16, Charset>,
    /// The font that was named last.
    font: u16,
    group: Group,
    /// The groups around.
    groups: Vec<Group>,
    /// How many characters that stand for another one follow.
    skip: usize,
    destinations: Destinations,
    /// Whether `\*` was read last.
    ignorable: bool,
    /// Whether a program may pass over something.
    ignored: bool,
    /// Whether something was not read: a file inside it, fields in one another.
    unread: bool,
}

impl RtfReader {
    fn begin(&mut self) {
        if self.groups.len() < GROUPS {
            self.groups.push(self.group);
        }
    }

    fn end(&mut self) {
        let charset = self.charset;
        let outermost = Group { replaced: 1, charset, passed: false, hiding: Hiding::default() };
        let group = self.groups.pop().unwrap_or(outermost);
        if group.charset != self.group.charset || group.passed != self.group.passed {
            self.flush();
        }
        self.hide(group.hiding);
        self.group = group;
        self.leave(self.groups.len());
    }

    /// Ends what is inside a group that ended, with so many groups around.
    fn leave(&mut self, depth: usize) {
        if let Some((start, _)) = self.path.take_if(|(_, own)| depth < *own) {
            self.flush();
            self.reached.add_path(self.out.get(start..).unwrap_or_default());
        }
        while let Some(field) = self.fields.pop_if(|field| depth < field.groups) {
            self.flush();
            let end = self.out.len();
            let result = field.result.unwrap_or(end);
            let instruction = self.out.get(field.instruction..result).unwrap_or_default();
            self.reached.add(instruction, Shown::of(&self.out, result..end, &self.unseen));
        }
    }

    /// Ends what is open at the end of a file, which may be cut off.
    fn leave_all(&mut self) {
        self.path = self.path.map(|(start, _)| (start, usize::MAX));
        self.fields.iter_mut().for_each(|field| field.groups = usize::MAX);
        self.leave(0);
    }

    /// Takes what is read next for seen, or not.
    fn hide(&mut self, hiding: Hiding) {
        if hiding != self.group.hiding {
            self.flush();
            self.group.hiding = hiding;
            if !self.fields.is_empty() {
                self.unseen.turn(self.out.len(), hiding.hides());
            }
        }
    }

    /// Begins the instruction of a field.
    fn begin_field(&mut self) {
        self.flush();
        if self.fields.is_empty() {
            self.unseen = Unseen::from(self.group.hiding.hides());
        }
        if self.fields.len() == FIELDS {
            self.unread = true;
            return;
        }
        // Its group is around that of the instruction.
        let groups = self.groups.len().saturating_sub(1);
        self.fields.push(RtfField { instruction: self.out.len(), result: None, groups });
    }

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
        let behind = behind.strip_prefix(b" ").unwrap_or(behind);
        if std::mem::take(&mut self.ignorable) && !KNOWN.contains(&word) {
            self.pass_over();
        }
        if word == b"bin" {
            // So many bytes of data.
            let length = number.and_then(|number: i32| usize::try_from(number).ok());
            return behind.get(length.unwrap_or(0)..).unwrap_or_default();
        }
        self.word(word, number);
        behind
    }

    /// Passes over a group of a kind that nobody need know.
    fn pass_over(&mut self) {
        self.ignored = true;
        if self.destinations == Destinations::Known {
            self.flush();
            self.group.passed = true;
        }
    }

    fn word(&mut self, word: &[u8], number: Option<i32>) {
        match (word, number) {
            (b"u", Some(number)) => {
                self.flush();
                // Numbers above 32,767 are written as negative ones.
                let unit = u16::try_from(number & 0xFFFF).unwrap_or_default();
                self.unit(unit);
                self.skip = self.group.replaced;
            }
            (b"uc", Some(number)) => {
                self.group.replaced = usize::try_from(number).unwrap_or_default();
            }
            (b"ansicpg", Some(number)) => {
                let page = u32::try_from(number).ok();
                self.charset = page.and_then(charset).unwrap_or(self.charset);
                self.set_charset(self.charset);
            }
            (b"f", Some(number)) => {
                self.font = u16::try_from(number).unwrap_or_default();
                let charset = self.fonts.get(&self.font).copied();
                self.set_charset(charset.unwrap_or(self.charset));
            }
            (b"fcharset", Some(number)) => {
                if let Some(charset) = font_page(number).and_then(charset) {
                    self.fonts.insert(self.font, charset);
                }
            }
            (b"plain", _) => {
                self.hide(Hiding::default());
                self.set_charset(self.charset);
            }
            (b"v" | b"deleted" | b"webhidden" | b"fs", _) => {
                self.hide(self.group.hiding.with(word, number));
            }
            (b"objdata", _) => self.unread = true,
            (b"par" | b"line" | b"tab" | b"cell" | b"row" | b"page" | b"sect", _) => self.push(' '),
            (b"fldinst", _) => self.begin_field(),
            (b"fldrslt", _) => {
                self.push(' ');
                let (result, groups) = (self.out.len(), self.groups.len());
                if let Some(field) = self.fields.last_mut() {
                    *field = RtfField { result: Some(result), groups, ..*field };
                }
            }
            (path, _) if PATHS.contains(&path) => {
                self.flush();
                self.path = Some((self.out.len(), self.groups.len()));
            }
            (b"rquote" | b"lquote", _) => self.push('\''),
            (b"rdblquote" | b"ldblquote", _) => self.push('"'),
            _ => self.flush(),
        }
    }

    /// A control that is no word: a byte in hexadecimal digits, or an escaped character.
    fn sign<'a>(&mut self, rest: &'a [u8]) -> &'a [u8] {
        match rest {
            [b'\'', high, low, behind @ ..] => {
                if let Some(byte) = hex::pair(*high, *low) {
                    self.byte(byte);
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
            [b'*', behind @ ..] => {
                self.ignorable = true;
                behind
            }
            [_, behind @ ..] => behind,
            [] => rest,
        }
    }

    fn byte(&mut self, byte: u8) {
        match self.skip {
            0 if self.group.passed => {}
            0 => self.encoded.push(byte),
            _ => self.skip -= 1,
        }
    }

    fn push(&mut self, c: char) {
        self.flush();
        if !self.group.passed {
            self.out.push(c);
        }
    }

    fn set_charset(&mut self, charset: Charset) {
        self.flush();
        self.group.charset = charset;
    }

    /// Adds a unit of UTF-16: characters beyond the first plane have two.
    fn unit(&mut self, unit: u16) {
        if (0xD800..0xDC00).contains(&unit) {
            self.high = Some(unit);
            return;
        }
        let units = self.high.take().into_iter().chain([unit]);
        let characters = char::decode_utf16(units).filter(|_| !self.group.passed);
        self.out.extend(characters.map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)));
    }

    /// Decodes the bytes so far.
    fn flush(&mut self) {
        if !self.encoded.is_empty() {
            let bytes = std::mem::take(&mut self.encoded);
            self.out.push_str(&in_charset(&bytes, self.group.charset));
        }
    }
}

/// The code page of a charset of Windows, as fonts name it.
fn font_page(charset: i32) -> Option<u32> {
    Some(match charset {
        0 => 1252,
        77 => 10_000,
        128 => 932,
        129 => 949,
        134 => 936,
        136 => 950,
        161 => 1253,
        162 => 1254,
        163 => 1258,
        177 => 1255,
        178 => 1256,
        186 => 1257,
        204 => 1251,
        222 => 874,
        238 => 1250,
        _ => return None,
    })
}
