//! Mail that is meant to hurt: every case has a name, ends, and is read as far as the limits allow.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

#[path = "common/lines.rs"]
mod lines;

use lines::base64_lines;
use linkmilter::engine::limits::Limits;
use linkmilter::engine::mime::{self, ClientView, Media, Tree};
use linkmilter::engine::outcome::{Bypass, Disposition};
use linkmilter::engine::policy::Defang;
use linkmilter::engine::splice::apply;
use linkmilter::engine::{Answers, Facts, Message, Outcome, Policy, Verdict, inspect};
use linkmilter::tld;

const LINK: &str = "http://www.example.com/hostile";

/// Reads with the whole engine, every link taken for unsafe.
fn outcome(head: &[u8], body: &[u8]) -> Outcome {
    let policy = Policy { defang: Defang::All, ..Policy::default() };
    inspect(Message { head, body }, &Facts::default(), &policy, &tld::builtin())
        .resolve(&Answers::new())
}

fn by_default(head: &str, body: &str) -> Outcome {
    let message = Message { head: head.as_bytes(), body: body.as_bytes() };
    inspect(message, &Facts::default(), &Policy::default(), &tld::builtin())
        .resolve(&Answers::new())
}

fn parse<'m>(head: &'m [u8], body: &'m [u8]) -> Tree {
    mime::parse(Message { head, body }, &Limits::default().structure())
}

fn edited(body: &[u8], outcome: &Outcome) -> String {
    String::from_utf8_lossy(&apply(body, &outcome.edits).to_vec()).into_owned()
}

/// The one link of the message is seen and gone.
fn defanged(head: &str, body: &str) -> Outcome {
    let outcome = outcome(head.as_bytes(), body.as_bytes());
    let new = edited(body.as_bytes(), &outcome);
    assert!(!outcome.edits.is_empty(), "no edit in {body:?}: {:?}", outcome.bypasses);
    assert!(!new.contains(LINK), "{new}");
    outcome
}

fn limits(bypasses: &[(String, Bypass)]) -> Vec<&'static str> {
    bypasses
        .iter()
        .filter_map(|(_, why)| match why {
            Bypass::Limit(limit) => Some(limit.name()),
            _ => None,
        })
        .collect()
}

#[test]
fn nested_messages_33000() {
    let body = "Content-Type: message/rfc822\r\n\r\n".repeat(33_000) + LINK;
    let tree = parse(b"Content-Type: message/rfc822\r\n", body.as_bytes());
    assert_eq!(limits(&tree.bypasses), ["depth"]);
    assert_eq!(tree.parts.len(), 1);
    defanged("Content-Type: message/rfc822\r\n", &body);
}

#[test]
fn nested_multiparts_10000() {
    let mut body = String::new();
    for level in 0..10_000 {
        body += &format!(
            "--b{level}\r\nContent-Type: multipart/mixed; boundary=b{}\r\n\r\n",
            level + 1
        );
    }
    body += LINK;
    let head = "Content-Type: multipart/mixed; boundary=b0\r\n";
    assert_eq!(limits(&parse(head.as_bytes(), body.as_bytes()).bypasses), ["depth"]);
    defanged(head, &body);
}

#[test]
fn each_part_declares_an_absent_boundary() {
    let mut body = String::new();
    for part in 0..9_000 {
        body += &format!("--b\r\nContent-Type: multipart/mixed; boundary=absent{part}\r\n\r\n");
        body += if part == 8_999 { LINK } else { "text" };
        body += "\r\n";
    }
    let head = "Content-Type: multipart/mixed; boundary=b\r\n";
    let tree = parse(head.as_bytes(), body.as_bytes());
    assert_eq!(tree.parts.len(), 9_000);
    assert!(tree.parts.iter().all(|part| part.media == Media::Plain));
    defanged(head, &body);
}

#[test]
fn parts_beyond_the_limit() {
    let body = "--b\r\n\r\nword\r\n".repeat(30_000);
    let tree = parse(b"Content-Type: multipart/mixed; boundary=b\r\n", body.as_bytes());
    // And what stands behind them as one.
    assert_eq!(tree.parts.len(), Limits::default().parts + 1);
    assert_eq!(limits(&tree.bypasses), ["parts"]);
}

