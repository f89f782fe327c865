//! What hostile mail costs: families of one message each, at growing sizes.
//!
//! The default run asserts what the engine takes in memory at its peak, which is the same in every run:
//! at most [`TIMES`] the message and [`BASE`]. `tests/run cost` runs every family under callgrind at
//! n, 2n, 4n, 8n: it starts this binary with a family, a size and a policy in the environment and
//! subtracts what the machine needs to get there. No test asserts a time.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::hint::black_box;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use linkmilter::engine::policy::{Defang, Mode};
use linkmilter::engine::{Answers, Facts, Message, Policy, inspect, splice};
use linkmilter::tld;
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Times the message, and bytes on top, that the engine may take beside it.
const TIMES: usize = 6;
const BASE: usize = 16 << 20;

/// Bytes of a message in the default run: so small that what is not linear can still be seen to end.
const QUICK: usize = 128 << 10;

/// A piece of body that is repeated, with `{n}` for its number, between a beginning and an end.
struct Shape {
    name: &'static str,
    kind: &'static str,
    around: (&'static str, &'static str),
    piece: &'static str,
}

const fn shape(
    name: &'static str,
    kind: &'static str,
    around: (&'static str, &'static str),
    piece: &'static str,
) -> Shape {
    Shape { name, kind, around, piece }
}

const TEXT: &str = "text/plain; charset=utf-8";
const HTML: &str = "text/html; charset=utf-8";
const NONE: (&str, &str) = ("", "");

