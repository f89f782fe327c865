//! Whether mail is filtered, for `/healthz`.

use arc_swap::ArcSwap;

use super::canary::CanaryError;

/// What `/healthz` says.
#[derive(Debug)]
pub struct Health {
    state: ArcSwap<State>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// No canary flew yet.
    Starting,
    Well,
    Ill(CanaryError),
    /// No new connections; the last messages are being finished.
    Draining,
}

impl Default for Health {
    fn default() -> Self {
        Health { state: ArcSwap::from_pointee(State::Starting) }
    }
}

impl Health {
    /// The last canary passed, or did not.
    pub fn canary(&self, result: Result<(), CanaryError>) {
        if **self.state.load() != State::Draining {
            self.state.store(result.map_or_else(State::Ill, |()| State::Well).into());
        }
    }

    /// The daemon is about to stop.
    pub fn draining(&self) {
        self.state.store(State::Draining.into());
    }

    /// `Ok` when mail is filtered, else why not; a line of text either way.
    ///
    /// # Errors
    /// Not an error of this call: the daemon's state.
    pub fn report(&self) -> Result<&'static str, String> {
        match **self.state.load() {
            State::Well => Ok("ok"),
            State::Starting => Err("starting: no canary yet".to_owned()),
            State::Ill(error) => Err(error.to_string()),
            State::Draining => Err("draining".to_owned()),
        }
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
        assert_eq!(health.report(), Ok("ok"));
        health.canary(Err(CanaryError::NoEdit));
        assert!(health.report().unwrap_err().contains("expected an edit"));
        health.draining();
        health.canary(Ok(()));
        assert_eq!(health.report(), Err("draining".to_owned()));
    }
}
