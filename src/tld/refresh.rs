//! Fetches the list over HTTPS. Blocking: the daemon calls it from a thread of its own.
//!
//! A conditional request (RFC 9110 §13), at most [`list::MAX_BYTES`], at most three redirects,
//! HTTPS only. The new list is parsed and compared with the last good table before it replaces it.
//! On any error the last good table stays.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::engine::TldTable;
use crate::fetch::{Fetch, FetchError, get};

use super::list::{self, ListError};
use super::store::{TableOrigin, TldMetadata, TldStore, TldStoreError, is_older_than_builtin};

/// The result of a refresh.
#[derive(Clone, Debug)]
pub enum Refreshed {
    /// The server has nothing newer.
    Unchanged,
    /// A new table, already stored in the state directory.
    Replaced { table: Box<TldTable>, added: Vec<String>, removed: Vec<String> },
}

/// Why a refresh failed. The last good table stays.
#[derive(Debug, thiserror::Error)]
pub enum RefreshError {
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error("{url}: {source}")]
    List { url: String, source: ListError },
    #[error(transparent)]
    Store(#[from] TldStoreError),
}

/// Asks the server for a newer list and stores it.
///
/// # Errors
/// See [`RefreshError`]. Nothing was changed then.
pub fn refresh(
    fetch: &Fetch,
    store: &TldStore,
    now: SystemTime,
) -> Result<Refreshed, RefreshError> {
    let before = store.load();
    let checked = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let stored_metadata = Some(store.metadata()).filter(|metadata| {
        matches!(before.origin, TableOrigin::File(_)) && metadata.url == fetch.url
    });
    let validators = stored_metadata.as_ref().map(|metadata| &metadata.validators);
    let Some(mut fetched) = get(fetch, "text/plain", validators)? else {
        store.write_metadata(&TldMetadata { checked, ..stored_metadata.unwrap_or_default() })?;
        return Ok(Refreshed::Unchanged);
    };
    let body = fetched.body.with_config().limit(list::MAX_BYTES as u64);
    let text = body.read_to_string().map_err(|source| fetch.failed(source))?;
    let list_error = |source| RefreshError::List { url: fetch.url.clone(), source };
    let table = list::parse(&text).map_err(list_error)?;
    list::check_replacement(&table, &before.table).map_err(list_error)?;
    if is_older_than_builtin(&table.version) {
        let (before, found) = (before.table.version, table.version);
        return Err(list_error(ListError::Older { before, found }));
    }
    let metadata = TldMetadata { url: fetch.url.clone(), validators: fetched.validators, checked };
    store.replace(&text, &metadata)?;
    let missing_in = |names: &TldTable, other: &TldTable| -> Vec<String> {
        let missing = names.sorted().into_iter().filter(|name| !other.contains(name));
        missing.map(str::to_owned).collect()
    };
    let (added, removed) = (missing_in(&table, &before.table), missing_in(&before.table, &table));
    Ok(Refreshed::Replaced { table: Box::new(table), added, removed })
}