/// Every place of a link and every unit that repeats.
const SHAPES: &[Shape] = &[
    shape("prose", TEXT, NONE, "It was late; nobody minded at all.\r\n"),
    shape("links", TEXT, NONE, "see http://www.example{n}.com/path?a=b now\r\n"),
    shape("bare hosts", TEXT, NONE, "a{n}.co\r\n"),
    shape("addresses", TEXT, NONE, "ann{n}@example{n}.com, "),
    shape("lying links", TEXT, NONE, "http://p\u{430}ypal{n}.com/\r\n"),
    shape("one lying link", TEXT, NONE, "http://p\u{430}ypal.com/\r\n"),
    shape("url in url", TEXT, ("http://x.co/", "\r\n"), "http://a.co/"),
    shape(
        "url in url, sixteen deep",
        TEXT,
        NONE,
        "http://x.co/http://a.co/http://b.co/http://c.co/http://d.co/http://e.co/http://f.co/http://g.co/\r\n",
    ),
    shape("escaped url in url", TEXT, ("http://x.co/?u=", "\r\n"), "http%3A%2F%2Fa.co%2F"),
    shape("rewriters in rewriters", TEXT, ("http://x.co/", "\r\n"), "https://urldefense.com/v3/__"),
    shape("brackets", TEXT, NONE, "["),
    shape("brackets and signs", TEXT, NONE, "[[[[@]]]] "),
    shape("parentheses in a path", TEXT, ("http://a.co/", "\r\n"), "("),
    shape("angles", TEXT, NONE, "<http://a.co/ "),
    shape("dots", TEXT, NONE, "."),
    shape("colons", TEXT, NONE, ":"),
    shape("slashes", TEXT, NONE, "http://"),
    shape("signs", TEXT, NONE, "@"),
    shape("labels", TEXT, NONE, "a."),
    shape("one label", TEXT, NONE, "a"),
    shape("hyphens", TEXT, ("http://a", ".com"), "-"),
    shape("userinfo of labels", TEXT, ("http://", "@a.co/"), "b{n}."),
    shape(
        "long hosts",
        TEXT,
        NONE,
        "http://a{n}.bbbbbbbb.cccccccc.dddddddd.eeeeeeee.ffffffff.gggggggg.hhhhhhhh.iiiiiiii.jjjjjjjj.kkkkkkkk.llllllll.mmmmmmmm.nnnnnnnn.oooooooo.pppppppp.qqqqqqqq.rrrrrrrr.ssssssss.tttttttt.uuuuuuuu.vvvvvvvv.wwwwwwww.xxxxxxxx.yyyyyyyy.zzzzzzzz.aaaaaaaa.bbbbbbbb.cccccccc.com/ ",
    ),
    shape("punycode", TEXT, NONE, "http://xn--80ak6aa92e{n}.com/ "),
    shape("percent", TEXT, ("http://a.co/", "\r\n"), "%25"),
    shape("marks", TEXT, ("http://a", ".com/"), "\u{301}"),
    shape("soft hyphens", TEXT, ("http://a", ".com/"), "\u{ad}"),
    shape("bidi controls", TEXT, NONE, "\u{202e}http://a{n}.com/\u{202c} "),
    shape("taken apart", TEXT, NONE, "hxxp://a{n}[.]com/ "),
    shape("mailto", TEXT, ("mailto:", "\r\n"), "a{n}@b.co,"),
    shape("spaces", TEXT, NONE, " "),
    shape("line ends", TEXT, NONE, "\r\n"),
    shape("hrefs", HTML, NONE, "<a href='http://a{n}.com/'>b{n}.com</a>"),
    shape("lying hrefs", HTML, NONE, "<a href='http://p\u{430}ypal{n}.com/'>x</a> "),
    shape("one href many times", HTML, ("<a ", ">x</a>"), "href=http://a.co/ "),
    shape("attributes", HTML, ("<a ", ">x</a>"), "x{n}=y "),
    shape("meta", HTML, ("<meta ", ">"), "content=x "),
    shape(
        "meta refresh",
        HTML,
        ("<meta http-equiv=refresh ", ">"),
        "content='0;url=http://a.co/' ",
    ),
    shape("handlers", HTML, ("<a ", ">"), "onclick='x//a.co' "),
    shape("srcset", HTML, ("<img srcset='", "'>"), "http://a{n}.co/ 1x,"),
    shape("styles", HTML, ("<p style='", "'>"), "x:url(http://a{n}.co/);"),
    shape("sheet", HTML, ("<style>", "</style>"), "@import 'http://a{n}.co/';"),
    shape(
        "an element of a long name",
        HTML,
        NONE,
        "<x-long-name-of-an-element href='http://p\u{430}ypal.com/'>",
    ),
    shape(
        "one long name",
        HTML,
        ("<", " href='http://p\u{430}ypal.com/' src='http://p\u{430}ypal.com/'>"),
        "x",
    ),
    shape("entities", HTML, NONE, "&#119;&#119;w&#46;example&period;com &amp; "),
    shape("one entity", HTML, NONE, "&"),
    shape("comments", HTML, NONE, "<!--"),
    shape(
        "conditional comments",
        HTML,
        NONE,
        "<!--[if mso]><a href=http://a{n}.co/>x</a><![endif]-->",
    ),
    shape("open tags", HTML, NONE, "<a "),
    shape("angles in HTML", HTML, NONE, "<"),
    shape("ends", HTML, NONE, "</"),
    shape("quotes", HTML, ("<a href='", ""), "http://a.co/ \""),
    shape("bdo", HTML, NONE, "<bdo dir=rtl>moc.elpmaxe</bdo> "),
    shape("nested bdo", HTML, NONE, "<bdo dir=rtl>a.co "),
    shape("hidden", HTML, NONE, "<span style='display:none'>x</span>"),
    shape("raw text", HTML, NONE, "<xmp><iframe><title>"),
    shape("srcdoc", HTML, NONE, "<iframe srcdoc='&lt;a href=http://a{n}.co/&gt;'></iframe>"),
    shape("word breaks", HTML, NONE, "pay<wbr>pal<b>.</b>com "),
    shape("tables", HTML, NONE, "<td>a{n}.co"),
    shape("script", HTML, ("<script>", "</script>"), "'http://a{n}.co/';"),
    shape("text areas", HTML, NONE, "<textarea>a{n}.co</textarea>"),
    shape(
        "calendar",
        "text/calendar",
        NONE,
        "DESCRIPTION:see http://www.exa\r\n mple.com/\\, now\r\n",
    ),
    shape("a long property", "text/calendar", NONE, "X"),
    shape(
        "properties of long names",
        "text/calendar",
        NONE,
        "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX:http://p\u{430}ypal.com/\r\n",
    ),
    shape(
        "links of one property",
        "text/calendar",
        ("X-VERY-LONG-NAME:", "\r\n"),
        "http://p\u{430}ypal{n}.com ",
    ),
    shape(
        "calendar parameters",
        "text/calendar",
        ("ATTENDEE", ":x"),
        ";SENT-BY=\"mailto:a{n}@b.co\"",
    ),
    shape("folds", "text/calendar", ("URL:http://a", ""), "\r\n b"),
    shape("escapes", "text/calendar", ("SUMMARY:", ""), "\\"),
    shape(
        "flowed",
        "text/plain; format=flowed; delsp=yes",
        NONE,
        "see http://www.exa \r\nmple.com/ now\r\n",
    ),
    shape("flowed words", "text/plain; format=flowed; delsp=yes", NONE, "a \r\n"),
    shape("quotes of flowed text", "text/plain; format=flowed; delsp=yes", NONE, ">"),
    shape("uuencode", TEXT, NONE, "begin 644 a.txt\r\n#0V%T\r\n`\r\nend\r\n"),
    shape(
        "uuencode of long names",
        TEXT,
        NONE,
        "begin 644 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.html\r\n#0V%T\r\n`\r\nend\r\n",
    ),
    shape("uuencode that begins", TEXT, NONE, "begin 644 a\r\n"),
    shape(
        "UTF-7",
        "text/plain; charset=utf-7",
        NONE,
        "a+-b http://www.example.com/ +BB8EQAQ4-\r\n",
    ),
    shape(
        "one run of UTF-7",
        "text/plain; charset=utf-7",
        ("+", "-"),
        "AGgAdAB0AHAAOgAvAC8AYQAuAGMAbwAg",
    ),
    shape("pluses of UTF-7", "text/plain; charset=utf-7", NONE, "+"),
    shape(
        "ISO-2022-JP",
        "text/plain; charset=iso-2022-jp",
        NONE,
        "\u{1b}$B$3$s\u{1b}(B http://www.example.com/\r\n",
    ),
    shape("HZ", "text/plain; charset=hz-gb-2312", NONE, "~{<:Ky2;~} http://a.co/\r\n"),
    shape("KOI8-R", "text/plain; charset=koi8-r", NONE, "\u{43f} http://a{n}.co/ "),
    shape(
        "five charsets",
        "text/html; charset=koi8-r; charset*=''gbk",
        ("<meta charset=windows-1251>", ""),
        "<a href='http://\u{43f}{n}.com/'>x</a>",
    ),
    shape("parts", "multipart/mixed; boundary=b", NONE, "--b\r\n\r\nhttp://a{n}.co/\r\n"),
    shape(
        "alternatives",
        "multipart/alternative; boundary=b",
        NONE,
        "--b\r\n\r\nhttp://a{n}.co/\r\n--b\r\nContent-Type: text/html\r\n\r\n<a href=http://b{n}.co/>\r\n",
    ),
    shape(
        "nested parts",
        "multipart/mixed; boundary=b",
        NONE,
        "--b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n",
    ),
    shape("nested messages", "message/rfc822", NONE, "Content-Type: message/rfc822\r\n\r\n"),
    shape(
        "parameters of parts",
        "multipart/mixed; boundary=b",
        ("--b\r\nContent-Type: text/plain", "\r\n\r\nx"),
        "; a{n}=b",
    ),
    shape("delimiters", "multipart/mixed; boundary=b", NONE, "--b\r\n"),
    shape("delimiters of others", "multipart/mixed; boundary=b", NONE, "--c\r\n"),
    shape(
        "lines that grow too long",
        "multipart/mixed; boundary=b",
        NONE,
        "--b\r\n\r\nhttp://p\u{430}ypal.com/                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    x\r\n",
    ),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Plain,
    QuotedPrintable,
    Base64,
    /// Without one line end.
    Base64InOneLine,
}

