//! Whatever happens during a run, each message is there: unchanged, or with its links defanged.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread::JoinHandle;

use linkmilter::recall::imap::Connection;
use linkmilter::recall::imap::account::{Account, TlsMode};
use linkmilter::recall::imap::connect::{ImapStream, connect};
use linkmilter::recall::imap::folder::{
    Access, ImapFolder, ImapMessage, NEW_KEYWORD, OLD_KEYWORD, ReplacedInFolder, mailbox,
};

use crate::client::{Client, Kept};
use crate::dovecot::{Dovecot, PASSWORD};
use crate::free_port;
use crate::{BAD, DATE, FINE, is_dead, recall};

/// When a proxy closes the connection.
#[derive(Clone, Copy, Debug)]
enum Cut {
    /// Before the server gets the command.
    Before,
    /// The server runs the command, but its response is lost.
    Behind,
}

/// Passes this many blocks from the client to the server, then closes the connection.
struct Proxy {
    port: u16,
    thread: JoinHandle<bool>,
}

impl Proxy {
    fn start(server: u16, blocks: usize, cut: Cut) -> Proxy {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let thread = std::thread::spawn(move || {
            let (mut client, _) = listener.accept().unwrap();
            let mut server = TcpStream::connect(("127.0.0.1", server)).unwrap();
            let (mut back, mut to) = (server.try_clone().unwrap(), client.try_clone().unwrap());
            let answers = std::thread::spawn(move || {
                let _ = std::io::copy(&mut back, &mut to);
                let _ = to.shutdown(Shutdown::Both);
            });
            let mut block = vec![0; 1 << 16];
            let mut left = blocks;
            let is_cut = loop {
                let read = client.read(&mut block).unwrap_or(0);
                if read == 0 {
                    break false;
                }
                left -= 1;
                let last = left == 0;
                if last {
                    let _ = client.shutdown(Shutdown::Both);
                }
                if !(last && matches!(cut, Cut::Before)) {
                    server.write_all(&block[..read]).unwrap();
                }
                if last {
                    // Commands that were sent are finished before the connection ends.
                    let _ = server.shutdown(Shutdown::Write);
                    break true;
                }
            };
            let _ = server.shutdown(Shutdown::Write);
            answers.join().unwrap();
            is_cut
        });
        Proxy { port, thread }
    }
}

/// Two equal messages and another one, in a folder that was emptied.
fn refill(client: &mut Client) -> Vec<Kept> {
    client.ask("SELECT INBOX");
    client.ask("STORE 1:* +FLAGS.SILENT (\\Deleted)");
    client.ask("EXPUNGE");
    for text in [BAD, BAD, FINE] {
        client.append("INBOX", "\\Seen $Work", DATE, text);
    }
    client.folder("INBOX")
}

fn check(kept: &[Kept], at: &str, dead: bool) {
    assert_eq!(kept.len(), 3, "{at}: {kept:#?}");
    assert_eq!(kept.iter().filter(|kept| kept.text == FINE).count(), 1, "{at}");
    for kept in kept {
        assert_eq!((kept.flags.as_str(), kept.date.as_str()), ("$Work \\Seen", DATE), "{at}");
        assert!(
            kept.text == FINE || (if dead { is_dead(&kept.text) } else { kept.text == BAD }),
            "{at}"
        );
    }
}

#[test]
fn interrupted_anywhere_nothing_is_lost_and_resume_finishes() {
    let dovecot = Dovecot::start("maildir");
    let mut client = Client::connect(dovecot.port);
    client.append("INBOX", "", DATE, FINE);
    let mut cuts = 0;
    for cut in [Cut::Before, Cut::Behind] {
        for (direction, dead) in [(&[][..], true), (&["--give-back"][..], false)] {
            for blocks in 1.. {
                refill(&mut client);
                if !dead {
                    assert_eq!(recall(dovecot.port, &[]).code, Some(0));
                }
                let at = format!("{cut:?} {blocks} {direction:?}");
                let proxy = Proxy::start(dovecot.port, blocks, cut);
                let output = recall(proxy.port, direction);
                if !proxy.thread.join().unwrap() {
                    assert_eq!(output.code, Some(0), "{at}: {}", output.err);
                    break;
                }
                cuts += 1;
                let between = client.folder("INBOX");
                assert!(between.len() >= 3, "{at}: {between:#?}");
                let output = recall(dovecot.port, &[direction, &["--resume"]].concat());
                assert_eq!(output.code, Some(0), "{at}: {}", output.err);
                check(&client.folder("INBOX"), &at, dead);
            }
        }
    }
    assert!(cuts > 60, "{cuts}");
}

