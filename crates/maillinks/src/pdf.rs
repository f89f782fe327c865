//! Links of a PDF: the strings of its actions, in the file and in its object streams (ISO 32000-1 §7.3, §7.5.7, §7.11.2,
//! §12.6.4): URLs, files, scripts.
//!
//! The file is read from front to back, without its cross-reference table, so that damaged files which programs repair
//! are read as well, and objects that an update removed. References are not followed, and nothing nests. Pages, fonts
//! and scripts in streams of their own are not read.

mod scripts;

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::document_paths::{file_name, is_program, reaching};
use mailsplice::hex;
use mailsplice::mime::{Charset, Endian, Ending, inflate};
use memchr::memmem;

/// Maximum number of links of a document that are kept.
pub const PDF_LINKS: usize = 2_000;

/// Maximum bytes of a link that is kept.
pub const PDF_LINK_BYTES: usize = 8_192;

/// What all object streams of a document may unpack to, as a multiple of the document.
pub const PDF_UNPACKED: usize = 20;

/// Maximum bytes that they may unpack to, however long the document is.
pub const PDF_UNPACKED_BYTES: usize = 32 << 20;

/// What one of them may unpack to, as it is held in memory: the length of the document and so many bytes.
pub const PDF_STREAM_BYTES: usize = 2 << 20;

/// Maximum number of filters of a stream; real ones have one or two.
const FILTERS: usize = 4;

/// The links of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pdf {
    /// URLs that a click or the document itself opens.
    pub links: BTreeSet<String>,
    /// Programs that it runs.
    pub programs: BTreeSet<String>,
    /// The beginnings of its scripts.
    scripts: BTreeSet<String>,
    /// Whether something in it may hold links and was not read: it is encrypted, packed in an unknown way, larger than
    /// the bounds, or cut off (programs find objects by a table, and read on after it; or look for those that are there).
    pub unread: bool,
}

/// Steps of each string that may be a link, known or not: it is copied, and looked up among those that were kept.
const TEXT_STEPS: u64 = 10;

/// Reads a document. `spend` takes the steps of what is to be read next; `None` when it has none left.
pub fn read(bytes: &[u8], mut spend: impl FnMut(u64) -> bool) -> Option<Pdf> {
    let mut pdf = Pdf::default();
    if !spend(bytes.len() as u64) {
        return None;
    }
    let mut left = bytes.len().saturating_mul(PDF_UNPACKED).min(PDF_UNPACKED_BYTES);
    let max = bytes.len().saturating_add(PDF_STREAM_BYTES);
    let mut reader = PdfReader::new(bytes);
    let mut launches = false;
    loop {
        match reader.next_event() {
            PdfEvent::Text(text) if spend(TEXT_STEPS) => pdf.keep(text),
            PdfEvent::Text(_) => return None,
            PdfEvent::Launch => launches = true,
            PdfEvent::Encrypted => pdf.unread = true,
            PdfEvent::Objects(stream) => {
                let before = left;
                let unpacked = stream.unpacked(&mut left, max);
                // By its filters, and as objects.
                let objects = unpacked.as_ref().map_or(0, |(objects, _)| objects.len());
                if !spend((before - left + objects) as u64) {
                    return None;
                }
                let Some((objects, ending)) = unpacked else {
                    pdf.unread = true;
                    continue;
                };
                pdf.unread |= ending == Ending::Cut;
                launches |= pdf.objects(&objects, &mut spend)?;
            }
            PdfEvent::End => break,
        }
    }
    pdf.unread |= reader.is_cut || !has_end(bytes);
    let servers: Vec<String> = pdf.scripts.iter().flat_map(|one| scripts::servers(one)).collect();
    servers.into_iter().for_each(|server| pdf.keep((server, TextKind::Link)));
    // What is attached has a name as well.
    if !launches {
        pdf.programs.clear();
    }
    Some(pdf)
}

