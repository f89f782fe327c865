//! Texts that are neither plain nor HTML, and texts inside others: a deceptive link is defanged as the client joins
//! it, whatever is between its bytes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use base64::prelude::{BASE64_STANDARD, Engine as _};
use linkmilter_engine::policy::HeaderFields;
use linkmilter_engine::splice::apply;
use linkmilter_engine::{Answers, Facts, Message, Policy, TldTable, inspect};

/// Cyrillic р and а.
const BAD: &str = "р\u{430}ypal.com";

/// The body after the filter.
fn filtered(head: &str, body: &[u8]) -> Vec<u8> {
    let policy = Policy { header_fields: HeaderFields::Omit, ..Policy::default() };
    let tlds = TldTable::new(["com", "org", "example"], "");
    let message = Message { head: head.as_bytes(), body };
    let outcome = inspect(message, &Facts::default(), &policy, &tlds).resolve(&Answers::new());
    apply(body, &outcome.edits).to_vec()
}

/// The deceptive host is in what the client reads before the filter and not after; a second run makes no edit.
#[track_caller]
fn defanged(kind: &str, body: &[u8], client: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let head = format!("Content-Type: {kind}\r\n");
    let inert = format!("data-unsafe-href=\"https://{BAD}/\"");
    let shows =
        |body: &[u8]| String::from_utf8_lossy(&client(body)).replace(&inert, "").contains(BAD);
    assert!(shows(body), "the case is wrong: {}", String::from_utf8_lossy(&client(body)));
    let after = filtered(&head, body);
    assert!(!shows(&after), "{}", String::from_utf8_lossy(&client(&after)));
    let again = filtered(&head, &after);
    let text = String::from_utf8_lossy;
    assert_eq!(text(&again), text(&after), "a second run");
    after
}

/// RFC 5545 §3.1: a line end and one white space are removed before the bytes are decoded.
fn unfolded(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = body;
    while let [byte, tail @ ..] = rest {
        rest = match rest {
            [b'\r', b'\n', b' ' | b'\t', behind @ ..] | [b'\n', b' ' | b'\t', behind @ ..] => {
                behind
            }
            _ => {
                out.push(*byte);
                tail
            }
        };
    }
    out
}

fn event(property: &[u8]) -> Vec<u8> {
    let before = b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nSUMMARY:Talk\r\n";
    [before, property, b"\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"].concat()
}

/// Folds after so many octets, wherever that is.
fn folded(line: &str, at: usize) -> Vec<u8> {
    let mut pieces = line.as_bytes().chunks(at);
    let mut out = pieces.next().unwrap().to_vec();
    for piece in pieces {
        out.extend_from_slice(b"\r\n ");
        out.extend_from_slice(piece);
    }
    out
}

#[test]
fn calendar_properties_folded_anywhere() {
    for line in [
        format!("URL:https://{BAD}/login/and/some/more/to/pass/seventy-five/octets/of/a/line"),
        format!("DESCRIPTION:Join us at https://{BAD}/room\\, or call\\nhttps://{BAD}/call"),
        format!("X-ALT-DESC;FMTTYPE=text/html:<p>see <a href=\"https://{BAD}/\">the room</a></p>"),
        format!("LOCATION:{BAD}"),
        format!("ATTACH:https://{BAD}/a.pdf"),
        format!("ORGANIZER;CN=\"Anne\":mailto:anne@{BAD}"),
        format!("ATTENDEE;ALTREP=\"https://{BAD}/x\";CN=Bob:mailto:bob@example.com"),
    ] {
        // A fold in the middle of a letter leaves no link in running text: docs/threats.md.
        let whole = |at: usize| (1..).map(move |n| n * at).take_while(|at| *at < line.len());
        let splits = |at: usize| whole(at).any(|at| !line.is_char_boundary(at));
        for at in (4..80).filter(|at| line.starts_with("URL:") || !splits(*at)) {
            defanged("text/calendar; charset=utf-8", &event(&folded(&line, at)), unfolded);
        }
    }
}

#[test]
fn calendar_edits_keep_to_75_octets() {
    let line = format!("URL:https://{BAD}/a");
    let after = filtered("Content-Type: text/calendar\r\n", &event(line.as_bytes()));
    let text = String::from_utf8(after).unwrap();
    assert!(text.lines().all(|line| line.len() <= 75), "{text}");
}

