//! OpenDKIM, to sign and to verify; keys come from a file, not from the DNS. A second verifier is asked as
//! well where there is one (`tests/run dkim`).

use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use super::mailbox::Delivered;
use super::postfix::Postfix;
use super::smtp::Letter;
use super::{free_port, open_dir, program, wait_for};

/// A key pair of example.com.
pub struct Keys {
    dir: tempfile::TempDir,
}

/// A running opendkim; killed when dropped.
pub struct OpenDkim {
    child: Child,
    /// As Postfix spells it.
    pub place: String,
}

impl Keys {
    pub fn new() -> Keys {
        let dir = open_dir();
        let done = Command::new(program("opendkim-genkey", "opendkim-tools"))
            .args(["-b", "2048", "-d", "example.com", "-s", "s", "-D"])
            .arg(dir.path())
            .status()
            .unwrap();
        assert!(done.success());
        // The TXT record's strings, put together.
        let record = fs::read_to_string(dir.path().join("s.txt")).unwrap();
        let value: String = record.split('"').skip(1).step_by(2).collect();
        fs::write(dir.path().join("public"), format!("s._domainkey.example.com {value}\n"))
            .unwrap();
        Keys { dir }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn configure(&self, name: &str, mode: &str, port: u16) -> PathBuf {
        let file = self.file(name);
        let text = format!(
            "Mode {mode}\nDomain example.com\nSelector s\nKeyFile {key}\nTestPublicKeys {public}\n\
             Socket inet:{port}@127.0.0.1\nBackground no\nSyslog no\nRequireSafeKeys no\n\
             Canonicalization relaxed/relaxed\nAuthservID mx.example.org\nAlwaysAddARHeader yes\n\
             InternalHosts {internal}\n",
            key = self.file("s.private").display(),
            public = self.file("public").display(),
            internal = if mode == "s" { "127.0.0.1" } else { "192.0.2.1" },
        );
        fs::write(&file, text).unwrap();
        file
    }

    /// As a milter: mode `s` signs, mode `v` verifies.
    pub fn serve(&self, mode: &str) -> OpenDkim {
        let port = free_port();
        let file = self.configure(&format!("{mode}.conf"), mode, port);
        let child = Command::new(program("opendkim", "opendkim"))
            .arg("-f")
            .arg("-x")
            .arg(file)
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let opendkim = OpenDkim { child, place: format!("inet:127.0.0.1:{port}") };
        wait_for("opendkim", || TcpStream::connect(("127.0.0.1", port)).ok());
        opendkim
    }

    /// Whether the signature of a message holds, as opendkim says behind a Postfix.
    pub fn verifies(&self, message: &[u8]) -> bool {
        let verifier = self.serve("v");
        let postfix = Postfix::start(&verifier.place, "");
        let letter = Letter { parameters: "BODY=8BITMIME", ..Letter::new(message) };
        assert_eq!(postfix.send(&letter).0, 250);
        let results = postfix.mailbox().only().fields("Authentication-Results");
        let newest = results.first().expect("a result");
        let says = match (newest.contains("dkim=pass"), newest.contains("dkim=fail")) {
            (true, false) => true,
            (false, true) => false,
            _ => panic!("opendkim says neither: {newest}"),
        };
        assert!(
            self.second_verifier(message).is_none_or(|also| also == says),
            "opendkim says {says}"
        );
        says
    }

    /// Whether all who looked at a message that has arrived behind opendkim say that its signature holds.
    pub fn pass(&self, arrived: &Delivered) -> bool {
        let says = arrived.fields("Authentication-Results")[0].contains("dkim=pass");
        says && self.second_verifier(&super::mailbox::crlf(&arrived.raw)).unwrap_or(true)
    }

    /// What the second verifier says; nothing where there is none.
    fn second_verifier(&self, message: &[u8]) -> Option<bool> {
        let program = std::env::var_os("DKIM_VERIFIER")?;
        let mut said = program.clone();
        said.push(".said");
        let mut child = Command::new(program)
            .args([self.file("public").into_os_string(), said])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the second verifier");
        child.stdin.take().unwrap().write_all(message).unwrap();
        let out = child.wait_with_output().unwrap();
        let word = String::from_utf8_lossy(&out.stdout);
        assert!(out.status.success(), "the second verifier says nothing");
        match word.trim_end() {
            "pass" => Some(true),
            word if word.starts_with("fail") => Some(false),
            word => panic!("the second verifier says neither: {word}"),
        }
    }
}

impl Drop for OpenDkim {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A delivered message as it would be sent on: without what delivery has put on top, CRLF.
pub fn as_sent(delivered: &Delivered) -> Vec<u8> {
    let start = delivered.head().find("DKIM-Signature:").expect("a signature");
    super::mailbox::crlf(&delivered.raw[start..])
}
