//! The canary: a small message with one deceptive link, sent through the engine before the
//! watchdog is fed. A daemon that answers its watchdog but no longer judges mail is restarted.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, timeout};

use super::health::Health;
use super::metrics::{Metrics, TaskResult};
use super::notify::Notifier;
use crate::engine::outcome::Verdict;
use crate::engine::{Answers, Facts, Message, Policy, TldSet, inspect};

/// Header of the canary, as the milter server passes headers on.
const HEAD: &[u8] = b"From: canary@linkmilter.example\r\nSubject: canary\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n";

/// A harmless link, and one with a Cyrillic letter in a Latin word.
const BODY: &[u8] =
    "Plain: https://www.example.com/\r\nDeceptive: https://p\u{430}ypal.com/\r\n".as_bytes();

/// How the engine failed the canary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CanaryError {
    #[error("canary: expected the verdict unsafe or worse for a mixed-script host, found {0}")]
    Verdict(Verdict),
    #[error("canary: expected an edit of the deceptive link, found none")]
    NoEdit,
    #[error("canary: expected 2 links, found {0}")]
    Links(usize),
    #[error("canary: the engine failed on it")]
    Panic,
    #[error("canary: no answer from the engine within {0} seconds")]
    Timeout(u64),
}

/// How long the engine may take on a loaded machine. Unloaded it takes well below a millisecond.
const ENGINE_TIMEOUT: Duration = Duration::from_secs(10);

/// Who gets the result of a canary.
#[derive(Clone, Debug)]
pub struct Monitors {
    pub health: Arc<Health>,
    pub metrics: Arc<Metrics>,
}

/// Sends canaries through the engine (`check`) for ever. Feeds the watchdog after each one that passed, and sets
/// the state of `/healthz`. Without a watchdog a canary is sent every 30 seconds, for `/healthz` alone.
pub async fn run(
    notifier: Notifier,
    monitors: Monitors,
    check: impl Fn() -> Result<(), CanaryError> + Clone + Send + 'static,
) {
    let interval = notifier.watchdog_interval().map_or(Duration::from_secs(30), |full| full / 2);
    let mut ticks = tokio::time::interval(interval);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let check = tokio::task::spawn_blocking(check.clone());
        let result = match timeout(ENGINE_TIMEOUT, check).await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err(CanaryError::Panic),
            Err(_) => Err(CanaryError::Timeout(ENGINE_TIMEOUT.as_secs())),
        };
        match result {
            Ok(()) => {
                notifier.watchdog();
                monitors.metrics.canary(TaskResult::Succeeded);
            }
            Err(error) => {
                tracing::error!(%error, "the watchdog is not fed");
                monitors.metrics.canary(TaskResult::Failed);
            }
        }
        monitors.health.set_canary(result.map_err(|error| error.to_string()));
    }
}

/// Sends the canary through the engine once. It takes a millisecond at most and never waits for anything.
///
/// # Errors
/// Says what was expected and what the engine found instead.
pub fn check(tlds: &dyn TldSet) -> Result<(), CanaryError> {
    let policy = Policy::default();
    let message = Message { head: HEAD, body: BODY };
    let outcome = inspect(message, &Facts::default(), &policy, tlds).resolve(&Answers::new());
    if outcome.verdict < Verdict::Unsafe {
        return Err(CanaryError::Verdict(outcome.verdict));
    }
    if outcome.edits.is_empty() {
        return Err(CanaryError::NoEdit);
    }
    // Addresses in header fields may be counted as well.
    if outcome.links < 2 {
        return Err(CanaryError::Links(outcome.links));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixDatagram;

    use super::*;
    use crate::tld;

    #[test]
    fn the_engine_passes_it() {
        assert_eq!(check(&tld::builtin()), Ok(()));
    }

    /// Runs canaries for a while; whether the watchdog was fed, and what `/healthz` says.
    fn watched(check: fn() -> Result<(), CanaryError>) -> (bool, Result<String, String>) {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("notify");
        let socket = UnixDatagram::bind(&path).unwrap();
        socket.set_nonblocking(true).unwrap();
        let health = Arc::new(Health::default());
        let notifier = Notifier::to(&path, Some(Duration::from_millis(20)));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let metrics = Arc::new(Metrics::new());
            let monitors = Monitors { health: Arc::clone(&health), metrics };
            let running = tokio::spawn(run(notifier, monitors, check));
            while health.report() == Health::default().report() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            running.abort();
        });
        (socket.recv(&mut [0; 64]).is_ok(), health.report())
    }

    #[test]
    fn the_watchdog_is_fed_after_a_canary_that_passed() {
        assert_eq!(watched(|| Ok(())), (true, Ok("ok".to_owned())));
    }

    #[test]
    fn the_watchdog_is_not_fed_when_the_engine_is_wrong_or_panics() {
        let (fed, health) = watched(|| Err(CanaryError::NoEdit));
        assert!(!fed && health.is_err_and(|said| said.contains("expected an edit")));
        let (fed, health) = watched(|| panic!("engine"));
        assert!(!fed && health.is_err_and(|said| said.contains("engine failed")));
    }
}