const ENCODINGS: [Encoding; 4] =
    [Encoding::Plain, Encoding::QuotedPrintable, Encoding::Base64, Encoding::Base64InOneLine];

/// A message of a family.
struct Letter {
    head: Vec<u8>,
    body: Vec<u8>,
}

/// A name, and how to make its message of about so many bytes.
struct Family {
    name: String,
    make: Box<dyn Fn(usize) -> Letter + Send + Sync>,
}

fn families() -> Vec<Family> {
    let mut families = Vec::new();
    for shape in SHAPES {
        for encoding in ENCODINGS {
            // Containers are not encoded as a whole.
            if encoding != Encoding::Plain && !shape.kind.starts_with("text/") {
                continue;
            }
            let name = match encoding {
                Encoding::Plain => shape.name.to_owned(),
                Encoding::QuotedPrintable => format!("{}, quoted-printable", shape.name),
                Encoding::Base64 => format!("{}, base64", shape.name),
                Encoding::Base64InOneLine => format!("{}, base64 in one line", shape.name),
            };
            families
                .push(Family { name, make: Box::new(move |size| letter(shape, encoding, size)) });
        }
    }
    for (name, piece) in [
        ("header fields", "X-Field-{n}: http://a.co/\r\n"),
        ("our own names", "X-Linkmilter-{n}: x\r\n"),
        ("our own name", "X-Linkmilter: x\r\n"),
        ("recipes", "X-Linkmilter-Undo: v=1; z=AAAA\r\n"),
        ("content types", "Content-Type: text/html; charset=utf-8; name=x{n}\r\n"),
        ("subjects", "Subject: see http://a{n}.co/\r\n"),
        ("encoded words", "Subject: =?utf-8?q?a=2Eco?=\r\n"),
        ("senders", "From: a{n}.com <b@c{n}.com>\r\n"),
        ("folds of a field", "Subject: x\r\n y\r\n"),
    ] {
        families.push(Family {
            name: name.to_owned(),
            make: Box::new(move |size| Letter {
                head: repeated(piece, size),
                body: b"http://a.co/\r\n".to_vec(),
            }),
        });
    }
    for (name, front, piece) in [
        ("one address list", "To: ", "a{n}.com <b@c{n}.com>,"),
        ("comments of a field", "From: ", "("),
        ("one encoded word after another", "Subject: ", "=?utf-8?q?a=2Eco?= "),
        ("parameters", "Content-Type: text/plain", "; a*{n}*=b"),
        ("boundary of any length", "Content-Type: multipart/mixed; boundary=", "b"),
    ] {
        families.push(Family {
            name: name.to_owned(),
            make: Box::new(move |size| Letter {
                head: [front.as_bytes(), &repeated(piece, size), b"\r\n"].concat(),
                body: b"http://a.co/\r\n".to_vec(),
            }),
        });
    }
    families
}

