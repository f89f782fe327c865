//! The settings in force, and how they are replaced. A failed reload keeps the old ones. A message in
//! progress keeps the generation that it started with.

use std::fmt::Display;
use std::ops::Deref;
use std::sync::Arc;

use arc_swap::ArcSwap;

/// Settings with the number of their generation, counted from 1.
#[derive(Debug)]
pub struct Generation<T> {
    pub number: u64,
    pub settings: T,
}

impl<T> Deref for Generation<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.settings
    }
}

/// The settings in force.
#[derive(Debug)]
pub struct Live<T> {
    current: ArcSwap<Generation<T>>,
}

/// What a reload did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reloaded {
    /// The new generation.
    pub number: u64,
    /// Keys that changed in the file but stay as they were until a restart.
    pub needs_restart: Vec<String>,
}

/// A reload that failed: nothing was changed.
#[derive(Debug, thiserror::Error)]
#[error("the configuration of generation {generation} stays in force: {error}")]
pub struct ReloadError<E: Display> {
    /// The generation that stays in force.
    pub generation: u64,
    pub error: E,
}

impl<T> Live<T> {
    pub fn new(settings: T) -> Live<T> {
        Live { current: ArcSwap::from_pointee(Generation { number: 1, settings }) }
    }

    /// The current settings. A message reads them once and keeps them to its end.
    pub fn get(&self) -> Arc<Generation<T>> {
        self.current.load_full()
    }

    /// Loads new settings and puts them in force. `needs_restart` names the keys that differ
    /// between old and new but only count at a start. Call it from one task, so that reloads do not overlap.
    ///
    /// # Errors
    /// What `load` returned; the old settings stay.
    pub fn reload<E: Display>(
        &self,
        load: impl FnOnce() -> Result<T, E>,
        needs_restart: impl FnOnce(&T, &T) -> Vec<String>,
    ) -> Result<Reloaded, ReloadError<E>> {
        let old = self.get();
        let settings = load().map_err(|error| ReloadError { generation: old.number, error })?;
        let needs_restart = needs_restart(&old.settings, &settings);
        let number = old.number + 1;
        self.current.store(Arc::new(Generation { number, settings }));
        Ok(Reloaded { number, needs_restart })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_in_progress_keeps_its_settings() {
        let live = Live::new("old");
        let message = live.get();
        let done = live.reload(|| Ok::<_, String>("new"), |_, _| vec!["listen".into()]).unwrap();
        assert_eq!(done, Reloaded { number: 2, needs_restart: vec!["listen".into()] });
        assert_eq!((message.number, **message), (1, "old"));
        assert_eq!((live.get().number, **live.get()), (2, "new"));
    }

    #[test]
    fn an_error_keeps_the_old_settings() {
        let live = Live::new("old");
        let kept = live.reload(|| Err("log.level: expected a level"), |_, _| Vec::new());
        let error = kept.unwrap_err().to_string();
        assert!(error.contains("generation 1 stays") && error.contains("log.level"), "{error}");
        assert_eq!(**live.get(), "old");
    }
}
