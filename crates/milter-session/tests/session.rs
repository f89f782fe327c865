//! Tests of the session's state machine with sequences of packets.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use milter_session::session::{Bounds, Completeness, Step, Violation};
use milter_session::wire::{Packet, Peer};
use milter_session::{Mail, Origin, Session};
use proptest::prelude::*;

/// What Postfix 3.7 and Sendmail 8.17 offer: version 6, actions 0x1ff, protocol 0x1fffff.
const OFFER: &[u8] = &[0, 0, 0, 6, 0, 0, 1, 0xff, 0, 0x1f, 0xff, 0xff];
/// The offer of the oldest libmilter: version 2, actions 0x3f, protocol 0x7f.
const OLD_OFFER: &[u8] = &[0, 0, 0, 2, 0, 0, 0, 0x3f, 0, 0, 0, 0x7f];

/// More than an envelope of a few short texts takes in memory, with its macros.
const ENVELOPE: usize = 400;

/// A session and its output.
struct Script {
    session: Session,
    out: Vec<u8>,
    mails: Vec<Mail>,
}

impl Script {
    fn new(bounds: Bounds) -> Script {
        Script { session: Session::new(bounds), out: Vec::new(), mails: Vec::new() }
    }

    fn begun() -> Script {
        let mut script = Script::new(Bounds::default());
        script.say(&[(b'O', OFFER)]).unwrap();
        script.out.clear();
        script
    }

    /// Sends packets until one is an error; returns whether the session ended with QUIT.
    fn say(&mut self, packets: &[(u8, &[u8])]) -> Result<bool, Violation> {
        for &(code, data) in packets {
            match self.session.packet(Packet { code, data }, &mut self.out)? {
                Step::ReadOn => {}
                Step::Message(mail) => self.mails.push(*mail),
                Step::Close => return Ok(true),
            }
        }
        Ok(false)
    }
}

/// Command bytes and data.
type Packets = &'static [(u8, &'static [u8])];

const MESSAGE: Packets = &[
    (b'D', b"Mi\0Q1\0{auth_authen}\0ann\0"),
    (b'M', b"<ann@example.com>\0SIZE=100\0SMTPUTF8\0"),
    (b'D', b"Ri\0Q1\0"),
    (b'R', b"<bob@example.org>\0"),
    (b'L', b"From\0 ann@example.com\0"),
    (b'L', b"Subject\0 one\n\ttwo\0"),
    (b'B', b"hello\r\n"),
    (b'E', b"world\r\n"),
];

#[test]
fn a_message_in_one_go_needs_no_reply_before_its_end() {
    let mut script = Script::begun();
    script
        .say(&[(b'D', b"Cj\0mx.example.org\0"), (b'C', b"h.example\x004\0\x19192.0.2.1\0")])
        .unwrap();
    script.say(MESSAGE).unwrap();
    assert_eq!(script.out, b"", "every reply is negotiated away");
    let [mail] = &script.mails[..] else { panic!("one message") };
    assert_eq!(mail.head, b"From: ann@example.com\r\nSubject: one\r\n\ttwo\r\n");
    assert_eq!(mail.body, b"hello\r\nworld\r\n");
    assert_eq!(mail.sender, b"ann@example.com");
    assert_eq!(mail.parameters, [b"SIZE=100".to_vec(), b"SMTPUTF8".to_vec()]);
    assert_eq!(mail.recipients, [b"bob@example.org".to_vec()]);
    assert_eq!((mail.queue_id(), mail.origin), ("Q1".to_owned(), Origin::Smtp));
    assert_eq!(
        (&mail.host_name[..], &mail.authenticated[..]),
        (&b"mx.example.org"[..], &b"ann"[..])
    );
    assert_eq!(mail.client, Peer::Inet { address: "192.0.2.1".parse().unwrap(), port: 25 });
}