/// What fills a message up before a lie: nothing is delivered half read without a word.
#[test]
fn padding_before_a_lie_does_not_save_it() {
    let lie = "see http://p\u{430}ypal.com/ now\r\n";
    let text = "Content-Type: text/plain; charset=utf-8\r\n";
    for padding in ["a.co ", "http://example.com/x ", "bob@example.com\r\n"] {
        let body = format!("{}\r\n{lie}", padding.repeat(50_001));
        let read = by_default(text, &body);
        assert_eq!((&*read.bypasses, read.disposition), (&[][..], Disposition::Accept));
        assert_eq!((read.links, read.edited()), (50_002, 1));
        assert!(!edited(body.as_bytes(), &read).contains("http://p\u{430}ypal"));
    }
    let head = "Content-Type: multipart/mixed; boundary=b\r\n";
    for padding in ["--b\r\n", "--b\r\n\r\n\r\n", "--b\r\n\r\nco.\r\n"] {
        let body = format!("{}--b\r\n{text}\r\n{lie}--b--\r\n", padding.repeat(100_001));
        let read = by_default(head, &body);
        assert_eq!((&*read.bypasses, read.disposition), (&[][..], Disposition::Accept));
        assert!(!edited(body.as_bytes(), &read).contains("http://p\u{430}ypal"));
    }
    let parts = "--b\r\n\r\nword\r\n".repeat(10_001);
    for kind in [text, "Content-Type: text/html; charset=utf-8\r\n"] {
        let lie = format!("{lie}<a href=https://\u{430}pple.com>x</a>\r\n");
        let body = format!("{parts}--b\r\n{kind}\r\n{lie}--b\r\n{text}\r\n{lie}--b--\r\n");
        let read = by_default(head, &body);
        let after = edited(body.as_bytes(), &read);
        assert!(!after.contains("http://p\u{430}ypal") && !after.contains("=https://\u{430}pple"));
    }
    let body = format!("{parts}--b\r\n{text}\r\n{lie}--b--\r\n");
    let read = by_default(head, &body);
    assert!(limits(&read.bypasses).contains(&"parts"), "{:?}", read.bypasses);
    assert!(read.verdict >= Verdict::Suspect);
    assert_eq!(read.disposition, Disposition::Quarantine);
    // Nothing that was found asks for that.
    assert_eq!(read.because.unwrap().to_string(), "not read in full (limit:parts)");
}

#[test]
fn boundary_in_the_middle_of_a_line() {
    let head = "Content-Type: multipart/mixed; boundary=b\r\n";
    let body = format!("--b\r\n\r\nnot here --b\r\n x--b\r\n{LINK}\r\n--b--\r\n");
    assert_eq!(parse(head.as_bytes(), body.as_bytes()).parts.len(), 1);
    defanged(head, &body);
}

#[test]
fn boundary_folded_before_its_value() {
    let body = format!("--b\r\n\r\n{LINK}\r\n--b--\r\n");
    for head in [
        "Content-Type: multipart/mixed; boundary=\r\n b\r\n",
        "Content-Type: multipart/mixed; boundary=\r\n \"b\"\r\n",
        "Content-Type: multipart/mixed; boundary\r\n\t=b\r\n",
        "Content-Type:\r\n multipart/mixed\r\n ;boundary=b\r\n",
    ] {
        defanged(head, &body);
        let tree = parse(head.as_bytes(), body.as_bytes());
        let usual: Vec<_> = tree.parts.iter().map(|part| part.raw_range().unwrap()).collect();
        assert_eq!(usual[0], 7..7 + LINK.len(), "{head:?}");
    }
}

#[test]
fn duplicate_content_type_is_read_both_ways() {
    let body =
        format!("--b\r\nContent-Type: text/html\r\n\r\n<a href=\"{LINK}\">x</a>\r\n--b--\r\n");
    for head in [
        "Content-Type: multipart/mixed; boundary=b\r\nContent-Type: application/zip\r\n",
        "Content-Type: application/zip\r\nContent-Type: multipart/mixed; boundary=b\r\n",
        "Content-Type: multipart/mixed; boundary=a\r\nContent-Type: multipart/mixed; boundary=b\r\n",
        "Content-Type: multipart/mixed; boundary=a; boundary=b\r\n",
        "Content-Type: multipart/mixed; boundary=a; boundary*=''b\r\n",
        "Content-Type: multipart/mixed; boundary*0=\"b\"; boundary=a\r\n",
    ] {
        let outcome = outcome(head.as_bytes(), body.as_bytes());
        let new = edited(body.as_bytes(), &outcome);
        assert!(!new.contains(&format!(" href=\"{LINK}")), "{head}: {new}");
    }
}

