//! Whether mail is filtered, for `/healthz`, and what an operator should correct, for `/healthz`,
//! `systemctl status` and the digest.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What `/healthz` says.
#[derive(Debug, Default)]
pub struct Health {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    state: HealthState,
    /// Number of the configuration in force, from 1.
    generation: u64,
    /// Problems that do not stop mail, with what they are about.
    troubles: Vec<(Trouble, String)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum HealthState {
    /// No canary has passed yet.
    #[default]
    Starting,
    Healthy,
    /// The error of the last canary.
    Failing(String),
    /// No new connections; the last messages are being finished.
    Draining,
}

/// What a trouble is about. There is at most one of each at a time, but one for each list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trouble {
    /// The configuration in force is not the one on the disk.
    Configuration,
    /// The metrics endpoint is not reachable.
    Metrics,
    /// There is no key to seal recipes with.
    Seal,
    /// Feeds could not be refreshed.
    Feeds,
    /// A socket is not where MTAs look for it.
    Sockets,
    /// No connection is free.
    Connections,
    /// Nothing is stored.
    State,
    /// The journal was not opened.
    Journal,
    /// The DNS is not queried.
    Dns,
    /// It is, and does not answer, or cannot be right.
    DnsAnswers,
    /// The last digest was not sent.
    Digest,
}

impl Health {
    /// Sets the result of the last canary.
    pub fn set_canary(&self, result: Result<(), String>) {
        let mut inner = self.lock();
        if inner.state != HealthState::Draining {
            inner.state = result.map_or_else(HealthState::Failing, |()| HealthState::Healthy);
        }
    }

    /// The daemon is about to stop.
    pub fn set_draining(&self) {
        self.lock().state = HealthState::Draining;
    }

    /// Mail is filtered, but there is something to correct; `None` when it is corrected. One line. Returns
    /// whether this is new.
    pub fn set_trouble(&self, about: Trouble, text: Option<String>) -> bool {
        self.set_troubles(about, text)
    }

    /// The same for a trouble that may come several times, a line each.
    pub fn set_troubles(&self, about: Trouble, texts: impl IntoIterator<Item = String>) -> bool {
        let mut inner = self.lock();
        let before = inner.troubles.clone();
        inner.troubles.retain(|(trouble, _)| *trouble != about);
        let lines = texts.into_iter().map(|text| (about, text.replace(['\n', '\r'], " ")));
        inner.troubles.extend(lines);
        inner.troubles.sort();
        inner.troubles != before
    }

    /// Whether this is to be corrected.
    pub fn has(&self, about: Trouble) -> bool {
        self.lock().troubles.iter().any(|(trouble, _)| *trouble == about)
    }

    /// What is to be corrected, a line each.
    pub fn troubles(&self) -> Vec<String> {
        self.lock().troubles.iter().map(|(_, text)| text.clone()).collect()
    }

    /// The configuration of this number is in force.
    pub fn set_generation(&self, number: u64) {
        self.lock().generation = number;
    }

    /// A line for `systemctl status`.
    pub fn status(&self) -> String {
        let mut status = format!("filtering, configuration {}", self.lock().generation);
        for trouble in self.troubles() {
            status.push_str("; ");
            status.push_str(&trouble);
        }
        status
    }

    /// `Ok` if mail is filtered, else why not. The first line is one word or the error. What is to be corrected follows,
    /// line by line.
    ///
    /// # Errors
    /// `Err` is no error of this call, but the state of the daemon.
    pub fn report(&self) -> Result<String, String> {
        let inner = self.lock();
        let state = match &inner.state {
            HealthState::Healthy => Ok("ok".to_owned()),
            HealthState::Starting => Err("starting: no canary yet".to_owned()),
            HealthState::Failing(error) => Err(error.clone()),
            HealthState::Draining => Err("draining".to_owned()),
        };
        let mut more = String::new();
        for (_, text) in &inner.troubles {
            more.push('\n');
            more.push_str(text);
        }
        state.map(|line| line + &more).map_err(|line| line + &more)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn health_follows_the_canary_until_the_drain() {
        let health = Health::default();
        assert!(health.report().is_err());
        health.set_canary(Ok(()));
        assert_eq!(health.report(), Ok("ok".to_owned()));
        health.set_canary(Err("no edit".to_owned()));
        assert_eq!(health.report(), Err("no edit".to_owned()));
        health.set_draining();
        health.set_canary(Ok(()));
        assert_eq!(health.report(), Err("draining".to_owned()));
    }

    #[test]
    fn troubles_are_reported_until_they_are_corrected() {
        let health = Health::default();
        health.set_canary(Ok(()));
        let no_metrics = || health.set_trouble(Trouble::Metrics, Some("no metrics".to_owned()));
        assert!(no_metrics() && !no_metrics());
        assert!(health.has(Trouble::Metrics) && !health.has(Trouble::Dns));
        health.set_trouble(Trouble::Configuration, Some("line 3\nis wrong".to_owned()));
        assert_eq!(health.report(), Ok("ok\nline 3 is wrong\nno metrics".to_owned()));
        health.set_generation(2);
        assert_eq!(health.status(), "filtering, configuration 2; line 3 is wrong; no metrics");
        health.set_trouble(Trouble::Configuration, None);
        health.set_trouble(Trouble::Metrics, None);
        assert_eq!(health.report(), Ok("ok".to_owned()));
    }
}
