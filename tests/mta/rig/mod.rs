//! Daemons, MTAs, senders and mailboxes for tests.
#![allow(dead_code)] // not every test uses every tool

pub mod daemon;
pub mod letters;
pub mod mailbox;
pub mod milter;
pub mod opendkim;
pub mod postfix;
pub mod sendmail;
pub mod smtp;

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A loopback port that was free a moment ago.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A temporary directory that other users can look into: MTAs are not root.
pub fn open_dir() -> tempfile::TempDir {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::Builder::new().prefix("linkmilter-").tempdir().unwrap();
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    dir
}

/// The path of a program, or a failure that names the Debian package.
pub fn program(name: &str, package: &str) -> PathBuf {
    let found = ["/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/bin"]
        .iter()
        .map(|dir| Path::new(dir).join(name))
        .find(|path| path.exists());
    found.unwrap_or_else(|| panic!("{name} is missing: install the Debian package {package}"))
}

/// Asks until there is an answer, for a minute at most.
pub fn wait_for<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(Instant::now() < end, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The body that `linkmilter restore` makes of a delivered message, with CRLF.
pub fn restored(delivered: &mailbox::Delivered) -> Vec<u8> {
    mailbox::Delivered { raw: restored_message(delivered) }.body()
}

/// What `linkmilter restore` makes of a delivered message.
pub fn restored_message(delivered: &mailbox::Delivered) -> Vec<u8> {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut command = Command::new(env!("CARGO_BIN_EXE_linkmilter"));
    command.arg("restore").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(&delivered.raw).unwrap();
    let out = child.wait_with_output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    out.stdout
}
