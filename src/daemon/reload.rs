//! The settings in force, and how they are exchanged: a failed reload keeps the old ones; what
//! is under way keeps the generation it began with.

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

/// A reload that changed nothing.
#[derive(Debug, thiserror::Error)]
#[error("the configuration of generation {kept} stays in force: {error}")]
pub struct Kept<E: Display> {
    pub kept: u64,
    pub error: E,
}

impl<T> Live<T> {
    pub fn new(settings: T) -> Live<T> {
        Live { current: ArcSwap::from_pointee(Generation { number: 1, settings }) }
    }

    /// The settings of this moment. A message takes them once and keeps them to its end.
    pub fn get(&self) -> Arc<Generation<T>> {
        self.current.load_full()
    }

    /// Loads new settings and puts them in force. `needs_restart` names the keys that differ
    /// between old and new but are bound at start. Call it from one task: reloads queue up there.
    ///
    /// # Errors
    /// What `load` returned; the old settings stay.
    pub fn reload<E: Display>(
        &self,
        load: impl FnOnce() -> Result<T, E>,
        needs_restart: impl FnOnce(&T, &T) -> Vec<String>,
    ) -> Result<Reloaded, Kept<E>> {
        let old = self.get();
        let settings = load().map_err(|error| Kept { kept: old.number, error })?;
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
    fn what_is_under_way_keeps_its_settings() {
        let live = Live::new("old");
        let message = live.get();
        let done = live.reload(|| Ok::<_, String>("new"), |_, _| vec!["listen".into()]).unwrap();
        assert_eq!(done, Reloaded { number: 2, needs_restart: vec!["listen".into()] });
        assert_eq!((message.number, **message), (1, "old"));
        assert_eq!((live.get().number, **live.get()), (2, "new"));
    }

    #[test]
    fn an_error_keeps_the_old_settings_and_says_so() {
        let live = Live::new("old");
        let kept = live.reload(|| Err("log.level: expected a level"), |_, _| Vec::new());
        let said = kept.unwrap_err().to_string();
        assert!(said.contains("generation 1 stays") && said.contains("log.level"), "{said}");
        assert_eq!(**live.get(), "old");
    }
}
