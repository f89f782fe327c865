//! The table of TLDs in force, and its refresh.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use arc_swap::ArcSwap;

use crate::engine::TldTable;
use crate::fetch::Fetch;
use crate::tld::refresh::{RefreshError, Refreshed, refresh};
use crate::tld::store::{Stored, TableOrigin, TldStore};

use super::detached::detached;
use super::metrics::{Metrics, TaskResult};

/// Pause after a failed refresh, and longest time between two checks whether a refresh is due.
const RETRY_DELAY: Duration = Duration::from_secs(60 * 60);

/// Time between two warnings of an old table.
const WARN_INTERVAL: Duration = Duration::from_secs(24 * 60 * 60);

/// How long after the start an old table is not warned of: its refresh is in progress.
const WARN_DELAY: Duration = Duration::from_secs(30 * 60);

/// The table in force. Reading it is cheap; it is replaced as a whole.
#[derive(Debug)]
pub struct Tlds {
    store: TldStore,
    current: ArcSwap<CurrentTable>,
}

#[derive(Debug)]
struct CurrentTable {
    table: Arc<TldTable>,
    stored: Stored,
}

/// When to refresh and when to warn.
#[derive(Clone, Debug)]
pub struct RefreshSettings {
    pub fetch: Fetch,
    /// Time between two refreshes; zero for none.
    pub interval: Duration,
    /// Age at which a warning is logged.
    pub warn_age: Duration,
}

impl Tlds {
    /// Opens the stored table, or the built-in one. A file that cannot be used is logged.
    pub fn open(store: TldStore) -> Tlds {
        let current = ArcSwap::from_pointee(current(store.load()));
        Tlds { store, current }
    }

    /// The current table.
    pub fn table(&self) -> Arc<TldTable> {
        Arc::clone(&self.current.load().table)
    }

    /// Reads the table again, as after `linkmilter tld update`.
    pub fn reload(&self) {
        self.current.store(Arc::new(current(self.store.load())));
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

    /// Refreshes the table when it is due, for as long as it is polled. `settings` is called each time, so that a
    /// reload of the configuration counts.
    pub async fn keep_fresh(
        self: Arc<Self>,
        settings: impl Fn() -> RefreshSettings,
        metrics: Arc<Metrics>,
    ) {
        let mut failed = false;
        let started = tokio::time::Instant::now();
        let mut warned: Option<tokio::time::Instant> = None;
        loop {
            let now = settings();
            self.export(&metrics);
            let age = self.age();
            if started.elapsed() >= WARN_DELAY
                && age > now.warn_age
                && warned.is_none_or(|at| at.elapsed() >= WARN_INTERVAL)
            {
                tracing::warn!(days = age.as_secs() / 86_400, "the table of TLDs is old");
                warned = Some(tokio::time::Instant::now());
            }
            tokio::time::sleep(pause(age, &now, failed)).await;
            let now = settings();
            if now.interval.is_zero() || self.age() < now.interval && !self.is_lost() {
                continue;
            }
            let result = self.refresh_in_background(now.fetch).await;
            metrics.tld_refresh(result);
            failed = result == TaskResult::Failed;
        }
    }

    fn age(&self) -> Duration {
        self.current.load().stored.age(SystemTime::now())
    }

    /// Whether the file of the table is not there any more. The next start would have an older table.
    fn is_lost(&self) -> bool {
        matches!(&self.current.load().stored.origin, TableOrigin::File(path) if !path.exists())
    }

    fn export(&self, metrics: &Metrics) {
        let current = self.current.load();
        metrics.tld_table(current.stored.checked, current.table.len());
    }

    /// One refresh on a thread that may block, and for which the end of the daemon does not wait.
    async fn refresh_in_background(self: &Arc<Self>, fetch: Fetch) -> TaskResult {
        let tlds = Arc::clone(self);
        match detached("tlds", move || tlds.refresh(&fetch)).await {
            Ok(Ok(Refreshed::Unchanged)) => {
                tracing::debug!("the table of TLDs is the newest");
                TaskResult::Succeeded
            }
            Ok(Ok(Refreshed::Replaced { table, added, removed })) => {
                tracing::info!(
                    version = table.version,
                    names = table.len(),
                    added = added.join(" "),
                    removed = removed.join(" "),
                    "a new table of TLDs"
                );
                TaskResult::Succeeded
            }
            Ok(Err(error)) => {
                tracing::warn!(%error, "the table of TLDs cannot be refreshed");
                TaskResult::Failed
            }
            Err(error) => {
                tracing::error!(%error, "the refresh of the table of TLDs was aborted");
                TaskResult::Failed
            }
        }
    }
}

fn current(stored: Stored) -> CurrentTable {
    if let Some(error) = &stored.file_error {
        tracing::warn!(%error, "the built-in table of TLDs is used");
    }
    CurrentTable { table: Arc::new(stored.table.clone()), stored }
}

/// Time until a refresh is due or the age is checked.
fn pause(age: Duration, settings: &RefreshSettings, failed: bool) -> Duration {
    if settings.interval.is_zero() {
        return RETRY_DELAY;
    }
    let due = settings.interval.saturating_sub(age);
    // Five seconds at least: whatever is configured, a public server is not queried in a tight loop.
    let least = if failed { RETRY_DELAY.min(settings.interval) } else { Duration::ZERO };
    due.clamp(least.max(Duration::from_secs(5)), RETRY_DELAY.max(least))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(interval: Duration) -> RefreshSettings {
        let fetch = Fetch {
            url: "https://tld.example/".to_owned(),
            timeout: Duration::from_secs(1),
            ca_file: None,
        };
        RefreshSettings { fetch, interval, warn_age: Duration::from_secs(7 * 86_400) }
    }

    #[test]
    fn refreshes_and_checks_come_when_they_are_due() {
        let day = Duration::from_secs(86_400);
        let minute = Duration::from_secs(60);
        for (age, interval, failed, expected) in [
            (day, day, false, Duration::from_secs(5)),
            (Duration::ZERO, day, false, RETRY_DELAY),
            (day - minute, day, false, minute),
            (day, day, true, RETRY_DELAY),
            (day, minute, true, minute),
            (day, Duration::ZERO, false, RETRY_DELAY),
        ] {
            let found = pause(age, &settings(interval), failed);
            assert_eq!(found, expected, "{age:?} {interval:?} {failed}");
        }
    }
}
