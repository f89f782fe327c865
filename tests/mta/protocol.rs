//! What the daemon makes of an MTA's words, on the wire.

use super::rig::daemon::Daemon;
use super::rig::letters::{MIXED, MIXED_DEFANGED};
use super::rig::milter::{Mta, Said, message, packet};

const UTF8: [(&str, &str); 1] = [("Content-Type", "text/plain; charset=utf-8")];

fn body() -> &'static [u8] {
    MIXED.split_once("\r\n\r\n").unwrap().1.as_bytes()
}

/// Our summary field of an answer.
fn summary(said: &Said) -> &str {
    let found = said.inserted.iter().find(|(name, _)| name == "X-Linkmilter");
    &found.expect("our field").1
}

#[test]
fn an_authenticated_client_is_exempt_and_the_next_message_is_not() {
    let daemon = Daemon::start("");
    let mut mta = Mta::begin(daemon.connect()).with_patience();
    mta.send(&packet(b'D', b"M{auth_authen}\0ann\0{auth_type}\0PLAIN\0"));
    let exempt = mta.filter(&UTF8, body(), "Q1");
    assert_eq!(exempt.body, None, "judged and reported, not edited");
    assert!(summary(&exempt).contains("verdict=unsafe"), "{exempt:?}");
    let next = mta.filter(&UTF8, body(), "Q2");
    assert_eq!(next.body.as_deref(), Some(MIXED_DEFANGED.as_bytes()), "nothing leaks over");
}

#[test]
fn many_messages_in_one_write_are_answered_in_order() {
    let daemon = Daemon::start("");
    let mut mta = Mta::begin(daemon.connect()).with_patience();
    let mut packets = Vec::new();
    for number in 0..50 {
        let text: &[u8] = if number % 3 == 0 { body() } else { b"clean\r\n" };
        packets.extend(message(&UTF8, text, 7, "Q1"));
    }
    mta.send(&packets);
    for number in 0..50 {
        let said = mta.answer();
        assert_eq!(said.body.is_some(), number % 3 == 0, "message {number}");
    }
}

#[test]
fn an_mta_that_lets_nothing_be_changed_gets_no_change_and_no_word_of_one() {
    let daemon = Daemon::start("");
    let mut mta = Mta { stream: daemon.connect() }.with_patience();
    // Adding header fields is all that it offers.
    mta.send(&packet(b'O', &[0, 0, 0, 6, 0, 0, 0, 1, 0, 0x1f, 0xff, 0xff]));
    assert_eq!(mta.read().unwrap().0, b'O');
    let said = mta.filter(&UTF8, body(), "Q1");
    assert_eq!((said.body.as_ref(), said.ending.0), (None, b'a'));
    assert!(summary(&said).contains("edited=0"), "{said:?}");
    assert!(summary(&said).contains("edits=not-granted"), "{said:?}");
    assert!(said.inserted.iter().all(|(name, _)| name != "X-Linkmilter-Undo"), "{said:?}");
}

#[test]
fn version_2_is_spoken_with_a_reply_to_every_command() {
    let daemon = Daemon::start("");
    let mut mta = Mta { stream: daemon.connect() }.with_patience();
    mta.send(&packet(b'O', &[0, 0, 0, 2, 0, 0, 0, 0x3f, 0, 0, 0, 0x7f]));
    assert_eq!(mta.read().unwrap().0, b'O');
    let commands: [(u8, &[u8]); 6] = [
        (b'C', b"client.example.com\x004\0\x19192.0.2.1\0"),
        (b'M', b"<ann@example.com>\0"),
        (b'R', b"<bob@example.org>\0"),
        (b'L', b"Content-Type\0text/plain; charset=utf-8\0"),
        (b'N', b""),
        (b'B', body()),
    ];
    for (code, data) in commands {
        mta.send(&packet(code, data));
        assert_eq!(mta.read().unwrap().0, b'c', "{}", char::from(code));
    }
    mta.send(&packet(b'E', b""));
    let said = mta.answer();
    assert_eq!(said.body.as_deref(), Some(MIXED_DEFANGED.as_bytes()));
    assert!(summary(&said).starts_with("v=1"), "no space of ours is doubled: {said:?}");
}
