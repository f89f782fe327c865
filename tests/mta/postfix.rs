//! Postfix with the filter as its milter.

use std::process::{Command, Stdio};

use super::rig::daemon::Daemon;
use super::rig::letters::{self, CLEAN, MIXED};
use super::rig::mailbox::Delivered;
use super::rig::postfix::Postfix;
use super::rig::smtp::Letter;
use super::rig::{program, wait_for};
use super::rig::{restored, restored_message};

/// A daemon and a Postfix that uses it for everything that comes by SMTP.
fn pair() -> (Daemon, Postfix) {
    let daemon = Daemon::start("");
    let postfix = Postfix::start(&daemon.places[0], "");
    (daemon, postfix)
}

fn deliver(postfix: &Postfix, letter: &Letter<'_>) -> Delivered {
    let reply = postfix.send(letter);
    assert_eq!(reply.0, 250, "{}", reply.1);
    postfix.mailbox().only()
}

/// The letter of the first test, in parts so that what must not change can be said.
mod first_light {
    /// Lying hosts and honest ones, as people read them.
    pub const MIXED: &str = "https://www.p\u{430}ypal.com/login";
    pub const WHOLE: &str = "https://\u{430}\u{440}\u{440}\u{4cf}\u{435}.com/id";
    pub const HOME: &str = "https://\u{43f}\u{440}\u{435}\u{437}\u{438}\u{434}\u{435}\u{43d}\u{442}.\u{440}\u{444}/\u{43d}\u{43e}\u{432}\u{43e}\u{441}\u{442}\u{438}";
    pub const JAPANESE: &str = "https://ja.wikipedia.org/wiki/\u{65e5}\u{672c}\u{8a9e}";
    pub const EAI: &str = "\u{7528}\u{6237}@\u{4f8b}\u{5b50}.\u{5e7f}\u{544a}";

    pub fn html() -> String {
        format!(
            "<html><body>\r\n<p>Pay at <a href=\"https://www.p\u{430}ypal.com/login\">our page</a>\r\n\
             or <a href=\"https://xn--80ak6aa92e.com/id\">here</a>, visit {MIXED}.\r\n\
             <a href=\"{HOME}\">\u{43d}\u{43e}\u{432}\u{43e}\u{441}\u{442}\u{438}</a>,\r\n\
             <a href=\"{JAPANESE}\">\u{65e5}\u{672c}\u{8a9e}</a>, <a href=\"mailto:{EAI}\">{EAI}</a></p>\r\n</body></html>\r\n"
        )
    }
}

