//! Which configuration is used: the present one, or the last good one if that is not valid.

use super::snapshot::FoundSnapshots;
use super::{Errors, Problem, Snapshot, SnapshotError, Sources, missing_file, state_dirs};

#[derive(Debug)]
pub enum Start<T> {
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
/// These errors, if there is no readable last good one; what is wrong with one that is there comes after them.
pub fn last_good<T>(
    sources: &Sources,
    errors: Errors,
    load: impl Fn(&Sources) -> Result<T, Errors>,
) -> Result<LastGood<T>, Errors> {
    let Errors(mut problems) = errors;
    let FoundSnapshots { snapshot, unreadable } =
        Snapshot::find(&sources.requested_file(), &state_dirs(sources));
    problems.extend(unreadable.into_iter().map(|SnapshotError { path, source }| {
        let found = format!("the configuration that was kept cannot be used: {source}");
        Problem::at(path.display(), None, found)
    }));
    let Some(snapshot) = snapshot else { return Err(Errors(problems)) };
    let since = snapshot.time.clone();
    match load(&sources.with_snapshot(snapshot)) {
        Ok(loaded) => Ok(LastGood { loaded, since, errors: Errors(problems) }),
        // The stored one is not valid either. Report the present one first, which the operator can
        // correct.
        Err(Errors(of_stored)) => {
            let origin = format!("the configuration that was kept at {since}");
            problems.extend(of_stored.first().map(|first| {
                Problem::at(&origin, None, format!("it does not hold either: {first}"))
            }));
            Err(Errors(problems))
        }
    }
}
