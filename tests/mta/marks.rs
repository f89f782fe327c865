//! A spam filter that runs before us: what it marks has no link that can be clicked.

use super::rig::daemon::Daemon;
use super::rig::mailbox::Delivered;
use super::rig::marker::{self, At};
use super::rig::postfix::Postfix;
use super::rig::restored;
use super::rig::smtp::Letter;

const RULE: &str = "[rules.spam]\nwhen.header = \"X-Spam-Flag: YES\"\ndefang = \"all\"\n";

const BODY: &str = "Buy at https://www.example.com/shop or write to shop@example.com.\r\n";
const DEAD: &str = "Buy at hxxps://www[.]example[.]com/shop or write to shop[@]example[.]com.\r\n";

/// A message that came through somebody else's server, with this on top of it and below.
fn letter(subject: &str, below: &str) -> String {
    format!(
        "Received: from home by mail.example.com with ESMTP id 1;\r\n\tFri, 20 Nov 2026 10:00:00 +0000\r\n\
         {below}From: ann@example.com\r\nTo: bob@example.org\r\nSubject: {subject}\r\n\r\n{BODY}"
    )
}

fn delivered(settings: &str, at: At, data: &str) -> (Daemon, Delivered) {
    let daemon = Daemon::start(&format!("{settings}{RULE}"));
    let marker = marker::start("X-Spam-Flag", "YES", at);
    let postfix = Postfix::start(&format!("{marker}, {}", daemon.places[0]), "");
    let reply = postfix.send(&Letter::new(data.as_bytes()));
    assert_eq!(reply.0, 250, "{}", reply.1);
    (daemon, postfix.mailbox().only())
}

fn is_dead(delivered: &Delivered) {
    let body = String::from_utf8(delivered.body()).unwrap();
    assert!(!body.contains("https://") && body.contains("hxxps://www[.]example[.]com"), "{body}");
    assert_eq!(body, DEAD);
    let verdict = delivered.verdict();
    assert!(verdict.contains("verdict=ok") && verdict.contains("rules=spam"), "{verdict}");
    assert_eq!(restored(delivered), BODY.as_bytes());
}

#[test]
fn nothing_in_marked_mail_can_be_clicked() {
    let (daemon, mail) = delivered("", At::Top, &letter("buy", ""));
    is_dead(&mail);
    let line = &daemon.messages()[0];
    assert!(line.contains("\"rule\":\"spam\"") && line.contains("\"action\":\"edited\""), "{line}");
}

#[test]
fn mail_without_the_mark_stays_as_it_was() {
    let (_daemon, mail) = delivered("", At::Top, &letter("hello", ""));
    assert_eq!(mail.body(), BODY.as_bytes());
}

#[test]
fn a_mark_that_came_with_the_mail_does_not_count() {
    let (_daemon, mail) = delivered("", At::Top, &letter("hello", "X-Spam-Flag: YES\r\n"));
    assert_eq!(mail.body(), BODY.as_bytes());
}

#[test]
fn a_mark_that_denies_takes_nothing_back() {
    let data = format!("X-Spam-Flag: NO\r\n{}", letter("buy", "X-Spam-Flag: NO\r\n"));
    is_dead(&delivered("", At::Top, &data).1);
}

#[test]
fn a_mark_at_the_end_counts_where_the_operator_says_so() {
    let (_daemon, mail) = delivered("", At::End, &letter("buy", ""));
    assert_eq!(mail.body(), BODY.as_bytes());
    let settings = "[upstream]\nfields = \"anywhere\"\n";
    is_dead(&delivered(settings, At::End, &letter("buy", "")).1);
}
