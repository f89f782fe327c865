//! An IMAP client that shares no code with ours.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::dovecot::PASSWORD;

/// A connection as `ann`.
pub struct Client {
    stream: BufReader<TcpStream>,
}

/// A message as the server stores it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kept {
    pub uid: u32,
    pub flags: String,
    pub date: String,
    pub text: String,
}

impl Kept {
    /// Without its UID.
    pub fn content(&self) -> (&str, &str, &str) {
        (&self.flags, &self.date, &self.text)
    }
}

impl Client {
    pub fn connect(port: u16) -> Client {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let mut client = Client { stream: BufReader::new(stream) };
        let mut greeting = String::new();
        client.stream.read_line(&mut greeting).unwrap();
        client.ask(&format!("LOGIN ann \"{PASSWORD}\""));
        client
    }

    /// Everything that the server sends in response to a command.
    pub fn ask(&mut self, command: &str) -> String {
        self.stream.get_mut().write_all(format!("x {command}\r\n").as_bytes()).unwrap();
        let mut said = Vec::new();
        loop {
            let from = said.len();
            assert!(self.stream.read_until(b'\n', &mut said).unwrap() > 0, "the server is gone");
            let line = String::from_utf8_lossy(&said[from..]).into_owned();
            if let Some(length) = line.trim_end().strip_suffix('}').and_then(|l| l.rsplit_once('{'))
            {
                let from = said.len();
                said.resize(from + length.1.parse::<usize>().unwrap(), 0);
                self.stream.read_exact(&mut said[from..]).unwrap();
            } else if let Some(end) = line.strip_prefix("x ") {
                assert!(end.starts_with("OK"), "{command}: {line}");
                return String::from_utf8(said).unwrap();
            }
        }
    }

    pub fn append(&mut self, folder: &str, flags: &str, date: &str, text: &str) {
        let text = text.replace('\n', "\r\n");
        let length = text.len();
        self.ask(&format!("APPEND \"{folder}\" ({flags}) \"{date}\" {{{length}+}}\r\n{text}"));
    }

    /// The messages of a folder. They stay unread.
    pub fn folder(&mut self, folder: &str) -> Vec<Kept> {
        self.ask(&format!("EXAMINE \"{folder}\""));
        let said = self.ask("UID FETCH 1:* (UID FLAGS INTERNALDATE BODY.PEEK[])");
        said.split("* ")
            .filter(|part| part.contains("FETCH (UID "))
            .map(|part| {
                let (head, text) = part.split_once("}\r\n").unwrap();
                let between = |begin: &str, end: &str| {
                    let rest = head.split_once(begin).unwrap().1;
                    rest.split_once(end).unwrap().0.to_owned()
                };
                let length: usize = head.rsplit_once('{').unwrap().1.parse().unwrap();
                let mut flags: Vec<String> = between("FLAGS (", ")")
                    .split_whitespace()
                    .filter(|flag| *flag != "\\Recent")
                    .map(str::to_owned)
                    .collect();
                flags.sort();
                Kept {
                    uid: between("UID ", " ").parse().unwrap(),
                    flags: flags.join(" "),
                    date: between("INTERNALDATE \"", "\""),
                    text: text[..length].replace("\r\n", "\n"),
                }
            })
            .collect()
    }
}
