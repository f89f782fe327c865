//! Where the links of a PDF lead: the strings of its URI actions, as they stand in the file and in its
//! object streams (ISO 32000-1 §7.3, §7.5.7, §12.6.4.7).
//!
//! The file is read from front to back and not by its table of objects: what programs repair is read as well,
//! and what an update took out. Nothing is followed, nothing nests; pages, fonts and scripts are not read.

use std::borrow::Cow;
use std::collections::BTreeSet;

use mailsplice::mime;
use memchr::memmem;

/// Links of a document that are kept.
pub const PDF_LINKS: usize = 2_000;

/// Bytes of a link that are kept.
pub const PDF_LINK_BYTES: usize = 8_192;

/// What the object streams of a document may unpack to, in all: this many times the document, and so many
/// bytes.
pub const PDF_UNPACKED: usize = 20;
pub const PDF_UNPACKED_BYTES: usize = 32 << 20;

/// Filters of a stream that are looked at; real ones have one or two.
const FILTERS: usize = 4;

/// What a document says of its links.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pdf {
    pub links: BTreeSet<String>,
    /// Whether something in it may hold links and was not read: it is encrypted, packed in a way that is not
    /// known, or bigger than the bounds. What is damaged is read as far as it goes, as programs do.
    pub unread: bool,
    /// Bytes read.
    pub steps: u64,
}

/// Whether these bytes are one: programs look for the mark in the first KiB.
pub fn is_pdf(opening: &[u8]) -> bool {
    memmem::find(opening.get(..1_024).unwrap_or(opening), b"%PDF-").is_some()
}

/// Reads a document.
pub fn read(bytes: &[u8]) -> Pdf {
    let mut pdf = Pdf::default();
    let mut left = bytes.len().saturating_mul(PDF_UNPACKED).min(PDF_UNPACKED_BYTES);
    let mut reader = Reader::new(bytes);
    loop {
        match reader.next_event() {
            Event::Link(link) => pdf.keep(link),
            Event::Encrypted => pdf.unread = true,
            Event::Objects(stream) => {
                let Some(objects) = stream.unpacked(&mut left) else {
                    pdf.unread = true;
                    continue;
                };
                pdf.steps += objects.len() as u64;
                pdf.objects(&objects);
            }
            Event::End => break,
        }
    }
    pdf.steps += bytes.len() as u64;
    pdf
}

impl Pdf {
    fn keep(&mut self, link: String) {
        if self.links.contains(&link) {
            return;
        }
        if self.links.len() < PDF_LINKS && link.len() <= PDF_LINK_BYTES {
            self.links.insert(link);
        } else {
            self.unread = true;
        }
    }

    /// The objects of a stream, one behind the other: none of them is a stream itself.
    fn objects(&mut self, bytes: &[u8]) {
        let mut reader = Reader::new(bytes);
        reader.in_objects = true;
        loop {
            match reader.next_event() {
                Event::Link(link) => self.keep(link),
                Event::Encrypted | Event::Objects(_) => {}
                Event::End => return,
            }
        }
    }
}

/// What is worth hearing of.
enum Event<'a> {
    Link(String),
    /// A stream of objects.
    Objects(Stream<'a>),
    Encrypted,
    End,
}

/// A packed stream of objects.
struct Stream<'a> {
    data: &'a [u8],
    filters: [Filter; FILTERS],
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Filter {
    #[default]
    None,
    Flate,
    Hex,
    /// Some other one, or one that needs more than its name.
    Unknown,
}

impl Stream<'_> {
    /// What it holds; `None` when that cannot be had, or is more than what is left.
    fn unpacked(&self, left: &mut usize) -> Option<Vec<u8>> {
        let mut data = Cow::Borrowed(self.data);
        for filter in self.filters {
            data = match filter {
                Filter::None => break,
                Filter::Flate => Cow::Owned(mime::inflate(&data, *left)?),
                Filter::Hex => Cow::Owned(hex(&data)),
                Filter::Unknown => return None,
            };
            *left = left.checked_sub(data.len())?;
        }
        Some(data.into_owned())
    }
}

