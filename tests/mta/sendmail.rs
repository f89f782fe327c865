//! Sendmail with the filter as its milter: the core cases.

use super::rig::daemon::Daemon;
use super::rig::letters::{self, CLEAN, MIXED, MIXED_DEFANGED};
use super::rig::mailbox::Delivered;
use super::rig::restored;
use super::rig::sendmail::Sendmail;
use super::rig::smtp::Letter;
use super::rig::wait_for;

fn pair(settings: &str) -> (Daemon, Sendmail) {
    let daemon = Daemon::start(settings);
    let place = daemon.places[0].strip_prefix("inet:").unwrap();
    let (host, port) = place.split_once(':').unwrap();
    let sendmail = Sendmail::start(&format!("inet:{port}@{host}"));
    (daemon, sendmail)
}

fn deliver(sendmail: &Sendmail, data: &[u8]) -> Delivered {
    let letter = Letter { parameters: "BODY=8BITMIME", ..Letter::new(data) };
    let reply = sendmail.send(&letter);
    assert_eq!(reply.0, 250, "{}", reply.1);
    sendmail.mailbox().only()
}

#[test]
fn a_deceptive_link_comes_out_defanged_and_the_original_can_be_restored() {
    let (daemon, sendmail) = pair("");
    let delivered = deliver(&sendmail, MIXED.as_bytes());
    assert_eq!(String::from_utf8(delivered.body()).unwrap(), MIXED_DEFANGED);
    assert!(delivered.verdict().contains("verdict=unsafe"));
    assert!(MIXED.as_bytes().ends_with(&restored(&delivered)));
    let line = &daemon.messages()[0];
    assert!(!line.contains("\"queue_id\":\"-\""), "{line}");
}

#[test]
fn clean_mail_stays_as_it_is_and_forged_fields_go() {
    let (_daemon, sendmail) = pair("");
    let data = "From: ann@example.com\r\nX-Linkmilter: forged\r\nSubject: one\r\n\ttwo caf\u{e9}\r\n\
                X-Linkmilter: forged too\r\n\r\nSee https://www.example.com/ .\r\n";
    let delivered = deliver(&sendmail, data.as_bytes());
    assert_eq!(delivered.body(), b"See https://www.example.com/ .\r\n");
    assert!(delivered.verdict().contains("verdict=ok"));
    assert!(delivered.head().contains("Subject: one\n\ttwo caf\u{e9}\n"), "{}", delivered.head());
}

#[test]
fn a_body_of_many_chunks_is_replaced_whole() {
    let (_daemon, sendmail) = pair("");
    let filler = letters::filler(1 << 20);
    let data = format!(
        "{}{filler}\r\nhttps://www.p\u{430}ypal.com/login\r\n",
        letters::head(letters::UTF8)
    );
    let body = deliver(&sendmail, data.as_bytes()).body();
    let expected = format!("{filler}\r\nhxxps://www[.]xn--pypal-4ve[.]com/login\r\n");
    assert_eq!(body.len(), expected.len());
    assert!(body == expected.as_bytes());
}

#[test]
fn one_session_carries_many_messages() {
    let (daemon, sendmail) = pair("");
    let mut session = sendmail.connect();
    for data in [CLEAN, MIXED, CLEAN] {
        let letter = Letter { parameters: "BODY=8BITMIME", ..Letter::new(data.as_bytes()) };
        assert_eq!(session.send(&letter).0, 250);
    }
    let delivered = sendmail.mailbox().wait(3);
    assert_eq!(delivered.iter().filter(|mail| mail.verdict().contains("edited=1")).count(), 1);
    assert_eq!(daemon.messages().len(), 3);
}

#[test]
fn a_refusal_and_a_quarantine_are_what_the_policy_says() {
    let (_daemon, sendmail) = pair("policy.message_actions = { unsafe = \"reject\" }");
    let refused = sendmail.send(&Letter::new(MIXED.as_bytes()));
    assert_eq!(refused.0, 550, "{}", refused.1);
    let (_daemon, sendmail) = pair("policy.message_actions = { unsafe = \"quarantine\" }");
    assert_eq!(sendmail.send(&Letter::new(MIXED.as_bytes())).0, 250);
    let held = |files: Vec<String>| files.iter().any(|file| file.starts_with("hf"));
    wait_for("the message on hold", || held(sendmail.queued()).then_some(()));
    assert!(sendmail.mailbox().files().is_empty());
}

#[test]
fn with_the_filter_gone_the_sender_is_put_off() {
    let (mut daemon, sendmail) = pair("");
    let mut session = sendmail.connect();
    let letter = Letter::new(MIXED.as_bytes());
    session.begin(&letter).unwrap();
    daemon.kill();
    let reply = session.finish();
    assert_eq!(reply.0, 451, "{}", reply.1);
    daemon.restart();
    assert_eq!(sendmail.send(&letter).0, 250);
    assert_eq!(sendmail.mailbox().only().body(), MIXED_DEFANGED.as_bytes());
}
