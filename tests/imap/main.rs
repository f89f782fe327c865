//! `linkmilter recall --imap` against a real Dovecot (Debian: dovecot-imapd).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod client;
#[path = "../common/daemon.rs"]
#[allow(dead_code, reason = "of several test programs")]
mod daemon;
#[path = "../common/dovecot.rs"]
#[allow(dead_code, reason = "of several test programs")]
mod dovecot;
mod interrupted;
mod servers;

use std::fs;

use assert_cmd::Command;
use client::{Client, Kept};
use daemon::{free_port, wait_for};
use dovecot::{Dovecot, PASSWORD};

pub const BAD: &str =
    "From: ann@example.org\nSubject: one\n\nsee https://login.bad.example.com/a now\n";
pub const FINE: &str = "From: ann@example.org\nSubject: two\n\nsee https://fine.example.org/ now\n";
pub const DATE: &str = "17-Jul-2020 09:44:25 +0000";

/// Standard output and standard error.
pub struct Output {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

/// Runs `recall` with these arguments and a password in the environment.
pub fn recall_with(password: &str, arguments: &[&str]) -> Output {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("linkmilter.toml");
    fs::write(&config, format!("server.state_dir = {:?}\n", dir.path())).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_linkmilter"));
    command.arg("recall").args(arguments).arg("--config").arg(&config).arg("--rate").arg("1000");
    let output = command.env("LINKMILTER_IMAP_PASSWORD", password).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Output { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

pub fn recall(port: u16, arguments: &[&str]) -> Output {
    let url = format!("imap://ann@127.0.0.1:{port}");
    recall_with(PASSWORD, &[&["bad.example.com", "--imap", &url], arguments].concat())
}

fn is_dead(text: &str) -> bool {
    text.contains("hxxps://login[.]bad[.]example[.]com/a") && !text.contains("https://login.bad")
}

fn filled(store: &str) -> (Dovecot, Client) {
    let dovecot = Dovecot::start(store);
    let mut client = Client::connect(dovecot.port);
    client.ask("CREATE \"Gr&APw-n &- \\\"q\\\"\"");
    client.append("INBOX", "\\Seen \\Flagged $Work", DATE, BAD);
    client.append("INBOX", "\\Deleted", DATE, FINE);
    client.append("INBOX", "\\Draft \\Answered \\Deleted", DATE, BAD);
    client.append("Gr&APw-n &- \\\"q\\\"", "", DATE, BAD);
    (dovecot, client)
}

fn defanged_and_restored(store: &str) {
    let (dovecot, mut client) = filled(store);
    let lists = "Gr&APw-n &- \\\"q\\\"";
    let before = [client.folder("INBOX"), client.folder(lists)];

    let dry = recall(dovecot.port, &["--dry-run"]);
    let said = "4 messages read, 3 would be changed, 3 links would be defanged\n";
    assert_eq!(dry.code, Some(0), "{}", dry.err);
    let named = dry.out.strip_suffix(said).unwrap_or_default();
    let named: Vec<&str> = named.lines().collect();
    let expected = ["Gr&APw-n &- \"q\" 1", "INBOX 1", "INBOX 3"];
    let account = format!("ann@127.0.0.1:{}", dovecot.port);
    assert_eq!(named, expected.map(|at| format!("{account}/{at}: 1 link would be defanged")));
    assert_eq!([client.folder("INBOX"), client.folder(lists)], before);

    let output = recall(dovecot.port, &[]);
    assert_eq!(output.code, Some(0), "{}", output.err);
    let inbox = client.folder("INBOX");
    assert!(
        output.out.ends_with("4 messages read, 3 changed, 3 links defanged\n"),
        "{}",
        output.out
    );
    let renumbered = format!("{account}/INBOX: UID 1 is UID 4 now\n");
    assert!(output.out.contains(&renumbered), "{}", output.out);
    let uids: Vec<u32> = inbox.iter().map(|kept| kept.uid).collect();
    assert_eq!(uids, [2, 4, 5], "and what somebody else marked as deleted is there");
    assert_eq!(inbox[0], before[0][1]);
    for (now, then) in [(&inbox[1], &before[0][0]), (&inbox[2], &before[0][2])] {
        assert_eq!((&now.flags, &now.date), (&then.flags, &then.date));
        assert!(is_dead(&now.text), "{}", now.text);
    }
    assert!(is_dead(&client.folder(lists)[0].text));

    let again = recall(dovecot.port, &[]);
    assert_eq!(again.out, "4 messages read, 0 changed, 0 links defanged\n");
    let back = recall(dovecot.port, &["--give-back"]);
    assert!(back.out.ends_with("4 messages read, 3 restored\n"), "{}{}", back.out, back.err);
    for (now, then) in [client.folder("INBOX"), client.folder(lists)].iter().zip(&before) {
        let contents = |all: &[Kept]| {
            let mut all: Vec<_> =
                all.iter().map(|k| (k.flags.clone(), k.date.clone(), k.text.clone())).collect();
            all.sort();
            all
        };
        assert_eq!(contents(now), contents(then));
    }
}

#[test]
fn links_are_defanged_and_restored_in_a_maildir() {
    defanged_and_restored("maildir");
}

#[test]
fn links_are_defanged_and_restored_in_a_store_without_message_files() {
    defanged_and_restored("mdbox");
}

#[test]
fn folder_and_age_limit_what_is_processed() {
    let (dovecot, mut client) = filled("sdbox");
    let before = client.folder("INBOX");
    client.append("INBOX", "", "01-Jan-2030 00:00:00 +0000", BAD);
    let url = format!("imap://ann@127.0.0.1:{}/INBOX", dovecot.port);
    let output = recall_with(PASSWORD, &["bad.example.com", "--imap", &url, "--since", "1d"]);
    assert!(output.out.ends_with("1 message read, 1 changed, 1 link defanged\n"), "{}", output.out);
    assert_eq!(client.folder("INBOX")[..3], before);
    let url = format!("imap://ann@127.0.0.1:{}/Nowhere", dovecot.port);
    let output = recall_with(PASSWORD, &["bad.example.com", "--imap", &url]);
    assert_eq!(output.code, Some(2));
    assert!(output.err.contains("expected a folder \"Nowhere\", found none"), "{}", output.err);
}

#[test]
fn the_password_comes_from_a_file_or_the_environment_and_is_never_shown() {
    let (dovecot, _client) = filled("maildir");
    let url = format!("imap://ann@127.0.0.1:{}", dovecot.port);
    let file = dovecot.path("password");
    fs::write(&file, format!("{PASSWORD}\nsomething else\n")).unwrap();
    let file = file.to_str().unwrap();
    let arguments = ["bad.example.com", "--dry-run", "--imap", &url];
    let output = recall_with("", &[&arguments[..], &["--password-file", file]].concat());
    assert_eq!(output.code, Some(0), "{}", output.err);
    let output = recall_with("", &arguments);
    assert_eq!(output.code, Some(2));
    assert!(
        output.err.contains("expected a password in LINKMILTER_IMAP_PASSWORD or --password-file")
    );
    let output = recall_with("wr0ng", &arguments);
    assert_eq!(output.code, Some(2));
    assert!(output.err.contains("LOGIN: expected OK from the server"), "{}", output.err);
    assert!(!output.err.contains("wr0ng"));
    let url = format!("imap://ann:hunter2@127.0.0.1:{}", dovecot.port);
    let output = recall_with("", &["bad.example.com", "--imap", &url]);
    assert_eq!(output.code, Some(2));
    assert!(output.err.contains("--password-file"), "{}", output.err);
}

#[test]
fn tls_requires_a_trusted_certificate() {
    let (dovecot, _client) = filled("maildir");
    let url = format!("imaps://ann@localhost:{}", dovecot.tls_port);
    let arguments = ["bad.example.com", "--dry-run", "--imap", &url];
    let output = recall_with(PASSWORD, &arguments);
    assert_eq!(output.code, Some(2));
    assert!(output.err.contains("certificate"), "{}", output.err);
    let roots = dovecot.path("cert.pem");
    let known = ["--imap-ca", roots.to_str().unwrap()];
    let output = recall_with(PASSWORD, &[&arguments[..], &known].concat());
    assert_eq!(output.code, Some(0), "{}", output.err);
    assert!(output.out.contains("\n4 messages read, 3 would be changed"), "{}", output.out);
    let none = dovecot.path("key.pem");
    let output =
        recall_with(PASSWORD, &[&arguments[..], &["--imap-ca", none.to_str().unwrap()]].concat());
    assert!(output.err.contains("expected certificates in PEM: found none"), "{}", output.err);
}