#[test]
fn the_offer_decides_what_is_negotiated() {
    let mut script = Script::new(Bounds::default());
    script.say(&[(b'O', OFFER)]).unwrap();
    assert_eq!(script.out[4..9], [b'O', 0, 0, 0, 6]);
    assert_eq!(
        script.out[9..13],
        0x133_u32.to_be_bytes(),
        "add, body, headers, quarantine, macros"
    );
    let protocol = u32::from_be_bytes(script.out[13..17].try_into().unwrap());
    assert_eq!(protocol & 0x0010_0000, 0x0010_0000, "HDR_LEADSPC");
    assert_eq!(protocol & 0x000f_f080, 0x000f_f080, "every NR bit");
    assert_eq!(protocol & 0x0000_003d, 0, "connect, mail, rcpt, body, headers are wanted");
    assert!(script.out[17..].ends_with(b"\0\0\0\x05i\0"), "macros at the end of the message");

    let mut old = Script::new(Bounds::default());
    old.say(&[(b'O', OLD_OFFER)]).unwrap();
    assert_eq!(old.out, [0, 0, 0, 13, b'O', 0, 0, 0, 2, 0, 0, 0, 0x33, 0, 0, 0, 0x42]);
}

#[test]
fn an_old_mta_gets_a_reply_to_every_command_and_its_space_back() {
    let mut script = Script::new(Bounds::default());
    script.say(&[(b'O', OLD_OFFER), (b'C', b"h\0U")]).unwrap();
    script.out.clear();
    script
        .say(&[
            (b'M', b"<>\0"),
            (b'R', b"<b@example.org>\0"),
            (b'L', b"A\0one\0"),
            (b'L', b"B\0\ttab\0"),
            (b'N', b""),
            (b'B', b"x"),
        ])
        .unwrap();
    assert_eq!(script.out, b"\0\0\0\x01c".repeat(6));
    script.say(&[(b'E', b"")]).unwrap();
    assert_eq!(script.mails[0].head, b"A: one\r\nB:\ttab\r\n");
}

#[test]
fn macros_and_envelope_of_one_message_do_not_reach_the_next() {
    let mut script = Script::begun();
    script.say(&[(b'D', b"Cj\0mx\0"), (b'C', b"h\0U")]).unwrap();
    script.say(MESSAGE).unwrap();
    script.say(&[(b'A', b"")]).unwrap();
    script
        .say(&[(b'M', b"<>\0"), (b'R', b"<c@example.org>\0"), (b'L', b"A\0 b\0"), (b'E', b"")])
        .unwrap();
    let second = &script.mails[1];
    assert_eq!(second.head, b"A: b\r\n");
    assert_eq!(second.body, b"", "an empty body sends no BODY packet");
    assert_eq!(second.queue_id(), "-");
    assert_eq!(second.authenticated, b"");
    assert_eq!(second.recipients, [b"c@example.org".to_vec()]);
    assert_eq!(second.host_name, b"mx", "the connection's macros hold for all its messages");
}

#[test]
fn quit_nc_begins_a_new_smtp_session_with_nothing_of_the_old_one() {
    let mut script = Script::begun();
    script.say(&[(b'D', b"Cj\0mx\0"), (b'C', b"h\x004\0\x19192.0.2.1\0")]).unwrap();
    script.say(MESSAGE).unwrap();
    script.say(&[(b'K', b""), (b'C', b"other\0U")]).unwrap();
    script.say(&[(b'M', b"<>\0"), (b'E', b"")]).unwrap();
    let second = &script.mails[1];
    assert_eq!((&second.client_name[..], &second.client), (&b"other"[..], &Peer::Unknown));
    assert_eq!(second.host_name, b"");
}

#[test]
fn abort_in_the_middle_forgets_the_message() {
    let mut script = Script::begun();
    script.say(&MESSAGE[..7]).unwrap();
    assert!(script.session.in_content() && script.session.held() > 0);
    script.say(&[(b'A', b"")]).unwrap();
    assert_eq!((script.session.in_message(), script.session.held()), (false, 0));
    script.say(MESSAGE).unwrap();
    assert_eq!(script.mails[0].body, b"hello\r\nworld\r\n");
}

/// Like Sendmail if it has refused every recipient itself.
#[test]
fn a_message_that_was_given_up_without_an_abort_gives_way_to_the_next() {
    let mut script = Script::begun();
    script.say(&[(b'D', b"Mi\0FIRST\0"), (b'M', b"<a@example.org>\0")]).unwrap();
    script.say(&[(b'D', b"Mi\0SECOND\0")]).unwrap();
    script
        .say(&[(b'M', b"<>\0"), (b'R', b"<c@example.org>\0"), (b'L', b"A\0 b\0"), (b'E', b"")])
        .unwrap();
    assert_eq!(script.mails.len(), 1);
    let mail = &script.mails[0];
    assert_eq!((mail.queue_id().as_ref(), mail.sender.as_slice()), ("SECOND", &b""[..]));
    assert_eq!(mail.recipients, [b"c@example.org".to_vec()]);
}

