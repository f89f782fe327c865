//! Families of messages that are hard to read, and how the message of one is made.

mod archives;
mod distinct;
mod html;
#[path = "../../common/lines.rs"]
pub mod lines;
mod other;
mod text;

use std::io::Write;

use bstr::ByteSlice;
use lines::base64_lines;

/// A piece of body that is repeated between a beginning and an end. In it `{n}` is its number, `{labels}`
/// are four kilobytes of labels with a dot behind each, `{word}` is a word of two kilobytes,
/// `{numbers}` are as many between hyphens as a host has room for, `{page}` is a page of Russian with links; words of
/// which no two are alike are in `distinct`; `{garbled}` are twelve bytes beyond ASCII.
#[derive(Debug)]
pub struct Shape {
    name: &'static str,
    kind: &'static str,
    around: (&'static str, &'static str),
    piece: &'static str,
}

pub const fn shape(
    name: &'static str,
    kind: &'static str,
    around: (&'static str, &'static str),
    piece: &'static str,
) -> Shape {
    Shape { name, kind, around, piece }
}

pub const TEXT: &str = "text/plain; charset=utf-8";
pub const HTML: &str = "text/html; charset=utf-8";
pub const NONE: (&str, &str) = ("", "");
/// A lie in front: the message is edited at every size.
pub const LIE: (&str, &str) = ("http://p\u{430}ypal.com/ ", "");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Plain,
    QuotedPrintable,
    /// Without one line end.
    QuotedInOneLine,
    Base64,
    /// Without one line end.
    Base64InOneLine,
    /// Padding at the end of every line.
    Base64Padded,
}

impl Encoding {
    const ALL: [(Encoding, &'static str); 6] = [
        (Encoding::Plain, ""),
        (Encoding::QuotedPrintable, ", quoted-printable"),
        (Encoding::QuotedInOneLine, ", quoted-printable in one line"),
        (Encoding::Base64, ", base64"),
        (Encoding::Base64InOneLine, ", base64 in one line"),
        (Encoding::Base64Padded, ", padded base64"),
    ];

    /// Every shape of text goes through the encodings, a few through their odder forms. Containers are
    /// not encoded as a whole.
    fn suits(self, shape: &Shape) -> bool {
        const MANY: [&str; 6] =
            ["prose", "links", "lying links", "hrefs", "lying hrefs", "five charsets, lying"];
        match self {
            Encoding::Plain => true,
            Encoding::QuotedPrintable | Encoding::Base64 => shape.kind.starts_with("text/"),
            Encoding::QuotedInOneLine | Encoding::Base64InOneLine | Encoding::Base64Padded => {
                MANY.contains(&shape.name)
            }
        }
    }

    /// Bytes of text that come to about so many.
    fn decoded(self, size: usize) -> usize {
        match self {
            Encoding::Plain => size,
            Encoding::QuotedPrintable | Encoding::QuotedInOneLine => size / 2,
            Encoding::Base64 | Encoding::Base64InOneLine => size / 4 * 3,
            Encoding::Base64Padded => size / 8 * 5,
        }
    }

    /// The label, and the text in this encoding.
    fn encode(self, text: Vec<u8>) -> (&'static str, Vec<u8>) {
        match self {
            Encoding::Plain => ("8bit", text),
            Encoding::QuotedPrintable => ("quoted-printable", quoted(&text, 72)),
            Encoding::QuotedInOneLine => ("quoted-printable", quoted(&text, usize::MAX)),
            Encoding::Base64 => ("base64", base64(&text, 19)),
            Encoding::Base64InOneLine => ("base64", base64(&text, usize::MAX)),
            Encoding::Base64Padded => {
                let lines: Vec<_> = text.chunks(4).map(|line| base64(line, usize::MAX)).collect();
                ("base64", lines.concat())
            }
        }
    }
}

/// A message of a family.
#[derive(Debug)]
pub struct Letter {
    pub head: Vec<u8>,
    pub body: Vec<u8>,
}

/// Where a piece is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Header,
    Body(Encoding),
}

/// What the messages of a family are made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Header fields; those of a body's encoding come behind them.
    pub head: Vec<u8>,
    pub place: Place,
    pub before: Vec<u8>,
    pub piece: Vec<u8>,
    pub behind: Vec<u8>,
}

/// What parts the pieces of a plan that is written down.
const PARTS: u8 = 0x1D;

impl Plan {
    fn of_header((before, behind): (&str, &str), piece: &str) -> Plan {
        let [before, piece, behind] = [before, piece, behind].map(Vec::from);
        Plan { head: Vec::new(), place: Place::Header, before, piece, behind }
    }

    fn of_body(shape: &Shape, encoding: Encoding) -> Plan {
        let (before, behind) = shape.around;
        let [before, piece, behind] = [before, shape.piece, behind].map(Vec::from);
        let head = format!("Content-Type: {}\r\n", shape.kind).into_bytes();
        Plan { head, place: Place::Body(encoding), before, piece, behind }
    }