#[test]
fn leftovers_of_an_interrupted_run_are_reported_and_wait_for_resume() {
    let dovecot = Dovecot::start("maildir");
    let mut client = Client::connect(dovecot.port);
    client.append("INBOX", OLD_KEYWORD, DATE, BAD);
    client.append("INBOX", "", DATE, BAD);
    let output = recall(dovecot.port, &[]);
    assert_eq!(output.code, Some(2));
    assert!(
        output.err.contains("INBOX 1: an earlier run was interrupted here; --resume finishes it"),
        "{}",
        output.err
    );
    let kept = client.folder("INBOX");
    assert_eq!((kept[0].text.as_str(), kept.len()), (BAD, 2));
    assert!(is_dead(&kept[1].text));
    let output = recall(dovecot.port, &["--resume"]);
    assert_eq!(output.code, Some(0), "{}", output.err);
    let kept = client.folder("INBOX");
    assert!(kept.iter().all(|kept| is_dead(&kept.text) && kept.flags.is_empty()), "{kept:#?}");
    assert_eq!(kept.len(), 2);
}

/// A recall of another host cannot decide which copy belongs to which message, so it leaves both.
#[test]
fn leftovers_of_a_run_over_other_hosts_are_left() {
    let dovecot = Dovecot::start("maildir");
    let mut client = Client::connect(dovecot.port);
    client.append("INBOX", OLD_KEYWORD, DATE, BAD);
    client.append("INBOX", NEW_KEYWORD, DATE, FINE);
    let before = client.folder("INBOX");
    let output = recall(dovecot.port, &["--resume"]);
    assert_eq!(output.code, Some(2));
    assert!(output.err.contains("INBOX 2: expected a run over the same hosts"), "{}", output.err);
    assert_eq!(client.folder("INBOX"), before);
}

fn connected(dovecot: &Dovecot) -> Connection<ImapStream> {
    let account = Account {
        user: "ann".to_owned(),
        host: "localhost".to_owned(),
        port: dovecot.port,
        tls_mode: TlsMode::StartTls,
        folder: None,
    };
    let roots = std::fs::read(dovecot.path("cert.pem")).unwrap();
    connect(&account, PASSWORD, Some(&roots), 1 << 20).unwrap()
}

/// Another client changes flags or removes the message, or another run finishes the copy.
#[test]
fn a_mailbox_may_change_during_a_run() {
    let dovecot = Dovecot::start("maildir");
    let mut client = Client::connect(dovecot.port);
    for _ in 0..4 {
        client.append("INBOX", "\\Seen", DATE, BAD);
    }
    let mut connection = connected(&dovecot);
    let mailbox = mailbox("INBOX").unwrap();
    let mut folder = ImapFolder::open(&mut connection, &mailbox, Access::ReadWrite).unwrap();
    let messages = folder.messages().unwrap();
    let bytes = FINE.replace('\n', "\r\n");

    client.ask("SELECT INBOX");
    client.ask("UID STORE 1 +FLAGS (\\Answered $Later)");
    client.ask("UID STORE 2 +FLAGS (\\Deleted)");
    client.ask("UID EXPUNGE 2");
    let ReplacedInFolder::By(uid) = folder.replace(&messages[0], bytes.as_bytes()).unwrap() else {
        panic!()
    };
    assert_eq!(folder.replace(&messages[1], bytes.as_bytes()).unwrap(), ReplacedInFolder::Gone);
    let kept = client.folder("INBOX");
    assert_eq!(kept.len(), 3, "what he removed stays removed: {kept:#?}");
    let copy = kept.iter().find(|kept| kept.uid == uid.get()).unwrap();
    assert_eq!(copy.content(), ("$Later \\Answered \\Seen", DATE, FINE));

    // Another run with --resume, in between.
    client.append("INBOX", &format!("\\Seen {NEW_KEYWORD}"), DATE, FINE);
    let all = folder.messages().unwrap();
    let copy = all.last().unwrap().clone();
    assert_eq!(folder.finish(&messages[2], &copy).unwrap(), ReplacedInFolder::By(copy.uid));
    assert_eq!(folder.messages().unwrap().len(), 3);
    let kept = client.folder("INBOX");
    assert!(kept.iter().all(|kept| !kept.flags.contains("Linkmilter")), "{kept:#?}");
}

/// Another client does something right before each command that holds a word.
struct Meddler<'a> {
    stream: ImapStream,
    word: &'static [u8],
    does: &'a mut dyn FnMut(),
}

impl Read for Meddler<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        self.stream.read(bytes)
    }
}

impl Write for Meddler<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if bytes.windows(self.word.len()).any(|window| window == self.word) {
            (self.does)();
        }
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.stream.flush()
    }
}

/// Replaces the first message while another client does something.
fn replaced(
    dovecot: &Dovecot,
    word: &'static [u8],
    does: &mut dyn FnMut(),
) -> (ImapMessage, Result<ReplacedInFolder, String>) {
    let stream = connected(dovecot).into_inner();
    let mut connection = Connection::new(Meddler { stream, word, does }, 1 << 20);
    let mailbox = mailbox("INBOX").unwrap();
    let mut folder = ImapFolder::open(&mut connection, &mailbox, Access::ReadWrite).unwrap();
    let message = folder.messages().unwrap().remove(0);
    let done = folder.replace(&message, dead().as_bytes());
    (message, done.map_err(|error| error.to_string()))
}

