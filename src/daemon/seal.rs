//! The seal on our own mail: digests pass our own filter unchanged.
//!
//! `X-Linkmilter-Digest: v=1; s=HEX` seals the Message-ID and the body with HMAC-SHA-256 under
//! the key of this installation. Copying the field gains nothing: it is invalid with any other body,
//! and its own body is the digest, which holds no live link.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::header_fields::field;
use crate::atomic_file;
use crate::config::Config;
use crate::engine::hex;
use crate::file;

/// Name of the header field.
pub const FIELD: &str = "X-Linkmilter-Digest";

/// Bytes of a key: as many as the hash holds (RFC 2104 §3).
const KEY_BYTES: usize = 32;

/// Keeps this use of the key apart from every other use.
const PURPOSE: &[u8] = b"linkmilter digest 1\n";

/// Seals and recognises our own mail.
#[derive(Clone)]
pub struct Seal {
    key: Arc<[u8]>,
}

impl std::fmt::Debug for Seal {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Seal")
    }
}

/// Why there is no key.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error("key {}: {source}", path.display())]
    File {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("key {}: expected {KEY_BYTES} bytes or more, found {found}", path.display())]
    Short { path: PathBuf, found: usize },
}

impl Seal {
    pub fn new(key: Arc<[u8]>) -> Seal {
        Seal { key }
    }