#[test]
fn deceptive_links_come_out_defanged_and_all_else_byte_for_byte() {
    use first_light::{EAI, HOME, JAPANESE, MIXED, WHOLE};
    let text = [MIXED, WHOLE, HOME, JAPANESE, EAI].map(|link| format!("See {link} now.\r\n"));
    let quoted = text.clone().map(|line| letters::quoted_printable(line.as_bytes()));
    let html = letters::base64(first_light::html().as_bytes());
    let before = "preamble\r\n--b=_1\r\nContent-Type: text/plain; charset=utf-8\r\n\
                  Content-Transfer-Encoding: quoted-printable\r\n\r\n";
    let between = "--b=_1\r\nContent-Type: text/html; charset=utf-8\r\n\
                   Content-Transfer-Encoding: base64\r\n\r\n";
    let body = format!("{before}{}{between}{html}--b=_1--\r\nepilogue\r\n", quoted.concat());
    let data = format!("{}{body}", letters::head("multipart/alternative; boundary=\"b=_1\""));

    let (daemon, postfix) = pair();
    let delivered = deliver(&postfix, &Letter::new(data.as_bytes()));

    // The frame and the honest lines of the text part are as they were sent.
    let body_now = String::from_utf8(delivered.body()).unwrap();
    let after_text = body_now.strip_prefix(before).expect("the beginning is as it was");
    let (text_now, rest) = after_text.split_once(between).expect("the middle is as it was");
    let html_now = rest.strip_suffix("--b=_1--\r\nepilogue\r\n").expect("the end is as it was");
    assert!(text_now.ends_with(&quoted[2..].concat()), "honest lines: {text_now}");

    // The lying ones are defanged.
    let text_now = letters::unquoted(text_now.as_bytes());
    let lines: Vec<&str> = text_now.lines().collect();
    assert_eq!(lines.len(), text.len());
    assert_eq!(lines[0], "See hxxps://www[.]xn--pypal-4ve[.]com/login now.");
    assert_eq!(lines[1], "See hxxps://xn--80ak6aa92e[.]com/id now.");

    // In HTML they are inert, and the honest ones are still there.
    let html_now = String::from_utf8(letters::unbase64(html_now)).unwrap();
    for (href, dead) in [
        ("https://www.p\u{430}ypal.com/login", "hxxps://www[.]xn--pypal-4ve[.]com/login"),
        ("https://xn--80ak6aa92e.com/id", "hxxps://xn--80ak6aa92e[.]com/id"),
    ] {
        assert!(!html_now.contains(href), "{html_now}");
        assert!(html_now.contains(&format!(" data-unsafe-href=\"{dead}\"")), "{html_now}");
    }
    assert!(html_now.contains("visit hxxps://www[.]xn--pypal-4ve[.]com/login."), "{html_now}");
    let honest = first_light::html();
    let honest = &honest[honest.find("<a href=\"https://\u{43f}").unwrap()..];
    assert!(html_now.ends_with(honest), "{html_now}");

    // The header says so, the log too, and the original can be had back.
    let verdict = delivered.verdict();
    assert!(
        verdict.contains("by=mx.example.org") && verdict.contains("verdict=unsafe"),
        "{verdict}"
    );
    let line = &daemon.messages()[0];
    for part in ["\"verdict\":\"unsafe\"", "\"action\":\"edited\"", "mixed-script", "whole-script"]
    {
        assert!(line.contains(part), "{line}");
    }
    assert!(!line.contains("login") && !line.contains("ann"), "no paths, no local parts: {line}");
    assert_eq!(restored(&delivered), body.as_bytes());
}

#[test]
fn a_clean_message_is_delivered_with_its_body_untouched() {
    let (daemon, postfix) = pair();
    let data = b"From: ann@example.com\r\nSubject: plain\r\nX-Linkmilter: forged\r\n\
        X-Linkmilter: forged too\r\nx-linkmilter-undo: forged\r\n\r\n\
        See https://www.example.com/ .\r\n.dot\r\n";
    let delivered = deliver(&postfix, &Letter::new(data));
    assert_eq!(delivered.body(), b"See https://www.example.com/ .\r\n.dot\r\n");
    let verdict = delivered.verdict();
    assert!(verdict.contains("verdict=ok") && verdict.contains("edited=0"), "{verdict}");
    assert_eq!(delivered.fields("X-Linkmilter-Undo"), [""; 0], "what came from outside is removed");
    assert_eq!(daemon.messages().len(), 1);
}

#[test]
fn smtputf8_from_and_to_addresses_that_are_not_ascii() {
    let (daemon, postfix) = pair();
    let data = "From: \u{7528}\u{6237} <\u{7528}\u{6237}@\u{4f8b}\u{5b50}.example>\r\n\
        To: p\u{e9}ter@example.org\r\nSubject: \u{43f}\u{440}\u{438}\u{432}\u{435}\u{442}\r\n\
        MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\
        Content-Transfer-Encoding: 8bit\r\n\r\n\
        See https://www.p\u{430}ypal.com/login \u{43d}\u{435}\u{442}\r\n";
    let letter = Letter {
        from: "\u{7528}\u{6237}@\u{4f8b}\u{5b50}.example",
        to: &["p\u{e9}ter@example.org"],
        parameters: "SMTPUTF8 BODY=8BITMIME",
        data: data.as_bytes(),
    };
    let delivered = deliver(&postfix, &letter);
    assert_eq!(
        String::from_utf8(delivered.body()).unwrap(),
        "See hxxps://www[.]xn--pypal-4ve[.]com/login \u{43d}\u{435}\u{442}\r\n"
    );
    let head = delivered.head();
    assert!(head.contains("Subject: \u{43f}\u{440}\u{438}\u{432}\u{435}\u{442}"), "{head}");
    assert!(head.contains("From: \u{7528}\u{6237} <"), "{head}");
    assert_eq!(daemon.messages().len(), 1);
}