/// Whether the document goes on to its end (ISO 32000-1 §7.5.5). The mark of an earlier end, before an update or behind
/// the first page of one that is sent page by page, has objects behind it.
fn has_end(bytes: &[u8]) -> bool {
    let end = memmem::rfind(bytes, b"%%EOF");
    end.is_some_and(|end| memmem::rfind(bytes, b"endobj").is_none_or(|last| last < end))
}

impl Pdf {
    /// Its scripts, as a page has them.
    pub fn scripts(&self) -> String {
        scripts::page(&self.scripts)
    }

    fn keep(&mut self, (text, kind): (String, TextKind)) {
        let kept = self.links.len() + self.programs.len() + self.scripts.len();
        let list = match kind {
            TextKind::Link => &mut self.links,
            TextKind::Program => &mut self.programs,
            TextKind::Script => &mut self.scripts,
        };
        if list.contains(&text) {
            return;
        }
        if kept < PDF_LINKS && text.len() <= PDF_LINK_BYTES {
            list.insert(text);
        } else {
            self.unread = true;
        }
    }

    /// Reads the objects of a stream, one after another. None of them is a stream itself. Returns whether one runs a
    /// program; `None` when there are no steps left.
    fn objects(&mut self, bytes: &[u8], spend: &mut impl FnMut(u64) -> bool) -> Option<bool> {
        let mut reader = PdfReader::new(bytes);
        reader.in_objects = true;
        let mut launches = false;
        loop {
            match reader.next_event() {
                PdfEvent::Text(text) if spend(TEXT_STEPS) => self.keep(text),
                PdfEvent::Text(_) => return None,
                PdfEvent::Launch => launches = true,
                PdfEvent::Encrypted | PdfEvent::Objects(_) => {}
                PdfEvent::End => break,
            }
        }
        self.unread |= reader.is_cut;
        Some(launches)
    }
}

/// What the reader reports.
enum PdfEvent<'a> {
    Text((String, TextKind)),
    /// An action that opens a file with its program.
    Launch,
    /// An object stream.
    Objects(ObjectStream<'a>),
    Encrypted,
    End,
}

/// What a string is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextKind {
    /// A URL, or the path of a file server.
    Link,
    /// The file of a program.
    Program,
    Script,
}

/// A packed object stream.
struct ObjectStream<'a> {
    data: &'a [u8],
    filters: [StreamFilter; FILTERS],
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum StreamFilter {
    #[default]
    None,
    Flate,
    Hex,
    /// Another one, or one with parameters.
    Unknown,
}

impl ObjectStream<'_> {
    /// Its content, as far as it can be unpacked. `None` if it cannot be, or is longer than `max` or than `left`.
    /// `left` is lowered by what was unpacked, also in vain.
    fn unpacked(&self, left: &mut usize, max: usize) -> Option<(Vec<u8>, Ending)> {
        if *left == 0 {
            return None;
        }
        let mut ending = Ending::Whole;
        let mut data = Cow::Borrowed(self.data);
        for filter in self.filters {
            let max = max.min(*left);
            data = match filter {
                StreamFilter::None => break,
                StreamFilter::Flate => match inflate(&data, max) {
                    Some((out, one)) => {
                        if one == Ending::Cut {
                            ending = one;
                        }
                        Cow::Owned(out)
                    }
                    None => {
                        *left -= max;
                        return None;
                    }
                },
                StreamFilter::Hex => Cow::Owned(hex(&data)),
                StreamFilter::Unknown => return None,
            };
            let rest = left.checked_sub(data.len());
            *left = rest.unwrap_or(0);
            rest?;
        }
        Some((data.into_owned(), ending))
    }
}

fn hex(data: &[u8]) -> Vec<u8> {
    let digits = data.iter().copied().take_while(|byte| *byte != b'>');
    let mut digits = digits.filter(u8::is_ascii_hexdigit);
    let mut out = Vec::with_capacity(data.len() / 2);
    while let Some(high) = digits.next() {
        // A missing last digit is 0.
        out.extend(hex::pair(high, digits.next().unwrap_or(b'0')));
    }
    out
}