/// Delimiters are bytes: what the header says in Latin-1 or percent-encoded stands so in the body.
#[test]
fn boundaries_are_bytes() {
    for (label, delimiter) in [
        (&b"boundary=\"caf\xE9\""[..], &b"caf\xE9"[..]),
        (b"boundary=caf\xE9", b"caf\xE9"),
        (b"boundary=\"\xFF\xFE\x80\"", b"\xFF\xFE\x80"),
        ("boundary=\"caf\u{e9}\"".as_bytes(), "caf\u{e9}".as_bytes()),
        (b"boundary*=iso-8859-1''caf%E9", b"caf\xE9"),
        (b"boundary*=utf-8''caf%C3%A9", "caf\u{e9}".as_bytes()),
        (b"boundary*0*=iso-8859-1''caf%E9; boundary*1=\"\xE8\"", b"caf\xE9\xE8"),
        (b"boundary=plain; boundary*=iso-8859-1''caf%E9", b"caf\xE9"),
        (b"boundary=caf\xE9; boundary*=us-ascii''plain", b"caf\xE9"),
        (b"boundary=caf\xE9; boundary*=us-ascii''plain", b"plain"),
        (b"boundary=one; boundary=caf\xE9", b"caf\xE9"),
    ] {
        let head = [b"Content-Type: multipart/mixed; ", label, b"\r\n"].concat();
        let part =
            "Content-Transfer-Encoding: base64\r\n\r\n".to_owned() + &base64(LINK.as_bytes());
        // So far in that nobody guesses.
        let preamble = "preamble\r\n".repeat(500).into_bytes();
        let body = [
            &preamble,
            &b"--"[..],
            delimiter,
            b"\r\n",
            part.as_bytes(),
            b"--",
            delimiter,
            b"--\r\n",
        ];
        let tree = parse(&head, &body.concat());
        let encoded = tree.parts.iter().any(|part| part.transfer() == mime::Transfer::Base64);
        assert!(encoded, "{}", String::from_utf8_lossy(&head));
        assert!(!outcome(&head, &body.concat()).edits.is_empty());
    }
}

/// Clients differ over escapes, charsets and comments in a boundary: where the declared one never
/// comes, the delimiter that stands there is another reading.
#[test]
fn a_boundary_that_nobody_declared() {
    for label in [
        "",
        "; boundary=other",
        "; boundary=\"b\u{e9}\"",
        "; boundary*=utf-8''b%20",
        "; boundary=(comment)b",
        "; boundary='b'",
    ] {
        let head = format!("Content-Type: multipart/mixed{label}\r\n");
        let part = base64(LINK.as_bytes());
        let body = format!(
            "preamble\r\n--b\r\nContent-Transfer-Encoding: base64\r\n\r\n{part}\r\n--b--\r\n"
        );
        let outcome = outcome(head.as_bytes(), body.as_bytes());
        assert!(!outcome.edits.is_empty(), "{label}");
    }
    let far = format!("{}\r\n--b\r\n{LINK}\r\n", "y".repeat(5_000));
    let tree = parse(b"Content-Type: multipart/mixed\r\n", far.as_bytes());
    assert_eq!(tree.parts[0].raw_range(), Some(0..far.len()));
}

/// Each level has two labels: a walk over all that is inside for every one.
#[test]
fn a_preamble_is_text_to_clients_that_guess_no_boundary() {
    for label in ["multipart/mixed", "multipart", "multipart; boundary"] {
        let body = format!("see {LINK} now\r\n--b\r\n\r\nnothing\r\n--b--\r\n");
        defanged(&format!("Content-Type: {label}\r\n"), &body);
        let body = format!("preamble\r\n--b\r\nX: y\r\n\r\nsee {LINK} now\r\n--b--\r\n");
        defanged(&format!("Content-Type: {label}\r\n"), &body);
    }
}