fn repeated(piece: &str, size: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(size + piece.len());
    let mut number = 0_usize;
    while out.len() < size {
        out.extend_from_slice(piece.replace("{n}", &number.to_string()).as_bytes());
        number += 1;
    }
    out
}

fn letter(shape: &Shape, encoding: Encoding, size: usize) -> Letter {
    let size = match encoding {
        Encoding::Plain => size,
        Encoding::QuotedPrintable => size / 2,
        Encoding::Base64 | Encoding::Base64InOneLine => size / 4 * 3,
    };
    let (before, behind) = shape.around;
    let text = [before.as_bytes(), &repeated(shape.piece, size), behind.as_bytes()].concat();
    let (label, body) = match encoding {
        Encoding::Plain => ("8bit", text),
        Encoding::QuotedPrintable => ("quoted-printable", quoted(&text)),
        Encoding::Base64 => ("base64", base64(&text, 19)),
        Encoding::Base64InOneLine => ("base64", base64(&text, usize::MAX)),
    };
    let head = format!("Content-Type: {}\r\nContent-Transfer-Encoding: {label}\r\n", shape.kind);
    Letter { head: head.into_bytes(), body }
}

/// Quoted-printable that escapes every third byte, in lines of 76.
fn quoted(bytes: &[u8]) -> Vec<u8> {
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
        if column > 72 {
            out.extend_from_slice(b"=\r\n");
            column = 0;
        }
    }
    out
}

