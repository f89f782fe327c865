//! `docs/one-message.md` shows the packets of a corpus message; here they are sent and compared.
//!
//! `UPDATE=1 cargo test --test mta one_message` writes the blocks of the page anew.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::rig::daemon::Daemon;
use super::rig::milter::{Mta, packet};

#[test]
fn the_page_shows_what_goes_over_the_wire() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let message = fs::read(root.join("corpus/03-whole-script.eml")).unwrap();
    let page = root.join("docs/one-message.md");
    let shown = fs::read_to_string(&page).unwrap();
    let daemon = Daemon::start("dns.mode = \"never\"");
    let (sent, answered) = converse(&daemon, &message);
    let mut blocks = [sent, answered].into_iter();
    let mut expected = String::new();
    for (index, part) in shown.split("```").enumerate() {
        if index % 2 == 1 && part.starts_with("packets\n") {
            let block = blocks.next().expect("two blocks of packets");
            write!(expected, "```packets\n{block}```").unwrap();
        } else if index % 2 == 1 {
            write!(expected, "```{part}```").unwrap();
        } else {
            expected.push_str(part);
        }
    }
    assert_eq!(blocks.next(), None, "two blocks of packets");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&page, &expected).unwrap();
    }
    assert_eq!(shown, expected, "UPDATE=1 writes the page anew");
}

/// Sends a message as Postfix does; what went there and what came back, a line a packet.
fn converse(daemon: &Daemon, message: &[u8]) -> (String, String) {
    let text = String::from_utf8(message.to_vec()).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let mut packets = vec![
        packet(b'D', b"Cj\0mx.example.org\0"),
        packet(b'C', b"client.example.com\x004\xc3\x50192.0.2.1\0"),
        packet(b'D', b"M\0"),
        packet(b'M', b"<news@shop.example>\0SIZE=1290\0"),
        packet(b'D', b"Ri\0C1416A960AF\0"),
        packet(b'R', b"<reader@example.org>\0"),
    ];
    let unfolded = head.replace("\r\n ", "\n ");
    for line in unfolded.split("\r\n") {
        let (name, value) = line.split_once(':').unwrap();
        packets.push(packet(b'L', format!("{name}\0{value}\0").as_bytes()));
    }
    packets.push(packet(b'B', body.as_bytes()));
    packets.push(packet(b'D', b"Ei\0C1416A960AF\0"));
    packets.push(packet(b'E', b""));

    let offer = packet(b'O', &[0, 0, 0, 6, 0, 0, 1, 0xff, 0, 0x1f, 0xff, 0xff]);
    let mut mta = Mta { stream: daemon.connect() }.with_patience();
    let mut sent = format!("> {}", line(&offer[4..], Side::Mta));
    mta.send(&offer);
    let (code, data) = mta.read().unwrap();
    write!(sent, "< {}", line(&[&[code], &data[..]].concat(), Side::Filter)).unwrap();
    for packet in packets {
        mta.send(&packet);
        write!(sent, "> {}", line(&packet[4..], Side::Mta)).unwrap();
    }
    let mut answered = String::new();
    loop {
        let (code, data) = mta.read().expect("an answer");
        write!(answered, "< {}", line(&[&[code], &data[..]].concat(), Side::Filter)).unwrap();
        if code == b'a' {
            return (sent, answered);
        }
    }
}

#[derive(Clone, Copy)]
enum Side {
    Mta,
    Filter,
}

/// A packet in words; NULs are shown as `·`, bodies line by line.
fn line(packet: &[u8], side: Side) -> String {
    let (code, data) = packet.split_first().unwrap();
    let number = |at: usize| u32::from_be_bytes(data[at..at + 4].try_into().unwrap());
    let words = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).replace('\0', "·");
        text.strip_suffix('·').unwrap_or(&text).replace("\r\n", "\n").replace('\n', "\n    ")
    };
    let said = match (side, code) {
        (_, b'O') => {
            let flags =
                format!("version {} actions {:#x} protocol {:#x}", number(0), number(4), number(8));
            format!("OPTNEG {flags}{}", macros(&data[12..]))
        }
        (Side::Mta, b'D') => format!("MACRO {} {}", char::from(data[0]), words(&data[1..])),
        (Side::Mta, b'C') => {
            let name = data.split(|&byte| byte == 0).next().unwrap();
            let rest = &data[name.len() + 1..];
            let port = u16::from_be_bytes([rest[1], rest[2]]);
            format!("CONNECT {}·{}·{port}·{}", words(name), char::from(rest[0]), words(&rest[3..]))
        }
        (Side::Mta, b'M') => format!("MAIL {}", words(data)),
        (Side::Mta, b'R') => format!("RCPT {}", words(data)),
        (Side::Mta, b'L') => format!("HEADER {}", words(data)),
        (Side::Mta, b'B') => format!("BODY {} bytes", data.len()),
        (Side::Mta, b'E') => "BODYEOB".to_owned(),
        (Side::Filter, b'i') => format!("INSHEADER {} {}", number(0), words(&data[4..])),
        (Side::Filter, b'b') => format!("REPLBODY {} bytes\n    {}", data.len(), words(data)),
        (Side::Filter, b'a') => "ACCEPT".to_owned(),
        (_, code) => panic!("packet {}", char::from(*code)),
    };
    let lines: Vec<&str> = said.lines().map(str::trim_end).collect();
    lines.join("\n") + "\n"
}

/// The macros that the filter asks for.
fn macros(mut list: &[u8]) -> String {
    const STAGES: [&str; 7] = ["CONNECT", "HELO", "MAIL", "RCPT", "DATA", "EOM", "EOH"];
    let mut text = String::new();
    while let [_, _, _, stage, rest @ ..] = list {
        let end = rest.iter().position(|&byte| byte == 0).unwrap();
        let names = String::from_utf8_lossy(&rest[..end]);
        write!(text, "\n    macros at {}: {names}", STAGES[usize::from(*stage)]).unwrap();
        list = &rest[end + 1..];
    }
    text
}
