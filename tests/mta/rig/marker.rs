//! A milter that runs before the filter, as a spam filter does: it marks what wants to sell something.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use super::milter::packet;

/// Where the mark is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    Top,
    End,
}

/// Starts it; its place as Postfix spells it. It ends with the test's process.
pub fn start(name: &'static str, value: &'static str, at: At) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = format!("inet:{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            std::thread::spawn(move || drop(serve(stream.unwrap(), name, value, at)));
        }
    });
    place
}

/// Answers until the MTA goes away. A message whose Subject holds `buy` is marked.
fn serve(mut stream: TcpStream, name: &str, value: &str, at: At) -> std::io::Result<()> {
    let mut marked = false;
    loop {
        let mut length = [0; 4];
        stream.read_exact(&mut length)?;
        let mut data = vec![0; u32::from_be_bytes(length) as usize];
        stream.read_exact(&mut data)?;
        match data[0] {
            // Version 6, header fields may be added, nothing is left out.
            b'O' => stream.write_all(&packet(b'O', &[0, 0, 0, 6, 0, 0, 0, 1, 0, 0, 0, 0]))?,
            b'D' | b'A' | b'K' => marked &= data[0] == b'D',
            b'Q' => return Ok(()),
            b'E' => {
                let field = format!("{name}\0{value}\0");
                if marked && at == At::Top {
                    stream.write_all(&packet(b'i', &[&[0; 4], field.as_bytes()].concat()))?;
                } else if marked {
                    stream.write_all(&packet(b'h', field.as_bytes()))?;
                }
                marked = false;
                stream.write_all(&packet(b'c', b""))?;
            }
            code => {
                let text = String::from_utf8_lossy(&data[1..]);
                marked |= code == b'L' && text.starts_with("Subject\0") && text.contains("buy");
                stream.write_all(&packet(b'c', b""))?;
            }
        }
    }
}