    /// The plan that bytes write down; any do.
    pub fn read(bytes: &[u8]) -> Plan {
        let (place, rest) = bytes.split_first().unwrap_or((&0, &[]));
        let places = Encoding::ALL.len() + 1;
        let encoding = Encoding::ALL.get(usize::from(*place) % places);
        let place = encoding.map_or(Place::Header, |(encoding, _)| Place::Body(*encoding));
        let mut parts = rest.splitn(4, |byte| *byte == PARTS).map(Vec::from);
        let [head, before, piece, behind] = [(); 4].map(|()| parts.next().unwrap_or_default());
        Plan { head, place, before, piece, behind }
    }

    /// The plan as bytes.
    pub fn written(&self) -> Vec<u8> {
        let place = match self.place {
            Place::Body(encoding) => Encoding::ALL.iter().position(|(one, _)| *one == encoding),
            Place::Header => None,
        };
        let place = u8::try_from(place.unwrap_or(Encoding::ALL.len())).unwrap();
        let parts = [&self.head, &self.before, &self.piece, &self.behind].map(Vec::as_slice);
        [&[place], parts.join(&PARTS).as_slice()].concat()
    }

    /// The message of about so many bytes.
    pub fn letter(&self, size: usize) -> Letter {
        let Plan { before, piece, behind, .. } = self;
        match self.place {
            Place::Header => {
                let fields = [before, repeated(piece, size).as_slice(), behind].concat();
                let head = [self.head.as_slice(), &fields].concat();
                Letter { head, body: b"http://a.co/\r\n".to_vec() }
            }
            Place::Body(encoding) => {
                let size = encoding.decoded(size);
                let text = [before, repeated(piece, size).as_slice(), behind].concat();
                let label = String::from_utf8_lossy(&self.head);
                let bytes = match archives::of(&label, &text) {
                    Some(archive) => archive,
                    None if label.contains("application/pdf") => packed_pdf(&text),
                    None => in_charset(&self.head, text),
                };
                let (label, body) = encoding.encode(bytes);
                let field = format!("Content-Transfer-Encoding: {label}\r\n");
                Letter { head: [self.head.as_slice(), field.as_bytes()].concat(), body }
            }
        }
    }
}

/// A name, and what its messages are made of.
pub struct Family {
    pub name: String,
    pub plan: Plan,
}

pub fn families() -> Vec<Family> {
    let mut families = Vec::new();
    for shape in
        text::SHAPES.iter().chain(html::SHAPES).chain(other::SHAPES).chain(archives::SHAPES)
    {
        for (encoding, suffix) in Encoding::ALL {
            if encoding.suits(shape) {
                let name = format!("{}{suffix}", shape.name);
                families.push(Family { name, plan: Plan::of_body(shape, encoding) });
            }
        }
    }
    for (name, piece) in [
        ("header fields", "X-Field-{n}: http://a.co/\r\n"),
        ("header fields of long names", "X-{word}: http://a.co/\r\n"),
        ("our own names", "X-Linkmilter-{n}: x\r\n"),
        ("our own name", "X-Linkmilter: x\r\n"),
        ("recipes", "X-Linkmilter-Undo: v=1; z=AAAA\r\n"),
        ("sealed recipes", "X-Linkmilter-Undo: v=1; z=AAAA; seal=AAAA\r\n"),
        ("content types", "Content-Type: text/html; charset=utf-8; name=x{n}\r\n"),
        ("transfer encodings", "Content-Transfer-Encoding: base64\r\n"),
        ("subjects", "Subject: see http://a{n}.co/\r\n"),
        ("lying subjects", "Subject: see http://p\u{430}ypal{n}.com/\r\n"),
        ("encoded words", "Subject: =?utf-8?q?a=2Eco?=\r\n"),
        ("senders", "From: a{n}.com <b@c{n}.com>\r\n"),
        ("recipients with hosts for names", "To: {vietnamese}.com <a@{vietnamese}.com>\r\n"),
        ("lying senders", "From: paypal.com <b@p\u{430}ypal{n}.com>\r\n"),
        (
            "posing senders",
            "From: Pay Pal Pay Pal Pay <x@c.co>, P a y P a <>, A <>, B <>, C <>\r\n",
        ),
        (
            "senders of many labels",
            "Sender: =?utf-8?q?a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u{n}.com?= <a@b.co>\r\n",
        ),
        ("short fields", "To:g\r\n"),
        ("folds of a field", "Subject: x\r\n y\r\n"),
        ("lists", "List-Unsubscribe: <http://a{n}.co/>, <mailto:a@b{n}.co>\r\n"),
    ] {
        let plan = Plan::of_header(NONE, piece);
        families.push(Family { name: name.to_owned(), plan });
    }
    for (name, front, piece) in [
        ("one address list", "To: ", "a{n}.com <b@c{n}.com>,"),
        ("one list of lying addresses", "To: ", "p\u{430}ypal{n}.com <b@c{n}.com>,"),
        ("one list of short addresses", "Cc: ", "a,"),
        ("one list of names of hosts", "To: ", "\"a.co b.co c{n}.co\" <a@b.co>,"),
        ("one subject of hosts", "Subject: ", "a.co "),
        ("one place of a part", "Content-Type: text/html\r\nContent-Location: http://", "a.co/"),
        ("address groups", "To: ", "a:b@c{n}.com;"),
        ("comments of a field", "From: ", "("),
        ("quotes of a field", "From: ", "\"\\"),
        ("one encoded word after another", "Subject: ", "=?utf-8?q?a=2Eco?= "),
        ("one folded subject", "Subject: x", "\r\n http://p\u{430}ypal{n}.com"),
        ("parameters", "Content-Type: text/plain", "; a*{n}*=b"),
        ("pieces of a parameter", "Content-Type: text/plain", "; charset*{n}*=b"),
        ("charsets", "Content-Type: text/plain", "; charset=x{n}"),
        ("boundary of any length", "Content-Type: multipart/mixed; boundary=", "b"),
        (
            "blocks of a header that breaks off",
            "From: a@b.co\r\n",
            "begin 644 a{n}.txt\r\n`\r\nend\r\n",
        ),
    ] {
        let plan = Plan::of_header((front, "\r\n"), piece);
        families.push(Family { name: name.to_owned(), plan });
    }
    for (name, piece) in [
        ("one sender's name of known hosts", "paypal.com "),
        ("one sender's name of addresses", "ann{n}@gmail.com "),
        ("one sender's name of redirectors", "https://www.google.com/url?q=https://a{n}.co "),
        ("one sender's name of marks of words", "=?"),
    ] {
        let plan = Plan::of_header(("From: \"", "\" <a@b.com>\r\n"), piece);
        families.push(Family { name: name.to_owned(), plan });
    }
    families
}

