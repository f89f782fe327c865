//! Delivered mail.

use std::fs;
use std::path::PathBuf;

use super::wait_for;

/// A Maildir.
pub struct Mailbox {
    pub path: PathBuf,
}

/// A delivered message, as it is stored: lines end in LF.
pub struct Delivered {
    pub raw: Vec<u8>,
}

impl Mailbox {
    /// Waits for that many messages; all of them, in no order.
    pub fn wait(&self, count: usize) -> Vec<Delivered> {
        let files = wait_for(&format!("{count} messages in {}", self.path.display()), || {
            let files = self.files();
            (files.len() >= count).then_some(files)
        });
        assert_eq!(files.len(), count, "more messages than were sent");
        files.iter().map(|file| Delivered { raw: fs::read(file).unwrap() }).collect()
    }

    /// Waits as long as messages keep coming.
    pub fn wait_long(&self, count: usize) {
        let mut before = 0;
        while before < count {
            before = wait_for("another message", || {
                let now = self.files().len();
                (now > before).then_some(now)
            });
        }
        assert_eq!(before, count, "more messages than were sent");
    }

    /// The only message.
    pub fn only(&self) -> Delivered {
        self.wait(1).remove(0)
    }

    pub fn files(&self) -> Vec<PathBuf> {
        match fs::read_dir(self.path.join("new")) {
            Ok(entries) => entries.map(|entry| entry.unwrap().path()).collect(),
            Err(_) => Vec::new(),
        }
    }
}

impl Delivered {
    /// The body with CRLF, as it was on the wire.
    pub fn body(&self) -> Vec<u8> {
        let end = self.raw.windows(2).position(|two| two == b"\n\n").expect("an empty line");
        crlf(&self.raw[end + 2..])
    }

    /// The header block.
    pub fn head(&self) -> String {
        let end = self.raw.windows(2).position(|two| two == b"\n\n").expect("an empty line");
        String::from_utf8_lossy(&self.raw[..=end]).into_owned()
    }

    /// Values of the fields of that name, unfolded.
    pub fn fields(&self, name: &str) -> Vec<String> {
        let head = self.head().replace("\n ", " ").replace("\n\t", " ");
        head.lines()
            .filter_map(|line| line.split_once(':'))
            .filter(|(found, _)| found.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim().to_owned())
            .collect()
    }

    /// Our own field, which must be there once.
    pub fn verdict(&self) -> String {
        let mut fields = self.fields("X-Linkmilter");
        assert_eq!(fields.len(), 1, "{}", self.head());
        fields.remove(0)
    }
}

/// LF to CRLF.
pub fn crlf(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + text.len() / 32);
    for &byte in text {
        if byte == b'\n' {
            out.push(b'\r');
        }
        out.push(byte);
    }
    out
}
