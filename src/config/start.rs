//! Which configuration holds: the present one, or the last good one where that one does not.

use super::{Errors, Snapshot, Sources, gone, state_dirs};

/// What is begun with.
#[derive(Debug)]
pub enum Start<T> {
    /// The configuration as it is.
    Present(T),
    /// The present one does not hold; this one did, at that time.
    LastGood(LastGood<T>),
}

/// A configuration that held.
#[derive(Debug)]
pub struct LastGood<T> {
    pub loaded: T,
    /// When it did.
    pub since: String,
    /// What is wrong with the present one.
    pub errors: Errors,
}

/// Loads the configuration, or the last good one where the present one is wrong, unreadable or
/// gone: a typing error must not keep mail waiting.
///
/// # Errors
/// Everything that is wrong with the present one, when none is kept that may be read.
pub fn start<T>(
    sources: &Sources,
    load: impl Fn(&Sources) -> Result<T, Errors>,
) -> Result<Start<T>, Errors> {
    let errors = match gone(sources).map_or_else(|| load(sources), Err) {
        Ok(loaded) => return Ok(Start::Present(loaded)),
        Err(errors) => errors,
    };
    last_good(sources, errors, load).map(Start::LastGood)
}

/// The configuration that last held, in the place of one with these errors.
///
/// # Errors
/// These, when none is kept that may be read.
pub fn last_good<T>(
    sources: &Sources,
    errors: Errors,
    load: impl Fn(&Sources) -> Result<T, Errors>,
) -> Result<LastGood<T>, Errors> {
    let kept = Snapshot::find(&sources.asked(), &state_dirs(sources));
    let Some(snapshot) = kept else { return Err(errors) };
    let since = snapshot.time.clone();
    match load(&sources.of_snapshot(snapshot)) {
        Ok(loaded) => Ok(LastGood { loaded, since, errors }),
        // What was kept no longer holds either: the present one is what can be mended.
        Err(_) => Err(errors),
    }
}