#[test]
fn a_type_without_a_subtype_is_text() {
    let parts = |label: &str| {
        let head = format!("Content-Type: {label}\r\n");
        let body = b"preamble\r\n--b\r\n\r\none\r\n--b--\r\n";
        let tree = parse(head.as_bytes(), body);
        let usual = tree.parts.into_iter().find(|part| part.view == ClientView::Usual);
        usual.unwrap().raw_range().unwrap()
    };
    assert_eq!(parts("multipart; boundary=b"), 0..29, "RFC 2045 §5.2");
    assert_eq!(parts("multipart/; boundary=b"), 0..29);
    assert_eq!(parts("multipart/mixed; boundary=b"), 17..20);
}

#[test]
fn a_carriage_return_within_a_parameter_is_white_space() {
    let head = "Content-Type: multipart/mixed; boundary=b\rc\r\n";
    let body = format!("--b\r\n\r\n{LINK}\r\n--b--\r\n");
    let tree = parse(head.as_bytes(), body.as_bytes());
    assert_eq!(tree.parts[0].raw_range(), Some(7..7 + LINK.len()));
    let whole = body.replace("--b", "--bc");
    defanged(head, &whole);
}

#[test]
fn second_readings_are_bounded() {
    let mut body = String::new();
    for level in 0..50 {
        body += &format!(
            "--b{level}\r\nContent-Type: multipart/mixed; boundary=b{}\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n",
            level + 1
        );
    }
    body += LINK;
    let head = "Content-Type: multipart/mixed; boundary=b0\r\n";
    let outcome = defanged(head, &body);
    assert!(limits(&outcome.bypasses).contains(&"readings"), "{:?}", outcome.bypasses);
}

#[test]
fn charsets_of_a_part_are_bounded() {
    let labels = "Content-Type: text/html; charset=koi8-r; charset=big5; charset*=''gbk\r\n\
                  Content-Type: text/html; charset=shift_jis; charset=euc-kr; charset*=''utf-7\r\n";
    let body = format!("<meta charset=windows-1251>\u{e4} {LINK}\r\n");
    let message = Message { head: labels.as_bytes(), body: body.as_bytes() };
    let tree = mime::parse(message, &Limits::default().structure());
    let most = (0..tree.parts.len()).map(|part| mime::readings(message, &tree, part).count()).max();
    assert_eq!(most, Some(6));
    defanged(labels, &body);
}

/// The label of the new encoding and the body that is encoded anew begin at one place.
#[test]
fn a_part_without_a_header_whose_line_grows_too_long() {
    let line = format!("{} {LINK} {}", "w".repeat(482), "w".repeat(482));
    for (before, after) in [("", ""), ("one\r\n", ""), ("one=1\r\n", ""), ("", "\r\ntwo=2")] {
        let body = format!("--b\r\n{before}{line}{after}\r\n--b\r\n\r\nsecond\r\n--b--\r\n");
        let head = "Content-Type: multipart/mixed; boundary=b\r\n";
        let outcome = defanged(head, &body);
        let new = edited(body.as_bytes(), &outcome);
        let label = "--b\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n";
        assert!(new.starts_with(label), "{new}");
        assert!(new.lines().all(|line| line.len() <= 998), "{new}");
    }
}

/// `git send-email` asks which charset it should declare, and takes "y" for the name of one.
#[test]
fn an_answer_is_no_charset() {
    let body = "see http://example.com/, J\u{f6}rg\r\n";
    for (label, verdict) in
        [("y", Verdict::Ok), ("\"Yes\"", Verdict::Ok), ("nobody", Verdict::Suspect)]
            .into_iter()
            .chain(
                ["utf-8-sig", "UTF-8-BOM", "de_DE.utf8", "ansi", "null"]
                    .map(|label| (label, Verdict::Ok)),
            )
    {
        let head = format!("Content-Type: text/plain; charset={label}\r\n");
        assert_eq!(by_default(&head, body).verdict, verdict, "{label}");
    }
}

/// A byte that is no UTF-8 makes nobody read the rest of an unlabelled part as windows-1252 alone.
#[test]
fn one_stray_byte_and_utf8_around_it() {
    for label in ["", "us-ascii", "x-unknown", "iso-8859-1", "y"] {
        let charset = if label.is_empty() { "" } else { "; charset=" };
        let head = format!("Content-Type: text/plain{charset}{label}\r\n");
        for body in [
            &b"\xff see http://\xd1\x81hase.com/\r\n"[..],
            b"see http://\xd1\x81hase.com/ \xff\r\n",
            b"\xe9t\xe9 http://\xd1\x81hase.com/ \xc3\r\n",
        ] {
            let outcome = inspect(
                Message { head: head.as_bytes(), body },
                &Facts::default(),
                &Policy::default(),
                &tld::builtin(),
            )
            .resolve(&Answers::new());
            assert_eq!(outcome.verdict, Verdict::Unsafe, "{label} {body:?}");
            let new = apply(body, &outcome.edits).to_vec();
            assert!(!new.windows(8).any(|at| at == b"\xd1\x81hase.c"), "{new:?}");
        }
    }
}

