//! Servers that lack what a recall needs, or misbehave.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;

use linkmilter::recall::imap::account::{Account, TlsMode};
use linkmilter::recall::imap::connect::connect;

use crate::recall;

/// A server that sends these responses, one per command. `TAG` stands for the tag of the command.
fn server(says: Vec<String>) -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
        stream.write_all(b"* OK hello\r\n").unwrap();
        for said in says {
            let Some(Ok(line)) = lines.next() else { return };
            let tag = line.split(' ').next().unwrap_or_default();
            let _ = stream.write_all(format!("{}\r\n", said.replace("TAG", tag)).as_bytes());
        }
    });
    port
}

fn said(says: &[&str]) -> String {
    said_of(says.iter().map(|line| (*line).to_owned()).collect())
}

fn said_of(says: Vec<String>) -> String {
    let output = recall(server(says), &[]);
    assert_eq!(output.code, Some(2), "{}", output.err);
    output.err
}

const CAN: &str = "* CAPABILITY IMAP4rev1 UIDPLUS\r\nTAG OK done";
const LISTED: &str = "* LIST () \"/\" INBOX\r\nTAG OK done";
const OPEN: &str = "* OK [UIDVALIDITY 7] ok\r\n* OK [PERMANENTFLAGS (\\Deleted \\*)] ok\r\nTAG OK [READ-WRITE] done";
const LETTER: &str = "* 1 FETCH (UID 1 FLAGS (\\Seen) INTERNALDATE \"17-Jul-2020 02:44:25 -0700\" RFC822.SIZE 44)\r\nTAG OK done";
const TEXT: &str = "* 1 FETCH (UID 1 BODY[] {44}\r\nSubject: a\r\n\r\nhttps://bad.example.com/ now\r\n)\r\nTAG OK done";

#[test]
fn a_server_that_cannot_remove_one_message_alone_is_refused() {
    let error = said(&[CAN, "TAG OK in", "* CAPABILITY IMAP4rev1\r\nTAG OK done"]);
    assert!(error.contains("expected a server with UIDPLUS"), "{error}");
}

#[test]
fn a_folder_without_keywords_is_skipped() {
    let flags = "* OK [UIDVALIDITY 7] ok\r\n* OK [PERMANENTFLAGS (\\Deleted)] ok\r\nTAG OK done";
    let error = said(&[CAN, "TAG OK in", CAN, LISTED, flags, "TAG OK bye"]);
    assert!(error.contains("INBOX: expected a folder that keeps keywords"), "{error}");
    let error = said(&[CAN, "TAG OK in", CAN, LISTED, "TAG OK [READ-ONLY] done", "TAG OK bye"]);
    assert!(
        error.contains("expected a folder that may be changed, found a read-only one"),
        "{error}"
    );
}

/// If UIDs do not last, an interrupted run could not be continued.
#[test]
fn a_folder_without_lasting_uids_is_skipped() {
    let keywords = "* OK [PERMANENTFLAGS (\\Deleted \\*)] ok";
    let validity = "* OK [UIDVALIDITY 7] ok";
    let passing = "expected a folder that keeps its UIDs, found UIDNOTSTICKY";
    for (open, expected) in [
        (format!("{keywords}\r\nTAG OK done"), "INBOX: expected a folder with UIDVALIDITY"),
        (
            format!("{keywords}\r\n{validity}\r\n* NO [UIDNOTSTICKY] passing\r\nTAG OK done"),
            passing,
        ),
        (format!("{keywords}\r\n{validity}\r\nTAG OK [UIDNOTSTICKY] done"), passing),
    ] {
        for direction in [&[][..], &["--dry-run"]] {
            let says = [CAN, "TAG OK in", CAN, LISTED, &open, "TAG OK bye"].map(str::to_owned);
            let output = recall(server(says.to_vec()), direction);
            assert_eq!(output.code, Some(2), "{}", output.err);
            assert!(output.err.contains(expected), "{}", output.err);
        }
    }
}

