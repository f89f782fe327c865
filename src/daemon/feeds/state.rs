//! The state of one list: what is loaded, and when it is refreshed and warned of.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use super::super::metrics::TaskResult;
use crate::engine::lists::Listing;
use crate::feed::refresh::{Feed, FeedError, Loaded, Source};

/// Shortest time between two refreshes of a list, and between a failed one and the next.
const MIN_REFRESH_INTERVAL: Duration = Duration::from_secs(5);
const RETRY_DELAY: Duration = Duration::from_secs(10 * 60);

/// Time between two warnings about one list.
const WARN_INTERVAL: Duration = Duration::from_secs(24 * 60 * 60);

/// One list and its state.
#[derive(Debug)]
pub(super) struct FeedState {
    pub feed: Feed,
    pub loaded: Option<Loaded>,
    /// When the next refresh is due; `None` if it is refreshed at a reload only.
    pub due: Option<Instant>,
    warned: Option<Instant>,
    /// Whether it was said which names of the operator the loaded list has.
    pub is_noted: bool,
    /// The error of the last refresh, if it failed.
    pub error: Option<String>,
    /// Since when the settings name it.
    pub since: SystemTime,
}

impl FeedState {
    /// A refresh is due at once.
    pub fn new(feed: Feed, loaded: Option<Loaded>) -> FeedState {
        let due = Some(Instant::now());
        let since = SystemTime::now();
        FeedState { feed, loaded, due, warned: None, is_noted: false, error: None, since }
    }

    /// Takes over new settings of the same list. Returns them if the list must be read anew because of them; until
    /// then the loaded list stays in force.
    pub fn update_settings(&mut self, feed: Feed) -> Option<Feed> {
        if let Some(loaded) = &mut self.loaded {
            let same = Listing::clone(&loaded.listing);
            loaded.listing = Arc::new(Listing { verdict: feed.verdict, ..same });
        }
        self.feed.verdict = feed.verdict;
        let same_content = self.feed.layout == feed.layout
            && self.feed.checksum == feed.checksum
            && self.feed.max_bytes == feed.max_bytes
            && self.feed.max_entries == feed.max_entries;
        self.due = same_content.then(Instant::now);
        if !same_content {
            return Some(feed);
        }
        self.feed = feed;
        None
    }

    /// Takes the result of a refresh, and sets when the next one is due.
    pub fn finish_refresh(
        &mut self,
        found: Result<Option<Loaded>, FeedError>,
        now: Instant,
    ) -> TaskResult {
        let (result, pause) = match found {
            Ok(newer) => {
                self.error = None;
                self.set_newer(newer);
                (TaskResult::Succeeded, self.feed.refresh)
            }
            Err(error) => {
                tracing::warn!(%error, list = self.feed.name, "a list cannot be refreshed");
                self.error = Some(error.to_string());
                (TaskResult::Failed, RETRY_DELAY.min(self.feed.refresh))
            }
        };
        self.due = (!self.feed.refresh.is_zero()).then(|| now + pause.max(MIN_REFRESH_INTERVAL));
        result
    }

    fn set_newer(&mut self, newer: Option<Loaded>) {
        match newer {
            Some(newer) => {
                let before = self.loaded.as_ref().map_or(0, |loaded| loaded.listing.len());
                tracing::info!(
                    list = self.feed.name,
                    entries = newer.listing.len(),
                    before,
                    odd_lines = newer.invalid_lines,
                    "a new list"
                );
                self.loaded = Some(newer);
                self.is_noted = false;
            }
            None => {
                if let Some(loaded) = &mut self.loaded {
                    loaded.checked = SystemTime::now();
                }
            }
        }
    }

    /// Says once of a list which names of the operator it has: a mistake of whoever publishes it, perhaps also his.
    pub fn note(&mut self, own_names: &[String]) {
        let Some(loaded) = self.loaded.as_ref().filter(|_| !self.is_noted) else { return };
        self.is_noted = true;
        if let Some(names) = loaded.names_of(own_names) {
            tracing::warn!(
                list = self.feed.name,
                names,
                "a list has names of yours: they do not count"
            );
        }
    }

    /// The age of a list that is too old or was never loaded; at most once a day.
    pub fn age_to_warn_of(&mut self, time: SystemTime, now: Instant) -> Option<Duration> {
        let checked = self.loaded.as_ref().map_or(self.since, |loaded| loaded.checked);
        let age = time.duration_since(checked).unwrap_or_default();
        let is_file = matches!(self.feed.source, Source::File(_));
        let warned_lately =
            self.warned.is_some_and(|at| now.saturating_duration_since(at) < WARN_INTERVAL);
        if age <= self.feed.warn_age || warned_lately || (is_file && self.feed.refresh.is_zero()) {
            return None;
        }
        self.warned = Some(now);
        Some(age)
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::tests::{MINUTE, feed};
    use super::*;

    fn failed() -> Result<Option<Loaded>, FeedError> {
        Err(FeedError::InvalidChecksum { place: "x".to_owned() })
    }

    #[test]
    fn refreshes_are_spaced() {
        let now = Instant::now();
        let mut state = FeedState::new(feed(PathBuf::new()), None);
        for (refresh, after_success, after_failure) in [
            (60 * MINUTE, 60 * MINUTE, RETRY_DELAY),
            (MINUTE, MINUTE, MINUTE),
            (Duration::from_secs(1), MIN_REFRESH_INTERVAL, MIN_REFRESH_INTERVAL),
        ] {
            state.feed.refresh = refresh;
            assert_eq!(state.finish_refresh(Ok(None), now), TaskResult::Succeeded);
            assert_eq!(state.due, Some(now + after_success));
            assert_eq!(state.finish_refresh(failed(), now), TaskResult::Failed);
            assert_eq!(state.due, Some(now + after_failure));
        }
        state.feed.refresh = Duration::ZERO;
        state.finish_refresh(failed(), now);
        assert_eq!(state.due, None, "at a reload only");
    }

    #[test]
    fn an_old_list_is_warned_of_once_a_day() {
        let mut state = FeedState::new(feed(PathBuf::new()), None);
        state.feed.warn_age = MINUTE;
        let (time, now) = (state.since, Instant::now());
        let mut warns = |after: Duration| state.age_to_warn_of(time + after, now + after).is_some();
        assert!(!warns(MINUTE));
        assert!(warns(2 * MINUTE), "one that was never loaded as well");
        assert!(!warns(WARN_INTERVAL + MINUTE));
        assert!(warns(WARN_INTERVAL + 2 * MINUTE));
        state.feed.refresh = Duration::ZERO;
        let later = 3 * WARN_INTERVAL;
        assert_eq!(state.age_to_warn_of(time + later, now + later), None, "it is not refreshed");
    }
}
