//! Notifications to systemd (sd_notify(3)). Without `NOTIFY_SOCKET` nothing is sent.

use std::ffi::OsString;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sd_notify::NotifyState;

use crate::file;

/// How long a notification waits for room. A manager that is stuck, as systemd is after a crash of its own, reads
/// nothing any more, and mail does not wait for it.
const PATIENCE: Duration = Duration::from_millis(200);

/// Sends notifications to the service manager.
#[derive(Clone, Debug, Default)]
pub struct Notifier {
    socket: Option<OsString>,
    watchdog: Option<Duration>,
    /// Whether the last notification failed, which is said once.
    failing: Arc<AtomicBool>,
}

impl Notifier {
    /// Settings from the environment: `NOTIFY_SOCKET`, `WATCHDOG_USEC`, `WATCHDOG_PID`.
    pub fn from_env() -> Notifier {
        let socket = std::env::var_os("NOTIFY_SOCKET").filter(|socket| !socket.is_empty());
        Notifier { socket, watchdog: watchdog_of_env(), ..Notifier::default() }
    }

    /// A service manager at this socket, with this watchdog timeout.
    pub fn to(socket: impl Into<OsString>, watchdog: Option<Duration>) -> Notifier {
        Notifier { socket: Some(socket.into()), watchdog, ..Notifier::default() }
    }

    /// Sockets are bound and the configuration is loaded: mail may come.
    pub fn ready(&self, status: &str) {
        self.send(&[NotifyState::Ready, NotifyState::Status(&one_line(status))]);
    }

    /// A reload started. `Type=notify-reload` wants the monotonic time in the same message; a
    /// [`Notifier::ready`] must follow.
    pub fn reloading(&self) {
        match NotifyState::monotonic_usec_now() {
            Ok(now) => self.send(&[NotifyState::Reloading, now]),
            Err(error) => tracing::warn!(%error, "no monotonic clock for RELOADING"),
        }
    }

    /// No new connections are accepted. Messages in progress are finished.
    pub fn stopping(&self, status: &str) {
        self.send(&[NotifyState::Stopping, NotifyState::Status(&one_line(status))]);
    }

    /// One line for `systemctl status`.
    pub fn status(&self, status: &str) {
        self.send(&[NotifyState::Status(&one_line(status))]);
    }

    /// The daemon is alive: a canary message passed the engine.
    pub fn watchdog(&self) {
        self.send(&[NotifyState::Watchdog]);
    }

    /// The longest time between two calls of [`Notifier::watchdog`]; `None` without a watchdog. Half of it is the
    /// usual interval (sd_watchdog_enabled(3)).
    pub fn watchdog_interval(&self) -> Option<Duration> {
        self.watchdog
    }

    fn send(&self, states: &[NotifyState<'_>]) {
        let Some(socket) = &self.socket else {
            return;
        };
        let lines: String = states.iter().map(|state| format!("{state}\n")).collect();
        let sent = send_to(socket, lines.as_bytes());
        let failed_before = self.failing.swap(sent.is_err(), Ordering::Relaxed);
        if let Err(error) = sent
            && !failed_before
        {
            let error = file::reason(&error);
            tracing::warn!("the service manager cannot be notified; mail is not affected: {error}");
        }
    }
}

fn send_to(socket: &OsString, bytes: &[u8]) -> io::Result<()> {
    let address = address(socket)?;
    let own = UnixDatagram::unbound()?;
    own.set_write_timeout(Some(PATIENCE))?;
    match own.send_to_addr(bytes, &address) {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
            Err(io::Error::new(io::ErrorKind::TimedOut, "it does not read what it is sent"))
        }
        sent => sent.map(drop),
    }
}

/// A path, or a name in the abstract namespace after `@`.
fn address(socket: &OsString) -> io::Result<SocketAddr> {
    match socket.as_bytes().strip_prefix(b"@") {
        Some(name) => SocketAddr::from_abstract_name(name),
        None => SocketAddr::from_pathname(socket),
    }
}

fn watchdog_of_env() -> Option<Duration> {
    let micros: u64 = std::env::var("WATCHDOG_USEC").ok()?.parse().ok()?;
    let is_for_us = match std::env::var("WATCHDOG_PID") {
        Ok(pid) => pid.parse() == Ok(std::process::id()),
        Err(_) => true,
    };
    (is_for_us && micros > 0).then(|| Duration::from_micros(micros))
}

/// A line break in a status would start another assignment.
fn one_line(status: &str) -> String {
    status.replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn received(socket: &UnixDatagram) -> String {
        let mut buffer = [0; 1_024];
        let length = socket.recv(&mut buffer).unwrap();
        String::from_utf8_lossy(&buffer[..length]).into_owned()
    }

    #[test]
    fn a_status_is_one_line() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("notify");
        let socket = UnixDatagram::bind(&path).unwrap();
        Notifier::to(&path, None).ready("error:\nMAINPID=1");
        assert_eq!(received(&socket), "READY=1\nSTATUS=error: MAINPID=1\n");
    }

    #[test]
    fn a_reload_names_the_monotonic_time() {
        let name = format!("linkmilter-test-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        let socket = UnixDatagram::bind_addr(&address).unwrap();
        Notifier::to(format!("@{name}"), None).reloading();
        let received = received(&socket);
        let micros = received.strip_prefix("RELOADING=1\nMONOTONIC_USEC=").unwrap();
        assert!(micros.trim_end().parse::<u64>().unwrap() > 0);
    }

    #[test]
    fn a_manager_that_reads_nothing_is_not_waited_for() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("notify");
        let _socket = UnixDatagram::bind(&path).unwrap();
        // One sender may fill its own buffer first.
        let fits = || {
            let sender = UnixDatagram::unbound().unwrap();
            sender.set_nonblocking(true).unwrap();
            sender.send_to(b"x", &path).is_ok()
        };
        while fits() {}
        let notifier = Notifier::to(&path, None);
        notifier.watchdog();
        assert!(notifier.failing.load(Ordering::Relaxed));
    }

    #[test]
    fn without_a_manager_nothing_happens() {
        Notifier::default().ready("fine");
        Notifier::to("/nonexistent/notify", None).watchdog();
    }
}