fn dead() -> String {
    let (head, body) = BAD.split_once("\n\n").unwrap();
    let body = body.replace("https://login.bad.example.com/a", "defanged");
    format!("{head}\n\n{body}").replace('\n', "\r\n")
}

/// A message is marked as deleted and expunged by two commands. Tests what others do between them.
#[test]
fn between_mark_and_expunge_only_a_flag_can_be_lost() {
    let dovecot = Dovecot::start("maildir");
    let mut client = Client::connect(dovecot.port);
    let mut other = Client::connect(dovecot.port);
    for (word, command, flags) in [
        // The copy gets what others set before the mark.
        (&b"+FLAGS (\\Deleted)"[..], "+FLAGS (\\Flagged)", "\\Flagged \\Seen"),
        // After the mark, for one round trip, a flag is lost with the message.
        (b"UID EXPUNGE", "+FLAGS (\\Flagged)", "\\Seen"),
        // A client that clears the mark once keeps one message: the copy.
        (b"UID EXPUNGE", "-FLAGS (\\Deleted)", "\\Seen"),
    ] {
        client.append("INBOX", "", DATE, FINE);
        client.ask("SELECT INBOX");
        client.ask("STORE 1:* +FLAGS.SILENT (\\Deleted)");
        client.ask("EXPUNGE");
        client.append("INBOX", "\\Seen", DATE, BAD);
        other.ask("SELECT INBOX");
        let mut times = 0;
        let mut once = || {
            times += 1;
            if times == 1 {
                // The message; its copy is the second.
                other.ask(&format!("STORE 1 {command}"));
            }
        };
        let (_, done) = replaced(&dovecot, word, &mut once);
        assert!(matches!(done, Ok(ReplacedInFolder::By(_))), "{command}: {done:?}");
        assert!(times > 0, "{command}");
        let kept = client.folder("INBOX");
        assert_eq!(kept.len(), 1, "{command}: {kept:#?}");
        assert!(kept[0].text.contains("defanged"));
        assert_eq!(kept[0].flags, flags, "{command}");
    }
}

/// Another client clears the mark each time. Then both stay, and the next run finishes.
#[test]
fn a_message_that_another_client_restores_each_time_stays() {
    let dovecot = Dovecot::start("maildir");
    let mut client = Client::connect(dovecot.port);
    let mut other = Client::connect(dovecot.port);
    client.append("INBOX", "\\Seen", DATE, BAD);
    other.ask("SELECT INBOX");
    let mut times = 0;
    let mut each = || {
        times += 1;
        other.ask("UID STORE 1 -FLAGS (\\Deleted)");
    };
    let (message, done) = replaced(&dovecot, b"UID EXPUNGE", &mut each);
    assert_eq!(message.uid.get(), 1);
    let error = done.unwrap_err();
    assert!(error.contains("restores each time: it stays beside its copy"), "{error}");
    assert_eq!(times, 3);
    let kept = client.folder("INBOX");
    assert_eq!(kept.len(), 2, "{kept:#?}");
    assert_eq!((kept[0].text.as_str(), kept[0].flags.as_str()), (BAD, "LinkmilterOld \\Seen"));
    assert_eq!(kept[1].flags, "LinkmilterNew \\Seen");
}

/// An attacker on the path injects responses before the handshake (CVE-2011-0411 and its like).
#[test]
fn responses_before_the_handshake_are_ignored() {
    let dovecot = Dovecot::start("maildir");
    let (port, server) = (free_port(), dovecot.port);
    let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
    let between = std::thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        let mut server = TcpStream::connect(("127.0.0.1", server)).unwrap();
        let (mut up, mut to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
        std::thread::spawn(move || std::io::copy(&mut up, &mut to));
        let mut block = vec![0; 1 << 16];
        let mut added = false;
        loop {
            let read = server.read(&mut block).unwrap_or(0);
            if read == 0 {
                return added;
            }
            let mut said = block[..read].to_vec();
            if !added && said.starts_with(b"a1 OK") {
                added = true;
                said.extend(b"* CAPABILITY IMAP4rev1 LOGINDISABLED\r\n* BYE injected\r\n");
            }
            if client.write_all(&said).is_err() {
                return added;
            }
        }
    });
    let account = Account {
        user: "ann".to_owned(),
        host: "localhost".to_owned(),
        port,
        tls_mode: TlsMode::StartTls,
        folder: None,
    };
    let roots = std::fs::read(dovecot.path("cert.pem")).unwrap();
    let mut connection = connect(&account, PASSWORD, Some(&roots), 1 << 20).unwrap();
    let mailbox = mailbox("INBOX").unwrap();
    let mut folder = ImapFolder::open(&mut connection, &mailbox, Access::ReadOnly).unwrap();
    assert_eq!(folder.messages().unwrap().len(), 0);
    connection.log_out();
    assert!(between.join().unwrap(), "something was put in front");
}
