//! Daemons, MTAs, senders and mailboxes for tests.
#![allow(dead_code)] // not every test uses every tool

pub mod daemon;
#[path = "../../common/dovecot.rs"]
#[allow(dead_code, reason = "of several test programs")]
pub mod dovecot;
pub mod letters;
pub mod mailbox;
pub mod marker;
pub mod milter;
pub mod opendkim;
pub mod postfix;
pub mod sendmail;
pub mod smtp;

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

/// How long something may take that is bound to happen. No test waits that long when all is well.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// A loopback port that is free, for a program that cannot choose one itself.
///
/// Each is given out once, and they lie below the range from which outgoing connections take
/// theirs: between this look and the program's own, nobody else takes it.
pub fn free_port() -> u16 {
    const FIRST: u16 = 12_000;
    const COUNT: u16 = 18_000;
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let start = u16::try_from(std::process::id() % u32::from(COUNT)).unwrap();
    for _ in 0..COUNT {
        let turn = NEXT.fetch_add(1, Ordering::Relaxed) % COUNT;
        let port = FIRST + (start + turn) % COUNT;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
    panic!("no port is free")
}

/// A temporary directory that other users can look into (MTAs are not root), with a path that
/// leaves room for the names of unix sockets (108 bytes).
pub fn open_dir() -> tempfile::TempDir {
    const PATH_BYTES: usize = 40;
    let suits = |path: &PathBuf| {
        let open =
            |dir: &Path| fs::metadata(dir).is_ok_and(|data| data.permissions().mode() & 1 == 1);
        path.as_os_str().len() <= PATH_BYTES && path.ancestors().all(open)
    };
    let places = [std::env::temp_dir(), "/tmp".into(), "/var/tmp".into(), "/dev/shm".into()];
    let place = places.into_iter().find(suits).expect("a temporary directory open to all");
    let dir = tempfile::Builder::new().prefix("linkmilter-").tempdir_in(place).unwrap();
    open_up(dir.path());
    dir
}

/// Lets everybody look into a directory, whatever the umask.
pub fn open_up(dir: &Path) {
    fs::set_permissions(dir, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Sends a signal to a process, or to a group (`-PID`); false when there is none.
pub fn kill(signal: &str, target: &str) -> bool {
    let script = format!("kill -s {signal} -- {target} 2>/dev/null");
    Command::new("sh").args(["-c", &script]).status().unwrap().success()
}

/// The path of a program, or a failure that names the Debian package.
pub fn program(name: &str, package: &str) -> PathBuf {
    let found = ["/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/bin"]
        .iter()
        .map(|dir| Path::new(dir).join(name))
        .find(|path| path.exists());
    found.unwrap_or_else(|| panic!("{name} is missing: install the Debian package {package}"))
}

/// Asks until there is an answer.
pub fn wait_for<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
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
    use std::process::Stdio;
    let mut command = Command::new(env!("CARGO_BIN_EXE_linkmilter"));
    command.arg("restore").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(&delivered.raw).unwrap();
    let out = child.wait_with_output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    out.stdout
}
