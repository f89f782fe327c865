//! `/metrics` and `/healthz` over HTTP/1.1, on a loopback address or a unix socket; beyond it when
//! the operator says so, with a token if wanted.

use std::convert::Infallible;
use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    ACCEPT, AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE,
};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use sha2::{Digest, Sha256};
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use super::health::{Health, Trouble};
use super::listen;
use super::metrics::Metrics;
use super::notify::Notifier;
use crate::config::Config;
use crate::file;
use crate::milter;
use crate::milter::endpoint::{Access, SocketFile};

/// Scrapers served at a time: one Prometheus, one health check and somebody with curl.
const CONNECTIONS: usize = 16;

/// Longest life of a connection: a scrape takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long to wait when `accept` fails: descriptors may come free.
const BACK_OFF: Duration = Duration::from_millis(500);

/// Where the endpoint listens.
#[derive(Debug)]
pub enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener),
}

/// How long until a place that cannot be had is tried again.
const AGAIN: Duration = Duration::from_secs(30);

/// Where the configuration wants the endpoint, and for whom.
#[derive(Clone, Debug)]
pub struct Place {
    endpoint: milter::Endpoint,
    access: Access,
    token_file: Option<PathBuf>,
    /// Beyond this host, and nobody has to say who they are.
    open_to_all: bool,
}

impl Place {
    /// `None` when it is off.
    pub fn of(config: &Config) -> Option<Place> {
        let address = config.metrics.listen.as_ref()?;
        let token_file = config.metrics.token_file.as_ref().map(|file| config.resolve(file));
        Some(Place {
            endpoint: listen::endpoint(address),
            access: Access { mode: config.server.socket_mode.0, group: None },
            open_to_all: !address.is_local() && token_file.is_none(),
            token_file,
        })
    }

    /// The same when it can be had.
    async fn open_later(&self) -> Opened {
        loop {
            sleep(AGAIN).await;
            if let Ok(opened) = self.open() {
                return opened;
            }
        }
    }

    /// A socket there, its file, and who may ask.
    fn open(&self) -> io::Result<Opened> {
        let guard = match &self.token_file {
            Some(file) => Guard::read(file)?,
            None => Guard::default(),
        };
        Ok(match milter::endpoint::Listener::bind(&self.endpoint, self.access)? {
            milter::endpoint::Listener::Inet(socket) => {
                (Listener::Tcp(TcpListener::from_std(socket)?), None, guard)
            }
            milter::endpoint::Listener::Unix(socket, file) => {
                (Listener::Unix(UnixListener::from_std(socket)?), file, guard)
            }
        })
    }
}

type Opened = (Listener, Option<SocketFile>, Guard);

/// In front of a token (RFC 6750 §2.1).
const BEARER: &[u8] = b"Bearer ";

/// Who may ask: everybody, or who knows the token. Its hash is compared, so that the time it takes
/// tells nothing.
#[derive(Clone, Debug, Default)]
pub struct Guard(Option<[u8; 32]>);

impl Guard {
    fn read(path: &Path) -> io::Result<Guard> {
        let named = |error: io::Error| {
            io::Error::new(error.kind(), format!("metrics.token_file {}: {error}", path.display()))
        };
        let text = file::read_text(path, file::MAX_BYTES).map_err(named)?;
        match text.lines().next().unwrap_or_default().trim() {
            "" => Err(named(io::Error::other("expected a token in its first line, found none"))),
            token => Ok(Guard(Some(Sha256::digest(token).into()))),
        }
    }

    fn admits<B>(&self, request: &Request<B>) -> bool {
        let Some(hash) = self.0 else { return true };
        let said = request.headers().get(AUTHORIZATION).map(|value| value.as_bytes());
        let said = said.and_then(|said| said.split_at_checked(BEARER.len()));
        // Schemes have no case (RFC 9110 §11.1).
        said.is_some_and(|(scheme, token)| {
            scheme.eq_ignore_ascii_case(BEARER) && <[u8; 32]>::from(Sha256::digest(token)) == hash
        })
    }
}

/// Serves at this place for as long as the runtime lives. One that is taken is tried again and
/// again: mail does not wait for metrics. Call it inside the runtime.
pub fn expose(place: Place, metrics: Arc<Metrics>, health: Arc<Health>, notifier: Notifier) {
    if place.open_to_all {
        tracing::warn!(
            "metrics: whoever reaches {} can read them; metrics.token_file asks for a token",
            place.endpoint
        );
    }
    let first = place.open();
    if let Err(error) = &first {
        let what = format!("metrics: cannot listen at {}: {error}", place.endpoint);
        tracing::error!("{what}; mail is not affected, it is tried again");
        health.trouble(Trouble::Metrics, Some(what));
    }
    tokio::spawn(async move {
        let (listener, _removed_with_the_task, guard) = match first {
            Ok(opened) => opened,
            Err(_) => {
                let opened = place.open_later().await;
                health.trouble(Trouble::Metrics, None);
                notifier.status(&health.status());
                tracing::info!("metrics: listening at {}", place.endpoint);
                opened
            }
        };
        serve(listener, Arc::new(Told { metrics, health, guard })).await;
    });
}

/// What the endpoint tells, and to whom.
#[derive(Debug)]
struct Told {
    metrics: Arc<Metrics>,
    health: Arc<Health>,
    guard: Guard,
}