/// A piece again and again, with what stands in braces put in.
fn repeated(piece: &[u8], size: usize) -> Vec<u8> {
    let piece = piece
        .replace("{labels}", "bbbbbbbb.".repeat(4 << 10 >> 3))
        .replace("{word}", "w".repeat(2 << 10))
        .replace("{numbers}", "1-".repeat(115))
        .replace("{twins}", "\u{430}a.".repeat(20))
        .replace("{shifted}", "+BDA-a.".repeat(20))
        .replace("{page}", "Подтвердите ваш адрес: http://почта.рф/\r\n".repeat(200));
    let mut out = Vec::with_capacity(size + piece.len());
    let mut number = 0_usize;
    while out.len() < size && !piece.is_empty() {
        let numbered = piece.replace("{n}", number.to_string());
        let numbered = numbered.replace("{garbled}", garbled(number));
        match str::from_utf8(&numbered) {
            Ok(text) => out.extend_from_slice(distinct::with_words(text, number).as_bytes()),
            Err(_) => out.extend_from_slice(&numbered),
        }
        number += 1;
    }
    out
}

/// Bytes beyond ASCII, of which few are alike.
fn garbled(number: usize) -> Vec<u8> {
    let mixed = (number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let bytes = mixed.to_le_bytes().into_iter().chain(mixed.rotate_left(29).to_le_bytes());
    bytes.take(12).map(|byte| byte | 0x80).collect()
}

/// A document of about as many bytes, with an object stream that unpacks to nine times the text.
fn packed_pdf(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&text.repeat(9)).unwrap();
    let stream = encoder.finish().unwrap();
    let head = b"%PDF-1.7\n1 0 obj\n<< /Type /ObjStm /Filter /FlateDecode >>\nstream\n";
    let padding = [b"%".repeat(text.len().saturating_sub(stream.len())), b"\n".to_vec()].concat();
    [head, stream.as_slice(), b"\nendstream\nendobj\n", &padding, b"%%EOF"].concat()
}

/// The bytes of a text in the first charset that its header names, where that is one of bytes or words.
fn in_charset(head: &[u8], text: Vec<u8>) -> Vec<u8> {
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let label = head.split("charset=").nth(1).unwrap_or_default();
    let label = label.split([';', '\r', '\n']).next().unwrap_or_default();
    let said = || String::from_utf8_lossy(&text);
    if head.contains("utf-16") {
        return said().encode_utf16().flat_map(u16::to_le_bytes).collect();
    }
    let of_bytes = ["windows-1251", "windows-1255", "windows-1258", "koi8-r", "big5", "gb18030"];
    let charset = encoding_rs::Encoding::for_label(label.as_bytes());
    match charset.filter(|_| of_bytes.contains(&label)) {
        Some(charset) => charset.encode(&said()).0.into_owned(),
        None => text,
    }
}

/// Quoted-printable that escapes every third byte, in lines of about so many.
fn quoted(bytes: &[u8], line: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let mut column = 0;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'!'..=b'~' if *byte != b'=' && at % 3 > 0 => {
                out.push(*byte);
                column += 1;
            }
            _ => {
                out.extend_from_slice(format!("={byte:02X}").as_bytes());
                column += 3;
            }
        }
        if column > line {
            out.extend_from_slice(b"=\r\n");
            column = 0;
        }
    }
    out
}

/// Base64 in lines of so many units, padded at its end.
fn base64(bytes: &[u8], units: usize) -> Vec<u8> {
    (base64_lines(bytes, units.saturating_mul(4)) + "\r\n").into_bytes()
}