    /// The key in this file. If there is none, a key is made from the system's random source (mode 0600).
    ///
    /// # Errors
    /// The file can be neither read nor made, or is too short to be a key.
    pub fn load_or_create(path: &Path) -> Result<Seal, KeyError> {
        match Seal::load(path) {
            Err(KeyError::File { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                create(path).map_err(|source| KeyError::File { path: path.to_owned(), source })?;
                Seal::load(path)
            }
            loaded => loaded,
        }
    }

    /// The key in this file.
    ///
    /// # Errors
    /// The file cannot be read or is too short to be a key.
    pub fn load(path: &Path) -> Result<Seal, KeyError> {
        let key = file::read(path, file::MAX_BYTES)
            .map_err(|source| KeyError::File { path: path.to_owned(), source })?;
        if key.len() < KEY_BYTES {
            return Err(KeyError::Short { path: path.to_owned(), found: key.len() });
        }
        Ok(Seal { key: key.into() })
    }

    /// The key itself, which also seals our header fields.
    pub fn key(&self) -> Arc<[u8]> {
        Arc::clone(&self.key)
    }

    /// The value of the field for this mail.
    pub fn value(&self, message_id: &str, body: &[u8]) -> String {
        let seal = self.mac(message_id.as_bytes(), body).finalize().into_bytes();
        format!("v=1; s={}", hex::encode(&seal))
    }

    /// Whether this is our own mail: its field was made here for its Message-ID and its body. `head` is the
    /// raw header with its line ends.
    pub fn is_own(&self, head: &[u8], body: &[u8]) -> bool {
        let Some(value) = field(head, FIELD) else {
            return false;
        };
        let id = field(head, "Message-ID").unwrap_or_default();
        self.verifies(value, id, body)
    }

    /// Whether the value of the field was made here for this Message-ID and this body. White space in the
    /// value is ignored: the field may have been folded.
    pub fn verifies(&self, value: &[u8], message_id: &[u8], body: &[u8]) -> bool {
        let value: Vec<u8> =
            value.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
        let Some(digits) = value.strip_prefix(b"v=1;s=") else {
            return false;
        };
        // Compared in constant time.
        hex::decode(digits).is_some_and(|mac| self.mac(message_id, body).verify_slice(&mac).is_ok())
    }

    fn mac(&self, message_id: &[u8], body: &[u8]) -> Hmac<Sha256> {
        let mut mac = keyed(&self.key, PURPOSE);
        // The length separates the two parts: a line break in the identifier cannot move the border.
        let message_id = message_id.trim_ascii();
        mac.update(format!("{}\n", message_id.len()).as_bytes());
        mac.update(message_id);
        // MTAs change line ends and the white space after the last line, and nothing else.
        for line in body.trim_ascii_end().split(|byte| *byte == b'\n') {
            mac.update(b"\n");
            mac.update(line.strip_suffix(b"\r").unwrap_or(line));
        }
        mac
    }
}

/// The key file that the configuration names, else the one in the state directory.
pub fn path(config: &Config) -> PathBuf {
    match &config.policy.seal_key_file {
        Some(file) => config.resolve(file),
        None => config.in_state("seal.key"),
    }
}

/// HMAC under a key that has several purposes.
pub fn keyed(key: &[u8], purpose: &[u8]) -> Hmac<Sha256> {
    // HMAC takes keys of any length, so this cannot fail. An all-zero key would only make every seal invalid.
    let mac = <Hmac<Sha256> as KeyInit>::new_from_slice(key);
    let mut mac = mac.unwrap_or_else(|_| <Hmac<Sha256> as KeyInit>::new(&Default::default()));
    mac.update(purpose);
    mac
}

/// Makes a new key. No half key is ever there.
fn create(path: &Path) -> io::Result<()> {
    let mut key = [0; KEY_BYTES];
    File::open("/dev/urandom")?.read_exact(&mut key)?;
    atomic_file::replace(path, &key, atomic_file::PRIVATE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    const ID: &str = "<1@host.example>";

    #[test]
    fn a_seal_holds_for_its_mail_only() {
        let seal = Seal::new(Arc::from([7; 32]));
        let value = seal.value(ID, b"one\r\ntwo\r\n");
        let holds = |value: &str, id: &str, body: &[u8]| {
            seal.verifies(value.as_bytes(), id.as_bytes(), body)
        };
        assert!(holds(&value, ID, b"one\r\ntwo\r\n"));
        assert!(holds(&format!(" {value}\r\n"), "<1@host.example>\r\n", b"one\ntwo\n\n"));
        assert!(!holds(&value, ID, b"one\r\nhttps://evil.example/\r\n"));
        assert!(!holds(&value, ID, b"one\r\ntwo\r\nthree\r\n"));
        assert!(!holds(&value, "<2@host.example>", b"one\r\ntwo\r\n"));
        let other = Seal::new(Arc::from([8; 32]));
        assert!(!other.verifies(value.as_bytes(), ID.as_bytes(), b"one\r\ntwo\r\n"));
        for forged in [
            "",
            "v=1; s=",
            "v=1; s=0",
            "v=1; s=zz",
            "v=1; s=é",
            "v=2; s=00",
            &value[..value.len() - 2],
        ] {
            assert!(!holds(forged, ID, b"one\r\ntwo\r\n"), "{forged}");
        }
    }

    #[test]
    fn own_mail_is_known_by_its_head_folded_or_not() {
        let seal = Seal::new(Arc::from([7; 32]));
        let value = seal.value(ID, b"text\r\n");
        let folded = value.replace("; ", ";\r\n\t");
        let own = |head: String| seal.is_own(head.as_bytes(), b"text\r\n");
        assert!(own(format!("From: a@b\r\nMessage-ID: {ID}\r\nX-Linkmilter-Digest: {folded}\r\n")));
        assert!(own(format!("x-linkmilter-digest:{value}\nmessage-id:{ID}\n")));
        assert!(!own(format!("X-Linkmilter-Digest: {value}\r\n")));
        assert!(!own(format!("Message-ID: {ID}\r\nSubject: X-Linkmilter-Digest: {value}\r\n")));
        assert!(!own(format!(
            "Message-ID: {ID}\r\nX-Linkmilter-Digest: forged\r\nX-Linkmilter-Digest: {value}\r\n"
        )));
        assert!(!own(String::new()));
    }

    #[test]
    fn the_parts_cannot_be_shifted_against_one_another() {
        let seal = Seal::new(Arc::from([7; 32]));
        let value = seal.value("<1@h>", b"two\r\nthree");
        assert!(!seal.verifies(value.as_bytes(), b"<1@h>\ntwo", b"three"));
    }

    #[test]
    fn a_key_is_made_once_and_kept_private() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("seal.key");
        let first = Seal::load_or_create(&path).unwrap();
        let second = Seal::load_or_create(&path).unwrap();
        assert_eq!(first.key, second.key);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::write(&path, "short").unwrap();
        let error = Seal::load_or_create(&path).unwrap_err().to_string();
        assert!(error.contains("expected 32 bytes or more, found 5"), "{error}");
    }
}