fn hex(data: &[u8]) -> Vec<u8> {
    let mut digits = data
        .iter()
        .take_while(|byte| **byte != b'>')
        .filter_map(|byte| char::from(*byte).to_digit(16))
        .filter_map(|digit| u8::try_from(digit).ok());
    let mut out = Vec::with_capacity(data.len() / 2);
    while let Some(high) = digits.next() {
        // A missing last digit is 0.
        out.push(high << 4 | digits.next().unwrap_or(0));
    }
    out
}

/// A name that matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    /// The target of a URI action, or the base of all.
    Link,
    /// A file, which a form is sent to or which is opened: a URL sometimes.
    File,
    Other,
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The name in front of a value.
    name: Option<Name>,
    /// Open dictionaries and arrays.
    depth: usize,
    in_objects: bool,
    /// What the dictionary says that stands before a stream.
    objects: bool,
    filters: [Filter; FILTERS],
    named: usize,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader {
            bytes,
            at: 0,
            name: None,
            depth: 0,
            in_objects: false,
            objects: false,
            filters: [Filter::None; FILTERS],
            named: 0,
        }
    }

    fn next_event(&mut self) -> Event<'a> {
        while let Some(byte) = self.bytes.get(self.at).copied() {
            self.at += 1;
            let event = match byte {
                b'/' => self.name(),
                b'(' => {
                    let text = self.literal();
                    self.string(&text)
                }
                b'<' if self.peek() == Some(b'<') => {
                    self.at += 1;
                    self.open();
                    None
                }
                b'<' => {
                    let end = memchr::memchr(b'>', self.rest()).unwrap_or(self.rest().len());
                    let text = hex(self.rest().get(..end).unwrap_or_default());
                    self.at += end + 1;
                    self.string(&text)
                }
                b'>' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
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
        Event::End
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn open(&mut self) {
        self.depth += 1;
        // The array of `/Filter [...]` is read by the names in it.
        self.name = None;
    }

    /// A name; `#41` in it is a character.
    fn name(&mut self) -> Option<Event<'a>> {
        let rest = self.rest();
        let end = rest.iter().position(|byte| is_white(*byte) || is_delimiter(*byte));
        let raw = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        self.at += raw.len();
        let name = unescaped(raw);
        self.name = Some(match &*name {
            b"URI" | b"Base" => Name::Link,
            b"F" | b"UF" => Name::File,
            _ => Name::Other,
        });
        match &*name {
            b"ObjStm" => self.objects = true,
            b"Encrypt" => return Some(Event::Encrypted),
            b"FlateDecode" | b"Fl" => self.filter(Filter::Flate),
            b"ASCIIHexDecode" | b"AHx" => self.filter(Filter::Hex),
            b"LZWDecode" | b"LZW" | b"ASCII85Decode" | b"A85" | b"RunLengthDecode" | b"RL"
            | b"Crypt" | b"Predictor" => self.filter(Filter::Unknown),
            _ => {}
        }
        None
    }

    fn filter(&mut self, filter: Filter) {
        match self.filters.get_mut(self.named) {
            Some(place) => *place = filter,
            None => self.filters = [Filter::Unknown; FILTERS],
        }
        self.named += 1;
    }

    /// A string in parentheses, which nest; longer ones than a link may be are read over.
    fn literal(&mut self) -> Vec<u8> {
        let mut text = Vec::new();
        let mut depth = 0_usize;
        while let Some(byte) = self.peek() {
            self.at += 1;
            let byte = match byte {
                b'(' => {
                    depth += 1;
                    byte
                }
                b')' if depth == 0 => break,
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
        text
    }

    /// Behind a backslash: a character, three digits of its code, or the end of a line that goes on.
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

    /// A string: a link behind `/URI`; behind `/F`, and by itself, if it looks like one. An action may name
    /// another object that is nothing but the string.
    fn string(&mut self, text: &[u8]) -> Option<Event<'a>> {
        let name = self.name.take();
        let alone = self.depth == 0;
        let link = match name {
            Some(Name::Link) => true,
            Some(Name::File) => looks_like_url(text),
            _ => alone && looks_like_url(text),
        };
        link.then(|| Event::Link(decoded(text)))
    }

    /// A number or a keyword.
    fn word(&mut self) -> Option<Event<'a>> {
        let start = self.at - 1;
        let rest = self.rest();
        let end = rest.iter().position(|byte| is_white(*byte) || is_delimiter(*byte));
        self.at += end.unwrap_or(rest.len());
        // `/URI 12 0 R`: no string is its value.
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

    /// What was said of a stream holds for the next one no more.
    fn begin(&mut self) {
        self.objects = false;
        self.filters = [Filter::None; FILTERS];
        self.named = 0;
    }

    fn stream(&mut self) -> Option<Event<'a>> {
        let rest = self.rest();
        let line = usize::from(rest.first() == Some(&b'\r'));
        let line = line + usize::from(rest.get(line) == Some(&b'\n'));
        let rest = rest.get(line..).unwrap_or_default();
        let end = memmem::find(rest, b"endstream").unwrap_or(rest.len());
        self.at += line + end;
        let stream = Stream { data: rest.get(..end).unwrap_or_default(), filters: self.filters };
        let objects = self.objects;
        self.begin();
        self.depth = 0;
        objects.then_some(Event::Objects(stream))
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
        let digit = |at: usize| behind.get(at).and_then(|byte| char::from(*byte).to_digit(16));
        match (first, digit(0), digit(1)) {
            (b'#', Some(high), Some(low)) => {
                out.extend(u8::try_from(high * 16 + low));
                rest = behind.get(2..).unwrap_or_default();
            }
            _ => {
                out.push(*first);
                rest = behind;
            }
        }
    }
    Cow::Owned(out)
}

