//! The filter dies in the middle of a message, stops, or stays away: no mail is lost.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;

use super::rig::daemon::Daemon;
use super::rig::kill;
use super::rig::letters::{self, CLEAN, MIXED, MIXED_DEFANGED};
use super::rig::milter::{Mta, message};
use super::rig::postfix::Postfix;
use super::rig::smtp::Letter;
use super::rig::wait_for;

/// The line of [`MIXED`].
const MIXED_LINE: &str = "Pay at https://www.p\u{430}ypal.com/login now.\r\n";

/// Bytes of an answer that the proxy lets through before it kills: all that comes before a new body
/// is far smaller.
const LET_THROUGH: usize = 300_000;

/// Stands between Postfix and the daemon, and kills the daemon once, in the middle of an answer.
struct Proxy {
    /// As Postfix spells it.
    place: String,
    cut: Arc<AtomicBool>,
}

impl Proxy {
    fn before(daemon: &Daemon) -> Proxy {
        let (target, pid) = (daemon.places[0].replace("inet:", ""), daemon.pid().to_string());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let place = format!("inet:{}", listener.local_addr().unwrap());
        let cut = Arc::new(AtomicBool::new(false));
        let proxy = Proxy { place, cut: Arc::clone(&cut) };
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let (Ok(client), Ok(server)) = (client, TcpStream::connect(&target)) else {
                    continue;
                };
                let (up, down) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                std::thread::spawn(move || copy(up, server, usize::MAX));
                let (cut, pid) = (Arc::clone(&cut), pid.clone());
                std::thread::spawn(move || {
                    let bound = if cut.load(SeqCst) { usize::MAX } else { LET_THROUGH };
                    if copy(down, client, bound) >= bound {
                        kill("KILL", &pid);
                        cut.store(true, SeqCst);
                    }
                });
            }
        });
        proxy
    }

    fn has_cut(&self) -> bool {
        self.cut.load(SeqCst)
    }
}

/// Copies until the end or the bound, then closes both; how many bytes.
fn copy(mut from: TcpStream, mut to: TcpStream, bound: usize) -> usize {
    let mut copied = 0;
    let mut buffer = [0; 16_384];
    while copied < bound {
        match from.read(&mut buffer) {
            Ok(read @ 1..) if to.write_all(&buffer[..read]).is_ok() => copied += read,
            _ => break,
        }
    }
    for stream in [&from, &to] {
        // The other side may have closed it already.
        let _ = stream.shutdown(Shutdown::Both);
    }
    copied
}

#[test]
fn killed_in_the_middle_of_a_message_the_sender_is_put_off_and_delivers_after_the_restart() {
    let mut daemon = Daemon::start("");
    let postfix = Postfix::start(&daemon.places[0], "");
    let letter = Letter::new(MIXED.as_bytes());

    let mut session = postfix.connect();
    session.begin(&letter).unwrap();
    daemon.kill();
    let reply = session.finish();
    assert_eq!(reply.0, 451, "{}", reply.1);
    assert!(postfix.mailbox().files().is_empty() && postfix.queued() == 0, "nothing was taken");

    // While it is away every sender is put off, before any content.
    let reply = postfix.send(&letter);
    assert_eq!(reply.0, 451, "{}", reply.1);

    daemon.restart();
    let reply = postfix.send(&letter);
    assert_eq!(reply.0, 250, "{}", reply.1);
    let delivered = postfix.mailbox().only();
    assert_eq!(String::from_utf8(delivered.body()).unwrap(), MIXED_DEFANGED);
}

#[test]
fn killed_in_the_middle_of_a_new_body_nothing_half_done_is_delivered() {
    let mut daemon = Daemon::start("");
    let proxy = Proxy::before(&daemon);
    let postfix = Postfix::start(&proxy.place, "");
    let filler = letters::filler(8 << 20);
    let data = format!("{}{filler}\r\n{MIXED_LINE}", letters::head(letters::UTF8));
    let letter = Letter::new(data.as_bytes());

    // Some chunks of the new body get through, then the daemon dies.
    let reply = postfix.send(&letter);
    assert_eq!(reply.0, 451, "{}", reply.1);
    // Postfix answers as soon as the connection is gone, the daemon goes right after it.
    wait_for("the daemon to be killed between two chunks", || proxy.has_cut().then_some(()));
    assert!(postfix.mailbox().files().is_empty() && postfix.queued() == 0, "nothing was taken");

    daemon.kill();
    daemon.restart();
    let reply = postfix.send(&letter);
    assert_eq!(reply.0, 250, "{}", reply.1);
    let delivered = postfix.mailbox().only();
    let body = String::from_utf8(delivered.body()).unwrap();
    let kept = body.strip_suffix(MIXED_DEFANGED).expect("the link is defanged");
    assert!(kept == format!("{filler}\r\n"), "all before it as it was");
}

#[test]
fn with_accept_as_default_action_mail_passes_unfiltered_while_the_filter_is_away() {
    let mut daemon = Daemon::start("");
    let postfix = Postfix::start(&daemon.places[0], "milter_default_action = accept");
    daemon.kill();
    assert_eq!(postfix.send(&Letter::new(MIXED.as_bytes())).0, 250);
    let delivered = postfix.mailbox().only();
    assert!(MIXED.as_bytes().ends_with(&delivered.body()));
    assert!(delivered.fields("X-Linkmilter").is_empty());
}

#[test]
fn killed_while_local_mail_comes_in_it_waits_in_the_queue() {
    let mut daemon = Daemon::start("");
    let postfix = Postfix::start("", &format!("non_smtpd_milters = {}", daemon.places[0]));
    daemon.kill();
    let message = MIXED.replace("\r\n", "\n");
    let out = postfix.sendmail(message.as_bytes(), &["-f", "ann@example.com", "bob@example.org"]);
    assert!(out.status.success());
    wait_for("pickup to try", || postfix.log().contains("milter-reject").then_some(()));
    assert!(postfix.mailbox().files().is_empty());
    daemon.restart();
    postfix.flush();
    // pickup looks at the maildrop again once a minute; a new message wakes it.
    postfix.sendmail(CLEAN.as_bytes(), &["-f", "ann@example.com", "bob@example.org"]);
    let delivered = postfix.mailbox().wait(2);
    let bodies: Vec<Vec<u8>> = delivered.iter().map(|mail| mail.body()).collect();
    assert!(bodies.contains(&MIXED_DEFANGED.as_bytes().to_vec()));
}

#[test]
fn sigterm_finishes_the_messages_that_have_begun_and_takes_no_more() {
    let mut daemon = Daemon::start("");
    let mut idle = Mta::begin(daemon.connect());
    let mut busy = Mta::begin(daemon.connect());
    let body = MIXED.split_once("\r\n\r\n").unwrap().1.as_bytes();
    let head = [("Content-Type", "text/plain; charset=utf-8")];
    let packets = message(&head, body, 65_535, "Q1");
    let (first, last) = packets.split_at(packets.len() - 8);
    busy.send(first);
    // Both connections are known to the daemon before it is told to stop.
    assert_eq!(idle.filter(&[], b"hello\r\n", "Q0").ending.0, b'a');
    daemon.signal("TERM");
    daemon.wait_for_log("draining");
    assert_eq!(idle.read(), None, "an idle connection ends at once");
    busy.send(last);
    let said = busy.answer();
    assert_eq!(said.body.as_deref(), Some(MIXED_DEFANGED.as_bytes()));
    assert_eq!(busy.read(), None);
    assert_eq!(daemon.wait(), Some(0));
}
