//! Tests of packets of the milter protocol, byte for byte.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use milter_session::wire::{
    Actions, Command, Malformed, PACKET_BYTES, Packet, Peer, Protocol, Reply, Stage, missing,
    packet,
};
use milter_session::{Answer, Ending, HeaderChange, Mail, Piece};
use proptest::prelude::*;

fn command(code: u8, data: &[u8]) -> Result<Command<'_>, Malformed> {
    Packet { code, data }.command()
}

#[test]
fn a_packet_is_taken_when_it_is_whole() {
    let bytes = b"\0\0\0\x04Habc\0\0\0\x01Q";
    assert_eq!(packet(&bytes[..3]), Ok(None));
    assert_eq!(packet(&bytes[..7]), Ok(None));
    assert_eq!(packet(bytes), Ok(Some((Packet { code: b'H', data: b"abc" }, 8))));
    assert_eq!(packet(&bytes[8..]), Ok(Some((Packet { code: b'Q', data: b"" }, 5))));
    assert_eq!((missing(b""), missing(&bytes[..5]), missing(bytes)), (4, 3, 0));
}

#[test]
fn lengths_of_nothing_and_of_too_much_are_refused_before_any_data() {
    assert_eq!(packet(&[0, 0, 0, 0]), Err(Malformed::Length(0)));
    let most = u32::try_from(PACKET_BYTES).unwrap();
    assert_eq!(packet(&most.to_be_bytes()), Ok(None));
    assert_eq!(packet(&(most + 1).to_be_bytes()), Err(Malformed::Length(most + 1)));
    assert_eq!(packet(b"HELO"), Err(Malformed::Length(0x4845_4c4f)));
}

#[test]
fn commands_are_read() {
    let negotiate = command(b'O', &[0, 0, 0, 6, 0, 0, 1, 0xff, 0, 0x1f, 0xff, 0xff]);
    assert_eq!(
        negotiate,
        Ok(Command::Negotiate {
            version: 6,
            actions: Actions(0x1ff),
            protocol: Protocol(0x1f_ffff)
        })
    );
    let inet = |text: &str, port| Peer::Inet { address: text.parse().unwrap(), port };
    for (data, name, peer) in [
        (&b"h\x004\x27\x10192.0.2.1\0"[..], &b"h"[..], inet("192.0.2.1", 10_000)),
        (b"h\x006\0\x19IPv6:2001:db8::1\0", b"h", inet("2001:db8::1", 25)),
        (b"h\x006\0\x192001:db8::1\0", b"h", inet("2001:db8::1", 25)),
        (b"localhost\0U", b"localhost", Peer::Unknown),
        (b"h\0L\0\0/run/x\0", b"h", Peer::Unix(b"/run/x".to_vec())),
        (b"h\x004\0\x19unknown\0", b"h", Peer::Other(b"unknown".to_vec())),
    ] {
        assert_eq!(command(b'C', data), Ok(Command::Connect { name, peer }));
    }
    assert_eq!(
        command(b'M', b"<a@example.com>\0SIZE=9\0SMTPUTF8\0"),
        Ok(Command::Mail { address: b"<a@example.com>", parameters: vec![b"SIZE=9", b"SMTPUTF8"] })
    );
    assert_eq!(command(b'R', b"b\0"), Ok(Command::Rcpt { address: b"b", parameters: Vec::new() }));
    assert_eq!(
        command(b'L', b"Subject\0 a\n b\0"),
        Ok(Command::Header { name: b"Subject", value: b" a\n b" })
    );
    assert_eq!(
        command(b'L', b"X\0a\0b\0"),
        Ok(Command::Header { name: b"X", value: b"a\0b" }),
        "a NUL inside a value stays"
    );
    assert_eq!(command(b'E', b"last"), Ok(Command::EndOfMessage(b"last")));
}