fn looks_like_url(text: &[u8]) -> bool {
    let text = decoded(text);
    let begins =
        |mark: &str| text.get(..mark.len()).is_some_and(|it| it.eq_ignore_ascii_case(mark));
    ["http:", "https:", "ftp:", "www."].into_iter().any(begins)
}

/// The text of a string: UTF-16 by its mark, UTF-8 if it is some, else Latin-1, which differs from
/// PDFDocEncoding in no character of a host.
fn decoded(bytes: &[u8]) -> String {
    let pairs = |order: fn([u8; 2]) -> u16| {
        let (units, _) = bytes.get(2..).unwrap_or_default().as_chunks::<2>();
        let units: Vec<u16> = units.iter().map(|pair| order(*pair)).collect();
        String::from_utf16_lossy(&units)
    };
    match bytes {
        [0xfe, 0xff, ..] => pairs(u16::from_be_bytes),
        [0xff, 0xfe, ..] => pairs(u16::from_le_bytes),
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => text.trim_start_matches('\u{feff}').to_owned(),
            Err(_) => bytes.iter().copied().map(char::from).collect(),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn links(text: &[u8]) -> Vec<String> {
        read(text).links.into_iter().collect()
    }

    fn packed(data: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    /// A document with one stream of objects.
    fn with_objects(dictionary: &str, data: &[u8]) -> Vec<u8> {
        let head = format!("%PDF-1.7\n1 0 obj\n<< /Type /ObjStm {dictionary} >>\nstream\r\n");
        [head.as_bytes(), data, b"\nendstream\nendobj\n%%EOF"].concat()
    }

    #[test]
    fn actions_are_read_however_they_are_written() {
        for (text, link) in [
            ("<< /S /URI /URI (https://a.example/x) >>", "https://a.example/x"),
            ("<</S/URI/URI(https://a.example/x)>>", "https://a.example/x"),
            ("<< /URI <68747470733A2F2F612E6578616D706C65> >>", "https://a.example"),
            ("<< /U#52I (https://a.example) >>", "https://a.example"),
            ("<< /URI (https://a.ex\\141mple/\\(b\\)) >>", "https://a.example/(b)"),
            ("<< /URI (https://a.ex\\\r\nample/(b)) >>", "https://a.example/(b)"),
            ("<< /URI % a comment (x)\n(https://a.example) >>", "https://a.example"),
            ("<< /URI <FEFF0068007400740070003A002F002F0061002E0062> >>", "http://a.b"),
            (
                "<< /S /SubmitForm /F << /FS /URL /F (https://a.example/f) >> >>",
                "https://a.example/f",
            ),
            ("<< /URI << /Base (https://a.example/) >> >>", "https://a.example/"),
            ("12 0 obj (https://a.example) endobj << /URI 12 0 R >>", "https://a.example"),
            ("<< /URI (https://a.example", "https://a.example"),
        ] {
            assert_eq!(links(text.as_bytes()), [link], "{text}");
        }
        for text in [
            "<< /Title (https://a.example) >>",
            "<< /F (file.pdf) >>",
            "1 0 obj << /Length 9 >> stream\n/URI (https://a.example) endstream",
            "(https://a.example",
        ] {
            let expected = usize::from(text.starts_with('('));
            assert_eq!(links(text.as_bytes()).len(), expected, "{text}");
        }
    }

    #[test]
    fn streams_of_objects_are_read() {
        let objects = b"7 0 8 30 << /S /URI /URI (https://a.example/) >> (https://b.example/)";
        let both = ["https://a.example/", "https://b.example/"];
        for filter in ["/Filter /FlateDecode", "/Filter [ /Fl ]", "/Filter /Flate#44ecode"] {
            let pdf = read(&with_objects(filter, &packed(objects)));
            assert_eq!((pdf.links, pdf.unread), (both.map(String::from).into(), false));
        }
        assert_eq!(links(&with_objects("", objects)), both);
        let twice: String = packed(objects).iter().map(|byte| format!("{byte:02x}")).collect();
        let filters = "/Filter [/ASCIIHexDecode /FlateDecode]";
        assert_eq!(links(&with_objects(filters, twice.as_bytes())), both);
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        let packed = packed(b"<< /URI (https://a.example/) >>");
        for dictionary in [
            "/Filter /LZWDecode",
            "/Filter /FlateDecode /DecodeParms << /Predictor 12 >>",
            "/Filter [/A85 /Fl]",
            "/Filter [/Fl /Fl /Fl /Fl /Fl]",
        ] {
            assert!(read(&with_objects(dictionary, &packed)).unread, "{dictionary}");
        }
        assert!(read(b"%PDF-1.7\ntrailer << /Encrypt 5 0 R >>").unread);
    }

    #[test]
    fn a_document_that_unpacks_to_more_than_it_may_is_not_read() {
        let bomb = packed(&vec![b' '; 4 << 20]);
        let pdf = read(&with_objects("/Filter /FlateDecode", &bomb));
        assert!(pdf.unread && pdf.links.is_empty());
        assert!(pdf.steps < 100_000, "{}", pdf.steps);
    }

    #[test]
    fn links_and_their_length_are_bounded() {
        let many: String = (0..10_000).map(|n| format!("/URI (https://a{n}.example)")).collect();
        let pdf = read(many.as_bytes());
        assert_eq!((pdf.links.len(), pdf.unread), (PDF_LINKS, true));
        let long = format!("/URI (https://a.example/{})", "x".repeat(2 * PDF_LINK_BYTES));
        assert!(read(long.as_bytes()).unread);
    }

    #[test]
    fn hostile_bytes_are_read_once() {
        for unit in
            ["(", "<", "<<", "[", "/", "/URI", "/URI (", "stream\n", "obj ", "\\", "%", "<a", ")("]
        {
            let pdf = read(unit.repeat(200_000).as_bytes());
            assert!(pdf.steps <= 200_000 * 7, "{unit}");
        }
    }
}
