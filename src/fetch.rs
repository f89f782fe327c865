//! HTTPS requests for files that may have changed. Blocking.
//!
//! A conditional request (RFC 9110 §13), at most three redirects, HTTPS only.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ureq::http::{HeaderMap, StatusCode, header};
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, TlsProvider, parse_pem};

use crate::file;

/// A URL and how to fetch it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// An `https:` URL.
    pub url: String,
    /// Time limit for all of it: DNS, connection, redirects, body.
    pub timeout: Duration,
    /// Certificates (PEM) to trust instead of the built-in roots.
    pub ca_file: Option<PathBuf>,
}

/// Validators (RFC 9110 §8.8) of the version that is already here, so that the server sends only a
/// newer one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validators {
    pub etag: Option<String>,
    pub last_modified: Option<String>,
}

/// A newer version.
#[derive(Debug)]
pub struct Fetched {
    pub validators: Validators,
    /// Not read yet, and of unlimited length.
    pub body: ureq::Body,
}

/// Why nothing was fetched.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    #[error("{path}: expected certificates in PEM: {reason}")]
    CaFile { path: PathBuf, reason: String },
    #[error("{url}: {source}")]
    Transport { url: String, source: Box<ureq::Error> },
    #[error("{url}: expected status 200 or 304, found {found}")]
    Status { url: String, found: u16 },
}

/// Fetches the URL. `None` when the server has nothing newer than `stored`.
///
/// # Errors
/// See [`FetchError`].
pub fn get(
    fetch: &Fetch,
    accept: &str,
    stored: Option<&Validators>,
) -> Result<Option<Fetched>, FetchError> {
    let mut request = agent(fetch)?.get(&fetch.url).header(header::ACCEPT, accept);
    if let Some(etag) = stored.and_then(|stored| stored.etag.as_deref()) {
        request = request.header(header::IF_NONE_MATCH, etag);
    }
    if let Some(date) = stored.and_then(|stored| stored.last_modified.as_deref()) {
        request = request.header(header::IF_MODIFIED_SINCE, date);
    }
    let response = request.call().map_err(|source| fetch.failed(source))?;
    match response.status() {
        StatusCode::OK => {}
        StatusCode::NOT_MODIFIED if stored.is_some() => return Ok(None),
        other => {
            return Err(FetchError::Status { url: fetch.url.clone(), found: other.as_u16() });
        }
    }
    let validators = validators_of(response.headers());
    Ok(Some(Fetched { validators, body: response.into_body() }))
}

impl Fetch {
    /// The error of an interrupted transfer.
    pub fn failed(&self, source: ureq::Error) -> FetchError {
        FetchError::Transport { url: self.url.clone(), source: Box::new(source) }
    }
}

fn validators_of(headers: &HeaderMap) -> Validators {
    let value = |name: header::HeaderName| {
        headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
    };
    Validators { etag: value(header::ETAG), last_modified: value(header::LAST_MODIFIED) }
}

fn agent(fetch: &Fetch) -> Result<ureq::Agent, FetchError> {
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

fn certificates(path: &Path) -> Result<Vec<Certificate<'static>>, FetchError> {
    let ca_error = |reason: String| FetchError::CaFile { path: path.to_owned(), reason };
    let pem = file::read(path, file::MAX_BYTES).map_err(|error| ca_error(error.to_string()))?;
    let mut certificates = Vec::new();
    for item in parse_pem(&pem) {
        match item.map_err(|error| ca_error(error.to_string()))? {
            PemItem::Certificate(certificate) => certificates.push(certificate),
            _ => return Err(ca_error("found something else".to_owned())),
        }
    }
    if certificates.is_empty() {
        return Err(ca_error("found none".to_owned()));
    }
    Ok(certificates)
}