/// What a name announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PdfName {
    /// The target of a URI action, or the base URL.
    Link,
    /// A file that is opened, or that a form is sent to; sometimes a URL.
    File,
    Script,
    /// What Windows is told about a file that is opened.
    Windows,
    Other,
}

struct PdfReader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The name before a value.
    name: Option<PdfName>,
    /// Open dictionaries and arrays.
    depth: usize,
    /// How many are open inside [`PdfName::Windows`].
    windows: Option<usize>,
    in_objects: bool,
    /// Whether something has no end, or a link was too long to be kept.
    is_cut: bool,
    /// Whether the dictionary before a stream says that it holds objects.
    objects: bool,
    filters: [StreamFilter; FILTERS],
    named: usize,
}

impl<'a> PdfReader<'a> {
    fn new(bytes: &'a [u8]) -> PdfReader<'a> {
        PdfReader {
            bytes,
            at: 0,
            name: None,
            depth: 0,
            windows: None,
            in_objects: false,
            is_cut: false,
            objects: false,
            filters: [StreamFilter::None; FILTERS],
            named: 0,
        }
    }

    fn next_event(&mut self) -> PdfEvent<'a> {
        while let Some(byte) = self.bytes.get(self.at).copied() {
            self.at += 1;
            let event = match byte {
                b'/' => self.name(),
                b'(' => {
                    let text = self.literal();
                    self.string(|| text)
                }
                b'<' if self.peek() == Some(b'<') => {
                    self.at += 1;
                    self.open();
                    None
                }
                b'<' => {
                    let end = memchr::memchr(b'>', self.rest());
                    self.is_cut |= end.is_none();
                    let end = end.unwrap_or(self.rest().len());
                    let digits = self.rest().get(..end).unwrap_or_default();
                    self.at += end + 1;
                    self.string(|| hex(digits).into())
                }
                b'>' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.windows.take_if(|windows| self.depth < *windows);
                    self.at += usize::from(byte == b'>' && self.peek() == Some(b'>'));
                    self.name = None;
                    None
                }
                b'[' => {
                    self.open();
                    None
                }
                b'%' => {
                    let end = memchr::memchr2(b'\r', b'\n', self.rest());
                    self.at += end.unwrap_or(self.rest().len());
                    None
                }
                byte if is_white(byte) => None,
                _ => self.word(),
            };
            if let Some(event) = event {
                return event;
            }
        }
        PdfEvent::End
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn open(&mut self) {
        self.depth += 1;
        if self.name == Some(PdfName::Windows) {
            self.windows = Some(self.depth);
        }
        // Of the array in `/StreamFilter [...]` only the names are read.
        self.name = None;
    }

