//! Messages made up by structure: nested, encoded, in many charsets, sloppy at the edges.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use proptest::prelude::*;

use crate::surgery::operate;

/// A node of a message.
#[derive(Clone, Debug)]
enum Node {
    Leaf { words: Vec<Word>, charset: Charset, transfer: Transfer, html: bool },
    Multipart { children: Vec<Node>, closed: bool, preamble: bool },
    Message { inner: Box<Node>, transfer: Transfer },
}

#[derive(Clone, Copy, Debug)]
enum Word {
    Mark,
    Plain(&'static str),
    Wide,
    Line,
    Long(u16),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Charset {
    Utf8,
    Windows1252,
    Utf16,
    Utf7,
    Iso2022Jp,
    ShiftJis,
    None,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Transfer {
    Plain,
    Quoted,
    Base64 { width: usize },
}

impl Charset {
    fn label(self) -> Option<&'static str> {
        match self {
            Charset::Utf8 => Some("utf-8"),
            Charset::Windows1252 => Some("windows-1252"),
            Charset::Utf16 => Some("utf-16le"),
            Charset::Utf7 => Some("utf-7"),
            Charset::Iso2022Jp => Some("iso-2022-jp"),
            Charset::ShiftJis => Some("shift_jis"),
            Charset::None => None,
        }
    }

    fn encode(self, text: &str) -> Vec<u8> {
        let other = |label: &str| {
            encoding_rs::Encoding::for_label(label.as_bytes()).unwrap().encode(text).0.into_owned()
        };
        match self {
            Charset::Utf8 | Charset::None => text.as_bytes().to_vec(),
            Charset::Utf16 => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            Charset::Utf7 => utf7(text),
            charset => other(charset.label().unwrap()),
        }
    }

    /// Characters outside ASCII that it has.
    fn wide(self) -> &'static str {
        match self {
            Charset::Windows1252 => "é€",
            Charset::Iso2022Jp | Charset::ShiftJis => "漢字かな",
            _ => "пример漢é",
        }
    }
}

/// Everything but letters and spaces is shifted, the mark every other time as well.
fn utf7(text: &str) -> Vec<u8> {
    let mut out = String::new();
    let mut run = String::new();
    let flush = |run: &mut String, out: &mut String| {
        if !run.is_empty() {
            let bytes: Vec<u8> = run.encode_utf16().flat_map(u16::to_be_bytes).collect();
            out.push('+');
            out.push_str(base64(&bytes, usize::MAX, "").trim_end_matches('='));
            out.push('-');
            run.clear();
        }
    };
    for (index, word) in text.split_inclusive(' ').enumerate() {
        for c in word.chars() {
            if c.is_ascii_alphanumeric() && index % 2 == 0 || matches!(c, ' ' | '\r' | '\n') {
                flush(&mut run, &mut out);
                out.push(c);
            } else {
                run.push(c);
            }
        }
    }
    flush(&mut run, &mut out);
    out.into_bytes()
}

fn base64(bytes: &[u8], width: usize, end: &str) -> String {
    let digits = BASE64_STANDARD.encode(bytes);
    let lines: Vec<&str> =
        digits.as_bytes().chunks(width).map(|line| std::str::from_utf8(line).unwrap()).collect();
    lines.join(end)
}

fn quoted(bytes: &[u8], end: &str) -> Vec<u8> {
    let mut out = Vec::new();
    for line in bytes.split_inclusive(|b| *b == b'\n') {
        let text = line.strip_suffix(b"\n").map_or(line, |l| l.strip_suffix(b"\r").unwrap_or(l));
        let mut column = 0;
        for (index, byte) in text.iter().enumerate() {
            let last = index + 1 == text.len();
            let plain = matches!(byte, b'!'..=b'<' | b'>'..=b'~') || (*byte == b' ' && !last);
            let token = if plain { char::from(*byte).to_string() } else { format!("={byte:02x}") };
            if column + token.len() > 75 {
                out.extend_from_slice(format!("={end}").as_bytes());
                column = 0;
            }
            column += token.len();
            out.extend_from_slice(token.as_bytes());
        }
        out.extend_from_slice(&line[text.len()..]);
    }
    out
}

fn wrap(transfer: Transfer, bytes: &[u8], end: &str) -> Vec<u8> {
    match transfer {
        Transfer::Plain => bytes.to_vec(),
        Transfer::Quoted => quoted(bytes, end),
        Transfer::Base64 { width } => base64(bytes, width, end).into_bytes(),
    }
}

impl Transfer {
    fn field(self, end: &str) -> String {
        match self {
            Transfer::Plain => String::new(),
            Transfer::Quoted => format!("Content-Transfer-Encoding: Quoted-Printable{end}"),
            Transfer::Base64 { .. } => format!("Content-transfer-encoding: base64{end}"),
        }
    }
}

/// Header and body.
fn render(node: &Node, depth: usize, end: &str) -> (Vec<u8>, Vec<u8>) {
    match node {
        Node::Leaf { words, charset, transfer, html } => {
            let mut text = String::new();
            for word in words {
                match word {
                    Word::Mark => text.push_str("http://host.example/a?b=c"),
                    Word::Plain(word) => text.push_str(word),
                    Word::Wide => text.push_str(charset.wide()),
                    Word::Line => text.push_str(end),
                    Word::Long(length) => text.push_str(&"x".repeat(usize::from(*length))),
                }
                text.push(' ');
            }
            let kind = if *html { "text/html" } else { "text/plain" };
            let label = charset.label().map_or(String::new(), |label| format!("; charset={label}"));
            let head = format!("Content-Type: {kind}{label}{end}{}", transfer.field(end));
            (head.into_bytes(), wrap(*transfer, &charset.encode(&text), end))
        }
        Node::Multipart { children, closed, preamble } => {
            let boundary = format!("=_level{depth}");
            let mut body = Vec::new();
            if *preamble {
                body.extend_from_slice(format!("Preamble with http://x.example/{end}").as_bytes());
            }
            for child in children {
                let (head, content) = render(child, depth + 1, end);
                body.extend_from_slice(format!("--{boundary}{end}").as_bytes());
                body.extend_from_slice(&head);
                body.extend_from_slice(end.as_bytes());
                body.extend_from_slice(&content);
                body.extend_from_slice(end.as_bytes());
            }
            if *closed {
                body.extend_from_slice(format!("--{boundary}--{end}").as_bytes());
            }
            let head = format!("Content-Type: multipart/mixed; boundary=\"{boundary}\"{end}");
            (head.into_bytes(), body)
        }
        Node::Message { inner, transfer } => {
            let (head, content) = render(inner, depth + 1, end);
            let message =
                [b"Subject: inner".as_slice(), end.as_bytes(), &head, end.as_bytes(), &content];
            let head = format!("Content-Type: message/rfc822{end}{}", transfer.field(end));
            (head.into_bytes(), wrap(*transfer, &message.concat(), end))
        }
    }
}

fn message(node: &Node, end: &str) -> Vec<u8> {
    let (head, body) = render(node, 0, end);
    [b"Subject: made up".as_slice(), end.as_bytes(), &head, end.as_bytes(), &body].concat()
}

fn words() -> impl Strategy<Value = Vec<Word>> {
    let word = prop_oneof![
        4 => Just(Word::Mark),
        4 => prop::sample::select(vec!["and", "=", "==", "a.b", "\t", "--", "+", "~", "~~", "&", "ttp"]).prop_map(Word::Plain),
        2 => Just(Word::Wide),
        3 => Just(Word::Line),
        1 => (1_u16..990).prop_map(Word::Long),
    ];
    prop::collection::vec(word, 0..30)
}

fn transfer() -> impl Strategy<Value = Transfer> {
    prop_oneof![
        Just(Transfer::Plain),
        Just(Transfer::Quoted),
        prop::sample::select(vec![76, 72, 75, 60, 4, 500])
            .prop_map(|width| Transfer::Base64 { width }),
    ]
}

fn node() -> impl Strategy<Value = Node> {
    let charset = prop::sample::select(vec![
        Charset::Utf8,
        Charset::Windows1252,
        Charset::Utf16,
        Charset::Utf7,
        Charset::Iso2022Jp,
        Charset::ShiftJis,
        Charset::None,
    ]);
    let leaf = (words(), charset, transfer(), any::<bool>()).prop_map(
        |(words, charset, transfer, html)| {
            // UTF-16 has line feeds inside characters: it never travels bare.
            let transfer = match (charset, transfer) {
                (Charset::Utf16, Transfer::Plain) => Transfer::Base64 { width: 76 },
                (_, transfer) => transfer,
            };
            Node::Leaf { words, charset, transfer, html }
        },
    );
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            (prop::collection::vec(inner.clone(), 1..4), any::<bool>(), any::<bool>()).prop_map(
                |(children, closed, preamble)| Node::Multipart { children, closed, preamble }
            ),
            (inner, transfer())
                .prop_map(|(inner, transfer)| Node::Message { inner: Box::new(inner), transfer }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    /// The engine reads what the oracle reads; after the edits every text is the old one with the marks
    /// replaced; no line is too long; the recipe restores the very message.
    #[test]
    fn surgery_is_exact(node in node(), crlf in any::<bool>()) {
        let raw = message(&node, if crlf { "\r\n" } else { "\n" });
        let report = operate(&raw);
        prop_assert!(report.wrong.is_empty(), "{:#?}\n{}", report.wrong, String::from_utf8_lossy(&raw));
    }

    /// Nothing that looks like a message stops it.
    #[test]
    fn junk_is_read_without_trouble(
        pieces in prop::collection::vec(
            prop_oneof![
                prop::sample::select(vec![
                    "\r\n", "\n", "\r", "--", "--b", "--b--", "--b \r\n", "Content-Type: multipart/mixed; boundary=b\r\n",
                    "Content-Type: message/rfc822\r\n", "Content-Transfer-Encoding: base64\r\n", "Content-Transfer-Encoding: quoted-printable\r\n",
                    "Content-Type: text/plain; charset=utf-7\r\n", "Content-Type: text/html; charset=utf-16\r\n",
                    "Content-Type: text/plain; charset=iso-2022-jp\r\n", "aHR0cDovL2EuYi9jP2Q=", "aHR0cA==\r\n", "=", "=\n\r", "=3D", "=68ttp", "http", "+AGgAdAB0AHA-",
                    "\x1b$B", "\x1b(B", "begin 644 a.html\n", "#0V%T\n", "`\nend\n", " ", "\t", ":", "X:", "é",
                ]).prop_map(|text| text.as_bytes().to_vec()),
                prop::collection::vec(any::<u8>(), 1..6),
            ],
            0..60,
        )
    ) {
        let report = operate(&pieces.concat());
        // Junk has no one reading, and the oracle has but one: what holds of every message holds here too.
        let always = ["restored", "out of order", "a line of"];
        let serious = |line: &&String| always.iter().any(|what| line.contains(what));
        let serious: Vec<_> = report.wrong.iter().filter(serious).collect();
        prop_assert!(serious.is_empty(), "{serious:#?}");
        prop_assert!(report.read_otherwise || report.wrong.is_empty(), "{:#?}", report.wrong);
    }

    /// Runs of one charset, sound and broken: the text is what a decoder without a map makes of it.
    #[test]
    fn charsets_are_decoded_as_without_a_map(
        label in prop::sample::select(vec![
            "gbk", "gb18030", "big5", "euc-jp", "euc-kr", "shift_jis", "iso-2022-jp", "koi8-r", "windows-1251", "iso-8859-8",
            "windows-874", "macintosh", "utf-8", "utf-16le", "utf-16be", "utf-7", "x-user-defined",
        ]),
        pieces in prop::collection::vec(
            prop_oneof![
                "[漢字かなカ한글тестéü€ ．。]{0,12}".prop_map(|text| (true, text.into_bytes())),
                prop::sample::select(vec!["http", " ", "\x1b$B", "\x1b(B", "\x1b(J", "\r\n", "\x0e", "~{", "+", "a"])
                    .prop_map(|text| (false, text.as_bytes().to_vec())),
                prop::collection::vec(any::<u8>(), 1..4).prop_map(|bytes| (false, bytes)),
            ],
            0..20,
        ),
    ) {
        let encoding = encoding_rs::Encoding::for_label(label.as_bytes());
        let mut body = Vec::new();
        for (text, bytes) in pieces {
            match encoding.filter(|_| text) {
                Some(encoding) => body.extend_from_slice(&encoding.encode(std::str::from_utf8(&bytes).unwrap()).0),
                None => body.extend_from_slice(&bytes),
            }
        }
        // In base64, so that every byte arrives.
        let head = format!("Content-Type: text/plain; charset={label}\r\nContent-Transfer-Encoding: base64\r\n\r\n");
        let raw = head + &base64(&body, 76, "\r\n");
        let report = operate(raw.as_bytes());
        // An edit behind half a character may be taken for its other half; what was there is read alike.
        let wrong: Vec<_> = report.wrong.iter().filter(|line| !line.contains("after the edit")).collect();
        prop_assert!(wrong.is_empty(), "{wrong:#?} in {:?}", String::from_utf8_lossy(&body));
    }
}