#[test]
fn flowed_text_is_joined_as_delsp_says() {
    let joined = |body: &[u8]| {
        String::from_utf8_lossy(body).replace(" \r\n> ", "").replace(" \r\n", "").into_bytes()
    };
    let kind = "text/plain; charset=utf-8; format=flowed; delsp=yes";
    for cut in (0..BAD.len()).filter(|at| BAD.is_char_boundary(*at)) {
        let (a, b) = BAD.split_at(cut);
        defanged(kind, format!("see https://{a} \r\n{b}/ now\r\n").as_bytes(), joined);
        defanged(kind, format!("> see https://{a} \r\n> {b}/ now\r\n").as_bytes(), joined);
    }
}

#[test]
fn any_inline_text_is_read_as_text() {
    for (kind, body) in [
        ("text/enriched", format!("<bold>Pay</bold> at https://{BAD}/ now\r\n")),
        ("text/richtext", format!("<bold>Pay at https://{BAD}/</bold>\r\n")),
        ("text/markdown", format!("Pay [here](https://{BAD}/) or at <https://{BAD}>\r\n")),
        ("text/x-markdown", format!("[1]: https://{BAD}/\r\n")),
        ("text/csv", format!("1,https://{BAD}/,2\r\n")),
        ("text/x-vcard", format!("BEGIN:VCARD\r\nURL:https://{BAD}/\r\nEND:VCARD\r\n")),
        ("text/x-unheard-of", format!("https://{BAD}/\r\n")),
        ("text", format!("https://{BAD}/\r\n")),
        ("text/x-amp-html", format!("<a href=\"https://{BAD}/\">{BAD}</a>\r\n")),
        ("text/x-html", format!("<a href=\"https://{BAD}/\">{BAD}</a>\r\n")),
        ("application/xhtml+xml", format!("<a href=\"https://{BAD}/\">{BAD}</a>\r\n")),
    ] {
        defanged(&format!("{kind}; charset=utf-8"), body.as_bytes(), <[u8]>::to_vec);
    }
}

#[test]
fn messages_inside_messages_are_read_to_the_bottom() {
    let plain =
        format!("Content-Type: text/plain; charset=utf-8\r\n\r\nsee https://{BAD}/ now\r\n");
    let mut message = plain.clone();
    for level in 0..5 {
        let (encoding, inner) = match level % 2 {
            0 => ("base64", base64(message.as_bytes())),
            _ => ("quoted-printable", message.replace('=', "=3D")),
        };
        message = format!(
            "Content-Type: message/rfc822\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n{inner}"
        );
        let (head, body) = message.split_once("\r\n\r\n").unwrap();
        let head = format!("{head}\r\n");
        let after = filtered(&head, body.as_bytes());
        assert_ne!(after, body.as_bytes(), "level {level}");
        assert_eq!(filtered(&head, &after), after, "level {level}, a second run");
    }
}

/// Each charset that may be meant is read as text and as markup, and these are not texts of their own.
#[test]
fn unlabelled_tables_in_xml_are_read_to_their_end() {
    let row = |n| {
        format!("<tr><td>Номер заказа {n}</td><td>Пожалуйста, подтвердите ваш адрес</td></tr>\r\n")
    };
    let table: String = (0..2_000).map(row).collect();
    let (text, ..) = encoding_rs::WINDOWS_1251.encode(&table);
    let body = base64(&text);
    let head = b"Content-Type: text/xml; name=a.xml\r\nContent-Transfer-Encoding: base64\r\n";
    let message = Message { head, body: body.as_bytes() };
    let (facts, policy, tlds) = (Facts::default(), Policy::default(), TldTable::new(["com"], ""));
    let outcome = inspect(message, &facts, &policy, &tlds).resolve(&Answers::new());
    assert_eq!((outcome.bypasses, outcome.edits), (vec![], vec![]));
}

fn base64(bytes: &[u8]) -> String {
    let digits = BASE64_STANDARD.encode(bytes);
    let mut out = String::new();
    for line in digits.as_bytes().chunks(76) {
        out += std::str::from_utf8(line).unwrap();
        out += if line.len() == 76 { "\r\n" } else { "" };
    }
    out + "\r\n"
}