#[test]
fn markup_far_into_a_text() {
    let read = |before: usize| {
        let body = format!("{} <a href=x>y</a>: z\r\n", "w".repeat(before));
        let message = Message { head: b"", body: body.as_bytes() };
        let tree = mime::parse(message, &Limits::default().structure());
        mime::all_readings(message, &tree, 0).any(|reading| reading.media == Media::Html)
    };
    assert!(read(900));
    assert!(!read(1_100));
}

#[test]
fn a_broken_header_line_begins_the_body_for_some() {
    let body = format!(
        "--b\r\nContent-Type: text/plain\r\nno field {LINK} here\r\nContent-Type: application/zip\r\n\r\nPK\r\n--b--\r\n"
    );
    defanged("Content-Type: multipart/mixed; boundary=b\r\n", &body);
}

#[test]
fn a_part_without_header_and_empty_line() {
    let body = format!("--b\r\nsee {LINK} at once\r\n--b--\r\n");
    defanged("Content-Type: multipart/mixed; boundary=b\r\n", &body);
}

#[test]
fn missing_closing_boundaries() {
    let body = format!(
        "--a\r\nContent-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\n\r\none\r\n--a\r\n\r\n{LINK}\r\n"
    );
    defanged("Content-Type: multipart/mixed; boundary=a\r\n", &body);
}

#[test]
fn parts_behind_the_closing_boundary() {
    let body = format!("--b\r\n\r\nx\r\n--b--\r\nepilogue\r\n--b\r\n\r\n{LINK}\r\n");
    defanged("Content-Type: multipart/mixed; boundary=b\r\n", &body);
}

fn base64(bytes: &[u8]) -> String {
    base64_lines(bytes, 76).trim_end().to_owned() + "\r\n"
}

#[test]
fn base64_of_base64_of_base64() {
    let mut message = format!("Content-Type: text/plain\r\n\r\nsee {LINK} now\r\n");
    for _ in 0..12 {
        message = format!(
            "Content-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\n{}",
            base64(message.as_bytes())
        );
    }
    let (head, body) = message.split_once("\r\n\r\n").unwrap();
    let head = format!("{head}\r\n");
    let outcome = outcome(head.as_bytes(), body.as_bytes());
    assert!(!outcome.edits.is_empty(), "{:?}", outcome.bypasses);
    let new = edited(body.as_bytes(), &outcome);
    let again = self::outcome(head.as_bytes(), new.as_bytes());
    assert!(again.edits.is_empty(), "nothing is left to edit");
}

#[test]
fn layers_are_bounded() {
    let inner = "x".repeat(300_000);
    let mut message = format!("Content-Type: text/plain\r\n\r\n{inner}");
    for _ in 0..60 {
        message = format!(
            "Content-Type: message/rfc822\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n{}",
            message.replace('=', "=3D")
        );
    }
    let (head, body) = message.split_once("\r\n\r\n").unwrap();
    let tree = parse(format!("{head}\r\n").as_bytes(), body.as_bytes());
    assert_eq!(limits(&tree.bypasses), ["unwrapped"]);
}

#[test]
fn labels_nobody_should_write() {
    let plain = format!("see {LINK} now\r\n");
    for label in [
        "base64;",
        "BASE64",
        " \"base64\"",
        "base64 (really)",
        "base64\r\nContent-Transfer-Encoding: 7bit",
    ] {
        let head = format!("Content-Type: text/plain\r\nContent-Transfer-Encoding: {label}\r\n");
        let outcome = outcome(head.as_bytes(), base64(plain.as_bytes()).as_bytes());
        assert!(!outcome.edits.is_empty(), "{label}");
    }
}

