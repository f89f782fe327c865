//! What the engine takes in memory beside the message itself: at most twice the message, and a constant:
//! [`BASE`], and [`LINK`] for every link that may be kept (`limits.links`). Every shape of message is a
//! named test, which prints its figure; so does real mail. Shapes that take more say how much and why.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;
#[path = "common/lines.rs"]
mod lines;

use std::fs;
use std::hint::black_box;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use lines::base64_lines;
use linkmilter::engine::limits::Limits;
use linkmilter::engine::policy::Defang;
use linkmilter::engine::{Answers, Facts, Message, Policy, TldTable, inspect, splice};
use linkmilter::tld;
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Bytes of a body of a shape.
const SIZE: usize = 4 << 20;

/// The decoded text and the map back to the message.
const USUAL: f64 = 2.0;

/// Charsets in which one byte becomes two or three of text.
const WIDER: f64 = 3.0;

/// Encodings that programs decode in more ways than one: the readings are held while they are compared.
const TWO_READINGS: f64 = 4.0;

/// A line end in every third byte of quoted-printable: each is a place in the map, in two readings.
const BREAKS: f64 = 7.0;

/// A tag of nothing but attributes, which are all held until it ends.
const ONE_TAG: f64 = 14.0;

/// Text without an element is one stretch: its map has a place for every entity.
const ONE_TEXT: f64 = 7.0;

/// While edits are made: what was read, the part encoded anew, the recipe and what it came from.
const APART: f64 = 14.0;

/// Bytes for judgements and buffers, whatever the size.
const BASE: usize = 1 << 20;

/// Bytes for a link that is found, and for one that is defanged.
const LINK: usize = 768;
const LINK_APART: usize = 2_048;

/// Links that are kept in the shapes: few, so that it is the message that counts.
const LINKS: usize = 500;

/// A shape of message: name, header, a piece of body that is repeated, what it takes at most.
type Shape = (&'static str, &'static str, Vec<u8>, f64);

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // The allocator counts for the process.
    arguments.test_threads = Some(1);
    let mut trials: Vec<Trial> =
        shapes().into_iter().map(|shape| Trial::test(shape.0, move || read(&shape))).collect();
    for (kind, piece) in [
        ("text/plain", "https://www.example.com/ \r\n"),
        ("text/html", "<a href='https://www.example.com/'>www.example.org</a>\r\n"),
    ] {
        trials.push(Trial::test(format!("links in {kind}"), move || links(kind, piece)));
    }
    trials.push(Trial::test("long lists", long_lists));
    trials.push(Trial::test("real mail", real_mail));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn shapes() -> Vec<Shape> {
    let html = "<p>See <a href=\"http://www.example.com/a/b\">the page</a> of the day, and <b>more</b></p>\r\n";
    let cyrillic = "Привет, мир: http://www.example.com/ и ещё немного слов.\r\n";
    let plain = |charset, encoding| -> &'static str {
        format!(
            "Content-Type: text/plain; charset={charset}\r\nContent-Transfer-Encoding: {encoding}\r\n"
        )
        .leak()
    };
    let page = |charset, encoding| -> &'static str {
        format!(
            "Content-Type: text/html; charset={charset}\r\nContent-Transfer-Encoding: {encoding}\r\n"
        )
        .leak()
    };
    let windows = encoding_rs::WINDOWS_1251.encode(cyrillic).0.into_owned();
    let utf16: Vec<u8> = cyrillic.encode_utf16().flat_map(u16::to_be_bytes).collect();
    vec![
        (
            "prose",
            plain("utf-8", "7bit"),
            b"It was late; nobody minded at all.\r\n".to_vec(),
            USUAL,
        ),
        ("plain text with links", plain("utf-8", "8bit"), cyrillic.into(), USUAL),
        ("page", page("utf-8", "7bit"), html.into(), USUAL),
        (
            "quoted-printable page",
            page("utf-8", "quoted-printable"),
            quoted(html.as_bytes()),
            USUAL,
        ),
        (
            "quoted-printable Cyrillic",
            plain("utf-8", "quoted-printable"),
            quoted(cyrillic.as_bytes()),
            USUAL,
        ),
        (
            "quoted-printable soft breaks",
            plain("utf-8", "quoted-printable"),
            b"ab=\r\n".to_vec(),
            BREAKS,
        ),
        (
            "quoted-printable one escape in two",
            plain("utf-8", "quoted-printable"),
            b"a=C3=A9b.de ".to_vec(),
            WIDER,
        ),
        ("base64 page", page("utf-8", "base64"), base64(html.repeat(3).as_bytes()), USUAL),
        ("base64 in short lines", page("utf-8", "base64"), b"PGEg\r\n".to_vec(), ONE_TAG),
        ("windows-1251", plain("windows-1251", "8bit"), windows.clone(), WIDER),
        (
            "windows-1251 in base64",
            plain("windows-1251", "base64"),
            base64(&windows.repeat(3)),
            WIDER,
        ),
        ("utf-16 in base64", plain("utf-16be", "base64"), base64(&utf16.repeat(3)), TWO_READINGS),
        (
            "iso-2022-jp",
            plain("iso-2022-jp", "7bit"),
            b"\x1b$B$3$s\x1b(B http://www.example.com/\r\n".to_vec(),
            WIDER,
        ),
        (
            "utf-7",
            plain("utf-7", "7bit"),
            b"a+-b http://www.example.com/ +BB8EQAQ4-\r\n".to_vec(),
            WIDER,
        ),
        (
            "entities",
            page("utf-8", "7bit"),
            b"&#119;&#119;w&#46;example&period;com &amp; ".to_vec(),
            ONE_TEXT,
        ),
        ("text that is markup", plain("utf-8", "7bit"), html.into(), USUAL),
        (
            "calendar",
            "Content-Type: text/calendar\r\n",
            b"DESCRIPTION:see http://www.exa\r\n mple.com/\\, now\r\n".to_vec(),
            USUAL,
        ),
        (
            "flowed",
            "Content-Type: text/plain; format=flowed; delsp=yes\r\n",
            b"see http://www.exa \r\nmple.com/ now\r\n".to_vec(),
            USUAL,
        ),
        (
            "message in base64",
            "Content-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n",
            base64(html.repeat(3).as_bytes()),
            TWO_READINGS,
        ),
    ]
}

