//! What systemd is told (sd_notify(3)). Without `NOTIFY_SOCKET` all of it is a no-op.

use std::time::Duration;

use sd_notify::NotifyState;

/// Speaks to the service manager.
#[derive(Clone, Copy, Debug, Default)]
pub struct Notifier;

impl Notifier {
    /// Sockets are bound and the configuration is read: mail may come.
    pub fn ready(self, status: &str) {
        send(&[NotifyState::Ready, NotifyState::Status(&one_line(status))]);
    }

    /// A reload began. `Type=notify-reload` wants the monotonic time in the same message; a
    /// [`Notifier::ready`] must follow.
    pub fn reloading(self) {
        match NotifyState::monotonic_usec_now() {
            Ok(now) => send(&[NotifyState::Reloading, now]),
            Err(error) => tracing::warn!(%error, "no monotonic clock for RELOADING"),
        }
    }

    /// No new connections; what is under way is finished.
    pub fn stopping(self, status: &str) {
        send(&[NotifyState::Stopping, NotifyState::Status(&one_line(status))]);
    }

    /// One line for `systemctl status`.
    pub fn status(self, status: &str) {
        send(&[NotifyState::Status(&one_line(status))]);
    }

    /// The daemon is alive: a canary message passed the engine.
    pub fn watchdog(self) {
        send(&[NotifyState::Watchdog]);
    }

    /// How often [`Notifier::watchdog`] is expected; `None` when systemd watches not. Half of it
    /// is the usual rhythm (sd_watchdog_enabled(3)).
    pub fn watchdog_interval(self) -> Option<Duration> {
        let micros: u64 = std::env::var("WATCHDOG_USEC").ok()?.parse().ok()?;
        let ours = match std::env::var("WATCHDOG_PID") {
            Ok(pid) => pid.parse() == Ok(std::process::id()),
            Err(_) => true,
        };
        (ours && micros > 0).then(|| Duration::from_micros(micros))
    }
}

/// A line break in a status would begin another assignment.
fn one_line(status: &str) -> String {
    status.replace(['\n', '\r'], " ")
}

fn send(states: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        tracing::warn!(%error, "cannot tell the service manager");
    }
}