#[test]
fn the_non_smtpd_path_is_known_by_its_bare_addresses() {
    let mut script = Script::begun();
    script.say(&[(b'C', b"localhost\x004\0\x19127.0.0.1\0"), (b'D', b"Mi\0Q9\0")]).unwrap();
    script
        .say(&[(b'M', b"root@example.org\0"), (b'R', b"bob@example.org\0"), (b'E', b"x")])
        .unwrap();
    let mail = &script.mails[0];
    assert_eq!(mail.origin, Origin::Local);
    assert_eq!(
        (&mail.sender[..], &mail.recipients[0][..]),
        (&b"root@example.org"[..], &b"bob@example.org"[..])
    );
}

/// Field failure 8 (OpenARC PR 39): CRLF in folded headers left a stray CR.
#[test]
fn field_failure_08_folds_come_as_lf_or_crlf_and_end_as_crlf() {
    let mut script = Script::begun();
    script
        .say(&[(b'M', b"<>\0"), (b'L', b"A\0 x\n y\0"), (b'L', b"B\0 x\r\n y\0"), (b'E', b"")])
        .unwrap();
    assert_eq!(script.mails[0].head, b"A: x\r\n y\r\nB: x\r\n y\r\n");
}

/// Field failure 9 (pymilter #12): raw 8-bit headers crashed or were decoded wrongly.
#[test]
fn field_failure_09_raw_8_bit_headers_pass_as_they_are() {
    let mut script = Script::begun();
    script
        .say(&[(b'M', b"<>\0"), (b'L', b"Subject\0 caf\xe9 \xff\xfe \xd1\x80\0"), (b'E', b"")])
        .unwrap();
    assert_eq!(script.mails[0].head, b"Subject: caf\xe9 \xff\xfe \xd1\x80\r\n");
}

#[test]
fn the_wrong_order_ends_the_session_and_says_what_was_expected() {
    let cases: &[(Packets, &str)] = &[
        (&[(b'O', OFFER)], "expected CONNECT, HELO, MAIL or QUIT, found OPTNEG"),
        (&[(b'R', b"<x>\0")], "expected CONNECT, HELO, MAIL or QUIT, found RCPT"),
        (&[(b'L', b"A\0b\0")], "expected CONNECT, HELO, MAIL or QUIT, found HEADER"),
        (&[(b'B', b"x")], "expected CONNECT, HELO, MAIL or QUIT, found BODY"),
        (&[(b'E', b"")], "expected CONNECT, HELO, MAIL or QUIT, found BODYEOB"),
        (
            &[(b'M', b"<>\0"), (b'M', b"<>\0")],
            "expected RCPT, DATA, HEADER, EOH or BODY, found MAIL",
        ),
        (
            &[(b'M', b"<>\0"), (b'C', b"h\0U")],
            "expected RCPT, DATA, HEADER, EOH or BODY, found CONNECT",
        ),
        (
            &[(b'M', b"<>\0"), (b'L', b"A\0b\0"), (b'R', b"<x>\0")],
            "expected HEADER, EOH, BODY or BODYEOB, found RCPT",
        ),
        (
            &[(b'M', b"<>\0"), (b'B', b"x"), (b'L', b"A\0b\0")],
            "expected BODY or BODYEOB, found HEADER",
        ),
    ];
    for (packets, expected) in cases {
        let error = Script::begun().say(packets).unwrap_err();
        assert_eq!(error.to_string(), *expected);
    }
    let early = Script::new(Bounds::default()).say(&[(b'M', b"<>\0")]).unwrap_err();
    assert_eq!(early.to_string(), "expected OPTNEG, found MAIL");
    let ancient = Script::new(Bounds::default()).say(&[(b'O', &[0; 12])]).unwrap_err();
    assert_eq!(ancient, Violation::Version(0));
}