/// Serves until its task is dropped.
async fn serve(listener: Listener, told: Arc<Told>) {
    let free = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        // Closed never, so there is always a permit to wait for.
        let Ok(permit) = Arc::clone(&free).acquire_owned().await else {
            return;
        };
        let stream = match accept(&listener).await {
            Ok(stream) => stream,
            Err(error) => {
                tracing::warn!(%error, "metrics endpoint: accept failed");
                sleep(BACK_OFF).await;
                continue;
            }
        };
        let told = Arc::clone(&told);
        tokio::spawn(async move {
            let _permit = permit;
            let service = service_fn(|request: Request<Incoming>| {
                let response = answer(&request, &told);
                async { Ok::<_, Infallible>(response) }
            });
            let mut server = http1::Builder::new();
            server.timer(TokioTimer::new()).header_read_timeout(PATIENCE).max_buf_size(16 << 10);
            let served = match stream {
                Stream::Tcp(stream) => {
                    timeout(PATIENCE, server.serve_connection(stream, service)).await
                }
                Stream::Unix(stream) => {
                    timeout(PATIENCE, server.serve_connection(stream, service)).await
                }
            };
            if let Ok(Err(error)) = served {
                tracing::debug!(%error, "metrics endpoint");
            }
        });
    }
}

enum Stream {
    Tcp(TokioIo<tokio::net::TcpStream>),
    Unix(TokioIo<tokio::net::UnixStream>),
}

async fn accept(listener: &Listener) -> io::Result<Stream> {
    Ok(match listener {
        Listener::Tcp(tcp) => Stream::Tcp(TokioIo::new(tcp.accept().await?.0)),
        Listener::Unix(unix) => Stream::Unix(TokioIo::new(unix.accept().await?.0)),
    })
}

fn answer<B>(request: &Request<B>, told: &Told) -> Response<Full<Bytes>> {
    const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    const PROMETHEUS: &str = "text/plain; version=0.0.4; charset=utf-8";
    const PLAIN: &str = "text/plain; charset=utf-8";
    let admitted = told.guard.admits(request);
    let (status, kind, body) = match (request.method(), request.uri().path()) {
        (&Method::GET | &Method::HEAD, "/metrics") if !admitted => {
            let said = "expected Authorization: Bearer and the token of metrics.token_file\n";
            (StatusCode::UNAUTHORIZED, PLAIN, said.to_owned())
        }
        (&Method::GET | &Method::HEAD, "/metrics") => {
            let text = told.metrics.text(SystemTime::now());
            match wants_prometheus(request) {
                true => (StatusCode::OK, PROMETHEUS, prometheus(&text)),
                false => (StatusCode::OK, OPEN_METRICS, text),
            }
        }
        (&Method::GET | &Method::HEAD, "/healthz") => {
            let (status, report) = match told.health.report() {
                Ok(report) => (StatusCode::OK, report),
                Err(report) => (StatusCode::SERVICE_UNAVAILABLE, report),
            };
            // What is to be mended names files of this host.
            let lines = if admitted { usize::MAX } else { 1 };
            let body = report.lines().take(lines).flat_map(|line| [line, "\n"]).collect();
            (status, PLAIN, body)
        }
        (&Method::GET | &Method::HEAD, _) => {
            (StatusCode::NOT_FOUND, PLAIN, "expected /metrics or /healthz\n".to_owned())
        }
        _ => (StatusCode::METHOD_NOT_ALLOWED, PLAIN, "expected GET\n".to_owned()),
    };
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if status == StatusCode::UNAUTHORIZED {
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

/// Whether the older text format is asked for, and not OpenMetrics.
fn wants_prometheus<B>(request: &Request<B>) -> bool {
    let accept = request.headers().get(ACCEPT).and_then(|value| value.to_str().ok());
    accept.is_some_and(|accept| {
        accept.contains("text/plain") && !accept.contains("application/openmetrics-text")
    })
}

/// OpenMetrics as Prometheus text 0.0.4: a family is named as its samples are, there are no units
/// and no end mark.
fn prometheus(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut help = "";
    for line in text.lines() {
        if let Some(said) = line.strip_prefix("# HELP ") {
            help = said.split_once(' ').map_or("", |(_, help)| help);
        } else if let Some((name, kind)) =
            line.strip_prefix("# TYPE ").and_then(|said| said.split_once(' '))
        {
            let suffix = if kind == "counter" { "_total" } else { "" };
            // Writing to a String cannot fail.
            let _ = writeln!(out, "# HELP {name}{suffix} {help}\n# TYPE {name}{suffix} {kind}");
        } else if !line.starts_with('#') {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sample_of_the_older_format_has_its_type() {
        let text = prometheus(&Metrics::new().text(SystemTime::now()));
        for line in [
            "# TYPE linkmilter_reloads_total counter",
            "# TYPE linkmilter_build_info gauge",
            "# TYPE linkmilter_engine_seconds histogram",
            "# TYPE linkmilter_state_bytes gauge",
            "linkmilter_config_generation 1",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in\n{text}");
        }
        assert!(!text.contains("# EOF") && !text.contains("# UNIT"));
        let typed: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next())
            .collect();
        for sample in text.lines().filter(|line| !line.starts_with('#')) {
            let name = sample.split(['{', ' ']).next().unwrap();
            let family = ["_bucket", "_sum", "_count"]
                .iter()
                .find_map(|end| name.strip_suffix(end).filter(|name| typed.contains(name)));
            assert!(family.is_some() || typed.contains(&name), "{sample}");
        }
    }
}