#[test]
fn header_of_one_megabyte() {
    let mut head = "Content-Type: text/plain\r\n".to_owned();
    head += &format!("X-Long: {}\r\n", "y ".repeat(1 << 20));
    let outcome = defanged(&head, LINK);
    assert!(limits(&outcome.bypasses).contains(&"header"));
    let part = format!("--b\r\n{head}\r\n{LINK}\r\n--b--\r\n");
    defanged("Content-Type: multipart/mixed; boundary=b\r\n", &part);
}

#[test]
fn parameters_without_end() {
    let head =
        format!("Content-Type: multipart/mixed{}; boundary=b\r\n", "; a*1=b".repeat(100_000));
    let body = format!("--b\r\n\r\n{LINK}\r\n");
    let tree = parse(head.as_bytes(), body.as_bytes());
    assert!(!tree.parts.is_empty());
    let comment = format!("Content-Type: {}text/plain\r\n", "(".repeat(500_000));
    parse(comment.as_bytes(), body.as_bytes());
}

#[test]
fn body_of_100_megabytes() {
    let line = "All work and no play makes a dull line, again and again and again and so\r\n";
    let mut body = line.repeat((100 << 20) / line.len());
    body += LINK;
    let outcome = outcome(b"Content-Type: text/plain\r\n", body.as_bytes());
    assert!(!outcome.edits.is_empty());
    assert!(outcome.edits.iter().all(|edit| edit.range.start >= body.len() - LINK.len()));
}

#[test]
fn lines_that_look_like_boundaries() {
    let body = "--\r\n".repeat(500_000) + "--b\r\n\r\n" + LINK;
    defanged("Content-Type: multipart/mixed; boundary=b\r\n", &body);
}

#[test]
fn uuencoded_page_in_plain_text() {
    // begin 644 a.html / <a href="http://www.example.com/hostile">x</a>
    let page = format!("<a href=\"{LINK}\">x</a>\n");
    let digit =
        |value: u32| char::from(if value & 63 == 0 { b'`' } else { 32 + (value & 63) as u8 });
    let mut block = String::from("begin 644 a.html\n");
    for line in page.as_bytes().chunks(45) {
        block.push(digit(line.len() as u32));
        for unit in line.chunks(3) {
            let byte = |at: usize| u32::from(unit.get(at).copied().unwrap_or(0));
            let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
            block.extend([18, 12, 6, 0].map(|shift| digit(bits >> shift)));
        }
        block.push('\n');
    }
    block += "`\nend\n";
    for (head, body) in [
        ("Content-Type: text/plain\n".to_owned(), format!("hello\n{block}bye\n")),
        (
            "Content-Type: text/plain\nContent-Transfer-Encoding: base64\n".to_owned(),
            base64(format!("hello\n{block}bye\n").as_bytes()),
        ),
    ] {
        let tree = parse(head.as_bytes(), body.as_bytes());
        let kinds: Vec<_> =
            tree.parts.iter().map(|part| (part.path.as_str(), part.media)).collect();
        assert_eq!(kinds, [("1", Media::Plain), ("1.1", Media::Html)], "{head}");
        let message = Message { head: head.as_bytes(), body: body.as_bytes() };
        let reading = &mime::readings(message, &tree, 1).next().unwrap();
        assert_eq!(reading.text.as_str(), page);
    }
}

/// A part of nothing but candidates for one kind of trouble: it ends, and says what it could not do.
#[test]
fn floods() {
    for (what, unit) in [
        ("dots", "a."),
        ("quoted", "=3D"),
        ("soft breaks", "=\r\n"),
        ("escapes", "\x1b$B"),
        ("shifts", "+-"),
        ("shifted", "+AGE-"),
        ("padding", "QQ=="),
        ("begin", "begin 644 a\nM\n"),
        ("tags", "<a href=x"),
        ("entities", "&#46;"),
        ("angles", "<<"),
        ("delimiters", "--b\r\n"),
    ] {
        let body = unit.repeat(1_000_000 / unit.len());
        for head in [
            "Content-Type: text/plain; charset=utf-7\r\n",
            "Content-Type: text/html; charset=iso-2022-jp\r\nContent-Transfer-Encoding: quoted-printable\r\n",
            "Content-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n",
            "Content-Type: multipart/mixed; boundary=b\r\n",
        ] {
            let outcome = outcome(head.as_bytes(), body.as_bytes());
            let mut at = 0;
            for edit in &outcome.edits {
                assert!(edit.range.start >= at && edit.range.end <= body.len(), "{what}");
                at = edit.range.end;
            }
        }
    }
}
