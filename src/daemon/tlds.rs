//! The table of TLDs in force, kept fresh.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use arc_swap::ArcSwap;

use crate::engine::TldTable;
use crate::fetch::Fetch;
use crate::tld::refresh::{RefreshError, Refreshed, refresh};
use crate::tld::store::{Store, Stored};

use super::metrics::{Ended, Metrics};

/// Shortest time between two attempts after one that failed.
const RETRY: Duration = Duration::from_secs(60 * 60);

/// How often the age is looked at; a table too old is warned of once a day.
const WARN_AGAIN: Duration = Duration::from_secs(24 * 60 * 60);

/// A table that is old at the start is not warned of yet: its refresh is under way.
const FIRST_REFRESH: Duration = Duration::from_secs(30 * 60);

/// The table in force. Cheap to ask, exchanged as a whole.
#[derive(Debug)]
pub struct Tlds {
    store: Store,
    current: ArcSwap<Held>,
}

#[derive(Debug)]
struct Held {
    table: Arc<TldTable>,
    stored: Stored,
}

/// When to refresh and when to warn.
#[derive(Clone, Debug)]
pub struct Upkeep {
    pub fetch: Fetch,
    /// Time between two refreshes; zero never asks.
    pub every: Duration,
    /// Age at which a warning is logged.
    pub warn_age: Duration,
}

impl Tlds {
    /// The table that holds now; a file that was passed over is logged.
    pub fn open(store: Store) -> Tlds {
        let held = held(store.load());
        Tlds { store, current: ArcSwap::from_pointee(held) }
    }

    /// The table of this moment.
    pub fn table(&self) -> Arc<TldTable> {
        Arc::clone(&self.current.load().table)
    }

    /// The last good check of the table.
    pub fn checked(&self) -> SystemTime {
        self.current.load().stored.checked
    }

    /// Reads the table anew, as after `linkmilter tld update`.
    pub fn reload(&self) {
        self.current.store(Arc::new(held(self.store.load())));
    }

    /// Refreshes now; blocking.
    ///
    /// # Errors
    /// See [`RefreshError`]; the table in force stays.
    pub fn refresh(&self, fetch: &Fetch) -> Result<Refreshed, RefreshError> {
        let refreshed = refresh(fetch, &self.store, SystemTime::now())?;
        self.reload();
        Ok(refreshed)
    }

    /// Refreshes for as long as it is polled. `upkeep` is asked before every round, so that a
    /// reload of the configuration counts.
    pub async fn keep_fresh(self: Arc<Self>, upkeep: impl Fn() -> Upkeep, metrics: Arc<Metrics>) {
        let mut failed = false;
        let begun = tokio::time::Instant::now();
        let mut warned: Option<tokio::time::Instant> = None;
        loop {
            let settings = upkeep();
            self.export(&metrics);
            let age = self.age();
            let waited = begun.elapsed() >= FIRST_REFRESH;
            if waited
                && age > settings.warn_age
                && warned.is_none_or(|at| at.elapsed() >= WARN_AGAIN)
            {
                tracing::warn!(days = age.as_secs() / 86_400, "the table of TLDs is old");
                warned = Some(tokio::time::Instant::now());
            }
            tokio::time::sleep(next_round(age, &settings, failed)).await;
            let settings = upkeep();
            if settings.every.is_zero() || self.age() < settings.every {
                continue;
            }
            let result = self.round(settings.fetch).await;
            metrics.tld_refresh(result);
            failed = result == Ended::Failed;
        }
    }

    fn age(&self) -> Duration {
        self.current.load().stored.age(SystemTime::now())
    }

    fn export(&self, metrics: &Metrics) {
        let held = self.current.load();
        metrics.tld_table(held.stored.checked, held.table.len());
    }

    /// One refresh on a thread that may block; how it ended.
    async fn round(self: &Arc<Self>, fetch: Fetch) -> Ended {
        let tlds = Arc::clone(self);
        match tokio::task::spawn_blocking(move || tlds.refresh(&fetch)).await {
            Ok(Ok(Refreshed::Unchanged)) => {
                tracing::debug!("the table of TLDs is the newest");
                Ended::Well
            }
            Ok(Ok(Refreshed::Replaced { table, added, removed })) => {
                tracing::info!(
                    version = table.version,
                    names = table.len(),
                    added = added.join(" "),
                    removed = removed.join(" "),
                    "a new table of TLDs"
                );
                Ended::Well
            }
            Ok(Err(error)) => {
                tracing::warn!(%error, "the table of TLDs stays as it is");
                Ended::Failed
            }
            Err(error) => {
                tracing::error!(%error, "the refresh of the table of TLDs broke off");
                Ended::Failed
            }
        }
    }
}

fn held(stored: Stored) -> Held {
    if let Some(error) = &stored.file_error {
        tracing::warn!(%error, "the built-in table of TLDs is used");
    }
    Held { table: Arc::new(stored.table.clone()), stored }
}

/// Time until something is to be done: a refresh is due, or the age is to be looked at.
fn next_round(age: Duration, settings: &Upkeep, failed: bool) -> Duration {
    if settings.every.is_zero() {
        return RETRY;
    }
    let due = settings.every.saturating_sub(age);
    // Some seconds at least: nobody asks a public server in a tight loop, whatever is configured.
    let least = if failed { RETRY.min(settings.every) } else { Duration::ZERO };
    due.clamp(least.max(Duration::from_secs(5)), RETRY.max(least))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn upkeep(every: Duration) -> Upkeep {
        let fetch = Fetch {
            url: "https://tld.example/".to_owned(),
            timeout: Duration::from_secs(1),
            ca_file: None,
        };
        Upkeep { fetch, every, warn_age: Duration::from_secs(7 * 86_400) }
    }

    #[test]
    fn rounds_come_when_something_is_due() {
        let day = Duration::from_secs(86_400);
        let minute = Duration::from_secs(60);
        for (age, every, failed, expected) in [
            (day, day, false, Duration::from_secs(5)),
            (Duration::ZERO, day, false, RETRY),
            (day - minute, day, false, minute),
            (day, day, true, RETRY),
            (day, minute, true, minute),
            (day, Duration::ZERO, false, RETRY),
        ] {
            let found = next_round(age, &upkeep(every), failed);
            assert_eq!(found, expected, "{age:?} {every:?} {failed}");
        }
    }
}
