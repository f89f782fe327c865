//! Which configuration is used: the present one, or the last good one if that is not valid.

use super::{Errors, Snapshot, Sources, missing_file, state_dirs};

/// The configuration to start with.
#[derive(Debug)]
pub enum Start<T> {
    /// The present configuration.
    Present(T),
    /// The present one is not valid. This is the last good one.
    LastGood(LastGood<T>),
}

/// A configuration that was valid before.
#[derive(Debug)]
pub struct LastGood<T> {
    pub loaded: T,
    /// When it was valid.
    pub since: String,
    /// What is wrong with the present one.
    pub errors: Errors,
}

/// Loads the configuration, or the last good one if the present one is invalid, unreadable or
/// missing: a typing error must not stop mail.
///
/// # Errors
/// All problems of the present one, if there is no readable last good one.
pub fn start<T>(
    sources: &Sources,
    load: impl Fn(&Sources) -> Result<T, Errors>,
) -> Result<Start<T>, Errors> {
    let errors = match missing_file(sources).map_or_else(|| load(sources), Err) {
        Ok(loaded) => return Ok(Start::Present(loaded)),
        Err(errors) => errors,
    };
    last_good(sources, errors, load).map(Start::LastGood)
}

/// The last good configuration, to use instead of one with these errors.
///
/// # Errors
/// These errors, if there is no readable last good one.
pub fn last_good<T>(
    sources: &Sources,
    errors: Errors,
    load: impl Fn(&Sources) -> Result<T, Errors>,
) -> Result<LastGood<T>, Errors> {
    let stored = Snapshot::find(&sources.requested_file(), &state_dirs(sources));
    let Some(snapshot) = stored else { return Err(errors) };
    let since = snapshot.time.clone();
    match load(&sources.with_snapshot(snapshot)) {
        Ok(loaded) => Ok(LastGood { loaded, since, errors }),
        // The stored one is not valid either. Report the present one, which the operator can
        // correct.
        Err(_) => Err(errors),
    }
}