#[test]
fn an_8bitmime_message_keeps_its_other_bytes() {
    let (_daemon, postfix) = pair();
    let head = letters::head("text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: 8bit");
    let mut data = head.into_bytes();
    data.extend_from_slice(
        b"caf\xe9 \x80\x9f http://user:p@www.paypal.com@evil.example/ na\xefve\r\n",
    );
    let letter = Letter { parameters: "BODY=8BITMIME", ..Letter::new(&data) };
    let body = deliver(&postfix, &letter).body();
    assert!(body.starts_with(b"caf\xe9 \x80\x9f ") && body.ends_with(b" na\xefve\r\n"), "{body:?}");
}

/// Field failure 7 (MIMEDefang #16): rebuilding re-wraps untouched parts and breaks signed PDFs.
#[test]
fn field_failure_07_parts_that_are_not_edited_keep_every_byte() {
    let (_daemon, postfix) = pair();
    // Base64 in lines of odd lengths, a blank line in the middle, trailing blanks, and no final
    // line end before the boundary's.
    let pdf = "JVBERi0xLjcNCg==\r\nJVBE\r\nRi0xLjcNCiXi48/TDQoxIDAgb2JqDQo8PC9UeXBl  \r\n\r\n\
               L0NhdGFsb2c+Pg0KZW5kb2JqDQp0cmFpbGVyDQo8PC9Sb290IDEgMCBSPj4NCiUlRU9GDQo=";
    let frame = |text: &str| {
        format!(
            "--x\r\nContent-Type: text/plain; charset=utf-8\r\n\
             Content-Transfer-Encoding: 8bit\r\n\r\n{text}\r\n\
             --x\r\nContent-Type:application/pdf;\r\n\tname=\"a.pdf\"\r\n\
             content-transfer-encoding:BASE64\r\n\r\n{pdf}\r\n--x--\r\n\r\n\r\n"
        )
    };
    let body = frame("https://www.p\u{430}ypal.com/login");
    let data = format!("{}{body}", letters::head("multipart/mixed; boundary=x"));
    let letter = Letter { parameters: "BODY=8BITMIME", ..Letter::new(data.as_bytes()) };
    let delivered = deliver(&postfix, &letter);
    let expected = frame("hxxps://www[.]xn--pypal-4ve[.]com/login");
    assert_eq!(String::from_utf8(delivered.body()).unwrap(), expected);
    assert_eq!(restored(&delivered), body.as_bytes());
}

