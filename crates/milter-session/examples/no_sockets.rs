//! A milter without sockets: reads the packets of one message and prints its replies.
//!
//! `cargo run -p milter-session --no-default-features --example no_sockets`

use milter_session::session::{Bounds, Step, Violation};
use milter_session::wire::{self, Packet};
use milter_session::{Answer, HeaderChange, Mail, Session};

/// The packets that an MTA sends for a message, without their lengths: command byte and data.
const PACKETS: &[&[u8]] = &[
    // Version 6, and all actions and protocol flags that Postfix knows.
    b"O\0\0\0\x06\0\0\x01\xff\0\x1f\xff\xff",
    b"Chost.example\x004\0\x19192.0.2.1\0",
    b"M<ann@example.com>\0",
    b"R<bob@example.org>\0",
    b"LSubject\0 Lunch\0",
    b"N",
    b"BAt eight.\r\n",
    b"E",
];

/// The filter: adds a header field with the length of the body.
fn decide(mail: &Mail) -> Answer {
    let (name, value) = ("X-Body-Bytes".to_owned(), mail.body.len().to_string());
    Answer { header: vec![HeaderChange::Insert { name, value }], ..Answer::accept() }
}

/// Runs a session; returns all bytes that the MTA receives.
fn converse(packets: &[&[u8]]) -> Result<Vec<u8>, Violation> {
    let mut session = Session::new(Bounds::default());
    let mut out = Vec::new();
    for packet in packets {
        let Some((&code, data)) = packet.split_first() else { continue };
        if let Step::Message(mail) = session.packet(Packet { code, data }, &mut out)? {
            let answer = decide(&mail);
            let mut packets = answer.packets(&mail);
            while packets.append(&mut out) {}
        }
    }
    Ok(out)
}

fn main() -> Result<(), Violation> {
    let out = converse(PACKETS)?;
    let mut rest = out.as_slice();
    while let Some((packet, used)) = wire::packet(rest)? {
        println!("{} {}", char::from(packet.code), packet.data.escape_ascii());
        rest = rest.get(used..).unwrap_or_default();
    }
    Ok(())
}

#[test]
fn the_field_is_inserted_and_the_message_goes_on() {
    let out = converse(PACKETS).unwrap();
    assert_eq!(out[4], b'O', "the offer is answered");
    let end = b"\0\0\0\x16i\0\0\0\0X-Body-Bytes\0 11\0\0\0\0\x01a";
    assert!(out.ends_with(end), "{}", out.escape_ascii());
}