fn base64(bytes: &[u8], units: usize) -> Vec<u8> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = Vec::new();
    for (index, unit) in bytes.chunks_exact(3).enumerate() {
        let bits = unit.iter().fold(0, |bits, byte| bits << 8 | usize::from(*byte));
        out.extend((0..4).rev().map(|sextet| LETTERS[bits >> (6 * sextet) & 63]));
        if index % units == units - 1 {
            out.extend_from_slice(b"\r\n");
        }
    }
    out.extend_from_slice(b"\r\n");
    out
}

fn policies() -> [(&'static str, Policy); 4] {
    let plain = Policy::default();
    [
        ("default", plain.clone()),
        ("report-only", Policy { mode: Mode::ReportOnly, ..plain.clone() }),
        ("strict", Policy { mode: Mode::Strict, ..plain.clone() }),
        ("defang-all", Policy { defang: Defang::All, ..plain }),
    ]
}

/// All that the daemon does with a message, but for the wire.
fn judge(letter: &Letter, policy: &Policy) -> usize {
    let tlds = tld::builtin();
    let message = Message { head: &letter.head, body: &letter.body };
    let facts = Facts::default();
    let outcome = black_box(inspect(message, &facts, policy, &tlds)).resolve(&Answers::new());
    splice::apply(message.body, &outcome.edits).byte_len()
}

fn peak(family: &Family, policy: &Policy) -> Result<(), Failed> {
    let letter = (family.make)(QUICK);
    let size = letter.head.len() + letter.body.len();
    // The tables are made once.
    judge(&Letter { head: Vec::new(), body: b"http://p\xd0\xb0ypal.com/".to_vec() }, policy);
    ALLOCATOR.reset_peak_usage();
    let before = ALLOCATOR.current_usage();
    let out = judge(&letter, policy);
    let peak = ALLOCATOR.peak_usage().saturating_sub(before);
    let most = TIMES * size + BASE;
    let factor = peak as f64 / size as f64;
    eprintln!("{}: {size} bytes, peak {peak} ({factor:.1} ×), out {out}", family.name);
    if peak > most {
        return Err(format!("expected at most {most} bytes, found {peak}").into());
    }
    Ok(())
}

fn main() -> ExitCode {
    let wanted = |name: &str| std::env::var(name).ok();
    if let (Some(family), Some(size)) = (wanted("COST_FAMILY"), wanted("COST_SIZE")) {
        let policy = wanted("COST_POLICY").unwrap_or_else(|| "default".to_owned());
        let (_, policy) = policies().into_iter().find(|(name, _)| *name == policy).unwrap();
        let family = families().into_iter().find(|one| one.name == family).unwrap();
        black_box(judge(&(family.make)(size.parse().unwrap()), &policy));
        return ExitCode::SUCCESS;
    }
    if wanted("COST_LIST").is_some() {
        families().iter().for_each(|family| println!("{}", family.name));
        return ExitCode::SUCCESS;
    }
    let mut arguments = Arguments::from_args();
    // The allocator counts for the process.
    arguments.test_threads = Some(1);
    let trials = policies()
        .into_iter()
        .filter(|(name, _)| matches!(*name, "default" | "defang-all"))
        .flat_map(|(name, policy)| {
            families().into_iter().map(move |family| {
                let policy = policy.clone();
                Trial::test(format!("{}: {name}", family.name), move || peak(&family, &policy))
            })
        })
        .collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}
