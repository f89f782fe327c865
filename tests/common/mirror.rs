//! An HTTPS server on loopback, with a certificate of its own.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};

use rustls::pki_types::PrivatePkcs8KeyDer;

/// What the mirror answers.
#[derive(Clone)]
pub struct Reply {
    pub head: String,
    body: Vec<u8>,
    /// Bytes of the body that are sent before the connection ends.
    sent: usize,
    end: BodyEnd,
}

/// How the client knows where the body ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BodyEnd {
    Length,
    /// By the end of the connection, which TLS confirms.
    Closed,
    /// By the end of the connection, which nobody confirms: it may have broken off.
    BrokenOff,
}

impl Reply {
    pub fn list(text: &str) -> Reply {
        Reply {
            head: "200 OK".to_owned(),
            body: text.into(),
            sent: usize::MAX,
            end: BodyEnd::Length,
        }
    }

    pub fn status(status: &str) -> Reply {
        Reply { head: status.to_owned(), body: Vec::new(), sent: usize::MAX, end: BodyEnd::Length }
    }

    pub fn with(mut self, name: &str, value: &str) -> Reply {
        self.head.push_str(&format!("\r\n{name}: {value}"));
        self
    }

    pub fn cut_at(mut self, bytes: usize) -> Reply {
        self.sent = bytes;
        self
    }

    /// Without a length.
    #[allow(dead_code)]
    pub fn until_closed(mut self) -> Reply {
        self.end = BodyEnd::Closed;
        self
    }

    /// Without a length, from a connection that ends after so many bytes.
    #[allow(dead_code)]
    pub fn broken_off_at(mut self, bytes: usize) -> Reply {
        self.end = BodyEnd::BrokenOff;
        self.cut_at(bytes)
    }

    pub fn raw(mut self, bytes: Vec<u8>) -> Reply {
        self.body = bytes;
        self
    }
}

/// An HTTPS server on loopback that plays back replies, one a connection.
pub struct Mirror {
    pub address: SocketAddr,
    /// Its root certificate in PEM.
    pub ca: String,
    replies: Arc<Mutex<Vec<Reply>>>,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Mirror {
    pub fn start(replies: Vec<Reply>) -> Mirror {
        let rcgen::CertifiedKey { cert, signing_key } =
            rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        let key = PrivatePkcs8KeyDer::from(signing_key.serialize_der());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], key.into())
            .unwrap();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let mirror = Mirror {
            address: listener.local_addr().unwrap(),
            ca: cert.pem(),
            replies: Arc::new(Mutex::new(replies)),
            requests: Arc::default(),
        };
        let (replies, requests) = (Arc::clone(&mirror.replies), Arc::clone(&mirror.requests));
        let tls = Arc::new(tls);
        std::thread::spawn(move || {
            for socket in listener.incoming() {
                let connection = rustls::ServerConnection::new(Arc::clone(&tls)).unwrap();
                let mut stream = rustls::StreamOwned::new(connection, socket.unwrap());
                // A client that does not believe the certificate goes without a request.
                if let Some(request) = read_request(&mut stream) {
                    requests.lock().unwrap().push(request);
                    let reply = replies.lock().unwrap().remove(0);
                    let _ = send(&mut stream, &reply);
                    if reply.end == BodyEnd::Closed {
                        stream.conn.send_close_notify();
                        let _ = stream.flush();
                    }
                }
            }
        });
        mirror
    }

    pub fn queue(&self, reply: Reply) {
        self.replies.lock().unwrap().push(reply);
    }

    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

fn read_request(stream: &mut impl Read) -> Option<String> {
    let mut request = String::new();
    let mut reader = BufReader::new(stream);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line == "\r\n" {
            return Some(request.to_lowercase());
        }
        request.push_str(&line);
    }
}

fn send(stream: &mut impl Write, reply: &Reply) -> std::io::Result<()> {
    let length = reply.body.len();
    write!(stream, "HTTP/1.1 {}\r\nConnection: close\r\n", reply.head)?;
    if reply.end == BodyEnd::Length {
        write!(stream, "Content-Length: {length}\r\n")?;
    }
    stream.write_all(b"\r\n")?;
    stream.write_all(&reply.body[..reply.sent.min(length)])?;
    stream.flush()
}