    /// Reads a name; `#41` in it is a character.
    fn name(&mut self) -> Option<PdfEvent<'a>> {
        let rest = self.rest();
        let end = rest.iter().position(|byte| is_white(*byte) || is_delimiter(*byte));
        let raw = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        self.at += raw.len();
        let name = unescaped(raw);
        self.name = Some(match &*name {
            b"URI" | b"Base" => PdfName::Link,
            b"F" | b"UF" | b"DOS" | b"Unix" | b"Mac" => PdfName::File,
            b"JS" => PdfName::Script,
            b"Win" => PdfName::Windows,
            _ => PdfName::Other,
        });
        match &*name {
            b"ObjStm" => self.objects = true,
            b"Encrypt" => return Some(PdfEvent::Encrypted),
            b"Launch" => return Some(PdfEvent::Launch),
            b"FlateDecode" | b"Fl" => self.filter(StreamFilter::Flate),
            b"ASCIIHexDecode" | b"AHx" => self.filter(StreamFilter::Hex),
            b"LZWDecode" | b"LZW" | b"ASCII85Decode" | b"A85" | b"RunLengthDecode" | b"RL"
            | b"Crypt" | b"Predictor" => self.filter(StreamFilter::Unknown),
            _ => {}
        }
        None
    }

    fn filter(&mut self, filter: StreamFilter) {
        match self.filters.get_mut(self.named) {
            Some(place) => *place = filter,
            None => self.filters = [StreamFilter::Unknown; FILTERS],
        }
        self.named += 1;
    }

    /// Reads a string in parentheses, which nest. The rest of one that is longer than a link may be is skipped.
    fn literal(&mut self) -> Cow<'a, [u8]> {
        let rest = self.rest();
        let mark = memchr::memchr3(b'(', b')', b'\\', rest);
        match mark.and_then(|mark| rest.get(mark..=mark)) {
            Some(b")") => {
                let end = mark.unwrap_or_default();
                self.at += end + 1;
                Cow::Borrowed(rest.get(..end.min(PDF_LINK_BYTES + 1)).unwrap_or_default())
            }
            _ => Cow::Owned(self.nested_literal()),
        }
    }

    /// The same of one with parentheses or escapes in it, or without an end.
    fn nested_literal(&mut self) -> Vec<u8> {
        let mut text = Vec::new();
        let mut depth = 0_usize;
        while let Some(byte) = self.peek() {
            self.at += 1;
            let byte = match byte {
                b'(' => {
                    depth += 1;
                    byte
                }
                b')' if depth == 0 => return text,
                b')' => {
                    depth -= 1;
                    byte
                }
                b'\\' => match self.escape() {
                    Some(byte) => byte,
                    None => continue,
                },
                _ => byte,
            };
            if text.len() <= PDF_LINK_BYTES {
                text.push(byte);
            }
        }
        self.is_cut = true;
        text
    }

    /// Reads an escape after a backslash: a character, three digits of its code, or a line end to be skipped.
    fn escape(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        match byte {
            b'n' => Some(b'\n'),
            b'r' => Some(b'\r'),
            b't' => Some(b'\t'),
            b'\r' => {
                self.at += usize::from(self.peek() == Some(b'\n'));
                None
            }
            b'\n' => None,
            b'0'..=b'7' => {
                let mut code = byte - b'0';
                for _ in 0..2 {
                    let Some(digit @ b'0'..=b'7') = self.peek() else { break };
                    self.at += 1;
                    code = code.wrapping_mul(8).wrapping_add(digit - b'0');
                }
                Some(code)
            }
            _ => Some(byte),
        }
    }

    /// Handles a string. It is a link after `/URI`; after `/F`, and by itself, if it looks like one. An action may
    /// refer to another object that is nothing but the string.
    fn string(&mut self, read: impl FnOnce() -> Cow<'a, [u8]>) -> Option<PdfEvent<'a>> {
        let name = self.name.take();
        let wanted = matches!(name, Some(PdfName::Script | PdfName::Link | PdfName::File));
        if !wanted && self.depth > 0 {
            return None;
        }
        let bytes = read();
        let (text, kind) = match name {
            Some(PdfName::Script) => {
                let mut script = decoded(&bytes).into_owned();
                script.truncate(script.floor_char_boundary(PDF_LINK_BYTES));
                return Some(PdfEvent::Text((script, TextKind::Script)));
            }
            Some(PdfName::Link) => (decoded(&bytes).into_owned(), TextKind::Link),
            // What most strings of a file fail on.
            _ if name != Some(PdfName::File) && !may_lead(&bytes) => return None,
            _ => {
                let text = decoded(&bytes);
                match looks_like_url(&text) {
                    true => (text.into_owned(), TextKind::Link),
                    false => self.file(&text, name)?,
                }
            }
        };
        // Longer than a link may be as bytes, but not as text.
        if bytes.len() > PDF_LINK_BYTES {
            self.is_cut = true;
            return None;
        }
        Some(PdfEvent::Text((text, kind)))
    }

    /// What a file is that is opened, if it is more than a document.
    fn file(&self, path: &str, name: Option<PdfName>) -> Option<(String, TextKind)> {
        if may_reach(path.as_bytes())
            && let Some(reached) = reaching(path)
        {
            return Some((reached, TextKind::Link));
        }
        // Windows finds a program without its extension.
        let has_none = self.windows.is_some() && !path.is_empty() && !file_name(path).contains('.');
        let is_run = name == Some(PdfName::File) && (has_none || is_program(path));
        is_run.then(|| (path.to_owned(), TextKind::Program))
    }

    /// Reads a number or a keyword.
    fn word(&mut self) -> Option<PdfEvent<'a>> {
        let start = self.at - 1;
        let rest = self.rest();
        let end = rest.iter().position(|byte| is_white(*byte) || is_delimiter(*byte));
        self.at += end.unwrap_or(rest.len());
        // `/URI 12 0 R`: its value is no string.
        self.name = None;
        match self.bytes.get(start..self.at).unwrap_or_default() {
            // `endobj` may be missing.
            b"obj" | b"endobj" => {
                self.depth = 0;
                self.begin();
                None
            }
            b"stream" if !self.in_objects => self.stream(),
            _ => None,
        }
    }

    /// Forgets what the dictionary said about the last stream.
    fn begin(&mut self) {
        self.objects = false;
        self.filters = [StreamFilter::None; FILTERS];
        self.named = 0;
    }

    fn stream(&mut self) -> Option<PdfEvent<'a>> {
        let rest = self.rest();
        let line = usize::from(rest.first() == Some(&b'\r'));
        let line = line + usize::from(rest.get(line) == Some(&b'\n'));
        let rest = rest.get(line..).unwrap_or_default();
        let end = memmem::find(rest, b"endstream");
        self.is_cut |= end.is_none();
        let end = end.unwrap_or(rest.len());
        self.at += line + end;
        let stream =
            ObjectStream { data: rest.get(..end).unwrap_or_default(), filters: self.filters };
        let objects = self.objects;
        self.begin();
        self.depth = 0;
        objects.then_some(PdfEvent::Objects(stream))
    }
}

