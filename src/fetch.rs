//! HTTPS requests for files that may have changed. Blocking.
//!
//! A conditional request (RFC 9110 §13), at most three redirects, HTTPS only.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use ureq::http::{HeaderMap, StatusCode, header};
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, TlsProvider, parse_pem};
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::{Connector, DefaultConnector};
use url::Url;

use crate::file;

mod whole;

use whole::OnlyWhole;

/// Redirects that are followed.
const MAX_REDIRECTS: usize = 3;

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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    #[error("{url}: expected status {expected}, found {found}")]
    Status { url: String, expected: &'static str, found: u16 },
    #[error("{url}: expected a redirect to an https: URL, found {found:?}")]
    Redirect { url: String, found: String },
    #[error(
        "{url}: expected a body that is not compressed, since none was asked for, found {coding:?}"
    )]
    Coded { url: String, coding: String },
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
    let agent = agent(fetch)?;
    let until = Instant::now() + fetch.timeout;
    let mut url = fetch.url.clone();
    let mut redirects = 0..MAX_REDIRECTS;
    let response = loop {
        let remaining = until.saturating_duration_since(Instant::now());
        let mut request = agent.get(&url).config().timeout_global(Some(remaining)).build();
        request = request.header(header::ACCEPT, accept);
        if let Some(etag) = stored.and_then(|stored| stored.etag.as_deref()) {
            request = request.header(header::IF_NONE_MATCH, etag);
        }
        if let Some(date) = stored.and_then(|stored| stored.last_modified.as_deref()) {
            request = request.header(header::IF_MODIFIED_SINCE, date);
        }
        let response = request.call().map_err(|source| fetch.failed(source))?;
        let Some(location) = location(&response) else { break response };
        if redirects.next().is_none() {
            return Err(fetch.failed(ureq::Error::TooManyRedirects));
        }
        url = redirected(&url, &location)
            .ok_or_else(|| FetchError::Redirect { url: fetch.url.clone(), found: location })?;
    };
    let coded = response.headers().get(header::CONTENT_ENCODING);
    let coded = coded.and_then(|coding| coding.to_str().ok());
    if let Some(coding) = coded.filter(|coding| !coding.eq_ignore_ascii_case("identity")) {
        let (url, coding) = (fetch.url.clone(), coding.to_owned());
        return Err(FetchError::Coded { url, coding });
    }
    match response.status() {
        StatusCode::OK => {}
        StatusCode::NOT_MODIFIED if stored.is_some() => return Ok(None),
        other => {
            let (url, found) = (fetch.url.clone(), other.as_u16());
            // Nobody asked whether it has changed.
            let unasked = other == StatusCode::NOT_MODIFIED;
            let expected = if unasked { "200" } else { "200 or 304" };
            return Err(FetchError::Status { url, expected, found });
        }
    }
    let validators = validators_of(response.headers());
    Ok(Some(Fetched { validators, body: response.into_body() }))
}

/// Where a redirect leads (RFC 9110 §15.4), as it is written; `None` if the response is none.
fn location(response: &ureq::http::Response<ureq::Body>) -> Option<String> {
    let is_redirect = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    let location = response.headers().get(header::LOCATION).filter(|_| is_redirect)?;
    Some(String::from_utf8_lossy(location.as_bytes()).into_owned())
}

/// The URL that a redirect leads to, if it is one of HTTPS.
fn redirected(from: &str, location: &str) -> Option<String> {
    let url = Url::parse(from).ok()?.join(location).ok()?;
    (url.scheme() == "https" && url.has_host()).then(|| url.into())
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
        .max_redirects(0)
        .timeout_global(Some(fetch.timeout))
        .user_agent(concat!("linkmilter/", env!("CARGO_PKG_VERSION")))
        .tls_config(tls)
        .build();
    let connector = DefaultConnector::new().chain(OnlyWhole);
    Ok(ureq::Agent::with_parts(config, connector, DefaultResolver::default()))
}

/// The certificates in a PEM file.
///
/// # Errors
/// It cannot be read, has none, or has something else.
pub fn certificates(path: &Path) -> Result<Vec<Certificate<'static>>, FetchError> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_lead_to_https_alone() {
        for (location, expected) in [
            ("https://other.example/list", Some("https://other.example/list")),
            ("//other.example/list", Some("https://other.example/list")),
            ("/new/list?x=1", Some("https://lists.example/new/list?x=1")),
            ("list.txt", Some("https://lists.example/old/list.txt")),
            ("http://lists.example/list", None),
            ("file:///etc/passwd", None),
            ("FILE:/etc/passwd", None),
            ("data:,evil.example", None),
            ("ftp://lists.example/list", None),
        ] {
            let found = redirected("https://lists.example/old/list", location);
            assert_eq!(found.as_deref(), expected, "{location}");
        }
    }
}
