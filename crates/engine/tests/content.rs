//! Properties of the whole engine over generated messages: deceptive pieces in every encoding.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use base64::prelude::{BASE64_STANDARD, Engine as _};
use linkmilter_engine::policy::{Defang, HeaderFields};
use linkmilter_engine::{
    Answers, Facts, Message, Outcome, Policy, TldTable, Verdict, inspect, splice,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// Pieces of text and markup, combined at random.
const PIECES: &[&str] = &[
    "http://",
    "https://",
    "www.",
    "mailto:",
    "p\u{430}ypal.com",
    "example.com",
    "\u{430}\u{440}\u{440}\u{4cf}\u{435}.com",
    "example.org/path?u=http://",
    "a@",
    "user:pass@",
    "/x/y.html",
    "?q=",
    "#f",
    ".",
    "。",
    " ",
    "\r\n",
    ",",
    "(",
    ")",
    "<a href=\"",
    "<a href='",
    "<a href=",
    "\">",
    "'>",
    ">",
    "</a>",
    "<b>",
    "</b>",
    "<br>",
    "<wbr>",
    "&#46;",
    "&period;",
    "&amp;",
    "&#x430;",
    "<span style=\"display:none\">",
    "</span>",
    "<bdo dir=rtl>",
    "</bdo>",
    "<!--[if mso]>",
    "<![endif]-->",
    "<!--",
    "-->",
    "<img src=",
    "<form action=\"",
    "<base href=\"",
    "<p style=\"x:url(",
    ")\">",
    "<title>",
    "</title>",
    "<xmp>",
    "</xmp>",
    "javascript:",
    "data:",
    "\u{ad}",
    "\u{200b}",
    "=\r\n",
    "=2E",
    "日本語",
    "\u{2e}",
    "moc.elpmaxe",
    "[.]",
    "hxxp://",
    "word",
];

const KINDS: &[&str] =
    &["text/plain", "text/html", "text/plain; format=flowed; delsp=yes", "text/calendar"];

#[derive(Clone, Copy, Debug)]
enum Wrapping {
    EightBit,
    QuotedPrintable,
    Base64,
}

fn encoded(text: &str, wrapping: Wrapping) -> (String, Vec<u8>) {
    match wrapping {
        Wrapping::EightBit => ("8bit".to_owned(), text.as_bytes().to_vec()),
        Wrapping::QuotedPrintable => {
            let mut out = String::new();
            let mut column = 0;
            for byte in text.bytes() {
                if byte == b'\n' || byte == b'\r' {
                    out.push(byte as char);
                    column = 0;
                    continue;
                }
                if column > 70 {
                    out.push_str("=\r\n");
                    column = 0;
                }
                if (33..=126).contains(&byte) && byte != b'=' {
                    out.push(byte as char);
                    column += 1;
                } else {
                    out += &format!("={byte:02X}");
                    column += 3;
                }
            }
            ("quoted-printable".to_owned(), out.into_bytes())
        }
        Wrapping::Base64 => {
            let digits = BASE64_STANDARD.encode(text);
            let mut out = Vec::new();
            for line in digits.as_bytes().chunks(76) {
                out.extend_from_slice(line);
                out.extend_from_slice(if line.len() == 76 { b"\r\n" } else { b"" });
            }
            ("base64".to_owned(), out)
        }
    }
}

fn run(head: &[u8], body: &[u8], defang: Defang) -> Outcome {
    let tlds = TldTable::new(["com", "org", "net", "jp"], "");
    let policy = Policy {
        defang,
        header_fields: HeaderFields::Add,
        undo_header_bytes: None,
        ..Policy::default()
    };
    inspect(Message { head, body }, &Facts::default(), &policy, &tlds).resolve(&Answers::new())
}

fn forwarded(head: &[u8], body: &[u8], outcome: &Outcome) -> (Vec<u8>, Vec<u8>) {
    let mut out = Vec::new();
    for field in &outcome.fields {
        out.extend_from_slice(
            format!("{}: {}\r\n", field.name, field.value.replace('\n', "\r\n")).as_bytes(),
        );
    }
    out.extend(splice::apply_head(head, &outcome.head_edits));
    (out, splice::apply(body, &outcome.edits).to_vec())
}

/// A body is edited once, and the edits can be undone.
#[track_caller]
fn come_back_and_leave_nothing(text: &str, kind: &str, wrapping: Wrapping, defang: Defang) {
    let (transfer, body) = encoded(text, wrapping);
    let head =
        format!("Content-Type: {kind}; charset=utf-8\r\nContent-Transfer-Encoding: {transfer}\r\n");
    let outcome = run(head.as_bytes(), &body, defang);
    let (new_head, new_body) = forwarded(head.as_bytes(), &body, &outcome);
    if outcome.edits.is_empty() {
        assert_eq!(new_body, body);
    } else {
        let restored = splice::restore(&new_head, &new_body, None, |_| None).unwrap();
        assert_eq!(restored.body, body);
        assert_eq!(restored.head, head.as_bytes());
    }
    let again = run(&new_head, &new_body, defang);
    let left: Vec<_> = again.findings.iter().map(|finding| &finding.spelling).collect();
    assert!(again.edits.is_empty(), "left {left:?} in {:?}", String::from_utf8_lossy(&new_body));
}

#[test]
fn a_host_with_only_some_dots_bracketed_is_live() {
    for text in [
        "=2E[.]p\u{430}ypal.com\u{AD}p\u{430}ypal.com",
        "a[.]p\u{430}ypal.com",
        "p\u{430}ypal.com.hxxp://hxxp://p\u{430}ypal.comp\u{430}ypal.com",
        "www[.]p\u{430}ypal.com/x hxxp://p\u{430}ypal[.]com.jp",
    ] {
        for kind in KINDS {
            for wrapping in [Wrapping::EightBit, Wrapping::QuotedPrintable, Wrapping::Base64] {
                for defang in [Defang::All, Defang::Judged] {
                    come_back_and_leave_nothing(text, kind, wrapping, defang);
                }
            }
        }
    }
}

/// Text for one client and markup for another: of two edits on the same bytes only one is made at a time.
#[test]
fn what_is_shown_and_followed_at_once_is_settled() {
    let text = "<xmp><form action=\"http://\u{430}\u{440}\u{440}\u{4cf}\u{435}.comp\u{430}ypal.com";
    for defang in [Defang::All, Defang::Judged] {
        come_back_and_leave_nothing(text, "text/html", Wrapping::EightBit, defang);
    }
}

/// A body of one line has the line ends of its header.
#[test]
fn a_body_without_a_line_end_gets_those_of_its_header() {
    let text = format!("{}http://p\u{430}ypal.com/", "hello ".repeat(40));
    let (_, body) = encoded(&text, Wrapping::Base64);
    let body: Vec<u8> = body.into_iter().filter(|byte| !byte.is_ascii_whitespace()).collect();
    for line_end in ["\n", "\r\n"] {
        let head = format!(
            "Content-Type: text/plain; charset=utf-8{line_end}Content-Transfer-Encoding: base64{line_end}"
        );
        let outcome = run(head.as_bytes(), &body, Defang::Judged);
        let after = splice::apply(&body, &outcome.edits).to_vec();
        assert!(after.contains(&b'\n'));
        assert_eq!(after.contains(&b'\r'), line_end == "\r\n");
    }
}

/// A value that some programs read strictly as a URL has its at sign in brackets as well.
#[test]
fn an_at_sign_of_a_calendar_is_bracketed_once() {
    for value in [
        "URL:https://user@p\u{430}ypal.com/",
        "URL;VALUE=URI:https://good.com@p\u{430}ypal.com:80/x",
        "ATTENDEE:ftp://user@p\u{430}ypal.com/",
        "X-A;ALTREP=\"webcal://user@p\u{430}ypal.com/\":x",
        "URL:https://p\u{430}ypal.com/@x.com",
        "URL://user@p\u{430}ypal.com/",
    ] {
        for defang in [Defang::All, Defang::Judged] {
            let text = format!("BEGIN:VCALENDAR\r\n{value}\r\nEND:VCALENDAR\r\n");
            for wrapping in [Wrapping::EightBit, Wrapping::Base64] {
                come_back_and_leave_nothing(&text, "text/calendar", wrapping, defang);
            }
            let head = b"Content-Type: text/calendar; charset=utf-8\r\n";
            let outcome = run(head, text.as_bytes(), defang);
            let (_, after) = forwarded(head, text.as_bytes(), &outcome);
            let after = String::from_utf8(after).unwrap();
            assert!(!after.contains("[["), "{after}");
        }
    }
}

/// Text attached to a host begins where the defanged one ends, in a part that has one reading.
#[test]
fn text_attached_to_a_defanged_host_is_read_again() {
    for text in [
        "<img src=\r\n)#f\u{430}\u{440}\u{440}\u{4cf}\u{435}.com</xmp>http://p\u{430}ypal.com\u{430}\u{440}\u{440}\u{4cf}\u{435}.comword\u{200b}.<p style=\"x:url(&period;.&#x430;</b>)\">mailto:</title>data:</a>wordhttps://",
        "www.&#46;javascript:</a>http://>p\u{430}ypal.com\">?q=?q=.,data:)\"><!--[if mso]>javascript:</span>=\r\n</a>(<span style=\"display:none\"><![endif]--><![endif]-->a@\u{430}\u{440}\u{440}\u{4cf}\u{435}.com\u{ad}&period;user:pass@</a>user:pass@example.comhttps://-->http://",
    ] {
        for wrapping in [Wrapping::EightBit, Wrapping::QuotedPrintable, Wrapping::Base64] {
            for defang in [Defang::All, Defang::Judged] {
                come_back_and_leave_nothing(text, "text/html", wrapping, defang);
            }
        }
    }
}

/// A host in the path of a defanged link is defanged too, since some programs begin a link there.
#[test]
fn an_address_after_the_signs_of_a_rewriter_is_bracketed() {
    let head = b"Content-Type: text/plain\r\n";
    for inner in ["http-3A__192.0.2.1", "x_192.0.2.1", "a-192.0.2.1", "192.0.2.1"] {
        let body = format!("see https://example.com/v2/url?u={inner}&d=x\r\n");
        let outcome = run(head, body.as_bytes(), Defang::All);
        let (_, after) = forwarded(head, body.as_bytes(), &outcome);
        let after = String::from_utf8(after).unwrap();
        assert!(after.contains("192[.]0[.]2[.]1"), "{after}");
    }
}

#[test]
fn an_edit_of_markup_for_another_reader_is_read_again() {
    let text = "<form action=\"<form action=\"\u{430}\u{440}\u{440}\u{4cf}\u{435}.com<a href=\"<a href=\"javascript:";
    for defang in [Defang::All, Defang::Judged] {
        come_back_and_leave_nothing(text, "text/html", Wrapping::EightBit, defang);
    }
}

/// A reader of `<bdo>` sees the text from its end: after an edit the rest may be another host there.
#[test]
fn reversed_text_is_read_again_next_to_a_defanged_host() {
    for text in [
        "http://\u{430}\u{440}\u{440}\u{4cf}\u{435}.com<bdo dir=rtl>http://<img src=>wordmoc.elpmaxe</a>",
        "\u{430}\u{440}\u{440}\u{4cf}\u{435}.com<bdo dir=rtl>moc.elpmaxe</bdo>",
    ] {
        for defang in [Defang::All, Defang::Judged] {
            come_back_and_leave_nothing(text, "text/html", Wrapping::EightBit, defang);
        }
    }
}

fn wrapping() -> impl Strategy<Value = Wrapping> {
    select(vec![Wrapping::EightBit, Wrapping::QuotedPrintable, Wrapping::Base64])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn edits_can_be_reverted_and_a_second_run_finds_nothing(
        pieces in vec(select(PIECES), 0..40),
        kind in select(KINDS),
        wrapping in wrapping(),
        defang in select(vec![Defang::All, Defang::Judged]),
    ) {
        come_back_and_leave_nothing(&pieces.concat(), kind, wrapping, defang);
    }

    #[test]
    fn a_deceptive_host_is_found_whatever_precedes_it(
        before in vec(select(&["word ", "example.com ", "<b>x</b> ", "&amp; ", "<br>", "(1) ", "日本語 ", "a@example.org "][..]), 0..12),
        wrapping in wrapping(),
    ) {
        let text = format!("{}<a href=\"https://p\u{430}ypal.com/\">here</a>", before.concat());
        let (transfer, body) = encoded(&text, wrapping);
        let head = format!("Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: {transfer}\r\n");
        let outcome = run(head.as_bytes(), &body, Defang::Judged);
        prop_assert_eq!(outcome.verdict, Verdict::Unsafe);
        prop_assert!(!outcome.edits.is_empty());
    }
}
