//! Whether mail is filtered, for `/healthz`, and what an operator should mend, for `/healthz`,
//! `systemctl status` and the digest.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What `/healthz` says.
#[derive(Debug, Default)]
pub struct Health {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    state: State,
    /// Number of the configuration in force, from 1.
    generation: u64,
    /// What is wrong beside the mail path, by what it is about.
    troubles: Vec<(Trouble, String)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum State {
    /// No canary flew yet.
    #[default]
    Starting,
    Well,
    /// What the canary met.
    Ill(String),
    /// No new connections; the last messages are being finished.
    Draining,
}

/// What a trouble is about: one at a time of each, but of lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trouble {
    /// The configuration in force is not the one on the disk.
    Configuration,
    /// Nobody can ask for metrics.
    Metrics,
    /// Recipes go without a seal.
    Seal,
    /// Lists of others that could not be had.
    Feeds,
}

impl Health {
    /// The last canary passed, or did not, and this is why.
    pub fn canary(&self, result: Result<(), String>) {
        let mut inner = self.lock();
        if inner.state != State::Draining {
            inner.state = result.map_or_else(State::Ill, |()| State::Well);
        }
    }

    /// The daemon is about to stop.
    pub fn draining(&self) {
        self.lock().state = State::Draining;
    }

    /// Mail is filtered, but something is to be mended; `None` when it is. One line.
    pub fn trouble(&self, about: Trouble, what: Option<String>) {
        self.all_troubles(about, what);
    }

    /// The same of what there may be several of, a line each.
    pub fn all_troubles(&self, about: Trouble, what: impl IntoIterator<Item = String>) {
        let mut inner = self.lock();
        inner.troubles.retain(|(trouble, _)| *trouble != about);
        let lines = what.into_iter().map(|what| (about, what.replace(['\n', '\r'], " ")));
        inner.troubles.extend(lines);
        inner.troubles.sort();
    }

    /// What is to be mended, a line each.
    pub fn troubles(&self) -> Vec<String> {
        self.lock().troubles.iter().map(|(_, what)| what.clone()).collect()
    }

    /// The configuration of this number is in force.
    pub fn generation(&self, number: u64) {
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

    /// `Ok` when mail is filtered, else why not. The first line says it in a word, what is to be
    /// mended follows, a line each.
    ///
    /// # Errors
    /// Not an error of this call: the daemon's state.
    pub fn report(&self) -> Result<String, String> {
        let inner = self.lock();
        let state = match &inner.state {
            State::Well => Ok("ok".to_owned()),
            State::Starting => Err("starting: no canary yet".to_owned()),
            State::Ill(error) => Err(error.clone()),
            State::Draining => Err("draining".to_owned()),
        };
        let mut more = String::new();
        for (_, what) in &inner.troubles {
            more.push('\n');
            more.push_str(what);
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
        health.canary(Ok(()));
        assert_eq!(health.report(), Ok("ok".to_owned()));
        health.canary(Err("no edit".to_owned()));
        assert_eq!(health.report(), Err("no edit".to_owned()));
        health.draining();
        health.canary(Ok(()));
        assert_eq!(health.report(), Err("draining".to_owned()));
    }

    #[test]
    fn what_is_to_be_mended_is_told_until_it_is() {
        let health = Health::default();
        health.canary(Ok(()));
        health.trouble(Trouble::Metrics, Some("no metrics".to_owned()));
        health.trouble(Trouble::Configuration, Some("line 3\nis wrong".to_owned()));
        assert_eq!(health.report(), Ok("ok\nline 3 is wrong\nno metrics".to_owned()));
        health.generation(2);
        assert_eq!(health.status(), "filtering, configuration 2; line 3 is wrong; no metrics");
        health.trouble(Trouble::Configuration, None);
        health.trouble(Trouble::Metrics, None);
        assert_eq!(health.report(), Ok("ok".to_owned()));
    }
}
