//! With `signed = "report"` no byte of signed content is edited, whichever program finds the link; all of it is
//! reported.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use linkmilter_engine::outcome::Done;
use linkmilter_engine::policy::{Defang, HeaderFields, Signed};
use linkmilter_engine::{Answers, Facts, Message, Outcome, Policy, TldTable, inspect};

/// Cyrillic а.
const BAD: &str = "p\u{430}ypal.com";

fn policy(signed: Signed) -> Policy {
    Policy { header_fields: HeaderFields::Omit, signed, ..Policy::default() }
}

fn outcome(head: &str, body: &str, policy: &Policy) -> Outcome {
    let tlds = TldTable::new(["com", "org", "example"], "");
    let message = Message { head: head.as_bytes(), body: body.as_bytes() };
    inspect(message, &Facts::default(), policy, &tlds).resolve(&Answers::new())
}

/// It is edited by default, and only reported if the policy says so.
#[track_caller]
fn is_left_where_asked(head: &str, body: &str) {
    let edited = outcome(head, body, &policy(Signed::EditUnsafe));
    assert!(!edited.edits.is_empty(), "by default: {body}");
    for defang in [Defang::default(), Defang::All] {
        let found = outcome(head, body, &Policy { defang, ..policy(Signed::Report) });
        assert_eq!(found.edits, [], "{defang:?}: {body}");
        let reported = |done: Done| done == Done::Reported;
        assert!(found.findings.iter().any(|finding| reported(finding.done)), "{body}");
    }
}

fn below_signed(part: &str) -> (&'static str, String) {
    let head =
        "Content-Type: multipart/signed; protocol=\"application/pgp-signature\"; boundary=s\r\n";
    let signature = "Content-Type: application/pgp-signature\r\n\r\n\
                     -----BEGIN PGP SIGNATURE-----\r\n\r\nAAAA\r\n-----END PGP SIGNATURE-----\r\n";
    (head, format!("--s\r\n{part}\r\n--s\r\n{signature}--s--\r\n"))
}

#[test]
fn below_multipart_signed() {
    let utf8 = "charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n";
    for part in [
        format!("Content-Type: text/plain; {utf8}see http://{BAD}/ now\r\n"),
        format!("Content-Type: text/plain; {utf8}see www.{BAD} and b@{BAD}\r\n"),
        format!("Content-Type: text/html; {utf8}<a href=\"http://{BAD}/\">x</a>\r\n"),
        format!("Content-Type: text/html; {utf8}<p data-x=\"http://{BAD}/\">x</p>\r\n"),
        format!("Content-Type: text/html; {utf8}<!-- http://{BAD}/ -->x\r\n"),
        format!("Content-Type: text/calendar; {utf8}BEGIN:VEVENT\r\nURL:http://{BAD}/\r\nEND:VEVENT\r\n"),
        format!("Content-Type: text/x-unheard; {utf8}http://{BAD}/\r\n"),
        format!(
            "Content-Type: multipart/alternative; boundary=a\r\n\r\n--a\r\nContent-Type: text/plain; \
             {utf8}http://{BAD}/\r\n--a\r\nContent-Type: text/html; {utf8}<a href=http://{BAD}/>x</a>\r\n--a--\r\n"
        ),
        format!(
            "Content-Type: message/rfc822\r\n\r\nSubject: x\r\nContent-Type: text/plain; {utf8}http://{BAD}/\r\n"
        ),
        "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n\
         see http://p=D0=B0ypal.com/ now\r\n"
            .to_owned(),
        "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n\
         c2VlIGh0dHA6Ly9w0LB5cGFsLmNvbS8gbm93DQo=\r\n"
            .to_owned(),
    ] {
        let (head, body) = below_signed(&part);
        is_left_where_asked(head, &body);
    }
}

#[test]
fn text_with_an_inline_signature() {
    let text = format!(
        "-----BEGIN PGP SIGNED MESSAGE-----\r\nHash: SHA256\r\n\r\nsee http://{BAD}/ now\r\n\
         -----BEGIN PGP SIGNATURE-----\r\n\r\nAAAA\r\n-----END PGP SIGNATURE-----\r\n"
    );
    let head = |kind: &str, transfer: &str| {
        format!("Content-Type: {kind}; charset=utf-8\r\nContent-Transfer-Encoding: {transfer}\r\n")
    };
    is_left_where_asked(&head("text/plain", "8bit"), &text);
    is_left_where_asked(&head("text/plain", "8bit"), &format!("Hello,\r\n\r\n{text}"));
    is_left_where_asked(&head("text/html", "8bit"), &format!("<pre>\r\n{text}</pre>\r\n"));
    let quoted = text.replace('\u{430}', "=D0=B0");
    is_left_where_asked(&head("text/plain", "quoted-printable"), &quoted);
    let encoded = "LS0tLS1CRUdJTiBQR1AgU0lHTkVEIE1FU1NBR0UtLS0tLQ0KDQpodHRwOi8vcNCweXBhbC5jb20v\r\n\
                   DQotLS0tLUJFR0lOIFBHUCBTSUdOQVRVUkUtLS0tLQ0K\r\n";
    is_left_where_asked(&head("text/plain", "base64"), encoded);
}