/// A server that accepts no password is sent none.
#[test]
fn no_password_is_sent_where_login_is_disabled() {
    let error = said(&["* CAPABILITY IMAP4rev1 UIDPLUS LOGINDISABLED\r\nTAG OK done"]);
    assert!(error.contains("found LOGINDISABLED: no password was sent"), "{error}");
}

#[test]
fn literals_of_any_size_neither_hang_nor_crash() {
    for (says, expected) in [
        ("* LIST () \"/\" {4294967295}\r\nab", "the server closed the connection"),
        ("* 1 FETCH (UID 1 BODY[] {99999999999999999999}\r\nTAG", "as in RFC 3501"),
    ] {
        let error = said_of(vec![CAN.into(), "TAG OK in".into(), CAN.into(), says.into()]);
        assert!(error.contains(expected), "{expected}: {error}");
    }
}

#[test]
fn a_message_stays_if_its_copy_does_not_fit() {
    let says = &[
        CAN,
        "TAG OK in",
        CAN,
        LISTED,
        OPEN,
        "TAG OK noop",
        LETTER,
        TEXT,
        "TAG OK marked",
        "TAG NO [OVERQUOTA] no room",
        "TAG OK unmarked",
        "TAG OK bye",
    ];
    let error = said(says);
    assert!(
        error.contains("INBOX 1: APPEND: expected OK from the server, found \"no room\""),
        "{error}"
    );
}

#[test]
fn an_invalid_response_ends_the_account_and_is_reported_in_part() {
    for (says, expected) in [
        (&["what?"][..], "expected a response as in RFC 3501, found \"what?\""),
        (&["b7 OK in"], "found \"b7\""),
        (&["* BYE go away"], "the server closed the connection: \"go away\""),
        (
            &[CAN, "TAG NO [AUTHENTICATIONFAILED] no"],
            "LOGIN: expected OK from the server, found \"no\"",
        ),
        (&[CAN, "TAG OK in", CAN, "* LIST () \"/\" {999999999}\r\nTAG"], "closed the connection"),
        (
            &[
                CAN,
                "TAG OK in",
                CAN,
                LISTED,
                OPEN,
                "TAG OK noop",
                LETTER,
                "* 1 FETCH (UID 1 BODY[] {9}\r\nTAG",
            ],
            "closed",
        ),
    ] {
        let error = said(says);
        assert!(error.contains(expected), "{expected}: {error}");
    }
}

/// An attacker on the path who removes `STARTTLS`, or injects text before the handshake, gets no
/// password.
#[test]
fn no_password_is_sent_without_tls() {
    for answer in ["NO no such thing", "OK go on\r\n* CAPABILITY IMAP4rev1 UIDPLUS"] {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(b"* OK hello\r\n").unwrap();
            let mut lines = BufReader::new(stream.try_clone().unwrap());
            let mut heard = Vec::new();
            lines.read_until(b'\n', &mut heard).unwrap();
            let tag = String::from_utf8_lossy(&heard).split(' ').next().unwrap().to_owned();
            stream.write_all(format!("{tag} {answer}\r\na2 OK in\r\n").as_bytes()).unwrap();
            // Nothing, or the beginning of a handshake.
            heard.extend(lines.fill_buf().unwrap_or_default());
            heard
        });
        let (user, host) = ("ann".to_owned(), "localhost".to_owned());
        let account = Account { user, host, port, tls_mode: TlsMode::StartTls, folder: None };
        assert!(connect(&account, "s3cret", None, 1000).is_err(), "{answer}");
        let heard = String::from_utf8_lossy(&heard.join().unwrap()).into_owned();
        assert!(heard.contains("STARTTLS"), "{heard}");
        assert!(!heard.contains("LOGIN") && !heard.contains("s3cret"), "{heard}");
    }
}