/// Quoted-printable that escapes what must be, in lines of 76.
fn quoted(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut column = 0;
    for byte in bytes {
        match byte {
            b'\r' | b'\n' => {
                out.push(*byte);
                column = 0;
                continue;
            }
            b' '..=b'~' if *byte != b'=' => out.push(*byte),
            _ => out.extend_from_slice(format!("={byte:02X}").as_bytes()),
        }
        column += 3;
        if column > 72 {
            out.extend_from_slice(b"=\r\n");
            column = 0;
        }
    }
    out
}

fn base64(bytes: &[u8]) -> Vec<u8> {
    (base64_lines(bytes, 76) + "\r\n").into_bytes()
}

fn read((name, head, piece, times): &Shape) -> Result<(), Failed> {
    let body = piece.repeat(SIZE / piece.len());
    let tlds = tld::builtin();
    let limits = Limits { links: LINKS, ..Limits::default() };
    let found = Policy { limits, ..Policy::default() };
    let apart = Policy { defang: Defang::All, ..found.clone() };
    let [found, apart] =
        [found, apart].map(|policy| extra(head.as_bytes(), &body, &policy, &tlds).0);
    let by = |bytes: usize| bytes as f64 / body.len() as f64;
    println!(
        "memory of {name}: {:.2} times the message; with links defanged {:.2}",
        by(found),
        by(apart)
    );
    within(found, *times * body.len() as f64, LINKS * LINK)?;
    within(apart, APART * body.len() as f64, LINKS * LINK_APART)
}

/// As many links as the limit lets through, and more.
fn links(kind: &'static str, piece: &str) -> Result<(), Failed> {
    let head = format!("Content-Type: {kind}\r\n");
    let most = Limits::default().links;
    let body = piece.repeat(most + 1_000).into_bytes();
    let tlds = tld::builtin();
    let found = Policy::default();
    let apart = Policy { defang: Defang::All, ..Policy::default() };
    let [found, apart] =
        [found, apart].map(|policy| extra(head.as_bytes(), &body, &policy, &tlds).0);
    println!(
        "memory of {most} links in {kind}: {} bytes a link; defanged {}",
        found / most,
        apart / most
    );
    let message = USUAL * body.len() as f64;
    within(found, message, most * LINK).and(within(apart, message, most * LINK_APART))
}

/// What a list of hosts takes that somebody filled with all that others publish.
fn long_lists() -> Result<(), Failed> {
    const HOSTS: usize = 100_000;
    /// Bytes for a host of some twenty.
    const HOST: usize = 100;
    let hosts: Vec<String> = (0..HOSTS).map(|n| format!("phish{n}.login.example")).collect();
    let before = ALLOCATOR.current_usage();
    let names = linkmilter::engine::host::Names::of_hosts(&hosts);
    let taken = ALLOCATOR.current_usage().saturating_sub(before) / HOSTS;
    println!("memory of a long list: {taken} bytes a host");
    match names.covers("www.phish7.login.example") && taken <= HOST {
        true => Ok(()),
        false => Err(format!("{taken} bytes a host, where at most {HOST} were expected").into()),
    }
}

fn within(extra: usize, message: f64, links: usize) -> Result<(), Failed> {
    let most = message as usize + BASE + links;
    if extra <= most {
        return Ok(());
    }
    Err(format!("{extra} bytes, where at most {most} were expected").into())
}

/// The most bytes at once that the engine took beside the message; and the links in it.
fn extra(head: &[u8], body: &[u8], policy: &Policy, tlds: &TldTable) -> (usize, usize) {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let facts = Facts::default();
    let outcome = inspect(Message { head, body }, &facts, policy, tlds).resolve(&Answers::new());
    let sent: usize = splice::apply(body, &outcome.edits).map(<[u8]>::len).sum();
    black_box(sent);
    (ALLOCATOR.peak_usage().saturating_sub(before), outcome.links)
}

fn real_mail() -> Result<(), Failed> {
    let Some(root) = common::testdata("mail", "memory over real mail") else { return Ok(()) };
    let tlds = tld::builtin();
    let policy = Policy::default();
    // Tables that are read when something asks for them are not of the message that asks first.
    let host = "http://b\u{fc}cher.com/".as_bytes();
    extra(b"Content-Type: text/plain; charset=utf-8\r\n", host, &policy, &tlds);
    let mut worst = (0.0, String::new());
    let mut wrong = Vec::new();
    for path in common::mail::files(&root) {
        let bytes = fs::read(&path).unwrap();
        let (head, body) = common::mail::split(&bytes);
        let (extra, links) = extra(head, body, &policy, &tlds);
        let times = extra.saturating_sub(BASE + links * LINK) as f64 / bytes.len() as f64;
        if times > worst.0 {
            worst = (times, path.file_name().unwrap().to_string_lossy().into_owned());
        }
        if let Err(what) = within(extra, USUAL * bytes.len() as f64, links * LINK) {
            wrong.push(format!("{}: {}", path.display(), what.message().unwrap_or_default()));
        }
    }
    println!(
        "memory over real mail: at most {:.2} times the message above 1 MiB ({})",
        worst.0, worst.1
    );
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}
