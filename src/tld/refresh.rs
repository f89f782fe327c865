//! Fetching the list over HTTPS. Blocking: the daemon calls it from a thread of its own.
//!
//! A conditional request (RFC 9110 §13), at most [`list::MAX_BYTES`], at most three redirects, HTTPS
//! all the way. What comes is parsed and compared with the last good table before it takes its
//! place; whatever is wrong, the last good table stays.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::engine::TldTable;
use crate::fetch::{Fetch, FetchError, Known, get};

use super::list::{self, ListError};
use super::store::{Note, Origin, Store, StoreError};

/// What a refresh brought.
#[derive(Clone, Debug)]
pub enum Refreshed {
    /// The server has nothing newer.
    Unchanged,
    /// A new table, already in the state directory.
    Replaced { table: TldTable, added: Vec<String>, removed: Vec<String> },
}

/// Why a refresh brought nothing; the last good table stays.
#[derive(Debug, thiserror::Error)]
pub enum RefreshError {
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error("{url}: {source}")]
    List { url: String, source: ListError },
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Asks for a newer list and puts it into the store.
///
/// # Errors
/// See [`RefreshError`]; nothing was changed then.
pub fn refresh(fetch: &Fetch, store: &Store, now: SystemTime) -> Result<Refreshed, RefreshError> {
    let before = store.load();
    let checked = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let known = Some(store.note())
        .filter(|note| matches!(before.origin, Origin::File(_)) && note.url == fetch.url);
    let validators = known
        .as_ref()
        .map(|note| Known { etag: note.etag.clone(), last_modified: note.last_modified.clone() });
    let Some(mut fetched) = get(fetch, "text/plain", validators.as_ref())? else {
        store.keep_note(&Note { checked, ..known.unwrap_or_default() })?;
        return Ok(Refreshed::Unchanged);
    };
    let body = fetched.body.with_config().limit(list::MAX_BYTES as u64);
    let text = body.read_to_string().map_err(|source| fetch.failed(source))?;
    let wrong = |source| RefreshError::List { url: fetch.url.clone(), source };
    let table = list::parse(&text).map_err(wrong)?;
    list::plausible_after(&table, &before.table).map_err(wrong)?;
    let Known { etag, last_modified } = fetched.known;
    let note = Note { url: fetch.url.clone(), etag, last_modified, checked };
    store.replace(&text, &note)?;
    let not_in = |names: &TldTable, other: &TldTable| -> Vec<String> {
        let missing = names.sorted().into_iter().filter(|name| !other.contains(name));
        missing.map(str::to_owned).collect()
    };
    let (added, removed) = (not_in(&table, &before.table), not_in(&before.table, &table));
    Ok(Refreshed::Replaced { table, added, removed })
}