#[test]
fn a_message_over_the_limit_is_cut_and_counted() {
    let mut script = Script::new(Bounds { message_bytes: 20, ..Bounds::default() });
    script.say(&[(b'O', OFFER), (b'M', b"<>\0"), (b'L', b"A\0 b\0")]).unwrap();
    for _ in 0..100 {
        script.say(&[(b'B', b"0123456789")]).unwrap();
    }
    assert!(script.session.held() <= 20 + ENVELOPE);
    script.say(&[(b'E', b"")]).unwrap();
    let mail = &script.mails[0];
    assert_eq!((mail.completeness, mail.size), (Completeness::Cut, 1_006));
    script.say(&[(b'M', b"<>\0"), (b'E', b"small")]).unwrap();
    assert_eq!(script.mails[1].completeness, Completeness::Whole);
}

#[test]
fn macros_are_bounded() {
    let mut script = Script::begun();
    for n in 0..10_000 {
        let data = format!("C{n}\0{}\0", "x".repeat(100));
        script.say(&[(b'D', data.as_bytes())]).unwrap();
    }
    assert_eq!(script.session.held(), 0, "none that is read");
    script.say(&[(b'D', b"Cj\0mx.example.org\0")]).unwrap();
    assert_eq!(script.session.held(), "jmx.example.org".len());
    script.say(&[(b'D', b"Mi\0Q1\0"), (b'M', b"<>\0"), (b'E', b"")]).unwrap();
    assert_eq!(script.mails[0].queue_id(), "Q1");
}

#[test]
fn recipients_are_bounded() {
    let mut script = Script::begun();
    script.say(&[(b'M', b"<ann@example.com>\0")]).unwrap();
    for n in 0..10_100 {
        script.say(&[(b'R', format!("<r{n}@example.org>\0").as_bytes())]).unwrap();
    }
    assert!(script.session.held() > 10_000 * "r1@example.org".len(), "they count as memory");
    script.say(&[(b'E', b"")]).unwrap();
    assert_eq!(script.mails[0].recipients.len(), Bounds::default().recipients);
    assert_eq!(script.mails[0].recipients_omitted, 100);
    assert!(script.session.held() < 100, "the envelope goes with its message");
}

#[test]
fn recipients_of_a_message_without_content_are_only_counted() {
    let mut script = Script::begun();
    script.say(&[(b'M', b"<ann@example.com>\0"), (b'R', b"<bob@example.org>\0")]).unwrap();
    script.session.drop_content();
    let held = script.session.held();
    script.say(&[(b'R', b"<cid@example.org>\0"), (b'L', b"A\0 b\0")]).unwrap();
    assert_eq!(script.session.held(), held);
    script.say(&[(b'E', b"hello")]).unwrap();
    let mail = &script.mails[0];
    assert_eq!((mail.recipients.len(), mail.recipients_omitted), (1, 1));
    assert_eq!(mail.completeness, Completeness::Dropped);
}

#[test]
fn quit_says_good_bye_at_any_time() {
    assert!(Script::new(Bounds::default()).say(&[(b'Q', b"")]).unwrap());
    let mut script = Script::begun();
    assert!(script.say(&[(b'M', b"<>\0"), (b'Q', b"")]).unwrap());
}

proptest! {
    /// Whatever an MTA sends, the session ends or continues, holds no more than its limits, and returns a message
    /// only after an envelope.
    #[test]
    fn no_order_of_packets_does_harm(
        packets in prop::collection::vec(
            (prop::sample::select(b"OCHMRTLNBEAKUD".to_vec()), prop::sample::select(vec![
                &b""[..], OFFER, b"a\0", b"<a@b>\0X\0", b"h\0U", b"A\0 b\0", b"Mi\0Q\0", b"0123456789",
            ])),
            0..60,
        ),
    ) {
        let mut script = Script::new(Bounds { message_bytes: 64, recipients: 3 });
        let _ = script.say(&[(b'O', OFFER)]);
        for (code, data) in packets {
            let open = script.session.in_message();
            let mails = script.mails.len();
            if script.say(&[(code, data)]).is_err() {
                break;
            }
            prop_assert!(script.session.held() <= 64 + 16 + ENVELOPE, "head and its line ends");
            prop_assert!(script.mails.len() == mails || open);
        }
        for mail in script.mails {
            prop_assert!(mail.recipients.len() <= 3);
        }
    }
}