/// Field failure 1 (rspamd #2005): a strict macro parser killed every session.
#[test]
fn field_failure_01_odd_macro_lists_are_no_error() {
    for (data, expected) in [
        (&b""[..], vec![]),
        (b"C", vec![]),
        (b"Ci\0", vec![]),
        (b"Ci\0Q1\0", vec![(&b"i"[..], &b"Q1"[..])]),
        (b"Ci\0Q1", vec![(b"i", b"Q1")]),
        (b"Cj\0h\0{auth_type}\0", vec![(b"j", b"h")]),
        (b"M{auth_authen}\0ann\0i\0\0", vec![(b"auth_authen", b"ann"), (b"i", b"")]),
        (b"\xffx\0y\0", vec![(b"x", b"y")]),
        (b"C\0\0\0", vec![(b"", b"")]),
    ] {
        let Ok(Command::Macros { pairs, .. }) = command(b'D', data) else {
            panic!("{data:?} is refused");
        };
        assert_eq!(pairs, expected, "{data:?}");
    }
}

#[test]
fn malformed_commands_say_what_was_expected() {
    for (code, data, expected) in [
        (b'O', &b"short"[..], "OPTNEG packet of 5 bytes: expected three 32-bit numbers"),
        (
            b'C',
            b"no-nul",
            "CONNECT packet of 6 bytes: expected a name, a family, a port, an address",
        ),
        (
            b'C',
            b"h\x004\0",
            "CONNECT packet of 4 bytes: expected a name, a family, a port, an address",
        ),
        (
            b'M',
            b"",
            "MAIL packet of 0 bytes: expected an address and parameters, each with its NUL",
        ),
        (
            b'R',
            b"x",
            "RCPT packet of 1 bytes: expected an address and parameters, each with its NUL",
        ),
        (b'L', b"n\0v", "HEADER packet of 3 bytes: expected a name and a value, each with its NUL"),
        (b'H', b"x", "HELO packet of 1 bytes: expected a string"),
        (b'A', b"x", "ABORT packet of 1 bytes: expected no data"),
        (b'z', b"", "expected a command of the protocol, found byte 0x7a"),
    ] {
        assert_eq!(command(code, data).unwrap_err().to_string(), expected);
    }
}

#[test]
fn replies_are_written() {
    let encode = |reply: Reply<'_>| {
        let mut out = Vec::new();
        reply.encode(&mut out);
        out
    };
    assert_eq!(encode(Reply::Continue), b"\0\0\0\x01c");
    assert_eq!(encode(Reply::ReplyCode("550 5.7.1 no")), b"\0\0\0\x0ey550 5.7.1 no\0");
    assert_eq!(
        encode(Reply::InsertHeader { position: 0, name: b"X", value: b" v" }),
        b"\0\0\0\x0ai\0\0\0\0X\0 v\0"
    );
    assert_eq!(
        encode(Reply::ChangeHeader { index: 2, name: b"X", value: b"" }),
        b"\0\0\0\x08m\0\0\0\x02X\0\0"
    );
    assert_eq!(encode(Reply::Quarantine("a\0b")), b"\0\0\0\x04qab\0", "a NUL would cut it short");
    assert_eq!(
        encode(Reply::Negotiate {
            version: 6,
            actions: Actions(0x131),
            protocol: Protocol(1),
            macros: &[(Stage::EndOfMessage, "i")],
        }),
        b"\0\0\0\x13O\0\0\0\x06\0\0\x01\x31\0\0\0\x01\0\0\0\x05i\0"
    );
}

fn mail(body: &[u8]) -> Mail {
    Mail {
        body: body.to_vec(),
        actions: Actions(0x1ff),
        protocol: Protocol::LEADING_SPACE,
        ..Mail::default()
    }
}

/// The packets of an answer: command bytes and data.
fn packets(answer: &Answer, mail: &Mail) -> Vec<(u8, Vec<u8>)> {
    let mut bytes = Vec::new();
    let mut all = answer.packets(mail);
    while all.append(&mut bytes) {}
    let mut packets = Vec::new();
    let mut at = 0;
    while let Some((packet, size)) = packet(&bytes[at..]).unwrap() {
        packets.push((packet.code, packet.data.to_vec()));
        at += size;
    }
    assert_eq!(at, bytes.len());
    packets
}