fn is_white(byte: u8) -> bool {
    matches!(byte, 0 | b'\t' | b'\n' | 0x0c | b'\r' | b' ')
}

fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}

fn unescaped(name: &[u8]) -> Cow<'_, [u8]> {
    if !name.contains(&b'#') {
        return Cow::Borrowed(name);
    }
    let mut out = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some((first, behind)) = rest.split_first() {
        let escaped = match (first, behind) {
            (b'#', [high, low, after @ ..]) => hex::pair(*high, *low).zip(Some(after)),
            _ => None,
        };
        let (byte, after) = escaped.unwrap_or((*first, behind));
        out.push(byte);
        rest = after;
    }
    Cow::Owned(out)
}

/// Whether a string may be a URL or the path of a file server. Byte order marks stand in front of other bytes.
fn may_lead(bytes: &[u8]) -> bool {
    matches!(bytes, [0xfe | 0xff | 0xef | b'w' | b'W', ..]) || may_reach(bytes)
}

/// Whether a path may be that of a file server, or has a scheme.
fn may_reach(path: &[u8]) -> bool {
    matches!(path, [b'\\', b'\\', ..] | [b'/', b'/', ..]) || memchr::memchr(b':', path).is_some()
}

fn looks_like_url(text: &str) -> bool {
    let begins =
        |mark: &str| text.get(..mark.len()).is_some_and(|it| it.eq_ignore_ascii_case(mark));
    ["http:", "https:", "ftp:", "www."].into_iter().any(begins)
}

/// The text of a string: UTF-16 by its byte order mark, UTF-8 if it is valid, else Latin-1, which equals
/// PDFDocEncoding in every character of a host.
fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    match bytes {
        // The mark gives the byte order.
        [0xfe, 0xff, ..] | [0xff, 0xfe, ..] => {
            Charset::Utf16(Endian::Big).decode(bytes.into()).as_str().to_owned().into()
        }
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => text.trim_start_matches('\u{feff}').into(),
            Err(_) => bytes.iter().copied().map(char::from).collect(),
        },
    }
}

#[cfg(test)]
mod tests;
