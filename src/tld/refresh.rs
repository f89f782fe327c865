//! Fetching the list over HTTPS. Blocking: the daemon calls it from a thread of its own.
//!
//! A conditional request (RFC 9110 §13), at most [`list::MAX_BYTES`], at most three redirects, HTTPS
//! all the way. What comes is parsed and compared with the last good table before it takes its
//! place; whatever is wrong, the last good table stays.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ureq::http::{HeaderMap, StatusCode, header};
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, TlsProvider, parse_pem};

use crate::engine::TldTable;

use super::list::{self, ListError};
use super::store::{Note, Origin, Store, StoreError};

/// Where and how to fetch.
#[derive(Clone, Debug)]
pub struct Fetch {
    /// An `https:` URL.
    pub url: String,
    /// Time for all of it: name, connection, redirects, body.
    pub timeout: Duration,
    /// Certificates (PEM) to trust in the place of the built-in roots.
    pub ca_file: Option<PathBuf>,
}

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
    #[error("{path}: expected certificates in PEM: {reason}")]
    CaFile { path: PathBuf, reason: String },
    #[error("{url}: {source}")]
    Transport { url: String, source: Box<ureq::Error> },
    #[error("{url}: expected status 200 or 304, found {found}")]
    Status { url: String, found: u16 },
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
    let Some((headers, text)) = request(fetch, known.as_ref())? else {
        store.keep_note(&Note { checked, ..known.unwrap_or_default() })?;
        return Ok(Refreshed::Unchanged);
    };
    let wrong = |source| RefreshError::List { url: fetch.url.clone(), source };
    let table = list::parse(&text).map_err(wrong)?;
    list::plausible_after(&table, &before.table).map_err(wrong)?;
    let value = |name: header::HeaderName| {
        headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
    };
    let note = Note {
        url: fetch.url.clone(),
        etag: value(header::ETAG),
        last_modified: value(header::LAST_MODIFIED),
        checked,
    };
    store.replace(&text, &note)?;
    let not_in = |names: &TldTable, other: &TldTable| -> Vec<String> {
        let missing = names.sorted().into_iter().filter(|name| !other.contains(name));
        missing.map(str::to_owned).collect()
    };
    let (added, removed) = (not_in(&table, &before.table), not_in(&before.table, &table));
    Ok(Refreshed::Replaced { table, added, removed })
}

/// The list, or nothing when the server has no newer one than the one that is known.
fn request(
    fetch: &Fetch,
    known: Option<&Note>,
) -> Result<Option<(HeaderMap, String)>, RefreshError> {
    let transport =
        |source| RefreshError::Transport { url: fetch.url.clone(), source: Box::new(source) };
    let mut request = agent(fetch)?.get(&fetch.url).header(header::ACCEPT, "text/plain");
    if let Some(etag) = known.and_then(|known| known.etag.as_deref()) {
        request = request.header(header::IF_NONE_MATCH, etag);
    }
    if let Some(date) = known.and_then(|known| known.last_modified.as_deref()) {
        request = request.header(header::IF_MODIFIED_SINCE, date);
    }
    let mut response = request.call().map_err(transport)?;
    match response.status() {
        StatusCode::OK => {}
        StatusCode::NOT_MODIFIED if known.is_some() => return Ok(None),
        other => {
            return Err(RefreshError::Status { url: fetch.url.clone(), found: other.as_u16() });
        }
    }
    let body = response.body_mut().with_config().limit(list::MAX_BYTES as u64);
    let text = body.read_to_string().map_err(transport)?;
    Ok(Some((response.headers().clone(), text)))
}

fn agent(fetch: &Fetch) -> Result<ureq::Agent, RefreshError> {
    let roots = match &fetch.ca_file {
        Some(path) => RootCerts::new_with_certs(&certificates(path)?),
        None => RootCerts::WebPki,
    };
    let tls = TlsConfig::builder().provider(TlsProvider::Rustls).root_certs(roots).build();
    let config = ureq::Agent::config_builder()
        .https_only(true)
        .http_status_as_error(false)
        .max_redirects(3)
        .timeout_global(Some(fetch.timeout))
        .user_agent(concat!("linkmilter/", env!("CARGO_PKG_VERSION")))
        .tls_config(tls)
        .build();
    Ok(config.new_agent())
}

fn certificates(path: &Path) -> Result<Vec<Certificate<'static>>, RefreshError> {
    let wrong = |reason: String| RefreshError::CaFile { path: path.to_owned(), reason };
    let pem = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
    let mut certificates = Vec::new();
    for item in parse_pem(&pem) {
        match item.map_err(|error| wrong(error.to_string()))? {
            PemItem::Certificate(certificate) => certificates.push(certificate),
            _ => return Err(wrong("found something else".to_owned())),
        }
    }
    if certificates.is_empty() {
        return Err(wrong("found none".to_owned()));
    }
    Ok(certificates)
}
