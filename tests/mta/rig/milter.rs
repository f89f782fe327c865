//! The MTA's side of the milter protocol, for what no MTA can be made to do.

use std::io::{Read, Write};

use super::PATIENCE;

/// A connection to the filter.
pub struct Mta<S> {
    pub stream: S,
}

/// One packet.
pub fn packet(code: u8, data: &[u8]) -> Vec<u8> {
    let mut packet = u32::try_from(data.len() + 1).unwrap().to_be_bytes().to_vec();
    packet.push(code);
    packet.extend_from_slice(data);
    packet
}

/// The packets of a message from MAIL to the end, in chunks of this size, with this queue id.
pub fn message(head: &[(&str, &str)], body: &[u8], chunk: usize, queue_id: &str) -> Vec<u8> {
    let mut bytes = packet(b'D', format!("Mi\0{queue_id}\0").as_bytes());
    bytes.extend(packet(b'M', b"<ann@example.com>\0"));
    bytes.extend(packet(b'R', b"<bob@example.org>\0"));
    for (name, value) in head {
        bytes.extend(packet(b'L', format!("{name}\0 {value}\0").as_bytes()));
    }
    for chunk in body.chunks(chunk) {
        bytes.extend(packet(b'B', chunk));
    }
    bytes.extend(packet(b'E', b""));
    bytes
}

/// What a filter said to a message.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Fields inserted, top first.
    pub inserted: Vec<(String, String)>,
    pub body: Option<Vec<u8>>,
    /// The packet that ended it: its command byte and data.
    pub ending: (u8, Vec<u8>),
}

impl<S: Read + Write> Mta<S> {
    /// Negotiates as Postfix does, and announces a client.
    pub fn begin(stream: S) -> Mta<S> {
        let mut mta = Mta { stream };
        mta.send(&packet(b'O', &[0, 0, 0, 6, 0, 0, 1, 0xff, 0, 0x1f, 0xff, 0xff]));
        assert_eq!(mta.read().expect("an answer").0, b'O');
        mta.send(&packet(b'C', b"client.example.com\x004\0\x19192.0.2.1\0"));
        mta
    }

    pub fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    /// The next packet; `None` when the filter has closed the connection.
    pub fn read(&mut self) -> Option<(u8, Vec<u8>)> {
        let mut length = [0; 4];
        self.stream.read_exact(&mut length).ok()?;
        let mut data = vec![0; u32::from_be_bytes(length) as usize];
        self.stream.read_exact(&mut data).ok()?;
        let code = data.remove(0);
        Some((code, data))
    }

    /// Sends a message and reads the whole answer.
    pub fn filter(&mut self, head: &[(&str, &str)], body: &[u8], queue_id: &str) -> Said {
        self.send(&message(head, body, 65_535, queue_id));
        self.answer()
    }

    pub fn answer(&mut self) -> Said {
        let mut said = Said::default();
        loop {
            let (code, data) = self.read().expect("an answer");
            match code {
                b'i' => {
                    let mut strings = data[4..].split(|&byte| byte == 0);
                    let mut text = || String::from_utf8(strings.next().unwrap().to_vec()).unwrap();
                    said.inserted.insert(0, (text(), text()));
                }
                b'b' => said.body.get_or_insert_default().extend(data),
                b'm' | b'q' => {}
                _ => {
                    said.ending = (code, data);
                    return said;
                }
            }
        }
    }
}

impl Mta<std::net::TcpStream> {
    /// Gives up reading after a while, so that a hanging filter fails its test.
    pub fn with_patience(self) -> Self {
        self.stream.set_read_timeout(Some(PATIENCE)).unwrap();
        self
    }
}