#[test]
fn both_sockets_and_both_paths_into_postfix() {
    let daemon = Daemon::listen("", &["inet:0@127.0.0.1", "unix:socket"]);
    // smtpd and cleanup run as postfix: the socket is opened to them by its group.
    let (inet, unix) = (daemon.places[0].clone(), daemon.places[1].clone());
    let grant = Command::new("chgrp").arg("postfix").arg(unix.trim_start_matches("unix:")).status();
    assert!(grant.unwrap().success());
    let postfix = Postfix::start(&unix, &format!("non_smtpd_milters = {inet}"));
    let reply = postfix.send(&Letter::new(MIXED.as_bytes()));
    assert_eq!(reply.0, 250, "{}", reply.1);
    postfix.mailbox().wait(1);
    let message = MIXED.replace("\r\n", "\n");
    let out = postfix.sendmail(message.as_bytes(), &["-f", "ann@example.com", "bob@example.org"]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    for delivered in postfix.mailbox().wait(2) {
        let body = String::from_utf8(delivered.body()).unwrap();
        assert_eq!(body, letters::MIXED_DEFANGED, "{}", delivered.head());
        assert!(delivered.verdict().contains("verdict=unsafe"));
    }
    assert_eq!(daemon.messages().len(), 2);
    assert!(daemon.messages().iter().all(|line| !line.contains("\"queue_id\":\"-\"")));
}

#[test]
fn nobody_is_refused_on_the_way_of_the_sendmail_command() {
    let daemon = Daemon::start("policy.message_actions = { unsafe = \"reject\" }");
    let place = &daemon.places[0];
    let postfix = Postfix::start(place, &format!("non_smtpd_milters = {place}"));
    let refused = postfix.send(&Letter::new(MIXED.as_bytes()));
    assert_eq!(refused.0, 550, "{}", refused.1);
    assert!(refused.1.contains("5.7.1"), "{}", refused.1);
    let message = MIXED.replace("\r\n", "\n");
    postfix.sendmail(message.as_bytes(), &["-f", "ann@example.com", "bob@example.org"]);
    let delivered = postfix.mailbox().only();
    assert_eq!(String::from_utf8(delivered.body()).unwrap(), letters::MIXED_DEFANGED);
}

/// The other half of field failure 3: a chrooted smtpd sees nothing outside its queue directory.
#[test]
fn field_failure_03_a_chrooted_smtpd_reaches_a_socket_in_its_queue_directory() {
    let prepared = Postfix::prepare();
    let socket = prepared.dir.path().join("queue/linkmilter.socket");
    let listen = format!("unix:{}", socket.display());
    let _daemon = Daemon::listen("server.socket_group = \"postfix\"", &[&listen]);
    let postfix = prepared.run_with("unix:/linkmilter.socket", "", "y");
    let delivered = deliver(&postfix, &Letter::new(MIXED.as_bytes()));
    assert_eq!(String::from_utf8(delivered.body()).unwrap(), letters::MIXED_DEFANGED);
}

#[test]
fn a_subject_tag_is_put_in_front_and_taken_back() {
    let daemon = Daemon::start("policy.message_actions = { unsafe = \"subject-tag\" }");
    let postfix = Postfix::start(&daemon.places[0], "");
    let delivered = deliver(&postfix, &Letter::new(MIXED.as_bytes()));
    assert_eq!(delivered.fields("Subject"), ["[deceptive link] mixed"]);
    let restored = Delivered { raw: restored_message(&delivered) };
    assert_eq!(restored.fields("Subject"), ["mixed"]);
    assert!(MIXED.as_bytes().ends_with(&restored.body()));
}

#[test]
fn quarantine_holds_the_message() {
    let daemon = Daemon::start("policy.message_actions = { unsafe = \"quarantine\" }");
    let postfix = Postfix::start(&daemon.places[0], "");
    assert_eq!(postfix.send(&Letter::new(MIXED.as_bytes())).0, 250);
    wait_for("the message on hold", || (postfix.queued() == 1).then_some(()));
    wait_for("the log to say so", || postfix.log().contains("milter-hold").then_some(()));
    assert!(postfix.mailbox().files().is_empty());
}

#[test]
fn one_session_carries_many_messages_and_aborted_ones() {
    let (daemon, postfix) = pair();
    let mut session = postfix.connect();
    for round in 0..3 {
        assert_eq!(session.command("MAIL FROM:<x@example.com>").0, 250);
        assert_eq!(session.command("RSET").0, 250);
        let letter = if round == 1 { MIXED } else { CLEAN };
        assert_eq!(session.send(&Letter::new(letter.as_bytes())).0, 250);
    }
    let delivered = postfix.mailbox().wait(3);
    let edited = delivered.iter().filter(|mail| mail.verdict().contains("edited=1")).count();
    assert_eq!(edited, 1);
    // Whoever asked whether Postfix is there made a connection of its own.
    assert!(daemon.metric("linkmilter_connections_total") <= 2, "one milter connection");
}

#[test]
fn thirty_megabytes_and_chunk_borders_inside_links() {
    let (daemon, postfix) = pair();
    // A link across the border of the first 65,535-byte chunk, at every offset that cuts it.
    let link = "https://www.p\u{430}ypal.com/login";
    let mut session = postfix.connect();
    for cut in (1..link.len()).step_by(4) {
        let filler = letters::filler(65_535 - cut);
        let data = format!("{}{filler}{link} end\r\n", letters::head(letters::UTF8));
        let reply = session.send(&Letter::new(data.as_bytes()));
        assert_eq!(reply.0, 250, "{}", reply.1);
    }
    let expected = "hxxps://www[.]xn--pypal-4ve[.]com/login end\r\n";
    let count = (1..link.len()).step_by(4).count();
    for delivered in postfix.mailbox().wait(count) {
        let body = String::from_utf8(delivered.body()).unwrap();
        let kept = body.strip_suffix(expected).expect("the link is defanged");
        assert_eq!(kept, letters::filler(kept.len()), "all before it as it was");
    }
    // The border, which is text byte 47,892 here, inside a base64 quantum of the link.
    let more = postfix.mailbox().files().len();
    for shift in 0..3 {
        let text = format!("{}{link} end\r\n", letters::filler(47_870 + shift));
        let data =
            format!("{}{}", letters::head(letters::BASE64), letters::base64(text.as_bytes()));
        assert_eq!(session.send(&Letter::new(data.as_bytes())).0, 250);
    }
    let in_base64 =
        postfix.mailbox().wait(more + 3).into_iter().filter(|mail| mail.head().contains("base64"));
    for delivered in in_base64 {
        let text = letters::unbase64(std::str::from_utf8(&delivered.body()).unwrap());
        let text = String::from_utf8(text).unwrap();
        let kept = text.strip_suffix(expected).expect("the link is defanged");
        assert_eq!(kept, letters::filler(kept.len()), "all before it as it was");
    }
    // Thirty megabytes with one lying link at the end.
    let filler = letters::filler(30 << 20);
    let data = format!("{}{filler}{link} end\r\n", letters::head(letters::UTF8));
    assert_eq!(session.send(&Letter::new(data.as_bytes())).0, 250);
    let large = postfix.mailbox().wait(more + 4).into_iter().max_by_key(|mail| mail.raw.len());
    let body = large.unwrap().body();
    assert_eq!(body.len(), filler.len() + expected.len());
    assert!(body.starts_with(filler.as_bytes()) && body.ends_with(expected.as_bytes()));
    assert_eq!(daemon.messages().len(), count + 4);
}

#[test]
fn a_reload_under_load_loses_and_changes_nothing() {
    let (daemon, postfix) = pair();
    const ROUND: usize = 300;
    const RELOADS: u64 = 8;
    let (mut sent, mut asked) = (0, 0);
    while daemon.metric("linkmilter_reloads_total") < RELOADS {
        let mut load = smtp_source(&postfix, ROUND, 8);
        sent += ROUND;
        while load.try_wait().unwrap().is_none() {
            let mode = if asked % 2 == 0 { "report-only" } else { "enforce" };
            daemon.configure(&format!("policy.profile = \"{mode}\""));
            daemon.signal("HUP");
            asked += 1;
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        assert!(load.wait().unwrap().success());
    }
    postfix.mailbox().wait_long(sent);
    let delivered = postfix.mailbox().wait(sent);
    let body = delivered[0].body();
    assert!(delivered.iter().all(|mail| mail.body() == body), "clean mail stays as it is");
    assert!(delivered.iter().all(|mail| mail.verdict().contains("verdict=ok")));
    assert_eq!(daemon.messages().len(), sent);
    daemon.configure("policy.profile = 7");
    daemon.signal("HUP");
    daemon.wait_for_log("reload failed");
    assert_eq!(
        postfix.send(&Letter::new(CLEAN.as_bytes())).0,
        250,
        "an error keeps the old settings"
    );
}

/// Every message is in the log, the metrics and the mailbox.
#[test]
fn ten_thousand_messages_are_accounted_for() {
    let (daemon, postfix) = pair();
    const MESSAGES: usize = 10_000;
    let load = smtp_source(&postfix, MESSAGES, 16).wait().unwrap();
    assert!(load.success());
    postfix.mailbox().wait_long(MESSAGES);
    assert_eq!(daemon.messages().len(), MESSAGES);
    assert_eq!(daemon.metric("linkmilter_messages_total"), MESSAGES as u64);
    assert_eq!(daemon.metric("linkmilter_connection_faults_total"), 0);
    let mut ids: Vec<String> =
        daemon.messages().iter().map(|line| letters::json_text(line, "queue_id")).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), MESSAGES, "a queue id each");
}

fn smtp_source(postfix: &Postfix, messages: usize, sessions: usize) -> std::process::Child {
    Command::new(program("smtp-source", "postfix"))
        .args(["-s", &sessions.to_string(), "-m", &messages.to_string(), "-l", "2000", "-d"])
        .args(["-f", "ann@example.com", "-t", "bob@example.org"])
        .arg(format!("127.0.0.1:{}", postfix.port))
        .stdin(Stdio::null())
        .spawn()
        .unwrap()
}