#[test]
fn an_answer_is_header_then_body_then_verdict() {
    let answer = Answer {
        header: vec![
            HeaderChange::Delete { name: "X".into(), index: 1 },
            HeaderChange::Insert { name: "X".into(), value: "a\r\n b".into() },
        ],
        body: Some(vec![Piece::Kept(0..0), Piece::New(b"new".to_vec()), Piece::Kept(3..4)]),
        ending: Ending::Quarantine("why".into()),
    };
    let expected: Vec<(u8, Vec<u8>)> = vec![
        (b'm', b"\0\0\0\x01X\0\0".to_vec()),
        (b'i', b"\0\0\0\0X\0 a\n b\0".to_vec()),
        (b'b', b"newd".to_vec()),
        (b'q', b"why\0".to_vec()),
        (b'a', Vec::new()),
    ];
    assert_eq!(packets(&answer, &mail(b"abcd")), expected);
}

#[test]
fn a_refused_message_gets_nothing_but_the_verdict() {
    let answer = Answer {
        header: vec![HeaderChange::Insert { name: "X".into(), value: "a".into() }],
        body: Some(vec![Piece::New(b"new".to_vec())]),
        ending: Ending::Reject("550 5.7.1 no".into()),
    };
    assert_eq!(packets(&answer, &mail(b"old")), [(b'y', b"550 5.7.1 no\0".to_vec())]);
}

#[test]
fn what_the_mta_has_not_granted_is_left_out() {
    let answer = Answer {
        header: vec![
            HeaderChange::Insert { name: "X".into(), value: "a".into() },
            HeaderChange::Delete { name: "X".into(), index: 1 },
        ],
        body: Some(vec![Piece::New(b"new".to_vec())]),
        ending: Ending::Quarantine("why".into()),
    };
    let bare = Mail { actions: Actions::default(), ..mail(b"old") };
    assert_eq!(packets(&answer, &bare), [(b'a', Vec::new())]);
}

proptest! {
    /// For any pieces, all chunks but the last are full, they are consecutive, and together they are the body that the
    /// pieces describe.
    #[test]
    fn chunks_make_up_the_body(
        lengths in prop::collection::vec((any::<bool>(), 0_usize..90_000), 0..8),
    ) {
        let body: Vec<u8> = (0..90_000_u32).map(|n| (n % 251) as u8).collect();
        let pieces: Vec<Piece> = lengths
            .iter()
            .map(|&(kept, n)| if kept { Piece::Kept(0..n) } else { Piece::New(vec![b'n'; n]) })
            .collect();
        let whole: Vec<u8> = pieces
            .iter()
            .flat_map(|piece| match piece {
                Piece::Kept(range) => body[range.clone()].to_vec(),
                Piece::New(new) => new.clone(),
            })
            .collect();
        let answer = Answer { body: Some(pieces), ..Answer::default() };
        let mut packets = packets(&answer, &mail(&body));
        prop_assert_eq!(packets.pop().map(|(code, _)| code), Some(b'a'));
        prop_assert!(packets.iter().all(|(code, _)| *code == b'b'));
        let short = packets.iter().filter(|(_, data)| data.len() != 65_535).count();
        prop_assert!(short <= 1 && packets.iter().all(|(_, data)| !data.is_empty()));
        let joined: Vec<u8> = packets.into_iter().flat_map(|(_, data)| data).collect();
        prop_assert_eq!(joined, whole);
    }

    /// The parser panics on no bytes, and a packet is never longer than the bytes that it takes.
    #[test]
    fn any_bytes_are_a_packet_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(Some((packet, size))) = packet(&bytes) {
            prop_assert_eq!(packet.data.len() + 5, size);
            let _ = packet.command();
        }
    }

    #[test]
    fn any_data_is_a_command_or_an_error(
        code in prop::sample::select(b"OCHMRTLNBEAQKUD".to_vec()),
        data in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        if let Ok(command) = command(code, &data) {
            prop_assert_eq!(command.code(), code);
        }
    }
}
