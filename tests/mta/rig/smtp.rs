//! A small SMTP client that sends exactly the bytes it is given.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use super::PATIENCE;

/// A session with a server.
pub struct Smtp {
    stream: BufReader<TcpStream>,
}

/// A message with its envelope. Lines of `data` end in CRLF.
#[derive(Clone, Copy)]
pub struct Letter<'l> {
    pub from: &'l str,
    pub to: &'l [&'l str],
    /// ESMTP parameters of MAIL.
    pub parameters: &'l str,
    pub data: &'l [u8],
}

impl<'l> Letter<'l> {
    pub fn new(data: &'l [u8]) -> Letter<'l> {
        Letter { from: "ann@example.com", to: &["bob@example.org"], parameters: "", data }
    }
}

impl Smtp {
    pub fn connect(port: u16) -> Smtp {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        let mut smtp = Smtp { stream: BufReader::new(stream) };
        assert_eq!(smtp.reply().0, 220);
        assert_eq!(smtp.command("EHLO client.example.com").0, 250);
        smtp
    }

    /// Sends a command; code and text of the reply.
    pub fn command(&mut self, line: &str) -> (u16, String) {
        self.write(format!("{line}\r\n").as_bytes());
        self.reply()
    }

    pub fn write(&mut self, bytes: &[u8]) {
        self.stream.get_mut().write_all(bytes).unwrap();
    }

    pub fn reply(&mut self) -> (u16, String) {
        let mut text = String::new();
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line).unwrap();
            assert!(line.len() >= 4, "the server went away: {text}{line}");
            text.push_str(&line);
            if line.as_bytes()[3] == b' ' {
                return (line[..3].parse().unwrap(), text);
            }
        }
    }

    /// Sends a letter; the reply after its final dot, or the first refusal before.
    pub fn send(&mut self, letter: &Letter<'_>) -> (u16, String) {
        match self.begin(letter) {
            Ok(()) => self.finish(),
            Err(refusal) => refusal,
        }
    }

    /// Sends all of a letter but its final dot.
    pub fn begin(&mut self, letter: &Letter<'_>) -> Result<(), (u16, String)> {
        let space = if letter.parameters.is_empty() { "" } else { " " };
        let mail = format!("MAIL FROM:<{}>{space}{}", letter.from, letter.parameters);
        let rcpts = letter.to.iter().map(|to| format!("RCPT TO:<{to}>"));
        for line in std::iter::once(mail).chain(rcpts) {
            let reply = self.command(&line);
            if reply.0 != 250 {
                return Err(reply);
            }
        }
        let reply = self.command("DATA");
        if reply.0 != 354 {
            return Err(reply);
        }
        let mut stuffed = Vec::with_capacity(letter.data.len() + 16);
        for line in letter.data.split_inclusive(|&byte| byte == b'\n') {
            if line.starts_with(b".") {
                stuffed.push(b'.');
            }
            stuffed.extend_from_slice(line);
        }
        self.write(&stuffed);
        Ok(())
    }

    pub fn finish(&mut self) -> (u16, String) {
        self.write(b".\r\n");
        self.reply()
    }
}
